"""ONNX files that keep tensors elsewhere: found wherever they hide, and never read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import LACKING

from evalreport.errors import DataError
from evalreport.predict import model_file
from evalreport.predict.features import Feature, FeatureTable
from evalreport.predict.model_file import check_model_file, tensors_elsewhere
from evalreport.predict.saved import saved_output


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(number: int, content: bytes | int) -> bytes:
    """A field of a message, as protocol buffers write it."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


ENTRY = field(13, field(1, b"location") + field(2, b"secret.txt"))
TENSOR = field(8, b"w") + ENTRY + field(14, 1)
#: The path of fields from the model to a tensor, by what lies on it.
PLACES = {
    "initializer": (7, 5),
    "sparse initializer, values": (7, 15, 1),
    "sparse initializer, indices": (7, 15, 2),
    "constant": (7, 1, 5, 5),
    "one of the tensors of an attribute": (7, 1, 5, 10),
    "sparse tensor of an attribute": (7, 1, 5, 22, 1),
    "one of the sparse tensors": (7, 1, 5, 23, 2),
    "branch": (7, 1, 5, 6, 5),
    "one of the graphs of an attribute": (7, 1, 5, 11, 5),
    "branch in a branch": (7, 1, 5, 6, 1, 5, 6, 1, 5, 5),
    "function": (25, 7, 5, 5),
    "default of a function": (25, 11, 5),
    "training, initialization": (20, 1, 5),
    "training, algorithm": (20, 2, 1, 5, 5),
}


def at(place: tuple[int, ...], tensor: bytes) -> bytes:
    for number in reversed(place):
        tensor = field(number, tensor)
    return field(1, 9) + field(2, b"maker") + tensor


@pytest.mark.parametrize("place", sorted(PLACES))
def test_a_tensor_elsewhere_is_found(place: str) -> None:
    for tensor in (TENSOR, field(8, b"w") + ENTRY, field(8, b"w") + field(14, 1)):
        assert tensors_elsewhere(at(PLACES[place], tensor)) == ["w"]
    whole = field(8, b"w") + field(9, b"\x00" * 40) + field(14, 0)
    assert tensors_elsewhere(at(PLACES[place], whole)) == []


def test_a_second_graph_of_one_model_counts() -> None:
    """Readers of protocol buffers put messages that come twice together."""
    assert tensors_elsewhere(field(7, b"") + at((7, 5), TENSOR)) == ["w"]


@pytest.mark.parametrize(
    "content",
    [b"not a model", b"\x0a\xff", b"\x3a\x80", b"\x03", b"\x3b\x3c", b"\x00\x00", b"\xff" * 12,
     b"\x08\x00\x00\x00ORTM" + b"\x00" * 40, at((7, *(1, 5, 6) * 40, 5), TENSOR)],
)  # fmt: skip
def test_what_is_no_model_is_refused(content: bytes) -> None:
    with pytest.raises(DataError, match="not an ONNX model"):
        check_model_file(content, "onnx", "m.onnx")


def real_model(folder: Path, place: str) -> bytes:
    """A model whose class names come from a file: made by the library, not by hand."""
    onnx = pytest.importorskip("onnx", reason=f"{LACKING}onnx")
    from onnx import TensorProto, helper

    names = TensorProto(name="names", data_type=TensorProto.UINT8, dims=[1, 6])
    names.data_location = TensorProto.EXTERNAL
    names.external_data.add(key="location", value="secret.txt")
    nodes: list[Any] = [helper.make_node("Cast", ["names"], ["codes"], to=TensorProto.INT64)]
    constants = []
    if place == "constant":
        nodes.insert(0, helper.make_node("Constant", [], ["names"], value=names))
    else:
        constants = [names]
    nodes += [
        helper.make_node("ReduceSum", ["codes"], ["sum"], keepdims=0),
        helper.make_node("Cast", ["x"], ["whole"], to=TensorProto.INT64),
        helper.make_node("Add", ["whole", "sum"], ["added"]),
        helper.make_node("Flatten", ["added"], ["flat"], axis=0),
        helper.make_node("Squeeze", ["flat"], ["label"]),
    ]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 1])],
        [helper.make_tensor_value_info("label", TensorProto.INT64, [None])], constants,
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    (folder / "secret.txt").write_bytes(b"SECRET")
    assert onnx.ModelProto.FromString(model.SerializeToString()) == model
    return bytes(model.SerializeToString())


@pytest.mark.parametrize("place", ["initializer", "constant"])
def test_a_real_model_with_values_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    content = real_model(tmp_path, place)
    monkeypatch.chdir(tmp_path)
    table = FeatureTable((Feature("x", "number", np.array([1.0, 2.0])),), 2)
    with pytest.raises(DataError, match=r"other files, which are not read: 'names'"):
        saved_output(content, "onnx", table, name="m.onnx")


def test_where_the_model_runs_no_file_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Were one overlooked: the process of the model works in an empty folder."""
    ort = pytest.importorskip("onnxruntime", reason=f"{LACKING}onnxruntime")
    content = real_model(tmp_path, "initializer")
    monkeypatch.chdir(tmp_path)
    # What the runtime does where the file is beside it: the sum of the bytes comes out.
    found = ort.InferenceSession(content).run(None, {"x": np.array([[0.0], [1.0]], np.float32)})
    assert found[0].tolist() == [sum(b"SECRET"), sum(b"SECRET") + 1]
    monkeypatch.setattr(model_file, "tensors_elsewhere", lambda _: [])
    table = FeatureTable((Feature("x", "number", np.array([1.0, 2.0])),), 2)
    with pytest.raises(DataError, match=r"the model failed"):
        saved_output(content, "onnx", table, name="m.onnx")
