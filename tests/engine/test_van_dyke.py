"""Two ways of reading held to printed results, from the readings of a study to the record.

The readings are the data set ``VanDyke`` of the R package MRMCaov, which is under the GPL and so
not part of this repository. ``write.csv(MRMCaov::VanDyke, "VanDyke.csv", row.names = FALSE)``
writes the file; the folder it lies in goes into the variable EVALREPORT_REFERENCE_DATA. What does
not need the readings, but only the values of the readers and the covariances as printed, is
held in tests/statistics/test_readers.py.

The expected numbers are those that Smith, Hillis and Pesce print in the package's article
(docs/jss in its repository): empirical areas, covariances by DeLong's method.
"""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from programs import LACKING

from evalreport.cli import status_of

FOLDER = os.environ.get("EVALREPORT_REFERENCE_DATA", "")
FILE = Path(FOLDER) / "VanDyke.csv"

pytestmark = pytest.mark.skipif(
    not FOLDER or not FILE.is_file(),
    reason=f"{LACKING}VanDyke.csv of MRMCaov, under the GPL (EVALREPORT_REFERENCE_DATA)",
)

SPEC = {
    "evalreport": 1,
    "datasets": {
        "study": {"path": "rows.csv", "target": "truth", "id": "case", "readers": "reader"}
    },
    "positive": {"label": "1"},
    "models": {"cine": {"margin": "t1"}, "spin_echo": {"margin": "t2"}},
    "metrics": ["recall", "roc_auc"],
    "thresholds": [3],
    "comparisons": {"reference": "spin_echo"},
    "report": {"formats": ["html"]},
}


def run(folder: Path, case: str) -> Any:
    """One row for each reader and case, with the rating in both ways, run as a study."""
    rows: dict[tuple[str, str], dict[str, str]] = {}
    with FILE.open(newline="") as stream:
        for read in csv.DictReader(stream):
            held = rows.setdefault((read["reader"], read[case]), {"truth": read["truth"]})
            held[f"t{read['treatment']}"] = read["rating"]
    lines = ["reader,case,truth,t1,t2"]
    lines += [f"{who},{case},{r['truth']},{r['t1']},{r['t2']}" for (who, case), r in rows.items()]
    (folder / "rows.csv").write_text("\n".join(lines) + "\n")
    (folder / "spec.yaml").write_text(yaml.safe_dump(SPEC))
    assert status_of(["run", str(folder / "spec.yaml"), "-o", str(folder / "r"), "--quiet"]) == 0
    assert status_of(["verify", str(folder / "r" / "latest")]) == 0
    return json.loads((folder / "r" / "latest" / "results.json").read_text())


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The study as it was: every reader read every case in both ways."""
    return run(tmp_path_factory.mktemp("van_dyke"), "case")


def test_the_difference_of_areas_as_printed(results: Any) -> None:
    (found,) = [one for one in results["reader_differences"] if one["metric"] == "roc_auc"]
    assert found["difference"] == pytest.approx(-0.04380032, abs=5e-9)
    assert found["standard_error"] == pytest.approx(0.0206825, abs=5e-8)
    assert found["df"] == pytest.approx(15.06611, abs=5e-6)
    assert found["p_value"] == pytest.approx(0.05123303, abs=5e-9)
    assert found["interval"]["low"] == pytest.approx(-0.0878671960, abs=5e-11)
    assert found["interval"]["high"] == pytest.approx(0.0002665519, abs=5e-11)
    covariances = ("variance", 0.0007921325), ("same_reader", 0.0003420090), (
        "same_modality", 0.0003395265), ("neither", 0.0002358497)  # fmt: skip
    for name, value in covariances:
        assert found[name] == pytest.approx(value, abs=5e-11), name


@pytest.mark.parametrize(
    ("model", "mean", "error", "df", "low", "high"),
    [
        ("cine", 0.8970370, 0.03307642, 12.59597, 0.8253461, 0.9687280),
        ("spin_echo", 0.9408374, 0.02150464, 12.56530, 0.8942155, 0.9874592),
    ],
)
def test_each_mean_area_as_printed(
    results: Any, model: str, mean: float, error: float, df: float, low: float, high: float
) -> None:
    (found,) = [
        one for one in results["readers"] if (one["model"], one["metric"]) == (model, "roc_auc")
    ]
    assert found["value"] == pytest.approx(mean, abs=5e-8)
    assert found["standard_error"] == pytest.approx(error, abs=5e-9)
    assert found["df"] == pytest.approx(df, abs=5e-6)
    assert found["interval"]["low"] == pytest.approx(low, abs=5e-8)
    assert found["interval"]["high"] == pytest.approx(high, abs=5e-8)


def test_each_reader_as_printed(results: Any) -> None:
    printed = {
        "cine": [0.9196457, 0.8587762, 0.9038647, 0.9731079, 0.8297907],
        "spin_echo": [0.9478261, 0.9053140, 0.9217391, 0.9993559, 0.9299517],
    }
    for one in results["readers"]:
        if one["metric"] == "roc_auc":
            values = [reader["value"] for reader in one["readers"]]
            assert values == pytest.approx(printed[one["model"]], abs=5e-8)


def test_cases_of_each_reader_alone_as_printed(tmp_path: Path) -> None:
    """The same readings with cases nested within readers: no covariance between readers."""
    content = run(tmp_path, "case2")
    (found,) = [one for one in content["reader_differences"] if one["metric"] == "roc_auc"]
    assert (found["same_modality"], found["neither"]) == (0.0, 0.0)
    assert found["difference"] == pytest.approx(-0.04380032, abs=5e-9)
    assert found["standard_error"] == pytest.approx(0.01484629, abs=5e-9)
    assert found["df"] == pytest.approx(4.0)
    assert found["p_value"] == pytest.approx(0.04195875, abs=5e-9)
    (cine,) = [
        one for one in content["readers"] if (one["model"], one["metric"]) == ("cine", "roc_auc")
    ]
    assert not cine["crossed"]
    assert cine["interval"]["low"] == pytest.approx(0.8280981, abs=5e-8)
    assert cine["interval"]["high"] == pytest.approx(0.9659760, abs=5e-8)
