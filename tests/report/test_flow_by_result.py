"""The flow of the clinical template: by result of the test, with numbers that add up."""

from __future__ import annotations

import re

import pytest
from plain_results import build, render_html
from report.example_results import many_classes, two_models
from report.html_page import parse

import evalreport
from evalreport.report.model import Flow


def flows(results, template="clinical"):
    return [b for s in build(results, template).sections for b in s.blocks if isinstance(b, Flow)]


def number(text):
    return int(re.match(r"[\d\u202f]+", text)[0].replace("\u202f", ""))


def added_up(flow):
    """Holds every sum of a flow; rows by name of result."""
    read, excluded, used = (number(step.count) for step in flow.steps)
    assert read == used + excluded
    assert excluded == sum(number(part) for part in flow.steps[1].parts)
    found = []
    for branch in flow.branches:
        for step in branch.steps:
            assert number(step.count) == sum(number(part) for part in step.parts)
        whole = sum(number(step.count) for step in branch.steps)
        assert used <= whole <= read
        found.append({step.name: step for step in branch.steps})
    return found


@pytest.mark.parametrize("make", [two_models, lambda: many_classes(4)])
def test_every_sum_holds(make):
    assert any(added_up(flow) for flow in flows(make()))


def test_of_many_classes_the_tables_say_it():
    (flow,) = flows(many_classes(5))
    assert flow.branches == ()
    assert flow.note == ""


def test_other_templates_keep_the_flow_of_rows():
    for flow in flows(two_models(), "audit"):
        assert (flow.branches, flow.apart, flow.note) == ((), (), "")


@pytest.fixture(scope="module")
def with_gaps(tmp_path_factory):
    """Rows with no result, without a reference, with neither, and a result that is neither."""
    folder = tmp_path_factory.mktemp("gaps")
    rows = ["person,truth,said"]
    kinds = {
        ("ill", "ill"): 6, ("ill", "well"): 2, ("well", "ill"): 1, ("well", "well"): 7,
        ("ill", "unsure"): 3, ("well", "unsure"): 1, ("ill", ""): 2, ("", "ill"): 4,
        ("", "well"): 1, ("", ""): 1,
    }  # fmt: skip
    for (truth, said), count in kinds.items():
        rows += [f"p{len(rows) + k - k % 2},{truth},{said}" for k in range(count)]
    (folder / "rows.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return evalreport.run(
        {
            "evalreport": 1,
            "datasets": {
                "study": {
                    "path": str(folder / "rows.csv"), "target": "truth", "cluster": "person",
                    "labels": ["well", "ill"], "indeterminate": ["unsure"], "missing": "exclude",
                }
            },
            "positive": {"label": "ill"},
            "models": {"test": {"prediction": "said"}},
            "metrics": ["recall", "specificity"],
        },
        at="2026-11-21",
    ).json  # fmt: skip


def test_results_conditions_and_what_is_missing_are_told_apart(with_gaps):
    (flow,) = flows(with_gaps)
    (found,) = added_up(flow)
    assert {name: step.count for name, step in found.items()} == {
        "test positive (ill)": "11",
        "test negative (well)": "10",
        "indeterminate (unsure)": "4",
        "no test result": "3",
    }
    assert found["test positive (ill)"].parts == (
        "6 target condition present (ill)",
        "1 target condition absent (well)",
        "4 without reference standard",
    )
    assert found["no test result"].parts[-1] == "1 without reference standard"
    assert sum(number(step.count) for step in found.values()) == number(flow.steps[0].count)
    assert "excluded for lack of a result" in flow.note


def test_persons_are_counted_apart_from_rows(with_gaps):
    (flow,) = flows(with_gaps)
    (persons,) = flow.apart
    assert persons.name == "clusters by person, of the rows used"
    assert number(persons.count) == with_gaps["rows"][0]["clusters"]
    assert number(persons.count) < with_gaps["rows"][0]["used"]
    assert not any("cluster" in part for part in flow.steps[2].parts)
    page = parse(render_html(with_gaps, "clinical"))
    assert "no test result" in page.text
    assert "Rows read = rows excluded + rows used" in page.text


def test_another_test_is_no_reference_standard(with_gaps):
    spec = with_gaps["spec"]
    study = spec["datasets"]["study"] | {"benchmark": "non_reference"}
    changed = with_gaps | {"spec": spec | {"datasets": {"study": study}}}
    (flow,) = flows(changed)
    (found,) = added_up(flow)
    assert found["test positive (ill)"].parts[0] == "6 other test ill"
