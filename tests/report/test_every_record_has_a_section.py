"""Every kind of record of a run is read by the report, or it is said here why it is not."""

from __future__ import annotations

import re
from pathlib import Path

import evalreport.report
from evalreport.results.lookup import parts

#: Kinds that no section has to read, each with the reason.
UNREAD: dict[str, str] = {}


def test_every_record_of_results_has_its_section() -> None:
    folder = Path(evalreport.report.__file__).parent
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py")))
    read = set(re.findall(r"\.of\((?:records\.)?(\w+)\)", text))
    read |= {kind.__name__ for kind, name in parts().items() if f"results.{name}" in text}
    assert {kind.__name__ for kind in parts()} - read == set(UNREAD)
