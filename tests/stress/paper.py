"""The boxes of pages on paper, by the elements and the text that they are drawn for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import weasyprint
from golden.words_on_paper import Word

from evalreport.render.paper import _fetcher

#: Boxes that are parts of an element's own box.
PARTS = {"LineBox", "TextBox"}
#: Pixels by which a word may reach over a frame: the edge of its last letter.
OVER = 1.0
#: What names what stands below it.
HEADS = {"h1", "h2", "h3", "caption", "thead"}
#: Boxes of words and of pictures.
INKED = {"TextBox", "InlineReplacedBox", "BlockReplacedBox"}
#: Lines up to which a table stays on one page.
SHORT_TABLE = 12
#: From the pixels of weasyprint to points.
POINTS = 0.75


class Box(NamedTuple):
    """A drawn box: the number of its page, its element and its edges in points."""

    page: int
    element: Any
    left: float
    top: float
    right: float
    bottom: float


class Paper:
    """A page, drawn for paper, as it is laid out, read once."""

    def __init__(self, html: str) -> None:
        self._document = weasyprint.HTML(string=html, url_fetcher=_fetcher()).render()
        pages = [page._page_box for page in self._document.pages]
        self._sheets = [[*page.descendants()] for page in pages]
        #: Where the text of each page begins, and how high it may be, in points.
        self._rooms = [(p.content_box_y() * POINTS, p.height * POINTS) for p in pages]

    def __len__(self) -> int:
        return len(self._sheets)

    def pdf(self) -> bytes:
        """The pages as a file, with the words of the charts; without its structure."""
        return bytes(self._document.write_pdf())

    def boxes(self, css_class: str) -> list[Box]:
        """Every box of the elements of a class; an element that is split has several."""
        found = []
        for number, sheet in enumerate(self._sheets, start=1):
            for box in sheet:
                element = getattr(box, "element", None)
                classes = (element.get("class") or "").split() if element is not None else ()
                # lines beside blocks are put into a box that has the element of their parent
                anonymous = type(getattr(box, "style", None)).__name__ == "AnonymousStyle"
                if css_class in classes and type(box).__name__ not in PARTS and not anonymous:
                    left, top = box.border_box_x() * POINTS, box.border_box_y() * POINTS
                    wide, high = box.border_width() * POINTS, box.border_height() * POINTS
                    found.append(Box(number, element, left, top, left + wide, top + high))
        return found

    def words(self) -> Iterator[list[Word]]:
        """The runs of text of each page, from top to bottom."""
        for sheet in self._sheets:
            found = [
                _word(box)
                for box in sheet
                if type(box).__name__ == "TextBox" and box.text.strip() and _is_seen(box)
            ]
            yield sorted(found, key=lambda word: word.top)

    def type_below(self, least: float) -> list[tuple[int, str, float]]:
        """The page, text and size of what is set in smaller type than so many points."""
        return [
            (number, box.text.strip()[:40], round(box.style["font_size"] * POINTS, 2))
            for number, sheet in enumerate(self._sheets, start=1)
            for box in sheet
            if type(box).__name__ == "TextBox"
            and box.text.strip()
            and _is_seen(box)
            and box.style["font_size"] * POINTS < least
        ]

    def over_frames(self) -> list[tuple[int, str]]:
        """The page and text of words that reach over the frame of their cell, to either side."""
        found = []
        for number, sheet in enumerate(self._sheets, start=1):
            for cell in (box for box in sheet if type(box).__name__ == "TableCellBox"):
                left = cell.border_box_x() - OVER
                right = left + cell.border_width() + 2 * OVER
                found += [
                    (number, box.text.strip()[:40])
                    for box in cell.descendants()
                    if type(box).__name__ == "TextBox"
                    and box.text.strip()
                    and _is_seen(box)
                    and (box.position_x < left or _right_end(box) > right)
                ]
        return found

    def without_counts(self, measures: Sequence[Mapping[str, Any]]) -> list[tuple[int, str]]:
        """The page and the id of each value without its counts on that page.

        They are in its row or its card, or in its table elsewhere on the page; of an average in
        the tables of all classes or labels, and of a mean over folds in that of all rows.
        """
        known = {m["id"]: m for m in measures}
        of_all = {
            (m["dataset"], m["model"]): m["table"]
            for m in reversed(measures)
            if m["table"] and m["fold"] is None and not m["subgroup"]
        }
        found = []
        for number, sheet in enumerate(self._sheets, start=1):
            here = {id(box.element): box.element for box in sheet if box.element is not None}
            row_of = {id(cell): e for e in here.values() if e.tag == "tr" for cell in e}
            shown = set().union(*map(_tables_counted_in, here.values()))
            for element in here.values():
                if (name := element.get("data-measure")) is None:
                    continue
                row = row_of.get(id(element), element)
                m = known[name]
                needed = {m["table"]} if m["table"] else set(m["tables"])
                if m["fold"] == "mean":
                    needed = {of_all[m["dataset"], m["model"]]}
                if not _has_counts(row) and not needed <= shown:
                    found.append((number, name))
        return found

    def repeated_tables(self) -> dict[str, list[int]]:
        """The pages of each table of several classes that is printed more than twice."""
        found: dict[str, list[int]] = {}
        for box in self.boxes("cm"):
            found.setdefault(box.element.get("data-table"), []).append(box.page)
        return {name: pages for name, pages in found.items() if len(pages) > 2}

    def torn(self) -> list[tuple[int, str]]:
        """The page and the first words of parts of tables that should not be apart.

        Those of short tables, and those of long ones without their head or of fewer than three
        lines.
        """
        found = []
        for number, sheet in enumerate(self._sheets, start=1):
            for box in sheet:
                element = getattr(box, "element", None)
                if type(box).__name__ != "TableBox" or element.tag != "table":
                    continue
                rows = [part for part in box.descendants() if type(part).__name__ == "TableRowBox"]
                heads = {id(row) for head in element.iter("thead") for row in head.iter("tr")}
                lines = [row for row in element.iter("tr") if id(row) not in heads]
                here = sum(id(row.element) not in heads for row in rows)
                headless = len(rows) - here < len(heads)
                if here < len(lines) and (len(lines) <= SHORT_TABLE or headless or here < 3):
                    found.append((number, " ".join("".join(element.itertext()).split())[:50]))
        return found

    def ending_in_a_head(self) -> list[tuple[int, str]]:
        """The page and the words of headings and captions below which nothing stands."""
        found = []
        for number, sheet in enumerate(self._sheets, start=1):
            top, room = self._rooms[number - 1]
            inked = [
                box
                for box in sheet
                if type(box).__name__ in INKED and top < box.position_y * POINTS < top + room
            ]
            last = max(inked, key=lambda box: box.position_y + box.margin_height(), default=None)
            if last is None or last.element is None:
                continue
            if last.element.tag in HEADS:
                found.append((number, "".join(last.element.itertext())[:50]))
        return found

    def alone(self, name: str) -> list[int]:
        """The pages on which nothing stands but the element of a name and what is in it."""
        inside = {
            id(part)
            for sheet in self._sheets
            for box in sheet
            if (element := getattr(box, "element", None)) is not None and element.get("id") == name
            for part in element.iter()
        }
        found = []
        for number, sheet in enumerate(self._sheets, start=1):
            top, room = self._rooms[number - 1]
            words = [
                box
                for box in sheet
                if type(box).__name__ in INKED
                and top <= box.position_y * POINTS <= top + room
                and box.element is not None
            ]
            if words and all(id(box.element) in inside for box in words):
                found.append(number)
        return found

    def white_feet(self) -> list[float]:
        """The share of the height of each page that is empty below its last words or picture."""
        found = []
        for sheet, (top, room) in zip(self._sheets, self._rooms, strict=True):
            feet = [
                (box.position_y + box.margin_height()) * POINTS
                for box in sheet
                if type(box).__name__ in INKED
            ]
            inside = [foot for foot in feet if top < foot <= top + room + 1]
            found.append(1 - (max(inside, default=top) - top) / room)
        return found


def _has_counts(element: Any) -> bool:
    """Whether an element holds the four cells of a table, or of a class against the others."""
    return bool(element.get("data-classes")) or any(e.get("data-cell") for e in element.iter())


def _tables_counted_in(element: Any) -> set[str]:
    """The tables whose counts an element prints: whole, laid flat, or class by class."""
    name = element.get("data-table")
    whole = {name} if name and (element.tag == "table" or _has_counts(element)) else set()
    return whole | set((element.get("data-classes") or "").split())


def _right_end(box: Any) -> float:
    """Where the letters of a run of text end, without the spaces after them."""
    text = box.text
    kept = len(text.rstrip()) / max(len(text), 1)
    return float(box.position_x + box.width * kept)


def _word(box: Any) -> Word:
    """A run of text, from the height of its capitals to the foot of its descenders."""
    size = box.style["font_size"]
    line = box.position_y + box.baseline
    left, right = box.position_x, box.position_x + box.width
    edges = (left, line - 0.72 * size, right, line + 0.22 * size)
    return Word(*(edge * POINTS for edge in edges), box.text.strip())


def _is_seen(box: Any) -> bool:
    """Whether a text is not for listeners only."""
    return box.element is None or "vh" not in (box.element.get("class") or "").split()


def split(found: list[Box]) -> list[str]:
    """The text of elements that are drawn in more than one box."""
    drawn = Counter(id(box.element) for box in found)
    return ["".join(b.element.itertext())[:60] for b in found if drawn[id(b.element)] > 1]
