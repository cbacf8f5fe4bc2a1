"""Reading a YAML file safely: plain data, and where each piece of it stands.

The events of the parser are walked once. Nothing is constructed from tags,
nothing is expanded, and size, number of nodes and depth are bounded while
reading, so no input costs more than its own length.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import yaml

from evalreport.errors import Location, Problem, SpecError
from evalreport.lines import cut
from evalreport.spec.scalars import Scalar, ambiguity, out_of_range, resolve
from evalreport.spec.yaml_mistakes import meant

#: Controls (all but tab and line ends), line separators, bidirectional and
#: zero-width marks, fillers that look like nothing, surrogates and noncharacters.
_FORBIDDEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f"
)
FORBIDDEN = re.compile(f"[{_FORBIDDEN}]")
_FORBIDDEN_OR_RETURN = re.compile(f"[\r{_FORBIDDEN}]")


def describe(character: str) -> str:
    r"""A character by its code point and name.

    >>> describe("\u202e")
    'U+202E (right-to-left override)'
    >>> describe("\x07")
    'U+0007 (control character)'
    """
    name = unicodedata.name(character, "").lower() or "control character"
    return f"U+{ord(character):04X} ({name})"


def forbidden_in(text: str) -> str | None:
    r"""The first forbidden character of a scalar's text, or None; escapes are decoded by then.

    >>> forbidden_in("a\u200bb") == "\u200b"
    True
    >>> forbidden_in("two\nlines")
    """
    found = _FORBIDDEN_OR_RETURN.search(text)
    return found.group() if found else None


MOST_BYTES = 1 << 20
MOST_NODES = 50_000
MOST_DEPTH = 40
#: After so many mistakes reading stops; they are usually one mistake.
MOST_PROBLEMS = 100

Path: TypeAlias = tuple[str | int, ...]

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass
class Document:
    """A document as plain data with the place of every value and of every key.

    ``root`` holds dict, list, str and :class:`Scalar`. ``values`` and ``keys`` map
    a path, such as ``("thresholds", 1)``, to the place of the value and of its key.
    """

    name: str
    root: Any = None
    values: dict[Path, Location] = field(default_factory=dict)
    keys: dict[Path, Location] = field(default_factory=dict)

    def where(self, path: Path) -> Location:
        """The place of a value; of the nearest value around it where it has none."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.values:
                return self.values[path[:length]]
        return Location(self.name)

    def where_key(self, path: Path) -> Location:
        """The place of the key that leads to a value; of the value itself in a list."""
        return self.keys.get(path) or self.where(path)


def read_document(source: bytes | str, name: str) -> Document:
    """Read one YAML document.

    Raises:
        SpecError: not UTF-8, too large or deep, not well-formed, more than one
            document, or anything that is more than data; with every mistake found.
    """
    text = _decoded(source, name)
    problems = _characters(text, name)
    if problems:
        raise SpecError(*problems)
    builder = _Builder(Document(name))
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            builder.take(event)
    except _StopReadingError:
        pass
    except yaml.YAMLError as error:
        builder.problems.append(_syntax(error, name, text))
    except (ValueError, OverflowError, RecursionError, MemoryError) as error:  # pragma: no cover
        # No text is known that makes the parser raise these; other versions of it may.
        builder.problems.append(Problem(f"not YAML: {error}", "", Location(name)))
    if not builder.problems and builder.documents == 0:
        builder.problems.append(
            Problem("there is nothing in it", "a spec starts with 'evalreport: 1'", Location(name))
        )
    if builder.problems:
        raise SpecError(*builder.problems)
    return builder.document


def _decoded(source: bytes | str, name: str) -> str:
    data = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    if len(data) > MOST_BYTES:
        raise SpecError(
            Problem(f"more than {MOST_BYTES:,} bytes", "a smaller spec", Location(name))
        )
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise SpecError(Problem("the file is UTF-16", "save it as UTF-8", Location(name, 1, 1)))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before.rpartition(b"\n")[2].decode("utf-8")) + 1
        raise SpecError(
            Problem(
                f"byte 0x{data[error.start]:02x} (number {error.start + 1:,} of the file) "
                "is not UTF-8",
                "save the file as UTF-8",
                Location(name, line, column),
            )
        ) from None
    return text.removeprefix("\ufeff")


def _characters(text: str, name: str) -> list[Problem]:
    """Forbidden characters with their places, before any parser sees them."""
    problems = []
    for number, line in enumerate(text.split("\n"), 1):
        for found in FORBIDDEN.finditer(line):
            problems.append(
                Problem(
                    f"{describe(found.group())} is not allowed",
                    "remove it: it is invisible or changes how the text looks",
                    Location(name, number, found.start() + 1),
                )
            )
            if len(problems) >= MOST_PROBLEMS:
                return problems
    return problems


def _syntax(error: yaml.YAMLError, name: str, text: str) -> Problem:
    mark = getattr(error, "problem_mark", None)
    began = getattr(error, "context_mark", None)
    if mark is not None:
        found = meant(
            text,
            str(getattr(error, "problem", None) or ""),
            str(getattr(error, "context", None) or ""),
            (mark.line + 1, mark.column + 1),
            None if began is None else (began.line + 1, began.column + 1),
        )
        if found is not None:
            where = Location(name, found.line, found.column)
            return Problem(f"not YAML: {found.what}", found.instead, where)
    what = getattr(error, "problem", None) or str(error)
    context = getattr(error, "context", None)
    where = Location(name) if mark is None else Location(name, mark.line + 1, mark.column + 1)
    return Problem(f"not YAML: {what}" + (f" {context}" if context else ""), "", where)


class _StopReadingError(Exception):
    """A limit was reached, or there are too many mistakes to go on."""


@dataclass
class _Open:
    """A list or mapping that has not ended."""

    container: dict[str, Any] | list[Any]
    path: Path
    key: str | None = None
    awaits_value: bool = False
    first_lines: dict[str, int] = field(default_factory=dict)


class _Builder:
    """Makes a :class:`Document` of parser events, collecting problems."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Problem] = []
        self.documents = 0
        self._stack: list[_Open] = []
        self._nodes = 0
        self._aliases = 0

    def take(self, event: Any) -> None:
        """Take the next event of the parser."""
        match event:
            case yaml.DocumentStartEvent():
                self._document_start(event)
            case yaml.AliasEvent():
                self._alias(event)
            case yaml.ScalarEvent():
                self._allowed(event)
                self._node(event, self._scalar(event))
            case yaml.MappingStartEvent():
                self._allowed(event)
                self._open(event, {})
            case yaml.SequenceStartEvent():
                self._allowed(event)
                self._open(event, [])
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._stack.pop()

    def _alias(self, event: Any) -> None:
        """An alias is one mistake with its anchor: only the first one is told."""
        if self._aliases == 0:
            self._problem(
                event, f"aliases are not allowed: *{cut(event.anchor)}", "write the values out"
            )
        self._aliases += 1
        self._node(event, "")

    def _at(self, event: Any) -> Location:
        mark = event.start_mark
        return Location(self.document.name, mark.line + 1, mark.column + 1)

    def _problem(self, event: Any, what: str, instead: str) -> None:
        self.problems.append(Problem(what, instead, self._at(event)))
        if len(self.problems) >= MOST_PROBLEMS:
            raise _StopReadingError

    def _document_start(self, event: Any) -> None:
        self.documents += 1
        if self.documents > 1:
            self._problem(event, "a second document starts here", "a spec is one document")
            raise _StopReadingError
        if event.tags:
            self._problem(event, "%TAG is not allowed", "remove it")

    def _allowed(self, event: Any) -> None:
        if event.anchor is not None:
            self._problem(event, f"anchors are not allowed: &{cut(event.anchor)}", "remove it")
        if event.tag is not None:
            shown = event.tag.replace("tag:yaml.org,2002:", "!!")
            self._problem(event, f"tags are not allowed: {cut(shown)}", "remove it")

    def _scalar(self, event: Any) -> str | Scalar:
        text: str = event.value
        character = forbidden_in(text)
        if character is not None:
            self._problem(event, f"{describe(character)} is not allowed", "remove it")
        if event.style:
            return text
        why = ambiguity(text)
        if why is not None:
            self._problem(event, f"{text[:40]} is {why}", f"quote it: '{text[:40]}'")
            return text
        value = resolve(text)
        if isinstance(value, Scalar) and out_of_range(value):
            shown = text if len(text) <= 40 else f"{text[:20]}... ({len(text):,} characters)"
            self._problem(
                event, f"number out of range: {shown}", "a smaller number, or quotes around text"
            )
            return text
        return value

    def _open(self, event: Any, container: dict[str, Any] | list[Any]) -> None:
        if len(self._stack) >= MOST_DEPTH:
            self._problem(event, f"nested deeper than {MOST_DEPTH}", "a flatter spec")
            raise _StopReadingError
        path = self._node(event, container)
        self._stack.append(_Open(container, path))

    def _node(self, event: Any, value: Any) -> Path:
        """Put a value (or key) where it belongs and return its path."""
        self._nodes += 1
        if self._nodes > MOST_NODES:
            self._problem(event, f"more than {MOST_NODES:,} values", "a smaller spec")
            raise _StopReadingError
        if not self._stack:
            self.document.root = value
            self.document.values[()] = self._at(event)
            return ()
        top = self._stack[-1]
        if isinstance(top.container, list):
            path = (*top.path, len(top.container))
            top.container.append(value)
        elif not top.awaits_value:
            top.key = self._key(event, value, top)
            top.awaits_value = True
            return top.path
        else:
            top.awaits_value = False
            if top.key is None:
                return top.path
            path = (*top.path, top.key)
            top.container[top.key] = value
        self.document.values[path] = self._at(event)
        return path

    def _key(self, event: Any, value: Any, top: _Open) -> str | None:
        """A mapping key as text, or None where it cannot be used (and a problem is noted)."""
        if isinstance(value, (dict, list)):
            self._problem(event, "a key is a list or mapping", "a key is one word or text")
            return None
        if isinstance(value, Scalar) and value.kind == "null":
            self._problem(event, f"a key is {value.text or 'empty'}", "quote it if it is text")
            return None
        key = value if isinstance(value, str) else value.text
        if key == "<<" and not event.style:
            self._problem(event, "merge keys (<<) are not allowed", "write the keys out")
            return None
        at = self._at(event)
        if key in top.first_lines:
            self._problem(
                event,
                f"key '{key}' is written twice, on lines {top.first_lines[key]} and {at.line}",
                "keep one of them",
            )
            return None
        top.first_lines[key] = at.line or 0
        self.document.keys[(*top.path, key)] = at
        return key


def paths(root: Any, at: Path = ()) -> Iterator[Path]:
    """The path of every value in plain data, parents first."""
    yield at
    if isinstance(root, dict):
        for key, value in root.items():
            yield from paths(value, (*at, key))
    elif isinstance(root, list):
        for index, value in enumerate(root):
            yield from paths(value, (*at, index))
