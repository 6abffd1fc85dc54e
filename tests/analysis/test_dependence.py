from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from apieval.analysis import dependence
from apieval.analysis.dependence import BEGINS, Dependence, letters
from apieval.analysis.intervals import clustered, wilson
from apieval.records import Outcome
from tests.analysis.answers import answer, row, shown

EMPTY = {"value": None, "low": None, "high": None, "n": 0, "rebuses": 0}


@pytest.fixture(autouse=True)
def no_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the tests the same whether the extra is installed or not."""
    monkeypatch.setitem(sys.modules, "wordfreq", None)


@pytest.fixture
def lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install word lists of three words in the extra's place."""
    (tmp_path / "wordfreq.py").write_text(
        "def zipf_frequency(word, language):\n"
        "    assert language == 'it'\n"
        "    return {'casa': 5.88, 'fanti': 2.0, 're': 4.99}.get(word, 0.0)\n",
        encoding="utf-8",
    )
    packaged = tmp_path / "wordfreq-3.1.9.dist-info"
    packaged.mkdir()
    (packaged / "METADATA").write_text("Metadata-Version: 2.1\nName: wordfreq\nVersion: 3.1.9\n")
    monkeypatch.delitem(sys.modules, "wordfreq")
    monkeypatch.syspath_prepend(tmp_path)


def groups(found: Any, metric: str, what: str, parser: str = "official") -> dict[int, Any]:  # noqa: ANN401
    """Return the groups that hold something, by where they begin."""
    listed = found["regular"][parser][metric][what]["groups"]
    assert [each["from"] for each in listed] == list(BEGINS[what])
    assert [each["below"] for each in listed] == [*BEGINS[what][1:], None]
    return {each["from"]: each for each in listed if each["n"]}


ROWS = [
    row(0, "re", "casa", "ora", solution="Ci sono"),  # 6 letters
    row(1, "casa", "fanti", solution="Accozzaglie di lestofanti"),  # 23
    row(2, "casa", solution="L'ora di punta"),  # 11
    row(3, "accademia", solution="L'ora è finita"),  # 11
]
ANSWERS = [
    answer(ROWS[0], word_guesses=("re", "casa", "x"), solution="x"),
    answer(ROWS[1], word_guesses=("x", "fanti")),
    answer(ROWS[2], word_guesses=("casa",), solution="x"),
    answer(ROWS[3], word_guesses=("x",)),
]


def test_words_by_their_length() -> None:
    found = groups(shown(Dependence, ROWS, ANSWERS), "word_guess_accuracy", "word_length")
    assert {
        begin: (each["value"], each["n"], each["rebuses"]) for begin, each in found.items()
    } == {
        1: (1.0, 1, 1),
        3: (0.0, 1, 1),
        4: (2 / 3, 3, 3),
        5: (1.0, 1, 1),
        8: (0.0, 1, 1),
    }
    assert (found[4]["low"], found[4]["high"]) == pytest.approx(wilson(2, 3))


def test_words_and_solutions_by_the_number_of_hidden_words() -> None:
    all_of_it = shown(Dependence, ROWS, ANSWERS)
    words = groups(all_of_it, "word_guess_accuracy", "hidden_words")
    assert {begin: (each["value"], each["n"]) for begin, each in words.items()} == {
        1: (1 / 2, 2),
        2: (1 / 2, 2),
        3: (2 / 3, 3),
    }
    solutions = groups(all_of_it, "solution_match", "hidden_words")
    assert {begin: (each["value"], each["n"]) for begin, each in solutions.items()} == {
        1: (1 / 2, 2),
        2: (1.0, 1),
        3: (0.0, 1),
    }
    assert (solutions[1]["low"], solutions[1]["high"]) == pytest.approx(wilson(1, 2))


def test_solutions_and_their_words_by_the_solution_s_letters() -> None:
    all_of_it = shown(Dependence, ROWS, ANSWERS)
    solutions = groups(all_of_it, "solution_match", "solution_length")
    assert {begin: (each["value"], each["n"]) for begin, each in solutions.items()} == {
        1: (0.0, 1),
        11: (1 / 2, 2),
        21: (1.0, 1),
    }
    words = groups(all_of_it, "solution_word_accuracy", "solution_length")
    assert {begin: each["n"] for begin, each in words.items()} == {1: 2, 11: 4, 21: 2}


@pytest.mark.parametrize(
    ("text", "count"), [("L'ora è finita", 11), ("perche\u0300", 6), ("", 0), ("Ci, no!", 4)]
)
def test_letters(text: str, count: int) -> None:
    assert letters(text) == count


def test_correlations_over_words_and_over_rebuses() -> None:
    found = shown(Dependence, ROWS, ANSWERS)["regular"]["official"]
    lengths = found["word_guess_accuracy"]["word_length"]["spearman"]
    # scipy.stats.spearmanr([2, 4, 3, 4, 5, 4, 9], [1, 1, 0, 0, 1, 1, 0]), scipy 1.17.1
    assert lengths == {
        "rho": pytest.approx(-0.14978617237881955, abs=1e-9),
        "low": None,
        "high": None,
        "n": 7,
    }
    # and of the rebuses' numbers of words 3, 2, 1, 1 with 0, 1, 0, 1
    hidden = found["solution_match"]["hidden_words"]["spearman"]
    assert hidden["rho"] == pytest.approx(-0.2357022604, abs=1e-9)
    assert hidden["n"] == 4


def test_the_words_of_a_rebus_go_together() -> None:
    rows = [row(n, "casa", "fune", "cane") for n in range(20)]
    answers = [answer(each, word_guesses=each.word_guesses[: n % 4]) for n, each in enumerate(rows)]
    found = groups(shown(Dependence, rows, answers), "word_guess_accuracy", "word_length")[4]
    assert (found["n"], found["rebuses"]) == (60, 20)
    expected = clustered([(n % 4, 3) for n in range(20)])
    assert (found["low"], found["high"]) == pytest.approx(expected)


def test_samples_of_a_rebus_are_one_rebus() -> None:
    rows = [row(n, "casa") for n in range(4)]
    answers = [
        answer(each, sample=k, word_guesses=("casa",) if n % 2 else ("x",))
        for n, each in enumerate(rows)
        for k in range(3)
    ]
    found = groups(
        shown(Dependence, rows, answers, samples=3), "word_guess_accuracy", "word_length"
    )
    assert (found[4]["n"], found[4]["rebuses"], found[4]["value"]) == (12, 4, 0.5)
    expected = clustered([(0, 3), (3, 3)] * 2)
    assert (found[4]["low"], found[4]["high"]) == pytest.approx(expected)


def test_the_tolerant_parser_has_groups_of_its_own() -> None:
    gold = row(
        0, "casa", solution_key="1 ' 3 5", solution_words=("L'ora", "fatta"), solution="L'ora fatta"
    )
    made = [answer(gold, word_guesses=("càsa",), solution="L’ora  fatta")]
    found = shown(Dependence, [gold], made)
    assert list(found["regular"]) == ["official", "tolerant"]
    assert groups(found, "solution_match", "hidden_words")[1]["value"] == 0
    assert groups(found, "solution_match", "hidden_words", "tolerant")[1]["value"] == 1
    # along the key a solution has three words, not two
    assert groups(found, "solution_word_accuracy", "solution_length")[1]["n"] == 2
    assert groups(found, "solution_word_accuracy", "solution_length", "tolerant")[1]["n"] == 3


def test_where_texts_are_gone_there_is_one_parser() -> None:
    made = [answer(ROWS[0], parsers=["official"])]
    found = shown(Dependence, ROWS, made, parsers=("official",))
    assert list(found["regular"]) == ["official"]


def test_a_failed_request_counts_nowhere_and_a_cut_answer_as_wrong() -> None:
    rows = [row(n, "casa") for n in range(3)]
    made = [
        answer(rows[0]),
        answer(rows[1], outcome=Outcome.TRUNCATED),
        answer(rows[2], outcome=Outcome.FAILED),
    ]
    found = groups(shown(Dependence, rows, made), "word_guess_accuracy", "word_length")[4]
    assert (found["value"], found["n"], found["rebuses"]) == (0.5, 2, 2)


def test_of_nothing_there_is_nothing() -> None:
    found = shown(Dependence, [], [])["regular"]["official"]
    for blocks in found.values():
        for what, block in blocks.items():
            if what != "frequency":
                assert all(EMPTY.items() <= each.items() for each in block["groups"])
                assert block["spearman"] == {"rho": None, "low": None, "high": None, "n": 0}


def test_without_the_extra_the_reason_says_how_to_install_it() -> None:
    found = shown(Dependence, ROWS, ANSWERS)["regular"]["tolerant"]["word_guess_accuracy"]
    assert found["frequency"] == {
        "groups": None,
        "spearman": None,
        "why": dependence.MISSING,
        "source": None,
    }
    assert found["word_length"]["why"] is None


@pytest.mark.usefixtures("lists")
def test_words_by_their_frequency() -> None:
    all_of_it = shown(Dependence, ROWS, ANSWERS)
    found = groups(all_of_it, "word_guess_accuracy", "frequency")
    assert {begin: (each["value"], each["n"]) for begin, each in found.items()} == {
        0: (0.0, 2),
        2: (1.0, 1),
        4: (1.0, 1),
        5: (2 / 3, 3),
    }
    block = all_of_it["regular"]["official"]["word_guess_accuracy"]["frequency"]
    assert (block["why"], block["source"]) == (None, "wordfreq 3.1.9")
    assert block["spearman"]["n"] == 7
