"""Metrics of diagnostic tests: likelihood ratios, values at a prevalence, net benefit."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from evalreport.metrics.advice import ESSENTIAL, IMPROPER
from evalreport.metrics.counts import NO_ROW
from evalreport.metrics.declare import Goal, Interval, Parameter, Shares, Shows, metric
from evalreport.metrics.formula import Expression, Nothing, Ratio, ratio
from evalreport.metrics.tables import Counts
from evalreport.statistics import ratios

GLAS = "Glas A. et al. The diagnostic odds ratio. J Clin Epidemiol 56, 2003"


#: Ratios of the two rates.
_ratio_of_rates = partial(
    metric,
    bounds=(0.0, math.inf),
    interval=Interval.LOG,
    shares=Shares.ACTUAL,
    no_average="ratios of rates are not averaged over classes",
    reference=GLAS,
)


@_ratio_of_rates(
    title="Positive likelihood ratio",
    aliases=("positive_likelihood_ratio", "plr"),
    undefined="recall or the false positive rate is undefined, or both are 0",
    use="to update odds by a positive result; independent of prevalence",
    avoid="with few false positives: the interval is wide, and 0 makes it infinite",
    limits=ratios.lr_plus,
    score_limits=ratios.LR_PLUS_SCORES,
    shows=Shows.ONE_KIND,
)
def lr_plus(c: Counts) -> Ratio:
    """How many times more often a row of the class is predicted so than another row.

    >>> lr_plus(Counts(tp=8, fp=2, fn=2, tn=8)).outcome()
    Value(4.0)
    """
    return ratio(ratio(c.tp, c.positives), ratio(c.fp, c.fp + c.tn))


@_ratio_of_rates(
    title="Negative likelihood ratio",
    aliases=("negative_likelihood_ratio", "nlr"),
    goal=Goal.MINIMIZE,
    undefined="the false negative rate or specificity is undefined, or both are 0",
    use="to update odds by a negative result; independent of prevalence",
    avoid="with few false negatives: the interval is wide",
    limits=ratios.lr_minus,
    score_limits=ratios.LR_MINUS_SCORES,
    shows=Shows.ONE_KIND,
)
def lr_minus(c: Counts) -> Ratio:
    """How many times more often a row of the class is missed than another row is left alone.

    >>> lr_minus(Counts(tp=8, fp=2, fn=2, tn=8)).outcome()
    Value(0.25)
    """
    return ratio(ratio(c.fn, c.positives), ratio(c.tn, c.fp + c.tn))


@_ratio_of_rates(
    title="Diagnostic odds ratio",
    aliases=("dor", "odds_ratio"),
    no_average="odds ratios are not averaged over classes",
    undefined="both products of the table's diagonals are 0",
    use="as one figure of discrimination that does not depend on prevalence",
    avoid="as the only figure: it hides whether positives or negatives are missed",
    limits=ratios.diagnostic_odds_ratio,
    score_limits=ratios.ODDS_RATIO_SCORES,
    advice=IMPROPER,
)
def diagnostic_odds_ratio(c: Counts) -> Ratio:
    """The odds of a positive prediction among rows of the class over those among the rest.

    >>> diagnostic_odds_ratio(Counts(tp=8, fp=2, fn=2, tn=8)).outcome()
    Value(16.0)
    """
    return ratio(c.tp * c.tn, c.fp * c.fn)


_PREVALENCE = Parameter(
    "prevalence",
    float,
    required=True,
    low=0.0,
    high=1.0,
    open_low=True,
    open_high=True,
    meaning="share of positives where the classifier will be used",
    of_spec=True,
)


#: Predictive values where the share of positives is another one.
_at_a_prevalence = partial(
    metric,
    interval=Interval.PREDICTIVE,
    shares=Shares.ACTUAL,
    no_average="it belongs to one class",
    parameters=(_PREVALENCE,),
    use="when the prevalence of the sample differs from that of the intended use",
    avoid="when recall and specificity themselves differ between sample and use",
    shows=Shows.ONE_KIND,
    reference="Mercaldo N. et al. Stat Med 26, 2007",
)


@_at_a_prevalence(
    title="Precision at a prevalence",
    undefined="recall or specificity is undefined, or nothing is predicted {label}",
    limits=ratios.ppv_at_prevalence,
    score_limits=ratios.PPV_SCORES,
)
def ppv_at_prevalence(c: Counts, *, prevalence: float) -> Ratio:
    """Precision at another share of positives, from recall and specificity (Bayes' rule).

    >>> ppv_at_prevalence(Counts(tp=9, fn=1, fp=1, tn=9), prevalence=0.5).outcome()
    Value(0.9)
    """
    found = ratio(c.tp, c.positives) * prevalence
    return ratio(found, found + ratio(c.fp, c.fp + c.tn) * (1 - prevalence))


@_at_a_prevalence(
    title="NPV at a prevalence",
    undefined="recall or specificity is undefined, or everything is predicted {label}",
    limits=ratios.npv_at_prevalence,
    score_limits=ratios.NPV_SCORES,
)
def npv_at_prevalence(c: Counts, *, prevalence: float) -> Ratio:
    """Negative predictive value at another share of positives (Bayes' rule).

    >>> npv_at_prevalence(Counts(tp=9, fn=1, fp=1, tn=9), prevalence=0.5).outcome()
    Value(0.9)
    """
    left = ratio(c.tn, c.fp + c.tn) * (1 - prevalence)
    return ratio(left, left + ratio(c.fn, c.positives) * prevalence)


@metric(
    title="Net benefit",
    bounds=(-math.inf, 1.0),
    best=math.nan,
    interval=Interval.MEAN,
    no_average="it belongs to one class and one threshold",
    shares=Shares.AGREEMENT,
    undefined=NO_ROW,
    use="to ask whether acting on the classifier does more good than treating all or none",
    avoid="at a threshold that is not a probability anybody would act on",
    advice=ESSENTIAL,
    reference="Vickers A., Elkin E. Decision curve analysis. Med Decis Making 26, 2006",
    leads=6,
)
def net_benefit(c: Counts, *, threshold: float) -> Expression:
    """True positives per row, less false positives weighted by the odds of the threshold.

    >>> net_benefit(Counts(tp=30, fp=10, fn=5, tn=55), threshold=0.2).outcome()
    Value(0.275)

    The threshold is the probability at which acting is worth it, so it lies within 0 and 1
    and is neither: at 1 its odds are infinite, at 0 a false positive costs nothing.

    >>> net_benefit(Counts(tp=30, fp=10, fn=5, tn=55), threshold=1.0).outcome().reason
    'its threshold is a probability above 0 and below 1, not 1'
    """
    return _benefit(c, threshold, c.n)


@metric(
    title="Standardised net benefit",
    aliases=("standardized_net_benefit", "relative_utility"),
    bounds=(-math.inf, 1.0),
    interval=Interval.SMOOTH,
    no_average="it belongs to one class and one threshold",
    shares=Shares.EITHER,
    undefined="no row is actually {label}",
    use="as net benefit on a scale whose largest value is 1: the share of the possible benefit",
    avoid="at a threshold that is not a probability anybody would act on",
    reference="Kerr K. et al. Assessing the clinical impact of risk prediction models. "
    "J Clin Oncol 34, 2016",
)
def standardised_net_benefit(c: Counts, *, threshold: float) -> Expression:
    """Net benefit over the prevalence, which is the net benefit of a classifier without mistakes.

    >>> standardised_net_benefit(Counts(tp=30, fp=10, fn=5, tn=55), threshold=0.2).outcome()
    Value(0.7857142857142857)
    """
    return _benefit(c, threshold, c.positives)


def _benefit(c: Counts, threshold: Any, rows: Any) -> Expression:
    """True positives less false positives at the odds of the threshold, over some rows."""
    odds = _odds(threshold)
    if np.ndim(odds) == 0 and np.isnan(odds):
        return Nothing(f"its threshold is a probability above 0 and below 1, not {threshold:g}")
    return ratio(c.tp - c.fp * odds, rows)


def _odds(threshold: Any) -> Any:
    """Odds of a threshold, or of many tried at once: NaN where it is no such probability."""
    if np.ndim(threshold) == 0:
        return threshold / (1 - threshold) if 0 < threshold < 1 else math.nan
    within = (threshold > 0) & (threshold < 1)
    return np.where(within, threshold / np.where(within, 1 - threshold, 1.0), math.nan)
