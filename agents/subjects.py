"""A commit's subject as a clause in the past tense: "Add retries" becomes "added retries"."""

from __future__ import annotations

import re

from .words import word_set

_IRREGULAR = {
    "begin": "began", "break": "broke", "bring": "brought", "build": "built", "catch": "caught",
    "choose": "chose", "cut": "cut", "do": "did", "draw": "drew", "feed": "fed", "find": "found",
    "forbid": "forbade", "get": "got", "give": "gave", "go": "went", "hide": "hid", "hold": "held",
    "keep": "kept", "leave": "left", "let": "let", "lose": "lost", "make": "made", "put": "put",
    "read": "read", "rebuild": "rebuilt", "rerun": "reran", "reset": "reset", "rewrite": "rewrote",
    "run": "ran", "send": "sent", "set": "set", "show": "showed", "shut": "shut", "speed": "sped",
    "split": "split", "take": "took", "tell": "told", "throw": "threw", "undo": "undid",
    "withdraw": "withdrew", "write": "wrote",
}  # fmt: skip
_DOUBLED = word_set(
    "log drop skip stop strip swap wrap trim plug ship pin map grep commit omit permit submit "
    "defer prefer refer cap clip flip scrub snap step tag unwrap"
)
_REGULAR = word_set(
    "abort accept adapt add adjust adopt align allow annotate apply archive assert assign "
    "avoid backport bound bump bundle cache call cancel change check clarify clean clear "
    "close collapse collect combine compress compute configure confine consolidate convert "
    "copy correct count cover create declare deduplicate default delay delegate delete demote "
    "depend deprecate derive detect disable discard display document downgrade drain dump "
    "edit eliminate embed emit enable encode enforce enhance ensure escalate escape exclude "
    "expand explain export expose extend extract factor fail fetch filter finalize finish fix "
    "flatten follow force forward generate group guard handle harden harmonize honor ignore "
    "implement import improve include increase infer inherit initialize inline insert install "
    "instrument integrate introduce invoke isolate jitter join kill limit link list load lock "
    "loosen lower manage mark merge migrate minimize mock modernize modify move narrow "
    "normalize notify offer open optimize order organize override parallelize parse pass "
    "patch persist polish populate port postpone prepare preserve prevent propagate protect "
    "provide prune publish push quote raise randomize record redact redirect reduce refactor "
    "refine refresh register reject relax release reload remove rename render reorder "
    "reorganize repair replace report require resolve respect restore restrict restructure "
    "retain retry return reuse run revert revise rework roll round sanitize save scale schedule "
    "separate serialize share shorten silence simplify sort specify start stream streamline "
    "store suppress switch synchronize terminate throttle tidy tighten tolerate track "
    "translate treat truncate try tune turn tweak unify uninstall unpin update upgrade use "
    "validate verify vendor wait warn widen yield"
)
_NOUNS_TOO = word_set(
    "change check cover default display document dump export fix group handle import link "
    "list load lock log mark move order patch push record release report retry return round "
    "save scale schedule share sort start step store stream switch tag track update upgrade "
    "use wait cache cap map clip cut set read build run break split show cause limit call "
    "count guard jitter merge port override"
)
_PREPOSITIONS = word_set("for to in of on at by from with and or is are was were has as into")
_OF_THE_CODE = word_set(
    "accept assert assume call catch depend detect display emit fail find follow get go guess "
    "hold honor ignore infer inherit keep lose notify parse print read reject require respect "
    "retry return reuse run send show skip throw tolerate treat try use wait warn yield"
)
"""What the code does from now on, not its author: "Use X" does not mean that Sam used X."""
_BEFORE_ING = word_set("avoid begin keep start stop")
_TO = word_set(
    "bump change convert downgrade migrate move port rename revert switch update upgrade"
)
"""Verbs that "to" may follow: "Switch to uv"."""
_CLOSES = re.compile(
    r"[\s,;.(–-]+(?:closes?|closed|fix(?:es|ed)?|resolve[sd]?|refs?|see)\b:?\s+"
    r"(?P<keys>#\d+(?:(?:\s*,\s*|\s+and\s+)#\d+)*)\)?\s*$",
    re.IGNORECASE,
)
_STOP_BEFORE_KEY = re.compile(r"[.,;]\s+(?=\(#\d+\)$)")
_INNER_END = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!\bvs)(?<!etc)[.!?…]\s+\S|\.\.\.|…")
_PREFIX = re.compile(
    r"^(?:\[[^\]]{1,30}\]\s*|[a-z]{2,12}(?:\([^)]{1,40}\))?!?:\s+|:[a-z_]+:\s*)+", re.IGNORECASE
)
_EMOJI = re.compile(r"^[^\w\"'`(\[<:]+\s*")
_REVERT = re.compile(r'^Revert "(?P<what>.+)"(?P<rest>[^"]*)$')


def past_clause(subject: str) -> str | None:
    """Given a subject, return a clause that can follow a name ("removed the retry queue"), or
    None when the subject is not written as one thing that somebody did: it is to be quoted then."""
    subject = _EMOJI.sub("", subject.strip())
    revert = _REVERT.match(subject)
    if revert:
        return f'reverted "{revert["what"]}"{revert["rest"]}'
    words = _bare(subject).split()
    verb = _leading(words)
    if verb is None or (words[0].isupper() and len(words[0]) > 1):
        return None
    base, first, second = _base(words[0].lower()), words[0].lower(), words[1].lower().rstrip(",")
    if second == "not" or (second in _PREPOSITIONS and not (base in _TO and second == "to")):
        return None
    if base in _OF_THE_CODE and first in {base, base + "s", base + "es"}:
        return None
    if base in _BEFORE_ING and _base(words[1].lower()) == words[1].lower():
        return None  # "stop ignore": not a clause in any tense
    if first.startswith("support"):
        verb = "added support for" if first in {"support", "supports"} else verb
    rest = _joined_verbs(words[1:], participles=not first.endswith("ing"))
    clause = " ".join([verb, *rest]) if rest is not None else ""
    broken = _INNER_END.search(clause) or any(clause.count(mark) % 2 for mark in '`"')
    return None if broken else clause or None


def leading_verb(subject: str) -> str | None:
    """Given a subject, return the verb it begins with in the past tense, if it begins with one."""
    subject = _EMOJI.sub("", subject.strip())
    return "reverted" if _REVERT.match(subject) else _leading(_bare(subject).split())


def _bare(subject: str) -> str:
    """Without a prefix such as "fix(worker):", and with the tickets it closes in brackets."""
    stripped = _PREFIX.sub("", subject)
    closes = _CLOSES.search(stripped)
    if closes and closes.start() > 0:
        stripped = f"{stripped[: closes.start()]} ({closes['keys']})"
    if not stripped.endswith("..."):
        stripped = stripped.rstrip(" .")
    return _STOP_BEFORE_KEY.sub(" ", stripped)


def _leading(words: list[str]) -> str | None:
    if len(words) < 2:
        return None
    return "supported" if words[0].lower() in {"support", "supports"} else _past(words[0])


def _joined_verbs(words: list[str], *, participles: bool) -> list[str] | None:
    """Put verbs after "and" or a comma into the past too: "Add x and remove y".

    ``participles``: "using" and its like stay as they are. None when one is the code's deed.
    """
    result: list[str] = []
    before = ""
    for word in words:
        joined = before.lower() in {"and", "then", "&"} or before.endswith((",", ";"))
        if joined and word.lower() == "use":
            return None
        stays = word.lower() in _NOUNS_TOO or (participles and word.lower().endswith("ing"))
        verb = _past(word) if joined and not stays else None
        result.append(verb or word)
        before = word
    return result


def _past(word: str) -> str | None:
    base = _base(word.lower())
    if base is None:
        return None
    if base in _IRREGULAR:
        return _IRREGULAR[base]
    if base in _DOUBLED:
        return base + base[-1] + "ed"
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ied"
    return base + "ed"


def _base(word: str) -> str | None:
    """Given a verb in any of the forms subjects use (add, adds, added, adding), return "add"."""
    for candidate in _stems(word):
        if candidate in _IRREGULAR or candidate in _DOUBLED or candidate in _REGULAR:
            return candidate
    return None


def _stems(word: str) -> list[str]:
    stems = [word, *(base for base, past in _IRREGULAR.items() if past == word)]
    if word.endswith("ies"):
        stems.append(word[:-3] + "y")
    if word.endswith("es"):
        stems.append(word[:-2])
    if word.endswith("s"):
        stems.append(word[:-1])
    if word.endswith("ied"):
        stems.append(word[:-3] + "y")
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            stem = word[: -len(ending)]
            stems += [stem, stem + "e"]
            if len(stem) > 2 and stem[-1] == stem[-2]:
                stems.append(stem[:-1])
    return stems
