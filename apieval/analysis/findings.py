"""What a reader of the figures must know besides them: each a kind, a level and a plain sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from apieval.config.models import TOKEN_LIMITS
from apieval.rebus import window
from apieval.rebus.cut_prompts import Cut
from apieval.rebus.dataset import NOT_THE_CHALLENGE, SAMPLE
from apieval.rebus.parsers.tolerant import THOUGHTS
from apieval.rebus.window import Cuts
from apieval.records import RowId
from apieval.results.summary import (
    AuditFinding,
    Coverage,
    Finding,
    Outcomes,
    Served,
    ServedKind,
    answered,
)
from apieval.wording import counted

UNNAMED: Final = "unknown"
"""Stands for the name a server did not give."""
MANY_BLANKS: Final = 0.05
"""From this share on they are told with the figures; fewer by an audit alone."""
_SHOWN: Final = 5
_REASONS: Final = 3
_REASON: Final = 200
"""So many characters of a failure's own words are told."""


def audited(
    kind: str,
    level: Literal["warning", "note"],
    text: str,
    ids: Iterable[RowId],
    of: int,
    **more: object,
) -> AuditFinding:
    """Return an entry of an audit: these rows, of so many."""
    rows = list(ids)
    return {
        "kind": kind,
        "level": level,
        "text": text,
        "count": len(rows),
        "of": of,
        "ids": rows,
        "more": more,
    }


def of_run(
    served: Served, cuts: Iterable[Cut], without_solution: int, answers: int
) -> Iterator[Finding]:
    """Yield what the answers of a run show about who gave them, and how."""
    if several := _several(served, "served_model"):
        yield _warning("several_served_models", f"the answers came from {several}")
    for cut in cuts:
        yield _warning("prompts_cut", str(cut))
    if several := _several(served, "system_fingerprint"):
        yield _note("several_fingerprints", f"the server's set-up changed: {several}")
    if without_solution:
        said = f"{without_solution:,} of {counted(answers, 'answer')} without a solution line"
        yield _note("without_solution", said)


def of_texts(seen: Mapping[str, int], answers: int) -> Iterator[Finding]:
    """Yield what the texts of so many answers hold besides them; `seen` counts it by kind."""
    if found := seen.get(THOUGHTS):
        yield _warning(
            "thoughts_in_text",
            f"{found:,} of {counted(answers, 'answer')} hold the model's thoughts in their text: the "
            "official parser reads them too, the tolerant one does not; start the server with the "
            "model's reasoning parser (vLLM, SGLang: --reasoning-parser)",
        )


def of_failures(failures: Counter[str]) -> Iterator[Finding]:
    """Yield why requests failed, the most frequent reasons; `failures` counts their own words."""
    if failures:
        shown = [
            " ".join(error.split())[:_REASON] + (f" ({count:,} times)" if count > 1 else "")
            for error, count in failures.most_common(_REASONS)
        ]
        more = len(failures) - _REASONS
        rest = f"; and {counted(more, 'other reason')}" if more > 0 else ""
        said = f"{counted(failures.total(), 'request')} failed: {'; '.join(shown)}{rest}"
        yield _warning("requests_failed", said)


def of_keys(rows: Sequence[RowId], with_key: int, answers: int) -> Iterator[Finding]:
    """Yield that answers to some rows hold the key that was sent; they are stored as they came."""
    if rows:
        shown = ", ".join(map(str, rows[:_SHOWN]))
        more = f" and {len(rows) - _SHOWN:,} more" if rows[_SHOWN:] else ""
        yield _warning(
            "answers_hold_key",
            f"{with_key:,} of {counted(answers, 'answer')} hold the API key that was sent (rows "
            f"{shown}{more}): the server writes it into its replies. They are stored as they came: "
            "change the key, and keep responses.jsonl and the report to yourself",
        )


def of_request(
    outcomes: Collection[Outcomes],
    sampling: Mapping[str, Any] | None,
    dropped: Sequence[str],
    cuts: Cuts | None = None,
) -> Iterator[Finding]:
    """Yield what the request's parameters did to the answers; `sampling` None is not known.

    `cuts` are the answers that were cut before the limit that was sent.
    """
    if cut := sum(each["truncated"] for each in outcomes):
        answers = sum(map(answered, outcomes))
        said = f"{cut:,} of {counted(answers, 'answer')} cut at the length limit"
        yield _warning("answers_cut", f"{said}: {_longer(cut, sampling, cuts)}")
    if dropped:
        yield _note("parameters_left_out", f"left out of the request: {', '.join(dropped)}")


def of_stops(told: Iterable[str]) -> Iterator[Finding]:
    """Yield what stop sequences do to right answers, as `conversation.stops_too_soon` tells it."""
    yield from (_warning("stop_in_template", each) for each in told)


def of_data(name: str, *, dictionary: bool) -> Iterator[Finding]:
    """Yield that figures are of the package's sample, unless they are its own dictionary's."""
    if name == SAMPLE and not dictionary:
        yield _warning("package_sample", NOT_THE_CHALLENGE)


def of_dictionary(coverage: Coverage | None) -> Iterator[Finding]:
    """Yield how far a dictionary's solver could come; None is another kind of model."""
    if coverage:
        known, clues = coverage["known"], counted(coverage["clues"], "clue")
        yield _note(
            "dictionary_coverage",
            f"a dictionary with answers to {known:,} of {clues}, the right one for "
            f"{coverage['found']:,}: a best case if the clues come from it",
        )


def of_harness(rows: Sequence[RowId], others: int, of: int) -> Iterator[Finding]:
    """Yield that lm-evaluation-harness's log has other figures for some answers, to these rows."""
    if rows:
        shown = ", ".join(map(str, rows[:_SHOWN]))
        more = f" and {len(rows) - _SHOWN:,} more" if rows[_SHOWN:] else ""
        yield _warning(
            "harness_differs",
            f"{others:,} of {counted(of, 'answer')} have other figures in the log of "
            f"lm-evaluation-harness than by the official parser here: rows {shown}{more}",
        )


def of_blanks(setting: str, blank: int, answers: int, solved: int) -> Iterator[Finding]:
    """Yield what blank answers, which count wrong, do to the figure; `solved` are official."""
    if not blank:
        return
    share, others = blank / answers, answers - blank
    said = (
        f"{blank:,} of {counted(answers, 'answer')} in {setting} are blank (empty or refused) and "
        f"count wrong ({share:.1%})"
    )
    if others:
        said += f": of the other {others:,} {solved / others:.3f} are solved, of all "
        said += f"{solved / answers:.3f}"
    yield (_warning if share >= MANY_BLANKS else _note)("blanks_counted", said)


def _longer(cut: int, sampling: Mapping[str, Any] | None, cuts: Cuts | None) -> str:
    """Return what would give longer answers: a higher limit, a larger window, or both."""
    limit = window.limit_of(sampling)
    early = cuts.said(*limit) if cuts and limit else None
    if cuts is None or early is None:
        return _more(sampling)
    if cuts.early >= cut:
        return early
    return f"{_more(sampling)}; {cuts.early:,} of them {early}"


def _more(sampling: Mapping[str, Any] | None) -> str:
    sent = [name for name in TOKEN_LIMITS if (sampling or {}).get(name) is not None]
    if sampling is not None and not sent:
        return "the server's own; set max_tokens"
    return f"raise {sent[0] if sent else TOKEN_LIMITS[-1]}"


def _several(served: Served, kind: ServedKind) -> str | None:
    """Return the names servers gave, the most frequent first, where they are more than one."""
    named = {name: count for name, count in served.get(kind, {}).items() if name != UNNAMED}
    if len(named) < 2:  # noqa: PLR2004 # several
        return None
    often = sorted(named.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = ", ".join(f"{name} ({count:,})" for name, count in often[:_SHOWN])
    more = f" and {len(often) - _SHOWN:,} more" if often[_SHOWN:] else ""
    what = {"served_model": "models", "system_fingerprint": "fingerprints"}[kind]
    return f"{len(often):,} {what}: {shown}{more}"


def _warning(kind: str, text: str) -> Finding:
    return {"kind": kind, "level": "warning", "text": text}


def _note(kind: str, text: str) -> Finding:
    return {"kind": kind, "level": "note", "text": text}
