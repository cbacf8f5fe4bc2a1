"""A page read back as a browser would: elements with their attributes and text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def all(self, tag: str, **attributes: str | None) -> Iterator[Element]:
        """Elements below with this tag and these attributes; None: whatever its value."""
        for child in self.children:
            if child.tag == tag and all(
                name.replace("_", "-") in child.attributes
                and value in (None, child.attributes[name.replace("_", "-")])
                for name, value in attributes.items()
            ):
                yield child
            yield from child.all(tag, **attributes)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        for place in range(len(self.open) - 1, 0, -1):
            if self.open[place].tag == tag:
                del self.open[place:]
                return

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.text += data


def parsed(page: str, as_read: bool = True) -> Element:
    """The page as elements; line ends become line feeds first, as a browser reads them.

    Not so (``as_read`` false) for a page that a browser wrote.
    """
    reader = _Reader()
    reader.feed(page.replace("\r\n", "\n").replace("\r", "\n") if as_read else page)
    reader.close()
    return reader.root
