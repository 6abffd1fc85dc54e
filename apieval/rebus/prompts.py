"""What is said to a model for a rebus: the challenge's two prompts, or a variant of them.

Source: the EurekaRebus task of the CALAMITA challenge (2 examples in one user message, no system
message, misspellings included: results must be comparable). Its templates are files so that they
can be compared byte for byte; a test pins their hashes. Any other prompt has another hash, and
its figures are another experiment's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Final, Protocol

from apieval.errors import ConfigError
from apieval.rebus import custom_prompt, examples
from apieval.records import SETTINGS, Rebus, Setting, well_formed
from apieval.results.header import PromptText
from apieval.signature import digest

OFFICIAL: Final = "official"
_TURN: Final = "# Ora tocca a te!\n"
_ZERO: Final = (
    "Completa il rebus seguendo il procedimento descritto, rispondendo esattamente in questo "
    "formato:\n"
    "Procediamo alla risoluzione del rebus passo per passo:\n"
    "- L E T T E R E = L E T T E R E\n"
    "- [indizio] = parola nascosta\n"
    "Prima lettura: lettere e parole nascoste nell'ordine del rebus\n"
    "Ora componiamo la soluzione seguendo la chiave risolutiva:\n"
    "lunghezza = parola della soluzione\n"
    "Soluzione: frase risolutiva\n"
)
"""What stands for the examples where there are none: the format they show."""


class Prompt(Protocol):
    """The text that asks for a rebus: a name, the text, and what it is made from."""

    @property
    def name(self) -> str:
        """Return what people call it."""

    def build(self, rebus: Rebus, setting: Setting) -> str:
        """Return the text of the one user message that asks for a rebus."""

    def length(self, rebus: Rebus, setting: Setting) -> int:
        """Return how many characters that is."""

    def hash(self, setting: Setting) -> str:
        """Return the tagged SHA-256 of what the texts of a setting are made from."""

    def as_json(self) -> PromptText:
        """Return what it takes to make it again."""


@cache
def template(setting: Setting) -> str:
    """Return a setting's template, with `{verbalized_rebus}` and `{solution_key}` to be filled."""
    resource = files("apieval.rebus").joinpath("templates", f"{setting}.txt")
    return resource.read_bytes().decode("utf-8")


@cache
def template_hash(setting: Setting) -> str:
    """Return the tagged SHA-256 of a setting's official template."""
    return digest(template(setting))


def is_official(hashes: Mapping[str, str]) -> bool:
    """Say whether prompts of these hashes, by setting, are the challenge's, byte for byte."""
    return all(hashes[each] == template_hash(each) for each in SETTINGS if each in hashes)


@dataclass(frozen=True)
class Shots:
    """The challenge's prompt with examples of one's own choice; with its own two, it itself."""

    name: str = OFFICIAL
    examples: tuple[Rebus, ...] = field(
        default_factory=lambda: examples.shipped()[: examples.OFFICIAL]
    )

    def build(self, rebus: Rebus, setting: Setting) -> str:
        """Return the text of the one user message that asks for a rebus."""
        shown = examples.shown_rebus(rebus, setting)
        # str.format does not look into what it inserts, so braces in a clue are safe
        text = self._texts[setting]
        return text.format(verbalized_rebus=shown, solution_key=rebus.solution_key)

    def length(self, rebus: Rebus, setting: Setting) -> int:
        """Return how many characters a prompt has, without building it."""
        shown = examples.shown_rebus(rebus, setting)
        return self._around[setting] + len(shown) + len(rebus.solution_key)

    def hash(self, setting: Setting) -> str:
        """Return the tagged SHA-256 of a setting's text before it is filled."""
        return self._hashes[setting]

    def as_json(self) -> PromptText:
        """Return what the prompt is made from; nothing but its name for the challenge's own."""
        if self == Shots():
            return {"name": self.name}
        return {"name": self.name, "examples": [*map(examples.as_json, self.examples)]}

    @cached_property
    def _texts(self) -> dict[Setting, str]:
        return {setting: _with_examples(setting, self.examples) for setting in SETTINGS}

    @cached_property
    def _hashes(self) -> dict[Setting, str]:
        return {setting: digest(text) for setting, text in self._texts.items()}

    @cached_property
    def _around(self) -> dict[Setting, int]:
        """Return by setting how many characters there are besides what fills the text."""
        texts = self._texts.items()
        return {
            each: len(text.format(verbalized_rebus="", solution_key="")) for each, text in texts
        }


def build(rebus: Rebus, setting: Setting) -> str:
    """Return the challenge's own prompt for a rebus."""
    return official().build(rebus, setting)


@cache
def official() -> Shots:
    """Return the challenge's prompt."""
    return Shots()


def choose(template: Path | None = None, shots: int | Path | None = None) -> Prompt:
    """Return the prompt that a user's choice stands for, the challenge's own without one.

    `template` is a file of the user's (see `custom_prompt`); `shots` so many of the package's
    examples, or a data file whose rows are the examples.

    Raises:
        ConfigError: for a number that is out of range, and a template that cannot be used.
        DataError: for examples that cannot be used.
    """
    if shots is None:
        solved, said = examples.shipped()[: examples.OFFICIAL], ""
    elif isinstance(shots, Path):
        solved, said = examples.load(shots), well_formed(shots.stem)
    elif 0 <= shots <= len(examples.shipped()):
        solved, said = examples.shipped()[:shots], f"{shots}-shot"
    else:
        most = len(examples.shipped())
        raise ConfigError(f"--shots {shots}: give a number from 0 to {most}, or a data file.")
    if template is not None:
        return custom_prompt.load(template, solved, said)
    if solved == official().examples:
        return official()
    return Shots(said, solved)


def choose_all(folder: Path, shots: int | Path | None = None) -> list[Prompt]:
    """Return a prompt for each template of a folder, in the order of their names.

    Every file is a template but hidden ones; a folder in it is left alone.

    Raises:
        ConfigError: for a folder that cannot be read, and two templates of one name.
        ConfigError, DataError: as `choose`.
    """
    try:
        paths = sorted(each for each in folder.iterdir() if each.is_file())
    except OSError as error:
        raise ConfigError(f"--prompt-set {folder}: {error.strerror or error}.") from None
    made = [choose(path, shots) for path in paths if not path.name.startswith(".")]
    if not made:
        raise ConfigError(f"--prompt-set {folder}: there is no template in it.")
    names = [each.name for each in made]
    if twice := {name for name in names if names.count(name) > 1}:
        shown = ", ".join(sorted(twice))
        raise ConfigError(f"--prompt-set {folder}: two templates are called {shown}; rename one.")
    return made


def restore(made: PromptText) -> Prompt:
    """Return the prompt that `as_json` described.

    Raises:
        ConfigError: where it has a template that is none.
    """
    if "examples" not in made:
        return official()
    solved = tuple(map(examples.from_json, made["examples"]))
    if "template" in made:
        return custom_prompt.CustomPrompt(made["name"], made["template"], solved)
    return Shots(made["name"], solved)


def _with_examples(setting: Setting, shown: tuple[Rebus, ...]) -> str:
    """Return a setting's template with other examples in place of its own."""
    before, _, rest = template(setting).partition("# Esempio 1:\n")
    asked = rest[rest.index(_TURN) :]
    solved = "".join(examples.numbered(shown, setting)).replace("{", "{{").replace("}", "}}")
    if not shown:
        asked = _ZERO + asked.removeprefix(_TURN).partition("\n")[2]  # which speaks of examples
    return f"{before}{solved}{asked}"
