"""The plan as data: what will be computed, from which table, and what will not be, because."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, order=True)
class Slice:
    """Some rows of a dataset: a subgroup, a fold, or all rows.

    ``subgroup`` is a tuple of (column, value) pairs; ``fold`` a fold's name.
    """

    subgroup: tuple[tuple[str, str], ...] = ()
    fold: str | None = None

    def __str__(self) -> str:
        parts = [f"{column} = {value}" for column, value in self.subgroup]
        if self.fold is not None:
            parts.append(f"fold {self.fold}")
        return ", ".join(parts) if parts else "all rows"


EVERYTHING = Slice()

#: The fold of a record that is the mean over folds.
MEAN_OF_FOLDS = "mean"


@dataclass(frozen=True)
class ThresholdRequest:
    """A threshold as the spec asks for it: a plain number, or a rule solved on ``on``.

    ``rule`` is the structured rule (None for a number) and ``text`` its words.
    """

    number: float | None
    text: str | None = None
    rule: Any = field(default=None, compare=False, hash=False)
    on: str | None = None
    status: str | None = None

    def __str__(self) -> str:
        return f"{self.number:g}" if self.number is not None else str(self.text)


@dataclass(frozen=True)
class Task:
    """One number to be computed.

    ``table`` names the kind of table needed; tasks of one dataset, model, slice
    and threshold share it. ``interval`` is the planned method (None: no interval)
    and ``why`` the reason for it.
    """

    dataset: str
    model: str
    where: Slice
    metric: str
    params: tuple[tuple[str, Any], ...]
    average: str | None
    label: str | None
    threshold: ThresholdRequest | None
    table: str
    interval: str | None
    why: str
    indeterminate: str | None = None

    def name(self) -> str:
        """The metric with its parameters, class and average, in words."""
        inside = ", ".join(f"{key}={value}" for key, value in self.params)
        text = f"{self.metric}({inside})" if inside else self.metric
        if self.average:
            text = f"{self.average} {text}"
        return f"{text} of {self.label}" if self.label is not None else text


@dataclass(frozen=True)
class Skipped:
    """Something that was asked for and will not be computed, because.

    ``record`` is the task as far as it is known; ``recorded`` says whether a
    ``not_applicable`` record stands for it in the results.
    """

    record: Task
    reason: str
    recorded: bool = True


@dataclass(frozen=True)
class Plan:
    """Every task of a run, in order, everything that is skipped, and the acceptance criteria.

    ``counted`` tells how rows become tables; it is not hashed, because the tasks are the same.
    """

    tasks: tuple[Task, ...]
    skipped: tuple[Skipped, ...]
    notes: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    counted: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The plan as plain data, with its hash."""
        body = {
            "tasks": [_task_json(task) for task in self.tasks],
            "skipped": [_task_json(s.record) | {"reason": s.reason} for s in self.skipped],
            "notes": list(self.notes),
            "criteria": list(self.criteria),
        }
        return {"sha256": _sha256(body), **body, "counted": list(self.counted)}

    @property
    def sha256(self) -> str:
        """Hash of the plan, its criteria included; the same spec and facts give the same."""
        return str(self.as_json()["sha256"])

    def tables(self) -> Counter[tuple[Any, ...]]:
        """How many tasks share each table that the plan needs."""
        return Counter(
            (t.dataset, t.model, t.where, t.table, t.threshold if t.table in AT_THRESHOLD else None)
            for t in self.tasks
        )


#: Tables that exist once per threshold.
AT_THRESHOLD = frozenset({"counts", "matrix"})


def _task_json(task: Task) -> dict[str, Any]:
    return {
        "dataset": task.dataset,
        "model": task.model,
        "subgroup": dict(task.where.subgroup),
        "fold": task.where.fold,
        "metric": task.metric,
        "params": dict(task.params),
        "average": task.average,
        "label": task.label,
        "threshold": None if task.threshold is None else task.threshold.number,
        "threshold_rule": None if task.threshold is None else task.threshold.text,
        "table": task.table,
        "interval": task.interval,
        "why": task.why,
        **({"indeterminate": task.indeterminate} if task.indeterminate else {}),
    }


def _sha256(body: Any) -> str:
    text = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
