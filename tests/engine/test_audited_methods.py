"""What an audit of methods found: each was wrong, or silent, before."""

from __future__ import annotations

from typing import Any

import pytest

import evalreport
from evalreport.errors import SpecError
from evalreport.verify.recompute import recompute

ROWS = 76
FRAME = {
    "y": ["ill" if k % 2 else "well" for k in range(ROWS)],
    "p": ["ill" if (k * 7) % 11 < 5 else "well" for k in range(ROWS)],
    "site": ["A" if k < 36 else "B" for k in range(ROWS)],
    "w": [1 + k % 3 for k in range(ROWS)],
    "q": [f"p{k // 2}" for k in range(ROWS)],
}


def run(frames: dict[str, Any], **parts: Any) -> dict[str, Any]:
    spec = {"evalreport": 1, "title": "audited", "positive": {"label": "ill"}} | parts
    found = evalreport.run(spec, frames=frames).json
    assert recompute(found).problems == ()
    return dict(found)


@pytest.mark.parametrize(
    ("methods", "method"),
    [({}, "koopman"), ("classical", "log"), ({"impact_ratio": "miettinen_nurminen"},) * 2],
)
def test_an_impact_ratio_has_one_interval(methods: Any, method: Any) -> None:
    method = method if isinstance(method, str) else "miettinen_nurminen"
    found = run(
        {"d": FRAME},
        datasets={"d": {"target": "y"}},
        models={"a": {"prediction": "p"}},
        metrics=["impact_ratio"],
        subgroups=["site"],
        confidence={"methods": methods},
    )
    (measure,) = [m["interval"] for m in found["measures"] if m["interval"]]
    (category,) = [c["interval"] for i in found["impact"] for c in i["categories"] if c["interval"]]
    assert measure["method"] == category["method"] == method
    assert (measure["low"], measure["high"]) == (category["low"], category["high"])


@pytest.mark.parametrize("design", [{}, {"weight": "w"}, {"cluster": "q"}])
def test_the_highest_group_has_no_limits_of_its_ratio_to_itself(design: dict[str, str]) -> None:
    found = run(
        {"d": FRAME},
        datasets={"d": {"target": "y", **design}},
        models={"a": {"prediction": "p"}},
        metrics=["impact_ratio"],
        subgroups=["site"],
    )
    ratios = {m["value"] == 1.0: m["interval"] for m in found["measures"] if m["value"]}
    assert ratios[True] is None
    assert ratios[False] is not None


@pytest.mark.parametrize("others", ["same", "fewer"])
def test_shares_without_a_width_are_not_told_apart(others: str) -> None:
    found = ["ill"] * 6 + ["well"] * 6
    frame = {"y": found, "a": found, "q": [f"p{k // 2}" for k in range(12)]}
    second = dict(frame, a=["ill"] * (6 if others == "same" else 5) + ["well"] * 7)
    second["a"] = second["a"][:12]
    dataset = {"target": "y", "cluster": "q"}
    made = run(
        {"d": frame, "e": second},
        datasets={"d": dataset, "e": dataset},
        models={"a": {"prediction": "a"}},
        metrics=["recall"],
        confidence={"methods": {"recall": "wald"}},
        comparisons={"reference": {"dataset": "d"}},
    )
    (one,) = made["comparisons"]
    assert (one["p_value"], one["interval"], one["told_apart"]) == (None, None, False)
    assert made["failures"] == []


@pytest.mark.parametrize(
    ("metric", "average", "method"),
    [("precision", "macro", "delta_t"), ("roc_auc", "macro", "influence_t")],
)
def test_a_criterion_may_name_the_default_of_an_average(
    metric: str, average: str, method: str
) -> None:
    frame = {"y": list("aabbcc") * 5, "p": list("aabbca") * 5}
    scores = {c: [0.6 if p == c else 0.2 for p in frame["p"]] for c in "abc"}
    made = run(
        {"d": frame | scores},
        positive={"label": "a"},
        datasets={"d": {"target": "y"}},
        models={"m": {"scores": {c: c for c in "abc"}}},
        metrics=[metric],
        averaging=[average],
        acceptance=[
            {"metric": metric, "average": average, "at_least": 0.1, "bound": "lower",
             "method": method},
        ],
    )  # fmt: skip
    (one,) = made["acceptance"]
    assert (one["outcome"], one["limits"]["method"]) == ("pass", method)


def test_what_no_average_has_is_refused() -> None:
    criterion = {"metric": "precision", "average": "macro", "at_least": 0.1, "bound": "lower"}
    with pytest.raises(SpecError, match="macro precision has no interval method 'clopper_pearson'"):
        run(
            {"d": FRAME},
            datasets={"d": {"target": "y"}},
            models={"a": {"prediction": "p"}},
            metrics=["precision"],
            acceptance=[criterion | {"method": "clopper_pearson"}],
        )


def test_criteria_on_sets_of_labels_name_methods_too() -> None:
    frame = {"y": ["a;b", "b", "a", "", "a;b", "b"] * 4, "p": ["a", "b", "a;b", "", "b", "b"] * 4}
    asked = [
        {"metric": "hamming_loss", "at_most": 0.9, "bound": "upper", "method": "delta_t"},
        {"metric": "exact_match", "at_least": 0.01, "bound": "lower", "method": "clopper_pearson"},
        {"metric": "recall", "average": "macro", "at_least": 0.01, "bound": "lower",
         "method": "sandwich"},
        {"metric": "recall", "label": "a", "at_least": 0.01, "bound": "lower",
         "method": "clopper_pearson"},
    ]  # fmt: skip
    spec = {
        "evalreport": 1, "title": "sets", "datasets": {"d": {"target": {"list": "y"}}},
        "models": {"m": {"prediction": {"list": "p"}}},
        "metrics": ["hamming_loss", "exact_match", "recall"], "averaging": ["none", "macro"],
        "acceptance": asked,
    }  # fmt: skip
    made = evalreport.run(spec, frames={"d": frame}).json
    limits = [(one["outcome"], one["limits"]["method"]) for one in made["acceptance"]]
    assert limits == [("pass", one["method"]) for one in asked]


def test_a_method_that_a_value_has_not_is_said_to_be_none() -> None:
    frame = {"y": list("aabbcc") * 5, "p": list("aabbca") * 5}
    made = run(
        {"d": frame},
        positive={"label": "a"},
        datasets={"d": {"target": "y"}},
        models={"m": {"prediction": "p"}},
        metrics=["mcc"],
        confidence={"methods": {"mcc": "mover_jeffreys"}},
    )
    (mcc,) = made["measures"]
    assert mcc["interval"]["method"] == "delta_t"
    assert mcc["interval"]["why"].endswith("mover_jeffreys is no method of it")


@pytest.mark.parametrize("design", [{"weight": "w"}, {"cluster": "q"}])
def test_costs_lie_between_those_of_single_rows(design: dict[str, str]) -> None:
    frame = {name: values[:8] for name, values in FRAME.items()}
    frame["p"] = [*frame["y"][:7], "ill" if frame["y"][7] == "well" else "well"]
    made = run(
        {"d": frame},
        datasets={"d": {"target": "y", **design}},
        models={"a": {"prediction": "p"}},
        metrics=["expected_cost"],
        costs={"false_positive": 1, "false_negative": 5},
        confidence={"methods": "classical"},
    )
    (cost,) = made["measures"]
    assert 0 <= cost["interval"]["low"] <= cost["value"] <= cost["interval"]["high"] <= 5
