"""A difference by its standard error: test, limits and tails by hand."""

from __future__ import annotations

import math

import pytest

from evalreport.engine.comparisons.contrast import NO_VARIANCE, ByError, Unknown


def test_a_difference_of_two_errors_by_hand() -> None:
    # z = .1 / .05; P(|Z| > 2) = 0.0455003; limits .1 -+ 1.95996 * .05
    found = ByError(0.1, 0.05, None, "wald")
    assert found.test().statistic == pytest.approx(2.0)
    assert found.test().p_value == pytest.approx(0.04550026389635842, rel=1e-12)
    limits, _ = found.interval(0.95)
    assert limits is not None
    assert (limits.low, limits.high) == pytest.approx((0.002002, 0.197998), abs=1e-6)
    # (.1 - .05) / .05 = 1: P(Z > 1) = 0.158655
    tails = found.tails(0.05)
    assert tails is not None
    assert tails.greater == pytest.approx(0.15865525393145707)


def test_students_t_has_its_own_table() -> None:
    # t of 9 degrees at 97.5 %: 2.262157
    limits, _ = ByError(0.1, 0.05, 9.0, "paired_t").interval(0.95)
    assert limits is not None
    assert limits.high == pytest.approx(0.1 + 2.262157 * 0.05, abs=1e-7)


def test_limits_and_error_are_on_the_scale_of_the_metric() -> None:
    # Gini is 2 A - 1, at most 2 apart: .9 + 1.96 * .1 is cut at an area difference of 1
    found = ByError(0.9, 0.1, None, "delong", most=1.0, scale=2.0)
    assert found.test().error == pytest.approx(0.2)
    limits, _ = found.interval(0.95)
    assert limits is not None
    assert (limits.low, limits.high) == pytest.approx((2 * 0.7040036, 2.0), abs=1e-6)


@pytest.mark.parametrize("error", [0.0, None])
def test_without_variation_there_are_no_limits(error: float | None) -> None:
    assert ByError(0.0, error, None, "wald").test().p_value == 1.0
    apart = ByError(0.1, error, None, "wald")
    assert apart.test().p_value is None
    assert apart.tails(0.0) is None
    assert apart.interval(0.95) == (None, NO_VARIANCE)


def test_a_scale_that_is_not_one_number_leaves_the_test() -> None:
    found = ByError(0.1, 0.05, None, "delong_unpaired", scale=None)
    assert found.test().error is None
    assert found.interval(0.95)[0] is None
    assert found.tails(0.05) is None
    assert math.isclose(found.test().statistic or 0.0, 2.0)


def test_what_is_not_known_says_why() -> None:
    found = Unknown("no row")
    assert (found.test().reason, found.interval(0.95), found.tails(0.0)) == (
        "no row", (None, "no row"), None,
    )  # fmt: skip
