"""Check that the built documentation site loads nothing from elsewhere.

    python tools/check_site.py site

Pages are to be read without network, and nobody is to learn who reads them: no font, script, style or
picture comes from another host. Links that a reader follows may lead anywhere. What a script
fetches when it runs cannot be told here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

LOADED = {
    **dict.fromkeys(("script", "img", "iframe", "source", "audio", "video", "embed"), "src"),
    "link": "href",
    "object": "data",
}
"""What a browser fetches by itself, and where it says from."""
ELSEWHERE = re.compile(r"\s*(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
IN_STYLE = re.compile(r"(?:url\(|@import)\s*['\"]?((?:https?:)?//[^'\")\s]+)", re.IGNORECASE)


class Page(HTMLParser):
    """Collect the addresses that a page loads from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.found = list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at one element."""
        given = dict(attrs)
        address = given.get(LOADED.get(tag, "")) or ""
        if ELSEWHERE.match(address) and given.get("rel") != "canonical":
            self.found.append(address)
        self.found += IN_STYLE.findall(given.get("style") or "")


def loaded_from_elsewhere(folder: Path) -> Iterator[str]:
    """Yield each file of a site with an address that it would load."""
    for path in sorted(folder.rglob("*")):
        if path.suffix not in {".html", ".css", ".svg"}:
            continue
        text = path.read_text(encoding="utf-8")
        page = Page()
        if path.suffix == ".html":
            page.feed(text)
        for address in [*page.found, *IN_STYLE.findall(text)]:
            yield f"{path.relative_to(folder)}: loads {address}"


def main(arguments: list[str]) -> int:
    """Check a site's folder; return the exit code."""
    folder = Path(arguments[0])
    if not (folder / "index.html").is_file():
        print(f"{folder}: holds no site: run `make docs`", file=sys.stderr)
        return 2
    faults = list(loaded_from_elsewhere(folder))
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
