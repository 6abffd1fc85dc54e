from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from apieval.errors import DataError
from apieval.rebus import answers
from apieval.records import Outcome, Prediction, Response, Setting
from tests.records import ANSWER, rebus, write_csv

GOLD = {"0": rebus(id=0), "1": rebus(id=1), "x:1": rebus(id="x:1")}


def lines(path: Path, values: Iterable[object]) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


def raw(folder: Path, *values: object, setting: Setting = "regular") -> list[Response]:
    path = lines(folder / "answers.jsonl", values)
    return [response for _, response in answers.raw(path, GOLD, setting)]


class TestRaw:
    def test_joins_by_id_whatever_its_type(self, tmp_path: Path) -> None:
        ids = ["x:1", 1, " 0 "]
        path = lines(tmp_path / "a.jsonl", [{"id": given, "text": ANSWER} for given in ids])
        found = [(row.id, answer.id) for row, answer in answers.raw(path, GOLD, "regular")]
        assert found == [("x:1", "x:1"), (1, 1), (0, 0)]

    def test_a_line_may_say_more(self, tmp_path: Path) -> None:
        line = {"id": 0, "text": "", "setting": "hints", "sample": 3, "outcome": "failed", "x": [1]}
        (found,) = raw(tmp_path, line)
        assert (found.setting, found.sample) == ("hints", 3)
        assert found.outcome is Outcome.FAILED

    @pytest.mark.parametrize("setting", ["regular", "hints"])
    def test_the_setting_is_the_callers_where_the_line_is_silent(
        self, tmp_path: Path, setting: Setting
    ) -> None:
        (found,) = raw(tmp_path, {"id": 0, "text": "x"}, setting=setting)
        assert (found.setting, found.sample) == (setting, 0)

    @pytest.mark.parametrize(
        ("text", "outcome"),
        [("x", Outcome.OK), ("", Outcome.EMPTY), (" \n", Outcome.EMPTY)],
        ids=["text", "nothing", "blanks"],
    )
    def test_an_answer_without_text_is_empty(
        self, tmp_path: Path, text: str, outcome: Outcome
    ) -> None:
        (found,) = raw(tmp_path, {"id": 0, "text": text})
        assert (found.text, found.outcome) == (text, outcome)

    def test_half_a_surrogate_pair_is_mended(self, tmp_path: Path) -> None:
        (found,) = raw(tmp_path, {"id": 0, "text": "a\ud800b"})
        assert found.text == "a\ufffdb"

    def test_settings_and_samples_have_answers_of_their_own(self, tmp_path: Path) -> None:
        keys = [("regular", 0), ("regular", 1), ("hints", 0)]
        found = raw(tmp_path, *({"id": 0, "text": "x", "setting": s, "sample": k} for s, k in keys))
        assert [(each.setting, each.sample) for each in found] == keys

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            pytest.param({"text": "x"}, r"'id' is missing or no text\.", id="no id"),
            pytest.param({"id": None, "text": "x"}, r"'id' is missing or no text\.", id="null id"),
            pytest.param(
                {"id": 0, "txt": "x"},
                r"'text' is missing or no text \(did you mean 'txt'",
                id="typo",
            ),
            pytest.param(
                {"id": 0, "text": None}, r"'text' is missing or no text\.", id="null text"
            ),
            pytest.param({"id": 0, "text": ["x"]}, r"'text' is missing or no text", id="list"),
            pytest.param({"id": 9, "text": "x"}, r"the data has no row '9'; .* --data", id="id"),
            pytest.param({"id": 0, "text": "x", "setting": "hint"}, r"setting 'hint' is", id="set"),
            pytest.param(
                {"id": 0, "text": "x", "setting": None}, r"setting None is", id="null set"
            ),
            pytest.param({"id": 0, "text": "x", "outcome": "good"}, r"outcome 'good' is", id="out"),
            pytest.param({"id": 0, "text": "x", "sample": -1}, r"sample '-1' is no", id="negative"),
            pytest.param({"id": 0, "text": "x", "sample": 1.5}, r"sample '1.5' is no", id="part"),
            pytest.param({"id": 0, "text": "x", "sample": True}, r"sample True is no", id="bool"),
            pytest.param(
                {"id": 0, "text": "x", "sample": "²"}, r"sample '²' is no", id="superscript"
            ),
            pytest.param({"id": 0, "text": "x", "sample": 10**9}, r"sample '10+' is no", id="huge"),
            pytest.param([0, "x"], r"not a JSON object but list", id="list for an object"),
        ],
    )
    def test_what_cannot_be_used_is_named_by_its_line(
        self, tmp_path: Path, line: object, message: str
    ) -> None:
        with pytest.raises(DataError) as caught:
            raw(tmp_path, {"id": 1, "text": "x"}, line)
        assert re.match(rf".*answers\.jsonl, line 2: {message}", str(caught.value))

    def test_fields_of_other_names(self, tmp_path: Path) -> None:
        path = lines(tmp_path / "a.jsonl", [{"row": 1, "said": "x", "id": 9, "text": None}])
        fields = answers.Fields("row", "said")
        ((row, found),) = answers.raw(path, GOLD, "regular", fields)
        assert (row.id, found.text) == (1, "x")
        with pytest.raises(DataError, match=r"line 1: 'sayd' is missing .*did you mean 'said'"):
            list(answers.raw(path, GOLD, "regular", answers.Fields("row", "sayd")))

    def test_a_second_answer_names_the_first(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match=r"line 3: row '0' has its answer in line 1"):
            raw(tmp_path, {"id": 0, "text": "a"}, {"id": 1, "text": "b"}, {"id": "0", "text": "c"})

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            pytest.param(None, "cannot be read: No such file", id="no file"),
            pytest.param(b"", "empty; every line must be", id="empty"),
            pytest.param(b'{"id": 0, "text": "\xe0"}', "line 1: not UTF-8 text", id="Latin-1"),
            pytest.param(b'{"id": 0, "text": ', "line 1: not JSON", id="torn"),
        ],
    )
    def test_a_file_that_cannot_be_read(
        self, tmp_path: Path, data: bytes | None, message: str
    ) -> None:
        path = tmp_path / "answers.jsonl"
        if data is not None:
            path.write_bytes(data)
        with pytest.raises(DataError, match=rf"answers\.jsonl.*{message}"):
            list(answers.raw(path, GOLD, "regular"))

    def test_lines_are_read_one_at_a_time(self, tmp_path: Path) -> None:
        path = lines(tmp_path / "a.jsonl", [{"id": 0, "text": "x"}, "no object"])
        row, _ = next(iter(answers.raw(path, GOLD, "regular")))
        assert row is GOLD["0"]


PARSED = {
    "word_guesses": "Rita;scosta;altro",
    "first_pass": "VE Rita NA scosta",
    "solution_words": "",
    "solution": "",
}


class TestParsed:
    def parsed(self, folder: Path, *rows: dict[str, str]) -> list[tuple[Any, Prediction]]:
        path = write_csv(folder / "parsed.csv", rows)
        return [(row.id, part) for row, part in answers.parsed(path, GOLD)]

    @pytest.mark.parametrize("column", ["idx", "id"])
    def test_cells_are_split_as_they_were_joined(self, tmp_path: Path, column: str) -> None:
        expected = Prediction(
            word_guesses=("Rita", "scosta", "altro"),
            first_pass="VE Rita NA scosta",
            solution_words=("",),
            solution="",
        )
        assert self.parsed(tmp_path, {"": "0", column: "1", **PARSED}) == [(1, expected)]

    def test_idx_goes_before_id(self, tmp_path: Path) -> None:
        assert self.parsed(tmp_path, {"id": "0", "idx": "1", **PARSED})[0][0] == 1

    @pytest.mark.parametrize("name", PARSED)
    def test_a_missing_column_is_named(self, tmp_path: Path, name: str) -> None:
        row = {"idx": "0", **{k: v for k, v in PARSED.items() if k != name}}
        with pytest.raises(DataError, match=rf"line 2: missing column {name!r}; needed: word_g"):
            self.parsed(tmp_path, row)

    def test_no_id_column(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match=r"line 2: missing column 'idx'"):
            self.parsed(tmp_path, PARSED)

    def test_an_unknown_row(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match=r"line 3: the data has no row '7'"):
            self.parsed(tmp_path, {"idx": "0", **PARSED}, {"idx": "7", **PARSED})

    def test_a_row_twice(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match=r"line 3: row '0' has its answer in line 2"):
            self.parsed(tmp_path, {"idx": "0", **PARSED}, {"idx": " 0", **PARSED})
