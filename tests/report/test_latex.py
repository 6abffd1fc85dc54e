"""`table.tex`: no TeX is needed for these tests; braces and columns are counted."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from apieval.report import latex
from tests.report.documents import altered
from tests.report_runs import gathered


def text(*folders: Path) -> str:
    return "\n".join(latex.lines(gathered(folders)))


def body(table: str) -> list[str]:
    """Return the rows of a table, each as its cells."""
    inner = table.partition(r"\toprule")[2].partition(r"\bottomrule")[0]
    return [line for line in inner.splitlines() if line.endswith(r"\\")]


def sound(table: str) -> None:
    """Hold what TeX would: braces in pairs, environments closed in order, every row of one width."""
    bare = re.sub(r"\\[{}&%$#_]", "", table.partition("\n")[2])  # the first line is a remark
    depth = 0
    for character in bare:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    begun = re.findall(r"\\begin\{(.+?)\}", bare)
    assert re.findall(r"\\end\{(.+?)\}", bare) == begun[::-1]
    [columns] = re.findall(r"\\begin\{tabular\}\{(\w+)\}", bare)
    assert body(bare)
    for row in body(bare):
        whole = re.match(r"\\multicolumn\{(\d+)\}", row)
        assert (int(whole[1]) if whole else row.count("&") + 1) == len(columns)


def test_one_run(folders: dict[str, Path]) -> None:
    table = text(folders["half"])
    sound(table)
    [first, intervals] = [row for row in body(table) if row.startswith(("half &", " &"))][:2]
    assert first.endswith(r"& 0.167 \\")
    assert first.split(" & ")[2] == "--"  # lengths are shown with hints alone
    assert intervals.endswith(r"{\scriptsize [0.079, 0.319]} \\")
    assert r"\textbf" not in table
    assert r"Square brackets: 95 \% intervals" in table
    assert "36 rebuses" in table


@pytest.mark.parametrize("name", ["[1cm] x", "*x"])
def test_no_name_is_an_option_of_the_line_above(
    folders: dict[str, Path], tmp_path: Path, name: str
) -> None:
    folder = altered(folders["half"], tmp_path / "x", lambda known: known.update(model=name))
    table = text(folder)
    sound(table)
    assert f"\n{{}}{name} & " in table


def test_the_best_is_bold_where_it_is_shown(folders: dict[str, Path]) -> None:
    table = text(folders["half"], folders["more"], folders["none"])
    sound(table)
    assert r"\textbf{0.833}" in table
    assert r"\textbf{0.167}" not in table
    assert "Bold: shown to be better" in table
    assert "Claude-3.5 Sonnet, 5-shot & 0.66 & -- & 0.28 & -- & -- & 0.24" in table


def test_a_partial_run_has_bounds_and_says_so(folders: dict[str, Path]) -> None:
    table = text(folders["part"])
    sound(table)
    assert r"\textit{0.139 to 0.194}" in table
    assert r"{\scriptsize (bounds; 0.147 answered)}" in table
    assert "Italic: bounds, no intervals" in table
    both = text(folders["part"], folders["half"])
    for said in (
        "Italic: bounds",
        "Square brackets: 95",
        r"\textit{0.139 to 0.194}",
        "[0.079, 0.319]",
    ):
        assert said in both


def test_a_dictionary_is_marked(folders: dict[str, Path], tmp_path: Path) -> None:
    def change(summary: dict[str, Any]) -> None:
        summary["coverage"] = {"rebuses": 1, "complete": 0, "known": 1, "clues": 2, "found": 1}

    table = text(folders["more"], altered(folders["half"], tmp_path / "d", change))
    sound(table)
    assert r"half\textsuperscript{\dag} &" in table
    assert (
        r"\textsuperscript{\dag}: a dictionary baseline, or steps were given; not ranked" in table
    )


@pytest.mark.parametrize(
    "name", ['a_b & 50% #1 {x} $y$ ^~ <z> | \\end{table*} "q" `r`\n\tb', "\u202e"]
)
def test_of_names_nothing_is_a_command(folders: dict[str, Path], tmp_path: Path, name: str) -> None:
    table = text(altered(folders["half"], tmp_path / "x", lambda s: s.update(model=name)))
    sound(table)
    assert r"\end{table*} " not in table
    assert "\u202e" not in table
