"""Forgetting, on the worker's side: memory and the themes."""

from __future__ import annotations

from functools import partial

from ..agents.themes.folder import ThemesFolder
from ..agents.themes.forgetting import without
from ..ingest.items import restore
from ..memory import plain
from ..memory.forgetting_rules import RuleKind
from ..memory.memory import Memory
from ..memory.withheld import Stage
from .forgetting import cleaner
from .worker import Fields, Running


def forget_withheld(memory: Memory, themes: ThemesFolder, running: Running) -> Fields:
    """Take out of memory and of the themes what rules name that are not carried out yet, and take
    back those that are to be. Return, by rule, how much that was: no names."""
    lifted = sum(rule.stage is Stage.LIFTING for rule in memory.index.withheld.pending())
    if lifted:  # what a rule kept out of items is to come again
        memory.index.sources.read_again()
    done = memory.forget_withheld(running.progress)
    for rule in memory.index.withheld.pending():
        if rule.kind is RuleKind.SOURCE:  # what its sources know of it is forgotten too
            memory.index.sources.read_again(rule.rule)
    restore(memory)  # what was said in discussions by others, without what was taken out
    pages = 0
    for rule in memory.index.withheld.pending():
        if rule.stage is Stage.AROUND:
            clean = cleaner(memory, rule, plain.read(memory.folder, rule.id))
            gone = memory.index.withheld.gone(rule.id)
            pages += themes.forget(revise=partial(without, gone=gone, clean=clean))
    for rule_id, counts in done.items():
        memory.log.append("forgot", rule=rule_id, commits=counts.commits, items=counts.items)
    counted = {str(rule): counts.told for rule, counts in done.items()}
    return {"rules": counted, "themes": pages, "lifted": lifted}
