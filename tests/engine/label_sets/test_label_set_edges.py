"""Sets of labels at their edges: other types, no labels, nothing usable, too much."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from engine.label_sets.set_specs import AT

from evalreport.api import run
from evalreport.data import label_sets
from evalreport.errors import DataError, LimitError

LIST = {"list": "tags", "separator": ";"}
FLAGS = {"labels": {"a": "y_a", "b": "y_b"}}


def ran(folder: Path, rows: list[dict[str, Any]], target: Any, model: Any, **dataset: Any) -> Any:
    path = folder / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return run(
        {
            "evalreport": 1,
            "datasets": {"d": {"path": str(path), "target": target, **dataset}},
            "models": {"m": model},
            "metrics": ["hamming_loss"],
        },
        at=AT,
    ).json


def test_lists_of_json_may_hold_text_numbers_or_nothing(tmp_path: Path) -> None:
    rows = [
        {"tags": "a", "p": ["a"]}, {"tags": 3, "p": ["3"]}, {"tags": " ", "p": []},
        {"tags": ["a", "3"], "p": "a;3"},
    ]  # fmt: skip
    found = ran(tmp_path, rows, LIST, {"prediction": {"list": "p", "separator": ";"}})
    assert {t["label"] for t in found["tables"]} == {"a", "3"}
    assert found["measures"][0]["value"] == 0


def test_a_list_is_no_truth_value(tmp_path: Path) -> None:
    rows = [{"y_a": value, "y_b": 0, "p_a": 1, "p_b": 1} for value in (1, ["a"])]
    with pytest.raises(DataError, match="y_a is neither 0 nor 1 in row 2"):
        ran(tmp_path, rows, FLAGS, {"prediction": {"labels": {"a": "p_a", "b": "p_b"}}})


def test_nothing_usable_no_label_and_lists_elsewhere(tmp_path: Path) -> None:
    model = {"prediction": {"list": "p"}}
    with pytest.raises(DataError, match="none of 1 rows can be used"):
        ran(tmp_path, [{"tags": None, "p": ["a"]}], LIST, model, missing="exclude")
    with pytest.raises(DataError, match="has a label"):
        ran(tmp_path, [{"tags": [], "p": []}, {"tags": "", "p": ""}], LIST, model)
    with pytest.raises(DataError, match="does not have single values"):
        ran(tmp_path, [{"tags": ["a"], "p": ["a"], "g": ["x"]}], LIST, model, cluster="g")


def test_more_pairs_than_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_sets, "MOST_PAIRS", 3)
    rows = [{"tags": ["a", "b"], "p": ["a"]}] * 2
    with pytest.raises(LimitError, match="2 rows with 2 labels"):
        ran(tmp_path, rows, LIST, {"prediction": {"list": "p"}})


def test_indeterminate_predictions_are_of_single_labels(tmp_path: Path) -> None:
    rows = [{"tags": ["a"], "p": ["a"]}]
    with pytest.raises(DataError, match="indeterminate"):
        ran(tmp_path, rows, LIST, {"prediction": {"list": "p"}}, indeterminate=["odd"])
