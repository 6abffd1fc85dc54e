"""`apieval check`: what a person sees of one question, how each failure is told, the exit codes."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from apieval.commands import check as one_check
from apieval.commands.options import TIMEOUT_S
from apieval.rebus import dataset, prompts
from tests.e2e.conftest import Inside
from tests.e2e.faults import FaultServer, Manner
from tests.e2e.program import (
    KEY,
    Done,
    Material,
    answer,
    apieval,
    configure,
    end,
    model,
    plain,
    start,
)
from tests.servers import Answer, Script, Scripted, Seen, clamped, completion

DEAD: Final = "http://127.0.0.1:9/v1"
PRICE: Final = {"input": 2.0, "cached_input": 1.0, "output": 10.0, "as_of": "2026-11-30"}
SAMPLE: Final = dataset.load()


@pytest.fixture
def keyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", KEY)


Check = Callable[..., tuple[Done, list[Seen]]]


@pytest.fixture
def check(inside: Inside, tmp_path: Path) -> Check:
    """Give the command with a scripted server in this process; nothing it says holds the key."""

    def call(script: Script, *words: str | Path, **more: Any) -> tuple[Done, list[Seen]]:  # noqa: ANN401
        async def talk() -> tuple[Done, list[Seen]]:
            async with Scripted(script) as server:
                configure(tmp_path, local=model(server.url, **more))
                done = await asyncio.to_thread(inside, "check", *words or ("local",))
                return done, asked(server.seen)

        done, seen = asyncio.run(talk())
        assert plain(done.all)
        assert KEY not in done.all
        return done, seen

    return call


def asked(seen: list[Seen]) -> list[Seen]:
    """Return the requests for an answer; a look at the list of models costs nothing."""
    return [each for each in seen if each.method == "POST"]


def right(row: int = 0) -> str:
    rebus = SAMPLE.rebuses[row]
    parts = {name: ";".join(getattr(rebus, name)) for name in ("word_guesses", "solution_words")}
    return answer({**parts, "first_pass": rebus.first_pass, "solution": rebus.solution})


def well(text: str | None = None, **changes: object) -> Answer:
    return Answer(completion(right() if text is None else text, **changes))


def steps(done: Done) -> dict[str, dict[str, Any]]:
    (only,) = json.loads(done.out)["checks"]
    found: dict[str, dict[str, Any]] = only["steps"]
    return found


# --- a slow model ----------------------------------------------------------------------------


def test_a_check_gives_a_model_the_time_that_a_run_gives_it(inside: Inside) -> None:
    helped = [" ".join(inside(name, "--help").out.split()) for name in ("run", "check")]
    for said in helped:
        assert f"Seconds that one attempt may take. │ │ [default: {TIMEOUT_S}]" in said


def test_a_wait_for_an_answer_is_seen(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_check, "WAITING_S", 0.01)
    done, _ = check([Answer(completion(right()), delay_s=0.3)])
    assert done.code == 0, done.all
    assert "local: waiting for the answer, 0 s so far, at most 600 s (--timeout)" in done.err
    assert "waiting" not in done.out


# --- the server's window ---------------------------------------------------------------------


def windowed(window: int | None, answer: Answer) -> Script:
    """Return a server that says how long its window is, if it says so."""
    model = {"id": "modello-prova", **({"max_model_len": window} if window else {})}
    listed = Answer({"object": "list", "data": [model]})
    return lambda seen: listed if seen.method == "GET" else answer


def test_an_answer_cut_by_a_full_window_is_told_apart_from_one_cut_at_its_limit(
    check: Check,
) -> None:
    done, _ = check(windowed(1850, Answer(clamped(1850, 111))))
    said = " ".join(done.out.split())
    assert done.code == 1
    assert (
        "the answer was cut after 111 tokens although max_tokens is 1,024: the server's window "
        "(1,850) is full; start it with a larger --max-model-len"
    ) in said
    assert "raise max_tokens" not in said
    assert "in 90 of 90 requests it leaves less than max_tokens (1,024) for the answer" not in said
    done, _ = check(windowed(None, Answer(clamped(1850, 111))))
    assert "is full, or it has a limit of its own" in " ".join(done.out.split())
    done, _ = check(windowed(None, Answer(clamped(1850, 1024))))
    assert "cut at the length limit: raise max_tokens" in " ".join(done.out.split())


def test_a_window_without_room_is_foretold(check: Check) -> None:
    usage = {"prompt_tokens": 700, "completion_tokens": 96}
    good = well(usage=usage)
    done, _ = check(windowed(1024, good), "local", "--setting", "regular")
    assert done.code == 0, done.all
    said = " ".join(done.out.split())
    assert (
        "the server's window is 1,024: in 90 of 90 requests it leaves less than max_tokens" in said
    )
    done, _ = check(windowed(32_768, good), "local", "--setting", "regular")
    assert "window" not in done.out


def test_a_limit_beyond_the_window_is_one_remedy(check: Check) -> None:
    message = (
        "'max_tokens' or 'max_completion_tokens' is too large: 1024. This model's maximum context "
        "length is 1024 tokens and your request has 700 input tokens (1024 > 1024 - 700)."
    )
    done, seen = check([Answer({"error": {"message": message, "code": 400}}, status=400)])
    assert (done.code, len(seen)) == (3, 1)
    assert "the server's window (1,024) has no room for max_tokens" in " ".join(done.out.split())


# --- all is well -----------------------------------------------------------------------------


def test_the_baseline_is_well_without_key_server_or_network(inside: Inside, tmp_path: Path) -> None:
    done = inside("check", "baseline")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "baseline"
    assert lines[-1] == "baseline: all is well"
    marked = [line for line in lines if line.startswith("ok ")]
    names = ["configuration", "key", "request", "reply", "answer", "parse", "forecast"]
    assert [line.split()[1].strip(":") for line in marked] == names
    assert max(map(len, lines)) <= 80
    assert not list(tmp_path.iterdir()), "a check leaves no trace"


@pytest.mark.usefixtures("keyed")
def test_every_step_is_shown(check: Check) -> None:
    done, seen = check(
        [well(model="modello-prova-2026-11-30")],
        price=PRICE,
        api_key_env="MY_API_KEY",
        drop=["temperature"],
        system_prompt="Rispondi.",
        limits={"rpm": 60},
    )
    assert done.code == 0, done.all
    assert len(seen) == 1
    for shown in (
        "where       http://127.0.0.1:",
        "parameters  max_tokens 1024",
        "dropped     temperature",
        "system      Rispondi.",
        "price       2 in, 1 cached, 10 out, USD per million tokens",
        "(providers.yaml, 2026-11-30)",
        "limits      concurrency 8, rpm 60",
        "ok       key: MY_API_KEY is set",
        "ok       request: row 0 of sample, regular",
        "authorization: Bearer ***",
        "ok       reply: ok, after ",
        "served by   modello-prova-2026-11-30",
        "tokens      412 prompt, 96 answer",
        "cost        0.001784 USD",
        f"| Soluzione: {SAMPLE.rebuses[0].solution}",
        "ok       parse (official@1): the solution is right",
        "word_guess_accuracy              4 of 4",
        "requests    180",
        "corrected by this answer's counts",
        "time        about 3.0 min, at 60 requests a minute",
        "local: all is well",
    ):
        assert shown in done.out
    assert "more characters, see --full ...]" in " ".join(done.out.split())
    assert max(map(len, done.out.splitlines())) <= 80


@pytest.mark.usefixtures("keyed")
def test_json_is_one_document_with_the_request_as_the_server_got_it(check: Check) -> None:
    done, (seen,) = check([well()], "local", "--json", api_key_env="MY_API_KEY", price=PRICE)
    assert (done.code, done.err) == (0, "")
    found = steps(done)
    assert {each["mark"] for each in found.values()} == {"ok"}
    sent = found["request"]["sent"]
    assert sent["body"] == seen.json
    assert sent["body"]["messages"][0]["content"] == prompts.build(SAMPLE.rebuses[0], "regular")
    assert sent["headers"] == {**seen.headers, "authorization": "Bearer ***"}
    assert found["key"]["variable"] == "MY_API_KEY"
    assert found["reply"]["usage"]["prompt_tokens"] == 412
    assert found["reply"]["cost_usd"] == pytest.approx(0.001784)
    assert found["answer"]["text"] == right()
    assert found["parse"]["right"] is True
    assert found["forecast"]["requests"] == 180


def test_full_shows_the_whole_request_and_the_whole_answer(check: Check) -> None:
    long = "parola " * 2_000 + "fine\nSoluzione: x"
    short, _ = check([well(long)])
    full, (seen,) = check([well(long)], "local", "--full")
    assert "more characters, see --full" in " ".join(short.out.split())
    assert 0 < short.out.count("parola") < 1_000
    assert "see --full" not in full.out
    assert json.dumps(seen.json["messages"][0]["content"], ensure_ascii=False) in full.out
    assert full.out.count("parola") == 2_000


def test_the_forecast_is_of_the_run_that_was_meant(check: Check, ten: Material) -> None:
    data = ("--data", ten.path, "--limit", "7", "--setting", "hints", "--samples", "3")
    done, (seen,) = check([well("x\nSoluzione: y")], "local", *data, "--row", "9", "--json")
    assert ten.rebus(9, "hints") in seen.json["messages"][0]["content"]
    found = steps(done)
    assert found["request"]["question"] == {"data": "ten.csv", "id": 9, "setting": "hints"}
    assert found["forecast"]["requests"] == 21
    assert found["forecast"]["usd"] is None


def test_parameters_of_the_command_line_are_sent(check: Check) -> None:
    words = ("local", "--param", "max_tokens=7", "--drop", "temperature", "--preset", "calamita")
    _, (seen,) = check([well()], *words)
    assert seen.json["max_tokens"] == 7
    assert seen.json["stop"] == ["\n\n"]
    assert "temperature" not in seen.json


def test_unknown_is_said_to_be_unknown(check: Check) -> None:
    done, _ = check([well(usage=None, model=None)], price=PRICE)
    assert done.code == 0
    for shown in ("served by   unknown", "unknown prompt, unknown answer", "cost        unknown"):
        assert shown in done.out
    assert "(by their characters)" in done.out


# --- a bad answer ----------------------------------------------------------------------------


def choice(text: str | None, reason: str, tokens: int = 96, **message: object) -> Answer:
    said = {"role": "assistant", "content": text, **message}
    usage = {"prompt_tokens": 412, "completion_tokens": tokens}
    return well(choices=[{"index": 0, "message": said, "finish_reason": reason}], usage=usage)


@pytest.mark.parametrize(
    ("reply", "code", "said"),
    [
        (choice("Soluzione: x", "length", 1024), 1, "cut at the length limit: raise max_tokens"),
        (choice("", "length", 1024, reasoning="mmm"), 1, "its thoughts count against the limit"),
        (choice("", "stop"), 1, "the answer is empty (finish reason 'stop')"),
        (choice("", "stop", reasoning="mmm"), 1, "all of it went into thoughts: raise max_tokens"),
        (choice(None, "content_filter"), 1, "a content filter, or the model itself"),
        (choice("a", "error"), 1, "broken off by the server (finish reason 'error')"),
        (well("**Soluzione:** x"), 1, "though the word is there: not in the prompt's form"),
        (well("Non so."), 1, "no line 'Soluzione: ...' in the answer; it counts wrong"),
        (
            well(usage={"prompt_tokens": 100, "completion_tokens": 5}),
            0,
            "it cuts the prompt (raise its context length), or leaves out",
        ),
        (well(model="altro"), 0, "warning: asked for 'modello-prova', but 'altro' answered"),
        (choice(right(), "stop", reasoning="mmm"), 0, "the model thinks before it answers"),
        (choice(f"<think>mmm</think>{right()}", "stop"), 0, "--reasoning-parser"),
    ],
)
def test_a_bad_answer_is_named_and_shown(reply: Answer, code: int, said: str, check: Check) -> None:
    done, seen = check([reply])
    assert done.code == code
    assert len(seen) == 1
    assert said in " ".join(done.out.split())
    assert "forecast of the whole run" in done.out
    assert ("local: FAILED" if code else "local: all is well, but see: reply") in done.out


def test_a_wrong_solution_is_no_fault(check: Check) -> None:
    done, _ = check([well("Soluzione: tutt'altro")])
    assert done.code == 0
    assert "the solution is wrong" in done.out


# --- no answer -------------------------------------------------------------------------------

LISTED: Final = {"data": [{"id": "modello-prova-2"}, {"id": "altro"}, {"id": 3}]}


def error(status: int, message: str, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer({"error": {"message": message}}, status, named)


@pytest.mark.parametrize(
    ("reply", "code", "said"),
    [
        (error(401, f"bad key {KEY}"), 3, "bad key *** (the key was refused; check the variable"),
        (error(401, "no"), 3, "; the key is that of MY_API_KEY"),
        (error(402, "no money"), 3, "payment is required"),
        (error(429, "slow down", retry_after="77"), 1, "the server asks to wait 77 s"),
        (error(500, "boom"), 1, "boom"),
        (error(400, "seed is not supported, no temperature"), 3, "or say drop: [temperature]"),
        (Answer("<html>Accedi</html>", headers={"content-type": "text/html"}), 1, "Accedi"),
        (Answer(drop=True), 1, "no reply from http://127.0.0.1:"),
    ],
)
@pytest.mark.usefixtures("keyed")
def test_a_failure_names_cause_and_remedy_after_one_attempt(
    reply: Answer, code: int, said: str, check: Check
) -> None:
    def script(seen: Seen) -> Answer:
        return Answer(status=404) if seen.method == "GET" else reply

    done, seen = check(script, api_key_env="MY_API_KEY")
    assert done.code == code
    assert [each.method for each in seen].count("POST") == 1
    assert said in " ".join(done.out.split())
    assert "FAILED   reply: failed, after " in done.out
    assert "forecast" not in done.out
    assert done.out.splitlines()[-1] == "local: FAILED (reply)"


def test_a_refused_question_without_a_key_says_that_none_was_sent(check: Check) -> None:
    done, _ = check([error(401, "who are you?")])
    assert done.code == 3
    assert "no key was sent, since api_key_env is not set" in " ".join(done.out.split())


@pytest.mark.usefixtures("keyed")
def test_an_unknown_model_gets_near_names(check: Check) -> None:
    echo = {"data": [{"id": f"modello-{KEY}"}]}

    paths: list[str] = []

    def script(seen: Seen) -> Answer:
        paths.append(seen.path)
        if seen.method == "POST":
            return error(404, "no such model")
        assert seen.headers["authorization"] == f"Bearer {KEY}"
        return Answer(LISTED if len(seen_all) else echo)

    seen_all: list[Seen] = []
    check(script, api_key_env="MY_API_KEY")  # a server that repeats the key does not show it
    seen_all.append(Seen(0, "", "", {}, b""))
    paths.clear()
    done, _ = check(script, api_key_env="MY_API_KEY")
    assert done.code == 3
    assert paths == ["/v1/chat/completions", "/v1/models"]
    said = " ".join(done.out.split())
    assert "the server does not list 'modello-prova' (did you mean 'modello-prova-2'?)" in said
    assert "but modello-prova-2, altro" in said


@pytest.mark.parametrize("listed", [{"data": [{"id": "modello-prova"}]}, {"data": 3}, [], "?"])
def test_a_list_that_does_not_help_is_not_spoken_of(listed: object, check: Check) -> None:
    done, _ = check(
        lambda seen: error(404, "no such path") if seen.method == "POST" else Answer(listed)
    )
    assert done.code == 3
    assert "does not list" not in done.out


def test_a_late_answer_is_a_failure(check: Check) -> None:
    done, _ = check([Answer(delay_s=30)], "local", "--timeout", "0.2")
    assert done.code == 1
    assert "no whole reply within 0.2 s (give more with --timeout" in done.out


def test_a_server_that_is_not_there_costs_no_time(inside: Inside, tmp_path: Path) -> None:
    configure(tmp_path, local=model(DEAD))
    done = inside("check", "local")
    assert done.code == 1
    said = " ".join(done.out.split())
    assert "nothing listens at http://127.0.0.1:9/v1/chat/completions" in said
    assert "(is the server running, and is base_url right?)" in said


def test_a_key_that_is_not_set_is_asked_for_before_anything(check: Check) -> None:
    done, seen = check([well()], api_key_env="MY_API_KEY")
    assert (done.code, seen) == (2, [])
    assert "FAILED   key: MY_API_KEY is not set" in done.out
    assert "Set it to the key" in " ".join(done.out.split())
    assert "request" not in done.out


def test_an_empty_key_of_a_local_server_is_not_sent(
    check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", "")
    done, (seen,) = check([well()], api_key_env="MY_API_KEY")
    assert done.code == 0
    assert "authorization" not in seen.headers
    assert "MY_API_KEY holds none, none is sent" in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name the models to check, or say --all"),
        (("local", "--all"), "name the models to check, or say --all"),
        (("local", "local"), "named twice"),
        (("local", "--row", "91"), "--row 91: sample has no such row"),
        (("local", "--param", "tempratura=0"), "did you mean"),
        (("local", "--data", "nowhere.csv"), "nowhere.csv"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything(
    words: tuple[str, ...], said: str, inside: Inside, tmp_path: Path
) -> None:
    configure(tmp_path, local=model(DEAD))
    done = inside("check", *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


# --- several models, several servers ---------------------------------------------------------


def test_a_password_in_an_address_is_shown_nowhere(inside: Inside) -> None:
    done = inside("check", "http://utente:segretissima@127.0.0.1:9/v1#m", "--json")
    assert done.code == 2
    assert "user name or password" in done.err
    assert "segretissima" not in done.all


def test_one_model_that_fails_does_not_end_the_others_checks(check: Check) -> None:
    done, seen = check([well()], "locale", "local")
    assert done.code == 2
    assert len(seen) == 1
    assert "model 'locale' is not configured (did you mean 'local'?)" in done.out
    assert done.out.splitlines()[-2:] == [
        "locale: FAILED (configuration)",
        "local: all is well",
    ]


@pytest.mark.parametrize(
    ("reply", "code", "said"),
    [
        (well(), 0, "ok       other servers"),
        (error(500, "boom"), 1, "boom"),
        (well(""), 1, "empty"),
    ],
)
def test_every_server_of_a_model_is_asked(
    reply: Answer, code: int, said: str, inside: Inside, tmp_path: Path
) -> None:
    async def talk() -> tuple[Done, list[Seen], list[Seen]]:
        async with Scripted([well()]) as one, Scripted([reply]) as two:
            configure(tmp_path, local=model([one.url, two.url]))
            done = await asyncio.to_thread(inside, "check", "local")
            return done, one.seen, two.seen

    done, one, two = asyncio.run(talk())
    assert done.code == code
    assert len(asked(one)) == len(asked(two)) == 1
    assert said in done.out
    assert "forecast" in done.out


def test_a_first_server_that_is_down_is_told_of_beside_the_others(
    inside: Inside, tmp_path: Path
) -> None:
    async def talk() -> Done:
        async with Scripted([well()]) as server:
            configure(tmp_path, local=model([DEAD, server.url]))
            return await asyncio.to_thread(inside, "check", "local")

    done = asyncio.run(talk())
    assert done.code == 1
    assert "FAILED   reply: failed" in done.out
    assert "ok       other servers" in done.out
    assert done.out.splitlines()[-1] == "local: FAILED (reply)"


@pytest.mark.usefixtures("keyed")
def test_all_is_a_table(inside: Inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAD_API_KEY", "due parole")

    async def talk() -> tuple[Done, Done, list[Seen]]:
        async with Scripted([well()]) as server:
            configure(
                tmp_path,
                good=model(server.url, price=PRICE, api_key_env="MY_API_KEY"),
                other={**model(server.url), "model": "un-altro"},
                keyless=model(server.url, api_key_env="NO_API_KEY"),
                keyless2=model(server.url, api_key_env="NO_API_KEY"),
                badkey=model(server.url, api_key_env="BAD_API_KEY"),
                down=model(DEAD),
                hosted={"provider": "litellm", "model": "anthropic/x", "api_key_env": "NO2_KEY"},
            )
            table = await asyncio.to_thread(inside, "check", "--all")
            document = await asyncio.to_thread(inside, "check", "--all", "--json")
            return table, document, server.seen

    table, document, seen = asyncio.run(talk())
    assert (table.code, document.code) == (2, 2)
    assert len(asked(seen)) == 4, "two models are asked, twice"
    assert KEY not in table.all + document.all
    lines = table.out.splitlines()
    assert max(map(len, lines)) <= 80
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in lines[2:10]}
    assert rows["baseline"].startswith("- yes ok no same ")
    assert rows["good"].startswith("set yes ok yes same ")
    assert rows["good"].endswith(" 412+96 0.00178 0.31")
    assert rows["other"].startswith("- yes ok yes modello-prova ")
    assert rows["keyless"] == "no key - - - - - - - -"
    assert rows["badkey"] == "bad - - - - - - - -"
    assert rows["down"].startswith("- no failed - - ")
    assert list(rows)[-1] == "hosted"
    said = " ".join(table.out.split())
    assert "FAILED: NO_API_KEY is not set: keyless, keyless2" in said
    assert "FAILED: down: nothing listens at" in said
    assert "warning: other: asked for 'un-altro', but 'modello-prova' answered" in said
    found = json.loads(document.out)
    assert found["exit_code"] == 2
    assert [each["model"] for each in found["checks"]] == list(rows)


@pytest.mark.usefixtures("keyed")
def test_a_hosted_model_is_checked_alike(inside: Inside, tmp_path: Path) -> None:
    said = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-5-5",
        "content": [{"type": "text", "text": right()}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 412, "output_tokens": 96},
    }
    hosted = {"provider": "litellm", "model": "anthropic/claude-haiku-5-5", "price": PRICE}

    async def talk() -> tuple[Done, list[Seen]]:
        async with Scripted([Answer(said)]) as server:
            where = {"api_base": server.url.removesuffix("/v1"), "api_key_env": "MY_API_KEY"}
            configure(
                tmp_path,
                hosted={**hosted, **where, "drop": ["temperature"]},
                nobody={**hosted, **where, "model": "nosuch/model"},
            )
            done = await asyncio.to_thread(inside, "check", "hosted", "nobody")
            return done, server.seen

    done, seen = asyncio.run(talk())
    assert done.code == 3
    assert KEY not in done.all
    assert [each.path for each in seen] == ["/v1/messages"]
    for shown in (
        "dropped     temperature",
        "x-api-key: ***",
        "ok       reply: ok, after ",
        "tokens      412 prompt, 96 answer",
        "the solution is right",
        "hosted: all is well",
        "FAILED   request",
        "nosuch/model: litellm knows no such provider",
        "nobody: FAILED (request)",
    ):
        assert shown in done.out


# --- hostile text ----------------------------------------------------------------------------

HOSTILE: Final = "\x1b[31mrosso\x1b[0m [red]x[/] \u202e\x07\r\x9b2J \ud83d\nSoluzione: \x1b]0;t\x07"


@pytest.mark.parametrize("words", [(), ("--full",), ("--json",)])
def test_hostile_text_does_not_play_with_the_terminal(words: tuple[str, ...], check: Check) -> None:
    done, _ = check([well(HOSTILE, model="m\x1b[2J")], "local", *words)
    assert not set(done.all) & set("\x1b\x07\r\x9b\u202e")
    assert "[red]x[/]" in done.out


def test_hostile_text_in_the_table_and_in_errors(check: Check) -> None:
    done, _ = check([well(HOSTILE, model="m\x1b[2J[red]")], "--all")
    assert not set(done.all) & set("\x1b\x07\r\x9b\u202e")
    assert "[red]" in done.out
    done, _ = check([error(400, HOSTILE)])
    assert not set(done.all) & set("\x1b\x07\r\x9b\u202e")


# --- the program itself ----------------------------------------------------------------------


def test_the_program_prints_steps_and_exit_code(tmp_path: Path) -> None:
    configure(tmp_path, local=model(DEAD, api_key_env="MY_API_KEY"))
    done = apieval("check", "local", MY_API_KEY=KEY, LC_ALL="C")
    assert (done.code, done.err) == (1, "")
    assert plain(done.all)
    assert KEY not in done.all
    assert "FAILED   reply: failed" in done.out


@pytest.mark.usefixtures("measured")
def test_an_interrupt_ends_a_check(tmp_path: Path) -> None:
    with FaultServer({SAMPLE.rebuses[0].verbalized_rebus: ""}, lambda _: Manner.HANG) as server:
        configure(tmp_path, local=model(server.url))
        process = start("check", "local")
        server.wait_for_requests(1)
        process.send_signal(signal.SIGINT)
        done = end(process)
    assert (done.code, done.err) == (130, "apieval: interrupted\n")
