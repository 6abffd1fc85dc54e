from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from apieval.analysis.server_signs import ServerSigns
from apieval.analysis.setup import Measured
from apieval.rebus import examples, scoring
from apieval.records import SETTINGS
from apieval.results.summary import Finding
from tests.analysis.answers import answer, row
from tests.records import ANSWER, dataset, rebus, response

ROWS = [rebus(id=n) for n in range(40)]
WRONG = ANSWER.replace("Soluzione: Verità nascosta", "Soluzione: Varietà mascotte")


def found(answers: Iterable[dict[str, Any]], **changes: Any) -> list[Finding]:  # noqa: ANN401
    chosen = dataset(ROWS).select()
    signs = ServerSigns(Measured("m", chosen, changes.pop("settings", SETTINGS), **changes))
    for each in answers:
        said = response(**each)
        signs.add(scoring.scored(said, chosen.by_id[str(said.id)]))
    return list(signs.findings())


def test_whole_answers_show_nothing() -> None:
    assert found({"id": n, "text": f"{ANSWER}{n}"} for n in range(40)) == []


def of_samples(same: int, apart: int, samples: int = 3) -> Iterator[dict[str, Any]]:
    for n in range(same + apart):
        for sample in range(samples):
            text = f"{ANSWER}{n}" if n < same else f"{ANSWER}{n} {sample}"
            yield {"id": n, "sample": sample, "text": text}


@pytest.mark.parametrize(
    ("sampling", "why"),
    [
        ({"temperature": 1, "seed": 7}, "the server takes no notice of temperature and seed"),
        ({"temperature": 0.0}, "with temperature 0 the likeliest token is always taken"),
        ({"do_sample": False}, "with do_sample false the likeliest token"),
        ({"temperature": 1, "top_k": 1}, "with top_k 1 the likeliest token"),
        ({"options": {"temperature": 0}}, "with temperature 0 the likeliest token"),
        (None, "the server takes no notice"),
    ],
)
def test_samples_that_are_one_answer_are_told_whatever_the_cause(
    sampling: dict[str, Any] | None, why: str
) -> None:
    (only,) = found(of_samples(4, 0), samples=3, settings=("regular",), sampling=sampling)
    assert (only["kind"], only["level"]) == ("samples_identical", "warning")
    assert only["text"].startswith(
        f"all 3 answers of 4 rebuses are identical to the letter, of 4 with as many: {why}"
    )


@pytest.mark.parametrize(
    ("same", "apart", "level"),
    [(1, 30, None), (2, 30, "note"), (24, 8, "note"), (30, 2, "warning")],
)
def test_some_samples_alike_are_a_note_and_a_few_no_word(
    same: int, apart: int, level: str | None
) -> None:
    told = found(of_samples(same, apart), samples=3, settings=("regular",))
    assert [each["level"] for each in told] == ([level] if level else [])


def test_of_samples_that_are_not_all_there_nothing_is_said() -> None:
    answers = [each for each in of_samples(4, 0) if each["sample"] != 1]
    assert found(answers, samples=3, settings=("regular",)) == []
    assert found([{"id": 0, "text": ""}] * 3, samples=1) == []


def test_what_has_no_text_shows_nothing() -> None:
    signs = ServerSigns(Measured("m", dataset(ROWS).select(), SETTINGS))
    signs.add(answer(row(0)))
    assert list(signs.findings()) == []


def test_solutions_among_the_thoughts_of_empty_answers_name_the_remedy() -> None:
    empty = {"text": "", "outcome": "empty", "reasoning": ANSWER}
    mute = {"text": "", "outcome": "empty", "reasoning": "Non so."}
    (only,) = found([{"id": 0, **empty}, {"id": 1, **empty}, {"id": 2, **mute}, {"id": 3}])
    assert (only["kind"], only["level"]) == ("answers_in_reasoning", "warning")
    assert only["text"].startswith(
        "2 empty answers hold a solution line in their reasoning: the server's reasoning parser is "
        "not the model's; start the server with the model's own (vLLM, SGLang: --reasoning-parser"
    )


def test_an_answer_cut_while_it_thought_is_no_fault_of_the_parser() -> None:
    cut = {"text": "", "outcome": "truncated", "reasoning": ANSWER, "finish_reason": "length"}
    assert found([cut]) == []


@pytest.mark.parametrize(
    ("text", "kind", "begins"),
    [
        (
            ANSWER.replace(" ", "Ġ").replace("\n", "Ċ"),
            "tokenizer_marks",
            "40 of 40 answers hold a tokenizer's marks (Ġ, Ċ): the server's tokenizer is at fault",
        ),
        (
            ANSWER.replace("à", "&agrave;"),
            "html_entities",
            "40 of 40 answers hold HTML entities (&agrave;): the server or a gateway escapes them",
        ),
        (
            ANSWER + "<|eot_id|>",
            "special_tokens",
            "40 of 40 answers hold special tokens (<|eot_id|>): the server does not take them out",
        ),
    ],
)
def test_marks_of_the_server_are_a_warning_with_a_remedy(text: str, kind: str, begins: str) -> None:
    (only,) = found({"id": n, "text": text} for n in range(40))
    assert (only["kind"], only["level"]) == (kind, "warning")
    assert only["text"].startswith(begins)
    assert only["text"].endswith("then start over with --fresh --cache off")


def test_one_of_many_is_but_a_note() -> None:
    texts = [f"{ANSWER}{n}" for n in range(39)] + [ANSWER + "</s>"]
    (only,) = found({"id": n, "text": text} for n, text in enumerate(texts))
    assert only["level"] == "note"
    assert only["text"].startswith("1 of 40 answers hold special tokens")


class TestBothSettings:
    def of(self, regular: Iterable[str], hints: Iterable[str], **more: Any) -> list[Finding]:  # noqa: ANN401
        both = {"regular": regular, "hints": hints}
        answers = [
            {"id": n, "setting": setting, "text": text}
            for setting, texts in both.items()
            for n, text in enumerate(texts)
        ]
        return found(answers, **more)

    def test_the_same_wrong_texts_are_a_warning(self) -> None:
        texts = [f"{WRONG}{n}" for n in range(40)]
        (only,) = self.of(texts, texts)
        assert (only["kind"], only["level"]) == ("settings_identical", "warning")
        assert only["text"].startswith(
            "40 of 40 answers in regular and hints are the same to the letter"
        )

    def test_most_are_enough(self) -> None:
        texts = [f"{WRONG}{n}" for n in range(40)]
        (only,) = self.of(texts, [*texts[:34], *(f"{each}!" for each in texts[34:])])
        assert only["text"].startswith("34 of 40 answers")

    def test_right_ones_that_are_the_same_are_a_note(self) -> None:
        texts = [examples.write(each) for each in ROWS]
        (only,) = self.of(texts, texts)
        assert only["level"] == "note"

    @pytest.mark.parametrize(
        ("regular", "hints"),
        [
            pytest.param(
                [f"{WRONG}{n}" for n in range(9)], [f"{WRONG}-{n}" for n in range(9)], id="other"
            ),
            pytest.param([WRONG] * 4, [WRONG] * 4, id="few"),
            pytest.param([""] * 20, [""] * 20, id="empty"),
            pytest.param([WRONG] * 40, [], id="one setting alone has answers"),
            pytest.param(
                [ANSWER] * 35 + [f"{WRONG}{n}" for n in range(5)],
                [ANSWER] * 35 + [f"{WRONG}-{n}" for n in range(5)],
                id="right ones alone",
            ),
        ],
    )
    def test_what_shows_nothing(self, regular: list[str], hints: list[str]) -> None:
        assert self.of(regular, hints) == []

    def test_samples_are_held_against_each_other_one_by_one(self) -> None:
        answers = [
            {"id": n, "setting": setting, "sample": sample, "text": f"{WRONG}{n}.{sample}"}
            for setting in SETTINGS
            for n in range(5)
            for sample in range(2)
        ]
        (only,) = found(answers, samples=2)
        assert only["text"].startswith("10 of 10 answers")

    def test_a_dictionary_answers_alike_by_its_nature(self) -> None:
        texts = [f"{WRONG}{n}" for n in range(40)]
        assert self.of(texts, texts, coverage={"known": 1, "clues": 1, "found": 1}) == []
