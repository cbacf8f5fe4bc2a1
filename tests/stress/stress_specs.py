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


#: Names of classes in eight scripts, long ones among them.
SCRIPTS = (
    "Binnenschifffahrtskapitänsanwärterprüfung", "猫", "犬", "كلب", "קוף", "🐘 elephant",
    "Ελέφαντας", "слон", "ช้าง", "Rindfleischkennzeichnungsüberwachung",
)  # fmt: skip


def _classes(
    rng: np.random.Generator, names: Sequence[str], n: int, right: float
) -> tuple[Any, Any]:
    """Positions of true and of named classes: every class occurs, some of them seldom."""
    weights = rng.dirichlet(np.full(len(names), 1.5))
    true = np.r_[np.arange(len(names)), rng.choice(len(names), n - len(names), p=weights)]
    said = np.where(rng.random(n) < right, true, rng.choice(len(names), n, p=weights))
    return true, said


def thirty_classes(folder: Path) -> Path:
    """Thirty classes, named in many scripts, by scores of each class and by labels alone."""
    rng = np.random.default_rng(3)
    names = [*SCRIPTS, *(f"Klasse mit mittellangem Namen {i}" for i in range(20))]
    true, said = _classes(rng, names, 600, 0.8)
    z = rng.normal(size=(len(true), len(names)))
    z[np.arange(len(true)), true] += 2.5
    shares = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    columns = [f"p{i}" for i in range(len(names))]
    rows = (
        (i, names[t], names[s], *(f"{x:.12f}" for x in p))
        for i, (t, s, p) in enumerate(zip(true, said, shares, strict=True))
    )
    _write(folder / "d.csv", ("id", "y", "said", *columns), rows)
    return _spec(folder, {
        "title": "Thirty classes with names in many scripts",
        "datasets": {"d": {"path": "d.csv", "target": "y", "id": "id"}},
        "models": {"scores": {"scores": dict(zip(names, columns, strict=True))},
                   "labels": {"prediction": "said"}},
        "metrics": ["accuracy", "balanced_accuracy", "recall", "precision", "f1", "mcc", "roc_auc",
                    "log_loss"],
        "acceptance": [
            {"metric": "recall", "average": "macro", "at_least": 0.7, "bound": "lower"},
            {"metric": "recall", "at_least": 0.5, "label": "猫"},
        ],
        "confidence": {"resamples": 20, "seed": 1},
    })  # fmt: skip


def two_hundred_classes(folder: Path) -> Path:
    """Two hundred classes, of which a model gives labels only."""
    rng = np.random.default_rng(4)
    names = [f"code {chr(65 + i // 20)}{i % 20:02d}.{i % 7}" for i in range(200)]
    true, said = _classes(rng, names, 2000, 0.7)
    rows = ((i, names[t], names[s]) for i, (t, s) in enumerate(zip(true, said, strict=True)))
    _write(folder / "d.csv", ("id", "y", "said"), rows)
    return _spec(folder, {
        "title": "Two hundred classes, labels only",
        "datasets": {"d": {"path": "d.csv", "target": "y", "id": "id"}},
        "models": {"coder": {"prediction": "said"}},
        "metrics": ["accuracy", "balanced_accuracy", "recall", "precision", "f1", "kappa"],
        "confidence": {"resamples": 20, "seed": 1},
        "report": {"template": "audit"},
    })  # fmt: skip


#: Eight scores, of which the last two are of rows that are positive.
EIGHT = (0.1, 0.25, 0.15, 0.4, 0.6, 0.3, 0.7, 0.9)


def _eight_rows(folder: Path) -> None:
    said = ["no"] * 6 + ["yes"] * 2
    _write(folder / "d.csv", ("id", "y", "p", "g"), zip(
        range(8), said, EIGHT, "aaabbbab", strict=True
    ))  # fmt: skip


def eight_rows(folder: Path) -> Path:
    """Eight rows in two groups, with criteria that so few rows cannot meet."""
    _eight_rows(folder)
    return _spec(folder, {
        "title": "Eight rows",
        "datasets": {"tiny": {"path": "d.csv", "target": "y", "id": "id"}},
        "positive": {"label": "yes"},
        "models": {"m": {"score": "p"}},
        "metrics": ["recall", "specificity", "precision", "npv", "f1", "mcc", "roc_auc", "brier"],
        "thresholds": [0.5, {"maximize": "youden_j"}],
        "subgroups": ["g"],
        "acceptance": [
            {"metric": "recall", "at_least": 0.8, "bound": "lower"},
            {"metric": "specificity", "at_least": 0.5, "bound": "lower"},
            {"metric": "recall", "at_least": 0.5, "subgroup": "each"},
        ],
        "confidence": {"resamples": 50, "seed": 1},
    })  # fmt: skip


def many_scripts(folder: Path) -> Path:
    """A title, a question and models in five scripts and a picture letter, in few lines."""
    _eight_rows(folder)
    return _spec(folder, {
        "title": "肺炎 التهاب דלקת 🫁 ช้าง",
        "about": {"question": "系统能否识别肺炎"},
        "datasets": {"d": {"path": "d.csv", "target": "y", "id": "id"}},
        "positive": {"label": "yes"},
        "models": {"梯度提升": {"score": "p"}, "نموذج": {"score": "p"}},
        "metrics": ["recall"],
        "report": {"template": "minimal"},
    })  # fmt: skip


def million_payments(folder: Path) -> Path:
    """A Parquet file of 1.2 million payments, of which two in a thousand are positive."""
    import duckdb
    import pandas as pd

    rng = np.random.default_rng(9)
    n = 1_200_000
    fraud = rng.random(n) < 0.002
    z = rng.normal(size=n) + np.where(fraud, 3, 0) - 4
    columns = {
        "y": np.where(fraud, "fraud", "ok"),
        "p": np.round(1 / (1 + np.exp(-z)), 3),
        "country": rng.choice(["DE", "FR", "US", "BR"], n),
    }
    with duckdb.connect() as database:
        database.register("payments", pd.DataFrame(columns))
        database.execute(f"copy payments to '{folder / 'd.parquet'}' (format parquet)")
    return _spec(folder, {
        "title": "A million card payments",
        "datasets": {"payments": {"path": "d.parquet", "target": "y"}},
        "positive": {"label": "fraud"},
        "models": {"rules": {"score": "p"}},
        "metrics": ["recall", "precision", "specificity", "roc_auc", "average_precision", "brier"],
        "thresholds": [0.5, {"top": 10000}],
        "subgroups": ["country"],
        "costs": {"false_negative": 120, "false_positive": 3},
        "acceptance": [
            {"metric": "recall", "at_least": 0.1, "bound": "lower", "threshold": 0.5},
            {"metric": "precision", "at_least": 0.5, "bound": "lower", "threshold": 0.5},
        ],
        "confidence": {"resamples": 20, "seed": 1},
    })  # fmt: skip


def one_class(folder: Path) -> Path:
    """Forty rows of one class, of which none is called the other."""
    rows = ((i, "healthy", round(0.01 + i / 100, 3)) for i in range(40))
    _write(folder / "d.csv", ("id", "y", "p"), rows)
    return _spec(folder, {
        "title": "Only one class occurs",
        "datasets": {"d": {"path": "d.csv", "target": "y", "id": "id",
                           "labels": ["healthy", "ill"]}},
        "positive": {"label": "ill"},
        "models": {"m": {"score": "p"}},
        "metrics": ["recall", "precision", "f1", "mcc", "roc_auc", "average_precision",
                    "balanced_accuracy"],
        "acceptance": [{"metric": "recall", "at_least": 0.8, "bound": "lower"},
                       {"metric": "roc_auc", "at_least": 0.8}],
        "report": {"template": "clinical"},
    })  # fmt: skip


def label_sets(folder: Path) -> Path:
    """Sets of six labels, named from right to left and in pictures, by scores of each."""
    rng = np.random.default_rng(11)
    names = ["حمى", "سعال", "ضيق التنفس", "Gelenkschmerzen", "疲劳", "😷"]
    true = rng.random((400, 6)) < [0.5, 0.4, 0.2, 0.1, 0.3, 0.02]
    scores = _scores(rng, true.ravel(), 3).reshape(true.shape)
    is_in, score = [f"y{i}" for i in range(6)], [f"p{i}" for i in range(6)]
    arm = rng.choice(["يمين", "يسار"], len(true))
    _write(folder / "d.csv", ("id", *is_in, *score, "arm"), (
        (i, *true[i].astype(int), *scores[i], arm[i]) for i in range(len(true))
    ))  # fmt: skip
    return _spec(folder, {
        "title": "أعراض المرضى: Symptome als Mengen",
        "datasets": {"d": {"path": "d.csv", "id": "id",
                           "target": {"labels": dict(zip(names, is_in, strict=True))}}},
        "models": {"شبكة عصبية": {"scores": dict(zip(names, score, strict=True))}},
        "metrics": ["exact_match", "hamming_loss", "example_jaccard", "ranking_loss",
                    "coverage_error", "label_ranking_average_precision", "recall", "precision",
                    "f1", "roc_auc"],
        "averaging": ["none", "macro", "micro", "samples"],
        "subgroups": ["arm"],
        "confidence": {"resamples": 20, "seed": 1},
        "report": {"template": "model_card"},
    })  # fmt: skip


def many_folds(folder: Path) -> Path:
    """Five repeats of ten folds of two models that are fitted here, and a learning curve."""
    rng = np.random.default_rng(3)
    y = np.repeat(["setosa", "versicolor", "virginica"], 40)
    x = rng.normal(size=(120, 2)) + np.repeat([[0, 0], [2, 1], [3, 3]], 40, axis=0)
    rows = (
        (i, name, *(f"{v:.3f}" for v in at)) for i, (name, at) in enumerate(zip(y, x, strict=True))
    )
    _write(folder / "d.csv", ("flower", "species", "length", "width"), rows)
    return _spec(folder, {
        "title": "Five repeats of ten folds",
        "datasets": {"d": {"path": "d.csv", "target": "species", "id": "flower"}},
        "models": {"logistic": {"estimator": "sklearn.linear_model.LogisticRegression",
                                "steps": ["scale"]},
                   "bayes": {"estimator": "sklearn.naive_bayes.GaussianNB"}},
        "cross_validation": {"scheme": "stratified_k_fold", "folds": 10, "repeats": 5, "seed": 3},
        "learning_curve": {"sizes": [0.1, 0.3, 0.6, 1.0], "repeats": 2, "seed": 2,
                           "metrics": ["accuracy"]},
        "metrics": ["accuracy", "balanced_accuracy", "recall", "log_loss"],
        "averaging": ["none", "macro"],
        "comparisons": {"reference": "logistic", "correction": "holm"},
        "confidence": {"resamples": 20, "seed": 1},
    })  # fmt: skip


def weights_of_cells(folder: Path) -> Path:
    """Net benefit and costs at a threshold far from a half, whose cells carry weights."""
    rng = np.random.default_rng(17)
    ill = rng.random(300) < 0.35
    _write(folder / "d.csv", ("id", "y", "p"), zip(
        range(300), np.where(ill, "malignant", "benign"), _scores(rng, ill, 4), strict=True
    ))  # fmt: skip
    return _spec(folder, {
        "title": "Net benefit and the weights of cells",
        "datasets": {"d": {"path": "d.csv", "target": "y", "id": "id"}},
        "positive": {"label": "malignant"},
        "models": {"logistic": {"score": "p"}},
        "metrics": ["recall", "expected_cost", "net_benefit"],
        "thresholds": [0.1],
        "costs": {"false_negative": 10, "false_positive": 1},
        "confidence": {"resamples": 20, "seed": 1},
        "report": {"template": "minimal"},
    })  # fmt: skip


def fourteen_names(folder: Path) -> Path:
    """Three models, two datasets and nine groups, each with a name of sixty characters."""
    rng = np.random.default_rng(19)
    names = [f"{i:02d} ein Name aus vielen Silben, wie Behörden ihn sich ausdenken"[:60]
             for i in range(1, 15)]  # fmt: skip
    assert {len(name) for name in names} == {60}
    models, datasets, groups = names[:3], names[3:5], np.array(names[5:]).reshape(3, 3)
    columns = ["site", "device", "age"]
    for i in range(2):
        ill = rng.random(300) < 0.3
        drawn = (rng.choice(group, len(ill)) for group in groups)
        _write(folder / f"{i}.csv", ("id", "y", "pA", "pB", "pC", *columns), zip(
            range(len(ill)), np.where(ill, "ill", "healthy"),
            *(_scores(rng, ill, s) for s in (2, 1, 0)), *drawn, strict=True,
        ))  # fmt: skip
    return _spec(folder, {
        "title": "Fourteen names of sixty characters",
        "datasets": {name: {"path": f"{i}.csv", "target": "y", "id": "id"}
                     for i, name in enumerate(datasets)},
        "positive": {"label": "ill"},
        "models": dict(zip(models, ({"score": s} for s in ("pA", "pB", "pC")), strict=True)),
        "metrics": ["recall", "specificity", "precision", "npv", "roc_auc"],
        "thresholds": [0.5],
        "subgroups": columns,
        "comparisons": {"reference": models[0], "correction": "holm"},
        "acceptance": [{"metric": m, "at_least": 0.6, "bound": "lower", "threshold": 0.5}
                       for m in ("recall", "specificity")],
        "confidence": {"resamples": 20, "seed": 1},
        "report": {"template": "clinical", "checklists": ["stard_2015"]},
    })  # fmt: skip


def twelve_months(folder: Path) -> Path:
    """A year of a service month by month, with persons, crossed groups and four checklists."""
    rng = np.random.default_rng(23)
    n = 720
    ill = rng.random(n) < 0.25
    month = np.arange(n) % 12
    _write(folder / "d.csv", ("id", "person", "y", "p", "date", "sex", "age", "site"), zip(
        range(n), rng.integers(0, 300, n), np.where(ill, "ill", "healthy"),
        _scores(rng, ill, 1.6), [f"2025-{m + 1:02d}-{1 + k % 28:02d}" for k, m in enumerate(month)],
        rng.choice(["female", "male"], n), rng.integers(18, 90, n),
        rng.choice(["Åbenrå", "Kiel", "Łódź"], n), strict=True
    ))  # fmt: skip
    limit = {"metric": "recall", "at_least": 0.4, "bound": "lower", "threshold": 0.5}
    return _spec(folder, {
        "title": "Twelve months of a service",
        "about": {"question": "Does the software find ill persons?", "intended_use": "Triage",
                  "out_of_scope": "Children", "limitations": "One region.",
                  "primary_metric": "recall"},
        "datasets": {"screening": {"path": "d.csv", "target": "y", "id": "id", "cluster": "person",
                                   "missing": "exclude",
                                   "period": {"column": "date", "every": "month"}}},
        "positive": {"label": "ill"},
        "models": {"software": {"score": "p"}},
        "metrics": ["recall", "specificity", "precision", "npv", "accuracy", "roc_auc", "brier",
                    "net_benefit"],
        "thresholds": [0.5],
        "subgroups": ["sex", "site", ["sex", "site"]],
        "costs": {"false_negative": 10, "false_positive": 1},
        "prevalence": [0.01, 0.05],
        "acceptance": [limit, limit | {"subgroup": "each"}],
        "confidence": {"resamples": 200, "seed": 1},
        "report": {"template": "audit", "characteristics": ["age", "sex", "site"],
                   "checklists": ["stard_2015", "tripod_ai", "eu_ai_act", "model_card"]},
    })  # fmt: skip


SPECS: dict[str, Callable[[Path], Path]] = {
    "forty criteria": forty_criteria,
    "clustered reader": clustered_reader,
    "long names": long_names,
    "fourteen names": fourteen_names,
    "thirty classes": thirty_classes,
    "two hundred classes": two_hundred_classes,
    "eight rows": eight_rows,
    "many scripts": many_scripts,
    "a million payments": million_payments,
    "one class": one_class,
    "sets of labels": label_sets,
    "many folds": many_folds,
    "weights of cells": weights_of_cells,
    "twelve months": twelve_months,
}
