"""Rows that come as counts: the report is that of the rows themselves."""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from evalreport.cli import status_of
from evalreport.spec.schema import spec_schema

SPEC = """evalreport: 1
datasets:
  d: {{path: {path}, target: y{more}}}
models:
  a: {{prediction: p}}
  b: {{prediction: q}}
  s: {{score: score}}
positive: {{label: ill}}
metrics: [accuracy, recall, specificity, precision, f1, mcc, roc_auc, brier, average_precision]
thresholds: [0.5, {{maximize: youden_j}}]
subgroups: [sex]
confidence: {{resamples: 200, methods: {{f1: bootstrap_percentile}}}}
comparisons: {{reference: a}}
acceptance: [{{metric: recall, at_least: 0.5, bound: lower}}]
report: {{formats: [json]}}
"""


def run(folder: Path, spec: str, name: str = "s", status: int | None = None) -> Any:
    (folder / f"{name}.yaml").write_text(spec)
    got = status_of(["run", str(folder / f"{name}.yaml"), "-o", str(folder / name), "--quiet"])
    if status is not None:
        assert got == status
    found = folder / name / "latest" / "results.json"
    return json.loads(found.read_text()) if found.exists() else None


def wilson(x: int, n: int) -> tuple[float, float]:
    z = 1.959963984540054
    middle, half = x + z * z / 2, z * (x * (n - x) / n + z * z / 4) ** 0.5
    return (middle - half) / (n + z * z), (middle + half) / (n + z * z)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """The same 300 rows as kinds with counts, and one by one in the order of the kinds."""
    folder = tmp_path_factory.mktemp("counted")
    rng = random.Random(4)
    kinds = product(("ill", "well"), ("ill", "well"), ("ill", "well"), "FM", (0.2, 0.45, 0.5, 0.9))
    counted, rows = ["y,p,q,sex,score,n"], ["y,p,q,sex,score"]
    for kind in kinds:
        text, count = ",".join(map(str, kind)), rng.choice((0, 1, 2, 3, 7, 11))
        counted.append(f"{text},{count}")
        rows += [text] * count
    (folder / "kinds.csv").write_text("\n".join(counted) + "\n")
    (folder / "rows.csv").write_text("\n".join(rows) + "\n")
    return (
        run(folder, SPEC.format(path="kinds.csv", more=", count: n"), "kinds"),
        run(folder, SPEC.format(path="rows.csv", more=""), "rows"),
    )


@pytest.mark.parametrize(
    "part", ["measures", "tables", "curves", "comparisons", "acceptance", "rows", "thresholds"]
)
def test_counted_kinds_give_the_report_of_their_rows(both: tuple[Any, Any], part: str) -> None:
    counted, rows = both
    assert counted[part]
    assert counted[part] == rows[part]


def test_the_engine_says_that_rows_came_as_kinds(both: tuple[Any, Any]) -> None:
    told = both[0]["provenance"]["engine"]["reason"]
    assert told == "64 kinds of rows, each with how many rows are of it, are added up"


PARTS = ("measures", "tables", "curves", "comparisons", "acceptance", "rows", "thresholds",
         "subgroup_gaps", "heterogeneity", "baselines", "cautions")  # fmt: skip


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_kinds_that_are_added_up_give_the_report_of_their_rows(
    both: tuple[Any, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    engine: str,
) -> None:
    """What is done where they stand for many rows: none of them is written out."""
    monkeypatch.setattr("evalreport.engine.counting.counting_views.written_out", None)
    rng = random.Random(4)
    kinds = product(("ill", "well"), ("ill", "well"), ("ill", "well"), "FM", (0.2, 0.45, 0.5, 0.9))
    lines = [f"{','.join(map(str, kind))},{rng.choice((0, 1, 2, 3, 7, 11))}" for kind in kinds]
    (tmp_path / "kinds.csv").write_text("\n".join(["y,p,q,sex,score,n", *lines]) + "\n")
    spec = SPEC.format(path="kinds.csv", more=", count: n") + f"engine: {{name: {engine}}}\n"
    found = run(tmp_path, spec)
    for part in PARTS:
        assert found[part] == both[1][part], part
    (told,) = found["provenance"]["inputs"]
    assert told["rows"] == 64


@pytest.mark.long_but_first
@pytest.mark.parametrize("engine", ["memory", "duckdb", "auto"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_ten_million_rows_of_four_kinds(tmp_path: Path, engine: str, suffix: str) -> None:
    import duckdb
    import pandas as pd

    ten = {
        "y": [1, 1, 0, 0],
        "s": [0.9, 0.2, 0.7, 0.1],
        "n": [2_500_000, 500_000, 10**6, 6 * 10**6],
    }
    path = tmp_path / f"k.{suffix}"
    if suffix == "parquet":
        duckdb.from_df(pd.DataFrame(ten)).write_parquet(str(path))
    else:
        pd.DataFrame(ten).to_csv(path, index=False)
    spec = (
        f"evalreport: 1\ndatasets: {{d: {{path: k.{suffix}, target: y, count: n}}}}\n"
        "models: {m: {score: s}}\nmetrics: [recall, roc_auc, brier]\n"
        f"engine: {{name: {engine}}}\nreport: {{formats: [json]}}\n"
    )
    found = run(tmp_path, spec, status=0)
    values = {one["metric"]: one for one in found["measures"]}
    assert (values["recall"]["numerator"], values["recall"]["denominator"]) == (
        2_500_000,
        3_000_000,
    )
    better, ties = 2.5e6 * 7e6 + 0.5e6 * 6e6, 0
    assert values["roc_auc"]["value"] == pytest.approx((better + ties / 2) / (3e6 * 7e6))
    assert values["roc_auc"]["n"] == 10**7
    assert found["rows"][0]["read"] == 10**7


def test_a_large_table_in_the_spec_is_not_written_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evalreport.engine.counting.counting_views.written_out", None)
    spec = (
        "evalreport: 1\ndatasets:\n  d: {table: {labels: [well, ill], "
        "counts: [[6000000, 1000000], [500000, 2500000]]}}\n"
        "models: {m: {prediction: predicted}}\nmetrics: [recall, mcc]\n"
        "positive: {label: ill}\nreport: {formats: [json]}\n"
    )
    found = run(tmp_path, spec, status=0)
    assert found["measures"][0]["value"] == pytest.approx(2_500_000 / 3_000_000)
    assert "4 kinds of rows" in found["provenance"]["engine"]["reason"]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_89_of_100_is_that_of_rows_in_every_kind_of_file(tmp_path: Path, suffix: str) -> None:
    import duckdb
    import pandas as pd

    kinds = pd.DataFrame(
        {
            "y": ["ill", "ill", "well", "well"],
            "p": ["ill", "well", "ill", "well"],
            "n": [87, 1, 10, 2],
        }
    )
    path = tmp_path / f"k.{suffix}"
    if suffix == "parquet":
        duckdb.from_df(kinds).write_parquet(str(path))
    elif suffix == "jsonl":
        kinds.to_json(path, orient="records", lines=True)
    else:
        kinds.to_csv(path, index=False, sep="\t" if suffix == "tsv" else ",")
    spec = (
        f"evalreport: 1\ndatasets: {{d: {{path: k.{suffix}, target: y, count: n}}}}\n"
        "models: {m: {prediction: p}}\nmetrics: [accuracy]\npositive: {label: ill}\n"
        "engine: {name: duckdb}\nreport: {formats: [json]}\n"
    )
    found = run(tmp_path, spec, status=0)
    measure = found["measures"][0]
    assert (measure["numerator"], measure["denominator"], measure["n"]) == (89, 100, 100)
    limits = measure["interval"]
    assert limits["method"] == "wilson"
    assert (limits["low"], limits["high"]) == pytest.approx(wilson(89, 100), abs=1e-12)
    assert "each kind of row has a count" in str(found["provenance"])


@pytest.mark.parametrize(
    ("count", "told"),
    [
        ("-1", "is negative in row 2 (line 3)"),
        ("1.5", "is not whole in row 2 (line 3)"),
        ("", "is missing in row 2 (line 3)"),
        ("many", "not a number"),
        ("1e17", "is larger than"),
    ],
)
def test_what_is_no_count_is_refused_at_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], count: str, told: str
) -> None:
    (tmp_path / "k.csv").write_text(f"y,p,n\na,a,3\nb,b,{count}\n")
    spec = (
        "evalreport: 1\ndatasets: {d: {path: k.csv, target: y, count: n}}\n"
        "models: {m: {prediction: p}}\nmetrics: [accuracy]\n"
    )
    run(tmp_path, spec, status=3)
    assert told in capsys.readouterr().err


def test_more_rows_than_fit_are_refused_before_they_are_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.csv").write_text("y,p,at,n\na,a,2026-01-05,3\nb,b,2026-01-06,900000000000\n")
    spec = (
        "evalreport: 1\ndatasets: {d: {path: k.csv, target: y, count: n, "
        "period: {column: at, every: month}}}\n"
        "models: {m: {prediction: p}}\nmetrics: [accuracy]\n"
    )
    run(tmp_path, spec, status=4)
    assert "of memory" in capsys.readouterr().err


def test_mistakes_of_rows_are_told_at_the_line_of_their_kind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.csv").write_text("y,s,n\na,0.1,40\nb,high,2\nb,0.9,7\n")
    spec = (
        "evalreport: 1\ndatasets: {d: {path: k.csv, target: y, count: n}}\n"
        "models: {m: {score: s}}\nmetrics: [accuracy]\n"
    )
    run(tmp_path, spec, status=3)
    assert "row 2 (line 3)" in capsys.readouterr().err


def test_files_of_several_sites_add_up_with_the_hash_of_each(tmp_path: Path) -> None:
    (tmp_path / "sites").mkdir()
    (tmp_path / "sites" / "a.csv").write_text("y,p,n\nill,ill,40\nwell,ill,4\nwell,well,30\n")
    (tmp_path / "sites" / "b.csv").write_text("y,p,n\nill,ill,47\nill,well,1\nwell,ill,6\n")
    spec = (
        "evalreport: 1\ndatasets: {d: {path: sites/, target: y, count: n}}\n"
        "models: {m: {prediction: p}}\nmetrics: [recall]\npositive: {label: ill}\n"
        "report: {formats: [json]}\n"
    )
    found = run(tmp_path, spec, status=0)
    assert found["tables"][0]["counts"] == [[87, 1], [10, 30]]
    (given,) = found["provenance"]["inputs"]
    assert [part["name"] for part in given["files"]] == ["a.csv", "b.csv"]
    assert len({part["sha256"] for part in given["files"]}) == 2


TABLE = (
    "evalreport: 1\ndatasets:\n  printed:\n    table: {{labels: [well, ill], counts: {counts}}}\n"
    "models: {{paper: {{prediction: predicted}}}}\npositive: {{label: ill}}\n"
    "metrics: [accuracy, recall, specificity, precision, roc_auc]\nreport: {{formats: [json]}}\n"
)


def test_a_table_in_the_spec_needs_no_file(tmp_path: Path) -> None:
    found = run(tmp_path, TABLE.format(counts="[[2, 10], [1, 87]]"), status=0)
    assert found["tables"][0]["labels"] == ["well", "ill"]
    assert found["tables"][0]["counts"] == [[2, 10], [1, 87]]
    accuracy = found["measures"][0]
    assert accuracy["value"] == 0.89
    assert (accuracy["interval"]["low"], accuracy["interval"]["high"]) == pytest.approx(
        wilson(89, 100), abs=1e-12
    )
    area = next(m for m in found["measures"] if m["metric"] == "roc_auc")
    assert (area["state"], "scores" in area["reason"]) == ("not_applicable", True)
    made, spec = str(tmp_path / "s" / "latest"), str(tmp_path / "s.yaml")
    assert status_of(["verify", made, "--rerun", "--spec", spec]) == 0


def test_an_empty_cell_of_a_table_is_unknown(tmp_path: Path) -> None:
    """Dogs found in pictures: 5 found, 7 not, 3 false alarms, nobody counts the rest."""
    found = run(tmp_path, TABLE.format(counts="[[null, 3], [7, 5]]"))
    states = {m["metric"]: (m["state"], m["value"]) for m in found["measures"]}
    assert states["precision"] == ("value", 0.625)
    assert states["recall"] == ("value", 5 / 12)
    assert states["specificity"] == ("undefined", None)
    assert states["accuracy"] == ("undefined", None)
    assert found["tables"][0]["counts"] == [[None, 3], [7, 5]]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("[[2, 10], [1, 87]]", "[[2, 10, 3], [1, 87]]"), "3 counts for 2 labels"),
        (("[[2, 10], [1, 87]]", "[[2, 10]]"), "counts"),
        (("[[2, 10], [1, 87]]", "[[0, 0], [0, 0]]"), "has no rows"),
        (("[[2, 10], [1, 87]]", "[[2, 1.5], [1, 87]]"), "1.5"),
        (("]]}", "]]}\n    path: d.csv"), "path is of rows in a file"),
        (("{prediction: predicted}", "{score: s}"), "is the table of one model"),
        (("metrics:", "subgroups: [sex]\nmetrics:"), "subgroups are columns"),
        (("predicted}}", "predicted}, other: {prediction: x}}"), "the table of one model"),
    ],
)
def test_wrong_tables_are_told_in_the_spec(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: tuple[str, str], told: str
) -> None:
    spec = TABLE.format(counts="[[2, 10], [1, 87]]").replace(*change, 1)
    run(tmp_path, spec, status=2)
    out = capsys.readouterr().err
    assert told in out
    assert "s.yaml:" in out


def test_a_count_and_an_id_contradict_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(
        tmp_path,
        "evalreport: 1\ndatasets: {d: {path: k.csv, target: y, count: n, id: k}}\n"
        "models: {m: {prediction: p}}\nmetrics: [accuracy]\n",
        status=2,
    )
    assert "an id names one row" in capsys.readouterr().err


@pytest.mark.parametrize("cell", [0, None])
def test_the_schema_takes_a_table_in_the_place_of_a_file(cell: int | None) -> None:
    validator = jsonschema.Draft7Validator(spec_schema())
    table = {"labels": ["well", "ill"], "counts": [[cell, 10], [1, 87]]}
    spec: dict[str, Any] = {
        "evalreport": 1,
        "datasets": {"printed": {"table": table}},
        "models": {"paper": {"prediction": "predicted"}},
        "metrics": ["recall"],
        "claims": [{"metric": "recall", "value": "98.9", "unit": "percent"}],
        "acceptance": [{"claim": "all"}, {"metric": "recall", "at_least": 0.5}],
    }
    assert list(validator.iter_errors(spec)) == []
    spec["datasets"]["printed"] = {"target": "y"}
    assert list(validator.iter_errors(spec)) != []
