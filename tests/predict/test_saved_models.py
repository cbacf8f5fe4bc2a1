"""Saved models: refused by content, loaded in a limited child, columns by the name of the class."""

from __future__ import annotations

import json
import os
import subprocess
import zipfile
import zlib
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from programs import LACKING
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from evalreport.data import limits as data_limits
from evalreport.errors import DataError, ExitStatus, LimitError
from evalreport.predict.features import Feature, FeatureTable
from evalreport.predict.model_file import check_model_file
from evalreport.predict.saved import Limits, SavedOutput, saved_output

MARK = Path("/tmp/EVALREPORT_PWNED_saved_models")


def table_of(matrix: Any, names: tuple[str, ...] = ()) -> FeatureTable:
    names = names or tuple(f"x{i}" for i in range(matrix.shape[1]))
    columns = tuple(Feature(n, "number", matrix[:, i]) for i, n in enumerate(names))
    return FeatureTable(columns, len(matrix))


class Shell:
    def __reduce__(self) -> Any:
        return os.system, (f"touch {MARK}",)


@pytest.fixture(scope="module")
def iris() -> tuple[Any, Any]:
    matrix, target = load_iris(return_X_y=True)
    return matrix, np.array(["setosa", "versicolor", "virginica"])[target]


def dangerous(tmp_path: Path, how: str) -> bytes:
    import pickle

    path = tmp_path / "model.skops"
    if how.startswith("protocol"):
        return pickle.dumps(Shell(), protocol=int(how[-1]))
    if how == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("schema.json", "{}")
            archive.writestr("archive/data.bin", pickle.dumps(Shell()))
        return path.read_bytes()
    joblib.dump(
        {"model": LogisticRegression(), "weights": np.arange(9.0)},
        path,
        compress=0 if how == "joblib" else (how, 3),
    )
    return path.read_bytes()


@pytest.mark.parametrize(
    "how",
    [
        "protocol0",
        "protocol1",
        "protocol2",
        "protocol4",
        "protocol5",
        "zip",
        "joblib",
        "zlib",
        "gzip",
        "bz2",
        "lzma",
        "xz",
    ],
)
@pytest.mark.parametrize("form", ["skops", "onnx"])
def test_pickle_and_joblib_are_refused_by_content_with_the_reason(tmp_path, how, form):
    content = dangerous(tmp_path, how)
    with pytest.raises(DataError, match=r"pickle|joblib") as caught:
        saved_output(content, form, table_of(np.zeros((1, 1))), name="model.skops")
    assert caught.value.status == ExitStatus.DATA
    assert "can run any code" in str(caught.value)
    assert str(caught.value).startswith("model.skops: ")
    assert not MARK.exists()


@pytest.mark.long
def test_hostile_type_is_named_before_loading():
    model = FunctionTransformer(func=os.system)
    content = skops.io.dumps(model)
    for trusted in ((), ("posix.system",)):
        with pytest.raises(DataError, match=r"posix\.system") as caught:
            saved_output(content, "skops", table_of(np.zeros((1, 1))), trusted, "m.skops")
        assert caught.value.status == ExitStatus.DATA
        assert "not trusted: posix.system" in str(caught.value)
    assert not MARK.exists()


@pytest.mark.parametrize("content", [b"", b"abc", b"<html>", b"\x00" * 100])
def test_other_files_are_no_skops_models(content):
    with pytest.raises(DataError, match="not a skops model"):
        check_model_file(content, "skops", "m.skops")


def test_zip_without_a_schema_and_zip_bombs_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "m.skops"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("other.json", "{}")
    with pytest.raises(DataError, match=r"without schema\.json"):
        check_model_file(path.read_bytes(), "skops", "m.skops")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("schema.json", "{}" + " " * 1000)
    monkeypatch.setattr("evalreport.predict.model_file._LIMITS", data_limits.Limits(bytes=1000))
    with pytest.raises(LimitError, match="1,002 bytes when unpacked"):
        check_model_file(path.read_bytes(), "skops", "m.skops")


@pytest.mark.long
def test_probabilities_equal_those_of_the_model_with_columns_by_name(iris):
    matrix, actual = iris
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(matrix, actual)
    saved = saved_output(skops.io.dumps(model), "skops", table_of(matrix), name="m.skops")
    assert saved.classes == ("setosa", "versicolor", "virginica")
    labels = ("virginica", "setosa", "versicolor", "unseen")
    output = saved.output(labels, None, "m.skops")
    expected = model.predict_proba(matrix)
    assert np.allclose(output.class_scores[:, [1, 2, 0]], expected, rtol=0, atol=1e-15)
    assert np.all(output.class_scores[:, 3] == 0)
    # a class of the model that the data lack is named
    assert saved.unknown_classes(("setosa", "virginica")) == ("versicolor",)
    with pytest.raises(DataError, match="'versicolor'"):
        saved.output(("setosa", "virginica"), 1, "m.skops")


@pytest.mark.long
def test_margin_is_turned_to_the_positive_class(iris):
    matrix, actual = iris
    two = actual != "virginica"
    model = RidgeClassifier().fit(matrix[two], actual[two])
    saved = saved_output(skops.io.dumps(model), "skops", table_of(matrix[two]), name="m.skops")
    for positive, sign in ((1, 1), (0, -1)):
        output = saved.output(("setosa", "versicolor"), positive, "m")
        assert output.source == "margin"
        assert np.allclose(output.score, sign * model.decision_function(matrix[two]), atol=1e-14)


@pytest.mark.long
def test_features_are_matched_by_name_where_the_model_knows_them():
    frame = pd.DataFrame({"age": [1.0, 2, 3, 4], "site": ["a", "b", "a", "b"]})
    columns = ColumnTransformer([("c", OneHotEncoder(), ["site"])], remainder="passthrough")
    model = make_pipeline(columns, LogisticRegression()).fit(frame, [0, 1, 0, 1])
    table = FeatureTable(
        (
            Feature("site", "category", np.array([0.0, 1, 0, 1]), ("a", "b")),
            Feature("age", "number", frame["age"].to_numpy()),
        ),
        4,
    )
    saved = saved_output(skops.io.dumps(model), "skops", table, name="m.skops")
    output = saved.output(("0", "1"), 1, "m.skops")
    assert np.allclose(output.score, model.predict_proba(frame)[:, 1], atol=1e-15)
    with pytest.raises(DataError, match="takes the features age, site, not x0"):
        saved_output(skops.io.dumps(model), "skops", table_of(np.zeros((2, 1))), name="m.skops")


@pytest.mark.long
def test_wrong_number_of_features_is_told(iris):
    matrix, actual = iris
    model = LogisticRegression(max_iter=1000).fit(matrix, actual)
    with pytest.raises(DataError, match="takes 4 features, not 2"):
        saved_output(skops.io.dumps(model), "skops", table_of(matrix[:, :2]), name="m.skops")


@pytest.mark.long
def test_something_that_predicts_nothing_is_refused():
    content = skops.io.dumps(StandardScaler().fit(np.zeros((3, 1))))
    with pytest.raises(DataError, match="StandardScaler, which cannot predict"):
        saved_output(content, "skops", table_of(np.zeros((2, 1))), name="m.skops")


def test_numbers_of_classes_match_labels_as_numbers():
    saved = SavedOutput(("0.0", "1.0"), probabilities=np.array([[0.25, 0.75]]))
    assert saved.output(("0", "1"), 1, "m").score.tolist() == [0.75]


@pytest.mark.long
def test_limits_of_memory_and_time(iris):
    matrix, actual = iris
    content = skops.io.dumps(LogisticRegression(max_iter=1000).fit(matrix, actual))
    with pytest.raises(LimitError) as caught:
        saved_output(content, "skops", table_of(matrix), name="m.skops", limits=Limits(200 << 20))
    assert caught.value.status == ExitStatus.FILES
    with pytest.raises(LimitError, match="more than"):
        # The question is answered by no process within no time.
        saved_output(content, "skops", table_of(matrix), name="m.skops", limits=Limits(seconds=0))


def onnx_model(labels: list[str], zip_map: bool) -> bytes:
    from onnx import TensorProto, helper

    classifier = helper.make_node(
        "LinearClassifier",
        ["x"],
        ["label", "scores"],
        domain="ai.onnx.ml",
        coefficients=[-1.0, 1.0],
        intercepts=[0.0, 0.0],
        classlabels_strings=labels,
        post_transform="SOFTMAX",
    )
    nodes = [classifier]
    outputs = [helper.make_tensor_value_info("label", TensorProto.STRING, [None])]
    if zip_map:
        nodes.append(
            helper.make_node(
                "ZipMap", ["scores"], ["maps"], domain="ai.onnx.ml", classlabels_strings=labels
            )
        )
        kind = helper.make_map_type_proto(
            TensorProto.STRING, helper.make_tensor_type_proto(TensorProto.FLOAT, [])
        )
        outputs.append(helper.make_value_info("maps", helper.make_sequence_type_proto(kind)))
    else:
        outputs.append(helper.make_tensor_value_info("scores", TensorProto.FLOAT, [None, 2]))
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 1])], outputs
    )
    opsets = [helper.make_opsetid("ai.onnx.ml", 3), helper.make_opsetid("", 18)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    return bytes(model.SerializeToString())


@pytest.mark.parametrize("zip_map", [True, False])
def test_onnx_columns_are_placed_by_the_name_of_the_class(zip_map):
    pytest.importorskip("onnxruntime", reason=f"{LACKING}onnxruntime")
    pytest.importorskip("onnx", reason=f"{LACKING}onnx")
    # The column of "dog" comes first in the file; labels are declared the other way round.
    content = onnx_model(["dog", "cat"], zip_map)
    matrix = np.array([[1.0], [-2.0]])
    saved = saved_output(content, "onnx", table_of(matrix), name="m.onnx")
    output = saved.output(("cat", "dog"), 0, "m.onnx")
    # softmax of (-x, x): the share of "cat" is 1 / (1 + exp(-2 x)).
    expected = 1 / (1 + np.exp(-2 * matrix[:, 0]))
    assert output.source == "score"
    assert np.allclose(output.score, expected, atol=1e-6)
    assert any("single precision" in note for note in saved.notes)


def test_onnx_column_whose_class_is_uncertain_is_not_guessed():
    pytest.importorskip("onnxruntime", reason=f"{LACKING}onnxruntime")
    pytest.importorskip("onnx", reason=f"{LACKING}onnx")
    content = onnx_model(["dog", "cat"], zip_map=False)
    saved = saved_output(content, "onnx", table_of(np.array([[1.0]])), name="m.onnx")
    assert saved.probabilities is None
    assert saved.output(("cat", "dog"), 0, "m.onnx").predicted.tolist() == [0]


@pytest.mark.parametrize("content", [b"not a model", zlib.compress(b"text"), b"\x08\x01"])
def test_onnx_file_that_is_none_is_told(content):
    with pytest.raises(DataError):
        saved_output(content, "onnx", table_of(np.zeros((1, 1))), name="m.onnx")


def test_child_writes_nothing_and_starts_nothing(tmp_path):
    code = (
        "from evalreport.predict import saved_process as s; s._watch();"
        "import json, os\n"
        "told = []\n"
        f"for act in (lambda: os.system('true'), lambda: open({str(tmp_path / 'x')!r}, 'w')):\n"
        "    try:\n        act(); told.append('done')\n"
        "    except PermissionError as e:\n        told.append(str(e))\n"
        "print(json.dumps(told))"
    )
    import sys

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["the model tried os.system", "the model tried open"]
    assert list(tmp_path.iterdir()) == []
