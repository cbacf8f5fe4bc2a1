"""Every declared metric, found by name or alias.

>>> find("ppv").name
'precision'
>>> "ppv" in known_names(), "precision" in known_names()
(True, True)
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable
from functools import cache

from evalreport.errors import slips
from evalreport.metrics.declare import REGISTRY, Metric

#: Modules that declare metrics; a new module of declarations is added here once.
DECLARING = (
    "counts",
    "combined",
    "diagnostic",
    "matrix",
    "symmetry",
    "ranking",
    "precision_recall",
    "h_measure",
    "targeting",
    "at_a_rate",
    "probabilities",
    "explained",
    "calibration",
    "recalibration",
    "goodness_of_fit",
    "label_sets",
    "label_ranking",
)


@cache
def catalogue() -> tuple[Metric, ...]:
    """All metrics in the order they are declared, each once, whatever was imported before."""
    for module in DECLARING:
        importlib.import_module(f"evalreport.metrics.{module}")
    unique: dict[str, Metric] = {}
    for declared in REGISTRY.values():
        unique.setdefault(declared.name, declared)
    places = {f"evalreport.metrics.{module}": k for k, module in enumerate(DECLARING)}
    # sorted is stable: within a module the order of declaration stays
    place = {name: places.get(m.function.__module__, len(places)) for name, m in unique.items()}
    return tuple(sorted(unique.values(), key=lambda m: place[m.name]))


def find(word: str) -> Metric | None:
    """The metric with this name or alias, or None."""
    catalogue()
    return REGISTRY.get(word)


def metric_named(name: str) -> Metric:
    """A metric that is known to exist."""
    found = find(name)
    assert found is not None, name
    return found


def of_caution(code: str) -> Metric:
    """The metric that a caution is about, as the metric declares it; raises LookupError.

    >>> of_caution("auc_below_half").title
    'ROC AUC'
    """
    return _declaring(f"the caution {code}", lambda metric: code in metric.cautions)


def of_line(line: str) -> Metric:
    """The metric that is this number of the calibration lines; raises LookupError.

    >>> of_line("slope").title
    'Calibration slope'
    """
    return _declaring(f"the calibration line {line}", lambda metric: metric.line == line)


def _declaring(what: str, does: Callable[[Metric], bool]) -> Metric:
    found = next(filter(does, catalogue()), None)
    if found is None:
        raise LookupError(f"no metric declares {what}")
    return found


#: Metrics of two classes that are told of every threshold one may choose.
AT_THRESHOLDS = ("recall", "specificity", "precision", "npv", "accuracy", "f1", "mcc")


def usual_metrics(classes: int, *, scored: bool, probabilities: bool) -> list[str]:
    """Names of metrics for so many classes; ``scored``: there are scores, not only labels.

    They are those that most evaluations ask for, for a spec that nobody has written yet.

    >>> usual_metrics(3, scored=False, probabilities=False)
    ['accuracy', 'balanced_accuracy', 'recall', 'precision', 'f1', 'mcc']
    """
    names = ["accuracy", "balanced_accuracy", "recall", "precision", "f1", "mcc"]
    if classes <= 2:
        names.insert(3, "specificity")
    if scored:
        names += ["roc_auc", "average_precision"] if classes <= 2 else ["roc_auc"]
    if probabilities:
        names += ["brier", "log_loss"] if classes <= 2 else ["log_loss"]
    return names


def known_names() -> tuple[str, ...]:
    """Every name and alias, sorted."""
    catalogue()
    return tuple(sorted(REGISTRY))


_CONFUSION = (
    "leave it out: every report shows the table of counts (confusion matrix) beside its metrics"
)
_CURVE = "leave it out: the {} curve is always drawn where a model gives scores; its area is {}"
_CALIBRATION = (
    "leave it out: the calibration curve is always drawn where a model gives probabilities; "
    "its distance from the diagonal is ece"
)
_COUNT = "write error_rate: its numerator is that number"
#: Names in use for what a spec does not ask for so, and what to write instead.
NO_METRICS = {
    "confusion_matrix": _CONFUSION,
    "contingency_table": _CONFUSION,
    "roc": _CURVE.format("ROC", "roc_auc"),
    "roc_curve": _CURVE.format("ROC", "roc_auc"),
    "precision_recall_curve": _CURVE.format("precision-recall", "average_precision"),
    "pr_curve": _CURVE.format("precision-recall", "average_precision"),
    "calibration_curve": _CALIBRATION,
    "reliability_diagram": _CALIBRATION,
    "number_of_misclassifications": _COUNT,
    "number_of_errors": _COUNT,
    "extended_hamming_loss": "hamming_loss weighs missed and false labels alike; "
    "{alpha_evaluation: {beta: ..., gamma: ...}} gives each kind its weight",
}
_OF_BETA = re.compile(r"f_?-?([0-9]+(?:\.[0-9]+)?)(?:_?(?:score|measure))?")


def suggestion(word: str, extra: Iterable[str] = ()) -> str | None:
    """What was meant by a word that names no metric, as a hint; None where nothing is near.

    Only slips of the pen are near: every part of the word, between its underscores, is the
    part of a name but for a letter or so. A word that shares a part with a name and not
    the others means something else: ``success_rate`` is no ``miss_rate``.

    >>> suggestion("True-Positiv Rate"), suggestion("acuracy"), suggestion("loss_rate")
    ("did you mean 'true_positive_rate'?", "did you mean 'accuracy'?", None)
    >>> suggestion("f2_score"), suggestion("number of errors")
    ('did you mean {fbeta: {beta: 2}}?', 'write error_rate: its numerator is that number')
    """
    written = re.sub(r"[\s_-]+", "_", word.strip().casefold()).replace("'", "")
    if written in NO_METRICS:
        return NO_METRICS[written]
    of_beta = _OF_BETA.fullmatch(written)
    if of_beta and written not in known_names():
        return f"did you mean {{fbeta: {{beta: {of_beta[1]}}}}}?"
    counts = {name: _slips(written, name) for name in (*known_names(), *extra)}
    near = {name: count for name, count in counts.items() if count is not None}
    best = [name for name in near if near[name] == min(near.values())]
    # A word alone may be a part of a name: cost of expected_cost.
    best = best or [name for name in counts if "_" not in written and written in name.split("_")]
    meant = {name: find(name) for name in best}
    # Names of one metric are one answer; of several metrics none is the likelier.
    one_each = {metric.name if metric else name: name for name, metric in meant.items()}
    if not one_each or len(one_each) > 3:
        return None
    return f"did you mean {' or '.join(repr(name) for name in one_each.values())}?"


def _slips(word: str, name: str) -> int | None:
    """How many letters differ; None where a part differs by more than a slip."""
    if word.replace("_", "") == name.replace("_", ""):
        return 0
    parts, others = word.split("_"), name.split("_")
    if len(parts) != len(others):
        return None
    # In a short word alone a letter more is another word: rmse is no mse.
    size = min if len(parts) == 1 else max
    pairs = zip(parts, others, strict=True)
    each = [slips(a, b, size(len(a), len(b))) for a, b in pairs]
    return None if None in each else sum(count for count in each if count is not None)


def named_within(word: str) -> str:
    """A metric's name as it is called within a sentence; any other word with its parts apart.

    >>> [named_within(word) for word in ("youden_j", "recall", "f1", "at_least")]
    ["Youden's J", 'recall', 'F1', 'at least']
    """
    plain, metric = word.replace("_", " "), find(word)
    # a title that is the name itself needs no capital, unless it is a symbol as F1
    own = metric is None or metric.title == plain.capitalize() != plain.upper()
    return plain if own or metric is None else metric.title
