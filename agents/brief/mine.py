"""What in an item is the person's, by all the names they go by in the sources; and who calls them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ...ingest.sources.transcript import as_written
from ...memory.records import Item
from .records import Person

_NOREPLY = re.compile(r"(?:\d+\+)?(?P<login>[\w-]+)@users\.noreply\.github\.com$")
_ASIDE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`|^>.*?$", re.DOTALL | re.MULTILINE)
"""Code, and what others said before."""
_AT = re.compile(r"(?<![\w@/.`-])@(?=\w)")


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one person, as items have them."""

    all: frozenset[str] = frozenset()
    """In small letters: whole names, and logins."""

    def have(self, name: str) -> bool:
        """Say whether a name is theirs."""
        return bool(name) and as_written(name).casefold() in self.all


def logins_of(person: Person) -> frozenset[str]:
    """Return the logins that the person's addresses tell."""
    return frozenset(match["login"] for each in person.emails if (match := _NOREPLY.match(each)))


def names_in(item: Item, person: Person, aliases: Collection[str] = ()) -> Names:
    """Return the names that the person has in an item."""
    taking_part = ((item.author, item.email), *item.people)
    here = [name for name, email in taking_part if email and email.lower() in person.emails]
    names = (as_written(name).casefold() for name in (*person.names, *aliases, *here))
    return Names(frozenset(name for name in names if name))


def calls(said: str, mine: Names, others: Iterable[str] = ()) -> bool:
    """Say whether words are to, or of, the person: by their whole name, or behind an ``@`` by a login
    or a first name that nobody of the ``others`` has too. Code and quotations call nobody."""
    text = _ASIDE.sub(" ", said)
    whole = [name for name in mine.all if " " in name]
    if any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in whole):
        return True
    foreign = {as_written(name).casefold() for name in others} - mine.all - {""}
    known = sorted(mine.all | foreign, key=len, reverse=True)
    firsts = {name.split()[0] for name in whole} - {name.split()[0] for name in foreign}
    for at in _AT.finditer(text):
        rest = text[at.end() :]
        called = next((name for name in known if _begins(rest, name)), None)
        if called is not None and called in mine.all:
            return True
        # "@Sam Doe" is another Sam.
        if called is None and any(
            _begins(rest, first) and not re.match(r" [A-Z][a-z]", rest[len(first) :])
            for first in firsts
        ):
            return True
    return False


def _begins(text: str, name: str) -> bool:
    return re.match(rf"{re.escape(name)}(?![\w-])", text, re.IGNORECASE) is not None
