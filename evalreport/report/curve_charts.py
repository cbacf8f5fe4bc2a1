"""The curves of a run as drawings: which panels a chart has, and what is drawn on each.

What a page draws and what a user's own axes get are the same functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from evalreport.numbers import count_text, threshold_text, value_text
from evalreport.report.cards import interval_text
from evalreport.report.charts.calibration import Calibration, calibration
from evalreport.report.charts.canvas import HALF, WHOLE, drawing, grid, panel
from evalreport.report.charts.decision import decision, one_decision
from evalreport.report.charts.labels import KEY_LINE, below, key, key_below, label
from evalreport.report.charts.points import Curve, columns
from evalreport.report.charts.rates import (
    one_precision_recall,
    one_roc,
    precision_recall,
    roc,
    zoomed_roc,
)
from evalreport.report.charts.scores import Scale, scores
from evalreport.report.charts.style import SMALL_PANEL
from evalreport.report.charts.thresholds import ROW, Row, thresholds
from evalreport.report.contents import Contents, View, view_of
from evalreport.report.leading import best_first
from evalreport.report.marking import flat_counts
from evalreport.report.model import Drawing
from evalreport.report.slices import rule_text
from evalreport.report.words import label_text
from evalreport.report.worst import worst_first
from evalreport.results import records
from evalreport.results.records import Measure, RowLedger, Threshold

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Curves on one pair of axes; more have a panel each, with the others in grey.
MOST_TOGETHER = 4
#: Area under the curve from which on the left of a ROC curve is enlarged beside it.
NEAR_PERFECT = 0.95
#: Width of the chart of the first page, in points.
FRONT = 172.0
#: Panels in a line: of curves, and of the panels of few and of many classes or models.
ACROSS, FEW, MANY = 4, 3, 5
#: Rules of thresholds that are named on a chart.
MOST_RULES = 6
On = Callable[["Axes"], None]
Record = records.Curve


#: The metric that sums up curves of a kind, and its name beside a line and in a sentence.
SUMS = {
    "roc": ("roc_auc", "AUC", "ROC AUC"),
    "precision_recall": ("average_precision", "AP", "average precision"),
}


class Shown(NamedTuple):
    """Curves of one kind with their records, of several models or of the classes of one."""

    contents: Contents
    kind: str
    records: Sequence[Record]
    per_class: bool

    @property
    def dataset(self) -> str:
        """The dataset that they are of."""
        return self.records[0].dataset

    def said(self, text: str) -> str:
        """Text in the words of the dataset."""
        return self.contents.said(self.dataset, text)

    @property
    def curves(self) -> list[Curve]:
        """The curves with names, places and the numbers that sum them up."""
        return [self._curve(one) for one in self.records]

    def _curve(self, one: Record) -> Curve:
        name = label_text(one.label) if self.per_class else self.contents.mark(view_of(one)).name
        place = self.contents.models.index(one.model)
        if self.per_class:
            # classes that each have a panel are told apart by it
            order = self.contents.classes(view_of(one))
            few = len(self.records) <= MOST_TOGETHER
            order = order if len(order) <= MOST_TOGETHER else [str(c.label) for c in self.records]
            place = order.index(str(one.label)) if few else 0
        return Curve(name, place, one.points, self._summed(one))

    def _summed(self, one: Record) -> tuple[str, ...]:
        """The numbers that sum a curve up, as far as the run has them."""
        if self.kind == "calibration":
            return self._line_in_words(one)
        if self.kind not in SUMS:
            return ()
        metric, short, _ = SUMS[self.kind]
        found = _number(self.contents, one, metric, short)
        # of models the line of guessing is named
        rare = self.kind == "precision_recall" and self.per_class
        share = prevalence(self.contents, one) if rare else None
        return (*found, *([f"prevalence {value_text(share)}"] if share is not None else []))

    def _line_in_words(self, one: Record) -> tuple[str, ...]:
        """The calibration line, the area C under the ROC curve, rows, and what the run has else.

        Where no line can be fitted that is said.
        """
        slope = _number(self.contents, one, "calibration_slope", "slope")
        intercept = _number(self.contents, one, "calibration_intercept", "intercept")
        area = _number(self.contents, _beside(self.contents, one, "roc"), "roc_auc", "C")[:1]
        rows = f"n {count_text(sum(n or 0 for n in one.points.get('n') or ()))}"
        ratio = _number(self.contents, one, "oe_ratio", "O:E")[:1]
        further = [*ratio, *_number(self.contents, one, "emax", "Emax")[:1]]
        if not (slope or intercept):
            slope = [f"no slope: {_why_no_line(self.contents, one)}"]
        if len(slope) > 1 or len(intercept) > 1:
            lines = [" ".join(slope), " ".join(intercept), ", ".join([*area, *further, rows])]
        else:
            lines = [", ".join([*slope, *area]), ", ".join([*intercept, rows]), ", ".join(further)]
        return tuple(line for line in lines if line)


def _why_no_line(contents: Contents, one: Record) -> str:
    """Why no calibration line can be fitted, as far as the curves of these rows show it."""
    rows, positives = (sum(n or 0 for n in one.points.get(x) or ()) for x in ("n", "positives"))
    smooth, ranked = (_beside(contents, one, kind) for kind in ("smoothed_calibration", "roc"))
    scores = set(smooth.points.get("score") or ()) if smooth else set()
    if positives in (0, rows):
        return "one class"
    if scores & {0, 1}:
        return "scores of 0 or 1"
    if len(scores) == 1:
        return "one score"
    separated = ranked is not None and ranked.sums.get("roc_auc") in (0, 1)
    return "classes apart" if separated else "not estimable"


def _beside(contents: Contents, one: Record, kind: str) -> Record | None:
    """The curve of another kind of the same rows and class."""
    same = (view_of(one), one.label, one.subgroup)
    return next(
        (
            c
            for c in contents.of(Record)
            if c.kind == kind and (view_of(c), c.label, c.subgroup) == same
        ),
        None,
    )


def known(contents: Contents, one: Record, metric: str) -> list[Measure]:
    """What the run has of a metric of the rows and of the class of a curve."""
    return [
        m
        for m in contents.pooled(view_of(one))
        if m.metric == metric and m.average is None and m.label in (None, one.label)
        if m.value is not None
    ]


def _number(contents: Contents, one: Record | None, metric: str, words: str) -> list[str]:
    """What sums a curve up, and its limits where it was measured; nothing where it has no value.

    With the digits that values have in tables.
    """
    if one is None:
        return []
    for m in known(contents, one, metric):
        limits = interval_text(m.interval, m.value)
        return [f"{words} {value_text(m.value or 0.0)}", *([f"({limits})"] if limits else [])]
    value = one.sums.get(metric)
    return [] if value is None else [f"{words} {value_text(value)}"]


def in_order(contents: Contents, curves: Sequence[Record]) -> list[Record]:
    """Curves of models, the best first, or those of one model with its classes worst first."""
    views = best_first(contents)
    if not curves or contents.is_binary(view_of(curves[0])):
        return sorted(curves, key=lambda one: views.index(view_of(one)))
    place = {x: k for k, x in enumerate(worst_first(contents, [view_of(curves[0])]))}
    return sorted(curves, key=lambda one: place.get(str(one.label), len(place)))


def on_axes(shown: Shown, named: On = key) -> On:
    """What draws all of these curves on one pair of axes; ``named`` names the lines of rates."""
    contents, curves = shown.contents, shown.curves
    if shown.kind == "roc":
        at, said = _used(shown)

        def draw(axes: Axes) -> None:
            roc(axes, curves, [(k, fpr, tpr) for k, fpr, tpr, _ in at], shown.said("recall"), said)
            named(axes)

        return draw
    if shown.kind == "precision_recall":
        at, said = _used(shown)
        rings = [(k, tpr, ppv) for k, _, tpr, ppv in at if ppv is not None]
        share = None if shown.per_class else prevalence(contents, shown.records[0])
        words = shown.said("recall"), shown.said("precision")

        def draw_steps(axes: Axes) -> None:
            precision_recall(axes, curves, share, rings, words, said)
            named(axes)

        return draw_steps
    if shown.kind == "calibration":
        return partial(calibration, shown=_calibration(shown, 0))
    if shown.kind == "decision":
        return partial(decision, curves=curves)
    if shown.kind == "score_distribution":
        return _scores(shown, 0)
    return _sweep(shown, 0)


def drawn(shown: Shown, room: float = WHOLE) -> tuple[Drawing, bool]:
    """The drawing of curves, and whether it takes the whole line.

    ``room`` is the width that panels may take.
    """
    count = len(shown.records)
    if shown.kind == "calibration":
        return _panels(
            shown, [partial(calibration, shown=_calibration(shown, k)) for k in range(count)], room
        )
    if shown.kind == "score_distribution":
        return _score_panels(shown)
    if shown.kind == "sweep":
        return _sweep_panels(shown)
    # what treating all gives differs from class to class
    if count > MOST_TOGETHER or (shown.kind == "decision" and shown.per_class):
        if shown.kind == "precision_recall":
            return _panels(shown, _precision_panels(shown))
        one: Any = one_roc if shown.kind == "roc" else one_decision
        curves = shown.curves
        return _panels(
            shown,
            [partial(one, curve=curve, every=curves) for curve in curves],
        )
    if shown.kind == "decision":
        return drawing(_framed(on_axes(shown), 62, 34), HALF, 174), False
    if is_enlarged(shown):
        return drawing(partial(_with_zoom, shown), WHOLE, 174), True
    return drawing(_framed(on_axes(shown), 82, 18), HALF, 174), False


def _precision_panels(shown: Shown) -> list[On]:
    """Each curve of precision with the line of guessing, which is at the share of its class."""
    curves = shown.curves
    shares = [prevalence(shown.contents, one) for one in shown.records]
    return [
        partial(one_precision_recall, curve=curve, every=curves, prevalence=share)
        for curve, share in zip(curves, shares, strict=True)
    ]


def front_drawing(shown: Shown) -> Drawing:
    """The same curves beside tables: square, with the names of the curves below."""
    lines = [named for curve in shown.curves for named in below(label(curve, len(shown.records)))]
    # a line more for guessing, and for the threshold that rings are at
    under = KEY_LINE * (len(lines) + 1 + bool(_used(shown)[0]))

    def draw(figure: Figure) -> None:
        on_axes(shown, key_below)(panel(figure, 26, 30 + under, FRONT - 32, FRONT - 32))

    return drawing(draw, FRONT, FRONT + 16 + under)


def _framed(paint: On, right: float, top: float) -> Callable[[Figure], None]:
    """One pair of axes with room at the right for names, and above for ``top`` points."""

    def draw(figure: Figure) -> None:
        wide, high = (72 * inches for inches in figure.get_size_inches())
        paint(panel(figure, 26, 30, wide - 26 - right, high - 30 - top))

    return draw


def _with_zoom(shown: Shown, figure: Figure) -> None:
    """The whole of ROC curves, and their left part enlarged, where nothing tells them apart."""
    whole, part = panel(figure, 26, 30, 126, 126), panel(figure, 196, 30, 126, 126)
    at, said = _used(shown)
    rings = [(k, fpr, tpr) for k, fpr, tpr, _ in at]
    roc(whole, shown.curves, rings, shown.said("recall"), said)
    zoomed_roc(part, shown.curves, rings)
    key(whole, beside=part)


def is_enlarged(shown: Shown) -> bool:
    """Whether the left of ROC curves is drawn larger too: all lie near the corner."""
    if shown.kind != "roc" or shown.per_class or len(shown.records) > MOST_TOGETHER:
        return False
    areas = [area_of(shown.contents, one, "roc") for one in shown.records]
    return max((area or 0.0 for area in areas), default=0.0) > NEAR_PERFECT


def area_of(contents: Contents, one: Record, kind: str) -> float | None:
    """What sums up the curve of this ``kind`` of the rows and of the class of a curve.

    As it was measured, else as the curve has it.
    """
    metric = SUMS[kind][0]
    measured = [m.value for m in known(contents, one, metric)]
    own = _beside(contents, one, kind)
    return measured[0] if measured else None if own is None else own.sums.get(metric)


def _panels(shown: Shown, paints: Sequence[On], room: float = WHOLE) -> tuple[Drawing, bool]:
    """Square panels of one curve each, as many in a line as can be read."""
    x, y = {
        "roc": ("false positive rate", shown.said("recall")),
        "precision_recall": (shown.said("recall"), shown.said("precision")),
        "calibration": ("mean score of the bin", "observed share"),
    }.get(shown.kind, ("threshold", "net benefit"))
    above = 6.0 + 9.5 * max(1 + len(curve.said) for curve in shown.curves)
    if len(paints) == 1:

        def draw_one(figure: Figure) -> None:
            own = panel(figure, 40, 30, 140, 140)
            paints[0](own)
            own.set_xlabel(x, loc="right")
            own.set_ylabel(y)

        return drawing(draw_one, HALF, 170 + max(above, 36.0)), False
    few = len(paints) <= FEW or (shown.kind == "calibration" and len(paints) <= 2 * FEW)
    across = (
        ACROSS
        if len(paints) == ACROSS
        else min(len(paints), FEW if few else MANY if len(paints) > 8 else ACROSS)
    )
    lines, gap = -(-len(paints) // across), 16.0
    side = min(SMALL_PANEL + 1, (room - 40 - 6 - (across - 1) * gap) / across)
    right = room - 40 - across * side - (across - 1) * gap

    def draw(figure: Figure) -> None:
        made = grid(
            figure, len(paints), across, left=40, right=right, top=above, bottom=30,
            gap=(gap, above + 6),
        )  # fmt: skip
        for k, (axes, paint) in enumerate(zip(made, paints, strict=True)):
            paint(axes)
            last = k + across >= len(made)
            first = not k % across
            axes.tick_params(labelleft=first, left=first, labelbottom=last, bottom=last)
            if not k % across:
                axes.set_ylabel(y)
            if last:
                axes.set_xlabel(x, loc="right")

    return drawing(draw, room, lines * side + (lines - 1) * (above + 6) + above + 30), room > HALF


def _calibration(shown: Shown, k: int) -> Calibration:
    """Bins with the smoothed curve and the scores of the same rows."""
    own = shown.records[k]
    kinds = ("smoothed_calibration", "score_distribution")
    beside = [_beside(shown.contents, own, kind) for kind in kinds]
    smooth, scores = ({} if c is None else c.points for c in beside)
    return Calibration(shown.curves[k], smooth, scores)


def _score_panels(shown: Shown) -> tuple[Drawing, bool]:
    count = len(shown.records)
    # the threshold of a model has to have room beside its name
    two = count <= 4 and not (shown.per_class and count == FEW)
    many = shown.per_class and count > 2 * FEW
    across = min(count, 2 if two else MANY if many else FEW)
    lines = -(-count // across)
    width, height, above = (
        (HALF if across == 1 else WHOLE),
        74.0,
        16.0 if shown.per_class else 26.0,
    )

    def draw(figure: Figure) -> None:
        made = grid(
            figure, count, across, left=30, right=8, top=above, bottom=30, gap=(34, above + 30)
        )
        for k, axes in enumerate(made):
            _scores(shown, k)(axes)
            for row in axes.child_axes:
                row.tick_params(labelleft=not k % across, left=not k % across)

    return drawing(draw, width, lines * (height + above + 30)), across > 1


def _scores(shown: Shown, k: int) -> On:
    """The scores of one model, or of one class against the others."""
    own, contents = shown.records[k], shown.contents
    view, labels = view_of(own), class_names(shown, own)
    at = contents.first_threshold(view)[0]
    curve = shown.curves[k]
    name = "" if shown.per_class else curve.name
    said = f"{contents.operator(view)} {threshold_text(at)}" if at is not None else ""
    return partial(
        scores, curve=curve, labels=labels, threshold=at, scale=Scale.of(shown.curves),
        said_at=said, name=name, weighted=contents.is_weighted(view),
    )  # fmt: skip


def class_names(shown: Shown, own: Record) -> tuple[str, str]:
    """What the rows of the class of a curve are called, and the others."""
    contents, view = shown.contents, view_of(own)
    others = [c for c in contents.classes(view) if c != str(own.label)]
    rest = contents.class_noun(view, others[0]) if len(others) == 1 else "others"
    return contents.class_noun(view, str(own.label)), rest


def _sweep_panels(shown: Shown) -> tuple[Drawing, bool]:
    count = len(shown.records)
    across = min(count, 2)
    lines = -(-count // across)
    rules = max(len(_rules(shown.contents, one)) for one in shown.records)
    above = 16 + ROW * rules

    def draw(figure: Figure) -> None:
        made = grid(
            figure, count, across, left=22, right=56, top=above, bottom=30, gap=(84, above + 28)
        )
        for k, axes in enumerate(made):
            _sweep(shown, k, 2.0 if count <= MOST_TOGETHER else 4.0)(axes)
        alike = len({axes.get_xlim() for axes in made}) == 1
        for k, axes in enumerate(made):
            last = not alike or k + across >= count
            axes.tick_params(labelleft=not k % across, labelbottom=last)
            axes.xaxis.label.set_visible(last)

    width = HALF if across == 1 else WHOLE
    return drawing(draw, width, lines * (80 + above + 30)), across > 1


def _sweep(shown: Shown, k: int, step: float = 2.0) -> On:
    own, curve = shown.records[k], shown.curves[k]
    shares = (shown.said("recall"), shown.said("specificity"), shown.said("precision"))
    return partial(
        thresholds, rows=by_threshold(shown.contents, own), place=curve.place,
        rules=_rules(shown.contents, own), shares=shares, name=curve.name, step=step,
    )  # fmt: skip


def _rules(contents: Contents, own: Record) -> list[tuple[str, float]]:
    """The thresholds that are used, each with its value and how it was set."""
    known = [(t, t.threshold) for t in contents.thresholds(view_of(own)) if t.threshold is not None]
    return [
        (f"{threshold_text(at)} {contents.said(own.dataset, how(t))}", at)
        for t, at in known[:MOST_RULES]
    ]


def how(threshold: Threshold) -> str:
    """How a threshold was set."""
    return rule_text(threshold.rule).rstrip(", ") or "declared"


def by_threshold(contents: Contents, curve: Record) -> list[Row]:
    """Scores from the lowest with recall, specificity and precision at each.

    The sweep holds a few; the gain curve of the same rows has a point at every score.
    """
    every = [
        c
        for c in contents.of(Record)
        if c.kind == "gain"
        and (view_of(c), c.label, c.subgroup) == (view_of(curve), curve.label, {})
    ]
    totals = contents.class_sizes(curve)
    if not every or totals is None or not all(totals):
        told = columns(curve.points, "threshold", "tpr", "fpr")
        precise = {row[0]: row[1] for row in columns(curve.points, "threshold", "precision")}
        return sorted((t, tpr, 1 - fpr, precise.get(t)) for t, tpr, fpr in told)
    p, n = totals
    points = columns(every[0].points, "threshold", "tp", "rows")
    rows: list[Row] = [
        (t, tp / p, 1 - (taken - tp) / n, tp / taken if taken else None) for t, tp, taken in points
    ]
    ends = [t for t, *_ in rows]
    if rows and min(ends) >= 0 and max(ends) <= 1:
        # below every score all rows are predicted positive, above every score none
        rows += [(0.0, 1.0, 0.0, p / (p + n))] if min(ends) > 0 else []
        rows += [(1.0, 0.0, 1.0, None)] if max(ends) < 1 else []
    return sorted(rows, key=lambda row: row[0])


def _used(shown: Shown) -> tuple[list[tuple[int, float, float, float | None]], str]:
    """Place, false positive rate, recall and precision at the first threshold of each model.

    With the words for that threshold, where all have the same.
    """
    if shown.per_class:
        return [], ""
    found, said = [], []
    for one in shown.records:
        cells = at_first(shown.contents, view_of(one))
        threshold = shown.contents.first_threshold(view_of(one))[0]
        if cells is not None and threshold is not None:
            tp, fp = cells["TP"], cells["FP"]
            rates = fp / (fp + cells["TN"]), tp / (tp + cells["FN"])
            precision = tp / (tp + fp) if tp + fp else None
            found.append((shown.contents.models.index(one.model), *rates, precision))
            said.append(f"{shown.contents.operator(view_of(one))} {threshold_text(threshold)}")
    return found, said[0] if len(set(said)) == 1 else "threshold used"


def at_first(contents: Contents, view: View) -> dict[str, float] | None:
    """The cells of the table beside the numbers; None where one is not known or a class empty."""
    from evalreport.report.classes import first_table

    table = first_table(contents, view)
    counts = flat_counts(table) if table is not None else None
    if counts is None or None in counts.values():
        return None
    both = counts["TP"] + counts["FN"] and counts["FP"] + counts["TN"]
    return counts if both else None


def prevalence(contents: Contents, curve: Record) -> float | None:
    """The share of the class of a curve among its rows, as they are weighted; else of its dataset.

    None where neither is known.
    """
    sizes = contents.class_sizes(curve)
    if sizes is not None:
        return sizes[0] / sum(sizes) if sum(sizes) else None
    if contents.is_weighted(view_of(curve)):
        return None
    for record in contents.of(RowLedger):
        known = record.classes and not any(c.uncounted for c in record.classes)
        if record.dataset == curve.dataset and known:
            total = sum(c.count for c in record.classes)
            own = sum(c.count for c in record.classes if c.label == curve.label)
            return own / total if total else None
    return None
