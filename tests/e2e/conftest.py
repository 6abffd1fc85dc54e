"""Runs inside the test's process, so that a run costs no start of an interpreter."""

from __future__ import annotations

import asyncio
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer import Typer, testing
from typer.core import TyperGroup
from typer.main import get_group

from apieval.cli import app
from apieval.commands import run
from apieval.config import strict_yaml
from apieval.config.models import Hosted
from apieval.errors import ServerDown
from apieval.records import Message, Request
from apieval.run import limiter
from apieval.run.retry import RetryPolicy
from tests.e2e.program import Done, Material, end_all, material
from tests.e2e.wires import HOSTED, hosted

if TYPE_CHECKING:
    from apieval.providers.hosted import HostedClient

Inside = Callable[..., Done]


@pytest.fixture(autouse=True)
def nothing_left_running() -> Iterator[None]:
    """Leave no program behind, and so no folder in use, where a test fails midway."""
    yield
    end_all()


_parsed = lru_cache(maxsize=8)(strict_yaml._parse)


@lru_cache(maxsize=1)
def _command(_: Typer) -> TyperGroup:
    group = get_group(app)
    assert isinstance(group, TyperGroup)
    return group


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch) -> Inside:
    """Give the command line, in this process; nothing but an exit may leave it.

    What is the same in every call is made once: the commands, and what a file's text stands for
    (the shipped one takes longer to parse than a small run to be carried out).
    """
    monkeypatch.setattr(strict_yaml, "_parse", lambda text: deepcopy(_parsed(text)))
    monkeypatch.setattr(testing, "_get_command", _command)

    def call(*words: str | Path, **env: str) -> Done:
        result = testing.CliRunner().invoke(app, list(map(str, words)), env=env)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Done(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing wait or slow down: how long and how much is tested where it is decided."""
    monkeypatch.setattr(limiter, "PROBE_S", 0.01)
    monkeypatch.setattr(limiter, "LESSONS", 0)
    monkeypatch.setattr(run, "RetryPolicy", partial(RetryPolicy, first_wait_s=0.001))


@pytest.fixture
def ten(tmp_path: Path) -> Material:
    return material(tmp_path / "ten.csv", 10)


@pytest.fixture(scope="session")
def litellm_imported() -> None:
    """Import litellm once, untraced, with the warnings that are its own, and all it imports when asked."""
    tracer = sys.gettrace()
    sys.settrace(None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from apieval.providers.hosted import HostedClient  # noqa: PLC0415 # it takes seconds

        for wire in HOSTED:
            asyncio.run(_ask_nobody(HostedClient, wire))
    sys.settrace(tracer)


async def _ask_nobody(client_of: type[HostedClient], wire: str) -> None:
    entry = hosted(wire, "http://127.0.0.1:9/v1")
    client = client_of(Hosted.model_validate(entry), {"model": entry["model"]}, None)
    asked = Request(id=0, setting="regular", sample=0, messages=(), identity="", key="")
    message = Message(role="user", content="ciao")
    with suppress(ServerDown):
        await client.attempt(asked.model_copy(update={"messages": (message,)}))
    await client.aclose()
