"""How a council goes, while it sits: who has spoken, who is still thinking, who gave no opinion."""

from __future__ import annotations

from .council_lines import heard_line, seat_of
from .text import count, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .output import Output

    Found = dict[str, Any]

MOST_LEFT_OUT = 5
"""Things that were cut for length that are named."""


class Progress:
    """Takes the events of a council in their order and shows them."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._thinking: dict[str, None] = {}

    def take(self, event: Found) -> None:
        """Show one event."""
        out = self._out
        match event["type"]:
            case "step":
                out.passing(f"{event['text']} …")
            case "opened":
                self._opened(event["council"])
            case "round" if event["round"] > 1:
                out.say(f"a debate, round {event['round'] - 1}: {event['why']}", "bold")
            case "asking":
                self._thinking[event["seat"]] = None
            case "trying":
                out.say(f"{seat_of(event['seat'])} is {one_line(event['what'])}", "dim")
            case "heard" if not event["seat"].startswith("rule:"):
                self._thinking.pop(event["seat"], None)
                out.say(heard_line(event))
            case "away":
                self._away(event)
            case "settled":
                self._thinking.clear()
                out.say("the rest can't change who wins, so they are not waited for", "dim")
            case _:
                pass  # of a newer daemon
        if self._thinking:
            who = ", ".join(seat_of(seat) for seat in self._thinking)
            out.passing(f"thinking: {who} …")

    def _opened(self, council: Found) -> None:
        out = self._out
        who = count(len(council["jury"]), "judge") if council["jury"] else "rules alone"
        out.say(f"council {council['id']}: {who}, {council['mode']}, {council['preset']}", "dim")
        for notice in council["notices"]:
            out.say(notice, "yellow")
        for text in council["left_out"][:MOST_LEFT_OUT]:
            out.say(f"left out for length: {one_line(text)}", "yellow")

    def _away(self, event: Found) -> None:
        self._thinking.pop(event["seat"], None)
        who, why = seat_of(event["seat"]), one_line(event["why"])
        then = f"; {seat_of(event['replaced_by'])} takes the seat" if event["replaced_by"] else ""
        self._out.say(f"{who} gave no opinion: {why}{then}", "yellow")
