"""`export --format lm-eval`: what lm-evaluation-harness's own helpers look for in files and names."""

from __future__ import annotations

import hashlib
import json
import statistics
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

import apieval
from apieval.errors import StoreError
from apieval.rebus import harness
from tests.e2e.conftest import Inside
from tests.e2e.program import folder, lines, rewrite
from tests.records import PUBLISHED, needs_published


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def in_file(name: str, end: str) -> tuple[str, str]:
    """Return the task and the date that the harness's `get_file_...` helpers take out of a name."""
    return name[name.find("_") + 1 : name.rfind("_")], name[name.rfind("_") + 1 :].removesuffix(end)


@pytest.fixture
def run(inside: Inside) -> Path:
    words = ("run", "baseline", "--limit", "3", "--param", "max_tokens=256", "--param", "seed=7")
    assert inside(*words, "--name", "one").code == 0
    answers = lines(folder() / "responses.jsonl")
    for number, each in enumerate(answers):
        each["created"] = f"2026-05-0{1 + number % 9}T10:20:30.{number:03}+02:00"
    text = "".join(json.dumps(each) + "\n" for each in answers)
    (folder() / "responses.jsonl").write_text(text, "utf-8")
    return folder()


def exported(run: Path, out: str) -> tuple[dict[str, list[dict[str, Any]]], dict[str, Any]]:
    """Return the samples by task, and the results."""
    samples, results = {}, {}
    for path in apieval.export(run, "lm-eval", out).files:
        if path.name.startswith("results_"):
            results = json.loads(path.read_text("utf-8"))
        else:
            samples[in_file(path.name, ".jsonl")[0]] = lines(path)
    return samples, results


def test_the_names_hold_task_and_the_date_of_the_last_answer(run: Path) -> None:
    done = apieval.export(run, "lm-eval", "out")
    date = "2026-05-09T08-20-30.017000"
    *samples, results = [each.name for each in done.files]
    assert [in_file(each, ".jsonl") for each in samples] == [
        ("eureka_original", date),
        ("eureka_hints", date),
    ]
    assert results == f"results_{date}.json"
    before = [each.read_bytes() for each in done.files]
    again = apieval.export(run, "lm-eval", "again")
    assert [each.read_bytes() for each in again.files] == before


def test_hashes_and_arguments_are_as_the_harness_makes_them(run: Path) -> None:
    samples, results = exported(run, "out")
    for task, found in samples.items():
        for each in found:
            said = each["arguments"]["gen_args_0"]["arg_0"][0]
            assert each["doc_hash"] == sha(json.dumps(each["doc"], indent=2, ensure_ascii=False))
            assert each["prompt_hash"] == sha(said)
            assert json.loads(said)[0]["role"] == "user"
            assert each["target_hash"] == sha(each["target"])
            assert each["arguments"]["gen_args_0"]["arg_1"] == {
                "temperature": 0.0,
                "do_sample": False,
                "seed": 7,
                "max_gen_toks": 256,
                "until": [],
            }
        joined = "".join(e["doc_hash"] + e["prompt_hash"] + e["target_hash"] for e in found)
        assert results["task_hashes"][task] == sha(joined)


def test_the_results_are_means_with_standard_errors(run: Path) -> None:
    samples, results = exported(run, "out")
    assert list(results["results"]) == list(samples) == list(results["configs"])
    for task, found in samples.items():
        mine = results["results"][task]
        assert mine["sample_len"] == len(found) == results["n-samples"][task]["effective"]
        config = results["configs"][task]
        assert config["output_type"] == "generate_until"
        assert [each["metric"] for each in config["metric_list"]] == found[0]["metrics"]
        for name in found[0]["metrics"]:
            values = [each[name] for each in found]
            error = statistics.stdev(values) / sqrt(len(values))
            assert mine[f"{name},none"] == pytest.approx(statistics.fmean(values), abs=1e-12)
            assert mine[f"{name}_stderr,none"] == pytest.approx(error, abs=1e-12)
    assert results["config"]["model_args"] == "model=apieval-baseline"
    assert results["model_name_sanitized"] == "apieval-baseline"
    figures = apieval.score(run).summary["figures"]
    macro = figures["hints"]["all"]["official"]["word_guess_accuracy"]["macro"]["value"]
    shown = results["results"]["eureka_hints"]["word_guesses_accuracy,none"]
    assert shown == pytest.approx(macro, abs=1e-12)


def test_failed_requests_are_in_the_log_and_in_no_mean(inside: Inside, lacking: Path) -> None:
    done = inside("export", lacking, "--format", "lm-eval", "--out", "out")
    assert done.code == 0
    assert "1 failed request without figures" in done.err
    results = json.loads(Path(done.out.split()[-1]).read_text("utf-8"))
    assert results["n-samples"]["eureka_original"] == {"original": 10, "effective": 10}
    one = [each for each in lines(Path(done.out.split()[0])) if each.get("outcome") == "failed"]
    assert [set(each) & set(each["metrics"]) for each in one] == [set()]


def test_a_log_by_its_old_name_is_read(inside: Inside, run: Path) -> None:
    path = apieval.export(run, "lm-eval", "out").files[1]
    old = path.rename("samples_eureka_hints.jsonl")
    done = inside("score", old, "--data", "sample", "--limit", "3", "--json")
    assert done.code == 0, done.err
    (found,) = json.loads(done.out)["runs"]
    assert found["settings"] == ["hints"]


def test_one_answer_has_no_standard_error_and_a_name_is_fit_for_a_folder(inside: Inside) -> None:
    words = ("run", "baseline", "--limit", "1", "--subset", "id", "--setting", "hints")
    assert inside(*words, "--name", "one").code == 0
    header = json.loads((folder() / "run.json").read_text("utf-8"))
    header["spec"]["identity"]["body"]["model"] = "meta-llama/Llama: 3"
    (folder() / "run.json").write_text(json.dumps(header), "utf-8")
    results = exported(folder(), "out")[1]
    assert results["model_name_sanitized"] == "meta-llama__Llama__ 3"
    assert results["results"]["eureka_hints"]["solution_match_stderr,none"] == "N/A"


def test_an_answer_of_no_date_is_named(run: Path) -> None:
    rewrite(run / "responses.jsonl", 0, created="yesterday")
    with pytest.raises(StoreError, match=r"responses\.jsonl: `created` .* is no date"):
        apieval.export(run, "lm-eval", "out")


@pytest.mark.parametrize(
    ("sampling", "expected"),
    [
        (
            {"model": "m", "temperature": 0.0, "max_tokens": 256, "stop": ["\n\n"]},
            {"temperature": 0.0, "do_sample": False, "max_gen_toks": 256, "until": ["\n\n"]},
        ),
        (
            {"temperature": 0.7, "top_p": 0.9, "max_completion_tokens": 16_000, "stop": "###"},
            {
                "temperature": 0.7,
                "do_sample": True,
                "top_p": 0.9,
                "max_gen_toks": 16_000,
                "until": ["###"],
            },
        ),
        ({}, {"until": []}),
    ],
    ids=["calamita", "sampled", "nothing sent"],
)
def test_parameters_have_the_harness_s_names(
    sampling: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert harness.generation(sampling) == expected


@needs_published
def test_a_log_of_the_harness_itself_has_these_hashes() -> None:
    for each in lines(PUBLISHED / "lm_eval_samples_gpt4o_300.jsonl"):
        assert (
            harness.hashed(json.dumps(each["doc"], indent=2, ensure_ascii=False))
            == (each["doc_hash"])
        )
        asked = each["arguments"]["gen_args_0"]
        assert harness.hashed(asked["arg_0"][0]) == each["prompt_hash"]
        assert harness.hashed(each["target"]) == each["target_hash"]
        sent = {"temperature": 0.0, "max_tokens": 256, "stop": ["\n\n"]}
        assert harness.generation(sent) == asked["arg_1"]
