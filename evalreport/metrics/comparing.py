"""How a value is compared: the tests and intervals of a difference, by kind of metric.

What a spec may ask for, what is planned, what is done and what is verified follow from the one
table here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache, partial
from typing import Any

import numpy as np

from evalreport.metrics.combined import balanced_accuracy, balanced_error_rate
from evalreport.metrics.counts import accuracy, error_rate
from evalreport.metrics.declare import Average, Goal, Interval, Metric, Table
from evalreport.metrics.kinds import AREA_OF_CLUSTERS, JACKKNIFE, OF_FOLDS, SANDWICH, Design
from evalreport.metrics.tables import Counts, Matrix, ScoreTable
from evalreport.statistics.unpaired import UNPAIRED_METHODS

BOOTSTRAP, PERCENTILE, CLUSTERS = "bootstrap", "bootstrap_percentile", "cluster_bootstrap"
#: A difference by what each row contributes to it.
BY_DESIGN = "design_based"
#: Of two means over the scores of single rows: with as many degrees of freedom as the variance has,
#: fewer where few rows lose much; and with n - 1, as Welch has it of two datasets.
SATTERTHWAITE, WELCH, PAIRED_T = "satterthwaite_t", "welch_t", "paired_t"
OF_TWO_MEANS = (SATTERTHWAITE, WELCH)
#: Squared distances of the shares of two tables, of the same rows and of independent ones.
TWO_TABLES, ADDED = "mover_paired", "square_and_add"


class Family(Enum):
    """Metrics that are compared alike, with the reason that the plan prints."""

    ROWS = "a share of rows with a given true class"
    CALLS = "a share of rows with a given prediction"
    AREA = "the area under the ROC curve"
    MEAN = "a mean over rows"
    SHARES = "a function of shares of the rows"
    OTHER = "no formula is known: groups of rows are left out"
    #: Other functions of the table, and values with limits that go together in a known way.
    TABLE = "a function of the table: by what each row contributes"
    LIMITS = "by the limits of both values"


#: Limits of the ratio of two shares: of the same rows, by the rows of a true class or of a
#: prediction, and of other rows.
ALONZO, MOSKOWITZ_PEPE, KOOPMAN = "alonzo", "moskowitz_pepe", "koopman"
OF_RATIOS = {Family.ROWS: ALONZO, Family.CALLS: MOSKOWITZ_PEPE}
#: Of the largest gap between groups, simultaneous over their pairs: of shares, and by the limits
#: of each group.
WIDEST_OF_SHARES, WIDEST_ADDED = "newcombe_hybrid_simultaneous", "square_and_add_simultaneous"
#: The test of a rate of selection against the highest one, beside limits by Koopman.
OF_RATES = "fisher_exact"
#: The test of net reclassification, and its limits where rows are independent and count one each.
OF_MOVES, WALD = "net_reclassification_z", "wald"


def limits_of_moves(*, weighted: bool, clustered: bool) -> str:
    """Limits of net reclassification, by how rows hang together."""
    return "cluster_robust" if clustered else SANDWICH if weighted else WALD


#: The names of tests and of limits, the default first.
Methods = tuple[tuple[str, ...], tuple[str, ...]]


def _of_one_name(*names: str) -> Methods:
    """Each name is of a test and of its limits."""
    return names, names


def _drawn_too(*names: str) -> Methods:
    """The same, and draws of rows."""
    return (*names, BOOTSTRAP), (*names, PERCENTILE)


_ADDED: Methods = _of_one_name(ADDED)
_BY_ROWS: Methods = (BY_DESIGN,), (SANDWICH,)
_OF_SHARES: Methods = (
    ("two_proportion_z", "fisher_exact", "mee", "miettinen_nurminen", "wald", BOOTSTRAP),
    (*UNPAIRED_METHODS, PERCENTILE),
)


@dataclass(frozen=True)
class Differences:
    """The methods of a difference, by how rows were drawn; what else can be asked for is ``rows``.

    Of two models on the same rows: ``rows`` that are independent, with ``weights``, in
    ``clusters``, of which the rows have weights (``both``), a ``sample`` by design. Of two
    datasets: ``datasets`` of independent rows, ``others`` of other rows.
    """

    rows: Methods
    weights: Methods = _ADDED
    clusters: Methods = _ADDED
    both: Methods = _ADDED
    sample: Methods = _BY_ROWS
    datasets: Methods = _ADDED
    others: Methods = _ADDED

    def of(self, design: Design, *, paired: bool) -> Methods:
        """The methods of one design, of the same rows or of two datasets."""
        if not paired:
            return self.datasets if design is Design.ROWS else self.others
        return {
            Design.ROWS: self.rows,
            Design.WEIGHTS: self.weights,
            Design.CLUSTERS: self.clusters,
            Design.BOTH: self.both,
            Design.SAMPLE: self.sample,
        }[design]


DIFFERENCES: Mapping[Family, Differences] = {
    Family.ROWS: Differences(
        rows=(
            (
                "mcnemar_exact",
                "mcnemar_midp",
                "mcnemar",
                "mcnemar_corrected",
                "tango",
                "wald",
                BOOTSTRAP,
            ),
            ("newcombe", "newcombe_uncorrected", "wald", "agresti_min", "tango", PERCENTILE),
        ),
        datasets=_OF_SHARES,
    ),
    Family.CALLS: Differences(
        rows=(
            ("leisenring", "kosinski", "wald", MOSKOWITZ_PEPE, BOOTSTRAP),
            (ADDED, "wald", PERCENTILE),
        ),
        datasets=_OF_SHARES,
    ),
    Family.AREA: Differences(
        rows=_drawn_too("delong_score", "delong"),
        clusters=_of_one_name(AREA_OF_CLUSTERS),
        datasets=_drawn_too("delong_score_unpaired", "delong_unpaired"),
    ),
    Family.MEAN: Differences(
        rows=_drawn_too(SATTERTHWAITE, PAIRED_T),
        weights=_BY_ROWS,
        clusters=_BY_ROWS,
        both=_BY_ROWS,
        datasets=_drawn_too(*OF_TWO_MEANS),
        others=_drawn_too(*OF_TWO_MEANS),
    ),
    Family.SHARES: Differences(rows=_drawn_too(TWO_TABLES), datasets=_drawn_too(ADDED)),
    Family.OTHER: Differences(
        rows=(
            (JACKKNIFE, ADDED, BY_DESIGN, BOOTSTRAP),
            (JACKKNIFE, ADDED, SANDWICH, PERCENTILE),
        ),
        weights=_of_one_name(JACKKNIFE),
        clusters=_of_one_name(JACKKNIFE),
        both=_of_one_name(JACKKNIFE),
        sample=_of_one_name(JACKKNIFE),
        datasets=_drawn_too(ADDED),
    ),
    Family.TABLE: Differences(rows=_BY_ROWS, weights=_BY_ROWS, clusters=_BY_ROWS, both=_BY_ROWS),
    Family.LIMITS: Differences(rows=_ADDED),
}

#: Tests with limits, by their names, that are one calculation: Student's t, or a normal deviate.
STUDENT = {
    (SATTERTHWAITE, SATTERTHWAITE), (PAIRED_T, PAIRED_T), (WELCH, WELCH), (BY_DESIGN, SANDWICH),
    (OF_FOLDS, OF_FOLDS), ("delong", "delong"), ("delong_unpaired", "delong_unpaired"),
    (JACKKNIFE, JACKKNIFE),
}  # fmt: skip
#: Others that are one calculation, so that they never disagree.
ONE = {
    *STUDENT, ("delong_score", "delong_score"), ("delong_score_unpaired", "delong_score_unpaired"),
    (TWO_TABLES, TWO_TABLES), (ADDED, ADDED), (BOOTSTRAP, PERCENTILE), (CLUSTERS, CLUSTERS),
}  # fmt: skip


def methods_of(family: Family, design: Design = Design.ROWS, *, paired: bool = True) -> Methods:
    """The tests and the limits of differences, default first, of the same rows or of two datasets.

    >>> methods_of(Family.SHARES, paired=False)[1]
    ('square_and_add', 'bootstrap_percentile')
    """
    return DIFFERENCES[family].of(design, paired=paired)


#: Tests of equality alone, each with the one that takes its place against a margin.
AT_A_MARGIN: Mapping[str, str] = {
    **dict.fromkeys(("mcnemar_exact", "mcnemar_midp", "mcnemar", "mcnemar_corrected"), "tango"),
    **dict.fromkeys(("two_proportion_z", "fisher_exact"), "miettinen_nurminen"),
    **dict.fromkeys(("leisenring", "kosinski", MOSKOWITZ_PEPE), "wald"),
}

#: One test of more than two models on the same rows.
SEVERAL: Mapping[Family, str] = {
    Family.ROWS: "cochran_q",
    Family.AREA: "delong",
    Family.MEAN: "friedman",
}

#: Names that mean another form of the same method where the rows are not the same.
WITHOUT_PAIRS = {
    "delong": "delong_unpaired",
    "delong_score": "delong_score_unpaired",
    "newcombe": "newcombe_hybrid",
    TWO_TABLES: ADDED,
}


def pooled_over_rows(metric: Metric) -> bool:
    """Whether the micro average is a share of rows, so that a proportion's interval holds.

    Tried on an example: the pooled denominator must be the number of rows.

    >>> from evalreport.metrics.counts import precision, specificity
    >>> pooled_over_rows(precision), pooled_over_rows(specificity)
    (True, False)
    """
    if metric.interval is not Interval.PROPORTION:
        return False
    if metric.for_classes is not None:
        return True
    example = Matrix.from_counts([[5, 1, 2], [3, 7, 1], [1, 2, 11]])
    return bool(metric(example.pooled()).bottom.exact() == example.n.value)


#: A metric with an average: None of one class, or of all of them together.
Averaged = tuple[Metric, str | None]


def is_of_truth_alone(metric: Metric, params: Mapping[str, Any]) -> bool:
    """Whether a value does not depend on the predictions, as the no-information rate.

    Tried on two tables with the same true classes and different predictions.
    """
    if metric.table not in (Table.COUNTS, Table.MATRIX) or metric.context:
        return False
    arguments = metric.arguments(dict(params))
    examples = [Matrix.from_counts(c) for c in ([[5, 3], [2, 7]], [[6, 2], [4, 5]])]
    values = [
        metric(m if metric.table is Table.MATRIX else m.one_versus_rest(1), **arguments).exact()
        for m in examples
    ]
    return bool(values[0] == values[1])


@cache
def same_number(metric: Metric, average: str | None, *, two_classes: bool) -> Averaged:
    """The metric, without an average where there is one, that an average is the same number as.

    Where every row has one label and one prediction, micro F1 and weighted recall are accuracy,
    and of two classes macro accuracy is accuracy and macro recall balanced accuracy. Tried on
    tables of as many classes; an average that is no other number is given back as it is.

    >>> from evalreport.metrics.combined import f1
    >>> from evalreport.metrics.counts import recall
    >>> several = {"two_classes": False}
    >>> [same_number(recall, kind, **several)[0].name for kind in ("micro", "weighted", "macro")]
    ['accuracy', 'accuracy', 'balanced_accuracy']
    >>> same_number(f1, "macro", two_classes=True) == (f1, "macro")
    True
    """
    known: Averaged = (metric, average)
    if average in (None, Average.SAMPLES.value) or metric.table is not Table.COUNTS:
        return known
    if metric.context:
        return known
    pooled = None if two_classes else Average.MICRO.value
    others = [(accuracy, pooled), (error_rate, pooled), (balanced_accuracy, None)]
    others += [(balanced_error_rate, None), *([(metric, None)] if two_classes else [])]
    examples = [Matrix.from_counts(counts) for counts in _EXAMPLES[two_classes]]
    own = [_value_of(known, table) for table in examples]
    if None in own:
        return known
    return next((o for o in others if [_value_of(o, table) for table in examples] == own), known)


#: Tables on which averages are tried, by whether they are of two classes.
_EXAMPLES = {
    True: ([[11, 5], [3, 7]], [[2, 9], [4, 17]]),
    False: ([[5, 1, 2], [3, 7, 1], [1, 2, 11]], [[4, 6, 1], [0, 3, 8], [9, 2, 13]]),
}


def _value_of(of: Averaged, table: Matrix) -> float | None:
    """A value to ten digits; None where the metric has none, or needs what nobody gave."""
    metric, average = of
    try:
        arguments = metric.arguments({})
        if average in (Average.MACRO.value, Average.WEIGHTED.value):
            each = [metric(table.one_versus_rest(k), **arguments) for k in range(table.size)]
            rows = [1 if average == Average.MACRO.value else n for n in table.row_totals]
            parts = [float(v.exact()) * n for v, n in zip(each, rows, strict=True)]
            return round(math.fsum(parts) / sum(rows), 10)
        whole = average is not None or (table.size > 2 and metric.scope == "all")
        if whole and metric.for_classes is not None:
            return round(float(metric.for_classes(table, **arguments).exact()), 10)
        counts = table.pooled() if whole else table.one_versus_rest(1)
        return round(float(metric(counts, **arguments).exact()), 10)
    except (TypeError, ValueError, LookupError, ArithmeticError):
        return None


@cache
def moves_with_prevalence(metric: Metric) -> bool:
    """Whether the value moves with the share of positives alone, all else being equal.

    A low precision or accuracy of a group may be that share, so groups are not ranked by one.
    Tried on two tables, of which the second has every positive twice; a metric that cannot be
    tried so counts as one that moves.

    >>> from evalreport.metrics.counts import precision, recall
    >>> moves_with_prevalence(recall), moves_with_prevalence(precision)
    (False, True)
    """
    params: dict[str, Any] = {p.name: _TRIED for p in metric.parameters if p.required}
    if metric.one_of:
        params[metric.one_of[0]] = _TRIED
    try:
        once, twice = (
            float(metric(_rows_of(metric.table, copies), **metric.arguments(params)).exact())
            for copies in (1, 2)
        )
    except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError):
        return True
    return not math.isclose(once, twice, rel_tol=1e-9)


#: A share that any parameter of a metric may be.
_TRIED = 0.3


def _rows_of(table: Table, copies: int) -> Any:
    """A table of two classes with so many copies of each positive row."""
    if table is Table.SCORES:
        positives, negatives = np.array([4, 2, 3, 1]), np.array([1, 2, 2, 6])
        return ScoreTable(np.array([0.9, 0.7, 0.4, 0.2]), copies * positives, negatives)
    example = Matrix.from_counts([[11, 5], [3 * copies, 7 * copies]])
    return example if table is Table.MATRIX else example.one_versus_rest(1)


def family_of(
    metric: Metric, average: str | None, *, paired: bool = True, two_classes: bool = True
) -> Family:
    """How a value of this metric is compared.

    >>> from evalreport.metrics.combined import f1
    >>> from evalreport.metrics.counts import precision, recall
    >>> [family_of(m, None).name for m in (recall, precision, f1)]
    ['ROWS', 'CALLS', 'SHARES']
    """
    if metric.interval is Interval.AUC and average is None:
        return Family.AREA
    if metric.interval is Interval.MEAN and average is None:
        return Family.MEAN
    if metric.interval is Interval.PROPORTION:
        if average == Average.MICRO.value and pooled_over_rows(metric):
            return Family.ROWS
        if average is None and not paired:
            return Family.ROWS
        if average is None and metric.table is Table.COUNTS:
            family = share_of(metric).family
            return Family.SHARES if family is Family.OTHER else family
    of_class = metric.table is Table.COUNTS and metric.scope == "class"
    shares = metric.shares is not None and metric.interval is not Interval.LOG
    if shares and average is None and (two_classes or of_class):
        return Family.SHARES
    return Family.OTHER


@dataclass(frozen=True)
class Share:
    """Which rows a proportion counts, above and below the line.

    Both by (actual is the class, predicted is the class).
    """

    top: Mapping[tuple[bool, bool], bool]
    bottom: Mapping[tuple[bool, bool], bool]

    @property
    def family(self) -> Family:
        """Whether the rows below the line are chosen by their true class or the prediction."""
        b = self.bottom
        if all(b[actual, True] == b[actual, False] for actual in (True, False)):
            return Family.ROWS
        if all(b[True, predicted] == b[False, predicted] for predicted in (True, False)):
            return Family.CALLS
        return Family.OTHER


def share_of(metric: Metric) -> Share:
    """Found by putting a single row into each cell of the metric's formula.

    >>> from evalreport.metrics.counts import recall
    >>> [cell for cell, counted in share_of(recall).bottom.items() if counted]
    [(True, True), (True, False)]
    """
    top, bottom = {}, {}
    for cell, name in (
        ((True, True), "tp"),
        ((True, False), "fn"),
        ((False, True), "fp"),
        ((False, False), "tn"),
    ):
        alone = {"tp": 0, "fn": 0, "fp": 0, "tn": 0} | {name: 1}
        expression = metric(Counts(**alone))
        top[cell] = bool(expression.top.exact())
        bottom[cell] = bool(expression.bottom.exact())
    return Share(top, bottom)


def directed(metric: Metric) -> bool:
    """Whether more, or less, of a metric is better whatever its value."""
    return metric.goal in (Goal.MAXIMIZE, Goal.MINIMIZE)


def has_ratio(metric: Metric) -> bool:
    """Whether limits of the ratio of two values are known: of shares of rows."""
    return family_of(metric, None) in (Family.ROWS, Family.CALLS)


def known_methods(
    metric: Metric, place: int, same_rows: Iterable[bool] = (True, False)
) -> tuple[str, ...]:
    """Tests (``place`` 0) or interval methods (1) of a difference of a metric, default first.

    Of two models on the same rows, of two datasets, or of both. They are those of a single class
    and of the pooled average: which of them a number takes is planned.
    """
    averages = (None, Average.MICRO.value) if Average.MICRO in metric.averages else (None,)
    found: dict[str, None] = {}
    for paired in same_rows:
        names: dict[str, None] = {}
        for average in averages:
            family = family_of(metric, average, paired=paired)
            names |= dict.fromkeys(methods_of(family, paired=paired)[place])
        if not paired:
            # the name of the paired form is understood too
            names |= {old: None for old, name in WITHOUT_PAIRS.items() if name in names}
        found |= names
    return tuple(found)


known_tests = partial(known_methods, place=0)
known_intervals = partial(known_methods, place=1)
