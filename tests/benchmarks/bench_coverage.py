"""Simulated coverage and width of nominal 95 % intervals; writes the tables of docs/coverage.md.

Run from the repository: ``PYTHONPATH=tests python -m benchmarks.bench_coverage``. The same
seed gives the same tables, whatever the number of processes.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import coverage_methods, coverage_model
from benchmarks.coverage_methods import Found
from benchmarks.coverage_model import Setting

from evalreport.statistics import resampling

SEED = 20261121
DATA_SETS = 2000
SIZES = (30, 100, 1000)
PREVALENCES = (0.05, 0.3)
#: Data sets done by one process at a time.
CHUNK = 50
PAGE = Path(__file__).resolve().parents[2] / "docs" / "coverage.md"
BEGIN, END = "<!-- tables: begin -->", "<!-- tables: end -->"

Key = tuple[str, str]


@dataclass
class Tally:
    """What one method did for one measure over the data sets of a setting."""

    undefined: int = 0
    without: int = 0
    covered: int = 0
    too_high: int = 0
    too_low: int = 0
    flat: int = 0
    widths: list[float] = field(default_factory=list)

    def add(self, found: Found, truth: float) -> None:
        """Count one more data set."""
        if not found.defined:
            self.undefined += 1
        elif found.interval is None:
            self.without += 1
        else:
            low, high = found.interval.low, found.interval.high
            self.covered += low <= truth <= high
            self.too_high += truth < low
            self.too_low += high < truth
            self.flat += low == high
            self.widths.append(high - low)

    def merge(self, other: Tally) -> None:
        """Add what another process counted."""
        for name in ("undefined", "without", "covered", "too_high", "too_low", "flat"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.widths.extend(other.widths)

    def text(self) -> str:
        """A cell of the page: coverage, mean width, data sets without an interval."""
        count = len(self.widths)
        if not count:
            return f"none (−{self.without})" if self.without else "–"
        coverage, width = 100 * self.covered / count, math.fsum(self.widths) / count
        notes = [f"−{self.without}"] if self.without else []
        notes += [f"{self.flat} flat"] if self.flat else []
        return f"{coverage:.1f} · {width:.3f}" + (f" ({', '.join(notes)})" if notes else "")


def chunk(setting: Setting, first: int, count: int, seed: int) -> dict[Key, Tally]:
    """Tallies of some data sets of a setting; each has its own random generator.

    Methods that fell back are counted a second time under ``method -> fallback``.
    """
    truths = coverage_model.true_values(setting.prevalence)
    methods = coverage_methods.clustered if setting.clustered else coverage_methods.independent
    tallies: dict[Key, Tally] = {}
    design = "clustered" if setting.clustered else "independent"
    for number in range(first, first + count):
        rng = resampling.generator(seed, design, setting.n, str(setting.prevalence), number)
        for found in methods(coverage_model.simulate(setting, rng), rng):
            truth = truths[found.measure]
            tallies.setdefault((found.measure, found.method), Tally()).add(found, truth)
            if _fell_back(found) and found.interval is not None:
                key = (found.measure, f"{found.method}, where it gave {found.interval.method}")
                tallies.setdefault(key, Tally()).add(found, truth)
    return tallies


def _fell_back(found: Found) -> bool:
    if found.interval is None or found.method.startswith("candidate"):
        return False
    made_by = found.interval.method
    if found.method.startswith("default: "):
        return made_by != found.method.removeprefix("default: ")
    return made_by.endswith(("_plus_half", "_pairs", "_clusters")) and "alone" not in found.method


def study(
    settings: Iterable[Setting], data_sets: int, processes: int, seed: int = SEED
) -> dict[Setting, dict[Key, Tally]]:
    """Tallies of every setting."""
    settings = list(settings)
    work = [
        (setting, first, min(CHUNK, data_sets - first), seed)
        # the longest first, so that no process is left with one at the end
        for setting in sorted(settings, key=lambda s: (-s.n, s.prevalence, s.clustered))
        for first in range(0, data_sets, CHUNK)
    ]
    results: dict[Setting, dict[Key, Tally]] = {setting: {} for setting in settings}
    with ProcessPoolExecutor(processes) as pool:
        parts = pool.map(chunk, *zip(*work, strict=True))
        for (setting, *_), part in zip(work, parts, strict=True):
            for key, tally in part.items():
                results[setting].setdefault(key, Tally()).merge(tally)
    return results


def page(results: dict[Setting, dict[Key, Tally]]) -> str:
    """The tables as Markdown, one per measure and design."""
    parts = []
    for clustered, title in ((False, "Independent rows"), (True, "Clustered rows")):
        settings = [s for s in results if s.clustered is clustered]
        parts.append(f"## {title}\n")
        measures = dict.fromkeys(measure for s in settings for measure, _ in results[s])
        for measure in measures:
            parts.extend(_table(measure, settings, results))
    return "\n".join(parts)


def _table(
    measure: str, settings: list[Setting], results: dict[Setting, dict[Key, Tally]]
) -> list[str]:
    truths = [coverage_model.true_values(s.prevalence)[measure] for s in settings]
    methods = dict.fromkeys(m for s in settings for name, m in results[s] if name == measure)
    names = list(methods)
    ordered = sorted(
        methods, key=lambda m: (", where" in m, not m.startswith("default"), names.index(m))
    )
    heads = [f"n = {s.n}, {s.prevalence:g}" for s in settings]
    undefined = [str(results[s][measure, ordered[0]].undefined) for s in settings]
    lines = [
        f"### {measure}\n",
        f"| method | {' | '.join(heads)} |",
        "|---" * (len(heads) + 1) + "|",
        f"| true value | {' | '.join(f'{truth:.4f}' for truth in truths)} |",
        f"| data sets without a value | {' | '.join(undefined)} |",
    ]
    for method in ordered:
        cells = []
        for s in settings:
            tally = results[s].get((measure, method))
            times = f"{len(tally.widths)}: " if tally and ", where" in method else ""
            cells.append(times + tally.text() if tally else "–")
        lines.append(f"| {method} | {' | '.join(cells)} |")
    return [*lines, ""]


def main() -> None:
    """Run the study and put its tables between the marks of the page."""
    parser = argparse.ArgumentParser(description="Simulated coverage of the interval methods.")
    parser.add_argument("--data-sets", type=int, default=DATA_SETS)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--print", action="store_true", help="print the tables only")
    chosen = parser.parse_args()
    settings = [Setting(n, p, c) for c in (False, True) for p in PREVALENCES for n in SIZES]
    tables = page(study(settings, chosen.data_sets, chosen.processes, chosen.seed))
    if chosen.print:
        print(tables)
        return
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n\n{tables}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
