"""Laws that every metric of scores keeps, read from the declarations; and published figures."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import class_scores, score_table

from evalreport.metrics import calibration_curve, precision_recall, ranking
from evalreport.metrics.catalogue import catalogue
from evalreport.metrics.declare import Goal, Kind, Metric, Table
from evalreport.metrics.formula import Infinite, Undefined, Value
from evalreport.metrics.tables import ScoreTable

OF_SCORES = [m for m in catalogue() if m.table is Table.SCORES]
quick = settings(deadline=None, max_examples=80, derandomize=True)


def evaluated(metric: Metric, s: ScoreTable) -> Any:
    given_ = {"max_fpr": 0.3} if metric.name == "partial_auc" else {}
    return metric(s, **metric.arguments(given_))


@st.composite
def tables(draw: Any) -> ScoreTable:
    """Tables with ties, one class, a single row, and probabilities of 0 and 1."""
    rows = draw(st.lists(st.tuples(st.booleans(), st.integers(0, 8)), min_size=1, max_size=30))
    return score_table([y for y, _ in rows], [p / 8 for _, p in rows])


@pytest.mark.parametrize("metric", OF_SCORES, ids=lambda m: m.name)
def test_a_value_lies_within_its_bounds_and_an_undefined_one_has_a_reason(metric: Metric) -> None:
    @quick
    @given(tables())
    def check(s: ScoreTable) -> None:
        outcome = evaluated(metric, s).outcome(metric.undefined)
        if isinstance(outcome, Value):
            low, high = metric.bounds
            assert math.isfinite(outcome.number)
            assert low - 1e-12 <= outcome.number <= high + 1e-12
        else:
            assert isinstance(outcome, (Undefined, Infinite))
            assert len(outcome.reason) > 5

    check()


@pytest.mark.long_but_first
@pytest.mark.parametrize("metric", OF_SCORES, ids=lambda m: m.name)
def test_the_formula_with_its_numbers_evaluates_to_the_value(metric: Metric) -> None:
    @quick
    @given(tables())
    def check(s: ScoreTable) -> None:
        expression = evaluated(metric, s)
        outcome = expression.outcome()
        if isinstance(outcome, Value):
            found = eval(expression.substituted(), {"sqrt": math.sqrt})
            assert found == pytest.approx(outcome.number, rel=1e-12, abs=1e-12)

    check()


@pytest.mark.parametrize("metric", OF_SCORES, ids=lambda m: m.name)
def test_ranking_metrics_do_not_change_with_the_scale_of_scores(metric: Metric) -> None:
    if metric.kind is not Kind.RANK:
        pytest.skip("it needs probabilities or margins")
    s = score_table([1, 0, 1, 0, 0, 1], [0.9, 0.8, 0.8, 0.4, 0.3, 0.1])
    scaled = ScoreTable(np.exp(3 * s.scores) - 50, s.positives, s.negatives)
    assert evaluated(metric, s).outcome() == evaluated(metric, scaled).outcome()


@pytest.mark.parametrize("metric", OF_SCORES, ids=lambda m: m.name)
def test_perfect_scores_are_best(metric: Metric) -> None:
    unbounded = ("partial_auc", "gain", "softmax_cost")
    none = metric.best is None or math.isnan(metric.best)
    if none or metric.name in unbounded or metric.name.startswith("calibration_"):
        pytest.skip("no such value, or not on perfectly separated scores")
    perfect = score_table([1, 1, 0, 0], [1, 1, 0, 0])
    outcome = evaluated(metric, perfect).outcome(metric.undefined)
    if isinstance(outcome, Value) and metric.goal is not Goal.DESCRIBE:
        assert outcome.number == pytest.approx(metric.best, abs=1e-14)
    else:
        assert metric.name.startswith(("spiegelhalter", "hosmer"))


def test_the_positive_class_turned_round() -> None:
    y, p = np.array([1, 0, 1, 0, 0]), np.array([0.9, 0.7, 0.4, 0.4, 0.1])
    s, turned = score_table(y, p), score_table(1 - y, 1 - p)
    for metric in OF_SCORES:
        if metric.scope == "all" and metric.kind is Kind.PROBABILITY:
            one, other = evaluated(metric, s).outcome(), evaluated(metric, turned).outcome()
            assert one.number == pytest.approx(other.number, rel=1e-12), metric.name
    # the ROC AUC is the same for either class, average precision is not
    assert ranking.roc_auc(s).outcome() == ranking.roc_auc(turned).outcome()
    first = precision_recall.average_precision(s).outcome()
    assert first != precision_recall.average_precision(turned).outcome()


def test_stacked_class_scores_give_the_value_of_each() -> None:
    rng = np.random.default_rng(9)
    actual = rng.integers(0, 3, 30)
    scores = rng.dirichlet([1, 1, 1], 30)
    single = class_scores(actual, scores, ("a", "b", "c"))
    for metric in catalogue():
        form = metric.function if metric.table is Table.CLASS_SCORES else metric.for_classes
        if form is None or Table.CLASS_SCORES not in (metric.table, metric.classes_table):
            continue
        value = form(single).outcome().number
        assert form(_twice(single)).array() == pytest.approx([value, value]), metric.name


def _twice(c: Any) -> Any:
    def table(t: ScoreTable) -> ScoreTable:
        return ScoreTable(t.scores, np.stack([t.positives] * 2), np.stack([t.negatives] * 2))

    return type(c)(
        labels=c.labels,
        per_class=tuple(table(t) for t in c.per_class),
        true_scores=c.true_scores,
        true_weights=np.stack([c.true_weights] * 2),
        ranks=np.stack([c.ranks] * 2),
        class_totals=np.stack([c.class_totals] * 2),
        pairs={pair: table(t) for pair, t in c.pairs.items()},
    )


# -- published figures ---------------------------------------------------------------------------


def test_hanley_and_mcneil_1982() -> None:
    """Table I: 109 CT images rated from 1, definitely normal, to 5, definitely abnormal."""
    normal, abnormal = [33, 6, 6, 11, 2], [3, 2, 2, 11, 33]
    ratings = np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    s = ScoreTable(ratings, np.array(abnormal[::-1]), np.array(normal[::-1]))
    outcome = ranking.roc_auc(s).outcome()
    assert outcome.number == pytest.approx(0.893, abs=0.0005)  # type: ignore[union-attr]
    assert outcome.number == pytest.approx(0.893171061528059)  # type: ignore[union-attr]
    # pROC 1.18.0 and PRROC 1.4 on the same counts
    partial = ranking.partial_auc(s, max_fpr=0.1).outcome()
    assert partial.number == pytest.approx(0.0559905341446924)  # type: ignore[union-attr]
    area = precision_recall.pr_auc_interpolated(s).outcome()
    assert area.number == pytest.approx(0.880086459779556)  # type: ignore[union-attr]


def test_joining_many_probabilities_does_not_move_the_smooth_curve() -> None:
    rng = np.random.default_rng(6)
    p = rng.random(25_000)
    y = rng.random(25_000) < p**1.3
    s = score_table(y, p)
    joined = calibration_curve.smoothed_calibration(s)
    at = np.array(joined["score"])
    assert len(at) <= calibration_curve.MOST_POINTS + 2
    assert joined["observed"] == pytest.approx(at**1.3, abs=0.05)
