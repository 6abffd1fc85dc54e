"""The commands for data files; what the rules and the figures are is tested where they stand."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from apieval.commands import data
from apieval.errors import DataError
from apieval.rebus.rules import RULES
from tests.rebus.toy_tokenizer import a_tokenizer
from tests.records import PUBLISHED, ROW, Json, needs_published, write_csv

BAD = {**ROW, "solution_key": "1"}


def strict(document: Json) -> Json:
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    return document


def test_verify_counts_and_lists(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "data.csv", [ROW, BAD, {**BAD, "solution": "Verità  nascosta"}])
    found = strict(data.verify(path, path))
    assert (found["data"]["name"], found["data"]["rows"]) == ("data.csv", 3)
    assert found["against"] == found["data"]
    assert list(found["rules"]) == list(RULES)
    assert found["rules"]["key"]["findings"] == 2
    # two keys, three rows that the training file has, a double; a lesser one, two blanks together
    assert (found["errors"], found["rows_with_errors"]) == (6, 3)
    assert (found["warnings"], found["rows_with_warnings"]) == (2, 2)
    assert len(found["findings"]) == 8
    first = found["findings"][0]
    assert list(first) == ["row", "line", "rule", "level", "text"]
    assert (first["row"], first["line"], first["rule"], first["level"]) == (
        0,
        2,
        "seen_rebus",
        "error",
    )
    assert found["not_listed"] == 0


def test_findings_without_end_are_counted_and_not_all_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data, "MOST_LISTED", 2)
    rows = [{**ROW, "solution_key": "1", "solution": f"Verità nascosta {n}"} for n in range(5)]
    found = data.verify(write_csv(tmp_path / "data.csv", rows))
    assert found["rules"]["key"]["findings"] == 5
    assert [f["row"] for f in found["findings"] if f["rule"] == "key"] == [0, 1]
    assert found["not_listed"] == found["errors"] + found["warnings"] - len(found["findings"])


def test_stats_of_the_sample_are_held_against_its_id_rows() -> None:
    found = strict(data.stats("sample"))
    assert list(found["subsets"]) == ["all", "id", "ood", "new"]
    assert (found["unseen_in"], found["against"], found["left_out"]) == ("id rows", None, 0)
    unseen = {name: part["unseen"]["share_of_rows"] for name, part in found["subsets"].items()}
    assert (unseen["id"], unseen["ood"]) == (0, 1)  # what the subsets mean
    assert found["tokenizer"] is None
    assert found["subsets"]["all"]["prompts"]["hints"]["tokens"] is None


def test_stats_against_a_training_file_with_tokens(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "data.csv", [ROW, {**ROW, "solution": ""}])
    train = write_csv(tmp_path / "train.csv", [{**ROW, "word_guesses": "Rita"}])
    tokenizer = a_tokenizer(tmp_path / "tokenizer.json")
    found = strict(data.stats(path, train, tokenizer))
    assert (found["left_out"], found["unseen_in"]) == (1, "train.csv")
    assert found["against"]["rows"] == 1
    whole = found["subsets"]["all"]
    assert (whole["examples"], whole["unseen"]["unseen_words"]) == (1, 1)
    assert whole["unseen"]["same_first_pass"] == 1
    tokens = whole["prompts"]["regular"]["tokens"]
    assert tokens["prompt"]["n"] == 1
    assert 300 < tokens["prompt"]["mean"] < whole["prompts"]["regular"]["characters"]["mean"] / 3


def test_without_id_rows_and_training_file_nothing_is_known_of_unseen_words(tmp_path: Path) -> None:
    found = data.stats(write_csv(tmp_path / "data.csv", [{**ROW, "subset": "new"}]))
    assert found["unseen_in"] is None
    assert found["subsets"]["new"]["unseen"] is None


def test_a_column_of_subsets_that_is_none_is_refused(tmp_path: Path) -> None:
    rows = [{**ROW, "subset": f"s{n}"} for n in range(data.MOST_SUBSETS + 1)]
    path = write_csv(tmp_path / "data.csv", rows)
    with pytest.raises(DataError) as caught:
        data.stats(path)
    assert str(caught.value).startswith(f"{path}: more than 100 subsets, one of them 's100'")
    data.stats(write_csv(path, rows[:-1]))


@needs_published
def test_the_published_rows() -> None:
    found = strict(data.verify(PUBLISHED / "dataset.csv"))
    assert (found["errors"], found["rows_with_errors"]) == (3, 3)
    assert found["rules"]["letters"]["findings"] == 3
    assert found["rules"]["punctuation"]["findings"] == 159
    with (PUBLISHED / "dataset.csv").open(encoding="utf-8", newline="") as file:
        marked = [n for n, row in enumerate(csv.DictReader(file)) if "'" in row["solution_key"]]
    quirks = {f["row"] for f in found["findings"] if f["rule"] == "punctuation"}
    assert quirks >= set(marked)
