"""Metrics of the whole classification table: agreement, correlation, cost, baselines."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial, reduce
from typing import Any

import numpy as np

from evalreport.metrics.advice import IMPROPER
from evalreport.metrics.declare import Goal, Interval, Parameter, Shares, metric
from evalreport.metrics.formula import (
    WRITTEN_TERMS,
    Cell,
    Expression,
    Ratio,
    number_text,
    ratio,
    root,
)
from evalreport.metrics.tables import Counts, Matrix

ONE_FOR_ALL = "it is one figure for all classes"
COHEN = "Cohen J. Educ Psychol Meas 20, 1960"


#: One figure for all classes.
_of_all_classes = partial(metric, scope="all", no_average=ONE_FOR_ALL)


@_of_all_classes(
    title="Matthews correlation",
    aliases=(
        "matthews_correlation",
        "matthews_corrcoef",
        "matthews_correlation_coefficient",
        "phi",
        "phi_coefficient",
    ),
    bounds=(-1.0, 1.0),
    interval=Interval.CORRELATION,
    shares=Shares.ACTUAL,
    undefined="a row or column of the table is empty: only one class occurs or is predicted",
    use="as one figure that needs all four cells to be good; 0 for a constant or random answer",
    avoid="to compare samples of very different prevalence",
    chance=0.0,
    advice=IMPROPER,
    reference="Matthews B. Biochim Biophys Acta 405, 1975; Gorodkin J. Comput Biol Chem 28, 2004",
)
def mcc(c: Counts) -> Ratio:
    """The correlation of the actual and the predicted class.

    >>> mcc(Counts(tp=3, fp=1, fn=1, tn=3)).outcome()
    Value(0.5)
    """
    return ratio(
        c.tp * c.tn - c.fp * c.fn,
        root((c.tp + c.fp) * (c.tp + c.fn) * (c.tn + c.fp) * (c.tn + c.fn)),
    )


@mcc.more_classes
def _(m: Matrix) -> Ratio:
    return ratio(
        m.n * m.correct - m.chance,
        root((m.n * m.n - m.row_squares) * (m.n * m.n - m.column_squares)),
    )


@_of_all_classes(
    title="Cohen's kappa",
    aliases=("cohen_kappa", "cohens_kappa", "cohen_kappa_score"),
    bounds=(-1.0, 1.0),
    interval=Interval.KAPPA,
    shares=Shares.EITHER,
    undefined="agreement by chance is already 1: both sides name one and the same class",
    use="for agreement beyond what the totals alone would give",
    avoid="to compare samples of different prevalence: it moves with the totals",
    chance=0.0,
    advice=IMPROPER,
    reference=COHEN,
)
def kappa(m: Matrix) -> Ratio:
    """Agreement beyond chance, as a share of what chance leaves.

    >>> kappa(Matrix.from_counts([[20, 5], [10, 15]])).outcome()
    Value(0.4)
    """
    return ratio(m.n * m.correct - m.chance, m.n * m.n - m.chance)


@_of_all_classes(
    title="Weighted kappa",
    bounds=(-1.0, 1.0),
    interval=Interval.KAPPA,
    shares=Shares.EITHER,
    undefined="agreement by chance is already complete: both sides name one and the same class",
    parameters=(
        Parameter(
            "weights",
            str,
            "linear",
            choices=("linear", "quadratic"),
            meaning="how disagreement grows with the distance of two classes",
        ),
    ),
    ordered_classes=True,
    use="for ordered classes, where near misses are better than far ones",
    avoid="for classes without an order",
    chance=0.0,
    reference="Cohen J. Psychol Bull 70, 1968",
)
def weighted_kappa(m: Matrix, *, weights: str = "linear") -> Expression:
    """Agreement beyond chance where a miss counts by its distance in the order of classes.

    >>> weighted_kappa(Matrix.from_counts([[20, 5], [10, 15]])).outcome()
    Value(0.4)
    """
    power = 1 if weights == "linear" else 2
    observed: Any = 0
    for (actual, predicted), count in m.cell_counts.items():
        observed = observed + abs(actual - predicted) ** power * count
    expected = _expected_distance(m, power)
    name = "|i - j|" if power == 1 else "(i - j)^2"
    return 1 - ratio(
        m.n * Cell(f"sum({name} * count)", observed),
        Cell(f"sum({name} * row * column)", expected),
    )


def _expected_distance(m: Matrix, power: int) -> Any:
    """Sum over i, j of |i - j|^power times row total i times column total j."""
    total: Any = 0
    for i, row in enumerate(m.row_totals):
        for j, column in enumerate(m.column_totals):
            if i != j:
                total = total + abs(i - j) ** power * (row * column)
    return total


@_of_all_classes(
    title="Gwet's AC1",
    aliases=("gwet", "ac1", "gwets_ac1"),
    bounds=(-1.0, 1.0),
    interval=Interval.SMOOTH,
    undefined="there is no row",
    use="for agreement beyond chance where nearly all rows are of one class and kappa collapses",
    avoid="beside a kappa without saying which is which: what counts as chance differs",
    chance=0.0,
    reference="Gwet K. Br J Math Stat Psychol 61, 2008",
)
def gwet_ac1(m: Matrix) -> Ratio:
    """Agreement beyond chance, where chance is guessing on rows that are hard to tell.

    With S = sum over classes of (row + column) (2 n - row - column) and K classes, agreement
    by chance is S / (4 n^2 (K - 1)).

    >>> gwet_ac1(Matrix.from_counts([[118, 5], [2, 0]])).outcome()
    Value(0.9407763376087177)
    """
    both = [r + c for r, c in zip(m.row_totals, m.column_totals, strict=True)]
    total = m.n.value
    guessed = Cell(
        "sum((row + column) (2 n - row - column))", sum(one * (2 * total - one) for one in both)
    )
    four = 4 * (len(both) - 1)
    return ratio(four * m.n * m.correct - guessed, four * m.n * m.n - guessed)


@_of_all_classes(
    title="No-information rate",
    aliases=("majority_share", "nir"),
    goal=Goal.DESCRIBE,
    interval=Interval.PROPORTION,
    undefined="there is no row",
    use="to compare with accuracy: the accuracy of always naming the largest class",
    avoid="as a measure of the classifier: it ignores the predictions",
    reference="Kuhn M. Building predictive models in R using the caret package. JSS 28, 2008",
)
def no_information_rate(m: Matrix) -> Ratio:
    """The share of the largest actual class: the accuracy of always naming it.

    >>> no_information_rate(Matrix.from_counts([[20, 5], [10, 15]])).outcome()
    Value(0.5)
    """
    return ratio(Cell("largest class", reduce(_maximum, m.row_totals)), m.n)


def _maximum(left: Any, right: Any) -> Any:
    if hasattr(left, "shape") or hasattr(right, "shape"):
        import numpy as np

        return np.where(np.real(left) >= np.real(right), left, right)
    return max(left, right)


@_of_all_classes(
    title="P value of accuracy above the no-information rate",
    goal=Goal.DESCRIBE,
    interval=Interval.NONE,
    p_value=True,
    undefined="there is no row",
    formula="P(X >= correct), X ~ binomial(n, largest class / n)",
    use="to ask whether accuracy beats always naming the largest class by more than chance",
    avoid="as a measure of how good the classifier is",
    reference="Kuhn M. Building predictive models in R using the caret package. JSS 28, 2008",
)
def accuracy_p_value(m: Matrix) -> Expression:
    """One-sided exact binomial test that accuracy exceeds the no-information rate.

    >>> round(accuracy_p_value(Matrix.from_counts([[20, 5], [10, 15]])).outcome().number, 6)
    0.0033
    """
    from evalreport.statistics.tail import binomial_greater

    rate = no_information_rate(m).exact()
    tail = binomial_greater(m.correct.value, m.n.value, float(rate))
    return Cell("P(X >= correct)", tail)


@_of_all_classes(
    title="Expected cost",
    goal=Goal.MINIMIZE,
    bounds=(-math.inf, math.inf),
    best=math.nan,
    interval=Interval.MEAN,
    shares=Shares.PREDICTED,
    undefined="there is no row",
    use="when the costs of the kinds of mistake are known",
    avoid="with costs that nobody supports",
    reference="Elkan C. The foundations of cost-sensitive learning. IJCAI 2001",
)
def expected_cost(c: Counts, *, costs: Mapping[str, float]) -> Ratio:
    """The mean cost of a row, each mistake priced as the spec declares.

    >>> costs = {"false_negative": 5, "false_positive": 1}
    >>> expected_cost(Counts(tp=8, fp=2, fn=1, tn=9), costs=costs).outcome()
    Value(0.35)
    """
    total: Expression | None = None
    for name, cell in (
        ("false_negative", c.fn),
        ("false_positive", c.fp),
        ("true_positive", c.tp),
        ("true_negative", c.tn),
    ):
        price = costs.get(name, 0)
        if price:
            term = price * cell
            total = term if total is None else total + term
    return ratio(total if total is not None else 0, c.n)


@expected_cost.more_classes
def _(m: Matrix, *, costs: Any) -> Ratio:
    total: Any = 0
    terms: list[str] = []
    for (actual, predicted), count in sorted(m.cell_counts.items()):
        price = costs[actual][predicted]
        total = total + price * count
        if price and len(terms) <= WRITTEN_TERMS and not isinstance(count, np.ndarray) and count:
            terms.append(f"{number_text(price)} * {number_text(count)}")
    few = 1 < len(terms) <= WRITTEN_TERMS
    return ratio(Cell("sum(cost * count)", total, f"({' + '.join(terms)})" if few else ""), m.n)
