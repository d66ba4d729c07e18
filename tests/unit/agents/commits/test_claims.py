"""A message is held to what the lines of the change can refute."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hermes.agents.commits.claims import false_claims
from hermes.agents.commits.options import changed_options, renamed_option
from hermes.agents.commits.records import Change, Dependency, Draft, Facts, FileChange, Hunk

FACTS = Facts("feat", "main", "shop/cli.py", ())
BUMP = Facts(
    "build", "httpx", "pyproject.toml", (),
    dependencies=(Dependency("httpx", "0.27", "0.28", "pyproject.toml"),),
)  # fmt: skip


def change(*lines: str, path: str = "shop/cli.py", defines: tuple[str, ...] = ()) -> Change:
    added = sum(line[0] == "+" for line in lines)
    hunk = Hunk("@@ -1,9 +1,9 @@", lines)
    file = FileChange(path, "changed", added=added, removed=len(lines) - added, hunks=(hunk,))
    return Change((replace(file, defines=frozenset(defines)),))


RENAMED = change("-def old_name(x):", "+def new_name(x):")
OPTION = change('+parser.add_argument("--type", help="as --kind was")')
NAMED = Change(
    (
        *change("-    return 1", "+    return 2", defines=("--other",)).files,
        *change("+As `ls --type` does.", path="README.md").files,
    )
)
VERSIONS = change('-    "httpx>=0.27",', '+    "httpx>=0.28",', path="pyproject.toml")


@pytest.mark.parametrize(
    ("subject", "made", "facts"),
    [
        ("Rename new_name to old_name", RENAMED, FACTS),
        ("Use old_name instead of new_name", RENAMED, FACTS),
        ("Remove `new_name`", RENAMED, FACTS),
        ("Add `old_name`", RENAMED, FACTS),
        ("Add the option --type", NAMED, FACTS),
        ("Remove the option --type", OPTION, FACTS),
        ("Bump httpx from 0.28 to 0.27", VERSIONS, BUMP),
        ("Add tests for new_name", RENAMED, FACTS),
    ],
)
def test_what_the_lines_refute_is_a_false_claim(subject: str, made: Change, facts: Facts) -> None:
    assert [each.rule for each in false_claims(Draft(subject), made, facts)] == ["false_claim"]


@pytest.mark.parametrize(
    ("subject", "made", "facts"),
    [
        ("Rename old_name to new_name", RENAMED, FACTS),
        ("Use new_name instead of old_name", RENAMED, FACTS),
        ("Remove `old_name`", RENAMED, FACTS),
        ("Add the option --type", OPTION, FACTS),
        ("Bump httpx from 0.27 to 0.28", VERSIONS, BUMP),
        ("Add documentation for --type", NAMED, FACTS),
        ("Move help from one place to another", RENAMED, FACTS),
        ("Add tests for new_name", change("+def test_new_name(): ...", path="tests/a.py"), FACTS),
    ],
)
def test_what_the_lines_bear_out_or_say_nothing_of_may_stand(
    subject: str, made: Change, facts: Facts
) -> None:
    assert false_claims(Draft(subject), made, facts) == []


def test_of_a_change_that_was_not_read_whole_nothing_is_refuted() -> None:
    unread = Change((FileChange("big.py", "changed", added=9, removed=9),), cut=True)
    assert false_claims(Draft("Add `old_name`"), unread, FACTS) == []


@pytest.mark.parametrize(
    ("lines", "new"),
    [
        (['+parser.add_argument("-t", "--type")'], ("--type",)),
        (["+@click.option(", '+    "--type",', "+)"], ("--type",)),
        (['+flags.StringVar(&kind, "type", "", "what kind")'], ("--type",)),
        (['+    #[arg(long = "type")]'], ("--type",)),
        (['+parser.add_argument("--kind", help="like --type")'], ("--kind",)),
        (['+# add_argument("--type")'], ()),
        (['+run("--type")'], ()),
    ],
)
def test_an_option_is_what_code_defines(lines: list[str], new: tuple[str, ...]) -> None:
    assert changed_options(change(*lines).files) == (new, ())


def test_an_option_in_anothers_place_is_a_rename() -> None:
    made = change('-parser.add_argument("--fast", action="store_true")',
                  '+parser.add_argument("--quick", action="store_true")')  # fmt: skip
    assert renamed_option(made.files) == ("--fast", "--quick")
