"""Tokens of a text, by a tokenizer that lies on this machine; nothing is fetched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from apieval.errors import ConfigError
from apieval.wording import install

FILE: Final = "tokenizer.json"

Counter = Callable[[str], int]
"""Return how many tokens a text has."""


def counter(path: Path) -> Counter:
    """Return what counts tokens by a Hugging Face `tokenizer.json`, or the folder of one.

    What a chat template puts around a message is not counted.

    Raises:
        ConfigError: for a file that is no tokenizer, and without the library that reads it.
    """
    try:
        # heavy, and needed where tokens are asked for alone
        from tokenizers import Tokenizer  # noqa: PLC0415
    except ImportError:
        raise ConfigError(
            f"--tokenizer needs the tokenizers library; {install('tokens')} adds it."
        ) from None
    file = path / FILE if path.is_dir() else path
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # noqa: BLE001 # the library raises nothing more exact
        reason = " ".join(str(error).split())
        raise ConfigError(
            f"--tokenizer {path}: not a {FILE}: {reason}; give the one of the model's folder."
        ) from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False))
