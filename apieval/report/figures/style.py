"""How figures look: sizes, colours of both themes, markers, and matplotlib's settings.

Colours are Okabe and Ito's (Color Universal Design, 2008), which people with any colour vision tell
apart, without its yellow, which white paper swallows. No colour speaks alone: every series has a
marker, a line style or its name beside it. A figure is drawn once, for paper; `LIGHT` and `DARK` say
what its colours become in the page's two themes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

WIDTH: Final = 5.5
"""Inches, in a paper."""
SCREEN: Final = 720
"""Pixels, in a page: text of 9 points is as high there as the page's own."""
TEXT: Final = 9.0
SMALL: Final = 7.5
DPI: Final = 200
"""Of the PNG."""
ROW: Final = 0.21
"""Inches between two rows."""
PANEL: Final = 1.5
"""Inches a panel of curves is high."""

PAPER: Final = "#ffffff"
INK: Final = "#1d1c1a"
SOFT: Final = "#5d5a54"
"""Of ticks, and of text that says less."""
GRID: Final = "#e6e3dc"
BLUE: Final = "#0072b2"
VERMILION: Final = "#d55e00"
GREEN: Final = "#009e73"
PURPLE: Final = "#cc79a7"
ORANGE: Final = "#e69f00"
SKY: Final = "#56b4e9"
GREY: Final = "#8f8b84"
ON_LIGHT: Final = "#101214"
ON_DARK: Final = "#fefefe"
"""Text on bars, on light colours and on dark ones."""

LIGHT: Final[Mapping[str, str]] = {PAPER: "#fdfcfa"}
"""What colours are in the report's page, so that a figure has no edge there; others stay."""
DARK: Final[Mapping[str, str]] = {
    PAPER: "#17181b",
    INK: "#e9e6e0",
    SOFT: "#aaa69d",
    GRID: "#2f3136",
    BLUE: "#4fa8e0",
    VERMILION: "#f0803c",
    GREEN: "#2bbf95",
    PURPLE: "#e39ac4",
    ORANGE: "#f2b632",
    SKY: "#8ccdf5",
    GREY: "#918d86",
    ON_LIGHT: ON_LIGHT,
    ON_DARK: "#111315",  # bars are lighter there
}


class Look(NamedTuple):
    """What tells a series apart: its colour, marker and line; open markers are filled with paper."""

    colour: str
    marker: str
    line: str | tuple[int, tuple[int, ...]] = "-"
    filled: bool = True


_DASHED: Final = (0, (4, 2))
RUNS: Final[Sequence[Look]] = (
    Look(BLUE, "o"),
    Look(VERMILION, "s"),
    Look(GREEN, "^"),
    Look(PURPLE, "D"),
    Look(ORANGE, "v"),
    Look(SKY, "P"),
    Look(INK, "X"),
    Look(BLUE, "<", _DASHED, filled=False),
    Look(VERMILION, ">", _DASHED, filled=False),
    Look(GREEN, "h", _DASHED, filled=False),
    Look(PURPLE, "p", _DASHED, filled=False),
    Look(ORANGE, "d", _DASHED, filled=False),
)
"""As many runs are told apart; of more only so many are drawn."""
SETTINGS: Final[Mapping[str, Look]] = {
    "regular": Look(BLUE, "o", _DASHED, filled=False),
    "hints": Look(VERMILION, "D"),
}
PAIRS: Final[Sequence[tuple[str, str]]] = ((BLUE, "o"), (PURPLE, "s"), (GREEN, "^"))
"""Of gaps: colours and markers of the first subset less each other; with hints markers are full."""
STEPS: Final[Mapping[str, str]] = {
    "solved": GREEN,
    "format": SKY,
    "solution": PURPLE,
    "segmentation": BLUE,
    "first_pass": ORANGE,
    "definitions": VERMILION,
    "unanswered": GREY,
}
"""The steps of a first error, the furthest first."""

RC: Final[Mapping[str, Any]] = {
    "axes.axisbelow": True,
    "axes.edgecolor": SOFT,
    "axes.facecolor": PAPER,
    "axes.labelcolor": INK,
    "axes.labelsize": SMALL,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": TEXT,
    "axes.titlelocation": "left",
    "axes.titlecolor": INK,
    "figure.constrained_layout.wspace": 0.06,
    "figure.dpi": 72,
    "figure.facecolor": PAPER,
    "font.enable_last_resort": False,
    "font.family": ["DejaVu Sans"],  # matplotlib brings it
    "font.size": TEXT,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.6,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "legend.labelcolor": INK,
    "legend.handletextpad": 0.4,
    "legend.columnspacing": 1.2,
    "lines.linewidth": 1.3,
    "lines.markersize": 4.5,
    "lines.markeredgewidth": 1.1,
    "savefig.dpi": DPI,
    "savefig.facecolor": "auto",
    "svg.fonttype": "path",  # an image in a page has no fonts but its own
    "svg.hashsalt": "apieval",  # else ids are random
    "text.color": INK,
    "text.parse_math": False,  # a name may hold dollars
    "xtick.color": SOFT,
    "xtick.labelcolor": INK,
    "xtick.labelsize": SMALL,
    "xtick.major.size": 2.5,
    "xtick.major.width": 0.6,
    "ytick.color": SOFT,
    "ytick.labelcolor": INK,
    "ytick.labelsize": SMALL,
    "ytick.major.size": 2.5,
    "ytick.major.width": 0.6,
}
