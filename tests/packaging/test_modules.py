"""How the package is cut into modules: by idea, not by length."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import evalreport

PACKAGE = Path(evalreport.__file__).parent
#: Modules that only one other of their folder imports; the number may fall, not rise.
MOST_WITH_ONE_IMPORTER = 84


def _modules() -> dict[str, Path]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = ("evalreport", *path.relative_to(PACKAGE).with_suffix("").parts)
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


def _importers(modules: dict[str, Path]) -> dict[str, set[str]]:
    importers: defaultdict[str, set[str]] = defaultdict(set)
    for name, path in modules.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    importers[inner if inner in modules else node.module].add(name)
    return importers


def test_few_modules_have_a_single_importer_beside_them() -> None:
    modules = _modules()
    single = [
        name
        for name, by in _importers(modules).items()
        if name in modules
        and len(by) == 1
        and modules[name].name != "__init__.py"
        and modules[name].parent == modules[next(iter(by))].parent
    ]
    assert len(single) <= MOST_WITH_ONE_IMPORTER, sorted(single)


def test_a_module_says_in_one_breath_what_it_is() -> None:
    """A docstring that goes on with what is here besides tells of two modules in one."""
    besides = re.compile(r"^(Also|Besides)\b.*:", re.MULTILINE)
    told = {
        name: ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        for name, path in _modules().items()
    }
    assert [name for name, text in told.items() if besides.search(text)] == []
    assert [name for name, text in told.items() if not text] == []
