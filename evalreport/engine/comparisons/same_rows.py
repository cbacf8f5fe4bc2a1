"""Two models on the same rows, by the planned methods."""

from __future__ import annotations

from evalreport.engine.comparisons import areas, counts, designed
from evalreport.engine.comparisons.comparer import Comparer, Values
from evalreport.engine.comparisons.contrast import ByError, Contrast, Unknown
from evalreport.engine.comparisons.counts import Counted
from evalreport.engine.comparisons.draws import PairedDraws
from evalreport.engine.comparisons.pairs import Pair
from evalreport.engine.comparisons.replicates import by_draws, by_groups
from evalreport.engine.comparisons.square_and_add import of_limits, of_tables
from evalreport.engine.intervals.studied import drawn_together, studied_as, was_studied
from evalreport.metrics.catalogue import metric_named
from evalreport.metrics.coverage_study import Drawn
from evalreport.metrics.methods import (
    ADDED,
    AREA_OF_CLUSTERS,
    BY_DESIGN,
    CLUSTERS,
    JACKKNIFE,
    PAIRED_T,
    PERCENTILE,
    SANDWICH,
    SATTERTHWAITE,
    TWO_TABLES,
    Family,
)
from evalreport.plan.comparisons import ComparisonTask
from evalreport.plan.methods import REQUESTED
from evalreport.results.records import Interval
from evalreport.statistics import means

#: Intervals that know which rows belong together.
OF_CLUSTERED_ROWS = (*(CLUSTERS, "obuchowski", AREA_OF_CLUSTERS, ADDED, JACKKNIFE, SANDWICH),)
NOT_INDEPENDENT = "takes rows as independent, but rows of one cluster are not"


class SameRows(Comparer):
    """A model and its reference on the rows that both use, which ``draws`` draws."""

    def __init__(self, pair: Pair, draws: PairedDraws) -> None:
        super().__init__(pair.model, pair.reference)
        self.pair = pair
        self._draws = draws

    def counts(self, task: ComparisonTask, values: Values) -> Counted:  # noqa: ARG002 - of rows
        """The joint counts of both models; none where rows are weighted."""
        if self.model.view.weight is not None:
            return Counted()
        if task.family is Family.ROWS:
            return Counted(rows=self.pair.joint_table(task.task, task.reference))
        if task.family is Family.CALLS:
            return Counted(calls=self.pair.calls(task.task, task.reference))
        return Counted()

    def contrast(
        self, task: ComparisonTask, values: Values, difference: float, method: str
    ) -> Contrast:
        view = self.model.view
        # square-and-add has a form of its own in clusters, by the limits of both values
        if method in counts.METHODS and (view.cluster is None or method != ADDED):
            of_counts = self.counts(task, values)
            known = of_counts.contrast(metric_named(task.task.metric), method, difference)
            if known is not None:
                return known
        if method in areas.OF_SAME_ROWS:
            return areas.of_pair(self.pair, task, method)
        if method in (SATTERTHWAITE, PAIRED_T):
            return self._of_losses(task, method)
        if method in (BY_DESIGN, SANDWICH):
            return designed.by_contributions(self.pair, task, values, difference)
        if method == TWO_TABLES:
            return of_tables(self.pair, task)
        if method == ADDED:
            together = designed.correlation(self.pair, task, values)
            return of_limits((self.model, self.reference), task, difference, together)
        if method == JACKKNIFE:
            low, high = metric_named(task.task.metric).range_of(len(view.labels))
            left_out = self._draws.of(task, left_out=True)
            return by_groups(difference, left_out, high - low, view)
        return by_draws(difference, self._draws.of(task), method)

    def _of_losses(self, task: ComparisonTask, method: str) -> Contrast:
        """Student's t of the differences of losses."""
        first, second = self.model.losses(task.task), self.reference.losses(task.reference)
        found = None
        if first is not None and second is not None:
            level, own = self.model.settings.level, method == SATTERTHWAITE
            found = means.paired_t(first - second, level, self.pair.times, own_df=own)
        if found is None:
            return Unknown("fewer than two rows, or no loss of a single row is known")
        return ByError(found.difference, found.error, found.df, method)

    def noted(self, interval: Interval) -> Interval:
        if self.model.view.cluster is None or interval.method in OF_CLUSTERED_ROWS:
            return interval
        text = "clusters are drawn" if interval.method == PERCENTILE else NOT_INDEPENDENT
        return interval.noted(text)

    def studied(self, task: ComparisonTask) -> tuple[str, Drawn] | None:
        view = self.model.view
        if task.why in REQUESTED or not was_studied(view, task.task):
            return None
        name, of = studied_as(task.task, view)
        counted = min(view.class_rows) if of else view.class_rows[self.model.class_index(task.task)]
        return name, drawn_together(view, of, counted)
