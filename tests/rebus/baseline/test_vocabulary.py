from __future__ import annotations

import pytest

from apieval.rebus.baseline.vocabulary import Vocabulary
from apieval.rebus.baseline.words import Word, fold


def vocabulary(*answers: str) -> Vocabulary:
    return Vocabulary.of(Word(text, fold(text)) for text in answers)


@pytest.mark.parametrize(
    ("letters", "word"),
    [
        pytest.param("da", "da", id="the commoner of two small words"),
        pytest.param("perche", "perché", id="small word"),
        pytest.param("velocita", "velocità", id="ending"),
        pytest.param("servitu", "servitù", id="ending in u"),
        pytest.param("tribuna", "tribuna", id="none"),
        pytest.param("finita", "finita", id="an ending that may go either way"),
        pytest.param("elba", "elba", id="an answer, lower case"),
    ],
)
def test_spells_with_accents(letters: str, word: str) -> None:
    assert vocabulary("Elba", "treno", "tram").spell(letters) == word


def test_known_words_are_worth_more_than_their_kin_and_than_strangers() -> None:
    known = vocabulary("gatto", "tetto", "letto")
    worths = [known.worth(letters) for letters in ("gatto", "gatti", "metto", "gtxoz")]
    assert worths == sorted(worths, reverse=True)
    assert len(set(worths)) == 4
    assert known.promise("gat", 5) > known.promise("gtx", 5)


def test_a_common_word_is_worth_more_than_a_rare_one() -> None:
    known = vocabulary("bo", "re magi")
    assert known.worth("di") > known.worth("bo") == 2
    assert "remagi" not in known.spelling, "two words are no word of a solution"


def test_a_frequency_list_says_how_common_words_are_and_how_they_are_spelt() -> None:
    shares = {"perche": 1e-7, "perché": 1e-3, "casa": 1e-4, "casà": 1e-8, "caso": 1e-9}
    known = Vocabulary.of([Word("Elba", "elba")], shares)
    assert known.spell("perche") == "perché"
    assert known.spell("casa") == "casa"
    assert known.worth("casa") > 4 > known.worth("caso")
    assert known.worth("elba") == known.worth("caso") > known.worth("cbsb")


def test_a_list_without_frequencies_makes_its_words_known() -> None:
    known = Vocabulary.of([Word("Elba", "elba")], {"zaino": 0.0})
    assert known.worth("zaino") == 5
    assert known.worth("elba") == 4


def test_finds_the_known_words_that_start_so() -> None:
    assert list(vocabulary("tara", "tana", "tanica").starting("ta", 4)) == ["tana", "tara"]
