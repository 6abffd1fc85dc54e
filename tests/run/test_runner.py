from __future__ import annotations

import asyncio
import errno
import json
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NoReturn

import pytest

from apieval.config.models import Price
from apieval.errors import (
    AttemptFailed,
    ContentRefused,
    ItemFailure,
    RunFailure,
    ServerDown,
    StoppedEarly,
    StoreError,
    TransientFailure,
    Unreachable,
    WebPage,
)
from apieval.providers.openai_compatible import OpenAICompatibleClient
from apieval.records import Message, Outcome, Reply, Request, Response, Usage
from apieval.results.folder import RunFolder
from apieval.run import giving_up, limiter, runner
from apieval.run.budget import Budget, Ledger
from apieval.run.cache import ResponseCache
from apieval.run.cost import SPENDING, Spent, spent_by
from apieval.run.giving_up import Patience
from apieval.run.limiter import Limiter
from apieval.run.retry import RetryPolicy
from apieval.run.runner import Runner
from apieval.run.store import Store
from apieval.run.watcher import Watcher
from apieval.wording import in_words
from tests.records import response
from tests.servers import Answer, Scripted, Seen, completion
from tests.servers import Script as ServerScript

DOLLAR_A_TOKEN = Price(input=0.0, output=1_000_000.0)
ONE_TOKEN = Usage(prompt_tokens=100, completion_tokens=1)
FAULT = TransientFailure("guasto", status=500)
DOWN = ServerDown("nessuno in ascolto")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limiter, "PROBE_S", 0.005)


def requests(count: int) -> Iterator[Request]:
    for number in range(count):
        yield Request(
            id=number,
            setting="regular",
            sample=0,
            messages=(Message(role="user", content=str(number)),),
            identity=f'{{"n":{number}}}',
            key=f"sha256:{number}",
        )


def good(number: int | str) -> Reply:
    return Reply(text=f"Soluzione: {number}", finish_reason="stop", usage=ONE_TOKEN)


Script = Callable[[int, int], Awaitable[Reply] | Reply | BaseException]
"""What row and attempt (from 1) get."""


@dataclass
class Fake:
    script: Script = lambda row, _: good(row)
    sent: Counter[int] = field(default_factory=Counter)
    flying: int = 0
    most_flying: int = 0

    async def attempt(self, request: Request) -> Reply:
        row = int(request.id)
        self.sent[row] += 1
        self.flying += 1
        self.most_flying = max(self.most_flying, self.flying)
        try:
            end = self.script(row, self.sent[row])
            if isinstance(end, BaseException):
                await asyncio.sleep(0)
                raise end
            if isinstance(end, Reply):
                await asyncio.sleep(0)
                return end
            return await end
        finally:
            self.flying -= 1

    async def aclose(self) -> None:
        pass


async def later(row: int, seconds: float, failure: AttemptFailed | None = None) -> Reply:
    await asyncio.sleep(seconds)
    if failure is not None:
        raise failure
    return good(row)


class Recorder(Watcher):
    def __init__(self) -> None:
        self.said: list[str] = []
        self.responses: list[Response] = []
        self.stumbles: list[AttemptFailed] = []
        self.pressure: list[tuple[int, int]] = []
        self.waits: list[tuple[int, float]] = []
        self.on_answer: Callable[[int], object] = lambda _: None
        self.on_stumble: Callable[[], object] = lambda: None
        self.on_wait: Callable[[], object] = lambda: None

    def message(self, text: str) -> None:
        self.said.append(text)

    def answered(self, response: Response) -> None:
        self.responses.append(response)
        self.on_answer(len(self.responses))

    def stumbled(self, failure: AttemptFailed) -> None:
        self.stumbles.append(failure)
        self.on_stumble()

    def waiting(self, in_flight: int, left_s: float) -> None:
        self.waits.append((in_flight, left_s))
        self.on_wait()

    def pressed(self, in_flight: int, slots: int) -> None:
        self.pressure.append((in_flight, slots))


@dataclass
class Course:
    """One run of some requests: its parts, its end, and the lines it left."""

    provider: Fake
    watcher: Recorder
    end: BaseException | None
    lines: list[Response]
    stopped: bool
    given_up: int

    @property
    def outcomes(self) -> Counter[Outcome]:
        return Counter(line.outcome for line in self.lines)


@dataclass
class Bench:
    """A run on a table, of parts that may be changed."""

    folder: Path
    script: Script = lambda row, _: good(row)
    concurrency: int = 4
    policy: type[RetryPolicy] = RetryPolicy
    retries: int = 2
    patience: Patience = field(default_factory=lambda: Patience(5.0, 1.0, 600.0))
    cache: ResponseCache | None = None
    price: Price | None = None
    max_usd: float | None = None
    most_tokens: int = 1
    ask_again: frozenset[Outcome] = frozenset()
    watcher: Recorder = field(default_factory=Recorder)
    store_open: Callable[[Path], Store] = Store.open
    during: Callable[[Runner], Awaitable[None]] | None = None

    def run(self, count: int | Iterator[Request]) -> Course:
        provider = Fake(self.script)
        store = self.store_open(self.folder)
        stopped, given_up, budget = False, 0, None

        async def work() -> None:
            nonlocal stopped, given_up, budget
            if self.price is not None:
                ledger = Ledger.open(self.folder, Spent())
                budget = Budget(ledger, self.price, self.most_tokens, self.max_usd)
            each = Runner(
                provider=provider,
                store=store,
                cache=self.cache,
                limiter=Limiter(self.concurrency),
                policy=self.policy(self.retries, first_wait_s=0.001, random=random.Random(1)),
                patience=self.patience,
                watcher=self.watcher,
                price=self.price,
                budget=budget,
                ask_again=self.ask_again,
            )
            companion = asyncio.ensure_future(self.during(each)) if self.during else None
            try:
                await each.run(requests(count) if isinstance(count, int) else count)
            finally:
                stopped, given_up = each.stopped, each.given_up
                if companion:
                    await companion
                others = asyncio.all_tasks() - {asyncio.current_task()}
                assert not [task for task in others if not task.done()], "a task is left behind"

        end: BaseException | None = None
        try:
            asyncio.run(work())
        except StoppedEarly as error:
            end = error
        finally:
            store.close()
            if budget:
                budget.ledger.close(self.folder)
        lines = list(RunFolder(self.folder).responses())
        return Course(provider, self.watcher, end, lines, stopped, given_up)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "run")


# --- a run without trouble -------------------------------------------------------------------


def test_asks_all_once_and_stores_and_tells(bench: Bench) -> None:
    course = bench.run(25)
    assert course.end is None
    assert not course.stopped
    assert course.provider.sent == Counter(range(25))
    assert sorted(line.id for line in course.lines) == list(range(25))
    assert course.provider.most_flying == 4
    assert len(course.watcher.responses) == 25
    line = next(line for line in course.lines if line.id == 3)
    assert (line.text, line.key, line.attempts) == ("Soluzione: 3", "sha256:3", 1)
    assert (line.outcome, line.error, line.cached, line.cost_usd) == ("ok", None, False, None)
    assert line.latency_s is not None


@pytest.mark.parametrize(("cut_at", "said"), [(100, 1), (10_000, 0)])
def test_prompts_that_are_cut_are_told_of_once(bench: Bench, cut_at: int, said: int) -> None:
    def of_any_length() -> Iterator[Request]:
        for each in requests(60):
            text = "x" * (2000 + 5 * int(each.id))
            system = Message(role="system", content="y" * (60 - int(each.id)) * 5)
            yield each.model_copy(update={"messages": (system, Message(role="user", content=text))})

    def counted(row: int, _: int) -> Reply:
        tokens = min(cut_at, 500 + row)
        return good(row).model_copy(update={"usage": Usage(prompt_tokens=tokens)})

    bench.script = counted
    assert bench.run(of_any_length()).end is None
    told = [each for each in bench.watcher.said if "prompt tokens" in each]
    assert len(told) == said
    assert all(each.startswith("regular: the server counts exactly 100 prompt") for each in told)


def test_nothing_to_ask_is_no_trouble(bench: Bench) -> None:
    assert bench.run(0).end is None


def test_what_is_stored_is_not_asked_again(bench: Bench) -> None:
    bench.run(10)
    course = bench.run(15)
    assert course.provider.sent == Counter(range(10, 15))
    assert len(course.lines) == 15


def test_holds_only_those_in_flight(bench: Bench) -> None:
    """However many there are: requests are drawn as workers come free, a few in one go."""
    drawn = 0
    ahead: list[int] = []

    def source() -> Iterator[Request]:
        nonlocal drawn
        for each in requests(300):
            drawn += 1
            yield each

    bench.watcher.on_answer = lambda answered: ahead.append(drawn - answered)
    bench.run(source())
    assert max(ahead) < bench.concurrency + runner.TOGETHER


def test_a_cost_is_known_where_price_and_tokens_are(bench: Bench) -> None:
    bench.price = DOLLAR_A_TOKEN
    unknown = Reply(text="x", usage=Usage(prompt_tokens=1))
    bench.script = lambda row, _: unknown if row else good(row)
    assert {line.id: line.cost_usd for line in bench.run(2).lines} == {0: 1.0, 1: None}


# --- the cache -------------------------------------------------------------------------------


def test_the_cache_answers_first_and_is_filled(bench: Bench, tmp_path: Path) -> None:
    with closing(ResponseCache(tmp_path / "cache")) as cache:
        bench.cache = cache
        bench.run(6)
    with closing(ResponseCache(tmp_path / "cache")) as cache:
        bench.cache, bench.folder = cache, tmp_path / "other"
        course = bench.run(8)
    assert course.provider.sent == Counter([6, 7])
    assert Counter(line.cached for line in course.lines) == {True: 6, False: 2}
    assert {line.attempts for line in course.lines if line.cached} == {0}


@pytest.mark.parametrize("late", [True, False], ids=["late", "at once"])
def test_what_waited_for_its_turn_is_looked_up_again(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    """Another run may have asked it meanwhile; what has its turn at once is looked up once."""
    looked: Counter[int] = Counter()
    get = ResponseCache.get

    def counted(cache: ResponseCache, request: Request) -> Response | None:
        looked[int(request.id)] += 1
        return get(cache, request)

    def other_run(answered: int) -> None:
        if answered == 1:
            with closing(ResponseCache(tmp_path / "cache")) as other:
                for each in requests(8):
                    other.put(each, response(key=each.key))

    monkeypatch.setattr(runner, "LOOK_AGAIN_S", 0.0 if late else 60.0)
    monkeypatch.setattr(ResponseCache, "get", counted)
    bench.concurrency, bench.watcher.on_answer = 1, other_run
    with closing(ResponseCache(tmp_path / "cache")) as bench.cache:
        course = bench.run(8)
    assert course.provider.sent == Counter(range(1 if late else 8))
    assert looked == Counter(dict.fromkeys(range(8), 1 + late))


def test_what_is_to_be_asked_again_is_not_taken_from_the_cache(
    bench: Bench, tmp_path: Path
) -> None:
    bench.script = lambda _row, _: Reply(text="", finish_reason="length")
    with closing(ResponseCache(tmp_path / "cache")) as cache:
        bench.cache = cache
        bench.run(3)
    with closing(ResponseCache(tmp_path / "cache")) as cache:
        bench.cache, bench.folder = cache, tmp_path / "other"
        bench.ask_again = frozenset({Outcome.TRUNCATED})
        assert bench.run(3).provider.sent == Counter(range(3))


# --- one bad item ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("failure", "outcome", "attempts"),
    [
        (ItemFailure("troppo lungo", status=400), "failed", 1),
        (ContentRefused("filtro", status=400), "refused", 1),
        (FAULT, "failed", 3),
        (TransientFailure("malformed reply: {}", status=200), "failed", 3),
        (ServerDown("giù"), "failed", 3),
    ],
)
def test_one_bad_item_never_ends_a_run(
    bench: Bench, failure: AttemptFailed, outcome: str, attempts: int
) -> None:
    bench.concurrency = 1
    bench.script = lambda row, _: failure if row == 4 else good(row)
    course = bench.run(10)
    assert course.end is None
    assert len(course.lines) == 10
    bad = next(line for line in course.lines if line.id == 4)
    assert (bad.outcome, bad.attempts, bad.error) == (outcome, attempts, str(failure))
    assert bad.text == ""
    assert course.provider.sent[4] == attempts
    assert course.outcomes[Outcome.OK] == 9


def test_an_item_that_hangs_is_given_up_by_the_wall_clock(bench: Bench) -> None:
    bench.patience = Patience(timeout_s=0.03)
    bench.retries = 1
    bench.script = lambda row, _: later(row, 60 if row == 2 else 0)
    course = bench.run(5)
    assert course.end is None
    hung = next(line for line in course.lines if line.id == 2)
    assert (hung.outcome, hung.attempts) == ("failed", 2)
    assert hung.error == "no whole reply within 0.03 s"


def test_an_item_that_hangs_is_named_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "SYNC_EVERY_S", 0.01)
    monkeypatch.setattr(runner, "STUCK_AFTER_S", 0.02)
    bench.script = lambda row, _: later(row, 0.15 if row == 2 else 0)
    course = bench.run(3)
    assert [
        said for said in course.watcher.said if "row 2 (regular)" in said
    ] == course.watcher.said
    assert len(course.watcher.said) == 1
    assert "given up after 5 s" in course.watcher.said[0]
    assert (1, 4) in course.watcher.pressure


def test_the_second_try_is_told_as_a_stumble(bench: Bench) -> None:
    bench.script = lambda row, attempt: FAULT if (row, attempt) == (5, 1) else good(row)
    course = bench.run(8)
    assert course.watcher.stumbles == [FAULT]
    assert next(line for line in course.lines if line.id == 5).attempts == 2


# --- over the wire ---------------------------------------------------------------------------


def wired(
    folder: Path, script: ServerScript, count: int, retries: int = 2, price: Price | None = None
) -> tuple[list[Response], list[Seen]]:
    """Run against a scripted server; return the lines and what the server saw."""

    async def work() -> list[Seen]:
        async with Scripted(script) as server:
            client = OpenAICompatibleClient([server.url], {"model": "m"})
            store = Store.open(folder)
            each = Runner(
                provider=client,
                store=store,
                cache=None,
                limiter=Limiter(4),
                policy=RetryPolicy(retries, first_wait_s=0.001),
                patience=Patience(),
                watcher=Watcher(),
                price=price,
            )
            try:
                await each.run(requests(count))
            finally:
                await client.aclose()
                store.close()
            return server.seen

    seen = asyncio.run(work())
    return list(RunFolder(folder).responses()), seen


def of_row(row: int, bad: Answer) -> Callable[[Seen], Answer]:
    return lambda seen: bad if seen.json["messages"][0]["content"] == str(row) else Answer()


def test_a_malformed_reply_is_one_failed_item_with_its_body_kept(tmp_path: Path) -> None:
    malformed = {"id": "x", "object": "chat.completion", "choices": [{"index": 0}]}
    lines, seen = wired(tmp_path, of_row(4, Answer(malformed)), 10)
    assert len(seen) == 9 + 3
    assert Counter(line.outcome for line in lines) == {Outcome.OK: 9, Outcome.FAILED: 1}
    bad = next(line for line in lines if line.id == 4)
    assert bad.error is not None
    assert json.dumps(malformed) in bad.error


@pytest.mark.parametrize(
    ("bend", "named"),
    [
        (lambda body: body.replace("à".encode(), b"\xc3"), "no UTF-8"),
        (lambda body: body + b"\ndata: [DONE]", "text around its JSON"),
    ],
    ids=["half a letter", "text behind"],
)
def test_a_mended_reply_is_kept_and_says_so(
    tmp_path: Path, bend: Callable[[bytes], bytes], named: str
) -> None:
    body = bend(json.dumps(completion("Verità nascosta"), ensure_ascii=False).encode())
    lines, seen = wired(tmp_path, of_row(2, Answer(body)), 5)
    assert len(seen) == 5
    assert Counter(line.outcome for line in lines) == {Outcome.OK: 5}
    mended = {line.id: line.model_extra for line in lines if line.model_extra}
    assert list(mended) == [2]
    assert named in str(mended[2])
    assert all(
        "repaired" not in json.loads(each.model_dump_json()) for each in lines if each.id != 2
    )


def test_what_a_filter_found_stands_in_the_line(tmp_path: Path) -> None:
    told = {"reasons": ["violence"], "flagged_input": "x"}
    reasons = {"error": {"code": 403, "message": "no", "metadata": told}}
    found = {"hate": {"filtered": False}, "violence": {"filtered": True, "severity": "high"}}
    choice = {"message": {"content": ""}, "finish_reason": "content_filter"}
    inside = completion(choices=[{**choice, "content_filter_results": found}])
    by_row = {"1": Answer(reasons, 403), "2": Answer(inside)}
    lines, seen = wired(
        tmp_path, lambda seen: by_row.get(seen.json["messages"][0]["content"], Answer()), 4
    )
    assert len(seen) == 4
    refused = {line.id: line.model_extra for line in lines if line.outcome is Outcome.REFUSED}
    assert refused == {1: {"category": "violence"}, 2: {"category": "violence"}}


def test_what_was_mended_is_told_once(bench: Bench) -> None:
    repaired = ("bytes that are no UTF-8",)
    bench.script = lambda row, _: good(row).model_copy(update={"repaired": repaired})
    said = bench.run(20).watcher.said
    assert len([each for each in said if "bytes that are no UTF-8" in each]) == 1


def test_a_half_emoji_in_an_error_is_written_down(tmp_path: Path) -> None:
    """The message of a server goes into the record, whatever it holds."""
    said = Answer({"error": {"message": "mezza \ud83d"}}, 400)
    lines, _ = wired(tmp_path, of_row(1, said), 4)
    assert Counter(line.outcome for line in lines) == {Outcome.OK: 3, Outcome.FAILED: 1}


def test_all_tokens_spent_on_reasoning_is_one_request_and_truncated(tmp_path: Path) -> None:
    message = {"role": "assistant", "content": None, "reasoning_content": "La santa di…"}
    choice = {"index": 0, "message": message, "finish_reason": "length"}
    usage = {"prompt_tokens": 412, "completion_tokens": 512, "total_tokens": 924}
    (line,), seen = wired(tmp_path, [Answer(completion(choices=[choice], usage=usage))], 1)
    assert len(seen) == 1
    assert (line.outcome, line.text, line.reasoning) == ("truncated", "", "La santa di…")
    assert (line.attempts, line.usage.completion_tokens) == (1, 512)


@pytest.mark.parametrize("nothing", [None, "", "   \n"])
def test_an_empty_answer_is_asked_for_once_more(tmp_path: Path, nothing: str | None) -> None:
    empty = Answer(completion(nothing))
    (line,), seen = wired(tmp_path / "a", [empty, Answer()], 1)
    assert (len(seen), line.outcome, line.attempts) == (2, "ok", 2)
    (line,), seen = wired(tmp_path / "b", [empty], 1)
    assert (len(seen), line.outcome, line.attempts) == (2, "empty", 2)


@pytest.mark.parametrize("retries", [0, 1, 2])
def test_the_server_counts_one_request_more_than_retries(tmp_path: Path, retries: int) -> None:
    first = Answer()  # so that it has answered well before
    wired(tmp_path, [first], 1)
    broken = of_row(1, Answer({"error": {"message": "guasto"}}, 500))
    lines, seen = wired(tmp_path, broken, 3, retries)
    assert len([each for each in seen if each.json["messages"][0]["content"] == "1"]) == 1 + retries
    assert next(line for line in lines if line.id == 1).attempts == 1 + retries


def test_a_connection_closed_under_a_request_loses_no_item(tmp_path: Path) -> None:
    dropped: set[str] = set()

    def script(seen: Seen) -> Answer:
        row = seen.json["messages"][0]["content"]
        again = row in dropped or row == "0"
        dropped.add(row)
        return Answer() if again else Answer(drop=True)

    lines, seen = wired(tmp_path, script, 10, retries=5)
    assert Counter(line.outcome for line in lines) == {Outcome.OK: 10}
    assert len(seen) == 19


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": 412, "completion_tokens": None}])
def test_unknown_usage_is_unknown_and_costs_unknown(tmp_path: Path, usage: object) -> None:
    (line,), _ = wired(tmp_path, [Answer(completion(usage=usage))], 1, price=DOLLAR_A_TOKEN)
    assert line.outcome is Outcome.OK
    assert line.usage.completion_tokens is None
    assert line.cost_usd is None


# --- ends ------------------------------------------------------------------------------------


def test_a_failure_of_the_run_ends_it_at_once_and_keeps_what_is_on_its_way(bench: Bench) -> None:
    quota = RunFailure("credito terminato, controlla il piano", status=429)
    bench.concurrency = 8
    bench.script = lambda row, _: quota if row == 20 else later(row, 0.01 + row / 1_000)
    course = bench.run(200)
    assert isinstance(course.end, StoppedEarly)
    assert str(course.end) == "credito terminato, controlla il piano"
    assert course.stopped
    assert len(course.provider.sent) <= 20 + 8
    assert {line.id for line in course.lines} == set(course.provider.sent) - {20}
    resumed = Bench(bench.folder, concurrency=8).run(200)
    assert len(resumed.provider.sent) == 200 - len(course.lines)


@pytest.mark.parametrize("workers", [1, 8])
def test_each_worker_meets_a_failure_of_the_run_at_most_once(bench: Bench, workers: int) -> None:
    bench.concurrency = workers
    bench.script = lambda _row, _: RunFailure("chiave rifiutata", status=401)
    course = bench.run(83)
    assert sum(course.provider.sent.values()) <= workers
    assert course.lines == []


def test_the_first_reason_is_the_one_that_is_told(bench: Bench) -> None:
    async def refused(row: int) -> Reply:
        await asyncio.sleep(0.01 * row)
        raise RunFailure(f"motivo {row}")

    bench.script = lambda row, _: refused(row)
    assert str(bench.run(4).end) == "motivo 0"


def test_a_run_that_ends_early_waits_for_what_is_on_its_way_as_long_as_an_attempt_may_take(
    bench: Bench,
) -> None:
    bench.patience = Patience(timeout_s=0.05)
    bench.script = lambda row, _: RunFailure("basta") if row == 3 else later(row, 60)
    course = bench.run(10)
    assert isinstance(course.end, StoppedEarly)
    assert course.given_up == 0
    assert course.outcomes == {Outcome.FAILED: 3}  # each was paid for, as far as anybody knows
    assert course.watcher.said == [
        "stopping: basta; waiting up to 0.05 s for 3 requests on the way; Ctrl-C leaves at once"
    ]


def test_failures_in_a_row_stop_a_run_that_began_well(bench: Bench) -> None:
    bench.concurrency, bench.retries = 1, 0
    bench.script = lambda row, _: good(row) if row < 5 else FAULT
    course = bench.run(100)
    assert str(course.end) == "10 requests in a row failed: guasto"
    assert course.outcomes == {Outcome.OK: 5, Outcome.FAILED: 10}


def test_an_answer_in_between_starts_the_row_anew(bench: Bench) -> None:
    bench.concurrency, bench.retries = 1, 0
    bench.script = lambda row, _: good(row) if row % 8 == 0 else FAULT
    assert bench.run(60).end is None


def test_items_that_fail_for_themselves_do_not_stop_a_run_that_began_well(bench: Bench) -> None:
    bench.script = lambda row, _: ItemFailure("lungo") if row > 4 else good(row)
    course = bench.run(60)
    assert course.end is None
    assert course.outcomes == {Outcome.OK: 5, Outcome.FAILED: 55}


def test_a_run_in_which_every_item_fails_ends(bench: Bench) -> None:
    bench.concurrency = 1
    bench.script = lambda _row, _: ItemFailure("formato ignoto", status=400)
    course = bench.run(60)
    assert str(course.end) == "10 requests in a row failed: formato ignoto"
    assert len(course.lines) == 10


def test_the_only_request_that_fails_is_told(bench: Bench) -> None:
    bench.script = lambda _row, _: ItemFailure("formato ignoto")
    assert str(bench.run(1).end) == "the only request failed: formato ignoto"


def test_refusals_are_answers_and_end_nothing(bench: Bench) -> None:
    bench.script = lambda _row, _: ContentRefused("filtro", status=400)
    course = bench.run(30)
    assert course.end is None
    assert course.outcomes == {Outcome.REFUSED: 30}


def test_a_server_that_never_answers_well_is_given_up_early(bench: Bench) -> None:
    bench.retries, bench.concurrency = 2, 8
    bench.script = lambda _row, _: FAULT
    course = bench.run(100)
    assert isinstance(course.end, StoppedEarly)
    assert "guasto" in str(course.end)
    assert sum(course.provider.sent.values()) <= 8 + 5


def test_a_page_for_people_is_given_up_sooner(bench: Bench) -> None:
    bench.concurrency, bench.retries = 1, 20
    bench.script = lambda _row, _: WebPage("not JSON", status=200)
    course = bench.run(100)
    assert isinstance(course.end, StoppedEarly)
    assert sum(course.provider.sent.values()) == 3


def test_a_wait_beyond_the_cap_ends_the_run_and_is_told(bench: Bench) -> None:
    asks = TransientFailure("troppe", status=429, retry_after_s=86_400)
    bench.script = lambda row, _: asks if row == 5 else good(row)
    course = bench.run(50)
    assert isinstance(course.end, StoppedEarly)
    assert "asks to wait 86,400 s, longer than the 600 s of limits.max_wait" in str(course.end)
    assert len(course.lines) <= 5 + bench.concurrency


def test_a_wait_within_the_cap_is_waited_for(bench: Bench) -> None:
    asks = TransientFailure("troppe", status=429, retry_after_s=0.03)
    moments: list[float] = []

    def script(row: int, attempt: int) -> Reply | BaseException:
        moments.append(asyncio.get_running_loop().time())
        return asks if len(moments) == 1 else good(row)

    bench.script, bench.concurrency = script, 1
    course = bench.run(1)
    assert course.outcomes == {Outcome.OK: 1}
    assert moments[1] - moments[0] >= 0.03


class Panic(BaseException):
    """What a library written in Rust raises: beyond every `Exception`."""


FAULTS: Final[Mapping[str, BaseException]] = {
    "KeyError": KeyError("un errore nostro"),
    "MemoryError": MemoryError(),
    "RecursionError": RecursionError("troppo in fondo"),
    "OSError": OSError(errno.EIO, "Input/output error"),
    "UnicodeDecodeError": UnicodeDecodeError("utf-8", b"\xc3", 0, 1, "unexpected end of data"),
    "StopIteration": RuntimeError("coroutine raised StopIteration"),
    "ExceptionGroup": ExceptionGroup("due guasti", [ValueError("a"), TypeError("b")]),
    "BaseExceptionGroup": BaseExceptionGroup("guasti", [ValueError("a"), Panic("b")]),
    "CancelledError": asyncio.CancelledError(),
    "group with a CancelledError": BaseExceptionGroup("", [asyncio.CancelledError(), KeyError()]),
    "SystemExit": SystemExit(1),
    "Panic": Panic("called `Option::unwrap()` on a `None` value"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_our_own_is_one_items(bench: Bench, name: str) -> None:
    fault = FAULTS[name]
    bench.script = lambda row, _: fault if row == 3 else later(row, 0.005)
    course = bench.run(10)
    assert course.end is None
    assert course.outcomes == {Outcome.OK: 9, Outcome.FAILED: 1}
    [failed] = [line for line in course.lines if line.outcome is Outcome.FAILED]
    said = f": {in_words(fault)}" if str(fault) else ""
    assert failed.error == f"unexpected {type(fault).__name__}{said}"
    assert len(course.provider.sent) == 10
    [told] = course.watcher.said
    assert told.startswith("a fault of apieval's own, or of a library it uses, came up 1 time;")
    assert type(fault).__name__ in told


class Unwritable(Store):
    """A store in which the answer to one row cannot be written down, for no fault of the disk's."""

    def append(self, response: Response) -> None:
        if response.id == 3 and response.outcome is Outcome.OK:
            raise UnicodeEncodeError("utf-8", "\ud83d", 0, 1, "surrogates not allowed")
        super().append(response)


class Unreadable(ResponseCache):
    def get(self, request: Request) -> Response | None:
        raise RecursionError(request.key)

    def put(self, request: Request, response: Response) -> None:
        raise MemoryError(response.key)


def _raise(error: BaseException) -> NoReturn:
    raise error


def test_an_answer_that_cannot_be_written_down_is_a_failed_item(bench: Bench) -> None:
    bench.store_open = Unwritable.open
    course = bench.run(10)
    assert course.end is None
    assert course.outcomes == {Outcome.OK: 9, Outcome.FAILED: 1}


def test_faults_of_the_cache_and_of_who_looks_on_cost_no_answer(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "SYNC_EVERY_S", 0.001)
    monkeypatch.setattr(Recorder, "pressed", lambda *_: _raise(ValueError("schermo")))
    bench.watcher.on_answer = lambda _: _raise(BrokenPipeError(errno.EPIPE, "Broken pipe"))
    bench.watcher.on_stumble = lambda: _raise(KeyError("parola"))
    bench.script = lambda row, attempt: FAULT if attempt == 1 else later(row, 0.003)
    with closing(Unreadable(tmp_path / "cache")) as bench.cache:
        course = bench.run(10)
    assert course.end is None
    assert course.outcomes == {Outcome.OK: 10}
    assert "Please report it" in course.watcher.said[-1]


@pytest.mark.parametrize("place", ["judge", "response"])
def test_a_fault_between_reply_and_store_keeps_what_others_paid(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    if place == "judge":
        monkeypatch.setattr(giving_up.Judge, "ended", lambda *_: _raise(KeyError("giudice")))
    else:
        made = runner._response
        monkeypatch.setattr(
            runner,
            "_response",
            lambda request, asked, *more: made(
                request, asked if request.id != 3 or asked.failure else _raise(KeyError()), *more
            ),
        )
    bench.script = lambda row, _: later(row, 0 if row == 3 else 0.02)
    course = bench.run(10)
    if place == "judge":
        assert "unexpected KeyError" in str(course.end)
        assert course.stopped
    else:
        assert course.outcomes == {Outcome.OK: 9, Outcome.FAILED: 1}


def test_a_fault_in_making_requests_ends_the_run_in_order(bench: Bench) -> None:
    def source() -> Iterator[Request]:
        yield from requests(40)
        raise ZeroDivisionError("riga 40")

    bench.script = lambda row, _: later(row, 0.01)
    course = bench.run(source())
    assert str(course.end) == "unexpected ZeroDivisionError: riga 40"
    assert {line.id for line in course.lines} == set(course.provider.sent)
    assert course.outcomes == {Outcome.OK: len(course.lines)}


def test_on_a_full_disk_what_is_on_its_way_still_reaches_the_cache(
    bench: Bench, tmp_path: Path
) -> None:
    class Full(Store):
        def append(self, response: Response) -> None:
            raise StoreError(f"no room for row {response.id}")

    bench.store_open = Full.open
    bench.script = lambda row, _: later(row, 0.005 * (row + 1))
    with closing(ResponseCache(tmp_path / "cache")) as bench.cache:
        course = bench.run(20)
        assert str(course.end) == "no room for row 0"
        bench.cache.flush()
        assert bench.cache.stats().answers == len(course.provider.sent) == bench.concurrency


def test_a_store_that_cannot_be_written_ends_the_run(bench: Bench) -> None:
    class Full(Store):
        def append(self, response: Response) -> None:
            if len(self.answered) == 7:
                raise StoreError("No space left on device")
            super().append(response)

    bench.store_open = Full.open
    course = bench.run(100)
    assert isinstance(course.end, StoppedEarly)
    assert str(course.end) == "No space left on device"
    assert len(course.lines) == 7
    assert len(course.provider.sent) <= 7 + bench.concurrency
    bench.store_open = Store.open
    assert len(bench.run(100).lines) == 100


# --- the user stops it -----------------------------------------------------------------------


def stopping(after: int, bench: Bench, times: int = 1) -> Callable[[Runner], Awaitable[None]]:
    """Stop once so many answers have come."""

    async def during(each: Runner) -> None:
        def on_answer(count: int) -> None:
            for _ in range(times if count == after else 0):
                each.stop()

        bench.watcher.on_answer = on_answer

    return during


def test_stopped_once_it_sends_nothing_more_and_keeps_what_arrives(bench: Bench) -> None:
    bench.script = lambda row, _: later(row, 0.02)
    bench.during = stopping(9, bench)
    course = bench.run(1_000)
    assert course.stopped
    assert course.end is None
    assert {line.id for line in course.lines} == set(course.provider.sent)
    assert len(course.lines) <= 9 + bench.concurrency
    assert course.watcher.said[0].startswith("stopping: 9 answers saved")


def test_stopped_twice_it_does_not_wait(bench: Bench) -> None:
    bench.patience = Patience(timeout_s=600.0)
    bench.script = lambda row, _: later(row, 600 if row > 5 else 0)
    bench.during = stopping(6, bench, times=2)
    course = bench.run(1_000)
    assert course.stopped
    assert course.outcomes == {Outcome.OK: 6, Outcome.FAILED: 3}
    left = [line for line in course.lines if line.outcome is Outcome.FAILED]
    assert {line.error for line in left} == {"the run was stopped before a reply came"}
    assert {(line.attempts, line.cost_usd) for line in left} == {(1, None)}
    assert course.given_up == 3  # the fourth worker is the one that stopped it
    assert len(course.watcher.said) == 1
    assert "waiting up to 600 s for 3 requests on the way" in course.watcher.said[0]


def test_stopped_while_all_wait_for_a_turn_it_ends_at_once(bench: Bench) -> None:
    bench.patience = Patience(timeout_s=600.0)
    bench.script = lambda _row, _: TransientFailure("", status=503, retry_after_s=500)

    async def during(each: Runner) -> None:
        await asyncio.sleep(0.05)
        each.stop()

    bench.during = during
    course = bench.run(50)
    assert course.stopped
    assert {line.id for line in course.lines} == set(course.provider.sent)
    assert set(course.outcomes) == {Outcome.FAILED}


def test_an_empty_answer_after_the_stop_is_kept_and_not_asked_for_again(bench: Bench) -> None:
    async def empty() -> Reply:
        await asyncio.sleep(0.02)
        return Reply(text="", usage=ONE_TOKEN)

    bench.price = DOLLAR_A_TOKEN
    bench.script = lambda row, _: empty() if row > 5 else good(row)
    bench.during = stopping(6, bench)
    course = bench.run(100)
    assert set(course.provider.sent.values()) == {1}
    assert course.outcomes == {Outcome.OK: 6, Outcome.EMPTY: 3}
    assert {line.cost_usd for line in course.lines} == {1.0}


def test_waits_between_attempts_are_cut_short_by_the_stop(bench: Bench) -> None:
    class Patient(RetryPolicy):
        def wait_s(self, attempts: int, failure: TransientFailure) -> float:
            return 600.0

    bench.policy = Patient
    bench.patience = Patience(timeout_s=600.0)
    bench.script = lambda row, _: FAULT if row % 4 else later(row, 0.05)

    async def during(each: Runner) -> None:
        loop = asyncio.get_running_loop()
        bench.watcher.on_stumble = lambda: (
            len(bench.watcher.stumbles) == 3 and loop.call_soon(each.stop)
        )

    bench.during = during
    course = bench.run(100)
    assert {line.id: line.outcome for line in course.lines} == {
        0: Outcome.OK,
        **dict.fromkeys((1, 2, 3), Outcome.FAILED),
    }
    assert {line.error for line in course.lines if line.id} == {
        "the run was stopped before another attempt: guasto"
    }
    assert "for 1 request on the way" in course.watcher.said[0]


def test_what_was_heard_by_nobody_before_the_stop_was_not_requested(bench: Bench) -> None:
    bench.patience = Patience(timeout_s=600.0, server_s=600.0)
    bench.script = lambda _row, _: ServerDown("nessuno in ascolto")

    async def during(each: Runner) -> None:
        loop = asyncio.get_running_loop()
        bench.watcher.on_stumble = lambda: loop.call_soon(each.stop)

    bench.during = during
    course = bench.run(50)
    assert course.stopped
    assert course.provider.sent
    assert course.lines == []


def test_a_countdown_runs_while_it_waits(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "SYNC_EVERY_S", 0.01)
    counted_down = asyncio.Event()

    def on_wait() -> None:
        if len(bench.watcher.waits) == 3:
            counted_down.set()

    async def last(row: int) -> Reply:
        await counted_down.wait()
        return good(row)

    bench.script = lambda row, _: last(row) if row > 5 else good(row)
    bench.during, bench.watcher.on_wait = stopping(6, bench), on_wait
    waited = bench.run(100).watcher.waits
    assert [count for count, _ in waited[:3]] == [3] * 3
    assert 5.0 >= waited[0][1] > waited[1][1] > waited[2][1] > 0


def test_a_failure_after_the_stop_is_not_tried_again(bench: Bench) -> None:
    async def fails(row: int) -> Reply:
        await asyncio.sleep(0.02)
        raise FAULT

    bench.script = lambda row, _: fails(row) if row > 5 else good(row)
    bench.during = stopping(6, bench)
    course = bench.run(100)
    assert course.end is None
    assert course.outcomes == {Outcome.OK: 6, Outcome.FAILED: 3}
    assert set(course.provider.sent.values()) == {1}


def test_refusals_that_come_before_the_first_answer_end_nothing(bench: Bench) -> None:
    bench.script = lambda row, _: ItemFailure("troppo lungo") if row % 3 else later(row, 0.1)
    course = bench.run(60)
    assert course.end is None
    assert course.outcomes == {Outcome.OK: 20, Outcome.FAILED: 40}


def test_refusals_end_a_run_once_nothing_older_is_on_its_way(bench: Bench) -> None:
    enough = asyncio.Event()

    async def last() -> Reply:
        await enough.wait()
        raise ItemFailure("lungo")

    bench.watcher.on_answer = lambda count: enough.set() if count == 2 * giving_up.USELESS else None
    bench.script = lambda row, _: ItemFailure("troppo lungo") if row else last()
    course = bench.run(20_000)
    assert str(course.end).endswith("requests in a row failed: lungo")
    assert 2 * giving_up.USELESS < len(course.lines) < 20_000


# --- a server that is not up yet -------------------------------------------------------------


def test_a_server_that_comes_up_is_waited_for(bench: Bench) -> None:
    tries = 0

    def script(row: int, _: int) -> Reply | BaseException:
        nonlocal tries
        tries += 1
        return DOWN if tries < 12 else good(row)

    bench.script, bench.retries = script, 0
    course = bench.run(10)
    assert course.end is None
    assert course.outcomes == {Outcome.OK: 10}
    assert {line.attempts for line in course.lines} == {1}
    assert course.watcher.said == [
        "nessuno in ascolto; waiting up to 1 s for the server",
        "the server answers, after 0 s",
    ]


def test_a_server_that_does_not_come_up_is_given_up(bench: Bench) -> None:
    bench.patience = Patience(server_s=0.05)
    bench.script = lambda _row, _: DOWN
    course = bench.run(10)
    assert str(course.end) == "nessuno in ascolto; is the server running, and is base_url right?"
    assert course.lines == []


@pytest.mark.parametrize("workers", [1, 8, 64])
@pytest.mark.parametrize(
    "failure",
    [
        pytest.param(TransientFailure("porta chiusa", status=502), id="502"),
        pytest.param(TransientFailure("porta chiusa", status=503), id="503"),
        pytest.param(TransientFailure("porta chiusa", status=504), id="504"),
        pytest.param(TransientFailure("porta chiusa", status=521), id="of Cloudflare"),
        pytest.param(TransientFailure("porta chiusa"), id="cut off without a word"),
    ],
)
def test_a_gateway_whose_server_is_not_up_is_waited_for_however_many_ask(
    bench: Bench, failure: TransientFailure, workers: int
) -> None:  # C24
    tries = 0

    def script(row: int, _: int) -> Reply | BaseException:
        nonlocal tries
        tries += 1
        return failure if tries < 60 else good(row)

    bench.script, bench.retries, bench.concurrency = script, 1, workers
    bench.patience = Patience(server_s=30.0)
    course = bench.run(80)
    assert course.end is None
    assert course.outcomes == {Outcome.OK: 80}
    assert course.watcher.said[0] == "porta chiusa; waiting up to 30 s for the server"


def test_one_that_stays_so_is_given_up(bench: Bench) -> None:
    bench.patience, bench.concurrency = Patience(server_s=0.05), 8
    bench.script = lambda _row, _: TransientFailure("porta chiusa", status=503)
    course = bench.run(10)
    assert "porta chiusa; is the server running" in str(course.end)
    assert course.lines == []


def test_who_waits_for_no_server_tries_a_gateway_again_as_any_other(bench: Bench) -> None:
    bench.patience, bench.concurrency, bench.retries = Patience(server_s=0.0), 1, 3
    gateway = TransientFailure("porta chiusa", status=503)
    bench.script = lambda row, attempt: gateway if attempt < 3 else good(row)
    course = bench.run(1)
    assert [line.attempts for line in course.lines] == [3]


def test_what_was_paid_for_is_not_waited_for(bench: Bench) -> None:
    lost = TransientFailure("a metà")
    lost.billed = True
    bench.script, bench.concurrency = lambda _row, _: lost, 1
    course = bench.run(100)
    assert isinstance(course.end, StoppedEarly)
    assert sum(course.provider.sent.values()) == 5


@pytest.mark.parametrize("resumed", [False, True])
def test_a_name_that_is_not_known_is_told_and_tried_once_more(bench: Bench, resumed: bool) -> None:
    if resumed:
        bench.run(3)
    bench.script = lambda _row, _: Unreachable("non c'è")
    course = bench.run(100)
    assert isinstance(course.end, StoppedEarly)
    assert sum(course.provider.sent.values()) <= 2 * bench.concurrency
    assert course.watcher.said[0] == "non c'è; trying once more"


def test_a_network_that_goes_away_midway_is_waited_for(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(giving_up, "DOWN_AFTER_S", 0.0)
    tries = 0

    def script(row: int, _: int) -> Reply | BaseException:
        nonlocal tries
        tries += 1
        return Unreachable("non c'è") if 20 <= tries < 40 else good(row)

    bench.script, bench.retries = script, 0
    course = bench.run(50)
    assert course.outcomes == {Outcome.OK: 50}


def test_with_no_patience_it_is_given_up_at_once_and_in_silence(bench: Bench) -> None:
    bench.patience, bench.concurrency = Patience(server_s=0.0), 1
    bench.script = lambda _row, _: DOWN
    course = bench.run(10)
    assert isinstance(course.end, StoppedEarly)
    assert sum(course.provider.sent.values()) == 1
    assert course.watcher.said == []


def down_between(first: int, last: int) -> Script:
    """Return a script of a server that is down for some of the attempts, whatever they ask."""
    tries = 0

    def script(row: int, _: int) -> Reply | BaseException:
        nonlocal tries
        tries += 1
        return DOWN if first <= tries < last else good(row)

    return script


def test_a_server_that_goes_down_midway_is_waited_for(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(giving_up, "DOWN_AFTER_S", 0.0)
    bench.script, bench.retries = down_between(20, 60), 0
    course = bench.run(50)
    assert course.end is None
    assert course.outcomes == {Outcome.OK: 50}
    assert {line.attempts for line in course.lines} == {1}
    assert course.watcher.said[:2] == [
        "nessuno in ascolto; waiting up to 1 s for the server",
        "the server answers, after 0 s",
    ]


def test_a_server_that_stays_down_ends_the_run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(giving_up, "DOWN_AFTER_S", 0.0)
    bench.patience = Patience(server_s=0.05)
    bench.script = lambda row, _: good(row) if row < 3 else DOWN
    course = bench.run(50)
    assert str(course.end) == "nessuno in ascolto; is the server running, and is base_url right?"
    assert course.outcomes == {Outcome.OK: 3}


def test_one_server_of_many_that_is_down_is_not_waited_for(bench: Bench) -> None:
    bench.retries = 1
    bench.script = lambda row, attempt: DOWN if row % 3 == 2 and attempt == 1 else good(row)
    course = bench.run(50)
    assert course.outcomes == {Outcome.OK: 50}
    assert {line.attempts for line in course.lines if line.id % 3 == 2} == {2}
    assert course.watcher.said == []


def test_without_patience_a_server_that_goes_down_uses_up_retries(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(giving_up, "DOWN_AFTER_S", 0.0)
    bench.concurrency, bench.retries, bench.patience = 1, 1, Patience(server_s=0.0)
    bench.script = lambda row, _: good(row) if row < 3 else DOWN
    course = bench.run(50)
    assert isinstance(course.end, StoppedEarly)
    assert course.outcomes == {Outcome.OK: 3, Outcome.FAILED: 10}
    assert {line.attempts for line in course.lines if line.outcome is Outcome.FAILED} == {2}


# --- money -----------------------------------------------------------------------------------


def test_the_budget_is_never_exceeded(bench: Bench) -> None:
    bench.price, bench.max_usd, bench.most_tokens = DOLLAR_A_TOKEN, 10.0, 2
    course = bench.run(100)
    assert isinstance(course.end, StoppedEarly)
    assert "--max-cost 10 USD is reached: 9.0000 spent" in str(course.end)
    assert sum(line.cost_usd or 0 for line in course.lines) == 9
    assert len(course.provider.sent) == 9


def test_dearer_answers_than_reserved_exceed_it_by_those_in_flight_alone(bench: Bench) -> None:
    bench.price, bench.max_usd, bench.most_tokens = DOLLAR_A_TOKEN, 10.0, 1
    dear = Reply(text="x", usage=Usage(prompt_tokens=1, completion_tokens=3))
    bench.script = lambda _row, _: dear
    course = bench.run(100)
    spent = sum(line.cost_usd or 0 for line in course.lines)
    assert spent <= 10 + 3 * bench.concurrency
    assert isinstance(course.end, StoppedEarly)


def test_every_attempt_is_on_disk_before_it_is_made(bench: Bench) -> None:
    bench.price, bench.most_tokens = DOLLAR_A_TOKEN, 2

    def seen(row: int, attempt: int) -> Reply | BaseException:
        lines = (bench.folder / SPENDING).read_text("utf-8").splitlines()
        mine = [each for each in map(json.loads, lines) if each.get("id") == row]
        assert len(mine) == attempt
        assert mine[-1]["at_most_usd"] == 2.0
        return FAULT if row % 3 == 0 and attempt == 1 else good(row)

    bench.script = seen
    course = bench.run(20)
    assert course.outcomes == {Outcome.OK: 20}
    assert spent_by(bench.folder) == Spent(20.0)


@pytest.mark.parametrize(
    ("billed", "unsettled", "lost", "attempts"),
    [
        pytest.param(False, False, 0, 3, id="refused: free, and tried again"),
        pytest.param(False, True, 3, 3, id="no word of it: at most, and tried again"),
        pytest.param(True, False, 3, 3, id="broken off: at most"),
    ],
)
def test_what_a_failed_attempt_costs(
    bench: Bench, billed: bool, unsettled: bool, lost: int, attempts: int
) -> None:
    def failing(row: int, _: int) -> Reply | BaseException:
        if row != 3:
            return good(row)
        failure = TransientFailure("guasto")
        failure.billed, failure.unsettled = billed, unsettled
        return failure

    bench.price, bench.script = DOLLAR_A_TOKEN, failing
    course = bench.run(10)
    assert course.provider.sent[3] == attempts
    assert spent_by(bench.folder) == Spent(9.0, float(lost), lost)


def test_where_it_cannot_be_written_nothing_is_sent(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.price = DOLLAR_A_TOKEN
    begin = Ledger.open

    def elsewhere(folder: Path, before: Spent) -> Ledger:
        return begin(folder / "nowhere", before)

    monkeypatch.setattr(Ledger, "open", elsewhere)
    course = bench.run(5)
    assert isinstance(course.end, StoppedEarly)
    assert "spending.jsonl: cannot be written" in str(course.end)
    assert not course.provider.sent


def test_what_was_spent_before_counts(bench: Bench) -> None:
    bench.price, bench.max_usd = DOLLAR_A_TOKEN, 4.0
    assert len(bench.run(100).lines) == 4
    bench.max_usd = 6.0
    course = bench.run(100)
    assert len(course.lines) == 6
    assert len(course.provider.sent) == 2


def test_empty_answers_that_were_asked_again_were_paid_too(bench: Bench) -> None:
    bench.price, bench.max_usd, bench.most_tokens = DOLLAR_A_TOKEN, 100.0, 1
    empty = Reply(text=" ", usage=Usage(prompt_tokens=0, completion_tokens=1))
    bench.script = lambda _row, _: empty
    course = bench.run(10)
    assert course.provider.sent.total() == 20
    assert sum(line.cost_usd or 0 for line in course.lines) == 20


def test_requests_that_fail_give_back_what_was_reserved(bench: Bench) -> None:
    bench.price, bench.max_usd = DOLLAR_A_TOKEN, 5.0
    bench.script = lambda row, _: ItemFailure("lungo") if row % 2 else good(row)
    course = bench.run(10)
    assert course.end is None
    assert course.outcomes == {Outcome.OK: 5, Outcome.FAILED: 5}
