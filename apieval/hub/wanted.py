"""What a download is told, over the border of its process."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file of the dataset: its name and revision, and the hub's cache folder it goes to.

    `where` is the hub's address for people; `again` asks for it though it may be there.
    """

    file: str
    revision: str
    folder: str
    where: str
    again: bool = False

    def as_json(self) -> str:
        """Return it as one word of a command line."""
        return json.dumps(asdict(self))

    def failure(self, why: str) -> str:
        """Return what is said where it cannot be had."""
        return f"{self.file} cannot be fetched from {self.where}: {why}."

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return what `as_json` made a word of."""
        return cls(**json.loads(text))
