from __future__ import annotations

from pathlib import Path

import pytest

from apieval.commands import data, verbalize
from apieval.rebus.baseline.words import fold
from tools import make_tables


def test_the_tables_give_a_data_file_without_a_fault(tmp_path: Path) -> None:
    for folder in (tmp_path / "one", tmp_path / "other"):
        make_tables.main([str(folder), "--rebuses", "60"])
    one, other = ((tmp_path / name / "rebuses.csv").read_bytes() for name in ("one", "other"))
    assert one == other
    folder, out = tmp_path / "one", tmp_path / "set.csv"
    words = folder / "words.txt"
    document = verbalize.verbalize(
        folder / "rebuses.csv", [folder / "clues.csv"], out, against=words
    )
    assert document["out"]["rows"] == 60
    assert document["subsets"].keys() == {"id", "ood"}
    assert (data.verify(out, words)["errors"], document["possible_leaks"]) == (0, 0)


@pytest.mark.parametrize(
    ("phrase", "words", "elements"),
    [
        pytest.param(("Verità", "nascosta"), "Rita scosta", "VE Rita NA scosta", id="two"),
        pytest.param(("Verità", "nascosta"), "Rita", "", id="one"),
        pytest.param(("Verità", "nascosta"), "ità nascosta", "", id="the solution's own"),
        pytest.param(("Verità", "nascosta"), "rit sta", "", id="many letters together"),
        pytest.param(("Verità", "nascosta"), "rit ana anasco", "VE rit anasco STA", id="longest"),
        pytest.param(("Casa", "dolce"), "casad olce", "casad olce", id="no letters"),
    ],
)
def test_a_first_pass(phrase: tuple[str, ...], words: str, elements: str) -> None:
    hidden = {fold(word): word for word in words.split()}
    assert " ".join(make_tables.first_pass(phrase, hidden)) == elements
