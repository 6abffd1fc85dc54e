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


def body(value: object) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


def failed(status: int, value: object = b"", **headers: str) -> AttemptFailed:
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return failure(status, body(value), named, URL)


# --- every shape of an error body ------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (
            {"object": "error", "message": TOO_MANY, "type": "BadRequestError", "code": 400},
            TOO_MANY,
        ),
        ({"error": {"message": TOO_MANY, "param": "input_tokens", "code": 400}}, TOO_MANY),
        ({"error": "troppe richieste"}, "troppe richieste"),
        ({"message": "troppe richieste"}, "troppe richieste"),
        ({"detail": "campo mancante"}, "campo mancante"),
        ([{"error": {"message": "quota di Google", "status": "X"}}], "quota di Google"),
        ({"error": {"detail": "dentro"}}, "dentro"),
        (
            {"detail": [{"loc": ["body", "messages"], "msg": "campo mancante", "type": "missing"}]},
            '[{"loc": ["body", "messages"], "msg": "campo mancante", "type": "missing"}]',
        ),
        (
            b"<html><head><title>502</title></head><body>gateway guasto</body></html>",
            "502 gateway guasto",
        ),
        (b"upstream connect error", "upstream connect error"),
        (b"", "no message"),
        (b" \n ", "no message"),
        (b"\xff\xfe rotto", "�� rotto"),
        ({"error": {"message": "una\nriga,\t  un'altra"}}, "una riga, un'altra"),
        ({"error": {"message": "mezza \ud83d"}}, "mezza �"),
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
        {"error": {"message": "x" * 100_000}},
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


@pytest.mark.parametrize("field", ["code", "type", "param", "message", "details"])
@pytest.mark.parametrize("odd", [[1], {"a": 1}, 5, 1.5, None, True, [], {}])
@pytest.mark.parametrize("status", [400, 429, 500])
def test_a_field_may_hold_anything(status: int, field: str, odd: object) -> None:
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


@given(
    status=st.integers(100, 599),
    content=st.binary()
    | st.one_of(json_values, error_fields).map(lambda v: json.dumps(v).encode()),
    names=st.dictionaries(
        st.sampled_from(
            ["retry-after", "retry-after-ms", "location", "x-ratelimit-reset-requests"]
        ),
        st.text(),
    ),
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
    end = failed(status, {"error": {"message": "guasto"}})
    assert type(end) is TransientFailure
    assert (end.status, end.retry_after_s) == (status, None)
    assert str(end) == f"HTTP {status} from {URL}: guasto"


@pytest.mark.parametrize(
    ("status", "value", "headers"),
    [
        (400, {"__type": "ThrottlingException", "message": "piano"}, {}),
        (400, {"__type": "com.amazon.coral.availability#ThrottlingException"}, {}),
        (400, {"message": "piano"}, {"x-amzn-errortype": "ThrottlingException:http://b.aws/"}),
        (400, {"error": {"code": "Throttling.RateQuota", "message": "piano"}}, {}),
        (400, {"error": {"type": "rate_limit_error", "message": "piano"}}, {}),
        (403, {"error": {"code": 403, "errors": [{"reason": "rateLimitExceeded"}]}}, {}),
    ],
)
def test_a_rate_limit_is_one_by_its_name_on_another_status_too(
    status: int, value: object, headers: dict[str, str]
) -> None:
    end = failed(status, value, **headers)
    assert type(end) is TransientFailure
    assert end.status == 429
    assert str(end).startswith(f"HTTP {status} from {URL}")


@pytest.mark.parametrize(
    ("status", "value", "kind"),
    [
        (400, {"code": "ThrottlingException", "type": "insufficient_quota"}, RunFailure),
        (401, {"code": "ThrottlingException", "message": "no"}, RunFailure),
        (400, {"code": "not_throttled", "message": "no"}, ItemFailure),
        (400, {"code": "ValidationException", "message": "ThrottlingException"}, ItemFailure),
    ],
)
def test_what_only_sounds_like_a_rate_limit_is_judged_as_before(
    status: int, value: object, kind: type[AttemptFailed]
) -> None:
    assert type(failed(status, {"error": value})) is kind


@pytest.mark.parametrize("status", [400, 406, 410, 413, 414, 415, 422, 451, 204])
def test_these_concern_one_item(status: int) -> None:
    assert type(failed(status, {"error": {"message": TOO_MANY}})) is ItemFailure


@pytest.mark.parametrize(
    ("status", "remedy"),
    [
        (401, "api_key_env"),
        (402, "top up"),
        (403, "rights"),
        (404, "check base_url and model"),
        (405, "check base_url"),
        (501, "check base_url"),
    ],
)
def test_these_end_the_run_and_name_the_remedy(status: int, remedy: str) -> None:
    end = failed(status, {"error": {"message": "no"}})
    assert type(end) is RunFailure
    assert remedy in str(end)
    assert URL in str(end)  # on 404 the address that was really asked
    assert end.exit_code == 3


@pytest.mark.parametrize("field", ["code", "type"])
@pytest.mark.parametrize("status", [403, 429])
def test_an_exhausted_quota_is_no_rate_limit(status: int, field: str) -> None:
    said = "credito terminato, controlla il piano"
    end = failed(status, {"error": {"message": said, field: "insufficient_quota"}})
    assert type(end) is RunFailure
    assert said in str(end)
    assert "quota is used up" in str(end)


@pytest.mark.parametrize(
    "code", ["unsupported_parameter", "unsupported_value", "unknown_parameter"]
)
def test_a_refused_parameter_ends_the_run_and_is_named(code: str) -> None:
    said = {"message": "parametro non ammesso", "param": "max_tokens", "code": code}
    end = failed(400, {"error": said})
    assert type(end) is RunFailure
    assert "refuses max_tokens" in str(end)
    assert "drop: [max_tokens]" in str(end)


@pytest.mark.parametrize("param", [None, "", 5, ["a"]])
def test_a_refused_parameter_without_a_name(param: object) -> None:
    end = failed(400, {"error": {"param": param, "code": "unsupported_value"}})
    assert "refuses a parameter" in str(end)


SENT = ("model", "temperature", "max_tokens", "top_p", "stop", "reasoning_effort", "min_tokens")


def mistral(name: str, **more: object) -> dict[str, Any]:
    fault = {"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs", **more}
    return {"object": "error", "message": {"detail": [fault]}, "type": "invalid_request_error"}


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize(
    ("value", "named"),
    [
        ({"error": {"message": "`temperature` may not be 0 here"}}, "temperature"),
        ({"error": {"message": "Temperature is deprecated for this model"}}, "temperature"),
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
    where = "extra_body" if named == "min_tokens" else f"drop: [{named}]"
    assert where in str(end)
    assert type(failure(status, body(value), {}, URL)) is ItemFailure  # it was not sent


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"error": {"message": "max_tokens 1024 is too large: 9 left"}}, id="limit"),
        pytest.param({"error": {"message": "this model stops at 2048 tokens"}}, id="other word"),
        pytest.param({"error": {"message": "stop: the prompt is too long"}}, id="a plain word"),
        pytest.param({"error": {"message": "the 'model' cannot read this"}}, id="the model"),
        pytest.param({"error": {"message": "seed is not for you"}}, id="not sent"),
        pytest.param({"error": {"message": "reasoning_effort_level"}}, id="a longer name"),
        pytest.param(mistral("messages", input={"top_p": 1, "stop": ["x"]}), id="what was sent"),
        pytest.param(
            {"detail": [{"loc": ["body", "messages"], "msg": "no", "input": {"top_p": 1}}]},
            id="what was sent, bare",
        ),
    ],
)
def test_a_refusal_of_one_prompt_is_that_items(value: object) -> None:
    end = failure(400, body(value), {}, URL, SENT)
    assert type(end) is ItemFailure
    assert '"input"' not in str(end)


@pytest.mark.parametrize("status", [404, 429, 500])
def test_only_a_bad_request_is_searched_for_parameters(status: int) -> None:
    said = {"error": {"message": "temperature is high here"}}
    assert "refuses" not in str(failure(status, body(said), {}, URL, SENT))


def test_googles_word_for_a_refused_key() -> None:
    detail = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
    error = {"code": 400, "message": "API key not valid.", "details": [None, 5, detail]}
    for value in ({"error": error}, [{"error": error}]):
        end = failed(400, value)
        assert type(end) is RunFailure
        assert "api_key_env" in str(end)


def test_anthropics_word_for_no_credit() -> None:
    said = "Your credit balance is too low to access the Anthropic API. Please go to Plans."
    error = {"type": "invalid_request_error", "message": said}
    end = failed(400, {"type": "error", "error": error})
    assert type(end) is RunFailure
    assert "top up" in str(end)


def test_googles_free_tier_that_holds_nothing_of_a_model_is_no_rate_limit() -> None:
    said = "quota exceeded for metric: free_tier_requests, limit: 0, model: m. Retry in 20s."
    end = failed(429, {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": said}})
    assert type(end) is RunFailure
    assert "top up" in str(end)


@pytest.mark.parametrize("levels", [*range(700, 1000, 7), *range(960, 1000)])
def test_a_message_of_any_depth_is_read(levels: int) -> None:
    value = b'{"detail": ' + b"[" * levels + b"]" * levels + b"}"
    assert type(failed(400, value)) is ItemFailure


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed_but_told(status: int) -> None:
    end = failed(status, location="https://altrove.example/v1")
    assert type(end) is RunFailure
    assert "https://altrove.example/v1" in str(end)
    assert "elsewhere" in str(failed(status))
    assert len(str(failed(status, location="https://x/" + "y" * 100_000))) < 500


@pytest.mark.parametrize("said", ["Model is loading", {"error": {"message": "Loading model"}}])
def test_a_server_that_is_loading_is_not_up(said: object) -> None:
    value = said.encode() if isinstance(said, str) else said
    assert type(failed(503, value)) is ServerDown
    assert type(failed(500, value)) is TransientFailure


@pytest.mark.parametrize("status", [400, 404, 409, 424])
@pytest.mark.parametrize(
    "said",
    ["Model is still loading", "Loading model", "the engine is warming up", "replica not ready"],
)
def test_who_says_that_it_starts_is_not_up_whatever_its_status(status: int, said: str) -> None:
    assert type(failed(status, {"error": said})) is ServerDown


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "error loading model: unknown architecture"),
        (404, "failed to load: cannot find the model, starting over"),
        (400, "the model takes no prompt starting with a blank"),
        (403, "the model is loading"),
        (404, "no models loaded"),
    ],
)
def test_who_starts_in_vain_or_begins_something_else_is_up(status: int, said: str) -> None:
    assert type(failed(status, {"error": said})) is not ServerDown


@pytest.mark.parametrize("code", ["content_filter", "content_policy_violation"])
def test_a_content_filter_is_an_answer_of_a_kind(code: str) -> None:
    assert type(failed(400, {"error": {"message": "no", "code": code}})) is ContentRefused


# --- filters, as every provider words them ---------------------------------------------------

_AZURE = {
    "error": {
        "message": "La risposta è stata filtrata",
        "code": None,
        "innererror": {
            "code": "ResponsibleAIPolicyViolation",
            "content_filter_result": {
                "hate": {"filtered": False, "severity": "safe"},
                "violence": {"filtered": True, "severity": "medium"},
            },
        },
    }
}
_OPENROUTER = {
    "error": {
        "code": 403,
        "message": "La domanda è segnalata",
        "metadata": {"reasons": ["violence"], "flagged_input": "API key", "provider_name": "x"},
    }
}
_RAW = '{"error":{"message":"The content is blocked.","type":"censorship_blocked"}}'
_STEPFUN = {"error": {"message": "Provider returned error", "code": 451, "metadata": {"raw": _RAW}}}
_XAI = {
    "code": "The caller does not have permission to execute the specified operation",
    "error": "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO",
}


def anthropic(said: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": "invalid_request_error", "message": said}}


@pytest.mark.parametrize(
    ("status", "value", "category"),
    [
        pytest.param(400, anthropic("Output blocked by content filtering policy"), "", id="Claude"),
        pytest.param(400, _AZURE, "violence", id="Azure, nested"),
        pytest.param(403, _OPENROUTER, "violence", id="OpenRouter"),
        pytest.param(451, _STEPFUN, "", id="text in text"),
        pytest.param(403, _XAI, "BIO", id="xAI"),
        pytest.param(400, {"error": {"message": "Content Exists Risk"}}, "", id="DeepSeek"),
        pytest.param(400, {"detail": "Content Exists Risk"}, "", id="DeepSeek's first form"),
        pytest.param(
            400,
            {"error": {"message": "no", "type": "content_filter", "code": 400}},
            "",
            id="Moonshot, by its type",
        ),
        pytest.param(
            400,
            {"code": "DataInspectionFailed", "message": "vietato"},
            "",
            id="Alibaba",
        ),
        pytest.param(
            400,
            {
                "error": {
                    "message": "<400> InternalError.Algo.DataInspectionFailed: Input text data "
                    "may contain inappropriate content."
                }
            },
            "",
            id="Alibaba, in the text",
        ),
        pytest.param(
            400, {"error": {"code": "InputTextSensitiveContentDetected"}}, "", id="Volcengine"
        ),
        pytest.param(
            400,
            {
                "error": {
                    "code": "1301",
                    "message": "系统检测到输入或生成内容可能包含不安全或敏感内容",
                }
            },
            "",
            id="Zhipu",
        ),
        pytest.param(500, {"error": {"message": "input new_sensitive (1026)"}}, "", id="MiniMax"),
        pytest.param(
            400,
            {
                "error": {
                    "code": "invalid_prompt",
                    "message": "Invalid prompt: your prompt was "
                    "flagged as potentially violating our usage policy.",
                }
            },
            "",
            id="OpenAI's reasoning models",
        ),
        pytest.param(
            400,
            {
                "success": False,
                "error": [
                    {"code": 2016, "message": "Prompt blocked due to security configurations"}
                ],
            },
            "",
            id="Cloudflare",
        ),
        pytest.param(400, [{"error": {"status": "CONTENT_FILTER"}}], "", id="in a list"),
        pytest.param(422, {"finishReason": "input_guardrail_triggered"}, "", id="Databricks"),
        pytest.param(
            400,
            {"error": {"code": 400, "message": "Request blocked: PROHIBITED_CONTENT"}},
            "",
            id="Google, over OpenAI's wire",
        ),
        pytest.param(
            400, {"error": {"code": "1301", "contentFilter": [{"level": 1}]}}, "", id="Zhipu's code"
        ),
        pytest.param(
            400, {"error": {"code": "InputSensitiveContentDetected.Violence"}}, "", id="Ark, finer"
        ),
        pytest.param(
            403,
            {"type": "guardrail_policy_violation", "message": "no", "code": "3051"},
            "",
            id="a type that nobody listed",
        ),
        pytest.param(
            400,
            {"error": {"message": "Your request was rejected as a result of our safety system."}},
            "",
            id="a sentence, the verdict first",
        ),
        pytest.param(
            446,
            {"error": {"message": "The guardrail checks defined in the config failed."}},
            "",
            id="a sentence, the filter first",
        ),
        pytest.param(
            451, {"code": 50505, "message": "rejected because of content policy"}, "", id="451"
        ),
    ],
)
def test_what_a_filter_refuses_is_refused_on_any_status(
    status: int, value: object, category: str
) -> None:  # C23
    end = failed(status, value)
    assert type(end) is ContentRefused
    assert end.status == status
    assert f"(content filter: {category})" in str(end) if category else "(content" not in str(end)
    assert "API key" not in str(end)  # what was asked is not repeated
    inside = failure_inside(body({"error": value}), {}, URL)
    assert type(inside) is ContentRefused


@pytest.mark.parametrize(
    ("status", "value"),
    [
        pytest.param(403, {"error": {"message": "no", "code": "forbidden"}}, id="no rights"),
        pytest.param(401, {"error": {"message": "no", "code": "content_filter"}}, id="the key"),
        pytest.param(404, {"error": {"message": "content_filter_v2 is unknown"}}, id="unknown"),
        pytest.param(400, {"error": {"message": "bad", "input": "content exists risk"}}, id="echo"),
        pytest.param(
            400, {"error": {"message": "bad", "prompt": {"code": "content_filter"}}}, id="deep echo"
        ),
        pytest.param(400, {"error": {"message": "content_filter: unknown field"}}, id="a field"),
        pytest.param(429, {"error": {"message": "busy", "code": "content_filter"}}, id="a limit"),
        pytest.param(
            400, {"error": {"message": "content filter rejected: unknown parameter x"}}, id="words"
        ),
        pytest.param(
            403, {"error": {"message": "Account blocked: it violated our usage policy"}}, id="whom"
        ),
        pytest.param(403, {"error": {"message": "blocked", "code": "ip_blocked"}}, id="an address"),
        pytest.param(
            503, {"error": {"message": "content safety service unavailable, refused"}}, id="down"
        ),
        pytest.param(400, {"error": {"code": "guardrail_not_found", "message": "x"}}, id="config"),
        pytest.param(403, {"message": "Request blocked. WAF"}, id="a firewall"),
        pytest.param(451, {"message": "not available in your country"}, id="a country"),
    ],
)
def test_what_only_sounds_like_a_filter_is_none(status: int, value: object) -> None:
    assert type(failed(status, value)) is not ContentRefused


# --- quotas that last ------------------------------------------------------------------------


def google(quota: str, delay: str = "21s") -> dict[str, Any]:
    violation = {"quotaId": quota, "quotaValue": "50"}
    return {
        "error": {
            "code": 429,
            "status": "RESOURCE_EXHAUSTED",
            "message": "la quota è finita",
            "details": [
                {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]},
                {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay},
            ],
        }
    }


_DAILY = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"
_MINUTE = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"


def said(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "code": 429}}


@pytest.mark.parametrize(
    ("value", "headers", "told"),
    [
        pytest.param(google(_DAILY), {}, "midnight Pacific time", id="Google"),
        pytest.param([google(_DAILY)], {}, "midnight Pacific time", id="Google, in a list"),
        pytest.param(google(_DAILY, "39043s"), {}, "in 11 h", id="Google, and when"),
        pytest.param(
            said("limit reached on tokens per day (TPD): Limit 9. Please try again in 9m38s."),
            {},
            "in 10 min",
            id="Groq",
        ),
        pytest.param(
            said("Rate limit of 50 per 86400s exceeded for UserByModelByDay."),
            {"retry-after": "52220"},
            "in 15 h",
            id="GitHub",
        ),
        pytest.param(
            {
                "error": {
                    "message": "Rate limit exceeded: free-models-per-day.",
                    "metadata": {"headers": {"X-RateLimit-Reset": "86400"}},
                }
            },
            {},
            "in 24 h",
            id="OpenRouter",
        ),
        pytest.param(said("daily usage limit reached"), {}, "the day is over", id="a usage limit"),
        pytest.param({"message": "Too many tokens per day"}, {}, "the day is over", id="Bedrock"),
        pytest.param(said("used up your daily free allocation"), {}, "the day is", id="Cloudflare"),
        pytest.param(
            {"message": "a Trial key, which is limited to 1000 API calls / month"},
            {},
            "the month is over",
            id="Cohere",
        ),
    ],
)
def test_a_quota_that_lasts_stops_at_once_and_says_when_to_come_back(
    value: object, headers: dict[str, str], told: str
) -> None:  # C25
    end = failure(429, body(value), headers, URL)
    assert type(end) is RunFailure
    assert "the quota of a" in str(end)
    assert told in str(end)
    assert "run the same command again" in str(end)


@pytest.mark.parametrize(
    "value",
    [
        google(_MINUTE),
        said("limit reached on requests per minute (RPM). Please try again in 2s."),
        said("10 requests per minute, 1000 per day; slow down"),
        said("Too many requests today, dayan"),
        said("5 requests/second on your monthly plan. Retry in 1s."),
        said("too many in the last minute. See your daily usage in the dashboard"),
        said("slow down, or upgrade your monthly subscription"),
    ],
    ids=["Google", "OpenAI", "both are named", "other words", "a plan", "a hint", "an offer"],
)
def test_a_limit_of_a_minute_is_waited_for(value: object) -> None:
    assert type(failed(429, value)) is TransientFailure


@pytest.mark.parametrize(
    "message",
    [
        "The plain HTTP request was sent to HTTPS port",
        "Client sent an HTTP request to an HTTPS server.",
    ],
)
def test_a_port_that_speaks_https_is_told(message: str) -> None:
    end = failed(400, message.encode())
    assert type(end) is RunFailure
    assert "write https://" in str(end)


def test_a_proxy_that_wants_a_password_is_told() -> None:
    end = failed(407, b"Proxy Authentication Required")
    assert type(end) is RunFailure
    assert "the proxy wants a user name" in str(end)


# --- litellm's proxy, in the bodies of its release 1.110.2 ----------------------------------


def behind_proxy(name: str, said: str) -> str:
    tail = "LiteLLM: model group 'prova' failed with the error above. No fallback was attempted."
    return f"litellm.{name}: {name}: OpenAIException - {said}\n\n{tail}"


def proxied(status: int, said: str, kind: str) -> AttemptFailed:
    error = {"message": said, "type": kind, "param": None, "code": str(status)}
    return failed(status, {"error": error})


@pytest.mark.parametrize(
    ("status", "said", "kind", "remedy"),
    [
        pytest.param(
            400,
            "/chat/completions: Invalid model name passed in model=prova. Call `/v1/models` to "
            "view available models for your key.",
            "invalid_request_error",
            "the model is unknown there",
            id="unknown model",
        ),
        pytest.param(
            400, "No connected db.", "no_db_connection", "the key was refused", id="wrong key"
        ),
        pytest.param(
            401,
            "Authentication Error, No api key passed in.",
            "auth_error",
            "the key was refused",
            id="no key",
        ),
        pytest.param(
            401,
            behind_proxy("AuthenticationError", "Incorrect API key provided: sk-x"),
            "authentication_error",
            "the key was refused",
            id="wrong key of its own",
        ),
        pytest.param(
            404,
            behind_proxy("NotFoundError", "The model `x` does not exist"),
            "invalid_request_error",
            "the model is unknown there",
            id="model unknown behind it",
        ),
        pytest.param(
            429,
            behind_proxy("RateLimitError", "You exceeded your current quota"),
            "throttling_error",
            "the quota is used up",
            id="no quota behind it",
        ),
        pytest.param(
            422,
            "Budget has been exceeded! Current cost: 2.0, Max budget: 1.0",
            "budget_exceeded",
            "the quota is used up",
            id="budget of the key",
        ),
    ],
)
def test_what_a_proxy_says_ends_the_run(status: int, said: str, kind: str, remedy: str) -> None:
    end = proxied(status, said, kind)
    assert type(end) is RunFailure
    assert remedy in str(end)


@pytest.mark.parametrize(
    ("status", "name", "said", "kind", "expected"),
    [
        (500, "InternalServerError", "Connection error.", "internal_server_error", None),
        (502, "BadGatewayError", "Error code: 502", "internal_server_error", None),
        (503, "APIError", "Overloaded", "service_unavailable_error", None),
        (503, "ServiceUnavailableError", "Loading model", "internal_server_error", ServerDown),
        (400, "ContextWindowExceededError", TOO_MANY, "invalid_request_error", ItemFailure),
        (400, "ContentPolicyViolationError", "no", "invalid_request_error", ContentRefused),
    ],
)
def test_what_a_proxy_hands_on_keeps_its_kind(
    status: int, name: str, said: str, kind: str, expected: type[AttemptFailed] | None
) -> None:
    end = proxied(status, behind_proxy(name, said), kind)
    assert type(end) is (expected or TransientFailure)


def test_a_rate_limit_behind_a_proxy_keeps_its_wait() -> None:
    said = behind_proxy("RateLimitError", "Rate limit reached. Please try again in 3s.")
    assert proxied(429, said, "throttling_error").retry_after_s == 3
    end = failure(429, body({"error": {"message": said}}), {"llm_provider-retry-after": "7"}, URL)
    assert (type(end), end.retry_after_s) == (TransientFailure, 7)


def test_the_wait_a_server_asks_for_is_carried_along() -> None:
    assert failed(429, retry_after="75").retry_after_s == 75
    assert failed(503, retry_after="2").retry_after_s == 2
    assert failed(400, retry_after="2").retry_after_s is None
    said = {"error": {"message": "Please try again in 1m2.5s."}}
    assert failed(429, said).retry_after_s == pytest.approx(62.5)


@pytest.mark.parametrize(
    ("error", "kind", "status"),
    [
        pytest.param({"message": "x"}, WebPage, 200, id="no code"),
        pytest.param({"message": "overloaded"}, TransientFailure, 200, id="one that passes"),
        pytest.param({"message": "x", "type": "server_error"}, TransientFailure, 200, id="by type"),
        pytest.param({"message": "x", "code": 429}, TransientFailure, 429, id="too many"),
        pytest.param({"message": "x", "code": "502"}, TransientFailure, 502, id="code as text"),
        pytest.param({"message": "x", "code": 401}, RunFailure, 401, id="refused key"),
        pytest.param({"message": "x", "code": 402}, RunFailure, 402, id="no credit"),
        pytest.param({"message": "x", "code": "insufficient_quota"}, RunFailure, 200, id="quota"),
        pytest.param({"message": "x", "code": 400}, ItemFailure, 400, id="bad request"),
        pytest.param({"message": "x", "code": 7}, WebPage, 200, id="no status"),
        pytest.param({"message": "x", "code": None}, WebPage, 200, id="null"),
        pytest.param("x", WebPage, 200, id="an error that is text"),
    ],
)
def test_an_error_inside_a_200_is_judged_by_its_code(
    error: object, kind: type[AttemptFailed], status: int
) -> None:
    found = failure_inside(json.dumps({"error": error}).encode(), {}, "http://s/v1")
    assert type(found) is kind
    assert found.status == status
    assert str(found).startswith("HTTP 200 from http://s/v1 with an error inside: ")
