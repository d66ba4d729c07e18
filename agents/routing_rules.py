"""Chooses agents without a model: by paths, by the type of a commit, by verbs and nouns.

It is what the router falls back to, and all it has where no model is wanted.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import PurePosixPath

from ..ingest.git.classify import by_path
from ..memory.records import Content
from .events import FilesChanged
from .routing_facts import PATH_END, Facts

NONE = "none"
"""What is chosen where nobody has anything to do."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An agent, or NONE, and the rule that chose it."""

    agent: str
    why: str
    sure: bool = True
    """Whether a rule of its own applied; else it is what is left where none did."""


# --- files -----------------------------------------------------------------------------------

_DOCUMENT = re.compile(
    r"\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt|org|textile)$"
    r"|(?:^|/)(?:readme|changelog|changes|news|contributing|authors|license|copying)[^/]*$",
    re.IGNORECASE,
)
_DOCUMENTS_FOLDER = re.compile(r"(?:^|/)(?:docs?|documentation|adrs?|wiki|postmortems?)(?:/|$)")
_NO_CODE = re.compile(
    r"\.(?:png|jpe?g|gif|svg|ico|webp|bmp|pdf|mp[34]|wav|ogg|woff2?|ttf|eot|zip|gz|tar|bin|exe"
    r"|log|csv|tsv|parquet|db|sqlite3?|psd|mov|swp|bak|orig)$|~$"
    r"|(?:^|/)(?:\.gitignore|\.gitattributes|\.mailmap|\.editorconfig|codeowners|\.ds_store"
    r"|requirements[^/]*\.txt|cmakelists\.txt|robots\.txt)$",
    re.IGNORECASE,
)
_TEST_MATTERS = re.compile(r"(?:^|/)(?:requirements[^/]*\.txt|cmakelists\.txt)$", re.IGNORECASE)
_TEST = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|testdata|fixtures|e2e)/|(?:^|/)(?:test_|conftest)[^/]*$"
    r"|[._-](?:test|spec)s?\.\w+$|_test\.\w+$",
    re.IGNORECASE,
)


def is_document(path: str) -> bool:
    """Say whether a path is a text for people."""
    if _TEST_MATTERS.search(path) or PurePosixPath(path).name.lower() == "robots.txt":
        return False
    if _DOCUMENT.search(path):
        return True
    return bool(_DOCUMENTS_FOLDER.search(path)) and not PurePosixPath(path).suffix


def is_code(path: str) -> bool:
    """Say whether tests may depend on a path: code, configuration, and lists of dependencies."""
    if _TEST_MATTERS.search(path):
        return True
    return not is_document(path) and not _NO_CODE.search(path)


def by_files(event: FilesChanged) -> dict[str, str]:
    """Given changed files, return the agents that they call, each with the reason."""
    if event.whole:
        return {
            "indexer": "the whole worktree changed",
            "test_runner": "the whole worktree changed",
        }
    found: dict[str, str] = {}
    paths = [path[-PATH_END:] for path in event.paths]
    documents = (path for path in paths if is_document(path))
    folders = (folder for folder in event.folders if _DOCUMENTS_FOLDER.search(folder))
    if document := next(documents, next(folders, None)):
        found["indexer"] = f"{document} is a document"
    code = (path for path in paths if is_code(path))
    others = (folder for folder in event.folders if not _DOCUMENTS_FOLDER.search(folder))
    if first := next(code, next(others, None)):
        found["test_runner"] = f"tests may depend on {first}"
    return found


# --- commits ---------------------------------------------------------------------------------

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
    """Given a commit, choose synthesizer, doc_keeper or NONE."""
    typed = _TYPE.match(facts.title)
    kind = typed["type"].lower() if typed else ""
    breaking = bool(typed and typed["breaking"]) or "BREAKING CHANGE" in facts.says
    if _MECHANICAL.match(facts.title) and not breaking:
        return Choice(NONE, "the message tells of something mechanical")
    written = [path for path in facts.paths if by_path(path) is Content.TEXT]
    code = [path for path in written if is_code(path) and not _TEST.search(path)]
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
        return Choice("doc_keeper", "it breaks what was so far")
    if _TURN.search(facts.title) and kind not in _QUIET_TYPES and not _RENAMED.search(facts.title):
        return Choice("synthesizer", "the subject tells of a change of direction")
    if documents and not code:
        return Choice("doc_keeper", f"{documents[0]} changed: its links and samples are to check")
    gone = [path for path in facts.gone if not _TEST.search(path)
            and by_path(path) is Content.TEXT]  # fmt: skip
    if gone:
        return Choice("doc_keeper", f"{gone[0]} is not there any more under this name")
    if _NAMES_CHANGED.search(facts.title) or _RENAMED.search(facts.says):
        return Choice("doc_keeper", "names, options or defaults changed")
    if len(code) >= _LARGE:
        return Choice("synthesizer", f"{len(code)} files of code changed at once", sure=False)
    if _TURN.search(facts.text) and len(code) > 5:
        return Choice("synthesizer", "the message tells of a change of direction")
    return Choice(NONE, "nothing that documents or themes would have to follow", sure=False)


# --- words -----------------------------------------------------------------------------------

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
_TESTS = re.compile(
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
_DOCS = re.compile(
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
    ("test_runner", _TESTS, "it asks for a run of tests"),
    ("doc_keeper", _DOCS, "it asks to check documents"),
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
    return Choice("qa", "a question" if asks else "nothing else was asked for", sure=False)


def _asks_now(text: str) -> bool:
    return bool(re.match(r"\W*(?:does|do|did i|are|is|was|have|has)\b", text, re.IGNORECASE))


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
    if _DOCS.search(facts.says):
        return Choice("doc_keeper", "it tells of documents to check")
    if _TESTS.search(facts.says):
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


def narrowed(facts: Facts, candidates: tuple[str, ...]) -> tuple[str, ...]:
    """Return the candidates without those that these facts rule out: a message that does not name
    hermes asks it nothing."""
    if facts.kind in ("delivered", "noted") and "hermes" not in facts.says.lower():
        return tuple(name for name in candidates if name != "qa")
    return candidates


def choose(facts: Facts, candidates: Collection[str]) -> Choice:
    """Given facts and the agents to choose from, choose one of them, or NONE.

    A person's request is never dropped: what nobody there can do goes to qa, if it is there.
    """
    match facts.kind:
        case "committed":
            chosen = by_commit(facts)
        case "requested":
            chosen = by_request(facts)
        case "delivered" | "noted":
            chosen = by_message(facts)
        case _:
            chosen = Choice(NONE, "no rule wants more than what must run")
    if chosen.agent == NONE or chosen.agent in candidates:
        return chosen
    why = f"{chosen.why}; that would be for {chosen.agent}, which is not installed"
    if facts.kind == "requested" and "qa" in candidates:
        return Choice("qa", why)
    return Choice(NONE, why)
