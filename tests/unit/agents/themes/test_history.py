"""What the shape of history tells: when commits landed, and with what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from hermes.agents.themes.history import brought, lines_of, named, read
from hermes.memory.graph import Node


def graph(
    edges: Mapping[str, Sequence[str]], subjects: Mapping[str, str] | None = None
) -> list[Node]:
    """Return commits, a second apart, in the order in which they are named."""
    return [
        Node(sha, tuple(parents), number, number, (subjects or {}).get(sha, sha), "Sam", "sam@x")
        for number, (sha, parents) in enumerate(edges.items(), start=1)
    ]


MERGED = {
    "a": (),
    "b": ("a",),
    "x": ("a",),
    "y": ("x",),
    "c": ("b",),
    "m": ("c", "y"),
    "z": ("y",),
}
"""x and y came to main with m; z waits on the branch."""


def test_commits_land_when_they_are_merged() -> None:
    nodes = graph(MERGED, {"m": "Merge pull request #7 from sam/topic"})
    history = read(nodes, {"refs/heads/main": "m", "refs/heads/topic": "z"}, 0)

    assert history.landed == {"a": 1, "b": 2, "c": 5, "x": 6, "y": 6, "m": 6}
    assert history.pulls == {"m": "#7", "x": "#7", "y": "#7"}
    assert history.branches == {"z": "topic"}
    assert history.merges["m"].brings == ("x", "y")


@pytest.mark.parametrize(
    ("edges", "merge", "expected"),
    [
        (MERGED, "m", ["x", "y"]),
        ({"a": (), "x": ("a",), "m": ("a", "x")}, "m", ["x"]),
        ({"a": (), "b": ("a",), "m": ("b", "a")}, "m", []),
        # main was merged into the branch before: what came from there is not brought by it
        (
            {
                "a": (),
                "x": ("a",),
                "b": ("a",),
                "u": ("x", "b"),
                "y": ("u",),
                "m": ("b", "y"),
            },
            "m",
            ["x", "u", "y"],
        ),
        ({"a": (), "x": ("a",), "y": ("a",), "o": ("a", "x", "y")}, "o", ["x", "y"]),
        ({"m": ("gone", "lost")}, "m", []),
    ],
)
def test_a_merge_brings_what_was_not_there(
    edges: Mapping[str, Sequence[str]], merge: str, expected: list[str]
) -> None:
    nodes = {node.sha: node for node in graph(edges)}
    assert list(brought(nodes[merge], nodes)) == expected


@pytest.mark.parametrize(
    ("subject", "key", "branch"),
    [
        ("Merge pull request #482 from sam/retry", "#482", "sam/retry"),
        ("Merged in retry (pull request #12)", "#12", "retry"),
        ("Retry failed payments (#482)", "#482", ""),
        ("Merge branch 'retry'", "", "retry"),
        ("Merge remote-tracking branch 'origin/stable'", "", "origin/stable"),
        ("Made a mess", "", ""),
    ],
)
def test_a_merge_names_a_pull_request_or_a_branch(subject: str, key: str, branch: str) -> None:
    assert named(subject) == (key, branch)


@pytest.mark.parametrize(
    ("heads", "lines"),
    [
        (["topic", "main"], ["main"]),
        (["master", "main"], ["main"]),
        (
            ["main", "stable", "2.3.x", "release/4", "v5", "retry"],
            ["main", "2.3.x", "release/4", "stable", "v5"],
        ),
        (["topic"], ["topic"]),
        ([], []),
    ],
)
def test_the_main_branch_and_those_of_releases_are_where_work_is_done(
    heads: list[str], lines: list[str]
) -> None:
    nodes = {node.sha: node for node in graph({"a": ()})}
    assert lines_of(dict.fromkeys(sorted(heads), "a"), nodes) == lines


def test_merging_a_release_branch_is_no_piece_of_work() -> None:
    nodes = graph(MERGED, {"m": "Merge branch '2.3.x'"})
    assert read(nodes, {"refs/heads/main": "m"}, 0).merges == {}


def test_a_pull_request_that_was_taken_into_another_branch_is_taken_in() -> None:
    nodes = graph(MERGED, {"m": "Merge pull request #7 from sam/topic"})
    history = read(
        [*nodes, Node("n", ("a",), 9, 9, "n", "Sam", "s@x")], {"refs/heads/main": "n"}, 0
    )

    assert history.landed["x"] == 6
    assert "z" not in history.landed
