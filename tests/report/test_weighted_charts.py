"""Charts of weighted rows say what they draw: weights, and shares of these."""

from __future__ import annotations

import evalreport

ROWS = {
    "y": ["ill"] * 4 + ["well"] * 12,
    "p": [0.9, 0.8, 0.6, 0.3, 0.7, 0.5, 0.45, 0.4, 0.35, 0.25, 0.2, 0.15, 0.1, 0.08, 0.05, 0.02],
    "w": [3.5] * 4 + [0.5] * 12,
}


def page(**dataset: str) -> str:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", **dataset}},
        "positive": {"label": "ill"},
        "models": {"m": {"score": "p"}},
        "metrics": ["roc_auc", "average_precision"],
    }
    return evalreport.run(spec, frames={"d": ROWS}).to_html()


def test_guessing_and_bars_are_of_weights() -> None:
    plain, weighted = page(), page(weight="w")
    # 4 of 16 rows, and 14 of a weight of 20
    assert ">0.250</text>" in plain
    assert ">0.700</text>" in weighted
    assert ">0.250</text>" not in weighted
    assert "Bars are rows, on one scale." in plain
    assert "Bars are weights, on one scale." in weighted
    assert "weight 14" in weighted
