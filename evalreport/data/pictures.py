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
    width, height = struct.unpack(">II", chunks[0][1][:8])
    if not (0 < width <= MOST_PIXELS and 0 < height <= MOST_PIXELS):
        limit = f"at most {MOST_PIXELS} on a side"
        raise _wrong(name, f"a picture of {width} by {height} pixels", limit)
    return _PNG + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
        if kind in _KEPT
    )


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
