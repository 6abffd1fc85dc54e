from __future__ import annotations

from apieval.report import samples
from tests.analysis.answers import answer, row
from tests.report.views import cells, shown, summary

ROWS = [row(n) for n in range(4)]


def test_one_sample_shows_nothing() -> None:
    assert shown(samples.render(summary(ROWS, map(answer, ROWS))["over_samples"])) == ""


def test_a_table_a_setting() -> None:
    right = [(0, 1), (0,), (), (0, 1)]
    made = [
        answer(gold, sample=k, solution=gold.solution if k in right[gold_at] else "no")
        for gold_at, gold in enumerate(ROWS)
        for k in range(2)
    ]
    text = shown(samples.render(summary(ROWS, made, samples=2)["over_samples"]))
    assert "regular: 2 samples of 4 rebuses" in text
    assert cells(text, "mean of the samples")[3] == "0.625"
    assert cells(text, "both right and wrong")[1::2] == ["0.000", "0.250"]
    assert cells(text, "two answers disagree")[3] == "0.250"
    assert cells(text, "pass@2")[3] == "0.750"
    assert cells(text, "maj@2")[3] == "0.625"
    assert cells(text, "variance within one")[3] == "0.125"
    # nothing varies between rebuses whose first passes are all right
    assert cells(text, "variance of rebuses")[1:3] == ["0.000", "-"]
    assert "by sample: 0.750, 0.500; their variance 0.031, by chance 0.031\n" in text


def test_what_is_left_out_is_told() -> None:
    made = [answer(ROWS[0], sample=k) for k in range(2)]
    text = shown(samples.render(summary(ROWS, made, samples=2)["over_samples"]))
    assert text.splitlines()[0].strip() == "regular: 2 samples of 1 rebus"
    assert "; 3 rebuses without all answers left out" in text
    nothing = shown(samples.render(summary(ROWS, [], samples=2)["over_samples"]))
    assert "by sample: -, -; 4 rebuses without all answers left out" in nothing
    assert cells(nothing, "pass@1")[1:] == ["-"] * 4
