"""Coverage of the defaults of values of two classes, over few and many positives, and clusters.

Run from the repository: ``PYTHONPATH=tests python -m benchmarks.coverage_grid``. It writes the
cells of values into ``evalreport/metrics/coverage_study.json``, from which records say what their
method held, and the tables of docs/coverage.md. The same seed gives the same file.

Scores of positives are N(mu, spread) and of negatives N(0, 1), read as probabilities by Bayes' rule
at their prevalence where they are equally spread; a row is predicted positive above the score that
half, one in five or one in twenty of the negatives exceed. Rows are independent, with a fixed
number of positives; with weights that have nothing to do with them; in clusters, of one size or of
sizes as uneven as 1, 1/2, 1/3, ...; or both. Every interval is made by the engine, as a run that
asks for nothing makes it. A sample whose value is undefined is left out; one whose value has no
limits counts as not held.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from multiprocessing import Pool
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from benchmarks.coverage_differences import measured
from numpy.typing import NDArray
from scipy.special import expit, ndtr, ndtri

from evalreport.engine.metric_values import stacked_value
from evalreport.metrics.catalogue import find, metric_named
from evalreport.metrics.kinds import Design, Kind
from evalreport.metrics.methods import VALUES, value_of
from evalreport.metrics.tables import Counts, ScoreTable
from evalreport.predict.view import LabelView
from evalreport.results.records import Measure
from evalreport.statistics.resampling import generator

SEED = 20261127
POSITIVES = (5, 10, 20, 50, 200)
PREVALENCES = (0.02, 0.1, 0.5)
AREAS = (0.6, 0.8, 0.95, 0.99)
FALL_OUTS = (0.5, 0.2, 0.05)
#: One negative in five lies above, where there is one threshold.
ONE_CUT = (0.2,)
OF_TABLES = (
    *("accuracy", "recall", "specificity", "precision", "npv", "f1", "jaccard"),
    *("balanced_accuracy", "g_mean", "markedness", "fowlkes_mallows", "mcc", "kappa"),
    *("lr_plus", "lr_minus", "diagnostic_odds_ratio", "net_benefit"),
    *("standardised_net_benefit", "gwet_ac1", "no_information_rate"),
)
RANKED = (
    *("roc_auc", "average_precision", "ks", "pr_auc", "gain", "lift"),
    *("recall_at_specificity", "specificity_at_recall", "precision_at_recall"),
)
PROBABILITIES = (
    *("log_loss", "brier", "calibration_slope", "calibration_intercept"),
    *("calibration_in_the_large", "squared_error", "absolute_error", "brier_scaled"),
    *("mcfadden_r2", "cox_snell_r2", "nagelkerke_r2", "discrimination_slope", "oe_ratio"),
)
OF_SCORES = (*RANKED, *PROBABILITIES)
#: Rows above which scores are not drawn.
MOST_ROWS = 2000
LEVEL = 0.95
ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "evalreport" / "metrics" / "coverage_study.json"
PAGE = ROOT / "docs" / "coverage.md"
BEGIN, END = "<!-- grid: begin -->", "<!-- grid: end -->"
#: Spread of the logarithm of the weights: Kish's effect is 1.9. Correlation within a cluster.
SPREAD, CORRELATION = 0.8, 0.3
WEIGHTS, CLUSTERS, UNEVEN = "weights", "clusters", "uneven clusters"
#: Clusters of weighted rows.
BOTH, UNEVEN_BOTH = "clusters with weights", "uneven clusters with weights"

Floats = NDArray[np.float64]
#: Of each metric, for each area and threshold: the coverage in %, and the true value.
Found = dict[str, list[list[float]]]


class Cell(NamedTuple):
    """What is drawn: positives or clusters, the share of positives, the area, how spread."""

    drawn: str
    size: int
    prevalence: float
    area: float
    spread: float = 1.0

    @property
    def rows(self) -> int:
        """Rows of a data set."""
        if "clusters" in self.drawn:
            return self.size * (10 if self.size == 10 else 5)
        return round(self.size / self.prevalence)

    @property
    def share(self) -> float:
        """The share of positives, of whole rows."""
        return self.prevalence if "clusters" in self.drawn else self.size / self.rows


def cells() -> Iterator[Cell]:
    """Every cell of the study of values, those of one place one after the other."""
    for size, prevalence in product(POSITIVES, PREVALENCES):
        yield from (Cell("", size, prevalence, area) for area in AREAS)
        if size / prevalence <= MOST_ROWS:
            yield from (Cell("", size, prevalence, area, 2.0) for area in AREAS[1:])
    for size, prevalence in product((5, 10, 20, 50), (0.1, 0.5)):
        yield from (Cell(WEIGHTS, size, prevalence, area) for area in AREAS[1:])
    clustered = (CLUSTERS, UNEVEN, BOTH, UNEVEN_BOTH)
    for drawn, size, prevalence in product(clustered, (10, 30), (0.1, 0.3)):
        yield from (Cell(drawn, size, prevalence, area) for area in (0.8, 0.99))


# -- true values ---------------------------------------------------------------------------------


def distance(area: float, spread: float = 1.0) -> float:
    """How far positives score above negatives."""
    return math.hypot(1.0, spread) * float(ndtri(area))


def chance(score: Floats, area: float, prevalence: float) -> Floats:
    """The probability that a row of this score is positive, positives no more spread."""
    mu = distance(area)
    odds = math.log(prevalence / (1 - prevalence))
    return np.asarray(expit(mu * score - mu * mu / 2 + odds), np.float64)


def cut_at(fall_out: float, area: float, prevalence: float) -> float:
    """The probability above which so many of the negatives lie."""
    return float(chance(np.array([ndtri(1 - fall_out)]), area, prevalence)[0])


@cache
def truth(
    metric: str, area: float, prevalence: float, fall_out: float = 0.2, spread: float = 1.0
) -> float:
    """The value on an endless sample."""
    declared: Any = find(metric)
    if declared.table.value in ("counts", "matrix"):
        return _truth_of_table(declared, area, prevalence, fall_out)
    known = {"roc_auc": area, "calibration_slope": 1.0}
    if metric in known or metric.startswith("calibration"):
        return known.get(metric, 0.0)
    mu = distance(area, spread)
    at = np.linspace(-9.0, 9.0, 20_001)
    density = np.exp(-(at**2) / 2)
    density /= density.sum()
    score = mu + spread * at
    if metric == "ks":
        where = np.linspace(-9.0, mu + 9.0 * spread, 40_001)
        return float(np.max(ndtr(where) - ndtr((where - mu) / spread)))
    if metric == "average_precision":
        tp, fp = prevalence * ndtr(-at), (1 - prevalence) * ndtr(-score)
        return float(np.sum(density * tp / (tp + fp)))
    if declared.row_loss is None:
        at = np.linspace(-9.0, max(9.0, mu + 5.0 * spread), 20_001)
        away, near = np.exp(-(((at - mu) / spread) ** 2) / 2), np.exp(-(at**2) / 2)
        positives, negatives = (
            part * own / own.sum() for part, own in ((prevalence, away), (1 - prevalence, near))
        )
        read = chance(at, area, prevalence) if declared.kind is Kind.PROBABILITY else at
        ordered = ScoreTable(read[::-1], positives[::-1], negatives[::-1])
        return float(declared(ordered).array())
    losses = [
        float(np.sum(density * declared.row_loss(chance(own, area, prevalence), positive)))
        for own, positive in ((score, True), (at, False))
    ]
    return prevalence * losses[0] + (1 - prevalence) * losses[1]


def _truth_of_table(metric: Any, area: float, prevalence: float, fall_out: float) -> float:
    recall = float(ndtr(distance(area) - ndtri(1 - fall_out)))
    tp, fp = prevalence * recall, (1 - prevalence) * fall_out
    fn, tn = prevalence - tp, 1 - prevalence - fp
    if metric.table.value == "counts":
        more = {"threshold": cut_at(fall_out, area, prevalence)} if metric.context else {}
        return float(metric(Counts(tp=tp, fn=fn, fp=fp, tn=tn), **more).array())
    whole = stacked_value(metric, {}, average=None, index=None)
    return float(whole(np.array([[[tn, fp], [fn, tp]]]))[0])


# -- what is drawn -------------------------------------------------------------------------------


def view_of(actual: NDArray[Any], score: Floats, **more: Any) -> LabelView:
    """Rows of two classes with a score, as the engine reads them."""
    return LabelView(
        dataset="a",
        model="m",
        source="score",
        labels=("n", "p"),
        positive=1,
        actual=actual,
        row=np.arange(len(actual)),
        score=score,
        **more,
    )


def clusters_of(rows: int, clusters: int, *, uneven: bool) -> NDArray[np.intp]:
    """The cluster of each row: of one size, or the second half as large as the first, and so on."""
    share = 1 / np.arange(1, clusters + 1) if uneven else np.ones(clusters)
    sizes = np.maximum(1, np.round(rows * share / share.sum())).astype(int)
    return np.repeat(np.arange(clusters), sizes)


def drawn(cell: Cell, rng: np.random.Generator) -> LabelView:
    """One data set."""
    more: dict[str, Any] = {}
    rows, clustered = cell.rows, "clusters" in cell.drawn
    if clustered:
        code = clusters_of(rows, cell.size, uneven="uneven" in cell.drawn)
        rows, more["cluster"] = len(code), (code, cell.size)

    def normal() -> Floats:
        own = rng.normal(size=rows)
        if not clustered:
            return own
        shared = rng.normal(size=cell.size)[more["cluster"][0]]
        return math.sqrt(1 - CORRELATION) * own + math.sqrt(CORRELATION) * shared

    actual = (np.arange(rows) < cell.size).astype(int)
    if clustered:
        actual = (normal() > ndtri(1 - cell.prevalence)).astype(int)
    away = distance(cell.area, cell.spread)
    score = normal() * np.where(actual == 1, cell.spread, 1.0) + away * actual
    if "weights" in cell.drawn:
        more["weight"] = np.exp(SPREAD * rng.normal(size=rows))
    read = expit(score) if cell.spread != 1 else chance(score, cell.area, cell.share)
    return view_of(actual, read, **more)


# -- counting ------------------------------------------------------------------------------------


class Tally:
    """How often the limits of values held the truth."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, float], list[bool]] = {}

    def add(self, made: Measure, true: float, times: int = 1) -> None:
        """Limits of one value; none at all hold nothing, and an undefined value counts nowhere."""
        if made.state == "undefined":
            return
        own, room = made.interval, 1e-9
        held = own is not None and own.low - room <= true <= own.high + room
        self._held.setdefault((made.metric, true), []).extend([held] * times)

    def found(self, data_sets: int) -> Found:
        """What was held, where most of the data sets have a value."""
        found: Found = {}
        for (metric, true), held in self._held.items():
            if 2 * len(held) >= data_sets and math.isfinite(true):
                share = round(100 * sum(held) / len(held), 1)
                found.setdefault(metric, []).append([share, float(f"{true:.4g}")])
        return found


def of_tables(cell: Cell, data_sets: int, seed: int) -> Found:
    """What limits of tables of independent rows held, at each threshold."""
    tally = Tally()
    p, n = cell.size, cell.rows - cell.size
    actual = np.array([1, 1, 0, 0])
    for fall_out in FALL_OUTS:
        rng = generator(seed, "tables", *map(str, (*cell[1:4], fall_out)))
        recall = float(ndtr(distance(cell.area) - ndtri(1 - fall_out)))
        drawn = np.stack([rng.binomial(p, recall, data_sets), rng.binomial(n, fall_out, data_sets)])
        cut = cut_at(fall_out, cell.area, cell.share)
        score = np.array([cut, 0.0, cut, 0.0])
        tables, often = np.unique(drawn, axis=1, return_counts=True)
        for (tp, fp), times in zip(tables.T, often, strict=True):
            view = view_of(actual, score, times=np.array([tp, p - tp, fp, n - fp]))
            for made in measured(view, cut, OF_TABLES, 0):
                tally.add(made, truth(made.metric, cell.area, cell.share, fall_out), int(times))
    return tally.found(data_sets)


def of_rows(cell: Cell, metrics: Sequence[str], data_sets: int, seed: int) -> Found:
    """The same of values of single rows, at one threshold."""
    tally = Tally()
    rng = generator(seed, "rows", *map(str, cell))
    cut = cut_at(0.2, cell.area, cell.share)
    for _ in range(data_sets):
        for made in measured(drawn(cell, rng), cut, metrics, 0):
            tally.add(made, truth(made.metric, cell.area, cell.share, spread=cell.spread))
    return tally.found(data_sets)


def counted(cell: Cell, part: float = 1.0, seed: int = SEED) -> Found:
    """What limits of every metric held; of a ``part`` of the data sets."""
    if cell.drawn:
        design = Design.of(
            weighted="weights" in cell.drawn, clustered="clusters" in cell.drawn, designed=False
        )
        own = [name for name in (*OF_TABLES, *OF_SCORES) if has_default(name, design)]
        return of_rows(cell, own, round(300 * part), seed)
    if cell.spread != 1:
        return of_rows(cell, RANKED, round(400 * part), seed)
    found = of_tables(cell, round(400 * part), seed)
    if cell.rows <= MOST_ROWS:
        found |= of_rows(cell, OF_SCORES, round(400 * part), seed)
    return found


def has_default(metric: str, design: Design) -> bool:
    """Whether a value of two classes has limits that no spec asks for."""
    declared = metric_named(metric)
    return bool(VALUES[value_of(declared, None, two_classes=True)][design])


# -- the file and the page -----------------------------------------------------------------------


def by_place(counted: Iterable[tuple[str, int, float, Found]]) -> list[dict[str, Any]]:
    """What was found of all cells of one design, size and share, as one entry of the file."""
    places: dict[tuple[str, int, float], Found] = {}
    for drawn, size, share, found in counted:
        own = places.setdefault((drawn, size, share), {})
        for name, entries in found.items():
            own.setdefault(name, []).extend(entries)
    return [
        {"drawn": drawn, "size": size, "share": share, "found": own}
        for (drawn, size, share), own in places.items()
    ]


def write(path: Path, made: dict[str, Any]) -> None:
    """The file, a line for each place."""
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


def recorded() -> dict[str, Any]:
    """The file of the study."""
    made: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return made


def replace_places(found: list[dict[str, Any]]) -> None:
    """These places in the file, in place of those of the same designs."""
    made, drawn = recorded(), {one["drawn"] for one in found}
    made["places"] = [*(one for one in made["places"] if one["drawn"] not in drawn), *found]
    write(FILE, made)


def replace_samples(found: Iterable[dict[str, Any]]) -> None:
    """These differences in the file, in place of those of the same designs."""
    made, new = recorded(), list(found)
    drawn = {one["cell"][0] for one in new}
    made["samples"] = [*(one for one in made["samples"] if one["cell"][0] not in drawn), *new]
    write(FILE, made)


def on_page(begin: str, end: str, text: str) -> None:
    """A table of the page, between its marks."""
    page = PAGE.read_text(encoding="utf-8")
    before, after = page.split(begin)[0], page.split(end)[1]
    PAGE.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")


def table(places: list[dict[str, Any]], counts: Mapping[str, str]) -> str:
    """Lowest and highest coverage of each metric by design and size, as Markdown.

    ``counts``: what sizes are of, by design.
    """
    own = [one for one in places if one["drawn"] in counts]
    columns = sorted({(list(counts).index(one["drawn"]), one["size"]) for one in own})
    heads = [f"{size} {list(counts.values())[place]}" for place, size in columns]
    out = [f"| measure | {' | '.join(heads)} |", f"|{'---|' * (len(heads) + 1)}"]
    for name in dict.fromkeys(name for one in own for name in one["found"]):
        entries = []
        for place, size in columns:
            held = [
                entry[0]
                for one in own
                if (one["drawn"], one["size"]) == (list(counts)[place], size)
                for entry in one["found"].get(name, ())
            ]
            below = sum(one < 93 for one in held)
            told = f"{min(held):.1f} to {max(held):.1f} · {below} of {len(held)}" if held else "–"
            entries.append(told)
        out.append(f"| {name} | {' | '.join(entries)} |")
    return "\n".join(out)


#: What the tables of values of two classes count, by design.
COUNTS: tuple[dict[str, str], ...] = (
    {"": "positives"},
    {WEIGHTS: "weighted positives"},
    {CLUSTERS: "clusters", UNEVEN: "uneven clusters"},
    {BOTH: "clusters with weights", UNEVEN_BOTH: "uneven clusters with weights"},
)


def tables(places: list[dict[str, Any]]) -> str:
    """The tables of values of two classes."""
    return "\n\n".join(table(places, counts) for counts in COUNTS)


def main() -> None:
    """Count every cell, write the file and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=2)
    chosen = parser.parse_args()
    every = list(cells())
    with Pool(chosen.processes) as pool:
        found = pool.map(counted, every, chunksize=1)
    pairs = zip(every, found, strict=True)
    replace_places(by_place((cell.drawn, cell.size, cell.prevalence, own) for cell, own in pairs))
    on_page(BEGIN, END, tables(recorded()["places"]))


if __name__ == "__main__":
    main()
