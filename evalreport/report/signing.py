"""Who signed a copy of the report, as it stands on its pages."""

from __future__ import annotations

from dataclasses import dataclass, replace

from evalreport.report.model import Block, Checklist, Report, Section, Signatures, Text
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


def with_signature(report: Report, signed: Signed) -> Report:
    """The report with the signature on its lines and at the foot of its pages."""
    sections = tuple(
        _filled(s, signed)
        if s.id == "signatures"
        else replace(s, blocks=tuple(_told(block, signed) for block in s.blocks))
        for s in report.sections
    )
    return replace(report, signed=signed.line, sections=sections)


def _told(block: Block, signed: Signed) -> Block:
    """A checklist whose items know of the signature; other blocks as they are."""
    if not isinstance(block, Checklist):
        return block
    items = tuple(
        replace(item, status="from the run", text=item.text.replace(item.unsigned, signed.line))
        if item.unsigned
        else item
        for item in block.items
    )
    return replace(block, items=items)


def _filled(section: Section, signed: Signed) -> Section:
    """The section with the line of this meaning filled, or with a line more."""
    blocks: list[Block] = []
    for block in section.blocks:
        if isinstance(block, Signatures):
            own = (signed.meaning, signed.name, signed.role)
            others = tuple(line for line in block.lines if line[0] != signed.meaning)
            blocks.append(replace(block, lines=(own, *others), date=signed.at))
        else:
            blocks.append(Text(SIGNED) if isinstance(block, Text) else block)
    return replace(section, blocks=tuple(blocks))
