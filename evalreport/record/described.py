"""Whether the description of rows adds up: values to n, and n with what is missing to a class."""

from __future__ import annotations

from collections.abc import Iterator

from evalreport.plan.criteria import criteria_words
from evalreport.record.checks import Finding, account, held
from evalreport.record.recorded_spec import spec_problems
from evalreport.record.remade import Remaker
from evalreport.results.records import (
    CategoryGroup,
    Characteristics,
    NumberGroup,
    Provenance,
    RowLedger,
    Table,
)
from evalreport.spec.model import Spec


@account(
    Provenance,
    {
        "inputs": "what was read is held against its files by verify --rerun",
        "protocol": "the protocol is a file beside the spec: held against it by verify --rerun",
    },
)
def provenance(record: Provenance, again: Remaker) -> Iterator[Finding]:
    """The seed is that of the spec, the plan that of the results, the spec what its text says."""
    if again.asked is not None:
        if record.seed != again.asked.settings.seed:
            yield f"seed is {record.seed}, the spec says {again.asked.settings.seed}"
        yield held("seed")
        yield from _as_declared(record, again.asked.loaded.spec)
    elif again.same_version and again.results.measures and not _was_changed(record):
        yield "the spec that stands in the results cannot be read by itself"
    plan = again.results.plan
    if plan is not None and record.plan_sha256 != plan.sha256:
        yield f"plan_sha256 is {record.plan_sha256!r}, the plan has {plan.sha256!r}"
    yield from spec_problems(again.results)


def _was_changed(record: Provenance) -> bool:
    """Whether options changed the spec: of a path in one of them only the last part is recorded."""
    return record.spec is not None and bool(record.spec.overrides)


def _as_declared(record: Provenance, spec: Spec) -> Iterator[str]:
    """What is said of models and protocol where it is not what the spec declares."""
    for one in record.models:
        declared = spec.models.get(one.model)
        for name in ("version", "repository", "revision", "trained_on"):
            if getattr(one, name) != getattr(declared, name, None):
                yield f"{name} of model {one.model} is not what the spec declares"
        sha256 = getattr(declared, "sha256", None)
        if (one.sha256_of == "declared" or sha256) and (sha256 or "").lower() != one.sha256:
            yield f"sha256 of model {one.model} is not what the spec declares"
    cited = record.protocol
    if (cited is None) != (spec.protocol is None):
        yield "a protocol is cited by the spec or by the results alone"
    elif cited is not None and spec.protocol is not None:
        if sorted((*cited.criteria, *cited.post_hoc)) != sorted(criteria_words(spec)):
            yield "criteria of the protocol and those post hoc are not the criteria of the spec"
        if cited.fixed != spec.protocol.fixed:
            yield "the day of the protocol is not what the spec declares"


@account(
    RowLedger,
    {
        "excluded": "why rows were left out is counted from rows",
        "clusters": "clusters are counted from rows",
        "clustered": "clusters are counted from rows",
        "predictions": "how often rows were predicted is counted from rows",
        "repeats": "the repeats are planned: verify --rerun makes them again",
        "unknown": "labels that are not known are counted from rows",
    },
)
def rows(record: RowLedger, again: Remaker) -> Iterator[Finding]:
    """Rows read are those used and those excluded; the used ones are of the classes."""
    excluded = sum(one.count for one in record.excluded)
    for lost in record.excluded:
        if lost.count < 1:
            yield f"{lost.count} rows are left out because {lost.reason}"
    if record.read != record.used + excluded:
        yield f"read is {record.read}, used and excluded are {record.used + excluded}"
    yield held("read")
    yield from _cluster_problems(record)
    by_class = sum(one.count for one in record.classes)
    of_sets = any(one.label_sets for one in again.results.labels if one.dataset == record.dataset)
    if record.classes and not of_sets and by_class != record.used:
        yield f"used is {record.used}, its classes hold {by_class}"
    tables = _whole_table(record, again)
    if tables is None or not record.classes:
        return
    if [one.label for one in record.classes] != list(tables.labels):
        yield "its classes are not those of its table"
    elif record.predictions in (None, record.used):
        for place, one in enumerate(record.classes):
            rows = sum(count or 0 for count in (tables.counts or ())[place])
            if rows != one.count:
                yield f"{one.label} has {one.count} rows, its table has {rows}"
        yield held("used", "classes")


def _whole_table(record: RowLedger, again: Remaker) -> Table | None:
    """A table of all rows of a dataset and model, of whole counts that are all known."""
    for one in again.results.tables:
        counts = [count for row in one.counts or () for count in row]
        whole = bool(counts) and all(type(count) is int for count in counts)
        own = (one.dataset, one.model) == (record.dataset, record.model)
        if own and whole and not one.subgroup and one.fold is None and one.label is None:
            return one
    return None


def _cluster_problems(record: RowLedger) -> Iterator[str]:
    """Clusters hold the used rows: what they are said to hold is in reach of that."""
    held, clusters = record.clustered, record.clusters
    if held is None:
        return
    if clusters is None:
        yield "its clusters are described, and there is no number of them"
        return
    rows = {one.label: one.count for one in record.classes}
    for one in held.classes:
        if one.count > min(clusters, rows.get(one.label, 0)):
            yield f"{one.count} clusters have rows of {one.label}, more than there can be"
    largest_possible = record.used - clusters + 1
    if not held.median <= held.most <= largest_possible or held.most * clusters < record.used:
        yield (
            f"{clusters} clusters of {record.used} rows do not have a median of {held.median:g} "
            f"and at most {held.most} rows"
        )


@account(Characteristics, {"columns": "values of columns are described from rows"})
def characteristics(record: Characteristics, again: Remaker) -> Iterator[Finding]:
    """What contradicts itself or the account of rows."""
    yield held("rows")
    used = {(one.dataset, one.model): one.used for one in again.results.rows}
    for model in record.models:
        own = used[record.dataset, model]
        if own != record.rows:
            yield f"they describe {record.rows} rows, {model} used {own}"
    expected: dict[str | None, int] = {None: record.rows}
    expected |= {one.label: one.rows for one in record.classes}
    for column in record.columns:
        for group in column.groups:
            name = f"{column.column}, {group.label or 'all rows'}"
            total = group.n + group.missing
            if total != expected[group.label]:
                yield f"{name}: {total} rows of {expected[group.label]}"
            if isinstance(group, CategoryGroup):
                counted = group.other + sum(value.count for value in group.values)
                if counted != group.n:
                    yield f"{name}: values of {counted} rows, n is {group.n}"
            elif group.n:
                yield from _disordered(name, group)


def _disordered(name: str, group: NumberGroup) -> Iterator[str]:
    told = (group.low, group.quartile_1, group.median, group.quartile_3, group.high)
    order = [value for value in told if value is not None]
    if len(order) < len(told) or group.mean is None:
        yield f"{name}: there are rows, and a summary of them is missing"
        return
    if order != sorted(order):
        yield f"{name}: the range and the quartiles are not in order"
    # a mean of floats may round past a limit that all of them share
    slack = 1e-12 * max(abs(order[0]), abs(order[-1]))
    if not order[0] - slack <= group.mean <= order[-1] + slack:
        yield f"{name}: the mean lies outside the range"
