"""`results_<date>.json` of lm-evaluation-harness: the figures of its tasks, and how they came about.

Its own helpers read it beside the sample logs, `samples_<task>_<date>.jsonl`: the tables
(`make_table`), Zeno's and Weights & Biases' views, the card of a data set on the hub. Layout and
names are those of version 0.4.13. A figure is the mean over rebuses, as the harness's own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import sqrt
from typing import Any, Final

from apieval.rebus.harness import FIGURES, generation, hashed
from apieval.version import VERSION

_UNNAMED: Final = re.compile(r'["<>:/|\\?*\[\]]+')
"""What the harness takes out of a model's name where it names a folder."""


@dataclass(slots=True)
class Task:
    """What one sample log holds: its lines' hashes, and their figures by the harness's names."""

    name: str
    rows: int
    sampling: Mapping[str, Any]
    hashes: list[str] = field(default_factory=list)
    figures: dict[str, list[float]] = field(default_factory=lambda: {each: [] for each in FIGURES})

    def add(self, sample: Mapping[str, Any]) -> None:
        """Take in a line of the log."""
        self.hashes.append("".join(sample[f"{each}_hash"] for each in ("doc", "prompt", "target")))
        for name, values in self.figures.items():
            if name in sample:
                values.append(sample[name])

    def results(self) -> dict[str, Any]:
        """Return the means, each with its standard error."""
        found: dict[str, Any] = {
            "alias": self.name,
            "name": self.name,
            "sample_len": len(self.hashes),
        }
        for name, values in self.figures.items():
            if values:
                found[f"{name},none"] = sum(values) / len(values)
                found[f"{name}_stderr,none"] = _standard_error(values)
        return found

    def config(self, data: str) -> dict[str, Any]:
        """Return the task as the harness's configuration says it."""
        metrics = [
            {"metric": each, "aggregation": "mean", "higher_is_better": True} for each in FIGURES
        ]
        return {
            "task": self.name,
            "dataset_path": data,
            "output_type": "generate_until",
            "metric_list": metrics,
            "generation_kwargs": generation(self.sampling),
            "num_fewshot": 0,  # the examples stand in the prompt itself
            "repeats": 1,
            "should_decontaminate": False,
        }


def date_of(last: datetime) -> str:
    """Return the date in the files' names: that of the last answer, so that it is always the same."""
    return (
        last.astimezone(UTC)
        .replace(tzinfo=None)
        .isoformat(timespec="microseconds")
        .replace(":", "-")
    )


def document(
    tasks: Sequence[Task],
    *,
    model: str,
    provider: str,
    data: str,
    system: str | None,
    began: datetime,
    took_s: float | None,
) -> str:
    """Return the file's text; `began` is when the first answer came, `took_s` how long it took, in seconds."""
    sampling = tasks[0].sampling
    names = [task.name for task in tasks]
    found = {
        "results": {task.name: task.results() for task in tasks},
        "group_subtasks": {name: [] for name in names},
        "configs": {task.name: task.config(data) for task in tasks},
        "versions": dict.fromkeys(names, "N/A"),
        "n-shot": dict.fromkeys(names, 0),
        "higher_is_better": {name: dict.fromkeys(FIGURES, True) for name in names},
        "n-samples": {
            task.name: {"original": task.rows, "effective": len(task.hashes)} for task in tasks
        },
        "config": {
            "model": provider,
            "model_args": f"model={model}",
            "batch_size": None,
            "limit": None,
            "bootstrap_iters": 0,
            "gen_kwargs": generation(sampling),
        },
        "date": began.timestamp(),
        "apieval_version": VERSION,
        "task_hashes": {task.name: hashed("".join(task.hashes)) for task in tasks},
        "model_source": provider,
        "model_name": model,
        "model_name_sanitized": _UNNAMED.sub("__", model),
        "system_instruction": system,
        "system_instruction_sha": hashed(system) if system else None,
        "fewshot_as_multiturn": False,
        "chat_template": None,
        "chat_template_sha": None,
        "total_evaluation_time_seconds": None if took_s is None else str(took_s),
    }
    return json.dumps(found, indent=2, ensure_ascii=False)


def _standard_error(values: Sequence[float]) -> float | str:
    """Return the harness's standard error of a mean; of one value it says that there is none."""
    n = len(values)
    if n < 2:  # noqa: PLR2004 # one says nothing of a spread
        return "N/A"
    mean = sum(values) / n
    return sqrt(sum((each - mean) ** 2 for each in values) / (n - 1)) / sqrt(n)
