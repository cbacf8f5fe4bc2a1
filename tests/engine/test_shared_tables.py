"""A table is built once, however many metrics, averages and thresholds ask for it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

import evalreport
from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.read_and_plan import prepare
from evalreport.engine.run import evaluate
from evalreport.engine.run_state import RunState
from evalreport.results.identity import Slice
from evalreport.spec.load import parse_spec

COLUMNS = {
    "y": ["no", "yes", "no", "yes", "no", "yes", "no", "yes"],
    "s": [0.1, 0.9, 0.4, 0.6, 0.7, 0.2, 0.3, 0.8],
    "sex": ["F", "F", "F", "F", "M", "M", "M", "M"],
}
METRICS = ["accuracy", "recall", "precision", "f1", "mcc", "kappa", "roc_auc", "brier", "ks"]


def _builds(monkeypatch: Any, spec: dict[str, Any]) -> Any:
    """Run a spec and return the tables object of its only model."""
    seen: list[RunState] = []
    original = RunState.__init__

    def remember(self: RunState, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        seen.append(self)

    monkeypatch.setattr(RunState, "__init__", remember)
    loaded = parse_spec(json.dumps(spec), "spec", frames=("d",))
    evaluate(prepare(loaded, {"d": COLUMNS}), "2026-01-01T00:00:00Z")
    return next(iter(seen[0].tables.values())).built


def _spec(**more: Any) -> dict[str, Any]:
    return {
        "evalreport": 1,
        "title": "shared",
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"score": "s"}},
        "confidence": {"resamples": 20},
        "metrics": METRICS,
        **more,
    }


def test_one_sort_and_one_score_table_for_all_metrics(monkeypatch: Any) -> None:
    built = _builds(monkeypatch, _spec())
    assert built["sort"] == 1
    assert built["scores"] == 1
    assert built["classification"] == 1


def test_more_metrics_and_averages_build_no_more_tables(monkeypatch: Any) -> None:
    few = _builds(monkeypatch, _spec(metrics=["accuracy"]))
    many = _builds(monkeypatch, _spec(averaging=["none", "macro", "micro", "weighted"]))
    assert few["classification"] == many["classification"] == 1
    assert few["sort"] == many["sort"] == 1


def test_each_threshold_and_subgroup_adds_one_table(monkeypatch: Any) -> None:
    built = _builds(monkeypatch, _spec(thresholds=[0.3, 0.5, 0.7], subgroups=["sex"]))
    slices, thresholds = 3, 3
    assert built["classification"] == slices * thresholds
    assert built["scores"] == slices
    assert built["sort"] == 1


def test_the_same_subgroup_asked_for_twice_is_counted_once() -> None:
    once = evalreport.run(_spec(subgroups=["sex"]), frames={"d": COLUMNS}).json
    twice = evalreport.run(_spec(subgroups=["sex", "sex"]), frames={"d": COLUMNS}).json
    assert len(once["measures"]) == len(twice["measures"])
    assert once["tables"] == twice["tables"]


def test_the_plan_counts_the_tasks_that_share_a_table() -> None:
    import json

    loaded = parse_spec(json.dumps(_spec()), "spec", frames=("d",))
    plan = prepare(loaded, {"d": COLUMNS}).plan
    shared = plan.tables()
    assert sum(shared.values()) == len(plan.tasks) == len(METRICS)
    # accuracy, recall, precision, F1 and MCC need the four cells; kappa the matrix of the
    # same table; the rest the score table
    assert sorted(shared.values()) == [1, 3, 5]


def test_the_hash_of_the_plan_depends_on_what_is_asked_and_on_nothing_else() -> None:
    import json

    def sha(spec: dict[str, Any]) -> str:
        return prepare(parse_spec(json.dumps(spec), "s", frames=("d",)), {"d": COLUMNS}).plan.sha256

    assert sha(_spec()) == sha(_spec(title="another title"))
    assert sha(_spec()) != sha(_spec(thresholds=[0.4]))
    assert sha(_spec()) != sha(_spec(metrics=METRICS[:-1]))


def test_models_on_every_row_share_its_weights_and_the_places_of_its_rows(monkeypatch: Any) -> None:
    columns = {**COLUMNS, "w": [1.0, 2.0, 0.5, 1.0, 1.0, 3.0, 1.0, 1.0], "c": list("aabbccdd")}
    spec = _spec(models={"m": {"score": "s"}, "o": {"score": "s"}}, subgroups=["sex"])
    spec["datasets"] = {"d": {"target": "y", "weight": "w", "cluster": "c"}}
    prepared = prepare(parse_spec(json.dumps(spec), "spec", frames=("d",)), {"d": columns})
    one, two = prepared.views
    for name in ("weight", "row"):
        assert np.shares_memory(getattr(one, name), getattr(two, name))
    assert np.shares_memory(one.cluster[0], two.cluster[0])


def test_entries_are_the_places_of_scores_in_the_table_of_their_slice() -> None:
    prepared = prepare(
        parse_spec(json.dumps(_spec(subgroups=["sex"])), "spec", frames=("d",)), {"d": COLUMNS}
    )
    (view,) = prepared.views
    tables = MemoryTables(view)
    men = Slice((("sex", "M"),))
    # of the four men, by their scores from the highest on: 0.8, 0.7, 0.3, 0.2
    assert tables.entries(men)[4:].tolist() == [1, 3, 2, 0]
    assert tables.scores(men).scores[tables.entries(men)[4:]].tolist() == COLUMNS["s"][4:]
    assert tables.ranked().ranks.tolist() == [0, 7, 3, 4, 5, 1, 2, 6]
