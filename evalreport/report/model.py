"""The report as a value: what stands on the page, in order, with nothing left to compute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import ClassVar

from evalreport.report.pieces import (
    ACTUAL_IN_ROWS,
    Card,
    CountTable,
    FormulaPiece,
    LineCell,
    Mark,
    Orientation,
)


@dataclass(frozen=True)
class MetricBlock:
    """One metric: what it is, its formula where its models share it, a card for each."""

    title: str
    aka: str
    meaning: str
    cards: tuple[Card, ...]
    formula: tuple[FormulaPiece, ...] = ()
    kind: ClassVar[str] = "metric"


@dataclass(frozen=True)
class Line:
    """A row of a table; of cells that are words alone the first is its head.

    ``table`` is the classification table that is laid flat in it. ``whole``: it is of one measure,
    that of its last number, whose limits have a cell of their own. ``head`` opens a group of
    ``inner`` rows. ``hook`` is the name and the value of its ``data-`` attribute, where it has one.
    """

    cells: tuple[str | LineCell, ...]
    whole: bool = False
    table: str = ""
    rule: bool = False
    strong: bool = False
    head: bool = False
    inner: bool = False
    hook: tuple[str, ...] = ()


@dataclass(frozen=True)
class Head:
    """The head of a column of a table; the style sheet gives it its width."""

    text: str
    align: str = "left"


#: What the caption of a further part of one table ends with.
CONTINUED = ", continued"


@dataclass(frozen=True)
class TableBlock:
    """A table: of words and figures (``plain``), or of classification tables laid flat, one a row.

    ``ticks``: numbers at even distances along the axis of a column of whiskers; ``axis`` says
    what the upright line in its rows is, where the axis is drawn; ``legend``
    what the keys in place of long names are.
    """

    caption: str
    columns: tuple[Head, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    style: str = ""
    ticks: tuple[str, ...] = ()
    axis: str = ""
    legend: str = field(init=False)
    kind: ClassVar[str] = "table"

    def __post_init__(self) -> None:
        cells = (cell for line in self.lines for cell in line.cells if not isinstance(cell, str))
        keyed = {cell.mark for cell in cells if cell.mark is not None and cell.mark.key}
        told = [f"{m.symbol} {m.key}: {m.name}" for m in sorted(keyed, key=attrgetter("key"))]
        object.__setattr__(self, "legend", f"{'; '.join(told)}." if told else "")


@dataclass(frozen=True)
class Stamp:
    """What came of the criteria in one word, and the sentences beside it, each with its name.

    ``outcome`` is that of the word: ``none`` where no limit was set.
    """

    word: str
    outcome: str
    told: str
    sentences: tuple[tuple[str, str], ...]
    kind: ClassVar[str] = "stamp"


@dataclass(frozen=True)
class Facts:
    """Names with what is said of them."""

    title: str
    items: tuple[tuple[str, str], ...]
    style: str = ""
    aside: str = ""
    kind: ClassVar[str] = "facts"


@dataclass(frozen=True)
class LedgerRow:
    """A line of an account of rows."""

    text: str
    count: str
    share: str = ""
    style: str = ""


@dataclass(frozen=True)
class Ledgers:
    """What the labels mean and where the rows went."""

    labels: tuple[Facts, ...]
    rows: tuple[tuple[str, tuple[LedgerRow, ...]], ...]
    kind: ClassVar[str] = "ledgers"


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str
    style: str = ""
    kind: ClassVar[str] = "text"


@dataclass(frozen=True)
class Heading:
    """A heading inside a section."""

    text: str
    aside: str = ""
    kind: ClassVar[str] = "heading"


@dataclass(frozen=True)
class Note:
    """A caution: what was found, once for each place.

    ``anchor`` is its name for links, in its one place in full and on each line that leads there;
    the title is the sentence by which it is known everywhere, ``messages`` are the rest;
    ``concludes``: the title says what was found, not only of which kind it is.
    """

    severity: str
    code: str
    title: str
    messages: tuple[str, ...]
    anchor: str = ""
    concludes: bool = False


@dataclass(frozen=True)
class Notes:
    """Cautions, alike ones together; ``brief`` ones take a line each."""

    title: str
    items: tuple[Note, ...]
    style: str = ""
    kind: ClassVar[str] = "notes"


@dataclass(frozen=True)
class Failure:
    """A section or part that could not be made."""

    text: str
    kind: ClassVar[str] = "failure"


@dataclass(frozen=True)
class TablePair:
    """Narrow plain tables side by side."""

    tables: tuple[TableBlock, ...]
    kind: ClassVar[str] = "halves"


@dataclass(frozen=True)
class Drawing:
    """What an ``svg`` element holds, the box it is drawn in, and its size in CSS pixels.

    ``picture`` draws the same as PNG.
    """

    markup: str
    box: str
    width: int
    height: int
    picture: Callable[[], bytes] = field(default=bytes, compare=False, repr=False)


@dataclass(frozen=True)
class Chart:
    """A chart: its drawing, what it shows in words, and its data as tables.

    ``finding`` is what follows from its points, and its title where there is one; ``name`` is
    that of its kind, for files.
    """

    drawing: Drawing
    alt: str
    caption: str
    aside: str = ""
    data: tuple[TableBlock, ...] = ()
    wide: bool = False
    finding: str = ""
    name: str = "chart"


@dataclass(frozen=True)
class Charts:
    """Charts side by side; ``front``: the one beside the tables of the first page."""

    charts: tuple[Chart, ...]
    style: str = ""
    kind: ClassVar[str] = "charts"


@dataclass(frozen=True)
class Tables:
    """Classification tables side by side, referred to by the numbers around them.

    ``large`` ones stand before the metrics that are read off them; ``beside`` a chart, or with a
    table ``aside`` them. On paper ``large`` ones stand on each page of the metrics that follow
    them, and those that head a section (``whole``) on each page of it.
    """

    tables: tuple[CountTable, ...]
    across: int = 2
    large: bool = False
    beside: bool = False
    aside: TableBlock | None = None
    whole: bool = False
    kind: ClassVar[str] = "tables"


@dataclass(frozen=True)
class Again:
    """Tables that another section has as well: unfolded where asked for, on paper there alone."""

    title: str
    blocks: tuple[Tables, ...]
    kind: ClassVar[str] = "again"


@dataclass(frozen=True)
class Legend:
    """How the marks of the report are read; its words are the template's.

    ``judged``: there are criteria, whose requirements stand on the axes.
    """

    models: tuple[Mark, ...]
    judged: bool = False
    kind: ClassVar[str] = "legend"


@dataclass(frozen=True)
class Code:
    """Text shown as it was written."""

    title: str
    text: str
    kind: ClassVar[str] = "code"


@dataclass(frozen=True)
class Signatures:
    """Lines for those who sign: meaning, printed name and role of each.

    ``date`` is that of the first line, where it is signed.
    """

    lines: tuple[tuple[str, str, str], ...]
    date: str = ""
    kind: ClassVar[str] = "signatures"


@dataclass(frozen=True)
class Position:
    """A threshold to choose: its counts, the metrics of these, and its place on the ROC curve.

    ``counts`` are the rows of its table as the report lays tables. ``x`` and ``y`` are in a
    square of 100 units, from the top left; empty where a rate is of no rows. ``used`` is the
    threshold of the report.
    """

    threshold: str
    tn: str
    fp: str
    fn: str
    tp: str
    metrics: tuple[tuple[str, str], ...]
    counts: tuple[tuple[str, str], ...]
    x: str
    y: str
    used: bool = False


@dataclass(frozen=True)
class Chooser:
    """Thresholds of one model, of which one is shown at a time; for the screen alone.

    ``condition`` says when a row is predicted positive, the threshold following; ``labels`` are
    the two classes in order; ``chosen`` is the number of the position shown at first.
    """

    name: str
    title: str
    condition: str
    labels: tuple[str, str]
    axes: tuple[str, str]
    path: str
    positions: tuple[Position, ...]
    chosen: int = 1
    orientation: Orientation = ACTUAL_IN_ROWS
    kind: ClassVar[str] = "chooser"


@dataclass(frozen=True)
class FlowStep:
    """A step that rows pass or leave at, with what it consists of."""

    name: str
    count: str
    parts: tuple[str, ...]


@dataclass(frozen=True)
class FlowBranches:
    """Where one step parts: by the result of a test, say, with what became of each."""

    title: str
    steps: tuple[FlowStep, ...]


@dataclass(frozen=True)
class Flow:
    """Where rows went, as boxes in order, which then part; what is no row is counted ``apart``."""

    title: str
    steps: tuple[FlowStep, ...]
    branches: tuple[FlowBranches, ...] = ()
    apart: tuple[FlowStep, ...] = ()
    note: str = ""
    kind: ClassVar[str] = "flow"


@dataclass(frozen=True)
class ChecklistItem:
    """An item of a checklist: where its content stands (section id and name), or that none does."""

    item: str
    label: str
    status: str
    text: str
    sections: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Checklist:
    """A checklist annex."""

    title: str
    count: str
    edition: str
    url: str
    items: tuple[ChecklistItem, ...]
    kind: ClassVar[str] = "checklist"


Block = (
    MetricBlock
    | TableBlock
    | Stamp
    | Facts
    | Ledgers
    | Text
    | Heading
    | Notes
    | Failure
    | TablePair
    | Charts
    | Tables
    | Again
    | Legend
    | Code
    | Chooser
    | Flow
    | Checklist
    | Signatures
)


@dataclass(frozen=True)
class Section:
    """A numbered section; ``run_on`` sections do not start a page."""

    id: str
    number: str
    title: str
    short: str
    intro: str
    blocks: tuple[Block, ...]
    run_on: bool = False


@dataclass(frozen=True)
class Report:
    """The whole report."""

    title: str
    lead: str
    language: str
    identifier: str
    issued: str
    created: str
    version: str
    spec: str
    sections: tuple[Section, ...]
    outcome: str
    kicker: str = "Classifier evaluation report"
    protocol: str = ""
    light: bool = False
    large: bool = False
    logo: str = ""
    signed: str = "UNSIGNED"
