"""The commands: run models, check them, score answers, compare and verify; each returns what it found.

This module joins the wings and owns no knowledge of its own. What a run needs is imported when
one begins: scoring never opens a socket, and cannot.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from apieval.commands import datasets, foreign_answers
from apieval.commands.compare import compare
from apieval.commands.export import Exported, export
from apieval.commands.options import Items, Reported, RunOptions
from apieval.commands.score import Auditor, Onlooker, Result, result_of, run_of, score_stored, write
from apieval.commands.verify import Verification, verify
from apieval.config import file as configuration
from apieval.config.file import Providers
from apieval.config.models import Params
from apieval.errors import ConfigError, StoreError, did_you_mean
from apieval.rebus import conversation, prompts
from apieval.rebus.answers import PLAIN, Fields
from apieval.rebus.dataset import Selection
from apieval.rebus.prompts import Prompt
from apieval.records import GIVENS, SETTINGS, Rebus, Request, Setting
from apieval.results.answers import RESPONSES
from apieval.results.folder import HEADER, RunFolder
from apieval.results.folders import expanded
from apieval.run import header
from apieval.run.steps import Check, Step
from apieval.run.watcher import Watcher

__all__ = [
    "Exported",
    "Reported",
    "Verification",
    "check",
    "compare",
    "export",
    "report",
    "run",
    "runs_in",
    "score",
    "verify",
    "why",
]

MOST_SAMPLES: Final = 1_000


def run(
    models: Sequence[str], options: RunOptions | None = None, watcher: Watcher | None = None
) -> list[Result]:
    """Evaluate models on a data file, side by side, and score what they answer.

    A run that was begun before goes on where it stopped. Every model is checked before the first
    request. The user's interrupt ends all; a model that stops early does not end the others.
    There is a result for each model, in the order they were named; with a set of prompts, for
    each model by each prompt.

    Raises:
        ConfigError, DataError, StoreError: before anything is asked.
    """
    from apieval.commands.run import OneRun  # noqa: PLC0415
    from apieval.commands.side_by_side import carry_out  # noqa: PLC0415
    from apieval.run.model import prepare  # noqa: PLC0415

    options, watcher = options or RunOptions(), watcher or Watcher()
    _check(models, options)
    providers = _providers(options)
    chosen = _chosen(options)
    said = _prompts(options)
    ready = [
        prepare(name, providers, os.environ, options.lexicon, chosen, options.given, options.words)
        for name in models
    ]
    selection = _selection(options, watcher.message)
    runs = [OneRun(each, options, selection, prompt, watcher) for each in ready for prompt in said]
    its_own = watcher.each([each.label for each in runs])
    for each, follows in zip(runs, its_own, strict=True):
        each.watcher = follows
        each.check()
    return carry_out(runs, options, selection, watcher)


def why(model: str, options: RunOptions) -> Iterator[tuple[Request, dict[str, Any] | None]]:
    """Yield every question of a run that is not in the cache, and how the nearest one differs.

    Raises:
        ConfigError, DataError: as for a run; ConfigError without a cache.
    """
    from apieval.run.cache import ResponseCache  # noqa: PLC0415
    from apieval.run.model import prepare  # noqa: PLC0415

    if options.cache is None:
        raise ConfigError("--cache off: name the cache's folder, or leave the option out.")
    providers = _providers(options)
    chosen = _chosen(options)
    prepared = prepare(
        model, providers, os.environ, options.lexicon, chosen, options.given, options.words
    )
    selection = _selection(options)
    with closing(ResponseCache(options.cache)) as cache:
        for request in conversation.requests(
            selection.rebuses,
            options.settings,
            options.samples,
            prepared.identity,
            conversation=prepared.conversation(_prompt(options), options.given),
        ):
            if cache.get(request) is None:
                yield request, cache.nearest(request.identity)


def check(
    models: Sequence[str] | None = None,
    options: RunOptions | None = None,
    *,
    row: str | None = None,
    tell: Callable[[str, Step], None] = lambda _model, _step: None,
    say: datasets.Say | None = None,
) -> list[Check]:
    """Ask each model one question, once, and say what a run would take; None is every model.

    `options` are those of the run in question, `row` the id of the rebus that is asked, without
    it the first one of the run; `tell` is told every step as soon as it is done, `say` what is
    fetched for it, and now and then that an answer is waited for. Models that are named are checked one after the other, all of them several at
    once.

    Raises:
        ConfigError, DataError: before anything is asked.
    """
    from apieval.commands import check as one_check  # noqa: PLC0415

    options = options or RunOptions()
    providers = _providers(options)
    names = providers.names() if models is None else models
    _check(names, options)
    for name in names:
        providers.check_shown(name)
    chosen = _chosen(options)
    selection = _selection(options, say)
    rebus = selection.rebuses[0] if row is None else _row(selection, row)
    question = one_check.Question(options, chosen, selection, _prompt(options), rebus)
    hear = say or (lambda _: None)
    checks = [
        one_check.OneCheck(name, providers, os.environ, question, tell, hear) for name in names
    ]
    apart = one_check.batches(checks) if models is None else [[each] for each in checks]
    found = one_check.carry_out(apart)
    return sorted(found, key=lambda each: names.index(each.model))


def report(
    folders: Sequence[str | Path],
    out: str | Path | None = None,
    *,
    data: str | Path | None = None,
    items: Items = "all",
    say: datasets.Say | None = None,
) -> Reported:
    """Write the report of one run, or of several side by side, and return its files.

    `folders` are run folders, what `score` wrote to its `out`, or folders of such; of the latter
    `say` is told which runs were taken. The files go to `out`; without
    it those of one run go to its folder, those of several to `report` beside the first. `items` are
    the rebuses that stand in the page one by one, `data` their file where it is elsewhere now.

    Raises:
        ConfigError, DataError, StoreError: naming file and remedy.
    """
    from apieval.commands import report as reported  # noqa: PLC0415 # only a report needs its sections

    return reported.report(folders, out, data=data, items=items, say=say)


def runs_in(path: Path, say: datasets.Say | None = None) -> list[Path]:
    """Return the runs that can be scored of a folder of runs; any other path is returned itself.

    Raises:
        ConfigError: where a folder has runs, and none that can be scored.
    """
    return [each.path for each in expanded([path], _check_answers, say)]


def _check_answers(folder: RunFolder) -> None:
    """Refuse a run without answers, or of which nobody can say what they are of."""
    for name in (RESPONSES, HEADER):
        if not folder.has(name):
            raise StoreError(f"no {name}")
    folder.header  # noqa: B018 # it can be read


def _providers(options: RunOptions) -> Providers:
    return configuration.load(configuration.find_file(options.config, Path.cwd()))


def _chosen(options: RunOptions) -> Params:
    return configuration.chosen_params(options.preset, options.params, options.drop)


def _prompts(options: RunOptions) -> list[Prompt]:
    """Return the prompts of a run: one, or all of a folder's templates."""
    if options.prompt_set is None:
        return [_prompt(options)]
    if options.prompt is not None:
        raise ConfigError("--prompt or --prompt-set: give one of them.")
    if options.name is not None:
        raise ConfigError("--name names one run, but a set of prompts makes several.")
    return prompts.choose_all(options.prompt_set, options.shots)


def _prompt(options: RunOptions) -> Prompt:
    return prompts.choose(options.prompt, options.shots)


def _selection(options: RunOptions, say: datasets.Say | None = None) -> Selection:
    return datasets.load(options.data, say=say).select(options.subsets, options.limit)


def _row(selection: Selection, row: str) -> Rebus:
    data = selection.data
    found = data.by_id.get(row)
    if found is None:
        ids = [str(rebus.id) for rebus in data.rebuses]
        raise ConfigError(
            f"--row {row}: {data.name} has no such row{did_you_mean(row, ids)}; "
            f"its ids go from {ids[0]} to {ids[-1]}."
        )
    return found


def score(  # noqa: PLR0913 # an argument an option
    path: Path,
    data: str | Path | None = None,
    *,
    setting: Setting | None = None,
    subsets: Sequence[str] = (),
    limit: int | None = None,
    out: Path | None = None,
    say: datasets.Say | None = None,
    against: Sequence[Path] | None = None,
    id_field: str = PLAIN.id,
    text_field: str = PLAIN.text,
) -> Result:
    """Score stored answers, offline: a run folder, or a file that another tool wrote.

    Such a file holds raw answers or lm-evaluation-harness's samples (JSONL), or is the study's parsed
    CSV. `id_field` and `text_field` are what raw answers call the row's id and the text.
    A run folder knows its data and gets its `scores.jsonl` and `summary.json` anew, unless `out`
    names another folder; other files need `data`, and are written only where `out` is given. `say`
    is told once of the terms that the challenge's data may be used on. With runs to hold the
    answers `against`, be they none, the summary has an `audit` too.

    Raises:
        ConfigError, DataError, StoreError: naming file, line and remedy.
    """
    if not path.exists():
        raise StoreError(f"{path}: there is no such run folder or file.")
    fields = Fields(id_field, text_field)
    if path.is_dir():
        if subsets or limit is not None or setting is not None or fields != PLAIN:
            raise ConfigError(
                f"{path}: a run is scored whole; leave out --setting, --subset, --limit, --id-field "
                "and --text-field."
            )
        return _score_run(path, data, out, against, say)
    foreign_answers.look(path, fields, alone=data is None)
    if data is None:
        raise ConfigError(f"{path}: give the data file these answers are of with --data.")
    selection = datasets.at_hand(data, gold_only=True, say=say).select(subsets, limit)
    found = foreign_answers.read(path, selection, setting or "regular", fields)
    onlooker = Onlooker() if against is None else Auditor(selection, against)
    return result_of(path.stem, out, write(out, found.measured, found.answers, None, onlooker))


def _check(models: Sequence[str], options: RunOptions) -> None:
    if isinstance(models, str) or isinstance(options.settings, str):
        raise ConfigError("models are a list of names, and settings a tuple, as in ('hints',).")
    if unknown := [each for each in options.settings if each not in SETTINGS]:
        raise ConfigError(f"there is no setting {unknown[0]!r}; there are {', '.join(SETTINGS)}.")
    if not models:
        raise ConfigError("name at least one model; `apieval models` lists them.")
    if len(set(models)) < len(models):
        raise ConfigError("a model was named twice; name each once.")
    if options.name and len(models) > 1:
        raise ConfigError("--name names one run, but several models were given; run them apart.")
    if options.name and header.slug(options.name) != options.name:
        raise ConfigError(f"--name {options.name!r}: use letters, digits, '.', '_' and '-' alone.")
    if options.limit is not None and options.limit < 1:
        raise ConfigError(f"--limit {options.limit}: must be 1 or more.")
    if options.given not in {None, *GIVENS}:
        raise ConfigError(f"--given {options.given}: give one of {', '.join(GIVENS)}.")
    if not 1 <= options.samples <= MOST_SAMPLES:
        raise ConfigError(f"--samples {options.samples}: must be 1 to {MOST_SAMPLES:,}.")


def _score_run(
    folder: Path,
    data: str | Path | None,
    out: Path | None,
    against: Sequence[Path] | None,
    say: datasets.Say | None,
) -> Result:
    run = run_of(RunFolder(folder), data, say)
    run.check_data()
    selection = run.selection()
    onlooker = Onlooker() if against is None else Auditor(selection, against)
    summary = score_stored(run.folder, out or folder, run.spec, selection, run.header, onlooker)
    result = result_of(run.spec.model, out or folder, summary)
    status = run.header["status"]
    if result.status == "partial" and status in {"stopped", "interrupted"}:
        return replace(result, status=status, message=run.header["message"])
    return result
