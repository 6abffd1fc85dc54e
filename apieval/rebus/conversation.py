"""The messages that ask a model for a rebus, and the requests made of them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from apieval.config.models import for_sample
from apieval.rebus import examples
from apieval.rebus.prompts import Prompt, official
from apieval.records import SETTINGS, Given, Message, Prefill, Rebus, Request, RowId, Setting
from apieval.signature import answer_identity, digest
from apieval.wording import counted

GO_ON: Final = "Una parte della risoluzione è già data: continua da dove si interrompe.\n"
"""What says to a model that a part of its answer stands in the question."""
STOPS: Final = ("stop", "stop_sequences")
"""What APIs call the texts at which an answer ends."""


@dataclass(frozen=True)
class Conversation:
    """What is said to a model for every rebus: a system prompt where there is one, then the prompt.

    The challenge says its own prompt, nothing before it and nothing after. What is `given` of the
    answer goes into the user's message, unless `prefill` says how the API takes a begun answer.
    """

    prompt: Prompt = field(default_factory=official)
    system: str | None = None
    given: Given | None = None
    prefill: Prefill | None = None

    def messages(self, rebus: Rebus, setting: Setting) -> tuple[Message, ...]:
        """Return the messages that ask for a rebus."""
        before = () if self.system is None else (Message(role="system", content=self.system),)
        asked = self.prompt.build(rebus, setting)
        if self.given is None:
            return (*before, Message(role="user", content=asked))
        begun = beginning(rebus, self.given)
        if self.prefill is None:
            return (*before, Message(role="user", content=f"{asked.rstrip()}\n{GO_ON}{begun}"))
        mark = True if self.prefill == "prefix" else None
        answer = Message(role="assistant", content=begun, prefix=mark)
        return (*before, Message(role="user", content=asked), answer)

    def hashes(self, settings: Sequence[Setting]) -> dict[str, str]:
        """Return the hashes of what is said: by setting, and of what is said before."""
        said: dict[str, str] = {setting: self.prompt.hash(setting) for setting in settings}
        return said if self.system is None else {**said, "system": digest(self.system)}


def beginning(rebus: Rebus, given: Given) -> str:
    """Return the beginning of the right answer, up to the step that is given.

    It ends without a line end: some APIs refuse a begun answer that ends in a blank.
    """
    lines = [examples.definitions(rebus)]
    if given == "first-pass":
        lines.append(examples.first_pass(rebus))
    return "\n".join(lines)


def stops_too_soon(
    body: Mapping[str, Any], rebuses: Sequence[Rebus], given: Given | None = None
) -> Iterator[str]:
    """Yield what is wrong with each stop sequence of a request that stands in right answers."""
    for name in STOPS:
        said = body.get(name) or ()
        for stop in dict.fromkeys([said] if isinstance(said, str) else said):
            if not isinstance(stop, str) or not stop:
                continue
            cut = sum(stop in _left_to_say(each, given) for each in rebuses)
            if cut:
                yield (
                    f"{name} {stop!r} stands in the answer template: it cuts {cut:,} of "
                    f"{counted(len(rebuses), 'right answer')}; take it out of params"
                )


def _left_to_say(rebus: Rebus, given: Given | None) -> str:
    begun = "" if given is None else beginning(rebus, given)
    return examples.write(rebus)[len(begun) :]


def joined(rebus: Rebus, given: Given | None, text: str) -> str:
    """Return a whole answer: the beginning that was given, then what the model said.

    A model that says the beginning again, as some APIs do of themselves, has said the whole.
    """
    if given is None:
        return text
    begun = beginning(rebus, given)
    if text.lstrip().startswith(begun):
        return text
    return begun + ("" if text.startswith("\n") else "\n") + text


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
    *,
    one_seed: bool = False,
) -> Request:
    """Return one request: the messages of a conversation, the challenge's own without one.

    Each sample has a seed of its own (see `config.models.for_sample`), unless it is of a run that had
    `one_seed` for all.
    """
    if sample and not one_seed and "body" in identity:
        identity = {**identity, "body": for_sample(identity["body"], sample)}
    messages = (conversation or Conversation()).messages(rebus, setting)
    wire = [message.wire() for message in messages]
    clear, key = answer_identity(identity, wire, sample)
    return Request(
        id=rebus.id, setting=setting, sample=sample, messages=messages, identity=clear, key=key
    )


def lengths(
    rebus: Rebus, setting: Setting, prompt: Prompt, given: Given | None = None
) -> tuple[int, int]:
    """Return how many characters a prompt has, and about how many a right answer."""
    if given is not None:
        begun = len(beginning(rebus, given))
        rest = len(examples.write(rebus)) - begun
        return prompt.length(rebus, setting) + begun + len(GO_ON), rest
    steps = [*rebus.first_pass.split(), *rebus.solution_words]
    clues = rebus.verbalized_rebus + rebus.first_pass + rebus.solution
    return prompt.length(rebus, setting), len(clues) + sum(len(step) + 8 for step in steps) + 160
