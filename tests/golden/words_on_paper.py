"""The words of a page on paper, and those that stand over another or beyond the margin."""

from __future__ import annotations

import html
import re
import subprocess
from collections.abc import Iterator
from typing import NamedTuple

from programs import program

WORD = re.compile(
    r'<word xMin="([-0-9.]+)" yMin="([-0-9.]+)" xMax="([-0-9.]+)" yMax="([-0-9.]+)">(.*?)</word>'
)
#: Points between the right edge of the paper and the words, less a little; of A4.
MARGIN = 595.28 - 30


class Word(NamedTuple):
    """A word and its box, in points from the upper left corner."""

    left: float
    top: float
    right: float
    bottom: float
    text: str


def words_of(pdf: bytes) -> Iterator[list[Word]]:
    """The words of each page, from top to bottom."""
    done = subprocess.run(
        [program("pdftotext"), "-bbox", "-", "-"], input=pdf, capture_output=True, check=True
    )
    # it writes letters of a title beyond the first 65536 in halves, which no UTF-8 has
    for page in done.stdout.decode("utf-8", "replace").split("<page ")[1:]:
        found = [
            Word(*map(float, groups[:4]), html.unescape(groups[4])) for groups in WORD.findall(page)
        ]
        yield sorted(found, key=lambda word: word.top)


def clashes(words: list[Word]) -> Iterator[tuple[str, ...]]:
    """Pairs of words that share more than a point in width and half a line in height."""
    for place, one in enumerate(words):
        if one.right > MARGIN:
            yield one.text, "beyond the margin"
        for other in words[place + 1 :]:
            if other.top >= one.bottom:
                break
            wide = min(one.right, other.right) - max(one.left, other.left)
            high = min(one.bottom, other.bottom) - max(one.top, other.top)
            least = min(one.bottom - one.top, other.bottom - other.top)
            if wide > 1.0 and high > 0.55 * least:
                yield one.text, other.text
