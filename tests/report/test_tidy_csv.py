from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from apieval.analysis.signatures import fingerprint
from apieval.report import tidy_csv
from tests.report.documents import altered
from tests.report_runs import gathered


def rows(*folders: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(tidy_csv.lines(gathered(folders))))


def test_a_row_a_figure(folders: dict[str, Path]) -> None:
    found = rows(folders["half"], folders["more"])
    # runs, settings, subsets and all, parsers, metrics, aggregations
    assert len(found) == 2 * 2 * 4 * 3 * 6 * 2
    summary = json.loads((folders["half"] / "summary.json").read_text("utf-8"))
    row = next(
        each
        for each in found
        if (each["run"], each["setting"], each["subset"]) == ("half", "hints", "ood")
        and (each["parser"], each["metric"]) == ("tolerant", "solution_match")
        and each["aggregation"] == "macro"
    )
    figure = summary["figures"]["hints"]["ood"]["tolerant"]["solution_match"]["macro"]
    for name in ("value", "low", "high", "n"):
        assert float(row[name]) == figure[name]
    assert row["at_least"] == row["answered"] == ""
    assert row["signature"] == fingerprint(summary["signatures"]["hints"]["tolerant"])


def test_bounds_of_a_partial_run(folders: dict[str, Path]) -> None:
    row = next(each for each in rows(folders["part"]) if each["metric"] == "solution_match")
    assert float(row["at_least"]) < float(row["at_most"])
    assert row["value"] == row["low"] == row["high"] == ""  # a missing answer is no wrong one
    assert row["answered"]


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r"])
def test_no_name_is_a_formula(folders: dict[str, Path], tmp_path: Path, begin: str) -> None:
    def change(summary: dict[str, Any]) -> None:
        summary["model"] = f'{begin}cmd|"x",\n1'

    [*_, row] = rows(altered(folders["half"], tmp_path / "x", change))
    assert row["model"].startswith(("'", "\\r"))


def test_a_line_break_in_a_name_begins_no_row(folders: dict[str, Path], tmp_path: Path) -> None:
    bad = altered(folders["half"], tmp_path / "x", lambda known: known.update(model="uno\n=due"))
    found = rows(bad)
    assert {each["model"] for each in found} == {"uno\n'=due"}
    assert all(None not in each and None not in each.values() for each in found)
