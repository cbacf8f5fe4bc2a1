"""Whatever small data a run holds, cautions come out whole, ordered and the same twice."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalreport.engine.cautions import find_cautions
from evalreport.engine.cautions.catalogue import known_codes
from evalreport.metrics.roc_relation import roc_relation
from evalreport.metrics.tables import ScoreTable
from evalreport.results.codec import encode

TWO = [
    "accuracy", "recall", "specificity", "precision", "f1", "mcc", "kappa", "balanced_accuracy",
    "roc_auc", "average_precision", "log_loss", "brier", "brier_scaled", "calibration_slope",
    "calibration_in_the_large", "spiegelhalter_p", "ece", "no_information_rate",
]  # fmt: skip
MORE = ["accuracy", "recall", "precision", "f1", "mcc", "roc_auc", "log_loss", "brier"]
SCORES = st.one_of(
    st.sampled_from([0.0, 0.5, 1.0, 1e-16, 0.25]),
    st.floats(-2, 2, allow_nan=False, width=32),
    st.floats(0, 1, allow_nan=False),
)


@st.composite
def views(draw: Any, kit: Any) -> list[Any]:
    """One to three models on the same 1 to 25 rows, of any kind."""
    n = draw(st.integers(1, 25))
    classes = draw(st.integers(1, 4))
    rows = lambda inside: st.lists(inside, min_size=n, max_size=n)  # noqa: E731
    actual = draw(rows(st.integers(0, classes - 1)))
    more: dict[str, Any] = {"labels": ["no", "yes", "<b>", ""][: max(classes, 2)]}
    if draw(st.booleans()):
        more["groups"] = {"sex": draw(rows(st.sampled_from(["f", "m", "(missing)"])))}
    design = draw(st.sampled_from(["plain", "weight", "cluster", "fold"]))
    if design == "weight":
        # quarters add up exactly, whatever the order
        more["weight"] = draw(rows(st.integers(1, 400).map(lambda quarters: quarters / 4)))
    elif design == "cluster":
        more["cluster"] = draw(rows(st.integers(0, 4)))
    elif design == "fold":
        more["fold"] = draw(rows(st.sampled_from(["1", "2", "3"])))
    excluded = draw(st.integers(0, 30))
    more["ledger"] = kit.ledger(n + excluded, (("y is empty", excluded),) if excluded else ())
    return [_model(draw, kit, f"m{k}", actual, rows, more) for k in range(draw(st.integers(1, 3)))]


def _model(
    draw: Any, kit: Any, name: str, actual: list[int], rows: Any, more: dict[str, Any]
) -> Any:
    size = len(more["labels"])
    kind = draw(st.sampled_from(["labels", "scores"]))
    if kind == "labels":
        unsure = draw(st.booleans())
        predicted = draw(rows(st.integers(0, size - (0 if unsure else 1))))
        neither = {"indeterminate": ["equivocal"]} if unsure else {}
        return kit.view(actual, predicted=predicted, model=name, **more, **neither)
    if size == 2:
        return kit.view(actual, score=draw(rows(SCORES)), model=name, **more)
    row = st.lists(st.floats(0.01, 1), min_size=size, max_size=size)
    given = np.array(draw(rows(row)))
    given /= given.sum(axis=1, keepdims=True)
    return kit.view(actual, class_scores=given, predicted=given.argmax(axis=1), model=name, **more)


@pytest.mark.long
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_no_small_run_breaks_a_caution(kit: Any, data: Any) -> None:
    own = data.draw(views(kit))
    metrics = TWO if len(own[0].labels) == 2 else MORE
    asked = data.draw(st.lists(st.sampled_from(metrics), unique=True, max_size=8))
    thresholds = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.5]), unique=True, max_size=2))
    facts = kit.run(own, asked, thresholds=thresholds, resamples=20)
    found = find_cautions(facts)
    assert found == find_cautions(facts)
    json.dumps([encode(record) for record in found], allow_nan=False)
    codes = known_codes()
    order = [(r.severity == "note", codes.index(r.code)) for r in found]
    assert order == sorted(order)
    ids = {m.id for m in facts.measures} | {t.id for t in facts.tables} | {None}
    for record in found:
        assert record.measure in ids
        assert record.table in ids
        assert "nan" not in record.message.lower().split()
        assert "inf" not in record.message.lower().split()
    told = [(r.code, r.message, r.dataset, r.model, r.table) for r in found]
    assert len(told) == len(set(told))


@settings(max_examples=40, deadline=None)
@given(data=st.data(), seed=st.integers(0, 1000))
def test_the_order_of_rows_does_not_matter(kit: Any, data: Any, seed: int) -> None:
    n = data.draw(st.integers(2, 30))
    actual = data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    score = data.draw(st.lists(st.sampled_from([0.1, 0.3, 0.5, 0.9]), min_size=n, max_size=n))
    turned = np.random.default_rng(seed).permutation(n)
    asked = ["accuracy", "recall", "roc_auc", "brier"]
    one = find_cautions(kit.run(kit.view(actual, score=score), asked))
    two = kit.view([actual[i] for i in turned], score=[score[i] for i in turned])
    assert find_cautions(kit.run(two, asked)) == one


def test_every_code_off_leaves_one_note_each(kit: Any) -> None:
    facts = kit.run(kit.from_counts(95, 0, 5, 0), ["accuracy"])
    found = find_cautions(facts, dict.fromkeys(known_codes(), "not of use here"))
    assert [record.code for record in found] == list(known_codes())
    assert {record.severity for record in found} == {"note"}


@pytest.mark.long
def test_the_catalogue_does_not_depend_on_what_is_imported_first() -> None:
    """A module imported by itself, and another hash seed, leave the order as it is."""
    script = (
        "import evalreport.engine.cautions.process\n"
        "from evalreport.engine.cautions.catalogue import known_codes\n"
        "print(','.join(known_codes()))"
    )
    for seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", script],
            env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stdout.strip().split(",") == list(known_codes())


def _heights(table: list[tuple[int, int]], x: Fraction) -> tuple[Fraction, Fraction]:
    """Exact lowest and highest true positive rate of a curve at a false positive rate."""
    p, n = sum(pos for pos, _ in table), sum(neg for _, neg in table)
    points = [(Fraction(0), Fraction(0))]
    for pos, neg in table:
        points.append((points[-1][0] + Fraction(neg, n), points[-1][1] + Fraction(pos, p)))
    inside = []
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x0 <= x <= x1:
            inside += [y0, y1] if x0 == x1 else [y0 + (y1 - y0) * (x - x0) / (x1 - x0)]
    return min(inside), max(inside)


CELLS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=6)


@given(first=CELLS, second=CELLS)
def test_leads_agree_with_exact_fractions(
    first: list[tuple[int, int]], second: list[tuple[int, int]]
) -> None:
    """At every corner of either curve, on arriving and on leaving."""
    tables = []
    for cells in (first, second):
        scores = np.arange(len(cells), 0, -1, dtype=float)
        positives, negatives = (np.array(column) for column in zip(*cells, strict=True))
        tables.append(ScoreTable(scores, positives, negatives))
    related = roc_relation(*tables)
    found = None if related is None else related.leads
    if any(not sum(column) for cells in (first, second) for column in zip(*cells, strict=True)):
        assert found is None
        return
    corners = {Fraction(0)}
    for cells in (first, second):
        total = sum(neg for _, neg in cells)
        corners |= {Fraction(sum(c[1] for c in cells[:k]), total) for k in range(len(cells) + 1)}
    gaps = [
        a - b for x in corners for a, b in zip(_heights(first, x), _heights(second, x), strict=True)
    ]
    assert found is not None
    assert found[0].by == pytest.approx(float(max(*gaps, 0)), abs=1e-12)
    assert found[1].by == pytest.approx(float(max(*(-gap for gap in gaps), 0)), abs=1e-12)
