from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.analysis.claims import ABSENT, Difference, State, differences, judged, leaves

texts = st.text(max_size=3)
documents: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@given(documents)
def test_a_document_does_not_differ_from_its_copy(document: Any) -> None:  # noqa: ANN401 # any JSON
    assert list(differences(document, copy.deepcopy(document))) == []


@pytest.mark.parametrize(
    ("stored", "remade", "found"),
    [
        pytest.param({"a": {"b": 1}}, {"a": {"b": 2}}, [("a.b", 1, 2)], id="a value"),
        pytest.param({}, {"a": 1}, [("a", ABSENT, 1)], id="absent"),
        pytest.param({"a": None}, {}, [("a", None, ABSENT)], id="too much"),
        pytest.param([1, [2, 3]], [1, [2, 4]], [("[1][1]", 3, 4)], id="in lists"),
        pytest.param({"a": [1]}, {"a": [1, 2]}, [("a", [1], [1, 2])], id="a longer list"),
        pytest.param({"a": [1]}, {"a": (1,)}, [], id="a tuple is a list"),
        pytest.param(0.1 + 0.2, 0.3, [], id="rounding"),
        pytest.param(0.3, 0.300001, [("", 0.3, 0.300001)], id="a digit"),
        pytest.param(1, 1.0, [], id="numbers"),
        pytest.param(1, True, [("", 1, True)], id="a truth is no number"),
        pytest.param("1", 1, [("", "1", 1)], id="a text is no number"),
        pytest.param({"a": 1}, [1], [("", {"a": 1}, [1])], id="another kind"),
    ],
)
def test_every_difference_is_named(stored: object, remade: object, found: object) -> None:
    seen = [(each.what, each.stored, each.remade) for each in differences(stored, remade)]
    assert seen == found


def test_a_check_says_what_it_found() -> None:
    assert judged("a", "good", "bad", []).as_json() == {
        "name": "a",
        "state": "holds",
        "text": "good",
        "differences": [],
    }
    bad = judged("a", "good", "bad", [Difference("x", ABSENT, None)])
    assert (bad.state, bad.text) == (State.FAILS, "bad")
    assert bad.as_json()["differences"] == [{"what": "x", "remade": None}]
    assert repr(ABSENT) == "absent"


def test_leaves() -> None:
    assert leaves({"a": [1, 2, {"b": "text"}], "c": None, "d": {}}) == 4
