"""What each step of a rebus costs: a model's figures with nothing given, and with steps given.

Where the definitions are given, what is left to fail is the first pass and what follows; where the
first pass is given, only segmentation is left. The difference between the two is what a step costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from apieval.rebus.metrics import METRICS
from apieval.rebus.parsers import official
from apieval.schema import GIVENS, SETTINGS, Setting

Summary = Mapping[str, Any]


def steps_alone(summaries: Iterable[Summary]) -> list[dict[str, Any]]:
    """Return for each model, prompt and setting that was run with steps given how each run went.

    `runs` are in the order nothing, `definitions`, `first-pass`, those there are; each has its
    `given` and its micro figures of the official parser over all subsets, None for what was given.
    One run alone shows nothing, and of several of one kind the first counts.
    """
    alike: dict[tuple[object, ...], dict[str | None, Summary]] = {}
    for each in summaries:
        data, prompt = each["data"], each["prompt"]["name"]
        kind = (each["model"], data["digest"], data["n"], prompt)
        alike.setdefault(kind, {}).setdefault(each["given"], each)
    return [
        _of_setting([by_given[given] for given in order], setting)
        for by_given in alike.values()
        for setting in SETTINGS
        if len(order := _order(by_given, setting)) > 1
    ]


def _order(by_given: Mapping[str | None, Summary], setting: Setting) -> list[str | None]:
    order: list[str | None] = [None, *GIVENS]
    return [each for each in order if each in by_given and setting in by_given[each]["settings"]]


def _of_setting(summaries: Sequence[Summary], setting: Setting) -> dict[str, Any]:
    return {
        "model": summaries[0]["model"],
        "prompt": summaries[0]["prompt"]["name"],
        "setting": setting,
        "runs": [{"given": each["given"], "metrics": _micro(each, setting)} for each in summaries],
    }


def _micro(summary: Summary, setting: Setting) -> dict[str, Any]:
    figures = summary["figures"][setting]["all"][official.NAME]
    return {name: micro if (micro := figures[name]["micro"])["n"] else None for name in METRICS}
