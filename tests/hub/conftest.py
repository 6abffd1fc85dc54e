"""The challenge's file as far as its form goes, a hub that serves it, and the way there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from apieval import hub as hub_module
from apieval.errors import DataError
from apieval.hub import TEST, HubCache, Wanted
from apieval.hub_download import Watchdog
from tests.e2e.program import material
from tests.hub.fakehub import FakeHub
from tests.small_disk import mounted

Transfer = Callable[..., Path]


@pytest.fixture(scope="session")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Give 3,167 rows in the seven columns; none is of the challenge."""
    return material(tmp_path_factory.mktemp("hub") / "test.csv", TEST.rows).path.read_bytes()


@pytest.fixture
def hub(content: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeHub]:
    with FakeHub({"test.csv": content}) as served:
        monkeypatch.setenv("HF_ENDPOINT", served.url)
        monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
        yield served


@pytest.fixture
def cache(tmp_path: Path) -> HubCache:
    return HubCache(tmp_path / "hf" / "hub")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a disk of 2 MB, which the file fills by half."""
    with mounted(tmp_path / "disk", "2m") as disk:
        yield disk


@pytest.fixture
def transfer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Transfer]:
    """Give the transfer inside this process, where nothing waits between attempts."""
    from huggingface_hub import constants, set_client_factory  # noqa: PLC0415
    from huggingface_hub.utils._http import default_client_factory  # noqa: PLC0415

    from apieval import hub_download as module  # noqa: PLC0415

    # what its own process has in its environment
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_TELEMETRY", True)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_PROGRESS_BARS", True)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "hf" / "token"))
    monkeypatch.setattr(time, "sleep", lambda _: None)
    monkeypatch.setattr(module, "REACH_S", 60.0)
    watchdogs = []

    def call(wanted: Wanted) -> Path:
        watchdogs.append(Watchdog(lambda _: None))
        return module.transfer(wanted, watchdogs[-1])

    yield call
    for each in watchdogs:
        each.cancel()
    set_client_factory(default_client_factory)


@pytest.fixture
def in_process(transfer: Transfer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have fetches made inside this process."""

    def call(wanted: Wanted, environ: Mapping[str, str], *, progress: bool) -> Path:
        try:
            return transfer(wanted)
        except DataError as error:
            raise DataError(f"{error} {hub_module.REMEDY}") from None

    monkeypatch.setattr(hub_module, "_in_own_process", call)
