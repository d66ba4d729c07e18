"""What each section of the settings holds: keys, defaults, limits, and a word on each.

The sample file, docs/configuration.md and ``hermes config explain`` are made from this.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_settings import NoDecode

from ..memory.errors import HermesError


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


def _jurors(value: tuple[str, ...]) -> tuple[str, ...]:
    for one in value:
        provider, _, name = one.partition(":")
        if provider not in ("ollama", "openai", "command") or not name.strip():
            raise ValueError(
                f"{one!r} should be ollama:MODEL, openai:MODEL or command:PROGRAM ARGUMENTS"
            )
    return tuple(dict.fromkeys(value))


def _inside(value: str) -> str:
    path = PurePosixPath(value)
    if value and (path.is_absolute() or ".." in path.parts or ".git" in path.parts):
        raise ValueError("should be a folder inside the repository, such as .hermes/council")
    return value


def _quiet_hours(value: str) -> str:
    from .attention.quiet import Quiet

    with _as_problem():
        Quiet.parse(value)
    return value


def _working_days(value: str) -> str:
    from ..agents.brief.calendar import read_days

    with _as_problem():
        read_days(value)
    return value


def _working_hours(value: str) -> str:
    from ..agents.brief.calendar import read_hours

    with _as_problem():
        read_hours(value)
    return value


def _days_off(value: tuple[str, ...]) -> tuple[str, ...]:
    from ..agents.brief.calendar import read_off

    with _as_problem():
        for text in value:
            read_off(text)
    return value


def _readable_jobs(value: dict[str, dict[str, str | float]]) -> dict[str, dict[str, str | float]]:
    from .triggers.entries import read_entries

    with _as_problem():
        read_entries(value, "")
    return value


@contextmanager
def _as_problem() -> Generator[None]:
    """Tell what is wrong with a value as pydantic wants it told."""
    try:
        yield
    except HermesError as error:
        raise ValueError(error.message) from error


TextList = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_from_text)]
Jobs = Annotated[
    dict[str, dict[str, str | float]],
    NoDecode,
    BeforeValidator(_from_text),
    AfterValidator(_readable_jobs),
]
TextTable = Annotated[dict[str, str], NoDecode, BeforeValidator(_from_text)]
JurorList = Annotated[
    tuple[str, ...], NoDecode, BeforeValidator(_from_text), AfterValidator(_jurors)
]
Presets = Annotated[dict[str, dict[str, str]], NoDecode, BeforeValidator(_from_text)]
HttpAddress = Annotated[str, AfterValidator(_http_address)]
HttpAddresses = Annotated[tuple[HttpAddress, ...], NoDecode, BeforeValidator(_from_text)]
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
    more_hosts: HttpAddresses = Field(
        default=(),
        description="Further Ollama hosts with the same model, to share the load with.",
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


class RouterSettings(_Section):
    """Who decides which agent an event is for."""

    mode: Literal["auto", "model", "rules"] = Field(
        default="auto",
        description="auto: rules, and the model where they leave a choice. model: it is asked of "
        "every event that several agents could take. rules: the model is never asked.",
    )
    budget: Seconds = Field(
        default=2.0,
        description="Seconds the model may take to route an event; then the rules decide.",
    )


class WatchSettings(_Section):
    """The watch over your files."""

    enabled: bool = Field(
        default=True,
        description="Without it hermes sees commits by its git hooks, and else hourly.",
    )
    exclude: TextList = Field(
        default=(),
        description="Paths that are not watched, in .gitignore's language, besides what git and "
        ".hermesignore leave out.",
    )


class AttentionSettings(_Section):
    """When you may be interrupted."""

    per_hour: int = Field(
        default=2, ge=0, le=60, description="Interruptions in an hour, at most; 0 for none ever."
    )
    per_day: int = Field(default=8, ge=0, le=500, description="Interruptions in a day, at most.")
    quiet_hours: Annotated[str, AfterValidator(_quiet_hours)] = Field(
        default="22:00-08:00",
        description="No interruptions between these times of day; empty for no quiet hours.",
    )


class ScheduleSettings(_Section):
    """What runs at times. `hermes schedule` shows it; docs/schedule.md says more."""

    jobs: Jobs = Field(
        default_factory=dict[str, dict[str, str | float]],
        description="Entries by name, each with cron, agent, subject, repo, late (skip, once, "
        'always) and grace in seconds. cron = "off" switches one off: jobs.rescan.cron = "off".',
    )


class BackgroundSettings(_Section):
    """How much hermes may do that nobody waits for."""

    on_battery: Literal["go", "slow", "pause"] = Field(
        default="slow", description="slow: one thing at a time. pause: nothing until it charges."
    )
    slow_load: float = Field(
        default=1.5,
        gt=0,
        description="Load for each core from which on only one thing is done at a time.",
    )
    pause_load: float = Field(
        default=4.0, gt=0, description="Load for each core from which on nothing is begun."
    )
    max_rss_mb: int = Field(
        default=1_500,
        ge=0,
        description="Megabytes beyond which the daemon starts itself anew, losing nothing; 0 for "
        "no limit.",
    )


class RunTestsSettings(_Section):
    """The tests of repositories that you trust (`hermes trust`)."""

    enabled: bool = Field(
        default=True, description="Run the affected tests after a save, and all of them at night."
    )
    isolation: Literal["snapshot", "in_place"] = Field(
        default="snapshot",
        description="snapshot: on a copy of the worktree that nobody edits. in_place: in the "
        "worktree itself.",
    )
    limit: Seconds = Field(
        default=600.0, description="Seconds that the affected tests may take before they are ended."
    )
    full_limit: Seconds = Field(
        default=3_600.0, description="Seconds that all tests together may take, at night."
    )


class CommitsSettings(_Section):
    """Drafts of commit messages."""

    enabled: bool = Field(default=True, description="Draft a message for what is staged.")
    wait: float = Field(
        default=0.0,
        ge=0,
        le=5,
        description="Seconds that `git commit` may wait for a draft that is not ready.",
    )


class DocumentsSettings(_Section):
    """Documents that are kept in step with the code."""

    enabled: bool = Field(
        default=True, description="Look after each commit for documents that it made wrong."
    )


class BriefSettings(_Section):
    """The morning brief."""

    enabled: bool = Field(default=True, description="Have a brief ready when the day begins.")
    lines: int = Field(
        default=15, ge=5, le=60, description="Lines that it may take unless more is asked for."
    )


class NightSettings(_Section):
    """What is done at night: themes are made and memory is tidied up (`hermes consolidate`)."""

    enabled: bool = Field(
        default=True, description="Roll what happened up into themes, and tidy memory up."
    )
    minutes: int = Field(
        default=30,
        ge=1,
        le=240,
        description="Minutes that a night may take; what is left is done the next. Asked for by "
        "hand it takes as long as it takes.",
    )
    size_mb: int = Field(
        default=5_000,
        ge=0,
        description="Megabytes that hermes may hold on disk. Beyond that a night packs all it can "
        "and says so; it removes nothing that is known. 0 for no limit.",
    )


class CouncilSettings(_Section):
    """Who judges when a council is asked. docs/council.md says how."""

    jurors: JurorList = Field(
        default=(),
        description="Who may sit: ollama:MODEL, openai:MODEL (the server of [openai]), or "
        "command:PROGRAM ARGUMENTS, which reads the prompt on standard input and prints its answer. "
        "Empty: the model of [models]. The order is that of the reserve.",
    )
    mode: Literal["quick", "standard", "deep", "debate", "mixed-model"] = Field(
        default="standard",
        description="quick: one judge. standard: three. deep: five. debate: three, and two rounds "
        "of debate on a split instead of one. mixed-model: three of different model families.",
    )
    preset: str = Field(
        default="general",
        description="From where judges look: general, architecture, code-review, security, product, "
        "operations, or one of your own.",
    )
    presets: Presets = Field(
        default_factory=dict[str, dict[str, str]],
        description="Presets of your own by name, each with what a judge is told by the name of its "
        'perspective, such as presets.legal.Licence = "Judge what the licences allow".',
    )
    critical: TextList = Field(
        default=(),
        description="Globs of paths on which an agreement needs a human check, such as migrations/.",
    )
    report: Annotated[str, AfterValidator(_inside)] = Field(
        default=".hermes/council",
        description="The folder of a repository in which verdicts are put, out of git's sight; "
        "empty: no report is written.",
    )
    seconds: Seconds = Field(
        default=180.0, description="Seconds that one judge may take for one answer."
    )


class PersonSettings(_Section):
    """Who you are, besides what git is told (user.name, user.email) and .mailmap files say."""

    names: TextList = Field(default=(), description="Other names you commit under.")
    emails: TextList = Field(default=(), description="Other addresses you commit under.")


class WorkingSettings(_Section):
    """When you work. The brief tells what happened since you last did."""

    days: Annotated[str, AfterValidator(_working_days)] = Field(
        default="mon-fri", description="Days of the week: mon-fri, or mon,tue,thu."
    )
    hours: Annotated[str, AfterValidator(_working_hours)] = Field(
        default="09:00-17:30", description="Hours of the day."
    )
    off: Annotated[TextList, AfterValidator(_days_off)] = Field(
        default=(),
        description="Days off: 2026-12-25, or spans as 2026-12-27..2027-01-03. Holidays too.",
    )
