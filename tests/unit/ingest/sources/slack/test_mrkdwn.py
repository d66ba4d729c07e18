from __future__ import annotations

import pytest

from hermes.ingest.sources.slack.mrkdwn import plain

PEOPLE = {"U1": "Kim Noor", "W2": "Sam Ito"}
CHANNELS = {"C1": "eng-platform"}


def read(text: str) -> str:
    return plain(text, lambda each: PEOPLE.get(each, ""), lambda each: CHANNELS.get(each, ""))


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("<@U1> and <@W2>", "@Kim Noor and @Sam Ito"),
        ("<@U9> left", "@U9 left"),
        ("<@U9|quinn> left", "@quinn left"),
        ("in <#C1|eng-old> and <#C9|ops> and <#C8>", "in #eng-platform and #ops and #C8"),
        ("<!here> <!channel> <!everyone>", "@here @channel @everyone"),
        ("<!subteam^S1|@payments> and <!subteam^S2>", "@payments and @S2"),
        ("<!date^1732871234^{date}|29 November 2024>", "29 November 2024"),
        ("<https://x.example/a?b=1&amp;c=2>", "https://x.example/a?b=1&c=2"),
        ("<https://x.example/adr|the ADR>", "the ADR (https://x.example/adr)"),
        ("<http://x.example|x.example>", "http://x.example"),
        ("<mailto:kim@example.org|kim@example.org>", "kim@example.org"),
        ("a &lt;b&gt; &amp;&amp; c", "a <b> && c"),
        ("&amp;lt; stays", "&lt; stays"),
        ("a &lt;@U1&gt; that was typed", "a <@U1> that was typed"),
    ],
)
def test_what_is_meant_by_angle_brackets_is_written_out(written: str, shown: str) -> None:
    assert read(written) == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (":eyes: :+1: :tada:", "👀 👍 🎉"),
        (":+1::skin-tone-3:", "👍"),
        (":our-own-logo: stays", ":our-own-logo: stays"),
        ("`:eyes:` in code stays", "`:eyes:` in code stays"),
        ("at 10:04:30 on localhost:8080:x", "at 10:04:30 on localhost:8080:x"),
    ],
)
def test_emoji_that_everyone_has_become_characters(written: str, shown: str) -> None:
    assert read(written) == shown


def test_code_keeps_its_indentation_and_has_fences_of_its_own() -> None:
    assert read("look:```if a &lt; b:\n\n  go(`:eyes:`)```done") == (
        "look:\n```\nif a < b:\n  go(`:eyes:`)\n```\ndone"
    )


def test_a_message_has_no_empty_lines_so_that_it_is_one_paragraph() -> None:
    assert read("one\r\n\r\n  \n\ntwo\n") == "one\ntwo"
