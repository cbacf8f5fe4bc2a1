"""The protocol of a study that has not begun: what is asked, assumed, required, and how large."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from evalreport.numbers import count_text
from evalreport.report.columns import Column, across, right, table_of
from evalreport.report.model import Block, Facts, Report, Section, Signatures, Text
from evalreport.report.words import label_text, prose, reasons_text

Json = Mapping[str, Any]


def protocol(design: Json, at: str, version: str) -> Report:
    """The protocol as a report, from the plain data of a study design.

    ``at`` is the clock as text. Its identifier is the hash that later reports cite.
    """
    sections = [
        _section(1, "question", "Question and assumptions", _assumed(design)),
        _section(2, "criteria", "Criteria and their power", _criteria(design)),
        _section(3, "sizes", "Power by size", [*_curves(design), *_reader_sizes(design)]),
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
        outcome="Not begun: no data were used",
        kicker="Study protocol",
    )


def _section(number: int, name: str, title: str, blocks: Sequence[Block]) -> Section:
    return Section(name, str(number), title, title, "", tuple(blocks), run_on=number > 1)


def _lead(design: Json) -> str:
    if design["readers"] is not None:
        return _lead_of_readers(design)
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


def _lead_of_readers(design: Json) -> str:
    number, cases = (design["readers"].get(name) for name in ("number", "cases"))
    told = "Several readers read the same cases; criteria are judged by the mean over readers."
    if number is not None and cases is not None:
        told += f" Planned: {count_text(number)} readers of {count_text(cases)} cases."
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
    if design["readers"] is not None:
        blocks.append(_readers_assumed(design["readers"]))
    return [*blocks, *(Text(prose(note)) for note in design["notes"])]


def _readers_assumed(readers: Json) -> Block:
    """How many readers and cases are planned, and how much alike they read."""
    items = [
        (title, count_text(readers[name]))
        for name, title in (("number", "Readers planned"), ("cases", "Cases planned"))
        if readers.get(name) is not None
    ]
    words = {
        "between": "standard deviation between readers",
        "differences": "standard deviation of the readers' differences",
    }
    for metric, told in readers["measures"].items():
        parts = [f"{text} {told[name]:g}" for name, text in words.items() if name in told]
        parts += [f"{label_text(m)}: {value:g}" for m, value in told["references"].items()]
        for kind in ("correlations", "covariances"):
            own = told.get(kind)
            if own is not None:
                values = ", ".join(f"{key.replace('_', ' ')} {v:g}" for key, v in own.items())
                parts.append(f"{kind} of readings: {values}")
        items.append((metric, "; ".join(parts)))
    return Facts("Readers that are assumed", tuple(items))


def _free(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "; ".join(_free(item) for item in value)
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {_free(item)}" for key, item in value.items())
    return prose(str(value))


def _criteria(design: Json) -> list[Block]:
    heads = ("Criterion", "Interval", "Expected", "Power", "Rows needed", "Rows that count")
    if design["readers"] is not None:
        heads = (*heads[:4], "Cases needed", "Readers needed")
    columns: list[Column[Sequence[str]]] = [
        Column(head, itemgetter(k), "left" if k < 2 else "right") for k, head in enumerate(heads)
    ]
    rows: list[Sequence[str]] = [*_criterion_rows(design)]
    needed = design["joint_needed"]
    together = (
        "all together",
        "",
        "",
        "" if design["joint"] is None else _power_text(design["joint"]),
        "" if needed is None else count_text(needed),
        "",
    )
    note = (
        "Power: the chance of passing if the assumptions are true, by the criterion's own rule. "
        "Of shares it is exact; with plus and minus it was simulated. Rows needed: "
        "from this size on the power stays above the wanted one; rules on whole counts rise and "
        "fall with every row. Rows that count: those in the denominator."
    )
    if design["readers"] is not None:
        note = (
            "Power: the chance of passing with the planned readers and cases if the assumptions "
            "are true, by the limit of the mean over readers (Obuchowski and Rockette 1995, "
            "Hillis 2007; readings taken as normal), of the test by the non-central F "
            "distribution (Hillis, Obuchowski and Berbaum 2011). Cases needed: with the planned "
            "readers. Readers needed: with the planned cases. A dash: no number is enough."
        )
    else:
        rows.append(together)

    title = "Criteria, fixed before the data"
    table = table_of(title, rows, columns, note, strong=lambda one: one is together)
    return [table, *_reasons(design)]


def _criterion_rows(design: Json) -> list[tuple[str, ...]]:
    """One row for each criterion, and one for the test beside it."""
    rows: list[tuple[str, ...]] = []
    for one in design["criteria"]:
        method = prose((one["method"] or "none").replace("_", " "))
        expected = "" if one["expected"] is None else f"{one['expected']:.4g}"
        told = _power_and_sizes(one)
        if one["readers"] is not None:
            told = _of_readers(one["readers"], design)
        rows.append((prose(one["text"]), method, expected, *told))
        if (test := one["test"]) is not None:
            name = f"also: a test of any difference, two-sided, alpha {test['alpha']:g}"
            method = prose(test["name"].replace("_", " "))
            rows.append((name, method, "", *_power_and_sizes(test)))
        if (test := one["reader_test"]) is not None:
            name = f"also: a test of any difference, two-sided, alpha {test['alpha']:g}"
            method = prose(test["name"].replace("_", " "))
            rows.append((name, method, "", *_of_readers(test["sizes"], design)))
    return rows


def _of_readers(sizes: Json, design: Json) -> tuple[str, str, str]:
    """Power as planned, cases needed with the planned readers, readers with the planned cases."""
    planned = sizes["planned"]
    found = ["" if planned is None else _power_text(planned)]
    for name, given in (("cases_needed", "number"), ("readers_needed", "cases")):
        none = "" if design["readers"].get(given) is None else "—"
        found.append(none if sizes[name] is None else count_text(sizes[name]))
    power, cases, readers = found
    return power, cases, readers


def _reader_sizes(design: Json) -> list[Block]:
    """Pairs of readers and cases with the wanted power, and the power by cases."""
    told = [one for one in design["criteria"] if one["readers"] is not None]
    if not told:
        return []
    texts = [prose(one["text"]) for one in told]
    pairs = [dict(map(tuple, one["readers"]["pairs"])) for one in told]
    needed: list[Column[int]] = [right("Readers", count_text)]
    needed += across(zip(texts, pairs, strict=True), _cases_for)
    curves = [{point["cases"]: point for point in one["readers"]["curve"]} for one in told]
    heads = [
        f"{text}, {one['readers']['curve'][0]['readers']} readers"
        for text, one in zip(texts, told, strict=True)
    ]
    by_cases: list[Column[int]] = [right("Cases", count_text)]
    by_cases += across(zip(heads, curves, strict=True), _power_at)
    title = f"Cases that a power of {_percent(design['wanted'])} takes, by the number of readers"
    note = "A dash: with no number of cases, as readers differ too much."
    sizes = sorted({cases for own in curves for cases in own})
    return [
        table_of(title, pairs[0], needed, note),
        table_of("Power by the number of cases", sizes, by_cases),
    ]


def _cases_for(pairs: Mapping[int, int | None], readers: int) -> str:
    needed = pairs[readers]
    return "—" if needed is None else count_text(needed)


def _reasons(design: Json) -> list[Block]:
    """What could not be told, and why."""
    criteria = design["criteria"]
    told = [(prose(one["text"]), one["reason"]) for one in criteria]
    told += [
        (f"{prose(one['text'])}, test of any difference", one["test"]["reason"])
        for one in criteria
        if one["test"] is not None
    ]
    told.append(("All together", design["joint_reason"]))
    return list(map(Text, reasons_text(told)))


def _power_and_sizes(one: Json) -> tuple[str, str, str]:
    """Power at the planned rows, rows needed, and rows below the line of them."""
    return (
        "" if one["at_rows"] is None else _power_text(one["at_rows"]),
        _rows_needed(one),
        "" if one["denominator_needed"] is None else count_text(one["denominator_needed"]),
    )


def _rows_needed(one: Json) -> str:
    """The rows, with the clusters that they are of."""
    if one["needed"] is None:
        return ""
    clusters = one.get("clusters_needed")
    beside = "" if clusters is None else f" in {count_text(clusters)} clusters"
    return f"{count_text(one['needed'])}{beside}"


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
    columns: list[Column[int]] = [right("Rows", count_text)]
    columns += across(zip((prose(name) for name, _ in told), powers, strict=True), _power_at)
    return [table_of("Power of each criterion alone", sizes, columns)]


def _power_at(curve: Mapping[int, Json], rows: int) -> str:
    return _power_text(curve[rows]) if rows in curve else ""


def _signatures(design: Json) -> list[Block]:
    words = (
        "UNSIGNED. A signature confirms that the question, the criteria and the sizes above were "
        f"fixed before the data were seen. Protocol {design['sha256']}."
    )
    lines = (("author", "", ""), ("reviewer", "", ""), ("approver", "", ""))
    return [Text(words), Signatures(lines)]


def _power_text(point: Json) -> str:
    error = point.get("error")
    drawn = "" if not error else f" ± {100 * 1.96 * error:.1f}"
    return f"{100 * point['power']:.1f}{drawn} %"


def _percent(share: float) -> str:
    return f"{100 * share:g} %"
