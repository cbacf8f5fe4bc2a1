"""The first page names the group of each row, the worst of all groups, and what it leaves out."""

from __future__ import annotations

from typing import Any

import pytest
from plain_results import render_html
from report.html_page import Element, parse
from scipy.stats import chi2_contingency

from evalreport.api import run

#: Of 20 ill persons of each kind so many are found: men at b fare worst, 10 of 20.
FOUND = {("f", "a"): 18, ("f", "b"): 14, ("m", "a"): 18, ("m", "b"): 10}


def _first(spec: dict[str, Any], frames: dict[str, Any]) -> Element:
    page = parse(render_html(run({"evalreport": 1, **spec}, frames=frames).json))
    return next(s for s in page.all("section") if s.attrs["id"] == "verdict")


@pytest.fixture(scope="module")
def screened() -> Element:
    """Recall by sex, by site and by both, with a limit on each group and one on all rows."""
    rows = [
        (sex, site, "ill", "ill" if k < found else "well")
        for (sex, site), found in FOUND.items()
        for k in range(20)
    ]
    rows += [(sex, site, "well", "well") for sex, site in FOUND for _ in range(20)]
    columns = dict(zip(("sex", "site", "y", "p"), map(list, zip(*rows, strict=True)), strict=True))
    spec = {
        "datasets": {"d": {"target": "y"}},
        "positive": {"label": "ill"},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["recall"],
        "subgroups": ["sex", "site", ["sex", "site"]],
        "acceptance": [
            {"metric": "recall", "at_least": 0.2, "bound": "lower"},
            {"metric": "recall", "at_least": 0.2, "bound": "lower", "subgroup": "each"},
        ],
    }
    return _first(spec, {"d": columns})


def test_the_worst_group_may_be_a_crossed_one(screened: Element) -> None:
    """Men are found 28 times of 40, at b 24 of 40, men at b 10 of 20: the least of 8 groups."""
    told = next(dd.text for dd in screened.all("dd") if "10 of 20" in dd.text)
    assert told.startswith("sex m · site b: Recall 0.500, 10 of 20 (")


@pytest.mark.parametrize(("least", "title"), [(10, "Worst group"), (16, "Lowest group")])
def test_a_group_is_the_worst_where_groups_are_shown_to_differ(least: int, title: str) -> None:
    """Of 20 ill at each site 19 and 10 are found, p 0.0012 by scipy, or 19 and 16, p 0.15."""
    found = {"a": 19, "b": least}
    rows = [
        (site, "ill", "ill" if k < n else "well") for site, n in found.items() for k in range(20)
    ]
    rows += [(site, "well", "well") for site in found for _ in range(20)]
    p = chi2_contingency([[n, 20 - n] for n in found.values()], correction=False).pvalue
    assert (p < 0.05) == (least == 10)
    columns = dict(zip(("site", "y", "p"), map(list, zip(*rows, strict=True)), strict=True))
    spec = {
        "datasets": {"d": {"target": "y"}},
        "positive": {"label": "ill"},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["recall"],
        "subgroups": ["site"],
    }
    first = _first(spec, {"d": columns})
    assert f"{title}. site b: Recall {least / 20:.3f}, {least} of 20" in first.text
    assert ("No group difference is shown in Recall." in first.text) == (p > 0.05)


def test_a_difference_by_another_metric_is_not_denied() -> None:
    """Sites are alike in recall, 18 and 17 of 20 (p 0.63); of 20 well 0 and 12 are alarms."""
    found, alarms = {"a": 18, "b": 17}, {"a": 0, "b": 12}
    rows = [(s, "ill", "ill" if k < n else "well") for s, n in found.items() for k in range(20)]
    rows += [(s, "well", "ill" if k < n else "well") for s, n in alarms.items() for k in range(20)]
    p_values = [
        chi2_contingency([[n, 20 - n] for n in of.values()], correction=False).pvalue
        for of in (found, alarms)
    ]
    assert p_values[0] > 0.05 > p_values[1]
    columns = dict(zip(("site", "y", "p"), map(list, zip(*rows, strict=True)), strict=True))
    spec = {
        "datasets": {"d": {"target": "y"}},
        "positive": {"label": "ill"},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["recall", "specificity"],
        "subgroups": ["site"],
    }
    told = "No group difference is shown in Recall; Specificity differs, uncorrected (Subgroups)."
    assert told in _first(spec, {"d": columns}).text


def _by_light(metrics: list[str]) -> Element:
    """2 of 40 are positive at dim, where nearly all pairs are won, and 20 of 40 at lit."""
    dim = [(0, k / 100) for k in range(38)] + [(1, 0.345), (1, 0.355)]
    lit = [(0, k / 100) for k in range(20, 40)] + [(1, k / 100 + 0.075) for k in range(20, 40)]
    rows = [("dim", *row) for row in dim] + [("lit", *row) for row in lit]
    frame = dict(zip(("light", "y", "s"), map(list, zip(*rows, strict=True)), strict=True))
    spec = {
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"score": "s"}},
        "metrics": metrics,
        "subgroups": ["light"],
        "subgroup_minimum": 1,
        "about": {"primary_metric": "Average precision"},
    }
    return _first(spec, {"d": frame})


def test_groups_are_not_ranked_by_what_rests_on_how_many_are_positive() -> None:
    told = next(
        d.all("dd")[0].text
        for d in _by_light(["average_precision", "precision", "roc_auc"]).all("div")
        if d.all("dt") and d.all("dt")[0].text.startswith("Lowest group")
    )
    assert told.startswith("light lit: ROC AUC ")


def test_no_group_is_called_the_worst_where_no_metric_compares_groups() -> None:
    assert "Worst group" not in _by_light(["average_precision", "accuracy"]).text


def test_an_area_of_few_positives_is_too_few_and_no_widest_gap() -> None:
    """Of 200 masses at a 100 are ill, of 40 at b 20, of 104 at c 4: of those all pairs are lost."""
    rows = [("a", k % 2, (k % 2) / 2 + (k % 7) / 10) for k in range(200)]
    rows += [("b", k % 2, (k % 3) / 3) for k in range(40)]
    rows += [("c", 0, 0.5)] * 100 + [("c", 1, 0.1)] * 4
    frame = dict(zip(("site", "y", "s"), map(list, zip(*rows, strict=True)), strict=True))
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"score": "s"}},
        "metrics": ["roc_auc"],
        "subgroups": ["site"],
        "about": {"unit": "mass", "positive_means": "ill"},
    }
    page = parse(render_html(run(spec, frames={"d": frame}).json))
    told = page.all("section")[0].text
    assert "Too few to judge: site c, 4 ill masses." in told
    gaps = next(t for t in page.all("table") if t.text.strip().startswith("Gaps by site"))
    cells = [td.text for td in gaps.all("td")]
    assert not any(cell.startswith("c, ") and "too few" not in cell for cell in cells)
    assert cells[1].startswith(("a, ", "b, "))


def test_each_row_with_a_limit_on_a_group_names_its_group(screened: Element) -> None:
    table = next(t for t in screened.all("table") if "results" in t.attrs.get("class", "").split())
    named = [th.text.partition("TP ")[0].strip() for th in table.all("tbody")[0].all("th")]
    assert named == [
        "Recall",
        *(f"Recall, {group}" for group in ("sex f", "sex m", "site a", "site b")),
        *(f"Recall, sex {sex} · site {site}" for sex, site in list(FOUND)[:2]),
    ]


def test_best_first_is_within_each_dataset() -> None:
    """Recall 1 and 0.5 on the first, 1 and 0 on the second, of which one model has a place."""
    actual = ["no", "yes"] * 10
    half = ["no", "yes", "no", "no"] * 5
    frames = {
        "near": {"y": actual, "a": half, "b": actual},
        "far": {"y": actual, "a": actual, "b": ["no"] * 20},
    }
    spec = {
        "datasets": {name: {"target": "y"} for name in frames},
        "positive": {"label": "yes"},
        "models": {name: {"prediction": name} for name in "ab"},
        "metrics": ["recall"],
    }
    told = _first(spec, frames).text
    assert "3 of 4, best first by Recall within each dataset; b, far is in" in told


def test_criteria_that_the_results_show_in_part_stand_below_as_such() -> None:
    """One of two limits on a recall of 8 of 10 stands in the results; both are listed."""
    frame = {"y": ["yes"] * 10 + ["no"] * 10, "p": ["yes"] * 8 + ["no"] * 12}
    limits = [{"metric": "recall", "at_least": least} for least in (0.5, 0.9)]
    spec = {
        "datasets": {"d": {"target": "y"}},
        "positive": {"label": "yes"},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["recall", "specificity"],
        "acceptance": [*limits, {"metric": "specificity", "at_least": 0.5}],
    }
    first = _first(spec, {"d": frame})
    assert "≥ 0.90 and 1 more" in first.text
    listed = next(t for t in first.all("table") if "Acceptance criteria" in t.text)
    assert "that the results above do not show in full" in listed.text
    assert [td.text for td in listed.all("td") if "≥" in td.text] == ["≥ 0.90", "≥ 0.50"]


def test_bins_of_a_column_stand_in_their_order_and_in_words() -> None:
    # 2 of 4 ill are found under 50, all from 50 to 59, 3 of 4 from 60 on
    ages = [40] * 8 + [50] * 8 + [60] * 8
    found = [1, 1, 0, 0, 0, 0, 0, 0] + [1] * 4 + [0] * 4 + [1, 1, 1, 0] + [0] * 4
    rows = {"age": ages, "y": ([1] * 4 + [0] * 4) * 3, "p": found}
    spec = {
        "evalreport": 1, "title": "bins", "datasets": {"d": {"target": "y"}},
        "models": {"m": {"prediction": "p"}}, "metrics": ["recall"],
        "subgroups": [{"column": "age", "bins": [50, 60]}], "subgroup_minimum": 1,
    }  # fmt: skip
    page = parse(render_html(run(spec, frames={"d": rows}).json))
    strip = next(t for t in page.all("table") if "Metrics by age" in t.text)
    heads = [row.all("th")[0].text for row in strip.all("tbody")[0].all("tr")]
    assert heads == ["under 50", "50 to under 60", "60 and over"]
    assert "worst first" not in page.text.lower()


def test_rows_of_a_class_named_no_are_the_others() -> None:
    frame = {"y": ["yes"] * 10 + ["no"] * 12, "p": ["yes"] * 8 + ["no"] * 11 + ["yes"] * 3}
    spec = {
        "datasets": {"d": {"target": "y"}},
        "positive": {"label": "yes"},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["recall"],
    }
    said = "the model found 8 and missed 2, with 3 false alarms among 12 others."
    assert said in _first(spec, {"d": frame}).text


def test_sums_of_weights_are_not_called_rows() -> None:
    """Of 10 ill rows, with weights of 15 in all, 8 are found, with weights of 12."""
    frame = {
        "y": ["yes"] * 10 + ["no"] * 12,
        "p": ["yes"] * 8 + ["no"] * 11 + ["yes"] * 3,
        "w": [2, 1] * 11,
    }
    spec = {
        "datasets": {"d": {"target": "y", "weight": "w"}},
        "positive": {"label": "yes"},
        "models": {"m": {"prediction": "p"}},
        "metrics": ["recall"],
    }
    text = _first(spec, {"d": frame}).text
    assert "on 22 rows of d, 10 of them yes. Numbers of rows are unweighted; values" in text
    assert "In plain numbers" not in text
    assert "12 / 15" in text
