"""The course over periods again from recorded measures: what is right, and each wrong number."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from plain_results import render_html
from scipy import stats

import evalreport
from evalreport.verify.recompute import recompute

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
    return over_months(tmp_path_factory.mktemp("periods"), FOUND)


def over_months(folder: Path, found: list[tuple[int, int]]) -> dict[str, Any]:
    import pandas as pd

    rows = [
        (f"2026-{month:02d}-{1 + i:02d}", truth, score)
        for month, (hit, miss) in enumerate(found, start=1)
        for truth, score, count in (
            ("ill", 0.9, hit), ("ill", 0.3, miss), ("well", 0.7, 2), ("well", 0.1, 18),
        )
        for i in range(count)
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["date", "truth", "score"])
    spec = folder / "spec.yaml"
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
    return "\n".join(map(str, recompute(results).problems))


def test_a_run_over_periods_is_as_its_measures_say(results: dict[str, Any]) -> None:
    assert recompute(results).problems == ()
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
        (lambda p: p["values"].__setitem__(0, 0.5), "values is ("),
        (lambda p: p["periods"].__setitem__(0, "2025-12"), "periods is ("),
        (lambda p: p["limits"][-1].update(centre=0.5), "limits.centre is 0.5"),
        (lambda p: p["limits"][-1].update(low=-5.0), "limits.low is -5.0"),
        (lambda p: p["limits"][-1].update(high=5.0), "limits.high is 5.0"),
        (lambda p: p["limits"][-1].update(chart="p", low=None), "limits.low is None"),
        (lambda p: p["limits"][-1].update(signal=not p["limits"][-1]["signal"]),
         "limits.signal is "),
        (lambda p: p["limits"].pop(), "limits is ("),
        (lambda p: p.update(change_test=None, trend_statistic=1.0), "change_test is None"),
        (lambda p: p["measures"].__setitem__(0, "no such measure"), "measures is ("),
    ],
)  # fmt: skip
def test_each_wrong_entry_is_found(
    results: dict[str, Any], metric: str, change: Callable[[Any], Any], message: str
) -> None:
    change(of(results, metric))
    assert message in told(results)
    number = results["periods"].index(of(results, metric)) + 1
    assert all(f"periods[{number - 1}] (" in str(one) for one in recompute(results).problems)


def test_a_signal_that_is_none_is_not_read(results: dict[str, Any]) -> None:
    of(results, "recall")["limits"][-1]["signal"] = None
    assert "limits[6].signal: " in told(results)


@pytest.mark.parametrize("statistic", ["change", "trend"])
def test_wrong_tests_of_shares_are_found(results: dict[str, Any], statistic: str) -> None:
    of(results, "recall")[f"{statistic}_statistic"] += 1e-6
    assert f"{statistic}_statistic is " in told(results)


def test_periods_out_of_order_are_found(results: dict[str, Any]) -> None:
    record = of(results, "recall")
    del record["limits"]
    for key in ("periods", "values", "measures"):
        record[key].reverse()
    assert "periods is (" in told(results)


def test_limits_may_lie_further_in_but_not_further_out(results: dict[str, Any]) -> None:
    """They are cut where the values of a metric end; 0.85 is inside all the same."""
    limit = of(results, "recall")["limits"][5]
    limit.update(low=limit["low"] + 0.01, high=limit["high"] - 0.01)
    # this version cuts them nowhere else; of another that is not known
    assert "limits.low is " in told(results)
    results["provenance"]["version"] = "0.0.1"
    assert recompute(results).problems == ()


def test_results_without_periods_or_limits(results: dict[str, Any]) -> None:
    results["provenance"]["version"] = "0.0.1"
    for record in results["periods"]:
        del record["limits"]
    assert recompute(results).problems == ()
    del results["periods"]
    assert recompute(results).problems == ()


#: Two months that are not like the six before.
FALL = [*FOUND, (8, 12)]


@pytest.fixture(scope="module")
def fallen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    found = over_months(tmp_path_factory.mktemp("fallen"), FALL)
    assert recompute(found).problems == ()
    return found


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.update(alarm="2026-03"), "change.alarm is '2026-03'"),
        (lambda c: c.update(since="2026-02"), "change.since is '2026-02'"),
        (lambda c: c.update(probability=0.25), "change.probability is 0.25"),
        (lambda c: c.update(before=0.25), "change.before is 0.25"),
        (lambda c: c.update(after=0.75), "change.after is 0.75"),
        (lambda c: c["marks"][3].update(ewma=0.5), "change.marks.ewma is 0.5"),
        (lambda c: c["marks"][3].update(cusum_limit=9.0), "change.marks.cusum_limit is 9.0"),
        (lambda c: c["marks"][3].update(signal=True), "change.marks.signal is True"),
        (lambda c: c["marks"].pop(), "change.marks is ("),
        (lambda c: c["moved"][0].update(before=0.1), "change.moved.before is 0.1"),
    ],
)
def test_each_wrong_number_of_a_change_is_found(
    fallen: dict[str, Any], change: Callable[[Any], Any], message: str
) -> None:
    results = copy.deepcopy(fallen)
    change(of(results, "recall")["change"])
    assert message in told(results)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.update(alarm="2026-03"), "change.alarm is '2026-03'"),
        (lambda c: c.update(after=0.75), "change.after is 0.75"),
        (lambda c: c["marks"][3].update(z=0.5), "change.marks.z is 0.5"),
    ],
)
def test_each_wrong_number_of_a_course_of_means_is_found(
    fallen: dict[str, Any], change: Callable[[Any], Any], message: str
) -> None:
    results = copy.deepcopy(fallen)
    change(of(results, "brier")["change"])
    assert message in told(results)


def test_the_change_by_hand(fallen: dict[str, Any]) -> None:
    """Six months near 17 of 20, then twice 8 of 20: charts, point of change, what moved."""
    found = of(fallen, "recall")["change"]
    z = []
    for top, n in ((104, 120), (112, 140)):
        # the variance is that of the share of all rows up to this month
        share = (top + 8 + 0.5) / (n + 20 + 1)
        z.append((0.4 - top / n) / math.sqrt(share * (1 - share) * (1 / 20 + 1 / n)))
    assert found["marks"][0]["z"] is None
    assert [one["z"] for one in found["marks"][-2:]] == pytest.approx(z, rel=1e-12)
    assert [one["signal"] for one in found["marks"]] == [False] * 6 + [True] * 2
    assert (found["alarm"], found["since"]) == ("2026-07", "2026-07")
    assert (found["before"], found["after"]) == (104 / 120, 0.4)
    moved = {one["what"]: one for one in found["moved"]}
    assert (moved["prevalence"]["before"], moved["prevalence"]["after"]) == (0.5, 0.5)
    predicted = moved["predicted_prevalence"]
    assert (predicted["before"], predicted["after"]) == (116 / 240, 20 / 80)
    chi2 = stats.chi2_contingency([[116, 20], [124, 60]], correction=False)
    assert predicted["statistic"] == pytest.approx(chi2.statistic, rel=1e-12)
    assert predicted["p_value"] == pytest.approx(chi2.pvalue, rel=1e-9)
    # 0.9 for 104, 0.3 for 16, 0.7 for 12 and 0.1 for 108 of 240
    scores = (104 * 0.9 + 16 * 0.3 + 12 * 0.7 + 108 * 0.1) / 240
    assert moved["scores"]["before"] == pytest.approx(scores, rel=1e-12)
    assert moved["calibration"]["before"] == pytest.approx(0.5 - scores, rel=1e-12)


def test_the_first_page_names_the_month(fallen: dict[str, Any]) -> None:
    (caution,) = [c for c in fallen["cautions"] if c["code"] == "changed_over_time"]
    assert caution["severity"] == "warning"
    assert "recall: alarm in 2026-07; most likely it fell with 2026-07" in caution["message"]
    assert "from 0.867 to 0.400." in caution["message"]
    page = render_html(fallen)
    assert "When did it change?" in page
    assert "What moved with it: " in page
    assert page.index("alarm in 2026-07") < page.index("When did it change?")


def test_a_course_without_a_change_has_no_alarm(tmp_path: Path) -> None:
    found = over_months(tmp_path, [(17, 3)] * 7)
    change = of(found, "recall")["change"]
    assert (change["alarm"], change["moved"]) == (None, [])
    assert change["probability"] < 0.5
    assert not [c for c in found["cautions"] if c["code"] == "changed_over_time"]


@pytest.mark.parametrize(
    ("metric", "change"),
    [
        ("recall", {"numerator": None}),
        ("brier", {"interval": None}),
        ("recall", {"table": "t99"}),
        ("recall", {"table": None}),
    ],
)
def test_a_course_of_measures_without_their_numbers_is_found(
    fallen: dict[str, Any], metric: str, change: dict[str, Any]
) -> None:
    results = copy.deepcopy(fallen)
    name = of(results, metric)["measures"][2]
    next(m for m in results["measures"] if m["id"] == name).update(change)
    assert recompute(results).problems


def test_a_course_in_which_no_change_can_be_placed_is_held_by_its_charts(
    fallen: dict[str, Any],
) -> None:
    forged = copy.deepcopy(fallen)
    for one in forged["periods"]:
        if one["change"] is not None:
            one["change"]["probability"] = 0.123
    assert told(forged).count("change.probability is 0.123") == len(
        [one for one in forged["periods"] if one["change"] is not None]
    )
