"""A key that comes back is taken out, whole, cut or quoted; a request is shown without it."""

from __future__ import annotations

import json
from html import escape
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from apieval.errors import TransientFailure
from apieval.providers.base import Wire
from apieval.providers.masking import Mask, is_ordinary
from apieval.records import Reply

KEY = "sk-finta-000111"
ODD = 'sk-fin/ta+à"0~0?=>111'


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"chiave {KEY} ignota", "chiave *** ignota"),
        (f"{KEY}{KEY}", "******"),
        (f"chiave {KEY[:9]}…", "chiave ***…"),
        (f"chiave {KEY[:5]}…", "chiave ***…"),
        ("chiave sk-f…", "chiave sk-f…"),
        (f"{KEY[:6]} e poi {KEY}", f"{KEY[:6]} e poi ***"),
        (f"{KEY[:5]}{KEY}", f"{KEY[:5]}***"),
        (f"chiave {KEY[:-1]}, tagliata", "chiave ***, tagliata"),
        ("niente", "niente"),
    ],
)
def test_a_text_is_shown_without_the_key(text: str, shown: str) -> None:
    assert Mask(KEY).text(text) == shown
    assert str(Mask(KEY).failure(TransientFailure(text))) == shown


@pytest.mark.parametrize(
    "quoted",
    [
        quote(ODD, safe=""),
        quote(ODD, safe="").lower(),
        quote(ODD),
        json.dumps(ODD)[1:-1],
        json.dumps(ODD)[1:-1].replace("/", "\\/"),
        json.dumps(ODD, ensure_ascii=False)[1:-1],
        escape(ODD),
    ],
)
def test_a_key_is_known_as_addresses_json_and_html_quote_it(quoted: str) -> None:
    assert Mask(ODD).text(f"chiave [{quoted}] ignota") == "chiave [***] ignota"


def test_what_merely_begins_like_a_key_stays() -> None:
    assert Mask(KEY).text("sk-fine, sk-finto, finta-000111") == "sk-fine, sk-finto, finta-000111"


def test_without_a_key_nothing_changes() -> None:
    reply = Reply(text=KEY)
    assert Mask(None).text(KEY) == KEY
    assert Mask(None).reply(reply) is reply


@pytest.mark.parametrize("name", ["text", "reasoning"])
@pytest.mark.parametrize("said", [KEY, quote(ODD, safe=""), escape(ODD)])
def test_an_answer_stays_as_it_came_and_says_that_it_holds_the_key(name: str, said: str) -> None:
    came = Reply.model_validate({"text": "", name: f"ecco {said}."})
    found = Mask(KEY, ODD).reply(came)
    assert found == came.model_copy(update={"holds_key": True})


def test_names_that_are_printed_everywhere_do_not_hold_the_key() -> None:
    names = ("finish_reason", "served_model", "system_fingerprint")
    came = Reply.model_validate({"text": "ciao", **dict.fromkeys(names, f"x{KEY}y")})
    found = Mask(KEY).reply(came)
    assert {getattr(found, name) for name in names} == {"x***y"}
    assert (found.text, found.holds_key) == ("ciao", True)


ORDINARY = [
    *("x", "1", "no", "8", "1024", "EMPTY", "none", "dummy", "Soluzione", "lettura", "VERO"),
    *("not-needed", "lm-studio", "no-key", "my_key", "OpenAI", "NotNeeded", "precipitevole"),
]


@pytest.mark.parametrize("word", ORDINARY)
def test_a_word_that_stands_for_a_key_changes_no_answer_and_no_message(word: str) -> None:
    said = f"Prima lettura: {word}\n8 = {word}\nSoluzione: {word} {word}"
    answer = Reply(text=said, served_model=word)
    assert Mask(word).reply(answer) is answer
    assert Mask(word).text(said) == said


@pytest.mark.parametrize(
    "secret",
    [
        *("hunter2!", "sk-1234567", "0123456789", "kXqWzRtYpLmN", "sk-no-key-required-here"),
        *("token-abc123", "Xk3_p9!", "correct-horse-battery-staple", "abcdefghijklmnopqrst"),
    ],
)
def test_what_is_no_word_is_a_secret(secret: str) -> None:
    assert Mask(secret).text(f"chiave {secret} ignota") == "chiave *** ignota"


@pytest.mark.parametrize("half", ["token-", "token-a", "sk-no-key"])
def test_half_of_a_key_that_may_be_a_word_stays(half: str) -> None:
    assert Mask("token-abc123xyzw", "sk-no-key-required-here").text(f"{half} x") == f"{half} x"


@given(st.text(alphabet=st.characters(codec="ascii", categories=["L"]), min_size=1, max_size=12))
def test_of_a_key_that_is_a_word_no_text_is_touched(word: str) -> None:
    assume(is_ordinary(word))
    assert Mask(word).text(f"a {word}. {word}") == f"a {word}. {word}"


def test_a_document_is_masked_at_any_depth() -> None:
    found = Mask(KEY).value({"a": [{"b": f"x{KEY}"}, 1, None, (KEY,)], KEY: True})
    assert found == {"a": [{"b": "x***"}, 1, None, ["***"]], "***": True}


# --- a request, for people to see ------------------------------------------------------------


def shown(**more: Any) -> Wire:  # noqa: ANN401 # what httpx takes
    sent = httpx.Request("POST", **{"url": "http://127.0.0.1/v1", **more})
    return Mask(KEY).wire(sent, {}, ())


@pytest.mark.parametrize(
    ("name", "value", "masked"),
    [
        ("authorization", f"Bearer {KEY}", "Bearer ***"),
        ("authorization", "AWS4-HMAC-SHA256 Signature=abc", "***"),
        ("proxy-authorization", "basic dXNlcjpwYXNz", "basic ***"),
        ("x-auth", "correct horse battery staple", "***"),
        ("cookie", "session abc", "***"),
        ("x-goog-api-key", KEY, "***"),
        ("x-amz-security-token", "made-on-the-way", "***"),
        ("x-lab", f"a {KEY} b", "a *** b"),
        ("anthropic-version", "2023-06-01", "2023-06-01"),
    ],
)
def test_a_header_that_carries_a_secret_shows_none(name: str, value: str, masked: str) -> None:
    assert shown(headers={name: value}).headers[name] == masked


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        (f"http://h/v1?key={KEY}&alt=json", "http://h/v1?key=***&alt=json"),
        ("http://h/v1?access_token=other", "http://h/v1?access_token=***"),
        (f"http://h/v1/{KEY}?q={KEY}&e=", "http://h/v1/***?q=***&e="),
    ],
)
def test_an_address_shows_no_secret(url: str, masked: str) -> None:
    assert shown(url=url).url == masked


def test_a_body_is_masked_whatever_it_is() -> None:
    body = {"a": [{"b": f"x{KEY}"}, 1, None], KEY: True}
    assert shown(json=body).body == {"a": [{"b": "x***"}, 1, None], "***": True}
    assert shown(content=f"{{{KEY} \xe9".encode("latin-1")).body == "{*** \ufffd"
