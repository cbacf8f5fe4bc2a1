"""Tables of a second, cheaper label on all rows, corrected by the target of some.

Every row is counted by its proxy; each labelled row takes the place of as many as it stands
for, counted by its target and, with a minus sign, by its proxy. The sum is the
prediction-powered estimate (Angelopoulos A. et al. Science 382, 2023), which survey samplers
know as the difference estimator (Cassel C. et al. Biometrika 63, 1976). What a row
contributes is drawn as one; labelled and other rows are strata, taken as labelled by chance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from evalreport.data.checked import Checked, check
from evalreport.data.label_column import label_column
from evalreport.data.labels import order_labels
from evalreport.data.roles import Roles, Rules
from evalreport.data.table import RawTable
from evalreport.errors import DataError, Location, Problem
from evalreport.statistics.design_based import Sample

Where = Callable[[str], Location | None]

#: Names of the two strata.
STRATA = ("labelled", "not labelled")


def with_proxy(raw: RawTable, roles: Roles, rules: Rules, where: Where) -> Checked:
    """The rows by their proxy, and again, with the weights of the estimate, by their target.

    Raises DataError with every mistake of either column, or where no row has a target.
    """
    assert roles.sampling is not None
    assert roles.sampling.proxy is not None
    plain = replace(roles, sampling=None)
    declared = replace(rules, declared=_labels(raw, roles, rules))
    everyone = check(raw, replace(plain, target=roles.sampling.proxy), declared, where)
    labelled = check(raw, plain, replace(declared, missing="exclude"), where)
    in_both = np.isin(everyone.used, labelled.used)
    kept = np.isin(labelled.used, everyone.used)
    n, known = len(everyone.used), int(in_both.sum())
    if known < 2:
        raise DataError(
            Problem(
                f"{raw.name}: {known} rows have a target as well as {roles.sampling.proxy}",
                "at least two rows of which the target is known",
            )
        )
    worth = n / known
    return _joined(everyone, labelled, in_both, np.flatnonzero(kept), worth)


def _labels(raw: RawTable, roles: Roles, rules: Rules) -> tuple[str, ...]:
    """The classes of both columns in their order, unless they are declared."""
    if rules.declared:
        return rules.declared
    assert roles.sampling is not None
    columns = [roles.target, str(roles.sampling.proxy)]
    columns += [] if roles.prediction is None else [roles.prediction]
    held = [label_column(raw, c).labels for c in columns if c in raw.columns]
    found = [label.text for labels in held for label in labels]
    named = [name for name in {*found, *raw.classes} if name not in rules.indeterminate]
    return tuple(order_labels(named))


def _joined(
    everyone: Checked, labelled: Checked, in_both: Any, kept: npt.NDArray[np.intp], worth: float
) -> Checked:
    first = np.arange(len(everyone.used))
    by_proxy = np.where(in_both, 1.0 - worth, 1.0)
    first = first[by_proxy != 0.0]  # all rows are labelled: the proxy has no part

    def both(name: str) -> Any:
        one, two = getattr(everyone, name), getattr(labelled, name)
        return None if one is None else np.concatenate([one[first], two[kept]])

    weight = np.concatenate([by_proxy[first], np.full(len(kept), worth)])
    if everyone.weight is not None and labelled.weight is not None:
        weight = weight * np.concatenate([everyone.weight[first], labelled.weight[kept]])
    used = both("used")
    stratum = np.concatenate([np.where(in_both, 0, 1)[first], np.zeros(len(kept), np.int64)])
    unit, cluster = used, everyone.cluster
    if cluster is not None:
        place = {int(row): code for row, code in zip(everyone.used, cluster[0], strict=True)}
        unit = np.array([place[int(row)] for row in used], np.int64)
        stratum = np.zeros(len(used), np.int64)
    names = STRATA[: int(stratum.max()) + 1]
    own = np.concatenate([np.zeros(len(first), bool), np.ones(len(kept), bool)])
    return replace(
        everyone,
        used=used,
        actual=both("actual"),
        predicted=both("predicted"),
        score=both("score"),
        class_scores=both("class_scores"),
        weight=weight,
        cluster=None if cluster is None else (unit, cluster[1]),
        groups={
            name: (np.concatenate([codes[first], _places(everyone, labelled, kept, codes)]), values)
            for name, (codes, values) in everyone.groups.items()
        },
        lost=None,
        sample=Sample(
            stratum=stratum.astype(np.int64),
            names=names,
            unit=unit.astype(np.int64),
            population=np.full(len(names), np.inf),
            kind="proxy",
            clustered=cluster is not None,
            own=own,
        ),
    )


def _places(everyone: Checked, labelled: Checked, kept: npt.NDArray[np.intp], codes: Any) -> Any:
    """The codes of all rows at the labelled ones."""
    order = np.argsort(everyone.used)
    at = np.searchsorted(everyone.used[order], labelled.used[kept])
    return codes[order[at]]
