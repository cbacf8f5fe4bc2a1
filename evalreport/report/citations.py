"""Where the methods of intervals and tests are from: the paper of each, cited by the report.

Each bears its source where it is declared (``metrics/methods.py``).
"""

from __future__ import annotations

from collections.abc import Iterable

from evalreport.metrics.methods import METHODS
from evalreport.report.words import method_text


def _source(method: str) -> str:
    declared = METHODS.get(method)
    return "" if declared is None else declared.source


class References:
    """Numbered sources, in the order in which they are cited."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def cite(self, source: str) -> str:
        """The number of a source in brackets; nothing where there is none.

        >>> found = References()
        >>> found.cite("Wilson E., 1927."), found.cite(""), found.cite("Wilson E., 1927")
        ('[1]', '', '[1]')
        """
        source = source.rstrip(".")
        return f"[{self._numbers.setdefault(source, len(self._numbers) + 1)}]" if source else ""

    def methods(self, names: Iterable[str]) -> str:
        """Methods by their names, each with the number of its source.

        >>> References().methods(["wilson", "wald"])
        'Wilson [1], Wald'
        """
        said = (f"{method_text(name)} {self.cite(_source(name))}".strip() for name in names)
        return ", ".join(dict.fromkeys(said))

    def text(self) -> str:
        """All sources with their numbers; nothing where none is cited."""
        return " ".join(f"[{number}] {source}." for source, number in self._numbers.items())
