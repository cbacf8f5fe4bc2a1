"""The logo at the head of a report: of the results, or of a user's template folder."""

from __future__ import annotations

from evalreport.data.pictures import MOST_BYTES, SUFFIXES, data_address
from evalreport.report.contents import Contents

__all__ = ["MOST_BYTES", "SUFFIXES", "data_address", "logo_address"]


def logo_address(contents: Contents) -> str:
    """The picture as an address that holds it; nothing where the spec names none."""
    logo = contents.results.logo
    address = logo.address if logo is not None else ""
    return address if address.startswith(("data:image/png;", "data:image/svg+xml;")) else ""
