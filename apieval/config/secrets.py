"""What a secret looks like: the names it goes by, and the forms that issuers give their keys.

Whoever checks a value of the configuration, or shows a request, asks here. A key without a form
of its own (32 letters and digits) is known in headers and queries, where nothing else looks so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final
from urllib.parse import parse_qsl

from apieval.patterns import regex

_TAIL: Final = r"(?=[-\w]*\d|[^\W_]{12})[-\w]{12,}"
"""What follows an issuer's beginning: a digit somewhere, or no joint for long, as in no words."""
FORMS: Final[Mapping[str, str]] = {
    # what the issuers' consoles and documentation show; AWS, GitHub, GitLab, Google, Slack,
    # Databricks, JWT and private keys also as in gitleaks' default rules (config/gitleaks.toml)
    rf"(?:sk|pk|rk)[-_]{_TAIL}": "OpenAI, Anthropic, DeepSeek, OpenRouter, litellm, Langfuse, Stripe",
    rf"(?:hf|api_org)_{_TAIL}": "Hugging Face",
    rf"gsk_{_TAIL}": "Groq",
    rf"xai-{_TAIL}": "xAI",
    r"AIza[-\w]{12,}": "Google",
    r"AQ\.[-\w]{20,}": "Google, keys bound to an account",
    r"ya29\.[-\w]{12,}": "Google, OAuth",
    rf"GOCSPX-{_TAIL}": "Google, client secrets",
    r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{12,}": "AWS",
    r"ABSK[A-Za-z0-9+/=]{20,}": "Bedrock, long-term",
    r"bedrock-api-key-[A-Za-z0-9+/=]{12,}": "Bedrock, short-term",
    rf"nvapi-{_TAIL}": "NVIDIA",
    r"github_pat_\w{12,}": "GitHub, fine-grained",
    rf"gh[pousr]_{_TAIL}": "GitHub",
    rf"gl(?:pat|dt|rt|soat)-{_TAIL}": "GitLab",
    rf"r8_{_TAIL}": "Replicate",
    rf"pplx-{_TAIL}": "Perplexity",
    rf"fw_{_TAIL}": "Fireworks",
    rf"tgp_v1_{_TAIL}": "Together",
    rf"csk-{_TAIL}": "Cerebras",
    rf"(?:jina|lsv2_pt|lsv2_sk)_{_TAIL}": "Jina, LangSmith",
    rf"(?:tvly|voyage|vck|pa)-{_TAIL}": "Tavily, Voyage, Vercel",
    rf"rpa_{_TAIL}": "RunPod",
    r"dapi[0-9a-f]{16,}": "Databricks",
    r"xox[abeoprs]-[-\w]{10,}": "Slack",
    r"eyJ[-\w]{8,}\.[-\w]{8,}(?:\.[-\w]*)?": "JSON Web Token",
    r"[a-z][a-z0-9]{1,9}[-_](?:[a-z0-9]{1,6}[-_])*(?=[A-Z0-9]*[a-z])(?=[a-z0-9]*[A-Z])"
    r"(?=(?:[A-Za-z]*\d+){2}[A-Za-z])[A-Za-z0-9]{20,}": "anybody: a beginning, and what is random",
    r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----": "a private key",
    r"(?i:bearer)[ :]+(?=\S*\d)\S{8,}": "a header's value",
    r"(?i:basic)[ :]+(?=\S*[\d=])[A-Za-z0-9+/]{8,}={0,2}": "a header's value: user and password",
}
"""How a key is written, and who issues such. Any of them is a secret wherever it stands."""
_SCHEME: Final = regex(r"\s*(?i:bearer)\s")
"""With it a text begins that is no prose: whatever follows is a credential."""
_OPAQUE: Final = regex(
    r"(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{32,}"
    r"|(?<![A-Za-z0-9])(?=\d*(?:[A-Za-z]+\d+){4})[A-Za-z0-9]{16,}"
)
"""Of 16 characters where digits and letters change as often as in no name, date or version."""
_MIXED: Final = regex(r"(?=[-\w]*[a-z])(?=[-\w]*[A-Z])(?=[-\w]*\d)[-\w]{32,}")
_PAIR: Final = regex(r"([-\w]+)[=:](?=.)")
_VERSION: Final = regex(r"v?\d+\w{0,8}")
_CONNECTION: Final = regex(r"(?i:(?:access|account|api)[-_]?key|secret|password|pwd)=[^\s;&]{4}")
_USER: Final = regex(r"\w+://[^/?#\s@]*:[^/?#\s@]*@")

_NAME_WORDS: Final = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SECRET_WORDS: Final = regex(
    r"auth(?:ori[sz]ation|entication)?|assertion|bearer|cookie|cred(?:ential)?s?|hmac|jwt|keys?|otp"
    r"|pass(?:code|phrase|wd|word)?|pat|pin|pwd?|secrets?|sig(?:nature)?|ticket|token"
)
_SECRET_PARTS: Final = regex(
    r"(?:api|access|account|app|auth|client|function|functions|license|master|private|secret|security"
    r"|service|shared|subscription|user)key|secret|passw(?:or)?d|passphrase|authori[sz]ation|credential"
    r"|cookie|token$|^auth|authtoken|(?:access|auth|bearer|client|id|refresh|security|session)token"
)
_INNOCENT: Final = regex(r"^x?auth(?:ors?)(?:of|s)?$|passthrough|tokeni[sz]er")
_QUERY_NAMES: Final = frozenset({"code", "sas", "session", "sid", "sig"})
"""Of Azure's functions, of signed addresses and of sessions."""
_FIELD: Final = regex(
    r"(?:api|access|private|secret|subscription|license)key|secret|passw(?:or)?d|passphrase"
    r"|authori[sz]ation|credential|cookie|(?:access|auth|bearer|refresh|session|security)token"
)

_LIKE_HEADERS: Final = frozenset({"auth", "authentication", "headers"})
"""Below these a field's name means what it does of a header."""


@cache
def _key() -> re.Pattern[str]:
    # compiled when the first value is held against it: `--help` never does
    return regex(rf"(?<![A-Za-z0-9])(?:{'|'.join(FORMS)})")


def names_a_secret(name: str) -> bool:
    """Say whether what goes by that name, a header's or a query field's, is a secret."""
    joined = re.sub(r"[^a-z]", "", name.lower())
    if _INNOCENT.search(joined):
        return False
    words = (word.lower() for word in _NAME_WORDS.findall(name))
    return any(map(_SECRET_WORDS.fullmatch, words)) or bool(_SECRET_PARTS.search(joined))


def names_a_secret_field(name: str) -> bool:
    """Say the same of a field of a request's body, where `token` and `key` are words of the trade."""
    return bool(_FIELD.search(re.sub(r"[^a-z]", "", name.lower())))


def holds_a_key(text: str) -> bool:
    """Say whether a key of a known form stands in a text, or a text begins as a header with one."""
    return bool(_key().search(text) or _SCHEME.match(text) or _USER.search(text))


def is_a_key(value: str) -> bool:
    """Say whether a header's or a query's value is a key, also one without a form of its own."""
    return holds_a_key(value) or bool(_OPAQUE.search(value) or _MIXED.search(value))


def query_is_secret(name: str, value: str) -> bool:
    """Say whether a field of an address's query carries a secret."""
    return names_a_secret(name) or name.lower() in _QUERY_NAMES or is_a_key(value)


def path_is_secret(path: str) -> bool:
    """Say whether a part of an address's path is a key, or named so; an account's number is none."""
    before = ""
    for segment in path.split("/"):
        if holds_a_key(segment) or _MIXED.search(segment):
            return True
        if any(names_a_secret(pair[1]) for pair in _PAIR.finditer(segment)):
            return True
        is_it = re.search(r"\d", segment) and not _VERSION.fullmatch(segment)
        if is_it and before.isalpha() and names_a_secret(before):
            return True
        before = segment
    return False


def field_is_secret(path: Sequence[str], text: str) -> bool:
    """Say whether a field of a request's body is a secret: `path` are the names that lead to it."""
    *above, name = path
    within = not _LIKE_HEADERS.isdisjoint(each.lower() for each in above)
    named = names_a_secret_field(name) or (within and bool(text) and names_a_secret(name))
    return named or holds_a_key(name) or holds_a_key(text) or _link_is_secret(text)


def _link_is_secret(text: str) -> bool:
    """Say whether a text is an address with a key in its query, or tells how to connect with one."""
    if _CONNECTION.search(text):
        return True
    _, query, fields = text.partition("?") if "://" in text else ("", "", "")
    return bool(query) and any(query_is_secret(*pair) for pair in parse_qsl(fields))
