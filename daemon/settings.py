"""The settings: one model that validates, and from which sample, documents and help are made.

Defaults, then the file (``config.toml``), then the environment
(``HERMES_AMBIENT_<SECTION>__<KEY>``), each over the one before.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
)
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from ..memory.errors import HermesError
from .paths import HOME_VARIABLE

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


def _from_text(value: object) -> object:
    """Environment variables are text: read lists and tables as JSON, or a list as a,b,c."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith(("[", "{")):
        try:
            return json.loads(value)
        except json.JSONDecodeError as error:
            raise ValueError(f"is not valid JSON: {error}") from error
    return [part.strip() for part in value.split(",") if part.strip()]


def _nothing_if_empty(value: object) -> object:
    return None if value == "" else value


def _http_address(value: str) -> str:
    if not re.fullmatch(r"https?://[^/\s]+(/\S*)?", value):
        raise ValueError("should be an address such as http://127.0.0.1:11434")
    return value.rstrip("/")


TextList = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_from_text)]
TextTable = Annotated[dict[str, str], NoDecode, BeforeValidator(_from_text)]
HttpAddress = Annotated[str, AfterValidator(_http_address)]
OptionalFolder = Annotated[Path | None, BeforeValidator(_nothing_if_empty)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


class StoreSettings(_Section):
    """Where the vector store lies."""

    uri: str = Field(
        default="",
        description="Where the chunks lie: empty for a folder in hermes's state, or any LanceDB "
        "address such as s3://bucket/folder.",
    )
    storage_options: TextTable = Field(
        default_factory=dict[str, str],
        description="What an object store needs (endpoint, region, keys). Keep keys out of the "
        "file: set HERMES_AMBIENT_STORE__STORAGE_OPTIONS to a JSON object.",
    )


class EmbedderSettings(_Section):
    """What turns text into vectors. Full text works without any."""

    provider: Literal["auto", "static", "ollama", "minilm", "none"] = Field(
        default="auto",
        description="auto: Ollama's when it has the model, else the bundled static one. "
        "none: full text only.",
    )
    model: str = Field(
        default="nomic-embed-text", description="The embedding model to ask Ollama for."
    )
    minilm_folder: OptionalFolder = Field(
        default=None,
        description="With provider minilm: the folder that holds its ONNX model and tokenizer; "
        "empty for the one that the extra installs.",
    )


class ModelsSettings(_Section):
    """The language model that writes answers. Without one, answers are passages."""

    provider: Literal["ollama", "openai", "none"] = Field(
        default="ollama",
        description="openai: any server that speaks the OpenAI protocol (llama.cpp, vLLM, "
        "LM Studio, OpenRouter). none: never ask a model.",
    )
    model: str = Field(
        default="hermes3:8b", description="The model's name, as its server knows it."
    )
    num_ctx: int = Field(
        default=8_192,
        ge=2_048,
        le=1_048_576,
        description="Tokens of context. Always sent, since a server's own default cuts "
        "prompts silently.",
    )
    keep_alive: int = Field(
        default=1_800,
        ge=-1,
        description="Seconds that Ollama keeps the model loaded after an answer; -1 for ever, "
        "0 unloads it at once.",
    )
    connect_timeout: Seconds = Field(default=2.0, description="Seconds to wait for a connection.")
    token_timeout: Seconds = Field(
        default=60.0,
        description="Seconds to wait for the next token; the first waits for the load too.",
    )
    total_timeout: Seconds = Field(
        default=180.0, description="Seconds that one model call may take."
    )


class OllamaSettings(_Section):
    """The Ollama server, for the language model and for embeddings."""

    host: HttpAddress = Field(
        default="http://127.0.0.1:11434",
        description="Where Ollama listens. Another host gets your text.",
    )


class OpenAISettings(_Section):
    """A server that speaks the OpenAI protocol; used with [models] provider = "openai"."""

    base_url: HttpAddress = Field(
        default="http://127.0.0.1:8080/v1",
        description="The address up to and with /v1. Another host gets your text.",
    )
    api_key_env: str = Field(
        default="",
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*$|^$",
        description="The environment variable that holds the key. The key itself never stands "
        "in a file.",
    )


class IngestSettings(_Section):
    """What is taken into memory."""

    exclude: TextList = Field(
        default=(),
        description="Paths whose changes leave only a stub, in .gitignore's language; a "
        "repository's .hermesignore adds to it.",
    )
    max_file_bytes: int = Field(
        default=1_000_000,
        ge=1_000,
        description="A file's change that is larger than this many bytes leaves only a stub.",
    )


class AskSettings(_Section):
    """How a question is answered."""

    passages: int = Field(default=12, ge=1, le=50, description="Passages an answer is built from.")
    tool_rounds: int = Field(
        default=8,
        ge=0,
        le=8,
        description="How often the model may look things up before it answers.",
    )


class DaemonSettings(_Section):
    """The resident process."""

    transport: Literal["auto", "unix", "loopback"] = Field(
        default="auto",
        description="auto: a Unix socket where there are any, else a loopback port with a token.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="What the log keeps. Questions and code are never logged."
    )
    log_max_bytes: int = Field(
        default=2_000_000,
        ge=10_000,
        description="Size at which the log is turned over; one old is kept.",
    )


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
