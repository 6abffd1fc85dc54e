"""A key that comes back is taken out: whole or cut, and in whatever dress."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from urllib.parse import quote

import pytest

from apieval.errors import TransientFailure
from apieval.providers.masking import Mask
from apieval.schema import Reply

KEY = "sk-finta-000111"
ODD = "sk-fin/ta+0~0?=>111"


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
    "dressed",
    [
        quote(ODD, safe=""),
        quote(ODD, safe="").lower(),
        ODD.upper(),
        ODD.encode().hex(),
        json.dumps(ODD),
        json.dumps(ODD).replace("/", "\\/"),
        "".join(f"\\u{ord(each):04x}" for each in ODD),
        "".join(f"\\x{ord(each):02X}" for each in ODD),
        "".join(f"&#{ord(each)};" for each in ODD),
        "".join(f"&#x{ord(each):X};" for each in ODD),
        f"{ODD[:7]}\r\n\t{ODD[7:]}",
        "\u200b".join(ODD),
    ],
)
def test_a_key_is_known_in_another_dress(dressed: str) -> None:
    shown = Mask(ODD).text(f"chiave [{dressed}] ignota")
    assert shown.replace('"', "") == "chiave [***] ignota"


@pytest.mark.parametrize("before", ["", "u", "us", "utente:", ":", "Bearer "])
@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode])
def test_base64_of_a_key_is_known_wherever_in_it_the_key_begins(
    before: str, encode: Callable[[bytes], bytes]
) -> None:
    whole = encode(f"{before}{ODD}\n".encode()).decode()
    shown = Mask(ODD).text(f"<{whole}>")
    assert "***" in shown
    around = len(encode(before.encode())) + 4  # what the key shares with its neighbours
    assert len(shown.replace("***", "")) <= around + 2


def test_what_merely_begins_like_a_key_stays() -> None:
    assert Mask(KEY).text("sk-fine, sk-finto, finta-000111") == "sk-fine, sk-finto, finta-000111"


def test_without_a_key_nothing_changes() -> None:
    reply = Reply(text=KEY)
    assert Mask(None).text(KEY) == KEY
    assert Mask(None).reply(reply) is reply


def test_every_text_of_a_reply_is_masked() -> None:
    names = ("text", "reasoning", "finish_reason", "served_model", "system_fingerprint")
    masked = Mask(KEY).reply(Reply.model_validate(dict.fromkeys(names, f"x{KEY}y")))
    assert {getattr(masked, name) for name in names} == {"x***y"}
    plain = Reply(text="ciao")
    assert Mask(KEY).reply(plain) is plain


def test_an_answer_is_masked_in_every_encoding() -> None:
    said = f"{ODD} {quote(ODD, safe='')} {b64encode(ODD.encode()).decode()}"
    masked = Mask(ODD).reply(Reply(text=said)).text
    assert masked.startswith("*** *** ***")
    assert len(masked) <= len("*** *** ***") + 3  # the end of base64, which is shared


@pytest.mark.parametrize("placeholder", ["x", "1", "EMPTY", "none", "4 = an"])
def test_a_placeholder_for_a_key_changes_no_answer(placeholder: str) -> None:
    answer = Reply(text="11 = Accozzaglie EMPTY none x\n4 = anno")
    assert Mask(placeholder).reply(answer) is answer


def test_of_a_message_a_placeholder_is_taken_out_as_a_word() -> None:
    assert Mask("x").text("exceeded: key x") == "exceeded: key ***"
