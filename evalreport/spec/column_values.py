"""What the values of a file's columns tell: labels, numbers, and columns that are one model's.

Programs write the probability of each class, the score it was made of and the label that
follows side by side, under names of their own. They are told by what they hold (pairs that add
up, equal rankings, labels); only files of two classes are looked at.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from evalreport.data.labels import as_number, written
from evalreport.data.scores import numbers_of_cell
from evalreport.data.table import RawTable
from evalreport.spec.column_names import is_model, model_name, words

#: Texts that programs write where there is no value.
GAPS = (
    "NA",
    "N/A",
    "n/a",
    "NULL",
    "null",
    "None",
    "none",
    "nan",
    "NaN",
    "#N/A",
    "\\N",
    "?",
    "-",
    "NaT",
    "<NA>",
    ".",
)
#: Rows below which columns may agree by chance.
FEWEST = 10
_SINGLE = ("text", "integer", "float64", "float32", "boolean", "mixed")


@dataclass
class Columns:
    """The columns of a table: their values as text and as numbers, None where missing.

    ``gaps``: the texts that stand for no value, by column.
    """

    table: RawTable
    gaps: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._texts: dict[str, list[str | None]] = {}
        self._numbers: dict[str, tuple[list[float | None] | None, tuple[str, ...]]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that hold single values."""
        return tuple(
            c
            for c in self.table.header
            if c in self.table.columns and self.table.columns[c].kind in _SINGLE
        )

    def texts(self, name: str) -> list[str | None]:
        """The values of a column as the texts of labels."""
        if name not in self._texts:
            codes, values = self.table.columns[name].factorize()
            none = self.gaps.get(name, frozenset())
            shown = [_text(value, none) for value in values]
            self._texts[name] = [None if code < 0 else shown[code] for code in codes.tolist()]
        return self._texts[name]

    def distinct(self, name: str) -> list[str]:
        """The different texts of a column."""
        return sorted({text for text in self.texts(name) if text is not None})

    def spell(self, name: str, names: Mapping[str, str]) -> None:
        """Take the values of a column by other names from now on."""
        self._texts[name] = [None if t is None else names[t] for t in self.texts(name)]

    def numbers(self, name: str) -> list[float | None] | None:
        """The values as numbers, percent signs taken off; None where too many are none."""
        return self._read(name)[0]

    def odd(self, name: str) -> tuple[str, ...]:
        """The few texts of a column of numbers that are no numbers."""
        return self._read(name)[1]

    def _read(self, name: str) -> tuple[list[float | None] | None, tuple[str, ...]]:
        if name not in self._numbers:
            self._numbers[name] = _numbers(self.texts(name))
        return self._numbers[name]

    def first(self, name: str, text: str) -> int:
        """The first row, counted from 0, that holds a text."""
        return self.texts(name).index(text)

    def vectors(self, name: str, size: int) -> list[list[float] | None] | None:
        """The rows of a column that lists so many numbers in each, None for any other column."""
        column = self.table.columns.get(name)
        if column is None or column.kind not in ("vector", "text"):
            return None
        codes, values = column.factorize()
        rows: list[list[float]] = []
        for value in values:
            numbers = numbers_of_cell(value)
            if not isinstance(numbers, list) or len(numbers) != size:
                return None
            rows.append(numbers)
        return [None if code < 0 else rows[code] for code in codes.tolist()] if rows else None

    def range(self, name: str) -> tuple[float, float] | None:
        """The smallest and largest number, None for a column without numbers."""
        found = [v for v in self.numbers(name) or () if v is not None]
        return (min(found), max(found)) if found else None

    def is_fraction(self, name: str) -> bool:
        """Whether a column holds numbers that are not all whole."""
        return any(v is not None and not v.is_integer() for v in self.numbers(name) or ())

    def lacking(self, name: str) -> int:
        """How many rows have no value."""
        none = {None, *self.odd(name)}
        return sum(text in none for text in self.texts(name))


def _text(value: Any, gaps: frozenset[str]) -> str | None:
    if isinstance(value, str):
        return None if value in gaps or not value else value
    return None if isinstance(value, list) else written(value).text


#: Up to this share of values that are no numbers, a column of fractions is one of numbers.
FEW_ODD = 0.05


def _numbers(texts: Sequence[str | None]) -> tuple[list[float | None] | None, tuple[str, ...]]:
    """The numbers of texts, and the few texts that are none; no numbers where these are more."""
    counts = Counter(texts)
    present = counts.total() - counts.pop(None, 0)
    most = max(1, FEW_ODD * present) if present >= FEWEST else 0
    found: dict[str, float] = {}
    odd: list[str] = []
    rows = 0
    for text, count in counts.items():
        number = None if text is None else as_number(text.strip().removesuffix("%").strip())
        if text is not None and number is not None and math.isfinite(float(number)):
            found[text] = float(number)
            continue
        odd.append(str(text))
        rows += count
        if rows > most:
            return None, ()
    if odd and all(number.is_integer() for number in found.values()):
        return None, ()
    values = [None if t is None else found.get(t) for t in texts]
    return (values if found else None), tuple(odd)


def gap_texts(table: RawTable) -> dict[str, frozenset[str]]:
    """The texts of each column that stand for no value: beside numbers, or NA among labels."""
    found = {}
    for name, column in table.columns.items():
        if column.kind not in ("text", "mixed"):
            continue
        values = [v for v in column.factorize()[1] if isinstance(v, str)]
        odd = {v for v in values if v in GAPS}
        rest = [v for v in values if v not in odd]
        numeric = bool(rest) and _numbers(rest)[0] is not None
        if odd and (numeric or (len(rest) >= 2 and odd <= {"NA", "NULL", "\\N", "NaN", "nan"})):
            found[name] = frozenset(odd - {"nan", "NaN"} if numeric else odd)
    return found


def alike(text: str) -> str:
    """A label without what people write differently: capitals, spaces, 1 and 1.0."""
    number = as_number(text.strip())
    low = text.strip().casefold()
    low = {"true": "1", "false": "0"}.get(low, low)
    return str(number.normalize() + 0) if number is not None else low


def adds_up(columns: Columns, names: Iterable[str]) -> bool:
    """Whether the numbers of each row add up to 1, or to 100."""
    rows = [columns.numbers(name) or [] for name in names]
    sums = [
        sum(v for v in row if v is not None) for row in zip(*rows, strict=True) if None not in row
    ]
    return bool(sums) and (
        all(abs(s - 1) < 0.02 for s in sums) or all(abs(s - 100) < 2 for s in sums)
    )


def area(scores: Sequence[float | None] | None, truth: Sequence[bool | None]) -> float | None:
    """The share of pairs of a positive and a negative row that the scores rank rightly."""
    import numpy as np

    from evalreport.statistics.delong import auc

    pairs = [
        (s, t) for s, t in zip(scores or (), truth, strict=False) if s is not None and t is not None
    ]
    if not pairs:
        return None
    labels = np.array([label for _, label in pairs], np.bool_)
    _, place = np.unique([-score for score, _ in pairs], return_inverse=True)
    return auc(np.bincount(place, labels), np.bincount(place, ~labels))


Models = dict[str, dict[str, Any]]


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
        own = named_by_class(pair, classes) if adds_up(columns, pair) else None
        if own is None:
            continue
        labels = [models[n]["prediction"] for n in (one, other) if "prediction" in models[n]]
        if len(labels) > 1:
            continue
        given = {"prediction": labels[0]} if labels else {}
        models[one] = {"scores": own, **given}
        del models[other]
        _rename(models, one, shared_name(pair))


def named_by_class(pair: Sequence[str], classes: Sequence[str]) -> dict[str, str] | None:
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


def shared_name(pair: Sequence[str]) -> str:
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
