"""Coverage of the defaults in clusters, with weights, and of differences of two models.

Run from the repository: ``PYTHONPATH=tests python -m benchmarks.coverage_samples``. It adds its
cells to ``evalreport/metrics/coverage_study.json``, from which records say what their method held,
and writes its table into docs/coverage.md. Cells that the file has are not run again, so it may be
stopped at any time. The same seed gives the same cells.

Scores are binormal as in the grid, read as probabilities by Bayes' rule, and cut where one
negative in five lies above. Every value, difference and interval is made by the engine, as a run
that asks for nothing makes it, but for the number of resamples.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.coverage_grid import FILE, PAGE, distance
from numpy.typing import NDArray
from scipy.special import expit, ndtr, ndtri

from evalreport.engine.comparisons.records import compare
from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.measures import Measurer
from evalreport.engine.settings import Settings
from evalreport.engine.thresholds import Resolved
from evalreport.metrics.catalogue import find
from evalreport.metrics.tables import Counts
from evalreport.plan.build import build_plan
from evalreport.plan.comparisons import ComparisonRequest, plan_comparisons
from evalreport.plan.inputs import Facts, MetricRequest, Requests
from evalreport.plan.task import ThresholdRequest
from evalreport.predict.view import View

SEED, DATA_SETS, RESAMPLES = 20261123, 200, 500
BEGIN, END = "<!-- samples: begin -->", "<!-- samples: end -->"
CUT = float(ndtri(0.8))
OF_TABLES = ("accuracy", "recall", "specificity", "precision", "f1", "balanced_accuracy", "mcc")
OF_SCORES = ("roc_auc", "average_precision", "ks", "log_loss", "brier")
COMPARED = ("accuracy", "recall", "f1", "balanced_accuracy", "mcc", *OF_SCORES)
#: Spread of the logarithm of the weights, which have nothing to do with rows: Kish's effect is 1.9.
SPREAD = 0.8
CORRELATION = 0.3

Floats = NDArray[np.float64]
#: Design; clusters or positives; prevalence; area; area of the reference, of pairs.
Cell = tuple[str, int, float, float, float]
AREAS = ((0.8, 0.8), (0.95, 0.8), (0.99, 0.95))


def cells() -> Iterator[Cell]:
    """Every cell of the study."""
    for clusters, prevalence, area in product((10, 20, 60), (0.1, 0.3), (0.8, 0.95, 0.99)):
        yield "clusters", clusters, prevalence, area, area
    for positives, prevalence, area in product((5, 10, 20, 50), (0.1, 0.5), (0.8, 0.95, 0.99)):
        yield "weights", positives, prevalence, area, area
    for positives, prevalence, (one, two) in product((5, 10, 20, 50), (0.1, 0.5), AREAS):
        yield "pairs", positives, prevalence, one, two


def rows_of(cell: Cell) -> tuple[int, float]:
    """Rows of a data set, and the share of positives that is meant."""
    design, units, prevalence = cell[:3]
    if design == "clusters":
        return units * (10 if units == 10 else 5), prevalence
    return round(units / prevalence), prevalence


def chance(score: Floats, area: float, prevalence: float) -> Floats:
    """The probability that a row of this score is positive."""
    mu = distance(area)
    odds = math.log(prevalence / (1 - prevalence))
    return np.asarray(expit(mu * score - mu * mu / 2 + odds), np.float64)


@cache
def truth(metric: str, area: float, prevalence: float) -> float:
    """The value on an endless sample."""
    mu = distance(area)
    recall, fall_out = float(ndtr(mu - CUT)), 0.2
    declared: Any = find(metric)
    if metric in OF_TABLES:
        tp, fp = prevalence * recall, (1 - prevalence) * fall_out
        fn, tn = prevalence - tp, 1 - prevalence - fp
        if metric == "mcc":
            margins = prevalence * (1 - prevalence) * (tp + fp) * (fn + tn)
            return (tp * tn - fp * fn) / math.sqrt(margins)
        if metric == "accuracy":
            return tp + tn
        if metric == "balanced_accuracy":
            return (recall + 1 - fall_out) / 2
        return float(declared(Counts(tp=tp, fn=fn, fp=fp, tn=tn)).array())
    if metric == "roc_auc":
        return area
    if metric == "ks":
        return 2 * float(ndtr(mu / 2)) - 1
    at = np.linspace(-9.0, 9.0, 20_001)
    density = np.exp(-(at**2) / 2)
    density /= density.sum()
    if metric == "average_precision":
        tp, fp = prevalence * ndtr(-at), (1 - prevalence) * ndtr(-at - mu)
        return float(np.sum(density * tp / (tp + fp)))
    of_positive = float(
        np.sum(density * declared.row_loss(chance(at + mu, area, prevalence), True))
    )
    of_negative = float(np.sum(density * declared.row_loss(chance(at, area, prevalence), False)))
    return prevalence * of_positive + (1 - prevalence) * of_negative


def draw(cell: Cell, rng: np.random.Generator) -> list[View]:
    """One data set: the view of each model."""
    design, units, prevalence, area, other = cell
    rows, _ = rows_of(cell)
    more: dict[str, Any] = {}
    if design == "clusters":
        code = np.repeat(np.arange(units), rows // units)

        def normal() -> Floats:
            own, shared = rng.normal(size=rows), rng.normal(size=units)[code]
            return math.sqrt(1 - CORRELATION) * own + math.sqrt(CORRELATION) * shared

        actual = (normal() > ndtri(1 - prevalence)).astype(int)
        scores = [normal() + distance(area) * actual]
        more["cluster"] = (code, units)
    else:
        actual = (np.arange(rows) < units).astype(int)
        shared = rng.normal(size=rows)
        scores = [
            math.sqrt(0.5) * (shared + rng.normal(size=rows)) + distance(one) * actual
            for one in ((area, other) if design == "pairs" else (area,))
        ]
    if design == "weights":
        more["weight"] = np.exp(SPREAD * rng.normal(size=rows))
    return [
        View(
            "d",
            f"m{k}",
            "score",
            ("n", "p"),
            1,
            actual,
            np.arange(rows),
            score=chance(score, one, prevalence),
            **more,
        )
        for k, (score, one) in enumerate(zip(scores, (area, other), strict=False))
    ]


def facts(view: View) -> Facts:
    """What a plan knows of a view."""
    return Facts(
        "d",
        view.model,
        "score",
        view.labels,
        "p",
        view.rows,
        low=0.0,
        high=1.0,
        weighted=view.weight is not None,
        clustered=view.cluster is not None,
    )


def limits(cell: Cell, views: list[View]) -> dict[str, tuple[float, float]]:
    """The default's limits of each metric, or of its difference between the two models."""
    _, _, prevalence, area, other = cell
    paired = cell[0] == "pairs"
    cuts = [
        float(chance(np.array([CUT]), one, prevalence)[0]) for one in (area, other)[: len(views)]
    ]
    metrics = COMPARED if paired else (*OF_TABLES, *OF_SCORES)
    request = ThresholdRequest(0.5)
    requests = Requests(tuple(MetricRequest(find(m)) for m in metrics), thresholds=(request,))
    known = [facts(view) for view in views]
    plan = build_plan(requests, known)
    settings = Settings(resamples=RESAMPLES)
    at = {
        ("d", view.model): {request: Resolved(cut)} for view, cut in zip(views, cuts, strict=True)
    }
    tables = {("d", view.model): MemoryTables(view) for view in views}
    found: dict[str, tuple[float, float]] = {}
    if paired:
        asked = ComparisonRequest(reference="m1")
        planned = plan_comparisons(asked, plan.tasks, known).tasks
        for record in compare(asked, tables, at, planned, settings):
            if record.interval is not None:
                found[record.metric] = record.interval.low, record.interval.high
        metrics = ("average_precision", "ks")
    measurer = Measurer(views[0], tables["d", "m0"], settings, at["d", "m0"])
    own = [t for t in plan.tasks if t.model == "m0" and t.metric in metrics]
    measurer.announce(own)
    for task in own:
        computed = measurer.compute(task)
        if computed.interval is not None:
            key = f"{task.metric} alone" if paired else task.metric
            found[key] = computed.interval.low, computed.interval.high
    return found


def study(cell: Cell, data_sets: int, seed: int) -> dict[str, list[float]]:
    """Coverage in %, median width and data sets with limits, of each metric."""
    rng = np.random.default_rng(
        [seed, *(ord(c) for c in cell[0]), *(round(100 * x) for x in cell[1:])]
    )
    held: dict[str, list[tuple[bool, float]]] = {}
    for _ in range(data_sets):
        for name, (low, high) in limits(cell, draw(cell, rng)).items():
            metric, _, alone = name.partition(" ")
            true = truth(metric, cell[3], cell[2])
            if cell[0] == "pairs" and not alone:
                true -= truth(metric, cell[4], cell[2])
            room = 1e-9
            held.setdefault(name, []).append((low - room <= true <= high + room, high - low))
    return {
        name: [
            round(100 * sum(inside for inside, _ in own) / len(own), 1),
            float(f"{np.median([width for _, width in own]):.3g}"),
            len(own),
        ]
        for name, own in held.items()
        if 2 * len(own) >= data_sets
    }


def main() -> None:
    """Run what is missing, write the file and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=DATA_SETS)
    parser.add_argument("--design", choices=("clusters", "weights", "pairs"), help="only this one")
    parser.add_argument("--file", type=Path, default=FILE, help="the file that holds the cells")
    chosen = parser.parse_args()
    made: dict[str, Any] = {}
    if chosen.file.exists():
        made = json.loads(chosen.file.read_text(encoding="utf-8"))
    kept: list[dict[str, Any]] = made.setdefault("samples", [])
    done = {tuple(one["cell"]) for one in kept}
    for cell in cells():
        if cell in done or chosen.design not in (None, cell[0]):
            continue
        found = study(cell, chosen.data_sets, SEED)
        kept.append({"cell": list(cell), "data_sets": chosen.data_sets, "found": found})
        write(chosen.file, made)
    if chosen.file == FILE:
        page = PAGE.read_text(encoding="utf-8")
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        PAGE.write_text(f"{before}{BEGIN}\n\n{table(kept)}\n\n{END}{after}", encoding="utf-8")


def write(path: Path, made: dict[str, Any]) -> None:
    """The file, a line for each cell."""
    parts = [
        f'"{name}":{json.dumps(value)}'
        for name, value in made.items()
        if not isinstance(value, list)
    ]
    for name, value in made.items():
        if isinstance(value, list):
            lines = ",\n".join(json.dumps(one, separators=(",", ":")) for one in value)
            parts.append(f'"{name}":[\n{lines}\n]')
    path.write_text("{" + ",".join(parts) + "}\n", encoding="utf-8")


#: What the first number of a cell counts, by design.
WORDS = {"clusters": "clusters", "weights": "weighted positives", "pairs": "positives, differences"}


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
