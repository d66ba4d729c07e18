"""What a model's sentence may say of its fact, and what it may not."""

from __future__ import annotations

import pytest

from hermes.agents.brief.grounded import problems
from hermes.agents.brief.records import Fact, Reference, Section

BRANCH = Fact(
    "b",
    Section.HALF_DONE,
    "feature/retry: 3 commits not pushed, the last one from Tuesday: Back off between tries",
    (Reference("commit", "3f2a9c1"), Reference("ticket", "ENG-17")),
)
REVIEW = Fact("r", Section.OVERNIGHT, "Ana Lima reviewed Bo Chen's 2 commits in shop/cart.py")

PULL = Fact(
    "item:github:acme/shop#482",
    Section.OVERNIGHT,
    "Kim Noor asked for changes on your #482 “Count in Redis”; Lea Brandt approved; 1 comment in"
    " shop/limiter.py",
    (Reference("pull", "#482"), Reference("path", "shop/limiter.py")),
)
QUESTION = Fact(
    "item:slack:C024/17",
    Section.OVERNIGHT,
    "Kim Noor asks you in #payments “can the limiter count in Redis?”",
    (Reference("thread", "slack:C024/17"),),
)


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (BRANCH, "feature/retry has 3 commits not pushed: Back off between tries."),
        (BRANCH, "You have 3 commits on feature/retry that are not pushed."),
        (BRANCH, "feature/retry: three commits not pushed, the last one from Tuesday"),
        (BRANCH, BRANCH.text),
        (REVIEW, "Ana Lima reviewed 2 commits in shop/cart.py."),
        (REVIEW, "Ana Lima reviewed Bo Chen's 2 commits."),
        (PULL, "Kim Noor asked for changes on #482 “Count in Redis”; Lea Brandt approved."),
        (QUESTION, "Kim Noor asks in #payments “can the limiter count in Redis?”"),
    ],
)
def test_a_sentence_of_the_facts_own_words_may_stand(fact: Fact, said: str) -> None:
    assert problems(said, fact) == []


@pytest.mark.parametrize(
    ("fact", "said", "problem"),
    [
        (BRANCH, "feature/retry has 3 commits pushed: Back off between tries.", "'not' is gone"),
        (PULL, "Kim Noor approved #482 “Count in Redis”; 1 comment in shop/limiter.py.", "gone"),
        (PULL, "Kim Noor approved #482 “Count in Redis”; Lea Brandt asked for changes.", "order"),
        (PULL, "Kim Noor asked for changes on #483 “Count in Redis”.", "not in the fact"),
        (PULL, "Sam Ito asked for changes on #482 “Count in Redis”.", "not in the fact"),
        (QUESTION, "Kim Noor asks you in #eng “can the limiter count in Redis?”", "#eng"),
        (BRANCH, "feature/retry has 4 commits not pushed.", "'4' is not in the fact"),
        (BRANCH, "feature/cart has 3 commits not pushed.", "not in the fact"),
        (BRANCH, "feature/retry (ENG-18) has 3 commits not pushed.", "'ENG-18' is not in"),
        (BRANCH, "feature/retry has 3 commits not pushed, see #482.", "'#482' is not in the fact"),
        (BRANCH, "feature/retry [3f2a9c2] has 3 commits not pushed.", "not in the fact"),
        (BRANCH, "feature/retry has 3 commits not pushed in shop/queue.py.", "shop/queue.py"),
        (BRANCH, "feature/retry has 3 commits not pushed because of a conflict.", "'because'"),
        (BRANCH, "feature/retry has 3 great commits not pushed.", "'great'"),
        (BRANCH, "Some commits are not pushed.", "'some'"),
        (BRANCH, "The last one is not pushed.", "most of the fact's names"),
        (BRANCH, "Push.", "it has 5 characters"),
        (BRANCH, "feature/retry: 3 commits not pushed " * 6, "characters"),
        (BRANCH, "feature/retry: 3 commits\nnot pushed", "one line"),
        (BRANCH, "feature/retry: 3 \x1b[31mcommits not pushed", "one line"),
        (BRANCH, "**feature/retry**: 3 commits not pushed", "one line"),
        (BRANCH, "feature/retry has 3 tries not pushed, between commits.", "counts something else"),
        (REVIEW, "Bo Chen reviewed Ana Lima's 2 commits in shop/cart.py", "another place"),
        (REVIEW, "Ana Lima didn't review Bo Chen's 2 commits in shop/cart.py", "'didn"),
        (REVIEW, "Eve Lima reviewed Bo Chen's 2 commits in shop/cart.py", "'eve'"),
    ],
)
def test_a_sentence_that_says_anything_else_may_not(fact: Fact, said: str, problem: str) -> None:
    assert problem in "; ".join(problems(said, fact))
