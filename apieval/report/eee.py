"""A run in the interchange format "Every Eval Ever": a document of every figure, and a file of items.

A run has one identity: exported again it has the same names, and is no second evaluation.

The format wants an item for each figure that an answer goes into, some seventy here. The items
stand for six: those of the official parser, macro, over all rows, whose mean is the figure itself.
Their `metadata` holds what the others are made of: counts, subset, the other parsers' shares.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import product
from pathlib import PurePosixPath
from typing import Any, Final, Literal

from apieval.analysis.figures import AGGREGATIONS, Aggregation
from apieval.analysis.intervals import CONFIDENCE, SEED, TRIALS
from apieval.analysis.signatures import fingerprint, of_figure
from apieval.hub import REPOSITORY, TEST
from apieval.patterns import regex
from apieval.rebus.columns import ALL
from apieval.rebus.dataset import SAMPLE
from apieval.rebus.examples import shown_rebus
from apieval.rebus.metrics import METRICS, OF_REBUSES, Part, Parts
from apieval.rebus.parsers import official
from apieval.rebus.prompts import Prompt
from apieval.rebus.scoring import PARSERS, ScoredAnswer
from apieval.records import Outcome, Rebus, Response, RunSpec, Setting, Usage
from apieval.results.header import Header
from apieval.results.summary import Data, PromptName, Served, Summary
from apieval.signature import canonical_json
from apieval.version import VERSION

SCHEMA: Final = "0.3.0"
UNKNOWN: Final = "unknown"
DOCUMENT: Final = ".json"
ITEMS: Final = "_samples.jsonl"
BENCHMARK: Final = "verbalized_rebus"
Relationship = Literal["first_party", "third_party", "collaborative", "other"]
"""Who evaluated, seen from the model's developer."""
_MACRO: Final = "of each rebus, rounded to 4 decimals, then the mean over rebuses"
_BOOTSTRAP: Final = (
    f"bootstrap over rebuses, percentiles, seed {SEED}; Wilson where all rebuses have one share"
)
_BLANK: Final = Rebus(
    id=0,
    verbalized_rebus="{verbalized_rebus}",
    verbalized_rebus_with_length_hints="{verbalized_rebus}",
    solution_key="{solution_key}",
    word_guesses=(),
    first_pass="",
    solution_words=(),
    solution="",
)
"""What a prompt is filled with to see the prompt alone."""
_LINE: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_NO_NAME: Final = regex(r'[<>:"/\\|?*\x00-\x1f\x7f]|[. ]+$|^(?=[. ]*$)')
_RESERVED: Final = regex(r"(?i)(data|con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")


@dataclass(frozen=True, slots=True)
class About:
    """What a run's folder cannot say: who evaluated, and what the model is called everywhere.

    `model_id` is `developer/model`, None for the name that the model has in the request.
    """

    model_id: str | None = None
    organization: str = UNKNOWN
    relationship: Relationship = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A run under the format's names; `last` is when its last answer came, `answers` the hash of all."""

    spec: RunSpec
    header: Header
    prompt: Prompt
    last: datetime
    answers: str
    about: About

    @property
    def body(self) -> Mapping[str, Any]:
        """Return the parameters that every request has, the model's name among them."""
        return self.spec.identity.get("body") or {}

    @property
    def model_id(self) -> str:
        """Return the model as `developer/model`."""
        if self.about.model_id:
            return self.about.model_id
        name = str(self.body.get("model") or self.spec.model)
        developer, _, model = name.partition("/")
        if developer and model:
            return name
        return f"{'apieval' if self.spec.provider == 'embedded' else UNKNOWN}/{name.strip('/')}"

    @property
    def dataset(self) -> str:
        """Return the name of the data."""
        return f"apieval-{SAMPLE}" if self.spec.data == SAMPLE else self.spec.data

    @property
    def retrieved(self) -> str:
        """Return when the last answer came, in seconds since 1970."""
        return f"{self.last.timestamp():.6f}"

    @property
    def id(self) -> str:
        """Return what no other evaluation is called."""
        return f"{self.dataset}/{self.model_id}/{self.retrieved}"

    def file(self, ending: str) -> PurePosixPath:
        """Return a file's place among everybody's: `data/DATASET/DEVELOPER/MODEL/NUMBER` and an ending.

        The number is a hash in the form of a UUID of version 4. That version is random; but the
        format takes no other, and a number by chance would make a second run of one that is exported
        again. (The module `uuid` takes 10 ms to import.)
        """
        named = canonical_json([self.dataset, self.model_id, self.retrieved, self.answers])
        digits = hashlib.sha256(named.encode()).hexdigest()
        variant = "89ab"[int(digits[16], 16) % 4]
        number = (
            f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"
        )
        developer, _, model = self.model_id.partition("/")
        folders = map(_portable, (self.dataset, developer, model))
        return PurePosixPath("data", *folders, number + ending)


def _portable(name: str) -> str:
    """Return a name that every file system takes for a folder."""
    made = _NO_NAME.sub("_", name)
    return f"_{made}" if _RESERVED.fullmatch(made) else made


def evaluation_name(setting: str, subset: str = ALL) -> str:
    """Return the name of a setting's evaluation, or of a part of its rows."""
    return ".".join((BENCHMARK, setting, *([] if subset == ALL else [subset])))


def strings(named: Mapping[str, Any]) -> dict[str, str]:
    """Return details as the format takes them, all texts; what is not known is left out."""
    return {
        name: value if isinstance(value, str) else canonical_json(value)
        for name, value in named.items()
        if value is not None
    }


def document(run: Evaluation, summary: Summary, items: int, digest: str) -> dict[str, Any]:
    """Return the document of a run, whose file of items has so many lines and that hash."""
    header = run.header
    details = {
        "status": header["status"],
        "partial": summary["partial"],
        "outcomes": summary["outcomes"],
        "usage": summary["usage"],
        "spent_usd": header["spent_usd"],
        "price": header["price"],
        "findings": [each["text"] for each in summary["findings"]] or None,
        "responses": summary["responses"],
        "items": f"scores are those of {official.NAME}, macro, all rows; `metadata` has the rest",
    }
    asked_by = {"asked_by": header["versions"], "git": header["git"]}
    algorithm, _, checksum = digest.partition(":")
    return {
        "schema_version": SCHEMA,
        "evaluation_id": run.id,
        "evaluation_timestamp": run.last.isoformat(),
        "retrieved_timestamp": run.retrieved,
        "source_metadata": {
            "source_name": "apieval",
            "source_type": "evaluation_run",
            "source_organization_name": run.about.organization,
            "evaluator_relationship": run.about.relationship,
            "additional_details": strings(details),
        },
        "eval_library": {
            "name": "apieval",
            "version": VERSION,
            "additional_details": strings(asked_by),
        },
        "model_info": _model(run, summary["served"] or {}),
        "evaluation_results": list(_results(run, summary)),
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": str(run.file(ITEMS)),
            "hash_algorithm": algorithm,
            "checksum": checksum,
            "total_rows": items,
        },
    }


def _model(run: Evaluation, served: Served) -> dict[str, Any]:
    """Return what is known of the model; an address is not given, it may be a private one."""
    spec = run.spec
    hosted = spec.provider == "litellm"
    # litellm knows the address of all but local servers, which have one of their own
    managed = hosted and spec.identity.get("endpoint") == "litellm"
    here = "self_deployed" if spec.provider == "embedded" else UNKNOWN
    platform = str(run.body.get("model")).partition("/")[0]
    return {
        "name": spec.model,
        "id": run.model_id,
        "developer": run.model_id.partition("/")[0],
        **({"inference_platform": platform} if hosted else {}),
        "additional_details": {
            "deployment_type": "externally_managed" if managed else here,
            "model_availability": UNKNOWN,
            **strings({"provider": spec.provider, **dict(served.items())}),
        },
    }


def _source(run: Evaluation, data: Data) -> dict[str, Any]:
    """Return where the data is from, and on what terms it may be used."""
    published = "source" in data
    about = {name: value for name, value in data.items() if name not in {"name", "n"}}
    hub = {"hf_repo": REPOSITORY, "hf_split": TEST.name.removesuffix(".csv")}
    return {
        "dataset_name": run.dataset,
        "source_type": "hf_dataset" if published else "other",
        **({**hub, "samples_number": data["n"]} if published else {}),
        "additional_details": strings({**about, "rows": data["n"]}),
    }


def _generation(run: Evaluation, setting: Setting, prompt: PromptName) -> dict[str, Any]:
    """Return how the answers of a setting were generated."""
    body = {name: value for name, value in run.body.items() if name != "model"}
    arguments = {name: body[name] for name in ("temperature", "top_p", "top_k") if name in body}
    limits = [body[name] for name in ("max_completion_tokens", "max_tokens") if name in body]
    details = {
        "parameters": body,
        "dropped": run.header["dropped"],
        "preset": run.header["preset"],
        "prompt": prompt,
        "prompt_hash": run.spec.prompts.get(setting),
        "system_prompt": run.header["system_prompt"],
        "samples": run.spec.samples,
    }
    return {
        "generation_args": {
            **arguments,
            **({"max_tokens": limits[0]} if limits else {}),
            "prompt_template": run.prompt.build(_BLANK, setting),
        },
        "additional_details": strings(details),
    }


def _results(run: Evaluation, summary: Summary) -> Iterator[dict[str, Any]]:
    """Yield an entry for every figure of a summary; a figure of nothing has none."""
    source = _source(run, summary["data"])
    generation = {each: _generation(run, each, summary["prompt"]) for each in run.spec.settings}
    for setting, by_subset in summary["figures"].items():
        for subset, by_parser in by_subset.items():
            for parser, metric, aggregation in product(by_parser, METRICS, AGGREGATIONS):
                if not by_parser[parser][metric][aggregation]["n"]:
                    continue
                place = (setting, subset, parser, metric, aggregation)
                yield {
                    "evaluation_result_id": "/".join(place),
                    "evaluation_name": evaluation_name(setting, subset),
                    "source_data": source,
                    "evaluation_timestamp": run.last.isoformat(),
                    "metric_config": _metric(*place),
                    "score_details": _score(summary, *place),
                    "generation_config": generation[setting],
                }


def _metric(
    setting: Setting, subset: str, parser: str, metric: str, aggregation: Aggregation
) -> dict[str, Any]:
    parameters = {
        "setting": setting,
        "subset": subset,
        "parser": parser,
        "parser_version": PARSERS[parser].version,
        "equality": PARSERS[parser].equality,
        "aggregation": aggregation,
    }
    over = _MACRO if aggregation == "macro" else "over all of them"
    return {
        "evaluation_description": f"Share of {METRICS[metric].meaning}, {over}",
        "metric_id": f"{BENCHMARK}.{metric}",
        "metric_name": metric,
        "metric_kind": "accuracy",
        "metric_unit": "proportion",
        "metric_parameters": parameters,
        "lower_is_better": False,
        "score_type": "continuous",
        "min_score": 0.0,
        "max_score": 1.0,
    }


def _score(
    summary: Summary, setting: Setting, subset: str, parser: str, metric: str, by: Aggregation
) -> dict[str, Any]:
    both = summary["figures"][setting][subset][parser][metric]
    figure, signature = both[by], of_figure(summary, setting, subset, parser, metric, by)
    details = {
        "n": figure["n"],
        "n_of": "words" if by == "micro" and metric not in OF_REBUSES else "answers",
        "signature": signature,
        "fingerprint": fingerprint(signature),
        "partial": "at_least" in figure,
        "at_least": figure.get("at_least"),
        "at_most": figure.get("at_most"),
        "answered": figure.get("answered"),
        "outcomes_of_setting": summary["outcomes"][setting],
    }
    drawn = metric not in OF_REBUSES or summary["samples"] > 1
    interval = {
        "lower": figure["low"],
        "upper": figure["high"],
        "confidence_level": CONFIDENCE,
        "method": _BOOTSTRAP if drawn else "Wilson",
    }
    uncertainty: dict[str, object] = {"num_samples": both["macro"]["n"] // summary["samples"]}
    if "at_least" not in figure:  # bounds, which the details have, are no interval
        uncertainty = {"confidence_interval": interval, **uncertainty}
        uncertainty |= {"num_bootstrap_samples": TRIALS} if drawn else {}
    return {"score": figure["value"], "details": strings(details), "uncertainty": uncertainty}


def items(
    run: Evaluation, response: Response, answer: ScoredAnswer, first_error: str | None = None
) -> Iterator[str]:
    """Yield the items of one answer as lines without their ends; a failed request has none.

    `first_error` is the step that went wrong first, None where nobody looked.
    """
    gold, setting, thought = answer.gold, response.setting, response.reasoning
    asked = f"Rebus: {shown_rebus(gold, setting)}\nChiave di lettura: {gold.solution_key}"
    formatted = run.prompt.build(gold, setting)
    score = answer.scores[official.NAME]
    others = {f"score_{name}": each.tallies for name, each in answer.scores.items()}
    del others[f"score_{official.NAME}"]
    common = {
        "schema_version": SCHEMA,
        "evaluation_id": run.id,
        "model_id": run.model_id,
        "evaluation_name": evaluation_name(setting),
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
    for metric, tally in (score.tallies or {}).items():
        reference = [_text(gold, METRICS[metric].part)]
        known = {
            "setting": setting,
            "subset": gold.subset,
            "sample": response.sample,
            "metric": metric,
            "right": tally.right,
            "total": tally.total,
            **{name: each[metric].share for name, each in others.items() if each},
            "outcome": response.outcome.value,
            "key": response.key,
            "broke_first": first_error,
            "prompt_hash": run.spec.prompts.get(setting),
        }
        read = {
            "turn_idx": 0,
            "source": "output.raw",
            "extracted_value": _text(score.prediction, METRICS[metric].part),
            "extraction_method": f"apieval {official.NAME}@{official.VERSION}, {METRICS[metric].part}",
            "is_terminal": True,
        }
        question = {"raw": asked, "reference": reference}
        # what tells one sample from another, made as the format's own tools make it: all ASCII
        sample = json.dumps(question, sort_keys=True, separators=(",", ":"))
        yield _LINE.encode(
            {
                **common,
                "evaluation_result_id": f"{setting}/{ALL}/{official.NAME}/{metric}/macro",
                "sample_hash": hashlib.sha256(sample.encode()).hexdigest(),
                "input": {**question, "formatted": formatted},
                "answer_attribution": [read],
                "evaluation": {"score": tally.share, "is_correct": tally.right == tally.total},
                "metadata": strings(known),
            }
        )


def _text(parts: Parts, part: Part) -> str:
    """Return a part as the data file has it: words joined by `;`."""
    found: str | tuple[str, ...] = getattr(parts, part)
    return found if isinstance(found, str) else ";".join(found)


def _tokens(usage: Usage) -> dict[str, int | None] | None:
    """Return the counts; the format wants three of them, or none."""
    prompt, completion = usage.prompt_tokens, usage.completion_tokens
    if prompt is None or completion is None:
        return None
    return {
        "input_tokens": prompt,
        "output_tokens": completion,
        "total_tokens": prompt + completion if usage.total_tokens is None else usage.total_tokens,
        "input_tokens_cache_read": usage.cached_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
    }


def _performance(response: Response) -> dict[str, Any]:
    took = response.latency_s
    names = ("finish_reason", "cost_usd", "attempts", "cached", "created", "served_model")
    details = {name: getattr(response, name) for name in (*names, "system_fingerprint")}
    return {
        "latency_ms": None if took is None else round(took * 1000, 3),
        "additional_details": strings(details),
    }
