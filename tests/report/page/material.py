"""Items as a verb gathers them, and what a page holds of them unpacked."""

from __future__ import annotations

import base64
import gzip
import json
import random
import re
from collections.abc import Mapping
from typing import Any

from apieval.report.page.items import Answer, AnsweredRun, Gold, Items, Key, Read, cut, shown
from tests.records import prediction, rebus

DIGEST = "sha256:0"
_BLOCK = re.compile(r'<script type="application/octet-stream" id="rebuses-([a-z0-9-]+)">([^<]*)<')


def answer(*, solved: bool = True, text: str | None = None, **changes: Any) -> Answer:  # noqa: ANN401
    marks = {"word_guesses": "22", "solution": "2" if solved else "0"}
    read = Read(shown(prediction()), marks, {"solution_match": (int(solved), 1)})
    made = Answer("ok", "solved" if solved else "solution", solved, read, **changes)
    if text is not None:
        made.text = cut(text, 20_000)
    return made


def key(row: int | str, sample: int = 0) -> Key:
    return Key(DIGEST, row, "regular", sample)


def items(runs: Mapping[str, Mapping[Key, Answer]], rows: int = 0, **changes: Any) -> Items:  # noqa: ANN401
    """Return items of runs by name, with the gold of the first so many rows."""
    golds = {(DIGEST, n): Gold(rebus(id=n), rebus().solution_words, n) for n in range(rows)}
    answered = [
        AnsweredRun(name=name, texts=f"{name}/responses.jsonl", given=None, answers=answers)
        for name, answers in runs.items()
    ]
    return Items(**{"runs": answered, "golds": golds, "data": {DIGEST: "rows.csv"}, **changes})


def noise(length: int, seed: int = 0) -> str:
    """Return a text that cannot be packed well."""
    return random.Random(seed).randbytes(length * 3 // 4).hex()[:length]


def unpacked(html: str) -> dict[str, Any]:
    """Return what the blocks of a page hold, by name."""
    return {
        name: json.loads(gzip.decompress(base64.b64decode(packed)))
        for name, packed in _BLOCK.findall(html)
    }
