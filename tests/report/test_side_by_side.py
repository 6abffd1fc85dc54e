from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from apieval.rebus.metrics import METRICS
from apieval.report import side_by_side, terminal
from tests.records import rebus, response, summary

ROWS = [rebus(id=n) for n in range(4)]
LONG = "organizzazione/modello-dal-nome-assai-lungo-70B-istruito-v{}."


def found(name: str, *outcomes: str) -> dict[str, Any]:
    made = [
        response(id=n, outcome=each, setting=setting)
        for n, each in enumerate(outcomes)
        for setting in ("regular", "hints")
    ]
    return {**summary(ROWS, made), "model": name}


def shown(summaries: Sequence[Mapping[str, Any]], width: int = 80) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=width, markup=True, highlight=False)
    for each in side_by_side.render(summaries):
        console.print(each)
    text = stream.getvalue()
    assert all(cell_len(line) <= width for line in text.split("\n"))
    assert "0…" not in text
    return text


def cells(text: str) -> list[list[str]]:
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines()]
    return [each for each in rows if each]


def test_two_models_are_columns() -> None:
    text = shown([found("uno", "ok", "ok", "ok", "ok"), found("due", "ok", "ok", "empty", "empty")])
    regular, _, hints = text.partition("hints")
    assert [row[0] for row in cells(hints)] == list(METRICS)
    assert cells(regular)[-1] == ["solution_match", "1.000", "0.500"]
    assert text.index("uno") < text.index("due")
    assert "PARTIAL" not in text


def test_a_figure_that_is_partial_says_so() -> None:
    text = shown([found("uno", "ok", "failed"), found("due", "ok", "ok", "ok", "ok")])
    assert cells(text)[-1] == ["solution_match", "1.000*", "1.000"]
    assert "* PARTIAL: over the answers there are" in text


def test_nothing_answered_is_a_dash() -> None:
    assert cells(shown([found("uno"), found("due")]))[-1] == ["solution_match", "-*", "-*"]


@pytest.mark.parametrize("count", [2, 3, 5, 6, 12])
@pytest.mark.parametrize("width", [80, terminal.LEAST])
def test_every_figure_and_name_is_whole_in_any_number(count: int, width: int) -> None:
    made = [found(LONG.format(n), "ok", "ok", "ok", "failed") for n in range(count)]
    text = shown(made, width)
    # 5 metrics, and 6 in hints
    assert sum(cell == "1.000*" for row in cells(text) for cell in row) == count * 11
    if count > 5:
        folded = "".join(row[0] for row in cells(text))
        for n in range(count):
            assert folded.count(LONG.format(n)) == 2


@pytest.mark.parametrize("name", ["[red]x", "[/]", "\x1b[31mrosso\r"])
@pytest.mark.parametrize("count", [2, 7])
def test_hostile_names_are_text(name: str, count: int) -> None:
    text = shown([found(name, "ok"), *(found(f"m{n}", "ok") for n in range(count - 1))])
    joined = "".join(text.split()).replace("┃", "").replace("│", "")
    assert "\x1b" not in text
    assert "\r" not in text
    assert "".join(terminal.visible(name).split())[:5] in joined


def test_runs_by_other_prompts_say_so() -> None:
    named = [{**found("uno", "ok"), "prompt": {"name": n, "official": n == "a"}} for n in "ab"]
    text = shown(named)
    assert "uno (b)" in text
    assert "(a)" not in text


def test_the_spread_over_prompts_is_a_table_a_setting() -> None:
    spread = {"values": [0.25, 0.75], "mean": 0.5, "sd": 0.354, "least": 0.25, "most": 0.75}
    one = {
        "model": "mio\x1b[31m",
        "setting": "regular",
        "prompts": ["a", "b"],
        "metrics": {**dict.fromkeys(METRICS), "solution_match": spread},
    }
    stream = io.StringIO()
    for each in side_by_side.spreads([one]):
        Console(file=stream, width=80).print(each)
    text = stream.getvalue()
    assert "what 2 prompts make of it" in text
    assert "\x1b" not in text
    assert cells(text)[-1] == ["solution_match", "0.250", "0.750", "0.500", "0.354"]
    assert cells(text)[0] == ["word_guess_accuracy", "-", "-", "-", "-"]
