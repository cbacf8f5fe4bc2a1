"""The model of the coverage study: binormal scores, and the true value of every measure.

Positives score N(mu, 1), negatives N(0, 1); mu gives an area of 0.8. A row is predicted
positive from the score that one negative in five exceeds. Rows are a cohort: how many are
positive is random. In the clustered design, five rows share a part of their score and of
what makes them positive, each with an intra-cluster correlation of 0.3, but the
distribution of a single row stays the same; so do the true values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

AREA = 0.8
FALSE_POSITIVE_RATE = 0.2
ROWS_PER_CLUSTER = 5
CORRELATION = 0.3

MU = math.sqrt(2.0) * float(ndtri(AREA))
THRESHOLD = float(ndtri(1.0 - FALSE_POSITIVE_RATE))


@dataclass(frozen=True)
class Setting:
    """How many rows are drawn, at which prevalence, in clusters or not."""

    n: int
    prevalence: float
    clustered: bool = False


@dataclass(frozen=True, eq=False)
class DataSet:
    """Rows in the order of their scores, the highest first; ``cluster``: codes from 0."""

    actual: NDArray[np.bool_]
    score: NDArray[np.float64]
    cluster: NDArray[np.int64]

    @property
    def predicted(self) -> NDArray[np.bool_]:
        """Rows predicted positive at the threshold of the study."""
        return self.score >= THRESHOLD

    @property
    def cells(self) -> tuple[int, int, int, int]:
        """(tp, fn, fp, tn) at that threshold."""
        tp = int(np.count_nonzero(self.predicted & self.actual))
        fp = int(np.count_nonzero(self.predicted)) - tp
        positives = int(np.count_nonzero(self.actual))
        return tp, positives - tp, fp, self.actual.size - positives - fp


def simulate(setting: Setting, rng: np.random.Generator) -> DataSet:
    """One data set of the study."""
    rows = setting.n
    cluster = np.arange(rows) // ROWS_PER_CLUSTER
    shared = CORRELATION if setting.clustered else 0.0
    clusters = int(cluster[-1]) + 1

    def normal() -> NDArray[np.float64]:
        own, common = rng.standard_normal(rows), rng.standard_normal(clusters)
        return math.sqrt(1.0 - shared) * own + math.sqrt(shared) * common[cluster]

    actual = normal() > float(ndtri(1.0 - setting.prevalence))
    score = normal() + MU * actual
    order = np.argsort(-score, kind="stable")
    return DataSet(actual[order], score[order], cluster[order])


def true_values(prevalence: float) -> dict[str, float]:
    """Every measure of the study on an endless data set."""
    tpr, fpr = float(ndtr(MU - THRESHOLD)), FALSE_POSITIVE_RATE
    tp, fp = prevalence * tpr, (1.0 - prevalence) * fpr
    fn, tn = prevalence - tp, 1.0 - prevalence - fp
    accuracy = tp + tn
    chance = prevalence * (tp + fp) + (1.0 - prevalence) * (fn + tn)
    margins = prevalence * (1.0 - prevalence) * (tp + fp) * (fn + tn)
    return {
        "accuracy": accuracy,
        "recall": tpr,
        "precision": tp / (tp + fp),
        "f1": 2.0 * tp / (2.0 * tp + fp + fn),
        "balanced_accuracy": (tpr + 1.0 - fpr) / 2.0,
        "youden_j": tpr - fpr,
        "mcc": (tp * tn - fp * fn) / math.sqrt(margins),
        "kappa": (accuracy - chance) / (1.0 - chance),
        "roc_auc": AREA,
        "average_precision": _average_precision(prevalence),
        "ks": 2.0 * float(ndtr(MU / 2.0)) - 1.0,
    }


def _average_precision(prevalence: float) -> float:
    """Precision at the score of a positive, averaged over the positives' distribution."""
    score = np.linspace(MU - 9.0, MU + 9.0, 20_001)
    density = np.exp(-((score - MU) ** 2) / 2.0) / math.sqrt(2.0 * math.pi)
    tp, fp = prevalence * ndtr(MU - score), (1.0 - prevalence) * ndtr(-score)
    return float(np.sum(density * tp / (tp + fp)) * (score[1] - score[0]))
