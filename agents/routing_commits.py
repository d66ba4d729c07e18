"""Chooses whether memory is rolled up after a commit: by its type, the paths it touches, and its
words. The indexer and the doc keeper follow every commit, whatever it is."""

from __future__ import annotations

import re

from ..ingest.git.classify import by_path
from ..memory.records import Content
from .routing_choice import NONE, Choice
from .routing_facts import Facts
from .routing_files import is_code, is_document, is_test

_TYPE = re.compile(r"^(?P<type>[a-z]+)(?:\([^)\n]{0,60}\))?(?P<breaking>!)?:\s", re.IGNORECASE)
_QUIET_TYPES = frozenset({"style", "test", "tests", "ci", "chore", "build", "wip", "perf"})
_TURN = re.compile(
    r"\b(?:migrat\w+|rewr(?:ite|ote|itten)|re-?architect\w*|redesign\w*|adopt\w*"
    r"|switch(?:es|ed|ing)?\b[^\n]{0,60}\b(?:to|from)\b"
    r"|unif(?:y|ies|ied)\b|consolidat\w+"
    r"|mov(?:e|es|ed|ing)\b[^\n]{0,60}\b(?:from|off|away)\b"
    r"|replac(?:e|es|ed|ing)\b[^\n]{0,80}\b(?:with|by)\b"
    r"|(?:split|merge|fold)\b[^\n]{0,50}\b(?:into|service|package|crate|module)s?"
    r"|adr[- ]?\d*|decision record|decid(?:e|ed) (?:to|on|against)|post-?mortem"
    r"|(?:drop|remove|retire|sunset|delete)[sd]?\b[^\n]{0,40}\b(?:subsystem|backend|service|engine"
    r"|support for|framework|layer|legacy|altogether)"
    r"|introduc(?:e|es|ed)\b[^\n]{0,50}\b(?:layer|architecture|protocol|subsystem|service|engine"
    r"|queue|cache|plugin|format)|end of life|deprecat\w+ the whole"
    r"|^port(?:s|ed)?\b[^\n]{0,40}\b(?:to|from)\b)",
    re.IGNORECASE,
)
_NAMES_CHANGED = re.compile(
    r"\b(?:renam\w+|deprecat\w+|remov\w+|drop(?:s|ped)?|delet\w+|chang\w+|replac\w+|mov(?:e|ed|es)"
    r"|retir\w+|make|require[sd]?|default\w*|add(?:s|ed)?|introduc\w+|support\w*|accept\w*"
    r"|expos\w+|rais\w+|lower\w*|bump\w*|switch\w*|set)\b[^\n]{0,80}"
    r"(?:\b(?:options?|flags?|settings?|env(?:ironment)?(?: vars?| variables?)?|defaults?"
    r"|commands?|subcommands?|api|apis|endpoints?|arguments?|parameters?|params?|functions?"
    r"|methods?|class(?:es)?|modules?|keys?|config(?:uration)?|cli|routes?|variables?|ports?"
    r"|limits?|timeouts?|exit codes?|signatures?|headers?|fields?|packages?|scripts?|hooks?"
    r"|columns?|tables?)\b|--[a-z][\w-]+|\b[A-Z][A-Z0-9]+_[A-Z0-9_]+\b)"
    r"|\b(?:by|on|off|enabled|disabled) default\b|^requires?\b|\b(?:stop|no longer|don't|start)s?\b"
    r"[^\n]{0,20}\b(?:read(?:s|ing)?|accept\w*|support\w*|writ(?:e|es|ing)|look\w*)\b"
    r"|\bliv(?:e|es) (?:in|under)\b",
    re.IGNORECASE,
)
_RENAMED = re.compile(
    r"\brenam\w+|\bdeprecat\w+|--[a-z][\w-]+|\bBREAKING[ -]CHANGE\b"
    r"|\b(?:config|env(?:ironment)?) (?:keys?|vars?|variables?)\b"
    r"|\b(?:defaults?|settings?|options?|flags?|config)\b",
    re.IGNORECASE,
)
_MECHANICAL = re.compile(
    r"^(?:(?:style|format|reformat|lint|typo|whitespace|sort imports|bump version|release|wip|fixup!"
    r"|squash!|merge (?:branch|remote|pull request)|revert \"?(?:bump|format)|update (?:lock|snapshots?|"
    r"translations?)|ran? (?:black|ruff|prettier|gofmt|rustfmt|eslint))\b|v?\d+\.\d+(?:\.\d+)?\S*$)",
    re.IGNORECASE,
)
_LARGE = 40
"""Files of one commit from which it is taken for a change of direction, if they are code."""


def by_commit(facts: Facts) -> Choice:
    """Given a commit, choose synthesizer or NONE."""
    typed = _TYPE.match(facts.title)
    kind = typed["type"].lower() if typed else ""
    breaking = bool(typed and typed["breaking"]) or "BREAKING CHANGE" in facts.says
    if _MECHANICAL.match(facts.title) and not breaking:
        return Choice(NONE, "the message tells of something mechanical")
    written = [path for path in facts.paths if by_path(path) is Content.TEXT]
    code = [path for path in written if is_code(path) and not is_test(path)]
    documents = [path for path in written if is_document(path)]
    if facts.paths and not code and not documents:
        return Choice(NONE, "only tests, data, lock files or generated files changed")
    decision = [path for path in documents if re.search(r"(?:^|/)(?:adrs?|decisions|postmortems?)/",
                                                        path, re.IGNORECASE)]  # fmt: skip
    if decision:
        return Choice("synthesizer", f"{decision[0]} records a decision")
    if kind in ("style", "test", "tests", "ci") and not breaking:
        return Choice(NONE, f"a commit of type {kind}")
    if breaking:
        return Choice(NONE, "it breaks what was so far: a matter for documents, not for themes")
    if _TURN.search(facts.title) and kind not in _QUIET_TYPES and not _RENAMED.search(facts.title):
        return Choice("synthesizer", "the subject tells of a change of direction")
    if documents and not code:
        return Choice(NONE, "only documents changed")
    gone = [path for path in facts.gone if not is_test(path)
            and by_path(path) is Content.TEXT]  # fmt: skip
    if gone:
        return Choice(NONE, f"{gone[0]} is not there any more under this name")
    if _NAMES_CHANGED.search(facts.title) or _RENAMED.search(facts.says):
        return Choice(NONE, "names, options or defaults changed")
    if len(code) >= _LARGE:
        return Choice("synthesizer", f"{len(code)} files of code changed at once", sure=False)
    if _TURN.search(facts.text) and len(code) > 5:
        return Choice("synthesizer", "the message tells of a change of direction")
    return Choice(NONE, "nothing that themes would have to follow", sure=False)
