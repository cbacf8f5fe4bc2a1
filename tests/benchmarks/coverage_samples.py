"""Coverage of the defaults of differences and ratios: of two models, datasets and subgroups.

Run from the repository: ``PYTHONPATH=tests python -m benchmarks.coverage_samples``. It adds its
cells to ``evalreport/metrics/coverage_study.json``, from which records say what their method held,
and writes its table into docs/coverage.md. Cells that the file has are not run again, so it may be
stopped at any time; ``--again`` with names of metrics makes those of every cell once more. The
same seed gives the same cells.

Scores are binormal as in the grid, read as probabilities by Bayes' rule, and cut where one
negative in five lies above. Every value, difference and interval is made by the engine, as a run
that asks for nothing makes it, but for the number of resamples.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.coverage_differences import RATIO, Limits, of_groups, of_two, of_values, sides_of
from benchmarks.coverage_grid import (
    CORRELATION,
    FILE,
    SPREAD,
    chance,
    distance,
    on_page,
    truth,
    view_of,
    write,
)
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from evalreport.predict.view import LabelView

SEED, DATA_SETS, RESAMPLES = 20261123, 200, 500
BEGIN, END = "<!-- samples: begin -->", "<!-- samples: end -->"
CUT = float(ndtri(0.8))
OF_SCORES = (
    *("roc_auc", "average_precision", "ks", "log_loss", "brier", "squared_error"),
    *("pr_auc", "gain", "absolute_error", "brier_scaled", "mcfadden_r2", "cox_snell_r2"),
    *("nagelkerke_r2", "discrimination_slope", "calibration_in_the_large", "oe_ratio"),
    *("recall_at_specificity", "specificity_at_recall", "precision_at_recall"),
    *("calibration_slope", "calibration_intercept"),
)
OF_TABLES = (
    *("f1", "jaccard", "balanced_accuracy", "g_mean", "mcc", "kappa", "markedness"),
    *("fowlkes_mallows", "gwet_ac1", "lr_plus", "lr_minus", "diagnostic_odds_ratio"),
    *("net_benefit", "standardised_net_benefit", "no_information_rate"),
)
#: Metrics of which no influence is known, so that groups of rows are left out: of pairs alone.
LEFT_OUT = ("pr_auc_interpolated", "h_measure")
#: Shares of rows, whose ratios and gaps from all rows have limits too.
SHARES = ("accuracy", "recall", "specificity", "precision", "npv")
COMPARED = (*SHARES, *OF_TABLES, *OF_SCORES)

Floats = NDArray[np.float64]
#: Design; clusters or positives; prevalence; area; area of the reference, of differences.
Cell = tuple[str, int, float, float, float]
AREAS = ((0.8, 0.8), (0.95, 0.8), (0.99, 0.95))
#: Designs of differences: of two models, of two datasets, and of subgroups.
SAME_ROWS = ("pairs", "pairs in clusters", "pairs with weights")
OTHER_ROWS = ("two samples", "groups")
#: How many times as many rows the largest of three subgroups has.
LARGEST = 3


def cells() -> Iterator[Cell]:
    """Every cell of the study."""
    for design in ("pairs", *OTHER_ROWS, "pairs with weights"):
        for positives, prevalence, pair in product((5, 10, 20, 50), (0.1, 0.5), AREAS):
            yield design, positives, prevalence, *pair
    for clusters, prevalence, pair in product((10, 20, 60), (0.1, 0.3), AREAS):
        yield "pairs in clusters", clusters, prevalence, *pair


def rows_of(cell: Cell) -> tuple[int, float]:
    """Rows of a data set, and the share of positives that is meant."""
    design, units, prevalence = cell[:3]
    if design.endswith("clusters"):
        return units * (10 if units == 10 else 5), prevalence
    return round(units / prevalence), prevalence


def draw(cell: Cell, rng: np.random.Generator) -> list[LabelView]:
    """One data set: the view of each model, or of each sample or subgroup."""
    design, units, _, area, other = cell
    if design == "two samples":
        return [
            _drawn(cell, rng, units, (area,), "a")[0],
            _drawn(cell, rng, units, (other,), "b")[0],
        ]
    if design == "groups":
        sizes = ((units, area), (units, other), (LARGEST * units, other))
        return [_drawn(cell, rng, size, (one,), "a")[0] for size, one in sizes]
    return _drawn(cell, rng, units, (area, other), "a")


def _drawn(
    cell: Cell, rng: np.random.Generator, units: int, areas: tuple[float, ...], name: str
) -> list[LabelView]:
    """One sample, with the scores of a model for each area; those correlate by 0.5."""
    design, _, prevalence = cell[:3]
    clustered = design.endswith("clusters")
    rows, _ = rows_of((design, units, prevalence, areas[0], areas[0]))
    more: dict[str, Any] = {}
    code = np.repeat(np.arange(units), rows // units) if clustered else None

    def normal() -> Floats:
        own = rng.normal(size=rows)
        if code is None:
            return own
        shared = rng.normal(size=units)[code]
        return math.sqrt(1 - CORRELATION) * own + math.sqrt(CORRELATION) * shared

    if clustered:
        actual = (normal() > ndtri(1 - prevalence)).astype(int)
        more["cluster"] = (code, units)
    else:
        actual = (np.arange(rows) < units).astype(int)
    shared = normal()
    scores = [math.sqrt(0.5) * (shared + normal()) + distance(one) * actual for one in areas]
    if design.endswith("weights"):
        more["weight"] = np.exp(SPREAD * rng.normal(size=rows))
    return [
        replace(
            view_of(actual, chance(score, one, prevalence), **more), dataset=name, model=f"m{k}"
        )
        for k, (score, one) in enumerate(zip(scores, areas, strict=True))
    ]


def limits(cell: Cell, views: list[LabelView], only: Sequence[str] = ()) -> Limits:
    """The default's limits of each metric, or of its differences and ratios."""
    design, _, prevalence, area, other = cell
    areas = (area, other, other)[: len(views)]
    cuts = [float(chance(np.array([CUT]), one, prevalence)[0]) for one in areas]
    metrics = (*COMPARED, *LEFT_OUT) if design == "pairs" else COMPARED
    metrics = tuple(m for m in metrics if not only or m in only)
    if design == "groups":
        return of_groups(views, cuts, metrics, RESAMPLES)
    found = of_two(views, cuts, metrics, RESAMPLES)
    if design == "pairs":
        drawn = tuple(m for m in LEFT_OUT if m in metrics)
        alone = of_values(views[0], cuts[0], drawn, RESAMPLES) if drawn else {}
        found |= {f"{name} alone": own for name, own in alone.items()}
    return found


def sides_in(cell: Cell, name: str) -> tuple[float, float]:
    """The true values of both sides; that of a value alone twice."""
    design, _, prevalence, area, other = cell
    metric, _, rest = name.partition(" ")
    if rest == "alone":
        return truth(metric, area, prevalence), truth(metric, area, prevalence)
    areas, sizes = (area, other), (1, 1)
    if design == "groups":
        areas, sizes = (area, other, other), (1, 1, LARGEST)
    below = [size * _below(metric, one, prevalence) for size, one in zip(sizes, areas, strict=True)]
    parts = [part / sum(below) for part in below]
    return sides_of(name, [truth(metric, one, prevalence) for one in areas], parts)


def truth_in(cell: Cell, name: str) -> float:
    """What the limits of this name should hold."""
    one, two = sides_in(cell, name)
    if name.endswith(" alone"):
        return one
    return one / two if RATIO in name else one - two


def _below(metric: str, area: float, prevalence: float) -> float:
    """The share of rows below the line of a metric; 1 of those that are no share of rows."""
    called = prevalence * float(ndtr(distance(area) - CUT)) + (1 - prevalence) * 0.2
    chosen = {
        "recall": prevalence,
        "specificity": 1 - prevalence,
        "precision": called,
        "npv": 1 - called,
        "jaccard": prevalence + (1 - prevalence) * 0.2,
    }
    return chosen.get(metric, 1.0)


def study(
    cell: Cell, data_sets: int, seed: int, only: Sequence[str] = ()
) -> dict[str, list[float]]:
    """Coverage in %, median width, data sets with a value and both true values, of each metric.

    A value without limits is one that they do not hold. Left out are metrics that have a value in
    fewer than half of the data sets, and those that have no limits in any.
    """
    rng = np.random.default_rng(
        [seed, *(ord(c) for c in cell[0]), *(round(100 * x) for x in cell[1:])]
    )
    made: dict[str, list[tuple[float, float] | None]] = {}
    for _ in range(data_sets):
        for name, own in limits(cell, draw(cell, rng), only).items():
            made.setdefault(name, []).append(own)
    found: dict[str, list[float]] = {}
    for name, every in made.items():
        own, true, room = [one for one in every if one is not None], truth_in(cell, name), 1e-9
        held = sum(low - room <= true <= high + room for low, high in own)
        if own and 2 * len(every) >= data_sets and math.isfinite(true):
            width = float(f"{np.median([high - low for low, high in own]):.3g}")
            sides = [float(f"{one:.4g}") for one in sides_in(cell, name)]
            found[name] = [round(100 * held / len(every), 1), width, len(every), *sides]
    return found


def main() -> None:
    """Run what is missing, write the file and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=DATA_SETS)
    parser.add_argument("--design", choices=tuple(WORDS), help="only this one")
    parser.add_argument("--again", nargs="+", default=[], help="metrics to be made once more")
    parser.add_argument("--file", type=Path, default=FILE, help="the file that holds the cells")
    chosen = parser.parse_args()
    made: dict[str, Any] = {}
    if chosen.file.exists():
        made = json.loads(chosen.file.read_text(encoding="utf-8"))
    kept: list[dict[str, Any]] = made.setdefault("samples", [])
    done = {tuple(one["cell"]): one for one in kept}
    for cell in cells():
        if chosen.design not in (None, cell[0]) or (cell in done) != bool(chosen.again):
            continue
        if chosen.again:
            own = done[cell]
            others = {n: v for n, v in own["found"].items() if n.split()[0] not in chosen.again}
            own["found"] = others | study(cell, own["data_sets"], SEED, chosen.again)
        else:
            found = study(cell, chosen.data_sets, SEED)
            kept.append({"cell": list(cell), "data_sets": chosen.data_sets, "found": found})
        write(chosen.file, made)
    if chosen.file == FILE:
        on_page(BEGIN, END, table(kept))


#: What the first number of a cell counts, by design.
WORDS = {
    "pairs": "positives, two models on the same rows",
    "pairs in clusters": "clusters, two models on the same rows",
    "pairs with weights": "weighted positives, two models on the same rows",
    "two samples": "positives of each, one model on two datasets",
    "groups": "positives of the smaller group, gaps between subgroups",
    "classes, pairs": "rows of the rarest class, two models",
    "classes, pairs with weights": "weighted rows of the rarest class, two models",
    "classes, pairs in clusters": "clusters of several classes, two models",
}


def table(kept: list[dict[str, Any]]) -> str:
    """Lowest and highest coverage by design and size, as Markdown."""
    out = []
    for design, word in WORDS.items():
        own = [one for one in kept if one["cell"][0] == design]
        if not own:
            continue
        sizes = sorted({one["cell"][1] for one in own})
        sets = sorted({one["data_sets"] for one in own})
        counted = word.partition(",")[0]
        told = " to ".join(f"{n:,}" for n in sorted({sets[0], sets[-1]}))
        # the standard error of a coverage of 95 %
        error = 100 * math.sqrt(0.95 * 0.05 / sets[0])
        out += [
            f"**{word.capitalize()}**, {told} data sets a cell, ± {error:.1f} points by chance.",
            "",
            f"| measure | {' | '.join(f'{size} {counted}' for size in sizes)} |",
            f"|{'---|' * (len(sizes) + 1)}",
        ]
        for name in dict.fromkeys(name for one in own for name in one["found"]):
            entries = []
            for size in sizes:
                held = [
                    one["found"][name][0]
                    for one in own
                    if one["cell"][1] == size and name in one["found"]
                ]
                low = sum(h < 93 for h in held)
                entry = (
                    f"{min(held):.1f} to {max(held):.1f} · {low} of {len(held)}" if held else "–"
                )
                entries.append(entry)
            out.append(f"| {name} | {' | '.join(entries)} |")
        out.append("")
    return "\n".join(out).rstrip()


if __name__ == "__main__":
    main()
