from __future__ import annotations

import pytest

from apieval.analysis.language import LONGEST, other_language
from apieval.rebus import prompts
from tests.records import ANSWER

ENGLISH = (
    "Let's go step by step. The first clue is a city, and this word has five letters because the "
    "answer must be the name of a river that you can find there.\n"
)
ITALIAN = (
    "Vediamo passo per passo. Il primo indizio è una città, e questa parola ha cinque lettere perché "
    "la risposta deve essere il nome di un fiume che si trova nella regione.\n"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(ENGLISH + ANSWER, "en", id="English around Italian steps"),
        pytest.param(
            "Vamos a resolver el acertijo por pasos: la primera pista es el nombre de los que viven "
            "en las montañas, y entonces la palabra tiene cinco letras.\n" + ANSWER,
            "es",
            id="Spanish",
        ),
        pytest.param(
            "Voici les étapes: le premier indice est dans les montagnes, donc le mot est une ville "
            "qui est aux pieds des Alpes, avec cinq lettres.\n" + ANSWER,
            "fr",
            id="French",
        ),
        pytest.param(
            "Wir lösen das Rätsel: der erste Hinweis ist ein Wort mit fünf Buchstaben, und die "
            "Lösung ist nicht schwer.\n" + ANSWER,
            "de",
            id="German",
        ),
        pytest.param(
            "Vamos resolver isso: a primeira dica é uma palavra com cinco letras, então você não "
            "tem muito para pensar.\n" + ANSWER,
            "pt",
            id="Portuguese",
        ),
        pytest.param("答案是：隐藏的真相，这是一个意大利语的谜题。", "han", id="Chinese"),
        pytest.param("Решение: скрытая правда", "cyrillic", id="Russian"),
        pytest.param("これはイタリアのなぞなぞです。", "kana", id="Japanese"),
    ],
)
def test_another_language(text: str, expected: str) -> None:
    assert other_language(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param(ANSWER, id="the template"),
        pytest.param(ITALIAN + ANSWER, id="Italian around it"),
        pytest.param(ITALIAN + ENGLISH, id="both"),
        pytest.param(prompts.template("hints"), id="the prompt itself"),
        pytest.param("First reading: AC cozza GLI\nSolution: accozzaglie", id="labels alone"),
        pytest.param("the the the the the the of of", id="too few different words"),
        pytest.param("THE AND OF WITH THIS THAT WHICH FROM", id="capitals, which may be letters"),
        pytest.param(ANSWER.replace("Rita", "the and of with this that which"), id="a guess"),
        pytest.param(
            "- [The king of the hill, and this is for you] re\n" * 3, id="a clue that is a title"
        ),
        pytest.param(f"<think>{ENGLISH}</think>{ANSWER}", id="English thoughts"),
        pytest.param(f"<think>{ENGLISH}", id="English thoughts without end"),
        pytest.param(ANSWER + "La lettera α, poi β e γ.", id="a few Greek letters"),
        pytest.param(" " * LONGEST + ENGLISH, id="beyond what is looked at"),
    ],
)
def test_no_other_language(text: str) -> None:
    assert other_language(text) is None
