"""The intervals that the coverage study compares, made by the package's own functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from benchmarks import coverage_defaults
from benchmarks.coverage_model import DataSet
from numpy.typing import NDArray

from evalreport.engine.intervals import influence, jackknife
from evalreport.engine.intervals import methods as intervals
from evalreport.engine.intervals.bootstrap import from_replicates
from evalreport.engine.intervals.methods import TableValue
from evalreport.engine.metric_values import stacked_value
from evalreport.metrics.catalogue import find
from evalreport.metrics.tables import ScoreTable
from evalreport.results import records
from evalreport.statistics import delong, obuchowski, resampling
from evalreport.statistics.interval import Interval, z_value
from evalreport.statistics.proportions import PROPORTION_METHODS
from evalreport.statistics.tail import t_quantile
from evalreport.statistics.unpaired import newcombe_hybrid

LEVEL = 0.95
RESAMPLES = 1000
TABLE_MEASURES = ("f1", "balanced_accuracy", "youden_j", "mcc", "kappa")
SCORE_MEASURES = ("roc_auc", "average_precision", "ks")
Floats = NDArray[np.float64]


class Found(NamedTuple):
    """What one method gives for one measure; ``defined``: the measure has a value."""

    measure: str
    method: str
    defined: bool
    interval: records.Interval | None = None


def independent(data: DataSet, rng: np.random.Generator) -> Iterator[Found]:
    """Every interval of independent rows."""
    yield from _proportions(data)
    table = _table(data)
    replicates = resampling.multinomial_tables(table.astype(np.int64), RESAMPLES, rng)
    for measure in TABLE_MEASURES:
        yield from _smooth(measure, table, replicates.astype(np.float64))
    scores = ScoreTable(data.score, data.actual.astype(np.int64), (~data.actual).astype(np.int64))
    yield from _areas(scores)
    yield from _resampled_scores(scores, rng)


def _table(data: DataSet) -> Floats:
    tp, fn, fp, tn = data.cells
    return np.array([[tn, fp], [fn, tp]], np.float64)


def _shares(data: DataSet) -> dict[str, tuple[int, int]]:
    tp, fn, fp, tn = data.cells
    return {
        "accuracy": (tp + tn, tp + fn + fp + tn),
        "recall": (tp, tp + fn),
        "precision": (tp, tp + fp),
    }


@cache
def _proportion(x: int, n: int, method: str) -> records.Interval | None:
    return intervals.proportion(x, n, LEVEL, method)


def _proportions(data: DataSet) -> Iterator[Found]:
    for measure, (x, n) in _shares(data).items():
        for method in PROPORTION_METHODS:
            yield Found(measure, method, n > 0, _proportion(x, n, method))


@cache
def _function(measure: str) -> Callable[[NDArray[Any]], NDArray[Any]]:
    return stacked_value(find(measure), {}, average=None, index=1)


def _value(measure: str, table: Floats, **more: Any) -> TableValue | None:
    function = _function(measure)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(np.real(function(table[None])[0]))
    if not np.isfinite(value):
        return None
    return TableValue(value, function, table, find(measure).bounds, LEVEL, **more)


def _smooth(measure: str, table: Floats, replicates: Floats) -> Iterator[Found]:
    own = {"mcc": "fisher_z", "kappa": "wald"}.get(measure)
    methods = (*((own,) if own else ()), "delta", "bootstrap_percentile", "bootstrap_bca")
    v = _value(measure, table)
    named = f"default: {coverage_defaults.planned(measure, int(table.sum())).interval}"
    if v is None:
        yield from (Found(measure, method, False) for method in (named, *methods))
        return
    yield Found(measure, named, True, coverage_defaults.of_table(measure, table, LEVEL))
    if own == "fisher_z":
        yield Found(measure, own, True, intervals.fisher_z(v))
    if own == "wald":
        yield Found(measure, own, True, intervals.kappa_wald(v, None))
    yield Found(measure, "delta", True, intervals.smooth(v))
    yield from _half_added(measure, v)
    yield from _by_proportions(measure, table)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = v.function(replicates)
    yield from _from_replicates(measure, values, v.value, jackknife.of_cells(v.function, table))


def _half_added(measure: str, v: TableValue) -> Iterator[Found]:
    """Candidates: 1/2 added to each cell always, or as soon as any cell is empty."""
    always = intervals.plus_half(v, "delta")
    empty = bool(np.any(v.table == 0.0))
    yield Found(measure, "candidate: delta, 1/2 always", True, always)
    held = always if empty else intervals.smooth(v)
    yield Found(measure, "candidate: delta, 1/2 with an empty cell", True, held)
    if measure == "mcc":
        table = v.table + 0.5
        moved = replace(v, table=table, value=float(v.function(table[None])[0]))
        held = intervals.smooth(moved if empty else v, "fisher_z", "fisher_z")
        yield Found(measure, "candidate: fisher_z, 1/2 with an empty cell", True, held)


def _by_proportions(measure: str, table: Floats) -> Iterator[Found]:
    """Limits that follow from those of one proportion (a candidate), or of two."""
    (tn, fp), (fn, tp) = table.tolist()
    if measure == "f1":
        # F1 = 2 J / (1 + J), J = TP / (TP + FP + FN) the Jaccard index
        limits = PROPORTION_METHODS["wilson"](tp, tp + fp + fn, LEVEL)
        held = None if limits is None else Interval(*(2.0 * j / (1.0 + j) for j in limits))
        name = "candidate: wilson of the Jaccard index"
    elif measure in ("youden_j", "balanced_accuracy"):
        held = newcombe_hybrid(tp, tp + fn, fp, fp + tn, LEVEL)
        if held is not None and measure == "balanced_accuracy":
            held = Interval((1.0 + held.low) / 2.0, (1.0 + held.high) / 2.0)
        name = "newcombe_hybrid alone"
    else:
        return
    yield Found(measure, name, True, intervals.from_limits(held, LEVEL, name.split()[0]))


def _from_replicates(
    measure: str, values: Floats, value: float, left_out: tuple[Floats, Floats] | None
) -> Iterator[Found]:
    usable = np.where(np.isfinite(values), values, np.nan)
    for method in ("bootstrap_percentile", "bootstrap_bca"):
        yield Found(measure, method, True, from_replicates(usable, value, LEVEL, method, left_out))


def _areas(scores: ScoreTable) -> Iterator[Found]:
    positives, negatives = scores.positives, scores.negatives
    area = delong.auc(positives, negatives)
    lost = False
    named = {**delong.AUC_METHODS, "hanley_mcneil_score": delong.hanley_mcneil_score}
    for method, function in named.items():
        limits = None if area is None else delong.limits(function, positives, negatives, LEVEL)
        alone = intervals.from_limits(limits, LEVEL, method)
        if alone is not None and alone.low >= alone.high:
            alone = None
        yield Found("roc_auc", f"{method} alone", area is not None, alone)
        if area is not None:
            p, n = float(scores.positive_total), float(scores.negative_total)
            pairs = intervals.independent_pairs(area, p, n, LEVEL, method)
            yield Found("roc_auc", method, True, alone or pairs)
            if method == "delong":
                lost = alone is None
                yield Found("roc_auc", "wilson_pairs alone", True, pairs)
            if method == "hanley_mcneil_score" and lost:
                yield Found("roc_auc", f"{method}, where delong has none", True, alone)


def _score_value(measure: str, scores: ScoreTable) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(find(measure)(scores).array(), np.float64)


def _defined(measure: str, scores: ScoreTable) -> float | None:
    if not scores.positive_total or (measure != "average_precision" and not scores.negative_total):
        return None
    return float(_score_value(measure, scores))


def _resampled_scores(scores: ScoreTable, rng: np.random.Generator) -> Iterator[Found]:
    batches = resampling.score_table_resamples(scores.positives, scores.negatives, RESAMPLES, rng)
    values = _replicates(ScoreTable(scores.scores, p, n) for p, n in batches)
    for measure in SCORE_MEASURES:
        value = _defined(measure, scores)
        named = f"default: {coverage_defaults.planned(measure, int(scores.total)).interval}"
        if value is None:
            for method in (named, "bootstrap_percentile", "bootstrap_bca"):
                yield Found(measure, method, False)
            continue
        if measure != "roc_auc":
            yield from _influence(measure, scores, value)
        left_out = jackknife.of_entries(lambda t, m=measure: _score_value(m, t), scores)
        given = coverage_defaults.of_scores(measure, scores, values[measure], left_out, LEVEL)
        yield Found(measure, named, True, given)
        yield from _from_replicates(measure, values[measure], value, left_out)


def _influence(measure: str, scores: ScoreTable, value: float) -> Iterator[Found]:
    declared = find(measure)
    assert declared is not None
    variance = influence.variance(declared, scores)
    if variance is None:
        yield Found(measure, "influence", True)
        return
    plain = intervals.symmetric(value, variance, LEVEL, "influence", (0.0, 1.0))
    yield Found(measure, "influence", True, plain)
    on_logits = None
    if 0.0 < value < 1.0:
        limits = delong.logit_interval(value, variance, LEVEL)
        on_logits = intervals.from_limits(limits, LEVEL, "influence")
    yield Found(measure, "candidate: influence on the logit scale", True, on_logits)


def _replicates(batches: Iterator[ScoreTable]) -> dict[str, Floats]:
    found: dict[str, list[Floats]] = {measure: [] for measure in SCORE_MEASURES}
    for batch in batches:
        for measure, parts in found.items():
            parts.append(_score_value(measure, batch))
    return {measure: np.concatenate(parts) for measure, parts in found.items()}


# -- clusters ----------------------------------------------------------------------------------


def clustered(data: DataSet, rng: np.random.Generator) -> Iterator[Found]:
    """Intervals of clustered rows, and what ignoring the clusters would give."""
    per_cluster = _cluster_tables(data)
    correct = per_cluster[:, 1, 1] + per_cluster[:, 0, 0]
    parts = {
        "accuracy": (correct, per_cluster.sum(axis=(1, 2))),
        "recall": (per_cluster[:, 1, 1], per_cluster[:, 1].sum(axis=1)),
    }
    for measure, (hits, sizes) in parts.items():
        x, n = _shares(data)[measure]
        yield Found(measure, "wilson, clusters ignored", n > 0, _proportion(x, n, "wilson"))
        robust = intervals.clustered_proportion(hits, sizes, LEVEL) if n else None
        yield Found(measure, "cluster_robust", n > 0, robust)
    drawn = resampling.cluster_resamples(len(per_cluster), RESAMPLES, rng)
    times = np.concatenate(list(drawn)).astype(np.float64)
    replicates = np.einsum("bc,cij->bij", times, per_cluster)
    for measure in ("f1", "balanced_accuracy", "mcc"):
        yield from _clustered_smooth(measure, per_cluster, replicates)
    yield from _clustered_scores(data, times)


def _cluster_tables(data: DataSet) -> Floats:
    code = (data.cluster * 2 + data.actual) * 2 + data.predicted
    count = int(data.cluster.max()) + 1
    return np.bincount(code, minlength=4 * count).reshape(count, 2, 2).astype(np.float64)


def _clustered_smooth(measure: str, per_cluster: Floats, replicates: Floats) -> Iterator[Found]:
    v = _value(measure, per_cluster.sum(axis=0), clusters=per_cluster)
    scale = "fisher_z" if measure == "mcc" else "plain"
    if v is None:
        for method in ("delta, clusters ignored", "cluster_robust", "cluster_bootstrap"):
            yield Found(measure, method, False)
        return
    yield Found(measure, "delta, clusters ignored", True, intervals.smooth(v, "delta", scale))
    robust = intervals.smooth(v, "cluster_robust", scale)
    yield Found(measure, "cluster_robust", True, robust)
    if scale == "plain":
        wider = _with_t(robust, v.value, len(per_cluster), v.bounds)
        yield Found(measure, "candidate: cluster_robust with Student's t", True, wider)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = v.function(replicates)
    yield _cluster_bootstrap(measure, values, v.value)


def _with_t(
    interval: records.Interval | None, value: float, clusters: int, bounds: tuple[float, float]
) -> records.Interval | None:
    """The interval with the t quantile of ``clusters`` - 1 degrees of freedom for the normal."""
    if interval is None or interval.method.endswith(("_plus_half", "_pairs")):
        return interval
    # the limit that is further away is the one that was not cut off at a bound
    half = max(interval.high - value, value - interval.low)
    error = half / z_value(LEVEL)
    wide = error * -t_quantile((1.0 - LEVEL) / 2.0, clusters - 1)
    low, high = max(value - wide, bounds[0]), min(value + wide, bounds[1])
    return records.Interval(LEVEL, low, high, interval.method)


def _cluster_bootstrap(measure: str, values: Floats, value: float) -> Found:
    usable = np.where(np.isfinite(values), values, np.nan)
    interval = from_replicates(usable, value, LEVEL, "cluster_bootstrap")
    return Found(measure, "cluster_bootstrap", True, interval)


def _clustered_scores(data: DataSet, times: Floats) -> Iterator[Found]:
    scores = ScoreTable(data.score, data.actual.astype(np.int64), (~data.actual).astype(np.int64))
    of_row = times[:, data.cluster]
    stack = ScoreTable(data.score, of_row * data.actual, of_row * ~data.actual)
    values = _replicates(iter([stack]))
    area = _defined("roc_auc", scores)
    alone = (
        None
        if area is None
        else delong.limits(delong.delong, scores.positives, scores.negatives, LEVEL)
    )
    yield Found(
        "roc_auc",
        "delong, clusters ignored",
        area is not None,
        intervals.from_limits(alone, LEVEL, "delong"),
    )
    obuchowskis = _obuchowski(data, scores, area)
    yield Found("roc_auc", "obuchowski", area is not None, obuchowskis)
    if area is not None:
        wider = _with_t(obuchowskis, area, int(data.cluster.max()) + 1, (0.0, 1.0))
        yield Found("roc_auc", "candidate: obuchowski with Student's t", True, wider)
    for measure in SCORE_MEASURES:
        value = _defined(measure, scores)
        if value is None:
            yield Found(measure, "cluster_bootstrap", False)
        else:
            yield _cluster_bootstrap(measure, values[measure], value)


def _obuchowski(data: DataSet, scores: ScoreTable, area: float | None) -> records.Interval | None:
    """As a run does it: no interval where no variance is known, pairs where it is 0."""
    if area is None:
        return None
    variance = obuchowski.obuchowski_variance(data.actual, data.score, data.cluster)
    if variance is None:
        return None
    if variance <= intervals.VANISHED:
        p, n = float(scores.positive_total), float(scores.negative_total)
        return intervals.independent_pairs(area, p, n, LEVEL, "obuchowski")
    return intervals.symmetric(area, variance, LEVEL, "obuchowski", (0.0, 1.0))
