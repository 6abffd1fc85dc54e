"""Long texts cut to what a page has room for, their length kept to be told."""

from __future__ import annotations

from typing import Final, NamedTuple


class Cut(NamedTuple):
    """A text as far as it is shown: its beginning, its end where the middle is left out, its length."""

    head: str
    tail: str
    length: int

    @property
    def shown(self) -> int:
        """Return how many characters are shown."""
        return len(self.head) + len(self.tail)


def cut(text: str, most: int) -> Cut:
    """Return at most so many characters of a text, most of them of its beginning.

    The solution stands at the end of an answer, so that a long one is cut in the middle.
    """
    if len(text) <= most:
        return Cut(text, "", len(text))
    last = most // 3
    return Cut(text[: most - last], text[len(text) - last :] if last else "", len(text))


def cut_again(done: Cut, most: int) -> Cut:
    """Return what was cut before, cut to less."""
    if done.shown <= most:
        return done
    if not done.tail:
        return cut(done.head, most)._replace(length=done.length)
    last = most // 3
    kept = done.tail[len(done.tail) - last :] if last else ""
    return Cut(done.head[: most - last], kept, done.length)


class Room(NamedTuple):
    """How many characters are shown of one answer and of one reasoning."""

    answer: int
    reasoning: int


ROOMS: Final = (
    Room(20_000, 20_000),
    Room(12_000, 6_000),
    Room(6_000, 2_000),
    Room(3_000, 800),
    Room(1_500, 300),
    Room(600, 0),
    Room(0, 0),
)
"""From much to nothing; the reasoning gives way first."""
FULL: Final = ROOMS[0]
