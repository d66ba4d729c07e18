from __future__ import annotations

from pathlib import Path

import pytest

from hermes.ingest.git.command import Git
from hermes.ingest.git.remotes import Remote, place_of, remotes_of
from hermes.tests.builders.git import RepoBuilder


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("https://github.com/acme/shop.git", ("github.com", "acme/shop")),
        ("https://github.com/acme/shop", ("github.com", "acme/shop")),
        ("https://kim:secret@github.com/acme/shop.git/", ("github.com", "acme/shop")),
        ("git@github.com:acme/shop.git", ("github.com", "acme/shop")),
        ("github.com:acme/shop", ("github.com", "acme/shop")),
        ("ssh://git@GitHub.com/acme/Shop.git", ("github.com", "acme/Shop")),
        ("ssh://git@ssh.github.com:443/acme/shop.git", ("github.com", "acme/shop")),
        ("git@code.acme.example:acme/shop.git", ("code.acme.example", "acme/shop")),
        ("git@work:acme/shop.git", ("work", "acme/shop")),
        ("/srv/git/shop.git", None),
        ("../shop", None),
        ("file:///srv/git/shop.git", None),
        ("https://[broken/acme/shop", None),
        ("https://github.com/shop", None),
        ("", None),
    ],
)
def test_a_remote_is_the_same_place_however_it_is_written(
    address: str, place: tuple[str, str] | None
) -> None:
    assert place_of(address) == place


def test_remotes_are_read_with_the_person_s_short_forms_and_origin_first(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "shop")
    repo.git("config", "url.https://github.com/.insteadOf", "gh:")
    repo.git("remote", "add", "fork", "git@github.com:kim/shop.git")
    repo.git("remote", "add", "origin", "gh:acme/shop.git")
    repo.git("remote", "add", "backup", str(tmp_path / "backup"))

    assert remotes_of(Git.open(repo.path)) == [
        Remote("origin", "github.com", "acme/shop"),
        Remote("fork", "github.com", "kim/shop"),
    ]
