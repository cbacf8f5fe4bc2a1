"""Every outside reference value of a metric of scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from oracle import Case, Expected, cases, needs_oracle, score_table

from evalreport.metrics import (
    calibration,
    curves,
    goodness_of_fit,
    h_measure,
    precision_recall,
    probabilities,
    ranking,
    targeting,
)
from evalreport.metrics.diagnostic import net_benefit
from evalreport.metrics.formula import Expression, Value
from evalreport.metrics.tables import ClassScores, ScoreTable

pytestmark = needs_oracle

Compute = Callable[[ScoreTable, dict[str, Any]], Expression]


def _h_measure(s: ScoreTable, params: dict[str, Any]) -> Expression:
    # hmeasure's severity ratio r: cost of a false positive ~ Beta(2, 1 + 1 / r)
    ratio = params.get("severity_ratio", 1)
    if isinstance(ratio, str):
        ratio = s.positive_total / s.negative_total
    return h_measure.h_measure(s, alpha=2.0, beta=1 + 1 / ratio)


def _net_benefit(s: ScoreTable, params: dict[str, Any]) -> Expression:
    at = 0.0 if params.get("strategy") == "treat_all" else params["threshold"]
    return net_benefit(s.counts_at(at), threshold=params["threshold"])


COMPUTE: dict[str, Compute] = {
    "roc_auc": lambda s, _: ranking.roc_auc(s),
    "auc": lambda s, _: ranking.roc_auc(s),
    "gini": lambda s, _: ranking.gini(s),
    "gain_capture": lambda s, _: ranking.gini(s),
    "somers_dxy": lambda s, _: ranking.gini(s),
    "mann_whitney_u": lambda s, _: ranking.mann_whitney_u(s),
    "partial_auc": lambda s, p: ranking.partial_auc(s, **p),
    "partial_auc_sens": lambda s, p: ranking.partial_auc(
        s, min_tpr=p["min_sensitivity"], standardized=p["standardized"]
    ),
    "ks": lambda s, _: ranking.ks(s),
    "youden_max": lambda s, _: ranking.ks(s),
    "h_measure": _h_measure,
    "average_precision": lambda s, _: precision_recall.average_precision(s),
    "pr_auc_trapezoid": lambda s, _: precision_recall.pr_auc(s),
    "pr_auc_interpolated": lambda s, _: precision_recall.pr_auc_interpolated(s),
    "gain_top": lambda s, p: targeting.gain(s, top=p["fraction"]),
    "log_loss": lambda s, _: probabilities.log_loss(s),
    "brier": lambda s, _: probabilities.brier(s),
    "brier_scaled": lambda s, _: probabilities.brier_scaled(s),
    "calibration_slope": lambda s, _: calibration.calibration_slope(s),
    "calibration_intercept_joint": lambda s, _: calibration.calibration_intercept(s),
    "calibration_in_the_large": lambda s, _: calibration.calibration_in_the_large(s),
    "oe_ratio": lambda s, _: calibration.oe_ratio(s),
    "ece": lambda s, p: calibration.ece(s, bins=p["bins"]),
    "hosmer_lemeshow_chi2": lambda s, p: goodness_of_fit.hosmer_lemeshow(s, groups=p.get("g", 10)),
    "hosmer_lemeshow_p_external": lambda s, p: goodness_of_fit.hosmer_lemeshow_p(s, groups=p["g"]),
    "spiegelhalter_z": lambda s, _: goodness_of_fit.spiegelhalter_z(s),
    "spiegelhalter_p": lambda s, _: goodness_of_fit.spiegelhalter_p(s),
    "net_benefit": _net_benefit,
}


def _problems(case: Case, s: ScoreTable) -> list[str]:
    found = []
    for expected in case.expected(*COMPUTE):
        if _other(expected):
            continue
        outcome = COMPUTE[expected.metric](s, expected.params).outcome()
        if not expected.agrees(outcome):
            found.append(f"{expected.metric} {expected.params}: {outcome}, not {expected.value}")
        found.extend(_beside(s, expected))
    return found


def _other(expected: Expected) -> bool:
    """Not of this table: values of groups, classes, or of a threshold that is no probability."""
    outside = expected.metric == "net_benefit" and expected.value == "undefined"
    return outside or bool({"group", "class", "multi", "average"} & expected.params.keys())


def _beside(s: ScoreTable, expected: Expected) -> list[str]:
    """Further figures that stand in the same entry."""
    outcome = None
    if "lift" in expected.entry:
        outcome = targeting.lift(s, top=expected.params["fraction"]).outcome()
        wanted = expected.entry["lift"]
    elif "mce" in expected.entry:
        outcome = calibration.mce(s, bins=expected.params["bins"]).outcome()
        wanted = expected.entry["mce"]
    if outcome is None or (isinstance(outcome, Value) and expected.near(wanted, outcome.number)):
        return []
    return [f"beside {expected.metric} {expected.params}: {outcome}, not {wanted}"]


def _scored(case: Case) -> bool:
    names = {e.metric for e in case.expected()}
    return case.has_scores and "weight" not in case.columns and bool(names & COMPUTE.keys())


@pytest.mark.parametrize("case", cases(_scored))
def test_scores(case: Case) -> None:
    assert _problems(case, case.score_table()) == []


@pytest.mark.parametrize("case", cases(lambda case: "weight" in case.columns))
def test_weighted_scores(case: Case) -> None:
    assert _problems(case, case.score_table(weighted=True)) == []


@pytest.mark.parametrize("case", cases(lambda case: "group" in case.columns))
def test_groups(case: Case) -> None:
    groups = [r[case.columns["group"]] for r in case.rows]
    actual, scores = case.actual(), case.numbers("score")
    for expected in case.expected("roc_auc"):
        chosen = [g == expected.params["group"] for g in groups]
        outcome = ranking.roc_auc(score_table(actual[chosen], scores[chosen])).outcome()
        assert expected.agrees(outcome)


ONE_CLASS: dict[str, Callable[[ScoreTable], Expression]] = {
    "roc_auc": ranking.roc_auc,
    "average_precision": precision_recall.average_precision,
    "pr_auc_trapezoid": precision_recall.pr_auc,
}
ALL_CLASSES: dict[str, Callable[[ClassScores, dict[str, Any]], Expression]] = {
    "log_loss": lambda c, _: probabilities.log_loss.for_classes(c),  # type: ignore[misc]
    "brier_multiclass_sum": lambda c, _: probabilities.brier.for_classes(c),  # type: ignore[misc]
    "top_k_accuracy": lambda c, p: probabilities.top_k_accuracy(c, k=p["k"]),
}


def _of_classes(c: ClassScores, expected: Expected) -> float | None:
    params, name = expected.params, expected.metric
    if params.get("multi") == "hand_till":
        return ranking.hand_till_auc(c).outcome().number  # type: ignore[union-attr]
    if name in ONE_CLASS:
        values = [ONE_CLASS[name](t).outcome().number for t in c.per_class]  # type: ignore[union-attr]
        if "class" in params:
            return values[c.labels.index(params["class"])]
        weights = c.class_totals if "weighted" in params["average"] else [1] * len(values)
        return sum(v * w for v, w in zip(values, weights, strict=True)) / sum(weights)
    return ALL_CLASSES[name](c, params).outcome().number  # type: ignore[union-attr]


@pytest.mark.parametrize("case", cases(lambda case: case.has_classes))
def test_class_scores(case: Case) -> None:
    c = case.class_scores()
    found = []
    for expected in case.expected(*ONE_CLASS, *ALL_CLASSES):
        number = _of_classes(c, expected)
        wanted = (expected.value, *expected.accept)
        if number is None or not any(expected.near(value, number) for value in wanted):
            found.append(f"{expected.metric} {expected.params}: {number}, not {expected.value}")
    assert found == []


@pytest.mark.parametrize("case", cases(lambda case: case.id == "bin_two_class"))
def test_decision_curve(case: Case) -> None:
    s = case.score_table()
    wanted = list(case.expected("net_benefit"))
    thresholds = sorted({e.params["threshold"] for e in wanted})
    curve = curves.decision(s, thresholds)
    for expected in wanted:
        column = curve["net_benefit" if expected.params["strategy"] == "model" else "treat_all"]
        assert expected.near(expected.value, column[thresholds.index(expected.params["threshold"])])
