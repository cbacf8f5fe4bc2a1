"""What models say of datasets, from columns or made here, and what is told of their training."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalreport.data.table import RawTable
from evalreport.engine.metric_functions import metric_value
from evalreport.engine.settings import Settings
from evalreport.errors import Problem, SpecError
from evalreport.plan.refusals import NO_ORDER
from evalreport.predict.columns import Where, view_of
from evalreport.predict.facts import in_order
from evalreport.predict.made import MADE_HERE, Made
from evalreport.predict.view import LabelView, View
from evalreport.results import records
from evalreport.results.records import (
    Failure,
    FoldParams,
    LearningCurve,
    Tuning,
)
from evalreport.spec.load import LoadedSpec
from evalreport.spec.metric_requests import MetricRequest
from evalreport.spec.model import Spec
from evalreport.spec.models import EstimatorModel, HistoryModel

if TYPE_CHECKING:
    from evalreport.predict.making import Making


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
        from evalreport.engine.learning import histories

        return Predicted(
            Made(None), histories=histories(loaded, dataset, model, table, where, settings)
        )
    if not isinstance(declared, MADE_HERE):
        return Predicted(Made(view_of(spec, dataset, model, table, subgroups, where)))
    from evalreport.predict.models_run_here import failure_records, made_here

    making = replace(_making(loaded, settings, fitting), tables=tables or {dataset: table})
    try:
        made = made_here(spec, dataset, model, table, subgroups, where, making)
    except SpecError as error:
        raise _of_model(loaded, model, error) from None
    failures = [*failure_records(dataset, made.failures)]
    curve = None
    asked = spec.learning_curve if isinstance(declared, EstimatorModel) else None
    if asked is not None and made.view is not None and not fitting.foresee:
        from evalreport.engine.learning import curve_of

        curve = curve_of(loaded, dataset, model, made, settings, making, failures)
    return Predicted(made, tuple(failures), curve)


def check_estimators(loaded: LoadedSpec, allowed: tuple[str, ...]) -> None:
    """Look up every class that is to be trained, with its parameters and those of its grid.

    Raises SpecError with all that is wrong; nothing is read or fitted for it.
    """
    problems: list[Problem] = []
    for name, model in loaded.spec.models.items():
        if isinstance(model, EstimatorModel):
            from evalreport.predict.cross_validation import check_recipe
            from evalreport.predict.making import outline_of

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
    from evalreport.predict.making import Making

    declared = [dataset.labels for dataset in loaded.spec.datasets.values()]

    def metric(
        request: MetricRequest, labels: tuple[str, ...], positive: int | None
    ) -> tuple[Any, bool]:
        if request.metric.ordered_classes and not in_order(labels, declared):
            raise SpecError(Problem(f"{request.name}: {NO_ORDER}", ""))
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
