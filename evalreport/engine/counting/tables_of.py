"""The tables of a view: of one class in each row, or of sets of labels."""

from __future__ import annotations

from typing import overload

from evalreport.engine.counting.memory import MemoryTables
from evalreport.engine.counting.set_tables import SetTables
from evalreport.predict.label_sets import SetView
from evalreport.predict.view import LabelView, View


@overload
def tables_of(view: LabelView) -> MemoryTables: ...
@overload
def tables_of(view: View) -> MemoryTables | SetTables: ...


def tables_of(view: View) -> MemoryTables | SetTables:
    """The tables of one dataset and model."""
    if isinstance(view, SetView):
        return SetTables(view)
    assert isinstance(view, LabelView)
    return MemoryTables(view)
