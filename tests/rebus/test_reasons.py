from __future__ import annotations

from apieval.rebus.cells import MOST_PLACES, Tally


def test_a_tally_counts_all_and_names_the_first() -> None:
    tally = Tally({"one": "says one", "other": "says other"})
    for line in range(MOST_PLACES + 2):
        tally.add("one", line, "x" * 300)
    assert tally.rows == MOST_PLACES + 2
    found = tally.as_json()
    assert found["other"] == {"says": "says other", "rows": 0, "first": []}
    assert found["one"]["rows"] == MOST_PLACES + 2
    assert found["one"]["first"] == [{"line": n, "text": "x" * 200} for n in range(MOST_PLACES)]
