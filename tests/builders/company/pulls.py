"""Its pull requests: what they are for, what was said in review, what they changed."""

from __future__ import annotations

from dataclasses import dataclass, field

from .people import Said


@dataclass(frozen=True)
class Pull:
    """One pull request; squashed into one commit where it was merged."""

    number: int
    title: str
    text: str
    by: str
    opened: str
    branch: str
    merged: str = ""
    closed: str = ""
    said: tuple[Said, ...] = ()
    files: dict[str, str] = field(default_factory=dict[str, str])


PULLS = (
    Pull(
        212,
        "Limit requests for each API key",
        "First cut for ENG-12: fixed windows, counted in Memcached because it is there.",
        "Kim",
        "2025-03-03 10:00",
        "kim/eng-12-limits",
        closed="2025-03-14 09:00",
        said=(
            (
                "Sam",
                "limits/counter.py:21: incr and the expiry are two calls. Between them it lives for ever.",
            ),
            (
                "Jonas",
                "Worse: memcached throws keys away when it is full. I filled it and got a new budget.",
            ),
            ("Kim", "Then it is the wrong store. Closing this; let's talk about Redis."),
        ),
    ),
    Pull(
        219,
        "Count requests in Redis instead of Memcached",
        "Sliding windows in one Lua script. Takes the place of #212, closes ENG-12.",
        "Kim",
        "2025-03-17 10:00",
        "kim/eng-12-redis-limits",
        merged="2025-03-24 14:00",
        said=(
            ("Priya", "limits/window.lua:8: why a script and not MULTI?"),
            ("Kim", "The decision depends on what was read. MULTI can't branch."),
            ("Jonas", "Eviction is off for this instance, checked. Fine by me."),
        ),
        files={
            "limits/counter.py": "class Window:\n    def __init__(self, redis):\n        self.redis = redis\n",
            "limits/window.lua": "local used = redis.call('ZCARD', KEYS[1])\nreturn used\n",
        },
    ),
    Pull(
        231,
        "Send an idempotency key with each payment",
        "Closes ENG-17.",
        "Sam",
        "2025-04-14 09:00",
        "sam/eng-17-payment-key",
        merged="2025-04-22 10:00",
        said=(
            (
                "Lea",
                "payments/gateway.py:44: what if somebody orders the same thing twice on purpose?",
            ),
            ("Sam", "Then the order's number is another one."),
        ),
        files={
            "payments/gateway.py": "def pay(order, attempt):\n    key = f'{order}-{attempt}'\n    return key\n"
        },
    ),
    Pull(
        236,
        "Store logins as rows",
        "For ENG-23, as ADR-9 has it. Old cookies are taken once and exchanged.",
        "Lea",
        "2025-04-29 10:00",
        "lea/eng-23-logins",
        merged="2025-05-08 10:00",
        said=(
            ("Priya", "Please hash the number before it is stored; a dump would be enough else."),
        ),
        files={
            "accounts/logins.py": "def end_all(person):\n    return ('delete from logins where person = %s', person)\n"
        },
    ),
    Pull(
        240,
        "Find shops by parts of street names",
        "tsvector and trigrams, see docs/adr/0011-full-text-in-postgres.md.",
        "Priya",
        "2025-05-23 10:00",
        "priya/shop-lookup",
        merged="2025-06-03 10:00",
        said=(
            ("Tomás", "On the copy of production: 11 ms instead of 900."),
            ("Sam", "unaccent has to be immutable for the index, so it needs a wrapper."),
        ),
        files={
            "shops/lookup.py": "QUERY = 'select * from shops where words @@ plainto_tsquery(%s)'\n"
        },
    ),
    Pull(
        252,
        "Print bills with WeasyPrint",
        "wkhtmltopdf has no fallback fonts and is archived. Closes ENG-31.",
        "Tomás",
        "2025-05-19 10:00",
        "tomas/eng-31-bills",
        merged="2025-05-29 10:00",
        said=(("Kim", "Twice as slow for the big ones. They are made at night, so never mind."),),
        files={
            "billing/pdf.py": "from weasyprint import HTML\n\ndef render(bill):\n    return HTML(string=bill)\n"
        },
    ),
    Pull(
        266,
        "Give reports their own connections",
        "Five of them, and a statement timeout of a minute. Closes ENG-44.",
        "Jonas",
        "2025-06-20 10:00",
        "jonas/eng-44-report-pool",
        merged="2025-07-01 10:00",
        said=(
            ("Sam", "Why not pgbouncer?"),
            ("Jonas", "It would not have helped: transactions were open, not connections idle."),
        ),
        files={"reports/pool.py": "SIZE = 5\nTIMEOUT = 60\n"},
    ),
    Pull(
        270,
        "Read toggles from the database",
        "ADR-13. Needed for ENG-66.",
        "Tomás",
        "2025-07-10 10:00",
        "tomas/eng-66-toggles",
        merged="2025-07-18 10:00",
        said=(
            (
                "Priya",
                "Ten seconds of staleness is fine for everything but the payment kill switch.",
            ),
        ),
        files={"flags/table.py": "REFRESH = 10\n\ndef is_on(name, shop=None):\n    return False\n"},
    ),
    Pull(
        275,
        "Drop device tokens that Apple says are gone",
        "For ENG-52: the service answers 410 for a token that is dead.",
        "Priya",
        "2025-07-28 10:00",
        "priya/eng-52-tokens",
        said=(
            ("Lea", "Android says NotRegistered. Do both, please."),
            ("Priya", "Right. Waiting for test devices."),
        ),
    ),
    Pull(
        281,
        "Fill new columns in batches",
        "lock_timeout for all migrations, and a helper that fills in steps of 5,000 rows.",
        "Priya",
        "2025-08-13 10:00",
        "priya/careful-migrations",
        merged="2025-08-20 10:00",
        said=(
            ("Jonas", "Good. The checker in CI should refuse a default on a big table altogether."),
        ),
        files={"db/migrate.py": "LOCK_TIMEOUT = '2s'\nBATCH = 5000\n"},
    ),
    Pull(
        288,
        "Keep deadlines in UTC and the shop's zone beside them",
        "ENG-60. The column held local time without saying of which place.",
        "Sam",
        "2025-09-08 10:00",
        "sam/eng-60-zones",
        said=(("Kim", "Madeira and the Azores differ from Lisbon, take the zone of the shop."),),
    ),
    Pull(
        290,
        "Move to Python 3.13",
        "Five percent faster, nothing broke but a pinned lxml.",
        "Jonas",
        "2025-09-10 10:00",
        "jonas/python-313",
        merged="2025-09-12 10:00",
        files={"pyproject.toml": "requires-python = '>=3.13'\n"},
    ),
)
