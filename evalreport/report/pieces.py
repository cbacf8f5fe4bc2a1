"""The smallest things printed: formulas in pieces, counts with marks, numbers, cards."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar


@dataclass(frozen=True)
class FormulaPiece:
    """A piece of a formula; ``mark`` is ``"top"`` above a line, ``"bottom"`` below, else plain."""

    text: str
    mark: str = ""


@dataclass(frozen=True)
class Mark:
    """How a model is told apart: by shape and word first, by colour last.

    ``key`` is a long name as tables print it, which say below what it is.
    """

    name: str
    symbol: str
    style: str
    key: str = ""


@dataclass(frozen=True)
class Orientation:
    """Which classes stand in the rows of every classification table, and the words for both.

    ``transposed``: predicted classes stand in rows and actual ones in columns.
    ``corner`` is what the corner of a table says, downwards and across.
    """

    actual: str = "actual"
    predicted: str = "predicted"
    transposed: bool = False
    corner: tuple[str, str] = field(init=False)

    def __post_init__(self) -> None:
        words = (self.actual, self.predicted)
        down, across = words[::-1] if self.transposed else words
        object.__setattr__(self, "corner", (f"{down} ↓", f"{across} →"))


#: Actual classes in rows, as tables of results have them.
ACTUAL_IN_ROWS = Orientation()


@dataclass(frozen=True)
class CountCell:
    """One count of a table.

    ``rows``: how many rows an estimated count comes from, else empty. ``shade`` of a mistake of
    several classes: 1 to 3 by its share of the row, 4 for the largest three of the table.
    """

    text: str
    role: str = ""
    total: bool = False
    strong: bool = False
    rows: str = ""
    shade: int = 0


@dataclass(frozen=True)
class CountHead:
    """The head of a row or column of a table of counts: a class, or what is no class.

    ``exact`` is the label where the shown text is not it. Where columns are headed by numbers,
    ``number`` stands in place of the name of a column, and before that of a row.
    """

    label: str
    exact: str | None = None
    strong: bool = False
    total: bool = False
    number: str = ""


@dataclass(frozen=True)
class CountRow(CountHead):
    """The row of one class, or of totals."""

    cells: tuple[CountCell, ...] = ()


@dataclass(frozen=True)
class CountTable:
    """A classification table as it is printed; ``partial`` says what is left out.

    ``crowded``: counts and their role do not stand side by side in a cell. ``ringed``: the largest
    mistakes have an outline.
    """

    table: str
    caption: str
    columns: tuple[CountHead, ...]
    rows: tuple[CountRow, ...]
    partial: str = ""
    crowded: bool = False
    ringed: bool = False
    orientation: Orientation = ACTUAL_IN_ROWS
    kind: ClassVar[str] = "counts"


@dataclass(frozen=True)
class Whisker:
    """Dot and whisker on an axis, in percent of its width; ``required`` has a place per criterion.

    ``low`` is the distance of the lower limit from the left end, ``high`` that of the
    upper limit from the right end.
    """

    point: str
    low: str | None
    high: str | None
    required: tuple[str, ...]
    zero: str | None
    style: str
    words: str


@dataclass(frozen=True)
class Number:
    """A measure as printed, with the hooks that tie it to results.json."""

    measure: str
    metric: str
    label: str
    average: str
    value: str
    text: str
    state: str
    interval: str = ""
    level: str = ""
    method: str = ""
    reason: str = ""
    n: str = ""
    table: str = ""
    whisker: Whisker | None = None


@dataclass(frozen=True)
class LineCell:
    """A cell of a line: text, a count of a flat table (``cell``), or a number.

    ``counts`` are the cells of a flat table, by name, that stand below the text; ``table`` is
    its name where the line has several. ``aside`` stands below the text, ``href`` is where it
    leads, ``outcome`` the stamp that it is drawn as.
    """

    text: str = ""
    cell: str = ""
    top: bool = False
    frame: str = ""
    number: Number | None = None
    mark: Mark | None = None
    strong: bool = False
    head: bool = False
    counts: tuple[tuple[str, str], ...] = ()
    table: str = ""
    whisker: Whisker | None = None
    aside: str = ""
    href: str = ""
    outcome: str = ""


@dataclass(frozen=True)
class Card:
    """A number, its interval and its arithmetic; ``flat`` is its table of two classes laid flat."""

    number: Number
    mark: Mark | None
    formula: tuple[FormulaPiece, ...]
    substituted: tuple[FormulaPiece, ...]
    result: str
    flags: tuple[str, ...] = ()
    detail: str = ""
    flat: tuple[LineCell, ...] = ()
