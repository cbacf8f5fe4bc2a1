"""The rows on which two models differ: counts of a paired difference, and the scores of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from evalreport.metrics.catalogue import find
from evalreport.metrics.kinds import Interval
from evalreport.numbers import count_text, difference_text, threshold_text
from evalreport.report.charts.canvas import WHOLE, drawing, panel
from evalreport.report.charts.labels import folded
from evalreport.report.charts.paired_scores import Quadrants, paired_scores
from evalreport.report.charts.style import INK, LINE
from evalreport.report.columns import Column, left, right, table_of
from evalreport.report.contents import Contents, View, view_of
from evalreport.report.findings import paired_finding
from evalreport.report.leading import front_views
from evalreport.report.model import Block, Chart, Charts, Text
from evalreport.report.words import label_text
from evalreport.results.records import Calls, Comparison, ScorePairs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Lines of the table; results.json has all.
MOST_LINES = 24
NOTE = (
    "Rows that the metric counts for both models, for the first or the second alone, and for "
    "neither. Only rows that count for one alone decide the difference and its test."
)


#: What is counted, of which models, and the counts.
WEIGHTED = (
    "Rows are weighted: the weights of the rows on which two models differ are not recorded. "
    "The table of each model has its own."
)
_Pair = tuple[str, str, Calls]


def paired_tables(
    contents: Contents, entries: Sequence[tuple[Comparison, str, str]]
) -> list[Block]:
    """A line for each paired table of some comparisons, given with their title and pair."""
    known: set[tuple[View, View, Calls]] = set()
    found: list[_Pair] = []
    # shares of the rows of a class first: the calls of precision are the same rows
    for entry, title, pair in sorted(entries, key=lambda one: one[0].joint_table is None):
        view = (entry.dataset, entry.model)
        other = (entry.reference_dataset or entry.dataset, entry.reference)
        for what, counts in _counted(entry, title):
            if (view, other, counts) not in known:
                # the same rows counted the other way round: those that do not count
                turned = Calls(counts.neither, counts.second_only, counts.first_only, counts.both)
                known |= {(view, other, counts), (view, other, turned)}
                found.append((what, pair, counts))
    columns: list[Column[_Pair]] = [
        left("metric", lambda one: one[0]),
        left("models", lambda one: one[1]),
        right("both", lambda one: count_text(one[2].both)),
        right("first only", lambda one: count_text(one[2].first_only)),
        right("second only", lambda one: count_text(one[2].second_only)),
        right("neither", lambda one: count_text(one[2].neither)),
        right("rows", lambda one: count_text(sum(astuple(one[2])))),
        right("difference", lambda one: _worked(one[2])),
    ]
    title = "The rows on which two models differ"
    made = table_of(title, found, columns, NOTE, "paired", most=MOST_LINES, noun="tables")
    blocks: list[Block] = [made] if found else []
    lacking = any(_is_weighted_share(contents, entry) for entry, _, _ in entries)
    return [*blocks, Text(WEIGHTED, "small")] if lacking else blocks


def _is_weighted_share(contents: Contents, entry: Comparison) -> bool:
    """Whether two shares of the same weighted rows are compared."""
    declared = find(entry.metric)
    share = declared is not None and declared.interval is Interval.PROPORTION
    return share and entry.paired and contents.is_weighted(view_of(entry))


def _worked(counts: Calls) -> str:
    """The difference with the counts put in."""
    only, rows = (counts.first_only, counts.second_only), sum(astuple(counts))
    worked = f"({count_text(only[0])} − {count_text(only[1])}) / {count_text(rows)}"
    return f"{worked} = {difference_text((only[0] - only[1]) / rows) if rows else 'undefined'}"


def _counted(entry: Comparison, title: str) -> Iterator[tuple[str, Calls]]:
    """The paired tables of a comparison with what is counted in each."""
    if entry.joint_table is not None:
        joint = entry.joint_table
        yield title, Calls(joint.n11, joint.n10, joint.n01, joint.n00)
    elif entry.joint_calls is not None:
        called = label_text(entry.label) if entry.label is not None else "positive"
        calls = entry.joint_calls
        yield f"Called {called}, of actual {called}", calls.actual_positive
        yield f"Called {called}, of the others", calls.actual_negative


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
        for start, shown in zip((LEFT, WHOLE / 2 + LEFT), panels, strict=True):
            paired_scores(panel(figure, start, BOTTOM, SIDE, SIDE), shown)

    model, reference = _names(contents, one)
    caption = f"Scores of {model} and {reference} on the same rows"
    at = [threshold_text(number) for number in (one.threshold, one.reference_threshold)]
    lines = at[0] if at[0] == at[1] else f"{at[0]} of {model}, {at[1]} of {reference}"
    aside = (
        f"Dashed: threshold {lines}. Larger dots are more rows. Highlighted: rows that count for "
        f"one model alone.{more}"
    )
    right = "agrees" if one.dataset in contents.words.agreement else "is right"
    told = [f"{own.heading}: {', '.join(words for words, _ in own.corners)}" for own in panels]
    return Chart(
        drawing(draw, WHOLE, TOP + SIDE + BOTTOM),
        f"{caption}. {'; '.join(told)}.",
        caption,
        aside,
        wide=True,
        finding=paired_finding(
            (model, reference), one.calls(one.positives), one.calls(one.negatives), right
        ),
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
