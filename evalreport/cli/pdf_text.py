"""What a PDF tells, whichever release of the libraries drew it: text, pages and attachments."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from evalreport.record.hashing import sha256

#: What a line may end with that is no part of a word.
_SOFT_HYPHENS = str.maketrans("", "", "\u00ad\u200b")


@dataclass(frozen=True)
class PdfText:
    """The words of all pages in order, how many pages there are, and the files inside."""

    words: tuple[str, ...]
    pages: int
    attachments: tuple[tuple[str, str], ...]


def read_pdf(data: bytes) -> PdfText | None:
    """The text, pages and attachments of a PDF; None for what is none.

    Raises ImportError where pypdf is not installed.
    """
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(io.BytesIO(data))
        text = "\n".join(page.extract_text() for page in reader.pages)
        files = [
            (name, sha256(content))
            for name, contents in reader.attachments.items()
            for content in contents
        ]
        pages = len(reader.pages)
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        return None
    return PdfText(tuple(text.translate(_SOFT_HYPHENS).split()), pages, tuple(sorted(files)))


def pdf_problems(there: bytes, drawn: bytes) -> Iterator[str]:
    """What a PDF tells otherwise than the one that was drawn again.

    Another release may break lines and pages elsewhere, so that the order of words is no matter
    where all of them are there.
    """
    own, other = read_pdf(there), read_pdf(drawn)
    if own is None or other is None:
        yield "is not a PDF that can be read"
        return
    if own.pages != other.pages:
        yield f"has {own.pages} pages, results.json gives {other.pages}"
    if own.attachments != other.attachments:
        yield "has other files attached than results.json gives"
    if "".join(own.words) == "".join(other.words):
        return
    here, again = Counter(own.words), Counter(other.words)
    more, less = here - again, again - here
    if more or less:
        yield f"says {_some(more)} where results.json gives {_some(less)}"


def _some(words: Counter[str]) -> str:
    return " ".join(repr(word) for word in sorted(words)[:3]) or "nothing"
