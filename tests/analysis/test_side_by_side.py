from __future__ import annotations

from apieval.analysis import comparison_sentences, ranks
from apieval.analysis.comparison import compare
from tests.analysis.scores import run


def told(*solved: int) -> list[tuple[str, str]]:
    names = "abcdef"[: len(solved)]
    runs = [
        run(name, {n: [4 * (n < count)] for n in range(60)})
        for name, count in zip(names, solved, strict=True)
    ]
    found = compare(runs, "official")
    return [*comparison_sentences.sentences(found, list(names), ranks.ranks(found, list(names)))]


def test_of_two_runs_it_is_the_comparisons_own_sentence() -> None:
    [(topic, text)] = told(10, 55)
    assert topic == "With hints"
    assert text.startswith("'b' solves more than 'a': +75.0 percentage points")
    [(_, alike)] = told(30, 30)
    assert alike.startswith("No difference is shown: 'b' minus 'a' is 0.0 percentage points")


def test_of_a_few_runs_pairs_are_named() -> None:
    assert told(55, 30, 30) == [
        (
            "With hints",
            "'a' solves more than 'b' and 'c'. No difference is shown between 'b' and 'c'.",
        ),
    ]
    [(_, none)] = told(30, 30, 30)
    assert none == (
        "No difference is shown between 'a' and 'b', nor between 'a' and 'c', nor between 'b' and 'c'."
    )
    [(_, all_shown)] = told(10, 30, 55)
    assert all_shown == "'c' solves more than 'a' and 'b'; 'b' solves more than 'a'."


def test_of_many_the_ranks_say_it_shorter() -> None:
    [(_, text)] = told(10, 30, 55, 30, 10)
    assert text == "By rank: 'c' 1, 'b' 2-3, 'd' 2-3, 'a' 4-5, 'e' 4-5."


def test_a_rank_is_a_place_or_a_range() -> None:
    assert [comparison_sentences.rank((1, 1)), comparison_sentences.rank((2, 4))] == ["1", "2-4"]
