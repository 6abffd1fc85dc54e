from __future__ import annotations

import threading
from functools import partial

import pytest

from apieval.analysis import figures as module
from apieval.analysis.figures import at_once, cores


@pytest.mark.parametrize("number", [1, 2, 64])
def test_what_calls_return_comes_in_their_order(
    monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(module, "cores", lambda: number)
    assert at_once(partial(pow, n, 2) for n in range(20)) == [n * n for n in range(20)]
    assert at_once([]) == []


def test_they_are_under_way_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "cores", lambda: 2)
    both = threading.Barrier(2, timeout=60)
    assert sorted(at_once([both.wait, both.wait])) == [0, 1]


@pytest.mark.parametrize("number", [1, 2])
def test_what_one_raises_is_raised(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(module, "cores", lambda: number)
    with pytest.raises(ZeroDivisionError):
        at_once([lambda: 1, lambda: 1 // 0])


def test_there_is_a_core() -> None:
    assert cores() >= 1


def test_without_a_word_about_which_cores_all_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert cores.__wrapped__() == 1
