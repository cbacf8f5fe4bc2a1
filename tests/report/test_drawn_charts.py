"""Charts as matplotlib draws them: their shape, their ends, their words, their bytes."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.textpath import TextToPath
from PIL import Image
from sklearn.metrics import precision_recall_curve, roc_curve

import evalreport
from evalreport.report import curve_charts
from evalreport.report.charts import canvas, labels, style
from evalreport.report.charts.decision import better, useful
from evalreport.report.charts.points import Curve
from evalreport.report.contents import Contents
from evalreport.report.curve_charts import Shown
from evalreport.report.leading import MOST_MODELS
from evalreport.results import records

KINDS = ("roc", "precision_recall", "calibration", "decision", "score_distribution", "sweep")
#: Those of page one.
FRONT = ("front roc", "front precision_recall")
#: Bytes of a chart.
MOST = 25_000


def frame(rows: int = 400, models: int = 2) -> dict[str, list[Any]]:
    random = np.random.default_rng(7)
    ill = random.random(rows) < 0.4
    found: dict[str, list[Any]] = {"y": np.where(ill, "ill", "well").tolist()}
    for k in range(models):
        z = random.normal(size=rows) * (1 + 0.3 * k) + np.where(ill, 1.2, -1.0)
        found[f"m{k}"] = (1 / (1 + np.exp(-z))).round(4).tolist()
    return found


def made(rows: int = 400, models: int = 2, **more: Any) -> evalreport.Results:
    data = frame(rows, models)
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "positive": {"label": "ill"},
        "models": {name: {"score": name} for name in data if name != "y"},
        "metrics": ["recall", "roc_auc", "average_precision"],
        "confidence": {"level": 0.9},
        **more,
    }
    return evalreport.run(spec, frames={"d": data})


@pytest.fixture(scope="module")
def two() -> Contents:
    return Contents(made().records)


@pytest.fixture(scope="module")
def four() -> Contents:
    return Contents(made(rows=120, models=4).records)


@pytest.fixture(scope="module")
def eight() -> Contents:
    return Contents(made(rows=120, models=8).records)


@pytest.fixture(scope="module")
def named() -> Contents:
    data = frame(rows=120, models=2)
    names = [
        "gradient boosting, calibrated on months that followed",
        "梯度提升决策树和逻辑回归模型二",
    ]
    models = {name: {"score": f"m{k}"} for k, name in enumerate(names)}
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "positive": {"label": "ill"},
        "models": models,
        "metrics": ["recall", "roc_auc", "average_precision"],
    }
    return Contents(evalreport.run(spec, frames={"d": data}).records)


@pytest.fixture(scope="module")
def many() -> Contents:
    data = made(rows=900, models=8, thresholds=[0.1, {"maximize": "youden_j"}])
    return Contents(data.records)


def shown(contents: Contents, kind: str) -> Shown:
    return Shown(contents, kind, [c for c in contents.of(records.Curve) if c.kind == kind], False)


def figure(contents: Contents, kind: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The figure that a chart of a page is written from, drawn once; ``front``: of page one."""
    front, kind = kind.startswith("front "), kind.removeprefix("front ")
    kept: list[Any] = []

    def keep(paint: Any, width: float, height: float) -> Any:
        own = canvas._painted(paint, width, height)
        FigureCanvasAgg(own).draw()
        kept.append(own)
        return canvas.drawing(paint, width, height)

    monkeypatch.setattr(curve_charts, "drawing", keep)
    own = shown(contents, kind)
    with canvas.styled():
        if front:
            curve_charts.front_drawing(own._replace(records=own.records[:MOST_MODELS]))
        else:
            curve_charts.drawn(own)
    return kept[0]


def panels(own: Any) -> Iterator[Any]:
    for axes in own.axes:
        yield from axes.child_axes if not axes.axison else [axes]


@pytest.mark.parametrize("kind", ["roc", "precision_recall", "calibration", *FRONT])
@pytest.mark.parametrize("models", ["two", "eight"])
def test_shares_over_shares_are_square(kind, models, request, monkeypatch) -> None:
    for axes in figure(request.getfixturevalue(models), kind, monkeypatch).axes:
        box = axes.get_window_extent()
        assert box.width == pytest.approx(box.height, abs=0.5)


@pytest.mark.parametrize("kind", [*KINDS, *FRONT])
@pytest.mark.parametrize("models", ["two", "four", "eight", "named"])
def test_no_words_stand_on_a_line_or_on_other_words(kind, models, request, monkeypatch) -> None:
    own = figure(request.getfixturevalue(models), kind, monkeypatch)
    boxes, hidden = [], _hidden(own)
    for text in own.findobj(Text):
        if text.get_visible() and text.get_text().strip() and text not in hidden:
            box = text.get_window_extent()
            boxes.append((text.get_text(), box.x0 + 0.5, box.y0 + 1.5, box.x1 - 0.5, box.y1 - 1.5))
            assert box.x0 >= -0.5, text
            assert box.y0 >= -0.5, text
            assert box.x1 <= own.bbox.width + 0.5, text
            assert box.y1 <= own.bbox.height + 0.5, text
    for axes in panels(own):
        inside = axes.get_window_extent().padded(1)
        for line in axes.findobj(Line2D):
            if line.axes is None or line.get_label() == "_nolegend_" or len(line.get_xdata()) < 2:
                continue
            for x, y in _along(line):
                if inside.contains(x, y):
                    on = [told for told, a, b, c, d in boxes if a < x < c and b < y < d]
                    assert not on, (kind, on, line)
    for k, (told, a, b, c, d) in enumerate(boxes):
        for other, e, f, g, h in boxes[k + 1 :]:
            assert not (a < g and e < c and b < h and f < d), (told, other)


def _hidden(own: Any) -> set[Text]:
    """Words that are not drawn: of axes that are off, and of ticks beyond the ends."""
    found: set[Text] = set()
    for axes in own.findobj(Axes):
        if not axes.axison:
            own_words = [axis.findobj(Text) for axis in (axes.xaxis, axes.yaxis)]
            found |= {text for words in own_words for text in words}
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in (*axis.majorTicks, *axis.minorTicks):
                for label in (tick.label1, tick.label2):
                    if not low - 1e-9 <= label.get_position()[axis is axes.yaxis] <= high + 1e-9:
                        found.add(label)
    return found


def _along(line: Line2D) -> np.ndarray:
    points = line.get_transform().transform(line.get_xydata())
    points = points[np.isfinite(points).all(axis=1)]
    if line.get_linestyle() == "None" or len(points) < 2:
        return points
    t = np.linspace(0, 1, 9)[:, None]
    return np.concatenate([a + t * (b - a) for a, b in pairwise(points)])


def curve_of(axes: Any, color: str) -> np.ndarray:
    (line,) = [one for one in axes.lines if one.get_color() == color and len(one.get_xdata()) > 3]
    return line.get_xydata()


@pytest.mark.parametrize("rows", [400, pytest.param(20_000, marks=pytest.mark.long)])
def test_the_ends_of_curves_are_those_of_scikit_learn(rows, monkeypatch) -> None:
    data = frame(rows)
    contents = Contents(made(rows).records)
    ill = np.array(data["y"]) == "ill"
    for k, color in enumerate(("#0a569f", "#a04008")):
        fpr, tpr, _ = roc_curve(ill, data[f"m{k}"], drop_intermediate=False)
        drawn = curve_of(figure(contents, "roc", monkeypatch).axes[0], color)
        assert drawn[0].tolist() == [0, 0]
        assert drawn[-1].tolist() == [1, 1]
        # the point of the highest score is there, however many there are
        assert any(np.allclose(drawn[1], p) for p in zip(fpr, tpr, strict=True))
        precision, recall, _ = precision_recall_curve(ill, data[f"m{k}"])
        drawn = curve_of(figure(contents, "precision_recall", monkeypatch).axes[0], color)
        assert drawn[0] == pytest.approx([0, precision[-2]])
        assert drawn[1] == pytest.approx([recall[-2], precision[-2]])
        assert drawn[-1] == pytest.approx([1, ill.mean()])


def test_panels_of_a_row_share_their_height(two, monkeypatch) -> None:
    for kind in ("calibration", "score_distribution", "sweep"):
        heights = {axes.get_ylim() for axes in panels(figure(two, kind, monkeypatch))}
        assert len(heights) == 1, kind


@pytest.mark.parametrize("kind", [*KINDS, *FRONT])
def test_numbers_of_axes_are_in_one_style(two, kind, monkeypatch) -> None:
    """Whole ones without decimals, the others of an axis with equally many."""
    for axis in figure(two, kind, monkeypatch).findobj(Axis):
        texts = {tick.label1.get_text() for tick in axis.majorTicks}
        decimals = {len(t.partition(".")[2]) for t in texts if "." in t}
        assert len(decimals) <= 1, (kind, texts)
        assert not [t for t in texts if re.search(r"\.0+$", t)], (kind, texts)


@pytest.fixture(scope="module")
def ten() -> Contents:
    """Ten classes of 80 rows, of which m finds the more, the later the class."""
    random = np.random.default_rng(1)
    actual = np.repeat(np.arange(10), 80)
    scores = random.gamma(0.4, size=(800, 10))
    scores[np.arange(800), actual] += 0.3 + 0.3 * actual
    scores /= scores.sum(axis=1, keepdims=True)
    data: dict[str, list[Any]] = {"y": [f"k{k}" for k in actual]}
    data |= {f"p{k}": scores[:, k].tolist() for k in range(10)}
    columns = {f"k{k}": f"p{k}" for k in range(10)}
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "models": {"m": {"scores": columns}},
        "metrics": ["recall", "roc_auc"],
    }
    return Contents(evalreport.run(spec, frames={"d": data}).records)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "calibration"])
def test_a_chart_of_eight_models_of_many_rows_is_small(many, kind) -> None:
    assert len(curve_charts.drawn(shown(many, kind))[0].markup.encode()) <= MOST


def of_classes(contents: Contents, kind: str) -> Shown:
    own = [c for c in contents.of(records.Curve) if c.kind == kind]
    return Shown(contents, kind, curve_charts.in_order(contents, own), per_class=True)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["roc", "precision_recall", "calibration", "score_distribution"])
def test_ten_classes_take_no_more_bytes_and_stand_worst_first(ten, kind) -> None:
    own = of_classes(ten, kind)
    assert len(curve_charts.drawn(own)[0].markup.encode()) <= MOST
    table = next(t for t in ten.tables.values() if t.label is None)
    right = {x: table.counts[k][k] for k, x in enumerate(table.labels)}
    found = [right[str(c.label)] for c in own.records]
    assert found == sorted(found)
    assert len(found) == 10


@pytest.mark.long_but_first
@pytest.mark.parametrize("kind", KINDS)
def test_a_chart_is_small_and_the_same_twice(two, kind) -> None:
    first, second = (curve_charts.drawn(shown(two, kind))[0] for _ in range(2))
    assert first.markup == second.markup
    assert len(first.markup.encode()) <= MOST
    assert first.picture() == second.picture()
    assert Image.open(io.BytesIO(first.picture())).size[0] > 900
    # no decimals beyond the tenth of a point
    lengths = re.findall(r' d="([^"]*)"', first.markup)
    assert not [d for d in lengths if re.search(r"\.\d{2}", d)]


@pytest.mark.long
def test_what_others_set_changes_nothing(two, tmp_path, monkeypatch) -> None:
    usual = curve_charts.drawn(shown(two, "roc"))[0].markup
    with mpl.rc_context({"font.size": 30, "lines.linewidth": 9, "axes.grid": True}):
        assert curve_charts.drawn(shown(two, "roc"))[0].markup == usual
    (tmp_path / "matplotlibrc").write_text(
        "axes.grid: True\nlines.linewidth: 9\nsvg.fonttype: path\n"
    )
    code = (
        "from evalreport.report.charts.canvas import drawing\n"
        "print(drawing(lambda f: f.add_subplot().plot([0, 1], [0, 1]), 100, 100).markup)"
    )
    run = [sys.executable, "-c", code]
    env = {**os.environ, "PYTHONPATH": str(Path(evalreport.__file__).parents[1])}
    told = [
        subprocess.run(run, cwd=folder, env=env, capture_output=True, text=True, check=True).stdout
        for folder in (tmp_path, Path(__file__).parent)
    ]
    assert told[0] == told[1]
    assert "<text" in told[0]


def test_text_stays_text_and_markup_stays_words() -> None:
    drawn = canvas.drawing(lambda f: f.add_subplot().set_title("Modèle & <b>$x^2$</b>"), 200, 100)
    root = ET.fromstring(f"<svg>{drawn.markup}</svg>")
    assert "Modèle & <b>$x^2$</b>" in [text.text for text in root.iter("text")]


def test_what_cannot_be_drawn_says_so() -> None:
    def fails(_: Any) -> None:
        raise ValueError("no such line")

    with canvas.failed_drawings() as told:
        drawn = canvas.drawing(fails, 200, 100)
    assert told == ["a chart could not be drawn (ValueError: no such line)"]
    assert "FAILED: this chart could not be drawn" in drawn.markup


def test_net_benefit_is_drawn_as_far_as_it_is_useful() -> None:
    points = {
        "threshold": [0.1, 0.2, 0.3, 0.4],
        "net_benefit": [0.30, 0.20, 0.05, -0.10],
        "treat_all": [0.30, 0.10, -0.10, -0.40],
    }
    curve = Curve("m", 0, points)
    # worth more than both at 0.2 (0.20 > 0.10) and 0.3 (0.05 > 0), the same as all at 0.1
    assert better([curve]) == [(0.2, 0.3)]
    assert useful([curve]) == pytest.approx(0.35)


def test_words_that_join_are_drawn_as_shapes_and_others_stay_text() -> None:
    """The writer of the PDF sets text of a drawing letter by letter, which parts Arabic."""

    def paint(words: str) -> Any:
        return lambda figure: figure.text(0.1, 0.5, words)

    assert ">model 1</text>" in canvas.drawing(paint("model 1"), 200, 50).markup
    joined = canvas.drawing(paint("\u0646\u0645\u0648\u0630\u062c 1"), 200, 50).markup
    assert "<text" not in joined
    assert "<path" in joined
    # no font here has Devanagari: the fonts of the reader may
    assert "<text" in canvas.drawing(paint("\u092a\u0930"), 200, 50).markup
    # the library joins them: they take less room than the same letters kept apart
    with style.styled():
        width = [
            TextToPath().get_text_width_height_descent(text, FontProperties(size=10), False)[0]
            for text in ("\u0646\u0645\u0648", "\u200c".join("\u0646\u0645\u0648"))
        ]
    assert width[0] < width[1]


def test_a_name_is_cut_to_the_room_that_it_has() -> None:
    with style.styled():
        assert labels.fitted("large (15 or more)", 100) == "large (15 or more)"
        for name in (
            "candidate-2026-11-01-run-0007-of-a-long-name",
            "梯度提升决策树和逻辑回归" * 3,
        ):
            cut = labels.fitted(name, 100)
            assert 80 < labels.width(cut) <= 100
            assert (cut[0], cut[-1]) == (name[0], name[-1])
        # no font here has Chinese letters, which are as wide as they are high
        assert labels.width("梯度") == 2 * style.SMALL
        assert labels.width("mm", bold=True) > labels.width("mm")


def test_a_line_is_steps_from_its_start_in_points_from_the_top() -> None:
    def paint(figure: Any) -> None:
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, 100), ylim=(0, 100))
        axes.plot([0, 50, 50, 100], [0, 80, 80, 99.96])

    # y is counted down: 0, 80, 80 and 99.96 of 100 lie at 100, 20, 20 and 0.04
    assert 'd="M0 100l50-80l50-20"' in canvas.drawing(paint, 100, 100).markup
