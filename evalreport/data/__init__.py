"""Files and frames to checked tables: every row used, or excluded for a stated reason.

source   a regular file and its hash          read     a file to a RawTable
frames   tables handed over in memory         roles    what columns are for
labels   classes and their order              checked  rows a model can use
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalreport.data.checked import Checked, check
    from evalreport.data.findings import Finding
    from evalreport.data.frames import read_frame
    from evalreport.data.limits import DEFAULT_LIMITS, Limits
    from evalreport.data.read import ColumnNames, column_names, read_table
    from evalreport.data.roles import Roles, Rules
    from evalreport.data.source import Source, open_source
    from evalreport.data.table import RawColumn, RawTable
    from evalreport.data.types import ColumnType, with_types

__all__ = [
    "DEFAULT_LIMITS",
    "Checked",
    "ColumnNames",
    "ColumnType",
    "Finding",
    "Limits",
    "RawColumn",
    "RawTable",
    "Roles",
    "Rules",
    "Source",
    "check",
    "column_names",
    "open_source",
    "read_frame",
    "read_table",
    "with_types",
]

#: Loaded when they are asked for: a look at a header needs no numpy.
_HOMES = {
    "Checked": "checked",
    "ColumnNames": "read",
    "ColumnType": "types",
    "DEFAULT_LIMITS": "limits",
    "Finding": "findings",
    "Limits": "limits",
    "RawColumn": "table",
    "RawTable": "table",
    "Roles": "roles",
    "Rules": "roles",
    "Source": "source",
    "check": "checked",
    "column_names": "read",
    "open_source": "source",
    "read_frame": "frames",
    "read_table": "read",
    "with_types": "types",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(name)
    return getattr(import_module(f"evalreport.data.{_HOMES[name]}"), name)
