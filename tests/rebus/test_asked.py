from __future__ import annotations

import pytest

from apieval.rebus import describe, examples, prompts
from apieval.rebus.describe import Asked, Tokens
from apieval.records import SETTINGS, Setting
from tests.records import Json, rebus


@pytest.mark.parametrize("setting", SETTINGS)
def test_characters_are_those_of_the_prompt(setting: Setting) -> None:
    prompts_of = Asked()
    prompts_of.add(rebus(), setting, None)
    found = prompts_of.as_json()
    assert found["characters"]["mean"] == len(prompts.build(rebus(), setting))
    assert found["tokens"] is None


def test_rows_without_room_are_counted_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(describe, "IDS_SHOWN", 2)
    prompts_of = Asked()
    for number, together in enumerate((1024, 1025, 100, 2000, 3000)):
        prompts_of.add(rebus(id=f"r{number}"), "regular", Tokens(together - 20, 20))
    found: Json = prompts_of.as_json()["tokens"]
    assert (found["room"], found["rows_without_room"], found["ids"]) == (1024, 3, ["r1", "r3"])
    assert (found["prompt"]["max"], found["right_answer"]["max"]) == (2980, 20)
    assert found["together"]["mean"] == (1024 + 1025 + 100 + 2000 + 3000) / 5


def test_tokens_are_those_of_prompts_and_of_the_right_answer() -> None:
    [(row, tokens)] = describe.counted([rebus()], len)
    assert row == rebus()
    assert tokens == {
        setting: (len(prompts.build(row, setting)), len(examples.write(row)))
        for setting in SETTINGS
    }


def test_nothing_is_counted_without_a_counter_or_a_rebus() -> None:
    assert list(describe.counted([rebus()], None)) == [(rebus(), {})]
    nothing = rebus(verbalized_rebus="")
    assert list(describe.counted([nothing], len)) == [(nothing, {})]
