"""Models that predict here: their views, failures, learning curves and training histories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evalreport.data.label_column import texts
from evalreport.data.read import read_table
from evalreport.data.scores import numbers
from evalreport.data.source import open_source
from evalreport.data.table import RawTable
from evalreport.engine.metric_functions import metric_value
from evalreport.engine.settings import Settings
from evalreport.errors import DataError, EvalreportError, Problem, SpecError
from evalreport.predict.cache import cache_key, cached_record, versions
from evalreport.predict.columns import Where, roles_of, rules_of, view_of
from evalreport.predict.cross_validation import check_recipe
from evalreport.predict.history import RunHistory, prediction_history, weight_history
from evalreport.predict.learning_curve import (
    CurveDesign,
    CurvePoint,
    LearningCurve,
    learning_curve,
)
from evalreport.predict.made_here import MADE_HERE, failure_records, made_here
from evalreport.predict.making import Made, Making, group_codes, outline_of, recipe_of
from evalreport.predict.view import View
from evalreport.spec.load import LoadedSpec
from evalreport.spec.metric_requests import MetricRequest
from evalreport.spec.model import Spec
from evalreport.spec.models import EstimatorModel, History, HistoryModel

Records = list[dict[str, Any]]


@dataclass(frozen=True, eq=False)
class Fitting:
    """How models are fitted: where predictions are kept, and what the command allows.

    ``step`` starts a step of so many parts, ``advance`` moves it on by one.
    ``foresee``: nothing is fitted and predictions are good for a plan only.
    """

    cache: Path | None = None
    fresh: bool = False
    workers: int | None = None
    allowed: tuple[str, ...] = ()
    step: Callable[[str, int | None], None] = lambda _what, _total: None
    advance: Callable[[], None] = lambda: None
    foresee: bool = False

    def progress(self, what: str, done: int, total: int) -> None:
        """Start a step at 0 parts done, else move it on."""
        if done:
            self.advance()
        else:
            self.step(what, total or None)


@dataclass(frozen=True, eq=False)
class Predicted:
    """A model on a dataset: its view if there is one, and records that are no measures."""

    made: Made
    failures: Records
    learning_curve: dict[str, Any] | None = None
    histories: tuple[dict[str, Any], ...] = ()


def predicted(
    loaded: LoadedSpec,
    dataset: str,
    model: str,
    table: RawTable,
    subgroups: tuple[str, ...],
    where: Where,
    settings: Settings,
    fitting: Fitting,
) -> Predicted:
    """What a model says of a dataset, from columns or made here.

    Raises DataError and SpecError for mistakes of data and spec.
    """
    spec = loaded.spec
    declared = spec.models[model]
    if isinstance(declared, HistoryModel):
        runs = _histories(loaded, dataset, table, where, declared.history)
        records = tuple(_history_record(dataset, model, run) for run in runs)
        return Predicted(Made(None), [], None, records)
    if not isinstance(declared, MADE_HERE):
        return Predicted(Made(view_of(spec, dataset, model, table, subgroups, where)), [])
    making = _making(loaded, settings, fitting)
    try:
        made = made_here(spec, dataset, model, table, subgroups, where, making)
    except SpecError as error:
        raise _of_model(loaded, model, error) from None
    failures: Records = [dict(one) for one in failure_records(dataset, made.failures)]
    curve = None
    asked = spec.learning_curve if isinstance(declared, EstimatorModel) else None
    if asked is not None and made.view is not None and not fitting.foresee:
        curve = _curve(loaded, dataset, model, table, made, settings, making, failures)
    return Predicted(made, failures, curve)


def check_estimators(loaded: LoadedSpec, allowed: tuple[str, ...]) -> None:
    """Look up every class that is to be trained, with its parameters and those of its grid.

    Raises SpecError with all that is wrong; nothing is read or fitted for it.
    """
    problems: list[Problem] = []
    for name, model in loaded.spec.models.items():
        if isinstance(model, EstimatorModel):
            try:
                check_recipe(outline_of(loaded.spec, name, allowed))
            except SpecError as error:
                problems.extend(_of_model(loaded, name, error).problems)
    if problems:
        raise SpecError(*problems)


def _of_model(loaded: LoadedSpec, model: str, error: SpecError) -> SpecError:
    """The same mistakes, with the model they are of and its place in the spec."""
    keys = ("params", "tune", "estimator")
    places = [("models", model, key) for key in keys]
    place = next((p for p in places if p in loaded.document.values), ("models", model))
    return SpecError(
        *(
            Problem(f"model '{model}': {p.what}", p.instead, p.where or loaded.where(place))
            for p in error.problems
        )
    )


def _making(loaded: LoadedSpec, settings: Settings, fitting: Fitting) -> Making:
    def metric(
        request: MetricRequest, labels: tuple[str, ...], positive: int | None
    ) -> tuple[Any, bool]:
        made = metric_value(request.name, request.params, labels, positive, settings)
        return made, made.larger_is_better

    return Making(
        metric=metric,
        folder=loaded.folder or Path(),
        cache=fitting.cache,
        fresh=fitting.fresh,
        workers=fitting.workers,
        allowed=fitting.allowed,
        progress=fitting.progress,
        foresee=fitting.foresee,
    )


def further_repeats(predictions: Sequence[Predicted], view: View) -> tuple[View, ...]:
    """The views of the repeats after the one that ``view`` holds."""
    return next((one.made.further_repeats for one in predictions if one.made.view is view), ())


def training_records(predictions: Sequence[Predicted]) -> dict[str, Records]:
    """Learning curves, training histories and what tuning chose, each where there are any."""
    curves = [one.learning_curve for one in predictions if one.learning_curve is not None]
    histories = [record for one in predictions for record in one.histories]
    tuned = [record for one in predictions if (record := _tuning_record(one)) is not None]
    found = {"learning_curves": curves, "histories": histories, "tuning": tuned}
    return {name: records for name, records in found.items() if records}


def _tuning_record(one: Predicted) -> dict[str, Any] | None:
    """The parameters that tuning chose in each fold."""
    made = one.made
    if made.view is None or made.folded is None or not made.folded.chosen:
        return None
    chosen = made.folded.chosen
    folds = [{"fold": name, "params": dict(params)} for name, params in chosen.items()]
    return {"dataset": made.view.dataset, "model": made.view.model, "folds": folds}


def fits_text(spec: Spec, predictions: Sequence[Predicted]) -> list[str]:
    """What is trained, on which dataset and how often, where nothing is kept of it."""
    found = []
    for one in predictions:
        made = one.made
        if not made.fits or made.folded is None or made.view is None:
            continue
        folds = len(made.folded.folds)
        where = f"{made.folded.model} on {made.view.dataset}"
        each = made.fits // folds
        tuned = f" with {each} fits each, for tuning" if each > 1 else ""
        found.append(f"{where}: {made.fits:,} fits, {folds:,} folds{tuned}")
        curve = spec.learning_curve
        if curve is not None:
            count = len(curve.sizes) * curve.repeats * each
            found.append(f"learning curve of {where}: {count:,} fits")
    return found


# -- learning curves -------------------------------------------------------------------------


def _curve(
    loaded: LoadedSpec,
    dataset: str,
    model: str,
    table: RawTable,
    made: Made,
    settings: Settings,
    making: Making,
    failures: Records,
) -> dict[str, Any] | None:
    spec = loaded.spec
    asked = spec.learning_curve
    assert asked is not None
    assert made.rows is not None
    rows, features = made.rows, made.table
    assert features is not None
    metrics = {
        name: metric_value(request.name, request.params, rows.labels, rows.positive, settings)
        for name, request in _named(asked.metrics or spec.metrics).items()
    }
    what = f"learning curve of {model} on {dataset}"

    def work() -> dict[str, Any]:
        making.progress(f"{what}, fits", 0, len(asked.sizes) * asked.repeats)
        curve = learning_curve(
            recipe_of(spec, model, rows.labels, rows.positive, making),
            features,
            rows.actual,
            rows.labels,
            rows.positive,
            metrics,
            CurveDesign(tuple(asked.sizes), asked.repeats, asked.seed),
            group_codes(spec, dataset, table, rows),
            lambda done, total: making.progress(what, done, total),
        )
        return _curve_record(dataset, curve)

    software = versions(making.allowed)
    asked_metrics = [[name, value.params] for name, value in metrics.items()]
    part = {"curve": asked.model_dump(mode="json"), "metrics": asked_metrics, "dataset": dataset}
    key = cache_key({"predictions": made.key}, part, software)
    try:
        record = cached_record(
            making.cache, key, work, making.fresh, lambda made: not made["failures"]
        )
    except EvalreportError as error:
        reason = "; ".join(str(problem) for problem in error.problems)
        failures.append({"section": "learning_curve", "dataset": dataset, "model": model,
                         "reason": reason})
        return None
    failures.extend(record.pop("failures"))
    return dict(record)


def _named(requests: Sequence[MetricRequest]) -> dict[str, MetricRequest]:
    """Requests by the metric's name, with parameters where a metric is asked for twice."""
    names = Counter(str(request.name) for request in requests)
    found = {}
    for request in requests:
        inside = ", ".join(f"{key}={value}" for key, value in request.params.items())
        shown = str(request.name)
        found[f"{shown}({inside})" if names[shown] > 1 and inside else shown] = request
    return found


def _curve_record(dataset: str, curve: LearningCurve) -> dict[str, Any]:
    return {
        "dataset": dataset,
        "model": curve.model,
        "repeats": curve.repeats,
        "notes": list(curve.notes),
        "points": [_point_record(point) for point in curve.points],
        "failures": [
            {"section": "learning_curve", "dataset": dataset, "model": curve.model,
             "reason": f"{failure.fold}: {failure.reason}"}
            for failure in curve.failures
        ],
    }


def _point_record(point: CurvePoint) -> dict[str, Any]:
    return {
        "size": point.size,
        "train_rows": point.train_rows,
        "test": {name: asdict(summary) for name, summary in point.test.items()},
        "train": {name: asdict(summary) for name, summary in point.train.items()},
    }


# -- training histories ----------------------------------------------------------------------


def _histories(
    loaded: LoadedSpec, dataset: str, table: RawTable, where: Where, history: History
) -> tuple[RunHistory, ...]:
    from evalreport.data.checked import check

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
        return weight_history(whole, runs, bias, weights, features, positive)
    given: dict[str, Any] = {}
    if history.margin is not None:
        given["margin"] = _column(steps, history.margin)
    elif history.score is not None:
        given["score"] = _column(steps, history.score)
    elif history.prediction is not None:
        codes, names = texts(steps, _known(steps, history.prediction))
        place = {label: code for code, label in enumerate(checked.labels)}
        given["predicted"] = np.array([place.get(names[code], -1) for code in codes.tolist()])
    return prediction_history(whole, runs, None, checked.actual, checked.positive, **given)


def _any_history(loaded: LoadedSpec) -> str:
    models = loaded.spec.models
    return next(name for name in models if isinstance(models[name], HistoryModel))


def _known(table: RawTable, name: str) -> str:
    from evalreport.errors import Location, did_you_mean

    if name not in table.columns:
        hint = did_you_mean(name, table.header, "columns")
        raise DataError(Problem(f"there is no column '{name}'", hint, Location(table.name)))
    return name


def _column(table: RawTable, name: str) -> Any:
    found = numbers(table, _known(table, name))
    if found.problems:
        raise DataError(*found.problems)
    if found.missing.any():
        raise DataError(Problem(f"{table.name}: {name} is missing in {int(found.missing.sum())} "
                                "rows", "give every step its numbers"))
    return found.values


def _history_record(dataset: str, model: str, run: RunHistory) -> dict[str, Any]:
    by_cost = run.best_by_cost
    return {
        "dataset": dataset,
        "model": model,
        "run": run.run,
        "rows": run.rows,
        "steps": list(run.steps),
        "misclassified": list(run.misclassified),
        "cost": None if run.cost is None else list(run.cost),
        "cost_name": run.cost_name,
        "on_boundary": list(run.on_boundary),
        "clipped": list(run.clipped),
        "best_by_misclassified": run.steps[run.best_by_misclassified],
        "best_by_cost": None if by_cost is None else run.steps[by_cost],
        "differ": run.differ,
        "sentence": run.sentence(),
    }
