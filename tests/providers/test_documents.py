"""Bodies as servers and gateways bend them: what is read, what is mended, what nobody can read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.errors import (
    AttemptFailed,
    ContentRefused,
    RunFailure,
    ServerDown,
    TransientFailure,
    WebPage,
)
from apieval.providers.documents import AROUND, NO_UTF8, STREAMED, UnreadableBody, document
from apieval.providers.json_repair import MISWRITTEN, UNESCAPED
from apieval.providers.replies import Whole, read_reply
from apieval.records import Outcome, Reply, Usage
from apieval.run.retry import judge
from tests.servers import completion

URL: Final = "http://127.0.0.1:8000/v1/chat/completions"
TEXT: Final = "Soluzione: più città"
EVENTS: Final = {"content-type": "text/event-stream"}


def good(text: str = TEXT, reason: str = "stop") -> str:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return json.dumps(completion(choices=[choice]), ensure_ascii=False)


def read(body: str | bytes, status: int = 200, broken: str | None = None, **headers: str) -> Reply:
    content = body.encode() if isinstance(body, str) else body
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return read_reply(Whole(status, named, content, broken), URL)


def failed(body: str | bytes, broken: str | None = None) -> AttemptFailed:
    with pytest.raises(AttemptFailed) as caught:
        read(body, broken=broken)
    return caught.value


# --- encodings -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "there", "left", "declared"),
    [
        ("Soluzione: Verit@", b"\xc3", "\ufffd", ""),
        ("così@ è", b"\xe2\x82", "\ufffd", ""),
        ("così@ è", b"\xf0\x9f\xa7", "\ufffd", ""),
        ("così@ è", b"\xff\xfe", "\ufffd\ufffd", ""),
        ("più città, ver@", b"\xc3", "\ufffd", "application/json; charset=iso-8859-1"),
    ],
    ids=["of a sign of two", "of three", "of four", "never any", "and a wrong declaration"],
)
def test_half_a_letter_costs_no_answer_and_no_other_letter(
    said: str, there: bytes, left: str, declared: str
) -> None:  # C01
    reply = read(good(said, "length").encode().replace(b"@", there), content_type=declared)
    assert (reply.text, reply.repaired) == (said.replace("@", left), (NO_UTF8,))
    assert judge(reply) is Outcome.TRUNCATED
    assert reply.usage.completion_tokens == 96


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [
        ("latin-1", "application/json; charset=ISO-8859-1"),
        ("cp1252", "text/plain;charset=windows-1252"),
        ("cp1252", "application/json; charset=latin1"),
        ("iso8859-15", 'application/json; charset="iso-8859-15"'),
        ("utf-16", "application/json; charset=utf-16"),
        ("utf-16-le", "application/json; charset=utf-16le"),
        ("utf-16-be", ""),
        ("utf-32", ""),
        ("utf-8-sig", "application/json"),
        ("utf-8", "application/json; charset=ISO-8859-1"),
        ("utf-8", "application/json; charset=klingon"),
        ("utf-8", "text/html; charset=utf-16"),
    ],
)
def test_every_encoding_is_read_as_what_it_is(encoding: str, declared: str) -> None:
    reply = read(good().encode(encoding), content_type=declared)
    assert (reply.text, reply.repaired) == (TEXT, ())


def test_what_the_server_itself_replaced_is_nothing_of_ours() -> None:
    reply = read(good("mezza \ufffd"))
    assert (reply.text, reply.repaired) == ("mezza \ufffd", ())


# --- JSON ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mark", ["\n", "\t", "\r\n", "\x00", "\x1b"])
def test_characters_that_json_escapes_are_kept(mark: str) -> None:
    body = good("Prima lettura@Soluzione").replace("@", mark)
    reply = read(body)
    assert (reply.text, reply.repaired) == (f"Prima lettura{mark}Soluzione", (UNESCAPED,))


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("", "\n\ndata: [DONE]\n\n"),
        ("", '\n{"object": "heartbeat"}'),
        ("", "<!-- served by gateway 7 -->"),
        ("<!-- served by gateway 7 -->\n", ""),
        ('<br />\n<b>Warning</b>: {"x": 1} is deprecated<br />\n', ""),
        ("{debug} ", ""),
        ("", "\x00"),
        ("ok\n", ""),
        (")]}',\n", ""),
        ('{"type": "ping"}\n', ""),
        ("\ufeff", " trailing"),
    ],
)
def test_what_stands_around_the_answer_is_left_out(before: str, behind: str) -> None:
    reply = read(f"{before}{good()}{behind}")
    assert (reply.text, reply.repaired) == (TEXT, (AROUND,))


def test_of_two_answers_the_first_counts() -> None:
    assert read(good("uno") + good("due")).text == "uno"


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("d\\'oro", "d'oro"),
        (r"\x41C cozza", "AC cozza"),
        (r"\(oro\) \$", r"\(oro\) \$"),
        (r"a\nb \"c\" \\ \u00e0 \q", 'a\nb "c" \\ à \\q'),
        ("a\tb, } \\'", "a\tb, } '"),
    ],
)
def test_escapes_that_are_none_cost_no_answer(written: str, text: str) -> None:
    reply = read(good("@").replace("@", written))
    assert (reply.text, reply.repaired) == (text, (MISWRITTEN,))


@pytest.mark.parametrize(
    ("behind", "more"),
    [(', "logprobs": [1, 2, ],', ()), (f', "created": {"9" * 5000}', ()), (",\n", (AROUND,))],
    ids=["in a list", "digits without end", "and text behind"],
)
def test_commas_and_numbers_that_are_none_cost_no_answer(
    behind: str, more: tuple[str, ...]
) -> None:
    body = f"{good().removesuffix('}')}{behind}}}{' oltre' if more else ''}"
    assert read(body) == read(good()).model_copy(update={"repaired": (MISWRITTEN, *more)})


ENVELOPES: Final = {
    "a list of one": f"[{good()}]",
    "a text": json.dumps(good()),
    "data": f'{{"code": 0, "msg": "ok", "data": {good()}}}',
    "result": f'{{"success": true, "errors": [], "result": {good()}}}',
    "response": f'{{"response": {good()}, "message": "done"}}',
    "a whole answer as one event": f"data: {good()}\n\ndata: [DONE]\n\n",
}


@pytest.mark.parametrize("body", ENVELOPES.values(), ids=ENVELOPES)
def test_an_answer_in_an_envelope_is_one(body: str) -> None:
    assert read(body).text == TEXT


@pytest.mark.parametrize("code", [0, "0", 200])
def test_the_code_of_no_error_costs_no_answer(code: object) -> None:
    beside = json.dumps({"error": {"code": code, "message": "success"}})
    assert read(f"{beside.removesuffix('}')}, {good().removeprefix('{')}").text == TEXT


@pytest.mark.parametrize("status", [200, 201, 202, 203, 206, 226])
def test_any_success_with_an_answer_is_one(status: int) -> None:  # C04
    assert read(good(), status=status).text == TEXT


def test_an_answer_that_is_whole_outlives_its_connection() -> None:
    reply = read(good(), broken="not enough bytes")
    assert reply.text == TEXT
    assert "broke off" in str(reply.repaired)


# --- event streams ---------------------------------------------------------------------------


def chunk(delta: Mapping[str, Any] | None = None, reason: str | None = None, **more: object) -> str:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": reason}]
    return json.dumps({"object": "chat.completion.chunk", "choices": choices, **more})


def stream(*events: str, end: str = "\n\n", done: bool = True) -> str:
    return "".join(f"data: {each}{end}" for each in (*events, *(["[DONE]"] if done else [])))


WHOLE: Final = (
    chunk({"role": "assistant", "content": ""}, model="m", system_fingerprint="fp"),
    chunk({"reasoning_content": "pen"}),
    chunk({"reasoning_content": "so"}),
    chunk({"content": "Soluzione: "}),
    chunk({"content": "più città"}),
    chunk({}, "stop"),
    chunk(usage={"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}),
)


@pytest.mark.parametrize("end", ["\n\n", "\r\n\r\n", "\r\r", "\n"])
def test_chunks_are_put_together(end: str) -> None:  # C05
    assert read(stream(*WHOLE, end=end)) == Reply(
        text=TEXT,
        reasoning="penso",
        finish_reason="stop",
        served_model="m",
        system_fingerprint="fp",
        usage=Usage(prompt_tokens=7, completion_tokens=5, total_tokens=12),
        repaired=(STREAMED,),
    )


BROKEN_LINES: Final = [each.replace(', "', ',\ndata: "', 1) for each in WHOLE]
LATE: Final = '{"error": {"message": "no accounting"}}'
STREAMS: Final = {
    "remarks": ": keep-alive\n\n" + stream(*WHOLE),
    "no blank": stream(*WHOLE).replace("data: ", "data:"),
    "names of events": "event: message\nid: 1\n" + stream(*WHOLE),
    "a mark in front": "\ufeff" + stream(*WHOLE),
    "no last word": stream(*WHOLE, done=False),
    "a chunk a line": "\n".join(WHOLE),
    "what comes behind the end": stream(*WHOLE) + stream(*WHOLE),
    "other marks": stream("[START]", *WHOLE, "[END]", done=False),
    "broken lines": stream(*BROKEN_LINES),
    "an error behind the end": stream(*WHOLE, LATE, done=False),
    "cut behind the end": stream(*WHOLE, done=False) + 'data: {"choi',
}


@pytest.mark.parametrize("body", STREAMS.values(), ids=STREAMS)
def test_streams_of_every_dress(body: str) -> None:
    reply = read(body)
    assert (reply.text, reply.reasoning, reply.finish_reason) == (TEXT, "penso", "stop")


def in_chunks(*pieces: Mapping[str, Any], end: str | None = "stop") -> str:
    """Return a stream of first choices, and a chunk that says why it ended."""
    said = [json.dumps({"choices": [{"index": 0, **each}]}) for each in pieces]
    return stream(*said, *([chunk({}, end)] if end else []))


def message(text: str) -> Mapping[str, Any]:
    return {"message": {"content": text}}


_THOUGHT: Final = {"type": "thinking", "thinking": [{"type": "text", "text": "penso"}]}
_OTHER: Final = json.dumps({"choices": [{"index": 1, "delta": {"content": "altro"}}]})
_PLAIN: Final = ({"text": "Solu"}, {"text": "zione"}, {"text": "", "finish_reason": "length"})
CHUNKS: Final[Mapping[str, tuple[str, str, str | None, str]]] = {
    "messages, piece by piece": (
        in_chunks(*map(message, ("Solu", "zione: ", "più città"))),
        TEXT,
        None,
        "stop",
    ),
    "messages, ever more": (
        in_chunks(*map(message, ("Solu", "Soluzione: ", TEXT))),
        TEXT,
        None,
        "stop",
    ),
    "one message": (in_chunks(message(TEXT)), TEXT, None, "stop"),
    "a plain completion": (in_chunks(*_PLAIN, end=None), "Soluzione", None, "length"),
    "one chunk that is no stream": (chunk({"content": TEXT}, "stop"), TEXT, None, "stop"),
    "parts": (
        in_chunks({"delta": {"content": [_THOUGHT]}}, {"delta": {"content": TEXT}}),
        TEXT,
        "penso",
        "stop",
    ),
    "several answers": (stream(WHOLE[3], _OTHER, *WHOLE[4:]), TEXT, None, "stop"),
}


@pytest.mark.parametrize(("body", "text", "reasoning", "reason"), CHUNKS.values(), ids=CHUNKS)
def test_chunks_of_every_kind(body: str, text: str, reasoning: str | None, reason: str) -> None:
    reply = read(body)
    assert (reply.text, reply.reasoning, reply.finish_reason) == (text, reasoning, reason)


CUT_STREAMS: Final = {
    "between two events": stream(*WHOLE[:4], done=False),
    "in an event": stream(*WHOLE[:4], done=False) + 'data: {"choices": [{"del',
    "lines": "\n".join(WHOLE[:4]),
}


@pytest.mark.parametrize("body", CUT_STREAMS.values(), ids=CUT_STREAMS)
def test_a_stream_that_broke_off_is_no_answer_and_paid(body: str) -> None:
    end = failed(body)
    assert (type(end), end.billed) == (TransientFailure, True)
    assert "broke off" in str(end)


def test_an_error_inside_a_stream_is_that_error() -> None:
    error = json.dumps({"error": {"message": "il motore è morto", "code": 502}})
    end = failed(stream(WHOLE[3], error))
    assert (type(end), end.status, end.billed) == (TransientFailure, 502, True)
    assert "il motore è morto" in str(end)
    assert not failed(stream(error)).billed


@pytest.mark.parametrize(
    "body",
    [
        'event: message_start\ndata: {"type": "message_start", "message": {"content": []}}\n\n',
        stream('{"id": "x"}'),
        stream('{"candidates": [{"content": {"parts": [{"text": "x"}]}}]}', done=False),
        stream('{"token": {"text": "x"}, "generated_text": null}', done=False),
        '{"message": {"content": "x"}, "done": false}\n{"message": {}, "done": true}\n',
    ],
    ids=["another wire's", "no choices", "Google's", "TGI's own", "Ollama's own"],
)
def test_a_stream_of_another_kind_ends_the_run_with_the_remedy(body: str) -> None:
    end = failed(body)
    assert type(end) is RunFailure
    assert "event stream" in str(end)
    assert "extra_body: {stream: false}" in str(end)


@pytest.mark.parametrize(
    ("error", "kind", "status"),
    [
        ({"code": 502, "message": "il motore è morto"}, TransientFailure, 502),
        ({"code": 403, "message": "no", "metadata": {"flagged_input": "x"}}, ContentRefused, 403),
    ],
)
def test_an_error_inside_a_choice_is_that_error(
    error: object, kind: type[AttemptFailed], status: int
) -> None:
    choice = {"message": {"content": "Prima"}, "finish_reason": "error", "error": error}
    end = failed(json.dumps(completion(choices=[choice])))
    assert (type(end), end.status, end.billed) == (kind, status, True)


def test_a_providers_own_word_for_a_refusal_counts_beside_a_gateways() -> None:
    choice = {"message": {"content": ""}, "finish_reason": "stop", "native_finish_reason": "SAFETY"}
    reply = read(json.dumps(completion(choices=[choice])))
    assert (reply.finish_reason, judge(reply)) == ("SAFETY", Outcome.REFUSED)
    choice["native_finish_reason"] = "end_turn"
    assert read(json.dumps(completion(choices=[choice]))).finish_reason == "stop"


# --- what nobody can read --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "broken", "billed"),
    [
        pytest.param('{"choices": [{"message": {"con', "cut", True, id="cut"),
        pytest.param("", "cut", True, id="cut before the body"),
        pytest.param('{"choices": [{"mess', None, True, id="half of it"),
        pytest.param("", None, False, id="nothing"),
        pytest.param("<html>Accedi</html>", None, False, id="a page"),
        pytest.param("not found", None, False, id="a text"),
        pytest.param("[" * 100_000, None, True, id="brackets without end"),
    ],
)
def test_what_began_to_come_was_generated(body: str, broken: str | None, billed: bool) -> None:
    end = failed(body, broken)
    assert isinstance(end, TransientFailure)
    assert end.billed is billed
    assert end.status == 200


@pytest.mark.parametrize("body", ["<p>x", " <!doctype html>{}", "not found", "ok"])
def test_a_page_or_text_for_people_is_told_as_one(body: str) -> None:
    assert type(failed(body)) is WebPage


@pytest.mark.parametrize(
    "body",
    ['{"a": "' + '\\"' * 400_000, "<p>" + '{"a": 1}' * 100_000, '{"a' * 300_000],
    ids=["a text without end", "a page of objects", "beginnings"],
)
def test_what_is_no_answer_is_given_up_soon_however_long(body: str) -> None:
    assert "not JSON" in str(failed(body))  # for ever, were each start searched to the end


def test_a_page_that_says_it_is_starting_is_a_server_that_is_not_up() -> None:
    assert (
        type(failed("<html><title>Starting up...</title>The app is building</html>")) is ServerDown
    )


@given(st.binary() | st.text().map(str.encode), st.text())
def test_any_bytes_are_a_document_or_none(content: bytes, declared: str) -> None:
    try:
        found = document(content, {"content-type": declared})
    except UnreadableBody:
        return
    json.dumps(found.value)


@given(st.text(min_size=1), st.integers(0, 3))
def test_a_text_comes_out_of_a_stream_as_it_went_in(text: str, more: int) -> None:
    pieces = [chunk({"content": each}) for each in text]
    reply = read(stream(*pieces, chunk({}, "stop"), *[WHOLE[-1]] * more))
    whole = read(good(text))
    assert reply.text == whole.text
