from __future__ import annotations

from itertools import zip_longest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.rebus import metrics
from apieval.records import Prediction, Rebus, Tally
from tests.records import prediction, rebus

NAMES = (
    "word_guess_accuracy",
    "word_guess_length_accuracy",
    "first_pass_accuracy",
    "solution_word_accuracy",
    "solution_word_length_accuracy",
    "solution_match",
)


def reference(given_: Prediction, gold: Rebus) -> dict[str, tuple[int, int]]:
    """Count position by position, with nothing in the place of a missing prediction."""

    def words(mine: tuple[str, ...], right: tuple[str, ...]) -> tuple[int, int, int]:
        equal = length = 0
        for guess, word in zip_longest(mine, right):
            if guess is None or word is None:
                continue
            equal += guess.lower() == word.lower()
            length += len(guess) == len(word)
        return equal, length, len(right)

    guessed, guessed_lengths, hidden = words(given_.word_guesses, gold.word_guesses)
    solved, solved_lengths, parts = words(given_.solution_words, gold.solution_words)
    return {
        "word_guess_accuracy": (guessed, hidden),
        "word_guess_length_accuracy": (guessed_lengths, hidden),
        "first_pass_accuracy": (given_.first_pass.lower() == gold.first_pass.lower(), 1),
        "solution_word_accuracy": (solved, parts),
        "solution_word_length_accuracy": (solved_lengths, parts),
        "solution_match": (given_.solution.lower() == gold.solution.lower(), 1),
    }


# few different words, so that hits are as frequent as misses; gold words are never empty
guess = st.sampled_from(["", "re", "RE", "Rè", "tre", "İ", "i̇", "ß", "SS", "casa", "re "])
word = guess.filter(bool)
text = st.sampled_from(["", "A re B", "a RE b", "A re B ", "Arebo"])


@given(
    guesses=st.lists(guess, max_size=6),
    hidden=st.lists(word, min_size=1, max_size=5),
    words=st.lists(guess, max_size=6),
    gold_words=st.lists(word, min_size=1, max_size=5),
    texts=st.tuples(text, text, text, text),
)
def test_counts_what_the_reference_counts(
    guesses: list[str],
    hidden: list[str],
    words: list[str],
    gold_words: list[str],
    texts: tuple[str, str, str, str],
) -> None:
    mine = prediction(
        word_guesses=guesses, solution_words=words, first_pass=texts[0], solution=texts[1]
    )
    gold = rebus(
        word_guesses=hidden, solution_words=gold_words, first_pass=texts[2], solution=texts[3]
    )
    tallies = metrics.tally(mine, gold)
    assert {name: (each.right, each.total) for name, each in tallies.items()} == reference(
        mine, gold
    )
    for name, each in tallies.items():
        one_by_one = metrics.rights(name, mine, gold)
        assert (sum(one_by_one), len(one_by_one)) == each
        assert metrics.total(name, gold) == each.total


def test_lengths_of_guesses_are_shown_of_hints_alone() -> None:
    assert tuple(metrics.shown_in("hints")) == NAMES
    assert "word_guess_length_accuracy" not in metrics.shown_in("regular")
    assert len(metrics.shown_in("regular")) == 5


def test_the_six_in_the_papers_order() -> None:
    assert tuple(metrics.METRICS) == NAMES
    assert tuple(metrics.tally(prediction(), rebus())) == NAMES
    assert metrics.HEADLINE == "solution_match"
    assert {"first_pass_accuracy", "solution_match"} == metrics.OF_REBUSES


@pytest.mark.parametrize(
    ("changes", "metric", "expected"),
    [
        pytest.param({}, "word_guess_accuracy", (2, 2), id="all right"),
        pytest.param(
            {"word_guesses": ("rita", "SCOSTA")}, "word_guess_accuracy", (2, 2), id="case"
        ),
        pytest.param({"word_guesses": ("Rita",)}, "word_guess_accuracy", (1, 2), id="one missing"),
        pytest.param({"word_guesses": ("",)}, "word_guess_accuracy", (0, 2), id="nothing read"),
        pytest.param({"word_guesses": ()}, "word_guess_accuracy", (0, 2), id="no list at all"),
        pytest.param(
            {"word_guesses": ("Rita", "scosta", "altro")},
            "word_guess_accuracy",
            (2, 2),
            id="one too many is ignored",
        ),
        pytest.param(
            {"word_guesses": ("scosta", "Rita")}, "word_guess_accuracy", (0, 2), id="order counts"
        ),
        pytest.param(
            {"word_guesses": ("Anna", "sposta")},
            "word_guess_length_accuracy",
            (2, 2),
            id="lengths of wrong words",
        ),
        pytest.param(
            {"word_guesses": ("Rita ", "scosta")}, "word_guess_accuracy", (1, 2), id="no trimming"
        ),
        pytest.param(
            {"solution_words": ("Verita\u0300", "nascosta")},
            "solution_word_accuracy",
            (1, 2),
            id="a decomposed accent is another text",
        ),
        pytest.param(
            {"solution_words": ("Verita", "nascosta")},
            "solution_word_length_accuracy",
            (2, 2),
            id="accents do not count for lengths",
        ),
        pytest.param({"solution": "verità NASCOSTA"}, "solution_match", (1, 1), id="case of all"),
        pytest.param({"solution": "**Verità nascosta**"}, "solution_match", (0, 1), id="markup"),
        pytest.param({"first_pass": ""}, "first_pass_accuracy", (0, 1), id="no first pass"),
    ],
)
def test_table(changes: dict[str, object], metric: str, expected: tuple[int, int]) -> None:
    right, total = expected
    found = metrics.tally(prediction(**changes), rebus())[metric]
    assert found == Tally(right=right, total=total)
