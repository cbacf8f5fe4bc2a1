"""Runs that another version of the program made: its keys and defaults are not those of today."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from schedules.nights import version_of
from schedules.weekly_runs import SPEC, audit

from evalreport.cli import status_of
from evalreport.metrics.declare import Metric
from evalreport.metrics.kinds import Average
from evalreport.plan import build
from evalreport.plan.inputs import Facts
from evalreport.plan.methods import choose
from evalreport.runs.diff import differences
from evalreport.runs.recorded import read_recorded
from evalreport.spec import load
from evalreport.spec.model import Spec
from evalreport.verify.recompute import recompute
from evalreport.verify.recorded_spec import spec_problems

GOOD = (40, 10, 10, 90)


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """A run of an earlier version, which knew a key less and a key more, and one of today."""
    now = load.resolved

    def then(spec: Spec, *, defaults: bool = True) -> dict[str, Any]:
        found = now(spec, defaults=defaults)
        found.pop("engine")
        return {**found, "left_out_since": [1]}

    with monkeypatch.context() as patched, version_of("0.0.9"):
        patched.setattr(load, "resolved", then)
        assert audit(tmp_path, GOOD, 1) == 0
    assert audit(tmp_path, GOOD, 2) == 0
    return sorted(p for p in (tmp_path / "runs").iterdir() if p.name[0] == "2")


def test_runs_of_an_earlier_version_are_verified(runs: list[Path]) -> None:
    """An upgrade alters no run."""
    assert "left_out_since" in read_recorded(runs[0]).results.spec
    assert status_of(["verify", str(runs[0].parent)]) == 0
    assert status_of(["verify", str(runs[0])]) == 0


def test_limits_are_made_again_by_the_method_that_another_version_names(
    runs: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def planned_now(metric: Metric, average: Average | None, facts: Facts, _asked: object) -> Any:
        return choose(metric, average, facts, "clopper_pearson")

    monkeypatch.setattr(build, "choose", planned_now)
    results = read_recorded(runs[0]).results
    assert recompute(results).problems == ()
    first = results.measures[0]
    assert first.interval is not None
    assert first.interval.method == "wilson"
    own = replace(first, interval=replace(first.interval, low=first.interval.low + 0.01))
    (problem,) = recompute(replace(results, measures=(own, *results.measures[1:]))).problems
    assert "interval.low is" in problem.what
    assert problem.what.endswith("(made by version 0.0.9)")


@pytest.mark.parametrize(
    "wrong",
    [
        {"positive": {"label": "well"}},
        {"metrics": ["recall", "specificity", "accuracy", "f1"]},
        {"acceptance": [{"metric": "recall", "at_least": 0.6}]},
        {"models": {"model": {}}},
    ],
    ids=lambda one: str(*one),
)
def test_what_the_text_states_is_held_against_it_under_any_version(
    runs: list[Path], wrong: dict[str, Any]
) -> None:
    results = read_recorded(runs[0]).results
    assert list(spec_problems(results)) == []
    altered = replace(results, spec={**results.spec, **wrong})
    assert list(spec_problems(altered)) == [f"spec.{key} is not what the text of the spec gives"
                                            for key in wrong]  # fmt: skip


def test_under_one_version_a_default_is_held_too(runs: list[Path]) -> None:
    results = read_recorded(runs[1]).results
    altered = replace(results, spec={**results.spec, "engine": {"name": "duckdb"}})
    assert list(spec_problems(altered)) == ["spec.engine is not what the text of the spec gives"]


def test_other_defaults_are_no_change_of_the_spec(runs: list[Path]) -> None:
    found = differences(*runs)
    assert found.spec == ()
    assert [one.key for one in found.versions] == ["evalreport"]


def test_a_change_of_the_text_is_told_with_the_version(runs: list[Path], tmp_path: Path) -> None:
    assert audit(tmp_path, GOOD, 3, spec=SPEC.replace("0.7", "0.75")) == 0
    newest = (tmp_path / "runs" / "latest").resolve()
    told = {one.key for one in differences(runs[0], newest).spec}
    assert "acceptance[0].at_least" in told
