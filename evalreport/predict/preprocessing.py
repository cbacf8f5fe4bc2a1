"""Steps before the estimator, by kind of column; fitted inside each fold, never on test rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evalreport.errors import Problem, did_you_mean
from evalreport.predict.features import Feature, FeatureTable

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
            f"step {step.name}: '{name}' is no feature", did_you_mean(name, table.names, "features")
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
