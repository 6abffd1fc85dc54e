"""What is drawn has the summary's numbers: read from what stands on the axes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

from apieval.records import SETTINGS, Outcome
from apieval.report.document import ReportedRun
from apieval.report.figures import contrasts, cost, dependence, first_error, funnel, style
from apieval.report.figures import spending as spending_figure
from apieval.report.figures.canvas import Sketch
from apieval.report.figures.drawing import FAMILIES
from apieval.report.figures.runs import PARTIAL, Shown
from tests.analysis.answers import answer
from tests.records import Json
from tests.report import views
from tests.report.figures.documents import ROWS, run, shown, spending, whole_summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes

METRICS = (
    "word_guess_accuracy",
    "word_guess_length_accuracy",
    "first_pass_accuracy",
    "solution_word_accuracy",
    "solution_word_length_accuracy",
    "solution_match",
)
OF_STEPS = (METRICS[0], METRICS[2], METRICS[3], METRICS[5])
FEW = (METRICS[0], METRICS[2], METRICS[5])


def line(axes: Axes, label: str) -> Any:  # noqa: ANN401 # a line, whose data mypy knows badly
    [found] = [each for each in axes.lines if each.get_label() == label]
    return found


def lengths(axes: Axes) -> list[tuple[float, float]]:
    """Return the bounds of all intervals of rows, from the left to the right."""
    return [(float(low[0]), float(high[0])) for low, high in segments(axes)]


def heights(axes: Axes) -> list[tuple[float, float]]:
    return [(float(low[1]), float(high[1])) for low, high in segments(axes)]


def segments(axes: Axes) -> list[Any]:
    return [part for each in cast("list[Any]", axes.collections) for part in each.get_segments()]


def micro(summary: dict[str, Any], setting: str, names: Sequence[str]) -> list[dict[str, Any]]:
    return [summary["figures"][setting]["all"]["official"][name]["micro"] for name in names]


def percents(figures: Sequence[dict[str, Any]], key: str = "value") -> Any:  # noqa: ANN401 # pytest's own
    return pytest.approx([100 * (each[key] or 0) for each in figures])


def lacking(setting: str) -> Json:
    """Return a summary without one setting."""
    summary = whole_summary()
    summary["settings"].remove(setting)
    for part in ("figures", "gaps", "diagnosis", "dependence", "format_loss"):
        del summary[part][setting]
    return summary


def drawn(family: Callable[[Shown], Iterator[Sketch]], name: str, *runs: ReportedRun) -> Sketch:
    """Return the one figure of that name that a family draws of some runs."""
    with shown(*runs) as document:
        [found] = [each for each in family(document) if each.name == name]
    return found


def altered(value: float, setting: str = "hints", **more: float | None) -> Json:
    """Return a summary with another share of solutions in one setting."""
    summary = whole_summary(partial=bool(more))
    figure = summary["figures"][setting]["all"]["official"]["solution_match"]["micro"]
    figure |= {"value": value, **more}
    return summary


def test_the_funnel_of_one_run_has_both_settings_on_one_panel() -> None:
    summary = whole_summary()
    sketch = drawn(funnel.sketches, "funnel", run(changed=summary))
    [axes] = sketch.sheet.axes
    figures: list[dict[str, Any]] = []
    for setting in ("regular", "hints"):
        figures = micro(summary, setting, OF_STEPS)
        assert list(line(axes, setting).get_ydata()) == percents(figures)
        ends = [(100 * each["low"], 100 * each["high"]) for each in figures]
        assert set(ends) <= set(heights(axes))
    assert "n = 24 to 48." in sketch.caption
    assert f"hints: word guesses {100 * figures[0]['value']:.1f} %" in sketch.alt
    assert sketch.caption.startswith("my-llama. ")


def test_the_funnel_of_several_runs_has_a_panel_a_setting_with_names() -> None:
    sketch = drawn(funnel.sketches, "funnel", run("a"), run("b", altered(0.125)))
    above, below = sketch.sheet.axes
    assert (above.get_title("left"), below.get_title("left")) == ("regular", "hints")
    assert line(below, "b").get_ydata()[-1] == 12.5
    assert line(below, "a").get_ydata()[-1] != 12.5
    for axes in (above, below):
        assert {each.get_text() for each in axes.texts} == {"a", "b"}
    assert line(above, "a").get_marker() != line(above, "b").get_marker()


def test_each_panel_names_its_own_runs() -> None:
    with shown(run("a", lacking("hints")), run("b", lacking("regular"))) as document:
        sketches = [*funnel.sketches(document), *dependence.sketches(document)]
    assert len(sketches) > 3
    for sketch in sketches:
        names = [[each.get_text() for each in axes.texts] for axes in sketch.sheet.axes]
        assert names == [["a"], ["b"]]


def test_bars_are_the_shares_of_where_it_broke_first() -> None:
    summary = whole_summary()
    sketch = drawn(first_error.sketches, "broke-first", run(changed=summary))
    [axes] = sketch.sheet.axes
    found = {each.get_label(): each for each in axes.containers}
    assert list(found) == [step.replace("_", " ") for step in style.STEPS]
    settings = [summary["diagnosis"][each]["all"]["broke_first"] for each in ("regular", "hints")]
    for step in style.STEPS:
        widths = [bar.get_width() for bar in found[step.replace("_", " ")]]
        assert widths == percents([each[step] for each in settings])
    ends = [bar.get_x() + bar.get_width() for bar in found["unanswered"]]
    assert ends == pytest.approx([100, 100])
    assert axes.get_xlim() == (0, 100)
    assert [each.get_text() for each in axes.texts if "n =" in each.get_text()] == [
        "regular, n = 24",
        "hints, n = 24",
    ]


@pytest.mark.parametrize("kind", dependence.KINDS, ids=lambda each: each.name)
def test_groups_have_their_shares_and_how_many_they_are(kind: dependence.Kind) -> None:
    summary = whole_summary()
    tree = summary["dependence"]["hints"]["official"][kind.metric][kind.on]
    if kind.on == "frequency":  # an extra
        figure = {"value": 0.25, "low": 0.125, "high": 0.5, "n": 9, "rebuses": 3}
        tree["groups"] = [
            {"from": 0, "below": 1, **figure},
            {"from": 1, "below": 2, **figure, "value": None, "n": 0},
            {"from": 2, "below": None, **figure},
        ]
    groups = tree["groups"]
    sketch = drawn(dependence.sketches, kind.name, run("a", summary), run("b", summary))
    axes = sketch.sheet.axes[-1]
    there = [each for each in groups if each["n"]]
    assert list(line(axes, "a").get_ydata()) == percents(there)
    assert len(heights(axes)) == 2 * len(there)
    ticks = [each.get_text() for each in axes.get_xticklabels()]
    assert [each.partition("\n")[2] for each in ticks] == [f"{each['n']:,}" for each in groups]
    if kind.on == "frequency":
        assert [each.partition("\n")[0] for each in ticks] == ["unknown", "1–2", "2+"]
    if kind.on == "word_length":
        assert [each.partition("\n")[0] for each in ticks][:2] == ["1–2", "3"]


def test_where_runs_lack_answers_groups_have_at_most_so_many() -> None:
    fewer = whole_summary()
    tree = fewer["dependence"]["regular"]["official"]["solution_match"]["hidden_words"]
    tree["groups"][0]["n"] = 3
    sketch = drawn(dependence.sketches, "hidden-words", run("a"), run("b", fewer))
    first = [axes.get_xticklabels()[0].get_text() for axes in sketch.sheet.axes]
    assert first == ["1\n≤8", "1\n8"]


def test_regular_against_hints_is_a_row_a_run_and_a_panel_a_metric() -> None:
    summary, other = whole_summary(), altered(0.125)
    sketch = drawn(contrasts.settings, "hints", run("a", summary), run("b", other))
    panels = sketch.sheet.axes
    assert [each.get_title("left") for each in panels] == [
        "word guesses",
        "first pass",
        "solution match",
    ]
    for axes, name in zip(panels, FEW, strict=True):
        for setting in ("regular", "hints"):
            figures = [micro(each, setting, [name])[0] for each in (summary, other)]
            assert list(line(axes, setting).get_xdata()) == percents(figures)
    assert [each.get_text() for each in panels[0].get_yticklabels()] == ["a", "b"]
    assert "b: " in sketch.alt
    assert "solution match hints 12.5 %" in sketch.alt


def test_of_one_run_metrics_are_rows() -> None:
    summary = whole_summary()
    sketch = drawn(contrasts.settings, "hints", run(changed=summary))
    [axes] = sketch.sheet.axes
    assert list(line(axes, "hints").get_xdata()) == percents(micro(summary, "hints", METRICS))
    assert len(axes.get_yticklabels()) == 6


def test_what_was_given_has_no_row() -> None:
    summary = whole_summary(given="definitions")
    for setting in ("regular", "hints"):
        for name in METRICS[:2]:
            nothing = {"value": None, "low": None, "high": None, "n": 0}
            summary["figures"][setting]["all"]["official"][name]["micro"] = nothing
    hints = drawn(contrasts.settings, "hints", run(changed=summary))
    steps = drawn(funnel.sketches, "funnel", run(changed=summary))
    assert len(hints.sheet.axes[0].get_yticklabels()) == 4
    assert len(line(steps.sheet.axes[0], "hints").get_ydata()) == 3


def test_gaps_have_a_marker_for_each_pair_and_setting() -> None:
    summary = whole_summary()
    sketch = drawn(contrasts.gaps, "gaps", run("a", summary), run("b", summary))
    axes = sketch.sheet.axes[-1]
    for setting in ("regular", "hints"):
        for pair in ("id - ood", "id - new"):
            gap = summary["gaps"][setting][pair]["official"]["solution_match"]["micro"]
            label = f"{pair.replace('-', '−')}, {setting}"
            assert list(line(axes, label).get_xdata()) == percents([gap, gap])
            assert (100 * gap["low"], 100 * gap["high"]) in [
                pytest.approx(each) for each in lengths(axes)
            ]
    assert len({each.get_marker() for each in axes.lines if "id" in str(each.get_label())}) == 2


def test_of_many_pairs_of_subsets_three_are_drawn() -> None:
    summary = whole_summary()
    for pairs in summary["gaps"].values():
        pairs |= {f"id - {other}": pairs["id - new"] for other in ("x", "y", "z")}
    sketch = drawn(contrasts.gaps, "gaps", run(changed=summary))
    assert "2 more pairs of subsets are not drawn." in sketch.caption
    assert len([each for each in sketch.sheet.axes[0].lines if "id" in str(each.get_label())]) == 6


def test_format_loss_is_the_difference_of_parsers() -> None:
    summary = whole_summary()
    loss = summary["format_loss"]["regular"]["all"]["metrics"]["solution_match"]
    loss |= {"difference": 0.25, "low": 0.125, "high": 0.5}
    sketch = drawn(contrasts.format_loss, "format-loss", run("a", summary), run("b", summary))
    axes = sketch.sheet.axes[-1]
    assert list(line(axes, "regular").get_xdata()) == pytest.approx([100 * loss["difference"]] * 2)
    assert (100 * loss["low"], 100 * loss["high"]) in lengths(axes)
    assert f"solution match regular {100 * loss['difference']:+.1f}" in sketch.alt


def test_cost_is_that_of_a_thousand_answers_and_unknown_is_left_out() -> None:
    runs = (
        run("cheap", spent=spending()),
        run("dear", spent=spending(20.0)),
        run("own server", spent=spending(priced=False)),
        run("scored alone"),
    )
    sketch = drawn(cost.sketches, "cost", *runs)
    [axes] = sketch.sheet.axes
    assert list(line(axes, "cheap, regular").get_xdata()) == pytest.approx([1.0])
    assert list(line(axes, "dear, hints").get_xdata()) == pytest.approx([40.0])
    [figure] = micro(whole_summary(), "hints", ["solution_match"])
    assert list(line(axes, "dear, hints").get_ydata()) == percents([figure])
    assert axes.get_xscale() == "log"
    assert "Not drawn, since their cost is unknown: own server, scored alone." in sketch.caption
    assert {each.get_text() for each in axes.texts} == {"cheap", "dear"}
    assert "dear, hints: 40.00 USD" in sketch.alt


def test_the_cost_of_one_run_is_no_comparison_and_a_price_of_nothing_is_known() -> None:
    with shown(run("a", spent=spending()), run("b")) as document:
        assert not [*cost.sketches(document)]
    runs = run("free", spent=spending(0.0)), run("dear", spent=spending(20.0))
    [axes] = drawn(cost.sketches, "cost", *runs).sheet.axes
    assert axes.get_xscale() == "linear"
    assert list(line(axes, "free, hints").get_xdata()) == [0.0]


def test_time_and_tokens_are_medians_within_quantiles() -> None:
    spent_by = spending()
    sketch = drawn(spending_figure.sketches, "spending", run(spent=spent_by), run("b"))
    time, tokens = sketch.sheet.axes
    quantiles = spent_by["hints"]["latency_s"]["quantiles"]
    assert list(line(time, "hints").get_xdata()) == [quantiles["0.5"]]
    assert (quantiles["0.05"], quantiles["0.95"]) in lengths(time)
    assert (quantiles["0.25"], quantiles["0.75"]) in lengths(time)
    assert (time.get_xlabel(), tokens.get_xlabel()) == ("seconds", "tokens")
    assert "time 11 seconds (95 % below 19)" in sketch.alt


def test_a_partial_run_has_bounds_and_says_so() -> None:
    summary = altered(0.375, at_least=0.25, at_most=0.5, answered=0.375)
    sketch = drawn(contrasts.settings, "hints", run("a"), run("b", summary))
    axes = sketch.sheet.axes[-1]
    assert line(axes, "hints").get_xdata()[1] == 37.5
    dotted = [
        each
        for each in cast("list[Any]", axes.collections)
        if each.get_linestyle()[0][1] is not None
    ]
    [segment] = [part for each in dotted for part in each.get_segments()]
    assert np.allclose(segment[:, 0], [25, 50])
    labels = [each.get_text() for each in sketch.sheet.axes[0].get_yticklabels()]
    assert labels == ["a", f"b{PARTIAL}"]
    assert f"Runs with {PARTIAL} lack answers" in sketch.caption


def test_a_partial_run_s_gap_is_that_of_its_answers() -> None:
    sketch = drawn(contrasts.gaps, "gaps", run("a"), run("b", of_some(range(14))))
    axes = sketch.sheet.axes[-1]
    assert line(axes, "id − ood, hints").get_xdata()[1] == pytest.approx(100 * (6 / 8 - 4 / 6))
    assert len(line(axes, "id − new, hints").get_xdata()) == 1  # of new none was answered
    assert (100 * (6 - 6) / 8, 100 * (6 - 4) / 8) in lengths(axes)


def test_a_legend_has_what_is_drawn() -> None:
    sketch = drawn(contrasts.gaps, "gaps", run(changed=of_some(range(14))))
    [legend] = sketch.sheet.legends
    names = [each.get_text() for each in legend.get_texts()]
    assert names == ["id − ood, regular", "id − ood, hints"]


def test_of_a_run_whose_requests_all_failed_nothing_is_drawn() -> None:
    summary = of_some(range(24), failed=True)
    assert summary["partial"]
    with shown(run(changed=summary)) as document:
        assert not [each for family in FAMILIES for each in family(document)]


def of_some(numbers: Iterable[int], *, failed: bool = False) -> dict[str, Any]:
    """Return a summary of answers to some of the rebuses, every fourth of them wrong."""
    answers = [
        answer(
            ROWS[n],
            setting=setting,
            outcome=Outcome.FAILED if failed else Outcome.OK,
            solution=ROWS[n].solution if n % 4 else "no",
        )
        for setting in SETTINGS
        for n in numbers
    ]
    return views.summary(ROWS, answers, settings=list(SETTINGS))


def test_where_no_answer_came_nothing_stands_for_it() -> None:
    summary = whole_summary(partial=True)
    for name in METRICS:
        figure = summary["figures"]["hints"]["all"]["official"][name]["micro"]
        figure |= {"at_least": 0.0, "at_most": 1.0, "answered": None}
    sketch = drawn(funnel.sketches, "funnel", run(changed=summary))
    assert [each.get_label() for each in sketch.sheet.axes[0].lines] == ["regular"]
