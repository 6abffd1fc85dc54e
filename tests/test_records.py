from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from apieval import records
from apieval.records import Outcome, Record, Response, Tally, well_formed
from tests.records import rebus, response


def test_names_that_stand_in_files() -> None:
    assert records.SETTINGS == ("regular", "hints")
    assert [each.value for each in Outcome] == ["ok", "truncated", "empty", "refused", "failed"]


def test_records_are_frozen() -> None:
    row: Any = rebus()
    with pytest.raises(FrozenInstanceError):
        row.solution = "altro"
    answer: Any = response()
    with pytest.raises(ValidationError, match="frozen"):
        answer.text = "altro"


def test_records_take_no_unknown_field() -> None:
    with pytest.raises(TypeError, match="soluzione"):
        rebus(soluzione="altro")
    for record in Record.__subclasses__():
        extra = record.model_config.get("extra")
        assert extra == ("allow" if record is Response else "forbid"), record


def test_a_stored_answer_keeps_what_a_later_version_wrote() -> None:
    line = json.dumps({**response().model_dump(mode="json"), "later": {"x": [1]}})
    again = Response.model_validate_json(line)
    assert json.loads(again.model_dump_json()) == json.loads(line)


def test_a_stored_answer_has_the_fields_of_the_contract() -> None:
    assert list(Response.model_fields) == [
        *("id", "setting", "sample", "key", "text", "reasoning", "finish_reason", "outcome"),
        *("served_model", "system_fingerprint", "usage", "cost_usd", "latency_s", "attempts"),
        *("error", "created", "cached"),
    ]


@pytest.mark.parametrize("given_id", [0, 7, "7", "007", "x:1"])
def test_a_row_id_keeps_its_type(given_id: int | str) -> None:
    again = Response.model_validate_json(response(id=given_id).model_dump_json())
    assert (again.id, type(again.id)) == (given_id, type(given_id))


@pytest.mark.parametrize(
    ("right", "total", "share"),
    [(0, 3, 0.0), (1, 3, 0.3333), (2, 3, 0.6667), (3, 3, 1.0), (1, 8, 0.125), (1, 7, 0.1429)],
)
def test_a_share_has_four_decimals(right: int, total: int, share: float) -> None:
    assert Tally(right=right, total=total).share == share


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Verità", "Verità", id="plain"),
        pytest.param("", "", id="empty"),
        pytest.param("a\ud800b", "a\ufffdb", id="first half"),
        pytest.param("a\udc00b", "a\ufffdb", id="second half"),
        pytest.param("\ud83d", "\ufffd", id="first half at the end"),
        pytest.param("\udc00\ud83d", "\ufffd\ufffd", id="halves in the wrong order"),
        pytest.param("\ud83d\ude00", "😀", id="both halves are one character"),
        pytest.param("😀\ufeff\x00", "😀\ufeff\x00", id="odd but well-formed"),
    ],
)
def test_well_formed(text: str, expected: str) -> None:
    assert well_formed(text) == expected


@given(st.text(st.characters() | st.characters(categories=["Cs"])))
def test_a_well_formed_text_can_be_written_and_is_the_same_but_for_halves(text: str) -> None:
    mended = well_formed(text)
    mended.encode("utf-8")
    assert well_formed(mended) == mended
    if not any("\ud800" <= char <= "\udfff" for char in text):
        assert mended == text
