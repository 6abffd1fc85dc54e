"""Patterns compiled when they are first used."""

from __future__ import annotations

import re

import pytest

from apieval.patterns import regex


def test_does_what_the_compiled_pattern_does() -> None:
    late, compiled = (
        regex(r"(?P<word>[a-z]+)\d", re.IGNORECASE),
        re.compile(r"(?P<word>[a-z]+)\d", 2),
    )
    text = "Oro1 io2 3"
    assert late.findall(text) == compiled.findall(text) == ["Oro", "io"]
    assert [found["word"] for found in late.finditer(text)] == ["Oro", "io"]
    assert late.sub("-", text) == compiled.sub("-", text)
    assert late.split(text) == compiled.split(text)
    assert (late.pattern, late.flags, late.groups) == (compiled.pattern, compiled.flags, 1)
    assert not late.fullmatch(text)


def test_is_compiled_at_the_first_use_alone() -> None:
    broken = regex("(")
    with pytest.raises(re.error, match="missing \\)"):
        broken.search("text")


def test_has_a_patterns_attributes_alone() -> None:
    with pytest.raises(AttributeError, match="grep"):
        regex("a").grep  # type: ignore[attr-defined] # noqa: B018
