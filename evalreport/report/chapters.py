"""The sections of a report and the shipped templates: which sections, in what order and words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evalreport.report import (
    annexes,
    baselines,
    characteristics,
    claims,
    classes,
    comparisons,
    curves,
    drift,
    folds,
    gaps,
    guide,
    impact,
    looks,
    metric_sections,
    periods,
    rows,
    slices,
    training,
    verdict,
)
from evalreport.report.choosing import threshold_choosers
from evalreport.report.contents import Contents
from evalreport.report.model import Block
from evalreport.report.other_comparisons import (
    hypothesis_blocks,
    margin_blocks,
    omnibus_blocks,
    ratio_blocks,
    reclassification_blocks,
)
from evalreport.report.readers import reader_blocks


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


def curves_section(contents: Contents) -> list[Block]:
    """Charts."""
    return curves.curve_blocks(contents)


def thresholds_section(contents: Contents) -> list[Block]:
    """The sweep, on screen one threshold of it at a time as well, and every threshold used.

    The sweep comes first: on paper its tables of two models stay together, and the shorter
    ones fill the page that it leaves.
    """
    blocks = [*slices.sweep_tables(contents), *slices.threshold_blocks(contents)]
    return [*blocks, *threshold_choosers(contents)]


def subgroups_section(contents: Contents) -> list[Block]:
    """Every subgroup, then the gaps between them, then selection rates and impact ratios."""
    blocks = slices.subgroup_blocks(contents)
    if not blocks:
        return []
    return [*blocks, *gaps.gap_blocks(contents), *impact.impact_blocks(contents)]


def comparison_section(contents: Contents) -> list[Block]:
    """Differences, then hypotheses, margins, ratios, all models and moves as asked for."""
    blocks = comparisons.comparison_blocks(contents)
    asked = [
        *hypothesis_blocks(contents),
        *margin_blocks(contents),
        *ratio_blocks(contents),
        *omnibus_blocks(contents),
    ]
    return [*blocks, *asked, *reclassification_blocks(contents)]


def folds_section(contents: Contents) -> list[Block]:
    """Folds, then repeats of the whole cross-validation."""
    return [*folds.fold_blocks(contents), *training.repeat_blocks(contents)]


def made_last(_: Contents) -> list[Block]:
    """Nothing yet: a checklist refers to the other sections and is made when they are."""
    return []


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
            metric_sections.measures_section,
            run_on=True,
        ),
        Chapter(
            "scores",
            "Metrics of the scores",
            "Score metrics",
            metric_sections.scores_section,
            "They use every score, not one threshold; the table beside each is the one at the "
            "declared threshold.",
            run_on=True,
        ),
        Chapter(
            "subgroups",
            "Subgroups",
            "Subgroups",
            subgroups_section,
            "Each line is a classification table laid flat. Look at the width of an interval "
            "before its place: few rows support little.",
            run_on=True,
        ),
        Chapter(
            "drift",
            "Have the data moved?",
            "Drift",
            drift.drift_blocks,
            "How labels, scores and columns lie now, held against the reference. The population "
            "stability index is 0 where both lie alike and grows with the number of bins and with "
            "few rows: beside it stands what chance alone would give.",
            run_on=True,
        ),
        Chapter("looks", "Looks at the criteria", "Looks", looks.look_blocks, run_on=True),
        Chapter("periods", "Course over time", "Time", periods.period_blocks, run_on=True),
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
            comparison_section,
            run_on=True,
        ),
        Chapter(
            "readers",
            "Readers of the same cases",
            "Readers",
            reader_blocks,
            "Several readers read the same cases. Elsewhere in this report their readings are "
            "taken together, with limits that allow for the cases; here each reader stands alone, "
            "and the mean over readers with limits that allow for the readers too.",
            run_on=True,
        ),
        Chapter(
            "folds",
            "Folds",
            "Folds",
            folds_section,
            "Each fold is a classification table laid flat; the mean over folds gives every fold "
            "the same weight, the pooled line every row. The interval of a mean allows for folds "
            "that share training rows; that of a pooled line leaves out the variation of training.",
            run_on=True,
        ),
        Chapter("rows", "Flow of rows", "Rows", rows.rows_blocks, run_on=True),
        Chapter(
            "characteristics",
            "Characteristics by class",
            "Characteristics",
            characteristics.characteristics_blocks,
            run_on=True,
        ),
        Chapter(
            "baselines",
            "Baselines and declared values",
            "Baselines",
            baselines.baseline_blocks,
            run_on=True,
        ),
        Chapter(
            "claims",
            "Claims checked",
            "Claims",
            claims.claim_blocks,
            "Whether printed values and limits follow from the counts, to the digits as printed.",
            run_on=True,
        ),
        Chapter("training", "Training", "Training", training.training_blocks, run_on=True),
        Chapter("classes", "Classes", "Classes", classes.class_blocks, run_on=True),
        Chapter(
            "methods",
            "Methods and formulas",
            "Methods",
            annexes.methods_blocks,
            annex=True,
            run_on=True,
        ),
        Chapter(
            "not_computed",
            "What was not computed, and why",
            "Not computed",
            annexes.not_computed_blocks,
            annex=True,
            run_on=True,
        ),
        Chapter(
            "checklists",
            "Checklists",
            "Checklists",
            made_last,
            "Where the report and its spec hold something on each item. That an item carries "
            "content is no judgement of the content.",
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
