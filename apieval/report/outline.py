"""A report as sections, facts and tables, before it is a page or Markdown: both say the same.

Text in it is as it came, from models, servers and files: whoever writes it out escapes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from apieval.analysis.run_sentences import Sentence

Slot = Literal["figures", "items"]
"""What a page has that is no table: the figures, and the rebuses one by one."""
WHOLE: Final = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Bar:
    """A value and its interval, to be drawn within `least` and `most`."""

    low: float
    value: float
    high: float
    least: float = WHOLE[0]
    most: float = WHOLE[1]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its text, a smaller `detail` such as an interval, and whether it is to stand out.

    `bounds` is one that holds no figure, but between what it can still become.
    """

    text: str
    detail: str = ""
    strong: bool = False
    bar: Bar | None = None
    bounds: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name, the name of the group it stands in, and whether it holds figures."""

    name: str
    group: str = ""
    figures: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """A row, whose first cell is its name; `aside` is one that is no result of this report."""

    cells: Sequence[Cell]
    strong: bool = False
    aside: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """A line across the table, that says what the rows below it are."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a caption; `note` is what stands below it."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Row | Group]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report, by its title; what it holds in this order. `folded` is opened on demand."""

    id: str
    title: str
    facts: Sequence[tuple[str, str]] = ()
    sentences: Sequence[Sentence] = ()
    paragraphs: Sequence[str] = ()
    tables: Sequence[Table] = ()
    slot: Slot | None = None
    parts: Sequence[Section] = ()
    folded: bool = False

    @property
    def empty(self) -> bool:
        """Say whether there is nothing to be read."""
        told = (self.facts, self.sentences, self.paragraphs, self.tables, self.slot)
        return not any(told) and all(each.empty for each in self.parts)


@dataclass(frozen=True, slots=True)
class Alert:
    """What puts figures in doubt, or a note that explains them; it stands at the top."""

    level: Literal["warning", "note"]
    about: str
    text: str


@dataclass(frozen=True, slots=True)
class Outline:
    """The whole report: a title, a line below it, alerts, sections, and where the data come from."""

    title: str
    lead: Sequence[str]
    alerts: Sequence[Alert]
    sections: Sequence[Section]
    credits: Sequence[str]
