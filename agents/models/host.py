"""Where an Ollama server is, from the many ways in which people write it."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

DEFAULT_PORT = 11434
_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}
"""Addresses to listen on, and the one to call instead."""
_SCHEME_PORTS = {"http": 80, "https": 443}


def server_url(host: str) -> str:
    """Given the value of OLLAMA_HOST or of a setting, return the URL to call.

    ``0.0.0.0`` and ``::`` are addresses to listen on, so they become the loopback address; a
    missing port is 11434 (80 or 443 when a scheme is given, as Ollama has it); bare IPv6
    addresses get brackets. Raise ValueError when it can't be read as an address.
    """
    text = host.strip().strip("'\"")
    scheme, sep, rest = text.partition("://")
    if not sep:
        scheme, rest = "http", text
    if scheme not in _SCHEME_PORTS:
        raise ValueError(f"{host!r} is not an http or https address")
    if _is_ipv6(rest.split("/", 1)[0]):
        address, slash, path = rest.partition("/")
        rest = f"[{address}]{slash}{path}"
    parts = urlsplit(f"{scheme}://{rest}")
    name = parts.hostname or ""
    try:
        port = parts.port
    except ValueError:
        raise ValueError(f"{host!r} has no valid port") from None
    if port is None:
        port = _SCHEME_PORTS[scheme] if sep else DEFAULT_PORT
    name = _ANY.get(name, name)
    if ":" in name:
        name = f"[{name}]"
    return f"{scheme}://{name}:{port}{parts.path.rstrip('/')}"


def _is_ipv6(text: str) -> bool:
    try:
        return ipaddress.ip_address(text).version == 6
    except ValueError:
        return False
