"""The whole qualification, as data of one kind: parts, checks, the machine, what came of it.

One part of it stands here, PQ: the user's own spec on this machine, twice, or against a run that
was stored.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evalreport.qualify.checks import (
    FAILED,
    NOT_DONE,
    PASSED,
    REQUIREMENTS,
    Check,
    Finding,
    Step,
    judged,
    numbered,
)
from evalreport.qualify.commands import AT, command, files_of
from evalreport.qualify.installation import installation, tested_versions
from evalreport.scratch import scratch_folder
from evalreport.version import __version__

SCHEMA = "evalreport/qualification/1"
PARTS = {
    "IQ": "Installation: what is installed, against what was released and tested",
    "OQ": "Operation: cases with known answers, and the command itself, on this machine",
    "PQ": "Performance: the user's own spec",
}


@dataclass(frozen=True)
class Qualification:
    """Everything that was looked at, when, on what machine."""

    at: str
    clock: str
    machine: dict[str, str]
    spec: dict[str, str] | None
    checks: tuple[Check, ...]

    @property
    def outcome(self) -> str:
        """``failed`` where a check failed, else ``passed``."""
        return FAILED if any(one.outcome == FAILED for one in self.checks) else PASSED

    def as_json(self) -> dict[str, Any]:
        """All of it as plain data, with the matrix of requirements and checks."""
        return {
            "schema": SCHEMA,
            "version": __version__,
            "at": self.at,
            "clock": self.clock,
            "machine": self.machine,
            "tested_with_python": tested_versions()[1],
            "spec": self.spec,
            "outcome": self.outcome,
            "parts": [
                {
                    "part": part,
                    "title": title,
                    **_counts(one for one in self.checks if one.part == part),
                }
                for part, title in PARTS.items()
            ],
            "requirements": list(self._matrix()),
            "checks": [asdict(one) for one in self.checks],
        }

    def _matrix(self) -> Iterator[dict[str, Any]]:
        """Each requirement with the checks that look at it and what came of them."""
        for requirement in REQUIREMENTS:
            own = [one for one in self.checks if one.requirement == requirement.id]
            yield {
                "id": requirement.id,
                "text": requirement.text,
                "checks": [one.id for one in own],
                **_counts(own),
            }


def _counts(checks: Iterable[Check]) -> dict[str, int]:
    outcomes = [one.outcome for one in checks]
    return {outcome: outcomes.count(outcome) for outcome in (PASSED, FAILED, NOT_DONE)}


def qualify(
    at: str,
    clock: str,
    step: Step,
    spec: Path | None = None,
    against: Path | None = None,
    parts: Collection[str] = tuple(PARTS),
) -> Qualification:
    """Look at everything, or at some parts. ``at``, ``clock``: the time, and where it is from.

    Raises FilesError where the user's spec cannot be read; whatever else goes wrong, code that
    cannot even be loaded included, is a check that failed.
    """
    known = None
    if spec is not None:
        from evalreport.runs.hashing import record_file

        known = {"name": spec.name, "sha256": record_file(spec).sha256}
    looking: dict[str, Callable[[], Iterator[Finding]]] = {
        "IQ": lambda: installation(step),
        "OQ": lambda: _operation(step, at),
        "PQ": lambda: _performance(step, spec, against),
    }
    checks: list[Check] = []
    for part, look in looking.items():
        asked = part in parts
        checks += numbered(part, _guarded(part, look) if asked else iter([_left_out(part)]))
    return Qualification(at, clock, machine(), known, tuple(checks))


# What the other parts need is loaded when it is their turn: an install that is damaged must
# still be able to say where.


def _operation(step: Step, at: str) -> Iterator[Finding]:
    from evalreport.qualify.commands import commands
    from evalreport.qualify.reference import reference

    yield from reference(step, at)
    yield from commands(step)


def _performance(step: Step, spec: Path | None, against: Path | None) -> Iterator[Finding]:

    yield from performance(step, spec, against)


def _guarded(part: str, look: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """The findings of a part; where it breaks off, that is a check that failed."""
    try:
        yield from look()
    except Exception as error:  # noqa: BLE001  # whatever a damaged install does
        reason = f"{type(error).__name__}: {error}"
        yield Finding(_OF[part], f"the rest of {part}", "carried out", "broken off", FAILED,
                      reason=reason)  # fmt: skip


#: The requirement that a part stands for where it is not carried out.
_OF = {"IQ": "R1", "OQ": "R3", "PQ": "R16"}


def _left_out(part: str) -> Finding:
    return Finding(_OF[part], f"all of {part}", "every check", "not requested", NOT_DONE,
                   reason="left out by --parts")  # fmt: skip


def machine() -> dict[str, str]:
    """What the machine is like; no name of it, of a user or of a folder."""
    return {
        "system": f"{platform.system()} {platform.release()}",
        "processor": platform.machine(),
        "processors": str(os.cpu_count() or "unknown"),
        "c library": " ".join(platform.libc_ver()) or "unknown",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "byte order": sys.byteorder,
    }


def performance(step: Step, spec: Path | None, against: Path | None) -> Iterator[Finding]:
    """The user's spec: the same bytes twice, and those of the stored run where one is given."""
    if spec is None:
        reason = "no spec was given: --spec YOUR.yaml"
        yield Finding("R16", "the user's own spec", "the same bytes", "not requested", NOT_DONE,
                      reason=reason)  # fmt: skip
        return
    if against is not None:
        step("making the stored run again", None)
        yield _stored(spec, against)
        return
    step("making the user's run twice", None)
    with scratch_folder() as scratch:
        folder = Path(scratch)
        ended = [_run(spec, folder / runs) for runs in ("first", "second")]
        files = [files_of(folder / runs / "latest") for runs in ("first", "second")]
    for place, (status, said) in enumerate(ended, 1):
        # A criterion that is not met is a finding of the user's study, not of the tool.
        what = f"run {place} of the user's spec"
        yield judged("R16", what, "0 or 1", "0 or 1" if status in (0, 1) else str(status), said)
    first, second = files
    other = [name for name in sorted(first | second) if first.get(name) != second.get(name)]
    same = bool(first) and not other
    yield Finding(
        "R16",
        "the user's spec twice",
        "the same bytes",
        f"{len(first)} files the same" if same else f"{len(other)} files differ",
        PASSED if same else FAILED,
        reason="" if same else f"differing files: {', '.join(other) or 'no run was made'}",
    )


def _run(spec: Path, runs: Path) -> tuple[int, str]:
    done = command(spec.resolve().parent, "run", spec.resolve(), "-o", runs, "--at", AT, "--quiet")
    return done.status, done.said


def _stored(spec: Path, against: Path) -> Finding:
    """The stored run verified and made again, byte by byte, at its own time."""
    done = command(spec.resolve().parent, "verify", against.resolve(), "--rerun",
                   "--spec", spec.resolve())  # fmt: skip
    expected = "the same bytes as the stored run"
    found = "the same bytes" if done.status == 0 else f"verify --rerun ended with {done.status}"
    outcome = PASSED if done.status == 0 else FAILED
    reason = "" if outcome == PASSED else done.said.strip()
    return Finding("R16", "the user's stored run", expected, found, outcome, reason=reason)
