"""Text of others inside a prompt: fenced as data, with nothing in it that could end the fence."""

from __future__ import annotations

import re

from .answer_events import GIT, iso_day
from .evidence import Source
from .models.budget import fit

_CONTROL = re.compile(
    r"</?\s*(?:tool_call|tool_response|tools|source|think|s)\b[^>\n]{0,80}>"  # our tags
    r"|<\|[^|>\n]{1,40}\|>|<<\s*/?SYS\s*>>|\[/?INST\]",  # what chat templates give a meaning
    re.IGNORECASE,
)
_HARMLESS = str.maketrans({"<": "‹", ">": "›", "[": "⟦", "]": "⟧", "|": "¦"})


def neutral(text: str) -> str:
    """Given any text, return it with control tags made visible but without effect."""
    return _CONTROL.sub(lambda found: found.group().translate(_HARMLESS), text)


def fenced(source: Source, tokens: int) -> str:
    """Given a source, return it as the prompt shows it, within about ``tokens``."""
    ref = source.ref
    where = f" path={ref.path}" if ref.path else ""
    what = f"commit={ref.label}" if ref.source == GIT else f"from={ref.label}"
    known = f" known={ref.said}" if ref.said else ""
    head = (
        f"<source n={ref.number} {what} date={iso_day(ref.time)} author={ref.author}{where}{known}>"
    )
    body = fit(source.text.strip(), tokens).text
    return f"{neutral_head(head)}\n{neutral(body)}\n</source>"


def neutral_head(head: str) -> str:
    """Keep one line and one pair of brackets, whatever an author calls herself or a file."""
    inside = " ".join(head[1:-1].split()).replace("<", "‹").replace(">", "›")
    return f"<{inside}>"


def tool_response(name: str, text: str) -> str:
    """Given what a tool returned (sources in it fenced already), return it in its tags."""
    return f"<tool_response>\n{name}:\n{text}\n</tool_response>"
