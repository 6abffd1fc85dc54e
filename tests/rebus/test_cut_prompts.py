from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apieval.rebus import dataset, prompts
from apieval.rebus.cut_prompts import MANY, PromptCounts
from apieval.records import SETTINGS

Count = Callable[[int, int], int]
"""What a server says of a prompt: of its number, from 0, and of its true number of tokens."""


def lengths(chance: Random, n: int, spread: float = 25.0) -> list[int]:
    return [max(200, round(chance.gauss(2000, spread))) for _ in range(n)]


def tokens(chance: Random, characters: int, each: float = 3.5, noise: float = 3.0) -> int:
    return round(characters / each + chance.gauss(0, noise))


def told(count: Count, n: int = 200, spread: float = 25.0, seed: int = 1) -> tuple[list[str], int]:
    """Return what is said while a server counts so, and how many cuts are found at the end."""
    chance, counts, said = Random(seed), PromptCounts(), []
    for number, characters in enumerate(lengths(chance, n, spread)):
        if cut := counts.add("regular", characters, count(number, tokens(chance, characters))):
            said.append(str(cut))
    return said, len(counts.found())


# --- no false alarm --------------------------------------------------------------------------

tokenizers = st.fixed_dictionaries(
    {
        "each": st.floats(3, 5),
        "noise": st.floats(0, 12),
        "around": st.integers(0, 300),
        "spread": st.floats(0, 150),
        "n": st.sampled_from([20, 40, 90, 400]),
        "seed": st.integers(0, 2**32),
    }
)
REPORTS: dict[str, Callable[[Random, int], int | None]] = {
    "all": lambda _, whole: whole,
    "what was not cached": lambda _, whole: whole - 500,
    "that, now and then": lambda chance, whole: whole - chance.choice([0, 500]),
    "what was not cached, in blocks": lambda _, whole: whole - 16 * (500 // 16),
    "one, where all was cached": lambda chance, whole: chance.choice([1, whole]),
    "one": lambda *_: 1,
    "nothing": lambda *_: 0,
    "unknown": lambda *_: None,
    "now and then unknown": lambda chance, whole: chance.choice([None, whole]),
}


@pytest.mark.parametrize("name", REPORTS)
@settings(max_examples=60)
@given(drawn=tokenizers)
def test_no_plausible_count_raises_an_alarm(name: str, drawn: dict[str, float]) -> None:
    chance, counts = Random(int(drawn["seed"])), PromptCounts()
    for characters in lengths(chance, int(drawn["n"]), drawn["spread"]):
        whole = drawn["around"] + tokens(chance, characters, drawn["each"], drawn["noise"])
        assert counts.add("hints", characters, REPORTS[name](chance, round(whole))) is None
    assert counts.found() == []


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param(r"\w+|\s|[^\w\s]", id="words"),
        pytest.param(r"\w{1,3}|\s|[^\w\s]", id="threes"),
        pytest.param(r" ?\w{1,5}|\s+|[^\w\s]+", id="fives"),
        pytest.param(r".", id="characters"),
    ],
)
@pytest.mark.parametrize("samples", [1, 3])
def test_the_samples_own_prompts_raise_none(pattern: str, samples: int) -> None:
    counts, piece = PromptCounts(), re.compile(pattern, re.DOTALL)
    for setting in SETTINGS:
        for rebus in dataset.load().rebuses * samples:
            text = prompts.build(rebus, setting)
            assert counts.add(setting, len(text), len(piece.findall(text))) is None
    assert counts.found() == []


@pytest.mark.parametrize(("different", "spread"), [(2, 90), (200, 40)])
def test_prompts_of_few_or_near_lengths_show_nothing(different: int, spread: int) -> None:
    counts = PromptCounts()
    for number in range(400):
        characters = 2000 + number % different * spread // different
        assert counts.add("regular", characters, 512) is None
    assert counts.found() == []


def test_fewer_are_told_at_the_end_alone() -> None:
    assert told(lambda *_: 512, n=MANY - 1) == ([], 1)


@pytest.mark.parametrize("name", REPORTS)
def test_of_few_prompts_hardly_a_plausible_count_raises_an_alarm(name: str) -> None:
    alarms = 0
    for seed in range(500):
        chance, counts = Random(seed), PromptCounts()
        for characters in lengths(chance, 2 + seed % 18, 40):
            counts.add("hints", characters, REPORTS[name](chance, tokens(chance, characters)))
        alarms += len(counts.found())
    assert alarms <= 3


# --- a cut is seen ---------------------------------------------------------------------------

CUTS: dict[str, Count] = {
    "at a context": lambda _, whole: min(whole, 512),
    "to half of a context": lambda *_: 258,
    "at a context some fit into": lambda _, whole: min(whole, 570),
    "by one of three servers": lambda number, whole: whole if number % 3 else 512,
    "but for the first ones": lambda number, whole: whole if number < 30 else 512,
    "by words": lambda number, _: 130 + number * 7919 % 11,
    "by a fake count": lambda *_: 100_000_000,
}


@pytest.mark.parametrize("name", CUTS)
def test_a_cut_is_told_once(name: str) -> None:
    for seed in range(20):
        said, found = told(CUTS[name], n=400, seed=seed)
        assert (len(said), found) == (1, 1), seed


@given(context=st.integers(32, 400), seed=st.integers(0, 2**32), n=st.integers(40, 400))
def test_any_context_that_is_too_small_is_seen(context: int, seed: int, n: int) -> None:
    said, found = told(lambda _, whole: min(whole, context), n, spread=40, seed=seed)
    assert (len(said), found) == (1, 1)
    assert said[0].startswith(f"regular: the server counts exactly {context:,} prompt tokens in ")


def test_it_is_told_as_soon_as_it_is_clear() -> None:
    counts = PromptCounts()
    told = [counts.add("hints", 2000 + 5 * number, 512) for number in range(2 * MANY)]
    assert [number for number, cut in enumerate(told) if cut] == [MANY - 1]
    assert str(told[MANY - 1]) == (
        "hints: the server counts exactly 512 prompt tokens in 20 prompts of 2,000 to 2,095 "
        "characters alike, so it seems to cut them; raise its context (Ollama: "
        "OLLAMA_CONTEXT_LENGTH, llama.cpp: -c), then start over with --fresh --cache off"
    )
    (cut,) = counts.found()
    assert (cut.answers, cut.longest) == (40, 2195)


def test_one_setting_may_be_cut_and_the_other_not() -> None:
    counts, chance = PromptCounts(), Random(1)
    for number in range(200):
        characters = 1900 + number
        counts.add("regular", characters, tokens(chance, characters))
        counts.add("hints", characters + 115, min(tokens(chance, characters + 115), 560))
    assert [cut.setting for cut in counts.found()] == ["hints"]


def test_an_average_is_told_where_counts_differ() -> None:
    said, _ = told(CUTS["by words"])
    assert "counts about 13" in said[0]


# --- few answers -----------------------------------------------------------------------------


def few(*prompts: tuple[int, int | None]) -> list[str]:
    """Return what is found of some prompts, each so many characters and counted as so many tokens."""
    counts = PromptCounts()
    for characters, count in prompts:
        counts.add("hints", characters, count)
    return [str(each) for each in counts.found()]


@pytest.mark.parametrize(
    ("prompts", "begins"),
    [
        pytest.param(
            [(1980, 512), (2010, 512), (2100, 512)],
            "hints: the server counts exactly 512 prompt tokens in 3 prompts of 1,980 to 2,100 "
            "characters alike, so it seems to cut them; raise",
            id="one count of three",
        ),
        pytest.param(
            [(1980, 128), (2100, 130)],
            "hints: the server counts about 130 prompt tokens in 2 prompts of 1,980 to 2,100 "
            "characters alike, so it seems to cut them (or leaves out what it had cached); raise",
            id="far too few, nearly one count",
        ),
        pytest.param(
            [(2100, 128)],
            "hints: the server counts exactly 128 prompt tokens in a prompt of 2,100 characters, so "
            "it seems to cut it (or leaves out what it had cached); raise",
            id="far too few of one",
        ),
    ],
)
def test_few_prompts_that_are_cut(prompts: list[tuple[int, int | None]], begins: str) -> None:
    (only,) = few(*prompts)
    assert only.startswith(begins)


@pytest.mark.parametrize(
    "prompts",
    [
        pytest.param([(1980, 566), (2010, 574), (2100, 600)], id="whole counts"),
        pytest.param([(1980, 566), (2010, 566)], id="two of one count"),
        pytest.param([(2000, 571), (2000, 571), (2000, 571)], id="samples of one prompt"),
        pytest.param([(2000, 571), (2010, 571), (2020, 571)], id="hardly apart"),
        pytest.param([(1980, 66), (2010, 74), (2100, 100)], id="what was not cached"),
        pytest.param([(1980, 571), (2100, 71)], id="all, then what was not cached"),
        pytest.param([(1980, 9), (2010, 9), (2100, 9)], id="next to nothing"),
        pytest.param([(1980, None), (2100, None)], id="unknown"),
    ],
)
def test_few_prompts_that_are_not(prompts: list[tuple[int, int | None]]) -> None:
    assert few(*prompts) == []
