"""Raw answers and reasonings as they are held for the view: cut, so that any run has room."""

from __future__ import annotations

from typing import Final

from apieval.report.page.cuts import ROOMS, Room, cut, cut_again
from apieval.report.page.items import Answer

HELD: Final = 60_000_000
"""Characters in all that are held: more cannot fit into a page, however well it is packed."""


class Held:
    """Give answers their texts, and cut them all to the next room where they get too many."""

    def __init__(self, most: int = HELD) -> None:
        """Begin with the largest room, for at most so many characters in all."""
        self._most = most
        self._rooms = iter(ROOMS)
        self.room = next(self._rooms)
        self._answers: list[Answer] = []
        self._held = 0

    def add(self, answer: Answer, text: str, reasoning: str | None) -> None:
        """Give an answer its texts."""
        answer.text = cut(text, self.room.answer)
        answer.reasoning = cut(reasoning, self.room.reasoning) if reasoning else None
        self._answers.append(answer)
        self._held += _size(answer)
        while self._held > self._most:
            self.room = next(self._rooms)
            for each in self._answers:
                _narrow(each, self.room)
            self._held = sum(map(_size, self._answers))


def _narrow(answer: Answer, room: Room) -> None:
    """Cut an answer's texts to less room."""
    if answer.text:
        answer.text = cut_again(answer.text, room.answer)
    if answer.reasoning:
        answer.reasoning = cut_again(answer.reasoning, room.reasoning)


def _size(answer: Answer) -> int:
    texts = (answer.text, answer.reasoning)
    return sum(each.shown for each in texts if each)
