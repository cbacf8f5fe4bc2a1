"""Columns of models found by what they hold: labels, scores of all classes, lists, confidences.

Names help where they tell something; they are needed for none of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from evalreport.spec.column_agreement import (
    Texts,
    agrees,
    by_agreement,
    is_confidence,
    largest,
    places_of_classes,
    spelling,
    whole_order,
)
from evalreport.spec.column_names import (
    folded,
    is_outcome,
    is_prediction,
    is_score,
    is_telling,
    model_name,
)
from evalreport.spec.column_values import (
    FEWEST,
    Columns,
    adds_up,
    alike,
    area,
    named_by_class,
    shared_name,
)

Rows = Sequence[Sequence[float] | None]
#: How many standard errors the area of a score that is turned for the negative label is above one
#: half, where the score is the confidence in the labels.
LIKELY = 2.0


@dataclass(frozen=True)
class Known:
    """What is known before models are looked for: the true labels and the classes."""

    columns: Columns
    target: str
    classes: tuple[str, ...]

    @property
    def truth(self) -> Texts:
        """The class of each row."""
        return self.columns.texts(self.target)


@dataclass(frozen=True)
class Found:
    """Models by name, columns that are ``free`` still, and what was assumed.

    ``order``: the classes in the order of the numbers of a list, where that is not theirs.
    """

    models: tuple[tuple[str, dict[str, Any]], ...]
    free: tuple[str, ...]
    told: tuple[str, ...] = ()
    order: tuple[str, ...] = ()


@dataclass(frozen=True)
class Labels:
    """Columns of predicted labels, those that spell classes in their own way with what for what."""

    columns: tuple[str, ...] = ()
    spelled: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    told: tuple[str, ...] = ()


# -- labels ---------------------------------------------------------------------------------------


def label_columns(known: Known, free: Sequence[str], *, alone: bool) -> Labels:
    """The columns of predicted labels, those of other spellings read by the names of the classes.

    ``alone``: no model has been found so far.
    """
    found = Labels()
    # labels that never differ may be the truth once more, unless nothing else is a prediction
    repeats, others = [], []
    for name in free:
        spelled = _spelled(known, name)
        if spelled is None:
            continue
        names, sure = spelled
        said = [None if t is None else names[t] for t in known.columns.texts(name)]
        if not sure and said == list(known.truth):
            repeats.append((name, names))
        elif sure or agrees(known.truth, said):
            found = _with(known, found, name, names)
        else:
            others.append((name, names, said))
    for score in free:
        if without_confidences(known, [score], found.columns)[0]:
            fits = [(_fit(known, score, said), name, names) for name, names, said in others]
            best = max(fits, key=lambda fit: fit[0], default=(0.0, "", {}))
            if best[0] > 0:
                found = _with(known, found, *best[1:])
    if alone and not found.columns:
        for name, names in repeats if known.columns.table.rows >= FEWEST else ():
            found = _with(known, found, name, names)
    return found


def _spelled(known: Known, name: str) -> tuple[dict[str, str], bool] | None:
    """What the values of a column stand for, and whether its name says that it is a prediction."""
    columns, classes = known.columns, known.classes
    values = columns.distinct(name)
    if not 1 <= len(values) <= len(classes) or columns.is_fraction(name) or is_outcome(name):
        return None
    told = is_telling(name)
    names = spelling(values, classes)
    if names is not None:
        as_written = all(alike(value) == alike(label) for value, label in names.items())
        return names, told or (as_written and _usual(name, classes))
    names = by_agreement(known.truth, columns.texts(name), classes)
    # words that are no classes are names of models as soon as predictions, unless they agree
    return None if names is None else (names, is_prediction(name))


def _usual(name: str, classes: Sequence[str]) -> bool:
    """Whether labels that are spelled as the truth are predictions by that alone."""
    common = {"0", "1", "-1", "yes", "no", "true", "false", "y", "n", "t", "f"}
    return folded(name) in ("label", "class", "labels", "p") or (
        len(classes) > 1 and not {alike(label) for label in classes} & common and not is_score(name)
    )


def _with(known: Known, found: Labels, name: str, names: Mapping[str, str]) -> Labels:
    """The labels with one column more, which is read by the names of the classes from now on."""
    taken = {label: label for label in known.classes}
    for one in found.spelled.values():
        taken |= one
    other = {text: label for text, label in names.items() if alike(text) != alike(label)}
    clash = [text for text in other if taken.get(text, other[text]) != other[text]]
    shown = ", ".join(f"{text} for {label}" for text, label in names.items())
    if clash:
        told = f"{name} seems to write {shown}, and {known.target} does not; it is not used"
        return replace(found, told=(*found.told, told))
    made = replace(found, columns=(*found.columns, name))
    if not is_telling(name):
        told = f"{name}: used as predicted labels, as they agree with {known.target}"
        made = replace(made, told=(*made.told, told))
    if not other:
        return made
    known.columns.spell(name, names)
    return replace(
        made,
        spelled={**made.spelled, name: other},
        told=(*made.told, f"{name} writes {shown}"),
    )


def _fit(known: Known, name: str, said: Texts) -> float:
    """How well a score goes with labels: 2 where it says them in every row.

    The area under the ROC curve of the score turned for the negative label where it is the
    confidence in them; 0 where it is neither.
    """
    scores, cut = known.columns.numbers(name), _middle(known.columns, name)
    if len(known.classes) != 2 or len(set(said) - {None}) != 2 or scores is None or cut is None:
        return 0.0
    above = {(s >= cut, t) for s, t in zip(scores, said, strict=True) if s is not None and t}
    if len(said) >= FEWEST and len(above) == 2 == len({a for a, _ in above}):
        return 2.0
    likely = is_confidence(scores, said, cut) and agrees(known.truth, said, 0, 1)
    return _turned_area(known, scores, said, cut) if likely else 0.0


def _turned_area(known: Known, scores: Sequence[float | None], said: Texts, cut: float) -> float:
    """The area of scores that are turned for the negative label, 0 unless that ranks better.

    Of labels that have nothing to do with the scores a turned ranking is near one half.
    """
    before, after = _areas(known, scores, said, cut)
    if before is None or after is None:
        return 0.0
    positives = sum(t == known.classes[1] for t in known.truth)
    n = sum(t is not None for t in known.truth)
    error = math.sqrt((n + 1) / (12 * positives * (n - positives)))
    return after if after > max(before, 0.5 + LIKELY * error) else 0.0


def _areas(
    known: Known, scores: Sequence[float | None], said: Texts, cut: float
) -> tuple[float | None, float | None]:
    """The areas of scores as they are, and turned for the negative label."""
    positive = alike(known.classes[1])
    truth = [None if t is None else alike(t) == positive for t in known.truth]
    turned = [
        score if score is None or label is None or alike(label) == positive else 2 * cut - score
        for score, label in zip(scores, said, strict=True)
    ]
    return area(scores, truth), area(turned, truth)


def _middle(columns: Columns, name: str) -> float | None:
    """One half, of shares or of percentages; None for a column of something else."""
    limits = columns.range(name)
    if limits is None or not columns.is_fraction(name) or limits[0] < 0 or limits[1] > 100:
        return None
    return 0.5 if limits[1] <= 1 else 50.0


def without_confidences(
    known: Known, scores: Sequence[str], labels: Sequence[str]
) -> tuple[list[str], list[str]]:
    """The scores but for those that are the confidence in a predicted label, which are told."""
    only = len(scores) == len(labels) == 1
    told = dict(_confidences(known, scores, labels, only=only))
    return [name for name in scores if name not in told], list(told.values())


def confidences_of(known: Known, names: Sequence[str], labels: Sequence[str]) -> list[str]:
    """What to tell of columns that nothing calls a score and that do as a confidence does."""
    return [text for _, text in _confidences(known, names, labels, only=False)]


def _confidences(
    known: Known, names: Sequence[str], labels: Sequence[str], *, only: bool
) -> Iterator[tuple[str, str]]:
    for name in names:
        of = next((label for label in labels if _confident(known, name, label, only=only)), None)
        if of is not None:
            told = f"{name} is the confidence in {of}, not the score of one class; it is not used"
            yield name, told


def _confident(known: Known, name: str, column: str, *, only: bool) -> bool:
    """Whether a score is the confidence in the labels of a column.

    Where neither names nor the want of any others say that they are of one model, the score has to
    rank the rows better where it is turned for the negative label.
    """
    numbers, limits = known.columns.numbers(name), known.columns.range(name)
    if numbers is None or limits is None:
        return False
    spelled = _spelled(known, column)
    names = {} if spelled is None else spelled[0]
    said = [names.get(text, text) if text else None for text in known.columns.texts(column)]
    most = 1 if limits[1] <= 1 else 100
    if not is_confidence(numbers, said, most / len(known.classes)):
        return False
    together = only or model_name([name]) == model_name([column]) or len(known.classes) > 2
    before, after = _areas(known, numbers, said, most / 2)
    return together or before is None or after is None or after > before


# -- scores of every class ------------------------------------------------------------------------


def unnamed_sets(known: Known, free: Sequence[str]) -> Found:
    """Models with a column for each class whose names do not tell which class it is of.

    The numbers of a row add up to 1; the predicted label in every row, or else the truth, tells
    the class of each column.
    """
    columns, size = known.columns, len(known.classes)
    inside = [c for c in free if _middle(columns, c) is not None]
    groups = combinations(inside, 2) if size == 2 else _windows(inside, size)
    found = Found((), tuple(free))
    for group in groups if columns.table.rows >= FEWEST else ():
        if not set(group) <= set(found.free) or not adds_up(columns, group):
            continue
        if size == 2 and named_by_class(group, known.classes) is not None:
            continue
        names = ", ".join(group)
        numbers = [columns.numbers(c) or [] for c in group]
        order = _order(known, list(zip(*numbers, strict=True)), found.free)
        if order is None and size == 2:
            continue
        left = tuple(c for c in found.free if c not in group)
        if order is None:
            told = f"{names} add up to 1, and nothing shows which class each is of; not used"
            found = replace(found, free=left, told=(*found.told, told))
            continue
        classes, why = order
        model = (shared_name(group), {"scores": dict(zip(classes, group, strict=True))})
        told = f"{names} are used as the scores of {', '.join(classes)}: {why}"
        found = replace(found, models=(*found.models, model), free=left, told=(*found.told, told))
    return found


def _windows(names: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    for start in range(len(names) - size + 1):
        yield tuple(names[start : start + size])


def vector_models(known: Known, free: Sequence[str]) -> Found:
    """Models with one column that lists a number for each class."""
    columns, size = known.columns, len(known.classes)
    rows = {
        name: lists
        for name in columns.table.header
        if name != known.target and (lists := columns.vectors(name, size)) is not None
    }
    if size < 2 or not rows:
        return Found((), tuple(free))
    summed = [name for name, lists in rows.items() if _sums_to_one(lists)]
    kept = summed or list(rows)
    left = tuple(c for c in free if c not in rows)
    told = [f"{name} is not used: {kept[0]} has probabilities" for name in rows if name not in kept]
    order: tuple[str, ...] = ()
    models: list[tuple[str, dict[str, Any]]] = []
    for name in kept:
        classes, why = _order(known, rows[name], left) or (known.classes, "that is their order")
        if classes != (order or known.classes) and models:
            told.append(f"{name} is not used: its numbers are in another order than {kept[0]}")
            continue
        order = order or classes
        models.append((model_name([name]), {"scores": name}))
        listed = ", ".join(classes)
        told.append(f"the numbers of {name} are taken in the order of the classes: {listed}: {why}")
    own = order if order != known.classes else ()
    return Found(tuple(models), left, tuple(told), own)


def _sums_to_one(rows: Rows) -> bool:
    return all(abs(sum(row) - 1) < 0.02 and min(row) >= 0 for row in rows if row is not None)


def _order(known: Known, rows: Rows, free: Sequence[str]) -> tuple[tuple[str, ...], str] | None:
    """The class of each place, and why: by labels that follow from the numbers, or by the truth."""
    full = [None if row is None or None in row else row for row in rows]
    for name in free:
        spelled = _spelled(known, name)
        if spelled is None:
            continue
        said = [None if t is None else spelled[0][t] for t in known.columns.texts(name)]
        places = places_of_classes(full, said, always=True)
        order = None if places is None else whole_order(places, known.classes)
        if order is not None and len(set(said) - {None}) > 1:
            return order, f"the largest is {name} in every row"
    places = places_of_classes(full, known.truth, always=False)
    order = None if places is None else whole_order(places, known.classes)
    if order is None or not agrees(known.truth, said := largest(full, order)):
        return None
    pairs = [(a, b) for a, b in zip(known.truth, said, strict=True) if a and b]
    right = sum(a == b for a, b in pairs)
    return order, f"the largest agrees with {known.target} in {right} of {len(pairs)} rows"
