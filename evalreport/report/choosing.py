"""A threshold to choose on the page, without a script: what follows from each is made beforehand.

Every position is a point of the recorded sweep, whose counts ``verify`` computes again; the
metrics are the declared ones, on these counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from evalreport.metrics.catalogue import AT_THRESHOLDS, find
from evalreport.metrics.formula import Value
from evalreport.metrics.tables import Counts
from evalreport.numbers import count_text, threshold_text, value_text
from evalreport.report.charts.points import spread_over
from evalreport.report.contents import Contents, View
from evalreport.report.count_tables import turned_counts
from evalreport.report.leading import best_first
from evalreport.report.marking import FLAT
from evalreport.report.model import Block, Chooser, Position
from evalreport.report.words import label_text
from evalreport.results.records import Curve

#: Thresholds that can be chosen of longer sweeps, and models up to which each has a choice; of
#: more the best one has.
MOST_POSITIONS, MOST_CHOOSERS = 25, 3
#: Decimals of places in a drawing of 100 units.
PLACES = 2


def threshold_choosers(contents: Contents) -> list[Block]:
    """One choice for each model with a sweep over two classes, all rows together."""
    found: list[tuple[View, Curve, tuple[Position, ...]]] = []
    for curve in contents.of(Curve):
        view = (curve.dataset, curve.model)
        if curve.kind != "sweep" or curve.subgroup or not contents.is_binary(view):
            continue
        positions = _positions(contents, view, curve)
        if len(positions) > 1:
            found.append((view, curve, positions))
    if len(found) > MOST_CHOOSERS:
        found = [min(found, key=lambda one: best_first(contents).index(one[0]))]
    return [_chooser(contents, *one, number) for number, one in enumerate(found, 1)]


def _chooser(
    contents: Contents,
    view: View,
    curve: Curve,
    positions: tuple[Position, ...],
    number: int,
) -> Chooser:
    positive = label_text(str(curve.label))
    other = next((x for c in contents.classes(view) if (x := label_text(c)) != positive), "others")
    mark = contents.mark(view)
    recall = contents.said(view[0], contents.words.titles.get("recall") or "recall")
    fpr = contents.said(view[0], "false positive rate")
    return Chooser(
        name=f"choose{number}",
        title=f"Choose a threshold: {mark.symbol} {mark.name}",
        condition=contents.operator(view),
        labels=(positive, other) if _is_first(contents, view, curve) else (other, positive),
        axes=(fpr, recall),
        path=_path(contents, curve),
        positions=positions,
        orientation=contents.orientation(view[0]),
        chosen=next((k for k, one in enumerate(positions, 1) if one.used), 1),
    )


def _is_first(contents: Contents, view: View, curve: Curve) -> bool:
    """Whether the positive class is the first of the two, in the labels or in this template."""
    return contents.words.positive_first or next(iter(contents.classes(view)), None) == curve.label


def _positions(contents: Contents, view: View, curve: Curve) -> tuple[Position, ...]:
    """The thresholds of a sweep, lowest first, with all that follows from each."""
    points: Mapping[str, Sequence[Any]] = curve.points
    first = _is_first(contents, view, curve)
    columns = [points[name.lower()] for name in FLAT]
    at = [
        k
        for k, t in enumerate(points["threshold"])
        if t is not None and all(column[k] is not None for column in columns)
    ]
    own = {t.threshold for t in contents.thresholds(view)}
    kept = {at[k] for k in spread_over(len(at), MOST_POSITIONS)}
    kept |= {k for k in at if points["threshold"][k] in own}
    used = contents.first_threshold(view)[0]
    found = [
        replace(
            _position(contents, view[0], points, k, first),
            used=points["threshold"][k] == used,
        )
        for k in sorted(kept, key=lambda k: float(points["threshold"][k]))
    ]
    return tuple(found)


def _position(
    contents: Contents, dataset: str, points: Mapping[str, Sequence[Any]], k: int, first: bool
) -> Position:
    tn, fp, fn, tp = (points[name][k] for name in ("tn", "fp", "fn", "tp"))
    counts = Counts(tp, fp, fn, tn)
    metrics = []
    for name in AT_THRESHOLDS:
        declared = find(name)
        if declared is None:
            continue
        outcome = declared(counts).outcome()
        text = value_text(outcome.number) if isinstance(outcome, Value) else "undefined"
        title = contents.words.titles.get(name) or declared.title
        metrics.append((contents.said(dataset, title), text))
    printed = [count_text(count) for count in (tn, fp, fn, tp)]
    ordered = printed[::-1] if first else printed
    rows = turned_counts([ordered[:2], ordered[2:]], contents.orientation(dataset))
    return Position(
        threshold=threshold_text(points["threshold"][k]),
        tn=printed[0],
        fp=printed[1],
        fn=printed[2],
        tp=printed[3],
        metrics=tuple(metrics),
        counts=tuple((own[0], own[1]) for own in rows),
        x=_place(points["fpr"][k]),
        y=_place(points["tpr"][k], down=True),
    )


def _path(contents: Contents, curve: Curve) -> str:
    """The ROC curve of the same rows as points in a square of 100 units; empty without one."""
    same = (curve.dataset, curve.model, curve.label)
    for one in contents.of(Curve):
        if one.kind == "roc" and not one.subgroup and (one.dataset, one.model, one.label) == same:
            pairs = zip(one.points["fpr"], one.points["tpr"], strict=True)
            places = [f"{_place(x)},{_place(y, down=True)}" for x, y in pairs if None not in (x, y)]
            return " ".join(dict.fromkeys(places))
    return ""


def _place(share: float | None, down: bool = False) -> str:
    """A share as a place in a square of 100 units; ``down`` where the square counts from above.

    >>> _place(0.25), _place(0.25, down=True), _place(None)
    ('25', '75', '')
    """
    if share is None:
        return ""
    return f"{round(100 * (1 - share if down else share), PLACES):g}"
