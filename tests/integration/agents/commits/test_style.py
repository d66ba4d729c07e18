from __future__ import annotations

from pathlib import Path

import pytest

from hermes.agents.commits.records import Style
from hermes.agents.commits.style import learn
from hermes.agents.project_settings import ProjectCommits
from hermes.ingest.git.command import Git
from hermes.tests.builders.git import ALEX, SAM, RepoBuilder


def style_of(folder: Path, messages: list[str], **project: object) -> Style:
    repo = RepoBuilder(folder / "repo")
    repo.config("user.email", "sam@example.com")
    for message in messages:
        repo.commit(message=message)
    return learn(Git.open(repo.path), ProjectCommits.model_validate(project))


def test_types_and_scopes_are_learnt(tmp_path: Path) -> None:
    style = style_of(
        tmp_path,
        ["feat(cart): add a total", "fix(cart): stop on an empty one", "docs(api): say more"] * 3,
    )

    assert style.form == "conventional"
    assert set(style.types) == {"feat", "fix", "docs"}
    assert style.scopes[0] == "cart"
    assert style.scoped
    assert not style.upper


def test_mood_case_and_period_are_learnt(tmp_path: Path) -> None:
    style = style_of(tmp_path, ["added a cart.", "fixed the total.", "removed the old one."] * 3)

    assert (style.mood, style.imperative, style.upper, style.period) == ("past", False, False, True)


@pytest.mark.parametrize(
    ("messages", "place", "form"),
    [
        (["ENG-1: Add a cart", "ENG-2: Fix it"], "prefix", "{key}:"),
        (["[ENG-1] Add a cart", "[ENG-2] Fix it"], "prefix", "[{key}]"),
        (["Add a cart (#1)", "Fix it (#2)"], "suffix", "({key})"),
        (["Add a cart, closes #1", "Fix it, closes #2"], "suffix", ", refs {key}"),
        (["Add a cart\n\nRefs: ENG-1", "Fix it\n\nRefs: ENG-2"], "trailer", "Refs: {key}"),
        (["Add a cart\n\nFixes #1", "Fix it\n\nFixes #2"], "trailer", "Refs {key}"),
        (["Add a cart", "Fix it"], "none", ""),
    ],
)
def test_the_tickets_place_and_form_are_learnt(
    tmp_path: Path, messages: list[str], place: str, form: str
) -> None:
    style = style_of(tmp_path, messages * 3)

    assert (style.ticket, style.ticket_form) == (place, form)


def test_bots_reverts_and_merges_teach_nothing(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    for number in range(6):
        repo.commit(message=f"Add part {number}")
        for other in range(3):
            repo.commit(
                message=f"build(deps): bump a from {other}.1 to {other}.2",
                author="dependabot[bot] <49699333+dependabot[bot]@users.noreply.github.com>",
            )
        repo.commit(message=f'Revert "feat: part {number}"')

    style = learn(Git.open(repo.path), ProjectCommits())

    assert style.form == "plain"
    assert style.seen == 6


def test_ones_own_messages_weigh_more(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.config("user.email", "sam@example.com")
    for number in range(10):
        repo.commit(message=f"add part {number}", author=SAM)
        repo.commit(message=f"Add more of {number}", author=ALEX)

    assert not learn(Git.open(repo.path), ProjectCommits()).upper


def test_another_language_is_told(tmp_path: Path) -> None:
    style = style_of(tmp_path, ["Füge den Warenkorb hinzu", "Behebe den Fehler beim Laden"] * 4)

    assert style.language == "other"


def test_of_a_few_messages_nothing_is_learnt(tmp_path: Path) -> None:
    style = style_of(tmp_path, ["feat: a", "feat: b"])

    assert (style.form, style.length, style.seen) == ("plain", 72, 2)
    assert style.previous == "feat: b"


def test_before_the_first_commit_there_are_defaults(tmp_path: Path) -> None:
    assert style_of(tmp_path, []) == Style()


def test_the_repositorys_own_settings_outweigh_its_history(tmp_path: Path) -> None:
    style = style_of(
        tmp_path, ["Add a cart"] * 9, form="conventional", length=40, case="lower", ticket="prefix"
    )

    assert (style.form, style.length, style.upper) == ("conventional", 40, False)
    assert "feat" in style.types
    assert (style.ticket, style.ticket_form) == ("prefix", "{key}:")


def test_a_sign_off_is_only_configured(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    for _ in range(6):
        repo.commit(message="Add a cart\n\nSigned-off-by: Sam Doe <sam@example.com>")
    git = Git.open(repo.path)
    assert learn(git, ProjectCommits()).sign_off == ""
    assert learn(git, ProjectCommits()).trailers == ()

    for name, value in [("format.signOff", "true"), ("user.name", "Sam"), ("user.email", "s@e")]:
        repo.config(name, value)

    assert learn(git, ProjectCommits()).sign_off == "Sam <s@e>"


def test_the_comment_sign_is_read(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.config("core.commentChar", ";")

    assert learn(Git.open(repo.path), ProjectCommits()).comment == ";"
