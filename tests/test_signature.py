from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval import signature as sig

texts = st.text(max_size=8)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(json_values)
def test_canonical_json_is_json_of_the_same_value(value: object) -> None:
    text = sig.canonical_json(value)
    assert json.loads(text) == value
    assert sig.canonical_json(json.loads(text)) == text


@given(st.dictionaries(texts, json_values, max_size=5))
def test_the_order_of_keys_does_not_matter(value: dict[str, Any]) -> None:
    assert sig.canonical_json(dict(reversed(value.items()))) == sig.canonical_json(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param({"b": [1, None], "a": True}, '{"a":true,"b":[1,null]}', id="sorted, no blank"),
        pytest.param("è\u2028", '"è\u2028"', id="not escaped"),
        pytest.param([1, 1.0, "1", True], '[1,1.0,"1",true]', id="types are told apart"),
    ],
)
def test_canonical_json(value: object, text: str) -> None:
    assert sig.canonical_json(value) == text


@pytest.mark.parametrize("value", [float("nan"), {"a": [float("inf")]}])
def test_what_json_does_not_have(value: object) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        sig.canonical_json(value)


@pytest.mark.parametrize("value", [{1, 2}, b"x", {"a": object()}])
def test_what_is_no_json_value(value: object) -> None:
    with pytest.raises(TypeError):
        sig.canonical_json(value)


def test_digests_are_tagged(tmp_path: Path) -> None:
    expected = "sha256:" + hashlib.sha256("Verità".encode()).hexdigest()
    (tmp_path / "data").write_text("Verità", encoding="utf-8")
    assert sig.digest("Verità") == expected
    assert sig.digest("Verità".encode()) == expected
    assert sig.digest_file(tmp_path / "data") == expected
    assert sig.short(expected) == expected[7:19]
    assert sig.short(expected, 8) == expected[7:15]


def test_lines_are_counted_as_they_end(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes("uno\u2028\ndue\r\ntre".encode())
    assert sig.digest_lines(path) == (2, sig.digest_file(path))
    path.write_bytes(b"\n" * ((1 << 20) + 1))
    assert sig.digest_lines(path) == ((1 << 20) + 1, sig.digest_file(path))


def test_a_digest_takes_any_text() -> None:
    assert sig.digest("\ud800") != sig.digest("\ufffd")


def test_the_key_is_the_hash_of_the_clear_text_identity() -> None:
    identity, key = sig.answer_identity({"model": "m"}, [{"role": "user", "content": "x"}], 3)
    assert json.loads(identity) == {
        "model": "m",
        "messages": [{"role": "user", "content": "x"}],
        "sample": 3,
    }
    assert key == sig.digest(identity)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        pytest.param({"data": "sample@ab12", "n": 90}, "data:sample@ab12|n:90", id="plain"),
        pytest.param({"model": "llama3.1:8b"}, r"model:llama3.1\:8b", id="colon"),
        pytest.param({"model": "a|b"}, r"model:a\|b", id="bar"),
        pytest.param({"model": "a\\"}, r"model:a\\", id="backslash"),
        pytest.param({"b": 1, "a": 2}, "b:1|a:2", id="in the order given"),
        pytest.param({}, "", id="nothing"),
    ],
)
def test_signature(parts: dict[str, str | int], text: str) -> None:
    assert sig.signature(parts) == text


def read_back(text: str) -> list[tuple[str, str]]:
    """Read a signature by its grammar, one character at a time."""
    parts, word, words = [], "", []
    characters = iter(text)
    for char in characters:
        if char == "\\":
            word += next(characters)
        elif char == ":":
            words, word = [word], ""
        elif char == "|":
            parts.append((words[0], word))
            word = ""
        else:
            word += char
    return [*parts, (words[0], word)]


names = st.from_regex("[a-z_]{1,6}", fullmatch=True)
values = st.text(st.sampled_from("ab\\|:@, "), max_size=8)


@given(st.dictionaries(names, values, min_size=1, max_size=5))
def test_two_set_ups_never_share_a_signature(parts: dict[str, str]) -> None:
    assert read_back(sig.signature(parts)) == list(parts.items())


@given(st.dictionaries(names, values, min_size=1, max_size=5))
def test_its_parts_can_be_read_back(parts: dict[str, str]) -> None:
    assert sig.parts(sig.signature(parts)) == parts


@pytest.mark.parametrize(
    "text", ["", "data", "data:a|", "data:a:b", "data:a\\", "Data:a", "a:b|c", "a:b|a:c"]
)
def test_no_signature_has_no_parts(text: str) -> None:
    with pytest.raises(ValueError, match="no signature"):
        sig.parts(text)
