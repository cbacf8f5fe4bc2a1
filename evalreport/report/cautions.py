"""Cautions: each has one sentence, by which it is found again wherever it stands.

On the first page the gravest stand in sentences and the others have a line each; their section
has the rest of each message after the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from evalreport.report.contents import Contents
from evalreport.report.model import Block, Note, Notes
from evalreport.report.words import counted, first_few, label_text, listed, prose
from evalreport.results.records import Caution

#: Cautions in their section, messages of one of them, and letters of a message.
MOST_IN_FULL, MOST_ALIKE, LONGEST_CAUTION = 40, 3, 600
#: Cautions with a line of their own, and those in sentences, which have so many letters.
MOST_CAUTIONS, MOST_TOLD, LONGEST_TOLD = 5, 2, 210


def sentence_of(caution: Caution) -> str:
    """What to conclude from a caution, without a full stop."""
    return prose(caution.headline or caution.title)


def rest_of(caution: Caution) -> str:
    """What its message says beyond that sentence, without the last full stop; often empty."""
    message, sentence = prose(caution.message).rstrip("."), sentence_of(caution)
    # it begins the message, or follows the names of each of several models
    again = rf"(^|: ){re.escape(sentence)}(?!\w)[ :;,.]*"
    rest = re.sub(again, r"\1", message).removesuffix(": ")
    return _capital(rest) if message.startswith(sentence) else rest


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def cautions(contents: Contents) -> Notes:
    """Every caution, warnings first; alike ones one after the other."""
    entries = sorted(contents.of(Caution), key=lambda c: c.severity != "warning")
    groups: dict[tuple[str, str], list[Caution]] = {}
    for entry in entries:
        groups.setdefault((entry.severity, entry.code), []).append(entry)
    items = [
        _note(contents, same, f"caution-{place}")
        for place, same in enumerate(list(groups.values())[:MOST_IN_FULL], 1)
    ]
    return Notes("Cautions", tuple(items))


def _note(contents: Contents, same: Sequence[Caution], anchor: str) -> Note:
    """The caution of records of one code and severity."""
    first = same[0]
    # sentences that differ are not those of all
    one = len({sentence_of(c) for c in same}) == 1
    title, whose = sentence_of(first) if one else prose(first.title), _whose(contents, same)
    if whose and f" {whose} " not in f" {title.replace(':', '')} ":
        title = f"{title} ({whose})"
    found = (_said(contents, c if one else replace(c, headline="")) for c in same)
    said = dict.fromkeys(_shortened(text) for text in found if text)
    if len(said) == 1 and whose:
        (text,), its = said, f"{whose}: "
        said = {_capital(text.removeprefix(its)) if text.startswith(its) else text: None}
    shown = list(said)[: MOST_ALIKE if len(said) > MOST_ALIKE + 1 else None]
    if len(said) > len(shown):
        shown.append(f"{len(said) - len(shown)} more like these are in results.json")
    found_out = one and bool(first.headline)
    return Note(first.severity, first.code, title, tuple(shown), anchor, found_out)


def _whose(contents: Contents, same: Sequence[Caution]) -> str:
    """The models of these cautions, where they are some of several."""
    names = list(dict.fromkeys(name for c in same for name in c.models or (c.model,)))
    if None in names or len(contents.models) < 2:
        return ""
    return listed([label_text(name) for name in names]) if len(names) < len(contents.models) else ""


def _said(contents: Contents, caution: Caution) -> str:
    """The rest of the message, after the name of its model where there are several."""
    message = rest_of(caution)
    dataset, model = caution.dataset, caution.model
    if not message or len(contents.views) < 2 or dataset is None or message.startswith(f"{model}:"):
        return message
    if model is not None:
        return f"{contents.mark((dataset, model)).name}: {message}"
    return f"{label_text(dataset)}: {message}" if len(contents.datasets) > 1 else message


def _shortened(text: str) -> str:
    """A message cut between words where it would fill the page."""
    if len(text) <= LONGEST_CAUTION:
        return text
    return text[:LONGEST_CAUTION].rsplit(" ", 1)[0] + " … (the whole is in results.json)"


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
    if note.concludes or len(note.messages) != 1:
        return f"{note.title}."
    whole = f"{note.title}: {note.messages[0]}"
    return f"{whole if len(whole) <= LONGEST_TOLD else note.title}."


def caution_lines(
    contents: Contents, cautions: Sequence[Note], *, beside: bool = False
) -> list[Block]:
    """A line for each caution, which leads to where it stands in full; the end of the page.

    Those that a sentence above tells have none, and of more than so many the others have one.
    """
    # in large type one line names them, and leads to where they all stand
    most = 0 if contents.large else MOST_CAUTIONS
    grave = _grave(contents, cautions)
    cautions = [note for note in cautions if note not in grave]
    style = "brief line" if not most else "brief beside" if beside else "brief"
    if grave and not cautions:
        # a line that leads to them, where they stand elsewhere in full
        above = f"{counted(len(grave), 'caution')} named above, in full"
        line = replace(grave[0], title=above, messages=(), code="")
        return [Notes("Cautions", (line,), style)] if "cautions" in contents.sections else []
    items = [replace(note, messages=(), code="") for note in cautions[:most]]
    noun = "more caution" if grave else "caution"
    title = counted(len(cautions), noun) if cautions else f"No {noun}s"
    if left := cautions[most:]:
        rest = f"{len(left)} more" if items else title
        if contents.large:
            rest += f": {'; '.join(first_few([note.title for note in left], MOST_TOLD))}"
        items.append(replace(left[0], title=rest, messages=(), code=""))
    return [Notes(title, tuple(items), style)]
