"""Learning curves of models that are trained here, and training histories that are handed over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from evalreport.data.checked import Checked, check
from evalreport.data.label_column import texts
from evalreport.data.read import read_table
from evalreport.data.scores import numbers
from evalreport.data.source import open_source
from evalreport.data.table import RawTable
from evalreport.engine.metric_functions import metric_value
from evalreport.engine.settings import Settings
from evalreport.errors import DataError, EvalreportError, Location, Problem, did_you_mean
from evalreport.plan.refusals import NO_ORDER
from evalreport.predict.cache import cache_key, cached_record, versions
from evalreport.predict.columns import Where, roles_of, rules_of
from evalreport.predict.facts import in_order
from evalreport.predict.history import RunHistory, prediction_history, weight_history
from evalreport.predict.learning_curve import CurveDesign, learning_curve
from evalreport.predict.learning_curve import LearningCurve as FittedCurve
from evalreport.predict.made import Made
from evalreport.predict.making import Making, recipe_of
from evalreport.predict.outcome import Output
from evalreport.results import records
from evalreport.results.codec import decode_as, encode
from evalreport.results.records import (
    BestStep,
    Failure,
    LearningCurve,
    LearningPoint,
    StepMetric,
)
from evalreport.spec.load import LoadedSpec
from evalreport.spec.metric_requests import MetricRequest
from evalreport.spec.model import Spec
from evalreport.spec.models import History, HistoryModel


def curve_of(
    loaded: LoadedSpec,
    dataset: str,
    model: str,
    made: Made,
    settings: Settings,
    making: Making,
    failures: list[Failure],
) -> LearningCurve | None:
    """The learning curve of a model that was cross-validated; None where it failed.

    ``failures``: those of its fits are added to it.
    """
    spec = loaded.spec
    asked = spec.learning_curve
    assert asked is not None
    assert made.rows is not None
    rows, features = made.rows, made.table
    assert features is not None
    requests = _named(asked.metrics or spec.metrics)
    unordered = not in_order(rows.labels, [spec.datasets[dataset].labels])
    left = [n for n, r in requests.items() if unordered and r.metric.ordered_classes]
    metrics = {
        name: metric_value(request.name, request.params, rows.labels, rows.positive, settings)
        for name, request in requests.items()
        if name not in left
    }
    actual = made.actual
    assert actual is not None
    what = f"learning curve of {model} on {dataset}"

    def work() -> dict[str, Any]:
        making.progress(f"{what}, fits", 0, len(asked.sizes) * asked.repeats)
        curve = learning_curve(
            recipe_of(spec, model, rows.labels, rows.positive, making),
            features,
            actual,
            rows.labels,
            rows.positive,
            metrics,
            CurveDesign(tuple(asked.sizes), asked.repeats, asked.seed),
            made.groups,
            lambda done, total: making.progress(what, done, total),
            made.splits,
        )
        return _kept(dataset, curve)

    software = versions(making.allowed)
    asked_metrics = [[name, value.params] for name, value in metrics.items()]
    part = {
        "curve": asked.model_dump(mode="json"),
        "metrics": asked_metrics,
        "dataset": dataset,
        "kept": "records",
    }
    key = cache_key({"predictions": made.key}, part, software)
    try:
        record = cached_record(
            making.cache, key, work, making.fresh, lambda made: not made["failures"]
        )
    except EvalreportError as error:
        reason = "; ".join(str(problem) for problem in error.problems)
        failures.append(Failure("learning_curve", reason, dataset, model))
        return None
    failures.extend(decode_as(Failure, one, _KEPT) for one in record["failures"])
    curve = decode_as(LearningCurve, record["curve"], _KEPT)
    return replace(curve, notes=(*curve.notes, *(f"{name}: {NO_ORDER}" for name in left)))


def _named(requests: Sequence[MetricRequest]) -> dict[str, MetricRequest]:
    """Requests by the metric's name, with parameters where a metric is asked for twice."""
    names = Counter(str(request.name) for request in requests)
    found = {}
    for request in requests:
        inside = ", ".join(f"{key}={value}" for key, value in request.params.items())
        shown = str(request.name)
        found[f"{shown}({inside})" if names[shown] > 1 and inside else shown] = request
    return found


#: Where a learning curve is read from that was kept.
_KEPT = "a learning curve that was kept"


def _kept(dataset: str, curve: FittedCurve) -> dict[str, Any]:
    """A learning curve and its failures as they are kept for another run."""
    failures = [
        Failure("learning_curve", f"{one.fold}: {one.reason}", dataset, curve.model)
        for one in curve.failures
    ]
    record = LearningCurve(
        dataset=dataset,
        model=curve.model,
        repeats=curve.repeats,
        notes=tuple(curve.notes),
        points=tuple(
            LearningPoint(point.size, point.train_rows, point.test, point.train, point.counts)
            for point in curve.points
        ),
    )
    return {"curve": encode(record), "failures": [encode(one) for one in failures]}


# -- training histories ----------------------------------------------------------------------


def histories(
    loaded: LoadedSpec,
    dataset: str,
    model: str,
    table: RawTable,
    where: Where,
    settings: Settings,
) -> tuple[records.History, ...]:
    """The training histories of a model, one of each run. Raises DataError for wrong columns."""
    declared = loaded.spec.models[model]
    assert isinstance(declared, HistoryModel)
    runs, checked = _runs(loaded, dataset, table, where, declared.history)
    return tuple(
        replace(_history_record(dataset, model, run), best=_best(loaded, run, checked, settings))
        for run in runs
    )


def _runs(
    loaded: LoadedSpec, dataset: str, table: RawTable, where: Where, history: History
) -> tuple[tuple[RunHistory, ...], Checked]:
    spec = loaded.spec
    declared = spec.datasets[dataset]
    roles = roles_of(declared, spec.models[_any_history(loaded)], ())
    checked = check(table, roles, rules_of(spec, dataset), where)
    if checked.positive is None:
        raise DataError("a training history needs two classes")
    folder = loaded.folder or Path()
    steps = read_table(open_source(folder / str(history.path), str(history.path)))
    step = _column(steps, history.step)
    whole = [int(v) if float(v).is_integer() else float(v) for v in step.tolist()]
    runs = ["all"] * steps.rows
    if history.run is not None:
        codes, names = texts(steps, _known(steps, history.run))
        runs = [names[code] for code in codes.tolist()]
    positive = checked.actual == checked.positive
    if history.weights:
        bias = np.zeros(steps.rows) if history.bias is None else _column(steps, history.bias)
        weights = {name: _column(steps, column) for name, column in history.weights.items()}
        features = {name: _column(table, name)[checked.used] for name in weights}
        return weight_history(whole, runs, bias, weights, features, positive), checked
    given: dict[str, Any] = {}
    if history.margin is not None:
        given["margin"] = _column(steps, history.margin)
    elif history.score is not None:
        given["score"] = _column(steps, history.score)
    elif history.prediction is not None:
        codes, names = texts(steps, _known(steps, history.prediction))
        place = {label: code for code, label in enumerate(checked.labels)}
        given["predicted"] = np.array([place.get(names[code], -1) for code in codes.tolist()])
    found = prediction_history(whole, runs, None, checked.actual, checked.positive, **given)
    return found, checked


def _best(
    loaded: LoadedSpec, run: RunHistory, checked: Checked, settings: Settings
) -> tuple[BestStep, ...]:
    """The best steps of a run: why, the table there, the weights and the metrics asked for."""
    by = {"misclassified": run.best_by_misclassified, "cost": run.best_by_cost}
    positive = checked.positive
    assert positive is not None
    actual = checked.actual == positive
    found = []
    for best in run.best:
        said = best.output.labels_at(None, positive) == positive
        found.append(
            BestStep(
                step=run.steps[best.place],
                by=tuple(name for name, place in by.items() if place == best.place),
                tp=int((said & actual).sum()),
                fp=int((said & ~actual).sum()),
                fn=int((~said & actual).sum()),
                tn=int((~said & ~actual).sum()),
                bias=best.bias,
                weights=None if best.weights is None else dict(best.weights),
                metrics=_metrics_there(loaded.spec, best.output, checked, settings),
            )
        )
    return tuple(found)


def _metrics_there(
    spec: Spec, output: Output, checked: Checked, settings: Settings
) -> tuple[StepMetric, ...]:
    """Each metric of the spec at one step; null where it is undefined or cannot be given."""
    found = []
    for name, request in _named(spec.metrics).items():
        value = metric_value(
            request.name, request.params, checked.labels, checked.positive, settings
        )
        number = value(checked.actual, output)
        reason = None if number is not None else "undefined there, or not given by this history"
        found.append(StepMetric(name, number, reason))
    return tuple(found)


def _any_history(loaded: LoadedSpec) -> str:
    models = loaded.spec.models
    return next(name for name in models if isinstance(models[name], HistoryModel))


def _known(table: RawTable, name: str) -> str:
    if name not in table.columns:
        hint = did_you_mean(name, table.header, "columns")
        raise DataError(Problem(f"there is no column '{name}'", hint, Location(table.name)))
    return name


def _column(table: RawTable, name: str) -> Any:
    found = numbers(table, _known(table, name))
    if found.problems:
        raise DataError(*found.problems)
    if found.missing.any():
        raise DataError(
            Problem(
                f"{table.name}: {name} is missing in {int(found.missing.sum())} rows",
                "give every step its numbers",
            )
        )
    return found.values


def _history_record(dataset: str, model: str, run: RunHistory) -> records.History:
    by_cost = run.best_by_cost
    return records.History(
        dataset=dataset,
        model=model,
        run=run.run,
        rows=run.rows,
        steps=run.steps,
        misclassified=run.misclassified,
        cost=run.cost,
        cost_name=run.cost_name,
        on_boundary=run.on_boundary,
        clipped=run.clipped,
        best_by_misclassified=run.steps[run.best_by_misclassified],
        best_by_cost=None if by_cost is None else run.steps[by_cost],
        differ=run.differ,
        sentence=run.sentence(),
    )
