"""The exported table as its users read it: with pandas, and nothing of ours."""

from __future__ import annotations

from math import fsum
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import apieval
from apieval.rebus.metrics import METRICS
from apieval.rebus.scoring import PARSERS
from tests.e2e.conftest import Inside
from tests.e2e.program import Material, lines, rewrite, summary

WORDS = {1: "None", 2: "NA", 4: "null", 5: "", 6: " NaN\n", 7: "\u2028\x00\r\n\U0001f600"}


@pytest.fixture
def table(inside: Inside, lacking: Path, ten: Material) -> Any:  # noqa: ANN401 # a DataFrame
    """Return what pandas reads of a run in which one answer is missing, some are odd words alone."""
    for row, text in WORDS.items():
        said = {"text": f"Soluzione: {text}", "reasoning": text, "finish_reason": text}
        rewrite(lacking / "responses.jsonl", row, **said)
    assert inside("score", lacking).code == 1
    (path,) = apieval.export(lacking, "parquet").files
    return pd.read_parquet(path)


def test_columns_have_the_types_of_what_they_hold(table: Any) -> None:  # noqa: ANN401
    assert len(table) == 20
    kinds = {name: str(kind) for name, kind in table.dtypes.items()}
    for name in ("id", "setting", "outcome", "text", "reasoning", "finish_reason", "solution"):
        assert kinds[name] == "str"
    assert kinds["sample"] == "int64"
    figures = [name for name in kinds if name.startswith(("official_", "tolerant_"))]
    assert len(figures) == 3 * 6 + 2 * 3 * 4
    assert {kinds[name] for name in figures} == {
        "float64"
    }  # an integer column has no place for none
    whole = table[table["outcome"] != "failed"].convert_dtypes()
    assert str(whole.dtypes["official_word_guess_accuracy_total"]) == "Int64"


def test_what_is_missing_stays_missing(table: Any) -> None:  # noqa: ANN401
    failed = table[(table["setting"] == "regular") & (table["id"] == "3")]
    assert failed["outcome"].tolist() == ["failed"]
    figures = [name for name in table.columns if name.startswith(("official_", "tolerant_"))]
    assert failed[figures].isna().all(axis=None)
    assert not table.drop(failed.index)[figures].isna().any(axis=None)
    assert table["subset"].isna().all()
    unthought = ~table["id"].astype(int).isin(WORDS)
    assert (table["reasoning"].isna() == unthought).all()


def test_words_are_words(table: Any, lacking: Path) -> None:  # noqa: ANN401
    stored = {(e["setting"], str(e["id"])): e for e in lines(lacking / "responses.jsonl")}
    for row in table.itertuples():
        answer = stored[row.setting, row.id]
        assert row.text == answer["text"]
        for name in ("reasoning", "finish_reason"):
            if answer[name] is not None:
                assert getattr(row, name) == answer[name]
    mine = table[table["setting"] == "hints"].set_index("id")["solution"]
    assert [mine[row] for row in ("1", "2", "4", "5", "6")] == ["None", "NA", "null", "", " NaN"]


def test_lists_of_words_are_lists(table: Any, lacking: Path) -> None:  # noqa: ANN401
    scores = {
        (e["setting"], str(e["id"])): e
        for e in lines(lacking / "scores.jsonl")
        if e["parser"] == "official"
    }
    for row in table.itertuples():
        assert list(row.word_guesses) == scores[row.setting, row.id]["word_guesses"]
        assert list(row.solution_words) == scores[row.setting, row.id]["solution_words"]


def test_figures_of_groups_are_those_of_the_summary(table: Any, lacking: Path) -> None:  # noqa: ANN401
    stored = summary(lacking)["figures"]
    for setting, group in table.groupby("setting"):
        for parser in PARSERS:
            for metric in METRICS:
                column = f"{parser.replace('-', '_')}_{metric}"
                figure = stored[setting]["all"][parser][metric]
                answered = figure["macro"].get("answered", figure["macro"]["value"])
                assert group[column].mean() == pytest.approx(answered, abs=1e-12)
                micro = figure["micro"].get("answered", figure["micro"]["value"])
                right, total = group.get(f"{column}_right"), group.get(f"{column}_total")
                if right is None:
                    assert fsum(group[column].dropna()) / group[column].count() == micro
                else:
                    assert right.sum() / total.sum() == pytest.approx(micro, abs=1e-12)
