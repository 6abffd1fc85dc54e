"""Rows of text out of CSV, JSONL and Parquet files, each with the place it stands at.

Every cell is text: `null`, `NA` and `007` come out as they stand in the file. This module knows
no column by name and nothing of rebuses; it names the file and the line of what it cannot read.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TextIO

from apieval.config.strict_yaml import unique
from apieval.errors import DataError
from apieval.records import well_formed
from apieval.wording import install

LARGEST: Final = 250_000_000
"""Bytes of the largest file that is read; all 80,158 training rows of the challenge have some 40 MB."""
MOST: Final = 1_000_000
"""Rows that are read at most; the largest collection of Italian rebuses has 223,000."""
_LONGEST: Final = 2_000_000
"""Characters of the longest line of a CSV file; a row of rebuses has some 500."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: the line of the file it begins in (for Parquet its number from 1), and its cells."""

    line: int
    cells: dict[str, str]


def read(path: Path, *, escape: str | None = None) -> Iterator[Row]:
    """Yield the rows of a file; its ending says what it is: .csv, .jsonl (or .ndjson), .parquet.

    The rows come one at a time; whoever keeps them all can, as there are never more than MOST.
    `escape` is what stands before a quote inside a cell of a CSV file that does not double it.

    Raises:
        DataError: naming the file, the line and the remedy, for a file that is missing, empty,
            of another kind, far larger than any of rebuses, not UTF-8, or holds a row that does
            not fit its header.
    """
    readers: dict[str, Callable[[Path], Iterator[Row]]] = {
        ".csv": partial(_csv, escape=escape),
        ".jsonl": _jsonl,
        ".ndjson": _jsonl,
        ".parquet": _parquet,
    }
    reader = readers.get(path.suffix.lower())
    with _readable(path):
        if not path.exists():
            raise DataError(f"{path}: there is no such file.")
        if path.is_dir():
            raise DataError(f"{path}: a folder; give a .csv, .jsonl or .parquet file.")
        # a named pipe would be waited for without end
        if not path.is_file() or reader is None:
            raise DataError(f"{path}: not a data file; give a .csv, .jsonl or .parquet file.")
        _check_size(path)
        for number, row in enumerate(reader(path)):
            if number == MOST:
                raise DataError(
                    f"{path}, line {row.line}: more than {MOST:,} rows; split the file."
                )
            yield row


def lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file of plain text, one at a time.

    Raises:
        DataError: for what is missing, far too large or not UTF-8.
    """
    with _readable(path):
        if not path.is_file():
            raise DataError(f"{path}: there is no such file.")
        _check_size(path)
        with path.open(encoding="utf-8-sig") as file:
            yield from _lines(path, file)


def _check_size(path: Path) -> None:
    size = path.stat().st_size
    if size > LARGEST:
        raise DataError(
            f"{path}: {size / 1e9:,.2f} GB, and no file of rebuses is larger than "
            f"{LARGEST / 1e9:,.2f} GB; is this the right file? If so, split it."
        )


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise DataError(
            f"{path}, line {_first_not_utf8(path)}: not UTF-8 text; save the file as UTF-8."
        ) from None


def _first_not_utf8(path: Path) -> int:
    """Return the first such line; the decoder knows the place in its buffer alone."""
    with path.open("rb") as file:
        return next((n for n, text in enumerate(file, start=1) if not _is_utf8(text)), 1)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _csv(path: Path, escape: str | None) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(_lines(path, file), strict=True, escapechar=escape)
        line = 1
        try:
            header = next(reader, [])
            _check_header(path, header)
            line = reader.line_num + 1
            for cells in reader:
                if cells:
                    _check_width(path, line, cells, header)
                    yield Row(line, dict(zip(header, cells, strict=True)))
                line = reader.line_num + 1
        except csv.Error as error:
            raise DataError(
                f"{path}, line {line}: not CSV: {error}; look there for a quote that is not closed, "
                "or not doubled inside a quoted cell."
            ) from None


def _lines(path: Path, file: TextIO) -> Iterator[str]:
    """Yield a file's lines; one without an end is no table, and must not fill the memory."""
    number = 0
    while line := file.readline(_LONGEST):
        number += 1
        if len(line) == _LONGEST:
            raise DataError(
                f"{path}, line {number}: {_LONGEST:,} characters and more without a line's end; "
                "not a table of rebuses."
            )
        yield line


def _check_header(path: Path, header: list[str]) -> None:
    if not any(header):
        raise DataError(f"{path}: empty; the first line must name the columns.")
    if len(header) == 1 and (other := next((each for each in ";\t|" if each in header[0]), None)):
        raise DataError(
            f"{path}: the cells seem to be separated by {other!r}; save the file with commas."
        )
    if not all(map(str.isprintable, header)):
        raise DataError(
            f"{path}, line 1: a column's name holds control characters or a line break; give a "
            "table as text, whose first line names the columns."
        )
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise DataError(f"{path}, line 1: the column {twice[0]!r} appears twice.")


def _check_width(path: Path, line: int, cells: list[str], header: list[str]) -> None:
    if len(cells) != len(header):
        raise DataError(
            f"{path}, line {line}: {len(cells)} cells under {len(header)} columns; "
            "put cells that hold a comma or a line break in double quotes."
        )


def _jsonl(path: Path) -> Iterator[Row]:
    for line, value in objects(path):
        yield Row(line, {name: _cell(path, line, name, cell) for name, cell in value.items()})


def objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    r"""Yield line number and object of every line; numbers come as the text they are written in.

    Lines end at `\n` alone: U+2028 and the like are text. Blank lines are passed over.

    Raises:
        DataError: naming the file and the line, for what cannot be read or is no JSON object.
    """
    with _readable(path), path.open(encoding="utf-8-sig", newline="\n") as file:
        seen = False
        for line, text in enumerate(file, start=1):
            if text.strip():
                seen = True
                yield line, _object(path, line, text)
        if not seen:
            raise DataError(f"{path}: empty; every line must be a JSON object.")


def _object(path: Path, line: int, text: str) -> dict[str, Any]:
    try:
        value = json.loads(
            text, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=unique
        )
    except json.JSONDecodeError as error:
        raise DataError(
            f"{path}, line {line}: not JSON: wrong from column {error.colno:,} on; every line must "
            "be a JSON object."
        ) from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}, line {line}: not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise DataError(f"{path}, line {line}: not a JSON object but {type(value).__name__}.")
    return value


def _cell(path: Path, line: int, name: str, value: object) -> str:
    """Return a JSON value as a cell; a list of texts becomes the `;`-separated cell it stands for."""
    if value is None:
        return ""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, list) and all(isinstance(part, str) and ";" not in part for part in value):
        return well_formed(";".join(value))
    raise DataError(
        f"{path}, line {line}, column {name!r}: {type(value).__name__} is no text; put it in quotes."
    )


def _parquet(path: Path) -> Iterator[Row]:
    try:
        # an extra, and heavy: needed for this one kind of file alone
        import pyarrow.parquet as pq  # noqa: PLC0415
        from pyarrow import ArrowException, types  # noqa: PLC0415
    except ImportError:
        raise DataError(
            f"{path}: reading Parquet needs pyarrow; {install('parquet')} adds it, or save as CSV."
        ) from None
    with path.open("rb") as file:
        try:
            table = pq.ParquetFile(file)
            _check_types(path, table.schema_arrow, types)
            number = 0
            for batch in table.iter_batches():
                for values in batch.to_pylist():
                    number += 1
                    yield Row(number, _cells(path, number, values))
        except (ArrowException, ValueError, OSError) as error:
            reason = " ".join(str(error).split())
            raise DataError(f"{path}: not a Parquet file: {reason}.") from None


def _check_types(path: Path, schema: Any, types: Any) -> None:  # noqa: ANN401 # pyarrow's own
    for field in schema:
        kind = field.type.value_type if types.is_list(field.type) else field.type
        if not (types.is_string(kind) or types.is_large_string(kind) or types.is_integer(kind)):
            raise DataError(f"{path}, column {field.name!r}: {field.type} is no text; store text.")


def _cells(path: Path, number: int, values: dict[str, Any]) -> dict[str, str]:
    plain = {k: str(v) if isinstance(v, int) else v for k, v in values.items()}
    return {k: _cell(path, number, k, v) for k, v in plain.items()}
