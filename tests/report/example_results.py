"""Results dictionaries for the tests of the report, made with plain Python from sample data."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

SAMPLE = Path(__file__).parents[2] / "sample_data"
AT = "2026-11-21T07:59:00Z"
Z = 1.959963984540054


def wilson(x: float, n: float) -> dict[str, Any] | None:
    """The 95 % score interval."""
    if n == 0:
        return None
    p, z2 = x / n, Z * Z
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = Z * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return {
        "level": 0.95,
        "low": 0.0 if x == 0 else low,
        "high": 1.0 if x == n else high,
        "method": "wilson",
    }


RATIOS = {
    "recall": ("TP / (TP + FN)", ("TP",), ("TP", "FN"), "Recall"),
    "specificity": ("TN / (TN + FP)", ("TN",), ("TN", "FP"), "Specificity"),
    "precision": ("TP / (TP + FP)", ("TP",), ("TP", "FP"), "Precision"),
    "accuracy": (
        "(TP + TN) / (TP + FP + FN + TN)",
        ("TP", "TN"),
        ("TP", "FP", "FN", "TN"),
        "Accuracy",
    ),
}


class Maker:
    """Collects tables and measures under running ids."""

    def __init__(self, title: str) -> None:
        self.results: dict[str, Any] = {
            "schema": "evalreport/results/1",
            "title": title,
            "provenance": {
                "version": "0.1.0",
                "at": AT,
                "seed": 1,
                "plan_sha256": "0" * 64,
                "spec": {"name": "spec.yaml", "sha256": "a" * 64, "text": "evalreport: 1\n"},
                "inputs": [
                    {"dataset": "d", "name": "d.csv", "sha256": "b" * 64, "bytes": 10, "rows": 9}
                ],
                "versions": {"numpy": "2"},
                "engine": {"name": "memory", "reason": "small"},
            },
            "spec": {"about": {"question": "Does it work?"}, "confidence": {"level": 0.95}},
            "labels": [],
            "rows": [],
            "thresholds": [],
            "tables": [],
            "measures": [],
            "curves": [],
            "comparisons": [],
            "acceptance": [],
            "cautions": [],
            "failures": [],
            "plan": {"sha256": "0" * 64, "tasks": 3, "skipped": []},
        }

    def table(
        self,
        labels: list[str],
        counts: Any,
        *,
        model: str = "m",
        positive: str | None = None,
        threshold: float | None = None,
        subgroup: dict[str, str] | None = None,
        fold: str | None = None,
        **more: Any,
    ) -> str:
        name = f"t{len(self.results['tables']) + 1}"
        self.results["tables"].append(
            {
                "id": name,
                "dataset": "d",
                "model": model,
                "subgroup": subgroup or {},
                "fold": fold,
                "threshold": threshold,
                "labels": labels,
                "positive": positive,
                "rows": "actual",
                "columns": "predicted",
                "counts": counts,
                **more,
            }
        )
        return name

    def measure(
        self,
        metric: str,
        table: str | None,
        *,
        value: float | None,
        state: str = "value",
        formula: str = "TP / (TP + FN)",
        substituted: str = "1 / 1",
        n: int = 1,
        model: str = "m",
        **more: Any,
    ) -> str:
        name = f"m{len(self.results['measures']) + 1}"
        base = {
            "id": name,
            "dataset": "d",
            "model": model,
            "subgroup": {},
            "fold": None,
            "metric": metric,
            "title": RATIOS.get(metric, (0, 0, 0, metric.replace("_", " ").capitalize()))[3],
            "params": {},
            "average": None,
            "label": None,
            "threshold": None,
            "threshold_rule": None,
            "state": state,
            "value": value,
            "reason": None,
            "interval": None,
            "numerator": None,
            "denominator": None,
            "n": n,
            "table": table,
            "formula": formula,
            "substituted": substituted,
        }
        self.results["measures"].append(base | more)
        return name

    def ratios(
        self, table: str, *, model: str = "m", label: str = "yes", **more: Any
    ) -> dict[str, str]:
        """All the plain ratios of a two-class table with the positive class last."""
        (tn, fp), (fn, tp) = next(t for t in self.results["tables"] if t["id"] == table)["counts"]
        cell = {"TP": tp, "FP": fp, "FN": fn, "TN": tn}
        found = {}
        for metric, (formula, top, bottom, _) in RATIOS.items():
            x, n = sum(cell[c] for c in top), sum(cell[c] for c in bottom)
            numbers = formula
            for name, count in cell.items():
                numbers = numbers.replace(name, str(count))
            found[metric] = self.measure(
                metric,
                table,
                value=x / n if n else None,
                state="value" if n else "undefined",
                reason=None if n else "no row",
                formula=formula,
                substituted=numbers,
                n=sum(cell.values()),
                model=model,
                label=label,
                numerator=x,
                denominator=n,
                interval=wilson(x, n),
                **more,
            )
        return found


def counts_at(rows: list[tuple[str, float]], positive: str, threshold: float) -> list[list[int]]:
    """TN, FP, FN, TP as a table with the positive class last."""
    counts = [[0, 0], [0, 0]]
    for truth, score in rows:
        counts[truth == positive][score >= threshold] += 1
    return counts


def two_models() -> dict[str, Any]:
    """Breast masses: two models, three thresholds, subgroups, criteria, comparison, curves."""
    with (SAMPLE / "breast_cancer.csv").open(encoding="utf-8") as file:
        data = list(csv.DictReader(file))
    maker = Maker("Breast masses")
    results = maker.results
    for model in ("logistic", "forest"):
        rows = [(r["diagnosis"], float(r[f"p_{model}"])) for r in data]
        _ledgers(results, model, rows)
        for threshold, rule in ((0.5, None), (0.3, "recall at_least 0.9"), (0.7, None)):
            status = "exploratory" if rule else "declared"
            results["thresholds"].append(
                {
                    "dataset": "d",
                    "model": model,
                    "threshold": threshold,
                    "rule": rule,
                    "status": status,
                    "reason": None,
                }
            )
            _all_rows(maker, model, rows, threshold, rule)
        for band in sorted({r["size_band"] for r in data}):
            part = [
                (r["diagnosis"], float(r[f"p_{model}"])) for r in data if r["size_band"] == band
            ]
            table = maker.table(
                ["benign", "malignant"],
                counts_at(part, "malignant", 0.5),
                model=model,
                positive="malignant",
                threshold=0.5,
                subgroup={"size": band},
            )
            maker.ratios(
                table, model=model, label="malignant", threshold=0.5, subgroup={"size": band}
            )
        _folds(maker, model, data)
        _curves(results, model, rows)
    _judgements(results)
    return results


def _ledgers(results: dict[str, Any], model: str, rows: list[tuple[str, float]]) -> None:
    results["labels"].append(
        {
            "dataset": "d",
            "model": model,
            "declared": ["benign", "malignant"],
            "seen_true": ["benign", "malignant"],
            "seen_predicted": [],
            "order": ["benign", "malignant"],
            "kind": "text",
            "positive": "malignant",
            "rule": "label malignant",
            "operator": "score >= threshold",
            "ties": [{"threshold": 0.5, "rows": 0}],
        }
    )
    positives = sum(truth == "malignant" for truth, _ in rows)
    results["rows"].append(
        {
            "dataset": "d",
            "model": model,
            "read": len(rows) + 3,
            "used": len(rows),
            "excluded": [{"reason": "diagnosis is empty", "count": 3}],
            "classes": [
                {"label": "benign", "count": len(rows) - positives},
                {"label": "malignant", "count": positives},
            ],
        }
    )


def _all_rows(
    maker: Maker, model: str, rows: list[tuple[str, float]], threshold: float, rule: str | None
) -> None:
    table = maker.table(
        ["benign", "malignant"],
        counts_at(rows, "malignant", threshold),
        model=model,
        positive="malignant",
        threshold=threshold,
    )
    extra = {"exploratory": True} if rule else {}
    maker.ratios(
        table, model=model, label="malignant", threshold=threshold, threshold_rule=rule, **extra
    )
    if threshold == 0.5:
        won = sum(
            1.0 if a > b else 0.5 if a == b else 0.0
            for t, a in rows
            if t == "malignant"
            for u, b in rows
            if u == "benign"
        )
        p = sum(t == "malignant" for t, _ in rows)
        n = len(rows) - p
        maker.measure(
            "roc_auc",
            table,
            value=won / (p * n),
            title="ROC AUC",
            model=model,
            n=len(rows),
            label="malignant",
            formula="(won + 0.5 * tied) / (P * N)",
            substituted=f"({won} + 0.5 * 0) / ({p} * {n})",
            numerator=won,
            denominator=p * n,
            interval={"level": 0.95, "low": 0.93, "high": 0.98, "method": "delong"},
        )
        loss = math.fsum((s - (t == "malignant")) ** 2 for t, s in rows)
        maker.measure(
            "brier",
            table,
            value=loss / len(rows),
            title="Brier score",
            model=model,
            n=len(rows),
            formula="sum((p - y)^2) / n",
            substituted=f"{loss} / {len(rows)}",
            numerator=loss,
            denominator=len(rows),
        )


def _folds(maker: Maker, model: str, data: list[dict[str, str]]) -> None:
    tables, values = [], []
    for fold in ("1", "2", "3"):
        part = [(r["diagnosis"], float(r[f"p_{model}"])) for r in data if r["fold"] == fold]
        table = maker.table(
            ["benign", "malignant"],
            counts_at(part, "malignant", 0.5),
            model=model,
            positive="malignant",
            threshold=0.5,
            fold=fold,
        )
        ids = maker.ratios(table, model=model, label="malignant", threshold=0.5, fold=fold)
        tables.append(table)
        values.append(
            next(m for m in maker.results["measures"] if m["id"] == ids["recall"])["value"]
        )
    maker.measure(
        "recall",
        None,
        value=math.fsum(values) / 3,
        model=model,
        label="malignant",
        threshold=0.5,
        fold="mean",
        tables=tables,
        spread=0.02,
        title="Recall",
    )


def _curves(results: dict[str, Any], model: str, rows: list[tuple[str, float]]) -> None:
    steps = [k / 20 for k in range(20, -1, -1)]
    counted = [counts_at(rows, "malignant", t) for t in steps]
    p = sum(counted[0][1])
    n = sum(counted[0][0])
    tpr = [c[1][1] / p for c in counted]
    fpr = [c[0][1] / n for c in counted]
    precision = [c[1][1] / (c[1][1] + c[0][1]) if c[1][1] + c[0][1] else None for c in counted]
    base = {"dataset": "d", "model": model, "subgroup": {}, "label": "malignant"}
    points = {
        "roc": {
            "threshold": [None, *steps],
            "fpr": [0.0, *fpr],
            "tpr": [0.0, *tpr],
            "p": [p] * 22,
            "n": [n] * 22,
        },
        "precision_recall": {"threshold": steps, "recall": tpr, "precision": precision},
        "sweep": {
            "threshold": steps,
            "tp": [c[1][1] for c in counted],
            "fp": [c[0][1] for c in counted],
            "fn": [c[1][0] for c in counted],
            "tn": [c[0][0] for c in counted],
            "tpr": tpr,
            "fpr": fpr,
            "precision": precision,
        },
        "score_distribution": {
            "low": [0.0, 0.5],
            "high": [0.5, 1.0],
            "positives": [counted[10][1][0], counted[10][1][1]],
            "negatives": [counted[10][0][0], counted[10][0][1]],
        },
        "calibration": {
            "low": [0.0, 0.5],
            "high": [0.5, 1.0],
            "n": [300, 200],
            "mean_score": [0.1, 0.9],
            "observed": [0.15, 0.85],
            "observed_low": [0.1, 0.8],
            "observed_high": [0.2, 0.9],
        },
        "decision": {
            "threshold": [0.1, 0.5, 0.9],
            "net_benefit": [0.3, 0.2, 0.1],
            "treat_all": [0.28, -0.2, -4.0],
            "treat_none": [0.0, 0.0, 0.0],
        },
    }
    for kind, columns in points.items():
        name = f"c{len(results['curves']) + 1}"
        results["curves"].append({"id": name, **base, "kind": kind, "points": columns})


def _judgements(results: dict[str, Any]) -> None:
    by = {
        (m["model"], m["metric"], m["threshold"], str(m["subgroup"]), m["fold"]): m
        for m in results["measures"]
    }
    recall = by["logistic", "recall", 0.5, "{}", None]
    small = by["logistic", "precision", 0.5, "{'size': 'small (under 12)'}", None]
    base = {"dataset": "d", "model": "logistic", "threshold": 0.5, "direction": "at_least"}
    results["acceptance"] = [
        {
            **base,
            "criterion": 1,
            "text": "lower limit of recall >= 0.7",
            "measure": recall["id"],
            "metric": "recall",
            "bound": "lower",
            "required": 0.7,
            "observed": recall["interval"]["low"],
            "outcome": "pass",
            "reason": None,
            "subgroup": {},
        },
        {
            **base,
            "criterion": 2,
            "text": "precision >= 0.9",
            "measure": small["id"],
            "metric": "precision",
            "bound": "point",
            "required": 0.9,
            "observed": small["value"],
            "outcome": "fail",
            "reason": None,
            "subgroup": small["subgroup"],
        },
        {
            **base,
            "criterion": 3,
            "text": "recall >= 0.9",
            "measure": None,
            "metric": "recall",
            "bound": "point",
            "required": 0.9,
            "observed": None,
            "outcome": "not_evaluated",
            "reason": "no measure of this subgroup: it does not occur",
            "subgroup": {"size": "none"},
        },
    ]
    for metric in ("recall", "accuracy"):
        a, b = by["forest", metric, 0.5, "{}", None], by["logistic", metric, 0.5, "{}", None]
        results["comparisons"].append(
            {
                "dataset": "d",
                "subgroup": {},
                "fold": None,
                "threshold": 0.5,
                "metric": metric,
                "params": {},
                "average": None,
                "label": "malignant",
                "model": "forest",
                "reference": "logistic",
                "difference": a["value"] - b["value"],
                "interval": {"level": 0.95, "low": -0.08, "high": 0.01, "method": "newcombe"},
                "test": "mcnemar_exact",
                "statistic": None,
                "p_value": 0.19,
                "p_adjusted": 0.38,
                "correction": "holm",
            }
        )
    results["cautions"] = [
        {
            "code": "miscalibration",
            "severity": "warning",
            "message": "Slope 1.6 (1.3 to 1.9), not 1.",
            "dataset": "d",
            "model": "forest",
            "measure": None,
            "table": None,
        },
    ]


def many_classes(size: int) -> dict[str, Any]:
    """One model, ``size`` classes: per-class recall and precision, accuracy, macro recall."""
    labels = [f"class {k:03d}" for k in range(size)]
    counts = [[0] * size for _ in labels]
    for k in range(size):
        counts[k][k] = 20 + k % 7
        counts[k][(k + 1) % size] = 1 + k % 3
        counts[k][(k * 7 + 3) % size] += k % 2
    maker = Maker(f"{size} classes")
    table = maker.table(labels, counts)
    total = sum(map(sum, counts))
    right = sum(counts[k][k] for k in range(size))
    maker.measure(
        "accuracy",
        table,
        value=right / total,
        n=total,
        average="micro",
        numerator=right,
        denominator=total,
        formula="correct / n",
        substituted=f"{right} / {total}",
        interval=wilson(right, total),
    )
    recalls = []
    for k, label in enumerate(labels):
        for metric in ("recall", "precision"):
            tp = counts[k][k]
            whole = sum(counts[k]) if metric == "recall" else sum(row[k] for row in counts)
            maker.measure(
                metric,
                table,
                value=tp / whole,
                n=total,
                label=label,
                numerator=tp,
                denominator=whole,
                interval=wilson(tp, whole),
            )
            if metric == "recall":
                recalls.append(tp / whole)
    maker.measure(
        "recall",
        table,
        value=math.fsum(recalls) / size,
        n=total,
        average="macro",
        formula="sum(class value) / classes",
        substituted=f"sum of {size} class values / {size}",
    )
    maker.results["labels"].append(
        {
            "dataset": "d",
            "model": "m",
            "declared": None,
            "seen_true": labels,
            "seen_predicted": labels,
            "order": labels,
            "kind": "text",
            "positive": None,
            "rule": "largest",
            "operator": None,
            "ties": [],
        }
    )
    maker.results["rows"].append(
        {
            "dataset": "d",
            "model": "m",
            "read": total,
            "used": total,
            "excluded": [],
            "classes": [
                {"label": label, "count": sum(counts[k])} for k, label in enumerate(labels)
            ],
        }
    )
    return maker.results


def ten_models() -> dict[str, Any]:
    """The two models five times over, under other names."""
    results = two_models()
    for name in ("labels", "rows", "thresholds", "tables", "measures", "curves"):
        whole = []
        for k in range(5):
            for record in results[name]:
                copy = dict(record)
                copy["model"] = f"{record['model']} {k}" if k else record["model"]
                for key in ("id", "table"):
                    if k and copy.get(key):
                        copy[key] = f"{copy[key]}x{k}"
                if k and "tables" in copy:
                    copy["tables"] = [f"{t}x{k}" for t in copy["tables"]]
                whole.append(copy)
        results[name] = whole
    return results


def indeterminate() -> dict[str, Any]:
    """A table with a column of predictions that are neither class, counted for and against."""
    maker = Maker("Indeterminate predictions")
    table = maker.table(
        ["no", "yes"], [[8, 1, 2], [1, 6, 3]], positive="yes", extra_columns=["equivocal"]
    )
    for side, x in (("for", 9), ("against", 6)):
        maker.measure(
            "recall",
            table,
            value=x / 10,
            n=21,
            label="yes",
            indeterminate=side,
            numerator=x,
            denominator=10,
            substituted=f"{x} / ({x} + {10 - x})",
            interval=wilson(x, 10),
        )
    maker.measure("recall", table, value=0.5, n=21, label="yes", subgroup={"sex": "F"})
    return maker.results


def states(labels: tuple[str, str] = ("no", "yes")) -> dict[str, Any]:
    """A measure of each state, on a table whose labels may be hostile."""
    maker = Maker("States")
    table = maker.table(list(labels), [[9, 0], [3, 0]], positive=labels[1])
    base = {"label": labels[1], "n": 12}
    maker.measure(
        "precision",
        table,
        value=None,
        state="undefined",
        reason="no row is predicted yes",
        formula="TP / (TP + FP)",
        substituted="0 / (0 + 0)",
        numerator=0,
        denominator=0,
        **base,
    )
    maker.measure(
        "recall",
        table,
        value=0.0,
        interval=wilson(0, 3),
        substituted="0 / (0 + 3)",
        numerator=0,
        denominator=3,
        **base,
    )
    maker.measure(
        "lr_plus",
        table,
        value=None,
        state="infinite",
        reason="the divisor is 0",
        formula="(TP / (TP + FN)) / (FP / (FP + TN))",
        substituted="(1 / (1 + 2)) / (0 / (0 + 9))",
        **base,
    )
    maker.measure(
        "roc_auc",
        table,
        value=None,
        state="not_applicable",
        reason="labels have no scores",
        formula="",
        substituted="",
        **base,
    )
    maker.measure(
        "specificity",
        table,
        value=0.9995,
        interval=wilson(9, 9),
        formula="TN / (TN + FP)",
        substituted="9 / (9 + 0)",
        **base,
    )
    return maker.results
