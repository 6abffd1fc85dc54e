from __future__ import annotations

import sys
from pathlib import Path

import pytest

from apieval.errors import ConfigError
from apieval.rebus import describe
from tests.rebus.toy_tokenizer import a_tokenizer


def test_tokens_are_counted_without_markers_cuts_and_padding(tmp_path: Path) -> None:
    path = a_tokenizer(tmp_path / "mine.json")
    count = describe.counter(path)
    assert [count(text) for text in ("", "uno", "uno due, tre quattro cinque")] == [0, 1, 6]


def test_a_models_folder_has_it_under_its_name(tmp_path: Path) -> None:
    a_tokenizer(tmp_path / "tokenizer.json")
    assert describe.counter(tmp_path)("uno due") == 2


@pytest.mark.parametrize("content", [None, "", "{}", "[1]", "no JSON", "\x00"])
def test_what_is_no_tokenizer(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ConfigError) as caught:
        describe.counter(path)
    said = str(caught.value)
    assert said.startswith(f"--tokenizer {path}: not a tokenizer.json: ")
    assert said.endswith("give the one of the model's folder.")


def test_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)  # as where it is not installed
    with pytest.raises(ConfigError, match=r"pip install '\.\[tokens\]'"):
        describe.counter(tmp_path)
