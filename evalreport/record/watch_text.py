"""What is watched in words, as plain data, as a page and as metrics for a collector."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Any

from evalreport.lines import one_line
from evalreport.record.trend_text import look_note
from evalreport.record.watch import SCHEMA, STATES, Watch, Watched
from evalreport.report.words import counted, listed, visible
from evalreport.results.codec import encode

SYMBOLS = {
    "failing": "✗", "broken": "✗", "late": "◷", "continues": "→", "passed": "✓", "done": "○",
}  # fmt: skip
WORDS = {
    2: "the spec or the command is wrong",
    3: "the data are wrong",
    4: "files, limits or rendering",
}


def watch_text(found: Watch) -> str:
    """A line for each series, the most harmful first, then the number of each state."""
    lines = [
        f"{SYMBOLS[one.state]} {one.state:<9}  {_name(found, one)}  {sentence(one)}"
        for one in found.series
    ]
    return "\n".join(map(one_line, [*lines, "", summary(found), *_unreadable(found)]))


def summary(found: Watch) -> str:
    """How many series are in which state, in a sentence."""
    counts = Counter(one.state for one in found.series)
    told = [f"{counts[state]} {state}" for state in STATES if counts[state]]
    return f"{counted(len(found.series), 'series', 'series')} at {found.at}: {listed(told)}"


def _unreadable(found: Watch) -> Iterator[str]:
    for folder, count in found.unreadable.items():
        if count:
            told = counted(count, "line")
            yield f"{folder}: {told} of its history cannot be read: evalreport verify {folder}"


def _name(found: Watch, one: Watched) -> str:
    """The series, with its folder where there are several."""
    name = visible(one.series or "(no name)")
    return f"{one.folder}: {name}" if len(found.unreadable) > 1 else name


def sentence(one: Watched) -> str:
    """What is known of a series: since when, how often, what was tried, when it was due."""
    told = []
    if one.outcome is not None:
        outcome = "done, with no criteria" if one.outcome == "done" else visible(one.outcome)
        if one.outcome == "continue":
            outcome = "to be continued"
        failed = f", {counted(one.failed, 'criterion', 'criteria')}" if one.failed else ""
        since = ""
        if one.state in ("failing", "continues") and one.times > 1:
            since = f" since {one.since[:10]}, {one.times} runs in a row"
        told.append(f"{outcome}{failed} on {str(one.when)[:10]}{since}")
    else:
        told.append("no run yet")
    if one.attempt is not None:
        why = WORDS.get(one.attempt, "")
        times = f"{counted(one.times, 'attempt')} since {one.since[:10]}, the last" if (
            one.state == "broken"
        ) else "the last attempt"  # fmt: skip
        told.append(f"{times} ended with status {one.attempt}" + (f": {why}" if why else ""))
    if one.late_days:
        told.append(f"due {str(one.due)[:10]} ({one.cadence}), {one.late_days:.0f} days ago")
    told += dict.fromkeys(map(look_note, one.looks))
    return "; ".join(told)


def watch_data(found: Watch) -> dict[str, Any]:
    """The same as plain data."""
    counts = Counter(one.state for one in found.series)
    return {
        "schema": SCHEMA,
        "at": found.at,
        "states": {state: counts[state] for state in STATES},
        "calls": found.calls,
        "unreadable": dict(found.unreadable),
        "series": [
            {**asdict(one), "looks": [encode(look) for look in one.looks], "calls": one.calls}
            for one in found.series
        ],
    }


def watch_page(found: Watch, version: str) -> dict[str, Any]:
    """The values of the page."""
    rows = [
        {
            "series": visible(one.series or "(no name)"),
            "folder": visible(one.folder),
            "state": one.state,
            "symbol": SYMBOLS[one.state],
            "style": {"failing": "fail", "broken": "fail", "passed": "pass"}.get(
                one.state, "not_evaluated"
            ),
            "since": one.since[:10],
            "times": one.times,
            "when": str(one.when or "")[:10],
            "failed": one.failed,
            "due": str(one.due or "")[:10],
            "late": f"{one.late_days:.0f}" if one.late_days else "",
            "note": sentence(one),
        }
        for one in found.series
    ]
    return {
        "title": "Series watched",
        "version": version,
        "page": "watch",
        "rows": rows,
        "folders": len(found.unreadable) > 1,
        "summary": summary(found),
        "calls": [row for row, one in zip(rows, found.series, strict=True) if one.calls],
        "problems": list(_unreadable(found)),
    }


def watch_metrics(found: Watch) -> str:
    """A textfile for a collector of metrics, in a form that OpenMetrics and Prometheus share."""
    lines: list[str] = []
    for name, told, value in (
        ("evalreport_last_run_timestamp_seconds", "Clock of the newest run.",
         lambda one: None if one.when is None else _seconds(one.when)),
        ("evalreport_due_timestamp_seconds", "When the next run is due.",
         lambda one: None if one.due is None else _seconds(one.due)),
        ("evalreport_failed_criteria", "Criteria that the newest run did not pass.",
         lambda one: one.failed),
        ("evalreport_same_outcome", "Runs or attempts in a row in this state.",
         lambda one: one.times),
        ("evalreport_calls", "1 where somebody has to look.", lambda one: int(one.calls)),
    ):  # fmt: skip
        lines += [f"# HELP {name} {told}", f"# TYPE {name} gauge"]
        for one in found.series:
            number = value(one)
            if number is not None:
                lines.append(f"{name}{{{_labels(one)}}} {number}")
    name = "evalreport_state"
    lines += [f"# HELP {name} 1 for the state that a series is in.", f"# TYPE {name} gauge"]
    for one in found.series:
        lines += [
            f'{name}{{{_labels(one)},state="{state}"}} {int(one.state == state)}'
            for state in STATES
        ]
    return "\n".join([*lines, "# EOF"]) + "\n"


def _labels(one: Watched) -> str:
    return f'folder="{_escaped(one.folder)}",series="{_escaped(one.series)}"'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _seconds(when: str) -> int:
    return int(datetime.fromisoformat(when).timestamp())
