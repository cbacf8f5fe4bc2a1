"""Tests of all models at once again, from the counts, covariances or ranks beside them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from evalreport.record.checks import OF_THE_SPEC, Finding, Known, checks, held
from evalreport.results.records import OmnibusTest
from evalreport.statistics import several
from evalreport.statistics.paired import ChiSquare

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
