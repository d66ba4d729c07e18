"""Real git repositories for tests, made with the real git and dates that never vary."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

SAM = "Sam Doe <sam@example.com>"
ALEX = "Alex Roe <alex@example.org>"

Content = str | bytes | None
Files = Mapping[str, Content] | Mapping[bytes, Content]
"""Path to content; None deletes the file. Bytes paths are for names that are not UTF-8."""

FIRST_COMMIT = 1_735_722_000
"""2025-01-01 09:00 UTC; each further commit comes an hour later unless told otherwise."""


def git_environment() -> dict[str, str]:
    """Return an environment in which git reads no configuration but the repository's own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }


class RepoBuilder:
    """A git repository that grows as a test tells it to.

    ``path`` is the working tree (for a bare repository, the repository itself).
    """

    def __init__(
        self,
        path: Path,
        *,
        bare: bool = False,
        branch: str = "main",
        object_format: str = "sha1",
        existing: bool = False,
    ) -> None:
        """Make a repository at ``path``, or with ``existing`` take the one that is there."""
        self.path = path
        self.now = FIRST_COMMIT
        if existing:
            return
        path.mkdir(parents=True, exist_ok=True)
        options = [f"--initial-branch={branch}", f"--object-format={object_format}"]
        self.git("init", "--quiet", *options, *(["--bare"] if bare else []))

    def git(
        self,
        *args: str | bytes,
        stdin: bytes | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> str:
        """Run git here and return what it printed, without the last newline."""
        done = subprocess.run(
            [b"git", *(os.fsencode(arg) for arg in args)],
            cwd=self.path,
            env=git_environment() | dict(environment or {}),
            input=b"" if stdin is None else stdin,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise AssertionError(f"git {args!r}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")

    def write(self, files: Files) -> None:
        """Write files into the working tree; None removes one. Text is written as UTF-8."""
        for name, content in files.items():
            target = os.path.join(os.fsencode(self.path), os.fsencode(name))
            if content is None:
                os.unlink(target)
                continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as file:
                file.write(content.encode() if isinstance(content, str) else content)

    def commit(
        self,
        files: Files | None = None,
        message: str | bytes = "Change things",
        *,
        author: str = SAM,
        when: int | None = None,
        branch: str | None = None,
        amend: bool = False,
        encoding: str = "UTF-8",
    ) -> str:
        """Commit everything in the working tree and return the new sha.

        ``when`` is in seconds since the epoch. A ``branch`` is switched to first, and made if it
        is not there. ``encoding`` is what the commit says its message is written in.
        """
        if branch is not None:
            self.switch(branch)
        self.write(files or {})
        self.git("add", "--all")
        options = ["--amend"] if amend else []
        body = message.encode(encoding) if isinstance(message, str) else message
        self.git(
            *("-c", f"i18n.commitEncoding={encoding}", "-c", "commit.gpgSign=false"),
            *("commit", "--quiet", "--allow-empty", "--allow-empty-message"),
            *("--cleanup=verbatim", "--file=-", "--no-verify", *options),
            stdin=body,
            environment=self._dated(author, when),
        )
        return self.head()

    def merge(
        self,
        *others: str,
        message: str = "Merge branches",
        author: str = SAM,
        when: int | None = None,
    ) -> str:
        """Merge other branches into the current one and return the merge commit's sha."""
        options = ("--quiet", "--no-ff", "--no-edit", "--no-verify", "-m", message)
        self.git("merge", *options, *others, environment=self._dated(author, when))
        return self.head()

    def switch(self, branch: str) -> None:
        """Go to a branch; make it where HEAD is if it does not exist."""
        exists = self.git("for-each-ref", f"refs/heads/{branch}") != ""
        current = (
            self.git("symbolic-ref", "--quiet", "--short", "HEAD") if self._on_branch() else ""
        )
        if current != branch:
            self.git("switch", "--quiet", *([] if exists else ["--create"]), branch)

    def head(self, rev: str = "HEAD") -> str:
        """Return the full sha of a revision."""
        return self.git("rev-parse", "--verify", f"{rev}^{{commit}}")

    def config(self, key: str, value: str) -> None:
        """Set a value in the repository's own configuration."""
        self.git("config", key, value)

    def fast_import(self, stream: bytes) -> None:
        """Feed a stream to ``git fast-import``: thousands of commits in a moment."""
        self.git("fast-import", "--quiet", "--force", stdin=stream)

    def many_commits(self, count: int, *, branch: str = "main", files: int = 10) -> str:
        """Add ``count`` small commits spread over ``files`` files, quickly; return the last sha.

        The working tree is left alone. Commit number n says ``Change number n``.
        """
        stream: list[bytes] = []
        parent = self.git("for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")
        for number in range(count):
            who = SAM if number % 3 else ALEX
            message = f"Change number {number}\n".encode()
            content = b"".join(b"line %d of change %d\n" % (n, number) for n in range(5))
            stream.append(b"commit refs/heads/%s\n" % branch.encode())
            stream.append(b"committer %s %d +0000\n" % (who.encode(), self.now))
            stream.append(b"data %d\n%s" % (len(message), message))
            if parent and number == 0:
                stream.append(b"from %s\n" % parent.encode())
            stream.append(b"M 100644 inline src/file%d.txt\n" % (number % files))
            stream.append(b"data %d\n%s\n" % (len(content), content))
            self.now += 3600
        self.fast_import(b"".join(stream))
        return self.head(branch)

    def clone(self, to: Path, *options: str) -> RepoBuilder:
        """Clone this repository through ``file://`` (so that --depth and --filter work)."""
        self.git("clone", "--quiet", *options, f"file://{self.path}", str(to))
        copy = RepoBuilder(to, existing=True)
        copy.now = self.now
        return copy

    def shas(self, *revs: str) -> Sequence[str]:
        """List the shas that revisions reach (all branches if none is given), newest first."""
        return self.git("rev-list", *(revs or ("--branches",))).splitlines()

    def _on_branch(self) -> bool:
        head = self.git("rev-parse", "--git-path", "HEAD")
        return (self.path / head).read_text().startswith("ref:")

    def _dated(self, author: str, when: int | None) -> dict[str, str]:
        moment = self.now if when is None else when
        self.now = max(self.now, moment) + 3600
        name, _, email = author.rstrip(">").partition(" <")
        people: dict[str, str] = {}
        for role in ("AUTHOR", "COMMITTER"):
            people |= {
                f"GIT_{role}_NAME": name,
                f"GIT_{role}_EMAIL": email,
                f"GIT_{role}_DATE": f"{moment} +0000",
            }
        return people
