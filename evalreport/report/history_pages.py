"""The course of runs as pages: runs and what needs attention, criteria, a chart for each measure.

The text for a terminal is the first page, oldest run first. Whether a value outside its control
limits, or a change, is for the better follows from the metric: an improvement is never drawn as
an alarm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from evalreport.numbers import required_text, value_text
from evalreport.report.changes import mark_columns
from evalreport.report.charts.canvas import HALF, drawing, panel
from evalreport.report.charts.course import CHANGED, IMPROVED, Stop, stop_of
from evalreport.report.charts.course import course as draw_course
from evalreport.report.columns import Column, across, left, right, table_of
from evalreport.report.model import (
    Block,
    Chart,
    Charts,
    Note,
    Notes,
    Section,
    Stamp,
    TableBlock,
    Text,
)
from evalreport.report.pages import Page, PageLink, page_text, part, stamp, table
from evalreport.report.pieces import LineCell
from evalreport.report.run_words import (
    BETTER,
    WORSE,
    change_text,
    criterion_text,
    measure_place,
    name_text,
    note,
    outcome_stamp,
    outcome_word,
    outside_text,
    series_name,
    since_newest,
    value_cell,
)
from evalreport.report.words import counted, label_text, subgroup_text, visible
from evalreport.results.course import Course, CriterionCourse, Past, Point, Series
from evalreport.results.identity import MEAN_OF_FOLDS
from evalreport.results.records import ChartMark, ControlLimits
from evalreport.statistics.change import RUN_LENGTH
from evalreport.statistics.control_limits import rule

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Pages show no more runs than this, the newest.
MOST_RUNS = 104
HEIGHT = 150.0
#: Days that fit below the axis.
NAMES = 4
HOW = (
    "Dots are values, the lines through them confidence intervals; the band shows the control "
    f"limits. A filled diamond lies outside ({WORSE}), an open one outside on the better side "
    f"({BETTER}). The dashed line is what a criterion requires; runs since a change are shaded. "
    f"{rule()}"
)
#: A run, and what the charts with memory have of it.
Step = tuple[Point, ChartMark]
NO_MARK = ChartMark(None, None, None, None, None, signal=False)
MEMORY = (
    "z: each run against all before it, in standard errors of its own rows; its moving average "
    f"(EWMA) and cumulative sum (CUSUM), with limits that let {RUN_LENGTH:g} runs pass on average "
    "between two false alarms. A run on a data file that was there before has none."
)


def trend_chart(series: Series, course: Course) -> Chart | None:
    """The chart of a measure over the runs of its line; None where it never has a value."""
    places = [k for k, run in enumerate(course.runs) if run.line == series.line][-MOST_RUNS:]
    points = {p.run.place: p for p in series.points if p.run.place in places}
    values = [p.value for p in points.values() if p.value is not None]
    if not values:
        return None
    required, since = _required(series), None
    if series.changed is not None:
        since = next(
            (p.run.place for p in series.steps if p.run.name == series.changed.since), None
        )
    stops = [_stop(course.runs[k], points.get(k)) for k in places]
    changed = None if since is None else sum(place < since for place in places)
    colour = IMPROVED if series.better else CHANGED

    def paint(figure: Figure) -> None:
        # right of it are the word for the line of what is required, and half of the last day
        axes = panel(figure, 34, 20, HALF - 68, HEIGHT - 26)
        draw_course(
            axes,
            stops,
            required=[required] * len(stops),
            changed=changed,
            names=NAMES,
            changed_colour=colour,
        )

    name, finding = series_name(series), change_text(series)
    limit = "" if required is None else f" Required: {required_text(required)}."
    out = sum(point.limits.signal for point in points.values())
    text = (
        f"In {len(values)} of {len(places)} runs: from {value_text(values[0])} to "
        f"{value_text(values[-1])}, between {value_text(min(values))} and "
        f"{value_text(max(values))}; {out} outside the control limits."
    )
    return Chart(
        drawing(paint, HALF, HEIGHT),
        f"{name}. {text}{limit}",
        name,
        limit.strip(),
        (_values(list(points.values()), series),),
        finding=finding[:1].upper() + finding[1:],
    )


def _stop(run: Past, point: Point | None) -> Stop:
    """What is drawn of a run; a run without the measure leaves its place empty."""
    day = visible(run.day)
    if point is None:
        return Stop(day, None)
    return stop_of(day, point.record, point.limits, better=point.better is True)


def _required(series: Series) -> float | None:
    """What the newest run that has a measure requires of it."""
    found = (
        one.required
        for one in series.points[-1].run.acceptance
        if one.measure == series.about.id and one.reference is None and one.claim is None
    )
    return next(found, None)


def _values(points: Sequence[Point], series: Series) -> TableBlock:
    """The values of a chart with the control limits of each, and the charts with memory."""
    columns: list[Column[Step]] = [
        left("run", lambda step: step[0].run.entry.time),
        right("value", lambda step: value_cell(step[0]).text),
        left("interval", lambda step: value_cell(step[0]).aside),
        left("control limits", lambda step: _band(step[0].limits)),
    ]
    if series.change is None:
        unmarked = [(point, NO_MARK) for point in points]
        return table_of("Values", unmarked, columns, strong=_is_strong)
    steps = zip(series.steps, series.change.marks, strict=True)
    marks = {step.run.place: mark for step, mark in steps}
    columns += mark_columns(lambda step: step[1])
    records = [(point, marks.get(point.run.place, NO_MARK)) for point in points]
    title = "Values and control charts with memory"
    return table_of(title, records, columns, MEMORY, strong=_is_strong)


def _band(limits: ControlLimits) -> str:
    if limits.low is None or limits.high is None:
        return visible(limits.reason or "")
    return f"{value_text(limits.low)} to {value_text(limits.high)} ({limits.chart} chart)"


def _is_strong(step: Step) -> bool:
    return value_cell(step[0]).strong or step[1].signal


#: The first page lists no more measures than this that lie outside their limits.
MOST_SIGNALS = 12
KICKER = "Audits over time"
INDEX, CRITERIA, CHANGES = "index.html", "criteria.html", "changes.html"

#: The address of a run's file as seen from the pages; None where there is none.
Link = Callable[[Past, str], str | None]


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
    groups: dict[str, list[Series]] = {}
    for series in course.series:
        if series.about.fold in (None, MEAN_OF_FOLDS):
            groups.setdefault(_place(series), []).append(series)
    names = {f"trends-{number}.html": place for number, place in enumerate(groups, start=1)}
    out = {place: _outside(own, better=False) for place, own in groups.items()}
    trends = [
        PageLink(place + (f" {WORSE} {len(out[place])}" if out[place] else ""), name)
        for name, place in names.items()
    ]
    page = partial(Page, _title(course), KICKER, version)
    first = [_verdict(course), *_runs(course, link)]
    if names:
        columns: list[Column[tuple[str, str]]] = [
            left("measures of", lambda page: LineCell(page[1], href=page[0])),
            left("outside control limits", lambda page: str(len(out[page[1]]))),
        ]
        listed = table("Charts of each measure over the runs", names.items(), columns)
        first.append(part("trends", "Trends", listed))
    criteria = part("criteria", "Criteria over time", *_criteria(course))
    pages = {INDEX: page(tuple(first), "runs"), CRITERIA: page((criteria,), "criteria")}
    for name, place in names.items():
        charts = [trend_chart(one, course) for one in groups[place]]
        drawn = Charts(tuple(chart for chart in charts if chart is not None))
        pages[name] = page((part("charts", place, Text(HOW, "small"), drawn),), place)
    if changes is not None:
        pages[CHANGES] = changes
    return {name: replace(one, links=_links(name, trends, pages)) for name, one in pages.items()}


def _title(course: Course) -> str:
    """The title of the newest run; of several series none has another's."""
    if len(course.newest) > 1:
        return f"{len(course.newest)} series"
    titles = (run.title for run in reversed(course.runs) if run.title is not None)
    return visible(next(titles, "Runs"))


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


def _place(series: Series) -> str:
    """Line of history, dataset, model and subgroup: what a page of charts is of."""
    about = series.about
    line = [] if series.line is None else [label_text(series.line)]
    names = (label_text(about.dataset), label_text(about.model), subgroup_text(about.subgroup))
    return ", ".join([*line, *names])


# -- the first page -----------------------------------------------------------------------------


def _verdict(course: Course) -> Section:
    """What the newest runs came to, and what needs attention."""
    newest = list(course.newest.values())
    failed = sum(_outcome(run) == "fail" for run in newest)
    blocks: list[Block] = []
    if len(newest) == 1:
        (run,) = newest
        facts = (("Newest run", f"{run.day}: {note(run)}"),)
        word = visible(run.entry.outcome or "no outcome")
        blocks.append(Stamp(word, _outcome(run), "newest run", facts))
    elif newest:
        word = f"{failed} of {len(newest)}"
        blocks.append(Stamp(word, "fail" if failed else "pass", "series failed", ()))
    blocks += [block for section in _noted(course) for block in section.blocks]
    return part("verdict", "Now", *blocks)


def _outcome(run: Past) -> str:
    return {"passed": "pass", "failed": "fail", "continue": "continue"}.get(
        run.entry.outcome or "", "none"
    )


def _noted(course: Course) -> list[Section]:
    """What needs attention, and what is better than before."""
    worse, better = _changes(course, better=False), _changes(course, better=True)
    problems = [f"history: {visible(problem)}" for problem in course.problems]
    return [
        part("noted", title, Notes(title, tuple(Note(severity, "", t, ()) for t in texts), "brief"))
        for title, severity, texts in (
            ("Needs attention", "warning", [*_failing(course), *worse, *problems]),
            ("Better than before", "note", better),
        )
        if texts
    ]


def _failing(course: Course) -> Iterator[str]:
    yield from map(since_newest, course.since)
    for criterion in course.criteria:
        if criterion.breaches and course.now(criterion) is not None:
            times = f"{counted(criterion.breaches, 'run')} in a row"
            yield f"{criterion_text(criterion)}: {outcome_word(course.now(criterion))} {times}"


def _changes(course: Course, *, better: bool) -> list[str]:
    """Headline measures that changed; then measures outside their limits in the newest run.

    Those for the ``better``, or all others.
    """
    changed = [one for one in course.headlines if one.changed is not None]
    found = [
        f"{series_name(one)}: {change_text(one)}"
        for one in changed
        if (one.better is True) is better
    ]
    now = [one for one in course.series if one.points[-1].run is course.newest[one.line]]
    outside = _outside(now, better=better)
    overall = [one for one in outside if not one.about.subgroup and one not in changed]
    found += [
        f"{series_name(one)}: {outside_text(one.points[-1])}" for one in overall[:MOST_SIGNALS]
    ]
    if len(overall) > MOST_SIGNALS:
        found.append(f"and {len(overall) - MOST_SIGNALS} more measures outside their limits")
    if inside := sum(bool(one.about.subgroup) for one in outside):
        found.append(f"outside their control limits in subgroups: {counted(inside, 'measure')}")
    return found


def _outside(series: Sequence[Series], *, better: bool) -> list[Series]:
    """Measures whose newest value lies outside its control limits, on this side of them."""
    newest = [(one, one.points[-1]) for one in series]
    return [one for one, now in newest if now.limits.signal and (now.better is True) is better]


def _runs(
    course: Course, link: Link, last: int | None = MOST_RUNS, *, newest_first: bool = True
) -> list[Section]:
    """The runs of each line of history and the attempts between them."""
    runs, tried = course.last(last)
    first = len(course.runs) - len(runs)
    past = sorted((*runs, *tried), key=lambda one: one.place + bool(one.name))
    lines: dict[str | None, list[Past]] = {one.line: [] for one in (*course.runs, *course.attempts)}
    for one in past[::-1] if newest_first else past:
        lines[one.line].append(one)
    order = ", the newest first" if newest_first else ""
    cut = f"{order}; {first} older ones are not shown" if first else order
    return [
        part(
            f"runs-{k}",
            "Runs" if name is None else f"Runs of {visible(name)}",
            _run_table(own, [one for one in course.headlines if one.line == name], link, cut),
        )
        for k, (name, own) in enumerate(lines.items())
        if own
    ]


def _run_table(past: Sequence[Past], headlines: Sequence[Series], link: Link, cut: str) -> Block:
    places = {measure_place(one.about) for one in headlines}
    shared = len(places) == 1
    names = [
        name_text(one.about) if shared else f"{name_text(one.about)}, {measure_place(one.about)}"
        for one in headlines
    ]
    of = f"; {', '.join(names)}: {places.pop()}" if shared else ""
    made = sum(bool(one.name) for one in past)
    text = counted(made, "run")
    if made < len(past):
        text += f" and {counted(len(past) - made, 'attempt')} without a report"
    columns: list[Column[Past]] = [
        left("when", lambda one: one.entry.when.replace("T", " ").replace("Z", " UTC")),
        left("outcome", _stamp),
        left("criteria", note),
        *across(zip(names, headlines, strict=True), _value),
        left("run", lambda one: _name(one, link)),
    ]
    marks = f"{WORSE} outside its control limits, {BETTER} outside on the better side"
    notes = [marks] if names else []
    return table(
        f"{text}{cut}{of}", past, columns, *notes,
        hook=lambda one: ("run", one.name) if one.name else (),
    )  # fmt: skip


def _stamp(one: Past) -> LineCell:
    if not one.name:
        return stamp("fail", "no run")
    return stamp(_outcome(one), visible(one.entry.outcome or ""))


def _value(series: Series, one: Past) -> LineCell:
    """A headline measure in a run."""
    found = (value_cell(point) for point in series.points if point.run is one)
    return next(found, LineCell("–"))


def _name(one: Past, link: Link) -> LineCell:
    if not one.name:
        return LineCell("–")
    return LineCell(one.name, href=link(one, "report.html") or link(one, "results.json") or "")


# -- criteria -----------------------------------------------------------------------------------


def _criteria(course: Course) -> Iterator[Block]:
    """The outcome of each criterion in each run of its line of history, the newest first."""
    if not course.criteria:
        yield Text("No run has a criterion.")
    for name in dict.fromkeys(one.line for one in course.criteria):
        criteria = [one for one in course.criteria if one.line == name]
        shown = [k for k, run in enumerate(course.runs) if run.line == name][: -MOST_RUNS - 1 : -1]
        columns: list[Column[int | None]] = [left("run", partial(_of_run, course))]
        columns += across(((criterion_text(one), one) for one in criteria), _of_criterion, "left")
        of = "" if name is None else f" of {visible(name)}"
        caption = f"Outcome of each criterion in each run{of}, the newest first"
        yield table(caption, [None, *shown], columns)


def _of_run(course: Course, place: int | None) -> str:
    return "not passed in a row" if place is None else visible(course.runs[place].day)


def _of_criterion(one: CriterionCourse, place: int | None) -> LineCell:
    """Its outcome in a run; of no run how often in a row it was not passed."""
    if place is None:
        return LineCell(str(one.breaches), strong=bool(one.breaches))
    return outcome_stamp(one.outcomes[place])
