"""Real bash, zsh and fish at their start: what they print, once, and what they leave alone."""

from __future__ import annotations

import os
import re
import subprocess
import time
from datetime import timedelta
from pathlib import Path

import pytest

from hermes.surfaces.shell.installing import file_of, text_of
from hermes.tests.builders.daemon import until
from hermes.tests.builders.shells import EACH, ShellHome

ALL = [pytest.mark.bash, pytest.mark.zsh, pytest.mark.fish]
each_shell = pytest.mark.parametrize("shell", EACH)
RUN = "hermes has not run since"


@pytest.fixture
def there(tmp_path: Path) -> ShellHome:
    """A home whose folder needs quoting, with the block in every shell's file."""
    home = ShellHome(tmp_path / "ho me", 'it\'s a \\ "$HOME" `x` %s état')
    home.install("bash", "zsh", "fish")
    return home


@each_shell
def test_the_first_shell_of_the_day_prints_the_brief_and_the_second_does_not(
    there: ShellHome, shell: str
) -> None:
    there.put("first line\n\n  second line\n\n")
    assert "<80.ansi> first line\n\n  second line\n\n" in there.session(shell)
    assert "first line" not in there.session(shell)
    (mark,) = there.shown.iterdir()
    assert mark.name == str(there.today)
    assert mark.read_text().endswith(".today.80.ansi\n")  # what was told hangs on which it was


@each_shell
def test_a_brief_that_is_not_ready_is_printed_by_a_later_shell(
    there: ShellHome, shell: str
) -> None:
    nothing = there.session(shell)
    there.put(day=there.today - timedelta(days=1))
    yesterday = there.session(shell)
    assert not any(there.shown.iterdir())
    there.put()
    assert "the brief" not in nothing + yesterday
    assert "the brief" in there.session(shell)


@each_shell
def test_a_day_without_a_word_is_silent(there: ShellHome, shell: str) -> None:
    there.put()
    assert "the brief" in there.session(shell)
    (there.shown / str(there.today)).unlink()
    there.put("")
    shown = there.session(shell)
    assert str(there.today) not in shown
    assert "warning" not in shown
    assert (there.shown / str(there.today)).exists()


@each_shell
@pytest.mark.parametrize(
    ("variant", "columns", "env"),
    [
        ("80.ansi", 200, {}),
        ("80.ansi", 80, {"LC_ALL": None, "LC_CTYPE": None, "LANG": "en_GB.utf8"}),
        ("40", 79, {}),
        ("80", 80, {"NO_COLOR": "1"}),
        ("80.ascii", 80, {"LC_ALL": "C", "LANG": "C.UTF-8"}),
        ("80.ascii", 80, {"LC_ALL": "", "LC_CTYPE": "", "LANG": None}),
        ("40.ascii", 40, {"LC_ALL": None, "LC_CTYPE": "POSIX", "LANG": "C.UTF-8"}),
    ],
)
def test_the_brief_fits_the_terminal(
    there: ShellHome, shell: str, variant: str, columns: int, env: dict[str, str | None]
) -> None:
    there.put()
    assert f"<{variant}> the brief" in there.session(shell, columns=columns, env=env)


@pytest.mark.bash
def test_bash_finds_the_width_where_nothing_has_told_it_yet(there: ShellHome) -> None:
    rc = there.home / ".bashrc"
    rc.write_bytes(b"shopt -u checkwinsize; unset COLUMNS LINES\n" + rc.read_bytes())
    there.put()
    assert "the brief" in there.session("bash", columns=60)


@each_shell
def test_what_the_brief_says_is_never_run_or_expanded(there: ShellHome, shell: str) -> None:
    hostile = "%s %n $(touch ran) `touch ran` \\n \\x41 ~ * $HOME !! -n 'x\" \udcff\udcfe end\n"
    there.put(hostile)
    assert hostile in there.session(shell)
    assert not (there.home / "ran").exists()


@pytest.mark.parametrize(
    "shells",
    [
        pytest.param(("bash",) * 10, marks=pytest.mark.bash),
        pytest.param(("zsh",) * 10, marks=pytest.mark.zsh),
        pytest.param(("fish",) * 10, marks=pytest.mark.fish),
        pytest.param(("bash", "zsh", "fish") * 4, marks=ALL),
    ],
    ids=["bash", "zsh", "fish", "all"],
)
def test_of_shells_that_open_together_exactly_one_prints(
    there: ShellHome, shells: tuple[str, ...]
) -> None:
    there.put()
    there.daemon()
    # All come to the block before any may go on.
    wait = "echo >~/came.$$; until [[ -e ~/go ]]; do :; done\n"
    for name in (".bashrc", ".zshrc"):
        file = there.home / name
        file.write_text(wait + file.read_text())
    wait = "echo >~/came.$fish_pid; while not test -e ~/go; end\n"
    (there.home / ".config/fish/conf.d/before.fish").write_text(wait)
    running = [there.start(shell) for shell in shells]
    until(lambda: len(list(there.home.glob("came.*"))), lambda came: came == len(shells))
    (there.home / "go").touch()
    for each in running:
        each.type("exit\n")
    shown = [each.end() for each in running]
    assert sum(text.count("the brief") for text in shown) == 1
    assert sum(text.count(RUN) for text in shown) == 1
    assert not any("already exists" in text for text in shown)


BEFORE_THE_MARK = {
    "bash": b"builtin printf '%s\\n' \"$hermes_sign\"",
    "zsh": b'builtin print -r -- "$hermes_sign"',
    "fish": b"builtin printf '%s\\n' $sign",
}
"""Where a shell has seen that there is no mark, and puts its own."""


@each_shell
@pytest.mark.parametrize("first", [True, False])
def test_a_shell_that_another_overtakes_between_its_look_and_its_mark_prints_nothing(
    there: ShellHome, shell: str, first: bool
) -> None:
    there.put()
    there.daemon()
    file = file_of(shell, there.environment)
    lines = file.read_bytes()
    place = BEFORE_THE_MARK[shell]
    assert lines.count(place) == 1
    joint = b"\n    " if shell == "fish" else b" && "
    other = b"builtin echo 12.345.today.80 >>" + (b'"$HOME/aside"' if first else b"%s")
    mark = {"bash": b'"$1"', "zsh": b'"$hermes_mark"', "fish": b"$argv[1]"}[shell]
    file.write_bytes(lines.replace(place, other.replace(b"%s", mark) + joint + place))
    shown = there.session(shell)
    assert ("the brief" in shown, RUN in shown) == (first, first)
    marks = [mark.read_text().splitlines() for mark in there.shown.iterdir()]
    assert [len(lines) for lines in marks] == [1 if first else 2] * 2


@each_shell
@pytest.mark.parametrize(
    "env",
    [
        {"TERM": "dumb"},
        {"TERM": None},
        {"TERM": ""},
        {"TERM": "dumb", "INSIDE_EMACS": "29.1,comint"},
        {"CI": "true"},
        {"VSCODE_RESOLVING_ENVIRONMENT": "1"},
        {"INTELLIJ_ENVIRONMENT_READER": "1"},
    ],
    ids=str,
)
def test_programs_that_start_a_shell_get_nothing(
    there: ShellHome, shell: str, env: dict[str, str | None]
) -> None:
    there.put()
    there.daemon()
    shown = there.session(shell, env=env)
    assert "the brief" not in shown
    assert RUN not in shown
    assert not any(there.shown.iterdir())


@each_shell
def test_a_shell_without_a_terminal_prints_nothing(there: ShellHome, shell: str) -> None:
    there.put()
    for args, env in (
        (("-i",), {}),
        (("-c", "true"), {}),
        (("-lc", "true"), {}),
        # bash reads its file for a command that comes over ssh; zsh and bash read it when told to.
        (("-c", "true"), {"SSH_CLIENT": "::1 1 22", "SSH2_CLIENT": "x", "SHLVL": "0"}),
        (("-c", f". {there.home}/.{shell}rc".replace(" me", "\\ me")), {}),
    ):
        if shell == "fish" and args[-1].endswith("rc"):
            continue
        done = subprocess.run(
            [shell, *args],
            input=b"",
            capture_output=True,
            env=there.environment | env,
            cwd=there.home,
            timeout=60,
            check=False,
        )
        assert b"the brief" not in done.stdout + done.stderr
    assert not any(there.shown.iterdir())


@each_shell
def test_a_script_on_a_terminal_prints_nothing(there: ShellHome, shell: str) -> None:
    there.put()
    assert "the brief" not in there.start(shell, "-c", "echo done").end()
    if shell != "fish":  # nothing tells a fish with -i from one with -i -c
        assert "the brief" not in there.start(shell, "-i", "-c", "echo done").end()
    with open(os.devnull, "rb") as nothing:
        assert "the brief" not in there.session(shell, "-i", stdin=nothing.fileno())
    assert not any(there.shown.iterdir())


@each_shell
def test_another_users_folder_is_left_alone(there: ShellHome, shell: str) -> None:
    there.put()
    if os.geteuid() == 0:
        os.chown(there.shown, 12345, 12345)  # as after `sudo -s`, the other way round
    else:
        there.shown.rmdir()
        there.shown.symlink_to("/")
    assert "the brief" not in there.session(shell)
    assert not (there.shown / str(there.today)).exists()


@each_shell
def test_where_nothing_can_be_marked_nothing_is_printed(there: ShellHome, shell: str) -> None:
    there.put()
    (there.shown / str(there.today)).symlink_to("/nowhere/at/all")
    shown = there.session(shell)
    assert "the brief" not in shown
    assert "nowhere" not in shown


@each_shell
def test_a_hermes_that_is_gone_leaves_a_quiet_shell(there: ShellHome, shell: str) -> None:
    for file in sorted(there.paths.state.rglob("*"), reverse=True):
        file.rmdir()
    shown = there.session(shell)
    assert "hermes" not in shown.replace(str(there.home), "")


# The daemon's life.


@each_shell
def test_a_daemon_that_died_is_told_of_once_a_day(there: ShellHome, shell: str) -> None:
    there.put()
    there.daemon(ago=2 * 86_400)
    since = (there.brief / "daemon").read_text().split()[-2:]
    shown = there.session(shell)
    assert "the brief\n" + f"{RUN} {' '.join(since)}: hermes up\n" in shown
    assert RUN not in there.session(shell)


def counting_dates(there: ShellHome) -> dict[str, str | None]:
    """Make a `date` that leaves a trace; return the environment that has it."""
    folder = there.home / "bin"
    folder.mkdir()
    (folder / "date").write_text('#!/bin/sh\necho >>"$HOME/dated"\nexec /bin/date "$@"\n')
    (folder / "date").chmod(0o755)
    return {"PATH": f"{folder}:{there.environment['PATH']}"}


@each_shell
def test_the_brief_is_printed_without_a_process_where_hermes_was_alive_today(
    there: ShellHome, shell: str
) -> None:
    there.put()
    there.daemon(os.getpid(), ago=60)
    assert "the brief" in there.session(shell, env=counting_dates(there))
    assert not (there.home / "dated").exists()


@each_shell
def test_yesterdays_brief_is_not_taken_for_todays_by_yesterdays_sign_of_life(
    there: ShellHome, shell: str
) -> None:
    there.put(day=there.today - timedelta(days=1))
    there.daemon(os.getpid(), ago=86_400)
    assert "the brief" not in there.session(shell)
    assert not any(there.shown.iterdir())


@each_shell
def test_a_death_that_was_told_of_today_costs_no_process_and_one_of_yesterday_is_told_again(
    there: ShellHome, shell: str
) -> None:
    there.daemon(ago=3 * 86_400)
    env = counting_dates(there)
    assert RUN in there.session(shell, env=env)
    (there.home / "dated").unlink(missing_ok=True)
    assert RUN not in there.session(shell, env=env)
    assert not (there.home / "dated").exists()
    (mark,) = there.shown.iterdir()
    yesterday = time.time() - 86_400
    os.utime(
        mark.rename(there.shown / f"{there.today - timedelta(days=1)}.dead"), (yesterday, yesterday)
    )
    assert RUN in there.session(shell, env=env)


@each_shell
def test_a_daemon_that_died_long_ago_is_told_of_with_the_date(there: ShellHome, shell: str) -> None:
    there.daemon(ago=8 * 86_400)
    day = there.today - timedelta(days=8)
    assert f"{RUN} {day}: hermes up\n" in there.session(shell)


@each_shell
def test_a_daemon_that_lives_is_not_spoken_of(there: ShellHome, shell: str) -> None:
    there.daemon(os.getpid())
    assert RUN not in there.session(shell)
    there.daemon(os.getpid(), start="-")  # where the system does not say when
    assert RUN not in there.session(shell)
    assert not any(there.shown.iterdir())


@each_shell
def test_another_process_of_the_same_number_is_not_taken_for_the_daemon(
    there: ShellHome, shell: str
) -> None:
    there.daemon(os.getpid(), start="123456789012")
    assert RUN in there.session(shell)


@each_shell
def test_a_daemon_that_nobody_collected_is_dead(there: ShellHome, shell: str) -> None:
    process = subprocess.Popen(["true"])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    there.daemon(process.pid)
    assert RUN in there.session(shell)
    process.wait()


@each_shell
def test_of_a_daemon_on_another_machine_nothing_is_known(there: ShellHome, shell: str) -> None:
    there.daemon(host="another-machine")
    assert RUN not in there.session(shell)


@each_shell
def test_a_torn_sign_of_life_is_no_death(there: ShellHome, shell: str) -> None:
    (there.brief / "daemon").write_text("12 ")
    there.put()
    shown = there.session(shell)
    assert "the brief" in shown
    assert RUN not in shown


# What the person set stays.

DUMPS = {
    "bash": "{ set; declare -p; shopt -p; set +o; alias -p; trap -p; } >|{0}\n",
    "zsh": "{ typeset; setopt; alias -L; functions; zmodload; trap } >|{0}\n",
    "fish": "begin; set --show; functions -n -a; end >{0}\n",
}
THEIRS = {
    "bash": """\
set -eu; set -o noclobber; set -o pipefail; trap 'echo trapped' ERR
shopt -s nullglob failglob nocasematch extglob; IFS=:x; LC_COLLATE=C
alias read=false printf=false kill=false date=false command=false cat=false test=false
readonly day=1 text=2 file=3; printf() { false; }; read() { false; }; command() { false; }
""",
    "zsh": """\
setopt err_exit no_unset no_clobber sh_word_split ksh_arrays glob_subst extended_glob
setopt warn_create_global interactive_comments rc_quotes prompt_subst no_multi_os null_glob
alias read=false printf=false kill=false print=false test=false; IFS=:x; readonly day=1 text=2
alias -g L='| less' N='>/dev/null'
""",
    "fish": """\
set -g day 1; set -g text 2; set -g in 3; set -U now 4; set -gx stat 5
function date; false; end; function printf; false; end; function math; false; end
""",
}
MOVES = re.compile(
    r"(declare -\S+ |typeset |integer |float |\$)*(10 |readonly )*(RANDOM|SRANDOM|SECONDS|LINENO|_|"
    r"BASHPID|BASH_\w+|EPOCH\w+|PIPESTATUS|pipestatus|status|\?|TTYIDLE|CMD_DURATION|history)\b"
)
"""What moves by itself, or is said of the very line that asks."""


def settled(file: Path) -> list[str]:
    """What a shell said of itself, without what moves by itself."""
    lines = file.read_text(errors="surrogateescape").splitlines()
    return [line for line in lines if not MOVES.match(line)]


@each_shell
@pytest.mark.parametrize("due", ["due", "not due", "nothing there"])
def test_nothing_that_the_person_set_is_changed_and_nothing_is_left_behind(
    there: ShellHome, shell: str, due: str
) -> None:
    if due != "nothing there":
        there.put()
        there.daemon()
    if due == "not due":
        (there.shown / str(there.today)).touch()
        (there.shown / f"{there.today}.dead").touch()
    file = file_of(shell, there.environment)
    block = text_of(shell, there.paths, there.environment)
    before, after = there.home / "before.txt", there.home / "after.txt"
    home = str(there.home).replace(" ", "\\ ")
    dump = DUMPS[shell]
    file.write_bytes(
        THEIRS[shell].encode()
        + dump.replace("{0}", f"{home}/before.txt").encode()
        + block
        + dump.replace("{0}", f"{home}/after.txt").encode()
    )
    shown = there.session(shell)
    assert ("the brief" in shown, RUN in shown) == (due == "due", due == "due"), shown
    assert len(settled(before)) > 50
    assert settled(after) == settled(before)
    assert "trapped" not in shown
