"""Net reclassification: the published example, recall and specificity, clusters and weights."""

from __future__ import annotations

import copy
import math
from typing import Any

import jsonschema
import numpy as np
import pytest
from plain_results import build

import evalreport
from evalreport.report.model import TableBlock
from evalreport.results.codec import results_schema
from evalreport.statistics.reclassification import net_reclassification
from evalreport.verify.recompute import recompute


def moved(events: tuple[int, int, int], others: tuple[int, int, int]) -> Any:
    """Rows of (n, up, down) of each class."""
    event = np.array([True] * events[0] + [False] * others[0])
    moves = [[1] * up + [-1] * down + [0] * (n - up - down) for n, up, down in (events, others)]
    return event, np.array(moves[0] + moves[1])


def test_the_example_of_pencina() -> None:
    # Pencina et al. 2008, table II: HDL cholesterol in the Framingham study
    found = net_reclassification(*moved((183, 29, 7), (3081, 173, 174)), 0.95)
    assert found is not None
    assert found.net == pytest.approx(22 / 183 + 1 / 3081)
    assert found.statistic == pytest.approx(3.616, abs=0.001)
    assert found.p_value is not None
    assert found.p_value < 0.001
    share = 22 / 183
    variance = (36 / 183 - share**2) / 183
    assert found.events.interval is not None
    assert found.events.interval.low == pytest.approx(share - 1.959963985 * math.sqrt(variance))


def test_the_interval_is_that_of_the_mean_move_by_simulation() -> None:
    rng, hits = np.random.default_rng(3), 0
    for _ in range(800):
        event = np.array([True] * 60 + [False] * 90)
        move = np.where(event, rng.choice([1, -1, 0], 150, p=[0.3, 0.1, 0.6]),
                        rng.choice([1, -1, 0], 150, p=[0.1, 0.2, 0.7]))  # fmt: skip
        found = net_reclassification(event, move, 0.95)
        assert found is not None
        assert found.interval is not None
        hits += found.interval.low <= 0.3 <= found.interval.high
    assert 0.92 < hits / 800 < 0.98


def test_clusters_widen_and_equal_weights_do_not() -> None:
    event, move = moved((40, 12, 4), (60, 6, 12))
    plain = net_reclassification(event, move, 0.95)
    doubled = net_reclassification(
        np.repeat(event, 2), np.repeat(move, 2), 0.95, cluster=np.repeat(np.arange(100), 2)
    )
    weighted = net_reclassification(event, move, 0.95, weight=np.full(100, 3.0))
    assert plain is not None
    assert doubled is not None
    assert weighted is not None
    widths = []
    for found in (plain, doubled, weighted):
        assert found.net == pytest.approx(plain.net)
        assert found.interval is not None
        widths.append(found.interval.high - found.interval.low)
    assert widths[1] == pytest.approx(widths[0] * math.sqrt(100 / 99))
    assert widths[2] == pytest.approx(widths[1])


def test_no_moves_and_one_class() -> None:
    still = net_reclassification([True, False], [0, 0], 0.95)
    assert still is not None
    assert (still.net, still.interval, still.p_value) == (0.0, None, None)
    assert net_reclassification([True, True], [1, 0], 0.95) is None


def rows() -> dict[str, list[Any]]:
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 2, 120)
    return {
        "y": ["yes" if t else "no" for t in truth],
        "a": np.clip(0.3 * truth + rng.uniform(0, 0.7, 120), 0, 1).tolist(),
        "b": np.clip(0.2 * truth + rng.uniform(0, 0.8, 120), 0, 1).tolist(),
        "c": [f"c{k // 3}" for k in range(120)],
    }


def run(**more: Any) -> dict[str, Any]:
    spec = {
        "evalreport": 1,
        "title": "moves",
        "datasets": {"d": {"target": "y", **more.pop("roles", {})}},
        "models": {"new": {"score": "a"}, "old": {"score": "b"}},
        "metrics": ["recall", "specificity", "youden_j"],
        "comparisons": {"reference": "old", "net_reclassification": True,
                        **more.pop("comparisons", {})},
        **more,
    }  # fmt: skip
    return evalreport.run(spec, frames={"d": rows()}).json


def test_the_sum_is_the_difference_of_recall_and_of_specificity() -> None:
    results = run()
    (record,) = results["reclassification"]
    differences = {c["metric"]: c["difference"] for c in results["comparisons"]}
    assert (record["model"], record["reference"], record["label"]) == ("new", "old", "yes")
    assert record["events"]["net"] == pytest.approx(differences["recall"])
    assert record["nonevents"]["net"] == pytest.approx(differences["specificity"])
    assert record["net"] == pytest.approx(differences["youden_j"])
    assert record["interval"]["low"] < record["net"] < record["interval"]["high"]
    jsonschema.validate(results, results_schema())
    assert recompute(results).problems == ()


def test_it_is_given_only_where_it_was_asked_for() -> None:
    assert "reclassification" not in run(comparisons={"net_reclassification": False})


def test_clusters_are_named_in_the_interval() -> None:
    results = run(roles={"cluster": "c"})
    (record,) = results["reclassification"]
    assert record["interval"]["method"] == "cluster_robust"
    assert recompute(results).problems == ()


@pytest.mark.parametrize("place", ["net", "up"])
def test_a_changed_number_is_found(place: str) -> None:
    results = copy.deepcopy(run())
    (record,) = results["reclassification"]
    part = record if place == "net" else record["events"]
    part[place] += 1
    assert any("reclassification[0] " in str(p) for p in recompute(results).problems)


@pytest.mark.long
def test_another_dataset_is_no_reference_for_it() -> None:
    results = evalreport.run(
        {
            "evalreport": 1, "title": "t",
            "datasets": {n: {"target": "y"} for n in "de"},
            "models": {"m": {"score": "a"}}, "metrics": ["recall"],
            "comparisons": {"reference": {"dataset": "e"}, "net_reclassification": True},
        },
        frames={"d": rows(), "e": rows()},
    ).json  # fmt: skip
    for record in results["reclassification"]:
        assert record["net"] is None
        assert "the same rows under two models" in record["reason"]
    jsonschema.validate(results, results_schema())
    assert recompute(results).problems == ()
    section = next(s for s in build(results).sections if s.id == "comparisons")
    table = next(b for b in section.blocks
                 if isinstance(b, TableBlock) and b.caption == "Net reclassification")  # fmt: skip
    assert "the same rows under two models" in table.notes[0]


def test_the_report_prints_the_moves_with_their_counts() -> None:
    results = run()
    (record,) = results["reclassification"]
    section = next(s for s in build(results).sections if s.id == "comparisons")
    table = next(b for b in section.blocks
                 if isinstance(b, TableBlock) and b.caption == "Net reclassification")  # fmt: skip
    events, others, total = table.lines
    assert events.cells[1:5] == (
        "actual yes", str(record["events"]["n"]), str(record["events"]["up"]),
        str(record["events"]["down"]),
    )  # fmt: skip
    assert others.cells[1] == "the others"
    assert total.strong
    assert "read it with recall" in table.notes[0]


@pytest.mark.long
def test_margins_are_printed_with_what_they_rule_out() -> None:
    results = run(comparisons={"margins": {"recall": 0.9, "specificity": 0.001}})
    section = next(s for s in build(results).sections if s.id == "comparisons")
    table = next(b for b in section.blocks
                 if isinstance(b, TableBlock) and b.caption == "Non-inferiority")  # fmt: skip
    told = {row.cells[0]: (row.cells[7], row.cells[8]) for row in table.lines}
    known = {c["title"]: c["non_inferior"] for c in results["comparisons"]
             if c.get("margin") is not None}  # fmt: skip
    assert told["Recall"] == ("0.9", "yes")
    assert known["Recall"] is True
    assert told["Specificity"][1] == ("yes" if known["Specificity"] else "not shown")
    assert table.lines[0].cells[2] == "120" or table.lines[0].cells[2].isdigit()


def test_a_note_says_that_p_and_limits_disagree_and_verify_finds_where_it_is_gone() -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 24)
    first = (rng.random(24) < np.where(y, 0.7, 0.4)).astype(int)
    second = (rng.random(24) < np.where(y, 0.45, 0.5)).astype(int)
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"one": {"prediction": "p"}, "two": {"prediction": "q"}},
        "metrics": ["recall"],
        "comparisons": {"reference": "one", "net_reclassification": True},
    }
    found = evalreport.run(spec, frames={"d": {"y": y, "p": first, "q": second}}).json
    (record,) = found["reclassification"]
    assert record["p_value"] > 0.05
    assert record["interval"]["high"] < 0
    assert "two methods and disagree" in record["note"]
    assert recompute(found).problems == ()
    del record["note"]
    assert any("note" in str(problem) for problem in recompute(found).problems)
