"""Schemes of cross-validation and their folds: which rows are trained on and which are tested.

Folds are those of scikit-learn's splitters under the same seed. Everything that can be wrong
with a scheme on given rows, and what its folds tell by themselves, is said before anything is
fitted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.data.findings import Finding, quoted, some
from evalreport.errors import DataError, Problem

#: Codes of the rows, shape (n,), and the names that they stand for.
Groups = tuple[npt.NDArray[Any], Sequence[str]]


@dataclass(frozen=True)
class Scheme:
    """A scheme of cross-validation with its settings, as in the spec."""

    name: str = "stratified_k_fold"
    folds: int = 10
    repeats: int = 1
    seed: int = 0
    test_size: float | int | None = None


@dataclass(frozen=True, eq=False)
class Split:
    """One fold: its name, its repeat (from 0), and its training and test rows."""

    name: str
    repeat: int
    train: npt.NDArray[np.int64]
    test: npt.NDArray[np.int64]

    @property
    def sizes(self) -> tuple[int, int]:
        """Number of training and of test rows."""
        return len(self.train), len(self.test)


@dataclass(frozen=True, eq=False)
class Splits:
    """The folds of a scheme on some rows.

    ``findings``: what a reader should know of the folds, with counts. ``partition``:
    whether each row is tested exactly once per repeat. ``pooled_only``: why there are
    no results per fold, None where there are.
    """

    scheme: Scheme
    splits: tuple[Split, ...]
    findings: tuple[Finding, ...] = ()
    partition: bool = True
    pooled_only: str | None = None

    @property
    def sizes(self) -> dict[str, tuple[int, int]]:
        """Training and test rows of each fold."""
        return {split.name: split.sizes for split in self.splits}

    @property
    def sha256(self) -> str:
        """Hash of every fold's name and rows."""
        digest = hashlib.sha256()
        for split in self.splits:
            digest.update(repr((split.name, split.repeat, *split.sizes)).encode())
            digest.update(split.train.astype("<i8").tobytes())
            digest.update(split.test.astype("<i8").tobytes())
        return digest.hexdigest()


def fold_findings(
    splits: Sequence[Split],
    actual: npt.NDArray[Any],
    labels: Sequence[str],
    groups: Groups | None = None,
    single_rows: bool = False,
) -> tuple[Finding, ...]:
    """Groups torn apart, and folds that lack a class in training or hold one in testing.

    ``single_rows``: test parts of one row hold one class by design and are not named.
    """
    found = [*_lacking(splits, actual, labels)]
    if not single_rows:
        found += _one_class(splits, actual)
    if groups is not None:
        found += groups_across_folds(splits, groups)
    return tuple(found)


def groups_across_folds(splits: Sequence[Split], groups: Groups) -> Iterator[Finding]:
    """A finding if groups have rows both in the training and in the test part of a fold."""
    codes = np.asarray(groups[0])
    torn: set[int] = set()
    rows = 0
    folds = []
    for split in splits:
        shared = np.intersect1d(codes[split.train], codes[split.test])
        if len(shared):
            folds.append(split.name)
            torn.update(shared.tolist())
            rows += int(np.isin(codes[split.test], shared).sum())
    if not torn:
        return
    names = some([quoted(str(groups[1][code])) for code in sorted(torn)])
    tested = sum(len(split.test) for split in splits)
    yield Finding(
        "groups_across_folds",
        f"{len(torn)} of {len(np.unique(codes))} groups ({names}) have rows in the training "
        f"and in the test part of a fold; {rows} of {tested} tested rows have a relative "
        "among the rows trained on, so results are too good.",
        {"groups": len(torn), "of": len(np.unique(codes)), "rows": rows, "folds": len(folds)},
    )


def _lacking(
    splits: Sequence[Split], actual: npt.NDArray[Any], labels: Sequence[str]
) -> Iterator[Finding]:
    occurring = np.unique(actual)
    lacking: dict[int, list[str]] = {}
    for split in splits:
        for code in np.setdiff1d(occurring, actual[split.train]).tolist():
            lacking.setdefault(code, []).append(split.name)
    for code in sorted(lacking):
        folds = lacking[code]
        yield Finding(
            "class_not_trained",
            f"Class {quoted(labels[code])} is absent from the training rows of {len(folds)} of "
            f"{len(splits)} folds ({some(folds)}): it cannot be predicted there.",
            {"label": labels[code], "folds": len(folds), "of": len(splits)},
        )


def _one_class(splits: Sequence[Split], actual: npt.NDArray[Any]) -> Iterator[Finding]:
    single = [s.name for s in splits if len(np.unique(actual[s.test])) == 1]
    if single and len(np.unique(actual)) > 1:
        yield Finding(
            "one_class_fold",
            f"The test rows of {len(single)} of {len(splits)} folds ({some(single)}) are all of "
            "one class: metrics that need two are undefined there.",
            {"folds": len(single), "of": len(splits)},
        )


Indices = npt.NDArray[np.int64]

GROUPED = ("group_k_fold", "stratified_group_k_fold", "leave_one_group_out")
DRAWN = ("shuffle_split", "stratified_shuffle_split")
#: Test share where a drawn split names none, as in scikit-learn.
DRAWN_TEST_SHARE = 0.1

LEAVE_ONE_OUT_POOLED = (
    "each fold of leave-one-out tests a single row, so a metric of one fold shows nothing: "
    "results are pooled over all rows only"
)


def make_splits(
    scheme: Scheme,
    actual: npt.NDArray[Any],
    labels: Sequence[str],
    groups: Groups | None = None,
    folds: Groups | None = None,
) -> Splits:
    """Training and test rows of every fold.

    Args:
        scheme: name and settings.
        actual: label code of each row, shape (n,), rows in the order of the file.
        labels: the classes in their order.
        groups: rows of one group stay together: codes of shape (n,) and names. Schemes
            without groups only report which groups are torn apart.
        folds: for ``column``: the fold of each row, codes of shape (n,) and names.

    Raises DataError with every reason why the folds cannot be made.
    """
    actual = np.asarray(actual, np.int64)
    problems = scheme_problems(scheme, actual, labels, groups, folds)
    if problems:
        raise DataError(*problems)
    made = _named(scheme, _pairs(scheme, actual, groups, folds), groups, folds)
    alone = scheme.name == "leave_one_out"
    findings: tuple[Finding, ...] = fold_findings(made, actual, labels, groups, alone)
    return Splits(
        scheme=scheme,
        splits=made,
        findings=findings,
        partition=scheme.name not in (*DRAWN, "time_series_split"),
        pooled_only=LEAVE_ONE_OUT_POOLED if alone else None,
    )


# -- what can be wrong ---------------------------------------------------------------------


def scheme_problems(
    scheme: Scheme,
    actual: npt.NDArray[Any],
    labels: Sequence[str],
    groups: Groups | None = None,
    folds: Groups | None = None,
) -> list[Problem]:
    """Every reason why the folds cannot be made, without making them."""
    n = len(actual)
    if scheme.name == "column":
        return _column_problems(folds)
    if scheme.name in GROUPED:
        return _group_problems(scheme, groups)
    if scheme.name == "leave_one_out":
        return [] if n >= 2 else [Problem(f"leave_one_out of {n} rows", "at least 2 rows")]
    if scheme.name in DRAWN:
        return _drawn_problems(scheme, actual, labels)
    if scheme.name == "time_series_split":
        return _time_problems(scheme, n)
    if scheme.folds > n:
        return [Problem(f"{scheme.folds} folds of {n} rows", f"at most {n} folds")]
    if scheme.name == "stratified_k_fold":
        return _class_problems(scheme, actual, labels, scheme.folds)
    return []


def _column_problems(folds: Groups | None) -> list[Problem]:
    if folds is None:
        return [Problem("scheme 'column' without folds", "name the dataset's `fold` column")]
    used = len(np.unique(folds[0]))
    if used < 2:
        return [Problem(f"the column of folds has {used} value", "at least 2 folds")]
    return []


def _group_problems(scheme: Scheme, groups: Groups | None) -> list[Problem]:
    if groups is None:
        instead = "name the dataset's `group` (or `cluster`) column"
        return [Problem(f"scheme '{scheme.name}' without groups", instead)]
    count = len(np.unique(groups[0]))
    least = 2 if scheme.name == "leave_one_group_out" else scheme.folds
    if count < least:
        return [
            Problem(
                f"{least} folds of {count} groups",
                f"at most {count} folds" if count > 1 else "at least 2 groups",
            )
        ]
    return []


def _class_problems(
    scheme: Scheme, actual: npt.NDArray[Any], labels: Sequence[str], least: int
) -> list[Problem]:
    counts = np.bincount(actual, minlength=len(labels)).tolist()
    return [
        Problem(
            f"class '{label}' has {count} rows, {scheme.name} needs {least}",
            f"at most {count} folds, or scheme k_fold" if count > 1 else "scheme k_fold",
        )
        for label, count in zip(labels, counts, strict=True)
        if 0 < count < least
    ]


def _drawn_problems(
    scheme: Scheme, actual: npt.NDArray[Any], labels: Sequence[str]
) -> list[Problem]:
    n = len(actual)
    test = drawn_test_rows(scheme.test_size, n)
    if not 1 <= test < n:
        return [Problem(f"{test} test rows of {n}", f"from 1 to {n - 1} test rows")]
    if scheme.name == "shuffle_split":
        return []
    problems = _class_problems(scheme, actual, labels, 2)
    classes = len(np.unique(actual))
    if test < classes or n - test < classes:
        what = f"{test} test and {n - test} training rows for {classes} classes"
        problems.append(Problem(what, f"at least {classes} rows on both sides"))
    return problems


def _time_problems(scheme: Scheme, n: int) -> list[Problem]:
    test = time_test_rows(scheme.test_size, n)
    needed = scheme.folds + 1 if test is None else scheme.folds * test + 1
    if needed > n:
        per = "" if test is None else f" of {test} test rows"
        return [
            Problem(
                f"{scheme.folds} folds{per} need {needed} rows, there are {n}",
                "fewer folds or fewer test rows",
            )
        ]
    return []


# -- how -----------------------------------------------------------------------------------


def drawn_test_rows(test_size: float | int | None, n: int) -> int:
    """Test rows of a drawn split: a share is rounded up, as in scikit-learn.

    >>> drawn_test_rows(0.25, 10), drawn_test_rows(3, 10), drawn_test_rows(None, 30)
    (3, 3, 3)
    """
    size = DRAWN_TEST_SHARE if test_size is None else test_size
    return int(np.ceil(size * n)) if isinstance(size, float) else int(size)


def time_test_rows(test_size: float | int | None, n: int) -> int | None:
    """Test rows of a fold in time; None lets the rows be divided evenly."""
    if test_size is None or isinstance(test_size, int):
        return test_size
    return max(1, int(test_size * n))


Pair = tuple[int, Indices, Indices]


def _pairs(
    scheme: Scheme, actual: Indices, groups: Groups | None, folds: Groups | None
) -> list[Pair]:
    """(repeat, training rows, test rows) of every fold."""
    if scheme.name == "column":
        assert folds is not None
        codes = np.asarray(folds[0])
        return [
            (0, np.flatnonzero(codes != code), np.flatnonzero(codes == code))
            for code in np.unique(codes).tolist()
        ]
    # One generator runs through all repeats, so the first is that of a single run.
    random = np.random.RandomState(scheme.seed % 2**32)
    group_codes = None if groups is None or scheme.name not in GROUPED else np.asarray(groups[0])
    nothing = np.zeros((len(actual), 1))
    found: list[Pair] = []
    for repeat in range(scheme.repeats):
        splitter = _splitter(scheme, random, len(actual))
        found.extend(
            (repeat, np.asarray(train, np.int64), np.asarray(test, np.int64))
            for train, test in splitter.split(nothing, actual, group_codes)
        )
    return found


def _splitter(scheme: Scheme, random: np.random.RandomState, n: int) -> Any:
    from sklearn import model_selection

    if scheme.name == "leave_one_out":
        return model_selection.LeaveOneOut()
    if scheme.name == "leave_one_group_out":
        return model_selection.LeaveOneGroupOut()
    if scheme.name == "time_series_split":
        test_size = time_test_rows(scheme.test_size, n)
        return model_selection.TimeSeriesSplit(scheme.folds, test_size=test_size)
    if scheme.name in DRAWN:
        kind = {
            "shuffle_split": model_selection.ShuffleSplit,
            "stratified_shuffle_split": model_selection.StratifiedShuffleSplit,
        }[scheme.name]
        test_rows = drawn_test_rows(scheme.test_size, n)
        return kind(scheme.folds, test_size=test_rows, random_state=random)
    if scheme.name == "group_k_fold" and scheme.repeats == 1:
        # Unshuffled folds are balanced in rows; only repeats need to differ.
        return model_selection.GroupKFold(scheme.folds)
    kind = {
        "k_fold": model_selection.KFold,
        "stratified_k_fold": model_selection.StratifiedKFold,
        "group_k_fold": model_selection.GroupKFold,
        "stratified_group_k_fold": model_selection.StratifiedGroupKFold,
    }[scheme.name]
    return kind(scheme.folds, shuffle=True, random_state=random)


def _named(
    scheme: Scheme, pairs: Sequence[Pair], groups: Groups | None, folds: Groups | None
) -> tuple[Split, ...]:
    names: list[str] | None = None
    given = folds if scheme.name == "column" else groups
    if scheme.name in ("column", "leave_one_group_out"):
        assert given is not None
        names = [given[1][code] for code in np.unique(given[0]).tolist()]
    made: list[Split] = []
    within = [0] * scheme.repeats
    for place, (repeat, train, test) in enumerate(pairs):
        within[repeat] += 1
        if names is not None:
            name = names[place]
        elif scheme.repeats > 1:
            name = f"repeat {repeat + 1} fold {within[repeat]}"
        else:
            name = str(place + 1)
        made.append(Split(name, repeat, train, test))
    return tuple(made)
