"""All hooks of one repository: put in, taken out, looked at."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from ...daemon.paths import Paths, make_private
from ...memory.errors import HermesError
from .chain import Spot, Standing
from .place import Place, called, line
from .script import HOOKS, script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class HooksUnwritable(HermesError):
    """The hooks' folder can't be written, or holds something that is no hook."""

    code = "hooks_unwritable"


@dataclass(frozen=True, slots=True)
class Hooks:
    """How the hooks of one repository stand."""

    place: Place
    standings: tuple[Standing, ...]
    lines: dict[str, str]
    """For each hook that is not ours to write: the line that makes it tell hermes."""

    @property
    def work(self) -> bool:
        """Whether hermes is told of everything."""
        return all(standing.works for standing in self.standings)

    def fields(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "repository": str(self.place.shown),
            "folder": str(self.place.folder),
            "refusal": self.place.refusal,
            "hooks": [asdict(standing) for standing in self.standings],
            "lines": self.lines,
        }


def status(place: Place, paths: Paths) -> Hooks:
    """Return how the hooks stand. Raise HooksUnwritable if that can't be told."""
    return _all(place, paths, Spot.look)


def install(place: Place, paths: Paths) -> Hooks:
    """Put our hooks where we may, chained behind what is there; elsewhere say what to add.
    Raise HooksUnwritable."""
    _write_ours(paths)
    if place.refusal:
        return status(place, paths)
    _make(place.folder)
    return _all(place, paths, Spot.install)


def uninstall(place: Place, paths: Paths) -> Hooks:
    """Take out what we put in, and nothing else. Raise HooksUnwritable."""
    return _all(place, paths, Spot.look if place.refusal else Spot.uninstall)


def _all(place: Place, paths: Paths, do: Callable[[Spot], Standing]) -> Hooks:
    standings: list[Standing] = []
    for name in HOOKS:
        spot = Spot(place.folder, name, paths.state, place.lined(name), called(name, paths))
        try:
            standings.append(do(spot))
        except OSError as error:
            raise HooksUnwritable(
                f"can't deal with {spot.top}: {error.strerror or error}",
                hint="check who owns the folder of the hooks, and whether it can be written",
            ) from error
    lines = {
        standing.name: line(standing.name, paths)
        for standing in standings
        if standing.state == "foreign" or (place.refusal and not standing.works)
    }
    return Hooks(place, tuple(standings), lines)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HooksUnwritable(
            f"can't make {folder}: {error.strerror or error}",
            hint="check who owns the repository, and whether it can be written",
        ) from error


def _write_ours(paths: Paths) -> None:
    """Write the scripts that lines in other hooks call, into our own folder."""
    folder = paths.state / "hooks"
    make_private(paths.state)
    make_private(folder)
    try:
        for name in HOOKS:
            temp = folder / f".{name}.{os.getpid()}"
            with open(os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o700), "wb") as file:
                file.write(script(name, paths.state, chains=False))
            temp.replace(folder / name)
    except OSError as error:
        raise HooksUnwritable(
            f"can't write into {folder}: {error.strerror or error}",
            hint="check that the disk has space and the folder is yours",
        ) from error
