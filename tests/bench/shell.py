"""What the brief's lines add to the start of bash, zsh and fish.

Run: ``python -m hermes.tests.bench.shell [--runs N]``. Each way has a home of its own. The shells start
on a pseudo-terminal, interactive; their file reads another one, and tells how long that took: the
block, a `cat`, or nothing. Within every round all ways are measured in turn, so that a busy machine
slows all of them; what is told is the median, less that of nothing. fish can't tell the time itself
and starts `date` for it, so its figures are the least exact.
"""

from __future__ import annotations

import argparse
import shlex
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hermes.surfaces.shell.installing import text_of
from hermes.tests.builders.shells import ShellHome

NOT_DUE_SECONDS = 0.002
"""What a shell may take longer where the brief was printed already."""
OF_CAT = 1.5
"""How many times what `cat` of the file adds the printing may add."""
LINES = "".join(
    f"  {n}. what you finished, and where it is: shop/cart.py 3f2a9c1\n" for n in range(15)
)
TIMED = {
    "bash": "t=$EPOCHREALTIME; . ~/measured; echo $t $EPOCHREALTIME >~/took\n",
    "zsh": "zmodload zsh/datetime; t=$EPOCHREALTIME; . ~/measured; echo $t $EPOCHREALTIME >~/took\n",
    "fish": "set -g fish_greeting\n"
    "set t (date +%s%N); . ~/measured; set u (date +%s%N); echo $t $u >~/took\n",
}
BASE = "without"
CAT = "cat of the file"
NOT_DUE = "not due"
DUE = "due"
WAYS = (BASE, NOT_DUE, DUE, CAT, "daemon dead, told already", "daemon dead, due")


@dataclass(frozen=True)
class Way:
    """One way of starting a shell, and what makes it so again after each start."""

    home: ShellHome
    shell: str
    renew: Callable[[], None]

    def once(self) -> float:
        """Start the shell once; return the seconds that its file took."""
        self.renew()
        running = self.home.start(self.shell)
        running.type("exit\n")
        running.end()
        began, ended = (self.home.home / "took").read_text().split()
        return (float(ended) - float(began)) / (1e9 if self.shell == "fish" else 1)


def prepare(folder: Path, shell: str, way: str) -> Way:
    """Make a home."""
    home = ShellHome(folder)
    home.put(LINES)
    text = b""
    if way == CAT:
        text = f"cat {shlex.quote(str(home.brief / 'today.80.ansi'))}\n".encode()
    elif way != BASE:
        text = text_of(shell, home.paths, home.environment)
    (folder / "measured").write_bytes(text)
    rc = folder / (".config/fish/config.fish" if shell == "fish" else f".{shell}rc")
    rc.write_text(TIMED[shell])
    mark = home.shown / str(home.today)
    dead = home.shown / f"{home.today}.dead"

    def renew() -> None:
        for each, there in ((mark, DUE not in way or "dead" in way), (dead, "told" in way)):
            each.touch() if there else each.unlink(missing_ok=True)
        if way == NOT_DUE:
            mark.touch()

    home.daemon(0 if "dead" in way else 1)
    return Way(home, shell, renew)


def show(shell: str, ways: dict[str, Way], runs: int) -> None:
    """Measure and print."""
    found: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(runs + 1):
        for name, way in ways.items():
            took = way.once()
            if number:  # the first round warms the caches
                found[name].append(took)
    base = statistics.median(found[BASE])
    added = {name: statistics.median(times) - base for name, times in found.items()}
    print(f"{shell}, {runs} rounds")
    for name in ways:
        if name == BASE:
            continue
        best = min(found[name]) - min(found[BASE])
        verdict = ""
        if name == NOT_DUE:
            verdict = "ok" if added[name] <= NOT_DUE_SECONDS else "OVER: at most 2 ms"
        if name == DUE:
            times = added[name] / added[CAT]
            verdict = f"{times:.2f} times cat, {'ok' if times <= OF_CAT else 'OVER: at most 1.5'}"
        print(
            f"  {name:<26} {1000 * added[name]:6.2f} ms, at best {1000 * best:6.2f} ms  {verdict}"
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as name:
        for shell in ("bash", "zsh", "fish"):
            ways = {
                way: prepare(Path(name).resolve() / f"{shell}{number}", shell, way)
                for number, way in enumerate(WAYS)
            }
            show(shell, ways, runs)


if __name__ == "__main__":
    main()
