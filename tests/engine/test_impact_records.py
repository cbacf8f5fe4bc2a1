"""Impact ratios end to end: the example of New York City's rule, through run, report and check."""

from __future__ import annotations

import copy
from typing import Any

import jsonschema
import pytest
from plain_results import build

import evalreport
from evalreport.report.model import TableBlock, Text
from evalreport.results.codec import results_schema
from evalreport.verify.recompute import recompute

SEX = {"Male": (50, 92), "Female": (34, 76)}
RACE = {
    "Hispanic": (18, 28),
    "White": (15, 40),
    "Black": (16, 32),
    "Native Hawaiian or Pacific Islander": (5, 8),
    "Asian": (10, 24),
}


def people(column: str, counts: dict[str, tuple[int, int]]) -> dict[str, list[Any]]:
    """One row a person, ``score`` 0.9 of the selected, 0.1 of the others; targets alternate."""
    rows: dict[str, list[Any]] = {column: [], "score": [], "hired": []}
    for name, (selected, n) in counts.items():
        for k in range(n):
            rows[column].append(name)
            rows["score"].append(0.9 if k < selected else 0.1)
            rows["hired"].append("yes" if k % 2 else "no")
    return rows


def run(rows: dict[str, list[Any]], *subgroups: Any, **more: Any) -> dict[str, Any]:
    spec = {
        "evalreport": 1,
        "title": "selection",
        "datasets": {"d": {"target": "hired"}},
        "models": {"m": {"score": "score"}},
        "metrics": ["selection_rate", "impact_ratio"],
        "subgroups": list(subgroups),
        **more,
    }
    return evalreport.run(spec, frames={"d": rows}).json


@pytest.mark.parametrize(
    ("counts", "ratios"),
    [(SEX, [0.82, 1.00]), (RACE, [0.65, 0.78, 1.00, 0.97, 0.58])],
)
def test_the_tables_of_the_rule(counts: dict[str, tuple[int, int]], ratios: list[float]) -> None:
    results = run(people("category", counts), "category")
    selection, scoring = results["impact"]
    assert (selection["kind"], selection["columns"]) == ("selection", ["category"])
    assert [round(c["impact_ratio"], 2) for c in selection["categories"]] == ratios
    for c in selection["categories"]:
        selected, n = counts[c["subgroup"]["category"]]
        assert (c["selected"], c["n"], c["selection_rate"]) == (selected, n, selected / n)
        table = next(t for t in results["tables"] if t["id"] == c["table"])
        assert [sum(column) for column in zip(*table["counts"], strict=True)][1] == selected
    # half of the sexes are selected: the median lies between the scores
    assert scoring["kind"] == "scoring"
    assert scoring["median"] == (0.5 if counts is SEX else 0.1)
    assert [c["selected"] for c in scoring["categories"]] == [
        c["selected"] for c in selection["categories"]
    ]
    of_metric = [m["value"] for m in results["measures"] if m["metric"] == "impact_ratio"]
    assert [v for v in of_metric if v is not None] == [
        c["impact_ratio"] for c in selection["categories"]
    ]
    jsonschema.validate(results, results_schema())
    assert recompute(results).problems == ()


def test_the_scoring_rate_counts_rows_strictly_above_the_median_of_all() -> None:
    rows = {
        "sex": ["F", "F", "M", "M", "M", ""],
        "score": [0.1, 0.9, 0.5, 0.7, 0.5, 0.2],
        "hired": ["no", "yes", "no", "yes", "no", "yes"],
    }
    scoring = run(rows, "sex")["impact"][1]
    assert scoring["median"] == 0.5
    found = {c["subgroup"]["sex"]: (c["selected"], c["n"]) for c in scoring["categories"]}
    assert found == {"F": (1, 2), "M": (1, 3), "(missing)": (0, 1)}


def test_crossings_unknowns_and_bounds() -> None:
    rows = people("sex", {**SEX, "": (3, 10), "Not stated": (1, 2)})
    rows["race"] = ["A", "B"] * 90
    results = run(rows, "sex", ["sex", "race"], impact={"unknown": ["Not stated"]})
    by_sex = results["impact"][0]
    assert by_sex["unknown"] == 12
    of = {c["subgroup"]["sex"]: c for c in by_sex["categories"]}
    assert [of[name]["unknown"] for name in ("(missing)", "Not stated", "Female")] == [
        True, True, False,
    ]  # fmt: skip
    assert of["(missing)"]["n"] == 10
    assert of["Not stated"]["selection_rate"] is None
    assert of["Not stated"]["under_two_percent"]
    bounds = of["Female"]["bounds"]
    assert bounds["unknown"] == 12
    assert bounds["not_selected"]["selection_rate"] == 34 / 88
    assert bounds["selected"]["impact_ratio"] == pytest.approx((46 / 88) / (50 / 92))
    crossed = results["impact"][2]
    assert crossed["columns"] == ["sex", "race"]
    assert sum(c["n"] for c in crossed["categories"]) == 180
    assert sum(c["n"] for c in crossed["categories"] if c["unknown"]) == 12
    undefined = [
        m for m in results["measures"]
        if m["metric"] == "impact_ratio" and m["subgroup"] == {"sex": "Not stated"}
    ]  # fmt: skip
    assert "not known" in undefined[0]["reason"]
    assert recompute(results).problems == ()


def test_small_categories_are_flagged_or_left_out_when_asked() -> None:
    rows = people("race", {"A": (50, 100), "B": (30, 100), "C": (2, 2)})
    flagged = {c["subgroup"]["race"]: c for c in run(rows, "race")["impact"][0]["categories"]}
    assert flagged["C"]["under_two_percent"]
    assert flagged["C"]["highest"]
    results = run(rows, "race", impact={"smallest_share": 0.02})
    a, b, c = results["impact"][0]["categories"]
    assert (a["impact_ratio"], b["impact_ratio"], c["impact_ratio"]) == (1.0, 0.6, None)
    assert (c["n"], c["selection_rate"], c["reason"]) == (2, 1.0, "fewer than 2 % of the rows")
    assert b["below_four_fifths"]
    of_metric = {
        m["subgroup"].get("race"): m["value"]
        for m in results["measures"]
        if m["metric"] == "impact_ratio"
    }
    assert of_metric == {None: None, "A": 1.0, "B": 0.6, "C": None}
    assert recompute(results).problems == ()


def test_weighted_and_clustered_rows_have_neither_interval_nor_test() -> None:
    rows = people("sex", SEX)
    rows["w"] = [2.0] * 168
    rows["person"] = [str(k // 2) for k in range(168)]
    for role, column in (("weight", "w"), ("cluster", "person")):
        results = run(rows, "sex", datasets={"d": {"target": "hired", role: column}})
        selection = results["impact"][0]
        female = selection["categories"][0]
        assert round(female["impact_ratio"], 2) == 0.82
        assert (female["interval"], female["p_value"]) == (None, None)
        assert "no interval" in selection["interval_reason"]
        assert recompute(results).problems == ()


@pytest.mark.parametrize(
    "change",
    [
        {"selected": 35},
        {"n": 77},
        {"selection_rate": 0.5},
        {"impact_ratio": 0.9},
        {"share_of_rows": 0.4},
        {"below_four_fifths": True},
        {"under_two_percent": True},
        {"rows": 75},
        {"interval": {"level": 0.95, "low": 0.7, "high": 1.2, "method": "log"}},
        {"interval": {"level": 0.95, "low": 0.7, "high": 1.2, "method": "koopman"}},
    ],
)
def test_a_changed_number_is_found(change: dict[str, Any]) -> None:
    results = copy.deepcopy(run(people("sex", {**SEX, "": (3, 10)}), "sex"))
    assert recompute(results).problems == ()
    female = next(
        c for c in results["impact"][0]["categories"] if c["subgroup"] == {"sex": "Female"}
    )
    female.update(change)
    assert any("impact[0] " in str(p) for p in recompute(results).problems)


def test_changed_bounds_and_a_changed_number_of_unknown_are_found() -> None:
    results = copy.deepcopy(run(people("sex", {**SEX, "": (3, 10)}), "sex"))
    bounded = [c for c in results["impact"][0]["categories"] if c["bounds"]]
    bounded[0]["bounds"]["selected"]["impact_ratio"] = 0.5
    results["impact"][1]["unknown"] = 11
    told = [str(p) for p in recompute(results).problems]
    assert any("bounds.selected.impact_ratio is 0.5" in one for one in told)
    assert any(one.startswith("impact[1] ") and "unknown is 11" in one for one in told)


@pytest.mark.long_but_first
@pytest.mark.parametrize("template", ["standard", "audit"])
def test_the_report_prints_every_rate_beside_its_counts(template: str) -> None:
    results = run(people("sex", {**SEX, "": (3, 10)}), "sex")
    section = next(s for s in build(results, template).sections if s.id == "subgroups")
    tables = [
        b for b in section.blocks if isinstance(b, TableBlock) and "impact ratios" in b.caption
    ]
    assert len(tables) == 2
    lines = {row.cells[0].split(",")[0]: row.cells for row in tables[0].lines}
    assert lines["Female"][1:5] == ("34 / 76", "42.7\N{NARROW NO-BREAK SPACE}%", "0.447", "0.823")
    assert lines["Male"][5] == "highest"
    assert lines["(missing)"][1] == "3 / 10"
    assert "10 rows of unknown category" in tables[0].notes[0]
    assert lines["Male"][1] == "50 / 92"


def test_only_the_audit_shows_ratios_that_nobody_asked_for() -> None:
    results = run(people("sex", SEX), "sex", metrics=["recall"])
    assert results["impact"]

    def shown(template: str) -> bool:
        blocks = [b for s in build(results, template).sections for b in s.blocks]
        return any("impact ratios" in b.caption for b in blocks if isinstance(b, TableBlock))

    assert shown("audit")
    assert not shown("standard")


@pytest.mark.long
def test_a_subgroup_of_few_rows_is_said_to_have_too_few() -> None:
    rows = people("race", {"A": (50, 100), "C": (2, 9), "D": (2, 10)})
    results = run(rows, "race", metrics=["recall"])
    few = {m["subgroup"]["race"]: m.get("few") for m in results["measures"] if m["subgroup"]}
    assert few == {"A": None, "C": True, "D": None}
    section = next(s for s in build(results).sections if s.id == "subgroups")
    tables = [b for b in section.blocks if isinstance(b, TableBlock)]
    strip = next(b for b in tables if "plain" not in b.style)
    value = {m["subgroup"].get("race"): m["value"] for m in results["measures"]}
    assert value["D"] < value["C"] < value["A"]
    # D has ten rows, and recall is a share of fewer of them
    heads = [line.cells[0].text for line in strip.lines]
    assert heads == ["D, small n", "C, small n", "A"]
    texts = [b.text for b in section.blocks if isinstance(b, Text)]
    assert any("fewer than 10 rows" in text for text in texts)
