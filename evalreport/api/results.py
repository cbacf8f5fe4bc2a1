"""What an evaluation gives: frames, the report in every format, a run folder."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalreport.errors import Problem, UsageError, did_you_mean, explained
from evalreport.results.records import HELD

if TYPE_CHECKING:
    import pandas as pd

    from evalreport.api.plot import Plots
    from evalreport.engine.prepared import Prepared
    from evalreport.results.lookup import Results as Records
    from evalreport.results.records import Comparison, Measure, Table

#: How a notebook shows the page: as wide as text is read, as high as a screen.
_FRAME = (
    "<iframe title=\"Evaluation report\" srcdoc='{page}' "
    'style="width:100%;max-width:1100px;min-width:320px;height:80vh;min-height:480px;'
    'border:1px solid #d0d0d0"></iframe>'
)
_WHOLE = "<p>The whole report: <code>results.save(folder)</code>, or <code>to_html()</code>.</p>"
_MEASURES = ("metric", "model", "value", "low", "high", "n", "method")
#: What :meth:`Results.summary` tells measures apart by, beside the columns that come first.
_SUMMARY = (
    *_MEASURES,
    "dataset",
    "params",
    "average",
    "label",
    "threshold",
    "threshold_rule",
    "state",
    "reason",
    "over",
)
_CRITERIA = (
    "criterion",
    "text",
    "dataset",
    "model",
    "subgroup",
    "threshold",
    "bound",
    "required",
    "observed",
    "outcome",
    "reason",
    "measure",
)
_COMPARISONS = (
    "dataset",
    "subgroup",
    "fold",
    "threshold",
    "metric",
    "params",
    "average",
    "label",
    "model",
    "reference",
    "difference",
    "low",
    "high",
    "test",
    "statistic",
    "p_value",
    "p_adjusted",
    "correction",
)
_CAUTIONS = ("code", "severity", "message", "dataset", "model", "measure", "table")


@dataclass(frozen=True, eq=False)
class Ran:
    """An evaluation of this process: what was prepared, its clock, the rows handed over."""

    prepared: Prepared
    when: datetime
    frames: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Results:
    """The results of one evaluation; a notebook shows them as the report's page.

    ``json`` is what ``results.json`` holds.

    >>> from evalreport import evaluate
    >>> results = evaluate(["ill", "well", "ill", "well"], y_pred=["ill", "well", "well", "well"],
    ...                    positive="ill", metrics=["recall"])
    >>> print(results)  # doctest: +ELLIPSIS
    Evaluation of model
    <BLANKLINE>
    positive class: ill
    <BLANKLINE>
    model     value  95 % limits      n
      Recall  0.500  0.0945 to 0.905  1 / 2  Wilson
    <BLANKLINE>
    1 warning: results.cautions
    >>> results["recall"].value, results["sensitivity"].method
    (0.5, 'wilson')
    >>> results.measures[["metric", "numerator", "denominator"]].to_dict("records")
    [{'metric': 'recall', 'numerator': 1, 'denominator': 2}]
    >>> results.table().loc["ill"].to_dict()
    {'ill': 1, 'well': 1}
    """

    json: Mapping[str, Any]
    _ran: Ran | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        """The measures of :meth:`summary` as a table of text, by model."""
        from evalreport.report.printed import printed

        return printed(self.records)

    def __getitem__(self, key: str | tuple[str, ...]) -> Headline:
        """The measure of a metric that stands at the head: ``results["recall"]``.

        Of all rows, at the first threshold, by name or alias: with two classes that of the
        positive one, with more the value over all classes, else the first average. Where there
        are several models, or datasets, they are named too: ``results["recall", "forest"]``.
        Indeterminate predictions count against it. Raises KeyError.
        """
        from evalreport.api.headline import found

        own = found(self.records, key if isinstance(key, tuple) else (key,))
        return Headline(own, self)

    def __iter__(self) -> Iterator[str]:
        """The names of the metrics of :meth:`summary`."""
        return iter(dict.fromkeys(self.summary().metric))

    def __contains__(self, key: object) -> bool:
        """Whether a metric was measured, by name or alias; of a model, where one is named."""
        from evalreport.metrics.catalogue import find

        if isinstance(key, tuple):
            try:
                return self[key] is not None
            except KeyError:
                return False
        declared = find(str(key))
        return declared is not None and declared.name in list(self)

    def summary(self) -> pd.DataFrame:
        """The same rows as a frame: one for each metric of every model.

        A mean over folds or readers is a row of its own, and ``over`` says so.
        """
        from evalreport.report.contents import Contents
        from evalreport.report.headline import headline_of

        rows = [row for own in headline_of(Contents(self.records)).values() for row in own]
        return _frame([_row(r.record) | {"over": r.over} for r in rows], _MEASURES)[[*_SUMMARY]]

    @cached_property
    def records(self) -> Records:
        """The same as typed records: ``results.records.measure("m1").interval``.

        Raises FilesError where ``json`` is not what ``results.json`` holds.
        """
        from evalreport.results.codec import decode

        return decode(self.json)

    @cached_property
    def measures(self) -> pd.DataFrame:
        """One row per number: metric, model, value, limits, rows, method, then the rest."""
        return _frame([_row(m) for m in self.records.measures], _MEASURES)

    @cached_property
    def criteria(self) -> pd.DataFrame:
        """One row per acceptance criterion: what was required and observed, and its outcome."""
        return _frame([_plain(entry) for entry in self.records.acceptance], _CRITERIA)

    @cached_property
    def comparisons(self) -> pd.DataFrame:
        """One row per difference of two models: its size, limits ``low`` and ``high``, test."""
        rows = [{**_plain(entry), **_limits(entry)} for entry in self.records.comparisons]
        return _frame(rows, _COMPARISONS)

    @cached_property
    def cautions(self) -> pd.DataFrame:
        """One row per caution: its code, severity, message, and what it is about."""
        return _frame([_plain(caution) for caution in self.records.cautions], _CAUTIONS)

    @property
    def plot(self) -> Plots:
        """The charts of the report on axes of one's own: ``results.plot.roc(ax)``."""
        from evalreport.api.plot import Plots

        return Plots(self.records)

    def table(
        self,
        model: str | None = None,
        *,
        dataset: str | None = None,
        threshold: float | None = None,
    ) -> pd.DataFrame:
        """A classification table of all rows: actual classes down, predicted ones across.

        The first that fits; of the first model, dataset and threshold unless they are
        named. Raises UsageError where there is none.
        """
        tables = [t for t in self.records.tables if not t.subgroup and t.fold is None]
        wanted = {"model": model, "dataset": dataset, "threshold": threshold}
        for key, value in wanted.items():
            if value is not None:
                known = [str(getattr(t, key)) for t in tables]
                tables = [t for t in tables if getattr(t, key) == value]
                if not tables:
                    hint = did_you_mean(str(value), known, f"{key}s")
                    raise UsageError(Problem(f"there is no table of the {key} {value}", hint))
        if not tables:
            raise UsageError(Problem("there is no classification table", "labels, or a score"))
        return _counts(tables[0])

    @property
    def accepted(self) -> bool:
        """Whether every acceptance criterion passed (true where there is none) and nothing failed.

        A part that failed, such as a model that could not be trained, is in ``json["failures"]``.
        """
        held = all(entry.outcome in HELD for entry in self.records.acceptance)
        return held and not self.records.failures

    @property
    def spec(self) -> str:
        """The spec as YAML text that gives the same results.

        Rows that were handed over in memory are files for it: :meth:`save_spec` writes both.
        """
        written = self.records.provenance.spec
        return "" if written is None else written.text

    def to_html(self, template: str | None = None) -> str:
        """The report as one HTML page; ``template`` is one of ``evalreport templates``."""
        if template is None:
            return self._page
        from evalreport.render.html import render_html

        return render_html(self.records, template)

    @cached_property
    def _page(self) -> str:
        from evalreport.render.html import render_html

        return render_html(self.records, self._template_name)

    def to_markdown(self) -> str:
        """The summary as Markdown, for a comment or a notebook's cell."""
        from evalreport.report.markdown import summary_markdown

        return summary_markdown(self.records)

    def to_pdf(self, path: str | os.PathLike[str]) -> Path:
        """Write the report as a PDF to ``path``, with results and spec attached; the path.

        Raises FilesError where it cannot be written, RenderingError where the libraries
        of the PDF's writer are missing.
        """
        from evalreport.render.html import render_html
        from evalreport.render.pdf import render_pdf
        from evalreport.runs.hashing import canonical_json

        report = self.records.spec.get("report") or {}
        attached = {
            "results.json": canonical_json(dict(self.json)),
            "spec.yaml": self.spec.encode("utf-8"),
        }
        made = render_pdf(
            render_html(self.records, self._template_name, paper=True),
            variant=(report.get("pdf") or {}).get("variant", "pdf/a-3a"),
            attachments=attached,
            at=datetime.fromisoformat(self.records.provenance.at),
            page=report.get("page_size", "a4"),
        )
        return _write(Path(path), made)

    def save(
        self, runs: str | os.PathLike[str] = "runs", formats: Sequence[str] | None = None
    ) -> Path:
        """Publish the evaluation as a run folder in ``runs``, as the command does; the folder.

        It has results, report, manifest and a line in the history, so ``evalreport
        verify``, ``history`` and ``diff`` work on it. ``formats`` are those of the spec by
        default (HTML and PDF, the latter where its library is installed). Raises FilesError,
        ConflictError, or RenderingError for a format that was asked for and cannot be drawn;
        the rest is published all the same.
        """
        from evalreport.publish.folder import check_positive, published, template_of
        from evalreport.publish.formats import (
            DrawingOptions,
            check_formats,
            drawn,
            named_formats,
            without_default_pdf,
        )
        from evalreport.runs.hashing import canonical_json
        from evalreport.runs.runs import check_runs

        ran = self._evaluation("save(runs)")
        loaded, report = ran.prepared.loaded, ran.prepared.loaded.spec.report
        asked = check_formats(tuple(formats) if formats is not None else tuple(report.formats))
        folder = Path(runs)
        check_runs(folder)
        check_positive(folder, ran.prepared)
        options = DrawingOptions(
            formats=asked,
            template=template_of(loaded),
            when=ran.when,
            variant=report.pdf.variant,
            page_size=report.page_size,
            spec_text=loaded.text,
        )
        made = drawn(canonical_json(dict(self.json)), options, lambda _what, _total: None)
        if formats is None and not named_formats(loaded.document.root):
            without_default_pdf(made)
        run = published(folder, ran.prepared, self.records, made.files, ran.when)
        if made.problems:
            raise made.problems[0]
        return run

    def save_spec(self, folder: str | os.PathLike[str]) -> Path:
        """Write the spec as ``spec.yaml``, with the rows handed over in memory beside it.

        ``evalreport run`` on the file gives the same numbers. Returns the spec's path.
        Raises UsageError where the spec names no CSV file for such rows.
        """
        import pandas as pd

        ran = self._evaluation("save_spec(folder)")
        spec = ran.prepared.loaded.spec
        target = Path(folder)
        for name, rows in ran.frames.items():
            path = spec.datasets[name].path
            if not isinstance(path, str) or not path.endswith(".csv"):
                hint = f"path: {name}.csv, in the dataset"
                raise UsageError(Problem(f"the spec names no CSV file for '{name}'", hint))
            text = pd.DataFrame(rows).to_csv(index=False, lineterminator="\n")
            _write(target / path, text.encode("utf-8"))
        return _write(target / "spec.yaml", self.spec.encode("utf-8"))

    def _repr_html_(self) -> str:
        """How a notebook shows the results: the quick page in a frame, and how to get the whole."""
        # what ends the attribute, and what begins a character's name: nothing else has to grow
        page = self.to_html("quick").replace("&", "&amp;").replace("'", "&#39;")
        return _FRAME.format(page=page) + _WHOLE

    @property
    def _template_name(self) -> str | Path | None:
        """The template of the spec, where its evaluation is at hand."""
        from evalreport.publish.folder import template_of

        return None if self._ran is None else template_of(self._ran.prepared.loaded)

    def _evaluation(self, what: str) -> Ran:
        if self._ran is None:
            hint = "results of run() or evaluate() in this process"
            raise UsageError(Problem(f"{what} needs the evaluation, not only its results", hint))
        return self._ran


@dataclass(frozen=True, eq=False)
class Headline:
    """A measure that stands at the head: its value, limits, rows and classification table."""

    record: Measure
    _results: Results = field(repr=False)

    @property
    def value(self) -> float | None:
        """The value; None where there is none, and ``record.reason`` says why."""
        return self.record.value

    @property
    def low(self) -> float | None:
        """The lower limit of its interval; None without one."""
        return None if self.record.interval is None else self.record.interval.low

    @property
    def high(self) -> float | None:
        """The upper limit of its interval; None without one."""
        return None if self.record.interval is None else self.record.interval.high

    @property
    def n(self) -> int:
        """The rows that are used."""
        return self.record.n

    @property
    def method(self) -> str | None:
        """The method of its interval; None without one."""
        return None if self.record.interval is None else self.record.interval.method

    @property
    def table(self) -> pd.DataFrame | None:
        """The classification table beside it: actual classes down, predicted ones across."""
        id_ = self.record.table
        return None if id_ is None else _counts(self._results.records.table(id_))

    def __float__(self) -> float:
        """The value, NaN where there is none."""
        return math.nan if self.value is None else self.value

    def __repr__(self) -> str:
        from evalreport.report.printed import one_line

        return one_line(self._results.records, self.record)


def _counts(table: Table) -> pd.DataFrame:
    """The counts of a classification table as a frame."""
    import pandas as pd

    columns = [*table.labels, *table.extra_columns]
    counts: list[list[float | None]] = [list(row) for row in table.counts or ()]
    if table.counts is None:
        counts = [[0] * len(columns) for _ in table.labels]
        for actual, predicted, count in table.cells or ():
            counts[actual][predicted] = count
    return pd.DataFrame(
        counts,
        index=pd.Index(table.labels, name="actual"),
        columns=pd.Index(columns, name="predicted"),
    )


def _row(m: Measure) -> dict[str, Any]:
    """A measure as a row of a frame; parameters and subgroup stand behind all others."""
    own = _plain(m)
    of = {name: own.pop(name) for name in ("params", "subgroup")}
    method = None if m.interval is None else m.interval.method
    return {**own, **of, **_limits(m), "method": method}


def _plain(record: Any) -> dict[str, Any]:
    """A record as a row of a frame; its interval stands in columns of their own."""
    from evalreport.results.codec import encode

    written = encode(record)
    written.pop("interval", None)
    return written


def _limits(record: Measure | Comparison) -> dict[str, float | None]:
    interval = record.interval
    return {
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
    }


def _frame(rows: Sequence[Mapping[str, Any]], columns: tuple[str, ...]) -> pd.DataFrame:
    """Records as a frame; ``columns`` come first, and are there where there is no record."""
    import pandas as pd

    names = dict.fromkeys([*columns, *(key for row in rows for key in row)])
    return pd.DataFrame([{k: row.get(k) for k in names} for row in rows], columns=list(names))


def _write(path: Path, body: bytes) -> Path:
    with explained("cannot be written", path, "a folder to write in"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    return path
