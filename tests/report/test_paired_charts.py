"""The chart of both scores: its words, its size, and what is drawn of many rows and odd scores."""

from __future__ import annotations

import io
from typing import Any

import pytest
from engine.test_score_pairs import ROWS, made, random_rows
from PIL import Image

from evalreport.report.charts import canvas
from evalreport.report.contents import Contents
from evalreport.report.leading import front_views
from evalreport.report.model import Chart, Charts
from evalreport.report.paired import LEFT, SIDE, TOP, paired_charts

#: Bytes of a chart.
MOST = 25_000


def charts(results: Any) -> list[Chart]:
    with canvas.failed_drawings() as failed:
        found = paired_charts(Contents(results.records))
    assert failed == []
    return [chart for block in found if isinstance(block, Charts) for chart in block.charts]


def test_counts_stand_in_words() -> None:
    (chart,) = charts(made(ROWS))
    assert chart.alt == (
        "Scores of b and a on the same rows. "
        "5 ill: 1 only b right, 3 both right, 0 both wrong, 1 only a right; "
        "5 well: 1 only a right, 1 both wrong, 2 both right, 1 only b right."
    )
    assert chart.aside.startswith("Dashed: threshold 0.50. ")
    for words in ("1 only b right", "2 both right", "score of a", "score of b", "5 well"):
        assert f">{words}</text>" in chart.drawing.markup


def test_two_thresholds_and_the_words_of_the_study() -> None:
    more = {
        "about": {"unit": "mass", "positive_means": "malignant"},
        "thresholds": [{"maximize": "youden_j"}],
    }
    (chart,) = charts(made(random_rows(100), **more))
    assert " malignant masses: " in chart.alt
    assert " of b, 0." in chart.aside


def test_a_target_that_is_another_test_is_agreed_with() -> None:
    (chart,) = charts(made(ROWS, dataset={"benchmark": "non_reference"}))
    assert "1 only b agrees, 3 both agree, 0 both differ" in chart.alt


@pytest.mark.parametrize("seed", [1, 2])
def test_a_hundred_thousand_rows_take_little_room_and_the_same_bytes(seed: int) -> None:
    results = made(random_rows(100_000, seed))
    (first,), (second,) = charts(results), charts(results)
    assert len(first.drawing.markup.encode()) <= MOST
    assert first.drawing.markup == second.drawing.markup
    assert first.drawing.picture() == second.drawing.picture()
    assert Image.open(io.BytesIO(first.drawing.picture())).size[0] > 900


def test_every_cell_is_a_dot() -> None:
    results = made(random_rows(500))
    (record,) = results.records.score_pairs
    (chart,) = charts(results)
    dots = sum(
        path.split('"')[0].count("M")
        for path in chart.drawing.markup.split('<path d="')[1:]
        if "stroke-linecap:round" in path.split(">")[0]
    )
    assert dots == len(record.positives.rows) + len(record.negatives.rows)


def test_every_cell_is_a_dot_of_the_picture() -> None:
    """Strokes that are shorter than a pixel are not moved to the edges of pixels, and lost."""
    results = made(random_rows(20_000))
    record = results.records.score_pairs[0]
    (chart,) = charts(results)
    picture = Image.open(io.BytesIO(chart.drawing.picture())).convert("L")
    zoom = picture.width / 482
    for x, y in zip(record.positives.reference_scores, record.positives.model_scores, strict=True):
        right, up = (SIDE * (score + 0.02) / 1.04 for score in (x, y))
        at = round(zoom * (LEFT + right)), round(zoom * (TOP + SIDE - up))
        assert picture.getpixel(at) < 100, (x, y)


def test_margins_far_apart_and_scores_that_are_all_alike_are_drawn() -> None:
    margins = {"a": {"margin": "a"}, "b": {"margin": "b"}}
    frame = {**ROWS, "a": [1e300 * (2 * x - 1) for x in ROWS["a"]], "b": [2.5] * 10}
    (chart,) = charts(made(frame, models=margins))
    assert "score of a, in 1e299" in chart.drawing.markup


def test_the_pairs_of_the_first_page_are_drawn_and_the_others_named() -> None:
    names = "abcd"
    frame = {**ROWS, "c": ROWS["b"][::-1], "d": ROWS["a"][::-1]}
    results = made(frame, models={name: {"score": name} for name in names})
    found = charts(results)
    front = [name for _, name in front_views(Contents(results.records))]
    assert {name for name in front if name != "a"} == {"b", "d"}
    assert [chart.caption for chart in found] == [
        "Scores of b and a on the same rows",
        "Scores of d and a on the same rows",
    ]
    assert ["1 more pair is in results.json" in chart.aside for chart in found] == [False, True]
