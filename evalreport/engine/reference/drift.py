"""Whether labels, scores and columns have moved from a dataset or an earlier run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from typing import TYPE_CHECKING, Any

from evalreport.data.table import RawColumn
from evalreport.engine.acceptance import FAIL, NOT_EVALUATED, PASS
from evalreport.engine.prepared import Times
from evalreport.engine.reference.run import ReferenceRun, References, scores_of_curve
from evalreport.predict.view import View
from evalreport.results import records
from evalreport.results.identity import EVERYTHING
from evalreport.results.records import DriftBin, DriftCategory
from evalreport.spec.comparisons import DatasetReference
from evalreport.spec.engine import Drift
from evalreport.statistics.shift import (
    EMPTY_BIN,
    Sample,
    Values,
    chi_square,
    index_of,
    on_grid,
    value_shift,
)
from evalreport.statistics.tail import chi2_sf

if TYPE_CHECKING:
    from evalreport.engine.run_state import RunState

#: A column with more values than this is no column of categories.
MOST_CATEGORIES = 100
MISSING = "(missing)"
ONE_SIDED = "a category is on one side only"
Counts = Mapping[str, float]


def drift_records(state: RunState, references: References) -> list[records.Drift]:
    """One record per dataset and what is compared: labels, scores of each model, columns."""
    return [counted(state, references, one) for one in planned_drift(state, references)]


def planned_drift(state: RunState, references: References) -> Iterator[records.Drift]:
    """What is compared of each dataset, before anything is counted."""
    asked = state.prepared.loaded.spec.drift
    if asked is None:
        return
    run, of = references.of(asked.reference), DatasetReference
    then = asked.reference.dataset if isinstance(asked.reference, of) else None
    named = f"dataset {then}" if run is None else f"run {run.name}"
    for dataset, views in _by_dataset(state).items():
        if dataset == then:
            continue
        nothing: dict[str, Any] = dict.fromkeys(("model", "label", "column"))
        labels = records.Drift(
            dataset=dataset, reference=named, of="labels", kind="categories", **nothing
        )
        yield labels
        for view in views:
            if view.has_score and len(view.labels) == 2:
                label = view.labels[view.positive_index]
                yield replace(labels, of="scores", kind="numbers", model=view.model, label=label)
        for column in asked.columns:
            yield replace(labels, of="column", column=column)


def counted(state: RunState, references: References, record: records.Drift) -> records.Drift:
    """What was planned, with how far it has moved."""
    asked = state.prepared.loaded.spec.drift
    assert asked is not None
    views, run = _by_dataset(state)[record.dataset], references.of(asked.reference)
    weighted, first = is_weighted(state, record.dataset), views[0]
    if record.of == "labels":
        then = _labels(state, asked, first) if run is None else _labels_of_run(run, first)
        found = of_categories(then, _class_counts(first), weighted)
    elif record.of == "scores":
        view = next(one for one in views if one.model == record.model)
        before = _scores(state, asked, view) if run is None else _scores_of_run(run, record)
        found = _score_shift(before, _distinct(state, view), asked.bins, weighted)
    else:
        found = _column(state, asked, record.dataset, str(record.column), weighted)
    return replace(record, **found)


def is_weighted(state: RunState, dataset: str) -> bool:
    """Whether rows of a dataset have weights or clusters, of which no test knows."""
    views = _by_dataset(state)[dataset]
    return any(view.weight is not None or view.cluster is not None for view in views)


def _by_dataset(state: RunState) -> dict[str, list[View]]:
    found: dict[str, list[View]] = {}
    for view in state.prepared.views:
        found.setdefault(view.dataset, []).append(view)
    return found


def drift_criteria(state: RunState, drift: Sequence[records.Drift]) -> list[records.Criterion]:
    """The limits of the spec as criteria, numbered after those of ``acceptance``."""
    spec = state.prepared.loaded.spec
    if spec.drift is None or spec.drift.at_most is None:
        return []
    found = []
    number = len(spec.acceptance)
    for name, title in (
        ("psi", "population stability index"),
        ("ks", "Kolmogorov-Smirnov distance"),
    ):
        most = getattr(spec.drift.at_most, name)
        if most is None:
            continue
        number += 1
        found += [
            _criterion(number, name, title, most, record)
            for record in drift
            if name == "psi" or record.kind == "numbers"
        ]
    return found


def _criterion(
    number: int, name: str, title: str, most: float, record: records.Drift
) -> records.Criterion:
    observed, reason = record.psi if name == "psi" else record.ks, record.reason
    outcome = NOT_EVALUATED if observed is None else PASS if observed <= most else FAIL
    if name == "psi" and record.psi_reason is not None:
        outcome, reason = FAIL, f"{record.psi_reason}, and the index infinite"
    what = {
        "labels": "labels",
        "scores": f"scores of {record.label}",
        "column": f"column {record.column}",
    }[record.of]
    return records.Criterion(
        criterion=number,
        text=f"{title} of {what} <= {most:g} against {record.reference}",
        metric=name,
        params={},
        measure=None,
        dataset=record.dataset,
        model=record.model,
        bound="point",
        direction="at_most",
        required=most,
        observed=observed,
        outcome=outcome,
        reason=None if observed is not None else reason or "not known",
    )


# -- labels and scores ----------------------------------------------------------------------


def _class_counts(view: View) -> Counts:
    return dict(zip(view.labels, map(float, view.class_rows), strict=True))


def _twin(state: RunState, asked: Drift, model: str) -> View | None:
    """The reference dataset as the same model sees it, else as any model does."""
    assert isinstance(asked.reference, DatasetReference)
    name = asked.reference.dataset
    own = [view for view in state.prepared.views if view.dataset == name]
    return next((view for view in own if view.model == model), None)


def _labels(state: RunState, asked: Drift, view: View) -> Counts | None:
    twin = _twin(state, asked, view.model)
    return None if twin is None else _class_counts(twin)


def _labels_of_run(run: ReferenceRun, view: View) -> Counts | None:
    for record in run.results.rows:
        if record.dataset == view.dataset and record.classes:
            return {one.label: float(one.count) for one in record.classes}
    return None


def _score_shift(then: Sample | None, now: Values, bins: int, weighted: bool) -> dict[str, Any]:
    """The shift of scores; where the reference kept bins both sides are put into those."""
    if then is None or not then.in_bins:
        return _numbers(None if then is None else then.values, now, bins, weighted)
    grid = [value for value, _ in then.values]
    found = _numbers(then.values, on_grid(now, grid), bins, weighted)
    told = f"scores are kept in {len(grid)} bins, as the reference keeps them"
    return {**found, "reason": f"{WEIGHTED}; {told}" if weighted else told}


def _scores(state: RunState, asked: Drift, view: View) -> Sample | None:
    """The scores of the reference dataset by the same model; None where it has none."""
    twin = _twin(state, asked, view.model)
    if twin is None or not twin.has_score or len(twin.labels) != 2:
        return None
    return Sample(_distinct(state, twin))


def _distinct(state: RunState, view: View) -> Values:
    """Distinct scores from the lowest, each with its rows."""
    table = state.tables[view.dataset, view.model].scores(EVERYTHING)
    rows = (table.positives + table.negatives).tolist()
    return list(zip(table.scores.tolist(), map(float, rows), strict=True))[::-1]


def _scores_of_run(run: ReferenceRun, record: records.Drift) -> Sample | None:
    """The scores of a run; None where it keeps none."""
    wanted = (record.dataset, record.model, record.label)
    for curve in run.results.curves:
        place = (curve.dataset, curve.model, curve.label)
        if curve.tells_scores and place == wanted and not curve.subgroup:
            return scores_of_curve(curve)
    return None


# -- columns --------------------------------------------------------------------------------


def _column(
    state: RunState, asked: Drift, dataset: str, name: str, weighted: bool
) -> dict[str, Any]:
    assert isinstance(asked.reference, DatasetReference)
    places = (asked.reference.dataset, dataset)
    sides = [side for place in places if (side := state.prepared.column(place, name)) is not None]
    if len(sides) < len(places):
        return _nothing("categories", f"no column '{name}' in one of the two datasets")
    values = [_as_numbers(*side) for side in sides]
    if all(own is not None for own in values):
        return _numbers(values[0], values[1], asked.bins, weighted)
    counted = [_as_categories(*side) for side in sides]
    if len({value for own in counted for value in own}) > MOST_CATEGORIES:
        return _nothing("categories", f"text with more than {MOST_CATEGORIES} values")
    return of_categories(counted[0], counted[1], weighted)


def _as_numbers(column: RawColumn, times: Times) -> Values | None:
    """Distinct numbers with their rows; None where any value is none. Missing ones are left out."""
    if column.kind == "boolean" or not column.single:
        return None
    try:
        told = [(float(v), n) for v, gap, n in _each(column, times) if not gap]
    except (TypeError, ValueError):
        return None
    if not told or not all(math.isfinite(value) for value, _ in told):
        return None
    return sorted((value, float(rows)) for value, rows in _added(told).items())


def _as_categories(column: RawColumn, times: Times) -> Counts:
    told = ((MISSING if gap else str(v), n) for v, gap, n in _each(column, times))
    return {name: float(rows) for name, rows in _added(told).items()}


def _each(column: RawColumn, times: Times) -> Iterator[tuple[Any, bool, int]]:
    """Values, whether they are missing, and how many rows have them."""
    often = repeat(1) if times is None else times.tolist()
    return zip(column.values.tolist(), column.missing.tolist(), often, strict=False)


def _added(told: Iterable[tuple[Any, int]]) -> Counter[Any]:
    """How many rows have each value."""
    total: Counter[Any] = Counter()
    for value, rows in told:
        total[value] += rows
    return total


# -- records --------------------------------------------------------------------------------


def of_categories(then: Counts | None, now: Counts, weighted: bool) -> dict[str, Any]:
    """The fields of a record that follow from the rows of each category, then and now."""
    if then is None:
        return _nothing("categories", "the reference does not have it")
    names = sorted({**then, **now}, key=lambda n: (-then.get(n, 0.0), -now.get(n, 0.0), n))
    counts = [(then.get(name, 0.0), now.get(name, 0.0)) for name in names]
    bins = tuple(
        DriftCategory(n, reference=a, rows=b) for n, (a, b) in zip(names, counts, strict=True)
    )
    statistic, df = chi_square(counts)
    tested = statistic is not None and not weighted
    return {
        "kind": "categories",
        "bins": bins,
        **of_bins(bins, weighted),
        "ks": None,
        "test": "chi_square" if tested else None,
        "statistic": statistic if tested else None,
        "p_value": chi2_sf(statistic, df) if tested and statistic is not None else None,
        "reason": WEIGHTED if weighted else None,
    }


def of_bins(bins: Sequence[DriftCategory | DriftBin], weighted: bool) -> dict[str, Any]:
    """The index of the rows in each bin, with what comes by chance alone."""
    index = index_of([one.reference for one in bins], [one.rows for one in bins])
    reason = EMPTY_BIN if any(isinstance(one, DriftBin) for one in bins) else ONE_SIDED
    return {
        "psi": index.psi,
        "psi_p_value": None if weighted else index.p_value,
        "psi_expected": index.expected,
        "psi_reason": None if index.psi is not None else reason,
    }


#: Why nothing is tested.
WEIGHTED = "rows have weights or clusters: the tests take rows as independent"


def _numbers(then: Values | None, now: Values | None, bins: int, weighted: bool) -> dict[str, Any]:
    if not then or not now:
        return _nothing("numbers", "the reference does not have it")
    found = value_shift(then, now, bins)
    edges: list[float | None] = [None, *found.cuts, None]
    counts = zip(edges, edges[1:], found.reference, found.now, strict=False)
    held = tuple(DriftBin(a, b, reference=n, rows=m) for a, b, n, m in counts)
    tested = found.ks_p_value is not None and not weighted
    return {
        "kind": "numbers",
        "bins": held,
        **of_bins(held, weighted),
        "ks": found.ks,
        "test": "kolmogorov_smirnov" if tested else None,
        "statistic": found.ks if tested else None,
        "p_value": found.ks_p_value if tested else None,
        "reason": WEIGHTED if weighted else None,
    }


def _nothing(kind: str, reason: str) -> dict[str, Any]:
    return {"kind": kind, "reason": reason}
