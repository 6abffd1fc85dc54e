from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from apieval.rebus.baseline.lexicon import Lexicon
from apieval.rebus.baseline.puzzle import parse_rebus
from apieval.rebus.baseline.solver import answer, solve
from apieval.rebus.baseline.words import fold
from apieval.rebus.parsers import official

PAIRS = """
Cresce nel bosco,faggio
Cresce nel bosco,pino
Cresce nel bosco,fungo
Si beve al bar,tè
Si beve al bar,caffè
Fanno il miele,api
Precede il tuono,lampo
Sono sul letto,coperte
La prende il pescatore,rete
La prende il pescatore,trota
Animale da cortile,oca
Animale da cortile,gallo
Nota musicale,do
Nota musicale,re
Nota musicale,la
Altra clue,casa
Altra clue,capitano
Altra clue,lampone
Altra clue,Elba
Altra clue,stellato
Nome di donna,Emma
Nome di donna,Anna
"""


@cache
def lexicon() -> Lexicon:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "lexicon.csv"
        path.write_text("Clue,Answer" + PAIRS, encoding="utf-8")
        return Lexicon.load(path)


def solved(rebus: str, key: str) -> str:
    return official.parse(solve(rebus, key, lexicon())).solution


def test_writes_exactly_the_answer_template() -> None:
    assert solve("L [Precede il tuono (5)]  NE", "1 ' 5 2", lexicon()).split("\n") == [
        "Procediamo alla risoluzione del rebus passo per passo:",
        "- L = L",
        "- [Precede il tuono] = lampo",
        "- N E = N E",
        "Prima lettura: L lampo NE",
        "Ora componiamo la soluzione seguendo la chiave risolutiva:",
        "1 = L",
        "5 = lampo",
        "2 = ne",
        "Soluzione: L'lampo ne",
    ]


@pytest.mark.parametrize(
    ("rebus", "key", "solution"),
    [
        pytest.param("CAS [Cresce nel bosco]", "3 4", "Cas pino", id="the key's sum decides"),
        pytest.param("CAS [Cresce nel bosco (5)]", "3 5", "Cas fungo", id="the hint decides"),
        pytest.param("CAS [Cresce nel bosco (5)]", "9", "Casfungo", id="hint against key"),
        pytest.param("CA [Nota musicale] TA", "6", "Careta", id="looks, or the order"),
        pytest.param("[Nota musicale] TE", "4", "Rete", id="a known word goes first"),
        pytest.param("[Nome di donna]", "4", "Emma", id="else the dictionary's order"),
        pytest.param("[mai vista] NE", "7", "Lampone", id="unknown clue, length from key"),
        pytest.param("[mai vista (5)] NE", "7", "Lampone", id="unknown clue, length from hint"),
        pytest.param("[Si beve al bar (6)] NE", "6 2", "Faggio ne", id="no candidate as the hint"),
        pytest.param("[Nota musicale] A", "7", "Faggioa", id="sum out of reach: any word"),
        pytest.param("ABC", "9 9", "Abc", id="letters are short of the key"),
        pytest.param("ABC DEF", "1 2", "A bcdef", id="letters left over go to the last word"),
        pytest.param("ABC DEF", "", "Abcdef", id="no key: one word"),
        pytest.param("CHI E LA", "3 1 2", "Chi è la", id="è after chi"),
        pytest.param("SALE E PEPE", "4 1 4", "Sale e pepe", id="e elsewhere"),
        pytest.param("[]", "6", "Faggio", id="empty clue"),
        pytest.param("UN PO DI", "2 2 ' 2", "Un po' di", id="an apostrophe that ends a word"),
    ],
)
def test_solves(rebus: str, key: str, solution: str) -> None:
    assert solved(rebus, key) == solution


def test_answers_the_last_rebus_of_a_prompt() -> None:
    prompt = (
        "# Esempio 1:\nRebus: AC [Altra clue]\nChiave di lettura: 6\nSoluzione: Accasa\n"
        "# Ora tocca a te!\r\nRebus: L [Precede il tuono]\r\nChiave di lettura: 6\r\n"
    )
    assert answer(prompt, lexicon()) == solve("L [Precede il tuono]", "6", lexicon())


@pytest.mark.parametrize(
    ("prompt", "says"),
    [
        pytest.param("", "no line 'Rebus:'", id="empty"),
        pytest.param("Rebus: A", "no line 'Chiave di lettura:'", id="no key"),
        pytest.param("Chiave di lettura: 1", "no line 'Rebus:'", id="no rebus"),
        pytest.param("Rebus: \nChiave di lettura: 1", "neither letters nor clues", id="blank"),
        pytest.param("Rebus: 12, [\nChiave di lettura: 1", "neither letters", id="no letters"),
        pytest.param(f"Rebus: {'A' * 10**6}\nChiave di lettura: 1", "longer than", id="1 MB"),
        pytest.param(f"Rebus: A\nChiave di lettura: {'1 ' * 10**6}", "longer than", id="1 MB key"),
        pytest.param(f"Rebus: {'[a]' * 201}\nChiave di lettura: 1", "more than 200", id="clues"),
    ],
)
def test_refuses_what_is_no_rebus(prompt: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        answer(prompt, lexicon())


REBUSES = st.lists(
    st.one_of(
        st.text(alphabet="ABCEILNORST ,:", max_size=6),
        st.sampled_from(["[Nota musicale]", "[Nota musicale (2)]", "[Altra clue]", "[mai vista]"]),
        st.text(alphabet="abc [](12)", max_size=8).map(lambda text: f"[{text}]"),
    ),
    max_size=8,
).map(" ".join)
KEYS = st.one_of(
    st.lists(st.integers(0, 12), max_size=6).map(lambda key: " ".join(map(str, key))),
    st.text(alphabet="0123456789 ',.!\"()-«»", max_size=20),
    st.text(),
)


@given(st.one_of(REBUSES, st.text()), KEYS)
def test_any_text_gets_an_answer_or_a_value_error(rebus: str, key: str) -> None:
    try:
        text = solve(rebus, key, lexicon())
    except ValueError:
        assume(parse_rebus(rebus))
        raise
    clues = [element for element in parse_rebus(rebus) if element.is_clue]
    parsed = official.parse(text)
    assert len(parsed.word_guesses) == max(len(clues), 1)
    assert all(parsed.word_guesses) == bool(clues)
    assert fold(parsed.solution) == fold(parsed.first_pass)
    assert "".join(map(fold, parsed.solution_words)) == fold(parsed.first_pass)


@given(REBUSES, KEYS)
def test_the_same_rebus_gets_the_same_answer(rebus: str, key: str) -> None:
    assume(parse_rebus(rebus))
    assert solve(rebus, key, lexicon()) == solve(rebus, key, lexicon())


@given(st.text())
def test_any_prompt_gets_an_answer_or_a_value_error(prompt: str) -> None:
    with pytest.raises(ValueError, match="no line"):
        answer(prompt, lexicon())
