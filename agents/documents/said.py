"""What is said of a name that is gone, in the same words whichever look found it."""

from __future__ import annotations

from .present import line_of
from .records import Document, Drift, Mention, Thing, Tier

_WORDS = {
    Thing.FLAG: "the option",
    Thing.VARIABLE: "the variable",
    Thing.SETTING: "the setting",
    Thing.COMMAND: "the command",
    Thing.SYMBOL: "",
}


def drift_of(
    document: Document,
    mention: Mention,
    word: str,
    replacement: str | None,
    tier: Tier,
    path: str,
    commit: str,
) -> Drift:
    label = _WORDS.get(mention.thing, "")
    shown = f"{label} {word}".strip()
    made = None
    if replacement is not None:
        if "-" in word and not word.startswith("--"):
            replacement = replacement.replace("_", "-")
        head, _, tail = mention.name.rpartition(word)
        made = f"{head}{replacement}{tail}"
        reason = f"{shown} in {path} is {replacement} since {commit[:7]}"
    else:
        reason = f"{shown} was removed from {path} by {commit[:7]}"
    return Drift(
        document.path, mention.line, line_of(document, mention.line),
        mention.thing, mention.name, tier, reason, commit, made,
    )  # fmt: skip
