"""The audit of answers: each kind of doubt has a case that raises it, and one that does not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from apieval.analysis.audit import Audit
from apieval.analysis.figures import Collector
from apieval.analysis.setup import Measured
from apieval.analysis.summary import Usage, summarize
from apieval.rebus import dataset, scoring
from apieval.rebus.dataset import Selection
from apieval.records import Response
from apieval.results.summary import AuditFinding
from tests.records import response

SAMPLE = dataset.load("sample").select()
ROWS = SAMPLE.rebuses


def right(at: int) -> str:
    row = ROWS[at]
    lines = [f"- [x] = {word}" for word in row.word_guesses]
    lines += ["", f"Prima lettura: {row.first_pass}", ""]
    lines += [f"{len(word)} = {word}" for word in row.solution_words]
    return "\n".join([*lines, "", f"Soluzione: {row.solution}"])


def audited(texts: Mapping[int, str | Response]) -> dict[str, AuditFinding]:
    """Return by kind what an audit finds; all other rows have an answer of their own, all wrong."""
    selection = Selection(SAMPLE.data, ROWS)
    audit, collector, usage = Audit(selection), Collector(ROWS, ["regular"]), Usage()
    for at, row in enumerate(ROWS):
        text = texts.get(at, f"Soluzione: soluzione numero {at}")
        given = text if isinstance(text, Response) else response(text=text)
        answer = scoring.scored(given.model_copy(update={"id": row.id}), row)
        usage.add(given)
        audit.add(answer)
        for score in answer.scores.values():
            collector.add(score)
    summary = summarize(Measured("m", selection, ["regular"]), collector, usage)
    return {each["kind"]: each for each in audit.findings(summary)}


def every(text: Any, count: int) -> dict[int, Any]:  # noqa: ANN401 # a text or an answer
    return dict.fromkeys(range(count), text)


def test_right_and_plainly_wrong_answers_give_none() -> None:
    assert audited({}) == {}
    assert audited({at: right(at) for at in range(40)}) == {}


class TestBlanks:
    def test_few_are_noted(self) -> None:
        blanks = [response(text="", outcome="empty"), response(text="no", outcome="refused")]
        only = audited({0: right(0), 3: blanks[0], 7: blanks[1]})["blanks_counted"]
        assert (only["level"], only["count"], only["of"], only["ids"]) == ("note", 2, 90, [3, 7])
        assert "of the other 88 0.011 are solved, of all 0.011" in only["text"]

    def test_many_stand_in_the_summary_and_not_twice(self) -> None:
        assert audited(every(response(text="", outcome="empty"), 10)) == {}

    def test_failed_requests_are_none(self) -> None:
        assert audited(every(response(text="", outcome="failed"), 3)) == {}


@pytest.mark.parametrize(
    "text",
    [
        "Error: 429 Too Many Requests",
        "API error",
        "Traceback (most recent call last):\n  File",
        '{"error": "rate_limit exceeded"}',
        "nan",
        " None\n",
        "Prima lettura: nan\nSoluzione: NaN",
    ],
)
def test_failures_taken_for_answers(text: str) -> None:
    only = audited({4: text})["failures_counted"]
    assert (only["level"], only["ids"]) == ("warning", [4])


@pytest.mark.parametrize("text", ["Mi dispiace.", "Soluzione: errore di sbaglio", "Errori"])
def test_words_of_a_model_are_no_failure(text: str) -> None:
    assert "failures_counted" not in audited({4: text})


class TestOtherRows:
    @pytest.mark.parametrize(
        ("offset", "told"), [(1, "1 row further down"), (-2, "2 rows further up")]
    )
    def test_rows_joined_wrongly(self, offset: int, told: str) -> None:
        only = audited({at: right(at + offset) for at in range(2, 60)})["answers_to_other_rows"]
        assert only["level"] == "warning"
        assert only["count"] == 58
        assert only["more"]["offset"] == offset
        assert f"58 of them {told}; 0 fit their own" in only["text"]

    def test_only_from_some_row_on(self) -> None:
        answers = {at: right(at if at < 60 else at + 1) for at in range(89)}
        only = audited(answers)["answers_to_other_rows"]
        assert (only["ids"][0], only["more"]["own"]) == (60, 60)

    def test_a_few_are_accidents(self) -> None:
        assert audited({at: right(at + 1) for at in range(4)}) == {}


class TestOneAnswer:
    def test_an_example_of_the_prompt(self) -> None:
        only = audited(every("Soluzione: Accozzaglie di lestofanti", 9))["one_answer_to_many"]
        assert (only["level"], only["ids"]) == ("warning", list(range(9)))
        said = "'accozzaglie di lestofanti' (an example of the prompt), is given to 9 of 90 rebuses"
        assert said in only["text"]

    def test_a_long_one_is_shortened(self) -> None:
        only = audited(every(f"Soluzione: {'a' * 99}", 9))["one_answer_to_many"]
        assert f"'{'a' * 40}...'" in only["text"]

    def test_a_few_alike_are_none(self) -> None:
        assert audited(every("Soluzione: non so", 4)) == {}


def corrected(at: int) -> str:
    """Return an answer whose first solution is wrong, and a second one right."""
    first = right(at).replace(f"Soluzione: {ROWS[at].solution}", "Soluzione: altro")
    return f"{first}\n\nCorrezione: rileggo la chiave.\nSoluzione: {ROWS[at].solution}"


class TestFallbacks:
    def test_a_second_answer(self) -> None:
        answers = {at: corrected(at) if at < 2 else right(at) for at in range(40)}
        only = audited(answers)["rests_on_fallback"]
        assert (only["level"], only["count"], only["ids"]) == ("note", 2, [0, 1])
        assert only["more"]["kinds"] == {"second_answer": 2}
        assert "2 of 40 answers that tolerant" in only["text"]

    def test_many_are_a_warning(self) -> None:
        only = audited({at: corrected(at) for at in range(9)})["rests_on_fallback"]
        assert only["level"] == "warning"
        assert "9 of 9 answers that tolerant" in only["text"]

    def test_a_solution_that_no_line_calls_so(self) -> None:
        texts = {at: right(at).replace("Soluzione:", "Risposta finale:") for at in range(3)}
        only = audited(texts)["rests_on_fallback"]
        assert only["more"]["kinds"] == {"unlabelled": 3}

    def test_answers_that_hedge_are_counted(self) -> None:
        texts = {at: right(at) for at in range(4)}
        texts |= {at: right(at) + " (o un'altra)" for at in (4, 5)}
        texts[6] = right(6).replace("Soluzione: ", "Soluzione: ~~Uno sbaglio~~ ")
        texts[7] = right(7) + "\nIn alternativa: qualcosa"
        found = audited(texts)
        offered, corrected_ = found["alternatives"], found["corrections"]
        assert (offered["count"], offered["ids"]) == (3, [ROWS[at].id for at in (4, 5, 7)])
        assert offered["more"] == {"solved_for_official": 1}
        assert "3 of 90 answers in regular offer several values for one part" in offered["text"]
        assert (corrected_["count"], corrected_["ids"]) == (1, [ROWS[6].id])
        assert found["rests_on_fallback"]["more"]["kinds"] == {"struck": 1}

    def test_parsers_that_disagree(self) -> None:
        text = f"Soluzione: {ROWS[0].solution}\n\nNo, mi correggo.\nSoluzione: tutt'altra cosa"
        only = audited({0: text})["parsers_disagree"]
        assert (only["level"], only["ids"]) == ("note", [0])
