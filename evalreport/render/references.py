"""References out of a page: what it would load, found before anything tries to."""

from __future__ import annotations

import re
from html.parser import HTMLParser

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
)
_CSS = re.compile(
    r"@import\s+(?:url\()?\s*[\"']?([^\"')\s;]*)|url\(\s*[\"']?([^\"')]*)", re.IGNORECASE
)


def blocked_reference(page: str) -> str | None:
    """The first reference of a page to anything outside it, as written; None if there is none.

    >>> blocked_reference('<img src="data:image/png;base64,AA"><a href="#x">x</a>')
    >>> blocked_reference('<p style="background:url(file:///etc/passwd)">')
    'file:///etc/passwd'
    >>> blocked_reference('<link rel=attachment href="file:///a">')
    'file:///a'
    """
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return reader.found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: str | None = None
        self._style = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        if tag in REFUSED:
            self._note(
                known.get("href") or known.get("src") or known.get("data") or f"<{tag}>", True
            )
        if tag == "meta" and known.get("http-equiv", "").lower() == "refresh":
            self._note(known.get("content", "refresh"), True)
        for name, value in known.items():
            if name in LOADED or (name == "href" and not _is_plain_link(tag, value)):
                self._note(value)
            elif name.startswith("on"):
                self._note(f"{name}={value}", True)
            elif name == "style":
                self._css(value)
        if tag == "style":
            self._style += 1

    def handle_endtag(self, tag: str) -> None:
        if tag == "style":
            self._style = max(0, self._style - 1)

    def handle_data(self, data: str) -> None:
        if self._style:
            self._css(data)

    def _css(self, text: str) -> None:
        for match in _CSS.finditer(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)):
            self._note(match.group(1) or match.group(2) or "@import", match.group(1) is not None)

    def _note(self, reference: str, always: bool = False) -> None:
        harmless = reference.strip().lower().startswith(("data:", "#")) or not reference.strip()
        if self.found is None and (always or not harmless):
            self.found = reference.strip()


def _is_plain_link(tag: str, address: str) -> bool:
    """Whether following the link is the reader's own act: nothing is loaded by showing it."""
    return (
        tag == "a" and re.match(r"#|https?://|mailto:", address.strip(), re.IGNORECASE) is not None
    )
