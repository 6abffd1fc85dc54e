from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.rebus import prompts
from apieval.schema import SETTINGS, Message, Rebus, Request, Setting
from tests.records import ANSWER, SHARED, rebus

HASHES: dict[Setting, str] = {
    "regular": "74b5bd3431691a6e03a1a5599edb230c4fa5baf1800637b9eaa8f0892e372306",
    "hints": "cc87d31f842bfbcab1950d88e5d7c02f264e001095fc12edd3aa7ea21e20fbe6",
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_templates_are_the_challenges_own(setting: Setting) -> None:
    text = prompts.template(setting)
    assert hashlib.sha256(text.encode()).hexdigest() == HASHES[setting]
    assert prompts.template_hash(setting) == f"sha256:{HASHES[setting]}"
    assert text.endswith("\n")


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.skipif(
    not (SHARED / "prompts").is_dir(), reason="no shared prompts beside the checkout"
)
def test_the_templates_are_the_shared_ones_byte_for_byte(setting: Setting) -> None:
    shared = (SHARED / "prompts" / f"{setting}.txt").read_bytes()
    assert prompts.template(setting).encode() == shared


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_prompt_is_the_template_with_two_fields_filled(setting: Setting) -> None:
    row = rebus()
    shown = row.verbalized_rebus_with_length_hints if setting == "hints" else row.verbalized_rebus
    text = prompts.template(setting).replace("{verbalized_rebus}", shown)
    assert prompts.build(row, setting) == text.replace("{solution_key}", row.solution_key)
    assert prompts.build(row, setting).endswith("\n")


clue = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    ["{", "}", "{}", "{0}", "{solution_key}", "{verbalized_rebus}", "{{x}}", "{0.__class__}", "%s"]
)


@given(clue=clue, key=clue)
def test_whatever_stands_in_a_clue_stands_in_the_prompt_as_it_is(clue: str, key: str) -> None:
    row = rebus(verbalized_rebus=f"A [{clue}] B", solution_key=key)
    before, _, rest = prompts.template("regular").partition("{verbalized_rebus}")
    between, _, after = rest.partition("{solution_key}")
    assert prompts.build(row, "regular") == f"{before}A [{clue}] B{between}{key}{after}"
    for setting in SETTINGS:
        assert prompts.length(row, setting) == len(prompts.build(row, setting))


def test_no_gold_field_reaches_the_prompt() -> None:
    gold = ("word_guesses", "first_pass", "solution_words", "solution")
    changes: dict[str, Any] = dict.fromkeys(gold, "SEGRETO")
    row = rebus(**{**changes, "word_guesses": ["SEGRETO"], "solution_words": ["SEGRETO"]})
    assert all("SEGRETO" not in prompts.build(row, setting) for setting in SETTINGS)


def test_a_request_is_one_user_message() -> None:
    request = next(prompts.requests([rebus(id="r1")], ["hints"]))
    assert request.messages == (Message(role="user", content=prompts.build(rebus(), "hints")),)
    assert (request.id, request.setting, request.sample) == ("r1", "hints", 0)
    assert request.key == "sha256:" + hashlib.sha256(request.identity.encode()).hexdigest()


def test_a_system_prompt_goes_before_and_makes_another_question() -> None:
    rows = [rebus()]
    plain, told, other = (
        next(prompts.requests(rows, ["regular"], 1, BASE, (), system))
        for system in (None, "Sii breve.", "Sii lungo.")
    )
    assert told.messages == (Message(role="system", content="Sii breve."), *plain.messages)
    assert len({plain.key, told.key, other.key}) == 3


@pytest.mark.parametrize("setting", SETTINGS)
def test_lengths_are_the_prompts_and_about_the_answers(setting: Setting) -> None:
    prompt, answer = prompts.lengths(rebus(), setting)
    assert prompt == len(prompts.build(rebus(), setting))
    assert answer == pytest.approx(len(ANSWER), rel=0.3)


def test_requests_come_by_setting_rebus_and_sample() -> None:
    rows = [rebus(id=number) for number in range(2)]
    made = [(r.setting, r.id, r.sample) for r in prompts.requests(rows, SETTINGS, 2)]
    assert made == [(s, i, k) for s in ("regular", "hints") for i in (0, 1) for k in (0, 1)]
    assert list(prompts.requests(rows, [])) == []
    assert list(prompts.requests([], SETTINGS)) == []


def test_requests_are_made_one_at_a_time() -> None:
    taken: list[int] = []

    def rows() -> Iterator[Rebus]:
        for number in range(1_000_000):
            taken.append(number)
            yield rebus(id=number)

    source = prompts.requests(rows(), ["regular"])
    assert taken == []
    assert [next(source).id for _ in range(3)] == taken == [0, 1, 2]


def only(row: Rebus, setting: Setting = "regular", sample: int = 0, **identity: object) -> Request:
    return list(prompts.requests([row], [setting], sample + 1, identity))[sample]


BASE: dict[str, Any] = {
    "model": "m",
    "body": {"temperature": 0.0, "seed": 1},
    "endpoint": ["http://a/v1"],
}


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(only(rebus(verbalized_rebus="VE [Santa] NA [Sposta]"), **BASE), id="clue"),
        pytest.param(only(rebus(solution_key="6 9"), **BASE), id="key"),
        pytest.param(only(rebus(), "hints", **BASE), id="setting"),
        pytest.param(only(rebus(), sample=1, **BASE), id="sample"),
        pytest.param(only(rebus(), **{**BASE, "model": "n"}), id="model"),
        pytest.param(only(rebus(), **{**BASE, "endpoint": ["http://b/v1"]}), id="address"),
        pytest.param(only(rebus(), **{**BASE, "body": {"temperature": 0.0}}), id="no seed"),
        pytest.param(
            only(rebus(), **{**BASE, "body": {"temperature": 0.0, "seed": "1"}}), id="seed as text"
        ),
        pytest.param(
            only(rebus(), **{**BASE, "body": {"temperature": 0.1, "seed": 1}}), id="temperature"
        ),
    ],
)
def test_the_key_changes_with_what_can_change_the_answer(other: Request) -> None:
    assert other.key != only(rebus(), **BASE).key


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(only(rebus(id="other"), **BASE), id="row number"),
        pytest.param(only(rebus(subset="new"), **BASE), id="subset"),
        pytest.param(only(rebus(solution="Altro", first_pass="A B"), **BASE), id="gold fields"),
        pytest.param(
            only(rebus(verbalized_rebus_with_length_hints="A [b (1)]"), **BASE), id="hints, unasked"
        ),
        pytest.param(only(rebus(), **dict(reversed(BASE.items()))), id="order of the parts"),
        pytest.param(
            only(rebus(), **{**BASE, "body": {"seed": 1, "temperature": 0.0}}), id="of parameters"
        ),
    ],
)
def test_the_key_changes_with_nothing_else(other: Request) -> None:
    assert other.key == only(rebus(), **BASE).key


def test_equal_rows_share_their_answers_and_samples_do_not() -> None:
    made = list(prompts.requests([rebus(id=0), rebus(id=1)], SETTINGS, 3))
    assert len({request.key for request in made}) == 2 * 3


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_template_has_two_fields_and_no_other_brace(setting: Setting) -> None:
    text = prompts.template(setting)
    assert text.count("{") == text.count("}") == 2
