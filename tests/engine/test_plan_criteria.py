"""The plan prints every criterion with all that it fixes, and its hash covers them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evalreport.engine.read_and_plan import prepare
from evalreport.plan.explain import explain
from evalreport.spec.load import load_spec

SPEC = """\
evalreport: 1
title: t
datasets: {d: {path: d.csv, target: y}}
models: {m: {score: s}, n: {score: s}}
metrics: [recall, roc_auc, {fbeta: {beta: 2}}]
subgroups: [g]
acceptance:
  - {metric: recall, at_least: 0.9, bound: lower, model: m, threshold: 0.5}
  - {metric: roc_auc, at_least: 0.8, subgroup: each}
  - {metric: {fbeta: {beta: 2}}, at_most: 0.99, subgroup: {g: a}}
  - {metric: roc_auc, reference: m, margin: 0.02, model: n}
"""


def plan(folder: Path, text: str) -> dict[str, Any]:
    (folder / "d.csv").write_text("y,s,g\nyes,0.9,a\nno,0.2,a\nyes,0.7,b\nno,0.6,b\n")
    (folder / "spec.yaml").write_text(text)
    prepared = prepare(load_spec(folder / "spec.yaml"))
    text = explain(prepared.plan, prepared.criteria_text())
    return {**prepared.plan.as_json(), "text": text}


def test_every_criterion_is_printed_in_full(tmp_path: Path) -> None:
    assert plan(tmp_path, SPEC)["criteria"] == [
        "lower limit of recall, model m, threshold 0.5 >= 0.9",
        "roc_auc, each subgroup >= 0.8",
        "fbeta(beta=2.0), g = a <= 0.99",
        "roc_auc, model n no worse than model m by more than 0.02",
    ]
    words = plan(tmp_path, SPEC)["text"]
    assert "4. roc_auc, model n no worse than model m by more than 0.02" in words
    assert words.rstrip().splitlines()[-1] == f"plan {plan(tmp_path, SPEC)['sha256']}"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0.9, bound: lower", "0.8, bound: lower"),
        ("bound: lower, ", ""),
        ("margin: 0.02", "margin: 0.03"),
        ("subgroup: {g: a}", "subgroup: {g: b}"),
    ],
)
def test_a_changed_criterion_changes_the_hash(tmp_path: Path, old: str, new: str) -> None:
    assert old in SPEC
    first = plan(tmp_path, SPEC)["sha256"]
    assert plan(tmp_path, SPEC)["sha256"] == first
    assert plan(tmp_path, SPEC.replace(old, new))["sha256"] != first


def test_a_column_with_dozens_of_values_is_told_before_it_is_computed(tmp_path: Path) -> None:
    rows = "".join(f"{'yes' if k % 3 else 'no'},0.{k},g{k}\n" for k in range(10, 50))
    (tmp_path / "d.csv").write_text("y,s,g\n" + rows)
    (tmp_path / "spec.yaml").write_text(SPEC.partition("acceptance")[0])
    found = prepare(load_spec(tmp_path / "spec.yaml")).plan
    # two models, three metrics, forty groups and all rows
    assert found.notes == ("d: g makes 40 groups and 240 of the 246 tasks",)
