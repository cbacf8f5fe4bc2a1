"""A logo from outside: drawn, and harmless whatever it holds."""

from __future__ import annotations

import base64
import struct
import zlib
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from plain_results import render_html
from report.example_results import states

import evalreport
from evalreport.data.pictures import MOST_BYTES, data_address
from evalreport.errors import DataError, FilesError
from evalreport.render.references import blocked_reference

DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10">'
    '<rect style="fill: #0a569f; filter: url(http://a/f)" width="10" height="10"/></svg>'
)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _png(width: int = 1, height: int = 1, extra: bytes = b"") -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", head)
        + extra
        + _chunk(b"IDAT", zlib.compress(b"\0\x0a\x56\x9f"))
        + _chunk(b"IEND", b"")
    )


def _content(address: str) -> bytes:
    return base64.b64decode(address.partition(",")[2])


class _Images(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict[str, str | None]] = []

    def handle_starttag(self, tag, attrs):
        if tag == "img" and dict(attrs).get("class") == "logo":
            self.found.append(dict(attrs))


def _logos(page: str) -> list[dict[str, str | None]]:
    reader = _Images()
    reader.feed(page)
    return reader.found


def test_the_logo_of_a_spec_is_in_results_and_on_the_page(tmp_path):
    (tmp_path / "d.csv").write_text("y,p\na,a\nb,b\n", encoding="utf-8")
    (tmp_path / "logo.svg").write_text(DRAWING, encoding="utf-8")
    (tmp_path / "spec.yaml").write_text(
        "evalreport: 1\ndatasets: {d: {path: d.csv, target: y}}\nmodels: {m: {prediction: p}}\n"
        "metrics: [accuracy]\nreport: {logo: logo.svg}\n",
        encoding="utf-8",
    )
    results = evalreport.run(tmp_path / "spec.yaml").json
    (logo,) = _logos(render_html(results))
    assert logo["alt"] == "logo"
    assert logo["src"] == results["logo"]["address"]
    (tmp_path / "logo.svg").unlink()
    with pytest.raises(FilesError, match=r"logo\.svg: file not found") as caught:
        evalreport.run(tmp_path / "spec.yaml")
    assert caught.value.problems[0].where.line == 5


@pytest.mark.long_but_first
@pytest.mark.parametrize(
    ("name", "content"), [("logo.svg", DRAWING.encode()), ("logo.png", _png())]
)
def test_the_logo_of_a_template_folder_is_drawn(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    page = render_html(states(), tmp_path)
    (logo,) = _logos(page)
    assert logo["src"].startswith("data:image/")
    assert blocked_reference(page) is None


def test_no_logo_no_image():
    assert not _logos(render_html(states()))


def test_a_logo_is_no_link_out_of_the_folder(tmp_path):
    (tmp_path / "secret.png").write_bytes(_png())
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "logo.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(FilesError, match="link out of its folder"):
        render_html(states(), folder)


def test_colours_written_as_style_survive_and_references_do_not():
    root = ET.fromstring(_content(data_address(DRAWING.encode(), "a.svg")))
    assert root[0].attrib == {"fill": "#0a569f", "width": "10", "height": "10"}


@pytest.mark.parametrize(
    "inside",
    [
        "<script>alert(1)</script>",
        '<image href="http://a/b.png"/>',
        '<use href="http://a/b.svg#c"/>',
        '<use xlink:href="file:///etc/passwd" xmlns:xlink="http://www.w3.org/1999/xlink"/>',
        '<rect onload="alert(1)" width="1" height="1"/>',
        '<rect fill="url(http://a/b)" width="1" height="1"/>',
        '<rect fill="u\\72l(http://a/b)" width="1" height="1"/>',
        "<style>@import url(http://a/b.css);</style>",
        '<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">x<script>1</script></p></foreignObject>',
        '<a href="javascript:alert(1)"><text>x</text></a>',
        '<animate attributeName="href" to="http://a"/>',
        '<set attributeName="fill" to="url(http://a)"/>',
        '<g filter="url(http://a/f)"><path d="M0 0"/></g>',
        "<text>&lt;script&gt;alert(1)&lt;/script&gt;</text>",
    ],
)
def test_nothing_in_a_drawing_runs_or_loads(inside):
    text = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">{inside}</svg>'
    clean = _content(data_address(text.encode(), "a.svg")).decode()
    assert "http://a" not in clean
    assert "<script" not in clean
    assert "alert(1)" not in clean or "&lt;script" in clean
    assert "file:" not in clean
    assert " on" not in clean


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.svg", b'<!DOCTYPE svg [<!ENTITY a "b">]><svg/>', "declaration of types"),
        ("a.svg", "<!DOCTYPE svg><svg/>".encode("utf-16"), "not UTF-8"),
        ("a.svg", b"<svg", "no SVG file"),
        ("a.svg", b"<html/>", "first element"),
        ("a.svg", b'<svg xmlns="http://www.w3.org/2000/svg"/>', "without a size"),
        ("a.png", b"GIF89a", "first bytes"),
        ("a.png", _png()[:-12], "cut short"),
        ("a.png", _png()[:-6] + b"\0\0\0\0\0\0", "damaged"),
        ("a.png", _png(width=100_000), "100000 by 1 pixels"),
        ("a.jpg", b"\xff\xd8", "neither a PNG nor an SVG"),
        ("a.png", b"x" * (MOST_BYTES + 1), "the limit is 200000"),
    ],
)
def test_what_is_no_picture_is_told(name, content, told):
    with pytest.raises(DataError) as caught:
        data_address(content, name)
    assert told in f"{caught.value.problems[0].what} {caught.value.problems[0].instead}"


def test_words_hidden_in_a_png_are_left_out():
    clean = _content(data_address(_png(extra=_chunk(b"tEXt", b"Comment\0secret")), "a.png"))
    assert b"secret" not in clean
    assert clean == _png()
