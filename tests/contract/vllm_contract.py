"""What apieval promises of a vLLM server, held against a real one: `make contract-vllm`.

Not part of `make test`, which looks for `test_*.py`: it needs an environment of 3.4 GB and takes
minutes. vLLM runs on the CPU. One trained model answers the sample; for all else one of random
weights serves.
"""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pytest

from tests.contract.served import Begun, Vllm, run, serving, until
from tests.e2e.program import apieval, configure, lines, plain

Measured = Callable[[str], None]
SAMPLE: Final = 180
"""Requests of the sample in both settings."""
FEW: Final = ("--limit", "3", "--setting", "regular")
"""Nine requests."""
KEY: Final = "sk-finta-vllm"
LATE: Final = ("--wait-for-server", "600")


def entry(*servers: Vllm, **more: Any) -> dict[str, Any]:  # noqa: ANN401 # any JSON
    """Return a model's entry in `providers.yaml`."""
    params = {"temperature": 0, "max_tokens": 32, **more.pop("params", {})}
    return {
        "provider": "openai-compatible",
        "base_url": [server.url for server in servers],
        "model": servers[0].model,
        "params": params,
        **more,
    }


def all_known(answers: list[dict[str, Any]]) -> bool:
    """Say whether every answer tells what it used, and why it ended."""
    outcomes = {"length": {"truncated"}, "stop": {"ok", "empty"}}
    for each in answers:
        usage = each["usage"]
        assert usage["prompt_tokens"] > 100
        assert usage["completion_tokens"] > 0
        assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
        assert each["outcome"] in outcomes[each["finish_reason"]]
    return bool(answers)


def pace(answers: list[dict[str, Any]]) -> str:
    """Return how fast answers came, the wait for the server and the first of them left out."""
    moments = sorted(datetime.fromisoformat(each["created"]) for each in answers)
    took = (moments[-1] - moments[0]).total_seconds()
    tokens = sum(each["usage"]["completion_tokens"] for each in answers)
    return f"{(len(answers) - 1) / took:,.1f} requests/s, {tokens / took:,.0f} tokens/s"


def pressed() -> str:
    """Return how many requests `auto` had on their way at most."""
    events = [each for each in lines(Path("log.jsonl")) if each["event"] == "pressed"]
    most = max(each["in_flight"] for each in events)
    return f"auto had at most {most} on their way, of {events[-1]['slots']} allowed at the end"


# --- the sample, on a trained model ----------------------------------------------------------


def test_a_run_begun_before_its_server_is_up_evaluates_the_sample(
    tmp_path: Path, measured: Measured
) -> None:
    server = Vllm(tmp_path, model="smollm2")
    configure(Path(), trained=entry(server, params={"max_tokens": 64}))
    server.start()
    try:
        begun = Begun("trained", *LATE, "--concurrency", "auto", "--log", "log.jsonl")
        until(lambda: begun.ended() or not server.runs(), "the end of the run", every_s=1)
        ended = begun.end()
    finally:
        server.kill()
    assert ended.code == 0, ended.err
    assert f"nothing listens at {server.url}" in ended.err
    assert "waiting up to 600 s for the server" in ended.err
    assert "the server answers, after" in ended.err
    assert len(ended.answers) == SAMPLE
    assert ended.outcomes <= {"ok", "truncated"}
    assert ended.most_attempts == 1
    assert all_known(ended.answers)
    assert {each["served_model"] for each in ended.answers} == {"smollm2"}
    assert all(each["system_fingerprint"].startswith("vllm-") for each in ended.answers)
    assert all(len(each["text"].split()) > 1 for each in ended.answers)
    reasons = [each["finish_reason"] for each in ended.answers]
    measured(f"SmolLM2-135M, the sample in both settings: {pace(ended.answers)}; {pressed()}")
    measured(f"SmolLM2-135M: stop {reasons.count('stop')}, length {reasons.count('length')}")


# --- what an answer is -----------------------------------------------------------------------


def test_finish_reasons_tell_whole_answers_from_cut_ones(tiny: Vllm, measured: Measured) -> None:
    # no seed: one of a request's own ends this vLLM on the CPU, "CPU Generator does not use offset"
    configure(Path(), random=entry(tiny, params={"temperature": 1, "max_tokens": 400}))
    ended = run("random", "--concurrency", "auto", "--log", "log.jsonl")
    assert ended.code == 0, ended.err
    assert all_known(ended.answers)
    reasons = [each["finish_reason"] for each in ended.answers]
    assert set(reasons) == {"stop", "length"}
    cut = [each for each in ended.answers if each["finish_reason"] == "length"]
    assert {each["usage"]["completion_tokens"] for each in cut} == {400}
    measured(f"random weights, both settings: {pace(ended.answers)}; {pressed()}")
    measured(f"random weights: stop {reasons.count('stop')}, length {reasons.count('length')}")


def test_the_same_question_gets_the_same_answer(tiny: Vllm, measured: Measured) -> None:
    configure(Path(), greedy=entry(tiny))
    texts = {}
    for name, at_once in {"alone": "1", "again": "1", "many": "16"}.items():
        ended = run("greedy", *FEW, "--concurrency", at_once, name=name)
        assert ended.code == 0, ended.err
        texts[name] = {each["id"]: each["text"] for each in ended.answers}
    assert texts["alone"] == texts["again"]
    same = sum(texts["alone"][row] == text for row, text in texts["many"].items())
    measured(f"temperature 0, one at a time and 16 at once: {same} of {len(texts['many'])} equal")


def test_plain_completions_are_answered(tiny: Vllm) -> None:
    configure(Path(), base=entry(tiny, api="completions"))
    ended = run("base", *FEW)
    assert ended.code == 0, ended.err
    assert all_known(ended.answers)


def test_a_server_is_named_by_its_address(tiny: Vllm) -> None:
    ended = run(f"{tiny.url}#tiny", *FEW, "--param", "max_tokens=8")
    assert ended.code == 0, ended.err
    assert {each["usage"]["completion_tokens"] for each in ended.answers} == {8}


def test_each_sample_is_drawn_with_a_seed_of_its_own(tiny: Vllm, measured: Measured) -> None:
    params = {"temperature": 1, "seed": 7, "max_tokens": 16}
    configure(Path(), drawn=entry(tiny, params=params))
    texts = []
    for name in ("first", "second"):
        ended = run("drawn", *FEW, "--samples", "3", "--concurrency", "1", name=name)
        assert ended.code == 0, ended.err
        texts.append({(each["id"], each["sample"]): each["text"] for each in ended.answers})
    first, second = texts
    rows = {row for row, _ in first}
    different = [row for row in rows if len({first[row, sample] for sample in range(3)}) == 3]
    assert set(different) == rows
    same = sum(text == second[drawn] for drawn, text in first.items())
    assert same == len(first)
    measured(f"seed 7 and temperature 1: {same} of {len(first)} samples the same when drawn again")


def test_answers_that_the_window_cuts_name_the_window(tiny: Vllm, shared: Path) -> None:
    configure(Path(), whole=entry(tiny, params={"max_tokens": 1}))
    asked = run("whole", *FEW, name="whole").answers
    window = max(each["usage"]["prompt_tokens"] for each in asked) + 40
    with serving(Vllm(shared, context=window)) as server:
        # ignore_eos: random weights would end an answer by chance
        long = {"params": {"max_tokens": 1024}, "extra_body": {"ignore_eos": True}}
        configure(Path(), cramped=entry(server, **long))
        ended = run("cramped", *FEW, name="cramped")
        checked = apieval("check", "cramped", "--setting", "regular")
    assert ended.outcomes == {"truncated"}, ended.err
    assert all(each["usage"]["total_tokens"] == window for each in ended.answers)
    for said in (ended.err + ended.done.out, checked.all):
        assert f"{window:,}" in said
        assert "--max-model-len" in said


def test_thoughts_in_the_text_stay_there_and_are_told(tiny: Vllm) -> None:
    """The answer is prescribed, so that random weights think and come to an end.

    In other tags than the tokenizer's own, which vLLM leaves out of the text.
    """
    answer = "<thinking>Soluzione: forse</thinking>Soluzione: Orologio da tavolo"
    forced = {"structured_outputs": {"choice": [answer]}}
    configure(Path(), thinks=entry(tiny, params={"max_tokens": 400}, extra_body=forced))
    ended = run("thinks", *FEW)
    assert ended.code == 0, ended.err
    assert {each["text"] for each in ended.answers} == {answer}
    assert "--reasoning-parser" in ended.err + ended.done.out
    scores = lines(Path("results/run/scores.jsonl"))
    read = {each["parser"].partition("@")[0]: each["solution"] for each in scores}
    assert read["official"].startswith("forse</thinking>")
    assert read["tolerant"] == "Orologio da tavolo"


# --- what it refuses -------------------------------------------------------------------------


def test_an_unknown_model_ends_the_run_in_the_servers_words(tiny: Vllm) -> None:
    configure(Path(), other={**entry(tiny), "model": "grande"})
    ended = run("other")
    assert ended.code == 3
    assert "The model `grande` does not exist" in ended.err
    assert "check base_url and model" in ended.err
    assert plain(ended.err)


def test_a_refused_parameter_ends_the_run_and_is_named(tiny: Vllm) -> None:
    configure(Path(), odd=entry(tiny, params={"top_k": -7}))
    ended = run("odd")
    assert ended.code == 3
    assert "top_k must be" in ended.err
    assert "drop: [top_k]" in ended.err


def test_more_tokens_than_there_are_stop_the_run_in_the_servers_words(tiny: Vllm) -> None:
    configure(Path(), greedy=entry(tiny, params={"max_tokens": 9000}))
    ended = run("greedy")
    assert ended.code == 3
    assert "max_tokens=9000 cannot be greater than max_model_len=4096" in ended.err
    assert len(ended.answers) < SAMPLE


@pytest.fixture(scope="module")
def short(shared: Path) -> Iterator[Vllm]:
    """Give a server whose context is too short for any prompt, and that wants a key."""
    with serving(Vllm(shared, context=256, more=("--api-key", KEY))) as server:
        yield server


def test_without_the_key_the_run_ends(short: Vllm) -> None:
    configure(Path(), locked=entry(short))
    ended = run("locked")
    assert ended.code == 3
    assert "HTTP 401" in ended.err
    assert "Unauthorized (the key was refused" in ended.err


def test_where_every_prompt_is_too_long_the_run_stops(short: Vllm) -> None:
    configure(Path(), locked=entry(short, api_key_env="VLLM_KEY"))
    ended = run("locked", VLLM_KEY=KEY)
    assert ended.code == 3
    assert "maximum context length is 256 tokens" in ended.err
    assert ended.outcomes == {"failed"}
    assert len(ended.answers) < SAMPLE
    assert KEY not in ended.done.all


def test_a_prompt_that_is_too_long_fails_alone(tiny: Vllm, shared: Path) -> None:
    """The others are answered; by thoughts alone, since random weights end no thought."""
    configure(Path(), whole=entry(tiny, params={"max_tokens": 1}))
    asked = run("whole", "--setting", "regular", name="whole").answers
    lengths = sorted(each["usage"]["prompt_tokens"] for each in asked)
    fits = lengths[len(lengths) * 2 // 3]
    thinking = ("--reasoning-parser", "deepseek_r1")
    # what leaves room for one token is answered, whatever max_tokens asks for
    with serving(Vllm(shared, context=fits + 1, more=thinking)) as server:
        configure(Path(), narrow=entry(server, params={"max_tokens": 4}))
        ended = run("narrow", "--setting", "regular", name="narrow")
    assert ended.code == 1, ended.err
    assert "partial" in ended.err
    failed = [each for each in ended.answers if each["outcome"] == "failed"]
    assert len(failed) == sum(length > fits for length in lengths)
    for each in failed:  # where just no room is left for an answer, vLLM says so in other words
        assert re.search("maximum context length|max_tokens must be at least 1", each["error"])
    assert {each["attempts"] for each in failed} == {1}
    thoughts = [each for each in ended.answers if each["outcome"] != "failed"]
    assert {(each["outcome"], each["text"]) for each in thoughts} == {("truncated", "")}
    assert all(each["reasoning"] for each in thoughts)


# --- servers that go -------------------------------------------------------------------------


def test_a_run_goes_on_when_its_server_was_killed_and_started_again(
    tiny: Vllm, measured: Measured
) -> None:
    configure(Path(), local=entry(tiny, params={"max_tokens": 200}))
    begun = Begun("local", *LATE)
    begun.wait_for(SAMPLE // 4)
    tiny.kill()
    killed = time.monotonic()
    time.sleep(3)  # its owner finds out
    tiny.start()
    ended = begun.end()
    took_s = time.monotonic() - killed
    assert ended.code == 0, ended.err
    assert "nothing listens at" in ended.err
    after = re.search("the server answers, after ([0-9]+) s", ended.err)
    assert after, ended.err
    assert len(ended.answers) == SAMPLE
    assert "failed" not in ended.outcomes
    # of eleven it may have: one on its way when the server died, a few in the second after
    assert ended.most_attempts <= 6
    measured(
        f"killed midway and started again: no answer for {after[1]} s, done {took_s:,.0f} s after "
        f"the kill, at most {ended.most_attempts} attempts a request"
    )


def test_a_run_that_was_interrupted_asks_only_for_what_is_missing(tiny: Vllm) -> None:
    configure(Path(), local=entry(tiny, params={"max_tokens": 200}))
    begun = Begun("local")
    begun.wait_for(SAMPLE // 4)
    os.kill(begun.process.pid, signal.SIGTERM)  # SIGINT is ignored in whatever a shell put behind
    first = begun.end()
    assert first.code == 130, first.err
    before = tiny.answered()
    second = run("local")
    assert second.code == 0, second.err
    assert len(second.answers) == SAMPLE
    assert tiny.answered() - before <= SAMPLE - len(first.answers)


def test_one_ctrl_c_waits_for_what_is_on_its_way(tiny: Vllm, measured: Measured) -> None:
    slow = {"params": {"max_tokens": 600}, "extra_body": {"min_tokens": 500}}
    configure(Path(), local=entry(tiny, **slow))
    before = tiny.answered()
    begun = Begun("local", "--concurrency", "8")
    begun.wait_for(8)
    os.kill(begun.process.pid, signal.SIGTERM)  # SIGINT is ignored in whatever a shell put behind
    sent = time.monotonic()
    ended = begun.end()
    took_s = time.monotonic() - sent
    assert ended.code == 130, ended.err
    assert ended.outcomes <= {"ok", "truncated"}
    assert len(ended.answers) == tiny.answered() - before  # nothing was given up
    measured(f"interrupted with 8 slow answers on their way: all stored after {took_s:.1f} s")


def test_two_servers_share_the_work_and_one_takes_it_all_when_the_other_dies(
    tiny: Vllm, shared: Path, measured: Measured
) -> None:
    with serving(Vllm(shared)) as twin:
        configure(Path(), both=entry(tiny, twin, params={"max_tokens": 64}))
        before = tiny.answered()
        ended = run("both", name="together")
        assert ended.code == 0, ended.err
        shares = tiny.answered() - before, twin.answered()
        assert sum(shares) == SAMPLE
        assert min(shares) > SAMPLE // 5
        measured(f"two servers: {shares[0]} and {shares[1]} requests; {pace(ended.answers)}")

        begun = Begun("both", name="one-dies")
        begun.wait_for(SAMPLE // 4)
        before = tiny.answered()
        twin.kill()
        ended = begun.end()
    assert ended.code == 0, ended.err
    assert len(ended.answers) == SAMPLE
    assert "failed" not in ended.outcomes
    assert ended.most_attempts <= 2  # of those the dead one had on their way
    measured(
        f"one of two killed: the other answered {tiny.answered() - before} more, at most "
        f"{ended.most_attempts} attempts a request"
    )
