"""The kinds of things that the declaration of a metric tells apart."""

from __future__ import annotations

from enum import Enum

from evalreport.statistics.proportions import PROPORTION_METHODS


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

    The defaults follow the coverage study (docs/coverage.md). Every family but the last two
    may also ask for both bootstraps, see :data:`RESAMPLING`.
    """

    PROPORTION = tuple(PROPORTION_METHODS)
    AUC = ("delong_score", "delong_logit", "delong", "hanley_mcneil")
    LOG = ("miettinen_nurminen", "log")
    RATIO = ("koopman", "miettinen_nurminen", "log")
    KAPPA = ("delta_t", "wald", "delta")
    LOGISTIC = ("wald_t", "wald", "bootstrap_percentile")
    CORRELATION = ("delta_t", "fisher_z", "delta")
    MEAN = ("normal",)
    PREDICTIVE = ("miettinen_nurminen", "mercaldo")
    SMOOTH = ("delta_t", "delta")
    TWO_RATES = ("newcombe_hybrid", "delta_t", "delta")
    DISTANCE = ("newcombe_at_cut", "bootstrap_bca", "bootstrap_percentile", "influence")
    RANKED = ("influence_t", "bootstrap_logit_t", "bootstrap_percentile", "influence")
    RESAMPLED = ("grouped_jackknife", "bootstrap_percentile", "bootstrap_bca")
    #: Of a fit to the very rows: all resamples may lie on one side of the value, and BCa has none.
    FITTED = ("bootstrap_percentile",)
    NONE = ()

    @property
    def methods(self) -> tuple[str, ...]:
        """Method names a spec may ask for, default first."""
        own: tuple[str, ...] = self.value
        if self in (Interval.NONE, Interval.FITTED):
            return own
        return (*own, *(m for m in RESAMPLING if m not in own))


class Shares(Enum):
    """Which independent shares of the rows a metric of two classes is taken apart into.

    Named after ``statistics.square_and_add.TREES``; chosen by the coverage study.
    """

    ACTUAL = "actual"
    PREDICTED = "predicted"
    AGREEMENT = "agreement"
    EITHER = "either"


#: Student's t on the logit with a floor of the variance: of functions of a table, by the delta
#: method or by weights, and of what is ranked by influence functions.
DELTA_T, SANDWICH_T, INFLUENCE_T = "delta_t", "sandwich_t", "influence_t"
#: Squared distances of independent shares, for metrics that say which.
SQUARE_AND_ADD = "mover_jeffreys"
#: Student's t on the logarithm, for means of the losses of rows.
LOG_T = "log_t"
#: Predictive values on the logit, at a prevalence that is known.
MERCALDO = "mercaldo"
#: The same forms of clustered rows: of shares, tables, areas and losses.
SHARE_OF_CLUSTERS, TABLE_OF_CLUSTERS = "cluster_robust_t", "mover_clusters"
AREA_OF_CLUSTERS, LOSS_OF_CLUSTERS = "obuchowski_score", "log_t_clusters"
#: And of rows with weights, which are no sample of a declared design.
SHARE_OF_WEIGHTS, TABLE_OF_WEIGHTS, AREA_OF_WEIGHTS = (
    "wilson_kish",
    "mover_weighted",
    "sandwich_score",
)
RESAMPLING = ("bootstrap_percentile", "bootstrap_bca")
#: Student's t on the logit, with the standard deviation of replicates; and the same of clusters.
LOGIT_T, LOGIT_T_OF_CLUSTERS = "bootstrap_logit_t", "cluster_bootstrap_logit_t"
#: Limits of Youden's J at the cut where the two rates are farthest apart; the same of clusters.
AT_CUT, AT_CUT_OF_CLUSTERS = "newcombe_at_cut", "clusters_at_cut"
#: Methods of values of rows that stand in clusters.
OF_CLUSTERS = (
    *("cluster_robust", "obuchowski", "cluster_bootstrap"),
    *(SHARE_OF_CLUSTERS, TABLE_OF_CLUSTERS, AREA_OF_CLUSTERS, LOSS_OF_CLUSTERS),
    *(AT_CUT_OF_CLUSTERS, LOGIT_T_OF_CLUSTERS),
)
#: The design-based variance, of whatever the contribution of a row is known.
SANDWICH = "sandwich"


class Binned(Enum):
    """Between which values a metric lies when scores are counted in bins."""

    ORDERS = "between the worst and the best order of the rows within each bin"
    PEAK = "between its value at the edges of the bins and the more extreme of the two orders"
    STEPS = "between a sum of steps bounded within each bin and the best order"
    UNKNOWN = "no bounds are known"


class Shows(Enum):
    """What a metric shows when it stands alone, and so what has to stand beside it."""

    WHOLE = "nothing has to stand beside it"
    ONE_KIND = "one kind of mistake, so it ranks models as their thresholds lie"
    SUMMARY = "one figure of the table, without the mistakes that it adds up"
    BINS = "calibration boiled down to bins"
    CALIBRATION = "in which direction calibration is off, and how far"
