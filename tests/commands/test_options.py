"""What a notebook may give as options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from apieval import RunOptions

PATHS = ["config", "lexicon", "words", "prompt", "prompt_set", "shots", "out", "cache"]


@pytest.mark.parametrize("name", PATHS)
def test_a_text_is_taken_for_the_path_it_is(name: str) -> None:
    by_text: dict[str, Any] = {name: "cartella/mia"}
    by_path: dict[str, Any] = {name: Path("cartella/mia")}
    assert getattr(RunOptions(**by_text), name) == Path("cartella/mia")
    assert RunOptions(**by_text) == RunOptions(**by_path)


def test_what_is_no_path_stays() -> None:
    data: Any = Path("dati.csv")
    off: Any = "off"
    found = RunOptions(data=data, shots=3, cache=off)
    assert (found.data, found.shots, found.cache) == ("dati.csv", 3, None)
    assert RunOptions(cache=None).cache is None
    assert isinstance(RunOptions().cache, Path)
