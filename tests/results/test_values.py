"""Classes of ours are what those of ``dataclasses`` are, though their methods come later."""

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
from typing import Any

import pytest

from evalreport.values import FEW, dataclass

OPTIONS = [
    {},
    {"frozen": True},
    {"frozen": True, "eq": False},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "kw_only": True},
    {"frozen": True, "order": True},
    {"order": True, "slots": True},
]


def _twins(**options: Any) -> list[Any]:
    """The same class, as either decorator makes it."""
    found = []
    for decorate in (dataclasses.dataclass, dataclass):

        class Point:
            """A point."""

            x: int
            y: list[int] = dataclasses.field(default_factory=list, hash=False)
            z: str = dataclasses.field(default="z", repr=False)
            twice: int = dataclasses.field(init=False, compare=False, default=0)

            def __post_init__(self) -> None:
                object.__setattr__(self, "twice", 2 * self.x)

        found.append(decorate(**options)(Point))
    return found


def _seen(make: Any) -> list[str]:
    """What can be seen of instances, in words."""
    a, b, c = make(x=1), make(x=1, y=[]), make(x=2, z="w")
    attempts = {
        "repr": lambda: repr(c),
        "equal": lambda: (a == b, a == c, a != c, a == 1),
        "order": lambda: (a < c, a <= b, a > c, a >= b),
        "order with others": lambda: a < 1,
        "hash": lambda: hash(a) == hash(b),
        "whether it has a hash": lambda: make.__hash__ is None,
        "set": lambda: setattr(a, "x", 3),
        "delete": lambda: delattr(b, "x"),
        # with slots the library's own refusal fails, in some versions
        "set what is no field": lambda: "__slots__" in make.__dict__ or setattr(a, "w", 3),
        "replace": lambda: (dataclasses.replace(c, x=5).x, dataclasses.replace(c, x=5).twice),
        "as a dict": lambda: dataclasses.asdict(c),
        "copied": lambda: copy.deepcopy(c).twice,
        "none given": make,
        "too many given": lambda: make(1, [], "", 2, 3),
        "positions": lambda: make(1).x,
        "unknown": lambda: make(x=1, w=2),
        "slots": lambda: hasattr(c, "__dict__"),
        "matched": lambda: make.__match_args__,
    }
    told = []
    for name, attempt in attempts.items():
        try:
            told.append(f"{name}: {attempt()}")
        except Exception as error:  # noqa: BLE001 - told, to be compared
            told.append(f"{name}: {type(error).__name__}: {error}")
    return told


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_they_behave_as_those_of_the_library(options):
    theirs, ours = _twins(**options)
    assert _seen(ours) == _seen(theirs)


def test_a_method_of_the_class_stays():
    @dataclass(frozen=True)
    class Own:
        x: int

        def __repr__(self) -> str:
            return "own"

        def __hash__(self) -> int:
            return 7

        def __eq__(self, other: object) -> bool:
            return True

    assert (repr(Own(1)), hash(Own(1)), Own(1) == Own(2)) == ("own", 7, True)


def test_classes_inherit_fields_and_what_a_class_between_adds():
    @dataclass(frozen=True)
    class Base:
        x: int

    class Between(Base):
        def twice(self) -> int:
            return 2 * self.x

    @dataclass(frozen=True)
    class Last(Between):
        y: int = 3

    assert Between(2).twice() == 4
    assert repr(Last(1)) == f"{Last.__qualname__}(x=1, y=3)"
    assert Base(1) != Last(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="'x'"):
        Last(1).x = 2


@dataclass(frozen=True, slots=True)
class Sent:
    x: int
    y: str = "y"


def test_slots_are_pickled():
    assert pickle.loads(pickle.dumps(Sent(4))) == Sent(4)


def test_a_mistake_in_a_declaration_is_told():
    with pytest.raises(ValueError, match="mutable default"):

        @dataclass
        class Wrong:
            x: list[int] = []  # noqa: RUF012

    @dataclass
    class Late:
        x: int = 1
        y: int

    with pytest.raises(TypeError, match="non-default argument"):
        Late()


def test_no_function_is_compiled_for_a_class_that_is_not_used():
    code = (
        "import dataclasses\n"
        "made = []\n"
        "write = dataclasses._create_fn if hasattr(dataclasses, '_create_fn') else None\n"
        "if write:\n"
        "    dataclasses._create_fn = lambda *a, **k: (made.append(a[0]), write(*a, **k))[1]\n"
        "import evalreport.plan.task, evalreport.results.changes\n"
        "print(len(made))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 30


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_first_instances_and_later_ones_are_filled_alike(options):
    _, ours = _twins(**options)
    made = [ours(x=k, z="w") for k in range(2 * FEW)]
    assert [repr(one) for one in made] == [
        f"{ours.__qualname__}(x={k}, y=[], twice={2 * k})" for k in range(2 * FEW)
    ]
    assert len({id(one.y) for one in made}) == 2 * FEW
    assert ours.__init__.__qualname__ == f"{ours.__qualname__}.__init__"
    names = list(inspect.signature(ours).parameters)
    assert names == ["x", "y", "z"]
