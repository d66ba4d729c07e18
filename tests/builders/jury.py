"""Jurors that are programs, each of which says what a test has it say, when the test has it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hermes.tests.builders.daemon import LIGHT

PROGRAM = """#!/bin/sh
# Says what the file of its name says, once there is one; in a debate, another.
said="{folder}/$1"
if grep -q "The council is split"; then said="$said.debate"; fi
while [ ! -s "$said" ]; do sleep 0.05; done
cat "$said"
"""


def opinion(vote: str, position: str, insight: str, **more: Any) -> str:
    """Return an opinion as a juror prints it."""
    base: dict[str, Any] = {
        "reasons": [],
        "findings": [],
        "missing": [],
        "insight": insight,
        "position": position,
        "decision": position,
        "vote": vote,
        "confidence": 0.9,
    }
    return json.dumps(base | more)


class ScriptedJury:
    """Three who sit, and one in reserve. Before they are told what to say, they think."""

    SEATED = ("ann", "bob", "cyd")
    NAMES = (*SEATED, "dee")

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "said"
        self.folder.mkdir(parents=True)
        program = folder / "juror.sh"
        program.write_text(PROGRAM.format(folder=self.folder))
        program.chmod(0o755)
        self.settings = LIGHT | {
            "HERMES_AMBIENT_COUNCIL__JURORS": json.dumps(
                [f"command:{program} {name}" for name in self.NAMES]
            )
        }
        """Of a daemon in which they may sit."""

    def says(self, name: str, text: str, *, debate: bool = False) -> None:
        """Have one say something from now on; with ``debate``, in a debate."""
        part = self.folder / f"{name}.part"
        part.write_text(text)
        part.rename(self.folder / (f"{name}.debate" if debate else name))

    def all_say(self, vote: str, position: str = "yes") -> None:
        """Have all say the same from now on, each with a reason of its own."""
        for name in self.NAMES:
            self.says(name, opinion(vote, position, f"{name} has looked at it"))

    def hush(self) -> None:
        """Have all think."""
        for file in self.folder.iterdir():
            file.unlink()
