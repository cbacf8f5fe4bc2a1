"""Two models over the folds of a cross-validation: the corrected resampled t test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from evalreport.engine.comparisons.pairs import Pair
from evalreport.engine.comparisons.result import Found, Test, difference_of, no_variation
from evalreport.engine.evaluate import Evaluated
from evalreport.engine.folds import mean_over_folds
from evalreport.engine.intervals.methods import from_limits
from evalreport.plan.comparisons import ComparisonTask
from evalreport.plan.task import Slice
from evalreport.statistics.folds import corrected_resampled_t

METHOD = "nadeau_bengio"


def fold_names(pair: Pair) -> tuple[str, ...]:
    """The folds that both models have in common; none where they were split differently."""
    one, two = pair.model.view.fold, pair.reference.view.fold
    if one is None or two is None or one[1] != two[1]:
        return ()
    same = bool((one[0] == two[0]).all())
    return one[1] if same else ()


def over_folds(
    pair: Pair, task: ComparisonTask, folds: Sequence[str]
) -> tuple[ComparisonTask, tuple[Evaluated, Evaluated], float | None, Found]:
    """The mean difference over folds with its corrected t interval and test.

    Nadeau C., Bengio Y. Inference for the generalization error. Machine Learning 52, 2003.
    """
    by_fold = [
        (
            pair.model.value(replace(task.task, where=Slice(fold=name))),
            pair.reference.value(replace(task.reference, where=Slice(fold=name))),
        )
        for name in folds
    ]
    means = (
        mean_over_folds(folds, [one for one, _ in by_fold]),
        mean_over_folds(folds, [two for _, two in by_fold]),
    )
    differences = [difference_of(*values) for values in by_fold]
    known = [d for d in differences if d is not None]
    renamed = replace(
        task,
        test=METHOD,
        interval=METHOD,
        why="folds share training rows",
        test_reason=None,
        interval_reason=None,
    )
    if len(known) < len(differences):
        missing = len(differences) - len(known)
        reason = f"the difference is undefined in {missing} of {len(folds)} folds"
        return renamed, means, None, Found(Test(reason=reason), None, reason)
    mean = math.fsum(known) / len(known)
    return renamed, means, mean, _tested(pair, known, mean)


def _tested(pair: Pair, differences: Sequence[float], mean: float) -> Found:
    sizes = pair.model.view.fold_sizes
    facts = {"fold_differences": list(differences)}
    if sizes is None:
        reason = "sizes of the training sets are not known"
        return Found(Test(reason=reason), None, reason, facts)
    train = math.fsum(size[0] for size in sizes.values()) / len(sizes)
    test = math.fsum(size[1] for size in sizes.values()) / len(sizes)
    level = pair.model.settings.level
    found = corrected_resampled_t(differences, train, test, level)
    if found is None:
        reason = "there are fewer than two folds"
        return Found(Test(reason=reason), None, reason, facts)
    interval = from_limits(found.interval, level, METHOD)
    if found.p_value is None or found.statistic is None:
        return Found(no_variation(mean), interval, None, facts)
    return Found(Test(found.statistic, found.p_value, found.df), interval, None, facts)
