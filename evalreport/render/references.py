"""References out of a page: what it would load or lead to, found before a browser does.

A page is judged twice, because no two readers of broken markup agree. Its tree is read as
browsers read it, by the parser of the HTML standard: elements and attributes on lists,
addresses within the page, styles by their tokens. And its text is read without any parser:
wherever an opening bracket and a name stand, in a comment or a style sheet too, the name must
not be one of those that act, and elements that may stand in a page but refer to something (an
image, a ``meta``) have to be the ones that the tree holds. Whatever a browser
makes of the rest, it finds the policy of `guarded` first, under which it loads nothing.

What the page of a stranger's template may hold stands in lists; what a style sheet would load is
found among its tokens as a browser reads them.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from typing import Any
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree as ET


def names(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


#: Elements of HTML that only show something. Nothing that loads, runs, sends, or is read by
#: other rules than the rest (``noscript``, ``template``, ``textarea``, ``select``).
ELEMENTS = names(
    "html head meta title style body header footer main nav section article aside search "
    "hgroup h1 h2 h3 h4 h5 h6 address p hr pre blockquote ol ul menu li dl dt dd figure "
    "figcaption div center a em strong small s strike cite q dfn abbr acronym ruby rb rt rtc "
    "rp data time code var samp kbd tt sub sup i b u big mark bdi bdo span font br wbr nobr "
    "ins del img map area table caption colgroup col tbody thead tfoot tr td th details "
    "summary dialog label input button output progress meter fieldset legend svg"
)
#: Elements of a drawing, likewise.
DRAWN = names(
    "svg g defs symbol use title desc metadata a switch path rect circle ellipse line "
    "polyline polygon text tspan textPath image linearGradient radialGradient stop pattern "
    "clipPath mask marker style filter feBlend feColorMatrix feComponentTransfer feComposite "
    "feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood "
    "feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset "
    "fePointLight feSpecularLighting feSpotLight feTile feTurbulence"
)
#: Attributes of HTML that only describe or lay out. ``href``, ``src``, ``style``, ``content``
#: and ``http-equiv`` are looked at by themselves; ``aria-`` and ``data-`` may be anything.
ATTRIBUTES = names(
    "id class lang dir title hidden tabindex role translate inert popover popovertarget "
    "accesskey spellcheck part is itemscope itemprop itemtype itemid about property typeof "
    "alt width height align valign char bgcolor color face size border frame rules summary "
    "cellpadding cellspacing nowrap compact noshade clear colspan rowspan scope headers abbr "
    "axis span start reversed type value datetime open name for checked disabled readonly "
    "min max step low high optimum placeholder usemap ismap shape coords loading decoding "
    "text link vlink alink charset media prefix xmlns version hreflang"
)
#: Attributes of drawings that are text; every other may hold a paint, a mask or a filter.
WORDS = frozenset(("id", "class", "lang", "title", "role", "tabindex", "d", "points", "xmlns"))
EQUIVALENTS = frozenset(
    ("content-security-policy", "content-type", "content-language", "x-ua-compatible")
)
#: Elements that load, run, send, move or change how what follows is read: none of them may
#: stand in the text at all, wherever a reader of broken markup may find it.
NOWHERE = names(
    "script noscript template iframe frame frameset fencedframe portal object embed applet "
    "param base link form textarea select option optgroup keygen isindex xmp plaintext listing "
    "noembed noframes math mglyph annotation-xml foreignobject animate animatemotion "
    "animatetransform animatecolor set discard handler audio video source track picture canvas "
    "bgsound marquee slot model feimage"
)


#: Functions whose text is an address. What they are given must be written out in them:
#: `var()`, `attr()` and functions of the page's own could put any address there.
ADDRESSES = frozenset(
    ("url", "src", "image", "image-set", "-webkit-image-set", "cross-fade", "-webkit-cross-fade")
)
#: Functions within those whose text is no address.
_KINDS = frozenset(("type", "format", "tech", "crossorigin", "integrity", "referrerpolicy"))
_FILLED_LATER = frozenset(("var", "attr", "env", "if", "inherit"))


def style_reference(text: str) -> str | None:
    r"""The first address out of the page that a style sheet or declarations name, or None.

    Escapes are resolved and comments left out by the tokenizer; strings count in functions
    that load them, and every ``@import`` counts.

    >>> style_reference("p{background:u\\72l(http://a/b)}")
    'http://a/b'
    >>> style_reference("p{background:image-set('//a/b' 1x)}")
    '//a/b'
    >>> style_reference("@import 'a.css';")
    'a.css'
    >>> style_reference("p{content:'url(http://a)'; fill:url(#f)} @font-face{src:url(data:,x)}")
    """
    from tinycss2 import parse_component_value_list

    return next(_found(parse_component_value_list(text)), None)


def is_inside(address: str) -> bool:
    """Whether an address lies within the page: nothing, a fragment, or data.

    >>> is_inside(" #top"), is_inside("data:image/png;base64,AA"), is_inside("//a/b")
    (True, True, False)
    """
    return address.strip().lower().startswith(("data:", "#")) or not address.strip()


def _found(tokens: list[Any]) -> Iterator[str]:
    """Addresses out of the page, in their order; without recursion, as nesting has no end.

    Each level waits with its rest of tokens and whether its text is an address.
    """
    waiting = [(iter(tokens), False)]
    imported = False
    while waiting:
        items, loading = waiting[-1]
        token = next(items, None)
        if token is None:
            waiting.pop()
            continue
        if imported and token.type not in ("whitespace", "comment"):
            yield str(getattr(token, "value", "") or "@import")
        yield from _address(token, loading)
        imported = (token.type == "at-keyword" and token.lower_value == "import") or (
            imported and token.type in ("whitespace", "comment")
        )
        within = _within(token)
        if within is not None:
            waiting.append((iter(within), _loads(token, loading)))
    if imported:
        yield "@import"


def _address(token: Any, loading: bool) -> Iterator[str]:
    """The address out of the page that a token is."""
    if token.type == "url" or (token.type == "string" and loading):
        if not is_inside(token.value):
            yield token.value.strip()
    elif token.type == "function" and loading:
        name = token.lower_name
        if name in _FILLED_LATER or name.startswith("--"):
            yield f"{name}() within an address"


def _within(token: Any) -> list[Any] | None:
    """The tokens that a token holds."""
    found: list[Any] | None = getattr(token, "arguments", None)
    return found if token.type == "function" else getattr(token, "content", None)


def _loads(token: Any, loading: bool) -> bool:
    """Whether text within a token is an address."""
    if token.type != "function":
        return loading
    return token.lower_name in ADDRESSES or (loading and token.lower_name not in _KINDS)


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
        yield "a drawing that is not XML"
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
