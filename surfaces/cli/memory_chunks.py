"""``hermes memory show``, ``edit``, ``delete`` and ``export``: single pieces of memory, and all of them."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress

from . import exits
from .connection import connect_or_serve, connect_or_start
from .memory_lines import candidate_lines, named, shown_lines
from .output import OutputLost
from .scope import WrongUse, place
from .text import clean, count

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any, BinaryIO

    from ..client import Client
    from .output import Output

    Found = dict[str, Any]

PATH = "/v1/memory/chunks"
EPILOGS = {
    "show": """\
examples:
  hermes memory show 3f2a9c1    a commit by its sha, with all its parts
  hermes memory show a5159079   one piece, by the id that hermes search shows last
  hermes memory show ENG-17     a ticket or a discussion by its key or reference
""",
    "edit": """\
It opens VISUAL or EDITOR. Secrets are taken out of what you write. What you wrote holds when
the source is read again, and is shown as edited by hand.

examples:
  hermes memory edit a5159079   one piece; by a sha the commit's message is meant
  hermes memory edit a5159079 --undo
""",
    "delete": """\
It stays deleted when the source is read again; hermes forget --list has it, --undo takes it back.

examples:
  hermes memory delete a5159079   one piece
  hermes memory delete 3f2a9c1    a commit with all its parts
""",
    "export": """\
The first line says what it is and how many pieces follow: one a line, by repository, time,
reference, path and part. docs/memory.md names the fields.

examples:
  hermes memory export -o memory.jsonl
  hermes memory export --repo shop --since 2025-01-01 | jq .title
""",
}


def declare(action: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of one of the actions."""
    parser.epilog = EPILOGS[action]
    if action == "export":
        parser.add_argument(
            "--repo",
            metavar="NAME",
            action="append",
            default=[],
            help="only this repository; can be given again",
        )
        parser.add_argument("--source", metavar="NAME", help="only git, slack, linear …")
        parser.add_argument("--since", metavar="DATE", help="2025-03-01, '2 weeks ago' …")
        parser.add_argument("--until", metavar="DATE", help="the same, that day included")
        parser.add_argument("-o", "--output", metavar="FILE", help="instead of standard output")
        return
    parser.add_argument("id", metavar="ID", help="of a piece, a sha, a ticket or another reference")
    parser.add_argument("--repo", metavar="NAME", help="the repository, where several have it")
    if action == "edit":
        parser.add_argument("--undo", action="store_true", help="what its source says, again")
    if action == "delete":
        parser.add_argument("-y", "--yes", action="store_true", help="without asking")


def run(args: argparse.Namespace, out: Output) -> int:
    """Do what is asked."""
    match args.action:
        case "show":
            return _show(args, out)
        case "edit":
            return _edit(args, out)
        case "delete":
            return _delete(args, out)
        case _:
            return _export(args, out)


def _find(client: Client, args: argparse.Namespace, out: Output) -> Found | None:
    """Return what an id means; None after the candidates were listed."""
    answer = client.call("GET", PATH + _query(id=args.id, repo=_repo(args)))
    if "found" in answer:
        found: Found = answer["found"]
        return found
    if out.as_json:
        out.emit(answer)
        return None
    out.say(f"{args.id} may mean one of these; give more of it, or --repo:", "yellow")
    for line in candidate_lines(answer["candidates"], out.out):
        out.line(line)
    if answer["more"]:
        out.say("… and more", "dim")
    return None


def _show(args: argparse.Namespace, out: Output) -> int:
    with connect_or_serve(out) as client:
        found = _find(client, args, out)
    if found is None:
        return exits.USAGE
    if out.as_json:
        out.emit(found)
        return exits.DONE
    for line in shown_lines(found, out.out):
        out.line(line)
    return exits.DONE


def _edit(args: argparse.Namespace, out: Output) -> int:
    with connect_or_start(out) as client:
        found = _find(client, args, out)
        if found is None:
            return exits.USAGE
        chunk = found["chunk"]
        if chunk is None:
            raise WrongUse(f"{args.id} has no text in memory")
        if found["kind"] != "chunk" and found["parts"] and found["item"] is not None:
            raise WrongUse(
                f"{args.id} has {len(found['parts']) + 1} parts: name one of them",
                hint=f"hermes memory show {args.id}",
            )
        name = named(found | {"kind": "chunk"})
        if args.undo:
            answer = client.call("DELETE", f"{PATH}/{chunk['id']}/edit")
            return _said(answer, f"{name} says again what its source says", out)
        text = _written(chunk["text"], f"{chunk['id'][:8]}.txt")
        if text == chunk["text"].rstrip("\n"):
            return _said({"changed": False}, "nothing was changed", out)
        if not text.strip():
            delete = f"hermes memory delete {chunk['id'][:8]}"
            said = f"nothing is left of it, so nothing was changed; to take it out: {delete}"
            return _said({"changed": False}, said, out)
        answer = client.call("POST", f"{PATH}/{chunk['id']}", {"text": text})
        if not answer["changed"]:
            return _said(answer, "nothing was changed", out)
        if secrets := answer["redacted"]:
            out.say(f"{count(secrets, 'secret')} taken out of what you wrote", "yellow")
        undo = f"hermes memory edit {chunk['id'][:8]} --undo"
        return _said(answer, f"{name} says so from now on; `{undo}` takes it back", out)


def _written(text: str, name: str) -> str:
    """Have a person change a text in their editor; return what it is then."""
    import shlex
    import subprocess
    import tempfile

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        if not sys.stdin.isatty():
            raise WrongUse("there is no editor to edit with", hint="set VISUAL or EDITOR")
        editor = "vi"
    with tempfile.TemporaryDirectory(prefix="hermes-") as folder:  # private, as are an editor's own
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(text if text.endswith("\n") else text + "\n")
        try:
            code = subprocess.run([*shlex.split(editor), path], check=False).returncode
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise WrongUse(f"can't start {editor}: {why}", hint="set VISUAL or EDITOR") from error
        if code:
            raise WrongUse(f"{editor} ended with {code}; nothing was changed")
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().rstrip("\n")


def _delete(args: argparse.Namespace, out: Output) -> int:
    with connect_or_start(out) as client:
        found = _find(client, args, out)
        if found is None:
            return exits.USAGE
        whole = found["kind"] != "chunk"
        pieces = 1 + len(found["parts"]) if whole else 1
        what = f"{named(found)}, {count(pieces, 'piece')} of text" if whole else named(found)
        if not args.yes:
            if not sys.stdin.isatty():
                raise WrongUse("deleting needs a yes", hint="add --yes where nobody can be asked")
            out.say(f"{what}: it is not read again either, until `hermes forget --undo`")
            sys.stderr.write("delete it from memory? [y/N] ")
            sys.stderr.flush()
            if sys.stdin.readline().strip().lower() not in ("y", "yes"):
                out.say("nothing was changed")
                return exits.FAILED
        id = found["ref"] if whole else found["chunk"]["id"]
        repo = found["repo"]["id"] if found["repo"] else None
        answer = client.call("DELETE", PATH + _query(id=id, repo=repo))
        undo = f"`hermes forget --undo {answer['rule']}` lets it be read again"
        return _said(answer, f"{what}: deleted; {undo}", out)


def _said(answer: Found, text: str, out: Output) -> int:
    if out.as_json:
        out.emit(answer)
    else:
        out.say(text)
    return exits.DONE


def _export(args: argparse.Namespace, out: Output) -> int:
    wanted: list[tuple[str, str | int | None]] = [("repo", place(name)) for name in args.repo]
    wanted += [("source", args.source), ("since", _date(args.since, end=False))]
    wanted.append(("until", _date(args.until, end=True)))
    from urllib.parse import urlencode

    query = urlencode([(name, value) for name, value in wanted if value is not None])
    with connect_or_serve(out) as client:
        lines = _lines(client.pieces(f"/v1/memory/export?{query}", timeout=600))
        if args.output is None:
            return _write_out(lines, sys.stdout.buffer, out)
        return _write_file(lines, args.output, out)


def _write_file(lines: Iterator[bytes], name: str, out: Output) -> int:
    """Write a file, which is there when it is whole."""
    unfinished = f"{name}.part"
    try:
        try:
            handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "wb") as file:
                code = _write_out(lines, file, out)
            os.replace(unfinished, name)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(unfinished)
            raise
    except OSError as error:
        raise OutputLost(f"can't write {name}: {error.strerror}") from error
    return code


def _write_out(lines: Iterator[bytes], file: BinaryIO, out: Output) -> int:
    import json

    from ..client import DaemonLost

    announced, began = None, time.monotonic()
    written = 0
    for line in lines:
        if line.startswith((b'{"type":"error"', b'{"type":"done"')):
            end = json.loads(line)
            if end["type"] == "error":
                raise _failure(end)
            file.flush()
            if announced != end["chunks"]:
                out.say(
                    f"memory changed meanwhile: {announced:,} were announced, and"
                    f" {end['chunks']:,} written",
                    "yellow",
                )
            return exits.DONE
        if announced is None:
            announced = json.loads(line)["chunks"]
        else:
            written += 1
            if not written % 500 and time.monotonic() - began > 1:
                out.passing(f"{written:,} of {announced:,} pieces")
        file.write(line)
    raise DaemonLost("the export broke off", hint="`hermes status` says how the daemon is")


def _lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            yield line + b"\n"


def _failure(told: Found) -> Exception:
    from ...memory.errors import HermesError

    error = HermesError(clean(told["error"]), hint=told["hint"])
    error.code = told["code"]
    return error


def _date(value: str | None, *, end: bool) -> int | None:
    if value is None:
        return None
    from datetime import datetime

    from ...memory.dates import parse

    return parse(value, datetime.now(), end=end)


def _repo(args: argparse.Namespace) -> str | None:
    return place(args.repo) if args.repo is not None else None


def _query(**fields: str | None) -> str:
    from urllib.parse import urlencode

    return "?" + urlencode({name: value for name, value in fields.items() if value is not None})
