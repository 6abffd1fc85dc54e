"""The figures of a run as the interchange format's `evaluation_results`, one entry a figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

from apieval.analysis.figures import AGGREGATIONS, Aggregation
from apieval.analysis.signed import fingerprint, of_figure
from apieval.analysis.statistics import CONFIDENCE, SEED, TRIALS
from apieval.rebus.metrics import METRICS, OF_REBUSES
from apieval.rebus.scoring import PARSERS
from apieval.report.eee.names import BENCHMARK, evaluation_name, result_id, strings

SAYS: Final = {
    "word_guess_accuracy": "hidden words equal to the gold word at the same position",
    "word_guess_length_accuracy": "hidden words of the gold word's length",
    "first_pass_accuracy": "first passes equal to gold",
    "solution_word_accuracy": "solution words equal to the gold word at the same position",
    "solution_word_length_accuracy": "solution words of the gold word's length",
    "solution_match": "solutions equal to gold",
}
"""What each metric counts."""
_OVER: Final[Mapping[Aggregation, str]] = {
    "micro": "over all of them",
    "macro": "of each rebus, rounded to 4 decimals, then the mean over rebuses",
}
_BOOTSTRAP: Final = (
    f"bootstrap over rebuses, percentiles, seed {SEED}; Wilson where all rebuses have one share"
)


@dataclass(frozen=True, slots=True)
class Common:
    """What stands beside every figure of a run: its data, when it was, and by setting how."""

    source: Mapping[str, Any]
    when: str
    generation: Mapping[str, Mapping[str, Any]]


def results(summary: Mapping[str, Any], common: Common) -> Iterator[dict[str, Any]]:
    """Yield an entry for every figure of a summary; a figure of nothing has none."""
    for setting, by_subset in summary["figures"].items():
        for subset, by_parser in by_subset.items():
            for parser, metric, aggregation in product(by_parser, METRICS, AGGREGATIONS):
                if by_parser[parser][metric][aggregation]["n"]:
                    yield _result(summary, common, (setting, subset, parser, metric, aggregation))


def _result(
    summary: Mapping[str, Any], common: Common, place: tuple[str, str, str, str, Aggregation]
) -> dict[str, Any]:
    setting, subset, parser, metric, aggregation = place
    return {
        "evaluation_result_id": result_id(*place),
        "evaluation_name": evaluation_name(setting, subset),
        "source_data": common.source,
        "evaluation_timestamp": common.when,
        "metric_config": _metric(setting, subset, parser, metric, aggregation),
        "score_details": _score(summary, place),
        "generation_config": common.generation[setting],
    }


def _metric(
    setting: str, subset: str, parser: str, metric: str, aggregation: Aggregation
) -> dict[str, Any]:
    reader = PARSERS[parser]
    return {
        "evaluation_description": f"Share of {SAYS[metric]}, {_OVER[aggregation]}",
        "metric_id": f"{BENCHMARK}.{metric}",
        "metric_name": metric,
        "metric_kind": "accuracy",
        "metric_unit": "proportion",
        "metric_parameters": {
            "setting": setting,
            "subset": subset,
            "parser": parser,
            "parser_version": reader.version,
            "equality": reader.equality,
            "aggregation": aggregation,
        },
        "lower_is_better": False,
        "score_type": "continuous",
        "min_score": 0.0,
        "max_score": 1.0,
    }


def _score(
    summary: Mapping[str, Any], place: tuple[str, str, str, str, Aggregation]
) -> dict[str, Any]:
    setting, subset, parser, metric, aggregation = place
    both = summary["figures"][setting][subset][parser][metric]
    figure, signed = both[aggregation], of_figure(summary, *place)
    words = aggregation == "micro" and metric not in OF_REBUSES
    lacking = ("at_least", "at_most", "answered")
    return {
        "score": figure["value"],
        "details": strings(
            {
                "n": figure["n"],
                "n_of": "words" if words else "answers",
                "signature": signed,
                "fingerprint": fingerprint(signed),
                "partial": "at_least" in figure,
                **{name: figure.get(name) for name in lacking},
                "outcomes_of_setting": summary["outcomes"][setting],
            }
        ),
        "uncertainty": _interval(metric, figure, both["macro"]["n"], summary["samples"]),
    }


def _interval(metric: str, figure: Mapping[str, Any], answers: int, samples: int) -> dict[str, Any]:
    drawn = metric not in OF_REBUSES or samples > 1
    if "at_least" in figure:  # bounds, which the details have, are no interval
        return {"num_samples": answers // samples}
    return {
        "confidence_interval": {
            "lower": figure["low"],
            "upper": figure["high"],
            "confidence_level": CONFIDENCE,
            "method": _BOOTSTRAP if drawn else "Wilson",
        },
        "num_samples": answers // samples,
        **({"num_bootstrap_samples": TRIALS} if drawn else {}),
    }
