from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import pytest

from apieval.errors import StoreError
from apieval.rebus import scoring
from apieval.rebus.metrics import METRICS
from apieval.records import Rebus
from apieval.report import files
from tests.records import ANSWER, rebus, response, summary

HOSTILE = '[/] [red]\u2028\x85\x00\r\t"\\è😀'


def strict(text: str) -> object:
    """Parse JSON with no NaN in it and no key twice."""

    def refuse(word: str) -> NoReturn:
        raise AssertionError(f"{word} is no JSON")

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    return json.loads(text, parse_constant=refuse, object_pairs_hook=unique)


def line(gold: Rebus, **changes: object) -> dict[str, Any]:
    score = next(scoring.score(response(**changes), gold))
    text = files.score_line(score)
    assert "\n" not in text
    found = strict(text)
    assert isinstance(found, dict)
    return found


def test_a_line_has_the_fields_of_the_contract() -> None:
    gold = rebus(id="r1", subset="ood", word_guesses=("Rita", "scosta", "tre"))
    found = line(gold, setting="hints", sample=1)
    assert found == {
        "id": "r1",
        "setting": "hints",
        "sample": 1,
        "subset": "ood",
        "parser": "official",
        "outcome": "ok",
        "word_guesses": ["Rita", "scosta"],
        "first_pass": "VE Rita NA scosta",
        "solution_words": ["Verità", "nascosta"],
        "solution": "Verità nascosta",
        "word_guess_accuracy": 0.6667,
        "word_guess_length_accuracy": 0.6667,
        "first_pass_accuracy": 1.0,
        "solution_word_accuracy": 1.0,
        "solution_word_length_accuracy": 1.0,
        "solution_match": 1.0,
        "counts": {
            "word_guess_accuracy": [2, 3],
            "word_guess_length_accuracy": [2, 3],
            "first_pass_accuracy": [1, 1],
            "solution_word_accuracy": [2, 2],
            "solution_word_length_accuracy": [2, 2],
            "solution_match": [1, 1],
        },
    }
    assert list(found)[-7:] == [*METRICS, "counts"]


def test_the_tolerant_parsers_lines_say_how_they_were_read() -> None:
    text = ANSWER.replace("= Rita", "= **Rita**").partition("Soluzione")[0]
    scores = list(scoring.score(response(text=text), rebus()))
    for score in scores[1:]:
        found = json.loads(files.score_line(score))
        assert list(found)[-4:] == ["status", "why", "seen_through", "seen"]
        assert found["status"] == {
            **dict.fromkeys(("word_guesses", "first_pass", "solution_words"), "found"),
            "solution": "cut",
        }
        assert found["why"] == {"solution": "the text ends before it"}
        assert found["seen_through"] == ["bold"]
        assert found["seen"] == {"answers": 1, "solution_lines": 0}


def test_a_failed_request_has_null_for_every_figure() -> None:
    found = line(rebus(), outcome="failed", text="")
    assert [found[name] for name in (*METRICS, "counts")] == [None] * 7
    assert found["outcome"] == "failed"


def test_a_line_holds_any_text() -> None:
    found = line(rebus(id=HOSTILE, subset=HOSTILE), text=f"Soluzione: {HOSTILE}")
    assert (found["id"], found["subset"], found["solution"]) == (HOSTILE, HOSTILE, HOSTILE)


class TestWriting:
    def test_scores_are_lines_that_end_in_a_line_feed(self, tmp_path: Path) -> None:
        folder = tmp_path / "new" / "run"
        with files.writing_scores(folder) as write:
            for text in (ANSWER, f"Soluzione: {HOSTILE}", ""):
                write(next(scoring.score(response(text=text), rebus())), {})
        data = (folder / "scores.jsonl").read_bytes()
        assert data.endswith(b"}\n")
        assert b"\r\n" not in data
        values = [strict(each) for each in data.decode().split("\n")[:-1]]
        assert [each["solution"] for each in values if isinstance(each, dict)] == [
            "Verità nascosta",
            HOSTILE,
            "",
        ]
        assert [path.name for path in folder.iterdir()] == ["scores.jsonl"]

    def test_what_was_there_stays_until_the_new_is_whole(self, tmp_path: Path) -> None:
        path = tmp_path / "scores.jsonl"
        path.write_text("old\n", encoding="utf-8")

        def half() -> NoReturn:
            with files.writing_scores(tmp_path) as write:
                write(next(scoring.score(response(), rebus())), {})
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            half()
        assert path.read_text(encoding="utf-8") == "old\n"

    def test_a_summary_is_strict_json(self, tmp_path: Path) -> None:
        row = rebus(id=HOSTILE, subset=HOSTILE)
        found = summary([row], [response(id=HOSTILE)], model=HOSTILE, name=HOSTILE)
        files.write_summary(tmp_path, found)
        data = (tmp_path / "summary.json").read_bytes()
        assert data.endswith(b"}\n")
        assert strict(data.decode()) == found
        assert [path.name for path in tmp_path.iterdir()] == ["summary.json"]

    @pytest.mark.parametrize("rows", [[], [rebus()]], ids=["no rebus", "no answer"])
    def test_where_there_is_no_figure_there_is_null(
        self, tmp_path: Path, rows: list[Rebus]
    ) -> None:
        files.write_summary(tmp_path, summary(rows, []))
        strict((tmp_path / "summary.json").read_text(encoding="utf-8"))

    def test_nan_is_never_written(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="not JSON compliant"):
            files.write_summary(tmp_path, {"value": float("nan")})
        assert not list(tmp_path.iterdir())

    def test_a_folder_that_cannot_be_written(self, tmp_path: Path) -> None:
        taken = tmp_path / "taken"
        taken.write_text("a file", encoding="utf-8")
        with pytest.raises(StoreError, match=r"taken.*: cannot be written: "):
            files.write_summary(taken, {})
        with (
            pytest.raises(StoreError, match=r"taken.*: cannot be written: "),
            files.writing_scores(taken),
        ):
            pass
