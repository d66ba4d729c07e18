"""``hermes sources add``: what a person says of each kind of source, as the API takes it."""

from __future__ import annotations

import os

from .scope import WrongUse, here

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

USAGE = {
    "docs": "hermes sources add docs PATTERN …",
    "slack": "hermes sources add slack --export FILE | --token-env NAME --channels A,B",
    "linear": "hermes sources add linear --csv FILE | --token-env NAME --team KEY",
    "github": "hermes sources add github --token-env NAME | --repo OWNER/NAME | --export FILE",
}
"""How each kind is added."""
TAKES = {
    "docs": frozenset[str](),
    "slack": frozenset({"export", "channels", "direct", "token", "url"}),
    "linear": frozenset({"csv", "team", "token", "url"}),
    "github": frozenset({"export", "repo", "token", "url"}),
}
"""Which options each kind knows, besides its name."""
EXAMPLES = """\
examples:
  hermes sources add docs "docs/**/*.md" postmortems/ ~/notes
  hermes sources add slack --export export.zip --channels payments,eng-platform
  hermes sources add slack --token-env SLACK_TOKEN --channels payments
  hermes sources add linear --csv issues.csv
  hermes sources add linear --token-keyring linear --team ENG
  hermes sources add github --token-env GITHUB_TOKEN

It is looked at first: what there is to read, and whom that contacts. A token is named,
never given; docs/sources.md says where it is kept, and what each kind reads.
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the options of all kinds."""
    parser.usage = "hermes sources add KIND [options]"
    parser.epilog = EXAMPLES
    parser.add_argument("kind", metavar="KIND", help=", ".join(USAGE))
    parser.add_argument(
        "patterns", metavar="PATTERN", nargs="*", help="docs: a file, a folder or a glob"
    )
    parser.add_argument("--name", metavar="NAME", help="what to call it; the kind, if not given")
    parser.add_argument("--export", metavar="FILE", help="slack, github: an export to read")
    parser.add_argument("--csv", metavar="FILE", help="linear: an export to read")
    token = parser.add_mutually_exclusive_group()
    token.add_argument(
        "--token-env", metavar="NAME", help="the variable of the environment that has the token"
    )
    token.add_argument(
        "--token-keyring", metavar="NAME", help="the name of the token in the system's keyring"
    )
    parser.add_argument("--channels", metavar="A,B", help="slack: the channels to read")
    parser.add_argument("--direct", action="store_true", help="slack: direct messages too")
    parser.add_argument("--team", metavar="KEY", help="linear: the team, as ENG")
    parser.add_argument(
        "--repo", metavar="OWNER/NAME", help="github: instead of the remote of where you are"
    )
    parser.add_argument("--url", metavar="URL", help="another address of the API")


def body_of(args: argparse.Namespace) -> dict[str, Any]:
    """Return a source as the API takes it. Raise WrongUse."""
    kind: str = args.kind
    if kind in USAGE:
        _refuse_others(kind, args)
    options: dict[str, Any] = {"root": here()}
    if args.patterns:
        options["patterns"] = args.patterns
    for name in ("export", "csv"):
        if (path := getattr(args, name)) is not None:
            options[name] = os.path.abspath(os.path.expanduser(path))
    if (place := place_of(args)) is not None:
        options["token"] = place
    if args.channels is not None:
        options["channels"] = [each for each in args.channels.replace(",", " ").split() if each]
    if args.direct:
        options["direct"] = True
    if args.repo is not None:
        options["repository"] = args.repo
    for name in ("team", "url"):
        if (value := getattr(args, name)) is not None:
            options[name] = value
    body: dict[str, Any] = {"kind": kind, "options": options}
    if args.name is not None:
        body["name"] = args.name
    return body | offer(place)


def place_of(args: argparse.Namespace) -> str | None:
    """Return where the token is; None if there is none."""
    if args.token_env is not None:
        return f"env:{args.token_env}"
    return None if args.token_keyring is None else f"keyring:{args.token_keyring}"


def offer(place: str | None) -> dict[str, str]:
    """Return the token to hand over, if it is in this shell's environment."""
    kind, _, name = (place or "").partition(":")
    value = os.environ.get(name, "").strip() if kind == "env" else ""
    return {"token": value} if value else {}


def _refuse_others(kind: str, args: argparse.Namespace) -> None:
    given = {
        name
        for name in ("export", "csv", "channels", "direct", "team", "repo", "url")
        if getattr(args, name)
    }
    if args.token_env or args.token_keyring:
        given.add("token")
    if wrong := sorted(given - TAKES[kind]):
        names = "--token-env" if wrong[0] == "token" else f"--{wrong[0]}"
        raise WrongUse(f"{kind} takes no {names}", hint=USAGE[kind])
    if args.patterns and kind != "docs":
        raise WrongUse(f"{kind} takes no {args.patterns[0]}", hint=USAGE[kind])
    if not args.patterns and kind == "docs":
        raise WrongUse("which documents?", hint=USAGE[kind])
    if kind != "docs" and not given & {"export", "csv", "token", "repo"}:
        raise WrongUse(f"where is {kind} to be read from?", hint=USAGE[kind])
