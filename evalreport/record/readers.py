"""Readers of the same cases again: from their values and covariances, and from their ratings.

The mean square of the readers, the averages of the covariances, standard errors, degrees of
freedom, limits and p values follow from what is recorded of each reader; coefficients of
agreement from how many readers put how many cases into each category. Standard errors of
coefficients are made here by moving the weight of each case, not by the formulas they came from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from statistics import NormalDist, fmean, variance

from evalreport.record.checks import OF_THE_SPEC, Finding, Known, checks
from evalreport.record.checks import held as held_numbers
from evalreport.record.interval_limits import area_in_score_form
from evalreport.results.records import (
    Coefficient,
    Interval,
    ReaderAgreement,
    ReaderDifference,
    ReaderMean,
    ReaderPair,
    ReaderValue,
)
from evalreport.statistics.tail import normal_two_sided, t_quantile, t_two_sided

_ROUNDING = 1e-9
#: Values that all agree have an error of rounding alone.
_NO_ERROR = 1e-12
#: A derivative by differences has fewer digits.
_BY_DIFFERENCES = 1e-5
#: Above so many kinds of cases standard errors of coefficients are taken as stated.
_MOST_KINDS = 500
Matrix = Sequence[Sequence[float]]


def _differs(name: str, stated: float | None, expected: float | None, within: float) -> list[str]:
    if stated is None or expected is None:
        same = stated is expected
    else:
        same = math.isclose(stated, expected, rel_tol=within, abs_tol=1e-12)
    return [] if same else [f"{name} is {stated!r}, what is recorded gives {expected!r}"]


def _near(name: str, stated: float | None, expected: float | None) -> list[str]:
    return _differs(name, stated, expected, _ROUNDING)


# -- each reader and their mean ----------------------------------------------------------------


#: Why numbers of a study of readers are left out.
_OF_READERS = "which reader read which case is not in the results"
_MEAN = ("value", "between", "variance", "same_modality", "standard_error", "df",
         "interval.low", "interval.high", "readers.value", "readers.interval")  # fmt: skip
_DIFFERENCE = ("difference", "between", "variance", "same_reader", "same_modality", "neither",
               "standard_error", "df", "interval.low", "interval.high", "statistic", "p_value",
               "values", "reference_values")  # fmt: skip
_SETTINGS = {"params": OF_THE_SPEC, "interval": OF_THE_SPEC, "margin": OF_THE_SPEC}


@checks(
    ReaderMean,
    lambda r, _: f"{r.metric} over the readers of {r.model} on {r.dataset}",
    holds=_MEAN,
    unless={
        **dict.fromkeys(("readers", "cases", "readings", "clusters", "covariance"), _OF_READERS),
        **_SETTINGS,
        "threshold": OF_THE_SPEC,
    },
)
def mean_over_readers(record: ReaderMean, _known: Known) -> Iterator[Finding]:
    """Values of the readers by their tables, and everything of their mean."""
    for one in record.readers:
        yield from _reader(record, one)
    yield from _areas(record)
    yield held_numbers("value", "between", "variance", "same_modality", "standard_error", "df")
    yield held_numbers("interval.low", "interval.high")
    if any(one.cells is not None for one in record.readers):
        yield held_numbers("readers.value")
    values = [one.value for one in record.readers if one.value is not None]
    if not values:
        yield from _near("value", record.value, None)
        return
    if [len(row) for row in record.covariance] != [len(values)] * len(values):
        yield "covariance is not one row and column for each reader with a value"
        return
    yield from _near("value", record.value, fmean(values))
    between = variance(values) if len(values) > 1 else None
    own, shared = _averages(record.covariance)
    yield from _near("between", record.between, between)
    yield from _near("variance", record.variance, own)
    yield from _near("same_modality", record.same_modality, shared)
    j, cases = len(values), "cases" in record.random
    if "readers" not in record.random:
        total, df = max(own + (j - 1) * shared, 0.0), None
    elif between is None:
        yield from _without(record.interval, record.reason)
        return
    else:
        total = between + (max(j * shared, 0.0) if cases else 0.0)
        df = _degrees(total, between, j)
    error = math.sqrt(total / j)
    yield from _near("standard_error", record.standard_error, error)
    if not error:
        yield from _without(record.interval, record.reason)
        return
    yield from _near("df", record.df, df)
    yield from _limits(record.interval, fmean(values), error, df, (0.0, 1.0))


def _reader(record: ReaderMean, one: ReaderValue) -> Iterator[str]:
    name = f"{one.reader}, value"
    if one.value is None:
        if not one.reason:
            yield f"{name} is not there, and no reason is given"
        return
    if one.cells is None:
        return
    cells = one.cells
    above, beside = (cells.tp, cells.fn) if record.metric == "recall" else (cells.tn, cells.fp)
    n = above + beside
    yield from _near(name, one.value, above / n if n else None)
    if one.interval is not None and one.interval.method == "wilson":
        low, high = _wilson(above, n, one.interval.level)
        yield from _near(f"{one.reader}, lower limit", one.interval.low, low)
        yield from _near(f"{one.reader}, upper limit", one.interval.high, high)


def _areas(record: ReaderMean) -> Iterator[str]:
    """Limits of each reader's area in score form, by the variance of that area."""
    own = [one for one in record.readers if one.value is not None]
    for place, one in enumerate(own):
        area, limits = one.value, one.interval
        if area is None or limits is None or limits.method != "delong_score":
            continue
        seen = math.sqrt(max(record.covariance[place][place], 0.0))
        error = seen if seen > _NO_ERROR else None
        low, high = area_in_score_form(area, error, one.positives, one.negatives, limits.level)
        yield from _near(f"{one.reader}, lower limit", limits.low, low)
        yield from _near(f"{one.reader}, upper limit", limits.high, high)


def _wilson(above: float, n: float, level: float) -> tuple[float, float]:
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, width = above / n, 1 + z * z / n
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / width
    centre = (share + z * z / (2 * n)) / width
    return (centre - half if above else 0.0), (centre + half if above < n else 1.0)


def _averages(matrix: Matrix) -> tuple[float, float]:
    """The mean of the diagonal, and of what stands beside it."""
    j = len(matrix)
    own = [matrix[k][k] for k in range(j)]
    beside = [matrix[k][m] for k in range(j) for m in range(j) if k != m]
    return fmean(own), fmean(beside) if beside else 0.0


def _degrees(total: float, between: float, readers: int) -> float | None:
    return None if between == 0.0 else total**2 * (readers - 1) / between**2


def _without(interval: Interval | None, reason: str | None) -> Iterator[str]:
    if interval is not None or not reason:
        yield "there can be no limits, and the record has some or no reason"


def _limits(
    interval: Interval | None,
    centre: float,
    error: float,
    df: float | None,
    within: tuple[float, float],
) -> Iterator[str]:
    if interval is None:
        yield "there are no limits"
        return
    level = (1 + interval.level) / 2
    factor = NormalDist().inv_cdf(level) if df is None else t_quantile(level, df)
    low, high = (
        min(max(limit, within[0]), within[1])
        for limit in (centre - factor * error, centre + factor * error)
    )
    yield from _near("lower limit", interval.low, low)
    yield from _near("upper limit", interval.high, high)


# -- differences of two models -----------------------------------------------------------------


@checks(
    ReaderDifference,
    lambda r, _: f"{r.metric} of {r.model} against {r.reference} over readers on {r.dataset}",
    holds=_DIFFERENCE,
    unless={
        "cross": _OF_READERS,
        **_SETTINGS,
        "threshold": OF_THE_SPEC,
        "reference_threshold": OF_THE_SPEC,
    },
)
def difference_over_readers(record: ReaderDifference, known: Known) -> Iterator[Finding]:
    """Values by the records of both models, and everything of their difference."""
    yield held_numbers(*_DIFFERENCE)
    if not record.readers:
        yield from _near("difference", record.difference, None)
        return
    sides = [
        _mean_of(known, record, record.model, record.threshold),
        _mean_of(known, record, record.reference, record.reference_threshold),
    ]
    matrices = []
    stated = (record.values, record.reference_values)
    for side, values in zip(sides, stated, strict=True):
        if side is None:
            yield "there is no record of the readers of one of the models"
            return
        own = [one.reader for one in side.readers if one.value is not None]
        held = {one.reader: one.value for one in side.readers}
        if list(values) != [held.get(name) for name in record.readers]:
            yield f"values of {side.model} are not those of its readers"
            return
        places = [own.index(name) for name in record.readers]
        matrices.append([[side.covariance[a][b] for b in places] for a in places])
    yield from _of_both(record, matrices)


def _mean_of(
    known: Known, record: ReaderDifference, model: str, threshold: float | None
) -> ReaderMean | None:
    key = (record.dataset, record.metric, record.label, model, threshold)
    return next(
        (
            one
            for one in known.results.readers
            if (one.dataset, one.metric, one.label, one.model, one.threshold) == key
        ),
        None,
    )


def _of_both(record: ReaderDifference, matrices: Sequence[Matrix]) -> Iterator[str]:
    apart = [a - b for a, b in zip(record.values, record.reference_values, strict=True)]
    j = len(apart)
    between = variance(apart) / 2 if j > 1 else None
    own, shared = (fmean(pair) for pair in zip(*map(_averages, matrices), strict=True))
    reader, neither = _averages(record.cross)
    yield from _near("difference", record.difference, fmean(apart))
    yield from _near("between", record.between, between)
    yield from _near("variance", record.variance, own)
    yield from _near("same_reader", record.same_reader, reader)
    yield from _near("same_modality", record.same_modality, shared)
    yield from _near("neither", record.neither, neither)
    if "readers" not in record.random:
        total, df = max(own - reader + (j - 1) * (shared - neither), 0.0), None
    elif between is None:
        yield from _without(record.interval, record.reason)
        return
    else:
        cases = max(j * (shared - neither), 0.0) if "cases" in record.random else 0.0
        total = between + cases
        df = _degrees(total, between, j)
    error = math.sqrt(2 * total / j)
    yield from _near("standard_error", record.standard_error, error)
    if not error:
        yield from _without(record.interval, record.reason)
        return
    yield from _near("df", record.df, df)
    statistic = fmean(apart) / error
    yield from _near("statistic", record.statistic, statistic)
    p = normal_two_sided(statistic) if df is None else t_two_sided(statistic, df)
    yield from _near("p_value", record.p_value, p)
    yield from _limits(record.interval, fmean(apart), error, df, (-1.0, 1.0))
    if record.interval is not None:
        yield from _verdict(record, record.interval)


def _verdict(record: ReaderDifference, limits: Interval) -> Iterator[str]:
    better = "model" if limits.low > 0 else "reference" if limits.high < 0 else None
    if (record.better, record.told_apart) != (better, better is not None):
        yield f"better is {record.better!r}, its limits give {better!r}"
    if record.margin is not None and record.non_inferior != (limits.low > -record.margin):
        yield f"non_inferior is {record.non_inferior!r}, its limits give the other"


# -- agreement ---------------------------------------------------------------------------------

Weighted = Sequence[tuple[tuple[int, ...], float]]


def _percent(ratings: Weighted, _factor: float | None = None) -> float:
    rated = _twice(ratings)
    return sum(_alike(counts) * cases for counts, cases in rated) / _cases(rated)


def _twice(ratings: Weighted) -> Weighted:
    """The cases that two readers read, or more."""
    return [(counts, cases) for counts, cases in ratings if sum(counts) >= 2]


def _cases(ratings: Weighted) -> float:
    return sum(cases for _, cases in ratings)


def _alike(counts: tuple[int, ...]) -> float:
    """The share of pairs of readers of a case that agree."""
    n = sum(counts)
    return sum(count * (count - 1) for count in counts) / (n * (n - 1))


def _shares(ratings: Weighted) -> list[float]:
    """The mean over cases of the share of their readers in each category."""
    return [
        sum(counts[k] / sum(counts) * cases for counts, cases in ratings) / _cases(ratings)
        for k in range(len(ratings[0][0]))
    ]


def _corrected(ratings: Weighted, chance: float, factor: float | None) -> float:
    """Agreement beyond chance, summed over cases that two readers read.

    ``factor``: all cases over those, which Gwet's variance takes as given.
    """
    over = sum((_alike(counts) - chance) * cases for counts, cases in _twice(ratings))
    scale = _cases(ratings) / _cases(_twice(ratings)) if factor is None else factor
    return scale * over / _cases(ratings) / (1 - chance)


def _fleiss(ratings: Weighted, factor: float | None = None) -> float:
    return _corrected(ratings, sum(share**2 for share in _shares(ratings)), factor)


def _gwet(ratings: Weighted, factor: float | None = None) -> float:
    shares = _shares(ratings)
    chance = sum(share * (1 - share) for share in shares) / (len(shares) - 1)
    return _corrected(ratings, chance, factor)


def _krippendorff(ratings: Weighted, _factor: float | None = None) -> float:
    """1 less observed over expected disagreement of all pairable values."""
    paired = _twice(ratings)
    values = sum(sum(counts) * cases for counts, cases in paired)
    observed = sum(
        (sum(counts) ** 2 - sum(count**2 for count in counts)) / (sum(counts) - 1) * cases
        for counts, cases in paired
    )
    categories = [sum(c[k] * cases for c, cases in paired) for k in range(len(paired[0][0]))]
    expected = values**2 - sum(own**2 for own in categories)
    return 1 - (values - 1) * observed / expected


_COEFFICIENTS: dict[str, Callable[[Weighted, float | None], float]] = {
    "percent_agreement": _percent,
    "fleiss_kappa": _fleiss,
    "gwet_ac1": _gwet,
    "krippendorff_alpha": _krippendorff,
}


@checks(
    ReaderAgreement,
    lambda r, _: f"agreement of the readers of {r.model} on {r.dataset}",
    holds=("coefficients.value", "coefficients.cases", "coefficients.interval", "pairs.agreement",
           "pairs.kappa", "pairs.interval"),
    unless={
        "ratings": _OF_READERS,
        "pairs.counts": _OF_READERS,
        "coefficients.standard_error": "the error of alpha is not worked out again",
        "threshold": OF_THE_SPEC,
    },
)  # fmt: skip
def agreement_of_readers(record: ReaderAgreement, _known: Known) -> Iterator[Finding]:
    """Every coefficient by the ratings, and kappa of every two readers by their table."""
    yield held_numbers("coefficients.value", "coefficients.cases", "pairs.agreement", "pairs.kappa")
    yield held_numbers("coefficients.interval.low", "coefficients.interval.high")
    yield held_numbers("pairs.interval.low", "pairs.interval.high")
    ratings = [(one.counts, float(one.cases)) for one in record.ratings if any(one.counts)]
    for coefficient in record.coefficients:
        yield from _coefficient(coefficient, ratings)
    for pair in record.pairs:
        yield from _pair(pair)


def _coefficient(record: Coefficient, ratings: Weighted) -> Iterator[str]:
    name = record.name
    twice = _cases(_twice(ratings))
    used = sum(any(counts[k] for counts, _ in ratings) for k in range(len(ratings[0][0])))
    if twice < 2 or used < 2:
        yield from _near(name, record.value, None)
        return
    function = _COEFFICIENTS[name]
    yield from _near(name, record.value, function(ratings, None))
    if record.standard_error is None or record.cases is None or record.value is None:
        yield f"{name} has no standard error"
        return
    every = _cases(ratings)
    only_rated = name in ("percent_agreement", "krippendorff_alpha")
    yield from _near(f"{name}, cases", record.cases, twice if only_rated else every)
    # alpha's error is that of alpha without a small-sample term
    if name != "krippendorff_alpha" and len(ratings) <= _MOST_KINDS:
        error = _standard_error(function, ratings, record.cases)
        yield from _differs(f"{name}, error", record.standard_error, error, _BY_DIFFERENCES)
    if record.interval is None:
        yield from _without(None, record.reason)
        return
    half = t_quantile((1 + record.interval.level) / 2, record.cases - 1) * record.standard_error
    yield from _near(f"{name}, lower limit", record.interval.low, max(record.value - half, -1.0))
    yield from _near(f"{name}, upper limit", record.interval.high, min(record.value + half, 1.0))


def _standard_error(
    function: Callable[[Weighted, float | None], float], ratings: Weighted, cases: float
) -> float:
    """By how much the value moves with the weight of each case (linearised variance)."""
    total, step, factor = 0.0, 1e-4, _cases(ratings) / _cases(_twice(ratings))
    for place, (_, times) in enumerate(ratings):
        up, down = (
            function([(c, w + move * (k == place)) for k, (c, w) in enumerate(ratings)], factor)
            for move in (step, -step)
        )
        total += times * ((up - down) / (2 * step)) ** 2
    return math.sqrt(total * cases / (cases - 1))


def _pair(pair: ReaderPair) -> Iterator[str]:
    name = f"{pair.first} and {pair.second}"
    n = sum(map(sum, pair.counts))
    size = range(len(pair.counts))
    if not n:
        yield from _near(f"{name}, kappa", pair.kappa, None)
        return
    same = sum(pair.counts[k][k] for k in size) / n
    margins = [(sum(pair.counts[k]) / n, sum(row[k] for row in pair.counts) / n) for k in size]
    chance = sum(row * column for row, column in margins)
    yield from _near(f"{name}, agreement", pair.agreement, same)
    one_category = any(row == 1.0 and column == 1.0 for row, column in margins)
    kappa = None if one_category else (same - chance) / (1 - chance)
    yield from _near(f"{name}, kappa", pair.kappa, kappa)
    if pair.interval is None or kappa is None:
        return
    error = _kappa_error(pair.counts, margins, same, chance)
    half = NormalDist().inv_cdf((1 + pair.interval.level) / 2) * error
    yield from _near(f"{name}, lower limit", pair.interval.low, max(kappa - half, -1.0))
    yield from _near(f"{name}, upper limit", pair.interval.high, min(kappa + half, 1.0))


def _kappa_error(
    counts: Matrix, margins: list[tuple[float, float]], same: float, chance: float
) -> float:
    """The standard error of Fleiss, Cohen and Everitt (1969)."""
    n, total = sum(map(sum, counts)), 0.0
    for k, row in enumerate(counts):
        for m, count in enumerate(row):
            own = (k == m) * (1 - chance) - (margins[k][1] + margins[m][0]) * (1 - same)
            total += count / n * own**2
    total -= (same * chance - 2 * chance + same) ** 2
    return math.sqrt(max(total, 0.0) / n) / (1 - chance) ** 2
