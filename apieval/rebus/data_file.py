"""A data file row by row, as it stands: nothing is refused but what cannot be read.

It is read anew whenever its rows are asked for, so that a large file takes little memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from apieval.rebus import tables
from apieval.rebus.columns import Layout, layout_of, rebus_of
from apieval.rebus.tables import Row
from apieval.schema import Rebus
from apieval.signature import digest_file


@dataclass(frozen=True, slots=True)
class Standing:
    """One row: as it stands in the file, as a rebus, and which of its cells cannot be used."""

    row: Row
    rebus: Rebus
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file whose columns are known: its name, the hash of its bytes, its rows one by one."""

    path: Path
    name: str
    digest: str
    layout: Layout

    def rows(self) -> Iterator[Standing]:
        """Yield every row, whether it can be used or not."""
        for number, row in enumerate(tables.read(self.path)):
            given = self.layout.id_of(row, number)
            subset = self.layout.subset_of(row, number) or None
            rebus = rebus_of(row, given, subset)
            yield Standing(row, rebus, tuple(self.layout.faults(row)))

    def rebuses(self) -> Iterator[Rebus]:
        """Yield every row that can be used."""
        return (standing.rebus for standing in self.rows() if not standing.faults)


def survey(path: Path, name: str) -> DataFile:
    """Read through a file once, to know its columns; the study's layout is welcome.

    Raises:
        DataError: for what cannot be read, to its last row, or lacks a column.
    """
    layout = layout_of(path, tables.read(path), gold_only=True)
    return DataFile(path, name, digest_file(path), layout)
