from __future__ import annotations

import inspect
import re

import pytest

from apieval import errors
from apieval.errors import ApievalError, AttemptFailed, RunFailure, TransientFailure

CLASSES = {
    name: value
    for name, value in vars(errors).items()
    if inspect.isclass(value) and issubclass(value, ApievalError)
}


def drawn() -> dict[str, tuple[str | None, int]]:
    """Read the tree in the module's docstring: name -> the parent it hangs on, its exit code."""
    tree: dict[str, tuple[str | None, int]] = {}
    above: dict[int, str] = {}
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"^( {4}[ |`-]*)([A-Z]\w+)(?: +(\d+))?(?:  |$)", line)
        if found:
            depth, name, code = len(found[1]), found[2], found[3]
            parent = above.get(depth - 4)
            above[depth] = name
            tree[name] = (parent, int(code) if code else tree[parent or name][1])
    return tree


def test_the_drawn_tree_is_the_real_one() -> None:
    real = {
        name: (None if value is ApievalError else value.__bases__[0].__name__, value.exit_code)
        for name, value in CLASSES.items()
    }
    assert drawn() == real


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_says_what_it_is_for(name: str) -> None:
    assert CLASSES[name].__doc__


def test_an_attempt_carries_what_the_server_said() -> None:
    error = TransientFailure("busy", status=429, retry_after_s=1.5)
    assert (str(error), error.status, error.retry_after_s) == ("busy", 429, 1.5)
    bare = RunFailure("key refused")
    assert (bare.status, bare.retry_after_s) == (None, None)
    assert isinstance(bare, AttemptFailed)


@pytest.mark.parametrize(
    ("word", "known", "expected"),
    [
        pytest.param("temprature", ["temperature", "top_p"], "'temperature'", id="one"),
        pytest.param(
            "max_token", ["max_tokens", "max_t", "x"], "'max_tokens' or 'max_t'", id="two"
        ),
        pytest.param("zzz", ["temperature"], None, id="none near"),
        pytest.param("x", [], None, id="none known"),
    ],
)
def test_did_you_mean(word: str, known: list[str], expected: str | None) -> None:
    text = "" if expected is None else f" (did you mean {expected}?)"
    assert errors.did_you_mean(word, iter(known)) == text
