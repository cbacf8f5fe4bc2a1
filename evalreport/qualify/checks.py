"""One thing that was looked at, what came of it, and the requirements that it shows.

Requirements are what the tool has to do, numbered; tests and the checks of ``qualify`` name
the number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

PASSED, FAILED, NOT_DONE = "passed", "failed", "not_done"

#: Says what is looked at now, and of how many.
Step = Callable[[str, int | None], None]


@dataclass(frozen=True)
class Finding:
    """What was looked at, expected and found, and the outcome.

    ``reason`` says why a check was not done, and of one that failed what is wrong by name.
    """

    requirement: str
    what: str
    expected: str
    found: str
    outcome: str
    source: str = ""
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Check(Finding):
    """A finding by its number, in its part."""

    id: str
    part: str


def judged(
    requirement: str, what: str, expected: object, found: object, reason: str = ""
) -> Finding:
    """A check that passes where what was found is what was expected."""
    outcome = PASSED if expected == found else FAILED
    return Finding(requirement, what, str(expected), str(found), outcome, reason=reason)


def numbered(part: str, findings: Iterator[Finding]) -> Iterator[Check]:
    """The findings of a part as checks, IQ-1, IQ-2 and so on."""
    for number, one in enumerate(findings, 1):
        yield Check(id=f"{part}-{number}", part=part, **vars(one))


@dataclass(frozen=True)
class Requirement:
    """A requirement by its number, in one sentence."""

    id: str
    text: str


REQUIREMENTS = (
    Requirement("R1", "Every installed file of the product matches the release."),
    Requirement("R2", "Every dependency has the version that was tested and its own files."),
    Requirement("R3", "Metrics of a classification table agree with published values."),
    Requirement("R4", "Metrics of scores agree with published values."),
    Requirement("R5", "Metrics and averages of several classes agree with published values."),
    Requirement("R6", "Intervals of proportions agree with published limits, method by method."),
    Requirement("R7", "Intervals of other metrics agree with published limits."),
    Requirement("R8", "An undefined value is reported as such with its reason, never as 0."),
    Requirement("R9", "The same spec, data, version and clock give the same bytes."),
    Requirement("R10", "Each outcome of a command has its documented exit status."),
    Requirement("R11", "Hostile specs, data and models are refused without running anything."),
    Requirement("R12", "An altered run is found by verify, and what was altered is named."),
    Requirement("R13", "A run makes no request to anywhere."),
    Requirement("R14", "Every row is used, or excluded for a reason that is counted."),
    Requirement("R15", "The PDF is made on this machine, by the shipped fonts, as PDF/A."),
    Requirement("R16", "The user's own spec gives the same bytes on this machine."),
    Requirement("R17", "A sealed run cannot change unseen without the key."),
    Requirement("R18", "A run records its model, data, spec, version and time."),
)
