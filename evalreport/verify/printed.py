"""Every number on the page against results.json.

Of an element with ``data-measure`` the ``data-value`` inside must be the measure's
value to the last digit, and the text there its rounding or the word for its state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from html.parser import HTMLParser

from evalreport.results.lookup import Results
from evalreport.results.records import Measure

_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input")
    + ("link", "meta", "param", "source", "track", "wbr")
)
_NUMBER = re.compile(r"([+-]?\d+(?:\.(\d+))?)( ?%)?", re.ASCII)
_VERSION = re.compile(r"\bevalreport (\d[\w.+-]*\w)", re.ASCII)
_WORDS = {
    "undefined": "undefined",
    "not_applicable": "not applicable",
    "infinite": "infinite",
}


@dataclass
class Printed:
    """One printed number: whose it is, its ``data-value``, and its text."""

    measure: str
    value: str
    text: str = ""


def printed_problems(page: str, results: Results) -> tuple[str, ...]:
    """Every number on an HTML page that is not what the results say; by measure id."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    found = []
    for number in reader.numbers:
        there = results.has_measure(number.measure)
        measure = results.measure(number.measure) if there else None
        found += [f"measure {number.measure}: {what}" for what in _problems(number, measure)]
    without = sorted(reader.shown - {number.measure for number in reader.numbers})
    found += [f"measure {name}: shown without its value (no data-value)" for name in without]
    return (*found, *version_problems(page, results))


def version_problems(text: str, results: Results) -> Iterator[str]:
    """Where a page or document names versions of the program, and not that of the results."""
    named, own = dict.fromkeys(_VERSION.findall(text)), results.provenance.version
    if own and named and own not in named:
        yield f"it names evalreport {', '.join(named)}, results.json is of {own}"


class _Reader(HTMLParser):
    """Collects the numbers of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.numbers: list[Printed] = []
        self.shown: set[str] = set()
        # Open elements: tag, the measure it is or lies in, the number whose text it holds.
        self._open: list[tuple[str, str | None, Printed | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        _, measure, number = self._open[-1] if self._open else ("", None, None)
        if found.get("data-measure") is not None:
            measure, number = found["data-measure"], None
            self.shown.add(measure or "")
        if "data-value" in found and measure is not None:
            number = Printed(measure, found["data-value"] or "")
            self.numbers.append(number)
        if tag not in _VOID:
            self._open.append((tag, measure, number))

    def handle_endtag(self, tag: str) -> None:
        for place in range(len(self._open) - 1, -1, -1):
            if self._open[place][0] == tag:
                del self._open[place:]
                return

    def handle_data(self, data: str) -> None:
        number = self._open[-1][2] if self._open else None
        if number is not None:
            number.text += data


def _problems(number: Printed, measure: Measure | None) -> list[str]:
    if measure is None:
        return ["is on the page but not in results.json"]
    state, value = measure.state, measure.value
    text = " ".join(number.text.replace("\N{MINUS SIGN}", "-").split())
    if state != "value":
        found = [f"{state}, yet the page gives {number.value!r}"] if number.value else []
        word = _WORDS.get(state, "")
        if word not in text and not (state == "infinite" and "\N{INFINITY}" in text):
            found.append(f"{state}, yet the page reads {text!r}")
        return found
    if value is None or _float(number.value) != value:
        return [f"data-value is {number.value!r}, results.json has {value!r}"]
    return [] if _is_rounding(text, value) else [f"printed as {text!r}, its value is {value!r}"]


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _is_rounding(text: str, value: float) -> bool:
    """Whether a printed number is the value to as many digits as it has.

    Other texts ("< 0.0001", "1.2e-7") are for people to judge.

    >>> _is_rounding("89.7 %", 0.8969), _is_rounding("0.896", 0.8969)
    (True, False)
    """
    match = _NUMBER.fullmatch(text)
    if match is None:
        return not re.search(r"undefined|not applicable|infinite", text)
    shown, decimals, percent = match.groups()
    scale = 100 if percent else 1
    half = Fraction(1, 2 * 10 ** len(decimals or ""))
    # A hair more than half a step: the value itself is a rounded binary number.
    room = half + Fraction(1, 10**12)
    return abs(Fraction(Decimal(shown)) - Fraction(value) * scale) <= room
