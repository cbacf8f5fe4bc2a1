"""Subgroups, classes and differences of models on one axis with numbers, worst first."""

from __future__ import annotations

from math import inf
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from matplotlib.figure import Figure
from report.html_page import parse

import evalreport
from evalreport.report.build import build
from evalreport.report.charts.forest import Forest, ForestRow, forest
from evalreport.report.model import Chart, Charts


def chart(results: evalreport.Results, name: str) -> Chart:
    blocks = [b for section in build(results.records).sections for b in section.blocks]
    charts = [c for b in blocks if isinstance(b, Charts) for c in b.charts]
    # the first page may have the same of the best model alone
    return [c for c in charts if c.name == name][-1]


def words(drawn: Chart) -> list[str]:
    root = ET.fromstring(f"<svg>{drawn.drawing.markup}</svg>")
    return ["".join(text.itertext()) for text in root.iter("text")]


def run(rows: dict[str, list[Any]], **more: Any) -> evalreport.Results:
    models = {name: {"prediction": name} for name in rows if name.startswith("m")}
    spec = {"evalreport": 1, "datasets": {"d": {"target": "y"}}, "models": models, **more}
    return evalreport.run(spec, frames={"d": rows})


def test_squares_are_hollow_on_few_rows_and_what_goes_on_ends_in_an_arrow() -> None:
    rows = [
        ForestRow("all", 0, 0.5, 0.4, 0.6, weight=100, required=0.7),
        ForestRow("few", 0, 0.3, -inf, inf, weight=4, few=True),
    ]
    axes = Figure().add_subplot()
    forest(axes, Forest(rows))
    squares = [line for line in axes.lines if line.get_marker() == "s"]
    assert [line.get_markerfacecolor() for line in squares] == ["#0a569f", "white"]
    assert squares[0].get_markersize() > squares[1].get_markersize()
    low, high = axes.get_xlim()
    arrows = {(line.get_marker(), line.get_xdata()[0]) for line in axes.lines}
    assert {("<", low), (">", high)} <= arrows
    assert (low, high) == pytest.approx((0.0, 1.0))
    one_sided = Figure().add_subplot()
    forest(one_sided, Forest([ForestRow("infinite", 0, None, 2.0, inf, required=4.0)]))
    assert one_sided.get_xlim()[1] == pytest.approx(4.1)
    ((end,),) = (line.get_xdata() for line in one_sided.lines if line.get_marker() == ">")
    assert end == one_sided.get_xlim()[1]
    assert "required" in {text.get_text() for text in axes.texts}


@pytest.mark.parametrize(
    ("values", "required", "ends"),
    [
        ((0.2, 0.9), None, (0.0, 1.0)),
        # less than a third of the scale of shares: what they span, and a twentieth more
        ((0.1, 0.2), 0.3, (0.09, 0.31)),
        ((0.8, 1.0), None, (0.79, 1.0)),
        ((2.0, 4.0), None, (1.9, 4.1)),
    ],
)
def test_the_axis_holds_all_values_and_what_is_required(values, required, ends) -> None:
    rows = [ForestRow("a", 0, value, required=required) for value in values]
    assert Forest(rows).ends == pytest.approx(ends)


def test_classes_stand_worst_first_with_their_counts() -> None:
    # m finds 3 of 4 a, 3 of 3 b and 1 of 3 c; n finds 1 of 4 a, 3 of 3 b and 3 of 3 c
    rows = {
        "y": list("aaaabbbccc"),
        "m": list("aaabbbbcaa"),
        "mn": list("abbbbbbccc"),
    }
    drawn = chart(run(rows, metrics=["accuracy", "recall"]), "classes")
    told = words(drawn)
    heads = [word for word in told if word in ("a", "b", "c")]
    # the worse of both models is 1/4 for a, 1/3 for c, 1 for b
    assert heads == ["a", "c", "b"]
    # both are right in 7 of 10; the macro recall of mn, 0.75, is the better one
    assert [w for w in told if " / " in w] == ["1 / 4", "3 / 4", "3 / 3", "1 / 3", "3 / 3", "3 / 3"]
    assert {"m, too few", "mn, too few", "Recall"} <= set(told)
    assert drawn.caption == "Recall by class"


def test_the_worst_of_the_classes_with_ten_rows_and_more_is_told() -> None:
    # of 12 rows each 11 a and 6 b are right; of 3 c none is, which is too few to judge
    rows = {"y": ["a"] * 12 + ["b"] * 12 + ["c"] * 3}
    rows["m"] = ["a"] * 11 + ["b"] * 7 + ["a"] * 6 + ["b"] * 3
    drawn = chart(run(rows, metrics=["recall"]), "classes")
    assert drawn.finding == "Recall is lowest in class b: 0.500"
    few = {name: values[20:] for name, values in rows.items()}
    assert chart(run(few, metrics=["recall"]), "classes").finding == ""


def test_differences_stand_on_one_axis_with_no_effect_at_0() -> None:
    # of 20 ill m0 finds 12 and m1 finds 15: 2 that m0 alone finds, 5 that m1 alone finds
    ill = ["1"] * 20 + ["0"] * 20
    m0 = ["1"] * 12 + ["0"] * 8 + ["0"] * 20
    m1 = ["0"] * 2 + ["1"] * 15 + ["0"] * 3 + ["0"] * 19 + ["1"]
    results = run(
        {"y": ill, "m0": m0, "m1": m1},
        positive={"label": "1"},
        metrics=["specificity", "recall"],
        comparisons={"reference": "m0"},
    )
    page = parse(results.to_html())
    table = next(t for t in page.all("table") if "Differences of" in t.text)
    (axis,) = table.all("th", **{"class": "axis"})
    assert [span.text for span in axis.all("span")[1:]] == ["−0.4", "0", "0.4"]
    rows = table.all("tbody")[0].all("tr")
    # +3/20 for recall; of 20 well m1 alone is wrong about one: 0 : 1, -1/20
    assert [row.all("th")[0].text for row in rows] == ["Specificity", "Recall"]
    dots = [row.all("b")[-1].attrs["style"] for row in rows]
    assert dots == ["left:43.75%", "left:68.75%"]
    assert "McNemar, exact, 5 : 2" in table.text


def test_what_is_required_is_drawn_at_the_rows_that_it_is_required_of() -> None:
    """A limit on all rows is none on their groups: the line passes through the first row alone."""
    rows = [ForestRow("all rows", 0, 0.8, required=0.7), ForestRow("group a", 0, 0.6)]
    axes = Figure().add_subplot()
    forest(axes, Forest(rows))
    (line,) = (line for line in axes.lines if line.get_linestyle() == "--")
    assert list(line.get_xdata())[:2] == [0.7, 0.7]
    assert list(line.get_ydata())[:2] == [-0.5, 0.5]
    assert len(line.get_xdata()) == 3
