"""Outside reference values: cases from the folder that EVALREPORT_ORACLE names.

The folder is not part of the repository; without it the tests that use it are skipped.
"""

from __future__ import annotations

import csv
import functools
import json
import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import LACKING

from evalreport.metrics.formula import Infinite, Outcome, Undefined, Value
from evalreport.metrics.tables import ClassScores, ScoreTable

FOLDER = os.environ.get("EVALREPORT_ORACLE")

needs_oracle = pytest.mark.skipif(
    FOLDER is None, reason=f"{LACKING}the folder of reference cases (EVALREPORT_ORACLE)"
)


@dataclass(frozen=True)
class Expected:
    """One reference value of a case."""

    metric: str
    params: dict[str, Any]
    value: Any
    accept: tuple[Any, ...]
    tol: dict[str, float]
    entry: dict[str, Any]

    def agrees(self, outcome: Outcome) -> bool:
        """Whether an outcome is the expected value or another right answer."""
        if self.entry.get("accept_any"):
            return True
        return any(self._is(value, outcome) for value in (self.value, *self.accept))

    def _is(self, value: Any, outcome: Outcome) -> bool:
        if value == "undefined":
            return isinstance(outcome, Undefined) and bool(outcome.reason)
        if value == "inf":
            return isinstance(outcome, Infinite)
        return isinstance(outcome, Value) and self.near(value, outcome.number)

    def near(self, value: Any, number: float) -> bool:
        """Within the tolerance of the case."""
        room = self.tol.get("abs", 0.0) + self.tol.get("rel", 0.0) * abs(float(value))
        return math.isfinite(number) and abs(number - float(value)) <= room


class Case:
    """One file of reference values with its data."""

    def __init__(self, path: Path) -> None:
        self.content: dict[str, Any] = json.loads(path.read_text())
        self.folder = path.parent.parent
        self.id: str = self.content["id"]
        self.columns: dict[str, Any] = self.content.get("columns") or {}
        self.settings: dict[str, Any] = self.content.get("settings") or {}

    def expected(self, *metrics: str) -> Iterator[Expected]:
        """Reference values with one of these names, or all."""
        default = self.content.get("default_tol", {"abs": 1e-9, "rel": 1e-7})
        for entry in self.content["expected"]:
            if not metrics or entry["metric"] in metrics:
                yield Expected(
                    metric=entry["metric"],
                    params=entry.get("params") or {},
                    value=entry["value"],
                    accept=tuple(entry.get("accept", ())),
                    tol=entry.get("tol", default),
                    entry=entry,
                )

    @functools.cached_property
    def rows(self) -> list[dict[str, Any]]:
        """Rows with a truth and all scores."""
        if self.content["data"] is None:
            inline = self.content.get("inline") or {}
            names = [n for n in inline if isinstance(inline[n], list)]
            rows = [dict(zip(names, r, strict=True)) for r in zip(*(inline[n] for n in names))]  # noqa: B905
        else:
            with (self.folder / self.content["data"]).open(newline="") as stream:
                rows = list(csv.DictReader(stream))
        wanted = [self.columns[k] for k in ("truth", "score") if k in self.columns]
        wanted += list(self.columns.get("prob", ()))
        return [r for r in rows if all(r.get(c) not in ("", "NA", "nan", None) for c in wanted)]

    @property
    def has_scores(self) -> bool:
        """Whether there is one score per row and a positive class."""
        return "score" in self.columns and "truth" in self.columns

    @property
    def has_classes(self) -> bool:
        """Whether there is one column of scores per class."""
        return "prob" in self.columns

    def actual(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which rows are positive."""
        positive = str(self.settings.get("positive", 1))
        return np.array([str(r[self.columns["truth"]]) == positive for r in self.rows], dtype=bool)

    def numbers(self, role: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        """A numeric column by its role."""
        return np.array([float(r[self.columns[role]]) for r in self.rows])

    def score_table(self, *, weighted: bool = False) -> ScoreTable:
        """The table of scores; with the column of weights where asked for."""
        weight = self.numbers("weight") if weighted else None
        return score_table(self.actual(), self.numbers("score"), weight)

    def class_scores(self) -> ClassScores:
        """The tables of class scores, columns in the order of the labels."""
        labels = [str(label) for label in self.settings["labels"]]
        scores = np.array([[float(r[c]) for c in self.columns["prob"]] for r in self.rows])
        actual = np.array([labels.index(str(r[self.columns["truth"]])) for r in self.rows])
        return class_scores(actual, scores, tuple(labels))


def score_table(actual: Any, scores: Any, weight: Any = None) -> ScoreTable:
    """Group rows by score; plain numpy, written apart from the engine."""
    actual, scores = np.asarray(actual, dtype=bool), np.asarray(scores, dtype=np.float64)
    distinct = np.unique(scores)[::-1]
    at = np.searchsorted(-distinct, -scores)
    size = len(distinct)
    if weight is None:
        pos, neg = (np.bincount(at[chosen], minlength=size) for chosen in (actual, ~actual))
        return ScoreTable(distinct, pos.astype(np.int64), neg.astype(np.int64))
    weight = np.asarray(weight, dtype=np.float64)
    parts = [
        np.bincount(at[chosen], weights=weight[chosen] ** power, minlength=size)
        for power in (1, 2)
        for chosen in (actual, ~actual)
    ]
    return ScoreTable(distinct, parts[0], parts[1], (parts[2], parts[3]))


def class_scores(actual: Any, scores: Any, labels: tuple[str, ...]) -> ClassScores:
    """What columns of class scores are reduced to; written apart from the engine."""
    actual, scores = np.asarray(actual), np.asarray(scores, dtype=np.float64)
    size = len(labels)
    own = scores[np.arange(len(actual)), actual]
    true_scores, at = np.unique(own, return_inverse=True)
    ranks = [
        sum(1 for k in range(size) if (-scores[i, k], k) < (-own[i], int(a)))
        for i, a in enumerate(actual)
    ]
    pairs = {}
    for i in range(size):
        for j in range(size):
            if i != j:
                both = (actual == i) | (actual == j)
                pairs[i, j] = score_table(actual[both] == i, scores[both, i])
    return ClassScores(
        labels=labels,
        per_class=tuple(score_table(actual == k, scores[:, k]) for k in range(size)),
        true_scores=true_scores,
        true_weights=np.bincount(at, minlength=len(true_scores)),
        ranks=np.bincount(np.array(ranks, dtype=np.int64), minlength=size),
        class_totals=np.bincount(actual, minlength=size),
        pairs=pairs,
    )


def cases(wanted: Callable[[Case], bool] = lambda _: True) -> list[Any]:
    """Cases as pytest parameters; none without the folder."""
    if FOLDER is None:
        return []
    found = [Case(path) for path in sorted((Path(FOLDER) / "cases").glob("*.json"))]
    return [pytest.param(case, id=case.id) for case in found if wanted(case)]
