"""The child process that loads a saved model and predicts: limited first, watched while it loads.

It reads a question from standard input and answers on standard output; both hold plain
data and arrays only. ONNX models take numbers in single precision and give labels, perhaps
probabilities.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evalreport.predict.estimators import first_line
from evalreport.predict.saved import packed, unpacked
from evalreport.predict.trust import grant_of, outside, refusal, standard

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


#: What no model needs in order to be loaded or applied.
_REFUSED_EVENTS = (
    "os.system",
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.spawn",
    "subprocess.Popen",
    "socket.connect",
    "socket.bind",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.mkdir",
    "shutil.rmtree",
)
#: How libraries word it that they could not be mapped into memory.
_NO_MEMORY = ("failed to map segment", "Cannot allocate memory", "bad_alloc")


class Refused(Exception):  # noqa: N818 - an answer, not a fault of the program
    """Why a model is not applied: what was found and what would be right."""

    def __init__(self, what: str, instead: str, state: str = "refused") -> None:
        super().__init__(what)
        self.answer = {"state": state, "what": what, "instead": instead}


def main() -> int:
    """Answer one question; the status is 0 unless the process itself is broken."""
    question = sys.stdin.buffer.read()
    # A model that prints must not spoil the answer.
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    answers.write(_answer(question))
    answers.flush()
    return 0


def _answer(question: bytes) -> bytes:
    told, arrays = unpacked(question)
    if told["form"] != "onnx":
        # Libraries of linear algebra try again and again, without an end, where they find no
        # room as they start; they are loaded before the limit, which is for what comes after.
        import skops.io  # noqa: F401
    _limit(told["memory"], told["seconds"])
    content = arrays["model"].tobytes()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            _check_room(told["memory"])
            if told["task"] == "types":
                _watch()
                _granted_types(content, told)
                return packed({"state": "done", "classes": [], "notes": []})
            if told["form"] == "onnx":
                answer = apply_onnx(content, told, arrays["matrix"])
            else:
                answer = _apply_skops(content, told, arrays["matrix"])
    except Refused as refused:
        return packed(refused.answer)
    except Exception as error:  # noqa: BLE001 - whatever a model raises is the answer
        if isinstance(error, MemoryError) or any(words in str(error) for words in _NO_MEMORY):
            what = "the model needs more memory than the limit"
            instead = f"at most {told['memory'] >> 20:,} MiB"
            return packed({"state": "limit", "what": what, "instead": instead})
        what = f"the model failed with {type(error).__name__}: {first_line(error)}"
        return packed({"state": "refused", "what": what, "instead": "see how it was saved"})
    notes = dict.fromkeys(
        f"{w.category.__name__}: {first_line(ValueError(str(w.message)), 160)}" for w in caught
    )
    classes, given = answer
    return packed({"state": "done", "classes": list(classes), "notes": list(notes)}, **given)


def _limit(memory: int, seconds: int) -> None:
    try:
        import resource
    except ImportError:
        return  # the parent's time limit still holds
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _check_room(memory: int) -> None:
    """Raise MemoryError where the libraries alone take more than the limit."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError):
        return  # only Linux tells; elsewhere the next request for memory fails
    if pages * os.sysconf("SC_PAGE_SIZE") > memory:
        raise MemoryError


def _watch() -> None:
    """Stop at what no model needs; loading has no other way to reach the world."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        writes = event == "open" and any(c in str(arguments[1] or "r") for c in "wax+")
        if writes or event in _REFUSED_EVENTS:
            raise PermissionError(f"the model tried {event}")

    sys.addaudithook(hook)
    # The one way to a new process that is not announced.
    import _posixsubprocess

    setattr(_posixsubprocess, "fork_exec", _refused)  # noqa: B010 - of another type, on purpose


def _refused(*_: object) -> None:
    raise PermissionError("the model tried to start a program")


# -- skops ---------------------------------------------------------------------------------


def _apply_skops(
    content: bytes, told: dict[str, Any], matrix: Any
) -> tuple[Sequence[str], dict[str, Any]]:
    from skops import io

    _watch()
    untrusted = _granted_types(content, told)
    model = io.loads(content, trusted=untrusted)
    for name in untrusted:
        warnings.warn(f"trusted by who ran this: {name}", TrustedType, stacklevel=1)
    if not callable(getattr(model, "predict", None)):
        raise Refused(
            f"the file contains a {type(model).__name__}, which cannot predict",
            "save a fitted classifier",
        )
    rows = _rows(model, told, matrix)
    known = getattr(model, "classes_", None)
    if known is None:
        predicted = np.asarray(model.predict(rows))
        names, places = np.unique(predicted, return_inverse=True)
        return [_text(name) for name in names], {"predicted": places.astype(np.int64)}
    classes = [_text(name) for name in known]
    place = {name: i for i, name in enumerate(np.asarray(known).tolist())}
    said = np.asarray(model.predict(rows)).tolist()
    predicted = np.array([place[name] for name in said], np.int64)
    given = {"predicted": predicted}
    if hasattr(model, "predict_proba"):
        given["probabilities"] = np.asarray(model.predict_proba(rows), np.float64)
    elif hasattr(model, "decision_function") and len(classes) == 2:
        given["margin"] = np.asarray(model.decision_function(rows), np.float64).reshape(-1)
    return classes, given


class TrustedType(UserWarning):
    """A type that is in the file because the operator trusts it."""


def _granted_types(content: bytes, told: dict[str, Any]) -> list[str]:
    """The types that need the operator's word and have it. Raises Refused for others."""
    from skops import io

    untrusted = set(io.get_untrusted_types(data=content)) | outside(content)
    grants = {name: grant_of(name, told["trusted"]) for name in untrusted}
    lacking = [
        name
        for name, grant in grants.items()
        if grant is None or standard(name) or (grant != name and not _class_of(grant, name))
    ]
    if lacking:
        raise Refused(*refusal(lacking, told["asked"]))
    return sorted(untrusted)


def _class_of(grant: str, name: str) -> bool:
    """Whether a name is that of a class defined in the package or module that was granted."""
    from importlib import import_module

    module, _, last = name.rpartition(".")
    try:
        found = getattr(import_module(module), last, None)
    except Exception:  # noqa: BLE001 - whatever a module raises, the name is not a class of it
        return False
    home = f"{getattr(found, '__module__', '')}."
    return isinstance(found, type) and home.startswith(f"{grant}.")


def _text(name: Any) -> str:
    value = name.item() if hasattr(name, "item") else name
    return str(value).lower() if isinstance(value, bool) else str(value)


def _rows(model: Any, told: dict[str, Any], matrix: Any) -> Any:
    """The rows as the model takes them: columns by name where it knows names."""
    names = told["names"]
    own = getattr(model, "feature_names_in_", None)
    if own is not None:
        asked = [str(name) for name in own]
        if set(asked) != set(names):
            raise Refused(
                f"the model takes the features {', '.join(asked)}, not {', '.join(names)}",
                "give its own features",
            )
        import pandas as pd

        columns = {name: _column(told, names.index(name), matrix) for name in asked}
        return pd.DataFrame(columns)
    width = getattr(model, "n_features_in_", None)
    if width is not None and width != len(names):
        raise Refused(
            f"the model takes {width} features, not {len(names)}",
            "give its own features in its order",
        )
    if all(kind == "number" for kind in told["kinds"]):
        return matrix
    rows = np.empty(matrix.shape, object)
    for place in range(len(names)):
        rows[:, place] = _column(told, place, matrix)
    return rows


def _column(told: dict[str, Any], place: int, matrix: Any) -> Any:
    values = matrix[:, place]
    if told["kinds"][place] == "number":
        return values
    names = told["categories"][place]
    return np.array([np.nan if np.isnan(v) else names[int(v)] for v in values], object)


if __name__ == "__main__":
    sys.exit(main())
