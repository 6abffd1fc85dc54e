"""What a comparison of two runs shows, in a sentence that needs no statistics to be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from apieval.analysis.paired import ALPHA
from apieval.rebus.metrics import HEADLINE
from apieval.wording import counted


def of(pair: Mapping[str, Any], tests: int, *, setting_is_said: bool = False) -> str:
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


def _sure(found: Mapping[str, Any], *, turned: bool = False) -> str:
    difference, low, high = (found[name] for name in ("difference", "low", "high"))
    if turned:
        difference, low, high = -difference, -high, -low
    interval = f"95 % {points(low)} to {points(high)}"
    return f"{points(difference)} points ({interval}; p {chance(found['p_holm'])}"


def _before(found: Mapping[str, Any], tests: int) -> str:
    """Say what one test alone would have said, where it is only its company that forbids it."""
    if found["p"] >= ALPHA:
        return ""
    return f" over {counted(tests, 'test')}, {chance(found['p'])} alone"


def _unseen(found: Mapping[str, Any], n: int) -> str:
    rebuses = f"with {'this' if n == 1 else 'these'} {counted(n, 'rebus', 'rebuses')}"
    if found["smallest"] is None:
        return f"none could have been seen {rebuses}"
    least = f"{100 * found['smallest']:.1f}"
    return f"one of less than {least} points may have been missed {rebuses}"


def _among(pair: Mapping[str, Any]) -> str:
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
