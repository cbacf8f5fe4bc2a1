"""How much of the outcome the probabilities explain: likelihoods against the prevalence's own.

L is the log loss added up over the rows, L0 that of stating the prevalence for every row.
On rows that a model was not fitted on, each of these can fall below 0: worse than the
prevalence alone.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from evalreport.metrics.declare import Kind, metric
from evalreport.metrics.formula import Cell, Expression, Nothing, ratio
from evalreport.metrics.probabilities import (
    log_loss,
    total_loss,
)
from evalreport.metrics.tables import ScoreTable

MCFADDEN = "McFadden D. In: Zarembka P. (ed.) Frontiers in Econometrics, 1974, ch. 4"
COX_SNELL = "Cox D., Snell E. Analysis of Binary Data, 2nd ed., 1989, 6.3"
NAGELKERKE = "Nagelkerke N. Biometrika 78, 1991"
YATES = "Yates J. Organ Behav Hum Perform 30, 1982"
ONE_CLASS = "only one class occurs, so the prevalence alone explains everything"


def _constant_loss(s: ScoreTable) -> Any:
    """L0: the log loss of the prevalence, added up over the rows; arrays for stacks of tables."""
    total = s.actual_positives.value + s.actual_negatives.value
    if not s.stacked and s.actual_positives.value and s.actual_negatives.value:
        # added up as L is, so that the prevalence itself explains exactly nothing
        parts = np.array([s.actual_positives.value]), np.array([s.actual_negatives.value])
        one = ScoreTable(np.array([s.actual_positives.value / total]), *parts)
        assert log_loss.row_loss is not None
        return total_loss("L0", one, log_loss.row_loss).value
    loss: Any = 0.0
    for part in (s.actual_positives.value, s.actual_negatives.value):
        held = np.asarray(part, dtype=np.float64)
        logs = np.log(np.where(held > 0, total / np.where(held > 0, held, 1.0), 1.0))
        loss = loss + held * logs
    return loss if np.ndim(loss) else float(loss)


def _losses(s: ScoreTable) -> tuple[Any, Any, Any] | Nothing:
    """L, L0 and the number of rows, or why there are none."""
    constant = _constant_loss(s)
    if np.ndim(constant) == 0 and constant == 0:
        return Nothing(ONE_CLASS)
    row_loss = log_loss.row_loss
    assert row_loss is not None
    loss = total_loss("L", s, row_loss).value
    rows = s.actual_positives.value + s.actual_negatives.value
    return loss, constant, rows


def _explained(loss: Any, constant: Any, rows: Any) -> Any:
    """1 - exp(-2 (L0 - L) / n), the share of Cox and Snell."""
    with np.errstate(over="ignore"):
        share = 0.0 - np.expm1(2.0 * (np.asarray(loss) - constant) / rows)
    return share if np.ndim(share) else float(share)


#: Shares by the likelihood of the prevalence alone.
_of_likelihoods = partial(
    metric,
    kind=Kind.PROBABILITY,
    bounds=(-math.inf, 1.0),
    no_average="it belongs to one class",
    undefined=ONE_CLASS,
    chance=0.0,
)


@_of_likelihoods(
    title="McFadden's R2",
    aliases=("pseudo_r2", "mcfadden"),
    use="as the share of the log loss of the prevalence alone that is saved",
    avoid="across samples of different prevalence, or as a share of variance",
    reference=MCFADDEN,
)
def mcfadden_r2(s: ScoreTable) -> Expression:
    """The share of the log loss of a constant answer, the prevalence, that is saved.

    >>> s = ScoreTable(np.array([0.75, 0.25]), np.array([1, 0]), np.array([0, 1]))
    >>> mcfadden_r2(s).outcome()
    Value(0.5849625007211562)
    """
    found = _losses(s)
    if isinstance(found, Nothing):
        return found
    loss, constant, _ = found
    return 1 - ratio(Cell("L", loss), Cell("L0", constant))


@_of_likelihoods(
    title="R2 of Cox and Snell",
    aliases=("cox_snell",),
    best=math.nan,
    formula="1 - exp(-2 (L0 - L) / n)",
    use="to compare with texts that state it",
    avoid="as a share: its largest value depends on the prevalence and lies below 1",
    reference=COX_SNELL,
)
def cox_snell_r2(s: ScoreTable) -> Expression:
    """How far the likelihood per row lies above that of the prevalence, as in linear regression.

    >>> s = ScoreTable(np.array([0.75, 0.25]), np.array([1, 0]), np.array([0, 1]))
    >>> round(cox_snell_r2(s).outcome().number, 12)
    0.555555555556
    """
    found = _losses(s)
    if isinstance(found, Nothing):
        return found
    return Cell("1 - exp(-2 (L0 - L) / n)", _explained(*found))


@_of_likelihoods(
    title="Nagelkerke's R2",
    aliases=("nagelkerke", "cragg_uhler_r2"),
    use="as the R2 of Cox and Snell on a scale whose largest value is 1",
    avoid="across samples of different prevalence",
    reference=NAGELKERKE,
)
def nagelkerke_r2(s: ScoreTable) -> Expression:
    """The R2 of Cox and Snell over the largest that it can be at this prevalence.

    >>> s = ScoreTable(np.array([0.75, 0.25]), np.array([1, 0]), np.array([0, 1]))
    >>> round(nagelkerke_r2(s).outcome().number, 12)
    0.740740740741
    """
    found = _losses(s)
    if isinstance(found, Nothing):
        return found
    _, constant, rows = found
    largest = _explained(0.0, constant, rows)
    return ratio(
        Cell("1 - exp(-2 (L0 - L) / n)", _explained(*found)), Cell("1 - exp(-2 L0 / n)", largest)
    )


@metric(
    title="Discrimination slope",
    aliases=("tjur_r2", "coefficient_of_discrimination", "yates_slope"),
    kind=Kind.PROBABILITY,
    bounds=(-1.0, 1.0),
    no_average="it belongs to one class",
    undefined="one of the two classes does not occur",
    use="for how far the probabilities of the two classes differ on average",
    avoid="alone: probabilities that are too extreme raise it",
    chance=0.0,
    reference=YATES + "; Tjur T. Am Stat 63, 2009",
)
def discrimination_slope(s: ScoreTable) -> Expression:
    """The mean probability given to positive rows less the mean given to the rest.

    >>> s = ScoreTable(np.array([0.75, 0.25]), np.array([1, 0]), np.array([0, 1]))
    >>> discrimination_slope(s).outcome()
    Value(0.5)
    """
    positive = s.cell("sum(p of positives)", s.positives * s.scores)
    negative = s.cell("sum(p of negatives)", s.negatives * s.scores)
    return ratio(positive, s.actual_positives) - ratio(negative, s.actual_negatives)
