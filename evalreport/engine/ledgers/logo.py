"""The logo that a spec names, read once and kept in the results as an address that holds it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from evalreport.data.pictures import MOST_BYTES, data_address
from evalreport.data.source import open_source, opened
from evalreport.errors import DataError, FilesError, Problem
from evalreport.results.records import Logo
from evalreport.spec.load import LoadedSpec


def read_logo(loaded: LoadedSpec) -> Logo | None:
    """Name, hash and content of the logo, None where the spec names none.

    Raises FilesError for a file that cannot be read, DataError for one that is no
    PNG or SVG picture.
    """
    name = loaded.spec.report.logo
    if name is None:
        return None
    where = loaded.where(("report", "logo"))
    try:
        with opened(open_source(Path(loaded.folder or ".") / name, name)) as file:
            content = file.read(MOST_BYTES + 1)
    except FilesError as error:
        what = f"the logo {name} cannot be used: it {error.problems[0].what}"
        raise FilesError(Problem(what, "a PNG or SVG file beside the spec", where)) from None
    try:
        address = data_address(content, name)
    except DataError as error:
        problem = error.problems[0]
        raise DataError(Problem(f"{name}: {problem.what}", problem.instead, where)) from None
    shown = Path(name).name if Path(name).is_absolute() else name
    return Logo(shown, hashlib.sha256(content).hexdigest(), address)
