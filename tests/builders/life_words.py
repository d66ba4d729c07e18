"""What a made-up shop's developers write: subjects, reasons, titles, talk. Nobody's real words."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

AREAS: dict[str, tuple[str, ...]] = {
    "billing": ("refund", "invoice number", "card charge", "payout report", "tax rate", "receipt"),
    "cart": ("basket total", "voucher", "saved basket", "gift wrap", "stock hold", "price tag"),
    "search": ("ranking", "synonym list", "autocomplete", "facet", "index rebuild", "spelling"),
    "auth": ("login", "session", "password reset", "second factor", "api token", "guest account"),
    "shipping": (
        "parcel label",
        "pickup slot",
        "customs form",
        "tracking page",
        "return",
        "courier",
    ),
    "admin": ("audit list", "bulk edit", "export", "permission", "dashboard", "mail template"),
}
"""Folders of the shop, and what each is about."""

_VERBS = (
    *("Retry", "Cache", "Validate", "Limit", "Split", "Simplify", "Batch", "Guard", "Queue"),
    *("Measure", "Round", "Sort", "Delay", "Paginate", "Translate", "Encrypt", "Archive"),
)
_WHEN = (
    *("when the bank times out", "for guests", "in the nightly job", "behind a flag"),
    *("by country", "before an order is placed", "with a deadline", "on small screens"),
    *("for large accounts", "after a restart", "without the old table", "in one query"),
    *("for the Lisbon warehouse", "over the new broker", "while stock is counted", "twice a day"),
)
_OF = (
    *("of the first order", "from the archive", "of a company", "after midnight", "of one basket"),
    *(
        "in the mobile shop",
        "of old customers",
        "from the import",
        "of a gift",
        "in the back office",
    ),
    *("of a split order", "from the partner shop", "of test accounts", "in the checkout"),
    *("of the whole week", "from the call centre", "of a cancelled order", "in the preview"),
)
_TROUBLE = (
    *("it took {n} seconds on Mondays", "{n} customers a week wrote to support about it"),
    *("two workers did it at once", "it was wrong by {n} cents", "the log grew by {n} MB an hour"),
    *("the bank refuses more than {n} calls a minute", "it failed in {n} of 1000 cases"),
    *("a table of {n} rows was read for each click", "nobody could say who had done it"),
    *("the warehouse scans {n} boxes while it waits", "old phones show only half of it"),
    *(
        "accountants want it in one file",
        "a typo in it cost us {n} orders",
        "time zones were mixed",
    ),
)
_BEFORE = (
    *("Ana measured this with last week's orders.", "Nobody had looked at it since spring."),
    *(
        "The audit asked for it twice.",
        "Support keeps a list of such cases.",
        "It came up in the review.",
    ),
    *("A customer from Porto found out.", "The old broker hid it.", "We had postponed it before."),
)
_AFTER = (
    *("The rest stays as it is until the move.", "A nightly job cleans up what is left."),
    *("Mobile needs the same one day.", "There is a switch to turn it off again."),
    *(
        "The numbers are in the dashboard.",
        "Two tests hold it in place now.",
        "No data has to move.",
    ),
    *("It costs one query more.", "Guests see no difference.", "Documentation follows on Friday."),
)
_ANSWERS = (
    "That is since the deploy of {day}, I think.",
    "I saw the same with {n} orders yesterday.",
    "Then let us do it the other way round, and measure.",
    "The log says {n} times in an hour.",
    "Can we wait until the warehouse has moved?",
    "I would rather have it in one place.",
    "Whoever is on call should know about that.",
    "Our French customers have another rule there.",
)
CHATTER = ("+1", "thanks!", "good morning", "lunch?", "nice one", "brb", "on it", "done, thanks")


class Words:
    """Sentences, drawn by a seeded dice; a subject never twice."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self._subjects: dict[tuple[str, str], Iterator[str]] = {}

    def subject(self, area: str, thing: str) -> str:
        """Return a commit's subject about a thing, without its scope."""
        if (area, thing) not in self._subjects:
            those = list(product(_VERBS, _OF, _WHEN))
            self._dice.shuffle(those)
            self._subjects[area, thing] = (
                f"{do} the {thing} {of} {when}" for do, of, when in those
            )
        return next(self._subjects[area, thing])

    def reason(self, thing: str) -> str:
        """Return some sentences, one of which says why."""
        trouble = self._dice.choice(_TROUBLE).format(n=self._dice.randrange(2, 90))
        why = f"The {thing} was not good enough, because {trouble}."
        return " ".join((self._dice.choice(_BEFORE), why, self._dice.choice(_AFTER)))

    def title(self, area: str, thing: str) -> str:
        """Return a ticket's title."""
        verb, _, rest = self.subject(area, thing).partition(" ")
        return f"{rest.removeprefix('the ').capitalize()}: {verb.lower()} it"

    def answer(self, day: int) -> str:
        """Return what somebody says in a discussion."""
        return self._dice.choice(_ANSWERS).format(n=self._dice.randrange(2, 90), day=f"day {day}")
