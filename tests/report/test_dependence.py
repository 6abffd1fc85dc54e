from __future__ import annotations

import sys

import pytest

from apieval.analysis import dependence as frequency
from apieval.report import dependence
from tests.analysis.answers import answer, row
from tests.records import Json
from tests.report.views import cells, shown, summary

ROWS = [row(n, *["casa", "accademia", "ora"][: 1 + n % 3]) for n in range(30)]
ANSWERS = [answer(each, word_guesses=each.word_guesses[: n % 3]) for n, each in enumerate(ROWS)]


def view(part: Json, width: int = 80) -> str:
    return shown(dependence.render(part), width)


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> Json:
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    found: Json = summary(ROWS, ANSWERS)["dependence"]
    return found


def test_a_block_for_each_thing(part: Json) -> None:
    text = view(part)
    assert "regular: what accuracy depends on" in text
    assert cells(text, "words, by letters")[0::4] == ["words, by letters", "60"]
    block = part["regular"]["official"]["word_guess_accuracy"]["word_length"]
    rho = f"rho {block['spearman']['rho']:+.2f}"
    interval = f"{block['spearman']['low']:+.2f} {block['spearman']['high']:+.2f}"
    assert cells(text, "words, by letters")[1:4] == [rho, interval, rho]
    group = block["groups"][2]
    assert cells(text, "  4")[1:] == [
        f"{group['value']:.3f}",
        f"{group['low']:.3f}-{group['high']:.3f}",
        f"{group['value']:.3f}",
        "30",
    ]
    assert cells(text, "  8 and more")[-1] == "20"
    # every solution has 14 letters: one group of solutions, one of their words
    assert text.count("│   13 to 14 ") == 2
    # groups of nothing are no rows
    assert "  1 to 2 " not in text


def test_what_has_no_correlation_is_a_dash(part: Json) -> None:
    # every solution has the same length
    assert cells(view(part), "solutions, by letters")[1:3] == ["rho -", "-"]


def test_without_the_extra_it_says_why(part: Json) -> None:
    text = view(part)
    assert f"words, by frequency: {frequency.MISSING}" in text
    assert "│ words, by frequency" not in text


def test_frequencies_have_ranges_of_the_scale(part: Json) -> None:
    blocks = [each["word_guess_accuracy"] for each in part["regular"].values()]
    for block in blocks:
        figure = {"value": 0.5, "low": 0.4, "high": 0.6, "n": 9, "rebuses": 3}
        ranges = [(0, 1), (3, 4), (5, None)]
        block["frequency"] = {
            "groups": [{"from": begin, "below": end, **figure} for begin, end in ranges],
            "spearman": {"rho": 0.071, "low": 0.046, "high": 0.096, "n": 27},
            "why": None,
        }
    text = view(part)
    assert cells(text, "words, by frequency")[1:3] == ["rho +0.07", "+0.05 +0.10"]
    for name in ("  unknown", "  3 to 4", "  5 and more"):
        assert cells(text, name)[1:3] == ["0.500", "0.400-0.600"]


def test_one_parser_has_one_column() -> None:
    made = [answer(each, parsers=["official"]) for each in ROWS]
    text = view(summary(ROWS, made, parsers=("official",))["dependence"])
    assert "tolerant" not in text
    assert len(cells(text, "words, by letters")) == 4


def test_it_fits_a_narrow_terminal(part: Json) -> None:
    assert "0.500" in view(part, 64)
