"""What a sentence claims, and whether its sources say so."""

from __future__ import annotations

import pytest

from hermes.agents.citations import Verdict, attribute, check
from hermes.agents.claims import find_claims
from hermes.agents.evidence import Evidence
from hermes.agents.sentences import SentenceSplitter
from hermes.memory.records import Chunk, Kind

MARCH_2 = 1_740_906_000
SHA = "4f2c9d1a" + "0" * 32


def evidence() -> Evidence:
    shown = Evidence()
    message = (
        "Replace the cron job with a queue (#482)\n\nIt ran twice after a deploy, because both "
        "hosts held the lock.\nMeasured: 3 of 10 runs took 1,500 ms on v2.1."
    )
    diff = (
        "--- a/jobs/lock.py\n+++ b/jobs/lock.py\n@@\n-    acquire(lock)\n+    queue.push(run_job)\n"
    )
    for path, kind, text in (("", Kind.MESSAGE, message), ("jobs/lock.py", Kind.CONTEXT, diff)):
        shown.add_chunk(
            Chunk(
                id=path, repo="r", source="git", kind=kind, ref=SHA, path=path, part=0,
                author="Sam O'Neil", email="sam@example.com", time=MARCH_2,
                title="Replace the cron job with a queue (#482)", text=text, index_text=text,
            )
        )  # fmt: skip
    return shown


def judge(sentence: str) -> Verdict:
    return check(
        sentence,
        evidence(),
        resolves=lambda repo, sha: True,
        path_at=lambda repo, sha, path: path == "jobs/other.py",
        people=["Sam O'Neil", "Kim Park"],
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "Sam O'Neil replaced the cron job with a queue on 2025-03-02 [1].",
        "On March 2, 2025, the cron job was replaced with a queue [1].",
        "In March 2025 the cron job became a queue, as pull request #482 [1].",
        'The job "ran twice after a deploy", because both hosts held the lock [1].',
        "The job “ran twice … both hosts held the lock” [1].",
        "`queue.push(run_job)` replaced `acquire(lock)` in jobs/lock.py [2].",
        "The lock was in jobs/other.py, the queue in jobs/lock.py [2].",
        "Commit 4f2c9d1a replaced the cron job [1].",
        "Commit `4f2c9d1a` replaced the cron job in `jobs/lock.py` [2].",
        "Three of 10 runs took 1500 ms on v2.1 [1].",
        "- Sam's queue replaced the cron job [1]",
        "The cron job in jobs/lock.py was replaced by a queue [1][2].",
        "The cron job was replaced by a queue in two changes [1, 2].",
    ],
)
def test_what_the_sources_say_stands(sentence: str) -> None:
    assert judge(sentence) == Verdict(True, "", judge(sentence).numbers, judge(sentence).support)


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("Sam replaced the cron job with a queue.", "cites nothing"),
        ("Sam replaced the cron job with a queue [3].", "no source 3"),
        ("Sam replaced the cron job with a queue [0].", "no source 0"),
        ("Kim Park replaced the cron job with a queue [1].", "Park is not"),
        ("Kim replaced the cron job with a queue [1].", "Kim Park is not"),
        ("Sam replaced the cron job with RabbitMQ [1].", "RabbitMQ is not"),
        ("Sam replaced the cron job on 2025-03-03 [1].", "2025-03-03 is not"),
        ("Sam replaced the cron job in April 2025 [1].", "April 2025 is not"),
        ("Sam replaced the cron job on March 3 [1].", "March 3 is not"),
        ("Sam replaced 12 cron jobs with a queue [1].", "12 is not"),
        ("Sam replaced five cron jobs with a queue [1].", "5 is not"),
        ("The queue took 15 ms on v2.1 [1].", "15 is not"),
        ("Sam replaced the cron job in version 2.10 [1].", "2.10 is not"),
        ("Sam replaced the cron job in jobs/cron.py [1].", "jobs/cron.py is not there"),
        ('Sam said the cron job "never ran at all" [1].', "“never ran at all” is not"),
        ("Sam called `queue.pop(run_job)` for the cron job [2].", "“queue.pop(run_job)” is not"),
        ("Commit 5a5a5a5a replaced the cron job [1].", "5a5a5a5a is not cited"),
        ("The run_all_jobs function replaced the cron job [1].", "run_all_jobs is not"),
        ("The team wanted cheaper servers and better sleep at night [1].", "not the source's"),
        (
            "Sam replaced the cron job because the finance department complained loudly [1].",
            "not the source's",
        ),
        (
            "Sam replaced the cron job with a queue because the deploy measured a lock [1].",
            "reason is not",
        ),
        ("Yes [1].", "no sentence"),
    ],
)
def test_what_they_do_not_say_falls(sentence: str, reason: str) -> None:
    verdict = judge(sentence)
    assert not verdict.supported
    assert reason in verdict.reason


def test_a_commit_that_is_gone_can_not_be_cited() -> None:
    verdict = check(
        "Sam replaced the cron job [1].",
        evidence(),
        resolves=lambda repo, sha: False,
        path_at=lambda repo, sha, path: True,
    )
    assert verdict.reason == "commit 4f2c9d1a00 is gone"


def test_a_sentence_without_citation_finds_its_source_only_when_it_says_the_same() -> None:
    assert attribute("The cron job ran twice after a deploy.", evidence()) == 1
    assert attribute("The weather was fine all week.", evidence()) is None


def test_claims_are_told_apart() -> None:
    claims = find_claims(
        "Sam moved `x` to jobs/lock.py in v2.1 on March 2, 2025 (4f2c9d1a) [1, 2]."
    )
    assert claims.numbers == (1, 2)
    assert claims.quotes == ("x",)
    assert claims.paths == ("jobs/lock.py",)
    assert claims.figures == ("v2.1",)
    assert claims.shas == ("4f2c9d1a",)
    assert [(d.year, d.month, d.day) for d in claims.days] == [(2025, 3, 2)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One is here [1]. Two is there [2].", ["One is here [1].", "Two is there [2]."]),
        ("It broke. [1] Then it ran. [2]", ["It broke. [1]", "Then it ran. [2]"]),
        (
            "See e.g. the queue [1]. V1.2 is out [2].",
            ["See e.g. the queue [1].", "V1.2 is out [2]."],
        ),
        ('He said "it broke. Badly." of it [1].', ['He said "it broke. Badly." of it [1].']),
        ("- one [1]\n- two [2]", ["- one [1]", "- two [2]"]),
        ("1. First [1]\n2. Second [2]", ["1. First [1]", "2. Second [2]"]),
        ("No end", ["No end"]),
        ("", []),
    ],
)
def test_sentences_keep_their_citations_however_they_stream(
    text: str, sentences: list[str]
) -> None:
    for size in (1, 3, len(text) or 1):
        splitter = SentenceSplitter()
        found = [
            sentence
            for start in range(0, len(text), size)
            for sentence in splitter.feed(text[start : start + size])
        ]
        assert [*found, *filter(None, [splitter.finish()])] == sentences
