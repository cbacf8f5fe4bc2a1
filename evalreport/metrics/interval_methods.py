"""The interval methods of each kind of value and design: the default, the classical, all others.

A metric says what it is, a spec how rows were drawn, and neither what a slice holds: two models,
two subgroups and two nights get the same method. What a spec may ask for, what is planned, the
page of methods and the catalogue are all read from the one table here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cache
from itertools import chain, product

from evalreport.metrics.comparing import pooled_over_rows
from evalreport.metrics.declare import Metric
from evalreport.metrics.kinds import AT_RATE, RESAMPLING, SANDWICH, Average, Design, Interval, Table
from evalreport.statistics.proportions import PROPORTION_METHODS

#: What a spec writes for the methods that R and SAS print by default.
CLASSICAL = "classical"
ALL_TABLES = (Table.COUNTS, Table.MATRIX)


class Kind(Enum):
    """Values that have their limits in the same way, with the reason that the plan prints."""

    SHARE = "a share of rows"
    SHARES = "a function of shares of the rows"
    RATIO = "a ratio of rates"
    IMPACT = "a ratio of two rates"
    WHOLE = "a function of the whole table"
    TABLE_MEAN = "a mean over the cells of the table"
    ROW_SHARE = "a share of rows by their ranks"
    AREA = "an area under the ROC curve"
    LOSS = "a mean of losses"
    MEAN = "a mean over rows"
    DISTANCE = "the largest distance of two rates"
    AT_RATE = "a share where another rate is kept"
    CLASS_RATES = "shares of all classes where another rate is kept"
    RANKED = "ranks of scores"
    CLASS_RANKS = "ranks of scores of all classes"
    CLASS_DISTANCES = "the largest distances of two rates of all classes"
    FIT = "a logistic fit"
    LEVEL = "the level of a logistic fit"
    FITTED = "a fit to the very rows"
    OTHER = "no formula is known: groups of rows are left out"
    SET_SHARE = "a share of rows with sets of labels"
    SET_MEAN = "a mean over rows with sets of labels"
    SET_LOSS = "a mean over rows with sets of labels, without a greatest value"
    LABELS = "a mean over labels"


#: Stands in the table for the formula of the metric itself, see `FORMULAS`.
OWN = "(own)"
#: The classical formula of a family of metrics; the delta method of any other.
FORMULAS = {
    Interval.KAPPA: "wald",
    Interval.CORRELATION: "fisher_z",
    Interval.MEAN: "normal",
    Interval.LOG: "log",
    Interval.PREDICTIVE: "mercaldo",
}
#: Methods of a single share of independent rows: the default, the classical one, the others.
_SHARE = " ".join(dict.fromkeys(("wilson", "clopper_pearson", *PROPORTION_METHODS)))
_SHARE_OF_CLUSTERS = "cluster_robust_t sandwich cluster_robust"
_LEFT_OUT = 5 * ("grouped_jackknife",)

#: For each kind of value and design the default, what R and SAS print by default (the default
#: where they print nothing), then what else can be asked for. `sandwich` and the bootstraps go
#: with all of them and are listed where they come first.
BY_KIND: Mapping[Kind, Mapping[Design, tuple[str, ...]]] = {
    kind: {design: tuple(cell.split()) for design, cell in zip(Design, row, strict=True)}
    for kind, row in {
        # independent rows, weights, clusters, clusters of weighted rows, a sample by design
        Kind.SHARE: (
            f"{_SHARE} mercaldo", "wilson_kish sandwich wilson_n_eff", *2 * (_SHARE_OF_CLUSTERS,),
            "wilson_n_eff sandwich",
        ),
        Kind.SHARES: (
            f"mover_jeffreys {OWN} newcombe_hybrid delta_t delta",
            "mover_weighted sandwich sandwich_t",
            *2 * ("mover_clusters cluster_robust cluster_robust_t",), "sandwich",
        ),
        Kind.RATIO: (
            f"miettinen_nurminen {OWN} koopman mover_jeffreys", "mover_weighted sandwich",
            *2 * ("mover_clusters cluster_robust",), "sandwich",
        ),
        Kind.IMPACT: (
            "koopman log miettinen_nurminen", "sandwich", *2 * ("cluster_robust",), "sandwich"
        ),
        Kind.WHOLE: (
            f"delta_t {OWN} delta", "sandwich_t sandwich",
            *2 * ("cluster_robust_t cluster_robust",), "sandwich",
        ),
        Kind.TABLE_MEAN: ("normal", "sandwich", *2 * ("cluster_robust",), "sandwich"),
        Kind.ROW_SHARE: (
            _SHARE, "wilson_kish sandwich wilson_n_eff", *2 * (_SHARE_OF_CLUSTERS,),
            "wilson_n_eff sandwich",
        ),
        Kind.AREA: (
            "delong_score delong delong_logit hanley_mcneil", "sandwich_score sandwich",
            *2 * ("obuchowski_score obuchowski",), "sandwich",
        ),
        Kind.LOSS: (
            "log_t normal", "log_t sandwich", *2 * ("log_t_clusters sandwich",), "sandwich"
        ),
        Kind.MEAN: ("normal", *4 * ("sandwich",)),
        Kind.DISTANCE: (
            "newcombe_at_cut newcombe_at_cut influence", "newcombe_at_cut",
            *2 * ("clusters_at_cut",), "sandwich",
        ),
        # no way to hold a threshold that clusters, or a mean over classes, choose was found
        Kind.AT_RATE: (*2 * (AT_RATE,), *3 * ("",)),
        Kind.CLASS_RATES: 5 * ("",),
        Kind.RANKED: (
            "influence_t influence_t influence bootstrap_logit_t", "influence_t",
            *2 * ("influence_t influence_t cluster_bootstrap_logit_t",), "sandwich",
        ),
        Kind.CLASS_RANKS: (
            "influence_t influence_t influence grouped_jackknife",
            *3 * ("influence_t influence_t grouped_jackknife",), "grouped_jackknife",
        ),
        Kind.CLASS_DISTANCES: (
            "newcombe_at_cut newcombe_at_cut influence_t influence",
            "newcombe_at_cut newcombe_at_cut grouped_jackknife",
            *2 * ("clusters_at_cut clusters_at_cut grouped_jackknife",),
            "grouped_jackknife",
        ),
        Kind.FIT: ("wald_t wald", *_LEFT_OUT[1:]),
        Kind.LEVEL: ("wald wald wald_t", *_LEFT_OUT[1:]),
        Kind.FITTED: 5 * ("",),
        Kind.OTHER: _LEFT_OUT,
        Kind.SET_SHARE: (
            _SHARE, "wilson_kish sandwich wilson_n_eff", *2 * (_SHARE_OF_CLUSTERS,),
            "wilson_n_eff sandwich",
        ),
        Kind.SET_MEAN: (
            "delta_t normal", "sandwich_t sandwich",
            *2 * ("cluster_robust_t cluster_robust",), "sandwich",
        ),
        Kind.SET_LOSS: (
            "log_t normal", "log_t sandwich", *2 * ("log_t_clusters cluster_robust",), "sandwich"
        ),
        Kind.LABELS: (
            "delta_t delta", "sandwich_t sandwich",
            *2 * ("cluster_robust_t cluster_robust",), "sandwich",
        ),
    }.items()
}  # fmt: skip

#: What is drawn beside the bootstraps of every design.
_DRAWN = {
    Design.CLUSTERS: ("cluster_bootstrap",),
    Design.BOTH: ("cluster_bootstrap",),
    Design.SAMPLE: ("survey_bootstrap",),
}
#: Methods on the logit of a value between two bounds.
_BOUNDED = ("delta_t", "sandwich_t", "bootstrap_logit_t", "cluster_bootstrap_logit_t")


@cache
def offered(
    metric: Metric, average: Average | None, design: Design, *, two_classes: bool
) -> tuple[str, ...]:
    """The methods that one value can be given by, default first; empty where it has none.

    >>> from evalreport.metrics.counts import recall
    >>> offered(recall, None, Design.CLUSTERS, two_classes=True)[:3]
    ('cluster_robust_t', 'sandwich', 'cluster_robust')
    """
    if metric.interval is Interval.NONE:
        return ()
    kind = kind_of(metric, average, two_classes=two_classes)
    formula = _formula(metric, average)
    known = [formula if name == OWN else name for name in BY_KIND[kind][design]]
    names = [name for name in known if _is_defined(name, metric, kind)]
    if metric.linearised and (average is None or metric.table in ALL_TABLES):
        names.append(SANDWICH)
    names += [*RESAMPLING[: 1 if kind is Kind.FITTED else 2], *_DRAWN.get(design, ())]
    return tuple(dict.fromkeys(names))


def classical(metric: Metric, average: Average | None, design: Design, *, two_classes: bool) -> str:
    """What R and SAS print by default for a value; the default where they print nothing.

    Empty where a value has no limits unless a method is named.

    >>> from evalreport.metrics.ranking import roc_auc
    >>> classical(roc_auc, None, Design.ROWS, two_classes=True)
    'delong'
    """
    kind = kind_of(metric, average, two_classes=two_classes)
    name = printed(BY_KIND[kind][design])
    return _formula(metric, average) if name == OWN else name


def printed(cell: tuple[str, ...]) -> str:
    """The method of a cell of the table that R and SAS print by default; empty where it has none.

    >>> printed(("wilson", "clopper_pearson", "jeffreys")), printed(("sandwich",)), printed(())
    ('clopper_pearson', 'sandwich', '')
    """
    return next(reversed(cell[:2]), "")


def interval_methods(metric: Metric, designs: Iterable[Design] = (Design.ROWS,)) -> tuple[str, ...]:
    """Methods of a metric that a spec may ask for, default first, of two classes or of more."""
    places = product(designs, (True, False))
    found = (offered(metric, None, design, two_classes=two) for design, two in places)
    return tuple(dict.fromkeys(chain.from_iterable(found)))


def default_method(metric: Metric) -> str | None:
    """The method of a value of one of two classes, of independent rows; None where it has none."""
    return next(iter(interval_methods(metric)), None)


def _formula(metric: Metric, average: Average | None) -> str:
    return "delta" if average is not None else FORMULAS.get(metric.interval, "delta")


def _is_defined(name: str, metric: Metric, kind: Kind) -> bool:
    """Whether a method of a kind of value is one of this metric, too."""
    if name == "newcombe_hybrid":
        return metric.interval is Interval.TWO_RATES
    if name == "mercaldo" and kind is Kind.SHARE:
        return metric.limits is not None
    if name in ("koopman", "miettinen_nurminen") and kind is Kind.RATIO:
        return name in metric.score_limits
    if name in _BOUNDED or (name == "cluster_robust_t" and kind is Kind.SHARES):
        return metric.is_bounded
    return True


def kind_of(metric: Metric, average: Average | None, *, two_classes: bool) -> Kind:
    """What a value is an interval of."""
    pooled = average is Average.MICRO and pooled_over_rows(metric)
    alone = average is None or pooled
    if metric.table is Table.LABEL_SETS or average is Average.SAMPLES:
        share = metric.interval is Interval.PROPORTION and average is None
        if share:
            return Kind.SET_SHARE
        return Kind.SET_MEAN if metric.is_bounded else Kind.SET_LOSS
    if metric.table in ALL_TABLES:
        return _of_table(metric, average, alone=alone, two_classes=two_classes)
    if metric.interval is Interval.PROPORTION and alone:
        return Kind.ROW_SHARE
    if metric.table is Table.SCORES and average is not None:
        if metric.interval is Interval.DISTANCE:
            return Kind.CLASS_DISTANCES
        if metric.interval is Interval.AT_RATE:
            return Kind.CLASS_RATES
        return Kind.CLASS_RANKS if metric.influence is not None else Kind.OTHER
    if metric.class_pairs and not two_classes:
        return Kind.CLASS_RANKS
    if _has_losses(metric, two_classes):
        return Kind.LOSS
    families = {
        Interval.AUC: Kind.AREA,
        Interval.MEAN: Kind.MEAN,
        Interval.DISTANCE: Kind.DISTANCE,
        Interval.AT_RATE: Kind.AT_RATE,
        Interval.LOGISTIC: Kind.LEVEL if metric.line == "in_the_large" else Kind.FIT,
        Interval.FITTED: Kind.FITTED,
    }
    tables = (metric.table, metric.classes_table)
    ranked = metric.influence is not None and not metric.no_interval
    ranked &= two_classes or Table.CLASS_SCORES not in tables
    return families.get(metric.interval, Kind.RANKED if ranked else Kind.OTHER)


def _of_table(metric: Metric, average: Average | None, *, alone: bool, two_classes: bool) -> Kind:
    whole = not two_classes and metric.scope == "all"
    if metric.interval is Interval.PROPORTION and alone:
        return Kind.SHARE
    if metric.interval is Interval.RATIO and average is None:
        return Kind.IMPACT
    if metric.shares is not None and average is None and not whole:
        return Kind.RATIO if metric.score_limits else Kind.SHARES
    if metric.interval is Interval.MEAN and average is None:
        return Kind.TABLE_MEAN
    return Kind.WHOLE


def _has_losses(metric: Metric, two_classes: bool) -> bool:
    """Whether a value is a mean over rows of losses that are never below 0."""
    known = metric.row_loss if two_classes else metric.class_loss or metric.row_loss
    return known is not None and metric.range_of(2 if two_classes else 3)[0] >= 0
