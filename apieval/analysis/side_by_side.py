"""What several runs are beside each other, in sentences: who is shown to solve more than whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from apieval.analysis import plain_words
from apieval.analysis.ranks import Pair, by_setting, shown_better
from apieval.analysis.standing_out import SETTING_WORDS, Sentence
from apieval.rebus.metrics import HEADLINE

_FEW: Final = 4
"""Of so many runs each pair is named; of more the ranks alone say it shorter."""


def sentences(
    comparison: Mapping[str, Any],
    names: Sequence[str],
    ranks: Mapping[str, Mapping[str, tuple[int, int]]],
) -> list[Sentence]:
    """Return what is shown among the runs `names`, a sentence or two a setting.

    Of two runs it is the comparison's own sentence, which need not name the setting again.
    """
    told = []
    for setting, pairs in by_setting(comparison, names).items():
        if len(names) == 2:  # noqa: PLR2004 # a pair
            tests = comparison["tests"]
            said = [plain_words.of(each, tests, setting_is_said=True) for each in pairs]
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
