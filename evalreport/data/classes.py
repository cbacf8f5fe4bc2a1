"""The classes of a dataset and model: declared, true and predicted labels in one set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from evalreport.data.findings import Finding, quoted, some
from evalreport.data.label_column import LabelColumn
from evalreport.data.labels import (
    LabelSet,
    Written,
    clashes,
    label_kind,
    matcher,
    order_labels,
)
from evalreport.data.look_alikes import look_alikes
from evalreport.data.roles import Roles, Rules
from evalreport.data.table import Array, Codes, RawTable
from evalreport.errors import DataError, Location, Problem

_ALIKE = "write one class one way, or declare every class with `labels`"


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
    used: Array,
    lost: Array,
) -> Classes:
    """Union of declared labels (their order first) and those seen in the used rows.

    ``lost`` are rows left out for what they lack: they get codes, and add no class.

    Raises DataError where one class seems to be written in several ways, or where the
    truth holds an indeterminate label.
    """
    truth, prediction = columns
    named = tuple(dict.fromkeys([*rules.declared, *_named(rules), *roles.scores]))
    true = _seen(truth, used)
    predicted = [] if prediction is None else _seen(prediction, used)
    find = matcher([*named, *rules.indeterminate])
    unsure = frozenset(rules.indeterminate)
    kept = [label for label in predicted if find(label) not in unsure]
    problems = _mistakes(table, roles, rules, {"target": truth, "prediction": prediction})
    problems += _clashes(table, columns, [*true, *kept], named)
    if problems:
        raise DataError(*problems)
    seen = {find(label): label.family for label in [*true, *kept]}
    together = set(named) | set(seen)
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
            *_unseen(rules, dict.fromkeys(map(find, true)), dict.fromkeys(map(find, truth.labels))),
            *look_alikes(labels.labels),
        ),
        (
            _codes(truth, lost, find, code),
            None if prediction is None else _codes(prediction, lost, find, code),
        ),
    )


def _named(rules: Rules) -> list[str]:
    return [rules.positive["label"]] if isinstance(rules.positive, Mapping) else []


def _seen(column: LabelColumn, used: Array) -> list[Written]:
    present = np.bincount(column.codes[used], minlength=len(column.labels)) > 0
    return [label for label, there in zip(column.labels, present, strict=True) if there]


def _codes(
    column: LabelColumn, used: Array, find: Callable[[Written], str], code: Mapping[str, int]
) -> Codes:
    # A label that occurs in no used row has no code; the last entry is that of a missing one.
    table = np.array([*(code.get(find(label), -1) for label in column.labels), -1], np.int32)
    return table[column.codes[used]]


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
            _ALIKE,
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
    message = f"The data hold classes that are not declared: {some([quoted(t) for t in extra])}."
    return [Finding("undeclared_class", message, {"labels": extra})]


def _unseen(rules: Rules, true: Mapping[str, object], every: Mapping[str, object]) -> list[Finding]:
    """Findings on a positive class, or classes of excluded rows, that no used row has."""
    findings = []
    if isinstance(rules.positive, Mapping) and rules.positive["label"] not in true:
        label = rules.positive["label"]
        message = f"No row that is used is of the positive class {quoted(label)}."
        findings.append(Finding("positive_not_seen", message, {"label": label}))
    lost = [label for label in order_labels(every) if label not in true]
    if lost:
        message = (
            "Classes occur only in rows that are excluded: "
            f"{some([quoted(label) for label in lost])}."
        )
        findings.append(Finding("class_only_excluded", message, {"labels": lost}))
    return findings
