"""Chooses who does what a person asked for in their own words: by verbs and nouns."""

from __future__ import annotations

import re

from .routing_choice import NONE, Choice
from .routing_facts import Facts

_QUESTION = re.compile(
    r"^\W*(?:(?:hey|hi|ok|so|and|but|well|please|hermes)\W+)*"
    r"(?:why|who|whom|whose|when|where|which|what|how|since when|is there|are there|was|were|did"
    r"|does|do we|do you|has|have|can you (?:explain|tell)|explain|tell me|remind me|find"
    r"|warum|wer|wann|wo|wie|wieso|weshalb|welche[rsn]?|was ist|pourquoi|qui|quand|où|comment"
    r"|por qué|quién|cuándo|cómo|dónde|perché|chi|quando|come)\b",
    re.IGNORECASE,
)
_DECIDE = re.compile(
    r"\b(?:should (?:we|i|this|it|the)|is it (?:safe|wise|ok(?:ay)?|worth|a good idea|risky|ready|time)"
    r"|(?:safe|ready) to (?:merge|deploy|ship|release|delete|drop|upgrade|run)|pros and cons"
    r"|trade-?offs?|which (?:is|of|one|option|approach|would)|better (?:to|idea|choice|option)"
    r"|weigh|council|judge|second opinion|opinions? on|verdict|debate|argue|risks? of"
    r"|a mistake to|(?:good|bad|terrible) idea|review (?:this|my|the|our)\b|approve|worth (?:it|the)|decide (?:between|whether|if)"
    r"|help (?:me|us) (?:decide|choose|pick)|choose between|go with|sollen wir|sollten wir"
    r"|devrait-on|deberíamos|dovremmo)",
    re.IGNORECASE,
)
_OR = re.compile(
    r"^(?:\w+\W+){0,6}\w+ or \w+(?:\W+\w+){0,6}\?$|\b(?:vs\.?|versus)\b", re.IGNORECASE
)
_STANDUP = re.compile(
    r"\b(?:stand-?up|brief(?:ing)?|catch me up|catch up|what did (?:i|we|the team|everyone|\w+) do\b"
    r"|what (?:have|has) (?:i|we|\w+) (?:done|been)|what(?:'s| is| was) (?:next|new|on my plate"
    r"|waiting|open|going on)|what (?:should|do|can) i (?:do|work|start|look|pick)"
    r"|what happened|anything (?:urgent|new|important|i should know)|what (?:did|has) [^?\n]{0,20}"
    r"(?:finish|ship|land|complete|merge)\w*|what changed (?:since|today|yesterday|overnight|while|this|last)"
    r"|what did i miss|where (?:did|was) i|my (?:day|week|morning|plate|tickets|prs|reviews)"
    r"|(?:yesterday|this week|last week|today|overnight)(?:'s)? (?:work|summary|progress|report)"
    r"|summar\w+ (?:of )?(?:my|the|this|last|today|yesterday)\W?(?:s)?\s?(?:day|week|work|team|morning)?"
    r"|weekly (?:report|summary|update)|status (?:report|update)|progress report|to-?do"
    r"|was habe ich|was steht|qu'ai-je fait|qué hice|resumen de)",
    re.IGNORECASE,
)
ASKS_FOR_TESTS = re.compile(
    r"\b(?:(?:re-?)?run|execute|start|launch|kick off|trigger|repeat|try)\b[^.?\n]{0,50}"
    r"\b(?:tests?|specs?|suite|pytest|jest|vitest|unittests?|cargo test|go test|checks)\b"
    r"|^\W*(?:please )?(?:re-?)?(?:test(?:s)?\b(?! runner)|run whatever)"
    r"|\b(?:check|see|verify|make sure)\b[^.?\n]{0,50}\btests?\b[^.?\n]{0,10}(?:pass|green|run)?|\b(?:do|are|did) (?:the|my|all|our) tests?"
    r" (?:still )?(?:pass|green|ok|fail|run)|did i break|does (?:it|this|everything|my \w+) (?:still )?"
    r"(?:pass|work)\b|\bits tests\b|\b(?:führ\w*|start\w*|lass\w*)\b[^.?\n]{0,20}\btests?\b"
    r"|\btests? (?:laufen|ausführen|lassen)|lance\w* les tests"
    r"|(?:ejecuta|corre|lanza)\w* (?:los|las) (?:tests|pruebas)|esegui i test",
    re.IGNORECASE,
)
_MESSAGE = re.compile(
    r"\bcommit[- ]?(?:message|msg|text)s?\b|\bcommit-?msg\b"
    r"|\b(?:write|draft|suggest|propose|word|describe|prepare|phrase|make|compose|reword)\b[^.?\n]{0,40}"
    r"\b(?:commit|staged|staging|stage)\b|\bmessage for (?:what|this|my|the)\b|^\W*commit\b"
    r"|what i (?:have )?staged|\bfor (?:the|my) staged\b|commit-?nachricht|message de commit|mensaje (?:de|del) commit",
    re.IGNORECASE,
)
ASKS_FOR_DOCS = re.compile(
    r"\b(?:check|update|fix|sync|refresh|verify|correct|align|review|audit|repair|scan|lint|clean up)\b"
    r"[^.?\n]{0,50}\b(?:docs?|documents?|documentation|readme|changelog|links?|guides?|manuals?"
    r"|tutorials?|man pages?|docstrings?|samples?|examples?)\b"
    r"|\b(?:docs?|documents|readme|documentation|links?|guide|manual|tutorial|changelog|page)\b[^.?\n]{0,40}\b(?:drift\w*|out of date"
    r"|outdated|stale|broken|wrong|dead|up to date|still (?:match|right|true|correct|mention|talk|say|tell)\w*"
    r"|(?:flags?|options?|names?|settings?|commands?) that (?:no longer|do(?:es)?n.t|do(?:es)? not) exist"
    r"|in sync)|\b(?:outdated|stale|broken|dead) (?:docs?|links?|documentation|samples?|examples?)"
    r"|doku(?:mentation)? (?:prüf|aktual)\w*|(?:mets|mettre) à jour la doc",
    re.IGNORECASE,
)
_INDEX = re.compile(
    r"\b(?:re-?index|index (?:this|the|my|it|everything|all)|re-?read|read (?:it|this|the|my|everything)"
    r"[^.?\n]{0,30}(?:again|anew|history)|re-?scan|(?:refresh|rebuild|update|compact|tidy|check|repair)"
    r" (?:the |your |my )?(?:memory|index|vectors?|embeddings?)|forget (?:about )?(?:the|this|that|my|\w+)"
    r"|take (?:it|this|\w+) into memory|remember (?:this|that)|pull in|fetch the (?:latest )?(?:history"
    r"|commits)|re-?embed|re-?sync|neu einlesen|indexiere|réindexe|reindexa)",
    re.IGNORECASE,
)
_THEMES = re.compile(
    r"\b(?:consolidat\w+|synthesi[sz]\w*|themes?\b|roll(?:ed)? up|distil\w*|big picture"
    r"|fold (?:the )?(?:duplicates|memory)|recurring (?:topics?|patterns?)|thematic)",
    re.IGNORECASE,
)
_PLAIN_QUESTION = re.compile(
    r"^\W*(?:(?:hey|hi|ok|so|and|but|well|hermes)\W+)*"
    r"(?:why|who|whom|whose|when|where|how|since when|which|explain|warum|wieso|weshalb|wer|wann|wo"
    r"|pourquoi|qui|quand|où|comment|por qué|quién|cuándo|cómo|dónde)\b",
    re.IGNORECASE,
)
_WANTS = re.compile(
    r"\b(?:good|better|short|proper) (?:commit )?(?:message|subject)|\bwhat are the (?:\w+ )?themes?\b",
    re.IGNORECASE,
)
"""Questions that are asked to get the thing itself."""
_QUOTED = re.compile(
    r"\"[^\"\n]{8,}\"|(?<!\w)'[^\n]{8,}'(?!\w)|[«“„‘][^\n]{8,}?[»”“’]|`[^`\n]{8,}`"
)
"""Words of others, which ask for nothing."""
_ABOUT = re.compile(
    r"^\W*(?:explain|quote|translate)\b|\b(?:line|sentence|comment|text|log) (?:mean|says?)\b",
    re.IGNORECASE,
)
"""Asks about a text, whatever that says."""
_REQUESTS = (
    ("commit_helper", _MESSAGE, "it asks for a commit message"),
    ("test_runner", ASKS_FOR_TESTS, "it asks for a run of tests"),
    ("doc_keeper", ASKS_FOR_DOCS, "it asks to check documents"),
    ("indexer", _INDEX, "it asks to read or forget something"),
    ("synthesizer", _THEMES, "it asks for themes"),
    ("standup", _STANDUP, "it asks for a brief"),
    ("council", _DECIDE, "it asks for a decision"),
)


def by_request(facts: Facts) -> Choice:
    """Given a person's words, choose an agent: qa unless they ask for something to be done."""
    text = _QUOTED.sub(" … ", facts.text)
    if facts.empty:
        return Choice(NONE, "it has no words")
    asks = bool(_QUESTION.search(text))
    for agent, pattern, why in _REQUESTS:
        found = pattern.search(text)
        if not found:
            continue
        # "why did the commit message …" asks about it, and does not ask for one.
        if (
            asks
            and agent in ("commit_helper", "indexer", "synthesizer")
            and not _WANTS.search(text)
        ):
            continue
        if _ABOUT.search(text):
            continue
        if asks and agent in ("test_runner", "doc_keeper") and not _asks_now(text):
            continue
        if (
            agent == "council"
            and asks
            and re.match(r"\W*(?:why|who|when|where)\b", text, re.IGNORECASE)
        ):
            continue
        return Choice(agent, why)
    if not asks and _OR.search(text):
        return Choice("council", "it names two to choose from")
    if _PLAIN_QUESTION.search(text) or _ABOUT.search(text):
        return Choice("qa", "a question")
    return Choice(
        "qa",
        "a question" if asks else "no agent is for this, so it goes to Q&A as a question",
        sure=False,
    )


def _asks_now(text: str) -> bool:
    return bool(re.match(r"\W*(?:does|do|did i|are|is|was|have|has)\b", text, re.IGNORECASE))
