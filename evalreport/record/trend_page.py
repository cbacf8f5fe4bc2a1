"""The course of runs as pages: runs and what needs attention, criteria, a chart for each measure.

The text for a terminal is the first page, oldest run first. Whether a value outside its control
limits, or a change, is for the better follows from the metric: an improvement is never drawn as
an alarm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from evalreport.record.naming import (
    OUTCOME_WORDS,
    look_text,
    name_text,
    outcome_stamp,
    place_text,
    status_text,
    threshold_text,
)
from evalreport.record.trend import (
    Course,
    CriterionCourse,
    PastAttempt,
    PastRun,
    Point,
    RunsChange,
    Series,
)
from evalreport.report.changes import MARK_HEADS, WHAT_MOVED, mark_row
from evalreport.report.charts.canvas import HALF, drawing, panel, with_own_names
from evalreport.report.charts.course import CHANGED, IMPROVED, Stop
from evalreport.report.charts.course import course as draw_course
from evalreport.report.model import (
    Block,
    Chart,
    Charts,
    Column,
    Line,
    Note,
    Notes,
    PlainTable,
    Section,
    Stamp,
    TableRow,
    Text,
)
from evalreport.report.numbers import limits_text, required_text, value_text
from evalreport.report.pages import Page, PageLink, columns, line, page_text, part, stamp, table
from evalreport.report.pieces import LineCell
from evalreport.report.words import counted, label_text, subgroup_text, visible
from evalreport.results.identity import MEAN_OF_FOLDS
from evalreport.results.records import HELD, Moved
from evalreport.statistics.control_limits import rule
from evalreport.statistics.course import RUN_LENGTH

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What moved is named beside a change below this p value.
MOVED = 0.01
#: Pages show no more runs than this, the newest.
MOST_RUNS = 104
#: The first page lists no more measures than this that lie outside their limits.
MOST_SIGNALS = 12
HEIGHT = 150.0
WORSE, BETTER = "◆", "◇"
KICKER = "Audits over time"
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
INDEX, CRITERIA, CHANGES = "index.html", "criteria.html", "changes.html"

#: The address of a run's file as seen from the pages; None where there is none.
Link = Callable[[PastRun, str], str | None]
Place = tuple[str, ...]


def history_text(course: Course, last: int | None = None) -> str:
    """The runs (or the ``last`` ones), oldest first, then what needs attention.

    Limits and counts rest on all runs, shown or not.
    """
    runs = _runs(course, lambda _run, _name: None, last, newest_first=False)
    return page_text(Page("", "", "", (*runs, *_noted(course))))


def site_pages(
    course: Course, link: Link, version: str, changes: Page | None = None
) -> dict[str, Page]:
    """Every page by file name: ``index.html``, ``criteria.html``, ``trends-N.html``.

    ``changes`` is that of the diff of the two newest runs, where there are two. Names of
    datasets, models and labels are on the pages and never in file names.
    """
    groups: dict[Place, list[Series]] = {}
    for series in course.series:
        if series.about.fold in (None, MEAN_OF_FOLDS):
            groups.setdefault(_place(series), []).append(series)
    names = {f"trends-{number}.html": place for number, place in enumerate(groups, start=1)}
    out = {name: _signals(groups[place]) for name, place in names.items()}
    trends = [
        PageLink(", ".join(place) + (f" {WORSE} {out[name]}" if out[name] else ""), name)
        for name, place in names.items()
    ]
    newest = next((run.results for run in reversed(course.runs) if run.results), None)
    page = partial(Page, visible(newest.title) if newest else "Runs", KICKER, version)
    heads = columns("measures of", "outside control limits", right=("outside control limits",))
    listed = table("Charts of each measure over the runs", heads, [
        line(LineCell(", ".join(place), href=name), str(out[name])) for name, place in names.items()
    ])  # fmt: skip
    first = [_verdict(course), *_runs(course, link)]
    if names:
        first.append(part("trends", "Trends", listed))
    pages = {
        INDEX: page(tuple(first), "runs"),
        CRITERIA: page((part("criteria", "Criteria over time", *_criteria(course)),), "criteria"),
    }  # fmt: skip
    for name, place in names.items():
        charts = [_chart(one, course, f"c{k}") for k, one in enumerate(groups[place])]
        drawn = Charts(tuple(chart for chart in charts if chart is not None))
        pages[name] = page((part("charts", ", ".join(place), Text(HOW, "small"), drawn),),
                           ", ".join(place))  # fmt: skip
    if changes is not None:
        pages[CHANGES] = changes
    return {name: replace(one, links=_links(name, trends, pages)) for name, one in pages.items()}


def _links(
    here: str, trends: Sequence[PageLink], pages: Mapping[str, Page]
) -> tuple[PageLink, ...]:
    inner = tuple(replace(one, here=one.href == here) for one in trends)
    found = [PageLink("Runs", INDEX, here == INDEX)]
    if trends:
        is_trend = any(one.here for one in inner)
        found.append(PageLink("Trends", trends[0].href, is_trend, inner if len(inner) > 1 else ()))
    found.append(PageLink("Criteria", CRITERIA, here == CRITERIA))
    if CHANGES in pages:
        found.append(PageLink("What changed", CHANGES, here == CHANGES))
    return tuple(found)


def _place(series: Series) -> Place:
    about = series.about
    return (
        *(() if series.line is None else (label_text(series.line),)),
        label_text(about.dataset),
        label_text(about.model),
        subgroup_text(about.subgroup),
    )


def _signals(series: Sequence[Series]) -> int:
    """How many measures are outside their limits in their newest run, not for the better."""
    return sum(one.points[-1].signal and not one.points[-1].better for one in series)


# -- the first page -----------------------------------------------------------------------------


def _verdict(course: Course) -> Section:
    """What the newest runs came to, and what needs attention."""
    newest = [course.runs[place] for place in course.newest.values()]
    failed = sum(_outcome(run) == "fail" for run in newest)
    blocks: list[Block] = []
    if len(newest) == 1:
        (run,) = newest
        told = (("Newest run", f"{run.time[:10]}: {run_note(run)}"),)
        outcome = _outcome(run)
        blocks.append(Stamp(visible(run.outcome or "no outcome"), outcome, "newest run", told))
    elif newest:
        word = f"{failed} of {len(newest)}"
        blocks.append(Stamp(word, "fail" if failed else "pass", "series failed", ()))
    blocks += [block for section in _noted(course) for block in section.blocks]
    return part("verdict", "Now", *blocks)


def _outcome(run: PastRun) -> str:
    return {"passed": "pass", "failed": "fail", "continue": "continue"}.get(run.outcome, "none")


def _noted(course: Course) -> list[Section]:
    """What needs attention, and what is better than before."""
    attention, better = list(_attention(course)), list(_improved(course))
    notes = [
        Notes(title, tuple(Note(severity, "", text, ()) for text in texts), "brief")
        for title, severity, texts in (
            ("Needs attention", "warning", attention),
            ("Better than before", "note", better),
        )
        if texts
    ]
    return [part("noted", one.title, one) for one in notes]


def _attention(course: Course) -> Iterator[str]:
    yield from since_newest(course)
    for criterion in course.criteria:
        if criterion.breaches and course.now(criterion) is not None:
            times = f"{counted(criterion.breaches, 'run')} in a row"
            yield f"{criterion_text(criterion)}: {OUTCOME_WORDS[course.now(criterion)]} {times}"
    changed = [one for one in course.headlines if change_text(course, one)]
    yield from (_named(course, one) for one in changed if not _is_better(course.change(one)))
    signals = [s for s in _outside(course) if not s.points[-1].better and s not in changed]
    overall = [s for s in signals if not s.about.subgroup]
    for series in overall[:MOST_SIGNALS]:
        yield f"{series_name(series)}: {point_text(series.points[-1])}"
    if len(overall) > MOST_SIGNALS:
        yield f"and {len(overall) - MOST_SIGNALS} more measures outside their control limits"
    if len(signals) > len(overall):
        count = counted(len(signals) - len(overall), "measure")
        yield f"outside their control limits in subgroups: {count}"
    yield from (f"history: {visible(problem)}" for problem in course.problems)


def _improved(course: Course) -> Iterator[str]:
    changed = [one for one in course.headlines if change_text(course, one)]
    yield from (_named(course, one) for one in changed if _is_better(course.change(one)))
    signals = [s for s in _outside(course) if s.points[-1].better and s not in changed]
    overall = [s for s in signals if not s.about.subgroup]
    for series in overall[:MOST_SIGNALS]:
        yield f"{series_name(series)}: {point_text(series.points[-1])}"


def _outside(course: Course) -> list[Series]:
    """The series whose newest run has a value outside its control limits."""
    newest = course.newest
    return [s for s in course.series if s.points[-1].run == newest[s.line] and s.points[-1].signal]


def _is_better(change: RunsChange | None) -> bool:
    return change is not None and change.better is True


def _runs(
    course: Course, link: Link, last: int | None = MOST_RUNS, *, newest_first: bool = True
) -> list[Section]:
    """The runs of each line of history and the attempts between them."""
    first = 0 if last is None else max(0, len(course.runs) - last)
    lines = dict.fromkeys([*(r.line for r in course.runs), *(a.line for a in course.attempts)])
    headlines = {own: [s for s in course.headlines if s.line == own] for own in lines}
    rows: dict[str | None, list[Line]] = {own: [] for own in lines}
    tried = course.tried(first)
    for place in range(first, len(course.runs) + 1):
        if place > first:
            run = course.runs[place - 1]
            rows[run.line].append(_run(run, place - 1, headlines[run.line], link))
        for one in (one for one in tried if one.place == place):
            rows[one.line].append(_attempt(one, len(headlines[one.line])))
    order = ", the newest first" if newest_first else ""
    cut = f"{order}; {first} older ones are not shown" if first else order
    return [
        part(f"runs-{k}", "Runs" if own is None else f"Runs of {visible(own)}",
             _run_table(headlines[own], rows[own][:: -1 if newest_first else 1], cut))
        for k, own in enumerate(lines)
        if rows[own]
    ]  # fmt: skip


def _run_table(headlines: Sequence[Series], rows: Sequence[Line], cut: str) -> Block:
    places = {_measure_place(one) for one in headlines}
    shared = len(places) == 1
    names = [
        name_text(one.about) if shared else f"{name_text(one.about)}, {_measure_place(one)}"
        for one in headlines
    ]
    of = f"; {', '.join(names)}: {places.pop()}" if shared else ""
    runs = sum(bool(row.hook) for row in rows)
    told = counted(runs, "run")
    if runs < len(rows):
        told += f" and {counted(len(rows) - runs, 'attempt')} that came to nothing"
    heads = columns("when", "outcome", "criteria", *names, "run", right=names)
    note = f"{WORSE} outside its control limits, {BETTER} outside on the better side"
    return table(f"{told}{cut}{of}", heads, rows, *([note] if names else []))


def _run(run: PastRun, place: int, headlines: Sequence[Series], link: Link) -> Line:
    values = [
        next((_value(p) for p in series.points if p.run == place), LineCell("–"))
        for series in headlines
    ]
    href = link(run, "report.html") or link(run, "results.json") or ""
    return line(
        _time(run.when),
        stamp(_outcome(run), visible(run.outcome)),
        run_note(run),
        *values,
        LineCell(run.name, href=href),
        hook=("run", run.name),
    )


def _attempt(one: PastAttempt, measures: int) -> Line:
    """An attempt that came to nothing, as a row among the runs."""
    empty = ("–",) * (measures + 1)
    return line(_time(one.when), stamp("fail", "no run"), attempt_note(one), *empty)


def _time(when: str) -> str:
    return when.replace("T", " ").replace("Z", " UTC")


def _value(point: Point) -> LineCell:
    """A value with its interval, and a mark where it is out of control."""
    if point.estimate is None:
        return LineCell(point.record.state.replace("_", " "))
    text = f"{value_text(point.estimate.value)}{_sign(point)}"
    return LineCell(text, aside=_interval(point), strong=point.signal and not point.better)


def _sign(point: Point) -> str:
    return f" {BETTER if point.better else WORSE}" if point.signal else ""


def _interval(point: Point) -> str:
    own = point.estimate
    if own is None or own.low is None or own.high is None:
        return ""
    return limits_text(own.low, own.high, own.value)


# -- criteria -----------------------------------------------------------------------------------


def _criteria(course: Course) -> Iterator[Block]:
    """The outcome of each criterion in each run of its line of history, the newest first."""
    if not course.criteria:
        yield Text("No run has a criterion.")
    for own in dict.fromkeys(one.line for one in course.criteria):
        shown = [k for k, run in enumerate(course.runs) if run.line == own][: -MOST_RUNS - 1 : -1]
        days = _days([course.runs[k] for k in shown])
        lines = [
            line(
                criterion_text(one),
                LineCell(str(one.breaches), strong=bool(one.breaches)),
                *(outcome_stamp(one.outcomes[k]) for k in shown),
            )
            for one in course.criteria
            if one.line == own
        ]
        of = "" if own is None else f" of {visible(own)}"
        caption = f"Outcome of each criterion in each run{of}, the newest first"
        yield table(caption, columns("criterion", "not passed in a row", *days), lines)


# -- trends -------------------------------------------------------------------------------------

HOW = (
    "Dots are values, the lines through them confidence intervals; the band shows the control "
    f"limits. A filled diamond lies outside ({WORSE}), an open one outside on the better side "
    f"({BETTER}). The dashed line is what a criterion requires; runs since a change are shaded. "
    f"{rule()}"
)


def _chart(series: Series, course: Course, id_: str) -> Chart | None:
    """The chart of a measure; None where it never has a value. ``id_`` begins its ids."""
    first = max(0, len(course.runs) - MOST_RUNS)
    runs = course.runs[first:]
    points = {p.run - first: p for p in series.points if p.run >= first}
    if not any(p.estimate for p in points.values()):
        return None
    required = _required(series, course.runs)
    change = course.change(series)
    since = None if change is None or change.alarm is None else change.since
    paint = partial(
        _draw,
        stops=[_stop(day, points.get(k)) for k, day in enumerate(_days(runs))],
        required=required,
        changed=None if since is None else max(since - first, 0),
        changed_colour=IMPROVED if _is_better(change) else CHANGED,
    )
    name, told = series_name(series), change_text(course, series)
    asked = "" if required is None else f" Required: {required_text(required)}."
    return Chart(
        with_own_names(drawing(paint, HALF, HEIGHT), id_),
        f"{name}. {_said(list(points.values()), len(runs))}{asked}",
        name,
        asked.strip(),
        (_values(points, runs), *_marks(course, change, first)),
        finding=told[:1].upper() + told[1:],
    )


def _days(runs: Sequence[PastRun]) -> list[str]:
    """The days of runs as they are below an axis: with the year where there are several."""
    several = len({run.time[:4] for run in runs}) > 1
    return [_day_text(run.time[:10], year=several) for run in runs]


def _day_text(day: str, *, year: bool) -> str:
    r"""A day by the name of its month, never broken; what is none as it is.

    >>> _day_text("2026-11-09", year=False), _day_text("2026-11-09", year=True)
    ('9\xa0Nov', '9\xa0Nov\xa026')
    """
    try:
        read = date.fromisoformat(day)
    except ValueError:
        return visible(day)
    words = (str(read.day), MONTHS[read.month - 1], *([f"{read.year % 100:02}"] if year else []))
    return "\xa0".join(words)


def _draw(
    figure: Figure,
    stops: Sequence[Stop],
    required: float | None,
    changed: int | None,
    changed_colour: str,
) -> None:
    # the word for the line of what is required is right of it
    axes = panel(figure, 34, 20, HALF - 34 - (8 if required is None else 34), HEIGHT - 26)
    draw_course(axes, stops, required=required, changed=changed, changed_colour=changed_colour)


def _stop(name: str, point: Point | None) -> Stop:
    """What is drawn of a run; a run without the measure leaves its place empty."""
    if point is None or point.estimate is None:
        return Stop(name, None)
    own, limits = point.estimate, point.limits
    return Stop(
        name, own.value, own.low, own.high, limits.centre, limits.low, limits.high,
        point.signal, point.better is True,
    )  # fmt: skip


def _said(points: Sequence[Point], runs: int) -> str:
    values = [p.estimate.value for p in points if p.estimate is not None]
    out = sum(point.signal for point in points)
    return (
        f"In {len(values)} of {runs} runs: from {value_text(values[0])} to "
        f"{value_text(values[-1])}, between {value_text(min(values))} and "
        f"{value_text(max(values))}; {out} outside the control limits."
    )


def _required(series: Series, runs: Sequence[PastRun]) -> float | None:
    """What the newest run that has a measure asks of it."""
    newest = runs[series.points[-1].run].results
    asked = (
        one.required
        for one in (newest.acceptance if newest is not None else ())
        if one.measure == series.about.id and one.reference is None and one.claim is None
    )
    return next(asked, None)


def _values(points: Mapping[int, Point], runs: Sequence[PastRun]) -> PlainTable:
    """The values of a chart, with the control limits of each."""
    rows = []
    for place, point in points.items():
        limits, value = point.limits, _value(point)
        band = visible(limits.reason or "")
        if limits.low is not None and limits.high is not None:
            band = f"{value_text(limits.low)} to {value_text(limits.high)} ({limits.chart} chart)"
        cells = (runs[place].time, value.text, value.aside, band)
        rows.append(TableRow(cells, strong=value.strong))
    heads = columns("run", "value", "interval", "control limits", right=("value",))
    return PlainTable("Values", heads, tuple(rows))


def _marks(course: Course, change: RunsChange | None, first: int) -> Iterator[PlainTable]:
    """The charts with memory, a row for each run that is a step."""
    if change is None:
        return
    rows = tuple(
        TableRow(mark_row(course.runs[place].time, one), strong=one.signal)
        for place, one in change.marks
        if place >= first
    )
    note = (
        "z: each run against all before it, in standard errors of its own rows; its moving "
        f"average (EWMA) and cumulative sum (CUSUM), with limits that let {RUN_LENGTH:g} runs pass "
        "on average between two false alarms. Runs on a data file that was there before are left "
        "out."
    )
    yield PlainTable("Control charts with memory", (Column("run"), *MARK_HEADS), rows, note)


# -- in words -----------------------------------------------------------------------------------


def attempt_note(one: PastAttempt) -> str:
    """How an attempt ended, and what its data were to be of."""
    return "; ".join([f"ended with {status_text(one.status)}", *_as_of(one)])


def _as_of(one: PastRun | PastAttempt) -> list[str]:
    return [] if one.as_of is None else [f"data as of {visible(one.as_of)}"]


def since_newest(course: Course) -> list[str]:
    """Of each line of history the attempts that came to nothing since its newest run."""
    since: dict[str | None, list[PastAttempt]] = {}
    for one in course.attempts:
        if one.after:
            since.setdefault(one.line, []).append(one)
    return [
        f"{_of_line(line)}{counted(len(own), 'attempt')} since the newest run came to nothing, the "
        f"last of {own[-1].when[:10]}: {attempt_note(own[-1])}"
        for line, own in since.items()
    ]


def run_note(run: PastRun) -> str:
    """What its data are of, its criteria, or why they are not known."""
    return "; ".join([*_as_of(run), _criteria_note(run)])


def _criteria_note(run: PastRun) -> str:
    if run.results is None:
        return visible(str(run.missing))
    outcomes = [entry.outcome for entry in run.results.acceptance]
    gone = [] if run.missing is None else [visible(run.missing)]
    if not outcomes:
        return "; ".join(["no criteria", *gone])
    passed = sum(outcome in HELD for outcome in outcomes)
    told = f"{passed} of {counted(len(outcomes), 'criterion', 'criteria')} passed"
    return "; ".join([told, *dict.fromkeys(map(look_text, run.looks)), *gone])


def series_name(series: Series) -> str:
    """A measure with its place, in words, and its line of history where there are several."""
    return f"{_of_line(series.line)}{name_text(series.about)}, {_measure_place(series)}"


def _measure_place(series: Series) -> str:
    about = series.about
    at = threshold_text(about.threshold_rule, about.threshold)
    return place_text(about.dataset, about.model, about.subgroup, about.fold, at)


def _of_line(line: str | None) -> str:
    return "" if line is None else f"{visible(line)}: "


def point_text(point: Point) -> str:
    """A value with its interval, and whether it is out of control."""
    value = _value(point)
    interval = f" ({value.aside})" if value.aside else ""
    side = " on the better side" if point.better else ""
    out = f", outside its control limits{side}" if point.signal else ""
    return f"{value.text.removesuffix(_sign(point))}{interval}{out}"


def _named(course: Course, series: Series) -> str:
    return f"{series_name(series)}: {change_text(course, series)}"


def change_text(course: Course, series: Series) -> str:
    """When a measure changed, from where to where, and what moved with it; empty without an alarm.

    The alarm is that of the cumulative sum.
    """
    change = course.change(series)
    if change is None or change.alarm is None:
        return ""
    found = "detected" if change.better else "alarm"
    told = f"{found} in the run of {_day(course, change.alarm)}"
    before, after = change.before, change.after
    if change.since is not None and before is not None and after is not None:
        verb = "rose" if after > before else "fell"
        since = f"with the run of {_day(course, change.since)}"
        if change.earliest != change.latest:
            since += f" ({_day(course, change.earliest)} to {_day(course, change.latest)})"
        told = f"{verb} {since} from {value_text(before)} to {value_text(after)}; {told}"
    moved = [moved_text(one) for one in change.moved if clearly_moved(one)]
    return f"{told}; also moved: {', '.join(moved)}" if moved else told


def _day(course: Course, place: int | None) -> str:
    return "" if place is None else course.runs[place].time[:10]


def clearly_moved(one: Moved) -> bool:
    """Whether chance alone seldom moves it so far."""
    return one.p_value is not None and one.p_value < MOVED


def moved_text(one: Moved) -> str:
    """What moved, from where to where."""
    what = WHAT_MOVED[one.what] if one.column is None else f"the mix of {visible(one.column)}"
    if one.before is None or one.after is None:
        return what
    return f"{what} ({value_text(one.before)} to {value_text(one.after)})"


def criterion_text(course: CriterionCourse) -> str:
    """A criterion with its place, in words."""
    about = course.about
    at = threshold_text(None, about.asked_at)
    place = place_text(about.dataset, about.model, about.subgroup, at=at)
    return f"{_of_line(course.line)}{visible(about.text)}, {place}"
