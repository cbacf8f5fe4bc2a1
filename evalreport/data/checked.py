"""A dataset as one model needs it: its classes, rows that are complete and right, and the rest.

The classes are the declared, true and predicted labels in one set. Every row that is not used
is accounted for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.data.completeness import (
    Completeness,
    Groups,
    Lost,
    complete_but_for_labels,
    completeness,
    lost_places,
    lost_rows,
)
from evalreport.data.design import (
    Readings,
    clusters,
    column_problems,
    duplicate_ids,
    folds,
    groups,
    reading_problems,
    readings,
)
from evalreport.data.findings import Finding, quoted, some
from evalreport.data.known_labels import Labels, labels_known
from evalreport.data.label_column import LabelColumn, label_column, texts
from evalreport.data.label_hints import misspelt, one_name, too_many
from evalreport.data.labels import (
    Family,
    LabelSet,
    Written,
    clashes,
    label_kind,
    look_alikes,
    matcher,
    order_labels,
    positive_index,
    unfit_names,
    value_of,
)
from evalreport.data.limits import MOST_CLASSES, MOST_GROUPS, limit_distinct
from evalreport.data.roles import Roles, Rules
from evalreport.data.sampling import pool_of, sampling_problems, with_sample
from evalreport.data.scores import Floats, numbers, outside_unit, sums_to_one, weights, with_columns
from evalreport.data.table import Array, Chosen, Codes, Places, RawTable
from evalreport.errors import DataError, Location, Problem, did_you_mean
from evalreport.statistics.design_based import Sample

_ALIKE = "declare every class with `labels`"


@dataclass(frozen=True, eq=False)
class Classes:
    """The label set, and codes of the used rows into it (K + j: the j-th indeterminate).

    ``lost``: codes of the rows that lack something, -1 where it is missing.
    """

    labels: LabelSet
    actual: Codes
    predicted: Codes | None
    findings: tuple[Finding, ...]
    lost: tuple[Codes, Codes | None]


def classes(
    table: RawTable,
    roles: Roles,
    rules: Rules,
    columns: tuple[LabelColumn, LabelColumn | None],
    used: Chosen,
    lost: Array,
) -> Classes:
    """Union of declared labels (their order first) and those seen in the used rows.

    Unless classes are declared, those that the table knows from anything else are there too.
    ``lost`` are rows left out for what they lack: they get codes.

    Raises DataError where one class seems to be written in several ways, or where the
    truth holds an indeterminate label.
    """
    truth, prediction = columns
    named = tuple(dict.fromkeys([*rules.declared, *_named(rules), *roles.scores]))
    true = _labels_used(truth, used)
    predicted = [] if prediction is None else _labels_used(prediction, used)
    called = tuple(dict.fromkeys([*named, *rules.label_names.values()]))
    find = matcher([*called, *rules.indeterminate])
    unsure = frozenset(rules.indeterminate)
    kept = [label for label in predicted if find(label) not in unsure]
    problems = _mistakes(table, roles, rules, {"target": truth, "prediction": prediction})
    problems += _clashes(table, columns, [*true, *kept], called)
    surely, perhaps = misspelt(table, roles, rules)
    problems += surely
    if problems:
        raise DataError(*problems)
    seen = {find(label): label.family for label in [*true, *kept]}
    together = set(named) | set(seen)
    if not rules.declared:
        values = {value_of(label) for label in [*true, *kept, *map(Written, named)]}
        together |= {text for text in table.classes if value_of(Written(text)) not in values}
    kind = label_kind(together, seen.values())
    others = order_labels(together - set(rules.declared), kind)
    labels = LabelSet((*rules.declared, *others), kind)
    code = {text: number for number, text in enumerate([*labels.labels, *rules.indeterminate])}
    return Classes(
        labels,
        _codes(truth, used, find, code),
        None if prediction is None else _codes(prediction, used, find, code),
        (
            *_undeclared(rules, seen),
            *_unseen(dict.fromkeys(map(find, true)), dict.fromkeys(map(find, truth.labels))),
            *look_alikes(labels.labels),
            *perhaps,
        ),
        (
            _codes(truth, lost, find, code),
            None if prediction is None else _codes(prediction, lost, find, code),
        ),
    )


def _named(rules: Rules) -> list[str]:
    return [rules.positive["label"]] if isinstance(rules.positive, Mapping) else []


def _labels_used(column: LabelColumn, used: Chosen) -> list[Written]:
    present = np.bincount(column.codes[used], minlength=len(column.labels)) > 0
    return [label for label, there in zip(column.labels, present, strict=True) if there]


def _codes(
    column: LabelColumn, used: Chosen, find: Callable[[Written], str], code: Mapping[str, int]
) -> Codes:
    # A label that occurs in no used row has no code; the last entry is that of a missing one.
    target = (*(code.get(find(label), -1) for label in column.labels), -1)
    if isinstance(used, slice):
        return column.coded(target)[used]
    return np.array(target, np.int32)[column.codes[used]]


def _mistakes(
    table: RawTable, roles: Roles, rules: Rules, columns: Mapping[str, LabelColumn | None]
) -> list[Problem]:
    truth = columns["target"]
    assert truth is not None
    both = [t for t in rules.indeterminate if t in rules.declared or t in _named(rules)]
    problems = [
        Problem(
            f"{quoted(label)} is declared as a class and as indeterminate",
            "choose one",
            Location(table.name),
        )
        for label in both
    ]
    find = matcher(rules.indeterminate)
    for label in truth.labels:
        if find(label) in rules.indeterminate:
            row = truth.first_row(label) or 0
            problems.append(
                Problem(
                    f"the indeterminate label {quoted(label.text)} is in the truth "
                    f"({roles.target}, {table.row_name(row)})",
                    "only predictions can be indeterminate",
                    table.where(row),
                )
            )
    return problems


def _clashes(
    table: RawTable,
    columns: tuple[LabelColumn, LabelColumn | None],
    labels: list[Written],
    named: tuple[str, ...],
) -> list[Problem]:
    return [
        Problem(
            "one class seems to be written in several ways: "
            + some([_spelling(table, columns, label) for label in group]),
            f"{one_name(group, named)}; or, where they are separate classes, {_ALIKE}",
            Location(table.name),
        )
        for group in clashes(labels, named)
    ]


def _spelling(
    table: RawTable, columns: tuple[LabelColumn, LabelColumn | None], label: Written
) -> str:
    rows = (column.first_row(label) for column in columns if column is not None)
    first = next((row for row in rows if row is not None), None)
    place = "declared" if first is None else table.row_name(first)
    return f"{quoted(label.text)} ({label.family}, {place})"


def _undeclared(rules: Rules, seen: Mapping[str, object]) -> list[Finding]:
    extra = [text for text in seen if text not in rules.declared]
    if not rules.declared or not extra:
        return []
    extra = list(order_labels(extra))
    message = f"The data have classes that are not declared: {some([quoted(t) for t in extra])}."
    return [Finding("undeclared_class", message, {"labels": extra})]


def _unseen(true: Mapping[str, object], every: Mapping[str, object]) -> list[Finding]:
    """A finding on classes of excluded rows that no used row has."""
    lost = [label for label in order_labels(every) if label not in true]
    if not lost:
        return []
    told = some([quoted(label) for label in lost])
    message = f"Labels occur only in excluded rows: {told}."
    return [Finding("class_only_excluded", message, {"labels": lost})]


Where = Callable[[str], Location | None]


@dataclass(frozen=True, eq=False)
class Checked:
    """The n used rows of a dataset and model, of ``rows_read`` in the file.

    ``used``: index of each in the file. ``excluded``: (reason, count), disjoint, so
    rows_read = n + the counts. ``actual``: codes into ``labels``; ``predicted`` too, with
    K + j for the j-th indeterminate label. ``class_scores``: shape (n, K). ``cluster``:
    codes and their number. ``fold`` and ``groups``: codes and names. ``positive``: an
    index, None with more than two classes. ``lost``: what is known of rows that lack a
    target or a prediction. ``sample``: how the rows were drawn, where that is declared.
    ``known``: the labels of all rows of the file. ``readings``: who read which case, of every
    row of the file. ``kinds_read``: rows of the file, where each stands for several of those
    that are counted. ``times``: how many rows each of the n stands for, where rows were
    counted; None where each is one.
    """

    rows_read: int
    used: Places
    excluded: tuple[tuple[str, int], ...]
    labels: tuple[str, ...]
    label_kind: Family
    positive: int | None
    actual: Codes
    predicted: Codes | None = None
    score: Floats | None = None
    class_scores: Floats | None = None
    weight: Floats | None = None
    cluster: tuple[npt.NDArray[np.int64], int] | None = None
    fold: tuple[Codes, tuple[str, ...]] | None = None
    groups: Mapping[str, tuple[Codes, tuple[str, ...]]] = field(default_factory=dict)
    indeterminate: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    seen_true: tuple[str, ...] = ()
    seen_predicted: tuple[str, ...] = ()
    known: Labels = field(default_factory=Labels)
    lost: Lost | None = None
    sample: Sample | None = None
    readings: Readings | None = None
    kinds_read: int | None = None
    times: npt.NDArray[np.int64] | None = None
    _ids: tuple[Codes, tuple[str, ...]] | None = None

    @cached_property
    def ids(self) -> npt.NDArray[Any] | None:
        """The id of each row as text, shape (n,); None where no id is declared."""
        if self._ids is None:
            return None
        codes, names = self._ids
        return np.array(names, object)[codes[self.used]]


def _nowhere(_: str) -> Location | None:
    return None


def check(raw: RawTable, roles: Roles, rules: Rules, where: Where = _nowhere) -> Checked:
    """Check the columns of a model and give the rows that can be used.

    ``where`` tells where the spec gives a role (``target``, ``score``, ...), for messages
    about columns that are not there. Raises DataError with every problem found, LimitError
    for more classes or groups than a report can hold.
    """
    absent = column_problems(raw, roles, where)
    if absent:
        raise DataError(*absent)
    _limit(raw, roles)
    raw, roles = with_columns(raw, roles, rules)
    rows = completeness(raw, roles, rules.missing == "exclude")
    problems = [*unfit_names(raw, roles.named()), *_number_problems(raw, roles), *rows.problems]
    problems += sampling_problems(raw, roles)
    problems += reading_problems(raw, roles, rows.used)
    if roles.id is not None and roles.cluster is None and raw.times is None:
        problems += duplicate_ids(raw, roles.id)
    if not problems and not len(rows.used):
        problems.append(_nothing_left(raw, rows))
    found: Classes | None = None
    try:
        found = _classes(raw, roles, rules, rows)
    except DataError as error:
        problems += error.problems
    if found is not None:
        problems += _model_problems(raw, roles, rules, rows, found, where)
    if problems:
        raise DataError(*problems)
    assert found is not None
    checked = _checked(raw, roles, rules, rows, found)
    if roles.sampling is None:
        return checked
    pool = pool_of(raw, roles, complete_but_for_labels(raw, roles))
    return with_sample(checked, raw, roles, pool)


def _limit(raw: RawTable, roles: Roles) -> None:
    for column in (roles.target, roles.prediction):
        if column is not None:
            found = len(label_column(raw, column).labels)
            limit_distinct(raw.name, f"{column}, a column of labels,", found, MOST_CLASSES)
    for column in (c for c in roles.subgroups if c not in raw.bins):
        found = len(texts(raw, column)[1])
        limit_distinct(raw.name, f"{column}, a subgroup,", found, MOST_GROUPS)


def _classes(raw: RawTable, roles: Roles, rules: Rules, rows: Completeness) -> Classes:
    truth = label_column(raw, roles.target)
    predicted = None if roles.prediction is None else label_column(raw, roles.prediction)
    lost = lost_places(raw, roles)
    return classes(raw, roles, rules, (truth, predicted), rows.chosen(raw), lost)


def _number_problems(raw: RawTable, roles: Roles) -> list[Problem]:
    columns = [c for c in (roles.score, roles.margin, *roles.scores.values()) if c is not None]
    columns += [c for c in roles.subgroups if c in raw.bins]
    problems = [problem for column in columns for problem in numbers(raw, column).problems]
    if roles.weight is not None:
        problems += weights(raw, roles.weight).problems
    return problems


def _nothing_left(raw: RawTable, rows: Completeness) -> Problem:
    reasons = ", ".join(f"{reason}: {count}" for reason, count in rows.excluded)
    return Problem(
        f"none of {raw.count()} rows can be used ({reasons})",
        "give rows with a target and a prediction",
        Location(raw.name),
    )


def _unknown_positive(
    raw: RawTable, roles: Roles, rules: Rules, labels: tuple[str, ...], where: Where
) -> Problem | None:
    """A positive class that no row, declaration or score names, beside two that rows do.

    With one other class it may be a class that did not occur this time; as a third it
    would silently turn an evaluation of two classes into one of three.
    """
    if not isinstance(rules.positive, Mapping):
        return None
    label = rules.positive["label"]
    others = [other for other in labels if other != label]
    columns = [label_column(raw, c) for c in (roles.target, roles.prediction) if c is not None]
    find = matcher(labels)
    seen = {find(written) for column in columns for written in column.labels}
    if label in seen or label in rules.declared or label in roles.scores or len(others) < 2:
        return None
    return Problem(
        f"the positive class {quoted(label)} is not a class of {raw.name}",
        did_you_mean(label, others, "classes"),
        where("positive"),
    )


def _model_problems(
    raw: RawTable, roles: Roles, rules: Rules, rows: Completeness, found: Classes, where: Where
) -> list[Problem]:
    labels = found.labels.labels
    names = some([quoted(label) for label in labels])
    unknown = _unknown_positive(raw, roles, rules, labels, where)
    if unknown is not None:
        return [unknown]
    if (roles.score or roles.margin) and len(labels) > 2:
        role = "score" if roles.score else "margin"
        strays, hint = too_many(raw, roles, rules, labels)
        return [
            Problem(
                f"a {role} needs two classes, {raw.name} has {len(labels)}: {names}; too many: "
                f"{strays}",
                f"{hint}; or use `scores: {{class: column, ...}}` or `prediction`",
                where(role),
            )
        ]
    if not roles.scores:
        return []
    without = [label for label in labels if label not in roles.scores]
    if without:
        told = some([quoted(label) for label in without])
        return [
            Problem(
                f"{raw.name} has classes without a column of scores: {told}",
                "give one column per class",
                where("scores"),
            )
        ]
    return sums_to_one(raw, list(roles.scores.values()), rows.used)


def _checked(
    raw: RawTable, roles: Roles, rules: Rules, rows: Completeness, found: Classes
) -> Checked:
    used = rows.chosen(raw)
    labels, positive, actual, findings = _two_classes(roles, rules, found)
    single = roles.score or roles.margin
    scored = [c for c in (single, *roles.scores.values()) if c is not None]
    findings += [f for column in scored for f in numbers(raw, column).findings]
    if roles.margin is None:
        times = None if raw.times is None else raw.times[used]
        own = ((c, numbers(raw, c).values[used]) for c in scored)
        findings += [f for column, values in own for f in outside_unit(column, values, times)]
    in_groups = {column: groups(raw, column, used) for column in roles.subgroups}
    return Checked(
        rows_read=raw.count() + raw.unselected,
        used=rows.used,
        excluded=rows.excluded,
        labels=labels.labels,
        label_kind=labels.kind,
        positive=positive,
        actual=actual,
        predicted=found.predicted,
        score=None if single is None else numbers(raw, single).values[used],
        class_scores=_class_scores(raw, roles, labels, used),
        weight=None if roles.weight is None else weights(raw, roles.weight).values[used],
        cluster=None if roles.cluster is None else clusters(raw, roles.cluster, used),
        fold=None if roles.fold is None else folds(raw, roles.fold, used),
        groups=in_groups,
        indeterminate=rules.indeterminate,
        findings=tuple(findings),
        seen_true=_seen(actual, labels),
        seen_predicted=() if found.predicted is None else _seen(found.predicted, labels),
        known=labels_known(raw, roles, rules.indeterminate),
        lost=_lost(raw, roles, found, labels, positive, in_groups),
        readings=readings(raw, roles),
        times=None if raw.times is None else raw.times[used],
        _ids=None if roles.id is None else texts(raw, roles.id),
    )


def _lost(
    raw: RawTable,
    roles: Roles,
    found: Classes,
    labels: LabelSet,
    positive: int | None,
    in_groups: Groups,
) -> Lost | None:
    places = lost_places(raw, roles)
    if not len(places):
        return None
    actual, predicted = found.lost
    if labels is not found.labels:  # one class, set against "not X", which comes first
        actual = np.where(actual >= 0, actual + 1, actual)
    codes = (actual, predicted)
    return lost_rows(raw, roles, places, codes, in_groups, labels.labels, positive)


def _two_classes(
    roles: Roles, rules: Rules, found: Classes
) -> tuple[LabelSet, int | None, Codes, list[Finding]]:
    """Labels, positive index and truth; scores of one class alone are set against "not X"."""
    findings = list(found.findings)
    labels = found.labels
    present = np.unique(found.actual)
    if len(present) == 1:
        only = labels.labels[int(present[0])]
        message = f"Every row is of class {quoted(only)}."
        findings.append(Finding("one_class", message, {"label": only}))
    if len(labels.labels) == 1 and (roles.score or roles.margin):
        pair = LabelSet((f"not {labels.labels[0]}", labels.labels[0]), "text")
        return pair, 1, np.ones_like(found.actual), findings
    return labels, positive_index(labels, rules.positive), found.actual, findings


def _class_scores(raw: RawTable, roles: Roles, labels: LabelSet, used: Chosen) -> Floats | None:
    if not roles.scores:
        return None
    columns = [numbers(raw, roles.scores[label]).values[used] for label in labels.labels]
    return np.stack(columns, axis=1)


def _seen(codes: Codes, labels: LabelSet) -> tuple[str, ...]:
    counts = np.bincount(codes, minlength=len(labels.labels))
    return tuple(text for text, count in zip(labels.labels, counts, strict=False) if count)
