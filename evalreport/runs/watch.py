"""The status of every series of some folders of runs: failing, undecided, overdue.

Everything follows from the lines of the histories; no run is opened, so that hundreds of
series take about a second. One value (``Watch``) is the page, its text, plain data, and metrics
for a collector.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from itertools import takewhile
from pathlib import Path
from typing import Any

from evalreport.errors import Problem, UsageError, did_you_mean
from evalreport.report.columns import Field, left, right
from evalreport.report.model import Block, Note, Notes, Text
from evalreport.report.pages import Page, part, stamp, table
from evalreport.report.words import counted, listed, visible
from evalreport.results.codec import encode
from evalreport.results.history import LookTold
from evalreport.results.records import CONTINUE, HELD
from evalreport.runs.clock import clock_text
from evalreport.runs.history import History, SeriesLines, recorded_history
from evalreport.runs.naming import look_text, status_text
from evalreport.spec.series import DAYS, moment

SCHEMA = "evalreport/watch/1"
#: States from the most harm to the least; the first three need attention.
STATES = ("failing", "broken", "late", "continues", "passed", "done")
CALLING = STATES[:3]
#: How long after it is due a run may still come: a quarter of its cadence, a day at most.
GRACE = 0.25
MOST_GRACE = timedelta(days=1)
#: Outcomes of runs as the state that they leave a series in.
_STATE = {"failed": "failing", "continue": "continues", "passed": "passed"}


@dataclass(frozen=True)
class Watched:
    """A series as its line of history leaves it.

    ``since``: the clock of the first run, or attempt, of the row that has this outcome, with
    ``times`` of them. ``due``: when the next run was due; None without a cadence.
    ``attempt``: the exit status of the newest attempt, where no run came after it.
    """

    folder: str
    series: str
    state: str
    since: str
    times: int
    outcome: str | None = None
    run: str | None = None
    when: str | None = None
    failed: int = 0
    criteria: Mapping[str, int] | None = None
    looks: tuple[LookTold, ...] = ()
    attempt: int | None = None
    cadence: str | None = None
    due: str | None = None
    late_days: float = 0.0

    @property
    def calls(self) -> bool:
        """Whether it needs attention."""
        return self.state in CALLING or self.late_days > 0.0

    @property
    def harm(self) -> tuple[Any, ...]:
        """What it is sorted by: the state, then how much of it and for how long."""
        return (STATES.index(self.state), -self.failed, -self.times, -self.late_days, self.series)


@dataclass(frozen=True)
class Watch:
    """Every series, the most harmful first, and lines of histories that cannot be read."""

    at: str
    series: tuple[Watched, ...]
    unreadable: Mapping[str, int]

    @property
    def calls(self) -> bool:
        """Whether anything needs attention."""
        return any(one.calls for one in self.series) or any(self.unreadable.values())


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
    return Watch(clock_text(at), tuple(left), unreadable)


def _of_folder(
    folder: str, history: History, at: datetime, cadence: str | None
) -> Iterator[Watched]:
    for series, lines in sorted(history.by_series.items(), key=lambda item: item[0] or ""):
        own = _left(folder, series or "", lines)
        # the first run of the newest data: a rerun of them delivers nothing new
        runs = lines.runs
        first = min((one.when for one in runs if one.time == runs[-1].time), default=None)
        yield _timed(own, first, at, own.cadence or cadence)


def _left(folder: str, series: str, lines: SeriesLines) -> Watched:
    """How the runs and the attempts after them leave a series."""
    runs, after = lines.runs, lines.since
    ended = after[-1].attempt if after else None
    status = None if ended is None else ended.status
    if not runs:
        return Watched(folder, series, "broken", after[0].when, len(after), attempt=status)
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


#: How a state is stamped on the page.
_STAMP = {**dict.fromkeys(CALLING, "fail"), "continues": "continue", "passed": "pass"}


def watch_page(found: Watch, version: str = "") -> Page:
    """A line for each series, the most harmful first, below the number of each state."""
    columns: list[Field[Watched]] = [
        left("series", _name),
        left("state", lambda one: stamp(_STAMP.get(one.state, "none"), one.state)),
        right("next due", lambda one: str(one.due or "–")[:10]),
        left("what is known", sentence),
    ]
    if len(found.unreadable) > 1:
        columns.insert(1, left("folder", lambda one: visible(one.folder)))
    lines = table(
        "Most harmful first", found.series, columns, hook=lambda one: ("series", _name(one))
    )
    meaning = (
        "Failing: criteria were not met. Broken: every attempt since the newest run ended with "
        "status 2, 3 or 4. Late: no run since one was due. Continues: planned looks have decided "
        "nothing yet."
    )
    blocks: list[Block] = [lines, Text(meaning, "small")]
    if any(found.unreadable.values()):
        problems = tuple(Note("warning", "", text, ()) for text in _unreadable(found))
        blocks.insert(0, Notes("Histories that are not as they were written", problems, "brief"))
    shown = part("series", "Series", *blocks, intro=f"{summary(found)}.")
    return Page("Status of every series", "Audits over time", version, (shown,))


def _name(one: Watched) -> str:
    return visible(one.series or "(no name)")


def summary(found: Watch) -> str:
    """How many series are in which state, in a sentence."""
    counts = Counter(one.state for one in found.series)
    states = [f"{counts[state]} {state}" for state in STATES if counts[state]]
    return f"{counted(len(found.series), 'series', 'series')} at {found.at}: {listed(states)}"


def _unreadable(found: Watch) -> Iterator[str]:
    for folder, count in found.unreadable.items():
        if count:
            lines = counted(count, "line")
            yield f"{folder}: {lines} of its history cannot be read: evalreport verify {folder}"


def sentence(one: Watched) -> str:
    """What is known of a series: since when, how often, what was tried, when it was due."""
    parts = ["no run yet" if one.outcome is None else _outcome(one)]
    if one.attempt is not None:
        broken = one.state == "broken"
        times = (
            f"{counted(one.times, 'attempt')} since {one.since[:10]}, the last" if broken else ""
        )
        parts.append(f"{times or 'the last attempt'} ended with {status_text(one.attempt)}")
    if one.late_days:
        days = counted(round(one.late_days), "day")
        parts.append(f"due {str(one.due)[:10]} ({one.cadence}), {days} ago")
    return "; ".join([*parts, *dict.fromkeys(map(look_text, one.looks))])


def _outcome(one: Watched) -> str:
    """What its newest run came to, and since when."""
    words = {"done": "done, with no criteria", "continue": "to be continued"}
    outcome = words.get(str(one.outcome)) or visible(str(one.outcome))
    failed = f", {counted(one.failed, 'criterion', 'criteria')}" if one.failed else ""
    in_a_row = one.state in ("failing", "continues") and one.times > 1
    since = f" since {one.since[:10]}, {one.times} runs in a row" if in_a_row else ""
    return f"{outcome}{failed} on {str(one.when)[:10]}{since}"


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
