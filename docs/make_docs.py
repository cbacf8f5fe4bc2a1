"""Writes the pages that follow from the code: ``make docs``, or ``python docs/make_docs.py``.

Tests compare every page with what its function here returns, so that none can lag.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
WRITTEN = "<!-- Written by `make docs`; a test compares it. -->"

_TABLES = {
    "counts": (
        "Of one class against the rest",
        "Computed from the four cells of the classification table.",
    ),
    "matrix": ("Of the whole classification table", "Computed from all cells of the K x K table."),
    "scores": (
        "Of the scores of one class",
        "Computed from the distinct scores with the rows of each class at each score.",
    ),
    "class_scores": ("Of the scores of all classes", "Need one column of scores per class."),
    "label_sets": ("Of sets of labels", "For rows that have any number of labels at once."),
}
_SCORES = {
    "rank": "any score that ranks",
    "probability": "probabilities, within [0, 1]",
    "margin": "margins, signed distances to the boundary of two classes",
}


def metrics_page() -> str:
    """Every metric with everything that its declaration says."""
    from evalreport.metrics.advice import VAN_CALSTER
    from evalreport.metrics.catalogue import catalogue

    lines = [
        "# The metrics",
        "",
        WRITTEN,
        "",
        "`evalreport metrics` lists them, `evalreport metrics NAME` explains one. A name or an",
        "alias may be used in a spec; reports use the name.",
        "",
        f"What is said of medical decisions is the guidance of {VAN_CALSTER}.",
        "It names few of the metrics here; of the others nothing is said.",
        "",
    ]
    for table, (title, explanation) in _TABLES.items():
        lines += [f"## {title}", "", explanation, ""]
        for metric in catalogue():
            if metric.table.value == table:
                lines += _metric_section(metric)
    return "\n".join(lines).rstrip() + "\n"


def _metric_section(metric: Any) -> Iterator[str]:
    yield f"### `{metric.name}`"
    yield ""
    aliases = ", ".join(f"`{alias}`" for alias in metric.aliases)
    yield f"{metric.title}{f' (also {aliases})' if aliases else ''}. {metric.meaning}"
    yield ""
    for word, text in _metric_facts(metric):
        if text:
            yield f"- {word}: {text}"
    yield ""


def _metric_facts(metric: Any) -> list[tuple[str, str]]:
    from evalreport.metrics.example import shown_formula
    from evalreport.metrics.methods import interval_methods

    low, high = (_number(bound) for bound in metric.bounds)
    scored = metric.table.value in ("scores", "class_scores")
    more = metric.classes_table
    return [
        ("formula", f"`{shown_formula(metric)}`"),
        ("belongs to", "one class" if metric.scope == "class" else "all classes together"),
        ("more than two classes", "" if more is None else f"from the {_table_name(more.value)}"),
        ("two classes only", metric.two_classes_only),
        ("needs", _SCORES[metric.kind.value] if scored else ""),
        ("range", f"{low} to {high}"),
        ("better", _direction(metric)),
        ("parameters", "; ".join(_parameter(p) for p in metric.parameters)),
        ("exactly one of", ", ".join(f"`{name}`" for name in metric.one_of)),
        ("filled in by the spec", ", ".join(f"`{name}`" for name in metric.context)),
        ("averages", ", ".join(a.value for a in metric.averages) or f"none: {metric.no_average}"),
        ("undefined", metric.undefined.format(label="of the class")),
        ("interval", ", ".join(f"`{m}`" for m in interval_methods(metric)) or "none"),
        ("no interval unless asked for", metric.no_interval),
        ("mean over rows", "yes" if _is_mean_over_rows(metric) else ""),
        ("use it", metric.use),
        ("not", metric.avoid),
        ("for medical decisions", metric.advice or ""),
        ("reference", metric.reference),
    ]


def _is_mean_over_rows(metric: Any) -> bool:
    return any(f is not None for f in (metric.row_loss, metric.class_loss, metric.row_values))


def _table_name(table: str) -> str:
    return {"matrix": "classification table", "class_scores": "scores of all classes"}[table]


def _direction(metric: Any) -> str:
    best = "" if metric.best is None or math.isnan(metric.best) else _number(metric.best)
    words = {"maximize": "higher", "minimize": "lower", "describe": "neither: it describes"}
    if metric.goal.value == "target":
        return f"closer to {best}"
    return words[metric.goal.value] + (f", best {best}" if best else "")


def _parameter(parameter: Any) -> str:
    if parameter.choices:
        allowed = " or ".join(f"`{choice}`" for choice in parameter.choices)
    else:
        allowed = {bool: "true or false"}.get(parameter.type) or parameter.range_text()
        if parameter.type is int:
            allowed = allowed.replace("a number", "a whole number")
    default = f"default {_written(parameter.default)}"
    if parameter.required:
        default = "required"
    elif parameter.optional:
        default = "may be left out"
    return f"`{parameter.name}`, {parameter.meaning} ({allowed}; {default})"


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f"`{value}`"


def _number(value: float) -> str:
    return f"{value:g}".replace("inf", "infinity")


def cautions_page() -> str:
    """Every caution with its reason and what to read instead."""
    from evalreport.engine.cautions.catalogue import rows

    lines = [
        "# The cautions",
        "",
        WRITTEN,
        "",
        "What a report says about itself. A note explains, a warning asks not to rely on a number.",
        "`cautions: {off: {code: reason}}` in the spec switches one off; the report then says so.",
        "",
    ]
    for row in rows():
        lines += [f"## `{row['code']}` ({row['severity']})", "", row["title"], ""]
        for word, key in (("when", "when"), ("why", "why"), ("read instead", "read_instead")):
            lines.append(f"- {word}: {' '.join(row[key].split())}")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


_STATUSES = {
    "DONE": "done, and every acceptance criterion passed",
    "FAILED": "done, but a criterion failed or could not be evaluated, or a section failed",
    "USAGE": "wrong usage or spec",
    "DATA": "wrong data",
    "FILES": "files could not be read or written, a resource limit, or rendering failed",
    "CONFLICT": "the target is in use, or verification failed",
    "BUG": "a bug of evalreport",
    "INTERRUPTED": "interrupted from the keyboard",
    "TERMINATED": "ended from outside",
}


def errors_page() -> str:
    """Every exit status and every kind of error.

    Raises KeyError for a status that is not explained here.
    """
    from evalreport import errors

    lines = [
        "# Errors and exit statuses",
        "",
        WRITTEN,
        "",
        "A message says what was found, what would be right, and where; all mistakes that can be",
        "found together are listed together. There is no traceback for statuses 1 to 5.",
        "",
        "| status | meaning |",
        "|---|---|",
        *(f"| {status.value} | {_STATUSES[status.name]} |" for status in errors.ExitStatus),
        "",
        "From Python, `evalreport.run` raises one of these; `problems` holds every mistake.",
        "",
        "| error | status | meaning |",
        "|---|---|---|",
    ]
    for error in error_classes():
        meaning = (error.__doc__ or "").split("\n\n")[0]
        lines.append(f"| `{error.__name__}` | {error.status.value} | {meaning} |")
    return "\n".join(lines) + "\n"


def error_classes() -> list[Any]:
    """The kinds of error, a general one before its special ones."""
    from evalreport import errors

    found = [errors.EvalreportError]
    for error in found:
        found += error.__subclasses__()
    return [error for error in found if error.__module__ == errors.__name__]


def spec_page() -> str:
    """The reference of the spec."""
    from evalreport.spec.reference import spec_reference

    return spec_reference()


def schema_file() -> str:
    """The schema that the first line of each spec of configs/ names, for completion in editors."""
    import json

    from evalreport.spec.schema import spec_schema

    return json.dumps(spec_schema(), ensure_ascii=False, separators=(",", ":")) + "\n"


def requirements_page() -> str:
    """Every requirement with the tests that name it and the checks of ``qualify``."""
    from evalreport.qualify.checks import REQUIREMENTS

    tests = _tests_by_requirement()
    unknown = set(tests) - {one.id for one in REQUIREMENTS}
    if unknown:
        raise KeyError(f"tests name requirements that there are not: {sorted(unknown)}")
    lines = [
        "# The requirements",
        "",
        WRITTEN,
        "",
        "What the tool has to do, and the tests that show it: those that say so by the marker",
        "`requirement`. `evalreport qualify` looks at most of them where it is installed; its page",
        "holds the matrix of requirement, check and result of that machine.",
        "",
    ]
    for one in REQUIREMENTS:
        lines += [f"## {one.id}", "", one.text, ""]
        for path, names in sorted(tests.get(one.id, {}).items()):
            told = "all of it" if names is None else ", ".join(f"`{name}`" for name in names)
            lines.append(f"- `{path}`: {told}")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _tests_by_requirement() -> dict[str, dict[str, list[str] | None]]:
    """For each requirement the files with the tests that name it; None for a whole file."""
    root = FOLDER.parent
    found: dict[str, dict[str, list[str] | None]] = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        name = path.relative_to(root).as_posix()
        for node in tree.body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
                for requirement in _named(node.value):
                    found.setdefault(requirement, {})[name] = None
            elif isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for requirement in (r for mark in node.decorator_list for r in _named(mark)):
                    names = found.setdefault(requirement, {}).setdefault(name, [])
                    if names is not None:
                        names.append(node.name)
    return found


def _named(expression: ast.expr) -> list[str]:
    """The requirements that marks name."""
    return [
        str(ast.literal_eval(call.args[0]))
        for call in ast.walk(expression)
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.requirement"
    ]


def methods_page() -> str:
    """The page of methods with the tables of what is planned and what can be asked for."""
    from evalreport.metrics.kinds import Design
    from evalreport.metrics.methods import DECLARED, DIFFERENCES, VALUES

    designs = [design.value for design in Design]
    values = [
        (kind.value, *(_names(own[design]) for design in Design)) for kind, own in VALUES.items()
    ]
    differences = [
        (family.value, *(" / ".join(dict.fromkeys(map(_names, own))) for own in by.values()))
        for family, by in DIFFERENCES.items()
    ]
    datasets = ("two datasets of independent rows", "two datasets of others")
    declared = [
        (f"`{m.name}`", m.title, f"`evalreport.{m.formula}`", m.source or "textbooks")
        for m in DECLARED
    ]
    page = (FOLDER / "methods.md").read_text(encoding="utf-8")
    for name, heads, rows in (
        ("defaults", ("a value that is", *designs), values),
        ("differences", ("a difference of", *designs, *datasets), differences),
        ("sources", ("name", "method", "formula", "source"), declared),
    ):
        begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
        before, _, rest = page.partition(begin)
        lines = [heads, ("---",) * len(heads), *rows]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        page = f"{before}{begin}\n{table}\n\n{end}{rest.partition(end)[2]}"
    return page


def _names(cell: tuple[str, ...]) -> str:
    """Methods of a cell of a table, the classical one in bold."""
    from evalreport.metrics.methods import OWN, printed

    named = {name: "its formula" if name == OWN else f"`{name}`" for name in cell}
    marked = (f"**{own}**" if name == printed(cell) else own for name, own in named.items())
    return ", ".join(marked) or "none"


PAGES: dict[str, Callable[[], str]] = {
    "methods.md": methods_page,
    "metrics.md": metrics_page,
    "cautions.md": cautions_page,
    "errors.md": errors_page,
    "requirements.md": requirements_page,
    "spec.md": spec_page,
    "../configs/evalreport.schema.json": schema_file,
}


def main() -> None:
    """Write every page."""
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
