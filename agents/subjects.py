"""A commit's subject as a clause in the past tense: "Add retries" becomes "added retries"."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
    "log drop skip stop strip swap wrap trim plug ship pin map grep commit omit permit submit embed "
    "defer prefer refer cap clip flip scrub snap step tag unwrap"
)
_REGULAR = word_set(
    "abort accept adapt add adjust adopt align allow annotate apply archive assert assign "
    "avoid backport bound bump bundle cache call cancel change check clarify clean clear "
    "close collapse collect combine compress compute configure confine consolidate convert "
    "copy correct count cover create declare deduplicate default delay delegate delete demote "
    "depend deprecate derive detect disable discard display document downgrade drain dump "
    "edit eliminate emit enable encode enforce enhance ensure escalate escape exclude "
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
    "bound break build bundle cache call cap catch cause change check clean clear clip close commit "
    "copy correct count cover cut default delay delegate display document download dump edit embed "
    "escape export extract factor feed fetch filter fix flip force group guard handle hold import "
    "increase insert install instrument jitter join kill limit link list load lock log lower map "
    "mark merge mock move narrow notice offer open order override pass patch pin plug polish port "
    "push quote raise read record redirect refresh release rename repair report request rerun reset "
    "restart retry return reuse revert rewrite roll round run save scale schedule separate set share "
    "show sort speed split start step stop store stream swap switch tag throttle track treat try tune "
    "turn tweak update upgrade use vendor wait wrap write yield"
)
"""Behind "and" they may as well be things: "and log files"."""
_OTHER_VERBS = word_set(
    "accelerate answer ask attack audit batch begin bench benchmark bind boost bring buffer capture "
    "carry cast chain charge cite claim click compare compile complete compose connect consume contain "
    "continue control cross debug decide declare decode degrade deliver deploy derive describe design "
    "direct distinguish divide double draft drain draw encrypt end estimate exercise exit expect "
    "explore feature fill fire fit float focus fold forget format freeze fuse grant grow hash head hear "
    "hint hook host imply index inform inspect invent issue judge jump keep key know label lay lead "
    "learn lend level lift line lint look match mean measure meet mention mirror name need nest note "
    "omit own pack page paint park pause permit pick ping pipe place plan play point poll pool post "
    "prefer present print probe process produce program promise promote prompt proof prove pull purge "
    "query queue quit race rank rate reach react rearrange recall receive recognize recover refine "
    "refuse regard relate rely remember remind repeat request require rerun reserve reshape rest reveal "
    "review reward rework ride rise route say scan score search seal see seed seem select sell sequence "
    "serve settle shape shift sign signal simulate sink size slice slow smooth snapshot speak spell "
    "spend spread squash stage stamp stand state stay stick stress stretch strike structure style sum "
    "supply support survive suspect sweep sync talk target teach test think thread tie tighten time "
    "title touch trace trade train transfer transform travel trigger trust type understand unlock "
    "value view visit walk want warm wash watch weigh welcome win wipe wire wonder word work worry zip"
)
"""Further words that may be something somebody does; here only for telling that it is not sure."""
_VERBAL = ("ize", "ise", "ify", "ate")
_BEFORE_A_THING = word_set(
    "a an the this these those each every all any both no its their his her our my your it them him "
    "us itself what which who whatever whoever how where whether only up out off down away back"
)
"""Behind a word that may be a verb they say that it is one."""
_PARTICLES = word_set("up out off down away back apart over together through along")
_BELONGING = word_set(
    "that which who whom whose what whatever whoever where when whenever while if because since until "
    "before after how why unless whether so can could should would will must may might does did do "
    "is are was were has have had"
)
"""What follows, up to the next ";", may belong to somebody else's deeds: "what users add and remove"."""
_HAVING_DONE = word_set("let make have help see watch hear")
"""So it may behind them: "Let users add and remove keys"."""
_ADVERBS = word_set("also then just always instead")
_NOMINAL = word_set(
    "fix fixes cleanup cleanups clean-up update updates improvement improvements support handling change "
    "changes tweak tweaks bug bugs refactor refactoring rework notes conflict conflicts typo typos "
    "error errors failure failures issue issues"
)
"""A subject that begins with a noun often ends so: "Cache invalidation fixes"."""
_SAYING_SO = word_set("is are was were does do has have can should must")
_PREPOSITIONS = word_set("for to in of on at by from with and or is are was were has as into")
_OF_THE_CODE = word_set(
    "accept assert assume call catch depend detect display emit fail find follow get go guess "
    "hold honor ignore infer inherit keep lose notify parse print read reject require respect "
    "retry return reuse run send show skip throw tolerate treat try use wait warn yield"
)
"""What the code does from now on, not its author: "Use X" does not mean that Sam used X."""
_BEFORE_ING = word_set("avoid begin keep start stop")
_JOINTS = frozenset({"and", "or", "but", "then", "&", "-", "–", "—"})
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
    if base == first and base in _NOUNS_TOO and second not in _BEFORE_A_THING:
        last = next((w for w in reversed(words) if w[-1:].isalpha()), "")
        is_noun = last.lower() in _NOMINAL and len(words) < 5
        if is_noun or not _SAYING_SO.isdisjoint(words[2:4]):
            return None  # "Release notes", "Release date is today"
    if base in _BEFORE_ING and _base(words[1].lower()) == words[1].lower():
        return None  # "stop ignore": not a clause in any tense
    if first.startswith("support"):
        verb = "added support for" if first in {"support", "supports"} else verb
    rest = _joined_verbs(words)
    clause = " ".join([verb, *rest]) if rest is not None else ""
    broken = _INNER_END.search(clause) or any(clause.count(mark) % 2 for mark in '`"')
    return None if broken else clause or None


def leading_verb(subject: str) -> str | None:
    """Given a subject, return the verb it begins with in the past tense, if it begins with one."""
    subject = _EMOJI.sub("", subject.strip())
    return "reverted" if _REVERT.match(subject) else _leading(_bare(subject).split())


def may_begin_with_verb(text: str) -> bool:
    """Say whether text begins with a word that may be a verb: such a word is no name."""
    return _may_be_verb(text.partition(" ")[0].strip(",;:").lower())


def without_verbs(subject: str) -> str:
    """Given a subject, return what it is about: without the verbs that it begins with or joins to
    that, "Lay out the brief and pack it" being about "the brief and it"."""
    kept: list[str] = []
    joined, dropped = True, False
    words = _bare(_EMOJI.sub("", subject.strip())).split()
    for place, word in enumerate(words):
        bare = word.strip(",;:").lower()
        after = words[place + 1].strip(",;:").lower() if place + 1 < len(words) else ""
        if joined and bare in _ADVERBS:
            continue
        dropped = (joined and _is_deed(bare, after)) or (dropped and bare in _PARTICLES)
        if not dropped:
            kept.append(word)
        joined = bare in _JOINTS or word.endswith((",", ";", ":"))
    return " ".join(kept)


def _is_deed(word: str, after: str) -> bool:
    """Say whether a word where a verb may stand is one."""
    if not _may_be_verb(word):
        return False
    base = _base(word)
    sure = base is not None and base not in _NOUNS_TOO
    return sure or after in _BEFORE_A_THING or after in _PREPOSITIONS or after in _PARTICLES


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


def _joined_verbs(words: Sequence[str]) -> list[str] | None:
    """Given a subject's words, return those behind the first, with the verbs that are joined to it in
    the past too: "Add x and remove y". None where it is not sure what is one."""
    form = _form(words[0].lower())
    having_done = belonging = _base(words[0].lower()) in _HAVING_DONE
    result: list[str] = []
    joined = False
    for place, word in enumerate(words[1:], 1):
        bare = word.strip(",;:").lower()
        after = words[place + 1].strip(",;:").lower() if place + 1 < len(words) else ""
        if joined and not (bare in _ADVERBS and after):
            past = _joined(word, after, form, belonging=belonging)
            if past is None:
                return None
            result.append(past)
        else:
            result.append(word)
            if joined:
                continue  # "and also remove"
        if word.endswith(";"):
            belonging = having_done
        elif bare in _BELONGING or (bare == "to" and _may_be_verb(after)):
            belonging = True
        joined = bare in _JOINTS or word.endswith((",", ";", ":"))
    return result


def _joined(word: str, after: str, form: str, *, belonging: bool) -> str | None:
    """Return a word behind a joint as it is in the past; as it is where it can't be a verb; None where
    it is not sure. ``form``: of the verb that the subject begins with."""
    end = word[len(word.rstrip(",;:")) :]
    bare = word.removesuffix(end) if end else word
    doing = after in _BEFORE_A_THING
    if not (bare.isalpha() and bare.islower()):
        begins = bare.istitle() and _base(bare.lower()) is not None
        return None if begins else word  # "fix #12: Ensure order"
    base = _base(bare)
    if not _may_be_verb(bare):
        # A verb that no table has: "and frobnicate the cache". "that" and its like are none.
        known = bare in _BEFORE_A_THING or bare in _BELONGING or bare in _PREPOSITIONS
        return None if doing and not known and form in (_form(bare), "any") else word
    own = _form(bare)
    if own in ("ed", "any") or (own in ("s", "ing") and own != form):
        return word  # "and tests", "and made", "using"
    unsure = base is None or base in _NOUNS_TOO
    if unsure and not doing:
        return word if form == "ed" else None
    if base is None or belonging or base == "use" or (own == "base" and form == "ing"):
        return None
    return f"{_past(bare)}{end}"


def _may_be_verb(word: str) -> bool:
    return (
        _base(word) is not None
        or word in _OTHER_VERBS
        or (word.endswith("s") and (word[:-1] in _OTHER_VERBS or word[:-2] in _OTHER_VERBS))
        or word.endswith(_VERBAL)
    )


def _form(word: str) -> str:
    """Return which form of a verb a word has, if it is one: base, s, ed, ing, or any ("put")."""
    base = _base(word)
    if base is None:
        return "s" if word.endswith("s") and not word.endswith("ss") else "base"
    if word == base:
        return "any" if _past(word) == word else "base"
    if word.endswith("ing"):
        return "ing"
    return "s" if word.endswith("s") else "ed"


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
