"""The sample logs of lm-evaluation-harness's tasks `eureka_original` and `eureka_hints`.

One JSON object a line: `doc_id`, the row's number in the data file, from 0; `doc`, the row itself;
what was said, with the arguments of the generation (`arguments`), and answered (`resps`, and after the
task's filter `filtered_resps`); hashes of row, prompt and target; and the harness's own figures for the
answer, each under its name.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from apieval.config.models import TOKEN_LIMITS
from apieval.errors import DataError, did_you_mean
from apieval.rebus import tables
from apieval.rebus.answers import Place, once, outcome_of, response_of
from apieval.rebus.columns import GOLD, LISTS, QUESTION
from apieval.records import Outcome, Rebus, Response, Setting, Tally, well_formed

TASKS: Final[Mapping[Setting, str]] = {"regular": "eureka_original", "hints": "eureka_hints"}
FIGURES: Final = {
    "word_guesses_accuracy": "word_guess_accuracy",
    "first_pass_accuracy": "first_pass_accuracy",
    "solution_words_accuracy": "solution_word_accuracy",
    "solution_words_lengths_accuracy": "solution_word_length_accuracy",
    "solution_match": "solution_match",
}
"""The harness's names of the metrics, and ours."""
_NUMBER: Final = re.compile("[0-9]{1,9}")
_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class Sample:
    """One line of a log: the row, its answer, and the harness's figures by our names."""

    doc_id: int
    gold: Rebus
    response: Response
    figures: Mapping[str, float]


def is_sample(value: Mapping[str, Any]) -> bool:
    """Say whether a line is one of the harness's logs, whatever it lacks."""
    return "doc_id" in value and not {"doc", "resps", "filtered_resps"}.isdisjoint(value)


def samples(path: Path, rebuses: Sequence[Rebus], setting: Setting) -> Iterator[Sample]:
    """Yield every answer of a log; `rebuses` are all rows of the data file, in order.

    The setting is that of the prompt, else of the task in the file's name, else `setting`. A line
    may say the `outcome` of its answer.

    Raises:
        DataError: naming the line: a field that is missing, a row the data does not have or has
            otherwise, no answer or several, a second answer of the same row.
    """
    named = [each for each, task in TASKS.items() if task in path.name]
    otherwise = named[0] if len(named) == 1 else setting
    seen: dict[Place, int] = {}
    for line, value in tables.objects(path):
        where = f"{path}, line {line}"
        doc_id, doc = _doc_id(value, where), _doc(value, where)
        if doc_id >= len(rebuses):
            raise DataError(
                f"{where}: doc_id {doc_id}, but the data has {len(rebuses):,} rows; give the data "
                "file these answers are of with --data."
            )
        gold = rebuses[doc_id]
        _same(gold, doc, where)
        mine = _setting(value, doc) or otherwise
        once(seen, (str(gold.id), mine, 0), line, path)
        text = _text(value, where)
        response = response_of(gold, mine, 0, text, outcome_of(value, text, where))
        yield Sample(doc_id, gold, response, _figures(value, where))


def hashed(text: str) -> str:
    """Return the harness's hash of a text."""
    return hashlib.sha256(well_formed(text).encode()).hexdigest()


def generation(sampling: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a request by the harness's names for the arguments of a generation."""
    found = {name: value for name, value in sampling.items() if name not in {"model", "stop"}}
    limits = [found.pop(name) for name in TOKEN_LIMITS if name in found]
    if "temperature" in found:
        found["do_sample"] = bool(found["temperature"])
    if limits:
        found["max_gen_toks"] = limits[0]
    stop = sampling.get("stop") or []
    return {**found, "until": [stop] if isinstance(stop, str) else list(stop)}


def sample(
    doc_id: int,
    rebus: Rebus,
    response: Response,
    tallies: Mapping[str, Tally] | None,
    messages: Sequence[Mapping[str, str]],
    sampling: Mapping[str, Any],
) -> dict[str, Any]:
    """Return an answer as the object that a line of such a log holds; `sampling` are its parameters.

    The harness knows no `outcome`; it is written where it is another than `ok`. A failed request
    has no figures.
    """
    doc = {name: getattr(rebus, name) for name in (*QUESTION, *GOLD)}
    doc.update({name: ";".join(doc[name]) for name in LISTS})
    said = json.dumps(list(messages), ensure_ascii=False)
    shares = {theirs: tallies[ours].share for theirs, ours in FIGURES.items()} if tallies else {}
    return {
        "doc_id": doc_id,
        "doc": doc,
        "target": rebus.solution,
        "arguments": {"gen_args_0": {"arg_0": [said], "arg_1": generation(sampling)}},
        "resps": [[response.text]],
        "filtered_resps": [response.text],
        "filter": "none",
        "metrics": list(FIGURES),
        "doc_hash": hashed(json.dumps(doc, indent=2, ensure_ascii=False)),
        "prompt_hash": hashed(said),
        "target_hash": hashed(rebus.solution),
        **({} if response.outcome is Outcome.OK else {"outcome": response.outcome.value}),
        **shares,
    }


def _doc_id(value: Mapping[str, Any], where: str) -> int:
    given = value.get("doc_id")
    if not (isinstance(given, str) and _NUMBER.fullmatch(given)):
        raise DataError(f"{where}: doc_id {given!r} is not the number of a row, from 0.")
    return int(given)


def _doc(value: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    doc = value.get("doc")
    if not isinstance(doc, dict):
        raise DataError(f"{where}: 'doc' is missing or no object; log whole samples.")
    for name in GOLD:
        if not isinstance(doc.get(name), str):
            near = did_you_mean(name, doc.keys() - {*GOLD, *QUESTION})
            raise DataError(
                f"{where}: doc: {name!r} is missing or no text{near}; is this a log of "
                f"{' or '.join(TASKS.values())}?"
            )
    return doc


def _same(gold: Rebus, doc: Mapping[str, Any], where: str) -> None:
    """Hold the row that was asked against the data's; the study's layout has no rebus to compare."""
    for name in (*QUESTION, *GOLD):
        mine = getattr(gold, name)
        mine = ";".join(mine) if name in LISTS else mine
        theirs = doc.get(name, mine)
        if theirs != mine and (mine or name in GOLD):
            raise DataError(
                f"{where}: other data: {name} is {_short(theirs)} there, and {_short(mine)} in row "
                f"{gold.id!r} of the data file; give the one that was asked with --data."
            )


def _short(value: object) -> str:
    said = repr(value)
    return said if len(said) <= _SHOWN else f"{said[:_SHOWN]}..."


def _setting(value: Mapping[str, Any], doc: Mapping[str, Any]) -> Setting | None:
    """Return the setting of the prompt, where it holds the rebus in one form alone."""
    said = "\n".join(_strings(value.get("arguments")))
    forms: dict[Setting, Any] = {"regular": doc.get(QUESTION[0]), "hints": doc.get(QUESTION[1])}
    found = [each for each, form in forms.items() if form and f": {form}\n" in f"{said}\n"]
    return found[0] if len(found) == 1 else None


def _strings(value: object) -> Iterator[str]:
    """Yield every text in a JSON value; messages are kept as the JSON they were sent as."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _strings(each)
    elif isinstance(value, str):
        try:
            inner = json.loads(value) if value.startswith("[{") else None
        except (ValueError, RecursionError):
            inner = None  # a prompt that only begins like JSON
        yield from _strings(inner) if inner else (value,)


def _text(value: Mapping[str, Any], where: str) -> str:
    """Return the one answer, as the harness scored it: after its filter, where that is logged."""
    given = [(name, value[name]) for name in ("resps", "filtered_resps") if name in value]
    if not given:
        raise DataError(f"{where}: 'resps' and 'filtered_resps' are missing: there is no answer.")
    text = ""
    for name, listed in given:
        found = list(_flat(listed))
        if len(found) != 1:
            raise DataError(
                f"{where}: {name} has {len(found)} answers where one is scored; log a task with "
                "`repeats: 1`, or keep one answer a line."
            )
        if not isinstance(found[0], str):
            raise DataError(f"{where}: {name}: {_short(found[0])} is no text.")
        text = found[0]
    return text


def _flat(value: object) -> Iterator[object]:
    if isinstance(value, list):
        for each in value:
            yield from _flat(each)
    else:
        yield value


def _figures(value: Mapping[str, Any], where: str) -> dict[str, float]:
    found = {}
    for theirs, ours in FIGURES.items():
        if theirs in value:
            try:
                found[ours] = float(value[theirs])
            except (TypeError, ValueError):
                found[ours] = math.nan
            if not math.isfinite(found[ours]):
                raise DataError(
                    f"{where}: {theirs} {_short(value[theirs])} is no number; mend it or leave it out."
                )
    return found
