from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path

import pytest

from apieval.errors import DataError
from apieval.hub import Wanted
from apieval.hub_download import LONGEST_S, PATIENCE_S, Watchdog
from apieval.version import VERSION
from tests.hub.conftest import Transfer
from tests.hub.fakehub import ALWAYS, COMMIT, FakeHub, Fault, git_hash

TOKEN = "hf_finta000111"


@pytest.fixture
def wanted(tmp_path: Path) -> Wanted:
    return Wanted("test.csv", "main", str(tmp_path / "hf" / "hub"), "the hub at 127.0.0.1")


def refusal(transfer: Transfer, wanted: Wanted) -> str:
    """Return why a transfer fails; nothing is left that could be taken for the file."""
    with pytest.raises(DataError) as caught:
        transfer(wanted)
    left = [each for each in Path(wanted.folder).rglob("*") if each.is_file()]
    assert not [each for each in left if "blobs" in each.parts or "snapshots" in each.parts]
    said = str(caught.value)
    assert said.startswith("test.csv cannot be fetched from the hub at 127.0.0.1: ")
    assert "\n" not in said
    return said


def test_a_file_comes_whole(
    hub: FakeHub, transfer: Transfer, wanted: Wanted, content: bytes
) -> None:
    path = transfer(wanted)
    assert path.read_bytes() == content
    assert path.parent.name == COMMIT
    assert hub.asked == ["HEAD", "GET"]
    said = {seen.headers["user-agent"].partition(";")[0] for seen in hub.seen}
    assert said == {f"apieval/{VERSION}"}
    assert hub.authorized == [None, None]


class TestToken:
    @pytest.fixture(autouse=True)
    def logged_in(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HF_TOKEN", TOKEN)

    def test_goes_to_the_hub(self, hub: FakeHub, transfer: Transfer, wanted: Wanted) -> None:
        transfer(wanted)
        assert hub.authorized == [f"Bearer {TOKEN}"] * 2

    def test_of_a_log_in_goes_there_too(
        self, hub: FakeHub, transfer: Transfer, wanted: Wanted, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("HF_TOKEN")
        file = Path(os.environ["HF_HOME"]) / "token"
        file.parent.mkdir()
        file.write_text("hf_altra000222\n", "utf-8")
        transfer(wanted)
        assert hub.authorized == ["Bearer hf_altra000222"] * 2

    def test_stays_there_where_the_file_lies_elsewhere(
        self, hub: FakeHub, transfer: Transfer, wanted: Wanted, content: bytes
    ) -> None:
        with FakeHub({"test.csv": content}) as store:
            large = {
                "Location": f"{store.url}/datasets/gsarti/eureka-rebus-calamita-2024/resolve/main/test.csv",
                "X-Repo-Commit": COMMIT,
                "X-Linked-Etag": f'"{hashlib.sha256(content).hexdigest()}"',
                "X-Linked-Size": str(len(content)),
            }
            hub.faults = [Fault(302, large)]
            assert transfer(wanted).read_bytes() == content
            assert store.authorized == [None]
        assert hub.authorized == [f"Bearer {TOKEN}"]

    def test_stays_there_where_the_library_would_trust_the_other(
        self,
        hub: FakeHub,
        transfer: Transfer,
        wanted: Wanted,
        content: bytes,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        from huggingface_hub.utils import _http  # noqa: PLC0415

        with FakeHub({"test.csv": content}) as other:
            trusted = frozenset({_http._url_origin(other.url)})
            monkeypatch.setattr(_http, "_HUB_ORIGINS", trusted)
            file = f"{other.url}/datasets/gsarti/eureka-rebus-calamita-2024/resolve/main/test.csv"
            hub.faults = [Fault(307, {"Location": file}, times=ALWAYS)]
            assert transfer(wanted).read_bytes() == content
            assert other.authorized == [None, None]

    @pytest.mark.parametrize("method", ["HEAD", "GET"])
    def test_is_in_no_message(
        self, hub: FakeHub, transfer: Transfer, wanted: Wanted, method: str
    ) -> None:
        echo = f"{TOKEN} is not HTTP\r\n\r\n".encode()
        hub.faults = [Fault(method=method, times=ALWAYS, raw=echo)]
        said = refusal(transfer, wanted)
        assert "the connection failed" in said
        assert TOKEN not in said
        assert "***" in said

    @pytest.mark.parametrize("token", ["hf_fìnta", "hf_fin\nta", "hf fin"])
    def test_that_can_be_none_is_not_shown(
        self,
        hub: FakeHub,
        transfer: Transfer,
        wanted: Wanted,
        token: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        # the library takes line ends out, and so makes another token of it
        monkeypatch.setattr("apieval.hub_download.get_token", lambda: token)
        said = refusal(transfer, wanted)
        assert "HF_TOKEN" in said
        assert "character" in said
        assert token[:5] not in said
        assert not hub.seen


GATED = {"X-Error-Code": "GatedRepo"}
REFUSED = [
    pytest.param(404, {"X-Error-Code": "RevisionNotFound"}, "no revision 'main'", id="revision"),
    pytest.param(404, {"X-Error-Code": "EntryNotFound"}, "no test.csv at the", id="file"),
    pytest.param(404, {"X-Error-Code": "RepoNotFound"}, "it has no gsarti/eureka", id="repository"),
    pytest.param(404, {}, "it answers 404.", id="no hub's 404"),
    pytest.param(401, {}, r"it wants a token \(401\); set HF_TOKEN", id="token wanted"),
    pytest.param(403, GATED, r"\(403\); its page .* terms .*; set HF_TOKEN", id="gated"),
    pytest.param(401, {"X-Error-Code": "RepoNotFound"}, "it wants a token", id="hidden"),
    pytest.param(200, {"Content-Type": "text/html"}, "what answers is no hub", id="captive portal"),
    pytest.param(302, {"Location": "https://127.0.0.1:9/"}, "is no hub", id="captive redirect"),
    pytest.param(503, {}, "it answers 503; try again later", id="down"),
    pytest.param(500, {}, "it answers 500; try again later", id="broken"),
    pytest.param(429, {}, "it answers 429; try again later", id="too many"),
    pytest.param(429, {"Retry-After": "3600"}, "429 and asks to wait 3,600 s", id="a long wait"),
    pytest.param(418, {}, "it answers 418.", id="teapot"),
]


@pytest.mark.parametrize(("status", "headers", "expected"), REFUSED)
def test_a_refusal_says_what_is_wrong(
    hub: FakeHub,
    transfer: Transfer,
    wanted: Wanted,
    status: int,
    headers: dict[str, str],
    expected: str,
) -> None:
    hub.faults = [Fault(status, headers, b"<html>prova</html>", times=ALWAYS)]
    assert re.search(expected, refusal(transfer, wanted))
    assert len(hub.seen) <= 7  # one by one, and five retries


@pytest.mark.parametrize(
    ("status", "headers", "expected"),
    [
        pytest.param(
            401, {}, r"it refuses the token of HF_TOKEN or of the log-in \(401\)\.", id="no"
        ),
        pytest.param(403, {}, r"it refuses the token .* \(403\)\.", id="forbidden"),
        pytest.param(
            403, GATED, r"it refuses .* \(403\); its page there wants its terms", id="gated"
        ),
    ],
)
def test_a_token_that_is_refused(
    hub: FakeHub,
    transfer: Transfer,
    wanted: Wanted,
    status: int,
    headers: dict[str, str],
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    hub.faults = [Fault(status, headers, times=ALWAYS)]
    said = refusal(transfer, wanted)
    assert re.search(expected, said)
    assert TOKEN not in said


def test_a_hub_that_is_busy_is_asked_again(
    hub: FakeHub, transfer: Transfer, wanted: Wanted, content: bytes
) -> None:
    hub.faults = [Fault(503), Fault(429, {"Retry-After": "1"}), Fault(502)]
    hub.faults.append(Fault(429, method="GET"))
    assert transfer(wanted).read_bytes() == content


def test_nobody_there(
    transfer: Transfer, wanted: Wanted, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    with FakeHub() as gone:
        monkeypatch.setenv("HF_ENDPOINT", gone.url)
    assert re.search(r"it cannot be reached \(.*refused", refusal(transfer, wanted))


class TestHalfADownload:
    def test_is_gone_on_with(
        self, hub: FakeHub, transfer: Transfer, wanted: Wanted, content: bytes
    ) -> None:
        hub.faults = [Fault(method="GET", cut=1000)]
        assert transfer(wanted).read_bytes() == content
        assert hub.asked == ["HEAD", "GET", "GET"]

    def test_that_comes_to_nothing_leaves_nothing(
        self, hub: FakeHub, transfer: Transfer, wanted: Wanted, content: bytes
    ) -> None:
        hub.faults = [Fault(method="GET", cut=0, times=ALWAYS)]
        assert "the connection failed" in refusal(transfer, wanted)
        hub.faults.clear()
        assert transfer(wanted).read_bytes() == content

    def test_of_which_the_end_is_said_to_be_the_whole(
        self, hub: FakeHub, transfer: Transfer, wanted: Wanted, content: bytes
    ) -> None:
        half = content[: len(content) // 2]
        hub.faults = [Fault(200, {"ETag": "x"}, half, method="GET", times=ALWAYS)]
        assert "the download is incomplete" in refusal(transfer, wanted)


@pytest.mark.parametrize("large", [False, True])
def test_what_is_not_what_the_hub_names_is_refused_and_removed(
    hub: FakeHub, transfer: Transfer, wanted: Wanted, content: bytes, *, large: bool
) -> None:
    other = content.replace(b"definizione", b"DEFINIZIONE")
    etag = hashlib.sha256(content).hexdigest() if large else git_hash(content)
    headers = {"ETag": etag, "X-Repo-Commit": COMMIT}
    hub.faults = [Fault(200, headers, content), Fault(200, headers, other, method="GET")]
    assert "the content is not what the hub announced" in refusal(transfer, wanted)
    hub.faults.clear()
    assert transfer(wanted).read_bytes() == content


def test_an_unknown_kind_of_hash_is_let_be(
    hub: FakeHub, transfer: Transfer, wanted: Wanted, content: bytes
) -> None:
    headers = {"ETag": "W/of-a-mirror", "X-Repo-Commit": COMMIT}
    hub.faults = [Fault(200, headers, content)]
    assert transfer(wanted).read_bytes() == content


def test_a_folder_that_cannot_be_written(
    hub: FakeHub, transfer: Transfer, wanted: Wanted, tmp_path: Path
) -> None:
    (tmp_path / "hf").mkdir()
    (tmp_path / "hf" / "hub").write_text("in the way", "utf-8")
    said = refusal(transfer, wanted)
    assert f"{tmp_path / 'hf' / 'hub'} cannot be written: Not a directory; HF_HOME" in said


def test_a_log_in_that_cannot_be_read(
    hub: FakeHub, transfer: Transfer, wanted: Wanted, tmp_path: Path
) -> None:
    (tmp_path / "hf" / "token").mkdir(parents=True)
    said = refusal(transfer, wanted)
    assert "the token of HF_TOKEN or of the log-in cannot be read: Is a directory" in said


@pytest.mark.filterwarnings("ignore:Not enough free disk space:UserWarning")
def test_no_room(hub: FakeHub, transfer: Transfer, small_disk: Path) -> None:
    (small_disk / "ballast").write_bytes(bytes(1_900_000))
    wanted = Wanted("test.csv", "main", str(small_disk / "hub"), "the hub at 127.0.0.1")
    assert f"{small_disk}/hub cannot be written: No space left" in refusal(transfer, wanted)


class TestWatchdog:
    def test_bites_with_what_was_waited_for(
        self, hub: FakeHub, wanted: Wanted, transfer: Transfer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The own process ends there; here the hub does, so that the transfer comes to an end."""
        from apieval import hub_download as module  # noqa: PLC0415

        said: list[str] = []

        def bite(waited_for: str) -> None:
            said.append(waited_for)
            hub.faults.clear()
            hub.over.set()

        monkeypatch.setenv("HF_HUB_ETAG_TIMEOUT", "0.05")
        hub.faults = [Fault(hang=True, times=ALWAYS)]
        watchdog = Watchdog(bite)
        with suppress(DataError):  # what becomes of it is not the question
            module.transfer(wanted, watchdog)
        watchdog.cancel()
        assert [each.partition(";")[0] for each in said] == ["it does not answer within 0.05 s"]

    def test_waits_while_a_file_comes(
        self, hub: FakeHub, wanted: Wanted, transfer: Transfer
    ) -> None:
        from apieval import hub_download as module  # noqa: PLC0415

        watchdog = Allowances()
        hub.faults = [Fault(503), Fault(503), Fault(503)]
        module.transfer(wanted, watchdog)
        # the first is not tried again but once more, and patience is not renewed by a second
        assert watchdog.allowed == [60.0, PATIENCE_S, LONGEST_S, LONGEST_S]
        assert watchdog.waited_for == "it sends the file too slowly"

    def test_knows_why_nobody_answers(
        self, hub: FakeHub, wanted: Wanted, transfer: Transfer
    ) -> None:
        from apieval import hub_download as module  # noqa: PLC0415

        hub.faults = [Fault(raw=b"", times=ALWAYS)]
        watchdog = Allowances()
        with pytest.raises(DataError):
            module.transfer(wanted, watchdog)
        assert re.match(r"it cannot be reached \(.*disconnected", watchdog.waited_for)
        assert watchdog.allowed == [60.0]


class Allowances(Watchdog):
    """A watchdog that takes note of what it is allowed, and never bites."""

    def __init__(self) -> None:
        super().__init__(lambda _: None)
        self.allowed: list[float] = []

    def allow(self, seconds: float) -> None:
        self.allowed.append(seconds)
