"""Search: nobody counts the true negatives, and whatever needs them is undefined."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from evalreport.cli import status_of
from evalreport.metrics.catalogue import catalogue, find
from evalreport.plan.unknown import needs_unknown

METRICS = [
    "precision", "recall", "f1", "fdr", "fnr", "jaccard", "average_precision",
    "specificity", "npv", "accuracy", "mcc", "kappa", "balanced_accuracy", "prevalence",
    "no_information_rate", "expected_cost", "roc_auc", "log_loss", "brier", "net_benefit", "lift",
]  # fmt: skip
#: 30 of 42 relevant documents are found, and 8 that are not.
KINDS = (("yes", "yes", 30), ("yes", "no", 12), ("no", "yes", 8))


def _rows() -> list[tuple[str, str, float, str]]:
    rows = []
    for actual, said, count in KINDS:
        for _ in range(count):
            k = len(rows)
            score = 0.5 + 0.01 * (k % 40) if said == "yes" else 0.1 + 0.01 * (k % 30)
            rows.append((actual, said, score, "ab"[k % 2]))
    return rows


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("search")
    lines = [f"{a},{p},{s:.2f},{g}" for a, p, s, g in _rows()]
    (folder / "d.csv").write_text("\n".join(["relevant,found,s,g", *lines]) + "\n")
    (folder / "spec.yaml").write_text(
        "evalreport: 1\n"
        "datasets:\n  search: {path: d.csv, target: relevant, unknown: [tn]}\n"
        'positive: {label: "yes"}\n'
        "models:\n  engine: {prediction: found}\n  ranked: {score: s}\n"
        f"metrics: [{', '.join(METRICS)}]\n"
        "averaging: [none, macro]\n"
        "costs: {false_negative: 5, false_positive: 1}\n"
        "thresholds: [0.5, {maximize: youden_j}, {maximize: f1}, {top: 10}]\n"
        "comparisons: {reference: engine}\n"
        "subgroups: [g]\n"
        "acceptance:\n"
        "  - {metric: recall, at_least: 0.5, bound: lower}\n"
        "  - {metric: specificity, at_least: 0.5}\n"
    )
    status = status_of(
        [
            "run",
            str(folder / "spec.yaml"),
            "-o",
            str(folder / "runs"),
            "--quiet",
            "--formats",
            "html,csv,markdown",
        ]
    )
    assert status == 1  # specificity cannot be judged
    return folder / "runs" / "latest"


@pytest.fixture(scope="module")
def results(run: Path) -> Any:
    return json.loads((run / "results.json").read_text())


def measure(results: Any, metric: str, **wanted: Any) -> Any:
    wanted = {"subgroup": {}, "average": None, "model": "engine", "threshold_rule": None, **wanted}
    found = [
        m
        for m in results["measures"]
        if m["metric"] == metric
        and m["label"] in ("yes", None)
        and all(m[key] == value for key, value in wanted.items())
    ]
    assert len(found) == 1
    return found[0]


@pytest.mark.long
def test_what_the_known_cells_give_has_its_value(results: Any) -> None:
    precision, recall = measure(results, "precision"), measure(results, "recall")
    assert (precision["value"], recall["value"]) == (30 / 38, 30 / 42)
    assert measure(results, "f1")["value"] == 60 / 80
    # Wilson limits of 30 of 42, from R's binom.confint
    limits = recall["interval"]
    assert (limits["low"], limits["high"]) == pytest.approx((0.5643279, 0.8283298), abs=1e-7)


@pytest.mark.parametrize("metric", METRICS[7:16])
def test_what_needs_true_negatives_is_undefined_with_that_reason(results: Any, metric: str) -> None:
    for model in ("engine", "ranked"):
        found = measure(results, metric, model=model)
        assert (found["state"], found["value"], found["interval"]) == ("undefined", None, None)
        assert found["reason"] == "it needs the true negatives, which are not known"
    macro = measure(results, "recall", average="macro")
    assert macro["state"] == "undefined"


def test_of_scores_only_what_looks_at_the_found_ones_is_left(results: Any) -> None:
    for metric in ("roc_auc", "log_loss", "brier", "lift"):
        assert measure(results, metric, model="ranked")["state"] == "undefined"
    assert {curve["kind"] for curve in results["curves"]} == {"precision_recall"}
    rows = _rows()
    truth, scores = [r[0] == "yes" for r in rows], [round(r[2], 2) for r in rows]
    own = measure(results, "average_precision", model="ranked")["value"]
    assert own == pytest.approx(average_precision_score(truth, scores))
    # a thousand documents more that nobody wants and nobody finds change nothing
    more = average_precision_score(truth + [False] * 1000, scores + [0.0] * 1000)
    assert own == pytest.approx(more)


def test_thresholds_baselines_comparisons_and_criteria_do_without(results: Any) -> None:
    reasons = {t["rule"]: t["reason"] for t in results["thresholds"] if t["model"] == "ranked"}
    assert "true negatives" in reasons["maximize youden_j"]
    assert "true negatives" in reasons["top 10"]
    assert reasons["maximize f1"] is None
    assert results["baselines"] == results["against_baselines"] == []
    assert results["impact"] == []
    assert {c["metric"] for c in results["comparisons"] if c["label"] != "no"} <= {
        "precision",
        "recall",
        "f1",
        "fdr",
        "fnr",
        "jaccard",
    }
    outcomes = {e["metric"]: e["outcome"] for e in results["acceptance"] if e["model"] == "engine"}
    assert outcomes == {"recall": "pass", "specificity": "not_evaluated"}


def test_cautions_judge_no_table_with_a_cell_missing(results: Any) -> None:
    codes = {c["code"] for c in results["cautions"]}
    assert "unknown_cells" in codes
    assert not codes & {"imbalance", "majority_class", "baseline_not_beaten", "one_class"}


def test_the_table_prints_a_question_mark(run: Path, results: Any) -> None:
    assert results["tables"][0]["counts"] == [[None, 8], [12, 30]]
    page = (run / "report.html").read_text()
    assert "? was not counted" in page
    assert (run / "tables.csv").read_text().splitlines()[1].endswith(",no,no,")


@pytest.mark.long
def test_verify_agrees_and_finds_a_value_that_cannot_be(
    run: Path, results: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    from evalreport.verify.recompute import recompute

    assert status_of(["verify", str(run)]) == 0
    found = recompute(results)
    assert found.problems == ()
    changed = json.loads(json.dumps(results))
    measure(changed, "precision")["value"] = 0.8
    measure(changed, "specificity").update(state="value", value=0.5, reason=None)
    told = [str(problem) for problem in recompute(changed).problems]
    assert any("precision" in one and "0.789" in one for one in told)
    assert any("specificity" in one and "the other records give 'undefined'" in one for one in told)


def test_three_classes_have_no_such_cell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "d.csv").write_text("y,p\na,a\nb,b\nc,a\n")
    (tmp_path / "s.yaml").write_text(
        "evalreport: 1\ndatasets: {d: {path: d.csv, target: y, unknown: [tn]}}\n"
        "models: {m: {prediction: p}}\nmetrics: [recall]\n"
    )
    assert status_of(["run", str(tmp_path / "s.yaml"), "-o", str(tmp_path / "runs")]) == 3
    told = capsys.readouterr().err
    assert "s.yaml:2:" in told
    assert "only a table of two classes has" in told


def test_every_metric_of_counts_is_decided_as_arithmetic_would() -> None:
    """A metric that is called free of true negatives gives one value for any number of them."""
    free = set()
    for metric in catalogue():
        if metric.table.value == "counts" and not metric.context and not metric.parameters:
            reason = needs_unknown(metric, {}, ("tn",))
            rng = np.random.default_rng(5)
            values = set()
            tp, fp, fn = (int(n) for n in rng.integers(1, 50, 3))
            for tn in (0, 3, 50, 999):
                from evalreport.metrics.tables import Counts

                values.add(repr(metric(Counts(tp, fp, fn, tn)).outcome()))
            assert (len(values) == 1) == (reason is None), metric.name
            if reason is None:
                free.add(metric.name)
    assert {"precision", "recall", "f1", "fdr", "fnr", "jaccard", "fowlkes_mallows"} <= free
    beta = find("fbeta")
    assert beta is not None
    assert needs_unknown(beta, {"beta": 2}, ("tn",)) is None
    assert needs_unknown(beta, {"beta": 2}, ("fn",)) is not None


def test_rows_of_a_class_with_an_unknown_cell_are_no_share_of_all(run: Path) -> None:
    """8 irrelevant documents are false positives; how many were rightly left out nobody counted."""
    results = json.loads((run / "results.json").read_text())
    for ledger in results["rows"]:
        assert ledger["classes"] == [
            {"label": "no", "count": 8, "uncounted": True},
            {"label": "yes", "count": 42},
        ]
    page = re.sub(r"<[^>]+>", " ", (run / "report.html").read_text())
    assert "42 of them yes" in page
    # 8 / 50 and 42 / 50 are shares of rows that nobody counted
    assert not re.search(r"\b16\.0 ?.?%|\b84\.0 ?.?%", page)
