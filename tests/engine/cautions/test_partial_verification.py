"""Labels that are missing by what was predicted: the caution, its test, and the criteria."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import fisher_exact

import evalreport

CODE = "labels_missing_by_prediction"


def frame(seed: int, rates: tuple[float, float], rows: int = 800) -> dict[str, list[Any]]:
    """Rows of which a share has a label, by what was predicted: (negative, positive)."""
    rng = np.random.default_rng(seed)
    y = (rng.random(rows) < 0.2).astype(int)
    p = np.where(rng.random(rows) < 0.8, y, 1 - y)
    known = rng.random(rows) < np.where(p == 1, rates[1], rates[0])
    return {
        "y": [str(label) if seen else None for label, seen in zip(y, known, strict=True)],
        "p": p.astype(str).tolist(),
        "s": (0.2 + 0.6 * p).tolist(),
        "v": known.astype(int).tolist(),
    }


def results(data: dict[str, list[Any]], **more: Any) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "evalreport": 1,
        "title": "t",
        "datasets": {"d": {"target": "y", "missing": "exclude"}},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["recall", "precision", "accuracy"],
    }
    found: dict[str, Any] = evalreport.run(spec | more, frames={"d": data}).json
    return found


def told(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [c for c in found["cautions"] if c["code"] == CODE]


@pytest.mark.parametrize("seed", range(20))
def test_planted_bias_is_found_and_labels_missing_by_chance_are_not(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    low = float(rng.uniform(0.05, 0.6))
    assert told(results(frame(seed, (low, min(1.0, low + 0.35)))))
    assert told(results(frame(seed, (low, low)))) == []


def test_the_caution_has_the_test_and_its_numbers() -> None:
    data = frame(1, (0.2, 1.0))
    found = results(data)
    (caution,) = told(found)
    p, known = np.array(data["p"]), np.array(data["v"])
    cells = [[int(((p == k) & (known == v)).sum()) for v in (1, 0)] for k in ("0", "1")]
    exact = fisher_exact(cells)[1]
    assert caution["numbers"]["p_value"] == pytest.approx(max(exact, 5e-324), rel=1e-6)
    for k, (seen, unseen) in zip(("0", "1"), cells, strict=True):
        assert f"{k}: {seen} of {seen + unseen} have one" in caution["message"]


@pytest.mark.parametrize("model", [{"prediction": "p"}, {"score": "s"}])
def test_no_criterion_passes_unless_the_spec_says_how_rows_were_chosen(
    model: dict[str, str],
) -> None:
    data = frame(3, (0.1, 1.0))
    criteria = [
        {"metric": "recall", "at_least": 0.5},
        {"metric": "precision", "at_least": 0.3},
        {"metric": "recall", "at_least": 1.0},
    ]
    more: dict[str, Any] = {"models": {"m": model}, "acceptance": criteria}
    recall, precision, failed = results(data, **more)["acceptance"]
    assert recall["outcome"] == "not_evaluated"
    assert "does not state how rows were chosen" in recall["reason"]
    # among the rows predicted positive all have a label: nothing is spoilt
    assert precision["outcome"] == "pass"
    assert failed["outcome"] == "fail"
    design = {"verified": "v", "strata": ["predicted"]}
    said = results(data, **more, datasets={"d": {"target": "y", "sampling": design}})
    assert [one["outcome"] for one in said["acceptance"]] == ["pass", "pass", "fail"]
    assert told(said) == []
    biased = results(data, **more)["measures"][0]["value"]
    assert said["measures"][0]["value"] < biased - 0.15


def test_uneven_weights_and_enrichment_are_said() -> None:
    data = {"y": [0, 1] * 20, "p": [0, 1, 1, 1] * 10, "w": [1, 30] * 20}
    found = results(data, datasets={"d": {"target": "y", "weight": "w"}})
    (uneven,) = [c for c in found["cautions"] if c["code"] == "uneven_weights"]
    assert uneven["message"] == "The heaviest row weighs 30 times the lightest."
    case_control = {"d": {"target": "y", "sampling": "case_control"}}
    found = results(data, datasets=case_control)
    (enriched,) = [c for c in found["cautions"] if c["code"] == "enriched_sample"]
    message = "Values at the share of positives of the sample alone: Precision and Accuracy."
    assert (enriched["message"], enriched["severity"]) == (message, "warning")
    known = results(data, datasets=case_control, prevalence=[0.05])
    (enriched,) = [c for c in known["cautions"] if c["code"] == "enriched_sample"]
    assert (enriched["message"], enriched["severity"]) == (message, "note")
    scored = {"d": {"target": "y", "sampling": "case_control"}}
    data = {"y": [0, 1] * 20, "p": [0.2, 0.7, 0.6, 0.9] * 10}
    found = results(data, datasets=scored, models={"m": {"score": "p"}}, metrics=["net_benefit"])
    (enriched,) = [c for c in found["cautions"] if c["code"] == "enriched_sample"]
    assert enriched["message"].endswith("alone: Net benefit.")
