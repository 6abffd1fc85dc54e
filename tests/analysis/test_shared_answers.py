"""Wrong answers that two runs share: when that is too many, and when it is nothing."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from apieval.analysis.shared_answers import (
    Key,
    Said,
    Side,
    beyond_chance,
    most_likely,
    said,
    shared,
)
from apieval.results.summary import AuditFinding


def side(name: str, solutions: Sequence[str], *models: str, right: Sequence[int] = ()) -> Side:
    """Return a run whose whole answers differ as its solutions do."""
    answers: dict[Key, Said] = {
        (row, 0): said(("a",), text, ("b",), text, right=row in right)
        for row, text in enumerate(solutions)
    }
    return Side(name, frozenset(models or (name,)), {"hints": answers})


def found(one: Side, other: Side) -> list[AuditFinding]:
    return list(shared(one, other))


OWN = [f"mia {n}" for n in range(100)]
OTHERS = [f"sua {n}" for n in range(100)]


def test_a_copy_is_found() -> None:
    (only,) = found(side("a", OWN, right=[3]), side("b", [each.upper() for each in OWN], right=[3]))
    assert (only["kind"], only["level"]) == ("same_wrong_answers", "warning")
    assert (only["count"], only["of"], only["ids"][:4]) == (99, 99, [0, 1, 2, 4])
    assert only["more"]["readings"] == 0  # the first passes differ in case
    assert only["text"].startswith("a and b give the same wrong solution to 99 of the 99 rebuses")
    assert only["text"].endswith("was one copied or given a wrong name?")
    assert 0 < only["more"]["p_at_most"] < 1e-9


def test_one_model_is_noted() -> None:
    (only,) = found(side("a", OWN, "gpt", "x"), side("b", OWN, "gpt", "y"))
    assert only["level"] == "note"
    assert only["text"].endswith("it is one model, as expected")


@pytest.mark.parametrize(("same", "told"), [(49, False), (51, True)])
def test_half_of_the_solutions_is_many(same: int, told: bool) -> None:
    other = [f"{each} " if n < same else OTHERS[n] for n, each in enumerate(OWN)]
    assert bool(found(side("a", OWN), side("b", other))) is told


@pytest.mark.parametrize(("same", "told"), [(24, False), (26, True)])
def test_a_quarter_of_whole_readings_is_many(same: int, told: bool) -> None:
    other = [*OWN[:same], *OTHERS[same:]]
    assert bool(found(side("a", OWN), side("b", other))) is told


@pytest.mark.parametrize(("n", "told"), [(17, False), (18, True)])
def test_fewer_than_eighteen_are_no_evidence(n: int, told: bool) -> None:
    assert bool(found(side("a", OWN[:n]), side("b", OWN[:n]))) is told


def test_always_the_same_answer_is_no_copy() -> None:
    mine = ["sempre questa"] * 60 + OWN[60:]
    its = OTHERS[:10] + ["sempre questa"] * 80 + OTHERS[90:]
    assert sum(one == other for one, other in zip(mine, its, strict=True)) == 50
    assert found(side("a", mine), side("b", its)) == []
    assert found(side("a", ["x"] * 99), side("b", ["x"] * 99)) == []


def test_right_and_blank_answers_say_nothing() -> None:
    everything = range(100)
    assert found(side("a", OWN, right=everything), side("b", OWN, right=everything)) == []
    assert found(side("a", [""] * 100), side("b", [""] * 100)) == []
    assert found(side("a", OWN), Side("b", frozenset(), {})) == []
    assert found(side("a", OWN), Side("b", frozenset(), {"hints": {}})) == []


def test_texts_are_told_where_both_have_them() -> None:
    def with_texts(run: Side, texts: Sequence[int | None]) -> Side:
        answers = run.said["hints"]
        told = {
            key: each._replace(text=text)
            for (key, each), text in zip(answers.items(), texts, strict=True)
        }
        return Side(run.name, run.models, {"hints": told})

    own = with_texts(side("a", OWN), range(100))
    (only,) = found(own, with_texts(side("b", OWN), [*range(90), *[None] * 10]))
    assert only["more"]["texts"] == 90
    assert ", in 90 the whole text to the letter:" in only["text"]
    (only,) = found(own, side("b", OWN))
    assert "letter" not in only["text"]


def test_a_copy_is_found_in_both_orders() -> None:
    one, other = side("a", OWN), side("b", [*OWN[:70], *OTHERS[70:]])
    (first,), (second,) = found(one, other), found(other, one)
    assert first["ids"] == second["ids"]
    assert first["more"]["p_at_most"] == second["more"]["p_at_most"]


@pytest.mark.parametrize("weights", [(1, 1), (5, 1), (20, 3)])
def test_the_bound_is_above_what_random_matchings_give(weights: tuple[int, int]) -> None:
    chance = random.Random(7)
    texts = [n // weights[0] for n in range(60)]
    others = [n // weights[1] for n in range(60)]
    expected = sum(texts.count(each) * others.count(each) for each in set(texts)) / 60
    sums = []
    for _ in range(2000):
        chance.shuffle(others)
        sums.append(sum(one == other for one, other in zip(texts, others, strict=True)))
    for same in range(1, 30):
        assert sum(each >= same for each in sums) / 2000 <= most_likely(same, expected)


def test_agreement_beyond_chance() -> None:
    assert beyond_chance(10, 0.0, 10) == 1.0
    assert beyond_chance(5, 5.0, 10) == 0.0
    assert beyond_chance(10, 10.0, 10) == 0.0
    assert most_likely(3, 5.0) == 1.0


def test_case_and_blanks_around_do_not_count() -> None:
    one = said(("a",), "b", ("c",), " Una Prova ", right=False)
    assert one == Said(right=False, solution="una prova", reading=one.reading)
