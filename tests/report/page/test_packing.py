"""What a page holds of items, and what it does when there is too much of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from apieval.report.page import packing
from apieval.report.page.items import ROOMS, Answer, Items, Key
from apieval.report.page.packing import fragment
from tests.report.page.material import answer, items, key, noise, unpacked


def alone(answers: Mapping[Key, Answer], rows: int = 0, **changes: Any) -> Items:  # noqa: ANN401
    return items({"alfa": answers}, rows, **changes)


def blocks(found: Items) -> dict[str, Any]:
    return unpacked(fragment(found).blocks)


def test_the_index_says_of_every_answer_what_filters_ask() -> None:
    alfa = {key(0): answer(), key(1): answer(solved=False, tolerant_solved=True)}
    beta = {key(1, 1): answer(solved=False)}
    index = blocks(items({"alfa": alfa, "beta": beta}, 2))["index"]
    assert index["items"] == {"row": [0, 1, 1], "setting": "000", "sample": [0, 0, 1]}
    assert [each["id"] for each in index["rows"]] == [0, 1]
    assert index["rows"][0]["solution"] == "Verità nascosta"
    assert index["rows"][0]["along_key"] is None
    first, second = index["answers"]
    assert (first["solved"], first["tolerant"], second["solved"]) == ("10-", "-1-", "--0")
    steps = index["steps"]
    assert [steps[int(each)] for each in first["broke"][:2]] == ["solved", "solution"]
    assert index["outcomes"][int(first["outcome"][0])] == "ok"
    assert index["notices"] == []


def test_rows_without_gold_come_last_and_have_an_id_alone() -> None:
    index = blocks(alone({key(row): answer() for row in ("b", 10, 9, 0)}, 1))["index"]
    assert [each["id"] for each in index["rows"]] == [0, "b", 9, 10]
    assert index["rows"][1] == {"id": "b", "data": 0}


def test_steps_and_texts_are_of_the_same_items_in_several_chunks_where_they_are_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(packing, "CHUNK", 2_500)
    text = "x" * 1_000
    found = blocks(
        alone({key(n): answer(text=f"{n}{text}", took={"attempts": n}) for n in range(5)}, 5)
    )
    starts = found["index"]["chunks"]
    assert starts["texts"] == [0, 2, 4]
    steps = [each for n in range(len(starts["steps"])) for each in found[f"steps-{n}"]]
    assert [each[0].get("took") for each in steps] == [{"attempts": n} for n in range(5)]
    texts = [each for n in range(3) for each in found[f"texts-{n}"]]
    assert [each[0] for each in texts] == [[f"{n}{text}", None] for n in range(5)]


def test_wrong_ones_alone() -> None:
    alfa = {key(n): answer(solved=n != 1) for n in range(3)}
    beta = {key(n): answer() for n in range(2)}  # row 2 was not requested
    found = fragment(items({"alfa": alfa, "beta": beta}, 3), "wrong")
    index = unpacked(found.blocks)["index"]
    assert [index["rows"][row]["id"] for row in index["items"]["row"]] == [1, 2]
    notice = "Of 3 items only the 2 that some run did not solve are here."
    assert found.notices == (notice,)
    assert index["notices"] == [notice]


NOT_SOLVED = "that some run did not solve are here"


@pytest.mark.parametrize(
    ("solved", "n", "limit", "kept", "shown", "notices"),
    [
        pytest.param(2, 4, 30_000, 4, 6_000, [], id="texts are shortened before items go"),
        pytest.param(
            30, 33, 10_000, 3, 3_000, [f"Of 33 items only the 3 {NOT_SOLVED}; "], id="right ones go"
        ),
        pytest.param(
            0, 300, 3_000, 133, 0, [f"Of 300 items only the first 133 {NOT_SOLVED}; "], id="at last"
        ),
        pytest.param(0, 3, 1, 0, 0, [f"Of 3 items only the first 0 {NOT_SOLVED}; "], id="no room"),
    ],
)
def test_what_there_is_no_room_for(
    solved: int, n: int, limit: int, kept: int, shown: int, notices: list[str]
) -> None:
    length = 600 if shown == 0 else 16_000
    answers = {key(row): answer(solved=row < solved, text=noise(length, row)) for row in range(n)}
    made = fragment(alone(answers, n), limit=limit)
    found = unpacked(made.blocks)
    assert len(found["index"]["items"]["row"]) == kept
    for texts in found.get("texts-0", ()):
        head, tail, whole = texts[0][0]
        assert (len(head) + len(tail), whole) == (shown, length)
    notices = [*notices, f"At most {shown:,} " if shown else "Raw answers and reasonings are left"]
    for said, notice in zip(made.notices, notices, strict=True):
        assert said.startswith(notice)


@pytest.mark.parametrize(
    ("room", "said"),
    [
        (ROOMS[4], "At most 1,500 characters of an answer and 300 of a reasoning are here"),
        (ROOMS[5], "At most 600 characters of an answer and no reasoning are here"),
    ],
)
def test_a_run_that_was_cut_as_it_was_gathered_says_so(room: tuple[int, int], said: str) -> None:
    made = fragment(alone({key(0): answer(text="testo")}, 1, room=room))
    rest = ", for want of room; the whole texts are in responses.jsonl."
    assert made.notices == (said + rest,)


def test_nothing_hostile_is_in_the_page_but_packed() -> None:
    hostile = "</script><script>alert(1)</script><!-- {{jinja}}"
    answers = {hostile: {key(hostile): answer(text=hostile)}}
    made = fragment(items(answers, doubts=[hostile], data={"sha256:0": hostile}))
    assert "alert" not in made.blocks
    index = unpacked(made.blocks)["index"]
    assert (index["models"][0]["name"], index["notices"]) == (hostile, [hostile])
    assert "</script" not in made.script
    assert "</style" not in made.style


def test_half_a_pair_is_packed_as_it_is_and_the_same_items_make_the_same_page() -> None:
    found = alone({key(0): answer(text="a\ud800\0è")}, 1)
    assert blocks(found)["texts-0"] == [[["a\ud800\0è", None]]]
    assert fragment(found) == fragment(found)
