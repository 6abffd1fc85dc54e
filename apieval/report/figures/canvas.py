"""The one door to matplotlib: empty sheets, and what is drawn on them as SVG, PNG and PDF.

matplotlib is imported here alone, late, since it takes a second. No pyplot, and so no window, and
no figure that lives on. Its settings are its own defaults and those of `style`, whatever a user's
are, and stand as they stood before when all is drawn.
"""

from __future__ import annotations

import io
import logging
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from platformdirs import user_cache_path

from apieval.report.figures import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Sheet

_FOLDER: Final = "MPLCONFIGDIR"
_PROLOGUE: Final = re.compile(r"<!--.*?-->\s*|<!DOCTYPE.*?>\s*", re.DOTALL)
_SIZE: Final = re.compile(r'width="([0-9.]+)pt" height="([0-9.]+)pt"')
_NO_SVG_METADATA: Final = dict.fromkeys(("Date", "Creator", "Format", "Type"))
_NO_PDF_METADATA: Final = dict.fromkeys(("CreationDate", "Creator", "Producer"))
_NO_PNG_METADATA: Final = {"Software": None}
"""When and by what a file was made would make it another file every time."""
_COLOUR: Final = re.compile(r"(?<=: )#[0-9a-f]{6}\b")
"""A colour in a style; ids begin with `#` too, but stand in no style."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """A drawn sheet, the name of its files, and its texts; `alt` says what is seen, for who cannot."""

    name: str
    title: str
    caption: str
    alt: str
    sheet: Sheet


class Prints(NamedTuple):
    """A drawn sheet in every form; the SVG of both themes."""

    light: str
    dark: str
    png: bytes
    pdf: bytes


@contextmanager
def ready() -> Iterator[None]:
    """Let sheets be made, drawn on and printed, by these settings."""
    matplotlib = _matplotlib()
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(style.RC)
        yield


def sheet(height: float) -> Sheet:
    """Return an empty sheet of that height, in inches."""
    made: Sheet = _matplotlib().figure.Figure(figsize=(style.WIDTH, height), layout="constrained")
    return made


def prints(drawn: Sheet) -> Prints:
    """Return what is drawn on a sheet; the same sheet gives the same bytes.

    `savefig` would draw twice for each form, in case the layout changes meanwhile.
    """
    if layout := drawn.get_layout_engine():
        layout.execute(drawn)
        drawn.set_layout_engine("none")  # everything has its place now
    backends = _matplotlib().backends
    svg, pdf, png = io.StringIO(), io.BytesIO(), io.BytesIO()
    backends.backend_svg.FigureCanvasSVG(drawn).print_svg(svg, metadata=_NO_SVG_METADATA)
    drawn.set_dpi(style.DPI)
    backends.backend_agg.FigureCanvasAgg(drawn).print_png(png, metadata=_NO_PNG_METADATA)
    _outline(drawn)
    backends.backend_pdf.FigureCanvasPdf(drawn).print_pdf(pdf, metadata=_NO_PDF_METADATA)
    plain = _SIZE.sub(_enlarged, _PROLOGUE.sub("", svg.getvalue()), count=1)
    return Prints(
        light=_COLOUR.sub(lambda found: style.LIGHT.get(found[0], found[0]), plain),
        dark=_COLOUR.sub(lambda found: style.DARK[found[0]], plain),
        png=png.getvalue(),
        pdf=pdf.getvalue(),
    )


def _enlarged(size: re.Match[str]) -> str:
    """Return how large an SVG is on a screen; how large it is in itself stands beside it."""
    width, height = (float(each) for each in size.groups())
    return f'width="{style.SCREEN}" height="{height / width * style.SCREEN:.0f}"'


def _outline(drawn: Sheet) -> None:
    """Turn texts into outlines.

    Of the fonts matplotlib can put into a PDF some publishers refuse one kind, Type 3, and the
    other, Type 42, takes as long to make as all the rest of a figure.
    """
    matplotlib = _matplotlib()
    plain = [matplotlib.patheffects.Normal()]
    for text in drawn.findobj(matplotlib.text.Text):
        text.set_path_effects(plain)


@cache
def glyphs() -> frozenset[int]:
    """Return the characters the font has a form for."""
    fonts = _matplotlib().font_manager
    font = fonts.get_font(fonts.findfont(style.RC["font.family"][0]))
    return frozenset(font.get_charmap())


@cache
def _matplotlib() -> Any:  # noqa: ANN401 # the module
    """Return matplotlib, imported now, with the parts of it that are used."""
    with ExitStack() as stack:
        stack.enter_context(_folder())
        stack.enter_context(_quietly())
        import matplotlib as module  # noqa: PLC0415
        from matplotlib import figure, font_manager, patheffects, text  # noqa: F401, PLC0415
        from matplotlib.backends import (  # noqa: PLC0415
            backend_agg,  # noqa: F401
            backend_pdf,  # noqa: F401
            backend_svg,  # noqa: F401
        )
    return module


@contextmanager
def _folder() -> Iterator[None]:
    """Let matplotlib keep its list of fonts in the user's cache; where it cannot be written, nowhere.

    matplotlib would make a folder for the user's settings too, and warn where it can make none.
    """
    given = os.environ.get(_FOLDER)
    if "matplotlib" in sys.modules or (given and os.access(given, os.W_OK)):
        yield
        return
    with ExitStack() as stack:
        kept = user_cache_path("matplotlib", appauthor=False)
        if not _writable(kept):
            kept = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="apieval-")))
        os.environ[_FOLDER] = str(kept)
        try:
            yield
        finally:
            os.environ.pop(_FOLDER)
            if given is not None:
                os.environ[_FOLDER] = given


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


@contextmanager
def _quietly() -> Iterator[None]:
    """Keep matplotlib from saying that it makes its list of fonts."""
    log = logging.getLogger("matplotlib")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)
