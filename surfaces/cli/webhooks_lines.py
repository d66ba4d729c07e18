"""Webhooks as lines: where deliveries arrive, how they went, what is to be set up."""

from __future__ import annotations

from .columns import columns
from .moments import ago
from .text import clean, duration, one_line, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .output import Stream

    Found = dict[str, Any]

WHERE = {
    "github": "the repository's Settings, Webhooks, Add webhook; content type application/json",
    "linear": "Settings, API, Webhooks, New webhook",
    "slack": "api.slack.com/apps, your app, Event Subscriptions",
}
"""Where a provider is told the address."""


def list_lines(found: Found, now: float, stream: Stream) -> list[str]:
    """Return a line for each provider, below them what is not as it should be, and what to do."""
    on = [each for each in found["providers"] if each["on"]]
    rows = [
        (
            (clean(each["name"]), "bold"),
            _state(each, listening=found["listening"]),
            (_went(each["deliveries"], now), ""),
            (clean(each["address"]), "dim"),
        )
        for each in on
    ]
    lines = columns(rows, stream, give=(2,))
    if found["fault"]:
        lines += _wrapped(f"- {one_line(found['fault'])}", stream, "yellow")
    for each in on:
        for trouble in _troubles(each, now):
            lines += _wrapped(f"- {each['name']}: {trouble}", stream, "yellow")
    if on and found["listening"]:
        lines += _wrapped(_tunnel(found["port"]), stream, "dim")
    return lines


def on_lines(found: Found, name: str, stream: Stream) -> list[str]:
    """Return what a person is to set up for a provider that was just turned on."""
    each = next(provider for provider in found["providers"] if provider["name"] == name)
    title = each["title"]
    rows = [
        (("address", "dim"), (f"https://YOUR-TUNNEL/webhooks/{name}", "")),
        (("leads to", "dim"), (each["address"], "")),
    ]
    if found["secret"]:
        rows.append((("secret", "dim"), (found["secret"], "bold")))
    rows += [
        (("set up", "dim"), (WHERE[name], "")),
        (("tick", "dim"), (_listed(each["events"]), "")),
    ]
    lines = [stream.style(f"deliveries of {title} are taken in", "bold")]
    lines += columns(rows, stream, give=(1,))
    if not each["there"]:
        lines += _wrapped(f"- {_no_secret(each)}", stream, "yellow")
    return lines + _wrapped(_tunnel(found["port"]), stream, "dim")


def _tunnel(port: int) -> str:
    return (
        f"run a tunnel of your choice to http://127.0.0.1:{port}, and have it forward /webhooks/ only;"
        " docs/webhooks.md has examples"
    )


def _state(each: Found, *, listening: bool) -> tuple[str, str]:
    if not listening:
        return "down", "red"
    return ("on", "green") if each["there"] else ("no secret", "red")


def _went(went: Found, now: float) -> str:
    if went["last"] is None:
        said = ["nothing came yet"]
    else:
        said = [f"last {ago(went['last'], now)}", f"{went['accepted']:,} accepted"]
    for name, word in (("again", "again"), ("ignored", "ignored"), ("refused", "refused")):
        if went[name]:
            said.append(f"{went[name]:,} {word}")
    return ", ".join(said)


def _troubles(each: Found, now: float) -> list[str]:
    went = each["deliveries"]
    found = [] if each["there"] else [_no_secret(each)]
    if went["refused"]:
        when = ago(went["refused_at"], now)
        found.append(f"the last one was refused {when}: {one_line(went['reason'])}")
    if went["skewed"]:
        refused = f"{went['skewed']:,} refused for their time: "
        if went["skew"] is None:
            found.append(f"{refused}they do not say when they were sent")
        else:
            off = duration(abs(went["skew"]))
            found.append(f"{refused}their clock or yours is {off} off, or an old one came again")
    if went["ignored"] and not went["accepted"]:
        found.append(
            f"{went['ignored']:,} ignored: no source reads what they are about; `hermes sources add"
            f" {each['name']}`"
        )
    return found


def _no_secret(each: Found) -> str:
    kind, _, name = str(each["place"]).partition(":")
    if kind == "env":
        return (
            f"{name} is not set in the daemon's environment; `hermes webhooks on {each['name']}"
            f" --secret-env {name}` from a shell that has it hands it over until the daemon restarts"
        )
    return f"`python -m keyring set hermes-ambient {name}` puts the secret where it is looked for"


def _listed(events: Sequence[str]) -> str:
    return ", ".join(clean(event) for event in events)


def _wrapped(text: str, stream: Stream, style: str) -> list[str]:
    first, *rest = wrap(text, stream.width - 2)
    return [stream.style(line, style) for line in (first, *(f"  {line}" for line in rest))]
