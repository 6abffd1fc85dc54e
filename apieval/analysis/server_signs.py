"""What the texts of all answers show of the server, and of the request: findings beside the figures."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import Final

from apieval.analysis.findings import MANY_BLANKS
from apieval.analysis.setup import Measured
from apieval.config.models import takes_the_likeliest
from apieval.rebus import serving
from apieval.rebus.metrics import HEADLINE
from apieval.rebus.parsers import official
from apieval.rebus.scoring import ScoredAnswer
from apieval.records import Outcome, Setting
from apieval.results.summary import Finding
from apieval.wording import counted

ANEW: Final = "then start over with --fresh --cache off"
_MARKS: Final = 4
"""So many kinds of marks are shown."""
MOST_ALIKE: Final = 0.8
"""From this share on two settings have the same answers; a dictionary's solver, which writes all alike,
has 78 % on the sample, and a model that reads the hints hardly any where it is wrong."""
FEW: Final = 5
"""Fewer answers alike may be chance."""
_NONE: Final = 0


class ServerSigns:
    """Take in scored answers one at a time; of each a few counts and a hash are kept."""

    def __init__(self, measured: Measured) -> None:
        """Begin with no answer."""
        self._samples = measured.samples
        self._places = {rebus.id: place for place, rebus in enumerate(measured.selection.rebuses)}
        self._cause = takes_the_likeliest(dict(measured.sampling or {}))
        self._apart = len(measured.settings) > 1 and not measured.coverage
        kept = self._apart or self._samples > 1
        n = len(self._places) * self._samples if kept else 0
        self._texts: dict[Setting, array[int]] = {
            each: array("q", [_NONE]) * n for each in measured.settings if kept
        }
        self._solved = {each: bytearray(n) for each in self._texts}
        self._answers = self._empty = self._in_thoughts = 0
        self._kinds: Counter[str] = Counter()
        self._marks: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def add(self, answer: ScoredAnswer) -> None:
        """Take in one answer; of a failed one, and of parts alone, nothing is known."""
        response = answer.response
        if response is None or response.outcome is Outcome.FAILED:
            return
        text = response.text
        self._answers += 1
        if response.outcome is Outcome.EMPTY:
            self._empty += 1
            self._in_thoughts += serving.answered_in_thoughts(text, response.reasoning)
        for kind, marks in serving.marks(text).items():
            self._kinds[kind] += 1
            self._marks[kind].update(marks)
        if self._texts and text.strip():
            at = self._places[answer.gold.id] * self._samples + response.sample
            self._texts[response.setting][at] = hash(text) or 1
            tallies = answer.scores[official.NAME].tallies or {}
            self._solved[response.setting][at] = HEADLINE in tallies and tallies[HEADLINE].right > 0

    def findings(self) -> Iterator[Finding]:
        """Yield what all answers show."""
        if self._in_thoughts:
            what = counted(self._in_thoughts, "empty answer holds", "empty answers hold")
            yield _found(
                "answers_in_reasoning",
                f"{what} a solution line in their reasoning: the server's reasoning parser is not "
                f"the model's; {serving.REASONING_PARSER}, then start over with --fresh",
                warning=True,
            )
        for kind, count in self._kinds.items():
            shown = ", ".join(mark for mark, _ in self._marks[kind].most_common(_MARKS))
            yield self._held(kind, count, serving.SAID[kind].format(shown))
        for one, other in combinations(self._texts if self._apart else (), 2):
            yield from self._alike(one, other)
        if self._samples > 1:
            yield from self._samples_alike()

    def _samples_alike(self) -> Iterator[Finding]:
        """Yield that all answers to a rebus are one, which more samples then tell nothing of."""
        whole = same = 0
        for texts in self._texts.values():
            for begin in range(0, len(texts), self._samples):
                answers = set(texts[begin : begin + self._samples])
                whole += _NONE not in answers
                same += len(answers) == 1 and _NONE not in answers
        if not same or same < MANY_BLANKS * whole:
            return
        why = "the server takes no notice of temperature and seed, or a cache before it answers"
        if self._cause:
            why = f"with {self._cause} the likeliest token is always taken"
        yield _found(
            "samples_identical",
            f"all {self._samples} answers of {counted(same, 'rebus', 'rebuses')} are identical to the "
            f"letter, of {whole:,} with as many: {why}",
            warning=same >= MOST_ALIKE * whole,
        )

    def _held(self, kind: str, count: int, what: str) -> Finding:
        said = f"{count:,} of {counted(self._answers, 'answer')} hold {what}, {ANEW}"
        return _found(kind, said, warning=count >= MANY_BLANKS * self._answers)

    def _alike(self, one: Setting, other: Setting) -> Iterator[Finding]:
        """Yield that two settings have the same texts, and not because they are right."""
        pairs = zip(self._texts[one], self._texts[other], strict=True)
        both = [at for at, (a, b) in enumerate(pairs) if a != _NONE != b]
        same = [at for at in both if self._texts[one][at] == self._texts[other][at]]
        wrong = [at for at in both if not self._solved[one][at] and not self._solved[other][at]]
        alike = sum(self._texts[one][at] == self._texts[other][at] for at in wrong)
        if len(same) < FEW or len(same) < MOST_ALIKE * len(both) or alike < MOST_ALIKE * len(wrong):
            return
        yield _found(
            "settings_identical",
            f"{len(same):,} of {counted(len(both), 'answer')} in {one} and {other} are the same to "
            "the letter: was one setting's answer given for both (a cache before the server, a file "
            "copied, a prompt that leaves the hints out)?",
            warning=len(wrong) >= FEW,
        )


def _found(kind: str, text: str, *, warning: bool) -> Finding:
    return {"kind": kind, "level": "warning" if warning else "note", "text": text}
