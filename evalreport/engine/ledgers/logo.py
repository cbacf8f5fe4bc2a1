"""The logo that a spec names, read once and kept in the results as an address that holds it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from evalreport.data.pictures import MOST_BYTES, data_address
from evalreport.errors import DataError, FilesError, Problem
from evalreport.spec.load import LoadedSpec


def read_logo(loaded: LoadedSpec) -> dict[str, Any] | None:
    """Name, hash and content of the logo, None where the spec names none.

    Raises FilesError for a file that cannot be read, DataError for one that is no
    PNG or SVG picture.
    """
    name = loaded.spec.report.logo
    if name is None:
        return None
    where = loaded.where(("report", "logo"))
    try:
        with (Path(loaded.folder or ".") / name).open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        what = f"the logo {name} cannot be read: {error.strerror or error}"
        raise FilesError(Problem(what, "a PNG or SVG file beside the spec", where)) from None
    try:
        address = data_address(content, name)
    except DataError as error:
        problem = error.problems[0]
        raise DataError(Problem(f"{name}: {problem.what}", problem.instead, where)) from None
    shown = Path(name).name if Path(name).is_absolute() else name
    return {"name": shown, "sha256": hashlib.sha256(content).hexdigest(), "address": address}
