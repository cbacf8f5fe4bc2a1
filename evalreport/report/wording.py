"""The shipped templates: which sections in what order, under what headings, in whose words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from evalreport.metrics.catalogue import find
from evalreport.report.meanings import is_plain
from evalreport.report.pieces import ACTUAL_IN_ROWS, Orientation
from evalreport.report.words import OfMetric, lower_first, plain_name
from evalreport.results.lookup import Results

#: The spec as written comes last: unlike lines to sign on, it can end on any part of a page.
ANNEXES = ("methods", "not_computed", "checklists", "signatures", "provenance")
#: Sections that stand together: parts of the rows, and what models are held against.
GROUPS = ("subgroups", "looks", "periods", "drift")
COMPARED = ("comparisons", "readers", "baselines", "claims")


@dataclass(frozen=True)
class Wording:
    """A template: ``sections`` in order, ``titles`` with heading, short name and opening words.

    ``metrics`` are titles of metrics that differ from the catalogue's; in that order the
    metrics come first. ``names`` are titles for the names that a spec uses. ``vocabulary``:
    words of the program and those of this audience for them.
    ``orientation``: whether its readers expect actual or predicted classes in rows.
    ``flow_by_result``: the flow of rows is told by the result of the test, as STARD has it.
    ``guidance``: published guidance on measures for medical decisions is told of those shown.
    ``checklists`` are its annexes unless a spec declares others, or none.
    ``impact``: impact ratios are shown without being asked for. ``spec_text``: the spec stands
    in the annex as written, also where no sections are asked for. ``study``: what its first page
    says of the study, each with the fields of ``about`` that may hold it. ``positive_first``: the
    positive one of two classes stands first in every table. ``brief``: what a notebook has room
    for, without fonts of its own, sweeps of thresholds, and words on limits that nobody set.
    ``series``: its first page draws the course over the runs of a series.
    """

    sections: tuple[str, ...]
    kicker: str = "Classifier evaluation report"
    titles: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    vocabulary: Sequence[tuple[str, str]] = ()
    orientation: Orientation = ACTUAL_IN_ROWS
    flow_by_result: bool = False
    checklists: tuple[str, ...] = ()
    guidance: bool = False
    impact: bool = False
    spec_text: bool = True
    study: Sequence[tuple[str, Sequence[str]]] = ()
    positive_first: bool = False
    brief: bool = False
    series: bool = False


#: Metrics that ask for the table of impact ratios.
RATES = ("selection_rate", "impact_ratio")
#: Words for a target that is itself a test and no reference standard.
AGREEMENT = {
    "recall": (
        "Positive percent agreement (PPA)",
        "Of the rows that the other test calls positive, the share that the model calls positive.",
    ),
    "specificity": (
        "Negative percent agreement (NPA)",
        "Of the rows that the other test calls negative, the share that the model calls negative.",
    ),
    "accuracy": (
        "Overall percent agreement (OPA)",
        "The share of rows on which the model and the other test agree; read it with PPA and NPA.",
    ),
}
#: The words for a reference standard, and what stands in their place without one.
_AGREED = (
    ("balanced accuracy", "mean of PPA and NPA"),
    ("recall", "PPA"),
    ("sensitivity", "PPA"),
    ("tpr", "PPA"),
    ("specificities", "NPA"),
    ("specificity", "NPA"),
    ("tnr", "NPA"),
    ("diagnostic accuracy", "agreement of the tests"),
    ("accuracy", "overall agreement"),
)
AGREEMENT_NOTE = (
    "The target of {} is another test and no reference standard. The two tests are compared: "
    "agreement is reported, and neither is assumed to be right."
)

#: Names of metrics in sentences; average precision and the precision-recall curve are others.
_PRECISION = r"(?<!average )(?<!Average )precision(?!-recall)"
_RECALLS, _RECALL = r"(?<!precision-)recalls", r"(?<!precision-)recall"
#: What clinicians say.
_CLINICAL_WORDS = (
    (_PRECISION, "positive predictive value"),
    (_RECALLS, "sensitivities"),
    (_RECALL, "sensitivity"),
    ("true positive rate", "sensitivity"),
    ("true negative rate", "specificity"),
    ("tpr", "sensitivity"),
    ("tnr", "specificity"),
    ("ppv", "PPV"),
    ("npv", "NPV"),
)

#: Names that a spec may have for a metric, and what it is then called in the report. Names of
#: functions of a library are not among them.
SPOKEN = {
    "sensitivity": "Sensitivity",
    "tpr": "True positive rate",
    "true_positive_rate": "True positive rate",
    "hit_rate": "Hit rate",
    "probability_of_detection": "Probability of detection",
    "ppv": "Positive predictive value",
    "positive_predictive_value": "Positive predictive value",
    "tnr": "True negative rate",
    "true_negative_rate": "True negative rate",
    "selectivity": "Selectivity",
    "fall_out": "Fall-out",
    "false_alarm_rate": "False alarm rate",
    "miss_rate": "Miss rate",
    "auroc": "AUROC",
    "auprc": "AUPRC",
    "c_statistic": "C-statistic",
    "c_index": "C-index",
    "concordance_index": "Concordance index",
    "informedness": "Informedness",
    "true_skill_statistic": "True skill statistic",
    "dice": "Dice coefficient",
    "dice_coefficient": "Dice coefficient",
    "iou": "Intersection over union",
    "intersection_over_union": "Intersection over union",
    "critical_success_index": "Critical success index",
    "threat_score": "Threat score",
    "phi": "Phi coefficient",
    "subset_accuracy": "Subset accuracy",
    "misclassification_rate": "Misclassification rate",
    "cross_entropy": "Cross entropy",
}
#: Metrics whose names stand in sentences too: the metric, how it stands there, and the place of
#: the name that the spec has for it.
_IN_SENTENCES = (
    ("precision", _PRECISION, "{}"),
    ("recall", _RECALLS, "values of {}"),
    ("recall", _RECALL, "{}"),
)

STANDARD = (
    "verdict",
    "cautions",
    "guide",
    "characteristics",
    "measures",
    "scores",
    "subgroups",
    "looks",
    "series",
    "periods",
    "drift",
    "thresholds",
    "curves",
    *COMPARED,
    "folds",
    "training",
    "classes",
    *ANNEXES,
)
CLINICAL = Wording(
    (
        "verdict",
        "cautions",
        "rows",
        "characteristics",
        "guide",
        "measures",
        "scores",
        "curves",
        "thresholds",
        "classes",
        *GROUPS,
        "folds",
        "training",
        *COMPARED,
        *ANNEXES,
    ),
    "Diagnostic accuracy report",
    {
        "rows": ("Flow of rows and labels", "Flow", ""),
        "guide": ("Question, intended use, and how to read the results", "Question", ""),
        "measures": (
            "Diagnostic accuracy",
            "Diagnostic accuracy",
            (
                "Cross-tabulation of the test against the target, with an interval for every "
                "estimate. Predictive values apply to the prevalence given with them."
            ),
        ),
        "scores": (
            "Discrimination and calibration",
            "Discrimination",
            (
                "These use every score, not one cut-off. The table beside each shows the results "
                "of the test on the same rows."
            ),
        ),
        "curves": ("Calibration, decision and other curves", "Curves", ""),
        "thresholds": (
            "Cut-offs",
            "Cut-offs",
            (
                "A cut-off chosen on the rows it is judged on is exploratory, not "
                "prespecified: its values are optimistic."
            ),
        ),
        "subgroups": ("Variability: results by subgroup", "Subgroups", ""),
        "comparisons": ("Comparison of the tests", "Comparison", ""),
    },
    {
        "recall": "Sensitivity",
        "specificity": "Specificity",
        "lr_plus": "Positive likelihood ratio",
        "lr_minus": "Negative likelihood ratio",
        "precision": "Positive predictive value",
        "npv": "Negative predictive value",
        "ppv_at_prevalence": "Positive predictive value at a declared prevalence",
        "npv_at_prevalence": "Negative predictive value at a declared prevalence",
    },
    vocabulary=_CLINICAL_WORDS,
    orientation=Orientation("reference", "test result", transposed=True),
    flow_by_result=True,
    guidance=True,
    checklists=("stard_2015",),
    spec_text=False,
    study=(
        ("Reference standard", ("reference_standard",)),
        ("Participants", ("participants", "eligibility")),
        ("Dates", ("dates", "data_collection")),
        ("Setting", ("setting",)),
        ("Device", ("device", "model")),
    ),
    positive_first=True,
)
AUDIT = Wording(
    (
        "verdict",
        "series",
        "cautions",
        "rows",
        "characteristics",
        *GROUPS,
        *COMPARED,
        "measures",
        "scores",
        "thresholds",
        "curves",
        "classes",
        "folds",
        "training",
        "guide",
        *ANNEXES,
    ),
    "Audit of a classifier",
    {
        "rows": ("Rows examined", "Rows", ""),
        "subgroups": (
            "Results by group, gaps and ratios",
            "Groups",
            (
                "A gap is a difference and a ratio is a quotient of two groups; read both with "
                "their intervals and with n."
            ),
        ),
        "comparisons": ("Comparison with the reference", "Reference", ""),
        "baselines": ("Against baselines and declared values", "Baselines", ""),
        "measures": ("Evidence: metrics of the classification table", "Table metrics", ""),
        "scores": ("Evidence: metrics of the scores", "Score metrics", ""),
        "guide": ("Scope, and how to read and check this report", "Scope", ""),
    },
    impact=True,
    series=True,
)
MODEL_CARD = Wording(
    (
        "verdict",
        "cautions",
        "guide",
        "characteristics",
        "measures",
        "scores",
        *GROUPS,
        "classes",
        "curves",
        *COMPARED,
        *ANNEXES,
    ),
    "Model card",
    {
        "guide": ("Scope and limits", "Scope", ""),
        "verdict": ("", "Summary", ""),
        "measures": ("Metrics and thresholds", "Metrics", ""),
        "scores": ("Metrics of the scores", "Score metrics", ""),
        "subgroups": (
            "Factors: results by group",
            "Factors",
            "Single and crossed groups, each with its table, n and interval.",
        ),
        "provenance": ("Model and evaluation data", "Data", ""),
    },
    study=(
        ("Model", ("model",)),
        ("Version", ("version", "model_version")),
        ("Training data", ("training_data",)),
        ("Factors", ("factors",)),
        ("Intended use", ("intended_use",)),
    ),
)
MINIMAL = Wording(
    ("verdict",),
    "Classifier evaluation, in short",
    spec_text=False,
)
QUICK = Wording(
    ("verdict", "thresholds", "curves"),
    "Classifier evaluation",
    spec_text=False,
    brief=True,
)
STANDARD_WORDING = Wording(STANDARD)
TEMPLATES: Mapping[str, Wording] = {
    "standard": STANDARD_WORDING,
    "clinical": CLINICAL,
    "audit": AUDIT,
    "model_card": MODEL_CARD,
    "minimal": MINIMAL,
    "quick": QUICK,
}


def agreed(text: str) -> str:
    """The text in the words of agreement between two tests.

    >>> agreed("Balanced accuracy and recall of a"), agreed("Accuracy"), agreed("macro recall")
    ('Mean of PPA and NPA and PPA of a', 'Overall agreement', 'macro PPA')
    """
    return in_vocabulary(text, _AGREED)


def in_vocabulary(text: str, vocabulary: Sequence[tuple[str, str]]) -> str:
    """The text with the words of an audience, large where those were that they stand for.

    >>> in_vocabulary("Precision and recall, average precision", _CLINICAL_WORDS)
    'Positive predictive value and sensitivity, average precision'
    """
    for pattern, word in vocabulary:
        text = re.sub(rf"\b{pattern}\b", word, text)
        if "(?" in pattern:
            large = re.sub(r"\)([a-z])", lambda m: f"){m[1].upper()}", pattern)
        else:
            large = pattern.capitalize()
        text = re.sub(rf"\b{large}\b", word[0].upper() + word[1:], text)
    return text


class Titled(OfMetric, Protocol):
    """A record of a metric, which may have the metric's title."""

    @property
    def dataset(self) -> str | None: ...


class Words:
    """What the metrics of a run are called: as a template has it, and as their targets allow."""

    def __init__(self, results: Results, wording: Wording) -> None:
        wording = as_written(results, wording)
        self.titles = {**wording.metrics, **wording.names}
        self.vocabulary = wording.vocabulary
        self.orientation, self.checklists = wording.orientation, wording.checklists
        self.study, self.positive_first = wording.study, wording.positive_first
        #: What the spec says of a study and the first page has a line for.
        self.study_fields = {field for _, fields in wording.study for field in fields}
        self.brief = wording.brief
        self.series = wording.series
        self.flow_by_result, self.guidance = wording.flow_by_result, wording.guidance
        self.agreement = non_reference(results)
        self._sets = {ledger.dataset for ledger in results.labels if ledger.label_sets}

    def title(self, record: Titled) -> str:
        """The title of a record's metric; empty where neither the words nor the record have one."""
        known = self.titles.get(record.metric)
        own = str(getattr(record, "title", ""))
        if record.dataset not in self.agreement:
            return known or own
        if record.metric in AGREEMENT:
            return AGREEMENT[record.metric][0]
        declared = find(record.metric)
        if declared is not None:
            return agreed(known or own or declared.title)
        return agreed(known or own or plain_name(record.metric))

    def meaning(self, record: Titled) -> str:
        """What a value means where the target is another test; empty for any other target."""
        if record.dataset not in self.agreement:
            return ""
        if record.metric in AGREEMENT:
            return AGREEMENT[record.metric][1]
        declared = find(record.metric)
        return agreed(declared.meaning) if declared is not None else ""

    def is_plain(self, record: Titled) -> bool:
        """Whether a value that is recorded as an average is the plain one over all classes."""
        return is_plain(record, record.dataset in self._sets)


def reworded(results: Results, wording: Wording) -> Results:
    """Results whose texts are in the words of a template, and of targets that are only tests.

    Values, ids and records are untouched; measures change place where the template says so.
    """
    wording = as_written(results, wording)
    ranks = {metric: k for k, metric in enumerate(wording.metrics)}
    changed: dict[str, Any] = {}
    if ranks:
        last = len(ranks)
        changed["measures"] = tuple(
            sorted(results.measures, key=lambda m: ranks.get(m.metric, last))
        )
    if wording.vocabulary and _free_of(results, wording.vocabulary):
        words = partial(in_vocabulary, vocabulary=wording.vocabulary)
        results = _said(results, words, lambda _: True)
    agreement = non_reference(results)
    if agreement:
        # one of no dataset may be of any
        results = _said(results, agreed, lambda d: d is None or d in agreement)
    if not (wording.impact or any(m.metric in RATES for m in results.measures)):
        changed["impact"] = None
    return replace(results, **changed)


def as_written(results: Results, wording: Wording) -> Wording:
    """The wording with the names that the spec has for metrics, as ``ppv``."""
    names: dict[str, str] = {}
    for item in results.spec.get("metrics") or ():
        name = str(next(iter(item), "")) if isinstance(item, Mapping) else str(item)
        declared = find(name)
        if declared is not None and name in SPOKEN:
            names[declared.name] = SPOKEN[name]
    if not names:
        return wording
    told = [
        (pattern, place.format(lower_first(names[metric])))
        for metric, pattern, place in _IN_SENTENCES
        if metric in names
    ]
    return replace(wording, names=names, vocabulary=wording.vocabulary or tuple(told))


def own_wording(results: Results) -> Wording:
    """The words of the template that the spec asks for; of one of the user's own the standard's."""
    name = (results.spec.get("report") or {}).get("template", "")
    return TEMPLATES.get(name, STANDARD_WORDING)


def in_words(results: Results) -> Results:
    """Results in the words of their own template: what short formats print."""
    return reworded(results, own_wording(results))


def non_reference(results: Results) -> Sequence[str]:
    """The datasets whose target is another test."""
    datasets = results.spec.get("datasets") or {}
    return [
        name
        for name, declared in datasets.items()
        if isinstance(declared, Mapping) and declared.get("benchmark") == "non_reference"
    ]


def _said(
    results: Results, words: Callable[[str], str], of: Callable[[str | None], bool]
) -> Results:
    """Results with the cautions and criteria ``of`` some datasets in other words."""
    cautions = tuple(
        replace(
            one,
            title=words(one.title),
            headline=words(one.headline),
            message=words(one.message),
            why=words(one.why),
            read=words(one.read),
        )
        if of(one.dataset)
        else one
        for one in results.cautions
    )
    acceptance = tuple(
        replace(one, text=words(one.text)) if of(one.dataset) else one for one in results.acceptance
    )
    return replace(results, cautions=cautions, acceptance=acceptance)


def _free_of(results: Results, vocabulary: Sequence[tuple[str, str]]) -> bool:
    """Whether no name of the run has a word in it that would be replaced."""
    names = [*results.spec.get("datasets", {}), *results.spec.get("models", {})]
    for table in results.tables:
        names += [*table.labels, *table.subgroup.values()]
    return all(in_vocabulary(str(name), vocabulary) == str(name) for name in dict.fromkeys(names))
