from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from apieval.report.models_table import Folded, folded


@pytest.mark.parametrize(
    ("name", "width", "expected"),
    [
        ("gpt-4o", 20, ["gpt-4o"]),
        ("gpt-4o", 6, ["gpt-4o"]),
        ("gpt-4o", 5, ["gpt-", "4o"]),
        ("meta-llama/Llama-3.3-70B-Instruct", 16, ["meta-llama/", "Llama-3.3-70B-", "Instruct"]),
        (
            "meta-llama/Llama-3.3-70B-Instruct",
            7,
            ["meta-", "llama/", "Llama-", "3.3-", "70B-", "Instruc", "t"],
        ),
        ("mio (altro prompt)", 10, ["mio (altro", "prompt)"]),
        ("漢字漢字-長い", 5, ["漢字", "漢字-", "長い"]),
        ("a\x1b[31m", 20, ["a\\x1b[31m"]),
        ("", 5, [""]),
        ("//", 1, ["/", "/"]),
    ],
)
def test_a_name_is_broken_where_its_parts_end(name: str, width: int, expected: list[str]) -> None:
    assert folded(name, width) == expected
    assert all(cell_len(line) <= width for line in expected)


def test_a_table_folds_it_to_the_room_there_is() -> None:
    table = Table()
    table.add_column("model")
    table.add_column("figure", no_wrap=True)
    table.add_row(Folded("organizzazione/modello-lungo"), "0.123")
    stream = io.StringIO()
    console = Console(file=stream, width=30)
    console.print(table)
    assert "│ organizzazione/   │ 0.123  │" in stream.getvalue()
    assert "│ modello-lungo     │        │" in stream.getvalue()
