"""Laying out a page on paper: WeasyPrint, kept from the network and from the clock."""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from evalreport.errors import Problem, RenderingError
from evalreport.render.locate import FACES, font_source, fonts_css, shipped_font

#: Addresses that stand for the shipped fonts, as files that need no unpacking.
SHIPPED = {f"data:font/ttf,{face[-1]}": face[-1].replace(".woff2", ".ttf") for face in FACES}

#: Margins and type size that give Letter the same pages as A4.
LETTER = (
    "@page{size:Letter!important;margin:15mm 20.5mm 13.5mm 23.5mm!important}"
    "html{font-size:7.95pt!important}"
)


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
        document = weasyprint.HTML(string=for_paper(html), url_fetcher=_fetcher(), base_url=None)
        sheets = [weasyprint.CSS(string=LETTER)] if page == "letter" else []
        content = document.write_pdf(
            pdf_variant=variant,
            pdf_identifier=hashlib.sha256(html.encode("utf-8")).hexdigest()[:32].encode("ascii"),
            attachments=files,
            stylesheets=sheets,
        )
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


def for_paper(html: str) -> str:
    """The page as it is laid out: the same words in fewer boxes, and without its fonts.

    Fonts are read where they are shipped; the data of charts, folded away on screen, is left
    out on paper, where the attached results hold it; and a cell needs no second wrapping
    to keep the direction of its text to itself.
    """
    for address, name in zip(SHIPPED, (face[-1] for face in FACES), strict=True):
        html = html.replace(font_source(name), f'url({address}) format("truetype")')
    html = re.sub(r'<details class="data">(?:(?!<details).)*?</details>', "", html, flags=re.DOTALL)
    return re.sub(r"(<t[dh](?: [^<>]*)?>)<bdi>([^<]*)</bdi>(?=</t[dh]>)", r"\1\2", html)


def load() -> None:
    """Load the library and what it reads and parses once, with a page of its own."""
    page = f"<style>{fonts_css()}</style><table><tr><td>page</table>"
    print_page(page, "pdf/a-3a", {}, "2000-01-01T00:00:00+00:00", "a4")


def _weasyprint() -> Any:
    """The library; it loads Pango, which the system has to provide."""
    try:
        import weasyprint
    except (OSError, ImportError) as error:
        raise RenderingError(
            Problem(
                f"the PDF cannot be drawn: {str(error).splitlines()[0]}",
                "install Pango (Debian, Ubuntu: apt-get install libpango-1.0-0 libpangoft2-1.0-0; "
                "macOS: brew install pango), or ask for --formats html",
            )
        ) from None
    return weasyprint


def _fetcher() -> Any:
    """Reads data: addresses; any other reference ends the rendering."""
    from weasyprint.urls import FatalURLFetchingError, URLFetcher, URLFetcherResponse

    class DataOnly(URLFetcher):  # type: ignore[misc]
        """Nothing but what the page itself holds, and the fonts that are shipped with it."""

        def fetch(self, url: str, headers: Any = None) -> Any:
            if not url.lower().startswith("data:"):
                shown = url if len(url) <= 200 else url[:200] + "…"
                raise FatalURLFetchingError(shown)
            if url in SHIPPED:
                return URLFetcherResponse(url, shipped_font(SHIPPED[url]))
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
