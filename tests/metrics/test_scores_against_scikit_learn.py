"""Metrics of scores and of label sets agree with scikit-learn wherever both have a number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as stn
from oracle import class_scores, score_table
from sklearn import metrics as sk

from evalreport.metrics import (
    calibration_curve,
    curves,
    label_ranking,
    label_sets,
    precision_recall,
    probabilities,
    ranking,
)
from evalreport.metrics.combined import f1, fbeta
from evalreport.metrics.counts import precision, recall
from evalreport.metrics.sets_table import LabelSets, samples_average, samples_values, undefined_rows

quick = settings(deadline=None, max_examples=60, derandomize=True)


@st.composite
def two_classes(draw: Any) -> tuple[Any, Any]:
    n = draw(st.integers(2, 40))
    actual = draw(stn.arrays(bool, n))
    assume(actual.any() and not actual.all())
    scores = draw(stn.arrays(int, n, elements=st.integers(0, draw(st.sampled_from([3, 20, 1000])))))
    return actual, scores / max(1, scores.max())


@st.composite
def sets(draw: Any) -> LabelSets:
    shape = (draw(st.integers(1, 12)), draw(st.integers(2, 5)))
    actual, predicted = draw(stn.arrays(bool, shape)), draw(stn.arrays(bool, shape))
    scores = draw(stn.arrays(int, shape, elements=st.integers(0, 6))) / 6
    return LabelSets(tuple("abcde"[: shape[1]]), actual, predicted, scores)


def number(expression: Any) -> float:
    return float(expression.outcome().number)


@pytest.mark.long
@quick
@given(two_classes())
def test_areas(data: tuple[Any, Any]) -> None:
    actual, scores = data
    s = score_table(actual, scores)
    assert number(ranking.roc_auc(s)) == pytest.approx(sk.roc_auc_score(actual, scores))
    expected = sk.average_precision_score(actual, scores)
    assert number(precision_recall.average_precision(s)) == pytest.approx(expected)
    if len(s.scores) > 1:
        p, r, _ = sk.precision_recall_curve(actual, scores)
        assert number(precision_recall.pr_auc(s)) == pytest.approx(sk.auc(r, p))
    standard = number(ranking.partial_auc(s, max_fpr=0.3, standardized=True))
    assert standard == pytest.approx(sk.roc_auc_score(actual, scores, max_fpr=0.3))


@pytest.mark.long
@quick
@given(two_classes())
def test_losses(data: tuple[Any, Any]) -> None:
    actual, scores = data
    s = score_table(actual, scores)
    brier = number(probabilities.brier(s))
    assert brier == pytest.approx(sk.brier_score_loss(actual, scores), abs=1e-12)
    inside = np.clip(scores, 1e-6, 1 - 1e-6)
    loss = number(probabilities.log_loss(score_table(actual, inside)))
    assert loss == pytest.approx(sk.log_loss(actual, inside))


@quick
@given(two_classes())
def test_curves(data: tuple[Any, Any]) -> None:
    actual, scores = data
    s = score_table(actual, scores)
    points = curves.roc(s)
    fpr, tpr, thresholds = sk.roc_curve(actual, scores, drop_intermediate=False)
    assert points["fpr"] == pytest.approx(fpr)
    assert points["tpr"] == pytest.approx(tpr)
    assert points["threshold"][1:] == pytest.approx(thresholds[1:])
    p, r, at = sk.precision_recall_curve(actual, scores)
    pr = curves.precision_recall(s)
    assert pr["precision"] == pytest.approx(p[:-1][::-1])
    assert pr["recall"] == pytest.approx(r[:-1][::-1])
    assert pr["threshold"] == pytest.approx(at[::-1])


@quick
@given(st.data())
def test_class_scores(data: Any) -> None:
    size, n = data.draw(st.integers(3, 5)), data.draw(st.integers(1, 25))
    actual = data.draw(stn.arrays(int, n, elements=st.integers(0, size - 1)))
    raw = data.draw(stn.arrays(int, (n, size), elements=st.integers(1, 9)))
    scores = raw / raw.sum(axis=1, keepdims=True)
    c = class_scores(actual, scores, tuple("abcde"[:size]))
    labels = list(range(size))
    loss = number(probabilities.log_loss.for_classes(c))  # type: ignore[misc]
    assert loss == pytest.approx(sk.log_loss(actual, scores, labels=labels))
    onehot = np.eye(size)[actual]
    brier = number(probabilities.brier.for_classes(c))  # type: ignore[misc]
    assert brier == pytest.approx(((scores - onehot) ** 2).sum(axis=1).mean())
    # scikit-learn ranks ties the other way round: shift them by class order first
    untied = scores - np.arange(size) * 1e-9
    for k in range(1, size):
        expected = sk.top_k_accuracy_score(actual, untied, k=k, labels=labels)
        assert number(probabilities.top_k_accuracy(c, k=k)) == pytest.approx(expected)
    if set(actual) == set(labels):
        areas = [number(ranking.roc_auc(table)) for table in c.per_class]
        expected = sk.roc_auc_score(actual, scores, multi_class="ovr", average="macro")
        assert np.mean(areas) == pytest.approx(expected)
        expected = sk.roc_auc_score(actual, scores, multi_class="ovo", average="macro")
        assert number(ranking.hand_till_auc(c)) == pytest.approx(expected)


@pytest.mark.long
@quick
@given(sets())
def test_sets_of_labels(s: LabelSets) -> None:
    a, p = s.actual, s.predicted
    assert number(label_sets.exact_match(s)) == pytest.approx(sk.accuracy_score(a, p))
    assert number(label_sets.hamming_loss(s)) == pytest.approx(sk.hamming_loss(a, p))
    either = (a | p).any(axis=1)
    assume(either.any())
    expected = sk.jaccard_score(a[either], p[either], average="samples")
    assert number(label_sets.example_jaccard(s)) == pytest.approx(expected)
    for k in range(len(s.labels)):
        tn, fp, fn, tp = sk.confusion_matrix(a[:, k], p[:, k], labels=[False, True]).ravel()
        c = s.counts(k)
        assert (c.tp.value, c.fp.value, c.fn.value, c.tn.value) == (tp, fp, fn, tn)


@quick
@given(sets())
def test_samples_averages(s: LabelSets) -> None:
    some = {
        recall: s.actual.any(axis=1),
        precision: s.predicted.any(axis=1),
        f1: (s.actual | s.predicted).any(axis=1),
        fbeta: (s.actual | s.predicted).any(axis=1),
    }
    of = {
        recall: lambda a, p: sk.recall_score(a, p, average="samples"),
        precision: lambda a, p: sk.precision_score(a, p, average="samples"),
        f1: lambda a, p: sk.f1_score(a, p, average="samples"),
        fbeta: lambda a, p: sk.fbeta_score(a, p, beta=2, average="samples"),
    }
    for metric, kept in some.items():
        arguments = {"beta": 2.0} if metric is fbeta else {}
        skipped = undefined_rows(s, samples_values(metric, s, arguments))
        assert skipped == (~kept).sum()
        if kept.any():
            value = number(samples_average(metric, s, arguments))
            assert value == pytest.approx(of[metric](s.actual[kept], s.predicted[kept]))


@quick
@given(sets())
def test_rankings_of_labels(s: LabelSets) -> None:
    assert s.scores is not None
    some = s.actual.any(axis=1)
    assume(some.any())
    actual, scores = s.actual[some], s.scores[some]
    coverage = number(label_ranking.coverage_error(s))
    assert coverage == pytest.approx(sk.coverage_error(actual, scores))
    lrap = number(label_ranking.label_ranking_average_precision(s))
    assert lrap == pytest.approx(sk.label_ranking_average_precision_score(actual, scores))
    both = some & ~s.actual.all(axis=1)
    assume(both.any())
    # scikit-learn counts a tied pair as wrong; here it counts half
    slightly = s.scores[both] + np.where(s.actual[both], 1e-9, 0)
    strict = sk.label_ranking_loss(s.actual[both], slightly)
    lenient = sk.label_ranking_loss(s.actual[both], s.scores[both])
    expected = (strict + lenient) / 2
    assert number(label_ranking.ranking_loss(s)) == pytest.approx(expected)


def test_one_error_by_hand() -> None:
    actual = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
    scores = np.array([[0.9, 0.1, 0.2], [0.9, 0.1, 0.2], [0.5, 0.1, 0.5], [0.9, 0.1, 0.2]])
    s = LabelSets(("a", "b", "c"), actual, actual, scores)
    # right; wrong; one of two tied is right; no label, left out
    assert label_ranking.one_error(s).substituted() == "1.5 / 3"


def test_resamples_of_label_sets_are_weighted_rows() -> None:
    rng = np.random.default_rng(3)
    actual, predicted = rng.random((20, 4)) < 0.4, rng.random((20, 4)) < 0.4
    scores = rng.random((20, 4))
    times = rng.multinomial(20, [1 / 20] * 20, size=5)
    labels = tuple("abcd")
    stacked = LabelSets(labels, actual, predicted, scores, times)
    for metric in (
        label_sets.exact_match,
        label_sets.hamming_loss,
        label_sets.example_jaccard,
        label_sets.alpha_evaluation,
        label_ranking.ranking_loss,
        label_ranking.coverage_error,
    ):
        drawn = [[np.repeat(x, t, axis=0) for x in (actual, predicted, scores)] for t in times]
        each = [number(metric(LabelSets(labels, *parts))) for parts in drawn]
        assert metric(stacked).array() == pytest.approx(each)


def test_alpha_evaluation_by_hand() -> None:
    actual = np.array([[1, 1, 0, 0], [0, 0, 0, 0]], dtype=bool)
    predicted = np.array([[1, 0, 1, 0], [0, 0, 0, 0]], dtype=bool)
    s = LabelSets(tuple("abcd"), actual, predicted)
    # one missed, one false, three in either set: (1 - (1 + 0.5) / 3)^2; the empty row is left out
    value = label_sets.alpha_evaluation(s, alpha=2.0, beta=1.0, gamma=0.5)
    assert number(value) == pytest.approx((1 - 1.5 / 3) ** 2)


@quick
@given(two_classes())
def test_calibration_bins(data: tuple[Any, Any]) -> None:
    from sklearn.calibration import calibration_curve as reference

    actual, scores = data
    points = calibration_curve.calibration(score_table(actual, scores))
    assert sum(points["n"]) == len(actual)
    # scikit-learn's bins are closed on the right: keep scores off the edges
    off = np.clip(scores, 0, 1) * 0.98 + 0.0013
    observed, mean = reference(actual, off, n_bins=10)
    points = calibration_curve.calibration(score_table(actual, off))
    assert points["observed"] == pytest.approx(observed)
    assert points["mean_score"] == pytest.approx(mean)
