"""One metric has one method in a report: in every slice, for every model, for every difference."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from laws.test_values_in_intervals import DESIGNS, METRICS, frame
from ready_specs import CONFIGS, prepared, results_of
from stress.stress_specs import SPECS

import evalreport
from evalreport.engine.read_and_plan import prepare
from evalreport.engine.run import evaluate
from evalreport.results.codec import encode
from evalreport.spec.load import load_spec

pytestmark = pytest.mark.long
#: Reports with clusters, indeterminate rows, few rows, sets of labels, costs, periods.
STRAINED = ("clustered reader", "eight rows", "sets of labels", "weights of cells", "twelve months")
#: The fold of a mean over folds, which is another number than that of one fold.
MEAN = "mean"


def methods_of(found: dict[str, Any]) -> dict[tuple[Any, ...], set[str]]:
    """The methods in results, by what they are of: values, differences, gaps."""
    methods = defaultdict(set)
    for m in found["measures"]:
        if m["interval"] is not None:
            part = "value", m["dataset"], m["metric"], m["average"], m["fold"] == MEAN
            methods[part].add(m["interval"]["method"])
    for c in found.get("comparisons") or ():
        if c["interval"] is not None:
            part = "difference", c["dataset"], c["metric"], c["average"], c["fold"] == MEAN
            methods[*part, c["paired"]].add(f"{c['test']} beside {c['interval']['method']}")
    for g in found.get("subgroup_gaps") or ():
        if g["gap_interval"] is not None:
            part = "gap", g["dataset"], g["metric"], g["average"], False
            methods[*part, g["against"]].add(g["gap_interval"]["method"])
    return methods


def several(methods: dict[tuple[Any, ...], set[str]]) -> dict[tuple[Any, ...], set[str]]:
    """What has more than one method."""
    return {part: names for part, names in methods.items() if len(names) > 1}


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_the_ready_reports_have_one_method_for_one_metric_which_is_the_planned_one(
    path: Path,
) -> None:
    found = results_of(path)
    methods = methods_of(found)
    assert methods
    assert several(methods) == {}
    planned = defaultdict(set)
    for task in prepared(path).plan.tasks:
        planned[task.dataset, task.metric, task.average].add(task.interval)
    for (part, dataset, metric, average, mean, *_), names in methods.items():
        if part == "value" and not mean and (dataset, metric, average) in planned:
            assert names <= planned[dataset, metric, average]


@pytest.mark.parametrize("name", STRAINED)
def test_strained_reports_have_one_method_for_one_metric(name: str, tmp_path: Path) -> None:
    found = encode(evaluate(prepare(load_spec(SPECS[name](tmp_path))), "2026-11-21T12:00:00Z"))
    assert several(methods_of(found)) == {}


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_methods_of_gaps_and_of_means_over_folds_are_planned(path: Path) -> None:
    planned = " ".join(map(str, prepared(path).plan.planned))
    for (part, _, _, _, mean, *_), names in methods_of(results_of(path)).items():
        if part == "gap" or (part == "difference" and mean):
            assert all(name.split(" beside ")[-1] in planned for name in names)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: "-".join(d) or "plain")
@pytest.mark.parametrize("methods", ["default", "classical"])
@pytest.mark.parametrize("classes", [2, 3])
def test_nights_of_any_size_have_one_method_for_one_metric(
    design: dict[str, Any], methods: str, classes: int
) -> None:
    """Values, differences and gaps of four nights, whose rows hold what they hold."""
    models: dict[str, Any] = {"says": {"prediction": "p"}, "other": {"prediction": "q"}}
    if classes == 2:
        models |= {"scores": {"score": "s"}, "perfect": {"score": "t"}}
    found, labels = defaultdict(set), [str(k) for k in range(classes)]
    for seed, rows in enumerate((9, 21, 60, 400)):
        columns = frame(seed, rows, classes)
        columns["p"] = [labels[0] if says == "unsure" else says for says in columns["p"]]
        columns["q"] = columns["p"][1:] + columns["p"][:1]
        columns["t"] = [float(y == str(classes - 1)) for y in columns["y"]]
        dataset = {"target": "y", "labels": labels, **design}
        spec = {
            "evalreport": 1,
            "title": "night",
            "datasets": {"d": dataset},
            "models": models,
            "metrics": METRICS,
            "averaging": ["none", "macro"],
            "subgroups": ["g"],
            "comparisons": {"reference": "says"},
            "confidence": {"methods": methods} if methods == "classical" else {},
        }
        for part, names in methods_of(evalreport.run(spec, frames={"d": columns}).json).items():
            found[part] |= names
    assert found
    assert several(found) == {}
