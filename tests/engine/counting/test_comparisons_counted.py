"""Comparisons are the same whether rows are loaded or counted in the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from engine.counting.counted_runs import comparable, engine_of, run

pytestmark = pytest.mark.long_but_first


METRICS = [
    "accuracy", "balanced_accuracy", "precision", "npv", "recall", "specificity", "f1", "mcc",
    "kappa",
]  # fmt: skip
OF_SCORES = ["roc_auc", "average_precision", "log_loss", "brier"]

#: 900 rows: three classifiers that miss different rows, with gaps, ties, folds and ids.
ROWS = """
SELECT CASE WHEN h % 41 = 0 THEN NULL WHEN y THEN 'sick' ELSE 'well' END AS y,
       CASE WHEN h % 5 = 0 THEN 'sick' WHEN h % 37 = 0 THEN NULL WHEN y THEN 'sick' ELSE 'well'
            END AS said,
       CASE WHEN h % 7 = 0 THEN 'well' WHEN y THEN 'sick' ELSE 'well' END AS told,
       CASE WHEN h % 31 = 0 THEN NULL ELSE round((h % 97 + y::INT * 30) / 128, 2) END AS a,
       CASE WHEN h % 29 = 0 THEN 'nan'::DOUBLE ELSE round((h % 89 + y::INT * 20) / 110, 2) END AS b,
       (h % 3)::INTEGER AS site, i % 5 AS fold, i AS id
FROM (SELECT i, h, h % 3 = 0 AS y FROM
      (SELECT i, (i * 7919 + i * i * 31) % 1009 AS h FROM range(900) t(i)))
"""


def spec_of(path: Path, models: dict[str, Any], **parts: Any) -> dict[str, Any]:
    dataset = {"path": str(path), "target": "y", "missing": "exclude", **parts.pop("dataset", {})}
    return {
        "evalreport": 1,
        "datasets": {"d": dataset},
        "models": models,
        "metrics": parts.pop("metrics", METRICS),
        "confidence": {"resamples": 30, "seed": 3},
        "comparisons": {"reference": next(iter(models)), "correction": "holm",
                        **parts.pop("comparisons", {})},
        **parts,
    }  # fmt: skip


def same(spec: dict[str, Any]) -> dict[str, Any]:
    memory, counted = run(spec, "memory"), run(spec, "duckdb")
    assert engine_of(counted) == ("duckdb", "requested")
    for one, two in zip(counted["comparisons"], memory["comparisons"], strict=True):
        assert one == two
    assert comparable(counted) == comparable(memory)
    return counted


LABELS = {"one": {"prediction": "said"}, "two": {"prediction": "told"}}
SCORES = {"one": {"score": "a"}, "two": {"score": "b"}}


def test_labels(write: Callable[..., Path]) -> None:
    found = same(spec_of(write(ROWS), LABELS, positive={"label": "sick"}, subgroups=["site"]))
    tested = {c["test"] for c in found["comparisons"] if c["p_value"] is not None}
    assert {"mcnemar_exact", "leisenring", "mover_paired"} <= tested
    assert any("left out" in (c["note"] or "") for c in found["comparisons"])


@pytest.mark.parametrize("test", ["mcnemar", "mcnemar_midp", "mcnemar_corrected", "bootstrap"])
@pytest.mark.parametrize(
    "method", ["newcombe_uncorrected", "wald", "agresti_min", "tango", "bootstrap_percentile"]
)
def test_every_method_of_proportions(write: Callable[..., Path], test: str, method: str) -> None:
    asked = {"tests": dict.fromkeys(["accuracy", "recall"], test),
             "methods": dict.fromkeys(["accuracy", "recall"], method)}  # fmt: skip
    same(spec_of(write(ROWS), LABELS, metrics=["accuracy", "recall"], comparisons=asked))


def test_kosinski_and_net_reclassification(write: Callable[..., Path]) -> None:
    asked = {"tests": {"precision": "kosinski", "npv": "kosinski"}, "net_reclassification": True}
    found = same(spec_of(write(ROWS), SCORES, metrics=["precision", "npv"], comparisons=asked))
    assert found["reclassification"][0]["interval"] is not None


@pytest.mark.parametrize("stratify", [False, True])
def test_scores_at_a_threshold_and_by_themselves(
    write: Callable[..., Path], stratify: bool
) -> None:
    spec = spec_of(
        write(ROWS), SCORES, metrics=METRICS + OF_SCORES,
        thresholds=[{"maximize": "youden_j"}, 0.37], dataset={"id": "id"},
    )  # fmt: skip
    spec["confidence"]["stratify"] = stratify
    found = same(spec)
    assert {c["test"] for c in found["comparisons"]} >= {
        "delong_score", "satterthwaite_t", "mcnemar_exact", "mover_paired",
    }  # fmt: skip


def test_a_score_and_a_label(write: Callable[..., Path]) -> None:
    same(spec_of(write(ROWS), {"one": {"score": "a"}, "two": {"prediction": "told"}},
                 positive={"label": "sick"}))  # fmt: skip


def test_folds_and_the_previous_model(write: Callable[..., Path]) -> None:
    models = {**LABELS, "three": {"prediction": "y"}}
    query = f"SELECT * FROM ({ROWS}) WHERE y IS NOT NULL AND said IS NOT NULL"
    spec = spec_of(write(query), models, dataset={"fold": "fold"}, baselines={"previous": "two"})
    found = same(spec)
    assert {c["fold"] for c in found["comparisons"]} == {None, "mean"}
    assert any(r["baseline"] == "previous" for r in found["against_baselines"])


def test_three_classes_and_indeterminate_predictions(write: Callable[..., Path]) -> None:
    query = (
        "SELECT ['a', 'b', 'c'][h % 3 + 1] AS y, ['a', 'b', 'c', '?'][h % 4 + 1] AS p, "
        "['b', 'c', 'a'][h % 7 % 3 + 1] AS q FROM "
        "(SELECT (i * 7919 + i * i * 31) % 1009 AS h FROM range(600) t(i))"
    )
    models = {"one": {"prediction": "p"}, "two": {"prediction": "q"}}
    same(spec_of(write(query), models, dataset={"indeterminate": ["?"]}))


def test_two_datasets(write: Callable[..., Path]) -> None:
    spec = spec_of(write(ROWS), SCORES, metrics=METRICS + OF_SCORES)
    other = {**spec["datasets"]["d"], "path": str(write(f"{ROWS} WHERE i > 300", "e.parquet"))}
    spec["datasets"]["e"] = other
    spec["comparisons"] = {"reference": {"dataset": "e"}}
    memory, counted = run(spec, "memory"), run(spec, "duckdb")
    assert engine_of(counted) == ("duckdb", "requested")
    assert counted["comparisons"] == memory["comparisons"]
    assert comparable(counted) == comparable(memory)


def test_text_files(tmp_path: Path, write: Callable[..., Path]) -> None:
    import duckdb

    path = tmp_path / "rows.csv"
    duckdb.connect().execute(f"COPY ({ROWS}) TO '{path}' (HEADER)")
    same(spec_of(path, SCORES, metrics=METRICS + OF_SCORES))
