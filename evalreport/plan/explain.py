"""A plan as a readable table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from evalreport.lines import one_line
from evalreport.plan.task import Plan, Task

_HEADS = ("task", "threshold", "rows", "table", "interval", "why")
_COMPARED = ("difference", "model", "minus", "test", "interval", "why")
_WIDEST = 46


def explain(
    plan: Plan,
    criteria: Sequence[str] = (),
    engine: str = "",
    fits: Sequence[str] = (),
    failures: Sequence[str] = (),
) -> str:
    """The plan as text: tasks by dataset and model, what they share, what is skipped and why.

    ``fits``: what a run would train. ``failures``: what is known to fail.
    """
    lines: list[str] = []
    for (dataset, model), tasks in _by_view(plan.tasks).items():
        lines += [f"{dataset} / {model}: {_counted(len(tasks), 'task')}", ""]
        lines += _table([_HEADS, *(_row(task) for task in tasks)])
        lines.append("")
    if plan.comparisons:
        lines += [_counted(len(plan.comparisons), "comparison"), ""]
        lines += _table([_COMPARED, *(_compared(task) for task in plan.comparisons)])
        lines.append("")
    if plan.planned:
        lines += ["Also:", *(f"  {request}" for request in plan.planned), ""]
    shared = plan.tables()
    verb = "shares" if len(plan.tasks) == 1 else "share"
    lines.append(f"{_counted(len(plan.tasks), 'task')} {verb} {_counted(len(shared), 'table')}.")
    if engine:
        lines.append(f"Engine: {engine}.")
    lines += [f"Note: {note}." for note in plan.notes]
    if plan.skipped or plan.left_out:
        lines += ["", "Skipped, because:"]
        seen: dict[str, int] = {}
        for one in plan.skipped:
            record = one.record
            text = f"  {record.dataset} / {record.model}: {record.name()}: {one.reason}"
            seen[text] = seen.get(text, 0) + 1
        seen |= {f"  {request}: {request.reason}": 1 for request in plan.left_out}
        lines += [text + (f" ({count} times)" if count > 1 else "") for text, count in seen.items()]
    if fits:
        lines += ["", "A run trains, unless its predictions are kept from an earlier one:"]
        lines += [f"  {text}" for text in fits]
    if failures:
        lines += ["", "Known to fail:"]
        lines += [f"  {text}" for text in failures]
    if criteria:
        lines += ["", "Acceptance criteria:"]
        lines += [f"  {number}. {text}" for number, text in enumerate(criteria, start=1)]
    lines += ["", f"plan {plan.sha256}"]
    return "\n".join(map(one_line, lines))


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


def _by_view(tasks: Iterable[Task]) -> dict[tuple[str, str], list[Task]]:
    found: dict[tuple[str, str], list[Task]] = {}
    for task in tasks:
        found.setdefault((task.dataset, task.model), []).append(task)
    return found


def _row(task: Task) -> tuple[str, ...]:
    name = task.name()
    if task.indeterminate:
        name += f", indeterminate counted {task.indeterminate}"
    return (
        name,
        str(task.threshold) if task.threshold is not None else "",
        str(task.where),
        task.table.replace("_", " "),
        task.interval or "none",
        task.why,
    )


def _compared(task: Any) -> tuple[str, ...]:
    other = task.reference.model
    if not task.paired:
        same = other == task.task.model
        other = f"{'the same' if same else other} on {task.reference.dataset}"
    place = f"{task.task.dataset} / {task.task.model}"
    why, asked = task.why, task.hypothesis
    if asked is not None:
        margin = f" by {asked.margin:g}" if asked.margin else ""
        why = f"{asked.kind}{margin}: {asked.reason or asked.test}; {why}"
    return task.task.name(), place, other, task.test or "none", task.interval or "none", why


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    shown = [[_short(cell) for cell in row] for row in rows]
    widths = [max(len(row[k]) for row in shown) for k in range(len(shown[0]))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in shown
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return lines


def _short(text: str) -> str:
    text = one_line(text)
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
