"""Small wrong versions of a module: one swapped operator, constant, name or statement each."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_COMPARISON: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
#: Names exchanged wherever they are called or read as an attribute.
_NAMES = {
    "min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum",
    "any": "all", "all": "any", "argmax": "argmin", "floor": "ceil", "ceil": "floor",
    "MAXIMIZE": "MINIMIZE", "MINIMIZE": "MAXIMIZE", "TARGET": "DESCRIBE", "DESCRIBE": "TARGET",
    "PROBABILITY": "RANK", "MARGIN": "RANK", "RANK": "PROBABILITY",
    "MACRO": "WEIGHTED", "WEIGHTED": "MACRO", "MICRO": "MACRO", "SAMPLES": "MICRO",
    "ALL_AVERAGES": "CLASS_MEANS", "CLASS_MEANS": "ALL_AVERAGES", "WITH_SAMPLES": "ALL_AVERAGES",
    "PROPORTION": "SMOOTH", "SMOOTH": "PROPORTION", "AUC": "RANKED", "LOG": "MEAN",
    "KAPPA": "NONE", "LOGISTIC": "NONE", "CORRELATION": "NONE", "MEAN": "PREDICTIVE",
    "PREDICTIVE": "MEAN", "RANKED": "RESAMPLED", "RESAMPLED": "RANKED", "NONE": "RESAMPLED",
}  # fmt: skip


#: Texts of a declaration for readers; the page of the metrics is compared as a whole.
_TEXTS = ("title", "use", "avoid", "reference", "meaning")


#: Parts of the tree that are no code, or that are changed at the node itself.
_LEFT_ALONE = ("annotation", "returns", "ctx", "op", "ops", "type_params")
#: What a declaration may say although it goes without saying: dropping it changes nothing.
_DEFAULTS = ("goal=Goal.MAXIMIZE", "interval=Interval.RESAMPLED", "bounds=(0.0, 1.0)")


@dataclass(frozen=True)
class Mutant:
    """One wrong version: where, what was changed, and the text of the module."""

    line: int
    change: str
    source: str


def mutants(source: str) -> Iterator[Mutant]:
    """Every mutant of a module, in the order of its text.

    >>> [m.change for m in mutants("def f(a):\\n    return a + 1\\n")]
    ['return a + 1 -> return None', '1 -> 2', 'a + 1 -> a - 1']
    """
    total = len(list(_changes(ast.parse(source))))
    for k in range(total):
        tree = ast.parse(source)
        node, field, index, new = list(_changes(tree))[k]
        old = getattr(node, field) if index is None else getattr(node, field)[index]
        line = getattr(old, "lineno", getattr(node, "lineno", 0))
        written = isinstance(old, (ast.stmt, ast.expr, ast.keyword))
        before = _text(old if written else node)
        if index is None:
            setattr(node, field, new)
        elif new is None:
            del getattr(node, field)[index]
        else:
            getattr(node, field)[index] = new
        after = (
            "(dropped)"
            if new is None
            else _text(new if isinstance(new, (ast.stmt, ast.expr)) else node)
        )
        yield Mutant(line, f"{before} -> {after}", ast.unparse(ast.fix_missing_locations(tree)))


Change = tuple[ast.AST, str, "int | None", Any]


def _changes(tree: ast.AST) -> Iterator[Change]:
    """Every place and what to put there; types, docstrings and imports are left alone."""
    for node in _walk(tree):
        yield from _statement_changes(node)
        for field, index, child in _children(node):
            yield from ((node, field, index, new) for new in _replacements(child))
        yield from _own_changes(node)


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for _, _, child in _children(node):
        yield from _walk(child)


def _children(node: ast.AST) -> Iterator[tuple[str, int | None, Any]]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return
    for field, value in ast.iter_fields(node):
        if field in _LEFT_ALONE or _is_declarative(node, field):
            continue
        if isinstance(value, list):
            for index, child in enumerate(value):
                if isinstance(child, ast.AST) and not _is_prose(child):
                    yield field, index, child
        elif isinstance(value, ast.AST):
            yield field, None, value


def _is_declarative(node: ast.AST, field: str) -> bool:
    """Types, decorators of classes, texts for readers, and the check of lengths in ``zip``."""
    if isinstance(node, ast.ClassDef):
        return field == "decorator_list"
    if isinstance(node, ast.keyword):
        return node.arg in _TEXTS or node.arg == "strict"
    if isinstance(node, ast.Subscript):
        return getattr(node.value, "id", "") == "Literal"
    if isinstance(node, ast.AnnAssign):
        return field == "target" or ast.unparse(node.annotation) == "TypeAlias"
    return False


def _is_prose(node: ast.AST) -> bool:
    """A docstring, or the source of a formula: text that ends with a year or a chapter."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
        return bool(re.search(r"\b(1[89]|20)\d\d\b", str(node.value.value)))
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _statement_changes(node: ast.AST) -> Iterator[Change]:
    for field in ("body", "orelse"):
        statements = getattr(node, field, None)
        for index, statement in enumerate(statements if isinstance(statements, list) else ()):
            if isinstance(statement, ast.Return) and statement.value is not None:
                if not _is_none(statement.value):
                    yield node, field, index, ast.Return(ast.Constant(None))
            elif isinstance(statement, ast.AugAssign) or (
                isinstance(statement, ast.Expr) and not _is_prose(statement)
            ):
                yield node, field, index, ast.Pass()
            elif isinstance(statement, ast.Continue):
                yield node, field, index, ast.Break()


def _own_changes(node: ast.AST) -> Iterator[Change]:
    """Changes to the operator or the arguments of the node itself."""
    if isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in _ARITHMETIC:
        if not _is_text(node):
            yield node, "op", None, _ARITHMETIC[type(node.op)]()
    elif isinstance(node, ast.BoolOp):
        yield node, "op", None, ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            yield node, "ops", index, _COMPARISON[type(operator)]()
    elif isinstance(getattr(node, "test", None), (ast.Name, ast.Attribute, ast.Call)):
        yield node, "test", None, ast.UnaryOp(ast.Not(), node.test)  # type: ignore[attr-defined]
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("metric", "Parameter"):
        for index, keyword in enumerate(node.keywords):
            if keyword.arg not in _TEXTS and ast.unparse(keyword) not in _DEFAULTS:
                yield node, "keywords", index, None


def _is_text(node: ast.AST) -> bool:
    """A union of types written with ``|``: an alias, not arithmetic."""
    return isinstance(node, ast.BinOp) and any(
        isinstance(side, ast.Subscript) and getattr(side.value, "id", "") in ("Literal", "Mapping")
        for side in (node.left, node.right)
    )


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _replacements(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Constant):
        yield from _other_constants(node.value)
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.UAdd):
        yield node.operand
    elif isinstance(node, ast.Name) and node.id in _NAMES and isinstance(node.ctx, ast.Load):
        yield ast.Name(_NAMES[node.id], ast.Load())
    elif isinstance(node, ast.Attribute) and node.attr in _NAMES:
        yield ast.Attribute(node.value, _NAMES[node.attr], ast.Load())


def _other_constants(value: Any) -> Iterator[ast.AST]:
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, (int, float)):
        yield ast.Constant(value + 1)
    elif isinstance(value, str):
        yield ast.Constant("XX" + value)


def _text(node: ast.AST) -> str:
    text = ast.unparse(ast.fix_missing_locations(node)).replace("\n", " ")
    return text if len(text) <= 90 else text[:87] + "..."
