"""How wide the defaults are beside every other method that is offered, by family.

Run from the repository: ``PYTHONPATH=tests python -m benchmarks.coverage_widths``. It adds its
cells to ``tests/benchmarks/coverage_widths.json``, and writes its tables and one picture for each
family into docs/coverage.md and docs/coverage/. Cells that the file has are not run again, so it
may be stopped at any time; ``--page`` writes the page alone. The same seed gives the same file.

Samples are those of the grid, at the threshold that one negative in five exceeds.
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
from benchmarks import coverage_defaults, coverage_pictures
from benchmarks.coverage_differences import measured
from benchmarks.coverage_grid import (
    LEVEL,
    PAGE,
    chance,
    distance,
    truth,
)
from scipy.special import ndtr, ndtri

from evalreport.metrics.tables import ScoreTable
from evalreport.predict.view import LabelView
from evalreport.statistics.resampling import generator

FILE = Path(__file__).with_suffix(".json")
SEED, FALL_OUT, RESAMPLES = 20261124, 0.2, 300
POSITIVES, PREVALENCES, AREAS = (5, 10, 20, 50, 200), (0.1, 0.5), (0.6, 0.8, 0.95, 0.99)
BEGIN, END = "<!-- widths: begin -->", "<!-- widths: end -->"
#: Coverage in % from which on a method is said to hold.
HOLDS = 93.0
DEFAULT = "default"

#: By family: its metrics, and the methods that a spec can ask for beside the default.
FAMILIES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "shares": (
        ("recall", "specificity", "precision"),
        ("wilson", "clopper_pearson", "agresti_coull", "jeffreys", "mid_p", "likelihood_ratio",
         "wilson_cc", "wald"),
    ),
    "two rates": (("balanced_accuracy",), ("newcombe_hybrid", "mover_jeffreys", "delta")),
    "tables": (("f1", "mcc", "kappa"), ("mover_jeffreys", "delta", "fisher_z", "wald")),
    "ratios of rates": (("lr_plus", "lr_minus"), ("log", "mover_jeffreys")),
    "areas": (("roc_auc",), ("delong_logit", "delong_score", "delong", "hanley_mcneil")),
    "losses": (("log_loss", "brier"), ("log_t", "normal")),
    "ranked scores": (
        ("average_precision", "ks"),
        ("bootstrap_percentile", "bootstrap_bca", "influence"),
    ),
}  # fmt: skip
HEADS = (
    *("measure", "positives", "coverage", "mean width"),
    *("times the best that holds", "best", "none"),
)
OF_TABLES = ("shares", "two rates", "tables", "ratios of rates")
#: Data sets of a cell; where rows are drawn fewer.
DATA_SETS = {"areas": 200, "losses": 120, "ranked scores": 60}

Cell = tuple[int, float, float]
#: Lower and upper limit of each metric by each method, of one data set.
Found = Iterator[tuple[str, str, Any]]


def cells(family: str) -> Iterator[Cell]:
    """Positives, prevalence and area of every cell of a family."""
    for cell in product(POSITIVES, PREVALENCES, AREAS):
        slow = family == "ranked scores" and (cell[0] > 50 or cell[2] == 0.99)
        if not slow:
            yield cell


@cache
def limits_at(metric: str, asked: str | None, cells: tuple[int, int, int, int]) -> Any:
    """Limits at FN, TP, TN, FP."""
    fn, tp, tn, fp = cells
    table = np.array([[tn, fp], [fn, tp]], float)
    return coverage_defaults.of_table(metric, table, LEVEL, asked)


def of_tables(family: str, cell: Cell, rng: np.random.Generator) -> Found:
    """Limits of one table, drawn at the threshold."""
    p, n = rows_of(cell)
    recall = float(ndtr(distance(cell[2]) - ndtri(1 - FALL_OUT)))
    tp, fp = int(rng.binomial(p, recall)), int(rng.binomial(n, FALL_OUT))
    metrics, methods = FAMILIES[family]
    for metric, method in product(metrics, (DEFAULT, *methods)):
        asked = None if method == DEFAULT else method
        if asked is None or coverage_defaults.planned(metric, p + n, asked).interval == asked:
            yield metric, method, limits_at(metric, asked, (p - tp, tp, n - fp, fp))


def of_scores(family: str, cell: Cell, rng: np.random.Generator) -> Found:
    """Limits of areas or losses of one set of scores."""
    p, n = rows_of(cell)
    score = np.concatenate([rng.normal(size=p) + distance(cell[2]), rng.normal(size=n)])
    order = np.argsort(-score, kind="stable")
    positive = (np.arange(p + n) < p)[order].astype(np.int64)
    table = ScoreTable(chance(score[order], cell[2], p / (p + n)), positive, 1 - positive)
    metrics, methods = FAMILIES[family]
    for metric, method in product(metrics, (DEFAULT, *methods)):
        asked = None if method == DEFAULT else method
        none = np.zeros(0)
        yield metric, method, coverage_defaults.of_scores(metric, table, none, None, LEVEL, asked)


def of_ranks(family: str, cell: Cell, rng: np.random.Generator) -> Found:
    """Limits of average precision and KS of one set of scores, made by the engine."""
    p, n = rows_of(cell)
    actual = (np.arange(p + n) < p).astype(int)
    score = chance(rng.normal(size=p + n) + distance(cell[2]) * actual, cell[2], p / (p + n))
    rows = np.arange(p + n)
    view = LabelView(
        dataset="d",
        model="m",
        source="score",
        labels=("n", "p"),
        positive=1,
        actual=actual,
        row=rows,
        score=score,
    )
    metrics, methods = FAMILIES[family]
    for method in (DEFAULT, *methods):
        asked = {} if method == DEFAULT else dict.fromkeys(metrics, method)
        for one in measured(view, 0.5, metrics, RESAMPLES, asked):
            yield one.metric, method, one.interval


def truth_of(metric: str, cell: Cell) -> float:
    """The value on an endless sample."""
    p, n = rows_of(cell)
    return truth(metric, cell[2], p / (p + n), FALL_OUT)


def rows_of(cell: Cell) -> tuple[int, int]:
    """Positives and negatives of a data set."""
    return cell[0], round(cell[0] / cell[1]) - cell[0]


def study(family: str, cell: Cell, data_sets: int) -> dict[str, dict[str, list[float]]]:
    """Coverage in %, mean width and data sets with limits, by metric and method."""
    made = of_tables if family in OF_TABLES else of_scores
    made = of_ranks if family == "ranked scores" else made
    rng = generator(SEED, family, *map(str, cell))
    found: dict[tuple[str, str], list[tuple[bool, float]]] = {}
    for _ in range(data_sets):
        for metric, method, limits in made(family, cell, rng):
            if limits is not None:
                true, room = truth_of(metric, cell), 1e-9
                held = limits.low - room <= true <= limits.high + room
                found.setdefault((metric, method), []).append((held, limits.high - limits.low))
    told: dict[str, dict[str, list[float]]] = {}
    for (metric, method), own in found.items():
        if 2 * len(own) >= data_sets:
            coverage = round(100 * sum(held for held, _ in own) / len(own), 1)
            # limits that reach up to infinity hold, and have no width
            wide = [wide for _, wide in own if math.isfinite(wide)] or [math.inf]
            width = float(f"{np.mean(wide):.3g}")
            told.setdefault(metric, {})[method] = [coverage, width, len(own)]
    return told


def main() -> None:
    """Run what is missing, write the file, the page and its pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", action="store_true", help="write the page of what there is")
    chosen = parser.parse_args()
    kept: list[dict[str, Any]] = []
    if FILE.exists():
        kept = json.loads(FILE.read_text(encoding="utf-8"))
    done = {(one["family"], *one["cell"]) for one in kept}
    for family in () if chosen.page else FAMILIES:
        for cell in cells(family):
            if (family, *cell) in done:
                continue
            sets = DATA_SETS.get(family, 300)
            found = study(family, cell, sets)
            limits_at.cache_clear()
            kept.append({"family": family, "cell": list(cell), "data_sets": sets, "found": found})
            lines = ",\n".join(json.dumps(one, separators=(",", ":")) for one in kept)
            FILE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    before, after = page.split(BEGIN)[0], page.split(END)[1]
    for family in FAMILIES:
        own = [one for one in kept if one["family"] == family]
        picture_of(family).parent.mkdir(exist_ok=True)
        drawn = coverage_pictures.drawn(family, list(points(own)))
        picture_of(family).write_text(drawn, encoding="utf-8")
    told = "\n\n".join("\n".join(section_of(family, kept)) for family in FAMILIES)
    PAGE.write_text(f"{before}{BEGIN}\n\n{told}\n\n{END}{after}", encoding="utf-8")


def picture_of(family: str) -> Path:
    """Where the picture of a family stands."""
    return PAGE.parent / "coverage" / f"{family.replace(' ', '_')}.svg"


def section_of(family: str, kept: list[dict[str, Any]]) -> Iterator[str]:
    """The picture and the table of one family, as lines of Markdown."""
    own = [one for one in kept if one["family"] == family]
    sets = " to ".join(f"{n:,}" for n in sorted({one["data_sets"] for one in own}))
    yield f"**{family[0].upper()}{family[1:]}**, {sets} data sets a cell."
    yield ""
    picture = f"coverage/{picture_of(family).name}"
    yield f"![Coverage and width of the defaults of {family}]({picture})"
    yield ""
    yield f"| {' | '.join(HEADS)} |"
    yield f"|{'---|' * len(HEADS)}"
    for metric, positives in product(FAMILIES[family][0], POSITIVES):
        row = _row(own, metric, positives)
        if row:
            yield f"| {metric} | {positives} | {row} |"


def points(kept: list[dict[str, Any]]) -> Iterator[coverage_pictures.Point]:
    """Every cell of every metric: what the default holds, and its width beside the best."""
    for one in kept:
        for methods in one["found"].values():
            if DEFAULT in methods:
                coverage, width, _ = methods[DEFAULT]
                best = best_of(methods)
                ratio = None if best is None else width / methods[best][1]
                yield coverage_pictures.Point(one["cell"][0], coverage, ratio)


def best_of(methods: dict[str, list[float]]) -> str | None:
    """The narrowest method that holds, the default where it is as narrow; None where none does."""
    holding = [name for name, (coverage, *_) in methods.items() if coverage >= HOLDS]
    return min(holding, key=lambda name: (methods[name][1], name != DEFAULT), default=None)


def _row(kept: list[dict[str, Any]], metric: str, positives: int) -> str:
    """Coverage, width and ratio over prevalences and areas, and which methods are best."""
    own = [
        one["found"][metric]
        for one in kept
        if one["cell"][0] == positives and DEFAULT in one["found"].get(metric, {})
    ]
    if not own:
        return ""
    held, wide = ([one[DEFAULT][place] for one in own] for place in (0, 1))
    best = [best_of(one) for one in own]
    ratios = [one[DEFAULT][1] / one[name][1] for one, name in zip(own, best, strict=True) if name]
    names = {name: best.count(name) for name in best if name}
    told = ", ".join(f"{n} {c}" for n, c in sorted(names.items(), key=lambda x: (-x[1], x[0])))
    spread = f"{min(ratios):.2f} to {max(ratios):.2f}" if ratios else "–"
    return (
        f"{min(held):.1f} to {max(held):.1f} | {_short(min(wide))} to {_short(max(wide))} | "
        f"{spread} | {told or '–'} | {best.count(None)} of {len(own)}"
    )


def _short(width: float) -> str:
    return f"{width:.3g}"


if __name__ == "__main__":
    main()
