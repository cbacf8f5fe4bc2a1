"""Blanks, codes for no value, Excel's first line and Spark's quotes: read as they were meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from evalreport import DataError, SpecError, run
from evalreport.cli import status_of

BOTH = pytest.mark.parametrize("engine", ["memory", "duckdb"])
#: -1 is no label, and a margin like any other.
LABELS = np.array([1, 0, -1, 1, 0, 1, 0, -1, 1, 0, 1, 0])
MARGINS = np.array([2, -1, -1, -1, -3, 3, 1, 4, 1, -2, -1, -1])


def of_spec(folder: Path, read: dict[str, Any] | None, engine: str = "memory", **more: Any) -> Any:
    dataset = {"path": "d.csv", "target": "y", "missing": "exclude", **more}
    model = {"margin": "m"} if "m" in (folder / "d.csv").read_text() else {"score": "score"}
    body = {
        "evalreport": 1,
        "datasets": {"d": {**dataset, **({} if read is None else {"read": read})}},
        "models": {"one": model},
        "metrics": ["accuracy", "roc_auc"],
    }
    (folder / "s.yaml").write_text(json.dumps(body))
    return run(folder / "s.yaml", engine=engine)


def values(results: Any) -> dict[str, float]:
    return {m["metric"]: m["value"] for m in results.json["measures"]}


@BOTH
def test_a_code_for_no_value_holds_in_its_column_only(tmp_path, engine) -> None:
    pd.DataFrame({"y": LABELS, "m": MARGINS}).to_csv(tmp_path / "d.csv", index=False)
    labelled = LABELS >= 0
    expected = roc_auc_score(LABELS[labelled], MARGINS[labelled])
    results = of_spec(tmp_path, {"missing": {"y": ["-1"]}}, engine)
    assert values(results)["roc_auc"] == pytest.approx(expected, abs=1e-15)
    assert results.json["rows"][0]["used"] == 10
    assert results.json["rows"][0]["excluded"] == [{"reason": "y is empty", "count": 2}]
    # for every column the code takes margins of -1 as well
    both = labelled & (MARGINS != -1)
    results = of_spec(tmp_path, {"missing": [-1]}, engine)
    assert results.json["rows"][0]["used"] == both.sum() == 6
    assert results.json["provenance"]["engine"]["name"] == engine


@pytest.mark.parametrize("suffix", ["parquet", "jsonl", "xlsx"])
def test_numbers_are_codes_by_their_value(tmp_path, suffix) -> None:
    frame = pd.DataFrame({"y": LABELS, "m": MARGINS.astype(float)})
    if suffix == "parquet":
        duckdb.from_df(frame).write_parquet(str(tmp_path / "d.parquet"))
    elif suffix == "jsonl":
        frame.to_json(tmp_path / "d.jsonl", orient="records", lines=True)
    else:
        frame.to_excel(tmp_path / "d.xlsx", index=False)
    (tmp_path / "d.csv").write_text("m")
    results = of_spec(tmp_path, {"missing": {"y": ["-1"]}}, path=f"d.{suffix}")
    labelled = LABELS >= 0
    expected = roc_auc_score(LABELS[labelled], MARGINS[labelled])
    assert results.json["tables"][0]["labels"] == ["0", "1"]
    assert values(results)["roc_auc"] == pytest.approx(expected, abs=1e-15)


@BOTH
def test_blanks_around_values_and_names_are_no_part_of_them(tmp_path, engine) -> None:
    (tmp_path / "d.csv").write_text(
        "id, y, score\n1, 1 , 0.9\n2, 0,\t0.2\n3,1,0.4 \n4, 0, 0.6\n5, 1,  NA\n6, 0, \n"
    )
    read = {"strip": True, "missing": {"score": ["NA"]}}
    results = of_spec(tmp_path, read, engine)
    # by hand: 0.9 and 0.4 against 0.2 and 0.6, so 3 of 4 pairs; right are 0.9 and 0.2
    assert values(results) == {"accuracy": 0.5, "roc_auc": 0.75}
    assert results.json["rows"][0]["excluded"] == [{"reason": "score is missing", "count": 2}]
    assert results.json["provenance"]["engine"]["name"] == engine
    with pytest.raises(DataError, match=r"read: \{strip: true\}, in the dataset: its name is ' y'"):
        of_spec(tmp_path, None, engine)


def test_a_quote_after_a_blank_opens_a_field(tmp_path) -> None:
    (tmp_path / "d.csv").write_text('y, score, site\n1, 0.9, "a, b"\n0, 0.2, "c"\n')
    assert values(of_spec(tmp_path, {"strip": True}))["accuracy"] == 1


def test_columns_that_read_names_are_there(tmp_path) -> None:
    (tmp_path / "d.csv").write_text("y,score\n1,0.9\n0,0.2\n")
    for engine in ("memory", "duckdb"):
        with pytest.raises(DataError, match=r"'scor' \(read: missing\); did you mean 'score'"):
            of_spec(tmp_path, {"missing": {"scor": ["NA"]}}, engine)
    with pytest.raises(DataError, match=r"'z' \(read: percent\)"):
        of_spec(tmp_path, {"percent": ["z"]})
    query = {"sql": "SELECT 1", "database": "d.db"}
    with pytest.raises(SpecError, match="read describes a file"):
        of_spec(tmp_path, {"missing": ["NA"]}, path=query)


@BOTH
@pytest.mark.parametrize("first", ["sep=;\r\n", '"sep=;"\n', "SEP=;\n"])
def test_the_first_line_for_excel_names_the_delimiter(tmp_path, engine, first) -> None:
    text = first + "y;score\n1;0.9\n0;0.2\n1;0.4\n0;0.6\n"
    (tmp_path / "d.csv").write_bytes(text.encode())
    assert values(of_spec(tmp_path, None, engine)) == {"accuracy": 0.5, "roc_auc": 0.75}
    (tmp_path / "d.csv").write_bytes(text.replace("0.4", "x").encode())
    with pytest.raises(DataError, match=r"d.csv:5: score is not a number in row 3"):
        of_spec(tmp_path, None, engine)


@BOTH
def test_empty_columns_without_a_name_at_the_end_are_no_columns(tmp_path, engine) -> None:
    text = "y,score,,\n1,0.9,,\n0,0.2,, \n1,0.4,,\n0,0.6,,\n"
    (tmp_path / "d.csv").write_text(text)
    assert values(of_spec(tmp_path, None, engine)) == {"accuracy": 0.5, "roc_auc": 0.75}
    (tmp_path / "d.csv").write_text(text.replace("0.4,", "0.4,late"))
    with pytest.raises(DataError, match=r"d.csv:4: column 3 has no name and contains 'late'"):
        of_spec(tmp_path, None, engine)
    (tmp_path / "d.csv").write_text("y,,score\n1,,0.9\n")
    with pytest.raises(DataError, match="column 2 has no name"):
        of_spec(tmp_path, None, engine)


@BOTH
def test_quotes_that_spark_escapes_are_part_of_the_text(tmp_path, engine, capsys) -> None:
    r"""As Spark writes it by default: \" within quotes, a backslash outside of them as it is."""
    (tmp_path / "d.csv").write_text(
        'y,score,said\n1,0.9,"a \\"big\\", one"\n0,0.2,C:\\dir\n1,0.4,"tail \\\\"\n0,0.6,"x\ny"\n'
    )
    more = {"subgroups": ["said"], "subgroup_minimum": 1}
    body = {
        "evalreport": 1,
        "datasets": {"d": {"path": "d.csv", "target": "y", "read": {"escape": "\\"}}},
        "models": {"one": {"score": "score"}},
        "metrics": ["accuracy"],
        **more,
    }
    (tmp_path / "s.yaml").write_text(json.dumps(body))
    results = run(tmp_path / "s.yaml", engine=engine)
    groups = {m["subgroup"]["said"] for m in results.json["measures"] if m["subgroup"]}
    assert groups == {'a "big", one', "C:\\dir", "tail \\", "x\ny"}
    del body["datasets"]["d"]["read"]  # type: ignore[attr-defined]
    (tmp_path / "s.yaml").write_text(json.dumps(body))
    assert status_of(["run", str(tmp_path / "s.yaml"), "-o", str(tmp_path / "r"), "--quiet"]) == 3
    assert 'read: {escape: "\\\\"}, in the dataset' in capsys.readouterr().err
