"""Makes the generated parts of the documents: ``python -m hermes.surfaces.cli.pages docs``.

docs/configuration.md is made whole from the settings. In docs/cli.md the text of each ``--help``
stands between two marks and is made again; the prose around it is written by hand.
"""

from __future__ import annotations

import io
import re
import sys
from contextlib import redirect_stdout, suppress
from pathlib import Path

from . import settings_pages
from .commands import command_parser, top_parser

_BLOCK = re.compile(r"<!-- help: ([a-z -]+) -->\n.*?<!-- end -->", re.DOTALL)


def help_text(command: str) -> str:
    """Return the ``--help`` of ``hermes``, of ``hermes COMMAND``, or of one of its actions."""
    name, _, action = command.removeprefix("hermes").strip().partition(" ")
    parser = command_parser(name) if name else top_parser()
    if not action:
        return parser.format_help()
    said = io.StringIO()
    with redirect_stdout(said), suppress(SystemExit):
        parser.parse_args([action, "--help"])
    return said.getvalue()


def with_help(text: str) -> str:
    """Return the text of docs/cli.md with every help block made again."""

    def block(match: re.Match[str]) -> str:
        shown = help_text(match[1]).rstrip()
        return f"<!-- help: {match[1]} -->\n```\n{shown}\n```\n<!-- end -->"

    return _BLOCK.sub(block, text)


def main() -> None:
    """Write the documents into the folder that is given."""
    folder = Path(sys.argv[1])
    (folder / "configuration.md").write_text(settings_pages.document(), encoding="utf-8")
    page = folder / "cli.md"
    page.write_text(with_help(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
