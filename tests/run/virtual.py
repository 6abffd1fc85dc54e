"""A clock that runs only while nobody has anything to do: tests of limits neither wait nor guess."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Literal

from apieval.run.limiter import Limiter


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time passes only while nobody has anything to do, and then at once."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 1_000.0
        selector: Any = self._selector  # type: ignore[attr-defined] # asyncio's own
        select = selector.select

        def at_once(timeout: float | None) -> object:
            if timeout is None:
                raise RuntimeError("everybody waits for ever")
            self._now += timeout
            return select(0)

        selector.select = at_once

    def time(self) -> float:
        return self._now

    def doze(self, seconds: float) -> None:
        """Let time pass as it does for a process that is stopped: without anybody's turn."""
        self._now += seconds


def virtual(work: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(work)


def now() -> float:
    return asyncio.get_running_loop().time()


def limiter(
    concurrency: int | Literal["auto"] = 8, rpm: int | None = None, tpm: int | None = None
) -> Limiter:
    return Limiter(concurrency, rpm, tpm, clock=now)
