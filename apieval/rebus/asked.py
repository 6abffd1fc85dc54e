"""How long what is asked is: prompts in characters, and in tokens where there is a tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from apieval.rebus import prompts, right_answer
from apieval.rebus.spread import Spread
from apieval.schema import SETTINGS, Rebus, RowId, Setting

ROOM: Final = 1024
"""Tokens that the study keeps prompt and answer within."""
IDS_SHOWN: Final = 1_000


class Tokens(NamedTuple):
    """Tokens of a prompt and of the right answer to it."""

    prompt: int
    answer: int


@dataclass(slots=True)
class Asked:
    """The prompts of some rebuses in one setting."""

    characters: Spread = field(default_factory=Spread)
    prompt: Spread = field(default_factory=Spread)
    answer: Spread = field(default_factory=Spread)
    together: Spread = field(default_factory=Spread)
    over: int = 0
    ids: list[RowId] = field(default_factory=list)

    def add(self, rebus: Rebus, setting: Setting, tokens: Tokens | None) -> None:
        """Take in a rebus, and the tokens of its prompt and answer where they are known."""
        self.characters.add(prompts.official().length(rebus, setting))
        if tokens is None:
            return
        self.prompt.add(tokens.prompt)
        self.answer.add(tokens.answer)
        self.together.add(sum(tokens))
        if sum(tokens) > ROOM:
            self.over += 1
            if len(self.ids) < IDS_SHOWN:
                self.ids.append(rebus.id)

    def as_json(self) -> dict[str, Any]:
        """Return the lengths; tokens are None without a tokenizer."""
        tokens = {
            "prompt": self.prompt.as_json(),
            "right_answer": self.answer.as_json(),
            "together": self.together.as_json(),
            "room": ROOM,
            "rows_without_room": self.over,
            "ids": self.ids,
        }
        return {
            "characters": self.characters.as_json(),
            "tokens": tokens if self.prompt.n else None,
        }


def counted(
    rebuses: Iterable[Rebus], counter: Callable[[str], int] | None
) -> Iterator[tuple[Rebus, Mapping[str, Tokens]]]:
    """Yield each rebus with the tokens of its prompt, by setting; none without a counter."""
    for rebus in rebuses:
        if counter is None or not rebus.verbalized_rebus:
            yield rebus, {}
            continue
        answer = counter(right_answer.write(rebus))
        yield (
            rebus,
            {each: Tokens(counter(prompts.build(rebus, each)), answer) for each in SETTINGS},
        )
