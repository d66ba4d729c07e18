"""What callers may send, checked before anything is done."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any, Self, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    model_validator,
)

from ..agents.events import Event, Text, Word

MAX_QUESTION = 100_000
"""Characters of a question that are accepted; answering uses far fewer."""


def _question(text: str) -> str:
    if not text.strip():
        raise ValueError("the question is empty; ask something")
    if len(text) > MAX_QUESTION:
        raise ValueError(
            f"the question has {len(text):,} characters; {MAX_QUESTION:,} are accepted"
        )
    return text


def _absolute(text: str) -> str:
    if "\0" in text or not Path(text).is_absolute():
        raise ValueError("should be an absolute path")
    return text


AbsolutePath = Annotated[str, Field(max_length=4096), AfterValidator(_absolute)]
Name = Annotated[str, Field(min_length=1, max_length=4096)]


Token = Annotated[SecretStr, Field(min_length=1, max_length=4_096)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FiltersIn(_Request):
    """What a search is confined to; what is left out confines nothing."""

    repos: tuple[Name, ...] = ()
    """Ids, names or paths of repositories."""
    source: Name | None = None
    path: Name | None = None
    author: Name | None = None
    since: int | None = None
    until: int | None = None
    branch: Name | None = None


class SearchIn(_Request):
    """A search."""

    question: Annotated[str, AfterValidator(_question)]
    filters: FiltersIn = FiltersIn()
    cwd: AbsolutePath | None = None
    """Where the caller stands: without ``repos``, the repository around it is meant."""
    k: int = Field(8, ge=1, le=200)


class AskIn(_Request):
    """A question."""

    question: Annotated[str, AfterValidator(_question)]
    filters: FiltersIn = FiltersIn()
    cwd: AbsolutePath | None = None
    k: int | None = Field(None, ge=1, le=50)
    """Passages to build the answer from, instead of the setting's."""
    plain: bool = False
    """Answer by rule, without a model."""


class RepoIn(_Request):
    """A repository to take into memory: any path inside it."""

    path: AbsolutePath


class RunIn(_Request):
    """One agent, asked for by name."""

    agent: Word
    subject: Annotated[str, Field(max_length=200)] = ""
    repo: Name | None = None
    """An id, a name or a path; without it the repository around ``cwd``."""
    cwd: AbsolutePath | None = None
    text: Text = ""
    dry_run: bool = False


class RequestIn(_Request):
    """A request in one's own words: who is to do it is left open."""

    text: Annotated[Text, Field(min_length=1)]
    repo: Name | None = None
    cwd: AbsolutePath | None = None


def _told_here(event: object) -> object:
    """An event that comes over the API says so, and happened now unless it says when."""
    if not isinstance(event, dict):
        return event
    return {"at": time.time()} | cast(dict[str, Any], event) | {"source": "api"}


class EventIn(_Request):
    """Something that happened, told by a script. ``at`` and ``source`` may be left out."""

    event: Annotated[Event, BeforeValidator(_told_here)]
    key: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    """The same key is the same event, however often it is told."""


class ForgetIn(_Request):
    """What is to be forgotten: one of these."""

    person: Annotated[tuple[Name, ...], Field(max_length=20)] = ()
    """Names and addresses, all of one person."""
    path: Name | None = None
    source: Name | None = None
    before: Annotated[int, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [self.person or None, self.path, self.source, self.before]
        if sum(each is not None for each in given) != 1:
            raise ValueError("name one of person, path, source and before")
        return self


class SourceIn(_Request):
    """A source to be read from now on."""

    kind: Annotated[str, Field(min_length=1, max_length=40)]
    name: Annotated[str, Field(max_length=40)] | None = None
    options: dict[str, Any] = Field(default_factory=dict[str, Any])
    """How it is set up; of a token only where it is."""
    token: Token | None = None
    """What the caller's environment has as the token, where that is the place."""


class TokenIn(_Request):
    """A token, handed over for as long as the daemon lives."""

    token: Token | None = None


class WebhookIn(_Request):
    """A provider whose deliveries are to be taken in."""

    place: Annotated[str, Field(max_length=200)] | None = None
    """Where the secret is that the provider made."""
    secret: Token | None = None
    """What the caller's environment has as that secret, where that is the place."""
    new: bool = False
    """A new secret is to be made in the place of ours."""


class PauseIn(_Request):
    """How long nothing is to start by itself."""

    seconds: Annotated[float, Field(gt=0, le=366 * 86_400)] | None = None
    """None: until it is resumed."""
