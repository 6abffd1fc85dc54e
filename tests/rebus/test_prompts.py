from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.errors import ConfigError
from apieval.rebus import conversation, prompts
from apieval.rebus.conversation import Conversation
from apieval.records import SETTINGS, Message, Rebus, Request, Setting
from tests.records import ANSWER, ROW, SHARED, rebus, write_csv

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
        assert prompts.official().length(row, setting) == len(prompts.build(row, setting))


def test_no_gold_field_reaches_the_prompt() -> None:
    gold = ("word_guesses", "first_pass", "solution_words", "solution")
    changes: dict[str, Any] = dict.fromkeys(gold, "SEGRETO")
    row = rebus(**{**changes, "word_guesses": ["SEGRETO"], "solution_words": ["SEGRETO"]})
    assert all("SEGRETO" not in prompts.build(row, setting) for setting in SETTINGS)


def test_a_request_is_one_user_message() -> None:
    request = next(conversation.requests([rebus(id="r1")], ["hints"]))
    assert request.messages == (Message(role="user", content=prompts.build(rebus(), "hints")),)
    assert (request.id, request.setting, request.sample) == ("r1", "hints", 0)
    assert request.key == "sha256:" + hashlib.sha256(request.identity.encode()).hexdigest()


def test_a_system_prompt_goes_before_and_makes_another_question() -> None:
    rows = [rebus()]
    plain, told, other = (
        next(conversation.requests(rows, ["regular"], 1, BASE, (), Conversation(system=system)))
        for system in (None, "Sii breve.", "Sii lungo.")
    )
    assert told.messages == (Message(role="system", content="Sii breve."), *plain.messages)
    assert len({plain.key, told.key, other.key}) == 3


@pytest.mark.parametrize("setting", SETTINGS)
def test_lengths_are_the_prompts_and_about_the_answers(setting: Setting) -> None:
    prompt, answer = conversation.lengths(rebus(), setting, prompts.official())
    assert prompt == len(prompts.build(rebus(), setting))
    assert answer == pytest.approx(len(ANSWER), rel=0.3)


def test_requests_come_by_setting_rebus_and_sample() -> None:
    rows = [rebus(id=number) for number in range(2)]
    made = [(r.setting, r.id, r.sample) for r in conversation.requests(rows, SETTINGS, 2)]
    assert made == [(s, i, k) for s in ("regular", "hints") for i in (0, 1) for k in (0, 1)]
    assert list(conversation.requests(rows, [])) == []
    assert list(conversation.requests([], SETTINGS)) == []


def test_requests_are_made_one_at_a_time() -> None:
    taken: list[int] = []

    def rows() -> Iterator[Rebus]:
        for number in range(1_000_000):
            taken.append(number)
            yield rebus(id=number)

    source = conversation.requests(rows(), ["regular"])
    assert taken == []
    assert [next(source).id for _ in range(3)] == taken == [0, 1, 2]


def only(row: Rebus, setting: Setting = "regular", sample: int = 0, **identity: object) -> Request:
    return list(conversation.requests([row], [setting], sample + 1, identity))[sample]


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
    made = list(conversation.requests([rebus(id=0), rebus(id=1)], SETTINGS, 3))
    assert len({request.key for request in made}) == 2 * 3


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_template_has_two_fields_and_no_other_brace(setting: Setting) -> None:
    text = prompts.template(setting)
    assert text.count("{") == text.count("}") == 2


# --- variants --------------------------------------------------------------------------------


@pytest.mark.parametrize("setting", SETTINGS)
def test_two_shots_are_the_challenges_prompt_itself(setting: Setting) -> None:
    assert prompts.choose(shots=2) is prompts.official() is prompts.choose()
    assert prompts.official().hash(setting) == prompts.template_hash(setting)
    assert prompts.official().name == "official"


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("shots", [0, 1, 3, 4, 5])
def test_other_numbers_of_examples_change_them_alone(shots: int, setting: Setting) -> None:
    prompt = prompts.choose(shots=shots)
    row = rebus(verbalized_rebus="{x} [y]", verbalized_rebus_with_length_hints="{x} [y (1)]")
    text, own = prompt.build(row, setting), prompts.build(row, setting)
    assert text.count("# Esempio") == shots
    assert text.split("\n")[0] == own.split("\n")[0]
    assert text.endswith(own[own.index("Rebus: {x}") :])
    assert len(text) == prompt.length(row, setting)
    assert prompt.hash(setting) != prompts.template_hash(setting)
    assert not prompts.is_official({setting: prompt.hash(setting)})
    assert (prompt.name, "esempi precedenti" in text) == (f"{shots}-shot", shots > 0)


def test_braces_in_an_example_are_text() -> None:
    prompt = prompts.Shots("mio", (rebus(verbalized_rebus="A [{solution_key}] {0}"),))
    text = prompt.build(rebus(), "regular")
    assert "Rebus: A [{solution_key}] {0}\n" in text
    assert len(text) == prompt.length(rebus(), "regular")


@pytest.mark.parametrize("shots", [-1, 6])
def test_more_examples_than_there_are_are_refused(shots: int) -> None:
    with pytest.raises(ConfigError, match=f"--shots {shots}: give a number from 0 to 5, or a data"):
        prompts.choose(shots=shots)


def test_examples_of_ones_own(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "miei.csv", [ROW])
    prompt = prompts.choose(shots=path)
    assert "# Esempio 1:\nRebus: VE [Santa di Cascia] NA" in prompt.build(rebus(), "regular")
    assert "# Esempio 2:" not in prompt.build(rebus(), "regular")
    assert prompt.name == "miei"
    (tmp_path / "t.j2").write_text("{{ examples[0].solution }}: {{ verbalized_rebus }}")
    both = prompts.choose(tmp_path / "t.j2", path)
    assert both.name == "t-miei"
    assert both.build(rebus(), "hints").startswith("Verità nascosta: VE [Santa")


@pytest.mark.parametrize("shots", [0, 2, 5])
def test_a_prompt_is_kept_and_made_again(shots: int) -> None:
    prompt = prompts.choose(shots=shots)
    again = prompts.restore(json.loads(json.dumps(prompt.as_json())))
    assert again == prompt
    assert again.hash("hints") == prompt.hash("hints")


def test_a_set_is_a_prompt_for_each_template_of_a_folder(tmp_path: Path) -> None:
    for name in ("b.j2", "a.txt", ".c.swp"):
        (tmp_path / name).write_text(f"{name}: {{{{ verbalized_rebus }}}}")
    (tmp_path / "dentro").mkdir()
    assert [each.name for each in prompts.choose_all(tmp_path)] == ["a", "b"]
    assert [each.name for each in prompts.choose_all(tmp_path, 0)] == ["a-0-shot", "b-0-shot"]
    (tmp_path / "a.j2").write_text("{{ verbalized_rebus }}")
    with pytest.raises(ConfigError, match="two templates are called a; rename one"):
        prompts.choose_all(tmp_path)


def test_a_set_without_templates_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no template in it"):
        prompts.choose_all(tmp_path)
    with pytest.raises(ConfigError, match="no: No such file"):
        prompts.choose_all(tmp_path / "no")
