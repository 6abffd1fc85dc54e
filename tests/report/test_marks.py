"""Marks piled on letters are told, not shown."""

from __future__ import annotations

import unicodedata

import pytest

from apieval.report.terminal import unpiled


@pytest.mark.parametrize(
    "text", ["", "a", "perche\u0301", "e\u0323\u0302\u0301\u0308 x", "\U0001f600", "è" * 9]
)
def test_what_people_write_stays(text: str) -> None:
    assert unpiled(text) == text


def test_more_is_told() -> None:
    assert unpiled("xe" + "\u0301" * 3_004 + "y") == "xe" + "\u0301" * 4 + "[+3,000 marks]y"
    assert unpiled("a" + "\u0489\u0e31\u20dd\U0001e8d0\u0300" * 2) == (
        "a\u0489\u0e31\u20dd\U0001e8d0[+6 marks]"
    )


def test_every_mark_is_one() -> None:
    marks = [chr(n) for n in range(0xE0000) if unicodedata.category(chr(n))[0] == "M"]
    assert unpiled("a" + "".join(marks)).endswith(f"[+{len(marks) - 4:,} marks]")
