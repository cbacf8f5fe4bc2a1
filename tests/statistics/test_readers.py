"""The mean over readers, by published results of a study that is used to teach it."""

from __future__ import annotations

import numpy as np
import pytest

from evalreport.statistics import readers
from evalreport.statistics.delong import delong_paired, row_placements

# Areas under the ROC curve (trapezoid) of five readers, 114 cases read in two ways (Van Dyke
# and others 1993), as printed by Hillis (2007), by RJafroc and by MRMCaov.
CINE = [0.91964573, 0.85877617, 0.90386473, 0.97310789, 0.82979066]
SPIN_ECHO = [0.94782609, 0.90531401, 0.92173913, 0.99935588, 0.92995169]
# Cov2 - Cov3 of DeLong's method: what the printed standard error 0.0206825 rests on
SHARED = 0.00010367679


def test_two_ways_of_reading_as_published() -> None:
    covariances = readers.Covariances(0.0, 0.0, SHARED, 0.0)
    found = readers.difference(CINE, SPIN_ECHO, covariances)
    assert found.estimate == pytest.approx(-0.0438003, abs=5e-8)
    assert found.standard_error == pytest.approx(0.0206825, abs=5e-8)
    assert found.df == pytest.approx(15.066, abs=5e-4)
    assert found.p_value == pytest.approx(0.05123, abs=5e-6)


#: Averages of covariances as MRMCaov prints them for these data: by DeLong's method, and by the
#: jackknife, which it takes for fixed readers.
DELONG = readers.Covariances(0.0007921325, 0.0003420090, 0.0003395265, 0.0002358497)
JACKKNIFE = readers.Covariances(0.0008022883, 0.0003466137, 0.0003440748, 0.0002390284)


@pytest.mark.parametrize(
    ("values", "shared", "mean", "error", "df", "low", "high"),
    [
        (CINE, 0.0004775239, 0.8970370, 0.03307642, 12.59597, 0.8253461, 0.9687280),
        (SPIN_ECHO, 0.0002015292, 0.9408374, 0.02150464, 12.56530, 0.8942155, 0.9874592),
    ],
)
def test_each_way_of_reading_as_published(
    values: list[float],
    shared: float,
    mean: float,
    error: float,
    df: float,
    low: float,
    high: float,
) -> None:
    found = readers.of_one_modality(values, shared, 0.0)
    assert found.estimate == pytest.approx(mean, abs=5e-8)
    assert found.standard_error == pytest.approx(error, abs=5e-8)
    assert found.df == pytest.approx(df, abs=5e-5)
    assert found.interval(0.95) == pytest.approx((low, high), abs=2e-7)


def test_published_analyses_with_readers_or_cases_fixed() -> None:
    both = readers.difference(CINE, SPIN_ECHO, DELONG)
    assert both.interval(0.95) == pytest.approx((-0.0878671960, 0.0002665519), abs=1e-8)
    these = readers.difference(CINE, SPIN_ECHO, JACKKNIFE, random_readers=False)
    assert these.standard_error == pytest.approx(0.01871748, abs=5e-8)
    assert these.p_value == pytest.approx(0.01927984, abs=1e-6)
    cases = readers.difference(CINE, SPIN_ECHO, DELONG, random_cases=False)
    assert cases.standard_error == pytest.approx(0.01484629, abs=5e-9)
    assert (cases.df, cases.p_value) == (pytest.approx(4.0), pytest.approx(0.04195875, abs=5e-8))
    one = readers.of_one_modality(CINE, 0.0004839618, 0.0010141028, random_readers=False)
    assert one.standard_error == pytest.approx(0.02428971, abs=5e-9)
    fixed = readers.of_one_modality(CINE, 0.0004775239, 0.0, random_cases=False)
    assert fixed.standard_error == pytest.approx(0.02482994, abs=5e-9)
    with pytest.raises(ValueError, match="both fixed"):
        readers.of_one_modality(CINE, 0.0, 0.0, random_readers=False, random_cases=False)


def test_published_sensitivities_of_the_same_study() -> None:
    # at a rating of 3: of 45 cases each reader found, in the one way and in the other
    found = [[k / 45 for k in way] for way in ([40, 35, 37, 42, 31], [44, 37, 41, 45, 40])]
    averages = readers.Covariances(0.0023681257, 0.0009943883, 0.0010145903, 0.0006604938)
    one = readers.difference(*found, averages)
    assert one.standard_error == pytest.approx(0.03780451, abs=5e-9)
    assert one.df == pytest.approx(15.71732, abs=5e-5)
    assert one.interval(0.95) == pytest.approx((-0.1780371, -0.0175185), abs=1e-7)
    assert one.p_value == pytest.approx(0.02008822, abs=5e-8)


def test_fixed_readers_and_fixed_cases_by_hand() -> None:
    covariances = readers.Covariances(0.0008, 0.00035, 0.00034, 0.00024)
    these = readers.difference([0.8, 0.9], [0.7, 0.9], covariances, random_readers=False)
    # 2 (0.0008 - 0.00035 + 1 x (0.00034 - 0.00024)) / 2
    assert these.standard_error == pytest.approx(0.00055**0.5, rel=1e-12)
    assert these.df is None
    cases = readers.difference([0.8, 0.9], [0.7, 0.9], covariances, random_cases=False)
    # the differences are 0.1 and 0: variance 0.005, half of it over 2 readers, twice
    assert cases.standard_error == pytest.approx((2 * 0.0025 / 2) ** 0.5, rel=1e-12)
    assert cases.df == pytest.approx(1.0)
    with pytest.raises(ValueError, match="both fixed"):
        readers.difference([0.8], [0.7], covariances, random_readers=False, random_cases=False)


def test_one_modality_by_hand() -> None:
    found = readers.of_one_modality([0.8, 0.9, 0.85], 0.0004, 0.001)
    # MS(R) = 0.0025; (0.0025 + 3 x 0.0004) / 3
    assert found.standard_error == pytest.approx((0.0037 / 3) ** 0.5, rel=1e-12)
    assert found.df == pytest.approx(0.0037**2 / (0.0025**2 / 2), rel=1e-12)
    these = readers.of_one_modality([0.8, 0.9, 0.85], 0.0004, 0.001, random_readers=False)
    assert these.standard_error == pytest.approx(((0.001 + 2 * 0.0004) / 3) ** 0.5, rel=1e-12)


def test_covariances_of_areas_are_those_of_delong() -> None:
    draw = np.random.default_rng(6)
    positive = draw.random(60) < 0.4
    common = draw.normal(size=60) + positive
    scores = [common + draw.normal(size=60) for _ in range(3)]
    placed = [row_placements(positive, score) for score in scores]
    found = readers.reading_covariances([p for p, _ in placed], [n for _, n in placed])
    pair = delong_paired(positive, scores[0], scores[2])
    assert pair is not None
    own = found[0, 0] + found[2, 2] - 2.0 * found[0, 2]
    assert own == pytest.approx(pair.difference_variance, rel=1e-12)


def test_cases_that_a_reader_did_not_read() -> None:
    nan = float("nan")
    found = readers.reading_covariances(
        [[1, 0, 1, 1, nan, nan], [nan, nan, nan, nan, 1, 0], [1, 1, 0, 1, 0, 1]]
    )
    assert np.isnan(found[0, 1]), "no case was read by both"
    # variance of the mean of 1, 0, 1, 1
    assert found[0, 0] == pytest.approx(0.25 / 4, rel=1e-12)
    averages = readers.averaged(found[np.ix_([0, 2], [0, 2])], 1, 2)
    assert averages.same_modality == pytest.approx(found[0, 2])
    assert averages.same_reader == 0.0


def test_averages_go_to_their_places() -> None:
    # two modalities x two readers: 11, 12, 21, 22
    matrix = [[1, 3, 2, 4], [3, 1, 4, 2], [2, 4, 1, 3], [4, 2, 3, 1]]
    assert readers.averaged(matrix, 2, 2) == readers.Covariances(1.0, 2.0, 3.0, 4.0)


def test_the_difference_holds_its_level_over_new_readers_and_cases() -> None:
    draw = np.random.default_rng(13)
    inside = 0
    for _ in range(400):
        skill = draw.normal(0.0, 0.3, (2, 6))
        cases, read = draw.normal(size=80), draw.normal(size=(2, 80))
        right = np.array(
            [
                [(cases + read[i] + draw.normal(size=80) + 1.0 + skill[i, j]) > 0 for j in range(6)]
                for i in range(2)
            ],
            dtype=float,
        )
        found = readers.difference(
            right[0].mean(axis=1),
            right[1].mean(axis=1),
            readers.averaged(readers.reading_covariances(right.reshape(12, 80)), 2, 6),
        )
        low, high = found.interval(0.95)
        inside += low <= 0.0 <= high
    assert 0.915 <= inside / 400 <= 0.985
