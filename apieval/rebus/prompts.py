"""The challenge's two prompts, byte for byte, and the requests made of them.

Source: the EurekaRebus task of the CALAMITA challenge (2 examples in one user message, no system
message, misspellings included: results must be comparable). The templates are files so that they
can be compared byte for byte; a test pins their hashes.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from apieval.schema import SETTINGS, Message, Rebus, Request, RowId, Setting
from apieval.signature import answer_identity, digest


@cache
def template(setting: Setting) -> str:
    """Return a setting's template, with `{verbalized_rebus}` and `{solution_key}` to be filled."""
    resource = files("apieval.rebus").joinpath("templates", f"{setting}.txt")
    return resource.read_bytes().decode("utf-8")


def template_hash(setting: Setting) -> str:
    """Return the tagged SHA-256 of a setting's template."""
    return digest(template(setting))


def build(rebus: Rebus, setting: Setting) -> str:
    """Return the text of the one user message that asks for a rebus."""
    hints = setting == "hints"
    shown = rebus.verbalized_rebus_with_length_hints if hints else rebus.verbalized_rebus
    # str.format does not look into what it inserts, so braces in a clue are safe
    return template(setting).format(verbalized_rebus=shown, solution_key=rebus.solution_key)


def length(rebus: Rebus, setting: Setting) -> int:
    """Return how many characters a prompt has, without building it."""
    hints = setting == "hints"
    shown = rebus.verbalized_rebus_with_length_hints if hints else rebus.verbalized_rebus
    return _around(setting) + len(shown) + len(rebus.solution_key)


@cache
def _around(setting: Setting) -> int:
    """Return how many characters a template has besides what fills it."""
    return len(template(setting).format(verbalized_rebus="", solution_key=""))


def lengths(rebus: Rebus, setting: Setting) -> tuple[int, int]:
    """Return how many characters a prompt has, and about how many a right answer."""
    steps = [*rebus.first_pass.split(), *rebus.solution_words]
    clues = rebus.verbalized_rebus + rebus.first_pass + rebus.solution
    return length(rebus, setting), len(clues) + sum(len(step) + 8 for step in steps) + 160


def requests(
    rebuses: Iterable[Rebus],
    settings: Sequence[Setting] = SETTINGS,
    samples: int = 1,
    identity: Mapping[str, Any] | None = None,
    answered: Container[tuple[RowId, Setting, int]] = (),
    system_prompt: str | None = None,
) -> Iterator[Request]:
    """Yield one request for every setting, rebus and sample, one at a time.

    `identity` is what the answers of a model depend on besides the messages (see
    `signature.answer_identity`). What is `answered` is passed over before it is built.
    """
    for setting in settings:
        for rebus in rebuses:
            for sample in range(samples):
                if (rebus.id, setting, sample) not in answered:
                    yield request(rebus, setting, sample, identity or {}, system_prompt)


def request(
    rebus: Rebus,
    setting: Setting,
    sample: int,
    identity: Mapping[str, Any],
    system_prompt: str | None = None,
) -> Request:
    """Return one request: one user message, after the system prompt where there is one."""
    asked = Message(role="user", content=build(rebus, setting))
    messages: tuple[Message, ...] = (asked,)
    if system_prompt is not None:
        messages = (Message(role="system", content=system_prompt), asked)
    wire = [message.model_dump() for message in messages]
    clear, key = answer_identity(identity, wire, sample)
    return Request(
        id=rebus.id, setting=setting, sample=sample, messages=messages, identity=clear, key=key
    )
