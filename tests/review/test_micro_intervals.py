"""The micro average of accuracy is the share of right rows, in its intervals too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evalreport
from evalreport.verify.recompute import recompute

N = 60
RNG = np.random.default_rng(5)
ACTUAL = RNG.integers(0, 3, N)
WRONG = RNG.random(N) < 0.3
PREDICTED = np.where(WRONG, (ACTUAL + 1) % 3, ACTUAL)
FRAME = {
    "y": ACTUAL.tolist(),
    "p": PREDICTED.tolist(),
    "w": RNG.choice([0.5, 1.0, 2.0], N).tolist(),
    "c": (np.arange(N) // 3).tolist(),
}


def _micro(metric: str, method: str | None = None, **dataset: str) -> Any:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", **dataset}},
        "models": {"m": {"prediction": "p"}},
        "metrics": [metric],
        "averaging": ["micro"],
        "confidence": {"methods": {metric: method} if method else {}},
    }
    return evalreport.run(spec, frames={"d": FRAME}).json["measures"][0]


def test_the_bootstrap_lies_around_the_value() -> None:
    """Percentiles of the share of right rows, so close to value -+ 2 standard errors."""
    right = 1 - WRONG.mean()
    error = np.sqrt(right * (1 - right) / N)
    m = _micro("accuracy", "bootstrap_percentile")
    assert m["value"] == pytest.approx(right)
    assert m["interval"]["low"] == pytest.approx(right - 1.96 * error, abs=0.02)
    assert m["interval"]["high"] == pytest.approx(right + 1.96 * error, abs=0.02)


EQUAL = ["recall", "precision", "f1", {"fbeta": {"beta": 2}}, {"fbeta": {"alpha": 0.2}}]
OTHER = ["jaccard", "specificity"]
#: Weights, clusters, and methods asked for accuracy: all follow it.
DESIGNS: list[dict[str, Any]] = [
    {},
    {"weight": "w"},
    {"cluster": "c"},
    {"weight": "w", "cluster": "c"},
    {"methods": {"accuracy": "clopper_pearson"}},
    {"methods": {"accuracy": "bootstrap_percentile"}},
    {"methods": {"accuracy": "sandwich"}},
]


def _made(metrics: list[Any], methods: dict[str, str], **dataset: Any) -> Any:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", **dataset}},
        "models": {"m": {"prediction": "p"}},
        "metrics": metrics,
        "averaging": ["micro"],
        "confidence": {"methods": methods},
    }
    return evalreport.run(spec, frames={"d": FRAME})


@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_where_micro_is_accuracy_it_has_its_interval(design: dict[str, Any]) -> None:
    dataset = dict(design)
    run = _made(["accuracy", *EQUAL, *OTHER], dataset.pop("methods", {}), **dataset)
    accuracy, *others = run.json["measures"]
    for micro in others[: len(EQUAL)]:
        assert micro["value"] == pytest.approx(accuracy["value"], abs=1e-12)
        ours, theirs = micro["interval"], accuracy["interval"]
        assert (ours["method"], ours["why"]) == (theirs["method"], theirs["why"])
        for limit in ("low", "high"):
            assert ours[limit] == pytest.approx(theirs[limit], abs=1e-12), micro["metric"]
    for other in others[len(EQUAL) :]:
        assert other["interval"]["low"] != pytest.approx(accuracy["interval"]["low"])
    assert recompute(run.json).problems == ()


def test_a_weighted_share_of_right_rows_rests_on_the_rows_worth_its_variance() -> None:
    right, weight = ~WRONG, np.array(FRAME["w"])
    share = float(np.sum(weight * right) / weight.sum())
    variance = N / (N - 1) * float(np.sum((weight * (right - share)) ** 2)) / weight.sum() ** 2
    found = _micro("f1", weight="w")["interval"]
    # few rows are wrong: on no more than the weights of all leave (Kish)
    assert found["method"] == "wilson_kish"
    kish = float(weight.sum() ** 2 / (weight**2).sum())
    assert found["n_effective"] == pytest.approx(min(share * (1 - share) / variance, kish))


def test_a_method_asked_for_the_average_itself_is_kept() -> None:
    assert _micro("f1", "bootstrap_percentile")["interval"]["method"] == "bootstrap_percentile"


def test_the_page_says_which_averages_are_accuracy() -> None:
    page = _made(["f1", "jaccard"], {}).to_html()
    assert page.count("Micro F1: with one label a row the same as accuracy.") == 1


def test_an_average_that_stands_on_the_page_by_another_name_has_no_cell() -> None:
    page = _made(["accuracy", "recall"], {}).to_html()
    assert page.count("Micro recall: with one label a row the same as accuracy.") == 1
    assert "micro, of all counts" not in page


def test_with_indeterminate_predictions_micro_is_not_accuracy() -> None:
    unclear = np.where(np.arange(N) % 10 == 0, "unclear", PREDICTED.astype(str)).tolist()
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", "indeterminate": ["unclear"]}},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["accuracy", "precision", "f1"],
        "averaging": ["micro"],
    }
    frame = {"y": ACTUAL.astype(str).tolist(), "p": unclear}
    run = evalreport.run(spec, frames={"d": frame})
    against = {m["metric"]: m for m in run.json["measures"] if m["indeterminate"] == "against"}
    assert against["precision"]["value"] > against["accuracy"]["value"]
    assert against["precision"]["interval"]["low"] > against["accuracy"]["interval"]["low"]
    assert "the same as accuracy" not in run.to_html()
    assert recompute(run.json).problems == ()


def test_the_error_rate_mirrors_it() -> None:
    right, wrong = _micro("accuracy", cluster="c"), _micro("error_rate", cluster="c")
    assert wrong["interval"]["low"] == pytest.approx(1 - right["interval"]["high"])
    assert wrong["interval"]["high"] == pytest.approx(1 - right["interval"]["low"])
