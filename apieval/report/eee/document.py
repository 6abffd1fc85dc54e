"""A run as one document of the interchange format: who asked which model what, and every figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from apieval.hub.contents import REPOSITORY, TEST
from apieval.rebus.parsers import official
from apieval.rebus.prompts import Prompt
from apieval.report.eee.names import SCHEMA, UNKNOWN, About, Names, strings
from apieval.report.eee.results import Common, results
from apieval.schema import Rebus, RunSpec, Setting
from apieval.version import VERSION

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
_FLOATS: Final = ("temperature", "top_p", "top_k")
_LIMITS: Final = ("max_completion_tokens", "max_tokens")


@dataclass(frozen=True, slots=True)
class Run:
    """A run as its folder has it: its header, its prompt, its figures, when its last answer came."""

    spec: RunSpec
    header: Mapping[str, Any]
    prompt: Prompt
    summary: Mapping[str, Any]
    when: str


@dataclass(frozen=True, slots=True)
class ItemsFile:
    """The file of the items: its path among everybody's, the hash of its bytes, its lines."""

    path: PurePosixPath
    digest: str
    lines: int


def document(run: Run, names: Names, about: About, items: ItemsFile) -> dict[str, Any]:
    """Return the document of a run."""
    header = run.header
    when = run.when
    settings = run.spec.settings
    common = Common(_source(run, names), when, {each: _generation(run, each) for each in settings})
    return {
        "schema_version": SCHEMA,
        "evaluation_id": names.evaluation_id,
        "evaluation_timestamp": when,
        "retrieved_timestamp": names.retrieved,
        "source_metadata": _metadata(run, about),
        "eval_library": {
            "name": "apieval",
            "version": VERSION,
            "additional_details": strings(
                {"asked_by": header.get("versions"), "git": header.get("git")}
            ),
        },
        "model_info": _model(run, names),
        "evaluation_results": list(results(run.summary, common)),
        "detailed_evaluation_results": _items(items),
    }


def _metadata(run: Run, about: About) -> dict[str, Any]:
    summary, header = run.summary, run.header
    told = {
        "status": header.get("status"),
        "partial": summary["partial"],
        "outcomes": summary["outcomes"],
        "usage": summary["usage"],
        "spent_usd": header.get("spent_usd"),
        "price": header.get("price"),
        "findings": [each["text"] for each in summary["findings"]] or None,
        "responses": summary["responses"],
        "items": f"scores are those of {official.NAME}, macro, all rows; `metadata` has the rest",
    }
    return {
        "source_name": "apieval",
        "source_type": "evaluation_run",
        "source_organization_name": about.organization,
        "evaluator_relationship": about.relationship,
        "additional_details": strings(told),
    }


def _model(run: Run, names: Names) -> dict[str, Any]:
    """Return what is known of the model; an address is not told, it may be a private one."""
    spec, served = run.spec, run.summary["served"] or {}
    hosted = spec.provider == "litellm"
    # litellm knows the address of all but local servers, which have one of their own
    managed = hosted and spec.identity.get("endpoint") == "litellm"
    here = "self_deployed" if spec.provider == "embedded" else UNKNOWN
    platform = str((spec.identity.get("body") or {}).get("model")).partition("/")[0]
    return {
        "name": spec.model,
        "id": names.model_id,
        "developer": names.developer,
        **({"inference_platform": platform} if hosted else {}),
        "additional_details": {
            "deployment_type": "externally_managed" if managed else here,
            "model_availability": UNKNOWN,
            **strings({"provider": spec.provider, **served}),
        },
    }


def _source(run: Run, names: Names) -> dict[str, Any]:
    """Return where the data is from, and on what terms it may be used."""
    data = run.summary["data"]
    published = "source" in data
    about = {name: data[name] for name in data if name not in {"name", "n"}}
    hub = {"hf_repo": REPOSITORY, "hf_split": TEST.name.removesuffix(".csv")}
    return {
        "dataset_name": names.dataset,
        "source_type": "hf_dataset" if published else "other",
        **({**hub, "samples_number": data["n"]} if published else {}),
        "additional_details": strings({**about, "rows": data["n"]}),
    }


def _generation(run: Run, setting: Setting) -> dict[str, Any]:
    """Return how the answers of a setting were asked for."""
    spec, header = run.spec, run.header
    body = {k: v for k, v in (spec.identity.get("body") or {}).items() if k != "model"}
    limits = [body[name] for name in _LIMITS if name in body]
    prompt = dict(run.summary["prompt"])
    return {
        "generation_args": {
            **{name: body[name] for name in _FLOATS if name in body},
            **({"max_tokens": limits[0]} if limits else {}),
            "prompt_template": run.prompt.build(_BLANK, setting),
        },
        "additional_details": strings(
            {
                "parameters": body,
                "dropped": header.get("dropped"),
                "preset": header.get("preset"),
                "prompt": prompt,
                "prompt_hash": spec.prompts.get(setting),
                "system_prompt": header.get("system_prompt"),
                "samples": spec.samples,
            }
        ),
    }


def _items(items: ItemsFile) -> dict[str, Any]:
    algorithm, _, checksum = items.digest.partition(":")
    return {
        "format": "jsonl",
        "file_path": str(items.path),
        "hash_algorithm": algorithm,
        "checksum": checksum,
        "total_rows": items.lines,
    }
