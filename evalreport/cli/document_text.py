"""What a PDF or Word document tells, whichever release of the libraries drew it."""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from evalreport.runs.hashing import sha256

#: What a line may end with that is no part of a word.
_SOFT_HYPHENS = str.maketrans("", "", "\u00ad\u200b")


@dataclass(frozen=True)
class Told:
    """The words of all pages in order, how many pages there are, and the files inside."""

    words: tuple[str, ...]
    pages: int
    attachments: tuple[tuple[str, str], ...]


def read_pdf(data: bytes) -> Told | None:
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
    return Told(tuple(text.translate(_SOFT_HYPHENS).split()), pages, tuple(sorted(files)))


def read_docx(data: bytes) -> Told | None:
    """The text of a Word document, whose pages Word makes; None for what is none."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            names = [name for name in parts.namelist() if _TEXT_OF_WORD.fullmatch(name)]
            text = " ".join(parts.read(name).decode("utf-8", "replace") for name in sorted(names))
    except (zipfile.BadZipFile, ValueError, NotImplementedError, RuntimeError):
        return None
    return Told(tuple(re.sub(r"<[^>]*>", " ", text).split()), 0, ())


#: The parts of a Word document that hold text.
_TEXT_OF_WORD = re.compile(r"word/(document|header\d*|footer\d*|footnotes)\.xml")
#: What reads a file, by its name, and what it is called.
READERS: dict[str, tuple[Callable[[bytes], Told | None], str]] = {
    "report.pdf": (read_pdf, "PDF"),
    "report.docx": (read_docx, "Word document"),
}


def text_problems(name: str, there: bytes, drawn: bytes) -> Iterator[str]:
    """What a PDF or Word document tells otherwise than the one that was drawn again.

    Another release may break lines and pages elsewhere, so that the order of words is no matter
    where all of them are there.
    """
    read, kind = READERS[name]
    own, other = read(there), read(drawn)
    if own is None or other is None:
        yield f"is not a {kind} that can be read"
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
        yield f"has {_some(more)} where results.json has {_some(less)}"


def _some(words: Counter[str]) -> str:
    return " ".join(repr(word) for word in sorted(words)[:3]) or "nothing"
