"""What a spec says of the types of its columns holds for every column, in every engine."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from hostile.command import Workshop

ROWS = "y,p,s,g\n1,1.0,0.9,a\n0,0.0,0.2,b\n1.0,0,0.4,a\n0.0,1,0.6,b\n"
ENGINES = ("memory", "duckdb", "auto")


def parquet(workshop: Workshop, name: str, query: str) -> Path:
    path = workshop.folder / name
    duckdb.connect().execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return path


@pytest.mark.parametrize("engine", ENGINES)
def test_a_target_that_is_not_of_its_type(workshop: Workshop, engine: str) -> None:
    workshop.file("t.csv", "y,p\n1.5,1.5\n2,2\n")
    workshop.spec(path="t.csv", dataset="types: {y: integer}")
    workshop.refused(3, "y is not of the declared type integer in row 1", "'1.5'", engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["integer", "boolean"])
def test_a_score_that_is_not_of_its_type(workshop: Workshop, engine: str, kind: str) -> None:
    workshop.file("t.csv", ROWS)
    workshop.spec(path="t.csv", model="{score: s}", dataset=f"types: {{y: number, s: {kind}}}")
    workshop.refused(3, f"s is not of the declared type {kind}", "'0.9'", engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_type_of_a_column_that_is_not_there(workshop: Workshop, engine: str, suffix: str) -> None:
    workshop.file("t.csv", "y,p\n1,1\n0,0\n")
    parquet(workshop, "t.parquet", "SELECT 1 AS y, 1 AS p UNION ALL SELECT 0, 0")
    workshop.spec(path=f"t.{suffix}", dataset="types: {yy: integer}")
    workshop.refused(3, "spec.yaml:4:", "has no column 'yy'", "did you mean 'y'?", engine=engine)


@pytest.mark.parametrize("column", ["g", "w", "i", "c", "f"])
def test_every_other_column_is_held_to_its_type(workshop: Workshop, column: str) -> None:
    """A subgroup, a weight, an id, a cluster, and one that nothing reads."""
    workshop.file("t.csv", "y,p,g,w,i,c,f\n1,1,x,0.5,u,q,z\n0,0,x,0.5,v,q,z\n")
    workshop.spec(
        path="t.csv",
        dataset=f"weight: w, id: i, cluster: c, types: {{{column}: integer}}",
        more="subgroups: [g]",
    )
    workshop.refused(3, f"{column} is not of the declared type integer in row 1")


@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_in_two_spellings_are_one_class(workshop: Workshop, engine: str) -> None:
    """1 and 1.0 in the truth, 1.0 and 1 in the predictions: TP 1, TN 1, FP 1, FN 1."""
    workshop.file("t.csv", ROWS)
    workshop.spec(
        path="t.csv", metrics="[accuracy, recall]", dataset="types: {y: number, p: number}"
    )
    found = workshop.done(engine=engine)
    assert found.results["tables"][0]["labels"] == ["0", "1"]
    assert found.results["tables"][0]["counts"] == [[1, 1], [1, 1]]
    assert found.measure("accuracy")["value"] == 0.5


def test_without_a_type_two_spellings_are_refused(workshop: Workshop) -> None:
    workshop.file("t.csv", ROWS)
    workshop.spec(path="t.csv")
    workshop.refused(3, "one class seems to be written in several ways", "'1'", "'1.0'")


def test_truth_values_in_their_spellings_are_two_classes(workshop: Workshop) -> None:
    workshop.file("t.csv", "y,p\ntrue,1\nFALSE,0\nTrue,false\n")
    workshop.spec(path="t.csv", dataset="types: {y: boolean, p: boolean}")
    found = workshop.done()
    assert found.results["tables"][0]["labels"] == ["false", "true"]
    assert found.results["tables"][0]["counts"] == [[1, 0], [1, 1]]


def test_text_keeps_what_was_written(workshop: Workshop) -> None:
    parquet(workshop, "t.parquet", "SELECT 7 AS y, 7 AS p UNION ALL SELECT 8, 8")
    workshop.spec(path="t.parquet", dataset="types: {y: text, p: text}")
    assert workshop.done().results["tables"][0]["labels"] == ["7", "8"]
