"""What others make for the page: figures as pictures, and a part with a script and a style of its own."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Embedded:
    """A fragment of HTML that its maker has escaped, and the script and the style it needs.

    Neither script nor style may hold the end of its own element; data stand in the fragment.
    """

    html: str
    script: str = ""
    style: str = ""
