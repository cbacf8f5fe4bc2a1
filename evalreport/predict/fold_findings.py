"""What the folds themselves tell before anything is fitted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.data.findings import Finding, quoted, some
from evalreport.predict.split import Groups, Split


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
