"""The differences of two runs as ``diff --json`` writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evalreport.results.changes import Diff
from evalreport.results.codec import decode_as, encode
from evalreport.runs import diff


def differences(old: Path, new: Path) -> dict[str, Any]:
    """What changed, as plain data that reads back as the same records."""
    found = diff.differences(old, new)
    told = encode(found)
    assert decode_as(Diff, told, "diff") == found
    return told
