"""Loading a spec: a file, overrides on top, every mistake at once.

A mistake says what is wrong, what to write instead, and the place in the file.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evalreport.data.source import readable_name
from evalreport.errors import (
    FilesError,
    Location,
    Problem,
    SpecError,
    did_you_mean,
    explained,
    nearest,
)
from evalreport.spec.estimators import ALLOWED
from evalreport.spec.fields import FAULTS, Fault, Part, shown
from evalreport.spec.hosts import HOSTS
from evalreport.spec.model import VERSION, Spec
from evalreport.spec.notes import notes
from evalreport.spec.other_words import criterion_of, form_of, other_word
from evalreport.spec.outline import Anatomy, field_of, follow, homes_of, known_keys, outline
from evalreport.spec.overrides import apply_overrides, without_folders
from evalreport.spec.references import unknown_references, unmet_needs
from evalreport.spec.scalars import Scalar
from evalreport.spec.yaml_document import MOST_BYTES, MOST_PROBLEMS, Document, read_document
from evalreport.spec.yaml_document import Path as Place

#: What a value should be, by the type of the validation error.
_WANTED = {
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "mapping_type": "a mapping",
    "dict_type": "a mapping",
    "tuple_type": "a list",
    "string_type": "text",
}
#: Kinds of values that say nothing after a mistake but in a sentence, with that.
_KINDS = ("text", "a mapping", "a list", "a number", "a finite number", "a whole number",
          "true or false")  # fmt: skip
_BOUNDS = {
    "greater_than": ("gt", "above"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "below"),
    "less_than_equal": ("le", "at most"),
}


def of_validation(error: ValidationError, document: Document, root: type[Part]) -> list[Problem]:
    """The problems of a validation error, up to :data:`MOST_PROBLEMS`."""
    found: list[Problem] = []
    errors = error.errors(include_url=False)
    around = {one["loc"][:length] for one in errors for length in range(len(one["loc"]))}
    for one in errors:
        if one["type"] == "too_short" and one["loc"] in around:
            continue  # too few are right, and what is wrong inside is told itself
        if len(found) > MOST_PROBLEMS:
            break
        at = follow(_without_key_marks(one["loc"]), root)
        if one["type"] == FAULTS:
            faults = one["ctx"][FAULTS][:MOST_PROBLEMS]
            found.extend(of_fault(fault, at.path, document) for fault in faults)
        else:
            found.append(_of_error(dict(one), at, document, root))
    return found


def of_fault(fault: Fault, path: Place, document: Document) -> Problem:
    """The problem of a fault found at ``path``."""
    full = (*path, *fault.path)
    instead = fault.instead if isinstance(fault.instead, str) else fault.instead()
    instead = _with_form(instead, full) if fault.named else instead
    where = document.where_key(full) if fault.at_key else document.where(full)
    what = f"{name_of(full)} {fault.what}" if fault.named else fault.what
    return _problem(what, instead, where)


def _problem(what: str, instead: str, where: Location) -> Problem:
    """A mistake and what would be right; of a kind of value alone, both in one sentence."""
    if instead in _KINDS:
        kind = "a text" if instead == "text" else instead
        return Problem(f"{what} where {kind} is expected", "", where)
    return Problem(what, instead, where)


def name_of(path: Place) -> str:
    """What a message calls a place: its key, and the number of an item.

    >>> name_of(("confidence", "level")), name_of(("thresholds", 1))
    ('level', 'item 2 of thresholds')
    """
    if not path:
        return "the spec"
    if isinstance(path[-1], int):
        return f"item {path[-1] + 1} of {name_of(path[:-1])}"
    return path[-1]


def _without_key_marks(place: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Pydantic marks an error of a key itself with a last step ``[key]``."""
    return place[:-1] if place and place[-1] == "[key]" else place


def _of_error(error: dict[str, Any], at: Anatomy, document: Document, root: type[Part]) -> Problem:
    kind, path = error["type"], at.path
    if kind == "extra_forbidden":
        return _unknown_key(error, path, document, root)
    if kind == "missing":
        return _missing(error, path, document, root)
    if kind == "literal_error":
        return _not_a_choice(error, path, document)
    name, where = name_of(path), document.where(path)
    if error["loc"][-1] == "[key]":
        return Problem(
            f"a key of {name_of(path[:-1])} is empty", "some text", document.where_key(path)
        )
    if kind in ("too_short", "too_long"):
        return _wrong_length(error, name, where)
    if kind in _BOUNDS:
        key, words = _BOUNDS[kind]
        bound = error["ctx"][key]
        instead = f"a number {words} {bound if isinstance(bound, int) else format(bound, 'g')}"
        instead += _share(error["input"], key, bound)
        return Problem(f"{name} is {_input(error, document, path)}", instead, where)
    instead = _WANTED.get(kind, "")
    if instead == "a mapping":
        instead = _one_word(error["input"]) or _example(error, root) or instead
    instead = _with_form(instead, path, error["input"])
    if kind == "string_pattern_mismatch":
        instead = re.split(r"\. (?=[A-Z])", _described(error, root))[0]
    return _problem(f"{name} is {shown(error['input'])}", instead or str(error["msg"]), where)


def _with_form(instead: str, path: Place, value: Any = None) -> str:
    """What would be right, with the form that the key is written in where that is known."""
    if instead not in ("a mapping", "a list", "text"):
        return instead
    form = form_of(str(path[-1])) if path else ""
    if form:
        return form if instead == "text" else f"{instead}: {form}"
    return criterion_of(value) or instead


def _share(value: Any, key: str, bound: float) -> str:
    """A hint for a percentage where a share is wanted."""
    number = value if isinstance(value, (int, float)) else getattr(value, "value", None)
    if key not in ("lt", "le") or bound != 1 or not isinstance(number, (int, float)):
        return ""
    return f"; {number:g} % is {number / 100:g}" if 5 <= number <= 100 else ""


def _one_word(value: Any) -> str:
    """A hint for a key and a value without a space after the colon."""
    found = re.fullmatch(r"([A-Za-z_]\w*):([^\s:/].*)", value) if isinstance(value, str) else None
    return "" if found is None else f"a space after the colon: {found[1]}: {found[2]}"


def _example(error: dict[str, Any], root: type[Part]) -> str:
    """How the field that an error is about is written, by its example."""
    place = error["loc"]
    part = follow(place[:-1], root).part if place else None
    field = None if part is None else field_of(part, str(place[-1]))
    return "" if field is None or not field.examples else f"a mapping: {_flow(field.examples[0])}"


def _flow(value: Any) -> str:
    """An example as a spec writes it in one line.

    >>> _flow({"keep": ["a", 1]})
    '{keep: [a, 1]}'
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    return str(value)


def _input(error: dict[str, Any], document: Document, path: Place) -> str:
    value = _value_at(document.root, path)
    return shown(error["input"] if value is None else value)


def _value_at(root: Any, path: Place) -> Any:
    for step in path:
        try:
            root = root[step]
        except (KeyError, IndexError, TypeError):
            return None
    return root


def _wrong_length(error: dict[str, Any], name: str, where: Location) -> Problem:
    kind, context, value = error["type"], error["ctx"], error["input"]
    actual = context.get("actual_length")
    if kind == "too_short":
        least = context["min_length"]
        if isinstance(value, str):
            return Problem(f"{name} is empty", "some text", where)
        what = f"{name} is empty" if actual == 0 else f"{name} has {actual}"
        return Problem(what, f"at least {'one' if least == 1 else least}", where)
    return Problem(f"{name} has {actual}", f"at most {context['max_length']}", where)


def _unknown_key(
    error: dict[str, Any], path: Place, document: Document, root: type[Part]
) -> Problem:
    around = follow(error["loc"][:-1], root)
    known = known_keys(around.part) if around.part is not None else ()
    key = str(path[-1])
    hint = (
        _decimal_comma(key, path, document)
        or other_word(key, error["input"], known)
        or (_other_home(key, root) if nearest(key, known) is None else "")
        or did_you_mean(key, known, "keys here")
    )
    return Problem(f"unknown key '{key}'", hint, document.where_key(path))


def _other_home(key: str, root: type[Part]) -> str:
    """A hint for a key of another part of the spec; empty where it is none, or of many."""
    homes = homes_of(key, root)
    return f"it belongs elsewhere: {' or '.join(homes)}" if 1 <= len(homes) <= 2 else ""


def _decimal_comma(key: str, path: Place, document: Document) -> str:
    """A hint for a key that is the decimals of the number before it."""
    around = _value_at(document.root, path[:-1])
    if not key.isdigit() or not isinstance(around, dict) or key not in around:
        return ""
    keys = list(around)
    before = keys[keys.index(key) - 1] if keys.index(key) else None
    value = around.get(before) if before is not None else None
    if not isinstance(value, Scalar) or value.kind != "integer":
        return ""
    return f"a number with a decimal point: {before}: {value.text}.{key}"


def _missing(error: dict[str, Any], path: Place, document: Document, root: type[Part]) -> Problem:
    key = str(path[-1])
    inside = path[:-1]
    what = f"{key} is missing" + (f" in {name_of(inside)}" if inside else "")
    where = document.where_key(inside) if inside else document.where(())
    return Problem(what, _described(error, root), where)


def _described(error: dict[str, Any], root: type[Part]) -> str:
    """The description of the field that an error is about."""
    place = error["loc"]
    for length in range(len(place) - 1, -1, -1):
        part = follow(place[:length], root).part
        if part is not None:
            field = field_of(part, str(place[length]))
            if field is not None and field.description:
                text = field.description.rstrip(".")
                return f"{place[length]}: {text[0].lower()}{text[1:]}"
            return ""
    return ""


def _not_a_choice(error: dict[str, Any], path: Place, document: Document) -> Problem:
    choices = re.findall(r"'([^']*)'", error["ctx"]["expected"])
    given = error["input"]
    word = given if isinstance(given, str) else getattr(given, "text", "")
    hint = did_you_mean(word, choices, "choices") if word else f"one of {', '.join(choices)}"
    return Problem(f"{name_of(path)} is {shown(given)}", hint, document.where(path))


#: Characters of one message; names in a spec may be far longer.
MOST_WORDS = 600


@dataclass(frozen=True)
class LoadedSpec:
    """A spec that has no mistakes, with what is needed to speak about it.

    ``folder`` is where relative paths start (None for a spec that is no file);
    ``sha256`` the hash of the file's bytes; ``notes`` are remarks that stop nothing.
    """

    spec: Spec
    name: str
    path: Path | None
    text: str = field(repr=False)
    sha256: str
    overrides: tuple[str, ...]
    notes: tuple[Problem, ...]
    document: Document = field(repr=False)

    @property
    def folder(self) -> Path | None:
        """The folder where relative paths start."""
        return None if self.path is None else self.path.parent

    @property
    def series(self) -> str:
        """The line of history of its runs: as declared, else its file's name without suffix."""
        return self.spec.series or Path(self.name).stem

    def where(self, place: Place) -> Location:
        """Where something stands, e.g. ``("datasets", "holdout", "target")``."""
        return self.document.where(place)

    def where_key(self, place: Place) -> Location:
        """Where the key of something stands."""
        return self.document.where_key(place)

    def resolved(self) -> dict[str, Any]:
        """The spec with its overrides and defaults as plain JSON data; it loads again.

        Absolute paths that overrides give are named by their last part.
        """
        names = without_folders(self.overrides)
        data: dict[str, Any] = _renamed(resolved(self.spec), names)
        return data

    def stated(self) -> dict[str, Any]:
        """What of the resolved spec its text and overrides state themselves: no defaults."""
        names = without_folders(self.overrides)
        data: dict[str, Any] = _renamed(resolved(self.spec, defaults=False), names)
        return data

    @property
    def overrides_shown(self) -> tuple[str, ...]:
        """The overrides as outputs tell them: absolute paths by their last part."""
        names = without_folders(self.overrides)
        shown = list(self.overrides)
        for path in sorted(names, key=len, reverse=True):
            shown = [text.replace(path, names[path]) for text in shown]
        return tuple(shown)


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _renamed(inner, names) for key, inner in value.items()}
    if isinstance(value, list):
        return [_renamed(inner, names) for inner in value]
    return names.get(value, value) if isinstance(value, str) else value


def resolved(spec: Spec, *, defaults: bool = True) -> dict[str, Any]:
    """A spec as plain JSON data, in the spec language itself."""
    data: dict[str, Any] = spec.model_dump(
        mode="json", by_alias=True, exclude_none=True, exclude_unset=not defaults
    )
    return {key: value for key, value in data.items() if value not in ({}, [])}


def load_spec(
    path: str | os.PathLike[str],
    overrides: Sequence[str] = (),
    *,
    frames: Sequence[str] = (),
    allow_import: Sequence[str] = (),
    allow_hosts: Sequence[str] = (),
) -> LoadedSpec:
    """Load a spec from a file.

    Args:
        path: the YAML file.
        overrides: texts such as ``confidence.level=0.9``.
        frames: datasets whose rows are given otherwise, so that they need no path.
        allow_import: packages whose classifiers may be named beside scikit-learn's.
        allow_hosts: computers whose databases and clusters may be named beside this one.

    Raises:
        FilesError: the file could not be read.
        SpecError: every mistake of the spec.
    """
    return parse_spec(
        _read(Path(path)),
        str(path),
        overrides,
        path=Path(path),
        frames=frames,
        allow_import=allow_import,
        allow_hosts=allow_hosts,
    )


def parse_spec(
    source: bytes | str,
    name: str = "spec",
    overrides: Sequence[str] = (),
    *,
    path: Path | None = None,
    frames: Sequence[str] = (),
    allow_import: Sequence[str] = (),
    allow_hosts: Sequence[str] = (),
    templates: bool = True,
) -> LoadedSpec:
    """Load a spec from its text; see :func:`load_spec`.

    ``name`` stands in messages; ``path`` is the file it came from, if any. ``templates``: whether
    a template of its own has to be there.
    """
    document = read_document(source, name)
    if not isinstance(document.root, dict):
        what = f"a spec is a mapping; this is {shown(document.root)}"
        raise SpecError(Problem(what, "it starts with 'evalreport: 1'", document.where(())))
    override_problems = apply_overrides(document, overrides)
    _refuse_newer(document)
    problems = list(override_problems)
    spec = None
    try:
        context = {ALLOWED: tuple(allow_import), HOSTS: tuple(allow_hosts)}
        spec = Spec.model_validate(document.root, context=context)
    except ValidationError as error:
        problems.extend(of_validation(error, document, Spec))
    folder = None if path is None else path.parent
    known = outline(document, allow_import, allow_hosts)
    problems.extend(islice(unknown_references(known), MOST_PROBLEMS))
    needs = unmet_needs(known, frames=frames, folder=folder, templates=templates)
    problems.extend(islice(needs, MOST_PROBLEMS))
    if problems or spec is None:
        raise SpecError(*in_order(problems))
    data = source.encode() if isinstance(source, str) else source
    return LoadedSpec(
        spec=spec,
        name=readable_name(Path(name).name),
        path=path,
        text=data.decode("utf-8-sig"),
        sha256=hashlib.sha256(data).hexdigest(),
        overrides=tuple(overrides),
        notes=tuple(notes(known, spec)),
        document=document,
    )


def _read(path: Path) -> bytes:
    """The bytes of a regular file of bounded size; nothing else is opened."""
    try:
        with explained("cannot be read", path, "an existing spec file"):
            found = path.stat()
            if not stat.S_ISREG(found.st_mode):
                kind = "a folder" if stat.S_ISDIR(found.st_mode) else "not a regular file"
                raise FilesError(Problem(f"it is {kind}", "a spec file", Location(str(path))))
            with path.open("rb") as file:
                return file.read(MOST_BYTES + 1)
    except ValueError as error:
        raise FilesError(Problem(f"no file name: {error}", "", Location(str(path)))) from None


def _refuse_newer(document: Document) -> None:
    """A newer version is refused before its keys are called unknown."""
    version = document.root.get("evalreport")
    number = version.value if isinstance(version, Scalar) else None
    if isinstance(number, (int, float)) and not isinstance(number, bool) and number > VERSION:
        raise SpecError(
            Problem(
                f"this spec is written in version {shown(version)} of the spec language; "
                f"this program knows version {VERSION}",
                "install a newer evalreport",
                document.where(("evalreport",)),
            )
        )


def in_order(problems: Sequence[Problem]) -> list[Problem]:
    """Problems each once, by their place in the file, none of them endless."""
    unique = dict.fromkeys(
        replace(p, what=_bounded(p.what), instead=_bounded(p.instead)) for p in problems
    )
    ordered = sorted(unique, key=_place)
    if len(ordered) > MOST_PROBLEMS:
        rest = f"{MOST_PROBLEMS} mistakes are shown; there are more"
        return [*ordered[:MOST_PROBLEMS], Problem(rest)]
    return ordered


def _bounded(text: str) -> str:
    """A message that quotes the spec, cut where the quoted text is very long."""
    return text if len(text) <= MOST_WORDS else f"{text[:MOST_WORDS]}..."


def _place(problem: Problem) -> tuple[str, int, int]:
    where = problem.where
    return ("", 0, 0) if where is None else (where.file, where.line or 0, where.column or 0)
