"""The sample data: made by its scripts, described, small, and what the configs ask of it."""

from __future__ import annotations

import csv
import importlib.util
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from evalreport.plan.columns import check_columns
from evalreport.spec.load import load_spec

REPOSITORY = Path(__file__).resolve().parents[2]
SAMPLES = REPOSITORY / "sample_data"
CONFIGS = sorted((REPOSITORY / "configs").glob("*.yaml"))
REMADE = (
    "breast_cancer",
    "breast_measurements",
    "digits",
    "gradient_descent",
    "imbalanced",
    "iris",
)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def script(name: str) -> ModuleType:
    path = SAMPLES / f"make_{name}.py"
    found = importlib.util.spec_from_file_location(path.stem, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.mark.long
@pytest.mark.parametrize("name", REMADE)
def test_script_makes_the_committed_file_again(name: str, tmp_path: Path) -> None:
    """Text exactly; scores to four decimals, as other library versions may differ."""
    made = rows_of(script(name).main(tmp_path))
    kept = rows_of(SAMPLES / f"{name}.csv")
    assert len(made) == len(kept)
    for new, old in zip(made, kept, strict=True):
        assert list(new) == list(old)
        for column, text in old.items():
            if column.startswith("p_"):
                assert float(new[column]) == pytest.approx(float(text), abs=1e-4)
            else:
                assert new[column] == text


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.csv")), ids=lambda path: path.name)
def test_file_is_small_described_and_made_by_a_script(path: Path) -> None:
    described = (SAMPLES / "README.md").read_text(encoding="utf-8")
    assert path.stat().st_size < 1_000_000
    assert f"## {path.name}" in described
    assert (SAMPLES / f"make_{path.stem}.py").is_file()
    for column in rows_of(path)[0]:
        if not column.startswith("p_"):
            assert f"`{column}`" in described


def test_scores_of_two_classes_lie_strictly_between_0_and_1_where_promised() -> None:
    for row in rows_of(SAMPLES / "breast_cancer.csv"):
        assert 0 < float(row["p_logistic"]) < 1
        assert 0 < float(row["p_forest"]) < 1


@pytest.mark.parametrize("name", ["digits", "penguins"])
def test_class_probabilities_add_up_to_1(name: str) -> None:
    for row in rows_of(SAMPLES / f"{name}.csv"):
        scores = [float(text) for column, text in row.items() if column.startswith("p_") and text]
        assert scores == [] or sum(scores) == pytest.approx(1, abs=1e-8)


def test_counts_stated_in_the_description() -> None:
    def count(name: str, column: str) -> Counter[str]:
        return Counter(row[column] for row in rows_of(SAMPLES / f"{name}.csv"))

    assert count("breast_cancer", "diagnosis") == {"benign": 357, "malignant": 212}
    assert sorted(count("digits", "digit").values()) == [
        174,
        177,
        178,
        179,
        180,
        181,
        181,
        182,
        182,
        183,
    ]
    assert count("imbalanced", "is_eight") == {"yes": 174, "no": 1623}
    assert count("penguins", "species") == {"Adelie": 152, "Gentoo": 124, "Chinstrap": 68}
    assert count("penguins", "predicted")[""] == 2
    zeros = [
        row["is_eight"]
        for row in rows_of(SAMPLES / "imbalanced.csv")
        if float(row["p_forest"]) == 0
    ]
    assert zeros == ["no"] * 29


def test_accuracy_of_the_imbalanced_set_misleads() -> None:
    rows = rows_of(SAMPLES / "imbalanced.csv")

    def right(column: str) -> int:
        return sum((float(row[column]) >= 0.5) == (row["is_eight"] == "yes") for row in rows)

    constant = sum(row["always_no"] == row["is_eight"] for row in rows)
    assert constant == 1623
    assert right("p_logistic") < constant
    assert right("p_forest") < constant


@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: path.stem)
def test_config_names_files_columns_and_labels_that_exist(config: Path) -> None:
    """Files and columns as `evalreport check` sees them; labels and ids by reading the rows."""
    loaded = load_spec(config)
    check_columns(loaded)
    for dataset in loaded.spec.datasets.values():
        rows = rows_of(config.parent / str(dataset.path))
        if isinstance(dataset.target, str) and dataset.labels is not None:
            assert {row[dataset.target] for row in rows} == set(dataset.labels)
        if dataset.id is not None and dataset.cluster is None:
            assert len({row[dataset.id] for row in rows}) == len(rows)
