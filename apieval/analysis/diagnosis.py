"""Why one answer is wrong: where it broke first, and what else it shows of how it was made.

An answer is read by the `tolerant` parser and compared at strict equality, solution words along the
key; where only parsed parts exist, those are taken as they are, with the official equality. Steps
that were given to the model have no tally: they are right, and nothing is said of them. Nothing here
asks what an answer scored by its form: what it loses by that is the step `format`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from apieval.analysis.language import ends_in_a_loop, other_language
from apieval.rebus import examples
from apieval.rebus.characters import composed, straight
from apieval.rebus.equality import LEVELS, WORD, strict
from apieval.rebus.parsers import official, tolerant
from apieval.rebus.parsers.question import Question, respaced
from apieval.rebus.rules import CLUE, key_of, letters
from apieval.rebus.scoring import KEPT, PARSERS, ScoredAnswer
from apieval.records import ItemScore, Outcome, Prediction, Rebus, Tally
from apieval.results.folder import AnswerDiagnosis

NEAR: Final = 2
"""How many letters a near miss is off, at the most; 0 is the same letters, otherwise divided or written."""
LONGEST: Final = 1_000
"""How much is read of a first pass or a solution; more is no phrase, and would take long."""
MISSING: Final = "x"
"""What the study's script (`scripts/evaluate.py` of gsarti/verbalized-rebus) takes for a part that is
missing."""
LONGEST_STUDY: Final = 20_000
"""The study's script reads all; beyond this, no published part is as long, it would take seconds."""
_MARK: Final = re.compile(r"[^\w\s]")
_WORDS: Final = "word_guess_accuracy"
_PASS: Final = "first_pass_accuracy"  # noqa: S105 # of a rebus


class Step(StrEnum):
    """Where an answer broke first; the order is that of the steps."""

    SOLVED = "solved"
    DEFINITIONS = "definitions"
    FIRST_PASS = "first_pass"  # noqa: S105 # of a rebus
    SEGMENTATION = "segmentation"
    SOLUTION = "solution"
    FORMAT = "format"
    UNANSWERED = "unanswered"


class _State(Enum):
    RIGHT = auto()
    WRONG = auto()
    MISSING = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What one answer shows; None is what it does not show, for want of a part or of a mistake.

    `wrong_words` are positions from 1. A first pass is right that has the right letters, however
    divided. `right_despite_wrong_steps` is known of right solutions: the first pass is wrong, or
    where there is none, a guess is. `wrong_despite_right_first_pass` is known of right first passes.
    `edits` are the letters in which the solution differs from the answer's own first pass, and how
    many that has; `study_edits` the same as the study counts them. `texts` is whether there is a text
    at all: of parsed parts alone nobody knows whether they end in a loop or which language they are
    in.
    """

    broke_first: Step
    parser: str
    hidden_words: int
    wrong_words: tuple[int, ...]
    of_own_guesses: bool | None = None
    letters_kept: bool | None = None
    edits: tuple[int, int] | None = None
    study_edits: tuple[int, int] = (0, 1)
    texts: bool = True
    key_obeyed: bool | None = None
    right_despite_wrong_steps: bool | None = None
    wrong_despite_right_first_pass: bool | None = None
    near_miss: int | None = None
    copied_example: bool = False
    loop: bool | None = None
    other_language: str | None = None

    @property
    def cer(self) -> float | None:
        """Return the character error rate of the solution against its own first pass."""
        return self.edits[0] / self.edits[1] if self.edits else None

    @property
    def right(self) -> bool:
        """Return whether the solution is right, be it in a form that loses the score."""
        return self.right_despite_wrong_steps is not None

    def as_json(self) -> AnswerDiagnosis:
        """Return what stands on the answer's line of `scores.jsonl`."""
        return {
            "broke_first": self.broke_first.value,
            "wrong_words": [*self.wrong_words],
            "of_own_guesses": self.of_own_guesses,
            "letters_kept": self.letters_kept,
            "cer": None if self.cer is None else round(self.cer, 4),
            "key_obeyed": self.key_obeyed,
            "right_despite_wrong_steps": self.right_despite_wrong_steps,
            "wrong_despite_right_first_pass": self.wrong_despite_right_first_pass,
            "near_miss": self.near_miss,
            "copied_example": self.copied_example,
            "loop": self.loop,
            "other_language": self.other_language,
        }


def diagnose(answer: ScoredAnswer) -> Diagnosis | None:
    """Return what one answer shows; None for a failed request, which is not the model's."""
    score = answer.scores.get(tolerant.NAME) or answer.scores[official.NAME]
    if score.tallies is None:
        return None
    gold, response = answer.gold, answer.response
    text = response.text if response else ""
    ends = text or (response and response.reasoning) or ""
    shows: dict[str, Any] = {
        "parser": score.parser,
        "hidden_words": len(gold.word_guesses) if _WORDS in score.tallies else 0,
        "copied_example": _copied(answer, score.prediction),
        "loop": ends_in_a_loop(ends) if response else None,
        "other_language": other_language(text),
        "study_edits": _study_edits(answer.scores[official.NAME].prediction),
        "texts": response is not None,
    }
    if score.outcome is not Outcome.OK:  # whatever it holds counts wrong
        every = tuple(range(1, shows["hidden_words"] + 1))
        return Diagnosis(broke_first=Step.UNANSWERED, wrong_words=every, **shows)
    return _of_steps(score, score.tallies, answer, shows)


def _of_steps(
    score: ItemScore, tallies: Mapping[str, Tally], answer: ScoredAnswer, shows: dict[str, Any]
) -> Diagnosis:
    read, gold = score.prediction, answer.gold
    scored = answer.scores[official.NAME].tallies
    whole = scored is not None and scored["solution_match"].right > 0
    right = whole or tallies["solution_match"].right > 0
    wrong, missing = _differing(score, tallies.get(_WORDS), gold)
    row = _row(gold)
    first_pass, solution = read.first_pass[:LONGEST], read.solution[:LONGEST]
    spelled, solved = letters(first_pass), letters(solution)
    passed = _PASS not in tallies or (bool(spelled) and spelled == row.first_pass)
    given = row.given if _PASS in tallies else ()
    own = _of_own_guesses(read, given, spelled)
    broke = Step.SOLVED if whole else Step.FORMAT
    return Diagnosis(
        broke_first=broke
        if right
        else _broke(score, tallies, gold, passed=passed, wrong=bool(wrong)),
        wrong_words=tuple(at + 1 for at in sorted([*wrong, *missing])),
        of_own_guesses=own,
        letters_kept=own or _letters_kept(first_pass, given),
        edits=(_edits(spelled, solved), len(spelled)) if spelled and solved else None,
        key_obeyed=key_of(straight(solution)) == row.key
        if solution and gold.solution_key
        else None,
        right_despite_wrong_steps=(not passed if spelled else bool(wrong)) if right else None,
        wrong_despite_right_first_pass=not right if passed else None,
        near_miss=None if right or not solved else _near(solved, row.solution),
        **shows,
    )


def _differing(score: ItemScore, tally: Tally | None, gold: Rebus) -> tuple[list[int], list[int]]:
    """Return where hidden words are wrong, and where there are none, as the parser compares."""
    wrong: list[int] = []
    missing: list[int] = []
    if _all_right(tally):
        return wrong, missing
    equality = PARSERS[score.parser].equality
    spelling = LEVELS[equality] if equality else str
    words = score.prediction.word_guesses
    for at, wanted in enumerate(gold.word_guesses):
        word = words[at] if at < len(words) else ""
        if not word:
            missing.append(at)
        elif word != wanted and spelling(word).lower() != spelling(wanted).lower():
            wrong.append(at)
    return wrong, missing


def _broke(
    score: ItemScore, tallies: Mapping[str, Tally], gold: Rebus, *, passed: bool, wrong: bool
) -> Step:
    """Return the first step that is wrong, or missing with no right one behind it.

    A right first pass (`passed`) proves the hidden words, whatever stands at the definitions, where
    `wrong` tells that one of those that are there is wrong.
    """
    read = score.prediction
    if not (any(read.word_guesses) or any(read.solution_words) or read.first_pass or read.solution):
        return Step.FORMAT
    steps = {
        Step.SOLUTION: _state(right=False, there=bool(read.solution)),
        Step.SEGMENTATION: _cut(score, gold),
        Step.FIRST_PASS: _state(right=passed, there=bool(read.first_pass)),
        Step.DEFINITIONS: _state(right=passed or _all_right(tallies.get(_WORDS)), there=wrong),
    }
    broken, proved = Step.SOLUTION, False
    for step, state in steps.items():
        proved = proved or state is _State.RIGHT
        if state is _State.WRONG or (state is _State.MISSING and not proved):
            broken = step
    return broken


def _cut(score: ItemScore, gold: Rebus) -> _State:
    """Return whether the letters are cut right, in the solution words or in the solution itself.

    How they are written (accents, case, punctuation) is not asked: that is spelling.
    """
    wanted = [*map(letters, PARSERS[score.parser].gold(gold).solution_words)]
    words = [*map(letters, score.prediction.solution_words[: len(wanted)])]
    if words == wanted or _pieces(score.prediction.solution[:LONGEST]) == _pieces(gold.solution):
        return _State.RIGHT
    astray = any(word and word != right for word, right in zip(words, wanted, strict=False))
    return _state(right=False, there=astray)


def _pieces(solution: str) -> list[str]:
    """Return the letters of a phrase's words, which whatever is no letter parts."""
    return [letters(piece) for piece in WORD.findall(composed(solution))]


def _all_right(tally: Tally | None) -> bool:
    return tally is None or tally.right == tally.total


def _state(*, right: bool, there: bool) -> _State:
    if right:
        return _State.RIGHT
    return _State.WRONG if there else _State.MISSING


class _Row(NamedTuple):
    """A row as answers to it are looked at.

    Letters of its first pass and solution; those before each clue and after the last, as in
    `question`, none without clue; its key with single blanks.
    """

    first_pass: str
    solution: str
    given: tuple[str, ...]
    key: str


@lru_cache(maxsize=KEPT)
def _row(gold: Rebus) -> _Row:
    parts = CLUE.split(straight(composed(gold.verbalized_rebus)))
    return _Row(
        letters(gold.first_pass),
        letters(gold.solution),
        tuple(" ".join(part.split()) for part in parts) if len(parts) > 1 else (),
        " ".join(straight(gold.solution_key).split()),
    )


def _of_own_guesses(read: Prediction, given: Sequence[str], spelled: str) -> bool | None:
    """Return whether a first pass spells the rebus with the answer's own guesses at their clues."""
    guesses = read.word_guesses[: len(given) - 1] if given else ()
    if not spelled or not guesses or len(guesses) < len(given) - 1 or not all(guesses):
        return None
    filled = [given[0]]
    for guess, after in zip(guesses, given[1:], strict=True):
        filled += [guess, after]
    return letters("".join(filled)[:LONGEST]) == spelled


def _letters_kept(first_pass: str, given: tuple[str, ...]) -> bool | None:
    """Return whether the letters given stand in a first pass, with one word for each clue."""
    if not first_pass or not given:
        return None
    alone = Question((), (), tuple(_MARK.sub("", each) for each in given), "", ())
    return respaced(_MARK.sub("", first_pass), alone) is not None


def _near(solved: str, wanted: str) -> int | None:
    off = _edits(solved, wanted, NEAR)
    return off if off <= NEAR else None


def _edits(one: str, other: str, most: int | None = None) -> int:
    """Return the edit distance (Levenshtein) of two texts; `most` + 1 for all beyond `most`."""
    # its import takes 20-50 ms, which only what scores pays for
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415

    return Levenshtein.distance(one, other, score_cutoff=most)


def _study_edits(read: Prediction) -> tuple[int, int]:
    """Return in how many characters a solution differs from its first pass, and how many that has.

    As the study's script has it: of the official parts, case and blanks aside, accents and
    punctuation not; a part that is missing is the letter `x`.
    """
    first_pass, solution = (
        each[:LONGEST_STUDY].lower().replace(" ", "").strip() or MISSING
        for each in (read.first_pass, read.solution)
    )
    return _edits(first_pass, solution), len(first_pass)


@cache
def _examples() -> frozenset[str]:
    """Return the first passes and solutions of the examples that the package's prompts show."""
    parts = ((each.first_pass, each.solution) for each in examples.shipped())
    return frozenset(strict(part).lower() for both in parts for part in both)


def _copied(answer: ScoredAnswer, read: Prediction) -> bool:
    """Return whether a first pass or solution is an example's, and not this rebus's too.

    Where the answer to this rebus has neither (all of it may be the example's), the official parser
    says what stands there.
    """
    said = [read.first_pass, read.solution]
    if not any(said):
        other = answer.scores[official.NAME].prediction
        said = [other.first_pass, other.solution]
    found = {strict(each[:LONGEST]).lower() for each in said} & _examples()
    gold = (answer.gold.first_pass, answer.gold.solution)
    return bool(found) and not found <= {strict(each).lower() for each in gold}
