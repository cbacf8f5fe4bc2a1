"""The status of every series of some folders of runs: failing, undecided, overdue.

Everything follows from the lines of the histories; no run is opened, so that hundreds of
series take about a second. One value (``Watch``) is the page, its text, JSON, and metrics for a
collector.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import takewhile
from pathlib import Path

from evalreport.errors import Problem, UsageError, did_you_mean
from evalreport.results.records import CONTINUE, HELD
from evalreport.results.watch import CALLING, STATES, Watch, Watched
from evalreport.runs.clock import clock_text
from evalreport.runs.history import History, SeriesLines, recorded_history
from evalreport.spec.series import DAYS, moment

#: How long after it is due a run may still come: a quarter of its cadence, a day at most.
GRACE = 0.25
MOST_GRACE = timedelta(days=1)
#: Outcomes of runs as the state that they leave a series in.
_STATE = {"failed": "failing", "continue": "continues", "passed": "passed"}


def watch(
    folders: Sequence[Path],
    at: datetime,
    cadence: str | None = None,
    without: Sequence[str] = (),
) -> Watch:
    """All series of these folders of runs at a time, but those ``without``, which have ended.

    ``cadence`` is that of series whose spec declares none. Raises FilesError for a folder
    without a history, UsageError for a series to be left out that there is not.
    """
    found: list[Watched] = []
    unreadable: dict[str, int] = {}
    for folder in folders:
        history = recorded_history(folder)
        unreadable[str(folder)] = len(history.lines) - len(history.entries) + bool(history.torn)
        found += _of_folder(str(folder), history, at, cadence)
    known = {one.series for one in found}
    for name in without:
        if name not in known:
            hint = did_you_mean(name, known, "series")
            raise UsageError(Problem(f"--without '{name}': no such series", hint))
    left = sorted((one for one in found if one.series not in without), key=lambda one: one.harm)
    counts = Counter(one.state for one in left)
    return Watch(
        at=clock_text(at),
        states={state: counts[state] for state in STATES},
        calls=any(one.calls for one in left) or any(unreadable.values()),
        unreadable=unreadable,
        series=tuple(left),
    )


def _of_folder(
    folder: str, history: History, at: datetime, cadence: str | None
) -> Iterator[Watched]:
    for series, lines in sorted(history.by_series.items(), key=lambda item: item[0] or ""):
        own = _left(folder, series or "", lines)
        # the first run of the newest data: a rerun of them delivers nothing new
        runs = lines.runs
        first = min((one.when for one in runs if one.time == runs[-1].time), default=None)
        timed = _timed(own, first, at, own.cadence or cadence)
        yield replace(timed, calls=timed.state in CALLING or timed.late_days > 0.0)


def _left(folder: str, series: str, lines: SeriesLines) -> Watched:
    """How the runs and the attempts after them leave a series."""
    runs, after = lines.runs, lines.since
    ended = after[-1].attempt if after else None
    status = None if ended is None else ended.status
    if not runs:
        return Watched(
            folder=folder,
            series=series,
            state="broken",
            since=after[0].when,
            times=len(after),
            attempt=status,
        )
    newest = runs[-1]
    outcome = newest.outcome or "done"
    alike = list(takewhile(lambda one: (one.outcome or "done") == outcome, reversed(runs)))
    found = Watched(
        folder=folder,
        series=series,
        state=_STATE.get(outcome, "done"),
        since=alike[-1].when,
        times=len(alike),
        outcome=outcome,
        run=newest.run,
        when=newest.when,
        failed=_failed(newest.criteria) if outcome == "failed" else 0,
        criteria=newest.criteria or None,
        looks=newest.looks,
        attempt=status,
        cadence=newest.cadence,
    )
    if not after or found.state == "failing":
        return found
    return replace(found, state="broken", since=after[0].when, times=len(after))


def _failed(criteria: Mapping[str, int]) -> int:
    """How many criteria did not hold; at least one where an older line does not say."""
    return max(1, sum(n for name, n in criteria.items() if name not in (*HELD, CONTINUE)))


def _timed(one: Watched, delivered: str | None, at: datetime, cadence: str | None) -> Watched:
    """With when the next run was due, and whether it is late."""
    if cadence is None or delivered is None:
        return replace(one, cadence=cadence)
    length = timedelta(days=DAYS[cadence])
    due = moment(delivered) + length
    late = (at - due) / timedelta(days=1)
    is_late = at > due + min(length * GRACE, MOST_GRACE)
    found = replace(
        one, cadence=cadence, due=clock_text(due), late_days=round(late, 2) if is_late else 0.0
    )
    if is_late and STATES.index(one.state) > STATES.index("late"):
        return replace(
            found, state="late", since=clock_text(due), times=int(late / length.days) + 1
        )
    return found


def watch_metrics(found: Watch) -> str:
    """A textfile for a collector of metrics, in a form that OpenMetrics and Prometheus share."""
    lines: list[str] = []
    for name, meaning, value in (
        ("evalreport_last_run_timestamp_seconds", "Clock of the newest run.",
         lambda one: None if one.when is None else int(moment(one.when).timestamp())),
        ("evalreport_due_timestamp_seconds", "When the next run is due.",
         lambda one: None if one.due is None else int(moment(one.due).timestamp())),
        ("evalreport_failed_criteria", "Criteria that the newest run did not pass.",
         lambda one: one.failed),
        ("evalreport_same_outcome", "Runs or attempts in a row in this state.",
         lambda one: one.times),
        ("evalreport_calls", "1 where a series needs attention.", lambda one: int(one.calls)),
    ):  # fmt: skip
        lines += [f"# HELP {name} {meaning}", f"# TYPE {name} gauge"]
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
