"""The table of results on the first page: primary metric first, every row with its own limit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from evalreport.metrics.catalogue import catalogue, find
from evalreport.metrics.declare import Average, Goal
from evalreport.metrics.kinds import Interval
from evalreport.metrics.methods import method_title
from evalreport.metrics.properties import moves_with_prevalence
from evalreport.metrics.properties import same_number as declared_as
from evalreport.report.cards import interval_text, number_of, outcome_cell, whisker_of
from evalreport.report.contents import Contents, View, identity, view_of
from evalreport.report.criteria import requirement_text
from evalreport.report.marking import flat_counts
from evalreport.report.model import Head, Line, TableBlock
from evalreport.report.numbers import (
    count_text,
    level_text,
    observed_text,
    threshold_text,
    value_text,
)
from evalreport.report.pieces import LineCell
from evalreport.report.strips import fraction_text
from evalreport.report.words import (
    MEAN,
    OVER_FOLDS,
    POOLED,
    POOLED_FOLDS,
    condition_text,
    counted,
    prose,
    subgroup_text,
)
from evalreport.results import records
from evalreport.results.identity import MEAN_OF_FOLDS, Quantity
from evalreport.results.records import Measure, rank_of

#: Models on the first page; the others have sections of their own.
MOST_MODELS = 3
#: Metrics at the head of the report; the others have sections of their own.
MOST_METRICS = 6
#: Rows of models and metrics on the first page: fewer metrics of more models.
MOST_ROWS = 10
#: The same in large type; of several classes, whose tables are higher.
FEW_MODELS, FEW_ROWS, FEW_ROWS_OF_CLASSES = 2, 6, 4
#: Limits on single groups and classes that are listed beside the metrics.
MOST_MORE_LIMITS = 6
#: Rows of a subgroup below which it has too few, where the spec says nothing.
FEWEST = 10
#: Metrics that set the rows of one class against those of the other.
OF_TWO_CLASSES = (Interval.AUC, Interval.RANKED, Interval.TWO_RATES)
#: The level of tests of a run without intervals.
LEVEL = 0.95
#: Distances of the ends of the axis, for ranges up to so wide.
STEPS = ((0.05, 0.01), (0.25, 0.05), (2.0, 0.1))
#: Words for wrong rows, counted, at the head of a text; the error rate is that count over all rows.
_ERRORS = re.compile(r"^(number|share) of (errors|misclassified|misclassifications)\b")


def results_tables(contents: Contents, views: Sequence[View]) -> list[TableBlock]:
    """The table of these views, and that of what is better lower; none of nothing measured.

    The one that has the first metric stands first.
    """
    rows = _rows(contents, views)
    found: dict[str, list[tuple[Measure, str]]] = {}
    for row in rows:
        caption = "Lower is better" if sign_of(row[0].metric) < 0 else "Results"
        found.setdefault(caption, []).append(row)
    return [_results(contents, own, caption) for caption, own in found.items()]


def criteria_in(contents: Contents, views: Sequence[View]) -> list[records.Criterion]:
    """The criteria of which the table of these views says all: value, limit held, requirement."""
    return [
        own[0]
        for m, _ in _rows(contents, views)
        if len(own := contents.criteria.get(m.id, [])) == 1 and _says_all(own[0], m)
    ]


def _says_all(entry: records.Criterion, m: Measure) -> bool:
    plain = entry.reference is None and entry.claim is None and not entry.readers
    if not plain or entry.exploratory or entry.reason or entry.look is not None or entry.limits:
        return False
    if (entry.breaches_in_a_row or 0) > 1 or entry.observed is None or entry.required is None:
        return False
    if observed_text(entry.observed, entry.required) != value_text(entry.observed):
        # digits that decide are printed only where it is held against its limit
        return False
    ends = {"point": m.value}
    if m.interval is not None:
        ends |= {"lower": m.interval.low, "upper": m.interval.high}
    return ends.get(entry.bound) == entry.observed


def margin_of(contents: Contents, entry: records.Criterion) -> float:
    """How far a criterion was from its limit, in widths of the interval of what is judged.

    Infinity where nothing was observed, or a claim is to be reproduced.
    """
    if entry.observed is None or entry.required is None or entry.claim:
        return math.inf
    m = contents.measure_of(entry.measure)
    limits = entry.interval if entry.reference else entry.limits or (m.interval if m else None)
    width = limits.high - limits.low if limits is not None else 0.0
    return abs(entry.observed - entry.required) / (width or 1.0)


def gravest_first(
    contents: Contents, entries: Iterable[records.Criterion]
) -> list[records.Criterion]:
    """Failed criteria, farthest from their limit first; then others, closest to theirs first."""

    def standing(entry: records.Criterion) -> tuple[int, float]:
        margin, failed = margin_of(contents, entry), entry.outcome in records.NOT_HELD
        return rank_of(entry.outcome), -margin if failed and math.isfinite(margin) else margin

    return sorted(entries, key=standing)


def primary_metric(contents: Contents) -> str | None:
    """The metric that the spec's own words call the primary one, where they begin with its name."""
    text = _plain(prose(contents.about.get("primary_metric") or "")).removeprefix("the ")
    text = _ERRORS.sub("error rate", text)
    asked = {m.metric for m in contents.measures}
    named = [
        (len(name), declared.name)
        for declared in catalogue()
        if declared.name in asked
        for name in (_plain(declared.title), *map(_plain, (declared.name, *declared.aliases)))
        if re.match(rf"{re.escape(name)}\b", text)
    ]
    return max(named)[1] if named else None


def _plain(text: str) -> str:
    return text.casefold().replace("_", " ")


def headline_identities(contents: Contents, views: Sequence[View]) -> list[Quantity]:
    """The primary metric, those with a criterion, then as the spec orders them for these views.

    Where a model has scores of two classes, what scores are judged by stands before what is true
    of one cut-off. Those that are better neither way, a rate of the data alone, come last.
    """
    primary = primary_metric(contents)
    judged = [contents.measure[i] for i in contents.criteria if i in contents.measure]
    found: dict[Quantity, None] = {}
    for m in judged:
        found.setdefault(identity(m))
    # both ways of counting indeterminate predictions stand there: one alone would flatter
    metrics = {(key.metric, key.indeterminate) for key in found}
    for view in views:
        ranked = sorted(contents.pooled(view), key=lambda m: average_rank(contents, m))
        for m in contents.pooled(view) if contents.is_binary(view) else ranked:
            own, counted_so = not contents.names_class(m), (m.metric, m.indeterminate)
            if own and (contents.is_binary(view) or counted_so not in metrics):
                metrics.add(counted_so)
                found.setdefault(identity(m))
    asked = {m.metric for m in judged}
    scored = _has_scores(contents, views)

    def standing(key: Quantity) -> tuple[bool, bool, bool, float]:
        declared, own = find(key.metric), key.metric in asked
        leads = declared.leads if scored and declared is not None else None
        place = math.inf if leads is None else leads
        describes = not own and not sign_of(key.metric) and math.isinf(place)
        return key.metric != primary, describes, not own, place

    ordered = sorted(found, key=standing)
    once = [key for k, key in enumerate(ordered) if not _repeats(contents, views, key, ordered[:k])]
    return once[:MOST_METRICS]


def same_number(key: Quantity, other: Quantity) -> bool:
    """Whether two quantities of several classes are one number by their definitions."""
    apart = (key.metric, key.average) != (other.metric, other.average)
    return apart and _defined_as(key) == _defined_as(other)


def _defined_as(key: Quantity) -> tuple[str, str | None]:
    """The metric that a quantity of several classes is by its definition, with its average."""
    metric = find(key.metric)
    if metric is None:
        return key.metric, key.average
    same, average = declared_as(metric, key.average, two_classes=False)
    return same.name, None if average == Average.MICRO.value else average


def _repeats(
    contents: Contents, views: Sequence[View], key: Quantity, before: Sequence[Quantity]
) -> bool:
    """Whether an earlier quantity is the same number, in every one of these models."""
    values = [{identity(m): m.value for m in contents.pooled(view)} for view in views]
    return any(
        same_number(key, other)
        and all(own.get(key) is not None and own.get(key) == own.get(other) for own in values)
        for other in before
    )


def _has_scores(contents: Contents, views: Sequence[View]) -> bool:
    """Whether any of these models was judged by its scores of two classes."""
    own = [m for v in views if contents.is_binary(v) for m in contents.pooled(v)]
    metrics = {m.metric for m in own if m.state != "not_applicable"}
    return any(one.takes_scores and one.leads for one in map(find, metrics) if one is not None)


def front_views(contents: Contents) -> list[View]:
    """The models of the first page."""
    most = MOST_MODELS
    if contents.large:
        # each label has a line of its own
        most = 1 if any(map(contents.has_sets, contents.views)) else FEW_MODELS
    return best_first(contents)[:most]


def best_first(contents: Contents) -> list[View]:
    """All models, best first within each dataset: by the primary metric, ties by the next ones.

    Where there is a mean over folds or readers, which leads the page, it is what counts.
    """
    keys = headline_identities(contents, contents.views)

    def standing(view: View) -> tuple[int, list[float]]:
        means = ((m, contents.mean_of(m)) for m in contents.pooled(view))
        values = {identity(m): m.value if mean is None else mean[1].value for m, mean in means}
        known = [(sign_of(key.metric), values.get(key)) for key in keys]
        worst_last = [math.inf if value is None else -sign * value for sign, value in known]
        return contents.datasets.index(view[0]), worst_last

    return sorted(contents.views, key=standing)


def average_rank(contents: Contents, m: Measure) -> int:
    """Which average stands for a metric: the plain value over classes, else the plain mean."""
    order = (None, "macro", "micro")
    if contents.words.is_plain(m):
        return -1
    return order.index(m.average) if m.average in order else 3


def _rows(contents: Contents, views: Sequence[View]) -> list[tuple[Measure, str]]:
    """The measures of the table with what is said of their place, metric by metric."""
    found: dict[str, tuple[Measure, str]] = {}
    room = MOST_ROWS
    if contents.large:
        room = FEW_ROWS if all(map(contents.is_binary, views)) else FEW_ROWS_OF_CLASSES
    for place, key in enumerate(headline_identities(contents, views[:1])):
        own = [m for view in views for m in contents.pooled(view) if identity(m) == key]
        # that a rule without scores has no ROC AUC tells nothing
        own = [m for m in own if m.state != "not_applicable" or contents.criteria.get(m.id)]
        room -= len(own)
        if place and room < 0:
            break
        # limits that allow for the variation of training come first
        first = own if not place else ()
        means = {m.id: mean for m in first if (mean := contents.mean_over_folds(m)) is not None}
        found |= {mean.id: (mean, OVER_FOLDS) for mean in means.values()}
        for m in own:
            found.setdefault(m.id, (m, POOLED_FOLDS if m.id in means else ""))
    judged = sorted(contents.of(records.Criterion), key=lambda c: rank_of(c.outcome))
    limits = [contents.measure_of(c.measure) for c in judged]
    more = [m for m in limits if m is not None and m.id not in found]
    if contents.large:
        # limits that other models fail are named in the sentence on what decided
        more = [m for m in more if (m.dataset, m.model) in views]
    for m in more[:MOST_MORE_LIMITS]:
        found.setdefault(m.id, (m, ""))
    return list(found.values())


def comparable_in_groups(contents: Contents, views: Sequence[View]) -> Quantity | None:
    """The first headline quantity by which groups compare; None where there is none."""
    keys = headline_identities(contents, views[:1])
    return next((key for key in keys if compares_groups(contents, key, views)), None)


def compares_groups(contents: Contents, key: Quantity, views: Sequence[View]) -> bool:
    """Whether groups with other shares of positives can be compared by a quantity."""
    if not any(contents.is_binary(view) for view in views):
        return True
    metric = find(key.metric)
    return metric is not None and not moves_with_prevalence(metric)


def worst_group(
    contents: Contents, view: View, key: Quantity
) -> tuple[Measure | None, list[Measure]]:
    """The group that fares worst, and those of too few rows to judge.

    Periods are no such groups; one that fares no worse than all rows is not named.
    """
    groups = [
        m
        for m in contents.of_view(view)
        if m.subgroup
        and m.fold is None
        and m.value is not None
        and tuple(m.subgroup) not in contents.period_columns
        and contents.at_first(view)(m)
        and identity(m) == key
    ]
    few = [m for m in groups if stands_on_few(contents, m)]
    worst = worst_of([m for m in groups if not stands_on_few(contents, m)])
    whole = next((m for m in contents.pooled(view) if identity(m) == key), None)
    if worst is None or whole is None or worst_of([whole, worst]) is not worst:
        return None, few
    return worst, few


def groups_differ(contents: Contents, m: Measure) -> bool:
    """Whether the groups of a measure are shown to differ by it.

    By the one test over all of them, as the data chose which group to look at; where there is no
    such test, by the limits of the gap of this group.
    """
    at = (view_of(m), identity(m), m.threshold, m.threshold_rule, tuple(m.subgroup))
    if at in contents.group_tests:
        return contents.group_tests[at] < 1 - (m.interval.level if m.interval else LEVEL)
    gaps = (gap.gap_interval for gap in contents.gaps.get(m.id, ()))
    return any(limits and (limits.low > 0 or limits.high < 0) for limits in gaps)


def stands_on_few(contents: Contents, m: Measure) -> bool:
    """Whether its group has too few rows, or too few of those that the value is of.

    Those of a share are its denominator; of an area, pairs of rows, the smaller of two classes.
    """
    least = float(contents.spec.get("subgroup_minimum") or FEWEST)
    share = m.denominator if share_of_rows(contents, m) else None
    numbers = of_two_classes(contents, m) if share is None else (share,)
    return m.few or min(numbers, default=math.inf) < least


def of_two_classes(contents: Contents, m: Measure) -> tuple[float, ...]:
    """The positive rows and the others, of a metric that sets them against each other."""
    declared, table = find(m.metric), contents.table_of(m.table)
    flat = None if table is None else flat_counts(table)
    if declared is None or declared.interval not in OF_TWO_CLASSES or not flat:
        return ()
    return flat["TP"] + flat["FN"], flat["FP"] + flat["TN"]


def by_class(contents: Contents, view: View) -> list[Measure]:
    """Each of several classes by the metric that tells its worst class, or else by the first."""
    if contents.is_binary(view):
        return []
    own = [m for m in contents.pooled(view) if m.label is not None and m.average is None]
    metrics = dict.fromkeys(identity(m)._replace(label=None) for m in own if m.value is not None)
    first = [key for key in metrics if (metric := find(key.metric)) and metric.worst_class]
    chosen = [*first, *metrics][:1]
    return [m for m in own if identity(m)._replace(label=None) in chosen]


def worst_first(contents: Contents, views: Sequence[View]) -> list[str]:
    """The classes of these views by the worst value of :func:`by_class`, those without one last."""
    values: dict[str, float] = {}
    for m in (m for view in views for m in by_class(contents, view)):
        if m.value is not None:
            label = str(m.label)
            values[label] = min(sign_of(m.metric) * m.value, values.get(label, math.inf))
    known = dict.fromkeys(label for view in views for label in contents.classes(view))
    return sorted(known, key=lambda label: values.get(label, math.inf))


def worst_of(measures: Sequence[Measure]) -> Measure | None:
    """The worst of several values of one metric; None where there are no two."""
    sign = sign_of(measures[0].metric) if len(measures) > 1 else 0
    return min(measures, key=lambda m: sign * (m.value or 0.0)) if sign else None


def sign_of(metric: str) -> int:
    """1 where a metric's declaration has more as better, -1 where less is, else 0."""
    goal = None if (declared := find(metric)) is None else declared.goal
    return 1 if goal is Goal.MAXIMIZE else -1 if goal is Goal.MINIMIZE else 0


def _results(contents: Contents, rows: Sequence[tuple[Measure, str]], caption: str) -> TableBlock:
    judged = any(contents.criteria.get(m.id) for m, _ in rows)
    axis = _axis(contents, [m for m, _ in rows])
    levels = {m.interval.level for m, _ in rows if m.interval}
    columns = [
        Head(""),
        Head("model"),
        Head("found / of", "right"),
        Head("value", "right"),
        Head(f"{level_text(levels.pop())} limits" if len(levels) == 1 else "limits", "right"),
    ]
    columns += [Head("required", "right")] if judged else []
    columns.append(Head("axis"))
    columns += [Head("outcome")] if judged else []
    named = [(m, _titled(contents, m, words)) for m, words in rows]
    asked: dict[str, set[str]] = {}
    for m, title in named:
        asked.setdefault(title, set()).add(_required(_judged_by(contents, m)))
    lines = []
    previous = None
    for m, title in named:
        mean = contents.mean_over_readers(m)
        if mean is not None:
            own = _required(_judged_by(contents, m, readers=True))
            above = f"{contents.title(m)}, {MEAN}"
            lines.append(_line(contents, m, above, None, own if judged else None, mean))
        again = title == previous
        # one requirement for all models of a metric stands once
        required = "" if again and len(asked[title]) == 1 else _required(_judged_by(contents, m))
        shown = "" if again else title
        lines.append(_line(contents, m, shown, axis, required if judged else None))
        previous = title
    ticks = () if axis is None else (axis[0], (axis[0] + axis[1]) / 2, axis[1])
    return TableBlock(
        caption,
        tuple(columns),
        tuple(lines),
        style="results kept",
        ticks=tuple(threshold_text(round(tick, 3)) for tick in ticks),
    )


def _titled(contents: Contents, m: Measure, words: str) -> str:
    """What a row is of: the metric, what is said of its place or its group, another threshold."""
    told = [contents.title(m), words, POOLED if contents.pools_readings(m) else ""]
    if m.subgroup and not any(told[1:]):
        told.append(subgroup_text(m.subgroup))
    if _elsewhere(contents, m):
        told.append(condition_text(m.threshold, contents.operator(view_of(m))))
    return ", ".join(filter(None, told))


def _elsewhere(contents: Contents, m: Measure) -> bool:
    """Whether it is at another threshold than the first of its model."""
    return not contents.at_first(view_of(m))(m)


def _judged_by(contents: Contents, m: Measure, *, readers: bool = False) -> list[records.Criterion]:
    """The criteria of a measure, or of its mean over ``readers``, the gravest first."""
    own = (c for c in contents.criteria.get(m.id, []) if bool(c.readers) == readers)
    return sorted(own, key=lambda c: (rank_of(c.outcome), margin_of(contents, c)))


def _line(
    contents: Contents,
    m: Measure,
    title: str,
    axis: tuple[float, float] | None,
    required: str | None,
    mean: records.ReaderMean | None = None,
) -> Line:
    """A row of the table, or above that of pooled readings the one of their ``mean``.

    Without a title it is of what the row above is of; ``required`` is None where no row is judged.
    """
    one = next(iter(_judged_by(contents, m, readers=mean is not None)), None)
    if mean is None:
        found = _range_of_folds(contents, m) or share_of_rows(contents, m)
        value = LineCell(number=number_of(contents, m, whisker=False), strong=True)
        # why a value has no limits, in a word or a few
        reason = "" if m.value is None else prose(m.interval_reason or "")
        limits = interval_text(m.interval, m.value) or re.split("[:;]", reason)[0]
    else:
        found = counted(len(mean.readers), "reader")
        value = LineCell(value_text(mean.value or 0.0), strong=True)
        limits = interval_text(mean.interval, mean.value)
    apart = mean is None and (bool(m.subgroup) or _elsewhere(contents, m))
    table = contents.table_of(m.table) if apart else None
    flat = None if table is None else flat_counts(table)
    counts = tuple((name, count_text(flat[name])) for name in contents.flat) if flat else ()
    cells = [
        LineCell(title, head=bool(title), counts=counts),
        LineCell(mark=contents.mark(view_of(m))),
        LineCell(found),
        value,
        LineCell(limits),
        *([] if required is None else [LineCell(required)]),
        LineCell(whisker=whisker_of(contents, m, one, axis) if axis and _on_axis(m) else None),
    ]
    if required is not None:
        cells.append(LineCell() if one is None else outcome_cell(one.outcome))
    return Line(tuple(cells), whole=True, table=m.table or "" if flat else "", rule=bool(title))


def _required(own: Sequence[records.Criterion]) -> str:
    """What the first of these criteria requires, and how many more there are."""
    if not own:
        return ""
    entry, more = own[0], len(own) - 1
    if entry.required is None or entry.claim is not None:
        return "as printed" if entry.claim is not None else ""
    bound = {"lower": "lower ", "upper": "upper "}.get(entry.bound, "")
    by = "" if entry.limits is None else f", {method_title(entry.limits.method)}"
    told = f"{bound}{requirement_text(entry)}{by}"
    return f"{told} and {more} more" if more else told


def _range_of_folds(contents: Contents, m: Measure) -> str:
    """The folds with the least and the most value beside a mean over folds: in counts if any.

    As ``folds 17/22 to 21/21``; nothing beside any other value.
    """
    if m.fold != MEAN_OF_FOLDS:
        return ""
    at = (identity(m), m.threshold, m.threshold_rule)
    folds = [
        one
        for one in contents.of_view((m.dataset, m.model))
        if one.fold not in (None, MEAN_OF_FOLDS) and not one.subgroup and one.value is not None
        if (identity(one), one.threshold, one.threshold_rule) == at
    ]
    if not folds:
        return ""
    ends = [pick(folds, key=lambda one: one.value or 0.0) for pick in (min, max)]
    told = [share_of_rows(contents, one).replace(" ", "") for one in ends]
    told = told if all(told) else [value_text(one.value or 0.0) for one in ends]
    return f"folds {told[0]} to {told[1]}"


def share_of_rows(contents: Contents, m: Measure) -> str:
    """How many of how many rows; nothing where the value is no share of rows."""
    declared = find(m.metric)
    share = declared is not None and declared.interval is Interval.PROPORTION
    return fraction_text(contents, m) if share else ""


def _on_axis(m: Measure) -> bool:
    """Whether a value has a place on the axis: a share from 0 or from -1 to 1, or any loss."""
    declared = find(m.metric)
    if declared is None or m.value is None or m.value < 0:
        return False
    return sign_of(m.metric) < 0 or declared.range_of(3) in {(0.0, 1.0), (-1.0, 1.0)}


def _axis(contents: Contents, measures: Iterable[Measure]) -> tuple[float, float] | None:
    """Where the values, limits and requirements of the rows lie, on round numbers."""
    found: list[float] = []
    most = 1.0
    for m in measures:
        if not _on_axis(m) or m.value is None:
            continue
        found.append(m.value)
        ends = [m.interval.low, m.interval.high] if m.interval else []
        found += filter(math.isfinite, ends)
        found += contents.required(m)
        most = max(most, m.value) if sign_of(m.metric) >= 0 else math.inf
    if not found:
        return None
    low, high = max(0.0, min(found)), min(most, max(found))
    step = next((step for wide, step in STEPS if high - low <= wide), None)
    step = 10 ** math.floor(math.log10(high - low)) if step is None else step
    low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    if low == high:
        low, high = max(0.0, low - step), min(most, high + step)
    return round(low, 2), round(high, 2)
