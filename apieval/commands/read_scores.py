"""Scores read back: a run folder, or what `apieval score --out` wrote, by one parser.

Everything is checked as it is read: a wrong comparison looks just like a right one.

`scores.jsonl` read line by line: whatever is made of a line, one that is no score is named.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar, cast

from apieval.analysis.findings import UNNAMED
from apieval.analysis.pairing import Scored, Tallies
from apieval.analysis.shared_answers import Key, Said, Side, said
from apieval.analysis.summary import FORMAT
from apieval.commands import shapes
from apieval.errors import ConfigError, StoreError, did_you_mean
from apieval.files import is_folder, is_there, ordinary
from apieval.rebus.metrics import HEADLINE, METRICS, told
from apieval.records import GIVENS, SETTINGS, Given, RowId, Setting, Tally, row_order
from apieval.report.files import SCORES, SUMMARY
from apieval.report.terminal import label
from apieval.results.answers import RESPONSES
from apieval.results.folder import RunFolder
from apieval.run.header import HEADER
from apieval.signature import finite, parts

T = TypeVar("T")
ANEW: Final = "write it anew with `apieval score`."
_SHOWN: Final = 80


def score_lines(
    path: Path, made_of: Callable[[Any], T], skip: Callable[[bytes], bool] = lambda _: False
) -> Iterator[T]:
    r"""Yield what `made_of` makes of each line; those to `skip` are not even parsed.

    Lines are split at `\n` alone.

    Raises:
        StoreError: naming the file, and the line that is no JSON or that `made_of` refuses by a
            AttributeError, LookupError, TypeError or ValueError.
    """
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            if skip(line):
                continue
            try:
                made = made_of(json.loads(line, parse_constant=finite, parse_float=finite))
            except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
                raise no_score(path, f", line {number}", error) from None
            yield made


def no_score(path: Path, where: str, error: Exception) -> StoreError:
    """Return the error that says what is no score, `where` in its file, and the remedy."""
    return StoreError(f"{path}{where}: no score ({why(error)}); {ANEW}")


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file that `apieval score` wrote.

    Raises:
        StoreError: where it is not there or cannot be read, with the remedy.
    """
    try:
        with ordinary(path).open("rb") as file:
            yield file
    except FileNotFoundError:
        raise StoreError(f"{path}: there is no such file; {_how(path.parent)}.") from None
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror or error}.") from None


def _how(folder: Path) -> str:
    """Return how a folder comes to have scores."""
    if (folder / HEADER).exists():
        return f"`apieval score {folder}` writes it"
    return "name a run folder, or what `apieval score ANSWERS --out` wrote"


def why(error: Exception) -> str:
    """Return in few words why something is not what a score or a summary is."""
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        return "not whole JSON in UTF-8"
    said = f"no {error}" if isinstance(error, KeyError) else str(error)
    return " ".join(said.split())[:_SHOWN]


def read_all(folders: Sequence[Path], parser: str, least: int = 2) -> list[Scored]:
    """Read several folders; each is named by its model, or by more where models are equal.

    Raises:
        ConfigError: for fewer folders than the `least`, and one named twice.
        StoreError: for files that are missing or cannot be read, naming file and line.
    """
    if len(folders) < least:
        raise ConfigError("name at least two folders to compare.")
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise ConfigError("a folder was named twice; name each once.")
    summaries = [_summary(folder, parser) for folder in folders]
    names = _names(folders, summaries)
    return [
        _scored(name, folder, summary, parser)
        for name, folder, summary in zip(names, folders, summaries, strict=True)
    ]


def check(folder: Path, parser: str) -> None:
    """Check that a folder has a summary that can be read, of scores by that parser.

    Raises:
        ConfigError, StoreError: where it has not.
    """
    _summary(folder, parser)


def _names(folders: Sequence[Path], summaries: Sequence[_Summary]) -> list[str]:
    """Return what tells the runs apart: model, model and prompt, else the folder's name.

    Folders of one name go by as much of the end of their paths as differs: a whole path would tell
    the readers of a report whose machine it was.
    """
    models = [each.model for each in summaries]
    labels = [each.label for each in summaries]
    ways = [folder.resolve().parts for folder in folders]
    deepest = max(map(len, ways))
    ends = ([str(Path(*way[-n:])) for way in ways] for n in range(1, deepest + 1))
    return next(each for each in (models, labels, *ends) if len(set(each)) == len(each))


@dataclass(frozen=True, slots=True)
class _Summary:
    model: str
    label: str
    digest: str
    rebuses: int
    given: Given | None
    signatures: Mapping[Setting, Mapping[str, str]]
    served: frozenset[str]


def _summary(folder: Path, parser: str) -> _Summary:
    path = folder / SUMMARY
    if not is_folder(folder):
        what = "a file, no folder" if is_there(folder) else "there is no such folder"
        raise StoreError(
            f"{folder}: {what}; name run folders, or those that `apieval score --out` wrote."
        )
    try:
        with opened(path) as file:
            known = json.load(file, parse_constant=finite, parse_float=finite)
        if known["format"] != FORMAT:
            raise StoreError(f"{path}: format {known['format']!r}, not {FORMAT}; {ANEW}")
        shapes.refuse_other(shapes.Summary, known, path, ANEW)
        by_setting = {
            each: known["signatures"][each] for each in SETTINGS if each in known["signatures"]
        }
        _has(parser, by_setting, path)
        signatures = {each: parts(named[parser]) for each, named in by_setting.items()}
        found = _Summary(
            _text(known["model"]),
            label(known),
            _text(known["data"]["digest"]),
            _count(known["data"]["n"]),
            given_of(known.get("given")),
            signatures,
            frozenset(((known.get("served") or {}).get("served_model") or {}).keys() - {UNNAMED}),
        )
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"{path}: no summary of scores ({why(error)}); {ANEW}") from None
    return found


def _has(parser: str, by_setting: Mapping[Setting, Mapping[str, str]], path: Path) -> None:
    present = sorted({name for named in by_setting.values() for name in dict(named)})
    if not present:
        raise ValueError("no signatures")
    if any(parser not in named for named in by_setting.values()):
        raise ConfigError(
            f"--parser {parser}: {path} has no scores by it{did_you_mean(parser, present)}; "
            f"there are {', '.join(present)}. `apieval score` scores anew by every parser."
        )


def _scored(name: str, folder: Path, summary: _Summary, parser: str) -> Scored:
    path = folder / SCORES
    rows: dict[Setting, dict[str, dict[int, Tallies | None]]] = {
        setting: {} for setting in summary.signatures
    }
    ids: dict[str, RowId] = {}
    hidden = told(summary.given)
    what: dict[Setting, dict[Key, Said]] = {setting: {} for setting in summary.signatures}

    def take(value: Mapping[str, Any]) -> None:
        if value["parser"] != parser:
            return
        given = value["id"]
        samples = rows[cast("Setting", value["setting"])].setdefault(str(_id(given)), {})
        samples[_new(value["sample"], samples)] = tallies = _tallies(value, hidden)
        if tallies:
            key = (given, value["sample"])
            what[value["setting"]][key] = _said(value, right=tallies[HEADLINE].right > 0)
        ids[str(given)] = given

    for _ in score_lines(path, take):
        pass
    # older versions wrote scores as the answers came
    for setting, of in rows.items():
        rows[setting] = dict(sorted(of.items(), key=lambda pair: row_order(ids[pair[0]])))
    for setting, each in what.items():
        what[setting] = dict(sorted(each.items(), key=lambda pair: row_order(pair[0][0])))
    return Scored(
        name=name,
        model=summary.model,
        folder=str(folder),
        digest=summary.digest,
        rebuses=summary.rebuses,
        given=summary.given,
        signatures=summary.signatures,
        rows=rows,
        ids=ids,
        side=Side(name, summary.served | {summary.model}, what),
    )


def _said(value: Mapping[str, Any], *, right: bool) -> Said:
    parts = (value["word_guesses"], value["first_pass"], value["solution_words"])
    return said(*parts, _text(value["solution"]), right=right)


def with_texts(run: Scored) -> Side:
    """Return what a run's answers say, with a hash of each whole text where the folder has them.

    Raises:
        StoreError: where they cannot be read.
    """
    if run.side is None or not is_there(Path(run.folder) / RESPONSES):
        return run.side or Side(run.name, frozenset(), {})
    known = {setting: dict(answers) for setting, answers in run.side.said.items()}
    for response in RunFolder(Path(run.folder)).responses():
        key = (response.id, response.sample)
        if (found := known.get(response.setting, {}).get(key)) is not None:
            known[response.setting][key] = found._replace(text=hash(response.text))
    return replace(run.side, said=known)


def _new(sample: object, known: Collection[int]) -> int:
    found = _count(sample)
    if found in known:
        raise ValueError(f"sample {found} of this row and setting stands above already")
    return found


def _tallies(value: Mapping[str, Any], hidden: Collection[str]) -> Tallies | None:
    counts = value["counts"]
    if value["outcome"] == "failed":
        if counts is not None:
            raise ValueError("a failed request with a score")
        return None
    return {name: _tally(*counts[name]) for name in METRICS if name not in hidden}


def _tally(right: object, total: object) -> Tally:
    found = Tally(_count(right), _count(total))
    if not found.right <= found.total or not found.total:
        raise ValueError(f"{found.right} right of {found.total}")
    return found


def _count(value: object) -> int:
    if type(value) is not int or value < 0:  # a bool is an int
        raise ValueError(f"{value!r} is no count")
    return value


def _id(value: object) -> RowId:
    if type(value) is int or isinstance(value, str):
        return value
    raise ValueError(f"{value!r} is no id")


def given_of(value: object) -> Given | None:
    """Return how far answers were begun, as a summary says.

    Raises:
        ValueError: for what is none of it.
    """
    if value is not None and value not in GIVENS:
        raise ValueError(f"{value!r} is no step that can be given")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no text")  # noqa: TRY004 # told like every other fault
    return value
