from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from apieval.analysis.format_loss import FormatLoss
from apieval.analysis.setup import Measured
from apieval.rebus import scoring
from apieval.records import Setting
from apieval.report import details
from tests.records import ANSWER, dataset, rebus, response


def summary(text: str, setting: Setting = "regular") -> dict[str, Any]:
    row = rebus()
    part = FormatLoss(Measured("m", dataset([row]).select(), [setting]))
    part.add(scoring.scored(response(text=text, setting=setting), row))
    return {"format_loss": part.summary()}


def shown(found: dict[str, Any]) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=80, highlight=False)
    for each in details.render(found):
        console.print(each)
    return stream.getvalue()


def test_the_parsers_side_by_side_and_what_made_the_difference() -> None:
    text = ANSWER.replace("= Rita", "= **Rita** (santa)").replace(
        "Verità nascosta", "Verita nascosta"
    )
    lines = shown(summary(text)).splitlines()
    assert lines[1].strip() == "format loss, regular, micro"
    rows = [[c.strip() for c in line.split("│")[1:-1]] for line in lines if "│" in line]
    assert rows[0] == ["word_guess", "0.500", "1.000", "1.000", "0.500", "0.055 to 0.945"]
    assert rows[-1][:5] == ["solution_match", "0.000", "0.000", "1.000", "0.000"]
    assert lines[-3:] == [
        "what made it (an answer may have several kinds)",
        "word_guess, strict: +1 in 1 answer: bold 1, remark 1",
        "solution_match, lenient: +1 in 1 answer: accent 1",
    ]


def test_lengths_are_shown_of_hints_alone() -> None:
    assert "word_guess_length" in shown(summary(ANSWER, "hints"))
    found = shown(summary(ANSWER))
    assert "word_guess_length" not in found
    assert "what made it" not in found


def test_nothing_is_known_of_parts_that_were_parsed_elsewhere() -> None:
    assert "not known" in shown({"format_loss": None})


def test_other_words_along_the_key_are_told_of() -> None:
    said = " ".join(shown({"along_key": {"official": 0, "tolerant": 9}}).split())
    assert said == (
        "The tolerant parser takes solution words from the key; in 9 rows they differ from the "
        "official parser's. Its n of words may differ, and a difference due to this alone is not "
        "format loss."
    )
    assert shown({"along_key": {"official": 0, "tolerant": 0}}) == ""
    assert shown({"along_key": {}}) == ""


def test_what_is_not_there_is_not_shown() -> None:
    assert shown({}) == ""
