"""The last steps before a PDF is written: every object is made into bytes once."""

from __future__ import annotations

import io
import zlib

import pikepdf
import pydyf

from evalreport.render.finishing import settle

TEXT = b"BT (a line of a page) Tj ET\n" * 200


class Counted(pydyf.Dictionary):
    """A dictionary that counts how often its bytes are asked for."""

    asked = 0

    @property
    def data(self) -> bytes:
        type(self).asked += 1
        return super().data


def _document() -> tuple[pydyf.PDF, pydyf.Stream]:
    pdf = pydyf.PDF()
    content = pydyf.Stream([TEXT, "q", 1.5], {"Note": "/Kept"}, compress=True)
    page = Counted(
        {
            "Type": "/Page",
            "Parent": pdf.pages.reference,
            "MediaBox": pydyf.Array([0, 0, 100, 100]),
            "Resources": pydyf.Dictionary(),
        }
    )
    pdf.add_object(content)
    page["Contents"] = content.reference
    pdf.add_page(page)
    return pdf, content


def _written(pdf: pydyf.PDF) -> bytes:
    out = io.BytesIO()
    pdf.write(out, b"1.7", b"an identifier", compress=True)
    return out.getvalue()


def test_an_object_is_made_into_bytes_once(monkeypatch):
    monkeypatch.setattr(Counted, "asked", 0)
    _written(_document()[0])
    assert Counted.asked > 1  # what it is for
    monkeypatch.setattr(Counted, "asked", 0)
    pdf, _ = _document()
    settle(pdf)
    _written(pdf)
    assert Counted.asked == 1


def test_what_is_settled_is_read_as_what_was_not():
    read = []
    for settled in (False, True):
        pdf, _ = _document()
        if settled:
            settle(pdf)
        with pikepdf.open(io.BytesIO(_written(pdf))) as document:
            (page,) = document.pages
            stream = page.Contents
            read.append((stream.read_bytes(), str(stream.Note), str(stream.Filter)))
            assert not document.check_pdf_syntax()
    assert read[0] == read[1] == (TEXT + b"\nq\n1.5", "/Kept", "/FlateDecode")


def test_streams_are_compressed_once_and_only_where_asked():
    pdf, content = _document()
    plain = pydyf.Stream([TEXT])
    pdf.add_object(plain)
    settle(pdf)
    assert content.stream == [zlib.compress(TEXT + b"\nq\n1.5")]
    assert plain.stream == [TEXT]
