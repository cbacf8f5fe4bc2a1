"""The kinds of things that the declaration of a metric tells apart."""

from __future__ import annotations

from enum import Enum


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
    """Families of metrics whose limits have the same formulas, see ``interval_methods``."""

    PROPORTION = "a share"
    AUC = "an area"
    LOG = "a ratio of rates"
    RATIO = "a ratio of shares"
    KAPPA = "an agreement beyond chance"
    LOGISTIC = "a number of a logistic fit"
    CORRELATION = "a correlation"
    MEAN = "a mean"
    PREDICTIVE = "a predictive value at a prevalence"
    SMOOTH = "a smooth function of the table"
    TWO_RATES = "a sum of two rates"
    DISTANCE = "a largest distance"
    RANKED = "an area of ranks"
    AT_RATE = "a share at the threshold that keeps another rate"
    RESAMPLED = "anything else"
    #: Of a fit to the very rows: all resamples may lie on one side of the value, and BCa has none.
    FITTED = "a fit to the very rows"
    NONE = "a p value or test statistic"


class Design(Enum):
    """How rows were drawn, as the spec says it."""

    ROWS = "independent rows"
    WEIGHTS = "weighted rows"
    CLUSTERS = "clusters"
    BOTH = "clusters of weighted rows"
    SAMPLE = "a sample by design"

    @classmethod
    def of(cls, *, weighted: bool, clustered: bool, designed: bool) -> Design:
        """The design of a dataset that declares these."""
        if designed:
            return cls.SAMPLE
        if clustered:
            return cls.BOTH if weighted else cls.CLUSTERS
        return cls.WEIGHTS if weighted else cls.ROWS


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
JACKKNIFE = "grouped_jackknife"
#: Means over folds, and their differences.
OF_FOLDS = "nadeau_bengio"
#: Student's t on the logit, with the standard deviation of replicates; and the same of clusters.
LOGIT_T, LOGIT_T_OF_CLUSTERS = "bootstrap_logit_t", "cluster_bootstrap_logit_t"
#: Methods that draw rows or clusters; the last one units within strata.
DRAWN = (*RESAMPLING, LOGIT_T, "cluster_bootstrap", LOGIT_T_OF_CLUSTERS, "survey_bootstrap")
#: Limits of Youden's J at the cut where the two rates are farthest apart; the same of clusters.
AT_CUT, AT_CUT_OF_CLUSTERS = "newcombe_at_cut", "clusters_at_cut"
#: Limits of a share at the threshold that keeps another rate.
AT_RATE = "wilson_at_rate"
#: The design-based variance, of whatever the contribution of a row is known.
SANDWICH = "sandwich"


class Shows(Enum):
    """What a metric shows when it stands alone, and so what has to stand beside it."""

    WHOLE = "nothing needs to be beside it"
    ONE_KIND = "one kind of mistake, so it ranks models as their thresholds lie"
    SUMMARY = "one figure of the table, without the mistakes that it adds up"
    BINS = "calibration boiled down to bins"
    CALIBRATION = "in which direction calibration is off, and how far"
