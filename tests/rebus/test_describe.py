from __future__ import annotations

import csv
import json
import re
import statistics
from collections import Counter

import pytest

from apieval.rebus import dataset
from apieval.rebus.describe import Tokens, describe
from apieval.rebus.training import Training
from apieval.records import Rebus
from tests.records import PUBLISHED, Json, needs_published, rebus


def described(*rows: Rebus, training: Training | None = None) -> Json:
    found = describe(((row, {}) for row in rows), training)
    json.dumps(found, allow_nan=False)
    return found


def test_words_and_lengths() -> None:
    rows = (rebus(), rebus(word_guesses=("Anna", "rita", "Rita"), solution="L'una, e l'altra"))
    found = described(*rows)["all"]
    assert found["examples"] == 2
    first = found["first_pass"]
    assert (first["words"], first["unique_words"], first["unique_words_case_aside"]) == (5, 4, 3)
    assert first["words_per_example"] == {"mean": 2.5, "sd": 0.5, "min": 2, "max": 3, "n": 2}
    assert first["word_length"]["mean"] == (4 + 6 + 4 + 4) / 4
    assert first["word_length_of_every_word"]["mean"] == (4 + 6 + 4 + 4 + 4) / 5
    assert first["length"]["mean"] == len("VE Rita NA scosta")
    assert found["word_lengths"] == {"4": 4, "6": 1}
    last = found["solution"]
    assert last["words"] == 2 + 5  # L una e l altra
    assert last["words_per_example"]["max"] == 5
    assert last["length"]["max"] == len("L'una, e l'altra")


def test_keys() -> None:
    rows = [rebus(solution_key=key) for key in ("6 8", "1 ' 5", "6 8", "10", "6 " + "9" * 5000)]
    found = described(*rows)["all"]["keys"]
    assert found["numbers_per_key"] == {"1": 1, "2": 4}
    assert found["numbers"] == {"1": 1, "5": 1, "6": 3, "8": 2, "10": 1, "999999999": 1}
    assert found["different"] == 4
    assert found["most_frequent"][:2] == [{"key": "6 8", "rows": 2}, {"key": "1 ' 5", "rows": 1}]
    many = described(*(rebus(solution_key=str(n)) for n in range(1, 30)))["all"]["keys"]
    assert [each["key"] for each in many["most_frequent"]][:3] == ["1", "10", "11"]
    assert len(many["most_frequent"]) == 10


def test_subsets_in_their_order_and_all_before_them() -> None:
    rows = [rebus(subset=name) for name in ("new", "id", "new", None)]
    found = described(*rows)
    assert {name: part["examples"] for name, part in found.items()} == {"all": 4, "new": 2, "id": 1}
    assert list(found) == ["all", "new", "id"]


def test_the_studys_layout_has_no_prompts_and_no_keys() -> None:
    found = described(rebus(verbalized_rebus="", solution_key=""))["all"]
    assert found["keys"] is found["prompts"] is None
    assert found["first_pass"]["words"] == 2


def test_of_nothing_there_is_nothing_and_no_nan() -> None:
    found = described()["all"]
    assert found["examples"] == 0
    assert found["first_pass"]["word_length"]["mean"] is None
    assert described(training=Training("t"))["all"]["unseen"]["share_of_rows"] is None


def test_tokens_by_setting() -> None:
    tokens = {"regular": Tokens(600, 100), "hints": Tokens(1000, 100)}
    found: Json = describe([(rebus(), tokens)])["all"]["prompts"]
    assert found["regular"]["tokens"]["together"]["mean"] == 700
    assert [found[s]["tokens"]["rows_without_room"] for s in ("regular", "hints")] == [0, 1]


def test_what_a_training_file_has_of_them() -> None:
    seen = Training("train.csv", "sha256:0")
    seen.add(["rita", "scosta"], "VE Rita NA scosta", "Verità nascosta")
    seen.add(["Anna"], "Anna", "Un'altra")
    rows = [
        rebus(subset="id"),
        rebus(subset="id", first_pass="other", word_guesses=("Rita", "Zoe", "zoe")),
        rebus(subset="ood", first_pass="another", solution="Other", word_guesses=("Zoe",)),
    ]
    found = described(*rows, training=seen)
    assert found["all"]["unseen"] == {
        "rows": 3,
        "rows_with_unseen_words": 2,
        "share_of_rows": 2 / 3,
        "words": 6,
        "unseen_words": 3,
        "share_of_words": 0.5,
        "unique_unseen_words": 1,
        "same_first_pass": 1,
        "same_solution": 2,
    }
    assert found["ood"]["unseen"]["share_of_words"] == 1
    seen.digest = None  # rows of the same file: each stands in it
    assert "same_first_pass" not in described(*rows, training=seen)["all"]["unseen"]
    assert described(*rows)["all"]["unseen"] is None


@needs_published
def test_the_published_rows_counted_another_way() -> None:
    with (PUBLISHED / "dataset.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = described(*dataset.load(PUBLISHED / "dataset.csv").rebuses)["all"]
    hidden = [row["word_guesses"].split(";") for row in rows]
    parts = [re.sub(r"[^\w\s]", " ", row["solution"]).split() for row in rows]
    for words, column, name in (
        (hidden, "first_pass", "first_pass"),
        (parts, "solution", "solution"),
    ):
        counts = Counter(word for each in words for word in each)
        assert found[name]["unique_words"] == len(counts)
        for numbers, figure in (
            ([len(each) for each in words], "words_per_example"),
            ([len(word) for word in counts], "word_length"),
            ([len(word) for word in counts.elements()], "word_length_of_every_word"),
            ([len(row[column]) for row in rows], "length"),
        ):
            assert found[name][figure]["mean"] == pytest.approx(statistics.fmean(numbers))
            assert found[name][figure]["sd"] == pytest.approx(statistics.pstdev(numbers))
    lengths = Counter(len(word) for each in hidden for word in each)
    assert found["word_lengths"] == {str(n): lengths[n] for n in sorted(lengths)}
    keys = Counter(row["solution_key"] for row in rows)
    assert found["keys"]["different"] == len(keys)
    assert found["keys"]["most_frequent"][0]["rows"] == max(keys.values())
