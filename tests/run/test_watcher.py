from __future__ import annotations

from pathlib import Path

from apieval.errors import TransientFailure
from apieval.run.cost import Forecast
from apieval.run.watcher import Watcher
from tests.records import response


def test_one_who_watches_in_silence_lets_everything_happen() -> None:
    silent = Watcher()
    silent.began("my-llama", Path("results"), 10, 3)
    silent.answered(response())
    silent.stumbled(TransientFailure("guasto"))
    silent.pressed(3, 32)
    silent.message("attenzione")
    silent.ended()
    assert silent.confirmed({"my-llama": Forecast(1, 1, 1, None, None)})
    assert silent.each(["my-llama", "baseline"]) == [silent, silent]
