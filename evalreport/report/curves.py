"""The section on curves: which charts, in what words, with their data as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeAlias, TypeVar

from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Goal, Shows
from evalreport.numbers import (
    count_text,
    level_text,
    number_text,
    threshold_text,
    value_text,
)
from evalreport.report.charts.canvas import HALF
from evalreport.report.charts.decision import better
from evalreport.report.charts.points import FEWEST, columns, spread_over
from evalreport.report.columns import Column, across, left, table_of
from evalreport.report.contents import Contents, View, view_of
from evalreport.report.curve_charts import (
    MOST_TOGETHER,
    SUMS,
    Shown,
    area_of,
    at_first,
    by_threshold,
    class_names,
    drawn,
    front_drawing,
    in_order,
    is_enlarged,
    prevalence,
)
from evalreport.report.findings import (
    MOST_NAMED,
    Above,
    as_title,
    benefit_finding,
    better_finding,
    calibration_finding,
    end_of,
    precision_at,
    precision_finding,
    recall_at,
    roc_finding,
    scores_finding,
    sweep_finding,
    upper_half_finding,
)
from evalreport.report.leading import front_views
from evalreport.report.marking import FLAT
from evalreport.report.model import Block, Chart, Charts, Drawing, Heading, TableBlock, Text
from evalreport.report.sections import section
from evalreport.report.series import front_criterion
from evalreport.report.slices import wanted
from evalreport.report.strips import Row, measures_strip
from evalreport.report.words import counted, label_text, listed, lower_first, method_text
from evalreport.report.worst import by_class, sign_of
from evalreport.results.records import Curve, RocRelation

_Item = TypeVar("_Item")
#: A curve and the place of one of its points.
_Point: TypeAlias = tuple[Curve, int]
#: Points of a curve up to which the table beside its chart holds all of them, and how many
#: it holds of longer ones; the whole is in results.json.
ALL_POINTS, SOME_POINTS = 25, 6
#: The same of curves that one table holds: those of several classes, or of more models than one
#: pair of axes holds, whose table has all points of shorter ones only.
ALL_OF_MANY, SOME_OF_MANY = 10, 4
#: Curves of one chart; more stand in charts of their own.
MOST_CURVES = 12
#: Classes that a short report draws curves of, by kind.
WORST = {"roc": MOST_TOGETHER, "calibration": 2}
#: Share of the positive class below which precision says more than the false positive rate.
RARE = 0.2
DOTS = (
    f"Dots: bins of {FEWEST} or more rows, larger for more, with intervals; off: these leave out "
    "the mean score. Line: smoothed. Below: rows by score, this class up, others down."
)
SIGNS = (
    ("slope ", "Slope, intercept: joint logistic fit."),
    ("O:E", "O:E: observed over expected."),
    ("Emax", "Emax: largest distance of the smoothed line."),
)
AREA = "C: ROC AUC."
#: Columns that a curve is drawn from, and how its points are said.
AXES = {
    "roc": ("fpr", "tpr", "recall", "at a false positive rate of"),
    "precision_recall": ("recall", "precision", "precision", "at a recall of"),
    "decision": ("threshold", "net_benefit", "net benefit", "at a threshold of"),
    "sweep": ("threshold", "tpr", "recall", "at a threshold of"),
}
#: The kinds that are drawn, in order, and what they are of; gain, lift and accuracy by coverage
#: are in results.json.
TITLES = {
    "roc": "ROC curve",
    "precision_recall": "precision and recall",
    "score_distribution": "scores by class",
    "calibration": "calibration",
    "decision": "net benefit",
    "sweep": "recall, specificity and precision by threshold",
}
#: Columns of bands, which tables of several classes have no room for.
LIMITS = ("tpr_low", "tpr_high", "precision_low", "precision_high")
WHOLE = {"tp", "fp", "fn", "tn", "n", "p", "rows", "positives", "negatives", "correct"}


@section("curves", "Curves", of=(Curve,))
def curve_blocks(contents: Contents) -> list[Block]:
    """All charts of a results file; more than two classes get charts for each model."""
    drawable = [c for c in contents.of(Curve) if _is_drawn(c) and _has_points(c)]
    if contents.words.brief:
        return _few_charts(contents, drawable)
    binary = [c for c in drawable if contents.is_binary(view_of(c))]
    blocks: list[Block] = []
    for dataset in contents.datasets:
        own = [c for c in binary if c.dataset == dataset]
        found = _charts(contents, _beyond_front(contents, own), per_class=False)
        if found and len(contents.datasets) > 1:
            blocks.append(Heading(label_text(dataset)))
        blocks += _in_lines(found)
        blocks += _calibration_table(contents, dataset) if own else []
        blocks += _undrawn(contents, dataset)
    for view in contents.views:
        own = [c for c in drawable if view_of(c) == view and not contents.is_binary(view)]
        blocks += _in_lines(_charts(contents, own, per_class=True))
        if sum(c.kind == "decision" for c in own) > MOST_TOGETHER:
            said = (
                f"Net benefit of each of {counted(len(contents.classes(view)), 'class', 'classes')}"
            )
            blocks.append(Text(f"{said} against all others is in results.json.", "small"))
    return blocks


def _few_charts(contents: Contents, drawable: Sequence[Curve]) -> list[Block]:
    """The charts of a short report: calibration, and of classes the ROC curves of the worst ones.

    Of two classes the first page has the ROC curves; of more those of one model are drawn, the
    best one that has any.
    """
    binary = [c for c in drawable if c.kind == "calibration" and contents.is_binary(view_of(c))]
    charts = _charts(contents, in_order(contents, binary)[:MOST_TOGETHER], per_class=False)
    of_classes = [c for c in drawable if not contents.is_binary(view_of(c))]
    view = next((v for v in front_views(contents) if v in map(view_of, of_classes)), None)
    for kind, most in WORST.items():
        own = [c for c in of_classes if c.kind == kind and view_of(c) == view]
        if own:
            shown = Shown(contents, kind, in_order(contents, own)[:most], True)
            charts.append(_chart(shown, len(own), drawn(shown, HALF)))
    return _in_lines([replace(chart, data=()) for chart in charts])


def front_chart(contents: Contents, views: Sequence[View]) -> Chart | None:
    """The square chart of the first page: of the first dataset, its models as on the page.

    None of several classes, where no curve was made, or where type is large.
    """
    if contents.large:
        return None
    same = _of_front(contents, views)
    own = sorted((c for c in same if view_of(c) in views), key=lambda c: views.index(view_of(c)))
    if not own:
        return None
    shown = Shown(contents, own[0].kind, own, False)
    chart = _chart(shown, len(same), (front_drawing(shown), False))
    # its legend names the models
    chart = replace(chart, caption=_title(shown))
    # what more there is to it stands in the section of curves
    whole = _is_whole(shown, same) and not contents.words.brief
    return chart if whole else replace(chart, aside="", data=())


def _of_front(contents: Contents, views: Sequence[View]) -> list[Curve]:
    """Curves of the first dataset: precision where the positive class is rare, else ROC curves."""
    known = [
        c
        for c in contents.of(Curve)
        if c.dataset == views[0][0]
        and contents.is_binary(view_of(c))
        and _is_drawn(c)
        and _has_points(c)
    ]
    share = prevalence(contents, known[0]) if known else None
    kind = "precision_recall" if share is not None and share < RARE else "roc"
    return [c for c in known if c.kind == kind]


def _is_whole(shown: Shown, same: Sequence[Curve]) -> bool:
    """Whether the first page shows all that a chart of these curves can: none is enlarged."""
    return len(shown.records) == len(same) and not is_enlarged(shown)


def _beyond_front(contents: Contents, curves: list[Curve]) -> list[Curve]:
    """Curves without those that the first page shows as a whole."""
    views = front_views(contents)
    if "verdict" not in contents.sections or not views or contents.large:
        return curves
    if front_criterion(contents) is not None:
        return curves
    same = _of_front(contents, views)
    own = [c for c in same if view_of(c) in views]
    if not own or not _is_whole(Shown(contents, own[0].kind, own, False), same):
        return curves
    return [c for c in curves if c not in own]


def _charts(contents: Contents, curves: Sequence[Curve], *, per_class: bool) -> list[Chart]:
    """A chart of each kind of these curves, or several where one cannot hold them all."""
    # of classes, what they do at each threshold is in their curves
    kinds = [kind for kind in TITLES if not (per_class and kind == "sweep")]
    found = []
    for kind in kinds:
        same = in_order(contents, [c for c in curves if c.kind == kind])
        if per_class and kind == "decision" and len(same) > MOST_TOGETHER:
            continue  # told below the charts
        parts = (Shown(contents, kind, part, per_class) for part in _parts(same))
        found += [_chart(part, len(same), drawn(part)) for part in parts]
    return found


def _in_lines(found: Sequence[Chart]) -> list[Block]:
    """Charts of half a line in pairs of like height, those of a whole line by themselves."""
    blocks: list[Block] = []
    # the lowest first: a tall pair may have to wait for the next page
    narrow = sorted((one for one in found if not one.wide), key=lambda one: one.drawing.height)
    blocks += [Charts(tuple(narrow))] if narrow else []
    return [*blocks, *(Charts((chart,)) for chart in found if chart.wide)]


def _calibration_table(contents: Contents, dataset: str) -> list[TableBlock]:
    """What sums up the calibration of each model in a number, beside the value it should have.

    Slope, level, observed to expected: what is declared to show calibration and to be aimed at,
    as far as the run has it.
    """
    ideal: dict[str, str] = {}
    rows = []
    for view in contents.views:
        own = []
        for m in contents.pooled(view) if view[0] == dataset else ():
            metric = find(m.metric)
            if metric is None or metric.shows is not Shows.CALIBRATION or metric.best is None:
                continue
            if metric.goal is Goal.TARGET and not metric.p_value and wanted(contents, m):
                own.append(m)
                ideal[contents.title(m)] = number_text(metric.best)
        rows += [Row((), tuple(own))] if own else []
    told = listed([f"{title} {best}" for title, best in ideal.items()])
    return (
        measures_strip(contents, f"Calibration in numbers; ideal: {told}", rows, []) if rows else []
    )


def _parts(curves: Sequence[_Item], most: int = MOST_CURVES) -> list[Sequence[_Item]]:
    """Curves in as few charts as hold them, none with many fewer than another."""
    number = -(-len(curves) // most)
    ends = [k * len(curves) // number for k in range(number + 1)] if number else []
    return [curves[a:b] for a, b in pairwise(ends)]


def _of_classes(contents: Contents, curves: Sequence[Curve]) -> str:
    """Of which class a curve is, or of how many, which are named beside their lines."""
    one = "label" if contents.has_sets(view_of(curves[0])) else "class"
    many = "labels" if one == "label" else "classes"
    return f"{one} {label_text(curves[0].label)}" if len(curves) == 1 else f"{len(curves)} {many}"


def _is_drawn(curve: Curve) -> bool:
    return curve.kind in TITLES and not curve.subgroup


def _has_points(curve: Curve) -> bool:
    """Whether something of a curve can be drawn: of one class alone many have no points."""
    axes = AXES.get(curve.kind)
    if curve.kind == "calibration":
        axes = (*_calibration_columns(curve.points), "", "")
    if axes is None:
        return bool(_length(curve))
    either = ("tpr", "fpr") if curve.kind == "sweep" else (axes[1],)
    return any(columns(curve.points, axes[0], name) for name in either)


def _undrawn(contents: Contents, dataset: str) -> list[Text]:
    """The curves without a point, named: an empty frame would say less."""
    names: dict[str, list[str]] = {}
    for curve in contents.of(Curve):
        if curve.dataset == dataset and _is_drawn(curve) and not _has_points(curve):
            own = names.setdefault(TITLES[curve.kind], [])
            own.append(contents.mark(view_of(curve)).name)
    if not names:
        return []
    told = "; ".join(
        f"{contents.said(dataset, kind)} of {listed(list(dict.fromkeys(of)))}"
        for kind, of in names.items()
    )
    return [Text(f"Not drawn, as no point is defined on these rows: {told}.", "small")]


def _length(curve: Curve) -> int:
    return max((len(column) for column in curve.points.values()), default=0)


def _title(shown: Shown) -> str:
    title = shown.said(TITLES[shown.kind])
    return f"{title[0].upper()}{title[1:]}"


def _chart(shown: Shown, of: int, made: tuple[Drawing, bool]) -> Chart:
    """Curves of one kind with what they show in words; ``of``: how many there are in all.

    ``made`` is their drawing, and whether it takes the whole line.
    """
    contents, curves = shown.contents, shown.records
    title = _title(shown)
    names = [c.name for c in shown.curves]
    whose = contents.mark(view_of(curves[0])).name if shown.per_class else listed(names)
    caption = f"{title}, {whose}"
    if shown.per_class:
        caption += f", {_of_classes(contents, curves)}"
        by = by_class(contents, view_of(curves[0]))
        if by and len(curves) > 1:
            worst = "lowest" if sign_of(by[0].metric) > 0 else "highest"
            caption += f", {worst} {lower_first(contents.heading(by[0]))} first"
    said = "; ".join(
        f"{name}: {_said(contents, c, c.points)}" for name, c in zip(names, curves, strict=True)
    )
    finding = shown.said(_finding(shown))
    if finding and of > len(curves):
        finding = f"of these {len(curves)} of {of}: {finding}"
    drawing, wide = made
    return Chart(
        drawing,
        f"{caption if shown.per_class else title}. {said}.",
        caption,
        _aside(shown),
        _tables(shown, title),
        wide=wide,
        finding=as_title(finding, names),
        name=shown.kind,
    )


def _tables(shown: Shown, title: str) -> tuple[TableBlock, ...]:
    if shown.per_class or len(shown.records) > MOST_TOGETHER:
        return (_data_of_many(shown, title),)
    return tuple(_data(shown.contents, title, c) for c in shown.records)


def _aside(shown: Shown) -> str:
    """What the marks of a chart mean that no word on it says."""
    contents, curves = shown.contents, shown.records
    if shown.kind == "calibration":
        told = [DOTS]
        said = " ".join(line for c in shown.curves for line in c.said)
        told += [words for sign, words in SIGNS if sign in said]
        told += [AREA] if any(area_of(contents, c, "roc") is not None for c in curves) else []
        smooth = [c for c in contents.of(Curve) if _is_smoothed(c, curves)]
        told += [_band_words(contents, smooth)] if any(c.band for c in smooth) else []
        return " ".join(one for one in told if one)
    if shown.kind == "decision" and (shown.per_class or len(curves) > MOST_TOGETHER):
        return "Dark grey: treating all. Light grey: other curves."
    if shown.kind == "decision":
        beats = "Shaded: thresholds at which a model beats treating all and none."
        return beats if better(shown.curves) else ""
    if shown.kind == "score_distribution":
        return f"Bars are {'weights' if _weighted(shown) else 'rows'}, on one scale."
    many = len(curves) > 1
    return _band_words(contents, curves) if curves[0].band is not None and not many else ""


def _weighted(shown: Shown) -> bool:
    """Whether counts of any of the curves are sums of weights."""
    return any(shown.contents.is_weighted(view_of(one)) for one in shown.records)


def _is_smoothed(curve: Curve, dots: Sequence[Curve]) -> bool:
    """Whether a curve is the smoothed one of one of some calibration curves in bins."""
    own = {(view_of(c), c.label) for c in dots}
    return curve.kind == "smoothed_calibration" and (view_of(curve), curve.label) in own


def _band_words(contents: Contents, curves: Sequence[Curve]) -> str:
    """What the light areas of a chart are, or why there are none."""
    bands = [c.band for c in curves if c.band is not None]
    reason = next((b.reason for b in bands if b.method is None), None)
    if reason is not None:
        return f"No band: {reason}."
    if bands[0].of == "observed":
        said, where = "the smoothed share", "at each score"
    else:
        said = contents.said(curves[0].dataset, {"tpr": "recall"}.get(bands[0].of, bands[0].of))
        where = "at each threshold"
    method = method_text(str(bands[0].method))
    area = "Shaded area" if len(curves) == 1 else "Shaded areas"
    level = level_text(bands[0].level)
    return f"{area}: pointwise {level} limits of {said} {where} ({method})."


def _finding(shown: Shown) -> str:
    """What the points of the curves show; little is said of those of single classes."""
    contents, curves = shown.contents, shown.records
    if shown.kind == "calibration":
        return calibration_finding(shown.curves, _calibration_columns(curves[0].points)[0])
    if shown.per_class:
        return _finding_of_classes(shown)
    if shown.kind == "roc":
        own = [r for r in contents.of(RocRelation) if r.dataset == curves[0].dataset]
        between = roc_finding(own, [c.model for c in curves])
        return between or (recall_at(shown.curves[0]) if len(curves) == 1 else _end(shown))
    if shown.kind == "precision_recall":
        if len(curves) == 1:
            return precision_at(shown.curves[0], prevalence(contents, curves[0]))
        return precision_finding(shown.curves) or _end(shown)
    if shown.kind == "score_distribution":
        return scores_finding(_above_threshold(shown), class_names(shown, curves[0]))
    if shown.kind == "decision":
        return benefit_finding(shown.curves)
    if shown.kind == "sweep" and len(curves) <= 2:
        shares = (shown.said("recall"), shown.said("specificity"))
        told = [sweep_finding(by_threshold(contents, c), shares) for c in curves]
        names = [f"{c.name}: " if len(curves) > 1 else "" for c in shown.curves]
        return "; ".join(f"{name}{one}" for name, one in zip(names, told, strict=True) if one)
    return ""


def _finding_of_classes(shown: Shown) -> str:
    """Which class fares worst by the curves of one kind, each against the other classes."""
    if shown.kind == "score_distribution":
        return upper_half_finding(shown.curves, weighted=_weighted(shown))
    if shown.kind == "decision":
        return better_finding(shown.curves)
    return _end(shown)


def _end(shown: Shown) -> str:
    """The class with the lowest area under its curve, or the model with the highest.

    Nothing where one has none.
    """
    if shown.kind not in SUMS:
        return ""
    *_, title = SUMS[shown.kind]
    areas = {
        own.name: area_of(shown.contents, one, shown.kind)
        for own, one in zip(shown.curves, shown.records, strict=True)
    }
    known = {name: area for name, area in areas.items() if area is not None}
    if len(known) != len(areas):
        return ""
    if not shown.per_class:
        return end_of(title, known, most=True)
    view = view_of(shown.records[0])
    kind = "label" if shown.contents.has_sets(view) else "class"
    model = f", {shown.contents.mark(view).name}" * (len(shown.contents.views) > 1)
    return end_of(title, known, of=kind * (len(known) > 1)) + model


def _above_threshold(shown: Shown) -> list[Above]:
    """Rows of both classes at or above the threshold used, of each model; of many, none."""
    found: list[Above] = []
    for own, one in zip(shown.curves, shown.records, strict=True):
        view = view_of(one)
        at, cells = shown.contents.first_threshold(view)[0], at_first(shown.contents, view)
        if at is None or cells is None or len(shown.records) > MOST_NAMED:
            return []
        said = f"{shown.contents.operator(view)} {threshold_text(at)}"
        tp, fp = cells["TP"], cells["FP"]
        found.append((own.name, said, (tp, tp + cells["FN"]), (fp, fp + cells["TN"])))
    return found


def _calibration_columns(points: Any) -> tuple[str, str]:
    return ("mean_score" if "mean_score" in points else "low", "observed")


def _said(contents: Contents, curve: Curve, points: Any) -> str:
    """A few points of a curve in words."""
    kind = curve.kind
    if kind == "score_distribution":
        up, down = (points.get(f"{n}s") or points.get(n) or () for n in ("positive", "negative"))
        return f"{count_text(sum(up))} positive and {count_text(sum(down))} negative rows"
    axes = AXES.get(kind)
    if kind == "calibration":
        axes = (*_calibration_columns(points), "observed share", "at a mean score of")
    rows = columns(points, axes[0], axes[1]) if axes else []
    if not axes or not rows:
        return "no points"
    chosen = [rows[k] for k in spread_over(len(rows), 5)]
    said = ", ".join(f"{axes[2]} {value_text(y)} {axes[3]} {value_text(x)}" for x, y in chosen)
    return contents.said(curve.dataset, said)


def _with_cells(contents: Contents, curve: Curve) -> Curve:
    """The curve with the four cells of the table at each of its points, where they follow.

    Curves record what is predicted positive; the others are the rest of the actual classes,
    whose sizes the ROC curve of the same rows has.
    """
    points = curve.points
    totals = contents.class_sizes(curve)
    predicted = "fp" in points or "rows" in points
    if "tp" not in points or "tn" in points or not predicted or totals is None:
        return curve
    p, n = totals
    found, rows = points["tp"], points.get("rows") or ()
    taken = points.get("fp") or [_rest(n, tp) for n, tp in zip(rows, found, strict=True)]
    cells = {
        "fp": taken,
        "tn": [_rest(n, fp) for fp in taken],
        "fn": [_rest(p, tp) for tp in found],
    }
    kept = {name: column for name, column in points.items() if name not in ("p", "n")}
    return replace(curve, points={**kept, **cells})


def _rest(whole: float | None, part: float | None) -> float | None:
    """What a part leaves of the whole, which sums of weights may miss by their last digit."""
    return None if whole is None or part is None else max(whole - part, 0)


def _data(contents: Contents, caption: str, curve: Curve) -> TableBlock:
    """Some points of a curve as a table, or all of a short one."""
    curve = _with_cells(contents, curve)
    points, note = _some_points(curve)
    columns = _data_columns(contents, curve, _column_names([curve]))
    return table_of(
        f"{caption}: data of {contents.mark(view_of(curve)).name}", points, columns, note
    )


def _data_of_many(shown: Shown, caption: str) -> TableBlock:
    """Points of the curves of several classes, or of many models, in one table."""
    contents = shown.contents
    curves = [_with_cells(contents, c) for c in shown.records]
    whole = ALL_POINTS if shown.per_class else ALL_OF_MANY

    def name(curve: Curve) -> str:
        return label_text(curve.label) if shown.per_class else contents.mark(view_of(curve)).name

    made = [(name(c), *_some_points(c, SOME_OF_MANY, whole)) for c in curves]
    points = [point for _, own, _ in made for point in own]
    of_which: Column[_Point] = left(
        "class" if shown.per_class else "model", lambda point: name(point[0])
    )
    names = [name for name in _column_names(curves) if name not in LIMITS]
    columns = [of_which, *_data_columns(contents, curves[0], names)]
    note = " ".join(f"{name}: {note}" for name, _, note in made if note)
    whose = f" of {contents.mark(view_of(curves[0])).name}" if shown.per_class else ""
    return table_of(f"{caption}: data{whose}", points, columns, note)


def _column_names(curves: Sequence[Curve]) -> list[str]:
    """The columns of points that all of these curves have, in reading order."""
    names = [
        n for n in curves[0].points if all(len(c.points.get(n) or ()) == _length(c) for c in curves)
    ]
    cells = [name.lower() for name in FLAT]
    heights = ["fpr", "tpr", "recall", "precision", *LIMITS]
    order = ["threshold", "low", "high", "share", *heights, *cells]
    # by name as well: keys of results that were read again stand in another order
    return sorted(names, key=lambda n: (order.index(n) if n in order else len(order), n))


def _data_columns(contents: Contents, curve: Curve, names: Sequence[str]) -> list[Column[_Point]]:
    said = (contents.said(curve.dataset, name.replace("_", " ")) for name in names)
    return across(zip(said, names, strict=True), _cell)


def _some_points(
    curve: Curve, some: int = SOME_POINTS, whole: int = ALL_POINTS
) -> tuple[list[_Point], str]:
    """The points that are shown, each by its curve and place, and what is said of the others."""
    total = _length(curve)
    chosen = spread_over(total, total if total <= whole else some)
    few = len(chosen) < total
    note = f"{len(chosen)} of {total} points; all are in results.json." if few else ""
    return [(curve, k) for k in chosen], note


def _cell(name: str, point: _Point) -> str:
    curve, k = point
    value: Any = curve.points[name][k]
    if value is None:
        return "none"
    if name in WHOLE:
        return count_text(value)
    if name in {"threshold", "low", "high", "score"}:
        return threshold_text(value)
    return value_text(value) if isinstance(value, float) else number_text(value)
