"""How to read the report: its marks, the names of the cells, the question and its limits."""

from __future__ import annotations

from evalreport.report.columns import Column, left, table_of
from evalreport.report.contents import Contents
from evalreport.report.count_tables import turned_counts
from evalreport.report.marking import positive_index, role_text
from evalreport.report.model import Block, Facts, Legend, TableBlock
from evalreport.report.sections import section
from evalreport.report.words import label_text, prose
from evalreport.results.records import Criterion

#: What the counts of a table of two classes are called.
CELLS = {
    "TP": "TP, true positives: found",
    "FN": "FN, false negatives: missed, type II errors",
    "FP": "FP, false positives: false alarms, type I errors",
    "TN": "TN, true negatives: correctly called negative",
}
ORIENTATION = (
    "Some texts put predictions in rows, or the positive class first: then the same four counts "
    "are in other corners."
)
#: The same of tables that have the result of a test in rows.
OF_TESTS = (
    "Here and in every table of this report the result of the test is in rows, and the {} in "
    "columns, the positive class first. Some texts have it the other way round, or the positive "
    "class last: then the same four counts are in other corners."
)
#: Words that sentences are made with, and nothing by themselves.
NOUNS = ("unit", "positive_means", "negative_means")
#: What stands below the title of every report.
AT_THE_HEAD = ("question", "intended_use")
ABOUT = (
    ("question", "Question"),
    ("intended_use", "Intended use"),
    ("out_of_scope", "Out of scope"),
    ("limitations", "Limitations"),
    ("primary_metric", "Why this metric"),
)


@section("guide", "How to read and check this report", short="How to read")
def guide_blocks(contents: Contents) -> list[Block]:
    """The legend, the names of the cells, and the free text of the spec."""
    models = tuple(contents.mark(view) for view in contents.views[:10])
    blocks: list[Block] = (
        [Legend(models, bool(contents.of(Criterion)))] if contents.measures else []
    )
    words = _words_of_cells(contents)
    blocks += [] if words is None else [words]
    return [*blocks, *_about(contents)]


def _words_of_cells(contents: Contents) -> TableBlock | None:
    """A table of two classes with the names of its cells, in the order of the report's tables."""
    table = next((t for t in contents.tables.values() if len(t.labels) == 2 and t.positive), None)
    if table is None:
        return None
    positive = positive_index(table)
    order = [1, 0] if contents.words.positive_first and positive else [0, 1]
    labels = [label_text(table.labels[i]) for i in order]
    how = contents.orientation(table.dataset)
    columns: list[Column[tuple[str, list[str]]]] = [
        left(" ".join(how.corner), lambda one: one[0]),
        left(labels[0], lambda one: one[1][0]),
        left(labels[1], lambda one: one[1][1]),
    ]
    cells = [[CELLS[role_text(i, j, positive)] for j in order] for i in order]
    rows = zip(labels, turned_counts(cells, how), strict=True)
    standard = "reference standard (the disease)" if how.actual == "reference" else how.actual
    said = OF_TESTS.format(standard) if how.transposed else ORIENTATION
    return table_of("The four cells", rows, columns, said)


def _about(contents: Contents) -> list[Facts]:
    """What the spec says of the evaluation and the head of the report does not.

    Templates that a reader holds against a list of such items name those that are lacking.
    """
    about = contents.about
    listed = bool(contents.words.study)
    # what page one has a line for stands there
    above = contents.words.study_fields
    known = {key for key, _ in ABOUT} | {*NOUNS, *above}
    items = [
        (title, prose(about[key]) if about.get(key) else "not provided")
        for key, title in ABOUT
        if key not in above and (listed or (about.get(key) and key not in AT_THE_HEAD))
    ]
    items += [
        (key.replace("_", " ").capitalize(), prose(about[key]))
        for key in about
        if key not in known and about[key] not in (None, "", [], {})
    ]
    return [Facts("What is evaluated, and what for", tuple(items), "about")] if items else []
