"""A first spec for a data file, guessed from how it is written and what its columns are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evalreport.errors import DataError, Location, Problem
from evalreport.spec.first_file import first_file, read_lines
from evalreport.spec.guess import Guess, guessed
from evalreport.spec.usual import usual_metrics

#: Columns named in the comment on those that are not used.
MOST_UNUSED = 20
#: The name of the schema beside a spec, for the completion of editors.
SCHEMA_FILE = "evalreport.schema.json"


@dataclass(frozen=True)
class First:
    """A first spec: its guess, from which the text follows, and the path it names."""

    guess: Guess
    path: str
    said: tuple[str, ...] = ()

    def with_positive(self, label: str) -> First:
        """The same with another positive class, which somebody has named."""
        told = tuple(one for one in self.guess.assumed if "positive class" not in one)
        models = self.guess.models
        return replace(
            self, guess=replace(self.guess, positive=label, choices=(), assumed=told, models=models)
        )

    def text(self) -> str:
        """The spec as YAML text."""
        return "\n".join(_lines(self)) + "\n"


def first_spec(data: Path, folder: Path, target: str | None = None) -> str:
    """The text of :func:`first_look`."""
    return first_look(data, folder, target).text()


def first_look(data: Path, folder: Path, target: str | None = None) -> First:
    """A spec for a data file; its paths are relative to ``folder``.

    Raises DataError where no column can be the target or a prediction, FilesError for a
    file that cannot be read.
    """
    file = first_file(data, folder)
    try:
        guess = guessed(file.table, file.dialect, target)
    except DataError as error:
        where = Location(file.table.name)
        raise DataError(*error.problems, *(Problem(one, "", where) for one in file.said)) from None
    return First(guess, file.path, file.said)


def _lines(first: First) -> Iterator[str]:
    guess, path = first.guess, first.path
    yield f"# yaml-language-server: $schema={SCHEMA_FILE}"
    yield "# A first spec, guessed from the columns of the data. Look over every line."
    for told in (*first.said, *guess.assumed):
        yield f"# assumed: {_one_line(told)}"
    for told in guess.said:
        yield f"# look at this: {_one_line(told)}"
    yield "evalreport: 1"
    yield f"title: {quoted(f'Evaluation of {Path(path).name}')}"
    yield ""
    yield "datasets:"
    yield "  data:"
    yield f"    path: {quoted(path)}"
    yield from _reading(guess)
    yield f"    target: {quoted(guess.target)}"
    yield from _design(guess)
    yield ""
    if len(guess.classes) == 2:
        yield f"# classes seen: {', '.join(map(_one_line, guess.classes))}"
        label = guess.positive
        yield f"positive: {_flow({'label': label})}" if label else "positive: largest"
        yield ""
    yield "models:"
    for name, model in guess.models.items():
        yield f"  {quoted(name)}: {_flow(model)}"
    if guess.unused:
        shown = ", ".join(quoted(c) for c in guess.unused[:MOST_UNUSED])
        more = len(guess.unused) - MOST_UNUSED
        yield f"# columns not used: {shown}" + (f" and {more} more" if more > 0 else "")
    yield ""
    names = usual_metrics(
        len(guess.classes), scored=guess.scored, probabilities=guess.probabilities
    )
    yield f"metrics: [{', '.join(names)}]"
    if guess.rules:
        yield "thresholds: [{maximize: youden_j}]   # the scores are not between 0 and 1"
    if guess.subgroups:
        yield f"subgroups: [{', '.join(quoted(c) for c in guess.subgroups)}]"
    yield ""
    yield "report: {template: standard}   # formats: [html, pdf] by default"


def _reading(guess: Guess) -> Iterator[str]:
    dialect = guess.dialect
    pivot = (
        {}
        if dialect.pivot is None
        else dict(zip(("row", "column", "value"), dialect.pivot, strict=True))
    )
    told = read_lines(dialect, dialect.missing, pivot)
    if told:
        yield f"    read: {_flow(told)}"
    if guess.types:
        yield f"    types: {_flow(guess.types)}   # labels are written in several ways"
    if guess.names:
        yield f"    map: {_flow(guess.names)}   # labels are written in several ways"


def _design(guess: Guess) -> Iterator[str]:
    if guess.id is not None:
        yield f"    id: {quoted(guess.id)}"
    if guess.cluster is not None:
        yield f"    # cluster: {quoted(guess.cluster)}   # if rows of one value belong together"
    if guess.weight is not None:
        yield f"    weight: {quoted(guess.weight)}"
    if guess.fold is not None:
        yield f"    # fold: {quoted(guess.fold)}   # predictions made out of fold: adds each fold"
    if guess.exclude:
        told = ", ".join(_one_line(one) for one in guess.exclude)
        yield f"    missing: exclude   # rows lack {told}; they are left out and counted"
    else:
        yield "    missing: error   # or exclude: rows lacking a target or prediction are counted"


def _flow(value: Any) -> str:
    """A value in one line of YAML."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{quoted(str(k))}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(_flow(one) for one in value)}]"
    return quoted(str(value))


def _one_line(text: str) -> str:
    """A text that ends no comment."""
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in text)


def quoted(text: str) -> str:
    """A YAML text, quoted unless it is a plain word."""
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_./-]*", text) and text.casefold() not in {
        "true",
        "false",
        "null",
        "yes",
        "no",
        "on",
        "off",
        "y",
        "n",
    }:
        return text
    # A JSON string is a YAML string; line breaks and control characters are escaped, for
    # they would end a comment or be folded.
    return _one_line(json.dumps(text, ensure_ascii=False))
