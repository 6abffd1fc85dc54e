from __future__ import annotations

from rich.text import Text

from apieval.analysis.claims import ABSENT, Check, Difference, State, holds, unchecked
from apieval.report.verification import render


def lines(*checks: Check) -> list[str]:
    return [each.plain for each in render("run", checks) if isinstance(each, Text)]


def test_a_long_list_of_differences_is_cut_and_long_values_too() -> None:
    found = [Difference(f"a{n}", "x" * 200, ABSENT) for n in range(12)]
    shown = lines(Check("scores", State.FAILS, "not as made", found))
    assert shown[0] == "fails     scores: not as made"
    assert shown[1] == f'            a0: "{"x" * 99}... stored, nothing made anew'
    assert shown[-2] == "            and 2 more (--json has them)"
    assert shown[-1] == "run: 1 of 1 check failed"


def test_what_a_file_holds_cannot_play_with_the_terminal() -> None:
    [_, told, _] = lines(Check("a", State.FAILS, "b", [Difference("c", "\x1b[31m", 1)]))
    assert "\x1b" not in told


def test_what_holds_and_what_is_not_known() -> None:
    found = lines(holds("a", "b"), unchecked("c", "d", ["e", "f.g"]))
    assert found[1:] == [
        "unchecked c: e, f.g: d",
        "run: 1 check made, all hold, for a part of the folder only; not checked: 1 thing, named above",
    ]


def test_where_nothing_was_held_against_anything_nothing_holds() -> None:
    assert lines(unchecked("c", "d"))[-1] == "run: nothing could be checked"
