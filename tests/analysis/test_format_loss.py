from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from apieval.analysis import paired_tests, summary
from apieval.analysis.format_loss import FormatLoss
from apieval.analysis.paired_tests import apart
from apieval.analysis.setup import Measured
from apieval.rebus import scoring
from apieval.rebus.metrics import METRICS
from apieval.rebus.parsers import official
from apieval.rebus.scoring import PARSERS, ScoredAnswer
from apieval.records import Rebus
from tests.records import ANSWER, dataset, rebus, response

WORD, LENGTH = "word_guess_accuracy", "word_guess_length_accuracy"
FIRST, SOLUTION = "first_pass_accuracy", "solution_match"
WORDS = "solution_word_accuracy"
NONE = {"answers": 0, "words": 0, "kinds": {}}


def loss(texts: Sequence[str], rows: Sequence[Rebus] | None = None, **changes: Any) -> Any:  # noqa: ANN401 # as details have it
    rows = rows or [rebus(id=at, subset="id") for at in range(len(texts))]
    part = FormatLoss(Measured("m", dataset(rows).select(), ["regular"]))
    for row, text in zip(rows, texts, strict=True):
        part.add(scoring.scored(response(id=row.id, text=text, **changes), row))
    found = part.summary()
    json.dumps(found, allow_nan=False)
    return found


def metrics(texts: Sequence[str], rows: Sequence[Rebus] | None = None, **changes: Any) -> Any:  # noqa: ANN401
    return loss(texts, rows, **changes)["regular"]["all"]["metrics"]


def changed(*pieces: tuple[str, str]) -> str:
    text = ANSWER
    for old, new in pieces:
        assert old in text
        text = text.replace(old, new)
    return text


REMARK = ("= Rita", "= Rita (santa)")
BOLD = ("Soluzione: Verità nascosta", "**Soluzione:** Verità nascosta")
KEY = rebus(solution_key="1 ' 5 8", solution_words=("L'ombra", "nascosta"), solution="L'ombra nascosta")  # fmt: skip
SPLIT = (("6 = Verità", "1 = L\n5 = ombra"), ("Verità nascosta", "L'ombra nascosta"))


@pytest.mark.parametrize(
    ("pieces", "row", "metric", "step", "words", "kinds"),
    [
        pytest.param([REMARK], rebus(), WORD, "tolerant", 1, ["remark"], id="remark"),
        pytest.param([REMARK, ("= scosta", "= **scosta**")], rebus(), WORD, "tolerant", 2, ["bold", "remark"], id="kinds of one part together"),
        pytest.param([REMARK, ("VE Rita NA", "V E Rita NA")], rebus(), FIRST, "tolerant", 1, ["spaced_letters"], id="the part's own kinds alone"),
        pytest.param([BOLD], rebus(), SOLUTION, "tolerant", 1, ["bold", "not_read_by_official"], id="what official does not read"),
        pytest.param([("Verità nascosta", "Verità  nascosta")], rebus(), SOLUTION, "tolerant", 1, ["compared_strict"], id="blanks"),
        pytest.param([("Verità nascosta", "L’ombra nascosta")], KEY, SOLUTION, "tolerant", 1, ["compared_strict"], id="apostrophe"),
        pytest.param([*SPLIT], KEY, WORDS, "tolerant", 3, ["compared_along_key"], id="along the key"),
        pytest.param([("6 = Verità", "6 = L'ombra"), SPLIT[1]], KEY, WORDS, "tolerant", 1, ["along_key", "compared_along_key"], id="split along the key"),
        pytest.param([("Verità nascosta", "Verita nascosta")], rebus(), SOLUTION, "tolerant-lenient", 1, ["accent"], id="accent"),
        pytest.param([("Verità nascosta", "Verita' nascosta")], rebus(), SOLUTION, "tolerant-lenient", 1, ["accent_apostrophe"], id="apostrophe for an accent"),
        pytest.param([("= scosta", "= scosta'")], rebus(), WORD, "tolerant-lenient", 1, ["accent_apostrophe"], id="apostrophe for no accent"),
    ],
)  # fmt: skip
def test_what_makes_more_right(
    pieces: list[tuple[str, str]], row: Rebus, metric: str, step: str, words: int, kinds: list[str]
) -> None:
    text = changed(*pieces)
    found = metrics([text], [row])[metric][step]
    assert found["more"] == {"answers": 1, "words": words, "kinds": dict.fromkeys(kinds, 1)}
    assert found["fewer"] == NONE


def test_a_usual_answer_loses_nothing() -> None:
    found = metrics([ANSWER, ANSWER])
    assert list(found) == list(METRICS)
    for each in found.values():
        assert each["values"] == dict.fromkeys(PARSERS, 1.0)
        assert each["difference"] == 0
        for step in ("tolerant", "tolerant-lenient"):
            assert each[step] == {"more": NONE, "fewer": NONE}


def test_a_word_that_is_wrong_either_way_is_no_difference() -> None:
    each = metrics([changed(("= Rita", "= Chiara (santa)"))])[WORD]
    assert each["tolerant"] == {"more": NONE, "fewer": NONE}
    assert each["values"]["official"] == each["values"]["tolerant"] == 0.5


def test_what_official_alone_has_right_is_counted_too() -> None:
    # a draft that it takes for the answer, and a text it reads through its end
    text = changed(("Soluzione: Verità nascosta", "Soluzione: Verità nascosta\nSoluzione: Altro"))
    found = metrics([text])[SOLUTION]
    assert found["difference"] == -1
    assert found["tolerant"]["fewer"] == {
        "answers": 1,
        "words": 1,
        "kinds": {"second_answer": 1},
    }
    assert found["tolerant"]["more"] == NONE


def test_a_word_won_does_not_hide_a_word_lost() -> None:
    text = changed(REMARK) + "Anzi:\n- [Sposta da un lato] = muove\nSoluzione: Verità nascosta\n"
    found = metrics([text])[WORD]
    assert found["difference"] == 0
    assert found["tolerant"]["more"]["words"] == found["tolerant"]["fewer"]["words"] == 1


def test_what_tolerant_alone_does_not_read() -> None:
    text = f"{ANSWER}</think>\nNon so.\n"
    found = metrics([text])[SOLUTION]
    assert found["tolerant"]["fewer"]["kinds"] == {"not_read_by_tolerant": 1}


def test_a_cut_answer_changes_nothing_and_a_failed_one_is_left_out() -> None:
    rows = [rebus(id=0), rebus(id=1)]
    part = FormatLoss(Measured("m", dataset(rows).select(), ["regular"]))
    part.add(scoring.scored(response(id=0, text=changed(BOLD), outcome="truncated"), rows[0]))
    part.add(scoring.scored(response(id=1, text="", outcome="failed"), rows[1]))
    found: Any = part.summary()
    whole = found["regular"]["all"]
    assert whole["answers"] == 1
    assert whole["metrics"][SOLUTION]["n"] == 1
    assert whole["metrics"][SOLUTION]["tolerant"]["more"] == NONE


def test_no_answer_has_no_figure() -> None:
    rows = [rebus()]
    found: Any = FormatLoss(Measured("m", dataset(rows).select(), ["regular"])).summary()
    each = found["regular"]["all"]["metrics"][SOLUTION]
    assert each["values"] == dict.fromkeys(PARSERS)
    assert (each["n"], each["difference"], each["low"], each["high"]) == (0, None, None, None)


def test_what_a_model_was_given_is_not_measured() -> None:
    row = rebus()
    measured = Measured("m", dataset([row]).select(), ["regular"], given="first-pass")
    part = FormatLoss(measured)
    answer = scoring.scored(response(text=changed(REMARK, BOLD)), row, "first-pass")
    part.add(answer)
    found: Any = part.summary()
    assert list(found["regular"]["all"]["metrics"]) == list(METRICS)[3:]
    assert found["regular"]["all"]["metrics"][SOLUTION]["difference"] == 1


def test_subsets_have_figures_and_kinds_of_their_own() -> None:
    rows = [rebus(id=0, subset="id"), rebus(id=1, subset="ood"), rebus(id=2, subset="ood")]
    found = loss([changed(REMARK), changed(REMARK), ANSWER], rows)["regular"]
    assert list(found) == ["all", "id", "ood"]
    shown = {name: each["metrics"][WORD]["tolerant"]["more"] for name, each in found.items()}
    assert [each["answers"] for each in shown.values()] == [2, 1, 1]
    assert found["ood"]["metrics"][WORD]["values"]["official"] == 3 / 4
    assert [each["answers"] for each in found.values()] == [3, 1, 2]


def test_several_samples_of_a_rebus_are_one_rebus() -> None:
    row = rebus()
    part = FormatLoss(Measured("m", dataset([row]).select(), ["regular"], samples=2))
    for sample, text in enumerate([changed(REMARK), ANSWER]):
        part.add(scoring.scored(response(id=0, text=text, sample=sample), row))
    found: Any = part.summary()
    each = found["regular"]["all"]["metrics"][WORD]
    assert (each["n"], each["values"]["official"], each["difference"]) == (4, 0.75, 0.25)


def test_parts_that_were_parsed_elsewhere_tell_nothing() -> None:
    row = rebus()
    measured = Measured("m", dataset([row]).select(), ["regular"], parsers=["official"])
    part = summary.Details(measured)
    one = scoring.of_prediction(official.parse(ANSWER), row, parser="official", setting="regular")  # fmt: skip
    part.add(ScoredAnswer(row, {"official": one}))
    assert part.summary()["format_loss"] is None


class TestApart:
    def test_equal_totals_give_the_paired_bootstrap(self) -> None:
        items = [(0, 3, 1, 3), (2, 2, 2, 2), (1, 4, 0, 4), (1, 2, 2, 2)] * 5
        assert apart(items) == paired_tests.bootstrap([(b - a, n) for a, n, b, _ in items])[0]

    def test_other_totals_move_it_little(self) -> None:
        items = [(0, 3, 1, 3), (2, 2, 2, 2), (1, 4, 0, 4), (1, 2, 2, 2)] * 25
        low, high = apart([*items, (1, 2, 2, 3)])
        near = apart([*items, (1, 3, 2, 3)])
        assert (low, high) == pytest.approx(near, abs=0.01)
        value = sum(i[2] for i in items) / 275 - sum(i[0] for i in items) / 275
        assert low < value < high

    def test_rebuses_that_are_all_alike_are_no_certainty(self) -> None:
        low, high = apart([(0, 2, 1, 3)] * 9)
        assert low < 1 / 3 < high
        assert apart([(0, 2, 0, 3)]) == pytest.approx((-0.7935, 0.7935), abs=1e-4)
