"""Two models over the folds of a cross-validation: the corrected resampled t test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from evalreport.engine.comparisons.comparer import Comparer, Found, Values, difference_of
from evalreport.engine.comparisons.contrast import ByError, Contrast, Test, Unknown
from evalreport.engine.comparisons.counts import Counted
from evalreport.engine.comparisons.pairs import Pair
from evalreport.engine.folds import mean_over_folds
from evalreport.engine.metric_values import Evaluated
from evalreport.metrics.catalogue import metric_named
from evalreport.metrics.methods import OF_FOLDS
from evalreport.plan.comparisons import ComparisonTask
from evalreport.results.identity import Slice
from evalreport.statistics.folds import corrected_resampled_t

SHARED = "folds share training rows"


def fold_names(pair: Pair) -> tuple[str, ...]:
    """The folds that both models have in common; none where they were split differently."""
    one, two = pair.model.view.fold, pair.reference.view.fold
    if one is None or two is None or one[1] != two[1]:
        return ()
    same = bool((one[0] == two[0]).all())
    return one[1] if same else ()


def over_folds(
    pairs: Sequence[Pair], task: ComparisonTask
) -> tuple[ComparisonTask, tuple[Evaluated, Evaluated], float | None, Found]:
    """The mean difference over folds with its corrected t interval and test.

    ``pairs``: one for each repeat of the cross-validation. The folds of all of them give the
    values, their difference, its interval and the test. Nadeau C., Bengio Y. Inference for
    the generalization error. Machine Learning 52, 2003; Bouckaert R., Frank E. PAKDD 2004,
    for repeats.
    """
    folds = [(pair, name) for pair in pairs for name in fold_names(pair)]
    names = [name for _, name in folds]
    by_fold = [
        (
            pair.model.value(replace(task.task, where=Slice(fold=name))),
            pair.reference.value(replace(task.reference, where=Slice(fold=name))),
        )
        for pair, name in folds
    ]
    means = (
        mean_over_folds(names, [one for one, _ in by_fold]),
        mean_over_folds(names, [two for _, two in by_fold]),
    )
    differences = [difference_of(*values) for values in by_fold]
    known = [d for d in differences if d is not None]
    renamed = of_folds(task)
    if len(known) < len(differences):
        missing = len(differences) - len(known)
        reason = f"the difference is undefined in {missing} of {len(names)} folds"
        return renamed, means, None, Found(Test(reason=reason), None, reason)
    by, mean = OverFolds(pairs, known), math.fsum(known) / len(known)
    return renamed, means, mean, by.found(renamed, means, mean)


def of_folds(task: ComparisonTask) -> ComparisonTask:
    """The comparison as it is made over folds."""
    asked = task.hypothesis
    return replace(
        task,
        test=OF_FOLDS,
        interval=OF_FOLDS,
        why=SHARED,
        test_reason=None,
        interval_reason=None,
        ratio="",
        hypothesis=asked and replace(asked, test=OF_FOLDS, why=SHARED, reason=None),
    )


class OverFolds(Comparer):
    """Both models in each fold: ``pairs``, one for each repeat, and the difference in each fold."""

    def __init__(self, pairs: Sequence[Pair], differences: Sequence[float]) -> None:
        super().__init__(pairs[0].model, pairs[0].reference)
        self.pairs, self.differences = pairs, differences

    def counts(self, task: ComparisonTask, values: Values) -> Counted:  # noqa: ARG002 - of folds
        return Counted(folds=tuple(self.differences))

    def contrast(
        self,
        task: ComparisonTask,
        values: Values,  # noqa: ARG002 - of folds
        difference: float,  # noqa: ARG002 - of folds
        method: str,
    ) -> Contrast:
        """By the corrected t; no further from 0 than two values of the metric can lie apart."""
        views = [pair.model.view for pair in self.pairs]
        sizes = [size for view in views for size in (view.fold_sizes or {}).values()]
        if not sizes or any(view.fold_sizes is None for view in views):
            return Unknown("sizes of the training sets are not known")
        train = math.fsum(size[0] for size in sizes) / len(sizes)
        test = math.fsum(size[1] for size in sizes) / len(sizes)
        found = corrected_resampled_t(self.differences, train, test, self.model.settings.level)
        if found is None:
            return Unknown("there are fewer than two folds")
        low, high = metric_named(task.task.metric).range_of(len(views[0].labels))
        return ByError(found.difference, found.error, found.df, method, most=high - low)

    def studied(self, task: ComparisonTask) -> None:  # noqa: ARG002 - as of every comparison
        return None
