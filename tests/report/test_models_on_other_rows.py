"""Models of different datasets are not ranked as if they had been tested on the same rows."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from scipy import stats

import evalreport
from evalreport.report.terminal import headline_lines
from evalreport.spec.load import parse_spec

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
    assert "a on d1 found 4 and missed 1" in page


def test_a_criterion_is_of_a_model_on_a_dataset() -> None:
    # 0.9 and 0.6
    page = _page(acceptance=[{"metric": "accuracy", "at_least": 0.8}])
    assert "Accuracy of b on d2 0.600 below 0.80" in page
    assert 'FAILED</b> <span class="nb">1 of 1 limit for b on d2</span>' in page


def test_models_of_one_dataset_are_not_told_so() -> None:
    both = {name: {"prediction": "p"} for name in "ab"}
    page = _page(models=both)
    assert "do not rank them" not in page
    # those of equal value are both named
    assert re.search(
        r"Accuracy is 0\.900 \([^)]*\) for a on d1, 0\.900 \([^)]*\) for b on d1", page
    )


def _rows(right: int, wrong: int) -> dict[str, list[str]]:
    """Half of each class, and half of the mistakes (rounded up) in each."""
    missed = (wrong + 1) // 2
    half = (right + wrong) // 2
    said = ["yes"] * (half - missed) + ["no"] * missed
    return {
        "y": ["yes"] * half + ["no"] * half,
        "p": [*said, *["yes"] * (wrong - missed), *["no"] * (half - wrong + missed)],
    }


def _compared(right: tuple[int, int], **more: Any) -> evalreport.Results:
    """a on d1 and b on d2, each right in so many of 50 rows."""
    frames = {name: _rows(k, 50 - k) for name, k in zip(("d1", "d2"), right, strict=True)}
    return evalreport.run({**SPEC, "comparisons": {"reference": "a", **more}}, frames=frames)


def test_models_of_two_datasets_are_compared_as_independent_samples() -> None:
    found = _compared((45, 30))
    (record,) = found.records.comparisons
    assert (record.dataset, record.model) == ("d2", "b")
    assert (record.reference_dataset, record.reference) == ("d1", "a")
    assert not record.paired
    assert math.isclose(record.difference, 30 / 50 - 45 / 50)
    # confint_proportions_2indep of statsmodels, method "newcomb"
    assert math.isclose(record.interval.low, -0.4492992144065392, rel_tol=1e-9)
    assert math.isclose(record.interval.high, -0.1318908499247253, rel_tol=1e-9)
    # proportions_ztest of statsmodels: -0.3 over the root of 0.75 * 0.25 * 2 / 50
    assert math.isclose(record.statistic, -3.4641016151377553, rel_tol=1e-9)
    assert math.isclose(record.p_value, 0.0005320055051392477, rel_tol=1e-9)
    sentence = (
        "b on d2 is compared with a on d1, on different rows: a is better on Accuracy "
        "(b minus a −0.300, −0.449 to −0.132). A difference may come from the rows as well as "
        "from the models."
    )
    page = found.to_html()
    assert page.count(sentence) == 2  # on page one and where models are compared
    assert "do not rank them" not in page
    assert "of one model" not in page
    assert sentence in headline_lines(found.records)
    (caution,) = [c for c in found.records.cautions if c.code == "no_better_than_baseline"]
    assert caution.message == (
        "b is worse than a on d1 on accuracy: Accuracy −0.300 (−0.449 to −0.132; p = 0.00053); "
        "shown to be better on no metric."
    )
    assert not [c for c in found.records.cautions if c.code == "worse_on_other_rows"]


def test_the_model_is_named_where_it_is_the_better_one() -> None:
    lines = headline_lines(_compared((30, 45)).records)
    assert any(
        "b is better on Accuracy (b minus a +0.300, 0.132 to 0.449)" in line for line in lines
    )


def test_no_winner_is_named_where_no_difference_is_shown() -> None:
    # proportions_ztest of statsmodels: p 0.629
    (line,) = [x for x in headline_lines(_compared((40, 38)).records) if "different rows" in x]
    assert "on different rows: no difference was shown in 1 comparison." in line


def test_a_sentence_is_of_all_classes_and_of_the_first_pairs() -> None:
    good = {"y": list("xyz") * 10, "p": list("xyz") * 10}
    bad = {"y": list("xyz") * 10, "p": ["x"] * 30}
    frames = {"d1": good, "d2": bad, "d3": good, "d4": good, "d5": good}
    models = {
        "a": {"prediction": "p", "datasets": ["d1", "d3", "d4", "d5"]},
        "b": {"prediction": "p", "datasets": ["d2"]},
    }
    datasets = {name: {"target": "y"} for name in frames}
    more = {"datasets": datasets, "models": models, "metrics": ["f1"]}
    found = evalreport.run({**SPEC, **more, "comparisons": {"reference": "a"}}, frames=frames)
    *_, line = headline_lines(found.records)
    # F1 of b is 1 / 2 of x, 0 of y and z: 1 / 6 in the mean, for 1
    assert line.count("a is better on Macro F1 (b minus a −0.833, ") == 3
    assert "F1 of" not in line
    assert "1 further pair is compared in the same way." in line


def test_areas_on_different_rows_have_the_sum_of_their_variances() -> None:
    scores = {
        "d1": {"y": [1] * 4 + [0] * 4, "s": [0.9, 0.8, 0.7, 0.5, 0.6, 0.4, 0.3, 0.2]},
        "d2": {"y": [1] * 4 + [0] * 5, "s": [0.9, 0.6, 0.5, 0.2, 0.8, 0.7, 0.4, 0.3, 0.1]},
    }
    models = {m: {"score": "s", "datasets": [d]} for m, d in (("a", "d1"), ("b", "d2"))}
    named = {"roc_auc": "delong_unpaired"}
    asked = {"reference": "a", "tests": named, "methods": named}
    spec = {**SPEC, "models": models, "metrics": ["roc_auc"], "comparisons": asked}
    (record,) = evalreport.run(spec, frames=scores).records.comparisons
    # 15 of 16 and 12 of 20 pairs; DeLong: the variance of what each positive wins over their
    # number, and the same of the negatives. Wins of a: 1, 1, 1, 3/4 and 3/4, 1, 1, 1;
    # of b: 1, 3/5, 3/5, 1/5 and 1/4, 1/4, 3/4, 3/4, 1
    first = 2 * (3 * 0.0625**2 + 0.1875**2) / 3 / 4
    second = 2 * 0.4**2 / 3 / 4 + (2 * 0.35**2 + 2 * 0.15**2 + 0.4**2) / 4 / 5
    error = math.sqrt(first + second)
    df = (first + second) ** 2 / (first**2 / (8 - 1) + second**2 / (9 - 1))
    half = stats.t.ppf(0.975, df) * error
    assert math.isclose(record.difference, 12 / 20 - 15 / 16)
    assert math.isclose(record.statistic, (12 / 20 - 15 / 16) / error)
    assert math.isclose(record.interval.low, -0.3375 - half)
    assert math.isclose(record.interval.high, -0.3375 + half)


def test_methods_of_two_samples_are_no_remark() -> None:
    def remarks(method: str) -> list[str]:
        asked = {"reference": "a", "methods": {"accuracy": method}}
        text = json.dumps({**SPEC, "comparisons": asked})
        return [str(note) for note in parse_spec(text, frames=FRAMES).notes]

    assert not remarks("newcombe_hybrid")
    (remark,) = remarks("tango")
    assert "tango compares two models on the same rows: accuracy will have none" in remark


def test_a_model_may_have_the_name_of_a_dataset() -> None:
    models = {
        "d1": {"prediction": "p", "datasets": ["d1"]},
        "b": {"prediction": "p", "datasets": ["d2"]},
    }
    spec = {**SPEC, "models": models, "comparisons": {"reference": "d1"}}
    page = evalreport.run(spec, frames=FRAMES).to_html()
    assert "b on d2 is compared with d1 on d1, on different rows" in page
    # 6 of 10 and 9 of 10 stand beside their difference
    assert "Differences of ◆ b, d2 from ● d1, d1" in page
    assert re.search(r">0\.600.{,400}>0\.900.{,400}>−0\.300", page, re.DOTALL)
