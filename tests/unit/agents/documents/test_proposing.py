"""Which findings are shown first."""

from __future__ import annotations

import pytest

from hermes.agents.documents.fix import Wrong
from hermes.agents.documents.proposing import found_of
from hermes.agents.documents.records import Drift, Thing, Tier


def rank(document: str, tier: Tier, *, scanned: bool) -> int:
    drift = Drift(document, 3, "use `--fast`", Thing.FLAG, "--fast", tier, "it was removed")
    return found_of(Wrong((drift,)), None, None, scanned=scanned).rank


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("docs/deep/a.md", Tier.CERTAIN, False), ("README.md", Tier.CERTAIN, True)),
        (("docs/a.md", Tier.LIKELY, False), ("README.md", Tier.CERTAIN, True)),
        (("README.md", Tier.CERTAIN, True), ("README.md", Tier.POSSIBLE, False)),
        (("README.md", Tier.CERTAIN, False), ("docs/a.md", Tier.CERTAIN, False)),
    ],
)
def test_what_a_commit_made_wrong_stands_before_what_was_wrong_for_long(
    first: tuple[str, Tier, bool], second: tuple[str, Tier, bool]
) -> None:
    one, other = (rank(path, tier, scanned=old) for path, tier, old in (first, second))
    assert one < other
