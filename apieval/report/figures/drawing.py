"""All figures of a document: drawn one after another, and those there is nothing for left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from apieval.errors import StoreError
from apieval.report.document import Document
from apieval.report.figures import (
    canvas,
    contrasts,
    cost,
    dependence,
    first_error,
    funnel,
    runs,
    spending,
)
from apieval.report.figures.canvas import Sketch
from apieval.report.figures.runs import Shown
from apieval.report.files import write_bytes

FAMILIES: Final[Sequence[Callable[[Shown], Iterator[Sketch]]]] = (
    funnel.sketches,
    first_error.sketches,
    contrasts.settings,
    contrasts.gaps,
    contrasts.format_loss,
    dependence.sketches,
    cost.sketches,
    spending.sketches,
)
FORMS: Final = ("svg", "png", "pdf")
NAMES: Final = (
    "funnel",
    "broke-first",
    "hints",
    "gaps",
    "format-loss",
    "word-length",
    "hidden-words",
    "solution-length",
    "frequency",
    "cost",
    "spending",
)
"""All there are; in the order they are drawn but for `frequency`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure in every form: SVG texts for a light and a dark page, a PNG and a PDF for a paper.

    `alt` says what is seen, with the numbers that matter. All texts are plain: whoever puts them
    into a page escapes them.
    """

    name: str
    title: str
    caption: str
    alt: str
    light: str
    dark: str
    png: bytes
    pdf: bytes


def draw(document: Document) -> Sequence[Figure]:
    """Return the figures of a document, those it has something for."""
    if not document.runs:
        return []
    with canvas.ready():
        shown = runs.shown(document)
        return [_printed(each) for family in FAMILIES for each in family(shown)]


def _printed(sketch: Sketch) -> Figure:
    made = canvas.prints(sketch.sheet)
    return Figure(
        name=sketch.name,
        title=sketch.title,
        caption=sketch.caption,
        alt=sketch.alt,
        light=made.light,
        dark=made.dark,
        png=made.png,
        pdf=made.pdf,
    )


def write(figures: Sequence[Figure], folder: Path) -> list[Path]:
    """Write `NAME.svg`, `NAME.png` and `NAME.pdf` of each into a folder, each whole or not at all.

    Figures of an earlier report that are not among them are removed: they would tell of other runs.

    Raises:
        StoreError: where one cannot be written.
    """
    if folder.is_symlink():
        raise StoreError(f"{folder}: a symbolic link, which is not followed; remove it.")
    written = []
    for figure in figures:
        contents = (figure.light.encode(), figure.png, figure.pdf)
        for form, content in zip(FORMS, contents, strict=True):
            written.append(write_bytes(folder / f"{figure.name}.{form}", content))
    _remove(folder, {*NAMES} - {each.name for each in figures})
    return written


def _remove(folder: Path, names: Iterable[str]) -> None:
    for path in (folder / f"{name}.{form}" for name in names for form in FORMS):
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{path}: cannot be removed: {error.strerror or error}.") from None
