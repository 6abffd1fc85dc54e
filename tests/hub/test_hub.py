from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from apieval import hub as module
from apieval import hub_download
from apieval.errors import ApievalError, ConfigError, DataError
from apieval.hub import TEST, HubCache, HubFile, Wanted, fetch
from tests.e2e.program import holders
from tests.hub.fakehub import ALWAYS, COMMIT, LATER, FakeHub, Fault
from tests.hub.test_cache import lay

pytestmark = pytest.mark.usefixtures("in_process")


def changed(content: bytes, *, rows: int = 0, lacks: str = "", more: str = "") -> bytes:
    """Return a file with fewer rows, without a column, or with one more."""
    table = list(csv.DictReader(io.StringIO(content.decode("utf-8"))))
    columns = [name for name in table[0] if name != lacks] + [more] * bool(more)
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", restval="x", lineterminator="\n")
    writer.writeheader()
    writer.writerows(table[: len(table) - rows])
    return text.getvalue().encode()


def other(content: bytes) -> bytes:
    return content.replace(b"definizione", b"Definizione")


def test_is_asked_for_once_and_then_at_hand(hub: FakeHub, content: bytes) -> None:
    said: list[str] = []
    first = fetch(say=said.append)
    assert first.path.read_bytes() == content
    assert (first.note.commit, first.note.revision) == (COMMIT, "main")
    assert said == [f"fetching test.csv from the hub at {hub.url.removeprefix('http://')}"]
    hub.push(LATER, test=other(content))
    asked = len(hub.seen)
    assert fetch(say=said.append) == first
    assert fetch(revision=COMMIT[:10]) == first
    assert fetch(revision="main") == first
    assert len(hub.seen) == asked
    assert len(said) == 1


def test_again_takes_what_the_hub_has_now(hub: FakeHub, content: bytes) -> None:
    fetch()
    hub.push(LATER, test=other(content))
    assert fetch(again=True).note.commit == LATER
    assert fetch().note.commit == LATER
    assert fetch(revision=COMMIT).note.commit == COMMIT  # which is here still
    assert fetch().note.commit == COMMIT
    assert hub.asked == ["HEAD", "GET"] * 2


def test_another_revision_is_asked_for(hub: FakeHub, content: bytes) -> None:
    hub.push(LATER, test=content)
    hub.revisions["v1/of.2024"] = COMMIT
    assert fetch().note.commit == LATER
    kept = fetch(revision="v1/of.2024")
    assert (kept.note.commit, kept.note.revision) == (COMMIT, "v1/of.2024")
    assert fetch() == kept


def test_a_revision_that_is_not_there(hub: FakeHub) -> None:
    with pytest.raises(
        DataError,
        match=r"has no revision 'v9'\. Without the hub, give a copy of the file with --data PATH",
    ):
        fetch(revision="v9")
    assert fetch().note.commit == COMMIT


@pytest.mark.parametrize("revision", ["", "../../x", "a b", "-x", "x/../y", "x//y", "è"])
def test_a_revision_that_can_be_none(hub: FakeHub, revision: str) -> None:
    with pytest.raises(ConfigError, match=r"--revision .*: give a commit, a tag or a branch"):
        fetch(revision=revision)
    assert not hub.seen


def test_what_is_pinned_and_gone_is_fetched_as_it_was(hub: FakeHub, content: bytes) -> None:
    first = fetch()
    hub.push(LATER, test=other(content))
    first.path.resolve().unlink()
    first.path.unlink()
    second = fetch().note
    assert (second.commit, second.digest) == (first.note.commit, first.note.digest)
    assert second.revision == "main"
    assert f"/resolve/{COMMIT}/test.csv" in hub.seen[-1].path


def test_what_was_damaged_here_is_mended_by_asking_again(hub: FakeHub, content: bytes) -> None:
    first = fetch()
    first.path.write_bytes(content[:1000])
    with pytest.raises(DataError, match="has changed since it was fetched"):
        fetch()
    assert fetch(again=True).note.digest == first.note.digest


def test_other_content_under_one_commit_is_refused(
    hub: FakeHub, content: bytes, cache: HubCache
) -> None:
    first = fetch()
    hub.commits[COMMIT]["test.csv"] = other(content)
    with pytest.raises(DataError, match=f"serves other content under the commit {COMMIT} than"):
        fetch(again=True)
    assert fetch() == first
    first.path.unlink()
    with pytest.raises(DataError, match=f"under the commit {COMMIT} than before .sha256:"):
        fetch()
    assert cache.note(TEST) == first.note


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param({"rows": 7}, r": it has 3,160 rows instead of 3,167 \(", id="rows"),
        pytest.param({"rows": 3167}, "it has 0 rows instead of", id="no rows"),
        pytest.param({"lacks": "solution"}, r": it has no column 'solution' \(", id="column"),
        pytest.param(
            {"more": "anno"}, "it has a column 'anno' in addition to the seven", id="one more"
        ),
        pytest.param({"rows": 1, "lacks": "first_pass"}, "'first_pass'; it has 3,166", id="both"),
    ],
)
def test_a_file_that_is_not_the_challenges(
    hub: FakeHub, content: bytes, change: dict[str, object], expected: str, cache: HubCache
) -> None:
    hub.commits[COMMIT]["test.csv"] = changed(content, **change)  # type: ignore[arg-type]
    for _ in range(2):  # it lies in the hub's cache, and is refused there as well
        with pytest.raises(DataError, match=expected):
            fetch()
    assert cache.note(TEST) is None
    assert hub.asked == ["HEAD", "GET"]


def test_a_page_for_people_in_place_of_the_file(hub: FakeHub) -> None:
    hub.commits[COMMIT]["test.csv"] = b"<html>\n<p>Log in, please; or leave</p>\n"
    with pytest.raises(DataError, match=r"test.csv of gsarti/.* (cannot be used|is not the chall)"):
        fetch()


def test_what_another_tool_fetched_is_taken(hub: FakeHub, cache: HubCache, content: bytes) -> None:
    lay(cache, content, LATER)
    assert fetch().note.commit == LATER
    assert fetch(revision=LATER).note.commit == LATER
    assert not hub.seen


class TestOffline:
    @pytest.fixture(autouse=True)
    def offline(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")

    def test_asks_nobody(self, hub: FakeHub, cache: HubCache) -> None:
        with pytest.raises(
            DataError, match=r"HF_HUB_OFFLINE is set, and test\.csv is not in"
        ) as said:
            fetch()
        assert str(cache.folder) in str(said.value)
        assert "--data PATH" in str(said.value)
        assert not hub.seen

    def test_cannot_ask_again(self, hub: FakeHub, cache: HubCache, content: bytes) -> None:
        lay(cache, content)
        kept = fetch()
        with pytest.raises(DataError, match="and the hub cannot be reached; unset it"):
            fetch(again=True)
        assert fetch() == kept
        assert not hub.seen


def test_the_token_is_in_no_file(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_finta000111")
    fetch()
    assert hub.authorized == ["Bearer hf_finta000111"] * 2
    assert not holders("hf_finta000111", [tmp_path])


def test_a_disk_that_cannot_be_written(
    hub: FakeHub, content: bytes, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HOME", str(small_disk))
    lay(HubCache.of(os.environ), content)
    subprocess.run(("mount", "-o", "remount,ro", str(small_disk)), check=True)  # noqa: S607
    for _ in range(2):
        assert fetch().note.commit == COMMIT
    with pytest.raises(DataError, match=r"hub cannot be written: Read-only file system; HF_HOME"):
        fetch(again=True)
    assert fetch().note.commit == COMMIT


def test_the_other_file_is_pinned_apart(hub: FakeHub, content: bytes) -> None:
    train = HubFile("train.csv", 10)
    hub.commits[COMMIT]["train.csv"] = changed(content, rows=3157)
    assert fetch(train).note.rows == 10
    hub.push(LATER, test=content)
    assert fetch().note.commit == LATER
    assert fetch(train).note.commit == COMMIT


@pytest.mark.parametrize(
    "address", ["127.0.0.1:9", "ftp://127.0.0.1", "http://", "http://127.0.0.1:x", "http://[::1"]
)
def test_an_address_that_can_be_none(
    monkeypatch: pytest.MonkeyPatch, address: str, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", address)
    with pytest.raises(ConfigError, match="HF_ENDPOINT: not the address of a hub"):
        fetch()


def test_a_secret_in_the_address_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://io:segreto@127.0.0.1:9")
    said: list[str] = []
    with pytest.raises(DataError) as caught:
        fetch(say=said.append)
    assert said == ["fetching test.csv from the hub at 127.0.0.1:9"]
    assert "segreto" not in str(caught.value)


def test_without_an_address_it_is_the_hub() -> None:
    assert module._address({}) == "the Hugging Face hub"


class TestOwnProcess:
    """The border itself: what the process is told, and what it tells."""

    @pytest.fixture
    def in_process(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Leave the process its own; a busy machine may take long to answer."""
        monkeypatch.setenv("HF_HUB_ETAG_TIMEOUT", "60")

    def test_two_at_once_have_one_file(self, hub: FakeHub, content: bytes) -> None:
        with ThreadPoolExecutor(2) as pool:
            first, second = pool.map(lambda _: fetch(), range(2))
        assert first.path == second.path
        assert first.path.read_bytes() == content
        assert fetch().note.commit == COMMIT
        assert {seen.method for seen in hub.seen} == {"HEAD", "GET"}  # and no telemetry
        left = [each.name for each in HubCache.of(os.environ).folder.rglob("*incomplete*")]
        assert not left

    def test_a_hub_that_never_answers_is_left(
        self, hub: FakeHub, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("HF_HUB_ETAG_TIMEOUT")
        hub.faults = [Fault(hang=True, times=ALWAYS)]
        with pytest.raises(
            DataError,
            match=r"it does not answer within 3 s; .*\. Without the hub, give a copy of the file with --data PATH",
        ):
            fetch()

    @pytest.mark.parametrize(("progress", "bars"), [(False, "1"), (True, "")])
    def test_is_quiet_and_goes_nowhere_else(
        self,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
        bars: str,
        *,
        progress: bool,
    ) -> None:
        names = ("TELEMETRY", "XET", "PROGRESS_BARS")
        shown = "/".join(f"${{HF_HUB_DISABLE_{name}}}" for name in names)
        python = tmp_path / "python"
        python.write_text(
            f'#!/bin/sh\necho "{{\\"path\\": \\"{shown}\\", \\"error\\": null}}"\n', "utf-8"
        )
        python.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(python))
        wanted = Wanted("test.csv", "main", "hf", "the hub")
        found = module._in_own_process(wanted, os.environ, progress=progress)
        assert str(found) == f"1/1/{bars}".rstrip("/")

    @pytest.mark.parametrize(
        ("script", "last"),
        [
            pytest.param(
                "echo a >&2; echo 'SystemError: b' >&2; exit 1", "SystemError: b", id="fault"
            ),
            pytest.param("echo '[]'; exit 3", "exit code 3", id="another word"),
        ],
    )
    def test_that_ends_before_its_time(
        self, script: str, last: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        python = tmp_path / "python"
        python.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        python.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(python))
        with pytest.raises(DataError, match=rf"the download ended before its time \({last}\)\."):
            fetch()


def said_by(capfd: pytest.CaptureFixture[str]) -> object:
    out, err = capfd.readouterr()
    assert not err
    return json.loads(out)


class TestProgram:
    """What the process does, inside this one."""

    @pytest.fixture
    def words(self, tmp_path: Path) -> list[str]:
        return [Wanted("test.csv", "main", str(tmp_path / "hf" / "hub"), "the hub").as_json()]

    def test_prints_the_path(
        self, hub: FakeHub, words: list[str], content: bytes, capfd: pytest.CaptureFixture[str]
    ) -> None:
        assert hub_download.main(words) == 0
        match said_by(capfd):
            case {"path": str(path), "error": None}:
                assert Path(path).read_bytes() == content
            case other:
                pytest.fail(f"{other}")

    def test_prints_the_error(
        self, hub: FakeHub, words: list[str], capfd: pytest.CaptureFixture[str]
    ) -> None:
        hub.faults = [Fault(403, times=ALWAYS)]
        assert hub_download.main(words) == 0
        error = "test.csv cannot be fetched from the hub: it wants a token (403); set HF_TOKEN."
        assert said_by(capfd) == {"path": None, "error": error}

    def test_that_is_interrupted_says_nothing(
        self,
        words: list[str],
        monkeypatch: pytest.MonkeyPatch,
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("apieval.hub_download.transfer", interrupted)
        assert hub_download.main(words) == 130
        assert capfd.readouterr() == ("", "")


def test_every_refusal_is_one_of_ours(hub: FakeHub) -> None:
    hub.faults = [Fault(404, {"X-Error-Code": "RepoNotFound"}, times=ALWAYS)]
    with pytest.raises(ApievalError) as caught:
        fetch()
    assert re.search("it has no gsarti/.*, or hides it", str(caught.value))
