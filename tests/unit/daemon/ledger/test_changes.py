"""What changed is united: never less than was said, and bounded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.daemon.ledger.changes import MOST_FOLDERS, MOST_PATHS, Changes, unite

_MANY = tuple(f"src/{number}.py" for number in range(MOST_PATHS))
_TOPS = tuple(f"{number}.py" for number in range(MOST_PATHS))
_FOLDERS = tuple(f"pkg{number}" for number in range(MOST_FOLDERS))


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        pytest.param(
            Changes(("b", "a")), Changes(("c", "a")), Changes(("a", "b", "c")), id="paths"
        ),
        pytest.param(
            Changes(("src/a.py", "b")),
            Changes((), ("src",)),
            Changes(("b",), ("src",)),
            id="folder",
        ),
        pytest.param(
            Changes((), ("src/deep",)), Changes((), ("src",)), Changes((), ("src",)), id="above"
        ),
        pytest.param(
            Changes(("srcs/a",), ("src",)), Changes(), Changes(("srcs/a",), ("src",)), id="like"
        ),
        pytest.param(Changes(("a",)), Changes(whole=True), Changes(whole=True), id="whole"),
        pytest.param(Changes(_MANY), Changes(("b",)), Changes(("b",), ("src",)), id="too many"),
        pytest.param(Changes(_TOPS), Changes(("b",)), Changes(whole=True), id="too many on top"),
        pytest.param(
            Changes((), _FOLDERS), Changes((), ("more",)), Changes(whole=True), id="many folders"
        ),
        pytest.param(Changes(_MANY), Changes(_MANY), Changes(tuple(sorted(_MANY))), id="the most"),
    ],
)
def test_changes_are_told_together(first: Changes, second: Changes, together: Changes) -> None:
    assert unite(first, second) == together
    assert unite(second, first) == together


_NAMES = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join)
_CHANGES = st.builds(
    Changes, st.lists(_NAMES).map(tuple), st.lists(_NAMES).map(tuple), st.booleans()
)


def _covers(changes: Changes, path: str) -> bool:
    return (
        changes.whole
        or path in changes.paths
        or any(path == folder or path.startswith(folder + "/") for folder in changes.folders)
    )


@given(_CHANGES, _CHANGES)
def test_nothing_that_changed_is_left_out(first: Changes, second: Changes) -> None:
    together = unite(first, second)
    for path in (*first.paths, *second.paths, *first.folders, *second.folders):
        assert _covers(together, path)
