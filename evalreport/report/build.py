"""From ``results.json`` to the report: sections in order, each left out when it has nothing."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

from evalreport.errors import EvalreportError, Problem, UsageError, did_you_mean
from evalreport.report import comparisons
from evalreport.report.charts.canvas import failed_drawings
from evalreport.report.checklists import asked, checklist_blocks
from evalreport.report.checklists import declared as declared_lists
from evalreport.report.contents import Contents
from evalreport.report.criteria import protocol_text
from evalreport.report.guide import AT_THE_HEAD
from evalreport.report.logo import logo_address
from evalreport.report.metric_sections import metric_blocks_with
from evalreport.report.model import (
    Block,
    Facts,
    Failure,
    Heading,
    Ledgers,
    Notes,
    Report,
    Section,
    Text,
)
from evalreport.report.now_and_then import compared_title
from evalreport.report.number_tables import making_order, with_tables
from evalreport.report.rows import agreement_words
from evalreport.report.scripts import script_note
from evalreport.report.sections import Declaration, sections
from evalreport.report.signing import Signed
from evalreport.report.stamp import outcome_text
from evalreport.report.wording import TEMPLATES, Wording
from evalreport.report.words import as_of_text, label_text, prose, visible
from evalreport.results import records
from evalreport.results.codec import encode
from evalreport.results.lookup import Results
from evalreport.results.records import Comparison, Provenance

#: The caution about the criteria themselves.
OF_CRITERIA = "acceptance_on_point"


def build(
    results: Results,
    template: str = "standard",
    failed: list[str] | None = None,
    signed: Signed | None = None,
) -> Report:
    """The report of results, with the sections of a shipped template.

    A section or chart that cannot be made is shown as FAILED in its place and told to
    ``failed``; the others stand. ``signed`` is who signs this copy.
    """
    told = failed if failed is not None else []
    wording = TEMPLATES.get(template, TEMPLATES["standard"])
    contents = Contents(_without_limits(results) if wording.brief else results, wording, signed)
    chosen = _chosen(contents, wording)
    made = _with_note(_sections(contents, wording, chosen, told), script_note(results))
    provenance = results.provenance
    spec = provenance.spec.sha256 if provenance.spec is not None else ""
    return Report(
        title=prose(results.title or "Classifier evaluation"),
        lead=_lead(contents),
        language=visible(str(contents.report.get("language") or "en")),
        identifier=identifier(results),
        issued=issued_text(provenance) + as_of_text(results.as_of),
        created=visible(provenance.at),
        version=visible(provenance.version),
        spec=visible(spec)[:12],
        sections=made,
        outcome=outcome_text(contents),
        kicker=contents.said(None, wording.kicker),
        protocol=protocol_text(contents),
        light=wording.brief,
        large=contents.large,
        logo=logo_address(contents),
        signed="UNSIGNED" if signed is None else signed.line,
    )


def _lead(contents: Contents) -> str:
    """What stands below the title, but for what the first page has a line for."""
    below = [key for key in AT_THE_HEAD if key not in contents.words.study_fields]
    return " ".join(prose(said) for key in below if (said := contents.about.get(key)))


def _without_limits(results: Results) -> Results:
    """The results as a notebook shows them: no criteria, and no cautions about them."""
    cautions = tuple(c for c in results.cautions if c.code != OF_CRITERIA)
    return replace(results, acceptance=(), cautions=cautions)


def _sections(
    contents: Contents, wording: Wording, chosen: tuple[str, ...], failed: list[str]
) -> tuple[Section, ...]:
    """The sections that hold something, numbered in order; annexes are lettered.

    Those of a page without contents have no numbers.
    """
    made: dict[str, list[Block]] = {}
    stood: set[str] = set()
    for name in making_order(chosen):
        blocks = _made(contents, wording, sections()[name], chosen, failed)
        made[name] = with_tables(contents, name, blocks, stood)
    lists = asked(contents) if "checklists" in chosen else ()
    kept = [name for name in chosen if made[name] or (name == "checklists" and lists)]
    numbers, letters = iter(range(1, 100)), iter("ABCDEFGHIJ")
    found = []
    for name in kept:
        number = next(letters) if sections()[name].annex else str(next(numbers))
        number = "" if wording.brief else number
        found.append(_section(contents, wording, sections()[name], number, made[name]))
    places = {section.id: f"{section.number} {section.short}" for section in found}
    return tuple(
        replace(section, blocks=(*section.blocks, *checklist_blocks(contents, places)))
        if section.id == "checklists"
        else section
        for section in found
    )


def _with_note(sections: tuple[Section, ...], note: str) -> tuple[Section, ...]:
    """The sections with a note at the end of the first."""
    if not note or not sections:
        return sections
    first = replace(sections[0], blocks=(*sections[0].blocks, Text(note, "small")))
    return (first, *sections[1:])


def _made(
    contents: Contents,
    wording: Wording,
    declared: Declaration,
    chosen: tuple[str, ...],
    failed: list[str],
) -> list[Block]:
    """What stands in a section, with what could not be made of it."""
    blocks: list[Block] = []
    with failed_drawings() as reasons:
        try:
            blocks = _blocks(contents, wording, declared, chosen)
        except (EvalreportError, OSError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - shown in its place, with status 1
            reasons.append(f"the section could not be made ({type(error).__name__}: {error})")
    told = [f"{declared.id}: {reason}" for reason in dict.fromkeys(reasons)]
    failed.extend(told)
    return [*(Failure(f"FAILED: {prose(text)}") for text in told), *blocks]


def _blocks(
    contents: Contents, wording: Wording, declared: Declaration, chosen: tuple[str, ...]
) -> list[Block]:
    """What stands in a section.

    The account of rows has its own section where there is one; baselines join the comparisons,
    and metrics of the scores and classes those of the table: they stand on the same tables.
    """
    compared = "comparisons" in chosen and bool(contents.of(Comparison))
    of_metrics = declared.id in {"measures", "scores", "classes"} and "measures" in chosen
    if declared.id == "baselines" and compared:
        own = []
    elif of_metrics and sections()["measures"].make(contents):
        own = _metrics(contents, wording, chosen) if declared.id == "measures" else []
    else:
        own = declared.make(contents)
    if declared.id == "comparisons" and compared and "baselines" in chosen:
        own = [*own, *sections()["baselines"].make(contents)]
    if declared.id == "verdict" and "cautions" not in chosen:
        own = _with_cautions(contents, wording, own, chosen)
    if declared.id in {"cautions", "verdict"} and "rows" in chosen:
        own = [block for block in own if not isinstance(block, Ledgers)]
    return [*_failures(contents, declared.id, chosen), *own]


def _with_cautions(
    contents: Contents, wording: Wording, own: list[Block], chosen: tuple[str, ...]
) -> list[Block]:
    """The first section without that of cautions: with these in full, or a page by itself."""
    if chosen != wording.sections:
        return [*own, *sections()["cautions"].make(contents)]
    return [
        replace(block, items=tuple(replace(note, anchor="") for note in block.items))
        if isinstance(block, Notes)
        else block
        for block in own
    ]


def _metrics(contents: Contents, wording: Wording, chosen: tuple[str, ...]) -> list[Block]:
    """The section of metrics, with those of the scores and with classes where these are asked."""
    title, _, intro = wording.titles.get("scores", ("", "", ""))
    told = (title or sections()["scores"].title, intro or sections()["scores"].intro)
    heading, words = (contents.said(None, text) for text in told)
    between: list[Block] | None = [Heading(heading), Text(words)] if "scores" in chosen else None
    return metric_blocks_with(contents, between, classes="classes" in chosen)


def _chosen(contents: Contents, wording: Wording) -> tuple[str, ...]:
    """The sections asked for in the spec, else those of the template."""
    wanted = tuple(str(name) for name in contents.report.get("sections") or ())
    unknown = [name for name in wanted if name not in sections()]
    if unknown:
        raise UsageError(
            *(
                Problem(f"there is no section {name!r}", did_you_mean(name, sections(), "sections"))
                for name in unknown
            )
        )
    chosen = wanted or wording.sections
    asks = declared_lists(contents) if wanted else asked(contents)
    return chosen if not asks or "checklists" in chosen else (*chosen, "checklists")


def issued_text(provenance: Provenance) -> str:
    """The time of the run; one that was given says so, for it is no proof of when that was.

    >>> issued_text(Provenance(at="2026-11-21T12:00:00Z", clock="read"))
    '2026-11-21 12:00:00 UTC'
    >>> issued_text(Provenance(at="2019-01-01T00:00:00Z", clock="given"))
    '2019-01-01 00:00:00 UTC (time set by the user)'
    """
    at = visible(provenance.at).replace("T", " ").replace("Z", " UTC")
    given = at and provenance.clock != "read"
    return f"{at} (time set by the user)" if given else at


def identifier(results: Results) -> str:
    """Twelve hexadecimal digits that change whenever a result does."""
    text = json.dumps(encode(results), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _section(
    contents: Contents, wording: Wording, declared: Declaration, number: str, blocks: list[Block]
) -> Section:
    title, short, intro = declared.title, declared.short, declared.intro
    if declared.id == "comparisons":
        intro = comparisons.comparison_intro(contents)
        title = compared_title(contents) or title
    if declared.id == "verdict" and not contents.of(records.Criterion):
        title = short = "Results"
    own = wording.titles.get(declared.id, ("", "", ""))
    title, short, intro = (
        contents.said(None, words) for words in (own[0] or title, own[1] or short, own[2] or intro)
    )
    if declared.id == "guide" and own[0]:
        # a section named for the intended use begins with it
        blocks = sorted(blocks, key=lambda block: not isinstance(block, Facts))
    if declared.id == "measures":
        blocks = [*(Text(words) for words in agreement_words(contents)), *blocks]
    return Section(declared.id, number, title, short, intro, tuple(blocks), declared.run_on)


def _failures(contents: Contents, section: str, chosen: tuple[str, ...]) -> list[Block]:
    """Parts that failed, in the section they would have stood in, else in the first."""
    found: list[Block] = []
    for failure in contents.of(records.Failure):
        named = failure.section
        place = named if named in chosen else chosen[0]
        if place == section:
            of = (failure.model, failure.dataset)
            where = " · ".join(label_text(name) for name in of if name)
            told = f"{visible(named)}, {where}" if where else visible(named)
            found.append(Failure(f"FAILED: {told}: {prose(failure.reason or 'no reason')}"))
    return found
