"""Cautions about subgroups: too small, without a class, of unknown category, or spelled alike."""

from __future__ import annotations

from collections.abc import Iterator

from evalreport.data.labels import alike_groups, differing_text
from evalreport.engine.cautions.declare import Caution, caution_of_views
from evalreport.engine.cautions.facts import RunFacts
from evalreport.engine.cautions.wording import (
    counted,
    listed,
    name,
    number,
    part,
    percent,
)
from evalreport.plan.inputs import MANY_GROUPS
from evalreport.predict.view import View
from evalreport.results.identity import Slice

#: Fewer rows than this make a subgroup tiny.
TINY = 30
#: Above this share the unknown category may change what is said of the known ones.
MANY_UNKNOWN = 0.05
#: How an empty subgroup value is called.
UNKNOWN = "(missing)"


@caution_of_views(
    "tiny_subgroup",
    unless=("few_rows",),
    severity="warning",
    title="A subgroup has fewer than 30 rows",
    why="on under 30 rows a subgroup's value differs from the rest by chance alone",
    read_instead="the interval of the subgroup, and whether it leaves room for a difference",
)
def tiny_subgroup(run: RunFacts, view: View) -> Iterator[Caution]:
    """A subgroup has fewer than 30 rows."""
    sizes = _subgroup_rows(run, view)
    tiny = sorted((n, _called(where)) for where, n in sizes.items() if n < TINY)
    if tiny:
        verb = "has" if len(tiny) == 1 else "have"
        named = listed(f"{called} ({number(n)})" for n, called in tiny)
        yield Caution(
            f"{number(len(tiny))} of {counted(len(sizes), 'subgroup')} {verb} fewer than "
            f"{TINY} rows: {named}.",
            numbers={"subgroups": len(tiny), "fewest": tiny[0][0]},
        )


@caution_of_views(
    "many_subgroups",
    severity="warning",
    title="A column divides the rows into very many subgroups",
    why="of dozens of groups some are far off by chance alone, most have few rows, and each "
    "multiplies what is computed and printed",
    read_instead="a coarser column, bins of a number, or the tests of any difference at all",
)
def many_subgroups(run: RunFacts, view: View) -> Iterator[Caution]:
    """A column, or a crossing of columns, has two dozen groups or more; periods aside."""
    by_columns: dict[tuple[str, ...], list[int]] = {}
    for where, rows in _subgroup_rows(run, view).items():
        by_columns.setdefault(tuple(column for column, _ in where.subgroup), []).append(rows)
    for columns, sizes in by_columns.items():
        if len(sizes) >= MANY_GROUPS and not run.periods.intersection(columns):
            told = " and ".join(map(name, columns))
            yield Caution(
                f"{told} makes {number(len(sizes))} subgroups, of {number(min(sizes))} to "
                f"{number(max(sizes))} rows.",
                numbers={"subgroups": len(sizes), "fewest": min(sizes)},
            )


@caution_of_views(
    "subgroup_lacks_class",
    whole_table=True,
    severity="warning",
    title="A subgroup has no rows of a class",
    why="without rows of a class its recall, and whatever needs every class, is undefined",
    read_instead="the counts of the subgroup; what is undefined is not a sign of a difference",
)
def subgroup_lacks_class(run: RunFacts, view: View) -> Iterator[Caution]:
    """A class that occurs in the data has no row in a subgroup."""
    overall = run.class_rows(view)
    lacking: dict[str, int] = {}
    subgroups: dict[Slice, None] = {}
    for record in run.subgroup_tables(view):
        subgroups[record.where] = None
        totals = run.matrix(record).row_totals
        absent = [k for k, n in enumerate(overall) if n and not totals[k]]
        if absent and record.table.rows:
            labels = listed(name(view.labels[k]) for k in absent)
            lacking.setdefault(f"{_called(record.where)} (no {labels})", len(absent))
    if lacking:
        verb = "lacks" if len(lacking) == 1 else "lack"
        yield Caution(
            f"{number(len(lacking))} of {counted(len(subgroups), 'subgroup')} {verb} a class: "
            f"{listed(lacking)}.",
            numbers={"subgroups": len(lacking)},
        )


@caution_of_views(
    "unknown_category",
    severity="warning",
    title="Many rows have no value in a subgroup column",
    why="if the unknown rows were known, the results of the other groups could change",
    read_instead="the results of the group (missing) beside the others",
)
def unknown_category(_run: RunFacts, view: View) -> Iterator[Caution]:
    """More than 5 % of the rows have no value in a subgroup column."""
    for column in view.group_columns:
        unknown = view.group_rows(column).get(UNKNOWN, 0)
        if unknown > MANY_UNKNOWN * view.rows:
            yield Caution(
                f"{part(unknown, view.rows)} rows ({percent(unknown / view.rows)}) have no "
                f"{name(column)}.",
                numbers={"unknown": unknown, "rows": view.rows},
            )


@caution_of_views(
    "look_alike_groups",
    severity="warning",
    title="Values of a subgroup column look alike",
    why="groups that one spelling would make one are judged apart, on fewer rows each",
    read_instead="the counts of both, and the data with one spelling per group",
)
def look_alike_groups(run: RunFacts, view: View) -> Iterator[Caution]:
    """A reader could take values of a subgroup column for one: m and M, or a blank behind it."""
    for column in view.group_columns:
        if column not in run.periods and (groups := alike_groups([*view.group_rows(column)])):
            yield Caution(
                f"Values of {name(column)} look alike but are different groups: "
                f"{listed(map(differing_text, groups))}.",
                numbers={"groups": len(groups)},
            )


def _subgroup_rows(run: RunFacts, view: View) -> dict[Slice, int]:
    """Rows of each subgroup, as its measures and tables count them."""
    sizes: dict[Slice, int] = {}
    for m in run.sliced(view):
        sizes.setdefault(m.where, m.n)
    for record in run.subgroup_tables(view):
        sizes.setdefault(record.where, record.table.rows)
    return sizes


def _called(where: Slice) -> str:
    return ", ".join(f"{name(column)} = {name(value)}" for column, value in where.subgroup)
