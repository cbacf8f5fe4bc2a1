"""Values of sets of labels: worked out by hand, and by scikit-learn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from engine.label_sets.set_specs import (
    ACTUAL,
    GIVEN,
    LABELS,
    RANKINGS,
    SETS,
    many_rows,
    measure,
    of_scores,
    of_sets,
)
from sklearn import metrics as sklearn_metrics

EVERY = ["none", "macro", "micro", "weighted", "samples"]
RATES = ["recall", "precision", "f1", {"fbeta": {"beta": 2}}]


# -- by hand -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "value", "top", "bottom"),
    [
        ("exact_match", 1 / 2, 2, 4),
        ("hamming_loss", 2 / 12, 2, 12),
        ("example_jaccard", 2 / 3, 2, 3),
        ("alpha_evaluation", 2 / 3, 2, 3),
    ],
)
def test_set_metrics_of_four_rows(metric, value, top, bottom):
    found = measure(of_sets(ACTUAL, GIVEN, SETS), metric)
    assert found["value"] == value
    assert (found["numerator"], found["denominator"]) == (top, bottom)
    # one row has no label, neither true nor given: a mean over rows leaves it out
    assert found["n"] == (3 if bottom == 3 else 4)


def test_rows_without_any_label_are_left_out_of_a_mean_and_counted():
    found = measure(of_sets(ACTUAL, GIVEN, ["example_jaccard"]), "example_jaccard")
    assert found["reason"] == "undefined for 1 of 4 rows, left out of the mean"


def test_alpha_evaluation_weighs_missed_against_false_labels():
    asked = {"alpha_evaluation": {"alpha": 2, "beta": 1, "gamma": 0.5}}
    found = measure(of_sets(ACTUAL, GIVEN, [asked]), "alpha_evaluation")
    # {a, b} as {a}: (1 - 1/2)^2; {b} as {b, c}: (1 - 0.5/2)^2; {a} as {a}: 1
    assert found["value"] == pytest.approx((0.25 + 0.5625 + 1) / 3, abs=1e-15)


def test_hierarchical_loss_does_not_count_below_a_mistake():
    actual = np.array([[1, 1, 0], [1, 1, 1]], bool)
    given = np.array([[0, 0, 0], [1, 1, 0]], bool)
    found = of_sets(actual, given, ["hierarchical_loss"], hierarchy={"b": "a", "c": "b"})
    # the first row: a is wrong, b below it is idle; the second: c alone
    assert measure(found, "hierarchical_loss")["substituted"] == "2 / 2"


def test_a_hierarchy_of_other_labels_gives_no_loss():
    flags = np.array([[1, 1, 0], [1, 1, 1]], bool)
    for hierarchy, reason in (
        ({"b": "x", "c": "x"}, "names parents that are no labels of these rows: x"),
        ({"x": "y"}, "names no parent of a label"),
    ):
        loss = measure(of_sets(flags, flags, ["hierarchical_loss"], hierarchy=hierarchy),
                       "hierarchical_loss")  # fmt: skip
        assert (loss["state"], loss["reason"]) == ("undefined", f"the hierarchy {reason}")


def test_tables_of_labels():
    found = of_sets(ACTUAL, GIVEN, ["recall"])
    # rows: absent, present; columns: not given, given
    assert {t["label"]: t["counts"] for t in found["tables"]} == {
        "a": [[2, 0], [0, 2]],
        "b": [[2, 0], [1, 1]],
        "c": [[3, 1], [0, 0]],
    }
    assert [t["labels"] for t in found["tables"]] == [[f"not {x}", x] for x in LABELS]
    assert [t["positive"] for t in found["tables"]] == list(LABELS)


def test_a_label_that_no_row_has_is_undefined_and_left_out_of_the_mean():
    found = of_sets(ACTUAL, GIVEN, ["recall"], averaging=EVERY)
    of_c = measure(found, "recall", label="c")
    assert (of_c["state"], of_c["value"]) == ("undefined", None)
    assert "c" in of_c["reason"]
    macro = measure(found, "recall", average="macro")
    assert macro["value"] == 0.75
    assert macro["reason"].startswith("undefined for 1 of 3")
    assert measure(found, "recall", average="weighted")["value"] == 0.75


def test_averages_of_recall_and_precision():
    found = of_sets(ACTUAL, GIVEN, ["recall", "precision"], averaging=EVERY)
    assert measure(found, "recall", average="micro")["substituted"] == "3 / (3 + 1)"
    assert measure(found, "precision", average="micro")["substituted"] == "3 / (3 + 1)"
    assert measure(found, "recall", average="samples")["substituted"] == "2.5 / 3"
    assert measure(found, "precision", average="samples")["substituted"] == "2.5 / 3"
    assert measure(found, "precision", average="macro")["value"] == 2 / 3


def test_accuracy_of_labels_pooled_is_one_minus_hamming_loss():
    found = of_sets(ACTUAL, GIVEN, ["accuracy", "hamming_loss"], averaging=EVERY)
    assert measure(found, "accuracy", label="c")["value"] == 3 / 4
    assert measure(found, "accuracy", average="micro")["value"] == 10 / 12
    assert measure(found, "accuracy", average="macro")["value"] == pytest.approx(10 / 12, abs=1e-15)


@pytest.mark.parametrize(
    ("metric", "top", "bottom"),
    [
        # two rows; labels a and b of the first are tied below c, the second has only b
        ("one_error", 2, 2),
        ("coverage_error", 3 + 2, 2),
    ],
)
def test_ranking_metrics_with_ties(metric, top, bottom):
    actual = np.array([[1, 0, 0], [0, 1, 0]], bool)
    scores = np.array([[0.4, 0.4, 0.9], [0.7, 0.6, 0.1]])
    found = measure(of_scores(actual, scores, [metric]), metric)
    assert (found["numerator"], found["denominator"]) == (top, bottom)


def test_tied_pairs_of_labels_are_half_wrong():
    actual = np.array([[1, 0, 0]], bool)
    found = measure(of_scores(actual, [[0.4, 0.4, 0.9]], ["ranking_loss"]), "ranking_loss")
    assert found["value"] == 1.5 / 2


def test_a_score_at_the_threshold_gives_the_label():
    actual = np.array([[1, 1, 0]], bool)
    found = of_scores(actual, [[0.5, 0.3, 0.2]], ["recall"], thresholds=[0.5, 0.3])
    assert measure(found, "recall", label="a", threshold=0.5)["value"] == 1
    assert measure(found, "recall", label="b", threshold=0.5)["value"] == 0
    assert measure(found, "recall", label="b", threshold=0.3)["value"] == 1
    assert found["labels"][0]["operator"] == "score >= threshold"
    assert [t["rows"] for t in found["labels"][0]["ties"]] == [1, 1]


# -- scikit-learn ------------------------------------------------------------------------------

ROWS, SCORES = many_rows()
NAMES = ("v", "w", "x", "y", "z")


@pytest.fixture(scope="module")
def scored():
    asked = [*SETS, *RANKINGS, *RATES, "jaccard", "roc_auc", "average_precision", "accuracy"]
    return of_scores(ROWS, SCORES, asked, labels=NAMES, averaging=EVERY)


def test_tables_are_those_of_scikit_learn(scored):
    expected = sklearn_metrics.multilabel_confusion_matrix(ROWS, SCORES >= 0.5)
    assert [t["counts"] for t in scored["tables"]] == expected.tolist()


def test_set_metrics_are_those_of_scikit_learn(scored):
    given = SCORES >= 0.5
    some = ROWS.any(axis=1) | given.any(axis=1)
    assert 0 < some.sum() < len(ROWS)
    expected = {
        "exact_match": sklearn_metrics.accuracy_score(ROWS, given),
        "hamming_loss": sklearn_metrics.hamming_loss(ROWS, given),
        "example_jaccard": sklearn_metrics.jaccard_score(
            ROWS[some], given[some], average="samples"
        ),
    }
    for metric, value in expected.items():
        assert measure(scored, metric)["value"] == pytest.approx(value, abs=1e-12)


def test_ranking_metrics_are_those_of_scikit_learn(scored):
    has, ranked = ROWS.any(axis=1), SCORES
    assert 0 < has.sum() < len(ROWS)
    coverage = sklearn_metrics.coverage_error(ROWS[has], ranked[has])
    precision = sklearn_metrics.label_ranking_average_precision_score(ROWS[has], ranked[has])
    assert measure(scored, "coverage_error")["value"] == pytest.approx(coverage, abs=1e-12)
    found = measure(scored, "label_ranking_average_precision")
    assert found["value"] == pytest.approx(precision, abs=1e-12)
    assert found["n"] == found["denominator"] == has.sum()


def test_ranking_loss_without_ties_is_that_of_scikit_learn():
    rng = np.random.default_rng(5)
    scores = rng.permuted(np.linspace(0, 1, 1500).reshape(300, 5), axis=1)
    pairs = ROWS.any(axis=1) & ~ROWS.all(axis=1)
    found = of_scores(ROWS, scores, ["ranking_loss"], labels=NAMES)
    expected = sklearn_metrics.label_ranking_loss(ROWS[pairs], scores[pairs])
    assert measure(found, "ranking_loss")["value"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("average", EVERY)
@pytest.mark.parametrize("metric", ["recall", "precision", "f1", "fbeta"])
def test_rates_are_those_of_scikit_learn(scored, metric, average):
    given = SCORES >= 0.5
    form = getattr(sklearn_metrics, f"{metric}_score")
    beta = {"beta": 2} if metric == "fbeta" else {}
    kind = None if average == "none" else average
    expected = form(ROWS, given, average=kind, zero_division=math.nan, **beta)
    if kind is None:
        found = [measure(scored, metric, label=label)["value"] for label in NAMES]
        assert found == pytest.approx(expected.tolist(), abs=1e-12)
    else:
        found = measure(scored, metric, average=kind)["value"]
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
def test_jaccard_averages_are_those_of_scikit_learn(scored, average):
    expected = sklearn_metrics.jaccard_score(ROWS, SCORES >= 0.5, average=average)
    assert measure(scored, "jaccard", average=average)["value"] == pytest.approx(expected)


@pytest.mark.parametrize("average", ["none", "macro", "weighted"])
def test_areas_of_labels_are_those_of_scikit_learn(scored, average):
    kind = None if average == "none" else average
    for metric, form in (
        ("roc_auc", sklearn_metrics.roc_auc_score),
        ("average_precision", sklearn_metrics.average_precision_score),
    ):
        expected = form(ROWS, SCORES, average=kind)
        if kind is None:
            found = [measure(scored, metric, label=label)["value"] for label in NAMES]
            assert found == pytest.approx(expected.tolist(), abs=1e-12)
        else:
            found = measure(scored, metric, average=kind)["value"]
            assert found == pytest.approx(expected, abs=1e-12)
