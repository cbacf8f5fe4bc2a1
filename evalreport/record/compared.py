"""Comparisons again: values, differences, corrected p values, and what counts settle.

Tests of all models at once follow from the counts, covariances or ranks beside them, net
reclassification from the rows that moved.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from statistics import NormalDist

from evalreport.engine.comparisons.calls import (
    OF_CALLS,
    counted_calls,
    paired_ratio,
    unpaired_ratio,
)
from evalreport.engine.comparisons.tests import OF_PROPORTIONS
from evalreport.engine.groups.studied_groups import class_rows
from evalreport.metrics.catalogue import find
from evalreport.metrics.comparing import same_number
from evalreport.metrics.coverage_study import (
    CLUSTERED_PAIRS,
    PAIRS,
    RATIO,
    TWO_SAMPLES,
    WEIGHTED_PAIRS,
    Drawn,
    all_held,
)
from evalreport.metrics.coverage_study import held as held_in_study
from evalreport.metrics.declare import Goal
from evalreport.record.checks import OF_THE_SPEC, Apart, Finding, Known, checks, held
from evalreport.record.table_counts import number
from evalreport.results.identity import WhichNumber
from evalreport.results.records import (
    Comparison,
    Held,
    Hypothesis,
    Interval,
    OmnibusTest,
    Reclassification,
)
from evalreport.statistics import hypotheses, several
from evalreport.statistics.hypotheses import AtNull
from evalreport.statistics.multiplicity import adjust_families, corrected_family
from evalreport.statistics.paired import PAIRED_METHODS, ChiSquare
from evalreport.statistics.predictive import CALL_METHODS
from evalreport.statistics.unpaired import UNPAIRED_METHODS

_ROUNDING = 1e-9
ON_ROWS = "the two models are compared row by row"
FRACTION = "it is the fraction of a value that is held by itself"
FEWER = "it is a value of the rows that both models have"
#: Samples of the coverage study, by whether rows are shared.
DESIGNS = {True: (PAIRS, CLUSTERED_PAIRS, WEIGHTED_PAIRS), False: (TWO_SAMPLES,)}
SHARED = "which rows two models share is not in the results"


@checks(
    Comparison,
    lambda r, _: f"{r.model} against {r.reference}, {r.metric}",
    holds=("model_value", "reference_value", "difference", "p_adjusted", "family_tests", "params",
           "threshold", "reference_threshold", "statistic", "p_value", "interval",
           "hypothesis.p_value", "hypothesis.statistic", "hypothesis.null",
           "hypothesis.p_adjusted", "ratio", "bounds.low", "bounds.high"),
    unless={
        **dict.fromkeys(("joint_table", "joint_calls", "n"), SHARED),
        **dict.fromkeys(("statistic", "df", "p_value", "interval", "fold_differences"), ON_ROWS),
        **dict.fromkeys(("model_fraction", "reference_fraction"), FRACTION),
        **dict.fromkeys(("bounds.low", "bounds.high"), SHARED),
        **dict.fromkeys(
            ("hypothesis.statistic", "hypothesis.df", "hypothesis.standard_error",
             "hypothesis.p_value", "hypothesis.p_adjusted", "hypothesis.null", "ratio"), ON_ROWS),
        **dict.fromkeys(
            ("margin", "hypothesis.margin", "hypothesis.alpha"),
            "it follows from the spec: verify --rerun makes it again"),
        "reference_interval": "the earlier run is verified by itself",
        "reference_numerator": "the earlier run is verified by itself",
        "reference_denominator": "the earlier run is verified by itself",
        "reference_n": "the earlier run is verified by itself",
    },
)  # fmt: skip
def comparison(record: Comparison, known: Known) -> Iterator[Finding]:
    """Values are those of the measures; difference, correction and counted tests follow."""
    yield from _values(record, known)
    one, two = record.model_value, record.reference_value
    if record.difference is not None and one is not None and two is not None:
        if not _near(record.difference, one - two):
            yield f"difference is {record.difference!r}, the two values give {one - two!r}"
        yield held("difference")
    yield from _bounded(record, known)
    yield from _corrected(record, known)
    yield from _tested(record)
    yield from _limited(record, known)
    yield from _shown(record)
    yield from _related(record)
    if known.same_version:
        yield from _studied(record, known)


def _bounded(record: Comparison, known: Known) -> Iterator[Finding]:
    """Bounds of a difference are those of its values, each at the end that is farthest."""
    if record.bounds is None or _left_out(record, known):
        return
    ends = []
    for which in _sides(record):
        measure = known.results.number(which)
        if measure is None or measure.value is None:
            return
        own = measure.bounds
        ends.append((measure.value,) * 2 if own is None else (own.low, own.high))
    for name, right in (
        ("low", ends[0][0] - ends[1][1]),
        ("high", ends[0][1] - ends[1][0]),
    ):
        told = getattr(record.bounds, name)
        if not _near(told, right):
            yield f"bounds.{name} is {told!r}, the bounds of the values give {right!r}"
        yield held(f"bounds.{name}")


def _studied(record: Comparison, known: Known) -> Iterator[str]:
    """What is told of the coverage study is what it found, of the cell nearest to the rows."""
    ratio = None if record.ratio is None else record.ratio.interval
    for interval, of, place in (
        (record.interval, "", "interval"),
        (ratio, RATIO, "ratio.interval"),
    ):
        if interval is None or interval.held is None:
            continue
        drawn = _drawn(record, known)
        right: set[Held | None] = set()
        for name in _compared_as(record):
            if drawn is not None:
                right.add(held_in_study(name, drawn, interval.level, of))
            else:
                right |= {s for one in DESIGNS[record.paired] for s in all_held(name, one, of)}
        if interval.held not in right:
            yield f"{place}.held is {interval.held}, which is not what the coverage study found"


def _compared_as(record: Comparison) -> set[str]:
    """The metrics that an average may be the number of, of two classes or of more."""
    metric = find(record.metric)
    if metric is None:
        return {record.metric}
    return {same_number(metric, record.average, two_classes=two)[0].name for two in (True, False)}


def _drawn(record: Comparison, known: Known) -> Drawn | None:
    """The rows of both sides as the study counts them; None where the results do not tell."""
    if _left_out(record, known):
        return None
    counted = []
    for which in _sides(record):
        rows = known.rows.get((which.dataset, str(which.model)))
        measure = known.results.number(which)
        if rows is None or rows.clusters is not None or rows.predictions is not None:
            return None
        if measure is None or measure.table is None or not known.results.has_table(measure.table):
            return None
        own = class_rows(measure, known.results.table(measure.table))
        if own is None:
            return None
        counted.append(Drawn(*own, PAIRS if record.paired else TWO_SAMPLES))
    return min(counted)


def _shown(record: Comparison) -> Iterator[Finding]:
    """The one-sided test of a hypothesis from the counts, or from the standard error."""
    asked = record.hypothesis
    if asked is None or asked.p_value is None or asked.null is None:
        return
    at = _tails(record, asked)
    right = None if at is None else at(asked.null)
    metric = find(record.metric)
    if right is not None and metric is not None:
        gain = -1 if metric.goal is Goal.MINIMIZE else 1
        sides = dict(hypotheses.one_sided(asked.kind, asked.margin, gain=gain))
        tail = sides.get(asked.null)
        p_value = None if tail is None else getattr(right, tail)
        if p_value is None or not _near(asked.p_value, p_value):
            yield f"hypothesis.p_value is {asked.p_value!r}, {asked.test} gives {p_value!r}"
        if (asked.statistic is None) != (right.statistic is None) or (
            asked.statistic is not None
            and right.statistic is not None
            and not _near(asked.statistic, right.statistic)
        ):
            yield f"hypothesis.statistic is {asked.statistic!r}, it gives {right.statistic!r}"
        yield held(*(f"hypothesis.{name}" for name in ("p_value", "statistic", "null")))
    adjusted = asked.p_adjusted
    if asked.shown != (None if adjusted is None else adjusted < asked.alpha):
        yield f"hypothesis.shown is {asked.shown!r}, its p value gives the other"
    yield held("hypothesis.p_adjusted")


def _related(record: Comparison) -> Iterator[Finding]:
    """A ratio with its limits from the counts of both."""
    ratio, metric = record.ratio, find(record.metric)
    if ratio is None or ratio.interval is None or metric is None:
        return
    if record.paired:
        right = paired_ratio(metric, record.joint_table, record.joint_calls, ratio.interval.level)
    else:
        fractions = record.model_fraction, record.reference_fraction
        right = unpaired_ratio(*fractions, ratio.interval.level)
    limits = right.interval
    for name, own, other in (
        ("value", ratio.value, right.value),
        ("interval.low", ratio.interval.low, None if limits is None else limits.low),
        ("interval.high", ratio.interval.high, None if limits is None else limits.high),
    ):
        if own is None or other is None or not _near(own, other):
            yield f"ratio.{name} is {own!r}, its counts give {other!r}"
    yield held("ratio")


def _tails(record: Comparison, asked: Hypothesis) -> AtNull | None:
    joint = record.joint_table
    if joint is not None and asked.test in hypotheses.PAIRED_TAILS:
        of_rows = hypotheses.PAIRED_TAILS[asked.test]
        return lambda null: of_rows(joint.n11, joint.n10, joint.n01, joint.n00, null)
    one, two = record.model_fraction, record.reference_fraction
    if one and two and not record.paired and asked.test in hypotheses.UNPAIRED_TAILS:
        of_two = hypotheses.UNPAIRED_TAILS[asked.test]
        return lambda null: of_two(*one, *two, null)
    if asked.standard_error and record.difference is not None:
        return hypotheses.from_error(record.difference, asked.standard_error, asked.df)
    return None


def _values(record: Comparison, known: Known) -> Iterator[Finding]:
    """The values of both sides against their measures."""
    stated = {"model_value": record.model_value, "reference_value": record.reference_value}
    left_out = _left_out(record, known)
    for (name, value), which in zip(stated.items(), _sides(record), strict=False):
        measure = known.results.number(which)
        if measure is None or measure.indeterminate is not None:
            continue
        if which.model in left_out:
            yield Apart(FEWER, frozenset((name,)))
            continue
        if value is not None and measure.value is not None and not _near(value, measure.value):
            yield f"{name} is {value!r}, its measure says {measure.value!r}"
        yield held(name, "params", "threshold" if name == "model_value" else "reference_threshold")


def _sides(record: Comparison) -> list[WhichNumber]:
    """Which number is compared with which; the first alone where the other is of another run."""
    own = replace(record.which, subgroup=tuple(sorted(record.subgroup.items())))
    if record.reference_run is not None:
        return [own]
    dataset = record.reference_dataset or record.dataset
    threshold = record.reference_threshold
    other = replace(own, dataset=dataset, model=record.reference, threshold=threshold)
    return [own, other]


def _left_out(record: Comparison, known: Known) -> set[str]:
    """Of two models, row by row, those with rows that the other one lacks.

    Such a row counts for the model's own measure and not for the comparison.
    """
    if not record.paired:
        return set()
    names = [record.model, record.reference]
    ledgers = [known.rows.get((record.dataset, name)) for name in names]
    own, other = (set() if ledger is None else set(ledger.excluded) for ledger in ledgers)
    return {name for name, lacks in zip(names, (other - own, own - other), strict=True) if lacks}


def _corrected(record: Comparison, known: Known) -> Iterator[Finding]:
    """The p value as it is corrected with those of its family."""
    every = [c for c in known.results.comparisons if c.reference_run is None]
    if record.reference_run is not None or record not in every:
        return
    p_values, families = known.families
    adjusted = adjust_families(p_values, families, record.correction)[every.index(record)]
    _, tests = corrected_family(adjusted, record.correction, "")
    own = record.corrected_p
    if (own is None) != (adjusted.p_value is None) or (
        own is not None and adjusted.p_value is not None and not _near(own, adjusted.p_value)
    ):
        yield f"p_adjusted is {own!r}, its family gives {adjusted.p_value!r}"
    if record.family_tests != tests:
        yield f"family_tests is {record.family_tests!r}, the comparisons give {tests!r}"
    yield held("p_adjusted", "family_tests")


def _tested(record: Comparison) -> Iterator[Finding]:
    """Tests that the rows that count for one model only settle."""
    joint, calls, metric = record.joint_table, record.joint_calls, find(record.metric)
    found = None
    test = record.test or ""
    if joint is not None and test in OF_PROPORTIONS:
        found = OF_PROPORTIONS[test](joint)
    elif calls is not None and metric is not None and test in OF_CALLS:
        found = OF_CALLS[test](metric, calls)
    if found is None or record.p_value is None:
        return
    for name, own, right in (
        ("p_value", record.p_value, found.p_value),
        ("statistic", record.statistic, found.statistic),
    ):
        if (own is None) != (right is None) or (
            own is not None and right is not None and not _near(own, right)
        ):
            yield f"{name} is {own!r}, {record.test} of its counts gives {right!r}"
    yield held("p_value", "statistic")


def _limited(record: Comparison, known: Known) -> Iterator[Finding]:
    """Limits that follow from the counts of both models together, or of each by itself.

    Those of clustered rows follow from the clusters, whatever their method is called.
    """
    interval, joint = record.interval, record.joint_table
    rows = known.rows.get((record.dataset, record.model))
    if interval is None or (rows is not None and rows.clustered is not None):
        return
    limits = None
    if joint is not None and interval.method in PAIRED_METHODS:
        cells = (joint.n11, joint.n10, joint.n01, joint.n00)
        limits = PAIRED_METHODS[interval.method](*cells, interval.level)
    calls, metric = record.joint_calls, find(record.metric)
    if calls is not None and metric is not None and interval.method in CALL_METHODS:
        counted = counted_calls(metric, calls)
        limits = CALL_METHODS[interval.method](*counted, interval.level)
    one, two = record.model_fraction, record.reference_fraction
    if one and two and not record.paired and interval.method in UNPAIRED_METHODS:
        limits = UNPAIRED_METHODS[interval.method](*one, *two, interval.level)
    if limits is None:
        return
    yield from _differences(interval, (limits.low, limits.high))
    yield held("interval")


def _differences(interval: Interval, expected: tuple[float, float]) -> Iterator[str]:
    for name, own, right in zip(
        ("low", "high"), (interval.low, interval.high), expected, strict=True
    ):
        if not _near(own, right):
            yield f"interval.{name} is {own!r}, {interval.method} of its counts gives {right!r}"


def _near(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_ROUNDING, abs_tol=1e-12)


ROWS = "which rows the models share is not in the results"


@checks(
    OmnibusTest,
    lambda r, _: f"all models of {r.dataset}, {r.metric}",
    holds=("statistic", "df", "p_value"),
    unless={
        "n": ROWS,
        "values": ROWS,
        "totals": ROWS,
        "rows_by_models": ROWS,
        "covariance": ROWS,
        "rank_sums": ROWS,
        "ties": ROWS,
        "params": OF_THE_SPEC,
        "thresholds": OF_THE_SPEC,
        **dict.fromkeys(("statistic", "df", "p_value"), "there is no statistic"),
    },
)
def omnibus(record: OmnibusTest, _known: Known) -> Iterator[Finding]:
    """Statistic, degrees of freedom and p value follow from what stands beside them."""
    if record.p_value is None:
        if not record.reason:
            yield "no p value, and no reason is given"
        return
    found = _again(record)
    for name in ("statistic", "df", "p_value"):
        own, right = getattr(record, name), None if found is None else getattr(found, name)
        if own is None or right is None or not math.isclose(own, right, rel_tol=1e-9):
            yield f"{name} is {own!r}, {record.test} gives {right!r}"
    yield held("statistic", "df", "p_value")


def _again(record: OmnibusTest) -> ChiSquare | None:
    if record.totals is not None and record.rows_by_models is not None:
        return several.cochran_q(record.totals, record.rows_by_models)
    if record.covariance is not None:
        values = tuple(value for value in record.values if value is not None)
        return several.equal_areas(several.Areas(values, record.covariance))
    if record.rank_sums is not None and record.ties is not None:
        return several.friedman(several.Ranks(record.n, record.rank_sums, record.ties))
    return None


MOVED = "which rows two models call differently is not in the results"


@checks(
    Reclassification,
    lambda _, place: f"reclassification record {place}",
    holds=(
        "net",
        "events.net",
        "nonevents.net",
        "interval",
        "events.interval",
        "nonevents.interval",
    ),
    unless={
        "rows": MOVED,
        "events": MOVED,
        "nonevents": MOVED,
        "statistic": "the test is not worked out again",
        "p_value": "the test is not worked out again",
        "threshold": OF_THE_SPEC,
        "reference_threshold": OF_THE_SPEC,
    },
)
def reclassification(record: Reclassification, _known: Known) -> list[Finding]:
    """Every number that does not follow from its counts.

    Intervals are checked where rows are independent and unweighted.
    """
    if record.net is None or record.events is None or record.nonevents is None:
        return [] if record.reason else ["no value, and no reason is given"]
    found: list[Finding] = [held("net", "events.net", "nonevents.net")]
    nets, variances = [], []
    for name, part, sign in (("events", record.events, 1), ("nonevents", record.nonevents, -1)):
        n, up, down = (float(number(count)) for count in (part.n, part.up, part.down))
        net = sign * (up - down) / n
        variance = ((up + down) / n - net**2) / n
        found += _differs(f"{name}, net", part.net, net)
        found += _limits(f"{name}, ", part.interval, net, variance)
        nets.append(net)
        variances.append(variance)
    found += _differs("net", record.net, sum(nets))
    return found + _limits("", record.interval, sum(nets), sum(variances))


def _limits(name: str, interval: Interval | None, net: float, variance: float) -> list[Finding]:
    if interval is None or interval.method != "wald":
        return []
    most = 1.0 if name else 2.0
    half = NormalDist().inv_cdf((1 + interval.level) / 2) * math.sqrt(variance)
    place = f"{name.partition(',')[0]}.interval" if name else "interval"
    return [
        held(f"{place}.low", f"{place}.high"),
        *_differs(f"{name}lower limit", interval.low, max(net - half, -most)),
        *_differs(f"{name}upper limit", interval.high, min(net + half, most)),
    ]


def _differs(name: str, stated: float | None, expected: float) -> list[str]:
    if stated is not None and math.isclose(stated, expected, rel_tol=_ROUNDING, abs_tol=_ROUNDING):
        return []
    return [f"{name} is {stated!r}, its counts give {expected!r}"]
