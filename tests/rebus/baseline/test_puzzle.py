from __future__ import annotations

import pytest

from apieval.rebus.baseline.puzzle import parse_key, parse_rebus


def test_a_key_keeps_lengths_alone() -> None:
    assert parse_key("0 1 ' 12 x ٣ 99999999999999999999").lengths == (1, 12, 999999999)


@pytest.mark.parametrize(
    ("rebus", "texts"),
    [
        pytest.param("A [b (3)] CD", [("A", None), ("b", 3), ("CD", None)], id="plain"),
        pytest.param("[a][b]", [("a", None), ("b", None)], id="side by side"),
        pytest.param("A [b [c] D", [("A b", None), ("c", None), ("D", None)], id="unclosed"),
        pytest.param("A] B , [c (x)]", [("A B ,", None), ("c (x)", None)], id="stray"),
        pytest.param("[a] , [b]", [("a", None), ("b", None)], id="no letters between"),
        pytest.param("[a (1) (22)]", [("a (1)", 22)], id="the last number is the hint"),
    ],
)
def test_reads_a_rebus(rebus: str, texts: list[tuple[str, int | None]]) -> None:
    assert [(e.text, e.length) for e in parse_rebus(rebus)] == texts


@pytest.mark.parametrize(
    ("key", "marks", "total"),
    [
        pytest.param("1 ' 5 2", ("", "'", "", ""), 8, id="before the second"),
        pytest.param('" 2 , 3 !"', ('"', ",", '!"'), 5, id="at both ends"),
        pytest.param("", ("",), 0, id="empty"),
    ],
)
def test_a_key_keeps_its_marks_in_place(key: str, marks: tuple[str, ...], total: int) -> None:
    assert parse_key(key).marks == marks
    assert parse_key(key).total == total
