"""A prompt out of a user's own template: Jinja, sandboxed, and shown what a solver may know.

The template is given `verbalized_rebus` (with length hints in the setting `hints`),
`solution_key`, `setting`, `hints` (true or false) and `examples`, each with `verbalized_rebus`,
`solution_key`, `answer` (in the challenge's template) and the gold fields. Of the rebus that is
asked it is given nothing else: a prompt that held the answer would measure nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from apieval.errors import ConfigError
from apieval.rebus import examples
from apieval.records import SETTINGS, Rebus, Setting, well_formed
from apieval.results.header import PromptText
from apieval.signature import canonical_json, digest

if TYPE_CHECKING:
    from jinja2 import Template

MOST_BYTES: Final = 1_000_000
"""A prompt of a megabyte fits no model; a file that large was named by mistake."""
_MARK: Final = "\ufeff"
"""What some editors put before a text (BOM): no part of it, and never sent."""
_NOT_UTF8: Final = (
    "not UTF-8 text; save the file as UTF-8 (PowerShell: Out-File -Encoding utf8, not `>` alone)."
)
_FIELDS: Final = "verbalized_rebus, solution_key, setting, hints, examples"


@dataclass(frozen=True)
class CustomPrompt:
    """A template of the user's, with the examples it may show."""

    name: str
    source: str
    examples: tuple[Rebus, ...]

    def build(self, rebus: Rebus, setting: Setting) -> str:
        """Return the text of the one user message that asks for a rebus.

        Raises:
            ConfigError: where the template cannot be filled.
        """
        from jinja2 import TemplateError  # noqa: PLC0415 # as in `_template`

        try:
            return self._template.render(
                verbalized_rebus=examples.shown_rebus(rebus, setting),
                solution_key=rebus.solution_key,
                setting=setting,
                hints=setting == "hints",
                examples=self._shown[setting],
            )
        except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise ConfigError(
                f"--prompt {self.name}: cannot be filled: {error}; the fields are {_FIELDS}."
            ) from None

    def length(self, rebus: Rebus, setting: Setting) -> int:
        """Return how many characters a prompt has."""
        return len(self.build(rebus, setting))

    def hash(self, setting: Setting) -> str:
        """Return the tagged SHA-256 of the template, its examples and the setting."""
        return self._hashes[setting]

    def as_json(self) -> PromptText:
        """Return what the prompt is made from."""
        solved = [*map(examples.as_json, self.examples)]
        return {"name": self.name, "template": self.source, "examples": solved}

    @cached_property
    def _hashes(self) -> dict[Setting, str]:
        return {
            each: digest(canonical_json({**self.as_json(), "name": None, "setting": each}))
            for each in SETTINGS
        }

    @cached_property
    def _shown(self) -> dict[Setting, list[dict[str, Any]]]:
        return {
            setting: [
                {
                    **examples.as_json(rebus),
                    "verbalized_rebus": examples.shown_rebus(rebus, setting),
                    "answer": examples.write(rebus),
                }
                for rebus in self.examples
            ]
            for setting in SETTINGS
        }

    @cached_property
    def _template(self) -> Template:
        # jinja2 takes 0.05 s to import: only a run with a template of its own pays for it
        from jinja2 import StrictUndefined, TemplateError  # noqa: PLC0415
        from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415

        # no loader: a template is one file; no escaping: a prompt is no page
        environment = ImmutableSandboxedEnvironment(
            undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False
        )
        try:
            return environment.from_string(self.source)
        except TemplateError as error:
            line = getattr(error, "lineno", None)
            where = f", line {line}" if line else ""
            raise ConfigError(
                f"--prompt {self.name}{where}: not a template: {error.message}."
            ) from None


def load(path: Path, solved: tuple[Rebus, ...], shots: str = "") -> CustomPrompt:
    """Read a template, and make sure that it shows the rebus in every setting.

    Raises:
        ConfigError: for a file that cannot be read, is no template, or shows no rebus.
    """
    made = CustomPrompt(
        "-".join(filter(None, (well_formed(path.stem), shots))), _text(path), solved
    )
    for setting in SETTINGS:
        probe = examples.shipped()[-1]
        if examples.shown_rebus(probe, setting) not in made.build(probe, setting):
            raise ConfigError(
                f"--prompt {path}: does not show the rebus in the setting {setting}; "
                "it stands where the template says {{ verbalized_rebus }}."
            )
    return made


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise ConfigError(f"--prompt {path}: over {MOST_BYTES:,} bytes; name a template.")
        text = content.decode("utf-8").lstrip(_MARK)
    except OSError as error:
        raise ConfigError(f"--prompt {path}: cannot be read: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise ConfigError(f"--prompt {path}: {_NOT_UTF8}") from None
    if "\0" in text:  # as in UTF-16 without a mark
        raise ConfigError(f"--prompt {path}: {_NOT_UTF8}")
    return text
