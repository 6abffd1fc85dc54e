"""What providers' words mean: finish reasons, error codes and phrases, one table with its sources.

A row is a fact about somebody else's API, and says where it was read. Names are compared in one
spelling (`spelled`), so that `max-tokens`, `maxTokens` and `FINISH_REASON_MAX_TOKENS` are the same.
Who speaks does not matter: gateways hand one provider's words on as their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

from apieval.patterns import regex


class Meaning(Enum):
    """What a word of a provider's says of one request, or of all of them."""

    TRUNCATED = "cut at a limit of tokens"
    REFUSED = "refused by a content filter"
    BROKEN_OFF = "broken off by the server"
    NO_CREDIT = "no money is left"
    UNKNOWN = "the address or the model is unknown"
    NO_KEY = "the key is refused"
    WANTS_TLS = "the port speaks https"
    LIMITED = "too many requests at the moment"


class Row(NamedTuple):
    """A word or a phrase, what it means, and where that is said."""

    said: str
    means: Meaning
    source: str


_T, _R, _B = Meaning.TRUNCATED, Meaning.REFUSED, Meaning.BROKEN_OFF
_C, _U, _K = Meaning.NO_CREDIT, Meaning.UNKNOWN, Meaning.NO_KEY
_S, _L = Meaning.WANTS_TLS, Meaning.LIMITED

FINISH_REASONS: Final = (
    Row("length", _T, "OpenAI, Chat Completions object"),
    Row("max_tokens", _T, "Anthropic, Handling stop reasons; Cohere v2; Gemini FinishReason"),
    Row("max_output_tokens", _T, "OpenAI, Responses, incomplete_details"),
    Row("model_length", _T, "Mistral, Chat Completion"),
    Row("model_context_window_exceeded", _T, "Anthropic, Handling stop reasons; Z.AI, Chat"),
    Row("token_limit", _T, "IBM watsonx.ai, Text generation"),
    Row("error_limit", _T, "Cohere v1, Chat; OCI, CohereChatResponse"),
    Row("content_filter", _R, "OpenAI, Chat Completions object; Azure, Content filtering"),
    Row("safety", _R, "Gemini, FinishReason and BlockedReason"),
    Row("recitation", _R, "Gemini, FinishReason"),
    Row("blocklist", _R, "Gemini, FinishReason"),
    Row("prohibited_content", _R, "Gemini, FinishReason"),
    Row("spii", _R, "Gemini, FinishReason"),
    Row("image_safety", _R, "Gemini, FinishReason"),
    Row("image_prohibited_content", _R, "Gemini, FinishReason"),
    Row("image_recitation", _R, "Gemini, FinishReason"),
    Row("language", _R, "Gemini, FinishReason; litellm counts it as a filter's too"),
    Row("model_armor", _R, "Vertex AI, generative_models.FinishReason"),
    Row("jailbreak", _R, "Gemini, BlockedReason"),
    Row("refusal", _R, "Anthropic, Handling stop reasons"),
    Row("guardrail_intervened", _R, "Bedrock, Converse, stopReason"),
    Row("content_filtered", _R, "Bedrock, Converse, stopReason"),
    Row("error_toxic", _R, "Cohere v1, Chat; OCI, CohereChatResponse"),
    Row("sensitive", _R, "Z.AI and Zhipu, Chat, finish_reason"),
    Row("input_guardrail_triggered", _R, "Databricks, AI Gateway"),
    Row("output_guardrail_triggered", _R, "Databricks, AI Gateway"),
    Row("abort", _B, "vLLM and SGLang, finish reasons"),
    Row("aborted", _B, "SGLang, finish reasons"),
    Row("error", _B, "OpenRouter, Responses; Mistral, Chat Completion; Cohere v2"),
    Row("cancelled", _B, "IBM watsonx.ai, TextChatResultChoice"),
    Row("canceled", _B, "spelling of cancelled"),
    Row("user_cancel", _B, "Cohere v1, Chat; OCI, CohereChatResponse"),
    Row("timeout", _B, "Cohere v2, Chat"),
    Row("time_limit", _B, "IBM watsonx.ai, TextChatResultChoice"),
    Row("network_error", _B, "Z.AI and Zhipu, Chat, finish_reason"),
    Row("insufficient_system_resource", _B, "DeepSeek, Chat Completion"),
    Row("malformed_response", _B, "Gemini, FinishReason"),
    Row("malformed_model_output", _B, "Bedrock, Converse, stopReason"),
)
"""Every other reason (stop, eos, end_turn, null ...) says that the model was done."""

CODES: Final = (
    Row("content_filter", _R, "OpenAI, Error codes; Azure, Content filtering; Moonshot, Errors"),
    Row("content_policy_violation", _R, "OpenAI, Error codes; OpenRouter, Errors"),
    Row("ResponsibleAIPolicyViolation", _R, "Azure, InnerErrorCode"),
    Row("data_inspection_failed", _R, "Alibaba Model Studio, Error codes"),
    Row("SensitiveContentDetected", _R, "Volcengine Ark, Error codes"),
    Row("RiskDetection", _R, "Volcengine Ark, Error codes (InputTextRiskDetection)"),
    Row("sensitive_words_detected", _R, "One API and New API, error codes"),
    Row("1301", _R, "Z.AI and Zhipu, Error codes"),
    Row("censorship_blocked", _R, "StepFun, errors on status 451"),
    Row("input_guardrail_triggered", _R, "Databricks, AI Gateway"),
    Row("output_guardrail_triggered", _R, "Databricks, AI Gateway"),
    Row("guardrail_intervened", _R, "Bedrock, guardrails"),
    Row("insufficient_quota", _C, "OpenAI, Error codes"),
    Row("billing_hard_limit_reached", _C, "OpenAI, Error codes"),
    Row("billing_error", _C, "Anthropic, Errors"),
    Row("budget_exceeded", _C, "litellm, proxy"),
    Row("exceeded_current_quota_error", _C, "Moonshot, Errors"),
    Row("insufficient_user_quota", _C, "One API and New API, error codes"),
    Row("insufficient_balance", _C, "Moonshot and resellers"),
    Row("Arrearage", _C, "Alibaba Model Studio, Error codes"),
    Row("AccountOverdueError", _C, "Volcengine Ark, Error codes"),
    Row("API_KEY_INVALID", _K, "Google APIs, ErrorInfo, reason, on status 400"),
)
"""In whichever field of an error, at whatever depth; also as the last words of a longer name."""

RATE_LIMITS: Final = (
    Row("ThrottlingException", _L, "AWS, Common errors: on status 400; Bedrock: on 429"),
    Row("ThrottledException", _L, "AWS SDKs, Retry behavior, throttling codes"),
    Row("Throttling", _L, "AWS SDKs, Retry behavior; Alibaba Model Studio, Error codes"),
    Row("Throttling.RateQuota", _L, "Alibaba Model Studio, Error codes"),
    Row("Throttling.AllocationQuota", _L, "Alibaba Model Studio, Error codes"),
    Row("TooManyRequestsException", _L, "AWS SDKs, Retry behavior, throttling codes"),
    Row("RequestLimitExceeded", _L, "AWS SDKs, Retry behavior; Tencent Cloud, Common errors"),
    Row("rateLimitExceeded", _L, "Google APIs, Resolve errors, on 403; OpenAI, Error codes"),
    Row("rate_limit_error", _L, "Anthropic, Errors; gateways hand it on with status 400"),
)
"""As `CODES`, where they come with a status that says something else than 429."""

PHRASES: Final = (
    Row("blocked by content filtering policy", _R, "Anthropic, on status 400 without a code"),
    Row("content management policy", _R, "Azure, Content filtering, on status 400"),
    Row("litellm.contentpolicyviolationerror", _R, "litellm, proxy: the code is lost on the way"),
    Row("violated guardrail", _R, "litellm, proxy, guardrails"),
    Row("flagged as potentially violating", _R, "OpenAI, reasoning models, code invalid_prompt"),
    Row("input was flagged", _R, "OpenRouter, Errors, moderation"),
    Row("violates usage guidelines", _R, "xAI, on status 403"),
    Row("safety_check_type_", _R, "xAI, on status 403"),
    Row("content exists risk", _R, "DeepSeek, on status 400"),
    Row("considered high risk", _R, "Moonshot, Errors, type content_filter"),
    Row("may contain inappropriate content", _R, "Alibaba Model Studio, Error codes"),
    Row("inappropiate content", _R, "Alibaba Model Studio, as it is misspelt there"),
    Row("unsafe or sensitive content", _R, "Z.AI, Error codes, 1301"),
    Row("不安全或敏感内容", _R, "Zhipu, Error codes, 1301"),
    Row("new_sensitive", _R, "MiniMax, Error codes, 1026 and 1027"),
    Row("blocked due to security configurations", _R, "Cloudflare AI Gateway, codes 2016 and 2017"),
    Row("blocked by our content filters", _R, "Bedrock, Amazon's own models"),
    Row("blocked by bedrock guardrails", _R, "Bedrock, guardrails"),
    Row("credit balance is too low", _C, "Anthropic, on status 400 without a code"),
    Row("reached your specified api usage limits", _C, "Anthropic, on status 400 without a code"),
    Row(
        "openaiexception - you exceeded your current quota", _C, "litellm, proxy: the code is lost"
    ),
    Row("limit: 0,", _C, "Gemini, QuotaFailure: the free tier has nothing of this model"),
    Row("insufficient balance", _C, "DeepSeek, Error codes; MiniMax, Error codes, 1008"),
    Row("monthly spending limit", _C, "xAI, on status 403 and 429"),
    Row("account is in arrears", _C, "Z.AI, Error codes, 1113"),
    Row("invalid model name passed in model=", _U, "litellm, proxy, on status 400"),
    Row("unexpected endpoint or method", _U, "LM Studio, on status 200"),
    Row("no connected db", _K, "litellm, proxy, on status 400"),
    Row("plain http request was sent to https port", _S, "nginx, on status 400"),
    Row("http request to an https server", _S, "Go's net/http (Caddy, Traefik), on status 400"),
    Row("speaking plain http to an ssl-enabled", _S, "Apache, on status 400"),
)
"""In lower case, where nothing but the words tells a failure from another one."""

_PERIOD: Final = regex(
    r"per[ _-]?(?P<a>day|week|month)(?![a-z])|(?:a|each|/) ?(?P<b>day|week|month)\b"
    r"|\b(?P<c>dai|week|month)ly\b(?! (?:plan|usage|bill|subscription)\w*\b(?! (?:limit|quota|cap)))|\b[rt]pd\b|86400s|\bby day\b|daily_|_daily"
)
_SHORTER: Final = regex(
    r"(?:per[ _-]?|\ba |\blast |/ ?)(?:second|minute|hour|sec|min)(?![a-z])|\b[rt]p[sm]\b"
)
_FILTERS: Final = (
    r"content (?:filter|polic|moderation|safety|guideline|management|audit)\w*|moderation"
    r"|safety (?:system|filter|polic|model|guideline|service|check)\w*|guardrails?\b"
    r"|(?:usage|acceptable use) (?:polic|guideline)\w*|model armor|responsible ai"
    r"|(?:prohibited|inappropriate|sensitive|unsafe|harmful|illegal)[ _]content"
)
_VERDICTS: Final = (
    r"block|flagg|reject|violat|filtered|refus|intervened|triggered|prohibit"
    r"|(?:moderation|audit|checks?)\W.{0,40}failed"
)
_VERDICT: Final = regex(
    rf"(?:{_FILTERS}).{{0,80}}?(?:{_VERDICTS})|(?:{_VERDICTS}).{{0,80}}?(?:{_FILTERS})", re.DOTALL
)
"""A filter and what it decided, near one another: as those say it whose words are in no row."""
_READ: Final = 4096
_NO_VERDICT: Final = regex(
    r"param(?:eter|s\b)|\bfields?\b|\bbody\b|argument|must be|not enabled|\bnot found|deprecated"
    r"|account|organi[sz]ation|api key|your ip\b|unavailable|time[d -]?out|try again"
)
"""Who writes of these speaks of a filter's settings, of a customer, or of a filter that is down."""
_FILTERING: Final = regex(
    r"(?:^|_)(?:content_(?:filter|polic|moderation|safety)\w*|moderation|guardrails?|safety"
    r"|unsafe|sensitive_content|censor\w*|policy_violation|risk_control)(?:_|$)"
)
_NOT_FILTERING: Final = regex(
    r"(?:^|_)(?:not|no|in?valid|missing|unknown|unavailable|unsupported|timeout|disabled)(?:_|$)"
)
_PREFIX: Final = regex(r"^(?:finish|stop)_reason_")


@lru_cache(maxsize=512)
def spelled(name: str) -> str:
    """Return a name in the one spelling of this table: lower case, words joined by `_`."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    plain = re.sub(r"[^a-z0-9]+", "_", apart.lower()).strip("_")
    return _PREFIX.sub("", plain)


def _by_name(rows: Iterable[Row]) -> Mapping[str, Meaning]:
    return {spelled(row.said): row.means for row in rows}


_FINISHES: Final = _by_name(FINISH_REASONS)
_NAMES: Final = _by_name(CODES)
_RATE_LIMITS: Final = _by_name(RATE_LIMITS)


def meaning_of_finish(reason: str | None) -> Meaning | None:
    """Return what a finish reason means, None where the model was done."""
    name = spelled(reason) if reason else ""
    filtered = name in {"blocked", "flagged"} or _filtering(name)
    return _FINISHES.get(name) or (Meaning.REFUSED if filtered else None)


def _filtering(name: str) -> bool:
    """Say whether a name that is in no row is a filter's, and not of its settings."""
    return bool(_FILTERING.search(name)) and not _NOT_FILTERING.search(name)


def meaning_of_names(names: Iterable[str]) -> Meaning | None:
    """Return what the first name means that says something, of codes, types and the like."""
    for name in map(spelled, names):
        found = _ending(name, _NAMES)
        if found is None and (_FINISHES.get(name) is Meaning.REFUSED or _filtering(name)):
            found = Meaning.REFUSED
        if found:
            return found
    return None


def is_rate_limit(names: Iterable[str]) -> bool:
    """Say whether one of an error's names is that of a rate limit, whatever its status."""
    return any(_ending(spelled(name), _RATE_LIMITS) for name in names)


def _ending(name: str, rows: Mapping[str, Meaning]) -> Meaning | None:
    return next((m for row, m in rows.items() if name == row or name.endswith(f"_{row}")), None)


def meaning_of_text(text: str) -> Meaning | None:
    """Return what a text for people says, by the phrases that are known."""
    lower = text.lower()
    known = next((row.means for row in PHRASES if row.said in lower), None)
    if known is None and _VERDICT.search(lower[:_READ]) and not _NO_VERDICT.search(lower):
        return Meaning.REFUSED
    return known


def period(text: str) -> str | None:
    """Return the span of a quota that a text speaks of: a day, a week or a month; None for less.

    Gemini (QuotaFailure, quotaId), Groq and OpenAI (RPD, TPD), OpenRouter (free-models-per-day),
    GitHub Models (UserByModelByDay), Bedrock, Cloudflare Workers AI, Cohere (trial keys).
    """
    found = _PERIOD.search(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower())
    if not found or _SHORTER.search(text.lower()):
        return None
    said = found["a"] or found["b"] or found["c"] or "day"
    return "day" if said == "dai" else said
