from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from apieval.errors import ConfigError, DataError
from apieval.rebus import dataset
from tests.records import ANSWER, COLUMNS, ROW, rebus, write_csv
from tests.records import dataset as made

STUDY = {name: ROW[name] for name in ("word_guesses", "first_pass", "solution_words", "solution")}


def numbered(count: int) -> list[dict[str, str]]:
    return [{**ROW, "solution": f"Verità nascosta {number}"} for number in range(count)]


def refusal(path: Path, *, gold_only: bool = False) -> str:
    with pytest.raises(DataError) as caught:
        dataset.load(path, gold_only=gold_only)
    message = str(caught.value)
    assert message.startswith(str(path))
    return message.removeprefix(str(path))


def lines(path: Path, values: Iterable[object]) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


def as_csv(folder: Path) -> Path:
    return write_csv(folder / "data.csv", [ROW])


def as_jsonl(folder: Path) -> Path:
    words = {name: ROW[name].split(";") for name in ("word_guesses", "solution_words")}
    return lines(folder / "data.jsonl", [{**ROW, **words}])


def as_parquet(folder: Path) -> Path:
    pq.write_table(pa.table({name: [cell] for name, cell in ROW.items()}), folder / "data.parquet")
    return folder / "data.parquet"


@pytest.mark.parametrize("write", [as_csv, as_jsonl, as_parquet])
def test_the_seven_columns_in_every_kind_of_file(
    tmp_path: Path, write: Callable[[Path], Path]
) -> None:
    path = write(tmp_path)
    data = dataset.load(path)
    assert data.rebuses == (rebus(),)
    assert data.name == path.name
    assert data.digest == "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()
    assert data.subsets == ()
    assert dataset.load(str(path)) == data


def test_columns_in_any_order_and_others_beside_them(tmp_path: Path) -> None:
    row = {"source": "", **dict(reversed(ROW.items())), "": "0"}
    assert dataset.load(write_csv(tmp_path / "data.csv", [row])).rebuses == (rebus(),)


def test_real_words_and_numbers_stay_text(tmp_path: Path) -> None:
    rows = [
        {**ROW, "id": "007", "solution": "None", "solution_key": "4"},
        {**ROW, "id": "008", "solution": "null", "solution_key": "4"},
        {**ROW, "id": "009", "solution": "NA", "solution_key": "2", "word_guesses": "nan"},
    ]
    found = dataset.load(write_csv(tmp_path / "data.csv", rows)).rebuses
    assert [row.id for row in found] == ["007", "008", "009"]
    assert [row.solution for row in found] == ["None", "null", "NA"]
    assert [row.solution_key for row in found] == ["4", "4", "2"]
    assert found[2].word_guesses == ("nan",)


@pytest.mark.parametrize("name", COLUMNS)
def test_a_missing_column_is_named(tmp_path: Path, name: str) -> None:
    row = {column: cell for column, cell in ROW.items() if column != name}
    message = refusal(write_csv(tmp_path / "data.csv", [row]))
    assert message.startswith(f": missing column {name!r}")
    assert "the seven columns are " + ", ".join(COLUMNS) in message


def test_a_misspelt_column_is_offered(tmp_path: Path) -> None:
    row = {**{k: v for k, v in ROW.items() if k != "solution_key"}, "soluton_key": "6 8"}
    message = refusal(write_csv(tmp_path / "data.csv", [row]))
    assert "'solution_key' (did you mean 'soluton_key'" in message


@pytest.mark.parametrize("cell", ["", " ", "\t"])
@pytest.mark.parametrize("name", [*COLUMNS, "subset", "id"])
def test_an_empty_cell_is_named_by_line_and_column(tmp_path: Path, name: str, cell: str) -> None:
    rows = [{**row, "subset": "new", "id": f"r{n}"} for n, row in enumerate(numbered(3))]
    rows[1][name] = cell
    message = refusal(write_csv(tmp_path / "data.csv", rows))
    assert f"line 3, column {name!r}: empty" in message
    assert message.count("line ") == 1


@pytest.mark.parametrize("cell", ["Rita;;scosta", ";Rita", "Rita;"])
def test_an_empty_word_is_named(tmp_path: Path, cell: str) -> None:
    message = refusal(write_csv(tmp_path / "data.csv", [{**ROW, "word_guesses": cell}]))
    assert "line 2, column 'word_guesses': an empty word next to a ';'" in message


def test_the_first_ten_faults_are_shown_and_the_others_counted(tmp_path: Path) -> None:
    rows = [{**row, "solution": ""} for row in numbered(25)]
    message = refusal(write_csv(tmp_path / "data.csv", rows))
    assert [int(n) for n in re.findall(r"line (\d+)", message)] == list(range(2, 12))
    assert "and 15 more" in message


def test_ids_that_are_the_same_as_text_clash(tmp_path: Path) -> None:
    rows = [{**ROW, "id": "12"}, {**ROW, "id": 12}, {**ROW, "id": " 12 "}, ROW, {**ROW, "id": None}]
    message = refusal(lines(tmp_path / "data.jsonl", rows))
    assert "line 2, column 'id': '12' already appears in line 1" in message
    assert "line 3, column 'id': '12' already appears in line 1" in message
    assert "line 4, column 'id': empty" in message
    assert "line 5, column 'id': empty" in message


def test_without_an_id_column_rows_are_counted_from_0(tmp_path: Path) -> None:
    data = dataset.load(write_csv(tmp_path / "data.csv", numbered(3)))
    assert [row.id for row in data.rebuses] == [0, 1, 2]
    assert list(data.by_id) == ["0", "1", "2"]
    assert data.select().by_id == data.by_id


def test_the_ids_column_gives_texts(tmp_path: Path) -> None:
    rows = [{**ROW, "id": 1}, {**ROW, "id": "x:1"}]
    data = dataset.load(lines(tmp_path / "data.jsonl", rows))
    assert [row.id for row in data.rebuses] == ["1", "x:1"]


def test_a_column_idx_beside_a_rebus_is_no_id(tmp_path: Path) -> None:
    data = dataset.load(write_csv(tmp_path / "data.csv", [{**ROW, "idx": "77"}]))
    assert [row.id for row in data.rebuses] == [0]


def test_rows_of_a_jsonl_file_may_lack_a_column_only_together(tmp_path: Path) -> None:
    rows = [ROW, {k: v for k, v in ROW.items() if k != "solution"}]
    assert "line 2, column 'solution': empty" in refusal(lines(tmp_path / "data.jsonl", rows))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("data.csv", ",".join(COLUMNS) + "\n", id="header alone"),
        pytest.param("data.jsonl", "", id="nothing"),
    ],
)
def test_a_file_without_rows(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert re.match(": (no rows|empty)", refusal(path))


class TestStudyLayout:
    def test_serves_for_scoring_only(self, tmp_path: Path) -> None:
        path = write_csv(tmp_path / "gold.csv", [{"": "0", "idx": "0", **STUDY}])
        message = refusal(path)
        assert "missing column 'verbalized_rebus'" in message
        assert (
            "the study's layout, which has no rebus to ask and serves for scoring only" in message
        )
        row = dataset.load(path, gold_only=True).rebuses[0]
        assert (row.word_guesses, row.solution) == (("Rita", "scosta"), "Verità nascosta")
        assert (row.id, row.verbalized_rebus, row.solution_key) == (0, "", "")

    def test_the_other_layout_serves_as_well(self, tmp_path: Path) -> None:
        assert dataset.load(as_csv(tmp_path), gold_only=True).rebuses == (rebus(),)

    def test_as_many_columns_are_needed_as_are_named(self, tmp_path: Path) -> None:
        path = write_csv(tmp_path / "gold.csv", [{"a": "1"}])
        assert "the seven columns are verbalized_rebus," in refusal(path)
        assert refusal(path, gold_only=True).endswith(
            "; the four columns are word_guesses, first_pass, solution_words, solution."
        )

    def test_half_a_question_is_a_fault(self, tmp_path: Path) -> None:
        path = write_csv(tmp_path / "gold.csv", [{**STUDY, "solution_key": "6 8"}])
        assert "missing column 'verbalized_rebus'" in refusal(path, gold_only=True)

    def test_idx_is_the_rows_number_in_any_order(self, tmp_path: Path) -> None:
        rows = [{"idx": given, **STUDY} for given in ("5", "3", "a", "9" * 5000, "٣")]
        data = dataset.load(write_csv(tmp_path / "gold.csv", rows), gold_only=True)
        assert [row.id for row in data.rebuses] == [5, 3, "a", "9" * 5000, "٣"]

    def test_idx_twice_is_a_fault(self, tmp_path: Path) -> None:
        path = write_csv(tmp_path / "gold.csv", [{"idx": i, **STUDY} for i in ("5", "05")])
        assert "line 3, column 'id': 5 already appears in line 2" in refusal(path, gold_only=True)

    def test_without_idx_rows_are_counted(self, tmp_path: Path) -> None:
        data = dataset.load(write_csv(tmp_path / "gold.csv", [STUDY, STUDY]), gold_only=True)
        assert [row.id for row in data.rebuses] == [0, 1]

    def test_the_sample_is_never_gold_only(self) -> None:
        assert dataset.load("sample", gold_only=True) == dataset.load()


class TestSubsets:
    def test_a_column_names_them(self, tmp_path: Path) -> None:
        rows = [{**ROW, "subset": name} for name in (" new", "id", "new", "strange, one")]
        data = dataset.load(write_csv(tmp_path / "data.csv", rows))
        assert data.subsets == ("new", "id", "strange, one")

    def test_none_may_be_called_all(self, tmp_path: Path) -> None:
        path = write_csv(tmp_path / "data.csv", [{**ROW, "subset": "all "}])
        assert "line 2, column 'subset': 'all' means every row" in refusal(path)

    def test_the_challenges_file_is_known_by_its_length(self, tmp_path: Path) -> None:
        data = dataset.load(write_csv(tmp_path / "test.csv", numbered(3167)))
        assert data.subsets == ("id", "ood", "new")
        found = {name: [r.id for r in data.rebuses if r.subset == name] for name in data.subsets}
        assert found == {
            "id": list(range(2000)),
            "ood": list(range(2000, 2999)),
            "new": list(range(2999, 3167)),
        }

    def test_a_column_counts_more_than_the_length(self, tmp_path: Path) -> None:
        rows = [{**row, "subset": "mine"} for row in numbered(3167)]
        assert dataset.load(write_csv(tmp_path / "test.csv", rows)).subsets == ("mine",)

    def test_another_length_has_none(self, tmp_path: Path) -> None:
        data = dataset.load(write_csv(tmp_path / "test.csv", numbered(3166)))
        assert data.subsets == ()
        with pytest.raises(ConfigError, match=r"no subset 'new'; present: none: the file has no"):
            data.select(["new"])


MIXED = made([rebus(id=n, subset=name) for n, name in enumerate(["id", "ood", "id", "new", "id"])])


@pytest.mark.parametrize(
    ("subsets", "limit", "ids"),
    [
        pytest.param([], None, [0, 1, 2, 3, 4], id="everything"),
        pytest.param(["id"], None, [0, 2, 4], id="one subset"),
        pytest.param(["new", "ood"], None, [1, 3], id="two subsets, in the file's order"),
        pytest.param([], 1, [0, 1, 3], id="the first of each"),
        pytest.param(["id"], 2, [0, 2], id="the first two of one"),
        pytest.param(["id"], 99, [0, 2, 4], id="more than there are"),
    ],
)
def test_select(subsets: list[str], limit: int | None, ids: list[int]) -> None:
    chosen = MIXED.select(subsets, limit)
    assert [row.id for row in chosen.rebuses] == ids
    assert list(chosen.by_id) == [str(number) for number in ids]
    ordered = tuple(name for name in MIXED.subsets if name in subsets)  # one run, however written
    assert (chosen.data, chosen.subsets, chosen.limit) == (MIXED, ordered, limit)


def test_a_limit_holds_for_a_file_without_subsets() -> None:
    assert len(made([rebus(id=n) for n in range(5)]).select(limit=2).rebuses) == 2


def test_an_unknown_subset_is_offered_its_near_ones() -> None:
    message = r"rebuses.csv: there is no subset 'odd' \(did you mean 'ood'.*present: id, ood, new"
    with pytest.raises(ConfigError, match=message):
        MIXED.select(["odd"])


def test_rows_that_break_rules_are_counted_and_kept() -> None:
    data = made([rebus(), rebus(id=1, solution_key="1"), rebus(id=2, solution_key="2")])
    assert data.select().rule_breakers() == {"the key is not the solution's": [1, 2]}


class TestSample:
    data = dataset.load()

    def test_is_large_enough(self) -> None:
        counts = Counter(row.subset for row in self.data.rebuses)
        assert list(counts) == ["id", "ood", "new"]
        assert len(self.data.rebuses) >= 60
        assert counts["id"] >= 40
        assert counts["ood"] >= 12
        assert counts["new"] >= 8
        assert self.data.name == "sample"

    def test_obeys_every_rule(self) -> None:
        assert not self.data.select().rule_breakers()

    def test_asks_nothing_twice(self) -> None:
        for name in ("verbalized_rebus", "first_pass", "solution"):
            cells = [getattr(row, name) for row in self.data.rebuses]
            assert len(set(cells)) == len(cells)

    def test_both_settings_have_the_same_clues(self) -> None:
        for row in self.data.rebuses:
            bare = re.sub(r" \(\d+\)\]", "]", row.verbalized_rebus_with_length_hints)
            assert bare == row.verbalized_rebus

    def test_no_clue_gives_its_word_away(self) -> None:
        for row in self.data.rebuses:
            clues = re.findall(r"\[[^\]]*\]", row.verbalized_rebus)
            for clue, word in zip(clues, row.word_guesses, strict=True):
                assert word.lower() not in re.findall(r"\w+", clue.lower())

    def test_every_ood_row_has_a_word_no_id_row_has(self) -> None:
        seen = {w.lower() for r in self.data.rebuses if r.subset == "id" for w in r.word_guesses}
        for row in self.data.rebuses:
            if row.subset == "ood":
                assert {word.lower() for word in row.word_guesses} - seen

    def test_holds_none_of_the_prompts_examples(self) -> None:
        assert all(row.solution not in ANSWER for row in self.data.rebuses)
