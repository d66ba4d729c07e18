"""The branches of a repository, and which of them is the main one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...ingest.git.command import Git
from .commits import SECONDS

USUAL = ("main", "master", "trunk", "develop", "default")
_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"
_FORMAT = "%(objectname)%00%(refname)%00%(symref)%00%(upstream)%00%(committerdate:unix)"


@dataclass(frozen=True, slots=True)
class Ref:
    """One branch, local or of a remote."""

    name: str
    """Full: ``refs/heads/main``."""
    sha: str
    upstream: str = ""
    """Full."""
    committed: int = 0

    @property
    def short(self) -> str:
        """``main``, ``origin/main``."""
        return self.name.removeprefix(_HEADS).removeprefix(_REMOTES)

    @property
    def local(self) -> bool:
        """Whether it is a branch of this repository."""
        return self.name.startswith(_HEADS)


@dataclass(frozen=True, slots=True)
class Refs:
    """All branches by full name."""

    all: Mapping[str, Ref]
    default: str = ""
    """The remote branch that a remote calls its main one; full."""
    stash: bool = False

    def stands(self, at: str) -> tuple[str, str]:
        """Given the first line of a HEAD, return the commit it stands on and its branch; both may
        be empty: before the first commit, and where it is on no branch."""
        if at.startswith("ref: "):
            ref = self.all.get(at.removeprefix("ref: ").strip())
            branch = at.removeprefix("ref: ").strip().removeprefix(_HEADS)
            return (ref.sha if ref is not None else ""), branch
        return at.strip(), ""

    @property
    def local(self) -> list[Ref]:
        """Local branches, the newest first."""
        return self._newest(local=True)

    @property
    def remote(self) -> list[Ref]:
        """Branches of remotes, the newest first."""
        return self._newest(local=False)

    def _newest(self, *, local: bool) -> list[Ref]:
        found = [ref for ref in self.all.values() if ref.local == local]
        return sorted(found, key=lambda ref: (-ref.committed, ref.name))

    def main(self) -> list[Ref]:
        """Return the main branch: the local one first, then as remotes have it. Empty if it can't
        be told."""
        name = self._main_name()
        if not name:
            return []
        found: list[Ref] = []
        local = self.all.get(_HEADS + name)
        if local is not None:
            found.append(local)
        upstream = [local.upstream] if local is not None else []
        for other in (
            *upstream,
            self.default,
            f"{_REMOTES}origin/{name}",
            f"{_REMOTES}upstream/{name}",
        ):
            ref = self.all.get(other)
            if ref is not None and ref not in found:
                found.append(ref)
        return found

    def _main_name(self) -> str:
        if self.default:
            return self.default.removeprefix(_REMOTES).partition("/")[2]
        usual = [name for name in USUAL if _HEADS + name in self.all]
        usual += [name for name in USUAL if f"{_REMOTES}origin/{name}" in self.all]
        if usual:
            return usual[0]
        local = self.local
        return local[0].short if len(local) == 1 else ""


def read_refs(git: Git) -> Refs:
    """Read them. Raise GitError."""
    said = git.run(
        *("for-each-ref", f"--format={_FORMAT}", "refs/heads", "refs/remotes", "refs/stash"),
        timeout=SECONDS,
    )
    found: dict[str, Ref] = {}
    defaults: list[str] = []
    stash = False
    for line in said.decode("utf-8", "surrogateescape").splitlines():
        sha, name, symref, upstream, committed = line.split("\0")
        if name == "refs/stash":
            stash = True
        elif symref:
            defaults += [symref] if name.endswith("/HEAD") else []
        else:
            found[name] = Ref(name, sha, upstream, int(committed) if committed.isdigit() else 0)
    return Refs(found, _first(defaults, found), stash)


def _first(defaults: Sequence[str], found: Mapping[str, Ref]) -> str:
    there = [name for name in defaults if name in found]
    origin = [name for name in there if name.startswith(f"{_REMOTES}origin/")]
    return next(iter([*origin, *there]), "")
