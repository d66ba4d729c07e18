"""What people wrote on an issue or a pull request, as comments of a ticket."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..ticket import Comment
from .accounts import Account, Naming, account, with_names
from .bundle import Bundle
from .fields import Json, moment, number, text

HUNK_LINES = 3
"""Lines of the diff that are shown under a remark: the last one is what it is about."""
HUNK_WIDTH = 120
LONGEST = 70_000
"""Characters of one comment; GitHub takes 65,536."""

_HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_BLANKS = re.compile(r"\n{3,}")
_VERDICTS = {
    "APPROVED": ("approved", "approved."),
    "CHANGES_REQUESTED": ("asked for changes", "asked for changes."),
    "DISMISSED": ("dismissed since", ""),
}
"""What is said beside a review's text, and in place of one."""


def comments_of(bundle: Bundle, name: Naming) -> tuple[Comment, ...]:
    """Return all that people wrote, but for the description; oldest first.

    Left out is what programs wrote (an app's account, or a login that ends with ``bot``), what was
    hidden as spam or abuse, and reviews that only hold remarks, which are there by themselves.
    """
    found = [*_conversation(bundle.comments, name), *_reviews(bundle.reviews, name)]
    found += _remarks(bundle.remarks, name)
    return tuple(sorted(found, key=lambda comment: comment.at or 0))


def readable(said: str, name: Naming) -> str:
    """Return a text as people read it: without what GitHub hides, and with names for logins."""
    plain = _HIDDEN.sub("", said[:LONGEST]).replace("\r\n", "\n")
    return with_names(_BLANKS.sub("\n\n", plain).strip(), name)


def is_theirs(who: Account) -> bool:
    """Whether a person wrote it. Nobody is known any more for a deleted account's: that counts."""
    return not who.robot


def _conversation(comments: Iterable[Json], name: Naming) -> Iterator[Comment]:
    for data in comments:
        who = account(data, "user", "author", "actor")
        said = readable(text(data, "body"), name)
        hidden = text(data, "minimizedReason").lower() in ("spam", "abuse")
        if said and is_theirs(who) and not hidden:
            yield Comment(name(who), moment(data, "created_at", "createdAt"), said)


def _reviews(reviews: Iterable[Json], name: Naming) -> Iterator[Comment]:
    for data in reviews:
        who = account(data, "user", "author")
        said = readable(text(data, "body"), name)
        beside, instead = _VERDICTS.get(text(data, "state").upper(), ("", ""))
        at = moment(data, "submitted_at", "submittedAt")
        if is_theirs(who) and (said or instead) and not is_pending(data):
            yield Comment(name(who), at, said or instead, beside if said else "")


def is_pending(review: Json) -> bool:
    """Whether a review was not handed in yet: nobody but its author sees it."""
    return text(review, "state").upper() == "PENDING"


def _remarks(remarks: Iterable[Json], name: Naming) -> Iterator[Comment]:
    shown: set[tuple[str, str]] = set()
    for data in sorted(remarks, key=lambda each: text(each, "created_at", "createdAt")):
        who = account(data, "user", "author")
        said = readable(text(data, "body"), name)
        if not said or not is_theirs(who):
            continue
        where, hunk = line_of(data), text(data, "diff_hunk", "diffHunk")
        first = number(data, "in_reply_to_id") is None and (where, hunk) not in shown
        shown.add((where, hunk))
        lines = _last_lines(hunk) if first else []
        yield Comment(
            name(who),
            moment(data, "created_at", "createdAt"),
            "\n".join([said, *lines]),
            where,
        )


def line_of(remark: Json) -> str:
    """Return where a remark is: ``src/pool.py:40``, ``src/pool.py:40-42``, or the file alone.

    A remark on lines that have changed since has only the numbers that they had.
    """
    path = text(remark, "path")
    last = number(remark, "line") or number(remark, "original_line", "originalLine")
    if not path or last is None:
        return path
    first = number(remark, "start_line", "startLine")
    first = first or number(remark, "original_start_line", "originalStartLine")
    return f"{path}:{first}-{last}" if first is not None and first < last else f"{path}:{last}"


def _last_lines(hunk: str) -> list[str]:
    lines = [line for line in hunk.splitlines() if not line.startswith("@@")]
    return [f"    {line[:HUNK_WIDTH].rstrip()}" for line in lines[-HUNK_LINES:] if line.strip()]
