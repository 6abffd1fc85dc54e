"""Answers as a Parquet table, one row an answer: its text, the official parts, every parser's figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from apieval.errors import StoreError
from apieval.files import replacing_bytes
from apieval.rebus.metrics import METRICS, OF_REBUSES
from apieval.rebus.parsers import official
from apieval.rebus.scoring import PARSERS, ScoredAnswer
from apieval.records import Response
from apieval.report.files import in_its_folder
from apieval.wording import install

FIGURES: Final = {
    (parser, metric): f"{parser.replace('-', '_')}_{metric}"
    for parser in PARSERS
    for metric in METRICS
}
"""The columns of the figures, by parser and metric."""
COUNTS: Final = {
    place: (f"{column}_right", f"{column}_total")
    for place, column in FIGURES.items()
    if place[1] not in OF_REBUSES
}
"""The columns of right words and of all words, whose sums make the micro figure."""
_TEXTS: Final = ("id", "setting", "subset", "outcome", "text", "reasoning", "finish_reason")
_LISTS: Final = ("word_guesses", "solution_words")
_WHOLE: Final = ("first_pass", "solution")


def row(response: Response, answer: ScoredAnswer) -> dict[str, Any]:
    """Return an answer's row; what has no score, as a failed request, has null figures."""
    score = answer.scores[official.NAME]
    found = {
        "id": str(response.id),
        "setting": response.setting,
        "sample": response.sample,
        "subset": answer.gold.subset,
        "outcome": response.outcome.value,
        "text": response.text,
        "reasoning": response.reasoning,
        "finish_reason": response.finish_reason,
        **{name: list(getattr(score.prediction, name)) for name in _LISTS},
        **{name: getattr(score.prediction, name) for name in _WHOLE},
    }
    for (parser, metric), column in FIGURES.items():
        tally = (answer.scores[parser].tallies or {}).get(metric)
        found[column] = tally.share if tally else None
        if (parser, metric) in COUNTS:
            found.update(zip(COUNTS[parser, metric], tally or (None, None), strict=True))
    return found


def write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows to a file, whole or not at all.

    Raises:
        StoreError: without pyarrow, and where the file cannot be written.
    """
    try:
        # an extra, and heavy: needed for this one kind of file alone
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.parquet as pq  # noqa: PLC0415
    except ImportError:
        raise StoreError(
            f"{path}: writing Parquet needs pyarrow; {install('parquet')} adds it, or export csv."
        ) from None
    fields = [
        *((name, pa.string()) for name in (*_TEXTS, *_WHOLE)),
        ("sample", pa.int64()),
        *((name, pa.list_(pa.string())) for name in _LISTS),
        *((name, pa.float64()) for name in FIGURES.values()),
        *((name, pa.int64()) for names in COUNTS.values() for name in names),
    ]
    table = pa.Table.from_pylist(list(rows), schema=pa.schema(fields))
    with in_its_folder(path), replacing_bytes(path) as file:
        pq.write_table(table, file)
