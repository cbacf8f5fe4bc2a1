"""The charts of the report on axes of one's own: ``results.plot.roc(ax)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from evalreport.errors import Problem, UsageError, did_you_mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from evalreport.report.contents import Contents, View
    from evalreport.report.curve_charts import Shown
    from evalreport.results.lookup import Results

#: Width and height of a figure of one's own, and of one with words at both sides, in inches.
SIZE, WIDE = (5.2, 3.8), (7.5, 4.2)


def _of_curves(kind: str, does: str) -> Callable[..., Axes]:
    """The method that draws curves of a kind."""

    def draw(
        self: Plots,
        ax: Axes | None = None,
        *,
        dataset: str | None = None,
        model: str | None = None,
        label: str | None = None,
    ) -> Axes:
        from evalreport.report.curve_charts import on_axes

        return _drawn(ax, on_axes(self._shown(kind, dataset, model, label)))

    draw.__doc__ = does
    return draw


@dataclass(frozen=True, eq=False)
class Plots:
    """Each method draws a chart of the report and returns its matplotlib Axes.

    ``ax`` are axes to draw on, else a new figure. Charts are of the first dataset, and of the
    first model where they are of one, unless these are named; curves are of all models, or of
    the classes of the first one, unless a ``model`` or a class, its ``label``, is named. Raises
    UsageError where the results have nothing to draw.
    """

    records: Results

    roc = _of_curves("roc", "ROC curves.")
    precision_recall = _of_curves("precision_recall", "Precision over recall.")
    decision = _of_curves("decision", "Net benefit by threshold.")
    calibration = _of_curves(
        "calibration", "Observed shares over scores of a model, or of one of its classes."
    )
    scores = _of_curves("score_distribution", "Scores of a model by class.")
    thresholds = _of_curves("sweep", "Recall, specificity and precision of a model by threshold.")

    def confusion(
        self, ax: Axes | None = None, *, model: str | None = None, dataset: str | None = None
    ) -> Axes:
        """The classification table of a model as a heat map."""
        from evalreport.report.classes import confusion_on, first_table

        contents = self._contents()
        view = self._view(contents, dataset, model)
        table = first_table(contents, view)
        if table is None:
            raise _nothing("classification table")
        return _drawn(ax, lambda axes: confusion_on(axes, contents, table))

    def subgroups(
        self, ax: Axes | None = None, *, metric: str | None = None, dataset: str | None = None
    ) -> Axes:
        """One metric in every subgroup, the first of the report unless it is named."""
        from evalreport.report.charts.forest import forest
        from evalreport.report.forest_charts import over_groups
        from evalreport.report.slices import leading_groups

        contents = self._contents()
        view = self._view(contents, dataset, None)
        found = leading_groups(contents, view[0], metric)
        if found is None:
            raise _nothing(f"{metric or 'metric'} of subgroups")
        return _drawn(ax, partial(forest, shown=over_groups(contents, found)), WIDE)

    def _contents(self) -> Contents:
        from evalreport.report.contents import Contents

        return Contents(self.records)

    def _shown(self, kind: str, dataset: str | None, model: str | None, label: str | None) -> Shown:
        from evalreport.report.contents import view_of
        from evalreport.report.curve_charts import Shown, in_order
        from evalreport.results.records import Curve

        contents = self._contents()
        view = self._view(contents, dataset, model)
        same = [c for c in contents.of(Curve) if c.kind == kind and not c.subgroup]
        own = [c for c in same if c.dataset == view[0] and model in (None, c.model)]
        if not own:
            raise _nothing(f"curve of the kind {kind}")
        binary = contents.is_binary(view_of(own[0]))
        if not binary:
            own = in_order(contents, [c for c in own if c.model == own[0].model])
        _refuse_unknown(label, [str(c.label) for c in own], "class", "classes")
        own = [c for c in own if label in (None, c.label)]
        return Shown(contents, kind, own, per_class=not binary)

    def _view(self, contents: Contents, dataset: str | None, model: str | None) -> View:
        _refuse_unknown(dataset, contents.datasets, "dataset", "datasets")
        _refuse_unknown(model, contents.models, "model", "models")
        for view in contents.views:
            if dataset in (None, view[0]) and model in (None, view[1]):
                return view
        raise _nothing("model of this dataset")


def _refuse_unknown(name: str | None, known: Sequence[str], one: str, many: str) -> None:
    if name is not None and name not in known:
        raise UsageError(Problem(f"there is no {one} {name!r}", did_you_mean(name, known, many)))


def _nothing(what: str) -> UsageError:
    return UsageError(Problem(f"there is nothing to draw: no {what} in the results", ""))


def _drawn(
    ax: Axes | None, paint: Callable[[Axes], None], size: tuple[float, float] = SIZE
) -> Axes:
    """The axes with a chart on them; a figure of pyplot's where none are given."""
    from evalreport.report.charts.style import say_ticks, styled

    with styled():
        if ax is None:
            from matplotlib import pyplot as plt

            _, ax = plt.subplots(figsize=size, layout="constrained", facecolor="white")
        paint(ax)
        say_ticks(ax)
    return ax
