"""Scores, thresholds and weights at the ends of the range of doubles: no bug of the program.

What has a number has it, what has none says so, and the page is drawn.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile.command import ENGINES, Workshop

from evalreport.metrics.tables import Matrix

pytestmark = pytest.mark.long_but_first


SCORES: dict[str, Callable[[int], str]] = {
    "1e28": lambda i: f"{i}e28",
    "1e300": lambda i: f"{i - 3}e300",
    "both ends": lambda i: ["1.7e308", "-1.7e308", "1.79e308"][i % 3],
    "smallest": lambda i: ["5e-324", "1e-310", "0", "1e-300"][i % 4],
    "everything": lambda i: ["1e300", "5e-324", "-1e300", "0.5"][i % 4],
    "one smallest": lambda i: "5e-324",
    "one largest": lambda i: "1.7976931348623157e308",
    "certain but for nothing": lambda i: ["5e-324", "1"][i % 2],
    "whole and large": lambda i: str(2**60 + i * 1000),
}
MORE = """\
thresholds: [0.5, 1.0e28, 1.0e300, -1.7e308, 1.7976931348623157e308, 5.0e-324]
confidence: {resamples: 50}
costs: {false_negative: 5, false_positive: 1}
prevalence: [0.1]
"""


def rows(score: Callable[[int], str]) -> str:
    return "y,s,t,w,g\n" + "".join(
        f"{'ab'[i * 7 % 3 == 0]},{score(i)},{score(i + 1)},{1 + i % 3},{'xy'[i % 2]}\n"
        for i in range(24)
    )


def numbers(value: Any) -> Any:
    if isinstance(value, dict):
        for one in value.values():
            yield from numbers(one)
    elif isinstance(value, list):
        for one in value:
            yield from numbers(one)
    elif isinstance(value, float):
        yield value


@pytest.mark.long
@pytest.mark.nightly_but_first
@pytest.mark.parametrize("kind", ["score", "margin"])
@pytest.mark.parametrize("name", sorted(SCORES))
def test_scores_at_the_ends(workshop: Workshop, name: str, kind: str) -> None:
    workshop.file("a.csv", rows(SCORES[name]))
    workshop.spec(
        model=f"{{{kind}: s}}\n  other: {{{kind}: t}}",
        metrics="[accuracy, recall, roc_auc, average_precision, ks, h_measure, brier, log_loss, ece, "
        "calibration_slope, calibration_in_the_large, oe_ratio, hosmer_lemeshow, hosmer_lemeshow_p, "
        "spiegelhalter_z, softmax_cost, squared_error, absolute_error, net_benefit, expected_cost, "
        "{partial_auc: {max_fpr: 0.2}}]",
        more=MORE + "subgroups: [g]\ncomparisons: {reference: other}\n",
    )
    found = workshop.run(formats="html,csv,markdown,junit,latex,model_index")
    assert found.status == 0, found.err
    results = found.results
    assert all(map(math.isfinite, numbers(results)))
    assert found.measure("accuracy", model="m", threshold=0.5, subgroup={})["denominator"] == 24
    area = found.measure("roc_auc", model="m", subgroup={})
    assert area["state"] == "value"
    assert (found.latest / "report.html").exists()
    assert "FAILED" not in found.page
    assert workshop.call("verify", found.latest).status == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_a_score_of_1e300_is_a_score(workshop: Workshop, engine: str) -> None:
    """1 of 2 positives above both negatives: an area of 0.75 by counting pairs."""
    workshop.file("a.csv", "y,s\nb,1e300\nb,-1e300\na,1e28\na,-1.7e308\n")
    workshop.spec(model="{score: s}", metrics="[roc_auc, accuracy]", more="thresholds: [1.0e29]\n")
    found = workshop.done(engine=engine, formats="html")
    assert found.measure("roc_auc")["value"] == 0.75
    assert found.measure("accuracy")["value"] == 0.75
    assert found.results["failures"] == []
    assert re.search(r"1e\+?29", found.page)


def test_a_statistic_beyond_all_numbers_is_undefined(workshop: Workshop) -> None:
    """(20 - 1e-322)^2 / 1e-322 is more than 1.8e308."""
    workshop.file("a.csv", "y,s\n" + "a,5e-324\nb,5e-324\n" * 20)
    workshop.spec(model="{score: s}", metrics="[hosmer_lemeshow, hosmer_lemeshow_p]")
    found = workshop.done(formats="html")
    statistic = found.measure("hosmer_lemeshow")
    assert (statistic["state"], statistic["value"]) == ("undefined", None)
    assert "range of numbers" in statistic["reason"]
    assert found.measure("hosmer_lemeshow_p")["value"] == 0.0


@pytest.mark.long
def test_one_drawing_that_fails_leaves_the_others(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("by a test")

    workshop.file("a.csv", rows(lambda i: str(i / 24)))
    workshop.spec(model="{score: s}", metrics="[accuracy, roc_auc]")
    whole = workshop.done(formats="html").page
    assert "FAILED" not in whole
    monkeypatch.setattr("evalreport.report.curve_charts.roc", fails)
    found = workshop.done(formats="html", status=1)
    assert "FAILED verdict: a chart could not be drawn (ZeroDivisionError: by a test)" in found.err
    assert "FAILED: verdict: a chart could not be drawn" in found.page
    assert found.page.count("<figure") == whole.count("<figure")
    assert found.page.count("data-measure") == whole.count("data-measure")
    again = workshop.call("render", found.latest / "results.json", "-o", workshop.folder / "out",
                          "--formats", "html")  # fmt: skip
    assert again.status == 1
    assert "FAILED verdict" in again.err


@pytest.mark.long
def test_a_section_that_fails_leaves_the_others(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise KeyError("by a test")

    monkeypatch.setattr("evalreport.report.curves._undrawn", fails)
    workshop.file("a.csv", rows(lambda i: str(i / 24)))
    workshop.spec(model="{score: s}", metrics="[accuracy, roc_auc]")
    found = workshop.done(formats="html", status=1)
    assert "FAILED curves: the section could not be made (KeyError: 'by a test')" in found.err
    assert 'data-metric="accuracy"' in found.page


@pytest.mark.parametrize("format_", ["csv", "markdown", "junit", "latex", "model_index"])
def test_one_format_that_fails_leaves_the_others(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, format_: str
) -> None:
    from evalreport.publish import formats

    def fails(*_: Any) -> bytes:
        raise IndexError("by a test")

    for name in ("_OTHERS", "_IN_WORDS"):
        made = getattr(formats, name)
        monkeypatch.setattr(formats, name, {**made, format_: fails} if format_ in made else made)
    workshop.spec()
    found = workshop.done(formats=f"html,{format_}", status=1)
    assert f"FAILED {format_}: it could not be made (IndexError: by a test)" in found.err
    names = {path.name for path in Path(found.latest).iterdir()}
    assert {"report.html", "results.json", "measures.csv", "MANIFEST.json"} == names


@pytest.mark.parametrize("weights", [(0.1, 0.2, 0.7), (1 / 3, 2 / 3, 1e-3), (64.3, 1e6, 0.3)])
def test_what_is_left_of_weights_is_no_count_below_0(weights: tuple[float, ...]) -> None:
    """Every row is wrong: of each class no row is right, and none but the others' is left."""
    a, b, c = weights
    wide = [[0, a, b], [c, 0, a], [b, c, 0]]
    narrow = [row[:2] for row in wide[:2]]
    stacked = [[np.array([x, 3 * x, 0.1 * x]) for x in row] for row in wide]
    for table in (wide, narrow, stacked):
        matrix = Matrix.from_counts(table)
        for counts in (*map(matrix.one_versus_rest, range(len(table))), matrix.pooled()):
            for cell in (counts.tp, counts.fp, counts.fn, counts.tn):
                assert (np.asarray(cell.value) >= 0).all()
