"""How one model's figures change with the prompt, with given steps, and with length hints.

The study names the sensitivity to prompts as a limit of a single one. The standard deviation is that
of the prompts tried (n - 1 in its denominator), each with the same weight. The effect of hints is a
paired comparison of the model's two settings.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Final

from apieval.analysis import paired_tests
from apieval.analysis.comparison import metrics
from apieval.analysis.pairing import Scored, joined
from apieval.rebus.metrics import METRICS, told
from apieval.rebus.parsers import official
from apieval.records import GIVENS, SETTINGS, Setting
from apieval.results.comparison import HintsEffect, PromptSpread, Spread, Steps
from apieval.results.figures import Figure
from apieval.results.summary import Summary


def over_prompts(summaries: Iterable[Summary]) -> list[PromptSpread]:
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


def _of_setting(summaries: Sequence[Summary], setting: Setting) -> PromptSpread:
    return {
        "model": summaries[0]["model"],
        "given": summaries[0]["given"],
        "setting": setting,
        "prompts": [each["prompt"]["name"] for each in summaries],
        "metrics": {name: _spread(summaries, setting, name) for name in METRICS},
    }


def _spread(summaries: Sequence[Summary], setting: Setting, metric: str) -> Spread | None:
    micros = [each["figures"][setting]["all"][official.NAME][metric]["micro"] for each in summaries]
    known = [micro.get("answered", micro["value"]) for micro in micros]
    values = [each for each in known if each is not None]
    if len(values) < len(known):
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


def steps_alone(summaries: Iterable[Summary]) -> list[Steps]:
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
        _steps_of_setting([by_given[given] for given in order], setting)
        for by_given in alike.values()
        for setting in SETTINGS
        if len(order := _order(by_given, setting)) > 1
    ]


def _order(by_given: Mapping[str | None, Summary], setting: Setting) -> list[str | None]:
    order: list[str | None] = [None, *GIVENS]
    return [each for each in order if each in by_given and setting in by_given[each]["settings"]]


def _steps_of_setting(summaries: Sequence[Summary], setting: Setting) -> Steps:
    return {
        "model": summaries[0]["model"],
        "prompt": summaries[0]["prompt"]["name"],
        "setting": setting,
        "runs": [{"given": each["given"], "metrics": _micro(each, setting)} for each in summaries],
    }


def _micro(summary: Summary, setting: Setting) -> dict[str, Figure | None]:
    figures = summary["figures"][setting]["all"][official.NAME]
    return {name: micro if (micro := figures[name]["micro"])["n"] else None for name in METRICS}


WITHOUT: Final = "regular"
WITH: Final = "hints"


def of_hints(run: Scored) -> HintsEffect | None:
    """Return every metric with hints less without, over the rebuses answered in both settings.

    `metrics[name]` is as in a comparison, `a` without hints and `b` with them. None where a setting
    was not asked, or no rebus has an answer in both.
    """
    if WITHOUT not in run.rows or WITH not in run.rows:
        return None
    shared = joined(run.rows[WITHOUT], run.rows[WITH], run.ids, run.rebuses)
    if not shared.rebuses:
        return None
    measured = [name for name in METRICS if name not in told(run.given)]
    found = metrics(measured, shared)
    adjusted = paired_tests.holm([each["p"] for each in found.values()])
    for each, p in zip(found.values(), adjusted, strict=True):
        each["p_holm"] = p
    return {
        "rebuses": len(shared.rebuses),
        "answers": shared.answers,
        "left_out": sum(shared.left_out.values()),
        "tests": len(found),
        "metrics": found,
    }
