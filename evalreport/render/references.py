"""References out of a page: what it would load or lead to, found before a browser does.

A page is judged twice, because no two readers of broken markup agree. Its tree is read as
browsers read it, by the parser of the HTML standard: elements and attributes on lists,
addresses within the page, styles by their tokens. And its text is read without any parser:
wherever an opening bracket and a name stand, in a comment or a style sheet too, the name must
not be one of those that act, and elements that may stand in a page but refer to something (an
image, a ``meta``) have to be the ones that the tree holds. Whatever a browser
makes of the rest, it finds the policy of `guarded` first, under which it loads nothing.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree as ET

from evalreport.render.allowed import (
    ATTRIBUTES,
    DRAWN,
    ELEMENTS,
    EQUIVALENTS,
    NOWHERE,
    WORDS,
)
from evalreport.render.styles import is_inside, style_reference

#: The only things a page may hold besides text: style and images within itself.
POLICY = (
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
    "style-src 'unsafe-inline'; font-src data:; base-uri 'none'; form-action 'none'\">"
    '<meta charset="utf-8">'
)
#: Elements that the tree must hold as often as the text does: none is hidden from the parser,
#: and the parser makes none of them by itself.
_COUNTED = ("meta", "img", "style", "title", "image", "use", "input", "area")
_HTML = "{http://www.w3.org/1999/xhtml}"
_SVG = "{http://www.w3.org/2000/svg}"
_OPENED = re.compile(r"<([a-zA-Z][^\s/>\0]*)")
_DRAWING = re.compile(r"\s*data:\s*image/svg\+xml([^,]*),(.*)", re.IGNORECASE | re.DOTALL)
_PICTURE = re.compile(r"\s*data:\s*image/", re.IGNORECASE)
_DEEPEST = 4


def blocked_reference(page: str, source: str = "") -> str | None:
    """The first reference of a page to anything outside it, as written; None if there is none.

    ``source`` is the text of the template: a link that a reader may follow has to stand in
    it as it is, so that its address carries nothing out of the report.

    >>> blocked_reference('<img src="data:image/png;base64,AA"><a href="#x">x</a>')
    >>> blocked_reference('<p style="background:url(file:///etc/passwd)">')
    'file:///etc/passwd'
    >>> blocked_reference('<link rel=attachment href="file:///a">')
    'file:///a'
    >>> blocked_reference('<a href="https://a/?87">x</a>', '<a href="https://a/?{{ n }}">x</a>')
    'https://a/?87'
    """
    return next(_references(page, source), None)


def guarded(page: str) -> str:
    """The page with a policy before all else, under which a browser loads nothing.

    The type of document is written anew, as what stands in the template's could push the
    policy and the encoding out of the first kilobyte, where browsers look for them.

    >>> guarded("<!DOCTYPE html><p>x").startswith("<!DOCTYPE html><meta ")
    True
    """
    head = re.match(r"\s*<!doctype[^>]*>", page, re.IGNORECASE)
    return "<!DOCTYPE html>" + POLICY + page[head.end() if head else 0 :]


def _references(page: str, source: str) -> Iterator[str]:
    from tinyhtml5 import parse

    # As a stream: a short text that is also the name of a file would be read as that file.
    root = parse(StringIO(page))
    counted: Counter[str] = Counter()
    for element in root.iter():
        if isinstance(element.tag, str):
            space, _, name = element.tag.rpartition("}")
            counted[name.lower()] += 1
            yield from _of_element(element, space + "}", name, source, _DEEPEST)
    yield from _of_text(page, counted)


def _of_text(page: str, counted: Counter[str]) -> Iterator[str]:
    """What opens an element in the text, whether or not the parser saw one there."""
    opened = Counter(match[1].lower() for match in _OPENED.finditer(page))
    for name in opened:
        if name in NOWHERE:
            yield f"<{name}>"
    for name in _COUNTED:
        # An `image` outside a drawing is an `img` to every reader.
        if opened[name] != counted[name] and opened[name]:
            yield f"<{name}> within a comment, a style or an attribute"


def _of_element(
    element: ET.Element, space: str, name: str, source: str, depth: int
) -> Iterator[str]:
    """What one element refers to, its style included."""
    known = {key.rpartition("}")[2]: value for key, value in element.attrib.items()}
    if (space == _HTML and name not in ELEMENTS) or (space == _SVG and name not in DRAWN):
        yield known.get("href") or known.get("src") or known.get("data") or f"<{name}>"
    elif space not in (_HTML, _SVG):
        yield f"<{name}>"
    if space == _HTML and name == "meta":
        yield from _of_meta(known)
    if name == "style":
        yield from filter(None, [style_reference("".join(element.itertext()))])
    for key, value in element.attrib.items():
        yield from _of_attribute(space, name, key, value, source, depth)


def _of_meta(known: dict[str, str]) -> Iterator[str]:
    """What stands at the head of a page can lead to another, or have this one read otherwise."""
    equivalent = known.get("http-equiv", "").strip().lower()
    if equivalent and equivalent not in EQUIVALENTS:
        yield known.get("content") or equivalent
    charset = known.get("charset", "utf-8").strip().lower()
    if charset not in ("utf-8", "utf8"):
        yield f"charset {charset}"
    if known.get("name", "").strip().lower() == "referrer":
        yield "<meta name=referrer>"


def _of_attribute(
    space: str, name: str, key: str, value: str, source: str, depth: int
) -> Iterator[str]:
    plain = key.rpartition("}")[2].rpartition(":")[2].lower()
    if plain == "href":
        yield from _of_link(name, value, source, depth)
    elif plain == "src" and name == "img":
        yield from _of_picture(value, depth)
    elif plain == "style":
        yield from filter(None, [style_reference(value)])
    elif plain.startswith("on"):
        yield f"{plain}={value}"
    elif plain.startswith(("aria-", "data-")):
        return
    elif space == _SVG:
        yield from _of_paint(plain, value)
    elif plain not in ATTRIBUTES:
        yield from _of_other(name, plain, value)


def _of_other(name: str, plain: str, value: str) -> Iterator[str]:
    """Attributes that only some elements may have."""
    if name in ("a", "area") and plain in ("rel", "target"):
        if "opener" in value.lower().split():
            yield f"rel={value}"
    elif name != "meta" or plain not in ("content", "http-equiv"):
        outside = bool(value.strip()) and not is_inside(value)
        yield value.strip() if outside else f"{plain} of <{name}>"


def _of_paint(plain: str, value: str) -> Iterator[str]:
    if plain in ("base", "ping", "src", "attributionsrc"):
        yield value.strip() or plain
    elif plain not in WORDS and ("(" in value or "\\" in value):
        yield from filter(None, [style_reference(value)])


def _of_link(name: str, value: str, source: str, depth: int) -> Iterator[str]:
    """A link that a reader follows may lead out, if the template's author wrote all of it."""
    address = value.strip()
    if address.startswith("#") or not address:
        return
    if name == "image":
        yield from _of_picture(value, depth)
    elif name not in ("a", "area") or not (
        re.match(r"https?://|mailto:", address, re.IGNORECASE) and address in source
    ):
        yield address


def _of_picture(value: str, depth: int) -> Iterator[str]:
    """A picture is in the page, and a drawing among them holds nothing from elsewhere either."""
    if value.strip() and not value.strip().startswith("#") and not _PICTURE.match(value):
        yield value.strip()
    drawing = _DRAWING.fullmatch(value)
    if drawing is None:
        return
    text = _drawing(drawing[1], drawing[2])
    # Declarations of types and style sheets of XML stand outside the tree.
    aside = re.search(r"<!\s*(?:doctype|entity)|<\?(?!xml\s)", text, re.IGNORECASE)
    if aside or not depth:
        yield "a drawing with declarations, or within drawings"
        return
    try:
        root = ET.fromstring(text)  # noqa: S314  # without declarations there is no bomb
    except (ET.ParseError, ValueError):
        yield "a drawing that is no XML"
        return
    for element in root.iter():
        space, _, name = element.tag.rpartition("}")
        yield from _of_element(element, space + "}", name, "", depth - 1)


def _drawing(parameters: str, content: str) -> str:
    """The markup of a drawing that stands in an address."""
    data = unquote_to_bytes(content)
    if "base64" in parameters.lower():
        try:
            data = base64.b64decode(data + b"==")
        except binascii.Error:
            return ""
    return data.decode("utf-8", "replace")
