"""How a metric is declared: once, in one place, with everything that is known about it.

A metric is a plain function on one of the tables. The annotation of its first
argument says which table it needs; keyword-only arguments are its parameters
(``threshold``, ``costs`` and ``parents`` are filled in by the engine). The decorator adds the
facts; averages, interval, formula, catalogue, docs and tests follow from it.

>>> from evalreport.metrics.counts import precision
>>> precision(Counts(tp=8, fp=2, fn=4, tn=6)).outcome()
Value(0.8)
>>> precision.table, precision.interval.value, precision.goal
(<Table.COUNTS: 'counts'>, 'a share', <Goal.MAXIMIZE: 'maximize'>)
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

import numpy as np

from evalreport.metrics.formula import Nothing
from evalreport.metrics.kinds import (
    ALL_AVERAGES,
    CLASS_MEANS,
    WITH_SAMPLES,
    Average,
    Goal,
    Interval,
    Kind,
    Shares,
    Shows,
    Table,
)
from evalreport.metrics.tables import (
    ClassScores,
    Counts,
    Matrix,
    ScoreTable,
    once_for_each_table,
)


@dataclass(frozen=True)
class Parameter:
    """One parameter of a metric as a spec may write it.

    ``choices`` lists allowed texts; ``low`` and ``high`` bound a number (``open_low``
    and ``open_high``: the bound itself is not allowed); ``required``: no default.
    ``of_spec``: a list of the same name in the spec fills it where the metric is written without.
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
    of_spec: bool = False

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


#: What a module that declares metrics imports from here.
__all__ = [
    "ALL_AVERAGES",
    "CLASS_MEANS",
    "CONTEXT",
    "REGISTRY",
    "WITH_SAMPLES",
    "Average",
    "Goal",
    "Interval",
    "Kind",
    "Metric",
    "Parameter",
    "Shares",
    "Shows",
    "Table",
    "metric",
]


_TABLES = {
    Counts: Table.COUNTS,
    Matrix: Table.MATRIX,
    ScoreTable: Table.SCORES,
    ClassScores: Table.CLASS_SCORES,
}

#: Arguments that the engine fills in from the spec and are not written beside the metric's name.
CONTEXT = ("threshold", "costs", "parents", "highest")


@dataclass(frozen=True, eq=False, kw_only=True)
class Metric:
    """A declared metric; call it on its table to get the expression of its value.

    ``scope`` is ``"class"`` where the value belongs to one class against the rest
    and ``"all"`` where it belongs to all classes together. ``for_classes`` is the
    form for more than two classes where that differs. ``row_loss`` (metrics that
    are means over rows): loss of a row by its score when it is an actual positive
    and when it is not; ``class_loss``: losses of rows by their class scores;
    ``row_values`` (metrics of label sets that are means over rows): the value of
    each row, NaN where undefined. ``reached`` (metrics that are the largest of something over
    all thresholds): the threshold where it is largest, by the score table. ``influence``:
    derivatives by the weight of a positive and of a negative row at each score, None where
    unknown for the parameters; ``standard_error``: of the fit
    that gives the value, None where it is not known; ``limits``: of two classes,
    from TP, FN, FP, TN, the parameters and the level; ``score_limits``: score limits of the same,
    by the names of their methods. ``shares``: the independent shares of a table of two classes
    whose limits are squared and added. ``no_interval``: why there
    is no interval unless one is asked for. ``chance``: what predictions
    that know nothing get, see :meth:`by_chance`. ``class_pairs``: it needs the score tables of
    pairs of classes; ``ordered_classes``: it needs to know which class is next to which;
    ``ranks_labels``: it needs a score of each label of a row.
    ``of_one_class``, ``of_one_row``: the meaning as it is of one class against the others, and of
    the labels of one row. ``instead``: what to ask for where this metric does not fit a threshold
    rule.
    ``undefined`` may use ``{label}`` (the class) and is the reason given for 0 / 0.
    ``bounds_of_two``: the range with two classes, where ``bounds`` is that with more.
    ``best`` is the bound that the goal points to, where it is finite and no other
    is given. ``formula`` is needed only where the expression cannot show one by
    itself. ``one_of``: exactly one of these parameters must be given.
    ``p_value``: the value is a p-value, and printed as one.
    ``either``: ways to write one thing, of which at most one may be given. ``advice``: what
    guidance on models for medical decisions says of it, where it does. ``cautions``: codes of the
    cautions that are about its value. ``line``: which number of the calibration lines it is.
    ``worst_class``: of several metrics of single classes its worst class is told first.
    ``keeps_positives`` (shares at the threshold that keeps another rate, their only parameter):
    whether that is a rate of the positives.
    ``leads``: its place among those that scores of two classes, and the decisions by them, are
    judged by first: do they rank rows, do they mean what they say, is a decision by them worth more
    than none, and what are the decisions at one cut-off.
    ``spoken``: words of a study for it that are no name of it in a spec.
    """

    name: str
    function: Callable[..., Any]
    table: Table
    title: str
    reference: str
    context: tuple[str, ...]
    meaning: str
    aliases: tuple[str, ...] = ()
    scope: str = "class"
    kind: Kind = Kind.RANK
    goal: Goal = Goal.MAXIMIZE
    bounds: tuple[float, float] = (0.0, 1.0)
    bounds_of_two: tuple[float, float] | None = None
    best: float | None = None
    averages: tuple[Average, ...] = ()
    no_average: str = ""
    no_interval: str = ""
    interval: Interval = Interval.RESAMPLED
    undefined: str = "0 / 0"
    parameters: tuple[Parameter, ...] = ()
    use: str = ""
    avoid: str = ""
    instead: str = ""
    of_one_class: str = ""
    of_one_row: str = ""
    formula: str = ""
    two_classes_only: str = ""
    ordered_classes: bool = False
    row_loss: Callable[..., Any] | None = None
    class_loss: Callable[..., Any] | None = None
    row_values: Callable[..., Any] | None = None
    reached: Callable[..., float] | None = None
    influence: Callable[..., Any] | None = None
    standard_error: Callable[..., Any] | None = None
    limits: Callable[..., Any] | None = None
    score_limits: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    shares: Shares | None = None
    chance: float | Callable[..., float | None] | None = None
    shows: Shows = Shows.WHOLE
    class_pairs: bool = False
    ranks_labels: bool = False
    one_of: tuple[str, ...] = ()
    p_value: bool = False
    either: tuple[str, ...] = ()
    advice: str | None = None
    cautions: tuple[str, ...] = ()
    line: str = ""
    worst_class: bool = False
    keeps_positives: bool = True
    leads: int | None = None
    spoken: tuple[str, ...] = ()
    _forms: dict[str, Callable[..., Any]] = field(default_factory=dict, repr=False)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and isinstance(args[0], ScoreTable):
            return _value_of(args[0], self.function)
        return self.function(*args, **kwargs)

    @property
    def takes_scores(self) -> bool:
        """Whether it needs scores of two classes: to compute with, or to have a threshold of."""
        return self.table is Table.SCORES or "threshold" in self.context

    @property
    def ranks_rows(self) -> bool:
        """Whether the scores of rows are held against each other."""
        scored = self.table in (Table.SCORES, Table.CLASS_SCORES)
        by_row = (Interval.PROPORTION, Interval.MEAN, Interval.LOGISTIC)
        return scored and self.kind is Kind.RANK and self.interval not in by_row

    @property
    def linearised(self) -> bool:
        """Whether what each row contributes to the value is known, and so a sandwich variance."""
        if self.interval is Interval.NONE:
            return False
        if self.table in (Table.COUNTS, Table.MATRIX, Table.LABEL_SETS):
            return True
        known = self.row_loss or self.influence or self.class_loss
        return known is not None or self.interval in (Interval.AUC, Interval.PROPORTION)

    @property
    def is_bounded(self) -> bool:
        """Whether the value has a least and a greatest value."""
        return all(map(math.isfinite, self.bounds))

    def by_chance(self, shares: Sequence[float], own: int | None) -> float | None:
        """What predictions that know nothing get; None where it is not known.

        ``shares`` of the classes among the rows; ``own``: place of the metric's own class.
        """
        return self.chance(shares, own) if callable(self.chance) else self.chance

    @property
    def of_all_together(self) -> bool:
        """Whether pooled counts of several classes give what the metric is of all of them."""
        return self.for_classes is not None and Average.MICRO in self.averages

    @property
    def speaking_averages(self) -> tuple[str, str]:
        """Which average speaks for all classes where none is named, in turn.

        Pooled counts give shares of rows; pooled scores need scores of different classes to mean
        the same, so there the plain mean comes first.
        """
        first, then = Average.MICRO.value, Average.MACRO.value
        return (then, first) if self.table is Table.SCORES else (first, then)

    def range_of(self, classes: int) -> tuple[float, float]:
        """The least and the largest value with so many classes."""
        two = self.bounds_of_two
        return two if two is not None and classes <= 2 else self.bounds

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
        form = _of_probabilities(form) if self.kind is Kind.PROBABILITY else form
        self._forms["classes"] = form
        return form

    def arguments(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Every parameter with its value: as given, else its default."""
        return {p.name: params.get(p.name, p.default) for p in self.parameters}

    @property
    def of_spec(self) -> Parameter | None:
        """The parameter that a list of the spec fills, or None."""
        return next((p for p in self.parameters if p.of_spec), None)

    def missing(self, params: Mapping[str, Any]) -> str | None:
        """What is wrong with the parameters taken together, or None."""
        absent = [p.name for p in self.parameters if p.required and p.name not in params]
        if absent:
            return f"{self.name} needs {', '.join(absent)}"
        given = [name for name in self.one_of if params.get(name) is not None]
        if self.one_of and len(given) != 1:
            return f"{self.name} needs exactly one of {', '.join(self.one_of)}"
        both = [name for name in self.either if params.get(name) is not None]
        if len(both) > 1:
            return f"{self.name} takes {' or '.join(both)}, not both"
        return None


REGISTRY: dict[str, Metric] = {}


def metric(**facts: Any) -> Callable[[Callable[..., Any]], Metric]:
    """Declare the decorated function as a metric, under its own name unless one is given.

    ``facts``: fields of :class:`Metric`, of which the title and the reference are needed.
    """

    def declare(function: Callable[..., Any]) -> Metric:
        if facts.get("kind") is Kind.PROBABILITY:
            function = _of_probabilities(function)
        goal, bounds = facts.get("goal", Goal.MAXIMIZE), facts.get("bounds", (0.0, 1.0))
        derived: dict[str, Any] = {
            "name": function.__name__,
            "best": _best(goal, bounds),
            "meaning": (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " "),
        }
        declared = Metric(
            function=function,
            table=_table_of(function),
            context=_context_of(function),
            **(derived | facts),
        )
        _register(declared)
        return declared

    return declare


NOT_PROBABILITIES = "scores outside [0, 1] are not probabilities"


@once_for_each_table
def _value_of(table: ScoreTable, function: Callable[[ScoreTable], Any]) -> Any:
    return function(table)


def outside_unit(scores: Any) -> bool:
    """Whether any score lies outside [0, 1]."""
    return bool(len(scores) and (np.min(scores) < 0 or np.max(scores) > 1))


def _of_probabilities(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, undefined where scores are no probabilities."""

    @wraps(function)
    def checked(table: Any, **arguments: Any) -> Any:
        columns = [table.scores] if isinstance(table, ScoreTable) else [table.true_scores]
        columns += [] if isinstance(table, ScoreTable) else [t.scores for t in table.per_class]
        outside = any(map(outside_unit, columns))
        return Nothing(NOT_PROBABILITIES) if outside else function(table, **arguments)

    return checked


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


def _best(goal: Goal, bounds: tuple[float, float]) -> float | None:
    wanted = {Goal.MAXIMIZE: bounds[1], Goal.MINIMIZE: bounds[0]}.get(goal)
    return wanted if wanted is not None and math.isfinite(wanted) else None
