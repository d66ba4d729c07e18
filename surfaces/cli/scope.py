"""What a question is put to: the repository we stand in, named ones or all; a path, a person, a time.

The daemon resolves names and folders, since it knows the repositories."""

from __future__ import annotations

import os
import sys

from ...memory.errors import HermesError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any


class FolderGone(HermesError):
    """The working directory was removed."""

    code = "folder_gone"


class WrongUse(HermesError):
    """The command line asks for something that does not fit together."""

    code = "usage"


def add_filters(parser: argparse.ArgumentParser) -> None:
    """Declare the options that confine a question or a search."""
    group = parser.add_argument_group("where to look")
    group.add_argument(
        "--repo",
        metavar="NAME",
        action="append",
        default=[],
        help="this repository instead of the one you are in; can be given again",
    )
    group.add_argument("--all-repos", action="store_true", help="every repository in memory")
    group.add_argument(
        "--path", metavar="PATH", help="a file, a folder or a glob, from the repository's root"
    )
    group.add_argument(
        "--source",
        metavar="NAME",
        help="git, docs, slack, linear or github: only what that brought",
    )
    group.add_argument("--author", metavar="NAME", help="part of a name or an email address")
    group.add_argument(
        "--since", metavar="DATE", help="2025-03-01, yesterday, '2 weeks ago', 'last friday' …"
    )
    group.add_argument("--until", metavar="DATE", help="the same, that day included")
    group.add_argument("--branch", metavar="NAME", help="only commits that this branch reaches")


def body_of(question: str, args: argparse.Namespace) -> dict[str, Any]:
    """Return a question as the API takes it. Raise WrongUse or DateRefused."""
    if args.repo and args.all_repos:
        raise WrongUse("--repo and --all-repos exclude each other")
    filters: dict[str, Any] = {}
    for name in ("path", "source", "author", "branch"):
        value: str | None = getattr(args, name)
        if value is not None and not value.strip():
            raise WrongUse(f"--{name} is empty")
        if value is not None:
            filters[name] = _text(os.fsencode(value))
    for name in ("since", "until"):
        if (value := getattr(args, name)) is not None:
            filters[name] = _date(value, end=name == "until")
    if "since" in filters and filters["since"] > filters.get("until", filters["since"]):
        raise WrongUse(f"--since {args.since} is after --until {args.until}")
    if args.repo:
        filters["repos"] = [place(name) for name in args.repo]
    body: dict[str, Any] = {"question": question, "filters": filters}
    if not args.repo and not args.all_repos:
        body["cwd"] = here()
    return body


def here() -> str:
    """Return the folder we are in. Raise FolderGone if it was removed under us."""
    try:
        return os.getcwd()
    except FileNotFoundError as error:
        raise FolderGone("the folder you are in is gone", hint="cd to one that exists") from error


def _date(value: str, *, end: bool) -> int:
    from datetime import datetime

    from ...memory.dates import parse

    return parse(value, datetime.now(), end=end)


def place(name: str) -> str:
    """A name stays one; what looks like a path becomes absolute, since the daemon stands elsewhere."""
    if os.sep in name or name in (".", ".."):
        return os.path.realpath(os.path.expanduser(name))
    if not name.strip():
        raise WrongUse("--repo is empty")
    return name


def question_of(words: list[str], command: str) -> str:
    """Return the question from the words of the command line, or from standard input for ``-``.
    Raise WrongUse if it is empty."""
    question = _text(sys.stdin.buffer.read() if words == ["-"] else os.fsencode(" ".join(words)))
    if not question.strip():
        raise WrongUse(f"{command} what?", hint=f'for example: hermes {command} "retry queue"')
    return question


def _text(typed: bytes) -> str:
    """What is typed is UTF-8, whatever the locale says (``LC_ALL=C``); nothing else goes into
    JSON."""
    return typed.decode("utf-8", errors="replace")


def check_count(number: int | None, most: int) -> None:
    """Raise WrongUse for a number of passages that makes no sense."""
    if number is not None and not 1 <= number <= most:
        raise WrongUse(f"--passages takes a number from 1 to {most}")
