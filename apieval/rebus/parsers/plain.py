"""The quick way to read an answer that keeps to the template: what `tolerant` reads in it, sooner.

Most answers of a good model need no tolerance. What is read here is what the long way reads, which
a test holds; at the first thing out of the ordinary the answer is left to it.
"""

from __future__ import annotations

from typing import Final

from apieval.patterns import regex
from apieval.rebus.characters import surely_composed
from apieval.rebus.parsers import blocks, values
from apieval.rebus.parsers.lines import Said, Says
from apieval.rebus.parsers.question import Question
from apieval.records import Prediction, Reading, Status

_WORD: Final = r"[^\W_]++"
_ANSWER: Final = regex(
    "(?:Procediamo alla risoluzione del rebus passo per passo:\n)?+"
    rf"((?:- (?:\[[^\]\n]*+\] = {_WORD}|[A-Z' ]++= [A-Z' ]++)\n)++)\n?+"
    rf"Prima lettura: ({_WORD}(?: {_WORD})*+)\n\n?+"
    "(?:Ora componiamo la soluzione seguendo la chiave risolutiva:\n)?+"
    rf"((?:[0-9]++ = {_WORD}'?+\n)++)\n?+"
    rf"Soluzione: ({_WORD}(?:['\x20]{_WORD})*+)\n*+"
)
_GUESS: Final = regex(r"- \[([^\]]*)\] = (.*)")
_SOLUTION_WORD: Final = regex("([0-9]+) = (.*)")
_FOUND: Final = dict.fromkeys(
    ("word_guesses", "first_pass", "solution_words", "solution"), Status.FOUND
)
_SEEN: Final = {"answers": 1, "solution_lines": 1}


def parse(text: str, question: Question) -> Reading | None:
    """Read an answer that has every part of the template, each in its place; None for any other."""
    answer = _ANSWER.fullmatch(text) if surely_composed(text) and "\u00c3" not in text else None
    if answer is None:
        return None
    guesses = _GUESS.findall(answer[1])
    if tuple(clue for clue, _ in guesses) != question.shown:
        return None
    said = _SOLUTION_WORD.findall(answer[3])
    told = blocks.along_key(said, question)
    if len(told) < len(question.lengths) or len(told) >= 2 * len(question.lengths):
        return None
    passed = values.first_pass(Said(Says.FIRST_PASS, answer[2], 0), question)
    solved = values.solution(Said(Says.SOLUTION, answer[4], 0), question)
    if solved.why or passed.why:
        return None
    prediction = Prediction.model_construct(
        word_guesses=tuple(word for _, word in guesses),
        first_pass=passed.text,
        solution_words=told,
        solution=solved.text,
    )
    seen_in = {}
    if passed.kinds:
        seen_in["first_pass"] = passed.kinds
    if told != tuple(word for _, word in said):
        seen_in["solution_words"] = blocks.ALONG_KEY
    if solved.kinds:
        seen_in["solution"] = solved.kinds
    through = tuple(sorted(frozenset().union(*seen_in.values()))) if seen_in else ()
    return Reading(prediction, _FOUND, {}, through, _SEEN, seen_in)
