"""Curves of many rows keep their shape with few points, stored and drawn."""

from __future__ import annotations

import numpy as np
import pytest

from evalreport.engine.curves import HALF_A_DIGIT, MOST_POINTS, MOST_STEPS, merged, merged_in_steps
from evalreport.metrics import curves
from evalreport.metrics.tables import ScoreTable


@pytest.fixture(scope="module")
def rare():
    """A million rows, two in a thousand positive: precision falls from 1 to 0.002."""
    rng = np.random.default_rng(9)
    positive = rng.random(1_000_000) < 0.002
    z = rng.normal(size=1_000_000) + np.where(positive, 3, 0)
    scores, entry = np.unique(-np.round(1 / (1 + np.exp(4 - z)), 6), return_inverse=True)
    count = [np.bincount(entry, weights=kind) for kind in (positive, ~positive)]
    return ScoreTable(-scores, *count)


def _columns(points, x, y):
    found = np.array(list(zip(points[x], points[y], strict=True)), dtype=float)
    return found[:, 0], found[:, 1]


def _from_steps(x, y, kept_x, kept_y):
    """How far points lie from a curve of steps: from its levels and from its uprights."""
    places, first = np.unique(kept_x, return_index=True)
    after = np.append(kept_y[1:], kept_y[-1])
    low = np.minimum.reduceat(np.minimum(kept_y, after), first)
    high = np.maximum.reduceat(np.maximum(kept_y, after), first)
    k = np.searchsorted(places, x, side="left").clip(0, len(places) - 1)
    nearest = np.abs(kept_y[first][k] - y)
    for at in (k, (k - 1).clip(0)):
        beside = np.maximum(np.maximum(low[at] - y, y - high[at]), 0)
        nearest = np.minimum(nearest, np.maximum(np.abs(x - places[at]), beside))
    return nearest


def test_a_stored_precision_recall_curve_keeps_within_half_a_printed_digit(rare):
    fewer, was_thinned = merged_in_steps(rare, MOST_POINTS)
    assert was_thinned
    assert len(fewer.scores) <= MOST_STEPS
    full = _columns(curves.precision_recall(rare), "recall", "precision")
    apart = _from_steps(*full, *_columns(curves.precision_recall(fewer), "recall", "precision"))
    assert apart.max() <= HALF_A_DIGIT + 1e-12


def test_a_thinned_curve_begins_and_ends_where_the_full_one_does(rare):
    for of, thin in ((curves.roc, merged), (curves.precision_recall, merged_in_steps)):
        for most in (MOST_POINTS, 250):
            full, fewer = of(rare), of(thin(rare, most)[0])
            first = 1 if of is curves.roc else 0
            for name in ("threshold", "tp", "fp"):
                assert fewer[name][first] == full[name][first]
                assert fewer[name][-1] == full[name][-1]


def test_a_stored_roc_curve_keeps_its_height(rare):
    full_x, full_y = _columns(curves.roc(rare, drop_collinear=True), "fpr", "tpr")
    fewer, _ = merged(rare, MOST_POINTS)
    x, y = _columns(curves.roc(fewer, drop_collinear=True), "fpr", "tpr")
    # heights within a thousandth of an axis, sideways or upright: uprights have many
    low = np.interp(full_x - 0.001, x, y)
    high = np.interp(full_x + 0.001, x, y)
    assert np.all((low - 0.001 <= full_y) & (full_y <= high + 0.001))


def test_counts_of_a_thinned_curve_are_counts_of_the_full_one(rare):
    full = curves.precision_recall(rare)
    at = dict(zip(full["threshold"], zip(full["tp"], full["fp"], strict=True), strict=True))
    thin = curves.precision_recall(merged_in_steps(rare, 250)[0])
    assert all(
        at[t] == (tp, fp)
        for t, tp, fp in zip(thin["threshold"], thin["tp"], thin["fp"], strict=True)
    )


def test_few_scores_are_all_kept():
    table = ScoreTable(np.array([0.9, 0.5, 0.1]), np.array([1, 0, 1]), np.array([0, 2, 1]))
    assert merged(table, 3) == merged_in_steps(table, 3) == (table, False)
