"""What a repository says about itself to hermes: ``.hermes.toml`` at its top.

It is text of the repository, so it grants nothing: a command for its tests is run only where a
person trusts the repository.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .contract import Misconfigured

FILE = ".hermes.toml"
MAX_BYTES = 100_000

Text = Annotated[str, Field(max_length=1_000)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ProjectTests(_Table):
    """``[tests]``: how this project is tested."""

    command: tuple[Text, ...] = ()
    """Words of the command that runs all tests; empty: found by what lies in the repository."""
    files: tuple[Text, ...] = ()
    """Patterns, in .gitignore's language, of files on whose change the command runs; empty: any."""
    folder: Text = ""
    """Where the tests are run, relative to the top."""
    isolation: Literal["snapshot", "in_place"] | None = None
    """Over the person's own setting; None leaves it."""
    enabled: bool = True


class ProjectCommits(_Table):
    """``[commits]``: the form of commit messages, over what is learnt from history."""

    form: Literal["conventional", "scoped", "plain"] | None = None
    """conventional: ``feat(scope): …``; scoped: ``scope: …``; plain: a sentence."""
    types: tuple[Text, ...] = ()
    scopes: tuple[Text, ...] = ()
    length: Annotated[int, Field(ge=20, le=200)] | None = None
    """Most characters of a subject."""
    case: Literal["lower", "upper"] | None = None
    """Of the subject's first letter."""
    body: bool | None = None
    ticket: Literal["prefix", "suffix", "trailer", "none"] | None = None
    emoji: bool | None = None
    enabled: bool = True


class ProjectDocuments(_Table):
    """``[documents]``: which documents are kept in step with the code."""

    exclude: tuple[Text, ...] = ()
    """Patterns, in .gitignore's language, of documents that are left alone."""
    help: dict[Text, tuple[Text, ...]] = Field(default_factory=dict[str, tuple[str, ...]])
    """Of a program whose ``--help`` documents show: its name there, and the words to run it with."""
    enabled: bool = True


class ProjectSettings(_Table):
    """All of ``.hermes.toml``. Without the file everything is as by default."""

    tests: ProjectTests = ProjectTests()
    commits: ProjectCommits = ProjectCommits()
    documents: ProjectDocuments = ProjectDocuments()


def read_project(worktree: Path) -> ProjectSettings:
    """Read ``.hermes.toml``; defaults where there is none.

    Raise Misconfigured, naming the file and every problem.
    """
    file = worktree / FILE
    try:
        if file.is_symlink():
            raise Misconfigured(f"{file} is a link", hint="make it a file of the repository")
        with file.open("rb") as opened:
            text = opened.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return ProjectSettings()
    except OSError as error:
        raise Misconfigured(f"{file} can't be read: {error.strerror or error}") from error
    if len(text) > MAX_BYTES:
        raise Misconfigured(f"{file} is larger than {MAX_BYTES:,} bytes")
    try:
        return ProjectSettings.model_validate(tomllib.loads(text.decode("utf-8")))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Misconfigured(f"{file} is not valid TOML: {error}") from error
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(str(part) for part in detail['loc'])}: {detail['msg']}"
            for detail in error.errors()
        )
        raise Misconfigured(f"{file}: {problems}") from error
