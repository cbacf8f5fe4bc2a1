"""No step knows a metric by name but its declaration: the code is read, and exceptions are listed.

Counted are the texts of the package outside ``metrics/`` that are the name of a metric, whole;
words in sentences and docstrings are not. Each exception has its reason and its names, so
that a new one has to be argued for, and one that has gone is taken off the list.
"""

from __future__ import annotations

import ast
from pathlib import Path

from evalreport.engine.cautions.catalogue import catalogue as cautions
from evalreport.metrics.catalogue import catalogue

PACKAGE = Path(__file__).parents[2] / "evalreport"
NAMES = {metric.name for metric in catalogue()}

#: Reason, file, and the names that it may hold; * for a module that is about many.
EXCEPTIONS: dict[str, dict[str, str]] = {
    "points of curves are columns called by their axes, recall and fpr among them": {
        "verify/rebuild_parts.py": "gain lift",
        "report/charts/decision.py": "net_benefit",
        "report/charts/rates.py": "fpr precision recall",
        "report/charts/thresholds.py": "precision recall specificity",
        "report/findings.py": "fpr net_benefit precision recall",
        "report/slices.py": "fpr precision recall",
        "report/choosing.py": "fpr recall",
    },
    "points of curves, and the numbers that sum a curve up beside its name": {
        "engine/curves.py": "calibration_intercept calibration_slope gain lift oe_ratio",
        "report/curves.py": "fpr net_benefit precision recall specificity",
        "report/curve_charts.py": "average_precision calibration_intercept calibration_slope emax "
        "fpr gain oe_ratio precision recall roc_auc specificity",
    },
    "paired tables of the two classes of a chart of both scores; the field ks of drift": {
        "verify/rebuild_records.py": "ks recall specificity",
    },
    "words of the report, and what it leads with": {
        "report/wording.py": "*",
        "report/readers.py": "*",
        "report/page_one.py": "*",
        "report/plain_numbers.py": "*",
        "report/worst_groups.py": "*",
        "report/comparisons.py": "accuracy",
    },
    "what a call without metrics asks for": {
        "api/label_sets.py": "*",
    },
    "the example of a spec that has a mistake": {
        "spec/outline.py": "accuracy",
    },
    "the key of a number that a finding holds": {
        "predict/leakage.py": "roc_auc",
    },
    "the word is a kind of baseline, or a distance of drift": {
        "predict/baselines.py": "prevalence",
        "engine/reference/drift.py": "ks",
    },
    "studies of readers are defined for these measures (Obuchowski and Rockette; Gwet)": {
        "engine/readers/placing.py": "*",
        "engine/readers/agreement.py": "gwet_ac1",
    },
    "words that a file may hold: of bands, of agreement, of what moved; and kinds of curves": {
        "results/records.py": "gain gwet_ac1 precision predicted_prevalence prevalence",
    },
    "the cost that is minimised in training, drawn over its steps": {
        "predict/history.py": "log_loss softmax_cost",
    },
}


def names_in(text: str) -> set[str]:
    """The metrics that code names, docstrings left out.

    >>> sorted(names_in("x = f('accuracy', 'recall of it')"))
    ['accuracy']
    """
    tree = ast.parse(text)
    documented = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value in NAMES
        and id(node) not in documented
    }


def found() -> dict[str, set[str]]:
    """The metrics that each module outside ``metrics/`` names."""
    names = {
        path.relative_to(PACKAGE).as_posix(): names_in(path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }
    return {path: own for path, own in names.items() if own and not path.startswith("metrics/")}


def test_no_step_knows_a_metric_by_name_without_a_reason() -> None:
    seen = found()
    allowed = {
        path: seen.get(path, set()) if names == "*" else set(names.split())
        for files in EXCEPTIONS.values()
        for path, names in files.items()
    }
    assert seen == {path: names for path, names in allowed.items() if names}


def test_what_a_metric_declares_of_cautions_exists() -> None:
    declared = [code for metric in catalogue() for code in metric.cautions]
    assert len(declared) == len(set(declared))
    assert set(declared) <= {caution.code for caution in cautions()}


def test_a_name_in_code_is_found() -> None:
    code = '"""recall"""\nif metric.name == "recall":\n    say(f"{x} precision", "f1")\n'
    assert names_in(code) == {"recall", "f1"}
