"""Councils in every state that a page has to show, as they may be found in a developer's memory."""

from __future__ import annotations

from hermes.agents.council.records import (
    Absent,
    Finding,
    Juror,
    Kind,
    Opinion,
    Packet,
    Piece,
    Prior,
    Severity,
    Touched,
    Vote,
)
from hermes.memory.council_records import Result
from hermes.memory.work import Work
from hermes.tests.builders.councils import Held, hold

DAY = 86_400.0
HERMES = Juror("ollama", "hermes3:8b", "llama", "Scale")
QWEN = Juror("ollama", "qwen2.5:7b", "qwen", "Craft")
GEMMA = Juror("ollama", "gemma2:9b", "gemma", "Razor")
MISTRAL = Juror("ollama", "mistral:7b", "mistral", "Razor")
RULES = Juror("rule", "checks", "rule")

LEDGER = "Postgres or Mongo for the ledger?"
MERGE = "Is it safe to merge the backfill of account balances?"
HOSTILE = '<img src=x onerror="window.hacked=1"> or </script><script>window.hacked=1</script>? \u202egnp.exe'
ARABIC = "هل نعتمد Postgres أم Mongo لدفتر الحسابات؟"
LONG_WORD = "src/" + "averylongfoldername/" * 12 + "ExtraordinarilyLongModuleNameFactoryBuilder.py"


def ledger() -> Held:
    """A choice with a dissent, a debate, one who was persuaded and one who gave in."""
    packet = Packet(
        "",
        Kind.CHOICE,
        ("Postgres", "Mongo"),
        pieces=(
            Piece("discussion", "docs/adr/0007-ledger.md", "Transactions across accounts. " * 40),
            Piece("file", "ledger/store.py", "def post(entry): ...\n" * 60, "ledger/store.py"),
        ),
        prior=(
            Prior(
                "verdict", "council 1", "2026-09-14", "Postgres over DynamoDB; it turned out right"
            ),
            Prior("incident", "docs/incidents/april.md", "2026-04-03", "Lost writes in the queue"),
        ),
        left_out=("ledger/fixtures.json: 48,000 of 52,000 characters",),
    )
    first = (
        Opinion(
            HERMES,
            Vote.PASS,
            "Postgres",
            0.85,
            "Every entry has two sides: that is a transaction.",
            ("Entries are read together with their accounts.", "The team runs Postgres already."),
            (
                Finding(
                    "No plan for the move of 40 million rows",
                    Severity.MINOR,
                    ("ledger/store.py",),
                    "Measure a copy before the day of the move.",
                ),
            ),
            "Take Postgres; move by double writing for two weeks.",
            ("the number of entries a second at peak",),
        ),
        Opinion(
            QWEN,
            Vote.WARN,
            "Mongo",
            0.6,
            "Entries of different kinds have different fields.",
            ("A document holds them without a migration.",),
            (),
            "Take Mongo.",
        ),
        Opinion(
            MISTRAL,
            Vote.WARN,
            "Mongo",
            0.55,
            "It scales out without work of ours.",
            (),
            (
                Finding(
                    "Nobody here has restored a large Postgres",
                    Severity.SIGNIFICANT,
                    (),
                    "Restore last night’s backup once before you decide.",
                ),
            ),
            "Take Mongo.",
        ),
    )
    second = (
        Opinion(
            HERMES,
            Vote.PASS,
            "Postgres",
            0.85,
            first[0].insight,
            first[0].reasons,
            first[0].findings,
            first[0].decision,
            first[0].missing,
            2,
        ),
        Opinion(
            QWEN,
            Vote.PASS,
            "Postgres",
            0.7,
            "Balances that do not add up after a crash cost more than a migration.",
            ("ADR 7 asks for double entry; without transactions it can’t be kept.",),
            (),
            "Take Postgres.",
            (),
            2,
        ),
        Opinion(
            MISTRAL,
            Vote.WARN,
            "Postgres",
            0.55,
            first[2].insight,
            (),
            first[2].findings,
            "Take Postgres.",
            (),
            2,
        ),
    )
    away = Absent(GEMMA, "no answer within 180 s", MISTRAL.seat)
    return Held(
        LEDGER,
        (*first, *second),
        packet,
        absent=(away,),
        topic="architecture",
        notices=("the question and its evidence, without secrets, go to openrouter.ai",),
    )


def unlike() -> Held:
    """Both sides are held with high confidence."""
    packet = Packet("", Kind.CHOICE, ("Kafka", "a table in Postgres"))
    return Held(
        "Kafka or a table in Postgres for outgoing events?",
        (
            Opinion(
                HERMES,
                Vote.PASS,
                "a table in Postgres",
                0.9,
                "One transaction writes the change and its event.",
                (),
                (),
                "Use an outbox table.",
            ),
            Opinion(
                QWEN,
                Vote.PASS,
                "Kafka",
                0.9,
                "Nine teams want to read them, each at its pace.",
                (),
                (),
                "Take Kafka.",
            ),
            Opinion(
                GEMMA,
                Vote.WARN,
                "a table in Postgres",
                0.6,
                "Two thousand events a day do not need a cluster.",
                (),
                (),
                "Start with the table.",
            ),
        ),
        packet,
    )


def stopped() -> Held:
    """A FAIL on a critical finding, against the others."""
    packet = Packet(
        "",
        Kind.JUDGMENT,
        target="main..backfill",
        touched=(
            Touched("migrations/0031_backfill.py", "added", 88, 0),
            Touched("ledger/balance.py", "changed", 12, 4),
            Touched(LONG_WORD, "changed", 1, 1),
        ),
        pieces=(Piece("file", "migrations/0031_backfill.py", "UPDATE accounts SET …" * 20),),
    )
    return Held(
        MERGE,
        (
            Opinion(
                HERMES,
                Vote.FAIL,
                "not yet",
                0.8,
                "It updates every row in one transaction.",
                (),
                (
                    Finding(
                        "The table is locked for minutes while people pay",
                        Severity.CRITICAL,
                        ("migrations/0031_backfill.py",),
                        "Update in batches of 1,000 rows.",
                    ),
                    Finding(f"{LONG_WORD} is imported nowhere", Severity.NOTE, (LONG_WORD,)),
                ),
                "Don’t merge it before the update is batched.",
            ),
            Opinion(QWEN, Vote.PASS, "yes", 0.7, "Tests cover the sums.", (), (), "Merge it."),
            Opinion(
                GEMMA,
                Vote.PASS,
                "yes",
                0.65,
                "It can be run again without harm.",
                (),
                (),
                "Merge it.",
            ),
            Opinion(
                RULES,
                Vote.WARN,
                "look at the migration",
                0.5,
                "by rule: a migration changes stored data",
                (),
                (
                    Finding(
                        "No test changed with ledger/balance.py",
                        Severity.MINOR,
                        ("ledger/balance.py",),
                        "Add one for a negative balance.",
                    ),
                ),
                "Look twice.",
            ),
        ),
        packet,
        topic="code-review",
    )


def alike() -> Held:
    """All agree, and all are one model."""
    seats = [Juror("ollama", "hermes3:8b", "llama", name) for name in ("Red", "Blue", "Auditor")]
    return Held(
        "Can we log the session token’s prefix?",
        [
            Opinion(
                one,
                Vote.PASS,
                "yes",
                0.8,
                f"Six characters tell nothing ({one.perspective}).",
                (),
                (),
                "Log six characters.",
            )
            for one in seats
        ],
        Packet("", Kind.JUDGMENT, critical="the security preset"),
        topic="security",
        notices=("one model on 3 seats: who is one in mind errs alike",),
    )


def agreed() -> Held:
    """All say PASS, and turned out right."""
    return Held(
        "Should we pin the image by digest?",
        [
            Opinion(
                one, Vote.PASS, "yes", 0.8, f"A tag moves ({one.perspective}).", (), (), "Pin it."
            )
            for one in (HERMES, QWEN, GEMMA)
        ],
        result=Result.RIGHT,
        note="nothing broke since",
        topic="operations",
    )


def by_rules() -> Held:
    """No model was there."""
    names = ("diff-size", "tests", "risky-paths")
    said = [
        Opinion(
            Juror("rule", names[2], "rule"),
            Vote.WARN,
            "look twice",
            0.5,
            "by rule: migrations/7.sql removes stored data",
            (),
            (
                Finding(
                    "migrations/7.sql removes stored data",
                    Severity.SIGNIFICANT,
                    ("migrations/7.sql",),
                    "Keep a copy for a week.",
                ),
            ),
            "Look at it twice.",
        ),
        *(Opinion(Juror("rule", name, "rule"), Vote.ABSTAIN, "", 0.0) for name in names[:2]),
    ]
    return Held(
        "Is this change safe to merge?",
        said,
        Packet(
            "",
            Kind.JUDGMENT,
            target="what is staged",
            touched=(Touched("migrations/7.sql", "added", 3, 0),),
        ),
        notices=("no model can be asked: rules alone judge, and they say so",),
    )


def nobody() -> Held:
    """Rules had nothing to say."""
    names = ("diff-size", "tests", "risky-paths", "prior-decisions")
    return Held(
        "Redis or Memcached?",
        [Opinion(Juror("rule", name, "rule"), Vote.ABSTAIN, "", 0.0) for name in names],
        Packet("", Kind.CHOICE, ("Redis", "Memcached")),
        notices=("no model can be asked: rules alone judge, and they say so",),
    )


def hostile() -> Held:
    """Everything that is text tries to be more."""
    text = HOSTILE
    return Held(
        text,
        [
            Opinion(
                Juror("command", "/opt/bin/<b>judge</b> --x", "", "Red"),
                Vote.WARN,
                text,
                0.7,
                text,
                (text,),
                (Finding(text, Severity.SIGNIFICANT, (text,), text),),
                text,
                (text,),
            ),
            Opinion(QWEN, Vote.PASS, "yes", 0.7, text, (text,), (), text),
        ],
        Packet(
            "",
            Kind.JUDGMENT,
            target=text,
            left_out=(text,),
            pieces=(Piece("file", text, text),),
            prior=(Prior("incident", text, "2026-01-01", text),),
        ),
        notices=(text,),
    )


def huge() -> Held:
    """As long as it gets."""
    reasons = tuple(
        f"Reason {n}: " + "it is so, because it was so before. " * 10 for n in range(12)
    )
    findings = tuple(
        Finding(
            f"Finding {n} about {LONG_WORD}",
            list(Severity)[n % 4],
            (f"{LONG_WORD}:{n}",),
            "Do " + "this and that, " * 20,
        )
        for n in range(40)
    )
    return Held(
        ARABIC + " " + "و" * 300 + " why " * 200,
        [
            Opinion(one, Vote.WARN, ARABIC, 0.7, ARABIC, reasons, findings, "Do it. " * 60, reasons)
            for one in (HERMES, QWEN, GEMMA, MISTRAL)
        ],
        Packet("", Kind.JUDGMENT, left_out=tuple(f"{LONG_WORD} {n}" for n in range(20))),
    )


def hang(work: Work, now: float) -> dict[str, int]:
    """Put one council of each kind into memory, after the old ones; return their numbers by name."""
    made = {"old": track(work, now - 60 * DAY)}
    kinds = (huge, hostile, nobody, by_rules, alike, unlike, agreed, stopped, ledger)
    for place, kind in enumerate(kinds):
        made[kind.__name__] = hold(work, kind(), now - (len(kinds) - place) * 7_300.0)
    made["abandoned"] = work.councils.open(
        "",
        "general",
        "standard",
        "Should we drop Python 3.10?",
        _packet_of(work, made["agreed"]),
        now - 900,
    )
    work.councils.abandon(made["abandoned"], now - 600)
    return made


def _packet_of(work: Work, number: int) -> str:
    return work.councils.get(number).packet


def track(work: Work, begun: float, outcomes: int = 24) -> int:
    """Put past councils with known outcomes into memory: qwen, alone against the others, tends to be
    right. Return the number of the last."""
    number = 0
    for place in range(outcomes):
        alone = place % 3 == 0
        right = not alone and place % 5 != 1
        said = [
            Opinion(
                HERMES,
                Vote.PASS,
                "yes",
                0.6 + place % 4 / 10,
                f"Nothing in the log of release {place + 1} speaks against it.",
                (),
                (),
                "Go on.",
            ),
            Opinion(
                GEMMA,
                Vote.PASS,
                "yes",
                0.7,
                f"The rehearsal of release {place + 1} went well.",
                (),
                (),
                "Go on.",
            ),
            Opinion(
                QWEN,
                Vote.FAIL if alone else Vote.WARN,
                "no" if alone else "yes",
                0.6,
                f"Release {place + 1} was never under load.",
                (),
                (Finding("a load test is missing", Severity.MINOR),),
                "Wait." if alone else "Go on.",
            ),
        ]
        number = hold(
            work,
            Held(
                f"Should we ship release {place + 1}?",
                said,
                topic="operations",
                result=Result.RIGHT if right else Result.WRONG,
            ),
            begun + place * DAY,
        )
    return number
