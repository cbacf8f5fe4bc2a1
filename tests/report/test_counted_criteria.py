"""The first page counts the criteria of the spec, not each time that one is judged."""

from __future__ import annotations

from typing import Any

import pytest

import evalreport

#: Model a has 3 of 4 right (recall 1, specificity 1/2), b has 2 of 4 right (recall 1/2).
FRAME = {
    "y": ["no", "no", "yes", "yes"],
    "a": ["no", "yes", "yes", "yes"],
    "b": ["no", "yes", "yes", "no"],
    "g": ["u", "v", "u", "v"],
}
SPEC: dict[str, Any] = {
    "evalreport": 1,
    "datasets": {"d": {"target": "y"}},
    "positive": {"label": "yes"},
    "models": {"a": {"prediction": "a"}, "b": {"prediction": "b"}},
    "metrics": ["recall", "accuracy"],
}


def _page(*limits: dict[str, Any], **more: Any) -> str:
    return evalreport.run(
        {**SPEC, "acceptance": list(limits), **more}, frames={"d": FRAME}
    ).to_html()


@pytest.mark.parametrize(
    ("limits", "verdict"),
    [
        # 1 and 1/2; 3/4 and 2/4
        (
            [("recall", 0.5), ("accuracy", 0.4)],
            'PASSED</b> <span class="nb">2 of 2 limits,</span> <span class="nb">both models</span>',
        ),
        (
            [("recall", 0.5), ("accuracy", 0.6)],
            'FAILED</b> <span class="nb">1 of 2 limits,</span> <span class="nb">both models</span>',
        ),
        (
            [("accuracy", 0.9)],
            'FAILED</b> <span class="nb">1 of 1 limit,</span> <span class="nb">both models</span>',
        ),
    ],
)
def test_criteria_of_several_models(limits: list[tuple[str, float]], verdict: str) -> None:
    page = _page(*({"metric": name, "at_least": limit} for name, limit in limits))
    assert verdict in page


def test_criteria_of_one_model_and_of_groups() -> None:
    one = {"models": {"a": SPEC["models"]["a"]}}
    recall = {"metric": "recall", "at_least": 0.5}
    assert 'PASSED</b> <span class="nb">1 of 1 limit<' in _page(recall, **one)
    both = _page(recall, {"metric": "accuracy", "at_least": 0.9}, **one)
    assert 'FAILED</b> <span class="nb">1 of 2 limits<' in both
    # a finds the one positive of u and that of v
    groups = {"subgroups": ["g"], "subgroup_minimum": 1}
    grouped = _page({**recall, "subgroup": "each"}, **one, **groups)
    assert 'PASSED</b> <span class="nb">1 of 1 limit<' in grouped


def test_no_protocol_is_said_on_the_first_page() -> None:
    words = "No protocol fixed these limits before the results were seen."
    assert words in _page({"metric": "recall", "at_least": 0.5})
    assert words not in evalreport.run(SPEC, frames={"d": FRAME}).to_html()
