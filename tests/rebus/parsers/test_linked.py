"""What a line says of the one before it, of guesses and words as of solutions."""

from __future__ import annotations

from typing import Final

import pytest

from apieval.rebus.parsers import linked, tolerant, values
from apieval.rebus.parsers.question import question
from apieval.records import Reading, Status
from tests.records import ANSWER, rebus

ASKED: Final = question(rebus())
RIGHT: Final = "Soluzione: Verità nascosta"


def read(old: str, new: str) -> Reading:
    assert old in ANSWER
    return tolerant.parse(ANSWER.replace(old, new), ASKED)


@pytest.mark.parametrize(
    ("old", "new", "part", "expected"),
    [
        pytest.param("= Rita", "= Chiara\n  Anzi: Rita", "word_guesses", ("Rita", "scosta"), id="a guess"),
        pytest.param("= Rita", "= Chiara\n  No, aspetta: la santa di Cascia", "word_guesses", ("Chiara", "scosta"), id="a guess, in prose"),
        pytest.param("= Rita", "= Chiara\nNo, - [Santa di Cascia] = Rita", "word_guesses", ("Rita", "scosta"), id="a guess, whole"),
        pytest.param("= nascosta", "= celata\nOps: nascosta", "solution_words", ("Verità", "nascosta"), id="a word"),
        pytest.param("= nascosta", "= celata\nOps, 8 = nascosta", "solution_words", ("Verità", "nascosta"), id="a word, whole"),
        pytest.param("Rita NA scosta", "Chiara NA scosta\nAnzi: VE Rita NA scosta", "first_pass", "VE Rita NA scosta", id="a first pass"),
        pytest.param("Rita NA scosta", "Rita NA scosta\nNo, aspetta: controllo", "first_pass", "VE Rita NA scosta", id="a first pass, in prose"),
        pytest.param(RIGHT, "Soluzione: Varietà nascosta\nNo: Verità nascosta", "solution", "Verità nascosta", id="a solution"),
        pytest.param(RIGHT, f"{RIGHT}\nNo, rileggo tutto", "solution", "Verità nascosta", id="a solution, in prose"),
        pytest.param(RIGHT, f"{RIGHT}\nAnzi, la chiave torna anche", "solution", "Verità nascosta", id="a sentence that begins so"),
    ],
)  # fmt: skip
def test_the_next_line_corrects_a_value(old: str, new: str, part: str, expected: object) -> None:
    assert getattr(read(old, new).prediction, part) == expected


@pytest.mark.parametrize(
    ("old", "new", "part", "doubted"),
    [
        pytest.param("= Rita", "= Rita\nOppure: Chiara", "word_guesses", True, id="a guess"),
        pytest.param("= Rita", "= Rita\nOppure si può pensare ad altre sante", "word_guesses", False, id="a guess, in prose"),
        pytest.param("Rita NA scosta", "Rita NA scosta\nOppure: VE Chiara NA muove", "first_pass", True, id="a first pass"),
        pytest.param("Rita NA scosta", "Rita NA scosta\nOppure altro.", "first_pass", False, id="a first pass, in prose"),
        pytest.param(RIGHT, f"{RIGHT}\nIn alternativa: Varietà", "solution", True, id="a solution"),
        pytest.param(RIGHT, f"{RIGHT}\nOr: Varietà nascosta", "solution", True, id="a solution, in English"),
        pytest.param(RIGHT, f"{RIGHT}\nOr so it seems", "solution", False, id="a sentence that begins so"),
        pytest.param(RIGHT, f"{RIGHT}\nOppure:", "solution", False, id="nothing offered"),
        pytest.param(RIGHT, "Soluzione: Verità / Realtà / Bugia", "solution", True, id="none as long as the key"),
    ],
)  # fmt: skip
def test_the_next_line_offers_another(old: str, new: str, part: str, *, doubted: bool) -> None:
    reading = read(old, new)
    assert (reading.status[part] is Status.AMBIGUOUS) is doubted
    assert (values.SEVERAL in reading.why.get(part, "")) is doubted
    assert reading.seen.get("alternatives", 0) == doubted


def test_a_retraction_is_told() -> None:
    reading = read(RIGHT, f"{RIGHT}\nAspetta, non rispetta la chiave.")
    assert reading.why["solution"] == linked.TAKEN_BACK


def test_corrections_are_counted_by_part() -> None:
    text = ANSWER.replace("= Rita", "= Chiara → Rita").replace("Soluzione: ", "Soluzione: ~~No~~ ")
    assert tolerant.parse(text, ASKED).seen["corrections"] == 2


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        pytest.param("[6] Verità\n[8] nascosta", ("Verità", "nascosta"), id="square brackets"),
        pytest.param("Word 1: Verità\nWord 2: nascosta", ("Verità", "nascosta"), id="in English"),
        pytest.param("(6 lettere) Verità\n(8 lettere) nascosta", ("Verità", "nascosta"), id="spelt out"),
        pytest.param("6. Verità\nche è\n8. nascosta", (), id="prose between"),
    ],
)  # fmt: skip
def test_words_under_other_labels(words: str, expected: tuple[str, ...]) -> None:
    reading = read("6 = Verità\n8 = nascosta", words)
    assert reading.prediction.solution_words == expected


def test_without_a_key_no_list_is_one_of_words() -> None:
    asked = question(rebus(solution_key=""))
    assert tolerant.parse("6. Verità\n8. nascosta", asked).prediction.solution_words == ()
