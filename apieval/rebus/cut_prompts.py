"""Prompts that a server cuts without a word, told by its own count of their tokens.

Prompts of different lengths have different numbers of tokens. A server that cuts at its context
(Ollama's num_ctx, a slot of llama.cpp's) counts the same for all that are longer; one that cuts
by characters or words counts what does not grow with the prompt. A count that leaves out what the
server had cached is no cut: it still grows with the prompt, or is next to nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import sqrt
from typing import Final

from apieval.records import Setting

MANY: Final = 20
"""Answers that must agree before anything is said."""
LENGTHS: Final = 8
"""Different lengths among them: samples of a few prompts show nothing."""
APART: Final = 48
"""Characters between the shortest and the longest: some ten tokens of any tokenizer."""
SHARE: Final = 0.25
"""Of whole counts hardly a tenth are equal; one of several servers may be the one that cuts."""
LEAST: Final = 32
"""Tokens of the smallest context; a count below it is of what was not cached, or of nothing."""
SLOPE: Final = 1 / 16
"""Tokens a character: tokenizers have 3 to 5 characters a token, no alphabet 16."""
SURE: Final = 3.0
"""Standard errors by which the slope must be below."""
FEW: Final = 3
"""Answers that must agree to the last token where there are not so many."""
FEW_APART: Final = 3
"""Tokens by which the counts of fewer, or of prompts far too long for them, may differ."""
DENSEST: Final = 8.0
"""Characters a token: no tokenizer packs Italian prose so densely; with more, some was not read."""
STEADY: Final = 0.1
"""Of a cut one as much is left as of another, to a tenth; a count of now all, now what was not
cached is not as steady."""


@dataclass(frozen=True, slots=True)
class Cut:
    """What shows that prompts are cut; `tokens` is what the server counts, about or exactly."""

    setting: Setting
    answers: int
    tokens: int
    shortest: int
    longest: int
    exactly: bool
    sure: bool = True

    def __str__(self) -> str:
        """Return what a person should know, and the remedy."""
        about = "exactly" if self.exactly else "about"
        among = (
            f"{self.answers:,} prompts of {self.shortest:,} to {self.longest:,} characters alike"
        )
        if self.answers == 1:
            among = f"a prompt of {self.longest:,} characters"
        what = "them" if self.answers > 1 else "it"
        doubt = "" if self.sure else " (or leaves out what it had cached)"
        return (
            f"{self.setting}: the server counts {about} {self.tokens:,} prompt tokens in {among}, "
            f"so it seems to cut {what}{doubt}; raise its context (Ollama: OLLAMA_CONTEXT_LENGTH, llama.cpp: "
            "-c), then start over with --fresh --cache off"
        )


@dataclass(slots=True)
class _Alike:
    """Prompts counted alike: how many, and between which lengths."""

    answers: int = 0
    shortest: int = 0
    longest: int = 0
    lengths: set[int] = field(default_factory=set)

    def add(self, characters: int) -> None:
        if not self.answers:
            self.shortest = self.longest = characters
        self.answers += 1
        self.shortest = min(self.shortest, characters)
        self.longest = max(self.longest, characters)
        if len(self.lengths) < LENGTHS:
            self.lengths.add(characters)

    @property
    def tells(self) -> bool:
        """Say whether a whole count would differ among them."""
        apart = self.longest - self.shortest
        return self.answers >= MANY and len(self.lengths) >= LENGTHS and apart >= APART

    def cut(self, setting: Setting, tokens: int, *, exactly: bool, sure: bool = True) -> Cut:
        return Cut(setting, self.answers, tokens, self.shortest, self.longest, exactly, sure)


@dataclass(slots=True)
class _Counts:
    """The counts of one setting's prompts: by value, and the sums of a line through them."""

    setting: Setting
    every: _Alike = field(default_factory=_Alike)
    alike: dict[int, _Alike] = field(default_factory=dict)
    x: int = 0
    y: int = 0
    xx: int = 0
    xy: int = 0
    yy: int = 0

    def add(self, x: int, y: int) -> _Alike:
        """Take in a prompt of `x` characters and `y` tokens; return those counted alike."""
        self.every.add(x)
        self.x += x
        self.y += y
        self.xx += x * x
        self.xy += x * y
        self.yy += y * y
        same = self.alike.get(y)
        if same is None:
            same = self.alike[y] = _Alike()
        same.add(x)
        return same

    def same(self, tokens: int) -> Cut | None:
        """Return the cut that equal counts show."""
        same = self.alike[tokens]
        if same.tells and same.answers >= SHARE * self.every.answers:
            return same.cut(self.setting, tokens, exactly=True)
        return None

    def flat(self) -> Cut | None:
        """Return the cut that counts show which do not grow with the prompts."""
        n = self.every.answers
        if not self.every.tells:
            return None
        xx, xy, yy = (
            n * square - one * other
            for square, one, other in (
                (self.xx, self.x, self.x),
                (self.xy, self.x, self.y),
                (self.yy, self.y, self.y),
            )
        )
        slope = xy / xx
        off = sqrt(max(yy - slope * xy, 0.0))
        if slope + SURE * off / sqrt(xx * (n - 2)) >= SLOPE or off > STEADY * self.y:
            return None
        return self.every.cut(self.setting, round(self.y / n), exactly=False)

    def few(self) -> Cut | None:
        """Return the cut that fewer answers show: one count, or one far too low for the prompts."""
        every, low, high = self.every, min(self.alike), max(self.alike)
        if every.tells or high - low > FEW_APART:
            return None
        apart = every.longest - every.shortest >= APART
        same = low == high and apart and min(every.answers, len(every.lengths)) >= FEW
        far = high * DENSEST < every.shortest and (apart or every.answers == 1)
        if not same and not far:
            return None
        return every.cut(self.setting, high, exactly=low == high, sure=same)

    def found(self) -> Iterator[Cut]:
        """Yield what shows a cut, the most frequent count first."""
        often = sorted(self.alike, key=lambda tokens: self.alike[tokens].answers, reverse=True)
        yield from filter(None, map(self.same, often))
        if flat := self.flat() or self.few():
            yield flat


@dataclass(slots=True)
class PromptCounts:
    """Watch whether a server's counts of prompt tokens go with the prompts' lengths."""

    _settings: dict[Setting, _Counts] = field(default_factory=dict)
    _told: bool = False

    def add(self, setting: Setting, characters: int, tokens: int | None) -> Cut | None:
        """Take in one answer; return the cut when it first is clear, once.

        This is done at every answer of a run, so it looks only now and then.
        """
        if tokens is None or tokens < LEAST:
            return None
        counts = self._settings.get(setting)
        if counts is None:
            counts = self._settings[setting] = _Counts(setting)
        same = counts.add(characters, tokens)
        if self._told or (same.answers % MANY and counts.every.answers % MANY):
            return None
        cut = counts.same(tokens) or counts.flat()
        self._told = cut is not None
        return cut

    def found(self) -> list[Cut]:
        """Return what all answers together show, at most one cut a setting."""
        cuts = (next(counts.found(), None) for counts in self._settings.values())
        return [cut for cut in cuts if cut]
