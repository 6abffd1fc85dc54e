"""Write or check the generated reference: docs/cli.md and docs/providers.schema.json.

The command reference is made by walking the typer application, the schema is the
configuration's own. Neither depends on the terminal, the environment or the user's home, so
that a difference always means that code and documentation drifted apart.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import textwrap
from collections.abc import Iterator, MutableMapping
from pathlib import Path

import typer
from rich.text import Text
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_group

REMEDY = "run `make docs-reference`"
WIDTH = 80
HOME = "/~"  # stands in for the user's; in the text a default below it reads `~/...`
INTRODUCTION = (
    "Made by `make docs-reference` from the program itself; not edited by hand. Every command "
    "also takes `--help`."
)

Command = TyperCommand | TyperGroup
Parameter = TyperArgument | TyperOption


def neutralise(environ: MutableMapping[str, str]) -> None:
    """Take the user's settings out of an environment, before the program is imported."""
    for name in [name for name in environ if name.startswith(("APIEVAL_", "XDG_"))]:
        del environ[name]
    environ.update(HOME=HOME, COLUMNS=str(WIDTH), NO_COLOR="1", TERM="dumb")


def fill(text: str, *, hanging: str = "") -> str:
    """Wrap a paragraph; every line after the first begins with `hanging`."""
    return textwrap.fill(
        " ".join(text.split()),
        WIDTH,
        subsequent_indent=hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )


def plain(text: str | None, markup: str | None) -> str:
    """Take terminal markup out of a help text."""
    visible = (text or "").split("\f")[0].strip()
    return Text.from_markup(visible).plain if markup == "rich" else visible


def prose(text: str) -> Iterator[str]:
    """Yield a help text's paragraphs, wrapped; lists and indented blocks keep their lines."""
    for paragraph in text.split("\n\n"):
        kept = any(line.startswith(("- ", "* ", " ")) for line in paragraph.splitlines())
        yield paragraph.rstrip() if kept else fill(paragraph)


def entry(parameter: Parameter, context: typer.Context, markup: str | None) -> str | None:
    """Describe one argument or option as a list item, None where it is hidden."""
    record = parameter.get_help_record(context)
    if record is None:
        return None
    spelled, described = record
    details = described.removeprefix(parameter.help or "").strip().removeprefix("[")
    details = details.removesuffix("]").replace("\\", "").replace(f"{HOME}/", "~/")
    help_text = plain(parameter.help, markup)
    notes = f"({details})" if details else ""
    return fill(f"- `{spelled}`: {help_text} {notes}".rstrip(" :"), hanging="  ")


def entries(title: str, parameters: list[Parameter], context: typer.Context) -> Iterator[str]:
    """Yield a titled list of parameters, nothing where there are none to show."""
    command = context.command
    markup = command.rich_markup_mode if isinstance(command, Command) else None
    items = [entry(parameter, context, markup) for parameter in parameters]
    shown = [item for item in items if item is not None]
    if shown:
        yield f"{title}:"
        yield "\n".join(shown)


def summary(name: str, command: Command) -> str:
    """Describe a subcommand in one list item."""
    first = plain(command.help, command.rich_markup_mode).split("\n\n")[0]
    return fill(f"- `{name}`: {first}".rstrip(" :"), hanging="  ")


def subcommands(command: Command) -> dict[str, Command]:
    """List the visible commands under a command, in the order the program gives them."""
    found = command.commands if isinstance(command, TyperGroup) else {}
    return {name: one for name, one in found.items() if isinstance(one, Command) and not one.hidden}


def section(context: typer.Context, command: Command) -> Iterator[str]:
    """Yield the blocks that describe one command and everything under it."""
    path = context.command_path
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    yield f"## `{path}`"
    yield "```\n" + fill(usage, hanging=" " * 4) + "\n```"
    if command.help:
        yield from prose(plain(command.help, command.rich_markup_mode))
    arguments = [one for one in command.params if isinstance(one, TyperArgument)]
    options = [one for one in command.params if isinstance(one, TyperOption)]
    yield from entries("Arguments", [*arguments], context)
    yield from entries("Options", [*options], context)
    below = subcommands(command)
    if below:
        yield "Commands:"
        yield "\n".join(summary(name, one) for name, one in below.items())
    for name, one in below.items():
        yield from section(subcontext(one, name, context), one)


def subcontext(command: Command, name: str, parent: typer.Context | None) -> typer.Context:
    """Make the context a command would run in, without running it."""
    return typer.Context(command, parent=parent, info_name=name, **command.context_settings)


def command_reference(app: typer.Typer, name: str) -> str:
    """Write the reference of a whole application as Markdown."""
    root = get_group(app)
    blocks = ["# Command reference", fill(INTRODUCTION)]
    blocks += section(subcontext(root, name, None), root)
    return "\n\n".join(blocks) + "\n"


def documents() -> dict[str, str]:
    """Make every generated document: file name under docs/ and content."""
    # Only now: the program reads its environment when imported, and that was neutralised.
    from apieval import config  # noqa: PLC0415
    from apieval.cli import app  # noqa: PLC0415

    schema = json.dumps(config.json_schema(), indent=2, ensure_ascii=False)
    return {"cli.md": command_reference(app, "apieval"), "providers.schema.json": schema + "\n"}


def write(folder: Path, made: dict[str, str]) -> int:
    """Write the documents into a folder; return the exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return 0


def check(folder: Path, made: dict[str, str]) -> int:
    """Name each document that differs from what the code says; return the exit code."""
    drifted = [
        name
        for name, text in made.items()
        if not (folder / name).is_file() or (folder / name).read_text(encoding="utf-8") != text
    ]
    for name in drifted:
        print(f"{folder.name}/{name} is not what the code says: {REMEDY}", file=sys.stderr)
    if not drifted:
        print(f"{', '.join(made)}: up to date")
    return 1 if drifted else 0


def main(arguments: list[str] | None = None) -> int:
    """Write or check the generated documents; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--check", action="store_true", help="exit with 1 where a file drifted")
    mode.add_argument("--write", action="store_true", help="write the files")
    options = parser.parse_args(arguments)
    folder = Path(__file__).resolve().parent.parent / "docs"
    neutralise(os.environ)
    return (check if options.check else write)(folder, documents())


if __name__ == "__main__":
    sys.exit(main())
