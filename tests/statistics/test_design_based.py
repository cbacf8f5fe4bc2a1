"""Variances and replicates by the design of a sample, against R's survey and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
import survey_rows

from evalreport.statistics.design_based import Sample, collapsed, spread_of


def sample_of(number: int, kind: int) -> tuple[Sample, dict[str, np.ndarray]]:
    """One of the 200 designs, with its rows; ``w`` is what each stands for."""
    columns = {k: np.array(v) for k, v in survey_rows.rows(number).items()}
    names, code = np.unique(columns["h"], return_inverse=True)
    population = np.full(len(names), np.inf)
    unit = np.arange(len(code))
    columns["w"] = columns["w"].astype(float)
    if kind == survey_rows.TOTALS:
        sizes = survey_rows.totals(columns["h"].tolist())
        population = np.array([sizes[str(k)] for k in names], float)
        columns["w"] = (population / np.bincount(code))[code]
    if kind in (survey_rows.WEIGHTS, survey_rows.CLUSTERS):
        code, population = np.zeros(len(code), int), np.array([np.inf])
    if kind in (survey_rows.CLUSTERS, survey_rows.BOTH):
        unit = columns["k"]
    strata = tuple(str(k) for k in range(len(population)))
    return Sample(code, strata, unit, population, "complex"), columns


@pytest.mark.parametrize("kind", range(5))
def test_ratios_in_the_whole_and_in_a_domain_have_the_errors_of_r_survey(kind: int) -> None:
    known = survey_rows.answers(kind)
    for number in range(kind, 200, 5):
        sample, c = sample_of(number, kind)
        parts = {
            "recall": (c["y"] * c["p"], c["y"]),
            "precision": (c["y"] * c["p"], c["p"]),
            "accuracy": (c["y"] == c["p"], np.ones(len(c["y"]))),
            "f1": (2 * c["y"] * c["p"], c["y"] + c["p"]),
            "brier": ((c["s"] - c["y"]) ** 2, np.ones(len(c["y"]))),
        }
        for domain in ("", "a"):
            inside = c["w"] * (np.ones(len(c["y"])) if domain == "" else c["g"] == "a")
            for name, (top, bottom) in parts.items():
                below = (inside * bottom).sum()
                value = (inside * top).sum() / below
                error = math.sqrt(
                    sample.estimated(inside * (top - value * bottom) / below).variance
                )
                expected = known[number, name, domain]
                assert (value, error) == pytest.approx(expected, abs=1e-9)


def test_replicates_have_the_variance_of_the_design() -> None:
    sample, c = sample_of(1, survey_rows.TOTALS)
    z = c["w"] * c["s"]
    rng = np.random.default_rng(1)
    order = np.lexsort((c["s"], c["h"]))
    totals = np.concatenate([f @ z for f in sample.replicates(20_000, rng, order)])
    assert totals.mean() == pytest.approx(z.sum(), rel=5e-3)
    assert totals.var(ddof=1) == pytest.approx(sample.estimated(z).variance, rel=0.05)


@pytest.mark.parametrize("kind", range(5))
def test_a_total_without_each_group_has_the_variance_of_the_design(kind: int) -> None:
    """Exactly where each unit is a group of its own; on average where groups hold several."""
    for number in range(kind, 40, 5):
        sample, c = sample_of(number, kind)
        z, units = c["w"] * c["s"], int(sample.drawn.sum())
        order, expected = np.arange(len(z)), sample.estimated(z).variance
        totals = sample.without_groups(units, np.random.default_rng(1), order) @ z
        error = (units - 1) / units * np.sum((totals - totals.mean()) ** 2)
        assert error == pytest.approx(expected, rel=1e-9)
        rng = np.random.default_rng(2)
        several = [sample.without_groups(5, rng, order) @ z for _ in range(400)]
        errors = [4 / 5 * np.sum((one - one.mean()) ** 2) for one in several]
        assert np.mean(errors) == pytest.approx(expected, rel=0.2)


def test_replicates_do_not_depend_on_the_order_of_the_rows() -> None:
    sample, c = sample_of(4, survey_rows.BOTH)
    held = np.lexsort((c["w"], c["s"], c["h"]))
    turned = np.random.default_rng(0).permutation(len(c["s"]))
    back = np.lexsort((c["w"][turned], c["s"][turned], c["h"][turned]))
    one = next(sample.replicates(5, np.random.default_rng(2), held))
    other = next(sample.taken(turned).replicates(5, np.random.default_rng(2), back))
    assert np.array_equal(one[:, turned], other)


def test_strata_of_one_unit_are_joined_and_a_census_needs_no_other() -> None:
    stratum, unit = np.array([0, 0, 0, 1, 2, 3, 3]), np.arange(7)
    population = np.array([30.0, 8.0, 9.0, 2.0])
    sample = Sample(stratum, ("a", "b", "c", "d"), unit, population, "stratified")
    assert math.isnan(sample.estimated(np.ones(7)).variance)
    joined = collapsed(sample)
    assert joined.names == ("a", "b + c", "d")
    assert joined.collapsed == ("b with c",)
    assert joined.population.tolist() == [30.0, 17.0, 2.0]
    assert joined.estimated(np.arange(7.0)).variance > 0
    # all of a stratum of one was drawn: nothing varies there, and nothing is joined
    whole = Sample(stratum, ("a", "b", "c", "d"), unit, np.array([30.0, 1.0, 1.0, 2.0]), "x")
    assert collapsed(whole).names == ("a", "b", "c", "d")
    assert math.isfinite(whole.estimated(np.ones(7)).variance)


def test_sizes_counted_in_a_first_sample_add_their_variance() -> None:
    """Two-phase: 500 rows, a random part of each stratum labelled; against simulation."""
    rng = np.random.default_rng(7)
    estimates, variances = [], []
    for _ in range(2000):
        h = (rng.random(500) < 0.3).astype(int)
        y = rng.random(500) < np.where(h == 1, 0.7, 0.2)
        seen = rng.random(500) < np.where(h == 1, 0.6, 0.2)
        sizes = np.bincount(h, minlength=2).astype(float)
        rate = np.bincount(h[seen], minlength=2)
        w = (sizes / rate)[h[seen]]
        estimate = float((w * y[seen]).sum() / w.sum())
        sample = Sample(h[seen], ("0", "1"), np.arange(seen.sum()), sizes, "verified", counted=True)
        estimates.append(estimate)
        variances.append(sample.estimated(w * (y[seen] - estimate) / w.sum()).variance)
    assert np.mean(estimates) == pytest.approx(0.35, abs=0.005)
    assert np.mean(variances) == pytest.approx(np.var(estimates), rel=0.08)


def plain(rows: int, strata: int = 1) -> Sample:
    code = np.arange(rows) % strata
    names = tuple(str(k) for k in range(strata))
    return Sample(code, names, np.arange(rows), np.full(strata, np.inf), "complex")


def test_degrees_of_freedom_of_contributions_by_hand() -> None:
    # 6 rows: mean 0, squares 1 1 1 1 4 4 = 12, fourth powers 36
    z = np.array([1.0, -1.0, 1.0, -1.0, 2.0, -2.0])
    found = plain(6).estimated(z)
    assert found.variance == pytest.approx(6 / 5 * 12)
    assert found.units_df == 5
    assert found.df == pytest.approx(min(5.0, 2 * 12**2 / (36 - 12**2 / 6)))
    # strata 0 2 4 and 1 3 5: squares 1 1 4 and 1 1 4 about means 4/3 and -4/3
    of_two = plain(6, strata=2).estimated(z)
    d = np.array([1 - 4 / 3, 1 - 4 / 3, 2 - 4 / 3])
    spread = 2 * ((d**4).sum() - (d**2).sum() ** 2 / 3)
    assert of_two.units_df == 4
    assert of_two.df == pytest.approx(min(4.0, 2 * (2 * (d**2).sum()) ** 2 / spread))
    assert of_two.as_known.df == math.inf


def test_degrees_of_freedom_are_those_that_the_variance_has() -> None:
    rng = np.random.default_rng(8)
    # a few heavy rows among many light ones: chi-square of the variance by its own draws
    for heavy, most in ((0, 1.15), (10, 1.35)):
        scale = np.where(np.arange(400) < heavy, 40.0, 1.0)
        draws = [plain(400).estimated(scale * rng.normal(size=400)) for _ in range(2000)]
        variances = np.array([one.variance for one in draws])
        true = 2 * variances.mean() ** 2 / variances.var()
        told = 1 / np.mean([1 / one.df for one in draws])
        assert true / most < told < true * most


def test_equal_contributions_have_the_degrees_of_the_units_and_no_more() -> None:
    even = np.tile([1.0, -1.0], 50)
    found = plain(100).estimated(even)
    assert (found.units_df, found.df) == (99.0, 99.0)
    one = np.zeros(100)
    one[3] = 1.0
    assert plain(100).estimated(one).df < 2.1


def test_single_rows_that_are_alike_may_be_counted() -> None:
    rng = np.random.default_rng(2)
    values, times = rng.normal(size=20), rng.integers(1, 9, 20)
    rows = np.repeat(values, times)
    stratum, unit = np.zeros(len(rows), np.int64), np.arange(len(rows))
    drawn = Sample(stratum, ("all",), unit, np.array([math.inf]), "complex")
    found = spread_of(values, times, own_df=True).df
    assert found == pytest.approx(drawn.estimated(rows).df, rel=1e-12)
