"""A first spec for a data file, guessed from how it is written and what its columns are.

How the file is written is found out by looking at its beginning.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evalreport.data.delimited import named_delimiter
from evalreport.data.dialect import BLANKS, DECIMAL_COMMA, Dialect
from evalreport.data.files import open_files, written_in
from evalreport.data.labels import as_number
from evalreport.data.read import read_table
from evalreport.data.source import Source
from evalreport.data.table import RawTable
from evalreport.errors import DataError, Location, Problem, explained
from evalreport.metrics.catalogue import usual_metrics
from evalreport.spec.guess import MOST_CLASSES, Guess, guessed

#: Rows that are looked at; what stands in later ones is found by the run.
MOST_ROWS = 200_000
_BEGINNING = 1 << 17
#: Lines of JSON that are looked at for values inside values.
_LOOKED_AT = 200
_FLATTENED = "make a column of each field, as pandas.json_normalize does"
_TEXTS = (".csv", ".tsv", ".txt")
_COMMA = re.compile(DECIMAL_COMMA)
_DELIMITERS = {".csv": ",", ".tsv": "\t", ".txt": ""}


@dataclass(frozen=True)
class FirstFile:
    """A file with how it is written and its rows; ``said`` is what had to be assumed."""

    path: str
    table: RawTable
    dialect: Dialect
    said: tuple[str, ...] = ()


def first_file(data: Path, folder: Path) -> FirstFile:
    """A file or folder of files, read as it seems to be written.

    ``folder`` is that of the spec. Raises FilesError and DataError.
    """
    relative = os.path.relpath(data, folder)
    if data.is_dir():
        relative = relative.rstrip("/") + "/"
    source = open_files(folder, relative)
    first = source.parts[0].source if hasattr(source, "parts") else source
    dialect, said = _dialect(first)
    source = _named(written_in(source, dialect), data.name or relative)
    columns, nested = _flat(source)
    if nested:
        said.append(f"{', '.join(nested)} have objects, which are not read; {_FLATTENED}")
    try:
        table = read_table(source, columns, rows=MOST_ROWS)
        if _padded(table):
            dialect = replace(dialect, strip=True)
            stripped = None if columns is None else [name.strip(BLANKS) for name in columns]
            table = read_table(written_in(source, dialect), stripped, rows=MOST_ROWS)
    except DataError as error:
        if source.suffix == ".txt" and not dialect.delimiter:
            hint = "columns separated by a comma, semicolon, tab or bar"
            raise DataError(
                Problem("the columns cannot be told apart", hint, Location(data.name))
            ) from error
        raise
    _check_header(table.header, data.name)
    return FirstFile(relative, table, dialect, tuple(said))


def _padded(table: RawTable) -> bool:
    """Whether names of columns, or labels and numbers, have blanks around them."""
    if any(name != name.strip(BLANKS) for name in table.header):
        return True
    for column in table.columns.values():
        values = column.factorize()[1] if column.kind == "text" else []
        padded = [value for value in values if value != value.strip(BLANKS)]
        # a comment may end in a blank
        if padded and (len(values) <= MOST_CLASSES or as_number(padded[0].strip(BLANKS))):
            return True
    return False


def _flat(source: Source) -> tuple[list[str] | None, list[str]]:
    """The keys of JSON lines that hold single values or lists of them, and the others.

    None for all columns, where the file is of another kind or has no such keys.
    """
    if source.suffix.removesuffix(".gz") != ".jsonl" or hasattr(source, "parts"):
        return None, []
    kept: dict[str, bool] = {}
    for line in _decoded(_beginning(source), "utf-8").splitlines()[:_LOOKED_AT]:
        with suppress(ValueError, RecursionError):
            found = json.loads(line)
            for key, value in found.items() if isinstance(found, dict) else ():
                parts = value if isinstance(value, list) else [value]
                kept[key] = kept.get(key, True) and not any(isinstance(p, dict) for p in parts)
    nested = [key for key, flat in kept.items() if not flat]
    return ([key for key, flat in kept.items() if flat] if nested else None), nested


def _check_header(header: Sequence[str], name: str) -> None:
    """Refuse a first line of numbers, which is no line of names. Raises DataError."""
    numbers = [as_number(cell) for cell in header]
    counted = [str(place) for place in range(len(header))]
    if not header or None in numbers or list(header) == counted:
        return
    what = f"the first line ({', '.join(header[:4])}) has numbers and no names of columns"
    hint = "put a line of names before it, such as y_true,y_score"
    raise DataError(Problem(what, hint, Location(name, 1)))


def _named(source: Source, name: str) -> Source:
    return replace(source, name=name)


def _dialect(source: Source) -> tuple[Dialect, list[str]]:
    kind = source.suffix.removesuffix(".gz")
    if kind not in _TEXTS:
        return Dialect(), []
    beginning = _beginning(source)
    encoding, said = _encoding(beginning)
    text = _decoded(beginning, encoding)
    first, _, rest = text.partition("\n")
    named = named_delimiter(first)
    text = text if named is None else rest
    escape = "\\" if _is_escaped(text) else None
    delimiter = named or _delimiter(text, _DELIMITERS[kind])
    usual = named is not None or delimiter == _DELIMITERS[kind]
    decimal = "," if delimiter != "," and _has_commas(text, delimiter) else "."
    return (
        Dialect(None if usual else delimiter, decimal, encoding, escape=escape),
        said,
    )


def _is_escaped(text: str) -> bool:
    """Whether quotes within quotes follow a backslash, as Spark writes them."""
    lines = text.splitlines()[:-1] if '\\"' in text else []
    try:
        for _ in csv.reader(io.StringIO("\n".join(lines)), strict=True):
            pass
    except csv.Error:
        return True
    return False


def _beginning(source: Source) -> bytes:
    reading = explained("cannot be read", source.name, "a readable file")
    with reading, source.path.open("rb") as file:
        block = file.read(_BEGINNING)
        if not source.suffix.endswith(".gz"):
            return block
        file.seek(0)
        with suppress(OSError, EOFError):
            return gzip.GzipFile(fileobj=file).read(_BEGINNING)
    return block


def _encoding(block: bytes) -> tuple[str, list[str]]:
    """UTF-8 where it can be, else UTF-16 by its mark, else Windows' own, which is said."""
    if block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16", []
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        decoder.decode(block)
    except UnicodeDecodeError:
        return "cp1252", ["the characters are not UTF-8; Windows-1252 is assumed"]
    return "utf-8", []


def _decoded(block: bytes, encoding: str) -> str:
    return codecs.getincrementaldecoder(encoding)("replace").decode(block).removeprefix("\ufeff")


def _delimiter(text: str, usual: str) -> str:
    """What stands between columns: what the header and the rows below have equally often."""
    lines = [line for line in text.splitlines()[:50] if line]
    if not lines:
        return usual
    found: Counter[str] = Counter()
    for mark in (",", ";", "\t", "|"):
        rows = [
            len(row)
            for row in csv.reader(io.StringIO("\n".join(lines[:-1] or lines)), delimiter=mark)
        ]
        if rows and rows[0] > 1 and rows.count(rows[0]) >= 0.9 * len(rows):
            found[mark] = rows[0] + (1 if mark == usual else 0)
    return found.most_common(1)[0][0] if found else usual


def _has_commas(text: str, delimiter: str) -> bool:
    """Whether some column holds numbers with a decimal comma, and only such or whole ones."""
    rows = list(csv.reader(io.StringIO("\n".join(text.splitlines()[1:200])), delimiter=delimiter))
    width = max((len(row) for row in rows), default=0)
    for place in range(width):
        cells = [row[place] for row in rows[:-1] if len(row) == width and row[place]]
        commas = sum(bool(_COMMA.fullmatch(cell)) for cell in cells)
        if commas and commas + sum(cell.isdigit() for cell in cells) >= 0.9 * len(cells):
            return True
    return False


def read_lines(dialect: Dialect, pivot: Mapping[str, str]) -> dict[str, object]:
    """What `read` has to say of a file, as a spec writes it."""
    told: dict[str, object] = {}
    if dialect.delimiter is not None:
        told["delimiter"] = dialect.delimiter
    if dialect.decimal != ".":
        told["decimal"] = dialect.decimal
    if dialect.encoding != "utf-8":
        told["encoding"] = dialect.encoding
    if dialect.percent:
        told["percent"] = list(dialect.percent)
    if dialect.strip:
        told["strip"] = True
    if dialect.escape is not None:
        told["escape"] = dialect.escape
    if isinstance(dialect.missing, Mapping):
        told["missing"] = {name: list(codes) for name, codes in dialect.missing.items()}
    if pivot:
        told["pivot"] = dict(pivot)
    return told


#: Columns named in the comment on those that are not used.
MOST_UNUSED = 20
#: The name of the schema beside a spec, for the completion of editors.
SCHEMA_FILE = "evalreport.schema.json"


@dataclass(frozen=True)
class FirstSpec:
    """A first spec: its guess, from which the text follows, and the path it names."""

    guess: Guess
    path: str
    said: tuple[str, ...] = ()

    def with_positive(self, label: str) -> FirstSpec:
        """The same with another positive class, which somebody has named."""
        told = tuple(one for one in self.guess.assumed if "positive class" not in one)
        models = self.guess.models
        return replace(
            self, guess=replace(self.guess, positive=label, choices=(), assumed=told, models=models)
        )

    def text(self) -> str:
        """The spec as YAML text."""
        return "\n".join(_lines(self)) + "\n"


def first_look(data: Path, folder: Path, target: str | None = None) -> FirstSpec:
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
    return FirstSpec(guess, file.path, file.said)


def _lines(first: FirstSpec) -> Iterator[str]:
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
        yield f"# classes: {', '.join(map(_one_line, guess.classes))}"
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
    told = read_lines(dialect, pivot)
    if told:
        yield f"    read: {_flow(told)}"
    if guess.types:
        yield f"    types: {_flow(guess.types)}   # labels are written in several ways"
    if guess.names:
        yield f"    map: {_flow(guess.names)}   # labels are written in several ways"


def _design(guess: Guess) -> Iterator[str]:
    if guess.labels:
        yield f"    labels: {_flow(guess.labels)}   # in the order of the numbers of a list"
    if guess.id is not None:
        yield f"    id: {quoted(guess.id)}"
    if guess.cluster is not None:
        yield f"    # cluster: {quoted(guess.cluster)}   # if rows of one value belong together"
    if guess.count is not None:
        yield f"    count: {quoted(guess.count)}   # how many rows are of each kind"
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
    return str(value).lower() if isinstance(value, bool) else quoted(str(value))


def _one_line(text: str) -> str:
    """A text that ends no comment."""
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in text)


#: Plain words that some reader of YAML takes for something other than text.
_NO_TEXT = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


def quoted(text: str) -> str:
    """A YAML text, quoted unless it is a plain word."""
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_./-]*", text) and text.casefold() not in _NO_TEXT:
        return text
    # A JSON string is a YAML string; line breaks and control characters are escaped, for
    # they would end a comment or be folded.
    return _one_line(json.dumps(text, ensure_ascii=False))
