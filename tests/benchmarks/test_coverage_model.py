"""The coverage study's model: its true values, and tables that do not depend on the workers."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks import bench_coverage, coverage_model
from benchmarks.coverage_model import MU, THRESHOLD, Setting, simulate, true_values
from sklearn.metrics import average_precision_score, roc_auc_score

from evalreport.statistics.resampling import generator


def test_true_values_by_hand() -> None:
    # Phi^-1(0.8) = 0.8416212; recall = Phi(0.8416212 (sqrt 2 - 1)) = Phi(0.3486109) = 0.6363102
    found = true_values(0.3)
    assert pytest.approx(0.8416212, abs=1e-7) == THRESHOLD
    assert found["recall"] == pytest.approx(0.6363102, abs=1e-6)
    # 0.3 recall + 0.7 * 0.8, and 0.3 recall / (0.3 recall + 0.7 * 0.2)
    assert found["accuracy"] == pytest.approx(0.3 * 0.6363102 + 0.56, abs=1e-6)
    assert found["precision"] == pytest.approx(0.1908931 / 0.3308931, abs=1e-6)
    assert found["youden_j"] == pytest.approx(0.6363102 - 0.2, abs=1e-6)
    assert found["roc_auc"] == 0.8


@pytest.mark.parametrize("clustered", [False, True])
def test_true_values_on_many_rows(clustered: bool) -> None:
    data = simulate(Setting(400_000, 0.3, clustered), generator(1, "model"))
    found = true_values(0.3)
    # clusters of five with a correlation of 0.3: variances at most 1 + 4 * 0.3 = 2.2 times
    assert data.actual.mean() == pytest.approx(0.3, abs=4 * np.sqrt(2.2 * 0.21 / 400_000))
    assert roc_auc_score(data.actual, data.score) == pytest.approx(0.8, abs=0.004)
    area = average_precision_score(data.actual, data.score)
    assert area == pytest.approx(found["average_precision"], abs=0.008)
    tp, fn, fp, tn = data.cells
    assert (tp + tn) / 400_000 == pytest.approx(found["accuracy"], abs=0.004)
    expected = 2 * tp / (2 * tp + fp + fn)
    assert expected == pytest.approx(found["f1"], abs=0.006)


def test_ks_is_the_largest_youden_j() -> None:
    by_threshold = [true_values(0.3)["youden_j"], true_values(0.3)["ks"]]
    assert by_threshold[0] < by_threshold[1]
    # the densities cross half way between the means
    at_half = coverage_model.ndtr(MU / 2) - coverage_model.ndtr(-MU / 2)
    assert by_threshold[1] == pytest.approx(at_half, abs=1e-12)


def test_rows_of_a_cluster_are_alike() -> None:
    data = simulate(Setting(50_000, 0.3, True), generator(2, "model"))
    order = np.argsort(data.cluster, kind="stable")
    clusters = (data.score - MU * data.actual)[order].reshape(-1, 5)
    # variance 1 of a row; of a mean of five, 0.3 + 0.7 / 5 = 0.44
    assert clusters.var() == pytest.approx(1.0, abs=0.04)
    assert clusters.mean(axis=1).var() == pytest.approx(0.44, abs=0.03)


@pytest.mark.long
def test_the_tables_do_not_depend_on_the_number_of_processes() -> None:
    settings = [Setting(30, 0.3), Setting(30, 0.3, True)]
    one, two = (bench_coverage.page(bench_coverage.study(settings, 60, k)) for k in (1, 2))
    assert one == two
    assert "| wilson |" in one
