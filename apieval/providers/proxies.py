"""The proxy that the environment names for an address, and which of them can be used.

A proxy's address often holds a password: none is ever repeated.
"""

from __future__ import annotations

from base64 import b64encode
from typing import Final
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from apieval.config.fields import is_loopback
from apieval.errors import ConfigError

_SCHEMES: Final = frozenset({"http", "https"})
_ALL: Final = "all"
"""ALL_PROXY is for every scheme that has no variable of its own, as curl and litellm take it."""


def proxy_of(url: str) -> str | None:
    """Return the proxy for an address, None for none; loopback never goes through one.

    Raises:
        ConfigError: naming the variable, where it holds no address of a proxy that can be used.
    """
    kind = _kind(url)
    if kind is None:
        return None
    given = getproxies()[kind]
    proxy = given if "://" in given else f"http://{given}"  # as curl takes it
    if not _usable(proxy):
        raise ConfigError(
            f"the environment variable {kind.upper()}_PROXY holds no proxy that can be used: write it as "
            "http://HOST:PORT (SOCKS is not supported), or unset it."
        )
    return proxy


def _kind(url: str) -> str | None:
    """Return the kind of proxy that is for an address, None where it goes through none."""
    parts = urlsplit(url)
    if is_loopback(url) or proxy_bypass(parts.netloc):
        return None
    named = getproxies()
    return next((each for each in (parts.scheme, _ALL) if named.get(each)), None)


def proxy_name(url: str) -> str:
    """Return the variable that names the proxy for an address, and where that is: no more of it."""
    parts = urlsplit(proxy_of(url) or "")
    where = f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname
    return f"{(_kind(url) or _ALL).upper()}_PROXY ({where})"


def _usable(proxy: str) -> bool:
    try:
        parts = urlsplit(proxy)
        _ = parts.port
    except ValueError:
        return False
    plain = proxy.isascii() and proxy.isprintable() and " " not in proxy
    return parts.scheme in _SCHEMES and bool(parts.hostname) and plain


def secrets_of(url: str) -> tuple[str, ...]:
    """Return what nobody may see of the proxy for an address: its password, and its login."""
    parts = urlsplit(proxy_of(url) or "")
    if not parts.password:
        return ()
    user, password = unquote(parts.username or ""), unquote(parts.password)
    login = f"{user}:{password}"
    return password, login, b64encode(login.encode()).decode()
