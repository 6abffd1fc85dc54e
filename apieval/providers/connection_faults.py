"""What a connection that was refused, or broke off before a reply, stands for, and what helps.

A certificate, a name and a proxy that are wrong stay wrong: they are told at once, or after a
second look, with the remedy. Nobody listening may be a server that is not up yet.
"""

from __future__ import annotations

import asyncio
import ssl
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

import aiohttp

from apieval.errors import AttemptFailed, RunFailure, ServerDown, TransientFailure, Unreachable
from apieval.providers.error_bodies import clipped
from apieval.providers.failures import OF_THE_RUN
from apieval.providers.proxies import proxy_name
from apieval.wording import in_words

_PLAIN: Final = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG")
"""What OpenSSL reads where a server answers a TLS greeting in plain text."""
NOT_CONNECTED: Final = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientConnectorCertificateError,
    aiohttp.ClientHttpProxyError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.InvalidURL,
)
"""Ends of an attempt before its request was sent."""
PROXY_REFUSES: Final = frozenset({400, 403, 404, 405, 407})
"""What a proxy that will never let a request through says."""


LOOK_S: Final = 0.7
"""How long a server may take to agree on a safe connection that nobody asked it for."""


def hung_up(error: BaseException, url: str) -> bool:
    """Say whether a plain connection, once there, was closed without a word."""
    cause = error if isinstance(error, aiohttp.ClientError) else error.__cause__
    if not url.startswith("http://") or isinstance(cause, aiohttp.ClientConnectorError):
        return False
    return isinstance(cause, aiohttp.ServerDisconnectedError | aiohttp.ClientOSError)


async def speaks_https(url: str) -> bool:
    """Say whether a server that closes plain connections without a word speaks https at that port.

    A server written in Python (uvicorn, and so vLLM) does; others say it on status 400.
    """
    where = urlsplit(url)
    any_certificate = ssl.create_default_context()
    any_certificate.check_hostname = False
    any_certificate.verify_mode = ssl.CERT_NONE  # nothing is sent
    try:
        async with asyncio.timeout(LOOK_S):
            _, writer = await asyncio.open_connection(
                where.hostname, where.port or 80, ssl=any_certificate
            )
    except (OSError, ValueError):  # what ssl and a timeout raise are OSErrors
        return False
    writer.close()
    return True


def connection_failure(error: BaseException, url: str) -> AttemptFailed:
    """Return the failure that a broken or refused connection stands for."""
    cause = error if isinstance(error, aiohttp.ClientError) else error.__cause__
    if isinstance(cause, aiohttp.ClientProxyConnectionError):
        return Unreachable(f"nothing answers at the proxy that {proxy_name(url)} names for {url}")
    if isinstance(cause, aiohttp.ClientHttpProxyError):
        return _of_the_proxy(cause, url)
    if (wrong := _of_tls(cause)) is not None:
        return RunFailure(f"no safe connection to {url}: {_tls_remedy(wrong)}")
    if isinstance(cause, aiohttp.ClientConnectorDNSError):
        host = urlsplit(url).hostname
        why = in_words(cause.os_error)
        return Unreachable(
            f"no address is known of {host!r} ({why}); check its spelling in base_url, and the network"
        )
    if isinstance(getattr(cause, "os_error", None), ConnectionRefusedError):
        return ServerDown(f"nothing listens at {url}")
    what = clipped(in_words(getattr(cause, "os_error", cause or error)))
    failure = TransientFailure(f"no reply from {url}: {what}")
    failure.unsettled = not isinstance(cause, NOT_CONNECTED)
    return failure


def _of_the_proxy(cause: aiohttp.ClientHttpProxyError, url: str) -> AttemptFailed:
    proxy = f"the proxy that {proxy_name(url)} names"
    said = f"{proxy} does not lead to {url}: HTTP {cause.status} {clipped(cause.message)}".rstrip()
    if cause.status == HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
        return RunFailure(f"{said} ({OF_THE_RUN[cause.status]})", status=cause.status)
    if cause.status in PROXY_REFUSES:
        return RunFailure(f"{said} (it lets no request through to there)", status=cause.status)
    return TransientFailure(said, status=cause.status)


def _of_tls(cause: BaseException | None) -> ssl.SSLError | None:
    """Return what failed in agreeing on a safe connection, None for anything else."""
    if isinstance(cause, aiohttp.ClientConnectorCertificateError):
        inner: BaseException = cause.certificate_error
    elif isinstance(cause, aiohttp.ClientConnectorSSLError):
        inner = cause.os_error
    else:
        inner = cause or ValueError()
    return inner if isinstance(inner, ssl.SSLError) else None


def _tls_remedy(wrong: ssl.SSLError) -> str:
    said = clipped(str(wrong.reason or wrong))
    if any(each in said.upper().replace(" ", "_") for each in _PLAIN):
        return f"the port does not speak https ({said}); write http:// in base_url"
    why = clipped(getattr(wrong, "verify_message", "") or said)
    if isinstance(wrong, ssl.SSLCertVerificationError):
        return (
            f"its certificate is not trusted ({why}); name the file of the authority that signed it "
            "in the environment variable SSL_CERT_FILE, or check the host's name in base_url"
        )
    return f"{why}; check https:// and the port in base_url"
