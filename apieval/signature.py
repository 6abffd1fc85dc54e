"""What a thing is: canonical JSON, hashes, the cache key, the printed signature.

Two things that can differ in their answers have different identities here; two that cannot have
the same one. Nothing in this module knows what it names: callers collect the parts.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from apieval.patterns import regex

ALGORITHM: Final = "sha256"
SHORT: Final = 12
"""Hex digits of a short hash: 48 bits, no clash among fewer than a million things."""
_BLOCK: Final = 1 << 20
_VALUE: Final = r"(?:[^\\|:]|\\[\\|:])*+"
_PART: Final = regex(rf"([a-z_]+):({_VALUE})", re.DOTALL)
_SIGNATURE: Final = regex(rf"[a-z_]+:{_VALUE}(?:\|[a-z_]+:{_VALUE})*+", re.DOTALL)
_DIGEST: Final = regex(rf"{ALGORITHM}:[0-9a-f]{{64}}")
_ESCAPED: Final = regex(r"\\(.)", re.DOTALL)


def canonical_json(value: object) -> str:
    """Return the one JSON text of a value: keys sorted, no blanks, no NaN.

    Raises:
        ValueError: for NaN and infinities, which JSON does not have.
        TypeError: for anything that is no JSON value.
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def digest(text: str | bytes) -> str:
    """Return the hash of a text (as UTF-8) or of bytes, tagged with its algorithm."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return f"{ALGORITHM}:{hashlib.sha256(data).hexdigest()}"


def digest_file(path: Path) -> str:
    """Return the hash of a file's bytes, tagged with its algorithm."""
    with path.open("rb") as file:
        return f"{ALGORITHM}:{hashlib.file_digest(file, ALGORITHM).hexdigest()}"


def finite(text: str) -> float:
    """Return a number, for the reader of JSON: neither NaN nor Infinity is one.

    Raises:
        ValueError: for these, and what is too large.
    """
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:20]} is no number")
    return value


def digest_lines(path: Path) -> tuple[int, str]:
    r"""Return how many lines a file has, by their `\n`, and the hash of its bytes."""
    lines, found = 0, hashlib.new(ALGORITHM)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            lines += block.count(b"\n")
            found.update(block)
    return lines, f"{ALGORITHM}:{found.hexdigest()}"


def short(tagged: str, length: int = SHORT) -> str:
    """Return the first digits of a tagged hash, without the tag."""
    return tagged.partition(":")[2][:length]


def answer_identity(model: Mapping[str, Any], messages: object, sample: int) -> tuple[str, str]:
    """Return the clear-text identity of one answer, and the cache key made of it.

    `model` holds what is the same for every request of a model: provider, address or
    `cache_identity`, model name, every parameter that is sent. What cannot change an answer
    (concurrency, timeouts, retries, the API key) has no place in it. The key is of all of it, the
    text is to be written down: there hashes stand for what headers say.
    """
    whole = {**model, "messages": messages, "sample": sample}
    identity = canonical_json(whole)
    shown = canonical_json(public(whole)) if model.get("headers") else identity
    return shown, digest(identity)


def public(identity: Mapping[str, Any]) -> dict[str, Any]:
    """Return an identity as it is written down: of headers the names, and hashes of the values."""
    headers = identity.get("headers")
    if not isinstance(headers, dict) or not headers:
        return dict(identity)
    hidden = {
        name: value if _is_digest(value) else digest(value) for name, value in headers.items()
    }
    return {**identity, "headers": hidden}


def is_hidden(identity: Mapping[str, Any]) -> bool:
    """Say whether an identity lacks what its headers say, so that no key can be made of it."""
    headers = identity.get("headers")
    return isinstance(headers, dict) and any(map(_is_digest, headers.values()))


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and bool(_DIGEST.fullmatch(value))


def escape(value: str) -> str:
    r"""Return a value safe inside a signature: `\`, `|` and `:` are escaped by `\`."""
    return value.replace("\\", "\\\\").replace("|", "\\|").replace(":", "\\:")


def signature(parts: Mapping[str, str | int]) -> str:
    r"""Return the signature of a figure, `name:value|name:value`, in the order given.

    Grammar: `part ("|" part)*`, `part = name ":" value`; inside a value `\\`, `|` and `:` are
    escaped by a backslash. Equal set-ups give equal strings.
    """
    return "|".join(f"{name}:{escape(str(value))}" for name, value in parts.items())


def parts(text: str) -> dict[str, str]:
    r"""Return the parts of a signature by name, unescaped; the inverse of `signature`.

    Raises:
        ValueError: for a text that is no signature.
    """
    if not _SIGNATURE.fullmatch(text):
        raise ValueError(f"no signature: {text[:80]!r}")
    found = _PART.findall(text)
    named = {name: _ESCAPED.sub(r"\1", value) for name, value in found}
    if len(named) < len(found):
        raise ValueError(f"no signature, a part appears twice: {text[:80]!r}")
    return named
