"""What a page holds of items, and what it does when there is too much of them."""

from __future__ import annotations

import pytest

from apieval.report.page import packing
from apieval.report.page.cuts import ROOMS
from apieval.report.page.items import PART, WORDS, shown
from apieval.report.page.rebuses import fragment
from tests.records import prediction
from tests.report.page.material import answer, items, key, noise, unpacked


def test_the_index_says_of_every_answer_what_filters_ask() -> None:
    alfa = {key(0): answer(), key(1): answer(solved=False, tolerant_solved=True)}
    beta = {key(1, 1): answer(solved=False)}
    index = unpacked(fragment(items({"alfa": alfa, "beta": beta}, 2)).blocks)["index"]
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
    found = items(
        {"alfa": {key("b"): answer(), key(10): answer(), key(9): answer(), key(0): answer()}}, 1
    )
    index = unpacked(fragment(found).blocks)["index"]
    assert [each["id"] for each in index["rows"]] == [0, "b", 9, 10]
    assert index["rows"][1] == {"id": "b", "data": 0}


def test_steps_and_texts_are_of_the_same_items_in_the_same_order() -> None:
    answers = {key(n): answer(text=f"testo {n}", took={"attempts": n}) for n in range(3)}
    blocks = unpacked(fragment(items({"alfa": answers}, 3)).blocks)
    assert [each[0]["took"]["attempts"] for each in blocks["steps-0"]] == [0, 1, 2]
    assert [each[0] for each in blocks["texts-0"]] == [[f"testo {n}", None] for n in range(3)]
    assert blocks["index"]["chunks"] == {"steps": [0], "texts": [0]}


def test_large_texts_are_in_several_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "CHUNK", 2_500)
    answers = {key(n): answer(text="x" * 1_000) for n in range(5)}
    blocks = unpacked(fragment(items({"alfa": answers}, 5)).blocks)
    assert blocks["index"]["chunks"]["texts"] == [0, 2, 4]
    assert [len(blocks[f"texts-{n}"]) for n in range(3)] == [2, 2, 1]


def test_long_parts_and_many_words_are_cut() -> None:
    read = shown(prediction(solution="x" * 5_000, word_guesses=("a",) * (WORDS + 3)))
    assert read.word_guesses.more == 3
    assert len(read.word_guesses.shown) == WORDS
    made = answer()
    made.official = type(made.official)(read, {}, {})
    (only,) = unpacked(fragment(items({"alfa": {key(0): made}}, 1)).blocks)["steps-0"]
    head, tail, length = only[0]["official"]["solution"]
    assert (len(head) + len(tail), length) == (PART, 5_000)


def test_wrong_ones_alone() -> None:
    alfa = {key(n): answer(solved=n != 1) for n in range(3)}
    beta = {key(n): answer() for n in range(2)}  # row 2 was not asked
    found = fragment(items({"alfa": alfa, "beta": beta}, 3), "wrong")
    index = unpacked(found.blocks)["index"]
    assert [index["rows"][row]["id"] for row in index["items"]["row"]] == [1, 2]
    (said,) = found.notices
    assert said == "Of 3 items only the 2 that some run did not solve are here."
    assert index["notices"] == [said]


def _noisy(solved: int, others: int, length: int) -> dict[str, dict[object, object]]:
    return {
        "alfa": {
            key(n): answer(solved=n < solved, text=noise(length, n)) for n in range(solved + others)
        }
    }


def test_texts_are_shortened_before_items_are_left_out() -> None:
    found = fragment(items(_noisy(2, 2, 16_000), 4), limit=30_000)  # type: ignore[arg-type]
    blocks = unpacked(found.blocks)
    assert len(blocks["texts-0"]) == 4
    head, tail, length = blocks["texts-0"][0][0][0]
    assert (len(head) + len(tail), length) == (6_000, 16_000)
    (said,) = found.notices
    assert said.startswith("At most 6,000 characters of an answer and 2,000 of a reasoning")


def test_right_answers_are_left_out_where_texts_would_shrink_to_nothing() -> None:
    found = fragment(items(_noisy(30, 3, 16_000), 33), limit=10_000)  # type: ignore[arg-type]
    blocks = unpacked(found.blocks)
    assert len(blocks["texts-0"]) == 3
    assert found.notices[0].startswith(
        "Of 33 items only the 3 that some run did not solve are here; "
    )
    assert len(found.blocks) < 10_000 + 10_000


def test_then_texts_go_and_at_last_items() -> None:
    found = fragment(items(_noisy(0, 300, 600), 300), limit=3_000)  # type: ignore[arg-type]
    blocks = unpacked(found.blocks)
    kept = len(blocks["index"]["items"]["row"])
    assert 0 < kept < 300
    assert found.notices[0].startswith(f"Of 300 items only the first {kept} ")
    assert found.notices[1].startswith("Raw answers and reasonings are left out")
    assert blocks["texts-0"][0][0][0] == ["", "", 600]


def test_with_room_for_none_there_are_none() -> None:
    found = fragment(items(_noisy(0, 3, 600), 3), limit=1)  # type: ignore[arg-type]
    assert unpacked(found.blocks)["index"]["items"]["row"] == []


def test_a_run_that_was_cut_as_it_was_gathered_says_so() -> None:
    answers = {key(0): answer(text="testo")}
    found = fragment(items({"alfa": answers}, 1, room=ROOMS[4]))
    (said,) = found.notices
    assert said == (
        "At most 1,500 characters of an answer and 300 of a reasoning are here, for want of room; "
        "the whole texts are in responses.jsonl."
    )
    none = fragment(items({"alfa": answers}, 1, room=ROOMS[5]))
    assert "no reasoning" in none.notices[0]


def test_nothing_hostile_is_in_the_page_but_packed() -> None:
    hostile = "</script><script>alert(1)</script><!-- {{jinja}}"
    made = fragment(
        items(
            {hostile: {key(hostile): answer(text=hostile)}},
            doubts=[hostile],
            data={"sha256:0": hostile},
        )
    )
    assert "alert" not in made.blocks
    index = unpacked(made.blocks)["index"]
    assert (index["models"][0]["name"], index["notices"]) == (hostile, [hostile])
    assert "</script" not in made.script
    assert "</style" not in made.style


def test_half_a_pair_is_packed_as_it_is() -> None:
    made = fragment(items({"alfa": {key(0): answer(text="a\ud800\0è")}}, 1))
    assert unpacked(made.blocks)["texts-0"] == [[["a\ud800\0è", None]]]


def test_the_same_items_make_the_same_page() -> None:
    found = items({"alfa": {key(0): answer(text="testo")}}, 1)
    assert fragment(found) == fragment(found)
