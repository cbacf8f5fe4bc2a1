"""Means over readers, of each measure and of differences of two models, and criteria on them.

The analysis of Obuchowski and Rockette (1995) with the degrees of freedom of Hillis (2007);
covariances of readings by the placements of their cases (DeLong and others 1988), added up
within clusters where cases come in clusters (Obuchowski 1997).

A limit of pooled readings allows for the cases alone. Where readers are declared, a criterion on
recall, specificity or the area under the ROC curve of all rows is therefore judged by the mean
over the readers with its interval, and one against another model by the difference of the two
means; subgroups and all other metrics have pooled values only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from evalreport.engine.acceptance import FAIL, NOT_EVALUATED, PASS
from evalreport.engine.intervals import methods
from evalreport.engine.readers.placing import (
    AREA,
    CLEARED,
    FOUND,
    Cut,
    Placed,
    Reading,
    Study,
)
from evalreport.metrics.catalogue import find
from evalreport.metrics.methods import SHARE_OF_CLUSTERS
from evalreport.results import records
from evalreport.results.records import Criterion, Measure, ReaderDifference, ReaderMean, ReaderValue
from evalreport.statistics import delong, proportions, readers
from evalreport.statistics.interval import clipped

if TYPE_CHECKING:
    from evalreport.engine.run_state import RunState

Floats = npt.NDArray[np.float64]
AnyReading = TypeVar("AnyReading", bound=Reading)
#: A measure of two models, with the threshold of each.
Shared = tuple[str, Cut | None, Cut | None]
#: A measure over the readers of the model, and of the reference.
Both = tuple[ReaderMean, ReaderMean]

METHOD = "obuchowski_rockette_hillis"
_ONE_READER = "with one reader nothing is known of how readers differ"
_NO_SPREAD = "neither readers nor cases differ in it: its variance is estimated as 0"


def titled(metric: str) -> str:
    """The title of a measure in the catalogue."""
    found = find(metric)
    return metric if found is None else found.title


def asked_of(study: Reading) -> Iterator[tuple[str, Cut | None]]:
    """The measures of a study: recall and specificity at each threshold, the area once."""
    if len(study.view.labels) != 2:
        return
    for cut in study.cuts:
        yield FOUND, cut
        yield CLEARED, cut
    if study.view.has_score:
        yield AREA, None


def planned_means(found: Sequence[Reading]) -> list[ReaderMean]:
    """The records of every measure of every model, before anything is counted."""
    return [
        ReaderMean(
            **_asked_for(study, metric, cut), cases=0, readings=0, crossed=True, readers=(),
            value=None,
        )
        for study in found
        for metric, cut in asked_of(study)
    ]  # fmt: skip


def mean_records(found: Sequence[Study], level: float) -> list[ReaderMean]:
    """Every measure of every model over its readers."""
    studied = [(study, metric, cut) for study in found for metric, cut in asked_of(study)]
    planned = zip(planned_means(found), studied, strict=True)
    return [filled(_counted(record, *of, level), level) for record, of in planned]


def _counted(
    record: ReaderMean, study: Study, metric: str, cut: Cut | None, level: float
) -> ReaderMean:
    """The record with what each reader read, and how the readings vary together."""
    placed = study.placed(metric, cut)
    matrix = np.nan_to_num(covariances(placed))
    each = tuple(
        _reader(study, metric, cut, placed, matrix, number, level)
        for number in range(len(study.names))
    )
    own = [number for number, one in enumerate(each) if _value(one, metric) is not None]
    return replace(
        record,
        cases=study.cases,
        readings=len(study.case),
        clusters=study.clusters,
        readers=each,
        covariance=tuple(map(tuple, matrix[np.ix_(own, own)].tolist())),
    )


def _asked_for(study: Reading, metric: str, cut: Cut | None) -> dict[str, Any]:
    """The fields that say which measure of which model a record is of."""
    view = study.view
    return {
        "dataset": view.dataset,
        "model": view.model,
        "metric": metric,
        "title": titled(metric),
        "params": {},
        "label": view.labels[view.positive_index],
        "threshold": None if cut is None else cut.number,
        "threshold_rule": None if cut is None else cut.rule,
        "random": study.asked.random,
    }


def filled(record: ReaderMean, level: float) -> ReaderMean:
    """The record with all that follows from what was counted: each reader's value, and the mean.

    Raises ValueError where the covariances are not those of the readers with a value.
    """
    values = [_value(one, record.metric) for one in record.readers]
    valued = [number for number, value in enumerate(values) if value is not None]
    covariance = record.covariance
    if [len(row) for row in covariance] != [len(valued)] * len(valued):
        raise ValueError("covariance is not one row and column for each reader with a value")
    readers = []
    for number, (one, value) in enumerate(zip(record.readers, values, strict=True)):
        made = replace(one, value=value, reason=_lacking(record.metric) if value is None else None)
        if value is not None and record.clusters is None:
            place = valued.index(number)
            limits = _independent_limits(made, record.metric, covariance[place][place], level)
            made = replace(made, interval=limits)
        readers.append(made)
    crossed = record.readings == record.cases * len(readers)
    note = _note_of(crossed=crossed)
    return _with_mean(replace(record, readers=tuple(readers), crossed=crossed, note=note), level)


def _value(one: ReaderValue, metric: str) -> float | None:
    """The value of a reader: by the cells of its table where it has any, else as counted."""
    if one.cells is None:
        return one.value
    cells = one.cells
    right, wrong = (cells.tp, cells.fn) if metric == FOUND else (cells.tn, cells.fp)
    return right / (right + wrong) if right + wrong else None


def _lacking(metric: str) -> str:
    """Why a reader has no value."""
    if metric == AREA:
        return "no cases of both classes were read"
    return f"no {'negative' if metric == CLEARED else 'positive'} case was read"


def _with_mean(record: ReaderMean, level: float) -> ReaderMean:
    """The mean of the readers of a record with its limits, from their values and covariances."""
    values = [float(one.value) for one in record.readers if one.value is not None]
    if not values:
        return replace(record, reason="no reader has a value")
    averages = readers.averaged(record.covariance, 1, len(values))
    record = replace(
        record,
        value=math.fsum(values) / len(values),
        between=float(np.var(values, ddof=1)) if len(values) > 1 else None,
        variance=averages.variance,
        same_modality=averages.same_modality,
    )
    at_random = "readers" in record.random
    if at_random and len(values) < 2:
        return replace(record, reason=_ONE_READER)
    estimate = readers.of_one_modality(
        values,
        averages.same_modality,
        averages.variance,
        random_readers=at_random,
        random_cases="cases" in record.random,
    )
    if estimate.standard_error == 0.0:
        return replace(record, standard_error=0.0, reason=_NO_SPREAD)
    limits = clipped(*estimate.interval(level))
    return replace(
        record,
        standard_error=estimate.standard_error,
        df=estimate.df,
        interval=records.Interval(level, limits.low, limits.high, METHOD),
    )


def _note_of(*, crossed: bool) -> str | None:
    """What is noted where not every reader read every case."""
    if crossed:
        return None
    return (
        "not every reader read every case: values of the same cases are paired, and readers who "
        "share fewer than two cases count as independent of each other"
    )


def covariances(placed: Placed) -> Floats:
    """Covariances of all readings; NaN where two share fewer than two cases of either class."""
    return readers.reading_covariances(placed.of_positives, placed.of_negatives, placed.clusters)


def _reader(
    study: Study,
    metric: str,
    cut: Cut | None,
    placed: Placed,
    matrix: Floats,
    number: int,
    level: float,
) -> ReaderValue:
    actual = study.view.actual[study.reader == number] == study.view.positive_index
    positives = int(np.count_nonzero(actual))
    cells = None if cut is None else study.cells(number, cut)
    record = ReaderValue(
        reader=study.names[number],
        positives=positives,
        negatives=len(actual) - positives,
        cells=None if cells is None else records.Cells(*cells),
        value=None,
    )
    side = placed.of_negatives if metric == CLEARED else placed.of_positives
    own = side[number][~np.isnan(side[number])]
    if not len(own):
        return record
    value = min(math.fsum(own.tolist()) / len(own), 1.0)
    record = replace(record, value=value)
    if study.cluster is None:
        return record
    limits = None
    if metric == AREA:
        rows = float(positives), float(record.negatives)
        if min(rows) >= 2:
            held = _clusters(placed, number)
            limits = methods.area_of_clusters(
                value, float(matrix[number, number]), rows, held, level
            )
    else:
        codes = placed.clusters[1 if metric == CLEARED else 0][~np.isnan(side[number])]
        limits = _share_of_clusters(own, codes, level)
    return replace(record, interval=limits)


def _independent_limits(
    record: ReaderValue, metric: str, variance: float, level: float
) -> records.Interval | None:
    """Limits of a reader's value where cases are independent; ``variance``: of an area.

    Those of an area are score limits; none with one case of a class.
    """
    rows = float(record.positives), float(record.negatives)
    if metric == AREA:
        if min(rows) < 2 or record.value is None:
            return None
        seen = variance if variance > methods.VANISHED else None
        area = delong.AreaLimits(record.value, seen, rows, min(rows))
        return methods.from_limits(delong.delong_score(area, level), level, "delong_score")
    n = rows[1] if metric == CLEARED else rows[0]
    hits = round((record.value or 0.0) * n)
    return methods.from_limits(proportions.wilson(float(hits), n, level), level, "wilson")


def _clusters(placed: Placed, number: int) -> tuple[float, float, float]:
    """Clusters of a reader's positives, of the negatives, and of both together."""
    sides = [
        np.unique(codes[~np.isnan(own[number])])
        for codes, own in zip(
            placed.clusters, (placed.of_positives, placed.of_negatives), strict=True
        )
    ]
    return float(len(sides[0])), float(len(sides[1])), float(len(np.union1d(*sides)))


def _share_of_clusters(
    own: Floats, codes: npt.NDArray[np.int64], level: float
) -> records.Interval | None:
    _, cluster = np.unique(codes, return_inverse=True)
    hits = np.bincount(cluster, own).astype(np.float64)
    sizes = np.bincount(cluster).astype(np.float64)
    return methods.clustered_proportion(hits, sizes, level, SHARE_OF_CLUSTERS)


# -- differences of two models -----------------------------------------------------------------


def difference_records(
    state: RunState, found: Sequence[Study], means: Sequence[ReaderMean], level: float
) -> list[ReaderDifference]:
    """Every model of a dataset against the reference, in each measure that both have."""
    margins, records = margins_of(state), list[ReaderDifference]()
    for study, reference, measure in planned_differences(state, found):
        record = planned_difference(study, reference, measure)
        both = sides_of(record, means)
        names = shared_readers(both)
        matrix, j = _joint_covariances(study, reference, measure, names), len(names)
        record = replace(record, cross=tuple(map(tuple, matrix[:j, j:].tolist())))
        records.append(filled_difference(record, both, matrix, margins, level))
    return records


def margins_of(state: RunState) -> Mapping[str, float]:
    """How much worse would still do, by measure, where the spec declares it."""
    asked = state.prepared.loaded.spec.comparisons
    return {} if asked is None else dict(asked.margins)


def planned_differences(
    state: RunState, found: Sequence[AnyReading]
) -> Iterator[tuple[AnyReading, AnyReading, Shared]]:
    """Every model of a dataset with the reference, and each measure that both have."""
    asked = state.prepared.loaded.spec.comparisons
    for dataset in dict.fromkeys(study.view.dataset for study in found):
        own = [study for study in found if study.view.dataset == dataset]
        wanted = None if asked is None else asked.reference
        reference = next((one for one in own if one.view.model == wanted), own[0])
        for study in own:
            if study is not reference and study.view.labels == reference.view.labels:
                for measure in _shared(study, reference):
                    yield study, reference, measure


def planned_difference(study: Reading, reference: Reading, measure: Shared) -> ReaderDifference:
    """The record of a measure of two models, before anything is counted."""
    metric, cut, other = measure
    return ReaderDifference(
        **_asked_for(study, metric, cut),
        reference=reference.view.model,
        reference_threshold=None if other is None else other.number,
        readers=(),
        difference=None,
    )


def _shared(study: Reading, reference: Reading) -> Iterator[Shared]:
    """Measures of both, at the same threshold where both have thresholds."""
    theirs = list(asked_of(reference))
    for metric, cut in asked_of(study):
        for name, other in theirs:
            asked = None in (cut, other) or None in (
                cut.request if cut else None,
                other.request if other else None,
            )
            same = asked or (cut is not None and other is not None and cut.request == other.request)
            if name == metric and same:
                yield metric, cut, other


def sides_of(record: ReaderDifference, means: Sequence[ReaderMean]) -> Both:
    """The means of both models whose difference a record is. Raises ValueError for lack of one."""
    by_number = {
        (own.dataset, own.metric, own.label, own.model, own.threshold): own
        for own in reversed(means)
    }
    sides = (record.model, record.threshold), (record.reference, record.reference_threshold)
    found = [by_number.get((record.dataset, record.metric, record.label, *at)) for at in sides]
    if found[0] is None or found[1] is None:
        raise ValueError("a difference is of means that are not there")
    return found[0], found[1]


def shared_readers(both: Both) -> tuple[str, ...]:
    """The readers who have a value of both models."""
    first, second = ([own.reader for own in one.readers if own.value is not None] for one in both)
    return tuple(name for name in first if name in second)


def _joint_covariances(
    study: Study, reference: Study, measure: Shared, names: Sequence[str]
) -> Floats:
    """Covariances of the readings of some readers, those of the model before the reference's."""
    metric, cut, other = measure
    sides = _same_cases(study, reference), _same_cases(reference, study)
    placed = sides[0].placed(metric, cut).joined(sides[1].placed(metric, other))
    places = [study.names.index(name) for name in names]
    places += [len(study.names) + reference.names.index(name) for name in names]
    return np.asarray(np.nan_to_num(covariances(placed))[np.ix_(places, places)])


def filled_difference(
    record: ReaderDifference,
    both: Both,
    matrix: Floats,
    margins: Mapping[str, float],
    level: float,
) -> ReaderDifference:
    """The record with all that follows from the means of both models and how readings vary.

    ``matrix``: covariances of the readings, those of the model before those of the reference.
    """
    names, crossed = shared_readers(both), both[0].crossed and both[1].crossed
    every = [own.reader for one in both for own in one.readers]
    record = replace(record, readers=names, note=_difference_note(every, names, crossed=crossed))
    if names:
        values = [{own.reader: own.value for own in one.readers} for one in both]
        first, second = (tuple(float(own[name] or 0.0) for name in names) for own in values)
        record = replace(record, values=first, reference_values=second)
        record = _with_difference(record, matrix, level)
    else:
        record = replace(record, reason="no reader has a value of both")
    return _with_margin(record, margins.get(record.metric))


def _with_difference(record: ReaderDifference, matrix: Floats, level: float) -> ReaderDifference:
    """The mean difference with its limits, from the values of both models."""
    first, second, j = record.values, record.reference_values, len(record.values)
    averages = readers.averaged(matrix, 2, j)
    record = replace(
        record,
        difference=math.fsum(a - b for a, b in zip(first, second, strict=True)) / j,
        between=float(np.var(np.subtract(first, second), ddof=1)) / 2.0 if j > 1 else None,
        variance=averages.variance,
        same_reader=averages.same_reader,
        same_modality=averages.same_modality,
        neither=averages.neither,
    )
    at_random = "readers" in record.random
    if at_random and j < 2:
        return replace(record, reason=_ONE_READER)
    estimate = readers.difference(
        first,
        second,
        averages,
        random_readers=at_random,
        random_cases="cases" in record.random,
    )
    return _with_limits(record, estimate, level)


def _with_limits(
    record: ReaderDifference, estimate: readers.MeanOverReaders, level: float
) -> ReaderDifference:
    if estimate.standard_error == 0.0:
        return replace(record, standard_error=0.0, reason=_NO_SPREAD)
    limits = clipped(*estimate.interval(level), -1.0, 1.0)
    apart = limits.low > 0.0 or limits.high < 0.0
    return replace(
        record,
        standard_error=estimate.standard_error,
        df=estimate.df,
        interval=records.Interval(level, limits.low, limits.high, METHOD),
        test=METHOD,
        statistic=estimate.estimate / estimate.standard_error,
        p_value=estimate.p_value,
        told_apart=apart,
        better=("model" if limits.low > 0.0 else "reference") if apart else None,
    )


def _with_margin(record: ReaderDifference, margin: float | None) -> ReaderDifference:
    """With the margin of the measure, where the spec declares one; more is better in all."""
    if margin is None:
        return record
    held = None if record.interval is None else record.interval.low > -margin
    return replace(record, margin=margin, non_inferior=held)


def _same_cases(study: Study, other: Study) -> Study:
    """A study with the cases of both, so that placements of the two stand in the same columns."""
    cluster = study.cluster
    if cluster is not None and other.cluster is not None:
        cluster = np.where(study.truth >= 0, cluster, other.cluster)
    return replace(study, truth=np.maximum(study.truth, other.truth), cluster=cluster)


def _difference_note(every: Sequence[str], names: Sequence[str], *, crossed: bool) -> str | None:
    """What is noted of readers that not both models have, or of cases that not all read."""
    left = [name for name in dict.fromkeys(every) if name not in names]
    if not left:
        return _note_of(crossed=crossed)
    return f"read with one of the two models only, and left out: {', '.join(left)}"


def over_readers(
    judged: Sequence[Criterion],
    measures: Sequence[Measure],
    means: Sequence[ReaderMean],
    differences: Sequence[ReaderDifference],
) -> list[Criterion]:
    """The outcomes, those on a measure that has a mean over readers judged by that."""
    by_id = {m.id: m for m in measures}
    return [
        _criterion_judged(one, by_id.get(one.measure or ""), means, differences) for one in judged
    ]


def _criterion_judged(
    entry: Criterion,
    measure: Measure | None,
    means: Sequence[ReaderMean],
    differences: Sequence[ReaderDifference],
) -> Criterion:
    if measure is None:
        return entry
    own = next((one for one in means if one.is_over(measure)), None)
    if own is None:
        return entry
    if entry.reference is None:
        return _by_limit(entry, own)
    difference = next(
        (one for one in differences if _is_against(one, measure, entry.reference)), None
    )
    return entry if difference is None else _by_limit(entry, difference)


def _is_against(one: ReaderDifference, measure: Measure, reference: str) -> bool:
    return (
        (one.dataset, one.model, one.metric) == (measure.dataset, measure.model, measure.metric)
        and f"model {one.reference}" == reference
        and one.threshold == measure.threshold
    )


def _by_limit(entry: Criterion, own: ReaderMean | ReaderDifference) -> Criterion:
    """The same criterion with what the mean, or the difference of two, gives for it."""
    is_mean = isinstance(own, ReaderMean)
    value = own.value if isinstance(own, ReaderMean) else own.difference
    limits = own.interval
    observed, reason = value, None
    if entry.bound != "point":
        observed = None if limits is None else limits.low if entry.bound == "lower" else limits.high
    if observed is None:
        reason = f"the mean over readers has no interval: {own.reason}" if own.reason else None
    outcome = NOT_EVALUATED
    if observed is not None and entry.required is not None:
        high = entry.direction == "at_least"
        met = observed >= entry.required if high else observed <= entry.required
        outcome = PASS if met else FAIL
    found = replace(entry, observed=observed, outcome=outcome, reason=reason, readers=True)
    if is_mean:
        return found
    return replace(found, difference=value, interval=limits)
