"""What a run holds on an item of a checklist, in words that can be checked on the page.

An item is filled from the run only by what one of these functions finds; each names the thing
itself, so that a reader sees what the item rests on. Where a run holds nothing, it is ``""``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from evalreport.report.contents import Contents
from evalreport.report.numbers import count_text, threshold_text
from evalreport.report.words import counted, label_text, listed, method_text, prose, visible
from evalreport.results.records import (
    Characteristics,
    Comparison,
    Criterion,
    Declared,
    Heterogeneity,
    Impact,
    ModelIdentity,
    RowLedger,
)

#: Names that are listed; of more the number is said.
MOST_NAMES = 6


def shown(contents: Contents, names: Iterable[str]) -> str:
    """What the run holds of these things, in a sentence; empty where it holds none."""
    found = [said for name in names if name in FINDERS and (said := FINDERS[name](contents))]
    return "; ".join(dict.fromkeys(found))


def model_identity(contents: Contents) -> str:
    """The models that the spec defines so that they can be made again; none that are columns."""
    models = contents.spec.get("models") or {}
    told = []
    stated = {one.model: one for one in contents.results.provenance.models}
    for name, declared in models.items():
        if name in stated:
            told.append(f"{label_text(name)}: {identity_text(stated[name])}")
            continue
        known = declared if isinstance(declared, Mapping) else {}
        if known.get("estimator"):
            params = ", ".join(f"{k} {v}" for k, v in (known.get("params") or {}).items())
            kind = f"{known['estimator']}, {params or 'its default parameters'}"
        elif isinstance(known.get("linear"), Mapping):
            weights = known["linear"].get("weights") or {}
            kind = f"linear, {counted(len(weights), 'weight')} and the bias in the spec"
        else:
            # a column of predictions says nothing of what made them
            return ""
        told.append(f"{label_text(name)}: {prose(kind)}")
    return _few(told)


def identity_text(identity: ModelIdentity) -> str:
    """What is known of which model it was, the source of its hash said."""
    parts = [] if identity.version is None else [f"version {visible(identity.version)}"]
    if identity.file is not None:
        parts.append(f"file {visible(identity.file)}")
    if identity.sha256 is not None:
        declared = "" if identity.sha256_of == "file" else " (declared in the spec)"
        parts.append(f"sha256 {identity.sha256}{declared}")
    if identity.repository is not None:
        parts.append(f"code in {visible(identity.repository)}")
    if identity.revision is not None:
        parts.append(f"revision {visible(identity.revision)}")
    if identity.trained_on is not None:
        parts.append(f"trained on {label_text(identity.trained_on)}")
    return ", ".join(parts)


def _thresholds(contents: Contents) -> str:
    found = dict.fromkeys(
        f"{threshold_text(t.threshold)} "
        f"{'found on these rows' if t.status == 'exploratory' else 'declared'}"
        for view in contents.views
        for t in contents.thresholds(view)
        if t.threshold is not None
    )
    return f"thresholds: {_few(list(found))}" if found else ""


def _rows(contents: Contents) -> str:
    found = dict.fromkeys(
        f"{label_text(r.dataset)}: {count_text(r.read)} rows read, "
        f"{count_text(r.read - r.used)} excluded, {count_text(r.used)} used"
        for r in contents.of(RowLedger)
    )
    return _few(list(found))


def _missing(contents: Contents) -> str:
    if not contents.of(RowLedger):
        return ""
    found = dict.fromkeys(
        f"{count_text(lost.count)} rows excluded: {prose(lost.reason)}"
        for r in contents.of(RowLedger)
        for lost in r.excluded
    )
    return _few(list(found)) or "no row was excluded for a value that is missing"


def _indeterminate(contents: Contents) -> str:
    if not contents.tables:
        return ""
    names: dict[str, None] = {}
    for table in contents.tables.values():
        names |= dict.fromkeys(table.extra_columns)
    if names:
        return f"counted apart: {_few([label_text(n) for n in names])}"
    return "no prediction was declared to be indeterminate"


def _measures(contents: Contents) -> str:
    own = [m for m in contents.measures if m.state == "value"]
    intervals = sum(bool(m.interval) for m in own)
    return f"{counted(len(own), 'value')}, {intervals} with an interval" if own else ""


def _metrics(contents: Contents) -> str:
    names = dict.fromkeys(contents.heading(m, averaged=False) for m in contents.measures)
    return f"metrics: {_few(list(names))}" if names else ""


def _methods(contents: Contents) -> str:
    methods = [m.interval.method for m in contents.measures if m.interval]
    tests = [c.test for c in contents.of(Comparison) if c.test]
    names = dict.fromkeys(method_text(str(name)) for name in (*methods, *tests))
    return f"intervals and tests: {_few(list(names))}" if names else ""


def _tables(contents: Contents) -> str:
    number = len(contents.tables)
    return counted(number, "classification table") if number else ""


def _subgroups(contents: Contents) -> str:
    periods = contents.period_columns
    columns = dict.fromkeys(tuple(m.subgroup) for m in contents.measures if m.subgroup)
    names = [" and ".join(map(label_text, c)) for c in columns if c not in periods]
    return f"by {_few(names)}" if names else ""


def _heterogeneity(contents: Contents) -> str:
    tests = [t for t in contents.of(Heterogeneity) if t.p_value is not None]
    return counted(len(tests), "test") + " of equal values in all groups" if tests else ""


def _characteristics(contents: Contents) -> str:
    names = dict.fromkeys(
        label_text(column.column)
        for record in contents.of(Characteristics)
        for column in record.columns or ()
    )
    return _few(list(names))


def _criteria(contents: Contents) -> str:
    number = len({c.criterion for c in contents.of(Criterion)})
    read = contents.results.provenance.clock == "read"
    when = "" if read else "; the time of the run was given, so that it shows no order in time"
    return f"{counted(number, 'criterion', 'criteria')} in the spec{when}" if number else ""


def _declared(contents: Contents) -> str:
    number = len(contents.of(Declared))
    return counted(number, "declared value") if number else ""


def _impact(contents: Contents) -> str:
    names = [" and ".join(map(label_text, r.columns)) for r in contents.of(Impact)]
    return f"by {_few(list(dict.fromkeys(names)))}" if names else ""


def _folds(contents: Contents) -> str:
    scheme = contents.spec.get("cross_validation") or {}
    if not scheme:
        return ""
    folds = scheme.get("folds")
    of = f", {folds} folds" if folds else ""
    return f"cross-validation: {prose(str(scheme.get('scheme')).replace('_', ' '))}{of}"


def _inputs(contents: Contents) -> str:
    names = [
        f"{label_text(entry.name or 'data')}, sha256 {entry.sha256[:12]}"
        for entry in contents.results.provenance.inputs
        if entry.sha256
    ]
    return _few(names)


def _clock(contents: Contents) -> str:
    record = contents.results.provenance
    given = " (given to the run)" if record.clock != "read" else ""
    return f"{prose(record.at)}{given}" if record.at else ""


def _few(names: list[str]) -> str:
    more = len(names) - MOST_NAMES
    return listed([*names[:MOST_NAMES], f"{more} more"] if more > 0 else names) if names else ""


FINDERS: Mapping[str, Callable[[Contents], str]] = {
    "acceptance": _criteria,
    "characteristics": _characteristics,
    "clock": _clock,
    "declared": _declared,
    "folds": _folds,
    "heterogeneity": _heterogeneity,
    "impact": _impact,
    "indeterminate": _indeterminate,
    "inputs": _inputs,
    "measures": _measures,
    "methods": _methods,
    "metrics": _metrics,
    "missing": _missing,
    "model": model_identity,
    "rows": _rows,
    "subgroups": _subgroups,
    "tables": _tables,
    "thresholds": _thresholds,
}
