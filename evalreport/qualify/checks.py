"""One thing that was looked at, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

PASSED, FAILED, NOT_DONE = "passed", "failed", "not_done"

#: Says what is looked at now, and of how many.
Step = Callable[[str, int | None], None]


@dataclass(frozen=True)
class Check:
    """A check by its number: what was looked at, expected and found, and the outcome.

    ``reason`` says why a check was not done, and of one that failed what is wrong by name.
    """

    id: str
    part: str
    requirement: str
    what: str
    expected: str
    found: str
    outcome: str
    source: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Finding:
    """What came of a check, before it has its number."""

    requirement: str
    what: str
    expected: str
    found: str
    outcome: str
    source: str = ""
    reason: str = ""


def judged(
    requirement: str, what: str, expected: object, found: object, reason: str = ""
) -> Finding:
    """A check that passes where what was found is what was expected."""
    outcome = PASSED if expected == found else FAILED
    return Finding(requirement, what, str(expected), str(found), outcome, reason=reason)


def numbered(part: str, findings: Iterator[Finding]) -> Iterator[Check]:
    """The findings of a part as checks, IQ-1, IQ-2 and so on."""
    for number, one in enumerate(findings, 1):
        yield Check(
            f"{part}-{number}",
            part,
            one.requirement,
            one.what,
            one.expected,
            one.found,
            one.outcome,
            one.source,
            one.reason,
        )
