"""What length hints do to one model: its two settings held against each other, rebus by rebus.

The tests are those of a comparison of two runs, with Holm's adjustment over the metrics of this
one run, so that what is said of it does not depend on what else stands in a report.
"""

from __future__ import annotations

from typing import Any, Final

from apieval.analysis import paired
from apieval.analysis.compare import metrics
from apieval.analysis.pairing import Scored, joined
from apieval.rebus.metrics import METRICS, told

WITHOUT: Final = "regular"
WITH: Final = "hints"


def of_hints(run: Scored) -> dict[str, Any] | None:
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
    adjusted = paired.holm([each["p"] for each in found.values()])
    for each, p in zip(found.values(), adjusted, strict=True):
        each["p_holm"] = p
    return {
        "rebuses": len(shared.rebuses),
        "answers": shared.answers,
        "left_out": sum(shared.left_out.values()),
        "tests": len(found),
        "metrics": found,
    }
