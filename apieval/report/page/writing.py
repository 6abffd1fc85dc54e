"""`report.html`: one file that needs no other and no network, and trusts nothing it shows.

Every text is made visible and escaped as it goes in; only this package's own files and what
a `Fragment` holds go in as they are. The policy in the head lets run and style nothing else, by hash.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from itertools import groupby
from typing import Any, Final

from apieval.report.figures.drawing import Figure
from apieval.report.outline import Bar, Column, Outline
from apieval.report.page.packing import Fragment
from apieval.report.terminal import unpiled, visible

_TEMPLATES: Final = ("page.html", "parts.html")


def written(
    outline: Outline, pictures: Sequence[Figure] = (), items: Fragment | None = None
) -> str:
    """Return the whole page."""
    styles = [_own("page.css"), *([items.style] if items else [])]
    scripts = [_own("page.js"), *([items.script] if items else [])]
    page: str = _template().render(
        outline=outline,
        pictures=pictures,
        items=items,
        styles=styles,
        scripts=scripts,
        policy=_policy(scripts, styles),
    )
    return page


def _policy(scripts: Sequence[str], styles: Sequence[str]) -> str:
    """Return a policy by which nothing is fetched, and nothing runs but what stands here."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {' '.join(map(_hash, scripts))}",
            f"style-src {' '.join(map(_hash, styles))}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _hash(text: str) -> str:
    found = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{found}'"


def _own(name: str) -> str:
    return (files("apieval.report.page") / name).read_text(encoding="utf-8")


def _template() -> Any:  # noqa: ANN401 # jinja2's, imported late
    from jinja2 import DictLoader, Environment, StrictUndefined  # noqa: PLC0415 # only for a page

    environment = Environment(
        loader=DictLoader({name: _own(name) for name in _TEMPLATES}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.filters |= {"data_url": _data_url, "drawn": _drawn, "groups": _groups}
    return environment.get_template("page.html")


def _shown(value: object) -> object:
    """Return what is put into the page: text with nothing unseen in it, markup as it is."""
    return unpiled(visible(value)) if type(value) is str else value


def _groups(columns: Sequence[Column]) -> list[dict[str, Any]]:
    """Return the groups that columns stand in, one beside the other, and how many each has."""
    together = groupby(columns, key=lambda each: each.group)
    return [{"name": name, "columns": len(list(each))} for name, each in together]


def _data_url(svg: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def _drawn(bar: Bar) -> Mapping[str, str]:
    """Return where a bar's interval and value stand, in hundredths of its width."""

    def at(value: float) -> float:
        return 100 * min(1.0, max(0.0, (value - bar.least) / (bar.most - bar.least)))

    low, high = at(bar.low), at(bar.high)
    return {
        "low": f"{low:.1f}",
        "wide": f"{max(high - low, 1.0):.1f}",
        "value": f"{at(bar.value):.1f}",
    }
