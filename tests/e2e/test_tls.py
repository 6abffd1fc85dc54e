"""TLS that fails and names that do not resolve: said at the first failure, by check and by run, with what helps."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.conftest import Inside
from tests.e2e.program import Done, apieval, configure, model
from tests.servers import Answer, Scripted, completion

COMMANDS = {
    "check": ("check", "local"),
    "run": ("run", "local", "--limit", "2", "--cache", "off", "--yes"),
}


def certificate(folder: Path, host: str) -> ssl.SSLContext:
    """Make a certificate that signed itself, and return a server's context with it."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    words = (
        "openssl req -x509 -days 2 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes "
        f"-keyout {key} -out {cert} -subj /CN={host} -addext subjectAltName=DNS:{host}"
    )
    try:
        subprocess.run(words.split(), check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no openssl here to make such a certificate")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(cert, key)
    return context


def self_signed(folder: Path) -> ssl.SSLContext:
    return certificate(folder, "localhost")


def of_another_host(folder: Path) -> ssl.SSLContext:
    return certificate(folder, "altrove.example")


Make = Callable[[Path], ssl.SSLContext]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("make", "trusted", "scheme", "why", "remedy"),
    [
        (self_signed, False, "https", "self-signed certificate", "SSL_CERT_FILE"),
        (of_another_host, True, "https", "Hostname mismatch", "check the host's name"),
        (self_signed, False, "http", "the port speaks https", "write https://"),
    ],
    ids=["self-signed", "other host", "http to https"],
)
def test_what_cannot_come_right_is_said_at_the_first_failure(
    command: str,
    make: Make,
    trusted: bool,
    scheme: str,
    why: str,
    remedy: str,
    tmp_path: Path,
) -> None:
    context = make(tmp_path)
    environ = {"SSL_CERT_FILE": str(tmp_path / "cert.pem")} if trusted else {}

    async def talk() -> tuple[Done, int]:
        async with Scripted([Answer(completion())], tls=context) as server:
            configure(tmp_path, local=model(f"{scheme}://localhost:{server.port}/v1"))
            done = await asyncio.to_thread(lambda: apieval(*COMMANDS[command], **environ))
            return done, len(server.seen)

    done, requests = asyncio.run(talk())
    said = " ".join(done.all.split())
    assert done.code == 3, done.all
    assert why in said
    assert remedy in said
    assert requests == 0
    assert "sent again" not in said, "nothing of it is tried again"
    assert "Traceback" not in said


@pytest.mark.parametrize("command", COMMANDS)
def test_https_in_front_of_a_plain_server_is_said(command: str, tmp_path: Path) -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)  # a greeting that is no HTTP, as any server of HTTP takes it
        writer.write(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async def talk() -> Done:
        server = await asyncio.start_server(plain, "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            configure(tmp_path, local=model(f"https://localhost:{port}/v1"))
            return await asyncio.to_thread(apieval, *COMMANDS[command])

    done = asyncio.run(talk())
    said = " ".join(done.all.split())
    assert done.code == 3, done.all
    assert "does not speak https" in said
    assert "write http:// in base_url" in said
    assert "sent again" not in said


@pytest.mark.parametrize("command", COMMANDS)
def test_a_certificate_that_the_variable_names_is_trusted(command: str, tmp_path: Path) -> None:
    context = self_signed(tmp_path)

    async def talk() -> Done:
        async with Scripted([Answer(completion())], tls=context) as server:
            configure(tmp_path, local=model(f"https://localhost:{server.port}/v1"))
            environ = {"SSL_CERT_FILE": str(tmp_path / "cert.pem")}
            return await asyncio.to_thread(lambda: apieval(*COMMANDS[command], **environ))

    assert asyncio.run(talk()).code == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_a_name_that_does_not_resolve_is_named_with_its_remedy(
    command: str, inside: Inside, tmp_path: Path
) -> None:
    configure(tmp_path, local=model("http://nessun-server.invalid:8000/v1"))
    waits = ("--wait-for-server", "0") if command == "run" else ()
    done = inside(*COMMANDS[command], *waits)
    said = " ".join(done.all.split())
    assert done.code in {1, 3}, done.all
    assert "no address is known of 'nessun-server.invalid'" in said
    assert "check its spelling in base_url" in said
