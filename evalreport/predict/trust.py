"""Which types a saved model may hold: the word of the operator, never that of the spec.

scikit-learn's estimators, numpy's arrays and the like, which skops itself knows, may always
be there. Every other type is held against the names that the operator gave, as options of
the command or in a file of the site (:func:`granted`):

- the full name of a type, function or method grants that one thing;
- the name of a package or module grants the classes that are defined in it, and nothing
  that could be called without being a class.

Nothing of Python's own library can be granted: no model needs it, and much of it acts on the
machine.
"""

from __future__ import annotations

import json
import re
import sys
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from evalreport.errors import FilesError, Location, Problem, UsageError

#: The variable that names a file of the site with what is trusted in every call.
VARIABLE = "EVALREPORT_TRUST"

#: Packages whose types skops judges one by one.
_JUDGED = frozenset({"numpy", "scipy", "sklearn"})
#: Plain values and containers of Python.
_PLAIN = frozenset(
    {f"builtins.{name}" for name in (
        "NoneType", "bool", "bytearray", "bytes", "complex", "dict", "float", "frozenset", "int",
        "list", "object", "set", "slice", "str", "tuple",
    )}
    | {"collections.OrderedDict", "collections.defaultdict"}
)  # fmt: skip
_STANDARD = sys.stdlib_module_names | {"posix", "nt", "__main__"}
_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


def granted(words: Sequence[str], environment: Mapping[str, str]) -> tuple[str, ...]:
    """The names that the operator gave, those of files included, each once and in order.

    A word is a name, or ``@`` and the path of a file with a name on each line; text from
    ``#`` on is a remark. The file that the variable EVALREPORT_TRUST names counts too.
    Raises UsageError for a word that is no name or can never be trusted, FilesError for a
    file that cannot be read.

    >>> granted(["sklearn.tree._tree.Tree", "lightgbm"], {})
    ('sklearn.tree._tree.Tree', 'lightgbm')
    """
    found: list[tuple[str, Location | None]] = []
    site = environment.get(VARIABLE)
    for word in ([f"@{site}"] if site else []) + list(words):
        found += _of_file(Path(word[1:])) if word.startswith("@") else [(word, None)]
    problems = [problem for name, where in found if (problem := _unfit(name, where))]
    if problems:
        raise UsageError(*problems)
    return tuple(dict.fromkeys(name for name, _ in found))


def _of_file(path: Path) -> list[tuple[str, Location | None]]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        what = f"the list of trusted types cannot be read: {reason}"
        raise FilesError(
            Problem(what, "a file with a name on each line", Location(str(path)))
        ) from None
    names = ((line.partition("#")[0].strip(), at) for at, line in enumerate(lines, start=1))
    return [(name, Location(str(path), at)) for name, at in names if name]


def _unfit(name: str, where: Location | None) -> Problem | None:
    if not _NAME.fullmatch(name):
        instead = "the full name of a type, as pkg.module.Type, or of a package"
        return Problem(f"cannot trust {name!r}: it is not a name", instead, where)
    if standard(name):
        return Problem(f"cannot trust {name}", _NEVER, where)
    return None


_NEVER = "what belongs to Python itself can act on the machine and is never trusted"


def standard(name: str) -> bool:
    """Whether a name belongs to Python itself.

    >>> standard("_posixsubprocess.fork_exec"), standard("sklearn.tree._tree.Tree")
    (True, False)
    """
    return name.partition(".")[0] in _STANDARD


def grant_of(name: str, names: Collection[str]) -> str | None:
    """The shortest of the operator's names that covers this one; None if there is none.

    >>> grant_of("lightgbm.sklearn.LGBMClassifier", ["lightgbm"])
    'lightgbm'
    """
    parts = name.split(".")
    starts = (".".join(parts[:size]) for size in range(1, len(parts) + 1))
    return next((start for start in starts if start in names), None)


def outside(content: bytes) -> set[str]:
    """The names in a skops archive that are neither plain values nor of packages skops judges.

    Every part of its schema that names something counts, whatever the part is said to be.
    Raises ValueError for an archive without a readable schema.
    """
    with zipfile.ZipFile(BytesIO(content)) as archive:
        schema = json.loads(archive.read("schema.json"))
    found = set(_named(schema))
    return {n for n in found if n not in _PLAIN and n.partition(".")[0] not in _JUDGED}


def _named(schema: Any) -> Iterator[str]:
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            for module, name in (("__module__", "__class__"), ("module_path", "function")):
                if module in part and name in part:
                    yield f"{part[module]}.{part[name]}"
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)


def refusal(lacking: Collection[str], asked: Collection[str]) -> tuple[str, str]:
    """What is said of types that nobody granted, and what would be right.

    ``asked``: the types that the spec asks for, which grants nothing.

    >>> refusal(["sklearn.tree._tree.Tree"], [])[1]
    'if you trust the content of the file: --trust sklearn.tree._tree.Tree'
    """
    names = sorted(lacking)
    told = ", ".join(name if _NAME.fullmatch(name) else repr(name) for name in names)
    what = f"the file has types that are not trusted: {told}"
    never = [name for name in names if standard(name) or not _NAME.fullmatch(name)]
    if never:
        shown = ", ".join(name if _NAME.fullmatch(name) else repr(name) for name in never)
        return what, f"{shown} can act on the machine and cannot be trusted"
    options = " ".join(f"--trust {name}" for name in names)
    spec = " (`trusted` in the spec only asks for it)" if set(names) & set(asked) else ""
    return what, f"if you trust the content of the file: {options}{spec}"
