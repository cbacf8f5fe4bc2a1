"""Files and frames to checked tables: every row used, or excluded for a stated reason.

source   a regular file and its hash          read     a file to a RawTable
frames   tables handed over in memory         roles    what columns are for
labels   classes and their order              checked  rows a model can use
"""

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
