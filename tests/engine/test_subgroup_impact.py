"""Selection rates and impact ratios by the rule's own example, and by hand."""

from __future__ import annotations

import math
from math import comb

import numpy as np
import pytest

from evalreport.engine.impact import (
    Selection,
    highest,
    impact_measure,
    impact_ratios,
    scoring_rates,
    selections_at,
)
from evalreport.engine.memory import MemoryTables
from evalreport.predict.view import View

SEX = {"Male": (50, 92), "Female": (34, 76)}
RACE = {
    "Hispanic": (18, 28),
    "White": (15, 40),
    "Black": (16, 32),
    "Native Hawaiian or Pacific Islander": (5, 8),
    "Asian": (10, 24),
}


def groups(column: str, counts: dict[str, tuple[float, float]]) -> list[Selection]:
    return [Selection(((column, name),), x, n) for name, (x, n) in counts.items()]


@pytest.mark.parametrize(
    ("counts", "ratios"),
    [(SEX, [1.00, 0.82]), (RACE, [1.00, 0.58, 0.78, 0.97, 0.65])],
)
def test_the_example_of_the_rule(
    counts: dict[str, tuple[float, float]], ratios: list[float]
) -> None:
    found = impact_ratios(groups("category", counts), 0.95)
    assert [round(r["impact_ratio"], 2) for r in found] == ratios
    assert [r["highest"] for r in found] == [ratio == 1.0 for ratio in ratios]
    assert [r["selection_rate"] for r in found] == [x / n for x, n in counts.values()]


def test_four_fifths_interval_and_test_against_the_highest_group() -> None:
    found = {r["subgroup"]["race"]: r for r in impact_ratios(groups("race", RACE), 0.95)}
    assert [name for name, r in found.items() if r["below_four_fifths"]] == [
        "White",
        "Black",
        "Asian",
    ]
    white = found["White"]
    ratio = (15 / 40) / (18 / 28)
    assert math.isclose(white["impact_ratio"], ratio)
    error = math.sqrt(1 / 15 - 1 / 40 + 1 / 18 - 1 / 28)
    assert math.isclose(white["interval"]["low"], ratio * math.exp(-1.959963984540054 * error))
    assert white["interval"]["method"] == "log"
    # all tables with these margins that are no likelier, in whole numbers
    ways = [comb(40, k) * comb(28, 33 - k) for k in range(5, 34)]
    observed = comb(40, 15) * comb(28, 18)
    by_definition = sum(w for w in ways if w <= observed) / comb(68, 33)
    assert white["p_value"] == pytest.approx(by_definition, rel=1e-12)
    assert found["Hispanic"]["interval"] is None
    assert found["Native Hawaiian or Pacific Islander"]["small"]
    assert not white["small"]


def test_unknown_categories_are_counted_and_bound_the_others() -> None:
    counted = groups("sex", {**SEX, "(missing)": (3, 10)})
    male, female, unknown = impact_ratios(counted, 0.95)
    assert unknown["n"] == 10
    assert unknown["selection_rate"] is None
    assert unknown["impact_ratio"] is None
    assert "not known" in unknown["reason"]
    assert round(female["impact_ratio"], 2) == 0.82
    bounds = female["bounds"]
    assert bounds["not_selected"]["selection_rate"] == 34 / 86
    assert bounds["selected"]["selection_rate"] == 44 / 86
    assert math.isclose(bounds["selected"]["impact_ratio"], (44 / 86) / (50 / 92))
    # male as not selected: 50 / 102 is still above 34 / 76
    assert male["bounds"]["not_selected"]["impact_ratio"] == 1.0


def test_a_category_below_two_percent_is_left_out_with_its_number_and_rate() -> None:
    counted = groups("race", {"A": (50, 100), "B": (30, 100), "C": (2, 2)})
    a, b, c = impact_ratios(counted, 0.95, smallest_share=0.02)
    assert c["impact_ratio"] is None
    assert (c["n"], c["selection_rate"], c["reason"]) == (2, 1.0, "fewer than 2 % of the rows")
    assert (a["impact_ratio"], b["impact_ratio"]) == (1.0, 0.6)
    assert [r["highest"] for r in impact_ratios(counted, 0.95)] == [False, False, True]


def test_nobody_selected_is_undefined_and_not_zero() -> None:
    found = impact_ratios(groups("sex", {"M": (0, 5), "F": (0, 7)}), 0.95)
    assert [r["impact_ratio"] for r in found] == [None, None]
    assert all("0 / 0" in r["reason"] for r in found)
    assert [r["selection_rate"] for r in found] == [0.0, 0.0]


def test_a_group_of_which_nobody_is_selected_has_a_ratio_of_zero() -> None:
    found = impact_ratios(groups("sex", {"M": (3, 5), "F": (0, 7)}), 0.95)
    assert found[1]["impact_ratio"] == 0.0
    assert found[1]["below_four_fifths"]
    assert found[1]["interval"] is None


def test_the_highest_of_equals_is_the_first_and_unknown_is_never_it() -> None:
    counted = groups("sex", {"(missing)": (9, 9), "M": (1, 2), "F": (2, 4)})
    top = highest(counted)
    assert top is not None
    assert dict(top.group) == {"sex": "M"}


# -- from a model's rows ------------------------------------------------------------------------


def view(weight: np.ndarray | None = None) -> View:
    return View(
        "d", "m", "score", ("no", "yes"), 1, np.array([0, 1, 0, 1, 0, 1]), np.arange(6),
        score=np.array([0.1, 0.9, 0.5, 0.7, 0.5, 0.2]), weight=weight,
        groups={
            "sex": (np.array([0, 0, 1, 1, 1, 2]), ("F", "M", "(missing)")),
            "site": (np.array([0, 1, 0, 0, 1, 1]), ("x", "y")),
        },
    )  # fmt: skip


def test_selected_rows_are_counted_by_group_and_crossing() -> None:
    tables = MemoryTables(view())
    by_sex = selections_at(tables, ["sex"], 0.5)
    assert [(dict(s.group)["sex"], s.selected, s.n) for s in by_sex] == [
        ("F", 1, 2),
        ("M", 3, 3),
        ("(missing)", 0, 1),
    ]
    crossed = selections_at(tables, ["sex", "site"], 0.6)
    assert [(tuple(dict(s.group).values()), s.selected, s.n) for s in crossed] == [
        (("F", "x"), 0, 1),
        (("F", "y"), 1, 1),
        (("M", "x"), 1, 2),
        (("M", "y"), 0, 1),
        (("(missing)", "y"), 0, 1),
    ]
    assert crossed[-1].unknown


def test_scoring_rate_is_strictly_above_the_median_of_everybody() -> None:
    found = scoring_rates(MemoryTables(view()), ["sex"])
    assert found is not None
    # scores .1 .2 .5 .5 .7 .9, the row of unknown sex among them
    assert found.median == 0.5
    assert [(s.selected, s.n) for s in found.selections] == [(1, 2), (1, 3), (0, 1)]


def test_weighted_rows_count_their_weight_and_get_no_interval() -> None:
    tables = MemoryTables(view(np.array([2.0, 1, 1, 1, 1, 4])))
    selections = selections_at(tables, ["sex"], 0.5)
    assert [(s.selected, s.n, s.rows) for s in selections] == [(1, 3, 2), (3, 3, 3), (0, 4, 1)]
    female = impact_ratios(selections, 0.95, weighted=True)[0]
    assert female["impact_ratio"] == 1 / 3
    assert female["interval"] is None
    assert female["p_value"] is None
    found = scoring_rates(tables, ["sex"])
    assert found is not None
    # weights below or at .2: 6 of 10
    assert found.median == 0.2


def test_the_record_as_a_measure_holds_rate_over_highest_rate() -> None:
    tables = MemoryTables(view())
    records = impact_ratios(selections_at(tables, ["sex"], 0.5), 0.95)
    measures = [
        impact_measure(
            r,
            measure_id=f"m{i}",
            view=tables.view,
            threshold=0.5,
            threshold_rule=None,
            table=f"t{i}",
        )
        for i, r in enumerate(records)
    ]
    female, _, unknown = (m.as_json() for m in measures)
    assert female["metric"] == "impact_ratio"
    assert female["subgroup"] == {"sex": "F"}
    assert female["substituted"] == "(1 / 2) / (3 / 3)"
    assert (female["numerator"], female["denominator"], female["value"]) == (0.5, 1.0, 0.5)
    assert (unknown["state"], unknown["value"]) == ("undefined", None)
    assert "not known" in unknown["reason"]
