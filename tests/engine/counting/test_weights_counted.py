"""Weights and clusters are the same, loaded or counted in the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from engine.counting.counted_runs import comparable, engine_of, run, spec_of

from evalreport.engine.comparisons import draws

pytestmark = pytest.mark.long_but_first


METRICS = [
    "accuracy", "balanced_accuracy", "precision", "recall", "specificity", "f1", "mcc", "kappa",
    "lr_plus", "prevalence",
]  # fmt: skip

#: 1 200 rows: labels, weights that are whole and that are not, 40 clusters, groups, folds.
ROWS = """
SELECT round((h % 97 + (h % 2) * 30) / 128, 2)::DOUBLE AS s, ((h % 53) / 8 - 3)::DOUBLE AS m,
       round((h % 89 + (h % 2) * 20) / 110, 2)::DOUBLE AS t,
       ['a', 'b', 'c'][h % classes + 1] AS y, ['a', 'b', 'c'][(h + (h % 5 = 0)::INT) % classes + 1]
       AS p, 1 + h % 4 AS w, [0.1, 0.7, 1.3, 0.0, 2.9][h % 5 + 1]::DOUBLE AS v,
       h % 40 AS c, 'g' || (h % 3) AS g, i % 4 AS fold, i AS id,
       h % 80 AS age
FROM (SELECT i, (i * 7919 + i * i * 31) % 1009 AS h, 2 AS classes FROM range(1200) t(i))
"""


def same(spec: dict[str, Any]) -> dict[str, Any]:
    memory, counted = run(spec, "memory"), run(spec, "duckdb")
    assert engine_of(counted) == ("duckdb", "requested")
    for one, two in zip(counted["measures"], memory["measures"], strict=True):
        assert one == two
    assert comparable(counted) == comparable(memory)
    return counted


@pytest.mark.nightly_but_each(3)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "dataset",
    [{"weight": "w"}, {"weight": "v"}, {"cluster": "c"}, {"cluster": "c", "weight": "v"},
     {"cluster": "c", "id": "fold"}],
    ids=str,
)  # fmt: skip
def test_weights_and_clusters(
    write: Callable[..., Path], dataset: dict[str, str], classes: int
) -> None:
    path = write(ROWS.replace("2 AS classes", f"{classes} AS classes"))
    spec = spec_of(path, {"prediction": "p"}, metrics=METRICS, dataset=dataset, subgroups=["g"],
                   averaging=["none", "macro", "micro", "weighted"])  # fmt: skip
    found = same(spec)
    assert {c["code"] for c in found["cautions"]} >= (
        {"effective_sample_size"} if "weight" in dataset else set()
    )
    assert any(m["interval"] is not None for m in found["measures"])


#: The same with few scores.
SCORES = [
    "accuracy", "recall", "f1", "roc_auc", "gini", "average_precision", "ks", "log_loss", "brier",
    "ece", "calibration_slope", "brier_scaled",
]  # fmt: skip


@pytest.mark.nightly_but_each(3)
@pytest.mark.parametrize(
    "dataset",
    [{"weight": "v"}, {"weight": "w", "fold": "fold"}, {"cluster": "c"},
     {"cluster": "c", "weight": "v"}],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("model", [{"score": "s"}, {"margin": "m"}], ids=["score", "margin"])
def test_scores(write: Callable[..., Path], dataset: dict[str, str], model: dict[str, str]) -> None:
    metrics = [m for m in SCORES if "score" in model or m not in ("log_loss", "brier", "ece",
               "brier_scaled")]  # fmt: skip
    spec = spec_of(write(ROWS), model, metrics=metrics, dataset=dataset,
                   subgroups=["g", {"column": "age", "bins": [20, 50]}],
                   thresholds=[0.5, {"maximize": "f1"}])  # fmt: skip
    found = same(spec)
    held = {m["metric"] for m in found["measures"] if m["interval"] is not None}
    assert held >= {"roc_auc", "f1"}


MODELS: dict[str, dict[str, str]] = {
    "m": {"score": "s"}, "n": {"score": "t"}, "l": {"prediction": "p"},
}  # fmt: skip


@pytest.mark.nightly_but_each(3)
@pytest.mark.parametrize(
    "dataset",
    [{"weight": "v"}, {"weight": "w", "fold": "fold"}, {"cluster": "c"},
     {"cluster": "c", "weight": "v"}],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("models", ["mn", "lm"])
def test_comparisons(write: Callable[..., Path], dataset: dict[str, str], models: str) -> None:
    metrics = ["recall", "f1", "accuracy", "roc_auc", "brier"] if models == "mn" else METRICS[:6]
    comparisons = {"reference": models[0], "subgroups": True, "thresholds": models == "mn"}
    spec = spec_of(write(ROWS), {}, metrics=metrics, dataset=dataset, subgroups=["g"],
                   comparisons=comparisons, thresholds=[0.5, 0.4])  # fmt: skip
    spec["models"] = {name: MODELS[name] for name in models}
    spec["confidence"]["resamples"] = 50  # with fewer no limits of 95 % are drawn
    found = same(spec)
    compared = [c for c in found["comparisons"] if c["interval"] is not None]
    assert {bool(c["subgroup"]) for c in compared} == {False, True}


def test_a_method_that_was_asked_for_is_not_replaced(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    comparisons = {"reference": "m", "methods": {"recall": "bootstrap_percentile"}}
    spec = spec_of(write(ROWS), {}, metrics=["recall"], dataset={"weight": "v"},
                   comparisons=comparisons)  # fmt: skip
    spec["models"] = {name: MODELS[name] for name in "mn"}
    monkeypatch.setattr(draws, "MOST_DRAWN", 1)
    (record,) = run(spec, "memory")["comparisons"]
    assert record["interval"] is None
    assert record["interval_reason"].startswith("rows are drawn up to")


def test_rows_that_one_model_lacks(write: Callable[..., Path]) -> None:
    path = write(f"SELECT * REPLACE (CASE WHEN id % 9 > 0 THEN t END AS t) FROM ({ROWS})")
    spec = spec_of(path, {}, metrics=["recall", "roc_auc"], comparisons={"reference": "m"},
                   dataset={"cluster": "c", "missing": "exclude"})  # fmt: skip
    spec["models"] = {k: MODELS[k] for k in "mn"}
    found = same(spec)
    assert "134 rows of m that n does not use" in found["comparisons"][0]["note"]


@pytest.mark.parametrize("method", ["bootstrap_percentile", "bootstrap_bca"])
@pytest.mark.parametrize("dataset", [{"weight": "v"}, {"cluster": "c", "weight": "w"}], ids=str)
def test_bootstraps_of_scores(
    write: Callable[..., Path], dataset: dict[str, str], method: str
) -> None:
    asked = ["f1", "roc_auc", "log_loss", "ks"]
    spec = spec_of(write(ROWS), {"score": "s"}, metrics=asked, dataset=dataset)
    spec["confidence"]["methods"] = dict.fromkeys(asked, method)
    same(spec)


@pytest.mark.parametrize("method", ["bootstrap_percentile", "bootstrap_bca"])
@pytest.mark.parametrize("dataset", [{"weight": "v"}, {"cluster": "c", "weight": "w"}], ids=str)
def test_bootstraps(write: Callable[..., Path], dataset: dict[str, str], method: str) -> None:
    spec = spec_of(write(ROWS), {"prediction": "p"}, metrics=["accuracy", "f1"], dataset=dataset)
    spec["confidence"]["methods"] = dict.fromkeys(["accuracy", "f1"], method)
    same(spec)


def test_folds_several_models_and_impact(write: Callable[..., Path]) -> None:
    spec = spec_of(
        write(ROWS),
        {"prediction": "p"},
        metrics=["accuracy", "selection_rate"],
        dataset={"weight": "w", "fold": "fold"},
        subgroups=["g", ["g", "fold"]],
    )
    memory, counted = run(spec, "memory"), run(spec, "duckdb")
    assert comparable(counted) == comparable(memory)
    assert {m["fold"] for m in counted["measures"]} == {None, "mean", "0", "1", "2", "3"}


def test_text(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    duckdb.connect().execute(f"COPY ({ROWS}) TO '{path}' (HEADER)")
    dataset = {"weight": "v", "cluster": "c"}
    same(spec_of(path, {"prediction": "p"}, metrics=METRICS, dataset=dataset))


GAPS = f"""SELECT * REPLACE (CASE WHEN id % 50 = 0 THEN NULL ELSE w END AS w,
    CASE WHEN id % 30 = 0 THEN NULL ELSE c END AS c,
    CASE WHEN id % 70 = 0 THEN NULL ELSE fold END AS fold) FROM ({ROWS})"""


def test_rows_are_left_out_for_the_same_reasons(write: Callable[..., Path]) -> None:
    dataset = {"weight": "w", "cluster": "c", "fold": "fold", "missing": "exclude"}
    found = same(spec_of(write(GAPS), {"prediction": "p"}, dataset=dataset))
    # multiples of 50; of 30, not of 50; of 70, of neither
    assert found["rows"][0]["excluded"] == [
        {"reason": "w is missing", "count": 24},
        {"reason": "c is empty", "count": 32},
        {"reason": "fold is empty", "count": 10},
    ]


@pytest.mark.parametrize("unit", ["weight", "cluster"])
def test_rows_without_a_label_are_left_out_with_their_weights(
    write: Callable[..., Path], unit: str
) -> None:
    path = write(f"SELECT * REPLACE (CASE WHEN id % 9 > 0 THEN y END AS y) FROM ({ROWS})")
    dataset = {unit: unit[0], "missing": "exclude"}
    same(spec_of(path, {"prediction": "p"}, dataset=dataset, metrics=METRICS))
