"""The course of runs as pages: runs and what needs attention, criteria, a chart for each measure.

The text for a terminal is the first page, oldest run first. Whether a value outside its control
limits, or a change, is for the better follows from the metric: an improvement is never drawn as
an alarm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from evalreport.runs.naming import name_text, outcome_stamp, outcome_word
from evalreport.runs.trend import Course, PastAttempt, PastRun, Series
from evalreport.runs.trend_chart import HOW, MOST_RUNS, trend_chart
from evalreport.runs.trend_words import (
    BETTER,
    WORSE,
    attempt_note,
    change_text,
    criterion_text,
    days,
    measure_place,
    point_text,
    run_note,
    series_name,
    since_newest,
    value_cell,
)
from evalreport.report.model import Block, Charts, Line, Note, Notes, Section, Stamp, Text
from evalreport.report.pages import Page, PageLink, columns, line, page_text, part, stamp, table
from evalreport.report.pieces import LineCell
from evalreport.report.words import counted, label_text, subgroup_text, visible
from evalreport.results.identity import MEAN_OF_FOLDS

#: The first page lists no more measures than this that lie outside their limits.
MOST_SIGNALS = 12
KICKER = "Audits over time"
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
    heads = columns("measures of", "outside control limits")
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
        charts = [trend_chart(one, course) for one in groups[place]]
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
        told = (("Newest run", f"{run.entry.time[:10]}: {run_note(run)}"),)
        outcome = _outcome(run)
        blocks.append(
            Stamp(visible(run.entry.outcome or "no outcome"), outcome, "newest run", told)
        )
    elif newest:
        word = f"{failed} of {len(newest)}"
        blocks.append(Stamp(word, "fail" if failed else "pass", "series failed", ()))
    blocks += [block for section in _noted(course) for block in section.blocks]
    return part("verdict", "Now", *blocks)


def _outcome(run: PastRun) -> str:
    return {"passed": "pass", "failed": "fail", "continue": "continue"}.get(
        run.entry.outcome or "", "none"
    )


def _noted(course: Course) -> list[Section]:
    """What needs attention, and what is better than before."""
    worse, better = _changes(course, better=False), _changes(course, better=True)
    return [
        part("noted", title, Notes(title, tuple(Note(severity, "", t, ()) for t in texts), "brief"))
        for title, severity, texts in (
            ("Needs attention", "warning", [*_failing(course), *worse, *_problems(course)]),
            ("Better than before", "note", better),
        )
        if texts
    ]


def _failing(course: Course) -> Iterator[str]:
    yield from since_newest(course)
    for criterion in course.criteria:
        if criterion.breaches and course.now(criterion) is not None:
            times = f"{counted(criterion.breaches, 'run')} in a row"
            yield f"{criterion_text(criterion)}: {outcome_word(course.now(criterion))} {times}"


def _problems(course: Course) -> list[str]:
    return [f"history: {visible(problem)}" for problem in course.problems]


def _changes(course: Course, *, better: bool) -> list[str]:
    """Headline measures that changed; then measures outside their limits in the newest run.

    Those for the ``better``, or all others.
    """
    told = {one: text for one in course.headlines if (text := change_text(course, one))}
    found = [
        f"{series_name(one)}: {text}"
        for one, text in told.items()
        if (change := course.change(one)) is not None and (change.better is True) is better
    ]
    outside = [s for s in _outside(course) if (s.points[-1].better is True) is better]
    overall = [s for s in outside if not s.about.subgroup and s not in told]
    found += [f"{series_name(s)}: {point_text(s.points[-1])}" for s in overall[:MOST_SIGNALS]]
    if len(overall) > MOST_SIGNALS:
        found.append(f"and {len(overall) - MOST_SIGNALS} more measures outside their limits")
    if inside := sum(bool(s.about.subgroup) for s in outside):
        found.append(f"outside their control limits in subgroups: {counted(inside, 'measure')}")
    return found


def _outside(course: Course) -> list[Series]:
    """The series whose newest run has a value outside its control limits."""
    newest = course.newest
    return [s for s in course.series if s.points[-1].run == newest[s.line] and s.points[-1].signal]


def _runs(
    course: Course, link: Link, last: int | None = MOST_RUNS, *, newest_first: bool = True
) -> list[Section]:
    """The runs of each line of history and the attempts between them."""
    first = 0 if last is None else max(0, len(course.runs) - last)
    lines = dict.fromkeys([*(r.line for r in course.runs), *(a.line for a in course.attempts)])
    headlines = {own: [s for s in course.headlines if s.line == own] for own in lines}
    values = {s: {p.run: value_cell(p) for p in s.points} for s in course.headlines}
    tried: dict[int, list[PastAttempt]] = {}
    for one in course.tried(first):
        tried.setdefault(one.place, []).append(one)
    rows: dict[str | None, list[Line]] = {own: [] for own in lines}
    for place in range(first, len(course.runs) + 1):
        if place > first:
            run = course.runs[place - 1]
            own = [values[s].get(place - 1, LineCell("–")) for s in headlines[run.line]]
            rows[run.line].append(_run(run, own, link))
        for one in tried.get(place, []):
            rows[one.line].append(_attempt(one, len(headlines[one.line])))
    order = ", the newest first" if newest_first else ""
    cut = f"{order}; {first} older ones are not shown" if first else order
    return [
        part(f"runs-{k}", "Runs" if name is None else f"Runs of {visible(name)}",
             _run_table(headlines[name], rows[name][:: -1 if newest_first else 1], cut))
        for k, name in enumerate(lines)
        if rows[name]
    ]  # fmt: skip


def _run_table(headlines: Sequence[Series], rows: Sequence[Line], cut: str) -> Block:
    places = {measure_place(one) for one in headlines}
    shared = len(places) == 1
    names = [
        name_text(one.about) if shared else f"{name_text(one.about)}, {measure_place(one)}"
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


def _run(run: PastRun, values: Sequence[LineCell], link: Link) -> Line:
    href = link(run, "report.html") or link(run, "results.json") or ""
    return line(
        _time(run.entry.when),
        stamp(_outcome(run), visible(run.entry.outcome or "")),
        run_note(run),
        *values,
        LineCell(run.name, href=href),
        hook=("run", run.name),
    )


def _attempt(one: PastAttempt, measures: int) -> Line:
    """An attempt that came to nothing, as a row among the runs."""
    empty = ("–",) * (measures + 1)
    return line(_time(one.entry.when), stamp("fail", "no run"), attempt_note(one), *empty)


def _time(when: str) -> str:
    return when.replace("T", " ").replace("Z", " UTC")


# -- criteria -----------------------------------------------------------------------------------


def _criteria(course: Course) -> Iterator[Block]:
    """The outcome of each criterion in each run of its line of history, the newest first."""
    if not course.criteria:
        yield Text("No run has a criterion.")
    for own in dict.fromkeys(one.line for one in course.criteria):
        shown = [k for k, run in enumerate(course.runs) if run.line == own][: -MOST_RUNS - 1 : -1]
        heads = days([course.runs[k] for k in shown])
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
        yield table(caption, columns("criterion", "not passed in a row", *heads), lines)
