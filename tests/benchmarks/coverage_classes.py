"""What the defaults hold beyond two classes: averages over classes, and sets of labels.

    PYTHONPATH=tests python -m benchmarks.coverage_classes

counts it and writes its cells into ``evalreport/metrics/coverage_study.json``, from which records
say what their method held, and the tables of docs/coverage.md; those of other levels than 95 %
into ``coverage_classes.json`` beside this file. Every data set is a subgroup of one run, so all is
made by the engine as it is for a report. Rows of a cluster have a correlation of 0.3, in class and
in score.
"""

from __future__ import annotations

import argparse
import json
import math
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from multiprocessing import Pool
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from benchmarks.coverage_grid import (
    CORRELATION,
    by_place,
    clusters_of,
    on_page,
    recorded,
    replace_places,
    replace_samples,
)
from benchmarks.coverage_grid import (
    SPREAD as WEIGHTS_SPREAD,
)
from benchmarks.coverage_grid import table as table_of
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import norm
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

import evalreport
from evalreport.engine.metric_values import stacked_value
from evalreport.metrics.catalogue import find
from evalreport.metrics.coverage_study import (
    CLASSES,
    CLUSTERED_PAIRS,
    PAIRS,
    WEIGHTED_PAIRS,
    Drawn,
    design,
    name_of,
)
from evalreport.metrics.coverage_study import SETS as OF_SETS
from evalreport.metrics.tables import Counts

FILE = Path(__file__).with_name("coverage_classes.json")
BEGIN, END = "<!-- classes: begin -->", "<!-- classes: end -->"
DATA_SETS = 200
SEED = 20261127
#: Rows of the sample that true values of scores and label sets are taken from.
MANY = 100_000

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
    uneven: bool = False
    #: Of a second model, from which the first is compared; they go together within a class.
    other: float | None = None

    @property
    def total(self) -> int:
        """Rows of a data set."""
        return int(self.sizes[0] if self.family == SETS else sum(self.sizes))

    @property
    def models(self) -> list[Cell]:
        """The cell of each model by itself."""
        own = self._replace(other=None)
        return [own] if self.other is None else [own, own._replace(apart=self.other)]

    @property
    def place(self) -> tuple[str, int, float]:
        """Design, size and share as the study names them."""
        often = self.sizes[1:] if self.family == SETS else np.array(self.sizes) / self.total
        of = OF_SETS if self.family == SETS else CLASSES
        how = design(weighted=self.weights, clustered=self.clusters > 0, uneven=self.uneven)
        if self.other is not None:
            how = CLUSTERED_PAIRS if self.clusters else WEIGHTED_PAIRS if self.weights else PAIRS
        size = self.clusters or round(self.total * min(often))
        return Drawn(1, 1, how, of=of).name, size, round(float(min(often)), 3)


class Rows:
    """Random numbers of rows, those of one cluster correlated."""

    def __init__(self, rng: Rng, rows: int, code: Array | None = None) -> None:
        self.rng, self.rows, self.code = rng, rows, code

    def normal(self, columns: int = 1) -> Array:
        """Normal deviates, shape (rows, columns)."""
        own = self.rng.normal(size=(self.rows, columns))
        if self.code is None:
            return own
        shared = self.rng.normal(size=(int(self.code.max()) + 1, columns))[self.code]
        return math.sqrt(1 - CORRELATION) * own + math.sqrt(CORRELATION) * shared

    def uniform(self, columns: int = 1) -> Array:
        """The same, evenly between 0 and 1."""
        return np.asarray(ndtr(self.normal(columns)))


PREDICTED, SCORED = "classes, predicted", "classes, scored"
SETS, SPREAD = "label sets", "positives twice as spread"
#: Of other levels.
CELLS = (
    *(Cell(PREDICTED, (12, 40, 100), 0.9, level=level) for level in (0.9, 0.99)),
    *(Cell(SCORED, (12, 40, 100), 2, level=level) for level in (0.9, 0.99)),
    *(Cell(SETS, (60, 0.2, 0.25, 0.3), 0.9, level=level) for level in (0.9, 0.99)),
    *(Cell(SPREAD, (50, 450), 0.99, level=level) for level in (0.9, 0.99)),
)
#: How often a prediction is right, or a label found; how far the scores of classes are apart.
RIGHT, APART, FAR, FOUND = (0.7, 0.9, 0.97), (1.0, 2.0, 3.3), (1.0, 3.3), (0.7, 0.9, 0.97)
RIGHT_OF_TWO, APART_OF_TWO = ((0.9, 0.9), (0.97, 0.7)), ((2.0, 2.0), (3.3, 1.0))
OFTEN = (0.1, 0.2, 0.3)


def studied() -> Iterator[Cell]:
    """The cells of the study: averages and sets of labels at 95 %."""
    for m in (10, 50):
        for sizes, right in product(((m, m), (m, m, m), _uneven(m)), RIGHT):
            yield Cell(PREDICTED, sizes, right)
        yield Cell(PREDICTED, (m, m, m), 0.995)
        for sizes, apart in product(((m, m, m), _uneven(m)), APART):
            yield Cell(SCORED, sizes, apart)
        yield from (Cell(PREDICTED, (m, m, m), right, weights=True) for right in RIGHT)
        yield from (Cell(SCORED, (m, m, m), apart, weights=True) for apart in FAR)
        for weights, found in product((False, True), FOUND):
            yield Cell(SETS, (round(m / OFTEN[0]), *OFTEN), found, weights=weights)
    for weights, uneven in product((False, True), (False, True)):
        how: Any = {"clusters": 20, "weights": weights, "uneven": uneven}
        yield from (Cell(PREDICTED, (24, 36, 60), right, **how) for right in RIGHT)
        yield from (Cell(SCORED, (24, 36, 60), apart, **how) for apart in FAR)
        yield from (Cell(SETS, (120, *OFTEN), found, **how) for found in FOUND)


def compared() -> Iterator[Cell]:
    """The cells of differences of two models, of averages over classes."""
    for m in (10, 50):
        designs: list[tuple[tuple[float, ...], dict[str, Any]]] = [
            ((m, m, m), {}),
            (_uneven(m), {}),
            ((m, m, m), {"weights": True}),
        ]
        if m == 10:
            designs.append(((24, 36, 60), {"clusters": 20}))
        for sizes, how in designs:
            yield from (Cell(PREDICTED, sizes, a, other=b, **how) for a, b in RIGHT_OF_TWO)
            yield from (Cell(SCORED, sizes, a, other=b, **how) for a, b in APART_OF_TWO)


def _uneven(m: int) -> tuple[float, ...]:
    return m, 2 * m, 17 * m


# -- what is drawn ------------------------------------------------------------------------------


def _classes(cell: Cell, rows: Rows) -> Array:
    """Actual classes of a cohort, each of which occurs."""
    share = np.array(cell.sizes) / sum(cell.sizes)
    while True:
        found = (rows.uniform() > share.cumsum()).sum(axis=1).clip(0, len(share) - 1)
        if np.bincount(found, minlength=len(share)).min() > 0:
            return np.asarray(found)


def _predicted(cell: Cell, rows: Rows) -> dict[str, Array]:
    """Right with a chance of ``apart``, else near classes more often than far ones."""
    actual = _classes(cell, rows)
    found = {"y": actual.astype(str)}
    for name, own, noise in _of_models(cell, rows, 1):
        chances = _chances(own)
        called = (ndtr(noise) > chances.cumsum(axis=1)[actual]).sum(axis=1)
        found[f"{name}p"] = called.clip(0, len(chances) - 1).astype(str)
    return found


def _of_models(cell: Cell, rows: Rows, columns: int) -> Iterator[tuple[str, Cell, Array]]:
    """Each model, and its noise; that of two correlates by 0.5."""
    if cell.other is None:
        yield "m", cell, rows.normal(columns)
        return
    shared = rows.normal(columns)
    for name, own in zip("mo", cell.models, strict=True):
        yield name, own, math.sqrt(0.5) * (shared + rows.normal(columns))


def _chances(cell: Cell) -> Array:
    size = len(cell.sizes)
    apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(float)
    other = np.where(apart > 0, 1 / np.maximum(apart, 1) ** 2, 0.0)
    other *= (1 - cell.apart) / other.sum(axis=1, keepdims=True)
    return other + cell.apart * np.eye(size)


def _scored(cell: Cell, rows: Rows) -> dict[str, Array]:
    """Normal scores of each class, by ``apart`` higher for the row's own, as probabilities."""
    actual, size = _classes(cell, rows), len(cell.sizes)
    columns = {"y": actual.astype(str)}
    for name, own, noise in _of_models(cell, rows, size):
        raw = noise + own.apart * np.eye(size)[actual]
        logit = own.apart * raw + np.log(np.array(cell.sizes) / sum(cell.sizes))
        found = np.exp(logit - logit.max(axis=1, keepdims=True))
        found /= found.sum(axis=1, keepdims=True)
        columns |= {f"{name}s{k}": found[:, k] for k in range(size)}
    return columns


def _sets(cell: Cell, rows: Rows) -> dict[str, Array]:
    """Labels of their own frequency, found with a chance of ``apart``, and few given by error."""
    often = np.array(cell.sizes[1:])
    actual = rows.uniform(len(often)) < often
    given = rows.uniform(len(often)) < np.where(actual, cell.apart, (1 - cell.apart) / 2)
    columns = {f"y{k}": actual[:, k].astype(int) for k in range(len(often))}
    return columns | {f"p{k}": given[:, k].astype(int) for k in range(len(often))}


def _spread(cell: Cell, rows: Rows) -> dict[str, Array]:
    """Normal scores, of positives twice as spread, with an area of ``apart``."""
    share = cell.sizes[0] / sum(cell.sizes)
    y = rows.uniform()[:, 0] < share
    y[:2] = (True, False)
    middle = norm.ppf(cell.apart) * 5**0.5
    noise = rows.normal()[:, 0]
    score = np.where(y, middle + 2 * noise, noise)
    return {"y": y.astype(int), "s": score}


DRAWN: dict[str, Callable[..., dict[str, Array]]] = {
    PREDICTED: _predicted, SCORED: _scored, SETS: _sets, SPREAD: _spread,
}  # fmt: skip


# -- true values ---------------------------------------------------------------------------------


#: Metrics of one class that are averaged, and those of the whole table.
AVERAGED = ("recall", "precision", "specificity", "npv", "f1", "jaccard", "g_mean")
WHOLE = ("accuracy", "balanced_accuracy", "mcc", "kappa", "weighted_kappa", "gwet_ac1")
AVERAGES = ("macro", "weighted", "micro")


def _true_of_predicted(cell: Cell) -> dict[Key, float]:
    share = np.array(cell.sizes) / sum(cell.sizes)
    table = _chances(cell) * share[:, None]
    rows, columns, right = table.sum(axis=1), table.sum(axis=0), np.diag(table)
    each = right, rows - right, columns - right, 1 - rows - columns + right
    found: dict[Key, float] = {}
    for name in AVERAGED:
        metric: Any = find(name)
        values = metric(_counts(*each)).array()
        found[name, "macro"] = float(values.mean())
        found[name, "weighted"] = float(share @ values)
        found[name, "micro"] = float(metric(_counts(*(part.sum() for part in each))).array())
    for name in WHOLE:
        if len(share) > 2 or name == "weighted_kappa":
            metric = find(name)
            if name == "accuracy":
                found[name, None] = float(right.sum())
            else:
                value = stacked_value(metric, {}, average=None, index=None)
                found[name, None] = float(value(table[None])[0])
    return found


def _counts(tp: Any, fn: Any, fp: Any, tn: Any) -> Counts:
    return Counts(tp=tp, fn=fn, fp=fp, tn=tn)


def _true_of_scored(cell: Cell) -> dict[Key, float]:
    many = _scored(cell, Rows(np.random.default_rng(SEED), MANY))
    actual, size = many["y"].astype(int), len(cell.sizes)
    score = np.stack([many[f"ms{k}"] for k in range(size)], axis=1)
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
    found["log_loss", None] = float(-np.log(own).mean())
    found["brier", None] = float(np.mean(((score - np.eye(size)[actual]) ** 2).sum(axis=1)))
    return found


def _true_of_sets(cell: Cell) -> dict[Key, float]:
    many = _sets(cell, Rows(np.random.default_rng(SEED), MANY))
    size = len(cell.sizes) - 1
    y, p = (np.stack([many[f"{c}{k}"] for k in range(size)], axis=1) for c in "yp")
    both, either = (y & p).sum(axis=1), (y | p).sum(axis=1)
    has, given = y.sum(axis=1), p.sum(axis=1)
    cells = [(y & p), (y & ~p & 1), (~y & 1 & p), (~y & ~p & 1)]
    found: dict[Key, float] = {
        ("hamming_loss", None): float((y != p).mean()),
        ("exact_match", None): float((y == p).all(axis=1).mean()),
        ("example_jaccard", None): float((both[either > 0] / either[either > 0]).mean()),
        ("f1", "samples"): float(np.nanmean(_ratio(2 * both, has + given))),
        ("recall", "samples"): float(np.nanmean(_ratio(both, has))),
        ("precision", "samples"): float(np.nanmean(_ratio(both, given))),
    }
    for name in ("f1", "recall", "precision"):
        metric: Any = find(name)
        values = metric(_counts(*(part.sum(axis=0) for part in cells))).array()
        found[name, "macro"] = float(values.mean())
        found[name, "weighted"] = float(y.sum(axis=0) @ values / y.sum())
        found[name, "micro"] = float(metric(_counts(*(part.sum() for part in cells))).array())
    return found


def _ratio(top: Array, bottom: Array) -> Array:
    return np.divide(top, bottom, out=np.full(len(top), np.nan), where=bottom > 0)


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
        PREDICTED: {"prediction": "mp"},
        SCORED: {"scores": {str(k): f"ms{k}" for k in range(size)}},
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
    if cell.other is not None:
        spec["models"]["o"] = (
            {"prediction": "op"}
            if cell.family == PREDICTED
            else {"scores": {str(k): f"os{k}" for k in range(size)}}
        )
        spec["comparisons"] = {"reference": "o", "subgroups": True}
    return spec | ({"averaging": averages} if averages else {})


def run_of(cell: Cell, data_sets: int, true: Iterable[Key]) -> dict[str, Any]:
    """The results of all data sets, each of them a subgroup."""
    rng = np.random.default_rng([SEED, zlib.crc32(repr(cell).encode())])
    frames = []
    for b in range(data_sets):
        code = clusters_of(cell.total, cell.clusters, uneven=cell.uneven) if cell.clusters else None
        rows = Rows(rng, cell.total if code is None else len(code), code)
        one = pd.DataFrame(DRAWN[cell.family](cell, rows)).assign(sample=f"s{b}")
        if cell.weights:
            one["w"] = rng.lognormal(0, WEIGHTS_SPREAD, len(one))
        if code is not None:
            one["c"] = [f"{b}-{c}" for c in code]
        frames.append(one)
    names = list(dict.fromkeys(name for name, _ in true))
    averages = sorted({average for _, average in true if average})
    spec, frame = _spec(cell, names, averages), pd.concat(frames, ignore_index=True)
    return evalreport.run(spec, frames={"d": frame}).json


def counted(cell: Cell, data_sets: int = DATA_SETS) -> dict[str, list[float]]:
    """Of each value the coverage in %, the true value, and of how many data sets."""
    true = TRUE[cell.family](cell)
    found = run_of(cell, data_sets, true)
    within: dict[Key, list[bool]] = {}
    for m in found["measures"]:
        key = m["metric"], m["average"]
        of_class = cell.family != SPREAD and m["label"] is not None
        undefined = m["state"] not in ("value", "infinite")
        if not m["subgroup"] or key not in true or of_class or undefined:
            continue
        own = m["interval"]
        held = own is not None and own["low"] - 1e-9 <= true[key] <= own["high"] + 1e-9
        within.setdefault(key, []).append(held)
    named = {_name(cell, key): (key, held) for key, held in within.items()}
    return {
        name: [round(100 * float(np.mean(held)), 1), float(f"{true[key]:.4g}"), len(held)]
        for name, (key, held) in named.items()
        if " " in name or len(cell.sizes) > 2 or cell.family == SPREAD
    }


def differences(cell: Cell, data_sets: int = DATA_SETS) -> dict[str, list[float]]:
    """Of each difference what the study of two classes has of it."""
    one, two = (TRUE[own.family](own) for own in cell.models)
    made: dict[Key, list[tuple[bool, float]]] = {}
    for c in run_of(cell, data_sets, one)["comparisons"]:
        key = c["metric"], c["average"]
        if not c["subgroup"] or key not in one or c["label"] is not None or c["difference"] is None:
            continue
        true, own = one[key] - two[key], c["interval"]
        held = own is not None and own["low"] - 1e-9 <= true <= own["high"] + 1e-9
        width = math.nan if own is None else own["high"] - own["low"]
        made.setdefault(key, []).append((held, width))
    named = {_name(cell, key): (key, own) for key, own in made.items()}
    return {
        name: [
            round(100 * float(np.mean([held for held, _ in own])), 1),
            float(f"{np.nanmedian([width for _, width in own]):.3g}"),
            len(own),
            *(float(f"{side[key]:.4g}") for side in (one, two)),
        ]
        for name, (key, own) in named.items()
        if not all(math.isnan(width) for _, width in own)
    }


def _name(cell: Cell, key: Key) -> str:
    """The name of a value in the study; one without an average of two classes is no average."""
    if cell.family in (SETS, SPREAD):
        return " ".join(filter(None, key))
    return name_of(*key, two_classes=len(cell.sizes) == 2)


# -- the page ------------------------------------------------------------------------------------


def table(others: list[dict[str, Any]], places: Iterable[dict[str, Any]]) -> str:
    """The tables of the page: of several classes and sets by design, then of other levels."""
    parts, every = [], list(places)
    for of in (CLASSES, OF_SETS):
        counts = {}
        for drawn in (one["drawn"] for one in every):
            name, _, how = drawn.partition(", ")
            rows = "weighted rows" if how else "rows"
            if name == of:
                counts[drawn] = how if "clusters" in how else f"{rows} of the rarest"
        parts.append(f"**{of.capitalize()}**\n\n{table_of(every, counts)}")
    for family in DRAWN:
        own = [one for one in others if one["cell"][0] == family]
        names = list(dict.fromkeys(name for one in own for name in one["found"]))
        heads = [f"{_sizes(c)}; {c.level:.0%}" for c in map(_cell, own)]
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


def main() -> None:
    """Count every cell and write files and page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=2)
    every, others, pairs = list(studied()), list(CELLS), list(compared())
    with Pool(parser.parse_args().processes) as pool:
        found = pool.map(counted, [*every, *others], chunksize=1)
        of_pairs = pool.map(differences, pairs, chunksize=1)
    replace_samples(
        {"cell": [*cell.place, cell.family, cell.apart, cell.other], "data_sets": DATA_SETS,
         "found": own} for cell, own in zip(pairs, of_pairs, strict=True)
    )  # fmt: skip
    lines = ",\n".join(
        json.dumps({"cell": list(cell), "found": own})
        for cell, own in zip(others, found[len(every) :], strict=True)
    )
    FILE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    replace_places(by_place(places_of(every, found[: len(every)])))
    others_found = json.loads(FILE.read_text(encoding="utf-8"))
    on_page(BEGIN, END, table(others_found, recorded()["places"]))


def places_of(
    every: Iterable[Cell], found: Iterable[dict[str, list[float]]]
) -> Iterator[tuple[str, int, float, dict[str, list[list[float]]]]]:
    """What was found as the file has it; only where most data sets have a value."""
    for cell, own in zip(every, found, strict=True):
        most = {name: [entry[:2]] for name, entry in own.items() if 2 * entry[2] >= DATA_SETS}
        yield *cell.place, most


if __name__ == "__main__":
    main()
