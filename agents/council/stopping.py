"""Whether those who are still to be heard can change who wins.

It is asked in a debate, as answers come in. In the first round everybody is heard in any case: a juror
that was not heard can't raise what the others missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from .records import Case, Kind, State
from .verdict import decide

_TIE = 1e-6


def settled(heard: Case, pending: Sequence[float]) -> bool:
    """Given a case of those who have spoken their last word, and the weights of jurors of their own
    who have not, say whether the winner stands whatever they say.

    The winner is the verdict's side. Of a judgment one serious FAIL decides, so nothing but that
    is settled before the last juror. Of a choice the lead must be larger than all that is to come.
    Of an open question any word may draw the sides anew.
    """
    if not pending:
        return True
    verdict = decide(heard)
    if heard.kind is Kind.JUDGMENT:
        return verdict.state is State.FAIL and any(
            one.vote == verdict.vote and one.serious for one in heard.opinions
        )
    if heard.kind is Kind.OPEN or not verdict.side:
        return False
    lead = verdict.sides[0].weight
    next_best = verdict.sides[1].weight if len(verdict.sides) > 1 else 0.0
    return lead > next_best + fsum(pending) + _TIE
