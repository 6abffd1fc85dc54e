"""`verify` of a damaged folder: it says what is wrong, or what it did not look at; it never breaks."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import apieval
from apieval.analysis.claims import State, differences
from apieval.cli import output
from apieval.commands.verify import Verification, verify
from apieval.errors import ApievalError
from apieval.rebus import dataset
from apieval.report import verification
from tests.commands import damage
from tests.commands.damage import Damage

FILES = ("run.json", "summary.json", "responses.jsonl", "scores.jsonl")
OF_SCORES = ("summary.json", "scores.jsonl")
ROWS = dataset.load("sample").rebuses
TRIED = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("damaged")
    options = apieval.RunOptions(limit=1, settings=("hints",), out=out, cache=None, concurrency=1)
    [result] = apieval.run(["baseline"], options)
    assert result.folder is not None
    return result.folder


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return what `score --out` wrote of four rows, one of them without an answer."""
    root = tmp_path_factory.mktemp("scored")
    texts = [f"Soluzione: {row.solution if n % 2 else 'x'}" for n, row in enumerate(ROWS[:3])]
    lines = [json.dumps({"id": str(n), "text": text}) for n, text in enumerate(texts)]
    (root / "raw.jsonl").write_text("\n".join(lines), "utf-8")
    apieval.score(root / "raw.jsonl", "sample", limit=4, subsets=("id",), out=root / "out")
    return root / "out"


@contextmanager
def damaged(folder: Path, done: Damage) -> Iterator[None]:
    """Do it, and undo it."""
    path = folder / done.file
    before = path.read_bytes()
    done.done(folder)
    try:
        yield
    finally:
        if path.is_dir():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        path.write_bytes(before)


def tried(folder: Path, data: str | None = None) -> Verification | None:
    """Return what comes of it and can be shown, None for a refusal; all else is a fault."""
    try:
        found = verify(folder, data)
    except ApievalError:
        return None
    list(verification.render(str(folder), found.checks))
    output.document(found.as_json())
    return found


def is_told(found: Verification | None, folder: Path, done: Damage) -> bool:
    """Say whether the damage is found, or the part it is in was named as unchecked."""
    if found is None or not found.holds:
        return True
    named = {part for each in found.checks if each.state is State.UNCHECKED for part in each.parts}
    key = [str(each) for each in done.place if isinstance(each, str)]
    ways = {".".join(key[:n]) for n in range(1, len(key) + 1)}
    if key[:1] == ["figures"]:
        ways |= {
            each
            for each in named
            if each.startswith("figures:") and key[-1] in each.replace(",", "").split()
        }
    return bool(ways & named) or not changed(folder, done)


def changed(folder: Path, done: Damage) -> bool:
    """Say whether the damage is one: other values, not the same ones otherwise written."""
    if done.content is None:
        return True
    try:
        apart = "\n" if done.file.endswith("l") else "\0"
        now, then = (
            [json.loads(each) for each in text.split(apart) if each]
            for text in (done.content.decode(), (folder / done.file).read_text("utf-8"))
        )
    except ValueError:
        return True
    return bool(list(differences(then, now)))


@TRIED
@given(data=st.data())
def test_every_key_of_a_run_is_held_or_named(run: Path, data: st.DataObject) -> None:
    done = data.draw(damage.of_keys(run, FILES))
    with damaged(run, done):
        found = tried(run)
    assert is_told(found, run, done), (done.file, done.place)


@TRIED
@given(data=st.data())
def test_every_line_and_file_of_a_run(run: Path, data: st.DataObject) -> None:
    done = data.draw(damage.of_lines(run) | damage.of_files(run, FILES))
    with damaged(run, done):
        found = tried(run)
    if done.file == "responses.jsonl" or done.kind != "gone":
        assert found is None or not found.holds
    assert found is None or found.checked


@pytest.mark.parametrize("line", [b"[" * 100_000, b'{"known_usd": 1%s}' % (b"0" * 400), b"7"])
def test_an_account_that_cannot_be_read_is_no_fault(run: Path, line: bytes) -> None:
    account = run / "spending.jsonl"
    account.write_bytes(line + b"\n")
    found = tried(run)
    account.unlink()
    assert found
    assert found.checked


@TRIED
@given(data=st.data(), at_hand=st.booleans())
def test_every_key_of_scores_elsewhere_is_held_or_named(
    scored: Path, data: st.DataObject, *, at_hand: bool
) -> None:
    done = data.draw(damage.of_keys(scored, OF_SCORES))
    with damaged(scored, done), without_data(scored, away=not at_hand):
        found = tried(scored)
    if done.place[:1] != ("data",):
        assert is_told(found, scored, done), (done.file, done.place)


@contextmanager
def without_data(folder: Path, *, away: bool) -> Iterator[None]:
    """Have a summary name a data file that is gone, where it names one at all."""
    path = folder / "summary.json"
    if not away or not path.is_file():
        yield
        return
    text = path.read_bytes()
    path.write_bytes(text.replace(b'"name": "sample"', b'"name": "gone.csv"'))
    yield
    path.write_bytes(text)
