from __future__ import annotations

import io

from rich.console import Console

from apieval.rebus.metrics import METRICS
from apieval.report import prompt_spread
from tests.records import Json
from tests.report.views import rows_of


def test_the_spread_over_prompts_is_a_table_a_setting() -> None:
    spread = {"values": [0.25, 0.75], "mean": 0.5, "sd": 0.354, "least": 0.25, "most": 0.75}
    one: Json = {
        "model": "mio\x1b[31m",
        "setting": "regular",
        "prompts": ["a", "b"],
        "metrics": {**dict.fromkeys(METRICS), "solution_match": spread},
    }
    stream = io.StringIO()
    for each in prompt_spread.render([one]):
        Console(file=stream, width=80).print(each)
    text = stream.getvalue()
    assert "what 2 prompts make of it" in text
    assert "\x1b" not in text
    assert rows_of(text)[-1] == ["solution_match", "0.250", "0.750", "0.500", "0.354"]
    assert rows_of(text)[0] == ["word_guess_accuracy", "-", "-", "-", "-"]
