"""``where`` makes a dataset of some rows of a file; the others are counted, and touch nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from engine.counting.counted_runs import comparable, engine_of, run, spec_of

from evalreport.errors import DataError, SpecError

ROWS = """SELECT CASE WHEN h % 3 = 0 THEN 'sick' ELSE 'well' END AS y, (h % 97) / 97 AS s,
    CASE WHEN i % 3 > 0 THEN 'test' ELSE 'train' END AS split, (i % 4)::DOUBLE AS site,
    1 + h % 3 AS n, DATE '2026-01-01' + CAST(i % 90 AS INTEGER) AS day, 'i' || i AS id
    FROM (SELECT i, (i * 7919 + i * i * 31) % 1009 AS h FROM range(900) t(i))"""
CHOSEN = f"SELECT * FROM ({ROWS}) WHERE split = 'test' AND site IN (1, 2)"
WHERE = {"split": "test", "site": [1, "2.0"]}


@pytest.fixture
def files(tmp_path: Path) -> Callable[[str], tuple[Path, Path]]:
    def write(kind: str) -> tuple[Path, Path]:
        for name, query in (("all", ROWS), ("chosen", CHOSEN)):
            duckdb.connect().execute(f"COPY ({query}) TO '{tmp_path}/{name}.{kind}'")
        return tmp_path / f"all.{kind}", tmp_path / f"chosen.{kind}"

    return write


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize(
    "dataset",
    [{}, {"weight": "n"}, {"count": "n"}, {"period": {"column": "day", "every": "month"}},
     {"id": "id"}, {"cluster": "site"}],
    ids=str,
)  # fmt: skip
def test_selected_rows_give_the_numbers_of_a_file_of_their_own(
    files: Callable[[str], tuple[Path, Path]], dataset: dict[str, Any], kind: str, engine: str
) -> None:
    every, chosen = files(kind)
    metrics = ["recall", "roc_auc", "brier"]
    where = dict(WHERE) if kind == "parquet" else {"split": "test", "site": ["1.0", "2.0"]}
    found = run(
        spec_of(every, {"score": "s"}, dataset={**dataset, "where": where}, metrics=metrics), engine
    )
    alone = run(spec_of(chosen, {"score": "s"}, dataset=dataset, metrics=metrics), engine)
    assert engine_of(found)[0] == engine
    ledger, own = found["rows"][0], alone["rows"][0]
    others = ledger["read"] - own["read"]
    assert ledger["excluded"][0] == {"reason": "not selected", "count": others}
    assert (ledger["used"], ledger["excluded"][1:]) == (own["used"], own["excluded"])
    found["rows"] = alone["rows"]
    for part in ("measures", "tables", "curves", "labels", "periods", "cautions"):
        assert comparable(found).get(part) == comparable(alone).get(part), part


def test_mistakes_of_other_rows_are_none(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("y,s,part\na,0.1,test\nb,0.9,test\nc,much,train\n,,\n")
    asked = spec_of(path, {"score": "s"}, dataset={"where": {"part": "test"}}, metrics=["recall"])
    for engine in ("memory", "duckdb"):
        found = run(asked, engine)
        assert found["rows"][0]["excluded"] == [{"reason": "not selected", "count": 2}]
    path.write_text("y,s,part\na,0.1,train\nb,0.9,test\na,much,test\n")
    with pytest.raises(DataError, match=r"not a number in row 3 \(line 4\)"):
        run(asked, "memory")


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ({"part": "tset"}, r"no row has 'tset' in 'part'.*did you mean 'test'"),
        ({"prt": "test"}, r"no column 'prt'.*did you mean 'part'"),
        ({"part": "test", "y": "c"}, r"no row is selected by where \(part: 'test' and y: 'c'\)"),
    ],
)
def test_what_selects_nothing_is_told(tmp_path: Path, where: dict[str, str], told: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("y,s,part\na,0.1,test\nb,0.9,test\nc,0.2,train\n")
    with pytest.raises(DataError, match=told):
        run(spec_of(path, {"score": "s"}, dataset={"where": where}), "memory")


def test_a_condition_in_words_is_told_how_it_is_written(tmp_path: Path) -> None:
    spec = spec_of("rows.csv", {"score": "s"}, dataset={"where": "part == 'test'"})
    with pytest.raises(SpecError, match=r"a mapping: \{column: value\}"):
        run(spec, "memory")


def test_sets_of_labels_are_selected(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("y,p,part\na;b,a,x\nb,b,x\na,b,z\n")
    dataset = {"target": {"list": "y"}, "where": {"part": "x"}}
    spec = spec_of(path, {"prediction": {"list": "p"}}, metrics=["f1"], dataset=dataset)
    found = run(spec, "memory")
    assert found["rows"][0]["excluded"] == [{"reason": "not selected", "count": 1}]
    assert found["rows"][0]["used"] == 2


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_classes_of_the_file_are_those_of_each_part_of_it(tmp_path: Path, engine: str) -> None:
    """Without the third class the second month would be of two, with none as the positive one."""
    path = tmp_path / "rows.csv"
    first = "".join(f"1,{label},{label}\n" for label in ("none", "mild", "severe") * 2)
    second = "2,none,none\n2,none,mild\n2,mild,mild\n"
    path.write_text("month,y,s\n" + first + second)
    spec = spec_of(path, {"prediction": "s"}, dataset={"where": {"month": "2"}}, metrics=["recall"])
    found = run(spec, engine)
    assert found["labels"][0]["order"] == ["mild", "none", "severe"]
    assert found["labels"][0]["positive"] is None
    # mild 1 of 1, none 1 of 2; severe has no row in this month
    recall = {m["label"]: m["value"] for m in found["measures"] if m["average"] is None}
    assert recall == {"mild": 1.0, "none": 0.5, "severe": None}
    # what one row alone of the others has may be a mistake
    path.write_text("month,y,s\n1,svere,none\n" + second)
    assert run(spec, engine)["labels"][0]["order"] == ["mild", "none"]


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_the_other_class_may_be_in_rows_that_are_not_selected(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "rows.csv"
    rows = "train,ill,0.9\ntrain,ill,0.8\ntest,fit,0.2\ntest,fit,0.6\n"
    path.write_text("split,y,s\n" + rows)
    where = {"where": {"split": "test"}}
    spec = spec_of(path, {"score": "s"}, dataset=where, metrics=["specificity"])
    found = run(spec, engine)
    assert found["labels"][0]["positive"] == "ill"
    assert found["measures"][0]["value"] == 0.5
    called = spec_of(
        path, {"score": "s"}, dataset=where | {"map": {"ill": "bad"}}, metrics=["specificity"]
    )
    # "bad" is below "fit": the names of the report say which is the largest
    assert run(called, engine)["labels"][0]["order"] == ["bad", "fit"]
    # a score is of two classes: a third one elsewhere belongs to another question
    path.write_text("split,y,s\ntrain,unread,0.9\ntrain,unread,0.8\ntest,ill,0.7\n" + rows)
    assert run(spec, engine)["labels"][0]["order"] == ["fit", "ill"]
