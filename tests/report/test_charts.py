"""What charts show in words, and names beside lines: in no one's way, and not told by colour."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evalreport
from evalreport.report import charts, findings, panels
from evalreport.report.charts import Curve, plain_chart, roc_chart, sweep_panel
from evalreport.report.drawing import DASHES, dot_look, draw
from evalreport.report.letters import width_of
from evalreport.report.line_names import SIZE, Named, name_lines
from evalreport.report.placing import inner_size
from evalreport.report.simplified import simplified
from evalreport.results.records import RocLead, RocPoint, RocRelation

NONE = RocLead(by=0.0, fpr=0.0)


def relation(first: str, second: str, is_: str | None, **more: Any) -> RocRelation:
    told = {"first_leads": NONE, "second_leads": NONE} | more
    return RocRelation(dataset="d", first=first, second=second, relation=is_, **told)


def test_no_two_models_need_colour_to_be_told_apart() -> None:
    assert len(set(DASHES)) == len(DASHES) == 8
    looks = [dot_look(k, 4.0) for k in range(8)]
    hollow = [look["markerfacecolor"] == "white" for look in looks]
    assert len({(look["marker"], h) for look, h in zip(looks, hollow, strict=True)}) == 8


@pytest.mark.parametrize(
    ("relations", "names", "said"),
    [
        ([relation("a", "b", "above")], "ab", "b lies below a everywhere"),
        ([relation("a", "b", "below")], "ab", "a lies below b everywhere"),
        ([relation("a", "b", "equal")], "ab", "the curves of a and b are the same"),
        ([relation("a", "b", None)], "ab", ""),
        ([], "a", ""),
        (
            [
                relation(
                    "a", "b", "cross", crossings=(RocPoint(fpr=0.25, tpr=0.5),), crossing_count=1,
                    first_leads=RocLead(by=0.1, fpr=0.3),
                )
            ],
            "ab",
            "a leads by up to 0.100; the curves cross at a false positive rate of 0.250",
        ),
        (
            [relation("a", "b", "cross", crossing_count=9)],
            "ab",
            "the curves of a and b cross 9 times",
        ),
        (
            [relation("a", "b", "below"), relation("a", "c", "cross"), relation("b", "c", "above")],
            "abc",
            "b lies above all others everywhere",
        ),
        (
            [relation("a", "b", "cross"), relation("a", "c", "cross"), relation("b", "c", "above")],
            "abc",
            "no curve lies above all others everywhere",
        ),
    ],
)  # fmt: skip
def test_the_finding_of_roc_curves_follows_from_their_relations(relations, names, said) -> None:
    assert findings.roc_finding(relations, list(names)) == said


def precision(name: str, *heights: float) -> Curve:
    recall = [k / len(heights) for k in range(1, len(heights) + 1)]
    return Curve(name, 0, {"recall": recall, "precision": heights})


def test_the_finding_of_precision_says_where_a_curve_is_the_higher() -> None:
    a = precision("a", 1.0, 0.9, 0.8, 0.7)
    said = findings.precision_finding
    assert said([a, precision("b", 1.0, 0.8, 0.7, 0.7)]) == (
        "a nowhere has the lower precision, and a higher one than b at recalls from 0.500 to 0.750"
    )
    # one recall is no range: from 1 to 1
    assert said([a, precision("b", 1.0, 0.9, 0.8, 0.6)]) == (
        "a nowhere has the lower precision, and a higher one than b at a recall of 1"
    )
    assert said([precision("a", 0.9, 0.8, 0.7, 0.6), precision("b", 1.0, 0.7, 0.8, 0.7)]) == (
        "b has the precision of a or a higher one at recalls from 0.750 to 1"
    )
    assert said([a, precision("b", 1.0, 0.9, 0.8, 0.7)]) == (
        "a and b have the same precision at every recall"
    )
    assert said([a, precision("b", 0.5, 0.95, 0.85, 0.75)]) == (
        "b has the precision of a or a higher one at recalls from 0.500 to 1"
    )
    assert said([a]) == ""


def benefit(name: str, *heights: float) -> Curve:
    at = [(k + 1) / 10 for k in range(len(heights))]
    told = {"treat_all": [0.3 - t for t in at], "treat_none": [0.0] * len(at)}
    return Curve(name, 0, {"threshold": at, "net_benefit": list(heights), **told})


def test_the_finding_of_net_benefit_counts_treating_all_and_none() -> None:
    said = findings.benefit_finding
    assert said([benefit("a", 0.1, 0.2, 0.1), benefit("b", 0.1, 0.1, 0.05)]) == (
        "a has the highest net benefit at thresholds from 0.20 to 0.30"
    )
    assert said([benefit("a", 0.1, 0.2, -0.1)]) == (
        "a has the highest net benefit at the threshold 0.20"
    )
    # at 0.2 treating all gives 0.1 as well
    assert (
        said([benefit("a", 0.3, 0.1, 0.1)]) == "a has the highest net benefit at 2 of 3 thresholds"
    )
    assert said([benefit("a", 0.1, -0.1, -0.2)]).startswith("no model has a higher net benefit")


def test_the_finding_of_bins_counts_the_intervals_beside_the_diagonal() -> None:
    told = {"mean_score": [0.2, 0.8], "observed": [0.2, 0.5], "n": [40, 1200]}
    limits = {"observed_low": [0.1, 0.4], "observed_high": [0.3, 0.6]}
    curve = Curve("a", 0, told | limits)
    assert findings.calibration_finding([curve], "mean_score") == (
        "bins of 10 rows or more whose interval leaves out the mean score: 1 of 2 (a)"
    )
    assert findings.rows_per_bin([curve]) == "Rows per bin: 40, 1200."
    wide = Curve("a", 0, told | {"observed_low": [0.1, 0.4], "observed_high": [0.3, 0.9]})
    assert findings.calibration_finding([wide], "mean_score") == (
        "bins of 10 rows or more whose interval leaves out the mean score: 0 of 2 (a)"
    )
    # Wilson limits of 0 of 1 are 0 to 0.79: they hold nearly any score
    few = {**told, "n": [40, 1], "observed_low": [0.1, 0.0], "observed_high": [0.3, 0.79]}
    assert findings.calibration_finding([Curve("a", 0, few)], "mean_score").endswith("0 of 1 (a)")
    fewer = Curve("a", 0, {**few, "n": [3, 1]})
    assert findings.calibration_finding([fewer], "mean_score") == (
        "2 of 2 bins have fewer than 10 rows: too few to judge calibration"
    )


def test_the_finding_of_gain_and_of_thresholds_are_points_of_the_curves() -> None:
    gain = {"share": [0.0, 0.1, 1.0], "rows": [0, 10, 100], "tp": [0, 5, 20]}
    assert findings.gain_finding([Curve("a", 0, gain)]) == (
        "25.0\u202f% of the positives among the 10 rows scored highest"
    )
    assert findings.gain_finding([Curve("a", 0, {"share": [0.0, 1.0]})]) == ""
    rows = [(0.1, 1.0, 0.2), (0.4, 0.8, 0.75), (0.9, 0.1, 1.0)]
    assert findings.sweep_finding(rows, ("recall", "specificity")) == (
        "recall 0.800 and specificity 0.750 are closest at 0.40"
    )
    # a constant score: nothing lies between all and none
    assert findings.sweep_finding([(0.0, 1.0, 0.0), (0.5, 0.0, 1.0)], ("PPA", "NPA")) == (
        "every threshold gives PPA 1 and NPA 0, or the reverse"
    )


def lines_and_words(lines: list[tuple[str, list[float], list[float]]]) -> Any:
    """The boxes of the words on a panel in points, and places on its lines; what it drew."""
    seen: dict[str, Any] = {}

    def paint(axes: Any) -> None:
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
        named = [
            Named(name, k, axes.plot(x, y, linestyle="-")[0])
            for k, (name, x, y) in enumerate(lines)
        ]
        before = len(axes.lines)
        name_lines(axes, named, "lower right")
        wide, high = inner_size(axes)
        seen["boxes"] = {
            text.text: (
                text.x * wide,
                text.y * high - 3,
                text.x * wide + width_of(text.text) * SIZE / 9,
                text.y * high + 3,
            )
            for text in axes.texts
        }
        seen["drawn"] = len(axes.lines) - before
        seen["size"] = (wide, high)

    draw(paint)
    return seen


def test_names_stand_beside_their_lines_and_over_none() -> None:
    x = np.linspace(0, 1, 50)
    lines = [("upper", x.tolist(), np.sqrt(x).tolist()), ("lower", x.tolist(), (x**2).tolist())]
    seen = lines_and_words(lines)
    wide, high = seen["size"]
    assert list(seen["boxes"]) == ["upper", "lower"]
    for left, low, right, top in seen["boxes"].values():
        assert 0 <= left < right <= wide
        assert 0 <= low < top <= high
        for _, along, up in lines:
            at = zip(np.array(along) * wide, np.array(up) * high, strict=True)
            assert not [1 for a, b in at if left <= a <= right and low <= b <= top]
    # nearer to its own line than to the other
    for (name, along, up), (_, other, up_other) in zip(lines, lines[::-1], strict=True):
        left, low, right, top = seen["boxes"][name]
        own, rest = (
            np.hypot(
                np.maximum(left - np.array(a) * wide, np.array(a) * wide - right).clip(0),
                np.maximum(low - np.array(b) * high, np.array(b) * high - top).clip(0),
            ).min()
            for a, b in ((along, up), (other, up_other))
        )
        assert own < rest


def test_where_no_name_has_room_all_stand_in_a_key() -> None:
    full = np.tile([0.0, 1.0], 60).tolist()
    lines = [(f"model {k}", np.linspace(0, 1, 120).tolist(), full) for k in range(3)]
    seen = lines_and_words(lines)
    assert list(seen["boxes"]) == ["model 0", "model 1", "model 2"]
    # a stroke and a mark for each
    assert seen["drawn"] == 6


def test_every_chart_names_its_lines() -> None:
    points = {"fpr": [0.0, 0.1, 1.0], "tpr": [0.0, 0.9, 1.0], "threshold": [None, 0.6, 0.2]}
    assert ">forest<" in roc_chart([Curve("forest", 1, points)], []).decode()
    decision = plain_chart(
        [benefit("forest", 0.1, 0.05)], "threshold", "net_benefit", ("threshold", "net benefit"),
        [("treat none", benefit("", 0.1, 0.05).points, "treat_none")],
    ).decode()  # fmt: skip
    assert ">forest<" in decision
    assert ">treat none<" in decision
    swept = draw(sweep_panel([(0.1, 1.0, 0.2), (0.9, 0.1, 1.0)], 0, [])).decode()
    assert ">recall<" in swept
    assert ">specificity<" in swept
    learnt = {part: [(10.0, 0.7, 0.1), (20.0, 0.8, 0.1)] for part in ("test", "train")}
    drawn = draw(panels.learning_panel("forest", 0, learnt, "recall")).decode()
    assert "forest, test rows" in drawn
    assert "forest, training rows" in drawn


@pytest.fixture(scope="module")
def said() -> Any:
    rows = {
        "y": ["ill"] * 4 + ["healthy"] * 7,
        "p": [0.9, 0.8, 0.7, 0.3, 0.75, 0.4, 0.3, 0.2, 0.1, 0.05, 0.04],
        "says": ["ill", "ill", "healthy", "ill", "ill"] + ["healthy"] * 6,
    }
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": "y"}},
        "positive": {"label": "ill"},
        "models": {"scored": {"score": "p"}, "said": {"prediction": "says"}},
        "metrics": ["net_benefit", "recall"],
    }
    return evalreport.run(spec, frames={"d": rows})


def test_labels_alone_have_a_net_benefit_at_each_threshold(said: Any) -> None:
    curves = {c["model"]: c for c in said.json["curves"] if c["kind"] == "decision"}
    points = curves["said"]["points"]
    assert points["threshold"] == curves["scored"]["points"]["threshold"]
    assert set(points["tp"]) == {3}
    assert set(points["fp"]) == {1}
    for t, got in zip(points["threshold"], points["net_benefit"], strict=True):
        assert got == pytest.approx(3 / 11 - 1 / 11 * t / (1 - t), abs=1e-12)
    assert points["treat_all"] == curves["scored"]["points"]["treat_all"]


def test_a_chart_stands_under_its_finding_and_thresholds_are_exact(said: Any) -> None:
    page = said.to_html()
    assert "Net benefit, scored and said" in page
    assert "Rows per bin: " in page
    # of the scores 0.4 is the one with recall 3/4 and specificity 5/7
    assert "Recall 0.750 and specificity 0.714 are closest at 0.40" in page


def test_a_line_far_below_the_axis_takes_no_points_from_what_shows() -> None:
    """Net benefit of treating all at prevalence 0.373: down to -62 at a threshold of 0.99."""
    at = [k / 100 for k in range(1, 100)]
    rows = [(t, 0.373 - 0.627 * t / (1 - t)) for t in at]
    shown = charts._in_sight(rows, -0.04)
    assert shown == rows[: len(shown)]
    assert shown[-2][1] >= -0.04 > shown[-1][1]
    kept = [shown[k] for k in simplified(shown, False)]
    for t, benefit in shown:
        before = max(row for row in kept if row[0] <= t)
        after = min(row for row in kept if row[0] >= t)
        share = 0.0 if after == before else (t - before[0]) / (after[0] - before[0])
        assert before[1] + share * (after[1] - before[1]) == pytest.approx(benefit, abs=0.002)
    assert charts._in_sight(rows[::-1], -0.04) == shown[::-1]
    assert charts._in_sight([(0.1, 0.0), (0.9, 0.0)], -0.04) == [(0.1, 0.0), (0.9, 0.0)]


@pytest.mark.parametrize(
    ("positives", "sides"),
    [((1, 2, 5, 30), ("left", "right")), ((30, 5, 2, 1), ("right", "right"))],
    ids=["high", "low"],
)
def test_which_way_bars_go_is_said_where_they_are_low(
    positives: tuple[int, ...], sides: tuple[str, str]
) -> None:
    points = {
        "low": [0.0, 0.25, 0.5, 0.75], "high": [0.25, 0.5, 0.75, 1.0],
        "positives": positives, "negatives": [40, 20, 5, 1],
    }  # fmt: skip
    said: dict[str, str] = {}

    def paint(axes: Any) -> None:
        charts.distribution_panel(Curve("m", 0, points), ("ill", "well"), 0.5)(axes)
        said.update({words.text: words.ha for words in axes.texts})

    draw(paint)
    assert (said["ill, upwards"], said["well, downwards"]) == sides
