"""Chooses who handles a webhook or a script's note: by its words."""

from __future__ import annotations

import re

from .routing_choice import NONE, Choice
from .routing_facts import Facts
from .routing_files import is_code, is_document
from .routing_requests import ASKS_FOR_DOCS, ASKS_FOR_TESTS

_TROUBLE = re.compile(
    r"\b(?:fail\w*|broke\w*|broken|error\w*|down\b|outage|incident|alert\w*|crash\w*|timed? ?out"
    r"|returning 5\d\d|red\b|rollback|rolled back|overdue|blocked|urgent|vulnerab\w+|expire[sd]?|exceeded|paging|above \d|over \d[\d,.]* (?:for|%)"
    r"|fehlgeschlagen|fehler\w*|échou\w*|panne|falló|fallid\w*|error rate)",
    re.IGNORECASE,
)
_FOR_ME = re.compile(
    r"(?:\bassign\w*|\breview(?:er)?s? (?:was |is )?request\w*|request\w* (?:your|a) review|mention\w*"
    r"|@you|for you|your (?:pr|pull request|review|ticket|issue|branch|turn|approval)|due\b|deadline"
    r"|review_requested|@you|prod(?:uction)? is|waiting (?:for|on)|needs? (?:your|review|approval|you)|changes[_ ]requested|remind\w*)",
    re.IGNORECASE,
)
_WORTH = re.compile(
    r"\b(?:decid\w+|decision|agreed?|because|root cause|post-?mortem|lesson|learn\w*|adr\b|rfc\b"
    r"|design|proposal|notes? (?:from|of)|meeting|interview|retro\w*|discuss\w*|summary|write-?up"
    r"|comment\w*|issues?\.(?:opened|closed|edited|reopened)|issues? opened|pull_request\.(?:opened"
    r"|closed|merged|edited)|review_submitted|review_comment|document\w*|page\b|release\.published"
    r"|thread|explain\w*|so that|confus\w+|please keep|beschlossen|entschied\w*|workaround|runbook|spec\b)",
    re.IGNORECASE,
)
_NOISY = re.compile(
    r"(?:\bstar(?:red)?\b|\bwatch\.|synchronize|fork\b|ping\b|heartbeat|reaction|emoji|typing|presence|unlabel\w*"
    r"|label(?:ed)?\b|subscri\w+|keep-?alive|health ?check|joined|left the channel|milestone"
    r"|progress|backup (?:ok|done|finished|complete\w*)|cron (?:ok|done)|all (?:good|green|ok)"
    r"|success\w*|succeeded|passed|no changes|nothing to do|in_progress|queued|requested_action|created a branch)",
    re.IGNORECASE,
)
_CODE_CAME = re.compile(
    r"\b(?:generated|regenerat\w+|codegen|protos?|dependenc\w+ (?:upgraded|updated|installed)|(?:code|packages?) upgraded|installed|lockfile"
    r"|patch(?:ed)? applied|formatter|build artifacts?|snapshot\w* updated|rebuilt|compiled"
    r"|schema (?:changed|updated|migrated)|migrations? (?:ran|applied))\b",
    re.IGNORECASE,
)
_PIECES = re.compile(r"comment|discussion|gollum|document", re.IGNORECASE)
"""Webhooks that bring a part of a discussion."""
_ASKED_US = re.compile(r"@?hermes\b[^\n]{0,120}\?", re.IGNORECASE)


def by_message(facts: Facts) -> Choice:
    """Given a webhook or a script's note, choose an agent or NONE."""
    if facts.empty and not facts.paths:
        return Choice(NONE, "it has no words")
    words = f"{facts.what}\n{facts.says}"
    if _ASKED_US.search(facts.says):
        return Choice("qa", "it asks a question of hermes")
    if ASKS_FOR_DOCS.search(facts.says):
        return Choice("doc_keeper", "it tells of documents to check")
    if ASKS_FOR_TESTS.search(facts.says):
        return Choice("test_runner", "it asks for a run of tests")
    if _FOR_ME.search(words):
        return Choice("standup", "it waits for a person")
    if _PIECES.search(facts.what) and len(facts.text) > 40:
        return Choice("indexer", "a part of a discussion")
    if _NOISY.search(facts.what):
        return Choice(NONE, "nothing worth keeping")
    if _TROUBLE.search(words) and not _WORTH.search(facts.title):
        return Choice("standup", "something is broken")
    if _CODE_CAME.search(facts.says) or any(is_code(path) for path in facts.paths):
        return Choice("test_runner", "code changed from outside")
    if _NOISY.search(words) and not _WORTH.search(facts.says):
        return Choice(NONE, "nothing worth keeping")
    if _WORTH.search(words):
        return Choice("indexer", "it tells something worth remembering")
    if len(facts.text) > 120 or any(is_document(path) for path in facts.paths):
        return Choice("indexer", "it may tell something worth remembering", sure=False)
    return Choice(NONE, "nothing worth keeping", sure=False)
