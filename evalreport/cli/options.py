"""Arguments and options that several commands have; what the operator trusts is among them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from evalreport.errors import Problem, UsageError, did_you_mean

Option = Callable[[Any], Any]

FILE = click.Path(path_type=Path)
SPEC = click.argument("spec", type=FILE)
SPECS = click.argument("specs", nargs=-1, required=True, type=FILE, metavar="SPEC...")
SET = click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY.PATH=VALUE",
    help="Override a value of the spec; may be given more than once.",
)
ALLOW_IMPORT = click.option(
    "--allow-import",
    "allowed",
    multiple=True,
    metavar="PACKAGE",
    help="Admit the classifiers of an installed package as estimators.",
)
AT = click.option("--at", default=None, metavar="TIME", help="The time, as for run.")
QUIET = click.option("--quiet", is_flag=True, help="Print nothing but problems.")


def json_option(told: str) -> Option:
    """``--json``, for the answer as data."""
    return click.option("--json", "as_json", is_flag=True, help=told)


def path_option(*names: str, metavar: str, told: str, default: Path | None = None) -> Option:
    """An option that names a file or folder."""
    return click.option(*names, type=FILE, default=default, metavar=metavar, help=told)


def listed(of: str, kind: str, requested: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """The parts of a text with commas. Raises UsageError for one that is not ``known``."""
    found = tuple(part.strip() for part in requested.split(",") if part.strip())
    for one in found:
        if one not in known:
            hint = did_you_mean(one, known, f"{kind}s")
            raise UsageError(Problem(f"{of} has no {kind} '{one}'", hint))
    return found


def _granted(_context: click.Context, _option: click.Parameter, words: Any) -> tuple[str, ...]:
    from evalreport.predict.trust import granted

    return granted(words, os.environ)


#: For every command that may load a saved model.
TRUST = click.option(
    "--trust", "trusted", multiple=True, metavar="NAME", callback=_granted,
    help="Trust a type in saved models by its full name, or the classes of a package; @FILE: a "
    "list of them. The file that EVALREPORT_TRUST names counts too.",
)  # fmt: skip

#: Dialects in which the queries of a plan are printed.
DIALECTS = (
    "postgres", "sqlite", "duckdb", "snowflake", "spark", "bigquery", "databricks", "mysql", "tsql",
    "sas",
)  # fmt: skip
#: Engines that may be asked for.
ENGINES = ("auto", "memory", "duckdb", "database", "spark")
#: For every command that may ask a database or a cluster.
ALLOW_HOST = click.option(
    "--allow-host", "hosts", multiple=True, metavar="HOST",
    help="Let the spec name databases and clusters at HOST (or HOST:PORT), in addition to those "
    "of this computer: passwords and data go there; or a bucket of an object store, as "
    "s3://BUCKET.",
)  # fmt: skip
