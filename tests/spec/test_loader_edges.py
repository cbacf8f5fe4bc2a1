"""The loader where little is given: no file, no value, no field, values of Python."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from pydantic_core import PydanticCustomError

from evalreport.errors import DataError, FilesError, Location, SpecError
from evalreport.spec import load, yaml_document
from evalreport.spec.fields import as_flag, as_number, as_whole, shown
from evalreport.spec.first_spec import first_look
from evalreport.spec.load import load_spec, parse_spec
from evalreport.spec.model import Spec
from evalreport.spec.outline import Anatomy, follow
from evalreport.spec.scalars import Scalar
from evalreport.spec.yaml_document import MOST_PROBLEMS, Document, read_document


def test_a_name_that_no_file_has() -> None:
    with pytest.raises(FilesError, match="no file name"):
        load_spec(Path("a\0b.yaml"))


def test_a_document_without_places_is_its_name() -> None:
    assert Document("a.yaml").where(("metrics", 3)) == Location("a.yaml")


def test_problems_are_counted_out() -> None:
    with pytest.raises(SpecError) as caught:
        read_document("\u200b" * (MOST_PROBLEMS + 50), "a.yaml")
    assert len(caught.value.problems) == MOST_PROBLEMS


def test_names_of_places() -> None:
    assert load.name_of(()) == "the spec"
    assert load._value_at({"a": [1]}, ("a", 0)) == 1
    for absent in (("b",), ("a", 7), ("a", 0, "c")):
        assert load._value_at({"a": [1]}, absent) is None
    told = {"loc": ("nowhere", "at", "all")}
    assert load._described(told, Spec) == ""
    assert load._described({"loc": ()}, Spec) == ""
    assert load._described({"loc": ("title",)}, Spec).startswith("title: ")


def test_what_is_shown_of_a_value() -> None:
    assert shown(0.5) == "0.5"
    assert len(shown("x" * 100)) == 65


def test_values_of_python_are_taken_as_they_are() -> None:
    assert (as_number(0.5), as_number(2), as_whole(3), as_flag(True)) == (0.5, 2.0, 3, True)


@pytest.mark.parametrize(("function", "value"), [
    (as_number, True), (as_number, "inf"), (as_number, "about 3"), (as_number, []),
    (as_whole, True), (as_whole, 0.5), (as_flag, 1), (as_flag, "true"),
])  # fmt: skip
def test_other_values_are_refused(function: object, value: object) -> None:
    with pytest.raises(ValueError):
        function(value)  # type: ignore[operator]


@pytest.mark.parametrize(("written", "hint"), [
    ("'50%'", "0.5"), ("'0,9'", "0.9"), ("'0.9'", "without quotes"), ("'x%'", ""), ("'1e999'", ""),
])  # fmt: skip
def test_hints_for_numbers(written: str, hint: str) -> None:
    text = (
        "evalreport: 1\ndatasets: {d: {path: a.csv, target: y}}\nmodels: {m: {prediction: p}}\n"
        f"metrics: [accuracy]\nconfidence: {{level: {written}}}\n"
    )
    with pytest.raises(SpecError) as caught:
        parse_spec(text)
    (problem,) = caught.value.problems
    assert hint in problem.instead


def test_an_anatomy_ends_where_nothing_is_known() -> None:
    assert follow(("title", "x", 3), Spec).part is None
    assert follow(("nothing",), Spec).part is None
    # no kind of model carries this tag
    assert follow(("models", "m", "(nothing)"), Spec) == Anatomy(("models", "m", "(nothing)"))


# -- a first spec from a data file -----------------------------------------------------------


def first(folder: Path, text: str, target: str | None = None) -> str:
    path = folder / "data.csv"
    path.write_text(text, encoding="utf-8")
    return first_look(path, folder, target).text()


def test_a_target_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="did you mean 'truth'"):
        first(tmp_path, "truth,p\na,a\n", "trth")


def test_no_label_and_no_prediction(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no column looks like a true label"):
        first(tmp_path, "a,b\n1,2\n")
    with pytest.raises(DataError, match="no column looks like a score"):
        first(tmp_path, "truth,size\na,11\nb,12\n")


def test_a_label_is_found_by_its_values(tmp_path: Path) -> None:
    """No column is called as a label usually is: few values, several rows each, no id."""
    rows = "".join(f"{k},{'xy'[k % 2]},{k / 10}\n" for k in range(8))
    spec = parse_spec(first(tmp_path, "case_id,kind,chance\n" + rows)).spec
    assert spec.datasets["data"].target == "kind"
    assert spec.datasets["data"].id == "case_id"


def test_scores_of_several_classes_go_by_their_names(tmp_path: Path) -> None:
    rows = "".join(f"{c},0.2,0.3,0.5,{k}\n" for k, c in enumerate(["cat", "dog", "eel"] * 2))
    text = first(tmp_path, "truth,p_cat,p_dog,p_eel,fold\n" + rows)
    spec = parse_spec(text).spec
    assert "scores: {" in text
    assert [str(m.name) for m in spec.metrics][-2:] == ["roc_auc", "log_loss"]
    assert "# fold: " in text


def test_scores_without_a_class_each_are_left_out(tmp_path: Path) -> None:
    rows = "".join(f"{c},0.2,{c}\n" for c in ["cat", "dog", "eel"] * 2)
    text = first(tmp_path, "truth,p_cat,guess\n" + rows)
    assert "scores" not in text
    assert "guess" in text
    assert "roc_auc" not in text


def test_predictions_alone_have_no_metrics_of_scores(tmp_path: Path) -> None:
    rows = "".join(f"{'ab'[k % 2]},{'ab'[k % 3 == 0]},{'fm'[k // 4]}\n" for k in range(8))
    text = first(tmp_path, "truth,pred,sex\n" + rows)
    spec = parse_spec(text).spec
    names = [str(m.name) for m in spec.metrics]
    assert "specificity" in names
    assert not {"roc_auc", "average_precision", "brier", "log_loss"} & set(names)
    assert "subgroups: [sex]" in text


@pytest.mark.parametrize("scalar", [Scalar("3", "integer"), Scalar("3.0", "float"), 3])
def test_a_whole_number_may_be_written_with_a_point(scalar: object) -> None:
    assert as_whole(scalar) == 3


@pytest.mark.parametrize(
    "scalar", [Scalar("3.5", "float"), Scalar(".inf", "float"), Scalar("true", "boolean"), True]
)
def test_what_is_no_whole_number(scalar: object) -> None:
    with pytest.raises(PydanticCustomError):
        as_whole(scalar)


def test_a_fault_of_yaml_without_a_place_is_told_of_the_file() -> None:
    (problem,) = [yaml_document._syntax(yaml.YAMLError("out of breath"), "a.yaml", "")]
    assert problem.what == "not YAML: out of breath"
    assert problem.where == Location("a.yaml")
