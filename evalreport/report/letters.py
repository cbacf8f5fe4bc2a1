"""How wide words are in the font of the charts, and how high its letters stand."""

from __future__ import annotations

import struct
from functools import cache
from importlib import resources
from pathlib import Path
from unicodedata import east_asian_width

#: Size of the words on a chart unless they say another, in points.
SIZE = 9.0


def font_path(name: str) -> Path:
    """Where a font of the report is, installed or in a checkout."""
    shipped = Path(str(resources.files("evalreport"))) / "_data" / "templates" / "fonts" / name
    return (
        shipped if shipped.is_file() else Path(__file__).parents[2] / "templates" / "fonts" / name
    )


def width_of(text: str) -> float:
    """Width of words in the size of those at a tick, in points.

    Signs that the font of the charts lacks are drawn by another, which is not known here:
    a wide sign counts as wide as high, any other as three quarters of that.
    """
    widths = _font()[0]
    return SIZE * sum(
        widths[ord(sign)]
        if ord(sign) in widths
        else (1.0 if east_asian_width(sign) in "WF" else 0.75)
        for sign in text
    )


def is_drawn(sign: str) -> bool:
    """Whether the font of the charts has a letter.

    >>> is_drawn("e"), is_drawn("\u4e2d")
    (True, False)
    """
    return ord(sign) in _font()[0]


def above_and_below() -> tuple[float, float]:
    """How far a line of words reaches above and below its base line, in sizes of its letters."""
    return _font()[1]


@cache
def _font() -> tuple[dict[int, float], tuple[float, float]]:
    """Widths by character and the reach of a line, in sizes of the letters, from the font.

    Tables ``head``, ``hhea``, ``hmtx`` and ``cmap`` (format 4) of OpenType 1.9.
    """
    data = font_path("report-sans-400.ttf").read_bytes()
    tables = {}
    for k in range(struct.unpack_from(">H", data, 4)[0]):
        tag, _, offset, _ = struct.unpack_from(">4sLLL", data, 12 + 16 * k)
        tables[tag] = offset
    (em,) = struct.unpack_from(">H", data, tables[b"head"] + 18)
    ascent, descent = struct.unpack_from(">hh", data, tables[b"hhea"] + 4)
    (count,) = struct.unpack_from(">H", data, tables[b"hhea"] + 34)
    advances = [row[0] for row in struct.iter_unpack(">Hh", _cut(data, tables[b"hmtx"], 4 * count))]
    glyphs = _glyphs(data, tables[b"cmap"])
    widths = {sign: advances[min(glyph, count - 1)] / em for sign, glyph in glyphs.items()}
    return widths, (ascent / em, -descent / em)


def _cut(data: bytes, start: int, length: int) -> bytes:
    return data[start : start + length]


def _glyphs(data: bytes, cmap: int) -> dict[int, int]:
    """The number of the glyph of each character of the first 65 536 that the font has."""
    for k in range(struct.unpack_from(">H", data, cmap + 2)[0]):
        start = cmap + struct.unpack_from(">HHL", data, cmap + 4 + 8 * k)[2]
        if struct.unpack_from(">H", data, start)[0] == 4:
            break
    count = struct.unpack_from(">H", data, start + 6)[0] // 2
    column = f">{count}H"
    ends, firsts, deltas, offsets = (
        struct.unpack_from(column, data, start + 14 + 2 * (k * count + bool(k))) for k in range(4)
    )
    found = {}
    at = start + 16 + 6 * count
    for k, (first, end, delta, offset) in enumerate(
        zip(firsts, ends, deltas, offsets, strict=True)
    ):
        for sign in range(first, end + 1):
            glyph = sign
            if offset:
                place = at + 2 * k + offset + 2 * (sign - first)
                (glyph,) = struct.unpack_from(">H", data, place)
            if glyph and (glyph + delta) % 65536:
                found[sign] = (glyph + delta) % 65536
    return found
