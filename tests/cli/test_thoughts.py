"""Thoughts that a server leaves in the text: read alike by `run`, `score`, every export and `verify`."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.e2e.conftest import Inside
from tests.e2e.faults import FaultServer, Plan, Reply, Seen
from tests.e2e.program import Material, configure, folder, lines, model, summary

pytestmark = pytest.mark.usefixtures("no_waits")


def thinking(made: Material, draft: str, **apart: str) -> Plan:
    """Give every rebus its answer behind a draft in thoughts, or what it thinks in a field."""

    def plan(seen: Seen) -> Reply:
        said = {"role": "assistant", "content": draft + made.answers[seen.rebus], **apart}
        choice = {"index": 0, "message": said, "finish_reason": "stop"}
        usage = {"prompt_tokens": len(str(seen.body["messages"])) // 4, "completion_tokens": 90}
        return Reply(200, json.dumps({"choices": [choice], "usage": usage}).encode(), good=True)

    return plan


def solved(where: Path, parser: str) -> float:
    figure = summary(where)["figures"]["regular"]["all"][parser]["solution_match"]["micro"]
    return float(figure["value"])


@pytest.fixture
def thoughtful(inside: Inside, ten: Material, tmp_path: Path) -> Path:
    draft = "<think>\nForse.\nSoluzione: Una bozza qualunque\nNo.\n</think>\n\n"
    with FaultServer(ten.answers, thinking(ten, draft)) as server:
        configure(tmp_path, local=model(server.url))
        words = ("--data", ten.path, "--setting", "regular", "--cache", "off")
        done = inside("run", "local", *words)
    assert done.code == 0, done.err
    assert "10 of 10 answers hold the model's thoughts in their text" in " ".join(done.out.split())
    assert "--reasoning-parser" in done.out
    return folder()


def test_a_draft_in_the_text_is_officials_answer_and_not_tolerants(
    thoughtful: Path, inside: Inside, ten: Material
) -> None:
    assert all(each["text"].startswith("<think>") for each in lines(thoughtful / "responses.jsonl"))
    assert all(each["reasoning"] is None for each in lines(thoughtful / "responses.jsonl"))
    assert (solved(thoughtful, "official"), solved(thoughtful, "tolerant")) == (0.0, 0.7)
    before = summary(thoughtful)["figures"]
    assert inside("score", thoughtful).code == 0
    assert summary(thoughtful)["figures"] == before
    assert inside("verify", thoughtful).code == 0
    raw = Path("raw.jsonl")
    texts = [{k: each[k] for k in ("id", "text")} for each in lines(thoughtful / "responses.jsonl")]
    raw.write_text("".join(json.dumps(each) + "\n" for each in texts), "utf-8")
    for source in (raw, exported(inside, thoughtful, "lm-eval", "*.jsonl")):
        done = inside("score", source, "--data", ten.path, "--setting", "regular", "--out", "again")
        assert done.code == 0, done.err
        assert summary(Path("again"))["figures"] == before
        assert [each["kind"] for each in summary(Path("again"))["findings"]] == ["thoughts_in_text"]


def exported(inside: Inside, run: Path, form: str, name: str) -> Path:
    done = inside("export", run, "--format", form, "--out", f"out-{form}")
    assert done.code == 0, done.err
    return min(Path(f"out-{form}").rglob(name))


def test_every_export_has_what_came(thoughtful: Path, inside: Inside) -> None:
    text = lines(thoughtful / "responses.jsonl")[0]["text"]
    row = pq.read_table(exported(inside, thoughtful, "parquet", "*.parquet")).to_pylist()[0]
    assert (row["text"], row["reasoning"], row["official_solution_match"]) == (text, None, 0.0)
    assert row["solution"] == "Una bozza qualunque"
    parts = exported(inside, thoughtful, "csv", "*.csv").read_text("utf-8")
    assert parts.count("Una bozza qualunque") == 10
    found = lines(exported(inside, thoughtful, "eee", "*.jsonl"))
    assert all(each["output"]["raw"][0].startswith("<think>") for each in found)


def test_thoughts_in_a_field_of_their_own_are_no_finding(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    plan = thinking(ten, "", reasoning_content="Soluzione: Una bozza qualunque")
    with FaultServer(ten.answers, plan) as server:
        configure(tmp_path, local=model(server.url))
        words = ("--data", ten.path, "--setting", "regular", "--cache", "off")
        assert inside("run", "local", *words).code == 0
    assert solved(folder(), "official") == 0.7
    assert summary(folder())["findings"] == []
    assert "bozza" in lines(folder() / "responses.jsonl")[0]["reasoning"]
