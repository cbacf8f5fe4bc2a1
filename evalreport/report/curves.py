"""The section on curves: which charts, in what words, with their data as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalreport.report import charts, panels
from evalreport.report.charts import Curve
from evalreport.report.contents import Contents, Record, View
from evalreport.report.drawing import data_url, draw_abreast
from evalreport.report.model import Block, Chart, Charts, Column, Heading, PlainTable, TableRow
from evalreport.report.numbers import count_text, number_text, threshold_text, value_text
from evalreport.report.slices import rule_text, spread_over
from evalreport.report.words import label_text, listed

#: Lines of the table beside a chart; the whole is in results.json.
DATA_LINES = 6
MOST_CURVES = 6
MOST_CHARTS = 16
#: Panels of one chart.
ABREAST = 2
WHOLE = {"tp", "fp", "fn", "tn", "n", "p", "rows", "positives", "negatives", "correct"}


def curve_blocks(contents: Contents) -> list[Block]:
    """All charts of a results file; more than two classes get a chart per model."""
    binary = [c for c in _drawable(contents) if contents.is_binary(_view(c))]
    blocks: list[Block] = []
    for dataset in contents.datasets:
        own = [c for c in binary if c["dataset"] == dataset]
        wide = _wide_charts(contents, own)
        found = [*_binary_charts(contents, own), *(c for c in wide if not c.wide)]
        if found and len(contents.datasets) > 1:
            blocks.append(Heading(label_text(dataset)))
        if found:
            blocks.append(Charts(tuple(found[:MOST_CHARTS])))
        blocks += [Charts((chart,)) for chart in wide if chart.wide]
    many = [c for c in _drawable(contents) if not contents.is_binary(_view(c))]
    found = [
        _joint(
            contents,
            kind,
            [c for c in many if _view(c) == view and c["kind"] == kind],
            per_class=True,
        )
        for view in contents.views
        for kind in ("roc", "precision_recall")
        if any(_view(c) == view and c["kind"] == kind for c in many)
    ]
    return [*blocks, Charts(tuple(found[:MOST_CHARTS]))] if found else blocks


def _drawable(contents: Contents) -> list[Record]:
    return [c for c in contents.many("curves") if not c.get("subgroup") and _length(c)]


def _length(curve: Record) -> int:
    return max((len(column) for column in curve["points"].values()), default=0)


def _view(curve: Record) -> View:
    return (curve["dataset"], curve["model"])


def _binary_charts(contents: Contents, curves: Sequence[Record]) -> list[Chart]:
    found = []
    for kind in ("roc", "precision_recall", "calibration", "decision"):
        same = [c for c in curves if c["kind"] == kind][:MOST_CURVES]
        if same:
            found.append(_joint(contents, kind, same))
    return found


def _wide_charts(contents: Contents, curves: Sequence[Record]) -> list[Chart]:
    """Small multiples: scores and thresholds of each model, then shares of the rows."""
    found = []
    for kind in ("score_distribution", "sweep"):
        same = [c for c in curves if c["kind"] == kind][:MOST_CURVES]
        found += [_abreast(contents, same[k : k + ABREAST]) for k in range(0, len(same), ABREAST)]
    shares = _shares(contents, curves)
    return [*found, shares] if shares is not None else found


def _shares(contents: Contents, curves: Sequence[Record]) -> Chart | None:
    """Gain, lift and accuracy by coverage in one chart."""
    kinds = {
        kind: [c for c in curves if c["kind"] == kind][:MOST_CURVES]
        for kind in ("gain", "lift", "accuracy_coverage")
    }
    dataset = next((str(c["dataset"]) for c in curves), None)
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
        f"{_said(contents, c, c['points'])}."
        for kind, same in kinds.items()
        for c in same
    )
    tables = tuple(
        _data(contents, words[kind].capitalize(), same[0]) for kind, same in kinds.items() if same
    )
    aside = "The thin line is what rows taken at random would give."
    return Chart(
        data_url(svg), f"{caption}. {said}", caption, *size_of(svg), aside, tables, wide=True
    )


def _curve(contents: Contents, record: Record) -> Curve:
    """A curve of a view with the name and place of its model."""
    name = contents.mark(_view(record)).name
    return Curve(name, contents.models.index(record["model"]), record["points"])


def _joint(
    contents: Contents, kind: str, curves: Sequence[Record], per_class: bool = False
) -> Chart:
    """Curves of one kind on one pair of axes."""
    shown = [
        Curve(
            label_text(c["label"]) if per_class else contents.mark(_view(c)).name,
            k if per_class else contents.models.index(c["model"]),
            c["points"],
        )
        for k, c in enumerate(curves[:MOST_CURVES])
    ]
    title, svg = _drawn(contents, kind, curves, shown, per_class)
    whose = contents.mark(_view(curves[0])).name if per_class else listed([c.name for c in shown])
    caption = f"{title}, {whose}"
    if per_class and len(curves) > MOST_CURVES:
        caption += f"; {MOST_CURVES} of {len(curves)} classes, the others are in results.json"
    said = "; ".join(f"{c.name}: {_said(contents, curves[0], c.points)}" for c in shown)
    aside = ""
    if kind == "calibration":
        aside = "Dots are bins with intervals; the thin lines are smoothed."
    return Chart(
        data_url(svg),
        f"{title}. {said}.",
        caption,
        *size_of(svg),
        aside,
        data=(_data(contents, caption, curves[0]),),
    )


def _drawn(
    contents: Contents, kind: str, curves: Sequence[Record], shown: Sequence[Curve], per_class: bool
) -> tuple[str, bytes]:
    recall = contents.said(str(curves[0]["dataset"]), "recall")
    if kind == "roc":
        at = [] if per_class else [p for c in curves if (p := _roc_point(contents, c)) is not None]
        return "ROC curve", charts.roc_chart(shown, at, recall)
    if kind == "precision_recall":
        share = None if per_class else _prevalence(contents, curves[0])
        drawn = charts.precision_recall_chart(shown, share, recall)
        return f"Precision and {recall}", drawn
    if kind == "calibration":
        smoothed = [
            _curve(contents, c)
            for c in _drawable(contents)
            if c["kind"] == "smoothed_calibration" and _view(c) in {_view(own) for own in curves}
        ]
        return "Calibration", charts.calibration_chart(
            shown, *_calibration_columns(shown[0].points), smoothed
        )
    points = shown[0].points
    baselines = [
        (name, points, column)
        for name, column in (("treat all", "treat_all"), ("treat none", "treat_none"))
        if column in points
    ]
    return "Net benefit", charts.plain_chart(
        shown, "threshold", "net_benefit", ("threshold", "net benefit"), baselines
    )


def _calibration_columns(points: Any) -> tuple[str, str]:
    return ("mean_score" if "mean_score" in points else "low", "observed")


def _roc_point(contents: Contents, curve: Record) -> tuple[int, float, float] | None:
    """Where the first threshold lies on the ROC curve, from the table beside the numbers."""
    from evalreport.report.classes import first_table
    from evalreport.report.marking import flat_counts

    table = first_table(contents, _view(curve))
    counts = flat_counts(table) if table is not None else None
    if counts is None or not (counts["FP"] + counts["TN"]) or not (counts["TP"] + counts["FN"]):
        return None
    return (
        contents.models.index(curve["model"]),
        counts["FP"] / (counts["FP"] + counts["TN"]),
        counts["TP"] / (counts["TP"] + counts["FN"]),
    )


def _prevalence(contents: Contents, curve: Record) -> float | None:
    for record in contents.many("rows"):
        if record["dataset"] == curve["dataset"] and record.get("classes"):
            total = sum(c["count"] for c in record["classes"])
            own = sum(c["count"] for c in record["classes"] if c["label"] == curve.get("label"))
            return own / total if total else None
    return None


def _abreast(contents: Contents, curves: Sequence[Record]) -> Chart:
    """Score distributions or sweeps of a few models, side by side."""
    made = [_panel(contents, c) for c in curves]
    height = 1.85
    svg = draw_abreast([panel for panel, _, _ in made], 3.45 if len(made) == 1 else 7.1, height)
    names = [contents.mark(_view(c)).name for c in curves]
    caption = f"{made[0][1]}, {listed(names)}"
    if len(names) > 1:
        caption += ", from left to right"
    said = " ".join(
        f"{name}: {_said(contents, c, c['points'])}." for name, c in zip(names, curves, strict=True)
    )
    told = [
        (f"{n}: " if len(names) > 1 else "") + t
        for n, (_, _, t) in zip(names, made, strict=True)
        if t
    ]
    tables = tuple(_data(contents, made[0][1], c) for c in curves)
    return Chart(
        data_url(svg),
        f"{caption}. {said}",
        caption,
        *size_of(svg),
        " ".join(f"{t}." for t in told),
        tables,
        wide=len(names) > 1,
    )


def _panel(contents: Contents, curve: Record) -> tuple[charts.Panel, str, str]:
    """A panel of one model, its title, and what its marks mean."""
    view = _view(curve)
    shown = _curve(contents, curve)
    if curve["kind"] == "sweep":
        used = [t for t in contents.thresholds(view) if t.get("threshold") is not None][:6]
        letters = [("abcdef"[k], t["threshold"]) for k, t in enumerate(used)]
        told = "; ".join(
            f"{'abcdef'[k]} {threshold_text(t['threshold'])} {contents.said(view[0], _how(t))}"
            for k, t in enumerate(used)
        )
        shares = (contents.said(view[0], "recall"), contents.said(view[0], "specificity"))
        title = f"{shares[0][0].upper()}{shares[0][1:]} and {shares[1]} by threshold"
        return charts.sweep_panel(shown, letters, shares), title, told
    positive = str(curve.get("label"))
    others = [c for c in contents.classes(view) if c != positive]
    labels = (label_text(positive), label_text(others[0]) if others else "others")
    panel = charts.distribution_panel(shown, labels, contents.first_threshold(view)[0])
    return panel, f"Scores of {labels[0]} and {labels[1]} rows", ""


def _how(threshold: Record) -> str:
    """How a threshold was set."""
    return rule_text(threshold.get("rule")).rstrip(", ") or "declared"


def _said(contents: Contents, curve: Record, points: Any) -> str:
    """A few points of a curve in words."""
    kind = curve["kind"]
    if kind == "score_distribution":
        up, down = (points.get(f"{n}s") or points.get(n) or [] for n in ("positive", "negative"))
        return f"{count_text(sum(up))} positive and {count_text(sum(down))} negative rows"
    axes = {
        "roc": ("fpr", "tpr", "recall", "at a false positive rate of"),
        "precision_recall": ("recall", "precision", "precision", "at a recall of"),
        "calibration": (*_calibration_columns(points), "observed share", "at a mean score of"),
        "decision": ("threshold", "net_benefit", "net benefit", "at a threshold of"),
        "sweep": ("threshold", "tpr", "recall", "at a threshold of"),
        "gain": ("share", "gain", "share of positives", "at a share of rows of"),
        "lift": ("share", "lift", "lift", "at a share of rows of"),
        "accuracy_coverage": ("coverage", "accuracy", "accuracy", "at a coverage of"),
    }.get(kind)
    rows = charts.columns(points, axes[0], axes[1]) if axes else []
    if not axes or not rows:
        return "no points"
    chosen = [rows[k] for k in spread_over(len(rows), 5)]
    said = ", ".join(f"{axes[2]} {value_text(y)} {axes[3]} {value_text(x)}" for x, y in chosen)
    return contents.said(str(curve["dataset"]), said)


def size_of(svg: bytes) -> tuple[int, int]:
    """Width and height in CSS pixels, so that a page keeps their place."""
    import re

    found = re.search(rb'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    width, height = (float(x) for x in found.groups()) if found else (248.0, 180.0)
    return round(width * 4 / 3), round(height * 4 / 3)


def _data(contents: Contents, caption: str, curve: Record) -> PlainTable:
    """Some points of a curve as a table."""
    points = curve["points"]
    names = [n for n in points if len(points[n]) == _length(curve)]
    order = ["threshold", "low", "high", "share", "fpr", "tpr", "recall", "precision"]
    # by name as well: keys of results that were read again stand in another order
    names.sort(key=lambda n: (order.index(n) if n in order else len(order), n))
    total = _length(curve)
    chosen = spread_over(total, DATA_LINES)
    rows = tuple(TableRow(tuple(_cell(n, points[n][k]) for n in names)) for k in chosen)
    dataset = str(curve["dataset"])
    columns = tuple(
        Column(contents.said(dataset, n.replace("_", " ")), "right") for n in names
    )
    note = f"{len(rows)} of {total} points; all are in results.json." if len(rows) < total else ""
    return PlainTable(f"{caption}: data of {contents.mark(_view(curve)).name}", columns, rows, note)


def _cell(name: str, value: Any) -> str:
    if value is None:
        return "none"
    if name in WHOLE:
        return count_text(value)
    if name in {"threshold", "low", "high", "score"}:
        return threshold_text(value)
    return value_text(value) if isinstance(value, float) else number_text(value)
