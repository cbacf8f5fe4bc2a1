"""The plan as data: what will be computed, from which table, and what will not be, because."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from evalreport.metrics.kinds import Average
from evalreport.results.identity import Slice


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
    and ``why`` the reason for it. ``undefined`` says why no data can give it a value.
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
    undefined: str | None = None

    def name(self) -> str:
        """The metric with its parameters, class and average, in words."""
        inside = ", ".join(f"{key}={value}" for key, value in self.params)
        text = f"{self.metric}({inside})" if inside else self.metric
        if self.average:
            text = f"{self.average} {text}"
        return f"{text} of {self.label}" if self.label is not None else text

    def section(self) -> str:
        """How a failure calls the task that failed."""
        return f"{self.name()} ({self.where})"


@dataclass(frozen=True)
class Place:
    """Where a task belongs: its slice and threshold, and which record of the metric it is."""

    where: Slice
    threshold: ThresholdRequest | None
    average: Average | None = None
    label: str | None = None
    indeterminate: str | None = None


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
class Request:
    """Something beside measures that the spec asks for: planned, or left out with a ``reason``.

    ``part`` names the kind of request (``threshold``, ``comparison``, ``curves``, ...), ``what``
    says it in words and ``how`` the way it will be done, where there are several.
    """

    part: str
    what: str
    dataset: str | None = None
    model: str | None = None
    how: str = ""
    reason: str | None = None

    def __str__(self) -> str:
        """The request in words.

        >>> str(Request("threshold", "maximize youden_j", "d", "m", "solved on d"))
        'd / m: threshold: maximize youden_j (solved on d)'
        """
        place = " / ".join(name for name in (self.dataset, self.model) if name is not None)
        told = f"{self.part.replace('_', ' ')}: {self.what}"
        if self.how:
            told += f" ({self.how})"
        return f"{place}: {told}" if place else told

    def as_json(self) -> dict[str, Any]:
        """The request as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class Plan:
    """Everything that a spec asks for, in order: measures, comparisons, all else, criteria.

    ``tasks`` are the measures and ``skipped`` those that are left out; ``comparisons`` the
    differences; ``requests`` all else, each planned or left out with a reason. ``counted``
    tells how rows become tables; it is not hashed, because the tasks are the same.
    """

    tasks: tuple[Task, ...]
    skipped: tuple[Skipped, ...]
    notes: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    comparisons: tuple[Any, ...] = ()
    requests: tuple[Request, ...] = ()

    @property
    def left_out(self) -> tuple[Request, ...]:
        """What is asked for beside measures, and is not done."""
        return tuple(request for request in self.requests if request.reason is not None)

    @property
    def planned(self) -> tuple[Request, ...]:
        """What is asked for beside measures and comparisons, and is done."""
        return tuple(request for request in self.requests if request.reason is None)

    def as_json(self) -> dict[str, Any]:
        """The plan as plain data, with its hash."""
        body = {
            "tasks": [_task_json(task) for task in self.tasks],
            "skipped": [_task_json(s.record) | {"reason": s.reason} for s in self.skipped],
            "comparisons": [task.as_json() for task in self.comparisons],
            "requests": [request.as_json() for request in self.requests],
            "notes": list(self.notes),
            "criteria": list(self.criteria),
        }
        return {"sha256": _sha256(body), **body}

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
        **({"undefined": task.undefined} if task.undefined else {}),
    }


def _sha256(body: Any) -> str:
    text = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
