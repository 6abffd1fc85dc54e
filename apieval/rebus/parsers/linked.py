"""What a line says together with the one before it: a value below its label, a correction, a list.

A line without a label says nothing by itself. Below a label that has no value it may be the value,
if it has the form of one; behind a value it may correct it, offer another, or take it back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from apieval.patterns import regex
from apieval.rebus.parsers import lines, several, values
from apieval.rebus.parsers.cleaning import undecorated
from apieval.rebus.parsers.lines import LABELLED, Said, Says
from apieval.rebus.parsers.question import Question, respaced

TAKEN_BACK: Final = "what follows takes it back"
_SOLVES: Final = {Says.SOLUTION, Says.FINAL, Says.PERHAPS}
_HEDGED: Final = {*_SOLVES, Says.GUESS, Says.WORD, Says.FIRST_PASS}
_WORD: Final = regex(
    r"(?:(?:la )?(?:parola|word|termine) ?(?:n[.°]? ?)?(?P<place>[0-9]{1,2})|(?:la )?(?P<nth>prima|seconda|terza"
    r"|quarta|quinta|sesta|settima|ottava) parola)(?: ?\([0-9]{1,2}(?: (?:lettere|letters))?\))?"
    r" ?[:=–—>-]{1,2} (?P<word>[^\W\d_][\w']*)[.;,]?"
    r"|(?P<word2>[^\W\d_][\w']*) ?(?:[=:–—-]|[=-]>|→) ?\(?(?P<length2>[0-9]{1,2})(?: (?:lettere|letters))?\)?[.;,]?"
    r"|(?P<word3>[^\W\d_][\w']*) ?[(\[](?P<length3>[0-9]{1,2})(?: (?:lettere|letters))?[)\]][.;,]?"
    r"|[(\[](?P<length4>[0-9]{1,2})(?: (?:lettere|letters))?[)\]] ?[:–—-]?\ ?(?P<word4>[^\W\d_][\w']*)[.;,]?"
    r"|(?:(?:la )?parola (?:di|da|con) )(?P<length5>[0-9]{1,2}) lettere ?[:=–—>-]{1,2} (?P<word5>[^\W\d_][\w']*)[.;,]?"
    r"|\| (?P<word6>[^\W\d_][\w']*) \| (?P<length6>[0-9]{1,2})(?: lettere)? \|",
    re.IGNORECASE,
)
_ORDINALS: Final = ("prima", "seconda", "terza", "quarta", "quinta", "sesta", "settima", "ottava")
_ONE: Final = regex(r"[^\W\d_][\w']*[.,;]?")

_SENTENCE: Final = regex(
    r"(?:sper(?:o|iamo)|fammi|fatemi|ecco|vediamo|torniamo|grazie|proviamo|ricontroll|procediamo|hope|here|let|thank)"
    r"\b",
    re.IGNORECASE,
)
"""What begins as what models say behind an answer, and no solution does."""
_QUOTED: Final = regex(r"""["“„«'‘].{1,200}["”“»'’][.!]?""")


_LONGEST: Final = 300
"""A solution, or another in its place, is no longer."""
_OR_ELSE: Final = regex(r"""[ ("“«-]{0,4}(?:(?:o|oppure|or) )?["“«]?""", re.IGNORECASE)
"""What may stand before another phrase."""
_QUOTED_WITHIN: Final = regex(r"""["“«]([^"“”«»]{1,200})["”»]""")


def heard(text: str, question: Question) -> list[Said]:
    """Return what a text says; a final answer is a solution where it is as long as the key."""
    every = _with_words(list(lines.said(text, question.clues)), question)
    heard_ = _Heard(question)
    at = 0
    while at < len(every):
        line, told = every[at], every[at : at + 1]
        at += 1
        if line.says in LABELLED and not line.value:
            told, used = _below(line, every, at, question)
            at += used
        elif line.says in _SOLVES and (whole := _begun(line, every, at, question)):
            told = [whole]
            at += len(question.lengths) - 1
        elif line.says is Says.PERHAPS and several.wrong(line.value) and heard_.found:
            told = []
            heard_.found[-1] = heard_.found[-1]._replace(doubt=TAKEN_BACK)
        elif line.says is Says.BARE:
            heard_.offer(line)
            told = _behind(line, heard_.found, question)
        for each in told:
            heard_.add(each, every[max(at - 2, 0)].line)
    return heard_.found


@dataclass(slots=True)
class _Heard:
    """What was said so far; the last line with a solution in Italian, and the last numbered one's number."""

    question: Question
    found: list[Said] = field(default_factory=list)
    italian: int | None = None
    option: str = ""
    either: bool = False

    def add(self, each: Said, above: int) -> None:
        """Take in what a line says; `above` is the number of the line before it.

        One of several numbered solutions is no more than one of several. One in English right below
        one in Italian, or below any where it is not as long as the key, is its translation.
        """
        if each.says is Says.FINAL:
            says = Says.SOLUTION if _fits(each, self.question) else Says.PERHAPS
            each = each._replace(says=says)
        last = self.found[-1] if self.found else each
        if each.says is Says.PERHAPS and _is_rival(each.value, last, self.question):
            self.found[-1] = last._replace(doubt=values.SEVERAL)
        if each.says is Says.SOLUTION:
            if not each.english:
                self.italian = each.line
            elif self.italian is not None and (
                self.italian == above or not _fits(each, self.question)
            ):
                return
            if self.either:
                self.either, each = False, each._replace(doubt=values.SEVERAL)
            if each.of:
                other = self.option and self.option != each.of
                self.option = each.of
                each = each._replace(doubt=values.SEVERAL) if other else each
        self.found.append(each)

    def offer(self, line: Said) -> None:
        """Take in a line without a label that parts two solutions, or is the second of them."""
        last = self.found[-1] if self.found else None
        if last is None or last.says not in _SOLVES:
            return
        if self.either and values.count(line.value) == len(self.question.lengths):
            self.found[-1] = last._replace(doubt=values.SEVERAL)
        self.either = several.either(line.value)


def _fits(said: Said, question: Question) -> bool:
    return values.count(values.solution(said, question).text) == len(question.lengths)


def _below(
    label: Said, every: Sequence[Said], at: int, question: Question
) -> tuple[list[Said], int]:
    """Return what stands below a label that has no value, and in how many lines; nothing for prose."""
    first = every[at] if at < len(every) else None
    if label.says is not Says.FIRST_PASS and (told := _of_words(label, every, at, question)):
        return told, len(question.lengths)
    if first is None or first.says is not Says.BARE or first.value.endswith(":"):
        return [], 0
    value = label._replace(
        value=first.value,
        line=first.line,
        kinds=label.kinds | first.kinds | {"next_line"},
        spans=first.spans,
    )
    if label.says is Says.FIRST_PASS:
        return ([value], 1) if _is_pass(value, question) or _apart(first) else ([], 0)
    if _fits(value, question) and (_apart(first) or not _is_sentence(first.value, question.key)):
        others = [each for each in every[at : at + 2] if each.says is Says.BARE and each.of]
        listed = [value._replace(value=each.value, spans=each.spans) for each in others]
        several_ = len(listed) > 1 and all(_fits(each, question) for each in listed)
        return [value._replace(doubt=values.SEVERAL) if several_ else value], 1
    return _in_a_column(value, every, at, len(question.lengths)) or (
        ([value], 1) if _apart(first) else ([], 0)
    )


def _is_sentence(text: str, key: str) -> bool:
    """Return whether a line is said behind an answer, and ends as the key does not."""
    return bool(_SENTENCE.match(text)) or (text[-1] in "!?…" and text[-1] not in key)


def _in_a_column(
    value: Said, every: Sequence[Said], at: int, wanted: int
) -> tuple[list[Said], int] | None:
    """Return a solution whose words stand in a line each, as many as the key has; None without."""
    words = []
    for each in every[at : at + wanted + 1]:
        if each.says is not Says.BARE or not _ONE.fullmatch(each.value):
            break
        words.append(each)
    if len(words) == wanted > 1:
        joined = " ".join(word.value.rstrip(".,;") for word in words)
        return [value._replace(value=joined, line=words[-1].line, spans=())], wanted
    return None


def _begun(label: Said, every: Sequence[Said], at: int, question: Question) -> Said | None:
    """Return a solution whose first word stands behind its label, and the others below, a line each."""
    below = every[at : at + len(question.lengths) - 1]
    words = [label.value, *(each.value for each in below if each.says is Says.BARE)]
    lengths = [sum(map(str.isalnum, word)) for word in words]
    if len(words) == 1 or lengths != [*question.lengths] or not all(map(_ONE.fullmatch, words)):
        return None
    return label._replace(
        value=" ".join(words), line=below[-1].line, kinds=label.kinds | {"next_line"}
    )


def _of_words(label: Said, every: Sequence[Said], at: int, question: Question) -> list[Said]:
    """Return the words of a solution that stand below its label, each with its length, and the whole."""
    below = every[at : at + len(question.lengths)]
    lengths = [str(length) for length in question.lengths]
    if [each.of for each in below if each.says is Says.WORD] != lengths or len(lengths) == 1:
        return []
    words = [values.word(each).text for each in below]
    if not all(map(_ONE.fullmatch, words)):
        return []
    kinds = label.kinds | {"next_line"}
    return [*below, label._replace(value=" ".join(words), line=below[-1].line, kinds=kinds)]


def _is_pass(value: Said, question: Question) -> bool:
    """Return whether a line has the form of a first pass: its letters, or some of them, as they stand."""
    text = values.first_pass(value, question).text
    if respaced(text, question) is not None:
        return True
    letters = {group for group in question.letters if group}
    return bool(letters & set(text.split())) and not text.endswith((".", "!", "?"))


def _apart(line: Said) -> bool:
    """Return whether all of a line is set apart: in bold, a box or quotation marks."""
    text = line.value.rstrip(".!")
    return line.boxed or text in line.spans or _QUOTED.fullmatch(line.value) is not None


def _behind(line: Said, found: list[Said], question: Question) -> list[Said]:
    """Return what a line without a label says of the one before it; what it doubts is marked there."""
    before = found[-1] if found and found[-1].says in _HEDGED else None
    text = line.value
    if (offered := several.alternative(text)) is not None:
        if before and _is_other(offered, text, before, question):
            found[-1] = before._replace(doubt=values.SEVERAL)
        return []
    if before and before.says in _SOLVES and several.withdraws(text):
        found[-1] = before._replace(doubt=TAKEN_BACK)
        return []
    rest = several.correction(text)
    if rest and (told := _corrects(rest, line, found, question)) is not None:
        return told
    if before and _is_rival(text, before, question):
        found[-1] = before._replace(doubt=values.SEVERAL)
    return []


def _corrects(rest: str, line: Said, found: list[Said], question: Question) -> list[Said] | None:
    """Return what a line that takes back the one before it says in its place; None for nothing."""
    before = found[-1] if found and found[-1].says in _HEDGED else None
    plain = undecorated(rest)
    for each in lines.parts(plain, rest, line.line, question.clues):
        if each is not None and each.says in _HEDGED and each.value:
            if before and each.says is before.says is Says.WORD and each.of == before.of:
                found.pop()  # words have no other place than their order
            sure = each.says in _SOLVES and _fits(each, question)
            says = Says.SOLUTION if sure else each.says
            return [each._replace(says=says, kinds=each.kinds | line.kinds | {"correction"})]
    if before and (corrected := _corrected(rest, line, before, question)):
        if before.says is Says.WORD:
            found.pop()
        return [corrected]
    if before and _names_another(rest, line, before, question):
        found[-1] = before._replace(doubt=TAKEN_BACK)
        return []
    return None


def _is_rival(text: str, before: Said, question: Question) -> bool:
    """Return whether a line holds another phrase like the solution before it, whatever it calls it."""
    if before.says not in _SOLVES or max(len(text), len(before.value)) > _LONGEST:
        return False
    if _another(several.named(text), before, question):
        return True
    phrase = text.rpartition(": ")[2]
    phrase = phrase[found.end() :] if (found := _OR_ELSE.match(phrase)) else phrase
    named = phrase[:1].isupper() or before.value[:1].islower()
    solved = values.solution(before, question).text
    return named and values.alike(solved, phrase, len(question.lengths))


def _another(text: str, before: Said, question: Question) -> bool:
    """Return whether a text begins with another phrase than a solution, as long as the key."""
    named, told = (values.words(each)[: len(question.lengths)] for each in (text, before.value))
    return len(named) == len(question.lengths) and named != told


def _is_other(offered: str, text: str, before: Said, question: Question) -> bool:
    """Return whether a line offers another value in the place of the one before it."""
    if not offered or offered.strip(" .").lower() == before.value.strip(" .").lower():
        return False
    if before.says in _SOLVES:
        return text.lower().lstrip("([ ").startswith(_SURELY) or _fits(
            before._replace(value=offered), question
        )
    if before.says is Says.FIRST_PASS:
        return respaced(offered.rstrip("."), question) is not None
    return values.ALONE.fullmatch(offered) is not None


def _names_another(rest: str, line: Said, before: Said, question: Question) -> bool:
    """Return whether a line that corrects the one before it sets another phrase apart."""
    named = [*line.spans, *(found[1] for found in _QUOTED_WITHIN.finditer(rest))]
    wanted, told = len(question.lengths), before.value.lower()
    return before.says in _SOLVES and any(
        values.count(each) == wanted and each.lower() not in told for each in named
    )


def _corrected(rest: str, line: Said, before: Said, question: Question) -> Said | None:
    """Return a value that takes the place of the one before it, where it has the form of one."""
    value = before._replace(
        value=rest,
        line=line.line,
        kinds=before.kinds | line.kinds | {"correction"},
        spans=line.spans,
        doubt="",
    )
    if before.says in _SOLVES:
        named = not rest[0].islower() or before.value[:1].islower()
        return value._replace(says=Says.SOLUTION) if named and _fits(value, question) else None
    if before.says is Says.FIRST_PASS:
        return value if _is_pass(value, question) else None
    return value if values.ALONE.fullmatch(rest) else None


def _with_words(every: list[Said], question: Question) -> list[Said]:
    """Return lines with the solution words among them told, where their numbers are those of the key.

    `8. Orologio`, `Orologio (8)`, `Parola 1: Orologio`: as many as the key has, one behind the other.
    Where some have the template's own form, others are no solution words.
    """
    wanted = [str(length) for length in question.lengths]
    if not wanted or any(each.says is Says.WORD for each in every):
        return every
    for at, (above, below) in enumerate(pairwise(every)):
        if columns := _columns(above, below, wanted):
            return [*every[: at + 1], *columns, *every[at + 2 :]]
    places = [str(place) for place in range(1, len(wanted) + 1)]
    run: list[tuple[int, str, bool, str]] = []
    for at, each in enumerate([*every, None]):
        one = _numbered(each) if each and each.says is Says.BARE else None
        if one:
            run.append((at, *one))
            continue
        numbers = [number for _, number, _, _ in run]
        if numbers == wanted or (numbers == places and all(place for _, _, place, _ in run)):
            for (there, _, _, word), length in zip(run, wanted, strict=True):
                old = every[there]
                kinds = old.kinds | {"separator"}
                every[there] = old._replace(says=Says.WORD, value=word, of=length, kinds=kinds)
            break
        run = []
    return every


def _columns(above: Said, below: Said, wanted: list[str]) -> list[Said]:
    """Return the solution words of a table that has the key's numbers above them; else none."""
    if not above.says is below.says is Says.BARE or not above.value.startswith("|"):
        return []
    numbers, words = (
        [cell.strip() for cell in each.value.strip("| ").split("|")][-len(wanted) :]
        for each in (above, below)
    )
    if numbers != wanted or not all(map(_ONE.fullmatch, words)) or len(words) < len(wanted):
        return []
    kinds = below.kinds | {"table"}
    return [
        below._replace(says=Says.WORD, value=word, of=length, kinds=kinds)
        for word, length in zip(words, wanted, strict=True)
    ]


def _numbered(line: Said) -> tuple[str, bool, str] | None:
    """Return the number of a line with one word, whether it is a place rather than a length, the word."""
    if line.of.isdecimal() and _ONE.fullmatch(line.value):
        return line.of, False, line.value
    found = _WORD.fullmatch(line.value)
    if found is None:
        return None
    if word := found["word"]:
        nth = found["nth"]
        place = str(_ORDINALS.index(nth.lower()) + 1) if nth else found["place"]
        return place, True, word
    form = next(at for at in "23456" if found[f"word{at}"])
    return found[f"length{form}"], False, found[f"word{form}"]


_SURELY: Final = (
    "in alternativa",
    "alternativ",
    "altra",
    "un'altra",
    "soluzione alt",
    "another",
)
"""How a line begins that surely offers another solution, whatever it is."""
