"""Links, anchors, paths and samples of a document that lead nowhere, or don't parse, by themselves."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from ...ingest.documents.formats import MARKDOWN, RST
from . import links
from .gathered import slug_of, squeezed
from .paths import by_end
from .present import live_links
from .records import Document, Mention, Sample
from .samples import problem
from .tree import Tree

_FILE = re.compile(r"\.[a-z][a-z0-9]{0,5}$", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"[{}<>$*|]|\.\.\.|%s")


def dead_links(
    document: Document, tree: Tree, documents: Mapping[str, Document]
) -> Iterator[tuple[Mention, str]]:
    """Yield each link to a file or an anchor that is not there, with what is missing."""
    for link in live_links(document):
        written, rest = links.split(link.name)
        if re.match(r"^(?:[a-z][a-z0-9+.-]*:|//)", link.name, re.IGNORECASE) or _PLACEHOLDER.search(
            link.name
        ):
            continue
        if not written:
            anchor = rest.partition("#")[2]
            if anchor and not has_anchor(document, anchor):
                yield link, f"there is no heading {anchor} in {document.path}"
            continue
        if written.startswith("/") or not _FILE.search(written):
            # What a site is built to, not what lies in the repository.
            continue
        targets = [target for target in links.targets(document.path, written) if tree.has(target)]
        if not targets:
            if _built(document.path, written, tree):
                continue
            yield link, f"there is no {unquote(written)}"
            continue
        anchor = rest.partition("#")[2].partition("?")[0]
        other = documents.get(targets[0])
        if anchor and other is not None and not has_anchor(other, anchor):
            yield link, f"there is no heading {anchor} in {targets[0]}"


def has_anchor(document: Document, anchor: str) -> bool:
    """Say whether a link may lead to an anchor of a document, as any renderer makes it."""
    wanted = unquote(anchor).lower()
    if not document.path.lower().endswith(MARKDOWN + RST) or re.match(r"l\d+(?:-l\d+)?$", wanted):
        return True
    if wanted in ("top", "") or wanted in document.anchors:
        return True
    plain = squeezed(slug_of(wanted.replace("-", " ")))
    if not plain:
        return True
    return any(squeezed(each) in (plain, wanted) for each in document.anchors)


def _built(document: str, written: str, tree: Tree) -> bool:
    """Say whether a link leads to what is made of a document of the repository: page.html."""
    stem, end = posixpath.splitext(written)
    if end in (".html", ".htm", ".pdf", ".zip", ".gz", ".exe", ".com", ".org", ".io", ".net"):
        return True
    if end.lower() in MARKDOWN + RST:
        # Static sites take a page's address, one folder deeper than its file.
        return any(tree.has(target) for target in links.targets(document, f"../{written}"))
    return by_end(tree.names, tree.folders, stem.lstrip("./") + end) is not None and "/" in stem


def bad_samples(document: Document) -> Iterator[tuple[Sample, int, str]]:
    """Yield each sample that does not parse: the line, and what is wrong."""
    for sample in document.samples:
        if sample.line in document.ignored or sample.line in document.past:
            continue
        if found := problem(sample.language, sample.text):
            offset, said = found
            yield sample, sample.line + offset, said
