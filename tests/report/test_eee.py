"""The interchange format's names and places, apart from any run."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any
from uuid import UUID

import pytest

from apieval.rebus import prompts
from apieval.rebus.dataset import Dataset, Origin
from apieval.report.eee.document import ItemsFile, Run, document
from apieval.report.eee.names import About, evaluation_name, names_of, strings
from apieval.schema import RunSpec
from tests import records

ITEMS = ItemsFile(PurePosixPath("data/a/b/c/d_samples.jsonl"), "sha256:00", 6)


def spec(**changes: Any) -> RunSpec:  # noqa: ANN401 # any field
    plain: dict[str, Any] = {
        "model": "mio",
        "provider": "openai-compatible",
        "identity": {"endpoint": ["http://x/v1"], "body": {"model": "acme/prova", "seed": 7}},
        "data": "rebuses.csv",
        "settings": ("regular",),
        "prompts": {"regular": prompts.template_hash("regular")},
    }
    return RunSpec.model_validate({**plain, **changes})


def hosted(name: str, endpoint: str = "litellm") -> RunSpec:
    return spec(provider="litellm", identity={"endpoint": endpoint, "body": {"model": name}})


def made(run: RunSpec, about: About | None = None, **changes: Any) -> dict[str, Any]:  # noqa: ANN401 # any JSON
    header = {"began": "2026-11-30T10:00:00+00:00", "ended": None}
    summary = records.summary([records.rebus()], [records.response()], settings=["regular"])
    facts = Run(
        run, header, prompts.official(), {**summary, **changes}, "2026-11-30T10:00:00+00:00"
    )
    names = names_of(run, "1.5", "sha256:1", about or About())
    return document(facts, names, about or About(), ITEMS)


@pytest.mark.parametrize(
    ("run", "about", "expected"),
    [
        pytest.param(spec(), About(), "acme/prova", id="as it is asked for"),
        pytest.param(spec(), About("meta/llama"), "meta/llama", id="as the user says"),
        pytest.param(spec(identity={"body": {"model": "x"}}), About(), "unknown/x", id="no maker"),
        pytest.param(spec(identity={"body": {"model": "/x/"}}), About(), "unknown/x", id="bare"),
        pytest.param(spec(identity={}), About(), "unknown/mio", id="no name there"),
        pytest.param(
            spec(provider="embedded", identity={}), About(), "apieval/mio", id="our own solver"
        ),
        pytest.param(hosted("openai/gpt-4o"), About(), "openai/gpt-4o", id="hosted"),
    ],
)
def test_a_model_has_a_maker_and_a_name(run: RunSpec, about: About, expected: str) -> None:
    names = names_of(run, "1.5", "sha256:1", about)
    assert names.model_id == expected
    assert names.evaluation_id == f"rebuses.csv/{expected}/1.5"


@pytest.mark.parametrize(
    ("model", "data", "expected"),
    [
        ("a/b/c:free", "sample", "data/apieval-sample/a/b_c_free"),
        ("../..", "x.csv", "data/x.csv/_/_"),
        ("con/nul.txt", "data", "data/_data/_con/_nul.txt"),
        ("a/b. .", "DATA.csv", "data/_DATA.csv/a/b_"),
        ('a/\x00<>"|?*\\è', "x", "data/x/a/________è"),
    ],
)
def test_folders_are_names_that_every_file_system_takes(
    model: str, data: str, expected: str
) -> None:
    names = names_of(spec(data=data), "1.5", "sha256:1", About(model))
    assert names.folder == PurePosixPath(expected)
    assert names.items == names.folder / f"{names.uuid}_samples.jsonl"


def test_a_run_has_one_number_and_another_run_another() -> None:
    first = names_of(spec(), "1.5", "sha256:1", About())
    assert first == names_of(spec(), "1.5", "sha256:1", About())
    assert UUID(first.uuid).version == 4
    assert str(UUID(first.uuid)) == first.uuid
    others = [
        names_of(spec(), "1.5", "sha256:2", About()),
        names_of(spec(), "1.6", "sha256:1", About()),
        names_of(spec(data="b.csv"), "1.5", "sha256:1", About()),
        names_of(spec(), "1.5", "sha256:1", About("a/b")),
    ]
    assert len({first.uuid, *(each.uuid for each in others)}) == 5


def test_details_are_texts_and_the_unknown_is_left_out() -> None:
    found = strings({"a": None, "b": "è", "c": 0.1, "d": False, "e": {"z": [1]}, "f": ""})
    assert found == {"b": "è", "c": "0.1", "d": "false", "e": '{"z":[1]}', "f": ""}


def test_a_part_of_the_rows_is_an_evaluation_of_its_own() -> None:
    assert evaluation_name("hints") == "verbalized_rebus.hints"
    assert evaluation_name("hints", "ood") == "verbalized_rebus.hints.ood"


def test_data_of_the_hub_goes_with_its_terms() -> None:
    origin = Origin("gsarti/eureka-rebus-calamita-2024, test.csv", "abc", "solo ricerca", "di loro")
    data = Dataset("eureka", "sha256:2", (records.rebus(),), origin)
    facts = {"name": data.name, "digest": data.digest, "n": 1, **data.published}
    [source, *_] = [each["source_data"] for each in made(spec(), data=facts)["evaluation_results"]]
    assert source["source_type"] == "hf_dataset"
    assert source["hf_repo"] == "gsarti/eureka-rebus-calamita-2024"
    assert (source["hf_split"], source["samples_number"]) == ("test", 1)
    details = source["additional_details"]
    assert (details["licence"], details["attribution"]) == ("solo ricerca", "di loro")
    assert (details["revision"], details["digest"]) == ("abc", "sha256:2")


@pytest.mark.parametrize(
    ("run", "deployment", "platform"),
    [
        (spec(), "unknown", None),
        (spec(provider="embedded"), "self_deployed", None),
        (hosted("openai/gpt-4o"), "externally_managed", "openai"),
        (hosted("ollama/llama", "http://127.0.0.1:1"), "unknown", "ollama"),
    ],
)
def test_a_model_is_told_to_stand_where_it_is_known_to(
    run: RunSpec, deployment: str, platform: str | None
) -> None:
    model = made(run)["model_info"]
    assert model["additional_details"]["deployment_type"] == deployment
    assert model.get("inference_platform") == platform
    assert "http" not in str(model)


def test_how_it_was_asked_stands_beside_every_figure() -> None:
    body = {"model": "a/b", "temperature": 0.5, "top_p": None, "max_tokens": 9, "seed": 7}
    run = spec(identity={"body": {**body, "max_completion_tokens": 8}})
    [generation, *_] = [each["generation_config"] for each in made(run)["evaluation_results"]]
    arguments = generation["generation_args"]
    assert arguments.pop("prompt_template") == prompts.template("regular")
    assert arguments == {"temperature": 0.5, "top_p": None, "max_tokens": 8}
    details = generation["additional_details"]
    assert '"seed":7' in details["parameters"]
    assert details["prompt_hash"] == prompts.template_hash("regular")
    bare = made(spec(identity={}))["evaluation_results"][0]["generation_config"]
    assert list(bare["generation_args"]) == ["prompt_template"]


def test_a_figure_of_nothing_is_left_out() -> None:
    whole = made(spec())["evaluation_results"]
    assert len(whole) == 36
    empty = records.summary([], [], settings=["regular"])
    assert made(spec(), figures=empty["figures"])["evaluation_results"] == []
