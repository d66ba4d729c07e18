"""Tokens: where one is to be found, and its value for as long as a sync takes.

Only the place is kept: ``env:NAME``, a variable of the environment, or ``keyring:NAME``, an entry of
the system's keyring. A value is never written anywhere, and never told in an error.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from traceback import format_exception
from urllib.parse import quote

from ...memory.errors import HermesError

SERVICE = "hermes-ambient"
"""Under this service a keyring keeps what hermes looks up there."""
HIDDEN = "[token]"

_PLACE = re.compile(r"env:[A-Za-z_][A-Za-z0-9_]{0,127}|keyring:[\w.@/-]{1,128}", re.ASCII)


class NoToken(HermesError):
    """There is no token where it should be."""

    code = "no_token"


class TokenPlaceRefused(HermesError):
    """What was given says no place where a token could be."""

    code = "usage"


def token_place(given: object) -> str:
    """Return the place of a token as it was given. Raise TokenPlaceRefused, which does not say what
    that was: it may be the token itself."""
    if not isinstance(given, str) or not _PLACE.fullmatch(given):
        raise TokenPlaceRefused(
            "a token is named, not given: by a variable's name or a name in the keyring",
            hint="export SLACK_TOKEN=…, then --token-env SLACK_TOKEN; or --token-keyring slack",
        )
    return given


def is_there(place: str, offered: str | None = None) -> bool:
    """Say whether a token can be had; of a keyring's that is not known before it is asked."""
    kind, _, name = place.partition(":")
    return kind == "keyring" or bool(offered) or bool(os.environ.get(name, "").strip())


def read(place: str, offered: str | None = None) -> str:
    """Return a token's value; ``offered`` is what a person's shell has under the variable's name,
    and goes before what this process has. Raise NoToken."""
    kind, _, name = token_place(place).partition(":")
    value = (offered or os.environ.get(name, "")) if kind == "env" else _from_keyring(name)
    value = value.strip()
    if not value:
        raise NoToken(
            f"{name} is not set in the daemon's environment",
            hint="`hermes sources sync` from a shell that has it hands it over until the daemon"
            " restarts; --token-keyring keeps it",
        )
    if not value.isprintable() or " " in value:
        raise NoToken(f"what {name} holds is no token: there are blanks or line ends in it")
    return value


def hidden(text: str, secret: str | None) -> str:
    """Return a text without a token, as it is or as an address writes it."""
    if secret:
        for form in (secret, quote(secret, safe="")):
            text = text.replace(form, HIDDEN)
    return text


@contextmanager
def kept_in(secret: str | None) -> Generator[None]:
    """Keep a token out of what is logged and raised in the block, whatever a client says."""
    if secret is None:
        yield
        return
    handlers = logging.getLogger().handlers
    hiding = _Hiding(secret)
    for handler in handlers:
        handler.addFilter(hiding)
    try:
        yield
    except HermesError as error:
        error.message, error.hint = hidden(error.message, secret), hidden(error.hint, secret)
        error.args = (error.message,)
        raise error from None
    except Exception as error:
        # A fault of ours is logged with all that led to it.
        told = "".join(format_exception(error))
        if hidden(told, secret) == told:
            raise
        raise RuntimeError(hidden(told, secret)) from None
    finally:
        for handler in handlers:
            handler.removeFilter(hiding)


class _Hiding(logging.Filter):
    """Takes a token out of what is logged."""

    def __init__(self, secret: str) -> None:
        super().__init__()
        self._secret = secret

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record through, without the token."""
        record.msg, record.args = hidden(record.getMessage(), self._secret), None
        return True


def _from_keyring(name: str) -> str:
    # Only here: it imports D-Bus and cryptography.
    import keyring
    from keyring.errors import KeyringError, NoKeyringError

    try:
        value = keyring.get_password(SERVICE, name)
    except NoKeyringError as error:
        raise NoToken(
            "there is no keyring on this machine that could be asked",
            hint="name a variable of the environment instead: --token-env NAME",
        ) from error
    except KeyringError as error:
        raise NoToken(
            f"the keyring does not give {SERVICE}/{name}: {type(error).__name__}",
            hint="unlock it, then `hermes sources sync`",
        ) from error
    if not value:
        raise NoToken(
            f"the keyring has no {SERVICE}/{name}",
            hint=f"`python -m keyring set {SERVICE} {name}` puts it there",
        )
    return value
