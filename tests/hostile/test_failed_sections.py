"""61: one part that fails is shown as FAILED in its place, status 1, and the rest is as ever."""

from __future__ import annotations

from typing import Any

import pytest
from hostile.command import Workshop

from evalreport.verify.recompute import recompute

pytestmark = pytest.mark.long_but_first


ROWS = "y,s,t,sex,day\n" + "".join(
    f"{k % 2},{(k % 2) * 0.3 + (k % 7) / 10},{(k % 5) / 5},{'FM'[k % 3 == 0]},2026-0{k % 3 + 1}-01\n"
    for k in range(60)
)
MORE = """\
thresholds: [0.5, {maximize: youden_j}]
subgroups: [sex]
comparisons: {reference: other}
acceptance:
  - {metric: accuracy, at_least: 0.1, threshold: 0.5, model: m}
  - {metric: accuracy, reference: other, margin: 0.9, threshold: 0.5, model: m}
"""
#: The place of the work that fails, the section it is told in, and what its part of the
#: results is called.
PARTS = {
    "a measure": ("engine.measures.Measurer._of_scores", "roc_auc,comparisons", None),
    "curves": ("engine.run._curves", "curves", "curves"),
    "comparisons": ("engine.run.comparisons_of", "comparisons", "comparisons"),
    "comparisons with a run": ("engine.run.compared_with_run", "comparisons", None),
    "cautions": ("engine.cautions.scores._scored", "caution", None),
    "periods": ("engine.periods.changes.period_records", "periods", "periods"),
    "baselines": ("engine.run.baseline_records", "baselines", "baselines"),
    "gaps": ("engine.run.subgroup_gaps", "subgroups", "subgroup_gaps"),
    "thresholds": ("engine.run.solve", "thresholds", None),
    "criterion": ("engine.reference.criteria.against_reference", "criterion 2", None),
}


def fails(*_: Any, **__: Any) -> None:
    raise ZeroDivisionError("by a test")


def whole(workshop: Workshop, **options: Any) -> Any:
    workshop.file("a.csv", ROWS)
    workshop.spec(
        model="{score: s}\n  other: {score: t}",
        metrics="[accuracy, roc_auc]",
        dataset="period: {column: day, every: month}",
        more=MORE,
    )
    return workshop.done(**options)


@pytest.mark.long
@pytest.mark.parametrize("part", sorted(PARTS))
def test_a_part_that_fails_is_shown_and_the_rest_stands(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    place, section, key = PARTS[part]
    good = whole(workshop)
    assert good.results["failures"] == []
    monkeypatch.setattr(f"evalreport.{place}", fails)
    found = whole(workshop, status=1, formats="html")
    told = found.results["failures"]
    assert told
    assert {f["section"].split()[0] for f in told} == {s.split()[0] for s in section.split(",")}
    assert all(f["reason"] == "ZeroDivisionError: by a test" for f in told)
    assert "FAILED" in found.page
    assert "by a test" in found.page
    assert not found.results.get(key)
    rest = {"rows", "tables", "measures", "curves", "comparisons", "baselines", "acceptance"}
    changed = {k for k in rest if found.results[k] != good.results[k]}
    assert changed <= {key, *AFTER.get(part, ())}
    # a failure is no sign of a change: verify takes it for what it is
    monkeypatch.undo()
    assert [one.what for one in recompute(found.results).problems] == []


#: What hangs on a part and so changes with it.
AFTER = {
    "thresholds": ("tables", "measures", "curves", "comparisons", "acceptance"),
    "criterion": ("acceptance",),
    "a measure": ("measures", "comparisons"),
}
