"""One test of all models of a dataset at once: which, of which numbers, or why not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evalreport.metrics.comparing import SEVERAL, family_of
from evalreport.plan.comparisons import (
    comparable_tasks,
    declared_metric,
    of_other_class,
    why_not_compared,
)
from evalreport.plan.facts import Facts
from evalreport.plan.task import Task

#: With two models the comparison of the two says it.
LEAST = 3


@dataclass(frozen=True)
class OmnibusTask:
    """The same number of every model of a dataset; ``reason``: why there is no test of them."""

    dataset: str
    tasks: tuple[Task, ...]
    test: str
    reason: str | None = None

    @property
    def words(self) -> str:
        """The request as the plan names it."""
        return f"all models at once, {self.tasks[0].name()}{self.test and f': {self.test}'}"


def plan_omnibus(tasks: Sequence[Task], facts: Sequence[Facts]) -> list[OmnibusTask]:
    """Each number that models of a dataset have, in the order of the plan."""
    found = []
    for dataset in dict.fromkeys(f.dataset for f in facts):
        own = [f for f in facts if f.dataset == dataset]
        by_model = {f.model: comparable_tasks(tasks, (dataset, f.model)) for f in own}
        names: dict[tuple[Any, ...], None] = {}
        for numbers in by_model.values():
            names |= dict.fromkeys(numbers)
        for name in names:
            same = tuple(numbers[name] for numbers in by_model.values() if name in numbers)
            found.append(_planned(dataset, same, own))
    return found


def _planned(dataset: str, same: tuple[Task, ...], facts: Sequence[Facts]) -> OmnibusTask:
    metric = declared_metric(same[0])
    test = SEVERAL.get(family_of(metric, same[0].average), "")
    reason = next(_reasons(same, facts), None)
    if reason is None and not test:
        reason = "no test of more than two models is known for it"
    return OmnibusTask(dataset, same, test, reason)


def _reasons(same: tuple[Task, ...], facts: Sequence[Facts]) -> Iterator[str]:
    """Why a number is not tested, the first reason first."""
    if len(same) < LEAST:
        yield f"fewer than {LEAST} models have it"
    metric, own = declared_metric(same[0]), [f for f in facts if f.model in {t.model for t in same}]
    for task, one in zip(same, own, strict=True):
        found = why_not_compared(task, task, paired=True, other_class=of_other_class(task, one))
        if found is not None:
            yield found
    if any(f.clustered for f in own):
        yield "rows of one cluster are not independent"
    if any(f.weighted or f.designed is not None for f in own):
        yield "it is not defined for weighted rows"
    if metric.ranks_rows and any(f.fold_sizes and not f.folds for f in own):
        yield "each row was scored by another fit, and their scores are not on one scale"
