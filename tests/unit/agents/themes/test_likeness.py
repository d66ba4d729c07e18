"""How alike pieces of work are, and what is put together."""

from __future__ import annotations

import random
import time

from hermes.agents.themes.likeness import area_in, cluster, features, words_in
from hermes.tests.builders.themes import Happenings


def pieces(*titles: str) -> list[dict[str, float]]:
    happen = Happenings()
    return [dict(features([happen.commit(title)])) for title in titles]


def test_what_has_rare_words_in_common_is_put_together() -> None:
    found = cluster(
        pieces(
            "Configure the toolbox",
            "Rewrite payments of guests",
            "Reject what is no toolbox",
            "Cache parcels by country",
            "Print labels on paper",
            "Export orders to accounts",
        ),
        [1.0] * 6,
        0.25,
        1.0,
    )
    assert [0, 2] in found
    assert sorted(place for places in found for place in places) == list(range(6))


def test_words_that_every_commit_has_tell_nothing() -> None:
    assert words_in("fix(cart): Add tests and docs for the new default option (#12)") == ()
    assert words_in("Cache parcels by country, closes #12") == ("cach", "parcel", "countri")


def test_that_two_things_were_done_in_the_same_way_makes_them_no_more_alike() -> None:
    first, second = pieces("Lay out the test runner", "Lay out the morning brief")
    assert first.keys().isdisjoint(second)


def test_nothing_grows_larger_than_its_share() -> None:
    same = pieces(*(f"Toolbox part {word}" for word in ("amber", "birch", "cedar", "dune")))
    same += pieces("Rewrite payments", "Print labels", "Export orders", "Cache parcels")
    found = cluster(same, [1.0] * 8, 0.05, 0.25)
    assert max(len(places) for places in found) == 2


def test_the_same_pieces_are_put_together_in_the_same_way() -> None:
    words = [
        "amber",
        "birch",
        "cedar",
        "dune",
        "ember",
        "fjord",
        "grove",
        "heath",
        "islet",
        "jetty",
    ]
    chosen = random.Random(3)
    titles = [" ".join(chosen.sample(words, 3)) for _ in range(60)]
    first = cluster(pieces(*titles), [1.0] * 60, 0.2, 0.5)
    assert all(cluster(pieces(*titles), [1.0] * 60, 0.2, 0.5) == first for _ in range(3))


def test_a_hundred_pieces_are_compared_in_a_moment() -> None:
    words = [f"word{number}" for number in range(400)]
    chosen = random.Random(5)
    titles = [" ".join(chosen.sample(words, 6)) for _ in range(120)]
    begun = time.process_time()
    cluster(pieces(*titles), [1.0] * 120, 0.14, 0.45)
    assert time.process_time() - begun < 3.0


def test_the_area_is_the_folder_below_those_that_every_project_has() -> None:
    happen = Happenings()
    assert area_in([happen.commit("a", "src/payments/retry.py")]) == "payments"
    assert area_in([happen.commit("a", "shop/payments/retry.py")]) == "shop"
    assert area_in([happen.commit("a", "shop.py")]) == ""
    assert area_in([happen.commit("a", "docs/index.md")]) == ""
