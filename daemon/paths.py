"""Every file and folder the program touches, in one place.

The command line imports this on every start, so it stays cheap: strings inside, ``pathlib`` only
when a path is asked for as one, ``platformdirs`` only off Linux, where the rules are longer than
four environment variables.
"""

from __future__ import annotations

import os
import stat
import sys

from ..memory.errors import HermesError

TYPE_CHECKING = False  # as typing's; importing typing costs milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NAME = "hermes-ambient"
HOME_VARIABLE = "HERMES_AMBIENT_HOME"
RULES_VARIABLE = "KF_RULE_CACHE_DIR"
"""Where Kingfisher keeps its compiled rules. By itself it would be in a folder of its own name."""
SOCKET_LIMIT = 107 if sys.platform == "linux" else 103
"""Bytes a Unix socket's address may have."""


class PathRefused(HermesError):
    """A folder that we were told to use can't be used, or is not safely ours."""

    code = "path"


class Paths:
    """Where things are, as strings (``*_folder``) and as paths. Nothing is created here.

    ``socket_address`` is always short enough to bind; for a deep home it lies in a folder of
    ``/run/user`` or ``/tmp`` under a name made from the home.
    """

    __slots__ = (
        "cache_folder",
        "config_folder",
        "log_folder",
        "run_folder",
        "socket_address",
        "state_folder",
    )

    def __init__(self, *, config: str, state: str, cache: str, log: str, run: str) -> None:
        self.config_folder: str = config
        self.state_folder: str = state
        self.cache_folder: str = cache
        """What can be made again: the compiled rules that find secrets."""
        self.log_folder: str = log
        self.run_folder: str = run
        self.socket_address: str = _socket_address(run)

    @property
    def config_file(self) -> Path:
        """The settings, TOML. May be missing: every setting has a default."""
        return _path(self.config_folder, "config.toml")

    @property
    def state(self) -> Path:
        """What is kept from run to run."""
        return _path(self.state_folder)

    @property
    def memory(self) -> Path:
        """The memory's folder: memory.db, lance/, raw/."""
        return _path(self.state_folder, "memory")

    @property
    def ledger(self) -> Path:
        """The runtime's events, jobs and journal (SQLite)."""
        return _path(self.state_folder, "runtime.db")

    @property
    def work(self) -> Path:
        """What agents found out: test runs, drafts, drift, trust (SQLite)."""
        return _path(self.state_folder, "work.db")

    @property
    def drafts(self) -> Path:
        """Where the hook prepare-commit-msg finds the message for a worktree."""
        return _path(self.state_folder, "drafts")

    @property
    def brief(self) -> Path:
        """Where a shell finds today's brief."""
        return _path(self.state_folder, "brief")

    @property
    def themes(self) -> Path:
        """Pages of themes, and every night of them (a git repository of our own)."""
        return _path(self.state_folder, "themes")

    @property
    def web(self) -> Path:
        """Where the local page is served, and its secret. There while the page is open."""
        return _path(self.state_folder, "web.json")

    @property
    def webhooks(self) -> Path:
        """Where deliveries are taken in, and the secrets they are signed with. There while they are."""
        return _path(self.state_folder, "webhooks.json")

    @property
    def testing(self) -> Path:
        """Snapshots of worktrees, and what test frameworks keep. Made again when missing."""
        return _path(self.cache_folder, "testing")

    @property
    def spool(self) -> Path:
        """Where hooks and scripts drop events as files."""
        return _path(self.state_folder, "spool")

    @property
    def watch(self) -> Path:
        """What the worktrees looked like when they were last seen."""
        return _path(self.state_folder, "watch")

    @property
    def log_file(self) -> Path:
        """The daemon's log; older ones stand beside it."""
        return _path(self.log_folder, "daemon.log")

    @property
    def startup_log(self) -> Path:
        """What a daemon in the background printed before its log was open."""
        return _path(self.log_folder, "startup.log")

    @property
    def run(self) -> Path:
        """What lives only as long as the daemon: socket, lock, token."""
        return _path(self.run_folder)

    @property
    def socket(self) -> Path:
        """The daemon's Unix socket."""
        return _path(self.socket_address)

    @property
    def lock(self) -> Path:
        """Held by the one daemon of this home."""
        return _path(self.run_folder, "daemon.lock")

    @property
    def token_name(self) -> str:
        """``token``, as a string."""
        return os.path.join(self.run_folder, "token")

    @property
    def token(self) -> Path:
        """Only on loopback: one line, ``PORT TOKEN``, mode 0600, removed when the daemon stops."""
        return _path(self.token_name)


def locate(environ: Mapping[str, str] = os.environ) -> Paths:
    """Return where everything is: under HERMES_AMBIENT_HOME if that is set, else in systemd's
    folders when they are ours, else in the platform's own. Raise PathRefused for relative values.
    """
    home = environ.get(HOME_VARIABLE, "")
    if home:
        home = _absolute(HOME_VARIABLE, home)
        return Paths(
            config=home,
            state=home,
            cache=os.path.join(home, "cache"),
            log=os.path.join(home, "log"),
            run=os.path.join(home, "run"),
        )
    config, state, cache, log, run = _platform_folders(environ)
    return Paths(
        config=_systemd("CONFIGURATION_DIRECTORY", environ) or config,
        state=_systemd("STATE_DIRECTORY", environ) or state,
        cache=_systemd("CACHE_DIRECTORY", environ) or cache,
        log=_systemd("LOGS_DIRECTORY", environ) or log,
        run=_systemd("RUNTIME_DIRECTORY", environ) or run,
    )


def make_private(folder: str | Path) -> None:
    """Make a folder (and its parents) that only we can enter; tighten one that is ours.
    Raise PathRefused if it is a link, belongs to someone else, or can't be made."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if os.name == "posix":
            check_private(folder)
            os.chmod(folder, 0o700)
    except OSError as error:
        raise PathRefused(
            f"can't use the folder {folder}: {error.strerror or error}",
            hint=f"make it writable, or set {HOME_VARIABLE} to a folder of yours",
        ) from error


def keep_cache(paths: Paths) -> None:
    """Have what this process and its children compile kept in our own cache folder, unless the
    variable names another. Nothing is made yet; who writes there makes it private."""
    os.environ.setdefault(RULES_VARIABLE, paths.cache_folder)


def check_private(folder: str | Path) -> None:
    """Raise PathRefused unless the folder is a real one, is ours, and nobody else may write in it;
    OSError if it is not there."""
    if os.name != "posix":
        return
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode):
        problem = "is not a folder"
    elif found.st_uid != os.geteuid():
        problem = "belongs to another user"
    elif found.st_mode & 0o022:
        problem = "can be written by others"
    else:
        return
    raise PathRefused(
        f"{folder} {problem}", hint=f"move it away, or set {HOME_VARIABLE} to a folder of yours"
    )


def _platform_folders(environ: Mapping[str, str]) -> tuple[str, str, str, str, str]:
    if sys.platform != "linux":
        import platformdirs

        return (
            platformdirs.user_config_dir(NAME, appauthor=False),
            platformdirs.user_state_dir(NAME, appauthor=False),
            platformdirs.user_cache_dir(NAME, appauthor=False),
            platformdirs.user_log_dir(NAME, appauthor=False),
            os.path.join(platformdirs.user_state_dir(NAME, appauthor=False), "run"),
        )
    # The same as platformdirs gives on Linux, which a test compares, without its 12 ms.
    config = os.path.join(_xdg("XDG_CONFIG_HOME", ".config", environ), NAME)
    state = os.path.join(_xdg("XDG_STATE_HOME", ".local/state", environ), NAME)
    cache = os.path.join(_xdg("XDG_CACHE_HOME", ".cache", environ), NAME)
    run = _run_folder(environ) + _of_another_home(state)
    return config, state, cache, os.path.join(state, "log"), run


def _run_folder(environ: Mapping[str, str]) -> str:
    """The same for a login shell, ssh and cron: /run/user/UID is tried without being told."""
    user = os.geteuid() if os.name == "posix" else 0
    for base in (environ.get("XDG_RUNTIME_DIR", ""), f"/run/user/{user}"):
        # After `su` the variable may name another user's folder.
        if os.path.isabs(base) and _is_ours(base):
            return os.path.join(base, NAME)
    return f"/tmp/{NAME}-{user}"


def _of_another_home(state: str) -> str:
    """A user may have several homes (another HOME or XDG_STATE_HOME); each has a daemon of its own,
    and would find the first one's if all met in one folder."""
    import pwd  # built in

    try:
        home = pwd.getpwuid(os.geteuid()).pw_dir
    except KeyError:  # a container's user, of whom nobody knows
        home = ""
    if state == os.path.join(home, ".local/state", NAME):
        return ""
    import binascii

    return f"-{binascii.crc32(os.fsencode(state)):08x}"


def _socket_address(run: str) -> str:
    address = os.path.join(run, "daemon.sock")
    if os.name != "posix" or len(os.fsencode(address)) <= SOCKET_LIMIT:
        return address
    import hashlib

    name = hashlib.sha256(os.fsencode(run)).hexdigest()[:16]
    return os.path.join(_run_folder({}), f"{name}.sock")


def _xdg(variable: str, default: str, environ: Mapping[str, str]) -> str:
    value = environ.get(variable, "")
    # The XDG specification: a relative value is invalid and to be ignored.
    if os.path.isabs(value):
        return value
    return os.path.join(environ.get("HOME") or os.path.expanduser("~"), default)


def _systemd(variable: str, environ: Mapping[str, str]) -> str | None:
    """systemd's folder for this service. A shell started by some other service inherits that
    one's variables, so only a folder of our own name counts."""
    for value in environ.get(variable, "").split(":"):
        if os.path.basename(value) == NAME:
            return _absolute(variable, value)
    return None


def _absolute(variable: str, value: str) -> str:
    if not os.path.isabs(value):
        raise PathRefused(
            f"{variable} is {value!r}, which is not an absolute path",
            hint="give the whole path, starting with /",
        )
    return os.path.normpath(value)


def _is_ours(folder: str) -> bool:
    try:
        return os.stat(folder).st_uid == os.geteuid()
    except OSError:
        return False


def _path(*parts: str) -> Path:
    from pathlib import Path

    return Path(*parts)
