"""Outside reference values that need rows: areas, calibration fits, predictive values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from evalreport.engine.comparisons.contrast import ByError
from evalreport.statistics import delong, logistic, means, paired, predictive
from evalreport.statistics.interval import z_value

Case = Any
Values = list[float | str]


def level_of(e: dict[str, Any]) -> float:
    return float(e.get("params", {}).get("conf_level", 0.95))


def both_classes(case: Case) -> tuple[predictive.PairedCalls, predictive.PairedCalls]:
    positives, negatives = (predictive.PairedCalls(*case.calls(c)) for c in (True, False))
    return positives, negatives


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
    area = delong.area_of(*table)
    found = None if area is None else delong.AUC_METHODS[method](area, level_of(e))
    assert found is not None
    value = delong.auc(*table)
    assert value is not None
    return [value, *found]


def auc_standard_error(case: Case, e: dict[str, Any]) -> Values | None:
    table = case.score_table()
    if e["metric"] == "roc_auc_se_delong":
        found = delong.area_of(*table)
        variance = found and found.variance
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
    assert interval is not None
    assert two.difference_variance is not None
    test = ByError(two.difference, math.sqrt(two.difference_variance), None, "delong").test()
    return {
        "auc_1": [two.auc_1],
        "auc_2": [two.auc_2],
        "delong_covariance": [two.covariance or 0.0],
        "auc_difference": [two.difference, *interval],
        "delong_z": [test.statistic or 0.0],
        "delong_p": [test.p_value or 0.0],
    }[e["metric"]]


def unpaired_areas(case: Case, e: dict[str, Any]) -> Values | None:
    p = e["params"]
    found = []
    for group in (p["group1"], p["group2"]):
        rows = [r for r in case.rows if r["gender"] == group and r[p["score"]] not in ("", "NA")]
        actual = np.array([r["outcome"] == "Poor" for r in rows])
        score = np.array([float(r[p["score"]]) for r in rows])
        table = case.grouped_rows(actual, score)[1:]
        one = delong.area_of(*table)
        assert one is not None
        assert one.variance is not None
        found.append((one.area, one.variance, len(rows)))
    (a1, v1, n1), (a2, v2, n2) = found
    interval = delong.difference_interval(a1 - a2, v1 + v2, 0.95)
    normal = ByError(a1 - a2, math.sqrt(v1 + v2), None, "delong_unpaired").test()
    welch = means.welch_t(means.Mean(a1, v1, n1 - 1.0), means.Mean(a2, v2, n2 - 1.0), 0.95)
    assert interval is not None
    assert normal.p_value == pytest.approx(e["p_value_normal"], rel=1e-7)
    assert welch.df == pytest.approx(e["df"], rel=1e-7)
    assert welch.p_value == pytest.approx(e["p_value_t"], rel=1e-7)
    return [a1 - a2, *interval]


def calibration(case: Case, e: dict[str, Any]) -> Values | None:
    if not case.rows or "score" not in case.content["columns"]:
        return None
    p, pos, neg = case.grouped()
    try:
        if e["metric"] == "calibration_in_the_large":
            estimate = logistic.calibration_in_the_large(p, pos, neg)
        else:
            line = logistic.calibration_line(p, pos, neg)
            estimate = line[1] if e["metric"] == "calibration_slope" else line[0]
    except logistic.NotEstimable:
        return ["undefined"]
    assert estimate.standard_error is not None
    half = z_value(0.95) * estimate.standard_error
    return [estimate.value, estimate.value - half, estimate.value + half]


def called(case: Case, of: str) -> tuple[predictive.PairedCalls, predictive.PairedCalls]:
    """The rows that belong above the line and the others, by who calls them."""
    positives, negatives = both_classes(case)
    if of == "ppv":
        return positives, negatives
    return negatives.of_negative(), positives.of_negative()


def predictive_test(case: Case, e: dict[str, Any]) -> Values | None:
    of, test, _ = e["metric"].split("_")
    name = {"gs": "leisenring", "wgs": "kosinski"}[test]
    result = predictive.SCORE_TESTS[name](*called(case, of))
    assert result is not None
    assert result.p_value == pytest.approx(e["p_value"], rel=1e-7)
    return [result.statistic]


def relative_value(case: Case, e: dict[str, Any]) -> Values | None:
    result = predictive.relative_ppv(*called(case, e["metric"].removeprefix("relative_")), 0.95)
    assert result is not None
    assert result.log_standard_error == pytest.approx(e["se_log"], rel=1e-7)
    assert result.p_value == pytest.approx(e["p_value"], rel=1e-6)
    # the reference gives test 2 over test 1
    return [1.0 / result.ratio, 1.0 / result.interval.high, 1.0 / result.interval.low]


def class_discordant(case: Case, e: dict[str, Any]) -> Values | None:
    calls = predictive.PairedCalls(*case.calls(e["metric"].startswith("sens")))
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
    "calibration_slope": calibration,
    "calibration_intercept_joint": calibration,
    "calibration_in_the_large": calibration,
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


def test_reference_case(oracle_case: Case, compare: Callable[..., list[str]]) -> None:
    assert compare(oracle_case, CHECKS) == []
