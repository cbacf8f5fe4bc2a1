"""A dataset as one model needs it: rows that are complete and right, and an account of the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.data.classes import Classes, classes
from evalreport.data.completeness import (
    Completeness,
    complete_but_for_labels,
    completeness,
)
from evalreport.data.design import clusters, column_problems, duplicate_ids, folds, groups
from evalreport.data.findings import Finding, quoted, some
from evalreport.data.label_column import label_column, texts
from evalreport.data.labels import Family, LabelSet, matcher, positive_index
from evalreport.data.limits import MOST_CLASSES, MOST_GROUPS, limit_distinct
from evalreport.data.lost import Groups, Lost, lost_places, lost_rows
from evalreport.data.names import unfit_names
from evalreport.data.readings import Readings, reading_problems, readings
from evalreport.data.roles import Roles, Rules
from evalreport.data.sampling import pool_of, sampling_problems, with_sample
from evalreport.data.scores import Floats, numbers, outside_unit, sums_to_one, weights
from evalreport.data.table import Codes, RawTable
from evalreport.data.vectors import with_columns
from evalreport.errors import DataError, Location, Problem, did_you_mean
from evalreport.statistics.design_based import Sample

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
    ``readings``: who read which case, of every row of the file. ``kinds_read``: rows of the
    file, where each stands for several of those that are counted.
    """

    rows_read: int
    used: npt.NDArray[np.int64]
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
    lost: Lost | None = None
    sample: Sample | None = None
    readings: Readings | None = None
    kinds_read: int | None = None
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
    if roles.id is not None and roles.cluster is None:
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
    return classes(raw, roles, rules, (truth, predicted), rows.used, lost)


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
        f"none of {raw.rows} rows can be used ({reasons})",
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
        f"the positive class {quoted(label)} is no class of {raw.name}",
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
        return [
            Problem(
                f"a {role} needs two classes, {raw.name} has {len(labels)}: {names}",
                "use `scores: {class: column, ...}` or `prediction`",
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
    used = rows.used
    labels, positive, actual, findings = _two_classes(roles, rules, found)
    single = roles.score or roles.margin
    scored = [c for c in (single, *roles.scores.values()) if c is not None]
    findings += [f for column in scored for f in numbers(raw, column).findings]
    if roles.margin is None:
        findings += [f for c in scored for f in outside_unit(c, numbers(raw, c).values[used])]
    in_groups = {column: groups(raw, column, used) for column in roles.subgroups}
    return Checked(
        rows_read=raw.rows,
        used=used,
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
        lost=_lost(raw, roles, found, labels, positive, in_groups),
        readings=readings(raw, roles),
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


def _class_scores(
    raw: RawTable, roles: Roles, labels: LabelSet, used: npt.NDArray[np.int64]
) -> Floats | None:
    if not roles.scores:
        return None
    columns = [numbers(raw, roles.scores[label]).values[used] for label in labels.labels]
    return np.stack(columns, axis=1)


def _seen(codes: Codes, labels: LabelSet) -> tuple[str, ...]:
    counts = np.bincount(codes, minlength=len(labels.labels))
    return tuple(text for text, count in zip(labels.labels, counts, strict=False) if count)
