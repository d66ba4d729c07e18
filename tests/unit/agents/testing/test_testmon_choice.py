"""How testmon's record narrows a choice.

The record here has the tables of testmon 2.2; what takes files apart is a stand-in of a few lines,
run in a real interpreter, since the project's environment brings the real one.
"""

from __future__ import annotations

import array
import json
import sqlite3
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

import pytest

from hermes.agents.testing import outside, python_choice, testmon
from hermes.agents.testing.interpreters import Interpreter
from hermes.agents.testing.records import Changed, Choice, Tree

STAND_IN = {
    "__init__.py": "",
    "common.py": (
        "import os\n"
        "def get_system_packages(): return open(os.path.dirname(__file__) + '/packages').read()\n"
        "def drop_patch_version(text): return text\n"
    ),
    # A block is a line here.
    "process_code.py": (
        "import array, zlib\n"
        "def blob_to_checksums(blob):\n"
        "    found = array.array('i')\n    found.frombytes(blob)\n    return found.tolist()\n"
        "def bytes_to_string_and_fsha(data): return data.decode(), ''\n"
        "class Module:\n"
        "    def __init__(self, source_code, ext):\n"
        "        self.method_checksums = [(zlib.crc32(x.encode()) ^ 0x80000000) - 0x80000000\n"
        "                                 for x in source_code.splitlines()]\n"
    ),
    "packages": "pytest 9",
}
CART = (
    "LIMIT = 5\ndef total():\n    return 1\ndef tax():\n    return 2\n"
    "def rate():\n    return 3\ndef late():\n    return 4\n"
)
FILES = {
    "cart.py": CART,
    "test_a.py": "import cart\ndef test_total(): cart.total()\ndef test_tax(): cart.tax()\n",
    "test_b.py": "import cart\ndef test_limit(): cart.LIMIT\n",
    "test_c.py": "import cart, subprocess\ndef test_run(): subprocess.run(['x'])\n",
    "test_d.py": "import cart\nRATE = cart.rate()\ndef test_rate(): RATE\n",
}
RAN = {
    "test_a.py::test_total": {"cart.py": ["    return 1"]},
    "test_a.py::test_tax": {"cart.py": ["    return 2"]},
    "test_b.py::test_limit": {"test_b.py": ["import cart"]},
    "test_c.py::test_run": {"test_c.py": ["import cart, subprocess"]},
    "test_d.py::test_rate": {"test_d.py": ["import cart"]},
}


# What the recorder writes: rate() ran for test_d.py, late() for nobody knows whom.
OUTSIDE = (
    {"pid": 7, "begun": True},
    {
        "pid": 7,
        "ran": [["cart.py", 6, "test_d.py"], ["cart.py", 8, ""]],
        "unseen": ["test_c.py::test_run"],
        "unseen_in": [],
    },
)


@dataclass(frozen=True, slots=True)
class Project:
    tree: Tree
    python: Interpreter
    packages: Path

    def choose(self, *paths: str, whole: bool = False) -> Choice:
        return python_choice.choose(self.tree, Changed(paths, (), whole), self.python, True)

    def change(self, old: str, new: str) -> Choice:
        file = self.tree.root / "cart.py"
        file.write_text(file.read_text().replace(old, new))
        return self.choose("cart.py")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project all of whose tests were recorded."""
    tree = Tree(tmp_path / "tree", tmp_path / "tree", tmp_path / "scratch")
    for folder, files in ((tree.root, FILES), (tmp_path / "site" / "testmon", STAND_IN)):
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_text(text)
    script = tmp_path / "python"
    script.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path / "site"} exec {sys.executable} "$@"\n')
    script.chmod(0o755)
    python = Interpreter(script, "here", (3, 11, 0), tmp_path, True, "9", "2.2")
    made = Project(tree, python, tmp_path / "site" / "testmon" / "packages")
    made.choose(whole=True)
    record(tree)
    python_choice.settled(tree)
    return made


def record(tree: Tree, version: int = 14) -> None:
    database = sqlite3.connect(tree.scratch / testmon.DATA)
    database.executescript(
        f"""
        PRAGMA user_version = {version};
        CREATE TABLE IF NOT EXISTS environment (id INTEGER PRIMARY KEY, environment_name TEXT,
            system_packages TEXT, python_version TEXT);
        CREATE TABLE IF NOT EXISTS test_execution (id INTEGER PRIMARY KEY, environment_id INTEGER,
            test_name TEXT, duration FLOAT, failed BIT, forced BIT);
        CREATE TABLE IF NOT EXISTS file_fp (id INTEGER PRIMARY KEY, filename TEXT,
            method_checksums BLOB, mtime FLOAT, fsha TEXT);
        CREATE TABLE IF NOT EXISTS test_execution_file_fp (test_execution_id INTEGER,
            fingerprint_id INTEGER);
        INSERT INTO environment VALUES (NULL, 'default', '', '');
        """
    )
    environment = database.execute("SELECT max(id) FROM environment").fetchone()[0]
    for name, files in RAN.items():
        test = database.execute(
            "INSERT INTO test_execution VALUES (NULL, ?, ?, 0, 0, 0)", (environment, name)
        ).lastrowid
        for file, lines in files.items():
            sums = [(zlib.crc32(line.encode()) ^ 0x80000000) - 0x80000000 for line in lines]
            blob = array.array("i", sums).tobytes()
            row = database.execute(
                "INSERT INTO file_fp VALUES (NULL, ?, ?, 0, 'sha')", (file, blob)
            ).lastrowid
            database.execute("INSERT INTO test_execution_file_fp VALUES (?, ?)", (test, row))
    database.commit()
    database.close()
    write_outside(tree, *OUTSIDE)


def write_outside(tree: Tree, *lines: object) -> None:
    outside.place(tree).write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def picked(choice: Choice) -> dict[str, str]:
    assert not choice.whole, choice.why
    return {pick.target: pick.why for pick in choice.picks}


def test_a_change_inside_a_function_chooses_the_tests_that_ran_it(project: Project) -> None:
    assert picked(project.change("return 1", "return 9")) == {
        "test_a.py::test_total": "testmon: runs code of cart.py, which changed",
        # testmon does not see into other processes
        "test_c.py::test_run": "starts processes and imports cart.py, which changed",
    }


def test_what_ran_for_a_file_before_tests_chooses_who_needs_that_file(project: Project) -> None:
    assert picked(project.change("return 3", "return 9")) == {
        "test_c.py::test_run": "starts processes and imports cart.py, which changed",
        "test_d.py": "runs code of cart.py, which changed, before its tests",
    }


def test_what_ran_for_nobody_knows_whom_chooses_by_imports(project: Project) -> None:
    choice = project.change("return 4", "return 9")
    assert set(picked(choice)) == {"test_a.py", "test_b.py", "test_c.py", "test_d.py"}


def test_a_record_of_a_process_that_crashed_narrows_nothing(project: Project) -> None:
    project.choose("cart.py")
    write_outside(project.tree, *OUTSIDE, {"pid": 8, "begun": True})
    python_choice.settled(project.tree)
    choice = project.change("return 1", "return 9")
    assert set(picked(choice)) == {"test_a.py", "test_b.py", "test_c.py", "test_d.py"}


def test_a_run_of_few_tests_adds_to_what_is_known(project: Project) -> None:
    project.choose("cart.py")
    nothing = {"pid": 9, "ran": [], "unseen": ["test_b.py::test_limit"], "unseen_in": []}
    write_outside(project.tree, {"pid": 9, "begun": True}, nothing)
    python_choice.settled(project.tree)
    chosen = set(picked(project.change("return 3", "return 9")))
    assert chosen == {"test_b.py::test_limit", "test_c.py::test_run", "test_d.py"}


def test_a_test_that_changed_inside_is_run_alone(project: Project) -> None:
    file = project.tree.root / "test_a.py"
    file.write_text(file.read_text().replace("cart.tax()", "assert cart.tax()"))
    assert picked(project.choose("test_a.py")) == {"test_a.py::test_tax": "changed itself"}


def test_a_change_of_what_runs_at_import_chooses_by_imports(project: Project) -> None:
    choice = project.change("LIMIT = 5", "LIMIT = 6")
    assert set(picked(choice)) == {"test_a.py", "test_b.py", "test_c.py", "test_d.py"}


def test_a_change_whose_run_was_stopped_is_not_forgotten(project: Project) -> None:
    project.change("LIMIT = 5", "LIMIT = 6")  # chosen, and never run to its end
    assert "test_b.py" in picked(project.change("return 1", "return 9"))


def test_a_comment_chooses_nothing(project: Project) -> None:
    assert picked(project.change("LIMIT = 5", "LIMIT = 5  # most")) == {}


def test_the_first_run_and_another_environment_run_everything(project: Project) -> None:
    project.packages.write_text("pytest 10")
    choice = project.choose("cart.py")
    assert (choice.whole, choice.by) == (True, "testmon")
    assert "packages changed" in choice.why
    testmon.forget(project.tree)
    assert project.choose("cart.py").why == "the whole suite: testmon has no record yet"


def test_an_unknown_testmon_is_not_asked_and_that_is_said(project: Project) -> None:
    database = sqlite3.connect(project.tree.scratch / testmon.DATA)
    database.execute("PRAGMA user_version = 15")
    database.close()
    choice = project.change("return 1", "return 9")
    assert set(picked(choice)) == {"test_a.py", "test_b.py", "test_c.py", "test_d.py"}
    assert choice.by == "imports"
    assert "its record is of version 15, not 14" in choice.why
