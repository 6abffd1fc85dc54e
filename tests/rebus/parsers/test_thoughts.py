"""Thoughts in every dress are no answer; what looks like their marks and is none takes nothing away."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.rebus.parsers import tolerant
from apieval.rebus.parsers.question import question
from apieval.rebus.parsers.thoughts import MARKS, Parted, parted
from apieval.records import Status
from tests.records import ANSWER, prediction, rebus

ASKED: Final = question(rebus())
DRAFT: Final = "Provo.\nSoluzione: Varietà nascosta\nNo, la santa è un'altra.\n"
ANALYSIS: Final = "<|start|>assistant<|channel|>analysis<|message|>"
FINAL: Final = "<|start|>assistant<|channel|>final<|message|>"
SORRY: Final = "Non ci sono arrivato."

ALONE: Final = [
    pytest.param("<think>", "</think>", id="DeepSeek-R1, QwQ, Qwen3"),
    pytest.param("<think>\n", "\n</think>\n<answer>\n", id="Hunyuan"),
    pytest.param("<THINK>", "</Think>", id="any case"),
    pytest.param('<think budget="12">', "</think >", id="attributes"),
    pytest.param("&lt;think&gt;", "&lt;/think&gt;", id="HTML-escaped"),
    pytest.param(r"\u003cthink\u003e", r"\u003c/think\u003e", id="JSON-escaped"),
    pytest.param(r"\<think\>", r"\</think\>", id="Markdown-escaped"),
    pytest.param("\uff1cthink\uff1e", "\uff1c/think\uff1e", id="full width"),
    pytest.param("<thinking>", "</thinking>", id="Claude"),
    pytest.param("<thought>", "</thought>", id="EXAONE Deep"),
    pytest.param("<reasoning>", "</reasoning>", id="GRPO recipes"),
    pytest.param("<reflection>", "</reflection>", id="Reflection"),
    pytest.param("<antthinking>", "</antthinking>", id="artifacts"),
    pytest.param("<scratchpad>", "</scratchpad>", id="scratchpad"),
    pytest.param("<REASONING_SCRATCHPAD>", "</REASONING_SCRATCHPAD>", id="Hermes"),
    pytest.param("<seed:think>", "</seed:think>", id="Seed-OSS"),
    pytest.param("<mm:think>", "</mm:think>", id="MiniMax-M3"),
    pytest.param("<longcat_think>", "</longcat_think>", id="LongCat"),
    pytest.param("<ifm|think_fast>", "</ifm|think_fast>", id="K2"),
    pytest.param("<ragionamento>", "</ragionamento>", id="in Italian"),
    pytest.param("[THINK]", "[/THINK]", id="Magistral"),
    pytest.param("◁think▷", "◁/think▷", id="Kimi-VL"),
    pytest.param("<|open|>think<|sep|>", "<|close|>think<|sep|>", id="Kimi K3"),
    pytest.param("<|START_THINKING|>", "<|END_THINKING|>", id="Command A"),
    pytest.param("<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>", id="Command A, response"),
    pytest.param("<|begin_of_thought|>", "<|end_of_thought|>\n<|begin_of_solution|>", id="OpenThinker"),
    pytest.param("<|think:start|>", "<|think:end|>", id="Solar Open"),
    pytest.param("<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>", id="PLaMo"),
    pytest.param("<|inner_prefix|>", "<|inner_suffix|>", id="Apertus"),
    pytest.param("<|thinking|>", "<|/thinking|>", id="a token and a slash"),
    pytest.param("<|channel>thought\n", "<channel|>", id="Gemma 4"),
    pytest.param("<unused94>thought\n", "<unused95>", id="MedGemma"),
    pytest.param("[unused16]", "[unused17]", id="openPangu"),
    pytest.param("Here are my reasoning steps:\n", "[BEGIN FINAL RESPONSE]\n", id="Apriel"),
    pytest.param("analysisWe try. ", "assistantfinal", id="harmony without its tokens"),
    pytest.param("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>", id="harmony"),
]  # fmt: skip
"""Marks whose closing one ends a thought by itself: their opening one may stand in the template."""
PAIRED: Final = [
    pytest.param("<|channel|>commentary to=x<|message|>", "<|end|>", id="harmony's other channel"),
    pytest.param("<|start|>assistant to=self<|message|>", "<|eom|>", id="Muse Glimmer"),
    pytest.param("<|im_start|>assistant/think\n", "<|im_end|>\n<|im_start|>assistant\n", id="HyperCLOVA X"),
    pytest.param("Here is my thought process:\n", "\nHere is my response:\n", id="Granite 3.2"),
    pytest.param("Here's my thought process: ", "\n\n**Here's my response:** ", id="Granite, quantized"),
    pytest.param("Thinking...\n", "\n...done thinking.\n", id="ollama run"),
    pytest.param('<details type="reasoning" done="true">', "</details>", id="Open WebUI"),
    pytest.param("```thinking\n", "\n```\n", id="fenced"),
    pytest.param("<think>", "[/THINK]", id="closed by another's mark"),
]  # fmt: skip


@pytest.mark.parametrize(("opening", "closing"), [*ALONE, *PAIRED])
def test_a_draft_in_thoughts_is_no_answer(opening: str, closing: str) -> None:
    declined = tolerant.parse(opening + DRAFT + closing + SORRY, ASKED)
    assert declined.prediction.solution == ""
    assert declined.seen["thoughts"] == 1
    answered = tolerant.parse(opening + DRAFT + closing + "\n" + ANSWER, ASKED)
    assert answered.prediction == prediction()
    assert "reasoning" in answered.seen_through


@pytest.mark.parametrize(("opening", "closing"), [*ALONE, *PAIRED])
def test_behind_a_thought_that_never_ends_there_is_no_answer(opening: str, closing: str) -> None:
    del closing
    for text in (opening + DRAFT, opening + ANSWER):
        reading = tolerant.parse(text, ASKED)
        assert reading.prediction.solution == ""
        assert set(reading.status.values()) == {Status.CUT}
        assert tolerant.STILL_REASONING in reading.why["solution"]


@pytest.mark.parametrize(("opening", "closing"), ALONE)
def test_the_opening_mark_may_stand_in_the_template(opening: str, closing: str) -> None:
    del opening
    assert tolerant.parse(DRAFT + closing + SORRY, ASKED).prediction.solution == ""
    assert tolerant.parse(DRAFT + closing + "\n" + ANSWER, ASKED).prediction == prediction()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{ANSWER}<|end|>", id="a token that ends any message"),
        pytest.param(f"{ANSWER}<|im_end|>", id="another"),
        pytest.param(f"```\n{ANSWER}```\n", id="an answer in a fence"),
        pytest.param(f"Here is my response:\n{ANSWER}", id="half of Granite's marks"),
        pytest.param(
            f"<details>\n<summary>Passi</summary>\n{ANSWER}</details>", id="other details"
        ),
        pytest.param(f"[Think]\n{ANSWER}", id="a word in brackets"),
        pytest.param(f"<thinker>{ANSWER}", id="a longer word"),
        pytest.param(f"L'analysis non serve.\n{ANSWER}", id="a word of a mark"),
        pytest.param(f"I was thinking... here goes\n{ANSWER}", id="a sentence of a mark"),
        pytest.param(f"{ANSWER}</think>", id="a stray closing mark at the end"),
        pytest.param(f"{ANSWER}\n\n[/THINK]\n", id="another stray one"),
        pytest.param(f"<think>\n\n</think>\n\n{ANSWER}", id="an empty thought"),
        pytest.param(f"{ANSWER}<think>", id="a mark that opens nothing"),
    ],
)
def test_what_is_no_thought_is_read(text: str) -> None:
    reading = tolerant.parse(text, ASKED)
    assert reading.prediction == prediction()
    assert "thoughts" not in reading.seen


@pytest.mark.parametrize(
    ("text", "outside"),
    [
        ("<think>a<think>b</think>c</think>d", "d"),
        ("<think>a<think>b</think>d", "d"),
        ("<think>a<reflection>b</reflection>c</think>d", "d"),
        ("<think>a [/THINK] b</think>d", "d"),
        ("a<think>b</think>c<think>d</think>e", "a\nc\ne"),
        ("a</think>b</think>c", "c"),
        ("a<think>b</think>c</think>d", "d"),
        (f"{ANALYSIS}a<|end|>{ANALYSIS}b<|end|>{FINAL}c<|return|>", "c<|return|>"),
        ("<think>a</think><|START_RESPONSE|>b<|END_RESPONSE|>", "b<|END_RESPONSE|>"),
    ],
)  # fmt: skip
def test_what_stands_outside(text: str, outside: str) -> None:
    assert parted(text).outside.strip() == outside


def test_a_text_without_marks_is_all_answer() -> None:
    assert parted(ANSWER) == Parted(ANSWER)


def test_every_mark_says_whose_it_is() -> None:
    assert all(mark.source for mark in MARKS)


marks = st.sampled_from(["<think>", "</think>", "[THINK]", "[/THINK]", "<|end|>", "```\n", "```cot\n",
                         "<|channel|>analysis<|message|>", "<|channel|>final<|message|>", "◁/think▷"])  # fmt: skip


@given(st.lists(marks | st.from_regex(r"w[0-9]{1,3} ", fullmatch=True)))
def test_what_is_left_stood_there_in_this_order(pieces: list[str]) -> None:
    found = parted("".join(pieces))
    words = iter([piece for piece in pieces if piece.startswith("w")])
    for each in (found.outside + " " + found.pending).replace("```", " ").split():
        if each.startswith("w"):
            assert any(each == word.strip() for word in words)
