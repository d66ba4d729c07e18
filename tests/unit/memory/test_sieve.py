"""What rules of forgetting take out of texts, and what they leave alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hermes.memory.forgetting_rules import (
    FORGOTTEN,
    OfPath,
    OfPerson,
    RuleKind,
    path_rule,
    person_rule,
    read_rule,
)
from hermes.memory.records import FileChange, Link, LinkKind
from hermes.memory.sieve import Sieve, Sifted
from hermes.memory.tokens import terms
from hermes.tests.builders.items import KIM, SAM, thread
from hermes.tests.builders.records import chunks_of, commit_of

SALT = b"salt"
F = FORGOTTEN


def person(*names: str, mails: tuple[str, ...] = (), also: tuple[str, ...] = ()) -> OfPerson:
    """Return the rule that forgets a person."""
    return OfPerson(person_rule(names, mails, also, SALT), SALT)


JO = person("Jo Roe", mails=("jo.roe@example.org",), also=("jroe",))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Jo Roe did it", f"{F} did it"),
        ("thanks to JO  ROE!", f"thanks to {F}!"),
        ("as Jo\nRoe said", f"as {F} said"),
        ("Co-authored-by: Jo Roe <jo.roe@example.org>", f"Co-authored-by: {F} <{F}>"),
        ("+# owner: Jo Roe", f"+# owner: {F}"),
        ("+jo.roe@example.org", f"+{F}"),
        ("-JO.ROE@Example.Org,", f"-{F},"),
        ("mailto:jo.roe%40example.org", f"mailto:{F}"),
        ('log "at\\nJo Roe"', f'log "at\\n{F}"'),
        ("cc @jroe, please", f"cc {F}, please"),
        ("ask @jo.roe", f"ask {F}"),
        ("docs/jo_roe.md", f"docs/{F}.md"),
        ("Jo Roebuck", "Jo Roebuck"),
        ("Jo and Roe", "Jo and Roe"),
        ("Jo", "Jo"),
        ("jroe is a word", "jroe is a word"),
        ("sam@example.org", "sam@example.org"),
        ("", ""),
        ("Jo Roe" * 2, "Jo RoeJo Roe"),
    ],
)
def test_a_name_and_an_address_are_taken_out_of_a_text(text: str, left: str) -> None:
    assert JO.clean(text) == left


def test_a_whole_name_behind_an_at_sign_goes_whole() -> None:
    jo = person("Jo Roe", mails=("jo@example.org",))
    assert jo.clean("cc @Jo Roe, and @jo, and @jo@example.org") == f"cc {F}, and {F}, and {F}"
    assert jo.clean("cc @Jo Roebuck") == f"cc {F} Roebuck"


def test_a_name_with_accents_is_found_however_it_is_written() -> None:
    zoe = person("Zoë Åström")
    for text in ("Zoë Åström", "Zoe\u0308 A\u030astro\u0308m", "ZOË ÅSTRÖM"):
        assert zoe.clean(f"by {text}.") == f"by {F}."
    assert person("王 小明").clean("王 小明 fixed it") == f"{F} fixed it"


def test_a_name_of_one_word_that_was_given_goes_wherever_it_stands() -> None:
    assert person("jroe").clean("thanks jroe, and @jroe") == f"thanks {F}, and {F}"


def test_what_full_text_holds_is_cleaned_as_well() -> None:
    will = person("Will Charles Roe", mails=("will@roe.example",))
    searched = " ".join(terms("ask Will Charles Roe <will@roe.example> of it"))
    assert "charl" in searched
    left = will.clean(searched)
    assert "charl" not in left
    assert "roe.example" not in left


def test_a_rule_names_nobody() -> None:
    rule = person_rule(["Jo Roe"], ["jo.roe@example.org"], ["jroe"], SALT).lower()
    assert not any(word in rule for word in ("roe", "jo", "example"))
    assert person_rule(["Jo Roe"], [], [], SALT) != person_rule(["Jo Roe"], [], [], b"other")
    assert "prod" not in path_rule("secrets/prod.env", SALT)


@pytest.mark.parametrize(
    ("rule", "path", "is_it"),
    [
        ("secrets", "secrets/prod.env", True),
        ("secrets/", "Secrets/prod.env", True),
        ("secrets", "secrets", True),
        ("secrets", "secretsauce/a.py", False),
        ("secrets", "app/secrets/a.py", False),
        ("./a/b.py", "a/b.py", True),
        ("a/b.py", "a/b.pyc", False),
        ("**/*.env", "deep/down/x.env", True),
        ("docs/*", "docs/a.md", True),
        ("docs/*", "src/docs.md", False),
    ],
)
def test_a_path_is_a_file_a_folder_or_what_a_glob_matches(
    rule: str, path: str, is_it: bool
) -> None:
    assert OfPath(path_rule(rule, SALT), SALT).is_path(path) is is_it


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("see secrets/prod.env.", f"see {F}."),
        ("--- a/secrets/prod.env", f"--- {F}"),
        ("open('/srv/app/secrets/prod.env')", f"open('{F}')"),
        ("keep our secrets safe", "keep our secrets safe"),
        ("secrets.txt", "secrets.txt"),
    ],
)
def test_a_path_is_taken_out_of_texts_but_not_a_word_like_it(text: str, left: str) -> None:
    assert OfPath(path_rule("secrets", SALT), SALT).clean(text) == left


def sieve_of(kind: RuleKind, rule: str) -> Sieve:
    """Return a sieve of one rule."""
    return Sieve([(7, read_rule(kind, rule, SALT))])


JO_RULE = person_rule(["Jo Roe"], ["jo.roe@example.org"], [], SALT)


def test_of_a_persons_commit_only_sha_and_parents_are_left() -> None:
    commit = commit_of("r", 3, author="Jo Roe", tickets=["ENG-1"])
    sifted = sieve_of(RuleKind.PERSON, JO_RULE).history([commit], chunks_of(commit))
    (left,) = sifted.commits
    assert (left.sha, left.parents, left.author) == (commit.sha, commit.parents, FORGOTTEN)
    assert (left.email, left.subject, left.time, left.files, left.tickets) == ("", "", 0, (), ())
    assert sifted.withheld == {commit.sha}
    assert sifted.chunks == []
    assert sifted.touched == {7: {commit.sha}}


def test_others_keep_their_commit_without_the_name() -> None:
    commit = commit_of("r", 3, message="Follow Jo Roe", files=[FileChange("a.py", "M")])
    sifted = sieve_of(RuleKind.PERSON, JO_RULE).history([commit], chunks_of(commit, "jo roe"))
    assert sifted.commits == [replace(commit, subject=f"Follow {F}")]
    assert not sifted.withheld
    message, file = sifted.chunks
    assert message.text == message.index_text == message.title == f"Follow {F}"
    assert "jo roe" not in (file.text + file.index_text).lower()


def test_what_no_rule_names_stays_as_it_is() -> None:
    commit = commit_of("r", 3)
    for kind, rule in (
        (RuleKind.PERSON, JO_RULE),
        (RuleKind.PATH, path_rule("secrets", SALT)),
        (RuleKind.SOURCE, "slack"),
        (RuleKind.BEFORE, "1000"),
        (RuleKind.CHUNK, "0" * 32),
    ):
        sifted = sieve_of(kind, rule).history([commit], chunks_of(commit))
        assert (sifted.commits, sifted.chunks) == ([commit], chunks_of(commit))
        assert sifted.touched == {}


def test_a_file_that_was_renamed_out_of_a_forgotten_folder_was_added_there() -> None:
    commit = commit_of("r", 3, files=[FileChange("a.py", "R", old_path="secrets/a.py")])
    left = sieve_of(RuleKind.PATH, path_rule("secrets", SALT)).commit(commit, Sifted())
    assert left is not None
    assert left.files == (FileChange("a.py", "A"),)


def test_what_a_person_said_in_a_discussion_goes_and_what_others_said_stays() -> None:
    jo = ("Jo Roe", "jo.roe@example.org")
    text = "Lunch\nKim Noor: where?\nJo Roe: at mine\nI cook\n\nSam Ito (10:02): thanks Jo Roe"
    item = thread(1, text, people=[SAM, KIM, jo])
    left = sieve_of(RuleKind.PERSON, JO_RULE).item(item, Sifted())
    assert left is not None
    assert left.text == f"Lunch\nKim Noor: where?\n{F}\nSam Ito (10:02): thanks {F}"
    assert left.people == (SAM, KIM)
    begun = replace(item, author="Jo Roe", email="")
    assert sieve_of(RuleKind.PERSON, JO_RULE).item(begun, Sifted()) is None


def test_what_a_person_said_across_two_parts_of_a_discussion_goes_from_both() -> None:
    jo = ("Jo Roe", "jo.roe@example.org")
    item = thread(1, "Lunch\nJo Roe: one\ntwo\nKim Noor: three", people=[SAM, KIM, jo])
    chunk = chunks_of(commit_of("", 1))[0]
    base = replace(chunk, ref=item.ref, repo="", source="slack", title="Lunch")
    parts = [
        replace(base, id="b", part=1, text="two\nKim Noor: three", index_text="two …"),
        replace(base, id="a", part=0, text="Lunch\nJo Roe: one", index_text="one …"),
    ]
    sifted = sieve_of(RuleKind.PERSON, JO_RULE).discussions([item], parts)
    assert [each.text for each in sifted.chunks] == [f"Lunch\n{F}", f"{F}\nKim Noor: three"]


def test_links_to_what_is_forgotten_go_and_a_document_that_lies_there_goes_whole() -> None:
    links = (
        Link(LinkKind.PATH, "secrets/prod.env"),
        Link(LinkKind.TEST, "secrets/test_env.py::test_a"),
        Link(LinkKind.PATH, "shop/cart.py"),
        Link(LinkKind.COMMIT, "4f1c2d9"),
    )
    by_path = sieve_of(RuleKind.PATH, path_rule("secrets", SALT))
    left = by_path.item(replace(thread(1), links=links), Sifted())
    assert left is not None
    assert left.links == links[2:]
    lies_there = replace(thread(1), path="secrets/why.md")
    assert by_path.item(lies_there, Sifted()) is None
