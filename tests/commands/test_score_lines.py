from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from apieval.commands.read_scores import score_lines
from apieval.errors import StoreError


def read(path: Path, content: bytes) -> list[int]:
    def taken(value: Any) -> int:  # noqa: ANN401 # whatever JSON holds
        return int(value["a"])

    path.write_bytes(content)
    return list(score_lines(path, taken, lambda line: b"skip" in line))


def test_lines_are_split_at_line_feeds_alone(tmp_path: Path) -> None:
    content = '{"a": 1}\n{"a": 2, "b": "\u2028\x85"}\r\n{skip this}\n{"a": 3}'.encode()
    assert read(tmp_path / "scores.jsonl", content) == [1, 2, 3]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{}", r"no 'a'"),
        (b'{"a": []}', "int"),
        (b"[1]", "list indices"),
        (b'{"a": "x\\ny"}', "invalid literal"),
        (b"{", "not whole JSON in UTF-8"),
        (b'{"a": "\xff"}', "not whole JSON in UTF-8"),
        (b"[" * 100_000, "recursion"),
    ],
)
def test_a_line_that_is_no_score_is_named(tmp_path: Path, line: bytes, said: str) -> None:
    path = tmp_path / "scores.jsonl"
    named = rf"scores.jsonl, line 2: no score \(.*{said}.*\); write it anew with `apieval score`\.$"
    with pytest.raises(StoreError, match=named):
        read(path, b'{"a": 1}\n' + line + b"\n")


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such file; name a run folder, or what `apieval score"):
        list(score_lines(tmp_path / "scores.jsonl", int))
    (tmp_path / "run.json").touch()
    with pytest.raises(StoreError, match=r"there is no such file; `apieval score .*` writes it"):
        list(score_lines(tmp_path / "scores.jsonl", int))
    with pytest.raises(StoreError, match="cannot be read: Is a directory"):
        list(score_lines(tmp_path, int))
