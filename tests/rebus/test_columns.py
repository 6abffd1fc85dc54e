from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from apieval.errors import DataError
from apieval.rebus.columns import GOLD, QUESTION, Clashes, Layout, layout_of
from apieval.rebus.tables import Row
from apieval.records import RowId
from tests.records import ROW

PATH = Path("data.csv")


def test_the_challenges_file_is_known_by_its_number_of_rows() -> None:
    layout = Layout(frozenset(ROW), 3167)
    names = [layout.subset_of(Row(n + 2, ROW), n) for n in range(3167)]
    assert Counter(names) == {"id": 2000, "ood": 999, "new": 168}
    assert (names[1999], names[2000], names[2998], names[2999]) == ("id", "ood", "ood", "new")
    assert Layout(frozenset(ROW), 3166).subset_of(Row(2, ROW), 0) is None


def test_rows_may_have_different_columns() -> None:
    rows = [Row(1, ROW), Row(2, {**ROW, "subset": "new"})]
    layout = layout_of(PATH, rows, gold_only=False)
    assert (sorted(layout.columns), layout.rows) == (sorted((*QUESTION, *GOLD, "subset")), 2)
    assert [layout.subset_of(row, 0) for row in rows] == ["", "new"]
    assert list(layout.faults(rows[0])) == ["column 'subset': empty"]


@pytest.mark.parametrize("name", ["ID", "Id", " id "])
def test_a_column_that_is_nearly_id_is_no_id(name: str) -> None:
    with pytest.raises(DataError, match=f"the column {name!r} must be named 'id'"):
        layout_of(PATH, [Row(2, {**ROW, name: "a"})], gold_only=False)
    layout_of(PATH, [Row(2, {**ROW, name: "a", "id": "a"})], gold_only=False)


def test_ids_clash_as_texts() -> None:
    seen = Clashes()
    ids: list[RowId] = [7, "a", "7", ""]
    assert [seen.fault(given, line) for line, given in enumerate(ids, start=2)] == [
        None,
        None,
        "column 'id': '7' already appears in line 2",
        "column 'id': empty",
    ]
