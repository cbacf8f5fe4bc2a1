"""Every outside reference value that has a counterpart in evalreport.statistics.

The reference cases are not part of the repository: EVALREPORT_ORACLE names their folder.
The published counts among them are committed as literals in the other tests here.
"""

from __future__ import annotations

import csv
import functools
import json
import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evalreport.statistics import (
    agreement,
    delong,
    logistic,
    means,
    paired,
    predictive,
    proportions,
    ratios,
    tail,
    unpaired,
)

FOLDER = os.environ.get("EVALREPORT_ORACLE")
pytestmark = pytest.mark.skipif(
    FOLDER is None, reason="EVALREPORT_ORACLE does not name the folder of reference cases"
)

PROPORTION_NAMES = {
    "wilson": "wilson",
    "clopper-pearson": "clopper_pearson",
    "agresti-coull": "agresti_coull",
    "agresti-coull-truncated": "agresti_coull",
    "jeffreys": "jeffreys",
    "wald": "wald",
    "wilson-cc": "wilson_cc",
    "wald-cc": "wald_cc",
    "mid-p": "mid_p",
    "likelihood-ratio": "likelihood_ratio",
    "logit": "logit",
}
PAIRED_NAMES = {
    "newcombe-10 (Wilson square-and-add, phi continuity-corrected)": "newcombe",
    "newcombe-8 (phi uncorrected)": "newcombe_uncorrected",
    "wald": "wald",
    "agresti-min (add 0.5 to each cell), interval only": "agresti_min",
    "tango-score": "tango",
}
UNPAIRED_NAMES = {
    "newcombe-hybrid-score (method 10)": "newcombe_hybrid",
    "newcombe-hybrid-score-cc (method 11)": "newcombe_hybrid_cc",
    "wald": "wald",
    "wald-cc": "wald_cc",
    "agresti-caffo": "agresti_caffo",
    "mee": "mee",
    "miettinen-nurminen": "miettinen_nurminen",
}
PROPORTIONS = (
    "proportion",
    "accuracy",
    "sensitivity",
    "specificity",
    "ppv",
    "npv",
    "observed_agreement",
)

Values = list[float | str]


class Case:
    """One file of reference values with its data."""

    def __init__(self, path: Path) -> None:
        self.content: dict[str, Any] = json.loads(path.read_text())
        self.folder = path.parent.parent
        self.id: str = self.content["id"]

    @functools.cached_property
    def rows(self) -> list[dict[str, str]]:
        if self.content["data"] is None:
            return inline_rows(self.content.get("inline") or {})
        with (self.folder / self.content["data"]).open(newline="") as stream:
            rows = list(csv.DictReader(stream))
        columns = [
            c
            for k, c in self.content["columns"].items()
            if k in ("truth", "score", "score1", "score2")
        ]
        missing = ("", "NA", "nan")
        return [r for r in rows if not any(r.get(c, "1") in missing for c in columns)]

    def actual(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        positive = str(self.content["settings"]["positive"])
        return np.array([r[self.content["columns"]["truth"]] == positive for r in self.rows])

    def score(self, key: str = "score") -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.array([float(r[self.content["columns"][key]]) for r in self.rows])

    def value_of(self, metric: str) -> Any:
        return next(e["value"] for e in self.content["expected"] if e["metric"] == metric)

    def score_table(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        return grouped(self.actual(), self.score())[1:]

    def calls(self, positive_class: bool) -> predictive.PairedCalls:
        """Rows of one class by what the two models predict."""
        settings = self.content["settings"]
        first = self.score("score1") >= settings["threshold1"]
        second = self.score("score2") >= settings["threshold2"]
        held = self.actual() == positive_class
        return predictive.PairedCalls(
            float(np.sum(held & first & second)),
            float(np.sum(held & first & ~second)),
            float(np.sum(held & ~first & second)),
            float(np.sum(held & ~first & ~second)),
        )


def inline_rows(inline: dict[str, Any]) -> list[dict[str, str]]:
    """Rows from columns of equal length; none from a table of counts."""
    columns = {
        name: [str(v) for v in values]
        for name, values in inline.items()
        if isinstance(values, list)
    }
    if "table" in columns or not columns:
        return []
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def grouped(actual: Any, score: Any) -> tuple[Any, Any, Any]:
    distinct, entry = np.unique(-score, return_inverse=True)
    return (
        -distinct,
        np.bincount(entry[actual], minlength=distinct.size),
        np.bincount(entry[~actual], minlength=distinct.size),
    )


def binary_counts(case: Case) -> tuple[float, float, float, float]:
    tp, fn, fp, tn = (case.value_of(k) for k in ("tp", "fn", "fp", "tn"))
    return tp, fn, fp, tn


def proportion(case: Case, e: dict[str, Any]) -> Values | None:
    params = e.get("params", {})
    method = PROPORTION_NAMES.get(e["ci_method"])
    if method is None or "x" not in params:
        return None
    found = proportions.PROPORTION_METHODS[method](params["x"], params["n"], level_of(e))
    assert found is not None
    return [params["x"] / params["n"], *found]


def level_of(e: dict[str, Any]) -> float:
    return float(e.get("params", {}).get("conf_level", 0.95))


def paired_difference(case: Case, e: dict[str, Any]) -> Values | None:
    params = e.get("params") or case.content["inline"]
    cells = tuple(params[k] for k in ("n11", "n10", "n01", "n00"))
    found = paired.PAIRED_METHODS[PAIRED_NAMES[e["ci_method"]]](*cells, 0.95)
    assert found is not None
    return [(cells[1] - cells[2]) / sum(cells), *found]


def risk_difference(case: Case, e: dict[str, Any]) -> Values | None:
    p = e["params"]
    counts = (p["x1"], p["n1"], p["x2"], p["n2"])
    found = unpaired.UNPAIRED_METHODS[UNPAIRED_NAMES[e["ci_method"]]](*counts, 0.95)
    assert found is not None
    return [p["x1"] / p["n1"] - p["x2"] / p["n2"], *found]


def discordant(case: Case, e: dict[str, Any]) -> tuple[float, float]:
    what = e.get("params", {}).get("what")
    if what is None and "table" in (case.content.get("inline") or {}):
        (_, n10), (n01, _) = case.content["inline"]["table"]
        return n10, n01
    if what is None:
        return case.content["inline"]["n10"], case.content["inline"]["n01"]
    params = next(
        x["params"]
        for x in case.content["expected"]
        if x["metric"] == f"{what}_difference" and "n10" in x["params"]
    )
    return params["n10"], params["n01"]


def mcnemar_chi2(case: Case, e: dict[str, Any]) -> Values | None:
    test = paired.mcnemar_corrected if e["params"]["continuity"] else paired.mcnemar
    result = test(*discordant(case, e))
    assert result is not None
    if "p_value" in e:
        assert result.p_value == pytest.approx(e["p_value"], rel=1e-7, abs=1e-15)
    return [result.statistic]


def truth_against_prediction(case: Case, e: dict[str, Any]) -> Values | None:
    _, fn, fp, _ = binary_counts(case)
    if e["metric"] == "mcnemar_exact_p_truth_vs_pred":
        return [paired.mcnemar_exact(fp, fn)]
    result = paired.mcnemar_corrected(fp, fn)
    return [result.p_value if result else "undefined"]


def ratio(case: Case, e: dict[str, Any]) -> Values | None:
    if "ci" not in e:
        return None
    tp, fn, fp, tn = binary_counts(case)
    found = getattr(ratios, e["metric"])(tp, fn, fp, tn, 0.95)
    return ["undefined"] * 3 if found is None else [e["value"], *found]


def roc_auc(case: Case, e: dict[str, Any]) -> Values | None:
    if "ci" not in e and case.id.startswith("edge_") and case.rows and "params" not in e:
        if "weight" in case.content["columns"] or case.id == "edge_missing_truth":
            return None
        area = delong.auc(*case.score_table())
        return ["undefined" if area is None else area]
    method = e.get("ci_method", "").split(" ")[0].replace("-", "_")
    if method not in ("delong", "delong_logit") or not case.id.startswith(
        ("bin_", "pub_", "edge_")
    ):
        return None
    if not case.rows or "score" not in case.content["columns"]:
        return None
    table = case.score_table()
    found = delong.AUC_METHODS[method](*table, level_of(e))
    assert found is not None
    value = delong.auc(*table)
    assert value is not None
    return [value, *found]


def auc_standard_error(case: Case, e: dict[str, Any]) -> Values | None:
    table = case.score_table()
    if e["metric"] == "roc_auc_se_delong":
        variance = delong.delong_variance(*table)
    else:
        area = delong.auc(*table)
        assert area is not None
        variance = delong.hanley_mcneil_variance(area, table[0].sum(), table[1].sum())
    assert variance is not None
    return [math.sqrt(variance)]


def areas(case: Case) -> delong.PairedAreas:
    found = delong.delong_paired(case.actual(), case.score("score1"), case.score("score2"))
    assert found is not None
    return found


def paired_areas(case: Case, e: dict[str, Any]) -> Values | None:
    if e.get("ci_method") == "delong-unpaired (normal)":
        return unpaired_areas(case, e)
    if e.get("ci_method", "").startswith("bootstrap"):
        return None
    two = areas(case)
    interval = delong.difference_interval(two.difference, two.difference_variance, 0.95)
    test = delong.difference_test(two.difference, two.difference_variance)
    assert interval is not None
    assert test is not None
    return {
        "auc_1": [two.auc_1],
        "auc_2": [two.auc_2],
        "delong_covariance": [two.covariance or 0.0],
        "auc_difference": [two.difference, *interval],
        "delong_z": [test.statistic],
        "delong_p": [test.p_value],
    }[e["metric"]]


def unpaired_areas(case: Case, e: dict[str, Any]) -> Values | None:
    p = e["params"]
    found = []
    for group in (p["group1"], p["group2"]):
        rows = [r for r in case.rows if r["gender"] == group and r[p["score"]] not in ("", "NA")]
        actual = np.array([r["outcome"] == "Poor" for r in rows])
        table = grouped(actual, np.array([float(r[p["score"]]) for r in rows]))[1:]
        found.append((delong.auc(*table) or 0.0, delong.delong_variance(*table) or 0.0, len(rows)))
    (a1, v1, n1), (a2, v2, n2) = found
    interval = delong.difference_interval(a1 - a2, v1 + v2, 0.95)
    normal = delong.difference_test(a1 - a2, v1 + v2)
    welch = delong.unpaired_welch_test(a1 - a2, v1, n1, v2, n2)
    assert interval is not None
    assert normal is not None
    assert welch is not None
    assert normal.p_value == pytest.approx(e["p_value_normal"], rel=1e-7)
    assert welch.df == pytest.approx(e["df"], rel=1e-7)
    assert welch.p_value == pytest.approx(e["p_value_t"], rel=1e-7)
    return [a1 - a2, *interval]


def kappa(case: Case, e: dict[str, Any]) -> Values | None:
    params = e.get("params", {})
    table = table_of(case)
    if table is None:
        return None
    weights = {
        "none": None,
        "linear": agreement.linear_weights(len(table)),
        "quadratic": agreement.quadratic_weights(len(table)),
    }[params.get("weights", "none")]
    if "disagreement_weights" in params:
        disagreement = np.array(params["disagreement_weights"], float)
        weights = 1.0 - disagreement / disagreement.max()
    value = agreement.kappa(table, weights)
    if "se" in e:
        assert agreement.kappa_se(table, weights) == pytest.approx(e["se"], rel=1e-9)
    interval = agreement.kappa_wald(table, 0.95, weights)
    if value is None or interval is None:
        return ["undefined"] * 3
    return [value, *interval]


def table_of(case: Case) -> list[list[float]] | None:
    if "table" in (case.content.get("inline") or {}):
        return case.content["inline"]["table"]
    matrix = [e for e in case.content["expected"] if e["metric"] == "confusion_matrix"]
    if matrix:
        return matrix[0]["value"] if isinstance(matrix[0]["value"], list) else None
    if not {"tp", "fn", "fp", "tn"} <= {e["metric"] for e in case.content["expected"]}:
        return None
    tp, fn, fp, tn = binary_counts(case)
    return [[tp, fn], [fp, tn]]


def mcc(case: Case, e: dict[str, Any]) -> Values | None:
    if "params" in e or not case.id.startswith(("bin_", "tab_", "pub_", "wt_")):
        return None
    value = agreement.mcc(*binary_counts(case))
    return ["undefined" if value is None else value]


def calibration(case: Case, e: dict[str, Any]) -> Values | None:
    if not case.rows or "score" not in case.content["columns"]:
        return None
    p, pos, neg = grouped(case.actual(), case.score())
    try:
        if e["metric"] == "calibration_in_the_large":
            estimate = logistic.calibration_in_the_large(p, pos, neg)
        else:
            line = logistic.calibration_line(p, pos, neg)
            estimate = line[1] if e["metric"] == "calibration_slope" else line[0]
    except logistic.NotEstimable:
        return ["undefined"]
    assert estimate.standard_error is not None
    return [estimate.value, *means.normal_interval(estimate.value, estimate.standard_error, 0.95)]


def accuracy_p(case: Case, e: dict[str, Any]) -> Values | None:
    if not case.id.startswith(("bin_", "tab_", "pub_", "wt_")):
        return None
    tp, fn, fp, tn = binary_counts(case)
    n = tp + fn + fp + tn
    return [tail.binomial_greater(tp + tn, n, max(tp + fn, fp + tn) / n)]


def predictive_test(case: Case, e: dict[str, Any]) -> Values | None:
    name = {
        "ppv_gs_chi2": "ppv_leisenring",
        "npv_gs_chi2": "npv_leisenring",
        "ppv_wgs_chi2": "ppv_kosinski",
        "npv_wgs_chi2": "npv_kosinski",
    }[e["metric"]]
    result = getattr(predictive, name)(case.calls(True), case.calls(False))
    assert result.p_value == pytest.approx(e["p_value"], rel=1e-7)
    return [result.statistic]


def relative_value(case: Case, e: dict[str, Any]) -> Values | None:
    result = getattr(predictive, e["metric"])(case.calls(True), case.calls(False), 0.95)
    assert result.log_standard_error == pytest.approx(e["se_log"], rel=1e-7)
    assert result.p_value == pytest.approx(e["p_value"], rel=1e-6)
    # the reference gives test 2 over test 1
    return [1.0 / result.ratio, 1.0 / result.interval.high, 1.0 / result.interval.low]


def class_discordant(case: Case, e: dict[str, Any]) -> Values | None:
    calls = case.calls(e["metric"].startswith("sens"))
    if e["metric"].endswith("exact_p"):
        return [paired.mcnemar_exact(calls.first_only, calls.second_only)]
    result = paired.mcnemar(calls.first_only, calls.second_only)
    return ["undefined" if result is None else result.statistic]


def brier_difference(case: Case, e: dict[str, Any]) -> Values | None:
    actual = case.actual().astype(float)
    first = (case.score("score1") - actual) ** 2
    result = means.paired_t(first - (case.score("score2") - actual) ** 2, 0.95)
    assert result is not None
    return [result.difference, *result.interval]


CHECKS: dict[str, Callable[[Case, dict[str, Any]], Values | None]] = {
    **dict.fromkeys(PROPORTIONS, proportion),
    "paired_difference": paired_difference,
    "accuracy_difference": paired_difference,
    "sensitivity_difference": paired_difference,
    "specificity_difference": paired_difference,
    "risk_difference": risk_difference,
    "mcnemar_chi2": mcnemar_chi2,
    "mcnemar_exact_p": lambda c, e: [paired.mcnemar_exact(*discordant(c, e))],
    "mcnemar_midp": lambda c, e: [paired.mcnemar_midp(*discordant(c, e))],
    "mcnemar_exact_p_truth_vs_pred": truth_against_prediction,
    "mcnemar_p_truth_vs_pred": truth_against_prediction,
    "lr_plus": ratio,
    "lr_minus": ratio,
    "diagnostic_odds_ratio": ratio,
    "roc_auc": roc_auc,
    "roc_auc_ci_90": roc_auc,
    "roc_auc_se_delong": auc_standard_error,
    "roc_auc_se_hanley_mcneil": auc_standard_error,
    "auc_1": paired_areas,
    "auc_2": paired_areas,
    "auc_difference": paired_areas,
    "delong_covariance": paired_areas,
    "delong_z": paired_areas,
    "delong_p": paired_areas,
    "kappa": kappa,
    "weighted_kappa": kappa,
    "mcc": mcc,
    "calibration_slope": calibration,
    "calibration_intercept_joint": calibration,
    "calibration_in_the_large": calibration,
    "accuracy_p_gt_nir": accuracy_p,
    "ppv_gs_chi2": predictive_test,
    "npv_gs_chi2": predictive_test,
    "ppv_wgs_chi2": predictive_test,
    "npv_wgs_chi2": predictive_test,
    "relative_ppv": relative_value,
    "relative_npv": relative_value,
    "sens_mcnemar_chi2": class_discordant,
    "spec_mcnemar_chi2": class_discordant,
    "sens_exact_p": class_discordant,
    "spec_exact_p": class_discordant,
    "brier_difference": brier_difference,
}


def cases() -> Iterator[Any]:
    if FOLDER is None:
        return
    for path in sorted((Path(FOLDER) / "cases").glob("*.json")):
        yield pytest.param(path, id=path.stem)


def differences(case: Case, e: dict[str, Any], found: Values) -> list[str]:
    """What is not as the reference has it; limits beyond [0, 1] are kept within it here."""
    wanted = [e["value"], *e.get("ci", [])]
    tolerance = e.get("tol") or case.content["default_tol"]
    bounded = e["metric"] in (*PROPORTIONS, "roc_auc")
    problems = []
    for place, (value, target) in enumerate(zip(found, wanted, strict=False)):
        if target == "undefined" or value == "undefined":
            same = value == target or value in e.get("accept", [])
        else:
            limit = min(max(target, 0.0), 1.0) if bounded else target
            same = math.isclose(
                value, limit, rel_tol=tolerance.get("rel", 0.0), abs_tol=tolerance.get("abs", 0.0)
            )
        if not same:
            problems.append(f"{e['metric']} {e.get('ci_method')} [{place}]: {value}, not {target}")
    return problems


@pytest.mark.parametrize("path", list(cases()))
def test_reference_case(path: Path) -> None:
    case = Case(path)
    problems: list[str] = []
    checked = 0
    for e in case.content["expected"]:
        check = CHECKS.get(e["metric"])
        if check is None or ("ci" not in e and e["metric"] in PROPORTIONS):
            continue
        found = check(case, e)
        if found is not None:
            checked += 1
            problems += differences(case, e, found)
    assert not problems, "\n".join(problems)
    if not checked:
        pytest.skip("no counterpart in evalreport.statistics")
