"""Every test and interval of a difference that is declared can be asked for, and is given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evalreport
from evalreport.metrics.catalogue import find
from evalreport.metrics.methods import Family, known_intervals, known_tests, methods_of
from evalreport.spec.load import parse_spec

#: A metric of each family that is compared alike.
METRIC = {
    "ROWS": "recall",
    "CALLS": "precision",
    "AREA": "roc_auc",
    "MEAN": "brier",
    "SHARES": "f1",
    "OTHER": "average_precision",
}


def frame(found: int, ill: int, healthy: int) -> dict[str, list[Any]]:
    """``found`` of ``ill`` rows are called ill at 0.5, and 5 of the healthy ones."""
    truth = ["ill"] * ill + ["healthy"] * healthy
    first = [0.6 + 0.3 * k / ill if k < found else 0.2 + 0.2 * k / ill for k in range(ill)]
    first += [0.55 if k < 5 else 0.1 + 0.3 * k / healthy for k in range(healthy)]
    second = [min(0.95, abs(p + (-0.25 if k % 7 == 0 else 0.02))) for k, p in enumerate(first)]
    return {"y": truth, "p": first, "q": second}


# 56 of 70 against 48 of 80: the example of Newcombe 1998 (Statistics in Medicine 17, 873-890)
FRAMES = {"new": frame(56, 70, 60), "old": frame(48, 80, 70)}


def run(reference: Any, **asked: Any) -> list[dict[str, Any]]:
    spec = {
        "evalreport": 1,
        "positive": {"label": "ill"},
        "datasets": {name: {"target": "y"} for name in FRAMES},
        "models": {"m": {"score": "p"}, "n": {"score": "q"}},
        "metrics": sorted(set(METRIC.values())),
        "confidence": {"resamples": 200},
        "comparisons": {"reference": reference, **asked},
    }
    found: list[dict[str, Any]] = evalreport.run(spec, frames=FRAMES).json["comparisons"]
    return found


def methods(paired: bool, place: int) -> list[tuple[str, str]]:
    return [
        (METRIC[family.name], name)
        for family in Family
        if family.name in METRIC
        for name in methods_of(family, paired=paired)[place]
    ]


def every_name(place: int) -> set[str]:
    return {name for paired in (True, False) for _, name in methods(paired, place)}


@pytest.mark.long_but_first
@pytest.mark.parametrize("place", [0, 1], ids=["tests", "intervals"])
@pytest.mark.parametrize("paired", [True, False], ids=["models", "datasets"])
def test_every_declared_method_is_given_as_asked(paired: bool, place: int) -> None:
    wanted = methods(paired, place)
    # one run for as many methods as each metric has: one of each at a time
    rounds: list[dict[str, str]] = []
    for metric, name in wanted:
        free = next((r for r in rounds if metric not in r), None)
        if free is None:
            rounds.append(free := {})
        free[metric] = name
    key = "tests" if place == 0 else "methods"
    for asked in rounds:
        found = run("m" if paired else {"dataset": "old"}, **{key: asked})
        for metric, name in asked.items():
            own = [c for c in found if c["metric"] == metric]
            assert own
            for record in own:
                if place == 0:
                    assert (record["test"], record["reason"]) == (name, None)
                    assert 0 <= record["p_value"] <= 1
                else:
                    assert record["interval"]["method"] == name, (metric, name)
                    assert record["interval"]["low"] <= record["difference"]
                    assert record["difference"] <= record["interval"]["high"]


def test_limits_of_newcombes_table_of_two_samples() -> None:
    """Newcombe 1998, table II, example (a): 56 of 70 and 48 of 80, to four decimals."""
    published = {
        "wald": (0.0575, 0.3425),
        "wald_cc": (0.0441, 0.3559),
        "mee": (0.0533, 0.3377),
        "miettinen_nurminen": (0.0528, 0.3382),
        "newcombe_hybrid": (0.0524, 0.3339),
        "newcombe_hybrid_cc": (0.0428, 0.3422),
    }
    for method, (low, high) in published.items():
        found = run({"dataset": "old"}, methods={"recall": method})
        record = next(c for c in found if c["metric"] == "recall" and c["model"] == "m")
        limits = record["interval"]
        assert (limits["low"], limits["high"]) == pytest.approx((low, high), abs=5.1e-5), method
    assert record["model_fraction"] == [56, 70]
    assert record["reference_fraction"] == [48, 80]


def test_what_is_declared_can_be_written_and_nothing_else() -> None:
    """The spec takes each method of either kind of reference for a metric that has it."""
    for place, (every, key) in enumerate(((known_tests, "tests"), (known_intervals, "methods"))):
        for paired in (True, False):
            reference = "m" if paired else "{dataset: old}"
            for metric, name in methods(paired, place):
                declared = find(metric)
                assert declared is not None
                assert name in every(declared)
                text = (
                    "evalreport: 1\ndatasets: {new: {path: a.csv, target: y}, "
                    "old: {path: b.csv, target: y}}\nmodels: {m: {score: p}, n: {score: q}}\n"
                    f"metrics: [{metric}]\n"
                    f"comparisons: {{reference: {reference}, {key}: {{{metric}: {name}}}}}\n"
                )
                assert parse_spec(text).notes == ()
    assert {
        "fisher_exact", "two_proportion_z", "delong_unpaired", "mcnemar_exact", "mcnemar_midp",
        "mcnemar", "mcnemar_corrected", "leisenring", "kosinski", "delong", "paired_t", "bootstrap",
    } <= every_name(0)  # fmt: skip
    assert {
        "miettinen_nurminen", "newcombe_hybrid", "newcombe_hybrid_cc", "mee", "agresti_caffo",
        "wald_cc", "delong_unpaired", "newcombe", "newcombe_uncorrected", "wald", "agresti_min",
        "tango", "delong", "paired_t", "bootstrap_percentile",
    } <= every_name(1)  # fmt: skip


def test_a_method_for_another_kind_of_reference_is_questioned_and_named() -> None:
    text = (
        "evalreport: 1\ndatasets: {new: {path: a.csv, target: y}, old: {path: b.csv, target: y}}\n"
        "models: {m: {score: p}, n: {score: q}}\nmetrics: [recall]\n"
        "comparisons: {reference: REF, tests: {recall: TEST}}\n"
    )
    (note,) = parse_spec(text.replace("REF", "m").replace("TEST", "fisher_exact")).notes
    assert "fisher_exact compares two datasets" in str(note)
    text = text.replace("REF", "{dataset: old}")
    (note,) = parse_spec(text.replace("TEST", "mcnemar_exact")).notes
    assert "mcnemar_exact compares two models on the same rows" in str(note)
    found = run({"dataset": "old"}, tests={"recall": "mcnemar_exact"})
    record = next(c for c in found if c["metric"] == "recall")
    assert record["test"] == "mcnemar_exact"
    assert record["p_value"] is None
    assert "mcnemar_exact is not defined for" in record["reason"]


def test_the_page_of_methods_lists_them() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "methods.md").read_text("utf-8")
    for place in (0, 1):
        for name in every_name(place):
            assert f"`{name}`" in page, name
