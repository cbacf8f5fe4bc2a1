"""Formats beside HTML and PDF, from the same results."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from plain_results import (
    criteria_junit,
    measures_csv,
    measures_latex,
    model_index,
    records_of,
    summary_markdown,
    tables_csv,
)
from programs import program

import evalreport
from evalreport.report.markdown import summary_markdown as summary_of_records
from evalreport.report.terminal import headline_lines
from evalreport.report.wording import TEMPLATES

SPEC = {
    "evalreport": 1,
    "title": "A | title_with *marks*",
    "datasets": {"d": {"target": "y"}},
    "models": {"m": {"prediction": "p"}},
    "metrics": ["recall", "precision"],
    "acceptance": [
        {"metric": "recall", "at_least": 0.5},
        {"metric": "precision", "at_least": 0.9},
        {"metric": "roc_auc", "at_least": 0.5},
    ],
}


def _results(**frames: Any) -> Any:
    columns = {"y": ["=no", "yes", "yes", "=no"], "p": ["=no", "yes", "=no", "yes"], **frames}
    return evalreport.run(SPEC, frames={"d": columns}, at="2026-01-02T00:00:00Z").json


def test_every_line_has_its_counts_a_share_or_the_whole_table() -> None:
    metrics = ["recall", "roc_auc"]
    spec = {**SPEC, "models": {"m": {"score": "s"}}, "metrics": metrics, "acceptance": []}
    rows = {"y": ["=no", "=no", "=no", "yes", "yes", "yes"], "s": [0.1, 0.3, 0.6, 0.3, 0.7, 0.9]}
    found = evalreport.run(spec, frames={"d": rows}).json
    lines = [line.split(" | ") for line in _rows(summary_markdown(found))]
    assert [line[5] for line in lines] == ["TN 2 FP 1 FN 1 TP 2", "2 / 3"]
    # below the measures of a paper stands their table
    latex = measures_latex(found)
    assert latex.index("Recall & 0.667") < latex.index("=no & 2 & 1") < latex.index("yes & 1 & 2")


def test_markdown_begins_with_what_came_of_it() -> None:
    found = _results()
    assert summary_markdown(found).splitlines()[0] == "**FAILED: Precision 0.500 below 0.90.**"
    told = summary_markdown({**found, "acceptance": []}).splitlines()[0]
    # Wilson's limits of 1 of 2, as R's binom.wilson gives them
    assert told == "**NO LIMIT SET: Recall is 0.500 (0.0945 to 0.905).**"
    held = {**found, "acceptance": found["acceptance"][:1]}
    assert summary_markdown(held).splitlines()[0] == (
        "**PASSED: Recall, 0.500, required at least 0.50.**"
    )
    again = [{**c, "breaches_in_a_row": 2} for c in found["acceptance"]]
    assert summary_markdown({**found, "acceptance": again}).splitlines()[0] == (
        "**FAILED: Precision 0.500 below 0.90, failed in 2 runs in a row.**"
    )


def test_measures_csv_has_one_line_per_measure_and_runs_no_formula() -> None:
    results = _results()
    rows = list(csv.DictReader(io.StringIO(measures_csv(results).decode("utf-8"))))
    assert len(rows) == len(results["measures"])
    recall = rows[0]
    assert (recall["metric"], recall["value"], recall["numerator"]) == ("recall", "0.5", "1")
    assert (recall["label"], recall["method"]) == ("yes", "wilson")
    assert recall["name"] == "Recall"
    cells = list(csv.DictReader(io.StringIO(tables_csv(results).decode("utf-8"))))
    assert [(c["actual"], c["predicted"], c["count"]) for c in cells] == [
        ("'=no", "'=no", "1"),
        ("'=no", "yes", "1"),
        ("yes", "'=no", "1"),
        ("yes", "yes", "1"),
    ]


def test_every_short_format_has_the_name_that_the_spec_has_for_a_metric() -> None:
    spec = {**SPEC, "metrics": ["sensitivity", "ppv", "f1"], "acceptance": [],
            "averaging": ["none", "macro"]}  # fmt: skip
    results = evalreport.run(spec, frames={"d": {"y": list("abbb"), "p": list("abab")}})
    lines = list(csv.DictReader(io.StringIO(measures_csv(results.json).decode("utf-8"))))
    named = {(line["metric"], line["average"]): line["name"] for line in lines}
    assert named["recall", ""] == "Sensitivity"
    assert named["precision", ""] == "Positive predictive value"
    assert named["recall", "macro"] == "Macro sensitivity"
    formats = (results.to_markdown(), measures_latex(results.json), str(results))
    for text in (*formats, "\n".join(headline_lines(results.records))):
        assert "Sensitivity" in text
        assert "Positive predictive value" in text
        assert not re.search("recall|precision", text, re.IGNORECASE)


def test_markdown_shows_failures_first_and_escapes_its_marks() -> None:
    lines = summary_markdown(_results()).splitlines()
    assert lines[2] == r"## A \| title\_with \*marks\*"
    criteria = [line for line in lines if "pass" in line or "fail" in line or "not eval" in line]
    assert "✗ fail" in criteria[0]
    assert "○ not evaluated" in criteria[1]
    assert "✓ pass" in criteria[2]
    assert any("| 0.500 |" in line and "1 / 2" in line for line in lines)
    entity = summary_markdown({**_results(), "title": "&lt;b&gt; & more"})
    assert entity.splitlines()[2].startswith(r"## \&lt;b\&gt; \& more")


def test_junit_counts_failures_and_what_was_not_evaluated_as_errors() -> None:
    suite = ET.fromstring(criteria_junit(_results()))
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    cases = {case.get("name"): case for case in suite}
    assert cases["1. recall >= 0.5"].find("failure") is None
    assert cases["2. precision >= 0.9"].find("failure") is not None
    assert cases["3. roc_auc >= 0.5"].find("error") is not None


def test_model_index_is_yaml_with_plain_values() -> None:
    index = json.loads(model_index(_results()))["model-index"]
    assert index[0]["name"] == "m"
    metrics = {m["type"]: m["value"] for m in index[0]["results"][0]["metrics"]}
    assert metrics == {"recall": 0.5, "precision": 0.5}


def test_latex_escapes_what_it_would_run() -> None:
    text = measures_latex(_results())
    # the number of precision would be 1 / 2 too
    assert r"Recall & 0.500 & 0.0945 to 0.905 \\" in text
    # the head, the model and its three measures, the head and two rows of their table
    assert text.count(r"\\") == 1 + 1 + 3 + 1 + 2
    assert "Limits: Wilson (Recall, Precision)." in text
    assert "it needs scores" in text


def test_the_table_stands_below_the_measures_in_markdown_and_latex() -> None:
    """Truth no, yes, yes, no against no, yes, no, yes: one row in each cell."""
    results = _results(y=["no", "yes", "yes", "no", "no"], p=["no", "yes", "no", "yes", "no"])
    markdown = summary_markdown(results)
    assert "**Table t1, d, m**\n\n| actual, predicted → | no | yes |\n|---|---:|---:|" in markdown
    assert "| no | 2 | 1 |\n| yes | 1 | 1 |" in markdown
    assert "| 1 / 2 | Wilson | t1 |" in markdown
    latex = measures_latex(results)
    assert "no & 2 & 1 \\\\\nyes & 1 & 1 \\\\" in latex


def test_tables_of_many_classes_are_said_to_be_in_the_report() -> None:
    labels = [f"c{k:02d}" for k in range(13)]
    results = _results(y=labels, p=labels)
    assert "The report has 1 more table." in summary_markdown(results)
    assert "The report has 1 more table." in measures_latex(results)


@pytest.mark.parametrize("render", [summary_markdown, measures_latex])
def test_values_over_several_labels_name_the_tables_they_stand_on(render: Any) -> None:
    spec = {
        "evalreport": 1,
        "datasets": {"d": {"target": {"list": "y", "separator": " "}}},
        "models": {"m": {"prediction": {"list": "p", "separator": " "}}},
        "metrics": ["exact_match", "recall"],
        "averaging": ["macro"],
        "confidence": {"resamples": 20},
    }
    frame = {"y": ["a b", "a", "b c d e", "c", "b"], "p": ["a", "a b", "b c", "c d", "b e"]}
    text = str(render(evalreport.run(spec, frames={"d": frame}).json))
    lines = [line for line in text.splitlines() if "Exact match " in line or "Macro recall" in line]
    # below the table stands why there are no limits
    lines = [line for line in lines if "limit" not in line.lower() and line[:1] != "{"]
    assert len(lines) == 2
    named = all("t1, t2, t3, t4 and 1 more" in line for line in lines)
    assert named or render is measures_latex
    assert all(f"t{k}, d, m" in text for k in range(1, 6))


@pytest.mark.parametrize("averaging", [None, ["none", "macro"], ["macro", "micro"]])
def test_the_share_that_is_right_leads_for_several_classes(averaging: Any) -> None:
    """Of 8 rows 4 are right: accuracy is 4/8; of class a against the rest it is 5/8."""
    spec: dict[str, Any] = {**SPEC, "metrics": ["accuracy", "recall"], "acceptance": []}
    if averaging:
        spec["averaging"] = averaging
    frame = {"y": list("aabbcccc"), "p": list("abbbcaab")}
    results = evalreport.run(spec, frames={"d": frame})
    first = results.measures.iloc[0]
    assert (first["metric"], first["value"], first["numerator"]) == ("accuracy", 0.5, 4)
    line = next(csv.DictReader(io.StringIO(measures_csv(results.json).decode("utf-8"))))
    assert (line["metric"], line["value"], line["denominator"]) == ("accuracy", "0.5", "8")
    measures = [line for line in results.to_markdown().splitlines() if "| t1 |" in line]
    assert measures[0].startswith("| d | m | Accuracy | 0.500 |")
    assert headline_lines(results.records)[1].split()[:2] == ["Accuracy", "0.500"]


def _rows(text: str) -> list[str]:
    """The lines of the table of measures in Markdown or LaTeX."""
    if r"\begin{tabular}" not in text:
        return [line for line in text.splitlines() if re.search(r"\| t\d+ \|", line)]
    measures = text.partition(r"\medskip\noindent ")[0].splitlines()
    return [line for line in measures if line.count(" & ") == 2 and line[:3] != " & "]


def test_every_metric_of_every_model_stands_in_the_short_formats() -> None:
    """Four models with eleven metrics each are 44 measures; each format has all of them."""
    metrics = [
        "accuracy", "recall", "specificity", "precision", "npv", "f1", "balanced_accuracy",
        "mcc", "cohen_kappa", "youden_j", "error_rate",
    ]  # fmt: skip
    y = list("nnnnyyyy")
    models = dict(zip("abcd", ("nnnyyyyy", "nnyynyyy", "nnnnnyyy", "nyyyyyyn"), strict=True))
    frame = {"y": y, **{name: list(text) for name, text in models.items()}}
    spec = {
        **SPEC,
        "models": {name: {"prediction": name} for name in models},
        "metrics": metrics,
        "acceptance": [],
    }
    results = evalreport.run(spec, frames={"d": frame})
    assert len(_rows(results.to_markdown())) == 44
    assert len(_rows(measures_latex(results.json))) == 44
    index = json.loads(model_index(results.json))["model-index"]
    assert [len(one["results"][0]["metrics"]) for one in index] == [11] * 4
    # of the eight rows, model a has 7 right: 3 of 4 n, 4 of 4 y
    assert index[0]["results"][0]["metrics"][0]["value"] == 7 / 8
    assert "not shown here" not in results.to_markdown()


def test_what_short_formats_leave_out_is_counted() -> None:
    """Four metrics of 14 classes, each with its macro average, which is what is printed."""
    labels = [f"c{k:02d}" for k in range(14)]
    frame = {"y": labels * 2, "p": labels + labels[::-1], "g": ["u"] * 14 + ["v"] * 14}
    spec = {
        **SPEC,
        "metrics": ["recall", "precision", "f1", "roc_auc"],
        "acceptance": [],
        "subgroups": ["g"],
        "confidence": {"resamples": 20},
    }
    results = evalreport.run(spec, frames={"d": frame})
    kinds = Counter(
        "subgroup" if m.subgroup else "class" if m.label else "shown"
        for m in results.records.measures
    )
    assert kinds["shown"] == 4
    told = (
        f"Measures not shown here: {kinds['class']} of single classes and {kinds['subgroup']} "
        "of subgroups; results.json has all of them."
    )
    for text in (results.to_markdown(), measures_latex(results.json)):
        assert len(_rows(text)) == 4
        assert told in text.replace("\\_", "_")


def test_short_formats_use_the_words_of_the_page() -> None:
    """Of two classes none is named, criteria name metrics by title, clinicians say sensitivity."""
    standard = summary_markdown(_results())
    assert "| Recall | 0.500 |" in standard
    assert "| Recall ≥ 0.50 |" in standard
    assert "| ROC AUC ≥ 0.50 |" in standard
    report = {"report": {"template": "clinical"}}
    columns = {"y": ["no", "yes", "yes", "no"], "p": ["no", "yes", "no", "yes"]}
    results = evalreport.run({**SPEC, **report}, frames={"d": columns}).json
    for text in (summary_markdown(results), measures_latex(results)):
        assert "Sensitivity" in text
        assert "Positive predictive value" in text
        assert "ecall" not in text
    assert "| Sensitivity ≥ 0.50 |" in summary_markdown(results)
    names = json.loads(model_index(results))["model-index"][0]["results"][0]["metrics"]
    assert names[0]["name"].startswith("Sensitivity")
    assert names[0]["type"] == "recall"


@pytest.mark.long
def test_latex_is_typeset(tmp_path: Path) -> None:
    r"""A paper that reads the file shows each number; no letter of a name is run as a command."""
    pdflatex, pdftotext = program("pdflatex"), program("pdftotext")
    y = ["$no_{1}", "50% \\yes & ~^#"]
    rows = {"y": [y[0]] * 10 + [y[1]] * 10, "s": [k / 20 for k in range(20)]}
    spec = {**SPEC, "models": {"m_1": {"score": "s"}, "m&2": {"score": "s"}}, "acceptance": []}
    spec["metrics"] = ["recall", "brier", "lr_plus"]
    found = evalreport.run(spec, frames={"d": rows}).json
    (tmp_path / "measures.tex").write_text(measures_latex(found), encoding="utf-8")
    (tmp_path / "paper.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs}"
        "\\begin{document}\\input{measures}\\end{document}"
    )
    told = subprocess.run(
        [pdflatex, "-halt-on-error", "-interaction=nonstopmode", "paper.tex"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stdout
    assert "Overfull" not in told.stdout
    shown = subprocess.run(
        [pdftotext, "-layout", str(tmp_path / "paper.pdf"), "-"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    words = " ".join(shown.split())
    # of scores 0, 1/20, ..., 19/20 all of the upper ten are at 0.5 or above: 10 of 10, Wilson
    assert "Recall 1 0.722 to 1 " in words
    assert "m&2" in words
    assert "m 1" in words or "m_1" in words
    assert "$no" in words


def _two_models() -> dict[str, Any]:
    """The second of two models is the better one."""
    rows = {"y": [0, 0, 1, 1] * 5, "a": [0.2, 0.7, 0.3, 0.9] * 5, "b": [0.1, 0.2, 0.8, 0.9] * 5}
    spec = {**SPEC, "models": {"a": {"score": "a"}, "b": {"score": "b"}}, "acceptance": []}
    spec |= {"metrics": ["recall"], "positive": {"label": "1"}}
    return evalreport.run(spec, frames={"d": rows}).json


def test_models_are_listed_best_first_with_their_threshold() -> None:
    lines = [line.split(" | ") for line in _rows(summary_markdown(_two_models()))]
    assert [line[1] for line in lines] == ["b, score ≥ 0.50", "a, score ≥ 0.50"]
    told = measures_latex(_two_models())
    assert told.index("textbf{b, score") < told.index("textbf{a, score")


def test_other_formats_have_the_words_of_the_template_that_is_asked_for() -> None:
    records = records_of(_two_models())
    assert "| Recall |" in summary_of_records(records)
    assert "| Sensitivity |" in summary_of_records(records, TEMPLATES["clinical"])


def test_long_names_wrap_in_latex() -> None:
    """Of a name that is longer than the line beside value and limits."""
    spec = {**SPEC, "acceptance": [], "metrics": ["recall"], "averaging": ["none"]}
    for label, columns in (("a", r"{@{}lrl@{}}"), (50 * "long ", r"{@{}p{")):
        labels = ["b", label, "c"] * 20
        rows = {"y": labels, "p": labels}
        assert columns in measures_latex(evalreport.run(spec, frames={"d": rows}).json)
