"""``hermes memory audit``: whether memory is healthy, on one screen."""

from __future__ import annotations

from . import exits
from .columns import columns
from .connection import connect_or_serve
from .doctor import check_lines
from .search import day
from .text import count, one_line, size, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from .output import Output, Stream

    Found = dict[str, Any]

AGES = ("this week", "this month", "this year", "older")
HEADS = ("from", "entries", "chunks", "oldest", "newest", *AGES)
"""Of the table of sources. An entry is a commit, or a discussion, a ticket, a document."""


def declare(action: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``memory audit``: there are none."""
    parser.epilog = "Ends with 1 when something is past its threshold.\n"


def run(args: argparse.Namespace, out: Output) -> int:
    """Audit memory. Return 1 when something is past its threshold."""
    with connect_or_serve(out) as client:
        out.passing("looking through memory …")
        found = client.call("GET", "/v1/memory/audit")
        out.clear_passing()
    if out.as_json:
        out.emit(found)
    else:
        for line in audit_lines(found, out.out):
            out.line(line)
    return exits.DONE if found["ok"] else exits.FAILED


def audit_lines(found: Found, stream: Stream) -> list[str]:
    """Return the audit as lines: what there is, how old it is, and each measure with its verdict."""
    repos = count(found["repos"], "repository", "repositories")
    held = f"{count(found['entries'], 'entry', 'entries')} in {count(found['chunks'], 'chunk')}"
    width = stream.width if stream.terminal else 0
    lines = [
        *wrap(f"{held} of {repos}", width),
        "",
        *_sources(found["sources"], stream),
        "",
        *check_lines([_check(check) for check in found["checks"]], stream),
        "",
    ]
    for told in (_known(found), _disk(found["disk"]), _answers(found["answers"])):
        if told:
            lines += wrap(told, width)
    verdict = "memory is healthy" if found["ok"] else "memory needs a look"
    return [*lines, "", stream.style(verdict, "green" if found["ok"] else "yellow")]


def _sources(sources: list[Found], stream: Stream) -> list[str]:
    rows = [[(head, "dim") for head in HEADS]]
    for source in sources:
        first, last = (
            day(source[name]) if source["entries"] else "" for name in ("oldest", "newest")
        )
        cells = [
            one_line(source["source"]),
            f"{source['entries']:,}",
            f"{source['chunks']:,}",
            *(first, last),
            *(f"{number:,}" for number in source["ages"]),
        ]
        rows.append([(cell, "") for cell in cells])
    return columns(rows, stream, give=(7, 6, 5, 3, 2), least=6)


def _check(check: Found) -> dict[str, str]:
    most = f"; at most {check['most']}" if check["most"] and not check["ok"] else ""
    return {
        "name": check["name"],
        "state": "ok" if check["ok"] else "fail",
        "detail": check["found"] + most,
        "hint": "" if check["ok"] else check["hint"],
    }


def _known(found: Found) -> str:
    parts = (
        f"{found['folded']:,} folded into another",
        f"{found['ended']:,} over or taken back",
        f"{found['faded']:,} count for less",
        count(found["facts"], "dated fact"),
    )
    return "known of them: " + ", ".join(parts)


def _disk(disk: Found) -> str:
    parts = [("index", disk["index"]), ("store", disk["store"]), ("raw log", disk["raw"])]
    parts.append(("other", disk["rest"]))
    return "on disk: " + ", ".join(f"{name} {size(number)}" for name, number in parts if number)


def _answers(answers: Found) -> str:
    asked = sum(kind["asked"] for kind in answers.values())
    if not asked:
        return ""
    served = sum(kind["served"] for kind in answers.values())
    return f"questions the night had answers for: {served:,} of {asked:,} asked"
