"""The proxy the environment names: who goes through it, and that its password is never shown."""

from __future__ import annotations

import asyncio
from base64 import b64encode

import pytest

from apieval.errors import AttemptFailed, ConfigError, RunFailure, TransientFailure, Unreachable
from apieval.providers.proxies import proxy_of, secrets_of
from tests.providers.asking import TEXT, at, attempt, failure_at, free_port, raw
from tests.servers import Answer, Scripted

FAR = "https://modelli.example/v1"


@pytest.mark.parametrize(
    ("given", "proxy"),
    [
        ("http://proxy:3128", "http://proxy:3128"),
        ("https://utente:segreta@proxy:3128/", "https://utente:segreta@proxy:3128/"),
        ("proxy:3128", "http://proxy:3128"),
        ("utente:segreta@proxy:3128", "http://utente:segreta@proxy:3128"),
        ("", None),
    ],
)
def test_a_proxy_is_taken_as_curl_takes_it(
    monkeypatch: pytest.MonkeyPatch, given: str, proxy: str | None
) -> None:
    monkeypatch.setenv("https_proxy", given)
    assert proxy_of(FAR) == proxy


@pytest.mark.parametrize(
    "given",
    [
        "socks5://utente:segreta@proxy:1080",
        "ftp://utente:segreta@proxy",
        "http://utente:segreta@proxy:porta",
        "http://utente:segreta@proxy:99999999",
        "http://utente:segreta@[::1",
        "http://utente: segreta@proxy:3128",
        "http://utente:segretà@proxy:3128",
        "http://",
    ],
)
def test_one_that_cannot_be_used_is_named_by_its_variable(
    monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv("https_proxy", given)
    with pytest.raises(ConfigError, match="HTTPS_PROXY holds no proxy") as caught:
        proxy_of(FAR)
    assert "segret" not in str(caught.value)


@pytest.mark.parametrize(
    ("variables", "proxy"),
    [
        ({"ALL_PROXY": "http://tutti:1"}, "http://tutti:1"),
        ({"all_proxy": "tutti:1"}, "http://tutti:1"),
        ({"ALL_PROXY": "http://tutti:1", "HTTPS_PROXY": "http://suo:2"}, "http://suo:2"),
        ({"ALL_PROXY": "http://tutti:1", "HTTP_PROXY": "http://altro:2"}, "http://tutti:1"),
        ({"ALL_PROXY": "http://tutti:1", "NO_PROXY": "modelli.example"}, None),
        ({"ALL_PROXY": ""}, None),
        ({"HTTP_PROXY": "http://altro:2"}, None),
    ],
)
def test_all_proxy_is_for_what_has_none_of_its_own(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], proxy: str | None
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert proxy_of(FAR) == proxy
    assert proxy_of("http://127.0.0.1:8000/v1") is None


def test_all_proxy_that_cannot_be_used_goes_by_its_own_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5h://utente:segreta@proxy:1080")
    with pytest.raises(ConfigError, match="ALL_PROXY holds no proxy that can be used"):
        proxy_of(FAR)
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:3128")
    assert proxy_of(FAR) == "http://proxy:3128"


def test_its_password_is_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    assert secrets_of(FAR) == ()
    monkeypatch.setenv("https_proxy", "http://utente:segr%40ta@proxy:3128")
    assert secrets_of(FAR) == ("segr@ta", "utente:segr@ta", b64encode(b"utente:segr@ta").decode())
    monkeypatch.setenv("https_proxy", "http://utente@proxy:3128")
    assert secrets_of(FAR) == ()


@pytest.mark.filterwarnings(  # httpx-aiohttp's way; aiohttp's new one is not for plain HTTP
    "ignore:BasicAuth is deprecated", "ignore:The 'proxy_auth' parameter"
)
@pytest.mark.parametrize("variable", ["http_proxy", "all_proxy"])
def test_a_proxy_that_repeats_its_login_does_not_show_it(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    login = b64encode(b"utente:segreta").decode()

    async def run() -> str:
        said = {"error": {"message": f"Proxy-Authorization: Basic {login}, segreta"}}
        async with Scripted([Answer(said, status=407)]) as proxy:
            monkeypatch.setenv(variable, f"http://utente:segreta@127.0.0.1:{proxy.port}")
            failure = await failure_at("http://modelli.example/v1")
            assert proxy.seen[0].headers["proxy-authorization"] == f"Basic {login}"
            return str(failure)

    said = asyncio.run(run())
    assert login[:-4] not in said
    assert "segreta" not in said
    assert "Basic ***" in said


@pytest.mark.filterwarnings("ignore:BasicAuth is deprecated", "ignore:The 'proxy_auth' parameter")
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_is_down_is_named(monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    monkeypatch.setenv(f"{scheme}_proxy", "http://utente:segreta@127.0.0.1:9")
    end = asyncio.run(failure_at(f"{scheme}://modelli.example/v1"))
    assert type(end) is Unreachable
    assert f"{scheme.upper()}_PROXY (127.0.0.1:9)" in str(end)
    assert "nothing answers at the proxy" in str(end)
    assert "segreta" not in str(end)


@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [
        (407, RunFailure, "wants a user name and a password"),
        (403, RunFailure, "lets no request through"),
        (502, TransientFailure, "HTTP 502"),
    ],
)
def test_a_proxy_that_leads_nowhere_is_named(
    monkeypatch: pytest.MonkeyPatch, status: int, kind: type[AttemptFailed], said: str
) -> None:
    async def work(where: str) -> AttemptFailed:
        monkeypatch.setenv("https_proxy", f"http://{where}")
        return await failure_at("https://modelli.example/v1")

    end = asyncio.run(raw(work, b"HTTP/1.1 %d No\r\ncontent-length: 0\r\n\r\n" % status))
    assert type(end) is kind
    assert end.status == status
    assert "the proxy that HTTPS_PROXY (127.0.0.1" in str(end)
    assert said in str(end)


def test_loopback_never_goes_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    assert attempt(Answer()).text == TEXT


def test_other_addresses_do_unless_excepted(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        async with Scripted() as proxy:
            monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
            assert (await at("http://modelli.example/v1")).text == TEXT
            assert proxy.seen[0].path == "http://modelli.example/v1/chat/completions"
            monkeypatch.setenv("no_proxy", "modelli.example")
            assert proxy_of("http://modelli.example/v1") is None

    asyncio.run(run())
