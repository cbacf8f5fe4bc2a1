"""The board: ticks as matplotlib has them, and drawings that any reader of SVG takes."""

from __future__ import annotations

import random
import re
from xml.etree import ElementTree as ET

import pytest
from matplotlib.ticker import MaxNLocator, ScalarFormatter

from evalreport.report.board import Board
from evalreport.report.drawing import draw, failed_drawings
from evalreport.report.letters import above_and_below, font_path, width_of
from evalreport.report.placing import place_axes
from evalreport.report.strokes import clipped, open_path
from evalreport.report.ticks import numbers, places


class _Axis:
    """What a locator and a formatter ask of an axis."""

    def __init__(self, low, high, room):
        self._ends, self._room = (low, high), room

    def get_view_interval(self):
        return self._ends

    def get_tick_space(self):
        return self._room


def _axes(seed):
    draws = random.Random(seed)
    for _ in range(500):
        size = 10 ** draws.uniform(-9, 9)
        low = draws.choice([0.0, draws.gauss(0, 1) * size, size, -size])
        high = low + 10 ** draws.uniform(-4, 3) * size * draws.random()
        if high > low:
            yield low, high, draws.randint(1, 12)


@pytest.mark.parametrize("seed", range(4))
def test_ticks_and_their_numbers_are_those_of_matplotlib(seed):
    for low, high, room in _axes(seed):
        axis = _Axis(low, high, room)
        locator = MaxNLocator(nbins="auto", steps=[1, 2, 2.5, 5, 10])
        formatter = ScalarFormatter()
        locator.axis = formatter.axis = axis
        theirs = locator()
        formatter.set_locs(theirs)
        ours = places(low, high, max(1, min(room, 9)))
        assert ours == pytest.approx(theirs.tolist(), rel=1e-12, abs=1e-12 * (high - low))
        told = numbers(ours, low, high)
        assert told.words == [formatter(place) for place in theirs]
        assert bool(told.shared) == bool(formatter.get_offset())


def test_words_are_as_wide_as_the_font_has_them():
    from fontTools.ttLib import TTFont

    font = TTFont(font_path("report-sans-400.ttf"))
    glyphs, widths, em = font.getBestCmap(), font["hmtx"], font["head"].unitsPerEm
    for sign in map(chr, (code for code in glyphs if code < 65536)):
        assert width_of(sign) == pytest.approx(9 * widths[glyphs[ord(sign)]][0] / em), sign
    assert above_and_below() == (font["hhea"].ascent / em, -font["hhea"].descent / em)


def test_signs_that_the_font_lacks_are_as_wide_as_others_draw_them():
    assert width_of("日") == 9.0
    assert width_of("ꙮ") == 6.75


def test_a_line_far_beyond_the_axes_ends_near_them():
    (part,) = clipped([(0.0, 5.0), (10.0, 1e300), (20.0, 5.0)], (0, 0, 20, 10))[:1]
    assert max(abs(y) for _, y in part) <= 210.0
    assert clipped([(-1e9, -1e9), (-1e9, 1e9)], (0, 0, 20, 10)) == []


def test_a_stroke_that_goes_back_keeps_its_turn():
    assert open_path([(0, 0), (10, 0), (5, 0)]) == "M0 0h10h-5"
    assert open_path([(0, 0), (5, 0), (10, 0)]) == "M0 0h10"


def _lines(paint):
    root = ET.fromstring(draw(paint))
    return root, [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]


def test_powers_of_ten_and_parts_in_common_stand_with_the_names_of_axes():
    def paint(axes):
        axes.x_name, axes.title = "rows", "cost"
        axes.plot([0.0, 2e7], [1_000_000.0, 1_000_000.5])

    _, words = _lines(paint)
    assert "rows, in 1e7" in words
    assert "cost, added to 1e6" in words


def test_words_that_look_like_markup_are_words():
    def paint(axes):
        axes.text(0.5, 0.5, '<b> & "c"', in_shares=True)

    root, words = _lines(paint)
    assert '<b> & "c"' in words
    assert not list(root.iter("b"))


def test_what_is_no_number_leaves_a_gap_and_nothing_else():
    gap = float("nan")

    def paint(axes):
        axes.plot([0, 1, gap, 2, 3], [0, 1, gap, 1, 0], color="#123456")

    root, _ = _lines(paint)
    paths = [p.get("d") for p in root.iter() if "#123456" in (p.get("style") or "")]
    assert len(paths) == 1
    assert paths[0].count("M") == 2
    assert "nan" not in draw(paint).decode()


def test_a_chart_of_no_point_has_axes():
    _, words = _lines(lambda axes: axes.plot([], []))
    assert words[:2] == ["0.0", "0.2"]
    with failed_drawings() as failed:
        draw(lambda axes: axes.plot([1.0], [float("inf")]))
    assert failed == []


def test_panels_do_not_overlap_and_lie_within_the_figure():
    board = Board(500.0, 115.0, 5, 3)
    assert (board.lines, board.across, board.height) == (2, 3, 230.0)
    for axes in board.panels:
        axes.plot([0, 1000], [0, 1e5])
        axes.x_name, axes.title = "x", "y"
    place_axes(board)
    boxes = [axes.place for axes in board.panels]
    for k, (x, y, wide, high) in enumerate(boxes):
        assert x > 0
        assert y > 0
        assert x + wide < 500
        assert y + high < 230
        for other_x, other_y, other_wide, other_high in boxes[:k]:
            apart = x >= other_x + other_wide or other_x >= x + wide
            assert apart or y >= other_y + other_high or other_y >= y + high


def test_no_number_has_more_than_one_decimal():
    text = draw(lambda axes: axes.plot([0, 0.123456, 0.777], [0.3, 0.1, 0.987654])).decode()
    assert re.findall(r"\.\d\d+", re.sub(r">[^<]*<", "><", text)) == []
