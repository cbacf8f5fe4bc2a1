"""Measures again, from the tables, curves and folds in the results alone.

A measure of a table is worked out in fractions from the counts; one of a ROC
curve from its points; the mean over folds from the folds. The engine does the same from the
recorded tables, with intervals, and from the scores of all rows where a curve holds them.
What needs single rows is counted as not checked, and ``verify --rerun`` is there for it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Table as MetricTable
from evalreport.plan.unknown import CELLS, needs_unknown
from evalreport.predict.outcome import repeat_summary
from evalreport.record.checks import OTHER_VERSION, Apart, Finding, Known, Unchecked, checks, held
from evalreport.record.interval_limits import (
    area_problems,
    rates_problems,
    share_problems,
    shares_problems,
)
from evalreport.record.measured_again import differences, same
from evalreport.record.metric_definitions import PROPORTIONS, Outcome, class_counts, table_outcome
from evalreport.record.missing_rows import area_bounds_problems, bounds_problems
from evalreport.record.recorded_tables import NotRecorded
from evalreport.record.roc_curves import curve_value, reached_problems
from evalreport.record.table_counts import Table, has_unknown, number, read_table
from evalreport.results import records
from evalreport.results.identity import MEAN_OF_FOLDS, Slice, frozen_params
from evalreport.results.records import Measure, RowLedger

TOLERANCE = Fraction(1, 10**12)
# Sums of weights, points of a curve and tails of a distribution carry rounding of their own.
LOOSE = Fraction(1, 10**9)
SMALLEST = Fraction(1, 10**15)

NOT_ASKED = "the spec in the results does not say that it was asked for"

#: Numbers of a measure that the check can hold.
_HOLDS = ("value", "numerator", "denominator", "n", "weight", "threshold", "params", "interval",
          "reached", "missing_bounds", "spread", "repeats")  # fmt: skip
#: What the engine gives again from the recorded tables.
_AGAIN = ("value", "numerator", "denominator", "reached")


@checks(
    Measure,
    lambda m, _: f"measure {_described(m)}",
    holds=_HOLDS,
    unless={
        "bounds": "what binning the scores can change needs the scores",
        "missing_bounds": "scores of the rows that were left out are not in the results",
        "params": NOT_ASKED,
    },
)
def measure(one: Measure, known: Known) -> list[Finding] | Unchecked:
    """What is wrong with a measure, and which of its numbers follow from others.

    It is worked out twice where that can be: by definitions of this package, and by the
    engine from the recorded table. Unchecked where nothing in the results settles it.
    """
    found: list[Finding] = [*_identity(one, known)]
    own = _check(one, known)
    if own is not None:
        found += [*own, *_held_by_itself(one, known)]
    again = _again(one, known)
    if own is None and isinstance(again, Unchecked):
        problems = [what for what in found if isinstance(what, str)]
        return [*found, Apart(again.reason, frozenset(_HOLDS))] if problems else again
    if isinstance(again, Unchecked):
        again = [Apart(again.reason, frozenset(_HOLDS))]
    # what is wrong is told once, in the words of this package where it has found it too
    wrong = any(isinstance(what, str) for what in found)
    found += [what for what in again if not (wrong and isinstance(what, str))]
    return [*found, *_repeated(one, known)]


def _again(one: Measure, known: Known) -> list[Finding] | Unchecked:
    """The measure by the engine from the recorded tables."""
    try:
        again = known.model(one.dataset, one.model).again(one)
    except NotRecorded as absent:
        return Unchecked(str(absent))
    recorded = known.results.provenance.versions.get("numpy")
    problems, reason = differences(one, again, recorded)
    if problems and not known.same_version:
        return Unchecked(OTHER_VERSION)
    found: list[Finding] = [*problems, held(*_AGAIN)]
    found.append(held("interval") if reason is None else Apart(reason, frozenset(["interval"])))
    return found


def _held_by_itself(one: Measure, known: Known) -> Iterator[Finding]:
    """What the definitions of this package have looked at."""
    if one.table is not None:
        yield held("weight" if one.weight is not None else "n")
    if one.state == "value":
        yield held("value", "numerator", "denominator", "spread")
    if one.interval is not None and one.interval.method == "wilson" and one.weight is None:
        yield held("interval.low", "interval.high") if one.denominator else held()
    table = None if one.table is None else known.results.table(one.table)
    if one.missing_bounds is not None and table is not None and table.missing is not None:
        without = any(table.missing.without_target) and one.denominator is None
        yield held() if without else held("missing_bounds")


def _identity(one: Measure, known: Known) -> Iterator[Finding]:
    """Whether the model has the threshold, and the spec the parameters, that it is stated at."""
    if one.threshold is not None:
        own = known.thresholds.get((one.dataset, one.model), ())
        if own and (one.threshold, one.threshold_rule) not in own:
            yield f"threshold is {one.threshold!r}, which is none of those of its model"
        elif own:
            yield held("threshold")
    whole = known.rows.get((one.dataset, one.model))
    if whole is not None and whole.classes and not one.subgroup and one.fold is None:
        yield from _account_problems(one, whole)
        yield held("n")
    if one.params and known.asked is not None:
        asked = known.asked.params_of(one.metric)
        if frozen_params(one.params) not in asked:
            yield f"params are {dict(one.params)!r}, which the spec does not ask for"
        yield held("params")


def _account_problems(one: Measure, whole: RowLedger) -> Iterator[str]:
    """Whether a measure is of as many rows as the account has that know its label.

    A mean over rows of sets of labels is of those that have a value, which rows alone tell.
    """
    unknown = {lacking.label: lacking.count for lacking in whole.unknown}
    most = whole.used - unknown.get(one.label or "", 0)
    metric = find(one.metric)
    of_sets = metric is not None and metric.table is MetricTable.LABEL_SETS
    if (of_sets or one.average == "samples") and one.n <= whole.used:
        return
    if one.label is None and whole.used - sum(unknown.values()) <= one.n <= whole.used:
        return
    if one.n not in (most, whole.predictions):
        yield f"n is {one.n}, the account of rows says {most}"


def _repeated(one: Measure, known: Known) -> Iterator[Finding]:
    """The summary of the repeats: this is the first, the others are measures of their own."""
    if one.repeats is None:
        return
    others = (
        known.results.number(one.which.on(Slice(one.which.subgroup, f"repeat {k}")))
        for k in range(2, len(one.repeats.values) + 1)
    )
    expected = repeat_summary([one.value, *(None if m is None else m.value for m in others)])
    if not same(one.repeats, expected):
        yield f"repeats are {one.repeats!r}, the measures of the repeats give {expected!r}"
    yield held("repeats")


def _check(measure: Measure, known: Known) -> list[str] | None:
    """What is wrong with a measure; None when nothing in the results settles its value."""
    found = _state_problems(measure)
    if found or measure.state == "not_applicable":
        return found
    if measure.fold == MEAN_OF_FOLDS:
        return _check_mean(measure, known)
    table = known.table(measure)
    if table is not None and has_unknown(known.results.table(str(measure.table))):
        return _partly_known(measure, known.results.table(str(measure.table)))
    if table is not None and len(table.labels) == 1 and measure.state == "undefined":
        return None  # a cell that nobody counted has no place in a table of one class
    found += _interval_problems(measure, table, known)
    found += reached_problems(measure, None if measure.fold is not None else known.roc(measure))
    if table is not None:
        record = known.results.table(str(measure.table))
        found += _rows_problems(measure, table)
        outcome = table_outcome(table, measure)
        if outcome is not None:
            found += bounds_problems(measure, table, record)
            return found + _outcome_problems(measure, outcome) + _parts_problems(measure, table)
        if measure.metric in ("roc_auc", "gini") and measure.fold is None:
            found += area_bounds_problems(measure, table, record, known.roc(measure))
    value = _from_curve(measure, known)
    if value is not None and measure.state == "value":
        return found + _value_problems(measure, value, LOOSE, "the points of its curve")
    return found or None


#: What is put into a cell that was not counted: any change of the value shows that it matters.
PUT_IN = (0, 1, 13, 40)


def _partly_known(measure: Measure, record: records.Table) -> list[str] | None:
    """A number beside a table with a cell that was not counted.

    Where it changes with what is put in, there must be no value; else the known cells give it.
    None where no table settles the metric.
    """
    kind = measure.indeterminate
    outcomes = [table_outcome(read_table(record, kind, put), measure) for put in PUT_IN]
    if outcomes[0] is None:
        return None
    if measure.state == "undefined" and measure.reason == _needs(measure, record):
        # The metric needs the cell, though it matters nothing in a table with zeros as this one.
        return []
    if all(one == outcomes[0] for one in outcomes[1:]):
        found = _outcome_problems(measure, outcomes[0])
        return found + share_problems(measure) if measure.interval else found
    if measure.state == "value":
        return ["it has a value, yet a cell that it needs was not counted"]
    return []


def _needs(measure: Measure, record: records.Table) -> str | None:
    """The reason why such a metric has no value beside cells that were not counted."""
    metric = find(measure.metric)
    if metric is None or record.positive is None:
        return None
    place = record.labels.index(record.positive)
    cells = {
        _CELLS[i == place][j == place]
        for i, row in enumerate(record.counts or ())
        for j, count in enumerate(row[: len(record.labels)])
        if count is None
    }
    return needs_unknown(
        metric,
        measure.params,
        sorted(cells, key=CELLS.index),
        of_positive=measure.label in (None, record.positive),
        averaged=measure.average is not None,
    )


#: Cells by whether the row and whether the column is of the positive class.
_CELLS = (("tn", "fp"), ("fn", "tp"))


def _interval_problems(measure: Measure, table: Table | None, known: Known) -> list[str]:
    """Limits that follow from the fraction, the table or the curve of a measure."""
    if measure.average not in (None, "micro") or measure.interval is None:
        return []
    counts = None if table is None or measure.average else class_counts(table, measure.label)
    curve = None if measure.fold is not None else known.roc(measure)
    return [
        *share_problems(measure),
        *rates_problems(measure, counts),
        *shares_problems(measure, counts),
        *area_problems(measure, curve),
    ]


def _state_problems(measure: Measure) -> list[str]:
    state, value = measure.state, measure.value
    if state == "value":
        number(value)
        return []
    found = [] if value is None else [f"state is {state}, yet it has the value {value!r}"]
    if state in ("undefined", "not_applicable") and not measure.reason:
        found.append(f"state is {state}, and no reason is given")
    return found


def _outcome_problems(measure: Measure, outcome: Outcome) -> list[str]:
    state = measure.state
    if isinstance(outcome, Fraction) and state == "value":
        loose = measure.weight is not None or measure.metric == "accuracy_p_value"
        return _value_problems(measure, outcome, LOOSE if loose else TOLERANCE, "its table")
    told = "value" if isinstance(outcome, Fraction) else outcome
    if told == state:
        return []
    gives = f"the value {_shown(outcome)}" if isinstance(outcome, Fraction) else told
    return [f"state is {state}, its table gives {gives}"]


def _value_problems(
    measure: Measure, expected: Fraction, tolerance: Fraction, source: str
) -> list[str]:
    value = number(measure.value)
    if abs(value - expected) <= max(tolerance * abs(expected), SMALLEST):
        return []
    return [f"value is {measure.value!r}, {source} gives {_shown(expected)}"]


def _parts_problems(measure: Measure, table: Table) -> list[str]:
    """Numerator and denominator: the counts of a proportion; of anything else, its value."""
    if measure.numerator is None or measure.denominator is None:
        return []
    stated = number(measure.numerator), number(measure.denominator)
    expected = _proportion(measure, table)
    if expected is not None:
        tolerance = LOOSE if measure.weight is not None else Fraction(0)
        pairs = zip(("numerator", "denominator"), stated, expected, strict=True)
        return [
            f"{name} is {getattr(measure, name)!r}, its table gives {_shown(right)}"
            for name, own, right in pairs
            if abs(own - right) > tolerance * abs(right)
        ]
    if measure.state != "value" or not stated[1]:
        return []
    return _value_problems(measure, stated[0] / stated[1], LOOSE, "numerator / denominator")


def _proportion(measure: Measure, table: Table) -> tuple[Fraction, Fraction] | None:
    metric, average, label = measure.metric, measure.average, measure.label
    if metric not in PROPORTIONS:
        return None
    whole = label is None and (average == "micro" or average is None)
    if metric in ("accuracy", "error_rate") and whole:
        right = sum((table.right(i) for i in range(len(table.labels))), Fraction(0))
        return (right if metric == "accuracy" else table.total - right), table.total
    counts = class_counts(table, label) if average is None else None
    return None if counts is None else PROPORTIONS[metric](counts)


def _rows_problems(measure: Measure, table: Table) -> list[str]:
    weighted = measure.weight is not None
    key, told = ("weight", measure.weight) if weighted else ("n", measure.n)
    stated = number(told)
    room = LOOSE * table.total if weighted else 0
    # Indeterminate predictions are rows that were used, whether or not a metric counts them.
    if abs(stated - table.total) <= room or abs(stated - table.rows) <= room:
        return []
    return [f"{key} is {told!r}, its table has {_shown(table.total)}"]


def _check_mean(measure: Measure, known: Known) -> list[str] | None:
    folds, results = known.folds(measure), known.results
    listed = {results.table(name).fold for name in measure.tables or () if name}
    if listed:
        # repeats of the whole have a fold's name of their own and are not part of the mean
        folds = [fold for fold in folds if fold.fold in listed]
    if measure.state != "value" or not folds or any(f.state != "value" for f in folds):
        return None
    values = [number(fold.value) for fold in folds]
    mean = sum(values, Fraction(0)) / len(values)
    found = _value_problems(measure, mean, TOLERANCE, f"the mean of its {len(folds)} folds")
    return found + _spread_problems(measure, values, mean)


def _spread_problems(measure: Measure, values: list[Fraction], mean: Fraction) -> list[str]:
    """The standard deviation over folds (ddof 1), compared by its square."""
    stated = measure.spread
    if stated is None or len(values) < 2:
        return []
    expected = sum(((v - mean) ** 2 for v in values), Fraction(0)) / (len(values) - 1)
    if abs(number(stated) ** 2 - expected) <= max(LOOSE * expected, SMALLEST):
        return []
    return [f"spread is {stated!r}, its {len(values)} folds give {math.sqrt(expected)!r}"]


def _from_curve(measure: Measure, known: Known) -> Fraction | None:
    if measure.average is not None or measure.fold is not None:
        return None
    curve = known.roc(measure)
    return None if curve is None else curve_value(curve, measure)


def _described(measure: Measure) -> str:
    parts = [measure.metric, measure.average, measure.label]
    return f"{measure.id} ({', '.join(str(part) for part in parts if part is not None)})"


def _shown(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else repr(float(value))
