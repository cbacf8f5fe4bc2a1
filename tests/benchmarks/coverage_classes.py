"""What the defaults hold beyond two classes at 95 %: averages, label sets, spread positives.

    PYTHONPATH=tests python -m benchmarks.coverage_classes

counts it and writes ``coverage_classes.json`` beside this file and the table of docs/coverage.md.
Every data set is a subgroup of one run, so all is made by the engine as it is for a report.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from benchmarks.coverage_grid import PAGE
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

import evalreport

FILE = Path(__file__).with_name("coverage_classes.json")
BEGIN, END = "<!-- classes: begin -->", "<!-- classes: end -->"
DATA_SETS = 200
SEED = 20261126
#: Rows of the sample that true values of scores and label sets are taken from.
MANY = 200_000

Array = NDArray[Any]
Key = tuple[str, str | None]
Rng = np.random.Generator


class Cell(NamedTuple):
    """One design: what is drawn, of which sizes and how well told apart, how rows hang together."""

    family: str
    sizes: tuple[float, ...]
    apart: float
    weights: bool = False
    clusters: int = 0
    level: float = 0.95

    @property
    def design(self) -> str:
        """The design as the table names it."""
        words = f"{self.clusters} clusters" if self.clusters else "rows"
        return f"{words}, weights" if self.weights else words


PREDICTED, SCORED = "classes, predicted", "classes, scored"
SETS, SPREAD = "label sets", "positives twice as spread"
CELLS = (
    *(Cell(PREDICTED, s, 0.9) for s in ((12, 12, 12), (10, 20, 200), (15, 15, 15, 15))),
    Cell(PREDICTED, (30, 30, 500), 0.95),
    Cell(PREDICTED, (12, 12, 12), 0.97),
    Cell(PREDICTED, (20, 40, 60), 0.9, weights=True),
    Cell(PREDICTED, (30, 40, 50), 0.9, clusters=25),
    Cell(PREDICTED, (40, 40, 40), 0.9, weights=True, clusters=30),
    Cell(PREDICTED, (12, 40, 100), 0.9, level=0.9),
    Cell(PREDICTED, (12, 40, 100), 0.9, level=0.99),
    *(Cell(SCORED, s, a) for s, a in (((12, 12, 12), 1.2), ((10,) * 5, 3), ((15, 15, 300), 3.3))),
    Cell(SCORED, (15, 30, 60), 1.5, weights=True),
    Cell(SCORED, (15, 30, 60), 2.5, clusters=30),
    Cell(SCORED, (20, 40, 60), 2, weights=True, clusters=40),
    Cell(SCORED, (12, 40, 100), 2, level=0.9),
    Cell(SCORED, (12, 40, 100), 2, level=0.99),
    Cell(SETS, (40, 0.3, 0.3, 0.4), 0.9),
    Cell(SETS, (60, 0.2, 0.25, 0.3), 0.97),
    Cell(SETS, (200, 0.07, 0.5, 0.3), 0.85),
    Cell(SETS, (80, 0.3, 0.3, 0.4), 0.9, weights=True),
    Cell(SETS, (60, 0.3, 0.3, 0.3, 0.3), 0.9, clusters=12),
    Cell(SETS, (100, 0.1, 0.2, 0.3), 0.85, weights=True, clusters=30),
    Cell(SETS, (60, 0.2, 0.25, 0.3), 0.9, level=0.9),
    Cell(SETS, (60, 0.2, 0.25, 0.3), 0.9, level=0.99),
    Cell(SPREAD, (10, 10), 0.99),
    Cell(SPREAD, (20, 380), 0.99),
    Cell(SPREAD, (50, 950), 0.99),
    Cell(SPREAD, (200, 200), 0.99),
    Cell(SPREAD, (50, 200), 0.95),
    Cell(SPREAD, (50, 450), 0.99, level=0.9),
    Cell(SPREAD, (50, 450), 0.99, level=0.99),
)


# -- what is drawn ------------------------------------------------------------------------------


def _classes(cell: Cell, rng: Rng, rows: int | None) -> Array:
    """Actual classes of a cohort, each of which occurs."""
    total = int(sum(cell.sizes))
    share = np.array(cell.sizes) / total
    while True:
        found = rng.choice(len(share), rows or total, p=share)
        if np.bincount(found, minlength=len(share)).min() > 0:
            return found


def _predicted(cell: Cell, rng: Rng, rows: int | None = None) -> dict[str, Array]:
    """Right with a chance of ``apart``, else near classes more often than far ones."""
    actual = _classes(cell, rng, rows)
    chances = _chances(cell)
    called = (rng.random(len(actual))[:, None] > chances.cumsum(axis=1)[actual]).sum(axis=1)
    return {"y": actual.astype(str), "p": called.clip(0, len(chances) - 1).astype(str)}


def _chances(cell: Cell) -> Array:
    size = len(cell.sizes)
    apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(float)
    other = np.where(apart > 0, 1 / np.maximum(apart, 1) ** 2, 0.0)
    other *= (1 - cell.apart) / other.sum(axis=1, keepdims=True)
    return other + cell.apart * np.eye(size)


def _scored(cell: Cell, rng: Rng, rows: int | None = None) -> dict[str, Array]:
    """Normal scores of each class, by ``apart`` higher for the row's own, as probabilities."""
    actual, size = _classes(cell, rng, rows), len(cell.sizes)
    raw = rng.normal(size=(len(actual), size)) + cell.apart * np.eye(size)[actual]
    logit = cell.apart * raw + np.log(np.array(cell.sizes) / sum(cell.sizes))
    found = np.exp(logit - logit.max(axis=1, keepdims=True))
    found /= found.sum(axis=1, keepdims=True)
    return {"y": actual.astype(str), **{f"s{k}": found[:, k] for k in range(size)}}


def _sets(cell: Cell, rng: Rng, rows: int | None = None) -> dict[str, Array]:
    """Labels of their own frequency, found with a chance of ``apart``, given by error with 5 %."""
    often = np.array(cell.sizes[1:])
    shape = (rows or int(cell.sizes[0]), len(often))
    actual = rng.random(shape) < often
    given = rng.random(shape) < np.where(actual, cell.apart, 0.05)
    columns = {f"y{k}": actual[:, k].astype(int) for k in range(len(often))}
    return columns | {f"p{k}": given[:, k].astype(int) for k in range(len(often))}


def _spread(cell: Cell, rng: Rng, rows: int | None = None) -> dict[str, Array]:
    """Normal scores, of positives twice as spread, with an area of ``apart``."""
    share = cell.sizes[0] / sum(cell.sizes)
    y = rng.random(rows or int(sum(cell.sizes))) < share
    y[:2] = (True, False)
    middle = norm.ppf(cell.apart) * 5**0.5
    score = np.where(y, middle + 2 * rng.normal(size=len(y)), rng.normal(size=len(y)))
    return {"y": y.astype(int), "s": score}


DRAWN: dict[str, Callable[..., dict[str, Array]]] = {
    PREDICTED: _predicted, SCORED: _scored, SETS: _sets, SPREAD: _spread,
}  # fmt: skip


# -- true values ---------------------------------------------------------------------------------


def _true_of_predicted(cell: Cell) -> dict[Key, float]:
    share = np.array(cell.sizes) / sum(cell.sizes)
    table = _chances(cell) * share[:, None]
    size, right = len(share), np.diag(table)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    chance = np.outer(rows, columns)
    distance = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    each = {
        "recall": right / rows,
        "precision": right / columns,
        "f1": 2 * right / (rows + columns),
        "specificity": (1 - rows - columns + right) / (1 - rows),
    }
    found: dict[Key, float] = {}
    for name, values in each.items():
        found[name, "macro"] = float(values.mean())
        if name != "recall":
            found[name, "weighted"] = float(share @ values)
    found["kappa", None] = 1 - (1 - right.sum()) / (1 - np.trace(chance))
    found["weighted_kappa", None] = 1 - (distance * table).sum() / (distance * chance).sum()
    return found


def _true_of_scored(cell: Cell) -> dict[Key, float]:
    many = _scored(cell, np.random.default_rng(SEED), MANY)
    actual, size = many["y"].astype(int), len(cell.sizes)
    score = np.stack([many[f"s{k}"] for k in range(size)], axis=1)
    share, own = np.array(cell.sizes) / sum(cell.sizes), score[np.arange(MANY), actual]
    curves = [roc_curve(actual == k, score[:, k])[:2] for k in range(size)]
    each = {
        "roc_auc": [roc_auc_score(actual == k, score[:, k]) for k in range(size)],
        "average_precision": [
            average_precision_score(actual == k, score[:, k]) for k in range(size)
        ],
        "ks": [float(np.max(found - alarms)) for alarms, found in curves],
    }
    pairs = [
        roc_auc_score(actual[both] == i, score[both, i])
        for i in range(size)
        for j in range(size)
        if i != j
        for both in [(actual == i) | (actual == j)]
    ]
    found: dict[Key, float] = {("hand_till_auc", None): float(np.mean(pairs))}
    for name, values in each.items():
        found[name, "macro"] = float(np.mean(values))
        found[name, "weighted"] = float(share @ values)
    found["top_k_accuracy", None] = float(np.mean((own[:, None] < score).sum(axis=1) < 2))
    found["log_loss", None] = float(-np.log(own).mean())
    return found


def _true_of_sets(cell: Cell) -> dict[Key, float]:
    many = _sets(cell, np.random.default_rng(SEED), MANY)
    size = len(cell.sizes) - 1
    y, p = (np.stack([many[f"{c}{k}"] for k in range(size)], axis=1) for c in "yp")
    both, either = (y & p).sum(axis=1), (y | p).sum(axis=1)
    hits, has, given = (y & p).sum(axis=0), y.sum(axis=0), p.sum(axis=0)
    return {
        ("hamming_loss", None): float((y != p).mean()),
        ("exact_match", None): float((y == p).all(axis=1).mean()),
        ("example_jaccard", None): float((both[either > 0] / either[either > 0]).mean()),
        ("f1", "macro"): float((2 * hits / (has + given)).mean()),
        ("f1", "micro"): float(2 * hits.sum() / (has + given).sum()),
        ("recall", "macro"): float((hits / has).mean()),
        ("recall", "micro"): float(hits.sum() / has.sum()),
        ("precision", "macro"): float((hits / given).mean()),
        ("precision", "micro"): float(hits.sum() / given.sum()),
    }


def _true_of_spread(cell: Cell) -> dict[Key, float]:
    middle, share = norm.ppf(cell.apart) * 5**0.5, cell.sizes[0] / sum(cell.sizes)
    at = np.linspace(-9, middle + 18, 100_001)
    density = norm.pdf((at - middle) / 2)
    found, alarms = norm.sf((at - middle) / 2), norm.sf(at)
    precision = share * found / (share * found + (1 - share) * alarms)
    return {
        ("roc_auc", None): cell.apart,
        ("average_precision", None): float(density @ precision / density.sum()),
        ("ks", None): float(np.max(found - alarms)),
    }


TRUE: dict[str, Callable[[Cell], dict[Key, float]]] = {
    PREDICTED: _true_of_predicted, SCORED: _true_of_scored, SETS: _true_of_sets,
    SPREAD: _true_of_spread,
}  # fmt: skip


# -- counting ------------------------------------------------------------------------------------


def _spec(cell: Cell, metrics: list[Any], averages: list[str]) -> dict[str, Any]:
    size = len(cell.sizes) - (cell.family == SETS)
    target: Any = "y"
    if cell.family == SETS:
        target = {"labels": {f"l{k}": f"y{k}" for k in range(size)}}
    dataset: dict[str, Any] = {"target": target}
    if cell.family in (PREDICTED, SCORED):
        dataset["labels"] = [str(k) for k in range(size)]
    dataset |= {"weight": "w"} if cell.weights else {}
    dataset |= {"cluster": "c"} if cell.clusters else {}
    model = {
        PREDICTED: {"prediction": "p"},
        SCORED: {"scores": {str(k): f"s{k}" for k in range(size)}},
        SETS: {"prediction": {"labels": {f"l{k}": f"p{k}" for k in range(size)}}},
        SPREAD: {"margin": "s"},
    }[cell.family]
    spec: dict[str, Any] = {
        "evalreport": 1,
        "title": "coverage",
        "datasets": {"d": dataset},
        "models": {"m": model},
        "metrics": metrics,
        "subgroups": ["sample"],
        "confidence": {"level": cell.level},
    }
    return spec | ({"averaging": averages} if averages else {})


def counted(cell: Cell, data_sets: int = DATA_SETS) -> dict[str, list[float]]:
    """Of each value the coverage in %, the mean width, and of how many data sets."""
    rng = np.random.default_rng([SEED, zlib.crc32(repr(cell).encode())])
    frames = []
    for b in range(data_sets):
        one = pd.DataFrame(DRAWN[cell.family](cell, rng)).assign(sample=f"s{b}")
        if cell.weights:
            one["w"] = rng.lognormal(0, 0.8, len(one))
        if cell.clusters:
            one["c"] = [f"{b}-{c}" for c in rng.integers(0, cell.clusters, len(one))]
        frames.append(one)
    true = TRUE[cell.family](cell)
    names = list(dict.fromkeys(name for name, _ in true))
    metrics = [{name: {"k": 2}} if name == "top_k_accuracy" else name for name in names]
    averages = sorted({average for _, average in true if average})
    spec = _spec(cell, metrics, averages)
    found = evalreport.run(spec, frames={"d": pd.concat(frames, ignore_index=True)}).json
    within: dict[Key, list[tuple[bool, float]]] = {}
    for m in found["measures"]:
        key = m["metric"], m["average"]
        positive = cell.family != SPREAD and m["label"] is not None
        if not m["subgroup"] or key not in true or positive or m["state"] != "value":
            continue
        own = m["interval"]
        held = own is not None and own["low"] - 1e-12 <= true[key] <= own["high"] + 1e-12
        within.setdefault(key, []).append((held, own["high"] - own["low"] if own else np.nan))
    return {
        " ".join(filter(None, key)): [
            round(100 * float(np.mean([held for held, _ in pairs])), 1),
            float(f"{np.nanmean([width for _, width in pairs]):.3g}"),
            len(pairs),
        ]
        for key, pairs in within.items()
    }


# -- the page ------------------------------------------------------------------------------------


def table(recorded: list[dict[str, Any]]) -> str:
    """The tables of the page, one for each family; bold: more than two points below the level."""
    parts = []
    for family in DRAWN:
        own = [one for one in recorded if one["cell"][0] == family]
        names = list(dict.fromkeys(name for one in own for name in one["found"]))
        heads = [f"{_sizes(c)}; {c.design}; {c.level:.0%}" for c in map(_cell, own)]
        lines = [f"| {family} | {' | '.join(heads)} |", "|---" * (len(own) + 1) + "|"]
        for name in names:
            held = [_told(one["found"].get(name), one["cell"][5]) for one in own]
            lines.append(f"| {name} | {' | '.join(held)} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _cell(one: dict[str, Any]) -> Cell:
    family, sizes, *rest = one["cell"]
    return Cell(family, tuple(sizes), *rest)


def _sizes(cell: Cell) -> str:
    if cell.family == SETS:
        return f"{cell.sizes[0]:g} rows, found {cell.apart:g}"
    word = {SCORED: "apart", SPREAD: "area"}.get(cell.family, "right")
    return f"{' '.join(f'{size:g}' for size in cell.sizes)}, {word} {cell.apart:g}"


def _told(found: list[float] | None, level: float) -> str:
    if found is None:
        return ""
    low = found[0] < 100 * (1 - 1.4 * (1 - level)) - 1e-9
    return f"**{found[0]}**" if low else f"{found[0]}"


def _all() -> Iterator[dict[str, Any]]:
    for cell in CELLS:
        print(cell, flush=True)
        yield {"cell": list(cell), "found": counted(cell)}


def main() -> None:
    """Count every cell and write file and page."""
    recorded = list(_all())
    lines = ",\n".join(json.dumps(one) for one in recorded)
    FILE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    text = PAGE.read_text(encoding="utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    told = table(json.loads(FILE.read_text(encoding="utf-8")))
    PAGE.write_text(f"{before}{BEGIN}\n\n{told}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
