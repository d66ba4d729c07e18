"""Settings: one model, every problem at once, and where each value comes from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hermes.daemon import settings
from hermes.daemon.settings import SettingsRefused, load, parse
from hermes.surfaces.cli import settings_pages

FILE = Path("/etc/config.toml")


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    found = load(tmp_path / "none.toml")
    assert found.models.model == "hermes3:8b"
    assert found.store.uri == ""


def test_the_environment_goes_over_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_AMBIENT_MODELS__NUM_CTX", "4096")
    found = parse("[models]\nnum_ctx = 2048\nmodel = 'small'\n", FILE)
    assert (found.models.num_ctx, found.models.model) == (4096, "small")


def test_lists_and_tables_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_AMBIENT_INGEST__EXCLUDE", "vendor/, *.min.js")
    monkeypatch.setenv("HERMES_AMBIENT_STORE__STORAGE_OPTIONS", '{"region": "x"}')
    found = parse("", FILE)
    assert found.ingest.exclude == ("vendor/", "*.min.js")
    assert found.store.storage_options == {"region": "x"}


def test_a_table_can_be_given_key_by_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_AMBIENT_STORE__STORAGE_OPTIONS__AWS_REGION", "x")
    assert parse("", FILE).store.storage_options == {"aws_region": "x"}


def test_all_problems_are_told_at_once_with_file_line_and_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HERMES_AMBIENT_MODELS__NUMCTX", "3")
    monkeypatch.setenv("HERMES_AMBIENT_ASK__PASSAGES", "many")
    text = "oops = 1\n\n[models]\nmodle = 'x'\nnum_ctx = 10\n\n[ollama]\nhost = 'here'\n"
    with pytest.raises(SettingsRefused) as refused:
        parse(text, FILE)
    told = "\n".join(refused.value.problems)
    assert "NUMCTX: no such setting (did you mean HERMES_AMBIENT_MODELS__NUM_CTX?)" in told
    assert "HERMES_AMBIENT_ASK__PASSAGES: " in told
    assert "/etc/config.toml:1: oops: no such key" in told
    assert "/etc/config.toml:4: models.modle: no such key (did you mean model?)" in told
    assert "/etc/config.toml:5: models.num_ctx: " in told
    assert "/etc/config.toml:8: ollama.host: should be an address" in told
    assert len(refused.value.problems) == 6


@pytest.mark.parametrize("text", ["[models", "a = ", "\x00", "[a]\n[a]\n"])
def test_what_is_no_toml_names_the_file(text: str) -> None:
    with pytest.raises(SettingsRefused, match=r"/etc/config\.toml: is not valid TOML"):
        parse(text, FILE)


def test_a_secret_in_a_wrong_table_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_AMBIENT_STORE__STORAGE_OPTIONS", '{"key": "hunter2"')
    with pytest.raises(SettingsRefused) as refused:
        parse("", FILE)
    assert "hunter2" not in str(refused.value)


def test_a_file_that_can_not_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsRefused, match="can't be read"):
        load(tmp_path / "config.toml")
    with pytest.raises(SettingsRefused, match="can't be read"):
        load(tmp_path)


def test_no_env_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text("HERMES_AMBIENT_MODELS__MODEL=evil\n")
    monkeypatch.chdir(tmp_path)
    assert load(tmp_path / "config.toml").models.model == "hermes3:8b"


def test_the_sample_is_valid_and_changes_nothing() -> None:
    sample = settings_pages.sample()
    assert parse(sample, FILE) == parse("", FILE)
    awake = "\n".join(
        line.removeprefix("#") if line.startswith("#") and " = " in line else line
        for line in sample.splitlines()
        if not line.startswith("# ")
    )
    assert parse(awake, FILE) == parse("", FILE)


@pytest.mark.parametrize("key", settings.all_keys())
def test_every_setting_is_described(key: str) -> None:
    facts = settings_pages.facts(key)
    assert facts["description"].endswith(".")
    assert facts["takes"]
    assert json.dumps(facts)


@pytest.mark.parametrize(
    ("key", "takes"),
    [
        ("watch.enabled", "true or false"),
        ("ollama.more_hosts", "a list"),
        ("watch.exclude", "a list"),
        ("store.storage_options", "a table"),
        ("embedder.minilm_folder", "a folder"),
    ],
)
def test_what_a_setting_takes_is_said_in_the_files_own_words(key: str, takes: str) -> None:
    assert settings_pages.facts(key)["takes"] == takes
