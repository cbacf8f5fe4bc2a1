"""Columns that are one model's, told by what they hold: pairs that add up, equal rankings, labels.

Programs write the probability of each class, the score it was made of and the label that
follows side by side, under names of their own. Only files of two classes are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from evalreport.spec.column_names import is_model, model_name, words
from evalreport.spec.column_values import Columns, adds_up, alike

Models = dict[str, dict[str, Any]]
#: Rows below which columns may agree by chance.
FEWEST = 10


def as_one_model(
    columns: Columns, classes: Sequence[str], models: Mapping[str, dict[str, Any]]
) -> tuple[Models, list[str]]:
    """The models with columns of the same model put together, and what was left out, in words."""
    made = {name: dict(model) for name, model in models.items()}
    if len(classes) != 2 or columns.table.rows < FEWEST:
        return made, []
    _join_pairs(columns, classes, made)
    said = [*_drop_margins(columns, made), *_join_labels(columns, classes, made)]
    return made, said


def _join_pairs(columns: Columns, classes: Sequence[str], models: Models) -> None:
    """Two scores that add up to 1, whose names say which class each is of, become one model."""
    single = [n for n, m in models.items() if "score" in m]
    for one, other in combinations(single, 2):
        if one not in models or other not in models:
            continue
        pair = [models[one]["score"], models[other]["score"]]
        own = _by_class(pair, classes) if adds_up(columns, pair) else None
        if own is None:
            continue
        labels = [models[n]["prediction"] for n in (one, other) if "prediction" in models[n]]
        if len(labels) > 1:
            continue
        given = {"prediction": labels[0]} if labels else {}
        models[one] = {"scores": own, **given}
        del models[other]
        _rename(models, one, _shared_name(pair))


def _by_class(pair: Sequence[str], classes: Sequence[str]) -> dict[str, str] | None:
    """Each class with its column: the class is a word of the name, or its place the number."""
    held = [
        [label for label in classes if label.casefold() in map(str.casefold, _parts(name))]
        for name in pair
    ]
    if all(len(found) == 1 for found in held) and held[0] != held[1]:
        return {found[0]: name for found, name in zip(held, pair, strict=True)}
    numbered = [re.fullmatch(r"(.*?)(\d+)(\D*)", name) for name in pair]
    first, second = numbered
    if first is None or second is None or (first[1], first[3]) != (second[1], second[3]):
        return None
    ordered = sorted(pair, key=lambda name: int(re.findall(r"\d+", name)[-1]))
    if int(re.findall(r"\d+", ordered[1])[-1]) - int(re.findall(r"\d+", ordered[0])[-1]) != 1:
        return None
    return dict(zip(classes, ordered, strict=True))


def _parts(name: str) -> list[str]:
    return [part for part in re.split(r"[^\w]+|_", name) if part]


def _shared_name(pair: Sequence[str]) -> str:
    """What the names of both columns have in common, as the name of a model."""
    return model_name(["_".join(word for word in words(pair[0]) if word in words(pair[1]))])


def _rename(models: Models, old: str, new: str) -> None:
    """Give a model another name where that is free, in its place."""
    if new in models:
        return
    items = [(new if name == old else name, model) for name, model in models.items()]
    models.clear()
    models.update(items)


def _drop_margins(columns: Columns, models: Models) -> Iterator[str]:
    """Leave out signed scores that rank the rows as the probabilities made of them do."""
    margins = [n for n, m in models.items() if set(m) == {"margin"}]
    for name in margins:
        margin = models[name]["margin"]
        for model in models.values():
            column = _score_of(model)
            if column is not None and _same_order(columns, margin, column):
                yield f"{margin} is not used: {column} was made of it, and ranks the rows alike"
                del models[name]
                break


def _score_of(model: Mapping[str, Any]) -> str | None:
    """The column that rises with the score of one class."""
    if "score" in model:
        return str(model["score"])
    scores = model.get("scores")
    return str(list(scores.values())[-1]) if isinstance(scores, Mapping) else None


def _same_order(columns: Columns, one: str, other: str) -> bool:
    """Whether two columns put the rows into the same order, rounding aside."""
    rows = [
        (a, b)
        for a, b in zip(columns.numbers(one) or (), columns.numbers(other) or (), strict=True)
        if a is not None and b is not None
    ]
    rows.sort()
    values = [b for _, b in rows]
    return len(rows) >= FEWEST and len(set(values)) > 2 and values == sorted(values)


def _join_labels(columns: Columns, classes: Sequence[str], models: Models) -> Iterator[str]:
    """Put labels that follow from one model's score, in every row, beside that score."""
    for name in [n for n, m in models.items() if set(m) == {"prediction"}]:
        labels = models[name]["prediction"]
        fits = [
            key
            for key, model in models.items()
            if "prediction" not in model
            and not _of_two_models(labels, key)
            and _follow(columns, classes, model, labels)
        ]
        if len(fits) != 1:
            continue
        del models[name]
        if "margin" in models[fits[0]]:
            yield f"{labels} is not used: it is the sign of {models[fits[0]]['margin']}"
        else:
            models[fits[0]]["prediction"] = labels


def _of_two_models(labels: str, model: str) -> bool:
    """Whether names say that two columns are of different kinds of models."""
    kinds = [{word for word in words(name) if is_model(word)} for name in (labels, model)]
    return all(kinds) and kinds[0] != kinds[1]


def _follow(
    columns: Columns, classes: Sequence[str], model: Mapping[str, Any], labels: str
) -> bool:
    """Whether the labels say in each row on which side of its cut the score lies."""
    column = model.get("margin") or _score_of(model)
    limits = None if column is None else columns.range(column)
    if column is None or limits is None:
        return False
    cut = 0.0 if "margin" in model else 0.5 if limits[1] <= 1 else 50.0
    pairs = [
        (score >= cut, alike(text) == alike(classes[1]))
        for score, text in zip(columns.numbers(column) or (), columns.texts(labels), strict=True)
        if score is not None and text is not None
    ]
    # labels of either class may go with the higher scores
    return len(pairs) >= FEWEST and len(set(pairs)) == 2 and len({a for a, _ in pairs}) == 2
