"""Coverage of intervals of weighted, stratified, partly verified and clustered samples.

Run from the repository: ``PYTHONPATH=tests python -m benchmarks.coverage_designs
--keep done.json``. It writes the table of designs of docs/coverage.md, and goes on where it
stopped. Rows have binormal scores as in the first study; what
differs is how they are drawn. The intervals are those that a run gives: Wilson on the rows
that the variance by the design is worth for shares, value plus and minus t standard errors for
F1, and the same on the logit scale for ROC AUC.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from evalreport.engine.intervals.methods import n_eff_interval, on_logits, symmetric
from evalreport.statistics.design_based import Sample
from evalreport.statistics.obuchowski import weighted_influence

#: How far positives score above negatives, for an area of 0.8, and where rows are cut: one negative
#: in five above.
MU, THRESHOLD = math.sqrt(2.0) * float(ndtri(0.8)), float(ndtri(0.8))
SEED = 20261122
#: Coverages that count as held, in %.
HELD = 93.5, 96.5
SIZES = (200, 500, 1000, 3000)
#: Data sets of a row by the size of the sample.
SETS = {200: 10_000, 500: 6_000, 1000: 4_000, 3000: 2_000}
#: Designs that were studied first, with a seed of their own, by so many data sets a row.
FIRST = ("strata of site", "partly verified", "strata and clusters")
FIRST_SEED, FIRST_SETS = 77, 4_000
PREVALENCES = (0.05, 0.3)
MEASURES = ("recall", "specificity", "precision", "npv", "f1", "roc_auc")
#: The least expected count of a cell for which a measure is held to its level.
ENOUGH = 10
PAGE = Path(__file__).resolve().parents[2] / "docs" / "coverage.md"
BEGIN, END = "<!-- designs: begin -->", "<!-- designs: end -->"

Floats = NDArray[np.float64]
Draw = Callable[[int, float, np.random.Generator], "Rows"]


@dataclass(frozen=True)
class Rows:
    """Rows as they were drawn, with their weights and design."""

    actual: NDArray[np.bool_]
    score: Floats
    weight: Floats
    sample: Sample

    @property
    def called(self) -> NDArray[np.bool_]:
        """Rows predicted positive."""
        return self.score >= THRESHOLD


def population(
    n: int, prevalence: float, rng: np.random.Generator
) -> tuple[NDArray[np.bool_], Floats]:
    """Independent rows of the model."""
    actual = rng.random(n) < prevalence
    return actual, rng.normal(size=n) + MU * actual


def _one_stratum(n: int, unit: NDArray[np.int64] | None = None) -> Sample:
    own = np.arange(n) if unit is None else unit
    return Sample(np.zeros(n, np.int64), ("all",), own, np.array([np.inf]), "complex")


def weighted(n: int, prevalence: float, rng: np.random.Generator) -> Rows:
    """A quarter of the predicted negatives is kept, at weight 4; no strata are declared."""
    actual, score = population(4 * n, prevalence, rng)
    kept = (score >= THRESHOLD) | (rng.random(4 * n) < 0.25)
    actual, score = actual[kept][:n], score[kept][:n]
    weight = np.where(score >= THRESHOLD, 1.0, 4.0)
    return Rows(actual, score, weight, _one_stratum(len(score)))


def by_prediction(n: int, prevalence: float, rng: np.random.Generator) -> Rows:
    """As many predicted positives as negatives, of strata of known size."""
    actual, score = population(12 * n, prevalence, rng)
    called = score >= THRESHOLD
    rows = np.concatenate([np.flatnonzero(called)[: n // 2], np.flatnonzero(~called)[: n // 2]])
    stratum = called[rows].astype(np.int64)
    share = 0.2 * (1 - prevalence) + float(ndtr(MU - THRESHOLD)) * prevalence
    size = 1e9 * np.array([1 - share, share])
    weight = (size / np.bincount(stratum))[stratum]
    return Rows(
        actual[rows],
        score[rows],
        weight,
        Sample(stratum, ("negative", "positive"), np.arange(len(rows)), size, "stratified"),
    )


def by_site(n: int, prevalence: float, rng: np.random.Generator) -> Rows:
    """Four sites of sizes 1 : 2 : 3 : 4 and other prevalence, as many rows of each."""
    stratum = np.repeat(np.arange(4), n // 4)
    parts = np.array([0.1, 0.2, 0.3, 0.4])
    factor = np.array([1.9, 1.3, 1.0, 0.625])  # the mean over sites is 1
    actual = rng.random(len(stratum)) < prevalence * factor[stratum]
    score = rng.normal(size=len(stratum)) + MU * actual
    size = 1e9 * parts
    weight = (size / (n // 4))[stratum]
    return Rows(
        actual,
        score,
        weight,
        Sample(stratum, tuple("abcd"), np.arange(len(stratum)), size, "stratified"),
    )


def verified(n: int, prevalence: float, rng: np.random.Generator) -> Rows:
    """A cohort of which all predicted positives and a quarter of the others are verified."""
    total = round(n / (0.25 + 0.75 * 0.26))
    actual, score = population(total, prevalence, rng)
    called = score >= THRESHOLD
    known = called | (rng.random(total) < 0.25)
    stratum = called[known].astype(np.int64)
    size = np.bincount(called.astype(np.int64), minlength=2).astype(float)
    weight = (size / np.bincount(stratum, minlength=2))[stratum]
    sample = Sample(
        stratum, ("negative", "positive"), np.arange(len(stratum)), size, "verified", counted=True
    )
    return Rows(actual[known], score[known], weight, sample)


def clustered(n: int, prevalence: float, rng: np.random.Generator) -> Rows:
    """Clusters of five with scores that go together, of two strata with weights 1 and 3."""
    units = n // 5
    stratum = np.repeat(np.arange(units) % 2, 5)
    actual = rng.random(n) < prevalence
    shared = np.repeat(rng.normal(size=units), 5)
    score = math.sqrt(0.3) * shared + math.sqrt(0.7) * rng.normal(size=n) + MU * actual
    weight = np.where(stratum == 0, 1.0, 3.0)
    sample = Sample(
        stratum,
        ("a", "b"),
        np.repeat(np.arange(units), 5),
        np.full(2, np.inf),
        "complex",
        clustered=True,
    )
    return Rows(actual, score, weight, sample)


DESIGNS: dict[str, Draw] = {
    "weights by prediction": weighted,
    "strata of prediction": by_prediction,
    "strata of site": by_site,
    "partly verified": verified,
    "strata and clusters": clustered,
}


def truth(measure: str, prevalence: float) -> float:
    """The value on an endless sample."""
    recall, fall_out = float(ndtr(MU - THRESHOLD)), 0.2
    tp, fp = recall * prevalence, fall_out * (1 - prevalence)
    fn, tn = prevalence - tp, 1 - prevalence - fp
    return {
        "recall": recall,
        "specificity": 1 - fall_out,
        "precision": tp / (tp + fp),
        "npv": tn / (tn + fn),
        "f1": 2 * tp / (2 * tp + fp + fn),
        "roc_auc": 0.8,
    }[measure]


def _parts(measure: str, rows: Rows) -> tuple[Floats, Floats]:
    y, c = rows.actual.astype(float), rows.called.astype(float)
    return {
        "recall": (y * c, y),
        "specificity": ((1 - y) * (1 - c), 1 - y),
        "precision": (y * c, c),
        "npv": ((1 - y) * (1 - c), 1 - c),
        "f1": (2 * y * c, y + c),
    }[measure]


def interval(measure: str, rows: Rows) -> tuple[float, float] | None:
    """The limits that a run gives; None where nothing varies."""
    if measure == "roc_auc":
        z = weighted_influence(rows.actual, rows.score, rows.weight)
        order = np.argsort(-rows.score)
        w, y = rows.weight[order], rows.actual[order]
        below = np.cumsum((w * ~y)[::-1])[::-1]
        value = float((w * y * below).sum() / ((w * y).sum() * (w * ~y).sum()))
    else:
        top, bottom = _parts(measure, rows)
        whole = float((rows.weight * bottom).sum())
        if whole == 0:
            return None
        value = float((rows.weight * top).sum() / whole)
        z = rows.weight * (top - value * bottom) / whole
    known = rows.sample.estimated(z)
    if not known.variance > 1e-20 or (measure != "roc_auc" and not 0.0 < value < 1.0):
        return None
    if measure in ("f1", "roc_auc"):
        scale = on_logits if measure == "roc_auc" else symmetric
        found = scale(value, known.variance, 0.95, "sandwich", (0.0, 1.0), known.df)
        return found.low, found.high
    limits = n_eff_interval(value, known.variance, 0.95, known.units_df)
    return None if limits is None else (limits.low, limits.high)


def least(measure: str, cells: Floats) -> float:
    """The least mean count of a cell that a measure is made of; of (tp, fn, fp, tn)."""
    used = {
        "recall": [0, 1],
        "specificity": [2, 3],
        "precision": [0, 2],
        "npv": [1, 3],
        "f1": [0, 1, 2],
        "roc_auc": [0, 1, 2, 3],
    }[measure]
    return float(cells[used].min())


def study(
    draw: Draw, n: int, prevalence: float, sets: int, seed: int | list[int]
) -> dict[str, str]:
    """Coverage in % of each measure, in brackets where a cell is expected to hold few rows."""
    rng = np.random.default_rng(seed)
    inside, with_limits = dict.fromkeys(MEASURES, 0), dict.fromkeys(MEASURES, 0)
    cells = np.zeros(4)
    for _ in range(sets):
        rows = draw(n, prevalence, rng)
        y, c = rows.actual, rows.called
        cells += [(y & c).sum(), (y & ~c).sum(), (~y & c).sum(), (~y & ~c).sum()]
        for measure in MEASURES:
            limits = interval(measure, rows) if 0 < y.sum() < len(y) else None
            if limits is not None:
                with_limits[measure] += 1
                inside[measure] += limits[0] <= truth(measure, prevalence) <= limits[1]
    found = {}
    for measure in MEASURES:
        if not with_limits[measure]:
            found[measure] = "–"
            continue
        share = 100 * inside[measure] / with_limits[measure]
        few = least(measure, cells / sets) < ENOUGH
        outside = not few and not HELD[0] <= share <= HELD[1]
        found[measure] = (
            f"({share:.1f})" if few else f"**{share:.1f}**" if outside else f"{share:.1f}"
        )
    return found


class Kept:
    """Rows of the table that are done, in a file: the study goes on where it stopped."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        there = path is not None and path.exists()
        self.done: dict[str, dict[str, str]] = json.loads(path.read_text()) if there else {}  # type: ignore[union-attr]

    def row(self, key: str, work: Callable[[], dict[str, str]]) -> dict[str, str]:
        """A row that was done before, else done now and kept."""
        if key not in self.done:
            self.done[key] = work()
            if self.path is not None:
                aside = self.path.with_suffix(".part")
                aside.write_text(json.dumps(self.done, indent=1))
                aside.replace(self.path)
        return self.done[key]


def sets_of(name: str, n: int, share: float) -> int:
    """Data sets of a row: more where samples are small and quickly drawn."""
    sets = FIRST_SETS if name in FIRST else SETS[n]
    return max(1, round(share * sets))


def seed_of(name: str, n: int, prevalence: float) -> int | list[int]:
    """The seed of a row."""
    place = list(DESIGNS).index(name)
    return FIRST_SEED if name in FIRST else [SEED, place, n, int(100 * prevalence)]


def tables(share: float, kept: Path | None = None) -> str:
    """The table of the page; ``kept`` is the file that holds rows which are done."""
    rows = Kept(kept)
    told = (
        f"Seeds {SEED} and {FIRST_SEED}; ± is the standard error of a coverage of 95 % by chance, "
        f"in points. In brackets: a cell that the measure uses is expected to hold fewer than "
        f"{ENOUGH} rows. "
        f"Bold: outside {HELD[0]} to {HELD[1]} though every cell holds as many."
    )
    out = [told, ""]
    head = ["design", "rows", "prevalence", *MEASURES, "data sets", "±"]
    out += [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for name, draw in DESIGNS.items():
        for n in SIZES:
            for prevalence in PREVALENCES:
                sets = sets_of(name, n, share)
                seed = seed_of(name, n, prevalence)
                work = partial(study, draw, n, prevalence, sets, seed)
                found = rows.row(f"{name} {n} {prevalence} {sets}", work)
                error = f"{100 * math.sqrt(0.95 * 0.05 / sets):.2f}"
                cells = [name, str(n), str(prevalence), *found.values(), f"{sets:,}", error]
                out.append(f"| {' | '.join(cells)} |")
    return "\n".join(out)


def main() -> None:
    """Write the table into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="part of the data sets")
    parser.add_argument("--keep", type=Path, help="file of rows that are done, to go on from")
    asked = parser.parse_args()
    made = tables(asked.share, asked.keep)
    page = PAGE.read_text(encoding="utf-8")
    before, after = page.split(BEGIN)[0], page.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n\n{made}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
