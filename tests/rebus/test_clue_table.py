from __future__ import annotations

from pathlib import Path

import pytest

from apieval.rebus.clue_table import Choice, Clues


def clues(path: Path, *pairs: str) -> tuple[Clues, dict[str, int]]:
    path.write_text("\n".join(["Clue,Answer", *pairs, ""]), "utf-8")
    known = Clues()
    found = known.read(path)
    assert found["rows"] == len(pairs)
    reasons = {name: each["rows"] for name, each in found["unused"].items() if each["rows"]}
    assert found["used"] == len(pairs) - sum(reasons.values())
    return known, reasons


def test_clues_of_a_word_stand_in_order_whatever_their_case(tmp_path: Path) -> None:
    known, unused = clues(tmp_path / "a.csv", "Santa,RITA", "Hayworth,rita", "Altra,Anna")
    assert known.of("Rita") == Choice(("Hayworth", "Santa"), possible_leaks=False)
    assert known.of("Rita") is known.of("rita")
    assert (known.answers, unused) == (2, {})
    assert known.of("Rito") is None


def test_accents_count(tmp_path: Path) -> None:
    known, _ = clues(tmp_path / "a.csv", "La fine,meta", "Una parte,META\u0300")
    assert known.of("metà") == Choice(("Una parte",), possible_leaks=False)


def test_several_tables_are_one(tmp_path: Path) -> None:
    known, _ = clues(tmp_path / "a.csv", "Santa,Rita")
    (tmp_path / "b.csv").write_text("answer,clue\nrita,Hayworth\nrita,Santa\n")
    found = known.read(tmp_path / "b.csv")
    assert (found["name"], found["used"], found["formulas"]) == ("b.csv", 1, 0)
    assert found["digest"].startswith("sha256:")
    assert known.of("rita") == Choice(("Hayworth", "Santa"), possible_leaks=False)


@pytest.mark.parametrize(
    ("given", "left", "possible"),
    [
        pytest.param(("La rosa", "Fiore", "Il roseto e le rose"), ("Fiore",), False, id="safe"),
        pytest.param(("La rosa", "Un rosaio"), ("Un rosaio",), True, id="inside a longer word"),
        pytest.param(("La ROSA", "Rosa rossa"), (), False, id="all of them"),
    ],
)
def test_a_clue_that_gives_its_word_away_is_not_drawn(
    tmp_path: Path, given: tuple[str, ...], left: tuple[str, ...], possible: bool
) -> None:
    known, _ = clues(tmp_path / "a.csv", *(f"{clue},rosa" for clue in given))
    # `roseto` does not hold the word
    safe = tuple(sorted({*left, *(clue for clue in given if "roseto" in clue)}))
    assert known.of("rosa") == Choice(safe, possible_leaks=possible)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        pytest.param(" ,rita", "empty", id="no clue"),
        pytest.param("Santa,", "empty", id="no answer"),
        pytest.param("San\x07ta,rita", "characters", id="a control character in the clue"),
        pytest.param("Santa,ri\x07ta", "characters", id="in the answer"),
        pytest.param("Santa [di Cascia,rita", "brackets", id="opening"),
        pytest.param("Santa] di Cascia,rita", "brackets", id="closing"),
        pytest.param("Santa (4),rita", "length", id="length"),
        pytest.param("Hayworth ,RITA", "double", id="double"),
    ],
)
def test_a_clue_that_cannot_be_used_is_counted(tmp_path: Path, row: str, reason: str) -> None:
    known, unused = clues(tmp_path / "a.csv", "Hayworth,rita", row)
    assert unused == {reason: 1}
    assert known.of("rita") == Choice(("Hayworth",), possible_leaks=False)
