"""Reference cases as runs: a spec and columns of data from a case, and its values as measures."""

from __future__ import annotations

import csv
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "reference"
SHIPPED = HERE / "cases"
VARIABLE = "EVALREPORT_ORACLE"

#: Names of the sources for metrics of the catalogue.
NAMES = {
    "sensitivity": "recall",
    "ppv": "precision",
    "for": "false_omission_rate",
    "detection_prevalence": "predicted_prevalence",
    "apparent_prevalence": "predicted_prevalence",
    "true_prevalence": "prevalence",
    "accuracy_p_gt_nir": "accuracy_p_value",
    "pr_auc_trapezoid": "pr_auc",
    "calibration_intercept_joint": "calibration_intercept",
    "hosmer_lemeshow_chi2": "hosmer_lemeshow",
    "hosmer_lemeshow_p_external": "hosmer_lemeshow_p",
    "brier_multiclass_sum": "brier",
    "balanced_accuracy_recall": "balanced_accuracy",
    "gain_capture": "gini",
    "somers_dxy": "gini",
    "observed_agreement": "accuracy",
    "partial_auc_sens": "partial_auc",
    "gain_top": "gain",
}
#: Names that mean the same in the catalogue.
SAME = {
    "accuracy", "specificity", "npv", "precision", "recall", "f1", "fbeta", "prevalence",
    "detection_rate", "balanced_accuracy", "mcc", "youden_j", "fpr", "fnr", "fdr", "g_mean",
    "fowlkes_mallows", "jaccard", "markedness", "kappa", "weighted_kappa", "lr_plus", "lr_minus",
    "diagnostic_odds_ratio", "no_information_rate", "roc_auc", "gini", "mann_whitney_u",
    "partial_auc", "ks", "h_measure", "average_precision", "pr_auc_interpolated", "log_loss",
    "brier", "brier_scaled", "calibration_slope", "calibration_in_the_large", "oe_ratio", "ece",
    "spiegelhalter_z", "spiegelhalter_p", "top_k_accuracy", "net_benefit",
}  # fmt: skip

METHODS = {
    "clopper-pearson": "clopper_pearson",
    "wilson": "wilson",
    "agresti-coull": "agresti_coull",
    "jeffreys": "jeffreys",
    "wald": "wald",
    "delong": "delong",
    "delong (clipped to [0,1] by pROC)": "delong",
    "delong-logit": "delong_logit",
    "log method (Simel 1991)": "log",
    "Woolf log": "log",
    "Woolf log (Glas 2003)": "log",
    "wald with Fleiss-Cohen-Everitt (1969) non-null ASE": "wald",
    "wald, Fleiss-Cohen-Everitt (1969) non-null ASE": "wald",
}


def case_files() -> list[Path]:
    """Shipped cases, then those of the folder named by the environment."""
    files = sorted(SHIPPED.glob("*.json"))
    folder = os.environ.get(VARIABLE)
    if folder:
        shipped = {f.name for f in files}
        more = sorted((Path(folder) / "cases").glob("*.json"))
        files += [f for f in more if f.name not in shipped]
    return files


@cache
def load(path: Path) -> dict[str, Any]:
    """A case as it stands in its file."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def columns(case: dict[str, Any], path: Path) -> dict[str, list[Any]] | None:
    """The rows of a case by column; a table of counts is written out row by row."""
    if case.get("data"):
        source = path.parent.parent / case["data"]
        with source.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        return {name: [row[name] for row in rows] for name in rows[0]}
    inline = case.get("inline")
    if not inline:
        return None
    if "truth" in inline:
        # an empty text stands for a missing value, as in a file
        return {name: [None if v == "" else v for v in values] for name, values in inline.items()}
    if "table" in inline:
        labels = case["settings"]["labels"]
        return _written_out(inline["table"], labels)
    if "tp" in inline and inline["tp"] + inline["tn"] < 100_000:
        table = [[inline["tn"], inline["fp"]], [inline["fn"], inline["tp"]]]
        return _written_out(table, ["no", "yes"])
    return None


def _written_out(table: list[list[int]], labels: list[str]) -> dict[str, list[Any]]:
    truth: list[str] = []
    pred: list[str] = []
    for i, row in enumerate(table):
        for j, count in enumerate(row):
            truth += [labels[i]] * count
            pred += [labels[j]] * count
    return {"truth": truth, "pred": pred}


def request(metric: str, params: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """The catalogue's name and parameters of an expected value; None where it has none."""
    name = NAMES.get(metric, metric if metric in SAME else None)
    if name is None:
        return None
    taken: dict[str, Any] = {}
    if name == "fbeta":
        taken["beta"] = params["beta"]
    elif name == "partial_auc":
        if "max_fpr" in params:
            taken["max_fpr"] = params["max_fpr"]
        else:
            taken["min_tpr"] = params["min_sensitivity"]
        taken["standardized"] = params["standardized"]
    elif name == "weighted_kappa":
        if "weights" not in params:
            return None
        taken["weights"] = params["weights"]
    elif name == "kappa" and params.get("weights", "none") != "none":
        return None
    elif name == "h_measure":
        # a severity ratio r is a cost ~ Beta(2, 1 + 1 / r); the default r depends on the data
        if params.get("severity_ratio") != 1:
            return None
        taken.update(alpha=2.0, beta=2.0)
    elif name == "ece":
        taken.update(bins=params["bins"], strategy="uniform")
    elif name in ("hosmer_lemeshow", "hosmer_lemeshow_p"):
        taken["groups"] = params.get("g", 10)
    elif name == "top_k_accuracy":
        taken["k"] = params["k"]
    elif name == "gain":
        taken["top"] = params["fraction"]
    return name, taken
