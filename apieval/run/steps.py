"""What a check found, step by step: facts for tools, faults and warnings for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final


class Mark(StrEnum):
    """How a step went; a mark is a word, so that it needs no colour."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a check: what was found, and what is wrong with it.

    `facts` is JSON. A fault fails the check, with the exit code `fault_code`; a warning does not.
    """

    name: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    fault_code: int = 1

    @property
    def mark(self) -> Mark:
        """Return the worst there is."""
        if self.faults:
            return Mark.FAILED
        return Mark.WARNING if self.warnings else Mark.OK

    @property
    def exit_code(self) -> int:
        """Return the exit code this step alone would give."""
        return self.fault_code if self.faults else 0

    def as_json(self) -> dict[str, Any]:
        """Return what `--json` prints of it."""
        remarks = {"faults": list(self.faults), "warnings": list(self.warnings)}
        return {"mark": self.mark.value, **remarks, **self.facts}


@dataclass(frozen=True, slots=True)
class Check:
    """One model's check: every step that was come to."""

    model: str
    steps: tuple[Step, ...]

    @property
    def mark(self) -> Mark:
        """Return the worst mark of its steps."""
        return max((step.mark for step in self.steps), key=_WORST_LAST.index, default=Mark.OK)

    @property
    def exit_code(self) -> int:
        """Return the exit code of this model alone."""
        return max((step.exit_code for step in self.steps), default=0)

    def facts(self, name: str) -> Mapping[str, Any]:
        """Return the facts of a step, none where the check did not come to it."""
        return next((step.facts for step in self.steps if step.name == name), {})

    def as_json(self) -> dict[str, Any]:
        """Return what `--json` prints of it."""
        steps = {step.name: step.as_json() for step in self.steps}
        head = {"model": self.model, "mark": self.mark.value, "exit_code": self.exit_code}
        return {**head, "steps": steps}


_WORST_LAST: Final = tuple(Mark)
