"""Writes evalreport/qualify/cases.json: the reference cases that travel with the wheel.

A choice of the cases in this folder, with their own values, sources and tolerances, and a few
worked by hand. Which measure of a run a value is of is looked up as the tests do it; the values
are those of the sources, never our own. ``python tests/reference/make_cases.py``; a test compares.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TARGET = HERE.parents[1] / "evalreport" / "qualify" / "cases.json"

#: Cases that are taken whole.
CHOSEN = (
    "bin_two_class",
    "mc_penguins",
    "pub_altman_bland_liver",
    "pub_hanley_mcneil",
    "tab_small",
    "agr_cohen1968",
    "agr_viera",
    "edge_only_positives",
    "edge_zero_pred_pos",
)
#: Published counts of Newcombe 1998, whose limits by many methods are in pub_newcombe_single.
NEWCOMBE = ((81, 263), (15, 148), (0, 20), (1, 29))
#: Names of methods in that case which the tests of the statistics know, beside the shared ones.
MORE_METHODS = {
    "wilson-cc": "wilson_cc",
    "wald-cc": "wald_cc",
    "mid-p": "mid_p",
    "likelihood-ratio": "likelihood_ratio",
    "logit": "logit",
}
SCORES = {
    "roc_auc", "gini", "mann_whitney_u", "partial_auc", "ks", "h_measure", "average_precision",
    "pr_auc", "pr_auc_interpolated", "log_loss", "brier", "brier_scaled", "calibration_slope",
    "calibration_intercept", "calibration_in_the_large", "oe_ratio", "ece", "spiegelhalter_z",
    "spiegelhalter_p", "top_k_accuracy", "hosmer_lemeshow", "hosmer_lemeshow_p", "gain",
}  # fmt: skip
#: Of what a measure is, as an answer states it.
OF = ("metric", "params", "average", "label", "threshold", "model", "subgroup")
PROPORTIONS = {"accuracy", "recall", "specificity", "precision", "npv", "prevalence",
               "predicted_prevalence", "detection_rate", "no_information_rate"}  # fmt: skip


def cases_file() -> str:
    """The content of the file."""
    from reference.sas import sas_cases

    found = [_taken(HERE / "cases" / f"{name}.json") for name in CHOSEN]
    found += [_newcombe(x, n) for x, n in NEWCOMBE]
    found.append(_by_hand())
    found += sas_cases()
    for case in found:
        assert any(run["answers"] for run in case["runs"]), case["id"]
    body = {"schema": "evalreport/reference-cases/1", "cases": found}
    return json.dumps(body, indent=None, sort_keys=True, separators=(",", ":")) + "\n"


def _taken(path: Path) -> dict[str, Any]:
    import reference_cases as shared
    from reference import test_reference_values as known

    case = shared.load(path)
    data = shared.columns(case, path)
    assert data is not None, path
    spec = known._spec(case, data, path)
    assert spec is not None, path
    spec["datasets"]["d"].pop("path")
    plain: list[dict[str, Any]] = []
    limits: list[tuple[str, dict[str, Any]]] = []
    for entry in case["expected"]:
        params = entry.get("params", {})
        if shared.request(entry["metric"], params) is None or params.get("convention"):
            continue
        if params.get("strategy") == "treat_all":
            continue
        measure = known._lookup(known._measured(path), case, entry)
        if measure is None:
            continue
        answer = {"of": {key: measure[key] for key in OF}, "source": entry["source"],
                  "tolerance": known._tolerance(entry, case)}  # fmt: skip
        answer["requirement"] = _requirement(measure)
        if entry["value"] == "undefined" and not entry.get("accept"):
            plain.append({**answer, "state": "undefined", "requirement": "R8"})
        elif isinstance(entry["value"], (int, float)) and math.isfinite(entry["value"]):
            plain.append({**answer, "value": entry["value"]})
        limits += _limits(path, case, entry, measure, answer)
    return _case(case["id"], spec, data, plain, limits)


def _limits(
    path: Path, case: Any, entry: Any, measure: Any, answer: dict[str, Any]
) -> list[tuple[str, dict[str, Any]]]:
    import reference_cases as shared
    from reference import test_reference_values as known

    method = shared.METHODS.get(entry.get("ci_method", ""))
    ends = entry.get("ci")
    if method is None or ends is None or any(isinstance(end, str) for end in ends):
        return []
    asked = known._lookup(known._measured(path, ((measure["metric"], method),)), case, entry)
    if asked is None or asked["interval"] is None or asked["interval"]["method"] != method:
        return []
    low, high = ends
    if measure["metric"] in PROPORTIONS | {"roc_auc"}:
        low, high = max(low, 0.0), min(high, 1.0)
    requirement = "R6" if measure["metric"] in PROPORTIONS else "R7"
    return [(method, {**answer, "method": method, "low": low, "high": high,
                      "requirement": requirement})]  # fmt: skip


def _requirement(measure: dict[str, Any]) -> str:
    if measure["metric"] in SCORES:
        return "R4"
    return "R5" if measure["average"] is not None or measure["label"] is None else "R3"


def _case(
    name: str,
    spec: dict[str, Any],
    data: dict[str, Any] | None,
    plain: list[dict[str, Any]],
    limits: list[tuple[str, dict[str, Any]]],
) -> dict[str, Any]:
    """A case with as few runs as its methods need: one run has one method for each metric."""
    runs: list[dict[str, Any]] = [{"methods": {}, "answers": _once(plain)}]
    for method, answer in limits:
        metric = answer["of"]["metric"]
        for run in runs[1:]:
            if run["methods"].get(metric, method) == method:
                break
        else:
            run = {"methods": {}, "answers": []}
            runs.append(run)
        run["methods"][metric] = method
        run["answers"].append(answer)
    for run in runs:
        run["answers"].sort(key=lambda answer: answer["requirement"])
    return {"id": name, "spec": spec, "columns": data, "runs": [r for r in runs if r["answers"]]}


def _once(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A value that a case gives beside several limits is asked for once."""
    found: dict[str, dict[str, Any]] = {}
    for answer in answers:
        found.setdefault(json.dumps([answer["of"], answer.get("value")]), answer)
    return list(found.values())


def _printed(name: str, counts: list[list[int]], metrics: list[str]) -> dict[str, Any]:
    return {
        "evalreport": 1,
        "title": name,
        "datasets": {"d": {"table": {"labels": ["no", "yes"], "counts": counts}}},
        "models": {"m": {"prediction": "predicted"}},
        "positive": {"label": "yes"},
        "metrics": metrics,
    }


def _newcombe(x: int, n: int) -> dict[str, Any]:
    """A published share as recall: x of n actual positives found, one negative beside them."""
    import reference_cases as shared

    case = shared.load(HERE / "cases" / "pub_newcombe_single.json")
    name = f"newcombe_{x}_of_{n}"
    limits = []
    for entry in case["expected"]:
        written = entry.get("ci_method", "")
        method = shared.METHODS.get(written) or MORE_METHODS.get(written)
        if (entry.get("params") or {}) != {"n": n, "x": x} or method is None:
            continue
        low, high = entry["ci"]
        if method == "jeffreys" and x in (0, n):
            continue  # at 0 of n the lower limit is 0 here, by the definition in the docs
        tolerance = entry.get("tol") or case.get("tolerance") or case["default_tol"]
        answer = {"of": {"metric": "recall"}, "source": f"Newcombe 1998; {entry['source']}",
                  "tolerance": {"abs": tolerance.get("abs", 0.0), "rel": tolerance.get("rel", 0.0)},
                  "method": method, "low": max(low, 0.0), "high": min(high, 1.0),
                  "requirement": "R6"}  # fmt: skip
        limits.append((method, answer))
    assert limits, name
    spec = _printed(name, [[1, 0], [n - x, x]], ["recall"])
    return _case(name, spec, None, [], limits)


def _by_hand() -> dict[str, Any]:
    """TP 87, FN 1, FP 10, TN 2: shares that anybody can divide."""
    values = {
        "accuracy": 89 / 100, "error_rate": 11 / 100, "recall": 87 / 88, "specificity": 2 / 12,
        "precision": 87 / 97, "npv": 2 / 3, "fpr": 10 / 12, "fnr": 1 / 88, "fdr": 10 / 97,
        "false_omission_rate": 1 / 3, "prevalence": 88 / 100, "predicted_prevalence": 97 / 100,
        "jaccard": 87 / 98, "f1": 174 / 185, "youden_j": 87 / 88 + 2 / 12 - 1,
        "detection_rate": 87 / 100, "balanced_accuracy": (87 / 88 + 2 / 12) / 2,
    }  # fmt: skip
    answers = [
        {"of": {"metric": name}, "value": value, "tolerance": {"abs": 1e-12, "rel": 0.0},
         "source": "worked by hand from TP 87, FN 1, FP 10, TN 2", "requirement": "R3"}
        for name, value in values.items()
    ]  # fmt: skip
    spec = _printed("by_hand", [[2, 10], [1, 87]], list(values))
    return _case("by_hand", spec, None, answers, [])


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    TARGET.write_text(cases_file(), encoding="utf-8")
