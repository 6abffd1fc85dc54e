from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from apieval.errors import DataError
from apieval.rebus import printed
from apieval.rebus.cells import DROPPED, Tally
from apieval.rebus.printed import Printed


def read(path: Path, text: str, *, dated: bool = False) -> tuple[list[Printed], dict[str, str]]:
    path.write_text(text, "utf-8")
    dropped = Tally(DROPPED)
    found = list(printed.read(printed.table_of(path, dated=dated), dropped))
    reasons = dropped.as_json().items()
    return found, {name: why["first"][0]["text"] for name, why in reasons if why["rows"]}


RITA = Printed(2, "VE Rita NA scosta", "Verità nascosta", None)


@pytest.mark.parametrize(
    "cell",
    [
        pytest.param("VE - Rita - NA - scosta", id="as printed"),
        pytest.param("VE-Rita-NA-scosta-", id="without blanks"),
        pytest.param("VE Rita NA scosta", id="without marks"),
        pytest.param('" - VE -- Rita\u00a0- NA\n- scosta "', id="untidy"),
    ],
)
def test_elements(tmp_path: Path, cell: str) -> None:
    found, _ = read(tmp_path / "a.csv", f"PRIMALET,FRASE\n{cell}, Verità  nascosta\n")
    assert found == [RITA]
    assert found[0].words == ("Rita", "scosta")


@pytest.mark.parametrize(
    ("element", "expected"),
    [
        pytest.param("ape", True, id="lower"),
        pytest.param("Rita", True, id="title"),
        pytest.param("l'Adda", True, id="camel"),
        pytest.param("io", True, id="short"),
        pytest.param("A", False, id="letter"),
        pytest.param("GLI", False, id="letters"),
        pytest.param("È", False, id="accent"),
        pytest.param("3", False, id="digit"),
    ],
)
def test_hidden(element: str, expected: bool) -> None:
    assert printed.hidden(element) is expected


@pytest.mark.parametrize(
    ("row", "reason", "text"),
    [
        pytest.param(",x,", "empty", "x", id="no first pass"),
        pytest.param(" - ,x,", "empty", "-", id="marks alone"),
        pytest.param("ape,,", "empty", "ape", id="no solution"),
        pytest.param("ape,ape,stereo", "kind", "stereo", id="not regular"),
        pytest.param("ape,a\x07pe,", "characters", "U+0007", id="control, solution"),
        pytest.param("a\u200bpe,ape,", "characters", "U+200B (zero width space)", id="odd"),
        pytest.param("ape - [x],apex,", "elements", "[x]", id="brackets"),
        pytest.param("ape;x - A,apexa,", "elements", "ape;x", id="a list's mark"),
        pytest.param("ape - ? - A,apea,", "elements", "?", id="a sign"),
    ],
)
def test_what_is_no_rebus_is_counted(tmp_path: Path, row: str, reason: str, text: str) -> None:
    found, reasons = read(tmp_path / "a.csv", f"PRIMALET,FRASE,TIPO\n{row}\n")
    assert found == []
    assert reasons == {reason: text}


@pytest.mark.parametrize(
    ("cell", "year"),
    [("2024", 2024), (" 2024.0", 2024), ("", None), ("24", None), ("20245", None), ("s.d.", None)],
)
def test_year(tmp_path: Path, cell: str, year: int | None) -> None:
    found, _ = read(tmp_path / "a.csv", f"PRIMALET,FRASE,ANNO\nape,ape,{cell}\n", dated=True)
    assert found[0].year == year


def test_a_year_that_is_asked_for_needs_its_column(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="missing column 'ANNO'"):
        read(tmp_path / "a.csv", "PRIMALET,FRASE\nape,ape\n", dated=True)


def test_an_id_is_of_the_rebus_and_not_of_its_place() -> None:
    assert Printed(7, "VE RITA NA scosta", "verità nascosta", 2024).id == RITA.id
    assert RITA.id == "r8b6167f8ad54601c"
    others = (
        replace(RITA, first_pass="VER ita NA scosta"),
        replace(RITA, solution="Verità nascoste"),
    )
    assert len({RITA.id, *(other.id for other in others)}) == 3
