from __future__ import annotations

from pathlib import Path

import pytest

from apieval.errors import DataError
from apieval.rebus import training
from tests.records import ROW, rebus, write_csv


def read(folder: Path, **changes: str) -> training.Training:
    return training.read(write_csv(folder / "train.csv", [{**ROW, **changes}]))


def test_what_a_training_file_has(tmp_path: Path) -> None:
    seen = read(tmp_path)
    assert (seen.name, seen.rows) == ("train.csv", 1)
    assert seen.digest is not None
    assert seen.digest.startswith("sha256:")
    assert seen.saw_first_pass(rebus())
    assert seen.saw_solution(rebus())
    assert seen.unseen(["Rita", "RITA", "Anna", "scosta"]) == ["Anna"]


@pytest.mark.parametrize(
    ("changes", "first_pass", "solution"),
    [
        pytest.param({"first_pass": "ve  RITA na scosta"}, True, True, id="case and blanks"),
        pytest.param({"first_pass": "VER ita NA scosta"}, False, True, id="another cut"),
        pytest.param({"solution": "VERITA' nascosta!"}, True, True, id="accents and marks"),
        pytest.param({"solution": "Verità nascoste"}, True, False, id="another solution"),
    ],
)
def test_what_is_the_same(
    tmp_path: Path, changes: dict[str, str], first_pass: bool, solution: bool
) -> None:
    seen = read(tmp_path)
    assert seen.saw_first_pass(rebus(**changes)) is first_pass
    assert seen.saw_solution(rebus(**changes)) is solution


def test_a_word_is_seen_in_any_case_and_as_written(tmp_path: Path) -> None:
    seen = read(tmp_path, word_guesses="Rita;perche\u0301;;")
    assert seen.unseen(["rita", "Perch\u00e9"]) == []
    assert seen.saw_as_written(["Rita", "perch\u00e9"])
    assert not seen.saw_as_written(["rita"])


def test_three_columns_are_enough(tmp_path: Path) -> None:
    row = {name: ROW[name] for name in training.NEEDED}
    assert training.read(write_csv(tmp_path / "train.csv", [row])).rows == 1


def test_a_missing_column_is_named_with_the_remedy(tmp_path: Path) -> None:
    row = {"word_guess": "Rita", "first_pass": "VE Rita", "solution": "Verità"}
    path = write_csv(tmp_path / "train.csv", [row])
    with pytest.raises(DataError) as caught:
        training.read(path)
    assert str(caught.value) == (
        f"{path}, line 2: missing column 'word_guesses' (did you mean 'word_guess'?); a training "
        "file needs word_guesses, first_pass, solution."
    )


def test_a_header_alone_is_no_training_file(tmp_path: Path) -> None:
    path = tmp_path / "train.csv"
    path.write_text(",".join(training.NEEDED) + "\n")
    with pytest.raises(DataError, match="no rows below the header"):
        training.read(path)


def test_a_list_of_words_is_known_by_its_ending(tmp_path: Path) -> None:
    path = tmp_path / "words.TXT"
    path.write_text("\ufeffRita\r\n\n  scosta \n", "utf-8")
    seen = training.read(path)
    assert (seen.name, seen.rows) == ("words.TXT", 2)
    assert seen.unseen(["RITA", "scosta", "ape"]) == ["ape"]
    assert seen.saw_as_written(["Rita"])
    assert not seen.saw_as_written(["rita"])
    assert not seen.saw_first_pass(rebus(first_pass=""))
    assert not seen.saw_solution(rebus(solution=""))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b"\n \n", ": no words; write one a line", id="empty"),
        pytest.param("perch\u00e9".encode("latin-1"), ", line 1: not UTF-8 text", id="latin-1"),
        pytest.param(b"a" * 2_000_000, ", line 1: 2,000,000 characters and more", id="no end"),
    ],
)
def test_a_list_that_cannot_be_read(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes(data)
    with pytest.raises(DataError) as caught:
        training.read(path)
    assert str(caught.value).startswith(f"{path}{message}")


def test_no_list_at_all(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such file"):
        training.read(tmp_path / "words.txt")
