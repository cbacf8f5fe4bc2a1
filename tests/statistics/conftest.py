"""The reference cases that EVALREPORT_ORACLE points to, as test parameters.

They are not part of the repository. The published counts among them are committed as
literals in the other tests of this folder.
"""

from __future__ import annotations

import csv
import functools
import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FOLDER = os.environ.get("EVALREPORT_ORACLE")

# Limits of these are kept within [0, 1] here; some of the reference packages do not.
BOUNDED = (
    "proportion",
    "accuracy",
    "sensitivity",
    "specificity",
    "ppv",
    "npv",
    "observed_agreement",
    "roc_auc",
)

Values = list[float | str]
Check = Callable[["Case", dict[str, Any]], Values | None]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give every reference case to a test that asks for one."""
    if "oracle_case" not in metafunc.fixturenames:
        return
    if FOLDER is None:
        reason = "EVALREPORT_ORACLE does not name the folder of reference cases"
        cases = [pytest.param(None, marks=pytest.mark.skip(reason=reason), id="no-cases")]
    else:
        paths = sorted((Path(FOLDER) / "cases").glob("*.json"))
        cases = [pytest.param(Case(path), id=path.stem) for path in paths]
    metafunc.parametrize("oracle_case", cases)


@pytest.fixture
def compare() -> Callable[[Case, dict[str, Check]], list[str]]:
    """Runs the checks that a case has values for, and gives all differences at once."""

    def run(case: Case, checks: dict[str, Check]) -> list[str]:
        problems: list[str] = []
        checked = 0
        for e in case.content["expected"]:
            check = checks.get(e["metric"])
            if check is None or ("ci" not in e and e["metric"] in BOUNDED[:-1]):
                continue
            found = check(case, e)
            if found is not None:
                checked += 1
                problems += differences(case, e, found)
        if not checked:
            pytest.skip("the case has no value with a counterpart here")
        return problems

    return run


def differences(case: Case, e: dict[str, Any], found: Values) -> list[str]:
    """What is not as the reference has it; limits beyond [0, 1] are kept within it here."""
    wanted = [e["value"], *e.get("ci", [])]
    tolerance = e.get("tol") or case.content["default_tol"]
    bounded = e["metric"] in BOUNDED
    problems = []
    for place, (value, target) in enumerate(zip(found, wanted, strict=False)):
        if target == "undefined" or value == "undefined":
            same = value == target or value in e.get("accept", [])
        else:
            limit = min(max(target, 0.0), 1.0) if bounded else target
            same = math.isclose(
                value, limit, rel_tol=tolerance.get("rel", 0.0), abs_tol=tolerance.get("abs", 0.0)
            )
        if not same:
            problems.append(f"{e['metric']} {e.get('ci_method')} [{place}]: {value}, not {target}")
    return problems


class Case:
    """One file of reference values with its data."""

    def __init__(self, path: Path) -> None:
        self.content: dict[str, Any] = json.loads(path.read_text())
        self.folder = path.parent.parent
        self.id: str = self.content["id"]

    @functools.cached_property
    def rows(self) -> list[dict[str, str]]:
        if self.content["data"] is None:
            return inline_rows(self.content.get("inline") or {})
        with (self.folder / self.content["data"]).open(newline="") as stream:
            rows = list(csv.DictReader(stream))
        columns = [
            c
            for k, c in self.content["columns"].items()
            if k in ("truth", "score", "score1", "score2")
        ]
        missing = ("", "NA", "nan")
        return [r for r in rows if not any(r.get(c, "1") in missing for c in columns)]

    def actual(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        positive = str(self.content["settings"]["positive"])
        return np.array([r[self.content["columns"]["truth"]] == positive for r in self.rows])

    def score(self, key: str = "score") -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.array([float(r[self.content["columns"][key]]) for r in self.rows])

    def counts(self) -> tuple[float, float, float, float]:
        """Counts tp, fn, fp, tn."""
        return tuple(self.value_of(k) for k in ("tp", "fn", "fp", "tn"))

    def value_of(self, metric: str) -> Any:
        return next(e["value"] for e in self.content["expected"] if e["metric"] == metric)

    def grouped(self) -> tuple[Any, Any, Any]:
        """Distinct scores, the highest first, with their positives and negatives."""
        return grouped_scores(self.actual(), self.score())

    @staticmethod
    def grouped_rows(actual: Any, score: Any) -> tuple[Any, Any, Any]:
        return grouped_scores(actual, score)

    def score_table(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        return self.grouped()[1:]

    def calls(self, positive_class: bool) -> tuple[float, float, float, float]:
        """Rows of one class by what the two models predict."""
        settings = self.content["settings"]
        first = self.score("score1") >= settings["threshold1"]
        second = self.score("score2") >= settings["threshold2"]
        held = self.actual() == positive_class
        return (
            float(np.sum(held & first & second)),
            float(np.sum(held & first & ~second)),
            float(np.sum(held & ~first & second)),
            float(np.sum(held & ~first & ~second)),
        )


def inline_rows(inline: dict[str, Any]) -> list[dict[str, str]]:
    """Rows from columns of equal length; none from a table of counts."""
    columns = {
        name: [str(v) for v in values]
        for name, values in inline.items()
        if isinstance(values, list)
    }
    if "table" in columns or not columns:
        return []
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def grouped_scores(actual: Any, score: Any) -> tuple[Any, Any, Any]:
    distinct, entry = np.unique(-score, return_inverse=True)
    return (
        -distinct,
        np.bincount(entry[actual], minlength=distinct.size),
        np.bincount(entry[~actual], minlength=distinct.size),
    )
