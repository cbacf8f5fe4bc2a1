"""A criterion may name the method of its limit, which is planned, judged, said and verified."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binomtest

import evalreport
from evalreport.cli import status_of
from evalreport.verify.recompute import recompute

#: 88 of 90 found.
FOUND = {"labels": ["ill", "well"], "counts": [[88, 2], [9, 71]]}


def spec(*criteria: dict[str, Any], table: dict[str, Any] = FOUND, **more: Any) -> dict[str, Any]:
    return {
        "evalreport": 1, "title": "criteria", "datasets": {"d": {"table": table}},
        "positive": {"label": "ill"}, "models": {"m": {"prediction": "predicted"}},
        "metrics": ["recall", "lr_plus"], "acceptance": list(criteria), **more,
    }  # fmt: skip


def recall(**more: Any) -> dict[str, Any]:
    return {"metric": "recall", "at_least": 0.9, "bound": "lower", **more}


def test_the_limit_is_that_of_the_named_method() -> None:
    asked = spec(
        recall(method="clopper_pearson"),
        recall(),
        {"metric": "recall", "at_most": 0.999, "bound": "upper", "method": "clopper_pearson"},
    )
    results = evalreport.run(asked).json
    exact, own, upper = results["acceptance"]
    known = binomtest(88, 90).proportion_ci(method="exact")
    assert (exact["limits"]["low"], exact["limits"]["high"]) == pytest.approx(known)
    assert exact["limits"]["method"] == "clopper_pearson"
    assert exact["observed"] == exact["limits"]["low"]
    assert exact["text"] == "lower limit of recall >= 0.9 by clopper_pearson"
    assert upper["observed"] == pytest.approx(known.high)
    measure = next(m for m in results["measures"] if m["metric"] == "recall")
    assert measure["interval"]["method"] == "wilson"
    assert own["observed"] == measure["interval"]["low"] != exact["observed"]
    assert "limits" not in own
    assert [c["outcome"] for c in results["acceptance"]] == ["pass"] * 3


def test_the_outcome_is_by_that_limit() -> None:
    """15 of 148: lower limits of Wilson .0624, of Clopper and Pearson .0578 (Newcombe 1998)."""
    table = {"labels": ["ill", "well"], "counts": [[15, 133], [9, 71]]}
    both = [recall(at_least=0.06), recall(at_least=0.06, method="clopper_pearson")]
    found = evalreport.run(spec(*both, table=table)).json["acceptance"]
    assert [round(c["observed"], 4) for c in found] == [0.0624, 0.0578]
    assert [c["outcome"] for c in found] == ["pass", "fail"]


def test_it_is_planned_said_and_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "spec.yaml"
    lines = ["truth,said", *88 * ["ill,ill"], *2 * ["ill,well"], *9 * ["well,ill"]]
    (tmp_path / "rows.csv").write_text("\n".join([*lines, *71 * ["well,well"]]))
    asked = spec(recall(method="clopper_pearson"), models={"m": {"prediction": "said"}})
    asked["datasets"] = {"d": {"path": "rows.csv", "target": "truth"}}
    path.write_text(json.dumps(asked))
    assert status_of(["plan", str(path)]) == 0
    assert "lower limit of recall >= 0.9 by clopper_pearson" in capsys.readouterr().out
    runs = tmp_path / "runs"
    assert status_of(["run", str(path), "-o", str(runs), "--quiet", "--formats", "html"]) == 0
    page = (runs / "latest" / "report.html").read_text()
    assert "lower limit by Clopper-Pearson 0.922" in page
    assert status_of(["verify", str(runs / "latest")]) == 0
    results = json.loads((runs / "latest" / "results.json").read_text())
    assert recompute(results).problems == ()
    forged = json.loads(json.dumps(results))
    entry = forged["acceptance"][0]
    entry["limits"]["low"] = entry["observed"] = 0.93
    assert any("limits" in str(problem) for problem in recompute(forged).problems)


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        (recall(method="clopper_peerson"), "did you mean 'clopper_pearson'?"),
        (recall(method="mover_clusters"), "recall has no interval method 'mover_clusters'"),
        (recall(method="cluster_robust_t"), "of independent rows; one of wilson, clopper_pearson"),
        (recall(method="wald", bound="point"), "a method, and no limit is judged"),
        (
            {"metric": "recall", "reference": {"run": "r"}, "bound": "lower", "method": "wald"},
            "the limit of a difference has methods of its own",
        ),
    ],
)
def test_what_does_not_fit_is_a_mistake(criterion: dict[str, Any], message: str) -> None:
    with pytest.raises(evalreport.SpecError) as refused:
        evalreport.run(spec(criterion))
    assert message in str(refused.value)


def test_a_method_that_gives_no_limits_is_not_evaluated() -> None:
    """A cell of 0 has no logarithm."""
    criterion = {"metric": "lr_minus", "at_most": 0.2, "bound": "upper", "method": "log"}
    asked = spec(criterion, table={"labels": ["ill", "well"], "counts": [[90, 0], [9, 71]]})
    (entry,) = evalreport.run(asked).json["acceptance"]
    assert (entry["outcome"], entry["observed"]) == ("not_evaluated", None)
    assert "log method gives no limits" in entry["reason"]


def test_an_area_is_judged_by_the_limit_that_is_named() -> None:
    frames = {"d": {"y": [1] * 9 + [0] * 11, "s": [k % 7 / 7 + 0.3 * (k < 9) for k in range(20)]}}
    asked = {
        "evalreport": 1, "title": "area", "datasets": {"d": {"target": "y"}},
        "models": {"m": {"score": "s"}}, "metrics": ["roc_auc"],
        "acceptance": [
            {"metric": "roc_auc", "at_least": 0.2, "bound": "lower", "method": name}
            for name in ("delong", "classical", "hanley_mcneil")
        ],
    }  # fmt: skip
    results = evalreport.run(asked, frames=frames).json
    delong, classical, hanley = results["acceptance"]
    assert delong["limits"]["method"] == classical["limits"]["method"] == "delong"
    assert delong["observed"] == classical["observed"] != hanley["observed"]
    assert recompute(results).problems == ()


def test_limits_of_looks_have_no_other_method() -> None:
    with pytest.raises(evalreport.SpecError, match="limits of looks and of means over readers"):
        evalreport.run(spec(recall(method="wald"), looks={"planned": 3}))
