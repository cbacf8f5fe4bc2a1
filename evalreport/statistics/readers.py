"""Several readers of the same cases: the mean over readers, with readers and cases at random.

A measure of each reader in each modality (a model, a way of reading) is an estimate on the same
cases, so the estimates depend on each other: on the cases, and on the readers. The method of
Obuchowski and Rockette (1995) takes the covariances that come from the cases as known and the
variances that come from the readers from an analysis of variance; the degrees of freedom are
those of Hillis (2007), the limits those of Hillis, Berbaum and Metz (2008) and Hillis (2014).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evalreport.statistics.interval import Interval, deviate
from evalreport.statistics.tail import normal_two_sided, t_two_sided

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Covariances:
    """Averages of the covariances between readings that share the cases.

    ``variance`` of one reading; ``same_reader`` between modalities (Cov1), ``same_modality``
    between readers (Cov2), ``neither`` (Cov3).
    """

    variance: float
    same_reader: float
    same_modality: float
    neither: float


@dataclass(frozen=True)
class MeanOverReaders:
    """An estimate with its standard error, degrees of freedom (None: normal) and p-value of 0."""

    estimate: float
    standard_error: float
    df: float | None

    @property
    def p_value(self) -> float | None:
        """Two-sided p-value against 0; None where the standard error is 0."""
        if self.standard_error == 0.0:
            return None
        z = self.estimate / self.standard_error
        return normal_two_sided(z) if self.df is None else t_two_sided(z, self.df)

    def interval(self, level: float) -> Interval:
        """Estimate plus and minus t (or z) standard errors."""
        half = deviate(level, math.inf if self.df is None else self.df) * self.standard_error
        return Interval(self.estimate - half, self.estimate + half)


def averaged(matrix: npt.ArrayLike, modalities: int, readers: int) -> Covariances:
    """The four averages of a covariance matrix of all readings, modality by modality.

    ``matrix`` is (I J) x (I J): readings of modality 1 by readers 1 to J, then of modality 2.
    NaN where two readings share no cases is left out of the average.
    """
    full = np.asarray(matrix, np.float64).reshape(modalities, readers, modalities, readers)
    i, j, k, m = np.ogrid[:modalities, :readers, :modalities, :readers]

    def mean(chosen: npt.NDArray[np.bool_]) -> float:
        values = full[np.broadcast_to(chosen, full.shape)]
        known = values[~np.isnan(values)]
        return float(known.mean()) if len(known) else 0.0

    return Covariances(
        mean((i == k) & (j == m)),
        mean((i != k) & (j == m)),
        mean((i == k) & (j != m)),
        mean((i != k) & (j != m)),
    )


def of_one_modality(
    values: npt.ArrayLike,
    covariance: float,
    variance: float,
    *,
    random_readers: bool = True,
    random_cases: bool = True,
) -> MeanOverReaders:
    """The mean over readers of one modality.

    ``values`` holds the measure of each reader, ``covariance`` that between readers of this
    modality (Cov2), ``variance`` that of one reading. With readers at random the variance of
    the mean is (MS(R) + max(J Cov2, 0)) / J; with these readers alone it is
    (variance + (J - 1) Cov2) / J, with these cases alone MS(R) / J. Raises ValueError with
    both fixed.
    """
    theta = np.asarray(values, np.float64)
    readers = len(theta)
    centre = float(theta.mean())
    if not random_readers:
        if not random_cases:
            raise ValueError("readers and cases are both fixed")
        spread = max(variance + (readers - 1) * covariance, 0.0)
        return MeanOverReaders(centre, math.sqrt(spread / readers), None)
    between = float(theta.var(ddof=1))
    total = between + (max(readers * covariance, 0.0) if random_cases else 0.0)
    # Hillis' degrees of freedom; normal where the readers do not differ at all
    df = None if between == 0.0 else total**2 / (between**2 / (readers - 1))
    return MeanOverReaders(centre, math.sqrt(total / readers), df)


def difference(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    covariances: Covariances,
    *,
    random_readers: bool = True,
    random_cases: bool = True,
) -> MeanOverReaders:
    """First minus second modality, averaged over the readers who read both.

    Readers and cases at random: variance 2 (MS(TR) + max(J (Cov2 - Cov3), 0)) / J. Cases fixed:
    2 MS(TR) / J. Readers fixed: 2 (variance - Cov1 + (J - 1) (Cov2 - Cov3)) / J, normal.
    Raises ValueError with both fixed: nothing would be left to chance.
    """
    # a reader's difference is one value, of twice the variance and covariance that remain
    return of_one_modality(
        np.asarray(first, np.float64) - np.asarray(second, np.float64),
        2.0 * (covariances.same_modality - covariances.neither),
        2.0 * (covariances.variance - covariances.same_reader),
        random_readers=random_readers,
        random_cases=random_cases,
    )


def reading_covariances(
    of_positives: npt.ArrayLike,
    of_negatives: npt.ArrayLike | None = None,
    clusters: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
) -> Array:
    """Covariances of readings from the placements of the cases (DeLong and others 1988).

    ``of_positives`` is readings x positives: for the area under the ROC curve the share of
    negatives that lie below each positive, for recall whether the case was found. The like of
    the negatives, where the measure rests on them too. NaN marks a case that a reading lacks;
    a pair of readings without two shared cases gets NaN. ``clusters``: that of each positive
    and of each negative, where cases of one cluster depend on each other (Obuchowski 1997);
    every case is its own by default.
    """
    positives = np.asarray(of_positives, np.float64)
    readings = len(positives)
    negatives = np.empty((readings, 0)) if of_negatives is None else np.asarray(of_negatives)
    if clusters is None:
        first = np.arange(positives.shape[1])
        second = len(first) + np.arange(negatives.shape[1])
    else:
        first, second = (np.asarray(codes, np.int64) for codes in clusters)
    size = 1 + int(max((*first, *second), default=0))
    parts = [_of_clusters(positives, first, size), _of_clusters(negatives, second, size)]
    sides = [_covariance(sums, sums, held) for sums, held in parts]
    either = parts[0][1] | parts[1][1]
    across = _covariance(parts[0][0], parts[1][0], either)
    both = [np.nan_to_num(side) for side in (*sides, across, across.T)]
    return np.where(np.isnan(sides[0]) & np.isnan(sides[1]), np.nan, sum(both))


def _of_clusters(
    placements: Array, codes: npt.NDArray[np.int64], size: int
) -> tuple[Array, npt.NDArray[np.bool_]]:
    """What each cluster adds to the mean of each reading beyond it, and whether it has a part."""
    known = ~np.isnan(placements)
    filled = np.where(known, placements, 0.0)
    counts = np.maximum(known.sum(axis=1), 1)[:, None]
    centred = np.where(known, placements - filled.sum(axis=1)[:, None] / counts, 0.0) / counts
    sums, held = np.zeros((len(placements), size)), np.zeros((len(placements), size), np.bool_)
    for row in range(len(placements)):
        sums[row] = np.bincount(codes, centred[row], size)
        held[row, codes[known[row]]] = True
    return sums, held


def _covariance(first: Array, second: Array, held: npt.NDArray[np.bool_]) -> Array:
    """Sums of products over clusters, by k / (k - 1) of the k that both readings share."""
    shared = held.astype(np.float64) @ held.T.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = shared / (shared - 1.0)
        return np.where(shared >= 2.0, (first @ second.T) * factor, np.nan)
