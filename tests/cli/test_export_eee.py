"""A run in the format "Every Eval Ever": valid by its own schemas, and what it says is the run's."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from math import fsum
from pathlib import Path
from typing import Any, Final

import pytest
from jsonschema import Draft7Validator

import apieval
from apieval.errors import ConfigError, StoreError
from apieval.rebus.metrics import METRICS
from apieval.signature import digest_file
from tests.e2e.conftest import Inside
from tests.e2e.program import Material, folder, lines, summary
from tests.records import SHARED

SCHEMAS: Final = SHARED / "data" / "eee"
ODD: Final = "\u2028\x00\r\n\U0001f600 [0.1] = a;b\u0085NaN"

needs_schemas = pytest.mark.skipif(
    not SCHEMAS.is_dir(), reason="the format's schemas are not beside the checkout"
)


def exported(done: apieval.Exported) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    document, items = done.files
    return json.loads(document.read_text("utf-8")), lines(items)


@pytest.fixture
def odd(inside: Inside, lacking: Path) -> Path:
    """Return the run with answers no server can be made to give, and all there is to say of one."""
    path = lacking / "responses.jsonl"
    stored = lines(path)
    for each in stored:
        if each["id"] == 1:
            each |= {"text": ODD, "reasoning": " pensa\n", "cost_usd": 0.1 + 0.2}
            each |= {"usage": {"prompt_tokens": 7, "completion_tokens": 5, "reasoning_tokens": 2}}
        if each["id"] == 4:
            each |= {"usage": {"completion_tokens": 5}, "latency_s": None}
        if each["id"] == 2:
            each |= {"outcome": "truncated", "finish_reason": "length"}
    path.write_text("".join(json.dumps(each) + "\n" for each in stored), "utf-8")
    assert inside("score", lacking).code == 1
    return lacking


@needs_schemas
def test_both_files_are_valid(odd: Path) -> None:
    document, items = exported(apieval.export(odd, "eee"))
    for schema, found in (("eval", [document]), ("instance_level_eval", items)):
        text = (SCHEMAS / f"{schema}.schema.json").read_text("utf-8")
        validator = Draft7Validator(json.loads(text))
        faults = [error.message for each in found for error in validator.iter_errors(each)]
        assert faults == []


def test_every_figure_is_there_with_its_interval(odd: Path) -> None:
    document, _ = exported(apieval.export(odd, "eee"))
    stored = summary(odd)
    results = {each["evaluation_result_id"]: each for each in document["evaluation_results"]}
    assert len(results) == 2 * 1 * 3 * 6 * 2  # settings, subsets, parsers, metrics, aggregations
    for name, result in results.items():
        setting, subset, parser, metric, aggregation = name.split("/")
        figure = stored["figures"][setting][subset][parser][metric][aggregation]
        details, uncertainty = (result["score_details"][n] for n in ("details", "uncertainty"))
        assert result["score_details"]["score"] == figure["value"]
        if "at_least" in figure:  # bounds are no interval
            assert "confidence_interval" not in uncertainty
        else:
            interval = uncertainty["confidence_interval"]
            assert (interval["lower"], interval["upper"]) == (figure["low"], figure["high"])
        assert int(details["n"]) == figure["n"]
        for bound in ("at_least", "at_most", "answered"):
            assert ((b := details.get(bound)) and float(b)) == figure.get(bound)
        assert details["partial"] == ("true" if setting == "regular" else "false")
        assert details["signature"] == apieval.figure_signature(
            stored, setting, subset, parser, metric, aggregation
        )
        assert uncertainty["num_samples"] == 10
    drawn = results["hints/all/official/solution_word_accuracy/micro"]
    counted = results["hints/all/official/solution_match/micro"]
    assert drawn["score_details"]["uncertainty"]["num_bootstrap_samples"] == 10_000
    assert "num_bootstrap_samples" not in counted["score_details"]["uncertainty"]
    assert counted["score_details"]["uncertainty"]["confidence_interval"]["method"] == "Wilson"
    assert drawn["score_details"]["details"]["n_of"] == "words"
    assert counted["score_details"]["details"]["n_of"] == "answers"


def test_items_are_what_the_official_macro_figures_are_made_of(odd: Path) -> None:
    document, items = exported(apieval.export(odd, "eee"))
    results = {each["evaluation_result_id"]: each for each in document["evaluation_results"]}
    assert Counter(each["evaluation_result_id"] for each in items) == {
        f"{setting}/all/official/{metric}/macro": n
        for setting, n in (("regular", 9), ("hints", 10))
        for metric in METRICS
    }
    for name, result in results.items():
        mine = [each for each in items if each["evaluation_result_id"] == name]
        if not mine:
            continue
        micro = results[f"{name.removesuffix('macro')}micro"]["score_details"]
        right = sum(int(each["metadata"]["right"]) for each in mine)
        assert right / int(micro["details"]["n"]) == pytest.approx(micro["score"], abs=1e-12)
        value = fsum(each["evaluation"]["score"] for each in mine) / 10  # the missing one is no 0
        assert value == pytest.approx(result["score_details"]["score"], abs=1e-12)
        assert {each["evaluation_name"] for each in mine} == {result["evaluation_name"]}
        for each in mine:
            whole = each["metadata"]["right"] == each["metadata"]["total"]
            assert each["evaluation"]["is_correct"] == whole
    assert {each["evaluation_id"] for each in items} == {document["evaluation_id"]}
    assert {each["model_id"] for each in items} == {document["model_info"]["id"]}


def test_an_item_says_all_there_is_of_its_answer(odd: Path, ten: Material) -> None:
    _, items = exported(apieval.export(odd, "eee"))
    by_place = {(e["sample_id"], e["evaluation_result_id"]): e for e in items}
    texts = {(e["setting"], str(e["id"])): e["text"] for e in lines(odd / "responses.jsonl")}
    for (row, result), each in by_place.items():
        assert each["output"]["raw"] == [texts[result.partition("/")[0], row]]
    one = by_place["1", "hints/all/official/word_guess_accuracy/macro"]
    row = ten.rows[1]
    assert one["output"] == {"raw": [ODD], "reasoning_trace": [" pensa\n"]}
    rebus = row["verbalized_rebus_with_length_hints"]
    assert one["input"]["raw"] == f"Rebus: {rebus}\nChiave di lettura: {row['solution_key']}"
    assert one["input"]["formatted"].endswith(f"\n{one['input']['raw']}\n")
    assert one["input"]["reference"] == [row["word_guesses"]]
    assert one["token_usage"]["total_tokens"] == 12
    assert one["token_usage"]["reasoning_tokens"] == 2
    told = one["performance"]["additional_details"]
    assert float(told["cost_usd"]) == 0.1 + 0.2
    assert (told["finish_reason"], told["attempts"]) == ("stop", "1")
    known = one["metadata"]
    assert known["prompt_hash"].startswith("sha256:cc87d31f")
    assert (known["outcome"], known["sample"]) == ("ok", "0")
    assert "score_tolerant-lenient" in known
    assert one["error"] is None
    uncounted = by_place["4", "hints/all/official/solution_match/macro"]
    assert uncounted["token_usage"] is None  # the format wants both counts, and none is 0
    assert uncounted["performance"]["latency_ms"] is None
    cut = by_place["2", "hints/all/official/solution_match/macro"]
    assert (cut["error"], cut["evaluation"]["is_correct"]) == ("truncated", False)
    assert cut["metadata"]["broke_first"] == "unanswered"
    stored = {e["id"]: e for e in lines(odd / "scores.jsonl") if e["parser"] == "official"}
    assert cut["answer_attribution"][0]["extracted_value"] == stored[2]["solution"]


def test_files_stand_where_they_belong_and_are_the_same_again(odd: Path) -> None:
    first = apieval.export(odd, "eee")
    made = [path.read_bytes() for path in first.files]
    document, items = exported(first)
    assert apieval.export(odd, "eee") == first
    assert [path.read_bytes() for path in first.files] == made
    details = document["detailed_evaluation_results"]
    path = odd / "export" / details["file_path"]
    assert path == first.files[1]
    assert first.files[0].name == path.name.replace("_samples.jsonl", ".json")
    assert path.parent.parts[-4:] == ("data", "ten.csv", "unknown", "modello-prova")
    assert f"sha256:{details['checksum']}" == digest_file(path)
    assert details["total_rows"] == len(items) == 6 * 19


def test_what_the_format_cannot_say_is_warned_of(inside: Inside, odd: Path) -> None:
    done = inside("export", odd, "--format", "eee", "--json")
    assert json.loads(done.out)["warnings"] == [
        "an answer is missing: every figure is partial, which only its details say",
        "1 failed request left out of the items: there is no answer",
        "the model goes by unknown/modello-prova; --model-id says what everybody calls it",
        "nothing says who evaluated; --organization and --relationship do",
    ]
    named = ("--model-id", "acme/prova", "--organization", "Noi", "--relationship", "third_party")
    done = inside("export", odd, "--format", "eee", "--json", *named)
    said = json.loads(done.out)
    assert len(said["warnings"]) == 2
    document = json.loads(Path(said["files"][0]).read_text("utf-8"))
    assert document["model_info"]["id"] == "acme/prova"
    assert document["source_metadata"]["source_organization_name"] == "Noi"
    assert document["source_metadata"]["evaluator_relationship"] == "third_party"


def test_what_cannot_be_exported_says_why(inside: Inside, odd: Path) -> None:
    for name in ("prova", "/prova", "acme/ "):
        with pytest.raises(ConfigError, match="give DEVELOPER/MODEL"):
            apieval.export(odd, "eee", about=apieval.About(name))
    with pytest.raises(ConfigError, match="are of --format eee"):
        apieval.export(odd, "csv", about=apieval.About())
    (odd / "file").write_text("", "utf-8")
    with pytest.raises(StoreError, match="cannot be written"):
        apieval.export(odd, "eee", odd / "file")
    (odd / "run.json").write_text(
        json.dumps({**json.loads((odd / "run.json").read_text("utf-8")), "ended": None}), "utf-8"
    )
    document, _ = exported(apieval.export(odd, "eee"))
    last = max(each["created"] for each in lines(odd / "responses.jsonl"))
    assert datetime.fromisoformat(document["evaluation_timestamp"]) == datetime.fromisoformat(last)
    undated = [{**each, "created": "ieri"} for each in lines(odd / "responses.jsonl")]
    text = "".join(f"{json.dumps(each)}\n" for each in undated)
    (odd / "responses.jsonl").write_text(text, "utf-8")
    with pytest.raises(StoreError, match=r"responses\.jsonl: `created` of an answer is no date"):
        apieval.export(odd, "eee")


def test_a_run_of_failures_has_no_items(inside: Inside, odd: Path) -> None:
    path = odd / "responses.jsonl"
    failed = [{**each, "outcome": "failed"} for each in lines(path)]
    path.write_text("".join(json.dumps(each) + "\n" for each in failed), "utf-8")
    with pytest.raises(StoreError, match="no answer to export"):
        apieval.export(odd, "eee")
    assert not list(odd.rglob("*_samples*"))


def test_begun_answers_are_refused(inside: Inside) -> None:
    words = ("run", "baseline", "--limit", "1", "--given", "definitions", "--setting", "hints")
    assert inside(*words).code == 0
    with pytest.raises(ConfigError, match="begun with right steps"):
        apieval.export(folder(), "eee")
