"""How testmon's record narrows a choice.

The record here has the tables of testmon 2.2; what takes files apart is a stand-in of a few lines,
run in a real interpreter, since the project's environment brings the real one.
"""

from __future__ import annotations

import array
import sqlite3
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

import pytest

from hermes.agents.testing import python_choice, testmon
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
CART = "LIMIT = 5\ndef total():\n    return 1\ndef tax():\n    return 2\n"
FILES = {
    "cart.py": CART,
    "test_a.py": "import cart\ndef test_total(): cart.total()\ndef test_tax(): cart.tax()\n",
    "test_b.py": "import cart\ndef test_limit(): cart.LIMIT\n",
    "test_c.py": "import cart, subprocess\ndef test_run(): subprocess.run(['x'])\n",
}
RAN = {
    "test_a.py::test_total": {"cart.py": ["    return 1"]},
    "test_a.py::test_tax": {"cart.py": ["    return 2"]},
    "test_b.py::test_limit": {"test_b.py": ["import cart"]},
    "test_c.py::test_run": {"test_c.py": ["import cart, subprocess"]},
}


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


def picked(choice: Choice) -> dict[str, str]:
    assert not choice.whole, choice.why
    return {pick.target: pick.why for pick in choice.picks}


def test_a_change_inside_a_function_chooses_the_tests_that_ran_it(project: Project) -> None:
    assert picked(project.change("return 1", "return 9")) == {
        "test_a.py::test_total": "testmon: runs code of cart.py, which changed",
        # testmon does not see into other processes
        "test_c.py": "starts processes and imports cart.py, which changed",
    }


def test_a_change_of_what_runs_at_import_chooses_by_imports(project: Project) -> None:
    choice = project.change("LIMIT = 5", "LIMIT = 6")
    assert set(picked(choice)) == {"test_a.py", "test_b.py", "test_c.py"}


def test_a_change_whose_run_was_stopped_is_not_forgotten(project: Project) -> None:
    project.change("LIMIT = 5", "LIMIT = 6")  # chosen, and never run to its end
    assert "test_b.py" in picked(project.change("return 1", "return 9"))


def test_a_comment_chooses_only_what_testmon_can_not_see(project: Project) -> None:
    assert set(picked(project.change("LIMIT = 5", "LIMIT = 5  # most"))) == {"test_c.py"}


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
    assert set(picked(choice)) == {"test_a.py", "test_b.py", "test_c.py"}
    assert choice.by == "imports"
    assert "its record is of version 15, not 14" in choice.why
