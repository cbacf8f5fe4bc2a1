"""Years of weekly looks and courses of months, drawn; writes the tables of docs/looks.md.

Run from the repository: ``PYTHONPATH=tests python -m benchmarks.bench_looks``. What decides is
the code that decides in a run: boundaries, intervals, outcomes, charts, points of change.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evalreport.statistics.change import change_of_shares, cusum, self_starting_shares
from evalreport.statistics.control_limits import EarlierValues
from evalreport.statistics.looks import (
    CONTINUE,
    FAIL,
    Block,
    endless_limits,
    outcome_of,
    planned_limits,
    planned_look,
    standing,
    together,
)
from evalreport.statistics.proportions import wilson
from evalreport.statistics.separate_samples import Estimate

SEED = 20261122
YEARS = 10_000
LOOKS = 52
#: Rows that come in between two looks, and what is required of their share.
ROWS, REQUIRED = 30, 0.85
FALL = 0.05
ALPHA = 0.05
COURSES = 500
#: Chances of finding the fall at which the weeks are compared.
POWERS = (0.5, 0.8, 0.9)
EACH, CHART = "each look at 95 %", "control chart, 3 sigmas"
KINDS = ("pocock", "obrien_fleming", "always", EACH, CHART)
PAGE = Path(__file__).resolve().parents[2] / "docs" / "looks.md"
BEGIN, END = "<!-- tables: begin -->", "<!-- tables: end -->"


class Year(NamedTuple):
    """At which look a year failed, 0 for none, and what stood at its end."""

    failed: int
    stands: str


class Plan(NamedTuple):
    """A year: how many looks it has, and the rows that come in between two of them."""

    looks: int
    rows: int
    unit: str


YEARS_OF = (Plan(LOOKS, ROWS, "weeks"), Plan(12, 130, "months"))


@cache
def outcome(kind: str, plan: Plan, k: int, x: int) -> str:
    """What look ``k`` gives if ``x`` of all rows so far are right; the code of a run."""
    sofar = together([Block(plan.rows * k, x, plan.rows * k)])
    assert sofar is not None
    assert sofar.counts is not None
    if kind == "always":
        limits = endless_limits(sofar, 1.0 - ALPHA, REQUIRED, (0.0, 1.0))
    elif kind == EACH:
        limits = wilson(*sofar.counts, 1.0 - ALPHA)
    else:
        sizes = tuple(float(plan.rows * j) for j in range(1, k + 1))
        look = planned_look(sizes, plan.looks, ALPHA / 2.0, kind)
        limits = planned_limits(sofar, look, "wilson", (0.0, 1.0))
    return outcome_of(limits, REQUIRED, at_least=True)


def charted(plan: Plan, weeks: Sequence[int]) -> Year:
    """The look at which the p chart of its rows against those before first signals."""
    shares = [Estimate(x / plan.rows, fraction=(x, plan.rows)) for x in weeks]
    before = EarlierValues((0.0, 1.0))
    for k, own in enumerate(shares, 1):
        if before.limits(own, str(k)).signals(own.value):
            return Year(k, FAIL)
        before.add(own, str(k))
    return Year(0, CONTINUE)


def year(kind: str, plan: Plan, weeks: Sequence[int]) -> Year:
    """One year, looked at until it fails."""
    if kind == CHART:
        return charted(plan, weeks)
    told: list[str] = []
    for k, x in enumerate(accumulate(weeks), 1):
        told.append(outcome(kind, plan, k, x))
        if told[-1] == FAIL:
            return Year(k, FAIL)
    return Year(0, standing(told)[0])


def years(kind: str, plan: Plan, share: float, count: int, seed: int) -> list[Year]:
    """So many years of a true share."""
    draw = np.random.default_rng([SEED, seed])
    drawn = draw.binomial(plan.rows, share, (count, plan.looks)).tolist()
    return [year(kind, plan, weeks) for weeks in drawn]


def looks_of_one_test(plan: Plan, power: float) -> int:
    """Looks' worth of rows with which one test, looked at once, finds the fall so often."""
    for k in range(1, 10 * plan.looks):
        n = plan.rows * k
        cut = max((x for x in range(n + 1) if _fails(x, n)), default=-1)
        if _at_most(cut, n, REQUIRED - FALL) >= power:
            return k
    raise ValueError(f"no size has power {power}")


@cache
def _fails(x: int, n: int) -> bool:
    limits = wilson(x, n, 1.0 - ALPHA)
    return limits is not None and limits.high < REQUIRED


def _at_most(x: int, n: int, p: float) -> float:
    terms = (
        math.exp(
            math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
            + k * math.log(p) + (n - k) * math.log1p(-p)
        )
        for k in range(x + 1)
    )  # fmt: skip
    return math.fsum(terms)


class Found(NamedTuple):
    """Of courses that changed in month 15: alarms by month 17, before month 15, right months."""

    by_17: float
    early: float
    named: float
    none: float


def courses(rows: int, before: float, after: float) -> Found:
    """Two years of months, bad from month 15 on."""
    draw = np.random.default_rng([SEED, rows, round(1000 * after)])
    truth = np.where(np.arange(24) < 14, before, after)
    by_17 = early = named = none = 0
    for _ in range(COURSES):
        sizes = np.maximum(draw.poisson(rows, 24), 1)
        counts = [(int(x), int(n)) for x, n in zip(draw.binomial(sizes, truth), sizes, strict=True)]
        marks = cusum(self_starting_shares(counts))
        alarm = next((k for k, one in enumerate(marks) if one is not None and one.signal), None)
        point = change_of_shares(counts)
        assert point is not None
        none += alarm is None
        early += alarm is not None and alarm < 14
        by_17 += alarm is not None and 14 <= alarm <= 16
        named += point.index in (13, 14, 15)
    return Found(*(one / COURSES for one in (by_17, early, named, none)))


def of_years(plan: Plan, count: int, processes: int) -> list[str]:
    """The table of a plan: false alarms, and delays beside those of one test."""
    jobs = [(kind, share) for kind in KINDS for share in (REQUIRED, REQUIRED - FALL)]
    with ProcessPoolExecutor(processes) as pool:
        done = [
            pool.submit(years, kind, plan, share, count, plan.looks + k)
            for k, (kind, share) in enumerate(jobs)
        ]
        found = {job: one.result() for job, one in zip(jobs, done, strict=True)}
    alone = {power: looks_of_one_test(plan, power) for power in POWERS}
    single = ", ".join(f"{looks} {plan.unit} for {power:.0%}" for power, looks in alone.items())
    heads = "".join(f" {plan.unit} until {power:.0%} found |" for power in POWERS)
    said = (
        f"**{plan.looks} looks, {plan.rows} rows between two of them.** {count} healthy years and "
        f"{count} with a fall. One test is complete after {single} power."
    )
    head = "| looks | false alarm in a healthy year | fall found within the year | mean delay |"
    lines = [said, "", head + heads, f"|---|---:|---:|---:|{'---:|' * len(POWERS)}"]
    lines += [
        _line(kind, plan, found[kind, REQUIRED], found[kind, REQUIRED - FALL], alone)
        for kind in KINDS
    ]
    return lines


def _line(
    kind: str, plan: Plan, healthy: Sequence[Year], fallen: Sequence[Year], alone: dict[float, int]
) -> str:
    alarms = statistics.fmean(bool(one.failed) for one in healthy)
    seen = statistics.fmean(bool(one.failed) for one in fallen)
    # a fall that is not found within the year counts as found with its end
    mean = statistics.fmean(one.failed or plan.looks for one in fallen)
    weeks = sorted(one.failed or 10**6 for one in fallen)
    told = []
    for power in POWERS:
        week = weeks[math.ceil(power * len(weeks)) - 1]
        more = f"{week} ({week / alone[power]:.2f} times)"
        told.append(more if week <= plan.looks else "not within the year")
    times = f"{mean:.1f} ({mean / alone[0.8]:.2f} and {mean / alone[0.9]:.2f} times)"
    name = kind.replace("_", " ")
    return f"| {name} | {alarms:.2%} | {seen:.1%} | {times} | {' | '.join(told)} |"


#: Rows a month, share before, share since.
MONTHS = (
    (60, 0.9, 0.8), (60, 0.9, 0.75), (60, 0.97, 0.85), (100, 0.9, 0.8), (100, 0.9, 0.75),
    (100, 0.97, 0.87), (200, 0.9, 0.85), (200, 0.9, 0.8), (400, 0.9, 0.85), (400, 0.9, 0.9),
)  # fmt: skip


def of_months() -> list[str]:
    """The table of courses of two years that change in month 15."""
    head = "| rows a month | share before | since month 15 | alarm in months 15 to 17 "
    head += "| alarm before | no alarm | month 14, 15 or 16 named |"
    lines = [head, f"|{'---:|' * 7}"]
    for rows, before, after in MONTHS:
        one = courses(rows, before, after)
        lines.append(
            f"| {rows} | {before:.2f} | {after:.2f} | {one.by_17:.1%} | {one.early:.1%} | "
            f"{one.none:.1%} | {one.named:.1%} |"
        )
    return lines


def tables(count: int, processes: int) -> str:
    """The tables as Markdown."""
    lines: list[str] = []
    for plan in YEARS_OF:
        lines += [*of_years(plan, count, processes), ""]
    return "\n".join([*lines, *of_months()])


def main() -> None:
    """Draw, and write the tables into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--years", type=int, default=YEARS)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--print", action="store_true", help="print, write nothing")
    asked = parser.parse_args()
    made = tables(asked.years, asked.processes)
    if asked.print:
        print(made)
        return
    text = PAGE.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    PAGE.write_text(f"{head}{BEGIN}\n\n{made}\n\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
