from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from functools import cache

import pytest
from rich.cells import cell_len
from rich.console import Console

from apieval.rebus.metrics import METRICS
from apieval.report import models_table, terminal
from tests.records import Json, rebus, response, summary
from tests.report.views import rows_of

ROWS = [rebus(id=n) for n in range(20)]
LONG = "organizzazione/modello-dal-nome-assai-lungo-70B-istruito-v{}."
WIDE = "模型/漢字漢字漢字漢字漢字漢字漢字-長い名前-{}."


def found(name: str, right: int, failed: int = 0) -> Json:
    """Return the summary of a model that solves so many of 20 rebuses."""
    return {**_found(right, failed), "model": name}


@cache
def _found(right: int, failed: int) -> Json:
    outcomes = [*["ok"] * right, *["empty"] * (20 - right - failed), *["failed"] * failed]
    made = [
        response(id=n, outcome=each, setting=setting)
        for n, each in enumerate(outcomes)
        for setting in ("regular", "hints")
    ]
    return summary(ROWS, made)


def printed(
    summaries: Sequence[Json], width: int = 80, env: Mapping[str, str] | None = None
) -> str:
    """Return what is printed, on a terminal of these variables or into a file."""
    stream = io.StringIO()
    console = Console(
        file=stream, width=width, highlight=False, force_terminal=bool(env), _environ=env or {}
    )
    for each in models_table.render(summaries):
        console.print(each)
    return stream.getvalue()


def shown(summaries: Sequence[Json], width: int = 80) -> str:
    text = printed(summaries, width)
    assert all(cell_len(line) <= width for line in text.split("\n"))
    assert "0…" not in text
    return text


def last(summaries: Sequence[Json]) -> list[str]:
    """Return the figures of the last metric, which is the headline, in the last setting."""
    name, *figures = rows_of(shown(summaries))[-1]
    assert name == "solution_match"
    return figures


def test_two_models_are_columns() -> None:
    text = shown([found("uno", 20), found("due", 10)])
    regular, _, hints = text.partition("hints")
    assert [row[0] for row in rows_of(hints)] == list(METRICS)
    assert rows_of(regular)[-1] == ["solution_match", "1.000*", "0.500"]
    assert text.index("uno") < text.index("due")
    assert "PARTIAL" not in text


def test_below_a_figure_stands_half_of_its_interval() -> None:
    text = shown([found("uno", 20), found("due", 10)])
    # Wilson's interval of 20 of 20 and of 10 of 20
    assert [cell.strip() for cell in text.splitlines()[-3].split("│")[2:-1]] == ["±.081", "±.201"]


@pytest.mark.parametrize(
    ("models", "expected"),
    [
        pytest.param([(20, 0), (10, 0)], ["1.000*", "0.500"], id="told apart"),
        pytest.param([(11, 0), (12, 0)], ["0.550~", "0.600*"], id="intervals overlap"),
        pytest.param([(0, 0), (9, 0), (12, 0)], ["0.000", "0.450~", "0.600*"], id="one does not"),
        pytest.param([(12, 0), (12, 0)], ["0.600*", "0.600*"], id="a tie"),
        pytest.param([(0, 0), (0, 0)], ["0.000*", "0.000*"], id="all nothing"),
        pytest.param(
            [(15, 5), (10, 0), (1, 0)], ["1.000?", "0.500*", "0.050"], id="partial is not the best"
        ),
        pytest.param([(15, 5), (10, 0)], ["1.000?", "0.500"], id="nobody to be held against"),
        pytest.param([(0, 20), (0, 20)], ["-?", "-?"], id="no answer at all"),
    ],
)
def test_the_highest_and_its_equals_are_marked(
    models: list[tuple[int, int]], expected: list[str]
) -> None:
    assert last([found(f"m{n}", *each) for n, each in enumerate(models)]) == expected


def test_a_legend_says_what_the_marks_mean() -> None:
    apart, near = [found("uno", 20), found("due", 5)], [found("uno", 11), found("due", 12)]
    assert "* highest, ~ its 95 % interval overlaps that of the highest" in shown(apart)
    assert "apieval compare" not in shown(apart)
    assert "`apieval compare` shows smaller differences" in shown(near)
    partial = shown([found("uno", 5, 15), found("due", 12)])
    assert "? PARTIAL: over the existing answers; cannot be the highest" in partial
    assert "* highest" not in partial
    assert "± half of the 95 % interval" in partial


def test_of_no_rebus_there_is_no_figure() -> None:
    nothing = {**summary([], []), "model": "uno"}
    assert last([nothing, nothing]) == ["-", "-"]


def test_a_dictionary_is_held_against_no_model() -> None:
    dictionary = {**found("baseline", 20), "coverage": {"clues": 1}}
    told = "the dictionary's solver is a reference"
    made = [dictionary, found("uno", 12), found("due", 11)]
    assert last(made) == ["1.000", "0.600*", "0.550~"]
    assert told in shown(made)
    assert last([dictionary, found("uno", 12)]) == ["1.000", "0.600"]
    assert last([dictionary, dictionary]) == ["1.000*", "1.000*"]
    assert told not in shown([dictionary, dictionary])


@pytest.mark.parametrize("env", [{"TERM": "dumb"}, {"TERM": "xterm-256color", "NO_COLOR": "1"}])
def test_nothing_is_told_by_colour_alone(env: dict[str, str]) -> None:
    made = [found("uno", 20), found("due", 10), found("tre", 19), found("quattro", 5, 15)]
    text = printed(made, env=env)
    assert not [code for code in ("\x1b[3", "\x1b[4", "\x1b[9", ";3") if code in text]
    assert ("\x1b" in text) == ("NO_COLOR" in env)  # bold is no colour
    for mark in ("1.000*", "0.950~", "0.500", "1.000?"):
        assert mark in text


@pytest.mark.parametrize("pattern", [LONG, WIDE])
@pytest.mark.parametrize("count", [2, 3, 5, 12])
@pytest.mark.parametrize("width", [80, terminal.LEAST])
def test_every_figure_and_name_is_whole_in_any_number(count: int, width: int, pattern: str) -> None:
    made = [found(pattern.format(n), 15, 5) for n in range(count)]
    text = shown(made, width)
    # 5 metrics, and 6 in hints
    assert sum(cell == "1.000?" for row in rows_of(text) for cell in row) == count * 11
    if count > 2:
        folded = "".join(row[0] for row in rows_of(text))
        for n in range(count):
            assert folded.count(pattern.format(n)) == 2


@pytest.mark.parametrize("name", ["[red]x", "[/]", "\x1b[31mrosso\r"])
@pytest.mark.parametrize("count", [2, 7])
def test_hostile_names_are_text(name: str, count: int) -> None:
    text = shown([found(name, 20), *(found(f"m{n}", 20) for n in range(count - 1))])
    joined = "".join(text.split()).replace("┃", "").replace("│", "")
    assert "\x1b" not in text
    assert "\r" not in text
    assert "".join(terminal.visible(name).split())[:5] in joined


def test_runs_by_other_prompts_say_so() -> None:
    named = [{**found("uno", 20), "prompt": {"name": n, "official": n == "a"}} for n in "ab"]
    text = shown(named)
    assert "uno (b)" in text
    assert "(a)" not in text
