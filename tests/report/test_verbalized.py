from __future__ import annotations

from pathlib import Path

from rich.console import Console

from apieval.commands import verbalize
from apieval.rebus.verbalize import Wish
from apieval.report import verbalized as view
from tests.records import ROW, write_csv

RITA = {"PRIMALET": "VE - Rita - NA - scosta", "FRASE": "Verità nascosta", "ANNO": "2025"}
SANTA = {"Clue": "Santa di Cascia", "Answer": "RITA"}
SCOSTA = {"Clue": "Sposta da un lato", "Answer": "SCOSTA"}


def shown(
    folder: Path,
    rows: list[dict[str, str]],
    clues: list[dict[str, str]],
    *,
    against: Path | None = None,
    wish: Wish = Wish(),  # noqa: B008 # it is frozen
) -> str:
    tables = write_csv(folder / "r.csv", rows), write_csv(folder / "c.csv", clues)
    out = folder / "out.csv"
    document = verbalize.verbalize(
        tables[0], [tables[1]], out, against=against, wish=wish, overwrite=True
    )
    document["out"]["path"] = "out.csv"
    screen = Console(width=80, markup=False, highlight=False, emoji=False, color_system=None)
    with screen.capture() as captured:
        for each in view.render(document):
            screen.print(each, soft_wrap=True)
    return captured.get()


def test_where_nothing_is_dropped_there_is_no_table(tmp_path: Path) -> None:
    assert shown(tmp_path, [RITA], [SANTA, SCOSTA]) == (
        "out.csv: 1 rebus of 1 row\n2 of 2 clues for 2 answers; seed 0\n"
    )


def test_what_was_dropped_and_the_first_of_it(tmp_path: Path) -> None:
    rows = [RITA, RITA, *({**RITA, "FRASE": "\x1b[1m" * n} for n in (1, 2))]
    rows.append({**RITA, "PRIMALET": f"bue - {'a' * 70}", "FRASE": f"bue{'a' * 70}"})
    text = shown(tmp_path, rows, [SANTA, SANTA, SCOSTA])
    assert "out.csv: 1 rebus of 5 rows" in text
    assert "2 of 3 clues for 2 answers" in text
    assert "│ characters      │    2 │" in text
    assert "clues not used, c.csv" in text
    assert f"words most often without a clue (rows): {'a' * 70} (1), bue (1)" in text
    assert "few_words" not in text
    assert "..." in text
    assert "\x1b" not in text


def test_subsets_and_what_they_were_split_against(tmp_path: Path) -> None:
    train = write_csv(tmp_path / "train.csv", [{**ROW, "first_pass": "x"}])
    text = shown(tmp_path, [RITA], [SANTA, SCOSTA], against=train, wish=Wish(seed=3))
    assert text.startswith("out.csv: 1 rebus (id 1) of 1 row\n")
    assert "seed 3; against train.csv (1 row)" in text
    assert "warning" not in text


def test_warnings(tmp_path: Path) -> None:
    rows = [RITA, {**RITA, "FRASE": "-Verità nascosta", "ANNO": "s.d."}]
    clues = [{**SANTA, "Clue": "-Margherita"}, SCOSTA]
    lines = shown(tmp_path, rows, clues, wish=Wish(new_since=2024)).splitlines()
    assert [line for line in lines if line.startswith("warning")] == [
        "warning: 2 clues hold their word inside a longer one; these words have no other clue",
        "warning: of 1 rebus the year is not known (ANNO must be four digits), so they are not new",
        "warning: what is not new is `old`: --against says which of it is id and which ood",
        "warning: r.csv: in 1 row a cell begins with =, +, - or @; never open it in a spreadsheet",
        "warning: c.csv: in 1 row a cell begins with =, +, - or @; never open it in a spreadsheet",
        "warning: so does one in 1 row of what was written",
    ]
