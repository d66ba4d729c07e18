"""Tickets and pull requests that a commit's message names."""

from __future__ import annotations

import re

_NUMBER = re.compile(
    r"(?:^|(?<=[\s(\[{,;:/]))(?:[\w.\-]+/[\w.\-]+)?(?P<sign>#|gh-|GH-)(?P<number>[1-9]\d{0,6})"
    r"(?![\w\-]|\.\d)"
)
_URL = re.compile(
    r"https?://[^\s/]+/[^\s]+?/(?:-/)?(?:issues?|pulls?|merge_requests|pull-requests)/"
    r"(?P<number>[1-9]\d{0,6})\b"
)
_KEY = re.compile(
    r"(?<![\w\-./])(?P<project>[A-Z][A-Z0-9]{1,9})-(?P<number>[1-9]\d{0,5})(?![\w\-]|\.\d)"
)

_LOOKALIKES = """
    UTF UCS ISO IEC IEEE ANSI ASCII RFC PEP BCP STD DIN ECMA ES CP WINDOWS KOI8 LATIN EUC GB BIG
    SHA SHA1 SHA2 SHA3 MD CRC AES DES RSA EC ED ECDSA HMAC HS RS PBKDF BLAKE BLAKE2 FNV
    X86 ARM ARM64 AMD AMD64 WIN PDP VT CVE CWE GHSA RUSTSEC
    GPL LGPL AGPL MPL BSD MIT APACHE CC HTTP HTTPS TLS SSL IPV IP TCP UDP USB PCI DDR
    MP JPEG MPEG H264 COVID Y2K UTC GMT EST PST PY PYTHON PY2 PY3 JDK JAVA NODE GCC VS
    W3C WCAG TODO FIXME NOTE PART STEP PHASE STAGE LEVEL RC ALPHA BETA
    UUID BASE INT UINT FLOAT FP BF BIT GH
"""
"""What looks like a tracker's project key: standards, encodings, hashes, licences, machines."""

_NOT_PROJECTS = frozenset(_LOOKALIKES.split())

_MOST = 50
"""Tickets kept of one message; a release's list of all it holds says little about each."""


def tickets(message: str) -> tuple[str, ...]:
    """Return the tickets a message names, in order and once each: ``#482``, ``ENG-17``.

    ``GH-482``, ``owner/repo#482`` and links to issues, pull requests and merge requests count
    as ``#482``.
    """
    found: dict[int, str] = {}
    for pattern in (_URL, _NUMBER):
        for match in pattern.finditer(message):
            found.setdefault(match.start("number"), f"#{match['number']}")
    for match in _KEY.finditer(message):
        if match["project"] not in _NOT_PROJECTS:
            found.setdefault(match.start("number"), f"{match['project']}-{match['number']}")
    ordered = dict.fromkeys(found[position] for position in sorted(found))
    return tuple(ordered)[:_MOST]
