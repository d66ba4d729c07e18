"""go, cargo, jest, vitest and commands.

What the tools print was recorded from Go 1.26, cargo 1.95, jest 30.5 and vitest 4.1 on a small
project; here small programs of the same names print it again.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from hermes.agents.project_settings import ProjectTests
from hermes.agents.testing.cargo import Cargo
from hermes.agents.testing.command import Command
from hermes.agents.testing.framework import EnvironmentBroken
from hermes.agents.testing.go import Go
from hermes.agents.testing.javascript import JavaScript
from hermes.agents.testing.records import Changed, Choice, Ended, Mark, Pick, Report, State, Tree

RECORDED = Path(__file__).with_name("recorded")
WHOLE = Choice((), "asked", "", whole=True)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path / "tree", tmp_path / "worktree", tmp_path / "scratch")
    for folder in (made.root, made.worktree, made.scratch, tmp_path / "bin"):
        folder.mkdir()
    return made


@pytest.fixture
def programs(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is alone on the PATH, but for what scripts need."""
    folder = tree.root.parent / "bin"
    (folder / "cat").symlink_to("/bin/cat")
    monkeypatch.setenv("PATH", str(folder))
    return folder


def said(tree: Tree, name: str) -> str:
    text = (RECORDED / name).read_text()
    return text.replace("{root}", str(tree.root)).replace("{scratch}", str(tree.scratch))


def program(programs: Path, name: str, text: str) -> None:
    (programs / f"{name}.txt").write_text(text)
    script = programs / name
    script.write_text(f"#!/bin/sh\nexec cat {programs / f'{name}.txt'}\n")
    script.chmod(0o755)


def marks(report: Report) -> dict[str, Mark]:
    return {case.id: case.mark for case in report.cases}


def go_project(tree: Tree) -> None:
    (tree.root / "go.mod").write_text("module example.com/shop\n")
    for folder in ("cart", "price", "web"):
        (tree.root / folder).mkdir()


@pytest.mark.parametrize(
    ("changed", "chosen"),
    [
        ("price/price.go", ["cart", "price"]),
        ("cart/cart_test.go", ["cart"]),
        ("web/data/page.html", ["web"]),
        ("README.md", []),
    ],
)
def test_go_chooses_packages_that_import_what_changed(
    tree: Tree, programs: Path, changed: str, chosen: list[str]
) -> None:
    go_project(tree)
    program(programs, "go", said(tree, "go-list.txt"))
    choice = Go().choose(tree, Changed((changed,)))
    assert [pick.target for pick in choice.picks] == [f"example.com/shop/{x}" for x in chosen]
    assert not choice.whole


def test_go_without_go_says_so_in_one_line(tree: Tree, programs: Path) -> None:
    with pytest.raises(EnvironmentBroken, match="go is not installed"):
        Go().choose(tree, Changed(("a.go",)))


def test_go_results_are_read_with_their_failures(tree: Tree) -> None:
    go_project(tree)
    (tree.scratch / "go.jsonl").write_text(said(tree, "go-test.txt"))
    report = Go().read(tree, WHOLE, Ended(1, 1.0, ""))
    assert report.state is State.RED
    found = {case.id.removeprefix("example.com/shop/"): case for case in report.cases}
    assert found["cart::TestSkip"].mark is Mark.SKIPPED
    assert found["web::TestWeb"].mark is Mark.PASSED
    assert "cart::TestTotal" not in found  # its subtest says it
    failed = found["cart::TestTotal/one"].failure
    assert failed is not None
    assert (failed.message, failed.path, failed.line) == (
        "Total(1) = 5, want 6",
        "cart/cart_test.go",
        8,
    )
    panic = found["price::TestPanics"].failure
    assert panic is not None
    assert (panic.exception, panic.path, panic.line) == ("panic", "price/price_test.go", 7)


def test_a_go_assertion_of_testify_is_told_by_what_it_says(tree: Tree) -> None:
    go_project(tree)
    said = (
        "    cart_test.go:9: \n        \tError Trace:\t{root}/cart/cart_test.go:9\n"
        '        \tError:      \tNot equal: \n        \t            \texpected: "/"\n'
        '        \t            \tactual  : "/x"\n        \t            \t\n'
        "        \t            \tDiff:\n        \tTest:       \tTestPath\n"
    )
    about = {"Package": "example.com/shop/cart", "Test": "TestPath"}
    events = [{"Action": "output", "Output": f"{line}\n"} for line in said.splitlines()]
    lines = [
        json.dumps(event | about, separators=(",", ":")) for event in (*events, {"Action": "fail"})
    ]
    (tree.scratch / "go.jsonl").write_text("\n".join(lines))
    (case,) = Go().read(tree, WHOLE, Ended(1, 1.0, "")).cases
    assert case.failure is not None
    assert case.failure.message == 'Not equal: expected: "/" actual : "/x"'
    assert (case.failure.path, case.failure.line) == ("cart/cart_test.go", 9)


def test_a_go_build_failure_names_the_file_and_the_line(tree: Tree) -> None:
    go_project(tree)
    (tree.scratch / "go.jsonl").write_text(said(tree, "go-build.txt"))
    report = Go().read(tree, WHOLE, Ended(1, 1.0, ""))
    assert report.state is State.UNCOLLECTED
    assert report.detail.startswith("price/price.go: line 3: invalid operation")


def test_single_go_tests_are_run_by_name(tree: Tree, programs: Path) -> None:
    program(programs, "go", "")
    picks = (Pick("example.com/shop/cart::TestTotal/one", "asked"),)
    argv = Go().invocation(tree, Choice(picks, "asked", "")).argv
    assert argv[-3:] == ("-run", "^(TestTotal)$", "example.com/shop/cart")


@pytest.mark.parametrize(
    ("changed", "chosen"),
    [("price/src/lib.rs", ["cart", "price"]), ("cart/src/lib.rs", ["cart"]), ("README.md", [])],
)
def test_cargo_chooses_packages_that_depend_on_what_changed(
    tree: Tree, programs: Path, changed: str, chosen: list[str]
) -> None:
    program(programs, "cargo", said(tree, "cargo-metadata.txt"))
    choice = Cargo().choose(tree, Changed((changed,)))
    assert [pick.target for pick in choice.picks] == chosen
    assert not choice.whole


def test_cargo_chooses_everything_for_the_lock_file(tree: Tree, programs: Path) -> None:
    program(programs, "cargo", said(tree, "cargo-metadata.txt"))
    assert Cargo().choose(tree, Changed(("Cargo.lock",))).whole


def test_cargo_results_are_read_with_their_failures(tree: Tree) -> None:
    (tree.scratch / "cargo.txt").write_text(said(tree, "cargo-test.txt"))
    report = Cargo().read(tree, WHOLE, Ended(101, 1.0, ""))
    assert report.state is State.RED
    assert marks(report) == {
        "cart::tests::later": Mark.SKIPPED,
        "cart::tests::good": Mark.PASSED,
        "cart::tests::panics": Mark.FAILED,
        "cart::tests::totals": Mark.FAILED,
        "cart (doc)::cart/src/lib.rs - total (line 2)": Mark.PASSED,
    }
    failed = next(case.failure for case in report.cases if case.id == "cart::tests::totals")
    assert failed is not None
    assert (failed.exception, failed.path, failed.line) == ("panic", "cart/src/lib.rs", 13)
    assert failed.message == "assertion `left == right` failed: one"


def test_a_compile_error_names_the_file_and_the_line(tree: Tree) -> None:
    (tree.scratch / "cargo.txt").write_text(said(tree, "cargo-build.txt"))
    report = Cargo().read(tree, WHOLE, Ended(101, 1.0, ""))
    assert report.state is State.UNCOLLECTED
    assert report.detail == "price/src/lib.rs: line 2: this file contains an unclosed delimiter"


def test_a_missing_crate_says_what_to_do(tree: Tree) -> None:
    (tree.scratch / "cargo.txt").write_text(
        "error: no matching package named `serde` found\nlocation searched: crates.io index\n"
    )
    report = Cargo().read(tree, WHOLE, Ended(101, 1.0, ""))
    assert report.state is State.BROKEN
    assert "run cargo fetch" in report.detail


def test_jest_results_are_read_with_their_failures(tree: Tree) -> None:
    (tree.scratch / "jest.json").write_text(said(tree, "jest.json"))
    report = JavaScript("jest").read(tree, WHOLE, Ended(1, 1.0, ""))
    assert report.state is State.UNCOLLECTED
    assert report.collected == {
        "src/broken.test.js": "Cannot find module './nope' from 'src/broken.test.js'"
    }
    assert marks(report) == {
        "src/cart.test.js::cart > totals": Mark.FAILED,
        "src/cart.test.js::cart > good": Mark.PASSED,
        "src/cart.test.js::cart > later": Mark.SKIPPED,
        "src/other.test.js::other": Mark.PASSED,
    }
    failed = report.cases[0].failure
    assert failed is not None
    assert (failed.path, failed.line) == ("src/cart.test.js", 3)
    assert failed.message == "expect(received).toBe(expected) // Object.is equality"


def test_vitest_results_are_read_with_their_failures(tree: Tree) -> None:
    (tree.scratch / "vitest.json").write_text(said(tree, "vitest.json"))
    report = JavaScript("vitest").read(tree, WHOLE, Ended(1, 1.0, ""))
    assert set(report.collected) == {"vit/broken.spec.mjs"}
    failed = report.cases[0].failure
    assert failed is not None
    assert (failed.exception, failed.path, failed.line) == (
        "AssertionError",
        "vit/cart.spec.mjs",
        3,
    )


def test_javascript_leaves_related_tests_to_the_framework(tree: Tree) -> None:
    (tree.root / "a.js").write_text("")
    jest = JavaScript("jest")
    assert [pick.target for pick in jest.choose(tree, Changed(("a.js",))).picks] == ["a.js"]
    assert jest.choose(tree, Changed(("gone.js",))).whole
    assert jest.choose(tree, Changed(("package.json",))).whole
    assert jest.choose(tree, Changed(("data.csv",))).whole
    assert not jest.choose(tree, Changed(("README.md",))).whole


def test_jest_is_run_from_node_modules_with_its_cache_in_our_folder(
    tree: Tree, programs: Path
) -> None:
    program(programs, "node", "")
    with pytest.raises(EnvironmentBroken, match="run npm install"):
        JavaScript("jest").invocation(tree, WHOLE)
    script = tree.root / "node_modules" / ".bin" / "jest"
    script.parent.mkdir(parents=True)
    script.write_text("")
    made = JavaScript("jest").invocation(tree, Choice((Pick("a.js", ""),), "related", ""))
    assert made.argv[:2] == (str(programs / "node"), str(script))
    assert made.argv[-2:] == ("--findRelatedTests", "a.js")
    assert f"--cacheDirectory={tree.scratch / 'jest'}" in made.argv


def test_a_command_runs_when_a_file_it_names_changed(tree: Tree, programs: Path) -> None:
    command = Command(ProjectTests(command=("check", "--all"), files=("*.c", "!vendor/")))
    assert command.choose(tree, Changed(("a.c",))).whole
    assert not command.choose(tree, Changed(("a.py",))).whole
    assert command.choose(tree, Changed(whole=True)).whole
    with pytest.raises(EnvironmentBroken, match="check"):
        command.invocation(tree, WHOLE)
    program(programs, "check", "")
    assert command.invocation(tree, WHOLE).argv == (os.path.join(programs, "check"), "--all")


@pytest.mark.parametrize(
    ("ended", "state"),
    [
        (Ended(0, 1.0, "fine"), State.GREEN),
        (Ended(2, 1.0, "one\n3 of 4 failed\n"), State.RED),
        (Ended(127, 1.0, "sh: nope: not found"), State.BROKEN),
        (Ended(None, 1.0, "", "time"), State.TIMED_OUT),
        (Ended(None, 1.0, "", "disk"), State.OVERRAN),
    ],
)
def test_a_commands_exit_code_is_its_result(tree: Tree, ended: Ended, state: State) -> None:
    report = Command(ProjectTests(command=("x",))).read(tree, WHOLE, ended)
    assert report.state is state
    if state is State.RED:
        assert report.cases[0].failure is not None
        assert report.cases[0].failure.message == "3 of 4 failed"
