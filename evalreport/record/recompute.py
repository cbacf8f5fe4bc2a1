"""Every number of results.json again, from the tables and curves in it alone.

A measure of a table is worked out in fractions from the counts; one of a ROC
curve from its points; the mean over folds from the folds. Metrics of single rows
(log loss, Brier score, ...) cannot be had from these: they are counted as not
checked, and ``verify --rerun`` is there for them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from evalreport.errors import Problem
from evalreport.record.baseline_outcomes import baseline_problems
from evalreport.record.class_metrics import PROPORTIONS, Outcome
from evalreport.record.curve_areas import curve_value
from evalreport.record.described import described_problems
from evalreport.record.hashing import canonical_json
from evalreport.record.impact import impact_problems
from evalreport.record.interval_limits import area_problems, rates_problems, share_problems
from evalreport.record.missing_rows import area_bounds_problems, bounds_problems
from evalreport.record.reclassification import reclassification_problems
from evalreport.record.sample_size import width_problems
from evalreport.record.table_counts import Table, number, read_table
from evalreport.record.table_metrics import class_counts, table_outcome

TOLERANCE = Fraction(1, 10**12)
# Sums of weights, points of a curve and tails of a distribution carry rounding of their own.
LOOSE = Fraction(1, 10**9)
SMALLEST = Fraction(1, 10**15)
STATES = ("value", "infinite", "undefined", "not_applicable")
_MALFORMED = (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError)


@dataclass(frozen=True)
class Recomputation:
    """What came of it: the problems, and the ids of measures checked and not checked."""

    problems: tuple[Problem, ...]
    checked: tuple[str, ...]
    unchecked: tuple[str, ...]


@dataclass
class _Results:
    """The parts of results.json that measures are checked against; tables are read once."""

    tables: dict[str, Mapping[str, Any]]
    curves: dict[bytes, Mapping[str, Any]]
    folds: dict[bytes, list[Mapping[str, Any]]]
    read: dict[tuple[str, str | None], Table] = field(default_factory=dict)

    def table(self, measure: Mapping[str, Any]) -> Table | None:
        name, indeterminate = measure["table"], measure.get("indeterminate")
        if name is None:
            return None
        if name not in self.tables:
            raise ValueError(f"there is no table {name!r}")
        key = (name, indeterminate)
        if key not in self.read:
            self.read[key] = read_table(self.tables[name], indeterminate)
        return self.read[key]


def recompute(results: Mapping[str, Any]) -> Recomputation:
    """Check every measure of results.json; never raises for what is in it."""
    try:
        measures = list(results["measures"])
        parts = _Results(
            {record["id"]: record for record in results["tables"]},
            {_curve_key(c): c for c in results["curves"] if c["kind"] == "roc"},
            _by_fold(measures),
        )
    except _MALFORMED as error:
        what = f"results.json is not laid out as its schema says: {error!r}"
        return Recomputation((Problem(what),), (), ())
    problems: list[Problem] = []
    checked: list[str] = []
    unchecked: list[str] = []
    for measure in measures:
        try:
            found = _check(measure, parts)
        except _MALFORMED as error:
            found = [f"cannot be checked, it is malformed: {error}"]
        (unchecked if found is None else checked).append(str(measure.get("id")))
        problems += [Problem(f"measure {_described(measure)}: {what}") for what in found or ()]
    problems += impact_problems(results)
    problems += width_problems(results)
    problems += reclassification_problems(results)
    problems += described_problems(results)
    problems += baseline_problems(results)
    return Recomputation(tuple(problems), tuple(checked), tuple(unchecked))


def _check(measure: Mapping[str, Any], parts: _Results) -> list[str] | None:
    """What is wrong with a measure; None when nothing in results.json settles its value."""
    state = measure["state"]
    found = _state_problems(measure)
    if found or state == "not_applicable":
        return found
    if measure["fold"] == "mean":
        return _check_mean(measure, parts)
    table = parts.table(measure)
    found += _interval_problems(measure, table, parts)
    if table is not None:
        found += _rows_problems(measure, table)
        outcome = table_outcome(table, measure)
        if outcome is not None:
            found += bounds_problems(measure, table, parts.tables[measure["table"]])
            return found + _outcome_problems(measure, outcome) + _parts_problems(measure, table)
        if measure["metric"] in ("roc_auc", "gini") and measure["fold"] is None:
            curve = parts.curves.get(_curve_key(measure))
            found += area_bounds_problems(measure, table, parts.tables[measure["table"]], curve)
    value = _from_curve(measure, parts)
    if value is not None and state == "value":
        return found + _value_problems(measure, value, LOOSE, "the points of its curve")
    return found or None


def _interval_problems(
    measure: Mapping[str, Any], table: Table | None, parts: _Results
) -> list[str]:
    """Limits that follow from the fraction, the table or the curve of a measure."""
    if measure["average"] not in (None, "micro") or measure.get("interval") is None:
        return []
    counts = None if table is None or measure["average"] else class_counts(table, measure["label"])
    curve = None if measure["fold"] is not None else parts.curves.get(_curve_key(measure))
    return [
        *share_problems(measure),
        *rates_problems(measure, counts),
        *area_problems(measure, curve),
    ]


def _state_problems(measure: Mapping[str, Any]) -> list[str]:
    state, value = measure["state"], measure["value"]
    if state not in STATES:
        return [f"state is {state!r}"]
    if state == "value":
        number(value)
        return []
    found = [] if value is None else [f"state is {state}, yet it has the value {value!r}"]
    if state in ("undefined", "not_applicable") and not measure["reason"]:
        found.append(f"state is {state}, and no reason is given")
    return found


def _outcome_problems(measure: Mapping[str, Any], outcome: Outcome) -> list[str]:
    state = measure["state"]
    if isinstance(outcome, Fraction) and state == "value":
        loose = measure.get("weight") is not None or measure["metric"] == "accuracy_p_value"
        return _value_problems(measure, outcome, LOOSE if loose else TOLERANCE, "its table")
    told = "value" if isinstance(outcome, Fraction) else outcome
    if told == state:
        return []
    gives = f"the value {_shown(outcome)}" if isinstance(outcome, Fraction) else told
    return [f"state is {state}, its table gives {gives}"]


def _value_problems(
    measure: Mapping[str, Any], expected: Fraction, tolerance: Fraction, source: str
) -> list[str]:
    value = number(measure["value"])
    if abs(value - expected) <= max(tolerance * abs(expected), SMALLEST):
        return []
    return [f"value is {measure['value']!r}, {source} gives {_shown(expected)}"]


def _parts_problems(measure: Mapping[str, Any], table: Table) -> list[str]:
    """Numerator and denominator: the counts of a proportion; of anything else, its value."""
    if measure["numerator"] is None or measure["denominator"] is None:
        return []
    stated = number(measure["numerator"]), number(measure["denominator"])
    expected = _proportion(measure, table)
    if expected is not None:
        tolerance = LOOSE if measure.get("weight") is not None else Fraction(0)
        pairs = zip(("numerator", "denominator"), stated, expected, strict=True)
        return [
            f"{name} is {measure[name]!r}, its table gives {_shown(right)}"
            for name, own, right in pairs
            if abs(own - right) > tolerance * abs(right)
        ]
    if measure["state"] != "value" or not stated[1]:
        return []
    return _value_problems(measure, stated[0] / stated[1], LOOSE, "numerator / denominator")


def _proportion(measure: Mapping[str, Any], table: Table) -> tuple[Fraction, Fraction] | None:
    metric, average, label = measure["metric"], measure["average"], measure["label"]
    if metric not in PROPORTIONS:
        return None
    whole = label is None and (average == "micro" or average is None)
    if metric in ("accuracy", "error_rate") and whole:
        right = sum((table.right(i) for i in range(len(table.labels))), Fraction(0))
        return (right if metric == "accuracy" else table.total - right), table.total
    counts = class_counts(table, label) if average is None else None
    return None if counts is None else PROPORTIONS[metric](counts)


def _rows_problems(measure: Mapping[str, Any], table: Table) -> list[str]:
    key = "n" if measure.get("weight") is None else "weight"
    stated = number(measure[key])
    room = 0 if key == "n" else LOOSE * table.total
    # Indeterminate predictions are rows that were used, whether or not a metric counts them.
    if abs(stated - table.total) <= room or abs(stated - table.rows) <= room:
        return []
    return [f"{key} is {measure[key]!r}, its table has {_shown(table.total)}"]


def _check_mean(measure: Mapping[str, Any], parts: _Results) -> list[str] | None:
    folds = parts.folds.get(_fold_key(measure), [])
    names = [name for name in measure.get("tables") or () if name in parts.tables]
    listed = {parts.tables[name]["fold"] for name in names}
    if listed:
        # repeats of the whole have a fold's name of their own and are not part of the mean
        folds = [fold for fold in folds if fold["fold"] in listed]
    if measure["state"] != "value" or not folds or any(f["state"] != "value" for f in folds):
        return None
    values = [number(fold["value"]) for fold in folds]
    mean = sum(values, Fraction(0)) / len(values)
    found = _value_problems(measure, mean, TOLERANCE, f"the mean of its {len(folds)} folds")
    return found + _spread_problems(measure, values, mean)


def _spread_problems(
    measure: Mapping[str, Any], values: list[Fraction], mean: Fraction
) -> list[str]:
    """The standard deviation over folds (ddof 1), compared by its square."""
    stated = measure.get("spread")
    if stated is None or len(values) < 2:
        return []
    expected = sum(((v - mean) ** 2 for v in values), Fraction(0)) / (len(values) - 1)
    if abs(number(stated) ** 2 - expected) <= max(LOOSE * expected, SMALLEST):
        return []
    return [f"spread is {stated!r}, its {len(values)} folds give {math.sqrt(expected)!r}"]


def _from_curve(measure: Mapping[str, Any], parts: _Results) -> Fraction | None:
    if measure["average"] is not None or measure["fold"] is not None:
        return None
    curve = parts.curves.get(_curve_key(measure))
    return None if curve is None else curve_value(curve, measure)


def _by_fold(measures: list[Mapping[str, Any]]) -> dict[bytes, list[Mapping[str, Any]]]:
    found: dict[bytes, list[Mapping[str, Any]]] = {}
    for measure in measures:
        if measure["fold"] not in (None, "mean"):
            found.setdefault(_fold_key(measure), []).append(measure)
    return found


def _fold_key(measure: Mapping[str, Any]) -> bytes:
    names = ["dataset", "model", "subgroup", "metric", "params", "average", "label"]
    # A rule names the threshold: solved per fold, its number may differ from fold to fold.
    at = measure["threshold_rule"] or measure["threshold"]
    return canonical_json([[measure[name] for name in names], at, measure.get("indeterminate")])


def _curve_key(record: Mapping[str, Any]) -> bytes:
    names = ["dataset", "model", "subgroup", "label"]
    return canonical_json([record[name] for name in names])


def _described(measure: Mapping[str, Any]) -> str:
    parts = [measure.get("metric"), measure.get("average"), measure.get("label")]
    return f"{measure.get('id')} ({', '.join(str(part) for part in parts if part is not None)})"


def _shown(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else repr(float(value))
