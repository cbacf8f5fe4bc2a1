"""The form of a type in JSON: how a value of it is read, written and described.

Forms are made once for each type from its annotations. Reading is strict: a value of another
type, a text that is none of those allowed, a key that no field has are problems, told with
their path; all that can be found together are. Writing trusts the types.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from math import inf
from operator import attrgetter
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from evalreport.errors import did_you_mean
from evalreport.results.marks import INFINITY, AtLeast, Omitted, OneOf, OrInfinite, Where

#: No more problems of one list are told.
MOST_PROBLEMS = 20

Schema = dict[str, Any]


class FormError(Exception):
    """What is wrong with a value: pairs of a path within it and a sentence."""

    def __init__(self, *problems: tuple[str, str]) -> None:
        super().__init__(*problems)
        self.problems = problems

    def inside(self, step: str) -> list[tuple[str, str]]:
        """The problems, seen from the value that holds this one."""
        return [(step + path, what) for path, what in self.problems]


class Form:
    """How values of one type are read from JSON, written to it and described.

    ``kinds`` are the exact types of plain values that are read and written as they stand;
    None where more has to be done. ``inside`` are the forms that it is made of.
    """

    kinds: frozenset[type] | None = None
    inside: tuple[Form, ...] = ()

    def read(self, value: Any) -> Any:
        """The value of parsed JSON. Raises FormError."""
        raise NotImplementedError

    def readable(self, value: Any) -> Any:
        """The value of parsed JSON without the parts of it that have another form.

        Raises FormError where nothing is left.
        """
        return self.read(value)

    def write(self, value: Any) -> Any:
        """The same as plain data."""
        return value

    def schema(self) -> Schema:
        """Its JSON Schema, which refers to records by their names."""
        raise NotImplementedError


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


_NAMES: Mapping[type, tuple[str, str]] = {
    str: ("string", "text"),
    int: ("integer", "a whole number"),
    float: ("number", "a number"),
    bool: ("boolean", "true or false"),
    types.NoneType: ("null", "null"),
}


class Plain(Form):
    """Text, numbers, truth values and null. A number that need not be whole may be."""

    def __init__(self, *plain: type) -> None:
        # a number that need not be whole may be
        self.plain = tuple(one for one in plain if one is not int or float not in plain)
        self.kinds = frozenset({*plain, *({int} if float in plain else ())})

    def read(self, value: Any) -> Any:
        if type(value) in (self.kinds or ()):
            return value
        wanted = " or ".join(_NAMES[one][1] for one in self.plain)
        raise FormError(("", f"is {_shown(value)}, not {wanted}"))

    def schema(self) -> Schema:
        names = [_NAMES[one][0] for one in self.plain]
        return {"type": names[0] if len(names) == 1 else names}


class AnyJson(Form):
    """Anything that JSON can hold, kept as it is: the spec, parameters."""

    def read(self, value: Any) -> Any:
        return value

    def schema(self) -> Schema:
        return {}


class Checked(Form):
    """A form whose values are held to marks: one of some texts, at least a number."""

    def __init__(self, form: Form, mark: OneOf | AtLeast) -> None:
        self.form, self.mark, self.inside = form, mark, (form,)
        self.allowed = frozenset(mark.texts) if isinstance(mark, OneOf) else None

    def read(self, value: Any) -> Any:
        found = self.form.read(value)
        if found is None:
            return None
        if self.allowed is not None and found not in self.allowed:
            assert isinstance(self.mark, OneOf)
            hint = did_you_mean(str(found), self.mark.texts, "allowed")
            raise FormError(("", f"is {_shown(found)}; {hint}"))
        if isinstance(self.mark, AtLeast) and found < self.mark.number:
            raise FormError(("", f"is {found}, below {self.mark.number:g}"))
        return found

    def schema(self) -> Schema:
        own = self.form.schema()
        if isinstance(self.mark, AtLeast):
            return {**own, "minimum": self.mark.number}
        or_null = [None] if "null" in str(own["type"]) else []
        return {"enum": [*self.mark.texts, *or_null]}


class Unbounded(Form):
    """A number or plus infinity, which is a text in JSON."""

    def __init__(self, form: Form) -> None:
        self.form, self.inside = form, (form,)

    def read(self, value: Any) -> Any:
        return inf if value == INFINITY else self.form.read(value)

    def write(self, value: Any) -> Any:
        return or_infinity(value)

    def schema(self) -> Schema:
        return {"anyOf": [self.form.schema(), {"const": INFINITY}]}


def or_infinity(value: float | None) -> float | str | None:
    """A number as JSON and CSV have it: plus infinity as a text.

    >>> or_infinity(0.5), or_infinity(inf)
    (0.5, 'infinity')
    """
    return INFINITY if value == inf else value


class Constant(Form):
    """One of a few fixed values."""

    def __init__(self, values: tuple[Any, ...]) -> None:
        self.values = values

    def read(self, value: Any) -> Any:
        if value in self.values:
            return value
        raise FormError(("", f"is {_shown(value)}, not {' or '.join(map(repr, self.values))}"))

    def schema(self) -> Schema:
        if len(self.values) == 1:
            return {"const": self.values[0]}
        return {"enum": list(self.values)}


class Optional(Form):
    """A value or null."""

    def __init__(self, form: Form) -> None:
        self.form, self.inside = form, (form,)

    def read(self, value: Any) -> Any:
        return None if value is None else self.form.read(value)

    def readable(self, value: Any) -> Any:
        with suppress(FormError):
            return None if value is None else self.form.readable(value)
        return None

    def write(self, value: Any) -> Any:
        return None if value is None else self.form.write(value)

    def schema(self) -> Schema:
        return {"anyOf": [self.form.schema(), {"type": "null"}]}


class ListOf(Form):
    """A list of one kind of values; read as a tuple, or as it is where ``made`` is list."""

    def __init__(self, form: Form, made: Callable[[Any], Any] = tuple) -> None:
        self.form, self.made, self.inside = form, made, (form,)

    def read(self, value: Any) -> Any:
        if type(value) is not list:
            raise FormError(("", f"is {_shown(value)}, not a list"))
        if self.form.kinds is not None and set(map(type, value)) <= self.form.kinds:
            return self.made(value)
        found, problems = [], []
        read = self.form.read
        for place, one in enumerate(value):
            try:
                found.append(read(one))
            except FormError as error:
                problems += error.inside(f"[{place}]")
                if len(problems) >= MOST_PROBLEMS:
                    break
        if problems:
            raise FormError(*problems)
        return self.made(found)

    def readable(self, value: Any) -> Any:
        if type(value) is not list or self.form.kinds is not None:
            return self.read(value)
        found = []
        for one in value:
            with suppress(FormError):
                found.append(self.form.readable(one))
        return self.made(found)

    def write(self, value: Any) -> Any:
        if self.form.kinds is not None:
            return list(value)
        return [self.form.write(one) for one in value]

    def schema(self) -> Schema:
        return {"type": "array", "items": self.form.schema()}


class Row(Form):
    """A list of a fixed number of values, each of a form of its own."""

    def __init__(self, forms: tuple[Form, ...]) -> None:
        self.forms = self.inside = forms

    def read(self, value: Any) -> Any:
        if type(value) is not list or len(value) != len(self.forms):
            raise FormError(("", f"is {_shown(value)}, not a list of {len(self.forms)}"))
        return tuple(form.read(one) for form, one in zip(self.forms, value, strict=True))

    def write(self, value: Any) -> Any:
        return [form.write(one) for form, one in zip(self.forms, value, strict=True)]

    def schema(self) -> Schema:
        size = len(self.forms)
        items = [form.schema() for form in self.forms]
        return {"type": "array", "items": items, "minItems": size, "maxItems": size}


class MapOf(Form):
    """An object whose keys are data: names of columns, metrics, parameters."""

    def __init__(self, form: Form) -> None:
        self.form, self.inside = form, (form,)

    def read(self, value: Any) -> Any:
        if type(value) is not dict:
            raise FormError(("", f"is {_shown(value)}, not an object"))
        if not value or isinstance(self.form, AnyJson):
            return value
        found = {}
        for key, one in value.items():
            try:
                found[key] = self.form.read(one)
            except FormError as error:
                raise FormError(*error.inside(f".{key}")) from None
        return found

    def write(self, value: Any) -> Any:
        if self.form.kinds is not None or isinstance(self.form, AnyJson):
            return dict(value)
        return {key: self.form.write(one) for key, one in value.items()}

    def schema(self) -> Schema:
        return {"type": "object", "additionalProperties": self.form.schema()}


class EitherOf(Form):
    """One of several kinds of records, told apart by their keys."""

    def __init__(self, forms: tuple[RecordForm, ...]) -> None:
        self.forms = self.inside = forms

    def read(self, value: Any) -> Any:
        if type(value) is dict:
            for form in self.forms:
                if form.needed <= value.keys() <= form.keys:
                    return form.read(value)
        names = " or ".join(form.record.__name__ for form in self.forms)
        raise FormError(("", f"is {_shown(value)}, neither {names}"))

    def write(self, value: Any) -> Any:
        return _of_record(type(value)).write(value)

    def schema(self) -> Schema:
        return {"anyOf": [form.schema() for form in self.forms]}


@dataclass(frozen=True)
class _Part:
    """A field of a record."""

    name: str
    form: Form
    needed: bool
    default: Any
    omitted: bool
    where: Where | None
    description: str

    def is_written(self, record: Any, value: Any) -> bool:
        """Whether the field stands in the JSON of this record."""
        if self.omitted:
            return value is not self.default and bool(value != self.default)
        return self.where is None or self.where.holds(record)

    @property
    def always(self) -> bool:
        return not self.omitted and self.where is None


def _no_field(_value: Any) -> Any:
    raise KeyError


_NO_FIELD: tuple[frozenset[type] | None, Callable[[Any], Any]] = (None, _no_field)


def _getter(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    """A function that reads several attributes at once."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda record: tuple(getattr(record, name) for name in names)


class RecordForm(Form):
    """A record: an object with the fields of a dataclass, and no others."""

    def __init__(self, record: type) -> None:
        self.record = record

    def prepare(self) -> None:
        """Look up the forms of the fields, after this form is known by its type."""
        hints = get_type_hints(self.record, include_extras=True)
        self.parts = tuple(_part(one, hints[one.name]) for one in fields(self.record))
        self.inside = tuple(part.form for part in self.parts)
        self.keys = frozenset(part.name for part in self.parts)
        self.needed = frozenset(part.name for part in self.parts if part.needed)
        self._reads = {part.name: (part.form.kinds, part.form.read) for part in self.parts}
        always = [part for part in self.parts if part.always]
        self._always = [part.name for part in always]
        self._get_always = _getter(self._always)
        self._nested = [(p.name, p.form.write) for p in always if p.form.kinds is None]
        self._sometimes = [part for part in self.parts if not part.always]

    def read(self, value: Any) -> Any:
        if type(value) is not dict:
            raise FormError(("", f"is {_shown(value)}, not an object"))
        found: dict[str, Any] = {}
        problems: list[tuple[str, str]] = []
        for name, given in value.items():
            kinds, read = self._reads.get(name, _NO_FIELD)
            if kinds is not None and type(given) in kinds:
                found[name] = given
                continue
            try:
                found[name] = read(given)
            except FormError as error:
                problems += error.inside(f".{name}")
            except KeyError:
                what = f"is not a field; {did_you_mean(str(name), self.keys, 'fields')}"
                problems.append((f".{name}", what))
        if not self.needed <= value.keys():
            absent = sorted(self.needed - value.keys())
            problems += [(f".{name}", "is missing") for name in absent]
        if problems:
            raise FormError(*problems)
        return self.record(**found)

    def readable(self, value: Any) -> Any:
        if type(value) is not dict or not self.needed <= value.keys():
            return self.read(value)
        found = {}
        for part in self.parts:
            if part.name in value:
                try:
                    found[part.name] = part.form.readable(value[part.name])
                except FormError:
                    if part.needed:
                        raise
        return self.record(**found)

    def write(self, value: Any) -> Any:
        written = dict(zip(self._always, self._get_always(value), strict=True))
        for name, write in self._nested:
            written[name] = write(written[name])
        for part in self._sometimes:
            own = getattr(value, part.name)
            if part.is_written(value, own):
                written[part.name] = part.form.write(own)
        return written

    def schema(self) -> Schema:
        return {"$ref": f"#/definitions/{self.record.__name__}"}

    def definition(self) -> Schema:
        """The schema of the record itself."""
        return {
            "description": " ".join((self.record.__doc__ or "").split("\n\n")[0].split()),
            "type": "object",
            "required": [part.name for part in self.parts if part.always],
            "properties": {part.name: _described(part) for part in self.parts},
            "additionalProperties": False,
        }


def _described(part: _Part) -> Schema:
    own = part.form.schema()
    if not part.description:
        return own
    # beside a reference draft 7 reads nothing
    own = {"allOf": [own]} if "$ref" in own else own
    return {"description": part.description, **own}


def definitions(form: Form) -> dict[str, Schema]:
    """The schema of every record that a form is made of, by its name."""
    found: dict[str, Schema] = {}
    waiting, seen = [form], {form}
    while waiting:
        one = waiting.pop()
        if isinstance(one, RecordForm):
            found[one.record.__name__] = one.definition()
        fresh = [inner for inner in one.inside if inner not in seen]
        seen.update(fresh)
        waiting += fresh
    return found


def _part(own: Field[Any], hint: Any) -> _Part:
    marks: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        marks = tuple(_flat(hint))
    default = own.default
    if own.default_factory is not MISSING:
        default = own.default_factory()
    return _Part(
        name=own.name,
        form=form_of(hint),
        needed=default is MISSING,
        default=default,
        omitted=any(isinstance(mark, Omitted) for mark in marks),
        where=next((mark for mark in marks if isinstance(mark, Where)), None),
        description=" ".join(mark for mark in marks if isinstance(mark, str)),
    )


def _flat(hint: Any) -> Sequence[Any]:
    return tuple(hint.__metadata__)


@cache
def form_of(hint: Any) -> Any:
    """The form of a type hint. Raises TypeError for one that JSON has no form for."""
    if get_origin(hint) is Annotated:
        return _marked(hint)
    if hint is Any:
        return AnyJson()
    if isinstance(hint, type) and is_dataclass(hint):
        return _of_record(hint)
    if hint in _NAMES:
        return Plain(hint)
    return _of_several(hint, get_origin(hint), get_args(hint))


def _of_several(hint: Any, origin: Any, inner: tuple[Any, ...]) -> Form:
    """The form of a type that is made of others."""
    if origin is Literal:
        return Constant(inner)
    if origin in (Union, types.UnionType):
        return _of_union(inner)
    if origin is tuple and len(inner) == 2 and inner[1] is Ellipsis:
        return ListOf(form_of(inner[0]))
    if origin is tuple:
        return Row(tuple(form_of(one) for one in inner))
    if origin is Sequence:
        return ListOf(form_of(inner[0]), list)
    if origin is Mapping and inner[0] is str:
        return MapOf(form_of(inner[1]))
    raise TypeError(f"there is no form in JSON for {hint}")


def _marked(hint: Any) -> Form:
    form: Form = form_of(get_args(hint)[0])
    for mark in hint.__metadata__:
        if isinstance(mark, (OneOf, AtLeast)):
            form = Checked(form, mark)
        elif isinstance(mark, OrInfinite):
            form = Unbounded(form)
    return form


_RECORDS: dict[type, RecordForm] = {}


def _of_record(record: type) -> RecordForm:
    if record not in _RECORDS:
        _RECORDS[record] = RecordForm(record)
        _RECORDS[record].prepare()
    return _RECORDS[record]


def _of_union(inner: tuple[Any, ...]) -> Form:
    if all(one in _NAMES for one in inner):
        return Plain(*inner)
    forms = [form_of(one) for one in inner if one is not types.NoneType]
    form = forms[0] if len(forms) == 1 else EitherOf(tuple(forms))
    return Optional(form) if types.NoneType in inner else form
