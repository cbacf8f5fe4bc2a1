"""Intervals, tests, gates and reports on which well-known tools stumble."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from plain_results import render_html
from trap_runs import measures_of, one, results_of

from evalreport.cli import status_of
from evalreport.errors import ExitStatus, SpecError
from evalreport.statistics import paired, proportions

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("method", "x", "n", "level", "low", "high"),
    [
        ("wilson", 10, 10, 0.95, 0.7225, 1.0),
        ("clopper_pearson", 10, 10, 0.95, 0.6915, 1.0),
        ("clopper_pearson", 0, 18, 0.99, 0.0, 0.2550),
        ("clopper_pearson", 18, 18, 0.99, 0.7450, 1.0),
        ("agresti_coull", 1, 29, 0.95, 0.0, 0.1853),
    ],
)
def test_limits_of_proportions_at_the_edges(
    method: str, x: int, n: int, level: float, low: float, high: float
) -> None:
    limits = proportions.PROPORTION_METHODS[method](x, n, level)
    assert limits is not None
    assert limits.low == pytest.approx(low, abs=6e-5)
    if method != "agresti_coull":
        assert limits.high == pytest.approx(high, abs=6e-5)
    assert 0 <= limits.low <= limits.high <= 1


def test_jeffreys_is_equal_tailed_and_reaches_the_edges() -> None:
    none = proportions.jeffreys(0, 10, 0.95)
    full = proportions.jeffreys(10, 10, 0.95)
    assert none is not None
    assert full is not None
    assert none.low == 0.0
    assert full.high == 1.0
    # the upper 97.5 % point of Beta(0.5, 10.5)
    assert none.high == pytest.approx(0.2171963, abs=1e-6)


def test_an_area_with_one_positive_or_of_one_has_the_limits_of_the_area_alone() -> None:
    single = one(
        measures_of({"y": [1, 0, 0, 0], "s": [0.7, 0.9, 0.2, 0.1]}, {"score": "s"}, ["roc_auc"]),
        "roc_auc",
    )
    perfect = one(
        measures_of({"y": [1, 1, 0, 0], "s": [0.9, 0.8, 0.2, 0.1]}, {"score": "s"}, ["roc_auc"]),
        "roc_auc",
    )
    for measure in (single, perfect):
        assert measure["interval"]["method"] == "delong_score"
        assert "standard_error" not in measure["interval"]
        assert measure["interval"]["low"] < measure["interval"]["high"] <= 1
    assert perfect["value"] == 1.0


def test_limits_of_an_area_stay_within_nought_and_one() -> None:
    columns = {"y": [1, 1, 1, 0, 0, 0], "s": [0.9, 0.8, 0.35, 0.4, 0.2, 0.1]}
    for asked in ("delong", "delong_logit"):
        interval = one(
            measures_of(
                columns, {"score": "s"}, ["roc_auc"], confidence={"methods": {"roc_auc": asked}}
            ),
            "roc_auc",
        )["interval"]
        assert interval["method"] == asked
        assert 0 <= interval["low"] < interval["high"] <= 1


def _compared(first: list[Any], second: list[Any], **more: Any) -> dict[str, Any]:
    columns = {"y": [0, 1] * 10, "a": first, "b": second}
    found = results_of(
        columns,
        {"prediction": "a"},
        ["accuracy"],
        models={"other": {"prediction": "b"}},
        comparisons={"reference": "m", **more},
    )
    return dict(found["comparisons"][0])


def test_a_model_compared_with_itself_differs_by_nought_and_chance_explains_all() -> None:
    same = [0, 1] * 9 + [1, 1]
    found = _compared(same, same)
    assert (found["difference"], found["p_value"]) == (0.0, 1.0)


def test_few_discordant_rows_are_tested_exactly_and_differences_are_model_minus_reference() -> None:
    good, bad = [0, 1] * 10, [1, 1] * 2 + [0, 1] * 8
    found = _compared(good, bad)
    assert found["test"] == "mcnemar_exact"
    assert found["difference"] == pytest.approx(-2 / 20)
    assert found["p_value"] == pytest.approx(0.5)
    assert (found["model"], found["reference"]) == ("other", "m")


def test_newcombe_has_the_correction_and_its_twin_has_not() -> None:
    with_phi = paired.PAIRED_METHODS["newcombe"](14, 5, 0, 22, 0.95)
    without = paired.PAIRED_METHODS["newcombe_uncorrected"](14, 5, 0, 22, 0.95)
    assert with_phi is not None
    assert without is not None
    assert (round(with_phi.low, 3), round(with_phi.high, 3)) == (0.011, 0.226)
    assert without != with_phi


def test_datasets_are_compared_by_an_unpaired_test_that_says_so() -> None:
    import evalreport

    rows = {"y": [0, 0, 1, 1, 0, 1], "s": [0.1, 0.6, 0.4, 0.9, 0.3, 0.8]}
    found = evalreport.run(
        {
            "evalreport": 1,
            "title": "two",
            "datasets": {"now": {"target": "y"}, "then": {"target": "y"}},
            "models": {"m": {"score": "s"}},
            "metrics": ["roc_auc"],
            "comparisons": {"reference": {"dataset": "then"}},
        },
        frames={"now": rows, "then": rows},
    ).json["comparisons"]
    # few rows of a class take the score form, which is named apart from the paired one too
    assert "unpaired" in found[0]["test"]
    assert "unpaired" in found[0]["interval"]["method"]
    assert found[0]["difference"] == 0.0


def test_no_correction_slips_in_where_discordant_rows_are_equal() -> None:
    assert paired.mcnemar_exact(4, 4) == 1.0
    plain = paired.mcnemar(4, 4)
    assert plain is not None
    assert (plain.statistic, plain.p_value) == (0.0, 1.0)


def test_every_interval_holds_its_own_value() -> None:
    columns = {"y": [0, 1, 1, 0, 1, 0, 1, 0] * 4, "s": [k / 32 for k in range(32)]}
    metrics = ["lr_plus", "lr_minus", "diagnostic_odds_ratio", "mcc", "kappa", "f1", "recall"]
    for m in measures_of(columns, {"score": "s"}, metrics):
        if m["interval"]:
            assert m["interval"]["low"] <= m["value"] <= m["interval"]["high"], m["metric"]


def test_a_wrong_name_is_told_before_data_are_read(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"roc_auc|auc"):
        results_of(None, {"score": "s"}, ["AUC"], dataset={"path": str(tmp_path / "none.csv")})


def test_all_rows_are_evaluated_even_where_subgroups_are_asked_for() -> None:
    columns = {"y": [0, 1], "s": [0.1, 0.9], "g": ["a", "b"]}
    found = measures_of(columns, {"score": "s"}, ["accuracy"], subgroups=["g"])
    assert one(found, "accuracy")["n"] == 2


def test_a_metric_that_breaks_is_a_failed_section_and_status_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evalreport.engine.measures import Measurer

    compute = Measurer.compute

    def broken(self: Measurer, task: Any) -> Any:
        if task.metric == "mcc":
            raise ArithmeticError("broken on purpose")
        return compute(self, task)

    monkeypatch.setattr(Measurer, "compute", broken)
    data = tmp_path / "d.csv"
    data.write_text("y,p\na,a\nb,b\n", encoding="utf-8")
    spec = tmp_path / "s.yaml"
    spec.write_text(
        "evalreport: 1\ndatasets: {d: {path: d.csv, target: y}}\nmodels: {m: {prediction: p}}\n"
        "metrics: [accuracy, mcc]\nreport: {formats: [html]}\n",
        encoding="utf-8",
    )
    status = status_of(["run", str(spec), "-o", str(tmp_path / "runs"), "--quiet"])
    assert status == ExitStatus.FAILED
    results = json.loads((tmp_path / "runs/latest/results.json").read_text(encoding="utf-8"))
    assert "broken on purpose" in results["failures"][0]["reason"]
    page = (tmp_path / "runs/latest/report.html").read_text(encoding="utf-8")
    assert "FAILED" in page
    assert one(results, "accuracy")["value"] == 1.0


def test_classes_stand_before_averages_and_every_record_names_its_class() -> None:
    found = measures_of(
        {"y": list("abc"), "p": list("aba")},
        {"prediction": "p"},
        ["recall"],
        averaging=["none", "macro", "weighted"],
    )
    assert [m["average"] for m in found] == [None, None, None, "macro", "weighted"]
    assert [m["label"] for m in found] == ["a", "b", "c", None, None]


@pytest.mark.long
def test_pages_are_the_same_twice_without_script_and_small() -> None:
    columns = {"y": [0, 1, 1, 0] * 10, "s": [k / 40 for k in range(40)]}
    results = results_of(columns, {"score": "s"}, ["accuracy", "roc_auc"])
    first, second = render_html(results), render_html(results)
    assert first == second
    assert "<script" not in first
    assert not re.search(r'(?:src|href)="https?:', first)
    assert len(first.encode()) < 700_000


def test_counts_are_printed_beside_every_rate() -> None:
    columns = {"y": [0, 1, 1, 0] * 10, "s": [k / 40 for k in range(40)]}
    page = render_html(results_of(columns, {"score": "s"}, ["accuracy"]))
    assert 'data-table="t1"' in page


def test_no_row_is_sampled_away() -> None:
    rows = 120_000
    columns = {"y": [k % 2 for k in range(rows)], "s": [(k % 97) / 97 for k in range(rows)]}
    found = results_of(columns, {"score": "s"}, ["accuracy"])
    assert found["rows"][0]["used"] == one(found, "accuracy")["n"] == rows


@pytest.mark.parametrize("classes", [4, 10, 100, 2_000])
def test_a_report_of_many_classes_stays_readable_and_bounded(classes: int) -> None:
    truth = [f"class {k % classes}" for k in range(3 * classes)]
    said = [f"class {(k + (k % 7 == 0)) % classes}" for k in range(3 * classes)]
    results = results_of({"y": truth, "p": said}, {"prediction": "p"}, ["accuracy", "recall"])
    page = render_html(results)
    assert len(page.encode()) < 3_000_000
    assert "accuracy" in page.casefold()


def test_a_method_that_was_asked_for_is_not_exchanged_where_it_degenerates() -> None:
    columns = {"y": [1, 1, 0, 0], "s": [0.9, 0.8, 0.2, 0.1]}
    found = measures_of(
        columns, {"score": "s"}, ["roc_auc"], confidence={"methods": {"roc_auc": "delong"}}
    )
    record = one(found, "roc_auc")
    assert record["interval"] is None
    assert record["interval_reason"].startswith("nothing varies in these rows")
