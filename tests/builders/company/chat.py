"""Its chat: discussions that matter, and the talk around them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from .people import BY_NAME, Said, moment


@dataclass(frozen=True)
class Thread:
    """One discussion in a channel."""

    name: str
    """By which the questions know it."""
    channel: str
    began: str
    said: tuple[Said, ...]


CHANNELS = {
    "C0ENGPLAT": "#eng-platform",
    "C0INCIDENTS": "#incidents",
    "C0MOBILE": "#mobile",
    "C0PAYMENTS": "#payments",
    "C0PRODUCT": "#product",
    "C0RANDOM": "#random",
    "C0SECURITY": "#security",
}

THREADS = (
    Thread(
        "limiter",
        "C0ENGPLAT",
        "2025-03-14 11:20",
        (
            (
                "Kim",
                "Where do we keep the counters of the rate limiter then? memcached is out after #212",
            ),
            ("Jonas", "redis. one script, atomic, and we can turn eviction off for it"),
            ("Lea", "one more thing to run. who is on call for it?"),
            ("Jonas", "I take it. managed instance, 20 euros a month"),
            ("Kim", "ok, writing it up as ADR-7"),
        ),
    ),
    Thread(
        "double-charge",
        "C0PAYMENTS",
        "2025-04-09 14:05",
        (
            ("Jonas", "support has six people who paid two times since lunch"),
            ("Sam", "gateway is slow, p99 at 31 s. our client gives up after 30 and asks again"),
            ("Jonas", "stopping the worker now"),
            ("Sam", "refund script is running, 214 rows"),
        ),
    ),
    Thread(
        "laptop",
        "C0SECURITY",
        "2025-04-21 08:40",
        (
            ("Priya", "Ana's laptop was taken on the train. she was signed in to the back office"),
            (
                "Lea",
                "we can't revoke a signed cookie. only change the secret, and everybody is out",
            ),
            ("Priya", "do it, before 9"),
        ),
    ),
    Thread(
        "elastic",
        "C0ENGPLAT",
        "2025-05-20 10:00",
        (
            ("Tomás", "shop lookup: the agency says everybody uses elastic for that"),
            ("Priya", "4,000 rows. I'd rather not feed a second copy"),
            ("Sam", "and it wants 8 GB to say hello"),
            ("Tomás", "fine, postgres it is"),
        ),
    ),
    Thread(
        "hang",
        "C0INCIDENTS",
        "2025-06-17 09:12",
        (
            ("Lea", "site hangs, every worker waits for a connection"),
            ("Jonas", "forty in 'idle in transaction', all from the report job"),
            ("Lea", "killed them. back."),
            ("Jonas", "they were waiting for the mail server inside the transaction, wow"),
        ),
    ),
    Thread(
        "friday",
        "C0ENGPLAT",
        "2025-06-27 15:30",
        (
            ("Tomás", "can we agree not to ship after Thursday noon?"),
            ("Kim", "yes please, my last three weekends say hello"),
            ("Lea", "agreed: no releases from Friday on, fixes for outages excepted"),
        ),
    ),
    Thread(
        "porto",
        "C0PRODUCT",
        "2025-07-20 16:00",
        (
            ("Lea", "Porto wants the new checkout before everybody else"),
            ("Tomás", "with the toggles in the table that's one row now, ENG-66"),
        ),
    ),
    Thread(
        "push",
        "C0MOBILE",
        "2025-07-25 12:00",
        (
            ("Kim", "why do some phones stay silent?"),
            (
                "Priya",
                "they reinstalled; Apple gives a new token and we still write to the old one",
            ),
            ("Priya", "fix is in #275, but I need an Android device to test"),
        ),
    ),
    Thread(
        "checkout-stuck",
        "C0INCIDENTS",
        "2025-08-12 13:02",
        (
            (
                "Sam",
                "nobody can order. alter table is waiting behind the nightly export, and all wait behind it",
            ),
            ("Priya", "cancelled it. orders come in again"),
        ),
    ),
    Thread(
        "lisbon",
        "C0PRODUCT",
        "2025-09-01 09:30",
        (
            ("Tomás", "people in Lisbon come at six and find the locker shut"),
            ("Sam", "mail is in Madrid time. we never stored which zone it is"),
        ),
    ),
    Thread(
        "python",
        "C0ENGPLAT",
        "2025-09-09 10:00",
        (
            ("Jonas", "3.13 on staging since Monday: a bit faster, memory the same"),
            ("Sam", "lxml?"),
            ("Jonas", "pinned to an old one, lifted it. free threading stays off"),
        ),
    ),
    Thread(
        "lua-loadtest",
        "C0ENGPLAT",
        "2025-03-20 17:00",
        (
            (
                "Jonas",
                "load test of the limiter branch: 9,000 checks a second on the small instance",
            ),
            ("Kim", "ten times what we need, good"),
        ),
    ),
    Thread(
        "courier-photo",
        "C0PRODUCT",
        "2025-09-15 11:00",
        (
            ("Kim", "couriers should photograph the compartment. insurance asked"),
            ("Lea", "privacy: faces and name plates. legal first, ENG-71 stays in the backlog"),
        ),
    ),
)

SMALL_TALK = (
    "lunch at the Thai place?",
    "who has the key of the bike room",
    "coffee machine is broken again",
    "happy birthday Lea!",
    "standup in five",
    "printer on the second floor is out of paper",
    "is the vpn slow for you too?",
    "new chairs arrive on Monday",
    "I'm out tomorrow, dentist",
    "who left the window open",
    "the plants need water",
    "game night on Thursday?",
    "parking garage is full today",
    "can somebody open the door for a delivery",
    "fire drill at three",
    "the fridge will be emptied tonight",
    "train is late, start without me",
    "slides for the all-hands are up",
    "my headset died",
    "welcome Ana, our new colleague in support",
)
"""Said between two people, and of no use to anybody later."""


def everything_said() -> list[Thread]:
    """Return the discussions with the talk around them."""
    start = datetime(2025, 1, 8, 12, tzinfo=UTC)
    names = list(BY_NAME)
    around = [
        Thread(
            words,
            "C0RANDOM",
            f"{start + timedelta(days=11 * number):%Y-%m-%d %H:%M}",
            ((names[number % 6], words), (names[(number + 1) % 6], "yes")),
        )
        for number, words in enumerate(SMALL_TALK)
    ]
    return [*THREADS, *around]


def stamp_of(thread: Thread) -> str:
    """Return the time by which Slack calls the first message of a discussion."""
    return f"{moment(thread.began)}.{everything_said().index(thread):06d}"
