"""One model's run, from its folder to its result.

What it needs (a client, the cache's database) is imported with this module, and this module only
when a run begins.
"""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice, product
from pathlib import Path
from statistics import mean
from typing import Final, cast

from apieval.commands.options import RunOptions
from apieval.commands.score import NOT_BEGUN, Result, nothing, result_of, score_stored
from apieval.config.models import Embedded, seeded, takes_the_likeliest
from apieval.errors import RunFailure, StoppedEarly, StoreError
from apieval.files import is_folder, is_there, ordinary, replacing_bytes
from apieval.rebus import conversation, prompts
from apieval.rebus.baseline.lexicon import coverage, told
from apieval.rebus.conversation import Conversation
from apieval.rebus.dataset import Selection
from apieval.rebus.prompts import Prompt
from apieval.records import Outcome, Rebus, Request, RowId, RunSpec, Setting
from apieval.results.answers import RESPONSES, key_of, read_line
from apieval.results.folder import HEADER, RunFolder
from apieval.results.header import LATER, Command, Header, HeaderData
from apieval.results.summary import Summary, UsageTotals
from apieval.run import header, store
from apieval.run.budget import Budget, Ledger
from apieval.run.cache import ResponseCache
from apieval.run.cost import AS_ESTIMATED, Forecast, Scale, Spent, forecast, tokens_of
from apieval.run.giving_up import Patience
from apieval.run.limiter import Limiter
from apieval.run.model import Prepared, connected
from apieval.run.retry import RetryPolicy
from apieval.run.runner import Runner
from apieval.run.session import undisturbed
from apieval.run.store import Store
from apieval.run.watcher import Watcher
from apieval.signature import public
from apieval.wording import counted

_SOME: Final = 200
"""So many questions' lengths are enough to know what the estimate of tokens is off by."""
_LOOKED_UP: Final = 3_000
"""So many answers are looked for in the cache for a forecast without a price: about a second."""
_OPEN: Final = {"message": None, "responses": None, "spent_usd": None, "spent": None}
"""What the header of a run that has begun, or begun again, does not know."""


@dataclass(frozen=True, slots=True)
class CutShort:
    """How the asking of a run ended before its end: stopped or interrupted, and why."""

    status: str
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Before:
    """What there was of a run's folder before this command: to be left so by one that is withdrawn.

    `absent` are the folders that were not there, the innermost first; `aside` is where the run
    begun before was put.
    """

    files: frozenset[Path]
    header: bytes | None
    absent: tuple[Path, ...]
    aside: Path | None

    @classmethod
    def look(cls, folder: Path, aside: Path | None) -> Before:
        """Look at what is there now."""
        files = frozenset(folder.iterdir()) if is_folder(folder) else frozenset()
        known = folder / HEADER
        begun = known.read_bytes() if known in files else None
        absent = tuple(each for each in (folder, *folder.parents) if not is_there(each))
        return cls(files, begun, absent, aside)

    def restore(self, folder: Path) -> None:
        """Remove what was not there, and put back what was."""
        with suppress(OSError):  # what cannot be removed is empty
            for each in set(folder.iterdir()) - self.files:
                each.unlink()
            for each in self.absent:
                each.rmdir()
            if self.aside:
                self.aside.rename(folder)
            if self.header is not None:
                with replacing_bytes(folder / HEADER) as file:
                    file.write(self.header)


def fault_of_ours(error: BaseException) -> str:
    """Return what to say of a fault of our own that ends a run."""
    where = traceback.extract_tb(error.__traceback__)[-1:]
    place = "".join(f" in {Path(each.filename).name}, line {each.lineno}" for each in where)
    return (
        f"a fault of apieval's own: {type(error).__name__}: {error}{place}; every answer that came "
        "is kept. Please report it"
    )


@dataclass(slots=True)
class OneRun:
    """One model's run, from its folder to its result.

    Used in this order: `check`, `opened`, `begin`, then `ask` where something is `left`, `result`.
    """

    prepared: Prepared
    options: RunOptions
    selection: Selection
    prompt: Prompt
    watcher: Watcher
    spec: RunSpec = field(init=False)
    folder: Path = field(init=False)
    _home: Path = field(init=False)
    left: int = field(init=False, default=0)
    cut: CutShort | None = field(init=False, default=None)
    _store: Store = field(init=False)
    _head: dict[str, object] = field(init=False, default_factory=dict)
    _commands: list[Command] = field(init=False, default_factory=list)
    _since: float = field(init=False, default=0.0)
    _took_s: float | None = field(init=False, default=None)
    _task: asyncio.Task[None] | None = field(init=False, default=None)
    _runner: Runner | None = field(init=False, default=None)
    _given_up: int = field(init=False, default=0)
    _stopped: bool = field(init=False, default=False)
    _budget: Budget | None = field(init=False, default=None)
    _via: str | None = field(init=False, default=None)
    _before: Before = field(init=False)
    _withdrawn: bool = field(init=False, default=False)
    _spent_before: Spent = field(init=False, default=Spent())

    def __post_init__(self) -> None:
        """Say what the run is, and so where it lives."""
        options = self.options
        whole = RunSpec(
            model=self.prepared.name,
            provider=self.prepared.model.provider,
            identity=self.prepared.identity,
            data=self.selection.data.name,
            settings=options.settings,
            subsets=self.selection.subsets or None,
            limit=options.limit,
            samples=options.samples,
            prompts=self.conversation.hashes(options.settings),
            given=options.given,
            seeds="seed + sample" if options.samples > 1 and seeded(self.prepared.body) else None,
        )
        self.spec = whole.model_copy(update={"identity": public(whole.identity)})
        self.folder = options.out / (options.name or header.folder_name(whole, self._variant))
        self._home = self.folder

    @property
    def conversation(self) -> Conversation:
        """Return what is said for every rebus."""
        return self.prepared.conversation(self.prompt, self.options.given)

    @property
    def label(self) -> str:
        """Return what tells this run from others: its model, and its prompt where it is another."""
        return f"{self.spec.model} ({self._variant})" if self._variant else self.spec.model

    @property
    def _variant(self) -> str:
        """Return what sets this run apart from one of the challenge's own, nothing where nothing."""
        named = [] if prompts.is_official(self.spec.prompts) else [self.prompt.name]
        given = [f"given {self.spec.given}"] if self.spec.given else []
        return ", ".join([*named, *given])

    def check(self) -> None:
        """Refuse a budget that cannot be kept, and a folder that holds another run.

        Raises:
            ConfigError, StoreError: before anything is asked.
        """
        self.prepared.check_bound(self.options.max_cost_usd)
        store.check_free(self.folder)
        if not self.options.fresh:
            header.check_same_run(self.folder, self.spec, self.selection.data.digest)
            store.check_has_header(self.folder)

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Hold the run's folder for this process, the run begun before set aside if so asked.

        Raises:
            StoreError: where it cannot be opened.
        """
        old = store.set_aside(self.folder) if self.options.fresh else None
        if old:
            self.watcher.message(f"the run begun before is kept in {old}")
        self._before = Before.look(self.folder, old)
        self._store = Store.open(self.folder, self.watcher.message, self._ask_again())
        try:
            begun = header.read(self.folder) or {}
            self._via = begun.get("via")
            self._miss_answers(begun.get("responses"))
            free = self.prepared.free and not self._via
            self._budget = None if free else self._opened_budget()
            self._spent_before = self.spent
            yield
        except KeyboardInterrupt:
            with undisturbed():
                self._leave_nothing_running("interrupted", "interrupted")
            raise
        finally:
            self._leave_nothing_running("stopped", "ended by a fault")
            if self._budget:
                self._budget.ledger.close(self._store.folder)
            self._store.close()

    def _miss_answers(self, noted: object) -> None:
        """Say before anything is paid again that answers are gone which the header notes."""
        lines = noted.get("lines") if isinstance(noted, dict) else None
        there = len(self._store.standing)
        if isinstance(lines, int) and there < lines:
            self.watcher.message(
                f"{self.folder / RESPONSES}: holds {there:,} of the {counted(lines, 'answer')} that "
                f"{HEADER} notes; the others are asked, and paid for, again. Put the file back "
                "first if it is anywhere."
            )

    def _leave_nothing_running(self, status: str, ended: str) -> None:
        """Say in the header that nothing runs any more, whatever has ended it."""
        with suppress(StoreError):
            if not self._withdrawn and (header.read(self.folder) or {}).get("status") == "running":
                message = f"{ended} before its figures were written; run it again"
                self._write_header({"status": status, "message": message})

    @property
    def spent(self) -> Spent:
        """Return what the run has cost so far, its earlier commands included."""
        if self._budget:
            return self._budget.ledger.spent
        return Spent(unknown=self._store.unpriced) if self._gateway else Spent()

    @property
    def _gateway(self) -> str | None:
        """Return through whom the answers came, None for a server of one's own."""
        return self._via or (self._runner.via if self._runner else None)

    def _opened_budget(self) -> Budget:
        """Open the run's account; of answers from before it was kept their lines tell the cost."""
        store, prepared = self._store, self.prepared
        ledger = Ledger.open(self.folder, Spent(store.spent_usd, unknown=store.unpriced))
        most_usd = self.options.max_cost_usd
        budget = Budget(ledger, prepared.price, prepared.most_tokens, most_usd)
        if self.selection.rebuses:
            like = self._request(self.selection.rebuses[0], self.spec.settings[-1], 0)
            ledger.assume(budget.worst_usd(like))
        return budget

    def begin(self, broken: Mapping[str, Sequence[RowId]]) -> None:
        """Write the header of a run that begins, or goes on; `broken` are its rule breakers.

        Raises:
            StoreError: where it cannot be written.
        """
        spec, answered = self.spec, self._store.answered
        total = len(spec.settings) * len(self.selection.rebuses) * spec.samples
        stored = sum((rebus.id, s, sample) in answered for s, rebus, sample in self._questions())
        self.left = total - stored
        self._write_header({**self._header(broken), **_OPEN, **self._times()})
        self.watcher.began(self.label, self.folder, total, stored)
        self.watcher.paid(self.spent)
        if self.left:
            for why in conversation.stops_too_soon(
                self.prepared.body, self.selection.rebuses, spec.given
            ):
                self.watcher.message(f"{self.label}: {why}")
            self._tell_of_equal_samples()
        if not self.left:
            self._over()

    def _tell_of_equal_samples(self) -> None:
        """Say before anything is paid for that several samples will be one."""
        cause = takes_the_likeliest(self.prepared.body)
        if cause and self.spec.samples > 1:
            paid = "" if self.prepared.free else ", and each is paid for"
            self.watcher.message(
                f"{self.label}: --samples {self.spec.samples} with {cause}: the answers to a rebus will be "
                f"identical, or nearly so{paid}; give --param temperature=0.7 or another, or one sample"
            )

    def _times(self) -> dict[str, object]:
        """Return when the run began and how long its commands took, this one not counted.

        A command with nothing left to send changes neither.
        """
        known = header.read(self.folder) or {}
        self._commands = header.commands(known, self._store.last_created)
        self._since = time.monotonic()
        now = datetime.now(UTC).isoformat()
        began, ended, took_s = known.get("began") or now, None, None
        if self.left:
            self._commands.append({"began": now, "took_s": None})
        else:
            ended = known.get("ended") or self._store.last_created
            took_s = header.took_s(self._commands)
        return {"began": began, "ended": ended, "took_s": took_s, "commands": self._commands}

    async def ask(self, limiter: Limiter, cache: ResponseCache | None) -> None:
        """Ask what has no answer yet; what cuts that short is this run's end and nobody else's."""
        self._task = asyncio.current_task()
        try:
            if not self._stopped and await self._asked(limiter, cache):
                return self._over()
        except (StoppedEarly, StoreError, RunFailure) as error:
            return self.cut_short("stopped", self._with_given_up(str(error)))
        except asyncio.CancelledError:
            if not self._stopped:
                raise
        except Exception as error:  # noqa: BLE001 # every answer is kept, and the others go on
            return self.cut_short("stopped", fault_of_ours(error))
        return self.cut_short("interrupted", self._with_given_up())

    def _with_given_up(self, reason: str | None = None) -> str | None:
        """Return why a run ended, and how many requests were given up that had no reply yet."""
        count = self._given_up
        if not count:
            return reason
        were = "was" if count == 1 else "were"
        given_up = f"{counted(count, 'request')} on the way {were} given up, and may be billed"
        return f"{reason}; {given_up}" if reason else given_up

    @property
    def over(self) -> bool:
        """Say whether asking has ended, one way or another."""
        return self._took_s is not None

    def stop(self) -> None:
        """Stop asking, in order; called twice, at once."""
        if self.over:
            return
        if self._runner:
            self._runner.stop()
        elif not self._stopped:
            saved = counted(len(self._store.answered), "answer")
            self.watcher.message(f"stopping: {saved} saved, nothing is on its way")
            if self._task:
                self._task.cancel()
        self._stopped = True

    def cut_short(self, status: str, message: str | None = None) -> None:
        """Take note that asking has ended before all was asked, for what reason."""
        if self.over:
            return
        self.cut = CutShort(status, message)
        self._over()
        with suppress(StoreError):  # a full disk: told of when the figures cannot be written
            # said before scoring, which a second Ctrl-C may end
            self._write_header({"status": status, "message": message, **self._end()})

    def withdraw(self, status: str) -> None:
        """Leave the folder as it was before this command, since the user does not want the run."""
        self.cut, self._withdrawn = CutShort(status, NOT_BEGUN), True
        self._store.close()
        self._before.restore(self.folder)
        self._over()

    def result(self) -> Result:
        """Score everything that has an answer, and close the header.

        Where that cannot be written, or the run was withdrawn, the result is only told.
        """
        if self._withdrawn:
            return self._unwritten(NOT_BEGUN)
        try:
            self._look_for_folder()
            self._store.tidy()
            summary = self._score(self.folder)
            result = result_of(self.spec.model, self.folder, summary)
            if self.cut:
                said, enough = self.cut.message, self._enough_usd(summary["usage"])
                result = replace(result, status=self.cut.status, message=said, enough_usd=enough)
            result = replace(result, moved_from=self._moved_from(), cost=self._cost())
            self._close_header(result)
        except StoreError as error:  # a full disk: every answer that was stored is kept
            return self._unwritten(str(error))
        except Exception as error:  # noqa: BLE001 # of one run, which is none of the others'
            return self._unwritten(fault_of_ours(error))
        return result

    def _score(self, out: Path | None) -> Summary:
        known = cast("Header", {**LATER, **self._head})
        return score_stored(RunFolder(self.folder), out, self.spec, self.selection, known)

    def _look_for_folder(self) -> None:
        """Take note of a folder that was moved or removed: the figures go where the answers are."""
        with suppress(StoreError):  # told already, where it came up while the run went on
            try:
                self._store.check()
            except StoreError as error:
                self.cut = self.cut or CutShort("stopped", str(error))
                raise
            finally:
                self.folder = self._store.folder

    def _unwritten(self, message: str) -> Result:
        saved = None
        try:
            summary = self._score(None)
        except Exception:  # noqa: BLE001 # told already
            summary, saved = nothing(self.spec, self.selection), self._saved()
        cut = self.cut or CutShort("stopped", message)
        if not self._withdrawn:
            with suppress(StoreError):
                self._write_header({"status": cut.status, "message": cut.message or message})
        folder = self.folder if is_folder(self.folder) else None
        why, moved = cut.message or message, self._moved_from()
        return Result(
            self.spec.model, folder, cut.status, summary, why, moved_from=moved, saved=saved
        )

    def _saved(self) -> str:
        """Say how many of the run's answers can be read on the disk, whatever else is there."""
        asked = {(rebus.id, setting, sample) for setting, rebus, sample in self._questions()}
        try:
            with ordinary(self.folder / RESPONSES).open("rb") as file:
                lines = filter(None, map(read_line, file))
                there = {key_of(each) for each in lines if each.outcome is not Outcome.FAILED}
        except OSError:
            return f"how many of {counted(len(asked), 'answer')} are saved is not known"
        return f"{len(there & asked):,} of {counted(len(asked), 'answer')} saved"

    def _moved_from(self) -> Path | None:
        return None if self.folder == self._home else self._home

    def _over(self) -> None:
        self._took_s = time.monotonic() - self._since
        self._task = self._runner = None
        self.watcher.ended()

    def _ask_again(self) -> frozenset[Outcome]:
        more = {Outcome.TRUNCATED} if self.options.retry_truncated else set()
        return store.ASK_AGAIN | more

    def _header(self, broken: Mapping[str, Sequence[RowId]]) -> dict[str, object]:
        data = self.selection.data
        facts: HeaderData = {
            "name": data.name,
            "path": self.options.data,
            "digest": data.digest,
            "n": len(self.selection.rebuses),
            **data.published,
            "rule_breakers": {rule: [*rows] for rule, rows in broken.items()},
        }
        price = self.prepared.known_price
        made = {
            "prompt": self.prompt.as_json(),
            "prefill": self.prepared.prefill if self.spec.given else None,
            "dropped": list(self.prepared.dropped),
            "preset": self.options.preset,
            "price": price.as_json() if price else None,
            "system_prompt": self.prepared.system_prompt,
            "coverage": self._coverage(),
            "headers_env": self.prepared.header_variables,
        }
        return {**header.header(self.spec, facts), **made}

    def _coverage(self) -> dict[str, int] | None:
        """Return what the baseline's dictionary knows of the rebuses, None for other models."""
        lexicon = self.prepared.lexicon
        if lexicon is None:
            return None
        covers = coverage(lexicon, self.selection.rebuses)
        self.watcher.message(f"{self.label}: {told(lexicon, covers)}")
        return covers

    def _close_header(self, result: Result) -> None:
        end = {
            "status": result.status,
            "message": result.message,
            **{name: result.summary[name] for name in ("outcomes", "usage", "served", "responses")},
            **self._end(),
            **self._spent_facts(),
        }
        self._write_header(end)

    def _write_header(self, more: Mapping[str, object]) -> None:
        """Write the header, all of it: its file may have been removed with the folder."""
        self.folder = self._store.folder
        self._head |= more
        header.write(self.folder, self._head)

    def _end(self) -> dict[str, object]:
        """Return when the last command that sent a request ended, and the time of all of them.

        Durations are on the monotonic clock; a clock that was set back ends no run before it began.
        """
        if not self.left:
            return {}
        self._commands[-1]["took_s"] = round(self._took_s or 0.0, 3)
        ended = max(
            datetime.now(UTC).isoformat(), *(each.get("began") or "" for each in self._commands)
        )
        took_s = header.took_s(self._commands)
        return {"ended": ended, "took_s": took_s, "commands": self._commands}

    def _questions(self) -> Iterator[tuple[Setting, Rebus, int]]:
        spec = self.spec
        return product(spec.settings, self.selection.rebuses, range(spec.samples))

    def forecast(self, cache: ResponseCache | None) -> Forecast:
        """Return what is about to be asked; the cache is looked through where that is quick or pays."""
        price, answered = self.prepared.price, self._store.answered
        waiting = [q for q in self._questions() if (q[1].id, q[0], q[2]) not in answered]
        kept = None if isinstance(self.prepared.model, Embedded) or not cache else cache
        holds = kept is not None and not kept.is_empty()
        look = kept if holds and (price or len(waiting) <= _LOOKED_UP) else None
        lengths = (
            conversation.lengths(rebus, setting, self.prompt, self.spec.given)
            for setting, rebus, sample in waiting
            if not (look and look.get(self._request(rebus, setting, sample)))
        )
        most, own = self.prepared.most_tokens, self.prepared.free and not self._gateway
        found = forecast(lengths, price, most, own=own, scale=self._scale())
        in_cache = len(waiting) - found.requests
        return replace(found, cached=in_cache, before_cache=holds and not look)

    def _scale(self) -> Scale:
        """Return how the answers so far compare with the estimate of some of them."""
        answered = self._store.answered
        some = islice((q for q in self._questions() if (q[1].id, q[0], q[2]) in answered), _SOME)
        lengths = [
            conversation.lengths(rebus, setting, self.prompt, self.spec.given)
            for setting, rebus, _ in some
        ]
        if not lengths:
            return AS_ESTIMATED
        estimated = (mean(map(tokens_of, each)) for each in zip(*lengths, strict=True))
        found = zip(self._store.mean_tokens, estimated, strict=True)
        return Scale(*(real / guess if real else 1.0 for real, guess in found))

    def _cost(self) -> str | None:
        """Say what the run has cost, and how much of it in this command; None where nobody pays."""
        if self._budget is None and not self._gateway:
            return None
        now_usd = self.spent.usd - self._spent_before.usd
        earlier = self.left and self._spent_before.usd
        return f"{self.spent}" + (f"; {now_usd:,.4f} USD by this command" if earlier else "")

    def _spent_facts(self) -> dict[str, object]:
        via = {"via": self._via} if self._via else {}
        return {"spent_usd": self.spent.total_usd, "spent": self.spent._asdict(), **via}

    def _enough_usd(self, usage: UsageTotals | None) -> float | None:
        """Return what bound would do for the rest, about, where the money stopped the run.

        `usage` has what the answers of known cost have cost so far: the rest may be as dear.
        """
        if self._budget is None or self._budget.short_usd is None or usage is None:
            return None
        cost = usage["cost_usd"]
        rest = self.forecast(None)
        each = (cost["sum"] or 0.0) / (cost["known_for"] or 1)
        # the last answer too must find room for the longest there may be
        return self._budget.short_usd + max(rest.usd or 0.0, each * rest.requests)

    def _request(self, rebus: Rebus, setting: Setting, sample: int) -> Request:
        return conversation.request(
            rebus, setting, sample, self.prepared.identity, self.conversation
        )

    async def _asked(self, limiter: Limiter, cache: ResponseCache | None) -> bool:
        """Ask, and say whether that came to its end without being stopped."""
        spec, limits, options = self.spec, self.prepared.model.limits, self.options
        async with connected(self.prepared) as provider:
            self._runner = runner = Runner(
                provider=provider,
                store=self._store,
                cache=None if isinstance(self.prepared.model, Embedded) else cache,
                limiter=limiter,
                policy=RetryPolicy(limits.max_retries, limits.deadline),
                patience=Patience(options.timeout_s, options.wait_for_server_s, limits.max_wait),
                watcher=self.watcher,
                price=self.prepared.price,
                budget=self._budget,
                ask_again=self._ask_again(),
            )
            try:
                await runner.run(
                    conversation.requests(
                        self.selection.rebuses,
                        spec.settings,
                        spec.samples,
                        self.prepared.identity,
                        self._store.answered,
                        self.conversation,
                    )
                )
            finally:
                self._via = self._gateway
                self._given_up = runner.given_up
            self._runner = self._task = None  # what comes now is no more to be stopped
            return not runner.stopped
