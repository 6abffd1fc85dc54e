"""Every hosted wire against a scripted server: what is sent, what is read, what a failure means."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Final

import httpx
import pytest

from apieval.config.models import Hosted
from apieval.errors import (
    AttemptFailed,
    ContentRefused,
    ItemFailure,
    RunFailure,
    ServerDown,
    TransientFailure,
    WebPage,
)
from apieval.providers import base
from apieval.providers.clients import connect_hosted
from apieval.records import Message, Outcome, Reply, Request, Usage
from apieval.run.retry import judge
from tests.providers.wires import (
    TEXT,
    THOUGHT,
    WIRES,
    Wire,
    anthropic,
    bedrock,
    cohere,
    gemini,
    openai,
)
from tests.servers import Answer, Scripted, Seen

KEY: Final = "sk-finta-000111"
REQUEST: Final = Request(
    id=0,
    setting="regular",
    sample=0,
    messages=(Message(role="user", content="Rebus: VE [Santa] NA\n"),),
    identity="{}",
    key="k",
)
Ended = Reply | AttemptFailed

# litellm ignores this one itself, on import; pytest sets the filters anew for every test
pytestmark = pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier")
every_wire = pytest.mark.parametrize("wire", WIRES.values(), ids=list(WIRES))


async def _ask(
    hosted: ModuleType,
    wire: Wire,
    url: str | None,
    body: Mapping[str, Any],
    key: str | None = KEY,
    **entry: object,
) -> Ended:
    values = {"provider": "litellm", "model": wire.model, "options": {**wire.options}, **entry}
    model = Hosted.model_validate({**values, "api_base": url})
    try:
        client = hosted.HostedClient(model, {"model": wire.model, **body}, key)
    except AttemptFailed as error:
        return error
    try:
        reply: Ended = await client.attempt(REQUEST)
    except AttemptFailed as error:
        reply = error
    finally:
        await client.aclose()
    return reply


def ask(
    hosted: ModuleType,
    wire: Wire,
    *answers: Answer,
    **more: Any,  # noqa: ANN401 # of the entry
) -> tuple[Ended, list[Seen]]:
    """Ask once, of a server that answers so; return how it ended and what the server saw."""
    body = more.pop("body", {"temperature": 0, "max_tokens": 64})

    async def main() -> tuple[Ended, list[Seen]]:
        async with Scripted(answers or [Answer(wire.good())]) as server:
            url = f"http://127.0.0.1:{server.port}"
            return await _ask(hosted, wire, url, body, **more), server.seen

    return asyncio.run(main())


def reply_to(hosted: ModuleType, wire: Wire, *answers: Answer) -> Reply:
    reply, seen = ask(hosted, wire, *answers)
    assert isinstance(reply, Reply), reply
    assert len(seen) == 1
    return reply


def failure_of(hosted: ModuleType, wire: Wire, *answers: Answer) -> AttemptFailed:
    """Return the failure of one attempt, which is one request, whatever litellm would like."""
    failure, seen = ask(hosted, wire, *answers)
    assert isinstance(failure, AttemptFailed), failure
    assert len(seen) == 1
    return failure


@every_wire
def test_an_answer_is_read_as_the_provider_said_it(hosted: ModuleType, wire: Wire) -> None:
    # whom a name shows to stand behind an address is money's matter
    assert reply_to(hosted, wire).model_copy(update={"via": None}) == Reply(
        text=TEXT,
        reasoning=THOUGHT,
        finish_reason=wire.end,
        served_model=wire.served,
        usage=Usage(
            prompt_tokens=412,
            completion_tokens=96,
            total_tokens=508,
            reasoning_tokens=wire.thought_tokens,
        ),
    )


@every_wire
def test_what_is_sent_is_the_question_and_the_key_of_this_provider(
    hosted: ModuleType, wire: Wire
) -> None:
    _, (seen,) = ask(hosted, wire, headers={"x-mine": "yes"})
    assert (seen.method, seen.path.partition("?")[0]) == ("POST", wire.path)
    assert seen.headers[wire.header].endswith(KEY)
    assert seen.headers["x-mine"] == "yes"
    assert "Rebus: VE [Santa] NA\\n" in seen.body.decode()
    assert KEY not in seen.path
    assert not {b"retries", b"no-log", b"drop_params"} & {*seen.body.split(b'"')}
    assert b"max_retries" not in seen.body


@every_wire
@pytest.mark.parametrize("absent", [None, "gone"])
def test_counts_that_were_not_reported_are_unknown(
    hosted: ModuleType, wire: Wire, absent: str | None
) -> None:  # B10
    body = wire.good()
    if absent:
        del body[wire.usage]
    else:
        body[wire.usage] = None
    reply = reply_to(hosted, wire, Answer(body))
    assert (reply.text, reply.usage) == (TEXT, Usage())


@every_wire
def test_a_budget_spent_on_thought_is_a_cut_answer(hosted: ModuleType, wire: Wire) -> None:  # B01
    reply = reply_to(hosted, wire, Answer(wire.good(None, wire.cut)))
    assert (reply.text, reply.reasoning, reply.finish_reason) == ("", THOUGHT, wire.cut)
    assert judge(reply) is Outcome.TRUNCATED
    assert reply.usage.completion_tokens == 96


@every_wire
def test_an_answer_without_text_is_empty(hosted: ModuleType, wire: Wire) -> None:  # B03
    reply = reply_to(hosted, wire, Answer(wire.good(None)))
    assert (reply.text, judge(reply)) == ("", Outcome.EMPTY)


BEHIND_THE_HEAD: Final = 150
PAGE: Final = Answer("<!doctype html><title>Accedi</title>", headers={"content-type": "text/html"})
FILTER: Final = "Output blocked by content filtering policy"
LONG: Final = "prompt is too long: 212000 tokens > 200000 maximum"
DAY: Final = "Rate limit reached on requests per day (RPD). Please try again in 12s."
UPSTREAM: Final = Answer({"error": {"message": "upstream", "code": 502}})
FAILURES: Final[Mapping[str, tuple[Callable[[Wire], Answer], type[AttemptFailed], str]]] = {
    "408": (lambda wire: wire.refusal(408), TransientFailure, "HTTP 408 from http://127.0.0.1"),
    "429": (lambda wire: wire.refusal(429), TransientFailure, ": guasto"),
    "500": (lambda wire: wire.refusal(500), TransientFailure, ": guasto"),
    "529": (lambda wire: wire.refusal(529), TransientFailure, ": guasto"),
    "401": (lambda wire: wire.refusal(401), RunFailure, "the key was refused"),
    "404": (lambda wire: wire.refusal(404), RunFailure, "model is unknown there"),
    "too long": (lambda wire: wire.refusal(400, LONG), ItemFailure, LONG),
    "filtered": (lambda wire: wire.refusal(400, FILTER), ContentRefused, FILTER),  # C23
    "filtered, 403": (lambda wire: wire.refusal(403, FILTER), ContentRefused, FILTER),
    "a day's quota": (
        lambda wire: wire.refusal(429, DAY),
        RunFailure,
        "quota of a day is used",
    ),  # C25
    "a page": (lambda _: PAGE, WebPage, ""),
    "an error on 200": (lambda _: UPSTREAM, TransientFailure, "upstream"),
    "dropped": (lambda _: Answer(drop=True), TransientFailure, "no reply from http://127.0.0.1"),
    "cut head": (lambda _: Answer(cut=10), TransientFailure, "no reply from http://127.0.0.1"),
    "cut body": (
        *(lambda wire: Answer(wire.good(), cut=BEHIND_THE_HEAD), TransientFailure),
        "the reply from http://127.0.0.1",
    ),
}


@every_wire
@pytest.mark.parametrize(("answer", "kind", "said"), FAILURES.values(), ids=FAILURES)
def test_a_failure_is_of_its_kind_on_any_wire(
    hosted: ModuleType,
    wire: Wire,
    answer: Callable[[Wire], Answer],
    kind: type[AttemptFailed],
    said: str,
) -> None:
    what = answer(wire)
    failure = failure_of(hosted, wire, what)
    assert type(failure) is kind
    assert said in str(failure)
    unheard = what.drop or what.cut == 10
    assert failure.status == (None if unheard else 502 if what is UPSTREAM else what.status)
    assert failure.retry_after_s is None
    # a success of which some came was generated
    assert failure.billed is (what.cut == BEHIND_THE_HEAD)


@every_wire
@pytest.mark.parametrize("status", [429, 529])
def test_the_wait_the_server_asks_for_is_read(hosted: ModuleType, wire: Wire, status: int) -> None:
    failure = failure_of(hosted, wire, wire.refusal(status, retry_after="7"))
    assert failure.retry_after_s == 7.0


@every_wire
def test_a_redirection_is_not_followed(hosted: ModuleType, wire: Wire) -> None:
    async def main() -> tuple[Ended, int]:
        async with Scripted() as other:
            away = Answer(b"", 307, {"location": f"{other.url}/altrove"})
            async with Scripted([away]) as server:
                url = f"http://127.0.0.1:{server.port}"
                return await _ask(hosted, wire, url, {}), len(other.seen)

    failure, others = asyncio.run(main())
    assert type(failure) is RunFailure
    assert (failure.status, others) == (307, 0)


_BLOCKED: Final = {"promptFeedback": {"blockReason": "SAFETY"}, "modelVersion": "gemini-prova"}
REFUSED: Final[Mapping[str, tuple[str, dict[str, Any], str]]] = {
    "Anthropic refuses": ("anthropic", anthropic(None, "refusal", content=[]), "refusal"),
    "Gemini stops": ("gemini", gemini(None, "SAFETY"), "SAFETY"),
    "Gemini stops without content": (
        "gemini",
        gemini(candidates=[{"finishReason": "PROHIBITED_CONTENT", "index": 0}]),
        "PROHIBITED_CONTENT",
    ),
    "Gemini blocks the question": ("gemini", _BLOCKED, "SAFETY"),
    "Gemini blocks it for no reason": (
        "gemini",
        {"promptFeedback": {"blockReason": "OTHER"}, "candidates": []},
        "content_filter",
    ),
    "Bedrock's guardrail": (
        "bedrock",
        bedrock("No.", "guardrail_intervened"),
        "guardrail_intervened",
    ),
    "Cohere": ("cohere", cohere(TEXT, "ERROR_TOXIC"), "ERROR_TOXIC"),
    "Azure": ("azure", openai("", "content_filter"), "content_filter"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=list(REFUSED))
def test_a_refused_answer_is_the_models(
    hosted: ModuleType, case: tuple[str, dict[str, Any], str]
) -> None:
    name, body, reason = case
    reply = reply_to(hosted, WIRES[name], Answer(body))
    assert (reply.finish_reason, judge(reply)) == (reason, Outcome.REFUSED)


def test_the_category_of_a_refusal_is_kept(hosted: ModuleType) -> None:
    ratings = [
        {"category": "HARM_CATEGORY_HARASSMENT", "probability": "NEGLIGIBLE"},
        {"category": "HARM_CATEGORY_VIOLENCE", "probability": "HIGH", "blocked": True},
    ]
    blocked = {"promptFeedback": {"blockReason": "SAFETY", "safetyRatings": ratings}}
    stopped = {**gemini(None, "SAFETY")}
    stopped["candidates"][0]["safetyRatings"] = ratings
    for body in (blocked, stopped):
        assert reply_to(hosted, WIRES["gemini"], Answer(body)).category == "HARM_CATEGORY_VIOLENCE"
    told = anthropic(None, "refusal", content=[], stop_details={"category": "cyber"})
    assert reply_to(hosted, WIRES["anthropic"], Answer(told)).category == "cyber"


@every_wire
def test_where_nothing_listens_the_server_is_down(hosted: ModuleType, wire: Wire) -> None:
    failure = asyncio.run(_ask(hosted, wire, "http://127.0.0.1:9", {}))
    assert type(failure) is ServerDown


@every_wire
@pytest.mark.parametrize(
    "body", [{"choices": []}, {}, {"id": "x"}, [], None, {"message": 1, "done": 1}]
)
def test_a_reply_without_an_answer_is_no_success(
    hosted: ModuleType, wire: Wire, body: object
) -> None:
    failure = failure_of(hosted, wire, Answer(json.dumps(body)))
    assert isinstance(failure, TransientFailure)
    assert (failure.status, failure.billed) == (200, False)
    assert "malformed reply from http://127.0.0.1" in str(failure)


def test_a_reply_that_counts_tokens_and_says_nothing_was_paid(hosted: ModuleType) -> None:
    assert failure_of(hosted, WIRES["gemini"], Answer(gemini(candidates=[]))).billed
    assert failure_of(hosted, WIRES["anthropic"], Answer(anthropic(content=[7]))).billed


@pytest.mark.parametrize("name", ["azure", "perplexity"])
def test_an_answer_that_litellm_would_invent_is_a_failure(hosted: ModuleType, name: str) -> None:
    said = "Could not finish the message because max_tokens or model output limit was reached."
    failure = failure_of(hosted, WIRES[name], WIRES[name].refusal(400, said))
    assert type(failure) is ItemFailure
    assert said in str(failure)


@every_wire
def test_a_hanging_attempt_ends_when_its_time_is_up(hosted: ModuleType, wire: Wire) -> None:
    async def main() -> None:
        asked = asyncio.Event()

        def hang(_: Seen) -> Answer:
            asked.set()
            return Answer(wire.good(), delay_s=60)

        async def expire(limit: asyncio.Timeout) -> None:
            await asked.wait()
            limit.reschedule(asyncio.get_running_loop().time())

        async def attempt(url: str) -> None:
            async with asyncio.timeout(None) as limit, asyncio.TaskGroup() as group:
                group.create_task(expire(limit))
                await _ask(hosted, wire, url, {})

        async with Scripted(hang) as server:
            with pytest.raises(TimeoutError):
                await attempt(f"http://127.0.0.1:{server.port}")
            assert len(server.seen) == 1

    asyncio.run(main())


def test_litellm_reads_a_form_that_is_not_known_here(
    hosted: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(_: object) -> object:
        raise hosted.UnknownForm

    monkeypatch.setattr(hosted, "as_completion", unknown)
    claude = reply_to(hosted, WIRES["anthropic"])
    assert (claude.text, claude.reasoning, claude.finish_reason) == (TEXT, THOUGHT, "stop")
    assert claude.usage.completion_tokens == 96
    assert claude.usage.reasoning_tokens is None, "litellm's guess"
    assert reply_to(hosted, WIRES["gemini"]).usage.reasoning_tokens == 36
    failure = failure_of(hosted, WIRES["mistral"], Answer(openai(choices=[])))
    assert "malformed reply" in str(failure)
    failure = failure_of(hosted, WIRES["groq"], Answer({"id": "x"}))
    assert "malformed reply" in str(failure)


def test_a_parameter_litellm_refuses_ends_the_run_before_anything_is_sent(
    hosted: ModuleType,
) -> None:  # B12
    wire = Wire("azure/gpt-5", openai, "", options={"api_version": "2024-10-21"})
    failure, seen = ask(hosted, wire, body={"temperature": 0})
    assert type(failure) is RunFailure
    assert "temperature" in str(failure)
    assert "drop:" in str(failure)
    assert not seen


def test_a_parameter_the_provider_does_not_have_ends_the_run_before_anything_is_sent(
    hosted: ModuleType,
) -> None:  # B12
    failure, seen = ask(hosted, WIRES["anthropic"], body={"seed": 1, "max_tokens": 5})
    assert type(failure) is RunFailure
    assert "takes no seed" in str(failure)
    assert "drop: [seed]" in str(failure)
    assert not seen


def test_a_parameter_the_server_refuses_ends_the_run_by_its_name(hosted: ModuleType) -> None:  # B12
    said = "`temperature` is deprecated for this model."
    failure = failure_of(hosted, WIRES["anthropic"], WIRES["anthropic"].refusal(400, said))
    assert type(failure) is RunFailure
    assert said in str(failure)
    assert "drop: [temperature]" in str(failure)


def test_an_unknown_provider_ends_the_run(hosted: ModuleType) -> None:
    failure, _ = ask(hosted, Wire("nessuno/modello", openai, ""))
    assert type(failure) is RunFailure
    assert "litellm knows no such provider" in str(failure)


def test_a_provider_that_litellm_asks_behind_our_back_is_refused(hosted: ModuleType) -> None:
    failure = failure_of(hosted, Wire("oobabooga/x", openai, ""), Answer(openai()))
    assert type(failure) is RunFailure
    assert "cannot be evaluated" in str(failure)


@pytest.mark.parametrize("missing", ["google", "google.auth"])
def test_vertex_says_what_to_install(
    hosted: ModuleType, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setattr(hosted, "find_spec", lambda name: None if name == missing else object())
    options = {"vertex_project": "p", "vertex_location": "us-central1"}
    failure, seen = ask(hosted, Wire("vertex_ai/gemini-2.5-flash", gemini, "", options=options))
    assert type(failure) is RunFailure
    assert "pip install '.[vertex]'" in str(failure)
    assert not seen


def test_huggingface_is_sent_nothing_of_litellms(hosted: ModuleType) -> None:
    _, (seen,) = ask(hosted, Wire("huggingface/together/x/y", openai, ""), Answer(openai()))
    assert set(seen.json) == {"model", "messages", "temperature", "max_tokens"}


# --- keys and addresses ---


@every_wire
def test_the_key_is_masked_wherever_the_server_puts_it(
    hosted: ModuleType, wire: Wire
) -> None:  # B55
    failure = failure_of(hosted, wire, wire.refusal(401, f"chiave {KEY} non valida"))
    assert "chiave *** non valida" in str(failure)
    reply = reply_to(hosted, wire, Answer(wire.good(f"ecco {KEY}")))
    assert (reply.text, reply.holds_key) == (f"ecco {KEY}", True)
    assert KEY not in repr(failure.__context__)


@every_wire
@pytest.mark.parametrize("key", [None, KEY])
def test_no_key_of_the_environment_is_sent(
    hosted: ModuleType, wire: Wire, key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefixes = ("ANTHROPIC", "GEMINI", "GOOGLE", "COHERE", "MISTRAL", "GROQ", "TOGETHERAI")
    more = ("TOGETHER", "TOGETHER_AI", "AZURE", "AZURE_OPENAI", "PERPLEXITY", "OPENAI", "CO")
    for name in (*prefixes, *more):
        monkeypatch.setenv(f"{name}_API_KEY", "altrui-999")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "PERPLEXITYAI_API_KEY"):
        monkeypatch.setenv(name, "altrui-999")
    for name in ("ANTHROPIC_AUTH_TOKEN", "AZURE_AD_TOKEN", "HF_TOKEN"):
        monkeypatch.setenv(name, "altrui-999")
    if wire.model.startswith("bedrock"):  # without a key it is the cloud's own to sign
        key = KEY
    ended, (seen,) = ask(hosted, wire, key=key)
    assert isinstance(ended, Reply)
    assert "altrui-999" not in f"{seen.path} {seen.headers} {seen.body!r}"


def test_without_a_key_bedrock_is_signed_with_the_clouds_own_credentials(
    hosted: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAFINTA")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "segreto-999")
    ended, (seen,) = ask(hosted, WIRES["bedrock"], key=None)
    assert isinstance(ended, Reply)
    assert seen.headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIAFINTA/")
    assert "segreto-999" not in f"{seen.headers} {seen.body!r}"


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("anthropic", "ANTHROPIC_BASE_URL"),
        ("anthropic", "ANTHROPIC_API_BASE"),
        ("gemini", "GEMINI_API_BASE"),
        ("cohere", "COHERE_API_BASE"),
    ],
)
def test_the_environment_does_not_say_where_a_key_goes(
    hosted: ModuleType, name: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> tuple[Ended, int]:
        async with Scripted() as trap, Scripted() as server:
            monkeypatch.setenv(variable, f"http://127.0.0.1:{trap.port}")
            here = f"http://127.0.0.1:{server.port}"
            monkeypatch.setattr(hosted, "OFFICIAL", dict.fromkeys(hosted.OFFICIAL, here))
            ended = await _ask(hosted, WIRES[name], None, {"max_tokens": 5})
            assert len(server.seen) == 1
            return ended, len(trap.seen)

    _, trapped = asyncio.run(main())
    assert trapped == 0


@pytest.mark.parametrize(
    ("name", "variable"), [("groq", "GROQ_API_BASE"), ("bedrock", "AWS_BEDROCK_RUNTIME_ENDPOINT")]
)
def test_an_address_in_the_environment_ends_the_run(
    hosted: ModuleType, name: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:9")
    failure = asyncio.run(_ask(hosted, WIRES[name], None, {}))
    assert type(failure) is RunFailure
    assert variable in str(failure)


@pytest.mark.parametrize("name", ["anthropic", "cohere", "gemini", "groq"])
def test_the_official_addresses_are_those_litellm_would_use(name: str, hosted: ModuleType) -> None:
    """Stop at the connection: nothing is asked outside loopback."""
    sent: list[str] = []

    class Nowhere:
        async def handle_async_request(self, request: httpx.Request) -> None:
            sent.append(str(request.url))
            raise OSError

        async def aclose(self) -> None:
            pass

    async def main() -> None:
        model = Hosted.model_validate({"provider": "litellm", "model": WIRES[name].model})
        client = hosted.HostedClient(model, {"model": model.model, "max_tokens": 5}, KEY)
        await client._connections.aclose()
        client._connections = Nowhere()
        with contextlib.suppress(AttemptFailed):
            await client.attempt(REQUEST)

    asyncio.run(main())
    assert sent == [
        {
            "anthropic": "https://api.anthropic.com/v1/messages",
            "cohere": "https://api.cohere.com/v2/chat",
            "gemini": "https://generativelanguage.googleapis.com/v1beta"
            "/models/gemini-2.5-flash:generateContent",
            "groq": "https://api.groq.com/openai/v1/chat/completions",
        }[name]
    ]


def test_what_litellm_would_send_is_shown_without_being_sent(hosted: ModuleType) -> None:
    async def run() -> tuple[base.Wire | None, base.Wire | None, list[Seen]]:
        async with Scripted([Answer(anthropic())]) as server:
            where = server.url.removesuffix("/v1")
            names = ("anthropic/claude-haiku-5-5", "azure/m")
            models = [Hosted(provider="litellm", model=name, api_base=where) for name in names]
            ours, theirs = [
                await connect_hosted(model, {"model": model.model, "max_tokens": 9}, KEY)
                for model in models
            ]
            wires = await ours.shown(REQUEST), await theirs.shown(REQUEST)
            assert server.seen == [], "looking sends nothing"
            assert (await ours.attempt(REQUEST)).text == TEXT
            await ours.aclose()
            await theirs.aclose()
            return *wires, server.seen

    wire, over_the_sdk, (seen,) = asyncio.run(run())
    assert over_the_sdk is not None
    assert httpx.URL(over_the_sdk.url).path == "/openai/deployments/m/chat/completions"
    assert over_the_sdk.headers["api-key"] == "***"
    assert wire is not None
    assert (httpx.URL(wire.url).path, wire.body) == (seen.path, seen.json)
    assert seen.headers["x-api-key"] == KEY
    assert wire.headers == {**seen.headers, "x-api-key": "***"}


# --- loops come and go, several models at once ---


def test_several_models_side_by_side_keep_to_their_own_servers(hosted: ModuleType) -> None:
    async def one(wire: Wire, key: str) -> None:
        text = f"risposta a {wire.model} {key[-1]}"
        async with Scripted([Answer(wire.good(text), delay_s=0.02)]) as server:
            url = f"http://127.0.0.1:{server.port}"
            ended = await _ask(hosted, wire, url, {"max_tokens": 9}, key=key)
            assert isinstance(ended, Reply), ended
            assert ended.text == text
            (seen,) = server.seen
            assert seen.headers[wire.header].endswith(key)

    async def main() -> None:
        keys = ("chiave-di-prova-1", "chiave-di-prova-2", "chiave-di-prova-3")
        await asyncio.gather(*(one(wire, key) for wire in WIRES.values() for key in keys))

    asyncio.run(main())


@every_wire
def test_event_loops_come_and_go(hosted: ModuleType, wire: Wire) -> None:
    for _ in range(3):
        assert reply_to(hosted, wire).text == TEXT


@every_wire
def test_many_requests_at_once_keep_apart(hosted: ModuleType, wire: Wire) -> None:
    def echo(seen: Seen) -> Answer:
        number = seen.body.split(b"numero ")[1].split(b".")[0].decode()
        return Answer(wire.good(number), delay_s=0.01)

    async def main() -> None:
        async with Scripted(echo) as server:
            url = f"http://127.0.0.1:{server.port}"
            values = {"provider": "litellm", "model": wire.model, "api_base": url}
            model = Hosted.model_validate({**values, "options": {**wire.options}})
            client = hosted.HostedClient(model, {"model": wire.model, "max_tokens": 9}, KEY)
            asked = [
                REQUEST.model_copy(
                    update={"messages": (Message(role="user", content=f"numero {number}."),)}
                )
                for number in range(20)
            ]
            replies = await asyncio.gather(*map(client.attempt, asked))
            await client.aclose()
        assert [each.text for each in replies] == [str(number) for number in range(20)]

    asyncio.run(main())


@every_wire
@pytest.mark.parametrize("status", [200, 401, 500])
def test_litellm_says_nothing(
    hosted: ModuleType, wire: Wire, status: int, capfd: pytest.CaptureFixture[str]
) -> None:
    ask(hosted, wire, Answer(wire.good()) if status == 200 else wire.refusal(status))
    assert capfd.readouterr() == ("", "")
