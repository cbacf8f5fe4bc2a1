"""PQ: the user's own spec on this machine, twice, or against a run that was stored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evalreport.qualify.checks import FAILED, NOT_DONE, PASSED, Finding, Step, judged
from evalreport.qualify.commands import AT, command, files_of
from evalreport.scratch import scratch_folder


def performance(step: Step, spec: Path | None, against: Path | None) -> Iterator[Finding]:
    """The user's spec: the same bytes twice, and those of the stored run where one is given."""
    if spec is None:
        reason = "no spec was given: --spec YOUR.yaml"
        yield Finding("R16", "the user's own spec", "the same bytes", "not asked for", NOT_DONE,
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
