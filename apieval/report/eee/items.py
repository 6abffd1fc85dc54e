"""The answers of a run as the interchange format's items: one record an answer and metric.

The format wants a record for each figure that an answer goes into. An answer goes into some
seventy of ours, so the records stand for six: those of the official parser, macro, over all rows,
whose mean is the figure itself. `metadata` holds what the others are made of: how many are right
of how many, the subset, and the other parsers' shares.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from apieval.rebus.columns import ALL
from apieval.rebus.examples import shown_rebus
from apieval.rebus.metrics import PARTS, Part, Parts
from apieval.rebus.parsers import official
from apieval.rebus.prompts import Prompt
from apieval.rebus.scoring import ScoredAnswer
from apieval.report.eee.names import SCHEMA, Names, evaluation_name, result_id, strings
from apieval.schema import ItemScore, Outcome, Rebus, Response, Setting, Tally, Usage

_LINE: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_METHOD: Final = f"{official.NAME}@{official.VERSION}"


@dataclass(frozen=True, slots=True)
class Asked:
    """What was said to the model, beside the rebus."""

    names: Names
    prompt: Prompt
    hashes: Mapping[str, str]


def lines(
    asked: Asked, response: Response, answer: ScoredAnswer, broke_first: str | None = None
) -> Iterator[str]:
    """Yield the records of one answer, without their line ends; a failed request has none.

    `broke_first` is where the answer broke first, None where nobody looked.
    """
    same = _same(asked, response)
    formatted = asked.prompt.build(answer.gold, response.setting)
    told = {"broke_first": broke_first, "prompt_hash": asked.hashes.get(response.setting)}
    for metric, tally in (answer.scores[official.NAME].tallies or {}).items():
        record = {**same, **_measured(response, answer, metric, tally)}
        record["input"]["formatted"] = formatted
        record["metadata"] |= strings(told)
        yield _LINE.encode(record)


def _same(asked: Asked, response: Response) -> dict[str, Any]:
    """Return what is the same in all records of an answer."""
    thought = response.reasoning
    return {
        "schema_version": SCHEMA,
        "evaluation_id": asked.names.evaluation_id,
        "model_id": asked.names.model_id,
        "evaluation_name": evaluation_name(response.setting),
        "sample_id": str(response.id),
        "interaction_type": "single_turn",
        "output": {
            "raw": [response.text],
            "reasoning_trace": None if thought is None else [thought],
        },
        "messages": None,
        "token_usage": _tokens(response.usage),
        "performance": _performance(response),
        "error": None if response.outcome is Outcome.OK else response.outcome.value,
    }


def _measured(
    response: Response, answer: ScoredAnswer, metric: str, tally: Tally
) -> dict[str, Any]:
    """Return what is of one metric."""
    setting, part = response.setting, PARTS[metric]
    raw, reference = _question(answer.gold, setting), [_text(answer.gold, part)]
    return {
        "evaluation_result_id": result_id(setting, ALL, official.NAME, metric, "macro"),
        "sample_hash": _hash(raw, reference),
        "input": {"raw": raw, "reference": reference},
        "answer_attribution": [_read(answer.scores[official.NAME], part)],
        "evaluation": {"score": tally.share, "is_correct": tally.right == tally.total},
        "metadata": strings(
            {
                "setting": setting,
                "subset": answer.gold.subset,
                "sample": response.sample,
                "metric": metric,
                "right": tally.right,
                "total": tally.total,
                **_by_others(answer, metric),
                "outcome": response.outcome.value,
                "key": response.key,
            }
        ),
    }


def _question(rebus: Rebus, setting: Setting) -> str:
    """Return what is asked, without the prompt around it."""
    return f"Rebus: {shown_rebus(rebus, setting)}\nChiave di lettura: {rebus.solution_key}"


def _text(parts: Parts, part: Part) -> str:
    """Return a part as the data file has it: words joined by `;`."""
    found: str | tuple[str, ...] = getattr(parts, part)
    return found if isinstance(found, str) else ";".join(found)


def _hash(raw: str, reference: Sequence[str]) -> str:
    """Return what tells one sample from another: made as the format's own tools make it."""
    said = json.dumps({"raw": raw, "reference": reference}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(said.encode()).hexdigest()


def _read(score: ItemScore, part: Part) -> dict[str, Any]:
    return {
        "turn_idx": 0,
        "source": "output.raw",
        "extracted_value": _text(score.prediction, part),
        "extraction_method": f"apieval {_METHOD}, {part}",
        "is_terminal": True,
    }


def _by_others(answer: ScoredAnswer, metric: str) -> dict[str, float]:
    """Return the shares that the other parsers come to."""
    scores = ((name, each.tallies) for name, each in answer.scores.items())
    return {
        f"score_{name}": tallies[metric].share
        for name, tallies in scores
        if tallies and name != official.NAME
    }


def _tokens(usage: Usage) -> dict[str, int | None] | None:
    """Return the counts; the format wants three of them, or none."""
    asked, said = usage.prompt_tokens, usage.completion_tokens
    if asked is None or said is None:
        return None
    return {
        "input_tokens": asked,
        "output_tokens": said,
        "total_tokens": asked + said if usage.total_tokens is None else usage.total_tokens,
        "input_tokens_cache_read": usage.cached_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
    }


def _performance(response: Response) -> dict[str, Any]:
    took = response.latency_s
    return {
        "latency_ms": None if took is None else round(took * 1000, 3),
        "additional_details": strings(
            {
                "finish_reason": response.finish_reason,
                "cost_usd": response.cost_usd,
                "attempts": response.attempts,
                "cached": response.cached,
                "created": response.created,
                "served_model": response.served_model,
                "system_fingerprint": response.system_fingerprint,
            }
        ),
    }
