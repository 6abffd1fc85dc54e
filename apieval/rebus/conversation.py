"""The messages that ask a model for a rebus, and the requests made of them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from apieval.rebus.prompts import Prompt, official
from apieval.schema import SETTINGS, Message, Rebus, Request, RowId, Setting
from apieval.signature import answer_identity, digest


@dataclass(frozen=True)
class Conversation:
    """What is said to a model for every rebus: a system prompt where there is one, then the prompt.

    The challenge says its own prompt and nothing before it.
    """

    prompt: Prompt = field(default_factory=official)
    system: str | None = None

    def messages(self, rebus: Rebus, setting: Setting) -> tuple[Message, ...]:
        """Return the messages that ask for a rebus."""
        asked = Message(role="user", content=self.prompt.build(rebus, setting))
        if self.system is None:
            return (asked,)
        return Message(role="system", content=self.system), asked

    def hashes(self, settings: Sequence[Setting]) -> dict[str, str]:
        """Return the hashes of what is said: by setting, and of what is said before."""
        said: dict[str, str] = {setting: self.prompt.hash(setting) for setting in settings}
        return said if self.system is None else {**said, "system": digest(self.system)}


def requests(
    rebuses: Iterable[Rebus],
    settings: Sequence[Setting] = SETTINGS,
    samples: int = 1,
    identity: Mapping[str, Any] | None = None,
    answered: Container[tuple[RowId, Setting, int]] = (),
    conversation: Conversation | None = None,
) -> Iterator[Request]:
    """Yield one request for every setting, rebus and sample, one at a time.

    `identity` is what the answers of a model depend on besides the messages (see
    `signature.answer_identity`). What is `answered` is passed over before it is built.
    """
    said = conversation or Conversation()
    for setting in settings:
        for rebus in rebuses:
            for sample in range(samples):
                if (rebus.id, setting, sample) not in answered:
                    yield request(rebus, setting, sample, identity or {}, said)


def request(
    rebus: Rebus,
    setting: Setting,
    sample: int,
    identity: Mapping[str, Any],
    conversation: Conversation | None = None,
) -> Request:
    """Return one request: the messages of a conversation, the challenge's own without one."""
    messages = (conversation or Conversation()).messages(rebus, setting)
    wire = [message.model_dump() for message in messages]
    clear, key = answer_identity(identity, wire, sample)
    return Request(
        id=rebus.id, setting=setting, sample=sample, messages=messages, identity=clear, key=key
    )


def lengths(rebus: Rebus, setting: Setting, prompt: Prompt) -> tuple[int, int]:
    """Return how many characters a prompt has, and about how many a right answer."""
    steps = [*rebus.first_pass.split(), *rebus.solution_words]
    clues = rebus.verbalized_rebus + rebus.first_pass + rebus.solution
    return prompt.length(rebus, setting), len(clues) + sum(len(step) + 8 for step in steps) + 160
