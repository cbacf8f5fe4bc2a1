"""Files as a spec says they are written: separators, characters, sheets, joins, names, bins."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest

from evalreport import DataError, FilesError, SpecError, run

ROWS = [(f"p{i:03d}", i % 3 == 0, (i * 37 % 100) / 100, 20 + i % 60) for i in range(90)]


def spec(tmp_path: Path, **dataset):
    model = dataset.pop("model", {"score": "p"})
    more = dataset.pop("more", {})
    body = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y", **dataset}},
        "positive": {"label": "ill"},
        "models": {"m": model},
        "metrics": ["recall", "roc_auc", "specificity"],
        **more,
    }
    path = tmp_path / "s.yaml"
    path.write_text(json.dumps(body))
    return path


def written(
    path: Path,
    delimiter=",",
    decimal=".",
    encoding="utf-8",
    percent=False,
    rows=ROWS,
    columns=("id", "y", "p", "age"),
    words=("healthy", "ill"),
):
    with path.open("w", newline="", encoding=encoding) as file:
        out = csv.writer(file, delimiter=delimiter)
        out.writerow(columns)
        for name, ill, p, age in rows:
            score = f"{p * 100:.0f} %" if percent else str(p).replace(".", decimal)
            cells = {"id": name, "y": words[ill], "p": score, "age": age}
            out.writerow([cells[c] for c in columns])
    return path.name


def numbers(results):
    return [(m["metric"], m["subgroup"], m["value"], m["n"]) for m in results.json["measures"]]


@pytest.fixture(name="plain")
def plain_numbers(tmp_path):
    return numbers(run(spec(tmp_path, path=written(tmp_path / "plain.csv"))))


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize(
    ("read", "how"),
    [
        ({"delimiter": ";", "decimal": ","}, {"delimiter": ";", "decimal": ","}),
        ({"delimiter": "|"}, {"delimiter": "|"}),
        ({"encoding": "latin-1"}, {"encoding": "latin-1", "words": ("g\u00e9zond", "ill")}),
        ({"encoding": "utf-16"}, {"encoding": "utf-16"}),
        ({"percent": ["p"]}, {"percent": True}),
    ],
)
def test_every_way_of_writing_gives_the_same_numbers(tmp_path, plain, read, how, engine) -> None:
    path = written(tmp_path / "d.csv", **how)
    assert numbers(run(spec(tmp_path, path=path, read=read), engine=engine)) == plain


def test_a_delimiter_and_a_decimal_comma_are_counted_where_they_lie(tmp_path) -> None:
    path = written(tmp_path / "d.csv", delimiter=";", decimal=",")
    results = run(
        spec(tmp_path, path=path, read={"delimiter": ";", "decimal": ","}), engine="duckdb"
    )
    assert results.json["provenance"]["engine"]["name"] == "duckdb"


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_points_of_thousands_are_no_decimals_beside_decimal_commas(tmp_path, engine) -> None:
    rows = [f"{'ill' if i % 2 else 'healthy'};{i + 1}.{i % 1000:03}" for i in range(60)]
    (tmp_path / "d.csv").write_text("\n".join(["y;p", *rows]))
    declared = {"delimiter": ";", "decimal": ","}
    path = spec(tmp_path, path="d.csv", read=declared, more={"thresholds": [20_000]})
    with pytest.raises(DataError, match=r"such as 1020 for 1\.020") as raised:
        run(path, engine=engine)
    assert "row 1 (line 2): '1.000'" in str(raised.value)


def test_a_sheet_is_read_by_its_name(tmp_path, plain) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    book.active.title = "Notes"
    book.active.append(["nothing", "here"])
    sheet = book.create_sheet("Predictions")
    sheet.append(["id", "y", "p", "age", None])
    for name, ill, p, age in ROWS:
        sheet.append([name, "ill" if ill else "healthy", p, age, None])
    sheet.append([None, None, None, None])
    book.save(tmp_path / "d.xlsx")
    path = spec(tmp_path, path="d.xlsx", read={"sheet": "Predictions"})
    for engine in ("auto", "duckdb"):
        assert numbers(run(path, engine=engine)) == plain
    with pytest.raises(DataError, match="did you mean 'Predictions'"):
        run(spec(tmp_path, path="d.xlsx", read={"sheet": "Prediction"}))
    (tmp_path / "e.xlsx").write_text("id,y,p\n")
    with pytest.raises(DataError, match="not an Excel file"):
        run(spec(tmp_path, path="e.xlsx"))


def test_labels_are_called_as_the_map_says(tmp_path, plain) -> None:
    written(tmp_path / "d.csv", words=("0", "1"))
    path = spec(tmp_path, path="d.csv", map={"0": "healthy", "1": "ill"})
    for engine in ("memory", "duckdb"):
        results = run(path, engine=engine)
        assert numbers(results) == plain
        assert results.json["tables"][0]["labels"] == ["healthy", "ill"]
    frame = {"y": [int(ill) for _, ill, _, _ in ROWS], "p": [p for _, _, p, _ in ROWS]}
    typed = run(spec(tmp_path, map={"0": "healthy", "1": "ill"}), frames={"d": frame})
    assert numbers(typed) == plain


def joined(tmp_path, engine, on="id", extra=()):
    left = [r for i, r in enumerate(ROWS) if i % 10]
    right = [r for i, r in enumerate(ROWS) if i % 7] + list(extra)
    random.Random(4).shuffle(right)
    key = on if isinstance(on, str) else on["right"]
    written(tmp_path / "truth.csv", rows=left, columns=("id", "y", "age"))
    written(tmp_path / "said.csv", rows=right, columns=("id", "p"))
    if key != "id":
        text = (tmp_path / "said.csv").read_text().replace("id,p", f"{key},p", 1)
        (tmp_path / "said.csv").write_text(text)
    more = {"subgroups": [{"column": "age", "bins": [40, 60]}]}
    path = spec(tmp_path, path="truth.csv", join={"path": "said.csv", "on": on}, more=more)
    return run(path, engine=engine)


@pytest.mark.parametrize("on", ["id", {"left": "id", "right": "case"}])
def test_truth_and_predictions_are_joined_and_the_rest_is_counted(tmp_path, on) -> None:
    memory, counted = joined(tmp_path, "memory", on), joined(tmp_path, "duckdb", on)
    assert counted.json["provenance"]["engine"]["name"] == "duckdb"
    both = [r for i, r in enumerate(ROWS) if i % 10 and i % 7]
    written(tmp_path / "both.csv", rows=both)
    more = {"subgroups": [{"column": "age", "bins": [40, 60]}]}
    alone = run(spec(tmp_path, path="both.csv", more=more))
    assert numbers(memory) == numbers(counted) == numbers(alone)
    without_prediction = sum(1 for i in range(90) if i % 10 and not i % 7)
    without_truth = sum(1 for i in range(90) if not i % 10 and i % 7)
    for results in (memory, counted):
        rows = results.json["rows"][0]
        assert rows["read"] == 90 - sum(1 for i in range(90) if not i % 10 and not i % 7)
        assert {e["reason"]: e["count"] for e in rows["excluded"]} == {
            "no partner in said.csv": without_prediction,
            "no partner in truth.csv": without_truth,
        }
        assert rows["used"] == len(both)
    assert memory.json["measures"] == counted.json["measures"]
    assert [f["name"] for f in memory.json["provenance"]["inputs"][0].get("files", ())] or True


def test_a_row_that_is_named_twice_or_a_key_that_is_not_there_is_wrong_data(tmp_path) -> None:
    for engine in ("memory", "duckdb"):
        with pytest.raises(DataError, match=r"said.csv:\d+: id does not name one row each: 'p001'"):
            joined(tmp_path, engine, extra=[ROWS[1]])
    written(tmp_path / "a.csv")
    written(tmp_path / "b.csv", columns=("id", "p"))
    with pytest.raises(DataError, match="both have 'p'"):
        run(spec(tmp_path, path="a.csv", join={"path": "b.csv", "on": "id"}))
    with pytest.raises(DataError, match="did you mean 'id'"):
        run(spec(tmp_path, path="a.csv", join={"path": "b.csv", "on": "idd"}))
    with pytest.raises(FilesError, match="file not found"):
        run(spec(tmp_path, path="a.csv", join={"path": "c.csv", "on": "id"}))


def test_intervals_are_half_open_and_in_order(tmp_path) -> None:
    rows = [
        (f"p{i}", i % 2 == 0, i / 12, age)
        for i, age in enumerate([-5, 39.999, 40, 59, 60, 100, 8, 45, 62, 40, 60, ""])
    ]
    written(tmp_path / "d.csv", rows=rows)
    more = {
        "subgroups": [{"column": "age", "bins": [40, 60, 100]}],
        "subgroup_minimum": 1,
        "metrics": ["detection_rate"],
    }
    expected = {"(-inf, 40)": 3, "[40, 60)": 4, "[60, 100)": 3, "[100, inf)": 1, "(missing)": 1}
    path = spec(tmp_path, path="d.csv", more=more)
    for engine in ("memory", "duckdb"):
        results = run(path, engine=engine)
        assert results.json["provenance"]["engine"]["name"] == engine
        found = {m["subgroup"]["age"]: m["n"] for m in results.json["measures"] if m["subgroup"]}
        assert list(found.items()) == list(expected.items()), engine


def test_an_interval_can_be_crossed_and_have_a_criterion(tmp_path) -> None:
    written(tmp_path / "d.csv")
    binned = {"column": "age", "bins": [50]}
    more = {
        "subgroups": [["id", binned], binned],
        "acceptance": [{"metric": "recall", "at_least": 0, "subgroup": {"age": "[50, inf)"}}],
    }
    results = run(spec(tmp_path, path="d.csv", more=more))
    assert results.accepted
    resolved = results.json["spec"]["subgroups"]
    assert resolved[1] == [{"column": "age", "bins": [50.0]}]


@pytest.mark.parametrize(
    ("dataset", "more", "says"),
    [
        ({"path": "d.csv", "read": {"decimal": ";"}}, {}, "decimal is ';'"),
        ({"path": "d.csv", "read": {"encoding": "utf-88"}}, {}, "encoding 'utf-88' is not known"),
        ({"path": "d.csv", "read": {"encoding": "hex"}}, {}, "encoding 'hex' is not known"),
        ({"path": "d.csv", "read": {"delimeter": ";"}}, {}, "did you mean 'delimiter'"),
        ({"path": "d.csv", "read": {"delimiter": "ab"}}, {}, "delimiter"),
        ({"join": {"path": "d.csv", "on": "id"}}, {}, "path: a file"),
        ({"path": "d.csv"}, {"subgroups": [{"column": "age", "bins": [60, 40]}]}, "do not rise"),
        ({"path": "d.csv"}, {"subgroups": ["age", {"column": "age", "bins": [40]}]}, "two ways"),
    ],
)
def test_mistakes_in_how_files_are_read_are_told(tmp_path, dataset, more, says) -> None:
    with pytest.raises(SpecError, match=says):
        run(spec(tmp_path, more=more, **dataset))


def test_a_number_that_is_none_among_percentages_and_intervals_is_named(tmp_path) -> None:
    rows = [*ROWS[:5], ("x", True, 0.5, "old")]
    written(tmp_path / "d.csv", rows=rows)
    more = {"subgroups": [{"column": "age", "bins": [40]}]}
    for engine in ("memory", "duckdb"):
        with pytest.raises(DataError, match=r"d.csv:7: age is not a number.*'old'"):
            run(spec(tmp_path, path="d.csv", more=more), engine=engine)
    with pytest.raises(DataError, match="y is not a percentage"):
        run(spec(tmp_path, path="d.csv", read={"percent": ["y"]}))
    with pytest.raises(DataError, match=r'delimiter: ";", decimal: ","'):
        run(spec(tmp_path, path=written(tmp_path / "semi.csv", delimiter=";", decimal=",")))
