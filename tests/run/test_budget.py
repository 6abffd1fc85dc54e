from __future__ import annotations

import asyncio
import errno
import json
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from apieval.config.models import Price
from apieval.errors import RunFailure, StoreError
from apieval.records import Message, Request, RowId, Usage
from apieval.run.budget import (
    MARGIN,
    UNMEASURED,
    Budget,
    Ledger,
    Reservation,
)
from apieval.run.cost import SPENDING, Spent, spent_by

ONE_EACH = Price(input=0.0, output=1_000_000.0)
"""One USD a token, so that a request may cost its `most_tokens` in USD."""
NOTHING = Spent()


def request(row: RowId = 0, text: str = "x" * 2_999) -> Request:
    message = Message(role="user", content=text)
    return Request(
        id=row, setting="regular", sample=0, messages=(message,), identity="{}", key="sha256:0"
    )


def answer(tokens: int) -> Usage:
    return Usage(prompt_tokens=1, completion_tokens=tokens)


@pytest.fixture(autouse=True)
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Ledger]]:
    """Give all accounts that are opened, and end them as a kill would: without a word."""
    ledgers: list[Ledger] = []
    begin = Ledger.__init__

    def remembered(ledger: Ledger, path: Path, spent: Spent) -> None:
        begin(ledger, path, spent)
        ledgers.append(ledger)

    monkeypatch.setattr(Ledger, "__init__", remembered)
    yield ledgers
    for each in ledgers:
        if each._file:
            each._file.close()


@pytest.fixture
def budget(tmp_path: Path) -> Callable[..., Budget]:
    def make(max_usd: float | None, most_tokens: int | None = 1, spent: Spent = NOTHING) -> Budget:
        return Budget(Ledger.open(tmp_path, spent), ONE_EACH, most_tokens, max_usd)

    return make


async def charged(purse: Budget, used: Usage | None) -> None:
    """Let one request be sent and end, None with nothing to pay."""
    reserved = await purse.reserve(request())
    purse.send(reserved)
    reserved.used = used
    purse.settle(reserved)


# --- what may be spent -----------------------------------------------------------------------


def test_what_is_reserved_is_not_given_twice_and_waits_for_settlement(
    budget: Callable[..., Budget],
) -> None:
    async def work() -> None:
        purse = budget(2.0)
        first, second = await purse.reserve(request()), await purse.reserve(request())
        third = asyncio.create_task(purse.reserve(request()))
        await asyncio.sleep(0)
        assert not third.done()
        for each in (first, second):
            purse.send(each)
        first.used, second.used = answer(1), None
        purse.settle(first)  # as dear as it might have been: no room yet
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not third.done()
        purse.settle(second)
        assert (await third).usd == 1.0
        assert purse.ledger.spent == Spent(1.0)

    asyncio.run(work())


@pytest.mark.parametrize(
    ("spent", "said"),
    [
        pytest.param(Spent(2.5), r"2\.5000 spent, and the next", id="known"),
        pytest.param(Spent(1, 1.5, 2), r"2\.5000 spent \(of it 1\.5000 at most\), and", id="lost"),
    ],
)
def test_a_used_up_budget_ends_the_run_and_says_how_much(
    budget: Callable[..., Budget], spent: Spent, said: str
) -> None:
    purse = budget(3.0, spent=spent)
    with pytest.raises(RunFailure, match=rf"--max-cost 3 USD is reached: {said}.* 1\.0000"):
        asyncio.run(charged(purse, None))
    assert purse.short_usd == 3.5


def test_all_who_wait_learn_that_nothing_is_left(budget: Callable[..., Budget]) -> None:
    async def work() -> None:
        purse = budget(1.0)
        reserved = await purse.reserve(request())
        purse.send(reserved)
        waiting = [asyncio.create_task(purse.reserve(request())) for _ in range(5)]
        await asyncio.sleep(0)
        purse.settle(reserved)
        ends = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(end) for end in ends] == [RunFailure] * 5

    asyncio.run(work())


@pytest.mark.parametrize(
    ("used", "spent"),
    [
        pytest.param(answer(3), Spent(3.0), id="an answer"),
        pytest.param(answer(9), Spent(9.0), id="an answer dearer than it may be"),
        pytest.param(None, Spent(), id="refused"),
        pytest.param(Usage(), Spent(0.0, 4.0, 1), id="nobody knows"),
        pytest.param(Usage(prompt_tokens=7), Spent(0.0, 4.0, 1), id="half is known"),
    ],
)
def test_an_attempt_costs_what_it_used_and_at_most_what_was_reserved_where_that_is_unknown(
    budget: Callable[..., Budget], tmp_path: Path, used: Usage | None, spent: Spent
) -> None:
    purse = budget(10.0, most_tokens=4)
    asyncio.run(charged(purse, used))
    assert purse.ledger.spent == spent == spent_by(tmp_path)
    purse.ledger.close(tmp_path)
    assert spent_by(tmp_path) == spent


def test_what_was_reserved_and_never_sent_costs_nothing(
    budget: Callable[..., Budget], tmp_path: Path
) -> None:
    async def work() -> None:
        purse = budget(1.0)
        for _ in range(3):
            purse.settle(await purse.reserve(request()))
        assert purse.ledger.spent == Spent()

    asyncio.run(work())
    assert not (tmp_path / SPENDING).exists()


def test_without_a_bound_on_tokens_an_unknown_cost_stays_unknown(
    budget: Callable[..., Budget],
) -> None:
    purse = budget(None, most_tokens=None)
    asyncio.run(charged(purse, Usage()))
    assert purse.ledger.spent == Spent(unknown=1)
    assert purse.ledger.spent.total_usd is None
    asyncio.run(charged(purse, answer(2)))
    assert purse.ledger.spent.total_usd == 2.0


def test_free_requests_are_not_held_up(tmp_path: Path) -> None:
    async def work() -> None:
        purse = Budget(Ledger.open(tmp_path, Spent()), Price(input=0.0, output=0.0), 100, 0.0)
        for _ in range(3):
            assert (await purse.reserve(request())).usd == 0.0

    asyncio.run(work())


def test_what_a_prompt_may_have_of_tokens_is_learned(tmp_path: Path) -> None:
    """A reservation is never below what a server that counts more than the estimate generates."""
    price = Price(input=1_000_000.0, output=0.0)
    purse = Budget(Ledger.open(tmp_path, Spent()), price, 10)
    asked = request()  # 1,000 tokens, as estimated
    assert purse.worst_usd(asked) == 1000 * UNMEASURED + 1
    for counted, worst in [(700, 700), (1200, 1200), (800, 1200)]:
        purse.measure(asked, Usage(prompt_tokens=counted, completion_tokens=5))
        assert purse.worst_usd(asked) == pytest.approx(worst * MARGIN, abs=2)


def test_a_lost_reply_counts_by_what_has_been_learned_meanwhile(
    budget: Callable[..., Budget], tmp_path: Path
) -> None:
    async def work() -> None:
        purse = budget(None, most_tokens=2)
        early = await purse.reserve(request())
        purse.send(early)
        await charged(purse, answer(6))  # the server takes no notice of max_tokens
        purse.settle(early)
        assert purse.ledger.spent == Spent(6.0, 6.0, 1)

    asyncio.run(work())
    assert spent_by(tmp_path) == Spent(6.0, 6.0, 1)


@settings(max_examples=30)
@given(
    st.lists(st.floats(1e-9, 1e6), min_size=1, max_size=60),
    st.floats(0, 1),
)
def test_rounding_never_leaves_anybody_waiting(
    tmp_path_factory: pytest.TempPathFactory, prices: list[float], share: float
) -> None:
    """Sums of floats leave crumbs behind; with nothing on its way, none may be waited for."""

    async def work() -> None:
        folder = tmp_path_factory.mktemp("run")
        purse = Budget(Ledger.open(folder, Spent()), ONE_EACH, 1, 1e12)
        reserved: list[Reservation] = []
        for price in prices:
            purse.price = Price(input=0.0, output=price * 1e6)
            reserved.append(await purse.reserve(request()))
        for each in sorted(reserved, key=lambda each: each.usd or 0.0):
            purse.price = Price(input=0.0, output=(each.usd or 0.0) * share * 1e6)
            purse.send(each)
            each.used = answer(1)
            purse.settle(each)
        purse.max_usd = 0.0
        purse.price = ONE_EACH
        with pytest.raises(RunFailure):
            await asyncio.wait_for(purse.reserve(request()), 5)
        purse.ledger.close(folder)

    asyncio.run(work())


def test_spending_never_exceeds_the_budget_where_no_answer_costs_more_than_reserved(
    budget: Callable[..., Budget],
) -> None:
    async def work() -> None:
        purse = budget(50.0, most_tokens=7)

        async def one(number: int) -> None:
            reserved = await purse.reserve(request())
            await asyncio.sleep(0)
            purse.send(reserved)
            reserved.used = answer(1 + number % 7)
            purse.settle(reserved)

        ends = await asyncio.gather(*map(one, range(100)), return_exceptions=True)
        assert {type(end) for end in ends} == {type(None), RunFailure}
        assert 50 - 7 < purse.ledger.spent.usd <= 50

    asyncio.run(work())


# --- what was spent, on disk -----------------------------------------------------------------


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / SPENDING).read_text("utf-8").splitlines()]


def test_a_reservation_is_on_disk_before_anything_else_happens(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path, Spent())
    first = ledger.send(request("riga «7»"), 0.25)
    assert spent_by(tmp_path) == Spent(0.0, 0.25, 1)  # were it killed now
    ledger.send(request(2), None)
    assert spent_by(tmp_path) == Spent(0.0, 0.25, 1, 1)
    ledger.settle(first, 0.125)
    assert spent_by(tmp_path) == Spent(0.125, unknown=1)
    assert lines(tmp_path) == [
        {"n": 1, "id": "riga «7»", "setting": "regular", "sample": 0, "at_most_usd": 0.25},
        {"n": 2, "id": 2, "setting": "regular", "sample": 0, "at_most_usd": None},
        {"n": 1, "usd": 0.125},
    ]


def test_one_line_is_left_by_the_next_command_and_at_the_end(tmp_path: Path) -> None:
    killed = Ledger.open(tmp_path, Spent())
    killed.settle(killed.send(request(), 0.5), 0.25)
    killed.send(request(1), 0.5)
    told: dict[str, Any] = {"known_usd": 0.25, "at_most_usd": 0.5, "lost": 1, "unknown": 0}
    again = Ledger.open(tmp_path, Spent())
    assert lines(tmp_path) == [told]
    assert again.spent == Spent(**told)
    again.settle(again.send(request(1), 0.5), 0.125)
    again.close(tmp_path)
    assert lines(tmp_path) == [{**told, "known_usd": 0.375}]


def test_what_answers_cost_before_there_was_an_account_comes_first(tmp_path: Path) -> None:
    before = Spent(1.5, unknown=3)
    ledger = Ledger.open(tmp_path, before)
    assert spent_by(tmp_path) == before
    ledger.assume(0.5)
    ledger.send(request(), 1.0)
    ledger.close(tmp_path)
    assert spent_by(tmp_path) == Spent(1.5, 2.5, 4)
    assert Ledger.open(tmp_path, before).spent == Spent(1.5, 2.5, 4), "and is not added twice"


@pytest.mark.parametrize(
    ("left", "spent"),
    [
        pytest.param(b"", Spent(7.0), id="empty: what the answers cost"),
        pytest.param(b'{"n":1,"id":0,"at_most', Spent(7.0), id="torn: never sent"),
        pytest.param(b'{"n":1,"at_most_usd":2.0}\n{"n":1,"us', Spent(7, 2, 1), id="torn: unsettled"),
        pytest.param(
            b'\x00\x00\n[]\n{"n":[1]}\n7\n', Spent(7.0, unknown=4), id="no lines of an account"
        ),
        pytest.param(
            b"[" * 100_000 + b'\n{"n":1,"at_most_usd":2.0}\n',
            Spent(7.0, 2.0, 1, 1),
            id="nested without end",
        ),
        pytest.param(
            b'{"known_usd":1%s,"at_most_usd":1e308,"unknown":1e300}\n' % (b"0" * 400),
            Spent(7.0),
            id="sums that cannot be",
        ),
        pytest.param(
            b'{"n":1,"at_most_usd":1e308}\n{"n":2,"at_most_usd":1e308}\n',
            Spent(7.0, unknown=2),
            id="bounds that come to infinity",
        ),
        pytest.param(
            b'{"known_usd":9.0,"at_most_usd":null,"lost":"x"}\n', Spent(9.0), id="odd values"
        ),
        pytest.param(
            b'{"n":1,"at_most_usd":-5}\n{"n":2,"usd":-5}\n{"n":3,"usd":NaN}\n',
            Spent(7.0, unknown=3),
            id="no amounts",
        ),
    ],
)  # fmt: skip
def test_a_damaged_account_is_never_less_than_the_answers_cost(
    tmp_path: Path, left: bytes, spent: Spent
) -> None:
    (tmp_path / SPENDING).write_bytes(left)
    assert Ledger.open(tmp_path, Spent(7.0)).spent == spent


def test_nothing_is_sent_where_it_cannot_be_written(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "gone", Spent())
    with pytest.raises(StoreError, match=r"spending\.jsonl: cannot be written: No such file"):
        ledger.send(request(), 1.0)
    assert ledger.spent == Spent()


def test_half_a_line_on_a_full_disk_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.open(tmp_path, Spent())
    ledger.send(request(), 1.0)
    before = (tmp_path / SPENDING).read_bytes()
    file: Any = ledger._file

    class Full:
        def write(self, data: bytes) -> int:
            if len(data) < 20:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return int(file.write(data[:5]))

        truncate = file.truncate

    with monkeypatch.context() as patched:
        patched.setattr(ledger, "_file", Full())
        with pytest.raises(StoreError, match="No space left"):
            ledger.send(request(1), 1.0)
    assert (tmp_path / SPENDING).read_bytes() == before


def test_a_disk_that_cannot_be_synced_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    ledger = Ledger.open(tmp_path, Spent())
    ledger.send(request(), 1.0)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", broken)
        with pytest.raises(StoreError, match=r"spending\.jsonl: cannot be written: Input/output"):
            ledger.sync()


@pytest.mark.skipif(os.name != "posix", reason="there are no pipes by name")
def test_a_pipe_in_its_place_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / SPENDING)
    assert stat.S_ISFIFO((tmp_path / SPENDING).stat().st_mode)
    with pytest.raises(StoreError, match="a pipe or a device"):
        Ledger.open(tmp_path, Spent())


class Account(RuleBasedStateMachine):
    """Requests that are sent, end well, end badly, and processes that are killed meanwhile.

    `generated` is what a server did that charges up to what was reserved, and for a request that
    it does not refuse charges whether its reply is read or not.
    """

    @initialize()
    def begin(self) -> None:
        self.home = tempfile.TemporaryDirectory()
        self.folder = Path(self.home.name)
        self.ledger = Ledger.open(self.folder, Spent())
        self.flying: dict[int, tuple[int, int]] = {}
        self.generated = self.reserved = 0

    @rule(most=st.integers(0, 10**6), share=st.integers(0, 100))
    def send(self, most: int, share: int) -> None:
        number = self.ledger.send(request(), most / 2**20)  # exact in binary
        cost = most * share // 100
        self.generated += cost
        self.reserved += most
        self.flying[number] = (most, cost)

    @rule(lost=st.booleans())
    def end(self, lost: bool) -> None:
        if self.flying:
            number, (_, cost) = self.flying.popitem()
            self.ledger.settle(number, None if lost else cost / 2**20)

    @rule()
    def refuse(self) -> None:
        if self.flying:
            number, (_, cost) = self.flying.popitem()
            self.generated -= cost
            self.ledger.settle(number, 0.0)

    @rule(torn=st.integers(0, 60))
    def kill(self, torn: int) -> None:
        """The process ends without a word, in the middle of the line of a request not yet sent."""
        half = b'{"n":999,"id":0,"setting":"regular","sample":0,"at_most_usd":5.0}\n'[:torn]
        with (self.folder / SPENDING).open("ab") as file:
            file.write(half)
        self.flying.clear()
        self.let_go()
        self.ledger = Ledger.open(self.folder, Spent())

    def let_go(self) -> None:
        if self.ledger._file:
            self.ledger._file.close()

    @rule()
    def go_on_in_order(self) -> None:
        self.flying.clear()
        self.ledger.close(self.folder)
        self.ledger = Ledger.open(self.folder, Spent())

    @invariant()
    def never_less_than_generated_nor_more_than_reserved(self) -> None:
        if hasattr(self, "folder"):
            on_disk = spent_by(self.folder) or Spent()
            assert self.generated / 2**20 <= on_disk.usd <= self.reserved / 2**20
            flying = sum(most for most, _ in self.flying.values()) / 2**20
            assert self.ledger.spent.usd + flying == on_disk.usd

    def teardown(self) -> None:
        if hasattr(self, "home"):
            self.let_go()
            self.home.cleanup()


TestAccount = Account.TestCase
TestAccount.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
