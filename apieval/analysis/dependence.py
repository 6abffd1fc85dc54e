"""What accuracy depends on: the words' length and frequency, how many there are, the solution's length.

By setting and parser (`official`, and `tolerant` at its strict level), over the existing answers: a
failed request counts nowhere. Hidden words are grouped by their length in letters and by their
frequency in Italian (`wordfreq`, an extra); rebuses by their number of hidden words and by the
letters of their solution. Intervals are of whole rebuses: Wilson's where a rebus counts once, else
`intervals.clustered`; correlations are Spearman's, with ties, over pairs clustered in rebuses.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import pairwise
from typing import Any, Final, NamedTuple

from apieval.analysis.intervals import clustered, student
from apieval.analysis.setup import Measured
from apieval.rebus.metrics import told
from apieval.rebus.parsers import official, tolerant
from apieval.rebus.scoring import ScoredAnswer, right_words
from apieval.records import Rebus, Setting
from apieval.results.figures import Group, Groups
from apieval.wording import install

LEAST: Final = 10
"""Of fewer rebuses there is no interval: their spread says too little."""
_ALMOST: Final = 1 - 1e-12


class Correlation(NamedTuple):
    """Spearman's rho and its interval; None where nothing varies, or too little is known."""

    rho: float | None
    low: float | None = None
    high: float | None = None


def spearman(x: Sequence[float], y: Sequence[float], rebuses: Sequence[int]) -> Correlation:
    """Return the correlation of two values of each word (or rebus), and of which rebus it is."""
    if len(set(x)) < 2 or len(set(y)) < 2:  # noqa: PLR2004 # what does not vary goes with nothing
        return Correlation(None)
    import numpy as np  # noqa: PLC0415 # as in intervals

    n = len(x)
    ranks_x, ranks_y = _Ranks(x), _Ranks(y)
    f, g = ranks_x.each, ranks_y.each
    spread_x, spread_y = float(f @ f) / n, float(g @ g) / n
    scale = math.sqrt(spread_x * spread_y)
    rho = max(-1.0, min(1.0, float(f @ g) / n / scale))
    _, at = np.unique(np.asarray(rebuses), return_inverse=True)
    clusters = int(at.max()) + 1
    if clusters < LEAST or abs(rho) > _ALMOST:
        return Correlation(rho)
    together = f * g + ranks_x.moved(g) + ranks_y.moved(f) - 3 * rho * scale
    alone_x = f * f + 2 * ranks_x.moved(f) - 3 * spread_x
    alone_y = g * g + 2 * ranks_y.moved(g) - 3 * spread_y
    influence = together / scale - rho / 2 * (alone_x / spread_x + alone_y / spread_y)
    sums = np.bincount(at, weights=influence)
    error = math.sqrt(float(sums @ sums) * clusters / (clusters - 1)) / n
    middle, half = math.atanh(rho), student(clusters - 1) * error / (1 - rho * rho)
    return Correlation(rho, math.tanh(middle - half), math.tanh(middle + half))


class _Ranks:
    """The mid-ranks of some values, from -1/2 to 1/2: the share below and half that of the equal.

    `each` is by value. A pair moves the ranks of all others: `moved` is what that does to the mean
    of something, by the pair's own value.
    """

    def __init__(self, values: Sequence[float]) -> None:
        import numpy as np  # noqa: PLC0415 # as in intervals

        _, self._at, counts = np.unique(
            np.asarray(values, dtype=np.float64), return_inverse=True, return_counts=True
        )
        self._n = len(values)
        self.each: Any = ((np.cumsum(counts) - counts / 2) / self._n - 0.5)[self._at]

    def moved(self, something: Any) -> Any:  # noqa: ANN401 # numpy's, imported late
        import numpy as np  # noqa: PLC0415 # as in intervals

        sums = np.bincount(self._at, weights=something)
        from_here = np.cumsum(sums[::-1])[::-1]
        return ((from_here - sums / 2) / self._n)[self._at]


LANGUAGE: Final = "it"
MISSING: Final = (
    f"the word lists are an extra that is not installed; {install('frequency')} adds it"
)


def zipf_frequencies(words: Iterable[str]) -> dict[str, float] | None:
    """Return the frequency of each word on the Zipf scale; None where the extra is not installed."""
    try:
        # with its lists it takes 0.4 s to import
        from wordfreq import zipf_frequency  # noqa: PLC0415
    except ModuleNotFoundError:
        return None
    return {word: float(zipf_frequency(word, LANGUAGE)) for word in set(words)}


def frequency_source() -> str:
    """Return whose word lists they are, and of which version; of an installed extra alone."""
    return f"wordfreq {version('wordfreq')}"


PARSERS: Final = (official.NAME, tolerant.NAME)
WORDS: Final = "word_guess_accuracy"
SOLUTIONS: Final = "solution_match"
SOLUTION_WORDS: Final = "solution_word_accuracy"
BEGINS: Final[Mapping[str, Sequence[int]]] = {
    "word_length": (1, 3, 4, 5, 6, 7, 8),
    "frequency": (0, 1, 2, 3, 4, 5),
    "hidden_words": (1, 2, 3, 4, 5, 6),
    "solution_length": (1, 11, 13, 15, 17, 19, 21, 26),
}
"""Where the groups of each begin; the last has no end. Each ends where the next one begins."""
OF_WORDS: Final = ("word_length", "frequency")
OF_REBUSES: Final = (
    (WORDS, "hidden_words"),
    (SOLUTIONS, "hidden_words"),
    (SOLUTIONS, "solution_length"),
    (SOLUTION_WORDS, "solution_length"),
)


def letters(text: str) -> int:
    """Return how many letters a word or a solution has, blanks and punctuation aside."""
    return sum(map(str.isalnum, text))


class _Seen:
    """What was right of each hidden word and of each rebus, in one setting by one parser."""

    def __init__(self, rebuses: int, words: int) -> None:
        self.answers = array("i", [0]) * rebuses
        self.words = array("i", [0]) * words
        self.rights = {name: array("i", [0]) * rebuses for name in (SOLUTIONS, SOLUTION_WORDS)}
        self.totals = array("i", [0]) * rebuses  # of solution words


class Dependence:
    """Take in answers, and group them at the end by what they may depend on."""

    def __init__(self, measured: Measured) -> None:
        """Expect answers to these rebuses; of each hidden word and each rebus a few counts are kept."""
        self._rebuses = measured.selection.rebuses
        self._told = told(measured.given)
        self._places = {rebus.id: place for place, rebus in enumerate(self._rebuses)}
        self._first = [0]
        for rebus in self._rebuses:
            self._first.append(self._first[-1] + len(rebus.word_guesses))
        self._seen = {
            setting: {
                name: _Seen(len(self._rebuses), self._first[-1])
                for name in PARSERS
                if name in measured.parsers
            }
            for setting in measured.settings
        }

    def add(self, answer: ScoredAnswer) -> None:
        """Take in one answer; a failed one is none."""
        place = self._places[answer.gold.id]
        for score in answer.scores.values():
            seen = self._seen[score.setting].get(score.parser)
            if seen is None or score.tallies is None:
                continue
            seen.answers[place] += 1
            seen.totals[place] += score.tallies[SOLUTION_WORDS].total
            for name, rights in seen.rights.items():
                rights[place] += score.tallies[name].right
            for at, right in enumerate(right_words(score, answer.gold) or (), self._first[place]):
                seen.words[at] += right

    def summary(self) -> dict[Setting, dict[str, dict[str, dict[str, Groups]]]]:
        """Return `[setting][parser][metric][on what]`: groups, and the correlation over all."""
        values = _Values(self._rebuses)
        return {
            setting: {name: self._by(seen, values) for name, seen in each.items()}
            for setting, each in self._seen.items()
        }

    def _by(self, seen: _Seen, values: _Values) -> dict[str, dict[str, Groups]]:
        measured = [each for each in (WORDS, SOLUTIONS, SOLUTION_WORDS) if each not in self._told]
        found: dict[str, dict[str, Groups]] = {each: {} for each in measured}
        if WORDS in found:
            words = list(self._words(seen))
            for what in OF_WORDS:
                found[WORDS][what] = _grouped(what, values.of_words[what], words)
            found[WORDS]["frequency"]["source"] = values.source
        for name, what in OF_REBUSES:
            if name in found:
                whole = self._whole(name, seen)
                found[name][what] = _grouped(what, values.of_rebuses[what], whole)
        return found

    def _words(self, seen: _Seen) -> Iterator[_Share]:
        for place, (begin, end) in enumerate(pairwise(self._first)):
            answers = seen.answers[place]
            for right in seen.words[begin:end]:
                yield place, right, answers

    def _whole(self, name: str, seen: _Seen) -> Iterator[_Share]:
        places = range(len(self._rebuses))
        if name != WORDS:
            totals = seen.answers if name == SOLUTIONS else seen.totals
            return zip(places, seen.rights[name], totals, strict=True)
        spans = list(pairwise(self._first))
        rights = (sum(seen.words[begin:end]) for begin, end in spans)
        totals_of = (
            seen.answers[place] * (end - begin) for place, (begin, end) in enumerate(spans)
        )
        return zip(places, rights, totals_of, strict=True)


_Share = tuple[int, int, int]
"""A rebus's place, and what is right of one of its words, or of all, among how many, in all answers."""


class _Values:
    """What words and rebuses are grouped by; None of a frequency that nobody can look up."""

    def __init__(self, rebuses: Sequence[Rebus]) -> None:
        words = [word for rebus in rebuses for word in rebus.word_guesses]
        zipf = zipf_frequencies(words)
        self.source = None if zipf is None else frequency_source()
        self.of_words: Mapping[str, Sequence[float] | None] = {
            "word_length": [*map(letters, words)],
            "frequency": None if zipf is None else [zipf[word] for word in words],
        }
        self.of_rebuses = {
            "hidden_words": [len(rebus.word_guesses) for rebus in rebuses],
            "solution_length": [letters(rebus.solution) for rebus in rebuses],
        }


def _grouped(what: str, values: Sequence[float] | None, shares: Iterable[_Share]) -> Groups:
    """Return the groups of some words or rebuses by their values, and the correlation with them."""
    if values is None:
        return {"groups": None, "spearman": None, "why": MISSING}
    begins = BEGINS[what]
    groups: list[dict[int, _Item]] = [{} for _ in begins]
    x, y, rebuses = [], [], []
    for value, (place, right, total) in zip(values, shares, strict=True):
        if total:
            group = groups[max(bisect_right(begins, value) - 1, 0)]
            rights, totals = group.get(place, _NOTHING)
            group[place] = rights + right, totals + total
            x.append(value)
            y.append(right / total)
            rebuses.append(place)
    rho, low, high = spearman(x, y, rebuses)
    return {
        "groups": [
            _group(begin, end, [*group.values()])
            for begin, end, group in zip(begins, (*begins[1:], None), groups, strict=True)
        ],
        "spearman": {"rho": rho, "low": low, "high": high, "n": len(x)},
        "why": None,
    }


_Item = tuple[int, int]
"""What is right of a rebus's words in one group, and of how many."""
_NOTHING: Final[_Item] = (0, 0)


def _group(begin: int, end: int | None, items: Sequence[_Item]) -> Group:
    value = low = high = None
    rights, totals = sum(right for right, _ in items), sum(of for _, of in items)
    if items:
        value, (low, high) = rights / totals, clustered(items)
    return {
        "from": begin,
        "below": end,
        "value": value,
        "low": low,
        "high": high,
        "n": totals,
        "rebuses": len(items),
    }
