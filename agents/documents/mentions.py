"""What a piece of code in a document names: paths, flags, variables, settings, commands, symbols.

The kind given here is told by the form alone; which of them the code really defined is decided
against the code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .records import Mention, Thing

_URL = re.compile(r"\b[a-z][a-z0-9+.-]*://\S+|\bmailto:\S+", re.IGNORECASE)
_FLAG = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*")
_VARIABLE = re.compile(
    r"(?<![\w.-])\$?\{?(?P<name>[A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9]|[A-Z][A-Z0-9]{3,})\b"
)
_EXTENSIONS = (
    "py|pyi|toml|cfg|ini|ya?ml|json|jsonc|md|rst|txt|go|rs|js|mjs|cjs|ts|tsx|jsx|java|kt|rb|c|h|cc"
    "|cpp|hpp|cs|sh|bash|zsh|fish|html|css|scss|sql|xml|lock|mod|sum|proto|ipynb|svg|png|jpe?g|gif"
    "|service|env|conf|tf|lua|php|pl|swift|gradle|bat|ps1"
)
_PATH = re.compile(
    rf"(?<![\w@/.~$<{{*%-])(?:\.{{1,2}}/)*(?:[\w.@+-]+/)*"
    rf"(?:[\w@+-][\w.@+-]*\.(?:{_EXTENSIONS})(?![\w/-])|(?<=/)[\w.@+-]*)"
)
_SYMBOL = re.compile(
    r"(?<![\w.\-/$])\.?@?~?(?P<name>[A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)*)(?P<call>\()?"
)
_SECTIONED = re.compile(r"^\[(?P<section>[\w.-]+)\]\s*(?P<key>[\w-]+)")
_DASHED = re.compile(r"^[a-z][a-z0-9]*(?:[-_.][a-z0-9]+)+$")
_KEY_LINE = {
    "yaml": re.compile(r"^\s*(?:-\s+)?['\"]?(?P<name>[A-Za-z_][\w.-]*)['\"]?\s*:(?:\s|$)"),
    "toml": re.compile(r"^\s*['\"]?(?P<name>[A-Za-z_][\w.-]*)['\"]?\s*="),
    "json": re.compile(r"['\"](?P<name>[A-Za-z_][\w.-]*)['\"]\s*:"),
}
_SECTION_LINE = re.compile(r"^\s*\[+(?P<name>[\w.-]+)\]+\s*$")
SHELL = frozenset(
    {"sh", "bash", "shell", "zsh", "fish", "console", "shell-session", "sh-session", "terminal"}
    | {"shellsession", "bat", "powershell", "text-shell"}
)
PYTHON = frozenset({"python", "py", "python3", "pycon", "ipython", "py3", "doctest"})
_SETTINGS = {"yaml": "yaml", "yml": "yaml", "toml": "toml", "ini": "toml", "cfg": "toml"} | {
    "json": "json", "jsonc": "json", "json5": "json", "env": "toml", "dotenv": "toml",
}  # fmt: skip
_OTHERS_TEXT = """
    apt apt-get awk brew bun bundle cargo cat cd celery chmod choco conda cp curl deno dnf
    docker echo export find flatpak gem git go grep gunicorn hatch head helm hypercorn jq
    kubectl ls make mamba mkdir mv node nox npm npx pacman pdm pip pip3 pipx pnpm podman poetry
    pre-commit py pytest python python3 rm ruby rustup scoop scp sed set snap source
    sphinx-build sqlite3 ssh sudo tail tar tox twine unzip uv uvicorn uvx waitress-serve wget
    winget xargs yarn yum
"""
_OTHERS = frozenset(_OTHERS_TEXT.split())
_KEYWORDS_TEXT = """
    async await class const def for from if import let return var with
"""
_KEYWORDS = frozenset(_KEYWORDS_TEXT.split())
_LINE_COMMENT = re.compile(r"(?<!\S)#.*$")
_WORD = re.compile(r"[^\s\"'`|;&<>()]+")
_STRINGS = re.compile(
    r"(\"\"\"|''')(?:.|\n)*?\1|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|#[^\n]*"
)
_BOUND = re.compile(
    r"^\s*(?:async\s+)?(?:def|class)\s+(\w+)|^\s*(\w+)(?:\s*:\s*[\w.\[\], |]+)?\s*=(?!=)"
    r"|\bfor\s+(\w+)|\bas\s+(\w+)",
    re.MULTILINE,
)


def in_span(text: str, line: int, column: int, role: str = "") -> Iterator[Mention]:
    """Yield what one piece of inline code names. ``column`` is where its text begins.

    ``role`` is the reST or MyST role it stands in, if any.
    """
    if "\n" in text:
        for number, part in enumerate(text.split("\n")):
            yield from in_span(part, line + number, column if number == 0 else 0)
        return
    if len(text) > 300:
        return
    short = role.rpartition(":")[2]
    if short in _SYMBOL_ROLES:
        yield from _role_target(text, line, column)
        return
    if short == "envvar":
        yield Mention(Thing.VARIABLE, text.strip(), line, column)
        return
    if section := _SECTIONED.match(text):
        name = f"[{section['section']}] {section['key']}"
        yield Mention(Thing.SETTING, name, line, column + section.start())
    if quoted := re.fullmatch(r"([\"'])([A-Za-z_][\w-]*)\1", text):
        yield Mention(Thing.SETTING, quoted[2], line, column + 1)
        return
    if re.fullmatch(r"([\"'])[\w.-]+\1", text):
        return  # a value
    words = text.split()
    if len(words) > 1 and re.match(r"^[a-z][\w.-]*$", words[0]):
        yield from in_command(text, line, column)
    elif _DASHED.match(text):
        kind = Thing.COMMAND if "-" in text else Thing.SETTING
        yield Mention(kind, text, line, column)
    blank = _no_urls(text)
    yield from _plain(blank, line, column, symbols=len(words) <= 6)


SILENT_ROLES = frozenset(
    {"doc", "ref", "numref", "term", "issue", "pr", "gh", "rfc", "pep", "ghsa", "cve", "eq"}
)
"""Roles that lead to a place, a word or an issue, by a name that is no name of code."""

_SYMBOL_ROLES_TEXT = """
    any attr class const data exc func function meth method mod obj py type
"""
_SYMBOL_ROLES = frozenset(_SYMBOL_ROLES_TEXT.split())


def _no_urls(text: str) -> str:
    """Blank out addresses, so that columns stay."""
    return _URL.sub(lambda found: " " * len(found[0]), text)


def _role_target(text: str, line: int, column: int) -> Iterator[Mention]:
    """Yield what a role that names a symbol names: ``title <a.b>``, ``~a.b``, ``!a.b``."""
    if text.startswith("!"):
        return  # the author says that it leads nowhere
    aimed = re.search(r"<([^<>]+)>\s*$", text)
    start, target = (aimed.start(1), aimed[1]) if aimed else (0, text)
    if found := re.match(r"[~.]*([A-Za-z_][\w.]*)", target):
        yield Mention(Thing.SYMBOL, found[1], line, column + start + found.start(1))


def _plain(text: str, line: int, column: int, *, symbols: bool) -> Iterator[Mention]:
    taken: list[tuple[int, int]] = []
    for found in _FLAG.finditer(text):
        yield Mention(Thing.FLAG, found[0], line, column + found.start())
        taken.append(found.span())
    for found in _PATH.finditer(text):
        name = found[0].rstrip(".")
        if len(name) < 3 or not re.search(r"[A-Za-z]", name) or name.endswith("//"):
            continue
        yield Mention(Thing.PATH, name, line, column + found.start())
        if "/" in name:
            taken.append(found.span())
    for found in _VARIABLE.finditer(text):
        yield Mention(Thing.VARIABLE, found["name"], line, column + found.start("name"))
        taken.append(found.span("name"))
    if not symbols:
        return
    for found in _SYMBOL.finditer(text):
        start = found.start("name")
        if any(low <= start < high for low, high in taken):
            continue
        name = found["name"]
        if len(name) > 2:
            yield Mention(Thing.SYMBOL, name + ("()" if found["call"] and
                          text[found.end():found.end() + 1] == ")" else ""),
                          line, column + start)  # fmt: skip


def in_command(text: str, line: int, column: int) -> Iterator[Mention]:
    """Yield what a command line names as a command: ``prog`` with each of its first words."""
    words = list(_WORD.finditer(text))
    while words and re.match(
        r"^(?:\$|%|>|#|[A-Z_]+=\S*|sudo|uv|run|poetry|python3?|-m)$", words[0][0]
    ):
        words.pop(0)
    if not words or words[0][0] in _OTHERS:
        return
    if not re.match(r"^[\w./-]*[\w-]$", words[0][0]) or words[0][0] in _KEYWORDS:
        return
    for word in words[1:3]:
        if not re.match(r"^[a-z][a-z0-9_-]*$", word[0]):
            return
        start = words[0].start()
        yield Mention(Thing.COMMAND, text[start : word.end()], line, column + start)


def in_block(language: str, text: str, line: int, indent: int = 0) -> Iterator[Mention]:
    """Yield what a block of code names. ``line`` is its first; ``indent`` what was cut off it."""
    language = language.lower().strip("{}. ")
    lines = text.split("\n")
    prompted = any(part.lstrip().startswith("$ ") for part in lines)
    if language in PYTHON or ">>> " in text:
        yield from _in_python(text, line, indent)
    elif language in _SETTINGS:
        yield from _in_settings(_SETTINGS[language], lines, line, indent)
    elif language in SHELL or prompted:
        yield from _in_shell(lines, line, indent, prompted=prompted)
    elif language == "":
        for number, part in enumerate(lines):
            if len(part) <= 300:
                yield from _plain(_no_urls(part), line + number, indent, symbols=False)


def _in_shell(lines: list[str], line: int, indent: int, *, prompted: bool) -> Iterator[Mention]:
    foreign = continued = False
    for number, part in enumerate(lines):
        if len(part) > 500:
            continue
        typed = not prompted or part.lstrip().startswith(("$ ", "> ", "% ")) or continued
        blank = _no_urls(part)
        blank = _LINE_COMMENT.sub("", blank)
        if typed and not continued:
            words = [word for word in blank.split() if word not in ("$", "%", "sudo", "uv", "run")]
            while words and re.match(r"^[A-Z_][A-Z0-9_]*=", words[0]):
                words.pop(0)
            foreign = bool(words) and words[0] in _OTHERS and "|" not in part
            if foreign and words[0] in (
                "export",
                "set",
                "python",
                "python3",
                "source",
                "cd",
                "cat",
            ):
                foreign = False
            yield from in_command(blank, line + number, indent)
        continued = typed and part.rstrip().endswith("\\")
        for mention in _plain(blank, line + number, indent, symbols=False):
            if not (foreign and mention.thing in (Thing.FLAG, Thing.COMMAND)):
                yield mention


def _in_settings(form: str, lines: list[str], line: int, indent: int) -> Iterator[Mention]:
    section = ""
    for number, part in enumerate(lines):
        if len(part) > 500:
            continue
        if form == "toml" and (head := _SECTION_LINE.match(part)):
            section = head["name"]
            yield Mention(Thing.SETTING, section, line + number, indent + head.start("name"))
            continue
        for found in _KEY_LINE[form].finditer(part):
            yield Mention(Thing.SETTING, found["name"], line + number, indent + found.start("name"))
        yield from _plain(_LINE_COMMENT.sub("", part), line + number, indent, symbols=False)


def _in_python(text: str, line: int, indent: int) -> Iterator[Mention]:
    bound = {name for found in _BOUND.findall(text) for name in found if name}
    code = _STRINGS.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    for number, part in enumerate(code.split("\n")):
        if len(part) > 500:
            continue
        imported = re.match(r"^\s*(?:>>> )?(?:from|import)\s", part)
        for found in re.finditer(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", part):
            name = found[0]
            after = part[found.end() : found.end() + 1]
            first, _, rest = name.partition(".")
            if first in bound or first in ("self", "cls"):
                name = rest
                at = found.start() + len(first) + 1
                if name and name.split(".")[-1] not in bound:
                    yield Mention(Thing.SYMBOL, name, line + number, indent + at)
            elif imported or rest or after in ("(", "=") or name[0].isupper():
                yield Mention(Thing.SYMBOL, name, line + number, indent + found.start())
    for number, part in enumerate(text.split("\n")):
        if len(part) <= 500:
            for mention in _plain(_no_urls(part), line + number, indent, symbols=False):
                if mention.thing in (Thing.FLAG, Thing.VARIABLE):
                    yield mention
