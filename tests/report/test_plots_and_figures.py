"""The charts of the report on axes of one's own, as files, and on the pages of a history."""

from __future__ import annotations

import io
from typing import Any
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image
from sklearn.metrics import roc_curve

import evalreport
from evalreport.errors import UsageError
from evalreport.report import curve_charts
from evalreport.report.charts.canvas import HALF, drawing, panel
from evalreport.report.charts.confusion import confusion
from evalreport.report.charts.forest import FoldRow, folds
from evalreport.report.contents import Contents
from evalreport.report.curve_charts import Shown
from evalreport.report.terminal import warning_lines
from evalreport.results import records

PLOTS = (
    "roc", "precision_recall", "calibration", "confusion", "scores", "decision", "thresholds",
    "subgroups",
)  # fmt: skip


@pytest.fixture(scope="module")
def data() -> dict[str, list[Any]]:
    random = np.random.default_rng(3)
    ill = random.random(300) < 0.4
    p = 1 / (1 + np.exp(-(random.normal(size=300) + np.where(ill, 1.2, -1.2))))
    return {
        "y": np.where(ill, "ill", "well").tolist(),
        "p": p.round(4).tolist(),
        "site": random.choice(["north", "south"], 300).tolist(),
    }


@pytest.fixture(scope="module")
def results(data: dict[str, list[Any]]) -> evalreport.Results:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "positive": {"label": "ill"},
        "models": {"m": {"score": "p"}},
        "metrics": ["recall", "roc_auc"],
        "subgroups": ["site"],
    }
    return evalreport.run(spec, frames={"d": data})


@pytest.fixture(scope="module")
def three() -> evalreport.Results:
    rows = {"y": list("aaaabbbccc"), "says": list("aaabbbbcca")}
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"prediction": "says"}},
        "metrics": ["accuracy"],
    }
    return evalreport.run(spec, frames={"d": rows})


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_is_drawn_on_the_axes_that_are_given(results, name) -> None:
    settings = dict(mpl.rcParams)
    given = Figure().add_subplot()
    assert getattr(results.plot, name)(given) is given
    assert given.has_data() or given.child_axes or given.texts
    assert dict(mpl.rcParams) == settings
    own = getattr(results.plot, name)()
    assert own.figure is not given.figure


def test_the_roc_curve_of_a_user_is_that_of_scikit_learn_and_of_the_page(results, data) -> None:
    axes = results.plot.roc(Figure().add_subplot())
    line = next(one for one in axes.lines if len(one.get_xdata()) > 2)
    fpr, tpr, _ = roc_curve(np.array(data["y"]) == "ill", data["p"])
    drawn = line.get_xydata()
    assert drawn[[0, -1]].tolist() == [[0, 0], [1, 1]]
    assert np.trapezoid(drawn[:, 1], drawn[:, 0]) == pytest.approx(np.trapezoid(tpr, fpr))
    contents = Contents(results.records)
    own = [c for c in contents.of(records.Curve) if c.kind == "roc"]
    made, _ = curve_charts.drawn(Shown(contents, "roc", own, False))
    words = [
        "".join(text.itertext()) for text in ET.fromstring(f"<s>{made.markup}</s>").iter("text")
    ]
    for text in axes.get_legend().get_texts():
        assert set(text.get_text().split("\n")) <= set(words)


def test_what_is_not_there_is_named(results, three) -> None:
    with pytest.raises(UsageError, match="there is no dataset 'e'"):
        results.plot.roc(dataset="e")
    with pytest.raises(UsageError, match="there is no class 'il'") as told:
        results.plot.calibration(label="il")
    assert "did you mean 'ill'?" in str(told.value)
    with pytest.raises(UsageError, match="nothing to draw"):
        three.plot.roc()
    with pytest.raises(UsageError, match="nothing to draw"):
        three.plot.subgroups()


def test_cells_of_a_heat_map_are_the_counts(three) -> None:
    axes = three.plot.confusion(Figure().add_subplot())
    at = {text.get_position(): text.get_text() for text in axes.texts if text.get_text()}
    # a taken for a in 3 rows and for b in 1; b for b 3; c for c 2 and for a 1
    cells = {(0.5, 0.5): "3", (1.5, 0.5): "1", (1.5, 1.5): "3", (2.5, 2.5): "2", (0.5, 2.5): "1"}
    assert cells.items() <= at.items()
    assert (0.5, 1.5) not in at


@pytest.mark.parametrize(("labels", "drawn"), [(None, "cab"), (["a", "b", "c"], "abc")])
def test_a_heat_map_has_the_worst_class_first_but_in_a_declared_order(labels, drawn) -> None:
    # right are 3 of 4 a, 3 of 3 b and 2 of 3 c
    rows = {"y": list("aaaabbbccc"), "says": list("aaabbbbcca")}
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"} | ({"labels": labels} if labels else {})},
        "models": {"m": {"prediction": "says"}},
        "metrics": ["recall"],
    }
    axes = evalreport.run(spec, frames={"d": rows}).plot.confusion(Figure().add_subplot())
    assert "".join(tick.get_text() for tick in axes.get_yticklabels()) == drawn
    at = {text.get_position(): text.get_text() for text in axes.texts if text.get_text()}
    right = {"a": "3", "b": "3", "c": "2"}
    assert [at[k + 0.5, k + 0.5] for k in range(3)] == [right[x] for x in drawn]
    # one c is taken for a, and one a for b
    assert at[drawn.index("a") + 0.5, drawn.index("c") + 0.5] == "1"
    assert (drawn.index("c") + 0.5, drawn.index("a") + 0.5) not in at


def test_shades_are_of_the_share_of_the_row() -> None:
    axes = Figure().add_subplot()
    confusion(axes, list("ab"), {(0, 0): 8, (0, 1): 2, (1, 1): 1})
    tones = {patch.get_facecolor()[:3] for patch in axes.patches}
    # 8 of 10 and 1 of 1 are of the darkest quarter; 2 of 10 is the worst there is
    assert tones == {mpl.colors.to_rgb("#64a9d3"), mpl.colors.to_rgb("#d95f0e")}


def test_each_fold_is_a_dot_and_the_interval_a_bar() -> None:
    axes = Figure().add_subplot()
    folds(axes, [FoldRow("recall, m", 0, (0.8, 0.9, 1.0), 0.9, 0.75, 1.0, "0.900")])
    dots, bar, mean = axes.lines
    assert dots.get_xdata().tolist() == [0.8, 0.9, 1.0]
    assert list(bar.get_xdata()) == [0.75, 1.0]
    assert list(mean.get_xdata()) == [0.9]


@pytest.mark.long
def test_figures_are_files_of_svg_and_png(results, tmp_path) -> None:
    run = results.save(tmp_path / "runs", formats=["figures", "html"])
    files = sorted(path.name for path in run.glob("figure-*"))
    assert any(name.endswith("-roc.svg") for name in files)
    assert {name[:-4] for name in files if name.endswith(".svg")} == {
        name[:-4] for name in files if name.endswith(".png")
    }
    assert len(files) == 2 * results.to_html().count('<svg class="chart"')
    for path in run.glob("figure-*.svg"):
        root = ET.fromstring(path.read_bytes())
        assert root.get("viewBox", "").startswith("0 0 ")
    for path in run.glob("figure-*.png"):
        assert Image.open(io.BytesIO(path.read_bytes())).format == "PNG"


def test_names_of_other_scripts_are_text_for_the_page() -> None:
    name = "第一モデル"
    made = drawing(lambda f: panel(f, 0, 0, HALF, 80).set_title(name), HALF, 100)
    assert f">{name}<" in made.markup


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("मॉडल", "letters of Devanagari (ड म ल)"),
        ("النموذج", "letters of Arabic"),
        ("modèle ŝĝ модель μοντέλο", ""),
    ],
)
def test_scripts_that_no_font_has_are_told(name, said) -> None:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "positive": {"label": "1"},
        "models": {name: {"prediction": "p"}},
        "metrics": ["recall"],
    }
    rows = {"y": ["1", "0", "1", "0"], "p": ["1", "0", "0", "0"]}
    results = evalreport.run(spec, frames={"d": rows})
    lines = [line for line in warning_lines(results.records) if "No font" in line]
    assert bool(said) is bool(lines)
    assert all(said in line for line in lines)
    assert (said in results.to_html()) if said else ("No font of this" not in results.to_html())
