"""Which class is positive does not depend on the rows that happen to be there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import evalreport
from evalreport.cli import status_of
from evalreport.data.labels import partner_of
from evalreport.errors import DataError

#: Of four rows without the disease 0.6 alone reaches one half: accuracy 3 / 4, and the Brier
#: score is (0.01 + 0.04 + 0.09 + 0.36) / 4 = 0.125.
SCORES = (0.1, 0.2, 0.3, 0.6)
ENGINES = ("memory", "duckdb")


def run(
    folder: Path, files: dict[str, str], model: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    engine, dataset = more.pop("engine", "memory"), more.pop("dataset", {})
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text)
    spec = {
        "evalreport": 1,
        "title": "t",
        "datasets": {
            name: {"path": str(folder / f"{name}.csv"), "target": "y", **dataset} for name in files
        },
        "models": {"m": model or {"score": "p"}},
        "metrics": ["accuracy", "recall", "brier"],
        "acceptance": [{"metric": "recall", "at_least": 0.5}],
        **more,
    }
    return dict(evalreport.run(spec, engine=engine).json)


def night(label: str) -> str:
    return "y,p\n" + "".join(f"{label},{p}\n" for p in SCORES)


def value(found: dict[str, Any], metric: str, dataset: str | None = None) -> Any:
    (own,) = [
        m["value"]
        for m in found["measures"]
        if m["metric"] == metric and dataset in (None, m["dataset"])
    ]
    return own


def refused(*args: Any, **more: Any) -> str:
    with pytest.raises(DataError) as caught:
        run(*args, **more)
    return str(caught.value)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("label", "positive"),
    [("0", "1"), ("0.0", "1.0"), ("false", "true"), ("No", "Yes"), ("NEGATIVE", "POSITIVE")],
)
def test_a_night_without_positives_keeps_the_positive_class(
    tmp_path: Path, label: str, positive: str, engine: str
) -> None:
    found = run(tmp_path, {"d": night(label)}, engine=engine)
    assert found["labels"][0]["positive"] == positive
    assert value(found, "accuracy") == 0.75
    assert value(found, "brier") == pytest.approx(0.125)
    assert value(found, "recall") is None
    assert found["acceptance"][0]["outcome"] == "not_evaluated"
    assert value(run(tmp_path, {"d": night(label)}, positive="smallest"), "recall") == 0.25


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("label", ["benign", "1", "2"])
def test_where_one_class_is_known_the_report_asks_for_the_other(
    tmp_path: Path, label: str, engine: str
) -> None:
    told = refused(tmp_path, {"d": night(label)}, engine=engine)
    assert f"only one class of d is known, '{label}'" in told
    assert "`positive: {label: ...}`" in told
    assert f"`labels: [{label}, ...]`" in told
    named = run(tmp_path, {"d": night(label)}, positive={"label": "worse"}, engine=engine)
    assert value(named, "accuracy") == 0.75
    declared = run(tmp_path, {"d": night(label)}, dataset={"labels": [label, "z"]}, engine=engine)
    assert declared["labels"][0]["positive"] == "z"
    assert value(declared, "accuracy") == 0.75


def test_check_and_plan_say_so_before_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "d.csv").write_text(night("benign"))
    spec = tmp_path / "d.yaml"
    text = (
        "evalreport: 1\ntitle: t\ndatasets: {d: {path: d.csv, target: y}}\n"
        "models: {m: {score: p}}\nmetrics: [recall]\n"
    )
    for command in ("check", "plan"):
        spec.write_text(text)
        assert status_of([command, str(spec)]) == 3
        assert "d.yaml:3:37: only one class of d is known, 'benign'" in capsys.readouterr().err
        spec.write_text(text + "positive: {label: malignant}\n")
        assert status_of([command, str(spec)]) == 0
        (tmp_path / "d.csv").write_text(night("0"))
        spec.write_text(text)
        assert status_of([command, str(spec)]) == 0
        (tmp_path / "d.csv").write_text(night("benign"))
        capsys.readouterr()


def test_labels_alone_never_pass_a_criterion_on_the_other_class(tmp_path: Path) -> None:
    files = {"d": "y,p\n0,0\n0,0\n0,0\n"}
    found = run(tmp_path, files, {"prediction": "p"}, metrics=["recall"])
    assert found["acceptance"][0]["outcome"] == "not_evaluated"
    ill = {"d": "y,p\nill,ill\nill,ill\n"}
    assert "only one class" in refused(tmp_path, ill, {"prediction": "p"}, metrics=["recall"])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("rows", "dataset"),
    [
        ("malignant,\nmalignant,\n", {"missing": "exclude"}),
        ("malignant,0.9,0\nmalignant,0.8,0\n", {"weight": "w"}),
    ],
)
def test_rows_that_are_left_out_are_known(
    tmp_path: Path, rows: str, dataset: dict[str, Any], engine: str
) -> None:
    used = "y,p,w\n" + "".join(f"benign,{p},1\n" for p in SCORES)
    rows = "".join(line + "," * (2 - line.count(",")) + "\n" for line in rows.split())
    rows = rows.replace(",,", ",,1") if "missing" in dataset else rows
    found = run(tmp_path, {"d": used + rows}, dataset=dataset, engine=engine)
    assert found["labels"][0]["positive"] == "malignant"
    assert value(found, "accuracy") == 0.75


@pytest.mark.parametrize("engine", ENGINES)
def test_a_line_of_totals_is_no_class(tmp_path: Path, engine: str) -> None:
    exclude = {"missing": "exclude"}
    for rows in ("a,0,0.1\nb,0,0.6\n", "a,0,0.6\nb,1,0.9\n"):
        found = run(tmp_path, {"d": f"id,y,p\n{rows}Total,120,\n"}, dataset=exclude, engine=engine)
        assert found["labels"][0]["order"] == ["0", "1"]
        assert value(found, "accuracy") == 0.5
    rows = "y,p\nbenign,0.1\nbenign,0.2\nTotal,\n"
    assert "only one class" in refused(tmp_path, {"d": rows}, dataset=exclude, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_line_of_totals_that_a_model_speaks_of_is_refused(tmp_path: Path, engine: str) -> None:
    """It would be the largest label, and so the positive class, with a recall of 1."""
    told = "d has a line of totals among its rows, 'Total'"
    assert told in refused(tmp_path, {"d": "y,p\n0,0.1\n0,0.6\nTotal,1.2\n"}, engine=engine)
    labels = {"d": "y,p\n0,0\n1,1\n0,1\nTotal,4\n"}
    assert told in refused(tmp_path, labels, {"prediction": "p"}, engine=engine)
    # a class that is called so has rows of its own, or is declared
    found = run(tmp_path, {"d": "y,p\n" + "part,0.1\npart,0.2\ntotal,0.9\n" * 4}, engine=engine)
    assert found["labels"][0]["order"] == ["part", "total"]
    declared = {"labels": ["0", "Total"]}
    found = run(tmp_path, {"d": "y,p\n0,0.1\n0,0.6\nTotal,1\n"}, dataset=declared, engine=engine)
    assert value(found, "recall") == 1.0


@pytest.mark.parametrize("engine", ENGINES)
def test_a_header_among_the_rows_is_refused(tmp_path: Path, engine: str) -> None:
    """Its names would be two more classes, each with a row that is right or wrong."""
    rows = {"d": "y,q\na,a\nb,b\ny,q\na,b\n"}
    refusal = "d has the names of its columns among its rows, as a header that is repeated"
    assert refusal in refused(tmp_path, rows, {"prediction": "q"}, engine=engine)
    # a class that is called as the column is
    found = run(tmp_path, {"d": "y,q\na,a\ny,a\n"}, {"prediction": "q"}, engine=engine)
    assert found["labels"][0]["order"] == ["a", "y"]


@pytest.mark.parametrize("engine", ENGINES)
def test_lines_of_totals_in_any_place_and_of_counts_are_left_out(
    tmp_path: Path, engine: str
) -> None:
    exclude = {"missing": "exclude"}
    rows = "y,p\n0,0.1\n1,0.2\nTotal,\n0,0.3\n1,0.6\nTotal,\n"
    found = run(tmp_path, {"d": rows}, dataset=exclude, engine=engine)
    assert found["labels"][0]["order"] == ["0", "1"]
    assert value(found, "accuracy") == 0.75
    rows = "y,p,n\nTotal,,40\n0,0.1,10\n1,0.2,20\n0,0.3,10\n"
    found = run(tmp_path, {"d": rows}, dataset=exclude | {"count": "n"}, engine=engine)
    assert found["labels"][0]["order"] == ["0", "1"]
    assert value(found, "accuracy") == 0.5


def test_one_row_without_a_score_is_known_unless_it_is_the_last(tmp_path: Path) -> None:
    rows = "y,p\nbenign,0.1\nmalignant,\nbenign,0.6\n"
    found = run(tmp_path, {"d": rows}, dataset={"missing": "exclude"})
    assert found["labels"][0]["positive"] == "malignant"
    assert value(found, "accuracy") == 0.5


@pytest.mark.parametrize("engine", ENGINES)
def test_the_datasets_of_a_spec_have_one_positive_class(tmp_path: Path, engine: str) -> None:
    files = {"a": "y,p\nbenign,0.2\nmalignant,0.9\n", "b": night("benign")}
    found = run(tmp_path, files, engine=engine)
    assert {own["positive"] for own in found["labels"]} == {"malignant"}
    assert value(found, "recall", "a") == 1.0
    assert value(found, "accuracy", "b") == 0.75
    apart = {"a": night("benign"), "b": night("malignant")}
    found = run(tmp_path, apart, engine=engine)
    assert {own["positive"] for own in found["labels"]} == {"malignant"}
    assert value(found, "accuracy", "a") == 0.75
    assert value(found, "accuracy", "b") == 0.25


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("labels", [{}, {"labels": ["normal", "cancer"]}])
def test_one_model_has_one_positive_class(
    tmp_path: Path, labels: dict[str, Any], engine: str
) -> None:
    """Of b normal would be the largest label: a recall of cancer read upside down."""
    files = {
        "a": "y,p\nbenign,0.2\nmalignant,0.9\nbenign,0.3\nmalignant,0.8\n",
        "b": "y,p\nnormal,0.2\ncancer,0.9\nnormal,0.7\ncancer,0.8\n",
    }
    datasets: dict[str, Any] = {
        name: {"path": str(tmp_path / f"{name}.csv"), "target": "y"} for name in files
    }
    datasets["b"] |= labels
    told = refused(tmp_path, files, datasets=datasets, engine=engine)
    assert "not be the same in each dataset: 'malignant' in a, 'normal' in b" in told
    assert "`map`" in told
    assert "`positive: {label: ...}`" in told
    # two questions, each with its model
    apart = {"m": {"score": "p", "datasets": ["a"]}, "k": {"score": "p", "datasets": ["b"]}}
    found = run(tmp_path, files, datasets=datasets, models=apart, engine=engine)
    assert [own["positive"] for own in found["labels"]] == ["malignant", "normal"]
    # one question: two of two are found, of two others one is called cancer
    datasets["b"] |= {"positive": {"label": "cancer"}}
    found = run(tmp_path, files, datasets=datasets, engine=engine)
    assert value(found, "recall", "b") == 1.0
    assert value(found, "accuracy", "b") == 0.75


@pytest.mark.parametrize("engine", ENGINES)
def test_a_class_has_one_name_in_all_datasets(tmp_path: Path, engine: str) -> None:
    files = {"a": "y,p\n0,0.2\n1,0.9\n", "b": "y,p\n0.0,0.2\n1.0,0.9\n"}
    told = refused(tmp_path, files, engine=engine)
    assert "one class seems to be written in two ways: '1' in a, '1.0' in b" in told
    assert "`map: {'1.0': '1'}` of b" in told
    called = {"map": {"0.0": "0", "1.0": "1"}}
    found = run(
        tmp_path, files, dataset=called, comparisons={"reference": {"dataset": "a"}}, engine=engine
    )
    assert {own["positive"] for own in found["labels"]} == {"1"}
    assert {c["metric"] for c in found["comparisons"]} == {"accuracy", "recall", "brier"}
    rows = {"a": "y,p\n0,0\n1,1\n0.0,1.0\n", "b": "y,p\n0.0,0.0\n1.0,1.0\n"}
    apart = {"labels": ["0", "1", "0.0", "1.0"]}
    found = run(
        tmp_path, rows, {"prediction": "p"}, metrics=["recall"], dataset=apart, engine=engine
    )
    assert [len(own["order"]) for own in found["labels"]] == [4, 4]


@pytest.mark.parametrize("engine", ENGINES)
def test_labels_beside_scores_are_known(tmp_path: Path, engine: str) -> None:
    rows = "y,p,q\nwell,0.1,well\nwell,0.2,well\nwell,0.3,well\nwell,0.6,\nwell,0.9,ill\n"
    both = {"score": "p", "prediction": "q"}
    exclude = {"dataset": {"missing": "exclude"}}
    found = run(tmp_path, {"d": rows}, both, engine=engine, **exclude)
    assert found["labels"][0]["order"] == ["ill", "well"]
    other = rows.replace("well,0", "0,0").replace(",well", ",LABEL_0").replace("ill", "LABEL_1")
    found = run(tmp_path, {"d": other}, both, engine=engine, **exclude)
    assert found["labels"][0]["order"] == ["0", "1"]


def test_names_that_the_spec_gives_to_labels_are_known(tmp_path: Path) -> None:
    called = {"map": {"0": "fit", "1": "ill"}}
    found = run(tmp_path, {"d": night("0")}, dataset=called)
    assert found["labels"][0]["positive"] == "ill"
    assert value(found, "accuracy") == 0.75


@pytest.mark.parametrize("engine", ENGINES)
def test_a_class_of_another_dataset_makes_three(tmp_path: Path, engine: str) -> None:
    files = {"a": "y,p\nlow,0.2\nmid,0.9\nhigh,0.9\n", "b": "y,p\nlow,0.2\nmid,0.9\n"}
    told = refused(tmp_path, files, engine=engine)
    assert "3" in told
    assert "'high', 'low', 'mid'" in told


def test_python_calls_know_the_same() -> None:
    for labels, other in (([0], "1"), ([False], "true"), (["no"], "yes")):
        found = evalreport.evaluate(labels * 4, list(SCORES), metrics=["accuracy"])
        assert found.json["labels"][0]["positive"] == other
        assert found.json["measures"][0]["value"] == 0.75
    wide = [[1 - p, p] for p in SCORES]
    found = evalreport.evaluate([0] * 4, wide, metrics=["accuracy"])
    assert found.json["measures"][0]["value"] == 0.75
    frame = pd.DataFrame({"benign": [1 - p for p in SCORES], "malignant": SCORES})
    found = evalreport.evaluate(["benign"] * 4, frame, metrics=["accuracy"])
    assert found.json["measures"][0]["value"] == 0.75
    named = pd.Categorical(["benign"] * 4, ["malignant", "benign"])
    found = evalreport.evaluate(named, list(SCORES), metrics=["accuracy"])
    assert found.json["labels"][0]["positive"] == "malignant"
    assert found.json["measures"][0]["value"] == 0.75
    weighted = evalreport.evaluate(
        ["ok"] * 4 + ["worn"], [*SCORES, 0.9], sample_weight=[1] * 4 + [0], metrics=["accuracy"]
    )
    assert weighted.json["measures"][0]["value"] == 0.75
    with pytest.raises(DataError, match=r"positive=\.\.\., or both classes, labels=\[\.\.\.\]"):
        evalreport.evaluate(["benign"] * 4, list(SCORES))
    named = evalreport.evaluate(
        ["benign"] * 4, list(SCORES), positive="malignant", metrics=["accuracy"]
    )
    assert named.json["measures"][0]["value"] == 0.75


def test_columns_of_a_frame_that_are_not_called_as_the_classes_are_told() -> None:
    columns = pd.DataFrame({f"p_{label}": [0.2, 0.3, 0.5] for label in "abc"})
    with pytest.raises(DataError) as caught:
        evalreport.evaluate(list("abc"), columns)
    assert "y_score with a column for each class, called as the class is" in str(caught.value)


def test_a_scorer_never_scores_the_other_class() -> None:
    from sklearn.dummy import DummyClassifier

    model = DummyClassifier(strategy="constant", constant=0).fit([[0], [0]], [0, 1])
    assert evalreport.scorer("specificity")(model, [[0], [0]], [0, 0]) == 1.0
    with pytest.raises(DataError, match="undefined"):
        evalreport.scorer("recall")(model, [[0], [0]], [0, 0])
    words = DummyClassifier(strategy="constant", constant="a").fit([[0], [0]], ["a", "b"])
    with pytest.raises(DataError, match="undefined"):  # the model knows b, which no row is of
        evalreport.scorer("recall")(words, [[0], [0]], ["a", "a"])
    labels = evalreport.scorer("specificity", labels=["a", "b"])
    assert labels(words, [[0], [0]], ["a", "a"]) == 1.0


def test_partners_keep_their_letters() -> None:
    assert [partner_of(t) for t in ("no", "TRUE", "Positive", "1", "benign")] == [
        "yes",
        "FALSE",
        "Negative",
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("rows", "positive"),
    [
        ("0,0.1 0,0.2 0,0.3 0,0.6", "1"),
        ("No,0.1 No,0.2 No,0.3 No,0.6", "Yes"),
        ("benign,0.1 benign,0.2 benign,0.3 benign,0.6", "not benign"),
    ],
)
def test_a_first_spec_of_one_class_names_the_positive_one(
    tmp_path: Path, rows: str, positive: str
) -> None:
    (tmp_path / "d.csv").write_text("y,p\n" + rows.replace(" ", "\n") + "\n")
    spec = str(tmp_path / "d.yaml")
    assert status_of(["init", str(tmp_path / "d.csv"), "-o", spec]) == 0
    found = evalreport.run(spec).json
    assert found["labels"][0]["rule"] == f"label {positive}"
    assert value(found, "accuracy") == 0.75


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("label", ["2", "yes"])
def test_a_named_positive_class_that_is_none_is_answered_with_the_classes(
    tmp_path: Path, label: str, engine: str
) -> None:
    both = "y,p\n0,0.2\n1,0.8\n0,0.4\n1,0.6\n"
    told = refused(tmp_path, {"d": both}, positive={"label": label}, engine=engine)
    assert f"the positive class '{label}' is not a class of" in told
    assert "classes are: 0, 1" in told
    told = refused(tmp_path, {"d": both}, positive={"label": "1.0"}, engine=engine)
    assert "`map: {'1': '1.0'}`" in told


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [("0", "true", {"true": "1"}), ("1", "false", {"false": "0"}), ("1", "true", {"true": "1"})],
)
def test_truth_values_beside_numbers_are_one_map_away(
    tmp_path: Path, first: str, second: str, names: dict[str, str]
) -> None:
    path = tmp_path / "d.jsonl"
    values = [first, second, "0" if first == "1" else "1", first] * 3
    path.write_text("".join(f'{{"y": {y}, "p": 0.{k}}}\n' for k, y in enumerate(values, 1)))
    spec = {
        "evalreport": 1,
        "title": "t",
        "datasets": {"d": {"path": str(path), "target": "y"}},
        "models": {"m": {"score": "p"}},
        "metrics": ["accuracy"],
    }
    with pytest.raises(DataError) as caught:
        evalreport.run(spec)
    asked = ", ".join(f"'{label}': '{name}'" for label, name in names.items())
    assert f"`map: {{{asked}}}`" in str(caught.value)
    spec["datasets"]["d"]["map"] = names  # type: ignore[index]
    found = evalreport.run(spec).json
    assert found["labels"][0]["order"] == ["0", "1"]
