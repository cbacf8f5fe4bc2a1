"""The bootstrap of metrics of the actual class's own score: log loss and top-k accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evalreport

N = 60
RNG = np.random.default_rng(3)
ACTUAL = RNG.integers(0, 3, N)
LOGITS = RNG.normal(size=(N, 3))
LOGITS[np.arange(N), ACTUAL] += 1.0
SHARES = np.exp(LOGITS) / np.exp(LOGITS).sum(axis=1, keepdims=True)
FRAME = {
    "y": [("a", "b", "c")[k] for k in ACTUAL],
    "pa": SHARES[:, 0].tolist(),
    "pb": SHARES[:, 1].tolist(),
    "pc": SHARES[:, 2].tolist(),
    "w": RNG.choice([0.5, 1.0, 2.0], N).tolist(),
    "c": list(range(N)),
}


def _measure(metric: Any, method: str | None = None, **dataset: str) -> Any:
    name = metric if isinstance(metric, str) else next(iter(metric))
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", **dataset}},
        "models": {"m": {"scores": {"a": "pa", "b": "pb", "c": "pc"}}},
        "metrics": [metric],
        "confidence": {"methods": {name: method} if method else {}},
    }
    return evalreport.run(spec, frames={"d": FRAME}).json["measures"][0]


@pytest.mark.parametrize(
    "row",
    [
        ("log_loss", -np.log(SHARES[np.arange(N), ACTUAL])),
        (
            {"top_k_accuracy": {"k": 2}},
            (SHARES.argmin(axis=1) != ACTUAL).astype(float),
        ),
    ],
)
@pytest.mark.parametrize("dataset", [{}, {"cluster": "c"}])
def test_percentiles_lie_two_standard_errors_around_the_mean(row: Any, dataset: Any) -> None:
    """Both are means over rows; every row its own cluster changes nothing but the name."""
    metric, values = row
    m = _measure(metric, "bootstrap_percentile", **dataset)
    error = values.std(ddof=1) / np.sqrt(N)
    assert m["value"] == pytest.approx(values.mean())
    assert m["interval"]["method"] in ("bootstrap_percentile", "cluster_bootstrap")
    assert m["interval"]["low"] == pytest.approx(values.mean() - 1.96 * error, abs=0.35 * error)
    assert m["interval"]["high"] == pytest.approx(values.mean() + 1.96 * error, abs=0.35 * error)


def test_weighted_rows_have_the_interval_of_what_their_variance_is_worth() -> None:
    m = _measure({"top_k_accuracy": {"k": 2}}, "wilson_n_eff", weight="w")
    weight, hit = np.asarray(FRAME["w"]), SHARES.argmin(axis=1) != ACTUAL
    p = weight[hit].sum() / weight.sum()
    variance = N / (N - 1) * (weight**2 * (hit - p) ** 2).sum() / weight.sum() ** 2
    effective = p * (1 - p) / variance
    assert m["interval"]["method"] == "wilson_n_eff"
    assert m["interval"]["n_effective"] == pytest.approx(effective)
    assert m["interval"]["low"] < m["value"] < m["interval"]["high"]
