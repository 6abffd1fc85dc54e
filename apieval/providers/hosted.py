"""Models behind litellm: providers whose wire is not plain OpenAI, each spoken by litellm.

litellm writes the request in the provider's form: address, log-in, names of parameters. Its
connections are ours and taped (see `tape`), so that what came is read and judged here, by the
status, headers and body that really came; litellm reads only forms that are not known here. Its
retries, callbacks, price download and .env reading are off.
Importing this module takes seconds: a run of a hosted model does, nothing else.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Final

import httpx

from apieval.config.models import Hosted, Params, for_sample
from apieval.errors import AttemptFailed, RunFailure
from apieval.providers.base import Wire
from apieval.providers.completions import reply_of
from apieval.providers.error_bodies import server_message
from apieval.providers.masking import Mask, secrets_in
from apieval.providers.proxies import secrets_of
from apieval.providers.replies import Whole, malformed, read_reply
from apieval.providers.tape import TAPE, Heard, Nowhere, Tape, TapedTransport
from apieval.providers.transport import ADDED, transport
from apieval.providers.wire_formats import UnknownForm, as_completion
from apieval.records import Reply, Request
from apieval.wording import install

os.environ |= {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else prices are fetched on import
    "LITELLM_MODE": "PRODUCTION",  # else a .env file beside the user's work is read
    "DEFAULT_MAX_RETRIES": "0",
}
import litellm  # reads the variables above
from litellm.caching.llm_caching_handler import LLMClientCache
from litellm.constants import OPENAI_CHAT_COMPLETION_PARAMS
from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

_REPORTED: Final = (b"reasoning_tokens", b"thinking_tokens", b"thoughtsTokenCount")
"""Without one of these in the reply, litellm's count of reasoning tokens is a guess of its own."""
OFFICIAL: Final[Mapping[str, str]] = {
    "anthropic": "https://api.anthropic.com",
    "cohere": "https://api.cohere.com/v2/chat",
    "cohere_chat": "https://api.cohere.com/v2/chat",
    "gemini": "https://generativelanguage.googleapis.com/v1beta",
}
"""Where litellm reaches these; said to it, so that no variable of the environment says otherwise."""
_ELSEWHERE: Final = ("API_BASE", "BASE_URL", "API_URL", "ENDPOINT")
_ELSEWHERE_TOO: Final[Mapping[str, tuple[str, ...]]] = {
    "bedrock": ("AWS_BEDROCK_RUNTIME_ENDPOINT",),
    "vertex_ai": ("VERTEXAI_API_BASE", "VERTEX_API_BASE"),
}
"""Variables by which litellm lets the environment say where a provider is."""
_ALWAYS: Final = {
    "num_retries": 0,
    "max_retries": 0,
    "drop_params": False,
    "no-log": True,
    "stream": False,  # some servers stream unless they are told not to
}


class HostedClient:
    """Ask one model through litellm."""

    def __init__(
        self,
        model: Hosted,
        body: Mapping[str, Any],
        api_key: str | None,
        secret_headers: Mapping[str, str] | None = None,
    ) -> None:
        """Open no connection yet. `body` is what every request holds besides its messages.

        Must be called inside a running event loop.

        Raises:
            RunFailure: where the model takes no parameter of a name that would be sent.
        """
        self.name = model.model
        provider = _provider(model.model)
        _check_login(model.model, provider)
        _check_parameters(model.model, body)
        self._sent = frozenset(body)
        api_base = model.api_base or _official(provider)
        self._origin = httpx.URL(api_base) if api_base else None
        headers = {**model.headers, **(secret_headers or {})}
        self._configured = tuple(headers)
        secrets = secrets_in(secret_headers or {})
        self._mask = Mask(api_key, *secrets, passwords=secrets_of(api_base or "https://"))
        self._connections = transport(api_base or "https://")
        self._arguments = {
            **_ALWAYS,
            **model.options.model_dump(exclude_none=True),
            **_key(provider, api_key),
            "extra_headers": headers or None,
            "api_base": api_base,
        }
        # whatever is ours goes before a field of that name
        self._body = {name: each for name, each in body.items() if name not in self._arguments}
        if provider == "huggingface":  # litellm would send them on to the server
            for name in ("num_retries", "max_retries", "stream"):
                self._arguments.pop(name, None)

    async def attempt(self, request: Request) -> Reply:
        """Send one request once and return what came back.

        Raises:
            AttemptFailed: for a connection fault, a bad status or a reply that is none.
        """
        end = await self._through_litellm(
            request, Tape(self._connections, self._origin, self._read)
        )
        if isinstance(end, AttemptFailed):
            raise self._mask.failure(end)
        return self._mask.reply(end)

    async def shown(self, request: Request) -> Wire | None:
        """Return what `attempt` would send: litellm is asked over connections that lead nowhere.

        None where it sends nothing; why, `attempt` says.
        """
        tape = Tape(Nowhere(), self._origin, self._read)
        await self._through_litellm(request, tape)
        return self._mask.wire(tape.request, ADDED, self._configured) if tape.request else None

    async def _through_litellm(self, request: Request, tape: Tape) -> Reply | AttemptFailed:
        """Have litellm ask over the tape's connections; return how that ended."""
        token = TAPE.set(tape)
        messages = [message.wire() for message in request.messages]
        body = for_sample(self._body, request.sample) if request.sample else self._body
        try:
            answer = await litellm.acompletion(messages=messages, **body, **self._arguments)
        except (Heard, Exception) as error:  # noqa: BLE001 # litellm raises what it likes
            return tape.end or self._judged(error, tape)
        finally:
            TAPE.reset(token)
        return tape.end or _reply(answer.model_dump(), tape)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._connections.aclose()

    def _read(self, whole: Whole, url: str) -> Reply | None:
        try:
            return read_reply(whole, url, self._sent, as_completion)
        except UnknownForm:
            return None

    def _judged(self, error: BaseException, tape: Tape) -> AttemptFailed:
        """Return what an exception of litellm's stands for where no reply was understood."""
        if tape.whole is not None:
            return malformed({}, tape.whole.content, tape.url or self.name)
        remedy = ""
        if isinstance(error, litellm.UnsupportedParamsError):
            remedy = " (change it under params, or say drop: [its name])"
        return RunFailure(f"{self.name}: litellm cannot send this request: {_words(error)}{remedy}")


class _Clients(LLMClientCache):  # type: ignore[misc] # litellm's types are not read
    """Hand litellm connections of ours wherever it would open some of its own in an attempt.

    Who else uses litellm in this process (a notebook) is not concerned.
    """

    def __init__(self) -> None:
        super().__init__()
        self._taped = AsyncHTTPHandler(transport=TapedTransport(), follow_redirects=False)

    def get_cache(self, key: str, **more: object) -> object:
        if TAPE.get() is not None and key.startswith("async_httpx_client"):
            return self._taped
        return super().get_cache(key, **more)


def _tame() -> None:
    """Keep litellm's own words out of the user's terminal, and its requests on our connections."""
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.in_memory_llm_clients_cache = _Clients()
    litellm.aclient_session = httpx.AsyncClient(transport=TapedTransport())  # for the SDKs
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


_tame()


def _provider(name: str) -> str:
    try:
        return str(litellm.get_llm_provider(name)[1])
    except litellm.BadRequestError:
        raise RunFailure(
            f"{name}: litellm knows no such provider; write PROVIDER/MODEL, as anthropic/..."
        ) from None


def _check_login(name: str, provider: str) -> None:
    # other packages bring a `google` without its log-in
    if provider == "vertex_ai" and not (find_spec("google") and find_spec("google.auth")):
        raise RunFailure(f"{name}: Google's log-in is missing; {install('vertex')} adds it")


def _official(provider: str) -> str | None:
    """Return a provider's address, None where litellm alone knows it.

    Raises:
        RunFailure: where a variable of the environment would have litellm send the key elsewhere.
    """
    if provider in OFFICIAL:
        return OFFICIAL[provider]
    names = [f"{provider.upper()}_{ending}" for ending in _ELSEWHERE]
    for name in (*names, *_ELSEWHERE_TOO.get(provider, ())):
        if os.environ.get(name):
            raise RunFailure(
                f"the environment variable {name} would send the key of {provider} elsewhere; "
                "unset it, or say the address as api_base in providers.yaml"
            )
    return None


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


def _reply(answer: dict[str, Any], tape: Tape) -> Reply | AttemptFailed:
    """Return the reply in litellm's answer, made of a form that is not known here."""
    if tape.whole is None or tape.url is None:
        return RunFailure(
            "litellm reaches this provider over connections of its own, where nobody can say how "
            "often it asks, or whom; it cannot be evaluated"
        )
    content = tape.whole.content
    try:
        reply = reply_of(answer)
    except (LookupError, TypeError, AttributeError):
        return malformed(answer, content, tape.url)
    if any(word in content for word in _REPORTED):
        return reply
    usage = reply.usage.model_copy(update={"reasoning_tokens": None})
    return reply.model_copy(update={"usage": usage})


def _words(error: BaseException) -> str:
    """Return what an exception of litellm's says, without the traceback it puts behind."""
    text = str(getattr(error, "message", error)).partition("\nTraceback")[0]
    return server_message(text.encode())
