from __future__ import annotations

from apieval.report import gaps
from tests.analysis.answers import answer, row
from tests.records import Json
from tests.report.views import cells, shown, summary

ROWS = [row(n, subset="id" if n < 10 else "ood") for n in range(20)]


def test_a_table_a_pair() -> None:
    made = [
        answer(each, solution="no" if n % 10 < n // 10 * 5 else each.solution)
        for n, each in enumerate(ROWS)
    ]
    text = shown(gaps.render(summary(ROWS, made)["gaps"]))
    assert "regular: id - ood, percentage points, micro" in text
    # Newcombe's interval of 10/10 less 5/10
    assert cells(text, "solution_match")[1:] == ["+50.0", "+11.7 +76.3"] * 2
    assert cells(text, "word_guess")[1] == "0.0"


def test_where_answers_are_missing_it_shows_what_a_gap_can_become() -> None:
    text = shown(gaps.render(summary(ROWS, [answer(each) for each in ROWS[:15]])["gaps"]))
    assert cells(text, "solution_match")[1:] == ["-", "0.0 to +50.0"] * 2
    assert "bounds" in text
    assert "95 %" not in text


def test_without_subsets_there_is_nothing() -> None:
    rows = [row(0), row(1)]
    assert shown(gaps.render(summary(rows, map(answer, rows))["gaps"])) == ""


def test_a_gap_of_nothing_is_a_dash() -> None:
    nothing = {"value": None, "low": None, "high": None}
    part: Json = {"hints": {"a - [b]": {"official": {"solution_match": {"micro": nothing}}}}}
    text = shown(gaps.render(part))
    assert "hints: a - [b], percentage points, micro" in " ".join(text.split())
    assert cells(text, "solution_match")[1:] == ["-", "-"]
