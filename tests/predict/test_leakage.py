"""Signs of leakage, each on a case counted by hand and silent on a clean one."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_iris

from evalreport.predict.features import Feature, FeatureTable
from evalreport.predict.leakage import (
    repeated_rows,
    telling_features,
)
from evalreport.predict.schemes import Split


def table_of(**columns: list[float]) -> FeatureTable:
    made = tuple(Feature(n, "number", np.array(v, float)) for n, v in columns.items())
    return FeatureTable(made, len(made[0].values))


def halves(rows: int) -> list[Split]:
    """Rows of even and of odd number, each half tested by the other."""
    even, odd = np.arange(0, rows, 2), np.arange(1, rows, 2)
    return [Split("1", 0, odd, even), Split("2", 0, even, odd)]


def test_rows_repeated_across_folds():
    """Rows 0 and 1 are one; no others agree in a single feature, so chance makes no copies."""
    table = table_of(x=[1, 1, 2, 3], y=[5, 5, 6, 7])
    actual = np.array([0, 0, 1, 1])
    together = [
        Split("1", 0, np.array([2, 3]), np.array([0, 1])),
        Split("2", 0, np.array([0, 1]), np.array([2, 3])),
    ]
    assert list(repeated_rows(table, together, actual)) == []
    (found,) = repeated_rows(table, halves(4), actual)
    assert found.details == {"rows": 2, "of": 4, "folds": 2}


def test_features_of_few_values_make_rows_equal_by_coincidence():
    """Iris: one pair is equal in all four features, 19 pairs differ in a single one of them.

    Of the 5 pairs that differ in petal width alone and the equal one, 21 % agree by chance, the
    share of pairs of a species with one petal width: 1.3 equal pairs are expected.
    """
    iris = load_iris()
    columns = {f"x{k}": iris.data[:, k].tolist() for k in range(4)}
    assert list(repeated_rows(table_of(**columns), halves(150), iris.target)) == []
    # six questions of four answers each, answered at random: 4 ** 6 = 4096 kinds of rows
    drawn = np.random.default_rng(1).integers(0, 4, (300, 6))
    answers = {f"x{k}": drawn[:, k].tolist() for k in range(6)}
    assert list(repeated_rows(table_of(**answers), halves(300), np.arange(300) % 2)) == []
    assert list(repeated_rows(table_of(x=[1] * 4), halves(4), np.array([0, 0, 1, 1]))) == []


def test_copies_among_rows_of_few_values_are_found():
    """Fifty rows of the same answers are copied: far more than chance makes equal."""
    drawn = np.random.default_rng(1).integers(0, 4, (300, 6))
    drawn[1:100:2] = drawn[0:100:2]
    table = table_of(**{f"x{k}": drawn[:, k].tolist() for k in range(6)})
    (found,) = repeated_rows(table, halves(300), np.arange(300) // 2 % 2)
    assert found.details["rows"] >= 100
    assert found.details["of"] == 300


ACTUAL = np.array([0, 1] * 10)


def codes(table: FeatureTable, actual: np.ndarray = ACTUAL) -> list[tuple[str, str]]:
    found = telling_features(table, actual, ("no", "yes"), 1)
    return [(finding.code, finding.details["feature"]) for finding in found]


def test_feature_that_equals_the_target_in_any_coding():
    table = table_of(
        same=ACTUAL.tolist(),
        turned=(5 - 3 * ACTUAL).tolist(),
        missing=[1.0 if a else np.nan for a in ACTUAL],
        row=list(range(20)),
        constant=[1] * 20,
    )
    assert codes(table) == [
        ("feature_equals_target", "same"),
        ("feature_equals_target", "turned"),
        ("feature_equals_target", "missing"),
    ]


def test_near_perfect_feature_in_either_direction():
    noise = np.arange(20) / 100
    table = table_of(
        up=(ACTUAL + noise).tolist(), down=(-ACTUAL + noise).tolist(), weak=noise.tolist()
    )
    assert codes(table) == [("near_perfect_feature", "up"), ("near_perfect_feature", "down")]


def test_few_rows_of_a_class_say_nothing():
    actual = np.array([1, 1, 1, 1] + [0] * 16)
    assert codes(table_of(x=np.arange(20.0).tolist()), actual) == []


def test_one_class_has_no_telling_features():
    assert codes(table_of(x=[1, 1]), np.array([0, 0])) == []
