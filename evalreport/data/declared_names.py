"""Labels that a spec names (``map``, ``indeterminate``) and no row has, beside one that rows have.

A label may not occur this time, so a name of nothing is no mistake by itself. It is one where
rows have a label that is set apart from it by case, blanks or the like and has no part in the
spec, and it may be one where such a label is near.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from evalreport.data.findings import Finding, quoted
from evalreport.data.label_column import label_column
from evalreport.data.labels import Written, looks_like, matcher, written
from evalreport.data.roles import Roles, Rules
from evalreport.data.table import RawTable
from evalreport.errors import Location, Problem, nearest

#: The code of a finding on a label that the spec may mean by another name.
MISSPELT = "misspelt_label"


def misspelt(table: RawTable, roles: Roles, rules: Rules) -> tuple[list[Problem], list[Finding]]:
    """What is surely, and what may be, another label of the rows than the spec names."""
    truth = label_column(table, roles.target).labels
    said = () if roles.prediction is None else label_column(table, roles.prediction).labels
    called = [*rules.label_names.values(), *rules.declared, *roles.scores]
    if isinstance(rules.positive, Mapping):
        called.append(rules.positive["label"])
    problems: list[Problem] = []
    findings: list[Finding] = []
    for part, names, labels, others in (
        ("map", rules.label_names, _as_written(table, roles), called),
        ("indeterminate", rules.indeterminate, said, [*called, *(one.text for one in truth)]),
    ):
        for name, label in _near(names, labels, others):
            told = f"no row has {quoted(name)}, which {part} names"
            if looks_like(name, label):
                hint = f"did you mean {quoted(label)}?"
                problems.append(Problem(told, hint, Location(table.name)))
            else:
                message = f"{told[0].upper()}{told[1:]}; rows have {quoted(label)}."
                findings.append(Finding(MISSPELT, message, {"name": name, "label": label}))
    return problems, findings


def _as_written(table: RawTable, roles: Roles) -> list[Written]:
    """The labels of truth and predictions before the report's names are given to them."""
    columns = [c for c in (roles.target, roles.prediction) if c is not None]
    values = [written(v) for c in columns for v in table.columns[c].factorize()[1]]
    return [*values, *table.elsewhere]


def _near(
    names: Collection[str], labels: Iterable[Written], others: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Names that no label has, each with the nearest label that nothing names."""
    find = matcher(tuple(names))
    found = [find(label) for label in labels]
    left = {label for label in found if label not in names and label not in others}
    for name in names:
        near = None if name in found else nearest(name, left)
        if near is not None:
            yield name, near
