"""Every function, class, constant and method of the package is reached by the package itself.

The code is read: from what runs when a module is imported, what is declared by a decorator and
what is public, names are followed to names. What only tests reach has no user.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import evalreport

ROOT = Path(evalreport.__file__).parents[1]
#: What the package is to others: their names are reached by definition.
PUBLIC = ("evalreport", "evalreport.api", "evalreport.testing", "evalreport.tracking")
#: Decorators that change a function or class and do not hand it to anything.
PLAIN = {
    *("cache", "lru_cache", "cached_property", "property", "staticmethod", "classmethod"),
    *("contextmanager", "dataclass", "overload", "override", "runtime_checkable", "wraps"),
}

Name = tuple[str, str]


class Module:
    """One module: its definitions, what its imported names stand for, what its import runs."""

    def __init__(self, name: str, path: Path) -> None:
        self.name, self.is_package = name, path.name == "__init__.py"
        self.body = ast.parse(path.read_text(encoding="utf-8")).body
        self.definitions: dict[str, list[ast.stmt]] = {}
        self.imported: dict[str, tuple[str, str | None]] = {}
        self.run: list[ast.stmt] = []
        for statement in self.body:
            for name_ in _defined(statement):
                self.definitions.setdefault(name_, []).append(statement)
            if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                own = {_decorator(d) for d in statement.decorator_list}
                if own - PLAIN or statement.name.startswith("__"):
                    self.run.append(statement)
            elif not isinstance(statement, (ast.Assign, ast.AnnAssign)):
                self.run.append(statement)


def _decorator(node: ast.expr) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _defined(statement: ast.stmt) -> list[str]:
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return [statement.name]
    if isinstance(statement, ast.Assign):
        targets: list[ast.expr] = statement.targets
    else:
        targets = [statement.target] if isinstance(statement, ast.AnnAssign) else []
    return [n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)]


@cache
def modules() -> dict[str, Module]:
    found = {}
    for path in sorted((ROOT / "evalreport").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts).removesuffix(".__init__")
        found[name] = Module(name, path)
    for module in found.values():
        for node in (n for statement in module.body for n in ast.walk(statement)):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    home = (inner, None) if inner in found else (str(node.module), alias.name)
                    module.imported[alias.asname or alias.name] = home
    return found


def _named(module: Module, statement: ast.stmt) -> Iterator[Name]:
    """The names that a statement speaks of, quoted ones (annotations) among them."""
    known = modules()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            yield module.name, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            home = module.imported.get(node.value.id)
            if home is not None and home[1] is None and home[0] in known:
                yield home[0], node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = re.split(r"\W+", node.value) if len(node.value) < 100 else []
            yield from ((module.name, word) for word in words)


def _home(name: Name) -> Name | None:
    """Where a name is defined, through the modules that import it; None for foreign ones."""
    known, seen = modules(), set()
    while name[0] in known and name[1] not in known[name[0]].definitions:
        target = known[name[0]].imported.get(name[1])
        if target is None or target[1] is None or name in seen:
            return None
        seen.add(name)
        name = (target[0], target[1])
    return name if name[0] in known else None


def reached() -> set[Name]:
    known = modules()
    left = [n for m in known.values() for statement in m.run for n in _named(m, statement)]
    left += [(m.name, s.name) for m in known.values() for s in m.run if hasattr(s, "name")]
    for public in PUBLIC:
        names = known[public].definitions.keys() | known[public].imported.keys()
        left += [(public, name) for name in names]
    seen: set[Name] = set()
    while left:
        name = _home(left.pop())
        if name is not None and name not in seen:
            seen.add(name)
            module = known[name[0]]
            left += [n for s in module.definitions[name[1]] for n in _named(module, s)]
    return seen


def test_every_definition_is_reached_by_the_package() -> None:
    seen = reached()
    unreached = {
        f"{module.name}.{name}"
        for module in modules().values()
        for name in module.definitions
        if (module.name, name) not in seen and not name.startswith("__")
    }
    assert not unreached


def _methods(module: Module) -> Iterator[str]:
    """Methods that nothing but a call by their name can reach."""
    for statement in module.body:
        if not isinstance(statement, ast.ClassDef):
            continue
        bases = [_home((module.name, _decorator(base))) for base in statement.bases]
        # methods of a foreign class are called by it
        if None in bases and not {"NamedTuple", "Protocol", "Enum"} & set(
            map(_decorator, statement.bases)
        ):
            continue
        for inner in statement.body:
            if not isinstance(inner, ast.FunctionDef) or inner.name.startswith("__"):
                continue
            if PLAIN.issuperset(_decorator(d) for d in inner.decorator_list):
                yield inner.name


def test_every_method_is_named_somewhere() -> None:
    named = {
        node.attr
        for module in modules().values()
        for statement in module.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Attribute)
    }
    for path in (ROOT / "templates").rglob("*.j2"):
        named.update(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    unnamed = [
        f"{module.name}: {name}"
        for module in modules().values()
        if not module.name.startswith("evalreport.api")
        for name in _methods(module)
        if name not in named
    ]
    assert unnamed == []
