"""The rebus view of a page: its markup, style and script, and the data they show.

Whatever comes from models or files is packed as base64, and put into the page by the script as
text alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from apieval.report.page.fitting import Data, Which, fitted
from apieval.report.page.items import Items

LIMIT: Final = 20_000_000
"""Characters that the data may take of a page that is to stay under 25 MB."""
SCRIPTS: Final = ("text", "data", "state", "filters", "list", "steps", "item", "keys", "view")
"""The parts of the script, in the order they are put together."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """The view as a page embeds it; `blocks` are its data, and stand before the script.

    `notices` tell what was left out, which the view tells too.
    """

    html: str
    script: str
    style: str
    blocks: str
    notices: tuple[str, ...]


def fragment(items: Items, which: Which = "all", limit: int = LIMIT) -> Fragment:
    """Return the view of some items; `wrong` are those that some run did not solve.

    `limit` is how many characters the data may take; what does not fit is left out, and said.
    """
    data = fitted(items, which, limit)
    return Fragment(
        _read("view.html"), _script(), _read("view.css"), _blocks(data), tuple(data.notices)
    )


@cache
def _read(name: str) -> str:
    return files("apieval.report.page").joinpath("view", name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    """Return the parts of the script as one, which shares no name with the page's other scripts."""
    parts = "\n".join(_read(f"{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();\n'


def _blocks(data: Data) -> str:
    """Return the elements that hold the data; a browser runs nothing of their type."""
    named = [("index", data.index)]
    named += [(f"steps-{number}", each) for number, each in enumerate(data.steps.packed)]
    named += [(f"texts-{number}", each) for number, each in enumerate(data.texts.packed)]
    return "".join(
        f'<script type="application/octet-stream" id="rebuses-{name}">{each}</script>\n'
        for name, each in named
    )
