"""The structure of a PDF completed before it is written.

What the writer of the PDF leaves out of the structure that a screen reader follows is put in:
every head of a table gets its scope (ISO 32000-1, 14.8.5.7: ``Scope`` of a ``TH``), and a table
that runs over several pages becomes one element with its first caption, where the writer makes
one for each page. Heads that are repeated on a later page are rows of heads there, for a table
has one ``THead``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def complete_structure(document: Any, pdf: Any) -> None:
    """Scopes and whole tables, put into the tags of a PDF before it is written."""
    elements = {one.number: one for one in pdf.objects if _kind(one)}
    for one in elements.values():
        if _kind(one) == "/TH":
            one["A"]["Scope"] = _scope(one, elements)
    for first, *later in _tables(document, elements):
        for table in later:
            _moved(table, first, elements)


def _kind(one: Any) -> str:
    """The kind of a structure element; empty for any other object."""
    if not isinstance(one, dict) or one.get("Type") != "/StructElem":
        return ""
    return str(one["S"])


def _number(reference: bytes) -> int:
    """The number of the object that a reference leads to.

    >>> _number(b"12 0 R")
    12
    """
    return int(reference.split()[0])


def _scope(head: Any, elements: dict[int, Any]) -> str:
    """Whether a head is of its column or of its row: a row that counts begins with its head."""
    row = elements[_number(head["P"])]
    group = elements.get(_number(row["P"]))
    if _kind(group) == "/THead":
        return "/Column"
    cells = [elements[_number(k)] for k in row["K"] if isinstance(k, bytes)]
    return "/Row" if any(_kind(cell) == "/TD" for cell in cells) else "/Column"


def _tables(document: Any, elements: dict[int, Any]) -> Iterator[list[Any]]:
    """The elements of each table of the page, in the order of the sheets they are on.

    Tables that head every page of what is read off them are whole on each.
    """
    found: dict[int, list[Any]] = {}
    repeated: set[int] = set()
    for page in document.pages:
        for box in page._page_box.descendants():
            element = box.element
            if element is not None and element.get("class") == "once":
                repeated.update(map(id, element.iter()))
            if getattr(box, "is_table_wrapper", False) and getattr(element, "tag", "") == "table":
                table = _element_of(box, elements)
                if table is not None and id(element) not in repeated:
                    found.setdefault(id(element), []).append(table)
    yield from found.values()


def _element_of(wrapper: Any, elements: dict[int, Any]) -> Any:
    """The structure element of a table, found from that of its first cell."""
    marks = (getattr(box, "mark", None) for box in wrapper.descendants())
    here = next((mark for mark in marks if _kind(mark) in ("/TD", "/TH")), None)
    while here is not None and _kind(here) != "/Table":
        here = elements.get(_number(here["P"]))
    return here


def _moved(table: Any, first: Any, elements: dict[int, Any]) -> None:
    """What a table holds on a later sheet, moved to the table that it goes on with."""
    parent = elements.get(_number(table["P"]))
    if parent is None or table is first:
        return
    parent["K"].remove(table.reference)
    for reference in table["K"]:
        part = elements[_number(reference)]
        part["P"] = first.reference
        if _kind(part) == "/THead":
            part["S"] = "/TBody"
        first["K"].append(reference)
    table["K"].clear()
