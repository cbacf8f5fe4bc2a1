"""A reading of the page as another program reads it: by the documented hooks alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}


@dataclass
class Element:
    tag: str
    attrs: dict[str, str]
    parent: Element | None
    children: list[Element | str] = field(default_factory=list)

    def walk(self):
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def all(self, tag: str | None = None, **attrs: Any) -> list[Element]:
        wanted = {k.replace("_", "-"): v for k, v in attrs.items()}
        return [
            e
            for e in self.walk()
            if (tag is None or e.tag == tag)
            and all(k in e.attrs and (v is True or e.attrs[k] == v) for k, v in wanted.items())
        ]

    def up(self, tag: str) -> Element | None:
        here = self.parent
        while here is not None and here.tag != tag:
            here = here.parent
        return here

    @property
    def text(self) -> str:
        return "".join(c if isinstance(c, str) else c.text for c in self.children)

    @property
    def own_text(self) -> str:
        """The text before any child element."""
        first = next((c for c in self.children if not isinstance(c, str) or c.strip()), "")
        if isinstance(first, Element):
            return first.text if first.tag == "b" else ""
        return first


class Tree(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = self.here = Element("#root", {}, None)

    def handle_starttag(self, tag, attrs):
        element = Element(tag, {k: v or "" for k, v in attrs}, self.here)
        self.here.children.append(element)
        if tag not in VOID:
            self.here = element

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        assert self.here.tag == tag, f"</{tag}> closes <{self.here.tag}>"
        self.here = self.here.parent

    def handle_data(self, data):
        self.here.children.append(data)


def parse(page: str) -> Element:
    tree = Tree()
    tree.feed(page)
    tree.close()
    assert tree.here is tree.root, f"<{tree.here.tag}> is never closed"
    return tree.root


def table_of(measure: Element) -> tuple[str, Any] | None:
    """The classification table of a measure by the contract's rule: id and counts."""
    inside = measure.all("table", data_table=True)
    if inside:
        return inside[0].attrs["data-table"], counts_of(inside[0])
    name = measure.attrs.get("data-table")
    section = measure.up("section")
    found = section.all("table", data_table=name) if section and name else []
    if found:
        return name, counts_of(found[0])
    row = measure if measure.tag == "tr" else measure.up("tr")
    if row is not None and row.all(data_cell=True):
        return row.attrs["data-table"], cells_of(row)
    return None


def cells_of(flat: Element) -> dict[str, str]:
    """The counts of a table of two classes that is laid flat."""
    return {c.attrs["data-cell"]: c.text for c in flat.all(data_cell=True)}


def counts_of(table: Element) -> dict[tuple[str, str], str]:
    """Counts by actual and predicted label, whichever stands in rows; totals left out."""
    turned = table.attrs.get("data-rows") == "predicted"

    def label(th: Element) -> str:
        return th.attrs.get("data-label", th.text)

    columns = list(table.all("th", scope="col"))
    found = {}
    for row in table.all("tr"):
        heads = row.all("th", scope="row")
        if not heads or "data-total" in heads[0].attrs:
            continue
        for th, td in zip(columns, row.all("td"), strict=True):
            if "data-total" not in th.attrs:
                place = (label(heads[0]), label(th))
                found[place[::-1] if turned else place] = td.own_text.strip()
    return found
