"""The section on curves: which charts, in what words, with their data as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Goal, Shows
from evalreport.report import charts, panels
from evalreport.report.contents import Contents, View
from evalreport.report.drawing import as_drawing, draw_abreast, draw_grid
from evalreport.report.findings import (
    as_title,
    benefit_finding,
    calibration_finding,
    gain_finding,
    precision_finding,
    roc_finding,
    rows_per_bin,
    sweep_finding,
)
from evalreport.report.marking import FLAT
from evalreport.report.model import (
    Block,
    Chart,
    Charts,
    Column,
    Heading,
    PlainTable,
    Strip,
    TablePair,
    TableRow,
    Text,
)
from evalreport.report.numbers import (
    count_text,
    level_text,
    number_text,
    threshold_text,
    value_text,
)
from evalreport.report.roc_relations import roc_relation_blocks
from evalreport.report.sections import section
from evalreport.report.slices import rule_text, spread_over, wanted
from evalreport.report.strips import Row, measures_strip
from evalreport.report.words import label_text, listed, method_text
from evalreport.results.records import Curve, RocRelation, RowLedger, Threshold

_Item = TypeVar("_Item")
#: Points of a curve up to which the table beside its chart holds all of them, and how many
#: it holds of longer ones; the whole is in results.json.
ALL_POINTS, SOME_POINTS = 25, 6
#: The same of the curve of one class among several.
SOME_OF_A_CLASS = 4
#: Curves of one chart; more stand in charts of their own.
MOST_CURVES = 6
#: Curves of one chart up to which their bands are drawn: of more, areas would hide each other.
MOST_BANDS = 2
#: Panels of one chart of the scores of single classes.
FEW_ABREAST, MANY_ABREAST = 3, 5
#: Panels of one chart.
ABREAST = 2
#: Columns that a curve is drawn from, and how its points are said.
AXES = {
    "roc": ("fpr", "tpr", "recall", "at a false positive rate of"),
    "precision_recall": ("recall", "precision", "precision", "at a recall of"),
    "decision": ("threshold", "net_benefit", "net benefit", "at a threshold of"),
    "sweep": ("threshold", "tpr", "recall", "at a threshold of"),
    "gain": ("share", "gain", "share of positives", "at a share of rows of"),
    "lift": ("share", "lift", "lift", "at a share of rows of"),
    "accuracy_coverage": ("coverage", "accuracy", "accuracy", "at a coverage of"),
}
#: Curves in a sentence, where their kind is not a word for them.
TITLES = {
    "roc": "the ROC curve",
    "precision_recall": "precision and recall",
    "decision": "net benefit",
    "sweep": "recall and specificity by threshold",
    "accuracy_coverage": "accuracy by coverage",
}
BY_CHANCE = "The thin line is what rows taken at random would give."
#: Columns of bands, which tables of several classes have no room for.
LIMITS = ("tpr_low", "tpr_high", "precision_low", "precision_high")
WHOLE = {"tp", "fp", "fn", "tn", "n", "p", "rows", "positives", "negatives", "correct"}


@section("curves", "Curves", of=(Curve, RocRelation))
def curve_blocks(contents: Contents) -> list[Block]:
    """All charts of a results file; more than two classes get a chart per model."""
    binary = [c for c in _drawable(contents) if contents.is_binary(_view(c))]
    blocks: list[Block] = []
    for dataset in contents.datasets:
        own = [c for c in binary if c.dataset == dataset]
        wide = _wide_charts(contents, own)
        found = [*_binary_charts(contents, own), *(c for c in wide if not c.wide)]
        if found and len(contents.datasets) > 1:
            blocks.append(Heading(label_text(dataset)))
        if found:
            blocks.append(Charts(tuple(found)))
        blocks += _calibration_table(contents, dataset) if own else []
        blocks += _undrawn(contents, dataset)
        blocks += [Charts((chart,)) for chart in wide if chart.wide]
        blocks += _coverage_tables(contents, own)
        blocks += roc_relation_blocks(contents, dataset)
    many = [c for c in _drawable(contents) if not contents.is_binary(_view(c))]
    for view in contents.views:
        own = [c for c in many if _view(c) == view]
        found = [
            _joint(contents, kind, part, per_class=True)
            for kind in ("roc", "precision_recall", "calibration", "decision")
            for part in _parts([c for c in own if c.kind == kind])
        ]
        blocks += [Charts(tuple(found))] if found else []
        blocks += [Charts((chart,)) for chart in _class_charts(contents, own)]
    return blocks


def _calibration_table(contents: Contents, dataset: str) -> list[Strip]:
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


def _class_charts(contents: Contents, curves: Sequence[Curve]) -> list[Chart]:
    """Scores, gain and lift, and accuracy by coverage of each of several classes of a model."""
    scores = [c for c in curves if c.kind == "score_distribution"]
    found = [_scores_by_class(contents, scores)] if scores else []
    for part in _parts(list(dict.fromkeys(c.label for c in curves))):
        gains = _gains_by_class(contents, [c for c in curves if c.label in part])
        found += [gains] if gains is not None else []
    coverage = [c for c in curves if c.kind == "accuracy_coverage"]
    return [*found, *(_coverage(contents, part) for part in _parts(coverage, 2 * MOST_CURVES))]


def _scores_by_class(contents: Contents, curves: Sequence[Curve]) -> Chart:
    """Scores of the rows of each class and of the others, in one chart."""
    panels_of = [_panel(contents, c).paint for c in curves]
    svg = draw_grid(panels_of, FEW_ABREAST if len(curves) <= 6 else MANY_ABREAST, 1.3)
    model = contents.mark(_view(curves[0])).name
    caption = f"Scores of each class, {model}: {_named(curves)}, by lines"
    said = " ".join(f"{label_text(c.label)}: {_said(contents, c, c.points)}." for c in curves)
    data = _class_data(contents, "Scores", curves)
    return Chart(as_drawing(svg), f"{caption}. {said}", caption, "", (data,), True)


def _gains_by_class(contents: Contents, curves: Sequence[Curve]) -> Chart | None:
    """Gain and lift of each class against the others, side by side."""
    gain, lift = ([c for c in curves if c.kind == kind] for kind in ("gain", "lift"))
    if not gain and not lift:
        return None
    accuracy = contents.said(curves[0].dataset, "accuracy")
    one, two = ([_class_curve(c, k) for k, c in enumerate(same)] for same in (gain, lift))
    svg = draw_abreast(panels.gain_panels(one, two, [], accuracy))
    both = [(title, same) for title, same in (("Gain", gain), ("Lift", lift)) if same]
    model = contents.mark(_view(curves[0])).name
    words = listed([title for title, _ in both]).capitalize()
    caption = f"{words}, {model}, {_of_classes(contents, both[0][1])}"
    said = " ".join(
        f"{title}, {label_text(c.label)}: {_said(contents, c, c.points)}."
        for title, same in both
        for c in same
    )
    tables = tuple(_class_data(contents, title, same) for title, same in both)
    return Chart(as_drawing(svg), f"{caption}. {said}", caption, BY_CHANCE, tables, wide=True)


def _coverage_tables(contents: Contents, curves: Sequence[Curve]) -> list[TablePair]:
    """The tables of the rows that are answered, at a few shares of them, two models abreast."""
    found: list[PlainTable] = []
    for curve in curves:
        points = curve.points
        if curve.kind != "accuracy_coverage" or "tp" not in points:
            continue
        accuracy = contents.said(curve.dataset, "accuracy")
        chosen = spread_over(_length(curve), SOME_POINTS)
        rows = tuple(
            TableRow(
                (
                    _cell("coverage", points["coverage"][k]),
                    *(count_text(points[name.lower()][k]) for name in FLAT),
                    _cell("accuracy", points["accuracy"][k]),
                )
            )
            for k in chosen
        )
        columns = (
            Column("coverage", "right"),
            *(Column(name, "right") for name in FLAT),
            Column(accuracy, "right"),
        )
        caption = f"{accuracy} by coverage, {contents.mark(_view(curve)).name}"
        found.append(PlainTable(f"{caption[0].upper()}{caption[1:]}", columns, rows, ""))
    return [TablePair(tuple(found[k : k + ABREAST])) for k in range(0, len(found), ABREAST)]


def _coverage(contents: Contents, curves: Sequence[Curve]) -> Chart:
    """Accuracy by coverage of each class against the others, side by side."""
    accuracy = contents.said(curves[0].dataset, "accuracy")
    halves = [[_class_curve(c, k) for k, c in enumerate(part)] for part in _parts(curves)]
    svg = draw_abreast([panels.coverage_panel(half, accuracy) for half in halves])
    model = contents.mark(_view(curves[0])).name
    caption = f"{accuracy} by coverage, {model}, {_of_classes(contents, curves)}"
    said = "; ".join(f"{label_text(c.label)}: {_said(contents, c, c.points)}" for c in curves)
    caption = f"{caption[0].upper()}{caption[1:]}"
    data = _class_data(contents, f"{accuracy} by coverage", curves)
    return Chart(as_drawing(svg), f"{caption}. {said}.", caption, "", (data,), wide=True)


def _class_curve(record: Curve, place: int) -> charts.Curve:
    return charts.Curve(label_text(record.label), place, record.points)


def _of_classes(contents: Contents, curves: Sequence[Curve]) -> str:
    """Of which classes curves are, or of which labels of sets."""
    one = "label" if contents.has_sets(_view(curves[0])) else "class"
    many = "labels" if one == "label" else "classes"
    return f"{one if len(curves) == 1 else many} {_named(curves)}"


def _named(curves: Sequence[Curve]) -> str:
    return listed([label_text(c.label) for c in curves])


def _drawable(contents: Contents) -> list[Curve]:
    return [c for c in contents.of(Curve) if not c.subgroup and _has_points(c)]


def _has_points(curve: Curve) -> bool:
    """Whether something of a curve can be drawn: of one class alone many have no points."""
    axes = AXES.get(curve.kind)
    if curve.kind == "calibration":
        axes = (*_calibration_columns(curve.points), "", "")
    if axes is None:
        return bool(_length(curve))
    either = ("tpr", "fpr") if curve.kind == "sweep" else (axes[1],)
    return any(charts.columns(curve.points, axes[0], name) for name in either)


def _undrawn(contents: Contents, dataset: str) -> list[Text]:
    """The curves without a point, named: an empty frame would say less."""
    names: dict[str, list[str]] = {}
    for curve in contents.of(Curve):
        if curve.dataset == dataset and not curve.subgroup and not _has_points(curve):
            own = names.setdefault(TITLES.get(curve.kind, curve.kind.replace("_", " ")), [])
            own.append(contents.mark(_view(curve)).name)
    if not names:
        return []
    told = "; ".join(
        f"{contents.said(dataset, kind)} of {listed(list(dict.fromkeys(of)))}"
        for kind, of in names.items()
    )
    return [Text(f"Not drawn, for no point is defined on these rows: {told}.", "small")]


def _length(curve: Curve) -> int:
    return max((len(column) for column in curve.points.values()), default=0)


def _view(curve: Curve) -> View:
    return (curve.dataset, curve.model)


def _binary_charts(contents: Contents, curves: Sequence[Curve]) -> list[Chart]:
    found = []
    for kind in ("roc", "precision_recall", "calibration", "decision"):
        same = [c for c in curves if c.kind == kind]
        found += [_joint(contents, kind, part) for part in _parts(same)]
    return found


def _wide_charts(contents: Contents, curves: Sequence[Curve]) -> list[Chart]:
    """Small multiples: scores and thresholds of each model, then shares of the rows."""
    found = []
    for kind in ("score_distribution", "sweep"):
        same = [c for c in curves if c.kind == kind]
        found += [_abreast(contents, same[k : k + ABREAST]) for k in range(0, len(same), ABREAST)]
    for part in _parts(list(dict.fromkeys(map(_view, curves)))):
        shares = _shares(contents, [c for c in curves if _view(c) in part])
        found += [shares] if shares is not None else []
    return found


def _shares(contents: Contents, curves: Sequence[Curve]) -> Chart | None:
    """Gain, lift and accuracy by coverage in one chart."""
    kinds = {
        kind: [c for c in curves if c.kind == kind]
        for kind in ("gain", "lift", "accuracy_coverage")
    }
    dataset = next((c.dataset for c in curves), None)
    accuracy = contents.said(dataset, "accuracy")
    gain, lift, coverage = ([_curve(contents, c) for c in same] for same in kinds.values())
    abreast = panels.gain_panels(gain, lift, coverage, accuracy)
    if not abreast:
        return None
    svg = draw_abreast(abreast)
    words = {"gain": "gain", "lift": "lift", "accuracy_coverage": f"{accuracy} by coverage"}
    caption = listed([words[kind] for kind, same in kinds.items() if same]).capitalize()
    said = " ".join(
        f"{words[kind].capitalize()}, {contents.mark(_view(c)).name}: "
        f"{_said(contents, c, c.points)}."
        for kind, same in kinds.items()
        for c in same
    )
    tables = tuple(
        _data(contents, words[kind].capitalize(), c) for kind, same in kinds.items() for c in same
    )
    finding = as_title(gain_finding(gain))
    drawing, alt = as_drawing(svg), f"{caption}. {said}"
    return Chart(drawing, alt, caption, BY_CHANCE, tables, wide=True, finding=finding)


def _curve(contents: Contents, record: Curve) -> charts.Curve:
    """A curve of a view with the name and place of its model."""
    name = contents.mark(_view(record)).name
    return charts.Curve(name, contents.models.index(record.model), record.points)


def _joint(
    contents: Contents, kind: str, curves: Sequence[Curve], per_class: bool = False
) -> Chart:
    """Curves of one kind on one pair of axes."""
    shown = [
        charts.Curve(
            label_text(c.label) if per_class else contents.mark(_view(c)).name,
            k if per_class else contents.models.index(c.model),
            c.points,
        )
        for k, c in enumerate(curves)
    ]
    title, svg = _drawn(contents, kind, curves, shown, per_class)
    finding = _finding(contents, kind, curves, shown, per_class)
    whose = contents.mark(_view(curves[0])).name if per_class else listed([c.name for c in shown])
    caption = f"{title}, {whose}"
    if per_class:
        caption += f", {_of_classes(contents, curves)}"
    said = "; ".join(f"{c.name}: {_said(contents, curves[0], c.points)}" for c in shown)
    aside = ""
    if kind == "calibration":
        aside = "Dots are bins with intervals; the thin lines are smoothed."
        rows = rows_per_bin(shown)
        aside += f" {rows}" if rows else ""
        smooth = [c for c in _drawable(contents) if _is_smoothed(c, curves)]
        aside += f" {_band_words(contents, smooth)}" if any(c.band for c in smooth) else ""
    elif curves[0].band is not None:
        aside = _band_words(contents, curves)
    return Chart(
        as_drawing(svg),
        f"{title}. {said}.",
        caption,
        aside,
        data=(
            (_class_data(contents, title, curves),)
            if per_class
            else tuple(_data(contents, title, c) for c in curves)
        ),
        finding=as_title(contents.said(curves[0].dataset, finding), [c.name for c in shown]),
    )


def _is_smoothed(curve: Curve, dots: Sequence[Curve]) -> bool:
    """Whether a curve is the smoothed one of one of some calibration curves in bins."""
    own = {(_view(c), c.label) for c in dots}
    return curve.kind == "smoothed_calibration" and (_view(curve), curve.label) in own


def _band_words(contents: Contents, curves: Sequence[Curve]) -> str:
    """What the light areas of a chart are, or why there are none."""
    bands = [c.band for c in curves if c.band is not None]
    reason = next((b.reason for b in bands if b.method is None), None)
    if reason is not None:
        return f"No band: {reason}."
    if len(curves) > MOST_BANDS:
        return "No bands: of more than two curves they hide each other; limits are in results.json."
    if bands[0].of == "observed":
        said, where = "the smoothed share", "at each score"
    else:
        said = contents.said(curves[0].dataset, {"tpr": "recall"}.get(bands[0].of, bands[0].of))
        where = "at each threshold"
    method = method_text(str(bands[0].method))
    area = "Shaded area" if len(curves) == 1 else "Shaded areas"
    level = level_text(bands[0].level)
    return f"{area}: {level} limits of {said} {where} by itself ({method})."


def _finding(
    contents: Contents,
    kind: str,
    curves: Sequence[Curve],
    shown: Sequence[charts.Curve],
    per_class: bool,
) -> str:
    """What the points of the curves show; little is said of those of single classes."""
    if kind == "calibration":
        return calibration_finding(shown, _calibration_columns(shown[0].points)[0])
    if per_class:
        return ""
    if kind == "roc":
        own = [r for r in contents.of(RocRelation) if r.dataset == curves[0].dataset]
        return roc_finding(own, [c.model for c in curves])
    return precision_finding(shown) if kind == "precision_recall" else benefit_finding(shown)


def _drawn(
    contents: Contents,
    kind: str,
    curves: Sequence[Curve],
    shown: Sequence[charts.Curve],
    per_class: bool,
) -> tuple[str, bytes]:
    recall = contents.said(curves[0].dataset, "recall")
    if kind == "roc":
        at = [] if per_class else [p for c in curves if (p := _roc_point(contents, c)) is not None]
        return "ROC curve", charts.roc_chart(shown, at, recall, len(shown) <= MOST_BANDS)
    if kind == "precision_recall":
        share = None if per_class else _prevalence(contents, curves[0])
        precision = contents.said(curves[0].dataset, "precision")
        bands = len(shown) <= MOST_BANDS
        drawn = charts.precision_recall_chart(shown, share, recall, precision, bands)
        return f"{precision[0].upper()}{precision[1:]} and {recall}", drawn
    if kind == "calibration":
        places = [one.place for one in shown]
        of = {(_view(c), c.label): k for c, k in zip(curves, places, strict=True)}
        smoothed = [
            charts.Curve("", of[_view(c), c.label], c.points)
            for c in _drawable(contents)
            if _is_smoothed(c, curves)
        ]
        return "Calibration", charts.calibration_chart(
            shown,
            *_calibration_columns(shown[0].points),
            smoothed,
            len(shown) <= MOST_BANDS,
        )
    points = shown[0].points
    baselines = [
        (name, points, column)
        for name, column in (("treat all", "treat_all"), ("treat none", "treat_none"))
        # what treating all would give differs from class to class: it stands in the data
        if column in points and not (per_class and column == "treat_all")
    ]
    return "Net benefit", charts.plain_chart(
        shown, "threshold", "net_benefit", ("threshold", "net benefit"), baselines
    )


def _calibration_columns(points: Any) -> tuple[str, str]:
    return ("mean_score" if "mean_score" in points else "low", "observed")


def _roc_point(contents: Contents, curve: Curve) -> tuple[int, float, float] | None:
    """Where the first threshold lies on the ROC curve, from the table beside the numbers."""
    from evalreport.report.classes import first_table
    from evalreport.report.marking import flat_counts

    table = first_table(contents, _view(curve))
    counts = flat_counts(table) if table is not None else None
    if counts is None or None in counts.values():
        return None
    if not (counts["FP"] + counts["TN"]) or not (counts["TP"] + counts["FN"]):
        return None
    return (
        contents.models.index(curve.model),
        counts["FP"] / (counts["FP"] + counts["TN"]),
        counts["TP"] / (counts["TP"] + counts["FN"]),
    )


def _prevalence(contents: Contents, curve: Curve) -> float | None:
    for record in contents.of(RowLedger):
        if record.dataset == curve.dataset and record.classes:
            total = sum(c.count for c in record.classes)
            own = sum(c.count for c in record.classes if c.label == curve.label)
            return own / total if total else None
    return None


def _abreast(contents: Contents, curves: Sequence[Curve]) -> Chart:
    """Score distributions or sweeps of a few models, side by side."""
    made = [_panel(contents, c) for c in curves]
    height = 1.65
    paints = [one.paint for one in made]
    svg = draw_abreast(paints, 3.45 if len(made) == 1 else 7.1, height)
    names = [contents.mark(_view(c)).name for c in curves]
    caption = f"{made[0].title}, {listed(names)}"
    if len(names) > 1:
        caption += ", from left to right"
    said = " ".join(
        f"{name}: {_said(contents, c, c.points)}." for name, c in zip(names, curves, strict=True)
    )
    start = [f"{name}: " if len(names) > 1 else "" for name in names]
    asides = [f"{of}{one.aside}." for of, one in zip(start, made, strict=True) if one.aside]
    findings = [of + one.finding for of, one in zip(start, made, strict=True) if one.finding]
    tables = tuple(_data(contents, one.title, c) for one, c in zip(made, curves, strict=True))
    return Chart(
        as_drawing(svg),
        f"{caption}. {said}",
        caption,
        " ".join(asides),
        tables,
        wide=len(names) > 1,
        finding=as_title("; ".join(findings), names),
    )


class _Panel(NamedTuple):
    """A panel of one model, its title, what its marks mean, and what it shows."""

    paint: charts.Panel
    title: str
    aside: str = ""
    finding: str = ""


def _panel(contents: Contents, curve: Curve) -> _Panel:
    """The scores of a model, or its recall and specificity by threshold."""
    view = _view(curve)
    shown = _curve(contents, curve)
    if curve.kind == "sweep":
        own = contents.thresholds(view)
        known = [(t.threshold, _how(t)) for t in own if t.threshold is not None]
        used = list(zip("abcdef", known, strict=False))
        letters = [(letter, at) for letter, (at, _) in used]
        told = "; ".join(
            f"{letter} {threshold_text(at)} {contents.said(view[0], how)}"
            for letter, (at, how) in used
        )
        shares = (contents.said(view[0], "recall"), contents.said(view[0], "specificity"))
        title = f"{shares[0][0].upper()}{shares[0][1:]} and {shares[1]} by threshold"
        rows = _by_threshold(contents, curve)
        finding = sweep_finding(rows, shares)
        return _Panel(charts.sweep_panel(rows, shown.place, letters, shares), title, told, finding)
    positive = str(curve.label)
    others = [c for c in contents.classes(view) if c != positive]
    labels = (label_text(positive), label_text(others[0]) if len(others) == 1 else "others")
    panel = charts.distribution_panel(shown, labels, contents.first_threshold(view)[0])
    return _Panel(panel, f"Scores of {labels[0]} and {labels[1]} rows")


def _by_threshold(contents: Contents, curve: Curve) -> list[tuple[float, float, float]]:
    """Scores from the lowest with recall and specificity: all of them where a curve has them.

    The sweep holds a few; the gain curve of the same rows has a point at every score.
    """
    every = [
        c
        for c in contents.of(Curve)
        if c.kind == "gain" and (_view(c), c.label, c.subgroup) == (_view(curve), curve.label, {})
    ]
    totals = contents.class_sizes(curve)
    if every and totals is not None and all(totals):
        p, n = totals
        points = charts.columns(every[0].points, "threshold", "tp", "rows")
        rows = [(t, tp / p, 1 - (taken - tp) / n) for t, tp, taken in points]
        ends = [t for t, *_ in rows]
        if rows and min(ends) >= 0 and max(ends) <= 1:
            # below every score all rows are predicted positive, above every score none
            rows += [(0.0, 1.0, 0.0)] if min(ends) > 0 else []
            rows += [(1.0, 0.0, 1.0)] if max(ends) < 1 else []
    else:
        told = charts.columns(curve.points, "threshold", "tpr", "fpr")
        rows = [(t, tpr, 1 - fpr) for t, tpr, fpr in told]
    return sorted(rows)


def _how(threshold: Threshold) -> str:
    """How a threshold was set."""
    return rule_text(threshold.rule).rstrip(", ") or "declared"


def _said(contents: Contents, curve: Curve, points: Any) -> str:
    """A few points of a curve in words."""
    kind = curve.kind
    if kind == "score_distribution":
        up, down = (points.get(f"{n}s") or points.get(n) or () for n in ("positive", "negative"))
        return f"{count_text(sum(up))} positive and {count_text(sum(down))} negative rows"
    axes = AXES.get(kind)
    if kind == "calibration":
        axes = (*_calibration_columns(points), "observed share", "at a mean score of")
    rows = charts.columns(points, axes[0], axes[1]) if axes else []
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


def _data(contents: Contents, caption: str, curve: Curve) -> PlainTable:
    """Some points of a curve as a table, or all of a short one."""
    curve = _with_cells(contents, curve)
    names = _column_names([curve])
    rows, note = _data_rows(curve, names)
    columns = _data_columns(contents, curve, names)
    whose = contents.mark(_view(curve)).name
    return PlainTable(
        f"{caption}: data of {whose}", columns, tuple(TableRow(row) for row in rows), note
    )


def _class_data(contents: Contents, caption: str, curves: Sequence[Curve]) -> PlainTable:
    """Points of the curves of several classes in one table."""
    curves = [_with_cells(contents, c) for c in curves]
    names = [name for name in _column_names(curves) if name not in LIMITS]
    made = [(label_text(c.label), *_data_rows(c, names, SOME_OF_A_CLASS)) for c in curves]
    rows = tuple(TableRow((label, *row)) for label, own, _ in made for row in own)
    columns = (Column("class"), *_data_columns(contents, curves[0], names))
    notes = [f"{label}: {note}" for label, _, note in made if note]
    whose = contents.mark(_view(curves[0])).name
    return PlainTable(f"{caption}: data of {whose}", columns, rows, " ".join(notes))


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


def _data_columns(contents: Contents, curve: Curve, names: Sequence[str]) -> tuple[Column, ...]:
    dataset = curve.dataset
    return tuple(Column(contents.said(dataset, n.replace("_", " ")), "right") for n in names)


def _data_rows(
    curve: Curve, names: Sequence[str], some: int = SOME_POINTS
) -> tuple[list[tuple[str, ...]], str]:
    """The points that are shown, and what is said of the others."""
    points, total = curve.points, _length(curve)
    chosen = spread_over(total, total if total <= ALL_POINTS else some)
    rows = [tuple(_cell(n, points[n][k]) for n in names) for k in chosen]
    note = f"{len(rows)} of {total} points; all are in results.json." if len(rows) < total else ""
    return rows, note


def _cell(name: str, value: Any) -> str:
    if value is None:
        return "none"
    if name in WHOLE:
        return count_text(value)
    if name in {"threshold", "low", "high", "score"}:
        return threshold_text(value)
    return value_text(value) if isinstance(value, float) else number_text(value)
