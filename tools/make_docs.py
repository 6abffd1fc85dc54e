"""Write or check the generated reference: docs/cli.md, configuration.md and providers.schema.json.

The command reference is made by walking the typer application, the schema is the
configuration's own, and what is said of every key is made from it. None of it depends on the terminal, the environment or the user's home, so
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
from typing import Any

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

CONFIGURATION = """\
The keys of `providers.yaml`. Made by `make docs-reference` from the program itself; not edited by
hand.

The file is the one named with `--config`, else `providers.yaml` in the working folder, else the one in
the package. It is checked completely before any request is sent: an unknown key, a duplicate key, a
value of another type and a key in place of the name of its variable are errors that name the place. It
is read as YAML 1.2, where `no` is text; JSON works too. If its first line names the schema, as in the
package's own file, editors complete and check it; `apieval models --schema` prints the schema."""
SECTIONS = {
    "Providers": "The file",
    "OpenAICompatible": "`provider: openai-compatible`",
    "Hosted": "`provider: litellm`",
    "Embedded": "`provider: embedded`",
    "Params": "`params`",
    "Defaults": "`defaults`",
    "Limits": "`limits`",
    "Price": "`price`",
    "Options": "`options`",
}
"""The schema's sections in the order of reading, and what they are called in the file."""
KEYS = "| key | value | default | meaning |\n|---|---|---|---|"
KINDS = {"string": "text", "boolean": "true or false", "object": "any fields"}

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
    shown = Text.from_markup(visible).plain if markup == "rich" else visible
    return shown.replace("<", "&lt;")  # what follows would be a tag, and vanish


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
    grouped: dict[str, list[Parameter]] = {}
    for option in options:
        grouped.setdefault(option.rich_help_panel or "Options", []).append(option)
    for title, members in grouped.items():
        yield from entries(title, members, context)
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


def anchor(title: str) -> str:
    """Return a heading's anchor, as mkdocs and code hosts alike make it."""
    kept = "".join(one for one in title.lower() if one.isalnum() or one in " _-")
    return kept.replace(" ", "-")


def number(node: dict[str, Any]) -> str:
    """Describe a number's kind and bounds."""
    kind = "whole number" if node["type"] == "integer" else "number"
    low, high = node.get("minimum"), node.get("maximum")
    above = node.get("exclusiveMinimum")
    if above == 0:
        low, above = (1, None) if kind == "whole number" else (None, above)
    least = f"{low} or more" if low is not None else f"above {above}" if above is not None else ""
    most = f"at most {high}" if high is not None else ""
    return ", ".join(filter(None, [kind, least, most]))


def takes(node: dict[str, Any]) -> str:
    """Describe the values a key takes."""
    inner = node.get("additionalProperties")
    if "anyOf" in node:
        return " or ".join(takes(one) for one in node["anyOf"] if one.get("type") != "null")
    if "const" in node or "enum" in node:
        return " or ".join(f"`{one}`" for one in node.get("enum", [node.get("const")]))
    if "$ref" in node:
        found = f"keys of {linked(node['$ref'])}"
    elif node["type"] == "array":
        found = f"a list of {takes(node['items']).replace('text', 'texts')}"
    elif isinstance(inner, dict) and "discriminator" in inner:
        kinds = inner["discriminator"]["mapping"].values()
        found = f"names, each with keys of {' or '.join(map(linked, kinds))}"
    elif node["type"] in {"integer", "number"}:
        found = number(node)
    else:
        found = "names and texts" if isinstance(inner, dict) else KINDS[node["type"]]
    return found


def linked(reference: str) -> str:
    """Return a link to the section that a part of the schema is."""
    title = SECTIONS[reference.rpartition("/")[2]]
    return f"[{title}](#{anchor(title)})"


def key_rows(section: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each key of a section and its line of the table: first what must stand there."""
    required = section.get("required", [])
    for name in sorted(section["properties"], key=lambda name: name not in required):
        node = section["properties"][name]
        default = node.get("default")
        value = default is not None and not isinstance(default, dict | list)
        without = "required" if name in required else f"`{json.dumps(default)}`" * value
        yield name, f"| `{name}` | {takes(node)} | {without} | {node['description']} |"


def configuration_reference(schema: dict[str, Any]) -> str:
    """Write the reference of `providers.yaml` as Markdown; what stood in a table is not repeated."""
    blocks, told = ["# Configuration", *map(fill, CONFIGURATION.split("\n\n"))], dict[str, str]()
    for name, title in SECTIONS.items():
        section = schema["$defs"].get(name, schema)
        blocks += [f"## {title}", fill(section["description"])]
        rows, again = list[str](), dict[str, list[str]]()
        for key, row in key_rows(section):
            if row in told:
                again.setdefault(told[row], []).append(f"`{key}`")
            else:
                rows.append(row)
                told[row] = name
        blocks += ["\n".join([KEYS, *rows])]
        blocks += [fill(f"As in {linked(at)}: {', '.join(keys)}.") for at, keys in again.items()]
    return "\n\n".join(blocks) + "\n"


def documents() -> dict[str, str]:
    """Make every generated document: file name under docs/ and content."""
    # Only now: the program reads its environment when imported, and that was neutralised.
    from apieval.cli import app  # noqa: PLC0415
    from apieval.config import file  # noqa: PLC0415

    schema = file.json_schema()
    return {
        "cli.md": command_reference(app, "apieval"),
        "configuration.md": configuration_reference(schema),
        "providers.schema.json": json.dumps(schema, indent=2, ensure_ascii=False) + "\n",
    }


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
