from __future__ import annotations

import json
from pathlib import Path

import pytest

from apieval.errors import DataError
from apieval.rebus import dataset, examples, prompts
from apieval.rebus.parsers import official
from apieval.rebus.rules import broken_rules
from apieval.records import SETTINGS, Prediction, Rebus, Setting
from tests.records import ROW, rebus, write_csv

SHIPPED = examples.shipped()


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_first_two_are_the_challenges_byte_for_byte(setting: Setting) -> None:
    shown = "".join(examples.numbered(SHIPPED[: examples.OFFICIAL], setting))
    before, _, after = prompts.template(setting).partition(shown)
    assert before.endswith("chiave di lettura.\n")
    assert after.startswith("# Ora tocca a te!")


@pytest.mark.parametrize("example", SHIPPED, ids=lambda each: each.solution)
def test_they_keep_the_rules_and_are_read_back_as_they_are(example: Rebus) -> None:
    assert broken_rules(example) == []
    read = official.parse(examples.write(example))
    assert read == Prediction(
        word_guesses=example.word_guesses,
        first_pass=example.first_pass,
        solution_words=example.solution_words,
        solution=example.solution,
    )


def test_none_of_them_is_in_the_sample() -> None:
    asked = {each.solution.lower() for each in dataset.load().rebuses}
    assert asked.isdisjoint(each.solution.lower() for each in SHIPPED)


def test_a_solution_with_an_apostrophe_is_taken_along_its_key() -> None:
    row = rebus(solution_key="1 ' 3 5", solution_words=("L'ora", "fatta"), solution="L'ora fatta")
    assert "\n1 = L\n3 = ora\n5 = fatta\n" in examples.write(row)


def test_an_example_is_kept_and_made_again() -> None:
    kept = json.loads(json.dumps(examples.as_json(SHIPPED[0])))
    assert examples.from_json(kept) == SHIPPED[0]


def test_a_users_own_are_read_from_a_data_file(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "miei.csv", [ROW])
    assert examples.load(path)[0].solution == "Verità nascosta"


def test_a_wrong_example_is_refused(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "miei.csv", [{**ROW, "first_pass": "VE Rita NA"}])
    with pytest.raises(DataError, match=r"miei\.csv: the example 0 is none: the hidden words do"):
        examples.load(path)
