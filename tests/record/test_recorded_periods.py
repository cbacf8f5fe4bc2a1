"""The course over periods again from recorded measures: what is right, and each wrong number."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import pytest
from scipy import stats

import evalreport
from evalreport.record.recompute_periods import period_problems

SPEC = """\
evalreport: 1
title: By month
datasets:
  week:
    target: truth
    labels: [well, ill]
    period: {column: date}
positive: {label: ill}
models:
  m: {score: score}
metrics: [recall, brier]
"""
#: Positives found and missed of each month: the last is not like the ones before.
FOUND = [(18, 2), (17, 3), (18, 2), (16, 4), (18, 2), (17, 3), (8, 12)]
MONTHS = [f"2026-{k:02d}" for k in range(1, 8)]


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    pandas = pytest.importorskip("pandas")
    rows = [
        (f"{month}-{1 + i:02d}", truth, score)
        for month, (hit, miss) in zip(MONTHS, FOUND, strict=True)
        for truth, score, count in (
            ("ill", 0.9, hit), ("ill", 0.3, miss), ("well", 0.7, 2), ("well", 0.1, 18),
        )
        for i in range(count)
    ]  # fmt: skip
    frame = pandas.DataFrame(rows, columns=["date", "truth", "score"])
    spec = tmp_path_factory.mktemp("periods") / "spec.yaml"
    spec.write_text(SPEC)
    done = evalreport.run(spec, frames={"week": frame}, at="2026-11-21")
    return dict(done.json)


@pytest.fixture
def results(evaluated: dict[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(evaluated)


def of(results: dict[str, Any], metric: str) -> dict[str, Any]:
    found: dict[str, Any] = next(p for p in results["periods"] if p["metric"] == metric)
    return found


def told(results: dict[str, Any]) -> str:
    return "\n".join(map(str, period_problems(results)))


def test_a_run_over_periods_is_as_its_measures_say(results: dict[str, Any]) -> None:
    assert period_problems(results) == []
    recall, brier = of(results, "recall"), of(results, "brier")
    assert recall["values"] == [hit / 20 for hit, _ in FOUND]
    chi2 = stats.chi2_contingency(list(zip(*FOUND, strict=True)), correction=False)
    assert recall["change_statistic"] == pytest.approx(chi2.statistic, rel=1e-12)
    charts = [(p["limits"][-1]["chart"], p["limits"][-1]["signal"]) for p in (recall, brier)]
    assert charts[0] == ("p", True)
    assert charts[1][0] not in (None, "p")


@pytest.mark.parametrize("metric", ["recall", "brier"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: p["values"].__setitem__(0, 0.5), "values are not those of its measures"),
        (lambda p: p["periods"].__setitem__(0, "2025-12"), "periods are not those"),
        (lambda p: p["limits"][-1].update(centre=0.5), "the centre of"),
        (lambda p: p["limits"][-1].update(low=-5.0), "wider than the periods before give"),
        (lambda p: p["limits"][-1].update(high=5.0), "wider than the periods before give"),
        (lambda p: p["limits"][-1].update(signal=None), "is outside its control limits"),
        (lambda p: p["limits"][-1].update(signal=not p["limits"][-1]["signal"]),
         "is outside its control limits"),
        (lambda p: p["limits"].pop(), "malformed"),
        (lambda p: p.pop("change_test"), "malformed"),
        (lambda p: p["measures"].__setitem__(0, "no such measure"), "malformed"),
    ],
)  # fmt: skip
def test_each_wrong_entry_is_found(
    results: dict[str, Any], metric: str, change: Callable[[Any], Any], message: str
) -> None:
    change(of(results, metric))
    assert message in told(results)
    number = results["periods"].index(of(results, metric)) + 1
    assert all(f"record {number}: " in str(one) for one in period_problems(results))


@pytest.mark.parametrize("statistic", ["change", "trend"])
def test_wrong_tests_of_shares_are_found(results: dict[str, Any], statistic: str) -> None:
    of(results, "recall")[f"{statistic}_statistic"] += 1e-6
    assert f"its test of a {statistic} gives" in told(results)


def test_periods_out_of_order_are_found(results: dict[str, Any]) -> None:
    record = of(results, "recall")
    del record["limits"]
    for key in ("periods", "values", "measures"):
        record[key].reverse()
    assert "its periods are not in order" in told(results)


def test_limits_may_lie_further_in_but_not_further_out(results: dict[str, Any]) -> None:
    """They are cut where the values of a metric end; 0.85 is inside all the same."""
    limit = of(results, "recall")["limits"][5]
    limit.update(low=limit["low"] + 0.01, high=limit["high"] - 0.01)
    assert period_problems(results) == []


def test_results_without_periods_or_limits(results: dict[str, Any]) -> None:
    for record in results["periods"]:
        del record["limits"]
    assert period_problems(results) == []
    assert period_problems({"measures": []}) == []
    assert "cannot be checked" in str(period_problems({})[0])


# -- by hand --------------------------------------------------------------------------------------


def by_hand(values: list[float | None], limits: list[dict[str, Any]]) -> dict[str, Any]:
    measures = [
        {"id": f"m{k}", "value": v, "state": "undefined" if v is None else "value",
         "subgroup": {"date": f"202{k}"}}
        for k, v in enumerate(values)
    ]  # fmt: skip
    record = {
        "measures": [m["id"] for m in measures], "values": values, "column": "date",
        "periods": [f"202{k}" for k in range(len(values))], "limits": limits,
        "change_test": None,
    }  # fmt: skip
    return {"measures": measures, "periods": [record]}


def test_limits_of_values_by_hand() -> None:
    """Moving ranges of 1, 3 and 2 are 2 and 1, their mean 1.5; a mean range is 2 / sqrt(pi) SD."""
    none = {"chart": None}
    half = 3 * 1.5 * math.sqrt(math.pi) / 2
    limit = {"chart": "individuals", "centre": 2.0, "low": 2 - half, "high": 2 + half}
    # an undefined period has no place among those before
    values = [1.0, None, 3.0, 2.0, 9.0]
    right = by_hand(values, [none] * 4 + [{**limit, "signal": True}])
    assert period_problems(right) == []
    assert "the centre of m4 is 2.1, the periods before give 2.0" in told(
        by_hand(values, [none] * 4 + [{**limit, "signal": True, "centre": 2.1}])
    )
