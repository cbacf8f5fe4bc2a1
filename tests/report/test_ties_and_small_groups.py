"""Equals are named as equals, few rows as few, and n counts the rows of a group."""

from __future__ import annotations

from typing import Any

from plain_results import render_html
from ready_specs import CONFIGS, results_of
from report.html_page import Element, parse

import evalreport


def _page(columns: dict[str, list[Any]], **more: Any) -> Element:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"prediction": "p"}},
        **more,
    }
    return parse(evalreport.run(spec, frames={"d": columns}).to_html())


def _table(page: Element, caption: str) -> Element:
    return next(t for t in page.all("table") for c in t.all("caption") if caption in c.text)


def _rows(page: Element, caption: str) -> list[list[str]]:
    return [[c.text for c in tr.all() if c.tag in {"th", "td"}]
            for tr in _table(page, caption).all("tbody")[0].all("tr")]  # fmt: skip


def test_classes_that_are_confused_equally_often_are_both_named() -> None:
    """Of 50 apes 4 are called bats, of 50 bats 4 apes: no pair is the most often confused one."""
    frame = {
        "y": ["ape"] * 50 + ["bat"] * 50 + ["cat"] * 50,
        "p": ["ape"] * 46 + ["bat"] * 50 + ["ape"] * 4 + ["cat"] * 50,
    }
    whole = _page(frame, metrics=["accuracy", "recall"])
    pairs = [row[:3] for row in _rows(whole, "Most frequent confusions")]
    assert pairs == [["ape", "bat", "4"], ["bat", "ape", "4"]]
    page = whole.text
    assert "of 50 rows of ape it found 46 (92.0" in page
    assert "called 4 bat; of bat it found the same share." in page


def test_limits_of_a_gap_that_held_too_rarely_are_marked() -> None:
    """Of the mean squared error of 169 small masses such limits held in 52 % of the samples."""
    results = results_of(next(path for path in CONFIGS if path.stem == "breast_cancer"))
    found = {
        gap["gap"]: gap["gap_interval"]["held"]
        for gap in results["subgroup_gaps"]
        if gap["gap_interval"] and gap["gap_interval"].get("held", 1.0) < 0.93
    }
    assert len(found) == 2
    page = parse(render_html(results))
    marked = [row for row in _rows(page, "Gaps by size band") if "†" in row[5]]
    assert [row[0] for row in marked] == ["Brier score"]
    assert "† Such limits held in fewer than 93 % of the samples studied." in page.text


def test_models_stand_best_first_in_sweeps_and_comparisons() -> None:
    """The second model of the spec is the better one."""
    frame = {
        "y": [0, 0, 0, 0, 1, 1, 1, 1] * 5,
        "worse": [0.1, 0.6, 0.7, 0.2, 0.3, 0.6, 0.9, 0.8] * 5,
        "better": [0.1, 0.2, 0.3, 0.2, 0.7, 0.6, 0.9, 0.8] * 5,
        "base": [0.5, 0.6, 0.7, 0.2, 0.3, 0.4, 0.9, 0.8] * 5,
    }
    models = {name: {"score": name} for name in ("base", "worse", "better")}
    page = _page(frame, models=models, positive={"label": "1"}, metrics=["accuracy", "recall"],
                 comparisons={"reference": "base"})  # fmt: skip
    sweeps = [c.text.split()[-1] for c in page.all("caption") if "Threshold sweep" in c.text]
    assert sweeps[:2] == ["better", "worse"]
    compared = [row[1] for row in _rows(page, "Differences from")]
    assert [name.split()[-1] for name in dict.fromkeys(compared)] == ["better", "worse"]


def test_of_groups_that_are_alike_none_is_the_worst() -> None:
    """Four of five ill are found at both sites; specificity is 1 at the first and 0.8 at the other,
    where 20 are well."""
    ill, well = ["ill"] * 5, ["well"] * 20
    found = ["ill"] * 4 + ["well"]
    frame = {
        "site": ["a"] * 25 + ["b"] * 25,
        "y": (ill + well) * 2,
        "p": found + well + found + ["well"] * 16 + ["ill"] * 4,
    }
    page = _page(frame, positive={"label": "ill"}, metrics=["recall", "specificity"],
                 subgroups=["site"])  # fmt: skip
    recall, specificity = _rows(page, "Gaps by site")
    assert recall[3] == "–"
    assert specificity[3] == "b, 16 / 20"


def test_the_group_of_the_widest_gap_says_that_its_share_is_of_few_rows() -> None:
    """Of 4 ill at the small site 1 is found, of 40 at the large one 30; all sites have 30 well."""
    frame = {
        "site": ["small"] * 34 + ["large"] * 70,
        "y": ["ill"] * 4 + ["well"] * 30 + ["ill"] * 40 + ["well"] * 30,
        "p": ["ill"] + ["well"] * 33 + ["ill"] * 30 + ["well"] * 40,
    }
    page = _page(frame, positive={"label": "ill"}, metrics=["recall"], subgroups=["site"])
    (recall,) = _rows(page, "Gaps by site")
    assert recall[2:4] == ["small, 1 / 4, too few"] * 2
    assert recall[4] == "−0.500"


def test_each_way_of_counting_indeterminate_rows_has_its_gap_and_its_worst_group() -> None:
    """Of 10 ill: at a 8 found, 1 missed, 1 unclear; at b 5 found, 5 missed. Counted for, recall is
    0.9 and 0.5; counted against, 0.8 and 0.5."""
    frame = {
        "site": ["a"] * 20 + ["b"] * 20,
        "y": (["ill"] * 10 + ["well"] * 10) * 2,
        "p": ["ill"] * 8 + ["well"] + ["unclear"] + ["well"] * 10 + ["ill"] * 5 + ["well"] * 15,
    }
    data = {"d": {"target": "y", "indeterminate": ["unclear"]}}
    page = _page(frame, datasets=data, positive={"label": "ill"}, metrics=["recall"],
                 subgroups=["site"])  # fmt: skip
    rows = _rows(page, "Gaps by site")
    assert [row[0] for row in rows] == [
        "Recall, indeterminate counted for", "Recall, indeterminate counted against"
    ]  # fmt: skip
    assert all(row[3] == "b, 5 / 10" for row in rows)
    assert sorted(row[4].lstrip("+−") for row in rows) == ["0.300", "0.400"]


def test_n_beside_metrics_of_label_sets_counts_the_rows_of_the_group() -> None:
    """Four of the ten rows of each group have no label, actual or predicted: their Jaccard index
    is undefined, and the rows are counted all the same: of 20 pairs of a row and a label 9 are
    actual, and all of them predicted."""
    frame = {
        "g": ["one"] * 10 + ["two"] * 10,
        "a": ([1] * 6 + [0] * 4) * 2,
        "b": ([0, 1] * 3 + [0] * 4) * 2,
    }
    labels = {"a": "a", "b": "b"}
    names = ["hamming_loss", "exact_match", "recall", "precision", "example_jaccard", "f1"]
    page = _page(
        {**frame, "pa": frame["a"], "pb": frame["b"]},
        datasets={"d": {"target": {"labels": labels}}},
        models={"m": {"prediction": {"labels": {"a": "pa", "b": "pb"}}}},
        metrics=names,
        averaging=["none", "micro"],
        subgroups=["g"],
    )
    assert {tuple(row[2:6]) for row in _rows(page, "Metrics by g")} == {("11", "0", "0", "9")}
    # labels are no classes, and those that columns hold are declared
    lines = _rows(page, "Each label by itself")
    assert [line[0] for line in lines] == ["a", "b", "micro, of all counts"]
    # both groups together
    assert lines[-1][1:5] == ["22", "0", "0", "18"]
    first = next(s.text for s in page.all("section") if s.attrs["id"] == "verdict")
    assert "classes" not in first
    assert "not declared" not in first


def test_one_row_is_a_row() -> None:
    groups = ["F"] * 4 + ["M"] * 3 + ["X"]
    actual = ["a", "b", "a", "c", "b", "a", "a", "b"]
    found = evalreport.run(
        {
            "evalreport": 1,
            "datasets": {"d": {"target": "y"}},
            "models": {"m": {"scores": {"a": "pa", "b": "pb", "c": "pc"}}},
            "metrics": ["accuracy"],
            "subgroups": ["g"],
        },
        frames={
            "d": {"y": actual, "g": groups, "pa": [0.5] * 8, "pb": [0.25] * 8, "pc": [0.25] * 8}
        },
    ).to_html()
    assert "1 rows" not in found
    assert "g X, 1 row;" in found or "g X, 1 row." in found
