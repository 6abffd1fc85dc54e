from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from apieval.analysis.diagnosis import Step
from apieval.analysis.intervals import bootstrap, wilson
from apieval.analysis.setup import Measured
from apieval.commands import score
from apieval.rebus.scoring import scored
from apieval.records import Rebus, Response, Setting
from tests.records import ANSWER, dataset, rebus, response

WRONG_WORDS = ANSWER.replace("Rita", "Anna").replace("Verità", "Veanna")
WRONG_SEGMENTS = ANSWER.replace("nascosta", "nascoste")
LOOP = "e poi la parola nascosta non è quella che sembrava, " * 9
CHINESE = "答案是：隐藏的真相，这是一个意大利语的谜题。"
ROWS = [rebus(id=n, subset=name) for n, name in enumerate(["id", "id", "ood", "new"])]
LONGER = rebus(
    id=4,
    subset="new",
    verbalized_rebus="VE [Santa di Cascia] NA [Sposta da un lato] [Preposizione]",
    word_guesses=("Rita", "scosta", "di"),
    first_pass="VE Rita NA scosta di",
)


def summarized(
    rows: Sequence[Rebus],
    answers: Sequence[Response],
    settings: Sequence[Setting] = ("regular",),
    samples: int = 1,
) -> dict[str, Any]:
    chosen = dataset(rows).select()
    measured = Measured("my-llama", chosen, settings, samples)
    each = (scored(answer, chosen.by_id[str(answer.id)]) for answer in answers)
    found: Any = score.write(None, measured, each, None)["diagnosis"]
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    return dict(found)


def of(texts: Sequence[str], rows: Sequence[Rebus] = ROWS) -> dict[str, Any]:
    """Return what some answers come to, one a row, over all of them."""
    answers = [response(id=row.id, text=text) for row, text in zip(rows, texts, strict=False)]
    return dict(summarized(rows, answers)["regular"]["all"])


def figure(right: int, n: int) -> dict[str, Any]:
    low, high = wilson(right, n)
    return {"value": right / n, "low": low, "high": high, "n": n}


def test_where_answers_broke_first() -> None:
    found = of([ANSWER, WRONG_WORDS, WRONG_SEGMENTS, "Non lo so."])
    assert found["n"] == 4
    ones = {"solved", "definitions", "segmentation", "format"}
    assert found["broke_first"] == {step.value: figure(int(step.value in ones), 4) for step in Step}


def test_settings_and_subsets_apart() -> None:
    answers = [response(id=row.id, setting="hints") for row in ROWS]
    answers += [response(id=row.id, text=WRONG_WORDS) for row in ROWS]
    found = summarized(ROWS, answers, ("regular", "hints"))
    assert {name: [*cells] for name, cells in found.items()} == {
        name: ["all", "id", "ood", "new"] for name in ("regular", "hints")
    }
    assert [cell["n"] for cell in found["hints"].values()] == [4, 2, 1, 1]
    assert found["hints"]["id"]["broke_first"]["solved"] == figure(2, 2)
    assert found["regular"]["ood"]["broke_first"]["definitions"] == figure(1, 1)


def test_a_failure_is_in_no_n_and_what_is_the_models_is() -> None:
    outcomes = ("ok", "failed", "truncated", "refused")
    answers = [
        response(id=n, outcome=each, text=ANSWER if each == "ok" else "")
        for n, each in enumerate(outcomes)
    ]
    found = summarized(ROWS, answers)["regular"]["all"]
    assert found["n"] == 3
    assert found["broke_first"]["unanswered"] == figure(2, 3)
    assert found["broke_first"]["solved"] == figure(1, 3)
    assert found["loop"]["n"] == 3
    assert (found["key_obeyed"], found["near_miss"]["1"]["n"]) == (figure(1, 1), 0)


@pytest.mark.parametrize("rows", [[], ROWS], ids=["no rebus", "no answer"])
def test_of_nothing(rows: list[Rebus]) -> None:
    found = summarized(rows, [])["regular"]["all"]
    nothing = {"value": None, "low": None, "high": None, "n": 0}
    assert found["n"] == 0
    assert found["broke_first"]["solved"] == found["cer"]["all"] == found["loop"] == nothing
    assert found["word_accuracy"] == found["words_wrong"] == {}


def test_hidden_words_by_position() -> None:
    rows = [*ROWS[:2], LONGER]
    third = "\nPrima"
    found = of(
        [ANSWER, WRONG_WORDS, ANSWER.replace(third, f"- [Preposizione] = da\n{third}")], rows
    )
    assert found["word_accuracy"] == {
        "1": pytest.approx(figure(2, 3)),
        "2": pytest.approx(figure(3, 3)),
        "3": pytest.approx(figure(0, 1)),
        "last": pytest.approx(figure(2, 3)),
    }
    assert found["words_wrong"] == {
        "2": {"0": figure(1, 2), "1": figure(1, 2), "2": figure(0, 2)},
        "3": {"0": figure(0, 1), "1": figure(1, 1), "2": figure(0, 1), "3": figure(0, 1)},
    }


def test_words_by_position_come_to_the_metric() -> None:
    rows = [*ROWS[:3], LONGER]
    texts = [ANSWER, WRONG_WORDS, "", ANSWER.replace("scosta", "sposta")]
    answers = [response(id=r.id, text=t) for r, t in zip(rows, texts, strict=True)]
    answers[0] = response(id=0, text=ANSWER, outcome="truncated")
    chosen = dataset(rows).select()
    each = (scored(answer, chosen.by_id[str(answer.id)]) for answer in answers)
    found: Any = score.write(None, Measured("m", chosen, ["regular"]), each, None)
    by_position = found["diagnosis"]["regular"]["all"]["word_accuracy"]
    del by_position["last"]
    right = sum(share["value"] * share["n"] for share in by_position.values())
    metric = found["figures"]["regular"]["all"]["tolerant"]["word_guess_accuracy"]["micro"]
    assert sum(share["n"] for share in by_position.values()) == metric["n"]
    assert right == pytest.approx(metric["value"] * metric["n"])


def test_hidden_words_that_were_given_have_no_figures() -> None:
    chosen = dataset(ROWS).select()
    measured = Measured("m", chosen, ["regular"], given="definitions")
    each = (scored(response(id=row.id, text=""), row, "definitions") for row in ROWS)
    whole: Any = score.write(None, measured, each, None)
    found = whole["diagnosis"]["regular"]["all"]
    assert found["word_accuracy"] == found["words_wrong"] == {}
    assert found["broke_first"]["first_pass"] == figure(4, 4)


def test_shares_of_those_it_can_be_told_of() -> None:
    own = WRONG_WORDS.replace("Prima lettura: VE Anna", "Prima lettura: VE Rita")
    found = of([ANSWER, own, WRONG_SEGMENTS, "Non lo so."])
    assert found["of_own_guesses"] == figure(2, 3)
    assert found["letters_kept"] == figure(3, 3)
    assert found["key_obeyed"] == figure(3, 3)
    assert found["right_despite_wrong_steps"] == figure(0, 1)
    assert found["wrong_despite_right_first_pass"] == figure(2, 3)
    assert found["near_miss"] == {"0": figure(0, 3), "1": figure(1, 3), "2": figure(0, 3)}


def test_error_rates() -> None:
    found = of([ANSWER, WRONG_SEGMENTS, ANSWER.replace("Soluzione: Verità nascosta", "")])
    cer = found["cer"]
    assert cer["all"]["value"] == pytest.approx((0 + 1 / 14) / 2)
    assert cer["wrong"] == {"value": pytest.approx(1 / 14), "low": pytest.approx(wilson(1 / 14, 1)[0]), "high": pytest.approx(wilson(1 / 14, 1)[1]), "n": 1}  # fmt: skip
    assert cer["letters"]["value"] == pytest.approx(1 / 28)
    assert (cer["all"]["n"], cer["letters"]["n"]) == (2, 2)
    assert (cer["all"]["low"], cer["all"]["high"]) == pytest.approx((0, 1 / 14))


def test_signs() -> None:
    copied = ANSWER.replace("Soluzione: Verità nascosta", "Soluzione: Accozzaglie di lestofanti")
    found = of([ANSWER, ANSWER + LOOP, copied, CHINESE])
    assert found["loop"] == found["copied_example"] == figure(1, 4)
    assert found["other_language"] == {"any": figure(1, 4), "han": figure(1, 4)}
    assert of([ANSWER])["other_language"] == {"any": figure(0, 1)}


def test_several_samples_are_drawn_by_rebus() -> None:
    texts = {0: [ANSWER, ANSWER], 1: [WRONG_WORDS, ANSWER], 2: [WRONG_WORDS, WRONG_SEGMENTS]}
    answers = [
        response(id=row, sample=sample, text=text)
        for row, each in texts.items()
        for sample, text in enumerate(each)
    ]
    found = summarized(ROWS, answers, samples=2)["regular"]["all"]
    [(low, high)] = bootstrap([(2.0, 2.0), (1.0, 2.0), (0.0, 2.0)])
    assert found["broke_first"]["solved"] == {"value": 0.5, "low": low, "high": high, "n": 6}
    assert found["cer"]["all"]["n"] == 6
    assert found["cer"]["wrong"]["n"] == 3
    assert found["cer"]["all"]["value"] == pytest.approx((1 + 1 + 1) / 14 / 6, abs=0.05)


def test_what_stands_beside_the_scores(tmp_path: Path) -> None:
    chosen = dataset(ROWS[:2]).select()
    answers = [response(id=0, text=WRONG_WORDS), response(id=1, text="", outcome="failed")]
    each = (scored(answer, chosen.by_id[str(answer.id)]) for answer in answers)
    score.write(tmp_path, Measured("m", chosen, ["regular"]), each, None)
    text = (tmp_path / "scores.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.split("\n")[:-1]]
    diagnosed = {(line["id"], line["parser"]): line.get("diagnosis") for line in lines}
    told = diagnosed.pop((0, "tolerant"))
    assert told["broke_first"] == "definitions"
    assert set(diagnosed.values()) == {None}
