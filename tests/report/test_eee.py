"""The interchange format's names and places, apart from any run."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any, Final, cast
from uuid import UUID

import pytest

from apieval.rebus import prompts
from apieval.rebus.dataset import Dataset, Origin
from apieval.records import RunSpec
from apieval.report.eee import ITEMS, About, Evaluation, document, evaluation_name, strings
from apieval.results.header import LATER, Header
from apieval.results.summary import Summary
from tests import records

NOBODY = About()
THEN = datetime(2026, 11, 30, 10, tzinfo=UTC)


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


HEADER: Final = cast("Header", {**LATER, "status": "done"})


def named(
    run: RunSpec, about: About = NOBODY, last: datetime = THEN, answers: str = "sha256:1"
) -> Evaluation:
    return Evaluation(
        spec=run, header=HEADER, prompt=prompts.official(), last=last, answers=answers, about=about
    )


def made(run: RunSpec, **changes: Any) -> dict[str, Any]:  # noqa: ANN401 # any JSON
    summary: records.Json = records.summary(
        [records.rebus()], [records.response()], settings=["regular"]
    )
    return document(named(run), cast("Summary", {**summary, **changes}), 6, "sha256:00")


@pytest.mark.parametrize(
    ("run", "about", "expected"),
    [
        pytest.param(spec(), NOBODY, "acme/prova", id="as in the request"),
        pytest.param(spec(), About("meta/llama"), "meta/llama", id="as the user says"),
        pytest.param(spec(identity={"body": {"model": "x"}}), NOBODY, "unknown/x", id="no maker"),
        pytest.param(spec(identity={"body": {"model": "/x/"}}), NOBODY, "unknown/x", id="bare"),
        pytest.param(spec(identity={}), NOBODY, "unknown/mio", id="no name there"),
        pytest.param(spec(provider="embedded", identity={}), NOBODY, "apieval/mio", id="our own"),
        pytest.param(hosted("openai/gpt-4o"), NOBODY, "openai/gpt-4o", id="hosted"),
    ],
)
def test_a_model_has_a_maker_and_a_name(run: RunSpec, about: About, expected: str) -> None:
    found = named(run, about)
    assert found.model_id == expected
    assert found.id == f"rebuses.csv/{expected}/{THEN.timestamp():.6f}"


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
    assert named(spec(data=data), About(model)).file("").parent == PurePosixPath(expected)


def test_a_run_has_one_number_and_another_run_another() -> None:
    number = named(spec()).file("").name
    assert str(UUID(number)) == number
    assert UUID(number).version == 4
    assert named(spec()).file(ITEMS).name == f"{number}_samples.jsonl"
    others = [
        named(spec(), answers="sha256:2"),
        named(spec(), last=THEN.replace(microsecond=1)),
        named(spec(data="b.csv")),
        named(spec(), About("a/b")),
    ]
    assert len({number, *(each.file("").name for each in others)}) == 5


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
    source = made(spec(), data=facts)["evaluation_results"][0]["source_data"]
    details = source.pop("additional_details")
    assert source == {
        "dataset_name": "rebuses.csv",
        "source_type": "hf_dataset",
        "hf_repo": "gsarti/eureka-rebus-calamita-2024",
        "hf_split": "test",
        "samples_number": 1,
    }
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
def test_a_model_stands_where_it_is_known_to_and_no_address_is_given(
    run: RunSpec, deployment: str, platform: str | None
) -> None:
    model = made(run)["model_info"]
    assert model["additional_details"]["deployment_type"] == deployment
    assert model.get("inference_platform") == platform
    assert "http" not in str(model)


def test_how_answers_were_generated_stands_beside_every_figure() -> None:
    body = {"model": "a/b", "temperature": 0.5, "top_p": None, "max_tokens": 9, "seed": 7}
    run = spec(identity={"body": {**body, "max_completion_tokens": 8}})
    generation = made(run)["evaluation_results"][0]["generation_config"]
    arguments = generation["generation_args"]
    assert arguments.pop("prompt_template") == prompts.template("regular")
    assert arguments == {"temperature": 0.5, "top_p": None, "max_tokens": 8}
    details = generation["additional_details"]
    assert '"seed":7' in details["parameters"]
    assert details["prompt_hash"] == prompts.template_hash("regular")
    bare = made(spec(identity={}))["evaluation_results"][0]["generation_config"]
    assert list(bare["generation_args"]) == ["prompt_template"]


def test_a_figure_of_nothing_is_left_out() -> None:
    assert len(made(spec())["evaluation_results"]) == 36
    empty = records.summary([], [], settings=["regular"])
    assert made(spec(), figures=empty["figures"])["evaluation_results"] == []
