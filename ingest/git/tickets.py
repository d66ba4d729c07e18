"""Tickets and pull requests that a commit's message names."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"(?:#|(?<!\w)[gG][hH]-)(?P<number>[1-9]\d{0,6})(?![\w\-]|\.\d)")
_BEFORE_NUMBER = re.compile(r"(?:^|[\s(\[{,;:/])(?:[\w.\-]+/[\w.\-]+)?$")
"""What may stand before it: nothing, or the repository that is meant, as in ``owner/repo#482``."""

_URL = re.compile(
    r"://[^\s/]+/[^\s]+?/(?:-/)?(?:issues?|pulls?|merge_requests|pull-requests)/"
    r"(?P<number>[1-9]\d{0,6})\b"
)
_KEY = re.compile(r"-(?P<number>[1-9]\d{0,5})(?![\w\-]|\.\d)")
_PROJECT = re.compile(r"(?<![\w\-./])[A-Z][A-Z0-9]{1,9}$")
"""What stands before the dash of ``ENG-17``."""

_LOOKALIKES = """
    UTF UCS ISO IEC IEEE ANSI ASCII RFC PEP BCP STD DIN ECMA ES CP WINDOWS KOI8 LATIN EUC GB BIG
    SHA SHA1 SHA2 SHA3 MD CRC AES DES RSA EC ED ECDSA HMAC HS RS PBKDF BLAKE BLAKE2 FNV
    X86 ARM ARM64 AMD AMD64 WIN PDP VT CVE CWE GHSA RUSTSEC
    GPL LGPL AGPL MPL BSD MIT APACHE CC HTTP HTTPS TLS SSL IPV IP TCP UDP USB PCI DDR
    MP JPEG MPEG H264 COVID Y2K UTC GMT EST PST PY PYTHON PY2 PY3 JDK JAVA NODE GCC VS
    W3C WCAG TODO FIXME NOTE PART STEP PHASE STAGE LEVEL RC ALPHA BETA
    UUID BASE INT UINT FLOAT FP BF BIT GH GPT Q1 Q2 Q3 Q4 H1 H2 FY
"""
"""What looks like a tracker's project key: standards, encodings, hashes, licences, machines,
models, quarters."""

_NOT_PROJECTS = frozenset(_LOOKALIKES.split())

_MOST = 50
"""Tickets kept of one message; a release's list of all it holds says little about each."""


def tickets(message: str) -> tuple[str, ...]:
    """Return the tickets a message names, in order and once each: ``#482``, ``ENG-17``.

    ``GH-482``, ``owner/repo#482`` and links to issues, pull requests and merge requests count
    as ``#482``.
    """
    found: dict[int, str] = {}
    if "://" in message:
        for match in _URL.finditer(message):
            found[match.start("number")] = f"#{match['number']}"
    if "#" in message or "h-" in message or "H-" in message:
        for match in _NUMBER.finditer(message):
            if _BEFORE_NUMBER.search(message, max(match.start() - 120, 0), match.start()):
                found.setdefault(match.start("number"), f"#{match['number']}")
    for match in _KEY.finditer(message):
        dash = match.start()
        project = _PROJECT.search(message, max(dash - 11, 0), dash)
        if project is not None and project[0] not in _NOT_PROJECTS:
            found.setdefault(match.start("number"), f"{project[0]}-{match['number']}")
    ordered = dict.fromkeys(found[position] for position in sorted(found))
    return tuple(ordered)[:_MOST]
