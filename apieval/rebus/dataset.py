"""Data files of rebuses: reading, checking and selecting them.

Two layouts are known: the challenge's seven columns, and the study's
`idx,word_guesses,first_pass,solution_words,solution`, which has no rebus to ask and serves for
scoring only. What cannot be used is named with file, line and column before anything is asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final

from apieval.errors import ConfigError, DataError, did_you_mean
from apieval.rebus import tables
from apieval.rebus.tables import Row
from apieval.rebus.verify import broken_rules
from apieval.schema import Rebus, RowId
from apieval.signature import digest_file

SAMPLE: Final = "sample"
ALL: Final = "all"
"""The name of all subsets together, which no subset of a file can have."""
QUESTION: Final = ("verbalized_rebus", "verbalized_rebus_with_length_hints", "solution_key")
GOLD: Final = ("word_guesses", "first_pass", "solution_words", "solution")
CHALLENGE_SUBSETS: Final = (("id", 2000), ("ood", 999), ("new", 168))
"""The challenge's test file: how many rows of each subset, in the file's order."""
_SHOWN: Final = 10
_ROW_NUMBER: Final = re.compile("[0-9]{1,18}")


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
    def published(self) -> dict[str, Any]:
        """Return what results must say of the origin, nothing where it has none."""
        return asdict(self.origin) if self.origin else {}

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
    if str(data) == SAMPLE:
        with as_file(files("apieval.rebus").joinpath("sample", "sample.csv")) as path:
            return _load(path, SAMPLE, gold_only=False)
    path = Path(data)
    found = _load(path, name or path.name, gold_only=gold_only)
    return replace(found, origin=origin) if origin else found


def _load(path: Path, name: str, *, gold_only: bool) -> Dataset:
    rows = list(tables.read(path))
    if not rows:
        raise DataError(f"{path}: no rows below the header.")
    columns = set(rows[0].cells).union(*(row.cells for row in rows))
    _check_columns(path, columns, gold_only=gold_only)
    ids = _ids(rows, columns)
    problems = [*_bad_cells(rows, columns), *_clashes(rows, ids)]
    if problems:
        shown = "\n".join(f"  {problem}" for problem in problems[:_SHOWN])
        more = f"\n  and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        raise DataError(f"{path}: rows that cannot be used:\n{shown}{more}\nMend the file.")
    subsets = _subsets(rows, columns)
    rows.reverse()  # so that each is given up as its rebus is made: they take as much room
    rebuses = [
        _rebus(rows.pop(), given, subset) for given, subset in zip(ids, subsets, strict=True)
    ]
    return Dataset(name=name, digest=digest_file(path), rebuses=tuple(rebuses))


def _check_columns(path: Path, columns: set[str], *, gold_only: bool) -> None:
    needed = GOLD if gold_only and not columns.intersection(QUESTION) else (*QUESTION, *GOLD)
    alike = sorted(n for n in columns if n != "id" and n.strip().lower() == "id")
    if alike and "id" not in columns:
        raise DataError(f"{path}: the column {alike[0]!r} must be named 'id' to name the rows.")
    missing = [name for name in needed if name not in columns]
    if not missing:
        return
    near = "".join(did_you_mean(name, columns - {*QUESTION, *GOLD}) for name in missing[:1])
    study = columns.issuperset(GOLD) and not columns.intersection(QUESTION)
    why = (
        "this is the study's layout, which has no rebus to ask and serves for scoring only"
        if study
        else f"the seven columns are {', '.join((*QUESTION, *GOLD))}"
    )
    raise DataError(f"{path}: missing column {', '.join(map(repr, missing))}{near}; {why}.")


def _ids(rows: Sequence[Row], columns: set[str]) -> list[RowId]:
    if "id" in columns:
        return [row.cells.get("id", "").strip() for row in rows]
    if "idx" in columns and not columns.intersection(QUESTION):
        texts = [row.cells.get("idx", "").strip() for row in rows]
        # the study's idx is the row's number
        return [int(text) if _ROW_NUMBER.fullmatch(text) else text for text in texts]
    return list(range(len(rows)))


def _bad_cells(rows: Iterable[Row], columns: set[str]) -> Iterator[str]:
    needed = [name for name in (*QUESTION, *GOLD, "subset") if name in columns]
    for row in rows:
        for name in needed:
            cell = row.cells.get(name, "")
            if not cell.strip():
                yield f"line {row.line}, column {name!r}: empty"
            elif name in {"word_guesses", "solution_words"} and "" in cell.split(";"):
                yield f"line {row.line}, column {name!r}: an empty word beside a ';'"
            elif name == "subset" and cell.strip() == ALL:
                yield f"line {row.line}, column {name!r}: {ALL!r} means every row; name it anew"


def _clashes(rows: Sequence[Row], ids: Sequence[RowId]) -> Iterator[str]:
    first: dict[str, int] = {}
    for row, given in zip(rows, ids, strict=True):
        if given == "":
            yield f"line {row.line}, column 'id': empty"
        elif (seen := first.setdefault(str(given), row.line)) != row.line:
            yield f"line {row.line}, column 'id': {given!r} stands in line {seen} already"


def _subsets(rows: Sequence[Row], columns: set[str]) -> list[str | None]:
    if "subset" in columns:
        return [row.cells["subset"].strip() for row in rows]
    if len(rows) == sum(count for _, count in CHALLENGE_SUBSETS):
        return [name for name, count in CHALLENGE_SUBSETS for _ in range(count)]
    return [None] * len(rows)


def _rebus(row: Row, given: RowId, subset: str | None) -> Rebus:
    cells = {name: row.cells.get(name, "") for name in (*QUESTION, "first_pass", "solution")}
    return Rebus(
        id=given,
        subset=subset,
        word_guesses=tuple(row.cells["word_guesses"].split(";")),
        solution_words=tuple(row.cells["solution_words"].split(";")),
        **cells,
    )
