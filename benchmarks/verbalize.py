"""How long `apieval data verbalize` takes, and what it holds: `python -m benchmarks.verbalize`.

250,000 rebuses and 125,000 clues, more than Eureka5 and ItaCW have; prints Markdown.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Final

from benchmarks import measure, tables
from benchmarks.table import Target, numbers, targets

REBUSES: Final = 250_000
CLUES: Final = 125_000
_LONGEST_S: Final = 60
_MOST_MB: Final = 1000


def main() -> None:
    """Make the tables, verbalize them, verify what came out, and print what it took."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verbalize")
    parser.add_argument("--rebuses", type=int, default=REBUSES, metavar="N")
    parser.add_argument("--clues", type=int, default=CLUES, metavar="N")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rebuses, clues = tables.write(folder, wanted.rebuses, wanted.clues)
        out = folder / "data.csv"
        words = ["data", "verbalize", str(rebuses), "--clues", str(clues), "--out", str(out)]
        made = measure.run([*measure.apieval(), *words, "--json"], folder)
        words = ["data", "verify", str(out), "--json"]
        checked = measure.run([*measure.apieval(), *words], folder, checked=False)
    _show(wanted.rebuses, wanted.clues, made, checked)


def _show(rebuses: int, clues: int, made: measure.Ran, checked: measure.Ran) -> None:
    found = json.loads(made.stdout)
    values = {
        "rebuses written": found["out"]["rows"],
        "verbalize: whole process, s": made.wall_s,
        "verbalize: CPU, s": made.cpu_s,
        "verbalize: peak MB": made.peak_mb,
        "verify: errors": json.loads(checked.stdout)["errors"],
        "verify: whole process, s": checked.wall_s,
        "verify: peak MB": checked.peak_mb,
    }
    reached = [
        Target("verbalize: whole process", made.wall_s, _LONGEST_S, "s"),
        Target("verbalize: peak memory", made.peak_mb, _MOST_MB, "MB"),
        Target("verify: errors", float(values["verify: errors"]), 0, ""),
    ]
    print("\n".join(numbers(f"{rebuses:,} rebuses x {clues:,} clues", values)))
    print("\n".join(targets(reached)))


if __name__ == "__main__":
    main()
