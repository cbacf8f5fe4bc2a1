"""Who signed a copy of the report, as it stands on its pages."""

from __future__ import annotations

from dataclasses import dataclass

from evalreport.report.words import label_text

SIGNED = (
    "Signed electronically: the signature in this file covers every byte of it, and this line "
    "states its meaning. A copy without a signature in the file is not signed, whatever it prints."
)


@dataclass(frozen=True)
class Signed:
    """A signature: printed name, role, what it means, and when, with the zone."""

    name: str
    role: str
    meaning: str
    at: str

    @property
    def line(self) -> str:
        """The signature in a line, at the foot of each page."""
        return f"SIGNED: {self.meaning}, {label_text(self.name)}, {self.at}"
