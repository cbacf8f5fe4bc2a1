"""Coverage of the defaults over a grid of few and many positives, and areas up to 0.99.

Run from the repository: ``PYTHONPATH=tests python -m benchmarks.coverage_grid``. It writes
``evalreport/metrics/coverage_study.json``, from which records say what their method held, and
the grid's tables of docs/coverage.md. Cells that the file already has are not run again, so it
may be stopped at any time; ``--afresh`` starts over. The same seed gives the same file.

Each data set has a fixed number of positives with scores N(mu, 1) and of negatives N(0, 1),
read as probabilities by Bayes' rule at their prevalence; a row is predicted positive above the
score that half, one in five or one in twenty of the negatives exceed. Every interval is made by
the engine, as a run that asks for nothing makes it.
"""

from __future__ import annotations

import argparse
import json
import math
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks import coverage_defaults
from numpy.typing import NDArray
from scipy.special import expit, ndtr, ndtri

from evalreport.metrics.catalogue import find
from evalreport.metrics.tables import Counts, ScoreTable
from evalreport.statistics.resampling import generator

SEED = 20261122
DATA_SETS = 1000
POSITIVES = (5, 10, 20, 50, 200)
PREVALENCES = (0.02, 0.1, 0.3, 0.5)
AREAS = (0.6, 0.8, 0.95, 0.99)
FALL_OUTS = (0.5, 0.2, 0.05)
OF_TABLES = (
    *("accuracy", "recall", "specificity", "precision", "f1", "fbeta", "jaccard"),
    *("youden_j", "balanced_accuracy", "g_mean", "markedness", "fowlkes_mallows"),
    *("mcc", "kappa", "lr_plus", "lr_minus", "diagnostic_odds_ratio"),
)
OF_SCORES = ("roc_auc", "log_loss", "brier")
#: Rows above which areas are not drawn again: their methods are those of fewer rows.
MOST_ROWS = 4000
LEVEL = 0.95
ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "evalreport" / "metrics" / "coverage_study.json"
PAGE = ROOT / "docs" / "coverage.md"
BEGIN, END = "<!-- grid: begin -->", "<!-- grid: end -->"

Floats = NDArray[np.float64]
Cell = tuple[int, float, float]


def rows_of(cell: Cell) -> tuple[int, int]:
    """Positives and negatives of a data set."""
    positives, prevalence, _ = cell
    return positives, round(positives / prevalence) - positives


def distance(area: float) -> float:
    """How far positives score above negatives."""
    return math.sqrt(2.0) * float(ndtri(area))


def truth_of_table(measure: str, cell: Cell, fall_out: float) -> float:
    """The value on an endless sample of the cell's composition."""
    p, n = rows_of(cell)
    recall = float(ndtr(distance(cell[2]) - ndtri(1 - fall_out)))
    tp, fp = p * recall, n * fall_out
    metric: Any = find(measure)
    if metric.table.value == "counts":
        return float(metric(Counts(tp=tp, fn=p - tp, fp=fp, tn=n - fp)).array())
    from evalreport.engine.metric_values import stacked_value

    whole = stacked_value(metric, {}, average=None, index=None)
    return float(whole(np.array([[[n - fp, fp], [p - tp, tp]]]))[0])


def truth_of_scores(measure: str, cell: Cell) -> float:
    """The same of a measure of scores, by summing over the normal densities."""
    if measure == "roc_auc":
        return cell[2]
    p, n = rows_of(cell)
    mu = distance(cell[2])
    at = np.linspace(-9.0, 9.0, 20_001)
    density = np.exp(-(at**2) / 2)
    density /= density.sum()
    loss: Any = getattr(find(measure), "row_loss")  # noqa: B009 - of a declared metric
    of_positive = float(np.sum(density * loss(chance(at + mu, cell), True)))
    of_negative = float(np.sum(density * loss(chance(at, cell), False)))
    return (p * of_positive + n * of_negative) / (p + n)


def chance(score: Floats, cell: Cell) -> Floats:
    """The probability that a row of this score is positive."""
    p, n = rows_of(cell)
    mu = distance(cell[2])
    return np.asarray(expit(mu * score - mu * mu / 2 + math.log(p / n)), np.float64)


@cache
def limits_of_table(measure: str, cells: tuple[int, int, int, int]) -> tuple[float, float] | None:
    """The default's limits at TP, FN, FP, TN."""
    tp, fn, fp, tn = cells
    found = coverage_defaults.of_table(measure, np.array([[tn, fp], [fn, tp]], float), LEVEL)
    return None if found is None else (found.low, found.high)


def of_tables(cell: Cell, data_sets: int, seed: int) -> dict[str, list[list[float]]]:
    """Coverage in % and mean width of each measure, one pair for each threshold."""
    p, n = rows_of(cell)
    found: dict[str, list[list[float]]] = {measure: [] for measure in OF_TABLES}
    for fall_out in FALL_OUTS:
        rng = generator(seed, "tables", *map(str, cell), str(fall_out))
        recall = float(ndtr(distance(cell[2]) - ndtri(1 - fall_out)))
        tp, fp = rng.binomial(p, recall, data_sets), rng.binomial(n, fall_out, data_sets)
        for measure in OF_TABLES:
            truth = truth_of_table(measure, cell, fall_out)
            limits = [
                limits_of_table(measure, (int(a), p - int(a), int(b), n - int(b)))
                for a, b in zip(tp, fp, strict=True)
            ]
            found[measure].append(summary([one for one in limits if one], truth, data_sets))
    return found


def of_scores(cell: Cell, data_sets: int, seed: int) -> dict[str, list[list[float]]]:
    """The same of measures of scores."""
    p, n = rows_of(cell)
    limits: dict[str, list[tuple[float, float]]] = {measure: [] for measure in OF_SCORES}
    rng = generator(seed, "scores", *map(str, cell))
    none = np.zeros(0)
    for _ in range(data_sets):
        score = np.concatenate([rng.normal(size=p) + distance(cell[2]), rng.normal(size=n)])
        order = np.argsort(-score, kind="stable")
        positive = (np.arange(p + n) < p)[order].astype(np.int64)
        table = ScoreTable(chance(score[order], cell), positive, 1 - positive)
        for measure in OF_SCORES:
            found = coverage_defaults.of_scores(measure, table, none, None, LEVEL)
            if found is not None:
                limits[measure].append((found.low, found.high))
    return {
        measure: [summary(limits[measure], truth_of_scores(measure, cell), data_sets)]
        for measure in OF_SCORES
    }


def summary(limits: list[tuple[float, float]], truth: float, drawn: int) -> list[float]:
    """Coverage in % and median width; empty where most data sets have no limits."""
    finite = [(low, high) for low, high in limits if math.isfinite(high)]
    if 2 * len(finite) < drawn or not math.isfinite(truth):
        return []
    room = 1e-12 * max(1.0, abs(truth))
    held = sum(low <= truth + room and truth - room <= high for low, high in finite)
    width = float(np.median([high - low for low, high in finite]))
    return [round(100 * held / len(finite), 1), float(f"{width:.3g}")]


def main() -> None:
    """Run what is missing, write the file and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=DATA_SETS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--afresh", action="store_true")
    chosen = parser.parse_args()
    made: dict[str, Any] = {"seed": chosen.seed, "data_sets": chosen.data_sets, "cells": []}
    if FILE.exists() and not chosen.afresh:
        made = json.loads(FILE.read_text(encoding="utf-8"))
    done = {(c["positives"], c["prevalence"], c["area"]) for c in made["cells"]}
    for cell in product(POSITIVES, PREVALENCES, AREAS):
        if cell in done:
            continue
        found = of_tables(cell, made["data_sets"], made["seed"])
        if sum(rows_of(cell)) <= MOST_ROWS:
            found |= of_scores(cell, made["data_sets"], made["seed"])
        limits_of_table.cache_clear()
        own = {"positives": cell[0], "prevalence": cell[1], "area": cell[2], "found": found}
        made["cells"].append(own)
        lines = ",\n".join(json.dumps(one, separators=(",", ":")) for one in made["cells"])
        head = f'{{"seed":{made["seed"]},"data_sets":{made["data_sets"]},"cells":[\n'
        FILE.write_text(f"{head}{lines}\n]}}\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    before, after = page.split(BEGIN)[0], page.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n\n{tables(made)}\n\n{END}{after}", encoding="utf-8")


def tables(made: dict[str, Any]) -> str:
    """Lowest and highest coverage of each measure by the number of positives, as Markdown."""
    told = (
        f"{made['data_sets']:,} data sets a cell, seed {made['seed']}. Each entry: the lowest and "
        "the highest coverage in % over prevalences, areas and thresholds, and in how many of "
        "these cells it is below 93."
    )
    out = [
        told,
        "",
        f"| measure | {' | '.join(f'{p} positives' for p in POSITIVES)} |",
        f"|{'---|' * (len(POSITIVES) + 1)}",
    ]
    for measure in (*OF_TABLES, *OF_SCORES):
        entries = []
        for positives in POSITIVES:
            own = [
                pair[0]
                for cell in made["cells"]
                if cell["positives"] == positives
                for pair in cell["found"].get(measure, [])
                if pair
            ]
            below = sum(one < 93 for one in own)
            entry = f"{min(own):.1f} to {max(own):.1f} · {below} of {len(own)}" if own else "–"
            entries.append(entry)
        out.append(f"| {measure} | {' | '.join(entries)} |")
    return "\n".join(out)


if __name__ == "__main__":
    main()
