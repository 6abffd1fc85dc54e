"""`verify`: an untouched folder holds, and whatever is altered in it is named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import apieval
from apieval.analysis.claims import State
from apieval.commands.verify import Verification, verify
from apieval.errors import ConfigError, DataError, StoreError
from apieval.rebus import dataset
from tests.e2e.conftest import Inside
from tests.e2e.faults import FaultServer
from tests.e2e.program import Material, configure, folder, model, plain

RUN = "baseline-sample-hints"


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run of the baseline on six rebuses, that no test may alter."""
    out = tmp_path_factory.mktemp("verified")
    options = apieval.RunOptions(limit=2, settings=("hints",), out=out, cache=None, concurrency=1)
    [result] = apieval.run(["baseline"], options)
    assert result.folder is not None
    return result.folder


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / made.name))


def failed(run: Path, **more: Any) -> dict[str, list[str]]:  # noqa: ANN401 # as verify
    """Return what fails, and the paths of what differs there."""
    found = verify(run, **more)
    return {
        each.name: [difference.what for difference in each.differences]
        for each in found.checks
        if each.state is State.FAILS
    }


def states(found: Verification) -> dict[str, str]:
    return {each.name: each.state.value for each in found.checks}


def held(found: Verification) -> set[str]:
    """Return the names of what was held against nothing, in a folder that nothing speaks against."""
    assert found.holds
    return {name for name, state in states(found).items() if state == "unchecked"}


def text_of(found: Verification, name: str) -> str:
    return next(each.text for each in found.checks if each.name == name)


def alter(path: Path, change: Callable[[Any], object]) -> None:
    value = json.loads(path.read_text("utf-8"))
    changed = change(value)
    path.write_text(json.dumps(value if changed is None else changed), "utf-8")


def alter_line(path: Path, number: int, change: Callable[[Any], object]) -> None:
    lines = path.read_text("utf-8").split("\n")
    value = json.loads(lines[number])
    change(value)
    lines[number] = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    path.write_text("\n".join(lines), "utf-8")


def test_an_untouched_run_holds(inside: Inside, run: Path) -> None:
    found = verify(run)
    assert list(states(found)) == [
        *("folder", "data", "prompts", "lines", "keys"),
        *("answers as in summary.json", "answers as in run.json"),
        *("scores", "figures", "summary", "signatures", "counts", "header", "run.json"),
    ]
    assert held(found) == {"run.json"}
    [rest] = [each for each in found.checks if each.name == "run.json"]
    assert {"price", "began", "versions", "data.path"} <= set(rest.parts)
    assert not {"status", "outcomes", "model", "spec"} & set(rest.parts)
    before = {path: path.read_bytes() for path in run.iterdir()}
    done = inside("verify", run)
    assert (done.code, done.err) == (0, "")
    assert plain(done.out)
    assert "holds     keys: 6 keys of answers" in done.out
    assert "unchecked run.json: preset" in done.out or "unchecked run.json: versions" in done.out
    told = (
        "13 checks made, all hold, for a part of the folder only; not checked: 1 thing, named above"
    )
    assert done.out.rstrip().endswith(told)
    document = json.loads(inside("verify", run, "--json").out)
    assert document == json.loads(json.dumps(found.as_json()))
    assert (document["holds"], document["format"]) == (True, 1)
    assert {path: path.read_bytes() for path in run.iterdir()} == before


def test_one_digit_of_a_figure(inside: Inside, run: Path) -> None:
    where = ("figures", "hints", "all", "official", "solution_match", "micro")

    def change(summary: Any) -> None:  # noqa: ANN401 # JSON
        for name in where:
            summary = summary[name]
        summary["value"] += 0.01

    before = json.loads((run / "summary.json").read_text("utf-8"))
    alter(run / "summary.json", change)
    assert failed(run) == {"figures": [".".join((*where, "value"))]}
    done = inside("verify", run)
    assert done.code == 1
    for name in where:
        before = before[name]
    told = f"{before['value'] + 0.01} stored, {before['value']} made anew"
    assert f"{'.'.join(where)}.value: {told}" in done.out
    assert "1 of 13 checks failed" in done.out


class TestAnswers:
    """What is altered in `responses.jsonl`, and what tells."""

    def test_a_text_that_moves_a_score(self, run: Path) -> None:
        alter_line(run / "responses.jsonl", 0, lambda line: line.update(text="Soluzione: x"))
        noted = {"answers as in summary.json", "answers as in run.json"}
        assert set(failed(run)) >= {*noted, "scores", "figures"}

    def test_a_text_that_moves_none(self, run: Path) -> None:
        alter_line(run / "responses.jsonl", 0, lambda line: line.update(reasoning="hm"))
        told = failed(run)
        assert set(told) == {"answers as in summary.json", "answers as in run.json"}
        assert told["answers as in run.json"] == ["responses.digest"]

    def test_one_scored_anew_is_told_by_the_header(self, run: Path) -> None:
        alter_line(run / "responses.jsonl", 0, lambda line: line.update(reasoning="hm"))
        apieval.score(run)
        assert set(failed(run)) == {"answers as in run.json"}

    def test_who_forges_every_file_is_not_found(self, run: Path) -> None:
        alter_line(run / "responses.jsonl", 0, lambda line: line.update(reasoning="hm"))
        noted = apieval.score(run).summary["responses"]
        alter(run / "run.json", lambda header: header.update(responses=noted))
        assert failed(run) == {}

    def test_a_line_that_is_taken_out(self, run: Path) -> None:
        path = run / "responses.jsonl"
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
        told = failed(run)
        assert {"answers as in run.json", "scores", "figures", "summary", "counts"} <= set(told)
        assert "outcomes.hints.ok" in told["counts"]
        assert told["scores"] == [
            f"row 0, hints, sample 0, {parser}"
            for parser in ("official", "tolerant", "tolerant-lenient")
        ]
        assert "responses.lines" in told["answers as in run.json"]

    def test_a_line_that_stands_twice(self, run: Path) -> None:
        path = run / "responses.jsonl"
        path.write_bytes(path.read_bytes() + path.read_bytes().splitlines(keepends=True)[0])
        found = verify(run)
        assert states(found)["lines"] == "fails"
        assert "1 line of a question that already appears above (7)" in text_of(found, "lines")
        assert states(found)["figures"] == "holds"

    def test_a_torn_line(self, run: Path) -> None:
        path = run / "responses.jsonl"
        path.write_bytes(path.read_bytes()[:-20])
        found = verify(run)
        assert "5 answers; the last line (6) is torn" in text_of(found, "lines")
        assert states(found)["counts"] == "fails"
        alter(run / "run.json", lambda header: header.update(status="running"))
        assert states(verify(run))["lines"] == "holds"

    def test_a_line_that_is_no_answer(self, run: Path) -> None:
        path = run / "responses.jsonl"
        path.write_bytes(b"{}\n" + path.read_bytes())
        found = verify(run)
        assert "1 line no answer (1)" in text_of(found, "lines")
        assert "responses.jsonl, line 1: not an answer" in text_of(found, "answers")
        assert states(found)["figures"] == "unchecked"
        assert not found.holds

    def test_an_answer_of_another_run(self, run: Path) -> None:
        alter_line(run / "responses.jsonl", 2, lambda line: line.update(sample=3))
        assert "sample 3), which is not of this run" in text_of(verify(run), "answers")

    def test_a_key(self, run: Path) -> None:
        alter_line(run / "responses.jsonl", 2, lambda line: line.update(key="sha256:0"))
        (difference,) = next(c for c in verify(run).checks if c.name == "keys").differences
        assert difference.what.endswith("hints, sample 0")
        assert difference.stored == "sha256:0"
        assert difference.remade.startswith("sha256:")

    def test_no_answers_at_all(self, run: Path) -> None:
        (run / "responses.jsonl").unlink()
        found = verify(run)
        assert not found.holds
        assert "responses.jsonl: cannot be read" in text_of(found, "lines")
        assert states(found)["figures"] == "unchecked"


class TestScores:
    """What is altered in `scores.jsonl`."""

    def test_a_value(self, run: Path) -> None:
        alter_line(run / "scores.jsonl", 0, lambda line: line.update(solution="altro"))
        assert failed(run) == {"scores": ["row 0, hints, sample 0, official.solution"]}

    def test_a_count(self, run: Path) -> None:
        alter_line(run / "scores.jsonl", 1, lambda line: line["counts"].update(solution_match=[7]))
        [what] = failed(run)["scores"]
        assert what == "row 0, hints, sample 0, tolerant.counts.solution_match"

    def test_the_same_values_otherwise_written_hold(self, run: Path) -> None:
        path = run / "scores.jsonl"
        lines = [json.dumps(json.loads(line)) for line in path.read_text("utf-8").splitlines()]
        path.write_text("\n".join(reversed(lines)) + "\n", "utf-8")
        assert failed(run) == {}

    @pytest.mark.parametrize("at", [0, -1])
    def test_a_line_too_few(self, run: Path, at: int) -> None:
        path = run / "scores.jsonl"
        lines = path.read_text("utf-8").splitlines(keepends=True)
        del lines[at]
        path.write_text("".join(lines), "utf-8")
        assert len(failed(run)["scores"]) == 1

    def test_lines_too_many(self, run: Path) -> None:
        path = run / "scores.jsonl"
        text = path.read_text("utf-8")
        first = text.splitlines(keepends=True)[0]
        other = first.replace('"id": 0', '"id": 99')
        path.write_text(other + other + "no JSON\n" + text, "utf-8")
        assert failed(run) == {
            "scores": [
                "row 99, hints, sample 0, official, twice",
                "scores.jsonl, no score",
                "row 99, hints, sample 0, official",
            ]
        }

    def test_none(self, run: Path) -> None:
        (run / "scores.jsonl").unlink()
        assert failed(run) == {"scores": []}

    def test_what_cannot_be_read(self, run: Path) -> None:
        (run / "scores.jsonl").unlink()
        (run / "scores.jsonl").mkdir()
        found = verify(run)
        assert failed(run) == {"scores": []}
        assert "scores.jsonl: cannot be read" in text_of(found, "scores")


class TestHeader:
    """What is altered in `run.json`."""

    def test_a_count(self, run: Path) -> None:
        alter(run / "run.json", lambda header: header["outcomes"]["hints"].update(ok=5))
        assert failed(run) == {"counts": ["outcomes.hints.ok"]}

    def test_what_was_spent(self, run: Path) -> None:
        alter(run / "run.json", lambda header: header.update(spent_usd=1.5))
        assert failed(run) == {"counts": ["spent_usd"]}

    def test_a_parameter(self, run: Path) -> None:
        def change(header: Any) -> None:  # noqa: ANN401 # JSON
            header["spec"]["identity"]["body"]["temperature"] = 0.5

        alter(run / "run.json", change)
        told = failed(run)
        assert set(told) == {"folder", "keys", "signatures"}
        assert len(told["keys"]) == 6
        assert "signatures.hints.official.sampling" in told["signatures"]

    def test_a_prompts_hash(self, run: Path) -> None:
        alter(run / "run.json", lambda header: header["prompts"].update(hints="sha256:0"))
        assert failed(run) == {"prompts": ["prompts.hints"]}

    def test_a_rule_breaker(self, run: Path) -> None:
        alter(run / "run.json", lambda header: header["data"].update(rule_breakers={"x": [1]}))
        assert failed(run) == {"data": ["data.rule_breakers.x"]}

    def test_a_name_that_was_given_says_nothing(self, run: Path) -> None:
        moved = run.rename(run.with_name("mia-20241104"))
        found = verify(moved)
        assert states(found)["folder"] == "unchecked"
        assert found.holds

    def test_a_run_that_has_not_ended(self, inside: Inside, run: Path) -> None:
        def change(header: Any) -> None:  # noqa: ANN401 # JSON
            for name in ("outcomes", "usage", "served", "spent_usd"):
                del header[name]
            header.update(status="running", responses=None)

        alter(run / "run.json", change)
        for name in ("summary.json", "scores.jsonl"):
            (run / name).unlink()
        found = states(verify(run))
        kinds = {"scores", "figures", "counts", "answers as in run.json", "lines' content"}
        assert {name for name, state in found.items() if state == "unchecked"} == {
            *kinds,
            *("answers as in summary.json", "run.json"),
        }
        done = inside("verify", run)
        assert done.code == 0
        assert "text, reasoning, finish_reason" in done.out
        assert "not checked: 7 things, named above" in done.out

    def test_what_is_no_header(self, run: Path) -> None:
        alter(run / "run.json", lambda header: header.update(spec={}))
        with pytest.raises(StoreError, match=r"run\.json: spec\.identity: missing; mend it"):
            verify(run)


class TestSummary:
    """What is altered in `summary.json` besides its figures."""

    def test_an_outcome(self, run: Path) -> None:
        alter(run / "summary.json", lambda summary: summary["outcomes"]["hints"].update(empty=1))
        assert failed(run) == {"summary": ["outcomes.hints.empty"]}

    def test_a_part_that_is_gone_or_new(self, run: Path) -> None:
        def change(summary: Any) -> None:  # noqa: ANN401 # JSON
            del summary["along_key"]
            summary["new"] = 1

        alter(run / "summary.json", change)
        assert failed(run) == {"summary": ["along_key", "new"]}

    def test_a_signature(self, run: Path) -> None:
        path = run / "summary.json"
        path.write_text(path.read_text("utf-8").replace("n:6|", "n:7|", 1), "utf-8")
        assert failed(run) == {"signatures": ["signatures.hints.official.n"]}

    @pytest.mark.parametrize("text", ["no signature", None])
    def test_what_is_no_signature(self, run: Path, text: object) -> None:
        alter(run / "summary.json", lambda summary: summary["signatures"].update(hints={"a": text}))
        found = verify(run)
        assert not found.holds
        assert "summary.json: signatures.hints.a: " in text_of(found, "figures")

    def test_figures_of_another_version_that_hold(self, run: Path) -> None:
        path = run / "summary.json"
        text = path.read_text("utf-8").replace("tolerant@3", "tolerant@0")
        path.write_text(text.replace("|apieval:", "|apieval:0.0.9-was-"), "utf-8")
        alter(path, lambda summary: summary.pop("along_key") and None)
        found = verify(run)
        assert found.holds
        told = text_of(found, "version")
        assert told.startswith("scored by apieval 0.0.9-was-")
        assert "parser tolerant@0" in told
        assert "parser tolerant@3" in told
        assert told.endswith("its figures still hold")

    def test_figures_of_another_version_that_do_not(self, run: Path) -> None:
        path = run / "summary.json"
        path.write_text(path.read_text("utf-8").replace("official@1", "official@0"), "utf-8")
        alter_line(run / "scores.jsonl", 0, lambda line: line.update(solution="altro"))
        found = verify(run)
        assert text_of(found, "version").endswith("its figures do not hold any more")
        assert states(found)["version"] == "fails"

    def test_an_audit_is_not_made_anew(self, run: Path) -> None:
        alter(run / "summary.json", lambda summary: summary.update(audit={"findings": []}))
        assert states(verify(run))["audit"] == "unchecked"

    @pytest.mark.parametrize("text", ["", "[]", "{}", '{"signatures": 1}'])
    def test_what_is_no_summary(self, run: Path, text: str) -> None:
        (run / "summary.json").write_text(text, "utf-8")
        found = verify(run)
        assert not found.holds
        assert "summary.json: " in text_of(found, "figures")
        assert states(found)["scores"] == "holds"


class TestData:
    """The data file a run was on."""

    def test_one_that_has_changed(self, inside: Inside, ten: Material, tmp_path: Path) -> None:
        with FaultServer(ten.answers) as server:
            configure(tmp_path, local=model(server.url, system_prompt="Rispondi."))
            words = ("run", "local", "--data", ten.path, "--setting", "regular", "--cache", "off")
            assert inside(*words).code == 0
        found = verify(folder())
        assert held(found) == {"run.json"}
        assert "10 keys" in text_of(found, "keys")
        alter(folder() / "run.json", lambda header: header.pop("system_prompt") and None)
        found = verify(folder())
        assert states(found)["keys"] == "unchecked"
        alter(folder() / "run.json", lambda header: header.update(system_prompt="Altro."))
        assert {"prompts", "keys"} == set(failed(folder()))
        ten.path.write_text(ten.path.read_text("utf-8") + "\n", "utf-8")
        found = verify(folder())
        assert states(found)["data"] == "fails"
        assert states(found)["figures"] == "unchecked"
        ten.path.unlink()
        with pytest.raises(DataError, match="give it with --data"):
            verify(folder())


ROWS = dataset.load("sample").rebuses


class TestScoresElsewhere:
    """What `score --out` wrote."""

    @pytest.fixture
    def raw(self, tmp_path: Path) -> Path:
        path = tmp_path / "raw.jsonl"
        texts = [f"Soluzione: {row.solution if n % 2 else 'x'}" for n, row in enumerate(ROWS)]
        lines = [json.dumps({"id": str(n), "text": text}) for n, text in enumerate(texts)]
        path.write_text("\n".join(lines), "utf-8")
        return path

    @pytest.fixture
    def out(self, raw: Path, tmp_path: Path) -> Path:
        apieval.score(raw, "sample", subsets=("ood", "new"), limit=3, out=tmp_path / "out")
        return tmp_path / "out"

    def test_of_a_file_that_is_at_hand(self, inside: Inside, out: Path, raw: Path) -> None:
        found = verify(out, answers=raw)
        assert set(states(found).values()) == {"holds"}
        alter_line(raw, 60, lambda line: line.update(text="Soluzione: altro"))
        done = inside("verify", out, "--answers", raw)
        assert done.code == 1
        assert "raw.jsonl has changed since" in done.out

    def test_of_scores_alone(self, out: Path) -> None:
        found = verify(out)
        assert found.holds
        assert states(found)["answers"] == "unchecked"
        assert states(found)["figures"] == "holds"

        def change(line: Any) -> None:  # noqa: ANN401 # JSON
            line.update(solution="altro", solution_match=1.0)

        alter_line(out / "scores.jsonl", 0, change)
        assert failed(out)["scores"] == ["row 58, regular, sample 0, official.solution_match"]

    def test_of_parsed_parts(self, tmp_path: Path) -> None:
        head = "idx,word_guesses,first_pass,solution_words,solution"
        lines = [head, *(f"{n},a,b,c,{row.solution}" for n, row in enumerate(ROWS[:5])), "5,,,,"]
        parsed, out = tmp_path / "parsed.csv", tmp_path / "out"
        parsed.write_text("\n".join(lines), "utf-8")
        result = apieval.score(parsed, "sample", limit=2, out=out)
        assert result.summary["outcomes"]["regular"]["ok"] == 2
        assert verify(out, answers=parsed).holds
        assert verify(out).holds

    def test_of_a_run_scored_elsewhere(self, run: Path, tmp_path: Path) -> None:
        apieval.score(run, out=tmp_path / "out")
        assert held(verify(tmp_path / "out", answers=run)) == set()
        assert verify(tmp_path / "out").holds
        alter(tmp_path / "out" / "summary.json", lambda summary: summary.pop("responses") and None)
        found = verify(tmp_path / "out", answers=run)
        assert states(found)["answers as in summary.json"] == "fails"

    def test_other_data(self, out: Path, tmp_path: Path) -> None:
        found = verify(out, data=_other(tmp_path))
        assert states(found)["data"] == "fails"
        assert states(found)["figures"] == "holds"

    def test_no_data(self, out: Path) -> None:
        alter(out / "summary.json", lambda summary: summary["data"].update(name="gone.csv"))
        found = verify(out)
        assert held(found) == {"data", "rest of summary.json", "answers"}
        assert "--data" in text_of(found, "data")
        assert "value and n of 108 figures" in text_of(found, "figures")
        assert "figures: low, high, format" in text_of(found, "rest of summary.json")

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            pytest.param({"data": {}}, "data.name: missing", id="data"),
            pytest.param(
                {"signatures": {}}, "signatures and settings are not of the same", id="signatures"
            ),
            pytest.param({"settings": []}, "settings: list should have at least 1", id="settings"),
            pytest.param(
                {"samples": "1"}, "samples: input should be a valid integer", id="samples"
            ),
        ],
    )
    def test_a_summary_that_says_too_little(
        self, out: Path, change: dict[str, Any], said: str
    ) -> None:
        alter(out / "summary.json", lambda summary: summary.update(change))
        with pytest.raises(StoreError, match=said):
            verify(out)

    def test_a_parser_that_is_not_known(self, out: Path) -> None:
        def change(summary: Any) -> None:  # noqa: ANN401 # JSON
            for named in (
                summary["signatures"]["regular"],
                *summary["figures"]["regular"].values(),
            ):
                named["other"] = named["official"]

        alter(out / "summary.json", change)
        with pytest.raises(ConfigError, match="no parser 'other'"):
            verify(out)

    def test_scores_of_other_data(self, out: Path) -> None:
        alter_line(out / "scores.jsonl", 0, lambda line: line.update(id=999))
        assert "row 999, regular, sample 0: official is not of summary.json" in text_of(
            verify(out), "scores"
        )
        assert failed(out) == {"scores": []}


def _other(tmp_path: Path) -> Path:
    lines = ["idx,word_guesses,first_pass,solution_words,solution", "0,a,b,c,d"]
    (tmp_path / "other.csv").write_text("\n".join(lines), "utf-8")
    return tmp_path / "other.csv"


def test_wrong_use(inside: Inside, run: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for words, said in (
        ((tmp_path / "none",), "no such folder"),
        ((empty,), "neither a run (run.json) nor scores (summary.json)"),
        ((run, "--answers", run), "leave out --answers"),
        ((run, "--data", "none.csv"), "none.csv"),
    ):
        done = inside("verify", *words)
        assert done.code == 2, done.all
        assert said in done.err
        assert plain(done.all)
