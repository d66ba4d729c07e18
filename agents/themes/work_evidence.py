"""What hermes found out by working, as evidence: tests that turned, documents left behind."""

from __future__ import annotations

from ...memory.drift import MOST_CLOSED, MOST_LIVE, Proposal, State
from ...memory.test_recording import KEPT_EPISODES
from ...memory.test_records import Episode
from ...memory.work import Work
from .records import Evidence, EvidenceKind

_TOLD = (State.OPEN, State.ACCEPTED, State.DISMISSED)
"""What waits for its turn, or went by itself, nobody has seen."""


def gather_tests(work: Work, repo: str, since: int, until: int) -> list[Evidence]:
    """Return the tests that became red, or green again, from ``since`` on and before ``until``."""
    found: list[Evidence] = []
    for episode in work.runs.episodes(repo, limit=KEPT_EPISODES):
        if since <= episode.began < until:
            found.append(_test(episode, int(episode.began), "red", _failed(episode)))
        if since <= episode.ended < until and episode.how == "passed":
            found.append(_test(episode, int(episode.ended), "green", "passes again"))
    return found


def _failed(episode: Episode) -> str:
    return f"fails ({episode.exception})" if episode.exception else "fails"


def _test(episode: Episode, at: int, state: str, note: str) -> Evidence:
    file = episode.test.partition("::")[0]
    paths = dict.fromkeys(path for path in (file, episode.path) if "/" in path or "." in path)
    return Evidence(
        kind=EvidenceKind.TEST,
        ref=f"test:{episode.test}@{episode.id}",
        at=at,
        title=episode.test,
        paths=tuple(paths),
        state=state,
        note=note,
        about=(episode.first_bad,) if episode.first_bad else (),
    )


def gather_drift(work: Work, repo: str, since: int, until: int) -> list[Evidence]:
    """Return the documents that were found left behind, and what a person said to it."""
    found: list[Evidence] = []
    for proposal in work.proposals.find(repo, _TOLD, limit=MOST_LIVE + MOST_CLOSED):
        if since <= proposal.at < until:
            found.append(_drift(proposal, int(proposal.at), "open"))
        if proposal.state is not State.OPEN and since <= proposal.changed < until:
            found.append(_drift(proposal, int(proposal.changed), str(proposal.state)))
    return found


def _drift(proposal: Proposal, at: int, state: str) -> Evidence:
    notes = {
        "open": "was left behind by the code",
        "accepted": "was put right",
        "dismissed": "is right as it is",
    }
    found = proposal.found
    return Evidence(
        kind=EvidenceKind.DRIFT,
        ref=f"D{proposal.id}",
        at=at,
        title=f"{found.document}: {found.name}",
        paths=(found.document,),
        state=state,
        note=notes[state],
        about=(found.commit,) if found.commit else (),
    )
