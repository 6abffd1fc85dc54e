"""What the challenge's dataset on the hub holds, and on what terms.

The file is licensed for research, so it is no part of this package; its terms go wherever its
figures go.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from apieval.errors import DataError
from apieval.rebus import tables
from apieval.rebus.dataset import CHALLENGE_SUBSETS, GOLD, QUESTION

REPOSITORY: Final = "gsarti/eureka-rebus-calamita-2024"
NAME: Final = "eureka-rebus-calamita-2024"
"""What the test file goes by in results."""
REVISION: Final = "main"
LICENCE: Final = "Verbalized Rebus Dataset License Agreement: non-commercial research use only"
ATTRIBUTION: Final = (
    "The rights to each rebus are its copyright holder's. The rebuses come from Eureka5, the "
    'collection of the Associazione Culturale "Biblioteca Enigmistica Italiana - G. Panini".'
)
NOTICE: Final = (
    f"{REPOSITORY} is for non-commercial research alone. {ATTRIBUTION} Say so where you publish "
    "figures; summary.json has the words."
)


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of the dataset: its name there, and how many rows it has."""

    name: str
    rows: int


TEST: Final = HubFile("test.csv", sum(count for _, count in CHALLENGE_SUBSETS))
TRAIN: Final = HubFile("train.csv", 80_158)


def check(path: Path, file: HubFile) -> None:
    """Refuse a file that has not the seven columns and the rows it should have.

    Raises:
        DataError: saying what differs.
    """
    columns: set[str] = set()
    rows = 0
    try:
        for row in tables.read(path):
            columns = columns or set(row.cells)
            rows += 1
    except DataError as error:
        raise DataError(f"{file.name} of {REPOSITORY} cannot be used: {error}") from None
    wanted = {*QUESTION, *GOLD}
    differs = []
    if lacks := sorted(wanted - columns):
        differs.append(f"it has no column {', '.join(map(repr, lacks))}")
    if more := sorted(columns - wanted):
        differs.append(f"it has a column {', '.join(map(repr, more))} besides the seven")
    if rows != file.rows:
        differs.append(f"it has {rows:,} rows instead of {file.rows:,}")
    if differs:
        raise DataError(
            f"{file.name} of {REPOSITORY} is not the challenge's file: {'; '.join(differs)} "
            f"({path}). Name an earlier commit with `apieval data fetch --revision COMMIT`."
        )
