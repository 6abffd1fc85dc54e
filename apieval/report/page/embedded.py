"""What others make for the page: figures as pictures, and a part with a script and a style of its own."""

from __future__ import annotations

from typing import Protocol


class Picture(Protocol):
    """A figure as the page needs it: two SVG texts, and words for those who cannot see them."""

    @property
    def name(self) -> str: ...  # noqa: D102 # the fields say what they are
    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def alt(self) -> str: ...  # noqa: D102
    @property
    def caption(self) -> str: ...  # noqa: D102
    @property
    def light(self) -> str: ...  # noqa: D102
    @property
    def dark(self) -> str: ...  # noqa: D102


class Embedded(Protocol):
    """A part of the page that its maker has escaped, with the script and the style it needs.

    `html` goes where it is read, `blocks` (the data) before the scripts. Neither script nor style
    may hold the end of its own element.
    """

    @property
    def html(self) -> str: ...  # noqa: D102
    @property
    def blocks(self) -> str: ...  # noqa: D102
    @property
    def script(self) -> str: ...  # noqa: D102
    @property
    def style(self) -> str: ...  # noqa: D102
