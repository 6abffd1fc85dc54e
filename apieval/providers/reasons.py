"""What providers' words mean: finish reasons, error codes and phrases, one table.

A word is a fact about somebody else's API, and says where it was read. Names are compared in one
spelling (`spelled`), so that `max-tokens`, `maxTokens` and `FINISH_REASON_MAX_TOKENS` are the same.
Who speaks does not matter: gateways hand one provider's words on as their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import lru_cache
from typing import Final

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


class Field(Enum):
    """Where a provider says it."""

    FINISH_REASON = "why an answer ended; of every other reason (stop, eos ...) the model was done"
    CODE = "whichever field of an error names its kind, at any depth; also the end of a longer name"
    RATE_LIMIT = "as a code, on a status that says something else than 429"
    PHRASE = "a text for people, in lower case, where nothing but its words tells failures apart"


TABLE: Final[Mapping[tuple[Field, Meaning], Mapping[str, str]]] = {
    (Field.FINISH_REASON, Meaning.TRUNCATED): {
        "length": "OpenAI, Chat Completions object",
        "max_tokens": "Anthropic, Handling stop reasons; Cohere v2; Gemini FinishReason",
        "max_output_tokens": "OpenAI, Responses, incomplete_details",
        "model_length": "Mistral, Chat Completion",
        "model_context_window_exceeded": "Anthropic, Handling stop reasons; Z.AI, Chat",
        "token_limit": "IBM watsonx.ai, Text generation",
        "error_limit": "Cohere v1, Chat; OCI, CohereChatResponse",
    },
    (Field.FINISH_REASON, Meaning.REFUSED): {
        "content_filter": "OpenAI, Chat Completions object; Azure, Content filtering",
        "safety": "Gemini, FinishReason and BlockedReason",
        "recitation": "Gemini, FinishReason",
        "blocklist": "Gemini, FinishReason",
        "prohibited_content": "Gemini, FinishReason",
        "spii": "Gemini, FinishReason",
        "image_safety": "Gemini, FinishReason",
        "image_prohibited_content": "Gemini, FinishReason",
        "image_recitation": "Gemini, FinishReason",
        "language": "Gemini, FinishReason; litellm counts it as a filter's too",
        "model_armor": "Vertex AI, generative_models.FinishReason",
        "jailbreak": "Gemini, BlockedReason",
        "refusal": "Anthropic, Handling stop reasons",
        "guardrail_intervened": "Bedrock, Converse, stopReason",
        "content_filtered": "Bedrock, Converse, stopReason",
        "error_toxic": "Cohere v1, Chat; OCI, CohereChatResponse",
        "sensitive": "Z.AI and Zhipu, Chat, finish_reason",
        "input_guardrail_triggered": "Databricks, AI Gateway",
        "output_guardrail_triggered": "Databricks, AI Gateway",
    },
    (Field.FINISH_REASON, Meaning.BROKEN_OFF): {
        "abort": "vLLM and SGLang, finish reasons",
        "aborted": "SGLang, finish reasons",
        "error": "OpenRouter, Responses; Mistral, Chat Completion; Cohere v2",
        "cancelled": "IBM watsonx.ai, TextChatResultChoice",
        "canceled": "spelling of cancelled",
        "user_cancel": "Cohere v1, Chat; OCI, CohereChatResponse",
        "timeout": "Cohere v2, Chat",
        "time_limit": "IBM watsonx.ai, TextChatResultChoice",
        "network_error": "Z.AI and Zhipu, Chat, finish_reason",
        "insufficient_system_resource": "DeepSeek, Chat Completion",
        "malformed_response": "Gemini, FinishReason",
        "malformed_model_output": "Bedrock, Converse, stopReason",
    },
    (Field.CODE, Meaning.REFUSED): {
        "content_filter": "OpenAI, Error codes; Azure, Content filtering; Moonshot, Errors",
        "content_policy_violation": "OpenAI, Error codes; OpenRouter, Errors",
        "ResponsibleAIPolicyViolation": "Azure, InnerErrorCode",
        "data_inspection_failed": "Alibaba Model Studio, Error codes",
        "SensitiveContentDetected": "Volcengine Ark, Error codes",
        "RiskDetection": "Volcengine Ark, Error codes (InputTextRiskDetection)",
        "sensitive_words_detected": "One API and New API, error codes",
        "1301": "Z.AI and Zhipu, Error codes",
        "censorship_blocked": "StepFun, errors on status 451",
        "input_guardrail_triggered": "Databricks, AI Gateway",
        "output_guardrail_triggered": "Databricks, AI Gateway",
        "guardrail_intervened": "Bedrock, guardrails",
    },
    (Field.CODE, Meaning.NO_CREDIT): {
        "insufficient_quota": "OpenAI, Error codes",
        "billing_hard_limit_reached": "OpenAI, Error codes",
        "billing_error": "Anthropic, Errors",
        "budget_exceeded": "litellm, proxy",
        "exceeded_current_quota_error": "Moonshot, Errors",
        "insufficient_user_quota": "One API and New API, error codes",
        "insufficient_balance": "Moonshot and resellers",
        "Arrearage": "Alibaba Model Studio, Error codes",
        "AccountOverdueError": "Volcengine Ark, Error codes",
    },
    (Field.CODE, Meaning.NO_KEY): {
        "API_KEY_INVALID": "Google APIs, ErrorInfo, reason, on status 400",
    },
    (Field.RATE_LIMIT, Meaning.LIMITED): {
        "ThrottlingException": "AWS, Common errors: on status 400; Bedrock: on 429",
        "ThrottledException": "AWS SDKs, Retry behavior, throttling codes",
        "Throttling": "AWS SDKs, Retry behavior; Alibaba Model Studio, Error codes",
        "Throttling.RateQuota": "Alibaba Model Studio, Error codes",
        "Throttling.AllocationQuota": "Alibaba Model Studio, Error codes",
        "TooManyRequestsException": "AWS SDKs, Retry behavior, throttling codes",
        "RequestLimitExceeded": "AWS SDKs, Retry behavior; Tencent Cloud, Common errors",
        "rateLimitExceeded": "Google APIs, Resolve errors, on 403; OpenAI, Error codes",
        "rate_limit_error": "Anthropic, Errors; gateways hand it on with status 400",
    },
    (Field.PHRASE, Meaning.REFUSED): {
        "blocked by content filtering policy": "Anthropic, on status 400 without a code",
        "content management policy": "Azure, Content filtering, on status 400",
        "litellm.contentpolicyviolationerror": "litellm, proxy: the code is lost on the way",
        "violated guardrail": "litellm, proxy, guardrails",
        "flagged as potentially violating": "OpenAI, reasoning models, code invalid_prompt",
        "input was flagged": "OpenRouter, Errors, moderation",
        "violates usage guidelines": "xAI, on status 403",
        "safety_check_type_": "xAI, on status 403",
        "content exists risk": "DeepSeek, on status 400",
        "considered high risk": "Moonshot, Errors, type content_filter",
        "may contain inappropriate content": "Alibaba Model Studio, Error codes",
        "inappropiate content": "Alibaba Model Studio, as it is misspelt there",
        "unsafe or sensitive content": "Z.AI, Error codes, 1301",
        "不安全或敏感内容": "Zhipu, Error codes, 1301",
        "new_sensitive": "MiniMax, Error codes, 1026 and 1027",
        "blocked due to security configurations": "Cloudflare AI Gateway, 2016, 2017",
        "blocked by our content filters": "Bedrock, Amazon's own models",
        "blocked by bedrock guardrails": "Bedrock, guardrails",
    },
    (Field.PHRASE, Meaning.NO_CREDIT): {
        "credit balance is too low": "Anthropic, on status 400 without a code",
        "reached your specified api usage limits": "Anthropic, on status 400 without a code",
        "openaiexception - you exceeded your current quota": "litellm, proxy: the code is lost",
        "limit: 0,": "Gemini, QuotaFailure: the free tier has nothing of this model",
        "insufficient balance": "DeepSeek, Error codes; MiniMax, Error codes, 1008",
        "monthly spending limit": "xAI, on status 403 and 429",
        "account is in arrears": "Z.AI, Error codes, 1113",
    },
    (Field.PHRASE, Meaning.UNKNOWN): {
        "invalid model name passed in model=": "litellm, proxy, on status 400",
        "unexpected endpoint or method": "LM Studio, on status 200",
    },
    (Field.PHRASE, Meaning.NO_KEY): {
        "no connected db": "litellm, proxy, on status 400",
    },
    (Field.PHRASE, Meaning.WANTS_TLS): {
        "plain http request was sent to https port": "nginx, on status 400",
        "http request to an https server": "Go's net/http (Caddy, Traefik), on status 400",
        "speaking plain http to an ssl-enabled": "Apache, on status 400",
    },
}
"""Every word, under where it stands and what it means, with who says so."""

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


def _words(field: Field) -> dict[str, Meaning]:
    groups = ((means, words) for (where, means), words in TABLE.items() if where is field)
    return {word: means for means, words in groups for word in words}


_FINISHES: Final = {spelled(word): means for word, means in _words(Field.FINISH_REASON).items()}
_CODES: Final = {spelled(word): means for word, means in _words(Field.CODE).items()}
_RATE_LIMITS: Final = {spelled(word): means for word, means in _words(Field.RATE_LIMIT).items()}
_PHRASES: Final = _words(Field.PHRASE)


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
        found = _ending(name, _CODES)
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
    known = next((means for said, means in _PHRASES.items() if said in lower), None)
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
