"""Whether labels are missing by what was predicted: partial verification, and what it spoils.

Where a label was looked for more often in some predictions than in others, the rows that have
one are no fair sample: recall, specificity and whatever else mixes rows of several
predictions is off, often far (Begg C., Greenes R. Biometrics 39, 1983). Values within one
predicted class are not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evalreport.engine.printed_table import PrintedTable
from evalreport.metrics.catalogue import find
from evalreport.metrics.methods import Family, family_of
from evalreport.results.records import Criterion
from evalreport.statistics.unpaired import fisher_exact, heterogeneity

#: Below this p-value labels are taken to be missing by prediction.
BELOW = 0.001
#: Tables of more rows are tested by chi-square, which is exact enough then.
MOST_EXACT = 100_000

Key = tuple[str, str]


@dataclass(frozen=True)
class Verification:
    """Rows with a label, of all rows, by predicted class; p-value of their being alike."""

    labels: tuple[str, ...]
    known: tuple[float, ...]
    rows: tuple[float, ...]
    p_value: float

    @property
    def by_prediction(self) -> bool:
        """Whether the labels that are missing follow the prediction."""
        return self.p_value < BELOW


def verification(record: PrintedTable) -> Verification | None:
    """The test of "has a label" by "predicted class"; None where no label is missing.

    None, too, where rows are weighted: what is missing cannot be counted then.
    """
    table, missing = record.table, record.missing
    if missing is None or table.squares is not None:
        return None
    unknown = [float(n) for n in missing.without_target]
    names = (*table.labels, *table.extra)
    known = [0.0] * len(names)
    for (_, predicted), count in table.cells.items():
        known[predicted] += float(count)
    held = [k for k in range(len(names)) if known[k] + unknown[k] > 0]
    if not math.fsum(unknown) or len(held) < 2:
        return None
    rows = [known[k] + unknown[k] for k in held]
    labelled = [known[k] for k in held]
    p = _p_value(labelled, rows)
    if p is None:
        return None
    return Verification(tuple(names[k] for k in held), tuple(labelled), tuple(rows), p)


def _p_value(known: Sequence[float], rows: Sequence[float]) -> float | None:
    if len(rows) == 2 and sum(rows) <= MOST_EXACT:
        return fisher_exact(int(known[0]), int(rows[0]), int(known[1]), int(rows[1]))
    found = heterogeneity(known, rows)
    return None if found is None else found.p_value


def spoilt(tables: Sequence[PrintedTable]) -> dict[Key, Verification]:
    """The datasets and models whose labels are missing by prediction, by their first table."""
    found: dict[Key, Verification] = {}
    seen: set[Key] = set()
    for record in tables:
        key = (record.dataset, record.model)
        if record.label is not None or record.where.subgroup or record.where.fold or key in seen:
            continue
        seen.add(key)
        told = verification(record)
        if told is not None and told.by_prediction:
            found[key] = told
    return found


def not_passed(judged: Sequence[Criterion], flawed: Mapping[Key, Verification]) -> list[Criterion]:
    """The criteria, none of them passed on a value that partial verification spoils."""
    found = []
    for entry in judged:
        told = flawed.get((str(entry.dataset), str(entry.model)))
        if told is None or entry.outcome != "pass" or _within_predictions(entry):
            found.append(entry)
            continue
        reason = (
            f"missing labels depend on the prediction ({'; '.join(shares(told))}), and the spec "
            "does not state how rows were chosen: "
            "sampling: {verified: column, strata: [predicted]}"
        )
        found.append(replace(entry, outcome="not_evaluated", reason=reason))
    return found


def shares(told: Verification) -> list[str]:
    """How many rows of each predicted class have a label, in words."""
    return [
        f"{label}: {int(known)} of {int(rows)} have one"
        for label, known, rows in zip(told.labels, told.known, told.rows, strict=True)
    ]


def _within_predictions(entry: Criterion) -> bool:
    """Whether a value is of the rows of one predicted class, as precision is."""
    metric = find(entry.metric)
    return metric is not None and family_of(metric, None) is Family.CALLS
