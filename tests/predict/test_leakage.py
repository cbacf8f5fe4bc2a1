"""Signs of leakage, each on a case counted by hand and silent on a clean one."""

from __future__ import annotations

import numpy as np

from evalreport.predict.features import Feature, FeatureTable
from evalreport.predict.leakage import (
    repeated_rows,
    shared_ids,
    shared_rows,
    telling_features,
    tuning_rows,
)
from evalreport.predict.split import Split


def table_of(**columns: list[float]) -> FeatureTable:
    made = tuple(Feature(n, "number", np.array(v, float)) for n, v in columns.items())
    return FeatureTable(made, len(made[0].values))


def test_rows_shared_by_id():
    (found,) = shared_ids(["a", "b", "c"], ["c", "d", "a", "c"], "train", "test")
    assert found.details == {"rows": 3, "of": 4}
    assert "3 of 4 rows of 'test'" in found.message
    assert list(shared_ids(["a"], ["b"], "train", "test")) == []


def test_rows_shared_by_content_over_common_features():
    train = table_of(x=[1, 2, np.nan], y=[1, 1, 5], only=[0, 0, 0])
    test = table_of(y=[1, 5, 9], x=[2, np.nan, 2])
    (found,) = shared_rows(train, test, "train", "test")
    assert found.details == {"rows": 2, "of": 3, "features": 2}
    assert list(shared_rows(table_of(a=[1]), table_of(b=[1]), "train", "test")) == []


def test_categories_are_compared_by_text_not_by_code():
    train = FeatureTable((Feature("s", "category", np.array([0.0]), ("b",)),), 1)
    test = FeatureTable((Feature("s", "category", np.array([0.0, 1.0]), ("a", "b")),), 2)
    (found,) = shared_rows(train, test, "train", "test")
    assert found.details["rows"] == 1


def test_rows_repeated_across_folds():
    table = table_of(x=[1, 1, 2, 3])
    halves = [Split("1", 0, np.array([2, 3]), np.array([0, 1])),
              Split("2", 0, np.array([0, 1]), np.array([2, 3]))]
    assert list(repeated_rows(table, halves)) == []
    crossed = [Split("1", 0, np.array([1, 3]), np.array([0, 2])),
               Split("2", 0, np.array([0, 2]), np.array([1, 3]))]
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


def test_labels_used_in_tuning():
    (found,) = tuning_rows(np.array([1, 2, 3]), np.array([3, 4, 2]), "forest")
    assert found.details == {"model": "forest", "rows": 2, "of": 3}
    assert list(tuning_rows(np.array([1]), np.array([2]), "forest")) == []
