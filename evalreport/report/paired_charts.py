"""Both scores of the rows that two models share: where each row lies, and who is right on it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from evalreport.report.charts.canvas import WHOLE, drawing, panel
from evalreport.report.charts.labels import folded
from evalreport.report.charts.paired_scores import Quadrants, paired_scores
from evalreport.report.charts.style import INK, LINE
from evalreport.report.contents import Contents
from evalreport.report.leading import front_views
from evalreport.report.model import Block, Chart, Charts
from evalreport.report.numbers import count_text, threshold_text
from evalreport.results.records import Calls, ScorePairs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Pairs that are drawn; results.json has all.
MOST_PAIRS = 2
#: A panel in points: its side, and the room at its left, below it and above it.
SIDE, LEFT, BOTTOM, TOP = 146.0, 28.0, 40.0, 30.0
#: Words for what both models are, or one of them alone; AGREES with a target that is another test.
RIGHT, AGREES = ("right", "wrong", "right"), ("agree", "differ", "agrees")
#: Letters of the name of a model beside a count: of an alphabet, and of scripts of wide signs.
LETTERS, WIDE = 11, 6


def paired_charts(contents: Contents) -> list[Block]:
    """A chart of two panels for each of the first pairs of models with scores on the same rows.

    Pairs of models that the first page has come first.
    """
    front = front_views(contents)

    def apart(one: ScorePairs) -> int:
        return sum((one.dataset, name) not in front for name in (one.model, one.reference))

    records = sorted(contents.of(ScorePairs), key=apart)
    left = len(records) - MOST_PAIRS
    verb = "pair is" if left == 1 else "pairs are"
    more = f" {left} more {verb} in results.json." if left > 0 else ""
    drawn = records[:MOST_PAIRS]
    return [Charts((_chart(contents, one, more if one is drawn[-1] else ""),)) for one in drawn]


def _chart(contents: Contents, one: ScorePairs, more: str) -> Chart:
    panels = _panels(contents, one)

    def draw(figure: Figure) -> None:
        for left, shown in zip((LEFT, WHOLE / 2 + LEFT), panels, strict=True):
            paired_scores(panel(figure, left, BOTTOM, SIDE, SIDE), shown)

    model, reference = _names(contents, one)
    caption = f"Scores of {model} and {reference} on the same rows"
    at = [threshold_text(number) for number in (one.threshold, one.reference_threshold)]
    lines = at[0] if at[0] == at[1] else f"{at[0]} of {model}, {at[1]} of {reference}"
    aside = (
        f"Dashed: threshold {lines}. Larger dots are more rows. Highlighted: rows that count for "
        f"one model alone.{more}"
    )
    told = [f"{own.heading}: {', '.join(words for words, _ in own.corners)}" for own in panels]
    return Chart(
        drawing(draw, WHOLE, TOP + SIDE + BOTTOM),
        f"{caption}. {'; '.join(told)}.",
        caption,
        aside,
        wide=True,
        name="paired_scores",
    )


def _names(contents: Contents, one: ScorePairs) -> tuple[str, str]:
    """The model and its reference, as the report calls them."""
    model, reference = (
        contents.mark((one.dataset, name)).name for name in (one.model, one.reference)
    )
    return model, reference


def _short(name: str) -> str:
    """A name with room beside a count."""
    wide = any(east_asian_width(sign) in "WF" for sign in name)
    return folded(name, WIDE if wide else LETTERS, 1)


def _panels(contents: Contents, one: ScorePairs) -> list[Quadrants]:
    """The positives and the others, drawn on one scale."""
    model, reference = map(_short, _names(contents, one))
    sides = (one.positives, one.negatives)
    others = [c for c in contents.classes((one.dataset, one.model)) if c != one.label]
    labels = (one.label, others[0] if others else f"not {one.label}")
    ends = (
        [x for own in sides for x in own.reference_scores],
        [y for own in sides for y in own.model_scores],
    )
    words = AGREES if one.dataset in contents.words.agreement else RIGHT
    most = max((rows for own in sides for rows in own.rows), default=1)
    return [
        Quadrants(
            heading=contents.rows_of(sum(own.rows), labels[k], positive=not k),
            names=(reference, model),
            corners=_corners(one.calls(own), (model, reference), words, positive=not k),
            cells=list(zip(own.reference_scores, own.model_scores, own.rows, strict=True)),
            at=(one.reference_threshold, one.threshold),
            ends=ends,
            most=most,
            color=LINE if k else INK,
        )
        for k, own in enumerate(sides)
    ]


def _corners(
    calls: Calls, names: tuple[str, str], words: tuple[str, str, str], *, positive: bool
) -> tuple[tuple[str, bool], ...]:
    """The counts of the quadrants in words: above at the left and right, then below."""
    first, second = names if positive else names[::-1]
    right, wrong, one = words
    above, below = (right, wrong) if positive else (wrong, right)
    return (
        (f"{count_text(calls.first_only)} only {first} {one}", True),
        (f"{count_text(calls.both)} both {above}", False),
        (f"{count_text(calls.neither)} both {below}", False),
        (f"{count_text(calls.second_only)} only {second} {one}", True),
    )
