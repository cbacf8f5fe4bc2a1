"""Whether mistakes go one way: tests of symmetry of the table of actual and predicted classes.

The rows of the table and its columns judge the same cases, so both tests compare what lies
on one side of the diagonal with what lies on the other.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from evalreport.metrics.declare import Goal, Interval, metric
from evalreport.metrics.formula import Cell, Expression, Nothing
from evalreport.metrics.probabilities import ONE_FOR_ALL
from evalreport.metrics.tables import Matrix
from evalreport.statistics.tail import chi2_sf

BOWKER = "Bowker A. A test for symmetry in contingency tables. J Am Stat Assoc 43, 1948"
STUART = "Stuart A. Biometrika 42, 1955; Maxwell A. Br J Psychiatry 116, 1970"
NO_MISTAKE = "no row is predicted to be of another class"


def _counts(m: Matrix) -> Any:
    """The table as an array, shape (K, K)."""
    counts = np.zeros((m.size, m.size))
    for (actual, predicted), count in m.cell_counts.items():
        counts[actual, predicted] = count
    return counts


#: Tests of the whole table.
_test_of_symmetry = partial(
    metric,
    scope="all",
    goal=Goal.DESCRIBE,
    no_average=ONE_FOR_ALL,
    interval=Interval.NONE,
    p_value=True,
    undefined=NO_MISTAKE,
)


@_test_of_symmetry(
    title="Bowker's test of symmetry, p value",
    aliases=("bowker", "symmetry_p_value"),
    formula="P(chi-square with one degree of freedom per pair of classes >= statistic)",
    use="to test whether two classes are mistaken for each other equally often",
    avoid="as a measure of how good the classifier is: equal mistakes are mistakes",
    reference=BOWKER,
)
def bowker_p_value(m: Matrix) -> Expression:
    """The p value of the hypothesis that mistakes between two classes go both ways alike.

    The statistic adds (n_ij - n_ji)^2 / (n_ij + n_ji) over the pairs of classes that are
    mistaken for each other at all; their number is the degrees of freedom. With two classes
    it is McNemar's test without a correction.

    >>> round(bowker_p_value(Matrix.from_counts([[20, 5], [10, 15]])).outcome().number, 6)
    0.196706
    """
    counts = _counts(m)
    upper = np.triu_indices(m.size, 1)
    both, apart = (counts + counts.T)[upper], (counts - counts.T)[upper]
    held = both > 0
    if not held.any():
        return Nothing(NO_MISTAKE)
    statistic = float((apart[held] ** 2 / both[held]).sum())
    return Cell("P(chi-square >= statistic)", chi2_sf(statistic, int(held.sum())))


@_test_of_symmetry(
    title="Stuart-Maxwell test, p value",
    aliases=("stuart_maxwell", "marginal_homogeneity_p_value"),
    formula="P(chi-square with K - 1 degrees of freedom >= statistic)",
    use="to ask whether each class is predicted as often as it occurs",
    avoid="as a measure of how good the classifier is: right totals can hide wrong rows",
    reference=STUART,
)
def stuart_maxwell_p_value(m: Matrix) -> Expression:
    """The p value of the hypothesis that every class is predicted as often as it occurs.

    The statistic is d' V^-1 d, d the row totals less the column totals of all classes but one
    and V their estimated covariance. Its degrees of freedom are the rank of V: K - 1 where all
    classes are mistaken for one another, directly or by others between.

    >>> round(stuart_maxwell_p_value(Matrix.from_counts([[20, 5], [10, 15]])).outcome().number, 6)
    0.196706
    """
    counts = _counts(m)
    apart = counts.sum(axis=1) - counts.sum(axis=0)
    covariance = -(counts + counts.T)
    np.fill_diagonal(covariance, counts.sum(axis=1) + counts.sum(axis=0) - 2 * counts.diagonal())
    rank = int(np.linalg.matrix_rank(covariance, hermitian=True))
    if not rank:
        return Nothing(NO_MISTAKE)
    statistic = float(apart @ np.linalg.pinv(covariance, hermitian=True) @ apart)
    return Cell("P(chi-square >= statistic)", chi2_sf(statistic, rank))
