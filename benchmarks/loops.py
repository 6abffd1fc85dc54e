"""Bare loops to compare with: they send the same requests and store, score and check nothing.

Runs by path in a process of its own: `loops.py KIND URL BODIES CONCURRENCY`. Prints what the loop
itself took, in seconds of this process (`resource.getrusage`): importing and reading are apart.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import ssl
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

_HEADERS: Final = {"content-type": "application/json"}
TIMEOUT_S: Final = 600.0
HOSTED_MODELS: Final = {
    "anthropic": "anthropic/claude-sonnet-4-5",
    "openai": "openai/bench-model",
}
"""Wire -> litellm's name of the model; the second stands for all over an SDK of OpenAI's."""

Ask = Callable[[bytes], Awaitable[Any]]
Kind = Callable[[str], AbstractAsyncContextManager[Ask]]


@asynccontextmanager
async def bare_aiohttp(url: str) -> AsyncIterator[Ask]:
    """Give a function that asks over aiohttp alone."""
    import aiohttp  # noqa: PLC0415 # each loop pays for its own library alone

    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def ask(body: bytes) -> object:
            async with session.post(url, data=body, headers=_HEADERS) as response:
                return await response.json()

        yield ask


@asynccontextmanager
async def httpx_over_aiohttp(url: str) -> AsyncIterator[Ask]:
    """Give a function that asks over httpx with the aiohttp transport, as apieval does."""
    import aiohttp  # noqa: PLC0415 # each loop pays for its own library alone
    import httpx  # noqa: PLC0415
    from httpx_aiohttp import AiohttpTransport  # noqa: PLC0415

    session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
    transport = AiohttpTransport(client=session, verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
    async with httpx.AsyncClient(transport=transport, timeout=TIMEOUT_S, trust_env=False) as client:

        async def ask(body: bytes) -> object:
            return (await client.post(url, content=body, headers=_HEADERS)).json()

        yield ask


@asynccontextmanager
async def httpx_alone(url: str) -> AsyncIterator[Ask]:
    """Give a function that asks over httpx's own pool, at its default limits."""
    import httpx  # noqa: PLC0415 # each loop pays for its own library alone

    async with httpx.AsyncClient(timeout=TIMEOUT_S, trust_env=False) as client:

        async def ask(body: bytes) -> object:
            return (await client.post(url, content=body, headers=_HEADERS)).json()

        yield ask


@asynccontextmanager
async def bare_litellm(model: str, url: str) -> AsyncIterator[Ask]:
    """Give a function that asks through litellm, which is told no more than it must be."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else prices are fetched
    import litellm  # noqa: PLC0415 # each loop pays for its own library alone

    litellm.suppress_debug_info = True
    more = {"model": model, "api_base": url, "api_key": "sk-bench", "timeout": TIMEOUT_S}

    async def ask(body: bytes) -> object:
        return await litellm.acompletion(**{**json.loads(body), **more})

    yield ask


LITELLM: Final[dict[str, Kind]] = {
    f"litellm {wire}": partial(bare_litellm, model) for wire, model in HOSTED_MODELS.items()
}
KINDS: Final[dict[str, Kind]] = {
    "aiohttp": bare_aiohttp,
    "httpx+aiohttp": httpx_over_aiohttp,
    "httpx": httpx_alone,
}


async def _work(source: Iterator[bytes], ask: Ask) -> None:
    for body in source:
        await ask(body)


async def drive(kind: str, url: str, bodies: list[bytes], concurrency: int) -> dict[str, float]:
    """Ask everything once and return what the loop took."""
    async with {**KINDS, **LITELLM}[kind](url) as ask:
        if kind in LITELLM:  # which imports half of itself when first asked
            await ask(bodies[0])
        source = iter(bodies)
        began, cpu = time.monotonic(), _cpu_s()
        await asyncio.gather(*(_work(source, ask) for _ in range(concurrency)))
        return {"loop_s": time.monotonic() - began, "loop_cpu_s": _cpu_s() - cpu}


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Read the arguments, run the loop, print what it took."""
    kind, url, path, concurrency = sys.argv[1:]
    bodies = Path(path).read_bytes().splitlines()
    print(json.dumps(asyncio.run(drive(kind, url, bodies, int(concurrency)))))


if __name__ == "__main__":
    main()
