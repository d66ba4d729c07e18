"""The kinds of sources there are. One that is not listed here can't be added."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...memory.errors import HermesError
from ...memory.records import Repo
from .contract import Options, Source


class NoSuchKind(HermesError):
    """A kind of source is named that there is not."""

    code = "usage"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of source."""

    options: Callable[[Options], Options]
    """Given what a person said, returns how the source is set up. Raises what is wrong with it."""
    open: Callable[[Options, str | None, Sequence[Repo]], Source]
    """Given that, the token's value if there is one, and the repositories in memory, returns it."""
    is_current: Callable[[Options, str, Sequence[Repo]], bool] = lambda options, cursor, repos: (
        False
    )
    """Given how it is set up, its cursor and the repositories, says without much work, and contacting
    nobody, that there is nothing new."""


# Each is imported when it is first wanted: a client of some API takes its time and its room.


def _docs() -> Kind:
    from . import docs

    return Kind(docs.options, docs.open_source, docs.is_current)


def _github() -> Kind:
    from . import github

    return Kind(github.options, github.open_source)


def _slack() -> Kind:
    from . import slack

    return Kind(slack.options, slack.open_source)


def _linear() -> Kind:
    from . import linear

    return Kind(linear.options, linear.open_source)


KINDS: Mapping[str, Callable[[], Kind]] = {
    "docs": _docs,
    "github": _github,
    "linear": _linear,
    "slack": _slack,
}


def kind_of(name: str) -> Kind:
    """Return the kind with this name. Raise NoSuchKind."""
    if name not in KINDS:
        near = difflib.get_close_matches(name, KINDS, n=1)
        meant = f"; did you mean {near[0]}?" if near else ""
        raise NoSuchKind(
            f"there is no kind of source called {name}{meant}", hint=f"kinds: {', '.join(KINDS)}"
        )
    return KINDS[name]()
