"""What a PDF or Word document tells, whichever release of the libraries drew it."""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from evalreport.runs.hashing import sha256

#: What a line may end with that is no part of a word.
_SOFT_HYPHENS = str.maketrans("", "", "\u00ad\u200b")


@dataclass(frozen=True)
class Told:
    """The words of each page in order, and the files inside."""

    pages: tuple[tuple[str, ...], ...]
    attachments: tuple[tuple[str, str], ...] = ()


def read_pdf(data: bytes) -> Told | None:
    """The text, pages and attachments of a PDF; None for what is none.

    Raises ImportError where pypdf is not installed.
    """
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(io.BytesIO(data))
        pages = tuple(_words(page.extract_text()) for page in reader.pages)
        files = [
            (name, sha256(content))
            for name, contents in reader.attachments.items()
            for content in contents
        ]
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        return None
    return Told(pages, tuple(sorted(files)))


def read_docx(data: bytes) -> Told | None:
    """The text of a Word document as one page, as Word makes the pages; None for what is none."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            names = [name for name in parts.namelist() if _TEXT_OF_WORD.fullmatch(name)]
            text = " ".join(parts.read(name).decode("utf-8", "replace") for name in sorted(names))
    except (zipfile.BadZipFile, ValueError, NotImplementedError, RuntimeError):
        return None
    return Told((_words(re.sub(r"<[^>]*>", " ", text)),))


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.translate(_SOFT_HYPHENS).split())


#: The parts of a Word document that hold text.
_TEXT_OF_WORD = re.compile(r"word/(document|header\d*|footer\d*|footnotes)\.xml")
#: What reads a file, by its name, and what it is called.
READERS: dict[str, tuple[Callable[[bytes], Told | None], str]] = {
    "report.pdf": (read_pdf, "PDF"),
    "report.docx": (read_docx, "Word document"),
}


@dataclass
class Compared:
    """What a document tells otherwise, and the pages whose words are there in an order not known.

    ``unordered``: numbers of pages that begin and end elsewhere than in the one drawn again.
    """

    problems: list[str] = field(default_factory=list)
    unordered: list[int] = field(default_factory=list)


def compared_text(name: str, there: bytes, drawn: bytes) -> Compared:
    """A PDF or Word document beside the one that was drawn again.

    Another release may break lines elsewhere, and so move words over the end of a page; all other
    words have to stand on the same page in the same order.
    """
    read, kind = READERS[name]
    own, other = read(there), read(drawn)
    if own is None or other is None:
        return Compared([f"is not a {kind} that can be read"])
    found = Compared()
    if len(own.pages) != len(other.pages):
        what = f"has {len(own.pages)} pages, results.json gives {len(other.pages)}"
        found.problems.append(what)
    if own.attachments != other.attachments:
        found.problems.append("has other files attached than results.json gives")
    here, again = Counter[str](), Counter[str]()
    for page, (one, two) in enumerate(zip_longest(own.pages, other.pages, fillvalue=()), start=1):
        if "".join(one) == "".join(two):
            continue
        here.update(one)
        again.update(two)
        more, less = here - again, again - here
        # a page that ends later has words more up to its end, or else words less
        two_sided = bool(more and less) or (bool(more or less) and page >= len(own.pages))
        if two_sided or Counter(one) == Counter(two):
            if not two_sided:  # the same words in another order
                apart = next((a, b) for a, b in zip(one, two, strict=True) if a != b)
                more, less = Counter(apart[:1]), Counter(apart[1:])
            at = f", page {page}" if len(own.pages) > 1 else ""
            found.problems.append(f"has {_some(more)} where results.json has {_some(less)}{at}")
            break
        if not _is_longer(one, two):
            found.unordered.append(page)
    return found


def _is_longer(one: Sequence[str], two: Sequence[str]) -> bool:
    """Whether one of two pages is the other with some words put in at one place."""
    short, long = sorted((one, two), key=len)
    before = next((k for k, word in enumerate(short) if word != long[k]), len(short))
    rest = len(short) - before
    return not rest or list(short[-rest:]) == list(long[-rest:])


def _some(words: Counter[str]) -> str:
    return " ".join(repr(word) for word in sorted(words)[:3]) or "nothing"
