"""Selection rates and impact ratios of groups, as New York City's rule defines them.

6 RCNY 5-300 and 5-301: the selection rate of a category is selected over total; for
scores the scoring rate is the share strictly above the median of the full sample; the
impact ratio is the rate over the highest rate of the categories. Rows of unknown
category are counted and get no rate. The four-fifths flag is 29 CFR 1607.4(D).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evalreport.engine.counting.classification import ClassificationTable
from evalreport.engine.settings import ImpactRule
from evalreport.metrics.formula import whole
from evalreport.metrics.methods import KOOPMAN, OF_RATES
from evalreport.metrics.tables import ScoreTable
from evalreport.results.records import (
    ImpactCategory,
    Interval,
    Rates,
    UnknownBounds,
    with_disagreement,
)
from evalreport.statistics.exact_sums import exact_sum
from evalreport.statistics.ratios import RATIO_METHODS
from evalreport.statistics.unpaired import fisher_exact

FOUR_FIFTHS = 0.8
#: The rule lets categories of a smaller share of the rows be left out.
LEAVE_OUT = 0.02
#: Groups below this are marked small: a few rows can turn the ratio.
SMALL = 30


#: Only what is missing is unknown, and no group is left out for its size.
NO_RULE = ImpactRule()


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


def selection(
    cells: ClassificationTable, group: tuple[tuple[str, str], ...], positive: int
) -> Selection:
    """Rows predicted positive, of all rows of a group; an indeterminate row is not selected."""
    selected = math.fsum(v for (_, column), v in cells.cells.items() if column == positive)
    return Selection(group, selected, math.fsum(cells.cells.values()), cells.rows)


def median(table: ScoreTable) -> float | None:
    """The median score: the middle of the rows, or the mean of the two in the middle.

    Of weighted rows the smallest score with at least half of the weight at or below it.
    None without rows.
    """
    weight = (table.positives + table.negatives)[::-1]
    scores, total = table.scores[::-1], weight.sum()
    if not total > 0:
        return None
    below = np.cumsum(weight)
    place = int(np.searchsorted(below, total / 2))
    if np.issubdtype(weight.dtype, np.integer) and below[place] * 2 == total:
        return float((scores[place] + scores[place + 1]) / 2)
    return float(scores[place])


def scored_above(
    table: ScoreTable, group: tuple[tuple[str, str], ...], limit: float, rows: int
) -> Selection:
    """Rows of a group whose score is strictly above a limit."""
    above = table.scores > limit
    weight = table.positives + table.negatives
    weight = np.asarray(weight, np.float64)
    return Selection(group, exact_sum(weight[above]), exact_sum(weight), rows)


def highest(selections: Sequence[Selection], rule: ImpactRule = NO_RULE) -> Selection | None:
    """The group with the highest rate, of those that take part; the first of equals."""
    taking = [s for s in selections if left_out(s, selections, rule) is None]
    return max(taking, key=lambda s: s.rate or 0.0, default=None)


def left_out(s: Selection, selections: Sequence[Selection], rule: ImpactRule) -> str | None:
    """Why a group takes no part in the ratios, or None."""
    if rule.is_unknown(s.group):
        return "the category is not known: counted, without a rate"
    if s.n <= 0:
        return "there is no row"
    if s.n < rule.smallest_share * math.fsum(one.n for one in selections):
        return f"fewer than {100 * rule.smallest_share:g} % of the rows"
    return None


def impact_ratios(
    selections: Sequence[Selection],
    level: float,
    *,
    method: str | None = KOOPMAN,
    independent: bool = True,
    rule: ImpactRule = NO_RULE,
) -> list[ImpactCategory]:
    """One record per group of one column or crossing, in the order given.

    Args:
        selections: every group, those of unknown category included.
        level: of the interval of the ratio, which the rule does not ask for; the group with the
            highest rate is chosen by the data, and the interval takes it as given.
        method: of that interval, one of ``RATIO_METHODS``; none by any other.
        independent: False where counts are sums of weights or rows of one cluster depend
            on each other: no interval and no test.
        rule: what is unknown, and which groups are left out with their number and rate.

    >>> sexes = [Selection((("sex", "M"),), 50, 92), Selection((("sex", "F"),), 34, 76)]
    >>> [round(r.impact_ratio, 2) for r in impact_ratios(sexes, 0.95)]
    [1.0, 0.82]
    """
    top = highest(selections, rule)
    taking = [s for s in selections if left_out(s, selections, rule) is None]
    unknown = math.fsum(s.n for s in selections if rule.is_unknown(s.group))
    total = math.fsum(s.n for s in selections)
    found = []
    for s in selections:
        share = s.n / total if total > 0 else None
        category = ImpactCategory(
            subgroup=dict(s.group),
            selected=whole(s.selected),
            n=whole(s.n),
            rows=s.rows if s.rows is not None else int(s.n),
            share_of_rows=share,
            under_two_percent=share is not None and share < LEAVE_OUT,
            selection_rate=None if rule.is_unknown(s.group) else s.rate,
            reason=left_out(s, selections, rule),
            unknown=rule.is_unknown(s.group),
        )
        if category.reason is None and top is not None:
            category = _with_ratio(category, s, top)
            if independent and category.impact_ratio is not None and s is not top:
                category = _tested(category, s, top, level, method)
            if unknown > 0:
                category = replace(category, bounds=_bounds(s, taking, unknown))
        found.append(category)
    return found


def _with_ratio(category: ImpactCategory, s: Selection, top: Selection) -> ImpactCategory:
    if not top.rate or s.rate is None:
        reason = "no group has a selected row: 0 / 0"
        return replace(category, reason=reason, small=s.n < SMALL)
    ratio = 1.0 if s is top else (s.selected * top.n) / (s.n * top.selected)
    return replace(
        category,
        impact_ratio=ratio,
        highest=s is top,
        against_subgroup=dict(top.group),
        highest_fraction=(whole(top.selected), whole(top.n)),
        below_four_fifths=ratio < FOUR_FIFTHS,
        small=s.n < SMALL,
    )


def _tested(
    category: ImpactCategory, s: Selection, top: Selection, level: float, method: str | None
) -> ImpactCategory:
    """With the test of both rates, and the limits of their ratio."""
    of_ratio, limits = RATIO_METHODS.get(method or ""), None
    if method is not None and of_ratio is not None:
        found = of_ratio(s.selected, s.n, top.selected, top.n, level)
        limits = None if found is None else Interval(level, found.low, found.high, method)
    tested = replace(
        category,
        interval=limits,
        test=OF_RATES,
        p_value=fisher_exact(round(s.selected), round(s.n), round(top.selected), round(top.n)),
    )
    return with_disagreement(tested)


def _bounds(s: Selection, taking: Sequence[Selection], unknown: float) -> UnknownBounds:
    """The rate and ratio if every row of unknown category were of this group.

    Once with all of them taken as not selected, once as selected; the other groups keep
    their rates.
    """
    others = max((o.rate or 0.0 for o in taking if o is not s), default=0.0)
    both = []
    for selected in (s.selected, s.selected + unknown):
        rate = selected / (s.n + unknown)
        most = max(rate, others)
        both.append(Rates(rate, rate / most if most > 0 else None))
    return UnknownBounds(whole(unknown), *both)
