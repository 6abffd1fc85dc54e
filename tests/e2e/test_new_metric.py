"""A metric added by CONTRIBUTING's recipe, on a copy of the package: every command works with it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import apieval

NEW = "solution_length_accuracy"
PACKAGE = Path(apieval.__file__).parent
CONTRIBUTING = PACKAGE.parent / "CONTRIBUTING.md"
COMMANDS = (
    "run baseline --limit 3 --out runs --name one",
    "run baseline --limit 3 --out runs --name two --samples 2",
    "run baseline --limit 3 --out runs --name given --given definitions",
    "score runs/one --details --audit",
    "score runs/two --details",
    "score runs/one --out elsewhere --data sample --json",
    "compare runs/one runs/two",
    "compare runs/one runs/two --json",
    "report runs/one runs/two --out report",
    "report runs/given --out given",
    *(f"export runs/one --format {each} --out {each}" for each in ("csv", "lm-eval", "eee")),
    "export runs/one --format parquet --out parquet",
    "verify runs/one",
    "verify runs/two",
    "verify runs/given",
)
PROGRAM = """
import json, sys
from typer.testing import CliRunner
import apieval
from apieval.cli import app

done = {}
for command in json.loads(sys.argv[1]):
    result = CliRunner().invoke(app, command.split())
    done[command] = [result.exit_code, result.output + repr(result.exception or "")]
print(json.dumps([apieval.__file__, done]))
"""


def test_a_metric_is_one_entry(tmp_path: Path) -> None:
    recipe = re.search(
        r"### A metric: one file\n.*?```text\n(.*?)```", CONTRIBUTING.read_text(), re.DOTALL
    )
    assert recipe is not None
    copy = shutil.copytree(PACKAGE, tmp_path / "apieval")
    shutil.copy(PACKAGE.parent / "providers.yaml", tmp_path)
    registry = copy / "rebus" / "metrics.py"
    before, mark, after = registry.read_text("utf-8").partition(")\n\nMETRICS: ")
    assert mark
    registry.write_text(before + recipe[1] + mark + after, "utf-8")
    environ = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONSAFEPATH": "1"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(COMMANDS)],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=True,
    )
    where, found = json.loads(done.stdout)
    assert Path(where).parent == copy
    wrong = {command: said for command, (code, said) in found.items() if code}
    assert not wrong
    for command in ("score runs/one --details --audit", "compare runs/one runs/two --json"):
        assert NEW in found[command][1]
    summary = json.loads((tmp_path / "runs/one/summary.json").read_text("utf-8"))
    assert NEW in summary["figures"]["hints"]["all"]["official"]
    for file in ("report/report.html", "report/report.md"):
        assert "Solution length" in (tmp_path / file).read_text("utf-8")
    assert NEW in (tmp_path / "report/table.csv").read_text("utf-8")
    assert "Sol. len." in (tmp_path / "report/table.tex").read_text("utf-8")
    assert any(NEW in each.read_text("utf-8") for each in (tmp_path / "eee").rglob("*.json"))
