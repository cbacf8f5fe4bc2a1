"""The protocol of a study that has not begun: what is asked, assumed, required, and how large."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evalreport.report.model import (
    Block,
    Column,
    Facts,
    PlainTable,
    Report,
    Section,
    Signatures,
    TableRow,
    Text,
)
from evalreport.report.numbers import count_text
from evalreport.report.words import label_text, prose

Json = Mapping[str, Any]


def protocol(design: Json, at: str, version: str) -> Report:
    """The protocol as a report, from the plain data of a study design.

    ``at`` is the clock as text. Its identifier is the hash that later reports cite.
    """
    sections = [
        _section(1, "question", "Question and assumptions", _assumed(design)),
        _section(2, "criteria", "Criteria and their power", _criteria(design)),
        _section(3, "sizes", "Power by size", _curves(design)),
        _section(4, "signatures", "Signatures", _signatures(design)),
    ]
    sha256 = str(design["sha256"])
    return Report(
        title=prose(design["title"]),
        lead=_lead(design),
        language="en",
        identifier=f"protocol {sha256[:12]}",
        issued=at,
        created=at,
        version=version,
        spec=str(design["spec_sha256"])[:12],
        sections=tuple(section for section in sections if section.blocks),
        outcome="Not begun: no data were looked at",
        kicker="Study protocol",
    )


def _section(number: int, name: str, title: str, blocks: Sequence[Block]) -> Section:
    return Section(name, str(number), title, title, "", tuple(blocks), run_on=number > 1)


def _lead(design: Json) -> str:
    needed, rows = design["joint_needed"], design["rows"]
    wanted = _percent(design["wanted"])
    if needed is not None:
        size = count_text(needed)
        told = f"All criteria together pass with a chance of {wanted} from {size} rows on."
    else:
        told = f"No size was found at which all criteria pass together with a chance of {wanted}."
    if design["joint"] is not None:
        chance = _power_text(design["joint"])
        told = f"With the {count_text(rows)} rows planned all criteria pass with {chance}. {told}"
    return told


def _assumed(design: Json) -> list[Block]:
    items = [(label_text(key), _free(value)) for key, value in sorted(design["about"].items())]
    expected = [(name, f"{value:g}") for name, value in design["expect"].items()]
    for model, assumed in design["references"].items():
        for name, told in assumed.items():
            values = ", ".join(f"{key} {value:g}" for key, value in told.items() if key != "value")
            expected.append((f"{name} of {label_text(model)}", f"{told['value']:g}, {values}"))
    more = [("Wanted power", _percent(design["wanted"])),
            ("Confidence level", _percent(design["level"]))]  # fmt: skip
    if design["rows"] is not None:
        more.append(("Rows planned", count_text(design["rows"])))
    blocks: list[Block] = []
    if items:
        blocks.append(Facts("What is studied", tuple(items)))
    blocks.append(Facts("True values that are assumed", (*expected, *more)))
    return [*blocks, *(Text(prose(note)) for note in design["notes"])]


def _free(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "; ".join(_free(item) for item in value)
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {_free(item)}" for key, item in value.items())
    return prose(str(value))


def _criteria(design: Json) -> list[Block]:
    heads = ("Criterion", "Interval", "Expected", "Power", "Rows needed", "Rows that count")
    columns = tuple(
        Column(head, "left" if index < 2 else "right") for index, head in enumerate(heads)
    )
    rows = _criterion_rows(design)
    together = TableRow(
        (
            "all together",
            "",
            "",
            "" if design["joint"] is None else _power_text(design["joint"]),
            "" if design["joint_needed"] is None else count_text(design["joint_needed"]),
            "",
        ),
        strong=True,
    )
    note = (
        "Power: the chance of passing if the assumptions are true, by the criterion's own rule. "
        "Of shares it is exact; where plus and minus stands beside it, it was drawn. Rows needed: "
        "from this size on the power stays above the wanted one; rules on whole counts rise and "
        "fall with every row. Rows that count: those below the line of the share."
    )
    table = PlainTable("Criteria, fixed before the data", columns, (*rows, together), note)
    return [table, *_reasons(design)]


def _criterion_rows(design: Json) -> list[TableRow]:
    """One row for each criterion, and one for the test beside it."""
    rows: list[TableRow] = []
    for one in design["criteria"]:
        method = prose((one["method"] or "none").replace("_", " "))
        expected = "" if one["expected"] is None else f"{one['expected']:.4g}"
        rows.append(TableRow((prose(one["text"]), method, expected, *_power_and_sizes(one))))
        if (test := one["test"]) is not None:
            name = f"beside it: a test of any difference, two-sided, alpha {test['alpha']:g}"
            cells = (name, prose(test["name"].replace("_", " ")), "", *_power_and_sizes(test))
            rows.append(TableRow(cells))
    return rows


def _reasons(design: Json) -> list[Block]:
    """What could not be told, and why."""
    told: list[Block] = [
        Text(f"{prose(one['text'])}: {prose(one['reason'])}.")
        for one in design["criteria"]
        if one["reason"]
    ]
    told += [
        Text(f"{prose(one['text'])}, test of any difference: {prose(one['test']['reason'])}.")
        for one in design["criteria"]
        if one["test"] is not None and one["test"]["reason"]
    ]
    if design["joint_reason"]:
        told.append(Text(f"All together: {prose(design['joint_reason'])}."))
    return told


def _power_and_sizes(one: Json) -> tuple[str, str, str]:
    """Power at the planned rows, rows needed, and rows below the line of them."""
    return (
        "" if one["at_rows"] is None else _power_text(one["at_rows"]),
        "" if one["needed"] is None else count_text(one["needed"]),
        "" if one["denominator_needed"] is None else count_text(one["denominator_needed"]),
    )


def _curves(design: Json) -> list[Block]:
    """One table: the power of each criterion at each of the sizes that were looked at."""
    told = [
        (name, one["curve"])
        for criterion in design["criteria"]
        for name, one in (
            (criterion["text"], criterion),
            (f"{criterion['text']}: test of any difference", criterion["test"]),
        )
        if one is not None and one["curve"]
    ]
    if not told:
        return []
    powers = [{point["rows"]: point for point in curve} for _, curve in told]
    sizes = sorted({rows for found in powers for rows in found})
    heads = [Column("Rows", "right"), *(Column(prose(name), "right") for name, _ in told)]
    lines = [
        TableRow(
            (
                count_text(rows),
                *("" if rows not in found else _power_text(found[rows]) for found in powers),
            )
        )
        for rows in sizes
    ]
    return [PlainTable("Power of each criterion alone", tuple(heads), tuple(lines))]


def _signatures(design: Json) -> list[Block]:
    words = (
        "UNSIGNED. Who signs here says that the question, the criteria and the sizes above were "
        f"fixed before the data were seen. Protocol {design['sha256']}."
    )
    lines = (("author", "", ""), ("reviewer", "", ""), ("approver", "", ""))
    return [Text(words), Signatures(lines)]


def _power_text(point: Json) -> str:
    error = point["error"]
    drawn = "" if not error else f" ± {100 * 1.96 * error:.1f}"
    return f"{100 * point['power']:.1f}{drawn} %"


def _percent(share: float) -> str:
    return f"{100 * share:g} %"
