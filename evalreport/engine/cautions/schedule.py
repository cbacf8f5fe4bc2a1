"""Cautions about the schedule: runs that are missing, files that came twice, looks."""

from __future__ import annotations

from collections.abc import Iterator

from evalreport.engine.cautions.declare import Caution, caution
from evalreport.engine.cautions.facts import RunFacts
from evalreport.engine.cautions.wording import counted, listed, name, rows
from evalreport.results.records import LookBlock
from evalreport.spec.series import missed


@caution(
    "missed_runs",
    severity="warning",
    title="Scheduled runs are missing",
    why="what happened in between was not evaluated, and runs in a row are not consecutive",
    read_instead="the history of the series, and the runs made later to fill the gap",
)
def missed_runs(run: RunFacts) -> Iterator[Caution]:
    """Between this run and the one before it in time the cadence asks for others."""
    due = run.due
    if due is None or due.previous is None:
        return
    count = missed(due.cadence, due.previous.time, due.of)
    if count:
        verb = "is" if count == 1 else "are"
        told = f"{counted(count, 'scheduled run')} before this one {verb} missing"
        yield Caution(
            f"{told}: one is due every {due.cadence}, the last one is of "
            f"{_day(due.previous.time)}, this one of {_day(due.of)}.",
            numbers={"missed": count},
            headline=told,
        )


@caution(
    "delivered_again",
    severity="warning",
    title="The same file was delivered again",
    why="rows evaluated before show nothing new, and a course of such runs looks steadier than it "
    "is",
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
            told = f"The file of {name(dataset)} is that of {_day(same[0].time)}, delivered again"
            yield Caution(
                f"{told}: read by run {same[0].run}{others} (sha256 {due.files[dataset][:12]}).",
                dataset=dataset,
                numbers={"runs": len(same)},
                headline=told,
            )


@caution(
    "no_look",
    severity="warning",
    title="This run is not a look",
    why="looks follow in time, and each spends a part of the error; limits of a single run are "
    "not valid over several",
    read_instead="the newest look, which decides, and this run as a part of the history",
)
def no_look(run: RunFacts) -> Iterator[Caution]:
    """The spec asks for looks, and the data are of an earlier time than the newest look."""
    if run.later_look is not None:
        yield Caution(
            f"The newest look is of {_day(run.later_look)}, later than these data: this run is "
            f"not a look, and each criterion is judged on its rows alone, once, by its own bound."
        )


@caution(
    "looks_begun_anew",
    severity="warning",
    title="Looks began anew",
    why="looks before a change of plan or criterion saw the same metric, and their error adds to "
    "that of the looks since",
    read_instead="the looks of the plan that was made first, or rows that no look has seen",
)
def looks_begun_anew(run: RunFacts) -> Iterator[Caution]:
    """A look is at a metric that a run before looked at with another plan or criterion."""
    for look in run.looks:
        if look.instead_of is not None:
            yield Caution(
                f"Looks at {look.text} began anew after run {look.instead_of}, whose looks had "
                "another plan, criterion or account of rows: those are not counted, nor the error "
                "that they spent.",
                look.dataset,
                look.model,
                numbers={"look": look.look},
                headline=f"Looks at {look.text} began anew: earlier ones are not counted",
            )


@caution(
    "same_files",
    severity="warning",
    title="Files of a dataset are the same",
    why="rows that count twice make limits too narrow, and move values towards their own",
    read_instead="the dataset with each file once",
)
def same_files(run: RunFacts) -> Iterator[Caution]:
    """Two files of a folder or pattern have the same bytes."""
    for one in run.inputs:
        # a file that is joined with itself is there once
        names: dict[str, set[str]] = {}
        for file in one.files:
            names.setdefault(file.sha256, set()).add(file.name)
        for alike in (sorted(own) for own in names.values() if len(own) > 1):
            yield Caution(
                f"{listed(alike)} of {name(one.dataset)} are the same byte for byte: each of "
                f"their rows counts {counted(len(alike), 'time')}.",
                one.dataset,
                numbers={"files": len(alike)},
            )


@caution(
    "rows_counted_by_file",
    severity="note",
    title="Looks may count rows of earlier files twice",
    why="rows of an earlier file are not recognised, so rows of a growing file count at every look",
    read_instead="looks with “period: {column: ...}”, or with an “id” and “keep_rows: true”",
)
def rows_counted_by_file(run: RunFacts) -> Iterator[Caution]:
    """The file of a look may hold all rows of the file before it, and nothing tells them apart."""
    told = set()
    for look in run.looks:
        if look.recognised_by != "file" or look.dataset in told or len(look.blocks) < 2:
            continue
        before, newest = look.blocks[-2:]
        if newest.name in look.seen_before or not _may_hold(newest, before):
            continue
        told.add(look.dataset)
        yield Caution(
            f"Look {look.look} counts {rows(look.rows)}, {rows(newest.rows)} of them of this file "
            f"of {name(look.dataset)}. If it has rows of earlier files, they count twice: name "
            "a period column, or keep rows by their id.",
            dataset=look.dataset,
            numbers={"rows": look.rows, "of_this_file": newest.rows},
        )


def _may_hold(newest: LookBlock, before: LookBlock) -> bool:
    """Whether no count of the newer file is below that of the one before."""
    pairs = (
        (newest.rows, before.rows),
        (newest.numerator, before.numerator),
        (newest.denominator, before.denominator),
    )
    return all((new or 0) >= (old or 0) for new, old in pairs)


def _day(of: str) -> str:
    return of.replace("T", " ").replace("Z", " UTC")
