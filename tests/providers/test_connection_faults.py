"""Connections that are never made: what stands in the way, and what helps."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from pathlib import Path

import pytest

from apieval.errors import RunFailure, ServerDown, Unreachable
from tests.providers.asking import KEY, TEXT, at, failure_at, free_port, raw
from tests.servers import Scripted


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_where_nothing_listens_the_server_is_down(host: str) -> None:
    end = asyncio.run(failure_at(f"http://{host}:{free_port()}/v1"))
    assert type(end) is ServerDown
    assert "nothing listens" in str(end)


def test_an_unknown_name_is_told_with_its_remedy() -> None:  # C12
    end = asyncio.run(failure_at("http://nessuno.invalid/v1"))
    assert type(end) is Unreachable
    assert "no address is known of 'nessuno.invalid'" in str(end)
    assert "check its spelling in base_url" in str(end)


def test_https_in_front_of_a_plain_server_is_told_at_once() -> None:  # C12
    plain = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n"
    end = asyncio.run(raw(lambda where: failure_at(f"https://{where}/v1"), plain, tls=True))
    assert type(end) is RunFailure
    assert "write http:// in base_url" in str(end)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    cert, key = folder / "cert.pem", folder / "key.pem"
    words = (
        f"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        f"-keyout {key} -out {cert} -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    )
    try:
        subprocess.run(words.split(), check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no openssl here to make a certificate")
    return cert, key


@pytest.mark.parametrize("trusted", [True, False])
def test_certificates_are_checked(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, trusted: bool
) -> None:
    cert, key = certificate
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(cert, key)
    ours = ssl.create_default_context(cafile=str(cert) if trusted else None)
    monkeypatch.setattr("aiohttp.connector._SSL_CONTEXT_VERIFIED", ours)

    async def run() -> None:
        async with Scripted(tls=context) as server:
            url = f"https://localhost:{server.port}/v1"
            if trusted:
                assert (await at(url, key=KEY)).text == TEXT
                return
            end = await failure_at(url, key=KEY)
            assert type(end) is RunFailure
            assert "self-signed certificate" in str(end)
            assert "SSL_CERT_FILE" in str(end)
            assert server.seen == []

    asyncio.run(run())
