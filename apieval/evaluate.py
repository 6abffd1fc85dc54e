"""The verbs: run models, score answers. Each takes options and returns what it found.

This module joins the wings and owns no knowledge of its own: it opens the data, the provider, the
cache and the store, lets the runner ask, and hands the stored answers to the parsers, metrics and
figures. Everything that opens a socket is imported when a run needs it: scoring never does.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any, Literal

from platformdirs import user_cache_path

from apieval import config as configuration
from apieval.analysis.figures import Collector
from apieval.analysis.summary import Measured, Usage, summarize
from apieval.config import Embedded
from apieval.errors import ConfigError, DataError, StoppedEarly, StoreError
from apieval.rebus import answers, dataset, prompts, scoring
from apieval.rebus.dataset import SAMPLE, Selection
from apieval.rebus.parsers import official
from apieval.report import files
from apieval.run import header, plan, store
from apieval.run.cache import CacheFailed, ResponseCache
from apieval.run.limiter import Limiter
from apieval.run.mend import ItemKey
from apieval.run.money import Forecast, forecast
from apieval.run.patience import Patience
from apieval.run.prepare import Prepared, connected, prepare
from apieval.run.retry import RetryPolicy
from apieval.run.runner import Runner
from apieval.run.session import drive, stopping_on_signals
from apieval.run.store import Store
from apieval.run.watcher import Watcher
from apieval.schema import SETTINGS, ItemScore, Outcome, Request, RunSpec, Setting


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to run; the options of `apieval run`. Only the first group can change an answer.

    `data` is `sample` or a path. `limit` takes the first rows of each subset. `timeout_s` is the
    wall-clock limit of one attempt, in seconds. `concurrency` None is the model's own limit.
    `cache` None is no cache.
    """

    config: Path | None = None
    data: str = SAMPLE
    settings: tuple[Setting, ...] = SETTINGS
    subsets: tuple[str, ...] = ()
    limit: int | None = None
    samples: int = 1
    lexicon: Path | None = None

    concurrency: int | Literal["auto"] | None = None
    max_cost_usd: float | None = None
    timeout_s: float = 600.0
    wait_for_server_s: float = 120.0
    retry_truncated: bool = False
    out: Path = Path("results")
    name: str | None = None
    cache: Path | None = field(default_factory=lambda: user_cache_path("apieval"))
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """What a run or a scoring came to.

    `status` is done, partial, stopped or interrupted; `message` says why it is not done.
    `folder` is None where nothing was written.
    """

    model: str
    folder: Path | None
    status: str
    summary: dict[str, Any]
    message: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the summary with `model`, `dir` and `status`, as `--json` prints it."""
        where = str(self.folder) if self.folder else None
        return {**self.summary, "model": self.model, "dir": where, "status": self.status}


def run(
    models: Sequence[str], options: RunOptions | None = None, watcher: Watcher | None = None
) -> list[Result]:
    """Evaluate models on a data file, one after the other, and score what they answer.

    A run that was begun before goes on where it stopped. Every model is checked before the first
    request. The user's interrupt ends all; a model that stops early does not end the others.

    Raises:
        ConfigError, DataError, StoreError: before anything is asked.
    """
    options, watcher = options or RunOptions(), watcher or Watcher()
    _check(models, options)
    providers = configuration.load(configuration.find_file(options.config, Path.cwd()))
    ready = [prepare(name, providers, os.environ, options.lexicon) for name in models]
    selection = dataset.load(options.data).select(options.subsets, options.limit)
    runs = [_Run(each, options, selection, watcher) for each in ready]
    for each in runs:
        each.check()
    results: list[Result] = []
    while runs and not (results and results[-1].status == "interrupted"):
        results.append(runs.pop(0).carry_out())
    return results


def why(model: str, options: RunOptions) -> Iterator[tuple[Request, dict[str, Any] | None]]:
    """Yield every question of a run that is not in the cache, and how the nearest one differs.

    Raises:
        ConfigError, DataError: as for a run; ConfigError without a cache.
    """
    if options.cache is None:
        raise ConfigError("--cache off: name the cache's folder, or leave the option out.")
    providers = configuration.load(configuration.find_file(options.config, Path.cwd()))
    prepared = prepare(model, providers, os.environ, options.lexicon)
    selection = dataset.load(options.data).select(options.subsets, options.limit)
    with closing(ResponseCache(options.cache)) as cache:
        for request in prompts.requests(
            selection.rebuses, options.settings, options.samples, prepared.identity
        ):
            if cache.get(request) is None:
                yield request, cache.nearest(request.identity)


def score(
    path: Path,
    data: str | Path | None = None,
    *,
    setting: Setting = "regular",
    subsets: Sequence[str] = (),
    limit: int | None = None,
    out: Path | None = None,
) -> Result:
    """Score stored answers, offline: a run folder, raw answers (JSONL), or the study's parsed CSV.

    A run folder knows its data and gets its `scores.jsonl` and `summary.json` anew, unless `out`
    names another folder; other files need `data`, and are written only where `out` is given.

    Raises:
        ConfigError, DataError, StoreError: naming file, line and remedy.
    """
    if path.is_dir():
        if subsets or limit is not None:
            raise ConfigError(f"{path}: a run is scored whole; leave out --subset and --limit.")
        return _score_run(path, data, out)
    if data is None:
        raise ConfigError(f"{path}: give the data file these answers are of with --data.")
    whole = dataset.load(data, gold_only=True)
    selection = whole.select(subsets, limit)
    if path.suffix.lower() == ".csv":
        scores, settings, samples = list(_parsed(path, selection, setting)), [setting], 1
    else:
        scores = list(_raw(path, selection, setting))
        settings = [each for each in SETTINGS if any(s.setting == each for s in scores)]
        samples = 1 + max((each.sample for each in scores), default=0)
    measured = Measured(path.stem, selection, settings or [setting], samples)
    return _result(path.stem, out, _write(out, measured, scores, None))


def _raw(path: Path, selection: Selection, setting: Setting) -> Iterator[ItemScore]:
    chosen = selection.by_id
    for rebus, response in answers.raw(path, selection.data.by_id, setting):
        if str(rebus.id) in chosen:
            yield from scoring.score(response, rebus)


def _parsed(path: Path, selection: Selection, setting: Setting) -> Iterator[ItemScore]:
    chosen = selection.by_id
    for rebus, prediction in answers.parsed(path, selection.data.by_id):
        if str(rebus.id) in chosen:
            # the study's rows are what the official parser made of the answers
            yield scoring.of_prediction(prediction, rebus, parser=official.NAME, setting=setting)


def _check(models: Sequence[str], options: RunOptions) -> None:
    if not models:
        raise ConfigError("name at least one model; `apieval models` lists them.")
    if len(set(models)) < len(models):
        raise ConfigError("a model was named twice; name each once.")
    if options.name and len(models) > 1:
        raise ConfigError("--name names one run, but several models were given; run them apart.")
    if options.name and plan.slug(options.name) != options.name:
        raise ConfigError(f"--name {options.name!r}: use letters, digits, '.', '_' and '-' alone.")
    for what, value in (("--limit", options.limit), ("--samples", options.samples)):
        if value is not None and value < 1:
            raise ConfigError(f"{what} {value}: must be 1 or more.")


@dataclass(slots=True)
class _Run:
    """One model's run, from its folder to its result."""

    prepared: Prepared
    options: RunOptions
    selection: Selection
    watcher: Watcher
    spec: RunSpec = field(init=False)
    folder: Path = field(init=False)

    def __post_init__(self) -> None:
        options = self.options
        self.spec = RunSpec(
            model=self.prepared.name,
            provider=self.prepared.model.provider,
            identity=self.prepared.identity,
            data=self.selection.data.name,
            settings=options.settings,
            subsets=options.subsets or None,
            limit=options.limit,
            samples=options.samples,
            prompts={setting: prompts.template_hash(setting) for setting in options.settings},
        )
        self.folder = options.out / (options.name or plan.folder_name(self.spec))

    def check(self) -> None:
        self.prepared.budget(self.options.max_cost_usd, 0.0)
        if not self.options.fresh:
            header.check_same_run(self.folder, self.spec, self.selection.data.digest)

    def carry_out(self) -> Result:
        if self.options.fresh and (old := store.set_aside(self.folder)):
            self.watcher.message(f"the run begun before is kept in {old}")
        began = datetime.now(UTC)
        with ExitStack() as stack:
            opened = Store.open(self.folder, self.watcher.message, self._ask_again())
            stack.callback(opened.close)
            header.write(self.folder, {**self._header(), "began": began.isoformat()})
            cache = None
            # what the embedded solver says costs nothing, and changes with the code at hand
            if self.options.cache and not isinstance(self.prepared.model, Embedded):
                try:
                    cache = ResponseCache(self.options.cache, self.watcher.message)
                    stack.callback(cache.close)
                except CacheFailed as error:
                    self.watcher.message(f"{error} Going on without it.")
            status, message = self._ask(opened, cache)
        try:
            summary = _score_stored(self.folder, self.folder, self.spec, self.selection)
            result = _result(self.spec.model, self.folder, summary)
            if status is not None:
                result = replace(result, status=status, message=message)
            self._close_header(result, began)
        except StoreError as error:  # a full disk: every answer that was stored is kept
            raise StoppedEarly(message or str(error)) from None
        return result

    def _ask_again(self) -> frozenset[Outcome]:
        more = {Outcome.TRUNCATED} if self.options.retry_truncated else set()
        return store.ASK_AGAIN | more

    def _header(self) -> dict[str, Any]:
        data = self.selection.data
        broken = dict(data.rule_breakers())
        if broken:
            self.watcher.message(
                f"{data.name}: rows that break a rule of the game, used all the same: "
                + "; ".join(f"{rule}: {count}" for rule, count in broken.items())
            )
        facts = {
            "name": data.name,
            "path": self.options.data,
            "digest": data.digest,
            "n": len(self.selection.rebuses),
            "rule_breakers": broken,
        }
        return plan.header(self.spec, facts)

    def _close_header(self, result: Result, began: datetime) -> None:
        ended = datetime.now(UTC)
        known = {name: result.summary[name] for name in ("outcomes", "usage", "served")}
        times = {"ended": ended.isoformat(), "took_s": round((ended - began).total_seconds(), 3)}
        end = {"status": result.status, "message": result.message, **known, **times}
        header.write(self.folder, end)

    def _ask(self, opened: Store, cache: ResponseCache | None) -> tuple[str | None, str | None]:
        """Ask what has no answer yet; return status and message where that was cut short."""
        spec, answered = self.spec, opened.answered
        total = len(self.selection.rebuses) * len(spec.settings) * spec.samples
        self.watcher.began(spec.model, self.folder, total, len(answered))
        if len(answered) >= total:
            self.watcher.ended()
            return None, None
        try:
            if not self.watcher.confirmed(self._forecast(answered)):
                return "stopped", "not begun"
            drive(self._asking(opened, cache))
        except (StoppedEarly, StoreError) as error:
            return "stopped", str(error)
        except KeyboardInterrupt:
            return "interrupted", None
        finally:
            self.watcher.ended()
        return None, None

    def _forecast(self, answered: Collection[ItemKey]) -> Forecast:
        spec = self.spec
        each = product(spec.settings, self.selection.rebuses, range(spec.samples))
        lengths = (
            prompts.lengths(rebus, setting)
            for setting, rebus, sample in each
            if (rebus.id, setting, sample) not in answered
        )
        return forecast(lengths, self.prepared.model.price, self.prepared.most_tokens)

    async def _asking(self, opened: Store, cache: ResponseCache | None) -> None:
        spec, options, limits = self.spec, self.options, self.prepared.model.limits
        async with connected(self.prepared) as provider:
            runner = Runner(
                provider=provider,
                store=opened,
                cache=cache,
                limiter=Limiter(options.concurrency or limits.concurrency, limits.rpm, limits.tpm),
                policy=RetryPolicy(limits.max_retries, limits.deadline),
                patience=Patience(options.timeout_s, options.wait_for_server_s, limits.max_wait),
                watcher=self.watcher,
                price=self.prepared.model.price,
                budget=self.prepared.budget(options.max_cost_usd, opened.spent_usd),
                ask_again=self._ask_again(),
            )
            with stopping_on_signals(runner.stop):
                await runner.run(
                    prompts.requests(
                        self.selection.rebuses,
                        spec.settings,
                        spec.samples,
                        spec.identity,
                        opened.answered,
                    )
                )
            if runner.stopped:
                raise KeyboardInterrupt


def _score_run(folder: Path, data: str | Path | None, out: Path | None) -> Result:
    known = header.read(folder)
    if known is None:
        raise StoreError(f"{folder}: no run: there is no {header.HEADER}.")
    try:
        spec = RunSpec.model_validate(known["spec"])
        path, digest = data or known["data"]["path"], known["data"]["digest"]
        status, message = known["status"], known.get("message")
    except (LookupError, TypeError, ValueError) as error:
        raise StoreError(f"{folder / header.HEADER}: not the header of a run: {error}.") from None
    loaded = dataset.load(path)
    if loaded.digest != digest:
        raise DataError(
            f"{path}: not the data file of this run ({digest} then, {loaded.digest} now); "
            "give the one it was run on with --data."
        )
    selection = loaded.select(spec.subsets or (), spec.limit)
    result = _result(
        spec.model, out or folder, _score_stored(folder, out or folder, spec, selection)
    )
    if result.status == "partial" and status in {"stopped", "interrupted"}:
        return replace(result, status=status, message=message)
    return result


def _score_stored(folder: Path, out: Path, spec: RunSpec, selection: Selection) -> dict[str, Any]:
    """Score a run's stored answers, one at a time, and write what came of it."""
    gold, usage = selection.by_id, Usage()

    def scores() -> Iterator[ItemScore]:
        for response in store.responses(folder):
            rebus = gold.get(str(response.id))
            if rebus is None:
                raise StoreError(
                    f"{folder / store.RESPONSES}: an answer to row {response.id!r}, which the "
                    "data does not have."
                )
            usage.add(response)
            yield from scoring.score(response, rebus)

    sampling = {k: v for k, v in spec.identity["body"].items() if k != "model"}
    measured = Measured(spec.model, selection, spec.settings, spec.samples, sampling)
    return _write(out, measured, scores(), usage)


def _write(
    out: Path | None, measured: Measured, scores: Iterable[ItemScore], usage: Usage | None
) -> dict[str, Any]:
    """Collect scores into a summary, writing both as they come where there is a folder."""
    collector = Collector(measured.selection.rebuses, measured.settings, measured.samples)
    if out is None:
        for item in scores:
            collector.add(item)
        return summarize(measured, collector, usage)
    with files.writing_scores(out) as write:
        for item in scores:
            collector.add(item)
            write(item)
    summary = summarize(measured, collector, usage)
    files.write_summary(out, summary)
    return summary


def _result(model: str, folder: Path | None, summary: dict[str, Any]) -> Result:
    if not summary["partial"]:
        return Result(model, folder, "done", summary)
    counts = summary["outcomes"].values()
    failed = sum(each["failed"] for each in counts)
    absent = sum(each["not_asked"] for each in counts)
    message = f"{failed:,} requests failed, {absent:,} have no answer; every figure is partial"
    return Result(model, folder, "partial", summary, message)
