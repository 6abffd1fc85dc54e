"""Runs to write reports of: made-up answers to the sample, scored as answers always are."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import apieval
from apieval.rebus import dataset
from apieval.records import Rebus

SAMPLE = dataset.load("sample")
LIMIT = 12
"""Rebuses of each of three subsets."""


def _answer(rebus: Rebus, *, solved: bool) -> str:
    words = rebus.word_guesses if solved else ["x", *rebus.word_guesses[1:]]
    guesses = "".join(f"- [c] = {word}\n" for word in words)
    solution = rebus.solution if solved else "x"
    return f"{guesses}Prima lettura: {rebus.first_pass}\nSoluzione: {solution}\n"


def scored(
    folder: Path,
    name: str,
    solved: Mapping[str, int],
    failed: Collection[int] = (),
    data: str | None = None,
) -> Path:
    """Score answers that solve the first so many rebuses in each setting; return the scores' folder.

    `failed` are the places of rebuses whose requests failed; without `data` they are a user's file.
    """
    lines = []
    for setting, many in solved.items():
        for place, rebus in enumerate(SAMPLE.select((), LIMIT).rebuses):
            line = {"id": str(rebus.id), "setting": setting, "text": ""}
            if place in failed:
                line["outcome"] = "failed"
            else:
                line["text"] = _answer(rebus, solved=place < many)
            lines.append(line)
    raw = folder / f"{name}.jsonl"
    raw.write_text("".join(json.dumps(each) + "\n" for each in lines), "utf-8")
    out = folder / "scores" / name
    apieval.score(raw, data or _copied(folder), limit=LIMIT, out=out)
    return out


def _copied(folder: Path) -> Path:
    """Return the sample's rows as a data file of one's own, which is nobody's sample."""
    path = folder / "rebuses.csv"
    with dataset.located("sample") as (source, _):
        path.write_bytes(source.read_bytes())
    return path


def altered(folder: Path, out: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """Return a copy of a scored folder whose summary was changed."""
    out.mkdir()
    (out / "scores.jsonl").write_bytes((folder / "scores.jsonl").read_bytes())
    summary = json.loads((folder / "summary.json").read_text("utf-8"))
    change(summary)
    (out / "summary.json").write_text(json.dumps(summary), "utf-8")
    return out
