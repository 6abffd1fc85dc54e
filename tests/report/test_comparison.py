from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from apieval.analysis.comparison import compare
from apieval.analysis.pairing import Objection, Scored
from apieval.rebus.metrics import METRICS, OF_REBUSES
from apieval.records import Tally
from apieval.report import comparison, terminal
from tests.records import Json

WARNING = Objection("prompts_differ", "warning", "the prompts differ: x in uno; y in due")
NOTE = Objection("versions_differ", "note", "the versions differ")


def run(name: str, rights: Sequence[int | None]) -> Scored:
    def tallies(right: int) -> dict[str, Tally]:
        return {m: Tally(right // 4, 1) if m in OF_REBUSES else Tally(right, 4) for m in METRICS}

    rows = {str(n): {0: None if r is None else tallies(r)} for n, r in enumerate(rights)}
    return Scored(
        name=name,
        model=name,
        folder=name,
        digest="d",
        rebuses=len(rights),
        signatures={"hints": {}},
        rows={"hints": rows},
        ids={key: int(key) for key in rows},
    )


def shown(document: Json, width: int = 80) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=width, markup=True, highlight=False)
    for each in comparison.render(document):
        console.print(each, soft_wrap=not isinstance(each, Table))
    return stream.getvalue()


def two(first: str = "uno", second: str = "due") -> list[Scored]:
    return [run(first, [0] * 15 + [4, None]), run(second, [4] * 14 + [0, 4, 4])]


def test_a_table_a_pair_and_what_it_means() -> None:
    text = shown(compare(two(), "official"))
    assert "hints: A = uno, B = due" in text
    assert "16 common rebuses; 1 left out: 1 failed in A" in text
    assert "│ solution_match       │ 0.062 │ 0.938 │ +87.5 │  +56.3 +94.8 │ 0.0007 │ 65.1 │" in text
    assert "only A solves 0\n" in text
    assert "only B solves 14: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 4 more (--json has them)" in text
    assert "'due' solves more than 'uno' in hints: +87.5 percentage points" in text
    assert "p: after Holm over 6 tests" in text
    assert "common to all" not in text
    assert "WARNING" not in text


def test_doubts_stand_at_the_top_and_are_loud() -> None:
    text = shown(compare(two(), "official", [WARNING, NOTE]))
    first, second, *_ = text.splitlines()
    assert first == "WARNING: the prompts differ: x in uno; y in due"
    assert second == "the versions differ"


def test_of_three_runs_it_says_what_all_have_in_common() -> None:
    text = shown(compare([*two(), run("tre", [4] * 12)], "official"))
    assert "comparison of 3 runs" in text
    assert "hints: A = due, B = tre" in text
    assert "hints: 12 rebuses common to all" in text
    assert "over 18 tests" in text


def test_several_samples_say_how_many_answers() -> None:
    a, b = two()
    rows = {name: {0: each[0], 1: each[0]} for name, each in a.rows["hints"].items()}
    runs = [replace(each, rows={"hints": rows}) for each in (a, b)]
    assert "16 common rebuses, 32 answers of each; 1 left out" in shown(compare(runs, "official"))


def test_nothing_in_common_has_no_table() -> None:
    text = shown(compare([run("uno", [4]), run("due", [None])], "official"))
    assert "0 common rebuses; 1 left out: 1 failed in B" in text
    assert "metric" not in text


def test_what_nothing_could_have_shown_is_a_dash() -> None:
    table = shown(compare([run("uno", [4, 4]), run("due", [4, 4])], "official"))
    assert "│   0.0 │" in table
    assert "│ 1.000 │   - │" in table


@pytest.mark.parametrize("width", [80, terminal.LEAST])
def test_every_figure_is_whole(width: int) -> None:
    text = shown(compare(two(), "official"), width)
    lines = [line for line in text.split("\n") if line.startswith(("│", "┃", "┏", "└"))]
    assert all(cell_len(line) <= width for line in lines)
    assert all("…" not in line for line in lines)
    assert text.count("+87.5 │") == 6


@pytest.mark.parametrize("name", ["[red]x", "[/]", "\x1b[31mrosso\r"])
def test_hostile_names_are_text(name: str) -> None:
    objection = replace(WARNING, text=f"the data differ in {name}")
    text = shown(compare(two(name), "official", [objection]))
    assert f"A = {terminal.visible(name)}, B = due" in text
    assert "\x1b[31m" not in text
    assert "\r" not in text
