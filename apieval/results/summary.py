"""`summary.json`: figures with their intervals, outcomes, findings, and all that else is made of answers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NotRequired, cast

from pydantic import AfterValidator, Field, with_config
from typing_extensions import TypedDict  # pydantic takes typing's from 3.12 on

from apieval.records import Given, RowId, Setting
from apieval.results.checking import STRICT, Amount, Count
from apieval.results.figures import (
    Both,
    BothGaps,
    DiagnosisShares,
    Groups,
    OverSamples,
    SettingLoss,
)
from apieval.signature import parts

ALL: Final = "all"
OFFICIAL: Final = "official"
MOST_SAMPLES: Final = 1_000
"""Beyond these nothing is counted: a figure takes room for each."""


class Published(TypedDict, total=False):
    """Where a published data file is from."""

    source: str
    revision: str | None
    licence: str
    attribution: str


class Data(Published):
    """The data file that was asked."""

    name: str
    digest: str
    n: Count


class PromptName(TypedDict):
    """What the prompt goes by, and whether it is the challenge's own."""

    name: str | None
    official: bool | None


class Sum(TypedDict):
    """A sum over the answers of which it is known, None of none."""

    sum: Amount | None
    known_for: Count


class UsageTotals(TypedDict):
    """What the answers took together."""

    answers: Count
    from_cache: NotRequired[Count]
    without_solution: NotRequired[Count]
    prompt_tokens: Sum
    completion_tokens: Sum
    reasoning_tokens: Sum
    cached_tokens: Sum
    cost_usd: Sum


class Outcomes(TypedDict):
    """Of how many requests what became."""

    ok: Count
    truncated: Count
    empty: Count
    refused: Count
    failed: Count
    not_asked: Count


def each_of(outcomes: Outcomes) -> Iterable[tuple[str, int]]:
    """Return every outcome with its number."""
    return cast("Mapping[str, int]", outcomes).items()


def total(outcomes: Outcomes) -> int:
    """Return of how many requests the outcomes are."""
    return sum(n for _, n in each_of(outcomes))


def answered(outcomes: Outcomes) -> int:
    """Return to how many requests there are answers."""
    return total(outcomes) - outcomes["failed"] - outcomes["not_asked"]


class AnswersFile(TypedDict):
    """What tells a file of answers from any other; `fields` where it has names of its own for them."""

    file: str
    lines: Count
    digest: str
    fields: NotRequired[dict[str, str]]


class Coverage(TypedDict):
    """What a dictionary knows of the rebuses."""

    rebuses: Count
    complete: Count
    clues: Count
    known: Count
    found: Count


class Finding(TypedDict):
    """A `warning` puts the figures in doubt, a `note` explains them."""

    kind: str
    level: Literal["warning", "note"]
    text: str


class AuditFinding(Finding):
    """One entry of an audit: how many of how many, which rows, and what else it rests on."""

    count: NotRequired[Count]
    of: NotRequired[Count]
    ids: NotRequired[list[RowId]]
    more: NotRequired[dict[str, Any]]


class Audit(TypedDict):
    """What an audit found, and against which other runs."""

    against: NotRequired[list[str]]
    findings: Sequence[AuditFinding]


Figures = dict[Setting, dict[str, dict[str, dict[str, Both]]]]
"""By setting, subset, parser and metric."""


Gaps = dict[Setting, dict[str, dict[str, dict[str, BothGaps]]]]
"""By setting, pair of subsets, parser and metric."""


def _signature(text: str) -> str:
    parts(text)  # raises ValueError
    return text


Signature = Annotated[str, AfterValidator(_signature)]
ServedKind = Literal["served_model", "system_fingerprint"]
Served = dict[ServedKind, dict[str, Count]]


class Parts(TypedDict):
    """What the answers show besides their figures; None where nothing can show it."""

    format_loss: dict[Setting, dict[str, SettingLoss]] | None
    diagnosis: dict[Setting, dict[str, DiagnosisShares]] | None
    dependence: dict[Setting, dict[str, dict[str, dict[str, Groups]]]] | None
    over_samples: dict[Setting, dict[str, dict[str, OverSamples]]] | None


NO_PARTS: Final[Parts] = {
    "format_loss": None,
    "diagnosis": None,
    "dependence": None,
    "over_samples": None,
}


@with_config(STRICT)
class Summary(Parts):
    """`summary.json`; what the last versions brought is None or empty in what older ones wrote."""

    format: Literal[1]
    model: str
    data: Data
    settings: Annotated[list[Setting], Field(min_length=1, max_length=2)]
    samples: Annotated[int, Field(ge=1, le=10 * MOST_SAMPLES)]
    prompt: PromptName
    given: Given | None
    partial: bool
    outcomes: dict[Setting, Outcomes]
    usage: UsageTotals | None
    served: Served | None
    responses: AnswersFile | None
    coverage: Coverage | None
    findings: list[Finding]
    signatures: dict[Setting, dict[str, Signature]]
    along_key: dict[str, Count]
    figures: Figures
    gaps: Gaps
    audit: NotRequired[Audit]


LATER: Final[Mapping[str, object]] = {
    "samples": 1,
    "prompt": {"name": None, "official": None},
    "given": None,
    "usage": None,
    "served": None,
    "responses": None,
    "coverage": None,
    "findings": [],
    "along_key": {},
    "gaps": {},
    **NO_PARTS,
}


def _alike(summary: Summary) -> Summary:
    """Refuse what one part of a summary has and another has not."""
    settings = summary["settings"]
    if len(set(settings)) < len(settings):
        raise ValueError("settings: one appears twice")
    for name, part in (
        ("outcomes", set(summary["outcomes"])),
        ("signatures", set(summary["signatures"])),
        ("figures", set(summary["figures"])),
    ):
        if part != set(settings):
            raise ValueError(f"{name} and settings are not of the same settings")
    _of_figures(summary)
    for name, cells in (
        ("format_loss", summary["format_loss"] or {}),
        ("diagnosis", summary["diagnosis"] or {}),
    ):
        for setting, subsets in cells.items():
            if set(subsets) != set(summary["figures"].get(setting, ())):
                raise ValueError(f"{name}.{setting} and figures are not of the same subsets")
    _has_official(summary)
    for name, trees in _parts(summary):
        for key, tree in trees.items():
            if tree != next(iter(trees.values())):
                raise ValueError(f"{name}.{key}: not of what {name}.{next(iter(trees))} is")
    return summary


def _of_figures(summary: Summary) -> None:
    metrics = None
    for setting, by_subset in summary["figures"].items():
        if ALL not in by_subset:
            raise ValueError(f"figures.{setting}.{ALL}: missing")
        for subset, by_parser in by_subset.items():
            if set(by_parser) != set(summary["signatures"][setting]):
                said = f"figures.{setting}.{subset} and signatures.{setting}"
                raise ValueError(f"{said} are not of the same parsers")
            metrics = metrics or set(next(iter(by_parser.values()), ()))
            if any(set(found) != metrics for found in by_parser.values()):
                raise ValueError(f"figures.{setting}.{subset}: not the metrics of the others")


def _has_official(summary: Summary) -> None:
    """Refuse a part without the official parser, which every answer has a score of."""
    parsers: dict[str, Collection[str]] = {
        f"{name}.{setting}": named
        for name, part in (
            ("dependence", summary["dependence"] or {}),
            ("over_samples", summary["over_samples"] or {}),
        )
        for setting, named in part.items()
    }
    for setting, pairs in summary["gaps"].items():
        whole = summary["figures"].get(setting, {}).get(ALL, {}).get(OFFICIAL, {})
        for pair, named in pairs.items():
            parsers[f"gaps.{setting}.{pair}"] = named
            if any(set(metrics) != set(whole) for metrics in named.values()):
                raise ValueError(f"gaps.{setting}.{pair}: not the metrics of the figures")
    parsers |= {f"signatures.{setting}": named for setting, named in summary["signatures"].items()}
    for place, there in parsers.items():
        if OFFICIAL not in there:
            raise ValueError(f"{place}.{OFFICIAL}: missing")


def _parts(summary: Summary) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield what is alike throughout a part of the summary, and how far, by its places."""
    for name, part in (("gaps", summary["gaps"]), ("over_samples", summary["over_samples"] or {})):
        for setting, named in part.items():
            yield f"{name}.{setting}", {key: _keys(value) for key, value in named.items()}
    yield (
        "dependence",
        {
            f"{setting}.{parser}": {
                (metric, what): block["groups"] and len(block["groups"])
                for metric, blocks in metrics.items()
                for what, block in blocks.items()
            }
            for setting, parsers in (summary["dependence"] or {}).items()
            for parser, metrics in parsers.items()
        },
    )


def _keys(tree: object, depth: int = 2) -> object:
    """Return the keys of a tree, two levels of them."""
    if not depth or not isinstance(tree, dict):
        return None
    return {name: _keys(branch, depth - 1) for name, branch in tree.items()}


WHOLE: Final = Annotated[Summary, AfterValidator(_alike)]
