"""What is printed and kept of a run's cost is never below what a server generated."""

from __future__ import annotations

import json
import random
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from apieval.commands import run
from apieval.evaluate import verify
from apieval.run.cost import spent_by
from apieval.run.model import Prepared
from tests.e2e.conftest import Inside
from tests.e2e.faults import FaultServer, Manner, Reply, Seen, completion, error
from tests.e2e.program import (
    Material,
    configure,
    end,
    folder,
    material,
    model,
    start,
    stored,
    summary,
)

PRICE: Final = {"input": 1.0, "output": 4.0}
WORDS: Final = ("run", "local", "--setting", "regular", "--cache", "off", "--yes", "--data")
_SUM: Final = re.compile(r"^cost of the run: (at most )?([0-9.,]+) USD", re.MULTILINE)


Plan = Callable[[random.Random, bytes], Reply]


class Meter:
    """Have a server generate as told, and add up what that costs whether or not it is received."""

    def __init__(self, made: Material, how: Plan, seed: int = 1) -> None:
        self.usd = 0.0
        self._made, self._how, self._chance = made, how, random.Random(seed)

    def __call__(self, seen: Seen) -> Reply:
        prompt, said = self._chance.randint(500, 900), self._chance.randint(1, 1024)
        usage = {"prompt_tokens": prompt, "completion_tokens": said, "total_tokens": prompt + said}
        body = completion(self._made.answers[seen.rebus], usage=usage)
        reply = self._how(self._chance, body)
        if reply.status < 300:  # no refusal
            self.usd += (prompt * PRICE["input"] + said * PRICE["output"]) / 1e6
        return reply


def printed(out: str) -> float:
    """Return the sum that stands last."""
    return float(_SUM.findall(out)[-1][1].replace(",", ""))


def header() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder() / "run.json").read_text("utf-8"))
    return found


def holds(meter: Meter, out: str, most_usd: float) -> None:
    """Check one sum against the others: generated, printed, kept, allowed."""
    kept = header()["spent_usd"]
    assert meter.usd <= kept + 1e-9
    assert kept <= most_usd
    assert printed(out) == pytest.approx(kept, abs=1e-4)
    account = spent_by(folder())
    assert account is not None
    assert account.usd == kept
    assert verify(folder()).holds


def good(_: random.Random, body: bytes) -> Reply:
    return Reply(200, body, good=True)


def of_each_kind(chance: random.Random, body: bytes) -> Reply:
    """Give mostly answers, else whatever spoils one that was generated, and some refusals."""
    kinds = [
        Reply(200, body, manner=Manner.CUT),
        Reply(201, body, manner=Manner.CUT),
        Reply(200, body.replace(b'"choices"', b'"scelte"').replace(b'"usage"', b'"uso"')),
        Reply(200, body[:-9]),
        Reply(200, body, manner=Manner.RESET),
        Reply(200, body, manner=Manner.DROP),
        error(500, {"error": {"message": "guasto"}}),
        error(503, {"error": {"message": "pieno"}}),
    ]
    return chance.choice(kinds) if chance.random() < 0.25 else good(chance, body)


SPOILT: Final[dict[str, Callable[[bytes], Reply]]] = {
    "half of the body": lambda body: Reply(200, body, manner=Manner.CUT),
    "half of the body of a 206": lambda body: Reply(206, body, manner=Manner.CUT),
    "unreadable": lambda body: Reply(200, b'{"choices": [{"mess' + body[-40:]),
    "an error that comes with token counts": lambda body: Reply(
        200, b'{"error": {"message": "guasto", "code": 502}, ' + body[1:]
    ),
    "another document": lambda _: Reply(200, b'{"id": "x", "object": "chat.completion"}'),
    "not a byte, then a reset": lambda body: Reply(200, body, manner=Manner.RESET),
    "not a byte, then the end": lambda body: Reply(200, body, manner=Manner.DROP),
}


@pytest.mark.usefixtures("no_waits")
@pytest.mark.parametrize("name", SPOILT)
def test_a_reply_that_was_generated_and_lost_is_counted_as_reserved(
    name: str, inside: Inside, tmp_path: Path
) -> None:
    made = material(tmp_path / "some.csv", 40)

    def every_second(chance: random.Random, body: bytes) -> Reply:
        return SPOILT[name](body) if chance.random() < 0.5 else good(chance, body)

    meter = Meter(made, every_second)
    with FaultServer(made.answers, meter) as server:
        configure(tmp_path, local=model(server.url, price=PRICE))
        done = inside(*WORDS, made.path, "--max-cost", "0.12")
        assert done.code in {0, 1, 3}
    holds(meter, done.out, 0.12)
    spent = header()["spent"]
    assert spent["lost"] > 0
    assert spent["known_usd"] < meter.usd, "what is known alone is too little"
    assert "cost of the run: at most" in done.out
    assert re.search(r"at most \d\.\d+ USD", done.err), "as the last line of progress says"


@pytest.mark.parametrize(
    "refusal",
    [
        pytest.param(error(500, {"error": "guasto"}), id="500"),
        pytest.param(error(400, {"error": "lungo"}), id="400"),
        pytest.param(Reply(200, b"<html>accedi</html>", {"content-type": "text/html"}), id="page"),
    ],
)
@pytest.mark.usefixtures("no_waits")
def test_what_a_server_refuses_costs_nothing(
    refusal: Reply, inside: Inside, ten: Material, tmp_path: Path
) -> None:
    refused: set[str] = set()

    def first(seen: Seen) -> Reply | None:
        again = seen.rebus in refused or seen.number == 1
        refused.add(seen.rebus)
        return None if again else refusal

    with FaultServer(ten.answers, first) as server:
        configure(tmp_path, local=model(server.url, price=PRICE))
        assert inside(*WORDS, ten.path).code in {0, 1}
    spent = header()["spent"]
    assert (spent["lost"], spent["at_most_usd"]) == (0, 0.0)


def test_a_resumed_run_forecasts_what_it_measured_and_tells_its_own_sum(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    meter = Meter(ten, good)
    with FaultServer(ten.answers, meter) as server:
        configure(tmp_path, local=model(server.url, price=PRICE, limits={"concurrency": 1}))
        assert inside(*WORDS, ten.path, "--max-cost", "0.015").code == 3
        first_usd = header()["spent_usd"]
        answers = stored(folder())
        done = inside(*WORDS, ten.path, "--max-cost", "1")
    mean = sum(each["usage"]["completion_tokens"] for each in answers) / len(answers)
    told = re.search(r"([\d,]+) answer tokens by the answers so far", done.err)
    assert told
    assert int(told[1].replace(",", "")) / (10 - len(answers)) == pytest.approx(mean, rel=0.25)
    assert done.code == 0
    holds(meter, done.out, 1)
    now_usd = header()["spent_usd"] - first_usd
    assert f"USD; {now_usd:,.4f} USD by this command" in done.out
    last = done.err.strip().splitlines()[-1]
    assert f"{header()['spent_usd']:,.4f} USD" in last, "and so does the last line of progress"
    again = inside(*WORDS, ten.path)
    assert printed(again.out) == printed(done.out), "asking nothing costs nothing more"


def test_a_price_nobody_knows_is_unknown_and_never_zero(
    inside: Inside, ten: Material, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Prepared, "own", False)
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url))
        done = inside(*WORDS, ten.path)
        assert "answer tokens; cost: unknown" in done.err
        assert "cost of the run: unknown" in done.out
        assert (header()["spent_usd"], header()["spent"]["unknown"]) == (None, 10)
        # once it is known, the answers from before count as the longest there may be
        configure(tmp_path, local=model(server.url, price=PRICE))
        done = inside(*WORDS, ten.path, "--max-cost", "1")
        assert printed(done.out) > 10 * 1024 * PRICE["output"] / 1e6
        assert server.requests == 10


@pytest.mark.parametrize(
    ("most", "told"),
    [
        pytest.param(100, "6 requests, about", id="few are looked up"),
        pytest.param(5, "10 requests, about", id="many are not"),
    ],
)
def test_what_is_free_is_forecast_by_the_cache_too(
    most: int,
    told: str,
    inside: Inside,
    ten: Material,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run, "_LOOKED_UP", most)
    words = ("run", "local", "--data", ten.path, "--setting", "regular", "--cache", "cache")
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url))
        first = inside(*words, "--limit", "4", "--name", "four").err
        assert "cache" not in first, "an empty one has nothing to say"
        said = inside(*words, "--name", "all").err
        again = inside(*words, "--name", "again").err
        assert server.requests == 10
    assert f"forecast: {told}" in said
    assert ("(4 more are in the cache)" in said) is (most == 100)
    assert ("before the cache" in said) is (most == 5)
    assert ("nothing left to ask" in again) is (most == 100)


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        pytest.param([], "temperature 0", id="as it is without a word"),
        pytest.param(["--param", "temperature=1"], None, id="a temperature"),
        pytest.param(["--param", "temperature=1", "--param", "top_k=1"], "top_k 1", id="top_k"),
    ],
)
def test_equal_samples_are_told_before_they_are_paid_for_and_after(
    words: list[str], cause: str | None, inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url, price=PRICE))
        done = inside(*WORDS, ten.path, "--samples", "3", "--limit", "4", *words)
        assert (done.code, server.paid) == (0, 12)
    told = f"local: --samples 3 with {cause}: the answers to a rebus will be identical"
    before = done.err.partition("forecast:")[0]
    assert (told in before) is (cause is not None)
    (found,) = [
        each for each in summary(folder())["findings"] if each["kind"] == "samples_identical"
    ]
    assert found["text"].startswith("all 3 answers of 4 rebuses are identical")
    assert found["text"] in " ".join(done.out.split())


def test_what_the_second_ctrl_c_gives_up_is_in_the_sum(tmp_path: Path) -> None:
    made = material(tmp_path / "some.csv", 40)
    meter = Meter(made, lambda _, body: Reply(200, body, manner=Manner.HOLD))
    with FaultServer(made.answers, meter) as server:
        configure(tmp_path, local=model(server.url, price=PRICE))
        process = start(*WORDS, made.path, "--max-cost", "1")
        server.wait_for_requests(8)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        while "stopping" not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGINT)
        done = end(process)
    assert done.code == 130
    holds(meter, done.out, 1)
    assert header()["spent"]["lost"] == 8
    assert "of it reserved for 8 requests whose cost is not known" in done.out


def test_models_of_one_process_have_an_account_each(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    one, other = Meter(ten, good, 1), Meter(ten, of_each_kind, 2)
    with FaultServer(ten.answers, one) as first, FaultServer(ten.answers, other) as second:
        limits = {"max_retries": 20}
        configure(
            tmp_path,
            local=model(first.url, price=PRICE),
            altro=model(second.url, price=PRICE, limits=limits),
        )
        done = inside("run", "altro", *WORDS[1:], ten.path, "--max-cost", "0.08")
        assert done.code in {0, 1}
    runs = {each.name.split("-")[0]: each for each in Path("results").iterdir()}
    sums = [float(each[1]) for each in _SUM.findall(done.out)]
    for meter, name, told in zip((other, one), ("altro", "local"), sums, strict=True):
        account = spent_by(runs[name])
        assert account is not None
        assert meter.usd <= account.usd <= 0.08
        assert told == pytest.approx(account.usd, abs=1e-4)


@pytest.mark.parametrize("seed", [1, 2])
def test_kills_cuts_and_a_budget(seed: int, tmp_path: Path) -> None:
    """Kill a run at random instants, resume it with more money, and hold its sum to the meter."""
    chance = random.Random(seed)
    made = material(tmp_path / "many.csv", 80)
    meter = Meter(made, of_each_kind, seed)
    with FaultServer(made.answers, meter, latency_s=0.02) as server:
        limits = {"concurrency": 12, "max_retries": 20}
        configure(tmp_path, local=model(server.url, price=PRICE, limits=limits))
        for _ in range(2):
            process = start(*WORDS, made.path, "--max-cost", "9")
            server.wait_for_requests(server.requests + chance.randint(2, 25))
            time.sleep(chance.uniform(0, 0.03))
            process.kill()
            assert end(process).code == -signal.SIGKILL
            assert header()["spent_usd"] is None, "nobody says what is not known yet"
        account = spent_by(folder())
        assert account is not None
        most_usd = account.usd + 0.08
        done = end(start(*WORDS, made.path, "--max-cost", str(most_usd)))
        assert done.code == 3, done.err
        holds(meter, done.out, most_usd)
        while (done := end(start(*WORDS, made.path, "--max-cost", "9"))).code == 1:
            holds(meter, done.out, 9)  # three spoilt replies are enough for one request
    assert done.code == 0, done.err
    holds(meter, done.out, 9)
    assert len(stored(folder())) == 80, "each stored once"


GATEWAYS: Final = {
    "litellm": {"x-litellm-call-id": "1", "x-litellm-version": "1.110.2"},
    "OpenAI": {"openai-processing-ms": "312"},
    "Portkey": {"X-Portkey-Trace-Id": "1"},
    "One API": {"X-Oneapi-Request-Id": "1"},
}


@pytest.mark.parametrize("who", GATEWAYS)
def test_a_gateway_on_this_machine_costs_an_unknown_sum(
    who: str, inside: Inside, ten: Material, tmp_path: Path
) -> None:
    def plan(seen: Seen) -> Reply:
        body = completion(ten.answers[seen.rebus])
        return Reply(body=body, headers=GATEWAYS[who], good=True)

    with FaultServer(ten.answers, plan) as server:
        configure(tmp_path, local=model(server.url))
        checked = inside("check", "local", "--data", ten.path)
        assert f"the replies come through {who}: what they cost is unknown" in checked.all
        assert "cost        unknown" in checked.out
        done = inside(*WORDS, ten.path, "--limit", "3")
        assert f"the replies come through {who}" in done.err
        assert "cost of the run: unknown" in done.out
        assert (header()["spent_usd"], header()["spent"]["unknown"]) == (None, 3)
        assert header()["via"] == who
        assert verify(folder()).holds
        again = inside(*WORDS, ten.path, "--limit", "3")
        assert "cost of the run: unknown" in again.out, "and stays so when nothing is asked"


def test_a_hosted_model_s_name_on_this_machine_costs_an_unknown_sum(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers) as server:
        entry = {**model(server.url), "model": "claude-opus-5"}
        configure(tmp_path, local=entry)
        done = inside(*WORDS, ten.path)
        assert "answer tokens; cost: unknown" in done.err
        assert "cost of the run: unknown" in done.out
        free = {"input": 0, "output": 0}
        configure(tmp_path, local={**entry, "price": free})
        assert "cost of the run: 0.0000 USD" in inside(*WORDS, ten.path, "--fresh").out


def test_a_server_of_one_s_own_costs_nothing(inside: Inside, ten: Material, tmp_path: Path) -> None:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url, api_key_env="VLLM_API_KEY"))
        done = inside(*WORDS, ten.path, VLLM_API_KEY="segretissima-1")
    assert "cost: 0 (local server)" in done.err
    assert "cost of the run" not in done.out
    assert "via" not in header()
