"""The memory for replies on their way: one for all, bounded, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apieval.errors import AttemptFailed, TransientFailure
from apieval.providers import transport
from apieval.providers.openai_compatible import OpenAICompatibleClient
from apieval.providers.transport import SMALL, STEP, Room, Share
from apieval.records import Message, Reply, Request
from apieval.run.retry import attempt_within
from tests.servers import Answer, Script, Scripted, completion

LARGE = 900_000


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> Room:
    """Give a room of a megabyte."""
    small = Room(1_000_000)
    monkeypatch.setattr(transport, "ROOM", small)
    return small


def request(row: int) -> Request:
    said = (Message(role="user", content=str(row)),)
    return Request(id=row, setting="regular", sample=0, messages=said, identity="", key="")


def ended(
    script: Script, count: int, timeout_s: float = 60.0
) -> list[Reply | AttemptFailed | BaseException]:
    """Ask so many questions at once; return how each ended."""

    async def run() -> list[Reply | AttemptFailed | BaseException]:
        async with Scripted(script) as server:
            client = OpenAICompatibleClient([server.url], {"model": "m"})
            asked = (attempt_within(timeout_s, client, request(row)) for row in range(count))
            try:
                return list(await asyncio.gather(*asked, return_exceptions=True))
            finally:
                await client.aclose()

    return asyncio.run(run())


def test_large_replies_of_many_slots_stay_within_one_bound_and_all_come(room: Room) -> None:
    text = "x" * LARGE
    ends = ended([Answer(completion(text))], 24)
    assert [each.text for each in ends if isinstance(each, Reply)] == [text] * 24
    assert 0 < room.highest <= room.most + LARGE + STEP  # of 24 times as much
    assert room.held == 0


def test_usual_replies_need_no_leave(room: Room) -> None:
    room.most = 0
    ends = ended([Answer(completion("x" * (SMALL // 2)))], 24)
    assert all(isinstance(each, Reply) for each in ends)
    assert room.highest == 0


def test_replies_that_are_given_up_midway_hold_nobody_up(room: Room) -> None:
    """Some have filled the room and send no more; the others come once those have timed out."""
    room.most = SMALL
    stuck = Answer(b'{"choices": [' + b" " * LARGE, headers={"content-length": str(2 * LARGE)})
    good = Answer(completion("x" * LARGE))
    ends = ended(
        lambda seen: stuck if int(seen.json["messages"][0]["content"]) < 3 else good, 6, 0.3
    )
    assert all(isinstance(each, TransientFailure) for each in ends[:3])
    assert room.held == 0
    again = ended([good], 6)
    assert all(isinstance(each, Reply) for each in again)


@given(
    sizes=st.lists(st.integers(1, 8 * STEP), min_size=1, max_size=20),
    most=st.integers(0, 6 * STEP),
    seed=st.integers(),
    given_up=st.sets(st.integers(0, 19)),
)
@settings(max_examples=80, deadline=None)
def test_somebody_always_goes_on_whatever_comes_and_is_given_up(
    sizes: list[int], most: int, seed: int, given_up: set[int]
) -> None:
    room, chance = Room(most), random.Random(seed)

    async def one(size: int) -> None:
        share, read = Share(), 0
        try:
            while read < size:
                read = min(size, read + chance.randint(1, STEP))
                await share.grow(read)
                await asyncio.sleep(0)
        finally:
            share.end()

    async def run() -> None:
        tasks = [asyncio.ensure_future(one(size)) for size in sizes]
        for _ in range(chance.randint(0, 20)):
            await asyncio.sleep(0)
        for number in given_up:
            if number < len(tasks):
                tasks[number].cancel()
        async with asyncio.timeout(10):
            await asyncio.gather(*tasks, return_exceptions=True)
        assert not any(task.exception() for task in tasks if not task.cancelled())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transport, "ROOM", room)
        asyncio.run(run())
    assert room.held == 0
    assert room.highest <= most + max(sizes) + STEP
