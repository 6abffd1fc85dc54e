"""A tokenizer small enough to be written by a test."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers, processors


def a_tokenizer(path: Path) -> Path:
    """Write a tokenizer of words and marks, with markers around a text and all its limits set."""
    tokenizer = Tokenizer(models.WordLevel({"?": 0, "<s>": 1}, unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing("<s> $A", None, [("<s>", 1)])
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=4)
    tokenizer.save(str(path))
    return path
