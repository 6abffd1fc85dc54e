from __future__ import annotations

import io
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from apieval.analysis.signatures import fingerprint
from apieval.rebus.metrics import METRICS
from apieval.report import details, terminal
from tests.records import ANSWER, Json, rebus, response, summary

WIDTH = 80
LONG = "meta-llama/Llama-3.1-405B-Instruct-" + "turbo-" * 20 + "end"
ROWS = [rebus(id=n, subset=name) for n, name in enumerate(["id", "id", "ood", "new"])]


def shown(
    found: Json, model: str = "my-llama", *, colour: bool = False, markup: bool = False
) -> str:
    """Print a summary as the command line does, where nobody says otherwise."""
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=WIDTH,
        markup=markup,
        highlight=False,
        emoji=False,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
    )
    for each in terminal.render(found, model):
        console.print(each)
    text = stream.getvalue()
    if not colour:
        assert all(cell_len(line) <= WIDTH for line in text.split("\n"))
    return text


def answers(*outcomes: str, setting: str = "regular") -> list[Any]:
    return [response(id=n, outcome=each, setting=setting) for n, each in enumerate(outcomes)]


def whole() -> Json:
    texts = [ANSWER, "Soluzione: Verità nascosta", "non so", ""]
    made = [
        response(id=n, setting=setting, text=text, outcome="ok" if text else "empty")
        for n, text in enumerate(texts)
        for setting in ("regular", "hints")
    ]
    return summary(ROWS, made)


def row(text: str, name: str) -> list[str]:
    """Return the cells of the first row that has a name in its first column."""
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines()]
    return next(cells for cells in rows if cells and cells[0] == name)


def test_a_whole_summary() -> None:
    text = shown(whole())
    assert "my-llama on rebuses.csv, 4 rebuses, official parser" in text
    assert "PARTIAL" not in text
    assert "at least" not in text
    assert "answers: ok 3, empty 1" in text
    assert row(text, "solution_match") == ["solution_match", "0.500", "0.150-0.850", "0.500", "4"]
    assert row(text, "first_pass_accuracy")[1] == "0.250"


def test_what_the_format_costs() -> None:
    texts = [ANSWER, "**Soluzione:** Verità nascosta", "Soluzione: Verita' nascosta", "no"]
    made = [response(id=n, text=text) for n, text in enumerate(texts)]
    found = summary(ROWS, made, settings=["regular"])
    line = "solved: official 0.250, tolerant 0.500, lenient 0.750; format loss 0.250"
    assert line in shown(found)
    partial = shown(summary(ROWS, made[:2], settings=["regular"]))
    said = "solved of answered: official 0.500, tolerant 1.000, lenient 1.000; loss 0.500"
    assert said in partial
    nothing = shown(summary(ROWS, [], settings=["regular"]))
    assert "solved of answered: official -, tolerant -, lenient -; loss -" in nothing


def test_where_no_text_is_known_nothing_is_said_of_the_format() -> None:
    found = summary(ROWS, answers("ok"), settings=["regular"])
    for name in ("tolerant", "tolerant-lenient"):
        del found["figures"]["regular"]["all"][name]
    assert "format loss" not in shown(found)


def test_every_metric_stands_there_in_full_and_in_order() -> None:
    regular, _, hints = shown(whole()).partition("hints")
    at = [hints.index(name) for name in METRICS]
    assert at == sorted(at)
    # the length of hidden words is told in `hints` alone
    assert "word_guess_length_accuracy" not in regular
    assert all(name in regular for name in METRICS if name != "word_guess_length_accuracy")


def test_the_subsets() -> None:
    text = shown(whole()).partition("by subset, micro")[2]
    found = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines()]
    found = [cells for cells in found if cells]
    assert found == [
        [setting, *cells]
        for setting in ("regular", "hints")
        for cells in (
            ["id", "0.500", "0.500", "1.000", "2"],
            ["ood", "0.000", "0.000", "0.000", "1"],
            ["new", "0.000", "0.000", "0.000", "1"],
        )
    ]


def test_without_subsets_there_is_no_table_of_them() -> None:
    found = summary([rebus()], answers("ok"), settings=["regular"])
    assert "by subset" not in shown(found)


def test_a_partial_summary_shows_the_bounds() -> None:
    found = summary(ROWS, answers("ok", "failed"), settings=["regular"])
    text = shown(found)
    assert "PARTIAL: answers are missing" in text
    assert "95 %" not in text
    assert "answers: ok 1, failed 1, not requested 2" in text
    bounds = ["solution_match", "0.250", "1.000", "1.000", "4"]
    assert row(text, "solution_match") == bounds


def test_in_a_partial_summary_no_subset_is_given_a_zero_for_what_is_missing() -> None:
    text = shown(summary(ROWS, answers("ok", "failed"), settings=["regular"]))
    _, title, table = text.partition("by subset, micro, of answered ")
    assert title
    found = [[cell.strip() for cell in line.split("│")[2:-1]] for line in table.splitlines()]
    assert [cells for cells in found if cells] == [
        ["id", "1.000", "1.000", "1.000", "2"],
        ["ood", "-", "-", "-", "1"],
        ["new", "-", "-", "-", "1"],
    ]


def test_in_a_partial_summary_a_whole_setting_keeps_its_figures() -> None:
    made = [*answers("ok", "ok", "ok", "ok"), *answers("ok", setting="hints")]
    text = shown(summary(ROWS, made))
    assert row(text, "solution_match")[1:4] == ["1.000", "0.510-1.000", "1.000"]
    assert row(text.partition("hints")[2], "solution_match")[1:4] == ["0.250", "1.000", "1.000"]


def test_what_there_is_no_figure_of_is_a_dash() -> None:
    text = shown(summary([], []))
    assert row(text, "solution_match") == ["solution_match", "-", "-", "-", "0"]
    assert "answers: none" in text


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [(None, 3, "-"), (0, 3, "0.000"), (0.5559, 2, "0.56"), (1.0, 3, "1.000")],
)
def test_number(value: float | None, places: int, text: str) -> None:
    assert terminal.number(value, places) == text


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(LONG, id="long"),
        pytest.param("模型" * 60, id="wide"),
        pytest.param("x" * 500, id="no place to break"),
    ],
)
def test_long_names_stay_within_80_columns_and_whole(name: str) -> None:
    rows = [rebus(id=0, subset=name), rebus(id=1, subset="id")]
    for outcome in ("ok", "failed"):
        found = summary(rows, answers("ok", outcome), settings=["regular"], name=f"{name}.csv")
        text = shown(found, name)
        title = text.split("official parser")[0].replace("\n", "").replace(" ", "")
        assert title.startswith(name + "on" + name)
        assert row(text, "solution_match")[1] == ("1.000" if outcome == "ok" else "0.500")


@pytest.mark.parametrize("name", ["[red]", "[/]", "[b]x[/b]", ":smile:", "[link=x]", "\\[a]"])
def test_markup_in_names_is_text(name: str) -> None:
    rows = [rebus(id=0, subset=name)]
    found = summary(rows, answers("ok"), settings=["regular"], name=name)
    # neither needs the console to be told that names are no markup
    for colour, markup in ((False, False), (True, False), (False, True)):
        text = shown(found, name, colour=colour, markup=markup)
        assert f"{name} on {name}, 1 rebus," in text
        assert text.count(name) == 3


def served(*names: str | None) -> Json:
    made = [response(id=n, served_model=name) for n, name in enumerate(names)]
    return summary(ROWS[: len(names)], made, settings=["regular"], usage=True)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        pytest.param(["gpt-4o-2024-08-06"] * 2, "served as gpt-4o-2024-08-06", id="a snapshot"),
        pytest.param(["my-llama"] * 2, None, id="the name it goes by here"),
        pytest.param([None], None, id="no name"),
        pytest.param(["x", None], "served as x", id="a name now and then"),
        pytest.param(["x\x1b[31m"], "served as x\\x1b[31m", id="a hostile name"),
        pytest.param(["a", "b"], None, id="several"),
    ],
)
def test_the_name_a_server_gives_the_model(names: list[str | None], said: str | None) -> None:
    text = shown(served(*names))
    assert (said in text.splitlines()) if said else ("served as" not in text)


def test_findings_stand_below_the_figures_and_warnings_stand_out() -> None:
    found = served("a", "b\x1b[31m", "a")
    text = shown(found)
    _, figures, below = text.partition("by subset")
    assert figures
    assert "the answers came from 2 models: a (2), b\\x1b[31m (1)" in below
    assert "\x1b[1;33mthe answers came from" in shown(found, colour=True)


def test_a_summary_without_findings_ends_with_its_figures_and_signatures() -> None:
    assert served("a")["findings"] == []
    *_, figures, last = shown(served("a")).rstrip().splitlines()
    assert figures.endswith("┘")
    assert last.startswith("signatures: regular ")


def test_large_numbers_fit() -> None:
    found = whole()
    for setting in found["settings"]:
        for figure in found["figures"][setting]["all"]["official"].values():
            figure["micro"]["n"] = 100_000_000
        found["outcomes"][setting] = dict.fromkeys(found["outcomes"][setting], 10_000_000)
    assert row(shown(found), "solution_match")[-1] == "100,000,000"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param(
            "Verità [red] :smile: 日本\n\tx", "Verità [red] :smile: 日本\n\tx", id="plain"
        ),
        pytest.param("\x1b[31mrosso\x07", "\\x1b[31mrosso\\x07", id="escape sequence and bell"),
        pytest.param("a\rb\x9b2Jc\x00", "a\\rb\\x9b2Jc\\x00", id="carriage return, CSI, NUL"),
        pytest.param("\u202eodio\u2066", "\\u202eodio\\u2066", id="direction"),
        pytest.param("a\u2028b", "a\\u2028b", id="line separator"),
    ],
)
def test_nothing_plays_with_the_terminal(text: str, shown: str) -> None:
    assert terminal.visible(text) == shown


@pytest.mark.parametrize("width", [terminal.LEAST, 70])
def test_a_narrow_terminal_folds_names_and_no_figure(width: int) -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=width)
    both: Json = (whole(), summary(ROWS, answers("ok", "failed"), settings=["regular"]))
    for found in both:
        for each in terminal.render(found, LONG):
            console.print(each)
    text = stream.getvalue()
    assert all(cell_len(line) <= width for line in text.split("\n"))
    assert "…" not in text
    for figure in ("0.500", "0.150-0.850", "0.250", "1.000"):
        assert figure in text


@pytest.mark.parametrize(
    ("name", "width", "short"),
    [
        ("breve", 5, "breve"),
        ("meta-llama/Llama-3.1-70B", 12, "meta-….1-70B"),
        ("meta-llama/Llama-3.1-8B", 12, "meta-…3.1-8B"),
        ("模型模型模型", 7, "模型…型"),
        ("a\x1b[31m", 20, "a\\x1b[31m"),
    ],
)
def test_a_name_is_shortened_in_its_middle(name: str, width: int, short: str) -> None:
    assert terminal.shortened(name, width) == short
    assert cell_len(short) <= width


def test_every_table_says_by_which_signatures() -> None:
    found = whole()
    marks = [fingerprint(named["official"]) for named in found["signatures"].values()]
    last = shown(found).rstrip().splitlines()[-1]
    assert last == f"signatures: regular {marks[0]}, hints {marks[1]} (score --details: in full)"


def test_details_show_signatures_in_full() -> None:
    found = whole()
    lines = [each.plain for each in details.render(found) if isinstance(each, Text)]
    every = [text for named in found["signatures"].values() for text in named.values()]
    assert len(every) == 6
    assert [line for line in lines if line.startswith("data:")] == every
