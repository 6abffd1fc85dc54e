"""Scored runs made of a few rights, for the tests of comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from apieval.analysis.comparison import compare
from apieval.analysis.pairing import Scored
from apieval.rebus.metrics import METRICS, OF_REBUSES
from apieval.records import RowId, Setting, Tally

SIGNATURE = {"data": "d.csv@0", "n": "4", "prompt": "p", "parser": "official@1", "samples": "1"}
Rights = Mapping[RowId, Sequence[int | None]]
"""How many of 4 words are right in each sample; None is a failed request."""


def tallies(right: int) -> dict[str, Tally]:
    """Return tallies of 4 words each; a whole one is right where all 4 are."""
    return {
        name: Tally(right // 4, 1) if name in OF_REBUSES else Tally(right, 4) for name in METRICS
    }


def run(name: str, rights: Rights, *, setting: Setting = "hints", **changes: Any) -> Scored:  # noqa: ANN401 # any field
    rows = {
        str(each): {
            sample: None if right is None else tallies(right)
            for sample, right in enumerate(samples)
        }
        for each, samples in rights.items()
    }
    plain = Scored(
        name=name,
        model=name,
        folder=f"runs/{name}",
        digest="sha256:0",
        rebuses=len(rights),
        signatures={setting: SIGNATURE},
        rows={setting: rows},
        ids={str(each): each for each in rights},
    )
    return replace(plain, **changes)


def only(runs: Sequence[Scored]) -> dict[str, Any]:
    [found] = compare(runs, "official")["comparisons"]
    return dict(found)
