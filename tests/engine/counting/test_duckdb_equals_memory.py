"""The same results whether rows are loaded or counted in the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from engine.counting.counted_runs import comparable, engine_of, run, spec_of

pytestmark = pytest.mark.long_but_first


SCORES = [
    "accuracy", "balanced_accuracy", "precision", "recall", "specificity", "f1", "mcc", "kappa",
    "roc_auc", "gini", "average_precision", "ks", "log_loss", "brier", "ece",
]  # fmt: skip

#: 400 rows: labels, scores with ties at two decimals, sex with gaps, site, fold, id.
ROWS = """
SELECT CASE WHEN h % 3 = 0 THEN 'sick' ELSE 'well' END AS y,
       CASE WHEN h % 5 = 0 THEN 'sick' ELSE 'well' END AS said,
       round((h % 97 + (h % 3 = 0)::INT * 30) / 128, 2) AS score,
       CASE h % 11 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN 'F' ELSE 'M' END AS sex,
       (h % 4)::INTEGER AS site, i % 5 AS fold, i AS id
FROM (SELECT i, (i * 7919 + i * i * 31) % 1009 AS h FROM range(400) t(i))
"""

LABELS = {
    "text": "CASE h % 4 WHEN 0 THEN 'a''b\\c' WHEN 1 THEN '<b>' ELSE 'NULL' END",
    "integer": "h % 4",
    "float": "CAST(h % 3 AS DOUBLE) / 4",
    "float32": "CAST((h % 3) / 10 AS FLOAT)",
    "boolean": "h % 2 = 0",
    "date": "DATE '2026-01-01' + CAST(h % 3 AS INTEGER)",
    "decimal": "CAST(h % 3 AS DECIMAL(5, 2))",
}


def same(spec: dict[str, Any]) -> dict[str, Any]:
    memory, counted = run(spec, "memory"), run(spec, "duckdb")
    assert engine_of(counted) == ("duckdb", "requested")
    assert comparable(counted) == comparable(memory)
    return counted


@pytest.mark.parametrize("kind", LABELS)
def test_predicted_labels_of_every_type(write: Callable[..., Path], kind: str) -> None:
    label = LABELS[kind]
    path = write(
        f"SELECT {label} AS y, h2 AS p FROM (SELECT i * 7 % 11 AS h, "
        f"{label.replace('h %', '(i * 3 % 7) %')} AS h2 FROM range(200) t(i))"
    )
    found = same(spec_of(path, {"prediction": "p"}))
    assert found["rows"][0]["used"] == 200


@pytest.mark.long
def test_scores_subgroups_crossings_and_thresholds(write: Callable[..., Path]) -> None:
    spec = spec_of(
        write(ROWS),
        {"score": "score"},
        metrics=SCORES,
        subgroups=["sex", "site", ["sex", "site"]],
        thresholds=[0.5, 0.37, {"maximize": "youden_j"}],
        positive={"label": "sick"},
        dataset={"id": "id"},
    )
    found = same(spec)
    assert {m["subgroup"].get("sex") for m in found["measures"]} == {None, "F", "M", "(missing)"}


def test_folds(write: Callable[..., Path]) -> None:
    found = same(spec_of(write(ROWS), {"score": "score"}, metrics=SCORES, dataset={"fold": "fold"}))
    assert {m["fold"] for m in found["measures"]} == {None, "mean", "0", "1", "2", "3", "4"}


@pytest.mark.parametrize("positive", ["largest", "smallest", {"label": "sick"}])
def test_positive_class(write: Callable[..., Path], positive: Any) -> None:
    same(spec_of(write(ROWS), {"score": "score"}, metrics=SCORES, positive=positive))


def test_margins_at_zero(write: Callable[..., Path]) -> None:
    path = write(ROWS.replace("AS score", "- 0.5 AS score"))
    found = same(spec_of(path, {"margin": "score"}, metrics=[*SCORES, "softmax_cost"]))
    tied = duckdb.sql(f"SELECT count(*) FROM ({ROWS}) WHERE score = 0.5").fetchall()[0][0]
    assert found["labels"][0]["ties"] == [{"threshold": 0.0, "rows": tied}]


def test_scores_outside_zero_to_one(write: Callable[..., Path]) -> None:
    path = write(ROWS.replace("AS score", "* 3 AS score"))
    memory, counted = (run(spec_of(path, {"score": "score"}), e) for e in ("memory", "duckdb"))
    told = [
        [c["message"] for c in found["cautions"] if c["code"] == "scores_outside_unit"]
        for found in (memory, counted)
    ]
    assert told[0] == told[1]


def test_float32_scores_are_widened_as_stored(write: Callable[..., Path]) -> None:
    path = write(ROWS.replace("AS score", "::FLOAT AS score"))
    same(spec_of(path, {"score": "score"}, metrics=SCORES, thresholds=[0.7, 0.5]))


def test_incomplete_rows_are_excluded_and_counted(write: Callable[..., Path]) -> None:
    path = write(
        "SELECT CASE WHEN i % 7 = 0 THEN NULL WHEN i % 2 = 0 THEN 'a' ELSE 'b' END AS y, "
        "CASE i % 13 WHEN 0 THEN NULL WHEN 1 THEN 'nan'::DOUBLE ELSE (i * 37 % 100) / 100 END AS s,"
        " CASE WHEN i % 17 = 0 THEN NULL ELSE i % 3 END AS f, "
        "CASE WHEN i % 19 = 0 THEN '' ELSE i::VARCHAR END AS name FROM range(500) t(i)"
    )
    dataset = {"missing": "exclude", "fold": "f", "id": "name"}
    found = same(spec_of(path, {"score": "s"}, metrics=SCORES, dataset=dataset))
    reasons = {e["reason"]: e["count"] for e in found["rows"][0]["excluded"]}
    # 72 multiples of 7; of the other 428 rows 0 and 1 modulo 13, and so on
    assert reasons["y is empty"] == 72
    assert sum(reasons.values()) + found["rows"][0]["used"] == 500
    assert set(reasons) == {"y is empty", "s is missing", "f is empty", "name is empty"}


def test_missing_predictions_and_ids_of_labels(write: Callable[..., Path]) -> None:
    path = write(
        "SELECT CASE WHEN i % 3 = 0 THEN 'a' ELSE 'b' END AS y, "
        "CASE WHEN i % 5 = 0 THEN NULL WHEN i % 2 = 0 THEN 'a' ELSE 'b' END AS p, "
        "CASE WHEN i % 4 = 0 THEN NULL ELSE i END AS name FROM range(120) t(i)"
    )
    dataset = {"missing": "exclude", "id": "name"}
    found = same(spec_of(path, {"prediction": "p"}, dataset=dataset))
    # 24 multiples of 5; 30 multiples of 4, of which 6 are multiples of 20
    assert found["rows"][0]["excluded"] == [
        {"reason": "p is empty", "count": 24},
        {"reason": "name is empty", "count": 24},
    ]


def test_indeterminate_predictions(write: Callable[..., Path]) -> None:
    path = write(
        "SELECT CASE WHEN i % 3 = 0 THEN 'a' ELSE 'b' END AS y, "
        "['a', 'b', 'unsure'][i % 3 * i % 3 + 1] AS p FROM range(90) t(i)"
    )
    same(spec_of(path, {"prediction": "p"}, dataset={"indeterminate": ["unsure"]}))


@pytest.mark.parametrize("y", ["'0'", "CASE WHEN i < 5 THEN '0' END"])
def test_one_class(write: Callable[..., Path], y: str) -> None:
    path = write(f"SELECT {y} AS y, i / 10 AS s FROM range(10) t(i)")
    same(spec_of(path, {"score": "s"}, metrics=SCORES, dataset={"missing": "exclude"}))


def test_hostile_headers_and_names(write: Callable[..., Path]) -> None:
    path = write(
        'SELECT y AS "a"" FROM data; --", said AS "B"" from DATA; --", \'F\' AS "c1" '
        f"FROM ({ROWS})",
        "rows[1]*.parquet",
    )
    spec = spec_of(
        path,
        {"prediction": 'B" from DATA; --'},
        dataset={"target": 'a" FROM data; --'},
        subgroups=["c1"],
    )
    same(spec)


@pytest.mark.parametrize(
    ("query", "model", "dataset"),
    [
        (ROWS.replace("AS score", "+ CASE WHEN i = 7 THEN NULL ELSE 0 END AS score"),
         {"score": "score"}, {}),
        (ROWS.replace("AS score", "+ CASE WHEN i = 7 THEN 'inf'::DOUBLE ELSE 0 END AS score"),
         {"score": "score"}, {}),
        (ROWS.replace("i AS id", "i // 2 AS id"), {"score": "score"}, {"id": "id"}),
        (ROWS.replace("ELSE 'well' END AS y", "WHEN i = 3 THEN 'third' ELSE 'well' END AS y"),
         {"score": "score"}, {}),
        (ROWS.replace("'well' END AS y", "'SICK' END AS y").replace("'sick'", "'1.0'").replace(
            "'SICK'", "'1'"), {"prediction": "said"}, {}),
        (ROWS, {"score": "absent"}, {}),
        (ROWS, {"score": "sex"}, {}),
    ],
    ids=["missing", "infinite", "ids", "classes", "spellings", "column", "text"],
)  # fmt: skip
def test_mistakes_are_told_as_for_rows_in_memory(
    write: Callable[..., Path], query: str, model: dict[str, str], dataset: dict[str, str]
) -> None:
    from evalreport.errors import DataError

    spec = spec_of(write(query), model, dataset=dataset)
    told = []
    for engine in ("memory", "duckdb"):
        with pytest.raises(DataError) as caught:
            run(spec, engine)
        told.append([str(problem) for problem in caught.value.problems])
    assert told[0] == told[1]


#: 300 rows with gaps in the truth, in the labels, in the scores, in the ids and in the sex.
GAPS = """
SELECT CASE WHEN h % 9 = 0 THEN NULL WHEN h % 3 = 0 THEN 'sick' ELSE 'well' END AS y,
       CASE WHEN h % 7 = 0 THEN NULL WHEN h % 5 = 0 THEN 'sick' ELSE 'well' END AS said,
       CASE WHEN h % 8 = 0 THEN NULL ELSE round((h % 97) / 100, 2) END AS score,
       CASE h % 11 WHEN 0 THEN NULL WHEN 2 THEN 'F' ELSE 'M' END AS sex,
       CASE WHEN h % 13 = 0 THEN NULL ELSE i END AS id
FROM (SELECT i, (i * 7919 + i * i * 31) % 1009 AS h FROM range(300) t(i))
"""


@pytest.mark.parametrize("model", [{"score": "score"}, {"prediction": "said"}])
@pytest.mark.parametrize("roles", [{}, {"id": "id"}])
def test_worst_and_best_case_of_rows_that_lack_something(
    write: Callable[..., Path], model: dict[str, Any], roles: dict[str, str]
) -> None:
    found = same(
        spec_of(
            write(GAPS),
            model,
            metrics=["recall", "specificity", "precision", "accuracy"],
            subgroups=["sex"],
            dataset={"missing": "exclude", **roles},
        )
    )
    assert all("missing_bounds" in m for m in found["measures"])
    (table, *_) = found["tables"]
    assert all(map(sum, (table["missing"][k] for k in ("without_prediction", "without_target"))))
    assert table["missing"]["without_both"]


def on_another_dataset(write: Callable[..., Path], **parts: Any) -> dict[str, Any]:
    spec = spec_of(write(ROWS), {"score": "score"}, metrics=SCORES, **parts)
    other = write(f"SELECT * FROM ({ROWS}) WHERE id % 3 > 0", "other.parquet")
    spec["datasets"]["e"] = {**spec["datasets"]["d"], "path": str(other)}
    spec["thresholds"] = [{"maximize": "youden_j", "on": "e"}, {"at_least": {"recall": 0.8}}]
    return spec


@pytest.mark.long
def test_thresholds_chosen_on_another_dataset(write: Callable[..., Path]) -> None:
    found = same(on_another_dataset(write, subgroups=["site"]))
    chosen = {t["dataset"]: t["threshold"] for t in found["thresholds"] if "on e" in t["rule"]}
    assert chosen["d"] == chosen["e"]
    assert chosen["d"] is not None
