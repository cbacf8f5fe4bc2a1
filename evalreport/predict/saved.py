"""Saved models: read by content, loaded and applied in a child process with limits."""

from __future__ import annotations

import io
import json
import math
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from evalreport.errors import DataError, EvalreportError, LimitError, Location, Problem
from evalreport.predict.features import FeatureTable
from evalreport.predict.fitting import output_of
from evalreport.predict.model_file import Format, check_model_file
from evalreport.predict.outcome import Codes, Floats, Output
from evalreport.processes import child_environment, python
from evalreport.scratch import scratch_folder

#: Settings of the parent's environment that a child needs to find libraries and a folder.
_KEPT_ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "TMPDIR")


@dataclass(frozen=True)
class Limits:
    """What a child process may use: address space in bytes, seconds in all."""

    memory: int = 4 << 30
    seconds: int = 600


@dataclass(frozen=True, eq=False)
class SavedOutput:
    """What a saved model says of n rows, in its own classes.

    ``classes``: its classes as text. ``predicted`` (n,): places among the classes, None where
    the file gives probabilities alone. Beside it ``probabilities`` (n, classes), or ``margin``
    (n,) of the second of two classes, or neither.
    """

    classes: tuple[str, ...]
    probabilities: Floats | None = None
    margin: Floats | None = None
    predicted: Codes | None = None
    notes: tuple[str, ...] = ()

    def unknown_classes(self, labels: Sequence[str]) -> tuple[str, ...]:
        """The model's classes that are none of the labels; the data may just lack them."""
        return tuple(name for name in self.classes if _place(name, labels) is None)

    def output(self, labels: Sequence[str], positive: int | None, name: str) -> Output:
        """The same by the labels of a dataset, columns placed by the name of the class.

        Raises DataError for a class of the model that is none of the labels.
        """
        unknown = self.unknown_classes(labels)
        if unknown:
            told, known = ", ".join(map(repr, unknown)), ", ".join(map(repr, labels))
            raise DataError(
                Problem(
                    f"the model's classes {told} are none of the labels {known}",
                    "declare them in the dataset's `labels`",
                    Location(name),
                )
            )
        codes = np.array([_place(one, labels) for one in self.classes], np.int64)
        try:
            made = output_of(_Answers(codes, self), None, len(labels), positive)
        except ValueError as error:
            instead = "see how it was saved"
            raise DataError(Problem(str(error), instead, Location(name))) from None
        if self.predicted is None and made.score is not None:
            return replace(made, predicted=None)
        return made.settled(positive)


class _Answers:
    """The recorded answers of a model, asked like a fitted one."""

    def __init__(self, codes: Codes, saved: SavedOutput) -> None:
        self.classes_ = codes
        # Only what was recorded is offered, as by a fitted model.
        if saved.probabilities is not None:
            self.predict_proba = partial(_recorded, saved.probabilities)
        elif saved.margin is not None:
            self.decision_function = partial(_recorded, saved.margin)
        places = saved.predicted
        if places is None:
            assert saved.probabilities is not None
            places = saved.probabilities.argmax(axis=1)
        self.predict = partial(_recorded, codes[places])


def _recorded(answer: Any, _: Any) -> Any:
    return answer


def _place(name: str, labels: Sequence[str]) -> int | None:
    """Place of a class among the labels: the same text, else the same number."""
    if name in labels:
        return list(labels).index(name)
    number = _number(name)
    for place, label in enumerate(labels):
        if number is not None and _number(label) == number:
            return place
    return None


def _number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def saved_output(
    content: bytes,
    form: Format,
    table: FeatureTable,
    trusted: Sequence[str] = (),
    name: str = "model",
    limits: Limits | None = None,
    asked: Sequence[str] = (),
) -> SavedOutput:
    """Apply a saved model to the rows of a table.

    Args:
        content: the bytes of the file, those that were hashed.
        form: ``skops`` or ``onnx``.
        table: the features it takes, in its order unless it knows them by name.
        trusted: what the operator trusts in a skops file, see :func:`trust.granted`.
        name: the file as the user wrote it, for messages.
        limits: of the child process.
        asked: types that the spec asks for, which grants nothing.

    Raises DataError for pickles, untrusted types (named, before anything is loaded),
    other features than the model's, and models that fail; LimitError past a limit.
    """
    check_model_file(content, form, name)
    limits = limits or Limits()
    told = {
        "task": "apply",
        "form": form,
        "trusted": list(trusted),
        "asked": list(asked),
        "memory": limits.memory,
        "seconds": limits.seconds,
        "names": list(table.names),
        "categories": [list(column.categories) for column in table.columns],
        "kinds": [column.kind for column in table.columns],
    }
    answer = _asked(
        packed(told, model=np.frombuffer(content, np.uint8), matrix=table.matrix), limits, name
    )
    return _understood(answer, name)


def check_saved(
    content: bytes,
    form: Format,
    trusted: Sequence[str] = (),
    name: str = "model",
    asked: Sequence[str] = (),
) -> None:
    """Raise what :func:`saved_output` would raise of the file alone; it is not loaded."""
    check_model_file(content, form, name)
    if form == "skops":
        limits = Limits()
        told = {
            "task": "types",
            "form": form,
            "trusted": list(trusted),
            "asked": list(asked),
            "memory": limits.memory,
            "seconds": limits.seconds,
        }
        question = packed(told, model=np.frombuffer(content, np.uint8))
        _understood(_asked(question, limits, name), name)


def packed(told: Any, **arrays: Any) -> bytes:
    """Plain data and arrays as bytes, without any object that could be code."""
    stream = io.BytesIO()
    np.savez(stream, told=np.frombuffer(json.dumps(told).encode(), np.uint8), **arrays)
    return stream.getvalue()


def unpacked(content: bytes) -> tuple[Any, dict[str, Any]]:
    """The plain data and arrays of :func:`packed`."""
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files if name != "told"}
        return json.loads(archive["told"].tobytes()), arrays


def _asked(question: bytes, limits: Limits, name: str) -> bytes:
    kept = {key: os.environ[key] for key in _KEPT_ENVIRONMENT if key in os.environ}
    own = {
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    try:
        # An empty folder: what a model may name beside itself is not there.
        with scratch_folder() as folder:
            done = subprocess.run(  # noqa: S603 - our own module and interpreter
                python("evalreport.predict.saved_process"),
                input=question,
                capture_output=True,
                env=child_environment(kept, own),
                cwd=folder,
                timeout=limits.seconds,
                check=False,
            )
    except subprocess.TimeoutExpired:
        raise LimitError(
            Problem(
                f"the model took more than {limits.seconds} s",
                "a smaller model or dataset",
                Location(name),
            )
        ) from None
    if done.returncode or not done.stdout:
        why = (
            "it ran out of memory or was stopped"
            if done.returncode < 0
            else (f"its process ended with status {done.returncode}")
        )
        raise LimitError(
            Problem(
                f"the model could not be applied: {why}",
                f"at most {limits.memory >> 20:,} MiB",
                Location(name),
            )
        )
    return done.stdout


def _understood(answer: bytes, name: str) -> SavedOutput:
    try:
        told, arrays = unpacked(answer)
        if told["state"] == "done":
            return SavedOutput(tuple(told["classes"]), notes=tuple(told["notes"]), **arrays)
    except (ValueError, KeyError, TypeError, OSError):
        problem = Problem("the model's process gave no answer", "see the file", Location(name))
        raise DataError(problem) from None
    kind: type[EvalreportError] = LimitError if told["state"] == "limit" else DataError
    raise kind(Problem(told["what"], told["instead"], Location(name)))
