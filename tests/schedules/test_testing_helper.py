"""The assertion for a model's own tests, and MLflow with a stand-in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from schedules.weekly_runs import audit, results
from verify.whole_results import holding

from evalreport.errors import FilesError, SpecError, UsageError
from evalreport.results.codec import decode
from evalreport.testing import assert_accepts
from evalreport.tracking import log_run, metrics_of

ROWS = {"y": ["ill"] * 10 + ["well"] * 10, "s": [0.9] * 8 + [0.2] * 12}


def spec(*criteria: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "positive": {"label": "ill"},
        "models": {"m": {"score": "s"}},
        "metrics": ["recall"],
        "confidence": {"resamples": 20},
        "acceptance": list(criteria),
        **more,
    }


def test_what_passes_gives_the_results() -> None:
    found = assert_accepts(spec({"metric": "recall", "at_least": 0.8}), frames={"d": ROWS})
    assert found.accepted
    assert found.json["measures"][0]["substituted"] == "8 / (8 + 2)"


def test_what_fails_is_told_with_its_counts() -> None:
    asked = spec(
        {"metric": "recall", "at_least": 0.9},
        {"metric": "specificity", "at_least": 1},
        {"metric": "recall", "at_least": 0.7, "bound": "lower"},
    )
    with pytest.raises(AssertionError) as caught:
        assert_accepts(asked, frames={"d": ROWS})
    lines = [line for line in str(caught.value).splitlines() if not line.startswith("    ")]
    assert lines[0] == "2 of 3 criteria did not pass:"
    assert lines[1].endswith("fail, observed 0.8 = 8 / (8 + 2), required 0.9")
    # Wilson, 8 of 10
    assert "lower limit of recall >= 0.7 (d, m, threshold 0.5): fail, observed 0.49016" in lines[2]


def test_what_cannot_be_evaluated_is_no_pass() -> None:
    rows = {"y": ["ill"] * 5, "s": [0.9] * 5}
    asked = spec({"metric": "specificity", "at_least": 0.5})
    asked["datasets"]["d"]["labels"] = ["well", "ill"]
    with pytest.raises(AssertionError, match="not evaluated, undefined"):
        assert_accepts(asked, frames={"d": rows})


def test_a_spec_that_asks_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="accepts anything"):
        assert_accepts(spec(), frames={"d": ROWS})
    with pytest.raises(SpecError):
        assert_accepts({"evalreport": 1}, frames={"d": ROWS})


def test_overrides() -> None:
    asked = spec({"metric": "recall", "at_least": 0.9})
    assert_accepts(asked, frames={"d": ROWS}, overrides=("thresholds=[0.1]",))


class Client:
    def __init__(self) -> None:
        self.calls: dict[str, Any] = {}

    def log_metrics(self, metrics: dict[str, float]) -> None:
        self.calls["metrics"] = metrics

    def set_tags(self, tags: dict[str, str]) -> None:
        self.calls["tags"] = tags

    def log_artifacts(self, folder: str, artifact_path: str) -> None:
        self.calls["artifacts"] = (folder, artifact_path)


def test_mlflow(tmp_path: Path) -> None:
    audit(tmp_path, (40, 10, 10, 90), 1)
    run, client = tmp_path / "runs" / "latest", Client()
    logged = log_run(run, client)
    assert client.calls["metrics"] == logged == metrics_of(decode(results(run)))
    assert logged["week/model/recall/ill/at 0.5"] == 0.8
    assert logged["week/model/recall/ill/at 0.5.low"] == pytest.approx(0.66963, abs=1e-5)
    tags = client.calls["tags"]
    assert tags["evalreport.accepted"] == "true"
    assert tags["evalreport.run"] == run.resolve().name
    assert client.calls["artifacts"] == (str(run), "evalreport")
    with pytest.raises(FilesError):
        log_run(tmp_path, client)


def test_mlflow_names_stay_apart() -> None:
    base = {
        "dataset": "d",
        "model": "m",
        "metric": "recall",
        "params": {},
        "average": None,
        "threshold": None,
        "threshold_rule": None,
        "subgroup": {},
        "fold": None,
        "state": "value",
        "reason": None,
        "interval": None,
        "n": 10,
        "table": None,
        "formula": "",
        "substituted": "",
    }
    named = [{**base, "id": "m1", "label": "ä", "value": 0.1}]
    named += [{**base, "id": "m2", "label": "ö", "value": 0.2}]
    found = metrics_of(decode(holding(measures=named)))
    assert found == {"d/m/recall/_": 0.1, "d/m/recall/_ 2": 0.2}


def test_mlflow_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    audit(tmp_path, (40, 10, 10, 90), 1)
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(UsageError, match=r"evalreport\[mlflow\]"):
        log_run(tmp_path / "runs" / "latest")
