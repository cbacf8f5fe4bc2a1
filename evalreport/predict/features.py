"""What a model is trained on: columns of numbers and of categories, and the steps before it.

The steps differ by kind of column; they are fitted inside each fold, never on test rows.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from evalreport.data.scores import numbers
from evalreport.data.table import RawColumn, RawTable
from evalreport.errors import DataError, Location, Problem, did_you_mean

Floats = npt.NDArray[np.float64]
Kind = Literal["number", "category"]

_LEADING_ZERO = re.compile(r"[+-]?0[0-9]+")


@dataclass(frozen=True, eq=False)
class Feature:
    """One column: ``values`` shape (n,), NaN where missing.

    A ``category`` holds the place of each value in ``categories``, which are sorted by
    code point; the places are names, not quantities.
    """

    name: str
    kind: Kind
    values: Floats
    categories: tuple[str, ...] = ()

    @cached_property
    def missing(self) -> int:
        """How many rows have no value."""
        return int(np.isnan(self.values).sum())

    @property
    def texts(self) -> list[str | None]:
        """The categories of the rows as text, None where missing."""
        return [None if np.isnan(v) else self.categories[int(v)] for v in self.values]


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """The n rows that models are trained on, column by column."""

    columns: tuple[Feature, ...]
    rows: int

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns in order."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def matrix(self) -> Floats:
        """All columns side by side, shape (n, d)."""
        if not self.columns:
            return np.empty((self.rows, 0))
        return np.column_stack([column.values for column in self.columns])

    def places(self, kind: Kind) -> list[int]:
        """Places of the columns of one kind."""
        return [place for place, column in enumerate(self.columns) if column.kind == kind]

    def take(self, rows: npt.NDArray[Any]) -> FeatureTable:
        """Some of the rows."""
        columns = tuple(Feature(c.name, c.kind, c.values[rows], c.categories) for c in self.columns)
        return FeatureTable(columns, len(rows))

    @cached_property
    def sha256(self) -> str:
        """Hash of names, kinds, categories and values."""
        digest = hashlib.sha256()
        for column in self.columns:
            head = repr((column.name, column.kind, column.categories, self.rows))
            digest.update(head.encode("utf-8", "backslashreplace"))
            # One NaN: others differ in bits that mean nothing.
            values = np.where(np.isnan(column.values), np.nan, column.values + 0.0)
            digest.update(values.astype("<f8").tobytes())
        return digest.hexdigest()


def feature_names(
    header: Sequence[str],
    roles: Mapping[str, str],
    included: Sequence[str] | None,
    excluded: Collection[str] = (),
    where: Location | None = None,
) -> tuple[str, ...]:
    """The columns a model is trained on.

    Args:
        header: every column of the file.
        roles: role (target, id, fold, ...) of each column that has one, by column. Such
            columns are never taken by default, and the target never at all.
        included: columns asked for; None takes every column without a role.
        excluded: columns left out where none are asked for.
        where: place of the request in the spec.

    Raises DataError for unknown columns, for the target and for nothing left.

    >>> feature_names(["id", "y", "age", "sex"], {"y": "target", "id": "id"}, None, ["sex"])
    ('age',)
    """
    problems = [
        Problem(f"there is no column '{name}'", did_you_mean(name, header, "columns"), where)
        for name in (*(included or ()), *excluded)
        if name not in header
    ]
    problems += [
        Problem(f"the {roles[name]} '{name}' is among the features", "take it out", where)
        for name in included or ()
        if roles.get(name) in ("target", "fold")
    ]
    names = (
        included
        if included is not None
        else [name for name in header if name not in roles and name not in excluded]
    )
    if not problems and not names:
        problems.append(Problem("no column is left as a feature", "name at least one", where))
    if problems:
        raise DataError(*problems)
    return tuple(names)


def feature_table(
    table: RawTable,
    names: Sequence[str],
    kinds: Mapping[str, Kind] | None = None,
) -> FeatureTable:
    """The named columns as features.

    A text column is numbers if every value is one and none has leading zeros, else
    categories, unless ``kinds`` says which. Raises DataError for infinite numbers, for
    lists, and for a declared column of numbers that holds other text.
    """
    features: list[Feature] = []
    problems: list[Problem] = []
    for name in names:
        try:
            column = _feature(table, table.columns[name], (kinds or {}).get(name))
        except DataError as error:
            problems.extend(error.problems)
            continue
        features.append(column)
    if problems:
        raise DataError(*problems)
    return FeatureTable(tuple(features), table.rows)


def _feature(table: RawTable, column: RawColumn, kind: Kind | None) -> Feature:
    if not column.single:
        what = f"column '{column.name}' has lists, which cannot be features"
        raise DataError(Problem(what, "take it out of the features", Location(table.name)))
    if column.kind == "boolean" and kind != "category":
        values = column.values.astype(np.float64)
        values[column.missing] = np.nan
        return Feature(column.name, "number", values)
    if kind is None:
        kind = "category" if _is_category(table, column) else "number"
    return _category(column) if kind == "category" else _number(table, column)


def _is_category(table: RawTable, column: RawColumn) -> bool:
    if column.kind not in ("text", "mixed"):
        return False
    found = numbers(table, column.name)
    wrong_only_in_size = all(
        "is infinite" in p.what or "is too large" in p.what for p in found.problems
    )
    if found.missing.all() or not wrong_only_in_size:
        return True
    texts = column.values[~column.missing].tolist()
    return any(isinstance(t, str) and _LEADING_ZERO.fullmatch(t) for t in texts)


def _number(table: RawTable, column: RawColumn) -> Feature:
    found = numbers(table, column.name)
    if found.problems:
        instead = "features are finite numbers, or text for categories"
        raise DataError(*(Problem(p.what, instead, p.where) for p in found.problems))
    return Feature(column.name, "number", found.values)


def _category(column: RawColumn) -> Feature:
    codes, distinct = column.factorize()
    names = sorted({str(value) for value in distinct})
    place = {name: float(i) for i, name in enumerate(names)}
    by_code = np.array([*(place[str(value)] for value in distinct), np.nan])
    return Feature(column.name, "category", by_code[codes], tuple(names))


def stacked(first: FeatureTable, second: FeatureTable) -> FeatureTable:
    """The rows of two tables of the same columns, one table after the other.

    Categories are those of both, sorted, so that one code stands for one of them.
    """
    columns = []
    for one, two in zip(first.columns, second.columns, strict=True):
        if one.kind == "number":
            columns.append(Feature(one.name, "number", np.concatenate([one.values, two.values])))
            continue
        categories = tuple(sorted({*one.categories, *two.categories}))
        place = {category: code for code, category in enumerate(categories)}
        codes = [
            np.array([*(place[category] for category in part.categories), np.nan])[
                np.where(np.isnan(part.values), -1, part.values).astype(np.int64)
            ]
            for part in (one, two)
        ]
        columns.append(Feature(one.name, "category", np.concatenate(codes), categories))
    return FeatureTable(tuple(columns), first.rows + second.rows)


NUMBER_ONLY = ("mean", "median")


@dataclass(frozen=True)
class Step:
    """One step as the spec asks for it.

    ``name``: ``impute`` (``method``: mean, median, most_frequent, constant with
    ``value``), ``scale`` (standard, min_max, robust) or ``one_hot``. ``columns``: None
    for all columns (impute), all numbers (scale) or all categories (one_hot).
    """

    name: str
    method: str | None = None
    value: Any = None
    columns: tuple[str, ...] | None = None

    def applies_to(self, column: Feature) -> bool:
        """Whether the step concerns the column."""
        if self.columns is not None:
            return column.name in self.columns
        kinds = {"impute": ("number", "category"), "scale": ("number",), "one_hot": ("category",)}
        return column.kind in kinds[self.name]


def default_steps(table: FeatureTable, takes_missing: bool) -> tuple[Step, ...]:
    """What the data need: the median for missing numbers, 0/1 columns for text.

    ``takes_missing``: whether the estimator copes with missing numbers by itself.
    A missing category is a value of its own. Nothing is scaled unless asked.
    """
    numbers = tuple(c.name for c in table.columns if c.kind == "number" and c.missing)
    steps = []
    if numbers and not takes_missing:
        steps.append(Step("impute", "median_with_indicator", columns=numbers))
    if table.places("category"):
        steps.append(Step("one_hot"))
    return tuple(steps)


def step_problems(steps: Sequence[Step], table: FeatureTable, takes_missing: bool) -> list[Problem]:
    """What the asked steps leave that an estimator cannot take, and unknown columns."""
    problems = [
        Problem(
            f"step {step.name}: '{name}' is not a feature",
            did_you_mean(name, table.names, "features"),
        )
        for step in steps
        for name in step.columns or ()
        if name not in table.names
    ]
    for column in table.columns:
        own = [step for step in steps if step.applies_to(column)]
        names = [step.name for step in own]
        if column.kind == "category":
            if "one_hot" not in names:
                problems.append(
                    Problem(
                        f"feature '{column.name}' is text",
                        "add the step one_hot, or take it out of the features",
                    )
                )
            if "scale" in names:
                problems.append(
                    Problem(
                        f"feature '{column.name}' is text and cannot be scaled",
                        "scale numbers only",
                    )
                )
        elif column.missing and "impute" not in names and not takes_missing:
            what = f"feature '{column.name}' is missing in {column.missing} of {table.rows} rows"
            problems.append(Problem(what, "add the step impute, or leave `steps` out"))
    return problems


def describe(steps: Sequence[Step], table: FeatureTable) -> tuple[str, ...]:
    """Each step with its columns in words.

    >>> table = FeatureTable((), 0)
    >>> describe([Step("scale", "standard", columns=("age",))], table)
    ('scale (standard): age',)
    """
    told = []
    for step in steps:
        names = step.columns or tuple(c.name for c in table.columns if step.applies_to(c))
        how = f" ({step.method.replace('_', ' ')})" if step.method else ""
        told.append(f"{step.name}{how}: {', '.join(names)}")
    return tuple(told)


def pipeline(steps: Sequence[Step], table: FeatureTable, estimator: Any) -> Any:
    """The estimator behind its steps, not fitted; the bare estimator where no step applies.

    Columns with the same steps stand together, in the order of the first of them.
    """
    blocks: dict[tuple[Any, ...], list[int]] = {}
    for place, column in enumerate(table.columns):
        own = tuple(s for s in steps if s.applies_to(column))
        blocks.setdefault((own, column.kind if own else None), []).append(place)
    if all(not own for own, _ in blocks):
        return estimator
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline

    parts = []
    for number, ((own, kind), places) in enumerate(blocks.items()):
        columns = [table.columns[place] for place in places]
        named = [(f"{i}_{s.name}", _transformer(s, kind, columns)) for i, s in enumerate(own)]
        if len(blocks) == 1:
            return Pipeline([*named, ("estimator", estimator)])
        parts.append((f"columns_{number}", Pipeline(named) if own else "passthrough", places))
    side_by_side = ColumnTransformer(parts, sparse_threshold=0.0)
    return Pipeline([("columns", side_by_side), ("estimator", estimator)])


def _transformer(step: Step, kind: str, columns: Sequence[Feature]) -> Any:
    from sklearn import preprocessing

    if step.name == "impute":
        return _imputer(step, kind, columns)
    if step.name == "one_hot":
        return preprocessing.OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    scalers = {
        "standard": preprocessing.StandardScaler,
        "min_max": preprocessing.MinMaxScaler,
        "robust": preprocessing.RobustScaler,
    }
    return scalers[step.method or "standard"]()


def _imputer(step: Step, kind: str, columns: Sequence[Feature]) -> Any:
    from sklearn.impute import SimpleImputer

    method = step.method or "median"
    if method == "median_with_indicator":
        return SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    if kind == "category" and method in NUMBER_ONLY:
        method = "most_frequent"
    if method != "constant":
        return SimpleImputer(strategy=method, keep_empty_features=True)
    return SimpleImputer(
        strategy="constant", fill_value=_constant(step, kind, columns), keep_empty_features=True
    )


def _constant(step: Step, kind: str, columns: Sequence[Feature]) -> float:
    """The constant as a number; a text no column knows is a category of its own."""
    if kind == "number":
        return float(step.value if step.value is not None else 0.0)
    known = columns[0].categories
    same = all(column.categories == known for column in columns)
    text = str(step.value)
    return float(known.index(text)) if same and text in known else -1.0
