"""How much the prompt moves the figures of a model: the same rebuses, asked in several ways.

The study names the sensitivity to prompts as a limit of a single one. The standard deviation here
is that of the prompts that were tried (n - 1 in its denominator), each with the same weight.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any

from apieval.rebus.metrics import METRICS
from apieval.rebus.parsers import official
from apieval.schema import SETTINGS, Setting

Summary = Mapping[str, Any]


def over_prompts(summaries: Iterable[Summary]) -> list[dict[str, Any]]:
    """Return for each model and setting that was asked in several ways how far the figures lie apart.

    The figures are micro, of the official parser, over all subsets; of a partial run those over
    the answers there are. A figure that one of the runs does not have has no spread: null. Runs on
    other data, or begun with other steps, are not of one kind.
    """
    alike: dict[tuple[object, ...], list[Summary]] = {}
    for each in summaries:
        kind = (each["model"], each["data"]["digest"], each["data"]["n"], each["given"])
        alike.setdefault(kind, []).append(each)
    return [
        _of_setting(mine, setting)
        for found in alike.values()
        for setting in SETTINGS
        if (mine := [each for each in found if setting in each["settings"]])
        if len({each["prompt"]["name"] for each in mine}) > 1
    ]


def _of_setting(summaries: Sequence[Summary], setting: Setting) -> dict[str, Any]:
    return {
        "model": summaries[0]["model"],
        "given": summaries[0]["given"],
        "setting": setting,
        "prompts": [each["prompt"]["name"] for each in summaries],
        "metrics": {name: _spread(summaries, setting, name) for name in METRICS},
    }


def _spread(summaries: Sequence[Summary], setting: str, metric: str) -> dict[str, Any] | None:
    micros = [each["figures"][setting]["all"][official.NAME][metric]["micro"] for each in summaries]
    values = [micro.get("answered", micro["value"]) for micro in micros]
    if None in values:
        return None
    low, high = min(values), max(values)
    return {
        "values": values,
        "mean": fmean(values),
        "sd": stdev(values),
        "least": low,
        "most": high,
        "range": math.fsum((high, -low)),
    }
