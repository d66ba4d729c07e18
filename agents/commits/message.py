"""A draft as the bytes that git takes for a commit message."""

from __future__ import annotations

from dataclasses import replace

from ...ingest.git.command import Git
from ...memory.errors import HermesError
from .records import Draft

SIGNED = "Signed-off-by: "


class NotWritable(HermesError):
    """This message can't be put into the editor without losing part of it."""

    code = "draft_not_writable"


def to_bytes(git: Git, draft: Draft, sign: str = "") -> bytes:
    """Return a message in the encoding that the repository's commits are written in, with no line
    that git would take for a comment. Without the Signed-off-by ``sign``, which the hook adds if
    git has not done so: before it stands an empty line unless it joins other trailers.

    Raise NotWritable if that would change its words.
    """
    trailers = tuple(line for line in draft.trailers if line != f"{SIGNED}{sign}")
    text = replace(draft, trailers=trailers).text
    comment = comment_of(git)
    subject, *rest = text.split("\n")
    if subject.startswith(comment):
        raise NotWritable(f"its subject begins with {comment!r}, which begins a comment here")
    lines = [subject, *(f" {line}" if line.startswith(comment) else line for line in rest)]
    text = "\n".join(lines) + ("\n" if sign and not trailers else "")
    name = _setting(git, "i18n.commitEncoding") or "UTF-8"
    try:
        return text.encode(name)
    except LookupError as error:
        raise NotWritable(f"i18n.commitEncoding is {name}, which is not known here") from error
    except UnicodeEncodeError as error:
        raise NotWritable(f"it can't be written in i18n.commitEncoding, {name}") from error


def comment_of(git: Git) -> str:
    """Return what begins a comment in a message. ``auto`` is ``#``: git chose it before the draft
    came, when the message was empty."""
    found = _setting(git, "core.commentString") or _setting(git, "core.commentChar")
    return "#" if found in ("", "auto") else found


def _setting(git: Git, name: str) -> str:
    return git.run("config", "--default", "", "--get", name).decode("utf-8", "replace").strip()
