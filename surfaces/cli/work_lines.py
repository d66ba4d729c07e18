"""The work of agents as ``hermes status`` shows it: only what wants a look."""

from __future__ import annotations

from .moments import clock
from .tests_lines import sentence
from .text import clean, count, one_line, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .output import Stream

    Found = dict[str, Any]

QUIET = frozenset({"green", "unknown", "never", "nothing", "untrusted", "disabled"})


def work_lines(found: Found, stream: Stream, width: int) -> list[str]:
    """Return a line for each repository whose tests are not green, that has a draft, or whose
    documents drifted; nothing where there is nothing to look at."""
    work: Found = found.get("work") or {}
    said: list[tuple[str, str]] = []
    for each in work.get("tests", ()):
        if each["verdict"] not in QUIET:
            said.append(
                (f"{clean(each['repo_name'])}: {_tests(each).rstrip(':')}: hermes tests", "red")
            )
    for each in work.get("documents", ()):
        amount = count(each["count"], "document")
        said.append((f"{clean(each['repo_name'])}: {amount} drifted: hermes docs", "yellow"))
    for each in work.get("drafts", ()):
        subject = one_line(each["subject"])
        said.append((f"{clean(each['repo_name'])}: a commit message is ready: {subject}", ""))
    if not said:
        return []
    lines = ["", stream.style("Work", "bold")]
    for text, style in said:
        first, *rest = wrap(text, width - 2)
        lines += [
            "  " + stream.style(first, style),
            *("    " + stream.style(line, style) for line in rest),
        ]
    return lines


def answers_line(found: Found, now: float) -> str:
    """Return how many answers were made ahead, and how often such served; empty where neither."""
    work: Found = found.get("work") or {}
    answers: Found = work.get("answers") or {}
    said: list[str] = []
    if answers.get("kept"):
        said.append(f"{answers['kept']} made ahead at {clock(answers['made'], now)}")
    questions: list[Found] = answers.get("questions") or []
    asked = sum(int(each["asked"]) for each in questions)
    if asked:
        served = sum(int(each["served"]) for each in questions)
        said.append(f"{served} of {count(asked, 'question')} in {answers['days']} days met one")
    return "; ".join(said)


def _tests(each: Found) -> str:
    if each["verdict"] != "red":
        return sentence(each["verdict"], one_line(each["detail"]))
    worst = f" ({one_line(each['worst'])})" if each["red"] == 1 else ""
    return f"{count(each['red'], 'test')} red of {each['red'] + each['green']:,}{worst}"
