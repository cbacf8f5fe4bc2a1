"""The runs of a series: the value of each criterion over them, and since when it is not met."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from evalreport.numbers import limits_text, or_dash, required_text, value_text
from evalreport.report.charts.canvas import HALF, WHOLE, beside, drawing, panel
from evalreport.report.charts.course import Stop, course
from evalreport.report.columns import Column, across, left, table_of
from evalreport.report.contents import Contents
from evalreport.report.criteria import criterion_line, criterion_title
from evalreport.report.model import Block, Chart, Charts, TableBlock, Text
from evalreport.report.sections import section
from evalreport.report.words import OUTCOME_MARKS, counted, label_text, listed, visible
from evalreport.results.records import HELD, Criterion, EarlierOutcome

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Criteria that are drawn, and those abreast in a table.
MOST_CHARTS, ACROSS = 4, 2
#: The height of the first page's chart, in points.
FRONT = 104.0
#: A run before this one, None for this one, with what it says of each criterion.
_Run = tuple[EarlierOutcome | None, list[EarlierOutcome | None]]
#: Letters of a date by which the runs of a series are told apart.
_EXACT = {"year": 4, "month": 7}


@section("series", "Course over runs", short="Runs")
def series_blocks(contents: Contents) -> list[Block]:
    """A chart of each criterion over the runs before this one and this one, and all as a table."""
    entries = followed(contents)
    if not entries:
        return []
    told = [f"{_line(contents, one)}: {text}." for one in entries if (text := since(contents, one))]
    blocks: list[Block] = [Text(_intro(entries))]
    blocks += [Text(" ".join(f"{text[0].upper()}{text[1:]}" for text in told))] if told else []
    drawn = [one for one in entries if _stops(contents, one)][:MOST_CHARTS]
    blocks += [Charts((_chart(contents, drawn[k : k + 2]),)) for k in range(0, len(drawn), 2)]
    return blocks + [
        _table(contents, entries[k : k + ACROSS]) for k in range(0, len(entries), ACROSS)
    ]


def followed(contents: Contents) -> list[Criterion]:
    """The criteria that runs before this one were held to, those that are not met first."""
    found = [one for one in contents.of(Criterion) if one.earlier]
    return sorted(found, key=lambda one: one.outcome in HELD)


def front_criterion(contents: Contents) -> Criterion | None:
    """The criterion that the first page draws over the runs: the first that is not met.

    None where the template follows no series, without runs before this one, and in large type.
    """
    if not contents.words.series or contents.large:
        return None
    return next((one for one in followed(contents) if _stops(contents, one)), None)


def since(contents: Contents, entry: Criterion) -> str:
    """Since when a criterion is not met, how its value went, and where its limit was changed."""
    parts = _failing(contents, entry), _moved(contents, entry)
    return "; ".join(part for part in parts if part)


def _moved(contents: Contents, entry: Criterion) -> str:
    """From which run on the limit is another one than before."""
    runs = [(_time(contents, one), one.required) for one in entry.earlier]
    runs.append((_time(contents), entry.required))
    moved = [
        f"{required_text(before)} to {required_text(now)} in {name}"
        for (_, before), (name, now) in pairwise(runs)
        if before is not None and now is not None and before != now
    ]
    return f"the limit was changed from {', and from '.join(moved)}" if moved else ""


def _failing(contents: Contents, entry: Criterion) -> str:
    failures = entry.breaches_in_a_row or 0
    if failures == 1 and entry.earlier and entry.earlier[-1].outcome in HELD:
        return f"fails since {_time(contents)}, met in {_time(contents, entry.earlier[-1])}"
    if failures < 2:
        return ""
    told = f"failed in {failures} runs in a row"
    first = _failed_from(entry)
    if not first:  # as far back as is known
        known = entry.earlier[:1]
        return ", ".join([told, *(f"since {_time(contents, one)} or before" for one in known)])
    before, began = entry.earlier[first - 1 : first + 1]
    if before.value is None or began.value is None:
        return f"{told}, first in {_time(contents, began)}"
    went = "fell" if began.value < before.value else "rose"
    return (
        f"{told}; the value {went} from {value_text(before.value)} in {_time(contents, before)} "
        f"to {value_text(began.value)} in {_time(contents, began)}"
    )


def _time(contents: Contents, run: EarlierOutcome | None = None) -> str:
    """What the data of a run are of, as exact as its series is due: ``2026-07``."""
    own = contents.results
    of = (own.as_of or own.provenance.at) if run is None else run.of
    return visible(of[: _EXACT.get(str(contents.spec.get("cadence")), 10)])


def _intro(entries: Sequence[Criterion]) -> str:
    runs = {one.run for entry in entries for one in entry.earlier}
    return (
        f"This run comes last, after {counted(len(runs), 'earlier run')} of the same series. "
        "Their values, limits and outcomes are as recorded; their tables are in their own "
        "reports. A line of long dashes shows what a criterion requires."
    )


def _stops(contents: Contents, entry: Criterion) -> list[Stop]:
    """The values over the runs, this one last; none of a criterion without a value."""
    m = contents.measure_of(entry.measure)
    if m is None or entry.readers or entry.reference:
        return []
    runs = [(_time(contents, one), one) for one in entry.earlier]
    runs.append((_time(contents), _this(contents, entry)))
    return [Stop(name, one.value, one.low, one.high) for name, one in runs]


def _this(contents: Contents, entry: Criterion) -> EarlierOutcome:
    """This run as one of the series."""
    m = contents.measure_of(entry.measure)
    limits = None if m is None else m.interval
    return EarlierOutcome(
        run="",
        of="",
        value=None if m is None else m.value,
        low=None if limits is None else limits.low,
        high=None if limits is None else limits.high,
        outcome=entry.outcome,
    )


def _failed_from(entry: Criterion) -> int | None:
    """The place of the first of the runs in a row that did not pass, this one among them."""
    failures = entry.breaches_in_a_row
    return max(len(entry.earlier) + 1 - failures, 0) if failures else None


def _paint(contents: Contents, entry: Criterion) -> Callable[..., None]:
    place = contents.models.index(entry.model) if entry.model in contents.models else 0
    return partial(
        course,
        stops=_stops(contents, entry),
        title=_title(contents, entry),
        required=[*(one.required for one in entry.earlier), entry.required],
        place=place,
        changed=_failed_from(entry),
    )


def _title(contents: Contents, entry: Criterion) -> str:
    """What is drawn: the metric with its group, and the model where there are several."""
    title = criterion_title(contents, entry)
    if len(contents.views) < 2:
        return title
    return f"{title}, {contents.mark((entry.dataset or '', entry.model or '')).name}"


def _line(contents: Contents, entry: Criterion) -> str:
    """A criterion on one line, with its model where there are several."""
    told = criterion_line(contents, entry)
    return f"{told}, {label_text(entry.model)}" if len(contents.views) > 1 else told


def _finding(contents: Contents, entry: Criterion) -> str:
    """How long a criterion has failed; of one that is met, its value and the one before."""
    told = since(contents, entry)
    known = [stop for stop in _stops(contents, entry) if stop.value is not None][-2:]
    values = listed([f"{value_text(stop.value or 0.0)} in {stop.name}" for stop in known[::-1]])
    told = told or (f"met with {values}" if entry.outcome in HELD else values)
    return f"{_title(contents, entry)}: {told}"


def _said(contents: Contents, entry: Criterion) -> str:
    stops = [stop for stop in _stops(contents, entry) if stop.value is not None]
    told = since(contents, entry)
    required = "" if entry.required is None else f" Required: {required_text(entry.required)}."
    course_of = "; ".join(f"{stop.name} {value_text(stop.value or 0.0)}" for stop in stops)
    return f"{course_of}.{required}{f' {told[0].upper()}{told[1:]}.' if told else ''}"


def _aside(entry: Criterion) -> str:
    shaded = " Shaded: runs in a row that did not meet it." if entry.breaches_in_a_row else ""
    return (
        f"Required: {required_text(entry.required)}.{shaded}" if entry.required is not None else ""
    )


def front_course(contents: Contents, entry: Criterion) -> Chart:
    """The chart of the first page in a template that follows a series."""

    def draw(figure: Figure) -> None:
        _paint(contents, entry)(panel(figure, 26, 20, WHOLE - 62, FRONT - 38))

    caption = f"{_title(contents, entry)} over the runs of the series"
    return Chart(
        drawing(draw, WHOLE, FRONT),
        f"{caption}. {_said(contents, entry)}",
        caption,
        _aside(entry),
        wide=True,
        finding=_finding(contents, entry),
        name="series",
    )


def _chart(contents: Contents, entries: Sequence[Criterion]) -> Chart:
    """One criterion over the runs, or two abreast."""
    captions = [_title(contents, one) for one in entries]
    return Chart(
        drawing(
            beside([_paint(contents, one) for one in entries], 40, 20, 74),
            HALF if len(entries) == 1 else WHOLE,
            150,
        ),
        " ".join(f"{c}. {_said(contents, one)}" for c, one in zip(captions, entries, strict=True)),
        "; ".join(captions),
        " ".join(dict.fromkeys(_aside(one) for one in entries)) if len(entries) == 1 else "",
        wide=len(entries) > 1,
        finding="; ".join(_finding(contents, one) for one in entries),
        name="series",
    )


def _table(contents: Contents, entries: Sequence[Criterion]) -> TableBlock:
    """A line for each run, the value of each criterion with its interval and its outcome."""
    runs = {one.run: one for entry in entries for one in entry.earlier}
    records: list[_Run] = [
        (run, [next((e for e in entry.earlier if e.run == run.run), None) for entry in entries])
        for run in sorted(runs.values(), key=lambda run: run.of)
    ]
    columns: list[Column[_Run]] = [
        left("data of", lambda one: _time(contents, one[0])),
        left("run", lambda one: "this run" if one[0] is None else visible(one[0].run)),
    ]
    columns += across(
        ((_line(contents, entry), k) for k, entry in enumerate(entries)),
        lambda k, one: or_dash(one[1][k], _outcome),
    )
    records.append((None, [_this(contents, entry) for entry in entries]))
    return table_of(
        "Every run of the series",
        records,
        columns,
        strong=lambda one: one[0] is None,
    )


def _outcome(one: EarlierOutcome) -> str:
    """A value with its interval, and what came of it."""
    said = OUTCOME_MARKS[one.outcome]
    if one.value is None:
        return said
    limits = ""
    if one.low is not None and one.high is not None:
        limits = f" ({limits_text(one.low, one.high, one.value)})"
    return f"{value_text(one.value)}{limits} {said}"
