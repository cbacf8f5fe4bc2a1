"""From ``results.json`` to the report: sections in order, each left out when it has nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evalreport.errors import Problem, UsageError, did_you_mean
from evalreport.report import comparisons, verdict
from evalreport.report.chapters import CHAPTERS, Chapter
from evalreport.report.checklists import asked, checklist_blocks
from evalreport.report.contents import Contents
from evalreport.report.logo import logo_address
from evalreport.report.model import Block, Facts, Failure, Ledgers, Report, Section, Text
from evalreport.report.now_and_then import is_now_and_then
from evalreport.report.reach import missing_tables
from evalreport.report.rows import agreement_words
from evalreport.report.wording import TEMPLATES, Wording, reworded
from evalreport.report.words import label_text, prose, visible


def build(results: Mapping[str, Any], template: str = "standard") -> Report:
    """The report of a results dictionary, with the sections of a shipped template."""
    wording = TEMPLATES.get(template, TEMPLATES["standard"])
    contents = Contents(reworded(results, wording))
    chosen = _chosen(contents, wording)
    sections = _sections(contents, wording, chosen)
    provenance = contents.one("provenance")
    spec = provenance.get("spec") or {}
    return Report(
        title=prose(results.get("title") or "Classifier evaluation"),
        lead=_lead(contents),
        language="en",
        identifier=identifier(results),
        issued=visible(str(provenance.get("at") or "")).replace("T", " ").replace("Z", " UTC"),
        created=visible(str(provenance.get("at") or "")),
        version=visible(str(provenance.get("version") or "")),
        spec=visible(str(spec.get("sha256") or ""))[:12],
        sections=sections,
        outcome=verdict.verdict_title(contents),
        kicker=contents.said(None, wording.kicker),
        logo=logo_address(contents),
    )


def _sections(contents: Contents, wording: Wording, chosen: tuple[str, ...]) -> tuple[Section, ...]:
    """The sections that hold something, numbered in order; annexes are lettered."""
    made = {name: _blocks(contents, CHAPTERS[name], chosen) for name in chosen}
    lists = asked(contents) if "checklists" in chosen else ()
    kept = [name for name in chosen if made[name] or (name == "checklists" and lists)]
    numbers, letters = iter(range(1, 100)), iter("ABCDEFGHIJ")
    found = []
    for name in kept:
        number = next(letters) if CHAPTERS[name].annex else str(next(numbers))
        found.append(_section(contents, wording, CHAPTERS[name], number, made[name]))
    places = {section.id: f"{section.number} {section.short}" for section in found}
    return tuple(
        replace(section, blocks=(*section.blocks, *checklist_blocks(contents, places)))
        if section.id == "checklists"
        else section
        for section in found
    )


def _blocks(contents: Contents, chapter: Chapter, chosen: tuple[str, ...]) -> list[Block]:
    """What stands in a section.

    The account of rows has its own section where there is one, and baselines join the
    comparisons: both stand on the same tables.
    """
    own = chapter.make(contents)
    compared = "comparisons" in chosen and bool(contents.many("comparisons"))
    if chapter.id == "baselines" and compared:
        own = []
    if chapter.id == "comparisons" and compared and "baselines" in chosen:
        own = [*own, *CHAPTERS["baselines"].make(contents)]
    if chapter.id == "verdict" and "rows" in chosen:
        own = [block for block in own if not isinstance(block, Ledgers)]
    blocks = [*_failures(contents, chapter.id, chosen), *own]
    return [*blocks, *missing_tables(contents, blocks)] if blocks else []


def _chosen(contents: Contents, wording: Wording) -> tuple[str, ...]:
    """The sections asked for in the spec, else those of the template."""
    report = contents.one("spec").get("report") or {}
    wanted = tuple(str(name) for name in report.get("sections") or ())
    unknown = [name for name in wanted if name not in CHAPTERS]
    if unknown:
        raise UsageError(
            *(
                Problem(f"there is no section {name!r}", did_you_mean(name, CHAPTERS, "sections"))
                for name in unknown
            )
        )
    chosen = wanted or wording.sections
    return chosen if not asked(contents) or "checklists" in chosen else (*chosen, "checklists")


def identifier(results: Mapping[str, Any]) -> str:
    """Twelve hexadecimal digits that change whenever a result does."""
    text = json.dumps(results, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _lead(contents: Contents) -> str:
    about = contents.one("spec").get("about") or {}
    parts = [prose(about[key]) for key in ("question", "intended_use") if about.get(key)]
    return " ".join(parts)


def _section(
    contents: Contents, wording: Wording, chapter: Chapter, number: str, blocks: list[Block]
) -> Section:
    title, short, intro = chapter.title, chapter.short, chapter.intro
    if chapter.id == "comparisons":
        intro = comparisons.comparison_intro(contents)
        if is_now_and_then(contents):
            title, short = "Now versus then", "Now and then"
    own = wording.titles.get(chapter.id, ("", "", ""))
    title, short, intro = (
        contents.said(None, words)
        for words in (own[0] or title, own[1] or short, own[2] or intro)
    )
    if chapter.id == "verdict":
        title = verdict.verdict_title(contents)
    if chapter.id == "guide" and own[0]:
        # a section named for the intended use begins with it
        blocks = sorted(blocks, key=lambda block: not isinstance(block, Facts))
    if chapter.id == "measures":
        blocks = [*(Text(words) for words in agreement_words(contents)), *blocks]
    return Section(chapter.id, number, title, short, intro, tuple(blocks), chapter.run_on)


def _failures(contents: Contents, section: str, chosen: tuple[str, ...]) -> list[Block]:
    """Parts that failed, in the section they would have stood in, else in the first."""
    found: list[Block] = []
    for failure in contents.many("failures"):
        named = str(failure.get("section") or "")
        place = named if named in chosen else chosen[0]
        if place == section:
            where = " · ".join(
                label_text(failure[k]) for k in ("model", "dataset") if failure.get(k)
            )
            told = f"{visible(named)}, {where}" if where else visible(named)
            found.append(Failure(f"FAILED: {told}: {prose(failure.get('reason') or 'no reason')}"))
    return found
