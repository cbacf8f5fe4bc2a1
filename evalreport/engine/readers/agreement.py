"""How far readers agree with each other: coefficients of all readers, and of every two."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from evalreport.engine.intervals import methods
from evalreport.engine.readers.placing import Cut, Reading, Study
from evalreport.results import records
from evalreport.results.records import Coefficient, Ratings, ReaderAgreement, ReaderPair
from evalreport.statistics import agreement, raters

Table = npt.NDArray[np.int64]

#: Limits by Gwet's linearised variance, with Student's t.
METHOD = "linearised_t"
COEFFICIENTS: Mapping[str, Callable[[Table], raters.Agreement | None]] = {
    "percent_agreement": raters.percent_agreement,
    "fleiss_kappa": raters.fleiss_kappa,
    "gwet_ac1": raters.gwet_ac1,
    "krippendorff_alpha": raters.krippendorff_alpha,
}
#: Above so many readers, or categories, no two readers are held against each other.
MOST_PAIRED = 20


def agreement_records(study: Study, level: float) -> Iterator[ReaderAgreement]:
    """The agreement of the readers of a model, at each of its thresholds."""
    for record, cut in zip(planned_agreement(study), study.cuts, strict=True):
        yield _counted(record, study, cut, level)


def planned_agreement(reading: Reading) -> list[ReaderAgreement]:
    """The records of the agreement at each threshold, before anything is counted."""
    view = reading.view
    return [
        ReaderAgreement(
            dataset=view.dataset, model=view.model, threshold=cut.number, threshold_rule=cut.rule,
            labels=(), readers=(), ratings=(), coefficients=(),
        )
        for cut in reading.cuts
    ]  # fmt: skip


def _counted(record: ReaderAgreement, study: Study, cut: Cut, level: float) -> ReaderAgreement:
    view, said = study.view, study.predicted[cut.number]
    labels = (*view.labels, *view.indeterminate)
    laid = np.full((len(study.names), len(study.truth)), -1, np.int64)
    laid[study.reader, study.case] = said
    laid = laid[:, study.truth >= 0]
    table = np.stack([(laid == code).sum(axis=0) for code in range(len(labels))], axis=1)
    used = np.flatnonzero(table.any(axis=0))  # a category that nobody used is none
    table, names = table[:, used], tuple(labels[code] for code in used.tolist())
    kinds, cases = np.unique(table, axis=0, return_counts=True)
    record = replace(
        record,
        labels=names,
        readers=study.names,
        ratings=tuple(
            Ratings(tuple(kind), count)
            for kind, count in zip(kinds.tolist(), cases.tolist(), strict=True)
        ),
    )
    return filled_agreement(
        record, table, _pairs(laid, used), level, clustered=study.clusters is not None
    )


def filled_agreement(
    record: ReaderAgreement, table: Table, pairs: Iterable[Table], level: float, *, clustered: bool
) -> ReaderAgreement:
    """The record with the coefficients of all readers, and of every two.

    ``table``: cases by categories, how many readers put each case into each; ``pairs``: of each
    two readers the cases that both read, rows the first, columns the second.
    """
    paired = max(len(record.readers), len(record.labels)) <= MOST_PAIRED
    both = zip(combinations(record.readers, 2), pairs, strict=True) if paired else ()
    notes = [
        "cases of one cluster are treated as independent" if clustered else "",
        f"readers are compared in pairs up to {MOST_PAIRED} readers and categories"
        if not paired
        else "",
    ]
    return replace(
        record,
        coefficients=tuple(_coefficient(name, table, level) for name in COEFFICIENTS),
        pairs=tuple(_pair(*names, counts, level) for names, counts in both),
        note="; ".join(note for note in notes if note) or None,
    )


def _coefficient(name: str, table: Table, level: float) -> Coefficient:
    """A coefficient of cases by categories: how many readers put each case into each."""
    found = COEFFICIENTS[name](table)
    if found is None:
        twice = int(np.count_nonzero(table.sum(axis=1) >= 2))
        if twice < 2:
            reason = "fewer than two cases were read by two readers"
        else:
            reason = "every reading is of one category"
        return Coefficient(name=name, value=None, reason=reason)
    limits = found.interval(level)
    interval = None
    if found.standard_error > 0.0:
        interval = records.Interval(level, limits.low, limits.high, METHOD)
    return Coefficient(
        name=name,
        value=found.value,
        standard_error=found.standard_error,
        cases=found.subjects,
        interval=interval,
        reason=None if interval else "all cases agree equally: its variance is estimated as 0",
    )


def _pairs(laid: Table, used: Table) -> Iterator[Table]:
    """The cases that each two readers both read, by the categories of both."""
    place = np.full(int(used.max()) + 1, -1, np.int64)
    place[used] = np.arange(len(used))
    for first, second in combinations(laid, 2):
        shared = (first >= 0) & (second >= 0)
        code = place[first[shared]] * len(used) + place[second[shared]]
        yield np.bincount(code, minlength=len(used) ** 2).reshape(len(used), len(used))


def _pair(first: str, second: str, counts: Table, level: float) -> ReaderPair:
    """Two readers by the cases that both read: rows the first, columns the second."""
    n = int(counts.sum())
    kappa = agreement.kappa(counts)
    reason = None
    if n == 0:
        reason = "no case was read by both"
    elif kappa is None:
        reason = "both put every case into the same category"
    limits = agreement.kappa_wald(counts, level) if n >= 2 else None
    interval = methods.from_limits(limits, level, "wald")
    return ReaderPair(
        first=first,
        second=second,
        counts=tuple(map(tuple, counts.tolist())),
        agreement=float(np.trace(counts)) / n if n else None,
        kappa=kappa,
        interval=interval if methods.has_width(interval) else None,
        reason=reason,
    )
