"""A git that stays, and answers line by line."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

AT_ONCE = 100
"""Lines asked at once: few enough that neither pipe can fill and stop both sides."""


class Dialogue:
    """A running git that answers line by line."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._questions = process.stdin
        self._answers = process.stdout

    def ask(self, lines: Sequence[bytes]) -> list[bytes]:
        """Return the answers to some lines, fewer if git ended. Neither has its newline."""
        answers: list[bytes] = []
        for start in range(0, len(lines), AT_ONCE):
            some = lines[start : start + AT_ONCE]
            try:
                self._questions.write(b"".join(line + b"\n" for line in some))
                self._questions.flush()
            except BrokenPipeError:
                break
            answers += [self._answers.readline().rstrip(b"\n") for _ in some]
        return answers
