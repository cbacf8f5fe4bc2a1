"""Both scores of the rows of two models: cells by hand, quadrants as in McNemar's table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evalreport
from evalreport import api
from evalreport.engine.comparisons.score_pairs import MOST_CELLS
from evalreport.results.records import Calls, Comparison, JointTable, ScorePairs
from evalreport.verify.recompute import recompute

#: Ten rows; the fourth is one twice, and 0.5 is a positive call.
ROWS: dict[str, list[Any]] = {
    "y": ["ill"] * 5 + ["well"] * 5,
    "a": [0.9, 0.5, 0.2, 0.8, 0.8, 0.1, 0.1, 0.7, 0.49, 0.6],
    "b": [0.8, 0.3, 0.6, 0.9, 0.9, 0.2, 0.2, 0.1, 0.5, 0.55],
}


def made(frame: dict[str, Any], *, models: Any = None, **parts: Any) -> evalreport.Results:
    """A run of models with b, or what ``models`` says, beside the reference a."""
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", **parts.pop("dataset", {})}},
        "positive": {"label": "ill"},
        "models": models or {"a": {"score": "a"}, "b": {"score": "b"}},
        "metrics": ["recall", "specificity", "roc_auc"],
        "confidence": {"resamples": 20},
        **({"comparisons": {"reference": "a"}} if parts.pop("compared", True) else {}),
        **parts,
    }
    return evalreport.run(spec, frames={"d": frame})


def random_rows(rows: int, seed: int = 5) -> dict[str, Any]:
    """Two models whose scores go together, with three decimals."""
    random = np.random.default_rng(seed)
    ill = random.random(rows) < 0.4
    own = random.normal(size=rows) + np.where(ill, 1.0, -1.0)
    scores = [1 / (1 + np.exp(-own - random.normal(size=rows))) for _ in range(2)]
    frame = {name: one.round(3).tolist() for name, one in zip("ab", scores, strict=True)}
    return {"y": np.where(ill, "ill", "well").tolist(), **frame}


def test_ten_rows_by_hand() -> None:
    (one,) = made(ROWS).records.of(ScorePairs)
    assert (one.model, one.reference, one.label, one.bins) == ("b", "a", "ill", 80)
    assert (one.threshold, one.reference_threshold) == (0.5, 0.5)
    # by the score of the model b, lowest first
    assert one.positives.model_scores == (0.3, 0.6, 0.8, 0.9)
    assert one.positives.reference_scores == (0.5, 0.2, 0.9, 0.8)
    assert one.positives.rows == (1, 1, 1, 2)
    assert one.negatives.model_scores == (0.1, 0.2, 0.5, 0.55)
    assert one.negatives.reference_scores == (0.7, 0.1, 0.49, 0.6)
    assert one.negatives.rows == (1, 2, 1, 1)
    # called ill by both, by b alone, by a alone, by neither
    assert one.calls(one.positives) == Calls(3, 1, 1, 0)
    assert one.calls(one.negatives) == Calls(1, 1, 1, 2)


@pytest.mark.parametrize("rows", [30, 400, 3_000])
@pytest.mark.parametrize("thresholds", [[0.5], [{"maximize": "youden_j"}], [0.123]])
def test_quadrants_are_the_paired_tables(rows: int, thresholds: list[Any]) -> None:
    results = made(random_rows(rows), thresholds=thresholds).records
    (one,) = results.of(ScorePairs)
    found, passed = one.calls(one.positives), one.calls(one.negatives)
    tables = {c.metric: c.joint_table for c in results.of(Comparison)}
    assert tables["recall"] == JointTable(
        found.both, found.first_only, found.second_only, found.neither
    )
    assert tables["specificity"] == JointTable(
        passed.neither, passed.second_only, passed.first_only, passed.both
    )
    assert len(one.positives.rows) + len(one.negatives.rows) <= MOST_CELLS


def test_many_rows_that_lie_anywhere_fit_in_the_cells_of_a_chart() -> None:
    random = np.random.default_rng(2)
    rows = 20_000
    frame = {"a": random.random(rows), "b": random.random(rows), "y": random.random(rows) < 0.5}
    frame["y"] = np.where(frame["y"], "ill", "well")
    (one,) = made({name: own.tolist() for name, own in frame.items()}).records.of(ScorePairs)
    assert one.bins == 20
    assert len(one.positives.rows) + len(one.negatives.rows) <= MOST_CELLS
    assert sum(one.positives.rows) + sum(one.negatives.rows) == rows


def test_margins_and_rows_of_one_score_have_cells() -> None:
    margins = {"a": {"margin": "a"}, "b": {"margin": "b"}}
    frame = {**ROWS, "a": [1e300 * (2 * x - 1) for x in ROWS["a"]], "b": [0.25] * 10}
    (one,) = made(frame, models=margins).records.of(ScorePairs)
    assert one.positives.model_scores == (0.25,) * 4
    assert one.calls(one.negatives) == Calls(2, 3, 0, 0)
    far = {**frame, "a": [1.7e308 if k % 2 else -1.7e308 for k in range(10)]}
    assert made(far, models=margins).records.of(ScorePairs) == ()


@pytest.mark.parametrize(
    ("frame", "parts"),
    [
        ({"w": [1.0, 2.0] * 5}, {"dataset": {"weight": "w"}}),
        ({"y": ["ill", "well", "other", "ill", "well"] * 2}, {"classes": True}),
        ({"b": ROWS["y"]}, {"models": {"a": {"score": "a"}, "b": {"prediction": "b"}}}),
        ({}, {"metrics": ["recall", "specificity"]}),
        ({}, {"compared": False}),
    ],
    ids=["weights", "three classes", "labels alone", "no scores compared", "nothing compared"],
)
def test_there_is_none(frame: dict[str, Any], parts: dict[str, Any]) -> None:
    if parts.pop("classes", False):
        columns = {label: f"p_{label}" for label in ("ill", "well", "other")}
        frame = {**frame, **{column: [1 / 3] * 10 for column in columns.values()}}
        parts["models"] = {name: {"scores": columns} for name in "ab"}
    results = made({**ROWS, **frame}, **parts).records
    assert results.of(ScorePairs) == ()
    assert results.failures == ()


def test_rows_that_are_counted_give_the_same(tmp_path: Path) -> None:
    frame = random_rows(900)
    lines = [
        ",".join(frame),
        *(",".join(map(str, row)) for row in zip(*frame.values(), strict=True)),
    ]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"path": str(path), "target": "y"}},
        "positive": {"label": "ill"},
        "models": {"a": {"score": "a"}, "b": {"score": "b"}},
        "metrics": ["recall", "specificity", "roc_auc"],
        "comparisons": {"reference": "a"},
    }
    one, two = (api.run(spec, engine=engine).records for engine in ("memory", "duckdb"))
    assert two.provenance.engine.name == "duckdb"
    assert one.of(ScorePairs) == two.of(ScorePairs) != ()


def test_verify_holds_the_rows_and_lists_the_scores() -> None:
    found = recompute(made(random_rows(200)).json)
    assert found.problems == ()
    # two thresholds, and the rows of each cell
    assert found.numbers["score_pairs"] > 50
    left_out = {field for field, _ in found.left_out if field.startswith("score_pairs")}
    assert left_out == {f"score_pairs.{name}" for name in ("bins", "positives", "negatives")}
    alone = made(random_rows(200), metrics=["roc_auc"]).json
    assert recompute(alone).numbers["score_pairs"] == 2


def test_verify_finds_a_row_in_another_quadrant_and_another_threshold() -> None:
    content = dict(made(ROWS).json)
    one = content["score_pairs"][0]
    moved = {**one["negatives"], "rows": [2, 1, 1, 1]}
    for change in ({"negatives": moved}, {"threshold": 0.4}):
        problems = recompute({**content, "score_pairs": [{**one, **change}]}).problems
        assert len(problems) == 1, change
