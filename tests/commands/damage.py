"""What may happen to the files of a run folder, for hypothesis to choose from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hypothesis import strategies as st

_DEEP: Final[Any] = json.loads("[" * 200 + "]" * 200)
_JUNK: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, -1, 3, 1.5, -1e300, 10**400, 2**70, "", "x", "\ud800", "2026-13-45"),
    *([], {}, [None], ["x"], [[1, 2]], {"a": {"b": [1]}}, {"": None}, _DEEP),
)
_WORDS: Final = ("NaN", "-Infinity", "1e999", "9" * 5000, "tru", '"\\ud800', "{", "[" * 100_000)
"""What no JSON value is, or none that can be read."""
_LINES: Final = (b"", b"null", b"[]", b"{}", b"\xff\xfe", b"\0" * 20, b'{"id": 0', b"NaN", b'"x"')

Path_ = tuple[str | int, ...]


@dataclass(frozen=True)
class Damage:
    """What became of a file: where in it, and its bytes from now on; None where it is gone."""

    file: str
    place: Path_
    content: bytes | None
    kind: str

    def done(self, folder: Path) -> None:
        """Do it."""
        path = folder / self.file
        path.unlink()
        if self.kind == "folder":
            path.mkdir()
        elif self.kind == "loop":
            path.symlink_to(path)
        elif self.content is not None:
            path.write_bytes(self.content)


def places(value: object, path: Path_ = ()) -> Iterator[Path_]:
    """Yield the paths of all branches and leaves."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield (*path, key)
            yield from places(each, (*path, key))
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield (*path, at)
            yield from places(each, (*path, at))


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False)


@st.composite
def _object(draw: st.DrawFn, before: str) -> tuple[Path_, str]:
    """Return an object with one key or item gone, new or another, and its path."""
    value = json.loads(before)
    path = draw(st.sampled_from(list(places(value))))
    parent: Any = value
    for each in path[:-1]:
        parent = parent[each]
    match draw(st.sampled_from(["gone", "junk", "other", "word", "more"])):
        case "gone":
            del parent[path[-1]]
        case "more" if isinstance(parent, dict):
            path = (*path[:-1], "more")
            parent["more"] = draw(st.sampled_from(_JUNK))
        case "word":
            parent[path[-1]] = "@@"
            return path, _text(value).replace('"@@"', draw(st.sampled_from(_WORDS)))
        case "other":
            parent[path[-1]] = _another(parent[path[-1]])
        case _:
            parent[path[-1]] = draw(st.sampled_from(_JUNK))
    return path, _text(value)


def _another(value: Any) -> object:  # noqa: ANN401 # any JSON
    """Return a value of the same type, near and wrong: what a forger would write."""
    near: dict[type, Callable[[Any], object]] = {
        bool: lambda it: not it,
        int: lambda it: it + 1,
        float: lambda it: 0.99 if it < 0.9 else 0.5,
        str: lambda it: it[:-1] if len(it) > 1 else f"{it}o",
        list: lambda it: [*it, *it[-1:]] or ["x"],
        dict: lambda it: dict(list(it.items())[1:]),
        type(None): lambda _: "x",
    }
    return near[type(value)](value)


@st.composite
def of_keys(draw: st.DrawFn, folder: Path, names: tuple[str, ...]) -> Damage:
    """Return a file in which one key, or one of a line's, is gone, new or another."""
    name = draw(st.sampled_from(names))
    text = (folder / name).read_text("utf-8")
    if not name.endswith(".jsonl"):
        path, after = draw(_object(text))
        return Damage(name, path, after.encode(), "key")
    lines = text.splitlines()
    at = draw(st.integers(0, len(lines) - 1))
    path, lines[at] = draw(_object(lines[at]))
    return Damage(name, (at, *path), "".join(f"{each}\n" for each in lines).encode(), "key")


@st.composite
def of_lines(draw: st.DrawFn, folder: Path) -> Damage:
    """Return a file of lines in which one is gone, twice or another."""
    name = draw(st.sampled_from(["responses.jsonl", "scores.jsonl"]))
    lines = (folder / name).read_bytes().splitlines(keepends=True)
    at = draw(st.integers(0, len(lines) - 1))
    match draw(st.sampled_from(["gone", "twice", "other", "half"])):
        case "gone":
            del lines[at]
        case "twice":
            lines.insert(draw(st.integers(0, len(lines))), lines[at])
        case "half":
            lines[at] = lines[at][: draw(st.integers(1, len(lines[at]) - 2))] + b"\n"
        case _:
            lines[at] = draw(st.sampled_from(_LINES)) + b"\n"
    return Damage(name, (at,), b"".join(lines), "line")


@st.composite
def of_files(draw: st.DrawFn, folder: Path, names: tuple[str, ...]) -> Damage:
    """Return a whole file gone, cut, emptied, otherwise encoded, or something else of its name."""
    name = draw(st.sampled_from(names))
    before = (folder / name).read_bytes()
    kind = draw(st.sampled_from(["gone", "folder", "loop", "empty", "half", "utf-16", "binary"]))
    content = {
        "empty": b"",
        "half": before[: draw(st.integers(1, len(before) - 2))],
        "utf-16": before.decode().encode("utf-16"),
        "binary": bytes(range(256)) * 3,
    }
    return Damage(name, (), content.get(kind), kind)
