"""Two and more proportions of different rows."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from evalreport.statistics.unpaired import (
    UNPAIRED_METHODS,
    fisher_exact,
    fisher_tails,
    heterogeneity,
    katz,
    two_proportion_z,
)

# Counts: the eight examples of Newcombe, Statistics in Medicine 1998;17:873-890, table II.
# Limits: R DescTools 0.99.59, whose two score methods stop at 1e-4.
NEWCOMBE_1998 = [
    ("newcombe_hybrid", (56, 70, 48, 80), 0.052431472402365, 0.333872654036906),
    ("newcombe_hybrid_cc", (56, 70, 48, 80), 0.0427678720028898, 0.342186278438181),
    ("wald", (56, 70, 48, 80), 0.0575048991490372, 0.342495100850963),
    ("wald_cc", (56, 70, 48, 80), 0.04411204200618, 0.35588795799382),
    ("agresti_caffo", (56, 70, 48, 80), 0.0524529266380537, 0.335758455475767),
    ("miettinen_nurminen", (56, 70, 48, 80), 0.0528296947479248, 0.338173007965088),
    ("mee", (56, 70, 48, 80), 0.0533571201286521, 0.337727222229503),
    ("newcombe_hybrid", (9, 10, 3, 10), 0.170522723934503, 0.809017973535488),
    ("newcombe_hybrid_cc", (9, 10, 3, 10), 0.101287225885701, 0.83866896976806),
    ("wald", (9, 10, 3, 10), 0.260524279777149, 0.939475720222851),
    ("wald_cc", (9, 10, 3, 10), 0.160524279777149, 1),
    ("agresti_caffo", (9, 10, 3, 10), 0.1600008011004, 0.8399991988996),
    ("miettinen_nurminen", (9, 10, 3, 10), 0.170025062561035, 0.840649509429932),
    ("mee", (9, 10, 3, 10), 0.182148878059842, 0.836953807134914),
    ("newcombe_hybrid", (6, 7, 2, 7), 0.0582279274823123, 0.806249637524228),
    ("newcombe_hybrid_cc", (6, 7, 2, 7), -0.0290241150048509, 0.84226662690867),
    ("wald", (6, 7, 2, 7), 0.14811614026643, 0.994741002590712),
    ("wald_cc", (6, 7, 2, 7), 0.00525899740928759, 1),
    ("agresti_caffo", (6, 7, 2, 7), 0.0338062742667622, 0.855082614622127),
    ("miettinen_nurminen", (6, 7, 2, 7), 0.0341755151748657, 0.853405271257673),
    ("mee", (6, 7, 2, 7), 0.0544491157432196, 0.847805741750179),
    ("newcombe_hybrid", (5, 56, 0, 29), -0.0381371479035368, 0.192560013855112),
    ("newcombe_hybrid_cc", (5, 56, 0, 29), -0.0667085392570008, 0.203698285660952),
    ("wald", (5, 56, 0, 29), 0.014600240442592, 0.163971188128837),
    ("wald_cc", (5, 56, 0, 29), -0.0115697102963242, 0.190141138867753),
    ("agresti_caffo", (5, 56, 0, 29), -0.0288658463031258, 0.171246268995006),
    ("miettinen_nurminen", (5, 56, 0, 29), -0.0325965615255492, 0.193330971258027),
    ("mee", (5, 56, 0, 29), -0.0313550406683349, 0.192533924006602),
    ("newcombe_hybrid", (0, 10, 0, 20), -0.161125158052819, 0.277532799862889),
    ("newcombe_hybrid_cc", (0, 10, 0, 20), -0.200453345013487, 0.344537218306922),
    ("wald", (0, 10, 0, 20), 0, 0),
    ("wald_cc", (0, 10, 0, 20), -0.075, 0.075),
    ("agresti_caffo", (0, 10, 0, 20), -0.141090095450142, 0.216847671207718),
    ("miettinen_nurminen", (0, 10, 0, 20), -0.165760219097137, 0.28438138961792),
    ("mee", (0, 10, 0, 20), -0.161125033336673, 0.277556250634179),
    ("newcombe_hybrid", (0, 10, 0, 10), -0.277532799862889, 0.277532799862889),
    ("newcombe_hybrid_cc", (0, 10, 0, 10), -0.344537218306922, 0.344537218306922),
    ("wald", (0, 10, 0, 10), 0, 0),
    ("wald_cc", (0, 10, 0, 10), -0.1, 0.1),
    ("agresti_caffo", (0, 10, 0, 10), -0.22115031502926, 0.22115031502926),
    ("miettinen_nurminen", (0, 10, 0, 10), -0.287933945655823, 0.287933945655823),
    ("mee", (0, 10, 0, 10), -0.27755625068295, 0.277556250681782),
    ("newcombe_hybrid", (10, 10, 0, 20), 0.679086037141915, 1),
    ("newcombe_hybrid_cc", (10, 10, 0, 20), 0.601393128100169, 1),
    ("wald", (10, 10, 0, 20), 1, 1),
    ("wald_cc", (10, 10, 0, 20), 0.925, 1),
    ("agresti_caffo", (10, 10, 0, 20), 0.692243237883191, 1),
    ("miettinen_nurminen", (10, 10, 0, 20), 0.71561861038208, 1),
    ("mee", (10, 10, 0, 20), 0.722443749961307, 1),
    ("newcombe_hybrid", (10, 10, 0, 10), 0.607509350430524, 1),
    ("newcombe_hybrid_cc", (10, 10, 0, 10), 0.51275079312805, 1),
    ("wald", (10, 10, 0, 10), 1, 1),
    ("wald_cc", (10, 10, 0, 10), 0.9, 1),
    ("agresti_caffo", (10, 10, 0, 10), 0.612183018304073, 1),
    ("miettinen_nurminen", (10, 10, 0, 10), 0.663641571998596, 1),
    ("mee", (10, 10, 0, 10), 0.677749933359184, 1),
]

counts = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(("method", "table", "low", "high"), NEWCOMBE_1998)
def test_published_counts(
    method: str, table: tuple[int, int, int, int], low: float, high: float
) -> None:
    tolerance = 1e-4 if method in ("mee", "miettinen_nurminen") else 1e-8
    found = UNPAIRED_METHODS[method](*table, 0.95)
    assert found == pytest.approx((low, high), abs=tolerance)


@settings(deadline=None, max_examples=60)
@given(first=counts, second=counts, method=st.sampled_from(sorted(UNPAIRED_METHODS)))
def test_swapping_the_sides_swaps_the_limits(
    first: tuple[int, int], second: tuple[int, int], method: str
) -> None:
    found = UNPAIRED_METHODS[method](*first, *second, 0.95)
    swapped = UNPAIRED_METHODS[method](*second, *first, 0.95)
    assert found is not None
    assert swapped is not None
    assert -1 <= found.low <= found.high <= 1
    assert (-swapped.high, -swapped.low) == pytest.approx(found, abs=1e-9)


@pytest.mark.parametrize("method", sorted(UNPAIRED_METHODS))
def test_a_side_without_rows_gives_no_interval(method: str) -> None:
    assert UNPAIRED_METHODS[method](0, 0, 3, 4, 0.95) is None


def test_mee_contains_exactly_the_differences_the_score_test_keeps() -> None:
    # at the limit 0 the score test is the pooled z test: level chosen so that it sits there
    result = two_proportion_z(9, 10, 3, 10)
    assert result is not None
    found = UNPAIRED_METHODS["mee"](9, 10, 3, 10, 1 - result.p_value)
    assert found is not None
    assert found.low == pytest.approx(0.0, abs=1e-9)


def test_katz_by_hand() -> None:
    # 20/40 over 10/40: ratio 2, variance 1/20 - 1/40 + 1/10 - 1/40 = 0.1
    factor = np.exp(1.959963984540054 * np.sqrt(0.1))
    assert katz(20, 40, 10, 40, 0.95) == pytest.approx((2 / factor, 2 * factor))
    assert katz(0, 40, 10, 40, 0.95) is None


def test_pooled_z_by_hand() -> None:
    # 30/50 against 20/50: pooled 1/2, variance 1/4 * 2/50 = 0.01
    result = two_proportion_z(30, 50, 20, 50)
    assert result is not None
    assert result.statistic == pytest.approx(0.2 / 0.1)
    assert two_proportion_z(5, 5, 7, 7) is None


def test_heterogeneity_of_two_groups_is_the_squared_z() -> None:
    z, chi2 = two_proportion_z(30, 50, 20, 50), heterogeneity([30, 20, 0], [50, 50, 0])
    assert z is not None
    assert chi2 is not None
    assert chi2.statistic == pytest.approx(z.statistic**2)
    assert chi2.df == 1
    assert chi2.p_value == pytest.approx(z.p_value)


def test_heterogeneity_against_scipy() -> None:
    x, n = np.array([10, 20, 33]), np.array([40, 45, 50])
    expected = scipy.stats.chi2_contingency([x, n - x], correction=False)
    found = heterogeneity(x.tolist(), n.tolist())
    assert found is not None
    assert (found.statistic, found.p_value) == pytest.approx(expected[:2])
    assert heterogeneity([0, 0], [5, 6]) is None


@given(first=counts, second=counts)
def test_fisher_against_scipy(first: tuple[int, int], second: tuple[int, int]) -> None:
    (x1, n1), (x2, n2) = first, second
    expected = scipy.stats.fisher_exact([[x1, n1 - x1], [x2, n2 - x2]]).pvalue
    assert fisher_exact(x1, n1, x2, n2) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    "cells",
    [
        (500_700, 1_000_000, 500_000, 1_000_000),
        (150_400, 300_000, 1_000_000, 2_000_000),
        (1_050, 400_000, 398_900, 400_000),
        (0, 400_000, 2, 400_000),
    ],
)
def test_fisher_of_many_rows_against_scipy(cells: tuple[int, int, int, int]) -> None:
    x1, n1, x2, n2 = cells
    table = [[x1, n1 - x1], [x2, n2 - x2]]
    found = [fisher_exact(*cells), *fisher_tails(*cells)]
    sides = ("two-sided", "greater", "less")
    expected = [scipy.stats.fisher_exact(table, alternative=side).pvalue for side in sides]
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-300)


def test_fisher_of_far_apart_and_of_very_many_rows() -> None:
    """What no double can hold is 0; the work grows with the root of the rows."""
    many = 400_000
    assert fisher_exact(many, many, 0, many) == 0.0
    assert fisher_tails(many, many, 0, many) == (0.0, 1.0)
    assert fisher_tails(0, many, many, many) == (1.0, 0.0)
    tracemalloc.start()
    found = fisher_exact(500_020_000, 10**9, 500_000_000, 10**9)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    z = two_proportion_z(500_020_000, 10**9, 500_000_000, 10**9)
    assert z is not None
    assert found == pytest.approx(z.p_value, rel=1e-3)
    assert held < 200_000_000


def test_tests_of_a_side_without_rows() -> None:
    assert two_proportion_z(0, 0, 1, 2) is None
    assert fisher_exact(0, 0, 1, 2) is None
    assert heterogeneity([1, 0], [2, 0]) is None
