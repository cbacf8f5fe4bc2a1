"""Runs of every kind of design, small, whose results are forged to see whether that is found."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from engine.test_readers import study
from schedules.weekly_runs import SPEC as WEEKLY
from schedules.weekly_runs import audit, results

import evalreport

Results = dict[str, Any]
Frames = dict[str, dict[str, Any]]

READERS = """\
evalreport: 1
title: Two ways of reading
datasets:
  study: {target: truth, id: case, readers: who}
positive: {label: ill}
models: {old: {margin: old}, new: {margin: new}}
metrics: [recall, specificity, roc_auc]
thresholds: [4]
comparisons: {reference: old, margins: {roc_auc: 0.05}}
acceptance:
  - {metric: recall, at_least: 0.5}
  - {metric: roc_auc, at_least: 0.99, bound: lower}
"""
PERIODS = """\
evalreport: 1
title: By month
datasets:
  week: {target: truth, labels: [well, ill], period: {column: date}}
positive: {label: ill}
models: {m: {score: score}}
metrics: [recall, brier]
acceptance: [{metric: recall, at_least: 0.5}]
"""
SETS = """\
evalreport: 1
title: Sets of labels
datasets:
  d: {target: {labels: {edema: y1, nodule: y2, mass: y3}}}
models:
  m: {scores: {edema: s1, nodule: s2, mass: s3}}
metrics: [recall, precision, f1, roc_auc, exact_match, hamming_loss, ranking_loss]
averaging: [none, macro, micro, weighted, samples]
subgroups: [site]
confidence: {resamples: 50, seed: 1}
acceptance: [{metric: recall, average: macro, at_least: 0.5}]
"""
CLUSTERS = """\
evalreport: 1
title: Three models of the same patients
datasets:
  d: {target: y, cluster: patient}
positive: {label: ill}
models: {a: {score: a}, b: {score: b}, c: {score: c}}
metrics: [recall, specificity, precision, accuracy, roc_auc, brier, f1]
confidence: {resamples: 50, seed: 1}
comparisons: {reference: a, omnibus: true, net_reclassification: true}
"""
SAMPLED = """
evalreport: 1
title: Two models of rows that stand for others
datasets:
  d: {target: y, sampling: {weight: age, strata: site, cluster: patient}}
positive: {label: ill}
models: {a: {score: a}, b: {score: b}}
metrics: [recall, precision, roc_auc]
comparisons: {reference: a, correction: holm}
"""
PANEL = """\
evalreport: 1
title: Three models of independent rows
datasets:
  new: {target: y}
positive: {label: ill}
models: {a: {score: a}, b: {score: b}, c: {score: c}}
metrics: [recall, specificity, precision, accuracy, roc_auc, brier, f1]
confidence: {resamples: 50, seed: 1, width: 0.1}
comparisons:
  {reference: a, omnibus: true, net_reclassification: true, correction: holm,
   hypotheses: {recall: non_inferiority, roc_auc: superiority}, margins: {recall: 0.1}}
baselines: {previous: a}
declared: [{metric: recall, value: 0.9, source: leaflet}]
acceptance:
  - {metric: recall, at_least: 0.5, bound: lower, method: clopper_pearson}
  - {metric: roc_auc, reference: a, margin: 0.05}
report: {characteristics: [age, site]}
"""
WEIGHTS = """\
evalreport: 1
title: Weighted rows, some without a prediction
datasets:
  d: {target: y, weight: w, missing: exclude}
positive: {label: hired}
models: {m: {score: s}}
metrics: [recall, selection_rate, impact_ratio, precision, roc_auc, brier, expected_cost]
costs: {false_negative: 5, false_positive: 1}
subgroups: [sex, [sex, site]]
largest_gap: true
confidence: {resamples: 50, seed: 1}
"""
IMPACT = """\
evalreport: 1
title: Selection
datasets:
  d: {target: y}
positive: {label: hired}
models: {m: {score: s}}
metrics: [recall, selection_rate, impact_ratio, precision, specificity, expected_cost]
costs: {false_negative: 5, false_positive: 1}
subgroups: [sex]
largest_gap: true
confidence: {resamples: 50, seed: 1}
"""
SEARCH = """\
evalreport: 1
title: A search whose true negatives nobody counted
datasets:
  d: {target: y, unknown: [tn]}
positive: {label: hired}
models: {m: {score: s}}
metrics: [recall, precision, specificity]
subgroups: [sex]
"""
CLASSES = """\
evalreport: 1
title: Three classes on two datasets
datasets:
  base: {target: y, labels: [low, mid, high]}
  now: {target: y, labels: [low, mid, high]}
models:
  m: {scores: {low: p_low, mid: p_mid, high: p_high}}
metrics: [recall, precision, f1, accuracy, kappa, roc_auc, log_loss, expected_cost]
costs: {low: {high: 2}, mid: {high: 1}, high: {low: 4}}
averaging: [none, macro, weighted]
one_versus_rest: true
subgroups: [site]
confidence: {resamples: 50, seed: 1}
comparisons: {reference: {dataset: base}, correction: holm}
drift: {reference: {dataset: base}, columns: [age, site]}
claims: [{metric: accuracy, value: "0.62", dataset: now, source: print}]
"""
TRAINED = """\
evalreport: 1
title: Trained here
datasets:
  d: {target: y, id: case}
positive: {label: ill}
models:
  logistic: {estimator: sklearn.linear_model.LogisticRegression, features: [a, b]}
  guess: {estimator: sklearn.dummy.DummyClassifier, features: [a, b]}
cross_validation: {scheme: stratified_k_fold, folds: 3, repeats: 2, seed: 7}
learning_curve: {sizes: [0.5, 1.0], repeats: 2, seed: 7, metrics: [accuracy]}
metrics: [recall, accuracy, roc_auc, brier]
confidence: {resamples: 50, seed: 1}
comparisons: {reference: guess}
"""
LOOKS = WEEKLY.replace(
    "\nreport: {formats: [json]}",
    "\nlooks: {planned: 3, spending: pocock}\nreport: {formats: [json]}",
)
EARLIER = WEEKLY.replace("brier]", "brier, mcc]").replace(
    "\nreport: {formats: [json]}",
    "\n  - {metric: f1, reference: {run: runs/latest}, margin: 0.05}"
    "\ncomparisons: {reference: {run: runs/latest}, correction: holm}\nreport: {formats: [json]}",
)
#: The specs of runs that go on with an earlier one.
SECOND = {"looks": LOOKS, "earlier": EARLIER}
#: Positives found and missed of each month: the last two are not like the ones before.
MONTHS = [(18, 2), (17, 3), (18, 2), (16, 4), (18, 2), (17, 3), (8, 12), (8, 12)]


def _months() -> Frames:
    rows = [
        (f"2026-{month:02d}-{1 + i:02d}", truth, score)
        for month, (hit, miss) in enumerate(MONTHS, start=1)
        for truth, score, count in (
            ("ill", 0.9, hit), ("ill", 0.3, miss), ("well", 0.7, 2), ("well", 0.1, 18),
        )
        for i in range(count)
    ]  # fmt: skip
    columns = map(list, zip(*rows, strict=True))
    return {"week": dict(zip(("date", "truth", "score"), columns, strict=True))}


def _readers() -> Frames:
    rows = study(readers=4, cases=40)
    return {"study": {name: [row[name] for row in rows] for name in rows[0]}}


def _sets() -> Frames:
    rng, n = np.random.default_rng(9), 120
    truth = (rng.random((n, 3)) < [0.4, 0.3, 0.2]).astype(int)
    scores = np.round(np.clip(0.3 + 0.35 * truth + rng.normal(0, 0.22, (n, 3)), 0, 1), 3)
    frame: dict[str, Any] = {f"y{k + 1}": truth[:, k].tolist() for k in range(3)}
    frame |= {f"s{k + 1}": scores[:, k].tolist() for k in range(3)}
    return {"d": {**frame, "site": np.where(rng.random(n) < 0.5, "A", "B").tolist()}}


def _scored(seed: int, n: int = 120) -> dict[str, Any]:
    """Rows of two classes with three scores, ages, sites and patients."""
    rng = np.random.default_rng(seed)
    ill = np.arange(n) % 3 == 0
    scores = {
        name: np.round(1 / (1 + np.exp(-(gain * (ill - 0.4) + rng.normal(0, 1, n)))), 3).tolist()
        for name, gain in (("a", 2.0), ("b", 1.0), ("c", 1.5))
    }
    return {
        "case": [f"c{k}" for k in range(n)],
        "y": np.where(ill, "ill", "well").tolist(),
        "patient": [str(k // 2) for k in range(n)],
        "age": rng.integers(20, 90, n).tolist(),
        "site": rng.choice(["A", "B"], n).tolist(),
        **scores,
    }


def _selected(*, missing: bool = False) -> Frames:
    rng, n = np.random.default_rng(4), 160
    hired = rng.random(n) < 0.4
    scores: list[Any] = np.round(np.clip(rng.normal(0.35 + 0.3 * hired, 0.2), 0, 1), 2).tolist()
    if missing:
        scores[3] = scores[9] = None
    return {
        "d": {
            "y": np.where(hired, "hired", "not").tolist(),
            "s": scores,
            "w": np.round(0.5 + rng.random(n), 1).tolist(),
            "sex": rng.choice(["F", "M"], n).tolist(),
            "site": rng.choice(["A", "B"], n).tolist(),
        }
    }


def _classes() -> Frames:
    found = {}
    for name, seed, n in (("base", 1, 120), ("now", 2, 90)):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 3, n)
        raw = rng.random((n, 3)) + 0.8 * np.eye(3)[truth]
        p = np.round(raw / raw.sum(axis=1, keepdims=True), 2)
        p[:, 2] = np.round(1 - p[:, 0] - p[:, 1], 2)
        labels = np.array(["low", "mid", "high"])
        found[name] = {
            "y": labels[truth].tolist(),
            **{f"p_{one}": p[:, k].tolist() for k, one in enumerate(labels)},
            "age": rng.integers(20, 90, n).tolist(),
            "site": rng.choice(["A", "B"], n).tolist(),
        }
    return found


RUNS: dict[str, tuple[str, Callable[[], Frames]]] = {
    "readers": (READERS, _readers),
    "periods": (PERIODS, _months),
    "sets": (SETS, _sets),
    "clusters": (CLUSTERS, lambda: {"d": _scored(8)}),
    "sampled": (SAMPLED, lambda: {"d": _scored(9)}),
    "panel": (PANEL, lambda: {"new": _scored(3)}),
    "weights": (WEIGHTS, lambda: _selected(missing=True)),
    "impact": (IMPACT, _selected),
    "search": (SEARCH, _selected),
    "classes": (CLASSES, _classes),
    "trained": (TRAINED, lambda: {"d": _scored(5)}),
}


@cache
def results_of(name: str) -> Results:
    """The results of a run, as they stand in results.json; nobody may change them."""
    with TemporaryDirectory() as folder:
        if name in SECOND:
            audit(Path(folder), (36, 14, 10, 90), 1, spec=LOOKS if name == "looks" else WEEKLY)
            audit(Path(folder), (31, 19, 10, 90), 2, spec=SECOND[name])
            return results(Path(folder) / "runs" / "latest")
        text, frames = RUNS[name]
        spec = Path(folder) / "spec.yaml"
        spec.write_text(text, encoding="utf-8")
        return dict(evalreport.run(spec, frames=frames(), at="2026-11-21").json)
