"""From where jurors look, and how many do, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ...memory.errors import HermesError


class Mode(StrEnum):
    """How much of a council is held."""

    QUICK = "quick"
    STANDARD = "standard"
    DEEP = "deep"
    DEBATE = "debate"
    MIXED_MODEL = "mixed-model"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a mode asks for."""

    seats: int
    rounds: int
    """Of debate, at most, and only on a split."""
    families: int
    """Different model families that are wanted; fewer, and the verdict says so."""


PLANS = {
    Mode.QUICK: Plan(seats=1, rounds=0, families=1),
    Mode.STANDARD: Plan(seats=3, rounds=1, families=2),
    Mode.DEEP: Plan(seats=5, rounds=1, families=2),
    Mode.DEBATE: Plan(seats=3, rounds=2, families=2),
    Mode.MIXED_MODEL: Plan(seats=3, rounds=1, families=3),
}


@dataclass(frozen=True, slots=True)
class Perspective:
    """One way to look at the same evidence."""

    name: str
    instruction: str


@dataclass(frozen=True, slots=True)
class Preset:
    """Perspectives that together see a sort of question from all sides."""

    name: str
    perspectives: tuple[Perspective, ...]
    critical: str = ""
    """Why agreement alone is not enough here; empty where it is."""


class NoSuchPreset(HermesError):
    """A preset is named that there is not."""

    code = "no_such_preset"

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(
            f"there is no preset {name!r}", hint=f"one of {', '.join(known)}, or one of your own"
        )


_EVERY = (
    Perspective(
        "Advocate",
        "Make the best honest case for going ahead, and say what it would take to be wrong.",
    ),
    Perspective(
        "Skeptic", "Look for what breaks: the case nobody tested, the assumption nobody checked."
    ),
    Perspective(
        "Steward",
        "Think of who lives with it in a year: cost of change, of running it, of undoing it.",
    ),
    Perspective("Newcomer", "Judge by what the evidence says alone; name what it does not say."),
    Perspective(
        "Arbiter", "Weigh the strongest reason for against the strongest against, and decide."
    ),
)

PRESETS = {
    preset.name: preset
    for preset in (
        Preset("general", _EVERY),
        Preset(
            "architecture",
            (
                Perspective(
                    "Scale",
                    "Judge how it behaves at ten times the load, data and people: limits, failure, growth.",
                ),
                Perspective(
                    "Craft",
                    "Judge whether it is simple, clear and easy to change: coupling, names, boundaries.",
                ),
                Perspective(
                    "Razor",
                    "Judge whether it is needed at all: what is the least that does the job?",
                ),
            ),
        ),
        Preset(
            "code-review",
            (
                Perspective(
                    "Spec", "Judge whether it does what was asked, all of it, and nothing else."
                ),
                Perspective(
                    "Path",
                    "Walk each path through the code: edges, errors, empty input, concurrency, order.",
                ),
                Perspective(
                    "Surface",
                    "Judge what others see of it: interfaces, compatibility, messages, documents, tests.",
                ),
            ),
        ),
        Preset(
            "security",
            (
                Perspective(
                    "Red",
                    "Attack it: say what you would send, where it goes, and what you would gain.",
                ),
                Perspective(
                    "Blue",
                    "Defend it: say what stops, limits, detects and recovers from an attack.",
                ),
                Perspective(
                    "Auditor",
                    "Check what can be proven: who may do what, where secrets go, what is recorded.",
                ),
            ),
            critical="the security preset",
        ),
        Preset(
            "product",
            (
                Perspective(
                    "Value", "Judge who gains what from it, and whether that is worth its cost."
                ),
                Perspective(
                    "Barrier",
                    "Judge what keeps people from using it: effort, doubt, habit, change.",
                ),
                Perspective(
                    "Edge",
                    "Judge whom it fails: unusual users, languages, devices, sizes, mistakes.",
                ),
            ),
        ),
        Preset(
            "operations",
            (
                Perspective(
                    "Uptime",
                    "Judge what happens when it fails at night: reach, recovery, rollback.",
                ),
                Perspective(
                    "Lens", "Judge whether one can see what it does: logs, metrics, alerts, traces."
                ),
                Perspective(
                    "Cost", "Judge what it costs to run: machines, storage, calls, attention."
                ),
            ),
        ),
    )
}
DEFAULT = "general"


def preset_of(name: str, own: Sequence[Preset] = ()) -> Preset:
    """Return the preset of that name; the user's own before ours. Raise NoSuchPreset."""
    wanted = (name or DEFAULT).casefold().replace("_", "-").replace(" ", "-")
    known = PRESETS | {preset.name.casefold(): preset for preset in own}
    if wanted not in known:
        raise NoSuchPreset(name, sorted(known))
    return known[wanted]


def perspectives_for(preset: Preset, seats: int) -> tuple[Perspective, ...]:
    """Return as many perspectives as there are seats: the preset's, then general ones.

    A single seat weighs for and against instead of taking one side.
    """
    if seats == 1:
        return (_EVERY[-1],)
    return (*preset.perspectives, *(one for one in _EVERY if one not in preset.perspectives))[
        :seats
    ]
