"""The Python interface: the same evaluation as the command, as values in memory."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

Spec = "str | os.PathLike[str] | Mapping[str, Any]"


@dataclass(frozen=True, eq=False)
class Results:
    """The results of one evaluation; a notebook shows them as the report's page.

    ``json`` is what ``results.json`` holds.
    """

    json: Mapping[str, Any]

    def __repr__(self) -> str:
        """One line; all of ``json`` would fill a terminal."""
        title, count = self.json["title"], len(self.json["measures"])
        criteria = self.json["acceptance"]
        passed = sum(entry["outcome"] == "pass" for entry in criteria)
        judged = f", {passed} of {len(criteria)} criteria passed" if criteria else ""
        return f"<Results {title!r}: {count} measures{judged}>"

    @cached_property
    def measures(self) -> pd.DataFrame:
        """One row per number: dataset, model, metric, value, limits, counts, formula."""
        import pandas as pd

        rows = []
        for m in self.json["measures"]:
            interval = m["interval"] or {}
            rows.append(
                {
                    **{k: v for k, v in m.items() if k not in ("interval", "subgroup", "params")},
                    "params": dict(m["params"]),
                    "subgroup": dict(m["subgroup"]),
                    "low": interval.get("low"),
                    "high": interval.get("high"),
                    "method": interval.get("method"),
                }
            )
        return pd.DataFrame(rows)

    @property
    def accepted(self) -> bool:
        """Whether every acceptance criterion passed (true where there is none)."""
        return all(entry["outcome"] == "pass" for entry in self.json["acceptance"])

    def to_html(self, template: str | None = None) -> str:
        """The report as one HTML page."""
        from evalreport.render.html import render_html

        return render_html(dict(self.json), template)

    def _repr_html_(self) -> str:
        """How a notebook shows the results: the page, in a frame of its own."""
        from html import escape

        page = escape(self.to_html(), quote=True)
        return (
            f'<iframe title="Evaluation report" srcdoc="{page}" '
            'style="width:100%;height:80vh;border:0"></iframe>'
        )


def run(
    spec: str | os.PathLike[str] | Mapping[str, Any],
    *,
    frames: Mapping[str, Any] | None = None,
    overrides: tuple[str, ...] = (),
    engine: str = "auto",
    at: str | None = None,
) -> Results:
    """Evaluate a spec and return the results; nothing is written.

    Args:
        spec: path of a spec file, or the spec itself as a mapping.
        frames: rows of datasets by name, as pandas data frames or mappings of
            columns, instead of the files the spec names.
        overrides: texts such as ``confidence.level=0.9``.
        engine: ``auto``, ``memory``, ``duckdb`` or ``spark``.
        at: the clock as ISO 8601 text; else SOURCE_DATE_EPOCH, else now.

    Raises:
        SpecError: every mistake of the spec.
        DataError: every mistake of the data.
        FilesError: a file could not be read.

    >>> result = run(
    ...     {
    ...         "evalreport": 1,
    ...         "datasets": {"d": {"target": "y"}},
    ...         "models": {"m": {"prediction": "p"}},
    ...         "metrics": ["accuracy"],
    ...     },
    ...     frames={"d": {"y": ["cat", "dog", "cat", "cat"], "p": ["cat", "dog", "cat", "dog"]}},
    ... )
    >>> result.json["measures"][0]["substituted"]
    '(1 + 2) / (1 + 1 + 0 + 2)'
    """
    from evalreport.engine.prepare import prepare
    from evalreport.engine.run import evaluate
    from evalreport.record.clock import clock_text, read_clock
    from evalreport.spec.load import load_spec, parse_spec

    given = tuple(frames or ())
    if isinstance(spec, Mapping):
        loaded = parse_spec(
            json.dumps(spec, ensure_ascii=False, indent=1), "spec", overrides, frames=given
        )
    else:
        loaded = load_spec(Path(spec), overrides, frames=given)
    when = read_clock(at, os.environ)
    prepared = prepare(loaded, frames, engine)
    return Results(evaluate(prepared, clock_text(when)))
