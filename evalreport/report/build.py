"""From ``results.json`` to the report: sections in order, each left out when it has nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from evalreport.errors import Problem, UsageError, did_you_mean
from evalreport.report import (
    annexes,
    classes,
    comparisons,
    curves,
    guide,
    slices,
    verdict,
)
from evalreport.report.cards import CLASSES_IN_CARD, metric_blocks
from evalreport.report.contents import Contents, Record, grouped
from evalreport.report.count_tables import count_table
from evalreport.report.model import Block, Failure, MetricPair, Report, Section, Tables
from evalreport.report.reach import missing_tables
from evalreport.report.slices import wanted
from evalreport.report.strips import Row, metric_strip
from evalreport.report.words import label_text, measure_title, prose, visible

#: Views beyond which a metric is a strip of models instead of cards side by side.
CARDS_ABREAST = 4
#: Tables of more columns than this stand alone on their line.
WIDE = 8


@dataclass(frozen=True)
class Chapter:
    """How a section is made. ``annex`` sections are lettered; ``run_on`` ones start no page."""

    id: str
    title: str
    short: str
    make: Callable[[Contents], list[Block]]
    intro: str = ""
    annex: bool = False
    run_on: bool = False


def build(results: Mapping[str, Any], template: str = "standard") -> Report:
    """The report of a results dictionary, with the sections of a shipped template."""
    contents = Contents(results)
    chosen = _chosen(contents, template)
    sections: list[Section] = []
    numbers, letters = iter(range(1, 100)), iter("ABCDEFGHIJ")
    for chapter in (CHAPTERS[name] for name in chosen):
        blocks = [*_failures(contents, chapter.id), *chapter.make(contents)]
        if not blocks:
            continue
        blocks = [*blocks, *missing_tables(contents, blocks)]
        number = next(letters) if chapter.annex else str(next(numbers))
        sections.append(_section(contents, chapter, number, blocks))
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
        sections=tuple(sections),
        outcome=verdict.verdict_title(contents),
    )


def _chosen(contents: Contents, template: str) -> tuple[str, ...]:
    """The sections asked for in the spec, else those of the template."""
    report = contents.one("spec").get("report") or {}
    asked = tuple(str(name) for name in report.get("sections") or ())
    unknown = [name for name in asked if name not in CHAPTERS]
    if unknown:
        raise UsageError(
            *(
                Problem(f"there is no section {name!r}", did_you_mean(name, CHAPTERS, "sections"))
                for name in unknown
            )
        )
    return asked or TEMPLATES.get(template, STANDARD)


def identifier(results: Mapping[str, Any]) -> str:
    """Twelve hexadecimal digits that change whenever a result does."""
    text = json.dumps(results, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _lead(contents: Contents) -> str:
    about = contents.one("spec").get("about") or {}
    parts = [prose(about[key]) for key in ("question", "intended_use") if about.get(key)]
    return " ".join(parts)


def _section(contents: Contents, chapter: Chapter, number: str, blocks: list[Block]) -> Section:
    title, intro = chapter.title, chapter.intro
    if chapter.id == "verdict":
        title = verdict.verdict_title(contents)
    if chapter.id == "comparisons":
        intro = comparisons.comparison_intro(contents)
    return Section(chapter.id, number, title, chapter.short, intro, tuple(blocks), chapter.run_on)


def _failures(contents: Contents, section: str) -> list[Block]:
    """Parts that failed, in the section they would have stood in; others on the first page."""
    found: list[Block] = []
    for failure in contents.many("failures"):
        named = str(failure.get("section") or "")
        place = named if named in CHAPTERS else "verdict"
        if place == section:
            where = " · ".join(
                label_text(failure[k]) for k in ("model", "dataset") if failure.get(k)
            )
            told = f"{visible(named)}, {where}" if where else visible(named)
            found.append(Failure(f"FAILED: {told}: {prose(failure.get('reason') or 'no reason')}"))
    return found


def measures_section(contents: Contents) -> list[Block]:
    """Metrics of the table at the first threshold."""
    return _metrics(contents, scores=False)


def scores_section(contents: Contents) -> list[Block]:
    """Metrics of the scores."""
    return _metrics(contents, scores=True)


def _metrics(contents: Contents, scores: bool) -> list[Block]:
    chosen = [
        m
        for view in contents.views
        for m in contents.pooled(view)
        if wanted(contents, m) and contents.is_of_scores(m) == scores
    ]
    if not chosen:
        return []
    large = [m for m in chosen if _classes(contents, m) > CLASSES_IN_CARD]
    blocks: list[Block] = []
    if large:
        ids = dict.fromkeys(str(m["table"]) for m in large if m.get("table") in contents.tables)
        tables = tuple(count_table(contents, contents.tables[i]) for i in ids)
        blocks.append(Tables(tables, 1 if tables and len(tables[0].columns) > WIDE else 2))
    if len(contents.views) > CARDS_ABREAST:
        return [*blocks, *_model_strips(contents, chosen)]
    metrics = metric_blocks(contents, chosen)
    if len(contents.views) == 1:
        return [
            *blocks,
            *(MetricPair(tuple(metrics[k : k + 2])) for k in range(0, len(metrics), 2)),
        ]
    return [*blocks, *metrics]


def _classes(contents: Contents, m: Record) -> int:
    table = contents.tables.get(str(m.get("table")))
    return len(table["labels"]) if table is not None else 0


def _model_strips(contents: Contents, chosen: list[Record]) -> list[Block]:
    """A line for each model, where there are too many for cards."""
    return [
        metric_strip(
            contents, measure_title(same[0]), [Row((), (m,), str(m["id"])) for m in same], []
        )
        for same in grouped(chosen).values()
    ]


def curves_section(contents: Contents) -> list[Block]:
    """Charts."""
    return curves.curve_blocks(contents)


def thresholds_section(contents: Contents) -> list[Block]:
    """Every threshold, then the sweep."""
    blocks = slices.threshold_blocks(contents)
    return [*blocks, *slices.sweep_tables(contents)]


CHAPTERS = {
    c.id: c
    for c in (
        Chapter("verdict", "Verdict", "Verdict", verdict.verdict_blocks),
        Chapter(
            "guide",
            "How to read and check this report",
            "How to read",
            guide.guide_blocks,
            run_on=True,
        ),
        Chapter(
            "measures",
            "Metrics of the classification table",
            "Table metrics",
            measures_section,
            run_on=True,
        ),
        Chapter(
            "scores",
            "Metrics of the scores",
            "Score metrics",
            scores_section,
            "They use every score, not one threshold; the table beside each is the one at the "
            "declared threshold.",
            run_on=True,
        ),
        Chapter(
            "subgroups",
            "Subgroups",
            "Subgroups",
            slices.subgroup_blocks,
            "Each line is a classification table laid flat. Look at the width of an interval "
            "before its place: few rows support little.",
            run_on=True,
        ),
        Chapter(
            "thresholds",
            "Thresholds",
            "Thresholds",
            thresholds_section,
            "A threshold found on the rows that it is then judged by is exploratory: its values "
            "are optimistic.",
            run_on=True,
        ),
        Chapter("curves", "Curves", "Curves", curves_section, run_on=True),
        Chapter(
            "comparisons",
            "Comparison of the models",
            "Comparison",
            comparisons.comparison_blocks,
            run_on=True,
        ),
        Chapter(
            "folds",
            "Folds",
            "Folds",
            slices.fold_blocks,
            "Each fold is a classification table laid flat; the mean over folds gives every fold "
            "the same weight, the pooled line every row.",
            run_on=True,
        ),
        Chapter("classes", "Classes", "Classes", classes.class_blocks, run_on=True),
        Chapter("methods", "Methods and formulas", "Methods", annexes.methods_blocks, annex=True),
        Chapter(
            "not_computed",
            "What was not computed, and why",
            "Not computed",
            annexes.not_computed_blocks,
            annex=True,
            run_on=True,
        ),
        Chapter(
            "provenance",
            "Provenance",
            "Provenance",
            annexes.provenance_blocks,
            annex=True,
            run_on=True,
        ),
        Chapter(
            "signatures",
            "Signatures",
            "Signatures",
            annexes.signature_blocks,
            annex=True,
            run_on=True,
        ),
    )
}
STANDARD = tuple(CHAPTERS)
ANNEXES = ("methods", "not_computed", "provenance", "signatures")
#: The sections of the shipped templates, in their order.
TEMPLATES = {
    "standard": STANDARD,
    "clinical": (
        "verdict",
        "guide",
        "measures",
        "thresholds",
        "scores",
        "curves",
        "classes",
        "subgroups",
        "folds",
        "comparisons",
        *ANNEXES,
    ),
    "audit": (
        "verdict",
        "subgroups",
        "comparisons",
        "measures",
        "scores",
        "thresholds",
        "curves",
        "classes",
        "folds",
        "guide",
        *ANNEXES,
    ),
    "model_card": (
        "guide",
        "verdict",
        "measures",
        "scores",
        "subgroups",
        "classes",
        "curves",
        *ANNEXES,
    ),
    "minimal": ("verdict", "measures", "scores", "provenance"),
}
