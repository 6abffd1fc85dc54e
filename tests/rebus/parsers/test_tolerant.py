from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from apieval.rebus import dataset
from apieval.rebus.equality import along_key, spelled, strict
from apieval.rebus.parsers import linked, plain, tolerant
from apieval.rebus.parsers.question import Question, question
from apieval.records import Prediction, Reading, Rebus, Status
from tests.rebus.parsers import decorations
from tests.rebus.parsers.decorations import EXAMPLE, EXAMPLES, HARD, NEXT, Style, draft, written
from tests.records import ANSWER, PUBLISHED, needs_published, prediction, rebus

ASKED: Final = question(rebus())
GUESSES: Final = (
    "- V E = VE\n- [Santa di Cascia] = Rita\n- N A = NA\n- [Sposta da un lato] = scosta\n"
)
FIRST: Final = "Prima lettura: VE Rita NA scosta\n"
WORDS: Final = "6 = Verità\n8 = nascosta\n"
SOLUTION: Final = "Soluzione: Verità nascosta\n"
WRONG: Final = (
    "- [Santa di Cascia] = Chiara\n- [Sposta da un lato] = muove\nPrima lettura: VE Chiara NA muove\n"
    "6 = Varietà\n8 = rinchiusa\nSoluzione: Varietà rinchiusa\n"
)
GOLDS: Final = [*HARD, *dataset.load().rebuses]


def changed(old: str, new: str) -> str:
    """Return the usual answer with one piece of it in other words."""
    assert old in ANSWER
    return ANSWER.replace(old, new)


def read(text: str, asked: Question = ASKED, **options: bool) -> Reading:
    reading = tolerant.parse(text, asked, **options)
    assert set(reading.status) == set(tolerant.PARTS)
    assert set(reading.why) == {p for p, s in reading.status.items() if s is not Status.FOUND}
    assert len(reading.prediction.word_guesses) == len(asked.clues)
    return reading


def right(gold: Rebus) -> Prediction:
    return Prediction(
        word_guesses=gold.word_guesses,
        first_pass=gold.first_pass,
        solution_words=along_key(gold).solution_words,
        solution=" ".join(gold.solution.split()),  # one row of the study's has two blanks
    )


def test_the_usual_answer() -> None:
    seen = {"answers": 1, "solution_lines": 1}
    found = dict.fromkeys(tolerant.PARTS, Status.FOUND)
    assert read(ANSWER) == Reading(prediction(), found, seen=seen)


SEEN_THROUGH = [
    pytest.param(changed("= Rita", "= **Rita**"), {"bold"}, id="bold guess"),
    pytest.param(changed("Rita NA", "**Rita** NA"), {"bold"}, id="bold word of the first pass"),
    pytest.param(changed("[Santa di Cascia] =", "*[Santa di Cascia]* ="), {"bold", "bullet"}, id="italic clue"),
    pytest.param(changed("= Rita", "= __Rita__"), {"bold"}, id="underscores"),
    pytest.param(changed("= Rita", "= `Rita`"), {"bold"}, id="code"),
    pytest.param(changed("= Rita", "= <b>Rita</b>"), {"bold"}, id="HTML"),
    pytest.param(changed("= Rita", "= **Rita**, protettrice di Cascia"), {"bold", "remark"}, id="remark behind bold"),
    pytest.param(changed("Soluzione: ", "### Soluzione: "), {"heading"}, id="heading"),
    pytest.param(changed("Soluzione: Verità", "**Soluzione**: Verità"), {"bold"}, id="bold label"),
    pytest.param(changed("Soluzione: ", "## Soluzione\n\n"), {"heading", "label", "next_line"}, id="value below its heading"),
    pytest.param(changed("- [", "> - ["), {"quote"}, id="block quote"),
    pytest.param(f"```\n{ANSWER}```\n", set(), id="fence"),
    pytest.param(changed("- [", "* ["), {"bullet"}, id="asterisks"),
    pytest.param(changed("- [", "• ["), {"bullet"}, id="round bullets"),
    pytest.param(changed("- [", "1) ["), {"bullet"}, id="numbers with brackets"),
    pytest.param(changed("- [", "- 2. ["), {"bullet"}, id="bullet and number"),
    pytest.param(changed("- [", "["), {"bullet"}, id="no bullet"),
    pytest.param(changed("6 = ", "- 6 = "), set(), id="bullet before a solution word"),
    pytest.param(changed("- [Santa di Cascia] = Rita", "| [Santa di Cascia] | Rita |"), {"table"}, id="table row"),
    pytest.param(changed("- [Santa di Cascia] = Rita", "| Santa di Cascia | Rita |"), {"table", "brackets"}, id="table row without brackets"),
    pytest.param(changed("- [Santa di Cascia] = Rita", "| 1 | [Santa di Cascia] | Rita | 4 |"), {"table"}, id="wide table"),
    pytest.param(changed("- [Santa di Cascia] = Rita", "| [Santa di Cascia] = Rita |"), {"table"}, id="table of one column"),
    pytest.param(changed(WORDS, "| n | parola |\n|---|:-:|\n| 6 | Verità |\n| 8 | nascosta |\n"), {"table"}, id="table of solution words"),
    pytest.param(changed("Soluzione: Verità nascosta", "| Soluzione | Verità nascosta |"), {"table", "label"}, id="solution in a table"),
    pytest.param(changed("Soluzione: Verità nascosta", r"Soluzione: $\boxed{\text{Verità nascosta}}$"), {"latex"}, id="box"),
    pytest.param(changed("Soluzione: Verità nascosta", "\\[\n\\boxed{Verità\\ nascosta}\n\\]"), {"latex", "label"}, id="box alone"),
    pytest.param(changed("- [Santa di Cascia] = Rita", r"- [Santa di Cascia] $\rightarrow$ \textbf{Rita}"), {"latex", "separator"}, id="LaTeX arrow"),
    pytest.param(changed("- [Santa di Cascia]", r"- \[Santa di Cascia\]"), {"escape", "bullet"}, id="escaped brackets"),
    pytest.param(ANSWER.replace("\n", "\r\n"), {"crlf"}, id="CRLF"),
    pytest.param(ANSWER.replace("\n", "\u2028"), {"line_break"}, id="line separators"),
    pytest.param(changed("- [Santa di Cascia] = ", "- [Santa di Cascia]: "), {"separator"}, id="colon"),
    pytest.param(changed("- [Santa di Cascia] = ", "- [Santa di Cascia] -> "), {"separator"}, id="arrow"),
    pytest.param(changed("- [Santa di Cascia] = ", "- [Santa di Cascia] – "), {"separator"}, id="dash"),
    pytest.param(changed("- [Santa di Cascia] = ", "- [Santa di Cascia (4)] = "), set(), id="clue with its length"),
    pytest.param(changed("- [Santa di Cascia] = ", "- [Santa di Cascia] (4) = "), {"remark"}, id="length behind the clue"),
    pytest.param(changed("- [Santa di Cascia] = ", "- [Santa di Cascia] = santa = "), set(), id="last of a chain"),
    pytest.param(changed("- [Santa di Cascia] = ", "- Santa di Cascia = "), {"brackets"}, id="clue without brackets"),
    pytest.param(changed("[Santa di Cascia]", "[SANTA DI CASCIA...]"), set(), id="clue in other characters"),
    pytest.param(changed("[Santa di Cascia]", "[La santa umbra]"), set(), id="clue in other words, by its place"),
    pytest.param(changed("6 = ", "6: "), {"separator"}, id="colon behind a length"),
    pytest.param(changed("6 = ", "(6 lettere) = "), {"separator"}, id="length with a word"),
    pytest.param(changed("6 = ", "6 - "), {"separator"}, id="dash behind a length"),
    pytest.param(changed("= Rita", "= Rita (è nata a Roccaporena)"), {"remark"}, id="remark"),
    pytest.param(changed("= Rita", "= Rita (è nata (credo"), {"remark"}, id="remark without an end"),
    pytest.param(changed("= Rita", "= Rita - la santa"), {"remark"}, id="remark behind a dash"),
    pytest.param(changed("= Rita", "= Rita, la santa"), {"remark"}, id="remark behind a comma"),
    pytest.param(changed("= Rita", "= (Rita)"), {"remark"}, id="word in brackets"),
    pytest.param(changed("= Rita", "= «Rita»"), {"quotes"}, id="guillemets"),
    pytest.param(changed("Verità nascosta\n", "'Verità nascosta'\n"), {"quotes"}, id="single quotes"),
    pytest.param(changed("Soluzione: Verità nascosta", "| ✅ 4. Soluzione | Verità nascosta |"), {"table", "label", "bullet"}, id="solution in a table, its label numbered"),
    pytest.param(changed("= Rita", "= 'Rita'."), {"quotes", "full_stop"}, id="single quotes and full stop"),
    pytest.param(changed("= Rita", "= Rita ✓"), {"symbol"}, id="tick"),
    pytest.param(changed("VE Rita NA scosta", "V E Rita N A scosta"), {"spaced_letters"}, id="letters apart"),
    pytest.param(changed("VE Rita NA scosta", "VE + Rita + NA + scosta"), {"separator"}, id="plus signs"),
    pytest.param(changed("VE Rita NA scosta", "VE [Rita] NA [scosta]"), {"separator"}, id="words in brackets"),
    pytest.param(changed("VE Rita NA scosta", "VE Rita NA scosta (fatto)."), {"remark"}, id="remark behind the first pass"),
    pytest.param(changed("VE Rita NA scosta", "**VE Rita NA scosta** ecco"), {"bold", "remark"}, id="bold first pass and more"),
    pytest.param(changed("Verità nascosta\n", "Verità nascosta.\n"), {"full_stop"}, id="full stop"),
    pytest.param(changed("Soluzione: Verità nascosta", "Soluzione: Verità nascosta, cioè il vero che non si vede"), {"remark"}, id="explained solution"),
    pytest.param(changed("Soluzione: Verità nascosta", "Soluzione: Verità nascosta cioè ovvia"), {"remark"}, id="explained without a comma"),
    pytest.param(changed("Soluzione: Verità nascosta", "Soluzione: Verità nascosta. Torna con la chiave"), {"remark"}, id="sentence behind the solution"),
    pytest.param(changed("Soluzione: Verità nascosta", 'Soluzione: "Verità nascosta" perché torna'), {"remark", "quotes"}, id="quoted solution"),
    pytest.param(changed("Soluzione: Verità nascosta", "Soluzione: Verità nascosta (6 8)"), {"remark"}, id="key behind the solution"),
    pytest.param(changed("Soluzione: Verità nascosta", "Soluzione: (Verità nascosta)"), {"remark"}, id="solution in brackets"),
    pytest.param(changed("Soluzione: Verità nascosta", "Soluzione: Verità / nascosta"), {"separator"}, id="solution cut by a slash"),
    pytest.param(changed("Soluzione:", "SOLUZIONE FINALE:"), {"label"}, id="other label"),
    pytest.param(changed("Soluzione:", "La soluzione del rebus è:"), {"label"}, id="label in a sentence"),
    pytest.param(changed("Soluzione:", "Final solution:"), {"label"}, id="English label"),
    pytest.param(changed("Soluzione:", "Risposta finale:"), {"label"}, id="another name"),
    pytest.param(changed("Soluzione:", "La soluzione è"), {"label"}, id="sentence"),
    pytest.param(changed("Prima lettura:", "First reading:"), {"label"}, id="English first pass"),
    pytest.param(changed("scosta\n\nOra", "scosta Soluzione: Nulla di fatto\n\nOra"), {"second_answer"}, id="label within a line"),
    pytest.param(ANSWER.replace("à", "a\u0300"), {"unicode_form"}, id="decomposed"),
    pytest.param(changed("6 = ", "６＝"), {"full_width", "separator"}, id="full width"),
    pytest.param(changed("Soluzione: V", "Soluzione:\u00a0V"), {"blank"}, id="no-break space"),
    pytest.param(changed("Verità nascosta\n", "Verità  nascosta \n"), {"blank"}, id="blanks"),
    pytest.param(changed("nascosta\n", "na\u00adscosta\u200b\n"), {"invisible"}, id="soft hyphen and zero width"),
    pytest.param(ANSWER + "<|im_end|>", {"special_token"}, id="special token"),
    pytest.param(f"<think>\n{WRONG}</think>\n{ANSWER}", {"reasoning"}, id="reasoning"),
    pytest.param(f"[THINK]{WRONG}[/THINK]{ANSWER}", {"reasoning"}, id="reasoning in brackets"),
    pytest.param(f"<think>a <think>b</think> c</think>{ANSWER}", {"reasoning"}, id="reasoning within reasoning"),
    pytest.param(f"<think>a <think>b</think>\n{ANSWER}", {"reasoning"}, id="a tag spoken of"),
    pytest.param(f"{WRONG}</think>\n{ANSWER}", {"reasoning"}, id="orphan tag"),
    pytest.param(f"{ANSWER}</think>\n", set(), id="a stray closing tag behind the answer"),
    pytest.param(f"{ANSWER}\n[/THINK]<|im_end|>", {"special_token"}, id="a stray closing tag and a token"),
    pytest.param(f"{ANSWER}<think>{WRONG}", {"reasoning"}, id="answer before a reasoning never closed"),
    pytest.param(f"{EXAMPLES}{ANSWER}", {"echo"}, id="examples first"),
    pytest.param(f"{EXAMPLE.partition('passo:')[2]}{ANSWER}", {"echo"}, id="one example without its rebus"),
    pytest.param(f"{EXAMPLE}# Ora tocca a te!\n{ANSWER}", {"echo"}, id="one example first"),
    pytest.param(f"{ANSWER}\n{NEXT}", {"run_on"}, id="next rebus"),
    pytest.param(f"{WRONG}{ANSWER}", {"second_answer"}, id="second answer"),
    pytest.param(f"{ANSWER}{ANSWER}", {"second_answer"}, id="the same answer twice"),
    pytest.param(f"{changed(SOLUTION, 'Soluzione: Varietà')}No:\n{SOLUTION}", {"second_answer"}, id="corrected solution"),
    pytest.param(f"{GUESSES}{FIRST}6 = Varietà\n8 = rinchiusa\nNo:\n{WORDS}{SOLUTION}", {"second_answer"}, id="corrected solution words"),
    pytest.param(f"{SOLUTION}Ecco come:\n{GUESSES}{FIRST}{WORDS}", set(), id="solution first"),
    pytest.param(f"{WRONG}Correzione:\n{GUESSES}{FIRST}{WORDS}{SOLUTION}{GUESSES}", {"second_answer"}, id="a third answer that has no solution"),
    pytest.param(f"- [Sposta da un lato] = scosta\n- [Santa di Cascia] = Rita\n{FIRST}{WORDS}{SOLUTION}", {"order"}, id="guesses in another order"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kinds"), SEEN_THROUGH)
def test_sees_through(text: str, kinds: set[str]) -> None:
    reading = read(text)
    assert reading.prediction == prediction()
    assert set(reading.seen_through) == kinds


@pytest.mark.parametrize(
    ("text", "part", "value", "status", "why"),
    [
        pytest.param("", "solution", "", "missing", tolerant.NO_LINE, id="no text"),
        pytest.param("Non so.", "word_guesses", ("", ""), "missing", "guess 1, 2 of 2: no line says it", id="no answer"),
        pytest.param(changed("- [Santa di Cascia] = Rita\n", ""), "word_guesses", ("", "scosta"), "missing", "guess 1 of 2: no line says it", id="one guess missing"),
        pytest.param(changed("= Rita", "= ???"), "word_guesses", ("", "scosta"), "missing", "guess 1 of 2: its line holds no word", id="placeholder"),
        pytest.param(changed("= Rita", "= (non saprei dire)"), "word_guesses", ("", "scosta"), "missing", "guess 1 of 2: its line holds a remark alone", id="remark alone"),
        pytest.param(changed("= Rita", "= Rita / Chiara"), "word_guesses", ("", "scosta"), "ambiguous", "guess 1 of 2: its line offers several", id="two guesses"),
        pytest.param(changed("8 = nascosta\n", ""), "solution_words", ("Verità",), "missing", "1 of 2 words: no line says it", id="one solution word missing"),
        pytest.param(changed("8 = nascosta", "8 = ..."), "solution_words", ("Verità", ""), "missing", "1 of 2 words: its line holds no word", id="solution word left open"),
        pytest.param(changed("Verità nascosta\n", "Verità nascosta oppure Varietà nascosta\n"), "solution", "", "ambiguous", "its line offers several", id="two solutions"),
        pytest.param(changed("Soluzione: Verità nascosta", "Soluzione: ..."), "solution", "", "missing", "its line holds no word", id="solution left open"),
        pytest.param(changed(FIRST, "Prima lettura: ---\n"), "first_pass", "", "missing", "its line holds no word", id="first pass left open"),
        pytest.param(changed("VE Rita NA scosta", "VE Rita scosta (circa)."), "first_pass", "VE Rita scosta", "found", "", id="a first pass that does not fit stays as it is"),
        pytest.param(EXAMPLE, "solution", "", "missing", tolerant.NOT_HERE, id="an example alone"),
        pytest.param(f"- [Primo] = uno\n{SOLUTION}- [Secondo] = due\n{SOLUTION}", "solution", "", "ambiguous", tolerant.WHICH, id="two answers to who knows what"),
        pytest.param(f"- [Primo] = uno\n{SOLUTION}- [Secondo] = due\n{FIRST}{WORDS}{SOLUTION}", "solution", "Verità nascosta", "found", "", id="the one whose lengths are the key's"),
        pytest.param(f"- [Primo] = uno\n{SOLUTION}- [Secondo] = due\n{FIRST}Soluzione: Altro", "solution", "Altro", "found", "", id="the one whose letters are the rebus's"),
        pytest.param(f"- [Primo] = uno\n{SOLUTION}", "solution", "Verità nascosta", "found", "", id="one answer, clues in other words"),
        pytest.param("<think>\nSoluzione: Varietà\nNo, aspetta", "solution", "", "cut", tolerant.STILL_REASONING, id="still reasoning"),
        pytest.param(f"<think>\n{WRONG}No.\n{ANSWER}", "solution", "", "cut", tolerant.STILL_REASONING, id="reasoning never closed, an answer at its end"),
        pytest.param(f"{SOLUTION}No, non torna.\n</think>", "solution", "", "missing", tolerant.NO_LINE, id="a draft that a stray tag ends"),
        pytest.param(f"{SOLUTION}No, non torna.", "solution", "", "ambiguous", linked.TAKEN_BACK, id="taken back"),
        pytest.param(f"<think>\n{ANSWER}\n</think>\n", "solution", "", "missing", tolerant.NO_LINE, id="nothing behind the reasoning"),
        pytest.param(GUESSES + FIRST, "solution", "", "cut", tolerant.ENDS_BEFORE, id="the text ends early"),
        pytest.param(GUESSES + FIRST + "Non so continuare.", "solution", "", "missing", tolerant.NO_LINE, id="given up"),
        pytest.param("Risposta: una frase qualsiasi che non ha due parole", "solution", "", "missing", tolerant.NO_LINE, id="prose is no solution"),
        pytest.param("Soluzione:\nOra la cerco:\n", "solution", "", "missing", tolerant.NO_LINE, id="a label and no value"),
        pytest.param("Soluzione: Verità che non è nascosta affatto", "solution", "Verità che non è nascosta affatto", "found", "", id="a longer solution is not cut to fit"),
        pytest.param("Soluzione: Verità nascosta come ombra", "solution", "Verità nascosta come ombra", "found", "", id="a phrase that goes on is no remark"),
        pytest.param("Soluzione: Verità nascosta che brucia", "solution", "Verità nascosta che brucia", "found", "", id="nor is a clause"),
        pytest.param(f"{SOLUTION}Risposta finale: la prima parola è di sei lettere", "solution", "Verità nascosta", "found", "", id="a final answer that is none"),
        pytest.param("Soluzione: Varietà\nFinal answer: Verità nascosta", "solution", "Verità nascosta", "found", "", id="a final answer"),
        pytest.param("- [Primo] = uno\n- [Altro] = due\n- [Terzo] = tre\nSoluzione: x", "word_guesses", ("uno", "due"), "found", "", id="a guess too many"),
    ],
)  # fmt: skip
def test_tells_what_it_cannot_tell(
    text: str, part: str, value: object, status: str, why: str
) -> None:
    reading = read(text)
    assert getattr(reading.prediction, part) == value
    assert (reading.status[part], reading.why.get(part, "")) == (status, why)


class TestCut:
    def test_the_part_at_the_end_may_be_cut_too(self) -> None:
        reading = read(GUESSES + FIRST + "6 = Ver", cut=True)
        assert reading.prediction.solution_words == ("Ver",)
        assert [s.value for s in reading.status.values()] == ["found", "found", "cut", "cut"]
        reading = read(ANSWER.rstrip(), cut=True)
        assert reading.status["solution"] is Status.CUT
        assert reading.why == {"solution": tolerant.ENDS_IN}

    def test_what_stands_before_is_found(self) -> None:
        reading = read(ANSWER + "\nNon so che", cut=True)
        assert set(reading.status.values()) == {Status.FOUND}


@pytest.mark.parametrize(
    ("key", "lines", "expected"),
    [
        pytest.param("1 ' 3 1 ' 4", "1 = L\n3 = ora\n1 = d\n4 = aria", "L ora d aria", id="one a number"),
        pytest.param("1 ' 3 1 ' 4", "1 = L'\n3 = ora\n1 = d'\n4 = aria", "L ora d aria", id="with apostrophes"),
        pytest.param("1 ' 3 1 ' 4", "4 = L'ora\n5 = d'aria", "L ora d aria", id="joined"),
        pytest.param("1 ' 3 1 ' 4", "1 ' 3 = L' ora\n1'4 = d' aria", "L ora d aria", id="joined, with labels of two"),
        pytest.param("1 ' 3 5", "4 = L'ora\n2 = x\n5 = fatta", "L ora x fatta", id="split where the key is"),
        pytest.param("5 4 6", "5 = dell'oro\n4 = vero\n6 = oriana", "dell'oro vero oriana", id="whole where the key has no apostrophe"),
        pytest.param("5 , 4 3", "6 = c'entro\n4 = vero\n3 = ora", "c'entro vero ora", id="whole where the key has another sign"),
        pytest.param("3 5 4", "3 = con\n4 = vero", "con - vero", id="one left out"),
        pytest.param("3 5 4", "4 = vero", "- - vero", id="the first two left out"),
        pytest.param("6 8", "6 = Verità", "Verità", id="the last one left out"),
        pytest.param("3 5 4", "5 = ...\n4 = vero", "- - vero", id="one left open, one left out"),
        pytest.param("1 ' 3 5 2", "4 = L'ora\n2 = là", "L ora - là", id="one left out behind a joined one"),
        pytest.param("2 1 ' 3 5", "2 = Là\n1 ' 3 = l'ora", "Là l ora", id="joined, with the label of two, none left out but the last"),
        pytest.param("5 2 1 ' 3 4", "5 = entro\n1 ' 3 = l'ora\n4 = vera", "entro - l ora vera", id="one left out before a joined one"),
        pytest.param("5 2 1 ' 3 4", "5 = entro\n5 = l'ora\n4 = vera", "entro - l ora vera", id="the apostrophe counted"),
        pytest.param("1 ' 3 5 2", "5 = L'ora\n2 = là", "L ora là", id="a label that fits in two ways tells nothing"),
        pytest.param("3 3 4 2", "3 = con\n4 = vero", "con vero", id="nor do two numbers that are equal"),
        pytest.param("6 8 2", "5 = Veri\n2 = là", "Veri là", id="nor a label that is not of the key"),
        pytest.param("6 8 2", "8 = nascosta\n6 = Verità", "nascosta Verità", id="nor labels in another order"),
        pytest.param("3 5 5 4 2", "4 = vero\n9 = e non detto\n", "vero e_non_detto", id="nor several words under one number"),
        pytest.param("5 4", "9 = entro vero", "entro vero", id="two words in a line, as many as the key has"),
        pytest.param("5 4 3", "9 = entro vero\n3 = ora\n2 = là", "entro_vero ora là", id="words in a line stay together"),
        pytest.param("", "5 = entro", "entro", id="no key"),
    ],
)  # fmt: skip
def test_solution_words_along_the_key(key: str, lines: str, expected: str) -> None:
    asked = question(rebus(solution_key=key))
    words = tolerant.parse(lines, asked).prediction.solution_words
    assert words == tuple(word.replace("_", " ").strip("-") for word in expected.split())


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param("E.T.", "E.T.", id="two letters"),
        pytest.param("q.b..", "q.b.", id="and a full stop"),
        pytest.param("E.T", "E.T", id="none is added"),
        pytest.param("«S.p.A.»", "S.p.A.", id="in quotation marks"),
        pytest.param("«S.p.A».", "S.p.A", id="a full stop behind quotation marks"),
        pytest.param("E.T. (il film)", "E.T.", id="before a remark"),
        pytest.param("E.T. - il film", "E.T.", id="before a remark behind a dash"),
        pytest.param("E.T. Il film", "E.T.", id="before a sentence"),
        pytest.param("sito.it.", "sito.it", id="no abbreviation"),
        pytest.param("ecc.", "ecc", id="one stop alone may be any"),
        pytest.param(".E.T.", "E.T.", id="a stop before it is none"),
    ],
)
def test_the_last_stop_of_an_abbreviation_is_its_own(said: str, expected: str) -> None:
    assert read(changed("= Rita", f"= {said}")).prediction.word_guesses[0] == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param("(momento (7)", "momento", id="a bracket of the solution's own, and a remark"),
        pytest.param("(momento", "momento", id="a bracket alone"),
        pytest.param("(non saprei (forse)", "", id="a remark never closed"),
    ],
)
def test_half_a_pair_of_brackets(said: str, expected: str) -> None:
    assert read(changed("6 = Verità", f"6 = {said}")).prediction.solution_words[0] == expected


def test_an_abbreviation_in_a_first_pass_and_in_a_solution() -> None:
    asked = question(rebus(verbalized_rebus="VE [Santa di Cascia] NA", solution_key="2 2"))
    text = "Prima lettura: V E E.T. N A\nSoluzione: Di E.T. Bello!"
    found = tolerant.parse(text, asked).prediction
    assert (found.first_pass, found.solution) == ("VE E.T. NA", "Di E.T. Bello")
    asked = question(rebus(solution_key="2 1 1"))
    assert tolerant.parse(text, asked).prediction.solution == "Di E.T."


def test_remarks_behind_a_solution_that_has_brackets_of_its_own() -> None:
    asked = question(rebus(solution_key="5 ( 4 )"))
    text = "Soluzione: Entro (vero) (come da chiave)"
    assert tolerant.parse(text, asked).prediction.solution == "Entro (vero)"


def test_signs_about_a_value_are_taken_off_layer_by_layer_but_not_for_ever() -> None:
    reading = read(changed("= Rita", "= '«'«'Rita'»'»'"))
    assert "Rita" in reading.prediction.word_guesses[0]


@pytest.mark.parametrize(
    ("text", "answers", "solutions"),
    [
        pytest.param("", 0, 0, id="no text"),
        pytest.param(ANSWER * 2, 2, 2, id="the same answer twice"),
        pytest.param(EXAMPLE + ANSWER, 2, 2, id="an example before it"),
        pytest.param(f"{ANSWER}\n{NEXT}", 2, 2, id="a next rebus"),
        pytest.param(f"{ANSWER}No:\n{SOLUTION}", 1, 2, id="a corrected solution"),
        pytest.param(f"<think>\n{WRONG}</think>{ANSWER}", 1, 1, id="thoughts are none"),
    ],
)
def test_tells_how_many_answers_and_solutions_there_are(
    text: str, answers: int, solutions: int
) -> None:
    seen = read(text).seen
    assert (seen["answers"], seen["solution_lines"]) == (answers, solutions)
    assert seen.get("thoughts", 0) == ("think" in text)


def test_tells_of_each_part_what_it_was_read_through() -> None:
    text = changed("= Rita", "= Rita (santa)").replace("VE Rita", "V E Rita").replace("\n", "\r\n")
    assert read(text).seen_in == {
        "word_guesses": {"crlf", "remark"},
        "first_pass": {"crlf", "spaced_letters"},
        "solution_words": {"crlf"},
        "solution": {"crlf"},
    }


def test_a_word_letter_by_letter() -> None:
    reading = read(changed("= Rita", "= R I T A"))
    assert reading.prediction.word_guesses == ("RITA", "scosta")
    assert reading.seen_through == ("spaced_letters",)


def test_equal_clues_take_their_guesses_in_order() -> None:
    asked = question(rebus(verbalized_rebus="[Nota] A [Nota] B [Altro]"))
    text = "- [Nota] = re\n- [Nota] = mi\n- [Altro] = tre\n- [Nota] = fa"
    assert tolerant.parse(text, asked).prediction.word_guesses == ("re", "fa", "tre")


def test_a_clue_of_an_example_may_be_this_rebuss_own() -> None:
    asked = question(rebus(verbalized_rebus="[Edificio religioso] A"))
    text = "- [Edificio religioso] = duomo\nSoluzione: Duomo a"
    assert tolerant.parse(f"{EXAMPLE}\n{text}", asked).prediction.word_guesses == ("duomo",)


@pytest.mark.parametrize("gold", GOLDS, ids=lambda gold: gold.solution)
def test_the_template_is_read_back(gold: Rebus) -> None:
    assert tolerant.parse(written(gold), question(gold)).prediction == right(gold)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(GOLDS), decorations.styles)
def test_any_mix_of_decorations_is_read_back_exactly(gold: Rebus, style: Style) -> None:
    found = tolerant.parse(written(gold, style), question(gold)).prediction
    if style.apostrophe_blank:  # which is no other text, but stays as it is
        assert spelled(strict, found) == spelled(strict, right(gold))
    else:
        assert found == right(gold)


@settings(max_examples=100)
@given(st.sampled_from(GOLDS), st.integers(0, 400))
def test_of_a_cut_answer_what_is_found_is_there(gold: Rebus, at: int) -> None:
    text = written(gold)[:at]
    reading = tolerant.parse(text, question(gold), cut=True)
    for part, whole in right(gold):
        found, status = getattr(reading.prediction, part), reading.status[part]
        if status is Status.FOUND:
            assert found == whole
        elif isinstance(found, str):
            assert whole.startswith(found)
        else:
            assert all(word.startswith(said) for said, word in zip(found, whole, strict=False))


@pytest.mark.parametrize("style", [Style(), Style(spaced=True, quotes="«»"), Style(bullet="* ")])
@pytest.mark.usefixtures("untraced")
@needs_published
def test_the_studys_rows_are_read_back(style: Style) -> None:
    for gold in dataset.load(PUBLISHED / "dataset.csv").rebuses:
        assert tolerant.parse(written(gold, style), question(gold)).prediction == right(gold)


FRAGMENTS: Final = [
    *[GUESSES, FIRST, WORDS, SOLUTION, WRONG, NEXT, "- [", "[", "]", " = ", ": ", "|", "\n", "\r"],
    *["<think>", "</think>", "**", "`", "$", r"\boxed{", "(", ")", '"', "«", "'", "\u0301", "è", "\ud800"],
    *["Prima lettura:", "Soluzione:", "La soluzione è ", "Rebus: ", "Risposta: ", "6", "1. ", "# ", "> "],
    *["Procediamo", "Esempio 1:", "oppure", " / ", " - ", "Santa di Cascia", "<|im_end|>", "٣ = ", "😀"],
]  # fmt: skip
hostile = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=3)), max_size=30).map(
    "".join
)


@settings(max_examples=250)
@given(hostile, st.sampled_from(GOLDS), st.booleans())
@example("", rebus(), False)
def test_any_text_has_a_reading(text: str, gold: Rebus, cut: bool) -> None:
    asked = question(gold)
    reading = read(text, asked, cut=cut)
    assert tolerant.parse(text, asked, cut=cut) == reading
    Prediction.model_validate(reading.prediction.model_dump())


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(GOLDS), st.booleans(), st.integers(0, 300), st.sampled_from([*FRAGMENTS, ""])
)
def test_the_quick_way_reads_what_the_long_way_reads(
    gold: Rebus, spaced: bool, at: int, more: str
) -> None:
    text = written(gold, Style(spaced=spaced))
    text = text[:at] + more + text[at:] if more else text
    quick = plain.parse(text, question(gold))
    if quick is not None:
        assert quick == tolerant._parse(text, question(gold), cut=False)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(("- [Santa di Cascia] = Rita\n", ""), id="a guess missing"),
        pytest.param((WORDS, "6 = Verità\n"), id="a word missing"),
        pytest.param((WORDS, WORDS * 2), id="words twice"),
        pytest.param(("Rita\n", "Ri\u02bcta\n"), id="a character to look at"),
    ],
)
def test_the_quick_way_leaves_the_rest_to_the_long_one(change: tuple[str, str]) -> None:
    assert plain.parse(ANSWER, ASKED) is not None
    assert plain.parse(changed(*change), ASKED) is None


class _Blind:
    """A row that tells nothing but what a solver is shown."""

    def __init__(self, row: Rebus) -> None:
        self.verbalized_rebus, self.solution_key = row.verbalized_rebus, row.solution_key


def test_the_quick_way_tells_what_it_split_along_the_key() -> None:
    asked = question(rebus(solution_key="1 ' 7 8"))
    text = changed("6 = Verità", "1 = L'\n7 = aranceto").replace("Verità n", "L'aranceto n")
    quick = plain.parse(text, asked)
    assert quick == tolerant._parse(text, asked, cut=False)
    assert quick is not None
    assert quick.seen_in == {"solution_words": {"along_key"}}


def test_of_a_row_nothing_but_what_a_solver_is_shown_is_looked_at() -> None:
    blind: Any = _Blind(rebus())
    assert question(blind) == ASKED


LARGE: Final = 250_000


@pytest.mark.parametrize("before", ["", "Soluzione: "])
@pytest.mark.parametrize(
    "unit",
    [
        *[
            "7",
            "- [",
            "[",
            "]",
            "1 = a\n",
            "Soluzione: ",
            "Soluzione: a\n",
            "\n",
            " ",
            "**a** ",
            "`",
        ],
        *[
            "\\boxed{",
            "|a\n",
            "| [x] | y | z\n",
            "<think>",
            "</think>",
            "<|",
            "(",
            ")",
            '"',
            "'",
            "!",
        ],
        *[
            "\u0301",
            "\u0327\u0301",
            "\uff11",
            "\r",
            "> ",
            "1. ",
            "Rebus: [",
            "Procediamo\n",
            "la la ",
        ],
        *["soluzione (", " oppure ", "/", " - ", "A ", "- [Santa di Cascia] = Rita\n", "6 = d'a\n"],
        "Soluzione: a\n- [Santa di Cascia] = b\n",
    ],
)
@pytest.mark.timeout(30)
@pytest.mark.usefixtures("untraced")
def test_a_large_answer_is_read_in_linear_time(before: str, unit: str) -> None:
    # a pattern that is quadratic anywhere takes minutes or hours for these
    size = LARGE // 4 if before else LARGE
    tolerant.parse(before + unit * (size // len(unit)) + "\nSoluzione: x", ASKED)


@pytest.mark.usefixtures("untraced")
@needs_published
class TestPublished:
    """GPT-4o's answers to the study's rows."""

    def answers(self) -> list[tuple[Rebus, str]]:
        rows = dataset.load(PUBLISHED / "dataset.csv").by_id
        with (PUBLISHED / "gpt4o_answers.jsonl").open(encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        return [(rows[str(line["i"])], line["answer"]) for line in lines]

    def test_remarks_and_bold_are_seen_through(self) -> None:
        readings = [(t, tolerant.parse(t, question(row))) for row, t in self.answers()]
        remarks = [r for t, r in readings if any(") = " not in line and " (" in line and line.startswith("- [") for line in t.split("\n"))]  # fmt: skip
        assert len(remarks) >= 60
        assert not any("(" in guess for r in remarks for guess in r.prediction.word_guesses)
        bold = [r for text, r in readings if "**" in text]
        assert len(bold) == 2
        assert not any("*" in r.prediction.solution for r in bold)

    def test_the_quick_way_is_the_long_way(self) -> None:
        for row, text in self.answers():
            asked = question(row)
            assert tolerant.parse(text, asked) == tolerant._parse(text, asked, cut=False)


def test_name_and_version_are_printed_with_every_score() -> None:
    assert (tolerant.NAME, tolerant.VERSION) == ("tolerant", 3)


def test_a_draft_is_not_the_answer() -> None:
    gold = replace(rebus())
    reading = tolerant.parse(draft(gold), question(gold))
    assert reading.prediction.solution == ""
    assert reading.why["solution"] == linked.TAKEN_BACK
