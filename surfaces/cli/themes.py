"""``hermes themes``: what days and weeks were about, from the pages that nights made."""

from __future__ import annotations

import re
import time

from . import exits
from .connection import connect_or_serve
from .scope import WrongUse, here, place
from .text import clean
from .themes_lines import pages_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from datetime import date
    from typing import Any

    from .output import Output

    Found = dict[str, Any]

EXAMPLES = """\
examples:
  hermes themes                        the last week that has any, of this repository
  hermes themes payments               what happened there: a path, a ticket or words
  hermes themes src/api --since "2 months ago"
  hermes themes 2026-W48               that week; 2026-11-27 is a day
  hermes themes --day yesterday
  hermes themes --week --markdown      to paste it somewhere

Themes are made at night, and by hermes consolidate.
"""
_WEEK = re.compile(r"(\d{4})-?[wW](\d{1,2})", re.ASCII)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``themes``."""
    parser.usage = "hermes themes [AREA|WEEK|DAY] [options]"
    parser.epilog = EXAMPLES
    parser.add_argument(
        "words", metavar="AREA", nargs="*", help="a path, a ticket or words; or a week or a day"
    )
    parser.add_argument("--week", action="store_true", help="of weeks; the usual")
    parser.add_argument("--day", metavar="DATE", help="of this day: today, yesterday, 2026-11-27 …")
    parser.add_argument("--since", metavar="DATE", help="weeks since then: 'last month' …")
    parser.add_argument("--until", metavar="DATE", help="the same, that day included")
    parser.add_argument(
        "--repo", metavar="NAME", help="this repository instead of the one you are in"
    )
    parser.add_argument("--all-repos", action="store_true", help="every repository in memory")
    parser.add_argument("--markdown", action="store_true", help="the pages as they are kept")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show themes. Return 3 where there are none."""
    from urllib.parse import urlencode

    query = query_of(args)
    with connect_or_serve(out) as client:
        found: Found = client.call("GET", f"/v1/themes?{urlencode(query)}")
    pages: list[Found] = found["pages"]
    if out.as_json:
        out.emit(found)
        return exits.DONE if pages else exits.NOTHING_RELEVANT
    for note in found["notes"]:
        out.say(note, "yellow")
    if found["damaged"]:
        out.say(unreadable(found["damaged"]), "yellow")
    newest_first = list(reversed(pages))
    if args.markdown:
        for number, page in enumerate(newest_first):
            if number:
                out.line()
            out.line(clean(page["markdown"]).rstrip())
    else:
        for line in pages_lines(newest_first, out.out, today=time.strftime("%Y-%m-%d")):
            out.line(line)
    if not args.markdown and pages and (note := further_back(found, query)):
        out.say(note, "dim")
    if not pages and not found["damaged"]:
        out.say(nothing(found, query), "dim" if found["made"] else "")
    return exits.DONE if pages else exits.NOTHING_RELEVANT


def query_of(args: argparse.Namespace) -> dict[str, str]:
    """Return what was typed as the API takes it. Raise WrongUse or DateRefused."""
    if args.repo and args.all_repos:
        raise WrongUse("--repo and --all-repos exclude each other")
    if args.day is not None and (args.week or args.since or args.until):
        raise WrongUse("--day goes without --week, --since and --until")
    words = " ".join(args.words).strip()
    query = {"kind": "week"}
    if args.day is not None:
        query = {"kind": "day", "since": _date(args.day), "until": _date(args.day, end=True)}
    elif span := _span(words):
        if args.week or args.since or args.until:
            raise WrongUse(f"{words} says when already")
        query, words = span, ""
    for name in ("since", "until"):
        if (value := getattr(args, name)) is not None:
            query[name] = _date(value, end=name == "until")
    if query.get("since", "") > query.get("until", "9999"):
        raise WrongUse(f"--since {args.since} is after --until {args.until}")
    if words:
        query["area"] = words
    if args.repo:
        query["repo"] = place(args.repo)
    elif not args.all_repos:
        query["cwd"] = here()
    return query


def further_back(found: Found, query: dict[str, str]) -> str:
    """Return in one line how far themes reach where a longer time was asked for; else nothing."""
    first: str = found["since"]
    if query.get("since", first) >= first:
        return ""
    year, week, _ = _day_of(query["since"]).isocalendar()
    return f"themes go back to {first}; an earlier week is shown alone: hermes themes {year}-W{week:02d}"


def unreadable(damaged: list[str]) -> str:
    """Return in one line what can't be read, and what to do."""
    first, *others = damaged
    more = f" and {len(others)} more pages" if len(others) > 1 else " and another page"
    which, it = (first + more, "them") if others else (first, "it")
    return (
        f"{which} can't be read; check the permissions, then `hermes consolidate` makes {it} again"
    )


def nothing(found: Found, query: dict[str, str]) -> str:
    """Return in one line why nothing is shown, and what to type."""
    if not found["made"]:
        if not found["enabled"]:
            return (
                "there are no themes: the setting night.enabled is off; "
                "`hermes config set night.enabled true` has them made"
            )
        return "there was no night yet; `hermes consolidate` makes themes now"
    if back := further_back(found, query):
        return back
    if night := found["taken_back"][:7]:
        return f"themes were taken back by night {night}; `hermes memory revert {night}` has them again"
    if "area" in query:
        return f"no theme is about {query['area']}"
    if "since" in query or "until" in query:
        since, until = query.get("since", ""), query.get("until", "")
        when = since if since == until else " to ".join(part for part in (since, until) if part)
        return f"nothing happened that makes a theme: {when}"
    return "nothing happened here that makes a theme"


def _span(words: str) -> dict[str, str] | None:
    """Return the span of a week or a day that is named so, e.g. ``2026-W48``. Raise WrongUse."""
    from datetime import date, timedelta

    week = _WEEK.fullmatch(words)
    if week is None and not _DAY.fullmatch(words):
        return None
    try:
        if week is None:
            day = date.fromisoformat(words)
            return {"kind": "day", "since": day.isoformat(), "until": day.isoformat()}
        monday = date.fromisocalendar(int(week[1]), int(week[2]), 1)
    except ValueError as error:
        raise WrongUse(
            f"there is no {words}", hint="for example 2026-W48, or 2026-11-27"
        ) from error
    sunday = monday + timedelta(6)
    return {"kind": "week", "since": monday.isoformat(), "until": sunday.isoformat()}


def _day_of(iso: str) -> date:
    from datetime import date

    return date.fromisoformat(iso)


def _date(value: str, *, end: bool = False) -> str:
    from datetime import datetime

    from ...memory.dates import parse

    return datetime.fromtimestamp(parse(value, datetime.now(), end=end)).date().isoformat()
