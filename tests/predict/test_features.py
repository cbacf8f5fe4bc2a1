"""Feature tables: kinds of columns, missing values, what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from evalreport.data.frames import read_frame
from evalreport.errors import DataError
from evalreport.predict.features import feature_names, feature_table


def features(**columns: Any) -> Any:
    return feature_table(read_frame(columns, "t"), list(columns))


def test_kinds_of_columns():
    table = features(
        age=["1", "2.5", None, "1e3"],
        site=["b", None, "a", "b"],
        code=["007", "010", "7", "8"],
        count=[1, 2, 3, 4],
        flag=[True, False, True, True],
    )
    kinds = {column.name: column.kind for column in table.columns}
    assert kinds == {
        "age": "number",
        "site": "category",
        "code": "category",
        "count": "number",
        "flag": "number",
    }
    age, site, code, _, flag = table.columns
    assert age.values[[0, 1, 3]].tolist() == [1.0, 2.5, 1000.0]
    assert age.missing == 1
    assert site.texts == ["b", None, "a", "b"]
    assert site.categories == ("a", "b")
    assert code.categories == ("007", "010", "7", "8")
    assert flag.values.tolist() == [1.0, 0.0, 1.0, 1.0]


def test_declared_kind_wins_and_wrong_numbers_are_named():
    raw = read_frame({"zip": ["10", "20"], "x": ["1", "many"]}, "t")
    assert feature_table(raw, ["zip"], kinds={"zip": "category"}).columns[0].kind == "category"
    with pytest.raises(DataError, match="'many'"):
        feature_table(raw, ["x"], kinds={"x": "number"})


def test_infinite_numbers_are_refused():
    with pytest.raises(DataError, match="x is infinite in row 2"):
        features(x=[1.0, float("inf")])


def test_names_of_features():
    header = ["id", "y", "age", "sex", "site"]
    roles = {"id": "id", "y": "target"}
    assert feature_names(header, roles, None) == ("age", "sex", "site")
    assert feature_names(header, roles, None, ["sex"]) == ("age", "site")
    assert feature_names(header, roles, ["site", "age"]) == ("site", "age")


def test_wrong_names_are_all_told():
    with pytest.raises(DataError) as caught:
        feature_names(["y", "age", "sex"], {"y": "target"}, ["agee", "y", "zzz"])
    told = [str(problem) for problem in caught.value.problems]
    assert told == [
        "there is no column 'agee'; did you mean 'age'?",
        "there is no column 'zzz'; columns are: age, sex, y",
        "the target 'y' is among the features; take it out",
    ]
    with pytest.raises(DataError, match="no column is left"):
        feature_names(["y", "age"], {"y": "target"}, None, ["age"])


def test_hash_follows_values_names_and_categories():
    base = features(x=[1.0, 2.0])
    assert base.sha256 == features(x=[1.0, 2.0]).sha256
    assert base.sha256 != features(x=[1.0, 3.0]).sha256
    assert base.sha256 != features(z=[1.0, 2.0]).sha256
    assert features(x=[0.0]).sha256 == features(x=[-0.0]).sha256
    assert features(x=["a", "b"]).sha256 != features(x=["a", "c"]).sha256
