"""Connections: heads and packings as servers bend them, and one bounded memory for all replies."""

from __future__ import annotations

import asyncio
import gzip
import json
import random
import tracemalloc
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apieval.errors import AttemptFailed, ItemFailure, ServerDown, TransientFailure
from apieval.providers import transport
from apieval.providers.openai_compatible import OpenAICompatibleClient
from apieval.providers.transport import MISNAMED, SMALL, STEP, TWO_LENGTHS, Room, Share
from apieval.records import Reply
from apieval.run.retry import attempt_within
from tests.providers.asking import TEXT, at, attempt, failed, raw, request, talk
from tests.servers import Answer, Script, Scripted, Seen, completion

# --- heads -----------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [9_000, 60_000, 200_000])
def test_a_long_header_costs_no_answer(length: int) -> None:  # C06
    headers = {"x-gateway-info": "y" * length, "content-security-policy": "z" * length}
    assert attempt(Answer(headers=headers)).text == TEXT


def test_many_headers_cost_no_answer() -> None:
    assert attempt(Answer(headers={f"x-{number}": "y" for number in range(500)})).text == TEXT


DOCUMENT = json.dumps(completion()).encode()
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(DOCUMENT), DOCUMENT)
LENGTH = b"content-length: %d\r\n" % len(DOCUMENT)
CHUNKS = b"Transfer-Encoding: chunked\r\n"
OK = b"HTTP/1.1 200 OK\r\n"
END = b"\r\n"


def sent(*pieces: bytes) -> Reply:
    """Return the reply to one attempt at a server that sends these bytes, each by itself."""
    reply: Reply = asyncio.run(raw(lambda where: at(f"http://{where}/v1"), *pieces))
    return reply


TWICE = {
    "in one piece": (OK + LENGTH + CHUNKS + END + CHUNKED,),
    "the head by itself": (OK + CHUNKS + LENGTH + END, CHUNKED),
    "in pieces": (OK[:5], OK[5:] + CHUNKS, LENGTH + END + CHUNKED),
    "not in chunks at all": (OK + LENGTH + CHUNKS + END + DOCUMENT,),
    "wrong length": (OK + b"Content-Length: 7\r\n" + CHUNKS + END + CHUNKED,),
    "the same twice": (OK + LENGTH + LENGTH.title() + END + DOCUMENT,),
}
BARE = OK.replace(b"\r", b"") + LENGTH.replace(b"\r", b"") + b"\n" + DOCUMENT
ONCE = {
    "chunks alone": (OK + CHUNKS + END + CHUNKED,),
    "a length alone": (OK + LENGTH + END, DOCUMENT[:50], DOCUMENT[50:]),
    "bare": (BARE,),
    "until the end": (OK + END + DOCUMENT,),
}


@pytest.mark.parametrize("pieces", TWICE.values(), ids=TWICE)
def test_a_length_given_twice_costs_no_answer(pieces: tuple[bytes, ...]) -> None:
    reply = sent(*pieces)
    assert (reply.text, reply.repaired) == (TEXT, (TWO_LENGTHS,))


@pytest.mark.parametrize("pieces", ONCE.values(), ids=ONCE)
def test_a_head_that_is_right_is_left_as_it_is(pieces: tuple[bytes, ...]) -> None:
    reply = sent(*pieces)
    assert (reply.text, reply.repaired) == (TEXT, ())


def test_lengths_that_differ_are_no_length() -> None:
    with pytest.raises(TransientFailure):
        sent(OK + LENGTH + b"content-length: 5\r\n" + END + DOCUMENT)


# --- packings --------------------------------------------------------------------------------


def deflated(window: int) -> bytes:
    packer = zlib.compressobj(wbits=window)
    return packer.compress(DOCUMENT) + packer.flush() + b"rest"


@pytest.mark.parametrize(
    ("body", "packing", "repaired"),
    [
        (gzip.compress(DOCUMENT), "gzip", ()),
        (deflated(31), "x-gzip", ()),
        (deflated(15), "Deflate", ()),
        (deflated(-15), "Deflate", ()),
        (DOCUMENT, "gzip", (MISNAMED,)),
        (DOCUMENT, "deflate", (MISNAMED,)),
        (gzip.compress(DOCUMENT), "", (MISNAMED,)),
        (gzip.compress(DOCUMENT), "deflate", ()),
        (zlib.compress(DOCUMENT), "gzip", ()),
        (gzip.compress(DOCUMENT), "br", (MISNAMED,)),
        (DOCUMENT, "br", ()),
        (DOCUMENT, "zstd", ()),
        (DOCUMENT, "gzip, gzip", ()),
        (DOCUMENT, "identity", ()),
    ],
)
def test_every_packing_is_read_as_what_it_is(
    body: bytes, packing: str, repaired: tuple[str, ...]
) -> None:
    reply = attempt(Answer(body, headers={"content-encoding": packing}))
    assert (reply.text, reply.repaired) == (TEXT, repaired)


def test_a_bomb_is_given_up_before_it_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "MOST_BYTES", 3_000_000)
    bomb = gzip.compress(bytes(200_000_000))
    tracemalloc.start()
    try:
        end = failed(Answer(bomb, headers={"content-encoding": "gzip"}))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert type(end) is ItemFailure
    assert "larger than" in str(end)
    assert most < 30_000_000
    assert "larger than" in str(failed(Answer("x" * 4_000_000)))


# --- connections -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        Answer(drop=True),
        Answer(cut=5),
        Answer(cut=60),
        Answer(cut=200),
        Answer(b"x" * 100, headers={"content-encoding": "gzip"}),
        Answer(headers={"transfer-encoding": "chunked", "content-length": "5"}),
        Answer(headers={"x": "y" * 300_000}),
        Answer(headers={"content-length": "tanti"}),
    ],
)
def test_a_broken_reply_may_pass(answer: Answer) -> None:
    end = failed(answer)
    assert isinstance(end, TransientFailure)
    assert not isinstance(end, ServerDown)
    assert "/chat/completions" in str(end)
    assert len(str(end)) < 400
    assert "\n" not in str(end)
    assert end.__suppress_context__


def test_an_answer_shorter_than_its_length_is_whole_where_it_is_whole() -> None:
    reply = attempt(Answer(headers={"content-length": str(len(DOCUMENT) + 7)}, last=True))
    assert reply.text == TEXT
    assert "broke off" in str(reply.repaired)


def test_one_after_the_other_takes_one_connection() -> None:
    async def work(client: OpenAICompatibleClient) -> None:
        for _time in range(5):
            await client.attempt(request())

    assert {seen.connection for seen in talk([], work)} == {0}


def test_a_connection_the_server_closes_under_a_request_is_a_passing_fault() -> None:
    """The second request goes to its end; the third on a new connection."""

    async def work(client: OpenAICompatibleClient) -> None:
        await client.attempt(request())
        with pytest.raises(TransientFailure):
            await client.attempt(request())
        await client.attempt(request())

    seen = talk([Answer(), Answer(drop=True), Answer()], work)
    assert [each.connection for each in seen] == [0, 0, 1]


def test_a_connection_the_server_closed_meanwhile_is_not_used_again() -> None:
    async def work(client: OpenAICompatibleClient) -> None:
        for _time in range(3):
            await client.attempt(request())
            await asyncio.sleep(0.02)

    assert [seen.connection for seen in talk([Answer(last=True)], work)] == [0, 1, 2]
    assert transport.KEEP_ALIVE_S < 5, "idle connections are dropped before uvicorn does"


def test_three_hundred_at_once() -> None:
    async def work(client: OpenAICompatibleClient) -> None:
        replies = await asyncio.gather(*(client.attempt(request(str(i))) for i in range(300)))
        assert {reply.text for reply in replies} == {TEXT}

    seen = talk([Answer(delay_s=0.05)], work)
    assert sorted(int(each.json["messages"][0]["content"]) for each in seen) == list(range(300))


def test_those_who_give_up_do_not_block_the_others() -> None:
    async def work(client: OpenAICompatibleClient) -> None:
        tasks = [asyncio.create_task(client.attempt(request("slow"))) for _ in range(100)]
        await asyncio.sleep(0.05)
        for task in tasks:
            task.cancel()
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        assert {type(end) for end in ends} == {asyncio.CancelledError}
        replies = await asyncio.gather(*(client.attempt(request()) for _ in range(100)))
        assert len(replies) == 100

    def script(seen: Seen) -> Answer:
        return Answer(delay_s=30 if b"slow" in seen.body else 0)

    talk(script, work)


# --- one memory for all ----------------------------------------------------------------------

LARGE = 900_000


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> Room:
    """Give a room of a megabyte."""
    small = Room(1_000_000)
    monkeypatch.setattr(transport, "ROOM", small)
    return small


def ended(
    script: Script, count: int, timeout_s: float = 60.0
) -> list[Reply | AttemptFailed | BaseException]:
    """Ask so many questions at once; return how each ended."""

    async def run() -> list[Reply | AttemptFailed | BaseException]:
        async with Scripted(script) as server:

            async def work(client: OpenAICompatibleClient) -> list[Any]:
                asked = (attempt_within(timeout_s, client, request(str(n))) for n in range(count))
                return list(await asyncio.gather(*asked, return_exceptions=True))

            ends: list[Reply | AttemptFailed | BaseException] = await at(server.url, work=work)
            return ends

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
