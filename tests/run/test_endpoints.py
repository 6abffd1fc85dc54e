from __future__ import annotations

import asyncio
from typing import Any, Literal

import pytest

from apieval.config.file import Providers
from apieval.run.limiter import AUTO_MOST, Limiter
from apieval.run.model import Prepared, endpoint, limiters, prepare

HERE, THERE = "http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"


def prepared(**entry: Any) -> Prepared:  # noqa: ANN401 # any entry
    plain = {"provider": "openai-compatible", "model": "m"} if "base_url" in entry else {}
    known = Providers.model_validate({"version": 1, "models": {"x": {**plain, **entry}}})
    return prepare("x", known, {})


def served(*urls: str, **limits: object) -> Prepared:
    return prepared(base_url=list(urls), limits=limits)


def hosted(model: str, **more: object) -> Prepared:
    return prepared(provider="litellm", model=model, **more)


SAME = {
    "one address": (served(HERE), served(HERE)),
    "one address in another form": (served(HERE), served("http://127.0.0.1:1/v1/")),
    "several addresses": (served(HERE, THERE), served(THERE, HERE)),
    "one provider": (hosted("mistral/a"), hosted("mistral/b")),
    "one base": (hosted("mistral/a", api_base=HERE), served(HERE)),
}
OTHER = {
    "addresses": (served(HERE), served(THERE)),
    "one of several": (served(HERE, THERE), served(HERE)),
    "providers": (hosted("mistral/a"), hosted("gemini/a")),
    "a base": (hosted("mistral/a"), hosted("mistral/a", api_base=HERE)),
}


@pytest.mark.parametrize("name", SAME)
def test_one_endpoint(name: str) -> None:
    one, two = SAME[name]
    assert endpoint(one) == endpoint(two)


@pytest.mark.parametrize("name", OTHER)
def test_another_endpoint(name: str) -> None:
    one, two = OTHER[name]
    assert endpoint(one) != endpoint(two)


def test_each_embedded_solver_has_a_server_of_its_own() -> None:
    entry = {"provider": "embedded"}
    known = Providers.model_validate({"version": 1, "models": {"a": entry, "b": entry}})
    assert endpoint(prepare("a", known, {})) != endpoint(prepare("b", known, {}))


def made(*models: Prepared, concurrency: int | Literal["auto"] | None = None) -> list[Limiter]:
    async def work() -> list[Limiter]:
        return limiters(models, concurrency)

    return asyncio.run(work())


@pytest.mark.parametrize(
    ("one", "two", "most"),
    [(3, 8, 3), ("auto", 8, 8), (2 * AUTO_MOST, "auto", AUTO_MOST), (AUTO_MOST, "auto", AUTO_MOST)],
)
def test_of_one_endpoint_the_stricter_concurrency_holds(
    one: int | str, two: int | str, most: int
) -> None:
    for pair in ((one, two), (two, one)):
        first, second = made(*(served(HERE, concurrency=each) for each in pair))
        assert first is second
        assert first.most == most
        assert (first.slots < AUTO_MOST) == (most < AUTO_MOST or "auto" in pair)


def test_of_one_endpoint_the_stricter_rates_hold() -> None:
    both = made(served(HERE, rpm=610, tpm=None), served(HERE, rpm=1220, tpm=61))
    assert both[0] is both[1]
    assert both[0]._rpm is not None
    assert both[0]._tpm is not None
    assert (both[0]._rpm.per_second, both[0]._tpm.per_second) == (10.0, 1.0)
    (free,) = made(served(HERE))
    assert (free._rpm, free._tpm) == (None, None)


def test_endpoints_apart_have_limiters_apart() -> None:
    one, two = made(served(HERE, concurrency=3), served(THERE, concurrency=8))
    assert (one.most, two.most) == (3, 8)


def test_what_the_user_chose_holds_for_every_model() -> None:
    assert [each.most for each in made(served(HERE, concurrency=3), concurrency=9)] == [9]
