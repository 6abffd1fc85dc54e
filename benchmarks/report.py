"""What a report of three whole runs takes: `python -m benchmarks.report`.

3,167 made-up rebuses in both settings by three made-up models, one of which reasons aloud. Prints
Markdown: time and size of the report, and what its page takes in the system's Chromium.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from apieval import evaluate
from apieval.rebus import dataset, examples
from apieval.records import SETTINGS, Outcome, Rebus, Response, RunSpec, Usage
from apieval.results.answers import RESPONSES
from apieval.results.header import HeaderData
from apieval.run import header
from benchmarks import data, measure
from benchmarks.page import in_browser
from benchmarks.table import Target, numbers, targets

ROWS: Final = 3_167
_MODELS: Final = {"alfa": 0.1, "beta": 0.3, "gamma": 0.5}
"""How much of what they say is right."""
_REASONS: Final = "gamma"
_LONGEST_S: Final = 15
_MOST_MB: Final = 25


def main() -> None:
    """Make the runs, report them, open the page, and print what it took."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report")
    parser.add_argument("--rows", type=int, default=ROWS, metavar="N")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = folder / "rows.csv"
        data.write(rows, wanted.rows)
        runs = [_run(folder / model, rows, share) for model, share in _MODELS.items()]
        words = ["report", *map(str, runs), "--out", str(folder / "out")]
        made = measure.run([*measure.apieval(), *words], folder)
        page = folder / "out" / "report.html"
        size = page.stat().st_size / 1e6
        chromium = shutil.which("chromium")
        seen = in_browser(page, chromium) if chromium else {}
    values = {
        "report: whole process, s": made.wall_s,
        "report: CPU, s": made.cpu_s,
        "report: peak MB": made.peak_mb,
        "report.html, MB": size,
        **seen,
    }
    reached = [
        Target("report: whole process", made.wall_s, _LONGEST_S, "s"),
        Target("report.html", size, _MOST_MB, "MB"),
    ]
    print("\n".join(numbers(f"3 runs of {2 * wanted.rows:,} items", values)))
    print("\n".join(targets(reached)))


def _run(folder: Path, rows: Path, share: float) -> Path:
    """Write a run's folder, as it is when the run has ended."""
    found = dataset.load(rows)
    spec = RunSpec(
        model=folder.name,
        provider="openai-compatible",
        identity={},
        data=rows.name,
        settings=SETTINGS,
        prompts={},
    )
    about = HeaderData(name=rows.name, path=str(rows), digest=found.digest, n=len(found.rebuses))
    folder.mkdir()
    header.write(folder, {**header.header(spec, about), "status": "done"})
    with (folder / RESPONSES).open("w", encoding="utf-8") as file:
        file.writelines(f"{each}\n" for each in _answers(found.rebuses, folder.name, share))
    evaluate.score(folder)
    return folder


def _answers(rebuses: tuple[Rebus, ...], model: str, share: float) -> Iterator[str]:
    source = random.Random(model)
    words = [word for rebus in rebuses for word in rebus.word_guesses]

    def think() -> str:
        return " ".join(source.choices(words, k=source.randint(100, 600)))

    for setting in SETTINGS:
        for rebus in rebuses:
            text = _said(rebus, share, source, words)
            yield Response(
                id=rebus.id,
                setting=setting,
                sample=0,
                key="",
                text=text,
                reasoning=think() if model == _REASONS else None,
                outcome=Outcome.OK,
                finish_reason="stop",
                served_model=model,
                system_fingerprint=None,
                usage=Usage(prompt_tokens=700, completion_tokens=len(text) // 3),
                cost_usd=0.00375,
                latency_s=source.uniform(0.5, 5),
                attempts=1,
                error=None,
                created="2026-11-30T10:00:00+00:00",
                cached=False,
            ).model_dump_json()


def _said(rebus: Rebus, share: float, source: random.Random, words: list[str]) -> str:
    """Return a right answer, or one with a wrong word, and sometimes in Markdown."""
    text = examples.write(rebus)
    if source.random() > share:
        text = text.replace(rebus.word_guesses[-1], source.choice(words))
    return text.replace("Soluzione: ", "**Soluzione:** ") if source.random() < share / 3 else text


if __name__ == "__main__":
    main()
