"""ROC curves above, below, across and equal to one another."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalreport.metrics import roc_relation as module
from evalreport.metrics.roc_relation import MOST_CROSSINGS, roc_relation
from evalreport.metrics.tables import ScoreTable


def table(*entries: tuple[int, int]) -> ScoreTable:
    pos, neg = (np.array([e[i] for e in entries]) for i in (0, 1))
    return ScoreTable(np.arange(len(entries), 0, -1, float), pos, neg)


def relation(a: ScoreTable, b: ScoreTable) -> str:
    found = roc_relation(a, b)
    assert found is not None
    return found.relation


PERFECT = table((4, 0), (0, 4))
CHANCE = table((4, 4))
# (0, .5) then (.5, .5), (.5, 1): good at the start and not later
EARLY = table((2, 0), (0, 2), (2, 0), (0, 2))


def test_perfect_is_above_chance_and_chance_below() -> None:
    assert relation(PERFECT, CHANCE) == "above"
    assert relation(CHANCE, PERFECT) == "below"


def test_a_curve_that_runs_along_another_for_a_while_is_still_above_it() -> None:
    assert relation(PERFECT, EARLY) == "above"
    assert relation(EARLY, CHANCE) == "above"


def test_curves_are_equal_whatever_the_scores_and_the_sizes() -> None:
    assert relation(EARLY, table((1, 0), (0, 1), (1, 0), (0, 1))) == "equal"
    # collinear points make no difference
    assert relation(CHANCE, table((1, 1), (3, 3))) == "equal"


def test_a_crossing_between_two_vertices_is_where_the_lines_meet() -> None:
    # A: (0, .5) to (1, 1) ; B: (0, 0) to (.5, 1) to (1, 1)
    a, b = table((1, 0), (1, 2)), table((2, 1), (0, 1))
    found = roc_relation(a, b)
    assert found is not None
    assert found.relation == "cross"
    # .5 + x / 2 = 2 x
    assert found.crossings == (pytest.approx((1 / 3, 2 / 3)),)


def test_a_crossing_on_a_step_is_found() -> None:
    # A: (0, .5), (.5, .5), (.5, 1) ; B: (.25, 0), (.25, .75), (.75, .75), (.75, 1)
    a, b = EARLY, table((0, 1), (3, 0), (0, 2), (1, 0), (0, 1))
    found = roc_relation(a, b)
    assert found is not None
    assert found.relation == "cross"
    assert found.crossings == ((0.25, 0.5), (0.5, 0.75))


def test_leads_are_the_longest_way_up_at_one_false_positive_rate() -> None:
    # A: (0, .5), (1, 1); B: (0, 0), (.5, 1), (1, 1): A is .5 ahead at 0, B .25 at .5
    found = roc_relation(table((1, 0), (1, 2)), table((2, 1), (0, 1)))
    assert found is not None
    assert [(lead.by, lead.fpr) for lead in found.leads] == [(0.5, 0.0), (0.25, 0.5)]
    # a step: just left and just right of it both count
    found = roc_relation(EARLY, CHANCE)
    assert found is not None
    assert [(lead.by, lead.fpr) for lead in found.leads] == [(0.5, 0.0), (0.0, 0.0)]


def test_without_both_classes_there_is_no_curve() -> None:
    assert roc_relation(table((3, 0)), PERFECT) is None
    assert roc_relation(PERFECT, table((0, 3))) is None


entries = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(any), min_size=1, max_size=8
).filter(lambda e: sum(a for a, _ in e) > 0 and sum(b for _, b in e) > 0)


@given(entries, entries)
def test_the_relation_turns_round_with_the_curves_and_agrees_with_the_areas(
    first: list[tuple[int, int]], second: list[tuple[int, int]]
) -> None:
    a, b = table(*first), table(*second)
    forth, back = roc_relation(a, b), roc_relation(b, a)
    assert forth is not None
    assert back is not None
    turned = {"above": "below", "below": "above"}
    assert turned.get(forth.relation, forth.relation) == back.relation
    assert bool(forth.crossings) == (forth.relation == "cross")
    areas = [np.trapezoid(_padded(t.true_positives), _padded(t.false_positives)) for t in (a, b)]
    if forth.relation == "above":
        assert areas[0] > areas[1]
    if forth.relation == "equal":
        assert areas[0] == pytest.approx(areas[1])
    for (x1, y1), (x2, y2) in zip(forth.crossings, back.crossings, strict=True):
        assert (x1, y1) == pytest.approx((x2, y2))
        assert 0 <= x1 <= 1
        assert 0 <= y1 <= 1


def _padded(counts: np.ndarray) -> np.ndarray:
    return np.concatenate([[0.0], counts / counts[-1]])


def test_sums_of_weights_in_another_order_are_one_place() -> None:
    # The healthy rows before the ill one weigh 0.6 in both; their sums differ in the last digit.
    positive = np.array([0, 0, 0, 1.0, 0, 0])
    scores = np.arange(6, 0, -1, dtype=float)
    rising = ScoreTable(scores, positive, np.array([0.1, 0.2, 0.3, 0, 0.7, 0.9]))
    falling = ScoreTable(scores, positive, np.array([0.3, 0.2, 0.1, 0, 0.9, 0.7]))
    shares = [t.false_positives[2] / t.negative_total for t in (rising, falling)]
    assert shares[0] != shares[1]
    assert relation(rising, falling) == "equal"
    assert relation(falling, rising) == "equal"


def test_curves_that_cross_at_every_step_are_told_by_the_first_crossings_and_their_number() -> None:
    # 60 blocks: one curve goes up before it goes right in even ones, the other in odd ones.
    up, right = [(1, 0), (0, 1)], [(0, 1), (1, 0)]
    a = table(*[step for block in range(60) for step in (up, right)[block % 2]])
    b = table(*[step for block in range(60) for step in (right, up)[block % 2]])
    found = roc_relation(a, b)
    assert found is not None
    assert found.relation == "cross"
    assert found.crossing_count == 59
    # the curves meet where one block ends and the next begins
    first = [((k + 1) / 60, (k + 1) / 60) for k in range(MOST_CROSSINGS)]
    assert found.crossings == tuple(pytest.approx(point) for point in first)


@given(st.integers(0, 2**32 - 1))
def test_how_many_rates_are_looked_at_together_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, two = (
        ScoreTable(np.arange(9.0, 0, -1), *(rng.integers(0, 3, 9) * 0.1 for _ in range(2)))
        for _ in range(2)
    )
    whole = roc_relation(one, two)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", 2)
        assert roc_relation(one, two) == whole
