"""The charts of the report on axes of one's own: ``results.plot.roc(ax)``."""

from __future__ import annotations

from collections.abc import Callable
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


@dataclass(frozen=True, eq=False)
class Plots:
    """Each method draws a chart of the report and returns its matplotlib Axes.

    ``ax`` are axes to draw on, else a new figure. Charts are of the first dataset, and of the
    first model where they are of one, unless these are named. Raises UsageError where the
    results have nothing to draw.
    """

    records: Results

    def roc(self, ax: Axes | None = None, *, dataset: str | None = None) -> Axes:
        """ROC curves of all models, or of the classes of the first one."""
        return self._curves("roc", ax, dataset)

    def precision_recall(self, ax: Axes | None = None, *, dataset: str | None = None) -> Axes:
        """Precision over recall, of all models or of the classes of the first one."""
        return self._curves("precision_recall", ax, dataset)

    def decision(self, ax: Axes | None = None, *, dataset: str | None = None) -> Axes:
        """Net benefit by threshold."""
        return self._curves("decision", ax, dataset)

    def calibration(
        self,
        ax: Axes | None = None,
        *,
        model: str | None = None,
        dataset: str | None = None,
        label: str | None = None,
    ) -> Axes:
        """Observed shares over scores of a model, or of one of its classes."""
        return self._curves("calibration", ax, dataset, model, label)

    def scores(
        self,
        ax: Axes | None = None,
        *,
        model: str | None = None,
        dataset: str | None = None,
        label: str | None = None,
    ) -> Axes:
        """Scores of a model by class."""
        return self._curves("score_distribution", ax, dataset, model, label)

    def thresholds(
        self, ax: Axes | None = None, *, model: str | None = None, dataset: str | None = None
    ) -> Axes:
        """Recall, specificity and precision of a model at each threshold."""
        return self._curves("sweep", ax, dataset, model, None)

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

    def _curves(
        self,
        kind: str,
        ax: Axes | None,
        dataset: str | None,
        model: str | None = None,
        label: str | None = None,
    ) -> Axes:
        from evalreport.report.curve_charts import on_axes

        return _drawn(ax, on_axes(self._shown(kind, dataset, model, label)))

    def _shown(self, kind: str, dataset: str | None, model: str | None, label: str | None) -> Shown:
        from evalreport.report.contents import view_of
        from evalreport.report.curve_charts import Shown, in_order
        from evalreport.results.records import Curve

        contents = self._contents()
        view = self._view(contents, dataset, model)
        same = [c for c in contents.of(Curve) if c.kind == kind and not c.subgroup]
        own = [c for c in same if c.dataset == view[0] and (model is None or c.model == model)]
        binary = contents.is_binary(view_of(own[0])) if own else True
        if not binary:
            own = [c for c in own if c.model == own[0].model and label in (None, c.label)]
        if not own:
            raise _nothing(f"curve of the kind {kind}")
        return Shown(contents, kind, own if binary else in_order(contents, own), not binary)

    def _view(self, contents: Contents, dataset: str | None, model: str | None) -> View:
        for name, known, what in (
            (dataset, contents.datasets, "datasets"),
            (model, contents.models, "models"),
        ):
            if name is not None and name not in known:
                raise UsageError(
                    Problem(f"there is no {what[:-1]} {name!r}", did_you_mean(name, known, what))
                )
        for view in contents.views:
            if dataset in (None, view[0]) and model in (None, view[1]):
                return view
        raise _nothing("model of this dataset")


def _nothing(what: str) -> UsageError:
    return UsageError(Problem(f"there is nothing to draw: no {what} in the results", ""))


def _drawn(
    ax: Axes | None, paint: Callable[[Axes], None], size: tuple[float, float] = SIZE
) -> Axes:
    """The axes with a chart on them; a figure of pyplot's where none are given."""
    from evalreport.report.charts.style import styled

    with styled():
        if ax is None:
            from matplotlib import pyplot as plt

            _, ax = plt.subplots(figsize=size, layout="constrained", facecolor="white")
        paint(ax)
    return ax
