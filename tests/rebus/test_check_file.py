from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apieval.errors import DataError
from apieval.rebus import dataset, tables, training
from apieval.rebus.check_file import check
from apieval.rebus.rules import RULES, Finding, key_of
from tests.records import COLUMNS, PUBLISHED, ROW, needs_published, write_csv

OTHER = {
    "verbalized_rebus": "[Lo si beve] BALE [Fa ombra]",
    "verbalized_rebus_with_length_hints": "[Lo si beve (2)] BALE [Fa ombra (4)]",
    "solution_key": "6 4",
    "word_guesses": "tè;pino",
    "first_pass": "tè BALE pino",
    "solution_words": "Tebale;pino",
    "solution": "Tebale pino",
}


def findings(path: Path, against: Path | None = None) -> list[Finding]:
    seen = training.read(against) if against else None
    return list(check(dataset.survey(path, path.name), seen))


def rules(path: Path, against: Path | None = None) -> list[tuple[object, str]]:
    return [(found.row, found.rule) for found in findings(path, against)]


def of(folder: Path, *rows: Mapping[str, str]) -> list[tuple[object, str]]:
    return rules(write_csv(folder / "data.csv", rows))


def test_a_right_file(tmp_path: Path) -> None:
    assert of(tmp_path, ROW, OTHER) == []


def test_a_finding_names_row_line_and_level(tmp_path: Path) -> None:
    rows = [{"id": "a", **ROW}, {"id": "b", **OTHER, "solution_key": "1"}]
    path = write_csv(tmp_path / "data.csv", rows)
    [found] = findings(path)
    assert found[:3] == ("b", 3, "key")
    assert found.level == RULES["key"].level == "error"
    assert found.text == "the key is '1', that of 'Tebale pino' is '6 4'"


def test_a_row_that_cannot_be_used_is_held_against_no_other_rule(tmp_path: Path) -> None:
    rows = [{**ROW, "solution": " ", "solution_key": "1", "word_guesses": "Rita;"}, OTHER]
    found = findings(write_csv(tmp_path / "data.csv", rows))
    assert [each.text for each in found] == [
        "column 'word_guesses': an empty word next to a ';'",
        "column 'solution': empty",
    ]
    assert {each.rule for each in found} == {"cells"}


def test_ids(tmp_path: Path) -> None:
    rows = [{"id": given, **row} for given, row in (("a", ROW), (" a", OTHER))]
    assert of(tmp_path, *rows) == [("a", "ids")]
    rows = [{"id": "", **ROW, "solution": ""}, {"id": "b", **OTHER}]
    assert of(tmp_path, *rows) == [("", "cells"), ("", "ids")]


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        pytest.param({"solution": "Tebale\u00a0pino"}, "characters", id="NBSP in gold"),
        pytest.param({"first_pass": "te\u0300 BALE pino"}, "characters", id="NFD in gold"),
        pytest.param(
            {
                "verbalized_rebus": "[Lo si\u200bbeve] BALE [Fa ombra]",
                "verbalized_rebus_with_length_hints": "[Lo si\u200bbeve (2)] BALE [Fa ombra (4)]",
            },
            "characters_in_rebus",
            id="zero width in clues",
        ),
        pytest.param(
            {
                "verbalized_rebus": "[Lo si\x00beve] BALE [Fa ombra]",
                "verbalized_rebus_with_length_hints": "[Lo si\x00beve (2)] BALE [Fa ombra (4)]",
            },
            "characters",
            id="NUL in clues",
        ),
        pytest.param({"solution": " Tebale pino"}, "blanks", id="blank before the solution"),
        pytest.param({"word_guesses": "tè; pino"}, "blanks", id="blank before a word"),
        pytest.param({"solution": "Tebale  pino"}, "odd_blanks", id="two blanks"),
        pytest.param(
            {"verbalized_rebus": "[Lo si beve] BALE [Fa ombra] "}, "odd_blanks", id="in a question"
        ),
        pytest.param(
            {
                "verbalized_rebus": "[Il tè delle cinque] BALE [Fa ombra]",
                "verbalized_rebus_with_length_hints": "[Il tè delle cinque (2)] BALE [Fa ombra (4)]",
            },
            "leak",
                id="a leak that its accent tells from a function word",
        ),
        pytest.param(
            {
                "verbalized_rebus": "[Lo si beve] BALE [Un PINO]",
                "verbalized_rebus_with_length_hints": "[Lo si beve (2)] BALE [Un PINO (4)]",
            },
            "leak",
            id="leak",
        ),
        pytest.param(
            {
                "verbalized_rebus": "[Lo si beve] BALE [Pinolo]",
                "verbalized_rebus_with_length_hints": "[Lo si beve (2)] BALE [Pinolo (4)]",
            },
            "possible_leak",
            id="possible leak",
        ),
        pytest.param({"note": "=HYPERLINK(1)"}, "formula", id="a formula anywhere"),
        pytest.param({"note": "@sum"}, "formula", id="another formula"),
    ],
)  # fmt: skip
def test_cells(tmp_path: Path, changes: dict[str, str], rule: str) -> None:
    found = {each for _, each in of(tmp_path, {"note": "", **OTHER, **changes})}
    # to the game NFD is another text, and a blank a character
    assert found - {"fills", "hints"} == {rule}


def test_a_curly_apostrophe(tmp_path: Path) -> None:
    row = {**ROW, "solution": "Verità n\u2019ascosta", "solution_words": "Verità;n\u2019ascosta"}
    row["solution_key"] = key_of(row["solution"])
    assert [rule for _, rule in of(tmp_path, row)].count("apostrophes") == 3  # of three columns


def test_doubles_are_named_in_the_most_that_they_are(tmp_path: Path) -> None:
    clue = {
        "verbalized_rebus": "VE [Donna] NA [Muove]",
        "verbalized_rebus_with_length_hints": "VE [Donna (4)] NA [Muove (6)]",
    }
    cut = {
        "verbalized_rebus": "VE [Santa] N [Muove]",
        "verbalized_rebus_with_length_hints": "VE [Santa (4)] N [Muove (7)]",
        "word_guesses": "Rita;ascosta",
        "first_pass": "VE Rita N ascosta",
    }
    found = findings(write_csv(tmp_path / "d.csv", [ROW, {**ROW, **clue}, {**ROW, **cut}, ROW]))
    assert [(each.row, each.rule) for each in found] == [
        (1, "same_first_pass"),
        (2, "same_solution"),
        (3, "same_rebus"),
    ]
    assert all(each.text.endswith("already appears in row 0") for each in found)


def test_of_the_studys_layout_rebuses_are_not_compared(tmp_path: Path) -> None:
    names = ("word_guesses", "first_pass", "solution_words", "solution")
    rows = [{name: row[name] for name in names} for row in (ROW, OTHER, ROW)]
    assert of(tmp_path, *rows) == [(2, "same_first_pass")]


def many(folder: Path, subsets: list[str]) -> list[tuple[object, str]]:
    """Return the findings about subsets of rows with different solutions."""
    rows = [
        {**ROW, "solution": f"Verità nascosta {n}", "subset": name}
        for n, name in enumerate(subsets)
    ]
    return [each for each in of(folder, *rows) if each[1].startswith("subset")]


@pytest.mark.parametrize(
    ("subsets", "found"),
    [
        pytest.param(["id", "id", "ood", "new"], [], id="the challenge's order"),
        pytest.param(["id", "new", "new"], [], id="one of them missing"),
        pytest.param(["new"], [], id="one alone"),
        pytest.param(["ood", "id", "id", "new"], [(1, "subset_order")], id="once a subset"),
        pytest.param(["id", "new", "ood", "id"], [(2, "subset_order"), (3, "subset_order")], id="two"),
        pytest.param(["id", "mine", "mine", "ood"], [(1, "subset_unknown")], id="unknown"),
    ],
)  # fmt: skip
def test_subsets(tmp_path: Path, subsets: list[str], found: list[object]) -> None:
    assert many(tmp_path, subsets) == found


@pytest.mark.parametrize(
    ("subset", "words", "found"),
    [
        ("id", "Rita;scosta", []),
        ("id", "Anna;scosta", ["subset_words"]),
        ("id", "RITA;scosta", []),  # seen, in another case
        ("ood", "Rita;scosta", ["subset_words"]),
        ("ood", "Anna;scosta", []),
        ("ood", "RITA;scosta", []),  # not seen as it is written
        ("new", "Anna;scosta", []),
        ("new", "Rita;scosta", []),
    ],
)
def test_the_training_files_words_say_the_subset(
    tmp_path: Path, subset: str, words: str, found: list[str]
) -> None:
    data = write_csv(tmp_path / "data.csv", [{**ROW, "subset": subset, "word_guesses": words}])
    train = {**OTHER, "word_guesses": "Rita;scosta"}
    of_words = [rule for _, rule in rules(data, write_csv(tmp_path / "t.csv", [train]))]
    assert [rule for rule in of_words if rule != "fills"] == found


def test_what_stands_in_the_training_file(tmp_path: Path) -> None:
    data = write_csv(tmp_path / "data.csv", [ROW, OTHER])
    cut = {**ROW, "first_pass": "VER ita NA scosta"}
    other = {**OTHER, "first_pass": "x"}
    assert rules(data, write_csv(tmp_path / "t.csv", [ROW])) == [(0, "seen_rebus")]
    assert rules(data, write_csv(tmp_path / "t.csv", [cut])) == [(0, "seen_solution")]
    assert rules(data, write_csv(tmp_path / "t.csv", [cut, other])) == [
        (0, "seen_solution"),
        (1, "seen_solution"),
    ]


def test_a_text_as_long_as_a_book_is_shortened(tmp_path: Path) -> None:
    [found] = findings(write_csv(tmp_path / "d.csv", [{**ROW, "solution_key": "6 " * 50_000}]))[:1]
    assert found.rule == "key"
    assert len(found.text) < 1_100
    assert found.text.endswith("characters)")


def test_every_rule_has_a_level_and_says_what_is_wrong() -> None:
    assert {rule.level for rule in RULES.values()} == {"error", "warning"}
    assert len({rule.says for rule in RULES.values()}) == len(RULES)


def test_the_sample_has_no_error() -> None:
    with dataset.located("sample") as (path, name):
        found = list(check(dataset.survey(path, name)))
    assert Counter(each.rule for each in found) == {"punctuation": 9}


@needs_published
@pytest.mark.parametrize("name", ["dataset.csv", "gold.csv"])
def test_the_studys_rows(name: str) -> None:
    found = findings(PUBLISHED / name)
    assert [each.row for each in found if each.level == "error"] == [1114, 1523, 1717]
    counts = Counter(each.rule for each in found)
    assert (counts["letters"], counts["punctuation"]) == (3, 159)
    double = [each.row for each in found if each.rule == "odd_blanks"]
    assert double == [1253]  # a gold solution with two blanks: no answer equals it


letter = st.sampled_from("abcdefgilmnoprstuvzàèéìòù")
word = st.text(letter, min_size=5, max_size=9)
block = st.text(st.sampled_from("ABCDEFGILMNOPRSTUVZ"), min_size=1, max_size=3)


@st.composite
def right_rows(draw: st.DrawFn) -> dict[str, str]:
    """Draw a row that keeps every rule of the game; of clues without a letter, so without a leak."""
    parts = draw(st.lists(st.tuples(block, word), min_size=2, max_size=5))
    letters = "".join(a.lower() + b for a, b in parts)
    at = draw(st.integers(1, len(letters) - 1))
    mark = draw(st.sampled_from([" ", "'", ", "]))
    solution = f"{letters[:at]}{mark}{letters[at:]}"
    return {
        "verbalized_rebus": " ".join(f"{a} [...]" for a, _ in parts),
        "verbalized_rebus_with_length_hints": " ".join(f"{a} [... ({len(b)})]" for a, b in parts),
        "solution_key": key_of(solution),
        "word_guesses": ";".join(b for _, b in parts),
        "first_pass": " ".join(f"{a} {b}" for a, b in parts),
        "solution_words": ";".join(solution.split()),
        "solution": solution,
    }


@settings(max_examples=50)
@given(right_rows())
def test_a_right_row_breaks_no_rule_and_a_letter_more_does(
    tmp_path_factory: pytest.TempPathFactory, row: dict[str, str]
) -> None:
    folder = tmp_path_factory.mktemp("rows")
    found = {rule for _, rule in of(folder, row)}
    assert found <= {"punctuation"}
    assert {rule for _, rule in of(folder, {**row, "solution": row["solution"] + "x"})} >= {
        "letters",
        "key",
        "solution_words",
    }


cell = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["[", "[a]", "]", "[a (3)] [b", "a;b", "1 ' 5", "=cmd()", "\x00", "e\u0300"]
)


@settings(max_examples=50)
@given(st.lists(st.tuples(*[cell] * len(COLUMNS)), min_size=1, max_size=4))
def test_any_table_is_judged(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]]
) -> None:
    path = tmp_path_factory.mktemp("rows") / "data.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([COLUMNS, *rows])
    for found in findings(path, path):
        assert found.rule in RULES
        json.dumps(found)


@given(st.binary(max_size=200) | st.binary(max_size=60).map(",".join(COLUMNS).encode().__add__))
def test_any_bytes_are_judged_or_refused_by_name(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    for ending in ("csv", "jsonl"):
        path = folder / f"data.{ending}"
        path.write_bytes(data)
        try:
            findings(path)
        except DataError as error:
            assert str(error).startswith(str(path))  # noqa: PT017 # either will do


def test_a_file_is_read_row_by_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_csv(tmp_path / "data.csv", [ROW, OTHER])
    file = dataset.survey(path, "mine")
    assert (file.name, file.layout.rows, file.layout.asks) == ("mine", 2, True)
    assert [row.solution for row in file.rebuses()] == [ROW["solution"], OTHER["solution"]]
    rows = file.rows()
    assert next(rows).row.line == 2
    monkeypatch.setattr(tables, "read", None)  # the second comes from the file that is open
    assert next(rows).rebus.word_guesses == ("tè", "pino")
