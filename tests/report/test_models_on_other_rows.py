"""Models of different datasets are not ranked as if they had been tested on the same rows."""

from __future__ import annotations

from typing import Any

import evalreport

#: 9 of 10 right in d1, 6 of 10 in d2.
FRAMES = {
    "d1": {"y": ["no"] * 5 + ["yes"] * 5, "p": ["no"] * 5 + ["yes"] * 4 + ["no"]},
    "d2": {"y": ["no"] * 5 + ["yes"] * 5, "p": ["no"] * 3 + ["yes"] * 5 + ["no"] * 2},
}
SPEC: dict[str, Any] = {
    "evalreport": 1,
    "datasets": {"d1": {"target": "y"}, "d2": {"target": "y"}},
    "models": {
        "a": {"prediction": "p", "datasets": ["d1"]},
        "b": {"prediction": "p", "datasets": ["d2"]},
    },
    "metrics": ["accuracy"],
}


def _page(**more: Any) -> str:
    return evalreport.run({**SPEC, **more}, frames=FRAMES).to_html()


def test_values_are_named_with_their_dataset_and_rank_no_model() -> None:
    page = _page()
    assert "0.900 (0.596 to 0.982) for a on d1 and 0.600 (0.313 to 0.832) for b on d2" in page
    assert "No two models were tested on the same dataset: their values do not rank them." in page
    assert "a on d1 finds 4 and misses 1" in page


def test_a_criterion_is_of_a_model_on_a_dataset() -> None:
    # 0.9 and 0.6
    page = _page(acceptance=[{"metric": "accuracy", "at_least": 0.8}])
    assert "Accuracy of b on d2, 0.600, required at least 0.80" in page
    assert "Verdict: 1 criterion for 2 models on 2 datasets: 1 failed and 1 passed" in page


def test_models_of_one_dataset_are_not_told_so() -> None:
    both = {name: {"prediction": "p"} for name in "ab"}
    page = _page(models=both)
    assert "do not rank them" not in page
    assert "for a on d1, 0.900" in page


def test_a_model_of_another_dataset_is_no_reference() -> None:
    results = evalreport.run({**SPEC, "comparisons": {"reference": "a"}}, frames=FRAMES)
    assert results.comparisons.empty
    assert "a is not evaluated on d2" in results.to_html()
