"""The command line as a process, against a stand-in for the daemon."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from hermes import __version__
from hermes.daemon.paths import Paths
from hermes.tests.servers.standin import (
    ANSWER,
    RECOLLECTION,
    REPO,
    hello,
    raw,
    reply,
    standin,
    stream,
)

from .conftest import HERMES, Ran, Run

HEAVY = frozenset(
    [
        "lancedb",
        "pyarrow",
        "numpy",
        "pydantic",
        "pydantic_settings",
        "fastapi",
        "uvicorn",
        "httpx",
        "ollama",
        "rich",
        "asyncio",
        "http.client",
        "typing",
        "dataclasses",
        "pathlib",
        "subprocess",
        "hermes.agents",
        "hermes.ingest",
        "hermes.memory.memory",
        "hermes.daemon.settings",
    ]
)


@pytest.mark.parametrize("words", [["--help"], ["ask", "why"], ["search", "retry"], ["version"]])
def test_nothing_heavy_is_imported(paths: Paths, words: list[str]) -> None:
    # Without site: an editable install's finder imports modules of its own.
    code = (
        "import sys; sys.path[:0] = sys.argv.pop(1).split(':')\n"
        "from hermes.surfaces.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    root = Path(__file__).resolve().parents[3]
    with standin(paths):
        done = subprocess.run(
            [sys.executable, "-S", "-c", code, str(root / ".typing"), *words],
            capture_output=True,
            text=True,
            check=True,
        )
    loaded = set(done.stderr.split("\n")[-2].split())
    assert "hermes.surfaces.cli.main" in loaded
    assert not loaded & HEAVY


def test_an_answer_in_a_pipe_is_plain_and_nothing_else(paths: Paths, hermes: Run) -> None:
    with standin(paths) as server:
        ran = hermes("ask", "why", "no", "retry", "queue?")
    assert ran.code == 0
    assert ran.out.splitlines() == [
        'Sam Reyes dropped the retry queue on 2024-05-02: "It reordered jobs." [1]',
        "",
        "Sources",
        "[1]  3f2a91c0de  2024-05-02  Sam Reyes  worker/queue.py  Drop the retry queue",
    ]
    assert ran.err == ""
    assert server.requests[1].json()["question"] == "why no retry queue?"


def test_filters_go_to_the_daemon(paths: Paths, hermes: Run, tmp_path: Path) -> None:
    words = ["--path", "worker/", "--author", "sam", "--since", "2025-01-01", "--branch", "main"]
    words += ["--source", "git"]
    with standin(paths) as server:
        assert hermes("search", "x", *words, "-k", "3").code == 0
        assert hermes("search", "x", "--repo", "shop", "--repo", "./other").code == 0
        assert hermes("search", "x", "--all-repos").code == 0
    asked = [r.json() for r in server.requests if r.path == "/v1/search"]
    filters = asked[0]["filters"]
    assert (filters["path"], filters["author"], filters["branch"]) == ("worker/", "sam", "main")
    assert filters["source"] == "git"
    assert isinstance(filters["since"], int)
    assert asked[0]["k"] == 3
    assert asked[0]["cwd"] == str(tmp_path)
    assert asked[1]["filters"]["repos"] == ["shop", str(tmp_path / "other")]
    assert "cwd" not in asked[1]
    assert "cwd" not in asked[2]


def test_json_is_the_events_as_they_came(paths: Paths, hermes: Run) -> None:
    with standin(paths):
        ran = hermes("ask", "--json", "why")
    assert [json.loads(line) for line in ran.out.splitlines()] == ANSWER
    assert ran.err == ""


def test_the_question_can_come_from_a_pipe(paths: Paths, hermes: Run) -> None:
    with standin(paths) as server:
        assert hermes("ask", "-", stdin="why\nthis?\n").code == 0
    assert server.requests[1].json()["question"] == "why\nthis?\n"


def test_words_may_stand_around_the_options(paths: Paths, hermes: Run) -> None:
    with standin(paths) as server:
        assert hermes("ask", "why", "no", "--plain", "retry", "queue").code == 0
        assert hermes("search", "-k", "2", "--", "-k", "flag").code == 0
    asked = [r.json()["question"] for r in server.requests if r.method == "POST"]
    assert asked == ["why no retry queue", "-k flag"]


def test_a_folder_that_is_gone_is_one_clear_line(paths: Paths, hermes: Run, tmp_path: Path) -> None:
    code = "import os, sys; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone'); "
    code += "from hermes.surfaces.cli import main; sys.exit(main())"
    with standin(paths):
        done = subprocess.run(
            [sys.executable, "-c", code, "ask", "why"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith("hermes: the folder you are in is gone")


def test_nothing_relevant_has_a_code_of_its_own(paths: Paths, hermes: Run) -> None:
    nothing = [*ANSWER[:-1], ANSWER[-1] | {"relevant": False}]
    weak = RECOLLECTION | {"relevant": False}
    with standin(paths, ask=stream(nothing), search=reply(weak)):
        assert hermes("ask", "why").code == 3
        assert hermes("ask", "why", "--json").code == 3
        ran = hermes("search", "why")
    assert ran.code == 3
    assert "nothing relevant" in ran.err
    assert "Drop the retry queue" in ran.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["ask"], "ask what?"),
        (["ask", "   "], "ask what?"),
        (["search", "-"], "search what?"),
        (["ask", "x", "-k", "0"], "--passages takes a number from 1 to 50"),
        (["ask", "x", "-k", "few"], "--passages takes a whole number, not few"),
        (["ask", "x", "--since"], "--since needs a value"),
        (["memory", "mend"], "mend is none of check, "),
        (["remove"], "NAME is missing"),
        (["completions", "tcsh"], "tcsh is none of bash, zsh, fish"),
        (["config", "shwo"], "shwo is none of show, path, set, edit, explain"),
        (["ask", "x", "--since", "someday"], "don't know when 'someday' is"),
        (["ask", "x", "--since", "today", "--until", "yesterday"], "is after"),
        (["ask", "x", "--repo", "a", "--all-repos"], "exclude each other"),
        (["ask", "x", "--path", ""], "--path is empty"),
        (["ask", "x", "--color"], "ask does not take --color"),
        (["serach", "x"], "did you mean search?"),
        (["remove", "shop"], "removing needs a yes"),
        (["config", "set", "models.modle", "x"], "did you mean models.model?"),
        (["config", "set", "models.num_ctx"], "VALUE"),
    ],
)
def test_wrong_use_ends_with_2_and_one_clear_line(
    paths: Paths, hermes: Run, words: list[str], told: str
) -> None:
    with standin(paths):
        ran = hermes(*words)
    assert ran.code == 2
    assert ran.out == ""
    assert told in ran.err
    assert len(ran.err.splitlines()) <= 2
    with standin(paths):
        as_json = hermes(*words, "--json")
    assert (as_json.code, as_json.out) == (2, "")
    assert told in json.loads(as_json.err)["error"]


def test_an_error_as_json_is_json_on_stderr(paths: Paths, hermes: Run) -> None:
    said = {"error": "the store is damaged", "hint": "rebuild it", "code": "store_damaged"}
    with standin(paths, search=reply(said, 500)):
        ran = hermes("search", "x", "--json")
        plain = hermes("search", "x")
    assert (ran.code, ran.out, json.loads(ran.err)) == (1, "", said)
    assert plain.err == "hermes: the store is damaged\nrebuild it\n"


def test_an_answer_cut_off_is_an_error_after_what_came(paths: Paths, hermes: Run) -> None:
    line = json.dumps(ANSWER[1]).encode() + b"\n"
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    with standin(paths, ask=raw(head, f"{len(line):x}\r\n".encode() + line + b"\r\n")):
        ran = hermes("ask", "why")
    assert ran.code == 1
    assert ran.out.startswith("Sam Reyes dropped")
    assert "went away in the middle" in ran.err


def test_another_version_is_told_and_another_protocol_is_refused(paths: Paths, hermes: Run) -> None:
    with standin(paths, hello=hello("9.9.9")):
        ran = hermes("ask", "why")
    assert ran.code == 0
    assert f"the daemon is hermes 9.9.9, this is {__version__}: `hermes up`" in ran.err
    with standin(paths, hello=hello("9.9.9", api=2)):
        assert hermes("ask", "why").code == 1


def test_what_is_not_read_yet_is_told_after_the_answer(paths: Paths, hermes: Run) -> None:
    job = {"task": "index", "state": "running", "done": 45, "total": 100, "error": ""}
    with standin(paths, repos=reply({"repos": [REPO | {"job": job}]})):
        ran = hermes("ask", "why", "--repo", "shop")
    assert "still being read, newest first: shop 45 % (45 of 100 commits)" in ran.err
    with standin(paths, repos=reply({"repos": []})):
        assert "memory is empty: `hermes up`" in hermes("ask", "why").err


def test_doctor_ends_with_1_when_something_fails(paths: Paths, hermes: Run) -> None:
    check = {"name": "disk", "state": "warn", "detail": "little space", "hint": ""}
    with standin(paths, doctor=reply({"checks": [check]})):
        assert hermes("doctor").code == 0
    with standin(paths, doctor=reply({"checks": [check | {"state": "fail"}]})):
        ran = hermes("doctor", "--json")
    assert (ran.code, json.loads(ran.out)["ok"]) == (1, False)


def test_without_a_daemon_down_is_content_and_status_says_so(hermes: Run) -> None:
    assert hermes("down").code == 0
    ran = hermes("status")
    assert (ran.code, ran.out) == (4, "hermes is not running; `hermes up` starts it\n")
    assert hermes("status", "--json").out == '{"running": false}\n'
    assert hermes("remove", "x", "--yes").code == 4


def shell(line: str, **env: str) -> Ran:
    """Run a line of sh in which $HERMES is the program."""
    program = shlex.join(HERMES)
    done = subprocess.run(
        ["sh", "-c", line.replace("$HERMES", program)],
        capture_output=True,
        env=os.environ | env,
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def test_closed_streams_are_no_trouble(paths: Paths) -> None:
    with standin(paths):
        for line, code in (
            ("$HERMES search x >&-", 0),
            ("$HERMES search x 2>&- >&- <&-", 0),
            ("$HERMES ask - <&-", 2),
            ("$HERMES --version >&-", 0),
        ):
            ran = shell(line)
            assert (ran.code, "Traceback" in ran.err) == (code, False), line


def test_output_that_is_lost_is_said_and_fails(paths: Paths, tmp_path: Path) -> None:
    file = shlex.quote(str(tmp_path / "full"))
    with standin(paths):
        ran = shell(f"ulimit -f 0; $HERMES search x 2>&1 >{file} | cat")
        assert ran.out == "hermes: can't write the output: File too large\n"
        assert shell(f"ulimit -f 0; $HERMES search x >{file}").code == 1
        assert shell(f"ulimit -f 0; $HERMES serach 2>{file}").code == 2


def test_a_question_is_utf_8_whatever_the_locale_says(paths: Paths) -> None:
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    with standin(paths) as server:
        assert shell("$HERMES ask Hände --author Zoë", **ascii_only).code == 0
        assert shell("echo Hände | $HERMES ask -", **ascii_only).code == 0
        assert shell("printf 'H\\344nde' | $HERMES ask -").code == 0
    asked = [r.json() for r in server.requests if r.method == "POST"]
    assert [body["question"].strip() for body in asked] == ["Hände", "Hände", "H\ufffdnde"]
    assert asked[0]["filters"]["author"] == "Zoë"
