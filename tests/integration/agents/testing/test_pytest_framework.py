"""pytest, run for real in real environments: what is reported of every way it can end."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

import pytest

from hermes.agents.testing.framework import EnvironmentBroken
from hermes.agents.testing.limits import Limits
from hermes.agents.testing.records import Changed, Mark, Report, State, Tree
from hermes.tests.builders.python_project import PythonProject, inodes, picked


def marks(report: Report) -> dict[str, str]:
    return {case.id: case.mark.value for case in report.cases}


SHOP = {
    "shop/__init__.py": "",
    "shop/cart.py": """\
        def total(prices):
            return add(prices)

        def add(prices):
            if prices is None:
                raise ValueError("no prices\\nat all")
            return sum(prices)
        """,
    "tests/test_cart.py": """\
        import pytest
        from shop.cart import total

        @pytest.fixture
        def broken():
            raise RuntimeError("no database")

        @pytest.fixture
        def leaving():
            yield
            raise RuntimeError("can't clean up")

        def test_total():
            assert total([1, 2]) == 3

        def test_none():
            total(None)

        def test_wrong():
            assert total([1]) == 2

        def test_set_up(broken):
            pass

        def test_tear_down(leaving):
            pass

        @pytest.mark.skip
        def test_skipped():
            pass

        @pytest.mark.xfail
        def test_expected():
            assert False

        class TestMany:
            @pytest.mark.parametrize("n", ["a b", "c::d", "[e]", "f/g\\\\"], ids=str)
            def test_odd(self, n):
                assert n
        """,
}


@pytest.fixture
def shop(tmp_path: Path) -> PythonProject:
    return PythonProject(tmp_path / "shop", SHOP)


def test_every_result_is_told_with_its_reason(shop: PythonProject) -> None:
    report = shop.run()
    assert report.state is State.RED
    found = marks(report)
    assert {
        name.partition("::")[2]: mark for name, mark in found.items() if "Many" not in name
    } == {
        "test_total": "passed",
        "test_none": "failed",
        "test_wrong": "failed",
        "test_set_up": "error",
        "test_tear_down": "error",
        "test_skipped": "skipped",
        "test_expected": "skipped",
    }
    assert len(found) == 11
    none = next(case for case in report.cases if case.id.endswith("test_none")).failure
    assert none is not None
    assert (none.exception, none.message) == ("ValueError", "no prices")
    assert (none.path, none.line) == ("shop/cart.py", 6)
    assert none.frames == (("tests/test_cart.py", 17), ("shop/cart.py", 2), ("shop/cart.py", 6))
    assert "raise ValueError" in none.text
    assert str(shop.folder / "snapshot") not in none.text + report.output
    wrong = next(case for case in report.cases if case.id.endswith("test_wrong")).failure
    assert wrong is not None
    assert (wrong.exception, wrong.message) == ("AssertionError", "assert 1 == 2")


def test_only_what_was_picked_is_run_whatever_its_name(shop: PythonProject) -> None:
    odd = [name for name in marks(shop.run()) if "Many" in name]
    report = shop.run(picked(*odd, "tests/test_cart.py::test_total", "tests/test_cart.py::gone"))
    assert report.state is State.GREEN
    assert sorted(marks(report)) == sorted([*odd, "tests/test_cart.py::test_total"])
    assert set(marks(shop.run(picked("tests/test_cart.py::TestMany")))) == set(odd)
    assert len(shop.run(picked("tests/test_cart.py", "tests/test_gone.py")).cases) == 11
    assert len(shop.run(picked("tests")).cases) == 11


def test_picks_that_are_all_gone_run_nothing(shop: PythonProject) -> None:
    report = shop.run(picked("tests/test_gone.py::test_a"))
    assert (report.state, report.cases) == (State.NOTHING, ())


def test_thousands_of_picks_fit(shop: PythonProject) -> None:
    many = [f"tests/test_{'x' * 200}_{n}.py::test_{n}" for n in range(500)]
    shop.write({name.partition("::")[0]: "" for name in many})
    shop.write({many[7].partition("::")[0]: "def test_7(): pass\n"})
    report = shop.run(picked(*many))
    assert marks(report) == {many[7]: "passed"}


def test_nothing_is_written_into_the_persons_tree(shop: PythonProject) -> None:
    (shop.site / "shop.pth").write_text(f"{shop.path}\n")  # installed editable
    # In the environment, and never imported before: a module, and a plugin, which pytest compiles.
    (shop.site / "fresh.py").write_text("A = 1\n")
    (shop.site / "fresh_plugin.py").write_text("def helper(): assert True\n")
    (shop.site / "started.py").write_text("A = 1\n")
    (shop.site / "started.pth").write_text("import started\n")
    shop.write(
        {
            "pytest.ini": "[pytest]\naddopts = -p fresh_plugin\n",
            "tests/test_writes.py": """\
                import pathlib, subprocess, sys, tempfile
                import fresh
                import shop.cart

                HERE = pathlib.Path(__file__).parent

                def test_writes(tmp_path):
                    (HERE / "snapshot.json").write_text("{}")
                    pathlib.Path("result.log").write_text("x")
                    (pathlib.Path(shop.cart.__file__).parent / "cache.txt").write_text("x")
                    (tmp_path / "a").write_text("x")
                    tempfile.NamedTemporaryFile(delete=False).close()
                    subprocess.run([sys.executable, "-c", "import shop.cart as c; "
                                    "open(c.__file__ + '.txt', 'w')"], check=True, cwd="/")
                    subprocess.run(["git", "add", "-A"], check=True)
                    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=b@c",
                                    "commit", "-qm", "x"], check=True)
                    import json.tool, xml.dom.minidom, wsgiref.simple_server
                    assert False
                """,
        }
    )
    before = inodes(shop.path)
    report = shop.run()
    assert marks(report)["tests/test_writes.py::test_writes"] == "failed"
    assert report.cases[-1].failure is not None
    assert report.cases[-1].failure.message == "assert False"
    assert inodes(shop.path) == before
    again = shop.tree()
    assert inodes(shop.path) == before
    assert not (again.root / "tests" / "snapshot.json").exists()
    assert not (again.root / "shop" / "cart.py.txt").exists()


@pytest.mark.parametrize("layout", ["pth", "finder", "src"])
def test_code_comes_from_the_snapshot_though_it_is_installed_editable(
    tmp_path: Path, layout: str
) -> None:
    package = "src/thing" if layout == "src" else "." if layout == "finder" else "thing"
    project = PythonProject(
        tmp_path / "work",
        {
            f"{package}/__init__.py": "",
            f"{package}/part.py": "WHERE = __file__\n",
            "tests/test_where.py": """\
                import subprocess, sys
                from thing import part

                def test_where():
                    code = "from thing import part; print(part.WHERE)"
                    child = subprocess.run([sys.executable, "-c", code], cwd="/",
                                           capture_output=True, text=True, check=True)
                    assert child.stdout.strip() == part.WHERE
                    assert "snapshot" in part.WHERE
                """,
            "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "--import-mode=importlib"\n',
        },
    )
    if layout == "finder":  # as setuptools writes it
        (project.site / "__editable___thing_finder.py").write_text(
            "import sys\nfrom importlib.util import spec_from_file_location\n"
            f"MAPPING = {{'thing': {str(project.path)!r}}}\n"
            "class _Finder:\n"
            "    @classmethod\n"
            "    def find_spec(cls, name, path=None, target=None):\n"
            "        if name in MAPPING:\n"
            "            return spec_from_file_location(name, MAPPING[name] + '/__init__.py')\n"
            "def install(): sys.meta_path.append(_Finder)\n"
        )
        (project.site / "thing.pth").write_text(
            "import __editable___thing_finder; __editable___thing_finder.install()\n"
        )
    else:
        source = project.path / "src" if layout == "src" else project.path
        (project.site / "thing.pth").write_text(f"{source}\n")
    report = project.run()
    assert [case.failure for case in report.cases] == [None]


def test_another_sitecustomize_still_runs(shop: PythonProject) -> None:
    (shop.site / "sitecustomize.py").write_text("import os; os.environ['THEIRS'] = 'ran'\n")
    shop.write(
        {"tests/test_site.py": "import os\ndef test_it(): assert os.environ['THEIRS'] == 'ran'\n"}
    )
    assert shop.run(picked("tests/test_site.py")).state is State.GREEN


def test_two_edits_of_one_size_within_a_second_are_told_apart(shop: PythonProject) -> None:
    choice = picked("tests/test_number.py")
    shop.write({"shop/number.py": "N = 1\n"})
    shop.write({"tests/test_number.py": "from shop.number import N\ndef test_n(): assert N == 2\n"})
    stamp = 1_700_000_000_000_000_000
    for number, state in ((1, State.RED), (2, State.GREEN), (3, State.RED)):
        shop.write({"shop/number.py": f"N = {number}\n"})
        os.utime(shop.path / "shop/number.py", ns=(stamp, stamp + number))
        assert shop.run(choice).state is state


def test_files_that_can_not_be_collected_do_not_keep_the_others_from_running(
    shop: PythonProject,
) -> None:
    shop.write(
        {
            "tests/test_half.py": "def test_half(:\n",
            "tests/test_import.py": "from shop.cart import gone\n",
            "tests/test_missing.py": "import no_such_thing\n",
        }
    )
    report = shop.run()
    assert report.state is State.UNCOLLECTED
    assert set(report.collected) == {
        *("tests/test_half.py", "tests/test_import.py", "tests/test_missing.py"),
    }
    assert report.collected["tests/test_half.py"].startswith("SyntaxError: ")
    assert "(tests/test_half.py:1)" in report.collected["tests/test_half.py"]
    assert "cannot import name 'gone'" in report.collected["tests/test_import.py"]
    assert "no_such_thing is not in the environment" in report.collected["tests/test_missing.py"]
    assert report.detail.startswith("3 files could not be collected: tests/test_half.py: Syntax")
    assert len(report.cases) == 11


@pytest.mark.parametrize(
    ("text", "state", "detail"),
    [
        ("import no_such_thing\n", State.BROKEN, "conftest.py needs no_such_thing, which the env"),
        ("from shop import gone\n", State.UNCOLLECTED, "conftest.py can't be imported: Import"),
        ("def broken(:\n", State.UNCOLLECTED, "conftest.py can't be imported: "),
        ("1 / 0\n", State.UNCOLLECTED, "conftest.py can't be imported: ZeroDivisionError"),
        (
            "def pytest_sessionstart(session): 1 / 0\n",
            State.BROKEN,
            "pytest broke: ZeroDivisionError",
        ),
        (
            "import pytest\ndef pytest_collection(session): pytest.exit('not today')\n",
            State.BROKEN,
            "pytest was stopped by the project's code: _pytest.outcomes.Exit: not today",
        ),
        ("import os\nos._exit(7)\n", State.BROKEN, "pytest did not start: exit code 7"),
    ],
)
def test_a_conftest_that_breaks_the_run_is_told_by_whose_fault_it_is(
    shop: PythonProject, text: str, state: State, detail: str
) -> None:
    shop.write({"conftest.py": text})
    report = shop.run()
    assert report.detail[: len(detail)] == detail
    assert (report.state, report.cases) == (state, ())


@pytest.mark.parametrize(
    ("options", "detail"),
    [
        ("addopts = --no-such-option", "pytest does not know --no-such-option"),
        ("addopts = -p no_such_plugin", "pytest can't load the plugin no_such_plugin"),
        ("required_plugins = pytest-nothing>=3", "the environment lacks pytest-nothing>=3"),
        ("minversion = 99", "pytest did not start: "),
    ],
)
def test_settings_that_the_environment_can_not_meet_are_told(
    shop: PythonProject, options: str, detail: str
) -> None:
    shop.write({"pytest.ini": f"[pytest]\n{options}\n"})
    report = shop.run()
    assert report.state is State.BROKEN
    assert detail in report.detail


def test_options_that_would_cut_results_short_do_not(shop: PythonProject) -> None:
    shop.write({"pytest.ini": "[pytest]\naddopts = -x -q -p no:cacheprovider --strict-config\n"})
    assert len(shop.run().cases) == 11


def test_a_project_without_tests_has_nothing_to_run(tmp_path: Path) -> None:
    project = PythonProject(tmp_path / "empty", {"a.py": "A = 1\n"})
    assert project.run().state is State.NOTHING


async def test_what_hangs_is_named_with_the_place_where_it_hung(shop: PythonProject) -> None:
    shop.write(
        {
            "tests/test_hang.py": """\
                import time

                def test_first(): pass

                def test_hang():
                    time.sleep(60)
                """
        }
    )
    report = await shop.run_in_loop(picked("tests/test_hang.py"), limit=6.0)
    assert report.state is State.TIMED_OUT
    assert report.detail.endswith("s in tests/test_hang.py::test_hang")
    assert marks(report) == {
        "tests/test_hang.py::test_first": "passed",
        "tests/test_hang.py::test_hang": "error",
    }
    hung = report.cases[-1].failure
    assert hung is not None
    assert (hung.exception, hung.path, hung.line) == ("TimedOut", "tests/test_hang.py", 6)


async def test_what_fills_the_disk_is_named(shop: PythonProject) -> None:
    shop.write(
        {
            "tests/test_disk.py": """\
                def test_fill(tmp_path):
                    for n in range(1_000_000):
                        (tmp_path / str(n)).write_bytes(bytes(1_000_000))
                """
        }
    )
    report = await shop.run_in_loop(
        picked("tests/test_disk.py"), limits=Limits(temporary_bytes=30_000_000)
    )
    assert report.state is State.OVERRAN
    assert report.detail == "it was stopped: it filled the disk in tests/test_disk.py::test_fill"


@pytest.mark.parametrize(
    ("text", "exception", "said"),
    [
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV", "killed by SIGSEGV"),
        ("import os; os._exit(0)", "Crashed", "left with 0 in the middle of it"),
        ("import os; os.kill(os.getpid(), 9)", "SIGKILL", "killed by SIGKILL"),
    ],
)
def test_a_crash_names_the_test(shop: PythonProject, text: str, exception: str, said: str) -> None:
    shop.write({"tests/test_crash.py": f"def test_crash(): {text}\n"})
    report = shop.run(picked("tests/test_crash.py"))
    assert report.state is State.RED
    assert (
        report.detail
        == f"the process {'was ' if 'killed' in said else ''}{said} in tests/test_crash.py::test_crash"
    )
    (case,) = report.cases
    assert (case.mark, case.failure and case.failure.exception) == (Mark.FAILED, exception)
    if exception == "SIGSEGV":
        assert case.failure is not None
        assert (case.failure.path, case.failure.line) == ("tests/test_crash.py", 1)


def test_a_test_that_needs_a_display_finds_none(
    shop: PythonProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    shop.write(
        {
            "tests/test_window.py": """\
                import os

                def test_window():
                    if "DISPLAY" not in os.environ:
                        raise OSError("no display name and no $DISPLAY environment variable")
                """
        }
    )
    report = shop.run(picked("tests/test_window.py"))
    assert report.state is State.RED
    assert report.detail == "1 needed a display; background runs have none"


def test_ids_are_relative_to_the_worktree_whatever_pytest_takes_for_its_root(
    shop: PythonProject,
) -> None:
    shop.write(
        {
            "back/pytest.ini": "[pytest]\n",
            "back/tests/test_b.py": "def test_b(): pass\n",
        }
    )
    target = "back/tests/test_b.py::test_b"
    assert marks(shop.run(picked(target))) == {target: "passed"}


def test_a_forked_child_that_comes_out_of_its_test_is_not_heard(shop: PythonProject) -> None:
    shop.write(
        {
            "tests/test_fork.py": """\
                import os

                def test_fork():
                    child = os.fork()
                    if child:
                        os.waitpid(child, 0)
                    assert child

                def test_after(): pass
                """
        }
    )
    report = shop.run(picked("tests/test_fork.py"))
    assert set(marks(report).values()) == {"passed"}
    assert report.state is State.GREEN


def test_an_environment_without_pytest_is_told_in_one_line(tmp_path: Path) -> None:
    project = PythonProject(tmp_path / "bare", {"test_a.py": "def test_a(): pass\n"})
    (project.site / "ours.pth").unlink()
    with pytest.raises(
        EnvironmentBroken, match=r"^\.venv has no pytest: run .*\.venv/bin/python -m"
    ):
        project.run()


def test_a_project_in_a_folder_uses_the_environment_at_the_top_and_leaves_it_alone(
    shop: PythonProject,
) -> None:
    (shop.site / "fresh.py").write_text("A = 1\n")
    (shop.site / "shop.pth").write_text(f"{shop.path}\n")
    shop.write(
        {
            "back/tests/test_b.py": """\
                import fresh
                import shop

                def test_b():
                    assert "snapshot" in shop.__file__
                """
        }
    )
    before = inodes(shop.path)
    whole = shop.tree()
    tree = Tree(whole.root / "back", whole.worktree / "back", whole.scratch)
    report = shop.run(picked("tests/test_b.py"), tree=tree)
    assert marks(report) == {"tests/test_b.py::test_b": "passed"}
    assert inodes(shop.path) == before


BREAKING = """\
    def pytest_addoption(parser):
        parser.addoption("--testmon-noselect", action="store_true")

    def pytest_runtest_logreport(report):
        raise IndexError("list index out of range")
    """


def test_a_testmon_that_breaks_pytest_is_done_without_from_then_on(tmp_path: Path) -> None:
    project = PythonProject(tmp_path / "shop", {"test_a.py": "def test_a(): pass\n"})
    described = project.site / "pytest_testmon-2.2.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: pytest-testmon\nVersion: 2.2.0\n"
    )
    (described / "entry_points.txt").write_text("[pytest11]\ntestmon = testmon.breaking\n")
    (project.site / "testmon").mkdir()
    (project.site / "testmon" / "__init__.py").touch()
    (project.site / "testmon" / "breaking.py").write_text(textwrap.dedent(BREAKING))
    tree = project.tree()
    first = project.framework.choose(tree, Changed(whole=True))
    report = project.run(first, tree=tree)
    assert (first.by, report.state) == ("testmon", State.BROKEN)
    assert report.detail == (
        "pytest-testmon breaks pytest here (pytest broke: IndexError: list index out of range); "
        "from the next run on tests are chosen without it"
    )
    assert project.framework.choose(tree, Changed(whole=True)).by == "imports"
