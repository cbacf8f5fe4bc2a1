"""What to write in a spec where labels are not those that are meant.

Labels that a spec names (``map``, ``indeterminate``) and no row has, labels too many for a score,
and one class that is written in several ways.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from evalreport.data.dialect import BLANKS
from evalreport.data.findings import Finding, quoted, some
from evalreport.data.label_column import LabelColumn, label_column
from evalreport.data.labels import Written, looks_like, matcher, value_of, written
from evalreport.data.roles import Roles, Rules
from evalreport.data.table import RawTable
from evalreport.errors import Location, Problem, nearest

#: The code of a finding on a label that the spec may mean by another name.
MISSPELT = "misspelt_label"
#: Labels too many for which a message says what to write.
MOST_HINTS = 3


def misspelt(table: RawTable, roles: Roles, rules: Rules) -> tuple[list[Problem], list[Finding]]:
    """What is surely, and what may be, another label of the rows than the spec names.

    A label may not occur this time, so a name of nothing is no mistake by itself. It is one where
    rows have a label that is set apart from it by case, blanks or the like and has no part in the
    spec, and it may be one where such a label is near.
    """
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
    others = frozenset(others)
    found = [find(label) for label in labels]
    seen = frozenset(found)
    left = {label for label in seen if label not in names and label not in others}
    for name in names:
        near = None if name in seen else nearest(name, left)
        if near is not None:
            yield name, near


def one_name(group: Sequence[Written], known: Sequence[str]) -> str:
    """What makes one class of labels that write it in several ways; ``known`` are declared.

    >>> one_name([Written("1"), Written("1.0")], ())
    "`map: {'1.0': '1'}`"
    >>> one_name([Written("0", "number"), Written("true", "boolean")], ())
    "`map: {'true': '1'}`"
    """
    values = {label.text: value_of(label) for label in group}
    if len({*values.values()}) > 1:  # truth values beside numbers
        words = {text: str(value) for text, value in values.items() if text != str(value)}
        return _map(words)
    texts = [*values]
    name = next((text for text in texts if text in known), min(texts, key=lambda t: (len(t), t)))
    others = dict.fromkeys(text for text in texts if text != name) or {name: None}
    return _map(dict.fromkeys(others, name))


def _map(names: Mapping[str, str]) -> str:
    told = ", ".join(f"{quoted(label)}: {quoted(name)}" for label, name in names.items())
    return f"`map: {{{told}}}`"


def too_many(table: RawTable, roles: Roles, rules: Rules, labels: Sequence[str]) -> tuple[str, str]:
    """Which labels of the truth are too many for two classes, and what helps.

    They are those that are not among two declared ones, else all but the two of most rows.
    """
    column = label_column(table, roles.target)
    often = {one.text: table.count(column.codes == k) for k, one in enumerate(column.labels)}
    most = rules.declared
    if not 0 < len(most) <= 2:
        most = tuple(sorted(labels, key=lambda label: -often.get(label, 0))[:2])
    strays = [label for label in labels if label not in most]
    rows = [_row(table, column, label) for label in strays]
    told = some([f"{quoted(label)}{row}" for label, row in zip(strays, rows, strict=True)])
    found = [_instead(label, most, roles, rules) for label in strays]
    return told, "; ".join(dict.fromkeys(found[:MOST_HINTS]))


def _row(table: RawTable, column: LabelColumn, label: str) -> str:
    row = next((column.first_row(one) for one in column.labels if one.text == label), None)
    return "" if row is None else f" ({table.row_name(row)})"


def _instead(label: str, most: Sequence[str], roles: Roles, rules: Rules) -> str:
    """What to write for one label that is too many."""
    like = next((other for other in most if looks_like(label, other)), None)
    if like is not None and label.strip(BLANKS) == like:
        return "`read: {strip: true}`"
    if like is not None:
        return one_name([Written(label), Written(like)], most)
    lost = "" if rules.missing == "exclude" else " with `missing: exclude`"
    return (
        f"`read: {{missing: {{{roles.target}: [{quoted(label)}]}}}}`{lost} where {quoted(label)} "
        f"means no value, `map: {{{quoted(label)}: ...}}` where it is one of the two"
    )
