"""A label that ``map`` or ``indeterminate`` names and no row has, beside one that rows have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evalreport
from evalreport.errors import DataError

ROWS = ("ill,ill", "well,well", "Sick,ill", "healthy,well", "well,equivocal")
ENGINES = ("memory", "duckdb")


def run(folder: Path, dataset: dict[str, Any], engine: str) -> dict[str, Any]:
    (folder / "d.csv").write_text("y,s\n" + "\n".join(ROWS * 4) + "\n")
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"path": str(folder / "d.csv"), "target": "y", **dataset}},
        "models": {"m": {"prediction": "s"}},
        "metrics": ["accuracy"],
    }
    return dict(evalreport.run(spec, engine=engine).json)


def told(found: dict[str, Any]) -> list[str]:
    return [c["message"] for c in found["cautions"] if c["code"] == "misspelt_label"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_near_label_that_nothing_names_is_told(tmp_path: Path, engine: str) -> None:
    meant = {"map": {"Sick": "ill", "healthy": "well"}, "indeterminate": ["equivocal"]}
    assert told(run(tmp_path, meant, engine)) == []
    wrong = {"map": {"Sick": "ill", "healty": "well"}, "indeterminate": ["equivocl"]}
    (message,) = told(run(tmp_path, wrong, engine))
    assert "No row has 'healty', which map names; rows have 'healthy'." in message
    assert "No row has 'equivocl', which indeterminate names; rows have 'equivocal'." in message


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("dataset", "hint"),
    [
        ({"map": {"sick": "ill"}}, "'sick', which map names; did you mean 'Sick'?"),
        ({"map": {"Healthy ": "well"}}, "'Healthy ', which map names; did you mean 'healthy'?"),
        ({"indeterminate": ["Equivocal"]}, "which indeterminate names; did you mean 'equivocal'?"),
    ],
)
def test_what_differs_by_case_or_blanks_alone_is_a_mistake(
    tmp_path: Path, dataset: dict[str, Any], hint: str, engine: str
) -> None:
    with pytest.raises(DataError) as caught:
        run(tmp_path, dataset, engine)
    assert hint in str(caught.value)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_label_that_does_not_occur_tonight_is_no_mistake(tmp_path: Path, engine: str) -> None:
    # each near label has a name, is a name, or is a class that rows have
    called = {"Sick": "ill", "SICK": "ill", "Ill": "ill", "healthy": "well", "dead": "ill"}
    quiet = {"map": called, "indeterminate": ["equivocal", "unread"]}
    found = run(tmp_path, quiet, engine)
    assert told(found) == []
    assert found["labels"][0]["order"] == ["ill", "well"]
