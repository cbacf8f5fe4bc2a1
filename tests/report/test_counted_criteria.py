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
            'FAILED</b> <span class="nb">1 of 2 limits for b</span>',
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


def _stamp(*limits: dict[str, Any], **more: Any) -> str:
    page = _page(*limits, **more)
    return page.split('id="h-verdict">')[1].split("</h2>")[0].replace('<span class="nb">', "")


ACCURATE = {"metric": "accuracy", "at_least": 0.6}


@pytest.mark.parametrize(
    ("limits", "more", "told"),
    [
        # a has 3/4 right, b 2/4, and c like a
        ([ACCURATE], {}, "1 of 1 limit for b"),
        (
            [ACCURATE],
            {"models": {name: {"prediction": p} for name, p in zip("abc", "aba", strict=True)}},
            "1 of 1 limit for b",
        ),
        (
            [ACCURATE],
            {"models": {name: {"prediction": p} for name, p in zip("abcd", "abab", strict=True)}},
            "1 of 1 limit for b and d",
        ),
        # a limit on a and another on b are not two of both
        (
            [{**ACCURATE, "at_least": 0.9, "model": "a"}, {**ACCURATE, "model": "b"}],
            {},
            "2 of 2 limits",
        ),
        # in group u both have 2 of 2 right; in v a has 1 of 2, b none
        (
            [{**ACCURATE, "subgroup": "each"}],
            {"subgroups": ["g"], "subgroup_minimum": 1},
            "1 of 1 limit, 2 of 4 outcomes",
        ),
        (
            [{**ACCURATE, "subgroup": "each"}],
            {
                "subgroups": ["g"],
                "subgroup_minimum": 1,
                "models": {"a": {"prediction": "a"}},
            },
            "1 of 1 limit, 1 of 2 groups",
        ),
    ],
)
def test_a_limit_that_some_fail_is_said_of_them_alone(
    limits: list[dict[str, Any]], more: dict[str, Any], told: str
) -> None:
    assert _stamp(*limits, **more).replace("</span>", "").split("</b> ")[1].strip() == told


def test_a_limit_failed_on_one_dataset_is_said_of_that_one() -> None:
    """Of the second dataset b has every row right."""
    right = {**FRAME, "b": FRAME["y"]}
    spec = {
        **SPEC,
        "datasets": {"d": {"target": "y"}, "e": {"target": "y"}},
        "models": {"b": {"prediction": "b"}},
        "acceptance": [ACCURATE],
    }
    page = evalreport.run(spec, frames={"d": FRAME, "e": right}).to_html()
    assert '<span class="nb">1 of 1 limit for b on d</span>' in page


def test_what_decided_is_farthest_from_its_limit_in_widths_of_its_interval() -> None:
    """Specificity of 1/2 lies 0.4 below, recall of 1 0.05 above, accuracy of 3/4 0.05 below."""
    one = {"models": {"a": SPEC["models"]["a"]}, "metrics": ["recall", "specificity", "accuracy"]}
    limits = [("accuracy", 0.8), ("specificity", 0.9)]
    page = _page(*({"metric": name, "at_least": limit} for name, limit in limits), **one)
    assert "Specificity 0.500 below 0.90; Accuracy 0.750 below 0.80." in page
    # both pass by 0.2, precision of 2/3 by the wider interval
    limits = [("accuracy", 0.55), ("precision", 0.4667)]
    one["metrics"] = ["accuracy", "precision"]
    page = _page(*({"metric": name, "at_least": limit} for name, limit in limits), **one)
    results = evalreport.run({**SPEC, **one}, frames={"d": FRAME})
    widths = {name: results[name].high - results[name].low for name in ("accuracy", "precision")}
    assert widths["precision"] > widths["accuracy"]
    closest = "Closest to failing, by its interval&#39;s width: "
    assert f"{closest}Precision, 0.667, required at least 0.4667." in page


def test_no_protocol_is_said_on_the_first_page() -> None:
    words = "No protocol fixed these limits beforehand."
    assert words in _page({"metric": "recall", "at_least": 0.5})
    assert words not in evalreport.run(SPEC, frames={"d": FRAME}).to_html()
