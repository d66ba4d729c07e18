"""What commits make wrong in documents, in real repositories."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hermes.agents.documents.documents import read
from hermes.agents.documents.drift import after
from hermes.agents.documents.fix import Wrong, by_rule
from hermes.agents.documents.records import Drift, Thing, Tier
from hermes.agents.documents.scan import scan
from hermes.agents.project_settings import ProjectDocuments
from hermes.ingest.git.command import Git
from hermes.tests.builders.git import Files, RepoBuilder

CLI = '''
import argparse, os

RETRIES = 3


class Cart:
    """A cart."""

    def total(self, rounding=2):
        return round(self.sum, rounding)

    def empty_it(self):
        self.sum = 0
        self.items = []


def buy_now(cart, limit=10):
    return cart.total() < limit


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fast", default=5)
    os.environ.get("SHOP_HOME")
'''

BASE: Files = {
    "shop/cli.py": CLI,
    "shop/limits.py": "RATE = 5\n",
    "docs/use.md": (
        "# Use\n\nRun `shop --fast` or set `SHOP_HOME`.\n\nCall `buy_now()`; `limit` is 10.\n\n"
        "The rate is in `shop/limits.py`, see [it](../shop/limits.py).\n\n"
        "Call `Cart.empty_it()` to start.\n\nThe option `--never` never was.\n"
    ),
    "CHANGELOG.md": "# 1.0\n\n- Added `--fast` and `buy_now()`\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    made = RepoBuilder(tmp_path / "shop")
    made.commit(BASE)
    return made


def found_after(shop: RepoBuilder, files: Files, old: str | None = None) -> list[Drift]:
    sha = shop.commit(files)
    return after(Git.open(shop.path), old, sha, ProjectDocuments())


@pytest.mark.parametrize(
    ("was", "now", "thing", "name", "line", "replacement"),
    [
        ('"--fast"', '"--quick"', Thing.FLAG, "--fast", 3, "--quick"),
        ("SHOP_HOME", "SHOP_DIR", Thing.VARIABLE, "SHOP_HOME", 3, "SHOP_DIR"),
        ("buy_now", "purchase", Thing.SYMBOL, "buy_now()", 5, "purchase()"),
        ("empty_it", "clear_all", Thing.SYMBOL, "Cart.empty_it()", 9, "Cart.clear_all()"),
        ('    parser.add_argument("--fast", default=5)\n', "", Thing.FLAG, "--fast", 3, None),
    ],
)
def test_a_name_that_a_commit_renamed_or_removed_is_certain(
    shop: RepoBuilder, was: str, now: str, thing: Thing, name: str, line: int,
    replacement: str | None,
) -> None:  # fmt: skip
    found = found_after(shop, {"shop/cli.py": CLI.replace(was, now)})
    assert [(each.document, each.line, each.thing, each.name, each.tier) for each in found] == [
        ("docs/use.md", line, thing, name, Tier.CERTAIN)
    ]
    assert found[0].replacement == replacement
    assert found[0].commit == shop.head()
    assert "shop/cli.py" in found[0].reason
    assert shop.head()[:7] in found[0].reason


def test_a_moved_file_is_drift_in_paths_and_links(shop: RepoBuilder) -> None:
    found = found_after(shop, {"shop/limits.py": None, "shop/rates/limits.py": "RATE = 5\n"})
    assert {(each.thing, each.name, each.replacement) for each in found} == {
        (Thing.LINK, "../shop/limits.py", "shop/rates/limits.py"),
        (Thing.PATH, "shop/limits.py", "shop/rates/limits.py"),
    }


def test_a_removed_file_is_drift_in_paths_and_links(shop: RepoBuilder) -> None:
    found = found_after(shop, {"shop/limits.py": None})
    assert {(each.thing, each.name) for each in found} == {
        (Thing.LINK, "../shop/limits.py"),
        (Thing.PATH, "shop/limits.py"),
    }


def test_a_name_that_is_still_somewhere_in_the_code_is_no_drift(shop: RepoBuilder) -> None:
    # In a file that the commit does not touch: the words of all code are asked, not those changed.
    shop.commit({"shop/more.py": 'OPTIONS = ["--fast"]\n'})
    assert found_after(shop, {"shop/cli.py": CLI.replace('"--fast"', '"--quick"')}) == []
    found = found_after(shop, {"shop/more.py": None})
    assert [each.name for each in found] == ["--fast"]


INHERITING = """
class Basket:
    def fill(self):
        self.full = True


class Cart(Basket):
    def fill(self):
        self.full = 1

    def pour(self):
        self.full = False


class Other:
    def pour(self):
        return 1
"""


def test_a_method_that_a_base_still_has_is_no_drift(shop: RepoBuilder) -> None:
    text = "Call `Cart.fill()`.\n\nCall `Cart.pour()`.\n"
    shop.commit({"shop/inherit.py": INHERITING, "docs/carts.md": text})
    without = INHERITING.replace("    def fill(self):\n        self.full = 1\n\n", "")
    assert found_after(shop, {"shop/inherit.py": without}) == []
    without = without.replace("    def pour(self):\n        self.full = False\n", "    kept = 1\n")
    found = found_after(shop, {"shop/inherit.py": without})
    assert [(each.name, each.line, each.tier) for each in found] == [
        ("Cart.pour()", 3, Tier.LIKELY)
    ]


@pytest.mark.parametrize(
    ("moved", "replacement", "line"),
    [
        ({"shop/rates.py": "RATE = 5\n"}, "rates.py", "See `rates.py`.\n"),
        ({"lib/rates.py": "RATE = 5\n"}, "rates.py", "See `rates.py`.\n"),
        ({"lib/cli.py": "RATE = 5\n"}, "lib/cli.py", "See `lib/cli.py`.\n"),
    ],
)
def test_a_bare_file_name_stays_bare_where_that_is_clear(
    tmp_path: Path, moved: dict[str, str], replacement: str, line: str
) -> None:
    shop = RepoBuilder(tmp_path / "shop")
    shop.commit(
        {"shop/limits.py": "RATE = 5\n", "shop/cli.py": "", "docs/a.md": "See `limits.py`.\n"}
    )
    (drift,) = found_after(shop, {"shop/limits.py": None, **moved})
    assert (drift.name, drift.replacement) == ("limits.py", replacement)
    fix = by_rule(Wrong((drift,)), "See `limits.py`.\n", read, lambda path: True)
    assert fix is not None
    assert fix.after == line


@pytest.mark.parametrize(
    ("text", "name", "thing", "replacement"),
    [
        ("Set `cache_ttl` low.\n", "cache_ttl", Thing.SETTING, "cache_age"),
        ("Call `buy_now` at once.\n", "buy_now", Thing.SYMBOL, "purchase"),
        ("Call `buy_now()` at once.\n", "buy_now()", Thing.SYMBOL, "purchase()"),
        ("Use `--fast`.\n", "--fast", Thing.FLAG, "--quick"),
        ("Set `SHOP_HOME`.\n", "SHOP_HOME", Thing.VARIABLE, "SHOP_DIR"),
    ],
)
def test_a_scan_says_of_a_name_what_the_look_at_its_commit_said(
    tmp_path: Path, text: str, name: str, thing: Thing, replacement: str
) -> None:
    shop = RepoBuilder(tmp_path / "shop")
    code = CLI + '\ndef forget(settings):\n    return settings.get("cache_ttl")\n'
    settings = "cache_ttl = 60\n"
    shop.commit({"shop/cli.py": code, "shop.toml": settings, "docs/a.md": text})
    word = name.removesuffix("()")
    new = replacement.removesuffix("()")
    (then,) = found_after(
        shop,
        {"shop/cli.py": code.replace(word, new), "shop.toml": settings.replace(word, new)},
    )
    shop.commit({"later.py": "x = 1\n"})
    (now,) = scan(Git.open(shop.path), ProjectDocuments())
    assert (then.name, then.thing, then.replacement) == (name, thing, replacement)
    assert now == then


def test_a_default_that_a_document_states_is_likely(shop: RepoBuilder) -> None:
    found = found_after(shop, {"shop/cli.py": CLI.replace("limit=10", "limit=20")})
    assert [(each.tier, each.thing, each.line, each.replacement) for each in found] == [
        (Tier.LIKELY, Thing.DEFAULT, 5, "20")
    ]


def test_a_renamed_parameter_that_a_document_shows_is_likely(shop: RepoBuilder) -> None:
    found = found_after(shop, {"shop/cli.py": CLI.replace("limit", "most")})
    assert [(each.tier, each.line) for each in found] == [(Tier.LIKELY, 5)]
    assert {each.replacement for each in found} == {"most"}


def test_a_document_that_changes_says_what_is_dead_in_it(shop: RepoBuilder) -> None:
    found = found_after(
        shop,
        {"docs/new.md": "# New\n\n[a](use.md#gone) [b](none.md)\n\n```python\ndef f(:\n```\n"},
    )
    assert {(each.thing, each.line) for each in found} == {
        (Thing.ANCHOR, 3), (Thing.LINK, 3), (Thing.SAMPLE, 6),
    }  # fmt: skip


def test_a_renamed_heading_is_drift_where_others_link_to_it(shop: RepoBuilder) -> None:
    shop.commit({"docs/a.md": "# A\n\n## Speed\n", "docs/b.md": "[s](a.md#speed)\n"})
    found = found_after(shop, {"docs/a.md": "# A\n\n## Pace\n"})
    assert [(each.document, each.thing, each.name) for each in found] == [
        ("docs/b.md", Thing.ANCHOR, "a.md#speed")
    ]


def test_a_range_names_the_commit_that_did_it(shop: RepoBuilder) -> None:
    start = shop.head()
    did = shop.commit({"shop/cli.py": CLI.replace('"--fast"', '"--quick"')})
    found = found_after(shop, {"shop/limits.py": "RATE = 5  # still\n"}, old=start)
    assert [each.commit for each in found] == [did]
    assert did[:7] in found[0].reason


def test_a_document_that_usually_changes_with_the_code_is_possible(shop: RepoBuilder) -> None:
    for number in range(6):
        shop.commit({"shop/x.py": f"A = {number}\n", "docs/x.md": f"It is {number}.\n"})
    found = found_after(shop, {"shop/x.py": "A = 100\n"})
    assert [(each.document, each.tier, each.line) for each in found] == [
        ("docs/x.md", Tier.POSSIBLE, 0)
    ]


def test_what_the_project_excludes_is_left_alone(shop: RepoBuilder) -> None:
    sha = shop.commit({"shop/cli.py": CLI.replace('"--fast"', '"--quick"')})
    project = ProjectDocuments(exclude=("docs/",))
    assert after(Git.open(shop.path), None, sha, project) == []


def test_a_scan_finds_what_history_knew_and_is_gone(shop: RepoBuilder) -> None:
    shop.commit({"shop/cli.py": CLI.replace('"--fast"', '"--quick"'), "shop/limits.py": None})
    shop.commit({"docs/more.md": "# More\n\n[x](#none)\n"})
    found = scan(Git.open(shop.path), ProjectDocuments())
    assert {(each.name, each.tier) for each in found} == {
        ("--fast", Tier.CERTAIN),
        ("../shop/limits.py", Tier.CERTAIN),
        ("shop/limits.py", Tier.CERTAIN),
        ("#none", Tier.CERTAIN),
    }


def test_odd_repositories_raise_nothing(shop: RepoBuilder, tmp_path: Path) -> None:
    first = shop.head()
    assert after(Git.open(shop.path), None, first, ProjectDocuments()) == []
    os.symlink("use.md", shop.path / "docs" / "link.md")
    shop.commit({"docs/bad.md": b"\xff\xfe `--fast`\n"})
    shop.commit({"docs/big.md": "x `a`\n" * 1_000_000})
    shop.commit({"side.py": "x = 1\n"}, branch="side")
    shop.commit({"shop/cli.py": CLI.replace('"--fast"', '"--quick"')}, branch="main")
    merge = shop.merge("side")
    git = Git.open(shop.path)
    assert after(git, None, merge, ProjectDocuments()) == []
    found = after(git, first, merge, ProjectDocuments())
    assert {each.document for each in found} == {"docs/use.md", "docs/bad.md"}
    shallow = shop.clone(tmp_path / "shallow", "--depth=1")
    shallow.git("rm", "-q", "docs/bad.md")
    found = scan(Git.open(shallow.path), ProjectDocuments())
    assert found == []
