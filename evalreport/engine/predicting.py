"""Models that predict here: their views, failures, learning curves and training histories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
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
from evalreport.errors import DataError, EvalreportError, Problem, SpecError
from evalreport.predict.cache import cache_key, cached_record, versions
from evalreport.predict.columns import Where, roles_of, rules_of, view_of
from evalreport.predict.cross_validation import check_recipe
from evalreport.predict.history import RunHistory, prediction_history, weight_history
from evalreport.predict.learning_curve import CurveDesign, learning_curve
from evalreport.predict.learning_curve import LearningCurve as FittedCurve
from evalreport.predict.making import Made, Making, outline_of, recipe_of
from evalreport.predict.models_run_here import MADE_HERE, failure_records, made_here
from evalreport.predict.outcome import Output
from evalreport.predict.view import LabelView, View
from evalreport.results import records
from evalreport.results.codec import decode_as, encode
from evalreport.results.records import (
    BestStep,
    Failure,
    FoldParams,
    LearningCurve,
    LearningPoint,
    StepMetric,
    Tuning,
)
from evalreport.spec.load import LoadedSpec
from evalreport.spec.metric_requests import MetricRequest
from evalreport.spec.model import Spec
from evalreport.spec.models import EstimatorModel, History, HistoryModel
from evalreport.values import dataclass


@dataclass(frozen=True, eq=False)
class Fitting:
    """How models are fitted: where predictions are kept, and what the command allows.

    ``allowed``: packages whose classifiers may be trained; ``trusted``: what saved models may
    hold. ``step`` starts a step of so many parts, ``advance`` moves it on by one.
    ``foresee``: nothing is fitted and predictions are good for a plan only.
    """

    cache: Path | None = None
    fresh: bool = False
    workers: int | None = None
    allowed: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
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
    failures: tuple[Failure, ...] = ()
    learning_curve: LearningCurve | None = None
    histories: tuple[records.History, ...] = ()


def predicted(
    loaded: LoadedSpec,
    dataset: str,
    model: str,
    table: RawTable,
    subgroups: tuple[str, ...],
    where: Where,
    settings: Settings,
    fitting: Fitting,
    tables: Mapping[str, RawTable] | None = None,
) -> Predicted:
    """What a model says of a dataset, from columns or made here.

    ``tables``: the datasets that were read, of which one may be trained on.
    Raises DataError and SpecError for mistakes of data and spec.
    """
    spec = loaded.spec
    declared = spec.models[model]
    if isinstance(declared, HistoryModel):
        runs, checked = _histories(loaded, dataset, table, where, declared.history)
        told = tuple(
            replace(
                _history_record(dataset, model, run), best=_best(loaded, run, checked, settings)
            )
            for run in runs
        )
        return Predicted(Made(None), histories=told)
    if not isinstance(declared, MADE_HERE):
        return Predicted(Made(view_of(spec, dataset, model, table, subgroups, where)))
    making = replace(_making(loaded, settings, fitting), tables=tables or {dataset: table})
    try:
        made = made_here(spec, dataset, model, table, subgroups, where, making)
    except SpecError as error:
        raise _of_model(loaded, model, error) from None
    failures = [*failure_records(dataset, made.failures)]
    curve = None
    asked = spec.learning_curve if isinstance(declared, EstimatorModel) else None
    if asked is not None and made.view is not None and not fitting.foresee:
        curve = _curve(loaded, dataset, model, made, settings, making, failures)
    return Predicted(made, tuple(failures), curve)


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
        trusted=fitting.trusted,
        progress=fitting.progress,
        foresee=fitting.foresee,
    )


def further_repeats(predictions: Sequence[Predicted], view: View) -> tuple[LabelView, ...]:
    """The views of the repeats after the one that ``view`` holds."""
    return next((one.made.further_repeats for one in predictions if one.made.view is view), ())


@dataclass(frozen=True)
class Trained:
    """Learning curves, training histories and what tuning chose."""

    learning_curves: tuple[LearningCurve, ...] = ()
    histories: tuple[records.History, ...] = ()
    tuning: tuple[Tuning, ...] = ()


def training_records(predictions: Sequence[Predicted]) -> Trained:
    """What is told of the training of every model."""
    curves = [one.learning_curve for one in predictions if one.learning_curve is not None]
    histories = [record for one in predictions for record in one.histories]
    tuned = [record for one in predictions if (record := _tuning_record(one)) is not None]
    return Trained(tuple(curves), tuple(histories), tuple(tuned))


def _tuning_record(one: Predicted) -> Tuning | None:
    """The parameters that tuning chose in each fold."""
    made = one.made
    if made.view is None or made.folded is None or not made.folded.chosen:
        return None
    folds = tuple(FoldParams(name, dict(params)) for name, params in made.folded.chosen.items())
    return Tuning(made.view.dataset, made.view.model, folds)


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
        found.append(f"{where}: {_counted(made.fits, 'fit')}, {_counted(folds, 'fold')}{tuned}")
        curve = spec.learning_curve
        if curve is not None:
            count = len(curve.sizes) * curve.repeats * each
            found.append(f"learning curve of {where}: {count:,} fits")
    return found


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


# -- learning curves -------------------------------------------------------------------------


def _curve(
    loaded: LoadedSpec,
    dataset: str,
    model: str,
    made: Made,
    settings: Settings,
    making: Making,
    failures: list[Failure],
) -> LearningCurve | None:
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
    return decode_as(LearningCurve, record["curve"], _KEPT)


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


def _histories(
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
