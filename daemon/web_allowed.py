"""What of the API the local page may ask. Everything else is refused, whatever there is."""

from __future__ import annotations

import re

ALLOWED = (
    ("GET", "/v1/hello"),
    ("GET", "/v1/status"),
    ("GET", "/v1/repos"),
    ("GET", "/v1/journal"),
    ("GET", "/v1/journal/follow"),
    ("POST", "/v1/councils"),
    ("GET", "/v1/councils"),
    ("GET", "/v1/councils/{number}"),
    ("GET", "/v1/councils/{number}/watch"),
    ("GET", "/v1/councils/{number}/replay"),
    ("POST", "/v1/councils/{number}/outcome"),
    ("DELETE", "/v1/councils/{number}/outcome"),
    ("GET", "/v1/council/jurors"),
    ("GET", "/v1/council/choices"),
    ("GET", "/v1/council/weights"),
    ("GET", "/v1/council/calibration"),
    ("POST", "/v1/council/learn"),
    ("DELETE", "/v1/council/learn/{number}"),
    ("POST", "/v1/council/reflect"),
    ("POST", "/v1/council/proposals/{number}/approve"),
    ("POST", "/v1/council/proposals/{number}/dismiss"),
)
"""Methods and paths, as docs/api.md lists them."""

_PATTERNS = tuple(
    (method, re.compile(path.replace("{number}", "[0-9]{1,18}"), re.ASCII))
    for method, path in ALLOWED
)


def may(method: str, path: str) -> bool:
    """Say whether the page may send such a request."""
    return any(method == allowed and way.fullmatch(path) for allowed, way in _PATTERNS)
