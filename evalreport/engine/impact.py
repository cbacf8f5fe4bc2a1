"""Selection rates and impact ratios of groups, as New York City's rule defines them.

6 RCNY 5-300 and 5-301: the selection rate of a category is selected over total; for
scores the scoring rate is the share strictly above the median of the full sample; the
impact ratio is the rate over the highest rate of the categories. Rows of unknown
category are counted and get no rate. The four-fifths flag is 29 CFR 1607.4(D).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.engine.intervals import IntervalResult
from evalreport.engine.memory import MemoryTables
from evalreport.engine.records import Measure
from evalreport.plan.task import Slice
from evalreport.predict.view import View
from evalreport.statistics.ratios import impact_ratio as ratio_interval
from evalreport.statistics.unpaired import fisher_exact

UNKNOWN = "(missing)"
FOUR_FIFTHS = 0.8
#: Groups below this are marked small: a few rows can turn the ratio.
SMALL = 30


@dataclass(frozen=True)
class Selection:
    """How many rows of one group are selected, out of how many.

    ``selected`` and ``n`` are sums of weights where rows are weighted; ``rows`` then
    counts them.
    """

    group: tuple[tuple[str, str], ...]
    selected: float
    n: float
    rows: int | None = None

    @property
    def rate(self) -> float | None:
        """Selected over total; None without rows."""
        return self.selected / self.n if self.n > 0 else None

    @property
    def unknown(self) -> bool:
        """Whether the category is not known in one of the columns."""
        return any(value == UNKNOWN for _, value in self.group)


@dataclass(frozen=True)
class Scoring:
    """Groups by the share of rows strictly above ``median``, that of the full sample."""

    median: float
    selections: tuple[Selection, ...]


def selections_at(
    tables: MemoryTables, columns: Sequence[str], threshold: float | None
) -> tuple[Selection, ...]:
    """Rows predicted positive, by group of one column or a crossing of columns."""
    selected = tables.predicted(threshold) == tables.view.positive_index
    return _counted(tables, columns, selected)


def scoring_rates(tables: MemoryTables, columns: Sequence[str]) -> Scoring | None:
    """Rows scored above the median of all rows, unknown categories included.

    None where there is no score or no row.
    """
    scores, weight = tables.view.score, tables.view.weight
    if scores is None or not len(scores):
        return None
    median = float(np.median(scores)) if weight is None else _weighted_median(scores, weight)
    return Scoring(median, _counted(tables, columns, scores > median))


def _weighted_median(
    scores: npt.NDArray[np.float64], weight: npt.NDArray[np.float64]
) -> float:
    """The smallest score with at least half of the weight at or below it."""
    order = np.argsort(scores, kind="stable")
    below = np.cumsum(weight[order])
    return float(scores[order][int(np.searchsorted(below, below[-1] / 2))])


def _counted(
    tables: MemoryTables, columns: Sequence[str], selected: npt.NDArray[np.bool_]
) -> tuple[Selection, ...]:
    view = tables.view
    code = np.zeros(view.rows, np.int64)
    sizes = []
    for column in columns:
        codes, values = view.groups[column]
        code = code * len(values) + codes
        sizes.append(len(values))
    found = []
    for present in np.unique(code).tolist():
        inside = code == present
        names, rest = [], present
        for column, size in zip(reversed(columns), reversed(sizes), strict=True):
            rest, place = divmod(rest, size)
            names.append((column, view.groups[column][1][place]))
        chosen = inside & selected
        counts = _total(view.weight, chosen), _total(view.weight, inside)
        found.append(Selection(tuple(reversed(names)), *counts, rows=int(inside.sum())))
    return tuple(found)


def _total(weight: npt.NDArray[np.float64] | None, rows: npt.NDArray[np.bool_]) -> float:
    return float(np.count_nonzero(rows)) if weight is None else math.fsum(weight[rows])


def highest(selections: Sequence[Selection], smallest_share: float = 0.0) -> Selection | None:
    """The group with the highest rate, of those that take part; the first of equals."""
    taking = [s for s in _taking_part(selections, smallest_share) if s.rate is not None]
    return max(taking, key=lambda s: s.rate or 0.0, default=None)


def _taking_part(selections: Sequence[Selection], smallest_share: float) -> list[Selection]:
    total = math.fsum(s.n for s in selections)
    known = [s for s in selections if not s.unknown]
    return [s for s in known if s.n > 0 and s.n >= smallest_share * total]


def impact_ratios(
    selections: Sequence[Selection],
    level: float,
    *,
    weighted: bool = False,
    smallest_share: float = 0.0,
) -> list[dict[str, Any]]:
    """One record per group of one column or crossing, in the order given.

    Args:
        selections: every group, those of unknown category included.
        level: of the log interval of the ratio, which the rule does not ask for; the
            group with the highest rate is chosen by the data, and the interval takes it
            as given.
        weighted: counts are sums of weights: no interval and no test.
        smallest_share: groups with a smaller share of the rows are left out of the
            ratios, with their number and rate (the rule allows it below 0.02).

    >>> sexes = [Selection((("sex", "M"),), 50, 92), Selection((("sex", "F"),), 34, 76)]
    >>> [round(r["impact_ratio"], 2) for r in impact_ratios(sexes, 0.95)]
    [1.0, 0.82]
    """
    top = highest(selections, smallest_share)
    taking = _taking_part(selections, smallest_share)
    unknown = math.fsum(s.n for s in selections if s.unknown)
    total = math.fsum(s.n for s in selections)
    records = []
    for s in selections:
        record: dict[str, Any] = {
            "subgroup": dict(s.group),
            "selected": _plain(s.selected),
            "n": _plain(s.n),
            "rows": s.rows if s.rows is not None else _plain(s.n),
            "share_of_rows": s.n / total if total > 0 else None,
            "selection_rate": None if s.unknown else s.rate,
            **_NOTHING,
            "reason": _left_out(s, taking, smallest_share),
        }
        if record["reason"] is None and top is not None:
            record.update(_ratio(s, top, level, weighted=weighted))
            if unknown > 0:
                record["bounds"] = _bounds(s, taking, unknown)
        records.append(record)
    return records


_NOTHING: Mapping[str, Any] = {
    "impact_ratio": None,
    "highest": False,
    "against_subgroup": None,
    "highest_fraction": None,
    "interval": None,
    "p_value": None,
    "test": None,
    "below_four_fifths": None,
    "small": None,
    "bounds": None,
}


def _left_out(s: Selection, taking: Sequence[Selection], smallest_share: float) -> str | None:
    if s.unknown:
        return "the category is not known: counted, without a rate"
    if s.n <= 0:
        return "there is no row"
    if s not in taking:
        return f"fewer than {100 * smallest_share:g} % of the rows"
    return None


def _ratio(s: Selection, top: Selection, level: float, *, weighted: bool) -> dict[str, Any]:
    if not top.rate or s.rate is None:
        return {"reason": "no group has a selected row: 0 / 0", "small": s.n < SMALL}
    ratio = 1.0 if s is top else (s.selected * top.n) / (s.n * top.selected)
    found: dict[str, Any] = {
        "impact_ratio": ratio,
        "highest": s is top,
        "against_subgroup": dict(top.group),
        "highest_fraction": [_plain(top.selected), _plain(top.n)],
        "below_four_fifths": ratio < FOUR_FIFTHS,
        "small": s.n < SMALL,
    }
    if s is not top and not weighted:
        limits = ratio_interval(s.selected, s.n, top.selected, top.n, level)
        if limits is not None:
            found["interval"] = {
                "level": level,
                "low": limits.low,
                "high": limits.high,
                "method": "log",
            }
        found["test"] = "fisher_exact"
        found["p_value"] = fisher_exact(
            round(s.selected), round(s.n), round(top.selected), round(top.n)
        )
    return found


def impact_measure(
    record: Mapping[str, Any],
    *,
    measure_id: str,
    view: View,
    threshold: float | None,
    threshold_rule: str | None,
    table: str | None,
) -> Measure:
    """A record of :func:`impact_ratios` as a measure: rate over highest rate.

    ``table`` is the id of the group's classification table.
    """
    ratio, interval = record["impact_ratio"], record["interval"]
    top = record["highest_fraction"]
    return Measure(
        id=measure_id,
        dataset=view.dataset,
        model=view.model,
        where=Slice(tuple(record["subgroup"].items())),
        metric="impact_ratio",
        title="Impact ratio",
        params={},
        average=None,
        label=view.labels[view.positive_index],
        threshold=threshold,
        threshold_rule=threshold_rule,
        state="undefined" if ratio is None else "value",
        value=ratio,
        reason=record["reason"],
        interval=None
        if interval is None
        else IntervalResult(interval["level"], interval["low"], interval["high"], "log"),
        n=int(record["rows"]),
        table=table,
        formula="(selected / n) / (selected / n of the group with the highest rate)",
        substituted=""
        if top is None
        else f"({record['selected']} / {record['n']}) / ({top[0]} / {top[1]})",
        numerator=record["selection_rate"] if top is not None else None,
        denominator=top[0] / top[1] if top is not None else None,
    )


def _bounds(s: Selection, taking: Sequence[Selection], unknown: float) -> dict[str, Any]:
    """The rate and ratio if every row of unknown category were of this group.

    Once with all of them taken as not selected, once as selected; the other groups keep
    their rates.
    """
    others = max((o.rate or 0.0 for o in taking if o is not s), default=0.0)
    found: dict[str, Any] = {"unknown": _plain(unknown)}
    for name, selected in (("not_selected", s.selected), ("selected", s.selected + unknown)):
        rate = selected / (s.n + unknown)
        most = max(rate, others)
        found[name] = {"selection_rate": rate, "impact_ratio": rate / most if most > 0 else None}
    return found


def _plain(number: float) -> int | float:
    return int(number) if float(number).is_integer() else number
