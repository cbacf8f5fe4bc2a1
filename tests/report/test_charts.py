"""What charts show in words, and how models are told apart without colour."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import evalreport
from evalreport.report import findings
from evalreport.report.charts.forest import FoldRow
from evalreport.report.charts.points import Curve
from evalreport.report.charts.style import DASHES, mark
from evalreport.results import records
from evalreport.results.records import RocLead, RocPoint, RocRelation

NONE = RocLead(by=0.0, fpr=0.0)


def relation(first: str, second: str, is_: str | None, **more: Any) -> RocRelation:
    told = {"first_leads": NONE, "second_leads": NONE} | more
    return RocRelation(dataset="d", first=first, second=second, relation=is_, **told)


def test_no_two_models_need_colour_to_be_told_apart() -> None:
    assert len(set(DASHES)) == len(DASHES) == 8
    looks = [mark(k) for k in range(8)]
    hollow = [look["markerfacecolor"] == "white" for look in looks]
    assert len({(look["marker"], h) for look, h in zip(looks, hollow, strict=True)}) == 8


@pytest.mark.parametrize(
    ("relations", "names", "said"),
    [
        ([relation("a", "b", "above")], "ab", "b lies below a everywhere"),
        ([relation("a", "b", "below")], "ab", "a lies below b everywhere"),
        ([relation("a", "b", "equal")], "ab", "the curves of a and b are the same"),
        ([relation("a", "b", None)], "ab", ""),
        ([], "a", ""),
        (
            [
                relation(
                    "a", "b", "cross", crossings=(RocPoint(fpr=0.25, tpr=0.5),), crossing_count=1,
                    first_leads=RocLead(by=0.1, fpr=0.3),
                )
            ],
            "ab",
            ("a finds up to 10 points more at the same false positive rate; the curves cross at "
            "0.250"),
        ),
        (
            [relation("a", "b", "cross", crossing_count=9)],
            "ab",
            "the curves of a and b cross 9 times",
        ),
        (
            [relation("a", "b", "below"), relation("a", "c", "cross"), relation("b", "c", "above")],
            "abc",
            "b lies above all others everywhere",
        ),
        (
            [relation("a", "b", "cross"), relation("a", "c", "cross"), relation("b", "c", "above")],
            "abc",
            "no curve lies above all others everywhere",
        ),
    ],
)  # fmt: skip
def test_the_finding_of_roc_curves_follows_from_their_relations(relations, names, said) -> None:
    assert findings.roc_finding(relations, list(names)) == said


def precision(name: str, *heights: float) -> Curve:
    recall = [k / len(heights) for k in range(1, len(heights) + 1)]
    return Curve(name, 0, {"recall": recall, "precision": heights})


def test_the_finding_of_precision_says_where_a_curve_is_the_higher() -> None:
    a = precision("a", 1.0, 0.9, 0.8, 0.7)
    said = findings.precision_finding
    assert said([a, precision("b", 1.0, 0.8, 0.7, 0.7)]) == (
        "the precision of a is that of b or higher at every recall, and higher at recalls from "
        "0.500 to 0.750"
    )
    # one recall is no range: from 1 to 1
    assert said([a, precision("b", 1.0, 0.9, 0.8, 0.6)]) == (
        "the precision of a is that of b or higher at every recall, and higher at a recall of 1"
    )
    assert said([precision("a", 0.9, 0.8, 0.7, 0.6), precision("b", 1.0, 0.7, 0.8, 0.7)]) == (
        "the precision of b is that of a or higher at every recall from 0.750 on, "
        "its longest such stretch"
    )
    assert said([a, precision("b", 1.0, 0.9, 0.8, 0.7)]) == (
        "a and b have the same precision at every recall"
    )
    assert said([a, precision("b", 0.5, 0.95, 0.85, 0.75)]) == (
        "the precision of b is that of a or higher at every recall from 0.500 on"
    )
    # higher from 0.25 to 0.5 and at 1, lower at 0.75: the wider stretch is not the only one
    assert said([a, precision("b", 0.9, 0.8, 0.85, 0.6)]) == (
        "the precision of a is that of b or higher at every recall up to 0.500, "
        "its longest such stretch"
    )
    assert said([a]) == ""


def benefit(name: str, *heights: float) -> Curve:
    at = [(k + 1) / 10 for k in range(len(heights))]
    told = {"treat_all": [0.3 - t for t in at], "treat_none": [0.0] * len(at)}
    return Curve(name, 0, {"threshold": at, "net_benefit": list(heights), **told})


def test_the_finding_of_net_benefit_counts_treating_all_and_none() -> None:
    said = findings.benefit_finding
    assert said([benefit("a", 0.1, 0.2, 0.1), benefit("b", 0.1, 0.1, 0.05)]) == (
        "a has the highest net benefit at thresholds from 0.20 to 0.30"
    )
    assert said([benefit("a", 0.1, 0.2, -0.1)]) == (
        "a has the highest net benefit at the threshold 0.20"
    )
    # at 0.2 treating all gives 0.1 as well
    assert said([benefit("a", 0.3, 0.1, 0.1)]) == (
        "a has the highest net benefit at the threshold 0.10 and at the threshold 0.30"
    )
    assert said([benefit("a", 0.1, -0.1, -0.2)]).startswith("no model has a higher net benefit")


def test_the_finding_of_bins_counts_the_intervals_beside_the_diagonal() -> None:
    told = {"mean_score": [0.2, 0.8], "observed": [0.2, 0.5], "n": [40, 1200]}
    limits = {"observed_low": [0.1, 0.4], "observed_high": [0.3, 0.6]}
    curve = Curve("a", 0, told | limits)
    assert findings.calibration_finding([curve], "mean_score") == (
        "a is off the diagonal in 1 of 2 bins"
    )
    wide = Curve("a", 0, told | {"observed_low": [0.1, 0.4], "observed_high": [0.3, 0.9]})
    assert findings.calibration_finding([wide], "mean_score") == (
        "no bin is off the diagonal: 0 of 2 (a)"
    )
    # Wilson limits of 0 of 1 are 0 to 0.79: they hold nearly any score
    few = {**told, "n": [40, 1], "observed_low": [0.1, 0.0], "observed_high": [0.3, 0.79]}
    assert findings.calibration_finding([Curve("a", 0, few)], "mean_score") == (
        "no bin is off the diagonal: 0 of 1 (a)"
    )
    b, c = replace(wide, name="b"), replace(curve, name="c")
    said = findings.calibration_finding
    assert said([b, curve], "mean_score") == "a is off the diagonal in 1 of 2 bins; b in none of 2"
    assert said([curve, c], "mean_score") == "a is off the diagonal in 1 of 2 bins; c in 1 of 2"
    each = [*(replace(curve, name=name) for name in "acd"), b, replace(curve, name="e")]
    assert (
        said(each, "mean_score") == "4 of 5 are off the diagonal in some bin, each in 1 of 2 bins"
    )
    worse = replace(
        curve, name="f", points=told | {"observed_low": [0.3, 0.4], "observed_high": [0.4, 0.6]}
    )
    assert said([*each, worse], "mean_score") == (
        "5 of 6 are off the diagonal in some bin, most of all f: in 2 of 2 bins"
    )
    fewer = Curve("a", 0, {**few, "n": [3, 1]})
    assert findings.calibration_finding([fewer], "mean_score") == (
        "2 of 2 bins have fewer than 10 rows: too few to judge calibration"
    )


def test_one_curve_has_its_precision_at_half_of_the_positives() -> None:
    own = precision("a", 1.0, 0.9, 0.8, 0.7)
    assert findings.precision_at(own, 0.4) == (
        "precision is 0.900 at a recall of 0.500, where guessing gives 0.400"
    )
    assert findings.precision_at(own, None) == "precision is 0.900 at a recall of 0.500"
    rates = Curve("a", 0, {"fpr": [0.0, 0.05, 0.2, 1.0], "tpr": [0.1, 0.4, 0.8, 1.0]})
    assert findings.recall_at(rates) == "recall is 0.400 at a false positive rate of 0.0500"


def test_the_finding_of_scores_counts_rows_above_the_threshold() -> None:
    a, b = ((9.0, 174.0), (11.0, 1623.0)), ((0.0, 174.0), (2.0, 1623.0))
    said = findings.scores_finding
    assert said([("a", "score ≥ 0.50", *a)], ("yes", "no")) == (
        "score ≥ 0.50: 9 of 174 yes and 11 of 1623 no"
    )
    both = [("a", "score ≥ 0.50", *a), ("b", "score ≥ 0.50", *b)]
    assert said(both, ("yes", "no")) == (
        "score ≥ 0.50: 9 of 174 yes and 11 of 1623 no (a), 0 and 2 (b)"
    )
    # another threshold, or other rows, are named again
    apart = [both[0], ("b", "score ≥ 0.10", *b)]
    assert said(apart, ("yes", "no")).endswith(", score ≥ 0.10: 0 of 174 yes and 2 of 1623 no (b)")


def test_the_finding_of_the_scores_of_classes_is_of_those_of_their_own() -> None:
    def bins(name: str, *rows: int) -> Curve:
        return Curve(name, 0, {"low": [0.0, 0.25, 0.5, 0.75], "positives": list(rows)})

    said = findings.upper_half_finding
    assert said([bins("a", 2, 2, 3, 3), bins("b", 1, 0, 0, 9)]) == (
        "6 of 10 rows of a score 0.50 or more, the smallest share"
    )
    assert said([bins("a", 5, 0, 5, 0), bins("b", 1, 0, 1, 0), bins("c", 0, 0, 2, 2)]) == (
        "50 % of the rows of a and b each score 0.50 or more"
    )
    assert said([bins("a", 2, 2, 3, 3), bins("b", 1, 0, 0, 9)], weighted=True) == (
        "a weight of 6 of 10 of a scores 0.50 or more, the smallest share"
    )
    # bins of a margin have no end at a half
    assert said([Curve("a", 0, {"low": [-1.0, 0.2], "positives": [3, 4]})]) == ""


def test_the_finding_of_net_benefit_of_classes_counts_thresholds() -> None:
    # treating all gives 0.2, 0.1 and 0 there
    a, b = benefit("a", 0.3, 0.2, 0.1), benefit("b", 0.3, 0.1, 0.0)
    said = findings.better_finding
    assert said([a, b]) == "scores beat treating all and none at 3 (a) and 1 (b) of 3 thresholds"
    assert said([b]) == "scores beat treating all and none at 1 of 3 thresholds"
    assert said([a, replace(a, name="c")]) == (
        "for each of 2 curves, scores beat treating all and none at 3 of 3 thresholds"
    )


def test_the_findings_of_training_and_of_pairs_are_counts_and_steps() -> None:
    a, b = [(50, 0.9, 0.1), (100, 0.92, 0.1), (200, 0.95, 0.1)], [(100, 0.8, 0.0), (200, 0.8, 0.0)]
    assert findings.learning_finding("Recall", [("a", a), ("b", b)]) == (
        "Recall on test rows goes from 0.920 to 0.950 (a) and 0.800 to 0.800 (b) "
        "between 100 and 200 rows trained on"
    )
    assert findings.learning_finding("Recall", [("a", a[:1])]) == ""
    pairs = records.Calls(8, 3, 2, 1), records.Calls(1, 4, 5, 30)
    # a alone finds 3 positives, and b alone calls 5 of the others positive
    assert findings.paired_finding(("a", "b"), *pairs, "is right") == (
        "a alone is right in 8 rows, b alone in 6"
    )
    rows = [FoldRow("Recall, a", 0, (0.5, 0.9)), FoldRow("Recall, b", 1, (0.6, 0.7))]
    assert findings.folds_finding(rows) == "widest over folds: Recall, a, 0.500 to 0.900"


def test_the_finding_of_thresholds_is_a_point_of_the_curves() -> None:
    rows = [(0.1, 1.0, 0.2, 0.5), (0.4, 0.8, 0.75, 0.6), (0.9, 0.1, 1.0, None)]
    assert findings.sweep_finding(rows, ("recall", "specificity")) == (
        "recall 0.800 and specificity 0.750 are closest at 0.40"
    )
    # a constant score: nothing lies between all and none
    assert findings.sweep_finding([(0.0, 1.0, 0.0), (0.5, 0.0, 1.0)], ("PPA", "NPA")) == (
        "every threshold gives PPA 1 and NPA 0, or the reverse"
    )


@pytest.fixture(scope="module")
def said() -> Any:
    rows = {
        "y": ["ill"] * 4 + ["healthy"] * 7,
        "p": [0.9, 0.8, 0.7, 0.3, 0.75, 0.4, 0.3, 0.2, 0.1, 0.05, 0.04],
        "says": ["ill", "ill", "healthy", "ill", "ill"] + ["healthy"] * 6,
    }
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "positive": {"label": "ill"},
        "models": {"scored": {"score": "p"}, "said": {"prediction": "says"}},
        "metrics": ["net_benefit", "recall"],
    }
    return evalreport.run(spec, frames={"d": rows})


def test_labels_alone_have_a_net_benefit_at_each_threshold(said: Any) -> None:
    curves = {c["model"]: c for c in said.json["curves"] if c["kind"] == "decision"}
    points = curves["said"]["points"]
    assert points["threshold"] == curves["scored"]["points"]["threshold"]
    assert set(points["tp"]) == {3}
    assert set(points["fp"]) == {1}
    for t, got in zip(points["threshold"], points["net_benefit"], strict=True):
        assert got == pytest.approx(3 / 11 - 1 / 11 * t / (1 - t), abs=1e-12)
    assert points["treat_all"] == curves["scored"]["points"]["treat_all"]


def test_a_chart_stands_under_its_finding_and_thresholds_are_exact(said: Any) -> None:
    page = said.to_html()
    assert "Net benefit, scored and said" in page
    assert "Recall, specificity and precision by threshold" in page
    # of the scores 0.4 is the one with recall 3/4 and specificity 5/7
    assert "Recall 0.750 and specificity 0.714 are closest at 0.40" in page
