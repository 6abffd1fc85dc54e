from __future__ import annotations

from pathlib import Path

from rich.console import Console

from apieval.cli import output
from apieval.commands import data
from apieval.report import data_checks, data_stats
from tests.rebus.toy_tokenizer import a_tokenizer
from tests.records import ROW, Json, write_csv

STUDY = {name: ROW[name] for name in ("word_guesses", "first_pass", "solution_words", "solution")}


def shown(renderables: object) -> str:
    screen = Console(width=80, markup=False, highlight=False, emoji=False, color_system=None)
    with screen.capture() as captured:
        for each in renderables:  # type: ignore[attr-defined] # what the views yield
            screen.print(each, soft_wrap=False)
    return captured.get()


def checked(path: Path, against: Path | None = None) -> str:
    return shown(data_checks.render(data.verify(path, against)))


def test_errors_stand_before_warnings_and_the_verdict_last(tmp_path: Path) -> None:
    quirk = {**ROW, "solution": "L'anice", "solution_words": "L;anice", "solution_key": "1 ' 5"}
    text = checked(write_csv(tmp_path / "data.csv", [quirk, {**ROW, "solution_key": "1"}]))
    lines = [line.rstrip() for line in text.splitlines()]
    assert lines[0] == "data.csv, 2 rows"
    assert lines[-1] == "2 errors in 2 rows, 2 warnings in 2 rows"
    order = [
        text.index(rule) for rule in ("│ error   │ letters", "│ error   │ key", "│ warning │ punct")
    ]
    assert order == sorted(order)
    assert "error letters, row 0, line 2: the first pass spells 'veritanascosta'" in text
    assert text.index("warning punctuation, row 0") > text.index("error key, row 1, line 3")
    assert all(len(line) <= 80 for line in lines)


def test_a_file_without_a_fault_has_no_table(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "data.csv", [ROW])
    assert checked(path) == "data.csv, 1 row\n0 errors in 0 rows, 0 warnings in 0 rows\n"
    other = write_csv(tmp_path / "train.csv", [{**ROW, "solution": "x", "first_pass": "x"}] * 2)
    assert checked(path, other).startswith("data.csv, 1 row, against train.csv (2 rows)\n")


def test_of_many_findings_the_first_are_shown_and_hostile_text_is_harmless(tmp_path: Path) -> None:
    rows = [
        {**ROW, "solution_key": "\x1b[31m" + "9" * 400, "first_pass": f"{n}"} for n in range(12)
    ]
    text = checked(write_csv(tmp_path / "\x1b[1mdata.csv", rows))
    assert text.count("error key, row") == 10
    assert "  and 2 more of key (--json lists them)" in text
    assert "\x1b" not in text
    assert "9" * 300 not in text.replace("\n", "")
    assert "..." in text


def described(path: Path | str, *more: Path | None) -> str:
    return shown(data_stats.render(data.stats(path, *more)))


def test_the_samples_statistics(tmp_path: Path) -> None:
    text = described("sample", None, a_tokenizer(tmp_path / "tokenizer.json"))
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines()]
    rows = {row[0]: row[1:] for row in reversed(cells) if row}
    assert rows["examples"] == ["90", "58", "18", "14"]
    assert rows["unique words"] == ["223", "154", "52", "38"]
    assert rows["words/example"][0] == "3.00/0.67"
    assert rows["rows with one"] == ["32", "0", "18", "14"]
    assert rows["of all rows"] == ["35.6%", "0.0%", "100.0%", "100.0%"]
    assert rows["both over 1,024"] == ["0", "0", "0", "0"]
    assert rows["4"] == ["129 ████████████████████", "7 ██"]
    assert rows["13"] == ["", "1 █"]
    assert "numbers in a key: 2: 47, 3: 37, 4: 6" in text
    assert "65 different keys, most often 5 9 (5)" in text
    assert "regular: 0 rows exceed 1,024 tokens" in text
    assert "first passes in it" not in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_the_table_fits_eighty_columns_of_a_large_file() -> None:
    document: Json = data.stats("sample")
    for part in document["subsets"].values():
        part["first_pass"]["unique_words"] = 222_089
        part["first_pass"]["length"].update(mean=26.45, sd=11.19)
        part["unseen"].update(unseen_words=222_089, share_of_words=1.0)
    text = shown(data_stats.render(document))
    assert all(len(line) <= 80 for line in text.splitlines())
    assert text.count("26.45/11.19") == 4


def test_more_subsets_make_more_tables(tmp_path: Path) -> None:
    rows = [{**ROW, "subset": f"s{n}"} for n in range(6)]
    text = described(write_csv(tmp_path / "data.csv", rows))
    assert text.count("examples") == 2
    assert "s5" in text
    assert "not in" not in text


def test_a_training_file_and_rows_that_are_left_out(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "data.csv", [ROW, {**ROW, "solution": ""}])
    text = described(path, write_csv(tmp_path / "train.csv", [ROW]))
    assert "1 row that cannot be used left out; `apieval data verify` names them" in (
        " ".join(text.split())
    )
    assert "not in train.csv" in text
    assert "first passes in it │" in text


def test_one_row_without_room(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "data.csv", [{**ROW, "solution_key": "1 " * 1000}, ROW])
    text = described(path, None, a_tokenizer(tmp_path / "tokenizer.json"))
    assert "hints: 1 row exceeds 1,024 tokens" in text


def test_the_studys_layout_and_a_file_of_which_nothing_can_be_used(tmp_path: Path) -> None:
    text = described(write_csv(tmp_path / "gold.csv", [STUDY]))
    assert "examples" in text
    assert "prompt, regular" not in text
    assert "numbers in a key" not in text
    nothing = described(write_csv(tmp_path / "data.csv", [{**ROW, "solution": ""}]))
    assert "-/-" in nothing


def test_a_real_console_shows_it_too() -> None:
    output.show(data_stats.render(data.stats("sample")))
