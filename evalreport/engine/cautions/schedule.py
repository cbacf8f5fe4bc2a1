"""Cautions about the schedule: runs that should have come, files that came twice."""

from __future__ import annotations

from collections.abc import Iterator

from evalreport.engine.cautions.declare import Caution, caution
from evalreport.engine.cautions.facts import RunFacts
from evalreport.engine.cautions.wording import counted, name
from evalreport.spec.series import missed


@caution(
    "missed_runs",
    severity="warning",
    title="Runs that should have come are missing",
    why="what happened in between was not looked at, and runs in a row are none",
    read_instead="the history of the series, and the runs that are made up for",
)
def missed_runs(run: RunFacts) -> Iterator[Caution]:
    """Between this run and the one before it in time the cadence asks for others."""
    due = run.due
    if due is None or due.previous is None:
        return
    count = missed(due.cadence, due.previous.of, due.of)
    if count:
        yield Caution(
            f"The run before this one is of {_day(due.previous.of)}, this one of {_day(due.of)}: "
            f"one is due every {due.cadence}, {counted(count, 'run')} between them "
            f"{'is' if count == 1 else 'are'} missing.",
            numbers={"missed": count},
        )


@caution(
    "delivered_again",
    severity="warning",
    title="The same file was delivered again",
    why="rows that were evaluated before tell nothing new, and a course of such runs looks "
    "steadier than it is",
    read_instead="the run that read the file first, and whoever delivers the data",
)
def delivered_again(run: RunFacts) -> Iterator[Caution]:
    """A file has the hash of one that an earlier run of another time in the series read."""
    due = run.due
    for dataset in () if due is None else due.files:
        assert due is not None
        same = due.same(dataset)
        if same:
            others = f", and {counted(len(same) - 1, 'later run')}" if len(same) > 1 else ""
            yield Caution(
                f"The file of {name(dataset)} is the one that run {same[0].run} of "
                f"{_day(same[0].of)} read{others} (sha256 {due.files[dataset][:12]}).",
                dataset=dataset,
                numbers={"runs": len(same)},
            )


def _day(of: str) -> str:
    return of.replace("T", " ").replace("Z", " UTC")
