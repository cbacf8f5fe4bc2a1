"""The first page shows the best models first and says how many it leaves to the sections."""

from __future__ import annotations

import numpy as np
from plain_results import render_html
from report.html_page import parse
from sklearn.metrics import roc_auc_score

from evalreport.api import run

ACTUAL = np.array(["no", "yes"] * 20)
#: How many of the 20 positives score above all negatives: the others score below all.
WON = {"even": 10, "poor": 2, "fair": 14, "best": 20, "good": 17, "bad": 0, "late": 13}


def _scores(won: int) -> list[float]:
    scores = np.full(40, 0.5)
    scores[1::2] = np.where(np.arange(20) < won, 0.9, 0.1)
    return scores.tolist()


def _page(names: list[str], **more: object) -> tuple[str, list[str]]:
    """The sentences of the first page, and the models of its table in their order."""
    frame = {"y": ACTUAL.tolist(), **{name: _scores(WON[name]) for name in names}}
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {name: {"score": name} for name in names},
        "metrics": ["recall", "roc_auc"],
    }
    root = parse(render_html(run(spec | more, frames={"d": frame}).json))
    first = next(s for s in root.all("section") if s.attrs["id"] == "verdict")
    lines = next(t for t in first.all("table") if "ROC AUC" in t.text).all("tr")
    begin = next(k for k, line in enumerate(lines) if "ROC AUC" in line.text)
    cells = [cell.text for line in lines[begin:] for cell in line.all("td")]
    shown = [n for text in cells for n in names if text.split()[-1:] == [n]]
    return first.text, list(dict.fromkeys(shown))


def test_seven_models_are_shown_best_first_by_the_primary_metric() -> None:
    """The area is the share of positives that win: 1, 0.85 and 0.7; the spec has 0.5 first."""
    areas = {name: roc_auc_score(ACTUAL == "yes", _scores(won)) for name, won in WON.items()}
    assert areas == {name: won / 20 for name, won in WON.items()}
    text, shown = _page(list(WON), about={"primary_metric": "ROC AUC"})
    assert shown == ["best", "good", "fair"]
    assert "3 of 7, best first by ROC AUC; even, poor, bad and late stand in the sections" in text


def test_ties_in_the_first_metric_are_ordered_by_the_next() -> None:
    """At 0.05 every row is called positive, so recall is 1 throughout."""
    text, shown = _page(["poor", "even", "good"], thresholds=[0.05])
    assert shown == ["good", "even", "poor"]
    assert "best first" not in text


def test_models_left_out_are_named_where_they_are_few() -> None:
    text, _ = _page(["poor", "even", "fair", "best", "good"])
    assert "3 of 5, best first by Recall; poor and even stand in" in text
