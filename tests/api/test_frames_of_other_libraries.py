"""Frames of polars and pyarrow keep the names of their columns, as those of pandas do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, roc_auc_score

from evalreport import DataError, evaluate, run

RNG = np.random.default_rng(11)
Y = RNG.integers(0, 2, 60)
P = np.clip(0.35 * Y + 0.65 * RNG.random(60), 0, 1)
Y3 = RNG.choice(["cat", "dog", "owl"], 60)
S3 = RNG.dirichlet([1, 1, 1], 60)


class _Series:
    """A column with the public surface of one of polars that is needed here."""

    def __init__(self, name, values):
        self.name, self._values = name, list(values)
        self.shape = (len(self._values),)

    def __len__(self):
        return len(self._values)

    def __iter__(self):
        return iter(self._values)

    def to_list(self):
        return self._values


class _Frame:
    """A frame as of polars: names are text, columns are got by name, and there is no index."""

    def __init__(self, data):
        self._data = {name: _Series(name, values) for name, values in data.items()}
        self.columns = list(self._data)
        self.shape = (len(next(iter(self._data.values()))), len(self.columns))

    def get_column(self, name):
        return self._data[name]


class _Scalar:
    """A value of a column of pyarrow, which is no value of Python."""

    def __init__(self, value):
        self._value = value

    def as_py(self):
        return self._value


class _Chunked:
    def __init__(self, values):
        self._values = list(values)

    def __len__(self):
        return len(self._values)

    def __iter__(self):
        return map(_Scalar, self._values)

    def to_pylist(self):
        return self._values


class _Table:
    """A table as of pyarrow: ``columns`` are values, and names stand apart."""

    def __init__(self, data):
        self.column_names = list(data)
        self.columns = [_Chunked(values) for values in data.values()]
        self.shape = (len(self.columns[0]), len(self.columns))

    def column(self, place):
        return self.columns[place]


def _plain(data):
    return {name: np.asarray(values).tolist() for name, values in data.items()}


def _polars(data):
    return pytest.importorskip("polars").DataFrame(_plain(data))


def _pyarrow(data):
    return pytest.importorskip("pyarrow").table(_plain(data))


FORMS = {
    "pandas": lambda data: pd.DataFrame(_plain(data)),
    "as polars": lambda data: _Frame(_plain(data)),
    "as pyarrow": lambda data: _Table(_plain(data)),
    "polars": _polars,
    "pyarrow": _pyarrow,
}


@pytest.fixture(params=FORMS)
def frame(request):
    return FORMS[request.param]


def aucs(results):
    found = results.measures.query("metric == 'roc_auc'")
    return dict(zip(found["model"], found["value"], strict=True))


def test_a_frame_of_models_is_of_models(frame) -> None:
    results = evaluate(Y, frame({"a": P, "b": 1 - P / 2}), metrics=["roc_auc"])
    assert aucs(results) == pytest.approx(
        {"a": roc_auc_score(Y, P), "b": roc_auc_score(Y, 1 - P / 2)}
    )


def test_a_frame_of_classes_is_matched_by_name(frame) -> None:
    classes = ["cat", "dog", "owl"]
    right = accuracy_score(Y3, np.array(classes)[S3.argmax(axis=1)])
    turned = frame({classes[k]: S3[:, k] for k in (2, 0, 1)})
    for given in (turned, {"m": turned}):
        assert evaluate(Y3, given, metrics=["accuracy"])["accuracy"].value == right


def test_one_column_is_a_column(frame) -> None:
    results = evaluate(
        frame({"y": Y}), frame({"p": P}), groups=frame({"sex": np.where(P > 0.5, "F", "M")})
    )
    assert set(results.measures["model"]) == {"p"}
    assert {key for s in results.measures["subgroup"] for key in s} == {"sex"}


def test_groups_keep_their_names(frame) -> None:
    results = evaluate(
        Y, P, groups=frame({"half": Y, "site": np.arange(60) % 3}), metrics=["recall"]
    )
    assert {key for s in results.measures["subgroup"] for key in s} == {"half", "site"}


def test_a_spec_takes_frames(frame) -> None:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"score": "p"}},
        "metrics": ["roc_auc"],
    }
    results = run(spec, frames={"d": frame({"y": Y, "p": P})})
    assert results["roc_auc"].value == pytest.approx(roc_auc_score(Y, P))


def test_columns_that_are_not_named_as_the_classes_are_not_taken_by_their_place(frame) -> None:
    scores = frame({"p_owl": S3[:, 2], "p_cat": S3[:, 0], "p_dog": S3[:, 1]})
    with pytest.raises(DataError) as raised:
        evaluate(Y3, {"m": scores}, metrics=["accuracy"])
    assert str(raised.value) == (
        "y_score of m has the columns p_owl, p_cat, p_dog; columns named as the classes "
        "(cat, dog, owl); or labels=[...], the classes in their order"
    )
    results = evaluate(Y3, {"m": scores}, labels=["owl", "cat", "dog"], metrics=["accuracy"])
    right = accuracy_score(Y3, np.array(["cat", "dog", "owl"])[S3.argmax(axis=1)])
    assert results["accuracy"].value == right


def test_a_frame_without_names_is_a_matrix() -> None:
    right = accuracy_score(Y3, np.array(["cat", "dog", "owl"])[S3.argmax(axis=1)])
    results = evaluate(Y3, {"m": pd.DataFrame(S3)}, metrics=["accuracy"])
    assert results["accuracy"].value == right


def test_two_columns_of_one_name_are_refused() -> None:
    twice = pd.DataFrame(np.stack([P, 1 - P], axis=1), columns=["a", "a"])
    with pytest.raises(DataError, match="two columns are named 'a'"):
        evaluate(Y, twice)


def test_a_frame_that_is_not_computed_yet_is_told() -> None:
    lazy = pytest.importorskip("polars").LazyFrame({"p": P.tolist()})
    with pytest.raises(DataError, match=r"a LazyFrame has no rows yet; its collect\(\)"):
        evaluate(Y, lazy)
