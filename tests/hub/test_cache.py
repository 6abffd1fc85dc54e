from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from apieval.errors import DataError
from apieval.hub import ATTRIBUTION, LICENCE, NOTICE, TEST, HubCache, Kept, is_offline
from tests.hub.fakehub import COMMIT, LATER


def lay(cache: HubCache, content: bytes, commit: str = COMMIT) -> Path:
    """Put a file where the hub's own tools put it."""
    path = cache.dataset / "snapshots" / commit / "test.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    (cache.dataset / "refs").mkdir(exist_ok=True)
    (cache.dataset / "refs" / "main").write_text(commit, "utf-8")
    return path


@pytest.fixture
def pinned(cache: HubCache, content: bytes) -> Kept:
    return cache.pin(cache.checked(lay(cache, content), TEST, "main"))


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        pytest.param({}, "~/.cache/huggingface/hub", id="nothing"),
        pytest.param({"XDG_CACHE_HOME": "/x"}, "/x/huggingface/hub", id="cache home"),
        pytest.param({"HF_HOME": "/h", "XDG_CACHE_HOME": "/x"}, "/h/hub", id="home"),
        pytest.param({"HF_HUB_CACHE": "/c", "HF_HOME": "/h"}, "/c", id="cache"),
        pytest.param({"HUGGINGFACE_HUB_CACHE": "/old", "HF_HOME": "/h"}, "/old", id="old name"),
        pytest.param({"HF_HOME": "$HOME/data"}, "~/data/hub", id="variable"),
    ],
)
def test_the_folder_is_the_one_of_the_hubs_own_tools(
    environ: dict[str, str], expected: str
) -> None:
    assert HubCache.of(environ).folder == Path(expected).expanduser()


@pytest.mark.parametrize(
    ("environ", "offline"),
    [
        ({}, False),
        ({"HF_HUB_OFFLINE": "1"}, True),
        ({"HF_HUB_OFFLINE": "true"}, True),
        ({"HF_HUB_OFFLINE": "0"}, False),
        ({"TRANSFORMERS_OFFLINE": "YES"}, True),
    ],
)
def test_offline_is_what_the_hubs_own_tools_take_for_it(
    environ: dict[str, str], *, offline: bool
) -> None:
    assert is_offline(environ) is offline


def test_what_is_pinned_is_found_again(cache: HubCache, pinned: Kept) -> None:
    assert cache.kept(TEST) == pinned
    assert pinned.origin.revision == COMMIT
    note = json.loads(cache.note_of(TEST).read_text("utf-8"))
    assert (note["commit"], note["revision"], note["rows"]) == (COMMIT, "main", 3167)
    assert (note["licence"], note["attribution"]) == (LICENCE, ATTRIBUTION)


def test_nothing_is_there(cache: HubCache) -> None:
    assert cache.kept(TEST) is None
    assert cache.of_revision(TEST) is None
    assert cache.of_revision(TEST, COMMIT) is None


def test_a_reference_to_nowhere_is_followed_nowhere(cache: HubCache, content: bytes) -> None:
    lay(cache, content)
    (cache.dataset / "refs" / "main").write_text("../../elsewhere", "utf-8")
    assert cache.of_revision(TEST) is None


def test_a_file_that_has_changed(cache: HubCache, pinned: Kept) -> None:
    pinned.path.write_bytes(pinned.path.read_bytes().replace(b"definizione", b"Definizione"))
    with pytest.raises(DataError, match=r"has changed since it was fetched \(sha256:.*--again"):
        cache.kept(TEST)


def test_a_file_that_cannot_be_read(cache: HubCache, pinned: Kept) -> None:
    pinned.path.unlink()
    pinned.path.mkdir()
    with pytest.raises(DataError, match=r"test\.csv: cannot be read: Is a directory"):
        cache.kept(TEST)


def test_a_file_that_is_gone(cache: HubCache, pinned: Kept) -> None:
    pinned.path.unlink()
    assert cache.kept(TEST) is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"commit": "../.."}'])
def test_a_note_that_is_none(cache: HubCache, pinned: Kept, text: str) -> None:
    cache.note_of(TEST).write_text(text, "utf-8")
    with pytest.raises(DataError, match=r"apieval-test.csv.json: cannot be read: it is no note"):
        cache.kept(TEST)


def test_a_note_that_cannot_be_read(cache: HubCache) -> None:
    cache.note_of(TEST).mkdir(parents=True)
    with pytest.raises(DataError, match="cannot be read: Is a directory"):
        cache.note(TEST)


def test_unknown_fields_of_a_note_are_kept(cache: HubCache, pinned: Kept) -> None:
    path = cache.note_of(TEST)
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), "later": 1}), "utf-8")
    cache.show_terms_once(TEST, lambda _: None)
    assert json.loads(path.read_text("utf-8"))["later"] == 1


def test_terms_are_shown_once(cache: HubCache, pinned: Kept) -> None:
    said: list[str] = []
    for _ in range(2):
        cache.show_terms_once(TEST, said.append)
    assert said == [NOTICE]
    assert "Biblioteca Enigmistica Italiana - G. Panini" in NOTICE


def test_a_folder_that_cannot_be_written_serves_all_the_same(
    cache: HubCache, content: bytes
) -> None:
    lay(cache, content)
    found = cache.of_revision(TEST)
    assert found is not None
    # in the way, even of whoever may write everywhere
    (cache.dataset / f".apieval-test.csv.json.{os.getpid()}").mkdir()
    assert cache.pin(found) is found
    said: list[str] = []
    for _ in range(2):
        cache.show_terms_once(TEST, said.append)
    assert len(said) == 2


@pytest.mark.parametrize(
    ("revision", "same"),
    [("main", True), (COMMIT, True), (COMMIT[:7], True), (COMMIT[:6], False), (LATER, False)],
)
def test_which_revision_it_is(pinned: Kept, revision: str, *, same: bool) -> None:
    assert pinned.is_of(revision) is same
