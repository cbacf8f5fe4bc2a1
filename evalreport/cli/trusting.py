"""The options that say what the operator trusts; the spec can only ask."""

from __future__ import annotations

import os
from typing import Any

import click


def _granted(_context: click.Context, _option: click.Parameter, words: Any) -> tuple[str, ...]:
    from evalreport.predict.trust import granted

    return granted(words, os.environ)


#: For every command that may load a saved model.
TRUST = click.option(
    "--trust", "trusted", multiple=True, metavar="NAME", callback=_granted,
    help="Trust a type in saved models by its full name, or the classes of a package; @FILE: a "
    "list of them. The file that EVALREPORT_TRUST names counts too.",
)  # fmt: skip

#: For every command that may ask a database or a cluster.
#: Engines that may be asked for.
#: Dialects in which the queries of a plan are printed.
DIALECTS = (
    "postgres", "sqlite", "duckdb", "snowflake", "spark", "bigquery", "databricks", "mysql", "tsql",
    "sas",
)  # fmt: skip
ENGINES = ("auto", "memory", "duckdb", "database", "spark")
ALLOW_HOST = click.option(
    "--allow-host", "hosts", multiple=True, metavar="HOST",
    help="Let the spec name databases and clusters at HOST (or HOST:PORT), in addition to those "
    "of this computer: passwords and data go there; or a bucket of an object store, as "
    "s3://BUCKET.",
)  # fmt: skip
