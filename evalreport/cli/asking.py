"""Commands that answer questions and change nothing: check, plan, metrics, cautions, schema."""

from __future__ import annotations

import json
import textwrap
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalreport.cli.completing import metric_names
from evalreport.cli.options import (
    ALLOW_HOST,
    ALLOW_IMPORT,
    DIALECTS,
    ENGINES,
    QUIET,
    SET,
    SPEC,
    SPECS,
    TRUST,
    json_option,
)
from evalreport.cli.progress import LOG, say, timeout_option
from evalreport.errors import EvalreportError, FilesError, Problem, SpecError, UsageError
from evalreport.lines import json_text, one_line

if TYPE_CHECKING:
    from evalreport.metrics.declare import Metric
    from evalreport.spec.load import LoadedSpec

#: From so many bytes on `check` asks whether the rows of a file fit in memory.
MUCH_DATA = 100_000_000


@click.command()
@SPECS
@SET
@ALLOW_IMPORT
@TRUST
@ALLOW_HOST
@click.option(
    "--no-data",
    is_flag=True,
    help="Check the spec alone: no data file, no model file, no library of the PDF.",
)
@LOG
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "github"]),
    default="text",
    help="github: also mark each problem at its line in a workflow.",
)
@QUIET
@timeout_option("Stop when so much time has passed.")
def check(
    specs: tuple[Path, ...],
    overrides: tuple[str, ...],
    allowed: tuple[str, ...],
    trusted: tuple[str, ...],
    hosts: tuple[str, ...],
    no_data: bool,
    style: str,
    quiet: bool,
    timeout: float | None,
) -> int:
    """Find every mistake in SPEC at once; reads the headers of its data files, small ones whole.

    Of several specs each is looked at, and the status is the highest of theirs.
    """
    from evalreport.runs.signals import stopping_cleanly, time_limit

    with stopping_cleanly(), time_limit(timeout, left=""):
        asked = Asked(
            overrides=overrides,
            allowed=allowed,
            trusted=trusted,
            hosts=hosts,
            no_data=no_data,
            marked=style == "github",
            quiet=quiet,
        )
        return _check_each(specs, asked)


Texts = tuple[str, ...]


@dataclass(frozen=True)
class Asked:
    """How specs are checked: the options of ``check``, by their names.

    ``marked``: whether each problem is also marked at its line, as GitHub reads it.
    """

    overrides: Texts
    allowed: Texts
    trusted: Texts
    hosts: Texts
    no_data: bool
    marked: bool
    quiet: bool


def _check_each(specs: tuple[Path, ...], asked: Asked) -> int:
    """The highest status of the specs; of several, what is wrong with each is told."""
    worst = 0
    for spec in specs:
        try:
            _check_one(spec, asked)
        except EvalreportError as error:
            if len(specs) == 1:
                raise
            for problem in error.problems:
                say(str(problem), "problem")
            worst = max(worst, int(error.status))
    return worst


def _check_one(spec: Path, asked: Asked) -> None:
    """Say that a spec has no mistakes, unless that is not wanted, or raise all of them."""
    try:
        loaded = _without_mistakes(spec, asked)
    except EvalreportError as error:
        for problem in error.problems if asked.marked else ():
            click.echo(annotation(problem))
        raise
    for note in loaded.notes:
        if not asked.quiet:
            say(str(note), "warning")
        if asked.marked:
            click.echo(annotation(note, "warning"))
    if asked.quiet:
        return
    found = loaded.spec
    click.echo(
        f"{one_line(spec.name)}: no mistakes found; {_count(found.datasets, 'dataset')}, "
        f"{_count(found.models, 'model')}, {_count(found.metrics, 'metric')}"
    )


def _without_mistakes(spec: Path, asked: Asked) -> LoadedSpec:
    from evalreport.plan.columns import (
        check_columns,
        columns_of_wrong_spec,
        files_of_wrong_spec,
        only_of_absent_models,
    )
    from evalreport.predict.known_classes import check_classes
    from evalreport.publish.installed import check_installed
    from evalreport.publish.refusals import check_names, raise_together
    from evalreport.spec.load import in_order, load_spec

    overrides, allowed = asked.overrides, asked.allowed
    try:
        loaded = load_spec(spec, overrides, allow_import=allowed, allow_hosts=asked.hosts)
    except SpecError as error:
        if asked.no_data:
            raise
        more = [*columns_of_wrong_spec(spec, overrides), *files_of_wrong_spec(spec, overrides)]
        kind: type[EvalreportError] = SpecError
        if only_of_absent_models(spec, overrides, error.problems):
            kind = FilesError
        raise kind(*in_order([*error.problems, *more])) from None
    if asked.no_data:
        raise_together(
            [], partial(_check_estimators, loaded, allowed), partial(check_names, loaded)
        )
        return loaded
    raise_together(
        [],
        partial(_check_estimators, loaded, allowed),
        partial(check_columns, loaded),
        partial(check_classes, loaded),
        partial(check_names, loaded),
        partial(check_installed, loaded, loaded.spec.report.formats, "auto"),
        partial(_check_saved, loaded, asked.trusted),
        partial(_check_machine, loaded),
    )
    return loaded


def _check_machine(loaded: LoadedSpec) -> None:
    """The library and the fonts of the PDF, and memory for rows that have to be loaded."""
    from evalreport.publish.formats import named_formats
    from evalreport.render.paper import pango_problem
    from evalreport.render.system_fonts import font_warning

    missing = pango_problem() if "pdf" in loaded.spec.report.formats else None
    if missing is not None and named_formats(loaded.document.root):
        raise FilesError(missing)
    if missing is not None:
        say(f"the run will make no PDF: {missing}", "warning")
    unknown = font_warning(loaded.resolved()) if "pdf" in loaded.spec.report.formats else None
    if missing is None and unknown is not None:
        say(unknown, "warning")
    for name in loaded.spec.datasets:
        _check_room(loaded, name)


def _check_room(loaded: LoadedSpec, name: str) -> None:
    """Raises LimitError where a large dataset would not fit."""
    from evalreport.plan.columns import source_of

    dataset, folder = loaded.spec.datasets[name], loaded.folder or Path()
    if not isinstance(dataset.path, str):
        return
    path = folder / dataset.path
    # a small file fits, and hashing it once more would take its time
    named = loaded.spec.engine.name in ("duckdb", "database", "spark")
    if not path.is_file() or (path.stat().st_size < MUCH_DATA and not named):
        return
    from evalreport.engine.counting.choosing import choose
    from evalreport.plan.from_spec import requests_of

    spec = loaded.spec
    choose(spec, name, source_of(folder, dataset), str(spec.engine.name), requests_of(spec))


def _check_estimators(loaded: LoadedSpec, allowed: tuple[str, ...]) -> None:
    """Classes and parameters to be trained, where there are any: scikit-learn is large."""
    if any(hasattr(model, "estimator") for model in loaded.spec.models.values()):
        from evalreport.engine.predicting import check_estimators

        check_estimators(loaded, allowed)


def _check_saved(loaded: LoadedSpec, trusted: tuple[str, ...]) -> None:
    """What saved models hold, where there are any; nothing of them is loaded."""
    from evalreport.plan.columns import missing_files

    saved = any(
        hasattr(model, "skops") or hasattr(model, "onnx") for model in loaded.spec.models.values()
    )
    if saved and not missing_files(loaded.document, loaded.folder or Path()):
        from evalreport.predict.models_run_here import check_saved_models

        check_saved_models(loaded.spec, loaded.folder or Path(), trusted)


def _count(things: Any, word: str) -> str:
    return f"{len(things)} {word}" + ("" if len(things) == 1 else "s")


@click.command()
@SPEC
@SET
@ALLOW_IMPORT
@TRUST
@ALLOW_HOST
@click.option("--engine", type=click.Choice(ENGINES), default="auto")
@json_option("The plan as JSON with its hash.")
@click.option(
    "--sql",
    "dialect",
    type=click.Choice(DIALECTS),
    help="The query that counts the kinds of rows of each dataset, in a dialect; no data is read.",
)
def plan(
    spec: Path,
    overrides: tuple[str, ...],
    allowed: tuple[str, ...],
    trusted: tuple[str, ...],
    hosts: tuple[str, ...],
    engine: str,
    as_json: bool,
    dialect: str | None,
) -> int:
    """Show the metric tasks that a run of SPEC would do, and what is skipped and why.

    No model is trained for it.
    """
    from evalreport.engine.predicting import Fitting
    from evalreport.engine.read_and_plan import prepare
    from evalreport.plan.explain import explain
    from evalreport.publish.refusals import check_names
    from evalreport.spec.load import load_spec

    loaded = load_spec(spec, overrides, allow_import=allowed, allow_hosts=hosts)
    if dialect is not None:
        from evalreport.engine.counting.printed_queries import printed_queries

        click.echo(printed_queries(loaded.spec, dialect), nl=False)
        return 0
    check_names(loaded)
    fitting = Fitting(allowed=allowed, trusted=trusted, foresee=True)
    prepared = prepare(loaded, engine=engine, fitting=fitting)
    failures = [f"{f.model}: {f.reason}" for p in prepared.predictions for f in p.failures]
    if as_json:
        body = prepared.plan.as_json() | {
            "acceptance": prepared.criteria_text(),
            "fits": prepared.fits_text(),
            "failures": failures,
        }
        click.echo(json_text(body, indent=1))
    else:
        click.echo(
            explain(
                prepared.plan,
                prepared.criteria_text(),
                prepared.engine_reason,
                prepared.fits_text(),
                failures,
            )
        )
    return 0


@click.command()
@click.argument("name", required=False, shell_complete=metric_names)
@click.option("--search", default=None, metavar="WORD", help="Only metrics that mention WORD.")
def metrics(name: str | None, search: str | None) -> int:
    """List the metrics, or explain the one called NAME (an alias will do)."""
    from evalreport.metrics.catalogue import catalogue, find, suggestion

    if name is None:
        listed = [m for m in catalogue() if search is None or _mentions(m, search)]
        for metric in listed:
            click.echo(_line(metric))
        if not listed:
            click.echo(f"no metric mentions '{search}'; all are listed without --search", err=True)
        return 0
    found = find(name)
    if found is None:
        hint = suggestion(name) or "`evalreport metrics` lists them"
        raise UsageError(f"unknown metric '{name}'; {hint}")
    click.echo(describe(found))
    return 0


def _mentions(metric: Metric, word: str) -> bool:
    text = " ".join((metric.name, *metric.aliases, metric.title, metric.meaning, metric.use))
    return word.casefold() in text.casefold()


def _line(metric: Metric) -> str:
    aliases = f" ({', '.join(metric.aliases)})" if metric.aliases else ""
    return f"{metric.name}{aliases}: {metric.meaning}"


def _advice(metric: Metric) -> str:
    from evalreport.metrics.advice import VAN_CALSTER

    return f"{metric.advice} ({VAN_CALSTER})" if metric.advice is not None else ""


def describe(metric: Metric) -> str:
    """All that is known of a metric, as plain text."""
    from evalreport.metrics.example import shown_formula
    from evalreport.metrics.methods import interval_methods

    rows = [
        ("meaning", metric.meaning),
        ("formula", shown_formula(metric)),
        ("range", _range(metric)),
        (
            "better",
            {"maximize": "higher", "minimize": "lower"}.get(
                metric.goal.value,
                "neither: it describes"
                if metric.goal.value == "describe"
                else f"closer to {metric.best:g}"
                if metric.best is not None
                else "neither",
            ),
        ),
        ("needs", _NEEDS[metric.table.value]),
        ("parameters", "; ".join(_parameter(p) for p in metric.parameters)),
        ("averages", ", ".join(a.value for a in metric.averages) or metric.no_average),
        ("undefined", metric.undefined.format(label="of the class")),
        ("interval", ", ".join(interval_methods(metric)) or "none"),
        ("use it", metric.use),
        ("not", metric.avoid),
        ("in medicine", _advice(metric)),
        ("reference", metric.reference),
    ]
    title = f"{metric.name}: {metric.title}"
    if metric.aliases:
        title += f" (also {', '.join(metric.aliases)})"
    lines = [title, ""]
    for word, text in rows:
        if text:
            lines.append(
                textwrap.fill(
                    text,
                    88,
                    initial_indent=f"  {word:<11} ",
                    subsequent_indent=" " * 14,
                    break_long_words=False,
                    break_on_hyphens=False,
                )
            )
    return "\n".join(lines)


_NEEDS = {
    "counts": "the classification table",
    "matrix": "the classification table",
    "scores": "a score of the class",
    "class_scores": "one score per class",
    "label_sets": "sets of labels",
}


def _range(metric: Metric) -> str:
    low, high = metric.bounds
    return f"{low:g} to {high:g}".replace("inf", "infinity")


def _parameter(parameter: Any) -> str:
    allowed = ", ".join(parameter.choices) if parameter.choices else parameter.range_text()
    default = "required" if parameter.required else f"default {parameter.default}"
    meaning = f"{parameter.meaning}; " if parameter.meaning else ""
    return f"{parameter.name}: {meaning}{allowed}, {default}"


@click.command()
def cautions() -> int:
    """List the cautions a report can carry: code, severity, reason, what to read instead."""
    from evalreport.engine.cautions.catalogue import rows

    for row in rows():
        click.echo(f"{row['code']} ({row['severity']}): {row['title']}")
        for word, key in (("when", "when"), ("why", "why"), ("read instead", "read_instead")):
            click.echo(
                textwrap.fill(
                    f"{word}: {row[key]}", 88, initial_indent="  ", subsequent_indent="    "
                )
            )
    return 0


@click.command()
@click.argument("which", type=click.Choice(["spec", "results"]))
def schema(which: str) -> int:
    """Print the JSON Schema of the spec (for completion in editors) or of results.json."""
    if which == "spec":
        from evalreport.spec.schema import spec_schema

        body = spec_schema()
    else:
        from evalreport.results.codec import results_schema

        body = results_schema()
    click.echo(json.dumps(body, indent=2, ensure_ascii=False))
    return 0


def annotation(problem: Problem, kind: str = "error") -> str:
    """One workflow command; what would end or split it is escaped.

    >>> from evalreport.errors import Location
    >>> annotation(Problem("unknown key 'x'", "remove it", Location("a.yaml", 3, 7)))
    "::error file=a.yaml,line=3,col=7,title=evalreport::unknown key 'x'; remove it"
    """
    properties = {"title": "evalreport"}
    where = problem.where
    if where is not None:
        places = {"file": where.file, "line": where.line, "col": where.column}
        properties = {k: str(v) for k, v in places.items() if v is not None} | properties
    told = one_line(f"{problem.what}; {problem.instead}" if problem.instead else problem.what)
    inside = ",".join(f"{key}={_property(one_line(value))}" for key, value in properties.items())
    return f"::{kind} {inside}::{_message(told)}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
