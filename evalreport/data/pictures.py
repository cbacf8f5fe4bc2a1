"""A picture from outside, made safe to stand in a page: PNG or SVG, written anew as a data address.

A PNG keeps only the chunks that draw it. An SVG is read as XML without declarations of
types or entities and written again from elements and attributes on a list: no script, no
style sheet, no animation, no reference out of itself.
"""

from __future__ import annotations

import base64
import re
import struct
import zlib
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from evalreport.errors import DataError, Location, Problem

MOST_BYTES = 200_000
#: Pixels on a side.
MOST_PIXELS = 4000
SUFFIXES = (".png", ".svg")
SVG = "http://www.w3.org/2000/svg"

_PNG = b"\x89PNG\r\n\x1a\n"
#: Width, height, bits of a sample, kind of colour, and the ways to pack, filter and interlace.
_HEADER = struct.Struct(">IIBBBBB")
#: Bits that a sample may have by the kind of colour, and samples of a pixel.
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_BLOCK = 1 << 20
_KEPT = (b"IHDR", b"PLTE", b"tRNS", b"gAMA", b"sRGB", b"cHRM", b"IDAT", b"IEND")
_ELEMENTS = frozenset(
    ("svg", "g", "defs", "title", "desc", "path", "rect", "circle", "ellipse", "line", "polyline")
    + ("polygon", "text", "tspan", "use", "linearGradient", "radialGradient", "stop", "clipPath")
)
_ATTRIBUTES = frozenset(
    ("id", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "d", "points", "dx", "dy")
    + ("width", "height", "viewBox", "preserveAspectRatio", "transform", "version", "href")
    + ("fill", "fill-opacity", "fill-rule", "clip-rule", "clip-path", "opacity", "color")
    + ("stroke", "stroke-width", "stroke-opacity", "stroke-linecap", "stroke-linejoin")
    + ("stroke-miterlimit", "stroke-dasharray", "stroke-dashoffset", "display", "visibility")
    + ("offset", "stop-color", "stop-opacity", "gradientUnits", "gradientTransform", "fx", "fy")
    + ("spreadMethod", "clipPathUnits", "font-family", "font-size", "font-weight", "font-style")
    + ("text-anchor", "dominant-baseline", "letter-spacing")
)
_NAMED = re.compile(r"url\(\s*#([\w.-]+)\s*\)")
_LOCAL = re.compile(r"url\(\s*#[\w.-]+\s*\)")
_DEEPEST = 40
_MOST_ELEMENTS = 5000


def data_address(content: bytes, name: str) -> str:
    """The picture as a ``data:`` address. Raises DataError for anything else or too large."""
    if len(content) > MOST_BYTES:
        raise _wrong(name, f"a picture of {len(content)} bytes", f"the limit is {MOST_BYTES}")
    suffix = name[name.rfind(".") :].lower()
    if suffix == ".png":
        return _address("image/png", _png(content, name))
    if suffix == ".svg":
        return _address("image/svg+xml", _svg(content, name))
    raise _wrong(name, "neither a PNG nor an SVG file by its name", "give a .png or .svg file")


def _address(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"


def _wrong(name: str, what: str, instead: str) -> DataError:
    return DataError(Problem(what, instead, Location(name)))


def _png(content: bytes, name: str) -> bytes:
    """The chunks that draw the picture; text, times and whatever else are left out."""
    if not content.startswith(_PNG):
        raise _wrong(name, "no PNG file by its first bytes", "save the picture as PNG")
    chunks = list(_chunks(content, name))
    if not chunks or chunks[0][0] != b"IHDR" or chunks[-1][0] != b"IEND":
        raise _wrong(name, "a PNG file that is cut short", "save the picture again")
    if len(chunks[0][1]) != _HEADER.size or [kind for kind, _ in chunks].count(b"IHDR") > 1:
        raise _wrong(name, "a PNG file whose header is damaged", "save the picture again")
    width, height, depth, colour, *ways = _HEADER.unpack(chunks[0][1])
    if not (0 < width <= MOST_PIXELS and 0 < height <= MOST_PIXELS):
        limit = f"at most {MOST_PIXELS} on a side"
        raise _wrong(name, f"a picture of {width} by {height} pixels", limit)
    if depth not in _DEPTHS.get(colour, ()) or ways[:2] != [0, 0] or ways[2] > 1:
        raise _wrong(name, "a PNG file whose header is damaged", "save the picture again")
    # Each line of pixels has a byte before it; of a picture in seven passes, each of theirs.
    line = (width * depth * _SAMPLES[colour] + 7) // 8 + 1
    packed = b"".join(body for kind, body in chunks if kind == b"IDAT")
    _check_pixels(packed, 2 * line * height + 64, name)
    return _PNG + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
        if kind in _KEPT
    )


def _check_pixels(packed: bytes, most: int, name: str) -> None:
    """Raise DataError unless the pixels unpack, to no more than the header has room for."""
    undone = zlib.decompressobj()
    count = 0
    try:
        while packed and not undone.eof and count <= most:
            count += len(undone.decompress(packed, _BLOCK))
            packed = undone.unconsumed_tail
    except zlib.error:
        count = 0
    if not count or count > most or not undone.eof:
        raise _wrong(name, "a PNG file whose content is damaged", "save the picture again")


def _chunks(content: bytes, name: str) -> Iterator[tuple[bytes, bytes]]:
    at = len(_PNG)
    while at + 12 <= len(content):
        (length,) = struct.unpack(">I", content[at : at + 4])
        kind, body = content[at + 4 : at + 8], content[at + 8 : at + 8 + length]
        check = content[at + 8 + length : at + 12 + length]
        if len(body) < length or struct.pack(">I", zlib.crc32(kind + body)) != check:
            raise _wrong(name, "a PNG file whose content is damaged", "save the picture again")
        yield kind, body
        if kind == b"IEND":
            return
        at += 12 + length


def _svg(content: bytes, name: str) -> bytes:
    # Read as text, whatever encoding the file claims: what is looked at is what is parsed.
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _wrong(name, "no SVG file: it is not UTF-8", "save it as plain SVG") from None
    if "<!DOCTYPE" in text.upper() or "<!ENTITY" in text.upper():
        raise _wrong(name, "an SVG file with a declaration of types", "save it as plain SVG")
    try:
        root = ET.fromstring(text)  # noqa: S314  # without entities there is no bomb
    except (ET.ParseError, ValueError, LookupError) as error:
        raise _wrong(name, f"no SVG file: {error}", "save it as plain SVG") from None
    if root.tag != f"{{{SVG}}}svg":
        raise _wrong(name, "no SVG file by its first element", "save it as plain SVG")
    if sum(1 for _ in root.iter()) > _MOST_ELEMENTS:
        raise _wrong(name, f"more than {_MOST_ELEMENTS} elements", "simplify the drawing")
    ET.register_namespace("", SVG)
    clean = _cleaned(root, _DEEPEST)
    if _drawn(clean) > _MOST_ELEMENTS:
        told = f"more than {_MOST_ELEMENTS} elements, parts that are used again counted each time"
        raise _wrong(name, told, "simplify the drawing")
    if not any(clean.get(key) for key in ("viewBox", "width")):
        raise _wrong(name, "an SVG file without a size", "give the svg element a viewBox")
    return bytes(ET.tostring(clean, encoding="utf-8"))


def _cleaned(element: ET.Element, depth: int) -> ET.Element:
    """The element with what is on the lists; anything else is left out with all it holds."""
    made = ET.Element(element.tag, dict(sorted(_attributes(element))))
    made.text = element.text if element.tag.rpartition("}")[2] in _WORDS else None
    for child in element if depth else ():
        space, _, tag = child.tag.rpartition("}")
        if space == "{" + SVG and tag in _ELEMENTS:
            made.append(_cleaned(child, depth - 1))
            made[-1].tail = child.tail if made.text is not None else None
    return made


def _drawn(root: ET.Element) -> int:
    """How many elements a drawing comes to when parts are drawn wherever they are used.

    A use of a use doubles what is drawn with every step, and so does a clip of a clip.
    Counting stops beyond the limit; a circle of uses counts as beyond it.
    """
    named = {key: element for element in root.iter() if (key := element.get("id"))}
    counts: dict[ET.Element, int] = {}

    def count(element: ET.Element, above: frozenset[ET.Element]) -> int:
        if element in counts:
            return counts[element]
        if element in above or len(above) > _DEEPEST:
            return _MOST_ELEMENTS + 1
        within = above | {element}
        total = 1
        for other in [*element, *(named[key] for key in _used(element) if key in named)]:
            total = min(total + count(other, within), _MOST_ELEMENTS + 1)
        counts[element] = total
        return total

    return count(root, frozenset())


def _used(element: ET.Element) -> list[str]:
    """The names of what an element draws again."""
    found = _NAMED.findall(element.get("clip-path", ""))
    if element.tag == f"{{{SVG}}}use":
        found.append(element.get("href", "").removeprefix("#"))
    return found


_WORDS = frozenset(("text", "tspan", "title", "desc"))


def _attributes(element: ET.Element) -> Iterator[tuple[str, str]]:
    for key, value in element.attrib.items():
        name = "href" if key.endswith("}href") else key
        if name == "style":
            yield from _declarations(value)
        elif name in _ATTRIBUTES and _harmless(name, value):
            yield name, value


def _declarations(style: str) -> Iterator[tuple[str, str]]:
    """What a style says, as attributes: drawing programs write colours so."""
    for part in style.split(";"):
        name, _, value = part.partition(":")
        if name.strip() in _ATTRIBUTES - {"href", "id"} and _harmless(name.strip(), value):
            yield name.strip(), value.strip()


def _harmless(name: str, value: str) -> bool:
    if name == "href":
        return value.startswith("#")
    rest = _LOCAL.sub("", value).lower()
    return not any(sign in rest for sign in ("url", "javascript", "data:", "@", "\\", "expression"))
