"""The cautions on the first page: the gravest in sentences, the others a line each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evalreport.report.contents import Contents
from evalreport.report.model import Block, Note, Notes
from evalreport.report.words import counted, first_few, prose

#: Cautions with a line of their own, and those in sentences, which have so many letters.
MOST_CAUTIONS, MOST_TOLD, LONGEST_TOLD = 5, 2, 210


def care(contents: Contents, cautions: Sequence[Note]) -> str:
    """What weakens the results most, in whole sentences, and the first limitation of the spec."""
    told = [_sentence(note) for note in _grave(contents, cautions)]
    limits = prose(contents.about.get("limitations") or "")
    first, ends, _ = limits.partition(". ")
    if first:
        told.append(f"Stated limitation: {first}{'.' if ends or limits[-1] not in '.…' else ''}")
    return " ".join(told)


def _grave(contents: Contents, cautions: Sequence[Note]) -> list[Note]:
    """The cautions that the sentences at the head of the page tell; they come first."""
    most = 1 if contents.large else MOST_TOLD
    return [note for note in cautions if note.severity == "warning"][:most]


def _sentence(note: Note) -> str:
    """What to conclude from a caution; where its title does not say that, with what was found."""
    line = _line(note)
    if note.headline or len(note.messages) != 1:
        return f"{line}."
    whole = f"{line}: {note.messages[0].removeprefix(f'{note.whose}: ')}"
    return f"{whole if len(whole) <= LONGEST_TOLD else line}."


def _line(note: Note) -> str:
    """What to conclude from a caution, with the models that it is about."""
    line = note.headline or note.title
    named = f" {note.whose} " in f" {line.replace(':', '')} "
    return line if named or not note.whose else f"{line} ({note.whose})"


def caution_lines(
    contents: Contents, cautions: Sequence[Note], *, beside: bool = False
) -> list[Block]:
    """A line for each caution, which leads to where it stands in full; the end of the page.

    Those that a sentence above tells have none, and of more than so many the others have one.
    """
    # in large type one line names them, or leads to where they all stand
    most = 0 if contents.large else MOST_CAUTIONS
    grave = _grave(contents, cautions)
    cautions = [note for note in cautions if note not in grave]
    style = "brief line" if not most else "brief beside" if beside else "brief"
    if grave and not cautions:
        # a line that leads to them, where they stand elsewhere in full
        above = f"{counted(len(grave), 'caution')} named above, in full"
        line = replace(grave[0], title=above, messages=(), code="")
        return [Notes("Cautions", (line,), style)] if "cautions" in contents.sections else []
    items = [replace(note, title=_line(note), messages=(), code="") for note in cautions[:most]]
    noun = "more caution" if grave else "caution"
    title = counted(len(cautions), noun) if cautions else f"No {noun}s"
    if left := cautions[most:]:
        rest = f"{len(left)} more" if items else title
        if contents.large and "cautions" not in contents.sections:
            titles = [_line(replace(note, headline="")) for note in left]
            rest += f": {'; '.join(first_few(titles, MOST_TOLD))}"
        items.append(replace(left[0], title=rest, messages=(), code=""))
    return [Notes(title, tuple(items), style)]
