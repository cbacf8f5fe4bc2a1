"""A dataset with sets of labels as one model needs it: the sets, rows that are right, and the rest.

Sets stand in one 0/1 column for each label, or in one column that lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from evalreport.data.completeness import Completeness, accounted, design_gaps
from evalreport.data.design import clusters, duplicate_ids, folds, groups
from evalreport.data.findings import SHOWN_ROWS, Finding, nearest_column, quoted, rows_problem, some
from evalreport.data.labels import (
    Family,
    label_kind,
    look_alikes,
    order_labels,
    unfit_names,
    written,
)
from evalreport.data.roles import Roles, Rules
from evalreport.data.scores import Floats, numbers, outside_unit, weights
from evalreport.data.table import Codes, Mask, Places, RawTable
from evalreport.errors import DataError, LimitError, Location, Problem

Flags = npt.NDArray[np.bool_]

_TRUTH_VALUES = {"0": 0, "0.0": 0, "false": 0, "1": 1, "1.0": 1, "true": 1}
_NO_VALUE = ("", "nan")
#: Files whose empty cell may be an empty list: they cannot tell it from a missing one.
_DELIMITED = (".csv", ".csv.gz", ".tsv", ".tsv.gz")


@dataclass(frozen=True)
class FlagColumns:
    """One 0/1 column per label: ``columns`` maps each label to its column."""

    columns: Mapping[str, str]


@dataclass(frozen=True)
class ListColumn:
    """One column with the labels of a row, set apart by ``separator`` where it is text."""

    column: str
    separator: str


SetColumns: TypeAlias = FlagColumns | ListColumn


@dataclass(frozen=True, eq=False)
class LabelSetColumn:
    """The sets of all rows of a file.

    ``labels``: those the columns stand for, or those that occur in the lists, in order.
    ``flags``: shape (n, labels). ``missing``: which rows lack which column, by its name.
    ``known``: which flags are known, of a column for each label; None where sets are known whole.
    ``empty``: rows of an empty cell that was taken for an empty list.
    """

    labels: tuple[str, ...]
    flags: Flags
    missing: tuple[tuple[str, Mask], ...]
    known: Flags | None = None
    problems: tuple[Problem, ...] = ()
    empty: int = 0


def columns_of(source: SetColumns) -> tuple[str, ...]:
    """Every column that sets are read from."""
    return tuple(source.columns.values()) if isinstance(source, FlagColumns) else (source.column,)


def label_sets(table: RawTable, source: SetColumns) -> LabelSetColumn:
    """Read sets of labels, once per table and source.

    A 0/1 column holds 0, 1, false or true; without a value it is not known whether a row has the
    label. A list is split at the
    separator, without the spaces around each label; a label named twice counts once. An
    empty cell of a csv or tsv file is the empty set; NULL in other formats is missing.
    """
    key = ("sets", columns_of(source), getattr(source, "separator", ""))
    if isinstance(source, FlagColumns):
        return table.once(("flags", tuple(source.columns.items())), lambda: _flags(table, source))
    return table.once(key, lambda: _lists(table, source))


def _flags(table: RawTable, source: FlagColumns) -> LabelSetColumn:
    flags = np.zeros((table.rows, len(source.columns)), np.bool_)
    missing, problems = [], []
    for place, column in enumerate(source.columns.values()):
        codes, values = table.columns[column].factorize()
        states = np.array([*(_truth_value(value) for value in values), -1], np.int8)[codes]
        flags[:, place] = states == 1
        missing.append((column, states == -1))
        wrong = np.flatnonzero(states == -2)
        if len(wrong):
            first = wrong[:SHOWN_ROWS].tolist()
            shown = [quoted(written(values[codes[row]]).text) for row in first]
            problems.append(
                rows_problem(
                    table,
                    f"{column} is neither 0 nor 1",
                    first,
                    "write 1 where the row has the label and 0 where not",
                    shown,
                    len(wrong),
                )
            )
    known = ~np.stack([gone for _, gone in missing], axis=1)
    return LabelSetColumn(tuple(source.columns), flags, tuple(missing), known, tuple(problems))


def _truth_value(value: Any) -> int:
    """0 or 1, -1 where there is no value, -2 for anything else."""
    if isinstance(value, list):
        return -2
    text = written(value).text.casefold()
    return -1 if text in _NO_VALUE else _TRUTH_VALUES.get(text, -2)


def _lists(table: RawTable, source: ListColumn) -> LabelSetColumn:
    codes, values = table.columns[source.column].factorize()
    sets = [tuple(_labels_of(value, source.separator)) for value in values]
    labels = order_labels(label for one in sets for label in one if label)
    place = {label: number for number, label in enumerate(labels)}
    # One more line, without any label, so that -1 (missing) finds one.
    known = np.zeros((len(sets) + 1, len(labels)), np.bool_)
    for number, one in enumerate(sets):
        known[number, [place[label] for label in one if label]] = True
    blank = codes < 0
    delimited = table.name.lower().endswith(_DELIMITED)
    missing = np.zeros_like(blank) if delimited else blank
    return LabelSetColumn(
        labels,
        known[codes],
        ((source.column, missing),),
        problems=_empty_labels(table, source, codes, sets),
        empty=table.count(blank) if delimited else 0,
    )


def _labels_of(value: Any, separator: str) -> Iterator[str]:
    """The labels of one cell; a label without text comes out empty."""
    if isinstance(value, list):
        yield from (str(label) for label in value)
    elif isinstance(value, str):
        if value.strip():
            yield from (part.strip() for part in value.split(separator))
    else:
        yield written(value).text


def _empty_labels(
    table: RawTable, source: ListColumn, codes: Codes, sets: Sequence[tuple[str, ...]]
) -> tuple[Problem, ...]:
    wrong = np.array([*("" in one for one in sets), False], np.bool_)
    rows = np.flatnonzero(wrong[codes])
    if not len(rows):
        return ()
    instead = f"put {quoted(source.separator)} between two labels only"
    what = f"{source.column} lists a label without text"
    return (rows_problem(table, what, rows[:SHOWN_ROWS].tolist(), instead, count=len(rows)),)


Where = Callable[[str], Location | None]

#: Rows times labels above which sets are not held in memory.
MOST_PAIRS = 400_000_000


@dataclass(frozen=True)
class SetRoles:
    """What columns are for, where rows have sets of labels.

    The model gives sets, ``given``, or ``scores``, a column for each label; ``design``
    holds every other role.
    """

    target: SetColumns
    given: SetColumns | None
    scores: Mapping[str, str]
    design: Roles

    def named(self) -> list[tuple[str, str]]:
        """Every (role, column) in a fixed order."""
        found = [("target", column) for column in columns_of(self.target)]
        if self.given is not None:
            found += [("prediction", column) for column in columns_of(self.given)]
        found += [("scores", column) for column in self.scores.values()]
        design = ("id", "weight", "cluster", "fold", "subgroups")
        return found + [(role, column) for role, column in self.design.named() if role in design]


@dataclass(frozen=True, eq=False)
class CheckedSets:
    """The n used rows of a dataset and model with sets of labels.

    ``actual`` and ``predicted`` (None for scores) have shape (n, K), and ``scores`` too. ``known``:
    which labels of which rows are known, in the truth and to the model; None where all are.
    Everything else is as in :class:`evalreport.data.checked.Checked`.
    """

    rows_read: int
    used: Places
    excluded: tuple[tuple[str, int], ...]
    labels: tuple[str, ...]
    label_kind: Family
    actual: Flags
    predicted: Flags | None = None
    scores: Floats | None = None
    known: Flags | None = None
    weight: Floats | None = None
    cluster: tuple[npt.NDArray[np.int64], int] | None = None
    fold: tuple[Codes, tuple[str, ...]] | None = None
    groups: Mapping[str, tuple[Codes, tuple[str, ...]]] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    kinds_read: int | None = None
    times: npt.NDArray[np.int64] | None = None

    @property
    def seen_true(self) -> tuple[str, ...]:
        """Labels that some used row has."""
        return _occurring(self.labels, self.actual)

    @property
    def seen_predicted(self) -> tuple[str, ...]:
        """Labels that some used row is given; none where the model gives scores."""
        return () if self.predicted is None else _occurring(self.labels, self.predicted)


def check_sets(raw: RawTable, roles: SetRoles, rules: Rules, where: Where) -> CheckedSets:
    """Check the columns of sets of labels and give the rows that can be used.

    Raises DataError with every problem found, LimitError for more sets than fit.
    """
    absent = _column_problems(raw, roles, where)
    if absent:
        raise DataError(*absent)
    truth = label_sets(raw, roles.target)
    given = None if roles.given is None else label_sets(raw, roles.given)
    rows = _rows(raw, roles, rules, truth, given)
    problems = [*truth.problems, *(() if given is None else given.problems)]
    numeric = [*roles.scores.values(), *(c for c in roles.design.subgroups if c in raw.bins)]
    problems += [p for column in numeric for p in numbers(raw, column).problems]
    if roles.design.weight is not None:
        problems += weights(raw, roles.design.weight).problems
    design = {"id", "cluster", "fold", "subgroups"}
    problems += unfit_names(raw, [one for one in roles.named() if one[0] in design])
    problems += rows.problems
    if roles.design.id is not None and roles.design.cluster is None and raw.times is None:
        problems += duplicate_ids(raw, roles.design.id)
    if not problems and not len(rows.used):
        told = ", ".join(f"{reason}: {count}" for reason, count in rows.excluded)
        problems.append(
            Problem(
                f"none of {raw.count()} rows can be used ({told})",
                "give rows with a target and a prediction",
                Location(raw.name),
            )
        )
    problems += _label_problems(raw, roles, rules, truth, given, where)
    if problems:
        raise DataError(*problems)
    return _checked(raw, roles, rules, rows, truth, given)


def _column_problems(raw: RawTable, roles: SetRoles, where: Where) -> list[Problem]:
    lists = {s.column for s in (roles.target, roles.given) if isinstance(s, ListColumn)}
    problems = []
    for role, column in dict.fromkeys(roles.named()):
        if column not in raw.header:
            what = f"{raw.name} has no column {quoted(column)} ({role})"
            problems.append(Problem(what, nearest_column(column, raw.header), where(role)))
        elif not raw.columns[column].single and (
            column not in lists or raw.columns[column].kind == "vector"
        ):
            what = f"column {quoted(column)} of {raw.name} ({role}) does not have single values"
            problems.append(Problem(what, "give text, numbers or booleans", where(role)))
    return problems


def _rows(
    raw: RawTable,
    roles: SetRoles,
    rules: Rules,
    truth: LabelSetColumn,
    given: LabelSetColumn | None,
) -> Completeness:
    """Sort rows into used and excluded ones, each under the first reason that holds.

    A row that knows some labels is used for these, unless rows have to be complete.
    """
    exclude = rules.missing == "exclude"
    gaps = [
        (f"{column} is empty", mask)
        for one in (truth, given)
        if one is not None and not (exclude and one.known is not None)
        for column, mask in one.missing
    ]
    known = _known(_labels(roles, rules, truth, given), truth, given) if exclude else None
    if known is not None:
        none = np.asarray(~known.any(axis=1), np.bool_)
        gaps.append(("no label is known", none))
    gaps += [
        (f"{column} is missing", numbers(raw, column).missing)
        for column in (*roles.scores.values(), roles.design.weight)
        if column is not None
    ]
    gaps += design_gaps(raw, roles.design)
    return accounted(raw, gaps, roles.design.weight, exclude)


def _known(
    labels: tuple[str, ...], truth: LabelSetColumn, given: LabelSetColumn | None
) -> Flags | None:
    """Which labels of which rows are known, shape (n, K); None where all are."""
    known = np.ones((len(truth.flags), len(labels)), np.bool_)
    for one in (truth, given):
        if one is not None and one.known is not None:
            known &= _aligned(replace(one, flags=one.known), labels, absent=True)
    return None if known.all() else known


def _label_problems(
    raw: RawTable,
    roles: SetRoles,
    rules: Rules,
    truth: LabelSetColumn,
    given: LabelSetColumn | None,
    where: Where,
) -> list[Problem]:
    """Labels that the truth, the model or the declaration lacks a column for."""
    problems = []
    if rules.indeterminate:
        problems.append(
            Problem(
                "indeterminate predictions are declared for sets of labels",
                "remove `indeterminate`: a label is given or not",
                where("indeterminate"),
            )
        )
    of_model = tuple(roles.scores) or (given.labels if given is not None else ())
    role = "scores" if roles.scores else "prediction"
    every = dict.fromkeys([*rules.declared, *truth.labels, *of_model])
    open_target = isinstance(roles.target, ListColumn)
    open_model = not roles.scores and isinstance(roles.given, ListColumn)
    checks = (
        (open_target, truth.labels, "target", "in the target"),
        (open_model, of_model, role, f"of {role}"),
    )
    for is_open, known, place, words in checks:
        lacking = [label for label in every if label not in known]
        if lacking and not is_open:
            told = some([quoted(label) for label in lacking])
            problems.append(
                Problem(
                    f"{raw.name} has labels without a column {words}: {told}",
                    "give one column per label",
                    where(place),
                )
            )
    if not every:
        problems.append(
            Problem(
                f"no row of {raw.name} has a label", "declare them with `labels`", where("target")
            )
        )
    if len(every) * raw.rows > MOST_PAIRS:
        raise LimitError(
            Problem(
                f"{raw.rows:,} rows with {len(every):,} labels are more than fit in memory",
                f"up to {MOST_PAIRS:,} pairs of a row and a label",
                Location(raw.name),
            )
        )
    return problems


def _checked(
    raw: RawTable,
    roles: SetRoles,
    rules: Rules,
    rows: Completeness,
    truth: LabelSetColumn,
    given: LabelSetColumn | None,
) -> CheckedSets:
    used, design = rows.used, roles.design
    labels = _labels(roles, rules, truth, given)
    known = _known(labels, truth, given)
    known = None if known is None or known[used].all() else known[used]
    scores = None
    if roles.scores:
        scores = np.stack([numbers(raw, roles.scores[x]).values[used] for x in labels], axis=1)
    return CheckedSets(
        rows_read=raw.count() + raw.unselected,
        used=used,
        excluded=rows.excluded,
        labels=labels,
        label_kind=label_kind(labels),
        actual=_aligned(truth, labels)[used],
        predicted=None if given is None else _aligned(given, labels)[used],
        scores=scores,
        known=known,
        weight=None if design.weight is None else weights(raw, design.weight).values[used],
        cluster=None if design.cluster is None else clusters(raw, design.cluster, used),
        fold=None if design.fold is None else folds(raw, design.fold, used),
        groups={column: groups(raw, column, used) for column in design.subgroups},
        findings=tuple(_findings(raw, roles, rules, labels, used, truth, given)),
        times=None if raw.times is None else raw.times[used],
    )


def _labels(
    roles: SetRoles, rules: Rules, truth: LabelSetColumn, given: LabelSetColumn | None
) -> tuple[str, ...]:
    """Declared labels, then those of columns as they are listed, then others in order."""
    sources = ((roles.target, truth.labels), (roles.given, given.labels if given else ()))
    listed = [x for source, own in sources if isinstance(source, FlagColumns) for x in own]
    first = dict.fromkeys([*rules.declared, *listed, *roles.scores])
    rest = {x for _, own in sources for x in own if x not in first}
    return (*first, *order_labels(rest))


def _aligned(column: LabelSetColumn, labels: tuple[str, ...], absent: bool = False) -> Flags:
    """The flags in the order of ``labels``, shape (n, K); ``absent`` for those that never occur."""
    place = {label: number for number, label in enumerate(column.labels)}
    if column.labels == labels:
        return column.flags
    flags = np.full((len(column.flags), len(labels)), absent)
    for number, label in enumerate(labels):
        if label in place:
            flags[:, number] = column.flags[:, place[label]]
    return flags


def _findings(
    raw: RawTable,
    roles: SetRoles,
    rules: Rules,
    labels: tuple[str, ...],
    used: Places,
    truth: LabelSetColumn,
    given: LabelSetColumn | None,
) -> list[Finding]:
    found = list(look_alikes(labels))
    extra = [label for label in labels if label not in rules.declared]
    if rules.declared and extra:
        told = some([quoted(label) for label in extra])
        message = f"The data have classes that are not declared: {told}."
        found.append(Finding("undeclared_class", message, {"labels": extra}))
    for source, column in ((roles.target, truth), (roles.given, given)):
        if column is not None and column.empty and isinstance(source, ListColumn):
            message = (
                f"{column.empty} of {raw.count()} cells of {source.column} are empty: "
                "they are read as rows without any label."
            )
            found.append(Finding("empty_label_sets", message, {"rows": column.empty}))
    for name in roles.scores.values():
        found += numbers(raw, name).findings
        times = None if raw.times is None else raw.times[used]
        found += outside_unit(name, numbers(raw, name).values[used], times)
    return found


def _occurring(labels: tuple[str, ...], flags: Flags) -> tuple[str, ...]:
    return tuple(labels[k] for k in np.flatnonzero(flags.any(axis=0)).tolist())
