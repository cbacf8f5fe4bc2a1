"""The group that fares worst with each model, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from evalreport.numbers import value_text
from evalreport.report.cards import interval_text
from evalreport.report.contents import Contents, View, identity, view_of
from evalreport.report.leading import comparable_in_groups
from evalreport.report.words import (
    MOST_NAMES,
    column_text,
    counted,
    label_text,
    listed,
    subgroup_text,
)
from evalreport.report.worst import (
    compares_groups,
    groups_differ,
    of_two_classes,
    share_of_rows,
    sign_of,
    tested_groups_differ,
    worst_group,
)
from evalreport.results import records


def worst_groups(contents: Contents, views: Sequence[View]) -> tuple[str, str]:
    """Where each model fares worst, of groups that can be judged, under a title that fits.

    By the first headline metric that does not change with how many of a group are positive. A
    group is the worst one where a difference between groups is shown, else but the lowest.
    """
    metric, groups = "", dict[str, list[tuple[str, bool]]]()
    small: dict[str, None] = {}
    key = comparable_in_groups(contents, views)
    if key is None:
        return "Groups", ""
    for view in views:
        worst, few = worst_group(contents, view, key)
        small |= dict.fromkeys(f"{subgroup_text(m.subgroup)}, {_under(contents, m)}" for m in few)
        if worst is None:
            continue
        counts = share_of_rows(contents, worst).replace("/", "of")
        limits = interval_text(worst.interval, worst.value)
        metric = contents.title(worst)
        who = f" for {contents.called(view)}" if len(views) > 1 else ""
        own = groups.setdefault(subgroup_text(worst.subgroup), [])
        name = "" if own else f"{metric} "
        shown = f"{value_text(worst.value or 0.0)}{f', {counts}' if counts else ''}"
        told = f"{name}{shown}{f' ({limits})' if limits else ''}{who}"
        own.append((told, groups_differ(contents, worst)))
    any_differ = any(differ for own in groups.values() for _, differ in own)
    apart = ", whose groups are not shown to differ" if any_differ else ""
    said = [
        f"{group}: {listed([told if differ else told + apart for told, differ in own])}."
        for group, own in groups.items()
    ]
    title = "Groups"
    if groups:
        lowest = sign_of(key.metric) > 0
        end = "Lowest group" if lowest else "Highest group (lower is better)"
        title = "Worst group" if any_differ else end
        said += [] if any_differ else [_no_difference(contents, metric)]
    if small:
        names = list(small)
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        said.append(f"Too few to judge: {'; '.join(names[:MOST_NAMES])}{more}.")
    return title, " ".join(said)


def _no_difference(contents: Contents, metric: str) -> str:
    """That groups are not shown to differ by a metric, and by which others they are.

    Those are of another metric, model or grouping, ``Recall by sex and site``, that can be compared
    between groups and has a test of all of them, at the first threshold, which the sections show.
    """
    of_groups = [m for m in contents.measures if m.subgroup]
    groupings = {tuple(m.subgroup) for m in of_groups}
    named: dict[str, None] = {}
    for m in of_groups:
        view = view_of(m)
        apart = (
            m.fold is None
            and sign_of(m.metric)
            and tuple(m.subgroup) not in contents.period_columns
            and compares_groups(contents, identity(m), [view])
            and contents.at_first(view)(m)
            and tested_groups_differ(contents, m)
        )
        if apart:
            columns = listed(list(map(column_text, m.subgroup)))
            by = f" by {columns}" if len(groupings) > 1 else ""
            on = f" on {label_text(m.dataset)}" if len(contents.datasets) > 1 else ""
            named[f"{contents.title(m)}{by}{on}"] = None
    told = f"No group difference is shown in {metric}"
    if not named:
        return f"{told}."
    other = f"{next(iter(named))} differs" if len(named) == 1 else f"{len(named)} others differ"
    where = "Subgroups" if "subgroups" in contents.sections else "results.json"
    return f"{told}; {other}, uncorrected ({where})."


def _under(contents: Contents, m: records.Measure) -> str:
    """The rows that a share is of, else those of the group."""
    if m.weight is not None:
        return contents.rows_text(m.n)
    if m.metric == "recall" and m.denominator is not None and m.label is not None:
        two = contents.is_binary(view_of(m))
        positive = m.label == contents.positive(view_of(m)) if two else None
        return contents.rows_of(m.denominator, m.label, positive=positive)
    both = of_two_classes(contents, m)
    names = [contents.positive(view_of(m)), *contents.classes(view_of(m))]
    others = next((name for name in names[1:] if name != names[0]), None)
    if both and names[0] is not None and others is not None:
        fewer = int(both[1] < both[0])
        return contents.rows_of(both[fewer], others if fewer else names[0], positive=not fewer)
    share = m.denominator if share_of_rows(contents, m) else None
    return contents.rows_text(m.n) if share is None else counted(share, "row")
