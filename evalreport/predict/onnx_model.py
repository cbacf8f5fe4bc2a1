"""ONNX models: numbers in single precision in, labels and perhaps probabilities out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

SINGLE = (
    "the model calculates in single precision: scores may differ by 1e-7 from those of the "
    "model it was made from, which can turn a decision at the threshold"
)


def apply_onnx(
    content: bytes, told: dict[str, Any], matrix: Any
) -> tuple[Sequence[str], dict[str, Any]]:
    """Classes as text, and probabilities or the places of predicted classes.

    Probabilities are used where the model names their classes (a map per row), or
    where each column's class is certain from the predicted labels. Raises ValueError
    for a model of another shape, and where onnxruntime is not installed.
    """
    import warnings

    try:
        import onnxruntime
    except ImportError:
        raise ValueError("onnxruntime is not installed: pip install 'evalreport[onnx]'") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    outputs = session.run(None, _inputs(session.get_inputs(), told, matrix))
    warnings.warn(SINGLE, RuntimeWarning, stacklevel=1)
    for given in outputs:
        if isinstance(given, list) and given and isinstance(given[0], dict):
            return _of_maps(given)
    arrays = [np.asarray(given) for given in outputs]
    labels = next((a for a in arrays if a.ndim == 1 and a.dtype.kind in "iUOSb"), None)
    scores = next((a for a in arrays if a.ndim == 2 and a.dtype.kind == "f"), None)
    if labels is None:
        raise ValueError("no output of the model is a label per row")
    texts = np.array([str(label) for label in labels.tolist()], object)
    named = None if scores is None else _columns_by_label(texts, scores)
    if scores is not None and named is not None:
        return named, {"probabilities": scores.astype(np.float64)}
    names, places = np.unique(texts.astype(str), return_inverse=True)
    return names.tolist(), {"predicted": places.astype(np.int64)}


def _inputs(wanted: Sequence[Any], told: dict[str, Any], matrix: Any) -> dict[str, Any]:
    names = told["names"]
    if any(kind != "number" for kind in told["kinds"]):
        raise ValueError("features of an ONNX model are numbers here, and some columns are text")
    types = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(int64)": np.int64}
    odd = [one.type for one in wanted if one.type not in types]
    if odd:
        raise ValueError(f"an input of the model is {odd[0]}, not a tensor of numbers")
    if len(wanted) == 1:
        return {wanted[0].name: matrix.astype(types[wanted[0].type])}
    asked = [one.name for one in wanted]
    if set(asked) != set(names):
        raise ValueError(f"the model takes the inputs {', '.join(asked)}, not {', '.join(names)}")
    return {one.name: matrix[:, [names.index(one.name)]].astype(types[one.type]) for one in wanted}


def _of_maps(rows: Sequence[dict[Any, float]]) -> tuple[list[str], dict[str, Any]]:
    keys = list(rows[0])
    scores = np.array([[row[key] for key in keys] for row in rows], np.float64)
    return [str(key) for key in keys], {"probabilities": scores}


def _columns_by_label(labels: Any, scores: Any) -> list[str] | None:
    """The class of each column, where the labels of the rows it wins leave no doubt."""
    best = scores.argmax(axis=1)
    clear = (scores == scores.max(axis=1, keepdims=True)).sum(axis=1) == 1
    names = []
    for column in range(scores.shape[1]):
        own = set(labels[clear & (best == column)].tolist())
        if len(own) != 1:
            return None
        names.append(str(own.pop()))
    return names if len(set(names)) == len(names) else None
