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
    return methods | of_ratios(found)


def of_ratios(found: dict[str, Any]) -> dict[tuple[Any, ...], set[str]]:
    """The same of ratios, of the widest gaps and of rates of selection."""
    methods = defaultdict(set)

    def add(part: str, one: dict[str, Any], own: dict[str, Any] | None, *more: Any) -> None:
        if own is not None:
            key = part, one["dataset"], one.get("metric"), one.get("average"), False
            methods[*key, *more].add(own["method"])

    for c in found.get("comparisons") or ():
        add("ratio", c, (c.get("ratio") or {}).get("interval"), c["paired"])
    for g in found.get("subgroup_gaps") or ():
        add("ratio of gap", g, g["ratio_interval"], g["against"])
    for h in found.get("heterogeneity") or ():
        add("widest gap", h, (h.get("widest") or {}).get("interval"))
    for i in found.get("impact") or ():
        for category in i["categories"]:
            add("impact", i, category["interval"])
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
    groups = ("gap", "ratio of gap", "widest gap", "impact")
    for (part, _, _, _, mean, *_), names in methods_of(results_of(path)).items():
        if part in groups or (part == "difference" and mean):
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


def test_the_plan_names_the_limits_of_ratios(tmp_path: Path) -> None:
    rows = "1,1,1\n1,1,0\n1,0,0\n0,0,1\n0,1,0\n0,0,0\n" * 9
    (tmp_path / "rows.csv").write_text(f"y,p,q\n{rows}", encoding="utf-8")
    (tmp_path / "spec.yaml").write_text(
        "evalreport: 1\ndatasets: {d: {path: rows.csv, target: y}}\n"
        "models: {one: {prediction: p}, two: {prediction: q}}\n"
        "metrics: [recall, precision, accuracy]\n"
        "comparisons: {reference: one, ratios: [recall, precision]}\n",
        encoding="utf-8",
    )
    run = prepare(load_spec(tmp_path / "spec.yaml"))
    named = {task.task.metric: task.ratio for task in run.plan.comparisons}
    assert named == {"recall": "alonzo", "precision": "moskowitz_pepe", "accuracy": ""}
    done = encode(evaluate(run, "2026-11-21T12:00:00Z"))["comparisons"]
    ratios = {c["metric"]: c["ratio"]["interval"] for c in done if c.get("ratio")}
    assert {name: own["method"] for name, own in ratios.items()} == {
        name: method for name, method in named.items() if method
    }


@pytest.mark.parametrize("role", ["", ", weight: w", ", cluster: c"])
def test_the_plan_names_the_test_and_limits_of_net_reclassification(
    role: str, tmp_path: Path
) -> None:
    rows = [f"{k % 2},{k % 3 > 0:d},{k % 5 > 1:d},{1 + k % 4},{k // 3}" for k in range(60)]
    (tmp_path / "rows.csv").write_text("\n".join(["y,p,q,w,c", *rows]), encoding="utf-8")
    (tmp_path / "spec.yaml").write_text(
        "evalreport: 1\nmetrics: [recall]\n"
        f"datasets: {{d: {{path: rows.csv, target: y{role}}}}}\n"
        "models: {one: {prediction: p}, two: {prediction: q}}\n"
        "comparisons: {reference: one, net_reclassification: true}\n",
        encoding="utf-8",
    )
    run = prepare(load_spec(tmp_path / "spec.yaml"))
    (asked,) = [one for one in run.plan.requests if one.what == "net reclassification"]
    (done,) = encode(evaluate(run, "2026-11-21T12:00:00Z"))["reclassification"]
    assert asked.how == f"{done['test']} and {done['interval']['method']}"
