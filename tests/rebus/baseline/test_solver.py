from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from apieval.rebus.baseline.lexicon import Lexicon, fold
from apieval.rebus.baseline.solver import (
    MAX_CHARACTERS,
    MAX_CLUES,
    answer,
    join,
    parse_key,
    parse_rebus,
    solve,
)
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
    ],
)
def test_solves(rebus: str, key: str, solution: str) -> None:
    assert solved(rebus, key) == solution


@pytest.mark.parametrize(
    ("key", "text"),
    [
        pytest.param("1 ' 5 8", "a'b c", id="apostrophe"),
        pytest.param("2 , 3 4", "a, b c", id="comma"),
        pytest.param("1 . 9 1 !", "a. b c!", id="stop and exclamation"),
        pytest.param("2 - 7 1", "a-b c", id="hyphen"),
        pytest.param('7 " 3 3 "', 'a "b c"', id="straight quotes"),
        pytest.param('" 1 " 2 3', '"a" b c', id="quotes first"),
        pytest.param("8 « 6 » 2", "a «b» c", id="guillemets"),
        pytest.param("9 ( 7 8 )", "a (b c)", id="brackets"),
        pytest.param('7 : " 2 \' 3 "', 'a: "b\'c"', id="several marks in one place"),
        pytest.param("1'5,8", "a'b, c", id="no blanks"),
        pytest.param("1 ? x 5 8", "a? b c", id="letters are nothing"),
    ],
)
def test_puts_the_keys_punctuation_back(key: str, text: str) -> None:
    assert join(["a", "b", "c"], parse_key(key).marks) == text


def test_a_key_keeps_lengths_alone() -> None:
    assert parse_key("0 1 ' 12 x ٣ 99999999999999999999").lengths == (1, 12, 999999999)


@pytest.mark.parametrize(
    ("rebus", "texts"),
    [
        pytest.param("A [b (3)] CD", [("A", None), ("b", 3), ("CD", None)], id="plain"),
        pytest.param("[a][b]", [("a", None), ("b", None)], id="side by side"),
        pytest.param("A [b [c] D", [("A b", None), ("c", None), ("D", None)], id="unclosed"),
        pytest.param("A] B , [c (x)]", [("A B ,", None), ("c (x)", None)], id="stray"),
        pytest.param("[a] , [b]", [("a", None), ("b", None)], id="no letters between"),
        pytest.param("[a (1) (22)]", [("a (1)", 22)], id="the last number is the hint"),
    ],
)
def test_reads_a_rebus(rebus: str, texts: list[tuple[str, int | None]]) -> None:
    assert [(e.text, e.length) for e in parse_rebus(rebus)] == texts


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


@pytest.mark.parametrize(
    ("rebus", "key"),
    [
        pytest.param(" AB ".join(["[Altra clue]"] * 40), "7 2 9 4 " * 9, id="40 clues"),
        pytest.param(" AB ".join(["[mai vista]"] * 40), "7 2 9 4 " * 9, id="40 unknown"),
        pytest.param("[a]A" * MAX_CLUES, "3 " * 400, id="as many as may be"),
        pytest.param("AB" * (MAX_CHARACTERS // 2), "1 " * 2500, id="letters only"),
        pytest.param("ABC" * 1600 + "[a][b]", "999999999999", id="one endless word"),
    ],
)
def test_the_search_is_bounded(rebus: str, key: str) -> None:
    # No time is measured: an exponential search would not end at all.
    assert "\nSoluzione: " in solve(rebus, key, lexicon())


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
