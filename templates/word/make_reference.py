"""Write reference.docx: the page and the styles of the report in Word, without any text.

    python make_reference.py

Open the file in Word to see or change a style; the report takes all of its looks from here but
what a single cell shows: an outcome, a marked count.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import docx
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Mm, Pt, RGBColor

HERE = Path(__file__).resolve().parent
#: Ink, its quiet shade, and the colours of outcomes, as on the page.
INK, QUIET, PASS, FAIL = "14181D", "474F58", "0B6438", "A3161B"
FONT, MONO = "Calibri", "Consolas"
#: Paragraph styles: name, what it is based on, points, bold, colour, points before and after.
PARAGRAPHS = (
    ("Kicker", "Normal", 8.5, True, QUIET, 0, 0),
    ("Lead", "Normal", 12, False, QUIET, 0, 4),
    ("Small", "Normal", 8.5, False, QUIET, 0, 4),
    ("Table Text", "Normal", 8.5, False, INK, 1, 1),
    ("Table Head", "Table Text", 8.5, True, QUIET, 1, 1),
    ("Dense Text", "Table Text", 7.5, False, INK, 1, 1),
    ("Dense Head", "Table Head", 7.5, True, QUIET, 1, 1),
    ("After Table", "Normal", 4, False, INK, 0, 2),
    ("Stamp", "Normal", 18, True, QUIET, 6, 0),
    ("Stamp Pass", "Stamp", 18, True, PASS, 6, 0),
    ("Stamp Fail", "Stamp", 18, True, FAIL, 6, 0),
    ("Stamp Count", "Stamp", 8.5, False, QUIET, 0, 0),
    ("Outcome", "Table Text", 8.5, True, QUIET, 1, 1),
    ("Outcome Pass", "Outcome", 8.5, True, PASS, 1, 1),
    ("Outcome Fail", "Outcome", 8.5, True, FAIL, 1, 1),
    ("Code", "Normal", 8, False, INK, 0, 4),
)
#: Rules of the table: heavy above and below, hairlines between rows; no upright ones.
TABLE = """<w:style {ns} w:type="table" w:customStyle="1" w:styleId="ReportTable">
<w:name w:val="Report Table"/><w:basedOn w:val="TableNormal"/><w:uiPriority w:val="99"/><w:qFormat/>
<w:tblPr><w:tblBorders>
<w:top w:val="single" w:sz="8" w:space="0" w:color="14181D"/>
<w:bottom w:val="single" w:sz="8" w:space="0" w:color="14181D"/>
<w:insideH w:val="single" w:sz="4" w:space="0" w:color="C6CCD2"/></w:tblBorders>
<w:tblCellMar><w:left w:w="57" w:type="dxa"/><w:right w:w="57" w:type="dxa"/></w:tblCellMar>
</w:tblPr>
<w:tblStylePr w:type="firstRow"><w:tcPr><w:tcBorders>
<w:bottom w:val="single" w:sz="8" w:space="0" w:color="14181D"/></w:tcBorders></w:tcPr>
</w:tblStylePr></w:style>"""


def main(path: Path = HERE / "reference.docx") -> None:
    """Write the file, beside this script by default."""
    document = docx.Document()
    page = document.sections[0]
    page.page_width, page.page_height = Mm(210), Mm(297)
    page.left_margin = page.right_margin = page.top_margin = page.bottom_margin = Mm(20)
    page.header_distance = page.footer_distance = Mm(10)
    normal = style(document, "Normal", 10, INK, after=4)
    normal.paragraph_format.widow_control, normal.paragraph_format.line_spacing = True, 1.0
    for name, size, before in (("Title", 22, 0), ("Heading 1", 16, 12), ("Heading 2", 12, 10)):
        heading = style(document, name, size, INK, before=before, after=4, bold=True)
        heading.paragraph_format.keep_with_next = True
        for border in heading.element.xpath("./w:pPr/w:pBdr"):
            border.getparent().remove(border)
    caption = style(document, "Caption", 9, INK, before=8, after=3, bold=True)
    caption.paragraph_format.keep_with_next = True
    style(document, "List Bullet", 10, INK, after=3)
    for name in ("Header", "Footer"):
        style(document, name, 8, QUIET)
    for name, base, size, bold, colour, before, after in PARAGRAPHS:
        own = document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        own.base_style = document.styles[base]
        style(document, name, size, colour, before=before, after=after, bold=bold)
    document.styles["Stamp"].paragraph_format.alignment = WD_ALIGN_PARAGRAPH.CENTER
    fonts(document.styles["Code"], MONO)
    document.styles.element.append(parse_xml(TABLE.format(ns=nsdecls("w"))))
    document.core_properties.author = "evalreport"
    document.core_properties.comments = ""
    document.save(str(path))


def style(
    document: Any,
    name: str,
    size: float,
    colour: str,
    *,
    before: float = 0,
    after: float = 0,
    bold: bool = False,
) -> Any:
    """A paragraph style with these looks."""
    own = document.styles[name]
    fonts(own, FONT)
    own.font.size, own.font.bold, own.font.italic = Pt(size), bold, False
    own.font.color.rgb = RGBColor.from_string(colour)
    own.paragraph_format.space_before, own.paragraph_format.space_after = Pt(before), Pt(after)
    return own


def fonts(own: Any, name: str) -> None:
    """One font for all scripts: those of the theme, which would win over it, are taken out."""
    own.font.name = name
    kept = own.element.get_or_add_rPr().get_or_add_rFonts()
    for key in [key for key in kept.attrib if key.endswith("Theme")]:
        del kept.attrib[key]
    for kind in ("ascii", "hAnsi", "cs", "eastAsia"):
        kept.set(qn(f"w:{kind}"), name)


if __name__ == "__main__":
    main()
