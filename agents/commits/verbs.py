"""Verbs that begin a commit's subject, in the moods that repositories write in."""

from __future__ import annotations

import re

from .records import Mood

_TEXT = """
add adds added
allow allows allowed
apply applies applied
avoid avoids avoided
bump bumps bumped
call calls called
catch catches caught
change changes changed
check checks checked
clarify clarifies clarified
clean cleans cleaned
close closes closed
convert converts converted
correct corrects corrected
create creates created
define defines defined
delete deletes deleted
deprecate deprecates deprecated
disable disables disabled
document documents documented
drop drops dropped
enable enables enabled
ensure ensures ensured
escape escapes escaped
expand expands expanded
export exports exported
expose exposes exposed
extend extends extended
extract extracts extracted
fix fixes fixed
format formats formatted
handle handles handled
ignore ignores ignored
implement implements implemented
import imports imported
improve improves improved
include includes included
increase increases increased
introduce introduces introduced
link links linked
list lists listed
log logs logged
make makes made
mark marks marked
mention mentions mentioned
merge merges merged
move moves moved
note notes noted
pass passes passed
pin pins pinned
prefer prefers preferred
preserve preserves preserved
prevent prevents prevented
raise raises raised
refactor refactors refactored
reformat reformats reformatted
release releases released
remove removes removed
rename renames renamed
reorder reorders reordered
reorganize reorganizes reorganized
replace replaces replaced
restore restores restored
return returns returned
revert reverts reverted
reword rewords reworded
rewrite rewrites rewrote
run runs ran
set sets set
shorten shortens shortened
show shows showed
simplify simplifies simplified
skip skips skipped
sort sorts sorted
split splits split
stop stops stopped
support supports supported
switch switches switched
test tests tested
tweak tweaks tweaked
unify unifies unified
update updates updated
upgrade upgrades upgraded
use uses used
validate validates validated
warn warns warned
write writes wrote
"""
_FORMS = tuple((*line.split(),) for line in _TEXT.strip().splitlines())
_INDEX: dict[Mood, int] = {"imperative": 0, "third": 1, "past": 2}
_BY_THIRD = {forms[1]: forms for forms in _FORMS}
_MOODS: dict[str, Mood] = {}
for _forms in _FORMS:
    for _mood, _index in _INDEX.items():
        _MOODS.setdefault(_forms[_index], _mood)

_BY_ANY: dict[str, tuple[str, ...]] = {}
for _forms in _FORMS:
    for _index in (2, 1, 0):
        _BY_ANY[_forms[_index]] = _forms

_FIRST = re.compile(r"[A-Za-z]+(?=$|[\s,])")


def mood_of(subject: str) -> Mood | None:
    """Return the mood of a subject's first word; None where it is no verb that is known."""
    match = _FIRST.match(subject)
    if match is None:
        return None
    word = match[0].lower()
    if word in _MOODS:
        return _MOODS[word]
    return "past" if word.endswith("ed") and len(word) > 4 else None


def in_mood(statement: str, mood: Mood) -> str:
    """Given a statement that begins with a verb in the third person, put it in another mood."""
    verb, space, rest = statement.partition(" ")
    forms = _BY_THIRD.get(verb)
    return statement if forms is None else forms[_INDEX[mood]] + space + rest


def third_person(text: str) -> str:
    """Given a sentence that begins with a verb in any mood, return it as a statement does; empty
    if it begins with no verb that is known."""
    match = _FIRST.match(text)
    forms = None if match is None else _BY_ANY.get(match[0].lower())
    return "" if match is None or forms is None else forms[1] + text[match.end() :]
