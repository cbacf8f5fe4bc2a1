"""Rules for thresholds, solved on one table of scores that can be worked out by hand."""

from __future__ import annotations

import math
from typing import Any
from unittest import mock

import numpy as np
import pytest

from evalreport.engine.thresholds import Rule, solve
from evalreport.metrics.catalogue import find
from evalreport.metrics.declare import Metric
from evalreport.metrics.tables import ScoreTable

#: thresholds 0.9, 0.7, 0.4, 0.1 give tp 1, 2, 4, 4 of 4 and fp 0, 1, 2, 5 of 5
S = ScoreTable(np.array([0.9, 0.7, 0.4, 0.1]), np.array([1, 1, 2, 0]), np.array([0, 1, 1, 3]))
ABOVE = math.nextafter(0.9, math.inf)


def metric(name: str) -> Metric:
    found = find(name)
    assert found is not None
    return found


def best(name: str, *, upwards: bool = True, **params: Any) -> Rule:
    return Rule("best", metric(name), params, upwards=upwards)


def limit(name: str, value: float, *, at_least: bool = True, then: Rule | None = None) -> Rule:
    return Rule("limit", metric(name), {}, at_least=at_least, value=value, then=then)


def number(rule: Rule, table: ScoreTable = S, costs: Any = None) -> float | None:
    return solve(rule, table, costs, False).number


@pytest.mark.parametrize(
    ("rule", "threshold"),
    [
        (best("youden_j"), 0.4),  # 0.25, 0.3, 0.6, 0
        (best("accuracy"), 0.4),  # 6, 6, 7, 4 of 9
        (best("precision"), 0.9),  # 1, 2/3, 4/6, 4/9
        (best("recall"), 0.4),  # 0.25, 0.5, 1, 1: the largest of the two
        (best("specificity"), 0.9),  # 1 above all scores and at 0.9: the observed one
        (best("fpr", upwards=False), 0.9),
        (best("fnr", upwards=False), 0.4),
        (best("kappa"), 0.4),
        (best("mcc"), 0.4),
        (best("fbeta", beta=2.0), 0.4),
        (best("youden_j", upwards=False), 0.1),  # 0 at both ends: the observed one
        (Rule("corner"), 0.4),  # 0.75, 0.54, 0.4, 1
    ],
)
def test_best_of_a_metric(rule: Rule, threshold: float) -> None:
    assert number(rule) == threshold


def test_ties_go_to_the_largest_threshold_even_past_the_last_bits() -> None:
    # F1: 2/5, 4/7, 8/10, 8/13; a table in which two thresholds have accuracy 2/3
    tied = ScoreTable(np.array([0.8, 0.5, 0.2]), np.array([1, 0, 1]), np.array([0, 1, 0]))
    assert number(best("accuracy"), tied) == 0.8
    assert number(best("f1"), S) == 0.4
    # J is 1/3 - 1/9 and 2/3 - 4/9: equal, but as floats the second comes out larger
    bits = ScoreTable(np.array([0.9, 0.5, 0.1]), np.array([1, 1, 1]), np.array([1, 3, 5]))
    assert number(best("youden_j"), bits) == 0.9
    assert number(best("youden_j", upwards=False), bits) == 0.1
    # J of 1/30 twice, from rates near 1/2: the last bits are those of the rates
    small = ScoreTable(
        np.array([0.9, 0.5, 0.3, 0.1]), np.array([2, 2, 0, 1]), np.array([11, 12, 5, 2])
    )
    assert number(best("youden_j"), small) == 0.9
    # of 40 rows, 2 misses and 6 false alarms cost what 7 false alarms do, less the last bit
    dear = ScoreTable(np.array([0.9, 0.5, 0.1]), np.array([18, 2, 0]), np.array([6, 1, 13]))
    prices = {"false_negative": 1000.1, "false_positive": 2000.2}
    assert number(best("expected_cost", upwards=False), dear, prices) == 0.9


def test_predicting_nothing_where_it_is_strictly_better() -> None:
    dear = {"false_negative": 1, "false_positive": 100}
    cheap = {"false_negative": 100, "false_positive": 1}
    wrong_first = ScoreTable(np.array([0.9, 0.1]), np.array([0, 1]), np.array([1, 0]))
    cost = best("expected_cost", upwards=False)
    assert number(cost, wrong_first, dear) == ABOVE
    assert number(cost, wrong_first, cheap) == 0.1
    assert number(cost, S, dear) == 0.9
    assert number(cost, S, cheap) == 0.4


def test_reaching_a_value() -> None:
    assert number(limit("recall", 0.5)) == 0.7
    assert number(limit("recall", 0.51)) == 0.4
    assert number(limit("recall", 1.0)) == 0.4
    # at most one of 5 false alarms: at 0.9 there is none, at 0.7 one, and a positive more is found
    assert number(limit("fpr", 0.2, at_least=False)) == 0.7
    assert number(limit("recall", 0.0)) == 0.9
    # only predicting nothing keeps every negative
    wrong_first = ScoreTable(np.array([0.9, 0.1]), np.array([0, 1]), np.array([1, 0]))
    assert number(limit("specificity", 1.0), wrong_first) == ABOVE


def test_reaching_a_value_while_doing_best_on_another() -> None:
    assert number(limit("fpr", 0.4, at_least=False, then=best("recall"))) == 0.4
    assert number(limit("fpr", 0.39, at_least=False, then=best("recall"))) == 0.7
    assert number(limit("recall", 0.5, then=best("precision"))) == 0.7
    assert number(limit("recall", 0.5, then=best("fpr", upwards=False))) == 0.7


def test_what_cannot_be_reached_says_so() -> None:
    none = solve(limit("precision", 1.5), S, None, True)
    assert (none.number, none.exploratory) == (None, True)
    assert none.reason == "no threshold gives precision at least 1.5"
    few = solve(limit("fpr", -0.5, at_least=False), S, None, False)
    assert (few.number, few.exploratory) == (None, False)
    assert few.reason == "no threshold gives fpr at most -0.5"


def test_undefined_everywhere_and_no_rows() -> None:
    one_class = ScoreTable(np.array([0.9, 0.1]), np.array([1, 1]), np.array([0, 0]))
    for rule in (best("youden_j"), Rule("corner"), limit("recall", 0.0, then=best("youden_j"))):
        undefined = solve(rule, one_class, None, False)
        assert undefined.number is None
        assert undefined.reason == "the metric is undefined at every threshold"
    assert solve(limit("fpr", 0.0), one_class, None, False).number is None
    none = np.array([], dtype=np.int64)
    empty = solve(best("recall"), ScoreTable(np.array([]), none, none), None, True)
    assert (empty.number, empty.exploratory) == (None, True)
    assert empty.reason == "there is no row to choose a threshold on"


def test_infinite_values_are_not_the_best() -> None:
    # at 0.9 no negative is flagged and the ratio is infinite; then 2.5, 2.5, 1
    assert number(best("lr_plus")) == 0.7


@pytest.mark.parametrize(
    ("kind", "value", "threshold"),
    [
        ("top_count", 1, 0.9),
        ("top_count", 2, 0.7),
        ("top_count", 3, 0.7),
        ("top_count", 4, 0.4),
        ("top_count", 100, 0.1),
        ("top_share", 0.1, 0.9),
        ("top_share", 1 / 9, 0.9),
        ("top_share", 0.12, 0.7),
        ("top_share", 3 / 9, 0.7),
        ("top_share", 0.34, 0.4),
        ("top_share", 1.0, 0.1),
    ],
)
def test_the_top_rows(kind: str, value: float, threshold: float) -> None:
    assert number(Rule(kind, value=value)) == threshold


def test_found_thresholds_carry_whether_they_are_exploratory() -> None:
    for rule in (best("recall"), limit("recall", 0.5), Rule("top_count", value=1), Rule("corner")):
        for exploratory in (True, False):
            found = solve(rule, S, None, exploratory)
            assert (found.reason, found.exploratory) == (None, exploratory)


def test_net_benefit_knows_its_threshold() -> None:
    # (tp - fp t / (1 - t)) / 9: 1, 2 - 7/3, 4 - 4/3, 4 - 5/9 at 0.9, 0.7, 0.4, 0.1
    assert number(best("net_benefit")) == 0.1


def test_more_rows_than_are_evaluated_at_once() -> None:
    with mock.patch("evalreport.engine.thresholds._CHUNK", 2):
        assert number(best("kappa")) == 0.4
        assert number(best("weighted_kappa", upwards=False)) == 0.1


def test_a_rule_looks_for_the_largest_value_unless_told() -> None:
    rule = Rule("best")
    assert (rule.upwards, rule.at_least, rule.value, rule.then) == (True, True, 0.0, None)


def test_an_observed_score_is_taken_before_one_above_all() -> None:
    # specificity is 1 above all scores and at 0.9, and nowhere else
    assert number(limit("specificity", 1.0)) == 0.9


def test_the_only_threshold_at_which_a_metric_is_defined() -> None:
    two = ScoreTable(np.array([0.9, 0.1]), np.array([2, 1]), np.array([1, 2]))
    # at 0.1 and above 0.9 one class alone is predicted
    assert number(best("mcc"), two) == 0.9
    one = ScoreTable(np.array([0.5]), np.array([1]), np.array([3]))
    # predicting nothing leaves NPV 3/4; predicting all leaves none
    assert number(best("npv"), one) == math.nextafter(0.5, math.inf)


def test_the_corner_is_at_a_true_positive_rate_of_one() -> None:
    # (fpr, tpr) is (0.1, 0.6) and (0.5, 0.95): distances 0.41 and 0.50
    s = ScoreTable(np.array([0.9, 0.5, 0.1]), np.array([12, 7, 1]), np.array([2, 8, 10]))
    assert number(Rule("corner"), s) == 0.9


def test_parameters_reach_the_metric() -> None:
    # F with recall at a hundredth: 0.97 at 0.9; F1 is best at 0.4
    assert number(best("fbeta", beta=0.1)) == 0.9
    assert number(best("fbeta", beta=1.0)) == 0.4
    assert number(Rule("best", metric("fbeta"), None)) == 0.4


def test_tables_are_the_right_way_round() -> None:
    # it looks at actual classes only: the same at every threshold
    assert number(best("no_information_rate")) == 0.9


def test_a_limit_does_not_turn_the_metric_round() -> None:
    turned = Rule("limit", metric("recall"), {}, upwards=False, at_least=True, value=0.5)
    assert number(turned) == 0.7
