"""Slack's mrkdwn as plain text: who and what is meant by ``<…>``, emoji as characters.

The rules are those of "Formatting text for app surfaces" (docs.slack.dev/messaging): ``&``, ``<``
and ``>`` of people's text come as ``&amp;``, ``&lt;`` and ``&gt;``, so every ``<…>`` is markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

FENCE = "```"
_CODE = re.compile(r"(```.*?```|`[^`\n]+`)", re.DOTALL)
_MARKUP = re.compile(r"<([^<>\n]*)>")
_EMOJI = re.compile(r"(?<![\w:]):([a-z0-9_+'-]+):(?::skin-tone-[2-6]:)?(?!\w)")
_BLANK = re.compile(r"\n(?:[ \t]*\n)+")
_DATE = re.compile(r"!date\^\d+\^[^|]*\|(.*)")


def plain(
    text: str,
    person: Callable[[str], str],
    channel: Callable[[str], str],
) -> str:
    """Return a message's text as people read it, without empty lines.

    ``person`` and ``channel`` return names by id, empty where there is none. Bold, lists and
    quotations stay as they are written; what is code is not looked into for emoji.
    """
    resolved = _MARKUP.sub(lambda found: _meant(found[1], person, channel), text)
    parts = _CODE.split(resolved)
    parts[::2] = [_EMOJI.sub(_character, part) for part in parts[::2]]
    parts[1::2] = [_on_its_own(part) for part in parts[1::2]]
    joined = "".join(parts).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return _BLANK.sub("\n", joined.replace("\r\n", "\n")).strip()


def _on_its_own(code: str) -> str:
    """Put the fences of a block on lines of their own, as Markdown wants them."""
    if not code.startswith(FENCE):
        return code
    inside = code.removeprefix(FENCE).removesuffix(FENCE).strip("\n")
    return f"\n{FENCE}\n{inside}\n{FENCE}\n"


def _meant(inside: str, person: Callable[[str], str], channel: Callable[[str], str]) -> str:
    target, _, label = inside.partition("|")
    match target[:1]:
        case "@":
            return f"@{person(target[1:]) or label.removeprefix('@') or target[1:]}"
        case "#":
            return f"#{channel(target[1:]) or label.removeprefix('#') or target[1:]}"
        case "!":
            return _special(inside, target, label)
        case "":
            return f"&lt;{inside}&gt;"
        case _:
            address = target.removeprefix("mailto:").removeprefix("tel:")
            shown = address.removeprefix("https://").removeprefix("http://").rstrip("/")
            return f"{label} ({address})" if label and label not in (address, shown) else address


def _special(inside: str, target: str, label: str) -> str:
    if found := _DATE.fullmatch(inside):
        return found[1]
    if target.startswith("!subteam^"):
        return f"@{label.removeprefix('@') or target.removeprefix('!subteam^')}"
    name = target[1:].partition("^")[0]
    return f"@{name}" if name in ("here", "channel", "everyone") else label or f"@{name}"


def _character(found: re.Match[str]) -> str:
    return _emoji(found[1]) or found[0]


@lru_cache(maxsize=2048)
def _emoji(name: str) -> str:
    from rich.emoji import Emoji, NoEmoji

    try:
        return str(Emoji(name))
    except NoEmoji:
        return ""
