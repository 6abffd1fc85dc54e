from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.records import RunSpec
from apieval.results.header import HeaderData
from apieval.run import header as plan
from apieval.run.header import folder_name, header, slug
from tests.records import Json


def spec(**changes: object) -> RunSpec:
    plain: dict[str, Any] = {
        "model": "my-llama",
        "provider": "openai-compatible",
        "identity": {"endpoint": ["http://127.0.0.1:8000/v1"], "body": {"temperature": 0}},
        "data": "rebuses.csv",
        "settings": ("regular", "hints"),
        "prompts": {"regular": "sha256:a", "hints": "sha256:b"},
    }
    return RunSpec.model_validate({**plain, **changes})


def test_a_folder_says_what_it_holds() -> None:
    model, data, settings, fingerprint = folder_name(spec(model="llama")).split("-")
    assert (model, data, settings) == ("llama", "rebuses", "both")
    assert len(fingerprint) == 8
    assert folder_name(spec(settings=("hints",))).startswith("my-llama-rebuses-hints-")


def test_the_same_command_finds_its_own_run_again() -> None:
    assert folder_name(spec()) == folder_name(spec())


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "my-llama2"},
        {"identity": {"endpoint": ["http://127.0.0.1:8001/v1"], "body": {"temperature": 0}}},
        {"identity": {"endpoint": ["http://127.0.0.1:8000/v1"], "body": {"temperature": 1}}},
        {"data": "other/rebuses.csv"},
        {"settings": ("regular",)},
        {"subsets": ("id",)},
        {"limit": 5},
        {"samples": 2},
        {"prompts": {"regular": "sha256:c", "hints": "sha256:b"}},
    ],
    ids=str,
)
def test_another_specification_is_another_folder(changes: dict[str, Any]) -> None:
    assert folder_name(spec(**changes)) != folder_name(spec())


@given(st.text())
def test_a_slug_is_a_name_every_file_system_takes(text: str) -> None:
    name = slug(text)
    assert name
    assert len(name) <= 60
    assert name[0] not in ".-"
    assert all(each.isascii() and (each.isalnum() or each in "._-") for each in name)
    assert slug(name) == name or len(name) == 60


@pytest.mark.parametrize(
    ("text", "name"),
    [("meta-llama/Llama 3.1", "meta-llama-Llama-3.1"), ("..", "unnamed"), ("", "unnamed")],
)
def test_slugs(text: str, name: str) -> None:
    assert slug(text) == name


DATA: Final[HeaderData] = {"name": "x", "path": "x.csv", "digest": "sha256:1", "n": 1}


def test_a_header_says_what_run_by_what_code_on_what_machine() -> None:
    found: Json = header(spec(), DATA)
    assert found["status"] == "running"
    assert RunSpec.model_validate(json.loads(json.dumps(found["spec"]))) == spec()
    assert found["prompts"] == {"regular": "sha256:a", "hints": "sha256:b"}
    assert {"python", "apieval", "httpx"} <= set(found["versions"])
    assert found["machine"]["cpus"] >= 1


def test_a_checkout_is_named_by_its_commit() -> None:
    found: Json = header(spec(), DATA)["git"]
    if found is None:
        pytest.skip("not a checkout")
    assert len(found["commit"]) == 40
    assert isinstance(found["dirty"], bool)


def test_without_git_there_is_no_commit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def absent(*_: object, **__: object) -> None:
        raise FileNotFoundError("git")

    monkeypatch.setattr(subprocess, "run", absent)
    assert plan._git() is None
    monkeypatch.setattr(plan, "__file__", str(tmp_path / "a" / "b" / "plan.py"))
    assert plan._git() is None


def test_looking_the_commit_up_writes_nothing_into_the_checkout(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def git(*words: str) -> None:
        named = ("-c", "user.name=prova", "-c", "user.email=prova@example.org")
        here = ["git", "-C", str(tmp_path), *named]
        subprocess.run([*here, *words], check=True, capture_output=True)

    (tmp_path / "a.txt").write_text("a")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "uno")
    os.utime(tmp_path / "a.txt", (1, 1))  # a status that may take the lock notes this in the index
    before = (tmp_path / ".git" / "index").read_bytes()
    monkeypatch.setattr(plan, "__file__", str(tmp_path / "apieval" / "run" / "plan.py"))
    found = plan._git()
    assert found is not None
    assert found["dirty"] is False
    assert (tmp_path / ".git" / "index").read_bytes() == before
