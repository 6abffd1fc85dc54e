"""A run folder, checked: data, prompts, every stored answer and its key, scores, figures, counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from apieval.analysis.checked import (
    ABSENT,
    Check,
    Difference,
    State,
    differences,
    holds,
    judged,
    unchecked,
)
from apieval.errors import StoreError
from apieval.rebus import conversation
from apieval.rebus.conversation import Conversation
from apieval.rebus.dataset import Dataset, Selection
from apieval.rebus.scoring import ScoredAnswer
from apieval.run import plan
from apieval.run.responses import RESPONSES, Survey, survey
from apieval.schema import RunSpec
from apieval.signature import digest, is_hidden
from apieval.verbs.results import Onlooker, prompt_of, run_of, score_stored, source
from apieval.verbs.verified_files import Scores, of_summary, read_summary
from apieval.wording import counted

_SHOWN: Final = 5
_HASHED: Final = re.compile(r"-(?:both|regular|hints)-[0-9a-f]{8}$")
"""How a folder's name ends that a run gave itself."""
_HIDDEN: Final = "it rests on what the headers say, of which run.json has hashes alone"
_COUNTED: Final = ("outcomes", "usage", "served", "spent_usd")


def checks(folder: Path, data: str | Path | None) -> list[Check]:
    """Return every check of a run folder.

    Raises:
        DataError, StoreError: where there is no header or no data file to check against.
    """
    run = run_of(folder, data)
    spec, known = run.spec, run.header
    found = [
        _name(folder, spec),
        _data(run.data, known, spec),
        _prompts(folder, spec, known),
    ]
    seen = survey(folder / RESPONSES)
    found.append(_lines(folder, seen, known))
    if run.data.digest != known["data"]["digest"]:
        why = "the data file is another, so that nothing can be made anew"
        return [*found, *(unchecked(name, why) for name in ("keys", "scores", "figures", "counts"))]
    return [*found, *_derived(folder, run.selection(), spec, known, seen)]


@dataclass(frozen=True, slots=True)
class _Both(Onlooker):
    keys: _Keys
    scores: Scores

    def add(self, answer: ScoredAnswer, beside: Mapping[str, Mapping[str, Any]]) -> None:
        self.keys.add(answer)
        self.scores.add(answer, beside)


def _derived(
    folder: Path, selection: Selection, spec: RunSpec, known: Mapping[str, Any], seen: Survey
) -> Iterator[Check]:
    """Yield the checks that take the answers scored anew."""
    said = Conversation(
        prompt_of(folder, known), known.get("system_prompt"), spec.given, known.get("prefill")
    )
    keys, scores = _Keys(spec, said), Scores(folder)
    try:
        remade = score_stored(folder, None, spec, selection, _Both(keys, scores))
    except StoreError as error:
        why = f"the answers cannot be scored: {error}"
        yield Check("answers", State.FAILS, why)
        yield from (unchecked(name, why) for name in ("keys", "scores", "figures", "counts"))
        return
    yield keys.check()
    stored = read_summary(folder)
    yield from _digest(folder, stored, known)
    if stored is None:
        why = "not scored yet: `apieval score` does that"
        yield from (unchecked(name, why) for name in ("scores", "figures"))
    else:
        yield from of_summary(stored, remade, scores)
    yield _counts(known, {**remade, "spent_usd": seen.spent_usd})


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
    remade: dict[str, Any] = {"digest": data.digest}
    if stored["digest"] == data.digest:
        chosen = data.select(spec.subsets or (), spec.limit)
        remade |= {"n": len(chosen.rebuses), "rule_breakers": chosen.rule_breakers()}
    claimed = {name: stored[name] for name in remade if name in stored}
    return judged(
        "data",
        f"{data.name} is the file that was asked, {remade.get('n', 0):,} rebuses of it",
        f"{data.name} is not as run.json says",
        differences(claimed, {name: remade[name] for name in claimed}, "data"),
    )


def _prompts(folder: Path, spec: RunSpec, known: Mapping[str, Any]) -> Check:
    prompt = prompt_of(folder, known)
    remade: dict[str, Any] = {each: prompt.hash(each) for each in spec.settings}
    if "system" in spec.prompts:
        system = known.get("system_prompt")
        remade["system"] = spec.prompts["system"] if system is None else digest(system)
    found = [
        *differences(dict(spec.prompts), remade, "spec.prompts"),
        *differences(known.get("prompts", ABSENT), remade, "prompts"),
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
            f"{counted(len(seen.again), 'line')} of a question that stands above already "
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
            answer.gold, response.setting, response.sample, self.spec.identity, self.said
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
        good = f"{counted(self.count, 'key')} of answers, each of its row and the specification"
        bad = f"{len(self.wrong):,} of {counted(self.count, 'key')} not of row and specification"
        return judged("keys", good, bad, self.wrong)


def _digest(
    folder: Path, stored: Mapping[str, Any] | None, known: Mapping[str, Any]
) -> Iterator[Check]:
    """Hold the file of answers against what was noted of it when it was scored, and when it ended."""
    now = source(folder / RESPONSES)
    for name, where in (("summary.json", stored), ("run.json", known)):
        claimed = (where or {}).get("responses")
        check = f"answers as in {name}"
        if claimed is None:
            yield unchecked(check, "it says nothing of them")
            continue
        good = f"{counted(now['lines'], 'line')}, {now['digest'][:19]}..., as noted there"
        bad = f"{RESPONSES} has changed since"
        yield judged(check, good, bad, differences(claimed, now, "responses"))


def _counts(known: Mapping[str, Any], remade: Mapping[str, Any]) -> Check:
    claimed = {name: known[name] for name in _COUNTED if name in known}
    if len(claimed) < len(_COUNTED):
        return unchecked("counts", "run.json has none: the run has not come to its end")
    found = differences(claimed, {name: remade[name] for name in _COUNTED})
    good = "outcomes, tokens, cost and servers are those of the lines"
    return judged("counts", good, "run.json counts otherwise than the lines", found)
