"""What was measured: the model, the rebuses, and everything else that can move a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from apieval.rebus.dataset import Selection
from apieval.rebus.prompts import OFFICIAL, is_official
from apieval.rebus.scoring import PARSERS
from apieval.records import Given, Setting
from apieval.results.summary import AnswersFile, Coverage, Finding, PromptName


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured, as far as it can move a figure.

    `sampling` and `identity` None are not known; `identity` is all that a model's answers depend on
    besides the messages: provider, address, its name there, body, headers. `prompts` are the hashes of what was said, those of the official
    templates where it is empty; `dropped` the parameters left out of the request on purpose;
    `parsers` those that could read what there is; `given` how far the answers were begun;
    `responses` the file of the answers: its name, its lines and its hash; `coverage` what a
    dictionary solver's dictionary knows of the rebuses, None for other models; `findings` what the
    file of the answers says against the figures.
    """

    model: str
    selection: Selection
    settings: Sequence[Setting]
    samples: int = 1
    sampling: Mapping[str, Any] | None = None
    prompts: Mapping[str, str] = field(default_factory=dict)
    dropped: Sequence[str] = ()
    parsers: Sequence[str] = tuple(PARSERS)
    prompt_name: str = OFFICIAL
    given: Given | None = None
    identity: Mapping[str, Any] | None = None
    responses: AnswersFile | None = None
    coverage: Coverage | None = None
    findings: Sequence[Finding] = ()

    @property
    def prompt(self) -> PromptName:
        """Return what the prompt goes by, and whether it is the challenge's, byte for byte.

        Of answers that come without their prompts neither is known.
        """
        if not self.prompts:
            return {"name": None, "official": None}
        own = is_official(self.prompts) and "system" not in self.prompts
        return {"name": self.prompt_name, "official": own}

    @property
    def expected(self) -> int:
        """Return how many answers there should be in each setting."""
        return len(self.selection.rebuses) * self.samples
