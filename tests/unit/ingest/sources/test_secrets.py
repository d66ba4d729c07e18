"""Where a token is, and what is said of it: never what it is."""

from __future__ import annotations

from collections.abc import Iterator

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.core import load_keyring
from keyring.errors import KeyringLocked

from hermes.ingest.sources.secrets import (
    SERVICE,
    NoToken,
    TokenPlaceRefused,
    hidden,
    is_there,
    read,
    token_place,
)

VALUE = "xoxb-17-secret"


class OwnKeyring(KeyringBackend):
    """A keyring with one entry, which may be locked."""

    def __init__(self, *, locked: bool = False) -> None:
        self._locked = locked

    def get_password(self, service: str, username: str) -> str | None:
        if self._locked:
            raise KeyringLocked(f"no {VALUE} for you")
        return {(SERVICE, "slack"): f"{VALUE}\n"}.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        raise NotImplementedError

    def delete_password(self, service: str, username: str) -> None:
        raise NotImplementedError


@pytest.fixture(autouse=True)
def backend() -> Iterator[None]:
    """No test asks the keyring of this machine."""
    before = keyring.get_keyring()
    keyring.set_keyring(load_keyring("keyring.backends.fail.Keyring"))
    yield
    keyring.set_keyring(before)


@pytest.mark.parametrize(
    "given", ["", VALUE, "env:", "env:1A", f"env:{VALUE}", "file:/etc/x", "keyring:a b", 3, None]
)
def test_what_names_no_place_is_refused_without_being_repeated(given: object) -> None:
    with pytest.raises(TokenPlaceRefused) as refused:
        token_place(given)
    assert VALUE not in refused.value.message + refused.value.hint


def test_what_a_shell_hands_over_goes_before_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SLACK_TOKEN", " old\n")
    assert read("env:SLACK_TOKEN") == "old"
    assert read("env:SLACK_TOKEN", VALUE) == VALUE
    monkeypatch.delenv("SLACK_TOKEN")
    assert not is_there("env:SLACK_TOKEN")
    assert is_there("env:SLACK_TOKEN", VALUE)
    with pytest.raises(NoToken, match="SLACK_TOKEN is not set in the daemon's environment"):
        read("env:SLACK_TOKEN")


@pytest.mark.parametrize("value", ["two words", "line\nend", "bell\a"])
def test_what_is_no_token_is_refused_without_being_repeated(value: str) -> None:
    with pytest.raises(NoToken) as refused:
        read("env:SLACK_TOKEN", value)
    assert value not in refused.value.message


def test_a_keyring_is_asked_for_the_name() -> None:
    keyring.set_keyring(OwnKeyring())
    assert read("keyring:slack") == VALUE
    with pytest.raises(NoToken, match="the keyring has no hermes-ambient/linear"):
        read("keyring:linear")
    keyring.set_keyring(OwnKeyring(locked=True))
    with pytest.raises(NoToken, match="does not give hermes-ambient/slack: KeyringLocked") as told:
        read("keyring:slack")
    assert VALUE not in told.value.message


def test_a_machine_without_a_keyring_says_what_to_do_instead() -> None:
    with pytest.raises(NoToken, match="no keyring on this machine") as told:
        read("keyring:slack")
    assert "--token-env" in told.value.hint


def test_a_token_is_taken_out_of_a_text_in_both_its_forms() -> None:
    text = "GET /a?t=x%2By and x+y"
    assert hidden(text, "x+y") == "GET /a?t=[token] and [token]"
    assert hidden(text, None) == text
