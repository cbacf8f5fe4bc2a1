"""What the study held stands with differences, ratios and gaps: in memory and counted alike."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evalreport
from evalreport.cli import status_of
from evalreport.metrics.coverage_study import Drawn, held
from evalreport.results.records import Held, Interval
from evalreport.verify.recompute import recompute

Results = dict[str, Any]
#: Of differences all cells of the nearest place count, whatever the limits.
WIDE = Interval(0.95, -1.0, 1.0, "any")
METRICS = ["recall", "precision", "f1", "roc_auc", "brier"]
SPEC = """evalreport: 1
datasets:
  now: {path: now.csv, target: y}
  then: {path: then.csv, target: y}
positive: {label: ill}
models:
  one: {score: a}
  two: {score: b}
metrics: [recall, precision, f1, roc_auc, brier]
subgroups: [site]
largest_gap: true
confidence: {resamples: 50}
comparisons: {reference: two, ratios: [recall, precision]}
report: {formats: [json, html]}
"""
POSITIVES = {"now": 12, "then": 9}


def rows(name: str) -> list[dict[str, Any]]:
    rng = random.Random(name)
    found = []
    for k in range(100):
        ill = k < POSITIVES[name]
        a, b = (min(max(rng.gauss(0.6 if ill else 0.4, 0.15), 0.0), 1.0) for _ in range(2))
        place = "north" if k % 3 else "south"
        found.append({"y": "ill" if ill else "well", "a": a, "b": b, "site": place})
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("studied")
    for name in POSITIVES:
        lines = [f"{r['y']},{r['a']:.3f},{r['b']:.3f},{r['site']}" for r in rows(name)]
        (made / f"{name}.csv").write_text("\n".join(["y,a,b,site", *lines]) + "\n")
    (made / "ward.yaml").write_text(SPEC)
    return made


@pytest.fixture(scope="module")
def results(folder: Path) -> dict[str, Results]:
    found = {}
    for engine in ("memory", "duckdb"):
        runs = folder / engine
        args = ["run", str(folder / "ward.yaml"), "-o", str(runs), "--quiet", "--engine", engine]
        assert status_of(args) == 0
        found[engine] = json.loads((runs / "latest" / "results.json").read_text())
    return found


def held_by(interval: dict[str, Any] | None) -> Held | None:
    found = interval or {}
    if "held" not in found:
        return None
    return Held(found["held"], found["held_most"], found["held_cell"])


def studied(found: Results) -> dict[tuple[str, ...], Held | None]:
    """How often such limits as each interval of a difference has hold, by what it is of."""
    told: dict[tuple[str, ...], Held | None] = {}
    for c in found["comparisons"]:
        told["difference", c["dataset"], c["metric"]] = held_by(c["interval"])
        if c.get("ratio"):
            told["ratio", c["dataset"], c["metric"]] = held_by(c["ratio"]["interval"])
    for g in found["subgroup_gaps"]:
        key = (g["dataset"], g["model"], g["metric"], g["against"], g["subgroup"]["site"])
        told["gap", *key] = held_by(g["gap_interval"])
        told["gap ratio", *key] = held_by(g["ratio_interval"])
    for h in found["heterogeneity"]:
        told["widest", h["dataset"], h["model"], h["metric"]] = held_by(h["widest"]["interval"])
    return told


def sides(one: dict[str, Any], *names: str) -> tuple[float, float]:
    """Both values that are compared."""
    first, second = (one[name] for name in names or ("model_value", "reference_value"))
    return first, second


@pytest.mark.long
def test_differences_and_ratios_tell_the_cell_nearest_to_their_rows_and_values(
    results: dict[str, Results],
) -> None:
    told, values = studied(results["memory"]), {
        (c["dataset"], c["metric"]): sides(c) for c in results["memory"]["comparisons"]
    }  # fmt: skip
    for dataset, positives in POSITIVES.items():
        drawn = Drawn(positives, 100 - positives, "pairs")
        for metric in METRICS:
            both = values[dataset, metric]
            assert told["difference", dataset, metric] == held(metric, drawn, WIDE, "", both)
        both = values[dataset, "recall"]
        assert told["ratio", dataset, "recall"] == held("recall", drawn, WIDE, " ratio", both)


def test_gaps_tell_the_cell_of_the_smaller_group(results: dict[str, Results]) -> None:
    told = studied(results["memory"])
    # of 12 positives 4 are in the south, and 34 of 100 rows
    south = Drawn(4, 30, "groups")
    place = ("now", "one")
    values = {
        (g["metric"], g["against"], g["subgroup"]["site"]): sides(g, "value", "against_value")
        for g in results["memory"]["subgroup_gaps"]
        if (g["dataset"], g["model"]) == place
    }
    for metric in ("recall", "roc_auc"):
        key = metric, "largest group", "south"
        assert told["gap", *place, *key] == held(metric, south, WIDE, "", values[key])
    for kind, end in (("gap", " to all"), ("gap ratio", " ratio to all")):
        # what is left beside the larger group is the smaller one
        for site in ("north", "south"):
            key = "recall", "all rows", site
            assert told[kind, *place, *key] == held("recall", south, WIDE, end, values[key])
    ends = [values["recall", "all rows", site][0] for site in ("north", "south")]
    both = max(ends), min(ends)
    assert told["widest", *place, "recall"] == held("recall", south, WIDE, " widest", both)


def test_counted_rows_tell_the_same(results: dict[str, Results]) -> None:
    assert studied(results["duckdb"]) == studied(results["memory"])


@pytest.mark.long
def test_what_is_told_stands_on_the_page_and_is_verified(
    folder: Path, results: dict[str, Results]
) -> None:
    page = (folder / "memory" / "latest" / "report.html").read_text()
    assert "Limits of differences" in page
    found = results["memory"]
    low = [
        share
        for c in found["comparisons"]
        for own in [held_by((c.get("ratio") or {}).get("interval"))]
        if own is not None and own.low < 0.93
        for share in own[:2]
    ]
    found_in = re.search(r"ratios of two models.*?covers ([\d. to]+) %", page)
    assert found_in is not None
    ends = dict.fromkeys(f"{100 * one:.1f}" for one in (min(low), max(low)))
    assert found_in[1] == " to ".join(ends)
    assert recompute(found).problems == ()
    for place in (
        lambda r: r["comparisons"][0]["interval"],
        lambda r: r["comparisons"][0]["ratio"]["interval"],
        lambda r: r["subgroup_gaps"][0]["gap_interval"],
        lambda r: r["heterogeneity"][0]["widest"]["interval"],
    ):
        forged = json.loads(json.dumps(found))
        interval = place(forged)
        interval |= {"held": 0.95, "held_most": 0.95, "held_cell": "10 positives"}
        assert recompute(forged).problems, interval


def run(comparisons: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    spec = {
        "evalreport": 1,
        "datasets": {"now": {"target": "y", **more}, "then": {"target": "y", **more}},
        "positive": {"label": "ill"},
        "models": {"one": {"score": "a"}, "two": {"score": "b"}},
        "metrics": ["recall", "f1"],
        "confidence": {"resamples": 50},
        "comparisons": comparisons,
    }
    frames = {}
    for name in POSITIVES:
        own = rows(name)
        columns: dict[str, list[Any]] = {key: [r[key] for r in own] for key in own[0]}
        frames[name] = {**columns, "unit": [f"u{k % 20}" for k in range(100)], "w": [1.5] * 100}
    found: list[dict[str, Any]] = evalreport.run(spec, frames=frames).json["comparisons"]
    return found


def told_of(found: list[dict[str, Any]]) -> Held | None:
    return held_by(next(c for c in found if c["metric"] == "recall")["interval"])


def test_two_datasets_tell_the_smaller_one() -> None:
    found = run({"reference": {"dataset": "then"}, "ratios": ["recall"]})
    drawn = Drawn(9, 91, "two samples")
    recall = next(c for c in found if c["metric"] == "recall")
    both = sides(recall)
    assert told_of(found) == held("recall", drawn, WIDE, "", both)
    assert held_by(recall["ratio"]["interval"]) == held("recall", drawn, WIDE, " ratio", both)


def test_clusters_and_weights_have_cells_of_their_own() -> None:
    clustered = told_of(run({"reference": "two"}, cluster="unit"))
    weighted = told_of(run({"reference": "two"}, weight="w"))
    assert clustered is not None
    assert weighted is not None
    assert clustered.cell == "20 clusters, prevalence 0.1"
    assert weighted.cell == "10 positives with weights, prevalence 0.1"


def test_what_was_asked_for_tells_nothing() -> None:
    assert told_of(run({"reference": "two", "methods": {"recall": "tango"}})) is None


def test_averages_over_classes_have_cells_of_their_own() -> None:
    rng = np.random.default_rng(5)
    y = np.repeat(["a", "b", "c"], [12, 20, 30])
    columns = {"y": y}
    for name, right in (("p", 0.9), ("q", 0.8)):
        columns[name] = np.where(rng.random(62) < right, y, rng.choice(["a", "b", "c"], 62))
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"one": {"prediction": "p"}, "two": {"prediction": "q"}},
        "metrics": ["recall", "mcc"],
        "averaging": ["none", "macro"],
        "comparisons": {"reference": "one"},
    }
    found = {
        (c["metric"], c["average"], c["label"]): held_by(c["interval"])
        for c in evalreport.run(spec, frames={"d": columns}).json["comparisons"]
    }
    of_classes = found["recall", "macro", None], found["mcc", None, None]
    assert {own and own.cell for own in of_classes} == {"10 rows of the rarest class, share 0.333"}
    of_one = found["recall", None, "b"]
    assert of_one is not None
    assert of_one.cell == "20 positives, prevalence 0.5"
