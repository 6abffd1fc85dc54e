"""What a chat completion says, in every form a server may give it; no connection is opened."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apieval.config.models import Price
from apieval.errors import AttemptFailed, ContentRefused, TransientFailure
from apieval.providers.completions import reply_of
from apieval.providers.replies import Whole, read_reply
from apieval.records import Outcome, Reply, Usage
from apieval.run.cost import cost_usd
from apieval.run.retry import judge

URL = "http://127.0.0.1:8000/v1/chat/completions"
TEXT = "Soluzione: Verità nascosta"


def of_message(**message: object) -> Reply:
    return reply_of({"choices": [{"message": message}]})


def of_usage(**usage: object) -> Usage:
    return reply_of({"choices": [{"text": TEXT}], "usage": usage}).usage


# --- thoughts inside the text ----------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(f"<think>\npenso\n</think>\n\n{TEXT}", id="a thought and an answer"),
        pytest.param(f"penso</think>{TEXT}", id="the template opened it"),
        pytest.param("<think>penso", id="never closed"),
        pytest.param(f"{TEXT}\n</think>", id="a stray closing tag"),
        pytest.param(f"<|channel|>analysis<|message|>penso<|end|>{TEXT}", id="a channel"),
        pytest.param(" \n qui \n", id="blanks"),
    ],
)
def test_the_text_is_kept_as_it_came_thoughts_and_all(content: str) -> None:
    for reply in (of_message(content=content), reply_of({"choices": [{"text": content}]})):
        assert (reply.text, reply.reasoning) == (content, None)
        assert judge(reply) is Outcome.OK


def test_thoughts_in_a_field_of_their_own_stay_apart() -> None:
    content = f"<think>due</think>{TEXT}"
    reply = of_message(content=content, reasoning_content="uno")
    assert (reply.text, reply.reasoning) == (content, "uno")
    assert judge(of_message(content="\n", reasoning_content="uno")) is Outcome.EMPTY


def all_words(text: str) -> list[str]:
    return re.findall(r"w\d+", text)


words = st.integers(0, 999).map(lambda number: f"w{number}")


@given(st.lists(st.tuples(st.sampled_from(["text", "thinking"]), st.lists(words))))
def test_parts_hold_all_that_came(parts: list[tuple[str, list[str]]]) -> None:
    content = [
        {"type": kind, kind: [{"type": "text", "text": f" {word}"} for word in said]}
        for kind, said in parts
    ]
    reply = of_message(content=content)
    for kind, found in (("text", reply.text), ("thinking", reply.reasoning or "")):
        came = [word for each, said in parts if each == kind for word in said]
        assert all_words(found) == came


# --- content in parts ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "text", "reasoning"),
    [
        ([{"type": "thinking", "thinking": "penso"}, {"text": TEXT}], TEXT, "penso"),
        ([{"thinking": [{"type": "text", "text": "pen"}, {"text": "so"}]}], "", "penso"),  # Mistral
        ([{"text": f"<think>penso</think>{TEXT}"}], f"<think>penso</think>{TEXT}", None),
        ([{"text": "<think>pen"}, {"text": "so</think>"}], "<think>penso</think>", None),
        ([{"thinking": "uno"}, {"text": f"due</think>{TEXT}"}], f"due</think>{TEXT}", "uno"),
        ([{"type": "reasoning", "text": "penso"}, {"type": "text", "text": TEXT}], TEXT, "penso"),
        ([{"type": "reasoning", "reasoning": "penso"}, {"text": TEXT}], TEXT, "penso"),
        (
            [{"type": "reasoning_text", "text": "pen"}, {"type": "thinking", "text": "so"}],
            "",
            "penso",
        ),
        (
            [
                {"type": "reasoning", "summary": [{"type": "summary_text", "text": "penso"}]},
                {"type": "output_text", "text": TEXT},
            ],
            TEXT,
            "penso",
        ),
        ([{"type": "redacted_thinking", "data": "x"}, {"text": TEXT}], TEXT, None),
        ([{"text": "penso", "thought": True}, {"text": TEXT}], TEXT, "penso"),
        ([{"text": [{"text": [{"text": "in fondo"}]}]}], "in fondo", None),
        ([{"text": ["nudo", 5, None]}, {"text": {"a": 1}}, None, 5], "nudo", None),
        (["Solu", "zione"], "Soluzione", None),
        (
            [{"type": "image_url"}, "nudo ", {"type": "text", "text": "x"}, {"text": 5}],
            *("nudo x", None),
        ),
        ([], "", None),
        (None, "", None),
        ("mezza \ud83d emoji", "mezza � emoji", None),
        ("\ud83e\udde9 intera", "\U0001f9e9 intera", None),
        ("a\x00b\u2028c", "a\x00b\u2028c", None),
        ([[{"type": "text", "text": TEXT}]], TEXT, None),
        ([{"type": "text", "text": {"value": TEXT, "annotations": []}}], TEXT, None),
        ({"type": "text", "text": TEXT}, TEXT, None),
        ({"parts": [{"text": "Solu"}, {"text": "zione"}]}, "Soluzione", None),
        ([{"thinking": [{"text": None}]}, {"thinking": "mezza \ud83d"}], "", "mezza �"),
    ],
)
def test_parts_in_every_form(content: object, text: str, reasoning: str | None) -> None:
    reply = of_message(content=content)
    assert (reply.text, reply.reasoning) == (text, reasoning)
    reply.model_dump_json()  # it can be written down


@pytest.mark.parametrize(
    ("fields", "reasoning"),
    [
        ({"reasoning_content": "penso"}, "penso"),
        ({"reasoning": "penso"}, "penso"),
        ({"reasoning_content": None, "reasoning": "penso"}, "penso"),
        ({"reasoning": [{"text": "pen"}, {"text": "so"}]}, "penso"),
        ({"reasoning": "mezza \ud83d"}, "mezza �"),
        ({"reasoning": {"steps": 3}}, None),
        ({"reasoning": 5}, None),
        ({}, None),
    ],
)
def test_reasoning_in_every_form_and_none_costs_the_answer(
    fields: dict[str, Any], reasoning: str | None
) -> None:
    reply = of_message(content=TEXT, **fields)
    assert (reply.text, reply.reasoning) == (TEXT, reasoning)


@pytest.mark.parametrize("content", [{}, {"content": None}])
def test_all_tokens_spent_on_reasoning(content: dict[str, None]) -> None:
    message = {"role": "assistant", "reasoning_content": "Rita, quindi VE Rita…", **content}
    choices = [{"message": message, "finish_reason": "length"}]
    reply = reply_of({"choices": choices, "usage": {"completion_tokens": 512}})
    assert (reply.text, reply.reasoning) == ("", "Rita, quindi VE Rita…")
    assert judge(reply) is Outcome.TRUNCATED
    assert reply.usage == Usage(completion_tokens=512)


@pytest.mark.parametrize(
    "value",
    [
        *({"choices": None}, {"choices": {"0": 1}}, {"choices": [None]}, None, 5, []),
        *({"choices": [{"index": 0}]}, {"choices": [{"message": None}]}),
        *({"choices": [{"message": "ciao"}]}, {"choices": [{"message": {"content": 5}}]}),
    ],
)
def test_what_holds_no_answer_is_malformed(value: object) -> None:
    with pytest.raises(TransientFailure, match="malformed") as caught:
        read_reply(Whole(200, {}, json.dumps(value).encode()), URL)
    assert not caught.value.billed
    paid = json.dumps({"choices": [], "usage": {"prompt_tokens": 5}}).encode()
    with pytest.raises(TransientFailure, match="malformed") as caught:
        read_reply(Whole(200, {}, paid), URL)
    assert caught.value.billed


def test_parts_in_parts_without_end_cost_no_answer() -> None:
    inner = '[{"text": ' * 300 + '"x"' + "}]" * 300
    body = f'{{"choices": [{{"message": {{"content": {inner}, "reasoning": {inner}}}}}]}}'
    assert read_reply(Whole(200, {}, body.encode()), URL).text == ""


# --- refusals --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "text", "outcome"),
    [
        ({"content": None, "refusal": "Non posso"}, "Non posso", Outcome.REFUSED),
        ({"content": "", "refusal": {"why": 5}}, "", Outcome.REFUSED),
        ({"content": TEXT, "refusal": "Non posso"}, TEXT, Outcome.OK),
        ({"content": TEXT, "refusal": None}, TEXT, Outcome.OK),
        ({"content": [{"type": "refusal", "refusal": "Non posso"}]}, "Non posso", Outcome.REFUSED),
        ({"content": [{"text": TEXT}], "refusal": "Non posso"}, TEXT, Outcome.OK),
    ],
)
def test_the_words_of_a_refusal_are_kept(
    message: dict[str, Any], text: str, outcome: Outcome
) -> None:
    reply = of_message(**message)
    assert (reply.text, judge(reply)) == (text, outcome)


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        ({"output_sensitive": True, "output_sensitive_type": 2}, Outcome.REFUSED),
        ({"input_sensitive": True}, Outcome.REFUSED),
        ({"input_sensitive": False, "output_sensitive": False}, Outcome.EMPTY),
    ],
    ids=str,
)
def test_minimax_says_beside_the_choices_that_it_emptied_them(
    value: dict[str, Any], outcome: Outcome
) -> None:
    choices = [{"message": {"content": ""}, "finish_reason": "stop"}]
    assert judge(reply_of({"choices": choices, **value})) is outcome


def filtered(**found: object) -> dict[str, Any]:
    return {"prompt_filter_results": [{"content_filter_results": found}]}


@pytest.mark.parametrize(
    ("beside", "kind", "category"),
    [
        (filtered(sexual={"filtered": True, "severity": "high"}), ContentRefused, "sexual"),
        ({"promptFeedback": {"blockReason": "SAFETY"}, "usage": {"x": 7}}, ContentRefused, None),
        (filtered(hate={"filtered": False, "severity": "safe"}), TransientFailure, None),
    ],
    ids=["Azure", "Google", "no filter"],
)
def test_a_question_that_was_filtered_has_no_choice(
    beside: dict[str, Any], kind: type[AttemptFailed], category: str | None
) -> None:
    with pytest.raises(AttemptFailed) as caught:
        read_reply(Whole(200, {}, json.dumps({"choices": [], **beside}).encode()), URL)
    assert type(caught.value) is kind
    assert getattr(caught.value, "category", None) == category


_NATIVE: Final = {
    "Anthropic": {"content": [{"type": "text", "text": TEXT}], "stop_reason": "end_turn"},
    "Google": {"candidates": [{"content": {"parts": [{"text": TEXT}]}, "finishReason": "STOP"}]},
    "Ollama": {"message": {"content": TEXT}, "done": True, "done_reason": "stop"},
    "OpenAI's Responses": {
        "object": "response",
        "status": "completed",
        "output": [
            {"type": "reasoning", "summary": []},
            {"type": "message", "content": [{"type": "output_text", "text": TEXT}]},
        ],
    },
}


@pytest.mark.parametrize("value", _NATIVE.values(), ids=_NATIVE)
def test_a_providers_own_form_over_openais_wire_is_an_answer(value: object) -> None:
    reply = read_reply(Whole(200, {}, json.dumps(value).encode()), URL)
    assert (reply.text, judge(reply)) == (TEXT, Outcome.OK)


# --- tokens ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("usage", "completion", "reasoning"),
    [
        pytest.param((10, 50, 60, 40), 50, 40, id="inside, as OpenAI counts"),
        pytest.param((10, 5, 55, 40), 45, 40, id="outside, as xAI counts"),
        pytest.param((10, 5, 55, None), 45, None, id="in the total alone, as Google counts"),
        pytest.param((10, 5, 15, None), 5, None, id="none"),
        pytest.param((10, 5, 15, 0), 5, 0, id="none, and said so"),
        pytest.param((10, 50, 99, 40), 50, 40, id="a total of something else"),
        pytest.param((10, 50, 55, 40), 50, 40, id="a total too small"),
        pytest.param((10, 5, None, 40), 5, 40, id="no total"),
        pytest.param((None, 5, 55, 40), 5, 40, id="no prompt"),
        pytest.param((10, None, 55, 40), None, 40, id="no completion"),
    ],
)
def test_what_was_thought_is_a_part_of_the_completion(
    usage: tuple[int | None, ...], completion: int | None, reasoning: int | None
) -> None:
    names = ("prompt_tokens", "completion_tokens", "total_tokens")
    details = {"completion_tokens_details": {"reasoning_tokens": usage[3]}}
    found = of_usage(**dict(zip(names, usage, strict=False)), **details)
    assert (found.completion_tokens, found.reasoning_tokens) == (completion, reasoning)
    assert (found.prompt_tokens, found.total_tokens) == (usage[0], usage[2])


@pytest.mark.parametrize(
    ("usage", "known"),
    [
        (None, Usage()),
        ([], Usage()),
        ("508", Usage()),
        (
            {
                "prompt_tokens": 412,
                "completion_tokens": None,
                "total_tokens": 412,
                "completion_tokens_details": {"reasoning_tokens": None},
                "prompt_tokens_details": None,
            },
            Usage(prompt_tokens=412, total_tokens=412),
        ),
        ({"prompt_tokens": "412", "completion_tokens": -1, "total_tokens": True}, Usage()),
        ({"prompt_tokens": 1.5, "completion_tokens": float("nan")}, Usage()),
        ({"prompt_tokens": 10**400, "completion_tokens": 10**9, "total_tokens": 0}, Usage()),
        ({"prompt_tokens_details": 5, "completion_tokens_details": []}, Usage()),
    ],
)
def test_usage_that_is_not_known_is_not_zero_and_costs_no_answer(
    usage: object, known: Usage
) -> None:
    choice = {"message": {"content": TEXT}, "finish_reason": None}
    odd = {"model": 5, "system_fingerprint": ["x"]}
    assert reply_of({"choices": [choice], "usage": usage, **odd}) == Reply(text=TEXT, usage=known)


def test_reasoning_costs_the_same_inside_and_outside() -> None:
    price = Price(input=1.0, output=10.0)
    details = {"completion_tokens_details": {"reasoning_tokens": 40}}
    inside = of_usage(prompt_tokens=10, completion_tokens=45, total_tokens=55, **details)
    outside = of_usage(prompt_tokens=10, completion_tokens=5, total_tokens=55, **details)
    assert cost_usd(inside, price) == cost_usd(outside, price) == (10 + 450) / 1e6


def test_cached_tokens_that_the_prompt_leaves_out_are_no_thoughts() -> None:
    found = of_usage(prompt_tokens=10, completion_tokens=5, total_tokens=55, cached_tokens=40)
    assert (found.completion_tokens, found.cached_tokens) == (5, 40)


@pytest.mark.parametrize(
    ("usage", "cached", "reasoning"),
    [
        ({"prompt_tokens_details": {"cached_tokens": 7}}, 7, None),
        ({"prompt_tokens_details": {"cached_tokens": 0}, "prompt_cache_hit_tokens": 7}, 0, None),
        ({"prompt_tokens_details": {"cached_tokens": None}, "prompt_cache_hit_tokens": 7}, 7, None),
        ({"prompt_cache_hit_tokens": 7, "prompt_cache_miss_tokens": 5}, 7, None),
        ({"cached_tokens": 7}, 7, None),
        ({"cached_tokens": "7", "prompt_cache_hit_tokens": -1}, None, None),
        ({"completion_tokens_details": {"reasoning_tokens": 7}}, None, 7),
        ({"completion_tokens_details": {"reasoning_tokens": None}, "reasoning_tokens": 7}, None, 7),
        ({"reasoning_tokens": 7}, None, 7),
        ({}, None, None),
    ],
)
def test_tokens_by_all_their_names(
    usage: dict[str, Any], cached: int | None, reasoning: int | None
) -> None:
    found = of_usage(**usage)
    assert (found.cached_tokens, found.reasoning_tokens) == (cached, reasoning)


# --- whatever comes --------------------------------------------------------------------------

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
NAMES = ("content", "reasoning", "reasoning_content", "refusal", "role", "text", "thinking")
messages = json_values | st.fixed_dictionaries({}, optional=dict.fromkeys(NAMES, json_values))
parts = st.lists(messages)
choices = st.fixed_dictionaries(
    {},
    optional={
        "message": messages | st.fixed_dictionaries({"content": parts, "reasoning": parts}),
        "text": json_values,
        "finish_reason": json_values,
    },
)
counts = st.fixed_dictionaries(
    {},
    optional={
        name: json_values | st.integers(0, 10**9)
        for name in (
            *("prompt_tokens", "completion_tokens", "total_tokens", "reasoning_tokens"),
            *("prompt_tokens_details", "completion_tokens_details", "cached_tokens"),
            "prompt_cache_hit_tokens",
        )
    },
)
documents = json_values | st.fixed_dictionaries(
    {"choices": json_values | st.lists(choices | json_values, min_size=1)},
    optional={
        "usage": json_values | counts,
        "model": json_values,
        "system_fingerprint": json_values,
        "error": json_values,
    },
)


@settings(max_examples=100)
@given(documents)
def test_whatever_comes_is_a_reply_or_none(document: object) -> None:
    try:
        reply = reply_of(document)
    except (LookupError, TypeError, AttributeError):
        return
    assert Reply.model_validate_json(reply.model_dump_json()) == reply
    judge(reply)


@settings(max_examples=100)
@given(documents.map(json.dumps) | st.text() | st.binary())
def test_whatever_comes_over_the_wire_is_a_reply_or_a_failure(body: str | bytes) -> None:
    content = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    try:
        said = read_reply(Whole(200, {}, content), URL).model_dump_json()
    except AttemptFailed as failure:
        said = str(failure)
    assert said.encode()  # it can be written down


@pytest.mark.parametrize(
    ("message", "usage", "counts"),
    [
        pytest.param({"content": TEXT}, (0, 0, 0), (None, None, None), id="nothing counted"),
        pytest.param({"content": TEXT}, (9, 0, 9), (9, None, 9), id="the answer not counted"),
        pytest.param({"reasoning": "mah"}, (9, 0, 9), (9, None, 9), id="thoughts not counted"),
        pytest.param({"content": ""}, (9, 0, 9), (9, 0, 9), id="nothing was said"),
        pytest.param({"content": ""}, (0, 0, 0), (None, 0, None), id="nothing said or counted"),
    ],
)
def test_what_a_server_does_not_count_costs_no_zero(
    message: dict[str, str], usage: tuple[int, ...], counts: tuple[int | None, ...]
) -> None:
    names = ("prompt_tokens", "completion_tokens", "total_tokens")
    said = dict(zip(names, usage, strict=True))
    found = reply_of({"choices": [{"message": message}], "usage": said}).usage
    assert tuple(getattr(found, name) for name in names) == counts
    known = None not in counts[:2]
    assert (cost_usd(found, Price(input=1, output=1)) is not None) == known


def test_a_name_is_kept_at_a_sensible_length() -> None:
    choice = {"message": {"content": TEXT}, "finish_reason": "f" * 10_000}
    found = reply_of({"choices": [choice], "model": "m" * 10_000, "system_fingerprint": "x" * 200})
    assert (found.finish_reason, found.served_model) == ("f" * 200 + "…", "m" * 200 + "…")
    assert found.system_fingerprint == "x" * 200
