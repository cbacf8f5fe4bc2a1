"""How a metric is declared: once, in one place, with everything that is known about it.

A metric is a plain function on one of the tables. The annotation of its first
argument says which table it needs; keyword-only arguments are its parameters
(``threshold``, ``costs`` and ``parents`` are filled in by the engine). The decorator adds the
facts; averages, interval, formula, catalogue, docs and tests follow from it.

>>> from evalreport.metrics.counts import precision
>>> precision(Counts(tp=8, fp=2, fn=4, tn=6)).outcome()
Value(0.8)
>>> precision.table, precision.interval.methods[0], precision.goal
(<Table.COUNTS: 'counts'>, 'wilson', <Goal.MAXIMIZE: 'maximize'>)
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from evalreport.metrics.formula import Expression
from evalreport.metrics.tables import ClassScores, Counts, Matrix, ScoreTable


class Table(Enum):
    """The table a metric is computed from."""

    COUNTS = "counts"
    MATRIX = "matrix"
    SCORES = "scores"
    CLASS_SCORES = "class_scores"
    LABEL_SETS = "label_sets"


class Kind(Enum):
    """What the scores must be."""

    RANK = "rank"
    PROBABILITY = "probability"
    MARGIN = "margin"


class Goal(Enum):
    """Which direction is better; DESCRIBE where neither is."""

    MAXIMIZE = "maximize"
    MINIMIZE = "minimize"
    TARGET = "target"
    DESCRIBE = "describe"


class Average(Enum):
    """How the values of several classes are made into one."""

    MACRO = "macro"
    MICRO = "micro"
    WEIGHTED = "weighted"
    SAMPLES = "samples"


ALL_AVERAGES = (Average.MACRO, Average.MICRO, Average.WEIGHTED)
CLASS_MEANS = (Average.MACRO, Average.WEIGHTED)
WITH_SAMPLES = (*ALL_AVERAGES, Average.SAMPLES)


class Interval(Enum):
    """Families of metrics that share interval methods; the first method is the default.

    Every family may also ask for the bootstrap, see :data:`RESAMPLING`.
    """

    PROPORTION = (
        "wilson",
        "clopper_pearson",
        "agresti_coull",
        "jeffreys",
        "wald",
        "wilson_cc",
        "wald_cc",
        "mid_p",
        "likelihood_ratio",
        "logit",
    )
    AUC = ("delong", "delong_logit", "hanley_mcneil")
    LOG = ("log",)
    KAPPA = ("wald", "delta")
    LOGISTIC = ("wald", "bootstrap_percentile")
    CORRELATION = ("fisher_z", "delta")
    MEAN = ("normal",)
    PREDICTIVE = ("mercaldo",)
    SMOOTH = ("delta",)
    RANKED = ("bootstrap_percentile", "influence")
    RESAMPLED = ("bootstrap_percentile", "bootstrap_bca")
    NONE = ()

    @property
    def methods(self) -> tuple[str, ...]:
        """Method names a spec may ask for, default first."""
        own: tuple[str, ...] = self.value
        return own if self is Interval.NONE else (*own, *(m for m in RESAMPLING if m not in own))


RESAMPLING = ("bootstrap_percentile", "bootstrap_bca")

_TABLES = {
    Counts: Table.COUNTS,
    Matrix: Table.MATRIX,
    ScoreTable: Table.SCORES,
    ClassScores: Table.CLASS_SCORES,
}

#: Arguments that the engine fills in from the spec and are not written beside the metric's name.
CONTEXT = ("threshold", "costs", "parents", "highest")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a metric as a spec may write it.

    ``choices`` lists allowed texts; ``low`` and ``high`` bound a number (``open_low``
    and ``open_high``: the bound itself is not allowed); ``required``: no default.
    """

    name: str
    type: type
    default: Any = None
    required: bool = False
    optional: bool = False
    choices: tuple[str, ...] = ()
    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False
    meaning: str = ""

    def problem(self, value: Any) -> str | None:
        """What is wrong with ``value``, or None."""
        if value is None and self.optional:
            return None
        if self.choices:
            return None if value in self.choices else f"one of {', '.join(self.choices)}"
        if self.type is bool:
            return None if isinstance(value, bool) else "true or false"
        whole = self.type is int
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return "a whole number" if whole else "a number"
        if whole and not float(value).is_integer():
            return "a whole number"
        below = value <= self.low if self.open_low else value < self.low
        above = value >= self.high if self.open_high else value > self.high
        if below or above or not math.isfinite(value):
            return self.range_text()
        return None

    def range_text(self) -> str:
        """The allowed range in words."""
        parts = []
        if math.isfinite(self.low):
            parts.append(f"{'above' if self.open_low else 'at least'} {self.low:g}")
        if math.isfinite(self.high):
            parts.append(f"{'below' if self.open_high else 'at most'} {self.high:g}")
        return "a number " + " and ".join(parts) if parts else "a finite number"


@dataclass(frozen=True, eq=False)
class Metric:
    """A declared metric; call it on its table to get the expression of its value.

    ``scope`` is ``"class"`` where the value belongs to one class against the rest
    and ``"all"`` where it belongs to all classes together. ``for_classes`` is the
    form for more than two classes where that differs. ``row_loss`` (metrics that
    are means over rows): loss of a row by its score when it is an actual positive
    and when it is not; ``class_loss``: losses of rows by their class scores;
    ``row_values`` (metrics of label sets that are means over rows): the value of
    each row, NaN where undefined. ``one_of``: exactly one of these parameters
    must be given.
    """

    name: str
    function: Callable[..., Any]
    table: Table
    title: str
    aliases: tuple[str, ...]
    scope: str
    kind: Kind
    goal: Goal
    bounds: tuple[float, float]
    best: float | None
    averages: tuple[Average, ...]
    no_average: str
    interval: Interval
    undefined: str
    parameters: tuple[Parameter, ...]
    context: tuple[str, ...]
    reference: str
    use: str
    avoid: str
    formula: str
    meaning: str
    two_classes_only: str
    row_loss: Callable[..., Any] | None = None
    class_loss: Callable[..., Any] | None = None
    row_values: Callable[..., Any] | None = None
    one_of: tuple[str, ...] = ()
    _forms: dict[str, Callable[..., Any]] = field(default_factory=dict, repr=False)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    @property
    def for_classes(self) -> Callable[..., Any] | None:
        """The form for more than two classes, or None."""
        return self._forms.get("classes")

    @property
    def classes_table(self) -> Table | None:
        """The table of the form for more than two classes, or None."""
        form = self.for_classes
        return None if form is None else _table_of(form)

    def more_classes(self, form: Callable[..., Any]) -> Callable[..., Any]:
        """Register the form for more than two classes (use as a decorator)."""
        self._forms["classes"] = form
        return form

    def arguments(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Every parameter with its value: as given, else its default."""
        return {p.name: params.get(p.name, p.default) for p in self.parameters}

    def missing(self, params: Mapping[str, Any]) -> str | None:
        """What is wrong with the parameters taken together, or None."""
        absent = [p.name for p in self.parameters if p.required and p.name not in params]
        if absent:
            return f"{self.name} needs {', '.join(absent)}"
        given = [name for name in self.one_of if params.get(name) is not None]
        if self.one_of and len(given) != 1:
            return f"{self.name} needs exactly one of {', '.join(self.one_of)}"
        return None


REGISTRY: dict[str, Metric] = {}


def metric(  # noqa: PLR0913 - everything that is known about a metric is said here
    *,
    title: str,
    reference: str,
    aliases: tuple[str, ...] = (),
    scope: str = "class",
    kind: Kind = Kind.RANK,
    goal: Goal = Goal.MAXIMIZE,
    bounds: tuple[float, float] = (0.0, 1.0),
    best: float | None = None,
    averages: tuple[Average, ...] = (),
    no_average: str = "",
    interval: Interval = Interval.RESAMPLED,
    undefined: str = "0 / 0",
    parameters: tuple[Parameter, ...] = (),
    use: str = "",
    avoid: str = "",
    formula: str = "",
    two_classes_only: str = "",
    row_loss: Callable[..., Any] | None = None,
    class_loss: Callable[..., Any] | None = None,
    row_values: Callable[..., Any] | None = None,
    one_of: tuple[str, ...] = (),
    name: str = "",
) -> Callable[[Callable[..., Any]], Metric]:
    """Declare the decorated function as a metric, under its own name.

    ``undefined`` may use ``{label}`` (the class) and is the reason given for 0 / 0.
    ``best`` defaults to the bound that the goal points to, where it is finite.
    ``formula`` is needed only where the expression cannot show one by itself.
    """

    def declare(function: Callable[..., Any]) -> Metric:
        own = name or function.__name__
        declared = Metric(
            name=own,
            function=function,
            table=_table_of(function),
            title=title,
            aliases=aliases,
            scope=scope,
            kind=kind,
            goal=goal,
            bounds=bounds,
            best=_best(best, goal, bounds),
            averages=averages,
            no_average=no_average,
            interval=interval,
            undefined=undefined,
            parameters=parameters,
            context=_context_of(function),
            reference=reference,
            use=use,
            avoid=avoid,
            formula=formula,
            meaning=(inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " "),
            two_classes_only=two_classes_only,
            row_loss=row_loss,
            class_loss=class_loss,
            row_values=row_values,
            one_of=one_of,
        )
        _register(declared)
        return declared

    return declare


def _register(declared: Metric) -> None:
    for word in (declared.name, *declared.aliases):
        if word in REGISTRY and REGISTRY[word].function is not declared.function:
            raise ValueError(f"metric name {word!r} is declared twice")
        REGISTRY[word] = declared


def _table_of(function: Callable[..., Any]) -> Table:
    first = next(iter(inspect.signature(function, eval_str=True).parameters.values()))
    table = _TABLES.get(first.annotation) or getattr(first.annotation, "table_kind", None)
    if not isinstance(table, Table):
        raise TypeError(f"{function.__name__}: the first argument names no table")
    return table


def _context_of(function: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(p for p in inspect.signature(function).parameters if p in CONTEXT)


def _best(best: float | None, goal: Goal, bounds: tuple[float, float]) -> float | None:
    if best is not None:
        return best
    wanted = {Goal.MAXIMIZE: bounds[1], Goal.MINIMIZE: bounds[0]}.get(goal)
    return wanted if wanted is not None and math.isfinite(wanted) else None


def evaluated(expression: Expression) -> Any:
    """The value of an expression over stacked tables: numpy, NaN where undefined."""
    return expression.array()
