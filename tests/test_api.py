from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import apieval
from apieval.rebus import dataset, prompts
from apieval.records import RunSpec
from tests.records import ANSWER, ROW, response, write_csv

HEAVY = ("httpx", "aiohttp", "litellm", "numpy", "pyarrow", "matplotlib", "huggingface_hub")


def python(code: str, *arguments: object) -> str:
    """Run code in an interpreter of its own, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_all_is_sorted_and_is_what_is_public() -> None:
    public = {
        name
        for name, value in vars(apieval).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    assert apieval.__all__ == sorted(apieval.__all__)
    assert set(apieval.__all__) == public | {"__version__"}
    assert all(isinstance(name, str) for name in apieval.__all__)


def test_everything_public_says_what_it_is() -> None:
    for name in set(apieval.__all__) - {"__version__", "Setting"}:
        assert getattr(apieval, name).__doc__, name


def test_a_notebook_needs_four_names() -> None:
    row = apieval.load("sample").rebuses[0]
    assert row.verbalized_rebus in apieval.build_prompt(row, "regular")
    tallies = apieval.tally(apieval.parse(f"Soluzione: {row.solution}\n"), row)
    assert tallies["solution_match"].share == 1.0
    assert tallies["first_pass_accuracy"].share == 0.0


@pytest.mark.parametrize("module", ["apieval", "apieval.cli"])
def test_importing_loads_nothing_heavy(module: str) -> None:
    code = f"import sys, {module}; print(*(n for n in {HEAVY!r} if n in sys.modules))"
    assert python(code).split() == []


NO_SOCKETS = """
import json, socket, sys
from pathlib import Path

def refuse(*args, **kwargs):
    raise AssertionError("a socket was opened")

class Refused(socket.socket):
    __init__ = refuse

socket.socket = Refused
for name in ("create_connection", "create_server", "socketpair", "getaddrinfo"):
    setattr(socket, name, refuse)

import apieval

for path, data in zip(sys.argv[1::2], sys.argv[2::2]):
    result = apieval.score(Path(path), data or None)
    figure = result.summary["figures"]["regular"]["all"]["official"]["solution_match"]["micro"]
    print(json.dumps([result.status, figure["value"], figure["n"]]))
print(json.dumps([name for name in ("aiohttp", "httpx", "httpx2") if name in sys.modules]))
"""


def stored_run(folder: Path, data: Path) -> Path:
    """Write a run folder by hand, as far as scoring reads it."""
    loaded = dataset.load(data)
    spec = RunSpec(
        model="mine",
        provider="openai-compatible",
        identity={"body": {"model": "m", "temperature": 0.0}},
        data=loaded.name,
        settings=("regular",),
        prompts={"regular": prompts.template_hash("regular")},
    )
    header = {
        "format": 1,
        "status": "done",
        "model": spec.model,
        "prompts": dict(spec.prompts),
        "spec": spec.model_dump(mode="json"),
        "data": {"name": loaded.name, "path": str(data), "digest": loaded.digest, "n": 1},
    }
    folder.mkdir()
    (folder / "run.json").write_text(json.dumps(header), encoding="utf-8")
    (folder / "responses.jsonl").write_text(response().model_dump_json() + "\n", encoding="utf-8")
    return folder


def test_scoring_opens_no_socket(tmp_path: Path) -> None:
    data = write_csv(tmp_path / "data.csv", [ROW])
    raw = tmp_path / "answers.jsonl"
    raw.write_text(json.dumps({"id": 0, "text": ANSWER}) + "\n", encoding="utf-8")
    names = ("word_guesses", "first_pass", "solution_words", "solution")
    parsed = write_csv(tmp_path / "parsed.csv", [{"idx": "0", **{n: ROW[n] for n in names}}])
    run = stored_run(tmp_path / "run", data)
    *found, loaded = map(
        json.loads, python(NO_SOCKETS, raw, data, parsed, data, run, "").splitlines()
    )
    assert found == [["done", 1.0, 1]] * 3
    assert loaded == []
