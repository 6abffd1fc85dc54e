"""Wrong answers that two runs share: outputs that were copied, or that bear the wrong model's name.

Two models make the same natural mistake now and then, so that more of them than pure chance gives
is no suspicion. A warning takes three things at once:

- many: of the rebuses both get wrong, each with a solution of some kind, at least `MOST_SOLUTIONS`
  have the same solution to the letter (but case), or `MOST_READINGS` the same guesses, first pass,
  words and solution. Both shares are corrected for chance as Cohen's kappa is: what a random
  matching of the two runs' own wrong answers gives counts nothing, so that two models that always
  say the same one thing share nothing;
- sure: the number of equal solutions is out of the reach of such a matching, p <= `P_MOST` by
  Chatterjee's bound for sums over a random permutation, P(|S - m| >= t) <= 2 exp(-t^2 / (4 m + 2 t))
  (S. Chatterjee, Probability Theory and Related Fields 138 (2007), proposition 1.1). Fewer than 18
  equal ones never are;
- unexplained: not the same model, by its name here or by the name its servers gave it, which at
  temperature 0 says the same again. That is a note.

Where the thresholds come from: wrong solutions are free texts of some twenty letters. Two runs of
the baseline, with two thirds of its lexicon each by chance, share 4-11 % of them. Of GPT-4o's 1,786
wrong ones (the study's 2,000 rebuses) 10 % follow from the right first pass, and so have few ways to
go wrong. A copy shares all. Between these the thresholds are a judgement, not a law.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from apieval.analysis.findings import audited
from apieval.records import RowId, Setting
from apieval.results.summary import AuditFinding

MOST_SOLUTIONS: Final = 0.5
MOST_READINGS: Final = 0.25
P_MOST: Final = 1e-3


class Said(NamedTuple):
    """What one answer says, as far as two are compared: the solution, and a hash of all its parts."""

    right: bool
    solution: str
    reading: int
    text: int | None = None


Key = tuple[RowId, int]


@dataclass(frozen=True, slots=True)
class Side:
    """One run's answers by setting, row and sample; `models` are all names of who gave them."""

    name: str
    models: frozenset[str]
    said: Mapping[Setting, Mapping[Key, Said]]


def said(
    guesses: Sequence[str], first_pass: str, words: Sequence[str], solution: str, *, right: bool
) -> Said:
    """Return what an answer's parsed parts say."""
    reading = hash((tuple(guesses), first_pass, tuple(words), solution))
    return Said(right, solution.strip().lower(), reading)


def shared(a: Side, b: Side) -> Iterator[AuditFinding]:
    """Yield a warning (of one model: a note) for every setting where too many are the same."""
    for setting in a.said:
        if setting in b.said and (found := _in(setting, a, b)):
            yield found


def most_likely(same: int, expected: float) -> float:
    """Return a bound of the chance that a random matching has as many equal pairs."""
    apart = same - expected
    if apart <= 0:
        return 1.0
    bound = 2 * math.exp(-apart * apart / (4 * expected + 2 * apart))
    return min(1.0, max(bound, sys.float_info.min))


def beyond_chance(same: int, expected: float, n: int) -> float:
    """Return the share of equal pairs, corrected for what a random matching has."""
    return (same - expected) / (n - expected) if n > expected else 0.0


def _in(setting: Setting, a: Side, b: Side) -> AuditFinding | None:
    mine, its = a.said[setting], b.said[setting]
    keys = [
        key
        for key, one in mine.items()
        if not one.right
        and one.solution
        and (other := its.get(key)) is not None
        and not other.right
        and other.solution
    ]
    ones, others = [mine[key] for key in keys], [its[key] for key in keys]
    equal = [key for key in keys if mine[key].solution == its[key].solution]
    n, same = len(keys), len(equal)
    expected = _expected([each.solution for each in ones], [each.solution for each in others])
    whole = sum(one.reading == other.reading for one, other in zip(ones, others, strict=True))
    likely = _expected([each.reading for each in ones], [each.reading for each in others])
    p = most_likely(same, expected)
    many = (
        beyond_chance(same, expected, n) >= MOST_SOLUTIONS
        or beyond_chance(whole, likely, n) >= MOST_READINGS
    )
    if not many or p > P_MOST:
        return None
    letters = sum(
        one.text is not None and one.text == other.text
        for one, other in zip(ones, others, strict=True)
    )
    one_model = bool(a.models & b.models)
    texts = f", in {letters:,} the whole text to the letter" if letters else ""
    text = (
        f"{a.name} and {b.name} give the same wrong solution to {same:,} of the {n:,} rebuses that "
        f"both get wrong in {setting} ({same / n:.0%}; by chance {expected / n:.0%}), in {whole:,} "
        f"every part is the same{texts}"
    )
    why = "it is one model, as expected" if one_model else "was one copied or given a wrong name?"
    return audited(
        "same_wrong_answers",
        "note" if one_model else "warning",
        f"{text}: {why}",
        [row for row, _ in equal],
        n,
        a=a.name,
        b=b.name,
        setting=setting,
        readings=whole,
        texts=letters,
        chance=expected / n,
        p_at_most=p,
    )


def _expected(ones: Sequence[Hashable], others: Sequence[Hashable]) -> float:
    """Return how many pairs are equal on average where both are matched at random."""
    if not ones:
        return 0.0
    counts = Counter(others)
    return sum(count * counts[each] for each, count in Counter(ones).items()) / len(ones)
