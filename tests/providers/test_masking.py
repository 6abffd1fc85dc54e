"""A key that comes back is taken out, whole or cut."""

from __future__ import annotations

import pytest

from apieval.errors import TransientFailure
from apieval.providers.masking import Mask
from apieval.schema import Reply

KEY = "sk-finta-000111"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"chiave {KEY} ignota", "chiave *** ignota"),
        (f"{KEY}{KEY}", "******"),
        (f"chiave {KEY[:9]}…", "chiave ***…"),
        ("chiave sk-f…", "chiave sk-f…"),
        ("niente", "niente"),
    ],
)
def test_a_text_is_shown_without_the_key(text: str, shown: str) -> None:
    assert Mask(KEY).text(text) == shown
    assert str(Mask(KEY).failure(TransientFailure(text))) == shown


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
