"""Years of weekly looks and courses of months, drawn; writes the tables of docs/looks.md.

Run from the repository: ``PYTHONPATH=tests python -m benchmarks.bench_looks``. What decides is
the code that decides in a run: boundaries, intervals, outcomes, charts, points of change.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evalreport.statistics.change import change_of_shares, cusum, of_shares, self_starting
from evalreport.statistics.control_limits import limits_for
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
RUN_LENGTH = 370.0
#: Chances of finding the fall at which the weeks are compared.
POWERS = (0.5, 0.8, 0.9)
KINDS = ("obrien_fleming", "pocock", "always", "each look at 95 %", "control chart, 3 sigmas")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "looks.md"
BEGIN, END = "<!-- tables: begin -->", "<!-- tables: end -->"


class Year(NamedTuple):
    """At which look a year failed, 0 for none, and what stood at its end."""

    failed: int
    stands: str


def outcomes(kind: str, weeks: Sequence[int]) -> Iterator[str]:
    """What each look of a year gives, on all rows so far."""
    for k in range(1, len(weeks) + 1):
        sofar = together([Block(ROWS, x, ROWS) for x in weeks[:k]])
        assert sofar is not None
        assert sofar.counts is not None
        if kind == "always":
            limits = endless_limits(sofar, 1.0 - ALPHA, REQUIRED, (0.0, 1.0))
        elif kind == "each look at 95 %":
            limits = wilson(*sofar.counts, 1.0 - ALPHA)
        else:
            sizes = tuple(float(ROWS * j) for j in range(1, k + 1))
            look = planned_look(sizes, LOOKS, ALPHA / 2.0, kind)
            limits = planned_limits(sofar, look, "wilson", (0.0, 1.0))
        yield outcome_of(limits, REQUIRED, at_least=True)


def charted(weeks: Sequence[int]) -> Year:
    """The week in which the p chart of each week against the weeks before first signals."""
    shares = [Estimate(x / ROWS, fraction=(x, ROWS)) for x in weeks]
    signals = (
        k for k, own in enumerate(shares, 1)
        if limits_for(own, shares[: k - 1], (0.0, 1.0)).signals(own.value)
    )  # fmt: skip
    found = next(signals, 0)
    return Year(found, FAIL if found else CONTINUE)


def year(kind: str, weeks: Sequence[int]) -> Year:
    """One year, looked at until it fails."""
    if kind == "control chart, 3 sigmas":
        return charted(weeks)
    told: list[str] = []
    for one in outcomes(kind, weeks):
        told.append(one)
        if one == FAIL:
            return Year(len(told), FAIL)
    return Year(0, standing(told)[0])


def years(kind: str, share: float, count: int, seed: int) -> list[Year]:
    """So many years of a true share."""
    draw = np.random.default_rng([SEED, seed])
    drawn = draw.binomial(ROWS, share, (count, LOOKS)).tolist()
    return [year(kind, weeks) for weeks in drawn]


def weeks_of_one_test(power: float) -> int:
    """Weeks after which one test, looked at once, finds the fall with this chance."""
    for k in range(1, 10 * LOOKS):
        n = ROWS * k
        cut = max((x for x in range(n + 1) if _fails(x, n)), default=-1)
        if _at_most(cut, n, REQUIRED - FALL) >= power:
            return k
    raise ValueError(f"no size has power {power}")


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
        marks = cusum(self_starting(of_shares(counts)), RUN_LENGTH)
        alarm = next((k for k, one in enumerate(marks) if one is not None and one.signal), None)
        point = change_of_shares(counts)
        assert point is not None
        none += alarm is None
        early += alarm is not None and alarm < 14
        by_17 += alarm is not None and 14 <= alarm <= 16
        named += point.index in (13, 14, 15)
    return Found(*(one / COURSES for one in (by_17, early, named, none)))


def tables(count: int, processes: int) -> str:
    """The tables as Markdown."""
    jobs = [(kind, share) for kind in KINDS for share in (REQUIRED, REQUIRED - FALL)]
    with ProcessPoolExecutor(processes) as pool:
        done = [
            pool.submit(years, kind, share, count if share == REQUIRED else count // 5, k)
            for k, (kind, share) in enumerate(jobs)
        ]
        found = {job: one.result() for job, one in zip(jobs, done, strict=True)}
    alone = {power: weeks_of_one_test(power) for power in POWERS}
    single = ", ".join(f"{week} weeks for {power:g}" for power, week in alone.items())
    said = (
        f"{count} healthy years, {count // 5} with a fall. One test, looked at once, finds the "
        f"fall with a chance of {POWERS[0]:g} to {POWERS[-1]:g} after: {single}."
    )
    heads = "".join(f" weeks until {power:.0%} found |" for power in POWERS)
    lines = [
        said,
        "",
        f"| looks | false alarm in a healthy year | fall found within the year |{heads}",
        f"|---|---:|---:|{'---:|' * len(POWERS)}",
    ]
    for kind in KINDS:
        healthy, fallen = found[kind, REQUIRED], found[kind, REQUIRED - FALL]
        alarms = statistics.fmean(bool(one.failed) for one in healthy)
        seen = statistics.fmean(bool(one.failed) for one in fallen)
        weeks = sorted(one.failed or 10**6 for one in fallen)
        told = []
        for power in POWERS:
            week = weeks[math.ceil(power * len(weeks)) - 1]
            more = f"{week} ({week / alone[power]:.2f} times)"
            told.append(more if week <= LOOKS else "not within the year")
        name = kind.replace("_", " ")
        lines.append(f"| {name} | {alarms:.2%} | {seen:.1%} | {' | '.join(told)} |")
    head = "| rows a month | share before | since month 15 | alarm in months 15 to 17 "
    head += "| alarm before | no alarm | month 14, 15 or 16 named |"
    lines += ["", head, f"|{'---:|' * 7}"]
    for rows in (60, 120, 240):
        for after in (0.80, 0.75):
            one = courses(rows, 0.9, after)
            lines.append(
                f"| {rows} | 0.90 | {after:.2f} | {one.by_17:.1%} | {one.early:.1%} | "
                f"{one.none:.1%} | {one.named:.1%} |"
            )
    return "\n".join(lines)


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
