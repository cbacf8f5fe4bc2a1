"""References out of a page: what it would load, found before anything tries to.

This is the first wall: it tells an author what is wrong. Browsers read broken markup
in ways of their own, so a page of unknown origin also gets the policy of `guarded`.
"""

from __future__ import annotations

import base64
import binascii
import re
from html.parser import HTMLParser
from urllib.parse import unquote_to_bytes

#: Attributes whose value is loaded, whatever the element.
LOADED = frozenset(
    (
        "src",
        "srcset",
        "poster",
        "data",
        "background",
        "action",
        "formaction",
        "manifest",
        "codebase",
        "archive",
        "classid",
        "longdesc",
        "cite",
        "xlink:href",
        "imagesrcset",
    )
)
#: Elements that a report never holds.
REFUSED = frozenset(
    ("script", "iframe", "frame", "object", "embed", "applet", "base", "link", "form")
    + ("animate", "set")
)
#: Attributes of drawings that may name a paint, a mask or a filter elsewhere.
PAINTS = frozenset(
    ("style", "fill", "stroke", "filter", "mask", "clip-path", "cursor")
    + ("marker", "marker-start", "marker-mid", "marker-end")
)
#: The only things a page may hold besides text: style and images within itself.
POLICY = (
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
    "style-src 'unsafe-inline'; font-src data:\">"
)
_CSS = re.compile(
    r"@import\s*(?:url\()?\s*[\"']?([^\"')\s;]*)"
    r"|(?:url|src|image|image-set)\(\s*[\"']?([^\"')]*)",
    re.IGNORECASE,
)
_ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6})\s?|\\([^0-9a-fA-F\n])")
_DRAWING = re.compile(r"\s*data:image/svg\+xml([^,]*),(.*)", re.IGNORECASE | re.DOTALL)


def blocked_reference(page: str) -> str | None:
    """The first reference of a page to anything outside it, as written; None if there is none.

    >>> blocked_reference('<img src="data:image/png;base64,AA"><a href="#x">x</a>')
    >>> blocked_reference('<p style="background:url(file:///etc/passwd)">')
    'file:///etc/passwd'
    >>> blocked_reference('<link rel=attachment href="file:///a">')
    'file:///a'
    """
    return _read(page, 4)


def guarded(page: str) -> str:
    """The page with a policy before all else, under which a browser loads nothing.

    >>> guarded("<!DOCTYPE html><p>x").startswith("<!DOCTYPE html><meta ")
    True
    """
    head = re.match(r"\s*<!doctype[^>]*>", page, re.IGNORECASE)
    at = head.end() if head else 0
    return page[:at] + POLICY + page[at:]


def _read(page: str, depth: int) -> str | None:
    reader = _Reader(depth)
    reader.feed(page)
    reader.close()
    return reader.found


class _Reader(HTMLParser):
    def __init__(self, depth: int) -> None:
        super().__init__(convert_charrefs=True)
        self.found: str | None = None
        self._style = 0
        self._depth = depth

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        if tag in REFUSED:
            self._note(
                known.get("href") or known.get("src") or known.get("data") or f"<{tag}>", True
            )
        if tag == "meta" and known.get("http-equiv", "").lower() == "refresh":
            self._note(known.get("content", "refresh"), True)
        for name, value in known.items():
            if name in ("srcset", "imagesrcset"):
                self._note(value, value.strip() != "")
            elif name in LOADED or (
                name.rpartition(":")[2] == "href" and not _is_plain_link(tag, value)
            ):
                self._note(value)
            elif name.startswith("on"):
                self._note(f"{name}={value}", True)
            elif name in PAINTS:
                self._css(value)
        if tag == "style":
            self._style += 1

    def handle_endtag(self, tag: str) -> None:
        if tag == "style":
            self._style = max(0, self._style - 1)

    def handle_data(self, data: str) -> None:
        if self._style:
            self._css(data)
            self._within(data)

    def handle_comment(self, data: str) -> None:
        # Where a comment ends is a matter of opinion among readers of HTML.
        self._within(data.lstrip("->"))

    def unknown_decl(self, data: str) -> None:
        self._within(data)

    def _within(self, text: str) -> None:
        if "<" in text and self.found is None:
            if not self._depth:
                self._note("markup in markup in markup", True)
            else:
                self.found = _read(text, self._depth - 1)

    def _css(self, text: str) -> None:
        plain = _ESCAPE.sub(_character, text)
        # As text too: what looks like a comment may stand in quotes.
        for form in (re.sub(r"/\*.*?\*/", "", plain, flags=re.DOTALL), plain):
            for match in _CSS.finditer(form):
                imported = match.group(1) is not None
                self._note(match.group(1) or match.group(2) or "@import", imported)

    def _note(self, reference: str, always: bool = False) -> None:
        harmless = reference.strip().lower().startswith(("data:", "#")) or not reference.strip()
        if self.found is None and (always or not harmless):
            self.found = reference.strip()
        drawing = _DRAWING.fullmatch(reference)
        if drawing:
            self._within(_drawing(drawing[1], drawing[2]))


def _is_plain_link(tag: str, address: str) -> bool:
    """Whether following the link is the reader's own act: nothing is loaded by showing it."""
    return (
        tag == "a" and re.match(r"#|https?://|mailto:", address.strip(), re.IGNORECASE) is not None
    )


def _character(escape: re.Match[str]) -> str:
    """What an escape of CSS stands for."""
    if escape[2]:
        return escape[2]
    code = int(escape[1], 16)
    return chr(code) if 0 < code < 0x110000 else "\ufffd"


def _drawing(parameters: str, content: str) -> str:
    """The markup of a drawing that stands in an address."""
    data = unquote_to_bytes(content)
    if "base64" in parameters.lower():
        try:
            data = base64.b64decode(data + b"==")
        except binascii.Error:
            return ""
    return data.decode("utf-8", "replace")
