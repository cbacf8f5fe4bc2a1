"""The design of a study against sums over every outcome, drawn studies and published sizes."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from evalreport.cli import status_of
from evalreport.design.assumptions import truth_of
from evalreport.design.study import StudyDesign, plan_study
from evalreport.errors import SpecError
from evalreport.spec.load import parse_spec
from evalreport.statistics.proportions import clopper_pearson, wilson


def planned(acceptance: list[dict[str, Any]], **design: Any) -> StudyDesign:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"path": "there_is_none.csv", "target": "y"}},
        "models": {"m": {"score": "p"}},
        "metrics": sorted({str(one["metric"]) for one in acceptance}),
        "acceptance": acceptance,
        "confidence": design.pop("confidence", {}),
        "design": design,
    }
    return plan_study(parse_spec(json.dumps(spec)))


def test_recall_with_the_positives_left_to_chance() -> None:
    """The sum over every number of positives and every number found."""
    design = planned(
        [{"metric": "recall", "at_least": 0.8, "bound": "lower"}],
        expect={"recall": 0.9, "prevalence": 0.3}, rows=200,
    )  # fmt: skip
    total = 0.0
    for m in range(1, 201):
        passing = [x for x in range(m + 1) if (found := wilson(x, m, 0.95)) and found.low >= 0.8]
        total += stats.binom.pmf(m, 200, 0.3) * stats.binom.pmf(passing, m, 0.9).sum()
    found = design.criteria[0]
    assert found.exact
    assert found.at_rows is not None
    assert found.at_rows.power == pytest.approx(total, abs=1e-10)
    assert found.at_rows.error is None


def test_the_method_of_the_criterion_decides() -> None:
    ask = [{"metric": "accuracy", "at_least": 0.8, "bound": "lower"}]
    expect = {"accuracy": 0.9, "recall": 0.9, "prevalence": 0.5}
    score = planned(ask, expect=expect, rows=100)
    exact = planned(
        ask, expect=expect, rows=100, confidence={"methods": {"accuracy": "clopper_pearson"}}
    )
    passing = [x for x in range(101) if (f := clopper_pearson(x, 100, 0.95)) and f.low >= 0.8]
    assert exact.criteria[0].at_rows is not None
    assert score.criteria[0].at_rows is not None
    assert exact.criteria[0].at_rows.power == pytest.approx(
        stats.binom.pmf(passing, 100, 0.9).sum(), abs=1e-9
    )
    assert exact.criteria[0].at_rows.power < score.criteria[0].at_rows.power


def test_only_what_is_assumed_is_told() -> None:
    """Recall without a prevalence: how many positives, but not how many rows."""
    design = planned(
        [
            {"metric": "recall", "at_least": 0.8, "bound": "lower"},
            {"metric": "precision", "at_least": 0.5},
        ],
        expect={"recall": 0.9},
    )
    recall, precision = design.criteria
    assert recall.denominator_needed is not None
    assert recall.needed is None
    assert "prevalence" in str(recall.reason)
    assert precision.reason == "design.expect leaves its true value open"
    assert design.joint is None
    assert design.joint_reason is not None
    # with Wilson, 0.9 for 0.8 at a power of 0.8
    power = [
        stats.binom.pmf(
            [x for x in range(n + 1) if (f := wilson(x, n, 0.95)) and f.low >= 0.8], n, 0.9
        ).sum()
        for n in range(1, 400)
    ]
    stays = max(n for n, chance in enumerate(power, start=1) if chance < 0.8) + 1
    assert recall.denominator_needed == stays


def test_all_together_are_drawn_as_they_come() -> None:
    ask = [
        {"metric": "recall", "at_least": 0.8, "bound": "lower"},
        {"metric": "specificity", "at_least": 0.85, "bound": "lower"},
    ]
    expect = {"recall": 0.9, "specificity": 0.9, "prevalence": 0.4}
    design = planned(ask, expect=expect, rows=300)
    both = 0.0
    for m in range(60, 181):
        passed = []
        for n, p, required in ((m, 0.9, 0.8), (300 - m, 0.9, 0.85)):
            edge = [x for x in range(n + 1) if (f := wilson(x, n, 0.95)) and f.low >= required]
            passed.append(stats.binom.pmf(edge, n, p).sum())
        both += stats.binom.pmf(m, 300, 0.4) * passed[0] * passed[1]
    assert design.joint is not None
    assert design.joint.error is not None
    assert design.joint.error <= 0.005
    assert design.joint.power == pytest.approx(both, abs=4 * design.joint.error)
    assert design.joint_needed is not None
    assert design.joint_needed > 300


@pytest.mark.long
def test_the_area_under_the_curve_is_drawn_and_ranked() -> None:
    from sklearn.metrics import roc_auc_score

    design = planned(
        [{"metric": "roc_auc", "at_least": 0.8}],
        expect={"roc_auc": 0.85, "prevalence": 0.25}, rows=120,
    )  # fmt: skip
    draw = np.random.default_rng(3)
    truth = np.repeat([1, 0], [30, 90])
    shift = np.sqrt(2) * stats.norm.ppf(0.85)
    passed = np.mean(
        [roc_auc_score(truth, draw.normal(size=120) + shift * truth) >= 0.8 for _ in range(1000)]
    )
    found = design.criteria[0].at_rows
    assert found is not None
    assert found.power == pytest.approx(passed, abs=0.05)


@pytest.mark.long
def test_clusters_and_enrichment() -> None:
    ask = [{"metric": "recall", "at_least": 0.8, "bound": "lower"}]
    expect = {"recall": 0.9, "specificity": 0.9, "prevalence": 0.1}
    plain = planned(ask, expect=expect)
    alike = planned(ask, expect=expect, clusters={"size": 6, "correlation": 0.2})
    sought = planned(ask, expect=expect, enrichment=0.5)
    assert plain.criteria[0].needed is not None
    assert alike.criteria[0].needed is not None
    assert sought.criteria[0].needed is not None
    # a design effect of 1 + 5 x 0.2; half instead of a tenth of the rows count
    assert alike.criteria[0].needed == pytest.approx(2 * plain.criteria[0].needed, rel=0.01)
    assert alike.criteria[0].clusters_needed == math.ceil(alike.criteria[0].needed / 6)
    assert plain.criteria[0].clusters_needed is None
    assert sought.criteria[0].needed == pytest.approx(plain.criteria[0].needed / 5, rel=0.06)
    assert "enriched" in sought.notes[0]


@pytest.mark.parametrize(
    ("expect", "cells"),
    [
        ({"recall": 0.9, "specificity": 0.8, "prevalence": 0.25}, [0.225, 0.025, 0.15, 0.6]),
        ({"precision": 0.6, "recall": 0.9, "prevalence": 0.25}, [0.225, 0.025, 0.15, 0.6]),
        ({"ppv": 0.6, "npv": 0.96, "prevalence": 0.25}, [0.225, 0.025, 0.15, 0.6]),
    ],
)
def test_any_three_values_fix_the_cells(expect: dict[str, float], cells: list[float]) -> None:
    assert truth_of(expect).cells == pytest.approx(cells, abs=1e-6)


def test_values_that_no_table_has() -> None:
    with pytest.raises(SpecError, match="no table has"):
        truth_of({"recall": 0.9, "specificity": 0.9, "accuracy": 0.5})


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "spec.yaml"
    path.write_text(
        "evalreport: 1\ntitle: Reader aid\ndatasets: {d: {path: none.csv, target: y}}\n"
        "models: {m: {score: p}}\nmetrics: [recall]\n"
        "acceptance: [{metric: recall, at_least: 0.8, bound: lower}]\n"
        "design: {expect: {sensitivity: 0.9, prevalence: 0.5}, rows: 150}\n"
    )
    return path


@pytest.mark.long
def test_the_command_needs_no_data(
    spec: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "protocol"
    arguments = ["design", str(spec), "-o", str(folder), "--formats", "html", "--at", "2026-02-01"]
    assert status_of(arguments) == 0
    out = capsys.readouterr().out
    body = json.loads((folder / "protocol.json").read_text())
    assert f"protocol {body['sha256']}" in out
    assert "power with 150 rows" in out
    page = (folder / "protocol.html").read_text()
    assert "Study protocol" in page
    assert body["sha256"] in page
    first = (folder / "protocol.html").read_bytes()
    assert status_of(arguments) == 0
    assert (folder / "protocol.html").read_bytes() == first
    assert status_of(["design", str(spec), "--json"]) == 0
    assert json.loads(capsys.readouterr().out.split("\n{", 1)[-1].join(["{", ""]))["expect"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("design: {expect: {sensitivity: 0.9, prevalence: 0.5}, rows: 150}", "", "no `design`"),
        ("sensitivity: 0.9", "sensitivty: 0.9", "did you mean"),
        ("sensitivity: 0.9", "sensitivity: 9", "never 9"),
        ("acceptance: [{metric: recall, at_least: 0.8, bound: lower}]", "", "no criteria"),
    ],
)
def test_mistakes_have_status_2(
    spec: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, said: str
) -> None:
    spec.write_text(spec.read_text().replace(old, new))
    assert status_of(["design", str(spec)]) == 2
    assert said in capsys.readouterr().err
