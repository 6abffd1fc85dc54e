"""What of the items a page has room for: shorter texts first, then fewer items; and what to say of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from apieval.report.page import packing
from apieval.report.page.cuts import FULL, ROOMS, Room
from apieval.report.page.items import Items, Key
from apieval.report.page.packing import Chunks
from apieval.wording import counted

Which = Literal["wrong", "all"]
_KEPT: Final = 2 / 3
"""How much of too many items is tried next."""


@dataclass(frozen=True, slots=True)
class Data:
    """What goes into the page, packed, and what was left out of it."""

    index: str
    steps: Chunks
    texts: Chunks
    notices: Sequence[str]

    @property
    def size(self) -> int:
        """Return how many characters it takes in the page."""
        return len(self.index) + self.steps.size + self.texts.size


def fitted(items: Items, which: Which, limit: int) -> Data:
    """Return the data of the items that are wanted, in at most so many characters.

    The texts of all items are shortened before right answers are left out, but not to nothing;
    then the texts go, and then the last items. With no room for any there are none.
    """
    every = items.ordered()
    wrong = [key for key in every if not _solved_by_all(items, key)]
    rooms = ROOMS[ROOMS.index(items.room) :]
    if which == "all" and (
        found := _roomy(items, every, [each for each in rooms if each.answer], limit, ())
    ):
        return found
    why = _because(limit) if which == "all" else ""
    said = f"Of {counted(len(every), 'item')} only the {len(wrong):,} that some run did not solve are here{why}."
    kept = wrong
    found = _roomy(items, kept, rooms, limit, [said] if every else ())
    while found is None:
        kept = kept[: int(len(kept) * _KEPT)]
        said = (
            f"Of {counted(len(every), 'item')} only the first {len(kept):,} that some run did not "
            f"solve are here{_because(limit)}."
        )
        found = _roomy(items, kept, ROOMS[-1:], limit if kept else 1 << 60, [said])
    return found


def _because(limit: int) -> str:
    return f"; with more the page would be too large (its data may take {limit / 1e6:.0f} MB)"


def _solved_by_all(items: Items, key: Key) -> bool:
    return all((answer := run.answers.get(key)) and answer.solved for run in items.runs)


def _roomy(
    items: Items, keys: Sequence[Key], rooms: Sequence[Room], limit: int, said: Sequence[str]
) -> Data | None:
    """Return the data of some items with their texts cut to the first room that it fits with."""
    steps = packing.chunks(packing.steps(items, keys))
    index = packing.index(items, keys)
    for room in rooms:
        texts = packing.chunks(packing.texts(items, keys, room))
        notices = [*said, *_of_room(room, items)]
        known: dict[str, Any] = {
            **index,
            "notices": [*notices, *items.doubts, *items.remarks],
            "chunks": {"steps": steps.starts, "texts": texts.starts},
            **({} if keys else {"none": _none(items)}),
        }
        data = Data(packing.packed(packing.written(known)), steps, texts, notices)
        if data.size <= limit:
            return data
    return None


def _none(items: Items) -> str:
    """Say why there is no item to show."""
    every = items.ordered()
    if not every:
        return "No run has a scored answer, so there is no rebus to show."
    if all(_solved_by_all(items, key) for key in every):
        return "Every run solved every rebus; only those that some run did not solve would be here."
    return "There is no room for any rebus."


def _of_room(room: Room, items: Items) -> Iterator[str]:
    if room == FULL or not any(run.texts for run in items.runs):
        return
    if not room.answer:
        yield "Raw answers and reasonings are left out for want of room; they are in responses.jsonl."
        return
    reasoning = f"{room.reasoning:,} of a reasoning" if room.reasoning else "no reasoning"
    yield (
        f"At most {room.answer:,} characters of an answer and {reasoning} are here, for want of "
        "room; the whole texts are in responses.jsonl."
    )
