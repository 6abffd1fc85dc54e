from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apieval.analysis.figures import Collector
from apieval.analysis.intervals import bootstrap, wilson
from apieval.rebus import metrics, scoring
from apieval.rebus.columns import ALL
from apieval.records import ItemScore, Outcome, Rebus, Setting
from apieval.results.figures import Figure
from tests.records import prediction, rebus

SETTINGS: tuple[Setting, ...] = ("regular",)


def score(
    gold: Rebus,
    *,
    failed: bool = False,
    sample: int = 0,
    setting: Setting = "regular",
    **parts: object,
) -> ItemScore:
    """Return the score of an answer whose parts are right but for the ones given."""
    right = {name: getattr(gold, name) for name in type(prediction()).model_fields}
    return scoring.of_prediction(
        prediction(**{**right, **parts}),
        gold,
        parser="official",
        setting=setting,
        sample=sample,
        outcome=Outcome.FAILED if failed else Outcome.OK,
    )


def figures(
    rebuses: Sequence[Rebus],
    scores: Iterable[ItemScore],
    samples: int = 1,
    subset: str = ALL,
) -> dict[str, Any]:
    collector = Collector(rebuses, SETTINGS, samples)
    for each in scores:
        collector.add(each)
    found: dict[str, Any] = collector.figures()["regular"][subset]["official"]
    return found


def plain(figure: Figure) -> tuple[float | None, int]:
    return figure["value"], figure["n"]


def rows(*sizes: int, subset: str | None = None) -> list[Rebus]:
    """Return rebuses of so many hidden words each."""
    return [
        rebus(id=number, subset=subset, word_guesses=tuple(f"w{k}" for k in range(size)))
        for number, size in enumerate(sizes)
    ]


def guesses(gold: Rebus, right: int) -> list[str]:
    return [word if k < right else "-" for k, word in enumerate(gold.word_guesses)]


class TestAggregations:
    def test_micro_is_of_words_and_macro_of_rebuses(self) -> None:
        golds = rows(1, 3)
        scores = [score(golds[0]), score(golds[1], word_guesses=guesses(golds[1], 1))]
        found = figures(golds, scores)["word_guess_accuracy"]
        assert plain(found["micro"]) == (2 / 4, 4)
        assert plain(found["macro"]) == ((1 + 0.3333) / 2, 2)

    def test_macro_rounds_each_share_to_four_decimals(self) -> None:
        golds = rows(3, 3, 3)
        scores = [score(gold, word_guesses=guesses(gold, 2)) for gold in golds]
        found = figures(golds, scores)["word_guess_accuracy"]
        assert found["macro"]["value"] == 0.6667
        assert found["micro"]["value"] == pytest.approx(2 / 3, abs=1e-12)

    @settings(max_examples=40)
    @given(
        st.lists(
            st.integers(1, 7).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
            min_size=1,
            max_size=12,
        )
    )
    def test_against_the_definitions(self, drawn: list[tuple[int, int]]) -> None:
        golds = rows(*(total for _, total in drawn))
        scores = [
            score(gold, word_guesses=guesses(gold, right))
            for gold, (right, _) in zip(golds, drawn, strict=True)
        ]
        found = figures(golds, reversed(scores))["word_guess_accuracy"]
        words = sum(total for _, total in drawn)
        micro = sum(right for right, _ in drawn) / words
        macro = math.fsum(round(right / total, 4) for right, total in drawn) / len(drawn)
        assert found["micro"]["value"] == pytest.approx(micro, abs=1e-9)
        assert found["macro"]["value"] == pytest.approx(macro, abs=1e-9)
        assert (found["micro"]["n"], found["macro"]["n"]) == (words, len(drawn))
        for figure in found.values():
            assert 0 <= figure["low"] <= figure["value"] <= figure["high"] <= 1
            assert set(figure) == {"value", "low", "high", "n"}

    def test_the_six_in_order_with_both_aggregations(self) -> None:
        found = figures([rebus()], [score(rebus())])
        assert list(found) == list(metrics.METRICS)
        assert all(list(each) == ["micro", "macro"] for each in found.values())

    def test_intervals(self) -> None:
        golds = rows(2, 4, 3)
        scores = [
            score(golds[0]),
            score(golds[1], word_guesses=guesses(golds[1], 1), solution="x", first_pass="x"),
            score(golds[2], word_guesses=[]),
        ]
        found = figures(golds, scores)
        micro, macro = bootstrap([(2, 2, 1, 1), (1, 4, 0.25, 1), (0, 3, 0, 1)])
        expected = {
            ("solution_match", "micro"): wilson(2, 3),
            ("solution_match", "macro"): wilson(2, 3),
            ("word_guess_accuracy", "micro"): micro,
            ("word_guess_accuracy", "macro"): macro,
        }
        for (name, aggregation), interval in expected.items():
            figure = found[name][aggregation]
            assert (figure["low"], figure["high"]) == interval

    def test_the_headline_of_the_case_with_everything_in_it(self) -> None:
        # 6 right, 2 wrong, 1 unread, 1 refused: all the model's; 2 failed: not the model's
        golds = [rebus(id=number) for number in range(12)]
        answered = [score(gold) for gold in golds[:6]]
        answered += [score(gold, solution="Altro") for gold in golds[6:8]]
        answered += [score(gold, solution="") for gold in golds[8:10]]
        answered += [score(gold, failed=True) for gold in golds[10:]]
        figure = figures(golds, answered)["solution_match"]["micro"]
        assert plain(figure) == (0.5, 12)
        assert figure["at_least"] == 0.5
        assert figure["at_most"] == pytest.approx(8 / 12)


class TestNothing:
    def test_of_no_rebus_there_is_no_figure(self) -> None:
        found = figures([], [])
        for name in metrics.METRICS:
            for figure in found[name].values():
                assert figure == {"value": None, "low": None, "high": None, "n": 0}

    def test_of_no_answer_every_figure_is_open(self) -> None:
        golds = rows(2, 3)
        figure = figures(golds, [])["word_guess_accuracy"]["micro"]
        assert (figure["value"], figure["n"]) == (0, 5)
        assert (figure["at_least"], figure["at_most"]) == (0, 1)


class TestPartial:
    drawn = st.lists(
        st.tuples(
            st.integers(1, 5), st.integers(0, 5), st.booleans(), st.sampled_from([0, 0, 1, 2])
        ),
        min_size=1,
        max_size=10,
    )

    @settings(max_examples=40)
    @given(drawn)
    def test_the_bounds_are_what_the_missing_answers_can_still_make(
        self, drawn: list[tuple[int, int, bool, int]]
    ) -> None:
        golds = rows(*(size for size, *_ in drawn))
        worst, best, now = [], [], []
        for gold, (_, right, solved, missing) in zip(golds, drawn, strict=True):
            said = gold.solution if solved else "-"
            mine = score(gold, word_guesses=guesses(gold, right), solution=said)
            worst.append(score(gold, word_guesses=[], solution="-") if missing else mine)
            best.append(score(gold) if missing else mine)
            now += {0: [mine], 1: [score(gold, failed=True)], 2: []}[missing]
        found, least, most = (figures(golds, scores) for scores in (now, worst, best))
        partial = any(missing for *_, missing in drawn)
        for name in ("word_guess_accuracy", "solution_match"):
            for aggregation, figure in found[name].items():
                assert figure["n"] == least[name][aggregation]["n"]
                assert figure["value"] == pytest.approx(least[name][aggregation]["value"])
                assert ("at_least" in figure, "at_most" in figure) == (partial, partial)
                if partial:
                    high = most[name][aggregation]["value"]
                    assert figure["at_least"] == figure["value"]
                    assert figure["at_most"] == pytest.approx(high, abs=1e-9)

    def test_a_failure_never_leaves_the_denominator(self) -> None:
        golds = rows(2, 2)
        half = figures(golds, [score(golds[0]), score(golds[1], failed=True)])
        assert plain(half["solution_match"]["micro"]) == (0.5, 2)
        assert plain(half["word_guess_accuracy"]["micro"]) == (0.5, 4)

    def test_a_subset_without_a_failure_is_whole(self) -> None:
        golds = [rebus(id=0, subset="id"), rebus(id=1, subset="new")]
        scores = [score(golds[0]), score(golds[1], failed=True)]
        assert "at_most" not in figures(golds, scores, subset="id")["solution_match"]["micro"]
        assert "at_most" in figures(golds, scores, subset="new")["solution_match"]["micro"]
        assert "at_most" in figures(golds, scores)["solution_match"]["micro"]


class TestSamples:
    def test_samples_of_a_rebus_stand_together(self) -> None:
        golds = [rebus(id=number) for number in range(10)]
        scores = [score(gold, sample=k) for gold in golds for k in range(3)]
        figure = figures(golds, scores, samples=3)["solution_match"]["micro"]
        assert plain(figure) == (1.0, 30)
        # ten rebuses, not thirty independent answers
        assert (figure["low"], figure["high"]) == wilson(10, 10)

    def test_the_interval_is_over_rebuses(self) -> None:
        golds = [rebus(id=number) for number in range(4)]
        right = [(3, 3), (0, 3), (2, 3), (1, 3)]
        scores = [
            score(gold, sample=k, solution=gold.solution if k < count else "x")
            for gold, (count, _) in zip(golds, right, strict=True)
            for k in range(3)
        ]
        figure = figures(golds, scores, samples=3)["solution_match"]["micro"]
        assert plain(figure) == (0.5, 12)
        assert (figure["low"], figure["high"]) == bootstrap([(*r, *r) for r in right])[0]

    def test_a_missing_sample_is_open(self) -> None:
        golds = rows(2)
        figure = figures(golds, [score(golds[0])], samples=2)["word_guess_accuracy"]
        assert plain(figure["micro"]) == (0.5, 4)
        assert figure["micro"]["at_most"] == 1.0
        assert plain(figure["macro"]) == (0.5, 2)


class TestCollector:
    def test_every_subset_and_all_of_them(self) -> None:
        golds = [rebus(id=n, subset=name) for n, name in enumerate(["new", "id", "new"])]
        collector = Collector(golds, SETTINGS)
        for gold in golds:
            collector.add(score(gold, solution="x" if gold.subset == "id" else gold.solution))
        tree = collector.figures()["regular"]
        found = {s: plain(tree[s]["official"]["solution_match"]["micro"]) for s in tree}
        assert found == {"all": (2 / 3, 3), "new": (1.0, 2), "id": (0.0, 1)}

    def test_settings_do_not_mix(self) -> None:
        both: tuple[Setting, ...] = ("regular", "hints")
        collector = Collector([rebus()], both)
        collector.add(score(rebus()))
        collector.add(score(rebus(), setting="hints", solution="x"))
        tree = collector.figures()
        assert list(tree) == ["regular", "hints"]
        values = [tree[s]["all"]["official"]["solution_match"]["micro"]["value"] for s in tree]
        assert values == [1.0, 0.0]

    def test_outcomes_are_counted_once_an_answer(self) -> None:
        collector = Collector([rebus(id=0), rebus(id=1)], SETTINGS)
        collector.add(score(rebus(id=0)))
        collector.add(score(rebus(id=1), failed=True))
        assert collector.outcomes == {"regular": {"ok": 1, "failed": 1}}

    def test_figures_are_strict_json(self) -> None:
        for golds in ([], [rebus()], rows(2, 3, 4)):
            json.dumps(figures(golds, []), allow_nan=False)


def test_over_the_answers_there_are() -> None:
    golds = rows(2, 2, 2)
    scores = [score(golds[0]), score(golds[1], word_guesses=[]), score(golds[2], failed=True)]
    figure = figures(golds, scores)["word_guess_accuracy"]["micro"]
    assert figure["answered"] == pytest.approx(2 / 4)
    none = figures(golds, [score(each, failed=True) for each in golds])["solution_match"]["macro"]
    assert none["answered"] is None
