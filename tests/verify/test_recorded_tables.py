"""What results hold of their rows, and what they do not hold: told as absent, not guessed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from verify.whole_results import whole

import evalreport
from evalreport.results.codec import decode
from evalreport.results.identity import EVERYTHING, Slice
from evalreport.results.lookup import Results
from evalreport.results.records import Curve
from evalreport.verify.recompute import recompute
from evalreport.verify.recorded_models import RecordedModel
from evalreport.verify.recorded_state import RecordedState
from evalreport.verify.recorded_tables import (
    CLASS_SCORES,
    CLUSTERS,
    NO_CURVE,
    SCORES_OF_PART,
    SINGLE_ROWS,
    STEPS,
    THINNED,
    WEIGHTS,
    NotRecorded,
    table_of_steps,
)

SPEC = """\
evalreport: 1
title: Twenty rows
datasets:
  d: {target: y, labels: [no, yes], cluster: c}
positive: {label: yes}
models:
  m: {score: s}
metrics: [recall, roc_auc]
confidence: {resamples: 20, seed: 1}
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    spec = tmp_path_factory.mktemp("twenty") / "spec.yaml"
    spec.write_text(SPEC)
    rows = {
        "y": ["yes" if k % 3 == 0 else "no" for k in range(20)],
        "s": [(k * 7 % 20) / 20 for k in range(20)],
        "c": [f"c{k // 2}" for k in range(20)],
    }
    return dict(evalreport.run(spec, frames={"d": rows}, at="2026-11-21").json)


@pytest.fixture(scope="module")
def results(told: dict[str, Any]) -> Results:
    return decode(told)


@pytest.fixture(scope="module")
def model(results: Results) -> RecordedModel:
    return RecordedState(results).model_of("d", "m")


GROUP = Slice((("g", "a"),))


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (lambda m: m.tables.rows_of(EVERYTHING), SINGLE_ROWS),
        (lambda m: m.tables.rows(EVERYTHING), SINGLE_ROWS),
        (lambda m: m.tables.row_count(GROUP), SINGLE_ROWS),
        (lambda m: m.tables.classification(GROUP, 0.5), SINGLE_ROWS),
        (lambda m: m.tables.scores(GROUP), SCORES_OF_PART),
        (lambda m: m.tables.class_scores(EVERYTHING), CLASS_SCORES),
        (lambda m: m.tables.clusters(EVERYTHING, 0.5), CLUSTERS),
        (lambda m: m.view.group_rows("g"), SINGLE_ROWS),
        (lambda m: m.view.group_columns, SINGLE_ROWS),
        (lambda m: m.view.row_number(0), SINGLE_ROWS),
        (lambda m: m.view.tied(0.125), SINGLE_ROWS),
        (lambda m: m.view.entries, SINGLE_ROWS),
        (lambda m: m.view.total_weight(), WEIGHTS),
        (lambda m: m.view.of_other_class(True), "scores of the other class are not in the results"),
        (lambda m: m.view.actual.size, SINGLE_ROWS),
        (lambda m: m.view.actual[0], SINGLE_ROWS),
        (lambda m: replace(m.view, predictions=()).class_rows, SINGLE_ROWS),
    ],
)
def test_what_needs_the_rows_is_told_as_absent(
    model: RecordedModel, asked: Callable[[RecordedModel], Any], reason: str
) -> None:
    with pytest.raises(NotRecorded) as found:
        asked(model)
    assert str(found.value) == reason


def test_what_the_results_hold_is_there(model: RecordedModel) -> None:
    assert model.view.class_rows == model.view.classes_of_rows == (13, 7)
    assert (model.view.rows, model.view.has_score) == (20, True)
    assert replace(model.view, source="prediction").has_score is False
    assert model.tables.row_count(EVERYTHING) == 20
    assert sum(model.tables.scores(EVERYTHING).positives) == 7
    assert replace(model.view, predictions=(26, 14)).class_rows == (26, 14)


def steps(results: Results) -> Curve:
    return next(curve for curve in results.curves if curve.kind == STEPS)


def with_curve(results: Results, **changes: Any) -> RecordedModel:
    changed = replace(steps(results), **changes)
    curves = tuple(changed if one.kind == STEPS else one for one in results.curves)
    return RecordedState(replace(results, curves=curves)).model_of("d", "m")


def test_scores_come_from_a_whole_curve_alone(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    # so few rows have no more scores than a curve has points, whatever it says
    whole = with_curve(results, thinned=True).tables.scores(EVERYTHING)
    assert int(whole.total) == with_curve(results).rows.used
    monkeypatch.setattr("evalreport.engine.curves.MOST_POINTS", 1)
    with pytest.raises(NotRecorded, match=THINNED):
        with_curve(results, thinned=True).tables.scores(EVERYTHING)
    with pytest.raises(NotRecorded, match=NO_CURVE):
        with_curve(results, subgroup={"g": "a"}).tables.scores(EVERYTHING)


def test_steps_that_count_no_rows_are_no_scores(results: Results) -> None:
    curve = steps(results)
    none = dict.fromkeys(curve.points, ())
    with pytest.raises(NotRecorded, match=NO_CURVE):
        table_of_steps(replace(curve, points=none))
    halves = {**curve.points, "tp": tuple(n + 0.5 for n in curve.points["tp"])}
    with pytest.raises(NotRecorded, match=WEIGHTS):
        table_of_steps(replace(curve, points=halves))
    for name in ("threshold", "tp"):
        other = {**curve.points, name: tuple(reversed(curve.points[name]))}
        with pytest.raises(ValueError, match="does not count rows from the highest score on"):
            table_of_steps(replace(curve, points=other))


def test_a_table_of_other_labels_is_malformed(results: Results, model: RecordedModel) -> None:
    table = next(one for one in results.tables if one.label is None)
    with pytest.raises(ValueError, match="has other labels than the account of labels"):
        model.tables.as_counted(replace(table, labels=("no", "maybe")))


def test_a_measure_of_a_table_that_is_not_there_is_malformed(results: Results) -> None:
    first = next(one for one in results.measures if one.table)
    forged = replace(first, table="t99")
    measures = tuple(forged if one is first else one for one in results.measures)
    found = recompute(replace(results, measures=measures)).problems
    assert "table is 't99', the other records give 't1'" in str(found)
    assert recompute(results).problems == ()


def test_results_without_accounts_are_not_measured_again() -> None:
    with pytest.raises(NotRecorded, match="there is no account of its labels"):
        RecordedState(decode(whole())).model_of("d", "m")
