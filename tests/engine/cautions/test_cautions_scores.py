"""Cautions about scores, as ranks and as probabilities."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalreport.engine.cautions import find_cautions
from evalreport.engine.cautions.facts import Given
from evalreport.metrics.roc_relation import roc_relation
from evalreport.metrics.tables import ScoreTable
from evalreport.predict.view import LabelView
from evalreport.results.records import RocLead


def test_ties_at_a_plain_threshold(kit: Any) -> None:
    one = kit.view([0, 1, 0, 1, 1], score=[0.5, 0.5, 0.2, 0.9, 0.6])
    (record,) = kit.cautions(kit.run(one, ["recall"]), "ties_at_threshold")
    assert record.message == (
        "2 of 5 rows score exactly 0.50 and are therefore predicted positive."
    )
    assert record.table == "t1"
    none = kit.view([0, 1], score=[0.4999999999, 0.5000000001])
    assert kit.message(kit.run(none, ["recall"]), "ties_at_threshold") is None


def test_a_rule_ties_one_row_by_itself(kit: Any) -> None:
    one = kit.view([0, 1, 0, 1], score=[0.5, 0.6, 0.2, 0.9])
    rule = {"maximize youden_j": 0.6}
    assert kit.message(kit.run(one, ["recall"], rules=rule), "ties_at_threshold") is None
    two = kit.view([0, 1, 0, 1], score=[0.6, 0.6, 0.2, 0.9])
    message = kit.message(kit.run(two, ["recall"], rules=rule), "ties_at_threshold")
    assert message is not None
    assert message.startswith("2 of 4 rows score exactly 0.6")


def test_constant_scores(kit: Any) -> None:
    """100 rows with the score 0.5: one threshold, ROC AUC 0.5, standard error 0."""
    one = kit.view([1] * 5 + [0] * 95, score=[0.5] * 100)
    facts = kit.run(one, ["roc_auc"])
    assert kit.message(facts, "constant_scores") == "All 100 rows have the score 0.50."
    assert kit.message(facts, "tied_scores") is None
    # a constant is said once: that it ranks nothing follows from it
    codes = {"auc_without_error", "baseline_not_beaten", "one_prediction"}
    assert codes.isdisjoint(record.code for record in find_cautions(facts))


def test_many_tied_scores(kit: Any) -> None:
    """Positives score 1 1 0, negatives 1 0 0: 2 * 1 + 1 * 2 = 4 of 9 pairs are tied."""
    one = kit.view([1, 1, 1, 0, 0, 0], score=[1, 1, 0, 1, 0, 0])
    assert kit.message(kit.run(one, ["roc_auc"]), "tied_scores") == (
        "4 of 9 pairs of a positive and a negative row (44.4\u202f%) have the same score; "
        "there are 2 distinct scores."
    )
    few = kit.view([1, 1, 1, 0, 0, 0], score=[0.9, 0.8, 0.3, 0.3, 0.2, 0.1])
    assert kit.message(kit.run(few, ["roc_auc"]), "tied_scores") is None


def test_an_area_below_half_is_not_turned_round(kit: Any) -> None:
    """1 of 4 pairs is won, 100 times over; with 4 rows the interval holds 0.5."""
    few = kit.view([1, 1, 0, 0], score=[0.1, 0.4, 0.3, 0.8])
    assert kit.message(kit.run(few, ["roc_auc"]), "auc_below_half") is None
    one = kit.view([1, 1, 0, 0] * 100, score=[0.1, 0.4, 0.3, 0.8] * 100)
    message = kit.message(kit.run(one, ["roc_auc"]), "auc_below_half")
    assert message is not None
    assert message.startswith("ROC AUC of yes is 0.250 (")
    good = kit.view([1, 1, 0, 0], score=[0.3, 0.8, 0.1, 0.4])
    assert kit.message(kit.run(good, ["roc_auc"]), "auc_below_half") is None


@pytest.mark.parametrize(
    ("actual", "fires"), [([0, 0, 0, 1, 1, 1], True), ([0, 1, 0, 0, 1, 1], False)]
)
def test_a_perfect_area_has_no_standard_error(kit: Any, actual: list[int], fires: bool) -> None:
    one = kit.view(actual, score=[0.1, 0.2, 0.3, 0.7, 0.8, 0.9])
    message = kit.message(kit.run(one, ["roc_auc"]), "auc_without_error")
    assert (message is not None) is fires


def test_roc_auc_flatters_rare_positives(kit: Any) -> None:
    """Two positives among 100, at ranks 10 and 20: AUC 1 - (9 + 18) / 196, AP (1/10 + 2/20) / 2."""
    actual = [0] * 100
    actual[9] = actual[19] = 1
    one = kit.view(actual, score=[1 - i / 100 for i in range(100)])
    facts = kit.run(one, ["roc_auc"])
    (record,) = kit.cautions(facts, "auc_flatters_rare_positives")
    assert record.message == (
        "ROC AUC is 0.862 while average precision is 0.100; 2 of 100 rows are positive."
    )
    assert record.numbers["roc_auc"] == pytest.approx(1 - 27 / 196)
    assert kit.message(kit.run(one, ["recall"]), "auc_flatters_rare_positives") is None
    first = [1, 1] + [0] * 98
    good = kit.view(first, score=[1 - i / 100 for i in range(100)])
    assert kit.message(kit.run(good, ["roc_auc"]), "auc_flatters_rare_positives") is None


def test_scores_that_are_no_probabilities(kit: Any) -> None:
    one = kit.view([0, 1, 1], score=[-0.5, 0.5, 2.0])
    assert kit.message(kit.run(one, ["roc_auc", "log_loss"]), "not_probabilities") == (
        "2 of 3 rows have a score outside 0 and 1; scores run from −0.50 to 2; the threshold 0.50 "
        "is one for probabilities."
    )
    percents = kit.view([0, 1, 1], score=[3.0, 60.0, 97.0])
    (record,) = kit.cautions(kit.run(percents, ["roc_auc"]), "not_probabilities")
    assert record.severity == "warning"
    on_scale = kit.run(percents, ["roc_auc"], thresholds=[50.0])
    (record,) = kit.cautions(on_scale, "not_probabilities")
    assert record.severity == "note"
    assert record.message.endswith("scores run from 3 to 97.")
    for source, score in (("score", [0.0, 0.5, 1.0]), ("margin", [-0.5, 0.5, 2.0])):
        fine = kit.view([0, 1, 1], score=score, source=source)
        assert kit.message(kit.run(fine, ["roc_auc"]), "not_probabilities") is None
    three = kit.view(
        [0, 1, 2], class_scores=[[2, 0, 0], [0, 1, 0], [0, 0, 1]], labels=["a", "b", "c"],
        predicted=[0, 1, 2],
    )  # fmt: skip
    message = kit.message(kit.run(three, ["accuracy"]), "not_probabilities")
    assert message is not None
    assert message.startswith("1 of 3 rows")


def _halves(kit: Any, low: float, high: float, each: int = 100) -> Any:
    """Events are twice as frequent at the high score: 30 % at the low one and 60 % at it."""
    actual = [int(i % 10 < 3) for i in range(each)] + [int(i % 10 < 6) for i in range(each)]
    return kit.view(actual, score=[low] * each + [high] * each)


def test_calibrated_probabilities_are_silent(kit: Any) -> None:
    facts = kit.run(_halves(kit, 0.3, 0.6), ["brier"])
    assert kit.message(facts, "miscalibration") is None


@pytest.mark.parametrize("asked", [["brier"], ["calibration_slope", "calibration_in_the_large"]])
def test_miscalibrated_probabilities(kit: Any, asked: list[str]) -> None:
    """Scores 0.05 and 0.95 for rates 0.3 and 0.6.

    The slope is (logit 0.6 - logit 0.3) / (logit 0.95 - logit 0.05).
    """
    facts = kit.run(_halves(kit, 0.05, 0.95), asked)
    message = kit.message(facts, "miscalibration")
    slope = (math.log(1.5) - math.log(3 / 7)) / (2 * math.log(19))
    assert message is not None
    assert f"The calibration slope is {slope:.3g} (" in message
    assert ", not 1" in message


@pytest.mark.parametrize("design", ["cluster", "weight"])
def test_miscalibration_is_seen_in_clustered_and_weighted_rows(kit: Any, design: str) -> None:
    """Persons with two rows each, or rows of weight 2: the slope is that of the rows alone."""
    told = {
        "cluster": {"cluster": (np.arange(200) // 2, 100)},
        "weight": {"weight": np.full(200, 2.0)},
    }[design]
    view = replace(_halves(kit, 0.05, 0.95), **told)
    message = kit.message(kit.run(view, ["brier"]), "miscalibration")
    slope = (math.log(1.5) - math.log(3 / 7)) / (2 * math.log(19))
    assert message is not None
    assert f"The calibration slope is {slope:.3g} (" in message
    silent = replace(_halves(kit, 0.3, 0.6), **told)
    assert kit.message(kit.run(silent, ["brier"]), "miscalibration") is None


def _three_classes(kit: Any, factor: float) -> Any:
    """Three classes drawn from the softmax of numbers, of which the model gives some multiple."""
    rng = np.random.default_rng(7)
    logits = rng.normal(size=(3000, 3)) * 2

    def shares(values: Any) -> Any:
        return np.exp(values) / np.exp(values).sum(axis=1, keepdims=True)

    actual = [int(rng.choice(3, p=p)) for p in shares(logits)]
    given = shares(logits / factor)
    return kit.view(
        actual, class_scores=given, predicted=given.argmax(axis=1), labels=["a", "b", "c"]
    )


@pytest.mark.parametrize("design", ["rows", "cluster", "weight"])
def test_miscalibration_of_classes(kit: Any, design: str) -> None:
    """A temperature of 3 makes each class against the rest too timid; one of 1 none of them."""
    told = {
        "rows": {},
        "cluster": {"cluster": (np.arange(3000) // 2, 1500)},
        "weight": {"weight": np.full(3000, 2.0)},
    }[design]
    view = replace(_three_classes(kit, 3.0), **told)
    (record,) = kit.cautions(kit.run(view, ["log_loss"]), "miscalibration")
    assert record.severity == "warning"
    assert "not 1, in 3 of 3 classes (98.3\u202f% intervals)" in record.message
    silent = replace(_three_classes(kit, 1.0), **told)
    assert kit.message(kit.run(silent, ["log_loss"]), "miscalibration") is None


def test_miscalibration_of_classes_that_is_only_drawn(kit: Any) -> None:
    """Where no metric judges the probabilities, slopes that are off by more than 2 are named."""
    (record,) = kit.cautions(kit.run(_three_classes(kit, 4.0), ["recall"]), "miscalibration")
    assert record.severity == "warning"
    facts = kit.run(_three_classes(kit, 1.5), ["recall"])
    assert kit.message(facts, "miscalibration") is None


def test_too_high_probabilities_show_in_the_large(kit: Any) -> None:
    message = kit.message(kit.run(_halves(kit, 0.5, 0.8), ["brier"]), "miscalibration")
    assert message is not None
    assert "alibration in the large is −" in message


def test_spiegelhalter_alone(kit: Any) -> None:
    """Probabilities of 0 have no logit, so no line can be fitted."""
    actual = [1, *[0] * 99, *[1] * 100]
    one = kit.view(actual, score=[0.0] * 10 + [0.4] * 90 + [0.6] * 100)
    message = kit.message(kit.run(one, ["spiegelhalter_p"]), "miscalibration")
    assert message == "Spiegelhalter's test has p < 0.0001."


def test_calibration_is_left_alone_where_no_probability_is_measured(kit: Any) -> None:
    facts = kit.run(_halves(kit, 0.05, 0.95), ["roc_auc", "recall"])
    assert kit.message(facts, "miscalibration") is None


def test_one_confident_mistake_dominates_the_log_loss(kit: Any) -> None:
    """Losses -log 0.9, -log 0.35, -log 0.7 and -log 0.01: the last is 75 % of the sum."""
    one = kit.view([0, 1, 1, 0], score=[0.1, 0.35, 0.7, 0.99])
    (record,) = kit.cautions(kit.run(one, ["log_loss"]), "confident_mistake")
    losses = [-math.log(p) for p in (0.9, 0.35, 0.7, 0.01)]
    assert record.numbers["share"] == pytest.approx(losses[3] / sum(losses))
    assert record.message == (
        "One confident mistake makes up 75.3\u202f% of the log loss: the actual class of one of 4 "
        "rows (row 4 of the data) was given the probability 0.0100."
    )
    assert kit.message(kit.run(one, ["brier"]), "confident_mistake") is None


def test_an_unsure_mistake_is_no_confident_one(kit: Any) -> None:
    one = kit.view([0, 1, 1, 0], score=[0.1, 0.35, 0.7, 0.89])
    assert kit.message(kit.run(one, ["log_loss"]), "confident_mistake") is None


def test_a_confident_mistake_among_three_classes(kit: Any) -> None:
    scores = [[0.99, 0.005, 0.005], [0.1, 0.8, 0.1], [0.97, 0.02, 0.01]]
    one = kit.view([0, 1, 2], class_scores=scores, predicted=[0, 1, 0], labels=["a", "b", "c"])
    message = kit.message(kit.run(one, ["log_loss"]), "confident_mistake")
    assert message is not None
    assert "row 3 of the data" in message


def test_clipped_probabilities(kit: Any) -> None:
    one = kit.view([0, 1, 1], score=[1.0, 0.5, 0.0])
    (record,) = kit.cautions(kit.run(one, ["log_loss"]), "clipped_probabilities")
    assert record.message == (
        "2 mistakes at a probability of 0 were clipped: the actual class of 2 of 3 rows was "
        "given a probability within 1e-15 of 0."
    )
    # sure and right: nothing to beware of
    for score in ([0.0, 0.5, 1.0], [0.1, 0.5, 0.9]):
        fine = kit.view([0, 1, 1], score=score)
        assert kit.message(kit.run(fine, ["log_loss"]), "clipped_probabilities") is None


def _table(rows: list[tuple[float, int, int]]) -> ScoreTable:
    scores, positives, negatives = zip(*rows, strict=True)
    return ScoreTable(np.array(scores, dtype=float), np.array(positives), np.array(negatives))


def leads(first: ScoreTable, second: ScoreTable) -> tuple[RocLead, RocLead] | None:
    found = roc_relation(first, second)
    return None if found is None else found.leads


def test_leads_of_curves_that_cross() -> None:
    """First: straight up to 1/2, across, up. Second: across to 1/2, up, across."""
    first = _table([(3, 1, 0), (2, 0, 2), (1, 1, 0)])
    second = _table([(3, 0, 1), (2, 2, 0), (1, 0, 1)])
    assert leads(first, second) == (RocLead(0.5, 0.0), RocLead(0.5, 0.5))


def test_leads_between_the_points_of_the_other_curve() -> None:
    """The diagonal against a step: 1 - 0 = 1 lead at 0, never behind."""
    perfect, chance = _table([(2, 4, 0), (1, 0, 4)]), _table([(1, 4, 4)])
    assert leads(perfect, chance) == (RocLead(1.0, 0.0), RocLead(0.0, 0.0))
    assert leads(perfect, _table([(1, 4, 0)])) is None


def _first(view: Any, rows: int) -> dict[str, Any]:
    """The first rows of a view."""
    return {"actual": view.actual[:rows], "row": view.row[:rows], "score": view.score[:rows]}


def test_curves_that_cross_are_named(kit: Any) -> None:
    actual = [1, 0, 0, 1] * 10
    views = [
        kit.view(actual, score=[4, 3, 2, 1] * 10, model="a"),
        kit.view(actual, score=[3, 4, 1, 2] * 10, model="b"),
    ]
    (record,) = kit.cautions(kit.run(views, ["roc_auc"]), "roc_curves_cross")
    assert record.message == (
        "a finds up to 0.500 more of the positives at a false positive rate of 0, "
        "b up to 0.500 more at 0.500."
    )
    views[1] = kit.view(actual, score=[4, 2, 1, 3] * 10, model="b")
    assert kit.message(kit.run(views, ["roc_auc"]), "roc_curves_cross") is None
    # two positives: two standard errors of a difference of shares are 1
    few = [replace(view, **_first(view, 4)) for view in views]
    few[1] = replace(few[1], score=np.array([3.0, 4.0, 1.0, 2.0]))
    assert kit.message(kit.run(few, ["roc_auc"]), "roc_curves_cross") is None


def test_many_pairs_that_cross_are_counted(kit: Any) -> None:
    actual = [1, 0, 0, 1] * 10
    orders = {"a": [4, 3, 2, 1], "b": [3, 4, 1, 2], "c": [4, 3, 2, 1], "d": [3, 4, 1, 2]}
    views = [kit.view(actual, score=s * 10, model=name) for name, s in orders.items()]
    message = kit.message(kit.run(views, ["roc_auc"]), "roc_curves_cross")
    assert message is not None
    assert message.startswith("a finds up to 0.500 more of the positives")
    assert message.count(" finds up to ") == 3
    assert message.endswith("And 1 more like this.")


class ByTables(LabelView):
    """A view as it follows from results: scores are known by their table alone."""

    @property
    def has_score(self) -> bool:
        return True


def counted(each: int) -> ByTables:
    """So many rows of each of two classes."""
    return ByTables(
        dataset="d",
        model="m",
        source="score",
        labels=("no", "yes"),
        positive=1,
        actual=np.arange(2),
        row=np.arange(2),
        times=np.array([2, 2]) * each,
    )


@pytest.mark.parametrize("last", [0.99, 1.0, 1.5])
def test_a_view_without_rows_is_read_from_its_score_table(kit: Any, last: float) -> None:
    """The same sentences, without the place of the row in the file."""
    asked = ["log_loss", "roc_auc"]
    facts = kit.run(kit.view([0, 1, 1, 0], score=[0.1, 0.35, 0.7, last]), asked)
    rowless = replace(facts, views=[counted(1)])
    for code in ("confident_mistake", "clipped_probabilities", "not_probabilities"):
        expected = kit.message(facts, code)
        shorter = expected and expected.replace(" (row 4 of the data)", "")
        assert kit.message(rowless, code) == shorter


@given(
    st.lists(st.tuples(st.floats(1e-15, 40), st.integers(1, 50)), min_size=1, max_size=8),
)
def test_a_sum_over_kinds_is_that_over_rows(kinds: list[tuple[float, int]]) -> None:
    """To the last bit, and with no work for each row."""
    values, times = (np.array(part) for part in zip(*kinds, strict=True))
    assert Given(values, times).total == Given(np.repeat(values, times)).total
    many = times * 10**13 + 1
    exact = sum(Fraction(v) * n for v, n in zip(values.tolist(), many.tolist(), strict=True))
    assert Given(values, many).total == float(exact)


@pytest.mark.parametrize("last", [0.99, 1.0, 1.5, 70.0])
def test_cautions_count_many_rows_of_each_score(kit: Any, last: float) -> None:
    """Rows by the million of millions of each score: they are counted, not written out."""
    asked = ["log_loss"]
    facts = kit.run(kit.view([0, 1, 1, 0], score=[0.1, 0.35, 0.7, last]), asked, thresholds=[0.5])
    each = 10**12
    table = facts.scores("d", "m")
    counts = (one.astype(np.int64) * each for one in (table.positives, table.negatives))
    many = ScoreTable(table.scores, *counts)
    seen = replace(facts, views=[counted(each)], scores=lambda _dataset, _model, _index: many)
    for code in ("clipped_probabilities", "not_probabilities"):
        expected, found = (_numbers(one, code) for one in (facts, seen))
        assert found.keys() == expected.keys()
        for key in {"outside", "clipped", "wrong", "rows"} & found.keys():
            assert found[key] == expected[key] * each
    # no single row dominates where each has so many of its kind
    assert not _numbers(seen, "confident_mistake")


def _numbers(facts: Any, code: str) -> dict[str, Any]:
    own = [c for c in find_cautions(facts) if c.code == code]
    return dict(own[0].numbers) if own else {}


def test_scores_that_look_like_percent(kit: Any) -> None:
    one = kit.view([0, 1] * 20, score=[float(k) for k in range(40)])
    message = kit.message(kit.run(one, ["roc_auc"]), "not_probabilities")
    assert message is not None
    assert message.startswith(
        "38 of 40 rows have a score outside 0 and 1; scores run from 0 to 39;"
    )
    assert message.endswith("between 0 and 1 but up to 100 look like percent: divide them by 100.")


def test_a_single_score_that_is_no_probability_is_named(kit: Any) -> None:
    scores = [0.1, 0.9] * 20
    scores[7] = 1.7
    one = kit.view([0, 1] * 20, score=scores)
    (record,) = kit.cautions(kit.run(one, ["roc_auc"]), "not_probabilities")
    assert record.message.endswith("1.7 is not a probability.")
    assert record.severity == "warning"


def test_a_threshold_outside_the_scores(kit: Any) -> None:
    one = kit.view([0, 1, 1, 0], score=[0.2, 0.8, 0.6, 0.4])
    facts = kit.run(one, ["recall"], thresholds=[0.5, 1.5, 0.2, 0.8])
    assert kit.message(facts, "threshold_outside_scores") == (
        "The threshold 1.5 lies outside the scores, 0.20 to 0.80: no row is predicted yes. "
        "The threshold 0.20 is the lowest score: every row is predicted yes."
    )
