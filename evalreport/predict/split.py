"""The values of cross-validation: a scheme, a fold, and the folds of a scheme."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.data.findings import Finding

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
