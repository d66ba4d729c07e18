"""Recall of drift on names that are picked without the reader under test:
``python -m hermes.tests.bench.drift_names REPO…``.

What documents name is taken from their text by plain expressions over lines: code in backticks or
in Markdown and reStructuredText roles, targets of links, options in lines of shell. A name counts
if the code has it, in a way that another plain expression tells. It is renamed in the code alone, by
a real commit; it is found if a finding is of that document and that line.
"""

from __future__ import annotations

import argparse
import posixpath
import random
import re
import statistics
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

from hermes.agents.documents import drift
from hermes.agents.project_settings import ProjectDocuments
from hermes.ingest.git.command import Git

PROSE = (".md", ".rst")
CODE = (
    ".py",
    ".go",
    ".rs",
    ".toml",
    ".cfg",
    ".ini",
    ".yml",
    ".yaml",
    ".sh",
    ".json",
    ".zsh",
    ".fish",
)
PAST = re.compile(
    r"change|history|news|release|upgrad|migrat|licen|authors|/blog/|\.github/(?:issue|pull)",
    re.IGNORECASE,
)
TESTS = re.compile(r"(?:^|/)(?:tests?|testdata|fixtures)/|(?:^|/)(?:test_|conftest)|_test\.")
SPAN = re.compile(r"(`{1,2})(?!`)([^`\n]+)\1(?![`_])")
LINK = re.compile(r"\]\(<?([^)\s>#]+)")
FENCE = re.compile(r"^\s*(?:```|~~~)\s*\{?([\w-]*)")
SHELL = {"sh", "bash", "shell", "console", "zsh"}
SAID = re.compile(r"\"\"\".*?\"\"\"|^\s*(?:#|//)[^\n]*", re.DOTALL | re.MULTILINE)
VERSION = re.compile(r"\s*(?:\.\. |```\{)(?:version\w+|deprecated)")
WORDS = {
    "flag": re.compile(r"(?<![\w-])--[a-z][\w-]+"),
    "variable": re.compile(r"(?<![\w$])[A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9]\b"),
    "symbol": re.compile(r"(?:[A-Za-z_]\w*\.)*([A-Za-z_]\w{3,})(?:\(\))?"),
    "setting": re.compile(r"[\"']?([a-z][a-z0-9]*(?:[_-][a-z0-9]+)+)[\"']?"),
    "path": re.compile(r"(?:[\w.-]+/)+[\w-]+\.\w{1,5}"),
}
DEFINED = (
    r"(?:^|\s)(?:async )?(?:def|class|func(?: \([^)]*\))?|fn|struct|type|enum|const|static) {}\b"
)
Place = tuple[str, int]


def places_of(texts: dict[str, str]) -> dict[tuple[str, str], set[Place]]:
    """Return where names stand in documents, by kind and name."""
    found: dict[tuple[str, str], set[Place]] = defaultdict(set)
    for path, text in texts.items():
        fenced, language = False, ""
        told: int | None = None  # how far a directive is indented that tells of a version
        for number, line in enumerate(text.split("\n"), 1):
            indent = len(line) - len(line.lstrip())
            if told is not None and line.strip() and indent <= told:
                told = None
            if VERSION.match(line):
                told = indent
            if told is not None:
                continue
            if mark := FENCE.match(line):
                fenced, language = not fenced, mark[1].lower() if not fenced else ""
                continue
            if fenced and language in SHELL and line.lstrip().startswith("$ "):
                for flag in WORDS["flag"].findall(line):
                    found["flag", flag].add((path, number))
            if fenced:
                continue
            if "::" in line or line.startswith(("    ", "\t")):
                continue  # it may be a block of code, or nothing
            for _, code in SPAN.findall(line):
                for flag in WORDS["flag"].findall(code):
                    found["flag", flag].add((path, number))
                for kind in ("variable", "path", "symbol", "setting"):
                    if whole := WORDS[kind].fullmatch(code.strip()):
                        name = whole[1] if whole.re.groups else whole[0]
                        found[kind, name].add((path, number))
            if path.endswith(".md"):
                for target in LINK.findall(line):
                    if "://" not in target and re.search(r"\.\w{1,5}$", target):
                        aimed = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
                        found["link", aimed].add((path, number))
    return found


def defined(kind: str, name: str, code: dict[str, str]) -> list[str]:
    """Return the files of code that have a name, as what its kind says."""
    patterns = {
        "flag": rf"[\"'/`]{re.escape(name)}(?![\w-])",
        "variable": rf"[\"']{name}[\"']|^\s*{name}\s*[:=]",
        "symbol": DEFINED.format(re.escape(name)),
        "setting": rf"[\"']{re.escape(name)}[\"']|^\s*{re.escape(name)}\s*=",
    }
    pattern = re.compile(patterns[kind], re.MULTILINE)
    return [path for path, text in code.items() if pattern.search(text)]


def choose(root: Path, count: int, rng: random.Random) -> list[tuple[str, str, set[Place]]]:
    """Return names to rename, as many of each kind as there are, and their places."""
    listed = (
        subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True)
        .stdout.decode()
        .split("\0")
    )
    texts: dict[str, str] = {}
    code: dict[str, str] = {}
    for path in filter(None, listed):
        file = root / path
        if file.is_symlink() or not file.is_file():
            continue
        if path.endswith(PROSE):
            if not PAST.search(path) and not TESTS.search(path):
                texts[path] = file.read_text(errors="replace")
        elif path.endswith(CODE):
            code[path] = file.read_text(errors="replace")
    # What stands in docstrings and comments alone is told there, too, not defined.
    own = {path: SAID.sub("", text) for path, text in code.items() if not TESTS.search(path)}
    kinds: dict[str, list[tuple[str, str, set[Place]]]] = defaultdict(list)
    for (kind, name), places in sorted(places_of(texts).items()):
        if kind in ("path", "link"):
            if name in code or (kind == "link" and name in texts):
                kinds[kind].append((kind, name, places))
            continue
        holders = defined(kind, name, own)
        if len(holders) == 0 or len(name) < 5 or (kind == "symbol" and len(holders) > 1):
            continue
        if kind == "setting" and any(
            re.search(DEFINED.format(name), each) for each in own.values()
        ):
            continue
        if kind == "symbol" and (name, places) in [(b, c) for _, b, c in kinds["setting"]]:
            continue
        kinds[kind].append((kind, name, places))
    chosen: list[tuple[str, str, set[Place]]] = []
    while len(chosen) < count and any(kinds.values()):
        for many in kinds.values():
            if many and len(chosen) < count:
                chosen.append(many.pop(rng.randrange(len(many))))
    return chosen


def run(repository: Path, count: int, seed: int, scratch: Path | None) -> None:
    """Print recall by kind, and each place that was missed."""
    rng = random.Random(seed)
    hits: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    times: list[float] = []
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        root = Path(folder) / "clone"

        def git(*args: str) -> str:
            named = ["git", "-c", "user.name=Sam", "-c", "user.email=sam@example.com"]
            where = root if root.exists() else None
            done = subprocess.run([*named, *args], cwd=where, check=True, capture_output=True)
            return done.stdout.decode(errors="replace").strip()

        git("clone", "-q", "--no-hardlinks", str(repository), str(root))
        head, opened = git("rev-parse", "HEAD"), Git.open(root)
        chosen = choose(root, count, rng)
        for kind, name, places in chosen:
            new = rename(root, kind, name, git)
            git("commit", "-qanm", "Rename a name")
            began = time.process_time()
            found = drift.after(opened, head, git("rev-parse", "HEAD"), ProjectDocuments())
            times.append(time.process_time() - began)
            git("reset", "-q", "--hard", head)
            git("clean", "-fdq")
            at = {(each.document, each.line) for each in found if each.tier != "possible"}
            totals[kind] += len(places)
            hits[kind] += len(places & at)
            for path, line in sorted(places - at):
                text = (root / path).read_text(errors="replace").split("\n")[line - 1].strip()
                print(
                    f"    missed {kind} {name} -> {new}: {path}:{line} | {text[:110]}", flush=True
                )
    for kind, total in totals.items():
        print(f"  {repository.name} {kind:9} {hits[kind]}/{total} = {hits[kind] / total:.3f}")
    share = sum(hits.values()) / max(1, sum(totals.values()))
    print(f"  {repository.name}: {len(chosen)} mutations, {sum(hits.values())}/{sum(totals.values())}"
          f" = {share:.3f}; {statistics.median(times):.2f} s median", flush=True)  # fmt: skip


def rename(root: Path, kind: str, name: str, git: object) -> str:
    """Rename a name in all code, documents left as they are; return the new one."""
    if kind in ("path", "link"):
        stem, dot, end = name.rpartition(".")
        new = f"{stem}_moved{dot}{end}"
        subprocess.run(["git", "mv", name, new], cwd=root, check=True)
        return new
    new = name + ("-other" if "-" in name else "_OTHER" if name.isupper() else "_other")
    pattern = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    loose = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True)
    for path in filter(None, listed.stdout.decode().split("\0")):
        file = root / path
        if path.endswith(PROSE) or file.is_symlink() or not file.is_file():
            continue
        try:
            text = file.read_bytes().decode()
        except UnicodeDecodeError:
            continue
        made = (pattern if name.startswith("-") else loose).sub(new, text)
        if made != text:
            file.write_bytes(made.encode())
    return new


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repositories", type=Path, nargs="+")
    parser.add_argument("--mutations", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scratch", type=Path)
    options = parser.parse_args()
    for repository in options.repositories:
        run(repository.absolute(), options.mutations, options.seed, options.scratch)


if __name__ == "__main__":
    main()
