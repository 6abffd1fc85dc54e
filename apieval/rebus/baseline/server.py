"""The baseline behind an OpenAI-compatible HTTP interface, on loopback only.

This module owns the wire format: what a request must look like, the bodies of answers and errors,
starting and stopping. It owns no solving. Parameters that cannot matter to a solver without
chance (temperature, seed and the like) are taken and ignored; what would change the answer's
shape (`stream`, several choices) is refused rather than ignored.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import signal
import time
import uuid
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from aiohttp import web

from apieval.config.models import TOKEN_LIMITS
from apieval.errors import ConfigError, did_you_mean
from apieval.rebus.baseline.lexicon import Lexicon
from apieval.rebus.baseline.solver import MODEL, VERSION, answer
from apieval.wording import in_words

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

LEXICON: Final = web.AppKey("LEXICON", Lexicon)
BACKLOG: Final = 1024
"""Connections that may wait: a client may open a thousand at once, and none should be refused."""
MAX_BODY: Final = 4 * 1024 * 1024
CLOSING_S: Final = 1.0
"""How long open requests may take to end when the server closes; an answer takes milliseconds."""
CHARACTERS_A_TOKEN: Final = 4


class BadRequest(Exception):
    """Carry a refusal in the form OpenAI's interface gives it."""

    def __init__(
        self, message: str, param: str | None = None, *, status: int = 400, code: str | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.param, self.code = status, param, code


@asynccontextmanager
async def serving(lexicon: Lexicon, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[str]:
    """Run the server in this event loop and yield its base URL; port 0 takes a free one.

    Raises:
        ConfigError: for a host that is not loopback, or a port that cannot be had.
    """
    _check_loopback(host)
    runner = web.AppRunner(application(lexicon), access_log=None, shutdown_timeout=CLOSING_S)
    await runner.setup()
    try:
        await _listen(runner, host, port)
        address, bound = runner.addresses[0][:2]
        yield f"http://{f'[{address}]' if ':' in address else address}:{bound}/v1"
    finally:
        await runner.cleanup()


def serve_forever(lexicon: Lexicon, host: str, port: int, on_ready: Callable[[str], None]) -> None:
    """Run the server until SIGINT or SIGTERM; `on_ready` is told the base URL.

    Raises:
        ConfigError: as `serving`.
    """

    async def run() -> None:
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(NotImplementedError):  # Windows: there Ctrl-C raises KeyboardInterrupt
                asyncio.get_running_loop().add_signal_handler(number, stop.set)
        async with serving(lexicon, host, port) as base_url:
            on_ready(base_url)
            await stop.wait()

    with suppress(KeyboardInterrupt):
        asyncio.run(run())


def application(lexicon: Lexicon) -> web.Application:
    """Return the web application that answers with this lexicon."""
    app = web.Application(middlewares=[_errors_as_json], client_max_size=MAX_BODY)
    lexicon.index()
    app[LEXICON] = lexicon
    app.router.add_post("/v1/chat/completions", _complete)
    app.router.add_get("/v1/models", _models)
    app.router.add_get("/health", _health)
    return app


async def _listen(runner: web.AppRunner, host: str, port: int) -> None:
    try:
        await web.TCPSite(runner, host, port, backlog=BACKLOG).start()
    except (OSError, OverflowError) as error:
        reason = in_words(error).rpartition("): ")[2]  # asyncio says the address before it
        message = f"port {port} of {host} cannot be used ({reason}); choose another with --port"
        raise ConfigError(message) from error


def _check_loopback(host: str) -> None:
    """Refuse other hosts: the server has no key, and asks for none."""
    with suppress(ValueError):
        if host == "localhost" or ipaddress.ip_address(host).is_loopback:
            return
    raise ConfigError(
        f"host {host!r} is not this machine alone: the baseline serves loopback only; "
        "use --host 127.0.0.1"
    )


async def _complete(request: web.Request) -> web.Response:
    body = _body(await request.read())
    prompt = _prompt(body)
    most = _max_tokens(body)
    lexicon = request.app[LEXICON]
    try:
        text = await asyncio.to_thread(answer, prompt, lexicon)
    except ValueError as error:
        raise BadRequest(f"no rebus to solve: {error}", "messages") from error
    text = text.removeprefix(_begun(body))
    return web.json_response(_completion(prompt, text, most, lexicon.fingerprint))


def _completion(prompt: str, text: str, most: int | None, read: str) -> dict[str, Any]:
    """Return the body of an answer, cut to its allowance."""
    whole = most is None or _tokens(text) <= most
    text = text if whole else text[: (most or 0) * CHARACTERS_A_TOKEN]
    asked, answered = _tokens(prompt), _tokens(text)
    message = {"role": "assistant", "content": text}
    reason = "stop" if whole else "length"
    return {
        "id": f"chatcmpl-{uuid.uuid4().hex}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": MODEL,
        "system_fingerprint": f"baseline-{VERSION}-{read}",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {
            "prompt_tokens": asked,
            "completion_tokens": answered,
            "total_tokens": asked + answered,
        },
    }


def _tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_A_TOKEN)


def _body(data: bytes) -> dict[str, Any]:
    """Return the request's JSON object, its model and unsupported options checked."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"the body is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise BadRequest("the body is not a JSON object")
    model = body.get("model")
    if not isinstance(model, str):
        raise BadRequest("model is missing, or no text", "model")
    if model != MODEL:
        message = f"there is no model {model!r} here{did_you_mean(model, [MODEL])}; use {MODEL!r}"
        raise BadRequest(message, "model", status=404, code="model_not_found")
    if body.get("stream"):
        raise BadRequest("stream is not supported: leave it out", "stream")
    if body.get("n") not in (None, 1):
        raise BadRequest("n is not supported: every choice would be the same", "n")
    return body


def _prompt(body: dict[str, Any]) -> str:
    """Return the text of all messages."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequest("messages is missing, or no list of messages", "messages")
    return "\n".join(_content(message, f"messages[{n}]") for n, message in enumerate(messages))


def _begun(body: dict[str, Any]) -> str:
    """Return the beginning of the answer where the last message is the assistant's."""
    last = body["messages"][-1]
    return _content(last, "messages[-1]") if last.get("role") == "assistant" else ""


def _content(message: object, where: str) -> str:
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise BadRequest(f"{where}.content is missing, or neither text nor a list", where)
    texts = [part.get("text") if isinstance(part, dict) else None for part in content]
    if not all(isinstance(text, str) for text in texts):
        raise BadRequest(f"{where}.content holds a part that is no text", where)
    return "".join(map(str, texts))


def _max_tokens(body: dict[str, Any]) -> int | None:
    """Return the allowance under either of its names; None where there is none."""
    for name in TOKEN_LIMITS:
        most = body.get(name)
        if most is None:
            continue
        if not isinstance(most, int) or isinstance(most, bool) or most < 1:
            raise BadRequest(f"{name} is {most!r}, not a whole number above 0", name)
        return most
    return None


async def _models(_: web.Request) -> web.Response:
    model = {"id": MODEL, "object": "model", "created": 0, "owned_by": "apieval"}
    return web.json_response({"object": "list", "data": [model]})


async def _health(_: web.Request) -> web.Response:
    return web.json_response({"status": "ok", "version": VERSION})


@web.middleware
async def _errors_as_json(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Give every refusal OpenAI's form, the framework's own (404, 405, 413) too."""
    try:
        return await handler(request)
    except BadRequest as error:
        return _refusal(str(error), error.status, error.param, error.code)
    except web.HTTPException as error:
        return _refusal(f"{request.method} {request.path}: {error.reason}", error.status)


def _refusal(
    message: str, status: int, param: str | None = None, code: str | None = None
) -> web.Response:
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return web.json_response({"error": error}, status=status)
