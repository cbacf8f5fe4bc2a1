"""Reading sets of labels: 0/1 columns, lists, what is missing, and every mistake."""

from __future__ import annotations

from pathlib import Path

import pytest
from engine.label_sets.set_specs import AT, measure

from evalreport.api import run
from evalreport.errors import DataError, SpecError
from evalreport.plan.columns import check_columns
from evalreport.spec.load import load_spec

COLUMNS = {"labels": {"a": "y_a", "b": "y_b"}}


def of_file(path: Path, target, models, dataset=None, metrics=("hamming_loss",), **spec):
    return run(
        {
            "evalreport": 1,
            "datasets": {"d": {"path": str(path), "target": target, **(dataset or {})}},
            "models": models,
            "metrics": list(metrics),
            **spec,
        },
        at=AT,
    ).json


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def labels_of(found):
    return {t["label"]: t["counts"] for t in found["tables"]}


LISTS = {"m": {"prediction": {"list": "found", "separator": "|"}}}


def test_lists_in_a_csv_file_are_split_and_an_empty_cell_is_the_empty_set(tmp_path):
    text = "truth,found\na|b,a\n,\nb | c,c|b|b\n"
    found = of_file(written(tmp_path, "d.csv", text), {"list": "truth", "separator": "|"}, LISTS)
    assert labels_of(found) == {
        "a": [[2, 0], [0, 1]],
        "b": [[1, 0], [1, 1]],
        "c": [[2, 0], [0, 1]],
    }
    assert found["labels"][0]["order"] == ["a", "b", "c"]
    assert found["rows"][0]["used"] == 3


def test_an_empty_cell_that_was_read_as_no_label_is_told(tmp_path):
    path = written(tmp_path, "d.csv", "truth,found\na,a\n,a\n")
    found = of_file(path, {"list": "truth", "separator": "|"}, LISTS)
    told = [c["message"] for c in found["cautions"] if c["code"] == "data_finding"]
    assert told == ["1 of 2 cells of truth are empty: they are read as rows without any label."]


def test_lists_of_json_lines_and_null_is_missing(tmp_path):
    text = (
        '{"truth": ["a", "b"], "found": ["a"]}\n'
        '{"truth": [], "found": []}\n'
        '{"truth": null, "found": ["b"]}\n'
    )
    path = written(tmp_path, "d.jsonl", text)
    found = of_file(
        path, {"list": "truth"}, {"m": {"prediction": {"list": "found"}}}, {"missing": "exclude"}
    )
    assert labels_of(found) == {"a": [[1, 0], [0, 1]], "b": [[1, 0], [1, 0]]}
    assert found["rows"][0]["read"] == 3
    assert found["rows"][0]["excluded"] == [{"reason": "truth is empty", "count": 1}]


@pytest.mark.parametrize("one", ["1", "true", "1.0", "TRUE"])
def test_ways_to_write_a_flag(tmp_path, one):
    zero = {"1": "0", "true": "false", "1.0": "0.0", "TRUE": "FALSE"}[one]
    text = f"y_a,y_b,found\n{one},{zero},a\n{zero},{one},a\n"
    models = {"m": {"prediction": {"list": "found"}}}
    found = of_file(written(tmp_path, "d.csv", text), COLUMNS, models)
    assert labels_of(found) == {"a": [[0, 1], [0, 1]], "b": [[1, 0], [1, 0]]}


def test_declared_labels_come_first_and_may_never_occur(tmp_path):
    path = written(tmp_path, "d.csv", "truth,found\nb,b\na,\n")
    found = of_file(
        path,
        {"list": "truth"},
        {"m": {"prediction": {"list": "found"}}},
        {"labels": ["z", "b"]},
        ["recall"],
    )
    assert found["labels"][0]["order"] == ["z", "b", "a"]
    assert measure(found, "recall", label="z")["state"] == "undefined"
    assert any("not declared: 'a'" in c["message"] for c in found["cautions"])


def test_every_row_is_used_or_excluded_for_one_reason(tmp_path):
    text = "y_a,y_b,s_a,s_b,w\n1,0,.9,.1,1\n,1,,.2,1\n0,1,nan,.3,1\n1,1,.5,.5,0\n0,0,.1,.2,2\n"
    path = written(tmp_path, "d.csv", text)
    scores = {"m": {"scores": {"a": "s_a", "b": "s_b"}}}
    found = of_file(path, COLUMNS, scores, {"missing": "exclude", "weight": "w"})
    assert found["rows"][0]["excluded"] == [
        {"reason": "s_a is missing", "count": 2},
        {"reason": "weight is 0", "count": 1},
    ]
    assert (found["rows"][0]["read"], found["rows"][0]["used"]) == (5, 2)
    assert measure(found, "hamming_loss")["weight"] == 3


FLAGS = "y_a,y_b,s_a,s_b,p,found\n1,0,.9,.1,a,a\n0,1,.2,.8,b,b\n"


@pytest.mark.parametrize(
    ("text", "target", "model", "words"),
    [
        (
            FLAGS.replace("0,1,", "no,1,"),
            COLUMNS,
            {"prediction": {"list": "found"}},
            "y_a is neither 0 nor 1 in row 2 (line 3): 'no'",
        ),
        (
            FLAGS.replace("0,1,", ",1,"),
            COLUMNS,
            {"prediction": {"list": "found"}},
            "y_a is empty in row 2 (line 3)",
        ),
        (
            FLAGS.replace("b,b", "b,c"),
            COLUMNS,
            {"prediction": {"list": "found"}},
            "labels without a column in the target: 'c'",
        ),
        (
            FLAGS,
            COLUMNS,
            {"scores": {"a": "s_a", "c": "s_b"}},
            "labels without a column of scores: 'b'",
        ),
        (
            FLAGS,
            {"list": "found"},
            {"prediction": {"labels": {"a": "y_a", "c": "y_b"}}},
            "labels without a column of prediction: 'b'",
        ),
        (FLAGS, COLUMNS, {"scores": {"a": "s_a", "b": "p"}}, "p is not a number"),
        (
            FLAGS.replace("b,b", "b,b;;a"),
            COLUMNS,
            {"prediction": {"list": "found"}},
            "found lists a label without text in row 2 (line 3)",
        ),
        (FLAGS, COLUMNS, {"prediction": {"list": "fuond"}}, "no column 'fuond' (prediction)"),
    ],
)
def test_mistakes_say_what_and_where(tmp_path, text, target, model, words):
    path = written(tmp_path, "d.csv", text)
    with pytest.raises(DataError) as raised:
        of_file(path, target, {"m": model})
    assert words in str(raised.value).replace(f"{path}", "d.csv")
    assert all(problem.instead for problem in raised.value.problems)


FOLDS = {"cross_validation": {"scheme": "k_fold", "folds": 2}}


@pytest.mark.parametrize(
    ("model", "more"),
    [
        ({"score": "s_a"}, {}),
        ({"margin": "s_a"}, {}),
        ({"prediction": "p"}, {}),
        ({"linear": {"weights": {"s_a": 1}}}, {}),
        ({"estimator": "sklearn.linear_model.LogisticRegression", "features": ["s_a"]}, FOLDS),
    ],
)
def test_models_of_one_label_are_a_mistake_of_the_spec(tmp_path, model, more):
    path = written(tmp_path, "d.csv", FLAGS)
    with pytest.raises(SpecError) as raised:
        of_file(path, COLUMNS, {"m": model}, **more)
    (problem,) = raised.value.problems
    assert problem.what == "d has sets of labels, m gives one label per row"
    assert problem.instead.startswith("prediction: {labels:")
    assert problem.where.line is not None


def test_sets_for_rows_of_one_label_are_a_mistake_of_the_spec(tmp_path):
    path = written(tmp_path, "d.csv", FLAGS)
    with pytest.raises(SpecError) as raised:
        of_file(path, "p", {"m": {"prediction": {"list": "found"}}})
    (problem,) = raised.value.problems
    assert problem.what == "d has one label per row, m gives sets of labels"


def test_columns_of_sets_that_are_not_there_are_found_before_a_row_is_read(tmp_path):
    path = written(tmp_path, "d.csv", FLAGS)
    spec = written(
        tmp_path,
        "s.yaml",
        "evalreport: 1\n"
        f"datasets: {{d: {{path: {path}, target: {{labels: {{a: y_a, b: y_x}}}}}}}}\n"
        "models:\n"
        "  one: {prediction: {list: fuond}}\n"
        "  two: {prediction: {labels: {a: s_a, b: s_x}}}\n"
        "metrics: [hamming_loss]\n",
    )
    with pytest.raises(DataError) as raised:
        check_columns(load_spec(spec))
    told = [problem.what.split(" in ")[0] for problem in raised.value.problems]
    assert told == ["no column 'y_x'", "no column 'fuond'", "no column 's_x'"]
    assert [problem.where.line for problem in raised.value.problems] == [2, 4, 5]


def test_all_mistakes_are_told_at_once(tmp_path):
    text = "y_a,y_b,s_a,s_b\n1,2,.9,x\n0,1,.2,.8\n"
    with pytest.raises(DataError) as raised:
        of_file(
            written(tmp_path, "d.csv", text), COLUMNS, {"m": {"scores": {"a": "s_a", "b": "s_b"}}}
        )
    assert len(raised.value.problems) == 2
