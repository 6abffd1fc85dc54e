"""Read an answer as a person would, through whatever it is decorated with; never invent.

It knows what the solver was shown of the rebus (`Question`), and uses that to tell which of several
answers is this rebus's, and where a value ends. It knows nothing of what would be right. A part
that it cannot tell is the empty text, and has a status that says why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from apieval.rebus.parsers import blocks, plain, structured, values
from apieval.rebus.parsers.blocks import Block
from apieval.rebus.parsers.cleaning import clean, own_turn, tagged, without_struck, without_tokens
from apieval.rebus.parsers.lines import Said, Says
from apieval.rebus.parsers.linked import heard as _heard
from apieval.rebus.parsers.question import Question
from apieval.rebus.parsers.thoughts import parted
from apieval.rebus.parsers.values import Value
from apieval.records import Prediction, Reading, Status

NAME: Final = "tolerant"
VERSION: Final = 3

PARTS: Final = ("word_guesses", "first_pass", "solution_words", "solution")
NO_LINE: Final = "no line says it"
NOT_HERE: Final = "the answers in the text are to other rebuses"
WHICH: Final = "several answers, and none tells that it is to this rebus"
STILL_REASONING: Final = "the reasoning never ends"
ENDS_BEFORE: Final = "the text ends before it"
ENDS_IN: Final = "the text may end in the middle of it"
THOUGHTS: Final = "thoughts"
CORRECTIONS: Final = "corrections"
ALTERNATIVES: Final = "alternatives"
HEDGES: Final = frozenset({CORRECTIONS, ALTERNATIVES})
"""In `Reading.seen`, where there are any: thoughts beside the answer, parts that were read as their
last word, parts that are none since the answer offers several."""


_Part = tuple[str, ...] | str


@dataclass(slots=True)
class _Found:
    """What was read so far: the parts, why there are none, and what was seen through."""

    parts: dict[str, _Part] = field(default_factory=dict)
    status: dict[str, Status] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)
    kinds: set[str] = field(default_factory=set)
    """What the whole text was read through."""
    kinds_in: dict[str, set[str]] = field(default_factory=dict)
    """What each part was read through besides."""
    line: dict[str, int] = field(default_factory=dict)
    """The last line that a part was read in."""
    seen: dict[str, int] = field(default_factory=dict)

    def put(self, part: str, value: _Part, read: Sequence[tuple[Said, Value]], whole: str) -> None:
        """Take in a part, read in these lines; `whole` says what it lacks, nothing where nothing."""
        self.parts[part] = value
        self.line[part] = max((line.line for line, _ in read), default=-1)
        kinds = self.kinds_in.setdefault(part, set())
        for _, each in read:
            if each.kinds:
                kinds |= each.kinds
        unsure = any(each.unsure for _, each in read)
        if unsure and any(each.why == values.SEVERAL for _, each in read):
            self.count(ALTERNATIVES)
        if "correction" in kinds:
            self.count(CORRECTIONS)
        self.status[part] = (
            Status.AMBIGUOUS if unsure else Status.MISSING if whole else Status.FOUND
        )
        if whole:
            self.why[part] = whole

    def count(self, kind: str) -> None:
        """Take note of a part that is more than it says."""
        self.seen[kind] = self.seen.get(kind, 0) + 1

    def reading(self) -> Reading:
        """Return all of it."""
        seen_in = {
            part: frozenset(kinds | self.kinds)
            for part, kinds in self.kinds_in.items()
            if kinds or self.kinds
        }
        return Reading(
            Prediction.model_construct(None, **self.parts),
            self.status,
            self.why,
            tuple(sorted(self.kinds.union(*seen_in.values()))),
            self.seen,
            seen_in,
        )


def parse(text: str, question: Question, *, cut: bool = False) -> Reading:
    """Read an answer to a rebus; any text gives a reading, in time that grows as the text does.

    `cut` tells that the server stopped the answer at a length limit.
    """
    if not cut and (reading := plain.parse(text, question)):
        return reading
    return _parse(text, question, cut=cut)


def _parse(text: str, question: Question, *, cut: bool) -> Reading:
    cleaned, kinds = clean(text)
    found = parted(tagged(cleaned))
    left = own_turn(without_struck(found.outside, kinds), kinds)
    shown = without_tokens(left)
    if len(shown) < len(left):
        kinds.add("special_token")
    shown, of_form = structured.template(shown)
    kinds |= of_form
    heard, why, thoughts = _heard(shown, question), NO_LINE, found.thoughts
    if found.stray and not shown.strip():
        shown = without_tokens(found.stray)
        heard = _to_its_end(shown, question)
        thoughts = not heard
    elif thoughts:
        kinds.add("reasoning")
        why = STILL_REASONING if found.pending and not heard else NO_LINE
    read = _read(heard, question, why)
    if thoughts:
        read.seen[THOUGHTS] = 1
    _mark_cut(read, _last_line(shown), cut=cut or why is STILL_REASONING)
    if "struck" in kinds:
        read.count(CORRECTIONS)
    if any(each is Status.FOUND for each in read.status.values()):
        read.kinds |= kinds
    return read.reading()


def _to_its_end(text: str, question: Question) -> list[Said]:
    """Return what a text says that a stray closing mark ends, where it ends in a solution.

    A draft that is thought on about is no answer.
    """
    heard = _heard(text, question)
    last = _last_line(text)
    return heard if heard and heard[-1].says is Says.SOLUTION and heard[-1].line == last else []


def _last_line(text: str) -> int:
    """Return the number of the last line that is not blank or a fence."""
    lines = text.split("\n")
    at = len(lines) - 1
    while at > 0 and not lines[at].strip("`~ "):
        at -= 1
    return at


def _read(heard: list[Said], question: Question, why: str) -> _Found:
    found = _Found()
    all_blocks = blocks.cut(heard)
    found.seen["answers"] = len([1 for block in all_blocks if block.said])
    found.seen["solution_lines"] = [each.says for each in heard].count(Says.SOLUTION)
    mine = blocks.own(all_blocks, question)
    if heard and not mine:
        answers = [block for block in all_blocks if block.said]
        owners = {blocks.owner(block, question) for block in answers}
        sure = owners <= {blocks.Owner.OTHER}
        why = NOT_HERE if sure else WHICH
    order = _in_order(all_blocks, mine)
    if order:
        found.kinds |= _others(all_blocks, mine, order[0])
    ordered = [all_blocks[at] for at in order]
    _guesses(ordered, question, why, found)
    _first_pass(ordered, question, why, found)
    _solution_words(ordered, question, why, found)
    _solution(ordered, question, why, found)
    if why is WHICH:
        found.status.update(dict.fromkeys(PARTS, Status.AMBIGUOUS))
    return found


def _in_order(all_blocks: Sequence[Block], mine: Sequence[int]) -> list[int]:
    """Return the rebus's own blocks, the one that counts first: the last with a solution."""
    counts = next(
        (
            at
            for says in (Says.SOLUTION, Says.PERHAPS)
            for at in reversed(mine)
            if says in all_blocks[at].kinds
        ),
        mine[-1] if mine else None,
    )
    if counts is None:
        return []
    return [
        counts,
        *(at for at in reversed(mine) if at < counts),
        *(at for at in mine if at > counts),
    ]


def _others(all_blocks: Sequence[Block], mine: Sequence[int], counts: int) -> set[str]:
    """Return which answers there are beside the one that counts."""
    kinds = set()
    own = set(mine)
    others = [at for at, block in enumerate(all_blocks) if at not in own and block.said]
    if any(at < counts for at in others):
        kinds.add("echo")
    if any(at > counts for at in others):
        kinds.add("run_on")
    solutions = [line for at in mine for line in all_blocks[at].said if line.says is Says.SOLUTION]
    if len(solutions) > 1:
        kinds.add("second_answer")
    return kinds


def _guesses(ordered: Sequence[Block], question: Question, why: str, found: _Found) -> None:
    lines: dict[int, Said] = {}
    for block in ordered:
        if len(lines) == len(question.clues):
            break
        here = blocks.placed(_lines(block, Says.GUESS), question.clues)
        lines = {**here, **lines}
    read = {at: values.word(line) for at, line in lines.items()}
    guesses = tuple(read[at].text if at in read else "" for at in range(len(question.clues)))
    lacks = [str(at + 1) for at, guess in enumerate(guesses) if not guess]
    if lacks:
        reasons = {each.why for each in read.values() if each.why} or {why}
        why = f"guess {', '.join(lacks)} of {len(guesses)}: {'; '.join(sorted(reasons))}"
    if [line.line for _, line in sorted(lines.items())] != sorted(
        line.line for line in lines.values()
    ):
        found.kinds_in["word_guesses"] = {"order"}
    found.put(
        "word_guesses", guesses, [(lines[at], read[at]) for at in lines], why if lacks else ""
    )


def _first_pass(ordered: Sequence[Block], question: Question, why: str, found: _Found) -> None:
    read = _first_told(ordered, Says.FIRST_PASS, lambda line: values.first_pass(line, question))
    _put_text("first_pass", read, why, found)


def _solution_words(ordered: Sequence[Block], question: Question, why: str, found: _Found) -> None:
    lines = next(filter(None, (_lines(block, Says.WORD) for block in ordered)), [])
    last = blocks.last_list(lines, question)
    read = [(line, values.word(line)) for line in last]
    kinds = {"second_answer"} if len(last) < len(lines) else set()
    told = blocks.along_key([(line.of, value.text) for line, value in read], question)
    if told != tuple(value.text for _, value in read):
        kinds |= blocks.ALONG_KEY
    found.kinds_in["solution_words"] = kinds
    wanted = len(question.lengths)
    lacks = wanted - sum(map(bool, told[:wanted]))
    if lacks > 0:
        reasons = {value.why for _, value in read if value.why} or {why}
        why = f"{lacks} of {wanted} words: {'; '.join(sorted(reasons))}"
    found.put("solution_words", told, read, why if lacks > 0 else "")


def _solution(ordered: Sequence[Block], question: Question, why: str, found: _Found) -> None:
    def of(line: Said) -> Value:
        return values.solution(line, question)

    read = _first_told(ordered, Says.SOLUTION, of)
    if read is None:
        wanted = len(question.lengths)
        read = _first_told(ordered, Says.PERHAPS, of, lambda text: values.count(text) == wanted)
    _put_text("solution", read, why, found)


def _first_told(
    ordered: Sequence[Block],
    says: Says,
    value_of: Callable[[Said], Value],
    takes: Callable[[str], bool] = bool,
) -> tuple[Said, Value] | None:
    """Return the last line of the first block that says it; where none does, the last that tried."""
    tried = None
    for block in ordered:
        for line in reversed(_lines(block, says)):
            value = value_of(line)
            if value.unsure or takes(value.text):
                return line, value
            if takes is bool:
                tried = tried or (line, value)
    return tried


def _put_text(part: str, read: tuple[Said, Value] | None, why: str, found: _Found) -> None:
    if read is None:
        found.put(part, "", [], why)
    else:
        found.put(part, read[1].text, [read], read[1].why)


def _lines(block: Block, says: Says) -> list[Said]:
    return [line for line in block.said if line.says is says] if says in block.kinds else []


def _mark_cut(found: _Found, last_line: int, *, cut: bool) -> None:
    """Tell the parts that are not there because the text ended; and the one it may have ended in.

    Where nobody said that the answer was cut, it is where all of the last parts are missing and the
    text ends in the last line of the parts before.
    """
    lacking = [part for part in PARTS if found.status[part] is Status.MISSING]
    there = [part for part in PARTS if part not in lacking]
    ends = max((found.line[part] for part in there), default=-1) == last_line
    if not cut and not (lacking and ends and PARTS[-len(lacking) :] == tuple(lacking)):
        return
    for part in PARTS:
        if part in lacking:
            found.why[part] = found.why[part] if STILL_REASONING in found.why[part] else ENDS_BEFORE
        elif ends and found.line[part] == last_line and cut:
            found.why[part] = ENDS_IN
        else:
            continue
        found.status[part] = Status.CUT
