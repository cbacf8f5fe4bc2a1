"""Selection rates and impact ratios by the rule's own example, and by hand."""

from __future__ import annotations

import math
from math import comb

import numpy as np
import pytest

from evalreport.engine.counting.classification import ClassificationTable
from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.intervals.impact import (
    Selection,
    highest,
    impact_ratios,
    median,
    scored_above,
    selection,
)
from evalreport.engine.settings import ImpactRule
from evalreport.metrics.tables import ScoreTable
from evalreport.predict.view import LabelView
from evalreport.results.identity import EVERYTHING, Slice

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
    assert [round(r.impact_ratio, 2) for r in found] == ratios
    assert [r.highest for r in found] == [ratio == 1.0 for ratio in ratios]
    assert [r.selection_rate for r in found] == [x / n for x, n in counts.values()]


def test_four_fifths_interval_and_test_against_the_highest_group() -> None:
    found = {r.subgroup["race"]: r for r in impact_ratios(groups("race", RACE), 0.95)}
    assert [name for name, r in found.items() if r.below_four_fifths] == [
        "White",
        "Black",
        "Asian",
    ]
    white = found["White"]
    ratio = (15 / 40) / (18 / 28)
    assert math.isclose(white.impact_ratio, ratio)
    # statsmodels 0.14, confint_proportions_2indep(compare="ratio", method="score",
    # correction=False)
    assert white.interval.low == pytest.approx(0.35447852887029696)
    assert white.interval.high == pytest.approx(0.9472622635464816)
    assert white.interval.method == "koopman"
    # all tables with these margins that are no likelier, in whole numbers
    ways = [comb(40, k) * comb(28, 33 - k) for k in range(5, 34)]
    observed = comb(40, 15) * comb(28, 18)
    by_definition = sum(w for w in ways if w <= observed) / comb(68, 33)
    assert white.p_value == pytest.approx(by_definition, rel=1e-12)
    assert found["Hispanic"].interval is None
    assert found["Native Hawaiian or Pacific Islander"].small
    assert not white.small


def test_unknown_categories_are_counted_and_bound_the_others() -> None:
    counted = groups("sex", {**SEX, "(missing)": (3, 10)})
    male, female, unknown = impact_ratios(counted, 0.95)
    assert unknown.n == 10
    assert unknown.selection_rate is None
    assert unknown.impact_ratio is None
    assert "not known" in unknown.reason
    assert round(female.impact_ratio, 2) == 0.82
    bounds = female.bounds
    assert bounds.not_selected.selection_rate == 34 / 86
    assert bounds.selected.selection_rate == 44 / 86
    assert math.isclose(bounds.selected.impact_ratio, (44 / 86) / (50 / 92))
    # male as not selected: 50 / 102 is still above 34 / 76
    assert male.bounds.not_selected.impact_ratio == 1.0


def test_a_category_below_two_percent_is_left_out_with_its_number_and_rate() -> None:
    counted = groups("race", {"A": (50, 100), "B": (30, 100), "C": (2, 2)})
    a, b, c = impact_ratios(counted, 0.95, rule=ImpactRule(0.02))
    assert c.impact_ratio is None
    assert (c.n, c.selection_rate, c.reason) == (2, 1.0, "fewer than 2 % of the rows")
    assert (a.impact_ratio, b.impact_ratio) == (1.0, 0.6)
    assert [r.highest for r in impact_ratios(counted, 0.95)] == [False, False, True]


def test_nobody_selected_is_undefined_and_not_zero() -> None:
    found = impact_ratios(groups("sex", {"M": (0, 5), "F": (0, 7)}), 0.95)
    assert [r.impact_ratio for r in found] == [None, None]
    assert all("0 / 0" in r.reason for r in found)
    assert [r.selection_rate for r in found] == [0.0, 0.0]


def test_a_group_of_which_nobody_is_selected_has_a_ratio_of_zero() -> None:
    found = impact_ratios(groups("sex", {"M": (3, 5), "F": (0, 7)}), 0.95)
    assert found[1].impact_ratio == 0.0
    assert found[1].below_four_fifths
    # statsmodels: the ratio that 0 of 7 and 3 of 5 do not contradict goes up to 0.707
    assert found[1].interval.low == 0.0
    assert found[1].interval.high == pytest.approx(0.7070782993068644)


def test_the_highest_of_equals_is_the_first_and_unknown_is_never_it() -> None:
    counted = groups("sex", {"(missing)": (9, 9), "M": (1, 2), "F": (2, 4)})
    top = highest(counted)
    assert top is not None
    assert dict(top.group) == {"sex": "M"}


# -- from the tables of a model -----------------------------------------------------------------


def tables(weight: np.ndarray | None = None) -> MemoryTables:
    return MemoryTables(
        LabelView(
            dataset="d", model="m", source="score", labels=("no", "yes"), positive=1,
            actual=np.array([0, 1, 0, 1, 0, 1]), row=np.arange(6),
            score=np.array([0.1, 0.9, 0.5, 0.7, 0.5, 0.2]), weight=weight,
            groups={"sex": (np.array([0, 0, 1, 1, 1, 2]), ("F", "M", "(missing)"))},
        )
    )  # fmt: skip


SEXES = tuple(Slice((("sex", name),)) for name in ("F", "M", "(missing)"))


def selected(of: MemoryTables, threshold: float) -> list[Selection]:
    return [selection(of.classification(w, threshold), w.subgroup, 1) for w in SEXES]


def test_selected_rows_are_counted_by_group() -> None:
    assert [(s.selected, s.n) for s in selected(tables(), 0.5)] == [(1, 2), (3, 3), (0, 1)]
    assert [(s.selected, s.n) for s in selected(tables(), 0.6)] == [(1, 2), (1, 3), (0, 1)]


def test_an_indeterminate_row_is_counted_and_not_selected() -> None:
    table = ClassificationTable(("no", "yes"), 1, {(0, 1): 2, (1, 1): 3, (1, 2): 4}, 9, ("?",))
    assert selection(table, (), 1) == Selection((), 5, 9, 9)


def test_scoring_rate_is_strictly_above_the_median_of_everybody() -> None:
    own = tables()
    middle = median(own.scores(EVERYTHING))
    # scores .1 .2 .5 .5 .7 .9, the row of unknown sex among them
    assert middle == 0.5
    found = [scored_above(own.scores(w), w.subgroup, middle, own.row_count(w)) for w in SEXES]
    assert [(s.selected, s.n) for s in found] == [(1, 2), (1, 3), (0, 1)]


@pytest.mark.parametrize("rows", range(1, 12))
def test_the_median_of_a_table_is_that_of_its_rows(rows: int) -> None:
    scores = np.random.default_rng(rows).integers(0, 5, rows) / 4
    values, counts = np.unique(scores, return_counts=True)
    table = ScoreTable(values[::-1], counts[::-1], np.zeros(len(values), np.int64))
    assert median(table) == np.median(scores)


def test_weighted_rows_count_their_weight_and_get_no_interval() -> None:
    own = tables(np.array([2.0, 1, 1, 1, 1, 4]))
    found = selected(own, 0.5)
    assert [(s.selected, s.n, s.rows) for s in found] == [(1, 3, 2), (3, 3, 3), (0, 4, 1)]
    female = impact_ratios(found, 0.95, independent=False)[0]
    assert female.impact_ratio == 1 / 3
    assert female.interval is None
    assert female.p_value is None
    # weights below or at .2: 6 of 10
    assert median(own.scores(EVERYTHING)) == 0.2


def test_a_value_that_says_unknown_is_treated_as_a_missing_one() -> None:
    counted = groups("sex", {**SEX, "Not stated": (9, 9)})
    top, _, told = impact_ratios(counted, 0.95, rule=ImpactRule(unknown=("Not stated",)))
    assert (told.n, told.selection_rate, told.impact_ratio) == (9, None, None)
    assert top.highest
    assert impact_ratios(counted, 0.95)[2].highest


def test_test_and_limits_that_disagree_are_noted() -> None:
    notes = {}
    for x in range(10, 34):
        found = impact_ratios(groups("g", {"high": (36, 40), "low": (float(x), 40)}), 0.95)[1]
        apart = not found.interval.low <= 1.0 <= found.interval.high
        notes[x] = (found.p_value < 0.05) != apart, found.note
    assert any(disagree for disagree, _ in notes.values())
    assert all(disagree == (note is not None) for disagree, note in notes.values())
