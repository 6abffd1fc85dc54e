from __future__ import annotations

import json
from typing import Any, Final

import pytest

from apieval.rebus.parsers import tolerant
from apieval.rebus.parsers.question import question
from apieval.rebus.parsers.structured import template
from apieval.records import Prediction
from tests.records import ANSWER, prediction, rebus

ASKED: Final = question(rebus())
GUESSES: Final = {"Santa di Cascia": "Rita", "Sposta da un lato": "scosta"}
WHOLE: Final[dict[str, Any]] = {
    "definizioni": GUESSES,
    "prima_lettura": "VE Rita NA scosta",
    "parole_soluzione": {"6": "Verità", "8": "nascosta"},
    "soluzione": "Verità nascosta",
}


def read(text: str) -> Prediction:
    return tolerant.parse(text, ASKED).prediction


def changed(**changes: object) -> str:
    return json.dumps({**WHOLE, **changes})


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(changed(), id="objects"),
        pytest.param(f"Ecco.\n\n{changed()}\n\nFatto.", id="within prose"),
        pytest.param(f"[{changed()}]", id="in a list"),
        pytest.param(
            changed(parole_soluzione={"6": "Verità", "8": "nascosta", "nota": "fatto"}),
            id="another key among the words",
        ),
        pytest.param(changed(parole_soluzione=["Verità", "nascosta"]), id="a list of words"),
        pytest.param(
            changed(parole_soluzione=[{"parola": "Verità", "lunghezza": 6}, {"word": "nascosta"}]),
            id="a list of objects",
        ),
        pytest.param(changed(parole_soluzione=["Verità", 8, {}, "nascosta"]), id="and others"),
        pytest.param(
            changed(definizioni=[{"indizio": f"[{k}]", "parola": v} for k, v in GUESSES.items()]),
            id="definitions in a list",
        ),
        pytest.param(changed(definizioni=["Rita", "scosta", None]), id="guesses without clues"),
        pytest.param(changed(soluzione=["Verità", "nascosta"]), id="a solution in words"),
        pytest.param(json.dumps({"a": [{"b": {"c": WHOLE}}]}), id="four deep"),
        pytest.param(json.dumps(WHOLE, indent=1).replace('"\n}', '",\n}'), id="a comma too many"),
        pytest.param(
            '<definizione testo="Santa di Cascia">Rita</definizione>\n'
            '<definizione testo="Sposta da un lato">scosta</definizione>\n'
            "<prima_lettura>VE Rita NA scosta</prima_lettura>\n"
            '<parola lunghezza="6">Verità</parola><parola lunghezza="8">nascosta</parola>\n'
            "<soluzione>Verità nascosta</soluzione>",
            id="XML",
        ),
        pytest.param(f"<output>\n{ANSWER}</output>", id="a tag around the template"),
    ],
)
def test_the_parts_are_read(text: str) -> None:
    assert read(text) == prediction()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(json.dumps({"a": {"b": {"c": {"d": {"e": {"f": WHOLE}}}}}}), id="too deep"),
        pytest.param(json.dumps({"commento": "Verità nascosta"}), id="another key"),
        pytest.param('{"soluzione": ', id="cut"),
        pytest.param("[" * 5_000 + '"', id="too many brackets"),
        pytest.param('{"a\n' * 9 + changed(), id="after too many tries"),
        pytest.param("<commento>Verità nascosta</commento>", id="another tag"),
        pytest.param(changed(soluzione=["Verità nascosta", "Varietà nascosta"]), id="several"),
        pytest.param(changed(soluzione=None), id="null"),
        pytest.param(changed(soluzione=[]), id="no word"),
    ],
)
def test_nothing_is_made_up(text: str) -> None:
    assert read(text).solution == ""


def test_half_of_a_surrogate_pair_can_be_written_down() -> None:
    found = read('{"soluzione": "Verit\\ud83d nascosta"}')
    assert found.solution.encode()


def test_other_text_stays_as_it_is() -> None:
    for text in (ANSWER, '"Rita": la santa', 'Disse: "sì"', '{"a": 1}', "<b>x</b>", '{"a'):
        assert template(text) == (text, set())
