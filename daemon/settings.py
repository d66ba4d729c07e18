"""The settings: one model that validates, and says all that is wrong at once.

Defaults, then the file (``config.toml``), then the environment
(``HERMES_AMBIENT_<SECTION>__<KEY>``), each over the one before.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from ..memory.errors import HermesError
from .paths import HOME_VARIABLE
from .sections import (
    AskSettings,
    AttentionSettings,
    BackgroundSettings,
    BriefSettings,
    CommitsSettings,
    CouncilSettings,
    DaemonSettings,
    DocumentsSettings,
    EmbedderSettings,
    IngestSettings,
    ModelsSettings,
    NightSettings,
    OllamaSettings,
    OpenAISettings,
    PersonSettings,
    RouterSettings,
    RunTestsSettings,
    ScheduleSettings,
    StoreSettings,
    WatchSettings,
    WorkingSettings,
)

PREFIX = "HERMES_AMBIENT_"


class SettingsRefused(HermesError):
    """The settings do not hold; ``problems`` names every one, with its file, line and key."""

    code = "settings"

    def __init__(self, problems: list[str]) -> None:
        super().__init__(
            "\n".join(problems),
            hint="`hermes config explain KEY` says what a key takes",
        )
        self.problems = problems


class Settings(BaseSettings):
    """Everything that can be set."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        validate_default=True,
    )

    store: StoreSettings = StoreSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    models: ModelsSettings = ModelsSettings()
    ollama: OllamaSettings = OllamaSettings()
    openai: OpenAISettings = OpenAISettings()
    ingest: IngestSettings = IngestSettings()
    ask: AskSettings = AskSettings()
    router: RouterSettings = RouterSettings()
    watch: WatchSettings = WatchSettings()
    schedule: ScheduleSettings = ScheduleSettings()
    attention: AttentionSettings = AttentionSettings()
    background: BackgroundSettings = BackgroundSettings()
    tests: RunTestsSettings = RunTestsSettings()
    commits: CommitsSettings = CommitsSettings()
    documents: DocumentsSettings = DocumentsSettings()
    brief: BriefSettings = BriefSettings()
    council: CouncilSettings = CouncilSettings()
    night: NightSettings = NightSettings()
    person: PersonSettings = PersonSettings()
    working: WorkingSettings = WorkingSettings()
    daemon: DaemonSettings = DaemonSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment, then the file (handed to the constructor). No .env file is read: the
        one of a project that hermes happens to stand in is not ours."""
        return env_settings, init_settings


def load(file: Path) -> Settings:
    """Read the file (it may be missing) and the environment. Raise SettingsRefused, naming every
    problem at once."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        text = ""
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsRefused([f"{file}: can't be read: {error}"]) from error
    return parse(text, file)


def parse(text: str, file: Path) -> Settings:
    """Given the text of a settings file and its name for messages, return the settings, the
    environment included. Raise SettingsRefused."""
    problems = list(_unknown_variables(os.environ))
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsRefused([f"{file}: is not valid TOML: {error}", *problems]) from error
    try:
        settings = Settings(**values)
    except ValidationError as error:
        found = [_describe(detail, text, file) for detail in error.errors()]
        problems += [problem for problem in found if problem]
    else:
        if not problems:
            return settings
    raise SettingsRefused(problems)


def sections() -> dict[str, type[BaseModel]]:
    """Every section's name and model, in the order of the documents."""
    return {
        name: field.annotation
        for name, field in Settings.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)
    }


def all_keys() -> list[str]:
    """Every key, as ``section.key``."""
    return [f"{name}.{key}" for name, model in sections().items() for key in model.model_fields]


def variable(key: str) -> str:
    """The environment variable of ``section.key``."""
    return PREFIX + key.replace(".", "__", 1).upper()


def choices(annotation: object) -> tuple[str, ...]:
    """The words a field takes, if it takes only certain ones."""
    return get_args(annotation) if getattr(annotation, "__origin__", None) is Literal else ()


def nearest(word: str, known: list[str]) -> str:
    """`` (did you mean …?)``, or nothing when no known word is near."""
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f" (did you mean {close[0]}?)" if close else ""


def _unknown_variables(environ: Mapping[str, str]) -> Iterator[str]:
    known = [variable(key) for key in all_keys()]
    tables = variable("store.storage_options") + "__"
    for name in sorted(environ):
        upper = name.upper()
        ours = upper.startswith(PREFIX) and upper != HOME_VARIABLE
        if ours and upper not in known and not upper.startswith(tables):
            yield f"{name}: no such setting{nearest(upper, [*known, HOME_VARIABLE])}"


def _describe(detail: ErrorDetails, text: str, file: Path) -> str:
    place = [str(part) for part in detail["loc"]]
    key = ".".join(place[:2])
    if detail["type"] == "extra_forbidden":
        model = sections().get(place[0])
        known = list(sections()) if len(place) == 1 or model is None else list(model.model_fields)
        message = f"no such key{nearest(place[-1], known)}"
    else:
        message = detail["msg"].removeprefix("Value error, ")
        message = message[:1].lower() + message[1:]
        shown: Any = detail["input"]
        if isinstance(shown, str | int | float | bool) and key != "store.storage_options":
            message += f" (it is {shown!r})"
    name = variable(key)
    if any(known.upper() == name for known in os.environ):
        # An unknown variable has been named already, with the nearest that is known.
        return "" if detail["type"] == "extra_forbidden" else f"{name}: {message}"
    line = line_of(text, key)
    return f"{file}{f':{line}' if line else ''}: {key}: {message}"


def line_of(text: str, key: str) -> int | None:
    """The line on which ``section.key`` stands in the text of a file, if it is easily found."""
    section, _, name = key.partition(".")
    inside = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[+\s*([\w.\-]+)\s*\]+", line):
            inside = header[1]
            if inside.partition(".")[0] == section and (not name or inside == key):
                return number
        elif match := re.match(r"\s*([\w.\-]+)\s*=", line):
            full = f"{inside}.{match[1]}" if inside else match[1]
            if full == key or full.startswith(key + "."):
                return number
    return None
