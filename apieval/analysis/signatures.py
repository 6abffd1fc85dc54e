"""The signatures of figures: everything that can move one, each part by its name, in a fixed order.

One string serves all figures of a setting and a parser, and one figure has its own. What cannot
move a figure (concurrency, timeouts, prices, folders) has no place in either.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from apieval.analysis.figures import AGGREGATIONS, Aggregation
from apieval.analysis.intervals import CONFIDENCE, SEED, TRIALS
from apieval.analysis.setup import Measured
from apieval.errors import ConfigError, did_you_mean
from apieval.rebus.prompts import template_hash
from apieval.rebus.scoring import PARSERS, Parser
from apieval.records import Setting
from apieval.signature import canonical_json, digest, parts, short, signature
from apieval.version import VERSION

ORDER: Final = (
    "data",
    "n",
    "subset",
    "limit",
    "samples",
    "setting",
    "prompt",
    "model",
    "identity",
    "sampling",
    "given",
    "dropped",
    "rows",
    "metric",
    "parser",
    "equality",
    "aggregation",
    "interval",
    "apieval",
)
"""All parts there are; `rows` and `metric` are of one figure alone, some stand only where needed."""
UNKNOWN: Final = "unknown"


def signatures(measured: Measured) -> dict[Setting, dict[str, str]]:
    """Return `signatures[setting][parser]`: everything that can move the figures."""
    return {
        setting: {
            name: signature(_ordered(_parts(measured, setting, PARSERS[name])))
            for name in measured.parsers
        }
        for setting in measured.settings
    }


def of_figure(
    summary: Mapping[str, Any],
    setting: str,
    subset: str,
    parser: str,
    metric: str,
    aggregation: Aggregation,
) -> str:
    """Return the signature of one figure of a summary.

    Raises:
        ConfigError: for a figure that the summary does not have.
    """
    branch: Any = summary["figures"]
    for each in (setting, subset, parser, metric, aggregation):
        if each not in branch:
            known = ", ".join(branch)
            raise ConfigError(f"no figures of {each!r}{did_you_mean(each, branch)}; of {known}.")
        branch = branch[each]
    common = parts(summary["signatures"][setting][parser])
    own = {"rows": subset, "metric": metric, "aggregation": aggregation}
    return signature(_ordered({**common, **own}))


def fingerprint(text: str) -> str:
    """Return a signature's short hash: equal set-ups are told at a glance."""
    return short(digest(text))


def _ordered(named: Mapping[str, str | int]) -> dict[str, str | int]:
    """Return parts in the fixed order; those of a later version after them."""
    known = {name: named[name] for name in ORDER if name in named}
    return {**known, **named}


def _parts(measured: Measured, setting: Setting, parser: Parser) -> dict[str, str | int]:
    chosen, sampling = measured.selection, measured.sampling
    identity = measured.identity
    return {
        "data": f"{chosen.data.name}@{short(chosen.data.digest)}",
        "n": len(chosen.rebuses),
        "subset": "+".join(chosen.subsets) or "all",
        "limit": "none" if chosen.limit is None else chosen.limit,
        "samples": measured.samples,
        "setting": setting,
        "prompt": _prompt(measured.prompts, setting),
        "model": measured.model,
        "identity": UNKNOWN if identity is None else short(digest(canonical_json(identity))),
        "sampling": UNKNOWN if sampling is None else canonical_json(sampling),
        **({"given": measured.given} if measured.given else {}),
        **({"dropped": "+".join(measured.dropped)} if measured.dropped else {}),
        "parser": f"{parser.reader}@{parser.version}",
        **({"equality": parser.equality} if parser.equality else {}),
        "aggregation": "+".join(AGGREGATIONS),
        "interval": f"{CONFIDENCE:.0%},wilson/bootstrap-{TRIALS}-seed-{SEED}",
        "apieval": VERSION,
    }


def _prompt(prompts: Mapping[str, str], setting: Setting) -> str:
    said = short(prompts.get(setting) or template_hash(setting))
    system = prompts.get("system")
    return f"{said}+system-{short(system)}" if system else said
