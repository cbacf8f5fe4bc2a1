"""Laying out a page on paper: WeasyPrint, kept from the network and from the clock."""

from __future__ import annotations

import hashlib
import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from evalreport.errors import MissingLibraryError, Problem, RenderingError
from evalreport.render.finishing import complete_structure
from evalreport.render.shipped import UNPACKED, fonts_css, shipped_font

#: Margins that give Letter lines of about the length of those on A4, in the same type.
LETTER = "@page{{size:Letter{}!important;margin:14mm 18mm 13mm 21mm!important}}"


def print_page(
    html: str, variant: str, attachments: Mapping[str, bytes], at: str, page: str
) -> bytes:
    """The PDF of a page. Raises RenderingError."""
    weasyprint = _weasyprint()
    from weasyprint.urls import FatalURLFetchingError

    logging.getLogger("weasyprint").setLevel(logging.ERROR)
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    when = datetime.fromisoformat(at)
    files = [_attachment(weasyprint, name, content, when) for name, content in attachments.items()]
    try:
        document = weasyprint.HTML(string=html, url_fetcher=_fetcher(), base_url=None)
        # a report in large print lies on its side
        turned = " landscape" if document.etree_element.get("class") == "lp" else ""
        sheets = [weasyprint.CSS(string=LETTER.format(turned))] if page == "letter" else []
        options = {
            "pdf_variant": variant,
            "pdf_identifier": hashlib.sha256(html.encode("utf-8")).hexdigest()[:32].encode("ascii"),
            "attachments": files,
            "stylesheets": sheets,
        }
        pages = document.render(**options)
        content = pages.write_pdf(finisher=complete_structure, **options)
    except FatalURLFetchingError as error:
        raise RenderingError(
            Problem(
                f"the page refers to {error}, which a report may not load",
                "put images and fonts into the page as data: addresses",
            )
        ) from None
    except RecursionError:
        raise RenderingError(
            Problem("the page is nested too deeply to be laid out", "simplify the template")
        ) from None
    return bytes(content)


def load() -> None:
    """Load the library and what it reads and parses once, with a page of its own."""
    page = f"<style>{fonts_css(paper=True)}</style><table><tr><td>page</table>"
    print_page(page, "pdf/a-3a", {}, "2000-01-01T00:00:00+00:00", "a4")


INSTALL_PANGO = (
    "install Pango (Debian, Ubuntu: apt-get install libpango-1.0-0 libpangoft2-1.0-0; "
    "macOS: brew install pango), or ask for --formats html"
)


def _weasyprint() -> Any:
    """The library; it loads Pango, which the system has to provide."""
    try:
        with _named_libraries():
            import weasyprint
    except (OSError, ImportError) as error:
        told = Problem(f"the PDF cannot be drawn: {str(error).splitlines()[0]}", INSTALL_PANGO)
        raise MissingLibraryError(told) from None
    return weasyprint


def pango_problem() -> Problem | None:
    """What is missing for a PDF, found without loading its writer; None where all is there."""
    for name in ("pango-1.0", "pangoft2-1.0"):
        if _library(name) is None:
            return Problem(f"no PDF can be drawn: {name} is not installed", INSTALL_PANGO)
    return None


def pango_version() -> str | None:
    """The version of the library that sets letters; None where it is not installed."""
    import ctypes

    pango = _library("pango-1.0")
    if pango is None:
        return None
    pango.pango_version_string.restype = ctypes.c_char_p
    return str(pango.pango_version_string().decode("ascii"))


def _library(name: str) -> Any:
    """A library of the system; None where it is not installed."""
    import ctypes
    import ctypes.util

    file = f"lib{name}.so.0" if sys.platform == "linux" else ctypes.util.find_library(name)
    try:
        return ctypes.CDLL(file or f"lib{name}.dylib")
    except OSError:
        return None


@contextmanager
def _named_libraries() -> Iterator[None]:
    """While libraries load: by the names that WeasyPrint knows, without a search for others.

    ctypes searches by starting ldconfig, gcc and ld for every name that is not there, some 50
    programs before the first page. The loader of Linux finds ``libpango-1.0.so.0`` and its
    like by itself; other systems search without programs.
    """
    import ctypes.util

    search = ctypes.util.find_library
    if sys.platform == "linux":
        ctypes.util.find_library = _not_searched
    try:
        yield
    finally:
        ctypes.util.find_library = search


def _not_searched(name: str) -> str | None:  # noqa: ARG001 - of the search it stands for
    return None


def _fetcher() -> Any:
    """Reads data: addresses; any other reference ends the rendering."""
    from weasyprint.urls import FatalURLFetchingError, URLFetcher, URLFetcherResponse

    class DataOnly(URLFetcher):  # type: ignore[misc]
        """Nothing but what the page itself holds, and the fonts that are shipped with it."""

        def fetch(self, url: str, headers: Any = None) -> Any:
            if not url.lower().startswith("data:"):
                shown = url if len(url) <= 200 else url[:200] + "…"
                raise FatalURLFetchingError(shown)
            if url in UNPACKED:
                return URLFetcherResponse(url, shipped_font(UNPACKED[url]))
            return super().fetch(url, headers)

    return DataOnly(allowed_protocols=("data",), allow_redirects=False, fail_on_errors=True)


def _attachment(weasyprint: Any, name: str, content: bytes, when: datetime) -> Any:
    return weasyprint.Attachment(
        string=content,
        name=name,
        description=f"{name} of this report",
        created=when,
        modified=when,
        relationship="Data" if name.endswith((".json", ".csv")) else "Source",
    )
