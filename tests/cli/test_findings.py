"""What the figures do not say: told in the table, in `summary.json`, and by `apieval score`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Inside
from tests.e2e.faults import FaultServer, Plan, Reply, Seen
from tests.e2e.program import Material, configure, folder, material, model, summary

pytestmark = pytest.mark.usefixtures("no_waits")
REGULAR = ("--setting", "regular", "--cache", "off")


def answering(made: Material, **changes: object) -> Plan:
    """Give every rebus its answer, with some fields of the document changed."""

    def plan(seen: Seen) -> Reply:
        said = {"role": "assistant", "content": made.answers[seen.rebus]}
        choice = {"index": 0, "message": said, "finish_reason": "stop"}
        usage = {"prompt_tokens": len(str(seen.body["messages"])) // 4, "completion_tokens": 9}
        plain = {"choices": [choice], "model": "modello-prova", "usage": usage}
        return Reply(200, json.dumps({**plain, **changes}).encode(), good=True)

    return plan


def kinds(run: Path) -> list[tuple[str, str]]:
    found: list[dict[str, Any]] = summary(run)["findings"]
    return [(each["kind"], each["level"]) for each in found]


def test_a_model_that_is_exchanged_between_two_sittings_is_told(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    words = ("run", "local", "--data", ten.path, *REGULAR)
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url, limits={"concurrency": 1, "max_retries": 0}))
        one, other = (
            answering(ten, model=name, system_fingerprint=f"fp_{name}") for name in ("uno", "due")
        )
        server.plan = lambda seen: one(seen) if seen.number <= 6 else Reply(401, b"{}")
        assert inside(*words).code == 3
        assert kinds(folder()) == []
        server.forget(other)
        done = inside(*words)
        assert done.code == 0, done.err
    told = ("the answers came from 2 models: uno (6), due (4)", "fp_uno (6), fp_due (4)")
    assert all(each in done.out for each in told)
    assert kinds(folder()) == [
        ("several_served_models", "warning"),
        ("several_fingerprints", "note"),
    ]
    scored = inside("score", folder())
    assert scored.code == 0
    assert all(each in scored.out for each in told)
    (only,) = json.loads(inside("score", folder(), "--json").out)["runs"]
    assert only["findings"] == summary(folder())["findings"]


def test_a_run_of_one_model_has_no_findings(inside: Inside, ten: Material, tmp_path: Path) -> None:
    with FaultServer(ten.answers, answering(ten, system_fingerprint="fp_1")) as server:
        configure(tmp_path, local=model(server.url))
        done = inside("run", "local", "--data", ten.path, "--cache", "off")
    assert summary(folder())["findings"] == []
    assert "served as modello-prova" in done.out


@pytest.mark.parametrize("whole", [True, False])
def test_prompts_cut_without_a_word_are_told_once_and_found(
    inside: Inside, tmp_path: Path, *, whole: bool
) -> None:
    """As Ollama does, whose context is smaller than people think."""
    made = material(tmp_path / "some.csv", 60)
    cut = {} if whole else {"usage": {"prompt_tokens": 258, "completion_tokens": 9}}
    with FaultServer(made.answers, answering(made, **cut)) as server:
        configure(tmp_path, local=model(server.url))
        done = inside("run", "local", "--data", made.path, "--cache", "off")
    told = "the server counts exactly 258 prompt tokens"
    assert done.err.count(told) == (0 if whole else 1)
    both = [] if whole else [("prompts_cut", "warning")] * 2
    assert kinds(folder()) == both
    assert done.out.replace("\n", " ").count(told) == len(both)
    assert ("OLLAMA_CONTEXT_LENGTH" in inside("score", folder()).out) is not whole


def test_a_baseline_run_says_what_its_dictionary_knows(inside: Inside) -> None:
    done = inside("run", "baseline")
    assert done.code == 0
    assert "177 of 270 clues, the right one among them for 177" in done.err
    assert kinds(folder()) == [("dictionary_coverage", "note")]
    assert summary(folder())["coverage"]["complete"] == 36
    header = json.loads((folder() / "run.json").read_text("utf-8"))
    assert header["coverage"] == summary(folder())["coverage"]


def saying(made: Material, message: Any) -> Plan:  # noqa: ANN401 # a function of an answer
    """Give every rebus a message made of its answer."""

    def plan(seen: Seen) -> Reply:
        said = {"role": "assistant", **message(made.answers[seen.rebus])}
        choice = {"index": 0, "message": said, "finish_reason": "stop"}
        return Reply(200, json.dumps({"choices": [choice], "model": "m"}).encode(), good=True)

    return plan


SPOILED = {
    "answers_in_reasoning": (
        lambda text: {"content": None, "reasoning_content": text},
        "10 empty answers hold a solution line in their reasoning: the server's reasoning parser",
    ),
    "tokenizer_marks": (
        lambda text: {"content": text.replace(" ", "Ġ").replace("\n", "Ċ")},
        "10 of 10 answers hold a tokenizer's marks (Ġ, Ċ): the server's tokenizer is at fault",
    ),
    "html_entities": (
        lambda text: {"content": text.replace("'", "&#39;").replace("P", "&#80;")},
        "10 of 10 answers hold HTML entities",
    ),
}


@pytest.mark.parametrize("kind", SPOILED)
def test_what_a_server_spoils_stands_under_the_table_in_the_report_and_the_audit(
    kind: str, inside: Inside, ten: Material, tmp_path: Path
) -> None:
    message, told = SPOILED[kind]
    with FaultServer(ten.answers, saying(ten, message)) as server:
        configure(tmp_path, local=model(server.url))
        done = inside("run", "local", "--data", ten.path, *REGULAR)
    assert (kind, "warning") in kinds(folder())
    assert told in " ".join(done.out.split())
    assert inside("report", folder()).code == 0
    assert told in (folder() / "report.md").read_text(encoding="utf-8").replace("\\", "")
    assert told in " ".join(inside("score", folder(), "--audit").out.split())


def test_a_stop_that_stands_in_every_answer_is_told_before_and_after(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url, params={"stop": ["\n", "# Esempio"]}))
        done = inside("run", "local", "--data", ten.path, *REGULAR)
    told = "stop '\\n' stands in the answer template: it cuts 10 of 10 right answers"
    assert told in done.err
    assert told in " ".join(done.out.split())
    assert ("stop_in_template", "warning") in kinds(folder())


def test_one_settings_answers_given_for_both_are_told(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    same = saying(ten, lambda _: {"content": "Soluzione: sempre la stessa"})
    with FaultServer(ten.answers, same) as server:
        configure(tmp_path, local=model(server.url))
        inside("run", "local", "--data", ten.path, "--cache", "off")
    assert ("settings_identical", "warning") in kinds(folder())


def test_the_packages_sample_is_called_so_before_the_run_and_under_its_table(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    def plan(seen: Seen) -> Reply:
        said = {"role": "assistant", "content": f"Soluzione: {seen.number}"}
        choice = {"index": 0, "message": said, "finish_reason": "stop"}
        return Reply(200, json.dumps({"choices": [choice], "model": "m"}).encode(), good=True)

    with FaultServer(ten.answers, plan) as server:
        configure(tmp_path, local=model(server.url))
        done = inside("run", "local", "--limit", "1", *REGULAR)
    what = "measured on the package's sample, not on the challenge's test set"
    assert what in done.err
    assert what in " ".join(done.out.split())
    assert "local on the package's sample, 3 rebuses" in done.out
    assert "the package's sample, not" not in inside("run", "baseline", "--limit", "1").err
