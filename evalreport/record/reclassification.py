"""Net reclassification of results.json again, from the rows that moved."""

from __future__ import annotations

import math
from statistics import NormalDist

from evalreport.record.checks import OF_THE_SPEC, Finding, Known, checks, held
from evalreport.record.table_counts import number
from evalreport.results.records import Interval, Reclassification

_ROUNDING = 1e-9
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
