"""What an error body says, and which failure it stands for, in the words of real providers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.errors import (
    AttemptFailed,
    ContentRefused,
    ItemFailure,
    RunFailure,
    ServerDown,
    TransientFailure,
    WebPage,
)
from apieval.providers.error_bodies import server_message
from apieval.providers.failures import failure, failure_inside

URL = "http://127.0.0.1:8000/v1/chat/completions"
LONGEST = 200
TOO_MANY = "troppi token richiesti: 2723 su 2048"
Kind = type[AttemptFailed]


def body(value: object) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


def err(message: object = "no", **fields: object) -> dict[str, Any]:
    """Return an error body as OpenAI writes it."""
    return {"error": {"message": message, **fields}}


def failed(status: int, value: object = b"", **headers: str) -> AttemptFailed:
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return failure(status, body(value), named, URL)


# --- every shape of an error body ------------------------------------------------------------

_MISSING = [{"loc": ["body", "messages"], "msg": "campo mancante", "type": "missing"}]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"object": "error", "message": TOO_MANY, "type": "BadRequestError"}, TOO_MANY),
        (err(TOO_MANY, param="input_tokens", code=400), TOO_MANY),
        ({"error": "troppe richieste"}, "troppe richieste"),
        ({"message": "troppe richieste"}, "troppe richieste"),
        ({"detail": "campo mancante"}, "campo mancante"),
        ([err("quota di Google", status="X")], "quota di Google"),
        ({"error": {"detail": "dentro"}}, "dentro"),
        ({"detail": _MISSING}, json.dumps(_MISSING)),
        (b"<html><head><title>502</title></head><body>guasto</body></html>", "502 guasto"),
        (b"upstream connect error", "upstream connect error"),
        (b"", "no message"),
        (b" \n ", "no message"),
        (b"\xff\xfe rotto", "�� rotto"),
        (err("una\nriga,\t  un'altra"), "una riga, un'altra"),
        (err("mezza \ud83d"), "mezza �"),
        ({"error": None}, '{"error": null}'),
        ({}, "{}"),
        (b"[]", "[]"),
        (b"null", "null"),
    ],
)
def test_the_servers_own_words_are_found(value: object, said: str) -> None:
    assert server_message(body(value)) == said
    assert said in str(failed(400, value))


@pytest.mark.parametrize(
    "value",
    [
        err("x" * 100_000),
        b"<p>" + b"y " * 100_000,
        {"detail": [{"z": 1}] * 100_000},
        b"[" * 100_000,
        b"[" * 900 + b"]" * 900,
        b'{"error":' * 400 + b"1" + b"}" * 400,
    ],
)
def test_a_message_is_cut_where_it_is_long(value: object) -> None:
    said = server_message(body(value))
    assert said.endswith("…")
    assert len(said) == LONGEST + 1


@pytest.mark.parametrize("levels", [*range(700, 1000, 14), *range(980, 1000)])
def test_a_message_of_any_depth_is_read(levels: int) -> None:
    value = b'{"detail": ' + b"[" * levels + b"]" * levels + b"}"
    assert type(failed(400, value)) is ItemFailure


@pytest.mark.parametrize("field", ["code", "type", "param", "message", "details"])
@pytest.mark.parametrize("status", [400, 429, 500])
def test_a_field_may_hold_anything(status: int, field: str) -> None:
    for odd in ([1], {"a": 1}, 5, 1.5, None, True, [], {}):
        plain = {"message": "m", "code": "unsupported_value", "param": "p", field: odd}
        assert isinstance(failed(status, {"error": plain}), AttemptFailed)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
error_fields = st.fixed_dictionaries(
    {},
    optional={
        name: json_values | st.sampled_from(["insufficient_quota", "content_filter"])
        for name in ("error", "message", "detail", "details", "code", "type", "param")
    },
)
named_headers = st.sampled_from(
    ["retry-after", "retry-after-ms", "location", "x-ratelimit-reset-requests"]
)


@given(
    status=st.integers(100, 599),
    content=st.binary()
    | st.one_of(json_values, error_fields).map(lambda v: json.dumps(v).encode()),
    names=st.dictionaries(named_headers, st.text()),
)
def test_whatever_comes_is_a_failure_with_a_short_well_formed_message(
    status: int, content: bytes, names: dict[str, str]
) -> None:
    end = failure(status, content, names, URL, ["temperature", "top_p", "extra"])
    said = str(end)
    said.encode()  # it can be written down
    assert said.startswith(f"HTTP {status} from {URL}: ")
    assert len(said) < 700
    assert "\n" not in said
    assert end.status == status
    assert end.retry_after_s is None or end.retry_after_s >= 0


# --- which kind it is ------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 520, 529, 599])
def test_these_may_pass(status: int) -> None:
    end = failed(status, err("guasto"))
    assert type(end) is TransientFailure
    assert (end.status, end.retry_after_s) == (status, None)
    assert str(end) == f"HTTP {status} from {URL}: guasto"


@pytest.mark.parametrize("status", [400, 406, 410, 413, 414, 415, 422, 451, 204])
def test_these_concern_one_item(status: int) -> None:
    assert type(failed(status, err(TOO_MANY))) is ItemFailure


_THROTTLED = "ThrottlingException"


@pytest.mark.parametrize(
    ("status", "value", "headers"),
    [
        (400, {"__type": _THROTTLED, "message": "piano"}, {}),
        (400, {"__type": f"com.amazon.coral.availability#{_THROTTLED}"}, {}),
        (400, {"message": "piano"}, {"x-amzn-errortype": f"{_THROTTLED}:http://b.aws/"}),
        (400, err(code="Throttling.RateQuota"), {}),
        (400, err(type="rate_limit_error"), {}),
        (403, err(code=403, errors=[{"reason": "rateLimitExceeded"}]), {}),
    ],
)
def test_a_rate_limit_is_one_by_its_name_on_another_status_too(
    status: int, value: object, headers: dict[str, str]
) -> None:
    end = failed(status, value, **headers)
    assert (type(end), end.status) == (TransientFailure, 429)
    assert str(end).startswith(f"HTTP {status} from {URL}")


QUOTA, KEY, MODEL = "quota is used up; top up", "api_key_env", "the model is unknown there"
PARAMETER = "refuses max_tokens; change it under params, or say drop: [max_tokens]"
TAIL = "LiteLLM: model group 'prova' failed with the error above. No fallback was attempted."


def behind(name: str, said: str) -> str:
    """Return what litellm's proxy (release 1.110.2) makes of another server's error."""
    return f"litellm.{name}: {name}: OpenAIException - {said}\n\n{TAIL}"


_KEYLESS = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
_GOOGLE = err("API key not valid.", code=400, details=[None, 5, _KEYLESS])
_FREE = "quota exceeded for metric: free_tier_requests, limit: 0, model: m. Retry in 20s."
_LOW = "Your credit balance is too low to access the Anthropic API. Please go to Plans."
_UNNAMED = "/chat/completions: Invalid model name passed in model=prova. Call `/v1/models` to view"
JUDGED: dict[str, tuple[int, object, Kind, str]] = {
    "401": (401, err(), RunFailure, KEY),
    "402": (402, err(), RunFailure, "top up"),
    "403": (403, err(), RunFailure, "rights"),
    "404": (404, err(), RunFailure, "check base_url and model"),
    "405": (405, err(), RunFailure, "check base_url"),
    "501": (501, err(), RunFailure, "check base_url"),
    "a proxy's password": (407, b"Proxy Authentication", RunFailure, "the proxy wants a user name"),
    "https, nginx": (400, b"The plain HTTP request was sent to HTTPS port", RunFailure, "https://"),
    "https, Go": (400, b"Client sent an HTTP request to an HTTPS server.", RunFailure, "https://"),
    "no quota, by code": (429, err(code="insufficient_quota"), RunFailure, QUOTA),
    "no quota, by type": (429, err(type="insufficient_quota"), RunFailure, QUOTA),
    "no quota, no rights": (403, err(code="insufficient_quota"), RunFailure, QUOTA),
    "no quota, whatever else": (
        *(400, err(code=_THROTTLED, type="insufficient_quota")),
        *(RunFailure, QUOTA),
    ),
    "no key, whatever else": (401, err(code=_THROTTLED), RunFailure, KEY),
    "no rate limit": (400, err(code="not_throttled"), ItemFailure, ""),
    "a rate limit's name in a text": (400, err(_THROTTLED, code="Validation"), ItemFailure, ""),
    "Google's key": (400, _GOOGLE, RunFailure, KEY),
    "Google's key, in a list": (400, [_GOOGLE], RunFailure, KEY),
    "Google's free tier": (429, err(_FREE, status="RESOURCE_EXHAUSTED"), RunFailure, "top up"),
    "Anthropic's credit": (400, {"type": "error", **err(_LOW)}, RunFailure, "top up"),
    "a parameter": (
        *(400, err(param="max_tokens", code="unsupported_parameter")),
        *(RunFailure, PARAMETER),
    ),
    "a value": (400, err(param="max_tokens", code="unsupported_value"), RunFailure, PARAMETER),
    "no parameter": (400, err(param="max_tokens", code="unknown_parameter"), RunFailure, PARAMETER),
    "starting": (400, {"error": "Model is still loading"}, ServerDown, ""),
    "starting, 404": (404, {"error": "Loading model"}, ServerDown, ""),
    "starting, 409": (409, {"error": "the engine is warming up"}, ServerDown, ""),
    "starting, 424": (424, {"error": "replica not ready"}, ServerDown, ""),
    "loading": (503, b"Model is loading", ServerDown, ""),
    "loading, in an object": (503, err("Loading model"), ServerDown, ""),
    "loading on 500": (500, b"Model is loading", TransientFailure, ""),
    "loading in vain": (400, err("error loading model: unknown type"), ItemFailure, ""),
    "starting over": (404, err("failed to load: cannot find it, starting over"), RunFailure, MODEL),
    "starting otherwise": (400, err("no prompt starting with a blank"), ItemFailure, ""),
    "loading, no rights": (403, err("the model is loading"), RunFailure, "rights"),
    "none loaded": (404, err("no models loaded"), RunFailure, MODEL),
    "proxy: model": (400, err(_UNNAMED, code="400"), RunFailure, MODEL),
    "proxy: key": (400, err("No connected db.", type="no_db_connection"), RunFailure, KEY),
    "proxy: its own key": (401, err(behind("AuthenticationError", "Incorrect")), RunFailure, KEY),
    "proxy: model behind it": (404, err(behind("NotFoundError", "no `x`")), RunFailure, MODEL),
    "proxy: quota behind it": (
        *(429, err(behind("RateLimitError", "You exceeded your current quota"))),
        *(RunFailure, QUOTA),
    ),
    "proxy: budget": (422, err("Budget", type="budget_exceeded"), RunFailure, QUOTA),
    "proxy: no connection": (500, err(behind("ServerError", "Connection")), TransientFailure, ""),
    "proxy: bad gateway": (502, err(behind("BadGatewayError", "502")), TransientFailure, ""),
    "proxy: overloaded": (503, err(behind("APIError", "Overloaded")), TransientFailure, ""),
    "proxy: loading": (503, err(behind("Unavailable", "Loading model")), ServerDown, ""),
    "proxy: too long": (400, err(behind("ContextWindowExceeded", TOO_MANY)), ItemFailure, ""),
    "proxy: a filter": (
        *(400, err(behind("ContentPolicyViolationError", "no"))),
        *(ContentRefused, ""),
    ),
}


@pytest.mark.parametrize(("status", "value", "kind", "remedy"), JUDGED.values(), ids=JUDGED)
def test_a_failure_is_of_its_kind_and_names_the_remedy(
    status: int, value: object, kind: Kind, remedy: str
) -> None:
    end = failed(status, value)
    assert type(end) is kind
    assert remedy in str(end)
    assert URL in str(end)  # the address that was really asked
    assert end.exit_code == 3 or kind is not RunFailure


@pytest.mark.parametrize("param", [None, "", 5, ["a"]])
def test_a_refused_parameter_without_a_name(param: object) -> None:
    assert "refuses a parameter" in str(failed(400, err(param=param, code="unsupported_value")))


SENT = ("model", "temperature", "max_tokens", "top_p", "stop", "reasoning_effort", "min_tokens")


def mistral(name: str, **more: object) -> dict[str, Any]:
    fault = {"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs", **more}
    return {"object": "error", "message": {"detail": [fault]}, "type": "invalid_request_error"}


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize(
    ("value", "named"),
    [
        (err("`temperature` may not be 0 here"), "temperature"),
        (err("Temperature is deprecated for this model"), "temperature"),
        ({"error": "top_p: set it or temperature, not both"}, "temperature"),
        ({"detail": [{"loc": ["body", "top_p"], "msg": "no"}]}, "top_p"),
        (mistral("reasoning_effort"), "reasoning_effort"),
        (mistral("min_tokens"), "min_tokens"),
        (mistral("stop"), "stop"),
        ({"code": "bad", "error": "Model grok does not support parameter stop."}, "stop"),
        ({"message": "x" * 500 + " reasoning_effort is unknown"}, "reasoning_effort"),
        (b"unknown argument: stop", "stop"),
    ],
)
def test_a_refusal_that_names_a_parameter_sent_ends_the_run(
    status: int, value: object, named: str
) -> None:
    end = failure(status, body(value), {}, URL, SENT)
    assert type(end) is RunFailure
    assert f"the model refuses {named}; " in str(end)
    assert ("extra_body" if named == "min_tokens" else f"drop: [{named}]") in str(end)
    assert type(failure(status, body(value), {}, URL)) is ItemFailure  # it was not sent


_ECHOED = {"loc": ["body", "messages"], "msg": "no", "input": {"top_p": 1}}
OF_ONE_PROMPT = {
    "a limit": err("max_tokens 1024 is too large: 9 left"),
    "another word": err("this model stops at 2048 tokens"),
    "a plain word": err("stop: the prompt is too long"),
    "the model": err("the 'model' cannot read this"),
    "not sent": err("seed is not for you"),
    "a longer name": err("reasoning_effort_level"),
    "what was sent": mistral("messages", input={"top_p": 1, "stop": ["x"]}),
    "what was sent, bare": {"detail": [_ECHOED]},
}


@pytest.mark.parametrize("value", OF_ONE_PROMPT.values(), ids=OF_ONE_PROMPT)
def test_a_refusal_of_one_prompt_is_that_items(value: object) -> None:
    end = failure(400, body(value), {}, URL, SENT)
    assert type(end) is ItemFailure
    assert '"input"' not in str(end)


@pytest.mark.parametrize("status", [404, 429, 500])
def test_only_a_bad_request_is_searched_for_parameters(status: int) -> None:
    said = body(err("temperature is high here"))
    assert "refuses" not in str(failure(status, said, {}, URL, SENT))


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed_but_told(status: int) -> None:
    end = failed(status, location="https://altrove.example/v1")
    assert type(end) is RunFailure
    assert "https://altrove.example/v1" in str(end)
    assert "elsewhere" in str(failed(status))
    assert len(str(failed(status, location="https://x/" + "y" * 100_000))) < 500


# --- filters, as every provider words them ---------------------------------------------------

_FOUND = {
    "hate": {"filtered": False, "severity": "safe"},
    "violence": {"filtered": True, "severity": "medium"},
}
_AZURE = {"code": "ResponsibleAIPolicyViolation", "content_filter_result": _FOUND}
_FLAGGED = {"reasons": ["violence"], "flagged_input": "API key", "provider_name": "x"}
_RAW = '{"error":{"message":"The content is blocked.","type":"censorship_blocked"}}'
_XAI = "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"
_ALIBABA = "InternalError.Algo.DataInspectionFailed: Input data may contain inappropriate content."
_OPENAI = "Invalid prompt: your prompt was flagged as potentially violating our usage policy."
_CLOUDFLARE = {"code": 2016, "message": "Prompt blocked due to security configurations"}
_SAFETY = "Your request was rejected as a result of our safety system."
_RAILS = "The guardrail checks defined in the config failed."
FILTERED: dict[str, tuple[int, object, str]] = {
    "OpenAI": (400, err(code="content_filter"), ""),
    "OpenAI, a policy": (400, err(code="content_policy_violation"), ""),
    "Claude": (400, {"type": "error", **err("Output blocked by content filtering policy")}, ""),
    "Azure, nested": (400, err("filtrata", code=None, innererror=_AZURE), "violence"),
    "OpenRouter": (403, err("segnalata", code=403, metadata=_FLAGGED), "violence"),
    "text in text": (451, err("Provider error", code=451, metadata={"raw": _RAW}), ""),
    "xAI": (403, {"code": "The caller does not have permission", "error": _XAI}, "BIO"),
    "DeepSeek": (400, err("Content Exists Risk"), ""),
    "DeepSeek's first form": (400, {"detail": "Content Exists Risk"}, ""),
    "Moonshot, by its type": (400, err(type="content_filter", code=400), ""),
    "Alibaba": (400, {"code": "DataInspectionFailed", "message": "vietato"}, ""),
    "Alibaba, in the text": (400, err(f"<400> {_ALIBABA}"), ""),
    "Volcengine": (400, {"error": {"code": "InputTextSensitiveContentDetected"}}, ""),
    "Zhipu": (400, err("系统检测到输入或生成内容可能包含不安全或敏感内容"), ""),
    "Zhipu's code": (400, {"error": {"code": "1301", "contentFilter": [{"level": 1}]}}, ""),
    "MiniMax": (500, err("input new_sensitive (1026)"), ""),
    "OpenAI's reasoning models": (400, err(_OPENAI, code="invalid_prompt"), ""),
    "Cloudflare": (400, {"success": False, "error": [_CLOUDFLARE]}, ""),
    "in a list": (400, [{"error": {"status": "CONTENT_FILTER"}}], ""),
    "Databricks": (422, {"finishReason": "input_guardrail_triggered"}, ""),
    "Google, over OpenAI's wire": (400, err("Request blocked: PROHIBITED_CONTENT", code=400), ""),
    "Ark, finer": (400, {"error": {"code": "InputSensitiveContentDetected.Violence"}}, ""),
    "a type that nobody listed": (403, {"type": "guardrail_policy_violation", "code": "3051"}, ""),
    "a sentence, the verdict first": (400, err(_SAFETY), ""),
    "a sentence, the filter first": (446, err(_RAILS), ""),
    "451": (451, {"code": 50505, "message": "rejected because of content policy"}, ""),
}


@pytest.mark.parametrize(("status", "value", "category"), FILTERED.values(), ids=FILTERED)
def test_what_a_filter_refuses_is_refused_on_any_status(
    status: int, value: object, category: str
) -> None:  # C23
    end = failed(status, value)
    assert type(end) is ContentRefused
    assert end.status == status
    assert f"(content filter: {category})" in str(end) if category else "(content" not in str(end)
    assert "API key" not in str(end)  # what was asked is not repeated
    assert type(failure_inside(body({"error": value}), {}, URL)) is ContentRefused


UNFILTERED: dict[str, tuple[int, object]] = {
    "no rights": (403, err(code="forbidden")),
    "the key": (401, err(code="content_filter")),
    "unknown": (404, err("content_filter_v2 is unknown")),
    "echo": (400, err("bad", input="content exists risk")),
    "deep echo": (400, err("bad", prompt={"code": "content_filter"})),
    "a field": (400, err("content_filter: unknown field")),
    "a limit": (429, err("busy", code="content_filter")),
    "words": (400, err("content filter rejected: unknown parameter x")),
    "whom": (403, err("Account blocked: it violated our usage policy")),
    "an address": (403, err("blocked", code="ip_blocked")),
    "down": (503, err("content safety service unavailable, refused")),
    "config": (400, err("x", code="guardrail_not_found")),
    "a firewall": (403, {"message": "Request blocked. WAF"}),
    "a country": (451, {"message": "not available in your country"}),
}


@pytest.mark.parametrize(("status", "value"), UNFILTERED.values(), ids=UNFILTERED)
def test_what_only_sounds_like_a_filter_is_none(status: int, value: object) -> None:
    assert type(failed(status, value)) is not ContentRefused


# --- quotas that last, and waits -------------------------------------------------------------


def google(span: str, delay: str = "21s") -> dict[str, Any]:
    quota = f"GenerateRequestsPer{span}PerProjectPerModel-FreeTier"
    kind = "type.googleapis.com/google.rpc."
    details = [
        {"@type": f"{kind}QuotaFailure", "violations": [{"quotaId": quota, "quotaValue": "50"}]},
        {"@type": f"{kind}RetryInfo", "retryDelay": delay},
    ]
    return err("la quota è finita", code=429, status="RESOURCE_EXHAUSTED", details=details)


_GROQ = "limit reached on tokens per day (TPD): Limit 9. Please try again in 9m38s."
_GITHUB = "Rate limit of 50 per 86400s exceeded for UserByModelByDay."
_RESET = {"headers": {"X-RateLimit-Reset": "86400"}}
_TRIAL = {"message": "a Trial key, which is limited to 1000 API calls / month"}
LASTING: dict[str, tuple[object, str, str]] = {
    "Google": (google("Day"), "", "midnight Pacific time"),
    "Google, in a list": ([google("Day")], "", "midnight Pacific time"),
    "Google, and when": (google("Day", "39043s"), "", "in 11 h"),
    "Groq": (err(_GROQ), "", "in 10 min"),
    "GitHub": (err(_GITHUB), "52220", "in 15 h"),
    "OpenRouter": (err("limit exceeded: free-models-per-day.", metadata=_RESET), "", "in 24 h"),
    "a usage limit": (err("daily usage limit reached"), "", "the day is over"),
    "Bedrock": ({"message": "Too many tokens per day"}, "", "the day is over"),
    "Cloudflare": (err("used up your daily free allocation"), "", "the day is over"),
    "Cohere": (_TRIAL, "", "the month is over"),
}


@pytest.mark.parametrize(("value", "wait", "when"), LASTING.values(), ids=LASTING)
def test_a_quota_that_lasts_stops_at_once_and_says_when_to_come_back(
    value: object, wait: str, when: str
) -> None:  # C25
    end = failed(429, value, retry_after=wait)
    assert type(end) is RunFailure
    assert "the quota of a" in str(end)
    assert when in str(end)
    assert "run the same command again" in str(end)


SHORT = {
    "Google": google("Minute"),
    "OpenAI": err("limit reached on requests per minute (RPM). Please try again in 2s."),
    "both are named": err("10 requests per minute, 1000 per day; slow down"),
    "other words": err("Too many requests today, dayan"),
    "a plan": err("5 requests/second on your monthly plan. Retry in 1s."),
    "a hint": err("too many in the last minute. See your daily usage in the dashboard"),
    "an offer": err("slow down, or upgrade your monthly subscription"),
}


@pytest.mark.parametrize("value", SHORT.values(), ids=SHORT)
def test_a_limit_of_a_minute_is_waited_for(value: object) -> None:
    assert type(failed(429, value)) is TransientFailure


@pytest.mark.parametrize(
    ("status", "said", "headers", "wait"),
    [
        (429, "no", {"retry-after": "75"}, 75),
        (503, "no", {"retry-after": "2"}, 2),
        (400, "no", {"retry-after": "2"}, None),
        (429, "Please try again in 1m2.5s.", {}, 62.5),
        (429, behind("RateLimitError", "Please try again in 3s."), {}, 3),
        (429, behind("RateLimitError", "piano"), {"llm_provider-retry-after": "7"}, 7),
    ],
)
def test_the_wait_a_server_asks_for_is_carried_along(
    status: int, said: str, headers: dict[str, str], wait: float | None
) -> None:
    end = failure(status, body(err(said)), headers, URL)
    assert end.retry_after_s == (wait if wait is None else pytest.approx(wait))
    assert type(end) is (ItemFailure if wait is None else TransientFailure)


INSIDE: dict[str, tuple[object, Kind, int]] = {
    "no code": ({"message": "x"}, WebPage, 200),
    "one that passes": ({"message": "overloaded"}, TransientFailure, 200),
    "by type": ({"message": "x", "type": "server_error"}, TransientFailure, 200),
    "too many": ({"message": "x", "code": 429}, TransientFailure, 429),
    "code as text": ({"message": "x", "code": "502"}, TransientFailure, 502),
    "refused key": ({"message": "x", "code": 401}, RunFailure, 401),
    "no credit": ({"message": "x", "code": 402}, RunFailure, 402),
    "quota": ({"message": "x", "code": "insufficient_quota"}, RunFailure, 200),
    "bad request": ({"message": "x", "code": 400}, ItemFailure, 400),
    "no status": ({"message": "x", "code": 7}, WebPage, 200),
    "null": ({"message": "x", "code": None}, WebPage, 200),
    "an error that is text": ("x", WebPage, 200),
}


@pytest.mark.parametrize(("error", "kind", "status"), INSIDE.values(), ids=INSIDE)
def test_an_error_inside_a_200_is_judged_by_its_code(
    error: object, kind: Kind, status: int
) -> None:
    found = failure_inside(body({"error": error}), {}, "http://s/v1")
    assert (type(found), found.status) == (kind, status)
    assert str(found).startswith("HTTP 200 from http://s/v1 with an error inside: ")
