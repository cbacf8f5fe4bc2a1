"""How to read the report: marks, shapes of the metrics used, the question and its limits."""

from __future__ import annotations

from evalreport.report.contents import Contents, grouped
from evalreport.report.marking import Marks, table_marks
from evalreport.report.marking import Shape as TableShape
from evalreport.report.model import Block, Facts, Legend, Shape, Shapes
from evalreport.report.numbers import level_text
from evalreport.report.parts import CountCell
from evalreport.report.regions import regions
from evalreport.report.words import measure_title, prose

MOST_SHAPES = 14
ABOUT = (
    ("question", "Question"),
    ("intended_use", "Intended use"),
    ("out_of_scope", "Out of scope"),
    ("limitations", "Limitations"),
    ("primary_metric", "Why this metric"),
)


def guide_blocks(contents: Contents) -> list[Block]:
    """The legend, the shapes of the metrics, and the free text of the spec."""
    confidence = contents.one("spec").get("confidence") or {}
    level = level_text(float(confidence.get("level", 0.95))) if isinstance(confidence, dict) else ""
    models = tuple(contents.mark(view) for view in contents.views[:10])
    blocks: list[Block] = [Legend(level, models)]
    shapes = _shapes(contents)
    if shapes:
        blocks.append(Shapes("The shape of each metric", tuple(shapes)))
    blocks.append(_about(contents))
    return blocks


def _shapes(contents: Contents) -> list[Shape]:
    found = []
    measures = [m for v in contents.views[:1] if contents.is_binary(v) for m in contents.pooled(v)]
    for same in grouped(measures).values():
        m = same[0]
        if regions(str(m["metric"]), m.get("params") or {}, False):
            found.append(Shape(measure_title(m), _grid(table_marks(m, TableShape(2, index=1)))))
    return found[:MOST_SHAPES]


def _grid(marks: Marks) -> tuple[tuple[CountCell, ...], ...]:
    """The small table of a shape: names for counts, dots for totals."""
    names = (("TN", "FP"), ("FN", "TP"))
    rows = []
    for i in range(3):
        cells = []
        for j in range(3):
            text = names[i][j] if i < 2 and j < 2 else "·"
            weight = marks.top.get((i, j), "")
            cells.append(
                CountCell(
                    text,
                    "",
                    (i, j) in marks.top,
                    marks.frames.get((i, j), ""),
                    weight,
                    i == 2 or j == 2,
                )
            )
        rows.append(tuple(cells))
    return tuple(rows)


def _about(contents: Contents) -> Facts:
    about = contents.one("spec").get("about") or {}
    known = [key for key, _ in ABOUT]
    items = [
        (title, prose(about[key]) if about.get(key) else "not provided") for key, title in ABOUT
    ]
    items += [
        (key.replace("_", " ").capitalize(), prose(about[key]))
        for key in about
        if key not in known and isinstance(about[key], str)
    ]
    return Facts("What is evaluated, and what for", tuple(items), "about")
