from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.rebus import scoring
from apieval.rebus.scoring import right_words
from apieval.records import ItemScore, Outcome
from tests.records import prediction, rebus

GOLD = rebus(word_guesses=("Rita", "perché", "l'ora"))


def score(*guesses: str, parser: str = "official", outcome: Outcome = Outcome.OK) -> ItemScore:
    read = prediction(word_guesses=guesses)
    return scoring.of_prediction(read, GOLD, parser=parser, setting="regular", outcome=outcome)


@pytest.mark.parametrize(
    ("guesses", "right"),
    [
        pytest.param(("rita", "perché", "l'ora"), [True, True, True], id="all"),
        pytest.param(("x", "y", "z"), [False, False, False], id="none"),
        pytest.param((), [False, False, False], id="nothing said"),
        pytest.param(("x", "PERCHÉ"), [False, True, False], id="one is missing"),
        pytest.param(("perché", "perché", "x", "l'ora"), [False, True, False], id="one too many"),
        pytest.param(("rita", "perche'", "l’ora"), [True, False, False], id="other forms"),
    ],
)
def test_by_the_official_parser(guesses: tuple[str, ...], right: list[bool]) -> None:
    assert right_words(score(*guesses), GOLD) == right


@pytest.mark.parametrize(
    ("parser", "right"),
    [("tolerant", [False, False, True]), ("tolerant-lenient", [False, True, True])],
)
def test_by_the_equality_of_the_parser(parser: str, right: list[bool]) -> None:
    assert right_words(score("x", "perche'", "l’ ora", parser=parser), GOLD) == right


def test_what_was_cut_is_wrong_and_what_failed_is_nothing() -> None:
    assert right_words(score("Rita", outcome=Outcome.TRUNCATED), GOLD) == [False] * 3
    assert right_words(score("Rita", outcome=Outcome.FAILED), GOLD) is None


@given(
    st.lists(
        st.sampled_from(["Rita", "RITA", "perché", "perche'", "l'ora", "l’ora", ""]), max_size=5
    ),
    st.sampled_from(list(scoring.PARSERS)),
)
def test_as_many_as_the_tally_says(guesses: list[str], parser: str) -> None:
    found = score(*guesses, parser=parser)
    right = right_words(found, GOLD)
    assert right is not None
    assert found.tallies is not None
    assert (sum(right), len(right)) == found.tallies["word_guess_accuracy"]
