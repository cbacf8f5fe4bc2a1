"""Dataclasses whose methods are written when one of them is first called.

``dataclasses`` writes and compiles the source of up to six functions for every class as its
module is loaded. The classes here are some four hundred and a command makes instances of few:
writing all of them took a tenth of a short run. What is declared, and how it behaves, is that of
``dataclasses``, which writes the functions here too.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

#: Instances of a class that are filled before the function that fills them is written.
FEW = 5
_ORDER = ("__lt__", "__le__", "__gt__", "__ge__")

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, **options):
        """A class with fields, as ``dataclasses.dataclass`` makes it; the same options.

        Fields are looked at now; their order is checked when the first instance is made.
        """
        if cls is None:
            return lambda found: dataclass(found, **options)
        return _declared(cls, **options)


def _declared(
    cls: Any, *, eq: bool = True, order: bool = False, frozen: bool = False, **fields: Any
) -> Any:
    """The class with its fields, and for each function one that has it written when called."""
    own = set(cls.__dict__)
    names = ["__init__", "__repr__", *(["__eq__"] if eq else ()), *(_ORDER if order else ())]
    # Python itself puts None for the hash of a class with an equality of its own
    if eq and (cls.__dict__.get("__hash__") is None):
        own.discard("__hash__")
        if frozen:
            names.append("__hash__")
    cls = dataclasses.dataclass(init=False, repr=False, eq=False, **fields)(cls)
    if eq and not frozen and "__hash__" not in own:
        cls.__hash__ = None
    for name in names:
        if name not in own:
            setattr(cls, name, _to_be_written(cls, name, eq=eq, frozen=frozen))
    if frozen:
        _freeze(cls)
    return cls


def _to_be_written(cls: Any, name: str, **options: bool) -> Any:
    """A method that puts the one written by ``dataclasses`` in its place, and calls it.

    The first few instances are filled without one: of most classes there are no more.
    """
    left = FEW if name == "__init__" else 0

    def method(self: Any, /, *given: Any, **named: Any) -> Any:
        nonlocal left
        left -= 1
        if left >= 0 and _filled(self, cls, given, named):
            return None
        written = getattr(_written(cls, name, **options), name)
        setattr(cls, name, written)
        return written(self, *given, **named)

    method.__name__, method.__qualname__ = name, f"{cls.__qualname__}.{name}"
    return method


def _filled(self: Any, cls: Any, given: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Fill the fields, and whether what was given fits them; else nothing is done."""
    fields = dataclasses.fields(cls)
    places = [one.name for one in fields if one.init and not one.kw_only]
    values = dict(zip(places, given, strict=False))
    if len(given) > len(places) or values.keys() & named.keys():
        return False
    values |= named
    found = {}
    for one in fields:
        if one.init and one.name in values:
            found[one.name] = values.pop(one.name)
        elif one.default is not dataclasses.MISSING:
            found[one.name] = one.default
        elif one.default_factory is not dataclasses.MISSING:
            found[one.name] = one.default_factory()
        elif one.init:
            return False
    if values:
        return False
    for name, value in found.items():
        object.__setattr__(self, name, value)
    if hasattr(self, "__post_init__"):
        self.__post_init__()
    return True


def _written(cls: Any, name: str, *, eq: bool, frozen: bool) -> Any:
    """A class of the same fields that has this method, as ``dataclasses`` writes it.

    The functions look at the fields of what they are given alone, and so fit either class.
    """
    fields = dataclasses.fields(cls)
    members: dict[str, Any] = {one.name: one for one in fields}
    members["__annotations__"] = {one.name: one.type for one in fields}
    members |= {"__module__": cls.__module__, "__qualname__": cls.__qualname__}
    members["__doc__"] = cls.__doc__
    if hasattr(cls, "__post_init__"):
        members["__post_init__"] = cls.__post_init__
    return dataclasses.dataclass(
        init=name == "__init__",
        repr=name == "__repr__",
        eq=name != "__init__" and (eq or name in _ORDER),
        order=name in _ORDER,
        frozen=frozen and name in ("__init__", "__hash__"),
        match_args=False,
    )(type(cls.__name__, (), members))


def _freeze(cls: Any) -> None:
    """Refuse to set and delete fields; what is pickled is set all the same."""
    names = frozenset(one.name for one in dataclasses.fields(cls))

    def refuse_setting(self: Any, name: str, value: object) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def refuse_deleting(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    cls.__setattr__, cls.__delattr__ = refuse_setting, refuse_deleting
    if "__slots__" in cls.__dict__:
        # only slots are set one by one, by the functions that refuse
        cls.__getstate__, cls.__setstate__ = _state, _set_state


def _state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for one, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)
