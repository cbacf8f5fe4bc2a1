"""Specs that strain a page, with data made here: many criteria, clusters, long and foreign names.

Each is a function that writes its data into a folder and gives the spec as text; what is
random comes from a fixed seed.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

NEGATIVE = "unauffälliger Befund"
#: A label in three scripts, one of them from right to left.
POSITIVE = "Verdacht auf Lungenentzündung (肺炎疑い) التهاب رئوي"
LONG_MODELS = (
    "Faltungsnetz-Verbund Fassung 3.2.1, vorgesehen für die Freigabe",
    "梯度提升决策树",
    "نموذج الانحدار اللوجستي",
)


def _write(path: Path, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(rows)


def _scores(rng: np.random.Generator, positive: Any, shift: float) -> Any:
    z = rng.normal(size=len(positive)) + np.where(positive, shift, 0) - shift / 2
    return np.round(1 / (1 + np.exp(-z)), 5)


def _spec(folder: Path, spec: dict[str, Any]) -> Path:
    path = folder / "spec.yaml"
    # JSON is YAML, and needs no thought about how names are quoted
    path.write_text(json.dumps({"evalreport": 1, **spec}, ensure_ascii=False), encoding="utf-8")
    return path


def forty_criteria(folder: Path) -> Path:
    """Forty lower limits, five on each of eight metrics, most of which fail."""
    rng = np.random.default_rng(5)
    ill = rng.random(400) < 0.3
    _write(folder / "d.csv", ("id", "y", "p"), zip(
        range(400), np.where(ill, "ill", "healthy"), _scores(rng, ill, 1.9), strict=True
    ))  # fmt: skip
    metrics = ["recall", "specificity", "precision", "npv", "accuracy", "f1", "mcc",
               "balanced_accuracy"]  # fmt: skip
    acceptance = [
        {"metric": m, "at_least": limit, "bound": "lower", "threshold": 0.5}
        for m in metrics
        for limit in (0.5, 0.7, 0.8, 0.9, 0.95)
    ]
    return _spec(folder, {
        "title": "Forty criteria",
        "datasets": {"d": {"path": "d.csv", "target": "y", "id": "id"}},
        "positive": {"label": "ill"},
        "models": {"a": {"score": "p"}},
        "metrics": metrics,
        "acceptance": acceptance,
        "report": {"template": "audit"},
    })  # fmt: skip


def clustered_reader(folder: Path) -> Path:
    """Persons with several pictures, a reader who may say "not readable", and costs."""
    rng = np.random.default_rng(13)
    n = 1800
    ill = rng.random(n) < 0.2
    p = _scores(rng, ill, 1.6)
    said = np.where(p > 0.5, "ill", "healthy").astype(object)
    said[rng.random(n) < 0.04] = "not readable"
    scores = [f"{x}" if known else "" for x, known in zip(p, rng.random(n) > 0.01, strict=True)]
    _write(
        folder / "d.csv",
        ("id", "person", "y", "p", "reader", "sex", "site"),
        zip(
            range(n), rng.integers(0, 700, n), np.where(ill, "ill", "healthy"), scores, said,
            rng.choice(["female", "male", "unknown"], n, p=[0.5, 0.47, 0.03]),
            rng.choice(["Kiel", "Lübeck", "Flensburg"], n), strict=True,
        ),
    )  # fmt: skip
    return _spec(folder, {
        "title": "A screening service and its reader",
        "about": {"question": "Does the software find ill persons?", "out_of_scope": "Children",
                  "limitations": ["One region.", "One reader."], "primary_metric": "recall"},
        "datasets": {"screening": {
            "path": "d.csv", "target": "y", "id": "id", "cluster": "person", "missing": "exclude",
            "indeterminate": ["not readable"],
        }},
        "positive": {"label": "ill"},
        "models": {"software": {"score": "p"}, "reader": {"prediction": "reader"}},
        "metrics": ["recall", "specificity", "precision", "npv", "accuracy", "roc_auc", "brier",
                    "net_benefit", "expected_cost"],
        "thresholds": [0.5, 0.1],
        "subgroups": ["sex"],
        "costs": {"false_negative": 10, "false_positive": 1},
        "acceptance": [{"metric": "recall", "at_least": 0.4, "bound": "lower", "threshold": 0.5,
                        "subgroup": "each"}],
        "confidence": {"resamples": 50, "seed": 1},
        "report": {"template": "audit", "characteristics": ["sex", "site"],
                   "checklists": ["stard_2015", "eu_ai_act"]},
    })  # fmt: skip


def long_names(folder: Path) -> Path:
    """Three models on two datasets, all with long names, in four scripts."""
    rng = np.random.default_rng(7)
    makers = ("Gesellschaft für Medizingerätetechnik Süddeutschland mbH", "医疗设备株式会社",
              "شركة الأجهزة الطبية")  # fmt: skip
    ages = ("Säuglinge und Kleinkinder", "Erwachsene im erwerbsfähigen Alter",
            "Hochbetagte in Pflegeheimen")  # fmt: skip
    columns = ("Fall", "Befund", "pA", "pB", "pC", "Hersteller des Geräts", "Altersgruppe")
    for name, n in (("a.csv", 300), ("b.csv", 240)):
        ill = rng.random(n) < 0.3
        _write(folder / name, columns, zip(
            range(n), np.where(ill, POSITIVE, NEGATIVE), *(_scores(rng, ill, s) for s in (2, 1, 0)),
            rng.choice(makers, n), rng.choice(ages, n), strict=True,
        ))  # fmt: skip
    told = {"target": "Befund", "id": "Fall", "labels": [NEGATIVE, POSITIVE]}
    return _spec(folder, {
        "title": "Früherkennung von Lungenentzündungen: Prüfung an zwei Häusern 肺炎 · التهاب رئوي",
        "datasets": {"Universitätsklinikum Nordstadt": {"path": "a.csv", **told},
                     "第一医院 (zweites Haus)": {"path": "b.csv", **told}},
        "positive": {"label": POSITIVE},
        "models": dict(zip(LONG_MODELS, ({"score": s} for s in ("pA", "pB", "pC")), strict=True)),
        "metrics": ["recall", "specificity", "roc_auc"],
        "thresholds": [0.5],
        "subgroups": list(columns[5:]),
        "comparisons": {"reference": LONG_MODELS[0], "correction": "holm"},
        "confidence": {"resamples": 50, "seed": 1},
        "report": {"template": "clinical"},
    })  # fmt: skip


SPECS: dict[str, Callable[[Path], Path]] = {
    "forty criteria": forty_criteria,
    "clustered reader": clustered_reader,
    "long names": long_names,
}
