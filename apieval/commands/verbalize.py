"""The verb that makes a data file: printed rebuses and crossword clues in, verbalized rebuses out."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, TextIO

from apieval.errors import ConfigError, DataError
from apieval.files import replacing
from apieval.rebus import printed, training
from apieval.rebus.cells import FORMULA, Columns
from apieval.rebus.clue_table import Clues
from apieval.rebus.columns import GOLD, LISTS, QUESTION
from apieval.rebus.verbalize import Verbalizer, Wish
from apieval.records import Rebus
from apieval.results.data import DataTable, InputTable, Verbalized
from apieval.signature import digest_file

FORMAT: Final = 1
MOST_LACKING: Final = 50
_NOTHING_WISHED: Final = Wish()


def verbalize(  # three kinds of input, one output, what is wished
    rebuses: Path,
    clues: Sequence[Path],
    out: Path,
    *,
    against: Path | None = None,
    wish: Wish = _NOTHING_WISHED,
    overwrite: bool = False,
) -> Verbalized:
    """Write a data file of what can be verbalized, and return what it is and what was dropped.

    Raises:
        ConfigError: for an output that is an input, is there already, or is no CSV file.
        DataError: for a table that cannot be used, and where nothing is left to write.
    """
    _check_out(out, [rebuses, *clues, *filter(None, [against])], overwrite=overwrite)
    known = Clues()
    tables = [known.read(path) for path in clues]
    seen = training.read(against) if against else None
    maker = Verbalizer(known, wish, seen)
    table = printed.table_of(rebuses, dated=wish.new_since is not None)
    made = maker.verbalize(printed.read(table, maker.dropped))
    written = _Written(split=bool(against) or wish.new_since is not None)
    try:
        with replacing(out) as file:
            written.write(file, made)
            if not written.rows:
                raise DataError(_nothing(table, maker))
    except OSError as error:
        raise DataError(f"{out}: cannot be written: {error.strerror or error}.") from None
    return {
        "format": FORMAT,
        "out": {"path": str(out), "digest": digest_file(out), "rows": written.rows},
        "subsets": written.subsets,
        "rebuses": _named(rebuses, table),
        "clues": tables,
        "answers": known.answers,
        "against": _known(seen),
        "wish": {
            "least_words": wish.least_words,
            "seed": wish.seed,
            "new_since": wish.new_since,
        },
        "dropped": maker.dropped.as_json(),
        "possible_leaks": maker.possible_leaks,
        "undated": maker.undated,
        "lacking": _most(maker.lacking),
        "formulas": written.formulas,
    }


def _check_out(out: Path, inputs: Iterable[Path], *, overwrite: bool) -> None:
    if out.suffix.lower() != ".csv":
        raise ConfigError(f"--out {out}: what is written is CSV; give a name that ends in .csv.")
    if not out.parent.is_dir():
        raise ConfigError(f"--out {out}: there is no folder {str(out.parent)!r}; make it first.")
    if any(out.resolve() == each.resolve() for each in inputs):
        raise ConfigError(f"--out {out}: this is read from; give another name.")
    if out.exists() and not (overwrite and out.is_file()):
        raise ConfigError(f"--out {out}: it is there already; give another name, or --overwrite.")


class _Written:
    """What was written: rows, by subset, and those that a spreadsheet would run."""

    def __init__(self, *, split: bool) -> None:
        self.rows = 0
        self.formulas = 0
        self.subsets: dict[str, int] = {}
        self._columns = ("id", *(("subset",) if split else ()), *QUESTION, *GOLD)

    def write(self, file: TextIO, rebuses: Iterable[Rebus]) -> None:
        """Write the rebuses as CSV, a header first."""
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(self._columns)
        for rebus in rebuses:
            cells = [_cell(rebus, name) for name in self._columns]
            writer.writerow(cells)
            self.rows += 1
            self.formulas += any(cell.startswith(FORMULA) for cell in cells)
            if rebus.subset is not None:
                self.subsets[rebus.subset] = self.subsets.get(rebus.subset, 0) + 1


def _cell(rebus: Rebus, name: str) -> str:
    value = getattr(rebus, name)
    return ";".join(value) if name in LISTS else str(value)


def _nothing(table: Columns, maker: Verbalizer) -> str:
    reasons = maker.dropped.as_json()
    most = max(reasons.values(), key=lambda reason: reason["rows"])
    first = most["first"][0]
    return (
        f"{table.path}: none of its {table.rows:,} rows can be verbalized; of {most['rows']:,} "
        f"{most['says']}, first line {first['line']} ({first['text']}). Nothing was written."
    )


def _named(path: Path, table: Columns) -> InputTable:
    return {
        "name": path.name,
        "digest": digest_file(path),
        "rows": table.rows,
        "formulas": table.formulas,
    }


def _known(seen: training.Training | None) -> DataTable | None:
    return {"name": seen.name, "digest": seen.digest, "rows": seen.rows} if seen else None


def _most(lacking: Mapping[str, int]) -> dict[str, int]:
    """Return the words that the most rows lack a clue of, and how many rows."""
    ordered = sorted(lacking, key=lambda word: (-lacking[word], word))
    return {word: lacking[word] for word in ordered[:MOST_LACKING]}
