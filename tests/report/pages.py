"""A page read as a browser reads it, for the tests that look at its elements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "img", "br", "link", "input", "rect"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str | None]
    children: list[Element | str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Element]:
        """Yield this element and all within it."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child

    @property
    def text(self) -> str:
        """Return all text within, blanks as one."""
        parts = [each if isinstance(each, str) else each.text for each in self.children]
        return " ".join(" ".join(parts).split())

    def all(self, *tags: str) -> list[Element]:
        return [each for each in self if each.tag in tags]

    def one(self, id: str) -> Element:  # noqa: A002 # as in HTML
        [found] = [each for each in self if each.attributes.get("id") == id]
        return found

    def table(self, caption: str) -> list[list[str]]:
        """Return the cells of the body of the table whose caption begins so."""
        [found] = [
            each for each in self.all("table") if each.all("caption")[0].text.startswith(caption)
        ]
        return [
            [cell.text for cell in row.all("th", "td")]
            for body in found.all("tbody")
            for row in body.all("tr")
        ]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        self.open[-1].children.append(element)
        if tag not in _VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID:
            assert self.open.pop().tag == tag, f"</{tag}> closes another"

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parsed(page: str) -> Element:
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == [reader.root]
    return reader.root
