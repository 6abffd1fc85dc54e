"""Models behind litellm: providers whose wire is not plain OpenAI, each spoken by litellm.

litellm turns a request into the provider's form and the reply back; all else is ours. Its
connections are ours and taped (see `tape`), so that a failure is judged by the status, headers
and body that really came. Its retries, callbacks, price download and .env reading are off.
Importing this module takes seconds: a run of a hosted model does, nothing else.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from apieval.errors import (
    AttemptFailed,
    ContentRefused,
    RunFailure,
    TransientFailure,
)
from apieval.providers.base import Wire
from apieval.providers.failures import failure, hidden_failure, server_message
from apieval.providers.hints import rate_hints
from apieval.providers.masking import Mask
from apieval.providers.replies import Whole, reply_of
from apieval.providers.tape import TAPE, Nowhere, Tape, TapedTransport
from apieval.providers.transport import fault, transport
from apieval.providers.wire import wire_of
from apieval.schema import Reply, Request
from apieval.sections import Hosted, Params

os.environ |= {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else prices are fetched on import
    "LITELLM_MODE": "PRODUCTION",  # else a .env file beside the user's work is read
    "DEFAULT_MAX_RETRIES": "0",
}
import litellm  # reads the variables above
from litellm.constants import OPENAI_CHAT_COMPLETION_PARAMS
from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

TAKE_A_CLIENT: Final = frozenset(
    {
        "anthropic",
        "bedrock",
        "deepseek",
        "fireworks_ai",
        "gemini",
        "groq",
        "hosted_vllm",
        "huggingface",
        "mistral",
        "ollama_chat",
        "openrouter",
        "together_ai",
        "vertex_ai",
        "xai",
    }
)
"""Where litellm lets a request go over a client that is handed to it; elsewhere it is asked for
by a setting of the whole process, or not at all."""
_REPORTED: Final = (b"reasoning_tokens", b"thinking_tokens", b"thoughtsTokenCount")
"""Without one of these in the reply, litellm's count of reasoning tokens is a guess of its own."""
_FALLBACK: Final = {"num_retries": 0, "max_retries": 0, "drop_params": False, "no-log": True}


class HostedClient:
    """Ask one model through litellm."""

    def __init__(self, model: Hosted, body: Mapping[str, Any], api_key: str | None) -> None:
        """Open no connection yet. `body` is what every request holds besides its messages.

        Must be called inside a running event loop.

        Raises:
            RunFailure: where the model takes no parameter of a name that would be sent.
        """
        _tame()
        self.name, self._mask = model.model, Mask(api_key)
        provider = _provider(model.model)
        _check_parameters(model.model, body)
        self._sent = frozenset(body)
        self._host = urlsplit(model.api_base).hostname if model.api_base else None
        self._connections = transport(model.api_base or "https://")
        self._arguments = {
            **body,
            **_FALLBACK,
            **model.options.model_dump(exclude_none=True),
            **_key(provider, api_key),
            "extra_headers": dict(model.headers) or None,
            "api_base": model.api_base,
        }
        if provider in TAKE_A_CLIENT:
            self._arguments["client"] = AsyncHTTPHandler(
                transport=TapedTransport(), follow_redirects=False
            )

    async def attempt(self, request: Request) -> Reply:
        """Send one request once and return what came back.

        Raises:
            AttemptFailed: for a connection fault, a bad status or a reply that is none.
        """
        tape = Tape(self._connections, self._host)
        token = TAPE.set(tape)
        messages = [message.model_dump() for message in request.messages]
        try:
            answer = await litellm.acompletion(messages=messages, **self._arguments)
            return self._mask.reply(_reply(answer.model_dump(), tape))
        except AttemptFailed as error:
            raise self._mask.failure(error) from None
        except Exception as error:  # noqa: BLE001 # litellm raises what it likes; all is judged
            raise self._mask.failure(self._judged(error, tape)) from None
        finally:
            TAPE.reset(token)

    async def shown(self, request: Request) -> Wire | None:
        """Return what `attempt` would send: litellm is asked over connections that lead nowhere.

        None where litellm goes its own ways, on which the question would really be sent.
        """
        if "client" not in self._arguments:
            return None
        tape = Tape(Nowhere(), self._host)
        token = TAPE.set(tape)
        messages = [message.model_dump() for message in request.messages]
        try:
            await litellm.acompletion(messages=messages, **self._arguments)
        except Exception:  # noqa: BLE001, S110 # it must fail; why it may fail besides, `attempt` says
            pass
        finally:
            TAPE.reset(token)
        return wire_of(tape.request, self._mask) if tape.request else None

    async def aclose(self) -> None:
        """Close every connection."""
        await self._connections.aclose()

    def _judged(self, error: Exception, tape: Tape) -> AttemptFailed:
        """Return what an exception of litellm's stands for, by what really came."""
        url = tape.url or self.name
        if isinstance(error, litellm.ContentPolicyViolationError):
            return ContentRefused(f"refused by {url}: {_words(error)}", status=_status(error))
        if tape.fault is not None:
            return fault(tape.fault, url)
        if tape.whole is None:
            return self._unsent(error)
        if tape.whole.status != HTTPStatus.OK:
            return self._refused(tape.whole, url)
        return _unreadable(tape.whole, url)

    def _unsent(self, error: Exception) -> AttemptFailed:
        """Return the failure of a request that was not taped: it never left, or by another way."""
        if isinstance(error, litellm.UnsupportedParamsError):
            return RunFailure(
                f"{self.name}: {_words(error)} (change it under params, or say drop: [its name])"
            )
        status = _status(error)
        if self._arguments.get("client") is not None or status is None:
            return RunFailure(f"{self.name}: litellm cannot send this request: {_words(error)}")
        headers = httpx.Headers(dict(getattr(error, "litellm_response_headers", None) or {}))
        return self._refused(Whole(status, headers, _body(error)), self.name)

    def _refused(self, whole: Whole, url: str) -> AttemptFailed:
        return failure(whole.status, whole.content, whole.headers, url, self._sent)


def _tame() -> None:
    """Keep litellm's own words out of the user's terminal, and its requests on our connections."""
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.aclient_session = httpx.AsyncClient(transport=TapedTransport())
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _provider(name: str) -> str:
    try:
        return str(litellm.get_llm_provider(name)[1])
    except litellm.BadRequestError:
        raise RunFailure(
            f"{name}: litellm knows no such provider; write PROVIDER/MODEL, as anthropic/..."
        ) from None


def _check_parameters(name: str, body: Mapping[str, Any]) -> None:
    """Refuse what litellm would refuse, or drop, before anything is sent."""
    known = set(OPENAI_CHAT_COMPLETION_PARAMS) & set(Params.model_fields)
    taken = set(litellm.get_supported_openai_params(name) or known)
    if refused := sorted(each for each in body if each in known - taken):
        raise RunFailure(
            f"{name} takes no {', '.join(refused)}; take it out of params, or say "
            f"drop: [{', '.join(refused)}] in its entry of providers.yaml"
        )


def _key(provider: str, api_key: str | None) -> dict[str, str]:
    """Return the argument that carries a key.

    Without one litellm would look for a key in the environment, and send it wherever `api_base`
    points. Only the clouds' own credentials are left for it to find.
    """
    if provider == "vertex_ai":
        return {"vertex_credentials": api_key} if api_key else {}
    if provider in {"bedrock", "sagemaker"} and not api_key:
        return {}
    return {"api_key": api_key or "none"}


def _reply(answer: dict[str, Any], tape: Tape) -> Reply:
    """Return the reply in litellm's answer, where what came over the wire was one."""
    whole = tape.whole
    if whole is not None and whole.status != HTTPStatus.OK:  # litellm made an answer of it
        raise failure(whole.status, whole.content, whole.headers, tape.url or "")
    try:
        reply = reply_of(answer, rate_hints(whole.headers, datetime.now(UTC)) if whole else None)
    except (LookupError, TypeError, AttributeError):
        raise _unreadable(whole, tape.url or "litellm") from None
    if whole is None:
        return reply
    return reply.model_copy(update={"usage": _reported(reply, whole.content)})


def _reported(reply: Reply, content: bytes) -> Any:  # noqa: ANN401
    usage = reply.usage
    if not any(word in content for word in _REPORTED):
        usage = usage.model_copy(update={"reasoning_tokens": None})
    return usage


def _unreadable(whole: Whole | None, url: str) -> AttemptFailed:
    """Return the failure that a reply of status 200 stands for which litellm cannot read."""
    content = whole.content if whole else b""
    if whole and b'"error"' in content:
        return hidden_failure(content, whole.headers, url)
    malformed = TransientFailure(
        f"malformed reply from {url}: {server_message(content)}", status=HTTPStatus.OK
    )
    malformed.billed = b"usage" in content
    return malformed


def _status(error: Exception) -> int | None:
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def _words(error: Exception) -> str:
    """Return the server's own words out of an exception of litellm's."""
    return server_message(_body(error))


def _body(error: Exception) -> bytes:
    """Return the body of an error, which litellm puts behind words of its own."""
    text = str(getattr(error, "message", error)).split("\nTraceback")[0]
    _, brace, body = text.partition("{")
    return (brace + body if brace and body.rstrip().endswith("}") else text).encode()
