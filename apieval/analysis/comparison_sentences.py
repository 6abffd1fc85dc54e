"""What a comparison shows, in sentences: of one pair of runs, and of several runs together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from apieval.analysis.paired_tests import ALPHA
from apieval.analysis.ranks import by_setting, shown_better
from apieval.analysis.run_sentences import SETTING_WORDS, Sentence
from apieval.rebus.metrics import HEADLINE
from apieval.records import Setting
from apieval.results.comparison import Comparison, MetricDifference, Pair
from apieval.wording import counted


def of(pair: Pair, tests: int, *, setting_is_said: bool = False) -> str:
    """Return the sentence of one pair in one setting, by the headline metric.

    It names the setting, unless that is said where it stands.
    """
    n, where = pair["rebuses"], "" if setting_is_said else f" in {pair['setting']}"
    a, b = repr(pair["a"]), repr(pair["b"])  # a name may be any word
    if not n:
        told = f"{a} and {b} have no answered rebus in common: nothing is compared."
        return _sentence(where, told)
    found = pair["metrics"][HEADLINE]
    among = _among(pair)
    if found["p_holm"] < ALPHA:
        more, less = (b, a) if found["difference"] > 0 else (a, b)
        sure = _sure(found, turned=found["difference"] < 0)
        return f"{more} solves more than {less}{where}: {sure} after Holm); {among}."
    sure = f"{b} minus {a} is {_sure(found)} after Holm{_before(found, tests)})"
    return _sentence(where, f"no difference is shown: {sure}; {_unseen(found, n)}; {among}.")


def _sentence(where: str, told: str) -> str:
    said = f"{where} {told}".strip()
    return said[0].upper() + said[1:]


def _sure(found: MetricDifference, *, turned: bool = False) -> str:
    difference, low, high = found["difference"], found["low"], found["high"]
    if turned:
        difference, low, high = -difference, -high, -low
    interval = f"95 % {points(low)} to {points(high)}"
    return f"{points(difference)} percentage points ({interval}; p {chance(found['p_holm'])}"


def _before(found: MetricDifference, tests: int) -> str:
    """Say what one test alone would have said, where it is only its company that forbids it."""
    if found["p"] >= ALPHA:
        return ""
    return f" over {counted(tests, 'test')}, {chance(found['p'])} alone"


def _unseen(found: MetricDifference, n: int) -> str:
    rebuses = f"with {'this' if n == 1 else 'these'} {counted(n, 'rebus', 'rebuses')}"
    if found["smallest"] is None:
        return f"none could have been seen {rebuses}"
    least = f"{100 * found['smallest']:.1f}"
    return f"a difference below {least} percentage points may have been missed {rebuses}"


def _among(pair: Pair) -> str:
    solved = pair["solved"]
    rebuses = counted(pair["rebuses"], "common rebus", "common rebuses")
    only_a, only_b = solved["only_a"]["count"], solved["only_b"]["count"]
    tries = "" if pair["answers_a"] == pair["answers_b"] else " in as many answers"
    return f"among {rebuses} {only_b:,} only {pair['b']!r} solves{tries}, {only_a:,} only {pair['a']!r}"


def points(share: float) -> str:
    """Return a difference in points of a hundred, with its sign; what rounds to 0 has none."""
    said = f"{100 * share:+.1f}"
    return "0.0" if said in {"+0.0", "-0.0"} else said


def chance(p: float) -> str:
    """Return a p-value with its relation, as `= 0.0312` or `< 0.0001`."""
    least = 0.0001
    if p < least:
        return f"< {least:.4f}"
    return f"= {p:.4f}" if p < 0.01 else f"= {p:.3f}"  # noqa: PLR2004 # two digits that count


_FEW: Final = 4
"""Of so many runs each pair is named; of more the ranks alone say it shorter."""


def sentences(
    comparison: Comparison,
    names: Sequence[str],
    ranks: Mapping[Setting, Mapping[str, tuple[int, int]]],
) -> list[Sentence]:
    """Return what is shown among the runs `names`, a sentence or two a setting.

    Of two runs it is the comparison's own sentence, which need not name the setting again.
    """
    told = []
    for setting, pairs in by_setting(comparison, names).items():
        if len(names) == 2:  # noqa: PLR2004 # a pair
            tests = comparison["tests"]
            said = [of(each, tests, setting_is_said=True) for each in pairs]
        elif len(ranks.get(setting, ())) > _FEW:
            said = [_by_rank(ranks[setting])]
        else:
            said = [*_pairs(pairs)]
        told.append(Sentence(SETTING_WORDS[setting].capitalize(), " ".join(said)))
    return told


def rank(places: tuple[int, int]) -> str:
    """Return a rank for people: a place, or the first and the last one it may be."""
    first, last = places
    return str(first) if first == last else f"{first}-{last}"


def _by_rank(ranks: Mapping[str, tuple[int, int]]) -> str:
    ordered = sorted(ranks, key=lambda name: (ranks[name], name))
    return f"By rank: {', '.join(f'{name!r} {rank(ranks[name])}' for name in ordered)}."


def _pairs(pairs: Sequence[Pair]) -> Iterator[str]:
    beaten: dict[str, list[str]] = {}
    alike = []
    for each in pairs:
        if (found := shown_better(each, HEADLINE)) is None:
            alike.append(f"{each['a']!r} and {each['b']!r}")
        else:
            beaten.setdefault(found[0], []).append(found[1])
    ahead = sorted(beaten.items(), key=lambda each: -len(each[1]))
    if ahead:
        told = [f"{name!r} solves more than {_listed(others)}" for name, others in ahead]
        yield f"{'; '.join(told)}."
    if alike:
        yield f"No difference is shown between {', nor between '.join(alike)}."


def _listed(names: Sequence[str]) -> str:
    return " and ".join(map(repr, names))
