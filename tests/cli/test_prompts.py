"""Runs by another prompt: `--shots`, `--prompt`, `--prompt-set`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from apieval.rebus import prompts
from tests.cli.test_parameters import REGULAR
from tests.e2e.conftest import Inside
from tests.e2e.faults import FaultServer
from tests.e2e.program import Material, configure, model, plain

pytestmark = pytest.mark.usefixtures("no_waits")

TEMPLATES = {
    "corto.j2": "Risolvi.\nRebus: {{ verbalized_rebus }}\n{{ solution_key }}\n",
    "lungo.j2": "{{ examples[0].answer }}\nRebus: {{ verbalized_rebus }}\n{{ solution_key }}",
    "terzo.txt": "{% if hints %}?{% endif %}!\nRebus: {{ verbalized_rebus }}\n",
}


@pytest.fixture
def several(tmp_path: Path) -> Path:
    folder = tmp_path / "prompts"
    folder.mkdir()
    for name, source in TEMPLATES.items():
        (folder / name).write_text(source, "utf-8")
    return folder


def runs(path: Path = Path("results")) -> dict[str, dict[str, Any]]:
    """Return the header of each run, by its prompt's name."""
    headers = [json.loads((each / "run.json").read_text("utf-8")) for each in path.iterdir()]
    return {each["prompt"]["name"]: {**each, "folder": path} for each in headers}


def test_a_set_of_prompts_is_a_run_by_each(inside: Inside, ten: Material, several: Path) -> None:
    def answers_by_prompt(seen: Any) -> None:  # noqa: ANN401 # a plan that sees and says nothing
        said.append(seen.body["messages"][-1]["content"])

    said: list[str] = []
    with FaultServer(ten.answers, answers_by_prompt) as server:
        configure(ten.path.parent, local=model(server.url))
        words = ("run", "local", "--data", ten.path, *REGULAR, "--prompt-set", several)
        done = inside(*words)
        assert done.code == 0, done.err
        assert server.requests == 30
        assert inside(*words).code == 0
        assert server.requests == 30  # each has its own folder, and goes on there
        assert inside("run", "local", "--data", ten.path, *REGULAR).code == 0
        assert server.requests == 40
    assert sum(text.startswith("Risolvi.\nRebus: ") for text in said) == 10
    assert sum(text.startswith("Procediamo") for text in said) == 10
    made = runs()
    assert set(made) == {"corto", "lungo", "terzo", "official"}
    assert made["corto"]["prompt"]["template"] == TEMPLATES["corto.j2"]
    assert len({each["spec"]["prompts"]["regular"] for each in made.values()}) == 4
    assert "prompt corto, not the challenge's own" in done.out
    assert "local, regular: what 3 prompts make of it" in done.out
    assert plain(done.all)


def test_how_far_prompts_lie_apart_is_said(inside: Inside, several: Path) -> None:
    words = ("run", "baseline", "--limit", "1", "--prompt-set", several, "--json")
    document = json.loads(inside(*words).out)
    assert [each["prompt"] for each in document["runs"]] == [
        {"name": name, "official": False} for name in ("corto", "lungo", "terzo")
    ]
    assert [each["setting"] for each in document["prompts"]] == ["regular", "hints"]
    assert document["prompts"][0]["prompts"] == ["corto", "lungo", "terzo"]
    single = json.loads(inside("run", "baseline", "--limit", "1", "--json").out)
    assert "prompts" not in single
    assert single["runs"][0]["prompt"] == {"name": "official", "official": True}


def test_a_prompt_outlives_its_file(inside: Inside, ten: Material, tmp_path: Path) -> None:
    template = tmp_path / "mio.j2"
    template.write_text(TEMPLATES["corto.j2"], "utf-8")
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url))
        words = ("run", "local", "--data", ten.path, *REGULAR, "--prompt", template)
        assert inside(*words).code == 0
    folder = next(Path("results").iterdir())
    assert "-mio-" in folder.name
    template.unlink()
    before = (folder / "summary.json").read_text("utf-8")
    assert inside("score", folder).code == 0
    assert (folder / "summary.json").read_text("utf-8") == before
    assert inside(*words).code == 2


def test_two_shots_are_the_same_run_as_none_named(inside: Inside) -> None:
    words = ("run", "baseline", "--limit", "1")
    assert inside(*words).code == 0
    assert inside(*words, "--shots", "2").code == 0
    assert len(list(Path("results").iterdir())) == 1
    assert inside(*words, "--shots", "5").code == 0
    assert inside(*words, "--shots", "0").code == 0
    assert {name.split("-")[-2] for name in map(str, Path("results").iterdir())} >= {"shot", "both"}


def test_a_check_shows_the_prompt(inside: Inside, ten: Material, several: Path) -> None:
    with FaultServer(ten.answers) as server:
        configure(ten.path.parent, local=model(server.url))
        words = ("check", "local", "--data", ten.path, "--prompt", several / "corto.j2")
        assert "Risolvi." in inside(*words).out
        (seen,) = server.seen
        assert seen.body["messages"][0]["content"].startswith("Risolvi.\nRebus: ")


def test_what_is_missing_in_the_cache_is_by_the_prompt(inside: Inside, ten: Material) -> None:
    words = ("local", "--data", ten.path, "--setting", "regular", "--cache", "cache")
    with FaultServer(ten.answers) as server:
        configure(ten.path.parent, local=model(server.url))
        assert inside("run", *words, "--shots", "1").code == 0
    assert inside("cache", "why", *words, "--shots", "1").out.startswith("every answer")
    assert not inside("cache", "why", *words).out.startswith("every answer")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--shots", "6"), "--shots 6: give a number from 0 to 5"),
        (("--shots", "due"), "due: there is no such file"),
        (("--prompt", "a.j2", "--prompt-set", "b"), "give one of them"),
        (("--prompt-set", "b", "--name", "x"), "a set of prompts makes several"),
        (("--prompt-set", "b"), "b: No such file or directory"),
    ],
)
def test_what_is_no_prompt_is_refused(words: tuple[str, ...], said: str, inside: Inside) -> None:
    done = inside("run", "baseline", *words)
    assert (done.code, said in done.err) == (2, True), done.err
    assert not Path("results").exists()


def test_the_official_prompt_is_kept_by_its_name_alone(inside: Inside) -> None:
    assert inside("run", "baseline", "--limit", "1").code == 0
    assert runs()["official"]["prompt"] == {"name": "official"}
    assert prompts.restore({"name": "official"}) is prompts.official()
