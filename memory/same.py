"""What a search found twice: a pull request beside the commit that it became, a document beside the
commit that wrote it. They are shown as one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from .hits import Hit
from .links import Neighbour
from .marks import Key
from .records import Kind, LinkKind, is_item


def same(
    leads: Sequence[Key],
    around: Mapping[Key, Sequence[Neighbour]],
    hits: Mapping[str, Sequence[Hit]],
    scores: Mapping[str, float],
    named: Collection[str],
) -> dict[str, str]:
    """Return which of ``leads``, the best of what was found, gives way to which other one.

    Of a pull request and its commit the better stays. A commit that was found by a document alone
    gives way to the document, as it is now. What is ``named`` by the question stays itself.
    """
    gone: dict[str, str] = {}
    documents = {
        (hit.repo, hit.path): ref
        for ref, some in hits.items()
        if is_item(ref) and ref in scores
        for hit in some
        if hit.path
    }
    for repo, ref in leads:
        if is_item(ref) or ref in named:
            continue
        written = {hit.path for hit in hits.get(ref, ()) if hit.kind is Kind.CONTEXT}
        at = [documents.get((repo, path)) for path in written]
        if at and at[0] is not None and None not in at:
            gone[ref] = max((each for each in at if each), key=lambda each: scores[each])
            continue
        for near in around.get((repo, ref), ()):
            if near.kind is LinkKind.MERGED_AS and near.inward and near.ref in scores:
                first, second = (ref, near.ref)
                if near.ref in named or scores[near.ref] >= scores[ref]:
                    first, second = second, first
                if second not in gone and first not in gone:
                    gone[second] = first
    return gone
