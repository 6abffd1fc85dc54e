"""A run folder, checked: data, prompts, every stored answer and its key, scores, figures, counts."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from apieval.analysis.claims import (
    ABSENT,
    Check,
    Difference,
    State,
    differences,
    holds,
    judged,
    unchecked,
)
from apieval.commands.score import Onlooker, prompt_of, run_of, score_stored
from apieval.commands.verify_files import Scores, of_summary, other_files, readable_summary
from apieval.errors import StoreError
from apieval.rebus import conversation
from apieval.rebus.conversation import Conversation
from apieval.rebus.dataset import Dataset, Selection
from apieval.rebus.scoring import ScoredAnswer
from apieval.records import Response, RunSpec
from apieval.results.answers import RESPONSES
from apieval.results.folder import HEADER, SCORES, SUMMARY, RunFolder
from apieval.results.header import EVERY
from apieval.run import header as plan
from apieval.run.cost import SPENDING, Spent, spent_by
from apieval.run.header import FORMAT
from apieval.run.responses import Survey, survey
from apieval.signature import digest, is_hidden
from apieval.wording import counted

_SHOWN: Final = 5
_HASHED: Final = re.compile(r"-(?:both|regular|hints)-[0-9a-f]{8}$")
"""How a folder's name ends that a run gave itself."""
_HIDDEN: Final = "it rests on what the headers say, of which run.json has hashes alone"
_COUNTED: Final = ("outcomes", "usage", "served", "spent_usd")
_IN_KEY: Final = {"id", "setting", "sample", "key"}
_OF_ANSWERS: Final = ("keys", "scores", "figures")
_FILES: Final = {HEADER, RESPONSES, SCORES, SPENDING, SUMMARY}
_OF_FOLDER: Final = {"format", "model", "spec", "prompts", "responses", "prefill", "system_prompt"}
"""What of a header is held against other parts of it, the data and the answers."""
_OF_SUMMARY: Final = {"prompt", "dropped", "coverage"}
"""What of a header is also in `summary.json`, which is made anew with it."""
_OF_LINES: Final = tuple(each for each in Response.model_fields if each not in _IN_KEY)
"""What of an answer its key says nothing of."""
_LATER: Final = {"spent"}
"""What version 0.1.0 did not write."""
_DATA: Final = {"name", "digest", "n", "rule_breakers"}


def checks(folder: RunFolder, data: str | Path | None) -> list[Check]:
    """Return every check of a run folder.

    Raises:
        DataError, StoreError: where there is no header or no data file to check against.
    """
    run = run_of(folder, data)
    spec, known = run.spec, folder.stored_header
    found = [
        _name(folder.path, spec),
        _data(run.data, known, spec),
        _prompts(folder, spec),
    ]
    if run.data.digest == known["data"]["digest"]:
        found += _answers(folder, run.selection(), known)
    else:
        why = "the data file is another, so that nothing can be made anew"
        found += [unchecked(name, why) for name in (*_OF_ANSWERS, "counts")]
    scored = folder.has(SUMMARY)
    found += [*_header(folder), _rest(known, spec, run.data, scored=scored)]
    return [*found, *other_files(folder.path, _FILES)]


def _answers(folder: RunFolder, selection: Selection, known: Mapping[str, Any]) -> Iterator[Check]:
    """Yield the checks that take the answers, one that fails where they cannot be read."""
    try:
        seen = survey(folder.path / RESPONSES)
    except StoreError as error:
        yield Check("lines", State.FAILS, str(error))
        why = "the answers cannot be read"
        yield from (unchecked(name, why) for name in (*_OF_ANSWERS, "counts"))
        return
    yield _lines(folder.path, seen, known)
    yield from _derived(folder, selection, known, seen)


@dataclass(frozen=True, slots=True)
class _Both(Onlooker):
    keys: _Keys
    scores: Scores

    def add(self, answer: ScoredAnswer, beside: Mapping[str, Mapping[str, Any]]) -> None:
        self.keys.add(answer)
        self.scores.add(answer, beside)


def _derived(
    folder: RunFolder, selection: Selection, known: Mapping[str, Any], seen: Survey
) -> Iterator[Check]:
    """Yield the checks that take the answers scored anew."""
    spec, header = folder.spec, folder.header
    prompt = prompt_of(folder.path, header["prompt"])
    said = Conversation(prompt, header["system_prompt"], spec.given, header["prefill"])
    keys, scores = _Keys(spec, said), Scores(folder.path)
    try:
        remade = score_stored(folder, None, spec, selection, header, _Both(keys, scores))
    except StoreError as error:
        why = f"the answers cannot be scored: {error}"
        yield Check("answers", State.FAILS, why)
        yield from (unchecked(name, why) for name in (*_OF_ANSWERS, "counts"))
        return
    yield keys.check()
    stored, fault = readable_summary(folder)
    yield from _digest(folder, stored, known)
    if stored is not None:
        yield from of_summary(stored, remade, scores)
    else:
        yield from _without_summary(fault, scores)
    unpriced = seen.unpriced if header.get("via") else 0  # a gateway's, which showed in the replies
    spent = spent_by(folder.path) or Spent(seen.spent_usd, unknown=unpriced)
    yield _counts(known, {**remade, "spent_usd": spent.total_usd, "spent": spent._asdict()})


def _without_summary(fault: Check | None, scores: Scores) -> Iterator[Check]:
    """Yield what can be said of scores that no summary sums up."""
    why = "not scored yet: `apieval score` does that"
    yield scores.check()[0] if scores.there else unchecked("scores", why)
    yield fault or unchecked("figures", why)


def _name(folder: Path, spec: RunSpec) -> Check:
    name, due = folder.resolve().name, plan.folder_name(spec)
    if is_hidden(spec.identity):
        return unchecked("folder", _HIDDEN)
    if name == due:
        return holds("folder", f"its name ends in the specification's hash, {due[-8:]}")
    if not _HASHED.search(name):
        return unchecked("folder", "its name was chosen and holds no hash of the specification")
    bad = "its name holds the hash of another specification than run.json"
    return judged("folder", "", bad, [Difference("name", name, due)])


def _data(data: Dataset, known: Mapping[str, Any], spec: RunSpec) -> Check:
    """Hold the data file against what the header says of it."""
    stored: dict[str, Any] = known["data"]
    remade: dict[str, Any] = {"name": spec.data, "digest": data.digest}
    if stored["digest"] == data.digest:
        chosen = data.select(spec.subsets or (), spec.limit)
        breakers = json.loads(json.dumps(chosen.rule_breakers()))
        remade |= {"n": len(chosen.rebuses), "rule_breakers": breakers, **data.published}
    claimed = {name: stored.get(name, ABSENT) for name in remade}
    return judged(
        "data",
        f"{data.name} is the file that was asked, {remade.get('n', 0):,} rebuses of it",
        f"{data.name} is not as run.json says",
        differences(claimed, remade, "data"),
    )


def _prompts(folder: RunFolder, spec: RunSpec) -> Check:
    known = folder.header
    prompt = prompt_of(folder.path, known["prompt"])
    remade: dict[str, Any] = {each: prompt.hash(each) for each in spec.settings}
    if "system" in spec.prompts:
        system = known["system_prompt"]
        remade["system"] = spec.prompts["system"] if system is None else digest(system)
    found = [
        *differences(dict(spec.prompts), remade, "spec.prompts"),
        *differences(known["prompts"], remade, "prompts"),
    ]
    good = f"the hashes are those of the templates ({', '.join(spec.settings)})"
    return judged("prompts", good, "the hashes are not those of the templates", found)


def _lines(folder: Path, seen: Survey, known: Mapping[str, Any]) -> Check:
    """Say whether every line is an answer; what a kill leaves behind is no fault of a running one."""
    told = []
    if seen.damaged:
        told.append(f"{counted(len(seen.damaged), 'line')} no answer ({_some(seen.damaged)})")
    if seen.torn:
        told.append(f"the last line ({seen.torn:,}) is torn")
    if seen.again:
        told.append(
            f"{counted(len(seen.again), 'line')} of a question that already appears above "
            f"({_some(seen.again)})"
        )
    whole = f"{counted(seen.answers, 'line')} of {RESPONSES}, each an answer"
    if not told:
        return holds("lines", f"{whole} to another question")
    text = f"{counted(seen.answers, 'answer')}; {'; '.join(told)}"
    if known.get("status") == "running" and not seen.damaged:
        return holds("lines", f"{text}; as a killed run leaves them, the same command goes on")
    return judged("lines", "", text, [_place(folder, each) for each in _numbers(seen)])


def _numbers(seen: Survey) -> list[int]:
    return sorted({*seen.damaged, *seen.again, *([seen.torn] if seen.torn else [])})


def _place(folder: Path, number: int) -> Difference:
    return Difference(f"{folder.name}/{RESPONSES}, line {number}", ABSENT, ABSENT)


def _some(numbers: list[int]) -> str:
    more = f" and {len(numbers) - _SHOWN:,} more" if numbers[_SHOWN:] else ""
    return ", ".join(map(str, numbers[:_SHOWN])) + more


@dataclass(slots=True)
class _Keys:
    """The keys of the answers, derived anew from the specification and the row."""

    spec: RunSpec
    said: Conversation
    count: int = 0
    wrong: list[Difference] = field(default_factory=list)

    @property
    def _known(self) -> bool:
        if is_hidden(self.spec.identity):
            return False
        return "system" not in self.spec.prompts or self.said.system is not None

    def add(self, answer: ScoredAnswer) -> None:
        response = answer.response
        if response is None or not self._known:
            return
        request = conversation.request(
            answer.gold,
            response.setting,
            response.sample,
            self.spec.identity,
            self.said,
            one_seed=self.spec.seeds is None,
        )
        self.count += 1
        if request.key != response.key:
            what = f"row {response.id}, {response.setting}, sample {response.sample}"
            self.wrong.append(Difference(what, response.key, request.key))

    def check(self) -> Check:
        if not self._known:
            hidden = is_hidden(self.spec.identity)
            why = _HIDDEN if hidden else "the system prompt's text is not in run.json"
            return unchecked("keys", why)
        if not self.count:
            return unchecked("keys", "there is no answer")
        good = f"{counted(self.count, 'key')} of answers, each of its row and the specification"
        bad = f"{len(self.wrong):,} of {counted(self.count, 'key')} not of row and specification"
        return judged("keys", good, bad, self.wrong)


def _digest(
    folder: RunFolder, stored: Mapping[str, Any] | None, known: Mapping[str, Any]
) -> Iterator[Check]:
    """Hold the file of answers against what was noted of it when it was scored, and when it ended."""
    now = folder.answers_file
    open_ = known.get("responses", ABSENT) is None and _open(known)
    for name, where in ((SUMMARY, stored), (HEADER, None if open_ else known)):
        check = f"answers as in {name}"
        if where is None:
            yield unchecked(check, "the file does not record their digest")
            continue
        good = f"{counted(now['lines'], 'line')}, {now['digest'][:19]}..., as noted there"
        bad = f"{RESPONSES} has changed since"
        claimed = where.get("responses", ABSENT)
        yield judged(check, good, bad, differences(claimed, now, "responses"))
    if stored is None and open_:
        why = f"of {RESPONSES}: no file has noted what its lines were"
        yield unchecked("lines' content", why, _OF_LINES)


def _counts(known: Mapping[str, Any], remade: Mapping[str, Any]) -> Check:
    """Hold the header's sums against the lines; a run that is open has those of no end."""
    if _open(known):
        return unchecked("counts", "the run has not come to its end", _there(known, _COUNTED))
    names = [*_COUNTED, *(["spent"] if "spent" in known else [])]  # not there in 0.1.0
    claimed = {name: known.get(name, ABSENT) for name in names}
    made = json.loads(json.dumps({name: remade[name] for name in names}))
    good = "outcomes, tokens, cost and servers are those of the lines"
    found = [*differences(claimed, made), *_status(known, partial=remade["partial"])]
    return judged("counts", good, "run.json counts otherwise than the lines", found)


def _open(known: Mapping[str, Any]) -> bool:
    """Say whether a run goes on, or was killed before it could write its end."""
    cut = known["status"] in {"stopped", "interrupted"} and known.get("responses") is None
    return known["status"] == "running" or cut


def _there(known: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    return [name for name in names if name in known]


def _status(known: Mapping[str, Any], *, partial: bool) -> Iterator[Difference]:
    """Hold how a run ended against whether answers are missing.

    One that was stopped or interrupted may have every answer all the same.
    """
    status = known["status"]
    if (status == "done" and partial) or (status == "partial" and not partial):
        yield Difference("status", status, "partial" if partial else "done")


def _header(folder: RunFolder) -> Iterator[Check]:
    """Hold the parts of the header against each other; name keys that another version lacked."""
    known, spec = folder.stored_header, folder.spec
    prompt = prompt_of(folder.path, folder.header["prompt"])
    remade: dict[str, Any] = {
        "format": FORMAT,
        "model": spec.model,
        "spec": json.loads(json.dumps(spec.as_json())),
        "prompt": json.loads(json.dumps(prompt.as_json())),
    }
    if spec.given is None:
        remade["prefill"] = None
    if "system" not in spec.prompts:
        remade["system_prompt"] = None
    if known["status"] in {"running", "done"}:
        remade["message"] = None
    claimed = {name: known.get(name, ABSENT) for name in remade}
    missing = list(_missing(known))
    found = [*differences(claimed, remade), *_provider(spec), *_times(known)]
    found += [
        Difference(f"{each} is missing", ABSENT, ABSENT) for each in missing if each not in _LATER
    ]
    yield judged("header", f"{', '.join(remade)} agree", f"{HEADER} contradicts itself", found)
    if older := [each for each in missing if each in _LATER]:
        yield unchecked(f"more of {HEADER}", "not there, as in runs of apieval 0.1.0", older)


def _missing(known: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys that this version writes, those of a run's end where it has come to it."""
    later = (
        {*_COUNTED, "spent", "message", "responses", "ended", "took_s"} if _open(known) else set()
    )
    for name in EVERY:
        if name not in known and name not in later:
            yield name


def _provider(spec: RunSpec) -> Iterator[Difference]:
    there = spec.identity.get("provider", spec.provider)
    yield from differences(spec.provider, there, "spec.provider")


def _times(known: Mapping[str, Any]) -> Iterator[Difference]:
    """Hold the time of a run against those of its commands, where it names them."""
    commands = known.get("commands")
    if not isinstance(commands, list) or not commands or _open(known):
        return
    times = [each.get("took_s") if isinstance(each, dict) else None for each in commands]
    counts = [each for each in times if isinstance(each, int | float)]
    if len(counts) == len(times):
        yield from differences(known.get("took_s", ABSENT), round(math.fsum(counts), 3), "took_s")


def _rest(known: Mapping[str, Any], spec: RunSpec, data: Dataset, *, scored: bool) -> Check:
    """Name what nothing in the folder says anew, by its keys."""
    held = {*_OF_FOLDER, *_COUNTED, "spent", *(_OF_SUMMARY if scored else ()), "data"}
    if known["status"] in {"done", "partial"}:
        held.add("status")
    if known["status"] in {"done", "running"}:
        held.add("message")
    of_spec = ["spec.identity"] if is_hidden(spec.identity) else []
    of_data = [f"data.{each}" for each in known["data"] if each not in {*_DATA, *data.published}]
    named = [each for each in known if each not in held]
    return unchecked(
        HEADER, "the folder holds nothing to compare these keys with", [*named, *of_spec, *of_data]
    )
