"""Folds: those of scikit-learn under the same seed; what cannot work is said before fitting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import model_selection as reference

from evalreport.errors import DataError, ExitStatus
from evalreport.predict.schemes import Scheme, make_splits

LABELS = ("no", "yes")
ACTUAL = np.array([0, 1] * 15)
GROUPS = (np.repeat(np.arange(10), 3), [f"g{i}" for i in range(10)])
NOTHING = np.zeros((30, 1))


@pytest.mark.parametrize(
    ("scheme", "splitter"),
    [
        (Scheme("k_fold", 5, seed=1), reference.KFold(5, shuffle=True, random_state=1)),
        (
            Scheme("k_fold", 5, 2, 1),
            reference.RepeatedKFold(n_splits=5, n_repeats=2, random_state=1),
        ),
        (
            Scheme("stratified_k_fold", 3, seed=4),
            reference.StratifiedKFold(3, shuffle=True, random_state=4),
        ),
        (Scheme("group_k_fold", 5), reference.GroupKFold(5)),
        (
            Scheme("stratified_group_k_fold", 5, seed=2),
            reference.StratifiedGroupKFold(5, shuffle=True, random_state=2),
        ),
        (Scheme("leave_one_out"), reference.LeaveOneOut()),
        (Scheme("leave_one_group_out"), reference.LeaveOneGroupOut()),
        (
            Scheme("shuffle_split", 4, seed=3, test_size=0.3),
            reference.ShuffleSplit(4, test_size=0.3, random_state=3),
        ),
        (
            Scheme("stratified_shuffle_split", 4, seed=3, test_size=6),
            reference.StratifiedShuffleSplit(4, test_size=6, random_state=3),
        ),
        (Scheme("time_series_split", 4), reference.TimeSeriesSplit(4)),
        (Scheme("time_series_split", 4, test_size=0.1), reference.TimeSeriesSplit(4, test_size=3)),
    ],
    ids=lambda value: value.name if isinstance(value, Scheme) else "",
)
def test_folds_are_those_of_scikit_learn(scheme, splitter):
    made = make_splits(scheme, ACTUAL, LABELS, GROUPS).splits
    expected = list(splitter.split(NOTHING, ACTUAL, GROUPS[0] if "group" in scheme.name else None))
    assert len(made) == len(expected)
    for split, (train, test) in zip(made, expected, strict=True):
        assert np.array_equal(split.train, train)
        assert np.array_equal(split.test, test)


@pytest.mark.long
@given(
    name=st.sampled_from(
        [
            "k_fold",
            "stratified_k_fold",
            "group_k_fold",
            "stratified_group_k_fold",
            "leave_one_out",
            "leave_one_group_out",
        ]
    ),
    folds=st.integers(2, 6),
    repeats=st.integers(1, 3),
    seed=st.integers(0, 2**63 - 1),
)
def test_every_row_is_tested_once_per_repeat_and_never_trained_on_there(name, folds, repeats, seed):
    repeats = 1 if name.startswith("leave") else repeats
    made = make_splits(Scheme(name, folds, repeats, seed), ACTUAL, LABELS, GROUPS)
    assert made.partition
    for repeat in range(repeats):
        own = [split for split in made.splits if split.repeat == repeat]
        tested = np.concatenate([split.test for split in own])
        assert sorted(tested.tolist()) == list(range(30))
        for split in own:
            assert sorted([*split.train, *split.test]) == list(range(30))
            if "group" in name:
                assert not set(GROUPS[0][split.train]) & set(GROUPS[0][split.test])
    assert len({split.name for split in made.splits}) == len(made.splits)


def test_time_series_never_trains_on_later_rows():
    for split in make_splits(Scheme("time_series_split", 5), ACTUAL, LABELS).splits:
        assert split.train.max() < split.test.min()


def test_column_takes_the_folds_as_they_are_and_names_them():
    folds = (np.array([2, 0, 2, 0]), ("b", "unused", "a"))
    made = make_splits(Scheme("column"), np.array([0, 1, 1, 0]), LABELS, folds=folds)
    assert [(s.name, s.test.tolist()) for s in made.splits] == [("b", [1, 3]), ("a", [0, 2])]


def test_leave_one_group_out_is_named_by_its_groups():
    made = make_splits(Scheme("leave_one_group_out"), ACTUAL, LABELS, GROUPS)
    assert [split.name for split in made.splits] == GROUPS[1]


def test_leave_one_out_is_pooled_only_and_says_why():
    made = make_splits(Scheme("leave_one_out"), ACTUAL, LABELS)
    assert made.pooled_only is not None
    assert "single row" in made.pooled_only
    assert made.findings == ()


@pytest.mark.parametrize(
    ("scheme", "actual", "given", "told"),
    [
        (Scheme("k_fold", 31), ACTUAL, {}, "31 folds of 30 rows; at most 30 folds"),
        (
            Scheme("stratified_k_fold", 5),
            np.array([0] * 27 + [1] * 3),
            {},
            "class 'yes' has 3 rows, stratified_k_fold needs 5; at most 3 folds, or scheme k_fold",
        ),
        (Scheme("group_k_fold", 3), ACTUAL, {}, "scheme 'group_k_fold' without groups"),
        (
            Scheme("group_k_fold", 11),
            ACTUAL,
            {"groups": GROUPS},
            "11 folds of 10 groups; at most 10 folds",
        ),
        (
            Scheme("leave_one_group_out"),
            ACTUAL,
            {"groups": (np.zeros(30, int), ["one"])},
            "2 folds of 1 groups; at least 2 groups",
        ),
        (Scheme("column"), ACTUAL, {}, "scheme 'column' without folds"),
        (Scheme("column"), ACTUAL, {"folds": (np.zeros(30, int), ["one"])}, "at least 2 folds"),
        (Scheme("shuffle_split", 2, test_size=30), ACTUAL, {}, "30 test rows of 30"),
        (Scheme("stratified_shuffle_split", 2, test_size=1), ACTUAL, {}, "for 2 classes"),
        (
            Scheme("stratified_shuffle_split", 2, test_size=0.5),
            np.array([0] * 29 + [1]),
            {},
            "class 'yes' has 1 rows",
        ),
        (Scheme("time_series_split", 30), ACTUAL, {}, "30 folds need 31 rows, there are 30"),
        (Scheme("time_series_split", 5, test_size=6), ACTUAL, {}, "5 folds of 6 test rows need 31"),
        (Scheme("leave_one_out"), np.array([0]), {}, "leave_one_out of 1 rows"),
    ],
)
def test_folds_that_cannot_be_made_are_refused(scheme, actual, given, told):
    with pytest.raises(DataError) as caught:
        make_splits(scheme, actual, LABELS, **given)
    assert told in str(caught.value)
    assert caught.value.status == ExitStatus.DATA


def findings(scheme: Scheme, actual: Any, **given: Any) -> dict[str, Any]:
    made = make_splits(scheme, actual, LABELS, **given)
    return {finding.code: finding for finding in made.findings}


def test_group_that_spans_folds_is_told_with_counts():
    folds = (np.array([0, 0, 0, 1, 1, 1]), ["1", "2"])
    groups = (np.array([0, 1, 1, 1, 2, 2]), ["p1", "p2", "p3"])
    found = findings(Scheme("column"), np.array([0, 1, 0, 1, 0, 1]), groups=groups, folds=folds)
    finding = found["groups_across_folds"]
    # p2 has rows 1 and 2 in fold 1 and row 3 in fold 2: each of the three is tested once.
    assert finding.details == {"groups": 1, "of": 3, "rows": 3, "folds": 2}
    assert "1 of 3 groups ('p2')" in finding.message


def test_grouped_schemes_tear_no_group():
    for name in ("group_k_fold", "stratified_group_k_fold", "leave_one_group_out"):
        assert "groups_across_folds" not in findings(Scheme(name, 3), ACTUAL, groups=GROUPS)
    assert "groups_across_folds" in findings(Scheme("k_fold", 3), ACTUAL, groups=GROUPS)


def test_fold_of_one_class_and_class_never_trained_are_told():
    actual = np.array([0, 0, 0, 1, 1, 0])
    folds = (np.array([0, 0, 1, 1, 1, 0]), ["1", "2"])
    found = findings(Scheme("column"), actual, folds=folds)
    assert found["one_class_fold"].details == {"folds": 1, "of": 2}
    assert found["class_not_trained"].details == {"label": "yes", "folds": 1, "of": 2}
