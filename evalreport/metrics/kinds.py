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
    """Families of metrics whose limits have the same formulas, see ``methods``."""

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


class Shows(Enum):
    """What a metric shows when it stands alone, and so what has to stand beside it."""

    WHOLE = "nothing needs to be beside it"
    ONE_KIND = "one kind of mistake, so it ranks models as their thresholds lie"
    SUMMARY = "one figure of the table, without the mistakes that it adds up"
    BINS = "calibration boiled down to bins"
    CALIBRATION = "in which direction calibration is off, and how far"
