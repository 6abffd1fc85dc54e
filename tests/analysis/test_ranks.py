from __future__ import annotations

from typing import Any

import pytest

from apieval.analysis import ranks
from apieval.analysis.comparison import compare
from tests.analysis.scores import run
from tests.records import Json

NAMES = ["a", "b", "c"]


def solving(name: str, count: int, of: int = 60) -> Any:  # noqa: ANN401 # a run
    return run(name, {n: [4 * (n < count)] for n in range(of)})


def compared(*solved: int) -> Json:
    runs = [solving(name, count) for name, count in zip("abcdef", solved, strict=False)]
    return compare(runs, "official")


def test_what_is_shown_orders_the_places() -> None:
    found = compared(10, 55, 30)
    assert ranks.ranks(found, NAMES) == {"hints": {"a": (3, 3), "b": (1, 1), "c": (2, 2)}}
    assert ranks.best(found, NAMES)["hints"]["solution_match"] == "b"


def test_what_is_not_shown_shares_them() -> None:
    found = compared(30, 31, 55)
    assert ranks.ranks(found, NAMES) == {"hints": {"a": (2, 3), "b": (2, 3), "c": (1, 1)}}


def test_a_tie_need_not_pass_on() -> None:
    """A is shown to be better than C alone; B is not told from either."""
    found = compared(22, 16, 12)
    assert ranks.ranks(found, NAMES)["hints"] == {"a": (1, 2), "b": (1, 3), "c": (2, 3)}
    assert "solution_match" not in ranks.best(found, NAMES).get("hints", {})


def test_of_all_alike_nobody_is_best() -> None:
    found = compared(30, 30, 30)
    assert ranks.ranks(found, NAMES)["hints"] == dict.fromkeys(NAMES, (1, 3))
    assert ranks.best(found, NAMES) == {}


def test_only_runs_that_are_named_have_a_place() -> None:
    found = compared(10, 55, 30)
    assert ranks.ranks(found, ["a", "c"]) == {"hints": {"a": (2, 2), "c": (1, 1)}}
    assert ranks.best(found, ["a", "c"])["hints"]["solution_match"] == "c"
    assert ranks.ranks(found, ["b"]) == {}


def test_runs_without_a_rebus_in_common_are_not_told_apart() -> None:
    far = run("c", {n: [4] for n in range(100, 160)})
    found = compare([solving("a", 10), solving("b", 55), far], "official")
    assert ranks.ranks(found, NAMES)["hints"] == {"a": (2, 2), "b": (1, 1)}


@pytest.mark.parametrize(
    ("coverages", "expected"),
    [
        ({"m": None, "d": {"known": 1}}, ["m"]),
        ({"d": {"known": 1}, "e": {"known": 2}}, ["d", "e"]),
        ({"m": None, "n": None}, ["m", "n"]),
    ],
)
def test_a_dictionary_has_no_rank_among_models(coverages: Json, expected: list[str]) -> None:
    summaries: Json = {name: {"coverage": coverage} for name, coverage in coverages.items()}
    assert ranks.ranked(summaries) == expected
