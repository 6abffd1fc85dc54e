"""Data files of rebuses: reading, checking and selecting them.

The study's layout (see `columns`) serves for scoring only. What cannot be used is named with file,
line and column before any request is sent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final, cast

from apieval.errors import ConfigError, DataError, did_you_mean
from apieval.rebus import tables
from apieval.rebus.columns import Clashes, Layout, layout_of, rebus_of
from apieval.rebus.rules import broken_rules
from apieval.rebus.tables import Row
from apieval.records import Rebus, RowId, well_formed
from apieval.results.summary import Published
from apieval.signature import digest_file

SAMPLE: Final = "sample"
SAMPLE_CALLED: Final = "the package's sample"
NOT_THE_CHALLENGE: Final = (
    f"measured on {SAMPLE_CALLED}, not on the challenge's test set: do not compare it with "
    "published figures (for those: --data hub)"
)
"""What is to be said of every model's figures on the sample but the dictionary's that goes with it."""
_SHOWN: Final = 10


def called(name: str) -> str:
    """Return what people call a data file: the package's sample by more than its name."""
    return SAMPLE_CALLED if name == SAMPLE else name


@dataclass(frozen=True, slots=True)
class Selection:
    """The rows of a data file that are asked or scored, and how they were chosen."""

    data: Dataset
    rebuses: tuple[Rebus, ...]
    subsets: tuple[str, ...] = ()
    limit: int | None = None

    @property
    def by_id(self) -> dict[str, Rebus]:
        """Return the rows by their ids as text; a file holds numbers or texts, never both."""
        return {str(rebus.id): rebus for rebus in self.rebuses}

    def rule_breakers(self) -> dict[str, list[RowId]]:
        """Return the ids of the rows that break each rule of the game (see `verify`)."""
        found: dict[str, list[RowId]] = {}
        for rebus in self.rebuses:
            for rule in broken_rules(rebus):
                found.setdefault(rule, []).append(rebus.id)
        return found


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a data file was published, and on what terms: they go wherever its figures go."""

    source: str
    revision: str
    licence: str
    attribution: str


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data file that can be used: its name, the hash of its bytes, its rows in order.

    `origin` is None where nothing is known of it: it is the user's own, or the sample.
    """

    name: str
    digest: str
    rebuses: tuple[Rebus, ...]
    origin: Origin | None = None

    @property
    def published(self) -> Published:
        """Return what results must say of the origin, nothing where it has none."""
        return cast("Published", asdict(self.origin)) if self.origin else {}

    @property
    def subsets(self) -> tuple[str, ...]:
        """Return the subsets present, in the order they appear; none where the file has none."""
        return tuple(dict.fromkeys(r.subset for r in self.rebuses if r.subset is not None))

    @property
    def by_id(self) -> dict[str, Rebus]:
        """Return the rows by their ids as text; a file holds numbers or texts, never both."""
        return {str(rebus.id): rebus for rebus in self.rebuses}

    def select(self, subsets: Sequence[str] = (), limit: int | None = None) -> Selection:
        """Return the rows of some subsets (none named: of all), the first `limit` of each.

        Raises:
            ConfigError: for a subset the file does not have.
        """
        for name in subsets:
            if name not in self.subsets:
                present = ", ".join(self.subsets) or "none: the file has no subsets"
                raise ConfigError(
                    f"{self.name}: there is no subset {name!r}{did_you_mean(name, self.subsets)}; "
                    f"present: {present}."
                )
        taken: Counter[str | None] = Counter()
        chosen = []
        for rebus in self.rebuses:
            if subsets and rebus.subset not in subsets:
                continue
            taken[rebus.subset] += 1
            if limit is None or taken[rebus.subset] <= limit:
                chosen.append(rebus)
        ordered = tuple(name for name in self.subsets if name in subsets)
        return Selection(self, tuple(chosen), ordered, limit)


def load(
    data: str | Path = SAMPLE,
    *,
    gold_only: bool = False,
    name: str | None = None,
    origin: Origin | None = None,
) -> Dataset:
    """Read a data file, or the package's own sample.

    `gold_only` also accepts the study's layout, whose rows have no rebus to ask. `name` is what
    the file goes by in results, its own without it; `origin` is where it was published.

    Raises:
        DataError: naming file, line and column of what cannot be used, the first ten of it.
    """
    with located(data) as (path, own):
        found = _load(path, name or own, gold_only=gold_only and own != SAMPLE)
    return replace(found, origin=origin) if origin else found


@contextmanager
def located(data: str | Path) -> Iterator[tuple[Path, str]]:
    """Give the path of a data file, or of the package's own sample, and the name it goes by."""
    if str(data) == SAMPLE:
        with as_file(files("apieval.rebus").joinpath("sample", "sample.csv")) as path:
            yield path, SAMPLE
        return
    yield Path(data), well_formed(Path(data).name)  # a name may be no UTF-8


def _load(path: Path, name: str, *, gold_only: bool) -> Dataset:
    rows = list(tables.read(path))
    layout = layout_of(path, rows, gold_only=gold_only)
    ids = [layout.id_of(row, number) for number, row in enumerate(rows)]
    problems = [*_bad_cells(rows, layout), *_clashes(rows, ids)]
    if problems:
        shown = "\n".join(f"  {problem}" for problem in problems[:_SHOWN])
        more = f"\n  and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        raise DataError(f"{path}: rows that cannot be used:\n{shown}{more}\nMend the file.")
    subsets = [layout.subset_of(row, number) for number, row in enumerate(rows)]
    rows.reverse()  # so that each is given up as its rebus is made: they take as much room
    rebuses = [
        rebus_of(rows.pop(), given, subset) for given, subset in zip(ids, subsets, strict=True)
    ]
    return Dataset(name=name, digest=digest_file(path), rebuses=tuple(rebuses))


def _bad_cells(rows: Iterable[Row], layout: Layout) -> Iterator[str]:
    return (f"line {row.line}, {fault}" for row in rows for fault in layout.faults(row))


def _clashes(rows: Sequence[Row], ids: Sequence[RowId]) -> Iterator[str]:
    seen = Clashes()
    for row, given in zip(rows, ids, strict=True):
        if fault := seen.fault(given, row.line):
            yield f"line {row.line}, {fault}"


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
