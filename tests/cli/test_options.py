from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.cli.options import params
from apieval.errors import ConfigError


@pytest.mark.parametrize(
    ("choice", "name", "value"),
    [
        ("max_tokens=4096", "max_tokens", 4096),
        ("temperature=0.5", "temperature", 0.5),
        ("temperature=null", "temperature", None),
        ("reasoning_effort=high", "reasoning_effort", "high"),
        ('reasoning_effort="high"', "reasoning_effort", "high"),
        (r'stop=["\n\n", "="]', "stop", ["\n\n", "="]),
        (r'stop="\n\n"', "stop", "\n\n"),
        ("stop=a=b", "stop", "a=b"),
        ("stop=", "stop", ""),
        ("stop=[", "stop", "["),
        ("stop=" + "[" * 100_000, "stop", "[" * 100_000),
        ("seed=" + "9" * 5000, "seed", "9" * 5000),
    ],
)
def test_a_value_is_json_where_it_can_be(choice: str, name: str, value: object) -> None:
    assert params([choice]) == {name: value}


def test_several_and_none() -> None:
    assert params(["seed=1", "top_p=1"]) == {"seed": 1, "top_p": 1}
    assert params([]) == params(None) == {}


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        (["seed"], "--param 'seed': write it as NAME=VALUE."),
        ([""], "write it as NAME=VALUE"),
        (["seed=1", "seed=1"], "--param seed was given twice"),
    ],
)
def test_what_is_no_parameter(choices: list[str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        params(choices)


@given(st.lists(st.text(st.characters(codec=None))))
def test_any_words_are_parameters_or_refused(choices: list[str]) -> None:
    try:
        found = params(choices)
    except ConfigError:
        return
    assert len(found) == len(choices)
