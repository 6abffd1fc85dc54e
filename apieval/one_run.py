"""One model's run, from its folder to its result.

What it needs (an event loop, a client, the cache's database) is imported with this module, and
this module only when a run begins.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any, Final

from apieval.errors import StoppedEarly, StoreError
from apieval.options import RunOptions
from apieval.rebus import prompts
from apieval.rebus.dataset import Selection
from apieval.results import Result, result_of, score_stored
from apieval.run import header, plan, store
from apieval.run.cache import CacheFailed, ResponseCache
from apieval.run.limiter import Limiter
from apieval.run.money import Forecast, forecast
from apieval.run.patience import Patience
from apieval.run.prepare import Prepared, connected
from apieval.run.responses import ItemKey
from apieval.run.retry import RetryPolicy
from apieval.run.runner import Runner
from apieval.run.session import drive, stopping_on_signals
from apieval.run.store import Store
from apieval.run.watcher import Watcher
from apieval.schema import Outcome, Rebus, Request, RunSpec, Setting
from apieval.sections import Embedded
from apieval.signature import digest

_SHOWN: Final = 5
_OPEN: Final = {"ended": None, "took_s": None, "message": None}
"""What the header of a run that has begun, or begun again, does not know."""


@dataclass(slots=True)
class OneRun:
    """One model's run, from its folder to its result."""

    prepared: Prepared
    options: RunOptions
    selection: Selection
    watcher: Watcher
    spec: RunSpec = field(init=False)
    folder: Path = field(init=False)
    _runner: Runner | None = None

    def __post_init__(self) -> None:
        """Say what the run is, and so where it lives."""
        options = self.options
        self.spec = RunSpec(
            model=self.prepared.name,
            provider=self.prepared.model.provider,
            identity=self.prepared.identity,
            data=self.selection.data.name,
            settings=options.settings,
            subsets=self.selection.subsets or None,
            limit=options.limit,
            samples=options.samples,
            prompts=self._prompts(),
        )
        self.folder = options.out / (options.name or plan.folder_name(self.spec))

    def _prompts(self) -> dict[str, str]:
        """Return the hashes of what is said: the template of each setting, and before it."""
        said: dict[str, str] = {
            setting: prompts.template_hash(setting) for setting in self.options.settings
        }
        before = self.prepared.system_prompt
        return said if before is None else {**said, "system": digest(before)}

    def check(self) -> None:
        """Refuse a budget that cannot be kept, and a folder that holds another run.

        Raises:
            ConfigError, StoreError: before anything is asked.
        """
        self.prepared.budget(self.options.max_cost_usd, 0.0)
        store.check_free(self.folder)
        if not self.options.fresh:
            header.check_same_run(self.folder, self.spec, self.selection.data.digest)
            store.check_has_header(self.folder)

    def carry_out(self) -> Result:
        """Ask what has no answer yet, then score everything that has.

        Raises:
            StoreError: where the folder cannot be opened.
            StoppedEarly: where not even the figures can be written.
        """
        if self.options.fresh and (old := store.set_aside(self.folder)):
            self.watcher.message(f"the run begun before is kept in {old}")
        began = datetime.now(UTC)
        mine = Store.open(self.folder, self.watcher.message, self._ask_again())
        with closing(mine) as opened:
            header.write(self.folder, {**self._header(), "began": began.isoformat(), **_OPEN})
            with self._cache() as cache:  # closed before scoring, which has use for its memory
                status, message = self._ask(opened, cache)
            opened.tidy()
            return self._scored(opened, began, status, message)

    def _scored(
        self, opened: Store, began: datetime, status: str | None, message: str | None
    ) -> Result:
        try:
            if status is not None:  # said before scoring, which a second Ctrl-C may end
                header.write(self.folder, {"status": status, "message": message})
            summary = score_stored(self.folder, self.folder, self.spec, self.selection)
            result = result_of(self.spec.model, self.folder, summary)
            if status is not None:
                result = replace(result, status=status, message=message)
            self._close_header(result, began, opened.spent_usd)
        except StoreError as error:  # a full disk: every answer that was stored is kept
            raise StoppedEarly(message or str(error)) from None
        return result

    @contextmanager
    def _cache(self) -> Iterator[ResponseCache | None]:
        """Give the cache, None where there is none to use."""
        cache: ResponseCache | None = None
        # what the embedded solver says costs nothing, and changes with the code at hand
        if self.options.cache and not isinstance(self.prepared.model, Embedded):
            try:
                cache = ResponseCache(self.options.cache, self.watcher.message)
            except CacheFailed as error:
                self.watcher.message(f"{error} Going on without it.")
        try:
            yield cache
        finally:
            if cache:
                cache.close()

    def _ask_again(self) -> frozenset[Outcome]:
        more = {Outcome.TRUNCATED} if self.options.retry_truncated else set()
        return store.ASK_AGAIN | more

    def _header(self) -> dict[str, Any]:
        data = self.selection.data
        broken = self.selection.rule_breakers()
        for rule, ids in broken.items():
            shown = ", ".join(map(str, ids[:_SHOWN])) + (", ..." if ids[_SHOWN:] else "")
            self.watcher.message(
                f"{data.name}: {len(ids):,} rows break a rule of the game ({rule}) and are used "
                f"all the same: {shown}"
            )
        facts = {
            "name": data.name,
            "path": self.options.data,
            "digest": data.digest,
            "n": len(self.selection.rebuses),
            "rule_breakers": broken,
        }
        price = self.prepared.known_price
        made = {
            "dropped": list(self.prepared.dropped),
            "preset": self.options.preset,
            "price": price.as_json() if price else None,
        }
        return {**plan.header(self.spec, facts), **made}

    def _close_header(self, result: Result, began: datetime, spent_usd: float) -> None:
        ended = datetime.now(UTC)
        known = {name: result.summary[name] for name in ("outcomes", "usage", "served")}
        times = {"ended": ended.isoformat(), "took_s": round((ended - began).total_seconds(), 3)}
        end = {"status": result.status, "message": result.message, **known, **times}
        end["spent_usd"] = spent_usd
        header.write(self.folder, end)

    def _ask(self, opened: Store, cache: ResponseCache | None) -> tuple[str | None, str | None]:
        """Ask what has no answer yet; return status and message where that was cut short."""
        spec, answered = self.spec, opened.answered
        total = len(spec.settings) * len(self.selection.rebuses) * spec.samples
        stored = sum((rebus.id, s, sample) in answered for s, rebus, sample in self._questions())
        self.watcher.began(spec.model, self.folder, total, stored)
        if stored == total:
            self.watcher.ended()
            return None, None
        try:
            if not self.watcher.confirmed(self._forecast(answered, cache)):
                return "stopped", "not begun, nothing was asked"
            drive(self._asking(opened, cache), self._stop)
        except (StoppedEarly, StoreError) as error:
            return "stopped", str(error)
        except KeyboardInterrupt:
            return "interrupted", None
        finally:
            self.watcher.ended()
        return None, None

    def _questions(self) -> Iterator[tuple[Setting, Rebus, int]]:
        spec = self.spec
        return product(spec.settings, self.selection.rebuses, range(spec.samples))

    def _forecast(self, answered: Collection[ItemKey], cache: ResponseCache | None) -> Forecast:
        """Return what is about to be asked; the cache is looked through where there is a price."""
        price = self.prepared.price
        look = cache if price else None
        lengths = (
            prompts.lengths(rebus, setting)
            for setting, rebus, sample in self._questions()
            if (rebus.id, setting, sample) not in answered
            and not (look and look.get(self._request(rebus, setting, sample)))
        )
        return forecast(lengths, price, self.prepared.most_tokens, own=self.prepared.own)

    def _request(self, rebus: Rebus, setting: Setting, sample: int) -> Request:
        return prompts.request(
            rebus, setting, sample, self.spec.identity, self.prepared.system_prompt
        )

    def _stop(self) -> None:
        if self._runner:
            self._runner.stop()

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
                price=self.prepared.price,
                budget=self.prepared.budget(options.max_cost_usd, opened.spent_usd),
                ask_again=self._ask_again(),
            )
            self._runner = runner
            with stopping_on_signals(runner.stop):
                await runner.run(
                    prompts.requests(
                        self.selection.rebuses,
                        spec.settings,
                        spec.samples,
                        spec.identity,
                        opened.answered,
                        self.prepared.system_prompt,
                    )
                )
            if runner.stopped:
                raise KeyboardInterrupt
