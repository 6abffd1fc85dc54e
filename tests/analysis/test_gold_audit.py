from __future__ import annotations

from typing import Any

from apieval.analysis.gold_audit import findings
from apieval.rebus import dataset
from apieval.records import Rebus
from apieval.results.summary import AuditFinding
from tests.records import rebus


def row(number: int, **changes: object) -> Rebus:
    """Return a correct row of its own: its first pass and solution are like no other's."""
    letters = "BCDFGLMN"[number % 8] + "R" * (number // 8 + 1)
    own: dict[str, Any] = {
        "verbalized_rebus": f"{letters} [Santa di Cascia]",
        "verbalized_rebus_with_length_hints": f"{letters} [Santa di Cascia (4)]",
        "word_guesses": ("Rita",),
        "first_pass": f"{letters} Rita",
        "solution": f"{letters}rita",
        "solution_words": (f"{letters}rita",),
        "solution_key": str(len(letters) + 4),
    }
    return rebus(id=number, **{**own, **changes})


ROWS = [row(n) for n in range(20)]


def kinds(
    rows: list[Rebus], solved: dict[Any, list[bool]] | None = None
) -> dict[str, AuditFinding]:
    return {each["kind"]: each for each in findings(rows, solved or {})}


def test_correct_rows_give_none() -> None:
    assert kinds(ROWS, {each.id: [True] for each in ROWS}) == {}
    assert kinds([]) == {}


def test_the_sample_is_clean() -> None:
    assert list(findings(dataset.load("sample").rebuses, {})) == []


def test_rows_that_break_rules_and_move_the_figure() -> None:
    rows = [*ROWS, row(30, solution="altro", solution_key="5"), row(31, solution_key="99")]
    solved = {each.id: [each.id not in {30, 31}] for each in rows}
    only = kinds(rows, solved)["gold_breaks_rules"]
    assert (only["level"], only["count"], only["of"], only["ids"]) == ("warning", 2, 22, [30, 31])
    assert "the first pass does not spell the solution (1)" in only["text"]
    assert "the key is not the solution's (1)" in only["text"]
    assert (
        "0.000 of the answers to them are solved, 1.000 without them, 0.909 in all" in only["text"]
    )


def test_rows_that_break_rules_and_move_nothing() -> None:
    rows = [*ROWS, row(31, solution_key="99")]
    assert kinds(rows, {each.id: [False] for each in rows})["gold_breaks_rules"]["level"] == "note"
    assert "solved" not in kinds(rows)["gold_breaks_rules"]["text"]


def test_rows_without_a_rebus_are_checked_as_far_as_they_go() -> None:
    bare = {"verbalized_rebus": "", "verbalized_rebus_with_length_hints": "", "solution_key": ""}
    assert kinds([row(1, **bare)]) == {}
    only = kinds([row(1, **bare, solution="altro")])["gold_breaks_rules"]
    assert only["text"].endswith("the first pass does not spell the solution (1)")


def test_rows_that_stand_twice() -> None:
    again = row(3, first_pass=ROWS[3].first_pass.upper())
    only = kinds([*ROWS, rebus(**{**_fields(again), "id": 40})])["gold_stands_twice"]
    assert (only["level"], only["ids"]) == ("note", [40])


def _fields(given: Rebus) -> dict[str, Any]:
    return {name: getattr(given, name) for name in Rebus.__slots__}


def test_rows_that_the_prompt_shows() -> None:
    shown = (
        "AC [Un mollusco nell'insalata di mare] GLI  [Lo è l'operaio che lavora in cantiere] "
        "S TO [Soldati da trincea]"
    )
    only = kinds([*ROWS, row(40, verbalized_rebus=shown.lower())])["gold_in_prompt"]
    assert (only["level"], only["ids"]) == ("warning", [40])


def test_clues_that_say_their_word() -> None:
    told = [
        row(40, verbalized_rebus="BR [La Rita di Cascia]"),
        row(41, verbalized_rebus="BR [La Margherita di Cascia]"),
        row(42, verbalized_rebus="BR [La Re di Cascia]", word_guesses=("Re",)),
    ]
    assert kinds(told)["clue_says_word"]["ids"] == [40]
