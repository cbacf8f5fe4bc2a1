"""The accounts of a run: rows, labels, provenance and plan, and the description of rows.

Little of them follows from other records, but all has to add up: rows read are those used and
those left out, classes are those that were declared or seen, what is said of the spec is what its
text says. What is compared is put where it follows; what contradicts itself is told in a sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evalreport.data.labels import label_kind, order_labels
from evalreport.engine.ledgers.labels_and_rows import OF_SETS
from evalreport.plan.criteria import criteria_words
from evalreport.predict.columns import cluster_column
from evalreport.results import records as r
from evalreport.results.identity import EVERYTHING
from evalreport.spec.model import Spec
from evalreport.verify.leaves import Made
from evalreport.verify.recorded_spec import spec_problems
from evalreport.verify.recorded_tables import NotRecorded

if TYPE_CHECKING:
    from evalreport.verify.recorded_state import RecordedState

#: Why a number is left out where nobody gives another reason.
NOTHING = "nothing in the results determines it"


# -- labels -------------------------------------------------------------------------------------


def labels(again: RecordedState) -> Iterator[Made]:
    """Classes are those that were declared or seen; ties are the rows at the score itself."""
    for one in again.results.labels:
        made, problems = _of_classes(one), list[str]()
        spec = None if again.asked is None else again.asked.loaded.spec
        dataset = None if spec is None else spec.datasets.get(one.dataset)
        if spec is not None and dataset is not None and one.model in spec.models:
            declared, rule = dataset.labels, spec.positive_of(one.dataset)
            made = replace(made, declared=None if declared is None else tuple(declared))
            told = rule if isinstance(rule, str) else f"label {rule.label}"
            made = replace(made, rule=OF_SETS if one.label_sets else told)
        elif spec is not None:
            problems.append("the spec has no such dataset or model")
        yield _with_ties(again, made, tuple(problems))


OF_TIES = "ties are counted from rows, which are not in the results"
#: How a score becomes a label.
OPERATORS = (None, "score >= threshold", "margin >= threshold")


def _of_classes(one: r.LabelLedger) -> r.LabelLedger:
    known = set(one.order)
    return replace(
        one,
        seen_true=tuple(label for label in one.seen_true if label in known),
        seen_predicted=tuple(label for label in one.seen_predicted if label in known),
        order=one.order if one.label_sets else _ordered(one),
        kind=one.kind if one.kind == "boolean" else label_kind(one.order),
        operator=one.operator if one.operator in OPERATORS else None,
        positive=one.positive if one.positive in known and not one.label_sets else None,
    )


def _ordered(one: r.LabelLedger) -> tuple[str, ...]:
    # scores of the only class that was seen are set against all that is not of it
    if len(one.order) == 2 and one.order[0] == f"not {one.order[1]}":
        return one.order
    kind: Any = one.kind
    declared = one.declared or ()
    return (*declared, *order_labels(set(one.order) - set(declared), kind))


def _with_ties(again: RecordedState, made: r.LabelLedger, problems: tuple[str, ...]) -> Made:
    try:
        model = again.model_of(made.dataset, made.model)
        scores = model.tables.scores(EVERYTHING)
    except (NotRecorded, KeyError):
        return Made(made, {"ties": OF_TIES}, problems)
    rows = (scores.positives + scores.negatives).tolist()
    at = dict(zip(scores.scores.tolist(), rows, strict=True))
    known = {one.threshold for one in model.results.thresholds}
    ties = tuple(
        one if one.rows is None else replace(one, rows=at.get(one.threshold, 0))
        for one in made.ties
        if one.threshold in known
    )
    return Made(replace(made, ties=ties), {}, problems)


# -- rows ---------------------------------------------------------------------------------------

OF_ROWS = {
    "excluded": "why rows were left out is counted from rows",
    "clusters": "clusters are counted from rows",
    "clustered": "clusters are counted from rows",
    "predictions": "how often rows were predicted is counted from rows",
    "repeats": "the repeats are planned: verify --rerun makes them again",
    "unknown": "labels that are not known are counted from rows",
}


def rows(again: RecordedState) -> Iterator[Made]:
    """Rows read are those used and those excluded; the used ones are of the classes."""
    of_sets = {one.dataset for one in again.results.labels if one.label_sets}
    for one in again.results.rows:
        left_out = OF_ROWS | {"used": NOTHING, "classes": NOTHING}
        made = replace(one, read=one.used + sum(own.count for own in one.excluded))
        if one.classes and one.dataset in of_sets:
            made = replace(made, classes=_of_labels(one, again))
        elif one.classes:
            made = replace(made, used=sum(own.count for own in one.classes))
        table = _whole_table(one, again)
        if table is not None and one.classes:
            counted = zip(table.labels, table.counts or (), strict=True)
            rows = {label: sum(int(count or 0) for count in row) for label, row in counted}
            several = one.predictions not in (None, one.used)
            classes = [replace(own, count=rows.get(own.label, 0)) for own in one.classes]
            if list(rows) != [own.label for own in one.classes]:
                made = replace(made, classes=())
            elif not several:
                made, left_out = replace(made, classes=tuple(classes)), OF_ROWS
        yield Made(made, left_out, tuple(_row_problems(one, again)))


def _of_labels(record: r.RowLedger, again: RecordedState) -> tuple[r.ClassCount, ...]:
    """The rows that have each label, by the tables of the labels."""
    rows: dict[str | None, float] = {}
    for one in again.results.tables:
        own = (one.dataset, one.model) == (record.dataset, record.model)
        if own and one.where == EVERYTHING and one.counts is not None:
            rows[one.label] = sum(count or 0 for count in one.counts[-1])
    whole = all(isinstance(count, int) for count in rows.values())
    # a row may have a label of which no model says anything
    known = rows.keys() - {one.label for one in record.unknown} if whole else set()
    return tuple(
        replace(own, count=int(rows[own.label])) if own.label in known else own
        for own in record.classes
    )


def _whole_table(record: r.RowLedger, again: RecordedState) -> r.Table | None:
    """A table of all rows of a dataset and model, of whole counts that are all known."""
    for one in again.results.tables:
        counts = [count for row in one.counts or () for count in row]
        whole = bool(counts) and all(type(count) is int for count in counts)
        own = (one.dataset, one.model) == (record.dataset, record.model)
        if own and whole and not one.subgroup and one.fold is None and one.label is None:
            return one
    return None


def _row_problems(one: r.RowLedger, again: RecordedState) -> Iterator[str]:
    """Reasons for which no row is left out, and clusters out of reach of the used rows."""
    for lost in one.excluded:
        if lost.count < 1:
            yield f"{lost.count} rows are left out because {lost.reason}"
    held, clusters = one.clustered, one.clusters
    dataset = None if again.asked is None else again.asked.loaded.spec.datasets.get(one.dataset)
    asked = dataset is not None and cluster_column(dataset) is not None
    if asked and clusters is None and one.predictions is None and one.used:
        yield "the spec declares clusters, and there is no number of them"
    if held is None:
        return
    if clusters is None:
        yield "its clusters are described, and there is no number of them"
        return
    rows = {own.label: own.count for own in one.classes}
    for own in held.classes:
        if own.count > min(clusters, rows.get(own.label, 0)):
            yield f"{own.count} clusters have rows of {own.label}, more than there can be"
    largest_possible = one.used - clusters + 1
    if not held.median <= held.most <= largest_possible or held.most * clusters < one.used:
        yield (
            f"{clusters} clusters of {one.used} rows do not have a median of {held.median:g} "
            f"and at most {held.most} rows"
        )


# -- provenance ---------------------------------------------------------------------------------

OF_FILES = {
    "inputs": "what was read is compared with its files by verify --rerun",
    "protocol": "the protocol is a file beside the spec: compared with it by verify --rerun",
}


def provenance(again: RecordedState) -> Iterator[Made]:
    """The seed is that of the spec, the plan that of the results, the spec what its text says."""
    own, plan, left_out = again.results.provenance, again.results.plan, OF_FILES
    problems = list(spec_problems(again.results))
    made = own if plan is None else replace(own, plan_sha256=plan.sha256)
    if again.asked is not None:
        spec = again.asked.loaded.spec
        made = replace(
            made,
            seed=again.asked.settings.seed,
            models=tuple(_declared(one, spec) for one in own.models),
        )
        problems += _protocol_problems(own.protocol, spec)
    else:
        left_out = {**OF_FILES, "seed": NOTHING}
        # of a path in an option that changed the spec only the last part is recorded
        changed = own.spec is not None and bool(own.spec.overrides)
        if again.same_version and again.results.measures and not changed:
            problems.append("the spec in the results cannot be read by itself")
    yield Made(made, left_out, tuple(problems))


def _declared(one: r.ModelIdentity, spec: Spec) -> r.ModelIdentity:
    """What is said of a model, as the spec declares it."""
    declared = spec.models.get(one.model)
    names = ("version", "repository", "revision", "trained_on")
    told: dict[str, Any] = {name: getattr(declared, name, None) for name in names}
    sha256 = getattr(declared, "sha256", None)
    if one.sha256_of == "declared" or sha256:
        told["sha256"] = (sha256 or "").lower()
    return replace(one, **told)


def _protocol_problems(cited: r.CitedProtocol | None, spec: Spec) -> Iterator[str]:
    if (cited is None) != (spec.protocol is None):
        yield "a protocol is cited by the spec or by the results alone"
    elif cited is not None and spec.protocol is not None:
        if sorted((*cited.criteria, *cited.post_hoc)) != sorted(criteria_words(spec)):
            yield "criteria of the protocol and those post hoc are not the criteria of the spec"
        if cited.fixed != spec.protocol.fixed:
            yield "the day of the protocol is not what the spec declares"


# -- descriptions -------------------------------------------------------------------------------


def characteristics(again: RecordedState) -> Iterator[Made]:
    """A description is of the used rows; of each column what is known and what is missing."""
    used = {(one.dataset, one.model): one.used for one in again.results.rows}
    left_out = {"columns": "values of columns are described from rows", "classes": NOTHING}
    told, spec = again.results.of(r.Characteristics), again.spec.loaded.spec
    columns = spec.report.characteristics
    described = sorted((one.dataset, model) for one in told for model in one.models)
    own = [(one.dataset, one.model) for one in again.results.labels
           if spec.datasets[one.dataset].table is None]  # fmt: skip
    if described != (sorted(own) if columns else []):
        yield Made(None, {}, ("they do not describe each dataset and model once",))
    for one in again.results.of(r.Characteristics):
        rows = [used[one.dataset, model] for model in one.models]
        wrong = [count for count in rows if count != one.rows]
        made = replace(one, rows=wrong[0] if wrong else one.rows)
        yield Made(made, left_out, tuple(_column_problems(one, columns)))


def _column_problems(one: r.Characteristics, columns: Sequence[str]) -> Iterator[str]:
    if [own.column for own in one.columns] != list(columns):
        yield f"the columns are not {', '.join(columns)}"
    expected: dict[str | None, int] = {None: one.rows}
    expected |= {own.label: own.rows for own in one.classes}
    for column in one.columns:
        for group in column.groups:
            name = f"{column.column}, {group.label or 'all rows'}"
            total = group.n + group.missing
            if total != expected[group.label]:
                yield f"{name}: {total} rows of {expected[group.label]}"
            if isinstance(group, r.CategoryGroup):
                counted = group.other + sum(value.count for value in group.values)
                if counted != group.n:
                    yield f"{name}: values of {counted} rows, n is {group.n}"
            elif group.n:
                yield from (f"{name}: {what}" for what in _disordered(group))


def _disordered(group: r.NumberGroup) -> Iterable[str]:
    told = (group.low, group.quartile_1, group.median, group.quartile_3, group.high)
    order = [value for value in told if value is not None]
    if len(order) < len(told) or group.mean is None:
        return ["there are rows, and a summary of them is missing"]
    found = [] if order == sorted(order) else ["the range and the quartiles are not in order"]
    # a mean of floats may round past a limit that all of them share
    slack = 1e-12 * max(abs(order[0]), abs(order[-1]))
    if not order[0] - slack <= group.mean <= order[-1] + slack:
        found.append("the mean lies outside the range")
    return found
