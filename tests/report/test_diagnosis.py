from __future__ import annotations

import io
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from apieval.analysis.diagnosis_shares import Diagnoses
from apieval.analysis.setup import Measured
from apieval.records import Rebus
from apieval.report import details, terminal
from tests.analysis.answers import answer
from tests.analysis.test_diagnosis_shares import (
    LONGER,
    ROWS,
    WRONG_SEGMENTS,
    WRONG_WORDS,
    summarized,
)
from tests.records import ANSWER, Json, dataset, rebus, response

TEXTS = [ANSWER, WRONG_WORDS, WRONG_SEGMENTS, "Non lo so."]


def shown(found: Json) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=80, markup=False, highlight=False, emoji=False)
    for each in details.render({"diagnosis": found}):
        console.print(each)
    text = stream.getvalue()
    assert all(cell_len(line) <= 80 for line in text.split("\n"))
    return text


def of(rows: list[Rebus], texts: list[str] = TEXTS) -> Json:
    answers = [response(id=row.id, text=text) for row, text in zip(rows, texts, strict=False)]
    return summarized(rows, answers)


def rows_of(text: str, name: str) -> list[list[str]]:
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines()]
    return [cells[1:] for cells in rows if cells and cells[0] == name]


def test_the_shares() -> None:
    text = shown(of(ROWS))
    assert "regular: why answers are wrong" in text
    every, by_subset = rows_of(text, "first error: definitions")
    assert every == ["0.250", "0.046-0.699", "4"]
    assert by_subset == ["0.500", "0.000", "0.000"]
    assert rows_of(text, "of right ones: despite wrong steps") == [
        ["0.000", "0.000-0.793", "1"],
        ["0.000", "-", "-"],
    ]
    first_pass, _ = rows_of(text, "first pass right by letters: solution wrong")
    assert first_pass[2] == "2"
    assert rows_of(text, "CER, mean of wrong solutions")[0][2] == "2"


def test_the_hidden_words() -> None:
    text = shown(of([*ROWS[:2], LONGER], [ANSWER, WRONG_WORDS, ANSWER]))
    assert rows_of(text, "last") == [["0.667", "0.208-0.939", "3"]]
    assert rows_of(text, "2")[-1] == ["2", "0.50  0.50  0.00"]


def test_of_nothing() -> None:
    text = shown(summarized([rebus()], []))
    assert text == ""


def test_what_no_file_of_parts_can_show_has_no_line() -> None:
    gold = rebus()
    parts = Diagnoses(Measured("m", dataset([gold]).select(), ["regular"], parsers=["official"]))
    parts.add(answer(gold, parsers=["official"]))
    found: Any = parts.summary()
    nothing = {"value": None, "low": None, "high": None, "n": 0}
    cell = found["regular"]["all"]
    assert cell["loop"] == cell["other_language"]["any"] == nothing
    assert cell["broke_first"]["format"] == nothing
    text = shown(found)
    assert rows_of(text, "solved")[0][2] == "1"
    for name in ("ends in a loop", "in another language", "first error: format"):
        assert rows_of(text, name) == []
    assert rows_of(text, "CER, as the study's script has it")[0] == ["0.071", "0.001-0.822", "1"]


def test_many_subsets_with_long_names() -> None:
    rows = [rebus(id=n, subset=f"parte-molto-lunga-{n}") for n in range(6)]
    text = shown(of(rows))
    assert "by subset (the first 4)" in text
    assert len(rows_of(text, "solved")[1]) == 4


@pytest.mark.parametrize(
    ("shares", "line"),
    [
        pytest.param({"solved": 1.0, "definitions": 0.0}, "", id="nothing broke"),
        pytest.param(
            {"solved": 0.1, "definitions": 0.1, "segmentation": 0.8},
            "first error: segmentation 80 %, definitions 10 %",
            id="two places",
        ),
        pytest.param(
            {"definitions": 0.4, "first_pass": 0.002, "segmentation": 0.4, "unanswered": 0.19, "format": 0.002},
            "first error: definitions 40 %, segmentation 40 %, unanswered 19 %, other < 1 %",
            id="five places",
        ),
        pytest.param({"unanswered": 1.0}, "first error: unanswered 100 %", id="no answer at all"),
        pytest.param({"solved": None, "definitions": None}, "", id="nothing asked"),
    ],
)  # fmt: skip
def test_the_line_below_the_table(shares: dict[str, float | None], line: str) -> None:
    cells: Json = {
        "all": {"broke_first": {step: {"value": value} for step, value in shares.items()}}
    }
    assert terminal.broke_first(cells) == line
    assert len(line) <= 80


def test_an_older_summary_has_no_such_line() -> None:
    assert terminal.broke_first(None) == ""
