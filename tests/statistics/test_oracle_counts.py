"""Outside reference values that follow from counts: proportions, ratios, agreement, McNemar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from evalreport.metrics.formula import Value
from evalreport.metrics.matrix import mcc as declared_mcc
from evalreport.metrics.tables import Counts
from evalreport.statistics import agreement, paired, proportions, ratios, tail, unpaired

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

Case = Any
Values = list[float | str]


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
    _, fn, fp, _ = case.counts()
    if e["metric"] == "mcnemar_exact_p_truth_vs_pred":
        return [paired.mcnemar_exact(fp, fn)]
    result = paired.mcnemar_corrected(fp, fn)
    return [result.p_value if result else "undefined"]


def ratio(case: Case, e: dict[str, Any]) -> Values | None:
    if "ci" not in e:
        return None
    tp, fn, fp, tn = case.counts()
    found = getattr(ratios, e["metric"])(tp, fn, fp, tn, 0.95)
    return ["undefined"] * 3 if found is None else [e["value"], *found]


def kappa(case: Case, e: dict[str, Any]) -> Values | None:
    params = e.get("params", {})
    table = table_of(case)
    if table is None:
        return None
    kind = params.get("weights", "none")
    weights = None if kind == "none" else agreement.agreement_weights(len(table), kind)
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
    tp, fn, fp, tn = case.counts()
    return [[tp, fn], [fp, tn]]


def mcc(case: Case, e: dict[str, Any]) -> Values | None:
    if "params" in e or not case.id.startswith(("bin_", "tab_", "pub_", "wt_")):
        return None
    tp, fn, fp, tn = case.counts()
    value = declared_mcc(Counts(tp=tp, fp=fp, fn=fn, tn=tn)).outcome()
    return [value.number if isinstance(value, Value) else "undefined"]


def accuracy_p(case: Case, e: dict[str, Any]) -> Values | None:
    if not case.id.startswith(("bin_", "tab_", "pub_", "wt_")):
        return None
    tp, fn, fp, tn = case.counts()
    n = tp + fn + fp + tn
    return [tail.binomial_greater(tp + tn, n, max(tp + fn, fp + tn) / n)]


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
    "kappa": kappa,
    "weighted_kappa": kappa,
    "mcc": mcc,
    "accuracy_p_gt_nir": accuracy_p,
}


def test_reference_case(oracle_case: Case, compare: Callable[..., list[str]]) -> None:
    assert compare(oracle_case, CHECKS) == []
