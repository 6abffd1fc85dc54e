from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from apieval.analysis import paired_tests, variants
from apieval.analysis.pairing import Scored
from apieval.rebus.metrics import METRICS
from tests.analysis.scores import run, tallies


def both(regular: Sequence[int | None], hints: Sequence[int | None]) -> Scored:
    """Return a run whose rebus n has so many of 4 words right in each setting."""
    one = run("m", {n: [right] for n, right in enumerate(regular)}, setting="regular")
    other = run("m", {n: [right] for n, right in enumerate(hints)}, setting="hints")
    return replace(one, rows={**one.rows, **other.rows}, ids={**one.ids, **other.ids})


def test_hints_less_without_over_the_rebuses_answered_in_both() -> None:
    found = variants.of_hints(both([0, 0, 4, None, 1], [4, 0, 4, 4, 3]))
    assert found is not None
    assert (found["rebuses"], found["answers"], found["left_out"], found["tests"]) == (4, 4, 1, 6)
    assert list(found["metrics"]) == list(METRICS)
    match = found["metrics"]["solution_match"]
    assert (match["a"], match["b"], match["difference"]) == (0.25, 0.5, 0.25)
    assert match["p"] == paired_tests.mcnemar(0, 1)
    words = found["metrics"]["word_guess_accuracy"]
    assert words["difference"] == pytest.approx(6 / 16)
    assert words["p"] == paired_tests.sign_flip([4, 0, 0, 2])[0]


def test_all_metrics_are_one_family() -> None:
    found = variants.of_hints(both([0] * 12, [4] * 12))
    assert found is not None
    ps = [each["p"] for each in found["metrics"].values()]
    assert [each["p_holm"] for each in found["metrics"].values()] == paired_tests.holm(ps)


def test_what_was_given_has_no_effect() -> None:
    given = both([0, 1], [4, 1])
    rows = {
        setting: {
            row: {0: {name: tallies(4)[name] for name in METRICS if "guess" not in name}}
            for row in by_row
        }
        for setting, by_row in given.rows.items()
    }
    found = variants.of_hints(replace(given, given="definitions", rows=rows))
    assert found is not None
    assert [name for name in METRICS if name not in found["metrics"]] == [
        "word_guess_accuracy",
        "word_guess_length_accuracy",
    ]


@pytest.mark.parametrize("setting", ["regular", "hints"])
def test_one_setting_has_none(setting: str) -> None:
    asked = both([1], [2])
    rows = {name: rows for name, rows in asked.rows.items() if name == setting}
    assert variants.of_hints(replace(asked, rows=rows)) is None


def test_settings_without_a_rebus_in_common_have_none() -> None:
    assert variants.of_hints(both([None, 4], [4, None])) is None
