"""The cautions on the first page: the gravest in sentences, the others a line each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evalreport.report.comparisons import comparison_title
from evalreport.report.contents import Contents
from evalreport.report.model import Block, Note, Notes
from evalreport.report.words import (
    MOST_NAMES,
    class_text,
    counted,
    first_few,
    label_text,
    listed,
    prose,
)
from evalreport.results import records

#: Cautions with a line of their own, and those told in whole sentences of so many letters.
MOST_CAUTIONS, MOST_TOLD, LONGEST_TOLD = 5, 2, 210
#: The caution whose title does not say what was found, and letters of one line.
FOUND, LONGEST_LINE = "data_finding", 110


def care(contents: Contents, cautions: Sequence[Note]) -> str:
    """What weakens the results most, in whole sentences, and the first limitation of the spec."""
    told = [
        _against_reference(contents, note) or _whole_sentence(note)
        for note in _grave(contents, cautions)
    ]
    limits = prose(contents.about.get("limitations") or "")
    first, ends, _ = limits.partition(". ")
    if first:
        told.append(f"Stated limitation: {first}{'.' if ends or limits[-1] not in '.…' else ''}")
    return " ".join(told)


def _grave(contents: Contents, cautions: Sequence[Note]) -> list[Note]:
    """The cautions that the sentences at the head of the page tell; they come first."""
    most = 1 if contents.large else MOST_TOLD
    return [note for note in cautions if note.severity == "warning"][:most]


def _whole_sentence(note: Note) -> str:
    """What a caution found, else its title where that would be long or stands in many places."""
    title = _with_models(note)
    if len(note.messages) != 1:
        return f"{title}."
    found = note.messages[0].removeprefix(f"{note.whose}: ")
    whole = f"{title}: {found}"
    if len(whole) <= LONGEST_TOLD:
        return f"{whole}."
    # of one model the first sentence says what was found
    first, ends, _ = note.messages[0].partition(". ")
    of_one = first.startswith(f"{note.whose}: ") and ends
    return f"{first if of_one and len(first) <= LONGEST_TOLD else title}."


def _against_reference(contents: Contents, note: Note) -> str:
    """Which model is worse than its reference, and on what; of any other caution nothing."""
    if note.code != "no_better_than_baseline":
        return ""
    pairs: dict[tuple[str, str], dict[str, None]] = {}
    better = set()
    for c in contents.of(records.Comparison):
        if not c.told_apart or c.subgroup or c.fold is not None or c.reference_run:
            continue
        if c.better == "reference":
            title = comparison_title(contents, c).removesuffix(" ↓")
            if c.label is not None:
                title = title.replace(f" of {label_text(c.label)}", f" of {class_text(c.label)}")
            pairs.setdefault((c.model, c.reference), {})[title] = None
        else:
            better.add((c.model, c.reference))
    told = []
    for (model, reference), titles in pairs.items():
        on = listed(first_few(list(titles), MOST_NAMES))
        none = "" if (model, reference) in better else ", and shown to be better on none"
        told.append(f"{label_text(model)} is worse than {label_text(reference)} on {on}{none}.")
    return " ".join(told) if len(told) < MOST_NAMES else ""


def _with_models(note: Note) -> str:
    """The title of a caution with the models that it is about."""
    return f"{note.title} ({note.whose})" if note.whose else note.title


def caution_lines(
    contents: Contents, cautions: Sequence[Note], *, beside: bool = False
) -> list[Block]:
    """A line for each caution, which leads to where it stands in full; the end of the page.

    Those that a sentence above tells have none, and of more than so many the others have one.
    """
    # in large type one line names them, or leads to where they all stand
    most = 0 if contents.large else MOST_CAUTIONS
    told = set(map(_with_models, _grave(contents, cautions)))
    cautions = [note for note in cautions if _with_models(note) not in told]
    items = []
    for note in cautions[:most]:
        # of a finding that has no title what was found, if short
        found = note.messages[0].partition(". ")[0] if note.code == FOUND and note.messages else ""
        line = found if 0 < len(found) <= LONGEST_LINE else _with_models(note)
        items.append(replace(note, title=line, messages=(), code=""))
    noun = "more caution" if told else "caution"
    if told and not cautions:
        return []
    title = counted(len(cautions), noun) if cautions else f"No {noun}s"
    if left := cautions[most:]:
        rest = f"{len(left)} more" if items else title
        if contents.large and "cautions" not in contents.sections:
            rest += f": {'; '.join(first_few(list(map(_with_models, left)), MOST_TOLD))}"
        items.append(replace(left[0], title=rest, messages=(), code=""))
    style = "brief line" if not most else "brief beside" if beside else "brief"
    return [Notes(title, tuple(items), style)]
