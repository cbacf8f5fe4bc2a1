"""The report as a Word document, from the same value as the page: to be pasted from and signed.

Headings, captions, tables with heads that repeat and pictures with words beside them are Word's
own, so a document can be navigated, restyled and read aloud. Its looks are the styles of
``templates/word/reference.docx``. Pictures are PNG of the same drawings. The same report gives the
same bytes: no clock but the run's, no random ids.

Whiskers beside rows and the choice of a threshold are of the page alone; the numbers that they
show stand in the tables. The module is long as it writes each of the twenty kinds of blocks.
"""

from __future__ import annotations

import importlib.util
import io
import re
import zipfile
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from evalreport.errors import MissingLibraryError, Problem
from evalreport.lines import cut
from evalreport.render.shipped import templates_folder
from evalreport.report import model as m
from evalreport.report.directions import isolated
from evalreport.report.pieces import Card, CountCell, CountTable, FormulaPiece, LineCell, Number

if TYPE_CHECKING:
    from docx.document import Document
    from docx.table import Table, _Cell
    from docx.text.paragraph import Paragraph

#: What no XML document may hold.
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
#: All files of the archive have this date, as archives need one.
DATE = (1980, 1, 1, 0, 0, 0)
WIDTH_MM = 170.0
#: The chart of the first page.
FRONT_MM = 58.0
#: The cells of the stamp and of the sentences beside it.
STAMP_MM = (42.0, 128.0)
#: What a letter of a table takes at most, and both margins of a cell.
LETTER_MM, PAD_MM = 1.9, 2.6
#: The shade of cells above the line, and those of outcomes beside their words.
ABOVE = "FFF3C4"
OUTCOMES = {"pass": ("Pass", "E1F2E8"), "fail": ("Fail", "FBE4E4")}
OPEN = ("", "EEF1F4")
#: Columns above which a table is set smaller.
MOST_WIDE = 8
#: Letters that a property of a Word file takes.
LONGEST_PROPERTY = 255
_Block = TypeVar("_Block")


def render_docx(report: m.Report, when: datetime) -> bytes:
    """The bytes of the document; ``when`` is the run's clock.

    Raises MissingLibraryError where the libraries that write it are not installed, and
    LookupError for a kind of block that nothing here writes.
    """
    missing = docx_problem()
    if missing is not None:
        raise MissingLibraryError(missing)
    import docx

    document = docx.Document(str(templates_folder() / "word" / "reference.docx"))
    _set_up(document, report, when)
    writer = _Writer(document)
    writer.front(report)
    for section in report.sections:
        writer.section(section)
    buffer = io.BytesIO()
    document.save(buffer)
    return _dated(buffer.getvalue())


def docx_problem() -> Problem | None:
    """What is missing for a Word document, with how to get it; None where nothing is."""
    if importlib.util.find_spec("docx") is not None:
        return None
    what = "the Word document needs python-docx, which is not installed"
    return Problem(what, "pip install 'evalreport[docx]'")


def _dated(archive: bytes) -> bytes:
    """The same archive with one date for all files: that of the machine would change its bytes."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as found, zipfile.ZipFile(written, "w") as made:
        for name in found.namelist():
            entry = zipfile.ZipInfo(name, DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            made.writestr(entry, found.read(name))
    return written.getvalue()


def _set_up(document: Document, report: m.Report, when: datetime) -> None:
    page = document.sections[0]
    document.styles["Normal"].element.get_or_add_rPr().append(_element("lang", val=report.language))
    core = document.core_properties
    title = cut(_clean(report.title), LONGEST_PROPERTY)
    core.title, core.author, core.comments = title, "evalreport", ""
    core.identifier, core.language, core.version = report.identifier, report.language, ""
    core.created = core.modified = when.replace(tzinfo=None, microsecond=0)
    core.last_modified_by, core.revision = "", 1
    page.header.paragraphs[0].add_run(_clean(report.title))
    foot = page.footer.paragraphs[0]
    foot.add_run(_clean(f"report {report.identifier} · {report.signed} · page "))
    _field(foot, "PAGE")
    foot.add_run(" of ")
    _field(foot, "NUMPAGES")


def _field(paragraph: Paragraph, code: str, shown: str = "1") -> None:
    """A field that Word works out, with what is shown until then."""
    field = _element("fldSimple", instr=code)
    run = paragraph.add_run(shown)
    field.append(run._r)
    paragraph._p.append(field)


def _element(name: str, **values: str) -> Any:
    """An element of Word's markup with its attributes."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    made = OxmlElement(f"w:{name}")
    for key, value in values.items():
        made.set(qn(f"w:{key}"), value)
    return made


def _clean(text: str) -> str:
    """Text that XML can hold, names of right-to-left scripts kept apart."""
    return isolated(_NO_XML.sub("\ufffd", text))


class _Writer:
    """One document as it grows, block by block."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.draw: dict[type, Callable[[Any], object]] = {
            m.MetricBlock: self.metric,
            m.TableBlock: self.lines,
            m.Stamp: self.stamp,
            m.Facts: self.facts,
            m.Ledgers: self.ledgers,
            m.Text: lambda b: self.words(b.text),
            m.Heading: lambda b: self.heading(f"{b.text} {b.aside}".strip()),
            m.Notes: self.notes,
            m.Failure: lambda b: self.words(b.text, strong=True),
            m.TablePair: lambda b: self.each(b.tables, self.lines),
            m.Charts: self.charts,
            m.Tables: self.tables,
            m.Again: lambda _: None,
            m.Legend: self.legend,
            m.Code: self.code,
            m.Chooser: self.chooser,
            m.Flow: self.flow,
            m.Checklist: self.checklist,
            m.Signatures: self.signatures,
        }

    def front(self, report: m.Report) -> None:
        """Title, outcome, and what the sections are."""
        self.words(report.kicker, "Kicker")
        self.words(report.title, "Title")
        self.words(report.lead, "Lead")
        told = f"report {report.identifier} · spec {report.spec} · issued {report.issued} · "
        protocol = f" · {report.protocol}" if report.protocol else ""
        self.words(f"{told}evalreport {report.version}{protocol} · {report.signed}", "Small")
        sections = (f"{section.number} {section.title}".strip() for section in report.sections)
        self.words(" · ".join(sections), "Small")

    def section(self, section: m.Section) -> None:
        """One section with its blocks; an unknown kind of block is an error, not an empty place."""
        self.document.add_heading(_clean(f"{section.number} {section.title}".strip()), 1)
        if section.intro:
            self.words(section.intro)
        for block in section.blocks:
            try:
                draw = self.draw[type(block)]
            except KeyError:
                kind = type(block).__name__
                raise LookupError(f"nothing writes a block '{kind}' in Word") from None
            draw(block)

    # -- words -------------------------------------------------------------------------------

    def each(self, items: Iterable[_Block], draw: Callable[[_Block], object]) -> None:
        """Every one of them in its order."""
        for one in items:
            draw(one)

    def tables(self, block: m.Tables) -> None:
        """Tables of counts, and what stands at their side."""
        self.each(block.tables, self.counts)
        if block.aside is not None:
            self.lines(block.aside)

    def words(self, text: str, style: str = "Normal", *, strong: bool = False) -> Paragraph:
        """A paragraph."""
        paragraph = self.document.add_paragraph(style=style)
        paragraph.add_run(_clean(text)).bold = strong or None
        return paragraph

    def heading(self, text: str, level: int = 2) -> None:
        """A heading within a section."""
        self.document.add_heading(_clean(text), level)

    def caption(self, text: str) -> None:
        """The caption above a table."""
        if text:
            self.words(text, "Caption")

    def notes(self, block: m.Notes) -> None:
        """Cautions, each with its severity and what it says."""
        self.heading(block.title)
        for one in block.items:
            paragraph = self.document.add_paragraph(style="List Bullet")
            title = f"{one.severity.capitalize()}: {one.title}" if one.title else one.severity
            paragraph.add_run(_clean(f"{title}. ")).bold = True
            if one.messages:
                paragraph.add_run(_clean(". ".join(one.messages) + "."))

    def code(self, block: m.Code) -> None:
        """Text as it stands."""
        self.heading(block.title)
        self.words(block.text, "Code")

    def legend(self, _: m.Legend) -> None:
        """How tables and formulas are read."""
        paragraph = self.document.add_paragraph("In tables and formulas numerator cells are ")
        self.parts(paragraph, (FormulaPiece("shaded and underlined", "top"),))
        paragraph.add_run(", denominator cells ")
        self.parts(paragraph, (FormulaPiece("framed", "bottom"),))
        paragraph.add_run(".")

    def parts(self, paragraph: Paragraph, pieces: Sequence[FormulaPiece]) -> None:
        """A formula: above the line shaded and underlined, below it framed."""
        for piece in pieces:
            run = paragraph.add_run(_clean(piece.text))
            if not piece.mark:
                continue
            top = piece.mark == "top"
            look = _shading(ABOVE) if top else _element("bdr", val="single")
            run.underline = top or None
            run._r.get_or_add_rPr().append(look)

    # -- numbers -----------------------------------------------------------------------------

    def metric(self, block: m.MetricBlock) -> None:
        """A metric: what it means, its formula, and a paragraph for each value."""
        self.heading(f"{block.title} ({block.aka})" if block.aka else block.title)
        paragraph = self.words(block.meaning + (" " if block.formula else ""))
        self.parts(paragraph, block.formula)
        self.each(block.cards, self.card)

    def card(self, card: Card) -> None:
        """One value with its interval, method, counts and formula."""
        number = card.number
        paragraph = self.document.add_paragraph(style="List Bullet")
        if card.mark is not None:
            paragraph.add_run(_clean(f"{card.mark.symbol} {card.mark.name}: "))
        paragraph.add_run(_clean(number.text)).bold = True
        told = []
        if number.interval:
            told.append(f"{number.level} {number.interval} ({number.method})")
        told += [f"n {number.n}"] if number.n else []
        told += [one for one in (number.table, number.measure) if one]
        told += [", ".join(f"{c.cell.upper()} {c.text}" for c in card.flat)] if card.flat else []
        paragraph.add_run(_clean(" · ".join(["", *told]) if told else ""))
        self.each((card.detail, *card.flags), lambda text: self.beside(paragraph, text))
        if card.formula or card.substituted:
            paragraph.add_run("\n")
            self.parts(paragraph, card.formula)
            if card.substituted:
                paragraph.add_run(" = ")
                self.parts(paragraph, card.substituted)
            paragraph.add_run(_clean(f" {card.result}".rstrip()))

    def beside(self, paragraph: Paragraph, text: str) -> None:
        """What else is said of a value."""
        if text:
            paragraph.add_run(_clean(f". {text}"))

    def stamp(self, block: m.Stamp) -> None:
        """The outcome in a coloured cell, and the sentences beside it."""
        from docx.shared import Mm

        made: Any = self.document.add_table(rows=1, cols=2)
        made.style, made.autofit = "Report Table", False
        word, told = made.rows[0].cells
        for column, cell, width in zip(made.columns, (word, told), STAMP_MM, strict=True):
            column.width = cell.width = Mm(width)
        _row_rules(made.rows[0]._tr, head=False)
        name, shade = OUTCOMES.get(block.outcome, OPEN)
        _shade(word, shade)
        self.into(word.paragraphs[0], block.word, f"Stamp {name}".strip())
        self.into(word.add_paragraph(), block.told, "Stamp Count")
        for place, (title, text) in enumerate(block.sentences):
            paragraph = told.add_paragraph() if place else told.paragraphs[0]
            paragraph.add_run(_clean(f"{title}. ")).bold = True
            paragraph.add_run(_clean(text))
        self.words("", "After Table")

    def into(self, paragraph: Paragraph, text: str, style: str) -> None:
        """Text in a paragraph of a cell, in a style."""
        paragraph.style = self.document.styles[style]
        paragraph.add_run(_clean(text))

    def facts(self, block: m.Facts) -> None:
        """Names and what they are."""
        title = f"{block.title} {block.aside}".strip()
        self.table(title, [(name, text) for name, text in block.items])

    def ledgers(self, block: m.Ledgers) -> None:
        """Where the rows of each dataset went."""
        self.each(block.labels, self.facts)
        for title, rows in block.rows:
            self.table(title, [(r.text, r.count, r.share) for r in rows], right=(1, 2))

    def flow(self, block: m.Flow) -> None:
        """The flow of rows, step by step."""
        self.table(block.title, _steps(block.steps), right=(0,))
        for one in block.branches:
            self.table(one.title, _steps(one.steps), right=(0,))
        if block.apart:
            self.table("Counted separately", _steps(block.apart), right=(0,))
        if block.note:
            self.words(block.note)

    def lines(self, block: m.TableBlock) -> None:
        """A table; columns of whiskers alone, which only the page has, are left out."""
        rows = [[_cell_text(cell, line) for cell in line.cells] for line in block.lines]
        used = [k for k in range(len(block.columns)) if any(row[k] for row in rows)]
        right = [i for i, k in enumerate(used) if block.columns[k].align == "right"]
        strong = [k for k, line in enumerate(block.lines) if line.strong or line.head]
        heads = [block.columns[k].text for k in used]
        chosen = [[row[k] for k in used] for row in rows]
        made = self.table(block.caption, chosen, heads, right, strong)
        for row, line in zip(made.rows[1:], block.lines, strict=True):
            for cell, k in zip(row.cells, used, strict=True):
                own = line.cells[k]
                if isinstance(own, str):
                    continue
                _mark(cell, top=own.top, frame=own.frame)
                if own.outcome:
                    name, shade = OUTCOMES.get(own.outcome, OPEN)
                    _shade(cell, shade)
                    cell.paragraphs[0].style = self.document.styles[f"Outcome {name}".strip()]
        self.each(filter(None, (block.legend, *block.notes)), self.words)

    def counts(self, table: CountTable) -> None:
        """A classification table."""
        caption = f"{table.caption}. {table.partial}" if table.partial else table.caption
        heads = [" ".join(table.orientation.corner), *(column.label for column in table.columns)]
        rows = [[row.label, *(_count_text(cell) for cell in row.cells)] for row in table.rows]
        self.table(caption, rows, heads, right=range(1, len(heads)))

    def chooser(self, block: m.Chooser) -> None:
        """Every threshold that the page lets choose, as one table."""
        names = [name for name, _ in block.positions[0].metrics] if block.positions else []
        heads = [block.condition, "TP", "FP", "FN", "TN", *names]
        rows = [
            (p.threshold, p.tp, p.fp, p.fn, p.tn, *(text for _, text in p.metrics))
            for p in block.positions
        ]
        strong = [k for k, p in enumerate(block.positions) if p.used]
        self.table(block.title, rows, heads, range(1, len(heads)), strong)

    def checklist(self, block: m.Checklist) -> None:
        """A reporting guideline, item by item."""
        self.heading(f"{block.title} {block.count}".strip())
        self.words(f"{block.edition} Source: {block.url}")
        rows = [
            (i.item, i.label, i.status, ". ".join(
                part for part in (", ".join(name for _, name in i.sections), i.text) if part))
            for i in block.items
        ]  # fmt: skip
        self.table("", rows, ["item", "about", "status", "where, or what is stated"])

    def signatures(self, block: m.Signatures) -> None:
        """Lines to sign."""
        heads = ["meaning", "printed name", "role", "date and time zone", "signature"]
        rows = [
            (meaning, name, role, block.date if k == 0 else "",
             "electronic" if k == 0 and block.date else "")
            for k, (meaning, name, role) in enumerate(block.lines)
        ]  # fmt: skip
        self.table("", rows, heads)

    # -- tables and pictures -----------------------------------------------------------------

    def table(
        self,
        caption: str,
        rows: Sequence[Sequence[str]],
        heads: Sequence[str] = (),
        right: Iterable[int] = (),
        strong: Iterable[int] = (),
    ) -> Table:
        """A table of Word: heads repeat on every page, no row breaks across two."""
        from docx.enum.text import WD_ALIGN_PARAGRAPH

        self.caption(caption)
        width = max(map(len, ([heads] if heads else []) + list(rows)), default=1)
        made: Any = self.document.add_table(rows=0, cols=width)
        made.style, made.autofit = "Report Table", False
        aligned, bold = frozenset(right), frozenset(strong)
        everything = ([heads] if heads else []) + list(rows)
        widths = _widths(everything, width)
        size = "Table" if width <= MOST_WIDE else "Dense"
        for column, own in zip(made.columns, widths, strict=True):
            column.width = own
        for number, cells in enumerate(everything):
            row, place = made.add_row(), number - bool(heads)
            _row_rules(row._tr, head=place < 0)
            for k, cell in enumerate(row.cells):
                cell.width = widths[k]
                paragraph = cell.paragraphs[0]
                paragraph.style = self.document.styles[f"{size} {'Head' if place < 0 else 'Text'}"]
                run = paragraph.add_run(_clean(cells[k] if k < len(cells) else ""))
                run.bold = place in bold or None
                if k in aligned:
                    paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
        self.words("", "After Table")
        table: Table = made
        return table

    def charts(self, block: m.Charts) -> None:
        """Pictures below each other; that of the first page is small."""
        for one in block.charts:
            width = FRONT_MM if block.style == "front" else WIDTH_MM * (1 if one.wide else 0.6)
            self.chart(one, width)

    def chart(self, chart: m.Chart, width: float) -> None:
        """A picture, so many millimetres wide, with its words for those who do not see it."""
        from docx.shared import Mm

        picture: Any = self.document.add_paragraph()
        picture.paragraph_format.keep_with_next = True
        picture.add_run().add_picture(io.BytesIO(chart.drawing.picture()), width=Mm(width))
        (shown,) = picture._p.xpath(".//wp:docPr")
        shown.set("descr", _clean(chart.alt))
        finding = f"{chart.finding}. " if chart.finding else ""
        aside = f" {chart.aside}" if chart.aside else ""
        self.words(f"{finding}{chart.caption}.{aside}")


def _steps(steps: Sequence[m.FlowStep]) -> list[tuple[str, str, str]]:
    """Steps of a flow as rows of a table."""
    return [(s.count, s.name, "; ".join(s.parts)) for s in steps]


def _widths(rows: Sequence[Sequence[str]], columns: int) -> list[Any]:
    """Widths of columns: room for the longest word of each, the rest by what they hold."""
    from docx.shared import Mm

    words, lines = [1] * columns, [1] * columns
    for row in rows:
        for k, text in enumerate(row):
            words[k] = max(words[k], *(min(len(word), 24) for word in text.split()), 1)
            lines[k] = max(lines[k], *(min(len(line), 60) for line in text.split("\n")), 1)
    least = [PAD_MM + LETTER_MM * count for count in words]
    more = [LETTER_MM * (most - few) for most, few in zip(lines, words, strict=True)]
    spare = max(WIDTH_MM - sum(least), 0.0)
    total = sum(more)
    wanted = [
        few + (min(spare, total) * extra / total if total else 0.0)
        for few, extra in zip(least, more, strict=True)
    ]
    # as wide as the text, whatever they hold
    return [Mm(width * WIDTH_MM / sum(wanted)) for width in wanted]


def _cell_text(cell: str | LineCell, line: m.Line) -> str:
    """What a cell of a line says; the interval of a number may have a cell of its own."""
    if isinstance(cell, str):
        return cell
    number = cell.number
    if number is not None and number.measure:
        others = [own.aside for own in line.cells if not isinstance(own, str)]
        elsewhere = line.whole and (number.interval or number.reason in others)
        return number.text if elsewhere else _with_interval(number)
    if number is not None:
        return ""
    if cell.mark is not None:
        return f"{cell.mark.symbol} {cell.mark.key or cell.mark.name}"
    if cell.outcome:
        return " ".join(part for part in (cell.text, cell.aside) if part)
    laid = "  ".join(f"{name} {count}" for name, count in cell.counts)
    return "\n".join(part for part in (cell.text, laid, cell.aside) if part)


def _with_interval(number: Number) -> str:
    return "\n".join(part for part in (number.text, number.interval or number.reason) if part)


def _count_text(cell: CountCell) -> str:
    rows = f" (n {cell.rows})" if cell.rows else ""
    return f"{cell.text} {cell.role}".strip() + rows


def _row_rules(row: Any, *, head: bool) -> None:
    """No row breaks across pages; a head stands on every page."""
    rules = row.get_or_add_trPr()
    rules.append(_element("cantSplit"))
    if head:
        rules.append(_element("tblHeader"))


def _mark(cell: _Cell, *, top: bool, frame: str) -> None:
    """Above the line: shaded; below it: framed on the named sides."""
    if top:
        _shade(cell, ABOVE)
    if frame:
        _frame(cell, frame)


def _shade(cell: _Cell, fill: str) -> None:
    cell._tc.get_or_add_tcPr().append(_shading(fill))


def _shading(fill: str) -> Any:
    return _element("shd", val="clear", fill=fill)


def _frame(cell: _Cell, sides: str) -> None:
    """A thick line on the named sides: t, r, b, l."""
    borders = _element("tcBorders")
    for side, name in (("t", "top"), ("l", "left"), ("b", "bottom"), ("r", "right")):
        if side in sides:
            borders.append(_element(name, val="single", sz="18"))
    properties: Any = cell._tc.get_or_add_tcPr()
    shades = properties.xpath("./w:shd")
    if shades:
        # borders stand before shades, by the schema
        shades[0].addprevious(borders)
    else:
        properties.append(borders)
