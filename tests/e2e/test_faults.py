"""Every fault there is, alone and at random: nothing lost, nothing paid twice, nothing made up."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from tests.e2e.conftest import Inside
from tests.e2e.faults import (
    REFUSED_PARAMETER,
    TRANSIENT,
    FaultServer,
    Manner,
    Plan,
    Reply,
    Seen,
    completion,
    error,
    first,
    from_request,
    in_a_while,
    randomly,
)
from tests.e2e.program import (
    Material,
    answer,
    configure,
    figures,
    folder,
    lines,
    material,
    model,
    stored,
    summary,
)

REGULAR: Final = ("--setting", "regular", "--cache", "off")
LATE: Final = {"slow drip", "hang"}
NOT_UP: Final = {
    *("503 loading", "503", "502 HTML", "200 with an error"),
    *("dropped connection", "reset connection"),
}
"""What a server says, or a gateway for it, that is not up yet."""

pytestmark = pytest.mark.usefixtures("no_waits")


def _timeout(name: str) -> tuple[str, ...]:
    return ("--timeout", "0.3") if name in LATE else ()


@pytest.mark.parametrize("name", TRANSIENT)
def test_a_passing_fault_costs_one_more_request_and_no_answer(
    name: str, inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers, first(1, TRANSIENT[name], [ten.rebus(3)])) as server:
        configure(tmp_path, local=model(server.url))
        done = inside("run", "local", "--data", ten.path, *REGULAR, *_timeout(name))
        assert (done.code, server.requests, server.paid) == (0, 11, 10), done.err
    attempts = {each["id"]: each["attempts"] for each in stored(folder())}
    # a server that is not up yet is waited for, which uses up no retry
    assert attempts[3] in ({1, 2} if name in NOT_UP else {2})
    assert [attempts[row] for row in range(10) if row != 3] == [1] * 9
    assert all(each["outcome"] == "ok" for each in stored(folder()))


# a server that refuses is asked once a second: one kind of refusal shows what all would
LASTING: Final = [
    name
    for name in TRANSIENT
    if name != "empty answer" and (name == "429 bare" or not name.startswith("429"))
]


@pytest.mark.parametrize("name", LASTING)
def test_a_lasting_fault_of_one_item_fails_that_item_alone(
    name: str, inside: Inside, ten: Material, tmp_path: Path
) -> None:
    plan = first(99, TRANSIENT[name], [ten.rebus(3)])
    with FaultServer(ten.answers, plan) as server:
        # one at a time, so that the server is known to be up when the fault comes
        limits = {"max_retries": 2, "concurrency": 1}
        configure(tmp_path, local=model(server.url, limits=limits))
        words = ("run", "local", "--data", ten.path, *REGULAR, *_timeout(name))
        done = inside(*words)
        assert (done.code, server.requests, server.paid) == (1, 9 + 3, 9), done.err
        outcomes = {each["id"]: each for each in stored(folder())}
        assert [row for row, each in outcomes.items() if each["outcome"] != "ok"] == [3]
        assert outcomes[3]["outcome"] == "failed"
        assert outcomes[3]["attempts"] == 3
        assert outcomes[3]["error"]
        assert summary(folder())["partial"]
        assert "partial" in done.err

        server.forget()
        again = inside(*words)
        assert (again.code, server.requests, server.paid) == (0, 1, 1), again.err
    assert len(stored(folder())) == 10


def test_a_connection_closed_while_idle_loses_nothing(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:  # B07
    with FaultServer(ten.answers, lambda _: Manner.STALE) as server:
        configure(tmp_path, local=model(server.url, limits={"concurrency": 1}))
        done = inside("run", "local", "--data", ten.path, *REGULAR)
        assert (done.code, server.paid) == (0, 10), done.err
        assert set(server.good.values()) == {1}
    assert len(stored(folder())) == 10


def test_a_server_that_ends_every_connection_loses_nothing(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers, lambda _: Manner.LAST) as server:
        configure(tmp_path, local=model(server.url))
        done = inside("run", "local", "--data", ten.path, *REGULAR)
        assert (done.code, server.paid) == (0, 10), done.err


@pytest.mark.usefixtures("untraced")
def test_a_third_of_replies_faulty_gives_the_figures_of_none(
    inside: Inside, tmp_path: Path
) -> None:
    made = material(tmp_path / "many.csv", 300)
    words = ("run", "local", "--data", made.path, *REGULAR, "--yes")
    limits = {"concurrency": 32}
    with FaultServer(made.answers) as server:
        configure(tmp_path, local=model(server.url, limits=limits))
        assert inside(*words, "--out", "calm").code == 0
        assert (server.requests, server.paid) == (300, 300)
    with FaultServer(made.answers, randomly(0.3, seed=7)) as server:
        configure(tmp_path, local=model(server.url, limits=limits))
        done = inside(*words, "--out", "rough")
        assert (done.code, server.paid) == (0, 300), done.err
        assert set(server.good.values()) == {1}
        assert server.requests > 380
        assert inside(*words, "--out", "rough").code == 0
        assert server.paid == 300
    assert figures(folder(Path("rough"))) == figures(folder(Path("calm")))
    texts = [
        {each["id"]: each["text"] for each in stored(folder(Path(out)))}
        for out in ("calm", "rough")
    ]
    assert texts[0] == texts[1]


HOUR: Final = {
    "seconds": error(429, {"error": {"message": "piano"}}, retry_after="3600"),
    "date": error(429, {"error": {"message": "piano"}}, retry_after=in_a_while(3610)),
    "milliseconds": error(429, {"error": {"message": "piano"}}, retry_after_ms="3600000"),
    "503": error(503, {"error": {"message": "manutenzione"}}, retry_after="3600"),
    "reset header": error(
        429, {"error": {"message": "piano"}}, x_ratelimit_reset_requests="1h0m0s"
    ),
    "ISO reset header": error(
        429,
        {"error": {"message": "piano"}},
        anthropic_ratelimit_requests_reset=(datetime.now(UTC) + timedelta(hours=2)).isoformat(),
    ),
    "Gemini's body": error(
        429,
        {
            "error": {
                "code": 429,
                "status": "RESOURCE_EXHAUSTED",
                "message": "piano",
                "details": [
                    {
                        "@type": "type.googleapis.com/google.rpc.RetryInfo",
                        "retryDelay": "3600s",
                    }
                ],
            }
        },
    ),
    "Groq's body": error(429, {"error": {"message": "Please try again in 1h0m0.5s."}}),
}


@pytest.mark.parametrize("name", HOUR)
def test_a_wait_beyond_the_bound_ends_the_run_and_says_how_long(
    name: str, inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers, from_request(5, HOUR[name])) as server:
        limits = {"concurrency": 1, "max_retries": 0}
        configure(tmp_path, local=model(server.url, limits=limits))
        words = ("run", "local", "--data", ten.path, *REGULAR)
        done = inside(*words)
        assert (done.code, server.requests, server.paid) == (3, 5, 4), done.err
        assert "limits.max_wait" in done.err
        server.forget()
        assert inside(*words).code == 0
        assert server.requests == 6


def test_the_budget_of_tokens_spent_on_thought_is_a_cut_answer(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:  # B01
    usage = {"prompt_tokens": 412, "completion_tokens": 512, "total_tokens": 924}
    thought = "La santa di Cascia è Rita…"
    cut = Reply(200, completion(None, "length", usage, reasoning_content=thought))
    with FaultServer(ten.answers, first(99, cut, [ten.rebus(3)])) as server:
        configure(tmp_path, local=model(server.url))
        done = inside("run", "local", "--data", ten.path, *REGULAR)
        assert (done.code, server.requests) == (0, 10), done.err
    (record,) = [each for each in stored(folder()) if each["id"] == 3]
    assert (record["text"], record["outcome"]) == ("", "truncated")
    assert record["reasoning"] == thought
    assert record["usage"]["completion_tokens"] == 512
    assert "truncated 1" in done.out
    match = figures(folder())["regular"]["all"]["official"]["solution_match"]
    assert match["micro"]["n"] == 10


@pytest.mark.parametrize("content", [None, "", "   \n"])
def test_an_empty_answer_is_asked_for_once_more(
    content: str | None, inside: Inside, ten: Material, tmp_path: Path
) -> None:  # B03
    empty = Reply(200, completion(content))
    with FaultServer(ten.answers, first(1, empty, [ten.rebus(3)])) as server:
        configure(tmp_path, local=model(server.url))
        words = ("run", "local", "--data", ten.path, "--setting", "regular", "--cache", "cache")
        done = inside(*words)
        assert (done.code, server.requests) == (0, 11), done.err

        server.forget(first(99, empty, [ten.rebus(3)]))
        done = inside(*words, "--cache", "other", "--out", "out")
        assert (done.code, server.requests) == (0, 11), done.err
        (record,) = [each for each in stored(folder(Path("out"))) if each["id"] == 3]
        assert (record["outcome"], record["attempts"]) == ("empty", 2)
        assert "None" not in record["text"]

        server.forget()  # it is in neither store nor cache as an answer
        assert inside(*words, "--cache", "other", "--out", "out").code == 0
        assert server.requests == 1


def test_a_refused_parameter_stops_the_run_at_once(inside: Inside, tmp_path: Path) -> None:  # B12
    made = material(tmp_path / "some.csv", 83)
    with FaultServer(made.answers, lambda _: error(400, REFUSED_PARAMETER)) as server:
        configure(tmp_path, local=model(server.url))
        done = inside("run", "local", "--data", made.path, *REGULAR)
        assert done.code == 3
        assert server.requests <= 8
    assert "parametro non ammesso" in done.err
    assert "drop: [max_tokens]" in done.err


def test_an_exhausted_quota_stops_the_run_and_the_same_command_goes_on(
    inside: Inside, tmp_path: Path
) -> None:  # B16
    made = material(tmp_path / "some.csv", 200)
    body = {
        "error": {
            "message": "credito terminato, controlla il piano",
            "type": "insufficient_quota",
            "param": None,
            "code": "insufficient_quota",
        }
    }
    with FaultServer(made.answers, from_request(41, error(429, body))) as server:
        configure(tmp_path, local=model(server.url))
        words = ("run", "local", "--data", made.path, *REGULAR)
        done = inside(*words)
        assert done.code == 3
        assert "credito terminato, controlla il piano" in done.err
        assert "RetryError" not in done.err
        assert server.requests <= 48
        assert len(stored(folder())) == server.paid == 40
        server.forget()
        assert inside(*words).code == 0
        assert server.requests == server.paid == 160


STATUS_OF_THE_RUN: Final = {
    "401": error(401, {"error": {"message": "chiave rifiutata"}}),
    "402": error(402, {"error": "pagare prima"}),
    "403": error(403, {"detail": "vietato"}),
    "404": error(404, {"error": {"message": "modello ignoto", "code": "model_not_found"}}),
    "301": Reply(301, b"", {"location": "http://127.0.0.1:1/altrove"}),
}


@pytest.mark.parametrize("name", STATUS_OF_THE_RUN)
def test_what_every_request_would_meet_stops_the_run(
    name: str, inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers, from_request(3, STATUS_OF_THE_RUN[name])) as server:
        configure(tmp_path, local=model(server.url, limits={"concurrency": 1}))
        done = inside("run", "local", "--data", ten.path, *REGULAR)
        assert (done.code, server.requests) == (3, 3), done.err
        assert f"HTTP {name}" in done.err
        assert "2 of 10 answers saved" in done.err
        assert len(stored(folder())) == 2


@pytest.mark.parametrize("retries", [0, 2, 4])
def test_one_layer_retries(
    retries: int, inside: Inside, ten: Material, tmp_path: Path
) -> None:  # B18
    with FaultServer(ten.answers, from_request(2, TRANSIENT["500"])) as server:
        limits = {"max_retries": retries, "concurrency": 1}
        configure(tmp_path, local=model(server.url, limits=limits))
        done = inside("run", "local", "--data", ten.path, "--limit", "2", *REGULAR)
        assert (done.code, server.requests) == (1, 1 + 1 + retries), done.err
    _, record = stored(folder())
    assert record["attempts"] == 1 + retries
    assert "guasto" in record["error"]


def test_one_malformed_reply_ends_no_run(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:  # B20
    broken = {"id": "x", "object": "chat.completion", "choices": [{"index": 0}]}
    plan = first(99, error(200, broken), [ten.rebus(3)])
    with FaultServer(ten.answers, plan) as server:
        configure(tmp_path, local=model(server.url, limits={"max_retries": 5}))
        done = inside("run", "local", "--data", ten.path, *REGULAR)
        assert done.code == 1
        assert server.requests == 9 + 6
    (record,) = [each for each in stored(folder()) if each["outcome"] != "ok"]
    assert record["id"] == 3
    assert "malformed reply" in record["error"]
    assert json.dumps(broken) in record["error"]
    scored = [each for each in lines(folder() / "scores.jsonl") if each["parser"] == "official"]
    assert len([each for each in scored if each["solution_match"] is not None]) == 9


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ({"error": {"message": "no", "code": "context_length_exceeded"}}, "failed"),
        ({"error": {"message": "no", "code": "content_filter"}}, "refused"),
        ({"detail": "no"}, "failed"),
        ({"error": "no"}, "failed"),
        ("<p>no</p>", "failed"),
    ],
)
def test_a_refused_item_is_asked_once_and_says_why(
    body: object, outcome: str, inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers, first(99, error(400, body), [ten.rebus(3)])) as server:
        configure(tmp_path, local=model(server.url))
        done = inside("run", "local", "--data", ten.path, *REGULAR)
        assert (done.code, server.requests) == (int(outcome == "failed"), 10), done.err
    (record,) = [each for each in stored(folder()) if each["id"] == 3]
    assert (record["outcome"], record["attempts"]) == (outcome, 1)
    assert "no" in record["error"]


def test_failed_and_empty_items_are_asked_again_and_cut_ones_are_not(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:  # B24
    replies: dict[str, Reply | Manner] = {
        ten.rebus(6): TRANSIENT["500"],
        ten.rebus(7): Reply(200, completion(None)),
        ten.rebus(8): Reply(200, completion("- [x] = ", "length"), good=True),
    }
    words = ("run", "local", "--data", ten.path, "--setting", "regular", "--cache", "cache")
    with FaultServer(ten.answers, lambda seen: replies.get(seen.rebus)) as server:
        configure(tmp_path, local=model(server.url, limits={"max_retries": 1}))
        assert inside(*words).code == 1
        server.forget()
        assert inside(*words).code == 0
        assert sorted(server.good) == sorted([ten.rebus(6), ten.rebus(7)])
        assert server.requests == 2
        assert len(stored(folder())) == 10
        server.forget()
        assert inside(*words).code == 0
        assert server.requests == 0
        assert inside(*words, "--retry-truncated").code == 0
        assert list(server.good) == [ten.rebus(8)]
        assert len(stored(folder())) == 10


def test_failed_items_stay_in_the_denominator(inside: Inside, tmp_path: Path) -> None:  # B52
    made = material(tmp_path / "twelve.csv", 12)
    answers = {made.rebus(row): answer(made.rows[row]) for row in range(12)}
    for row in (6, 7):
        answers[made.rebus(row)] = answer(made.rows[row], solution="Sbagliata")
    answers[made.rebus(8)] = "Non lo so proprio."
    replies: dict[str, Reply | Manner] = {
        made.rebus(9): Reply(200, completion("", "content_filter")),
        made.rebus(10): Manner.DROP,
        made.rebus(11): Manner.RESET,
    }
    with FaultServer(answers, lambda seen: replies.get(seen.rebus)) as server:
        configure(tmp_path, local=model(server.url, limits={"max_retries": 1}))
        done = inside("run", "local", "--data", made.path, *REGULAR)
    assert done.code == 1
    found = summary(folder())
    match = found["figures"]["regular"]["all"]["official"]["solution_match"]["micro"]
    assert (match["value"], match["n"]) == (0.5, 12)
    assert (match["at_least"], match["at_most"]) == (0.5, pytest.approx(8 / 12))
    counts = {"ok": 9, "truncated": 0, "empty": 0, "refused": 1, "failed": 2, "not_asked": 0}
    assert found["outcomes"]["regular"] == counts
    assert found["partial"]
    assert "PARTIAL" in done.out
    assert "ok 9, refused 1, failed 2" in done.out


def test_several_servers_of_one_model_share_the_work(inside: Inside, tmp_path: Path) -> None:
    made = material(tmp_path / "some.csv", 40)
    with (
        FaultServer(made.answers, latency_s=0.01) as one,
        FaultServer(made.answers, latency_s=0.01) as other,
    ):
        configure(tmp_path, local=model([one.url, other.url]))
        assert inside("run", "local", "--data", made.path, *REGULAR).code == 0
        assert one.paid + other.paid == 40
        assert min(one.paid, other.paid) > 0


def test_one_dead_server_of_two_costs_no_answer(inside: Inside, tmp_path: Path) -> None:
    made = material(tmp_path / "some.csv", 40)
    with (
        FaultServer(made.answers, lambda _: Manner.DROP) as dead,
        FaultServer(made.answers) as alive,
    ):
        configure(tmp_path, local=model([dead.url, alive.url], limits={"concurrency": 1}))
        done = inside("run", "local", "--data", made.path, *REGULAR)
        assert (done.code, alive.paid) == (0, 40), done.err


def _changed_cases() -> dict[str, tuple[dict[str, Any], tuple[str, ...], int]]:
    return {
        "nothing": ({}, (), 0),
        "model": ({"model": "altro"}, (), 3),
        "temperature": ({"params": {"temperature": 0.7}}, (), 3),
        "max_tokens": ({"params": {"max_tokens": 512}}, (), 3),
        "stop": ({"params": {"stop": ["\n\n"]}}, (), 3),
        "top_p": ({"params": {"top_p": 0.5}}, (), 3),
        "seed": ({"params": {"seed": 1}}, (), 3),
        "extra_body": ({"extra_body": {"top_a": 1}}, (), 3),
        "a header": ({"headers": {"x-variant": "b"}}, (), 3),
        "the other setting": ({}, ("--setting", "hints"), 3),
        "a second sample": ({}, ("--samples", "2"), 3),
        "limits": ({"limits": {"concurrency": 2, "max_retries": 0, "rpm": 600}}, (), 0),
        "price": ({"price": {"input": 1, "output": 2}}, (), 0),
        "key": ({"api_key_env": "OTHER_API_KEY"}, (), 0),
        "timeout": ({}, ("--timeout", "30", "--concurrency", "3", "--wait-for-server", "1"), 0),
    }


@pytest.mark.parametrize("name", _changed_cases())
def test_the_cache_knows_all_that_can_change_an_answer_and_nothing_else(
    name: str, inside: Inside, tmp_path: Path
) -> None:  # B22
    made = material(tmp_path / "three.csv", 3)
    change, more, requests = _changed_cases()[name]
    words = ("run", "local", "--data", made.path, "--setting", "regular", "--cache", "cache")
    with FaultServer(made.answers) as server:
        configure(tmp_path, local=model(server.url))
        assert inside(*words, "--out", "one").code == 0
        configure(tmp_path, local=model(server.url, **change))
        done = inside(*words, *more, "--out", "two", OTHER_API_KEY="altra")
        assert (done.code, server.requests) == (0, 3 + requests), done.err


def test_another_server_is_asked_anew_unless_said_to_be_the_same(
    inside: Inside, tmp_path: Path
) -> None:  # B22
    made = material(tmp_path / "three.csv", 3)
    words = ("run", "local", "--data", made.path, "--setting", "regular", "--cache", "cache")
    with FaultServer(made.answers) as one, FaultServer(made.answers) as other:
        for out, url, more in (
            ("a", one.url, {}),
            ("b", other.url, {}),
            ("c", one.url, {"cache_identity": "la mia macchina"}),
            ("d", other.url, {"cache_identity": "la mia macchina"}),
        ):
            configure(tmp_path, local=model(url, **more))
            assert inside(*words, "--out", out).code == 0
        assert (one.requests, other.requests) == (6, 3)


def test_one_edited_rebus_is_one_request(inside: Inside, tmp_path: Path) -> None:  # B22
    made = material(tmp_path / "three.csv", 3)
    edited = tmp_path / "edited.csv"
    text = made.path.read_text(encoding="utf-8")
    edited.write_text(text.replace("definizione 1-0", "indizio 1-0"), encoding="utf-8")
    answers = {
        **made.answers,
        made.rebus(1).replace("definizione 1-0", "indizio 1-0"): "Soluzione: boh",
    }
    words = ("--setting", "regular", "--cache", "cache")
    with FaultServer(answers) as server:
        configure(tmp_path, local=model(server.url))
        assert inside("run", "local", "--data", made.path, *words).code == 0
        assert inside("run", "local", "--data", edited, *words).code == 0
        assert server.requests == 4


def test_bodies_are_what_was_configured_and_nothing_more(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers) as server:
        plain = server.url.removesuffix("/v1")
        configure(
            tmp_path,
            local=model(
                f"{plain}/v1/chat/completions",
                api_key_env="VLLM_API_KEY",
                params={"seed": 1, "temperature": 0.5},
                extra_body={"top_k": 3},
                headers={"x-mine": "yes"},
            ),
        )
        done = inside(
            "run", "local", "--data", ten.path, *REGULAR, "--limit", "1", VLLM_API_KEY="k"
        )
        assert done.code == 0, done.err
    (seen,) = server.seen
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["authorization"] == "Bearer k"
    assert seen.headers["x-mine"] == "yes"
    text = seen.body.pop("messages")[0]["content"]
    assert text.endswith("\n")
    assert seen.body == {
        "stream": False,
        "model": "modello-prova",
        "temperature": 0.5,
        "max_tokens": 1024,
        "seed": 1,
        "top_k": 3,
    }


def test_plans_are_the_same_whatever_the_order() -> None:
    plan: Plan = randomly(0.5, seed=3)
    seen = [Seen(1, attempt, 1, f"r{row}", "/", {}, {}) for row in range(9) for attempt in (1, 2)]
    forth = [plan(each) for each in seen]
    back = [plan(each) for each in reversed(seen)]
    assert forth == back[::-1]


def test_what_a_server_says_is_left_is_not_overdrawn(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    """Five in a window of half a second, told with every answer; nothing is refused."""
    window_s, most = 0.5, 5
    moments: list[float] = []

    def plan(seen: Seen) -> Reply:
        now = time.monotonic()
        if not moments or now - moments[0] >= window_s:
            moments[:] = []
        moments.append(now)
        if len(moments) > most:
            return error(429, {"error": "troppo"}, retry_after="0.5")
        said = {
            "x-ratelimit-limit-requests": str(most),
            "x-ratelimit-remaining-requests": str(most - len(moments)),
            "x-ratelimit-reset-requests": f"{1000 * (window_s - now + moments[0]):.0f}ms",
        }
        return Reply(200, completion(ten.answers[seen.rebus]), said, good=True)

    with FaultServer(ten.answers, plan) as server:
        configure(tmp_path, local=model(server.url, limits={"concurrency": 1}))
        done = inside("run", "local", "--data", ten.path, "--cache", "off")
        assert done.code == 0, done.err
        assert server.requests == server.paid == 20


NOT_YET: Final[Mapping[str, Reply | Manner]] = {
    "nginx's page": Reply(503, b"<html><h1>503 Service Temporarily Unavailable</h1></html>"),
    "a bare 502": Reply(502),
    "Traefik's word": Reply(503, b"no available server"),
    "a timeout of the gateway": Reply(504, b"<html>504 Gateway Time-out</html>"),
    "cut off": Manner.DROP,
}


@pytest.mark.parametrize("workers", [1, 8, "auto"])
@pytest.mark.parametrize("name", NOT_YET)
def test_a_server_that_is_not_up_yet_is_waited_for_however_many_ask(
    name: str, workers: int | str, inside: Inside, ten: Material, tmp_path: Path
) -> None:  # C24
    def plan(seen: Seen) -> Reply | Manner | None:
        return NOT_YET[name] if seen.number <= 40 else None

    with FaultServer(ten.answers, plan) as server:
        limits = {"concurrency": workers, "max_retries": 1}
        configure(tmp_path, local=model(server.url, limits=limits))
        done = inside("run", "local", "--data", ten.path, *REGULAR)
        assert (done.code, server.paid) == (0, 10), done.err
    assert "waiting up to 120 s for the server" in done.err
    assert "the server answers" in done.err


def test_a_quota_of_a_day_ends_a_run_of_many_workers_at_once(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:  # C25
    violation = {"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}
    details = [
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "21s"},
    ]
    said = {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": details}}
    with FaultServer(ten.answers, from_request(5, error(429, said))) as server:
        configure(tmp_path, local=model(server.url, limits={"concurrency": 4}))
        words = ("run", "local", "--data", ten.path, *REGULAR)
        done = inside(*words)
        assert done.code == 3
        assert server.requests <= 4 + 4
        assert "the quota of a day is used up; Google renews it at midnight" in done.err
        server.forget()
        assert inside(*words).code == 0


def test_what_a_filter_refuses_is_asked_once_and_counts_as_refused(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:  # C23
    told = {"reasons": ["violence"], "flagged_input": "..."}
    said = {"error": {"code": 403, "message": "Input was flagged", "metadata": told}}
    with FaultServer(ten.answers, first(99, error(403, said), [ten.rebus(3)])) as server:
        configure(tmp_path, local=model(server.url))
        done = inside("run", "local", "--data", ten.path, *REGULAR)
        assert (done.code, server.requests, server.paid) == (0, 10, 9), done.err
    (record,) = [each for each in stored(folder()) if each["outcome"] != "ok"]
    assert (record["outcome"], record["category"]) == ("refused", "violence")
    assert not summary(folder())["partial"]
