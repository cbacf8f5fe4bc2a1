"""Signs of leakage, each on a case counted by hand and silent on a clean one."""

from __future__ import annotations

import numpy as np

from evalreport.predict.features import Feature, FeatureTable
from evalreport.predict.leakage import (
    repeated_rows,
    telling_features,
)
from evalreport.predict.schemes import Split


def table_of(**columns: list[float]) -> FeatureTable:
    made = tuple(Feature(n, "number", np.array(v, float)) for n, v in columns.items())
    return FeatureTable(made, len(made[0].values))


def test_rows_repeated_across_folds():
    table = table_of(x=[1, 1, 2, 3])
    halves = [
        Split("1", 0, np.array([2, 3]), np.array([0, 1])),
        Split("2", 0, np.array([0, 1]), np.array([2, 3])),
    ]
    assert list(repeated_rows(table, halves)) == []
    crossed = [
        Split("1", 0, np.array([1, 3]), np.array([0, 2])),
        Split("2", 0, np.array([0, 2]), np.array([1, 3])),
    ]
    (found,) = repeated_rows(table, crossed)
    assert found.details == {"rows": 2, "of": 4, "folds": 2}


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
